//! Authentication for a listener, before any route is matched.
//!
//! Every request needs a token, which no foreign page can read: the one in the data folder for
//! commands, or one that a user created. The token determines the caller of a request. Hostnames
//! and origins are checked earlier (`crates/server/src/hardening.rs`).

use std::hint::black_box;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use axum::Json;
use axum::Router;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use dormouse::{Dormouse, WORKSPACE};
use dormouse_types::Caller;
use dormouse_types::port::Clock;
use serde_json::json;

use crate::Problem;
use crate::login_throttle::LoginThrottle;

/// The path that exchanges a code for a token; the caller has no token yet.
const EXCHANGE: &str = "/api/access/exchange";
/// What the paths begin with that programs outside call: each call is signed.
pub(crate) const HOOKS: &str = "/api/hooks/";
/// The path that opens a socket; the ticket replaces the token.
const SOCKET: &str = "/api/ws";

/// Authenticates requests.
#[derive(Clone)]
pub struct Authenticator {
    token: Arc<str>,
    clock: Arc<dyn Clock>,
    logins: Arc<Mutex<LoginThrottle>>,
}

impl Authenticator {
    /// Accepts the owner's token and every live token of the store. The clock decides when failures
    /// are forgotten.
    pub fn new(token: &str, clock: Arc<dyn Clock>) -> Self {
        Self { token: token.into(), clock, logins: Arc::default() }
    }

    /// Requires authentication for a router, and adds two pages that need no token: `/healthz`
    /// reports that the process responds, `/readyz` that the store does and that changes are
    /// routed.
    pub(crate) fn protect(self, router: Router, dormouse: Dormouse) -> Router {
        router.layer(from_fn_with_state((self, dormouse), authenticate))
    }

    /// The caller of a token, if it is valid.
    async fn caller(&self, token: &[u8], dormouse: &Dormouse) -> Result<Option<Caller>, Problem> {
        if is_same(token, self.token.as_bytes()) {
            return Ok(Some(Caller::owner(WORKSPACE)));
        }
        // A value that is not text is not a token either, and takes the same time.
        let token = str::from_utf8(token).unwrap_or_default();
        Ok(dormouse.authenticate(token).await?)
    }

    /// Responds to an invalid token or code.
    async fn refuse(&self, from: IpAddr, with: Response, dormouse: &Dormouse) -> Response {
        let failure = {
            let mut logins = self.logins.lock().unwrap_or_else(PoisonError::into_inner);
            logins.fail(from, self.clock.now())
        };
        if failure.is_noted {
            dormouse.note_refused(&from.to_string(), failure.failures).await;
        }
        failure.wait.map_or(with, |wait| Problem::too_many_logins(wait).into_response())
    }
}

async fn authenticate(
    State((auth, dormouse)): State<(Authenticator, Dormouse)>,
    mut request: Request,
    next: Next,
) -> Response {
    let from = address(&request);
    match request.uri().path() {
        "/healthz" => Json(json!({"status": "ok"})).into_response(),
        "/readyz" => readyz(&dormouse).await,
        SOCKET => next.run(request).await,
        path if path.starts_with(HOOKS) => next.run(request).await,
        // No route handles OPTIONS, so this grants nothing: a CORS preflight from a foreign page
        // learns the methods, but never gets permission.
        _ if *request.method() == Method::OPTIONS => next.run(request).await,
        EXCHANGE => match next.run(request).await {
            refused if refused.status() == StatusCode::UNAUTHORIZED => {
                auth.refuse(from, refused, &dormouse).await
            }
            response => response,
        },
        _ => {
            let Some(token) = bearer_token(request.headers()) else {
                return Problem::unauthorised().into_response();
            };
            match auth.caller(token, &dormouse).await {
                Ok(Some(caller)) => {
                    request.extensions_mut().insert(caller);
                    next.run(request).await
                }
                Ok(None) => {
                    let refused = Problem::unauthorised().into_response();
                    auth.refuse(from, refused, &dormouse).await
                }
                Err(problem) => problem.into_response(),
            }
        }
    }
}

/// The token of a request, valid or not.
fn bearer_token(headers: &HeaderMap) -> Option<&[u8]> {
    let mut given = headers.get_all(header::AUTHORIZATION).iter();
    // Of two, a proxy and this server might each believe another one.
    let (Some(given), None) = (given.next(), given.next()) else { return None };
    let (scheme, token) = given.as_bytes().split_at_checked(7)?;
    (scheme.eq_ignore_ascii_case(b"bearer ") && !token.is_empty()).then_some(token)
}

/// The client address of a request; the local address for requests within the process.
pub(crate) fn address(request: &Request) -> IpAddr {
    let from = request.extensions().get::<ConnectInfo<SocketAddr>>();
    from.map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |ConnectInfo(from)| from.ip())
}

