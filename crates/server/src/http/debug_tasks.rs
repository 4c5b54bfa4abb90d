//! The addresses under which other programs know agent work: the same handlers as below `/api/tasks`.

use axum::Json;
use axum::http::HeaderMap;
use axum::response::Response;
use dormouse::view::{AgentWork, Page, WorkLogLine};

use super::reply::Reply;
use super::work::{self, ListParams, LogParams};
use crate::Problem;
use crate::app::App;
use crate::extract::{At, Json as Body, Key, Query, id};
use crate::problem_groups::{NewWork, Work, WorkEdits};
use crate::wire::{WorkParams, WorkPatch};

/// Lists agent work, newest first, as `GET /api/tasks` does.
#[utoipa::path(
    get,
    path = "/api/debug/tasks",
    operation_id = "listDebugTasks",
    tag = "agent work",
    params(ListParams),
    responses((status = 200, description = "A page of agent work.", body = Page<AgentWork>)),
)]
pub(super) async fn list(app: App, params: Query<ListParams>) -> Reply<Page<AgentWork>> {
    work::list(app, params).await
}

/// Makes agent work, as `POST /api/tasks` does.
#[utoipa::path(
    post,
    path = "/api/debug/tasks",
    operation_id = "createDebugTask",
    tag = "agent work",
    params(Key),
    request_body = WorkParams,
    responses((status = 201, description = "The new work.", body = AgentWork, headers(
        ("Location" = String, description = "The URL of the work.")
    )), NewWork),
)]
pub(super) async fn create(
    app: App,
    key: Key,
    params: Body<WorkParams>,
) -> Result<Response, Problem> {
    work::create(app, key, params).await
}

/// Shows agent work with every field of its definition.
#[utoipa::path(
    get,
    path = "/api/debug/tasks/{work}",
    operation_id = "getDebugTask",
    tag = "agent work",
    responses((status = 200, description = "The work.", body = AgentWork)),
)]
pub(super) async fn show(app: App, At(work): At<String>) -> Reply<AgentWork> {
    Ok(Json(app.dormouse.work(&app.caller, &id(&work)?).await?))
}

/// Changes agent work, as `PATCH /api/tasks/{work}` does.
#[utoipa::path(
    patch,
    path = "/api/debug/tasks/{work}",
    operation_id = "editDebugTask",
    tag = "agent work",
    params(Key),
    request_body = WorkPatch,
    responses((status = 200, description = "The work.", body = AgentWork), WorkEdits),
)]
pub(super) async fn edit(
    app: App,
    work: At<String>,
    key: Key,
    patch: Body<WorkPatch>,
) -> Reply<AgentWork> {
    work::edit(app, work, key, patch).await
}

/// Removes agent work, as `DELETE /api/tasks/{work}` does.
#[utoipa::path(
    delete,
    path = "/api/debug/tasks/{work}",
    operation_id = "deleteDebugTask",
    tag = "agent work",
    params(Key),
    responses((status = 200, description = "The work as it is left.", body = AgentWork), Work),
)]
pub(super) async fn delete(app: App, work: At<String>, key: Key) -> Reply<AgentWork> {
    work::delete(app, work, key).await
}

/// Shows the log of agent work, as `GET /api/tasks/{work}/log` does.
#[utoipa::path(
    get,
    path = "/api/debug/tasks/{work}/log",
    operation_id = "getDebugTaskLog",
    tag = "agent work",
    params(LogParams),
    responses((status = 200, description = "A page of the log.", content(
        (Page<WorkLogLine> = "application/json"),
        (Value = "application/jsonl")
    ))),
)]
pub(super) async fn log(
    app: App,
    work: At<String>,
    params: Query<LogParams>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    work::log(app, work, params, headers).await
}
