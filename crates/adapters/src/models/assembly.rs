//! One turn, put together from the pieces in which a provider sends it.
//!
//! Text goes out as it comes. Calls go out when the turn is complete, in the order in which they
//! began: a turn that is cut or refused has no calls. A preview of their arguments goes out before.

use std::collections::BTreeSet;

use dormouse_types::limits;
use dormouse_types::model::{ProviderState, ToolCall, TurnEvent, Usage, unique_call_id};
use serde_json::Value;

use super::ToolMode;
use super::failure::WireError;
use super::repair;
use super::state::{Piece, Writer};
use super::usage::Counts;

/// The pieces of one turn so far.
#[derive(Debug, Default)]
pub(crate) struct Assembly {
    calls: Vec<Draft>,
    /// Calls of a message that the provider began again; their previews are not continued.
    n_abandoned: usize,
    n_text_bytes: usize,
    n_kept_bytes: usize,
    /// Text, calls and kept parts in the order in which they came.
    order: Vec<Part>,
    counts: Counts,
    refusal: String,
}

/// A call as it is being written.
#[derive(Debug)]
struct Draft {
    key: u64,
    id: String,
    name: String,
    json: String,
    /// What else the provider said of it, to be sent back.
    extra: Option<Value>,
    is_closed: bool,
    /// How often it was read to see whether it is complete.
    n_reads: usize,
}

#[derive(Debug)]
enum Part {
    Text { text: String, extra: Option<Value> },
    Call(usize),
    Kept(Value),
}

/// Names one call of an [`Assembly`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CallRef(usize);

/// What names the call that a fragment is of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallFragment<'a> {
    pub(crate) name: &'a str,
    pub(crate) id: Option<&'a str>,
    pub(crate) has_arguments: bool,
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The model stopped by itself.
    Finished,
    /// It stopped to have its tools run, or in the middle of its work.
    Continues,
    /// The answer is as long as it may be.
    Length,
}

/// What a turn is put together for.
#[derive(Debug, Clone)]
pub(crate) struct TurnContext {
    /// The provider, for what it must get back.
    pub(crate) provider: String,
    /// The same server and format get back what it wants back, and no others.
    pub(crate) writer: Writer,
    /// The number of the turn, for the ids of calls that have none.
    pub(crate) turn: u32,
    /// The names of the tools that were offered.
    pub(crate) offered: Vec<String>,
    /// Where the model writes its calls.
    pub(crate) rung: ToolMode,
}

/// Units: bytes. Longer than the longest id in use; some gateways put a signature into it.
const ID_BYTES: usize = 16 * 1024;
/// Units: bytes.
const NAME_BYTES: usize = 256;
/// A server that gives a name and a new id with every fragment of a call does not make it be read
/// again each time.
const MAX_READS: usize = 16;
/// Units: bytes. More of a refusal is not shown.
const REFUSAL_BYTES: usize = 4096;

impl Assembly {
    /// More text.
    pub(crate) fn text(&mut self, text: &str, out: &mut Vec<TurnEvent>) -> Result<(), WireError> {
        if text.is_empty() {
            return Ok(());
        }
        self.write(text, out)?;
        match self.order.last_mut() {
            Some(Part::Text { text: last, extra: None }) => last.push_str(text),
            Some(Part::Text { .. } | Part::Call(_) | Part::Kept(_)) | None => {
                self.order.push(Part::Text { text: text.to_owned(), extra: None });
            }
        }
        Ok(())
    }

    /// A part of text, perhaps an empty one, that the provider wants back as it is, with what belongs to it.
    pub(crate) fn signed_text(
        &mut self,
        text: &str,
        extra: Value,
        out: &mut Vec<TurnEvent>,
    ) -> Result<(), WireError> {
        self.keep_bytes(&extra)?;
        self.write(text, out)?;
        self.order.push(Part::Text { text: text.to_owned(), extra: Some(extra) });
        Ok(())
    }

    fn write(&mut self, text: &str, out: &mut Vec<TurnEvent>) -> Result<(), WireError> {
        self.n_text_bytes += text.len();
        if self.n_text_bytes > limits::TURN_TEXT_BYTES {
            return Err(WireError::refused(format!(
                "the model wrote more than {} bytes of text in one answer",
                limits::TURN_TEXT_BYTES
            )));
        }
        out.push(TurnEvent::Text(text.to_owned()));
        Ok(())
    }

