use dormouse_changes::DecideError;
use dormouse_journal::Edit;
use dormouse_store::agent::change_item::{Item, State};
use dormouse_store::{Commit, Db};
use dormouse_types::task::Status;
use serde_json::json;

use crate::world::{WS, World, now, who};

fn due_on(world: &World) -> Option<String> {
    world.state().due_on.map(|day| day.to_string())
}

fn day(text: &str) -> Edit {
    Edit::DueOn(Some(text.parse().expect("a day")))
}

#[test]
fn a_confirmed_value_goes_back_and_can_be_confirmed_again() {
    let world = World::new();
    world.edit_as_agent(&[day("2026-03-10")]);
    let item = world.due("2026-03-20");
    let confirmed = world.confirm(&item).expect("confirmed");
    assert_eq!(due_on(&world).as_deref(), Some("2026-03-20"));
    let open = world.undo(&confirmed).expect("undone");
    assert_eq!(due_on(&world).as_deref(), Some("2026-03-10"));
    assert_eq!((open.state, open.round, open.decided_at), (State::Pending, 1, None));
    assert_ne!(open.operation, item.operation, "the next try is an operation of its own");
    assert_eq!(open.fingerprint, item.fingerprint);
    assert!(open.shown_at > item.shown_at, "its seven days begin anew");
    assert!(world.decisions()[0].undone_at.is_some());
    world.confirm(&open).expect("confirmed again");
    assert_eq!(due_on(&world).as_deref(), Some("2026-03-20"));
    assert_eq!(world.decisions().len(), 2);
}

/// Each tool: confirmed, undone, and the task is as before.
#[test]
fn every_kind_of_change_can_be_undone() {
    let calls = [
        ("set_task_title", json!({ "title": "Lyon" })),
        ("update_task_estimate", json!({ "minutes": 60 })),
        ("update_task_due_date", json!({ "dueDate": "2026-03-20" })),
        ("update_task_priority", json!({ "priority": "P0" })),
        ("set_task_status", json!({ "status": "BLOCKED", "reason": "the landlord" })),
        ("add_multiple_checklist_items", json!({ "items": [{ "title": "Buy boxes" }] })),
        (
            "update_checklist_items",
            json!({ "items": [{ "id": "$item", "title": "Sign", "isChecked": true, "isArchived": true }] }),
        ),
        ("assign_task_labels", json!({ "labels": [{ "id": "$label" }] })),
    ];
    for (tool, args) in calls {
        let world = World::new();
        let label = world.label("Garden");
        let args = args.to_string().replace("$item", &world.first_item().to_string());
        let args = args.replace("$label", &label.to_string());
        let before = world.state();
        let item = world.open(tool, serde_json::from_str(&args).expect("JSON"));
        world.confirm(&item).expect(tool);
        let mut applied = world.state();
        applied.says.clone_from(&before.says);
        assert_ne!(applied, before, "{tool} changed nothing");
        world.undo(&item).expect(tool);
        let after = world.state();
        let plain = |state: &dormouse_types::model::TaskState| {
            let mut state = state.clone();
            state.says.clear();
            for item in &mut state.items {
                (item.checked_at, item.checked_by) = Default::default();
            }
            state
        };
        assert_eq!(plain(&after), plain(&before), "{tool}");
    }
}

#[test]
fn undo_is_refused_when_the_field_moved_on_and_works_once_it_is_back() {
    let world = World::new();
    let item = world.due("2026-03-20");
    world.confirm(&item).expect("confirmed");
    world.edit(&[day("2026-03-28")]);
    let (journal, confirmed) = (world.rows(Db::Journal), world.fresh(&item));
    for _ in 0..2 {
        let error = world.undo(&item).expect_err("the person moved on");
        assert!(matches!(error, DecideError::Changed { .. }), "{error:?}");
    }
    assert_eq!((world.rows(Db::Journal), world.fresh(&item)), (journal, confirmed));
    assert!(world.decisions()[0].undone_at.is_none());
    world.edit(&[day("2026-03-20")]);
    world.undo(&item).expect("undone");
    assert_eq!(due_on(&world), None);
}

