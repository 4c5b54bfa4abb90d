//! The sweep deletes change rows that nothing needs any more.

use std::time::Duration;

use dormouse_store::agent::agent_entity::Automation;
use dormouse_store::{Commit, Db, Op, change_log, params};
use dormouse_types::limits::{CHANGES_KEPT, CHANGES_SECONDS};
use dormouse_types::port::Clock as _;
use dormouse_types::{Seq, WorkspaceId};

use crate::world::{WS, World, now};

/// Writes `n` change rows that touch nothing, dated now.
fn fill(world: &World, db: Db, n: i64) {
    let head = now(world.store.first(change_log::head(db, WS))).expect("read").unwrap_or_default();
    let rows = Op::any(
        "INSERT INTO change_log (ws, seq, origin, depth, touched, neighbours, what, event, at)
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
         SELECT ?1, ?3 + i, '{\"kind\":\"import\"}', 0, '[]', '[]', '[]', '', ?4 FROM n",
        params![WS.0, n, head.0, world.clock.now()],
    );
    // The commit itself takes one more position.
    let count = Op::any("UPDATE counters SET seq = ?2 WHERE ws = ?1", params![WS.0, head.0 + n]);
    let commit = Commit::new("test.fill", db, WS).op(rows).op(count);
    now(world.store.commit(commit)).expect("filled");
}

fn trimmed(world: &World, db: Db) -> Option<Seq> {
    now(world.store.first(change_log::trimmed(db, WS))).expect("read")
}

fn rows(world: &World, db: Db, ws: WorkspaceId) -> i64 {
    now(world.store.first(change_log::count_after(db, ws, Seq(0)))).expect("read").unwrap_or(0)
}

const OLD: Duration = Duration::from_secs(CHANGES_SECONDS + 60);

#[test]
fn rows_go_when_they_are_old_and_enough_newer_ones_are_there() {
    let (world, _, _) = World::settled();
    let mut node = world.serve();
    for db in Db::ALL {
        let missing = CHANGES_KEPT - rows(&world, db, WS);
        fill(&world, db, missing);
    }
    node.settle();
    world.clock.advance(OLD);
    node.settle();
    for db in Db::ALL {
        assert_eq!((trimmed(&world, db), rows(&world, db, WS)), (None, CHANGES_KEPT), "{db:?}");
        fill(&world, db, 7);
    }
    node.settle();
    node.pass(Duration::from_secs(60));
    for db in Db::ALL {
        assert!(trimmed(&world, db).is_some(), "{db:?}");
        assert_eq!(rows(&world, db, WS), CHANGES_KEPT, "{db:?}");
    }
}

#[test]
fn what_a_wake_that_waits_is_to_tell_of_stays() {
    let (world, task, agent) = World::settled();
    let mut node = world.serve();
    world.set_automation(&agent, Automation::Off);
    world.note_now(&task, "The van is booked.");
    node.settle();
    fill(&world, Db::Journal, CHANGES_KEPT + 10);
    node.settle();
    world.clock.advance(OLD);
    node.settle();
    let held = trimmed(&world, Db::Journal);
    world.answers(1);
    world.wake_now(&agent, None);
    node.pass_seconds(5);
    assert!(world.last_delta().contains("The van is booked."), "{}", world.last_delta());
    node.pass(Duration::from_secs(60));
    let last = trimmed(&world, Db::Journal).expect("nobody waits for it any more");
    assert!(held.is_none_or(|held| held < last), "{held:?}, {last:?}");
}

#[test]
fn a_log_that_cannot_be_trimmed_leaves_the_other_one_to_be_trimmed() {
    let (world, _, _) = World::settled();
    let mut node = world.serve();
    for db in Db::ALL {
        fill(&world, db, CHANGES_KEPT + 10);
    }
    let refuse = Op::any(
        "CREATE TRIGGER kept BEFORE DELETE ON change_log BEGIN SELECT RAISE(ABORT, 'kept'); END",
        Vec::new(),
    );
    now(world.store.commit(Commit::new("test.keep", Db::Journal, WS).op(refuse))).expect("kept");
    node.settle();
    world.clock.advance(OLD);
    node.settle();
    node.pass(Duration::from_secs(60));
    assert_eq!(trimmed(&world, Db::Journal), None);
    assert_eq!(rows(&world, Db::Agent, WS), CHANGES_KEPT);
}
