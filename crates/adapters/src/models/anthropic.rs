//! Anthropic's Messages.
//!
//! What a later call begins with is marked for the cache: tools and system text, the log, and the
//! request itself if another turn of the run is expected, at four places at most. What is kept lives
//! for five minutes, and for five more with each use; writing it costs more than reading it as new, so
//! a call that no other follows marks only what it reads. Of a log, each wake's lines are a block of
//! their own: what was kept up to the end of the last wake's log ends with a block of this one.
//! Thinking goes back as it came, with its signature.
//!
//! Source: the provider's pages on prompt caching: marks, lifetimes, prices, and that it looks for
//! what was kept at the ends of up to 20 blocks before a mark.

use std::collections::BTreeSet;

use dormouse_types::limits;
use dormouse_types::model::{ToolChoice, TurnEvent, Usage};
use serde_json::{Value, json};

use super::assembly::{
    Assembly, CallRef, Stop, TurnContext, refusal, too_many_calls, too_much_state,
};
use super::config::ModelConfig;
use super::conversation::{Conversation, Past, past_arguments, past_name};
use super::failure::{self, WireError};
use super::input::{Input, working};
use super::json::{Json, array, object};
use super::state::{Replay, replay};
use super::usage::{Count, Counts};

/// The path below the base URL.
pub(crate) const PATH: &str = "/messages";

/// The body of a request.
pub(crate) fn body(conversation: &Conversation<'_>, config: &ModelConfig) -> String {
    let mut messages = Messages::default();
    let n_stable = conversation.blocks.len();
    messages.user(conversation.blocks.iter().map(|text| text_block(text)).collect());
    if !conversation.changing.is_empty() {
        messages.user(vec![text_block(&conversation.changing)]);
    }
    // Where the turn before this one ended: what it wrote to the cache is found there.
    let mut ended_before = None;
    for past in &conversation.turns {
        ended_before = messages.end();
        match past {
            Past::Text { assistant, user } => {
                messages.push("assistant", vec![text_block(assistant)]);
                messages.user(vec![text_block(user)]);
            }
            Past::Native { turn, then } => {
                let blocks = replay(turn, config).into_iter().filter_map(block);
                messages.push("assistant", blocks.collect());
                let mut answer: Vec<_> = turn
                    .results
                    .iter()
                    .map(|result| {
                        object([
                            ("type", "tool_result".into()),
                            ("tool_use_id", result.call_id.clone().into()),
                            ("content", result.text.clone().into()),
                            ("is_error", result.refused.into()),
                        ])
                    })
                    .collect();
                answer.extend(then.as_deref().map(text_block));
                messages.user(answer);
            }
        }
    }
    let is_marked = conversation.goes_on || ended_before.is_some();
    if is_marked && let Some(last) = n_stable.checked_sub(1) {
        messages.mark((0, last));
    }
    if let Some(end) = ended_before {
        messages.mark(end);
    }
    if conversation.goes_on
        && let Some(end) = messages.end()
    {
        messages.mark(end);
    }
    let mut body = object([
        ("model", config.model.as_str().into()),
        ("max_tokens", config.max_output_tokens.into()),
        ("stream", true.into()),
    ]);
    if !conversation.tools.is_empty() {
        let tools = conversation.tools.iter().map(|tool| {
            object([
                ("name", tool.name.clone().into()),
                ("description", tool.description.clone().into()),
                ("input_schema", tool.parameters.clone().into()),
            ])
        });
        body = body.with([("tools", array(tools))]);
    }
    if !conversation.system.is_empty() {
        let system = text_block(&conversation.system);
        let system = if is_marked { marked(system) } else { system };
        body = body.with([("system", array([system]))]);
    }
    body = body.with([("messages", messages.json())]);
    if !conversation.tools.is_empty() {
        let one = |name: &str| json!({ "type": "tool", "name": name });
        let choice = match (conversation.choice, conversation.tools) {
            (ToolChoice::Auto, _) => json!({ "type": "auto" }),
            (ToolChoice::Required, [tool]) if config.forced_call.is_none() => one(&tool.name),
            (ToolChoice::Required, _) => json!({ "type": "any" }),
            (ToolChoice::OneOf(names), _) => match names.as_slice() {
                [name] => one(name),
                _ => json!({ "type": "any" }),
            },
        };
        body = body.with([("tool_choice", choice.into())]);
    }
    body.text()
}

