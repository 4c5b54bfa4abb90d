//! Tasks: list, make, show, edit, delete, restore; their agent, decisions and activity.

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use dormouse::view::{Activity, Agent, Decision, Page, Task, TaskRow};
use dormouse_types::task::Status;
use dormouse_types::{ChangeSetId, TaskId};
use serde::Deserialize;
use utoipa::{IntoParams, IntoResponses};

use super::{Reply, change_sets, page_size, whole};
use crate::extract::{At, IfMatch, Json as Body, Key, Query, id};
use crate::openapi::{Edits, NewAgent, NewTask, Writes};
use crate::wire::{AgentParams, Decided, DecisionParams, Reading, TaskParams, TaskPatch};
use crate::{App, Problem};

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct ListParams {
    /// Those of this status.
    #[param(value_type = Option<Status>)]
    status: Option<String>,
    /// Those whose text holds this.
    text: Option<String>,
    /// Those a person may mean: by an id, its end, or words of the title. It stands alone.
    find: Option<String>,
    /// Deleted ones too.
    #[serde(default)]
    deleted: bool,
    /// At most so many.
    limit: Option<usize>,
    /// The `nextCursor` of the page before.
    cursor: Option<String>,
}

/// Lists tasks, newest first.
#[utoipa::path(
    get,
    path = "/api/journal/tasks",
    operation_id = "listTasks",
    tag = "tasks",
    params(ListParams),
    responses((status = 200, description = "A page of tasks.", body = Page<TaskRow>)),
)]
pub(super) async fn list(
    State(app): State<App>,
    Query(params): Query<ListParams>,
) -> Reply<Page<TaskRow>> {
    if let Some(find) = params.find {
        return Ok(whole(app.dormouse.find_tasks(&app.caller, &find).await?));
    }
    let mut reading = Reading::default();
    let status = reading.parse("?status", params.status);
    let filter = reading.finish(dormouse::TaskFilter {
        status,
        text: params.text,
        deleted: params.deleted,
    })?;
    let limit = page_size(params.limit)?;
    Ok(Json(app.dormouse.tasks(&app.caller, filter, limit, params.cursor).await?))
}

/// A task with its ETag.
#[derive(IntoResponses)]
#[response(
    status = 200,
    description = "The task.",
    headers(("ETag" = String, description = "The revision of the task."))
)]
pub(super) struct Tagged(#[to_schema] pub(super) Task);

impl IntoResponse for Tagged {
    fn into_response(self) -> Response {
        ([(header::ETAG, format!("\"{}\"", self.0.revision))], Json(self.0)).into_response()
    }
}

/// A task to which something was added.
#[derive(IntoResponses)]
#[response(
    status = 201,
    description = "The task with what was added.",
    headers(("ETag" = String, description = "The revision of the task."))
)]
pub(super) struct Added(#[to_schema] pub(super) Task);

impl IntoResponse for Added {
    fn into_response(self) -> Response {
        (StatusCode::CREATED, Tagged(self.0)).into_response()
    }
}

/// Makes a task.
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
            ("Location" = String, description = "Where the task is.")
        )),
        NewTask
    ),
)]
pub(super) async fn create(
    State(app): State<App>,
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
pub(super) async fn show(State(app): State<App>, At(task): At<String>) -> Result<Tagged, Problem> {
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
    State(app): State<App>,
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
    State(app): State<App>,
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
    State(app): State<App>,
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
pub(super) async fn activity(
    State(app): State<App>,
    At(task): At<String>,
) -> Reply<Page<Activity>> {
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
pub(super) async fn agent(State(app): State<App>, At(task): At<String>) -> Reply<Agent> {
    let task: TaskId = id(&task)?;
    match app.dormouse.agent_of_task(&app.caller, &task).await? {
        Some(agent) => Ok(Json(agent)),
        None => Err(Problem::not_found(format!(
            "task {task} has no agent: POST to this address makes one"
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
            ("Location" = String, description = "Where the agent is.")
        )),
        NewAgent
    ),
)]
pub(super) async fn create_agent(
    State(app): State<App>,
    At(task): At<String>,
    Key(key): Key,
    Body(params): Body<AgentParams>,
) -> Result<Response, Problem> {
    let agent = app.dormouse.create_agent(&app.caller, &id(&task)?, params.name, key).await?;
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
pub(super) async fn decisions(
    State(app): State<App>,
    At(task): At<String>,
) -> Reply<Page<Decision>> {
    Ok(whole(app.dormouse.task_decisions(&app.caller, &id(&task)?).await?))
}

/// Decides many items at once, over all sets of the task.
///
/// Each is told apart; none stops the rest.
#[utoipa::path(
    post,
    path = "/api/journal/tasks/{task}/decisions",
    operation_id = "decideTaskItems",
    tag = "tasks",
    params(Key),
    request_body = Vec<DecisionParams>,
    responses(
        (status = 200, description = "What became of each, in the order asked.", body = Page<Decided>)
    ),
)]
pub(super) async fn decide(
    State(app): State<App>,
    At(task): At<String>,
    Key(key): Key,
    Body(verdicts): Body<Vec<DecisionParams>>,
) -> Reply<Page<Decided>> {
    let task: TaskId = id(&task)?;
    let mut results = Vec::with_capacity(verdicts.len());
    for params in verdicts {
        let (set, index) = (params.set.clone(), params.index);
        // One key for many decisions: each gets its own part of it.
        let key = key.as_ref().map(|key| format!("{key}/{set}:{index}"));
        results.push(match decide_one(&app, &task, params, key).await {
            Ok(outcome) => Decided::Taken { set, index, outcome: Box::new(outcome) },
            Err(problem) => Decided::Refused { set, index, problem },
        });
    }
    Ok(whole(results))
}

async fn decide_one(
    app: &App,
    task: &TaskId,
    params: DecisionParams,
    key: Option<String>,
) -> Result<dormouse::view::Outcome, Problem> {
    let set: ChangeSetId = id(&params.set)?;
    let verdict = change_sets::verdict(&params.verdict)?;
    let found = app.dormouse.change_set(&app.caller, &set).await?;
    if found.task_id != *task {
        return Err(Problem::not_found(format!("task {task} has no change set {set}")));
    }
    let digest = Some(params.digest);
    Ok(app
        .dormouse
        .decide(&app.caller, &set, params.index, verdict, digest, params.reason, key)
        .await?)
}
