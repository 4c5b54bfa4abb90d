//! What a provider gets back with a turn that it gave.
//!
//! Stored as JSON: the pieces of the turn in the order in which they came. Calls are named by their
//! ids and not repeated, because the turn has them.

use dormouse_types::model::{ToolCall, Turn};
use serde::{Deserialize, Serialize};
use serde_json::Value;

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

/// The pieces of a turn for `provider`: as it sent them, or text and calls if it kept nothing.
///
/// What another provider wrote is not read. A turn whose pieces were written in another format, as
/// after a change of the model's settings, is sent as text and calls.
pub(crate) fn replay<'a>(turn: &'a Turn, provider: &str) -> Vec<Replay<'a>> {
    let own = turn.provider_state.as_ref().filter(|state| state.provider == provider);
    let pieces = own.and_then(|state| serde_json::from_str::<Vec<Piece>>(&state.data).ok());
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
