//! One database is an older copy than the other: verdicts are forgotten, or their effects are.

use dormouse_journal::Edit;
use dormouse_store::Db;
use dormouse_store::agent::change_item::State;
use serde_json::json;

use crate::world::{WS, World, now, who};

fn day(text: &str) -> Edit {
    Edit::DueOn(Some(text.parse().expect("a day")))
}

fn due_on(world: &World) -> Option<String> {
    world.state().due_on.map(|day| day.to_string())
}

#[test]
fn a_confirm_that_still_holds_is_not_applied_twice() {
    let world = World::new();
    let item =
        world.open("add_multiple_checklist_items", json!({ "items": [{ "title": "Buy boxes" }] }));
    let earlier = world.snapshot();
    world.confirm(&item).expect("confirmed");
    let world = world.with_older(Db::Agent, &earlier);
    assert_eq!(world.confirm(&item).expect("confirmed").state, State::Confirmed);
    assert_eq!(world.titles(), ["Sign the contract", "Buy boxes"]);
}

#[test]
fn a_confirm_that_was_undone_is_applied_again_and_can_be_undone() {
    for times in 1..=3 {
        let world = World::new();
        let item = world
            .open("add_multiple_checklist_items", json!({ "items": [{ "title": "Buy boxes" }] }));
        let earlier = world.snapshot();
        for _ in 0..times {
            world.confirm(&item).expect("confirmed");
            world.undo(&item).expect("undone");
        }
        let world = world.with_older(Db::Agent, &earlier);
        let confirmed = world.confirm(&item).expect("confirmed");
        assert_eq!(confirmed.state, State::Confirmed);
        assert_eq!(world.titles(), ["Sign the contract", "Buy boxes"], "{times} times");
        assert_eq!(world.decisions()[0].round, confirmed.round);
        let open = world.undo(&confirmed).expect("undone");
        assert_eq!(open.state, State::Pending);
        assert_eq!(world.titles(), ["Sign the contract"], "{times} times");
        world.confirm(&open).expect("confirmed again");
        assert_eq!(world.titles(), ["Sign the contract", "Buy boxes"], "{times} times");
    }
}

/// Undoing counts as a setting by the person: the present date must be named.
#[test]
fn a_date_that_was_undone_is_set_again_over_no_value() {
    let world = World::new();
    let item = world.due("2026-03-20");
    let earlier = world.snapshot();
    world.confirm(&item).expect("confirmed");
    world.undo(&item).expect("undone");
    let world = world.with_older(Db::Agent, &earlier);
    world.confirm(&item).expect_err("the person took it back");
    assert_eq!(due_on(&world), None);
    world.confirm_over(&item, None).expect("confirmed over no value");
    assert_eq!(due_on(&world).as_deref(), Some("2026-03-20"));
}

#[test]
fn a_verdict_that_was_undone_and_given_again_is_undone() {
    let world = World::new();
    let item = world.due("2026-03-20");
    world.confirm(&item).expect("confirmed");
    let earlier = world.snapshot();
    world.undo(&item).expect("undone");
    world.confirm(&item).expect("confirmed again");
    let world = world.with_older(Db::Agent, &earlier);
    let open = world.undo(&item).expect("undone");
    assert_eq!((open.state, due_on(&world)), (State::Pending, None));
    world.confirm(&open).expect("confirmed");
    assert_eq!(due_on(&world).as_deref(), Some("2026-03-20"));
}

#[test]
fn a_value_that_the_person_set_after_the_forgotten_confirm_is_confirmed_over() {
    let world = World::new();
    let item = world.due("2026-03-20");
    let earlier = world.snapshot();
    world.confirm(&item).expect("confirmed");
    world.edit(&[day("2026-04-01")]);
    let world = world.with_older(Db::Agent, &earlier);
    world.confirm(&item).expect_err("the person set it");
    assert_eq!(due_on(&world).as_deref(), Some("2026-04-01"));
    world.confirm_over(&item, Some("2026-04-01")).expect("confirmed over it");
    assert_eq!(due_on(&world).as_deref(), Some("2026-03-20"));
    world.undo(&item).expect("undone");
    assert_eq!(due_on(&world).as_deref(), Some("2026-04-01"));
}

#[test]
fn a_rejected_label_whose_rejection_was_undone_is_kept_away_again() {
    let world = World::new();
    let label = world.label("Garden");
    let item = world.open("assign_task_labels", json!({ "labels": [{ "id": label }] }));
    let earlier = world.snapshot();
    world.reject(&item, None).expect("rejected");
    world.undo(&item).expect("undone");
    let world = world.with_older(Db::Agent, &earlier);
    let suppressed = |world: &World| world.state().suppressed_labels.contains(&label);
    assert!(!suppressed(&world));
    let rejected = world.reject(&item, None).expect("rejected");
    assert!(suppressed(&world));
    world.undo(&rejected).expect("undone");
    assert!(!suppressed(&world));
}

#[test]
fn what_an_older_journal_has_lost_is_open_again() {
    let world = World::new();
    let kept = world.open("update_task_estimate", json!({ "minutes": 60 }));
    world.confirm(&kept).expect("confirmed");
    let item = world.due("2026-03-20");
    let earlier = world.snapshot();
    world.confirm(&item).expect("confirmed");
    let world = world.with_older(Db::Journal, &earlier);
    assert_eq!(now(world.changes.reopen_lost(WS)).expect("readable").n, 1);
    assert_eq!(now(world.changes.reopen_lost(WS)).expect("readable").n, 0, "once");
    let open = world.fresh(&item);
    assert_eq!((open.state, open.error.as_ref()), (State::Pending, None));
    assert_eq!(world.fresh(&kept).state, State::Confirmed);
    assert!(world.decisions()[0].undone_at.is_some(), "the verdict is undone");
    world.confirm(&open).expect("confirmed");
    assert_eq!(due_on(&world).as_deref(), Some("2026-03-20"));
    world.undo(&open).expect("undone");
    assert_eq!(due_on(&world), None);
}

/// The person confirms before any agent has run.
#[test]
fn a_confirm_that_an_older_journal_has_lost_is_applied_when_it_is_said_again() {
    let world = World::new();
    let item = world.due("2026-03-20");
    let earlier = world.snapshot();
    world.confirm(&item).expect("confirmed");
    let world = world.with_older(Db::Journal, &earlier);
    assert_eq!(world.confirm(&item).expect("confirmed").state, State::Confirmed);
    assert_eq!(due_on(&world).as_deref(), Some("2026-03-20"));
}

#[test]
fn a_confirmed_proposal_that_cannot_be_read_is_named_and_keeps_no_other_closed() {
    let world = World::new();
    let other = world.other_task();
    let earlier = world.snapshot();
    let hurt = world.open("update_task_estimate", json!({ "minutes": 60 }));
    world.confirm(&hurt).expect("confirmed");
    let item = world.due_of(&other, "2026-03-20");
    let digest = Some(&item.fingerprint);
    now(world.changes.confirm(&who(), &item.set, item.index, digest)).expect("confirmed");
    world.damage_item(&hurt);
    let world = world.with_older(Db::Journal, &earlier);
    let reopened = now(world.changes.reopen_lost(WS)).expect("a damaged row is no failure");
    assert_eq!(reopened.n, 1);
    assert_eq!(reopened.unreadable.len(), 1);
    let line = &reopened.unreadable[0];
    assert!(line.contains(&hurt.set.to_string()) && line.contains("cannot be read"), "{line}");
    assert_eq!(world.fresh(&item).state, State::Pending);
}