/// Messages, whose blocks can be marked for the cache until they are written.
#[derive(Debug, Default)]
struct Messages {
    all: Vec<(&'static str, Vec<Json>)>,
    marks: BTreeSet<Place>,
}

/// A block: the number of its message, and its own in it.
type Place = (usize, usize);

impl Messages {
    /// Adds blocks of the user, to the user's message if that is the last one.
    fn user(&mut self, blocks: Vec<Json>) {
        match self.all.last_mut() {
            Some(("user", known)) => known.extend(blocks),
            Some(_) | None if blocks.is_empty() => {}
            Some(_) | None => self.push("user", blocks),
        }
    }

    fn push(&mut self, role: &'static str, blocks: Vec<Json>) {
        self.all.push((role, blocks));
    }

    /// The last block so far.
    fn end(&self) -> Option<Place> {
        let (_, blocks) = self.all.last()?;
        Some((self.all.len() - 1, blocks.len().checked_sub(1)?))
    }

    /// Marks the end of what is to be kept.
    fn mark(&mut self, place: Place) {
        self.marks.insert(place);
    }

    fn json(self) -> Json {
        let Self { all, marks } = self;
        array(all.into_iter().enumerate().map(|(message, (role, blocks))| {
            let blocks = blocks.into_iter().enumerate().map(|(n, block)| {
                if marks.contains(&(message, n)) { marked(block) } else { block }
            });
            object([("role", role.into()), ("content", array(blocks))])
        }))
    }
}

fn text_block(text: &str) -> Json {
    object([("type", "text".into()), ("text", text.into())])
}

fn marked(block: Json) -> Json {
    block.with([("cache_control", json!({ "type": "ephemeral" }).into())])
}

fn block(piece: Replay<'_>) -> Option<Json> {
    match piece {
        // The API refuses text blocks without text.
        Replay::Text(text, _) if text.trim().is_empty() => None,
        Replay::Text(text, _) => Some(text_block(&text)),
        Replay::Kept(block) => Some(block.into()),
        Replay::Call(call, _) => Some(object([
            ("type", "tool_use".into()),
            ("id", call.id.clone().into()),
            ("name", past_name(&call.name).into()),
            ("input", past_arguments(&call.args).into()),
        ])),
    }
}

/// Reads the answer.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    turn: Assembly,
    blocks: Vec<(u64, Block)>,
    stop: Option<String>,
    /// Why the provider refuses, in its words.
    explanation: String,
    has_started: bool,
    counts: RawCounts,
}

