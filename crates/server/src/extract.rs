//! Extractors for handlers; every error becomes a problem.

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, FromRequestParts, Path, Query as AxumQuery, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Uri};
use dormouse_types::Id;
use dormouse_types::id::IdError;
use dormouse_types::limits::{BODY, Beyond, IDEMPOTENCY_KEY, Limit};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};

use crate::{Problem, json_limits};

/// A JSON body.
pub(crate) struct Json<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _state: &S) -> Result<Self, Problem> {
        let bytes = collect(request.into_body(), BODY).await?;
        // A request without a body counts as one without any values.
        let text: &[u8] = if bytes.is_empty() { b"{}" } else { &bytes };
        json_limits::check(text).map_err(Problem::shapeless)?;
        if holds_nul(text) {
            let detail = "a text contains the character U+0000, which is not allowed: remove it";
            return Err(Problem::invalid("", detail));
        }
        parsed(text).map(Self)
    }
}

/// Parses a JSON text whose size was checked.
pub(crate) fn parsed<T: DeserializeOwned>(text: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(text).map_err(|e| refused(&e))
}

/// Whether a string in a JSON text contains U+0000, which not every database can store.
pub(crate) fn holds_nul(text: &[u8]) -> bool {
    fn holds(value: &serde_json::Value) -> bool {
        match value {
            serde_json::Value::String(text) => text.contains('\0'),
            serde_json::Value::Array(items) => items.iter().any(holds),
            serde_json::Value::Object(members) => {
                members.iter().any(|(key, value)| key.contains('\0') || holds(value))
            }
            serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_) => {
                false
            }
        }
    }
    // Only an escape can produce it; the same letters after another backslash are plain text.
    text.windows(6).any(|six| six == b"\\u0000")
        && serde_json::from_slice(text).is_ok_and(|value| holds(&value))
}

fn refused(error: &serde_json::Error) -> Problem {
    match error.classify() {
        serde_json::error::Category::Data => {
            Problem::invalid("", format!("the body does not match: {error}"))
        }
        serde_json::error::Category::Io
        | serde_json::error::Category::Syntax
        | serde_json::error::Category::Eof => {
            Problem::malformed_json(format!("the body is not valid JSON: {error}"))
        }
    }
}

/// Reads a body up to a limit.
pub(crate) async fn collect(body: Body, limit: Limit) -> Result<Bytes, Problem> {
    // An announced length is reported as it is; a body without one is read up to the limit.
    let announced =
        axum::body::HttpBody::size_hint(&body).exact().and_then(|n| usize::try_from(n).ok());
    let beyond = announced.unwrap_or(0).max(limit.max + 1);
    match Limited::new(body, limit.max).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => {
            Err(Problem::payload_too_large(Beyond { limit, actual: beyond }))
        }
        Err(error) => Err(Problem::malformed_json(format!("the body was cut off: {error}"))),
    }
}

/// The query parameters.
pub(crate) struct Query<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        if parts.uri.query().is_some_and(|query| query.contains("%00")) {
            let detail = "a value contains the character U+0000, which is not allowed: remove it";
            return Err(Problem::invalid("?", detail));
        }
        match AxumQuery::<T>::from_request_parts(parts, state).await {
            Ok(AxumQuery(query)) => Ok(Self(query)),
            Err(error) => Err(Problem::invalid("?", error.body_text())),
        }
    }
}

/// Parameters, some of which may be repeated.
pub(crate) trait Lists {
    /// Their names.
    const LISTS: &'static [&'static str];
}

/// Query parameters, some of which may be repeated; [`Many`] names these.
pub(crate) struct Listing<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned + Lists> FromRequestParts<S> for Listing<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        parts.uri = joined(&parts.uri, T::LISTS)?;
        Query::from_request_parts(parts, state).await.map(|Query(query)| Self(query))
    }
}

/// The same URL with each of these parameters once, its values separated by commas.
fn joined(uri: &Uri, lists: &[&str]) -> Result<Uri, Problem> {
    let pairs = AxumQuery::<Vec<(String, String)>>::try_from_uri(uri);
    let AxumQuery(pairs) = pairs.map_err(|error| Problem::invalid("?", error.body_text()))?;
    let mut all: Vec<(String, String)> = Vec::new();
    for (name, value) in pairs {
        let before = all.iter_mut().find(|(known, _)| *known == name);
        match before.filter(|_| lists.contains(&name.as_str())) {
            Some((_, values)) => *values = format!("{values},{value}"),
            None => all.push((name, value)),
        }
    }
    let mut text = format!("{}?", uri.path());
    for (n, (name, value)) in all.iter().enumerate() {
        let and = if n == 0 { "" } else { "&" };
        text.push_str(&format!("{and}{}={}", encoded(name), encoded(value)));
    }
    text.parse().map_err(|_| Problem::invalid("?", "these parameters cannot be parsed"))
}

fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
                encoded.push(char::from(byte));
            }
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

/// Comma-separated values.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Many(pub(crate) Vec<String>);

impl<'de> Deserialize<'de> for Many {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let values = text.split(',').map(str::trim).filter(|value| !value.is_empty());
        Ok(Self(values.map(ToOwned::to_owned).collect()))
    }
}

/// The variable parts of a path, not parsed yet.
pub(crate) struct At<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for At<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        match Path::<T>::from_request_parts(parts, state).await {
            Ok(Path(at)) => Ok(Self(at)),
            Err(error) => Err(Problem::not_found(error.body_text())),
        }
    }
}

/// Parses an id in a path. A malformed id is reported as not found.
pub(crate) fn id<I: Id>(text: &str) -> Result<I, Problem> {
    I::from_str(text).map_err(|e: IdError| Problem::not_found(e.to_string()))
}

/// The `Idempotency-Key`, if one is sent.
pub(crate) struct Key(pub(crate) Option<String>);

impl Key {
    /// The header.
    pub(crate) const NAME: &str = "Idempotency-Key";
}

impl<S: Send + Sync> FromRequestParts<S> for Key {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        let Some(value) = parts.headers.get(Self::NAME) else { return Ok(Self(None)) };
        let text = value.to_str().unwrap_or_default();
        if text.is_empty() || text.len() > IDEMPOTENCY_KEY.max {
            let max = IDEMPOTENCY_KEY.max;
            let wanted = format!("Idempotency-Key must have 1 to {max} visible ASCII characters");
            return Err(Problem::invalid(Self::NAME, wanted));
        }
        Ok(Self(Some(text.to_owned())))
    }
}

/// The revision in `If-Match`, if one is demanded.
pub(crate) struct IfMatch(pub(crate) Option<i64>);

impl IfMatch {
    /// The header.
    pub(crate) const NAME: &str = "If-Match";
}

impl<S: Send + Sync> FromRequestParts<S> for IfMatch {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        revision(&parts.headers).map(Self)
    }
}

fn revision(headers: &HeaderMap) -> Result<Option<i64>, Problem> {
    let Some(value) = headers.get(IfMatch::NAME) else { return Ok(None) };
    let text = value.to_str().unwrap_or_default().trim();
    if text == "*" {
        return Ok(None);
    }
    let number = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(text);
    number
        .parse()
        .map(Some)
        .map_err(|_| Problem::invalid(IfMatch::NAME, "If-Match must be an ETag, such as \"7\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn if_match(value: &'static str) -> Result<Option<i64>, Problem> {
        revision(&HeaderMap::from_iter([(
            axum::http::header::IF_MATCH,
            axum::http::HeaderValue::from_static(value),
        )]))
    }

    #[test]
    fn what_is_given_more_than_once_is_a_list_and_nothing_else_is() {
        let shown = |query: &str| {
            let uri: Uri = format!("/p?{query}").parse().expect("an address");
            joined(&uri, &["s"]).map(|uri| uri.query().unwrap_or_default().to_owned())
        };
        assert_eq!(shown("s=a&q=x&s=b%20c"), Ok("s=a%2Cb%20c&q=x".into()));
        assert_eq!(shown("q=a&q=b"), Ok("q=a&q=b".into()));
        assert_eq!(shown(""), Ok(String::new()));
        let many = |text: &str| serde_json::from_value::<Many>(text.into()).expect("a text").0;
        assert_eq!(many("a, b,,c"), ["a", "b", "c"]);
        assert_eq!(many(""), [""; 0]);
    }

    #[test]
    fn an_etag_is_a_quoted_revision() {
        assert_eq!(if_match("\"7\""), Ok(Some(7)));
        assert_eq!(if_match("7"), Ok(Some(7)));
        assert_eq!(if_match("*"), Ok(None));
        assert_eq!(revision(&HeaderMap::new()), Ok(None));
        assert_eq!(if_match("W/\"x\"").map_err(|problem| problem.status), Err(422));
    }
}
