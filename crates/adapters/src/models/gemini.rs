//! Gemini's `streamGenerateContent`.
//!
//! Thought signatures go back with the parts that carried them. Ids of calls do not: the API gives some
//! out and refuses requests that repeat them; it pairs calls and results by name and order. Calls usually come whole; with
//! streamed arguments they come as paths and values, see [`super::gemini_partial`].

use dormouse_types::model::{ToolChoice, TurnEvent, Usage};
use serde_json::{Value, json};

use super::assembly::{Assembly, CallRef, Stop, TurnContext, refusal};
use super::config::ModelConfig;
use super::conversation::{Conversation, Past, past_arguments, past_name, tool_of};
use super::failure::{self, WireError};
use super::gemini_partial;
use super::input::{Input, working};
use super::json::{Json, array, object};
use super::state::{Replay, replay};
use super::usage::{Count, Counts};

/// The body of a request.
pub(crate) fn body(conversation: &Conversation<'_>, config: &ModelConfig) -> String {
    let content =
        |role: &str, parts: Vec<Json>| object([("role", role.into()), ("parts", array(parts))]);
    let mut contents = vec![content("user", vec![text_part(&conversation.user())])];
    for past in &conversation.turns {
        match past {
            Past::Text { assistant, user } => {
                contents.push(content("model", vec![text_part(assistant)]));
                contents.push(content("user", vec![text_part(user)]));
            }
            Past::Native { turn, then } => {
                let parts = replay(turn, config).into_iter().filter_map(part);
                contents.push(content("model", parts.collect()));
                let answer: Vec<_> = turn
                    .results
                    .iter()
                    .map(|result| {
                        let outcome = if result.refused { "error" } else { "output" };
                        let response = object([
                            ("name", past_name(tool_of(turn, result)).into()),
                            ("response", object([(outcome, result.text.clone().into())])),
                        ]);
                        object([("functionResponse", response)])
                    })
                    .collect();
                // A message with results has nothing but results.
                if !answer.is_empty() {
                    contents.push(content("user", answer));
                }
                contents.extend(then.as_deref().map(|text| content("user", vec![text_part(text)])));
            }
        }
    }
    let mut body = object([]);
    if !conversation.system.is_empty() {
        let parts = array([text_part(&conversation.system)]);
        body = body.with([("systemInstruction", object([("parts", parts)]))]);
    }
    body = body.with([("contents", array(contents))]);
    if !conversation.tools.is_empty() {
        let declarations = conversation.tools.iter().map(|tool| {
            object([
                ("name", tool.name.clone().into()),
                ("description", tool.description.clone().into()),
                ("parametersJsonSchema", tool.parameters.clone().into()),
            ])
        });
        let tools = array([object([("functionDeclarations", array(declarations))])]);
        let calling = match conversation.choice {
            ToolChoice::Auto => object([("mode", "AUTO".into())]),
            ToolChoice::Required if config.forced_call.is_some() => {
                object([("mode", "ANY".into())])
            }
            ToolChoice::Required => {
                let names = conversation.tools.iter().map(|tool| tool.name.clone().into());
                object([("mode", "ANY".into()), ("allowedFunctionNames", array(names))])
            }
            ToolChoice::OneOf(names) => {
                let names = names.iter().map(|name| name.clone().into());
                object([("mode", "ANY".into()), ("allowedFunctionNames", array(names))])
            }
        };
        let choice = object([("functionCallingConfig", calling)]);
        body = body.with([("tools", tools), ("toolConfig", choice)]);
    }
    let mut settings = object([("maxOutputTokens", config.max_output_tokens.into())]);
    if let Some(schema) = conversation.schema.clone() {
        settings = settings.with([
            ("responseMimeType", "application/json".into()),
            ("responseJsonSchema", schema),
        ]);
    }
    body.with([("generationConfig", settings)]).text()
}

fn text_part(text: &str) -> Json {
    object([("text", text.into())])
}

