//! Hardening around the routes of a listener: which requests are processed, their limits, and the
//! security headers of every response.
//!
//! In this order: `Host` and `Origin`, the size of the head, the page or authentication (the
//! token), the media type of the body, the rate limit, the timeout.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Uri, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use dormouse_types::limits::{
    HEADERS, LOCAL_FIRST_SECONDS, MODEL_LIST_SECONDS, READ_SECONDS, TRANSFER_SECONDS, URL,
    WRITE_SECONDS,
};
use dormouse_types::port::Clock;
use dormouse_types::{Actor, Caller};
use futures_util::{StreamExt as _, stream};
use tokio::time::{Instant, timeout, timeout_at};

use crate::auth::{HOOKS, address, refuse_secrets};
use crate::origin::{AllowedHosts, Foreign, is_safe};
use crate::rate::Buckets;
use crate::{Problem, page};

/// The security headers of every response: what the page may load (nothing from other origins, and
/// only scripts from the binary), who may embed it (no page), and which browser features it may use
/// (none).
///
/// The policies for HTML are the app's own, Svelte's and DOMPurify's, by their names.
/// Source: Content Security Policy Level 3, Trusted Types; OWASP ASVS 5.0, 3.4.
const TO_BROWSERS: &[(&str, &str)] = &[
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
         font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; \
         object-src 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
         trusted-types dormouse dompurify svelte-trusted-html 'allow-duplicates'",
    ),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    (
        "permissions-policy",
        "accelerometer=(), autoplay=(), browsing-topics=(), camera=(), clipboard-read=(), \
         display-capture=(), encrypted-media=(), fullscreen=(), geolocation=(), gyroscope=(), \
         hid=(), idle-detection=(), local-fonts=(), magnetometer=(), microphone=(), midi=(), \
         payment=(), picture-in-picture=(), publickey-credentials-get=(), \
         screen-wake-lock=(), serial=(), usb=(), xr-spatial-tracking=()",
    ),
];

/// Paths whose bodies are not JSON, with the media types they accept. A test compares this with the
/// API document.
const OTHER_BODIES: &[(&str, &[&str])] = &[
    ("/api/imports", &["text/markdown", "application/vnd.dormouse.import+json"]),
    ("/api/imports/text", &["application/octet-stream"]),
];
/// Paths whose responses take time in proportion to the data.
const TRANSFERS: &[&str] =
    &["/api/imports", "/api/imports/text", "/api/export", "/api/export/losses"];

/// The checks of a listener.
#[derive(Clone)]
pub struct Hardening {
    ours: Arc<AllowedHosts>,
    clock: Arc<dyn Clock>,
    buckets: Arc<Mutex<Buckets<Sender>>>,
}

impl Hardening {
    /// Accepts these hostnames. The rate limit uses this clock.
    pub fn new(ours: AllowedHosts, clock: Arc<dyn Clock>) -> Self {
        Self { ours: Arc::new(ours), clock, buckets: Arc::default() }
    }

    pub(crate) fn clock(&self) -> Arc<dyn Clock> {
        self.clock.clone()
    }

    /// The checks before authentication, around the whole router and the page.
    pub(crate) fn before_authentication(&self, router: Router) -> Router {
        router.layer(from_fn_with_state(self.clone(), check_request))
    }

    /// The checks after authentication, when the caller is known.
    pub(crate) fn after_authentication(&self, router: Router) -> Router {
        router.layer(from_fn_with_state(self.clone(), check_caller))
    }

    fn judge(&self, request: &Request) -> Result<(), Problem> {
        let is_signed = request.uri().path().starts_with(HOOKS);
        let judged = self.ours.judge(request.method(), request.headers(), is_signed);
        judged.map_err(|foreign| match foreign {
            Foreign::Host => Problem::misdirected(&self.ours.names()),
            Foreign::Origin => Problem::origin_refused(),
        })?;
        URL.check(url_size(request.uri())).map_err(Problem::url_too_long)?;
        refuse_secrets(request.uri())?;
        HEADERS.check(headers_size(request.headers())).map_err(Problem::headers_too_large)
    }

    fn take(&self, caller: Option<&Caller>) -> Result<(), Problem> {
        // The owner's token is not limited: its holder has the folder anyway, and an import by a
        // command sends many requests. A request without a token is an exchange, which
        // authentication counts itself.
        let Some(Actor::Token(id)) = caller.map(|caller| &caller.actor) else { return Ok(()) };
        self.take_one(Sender::Token(id.clone()))
    }

    /// A call of a hook needs no token. An address that calls many hooks, or some that do not exist, has
    /// one bucket for all of them.
    fn take_call(&self, request: &Request) -> Result<(), Problem> {
        let Some(hook) = request.uri().path().strip_prefix(HOOKS) else { return Ok(()) };
        self.take_one(Sender::Caller(address(request)))?;
        self.take_one(Sender::Hook(hook.to_owned()))
    }

