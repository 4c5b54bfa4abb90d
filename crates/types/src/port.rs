//! The ports: what the runtime needs from outside, and tests replace.
//!
//! All are object-safe. No room reads a clock, draws a random number or opens a connection except
//! through a port.

use std::pin::Pin;
use std::time::Duration;

use futures_core::Stream;

use crate::limits;
use crate::model::{ModelError, Request, TurnEvent};
use crate::spend::Price;

pub use crate::clock::{BoxFuture, Clock};
pub use crate::entropy::Entropy;

/// A boxed stream.
pub type BoxStream<'a, T> = Pin<Box<dyn Stream<Item = T> + Send + 'a>>;

/// A language model, a rules model or a script.
pub trait Model: Send + Sync {
    /// Its name in reports, provenance and prompts, for example `builtin`.
    fn name(&self) -> &str;
    /// The provider; the circuit breaker is keyed by it.
    fn provider(&self) -> &str {
        self.name()
    }
    /// Its cost class; decides the defaults of merge window and automation.
    fn class(&self) -> ModelClass;
    /// Whether it acts on user messages, not only on the content of the task.
    fn reads_messages(&self) -> bool {
        true
    }
    /// Where what is sent to it ends up.
    fn location(&self) -> ModelLocation {
        ModelLocation::BuiltIn
    }
    /// Whether it is known how it calls tools. One of which it is not is tried before it is asked.
    fn is_probed(&self) -> bool {
        true
    }
    /// Whether this process lacks the key that it needs, and another process of the same database may have it.
    /// If called anyway, it sends nothing and says what is missing.
    fn lacks_key(&self) -> bool {
        false
    }
    /// How long an answer may take.
    fn patience(&self) -> Patience {
        Patience::default()
    }
    /// What it costs; `None` if nobody knows. Only for models of the class [`ModelClass::Paid`].
    fn price(&self) -> Option<Price> {
        None
    }
    /// How much it reads and writes in one turn; `None` if nobody knows, or there is no limit. Units:
    /// tokens.
    fn window(&self) -> Option<u64> {
        None
    }
    /// The most it writes in one turn. Units: tokens.
    fn max_output(&self) -> u64 {
        0
    }
    /// The HTTP request by which [`Model::ask`] would send `request`, with its key left out; `None`
    /// if nothing leaves the process.
    fn outgoing(&self, _request: &Request) -> Option<OutgoingRequest> {
        None
    }
    /// Requests one turn. Dropping the stream ends the call and closes its connection.
    fn ask<'a>(&'a self, request: &'a Request) -> BoxStream<'a, Result<TurnEvent, ModelError>>;
}

/// Keeps the key by which secrets in the database are sealed, outside the databases: a copy of the data
/// alone opens none of them.
pub trait SealingKeys: Send + Sync {
    /// The key; `None` if none was made yet.
    ///
    /// Errors: it cannot be read, or there is nowhere to keep one; the text says what to do.
    fn find(&self) -> Result<Option<[u8; 32]>, String>;
    /// The key; if there is none, `fresh` is kept as the key from now on.
    ///
    /// Errors: as for [`Self::find`], or it cannot be kept.
    fn find_or_keep(&self, fresh: [u8; 32]) -> Result<[u8; 32], String>;
}

/// A program that has nowhere to keep a key.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoSealingKeys;

impl SealingKeys for NoSealingKeys {
    fn find(&self) -> Result<Option<[u8; 32]>, String> {
        Ok(None)
    }

    fn find_or_keep(&self, _fresh: [u8; 32]) -> Result<[u8; 32], String> {
        Err("this program has nowhere to keep the key that seals secrets".to_owned())
    }
}

/// Runs work that computes, alongside the loop that waits for it.
pub trait Compute: Send + Sync {
    /// Runs a job; completes when it has ended, even if it panicked. Dropping the future abandons
    /// the job, which may still run to its end.
    fn run(&self, job: Box<dyn FnOnce() + Send>) -> BoxFuture<'static, ()>;
}

/// Runs each job at once, on the thread that asks.
#[derive(Debug, Clone, Copy, Default)]
pub struct InlineCompute;

impl Compute for InlineCompute {
    fn run(&self, job: Box<dyn FnOnce() + Send>) -> BoxFuture<'static, ()> {
        job();
        Box::pin(std::future::ready(()))
    }
}

/// The cost class of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelClass {
    /// Free: built in, or running on this machine.
    Free,
    /// Charged by use.
    Paid,
}

/// Where what is sent to a model ends up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelLocation {
    /// In this process.
    BuiltIn,
    /// On a server that the person says is their own. Its address decides nothing: a server on
    /// this machine may pass on what it gets.
    OwnServer,
    /// With somebody else.
    Elsewhere,
}

/// How long the answer of a model may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// Until the first event of an answer.
    pub first: Duration,
    /// Between two events of an answer.
    pub between: Duration,
    /// For all turns of a run together.
    pub run: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            first: Duration::from_secs(limits::MODEL_SECONDS),
            between: Duration::from_secs(limits::MODEL_SECONDS),
            run: Duration::from_secs(limits::WAKE_SECONDS),
        }
    }
}

impl Patience {
    /// The time limits of a model on a machine of one's own, which may be slow.
    pub fn local() -> Self {
        Self {
            first: Duration::from_secs(limits::LOCAL_FIRST_SECONDS),
            between: Duration::from_secs(limits::LOCAL_BETWEEN_SECONDS),
            run: Duration::from_secs(limits::LOCAL_WAKE_SECONDS),
        }
    }
}

/// An HTTP request as it leaves the process, except for secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutgoingRequest {
    /// For example `POST`.
    pub method: &'static str,
    /// The whole address.
    pub url: String,
    /// Names and values, in order; the value of a secret is replaced.
    pub headers: Vec<(String, String)>,
    /// The body, byte for byte.
    pub body: String,
}

/// Where tests can inject a fault. Does nothing outside tests.
///
/// Points lie before a commit, after COMMIT, and before its answer, never inside an open
/// transaction, so both databases can be cloned there at one instant.
pub trait Faults: Send + Sync {
    /// Called when the program passes `point`.
    fn pass(&self, point: Point<'_>);
}

/// A place in the program where tests can inject a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point<'a> {
    /// The position relative to a commit or an effect.
    pub stage: Stage,
    /// The operation, for example `run.claim` or `ask`.
    pub label: &'a str,
}

/// The stage of a fault point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Nothing has been written yet.
    BeforeCommit,
    /// Durable, but the caller does not know it yet: a commit point.
    AfterCommit,
    /// Before an effect that leaves no row: a model request.
    BeforeEffect,
    /// After the effect, before its result is written.
    AfterEffect,
}

/// No faults.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFaults;

impl Faults for NoFaults {
    fn pass(&self, _point: Point<'_>) {}
}
