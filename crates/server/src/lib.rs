//! The REST router: JSON in and out, problems, pages, entity tags, one streamed import.
//!
//! Owns: routes, wire types of requests, and which HTTP status an error becomes. Defends against:
//! an error that looks like success; a field name that is silently ignored; a body that fills the
//! memory; a page of another site in the same browser; a client that never finishes.
//!
//! Does not own: rules, storage, waking agents. It calls the facade and nothing below it, and
//! returns the facade's views unchanged.
//!
//! Reading order: [`problem`], `extract`, `wire` (bodies of requests), `app` (what a handler works with),
//! `problem_groups`, `http` (one file per resource), `openapi` (the document generated from them), `login_throttle`, `auth`
//! (authentication), [`origin`] (accepted hosts and origins), `rate`, `page` (the web app),
//! `hardening` (the checks around all of it), `live` (events over a WebSocket), `listen`.

pub mod problem;
mod json_limits;
mod extract;
mod wire;
mod app;
mod problem_groups;
mod http;
mod openapi;
mod login_throttle;
mod auth;
pub mod origin;
mod rate;
mod page;
mod hardening;
mod live;
mod listen;

use axum::Extension;
use dormouse::Dormouse;
use dormouse_types::Caller;

pub use auth::Authenticator;
pub use hardening::Hardening;
pub use listen::listen;
pub use origin::{AllowedHosts, PublicUrl};
pub use problem::Problem;

/// The OpenAPI 3.1 document of the API, as [`router`] serves it at `/api/openapi.json`.
pub fn openapi() -> serde_json::Value {
    openapi::document()
}

/// The whole API below `/api`, for one caller: anyone who has the router acts as that caller.
pub fn router(dormouse: Dormouse, caller: Caller) -> axum::Router {
    routes(dormouse).layer(Extension(caller))
}

/// The whole API with authentication, and the page, for a listener: each request's token determines
/// its caller.
pub fn listener(dormouse: Dormouse, auth: Authenticator, hardening: &Hardening) -> axum::Router {
    let routes = hardening.after_authentication(routes(dormouse.clone()));
    let routes = live::Sockets::new(dormouse.clone(), hardening.clock()).with_sockets(routes);
    hardening.before_authentication(auth.protect(routes, dormouse))
}

fn routes(dormouse: Dormouse) -> axum::Router {
    http::routes(http::Description(openapi)).with_state(dormouse)
}
