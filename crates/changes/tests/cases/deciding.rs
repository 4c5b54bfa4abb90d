use dormouse_changes::DecideError;
use dormouse_journal::Edit;
use dormouse_store::Db;
use dormouse_store::agent::change_item::{Item, State};
use dormouse_store::agent::change_set::{DecisionVerdict, Outcome, SetStatus};
use dormouse_types::{Fingerprint, limits};
use serde_json::json;

use crate::world::{World, now, who};

#[test]
fn a_verdict_names_what_it_was_shown() {
    let other = "0123456789abcdef";
    let take = |world: &World, item: &Item, digest: &str, verb: &str| {
        let digest = Fingerprint(digest.to_owned());
        let (set, index, digest) = (&item.set, item.index, Some(&digest));
        let changes = &world.changes;
        match verb {
            "confirm" => now(changes.confirm(&who(), set, index, digest)),
            "reject" => now(changes.reject(&who(), set, index, digest, None)),
            "defer" => now(changes.defer(&who(), set, index, digest)),
            _ => now(changes.undo(&who(), set, index, digest)),
        }
        .map(|settled| settled.item)
    };
    for verb in ["confirm", "reject", "defer", "undo"] {
        let world = World::new();
        let item = world.due("2026-03-20");
        if verb == "undo" {
            world.confirm(&item).expect("confirmed");
        }
        let whole = item.fingerprint.0.clone();
        let (journal, agent) = (world.rows(Db::Journal), world.rows(Db::Agent));
        for wrong in [other, &whole[..7], "", &format!("{whole}0")] {
            let result = take(&world, &item, wrong, verb);
            assert!(
                matches!(result, Err(DecideError::DigestDiffers { .. })),
                "{verb} `{wrong}`: {result:?}"
            );
        }
        assert_eq!((world.rows(Db::Journal), world.rows(Db::Agent)), (journal, agent));
        let result = take(&world, &item, &whole[..8].to_uppercase(), verb);
        assert!(result.is_ok(), "{verb}: {result:?}");
    }
}

#[test]
fn an_item_that_is_not_there_is_named() {
    let world = World::new();
    let item = world.due("2026-03-20");
    let result = now(world.changes.confirm(&who(), &item.set, 2, None));
    assert_eq!(
        result.expect_err("no such item").to_string(),
        format!("there is no proposal {}:2", item.set)
    );
    assert!(matches!(
        now(world.changes.confirm(&who(), &item.set, 0, None)),
        Err(DecideError::NotFound { index: 0, .. })
    ));
}

#[test]
fn confirming_twice_is_one_change_and_the_same_answer() {
    let world = World::new();
    let item = world.due("2026-03-20");
    let first = world.confirm(&item).expect("confirmed");
    let journal = world.rows(Db::Journal);
    let second = world.confirm(&item).expect("the same answer");
    assert_eq!(first, second);
    assert_eq!(world.rows(Db::Journal), journal);
    assert_eq!(world.decisions().len(), 1);
    assert_eq!(world.state().due_on.map(|day| day.to_string()).as_deref(), Some("2026-03-20"));
}

#[test]
fn the_first_verdict_wins() {
    type Act = fn(&World, &Item) -> Result<Item, DecideError>;
    let confirm: Act = |world, item| world.confirm(item);
    let reject: Act = |world, item| world.reject(item, Some("no"));
    let defer: Act = |world, item| world.defer(item);
    for (first, second, state) in [
        (confirm, reject, State::Confirmed),
        (confirm, defer, State::Confirmed),
        (reject, confirm, State::Rejected),
        (reject, defer, State::Rejected),
    ] {
        let world = World::new();
        let item = world.due("2026-03-20");
        first(&world, &item).expect("the first verdict");
        let journal = world.rows(Db::Journal);
        let error = second(&world, &item).expect_err("decided already");
        assert!(matches!(error, DecideError::AlreadyDecided { .. }), "{error:?}");
        assert!(error.to_string().ends_with(&format!("is {} already", state.name())), "{error}");
        assert_eq!(world.fresh(&item).state, state);
        assert_eq!(world.rows(Db::Journal), journal);
        assert_eq!(world.decisions().len(), 1);
    }
    for (act, state) in [(reject, State::Rejected), (defer, State::Deferred)] {
        let world = World::new();
        let item = world.due("2026-03-20");
        let first = act(&world, &item).expect("the verdict");
        assert_eq!(act(&world, &item).expect("the same"), first);
        assert_eq!((first.state, world.decisions().len()), (state, 1));
    }
}

