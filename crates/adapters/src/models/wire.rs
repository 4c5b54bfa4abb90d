//! One pair of functions for the four formats: the request that is sent, and what an answer says.

use dormouse_types::model::{Request, TurnEvent, Usage};
use serde_json::Value;

use super::assembly::TurnContext;
use super::config::ModelConfig;
use super::conversation::Conversation;
use super::failure::WireError;
use super::input::Input;
use super::rungs::{self, TextRung};
use super::state::Writer;
use super::{ApiFormat, ToolMode};
use super::{anthropic, chat_completions, gemini, responses};
use crate::http::{HeaderText, HttpRequest, Method, path_segment};

/// The HTTP request for a request to a model. The same request gives the same bytes.
pub fn http_request(request: &Request, config: &ModelConfig) -> HttpRequest {
    let conversation = Conversation::of(request, config);
    let (path, body) = match config.format {
        ApiFormat::ChatCompletions => {
            (chat_completions::PATH.to_owned(), chat_completions::body(&conversation, config))
        }
        ApiFormat::Responses => {
            (responses::PATH.to_owned(), responses::body(&conversation, config))
        }
        ApiFormat::Anthropic => {
            (anthropic::PATH.to_owned(), anthropic::body(&conversation, config))
        }
        ApiFormat::Gemini => {
            let model = config.model.as_str();
            let model = path_segment(model.strip_prefix("models/").unwrap_or(model));
            let path = format!("/models/{model}:streamGenerateContent?alt=sse");
            (path, gemini::body(&conversation, config))
        }
    };
    let plain = |text: &str| HeaderText::Plain(text.to_owned());
    let mut headers = vec![
        ("content-type", plain("application/json")),
        ("accept", plain("text/event-stream, application/json")),
    ];
    headers.extend(config.headers());
    HttpRequest { method: Method::Post, target: config.target(&path), headers, body }
}

/// Which tools a request says that may or must be called, in the words of its format; `None` if it offers none.
pub(crate) fn tool_choice(request: &Request, config: &ModelConfig) -> Option<Value> {
    let body: Value = serde_json::from_str(&http_request(request, config).body).ok()?;
    body.get("tool_choice").or_else(|| body.get("toolConfig")).cloned()
}

/// Reads one answer, as a stream or in one piece.
#[derive(Debug)]
pub struct Decoder {
    config: ModelConfig,
    context: TurnContext,
    format: FormatDecoder,
    text: Option<TextRung>,
    /// Whether the answer came in one piece.
    is_whole: bool,
}

#[derive(Debug)]
enum FormatDecoder {
    ChatCompletions(chat_completions::Decoder),
    Responses(responses::Decoder),
    Anthropic(anthropic::Decoder),
    Gemini(gemini::Decoder),
}

impl Decoder {
    /// For the answer to a request.
    pub fn new(request: &Request, config: &ModelConfig) -> Self {
        Self {
            config: config.clone(),
            context: TurnContext {
                provider: config.provider.clone(),
                writer: Writer::of(config),
                turn: request.turn,
                offered: request.tools.iter().map(|tool| tool.name.clone()).collect(),
                rung: config.rung,
            },
            format: match config.format {
                ApiFormat::ChatCompletions => FormatDecoder::ChatCompletions(Default::default()),
                ApiFormat::Responses => FormatDecoder::Responses(Default::default()),
                ApiFormat::Anthropic => FormatDecoder::Anthropic(Default::default()),
                ApiFormat::Gemini => FormatDecoder::Gemini(Default::default()),
            },
            text: match config.rung {
                ToolMode::Native => None,
                ToolMode::Schema | ToolMode::Text => Some(rungs::TextRung::new(request.turn)),
            },
            is_whole: false,
        }
    }

    /// Takes the next part of the answer; returns what it adds to the turn. After
    /// [`TurnEvent::End`] nothing more may be given to it.
    ///
    /// Errors: the answer is an error, is not in the format, or is beyond a limit.
    pub fn step(&mut self, input: Input<'_>) -> Result<Vec<TurnEvent>, WireError> {
        self.is_whole |= matches!(input, Input::Whole(_));
        let (config, context) = (&self.config, &self.context);
        let events = match &mut self.format {
            FormatDecoder::ChatCompletions(decoder) => decoder.step(input, config, context),
            FormatDecoder::Responses(decoder) => decoder.step(input, config, context),
            FormatDecoder::Anthropic(decoder) => decoder.step(input, config, context),
            FormatDecoder::Gemini(decoder) => decoder.step(input, config, context),
        }?;
        match &mut self.text {
            None => Ok(events),
            Some(rung) => rung.translate(events),
        }
    }

    /// What the provider reports of an answer that [`Self::step`] refused; `None` if it did not say how the answer
    /// ends, or gave no figure that can be right.
    pub fn reported(&self) -> Option<Usage> {
        match &self.format {
            FormatDecoder::ChatCompletions(decoder) => decoder.reported(self.is_whole),
            FormatDecoder::Responses(decoder) => decoder.reported(self.is_whole),
            FormatDecoder::Anthropic(decoder) => decoder.reported(self.is_whole),
            FormatDecoder::Gemini(decoder) => decoder.reported(self.is_whole),
        }
    }
}
