//! Notices to the person about agent work.

use axum::Json;
use dormouse::view::{AgentWork, Delivery, Page};
use dormouse_types::delivery::DeliveryState;
use serde::Deserialize;
use utoipa::IntoParams;

use super::reply::{Reply, page_size};
use crate::app::App;
use crate::extract::{At, Json as Sent, Query, id};
use crate::problem_groups::Writes;
use crate::wire::{DeliveryMarkParams, Reading};

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct DeliveryParams {
    /// Only those in this state.
    #[param(value_type = Option<DeliveryState>)]
    state: Option<String>,
    /// The maximum number of items.
    limit: Option<usize>,
    /// The `nextCursor` of the previous page.
    cursor: Option<String>,
}

/// Lists notices to the user about agent work, newest first.
///
/// A delivery is written together with what it tells, once for each attempt of a run and kind, so its id stays the same however often it is shown.
#[utoipa::path(
    get,
    path = "/api/deliveries",
    operation_id = "listDeliveries",
    tag = "agent work",
    params(DeliveryParams),
    responses((status = 200, description = "A page of deliveries.", body = Page<Delivery>)),
)]
pub(super) async fn list(app: App, Query(params): Query<DeliveryParams>) -> Reply<Page<Delivery>> {
    let (limit, cursor) = (page_size(params.limit)?, params.cursor.as_deref());
    let mut reading = Reading::default();
    let state = reading.parse("?state", params.state);
    let state = reading.finish(state)?;
    Ok(Json(app.dormouse.deliveries(&app.caller, state, limit, cursor).await?))
}

/// Notes that a delivery was shown, or that the user saw it.
///
/// It never goes back: what was read stays read. A program that shows deliveries takes those that are `pending`, shows each, then marks it `delivered`; if it is interrupted in between, it shows that one again.
#[utoipa::path(
    put,
    path = "/api/deliveries/{delivery}/state",
    operation_id = "markDelivery",
    tag = "agent work",
    request_body = DeliveryMarkParams,
    responses((status = 200, description = "The delivery.", body = Delivery), Writes),
)]
pub(super) async fn mark(
    app: App,
    At(delivery): At<String>,
    Sent(params): Sent<DeliveryMarkParams>,
) -> Reply<Delivery> {
    let (delivery, mark) = (id(&delivery)?, params.read()?);
    Ok(Json(app.dormouse.mark_delivery(&app.caller, &delivery, mark).await?))
}

/// Notes that the user saw everything that there is to tell of agent work, because they looked at it.
#[utoipa::path(
    post,
    path = "/api/tasks/{work}/deliveries/read",
    operation_id = "readDeliveries",
    tag = "agent work",
    responses((status = 200, description = "The work.", body = AgentWork), Writes),
)]
pub(super) async fn read(app: App, At(work): At<String>) -> Reply<AgentWork> {
    Ok(Json(app.dormouse.read_deliveries_of(&app.caller, &id(&work)?).await?))
}
