//! The system's clock with a shift: a merge window is closed by moving the time, not by waiting.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use dormouse_adapters::SystemClock;
use dormouse_types::Timestamp;
use dormouse_types::port::{BoxFuture, Clock};

/// The system's time and so much more. Clones share the shift.
#[derive(Debug, Clone, Default)]
pub struct ShiftedClock {
    by: Arc<AtomicI64>,
}

impl ShiftedClock {
    /// Advances the time that is read from now on; sleepers are not woken.
    pub fn advance(&self, by: Duration) {
        let micros = i64::try_from(by.as_micros()).unwrap_or(i64::MAX);
        self.by.fetch_add(micros, Ordering::SeqCst);
    }

    fn shift(&self) -> Duration {
        Duration::from_micros(u64::try_from(self.by.load(Ordering::SeqCst)).unwrap_or(0))
    }
}

impl Clock for ShiftedClock {
    fn now(&self) -> Timestamp {
        SystemClock.now() + self.shift()
    }

    fn sleep_until(&self, at: Timestamp) -> BoxFuture<'static, ()> {
        SystemClock.sleep_until(at - self.shift())
    }
}

/// Units: milliseconds.
pub fn millis(from: Timestamp, to: Timestamp) -> f64 {
    seconds(from, to) * 1000.0
}

/// Units: seconds.
#[expect(clippy::cast_precision_loss, reason = "a bench lasts no years")]
pub fn seconds(from: Timestamp, to: Timestamp) -> f64 {
    (to.micros() - from.micros()) as f64 / 1e6
}
