//! The state of affairs.

use axum::Json;
use axum::extract::State;
use dormouse::view::Overview;

use super::Reply;
use crate::App;

/// Tells the state of affairs: tasks, agents, proposals.
#[utoipa::path(
    get,
    path = "/api/overview",
    operation_id = "getOverview",
    tag = "workspace",
    responses((status = 200, description = "How many of each there are.", body = Overview)),
)]
pub(super) async fn show(State(app): State<App>) -> Reply<Overview> {
    Ok(Json(app.dormouse.overview(&app.caller).await?))
}
