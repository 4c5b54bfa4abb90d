//! The send queue of a socket: frames in order, bounded for slow readers.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use dormouse_types::limits::{SOCKET_BYTES, SOCKET_EVENTS};
use tokio::sync::Notify;

use super::close::Close;

/// A frame to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Frame {
    /// JSON text.
    Text(String),
    Ping,
    /// The close frame.
    Close(Close),
}

#[derive(Default)]
struct Inner {
    frames: VecDeque<Frame>,
    bytes: usize,
    /// Whether a frame is being sent.
    is_sending: bool,
    /// Whether a frame that every reader gets was added.
    has_begun: bool,
}

/// The frames between the producer and the socket.
#[derive(Default)]
pub(super) struct Queue {
    inner: Mutex<Inner>,
    filled: Notify,
    drained: Notify,
}

impl Queue {
    /// Adds a text.
    ///
    /// Errors: the reader is too slow; nothing was added.
    pub(super) fn push(&self, text: String) -> Result<(), Close> {
        {
            let mut inner = self.inner();
            let bytes = inner.bytes + text.len();
            if inner.frames.len() >= SOCKET_EVENTS || bytes > SOCKET_BYTES {
                return Err(Close::TOO_SLOW);
            }
            inner.bytes = bytes;
            inner.has_begun = true;
            inner.frames.push_back(Frame::Text(text));
        }
        self.filled.notify_one();
        Ok(())
    }

    /// Adds a text if nothing waits to be sent, and if it is not the first; returns whether it did.
    /// For frames that a slow reader can do without.
    pub(super) fn push_if_idle(&self, text: String) -> bool {
        {
            let mut inner = self.inner();
            if !inner.has_begun || !inner.frames.is_empty() || inner.is_sending {
                return false;
            }
            inner.bytes += text.len();
            inner.frames.push_back(Frame::Text(text));
        }
        self.filled.notify_one();
        true
    }

    /// Adds a ping after the waiting frames.
    pub(super) fn ping(&self) {
        self.inner().frames.push_back(Frame::Ping);
        self.filled.notify_one();
    }

    /// Ends the queue and discards waiting frames.
    pub(super) fn close(&self, close: Close) {
        {
            let mut inner = self.inner();
            inner.frames.clear();
            inner.bytes = 0;
            inner.frames.push_back(Frame::Close(close));
        }
        self.filled.notify_one();
    }

    /// Waits for the next frame. The caller must have sent the previous one.
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

    /// Waits until everything is sent.
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
        // No holder can leave it inconsistent, so poisoning is ignored.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
