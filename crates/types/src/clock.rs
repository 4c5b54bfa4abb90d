//! The port of the time. It imports nothing but times, so that ids and models may both use it.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use crate::time::Timestamp;

/// A boxed future.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The time.
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> Timestamp;
    /// Completes once `now() >= at`.
    fn sleep_until(&self, at: Timestamp) -> BoxFuture<'static, ()>;
    /// Completes after a duration has passed, even if the clock was set back meanwhile.
    fn sleep(&self, by: Duration) -> BoxFuture<'static, ()> {
        self.sleep_until(self.now() + by)
    }
}
