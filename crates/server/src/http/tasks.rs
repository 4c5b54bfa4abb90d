//! Tasks: list, create, show, edit, delete, restore; their agent, decisions and activity.

use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use dormouse::view::{Activity, Agent, Decision, Page, Task, TaskChange, TaskRow};
use dormouse::{AgentPresence, Deleted, Due, Sort, VerdictOf};
use dormouse_types::linked::LinkedContext;
use dormouse_types::task::{Flag, Priority, Status};
use dormouse_types::{ChangeSetId, TaskId};
use serde::Deserialize;
use utoipa::{IntoParams, IntoResponses};

use super::change_sets;
use super::reply::{Reply, page_size, whole};
use crate::Problem;
use crate::app::App;
use crate::extract::{At, IfMatch, Json as Body, Key, Listing, Lists, Many, id};
use crate::problem_groups::{Edits, NewAgent, NewTask, Writes};
use crate::wire::{
    AgentParams, Decided, DecidedItems, DecisionParams, Reading, TaskParams, TaskPatch, known_value,
};

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct ListParams {
    /// Only tasks that contain all of these words, in the title, the TLDR, an entry, an item or a
    /// label.
    q: Option<String>,
    /// Only tasks with one of these statuses.
    #[serde(default)]
    #[param(value_type = Option<Vec<Status>>)]
    status: Many,
    /// Only tasks with one of these priorities; a task without a priority counts as P2.
    #[serde(default)]
    #[param(value_type = Option<Vec<Priority>>)]
    priority: Many,
    /// Only tasks with any of these labels, by id or name.
    #[serde(default)]
    #[param(value_type = Option<Vec<String>>)]
    label: Many,
    /// Only tasks in any of these categories, by id or name; `none` matches tasks without a
    /// category.
    #[serde(default)]
    #[param(value_type = Option<Vec<String>>)]
    category: Many,
    /// Only tasks `with` an agent, `without` one, or with one that is `awake`.
    #[serde(default)]
    #[param(value_type = Option<Vec<AgentPresence>>)]
    agent: Many,
    /// Only tasks that are `overdue`, due within a `week`, or without a due date (`none`).
    #[serde(default)]
    #[param(value_type = Option<Vec<Due>>)]
    due: Many,
    /// Only starred tasks (`true`).
    starred: Option<String>,
    /// Only private tasks (`true`).
    private: Option<String>,
    /// The order: `created` (newest first, the default), `updated`, `due`, `priority` or `title`.
    #[param(value_type = Option<Sort>)]
    sort: Option<String>,
    /// Search by id, end of an id, title, or words of the title; the first of these that matches a task decides.
    /// Cannot be combined with other filters.
    find: Option<String>,
    /// Only tasks with an `open` proposal.
    proposals: Option<String>,
    /// Include deleted tasks (`true`), or return only those (`only`). Default `false`.
    deleted: Option<String>,
    /// The maximum number of items.
    limit: Option<usize>,
    /// The `nextCursor` of the previous page, in the same order.
    cursor: Option<String>,
}

impl Lists for ListParams {
    const LISTS: &'static [&'static str] =
        &["status", "priority", "label", "category", "agent", "due"];
}

impl ListParams {
    /// Errors: a filter next to `find`, with its name.
    fn only_find(&self) -> Result<(), Problem> {
        let one = |name, is_set: bool| is_set.then_some(name);
        let lists = [
            one("q", self.q.is_some()),
            one("status", !self.status.0.is_empty()),
            one("priority", !self.priority.0.is_empty()),
            one("label", !self.label.0.is_empty()),
            one("category", !self.category.0.is_empty()),
            one("agent", !self.agent.0.is_empty()),
            one("due", !self.due.0.is_empty()),
            one("starred", self.starred.is_some()),
            one("private", self.private.is_some()),
            one("sort", self.sort.is_some()),
            one("proposals", self.proposals.is_some()),
            one("deleted", self.deleted.is_some()),
        ];
        match lists.into_iter().flatten().next() {
            Some(name) => {
                let why =
                    format!("`find` cannot be combined with `{name}`; search with `q` instead");
                Err(Problem::invalid("?find", why))
            }
            None => Ok(()),
        }
    }
}