fn part(piece: Replay<'_>) -> Option<Json> {
    let with = |part: Json, extra: Option<Value>| match extra {
        Some(extra) => part.with_members(&extra),
        None => part,
    };
    match piece {
        Replay::Text(text, None) if text.is_empty() => None,
        Replay::Text(text, extra) => Some(with(text_part(&text), extra)),
        Replay::Kept(part) => Some(part.into()),
        Replay::Call(call, extra) => {
            let function = object([
                ("name", past_name(&call.name).into()),
                ("args", past_arguments(&call.args).into()),
            ]);
            Some(with(object([("functionCall", function)]), extra))
        }
    }
}

/// Reads the answer.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    turn: Assembly,
    /// The call whose arguments come in pieces.
    partial: Option<(CallRef, gemini_partial::Arguments)>,
    n_calls: u64,
    reason: Option<String>,
    reason_text: String,
    blocked: Option<String>,
}

impl Decoder {
    /// Takes the next part of the answer.
    pub(crate) fn step(
        &mut self,
        input: Input<'_>,
        config: &ModelConfig,
        context: &TurnContext,
    ) -> Result<Vec<TurnEvent>, WireError> {
        let mut out = Vec::new();
        match input {
            Input::Event(value) => self.chunk(value, config, &mut out)?,
            Input::Whole(value) => {
                // Without `alt=sse` a stream is one array of chunks.
                match value.as_array() {
                    Some(chunks) => {
                        // All of it is there: the last figure counts, also if a part before it is wrong.
                        chunks.iter().for_each(|chunk| self.count(chunk));
                        for chunk in chunks {
                            self.chunk(chunk, config, &mut out)?;
                        }
                    }
                    None => self.chunk(value, config, &mut out)?,
                }
                out.extend(self.finish(context)?);
            }
            Input::Done | Input::Closed => out.extend(self.finish(context)?),
        }
        Ok(out)
    }

    /// What the provider reports of an answer that it ended, be it one that cannot be used. Before it says how
    /// the answer ends, a figure is not yet what the call used.
    pub(crate) fn reported(&self, is_whole: bool) -> Option<Usage> {
        let has_ended = self.reason.is_some() || self.blocked.is_some();
        self.turn.usage().filter(|_| is_whole || has_ended)
    }

    fn chunk(
        &mut self,
        chunk: &Value,
        config: &ModelConfig,
        out: &mut Vec<TurnEvent>,
    ) -> Result<(), WireError> {
        self.count(chunk);
        if chunk.get("error").is_some_and(|error| !error.is_null()) {
            return Err(failure::of_object(chunk, config));
        }
        if let Some(reason) = chunk.pointer("/promptFeedback/blockReason").and_then(Value::as_str) {
            self.blocked = Some(reason.to_owned());
        }
        let Some(candidate) = chunk.pointer("/candidates/0") else { return Ok(()) };
        let parts = candidate.pointer("/content/parts").and_then(Value::as_array);
        for part in parts.into_iter().flatten() {
            self.part(part, out)?;
        }
        let text = |name: &str| candidate.get(name).and_then(Value::as_str);
        if let Some(reason) = text("finishReason").filter(|it| *it != "FINISH_REASON_UNSPECIFIED") {
            self.reason = Some(reason.to_owned());
            self.reason_text = text("finishMessage").unwrap_or_default().to_owned();
        }
        Ok(())
    }

    fn count(&mut self, chunk: &Value) {
        if let Some(usage) = chunk.get("usageMetadata") {
            self.turn.count(counts(usage));
        }
    }