#[test]
fn undo_of_a_task_that_was_deleted_says_so_and_changes_nothing() {
    let world = World::new();
    let item = world.due("2026-03-20");
    world.confirm(&item).expect("confirmed");
    world.edit(&[Edit::Delete]);
    let journal = world.rows(Db::Journal);
    let error = world.undo(&item).expect_err("the task is deleted");
    assert!(error.to_string().contains("deleted"), "{error}");
    assert_eq!(world.rows(Db::Journal), journal);
    world.edit(&[Edit::Restore]);
    world.undo(&item).expect("undone");
}

#[test]
fn a_rejection_and_a_postponement_are_undone_without_touching_the_journal() {
    let acts: [fn(&World, &Item) -> Item; 2] = [
        |world, item| world.reject(item, Some("no")).expect("rejected"),
        |world, item| world.defer(item).expect("deferred"),
    ];
    for act in acts {
        let world = World::new();
        let item = world.due("2026-03-20");
        let journal = world.rows(Db::Journal);
        let decided = act(&world, &item);
        let open = world.undo(&decided).expect("undone");
        assert_eq!((open.state, open.round), (State::Pending, 1));
        assert_eq!(world.rows(Db::Journal), journal);
        assert!(world.decisions()[0].undone_at.is_some());
        world.confirm(&open).expect("confirmed");
        assert_eq!(due_on(&world).as_deref(), Some("2026-03-20"));
    }
}

#[test]
fn only_the_verdict_in_force_is_undone() {
    let world = World::new();
    let item = world.due("2026-03-20");
    let error = world.undo(&item).expect_err("nothing was decided");
    assert!(matches!(error, DecideError::NothingToUndo { state: State::Pending, .. }), "{error:?}");
    world.defer(&item).expect("deferred");
    world.confirm(&item).expect("confirmed");
    world.undo(&item).expect("undone");
    let undone: Vec<_> =
        world.decisions().into_iter().map(|d| (d.verdict, d.undone_at.is_some())).collect();
    use dormouse_store::agent::change_set::DecisionVerdict::{Confirmed, Deferred};
    assert_eq!(undone, [(Confirmed, true), (Deferred, false)]);
    assert!(matches!(world.undo(&item), Err(DecideError::NothingToUndo { .. })));
}

#[test]
fn of_two_verdicts_of_one_instant_the_one_in_force_is_undone() {
    use dormouse_store::agent::change_set::DecisionVerdict::{Confirmed, Deferred};
    let world = World::new();
    let item = world.due("2026-03-20");
    let who = crate::world::who();
    let (set, index) = (&item.set, item.index);
    crate::world::now(world.changes.defer(&who, set, index, None)).expect("deferred");
    crate::world::now(world.changes.confirm(&who, set, index, None)).expect("confirmed");
    world.undo(&item).expect("undone");
    let mut undone: Vec<_> = world.decisions();
    undone.sort_by_key(|decision| decision.verdict != Confirmed);
    let undone: Vec<_> = undone.into_iter().map(|d| (d.verdict, d.undone_at.is_some())).collect();
    assert_eq!(undone, [(Confirmed, true), (Deferred, false)]);
}

#[test]
fn a_verdict_undone_after_the_same_was_proposed_anew_is_over() {
    let world = World::new();
    let item = world.due("2026-03-20");
    world.reject(&item, None).expect("rejected");
    let entry = world.note("Settled: the 20th.");
    let evidence = json!({ "entryId": entry, "quote": "the 20th" });
    let anew = world
        .open("update_task_due_date", json!({ "dueDate": "2026-03-20", "evidence": evidence }));
    let over = world.undo(&item).expect("undone");
    assert_eq!((over.state, over.error.as_deref()), (State::Retracted, Some("proposed again")));
    assert_eq!(world.fresh(&anew).state, State::Pending);
    assert!(world.decisions()[0].undone_at.is_some());
}

#[test]
fn taking_back_a_status_keeps_the_history_of_what_was() {
    let world = World::new();
    let item = world.open("set_task_status", json!({ "status": "ON HOLD", "reason": "winter" }));
    world.confirm(&item).expect("confirmed");
    world.undo(&item).expect("undone");
    let task = world.view().task.value;
    assert_eq!((task.status.status, task.status.reason), (Status::Open, None));
    let history: Vec<_> = task.status_history.iter().map(|entry| entry.status).collect();
    assert!(history.contains(&Status::OnHold), "{history:?}");
}