    fn take_one(&self, sender: Sender) -> Result<(), Problem> {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        buckets.take(sender, self.clock.now()).map_err(Problem::rate_limited)
    }
}

/// What a bucket belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Sender {
    /// A token, by its id.
    Token(String),
    /// A hook, by its path.
    Hook(String),
    /// An address from which hooks are called, whichever they are.
    Caller(IpAddr),
}

async fn check_request(
    State(hardening): State<Hardening>,
    request: Request,
    next: Next,
) -> Response {
    let path = request.uri().path();
    let mut response = match hardening.judge(&request) {
        Err(problem) => problem.into_response(),
        Ok(()) if page::has(path) => page::answer(request.method(), path, request.headers()),
        Ok(()) => next.run(request).await,
    };
    let headers = response.headers_mut();
    for (name, value) in TO_BROWSERS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

async fn check_caller(
    State(hardening): State<Hardening>,
    request: Request,
    next: Next,
) -> Response {
    let allowed = kind(request.method(), request.uri().path(), request.headers())
        .and_then(|()| hardening.take(request.extensions().get()))
        .and_then(|()| hardening.take_call(&request));
    if let Err(problem) = allowed {
        return problem.into_response();
    }
    let is_transfer = TRANSFERS.contains(&request.uri().path());
    let patience = time_limit(request.method(), request.uri().path());
    let ends = Instant::now() + patience;
    match timeout(patience, next.run(request)).await {
        Err(_elapsed) => Problem::timeout(patience).into_response(),
        Ok(response) if is_transfer => response.map(|body| with_deadline(body, ends)),
        Ok(response) => response,
    }
}

/// The timeout of a request. One that waits for the server of a model has the time of that server, and
/// that of a request to say how it ended.
fn time_limit(method: &Method, path: &str) -> Duration {
    Duration::from_secs(match path {
        _ if TRANSFERS.contains(&path) => TRANSFER_SECONDS,
        "/api/models/test" => LOCAL_FIRST_SECONDS + MODEL_LIST_SECONDS + WRITE_SECONDS,
        _ if path.starts_with("/api/models/providers/") && path.ends_with("/offered") => {
            MODEL_LIST_SECONDS + READ_SECONDS
        }
        _ if is_safe(method) => READ_SECONDS,
        _ => WRITE_SECONDS,
    })
}

/// A body that is cut off at a deadline.
fn with_deadline(body: Body, ends: Instant) -> Body {
    let data = stream::unfold(Some(body.into_data_stream()), move |data| async move {
        let mut data = data?;
        match timeout_at(ends, data.next()).await {
            Ok(chunk) => chunk.map(|chunk| (chunk, Some(data))),
            Err(elapsed) => Some((Err(axum::Error::new(elapsed)), None)),
        }
    });
    Body::from_stream(data)
}

/// Checks that a body has a media type that a form in a foreign page cannot send.
fn kind(method: &Method, path: &str, headers: &HeaderMap) -> Result<(), Problem> {
    let none = HeaderValue::from_static("0");
    let has_body = headers.contains_key(header::TRANSFER_ENCODING)
        || *headers.get(header::CONTENT_LENGTH).unwrap_or(&none) != none;
    // The program that calls a hook chooses the kind of its body; a form in a foreign page signs nothing.
    if is_safe(method) || !has_body || path.starts_with(HOOKS) {
        return Ok(());
    }
    let others = OTHER_BODIES.iter().find(|(other, _)| *other == path).map(|(_, kinds)| *kinds);
    let kinds = others.unwrap_or(&["application/json"]);
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = given.and_then(|given| given.split(';').next()).unwrap_or_default().trim();
    if kinds.iter().any(|kind| essence.eq_ignore_ascii_case(kind)) {
        Ok(())
    } else {
        Err(Problem::unsupported_media_type(kinds))
    }
}

fn url_size(uri: &Uri) -> usize {
    uri.path_and_query().map_or(0, |address| address.as_str().len())
}

fn headers_size(headers: &HeaderMap) -> usize {
    headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum()
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::future::pending;

    use axum::Extension;
    use axum::http::StatusCode;
    use dormouse_types::limits::REQUESTS_AT_ONCE;
    use dormouse_types::port::BoxFuture;
    use dormouse_types::{Timestamp, WorkspaceId};
    use http_body_util::BodyExt as _;
    use tower::ServiceExt as _;

    use super::*;

    struct Still;

    impl Clock for Still {
        fn now(&self) -> Timestamp {
            Timestamp::from_micros(1_772_442_000_000_000)
        }

        fn sleep_until(&self, _at: Timestamp) -> BoxFuture<'static, ()> {
            Box::pin(std::future::ready(()))
        }
    }

    fn hardening() -> Hardening {
        Hardening::new(AllowedHosts::new(7330, None), Arc::new(Still))
    }

    fn caller(actor: Actor) -> Caller {
        Caller { actor, ..Caller::owner(WorkspaceId(1)) }
    }

    fn request(method: &Method, uri: &str) -> Request {
        let request = Request::builder().method(method).uri(uri).header("host", "localhost:7330");
        request.body(Body::empty()).expect("a request")
    }

    async fn ask(router: &Router, request: Request) -> Response {
        match router.clone().oneshot(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        }
    }

    #[tokio::test]
    async fn a_token_that_asks_too_much_waits_and_no_other_does() {
        let routes = hardening().after_authentication(Router::new().fallback(async || "done"));
        let of = |actor| routes.clone().layer(Extension(caller(actor)));
        let (one, other) = (of(Actor::Token("one".into())), of(Actor::Token("two".into())));
        let get = || request(&Method::GET, "/api/overview");
        for _ in 0..REQUESTS_AT_ONCE {
            assert_eq!(ask(&one, get()).await.status(), StatusCode::OK);
        }
        let refused = ask(&one, get()).await;
        assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(refused.headers()[header::RETRY_AFTER], "1");
        assert_eq!(ask(&other, get()).await.status(), StatusCode::OK);
        let owner = of(Actor::Owner);
        for _ in 0..=REQUESTS_AT_ONCE {
            assert_eq!(ask(&owner, get()).await.status(), StatusCode::OK);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_without_an_answer_is_given_up_in_its_time() {
        let routes = hardening().after_authentication(Router::new().fallback(pending::<&str>));
        for (method, path, seconds) in [
            (Method::GET, "/api/overview", 10),
            (Method::POST, "/api/journal/tasks", 30),
            (Method::DELETE, "/api/journal/tasks/x", 30),
            (Method::POST, "/api/imports", 600),
            (Method::POST, "/api/imports/text", 600),
            (Method::GET, "/api/export", 600),
            (Method::POST, "/api/models/test", 480 + 30 + 30),
            (Method::GET, "/api/models/providers/home/offered", 30 + 10),
            (Method::DELETE, "/api/models/providers/home", 30),
        ] {
            let begun = Instant::now();
            let response = ask(&routes, request(&method, path)).await;
            assert_eq!(begun.elapsed().as_secs(), seconds, "{method} {path}");
            assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
            assert_eq!(response.headers()[header::RETRY_AFTER], "1");
            let body = response.into_body().collect().await.expect("a problem is whole").to_bytes();
            let body: serde_json::Value = serde_json::from_slice(&body).expect("JSON");
            assert_eq!(body["type"], "/problems/timeout");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_export_that_never_ends_breaks_off() {
        let endless = async || {
            let first = stream::iter([Ok::<_, Infallible>("first")]);
            Body::from_stream(first.chain(stream::pending()))
        };
        let routes = hardening().after_authentication(Router::new().fallback(endless));
        let begun = Instant::now();
        let response = ask(&routes, request(&Method::GET, "/api/export")).await;
        let mut data = response.into_body().into_data_stream();
        assert_eq!(data.next().await.and_then(Result::ok).as_deref(), Some(&b"first"[..]));
        let broken = timeout(Duration::from_secs(3600), data.next()).await;
        assert!(broken.is_ok_and(|chunk| chunk.is_some_and(|chunk| chunk.is_err())));
        assert_eq!(begun.elapsed().as_secs(), 600);
        assert!(data.next().await.is_none());
        let whole = with_deadline(Body::from("all"), Instant::now() + Duration::from_secs(600));
        assert_eq!(whole.collect().await.expect("it is whole").to_bytes(), "all");
    }

    #[test]
    fn a_body_is_of_the_kind_that_its_address_reads() {
        let sent = |path: &str, headers: &[(&'static str, &'static str)]| {
            let headers = headers.iter().map(|(name, value)| {
                (HeaderName::from_static(name), HeaderValue::from_static(value))
            });
            kind(&Method::POST, path, &headers.collect()).is_ok()
        };
        let of = |kind| ("content-type", kind);
        assert!(sent("/api/x", &[]) && sent("/api/x", &[("content-length", "0")]), "no body");
        for body in [("content-length", "2"), ("transfer-encoding", "chunked")] {
            assert!(!sent("/api/x", &[body]));
            for right in ["application/json", "Application/JSON; charset=utf-8"] {
                assert!(sent("/api/x", &[body, of(right)]), "{right}");
                assert!(!sent("/api/imports", &[body, of(right)]), "{right}");
            }
            assert!(sent("/api/imports", &[body, of("text/markdown")]));
            assert!(sent("/api/hooks/x", &[body, of("application/x-www-form-urlencoded")]));
            assert!(sent("/api/hooks/x", &[body]));
            for wrong in ["text/plain", "application/json-seq", "text/plain; application/json"] {
                assert!(!sent("/api/x", &[body, of(wrong)]), "{wrong}");
            }
        }
    }
}
