//! The OpenAPI document.

use axum::Extension;
use serde_json::Value;

use super::reply::Reply;

/// Makes the OpenAPI document.
#[derive(Clone, Copy)]
pub(crate) struct Description(pub(crate) fn() -> Value);

/// Returns this OpenAPI document.
#[utoipa::path(
    get,
    path = "/api/openapi.json",
    operation_id = "getOpenApi",
    tag = "workspace",
    responses((status = 200, description = "An OpenAPI 3.1 document.", body = Value)),
)]
pub(super) async fn show(Extension(Description(document)): Extension<Description>) -> Reply<Value> {
    Ok(axum::Json(document()))
}
