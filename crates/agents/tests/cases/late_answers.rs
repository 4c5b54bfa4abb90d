//! A store whose answers come late: a run that has ended, and frees its lease with its last commit, is
//! not taken for one that lost it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use dormouse_runs::End;
use dormouse_store::{Backend, Commit, CommitError, Committed};
use dormouse_testkit::ManualClock;
use dormouse_types::model::ProviderUnavailable;
use dormouse_types::port::{BoxFuture, Clock as _};
use dormouse_world::{Layer, Rooms};

use crate::world::node::NodeEvent;
use crate::world::{DONE, START, World};

/// A layer that applies commits at once and answers those with one label late.
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

impl Layer for Late {
    fn below(&self) -> &dyn Backend {
        &*self.engine
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
}

/// How a run ends whose last commit is answered late, and the events of providers until then.
fn ends_late_after(label: &'static str, prepare: impl FnOnce(&World)) -> (Vec<End>, Vec<String>) {
    let clock = ManualClock::at(START);
    let (builder, late) =
        Rooms::by(clock.clone()).under(|engine| Late { engine, clock, label: Mutex::default() });
    let world = World::of(builder, "test");
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
