//! Who runs next, and on which node: the queue, claims, leases, timers, takeovers, and the node's
//! loop.
//!
//! Owns: when a holder is claimed and in which order, the lease of its run and the heartbeat, what
//! becomes of a run whose owner died, when timers fire, and which background work runs besides.
//! Does not own: what a holder is. A [`Handler`] is registered for each kind of holder and decides
//! what a claim freezes, whether a run may start, and what a run does; a [`Chore`] is registered for
//! each piece of background work. The failures it defends against: one holder run by two nodes, a
//! run that nobody continues after a crash, a holder that starves, a failure of one piece of work
//! that stops all others.
//!
//! Reading order: [`end`], [`handler`], [`lease`], [`status`], [`order`], [`claim`], [`takeover`],
//! [`database_time`], [`timer`], [`slots`], [`schedule`], [`poll`], [`find`], [`node`].

pub mod end;
pub mod handler;
pub mod error;
pub mod lease;
pub mod status;
pub mod order;
pub mod claim;
pub mod takeover;
pub mod database_time;
pub mod timer;
pub mod slots;
pub mod schedule;
pub mod poll;
mod find;
pub mod node;

use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::time::Duration;

use dormouse_store::Store;
use dormouse_types::HolderId;
use dormouse_types::port::Clock;
use futures_util::future::{FutureExt as _, pending};

pub use end::{End, FinishedRun};
pub use error::{Failure, HandlerError, SchedulerError, readable};
pub use handler::{Admission, Capacity, Chore, Done, Due, Handler, HolderKind, Slots, Stop, When};
pub use lease::Lease;
pub use node::{Event, Node, Until};
pub use schedule::Options;

/// Claims and runs what is due. Cheap to clone.
#[derive(Clone)]
pub struct Scheduler {
    store: Store,
    clock: Arc<dyn Clock>,
    owner: Arc<str>,
    lease: Duration,
    handlers: Arc<[Arc<dyn Handler>]>,
    chores: Arc<[Arc<dyn Chore>]>,
    /// Whether a command that runs what is pending also does what chores planned for now.
    fires_plans: bool,
    stop: Stop,
    /// Units: microseconds. How far the clock is behind the time of the database.
    clock_error: Arc<AtomicI64>,
}

/// What a [`Scheduler`] is built from.
pub struct Parts {
    /// The store of both databases.
    pub store: Store,
    /// Source of the current time.
    pub clock: Arc<dyn Clock>,
    /// Name under which this process holds leases.
    pub owner: String,
    /// How long a lease lasts without renewal.
    pub lease: Duration,
    /// One for each kind of holder.
    pub handlers: Vec<Arc<dyn Handler>>,
    /// Background work, in the order in which it runs.
    pub chores: Vec<Arc<dyn Chore>>,
}

impl Scheduler {
    /// Creates a scheduler from its parts.
    pub fn new(parts: Parts) -> Self {
        let Parts { store, clock, owner, lease, handlers, chores } = parts;
        let stop = pending().boxed().shared();
        Self {
            store,
            clock,
            owner: owner.into(),
            lease,
            handlers: handlers.into(),
            chores: chores.into(),
            fires_plans: true,
            stop,
            clock_error: Arc::default(),
        }
    }

    /// Returns the same scheduler, which also runs another kind of holder.
    #[must_use]
    pub fn with_handler(self, handler: Arc<dyn Handler>) -> Self {
        let handlers = self.handlers.iter().cloned().chain([handler]).collect();
        Self { handlers, ..self }
    }

    /// Returns the same scheduler with another lease time: how long another node waits before it takes over
    /// from a dead one; and with the background work that goes with it.
    #[must_use]
    pub fn with_lease(self, lasts: Duration, chores: Vec<Arc<dyn Chore>>) -> Self {
        Self { lease: lasts, chores: chores.into(), ..self }
    }

    /// Returns how long a lease lasts without renewal.
    pub fn lease(&self) -> Duration {
        self.lease
    }

    /// Returns the same scheduler, which starts nothing once `stop` completes: runs under way put
    /// themselves back, and no failure is counted.
    #[must_use]
    pub fn stopping_on(&self, stop: Stop) -> Self {
        Self { stop, ..self.clone() }
    }

    /// Returns the same scheduler, which does what chores planned only while it serves: a command that
    /// runs what is pending leaves it to a node.
    #[must_use]
    pub fn firing_plans_only_as_a_node(&self) -> Self {
        Self { fires_plans: false, ..self.clone() }
    }

    /// Returns the handler for a holder.
    fn handler(&self, holder: &HolderId) -> Result<&dyn Handler, SchedulerError> {
        let handler = self.handlers.iter().find(|known| known.kind().prefix == holder.kind());
        handler
            .map(|handler| &**handler)
            .ok_or_else(|| SchedulerError::NoHandler { holder: holder.clone() })
    }
}
