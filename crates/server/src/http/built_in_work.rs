//! Agent work that needs no language model: its gallery, instructions in words, a trial.

use axum::Json;
use dormouse::dates::{DayOrder, Wording};
use dormouse::view::{Page, WorkInstruction, WorkPreview, WorkTemplate, WorkTrial};
use serde::Deserialize;
use utoipa::IntoParams;

use super::reply::{Reply, whole};
use crate::app::App;
use crate::extract::{Json as Body, Query};
use crate::problem_groups::Dates;
use crate::wire::{WorkParams, WorkReadParams, WorkTryParams};

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct GalleryParams {
    /// The language of the texts, as a tag such as `de-AT`; English by default.
    lang: Option<String>,
}

/// Lists the kinds of agent work that need no language model, each ready to switch on.
#[utoipa::path(
    get,
    path = "/api/work/gallery",
    operation_id = "listWorkTemplates",
    tag = "agent work",
    params(GalleryParams),
    responses((status = 200, description = "All kinds.", body = Page<WorkTemplate>)),
)]
pub(super) async fn gallery(
    app: App,
    Query(params): Query<GalleryParams>,
) -> Reply<Page<WorkTemplate>> {
    let wording = Wording::of(DayOrder::DayFirst, params.lang.as_deref());
    Ok(whole(app.dormouse.work_gallery(&app.caller, wording).await?))
}

/// Reads an instruction for agent work that needs no language model.
///
/// Nothing is written. An instruction of no known kind is refused: it needs a language model.
#[utoipa::path(
    post,
    path = "/api/work/read",
    operation_id = "readWorkInstruction",
    tag = "agent work",
    request_body = WorkReadParams,
    responses((status = 200, description = "What it means.", body = WorkInstruction), Dates),
)]
pub(super) async fn read(app: App, Body(params): Body<WorkReadParams>) -> Reply<WorkInstruction> {
    let (text, wording) = params.read()?;
    Ok(Json(app.dormouse.read_work_instruction(&app.caller, &text, wording).await?))
}

/// Says what new agent work would be: what would start it, and when.
///
/// It is read as `POST /api/tasks` reads it, and nothing is written.
#[utoipa::path(
    post,
    path = "/api/work/preview",
    operation_id = "previewWork",
    tag = "agent work",
    request_body = WorkParams,
    responses((status = 200, description = "What it would be.", body = WorkPreview), Dates),
)]
pub(super) async fn preview(app: App, Body(params): Body<WorkParams>) -> Reply<WorkPreview> {
    let (new, wording) = params.read()?;
    Ok(Json(app.dormouse.preview_work(&app.caller, &new, wording).await?))
}

/// Tries agent work that needs no language model: what a run would come to now.
///
/// Nothing is written, and nothing is proposed.
#[utoipa::path(
    post,
    path = "/api/work/try",
    operation_id = "tryWork",
    tag = "agent work",
    request_body = WorkTryParams,
    responses((status = 200, description = "What it would come to.", body = WorkTrial)),
)]
pub(super) async fn try_it(app: App, Body(params): Body<WorkTryParams>) -> Reply<WorkTrial> {
    let (parameters, wording) = params.read()?;
    Ok(Json(app.dormouse.try_work(&app.caller, &parameters, wording).await?))
}