/// A turn that read before the undo is stored during the undo, or after it.
#[test]
fn of_an_undo_during_a_turn_that_proposes_anew_one_proposal_is_open() {
    for is_after in [false, true] {
        let world = World::new();
        let item = world.due("2026-03-20");
        world.confirm(&item).expect("confirmed");
        let turn = newer(&world);
        if is_after {
            world.undo(&item).expect("undone");
            now(world.store.commit(turn)).expect("stored");
            now(world.changes.keep_newest(WS, &world.task)).expect("what a run does at its end");
        } else {
            world.commit_before("change.conclude", turn);
            world.undo(&item).expect("undone");
        }
        assert_eq!(open(&world), [r#"{"dueDate":"2026-03-27"}"#], "after it: {is_after}");
    }
}

/// The person sets the field while a confirm is interrupted; the item is then open again.
#[test]
fn of_a_confirm_that_waits_again_during_a_turn_that_proposes_anew_one_proposal_is_open() {
    let world = World::new();
    let item = world.due("2026-03-20");
    world.crash_at_the_journal(|world| drop(world.confirm(&item)));
    world.edit(&[day("2026-04-01")]);
    let turn = newer(&world);
    world.commit_before("change.conclude", turn);
    now(world.changes.recover(WS)).expect("recovered");
    assert_eq!(open(&world), [r#"{"dueDate":"2026-03-27"}"#]);
}

/// The journal holds the receipts of verdicts that came later, as it does after a restore; but here
/// the agent store knows them.
#[test]
fn an_undo_that_another_process_finishes_leaves_the_verdict_given_after_it() {
    let world = World::new();
    let item = world.due("2026-03-20");
    world.confirm(&item).expect("confirmed");
    let (set, index) = (item.set.clone(), item.index);
    world.meanwhile("journal.edit", move |other| {
        now(other.recover(WS))?;
        now(other.confirm(&who(), &set, index, None)).map(drop)
    });
    let after = world.undo(&item).expect("undone by the other process");
    assert_eq!((after.state, after.round), (State::Confirmed, 1));
    assert_eq!(due_on(&world).as_deref(), Some("2026-03-20"));
}

#[test]
fn a_confirm_that_another_process_finishes_leaves_the_undo_given_after_it() {
    let world = World::new();
    let item = world.due("2026-03-20");
    let (set, index) = (item.set.clone(), item.index);
    world.meanwhile("journal.edit", move |other| {
        now(other.recover(WS))?;
        now(other.undo(&who(), &set, index, None)).map(drop)
    });
    let error = world.confirm(&item).expect_err("it was undone");
    assert!(matches!(error, DecideError::Busy { .. }), "{error}");
    let after = world.fresh(&item);
    assert_eq!((after.state, after.round), (State::Pending, 1));
    assert_eq!(due_on(&world), None);
}

#[test]
fn a_rejection_that_another_process_finishes_leaves_the_undo_given_after_it() {
    let world = World::new();
    let label = world.label("Garden");
    let item = world.open("assign_task_labels", json!({ "labels": [{ "id": label }] }));
    let before = world.state();
    let (set, index) = (item.set.clone(), item.index);
    world.meanwhile("journal.edit", move |other| {
        now(other.recover(WS))?;
        now(other.undo(&who(), &set, index, None)).map(drop)
    });
    let error = world.reject(&item, None).expect_err("it was undone");
    assert!(matches!(error, DecideError::Busy { .. }), "{error}");
    let after = world.fresh(&item);
    assert_eq!((after.state, after.round), (State::Pending, 1));
    assert_eq!(world.state().suppressed_labels, before.suppressed_labels);
}

/// A turn that proposes the 27th and is not yet stored.
fn newer(world: &World) -> Commit {
    let entry = world.note("It is the 27th now.");
    let evidence = json!({ "entryId": entry, "quote": "the 27th" });
    let args = json!({ "dueDate": "2026-03-27", "evidence": evidence });
    let (replies, turn) = world.judged(2, &[("update_task_due_date", args)], &[]);
    assert!(!replies[0].refused, "{replies:?}");
    turn
}

/// The arguments of the open proposals.
fn open(world: &World) -> Vec<String> {
    world.items().into_iter().filter(|item| item.state.is_open()).map(|item| item.args).collect()
}
