//! The overview: counts, what needs the user, and recent reports.

use axum::Json;
use dormouse::view::{Attention, Overview, Page, RecentReport};

use super::reply::{PageParams, Reply, page_size};
use crate::app::App;
use crate::extract::Query;

/// Returns counts of tasks, agents and proposals.
#[utoipa::path(
    get,
    path = "/api/overview",
    operation_id = "getOverview",
    tag = "workspace",
    responses((status = 200, description = "The counts.", body = Overview)),
)]
pub(super) async fn show(app: App) -> Reply<Overview> {
    Ok(Json(app.dormouse.overview(&app.caller).await?))
}

/// Lists what needs the user, newest first; items about to expire come last.
#[utoipa::path(
    get,
    path = "/api/needs-attention",
    operation_id = "listNeedsAttention",
    tag = "workspace",
    params(PageParams),
    responses((status = 200, description = "A page of things that need the user.", body = Page<Attention>)),
)]
pub(super) async fn attention(
    app: App,
    Query(params): Query<PageParams>,
) -> Reply<Page<Attention>> {
    let (limit, cursor) = (page_size(params.limit)?, params.cursor.as_deref());
    Ok(Json(app.dormouse.needs_attention(&app.caller, limit, cursor).await?))
}

/// Lists the latest report of each agent that has a task, newest first.
#[utoipa::path(
    get,
    path = "/api/reports",
    operation_id = "listRecentReports",
    tag = "workspace",
    params(PageParams),
    responses((status = 200, description = "A page of reports.", body = Page<RecentReport>)),
)]
pub(super) async fn reports(
    app: App,
    Query(params): Query<PageParams>,
) -> Reply<Page<RecentReport>> {
    let (limit, cursor) = (page_size(params.limit)?, params.cursor.as_deref());
    Ok(Json(app.dormouse.recent_reports(&app.caller, limit, cursor).await?))
}
