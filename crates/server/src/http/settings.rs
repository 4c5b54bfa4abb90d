//! Settings of the workspace.

use axum::Json;
use dormouse::{SettingsPatch, WorkspaceSettings};

use super::reply::Reply;
use crate::app::App;
use crate::extract::Json as Body;
use crate::problem_groups::Writes;
use crate::wire::SettingsParams;

/// Shows the settings of the workspace.
#[utoipa::path(
    get,
    path = "/api/settings",
    operation_id = "getSettings",
    tag = "access",
    responses((status = 200, description = "The settings.", body = WorkspaceSettings)),
)]
pub(super) async fn show(app: App) -> Reply<WorkspaceSettings> {
    Ok(Json(app.dormouse.settings(&app.caller).await?))
}

/// Changes settings of the workspace. What is left out is unchanged.
#[utoipa::path(
    patch,
    path = "/api/settings",
    operation_id = "editSettings",
    tag = "access",
    request_body = SettingsParams,
    responses((status = 200, description = "The settings.", body = WorkspaceSettings), Writes),
)]
pub(super) async fn edit(app: App, Body(params): Body<SettingsParams>) -> Reply<WorkspaceSettings> {
    let patch: SettingsPatch = params.read()?;
    Ok(Json(app.dormouse.edit_settings(&app.caller, patch).await?))
}
