//! Export of the workspace as one document.

use axum::body::{Body, Bytes};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use dormouse_types::TaskId;
use futures_util::stream;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::extract::{Query, id};
use crate::problem_groups::Finds;
use crate::{App, Problem};

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct ExportParams {
    /// Only this task, with its labels and its category.
    #[param(value_type = Option<TaskId>)]
    task: Option<String>,
}

/// Exports all tasks with everything that belongs to them, as one JSON document.
///
/// The document is streamed. A truncated one is not valid JSON. docs/export.md describes its
/// format.
#[utoipa::path(
    get,
    path = "/api/export",
    operation_id = "exportWorkspace",
    tag = "workspace",
    params(ExportParams),
    responses((status = 200, description = "The document.", body = crate::wire::Export), Finds),
)]
pub(super) async fn run(app: App, Query(params): Query<ExportParams>) -> Result<Response, Problem> {
    let only: Option<TaskId> = params.task.as_deref().map(id).transpose()?;
    let export = app.dormouse.export(&app.caller, only).await?;
    let pieces = stream::try_unfold(export, |mut export| async move {
        let piece = export.next().await?;
        Ok::<_, dormouse::Error>(piece.map(|piece| (Bytes::from(piece), export)))
    });
    let kind = [(header::CONTENT_TYPE, "application/json")];
    Ok((kind, Body::from_stream(pieces)).into_response())
}
