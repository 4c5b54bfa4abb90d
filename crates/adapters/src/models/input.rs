//! What a decoder is given, and what it says while nothing can be shown.

use dormouse_types::model::TurnEvent;
use serde_json::Value;

/// The next part of an answer.
#[derive(Debug, Clone, Copy)]
pub enum Input<'a> {
    /// One event of a stream.
    Event(&'a Value),
    /// A whole answer that is not a stream.
    Whole(&'a Value),
    /// `[DONE]`.
    Done,
    /// The server closed the stream.
    Closed,
}

/// The model is working on something that is not shown.
pub(crate) fn working() -> TurnEvent {
    TurnEvent::Text(String::new())
}
