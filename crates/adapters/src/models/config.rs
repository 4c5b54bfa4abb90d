//! What is known of a model before it is called.

use dormouse_types::port::{ModelClass, ModelLocation, Patience};
use dormouse_types::spend::Price;

use crate::http::{BaseUrl, HeaderText, Secret};

/// A model of a provider, as a person set it up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelConfig {
    /// The provider: its key in the list of models, and of its breaker.
    pub provider: String,
    /// The address of its server.
    pub base: BaseUrl,
    /// The format that the server speaks.
    pub format: WireFormat,
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
    /// How it calls tools.
    pub rung: Rung,
}

impl ModelConfig {
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
                WireFormat::ChatCompletions | WireFormat::Responses => ("authorization", "Bearer "),
                WireFormat::Anthropic => ("x-api-key", ""),
                WireFormat::Gemini => ("x-goog-api-key", ""),
            };
            headers.push((name, HeaderText::Secret { scheme, secret }));
        }
        match self.format {
            WireFormat::Anthropic => {
                let version = HeaderText::Plain("2023-06-01".to_owned());
                headers.push(("anthropic-version", version));
            }
            WireFormat::ChatCompletions | WireFormat::Responses | WireFormat::Gemini => {}
        }
        headers
    }
}

/// The format of requests and answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WireFormat {
    /// OpenAI's Chat Completions, which most local servers and many providers speak.
    ChatCompletions,
    /// OpenAI's Responses.
    Responses,
    /// Anthropic's Messages.
    Anthropic,
    /// Gemini's `streamGenerateContent`.
    Gemini,
}

impl WireFormat {
    /// Every format.
    pub const ALL: &[Self] =
        &[Self::ChatCompletions, Self::Responses, Self::Anthropic, Self::Gemini];

    /// Its name in configuration files and commands.
    pub fn name(self) -> &'static str {
        match self {
            Self::ChatCompletions => "chat-completions",
            Self::Responses => "responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }

    /// The format with a name; `None` if there is none.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|format| format.name() == name)
    }

    /// The address of the company that made the format, with its version.
    pub fn default_base_url(self) -> &'static str {
        match self {
            Self::ChatCompletions | Self::Responses => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com/v1",
            Self::Gemini => "https://generativelanguage.googleapis.com/v1beta",
        }
    }
}

/// How a model calls tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rung {
    /// The server takes tools and answers with calls.
    Native,
    /// The server takes no tools, but holds the answer to a JSON schema. Anthropic's format has no
    /// simple form of this; there the model only reads about the form.
    Schema,
    /// The server does neither; the model writes a fenced block of JSON.
    Fenced,
}

impl Rung {
    /// Every rung, the best first.
    pub const ALL: &[Self] = &[Self::Native, Self::Schema, Self::Fenced];

    /// Its name in configuration files and commands.
    pub fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Schema => "schema",
            Self::Fenced => "fenced",
        }
    }

    /// The rung with a name; `None` if there is none.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|rung| rung.name() == name)
    }
}

/// The id of a model on its server, for example `qwen3:8b` or `openai/gpt-5-nano`.
///
/// Shape: 1 to 200 visible characters, without spaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelId(String);

/// A text that cannot be the id of a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a model id has 1 to {MAX_ID} characters, without spaces and line breaks")]
pub struct ModelIdError;

const MAX_ID: usize = 200;

impl ModelId {
    /// Takes an id.
    ///
    /// Errors: it is empty, too long, or has a space or a control character.
    pub fn new(text: impl Into<String>) -> Result<Self, ModelIdError> {
        let text = text.into();
        let is_valid = (1..=MAX_ID).contains(&text.chars().count())
            && !text.chars().any(|c| c.is_whitespace() || c.is_control());
        if is_valid { Ok(Self(text)) } else { Err(ModelIdError) }
    }

    /// The id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
