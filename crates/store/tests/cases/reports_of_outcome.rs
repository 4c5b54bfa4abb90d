//! How the store handles an engine that loses its answers, and where faults can be injected.

use std::sync::{Arc, Mutex};

use dormouse_store::journal::setting;
use dormouse_store::{
    Backend, Commit, CommitError, Committed, Db, Engine, Once, ReadError, Row, Store, Value,
};
use dormouse_types::port::{BoxFuture, Faults, NoFaults, Point, Stage};
use dormouse_types::{HostId, hash};

use crate::world::{WS, World, wait};

/// An engine that applies commits and loses the first few answers.
struct Forgetful {
    store: Store,
    losses: Mutex<u32>,
}

impl Backend for Forgetful {
    fn read<'a>(
        &'a self,
        _db: Db,
        _sql: &'static str,
        _params: Vec<Value>,
    ) -> BoxFuture<'a, Result<Vec<Row>, ReadError>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn commit(&self, commit: Commit) -> BoxFuture<'_, Result<Committed, CommitError>> {
        Box::pin(async move {
            let label = commit.label;
            let answer = self.store.commit(commit).await;
            let mut losses = self.losses.lock().expect("nobody panicked");
            if *losses == 0 {
                return answer;
            }
            *losses -= 1;
            Err(CommitError::Unknown { label, detail: "the line was cut".into() })
        })
    }

    fn host(&self, db: Db) -> HostId {
        self.store.host(db)
    }

    fn engine(&self) -> Engine {
        self.store.engine()
    }

    fn changes(&self) -> tokio::sync::watch::Receiver<u64> {
        self.store.changes()
    }
}

fn forgetful(world: &World, losses: u32, faults: Arc<dyn Faults>) -> Store {
    let engine = Forgetful { store: world.store.clone(), losses: Mutex::new(losses) };
    Store::new(Arc::new(engine), faults)
}

fn count(world: &World) -> Commit {
    let value = world.first(setting::by_key(WS, "n")).map_or(1, |n| n.len() + 1);
    Commit::new("count", Db::Journal, WS).op(setting::put(WS, "n", &"|".repeat(value)))
}

fn once(commit: Commit) -> Commit {
    let request = hash::sha256("count");
    commit.once(Once { id: "id".into(), request, answer: "counted".into(), effects: None })
}

#[test]
fn a_lost_answer_is_settled_by_the_receipt() {
    let world = World::in_memory();
    let store = forgetful(&world, 1, Arc::new(NoFaults));
    let committed = wait(store.commit(once(count(&world)))).unwrap();
    assert_eq!(committed.replayed.as_deref(), Some("counted"));
    assert_eq!(world.first(setting::by_key(WS, "n")).as_deref(), Some("|"));
}

#[test]
fn without_a_receipt_nobody_guesses() {
    let world = World::in_memory();
    let store = forgetful(&world, 1, Arc::new(NoFaults));
    let error = wait(store.commit(count(&world))).unwrap_err();
    assert!(matches!(error, CommitError::Unknown { label: "count", .. }), "{error}");
    assert_eq!(world.first(setting::by_key(WS, "n")).as_deref(), Some("|"), "sent once");
    let why = store.write_failure().expect("it could not be written");
    assert!(why.contains("the line was cut"), "{why}");
    wait(store.commit(count(&world))).expect("written");
    assert_eq!(store.write_failure(), None);
}

#[test]
fn an_answer_lost_twice_stays_unknown() {
    let world = World::in_memory();
    let store = forgetful(&world, 2, Arc::new(NoFaults));
    let error = wait(store.commit(once(count(&world)))).unwrap_err();
    assert!(matches!(error, CommitError::Unknown { label: "count", .. }), "{error}");
}

#[derive(Default)]
struct Passed(Mutex<Vec<String>>);

impl Faults for Passed {
    fn pass(&self, point: Point<'_>) {
        let passed = format!("{:?} {}", point.stage, point.label);
        self.0.lock().expect("nobody panicked").push(passed);
    }
}

#[test]
fn faults_may_strike_before_a_commit_and_after_one_that_wrote() {
    let world = World::in_memory();
    let passed = Arc::new(Passed::default());
    let store = forgetful(&world, 0, passed.clone());
    wait(store.commit(once(count(&world)))).unwrap();
    wait(store.commit(once(count(&world)))).unwrap();
    store.pass(Stage::BeforeEffect, "ask");
    let expected =
        ["BeforeCommit count", "AfterCommit count", "BeforeCommit count", "BeforeEffect ask"];
    assert_eq!(*passed.0.lock().unwrap(), expected);
}
