//! OpenAI's Responses.
//!
//! Nothing is stored on the server: reasoning comes back encrypted and is sent again.

use std::collections::BTreeSet;

use dormouse_types::limits;
use dormouse_types::model::{ToolChoice, TurnEvent, Usage};
use serde_json::{Value, json};

use super::assembly::{Assembly, Stop, TurnContext, refusal, too_many_calls};
use super::config::ModelConfig;
use super::conversation::{Conversation, Past, past_arguments, past_name};
use super::failure::{self, WireError};
use super::input::{Input, working};
use super::json::{Json, array, object};
use super::state::{Replay, replay};
use super::usage::{Count, Counts};

/// The path below the base URL.
pub(crate) const PATH: &str = "/responses";

/// The body of a request.
pub(crate) fn body(conversation: &Conversation<'_>, config: &ModelConfig) -> String {
    let message =
        |role: &str, text: String| object([("role", role.into()), ("content", text.into())]);
    let mut input = vec![message("user", conversation.user())];
    for past in &conversation.turns {
        match past {
            Past::Text { assistant, user } => {
                input.push(message("assistant", assistant.clone()));
                input.push(message("user", user.clone()));
            }
            Past::Native { turn, then } => {
                input.extend(replay(turn, config).into_iter().filter_map(item));
                for result in &turn.results {
                    input.push(object([
                        ("type", "function_call_output".into()),
                        ("call_id", result.call_id.clone().into()),
                        ("output", result.text.clone().into()),
                    ]));
                }
                input.extend(then.clone().map(|text| message("user", text)));
            }
        }
    }
    let mut body = object([("model", config.model.as_str().into())]);
    if !conversation.system.is_empty() {
        body = body.with([("instructions", conversation.system.clone().into())]);
    }
    body = body.with([
        ("input", array(input)),
        ("stream", true.into()),
        ("store", false.into()),
        ("max_output_tokens", config.max_output_tokens.into()),
    ]);
    if reasons(config.model.as_str()) {
        body = body.with([("include", json!(["reasoning.encrypted_content"]).into())]);
    }
    if !conversation.tools.is_empty() {
        let tools = conversation.tools.iter().map(|tool| {
            object([
                ("type", "function".into()),
                ("name", tool.name.clone().into()),
                ("description", tool.description.clone().into()),
                ("parameters", tool.parameters.clone().into()),
                // Strict mode refuses schemas with optional members.
                ("strict", false.into()),
            ])
        });
        let function = |name: &str| object([("type", "function".into()), ("name", name.into())]);
        let choice: Json = match (conversation.choice, conversation.tools) {
            (ToolChoice::Auto, _) => "auto".into(),
            (ToolChoice::Required, [tool]) if config.forced_call.is_none() => function(&tool.name),
            (ToolChoice::Required, _) => "required".into(),
            (ToolChoice::OneOf(names), _) => match names.as_slice() {
                [name] => function(name),
                names => object([
                    ("type", "allowed_tools".into()),
                    ("mode", "required".into()),
                    ("tools", array(names.iter().map(|name| function(name)))),
                ]),
            },
        };
        body = body.with([("tools", array(tools)), ("tool_choice", choice)]);
    }
    if let Some(schema) = conversation.schema.clone() {
        let format = object([
            ("type", "json_schema".into()),
            ("name", "turn".into()),
            ("strict", false.into()),
            ("schema", schema),
        ]);
        body = body.with([("text", object([("format", format)]))]);
    }
    body.text()
}

/// Whether a model has reasoning to give, by its name: `o3-mini`, `gpt-5`, `ft:o4-mini:acme`, `codex`.
///
/// A model that does not reason refuses a request that wants it back, so it is not requested of a
/// name that does not say so, such as the one that a person gave a deployment. Such a model works; its
/// thoughts are not carried from turn to turn.
fn reasons(model: &str) -> bool {
    let model = model.rsplit('/').next().unwrap_or(model);
    let model = model.strip_prefix("ft:").unwrap_or(model);
    let generation = |name: &str| {
        let rest = model.strip_prefix(name)?;
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        rest[..digits].parse::<u32>().ok()
    };
    let is_family = generation("o").is_some() || generation("gpt-").is_some_and(|n| n >= 5);
    (is_family || model.contains("codex") || model.contains("gpt-oss")) && !model.contains("-chat")
}

