//! The REST router: JSON in and out, problems, pages, entity tags, one streamed import.
//!
//! Owns: routes, wire types of requests, and which HTTP status an error becomes. Defends against:
//! an answer that a client cannot tell from success; a field name that is silently ignored; a body
//! that fills the memory.
//!
//! Does not own: rules, storage, waking agents. It calls the facade and nothing below it; what it
//! answers are the facade's views as they are.
//!
//! Reading order: [`problem`], `extract`, `wire` (bodies of requests), `http` (one file per
//! resource), `openapi` (the description that is made from them), `door` (who may come in).

pub mod problem;
mod extract;
mod wire;
mod http;
mod openapi;
mod door;

use dormouse::Dormouse;
use dormouse_types::Caller;

pub use door::Door;
pub use problem::Problem;

/// What every handler is given.
#[derive(Clone)]
struct App {
    dormouse: Dormouse,
    caller: Caller,
}

/// The OpenAPI 3.1 document of the API: what [`router`] serves at `/api/openapi.json`.
pub fn openapi() -> serde_json::Value {
    openapi::document()
}

/// The whole API below `/api`, answering for one caller.
pub fn router(dormouse: Dormouse, caller: Caller) -> axum::Router {
    http::routes().with_state(App { dormouse, caller })
}
