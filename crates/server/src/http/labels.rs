//! Label and category definitions of the workspace.

use dormouse::view::{Named, Page};
use dormouse_types::{CategoryId, LabelId};

use super::reply::{Reply, whole};
use crate::app::App;

/// Lists the labels of the workspace, by name.
#[utoipa::path(
    get,
    path = "/api/journal/labels",
    operation_id = "listLabels",
    tag = "workspace",
    responses((status = 200, description = "Every label.", body = Page<Named<LabelId>>)),
)]
pub(super) async fn list(app: App) -> Reply<Page<Named<LabelId>>> {
    Ok(whole(app.dormouse.labels(&app.caller).await?))
}

/// Lists the categories of the workspace, by name.
#[utoipa::path(
    get,
    path = "/api/journal/categories",
    operation_id = "listCategories",
    tag = "workspace",
    responses((status = 200, description = "Every category.", body = Page<Named<CategoryId>>)),
)]
pub(super) async fn categories(app: App) -> Reply<Page<Named<CategoryId>>> {
    Ok(whole(app.dormouse.categories(&app.caller).await?))
}
