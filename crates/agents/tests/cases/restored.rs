//! A database is an older copy: runs under way are ended, and every agent reads its task again.

use dormouse_runs::End;
use dormouse_store::agent::wake_run::Status;
use dormouse_store::backend::sqlite::Snapshot;
use dormouse_store::journal::fence;
use dormouse_store::{Commit, Db};
use dormouse_types::{AgentId, Id as _, TaskId};
use dormouse_world::Rooms;

use crate::world::{DONE, START, WS, World, now};

/// A world on an in-memory store that can be copied.
struct Copied {
    world: World,
    task: TaskId,
    agent: AgentId,
}

impl Copied {
    fn settled() -> Self {
        let world = World::of(Rooms::at(START), "before");
        let task = world.task("Move to the new flat", &["We signed the contract."]);
        let agent = world.create(&task);
        world.answers(1);
        assert_eq!(world.ends(&task), [DONE]);
        Self { world, task, agent }
    }

    fn snapshot(&self) -> Snapshot {
        self.world.snapshot()
    }

    /// Lets the journal record how far the agent store has come; any commit does so.
    fn remembered(&self) {
        let nothing = Commit::new("test.nothing", Db::Journal, WS);
        now(self.world.store.commit(nothing)).expect("a commit");
    }

    /// The world after a start on other copies.
    fn restored(&self, snapshot: &Snapshot) -> World {
        World::of(self.world.restored(snapshot, 7), "after")
    }
}

fn noticed(world: &World) -> Option<String> {
    now(world.agents.notice_restored(WS)).expect("readable")
}

/// The interval of a claimed run counts in a journal that is gone. If the run were resumed, its
/// agent would skip as many changes of the new journal.
#[test]
fn a_run_that_was_begun_in_a_journal_that_is_gone_is_ended_and_the_agent_looks_anew() {
    let copied = Copied::settled();
    let earlier = copied.snapshot();
    (0..40).for_each(|n| copied.world.note(&copied.task, &format!("Note {n}.")));
    copied.world.route();
    let lease = copied.world.claim(&copied.agent);
    let world = copied.restored(&copied.snapshot().with(Db::Journal, &earlier));

    let notice = noticed(&world).expect("it is noticed");
    assert_eq!(
        notice,
        "the journal was replaced by an older copy: 1 agent looks at its task again"
    );
    assert_eq!(noticed(&world), None, "once");
    let run = &world.runs(&copied.agent)[0];
    assert_eq!((&run.key, run.status), (&lease.run.key, Status::Abandoned));
    let row = world.row(&copied.agent);
    assert_eq!((row.owner, row.run_key), (None, None));
    assert!(row.epoch > lease.run.epoch, "the old owner writes nothing any more");

    // As many notes as before, so their numbers are used again.
    for n in 0..45 {
        world.answers(1);
        world.note(&copied.task, &format!("Anew {n}."));
        assert_eq!(world.ends(&copied.task), [End::Completed { cut: false }], "note {n}");
        assert!(world.last_delta().contains(&format!("Anew {n}.")), "{}", world.last_delta());
    }
}

/// Nobody writes a note meanwhile: the agent reads its task for the sake of it, and the run is not
/// skipped.
#[test]
fn an_agent_reports_anew_though_nothing_changed() {
    for older in Db::ALL {
        let copied = Copied::settled();
        let earlier = copied.snapshot();
        copied.world.answers(1);
        copied.world.note(&copied.task, "The van is booked.");
        assert_eq!(copied.world.ends(&copied.task), [DONE]);
        copied.remembered();
        let world = copied.restored(&copied.snapshot().with(older, &earlier));
        world.answers(1);
        assert_eq!(world.ends(&copied.task), [DONE], "{older:?}: routing notices it too");
        assert_eq!(world.ends(&copied.task), [], "{older:?}: once");
        assert_eq!(noticed(&world), None, "{older:?}");
        // What the older agent store had not seen is new to it.
        let heard = world.last_delta().contains("The van is booked.");
        assert_eq!(heard, older == Db::Agent, "{older:?}: {}", world.last_delta());
    }
}

/// The journal remembers an agent's highest epoch; an older agent store would start below it.
#[test]
fn after_an_older_agent_store_epochs_begin_above_the_fence_of_the_journal() {
    let copied = Copied::settled();
    let earlier = copied.snapshot();
    let raise =
        Commit::new("fence.raise", Db::Journal, WS).ops(fence::pass(WS, copied.agent.as_str(), 99));
    now(copied.world.store.commit(raise)).expect("raised");
    copied.world.answers(1);
    copied.world.note(&copied.task, "The van is booked.");
    assert_eq!(copied.world.ends(&copied.task), [DONE]);
    copied.remembered();
    let world = copied.restored(&copied.snapshot().with(Db::Agent, &earlier));
    noticed(&world).expect("it is noticed");
    assert!(world.row(&copied.agent).epoch > 99);
}
