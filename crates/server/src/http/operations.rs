//! Operations that cross the two databases.

use axum::Json;
use dormouse::OperationFilter;
use dormouse::view::{Operation, Page};
use serde::Deserialize;
use utoipa::IntoParams;

use super::reply::{Reply, page_size};
use crate::app::App;
use crate::extract::Query;
use crate::wire::Reading;

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct ListParams {
    /// `open` (the default) or `all`.
    #[param(value_type = Option<OperationFilter>)]
    status: Option<String>,
    /// The maximum number of items.
    limit: Option<usize>,
    /// The `nextCursor` of the previous page.
    cursor: Option<String>,
}

/// Lists the operations that write to both databases, with their progress.
#[utoipa::path(
    get,
    path = "/api/operations",
    operation_id = "listOperations",
    tag = "workspace",
    params(ListParams),
    responses((status = 200, description = "A page of operations.", body = Page<Operation>)),
)]
pub(super) async fn list(app: App, Query(params): Query<ListParams>) -> Reply<Page<Operation>> {
    let mut reading = Reading::default();
    let filter = reading.parse("?status", params.status);
    let filter = reading.finish(filter)?.unwrap_or_default();
    let limit = page_size(params.limit)?;
    let cursor = params.cursor.as_deref();
    Ok(Json(app.dormouse.operations(&app.caller, filter, limit, cursor).await?))
}