/// Lists tasks, newest first by default.
///
/// A parameter may be repeated, or hold several values separated by commas; any of them matches.
/// Different parameters must all match.
#[utoipa::path(
    get,
    path = "/api/journal/tasks",
    operation_id = "listTasks",
    tag = "tasks",
    params(ListParams),
    responses((status = 200, description = "A page of tasks.", body = Page<TaskRow>)),
)]
pub(super) async fn list(app: App, Listing(params): Listing<ListParams>) -> Reply<Page<TaskRow>> {
    let limit = page_size(params.limit)?;
    if let Some(find) = &params.find {
        params.only_find()?;
        let cursor = params.cursor.as_deref();
        return Ok(Json(app.dormouse.find_tasks(&app.caller, find, limit, cursor).await?));
    }
    let mut reading = Reading::default();
    let statuses = params.status.0.into_iter();
    let statuses = statuses.filter_map(|it| reading.parse("?status", Some(it))).collect();
    let priorities = params.priority.0.into_iter();
    let priorities = priorities.filter_map(|it| reading.parse("?priority", Some(it))).collect();
    let agents = params.agent.0.into_iter();
    let agents = agents.filter_map(|it| reading.parse("?agent", Some(it))).collect();
    let due = params.due.0.into_iter();
    let due = due.filter_map(|it| reading.parse("?due", Some(it))).collect();
    let sort = reading.parse("?sort", params.sort);
    let flags = flags(&mut reading, params.starred.as_deref(), params.private.as_deref());
    let proposals = params.proposals.as_deref();
    let to_review = proposals.and_then(|it| reading.one_of("?proposals", it, &[("open", true)]));
    let known = [("false", Deleted::Without), ("true", Deleted::Too), ("only", Deleted::Only)];
    let deleted = params.deleted.as_deref();
    let deleted = deleted.and_then(|it| reading.one_of("?deleted", it, &known));
    let filter = reading.finish(dormouse::TaskFilter {
        words: params.q,
        statuses,
        priorities,
        labels: params.label.0,
        categories: params.category.0,
        agents,
        due,
        flags,
        sort: sort.unwrap_or_default(),
        to_review: to_review.unwrap_or_default(),
        deleted: deleted.unwrap_or_default(),
    })?;
    Ok(Json(app.dormouse.tasks(&app.caller, filter, limit, params.cursor).await?))
}

/// The flags that a list is filtered by.
pub(super) fn flags(
    reading: &mut Reading,
    starred: Option<&str>,
    private: Option<&str>,
) -> Vec<Flag> {
    let only = |reading: &mut Reading, place: &'static str, given: Option<&str>| {
        given.and_then(|it| reading.one_of(place, it, &[("true", ())])).is_some()
    };
    let starred = only(reading, "?starred", starred).then_some(Flag::Starred);
    let private = only(reading, "?private", private).then_some(Flag::Private);
    [starred, private].into_iter().flatten().collect()
}

/// Lists the open proposals about a task, across all its sets, in reading order.
///
/// Proposals shown now come first, deferred ones last; oldest first within each group.
#[utoipa::path(
    get,
    path = "/api/journal/tasks/{task}/changes",
    operation_id = "listTaskChanges",
    tag = "tasks",
    responses((status = 200, description = "Every open proposal.", body = Page<TaskChange>)),
)]
pub(super) async fn changes(app: App, At(task): At<String>) -> Reply<Page<TaskChange>> {
    Ok(whole(app.dormouse.task_changes(&app.caller, &id(&task)?).await?))
}

/// A task with its ETag.
#[derive(IntoResponses)]
#[response(
    status = 200,
    description = "The task.",
    headers(("ETag" = String, description = "The revision of the task."))
)]
pub(super) struct Tagged(pub(super) Task);

impl IntoResponse for Tagged {
    fn into_response(self) -> Response {
        ([(header::ETAG, format!("\"{}\"", self.0.revision))], Json(self.0)).into_response()
    }
}

/// A task after something was added.
#[derive(IntoResponses)]
#[response(
    status = 201,
    description = "The task with what was added.",
    headers(("ETag" = String, description = "The revision of the task."))
)]
pub(super) struct Added(pub(super) Task);

impl IntoResponse for Added {
    fn into_response(self) -> Response {
        (StatusCode::CREATED, Tagged(self.0)).into_response()
    }
}