#[derive(Debug)]
enum Block {
    Text,
    Thinking { text: String, signature: String },
    Call { call: CallRef, input: Option<String> },
    Other,
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
            Input::Whole(message) => self.whole(message, config, context, &mut out)?,
            Input::Done | Input::Closed => out.extend(self.finish(config, context)?),
        }
        Ok(out)
    }

    /// What the provider reports of an answer that it ended, be it one that cannot be used. Before it says how
    /// the answer ends, a figure is not yet what the call used.
    pub(crate) fn reported(&self, is_whole: bool) -> Option<Usage> {
        self.counts.counts().usage().filter(|_| is_whole || self.stop.is_some())
    }

    fn event(
        &mut self,
        event: &Value,
        config: &ModelConfig,
        context: &TurnContext,
        out: &mut Vec<TurnEvent>,
    ) -> Result<(), WireError> {
        let none = &Value::Null;
        match event.get("type").and_then(Value::as_str).unwrap_or_default() {
            "message_start" => {
                if self.has_started {
                    // A gateway that tried again: what was begun will not be finished.
                    self.turn.restart();
                    self.blocks.clear();
                    self.stop = None;
                    self.counts = RawCounts::default();
                }
                self.has_started = true;
                self.counts.merge(event.pointer("/message/usage").unwrap_or(none));
            }
            "content_block_start" => {
                let index = index(event)?;
                self.start(index, event.get("content_block").unwrap_or(none), out)?;
            }
            "content_block_delta" => {
                let index = index(event)?;
                self.delta(index, event.get("delta").unwrap_or(none), out)?;
            }
            "content_block_stop" => {
                let index = index(event)?;
                self.close(index, out)?;
            }
            "message_delta" => {
                self.stop_details(event.get("delta").unwrap_or(none));
                self.counts.merge(event.get("usage").unwrap_or(none));
            }
            "message_stop" => out.extend(self.finish(config, context)?),
            "error" => return Err(failure::of_object(event, config)),
            // `ping`, and events that newer versions add.
            _ if event.get("error").is_some() => return Err(failure::of_object(event, config)),
            _ => {}
        }
        Ok(())
    }

    fn whole(
        &mut self,
        message: &Value,
        config: &ModelConfig,
        context: &TurnContext,
        out: &mut Vec<TurnEvent>,
    ) -> Result<(), WireError> {
        self.counts.merge(message.get("usage").unwrap_or(&Value::Null));
        if message.get("error").is_some_and(|error| !error.is_null()) {
            return Err(failure::of_object(message, config));
        }
        let blocks = message.get("content").and_then(Value::as_array);
        for (index, block) in blocks.into_iter().flatten().enumerate() {
            self.start(index as u64, block, out)?;
            self.close(index as u64, out)?;
        }
        self.stop_details(message);
        out.extend(self.finish(config, context)?);
        Ok(())
    }

    fn start(
        &mut self,
        index: u64,
        block: &Value,
        out: &mut Vec<TurnEvent>,
    ) -> Result<(), WireError> {
        if self.blocks.len() >= 4 * limits::CALLS_PER_TURN {
            return Err(too_many_calls());
        }
        let text = |name: &str| block.get(name).and_then(Value::as_str).unwrap_or_default();
        let block = match block.get("type").and_then(Value::as_str).unwrap_or_default() {
            "text" => {
                self.turn.text(text("text"), out)?;
                Block::Text
            }
            "thinking" => {
                out.push(working());
                let (text, signature) = (text("thinking").to_owned(), text("signature").to_owned());
                Block::Thinking { text, signature }
            }
            "redacted_thinking" => {
                out.push(working());
                self.turn.keep(block.clone())?;
                Block::Other
            }
            "tool_use" => {
                let call = self.turn.begin(index)?;
                self.turn.identify(call, Some(text("id")), Some(text("name")))?;
                // Complete in a plain answer; `{}` in a stream, where it comes in pieces.
                let input = block.get("input").filter(|input| !input.is_null());
                Block::Call { call, input: input.map(Value::to_string) }
            }
            _ => Block::Other,
        };
        self.blocks.push((index, block));
        Ok(())
    }

    fn open(&mut self, index: u64) -> Result<&mut Block, WireError> {
        let found = self.blocks.iter_mut().rev().find(|(at, _)| *at == index);
        let missing = || WireError::malformed("the answer goes on with a block that never began");
        found.map(|(_, block)| block).ok_or_else(missing)
    }

    fn delta(
        &mut self,
        index: u64,
        delta: &Value,
        out: &mut Vec<TurnEvent>,
    ) -> Result<(), WireError> {
        let text = |name: &str| delta.get(name).and_then(Value::as_str).unwrap_or_default();
        let kind = delta.get("type").and_then(Value::as_str).unwrap_or_default();
        match (kind, self.open(index)?) {
            ("text_delta", _) => self.turn.text(text("text"), out)?,
            ("input_json_delta", Block::Call { call, .. }) => {
                let call = *call;
                self.turn.arguments(call, text("partial_json"), out)?;
            }
            ("thinking_delta", Block::Thinking { text: thought, signature }) => {
                thought.push_str(text("thinking"));
                too_much_state(thought.len() + signature.len())?;
                out.push(working());
            }
            ("signature_delta", Block::Thinking { text: thought, signature }) => {
                signature.push_str(text("signature"));
                too_much_state(thought.len() + signature.len())?;
            }
            // Citations, and deltas of blocks that were not requested.
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self, index: u64, out: &mut Vec<TurnEvent>) -> Result<(), WireError> {
        match self.open(index)? {
            Block::Text | Block::Other => {}
            Block::Thinking { text, signature } => {
                let kept = json!({ "type": "thinking", "thinking": text, "signature": signature });
                self.turn.keep(kept)?;
            }
            Block::Call { call, input } => {
                let (call, input) = (*call, input.take());
                if let Some(input) = input.filter(|_| self.turn.has_no_arguments(call)) {
                    self.turn.arguments(call, &input, out)?;
                }
                self.turn.close(call);
            }
        }
        Ok(())
    }

    fn stop_details(&mut self, delta: &Value) {
        if let Some(reason) = delta.get("stop_reason").and_then(Value::as_str) {
            self.stop = Some(reason.to_owned());
        }
        if let Some(words) = delta.pointer("/stop_details/explanation").and_then(Value::as_str) {
            words.clone_into(&mut self.explanation);
        }
    }

    fn finish(
        &mut self,
        config: &ModelConfig,
        context: &TurnContext,
    ) -> Result<Vec<TurnEvent>, WireError> {
        let stop = match self.stop.as_deref() {
            None => return Err(WireError::malformed("the answer ended before it was complete")),
            Some("end_turn" | "stop_sequence") => Stop::Finished,
            Some("max_tokens") => Stop::Length,
            Some("refusal") => return Err(refusal(&self.explanation)),
            Some("model_context_window_exceeded") => {
                return Err(WireError::refused(format!(
                    "request and answer are larger than the context window of {}",
                    config.model.as_str()
                )));
            }
            // `tool_use`, `pause_turn`, and what newer versions add.
            Some(_) => Stop::Continues,
        };
        self.turn.count(self.counts.counts());
        self.turn.finish(stop, context)
    }
}