    /// Attaches what the provider wants back to the text that came last.
    pub(crate) fn text_extra(&mut self, extra: Value) -> Result<(), WireError> {
        self.keep_bytes(&extra)?;
        match self.order.last_mut() {
            Some(Part::Text { extra: slot @ None, .. }) => *slot = Some(extra),
            Some(Part::Text { .. } | Part::Call(_) | Part::Kept(_)) | None => {
                self.order.push(Part::Text { text: String::new(), extra: Some(extra) });
            }
        }
        Ok(())
    }

    /// Keeps a part that the provider wants back as it is.
    pub(crate) fn keep(&mut self, part: Value) -> Result<(), WireError> {
        self.keep_bytes(&part)?;
        self.order.push(Part::Kept(part));
        Ok(())
    }

    fn keep_bytes(&mut self, value: &Value) -> Result<(), WireError> {
        self.n_kept_bytes += value.to_string().len();
        too_much_state(self.n_kept_bytes)
    }

    /// The call with a key of the provider's.
    pub(crate) fn find(&self, key: u64) -> Option<CallRef> {
        self.calls.iter().rposition(|draft| draft.key == key).map(CallRef)
    }

    /// The call that began last.
    pub(crate) fn last(&self) -> Option<CallRef> {
        self.calls.len().checked_sub(1).map(CallRef)
    }

    /// Begins a call.
    ///
    /// Errors: there are too many.
    pub(crate) fn begin(&mut self, key: u64) -> Result<CallRef, WireError> {
        if self.calls.len() + self.n_abandoned >= limits::CALLS_PER_TURN {
            return Err(too_many_calls());
        }
        let call = CallRef(self.calls.len());
        self.order.push(Part::Call(call.0));
        self.calls.push(Draft {
            key,
            id: String::new(),
            name: String::new(),
            json: String::new(),
            extra: None,
            is_closed: false,
            n_reads: 0,
        });
        Ok(call)
    }

    /// Sets id and name, where they are not set yet.
    pub(crate) fn identify(
        &mut self,
        call: CallRef,
        id: Option<&str>,
        name: Option<&str>,
    ) -> Result<(), WireError> {
        let draft = &mut self.calls[call.0];
        if let Some(id) = id.filter(|_| draft.id.is_empty()) {
            if id.len() > ID_BYTES {
                return Err(WireError::malformed(
                    "the answer has a call with an id that is too long",
                ));
            }
            id.clone_into(&mut draft.id);
        }
        if let Some(name) = name.filter(|_| draft.name.is_empty()) {
            if name.len() > NAME_BYTES {
                return Err(WireError::malformed(
                    "the answer has a call with a tool name that is too long",
                ));
            }
            name.clone_into(&mut draft.name);
        }
        Ok(())
    }

    /// Whether a fragment with a name begins another call than the one that it is addressed to: that
    /// one is complete, and has another id, or neither has one. Some servers give every call the
    /// index 0, some give none, and some repeat the name with each fragment of a call. A call
    /// without arguments is complete if a call of another tool follows it.
    pub(crate) fn is_another(&mut self, call: CallRef, fragment: &CallFragment<'_>) -> bool {
        let CallFragment { name, id, has_arguments } = *fragment;
        let draft = &mut self.calls[call.0];
        let may_be_another = match id {
            Some(id) => !draft.id.is_empty() && id != draft.id,
            None => draft.id.is_empty() && (has_arguments || name != draft.name),
        };
        if !may_be_another || draft.name.is_empty() || draft.n_reads == MAX_READS {
            return false;
        }
        draft.n_reads += 1;
        match draft.json.trim() {
            "" => id.is_some() || name != draft.name,
            json => repair::is_complete(json),
        }
    }

    /// More of the arguments of a call.
    pub(crate) fn arguments(
        &mut self,
        call: CallRef,
        json: &str,
        out: &mut Vec<TurnEvent>,
    ) -> Result<(), WireError> {
        let draft = &mut self.calls[call.0];
        if json.is_empty() {
            return Ok(());
        }
        if draft.json.len() + json.len() > limits::CALL_ARGS_BYTES {
            return Err(too_long_arguments());
        }
        draft.json.push_str(json);
        out.push(TurnEvent::CallDelta {
            index: self.n_abandoned + call.0,
            name: draft.name.clone(),
            json: json.to_owned(),
        });
        Ok(())
    }

