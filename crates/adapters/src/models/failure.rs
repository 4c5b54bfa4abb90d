//! What an answer that is not a turn means: statuses, error objects, refusals.

use std::time::Duration;

use dormouse_types::model::{ModelError, ProviderUnavailable};
use jiff::fmt::rfc2822;
use serde_json::Value;

use super::ApiFormat;
use super::config::ModelConfig;
use crate::http::{HttpError, chain};

/// Why an answer is not a turn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// What came is not an answer in this format, or stops in the middle of one.
    #[error("{what}")]
    Malformed {
        /// What is wrong with it.
        what: String,
    },
    /// The provider is unavailable to everybody.
    #[error("{detail}")]
    Unavailable {
        /// The kind of problem.
        why: ProviderUnavailable,
        /// What to show.
        detail: String,
        /// How long the provider wants to be left alone.
        retry_after: Option<Duration>,
    },
    /// The provider refuses this one request by a status, before it answers anything.
    #[error("{detail}")]
    Rejected {
        /// What to show.
        detail: String,
    },
    /// The answer reached the limit of output tokens before it said or called anything.
    #[error(
        "the model used up its output tokens before it said or called anything: let it think less, or choose \
         another model"
    )]
    UsedUp,
    /// The provider refuses in its answer, or a limit of ours refuses that.
    #[error("{detail}")]
    Refused {
        /// What to show.
        detail: String,
    },
}

/// Units: characters. The longest message of a provider that is kept.
const MESSAGE_CHARS: usize = 500;
/// A provider that wants to be left alone for longer is taken to mean this.
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 3600);

impl WireError {
    pub(crate) fn malformed(what: impl Into<String>) -> Self {
        Self::Malformed { what: what.into() }
    }

    pub(crate) fn refused(detail: impl Into<String>) -> Self {
        Self::Refused { detail: detail.into() }
    }

    /// The same error of an answer of which something has come already. Whatever the provider says
    /// now, it has served part of the call, and nobody knows what that cost.
    pub(crate) fn of_broken_off(self) -> Self {
        match self {
            Self::Unavailable { why: _, detail, retry_after } => {
                Self::Unavailable { why: ProviderUnavailable::Outage, detail, retry_after }
            }
            Self::Malformed { .. }
            | Self::Rejected { .. }
            | Self::UsedUp
            | Self::Refused { .. } => self,
        }
    }

    /// The error of the port. The key is taken out of the text, which may come from the provider.
    pub(crate) fn into_model_error(self, config: &ModelConfig) -> ModelError {
        let hide = |text: String| match &config.key {
            Some(key) => key.hide_in(&text),
            None => text,
        };
        let provider = config.provider.clone();
        match self {
            Self::Malformed { what } => ModelError::Provider {
                provider,
                why: ProviderUnavailable::Outage,
                detail: hide(what),
                retry_after: None,
            },
            Self::Unavailable { why, detail, retry_after } => {
                ModelError::Provider { provider, why, detail: hide(detail), retry_after }
            }
            Self::Rejected { detail } => ModelError::Rejected { detail: hide(detail) },
            Self::UsedUp => ModelError::Request { detail: self.to_string() },
            Self::Refused { detail } => ModelError::Request { detail: hide(detail) },
        }
    }
}

impl From<HttpError> for WireError {
    fn from(error: HttpError) -> Self {
        let mut detail = clean(&chain(&error));
        if matches!(error, HttpError::Tls { .. }) && detail.contains(NO_TLS) {
            detail.push_str(": it seems to speak http, not https");
        }
        let why = match error {
            // The address is that of something else, until a person corrects it.
            HttpError::Redirect { .. } => ProviderUnavailable::Configuration,
            // A request is written only once connected.
            HttpError::Connect { .. } | HttpError::Tls { .. } | HttpError::HostName { .. } => {
                ProviderUnavailable::Unreachable
            }
            _ => ProviderUnavailable::Outage,
        };
        Self::Unavailable { why, detail, retry_after: None }
    }
}

/// What rustls says of bytes that are not TLS at all.
const NO_TLS: &str = "InvalidContentType";