#[test]
fn what_was_put_off_can_be_decided_later() {
    let world = World::new();
    let item = world.due("2026-03-20");
    let put_off = world.defer(&item).expect("deferred");
    assert_eq!(world.status_of(&item), SetStatus::Pending);
    world.confirm(&put_off).expect("confirmed");
    let verdicts: Vec<_> = world.decisions().iter().map(|d| d.verdict).collect();
    assert_eq!(verdicts, [DecisionVerdict::Confirmed, DecisionVerdict::Deferred]);
    assert_eq!(world.status_of(&item), SetStatus::Resolved);

    let world = World::new();
    let item = world.due("2026-03-20");
    let put_off = world.defer(&item).expect("deferred");
    world.reject(&put_off, None).expect("rejected");
    assert_eq!(world.status_of(&item), SetStatus::Resolved);
}

#[test]
fn a_reason_has_a_limit_and_blank_is_none() {
    let reject = |n: usize| {
        let world = World::new();
        let item = world.due("2026-03-20");
        let result = world.reject(&item, Some(&"ß".repeat(n)));
        (world, item, result)
    };
    for n in [limits::REASON.max - 1, limits::REASON.max] {
        let (world, _, result) = reject(n);
        result.expect("rejected");
        let kept = world.decisions()[0].rejection_reason.clone().expect("a reason");
        assert_eq!(kept.chars().count(), n);
    }
    let (world, item, result) = reject(limits::REASON.max + 1);
    assert!(matches!(result, Err(DecideError::Reason(_))), "{result:?}");
    assert_eq!((world.fresh(&item).state, world.decisions().len()), (State::Pending, 0));
    world.reject(&item, Some("  ")).expect("rejected");
    assert_eq!(world.decisions()[0].rejection_reason, None);
}

/// "No" first, and the reason a moment later.
#[test]
fn a_rejection_without_a_reason_is_given_one_and_keeps_it() {
    let world = World::new();
    let item = world.due("2026-03-20");
    world.reject(&item, None).expect("rejected");
    world.reject(&item, Some("too early")).expect("and why");
    let decisions = world.decisions();
    assert_eq!(decisions.len(), 1);
    assert_eq!(decisions[0].rejection_reason.as_deref(), Some("too early"));
    assert!(world.ledger().contains("too early"), "{}", world.ledger());
    for again in [None, Some("too early")] {
        world.reject(&item, again).expect("the same again");
    }
    let other = world.reject(&item, Some("too late")).expect_err("another reason is recorded");
    assert!(matches!(other, DecideError::AlreadyDecided { .. }), "{other:?}");
    assert_eq!(world.decisions(), decisions);
}

/// Confirms what can no longer be applied: it is withdrawn with a reason, and the journal is
/// untouched.
fn withdrawn(world: &World, item: &Item, words: &str) {
    let before = world.rows(Db::Journal);
    let error = world.confirm(item).expect_err("it cannot be applied");
    let DecideError::Retracted { reason, .. } = &error else { panic!("{error:?}") };
    assert!(reason.contains(words), "{reason}");
    assert_eq!(world.rows(Db::Journal), before);
    let now = world.fresh(item);
    assert_eq!((now.state, now.error.as_ref()), (State::Retracted, Some(reason)));
    let decision = &world.decisions()[0];
    assert_eq!(decision.outcome, Outcome::Retracted);
    assert_eq!(decision.outcome_reason.as_ref(), Some(reason));
    let again = world.confirm(item).expect_err("still");
    assert_eq!(again.to_string(), error.to_string());
    assert!(matches!(world.undo(item), Err(DecideError::NothingToUndo { .. })));
}

