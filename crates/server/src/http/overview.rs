//! The state of affairs.

use axum::Json;
use axum::extract::State;
use dormouse::view::Overview;

use super::Reply;
use crate::App;

pub(super) async fn show(State(app): State<App>) -> Reply<Overview> {
    Ok(Json(app.dormouse.overview(&app.caller).await?))
}