/// Creates a task.
#[utoipa::path(
    post,
    path = "/api/journal/tasks",
    operation_id = "createTask",
    tag = "tasks",
    params(Key),
    request_body = TaskParams,
    responses(
        (status = 201, description = "The new task.", body = Task, headers(
            ("ETag" = String, description = "The revision of the task."),
            ("Location" = String, description = "The URL of the task.")
        )),
        NewTask
    ),
)]
pub(super) async fn create(
    app: App,
    Key(key): Key,
    Body(params): Body<TaskParams>,
) -> Result<Response, Problem> {
    let task = app.dormouse.create_task(&app.caller, params.read()?, key).await?;
    let location = (header::LOCATION, format!("/api/journal/tasks/{}", task.id));
    Ok((StatusCode::CREATED, [location], Tagged(task)).into_response())
}

/// Shows a task with its items, entries and labels.
#[utoipa::path(
    get,
    path = "/api/journal/tasks/{task}",
    operation_id = "getTask",
    tag = "tasks",
    responses(Tagged)
)]
pub(super) async fn show(app: App, At(task): At<String>) -> Result<Tagged, Problem> {
    Ok(Tagged(app.dormouse.task(&app.caller, &id(&task)?).await?))
}

/// Sets fields of a task; `null` clears one.
#[utoipa::path(
    patch,
    path = "/api/journal/tasks/{task}",
    operation_id = "editTask",
    tag = "tasks",
    params(IfMatch, Key),
    request_body = TaskPatch,
    responses(Tagged, Edits),
)]
pub(super) async fn edit(
    app: App,
    At(task): At<String>,
    IfMatch(revision): IfMatch,
    Key(key): Key,
    Body(patch): Body<TaskPatch>,
) -> Result<Tagged, Problem> {
    let (task, patch) = (id(&task)?, patch.read()?);
    Ok(Tagged(app.dormouse.edit_task(&app.caller, &task, patch, revision, key).await?))
}

/// Deletes a task; it can be restored.
#[utoipa::path(
    delete,
    path = "/api/journal/tasks/{task}",
    operation_id = "deleteTask",
    tag = "tasks",
    params(Key),
    responses(Tagged, Edits)
)]
pub(super) async fn delete(
    app: App,
    At(task): At<String>,
    Key(key): Key,
) -> Result<Tagged, Problem> {
    Ok(Tagged(app.dormouse.delete_task(&app.caller, &id(&task)?, key).await?))
}

/// Restores a deleted task.
#[utoipa::path(
    post,
    path = "/api/journal/tasks/{task}/restore",
    operation_id = "restoreTask",
    tag = "tasks",
    params(Key),
    responses(Tagged, Writes)
)]
pub(super) async fn restore(
    app: App,
    At(task): At<String>,
    Key(key): Key,
) -> Result<Tagged, Problem> {
    Ok(Tagged(app.dormouse.restore_task(&app.caller, &id(&task)?, key).await?))
}

/// Lists what happened to a task, oldest first.
#[utoipa::path(
    get,
    path = "/api/journal/tasks/{task}/activity",
    operation_id = "listTaskActivity",
    tag = "tasks",
    responses((status = 200, description = "Every change.", body = Page<Activity>)),
)]
pub(super) async fn activity(app: App, At(task): At<String>) -> Reply<Page<Activity>> {
    Ok(whole(app.dormouse.task_activity(&app.caller, &id(&task)?).await?))
}

/// Shows the agent of a task.
#[utoipa::path(
    get,
    path = "/api/journal/tasks/{task}/agent",
    operation_id = "getTaskAgent",
    tag = "tasks",
    responses((status = 200, description = "The live agent.", body = Agent)),
)]
pub(super) async fn agent(app: App, At(task): At<String>) -> Reply<Agent> {
    let task: TaskId = id(&task)?;
    match app.dormouse.agent_of_task(&app.caller, &task).await? {
        Some(agent) => Ok(Json(agent)),
        None => Err(Problem::not_found(format!(
            "task {task} has no agent: POST to this address to create one"
        ))),
    }
}