    /// The arguments of a call as a whole, which count instead of what came before.
    pub(crate) fn set_arguments(&mut self, call: CallRef, json: String) -> Result<(), WireError> {
        if json.len() > limits::CALL_ARGS_BYTES {
            return Err(too_long_arguments());
        }
        self.calls[call.0].json = json;
        Ok(())
    }

    /// Whether nothing of the arguments of a call has come yet.
    pub(crate) fn has_no_arguments(&self, call: CallRef) -> bool {
        self.calls[call.0].json.is_empty()
    }

    /// Keeps what the provider wants back with a call.
    pub(crate) fn call_extra(&mut self, call: CallRef, extra: Value) -> Result<(), WireError> {
        self.keep_bytes(&extra)?;
        self.calls[call.0].extra = Some(extra);
        Ok(())
    }

    /// The call is complete.
    pub(crate) fn close(&mut self, call: CallRef) {
        self.calls[call.0].is_closed = true;
    }

    /// All calls are complete: the format says so once for all of them.
    pub(crate) fn close_all(&mut self) {
        for draft in &mut self.calls {
            draft.is_closed = true;
        }
    }

    /// Whether something was said or called.
    pub(crate) fn has_content(&self) -> bool {
        self.n_text_bytes > 0 || !self.calls.is_empty()
    }

    /// Whether there are no calls.
    pub(crate) fn has_no_calls(&self) -> bool {
        self.calls.is_empty()
    }

    /// Whether the arguments of every call can be read as they are.
    pub(crate) fn all_complete(&self) -> bool {
        self.calls.iter().all(|draft| repair::is_complete(&draft.json))
    }

    /// More of the text by which the model refuses.
    pub(crate) fn refuse(&mut self, text: &str) {
        if self.refusal.len() < REFUSAL_BYTES {
            self.refusal.push_str(text);
        }
    }

    /// A report of tokens.
    pub(crate) fn count(&mut self, counts: Counts) {
        self.counts.merge(counts);
    }

    /// What was reported of tokens so far; `None` as for [`Counts::usage`].
    pub(crate) fn usage(&self) -> Option<Usage> {
        self.counts.usage()
    }

    /// The provider begins its message again.
    pub(crate) fn restart(&mut self) {
        let n_abandoned = self.n_abandoned + self.calls.len();
        let n_text_bytes = self.n_text_bytes;
        *self = Self { n_abandoned, n_text_bytes, ..Self::default() };
    }

    /// The events that complete the turn.
    ///
    /// Errors: the turn is refused, or a call is not complete.
    pub(crate) fn finish(
        &mut self,
        stop: Stop,
        context: &TurnContext,
    ) -> Result<Vec<TurnEvent>, WireError> {
        let counts = self.counts;
        let turn = std::mem::take(self);
        // What was used stays known if the turn is none.
        self.counts = counts;
        turn.events(stop, context)
    }

    fn events(self, stop: Stop, context: &TurnContext) -> Result<Vec<TurnEvent>, WireError> {
        if !self.refusal.is_empty() {
            return Err(refusal(&self.refusal));
        }
        let has_cut_calls = match context.rung {
            ToolMode::Native => !self.all_complete(),
            // The calls are in the text, which was cut.
            ToolMode::Schema | ToolMode::Text => true,
        };
        let says_nothing = || {
            let is_text =
                |part: &Part| matches!(part, Part::Text { text, .. } if !text.trim().is_empty());
            self.calls.is_empty() && !self.order.iter().any(is_text)
        };
        if stop == Stop::Length && says_nothing() {
            return Err(WireError::UsedUp);
        }
        if stop == Stop::Length && has_cut_calls {
            return Err(WireError::refused(
                "the answer reached the limit of output tokens in the middle of a tool call",
            ));
        }
        if let Some(draft) = self.calls.iter().find(|draft| !draft.is_closed) {
            let name = super::failure::clean(&draft.name);
            return Err(WireError::malformed(format!(
                "the answer ended before the call of {name:?} was complete"
            )));
        }
        if self.calls.iter().any(|draft| draft.name.is_empty()) {
            return Err(WireError::malformed("the answer has a call without the name of a tool"));
        }
        let ended = stop == Stop::Finished && self.calls.is_empty();
        let usage = self.counts.usage();
        let (calls, state) = self.calls_and_state(context)?;
        let mut events: Vec<_> = calls.into_iter().map(TurnEvent::Call).collect();
        events.extend(state.map(TurnEvent::State));
        events.extend(usage.map(TurnEvent::Usage));
        events.push(TurnEvent::End { ended });
        Ok(events)
    }