/// A message as it may be shown: one line without control characters, cut after 500 characters.
pub(crate) fn clean(text: &str) -> String {
    let mut out = String::new();
    let mut n_chars = 0;
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        if word.is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push(' ');
            n_chars += 1;
        }
        for c in word.chars() {
            if n_chars >= MESSAGE_CHARS {
                out.push('…');
                return out;
            }
            out.push(c);
            n_chars += 1;
        }
    }
    out
}

/// The meaning of an answer whose status is not a success.
pub(crate) fn of_status(
    status: u16,
    retry_after: Option<Duration>,
    body: &[u8],
    config: &ModelConfig,
) -> WireError {
    let text = String::from_utf8_lossy(body);
    let error_body = serde_json::from_str::<Value>(&text).ok().as_ref().and_then(ErrorBody::of);
    let error_body = error_body.unwrap_or_else(|| {
        // A page for people says nothing that fits in a line.
        let is_page = text.trim_start().starts_with('<');
        let message = if is_page { String::new() } else { text.into_owned() };
        ErrorBody { message, ..ErrorBody::default() }
    });
    match error_body.judge(Some(status), retry_after, config) {
        WireError::Unavailable { why: ProviderUnavailable::Outage, detail, retry_after }
            if !GAVE_UP_WAITING.contains(&status) =>
        {
            WireError::Unavailable { why: ProviderUnavailable::ServerError, detail, retry_after }
        }
        WireError::Refused { detail } => WireError::Rejected { detail },
        other => other,
    }
}

/// Statuses by which somebody in front of a model says that it took too long: it may have run. The last
/// is Cloudflare's.
const GAVE_UP_WAITING: [u16; 3] = [408, 504, 524];

/// The meaning of an error object inside a stream, or in an answer with status 200.
pub(crate) fn of_object(error: &Value, config: &ModelConfig) -> WireError {
    let error_body = ErrorBody::of(error).unwrap_or_default();
    error_body.judge(None, None, config)
}

/// What an error object says, whatever the format.
#[derive(Debug, Default)]
struct ErrorBody {
    /// Codes, types and reasons, in lower case.
    codes: Vec<String>,
    status: Option<u16>,
    message: String,
    retry_after: Option<Duration>,
    /// Whether it is an error object, and no text or page.
    is_object: bool,
    /// Whether the provider has judged what the request says, as OpenRouter does.
    is_flagged: bool,
}

impl ErrorBody {
    /// Reads `{"error": {..}}`, `{"error": ".."}`, `[{"error": {..}}]`, or the inner object.
    fn of(value: &Value) -> Option<Self> {
        let value = value.get(0).unwrap_or(value);
        let inner = value.get("error").filter(|inner| !inner.is_null());
        let inner = match inner {
            Some(Value::String(message)) => {
                return Some(Self { message: message.clone(), ..Self::default() });
            }
            Some(inner) => inner,
            None => value,
        };
        let object = inner.as_object()?;
        let mut error_body = Self { is_object: true, ..Self::default() };
        for name in ["code", "type", "status", "error_type"] {
            match object.get(name) {
                Some(Value::String(code)) => error_body.codes.push(code.to_ascii_lowercase()),
                Some(Value::Number(code)) => {
                    let code = code.as_u64().and_then(|code| u16::try_from(code).ok());
                    error_body.status =
                        error_body.status.or(code.filter(|code| (400..600).contains(code)));
                }
                Some(_) | None => {}
            }
        }
        let message = ["message", "detail", "msg"].iter().find_map(|name| object.get(*name));
        error_body.message = match message {
            Some(Value::String(message)) => message.clone(),
            Some(other) => other.to_string(),
            None => String::new(),
        };
        // What OpenRouter passes on from the provider that it called.
        if let Some(raw) = object.get("metadata").and_then(|it| it.get("raw")?.as_str()) {
            error_body.message = format!("{}: {raw}", error_body.message);
        }
        error_body.is_flagged =
            object.get("metadata").is_some_and(|it| it.get("reasons").is_some());
        for detail in object.get("details").and_then(Value::as_array).into_iter().flatten() {
            if let Some(reason) = detail.get("reason").and_then(Value::as_str) {
                error_body.codes.push(reason.to_ascii_lowercase());
            }
            if let Some(delay) = detail.get("retryDelay").and_then(Value::as_str) {
                error_body.retry_after = seconds(delay.trim_end_matches('s'));
            }
        }
        Some(error_body)
    }

