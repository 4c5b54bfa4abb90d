//! The rooms of one process, and how they are joined.

use std::sync::Arc;

use dormouse_changes::Changes;
use dormouse_journal::Journal;
use dormouse_runs::{Driver, Models};
use dormouse_store::backend::sqlite::{Snapshot, Sqlite};
use dormouse_store::{Backend, Store};
use dormouse_testkit::hooks::Hooks;
use dormouse_testkit::scripted::Script;
use dormouse_testkit::{CountingEntropy, ManualClock};
use dormouse_types::WorkspaceZone;
use dormouse_types::port::{Clock, Entropy, Faults, Model};
use jiff::tz::TimeZone;

use crate::layer::{Layer, Layered};
use crate::postgres;

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
    /// The model that runs ask if nothing names another.
    pub model: Arc<dyn Model>,
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
    sqlite: Option<Arc<Sqlite>>,
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

/// Rooms before they are joined. Whatever is not set is the usual: a store in memory, hooks that do nothing yet, a
/// model that answers from a script, the zone UTC.
#[must_use]
pub struct Builder {
    clock: ManualClock,
    /// What the engine draws from, and the rooms as well unless they have a seed of their own.
    entropy: Arc<dyn Entropy>,
    seed: Option<u64>,
    engine: Option<Arc<dyn Backend>>,
    sqlite: Option<Arc<Sqlite>>,
    hooks: Arc<Hooks>,
    faults: Option<Arc<dyn Faults>>,
    script: Arc<Script>,
    model: Option<Arc<dyn Model>>,
    zone: TimeZone,
}

impl Builder {
    fn new(clock: ManualClock) -> Self {
        Self {
            clock,
            entropy: Arc::new(CountingEntropy::seeded(1)),
            seed: None,
            engine: None,
            sqlite: None,
            hooks: Arc::default(),
            faults: None,
            script: Arc::default(),
            model: None,
            zone: TimeZone::UTC,
        }
    }

    /// Lets the rooms draw from a seed of their own. Otherwise they draw from seed 1, after the engine.
    pub fn seed(self, seed: u64) -> Self {
        Self { seed: Some(seed), ..self }
    }

    /// Sets the zone of the workspace by its IANA name.
    pub fn zone(self, name: &str) -> Self {
        Self { zone: TimeZone::get(name).expect("the name of a zone"), ..self }
    }

    /// Puts the store on an engine.
    pub fn on(self, engine: Arc<dyn Backend>) -> Self {
        Self { engine: Some(engine), sqlite: None, ..self }
    }

    /// Puts the store in memory, with the state of a snapshot. The engine draws from the seed.
    pub fn restoring(mut self, snapshot: &Snapshot, seed: u64) -> Self {
        self.entropy = Arc::new(CountingEntropy::seeded(seed));
        let sqlite = Sqlite::restore(snapshot, &self.as_clock(), &*self.entropy);
        self.put_on(sqlite.expect("a store in memory"));
        self
    }

    /// Puts the store on two fresh schemas of the server that the tests of a process share.
    pub fn on_postgres(self) -> Self {
        let engine = postgres::fresh(&self.as_clock(), &*self.entropy);
        self.on(Arc::new(engine))
    }

    /// Puts something between the store and its engine, and returns it as well.
    pub fn under<L: Layer + 'static>(
        mut self,
        layer: impl FnOnce(Arc<dyn Backend>) -> L,
    ) -> (Self, Arc<L>) {
        let layer = Arc::new(layer(self.engine()));
        (Self { engine: Some(Arc::new(Layered(layer.clone()))), ..self }, layer)
    }

    /// Sets what happens at the points that the store passes, instead of the hooks.
    pub fn faults(self, faults: Arc<dyn Faults>) -> Self {
        Self { faults: Some(faults), ..self }
    }

    /// Sets the model, instead of the script.
    pub fn model(self, model: Arc<dyn Model>) -> Self {
        Self { model: Some(model), ..self }
    }

    /// The engine as it is now.
    pub fn engine(&mut self) -> Arc<dyn Backend> {
        match &self.engine {
            Some(engine) => engine.clone(),
            None => self.sqlite(),
        }
    }

    /// The store in memory.
    ///
    /// Panics: the builder was given another engine.
    pub fn sqlite(&mut self) -> Arc<Sqlite> {
        if self.engine.is_none() {
            let sqlite = Sqlite::memory(&self.as_clock(), &*self.entropy);
            self.put_on(sqlite.expect("a store in memory"));
        }
        self.sqlite.clone().expect("an engine in memory")
    }

    /// The hooks, for faults that call them.
    pub fn hooks(&self) -> Arc<Hooks> {
        self.hooks.clone()
    }

    /// The script, for a model that asks it.
    pub fn script(&self) -> Arc<Script> {
        self.script.clone()
    }

    /// Joins the rooms.
    #[must_use]
    pub fn build(mut self) -> Rooms {
        let engine = self.engine();
        let clock = self.as_clock();
        let Self { entropy, seed, sqlite, hooks, faults, script, model, zone, .. } = self;
        let entropy = match seed {
            None => entropy,
            Some(seed) => Arc::new(CountingEntropy::seeded(seed)),
        };
        let zone = WorkspaceZone::from(zone);
        let store = Store::new(engine.clone(), faults.unwrap_or_else(|| hooks.clone()));
        let journal = Journal::new(store.clone(), clock.clone(), entropy.clone());
        let changes = Changes::new(
            store.clone(),
            journal.clone(),
            clock.clone(),
            entropy.clone(),
            zone.clone(),
        );
        let model = model.unwrap_or_else(|| script.clone());
        let models = Models::new(model.clone());
        let driver = Driver::new(store.clone(), clock, entropy.clone(), models.clone())
            .in_zone(zone.clone());
        Rooms {
            engine,
            clock: self.clock,
            entropy,
            zone,
            hooks,
            script,
            model,
            store,
            journal,
            changes,
            models,
            driver,
            sqlite,
        }
    }

    fn put_on(&mut self, sqlite: Sqlite) {
        let sqlite = Arc::new(sqlite);
        self.engine = Some(sqlite.clone());
        self.sqlite = Some(sqlite);
    }

    fn as_clock(&self) -> Arc<dyn Clock> {
        Arc::new(self.clock.clone())
    }
}
