//! How rooms are built.

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

use crate::{Layer, Layered, Rooms, postgres};

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
    pub(crate) fn new(clock: ManualClock) -> Self {
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
    pub fn restoring(self, snapshot: &Snapshot, seed: u64) -> Self {
        let (clock, entropy) = (self.as_clock(), CountingEntropy::seeded(seed));
        let sqlite = Sqlite::restore(snapshot, &clock, &entropy).expect("a store in memory");
        Self { entropy: Arc::new(entropy), ..self }.on_sqlite(sqlite)
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
        if let Some(engine) = &self.engine {
            return engine.clone();
        }
        let sqlite = Sqlite::memory(&self.as_clock(), &*self.entropy).expect("a store in memory");
        let sqlite = Arc::new(sqlite);
        self.sqlite = Some(sqlite.clone());
        self.engine.insert(sqlite).clone()
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
        let models = Models::new(model.unwrap_or_else(|| script.clone()));
        let driver = Driver::new(store.clone(), clock, entropy.clone(), models.clone())
            .in_zone(zone.clone());
        Rooms {
            engine,
            clock: self.clock,
            entropy,
            zone,
            hooks,
            script,
            store,
            journal,
            changes,
            models,
            driver,
            sqlite,
        }
    }

    fn on_sqlite(self, sqlite: Sqlite) -> Self {
        let sqlite = Arc::new(sqlite);
        Self { engine: Some(sqlite.clone()), sqlite: Some(sqlite), ..self }
    }

    fn as_clock(&self) -> Arc<dyn Clock> {
        Arc::new(self.clock.clone())
    }
}
