//! The overview: counts, what needs the user, and recent reports.

use axum::Json;
use dormouse::AttentionFilter;
use dormouse::view::{Attention, Overview, Page, RecentReport};
use serde::Deserialize;
use utoipa::IntoParams;

use super::reply::{PageParams, Reply, page_size};
use crate::app::App;
use crate::extract::{At, Json as Sent, Query};
use crate::problem_groups::Writes;
use crate::wire::AcknowledgementParams;

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

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct AttentionParams {
    /// The maximum number of items.
    limit: Option<usize>,
    /// The `nextCursor` of the previous page.
    cursor: Option<String>,
    /// What the person has taken note of, in place of what is left.
    #[serde(default)]
    acknowledged: bool,
}

/// Lists what needs the user, newest first; items about to expire come last.
///
/// What the person has taken note of is left out until there is a later entry for the same reason and
/// object.
#[utoipa::path(
    get,
    path = "/api/needs-attention",
    operation_id = "listNeedsAttention",
    tag = "workspace",
    params(AttentionParams),
    responses((status = 200, description = "A page of things that need the user.", body = Page<Attention>)),
)]
pub(super) async fn attention(
    app: App,
    Query(params): Query<AttentionParams>,
) -> Reply<Page<Attention>> {
    listed(&app, &params, false).await
}

/// Lists the agent work that needs the user: the part of `GET /api/needs-attention` that is about it.
#[utoipa::path(
    get,
    path = "/api/tasks/needs-attention",
    operation_id = "listWorkNeedsAttention",
    tag = "agent work",
    params(AttentionParams),
    responses((status = 200, description = "A page of agent work that needs the user.", body = Page<Attention>)),
)]
pub(super) async fn work_attention(
    app: App,
    Query(params): Query<AttentionParams>,
) -> Reply<Page<Attention>> {
    listed(&app, &params, true).await
}

async fn listed(app: &App, params: &AttentionParams, is_work: bool) -> Reply<Page<Attention>> {
    let (limit, cursor) = (page_size(params.limit)?, params.cursor.as_deref());
    let filter = AttentionFilter { is_work, is_acknowledged: params.acknowledged };
    Ok(Json(app.dormouse.attention_list(&app.caller, filter, limit, cursor).await?))
}

/// Takes note of an entry, which then leaves the list.
///
/// It comes back when there is a later one for the same reason and object. `since` is that of the entry as it was seen; one that came meanwhile stays in the list.
#[utoipa::path(
    put,
    path = "/api/needs-attention/{need}/acknowledgement",
    operation_id = "acknowledgeNeed",
    tag = "workspace",
    request_body = AcknowledgementParams,
    responses((status = 200, description = "The entry.", body = Attention), Writes),
)]
pub(super) async fn acknowledge(
    app: App,
    At(need): At<String>,
    Sent(params): Sent<AcknowledgementParams>,
) -> Reply<Attention> {
    Ok(Json(app.dormouse.acknowledge(&app.caller, &need, params.since).await?))
}

/// Puts an entry back into the list of what needs the user.
#[utoipa::path(
    delete,
    path = "/api/needs-attention/{need}/acknowledgement",
    operation_id = "takeBackAcknowledgement",
    tag = "workspace",
    responses((status = 200, description = "The entry.", body = Attention), Writes),
)]
pub(super) async fn take_back(app: App, At(need): At<String>) -> Reply<Attention> {
    Ok(Json(app.dormouse.take_back_acknowledgement(&app.caller, &need).await?))
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
