//! Waiting for what a test asked for.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::Duration;

/// Wakes a thread that waits for one future; others may wait on the same thread.
struct Alarm {
    thread: Thread,
    is_raised: AtomicBool,
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.is_raised.store(true, Ordering::SeqCst);
        self.thread.unpark();
    }
}

/// Waits for a future on this thread, also within another that waits: a hook may do so. A store in memory
/// and a script answer at once, files and a server soon.
///
/// Panics: nothing happens for a minute.
pub fn wait<F: Future>(future: F) -> F::Output {
    let alarm =
        Arc::new(Alarm { thread: std::thread::current(), is_raised: AtomicBool::new(false) });
    let waker = Waker::from(alarm.clone());
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return output;
        }
        let is_raised = || alarm.is_raised.swap(false, Ordering::SeqCst);
        let is_awake = (0..60).any(|_| {
            std::thread::park_timeout(Duration::from_secs(1));
            is_raised()
        });
        assert!(is_awake, "nothing happened for a minute");
    }
}
