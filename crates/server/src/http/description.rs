//! The OpenAPI document.

use serde_json::Value;

use super::Reply;

/// Returns this OpenAPI document.
#[utoipa::path(
    get,
    path = "/api/openapi.json",
    operation_id = "getOpenApi",
    tag = "workspace",
    responses((status = 200, description = "An OpenAPI 3.1 document.", body = Value)),
)]
pub(super) async fn show() -> Reply<Value> {
    Ok(axum::Json(crate::openapi()))
}
