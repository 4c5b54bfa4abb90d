//! The system clock.

use std::time::Duration;

use dormouse_types::Timestamp;
use dormouse_types::port::{BoxFuture, Clock};

/// Reads the time of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

/// Units: seconds. After a clock change or a suspend, a sleeping task notices within this time.
const LONGEST_NAP: Duration = Duration::from_secs(30);

impl Clock for SystemClock {
    #[allow(clippy::disallowed_methods, reason = "this is the port's one real clock")]
    fn now(&self) -> Timestamp {
        Timestamp::from_jiff(jiff::Timestamp::now())
    }

    #[allow(clippy::disallowed_methods, reason = "this is the port's one real sleep")]
    fn sleep_until(&self, at: Timestamp) -> BoxFuture<'static, ()> {
        let clock = *self;
        Box::pin(async move {
            loop {
                let missing = at.micros().saturating_sub(clock.now().micros());
                let Ok(missing @ 1..) = u64::try_from(missing) else { return };
                tokio::time::sleep(Duration::from_micros(missing).min(LONGEST_NAP)).await;
            }
        })
    }

    #[allow(clippy::disallowed_methods, reason = "this is the port's one real sleep")]
    fn sleep(&self, by: Duration) -> BoxFuture<'static, ()> {
        Box::pin(async move { tokio::time::sleep(by).await })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn sleeping_until_a_past_moment_ends_at_once() {
        let past = SystemClock.now() - Duration::from_secs(60);
        SystemClock.sleep_until(past).await;
        assert!(SystemClock.now() > past);
    }

    #[tokio::test]
    async fn nobody_wakes_before_the_moment() {
        let soon = SystemClock.now() + Duration::from_millis(20);
        SystemClock.sleep_until(soon).await;
        assert!(SystemClock.now() >= soon);
    }
}
