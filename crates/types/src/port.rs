//! The ports: what the runtime needs from outside and a test replaces.
//!
//! All are object-safe. Nothing in a room reads a clock, draws a random number or opens a
//! connection by itself.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use futures_core::Stream;

use crate::model::{ModelError, Request, TurnEvent};
use crate::time::Timestamp;

/// A boxed future.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
/// A boxed stream.
pub type BoxStream<'a, T> = Pin<Box<dyn Stream<Item = T> + Send + 'a>>;

/// The time.
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> Timestamp;
    /// Completes once `now() >= at`.
    fn sleep_until(&self, at: Timestamp) -> BoxFuture<'static, ()>;
    /// Completes when so much time has passed, also when the clock was set back meanwhile.
    fn sleep(&self, by: Duration) -> BoxFuture<'static, ()> {
        self.sleep_until(self.now() + by)
    }
}

/// Randomness.
pub trait Entropy: Send + Sync {
    /// Fills `out` with random bytes.
    fn fill(&self, out: &mut [u8]);
}

/// A language model, a rules model or a script.
pub trait Model: Send + Sync {
    /// What it is called in reports, provenance and prompts, for example `builtin`.
    fn name(&self) -> &str;
    /// Who runs it: what is away when it is away.
    fn provider(&self) -> &str {
        self.name()
    }
    /// What using it costs; decides the merge window and automation by default.
    fn class(&self) -> ModelClass;
    /// Whether it acts on what a person says to the agent, beside what the task says.
    fn reads_messages(&self) -> bool {
        true
    }
    /// Asks one turn.
    fn ask<'a>(&'a self, request: &'a Request) -> BoxStream<'a, Result<TurnEvent, ModelError>>;
}

/// What using a model costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelClass {
    /// Free: built in, or running on this machine.
    Free,
    /// Paid by use.
    Paid,
}

/// Where a fault may strike. A no-op outside of tests.
///
/// Points stand before a commit, after COMMIT, and before its answer, never with a transaction
/// open, so both databases can be cloned there at one instant.
pub trait Faults: Send + Sync {
    /// Called when the program passes `point`.
    fn pass(&self, point: Point<'_>);
}

/// A place in the program where a fault may strike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point<'a> {
    /// Where in the life of a commit or of an effect.
    pub stage: Stage,
    /// What is being done, for example `run.claim` or `ask`.
    pub label: &'a str,
}

/// The stage of a fault point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Nothing is written yet.
    BeforeCommit,
    /// Durable, but nobody knows it yet: a commit point.
    AfterCommit,
    /// Before something that leaves no row: asking a model.
    BeforeEffect,
    /// After it, before its result is written.
    AfterEffect,
}

/// No faults.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFaults;

impl Faults for NoFaults {
    fn pass(&self, _point: Point<'_>) {}
}
