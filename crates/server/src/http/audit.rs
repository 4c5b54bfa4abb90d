//! The audit log.

use axum::Json;
use dormouse::view::{AuditEntry, Page};
use serde::Deserialize;
use utoipa::IntoParams;

use super::reply::{Reply, page_size};
use crate::app::App;
use crate::extract::Query;

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct ListParams {
    /// The maximum number of items.
    limit: Option<usize>,
    /// The `nextCursor` of the previous page.
    cursor: Option<String>,
}

/// Lists the audit log, newest first: who did what, and what the policy of what may be sent refused.
///
/// It never has the text of a task.
#[utoipa::path(
    get,
    path = "/api/audit",
    operation_id = "listAudit",
    tag = "workspace",
    params(ListParams),
    responses((status = 200, description = "A page of the audit log.", body = Page<AuditEntry>)),
)]
pub(super) async fn list(app: App, Query(params): Query<ListParams>) -> Reply<Page<AuditEntry>> {
    let limit = page_size(params.limit)?;
    Ok(Json(app.dormouse.audit(&app.caller, limit, params.cursor.as_deref()).await?))
}