fn index(event: &Value) -> Result<u64, WireError> {
    let index = event.get("index").and_then(Value::as_u64);
    index.ok_or_else(|| WireError::malformed("the answer has a block with no valid index"))
}

/// Counts as the API has them: `input_tokens` leaves out what came from the cache or went there. A
/// later report repeats or replaces an earlier one, number by number.
///
/// Source: the API's `Usage` and `MessageDeltaUsage`.
#[derive(Debug, Default)]
struct RawCounts {
    uncached: Count,
    read: Count,
    written: Count,
    output: Count,
    thinking: Count,
}

impl RawCounts {
    fn merge(&mut self, usage: &Value) {
        self.uncached = Count::at(usage, "/input_tokens").or(self.uncached);
        self.read = Count::at(usage, "/cache_read_input_tokens").or(self.read);
        self.written = Count::at(usage, "/cache_creation_input_tokens").or(self.written);
        self.output = Count::at(usage, "/output_tokens").or(self.output);
        let thinking = Count::at(usage, "/output_tokens_details/thinking_tokens");
        self.thinking = thinking.or(self.thinking);
    }

    fn counts(&self) -> Counts {
        let input = match self.uncached {
            Count::Missing => Count::Missing,
            Count::Tokens(_) | Count::Absurd => self.uncached.plus(self.read).plus(self.written),
        };
        Counts {
            input,
            cached_input: self.read,
            cache_write: self.written,
            output: self.output,
            reasoning: self.thinking,
            cost: Count::Missing,
        }
    }
}