    fn part(&mut self, part: &Value, out: &mut Vec<TurnEvent>) -> Result<(), WireError> {
        let signature = part.get("thoughtSignature").and_then(Value::as_str);
        let extra = signature.map(|signature| json!({ "thoughtSignature": signature }));
        if part.get("thought").and_then(Value::as_bool) == Some(true) {
            out.push(working());
            return Ok(());
        }
        if let Some(text) = part.get("text").and_then(Value::as_str) {
            // A part with a signature is not merged with another one.
            return match extra {
                Some(extra) => self.turn.signed_text(text, extra, out),
                None => self.turn.text(text, out),
            };
        }
        match part.get("functionCall") {
            Some(call) => self.call(call, extra, out),
            None => Ok(()),
        }
    }

    fn call(
        &mut self,
        call: &Value,
        extra: Option<Value>,
        out: &mut Vec<TurnEvent>,
    ) -> Result<(), WireError> {
        let text =
            |name: &str| call.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        let goes_on = call.get("willContinue").and_then(Value::as_bool) == Some(true);
        let pieces = call.get("partialArgs").and_then(Value::as_array);
        let begins = self.partial.is_none() || text("name").is_some();
        let (at, mut arguments) = match self.partial.take() {
            Some(partial) if !begins => partial,
            Some(_) | None => {
                let at = self.turn.begin(self.n_calls)?;
                self.n_calls += 1;
                (at, gemini_partial::Arguments::default())
            }
        };
        self.turn.identify(at, text("id"), text("name"))?;
        if let Some(extra) = extra {
            self.turn.call_extra(at, extra)?;
        }
        for piece in pieces.into_iter().flatten() {
            arguments.apply(piece)?;
        }
        if goes_on {
            out.push(working());
            self.partial = Some((at, arguments));
            return Ok(());
        }
        let whole = call.get("args").filter(|args| !args.is_null());
        let whole = match whole {
            Some(args) if arguments.is_empty() => args.clone(),
            Some(_) | None => arguments.into_value(),
        };
        self.turn.arguments(at, &whole.to_string(), out)?;
        self.turn.close(at);
        Ok(())
    }

    fn finish(&mut self, context: &TurnContext) -> Result<Vec<TurnEvent>, WireError> {
        let text_parts =
            |what: &str, reason: &str, words: &str| refusal(&format!("{what} ({reason}) {words}"));
        let words = &self.reason_text;
        let stop = match (self.reason.as_deref(), self.blocked.as_deref()) {
            (None, Some(reason)) => {
                return Err(text_parts("the prompt was blocked", reason, words));
            }
            (None, None) => {
                return Err(WireError::malformed("the answer ended before it was complete"));
            }
            (Some("STOP"), _) => Stop::Finished,
            (Some("MAX_TOKENS"), _) => Stop::Length,
            (
                Some(
                    reason @ ("MALFORMED_FUNCTION_CALL"
                    | "UNEXPECTED_TOOL_CALL"
                    | "TOO_MANY_TOOL_CALLS"
                    | "MISSING_THOUGHT_SIGNATURE"
                    | "MALFORMED_RESPONSE"),
                ),
                _,
            ) => {
                let words = failure::clean(words);
                return Err(WireError::refused(format!(
                    "the model wrote a tool call that the provider could not read ({reason}) {words}"
                )));
            }
            (Some(reason), _) => {
                return Err(text_parts("the provider stopped the answer", reason, words));
            }
        };
        self.turn.finish(stop, context)
    }
}

/// Source: the API's `UsageMetadata`: thoughts are counted apart from the candidates. Chunks before the
/// last may lack some of the counts.
fn counts(usage: &Value) -> Counts {
    let prompt = Count::at(usage, "/promptTokenCount");
    let thoughts = Count::at(usage, "/thoughtsTokenCount");
    let input = prompt.plus(Count::at(usage, "/toolUsePromptTokenCount"));
    let output = Count::at(usage, "/candidatesTokenCount").plus(thoughts);
    Counts {
        input,
        cached_input: Count::at(usage, "/cachedContentTokenCount"),
        cache_write: Count::Missing,
        output: output.or(Count::at(usage, "/totalTokenCount").minus(input)),
        reasoning: thoughts,
        cost: Count::Missing,
    }
}