    fn judge(
        self,
        status: Option<u16>,
        retry_after: Option<Duration>,
        config: &ModelConfig,
    ) -> WireError {
        let message = clean(&self.message);
        let lower = message.to_lowercase();
        let status = status.or(self.status);
        let code = |names: &[&str]| self.codes.iter().any(|code| names.contains(&code.as_str()));
        let detail = |what: &str| match (message.is_empty(), status) {
            (false, _) => format!("{what}: {message}"),
            (true, Some(status)) => format!("{what} (status {status}, no reason given)"),
            (true, None) => format!("{what} (no reason given)"),
        };
        let unavailable = |why, what: &str| WireError::Unavailable {
            why,
            detail: detail(what),
            retry_after: retry_after.or(self.retry_after),
        };
        if is_overflow(&lower) || code(OVERFLOW_CODES) {
            return WireError::refused(detail(&format!(
                "the request is larger than the context window of {}",
                config.model.as_str()
            )));
        }
        if self.is_flagged {
            return WireError::refused(detail("the provider refused the request"));
        }
        if code(KEY_CODES) || lower.contains("api key not valid") {
            let advice = if config.key.is_none() { NO_KEY_ADVICE } else { KEY_ADVICE };
            return unavailable(ProviderUnavailable::Authentication, advice);
        }
        // Anthropic reports an empty account as a bad request.
        if matches!(status, Some(402)) || lower.contains("credit balance is too low") {
            return unavailable(ProviderUnavailable::Quota, "the account needs credit");
        }
        let is_unknown_model = code(&["model_not_found", "invalid_model", "deploymentnotfound"])
            || UNKNOWN_MODEL.iter().any(|phrase| lower.contains(phrase))
            || (matches!(status, Some(404)) || code(&["not_found_error", "not_found"]))
                && lower.contains("model");
        if is_unknown_model {
            let what = format!(
                "{} does not offer the model {}; choose one that it lists",
                config.provider,
                config.model.as_str()
            );
            return unavailable(ProviderUnavailable::Configuration, &what);
        }
        if lower.contains(UNKNOWN_ENDPOINT) {
            let what = nothing_here(config);
            return unavailable(ProviderUnavailable::Configuration, &what);
        }
        match status {
            Some(401 | 403) if config.key.is_none() => {
                unavailable(ProviderUnavailable::Authentication, NO_KEY_ADVICE)
            }
            Some(401 | 403) => unavailable(ProviderUnavailable::Authentication, KEY_ADVICE),
            Some(429) => unavailable(ProviderUnavailable::Quota, QUOTA_ADVICE),
            Some(408 | 500..) => unavailable(ProviderUnavailable::Outage, OUTAGE_ADVICE),
            _ if code(QUOTA_CODES) => unavailable(ProviderUnavailable::Quota, QUOTA_ADVICE),
            _ if code(OUTAGE_CODES) => unavailable(ProviderUnavailable::Outage, OUTAGE_ADVICE),
            // A server that answers in this form and gives a reason may mean the model as well.
            Some(404) if self.is_object && !is_plain_not_found(&lower) => {
                let what = format!(
                    "{} has nothing for {}; check the model, and the base URL {}",
                    config.provider,
                    config.model.as_str(),
                    config.base
                );
                unavailable(ProviderUnavailable::Configuration, &what)
            }
            Some(404 | 405) => {
                unavailable(ProviderUnavailable::Configuration, &nothing_here(config))
            }
            Some(_) => WireError::refused(detail("the provider refused the request")),
            None if code(REQUEST_CODES) => {
                WireError::refused(detail("the provider refused the request"))
            }
            // Nothing says whose fault it is; a fault of the provider costs the agent nothing.
            None => unavailable(ProviderUnavailable::Outage, OUTAGE_ADVICE),
        }
    }
}

/// What to do about an address at which there is nothing.
fn nothing_here(config: &ModelConfig) -> String {
    let base = &config.base;
    // Ollama, llama.cpp, vLLM and LM Studio have this format below /v1 only, or beside others.
    let hint = match config.format {
        ApiFormat::ChatCompletions | ApiFormat::Responses if base.is_origin() => {
            format!(" (perhaps {base}/v1)")
        }
        ApiFormat::ChatCompletions
        | ApiFormat::Responses
        | ApiFormat::Anthropic
        | ApiFormat::Gemini => String::new(),
    };
    format!("{} has nothing at this address; check the base URL {base}{hint}", config.provider)
}

