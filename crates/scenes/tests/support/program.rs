//! A program with any model, on a store in memory.

use std::sync::Arc;
use std::time::Duration;

use dormouse::{Caller, Dormouse, DrainScope, NewEntry, NewTask, Parts, Store, WORKSPACE};
use dormouse_scenes::world::START;
use dormouse_store::Backend;
use dormouse_store::backend::sqlite::Sqlite;
use dormouse_testkit::{CountingEntropy, ManualClock};
use dormouse_types::port::{Clock, Entropy, Model, NoFaults};
use dormouse_types::{AgentId, TaskId};

use super::outside::Outside;

pub struct Program {
    pub dormouse: Dormouse,
    pub store: Store,
    pub clock: ManualClock,
    pub me: Caller,
}

impl Program {
    pub fn with(model: Arc<dyn Model>) -> Self {
        Self::on(model, |sqlite| sqlite)
    }

    /// The same by a clock that the model moves.
    pub fn at(clock: ManualClock, model: Arc<dyn Model>) -> Self {
        Self::made(clock, model, |sqlite| sqlite)
    }

    /// The same on a store that `backend` makes of one in memory.
    pub fn on(
        model: Arc<dyn Model>,
        backend: impl FnOnce(Arc<Sqlite>) -> Arc<dyn Backend>,
    ) -> Self {
        Self::made(ManualClock::at(START), model, backend)
    }

    fn made(
        clock: ManualClock,
        model: Arc<dyn Model>,
        backend: impl FnOnce(Arc<Sqlite>) -> Arc<dyn Backend>,
    ) -> Self {
        let port: Arc<dyn Clock> = Arc::new(clock.clone());
        let entropy: Arc<dyn Entropy> = Arc::new(CountingEntropy::seeded(1));
        let sqlite = Sqlite::memory(&port, &*entropy).expect("a store in memory");
        let store = Store::new(backend(Arc::new(sqlite)), Arc::new(NoFaults));
        let zone = jiff::tz::TimeZone::UTC;
        let owner = "test".to_owned();
        let parts = Parts { store: store.clone(), clock: port, entropy, model, zone, owner };
        Self { dormouse: Dormouse::new(parts), store, clock, me: Caller::owner(WORKSPACE) }
    }

    /// The same, with every way out of it counted.
    pub async fn with_outside(self, outside: &Outside) -> Self {
        let dormouse = self.dormouse.with_model_host(Arc::new(outside.clone()), None);
        dormouse.load_models().await.expect("loaded");
        Self { dormouse, ..self }
    }

    /// Makes a task with items and one note, and its agent, which does not run yet.
    pub async fn task(&self, title: &str, items: &[&str], note: &str) -> (TaskId, AgentId) {
        let new = NewTask {
            title: title.to_owned(),
            note: Some(note.to_owned()),
            items: items.iter().map(|&item| item.to_owned()).collect(),
            ..NewTask::default()
        };
        let made = self.dormouse.create_task(&self.me, new, None).await.expect("a task");
        (made.id.clone(), self.agent(&made.id).await)
    }

    pub async fn agent(&self, task: &TaskId) -> AgentId {
        let name = Some("Ida".to_owned());
        self.dormouse.create_agent(&self.me, task, name, None).await.expect("an agent").id
    }

    pub async fn private_note(&self, task: &TaskId, text: &str) {
        let new = NewEntry { text: text.to_owned(), private: true, ..NewEntry::default() };
        self.dormouse.add_entry(&self.me, task, new, None).await.expect("a note");
    }

    pub async fn note(&self, task: &TaskId, text: &str) {
        let new = NewEntry { text: text.to_owned(), ..NewEntry::default() };
        self.dormouse.add_entry(&self.me, task, new, None).await.expect("a note");
    }

    /// Lets a minute pass and runs whatever is due; returns how each run ended.
    pub async fn run(&self) -> Vec<String> {
        self.clock.advance(Duration::from_secs(60));
        let scope = DrainScope { all_due: true, ..DrainScope::default() };
        let mut ended = Vec::new();
        let mut on_run = |run: dormouse::view::RunOutcome| ended.push(run.status.to_string());
        self.dormouse.drain(scope, &mut on_run).await.expect("a drain");
        ended
    }
}
