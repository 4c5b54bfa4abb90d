//! The rooms of one process.

use std::sync::Arc;

use dormouse_changes::Changes;
use dormouse_journal::Journal;
use dormouse_runs::{Driver, Models};
use dormouse_store::backend::sqlite::{Snapshot, Sqlite};
use dormouse_store::{Backend, Store};
use dormouse_testkit::ManualClock;
use dormouse_testkit::hooks::Hooks;
use dormouse_testkit::scripted::Script;
use dormouse_types::WorkspaceZone;
use dormouse_types::port::{Clock, Entropy};

use crate::Builder;

/// What agents and work run on in one process, with the ports that the test controls.
pub struct Rooms {
    /// What the store writes to.
    pub engine: Arc<dyn Backend>,
    /// The clock, which only the test moves.
    pub clock: ManualClock,
    /// Entropy that is the same in each run.
    pub entropy: Arc<dyn Entropy>,
    /// The zone of the workspace.
    pub zone: WorkspaceZone,
    /// What the test runs at the points of the program; nothing if the builder was given other faults.
    pub hooks: Arc<Hooks>,
    /// What the model answers, unless the builder was given another model.
    pub script: Arc<Script>,
    /// Both databases.
    pub store: Store,
    /// The person's tasks.
    pub journal: Journal,
    /// Proposals and decisions.
    pub changes: Changes,
    /// The models that runs ask.
    pub models: Models,
    /// What drives a run.
    pub driver: Driver,
    pub(crate) sqlite: Option<Arc<Sqlite>>,
}

impl Rooms {
    /// Starts to build rooms at a time such as `2026-03-02T09:00:00Z`, on a fresh store in memory.
    pub fn at(time: &str) -> Builder {
        Self::by(ManualClock::at(time))
    }

    /// Starts to build rooms by a clock that others share.
    pub fn by(clock: ManualClock) -> Builder {
        Builder::new(clock)
    }

    /// Starts to build the rooms of another process on the same databases, by the same clock.
    pub fn beside(&self) -> Builder {
        Self::by(self.clock.clone()).on(self.engine.clone())
    }

    /// Starts to build the rooms of the next process, on a store in memory with the state of a snapshot. Its engine
    /// draws from the seed.
    pub fn restored(&self, snapshot: &Snapshot, seed: u64) -> Builder {
        Self::by(self.clock.clone()).restoring(snapshot, seed)
    }

    /// Copies both databases.
    ///
    /// Panics: they are not in memory.
    pub fn snapshot(&self) -> Snapshot {
        let sqlite = self.sqlite.as_ref().expect("the builder made a store in memory");
        sqlite.snapshot().expect("memory can be copied")
    }

    /// The clock as a port.
    pub fn as_clock(&self) -> Arc<dyn Clock> {
        Arc::new(self.clock.clone())
    }

    /// The driver with other models, whose ids come from other entropy.
    pub fn driver_of(&self, entropy: Arc<dyn Entropy>, models: Models) -> Driver {
        Driver::new(self.store.clone(), self.as_clock(), entropy, models).in_zone(self.zone.clone())
    }
}
