//! A store whose answers come late: a run that has ended, and frees its lease with its last commit, is
//! not taken for one that lost it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use dormouse_runs::End;
use dormouse_store::backend::sqlite::Sqlite;
use dormouse_store::{
    Backend, Commit, CommitError, Committed, Db, Engine, Hints, ReadError, Row, Value,
};
use dormouse_testkit::{CountingEntropy, ManualClock};
use dormouse_types::HostId;
use dormouse_types::model::ProviderUnavailable;
use dormouse_types::port::{BoxFuture, Clock};

use crate::world::node::NodeEvent;
use crate::world::{DONE, World};

/// An engine that applies commits at once and answers those with one label late.
struct Late {
    engine: Arc<dyn Backend>,
    clock: ManualClock,
    label: Mutex<Option<&'static str>>,
}

impl Late {
    fn answers_late_after(&self, label: &'static str) {
        *self.label.lock().unwrap_or_else(PoisonError::into_inner) = Some(label);
    }
}

impl Backend for Late {
    fn read<'a>(
        &'a self,
        db: Db,
        sql: &'static str,
        params: Vec<Value>,
    ) -> BoxFuture<'a, Result<Vec<Row>, ReadError>> {
        self.engine.read(db, sql, params)
    }

    fn commit(&self, commit: Commit) -> BoxFuture<'_, Result<Committed, CommitError>> {
        let label = Some(commit.label);
        Box::pin(async move {
            let committed = self.engine.commit(commit).await;
            if *self.label.lock().unwrap_or_else(PoisonError::into_inner) == label {
                self.clock.sleep(Duration::from_secs(2)).await;
            }
            committed
        })
    }

    fn host(&self, db: Db) -> HostId {
        self.engine.host(db)
    }

    fn engine(&self) -> Engine {
        self.engine.engine()
    }

    fn changes(&self) -> Hints {
        self.engine.changes()
    }
}

/// How a run ends whose last commit is answered late, and the events of providers until then.
fn ends_late_after(label: &'static str, prepare: impl FnOnce(&World)) -> (Vec<End>, Vec<String>) {
    let clock = ManualClock::at("2026-03-02T09:00:00Z");
    let port: Arc<dyn Clock> = Arc::new(clock.clone());
    let sqlite = Sqlite::memory(&port, &CountingEntropy::seeded(1)).expect("a store in memory");
    let late =
        Arc::new(Late { engine: Arc::new(sqlite), clock: clock.clone(), label: Mutex::default() });
    let world = World::on(late.clone(), clock, "test");
    let (task, _) = world.another("Move to the new flat");
    let mut node = world.serve();
    prepare(&world);
    late.answers_late_after(label);
    world.note_now(&task, "Something happened.");
    node.pass_seconds(6);
    let end = |event| match event {
        NodeEvent::Ran(_, _, end) => end,
        NodeEvent::Recovered(line) | NodeEvent::Failed(line) => panic!("nobody expects: {line}"),
    };
    (node.take().into_iter().map(end).collect(), world.events("provider:"))
}

#[test]
fn a_run_that_is_put_back_says_that_its_provider_is_away() {
    let (ends, events) = ends_late_after("run.putBack", |world| {
        world.model.goes_away(ProviderUnavailable::Authentication);
    });
    assert!(matches!(&ends[..], [End::ProviderUnavailable { .. }]), "{ends:?}");
    assert_eq!(events, ["provider:away"]);
}

#[test]
fn a_completed_run_says_that_it_completed() {
    let (ends, _) = ends_late_after("run.final", |world| world.answers(1));
    assert_eq!(ends, [DONE]);
}
