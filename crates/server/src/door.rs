//! The door of a listener: who may come in, before any route is looked at.
//!
//! A page in a browser can send requests to a port of the machine it runs on. It is kept out by the
//! name it asks for (a foreign name that was made to point here is not ours) and by the token, which
//! no page can read.

use std::hint::black_box;
use std::sync::Arc;

use axum::Json;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use dormouse::Dormouse;
use serde_json::json;

use crate::Problem;

/// The names under which a listener on loopback may be asked.
const LOOPBACK: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// Who may come in.
#[derive(Clone)]
pub struct Door {
    token: Arc<str>,
    port: u16,
}

impl Door {
    /// A door that opens for one token, on this port of the loopback interface.
    pub fn new(token: &str, port: u16) -> Self {
        Self { token: token.into(), port }
    }

    /// Puts the door before a router, and two pages beside it that need no token: `/healthz` says
    /// that the process answers, `/readyz` that the store does and that changes are routed.
    pub fn before(self, router: Router, dormouse: Dormouse) -> Router {
        router.layer(from_fn_with_state((self, dormouse), enter))
    }

    fn is_named(&self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            // The colons of a bare IPv6 address are none before a port.
            Some((name, port)) if !port.ends_with(']') => (name, port.parse().ok()),
            Some(_) | None => (host, Some(80)),
        };
        port == Some(self.port) && LOOPBACK.iter().any(|known| name.eq_ignore_ascii_case(known))
    }

    fn opens_for(&self, headers: &HeaderMap) -> bool {
        let given = headers.get(header::AUTHORIZATION).map_or(&[][..], HeaderValue::as_bytes);
        let (scheme, token) = given.split_at_checked(7).unwrap_or_default();
        scheme.eq_ignore_ascii_case(b"bearer ") && is_same(token, self.token.as_bytes())
    }
}

async fn enter(
    State((door, dormouse)): State<(Door, Dormouse)>,
    request: Request,
    next: Next,
) -> Response {
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
    if !host.is_some_and(|host| door.is_named(host)) {
        return Problem::misdirected(door.port).into_response();
    }
    match request.uri().path() {
        "/healthz" => Json(json!({"status": "ok"})).into_response(),
        "/readyz" => ready(&dormouse).await,
        _ if door.opens_for(request.headers()) => next.run(request).await,
        _ => {
            let mut response = Problem::unauthorised().into_response();
            let bearer = HeaderValue::from_static("Bearer");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, bearer);
            response
        }
    }
}

async fn ready(dormouse: &Dormouse) -> Response {
    let hindrance = match dormouse.hindrance().await {
        Ok(hindrance) => hindrance,
        Err(error) => Some(error.problem().title),
    };
    match hindrance {
        None => Json(json!({"ready": true})).into_response(),
        Some(reason) => {
            let body = Json(json!({"ready": false, "reason": reason}));
            (StatusCode::SERVICE_UNAVAILABLE, body).into_response()
        }
    }
}

/// Compares in a time that does not tell how much of a guess is right.
fn is_same(given: &[u8], wanted: &[u8]) -> bool {
    let differing = given.iter().zip(wanted).fold(0, |all, (a, b)| black_box(all | (a ^ b)));
    !wanted.is_empty() && given.len() == wanted.len() && differing == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bearer(value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(header::AUTHORIZATION, HeaderValue::from_static(value))])
    }

    #[test]
    fn only_a_loopback_name_with_this_port_is_ours() {
        let door = Door::new("t", 7330);
        for host in ["127.0.0.1:7330", "localhost:7330", "LocalHost:7330", "[::1]:7330"] {
            assert!(door.is_named(host), "{host}");
        }
        for host in ["", "localhost", "127.0.0.1:7331", "evil.example:7330", "[::1]", "7330"] {
            assert!(!door.is_named(host), "{host}");
        }
        assert!(Door::new("t", 80).is_named("localhost"));
    }

    #[test]
    fn the_door_opens_for_the_whole_token_alone() {
        let door = Door::new("secret", 80);
        assert!(door.opens_for(&bearer("Bearer secret")));
        assert!(door.opens_for(&bearer("bearer secret")));
        for wrong in ["Bearer secre", "Bearer secrets", "Bearer Secret", "Basic secret", "secret"] {
            assert!(!door.opens_for(&bearer(wrong)), "{wrong}");
        }
        assert!(!door.opens_for(&HeaderMap::new()));
        assert!(!Door::new("", 80).opens_for(&bearer("Bearer ")), "an empty token is none");
    }
}
