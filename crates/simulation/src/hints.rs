//! The hints of commits that one process hears, in an order that repeats.

use std::sync::Mutex;

use tokio::sync::watch;

use crate::locks::lock;

/// Sends hints to everybody in a process who listens.
///
/// Each listener has a channel of its own: one channel with several receivers wakes them in an
/// order that no seed decides.
#[derive(Debug, Default)]
pub(crate) struct NodeHints(Mutex<Vec<watch::Sender<u64>>>);

impl NodeHints {
    /// Receives the hints from now on.
    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        let (sender, receiver) = watch::channel(0);
        lock(&self.0).push(sender);
        receiver
    }

    /// Hints at a commit; the listeners wake in the order in which they came.
    pub(crate) fn send(&self) {
        let mut listeners = lock(&self.0);
        listeners.retain(|listener| !listener.is_closed());
        for listener in &*listeners {
            listener.send_modify(|number| *number += 1);
        }
    }
}
