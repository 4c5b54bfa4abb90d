use std::time::Duration;

use dormouse_changes::DecideError;
use dormouse_store::agent::change_item::{self, Item, State};
use dormouse_store::agent::change_set::SetStatus;
use dormouse_store::{Commit, Db, Op, Refusal, params};
use dormouse_types::{Id as _, Timestamp, limits};
use serde_json::json;

use crate::world::{WS, World, now, who};

const AGE: Duration = Duration::from_secs(limits::PROPOSAL_AGE_SECONDS);

fn end(item: &Item) -> Timestamp {
    item.shown_at.expect("shown") + AGE
}

type Act = fn(&World, &Item) -> Result<Item, DecideError>;

const ACTS: [(&str, Act); 3] = [
    ("confirm", |w, i| w.settled(now(w.changes.confirm(&who(), &i.set, i.index, None)))),
    ("reject", |w, i| w.settled(now(w.changes.reject(&who(), &i.set, i.index, None, None)))),
    ("defer", |w, i| w.settled(now(w.changes.defer(&who(), &i.set, i.index, None)))),
];

#[test]
fn seven_days_after_it_was_shown_no_verdict_is_taken_though_nobody_swept() {
    for (name, act) in ACTS {
        let at = |micros: i64| {
            let world = World::new();
            let item = world.due("2026-03-20");
            world.clock.set(Timestamp::from_micros(end(&item).micros() + micros));
            let journal = world.rows(Db::Journal);
            let result = act(&world, &item);
            (world, item, journal, result)
        };
        let (.., result) = at(-1);
        assert!(result.is_ok(), "{name}: {result:?}");
        for micros in [0, 1] {
            let (world, item, journal, result) = at(micros);
            assert!(
                matches!(result, Err(DecideError::Expired { .. })),
                "{name} {micros}: {result:?}"
            );
            assert_eq!(world.rows(Db::Journal), journal);
            let item = world.fresh(&item);
            assert_eq!(item.state, State::Expired);
            assert_eq!(world.status_of(&item), SetStatus::Expired);
            assert_eq!(world.decisions(), [], "nobody decided");
            let again = act(&world, &item);
            assert!(matches!(again, Err(DecideError::Expired { .. })), "{name}: {again:?}");
            let undone = world.undo(&item);
            assert!(matches!(undone, Err(DecideError::NothingToUndo { .. })), "{undone:?}");
        }
    }
}

#[test]
fn the_write_itself_tests_the_age_whatever_was_read_before() {
    let world = World::new();
    let item = world.due("2026-03-20");
    let shown = item.shown_at.expect("shown").micros();
    // It was decided in time, but the commit arrives only then.
    let arrives = |at: i64| {
        world.clock.set(Timestamp::from_micros(at));
        let age = Some(Duration::from_micros(100));
        let op = change_item::transition(WS, &item, State::Applying, None, age, item.created_at);
        now(world.store.commit(Commit::new("test.settle", Db::Agent, WS).op(op)))
    };
    for at in [shown + 100, shown + 101] {
        let refusal = arrives(at).expect_err("too old").refusal();
        assert_eq!(refusal, Some(Refusal::ItemMoved));
    }
    arrives(shown + 99).expect("young enough");
}

#[test]
fn a_sweep_takes_what_is_due_and_nothing_else() {
    let world = World::new();
    let early = world.due("2026-03-20");
    world.later(3600);
    let late = world.open("update_task_estimate", json!({ "minutes": 30 }));
    world.clock.set(end(&early));
    assert_eq!(now(world.changes.withdraw_stale(WS, &world.task)).expect("a sweep"), 1);
    assert_eq!(now(world.changes.withdraw_stale(WS, &world.task)).expect("a sweep"), 0);
    assert_eq!(world.fresh(&early).state, State::Expired);
    assert_eq!(world.fresh(&late).state, State::Pending);
}

#[test]
fn a_damaged_row_of_one_task_keeps_no_proposal_of_another_from_expiring() {
    let world = World::new();
    let item = world.due("2026-03-20");
    let hurt = world.due_of(&world.other_task(), "2026-03-21");
    let sql = "INSERT INTO field_says (ws, task_id, field, by, at, seq)
               VALUES (?1, ?2, 'estimate', 'user', 'nonsense', 1)";
    let damage = Op::any(sql, params![WS.0, hurt.task.as_str()]);
    now(world.store.commit(Commit::new("test.damage", Db::Journal, WS).op(damage)))
        .expect("damaged");
    world.later(AGE.as_secs() + 3600);
    now(world.changes.expire_due()).expect("a sweep");
    assert_eq!(world.fresh(&item).state, State::Expired);
    assert_eq!(world.fresh(&hurt).state, State::Expired);
}

#[test]
fn what_was_never_shown_does_not_age() {
    let world = World::new();
    let items: Vec<_> = (0..11).map(|n| json!({ "title": format!("Item {n}") })).collect();
    world.propose(&[("add_multiple_checklist_items", json!({ "items": items }))]);
    let all = world.items();
    world.clock.set(end(&all[0]));
    assert_eq!(now(world.changes.withdraw_stale(WS, &world.task)).expect("a sweep"), 10);
    let last = world.fresh(&all[10]);
    assert_eq!(last.state, State::Pending);
    assert_eq!(
        last.shown_at,
        Some(dormouse_types::port::Clock::now(&world.clock)),
        "its seven days begin now"
    );
    assert_eq!(world.status_of(&last), SetStatus::PartiallyResolved);
}

#[test]
fn putting_off_does_not_prolong_and_undo_begins_anew() {
    let world = World::new();
    let item = world.due("2026-03-20");
    let put_off = world.defer(&item).expect("deferred");
    world.clock.set(end(&item));
    let late = world.confirm(&put_off);
    assert!(matches!(late, Err(DecideError::Expired { .. })), "{late:?}");

    let world = World::new();
    let item = world.due("2026-03-20");
    world.clock.set(Timestamp::from_micros(end(&item).micros() - 2_000_000));
    world.reject(&item, None).expect("rejected");
    world.later(3600);
    let open = world.undo(&item).expect("a verdict can be undone at any time");
    assert_eq!(open.state, State::Pending);
    world.clock.set(Timestamp::from_micros(end(&open).micros() - 2_000_000));
    world.confirm(&open).expect("in time");
}