/// Refuses a URL that contains a token, valid or not: URLs end up in histories and logs, and are
/// passed on to other servers.
pub(crate) fn refuse_secrets(uri: &Uri) -> Result<(), Problem> {
    let text = uri.path_and_query().map_or("", |text| text.as_str());
    let named = uri.query().into_iter().flat_map(|query| query.split('&')).any(|pair| {
        let name = pair.split('=').next().unwrap_or(pair);
        let name = String::from_utf8_lossy(&decoded(name)).to_lowercase();
        matches!(&*name, "token" | "access_token" | "authorization" | "bearer" | "code")
    });
    if named || holds_token(&decoded(text)) { Err(Problem::token_in_url()) } else { Ok(()) }
}

/// Whether a text contains a token.
fn holds_token(text: &[u8]) -> bool {
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    // `dm_` and 43 characters, as generated by the facade.
    text.windows(46).any(|part| part.starts_with(b"dm_") && part[3..].iter().all(is_digit))
}

/// Decodes `%XX`; malformed escapes stay as they are.
fn decoded(text: &str) -> Vec<u8> {
    let digit = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let (bytes, mut out, mut at) = (text.as_bytes(), Vec::with_capacity(text.len()), 0);
    while let Some(byte) = bytes.get(at) {
        match (byte, digit(bytes.get(at + 1)), digit(bytes.get(at + 2))) {
            (b'%', Some(high), Some(low)) => {
                out.extend(u8::try_from(high * 16 + low));
                at += 3;
            }
            (byte, _, _) => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    out
}

async fn readyz(dormouse: &Dormouse) -> Response {
    let obstacle = match dormouse.readiness().await {
        Ok(obstacle) => obstacle,
        Err(error) => Some(error.problem().title),
    };
    match obstacle {
        None => Json(json!({"ready": true})).into_response(),
        Some(reason) => {
            let body = Json(json!({"ready": false, "reason": reason}));
            (StatusCode::SERVICE_UNAVAILABLE, body).into_response()
        }
    }
}

/// Compares in constant time.
fn is_same(given: &[u8], wanted: &[u8]) -> bool {
    let differing = given.iter().zip(wanted).fold(0, |all, (a, b)| black_box(all | (a ^ b)));
    !wanted.is_empty() && given.len() == wanted.len() && differing == 0
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn token(value: &'static str) -> Option<Vec<u8>> {
        let headers =
            HeaderMap::from_iter([(header::AUTHORIZATION, HeaderValue::from_static(value))]);
        bearer_token(&headers).map(<[u8]>::to_vec)
    }

    #[test]
    fn a_token_is_shown_as_bearer_and_no_other_way() {
        for right in ["Bearer secret", "bearer secret", "BEARER secret"] {
            assert_eq!(token(right), Some(b"secret".to_vec()), "{right}");
        }
        for wrong in ["", "Bearer", "Bearer ", "Basic secret", "secret", "Bearersecret"] {
            assert_eq!(token(wrong), None, "{wrong}");
        }
        assert_eq!(bearer_token(&HeaderMap::new()), None);
    }

    #[test]
    fn of_two_tokens_none_counts() {
        let mut headers = HeaderMap::new();
        headers.append(header::AUTHORIZATION, HeaderValue::from_static("Bearer secret"));
        headers.append(header::AUTHORIZATION, HeaderValue::from_static("Bearer other"));
        assert_eq!(bearer_token(&headers), None);
    }

    #[test]
    fn the_owners_token_is_whole_or_none() {
        assert!(is_same(b"secret", b"secret"));
        for wrong in ["secre", "secrets", "Secret", ""] {
            assert!(!is_same(wrong.as_bytes(), b"secret"), "{wrong}");
        }
        assert!(!is_same(b"", b""), "an empty token is none");
    }

    #[test]
    fn an_address_with_a_token_in_it_is_refused() {
        let token = format!("dm_{}", "aB3-_".repeat(9)[..43].to_owned());
        let refused = |text: &str| refuse_secrets(&text.parse().expect("an address")).is_err();
        for wrong in [
            &format!("/api/overview?a={token}"),
            &format!("/api/tokens/{token}"),
            &format!("/?x=1&y={}", token.replace("dm_", "d%6D%5f")),
            &format!("/{token}"),
            "/api/overview?token=x",
            "/api/overview?q=1&Access%5Ftoken=x",
            "/?code=x",
        ] {
            assert!(refused(wrong), "{wrong}");
        }
        for right in [
            "/",
            "/api/overview",
            "/api/ws?ticket=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA&since=x",
            "/api/journal/tasks?q=dm_short",
            "/api/journal/tasks?q=token",
            "/%zz?%",
        ] {
            assert!(!refused(right), "{right}");
        }
    }
}
