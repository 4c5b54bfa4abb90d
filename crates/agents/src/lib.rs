//! Agents: who wakes when, what they see, what they remember.
//!
//! Owns: routing and the wake queue, run keys, the context of a task agent, its two memories (the
//! report a person reads and the private log), its lifecycle. Does not own: driving a run (the
//! runs room), proposals and verdicts (the changes room), the person's data. The failures it
//! defends against: a change that wakes nobody, an agent that wakes itself, a wake that costs
//! something though nothing changed, a report without its head, memory made of a failed run.
//!
//! Reading order: [`wake`], [`lifecycle`], [`inbox`], [`context`], [`tools`], [`memory`], [`task_agent`].

pub mod wake;
pub mod lifecycle;
pub mod inbox;
pub mod context;
pub mod tools;
pub mod memory;
pub mod task_agent;
pub mod error;

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use dormouse_changes::Changes;
use dormouse_journal::Journal;
use dormouse_runs::{Driver, Stop};
use dormouse_store::Store;
use dormouse_types::port::{Clock, Entropy};
use futures_util::future::FutureExt as _;

pub use error::AgentError;
pub use tools::TOOLS;

/// Routes, wakes and runs agents. Cheap to clone.
#[derive(Clone)]
pub struct Agents {
    pub(crate) store: Store,
    pub(crate) journal: Journal,
    pub(crate) changes: Changes,
    pub(crate) driver: Driver,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) zone: jiff::tz::TimeZone,
    pub(crate) owner: String,
    pub(crate) lease: Duration,
    pub(crate) stop: Stop,
}

/// What agents are joined from.
#[derive(Clone)]
pub struct Parts {
    /// Both databases.
    pub store: Store,
    /// The person's data.
    pub journal: Journal,
    /// Proposals.
    pub changes: Changes,
    /// Drives runs.
    pub driver: Driver,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub entropy: Arc<dyn Entropy>,
    /// The workspace's time zone.
    pub zone: jiff::tz::TimeZone,
    /// The name under which this process holds leases.
    pub owner: String,
}

impl Agents {
    /// Joins what agents need.
    pub fn new(parts: Parts) -> Self {
        let Parts { store, journal, changes, driver, clock, entropy, zone, owner } = parts;
        let lease = dormouse_store::lease::term();
        let stop = pending().boxed().shared();
        Self { store, journal, changes, driver, clock, entropy, zone, owner, lease, stop }
    }

    /// How long a lease lasts without a sign of life.
    pub fn lease(&self) -> Duration {
        self.lease
    }

    /// The same agents, whose leases last so long: how soon another node takes over from a dead one.
    #[must_use]
    pub fn with_lease(mut self, lasts: Duration) -> Self {
        self.lease = lasts;
        self
    }
    /// The same agents, which begin nothing more once `stop` completes: runs that are under way put
    /// themselves back, and nothing is counted against them.
    #[must_use]
    pub fn stopping_on(&self, stop: Stop) -> Self {
        Self { driver: self.driver.stopping_on(stop.clone()), stop, ..self.clone() }
    }

    /// Whether the program is to stop.
    pub(crate) fn is_stopping(&self) -> bool {
        self.stop.clone().now_or_never().is_some()
    }
}
