//! Single occurrences of agent work: listed, skipped, moved, restored; and suspended schedules.

use axum::Json;
use dormouse::view::{AgentWork, WorkOccurrences};

use super::reply::Reply;
use crate::app::App;
use crate::extract::{At, Json as Sent, Key, id};
use crate::problem_groups::WorkEdits;
use crate::wire::{WorkMoveParams, WorkSuspendParams};

/// Lists what comes of the schedule of agent work.
///
/// The next five occurrences, and what was skipped or moved.
#[utoipa::path(
    get,
    path = "/api/tasks/{work}/occurrences",
    operation_id = "listWorkOccurrences",
    tag = "agent work",
    responses((status = 200, description = "The occurrences.", body = WorkOccurrences)),
)]
pub(super) async fn list(app: App, At(work): At<String>) -> Reply<WorkOccurrences> {
    Ok(Json(app.dormouse.work_occurrences(&app.caller, &id(&work)?).await?))
}

/// Skips one occurrence that is still to come.
#[utoipa::path(
    post,
    path = "/api/tasks/{work}/occurrences/{occurrence}/skip",
    operation_id = "skipWorkOccurrence",
    tag = "agent work",
    params(Key),
    responses((status = 200, description = "The work.", body = AgentWork), WorkEdits),
)]
pub(super) async fn skip(
    app: App,
    At((work, occurrence)): At<(String, String)>,
    Key(key): Key,
) -> Reply<AgentWork> {
    let App { dormouse, caller } = &app;
    Ok(Json(dormouse.skip_work_occurrence(caller, &id(&work)?, &occurrence, key).await?))
}

/// Moves one occurrence to another time.
///
/// It stays the same occurrence: it runs once. To another one it has no effect.
#[utoipa::path(
    post,
    path = "/api/tasks/{work}/occurrences/{occurrence}/move",
    operation_id = "moveWorkOccurrence",
    tag = "agent work",
    params(Key),
    request_body = WorkMoveParams,
    responses((status = 200, description = "The work.", body = AgentWork), WorkEdits),
)]
pub(super) async fn move_to(
    app: App,
    At((work, occurrence)): At<(String, String)>,
    Key(key): Key,
    Sent(params): Sent<WorkMoveParams>,
) -> Reply<AgentWork> {
    let App { dormouse, caller } = &app;
    let (to, order, lang) = params.read()?;
    let wording = dormouse.wording(order, lang.as_deref()).await?;
    let (id, to) = (id(&work)?, (&*to, wording));
    Ok(Json(dormouse.move_work_occurrence(caller, &id, &occurrence, to, key).await?))
}

/// Lets one occurrence that was skipped or moved be due as the schedule says.
#[utoipa::path(
    post,
    path = "/api/tasks/{work}/occurrences/{occurrence}/restore",
    operation_id = "restoreWorkOccurrence",
    tag = "agent work",
    params(Key),
    responses((status = 200, description = "The work.", body = AgentWork), WorkEdits),
)]
pub(super) async fn restore(
    app: App,
    At((work, occurrence)): At<(String, String)>,
    Key(key): Key,
) -> Reply<AgentWork> {
    let App { dormouse, caller } = &app;
    Ok(Json(dormouse.restore_work_occurrence(caller, &id(&work)?, &occurrence, key).await?))
}

/// Lets nothing of a schedule be due until a time.
///
/// What falls into it never runs late. The action `resume` ends it earlier.
#[utoipa::path(
    post,
    path = "/api/tasks/{work}/suspend",
    operation_id = "suspendWork",
    tag = "agent work",
    params(Key),
    request_body = WorkSuspendParams,
    responses((status = 200, description = "The work.", body = AgentWork), WorkEdits),
)]
pub(super) async fn suspend(
    app: App,
    At(work): At<String>,
    Key(key): Key,
    Sent(params): Sent<WorkSuspendParams>,
) -> Reply<AgentWork> {
    let App { dormouse, caller } = &app;
    let (until, order, lang) = params.read()?;
    let wording = dormouse.wording(order, lang.as_deref()).await?;
    Ok(Json(dormouse.suspend_work(caller, &id(&work)?, (&until, wording), key).await?))
}
