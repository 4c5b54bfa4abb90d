//! Server-sent events, with a limit on each event and on the stream.
//!
//! `sse-core` reads them, byte for byte as they come, and holds no more than the event it is in.
//! This room adds the limit on the whole stream, which comments and keep-alives count towards too.
//! Source: the HTML standard, section 9.2, "Server-sent events".

use std::num::NonZeroUsize;

use bytes::Bytes;
use dormouse_types::limits;
use sse_core::{SseDecoder, SseEvent};

/// Reads the data of events from pieces of any size.
pub struct SseReader {
    decoder: SseDecoder,
    n_bytes: usize,
}

/// A stream beyond a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SseError {
    /// One event is too long.
    #[error("an event of the answer has more than {} bytes", limits::ANSWER_EVENT_BYTES)]
    EventTooLarge,
    /// All of it together is too long.
    #[error("the answer has more than {} bytes", limits::ANSWER_STREAM_BYTES)]
    StreamTooLarge,
}

const EVENT_BYTES: NonZeroUsize = NonZeroUsize::new(limits::ANSWER_EVENT_BYTES).unwrap();

impl Default for SseReader {
    fn default() -> Self {
        Self { decoder: SseDecoder::with_limit(EVENT_BYTES), n_bytes: 0 }
    }
}

impl SseReader {
    /// Takes the next piece of the stream; returns the data of each event that it completes.
    ///
    /// Errors: the stream is beyond a limit. Nothing after it may be read.
    pub fn feed(&mut self, mut piece: Bytes) -> Result<Vec<String>, SseError> {
        self.n_bytes = self.n_bytes.saturating_add(piece.len());
        if self.n_bytes > limits::ANSWER_STREAM_BYTES {
            return Err(SseError::StreamTooLarge);
        }
        let mut events = Vec::new();
        while let Some(event) = self.decoder.next(&mut piece) {
            match event {
                Ok(SseEvent::Message(message)) => events.push(message.data),
                // There is no second connection that could wait.
                Ok(SseEvent::Retry(_)) => {}
                Err(_) => return Err(SseError::EventTooLarge),
            }
        }
        Ok(events)
    }

    /// Ends the stream. An event without the empty line after it counts: some servers leave that out
    /// at the end, and one that was cut is no JSON.
    ///
    /// Errors: as [`SseReader::feed`].
    pub fn end(&mut self) -> Result<Vec<String>, SseError> {
        self.feed(Bytes::from_static(b"\n\n"))
    }
}