/// Gives a task an agent, which wakes at once.
#[utoipa::path(
    post,
    path = "/api/journal/tasks/{task}/agent",
    operation_id = "createTaskAgent",
    tag = "tasks",
    params(Key),
    request_body = AgentParams,
    responses(
        (status = 201, description = "The new agent.", body = Agent, headers(
            ("Location" = String, description = "The URL of the agent.")
        )),
        NewAgent
    ),
)]
pub(super) async fn create_agent(
    app: App,
    At(task): At<String>,
    Key(key): Key,
    Body(params): Body<AgentParams>,
) -> Result<Response, Problem> {
    let (name, template) = params.read()?;
    let App { dormouse, caller } = &app;
    let agent = dormouse.create_agent_following(caller, &id(&task)?, name, template, key).await?;
    let location = (header::LOCATION, format!("/api/agents/{}", agent.id));
    Ok((StatusCode::CREATED, [location], Json(agent)).into_response())
}

/// Lists the decisions about a task, newest first.
#[utoipa::path(
    get,
    path = "/api/journal/tasks/{task}/decisions",
    operation_id = "listTaskDecisions",
    tag = "tasks",
    responses((status = 200, description = "Every decision.", body = Page<Decision>)),
)]
pub(super) async fn decisions(app: App, At(task): At<String>) -> Reply<Page<Decision>> {
    Ok(whole(app.dormouse.task_decisions(&app.caller, &id(&task)?).await?))
}

/// Shows what a task's agent reads of the tasks one link away.
///
/// A row for each linked task, with the newest report of its agent if there is one. The newest tasks
/// come first into the 20 KiB that there are; `left_out` counts what did not fit.
#[utoipa::path(
    get,
    path = "/api/journal/tasks/{task}/linked-context",
    operation_id = "getLinkedContext",
    tag = "tasks",
    responses((status = 200, description = "The linked tasks.", body = LinkedContext)),
)]
pub(super) async fn linked_context(app: App, At(task): At<String>) -> Reply<LinkedContext> {
    Ok(Json(app.dormouse.linked_context(&app.caller, &id(&task)?).await?))
}

/// Decides many items at once, across all sets of the task.
///
/// Each item has its own outcome; a refusal does not affect the others.
#[utoipa::path(
    post,
    path = "/api/journal/tasks/{task}/decisions",
    operation_id = "decideTaskItems",
    tag = "tasks",
    params(Key),
    request_body = Vec<DecisionParams>,
    responses(
        (status = 200, description = "The outcomes, and what is open afterwards.", body = DecidedItems)
    ),
)]
pub(super) async fn decide(
    app: App,
    At(task): At<String>,
    Key(key): Key,
    Body(verdicts): Body<Vec<DecisionParams>>,
) -> Reply<DecidedItems> {
    let task: TaskId = id(&task)?;
    let (mut places, mut wanted) = (Vec::new(), Vec::new());
    for params in verdicts {
        let (set, index) = (params.set.clone(), params.index);
        // One idempotency key covers many decisions, so each derives its own key from it.
        let key = key.as_ref().map(|key| format!("{key}/{set}:{index}"));
        let problem = match verdict_of(params) {
            Ok(verdict) => {
                wanted.push((verdict, key));
                None
            }
            Err(problem) => Some(problem),
        };
        places.push((set, index, problem));
    }
    let decided = app.dormouse.decide_items(&app.caller, &task, wanted).await?;
    let mut outcomes = decided.outcomes.into_iter();
    let items = places.into_iter().filter_map(|(set, index, problem)| {
        let outcome = match problem {
            Some(problem) => Err(problem),
            None => outcomes.next()?.map_err(Problem::from),
        };
        Some(match outcome {
            Ok(outcome) => Decided::Taken { set, index, outcome: Box::new(outcome) },
            Err(problem) => Decided::Refused { set, index, problem },
        })
    });
    let items = items.collect();
    Ok(Json(DecidedItems { items, next_cursor: None, open: decided.open }))
}

fn verdict_of(params: DecisionParams) -> Result<VerdictOf, Problem> {
    let set: ChangeSetId = id(&params.set)?;
    let verdict = change_sets::verdict(&params.verdict)?;
    let over = known_value(verdict, params.current, params.now, params.reason.as_deref())?;
    let DecisionParams { index, digest, reason, .. } = params;
    let digest = Some(digest);
    Ok(VerdictOf { task: None, set, index, verdict, digest, reason, over })
}
