//! Label definitions of the workspace.

use axum::extract::State;
use dormouse::view::{Named, Page};
use dormouse_types::LabelId;

use super::{Reply, whole};
use crate::App;

pub(super) async fn list(State(app): State<App>) -> Reply<Page<Named<LabelId>>> {
    Ok(whole(app.dormouse.labels(&app.caller).await?))
}