const KEY_ADVICE: &str = "the provider does not accept the key; enter a valid one";
const NO_KEY_ADVICE: &str = "the provider wants a key, and it was sent none; set one";
const QUOTA_ADVICE: &str = "the provider's limit is reached";
const OUTAGE_ADVICE: &str = "the provider does not work at the moment";

// Sources: the error references of OpenAI, Anthropic and Google, and llama.cpp's server.
const OVERFLOW_CODES: &[&str] = &["context_length_exceeded", "exceed_context_size_error"];
const KEY_CODES: &[&str] = &[
    "invalid_api_key",
    "authentication_error",
    "permission_error",
    "unauthenticated",
    "permission_denied",
    "api_key_invalid",
];
const QUOTA_CODES: &[&str] = &[
    "insufficient_quota",
    "rate_limit_exceeded",
    "rate_limit_error",
    "billing_error",
    "billing_not_active",
    "quota_exceeded",
    "resource_exhausted",
];
/// What LM Studio says, with status 200, of a path that it does not have.
const UNKNOWN_ENDPOINT: &str = "unexpected endpoint or method";

/// Whether a reason for the status 404 says no more than the status.
fn is_plain_not_found(lower: &str) -> bool {
    matches!(lower, "" | "not found" | "resource not found" | "404 page not found")
}

/// What providers say that have no code for a model that they do not offer.
const UNKNOWN_MODEL: &[&str] = &["model not exist", "is not a valid model", "invalid model:"];
const OUTAGE_CODES: &[&str] = &[
    "overloaded_error",
    "api_error",
    "server_error",
    "internal_error",
    "internal",
    "unavailable",
    "unavailable_error",
    "timeout_error",
    "deadline_exceeded",
];
const REQUEST_CODES: &[&str] = &[
    "invalid_request_error",
    "invalid_prompt",
    "invalid_argument",
    "failed_precondition",
    "request_too_large",
    "not_found_error",
    "not_found",
    "not_supported_error",
];

/// Whether a message says that a request does not fit into the model's context window.
fn is_overflow(lower: &str) -> bool {
    let phrases = [
        "maximum context length",
        "context length exceeded",
        "exceeds the available context",
        "exceed the context window",
        "exceeds the context window",
        "exceeds the model's context",
        "prompt is too long",
        "input is too long",
        "input length and `max_tokens` exceed context",
        "exceeds the maximum number of tokens",
        "too large for model with",
        "maximum prompt length",
        "greater than the context length",
        "context size has been exceeded",
        "`inputs` tokens + `max_new_tokens` must be",
    ];
    phrases.iter().any(|phrase| lower.contains(phrase))
}

/// How long a provider wants to be left alone, by its headers.
///
/// Source: RFC 9110, section 10.2.3: seconds, or a date; a date counts from the answer's own `date`.
/// `retry-after-ms` is OpenAI's.
pub(crate) fn retry_after<'a>(header: impl Fn(&str) -> Option<&'a str>) -> Option<Duration> {
    if let Some(millis) = header("retry-after-ms").and_then(|text| text.trim().parse::<u64>().ok())
    {
        return Some(Duration::from_millis(millis).min(LONGEST_WAIT));
    }
    let text = header("retry-after")?.trim();
    if let Some(wait) = seconds(text) {
        return Some(wait);
    }
    let at = rfc2822::parse(text).ok()?.timestamp();
    let now = rfc2822::parse(header("date")?.trim()).ok()?.timestamp();
    let wait = at.duration_since(now);
    Duration::try_from(wait).ok().map(|wait| wait.min(LONGEST_WAIT))
}

fn seconds(text: &str) -> Option<Duration> {
    let seconds: f64 = text.parse().ok()?;
    // An infinite wait is taken for the longest.
    let seconds = if seconds.is_nan() { return None } else { seconds };
    let longest = LONGEST_WAIT.as_secs_f64();
    (seconds >= 0.0).then(|| Duration::from_secs_f64(seconds.min(longest)))
}
