//! Tasks: list, make, show, edit, delete, restore; their agent, decisions and activity.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use dormouse::view::{Activity, Agent, Decision, Page, Task, TaskRow};
use dormouse_types::{ChangeSetId, TaskId};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Reply, change_sets, page_size, whole};
use crate::extract::{At, IfMatch, Json as Body, Key, Query, id};
use crate::wire::{AgentParams, DecisionParams, Reading, TaskParams, TaskPatch};
use crate::{App, Problem};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListParams {
    status: Option<String>,
    text: Option<String>,
    find: Option<String>,
    #[serde(default)]
    deleted: bool,
    limit: Option<usize>,
    cursor: Option<String>,
}

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
pub(super) struct Tagged(pub(super) Task);

impl Tagged {
    fn tag(&self) -> (HeaderName, String) {
        (header::ETAG, format!("\"{}\"", self.0.revision))
    }
}

impl IntoResponse for Tagged {
    fn into_response(self) -> Response {
        ([self.tag()], Json(self.0)).into_response()
    }
}

pub(super) async fn create(
    State(app): State<App>,
    Key(key): Key,
    Body(params): Body<TaskParams>,
) -> Result<Response, Problem> {
    let task = app.dormouse.create_task(&app.caller, params.read()?, key).await?;
    let location = (header::LOCATION, format!("/api/journal/tasks/{}", task.id));
    Ok((StatusCode::CREATED, [location], Tagged(task)).into_response())
}

pub(super) async fn show(State(app): State<App>, At(task): At<String>) -> Result<Tagged, Problem> {
    Ok(Tagged(app.dormouse.task(&app.caller, &id(&task)?).await?))
}

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

pub(super) async fn delete(
    State(app): State<App>,
    At(task): At<String>,
    Key(key): Key,
) -> Result<Tagged, Problem> {
    Ok(Tagged(app.dormouse.delete_task(&app.caller, &id(&task)?, key).await?))
}

pub(super) async fn restore(
    State(app): State<App>,
    At(task): At<String>,
    Key(key): Key,
) -> Result<Tagged, Problem> {
    Ok(Tagged(app.dormouse.restore_task(&app.caller, &id(&task)?, key).await?))
}

pub(super) async fn activity(
    State(app): State<App>,
    At(task): At<String>,
) -> Reply<Page<Activity>> {
    Ok(whole(app.dormouse.task_activity(&app.caller, &id(&task)?).await?))
}

pub(super) async fn agent(State(app): State<App>, At(task): At<String>) -> Reply<Agent> {
    let task: TaskId = id(&task)?;
    match app.dormouse.agent_of_task(&app.caller, &task).await? {
        Some(agent) => Ok(Json(agent)),
        None => Err(Problem::not_found(format!(
            "task {task} has no agent: POST to this address makes one"
        ))),
    }
}

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

pub(super) async fn decisions(
    State(app): State<App>,
    At(task): At<String>,
) -> Reply<Page<Decision>> {
    Ok(whole(app.dormouse.task_decisions(&app.caller, &id(&task)?).await?))
}

/// Decides many items at once, over all sets of the task. Each is told apart; none stops the rest.
pub(super) async fn decide(
    State(app): State<App>,
    At(task): At<String>,
    Key(key): Key,
    Body(verdicts): Body<Vec<DecisionParams>>,
) -> Result<Json<Page<Value>>, Problem> {
    let task: TaskId = id(&task)?;
    let mut results = Vec::with_capacity(verdicts.len());
    for params in verdicts {
        let (set, index) = (params.set.clone(), params.index);
        // One key for many decisions: each gets its own part of it.
        let key = key.as_ref().map(|key| format!("{key}/{set}:{index}"));
        results.push(match decide_one(&app, &task, params, key).await {
            Ok(outcome) => json!({"set": set, "index": index, "outcome": outcome}),
            Err(problem) => json!({"set": set, "index": index, "problem": problem.to_json()}),
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