#[test]
fn a_proposal_is_looked_at_again_when_it_is_confirmed() {
    let world = World::new();
    let id = world.first_item();
    let args = json!({ "items": [{ "id": id, "isChecked": true }] });
    let item = world.open("update_checklist_items", args);
    world.edit(&[Edit::RemoveItem(id.clone())]);
    withdrawn(&world, &item, &format!("no item {id}"));

    let world = World::new();
    let item = world.due("2026-03-20");
    world.edit(&[Edit::DueOn(Some("2026-03-20".parse().expect("a day")))]);
    withdrawn(&world, &item, "already due on 2026-03-20");

    let world = World::new();
    let args = json!({ "items": [{ "title": "Buy boxes" }] });
    let item = world.open("add_multiple_checklist_items", args);
    world.edit(&[Edit::AddItem { title: "buy boxes".into(), is_checked: false, depth: 0 }]);
    withdrawn(&world, &item, "the checklist already has");

    let world = World::new();
    let garden = world.label("Garden");
    let item = world.open("assign_task_labels", json!({ "labels": [{ "id": garden }] }));
    world.edit(&[Edit::SuppressLabel(garden)]);
    withdrawn(&world, &item, "does not want label");
}

#[test]
fn a_set_is_the_fold_of_its_items_at_each_step() {
    let world = World::new();
    world.propose(&[
        ("update_task_due_date", json!({ "dueDate": "2026-03-20" })),
        ("update_task_estimate", json!({ "minutes": 60 })),
        ("set_task_status", json!({ "status": "GROOMED" })),
    ]);
    let items = world.items();
    let status = || (world.status_of(&items[0]), world.set_of(&items[0]).resolved_at.is_some());
    assert_eq!(status(), (SetStatus::Pending, false));
    world.defer(&items[0]).expect("deferred");
    assert_eq!(status(), (SetStatus::Pending, false));
    world.confirm(&items[1]).expect("confirmed");
    assert_eq!(status(), (SetStatus::PartiallyResolved, false));
    world.reject(&items[2], None).expect("rejected");
    assert_eq!(status(), (SetStatus::PartiallyResolved, false));
    world.reject(&items[0], None).expect("rejected");
    assert_eq!(status(), (SetStatus::Resolved, true));
    assert_eq!(world.set_of(&items[0]).resolved_at, world.fresh(&items[0]).decided_at);
    world.undo(&items[1]).expect("undone");
    assert_eq!(status(), (SetStatus::PartiallyResolved, false));
}

/// The decision is about the item; what proposed it makes no difference.
#[test]
fn what_a_program_proposes_is_decided_like_what_a_run_proposes() {
    let world = World::new();
    let first =
        world.propose_as_client("r1", "update_task_due_date", json!({"dueDate": "2026-03-20"}));
    let same = world.propose_as_client("r1", "update_task_estimate", json!({ "minutes": 60 }));
    let other = world.propose_as_client("r2", "set_task_title", json!({ "title": "Lyon" }));
    assert_eq!([first.len(), same.len(), other.len()], [1, 2, 1], "one set for each request");
    assert_ne!(first[0].set, other[0].set);
    let confirmed = world.confirm(&first[0]).expect("confirmed");
    assert_eq!(world.state().due_on.map(|day| day.to_string()).as_deref(), Some("2026-03-20"));
    world.undo(&confirmed).expect("undone");
    assert_eq!(world.state().due_on, None);
    assert_eq!(world.reject(&same[1], Some("no")).expect("rejected").state, State::Rejected);
}