fn item(piece: Replay<'_>) -> Option<Json> {
    match piece {
        Replay::Text(text, _) if text.is_empty() => None,
        Replay::Text(text, extra) => {
            let content = object([("type", "output_text".into()), ("text", text.into())]);
            let message = object([
                ("type", "message".into()),
                ("role", "assistant".into()),
                ("content", array([content])),
            ]);
            Some(match extra {
                Some(extra) => message.with_members(&extra),
                None => message,
            })
        }
        Replay::Kept(item) => Some(item.into()),
        Replay::Call(call, _) => Some(object([
            ("type", "function_call".into()),
            ("call_id", call.id.clone().into()),
            ("name", past_name(&call.name).into()),
            ("arguments", past_arguments(&call.args).to_string().into()),
        ])),
    }
}

/// Reads the answer.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    turn: Assembly,
    /// Messages whose text has come in pieces.
    streamed: BTreeSet<u64>,
    /// Items that have come as a whole.
    done: BTreeSet<u64>,
    /// Messages whose refusal has come in pieces.
    refused: BTreeSet<u64>,
    has_ended: bool,
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
            Input::Event(event) => self.event(event, config, context, &mut out)?,
            Input::Whole(response) => self.end(response, config, context, &mut out)?,
            Input::Done | Input::Closed => {
                return Err(WireError::malformed("the answer ended before it was complete"));
            }
        }
        Ok(out)
    }

    /// What the provider reports of an answer that it ended, be it one that cannot be used. Before it says how
    /// the answer ends, a figure is not yet what the call used.
    pub(crate) fn reported(&self, is_whole: bool) -> Option<Usage> {
        self.turn.usage().filter(|_| is_whole || self.has_ended)
    }

    fn event(
        &mut self,
        event: &Value,
        config: &ModelConfig,
        context: &TurnContext,
        out: &mut Vec<TurnEvent>,
    ) -> Result<(), WireError> {
        let text = |name: &str| event.get(name).and_then(Value::as_str).unwrap_or_default();
        match text("type") {
            "response.output_item.added" => {
                let item = event.get("item").unwrap_or(&Value::Null);
                match item_type(item) {
                    "function_call" => {
                        self.call(place(event)?, item)?;
                    }
                    _ => out.push(working()),
                }
            }
            "response.output_text.delta" => {
                let place = place(event)?;
                self.streamed.insert(place);
                self.turn.text(text("delta"), out)?;
            }
            "response.function_call_arguments.delta" => {
                let call = self.turn.find(place(event)?).ok_or_else(|| {
                    WireError::malformed("the answer has arguments without a call")
                })?;
                self.turn.arguments(call, text("delta"), out)?;
            }
            "response.output_item.done" => {
                let place = place(event)?;
                self.item(place, event.get("item").unwrap_or(&Value::Null), out)?;
            }
            "response.refusal.delta" => {
                self.refused.insert(place(event)?);
                self.turn.refuse(text("delta"));
            }
            "response.completed" | "response.incomplete" | "response.failed" => {
                self.end(event.get("response").unwrap_or(&Value::Null), config, context, out)?;
            }
            "error" => return Err(failure::of_object(event, config)),
            name if name.starts_with("response.reasoning") => out.push(working()),
            // Progress, and kinds of output that were not requested.
            name if name.starts_with("response.") => {}
            _ if event.get("error").is_some() => return Err(failure::of_object(event, config)),
            _ => {}
        }
        Ok(())
    }

    /// An item that is complete, in a stream or in the whole answer.
    fn item(
        &mut self,
        place: u64,
        item: &Value,
        out: &mut Vec<TurnEvent>,
    ) -> Result<(), WireError> {
        if !self.done.insert(place) {
            return Ok(());
        }
        match item_type(item) {
            "function_call" => {
                let call = self.call(place, item)?;
                let is_unseen = self.turn.has_no_arguments(call);
                match item.get("arguments").and_then(Value::as_str) {
                    Some(json) if is_unseen => self.turn.arguments(call, json, out)?,
                    Some(json) => self.turn.set_arguments(call, json.to_owned())?,
                    None => {}
                }
                self.turn.close(call);
            }
            // Without its encrypted content, nobody can read it back.
            "reasoning" if item.get("encrypted_content").is_some_and(Value::is_string) => {
                self.turn.keep(reasoning(item))?;
            }
            "message" => {
                let parts = item.get("content").and_then(Value::as_array);
                let is_streamed = self.streamed.contains(&place);
                for part in parts.into_iter().flatten() {
                    let text = |name: &str| part.get(name).and_then(Value::as_str);
                    match item_type(part) {
                        "output_text" if !is_streamed => {
                            self.turn.text(text("text").unwrap_or_default(), out)?;
                        }
                        "refusal" if self.refused.contains(&place) => {}
                        "refusal" => self.turn.refuse(text("refusal").unwrap_or("no reason given")),
                        _ => {}
                    }
                }
                if let Some(phase) = item.get("phase").and_then(Value::as_str) {
                    self.turn.text_extra(json!({ "phase": phase }))?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn call(&mut self, place: u64, item: &Value) -> Result<super::assembly::CallRef, WireError> {
        let call = match self.turn.find(place) {
            Some(call) => call,
            None => self.turn.begin(place)?,
        };
        let text =
            |name: &str| item.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        self.turn.identify(call, text("call_id").or(text("id")), text("name"))?;
        Ok(call)
    }

    fn end(
        &mut self,
        response: &Value,
        config: &ModelConfig,
        context: &TurnContext,
        out: &mut Vec<TurnEvent>,
    ) -> Result<(), WireError> {
        self.has_ended = true;
        if let Some(usage) = response.get("usage").filter(|usage| usage.is_object()) {
            self.turn.count(counts(usage));
        }
        if response.get("error").is_some_and(|error| !error.is_null()) {
            return Err(failure::of_object(response, config));
        }
        let output = response.get("output").and_then(Value::as_array);
        for (place, item) in output.into_iter().flatten().enumerate() {
            // The output has cut items too.
            let is_cut = item.get("status").and_then(Value::as_str) == Some("incomplete");
            if !is_cut {
                self.item(place as u64, item, out)?;
            }
        }
        let status = response.get("status").and_then(Value::as_str).unwrap_or_default();
        let reason = response.pointer("/incomplete_details/reason").and_then(Value::as_str);
        let stop = match (status, reason) {
            ("completed", _) => Stop::Finished,
            ("incomplete", Some("max_output_tokens")) => Stop::Length,
            ("incomplete", Some("content_filter")) => {
                return Err(refusal("a filter of the provider stopped the answer"));
            }
            ("incomplete", _) => Stop::Continues,
            ("failed" | "cancelled", _) => {
                return Err(WireError::malformed("the provider failed while it answered"));
            }
            _ => return Err(WireError::malformed("the answer is not a response of this format")),
        };
        out.extend(self.turn.finish(stop, context)?);
        Ok(())
    }
}

fn item_type(item: &Value) -> &str {
    item.get("type").and_then(Value::as_str).unwrap_or_default()
}

/// The place of an item in the output; reasoning and messages have places too.
fn place(event: &Value) -> Result<u64, WireError> {
    match event.get("output_index").and_then(Value::as_u64) {
        Some(place) if place < 4 * limits::CALLS_PER_TURN as u64 => Ok(place),
        Some(_) => Err(too_many_calls()),
        None => Err(WireError::malformed("the answer has an item with no valid index")),
    }
}

/// A reasoning item as it goes back: without its id, under which nothing is stored.
fn reasoning(item: &Value) -> Value {
    let mut item = item.clone();
    if let Some(members) = item.as_object_mut() {
        members.retain(|name, _| matches!(name.as_str(), "type" | "summary" | "encrypted_content"));
        members.entry("summary").or_insert_with(|| json!([]));
    }
    item
}

/// Source: OpenAI's `ResponseUsage`.
fn counts(usage: &Value) -> Counts {
    Counts {
        input: Count::at(usage, "/input_tokens"),
        cached_input: Count::at(usage, "/input_tokens_details/cached_tokens"),
        cache_write: Count::at(usage, "/input_tokens_details/cache_write_tokens"),
        output: Count::at(usage, "/output_tokens"),
        reasoning: Count::at(usage, "/output_tokens_details/reasoning_tokens"),
        cost: Count::Missing,
    }
}
