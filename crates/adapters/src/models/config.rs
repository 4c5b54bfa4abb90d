//! What is known of a model before it is called.

use dormouse_types::model_settings::{ApiFormat, ForcedCall, OutputLimit, ToolMode};
use dormouse_types::port::{ModelClass, ModelLocation, Patience};
use dormouse_types::spend::Price;

use crate::http::{BaseUrl, HeaderText, Secret, Target};

/// A model of a provider, as a person set it up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelConfig {
    /// The provider: its key in the list of models, and of its breaker.
    pub provider: String,
    /// The address of its server.
    pub base: BaseUrl,
    /// The format that the server speaks.
    pub format: ApiFormat,
    /// The model, as the server names it.
    pub model: ModelId,
    /// The key; many local servers need none.
    pub key: Option<Secret>,
    /// Units: tokens. How much it reads and writes in one turn; `None` if nobody knows.
    pub window: Option<u64>,
    /// Units: tokens. The longest answer.
    pub max_output_tokens: u32,
    /// Where what is sent ends up.
    pub location: ModelLocation,
    /// Whether calls cost money.
    pub class: ModelClass,
    /// What calls cost; `None` if nobody knows, or they are free.
    pub price: Option<Price>,
    /// How it calls tools. Anthropic's format has no simple form of a schema that holds the answer; there the model
    /// only reads about the form.
    pub rung: ToolMode,
    /// The member that limits its answers in Chat Completions; `None` means the usual one of its server.
    pub output_limit: Option<OutputLimit>,
    /// What its server takes where a call is forced; `None` means the usual choice of its format.
    pub forced_call: Option<ForcedCall>,
}

impl ModelConfig {
    /// The address of a request.
    ///
    /// Anthropic's own clients take an address without its version, and others take it with one: both are the same
    /// server.
    pub(crate) fn target(&self, path: &str) -> Target {
        match self.format {
            ApiFormat::Anthropic if !self.base.ends_with_version() => {
                self.base.join(&format!("/v1{path}"))
            }
            ApiFormat::Anthropic
            | ApiFormat::ChatCompletions
            | ApiFormat::Responses
            | ApiFormat::Gemini => self.base.join(path),
        }
    }

    /// Time limits by the place of the server: one's own may be slow.
    pub fn patience(&self) -> Patience {
        match self.location {
            ModelLocation::OwnServer => Patience::local(),
            ModelLocation::BuiltIn | ModelLocation::Elsewhere => Patience::default(),
        }
    }

    /// The headers of every request to this provider.
    pub(crate) fn headers(&self) -> Vec<(&'static str, HeaderText)> {
        // Some providers refuse requests that do not say what sends them.
        let mut headers = vec![("user-agent", HeaderText::Plain("dormouse".to_owned()))];
        if let Some(secret) = self.key.clone() {
            let (name, scheme) = match self.format {
                ApiFormat::ChatCompletions | ApiFormat::Responses => ("authorization", "Bearer "),
                ApiFormat::Anthropic => ("x-api-key", ""),
                ApiFormat::Gemini => ("x-goog-api-key", ""),
            };
            headers.push((name, HeaderText::Secret { scheme, secret }));
        }
        match self.format {
            ApiFormat::Anthropic => {
                let version = HeaderText::Plain("2023-06-01".to_owned());
                headers.push(("anthropic-version", version));
            }
            ApiFormat::ChatCompletions | ApiFormat::Responses | ApiFormat::Gemini => {}
        }
        headers
    }
}

/// The address of the company that made a format, with its version.
pub fn default_base_url(format: ApiFormat) -> &'static str {
    match format {
        ApiFormat::ChatCompletions | ApiFormat::Responses => "https://api.openai.com/v1",
        ApiFormat::Anthropic => "https://api.anthropic.com/v1",
        ApiFormat::Gemini => "https://generativelanguage.googleapis.com/v1beta",
    }
}

/// The id of a model on its server, for example `qwen3:8b` or `openai/gpt-5-nano`.
///
/// Shape: 1 to 200 characters in one line, with spaces only between others, as in the name of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelId(String);

/// A text that cannot be the id of a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a model id has 1 to {MAX_ID} characters in one line, without spaces at its ends")]
pub struct ModelIdError;

const MAX_ID: usize = 200;

impl ModelId {
    /// Takes an id.
    ///
    /// Errors: it is empty, too long, or has a control character, a space at an end, or another space than the plain
    /// one.
    pub fn new(text: impl Into<String>) -> Result<Self, ModelIdError> {
        let text = text.into();
        let is_valid = (1..=MAX_ID).contains(&text.chars().count())
            && text.trim() == text
            && !text.chars().any(|c| (c.is_whitespace() && c != ' ') || c.is_control());
        if is_valid { Ok(Self(text)) } else { Err(ModelIdError) }
    }

    /// The id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
