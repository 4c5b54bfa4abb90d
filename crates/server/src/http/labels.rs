//! Label and category definitions of the workspace.

use axum::extract::State;
use dormouse::view::{Named, Page};
use dormouse_types::{CategoryId, LabelId};

use super::{Reply, whole};
use crate::App;

pub(super) async fn list(State(app): State<App>) -> Reply<Page<Named<LabelId>>> {
    Ok(whole(app.dormouse.labels(&app.caller).await?))
}

pub(super) async fn categories(State(app): State<App>) -> Reply<Page<Named<CategoryId>>> {
    Ok(whole(app.dormouse.categories(&app.caller).await?))
}
