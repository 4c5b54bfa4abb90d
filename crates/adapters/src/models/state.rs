//! What a provider gets back with a turn that it gave.
//!
//! Stored as JSON: the pieces of the turn in the order in which they came, with the server and the format that
//! they came from: under the name of a provider there may be another one by now. Calls are named by their ids and
//! not repeated, because the turn has them.

use std::borrow::Cow;

use dormouse_types::model::{ToolCall, Turn};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::config::ModelConfig;

/// What is kept of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Kept<'a> {
    #[serde(flatten)]
    writer: Cow<'a, Writer>,
    pieces: Vec<Piece>,
}

/// Who wrote a turn, and in which format: only there its pieces mean anything.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Writer {
    /// The origin of the server's address.
    origin: String,
    /// The name of the format.
    format: String,
}

impl Writer {
    /// The one that a model is reached at.
    pub(crate) fn of(config: &ModelConfig) -> Self {
        Self { origin: config.base.origin(), format: config.format.name().to_owned() }
    }

    /// The pieces of a turn as they are stored.
    pub(crate) fn state(&self, pieces: Vec<Piece>) -> String {
        json!(Kept { writer: Cow::Borrowed(self), pieces }).to_string()
    }
}

/// One piece of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Piece {
    /// Text, perhaps with what belongs to it.
    Text {
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        extra: Option<Value>,
    },
    /// A call of the turn, perhaps with what belongs to it.
    Call {
        id: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        extra: Option<Value>,
    },
    /// A part that goes back as it came.
    Kept(Value),
}

/// A piece with the call that it names.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Replay<'a> {
    /// Text, perhaps with what belongs to it.
    Text(String, Option<Value>),
    /// A call, perhaps with what belongs to it.
    Call(&'a ToolCall, Option<Value>),
    /// A part that goes back as it came.
    Kept(Value),
}

/// The pieces of a turn for the server of a model: as it sent them, or text and calls if it kept nothing.
///
/// What another provider, another server or another format wrote, as before a change of the provider's address, is
/// not sent: the turn is text and calls then.
pub(crate) fn replay<'a>(turn: &'a Turn, config: &ModelConfig) -> Vec<Replay<'a>> {
    let own = turn.provider_state.as_ref().filter(|state| state.provider == config.provider);
    let kept = own.and_then(|state| serde_json::from_str::<Kept<'_>>(&state.data).ok());
    let kept = kept.filter(|kept| *kept.writer == Writer::of(config));
    let pieces = kept.map(|kept| kept.pieces);
    let mut replay = Vec::new();
    let mut is_sent = vec![false; turn.calls.len()];
    match pieces {
        None if turn.text.is_empty() => {}
        None => replay.push(Replay::Text(turn.text.clone(), None)),
        Some(pieces) => {
            for piece in pieces {
                match piece {
                    Piece::Text { text, extra } => replay.push(Replay::Text(text, extra)),
                    Piece::Kept(part) => replay.push(Replay::Kept(part)),
                    Piece::Call { id, extra } => {
                        let at = turn.calls.iter().position(|call| call.id == id);
                        if let Some(at) = at.filter(|at| !is_sent[*at]) {
                            is_sent[at] = true;
                            replay.push(Replay::Call(&turn.calls[at], extra));
                        }
                    }
                }
            }
        }
    }
    for (call, is_sent) in turn.calls.iter().zip(is_sent) {
        if !is_sent {
            replay.push(Replay::Call(call, None));
        }
    }
    replay
}