    fn calls_and_state(
        self,
        context: &TurnContext,
    ) -> Result<(Vec<ToolCall>, Option<ProviderState>), WireError> {
        let is_kept = self.calls.iter().any(|draft| draft.extra.is_some())
            || self.order.iter().any(|part| match part {
                Part::Kept(_) | Part::Text { extra: Some(_), .. } => true,
                Part::Text { extra: None, .. } | Part::Call(_) => false,
            });
        let mut taken = BTreeSet::new();
        let mut calls = Vec::new();
        let mut ids_of: Vec<Vec<String>> = Vec::new();
        let mut extras = Vec::new();
        for draft in self.calls {
            let whole =
                ToolCall { id: draft.id, name: draft.name, args: repair::arguments(&draft.json) };
            let mut ids = Vec::new();
            for mut call in unwrap_parallel(whole, &context.offered) {
                if calls.len() == limits::CALLS_PER_TURN {
                    return Err(too_many_calls());
                }
                call.id = unique_call_id(call.id, context.turn, calls.len(), &taken);
                taken.insert(call.id.clone());
                ids.push(call.id.clone());
                calls.push(call);
            }
            ids_of.push(ids);
            extras.push(draft.extra);
        }
        if !is_kept {
            return Ok((calls, None));
        }
        let mut pieces = Vec::new();
        for part in self.order {
            match part {
                Part::Text { text, extra } => pieces.push(Piece::Text { text, extra }),
                Part::Kept(value) => pieces.push(Piece::Kept(value)),
                Part::Call(n) => {
                    let mut extra = extras.get_mut(n).and_then(Option::take);
                    for id in &ids_of[n] {
                        pieces.push(Piece::Call { id: id.clone(), extra: extra.take() });
                    }
                }
            }
        }
        let data = context.writer.state(pieces);
        too_much_state(data.len())?;
        Ok((calls, Some(ProviderState { provider: context.provider.clone(), data })))
    }
}

/// The error for a turn that the model or the provider refuses, with its own words.
pub(crate) fn refusal(words: &str) -> WireError {
    let words = super::failure::clean(words);
    let what = "the model refused to answer";
    WireError::refused(if words.is_empty() { what.to_owned() } else { format!("{what}: {words}") })
}

pub(crate) fn too_many_calls() -> WireError {
    WireError::refused(format!(
        "the model wrote more than {} tool calls in one answer",
        limits::CALLS_PER_TURN
    ))
}

fn too_long_arguments() -> WireError {
    WireError::refused(format!(
        "the model wrote more than {} bytes of arguments for one call",
        limits::CALL_ARGS_BYTES
    ))
}

/// Refuses what a provider may not want back.
pub(crate) fn too_much_state(n_bytes: usize) -> Result<(), WireError> {
    ProviderState::check_size(n_bytes).map_err(WireError::refused)
}

/// The calls inside a call of OpenAI's wrapper `parallel`, which its models sometimes call although
/// it is not offered; any other call as it is.
fn unwrap_parallel(call: ToolCall, offered: &[String]) -> Vec<ToolCall> {
    let is_offered = |name: &str| offered.iter().any(|offered| offered == name);
    let is_wrapper = matches!(call.name.as_str(), "parallel" | "multi_tool_use.parallel");
    if !is_wrapper || is_offered(&call.name) {
        return vec![call];
    }
    let inner = call.args.get("tool_uses").and_then(Value::as_array).map(|uses| {
        let one = |each: &Value| {
            let name = each.get("recipient_name")?.as_str()?;
            let name = name.strip_prefix("functions.").unwrap_or(name);
            let args = each.get("parameters")?.clone();
            Some(ToolCall { id: String::new(), name: name.to_owned(), args })
        };
        uses.iter().map(one).collect::<Option<Vec<_>>>()
    });
    match inner.flatten() {
        Some(calls) if !calls.is_empty() && calls.iter().all(|call| is_offered(&call.name)) => {
            calls
        }
        Some(_) | None => vec![call],
    }
}
