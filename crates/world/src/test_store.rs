//! A store for tests, with the ports that the rooms above it share.

use std::sync::Arc;

use dormouse_store::Store;
use dormouse_store::backend::sqlite::Sqlite;
use dormouse_testkit::{CountingEntropy, ManualClock};
use dormouse_types::port::{Clock, Entropy, Faults, NoFaults};

use crate::{Layered, Recording};

/// A store in memory with the clock and the entropy that its rooms share.
pub struct TestStore {
    pub store: Store,
    /// Its engine, with what it read.
    pub engine: Arc<Recording>,
    /// The clock, which only the test moves.
    pub clock: ManualClock,
    /// Entropy that is the same in each run.
    pub entropy: Arc<dyn Entropy>,
}

impl TestStore {
    /// Creates an empty store at a time such as `2026-03-02T09:00:00Z`.
    pub fn at(time: &str) -> Self {
        Self::with_faults(time, Arc::new(NoFaults))
    }

    /// Creates an empty store whose program may do something at named points.
    pub fn with_faults(time: &str, faults: Arc<dyn Faults>) -> Self {
        let clock = ManualClock::at(time);
        let entropy: Arc<dyn Entropy> = Arc::new(CountingEntropy::seeded(1));
        let engine = Arc::new(Self::engine(&clock, &*entropy));
        Self {
            store: Store::new(Arc::new(Layered(engine.clone())), faults),
            engine,
            clock,
            entropy,
        }
    }

    /// Creates an engine in memory that records its reads.
    pub fn engine(clock: &ManualClock, entropy: &dyn Entropy) -> Recording {
        let clock: Arc<dyn Clock> = Arc::new(clock.clone());
        let sqlite = Sqlite::memory(&clock, entropy).expect("a database in memory opens");
        Recording::over(Arc::new(sqlite))
    }

    /// The clock as a port.
    pub fn as_clock(&self) -> Arc<dyn Clock> {
        Arc::new(self.clock.clone())
    }
}
