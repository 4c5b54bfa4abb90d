//! Problems: the error responses of the API (RFC 9457).

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use dormouse_types::limits::Beyond;
use dormouse_types::problem::{ProblemFacts, ProblemKind};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

/// The media type of a problem.
pub const CONTENT_TYPE: &str = "application/problem+json";

/// A refusal with a stable type.
///
/// Shape: `{type: "/problems/<kind>", title, status, detail}` and members specific to the kind.
/// Each kind has a page in `docs/errors`.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    pub kind: ProblemKind,
    /// The HTTP status.
    pub status: u16,
    /// The kind of problem; always the same for a kind.
    pub title: String,
    /// What happened this time, and what to do.
    pub detail: String,
    /// Further members.
    pub extra: Map<String, Value>,
}

impl Problem {
    fn new(kind: ProblemKind, detail: impl Into<String>) -> Self {
        let ProblemFacts { status, title, .. } = kind.facts();
        Self { kind, status, title: title.to_owned(), detail: detail.into(), extra: Map::new() }
    }

    /// The resource does not exist.
    pub fn not_found(detail: impl Into<String>) -> Self {
        Self::new(ProblemKind::NotFound, detail)
    }

    /// The path exists, the method does not.
    pub fn method_not_allowed(detail: impl Into<String>) -> Self {
        Self::new(ProblemKind::MethodNotAllowed, detail)
    }

    /// The body is not JSON.
    pub fn malformed_json(detail: impl Into<String>) -> Self {
        Self::new(ProblemKind::MalformedJson, detail)
    }

    /// The token is missing or invalid; the response does not say which.
    pub(crate) fn unauthorised() -> Self {
        let detail = "send `Authorization: Bearer TOKEN`: `dormouse open` prints a link that signs a browser in, `dormouse token create` creates a token for a program";
        Self::new(ProblemKind::TokenMissing, detail)
    }

    /// The URL contains a token, or a parameter with the name of one.
    pub(crate) fn token_in_url() -> Self {
        let detail = "send the token as `Authorization: Bearer TOKEN`: URLs end up in histories and logs. If this was a valid token, revoke it";
        Self::new(ProblemKind::TokenInUrl, detail)
    }

    /// Too many logins from one address failed.
    pub(crate) fn too_many_logins(wait: Duration) -> Self {
        let detail = "too many logins from this address failed: wait, then try again with another \
                      token or code";
        Self::new(ProblemKind::RateLimited, detail).retry_after(wait)
    }

    /// The request names a different server.
    pub(crate) fn misdirected(names: &str) -> Self {
        let detail = format!("this server accepts only {names}: use one of these");
        Self::new(ProblemKind::MisdirectedRequest, detail)
    }

    /// A foreign page requests a change.
    pub(crate) fn origin_refused() -> Self {
        let detail = "a request that changes something must come from this server's page, or have a token and no Origin; if a proxy is in front of the server, pass its address with --public-url";
        Self::new(ProblemKind::OriginRefused, detail)
    }

    /// The media type of the body is not accepted here.
    pub(crate) fn unsupported_media_type(kinds: &[&str]) -> Self {
        let detail = format!("send the body with `Content-Type: {}`", kinds.join(" or "));
        Self::new(ProblemKind::UnsupportedMediaType, detail)
    }

    /// The URL exceeds the limit.
    pub(crate) fn url_too_long(beyond: Beyond) -> Self {
        Self::beyond(ProblemKind::UrlTooLong, beyond, "ask for less at once")
    }

    /// The headers exceed the limit.
    pub(crate) fn headers_too_large(beyond: Beyond) -> Self {
        Self::beyond(ProblemKind::HeadersTooLarge, beyond, "send fewer")
    }

    /// Too many requests; the client has to wait this long.
    pub(crate) fn rate_limited(wait: Duration) -> Self {
        let detail = "too many requests in a short time: wait, then send them again";
        Self::new(ProblemKind::RateLimited, detail).retry_after(wait)
    }

    /// The request timed out.
    pub(crate) fn timeout(patience: Duration) -> Self {
        let seconds = patience.as_secs();
        let detail = format!(
            "there was no answer within {seconds} s, so the request was abandoned; a change may or may not have been made: check, or send it again with the same Idempotency-Key"
        );
        Self::new(ProblemKind::Timeout, detail).retry_after(Duration::from_secs(1))
    }

