//! What is on its way to a socket: frames in order, and never more than a slow reader may owe.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use dormouse_types::limits::{SOCKET_BYTES, SOCKET_EVENTS};
use tokio::sync::Notify;

use super::Close;

/// Something to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Frame {
    /// JSON text.
    Text(String),
    /// Asks whether anybody is there.
    Ping,
    /// The end.
    Close(Close),
}

#[derive(Default)]
struct Inner {
    frames: VecDeque<Frame>,
    bytes: usize,
    /// Whether a frame was taken out and is being sent.
    is_sending: bool,
}

/// The frames between whoever makes them and the socket.
#[derive(Default)]
pub(super) struct Queue {
    inner: Mutex<Inner>,
    filled: Notify,
    drained: Notify,
}

impl Queue {
    /// Adds a text.
    ///
    /// Errors: the reader owes too much; nothing was added.
    pub(super) fn push(&self, text: String) -> Result<(), Close> {
        {
            let mut inner = self.inner();
            let bytes = inner.bytes + text.len();
            if inner.frames.len() >= SOCKET_EVENTS || bytes > SOCKET_BYTES {
                return Err(Close::TOO_SLOW);
            }
            inner.bytes = bytes;
            inner.frames.push_back(Frame::Text(text));
        }
        self.filled.notify_one();
        Ok(())
    }

    /// Asks whether anybody is there, behind what waits.
    pub(super) fn ping(&self) {
        self.inner().frames.push_back(Frame::Ping);
        self.filled.notify_one();
    }

    /// Ends it: what waits is not sent any more.
    pub(super) fn close(&self, close: Close) {
        {
            let mut inner = self.inner();
            inner.frames.clear();
            inner.bytes = 0;
            inner.frames.push_back(Frame::Close(close));
        }
        self.filled.notify_one();
    }

    /// Waits for the next frame. Whoever asks has sent the one before.
    pub(super) async fn next(&self) -> Frame {
        loop {
            if let Some(frame) = self.take() {
                return frame;
            }
            self.filled.notified().await;
        }
    }

    fn take(&self) -> Option<Frame> {
        let mut inner = self.inner();
        let frame = inner.frames.pop_front();
        inner.is_sending = frame.is_some();
        if let Some(Frame::Text(text)) = &frame {
            inner.bytes -= text.len();
        }
        if frame.is_none() {
            self.drained.notify_one();
        }
        frame
    }

    /// Waits until everything was sent.
    pub(super) async fn drained(&self) {
        loop {
            {
                let inner = self.inner();
                if inner.frames.is_empty() && !inner.is_sending {
                    return;
                }
            }
            self.drained.notified().await;
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        // Nobody stops half way: it is whole also when a thread panicked.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