    /// Adds when to retry, in whole seconds, to the body and as the header `Retry-After`.
    pub(crate) fn retry_after(mut self, wait: Duration) -> Self {
        let seconds = wait.as_millis().div_ceil(1000).max(1);
        self.extra.insert("retryAfter".into(), json!(u64::try_from(seconds).unwrap_or(u64::MAX)));
        self.extra.insert("retry".into(), json!("later"));
        self
    }

    /// The body exceeds the limit.
    pub fn payload_too_large(beyond: Beyond) -> Self {
        let mut problem =
            Self::beyond(ProblemKind::PayloadTooLarge, beyond, "send less, or in several parts");
        // A body is read only up to its limit, so its actual size is not always known.
        problem.extra.remove("actual");
        problem
    }

    /// The structure of a JSON body exceeds a limit.
    pub(crate) fn shapeless(beyond: Beyond) -> Self {
        Self::beyond(ProblemKind::MalformedJson, beyond, "send a simpler body")
    }

    fn beyond(kind: ProblemKind, beyond: Beyond, instead: &str) -> Self {
        let limit = beyond.limit;
        let mut problem = Self::new(kind, format!("{beyond}: {instead}"));
        problem.extra.insert("limit".into(), json!(limit.max));
        problem.extra.insert("actual".into(), json!(beyond.actual));
        problem.extra.insert("unit".into(), json!(limit.unit));
        problem
    }

    /// One value is not acceptable.
    ///
    /// Shape: `errors[].pointer` is a JSON pointer into the body, or `?name` of a query parameter,
    /// or the name of a header.
    pub fn invalid(pointer: &str, message: impl Into<String>) -> Self {
        Self::all_invalid(vec![Invalid { pointer: pointer.to_owned(), message: message.into() }])
    }

    /// Several values are not acceptable; all are listed, so that the client can fix them at once.
    pub fn all_invalid(values: Vec<Invalid>) -> Self {
        let detail = values.iter().map(|value| value.message.as_str()).collect::<Vec<_>>();
        let mut problem = Self::new(ProblemKind::ValidationFailed, detail.join("; "));
        let errors = values.into_iter().map(
            |v| json!({"pointer": v.pointer, "code": ProblemKind::ValidationFailed, "message": v.message}),
        );
        problem.extra.insert("errors".into(), errors.collect());
        problem
    }

    /// The body as a JSON value.
    pub fn to_json(&self) -> Value {
        let mut body = Map::new();
        body.insert("type".into(), json!(self.kind.address()));
        body.insert("title".into(), json!(self.title));
        body.insert("status".into(), json!(self.status));
        body.insert("detail".into(), json!(self.detail));
        for (key, value) in &self.extra {
            body.entry(key.clone()).or_insert_with(|| value.clone());
        }
        Value::Object(body)
    }
}

impl Serialize for Problem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

/// A value that is not acceptable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    /// Its place in the request.
    pub pointer: String,
    /// What is wrong, and what would be right.
    pub message: String,
}

impl From<dormouse::Error> for Problem {
    fn from(error: dormouse::Error) -> Self {
        let problem = error.problem();
        let mut extra = problem.extra;
        extra.entry("retry").or_insert_with(|| json!(problem.retry));
        Self {
            kind: problem.kind,
            status: problem.status,
            title: problem.title,
            detail: problem.detail,
            extra,
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(self.to_json().to_string()));
        *response.status_mut() =
            StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(CONTENT_TYPE));
        if self.status == 401 {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(seconds) = self.extra.get("retryAfter").and_then(Value::as_u64) {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_names_its_type_and_every_invalid_value() {
        let problem = Problem::all_invalid(vec![
            Invalid { pointer: "/status".into(), message: "unknown status `X`".into() },
            Invalid { pointer: "/dueOn".into(), message: "no such day".into() },
        ]);
        assert_eq!(
            problem.to_json(),
            json!({
                "type": "/problems/validation-failed",
                "title": "Invalid value",
                "status": 422,
                "detail": "unknown status `X`; no such day",
                "errors": [
                    {"pointer": "/status", "code": "validation-failed", "message": "unknown status `X`"},
                    {"pointer": "/dueOn", "code": "validation-failed", "message": "no such day"},
                ],
            })
        );
    }

    #[test]
    fn members_of_a_type_never_replace_the_four_standard_ones() {
        let mut problem = Problem::not_found("no task");
        problem.extra.insert("status".into(), json!(200));
        assert_eq!(problem.to_json()["status"], 404);
    }
}
