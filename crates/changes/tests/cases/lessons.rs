use dormouse_changes::set::fold;
use dormouse_journal::Edit;
use dormouse_store::agent::change_item::State;
use dormouse_types::limits;
use dormouse_types::task::Priority;
use serde_json::{Value, json};

use crate::world::{Reply, World};

fn with_evidence(mut args: Value, entry: &dormouse_types::EntryId, quote: &str) -> Value {
    args["evidence"] = json!({ "entryId": entry, "quote": quote });
    args
}

fn due(day: &str) -> Value {
    json!({ "dueDate": day })
}

/// Proposes one due date in a run of its own; returns whether it was accepted, and what the model
/// reads.
fn try_due(world: &World, args: Value) -> (bool, Reply) {
    let before = world.items().len();
    let reply = world.propose(&[("update_task_due_date", args)]).remove(0);
    (world.items().len() > before, reply)
}

fn taken(world: &World, args: Value) {
    let (taken, reply) = try_due(world, args);
    assert!(taken, "{reply:?}");
}

/// Checks that a valid call is not proposed, and that the reply says what would be needed.
fn held_back(world: &World, args: Value, words: &str) {
    let (taken, reply) = try_due(world, args);
    assert!(!taken && !reply.refused, "{reply:?}");
    assert!(reply.text.contains(words), "{reply:?}");
}

#[test]
fn evidence_is_a_quote_from_an_entry_of_the_task() {
    let world = World::new();
    let entry = world.note("We must be out by the 20th.\nThe keys go to Mrs. Ott.");
    let item = world
        .open("update_task_due_date", with_evidence(due("2026-03-20"), &entry, "out by the 20th"));
    let evidence: Value = serde_json::from_str(&item.evidence.expect("kept")).expect("JSON");
    assert_eq!(evidence, json!({ "entryId": entry, "quote": "out by the 20th" }));
    assert_eq!(item.args, "{\"dueDate\":\"2026-03-20\"}", "evidence is no argument");

    let invented = "en-01jd7m3k5vn2c8q4w6x0z9abcd";
    for (evidence, words) in [
        (json!({ "entryId": entry, "quote": "Out by the 20th" }), "word for word"),
        (json!({ "entryId": entry, "quote": "" }), "word for word"),
        (json!({ "entryId": entry, "quote": "  " }), "word for word"),
        (json!({ "entryId": invented, "quote": "out" }), invented),
        (json!({ "entryId": entry }), "missing field `quote`"),
        (json!("out by the 20th"), "\"entryId\": \"en-…\""),
        (json!({ "entryId": entry, "quote": "out", "page": 3 }), "page"),
    ] {
        let world_before = world.items();
        let args = json!({ "minutes": 60, "evidence": evidence });
        let reply = world.propose(&[("update_task_estimate", args)]).remove(0);
        assert!(reply.refused && reply.text.contains(words), "{evidence}: {reply:?}");
        assert_eq!(world.items(), world_before);
    }
}

#[test]
fn a_quote_has_a_limit() {
    let text = "ä".repeat(limits::QUOTE.max + 1);
    let world = World::new();
    let entry = world.note(&text);
    let quote = |n: usize| text.chars().take(n).collect::<String>();
    let try_quote = |n: usize, minutes: u32| {
        let args = with_evidence(json!({ "minutes": minutes }), &entry, &quote(n));
        let reply = world.propose(&[("update_task_estimate", args)]).remove(0);
        for item in world.items() {
            if item.state == State::Pending {
                world.confirm(&item).expect("confirmed");
            }
        }
        reply
    };
    let over = try_quote(limits::QUOTE.max + 1, 10);
    assert!(over.refused && over.text.contains("at most 200"), "{over:?}");
    assert!(!try_quote(limits::QUOTE.max, 11).refused);
    assert_eq!(world.state().estimate_minutes, Some(11));
}

#[test]
fn what_the_person_set_stays_until_a_newer_entry_is_quoted() {
    let world = World::new();
    let old = world.note("It is due on the 25th.");
    world.edit(&[Edit::DueOn(Some("2026-03-20".parse().expect("a day")))]);
    let words = "the person set dueDate themselves";
    held_back(&world, due("2026-03-25"), words);
    held_back(&world, with_evidence(due("2026-03-25"), &old, "the 25th"), words);
    let new = world.note("The landlord wants it by the 27th.");
    held_back(&world, due("2026-03-27"), words);
    held_back(&world, with_evidence(due("2026-03-27"), &old, "the 25th"), words);
    taken(&world, with_evidence(due("2026-03-27"), &new, "by the 27th"));
}

#[test]
fn an_entry_of_the_same_moment_is_not_newer() {
    let world = World::new();
    world.edit(&[
        Edit::note("Due on the 25th."),
        Edit::DueOn(Some("2026-03-20".parse().expect("a day"))),
    ]);
    let entry = world.state().entries[0].id.clone();
    held_back(&world, with_evidence(due("2026-03-25"), &entry, "the 25th"), "themselves");
}

#[test]
fn the_say_on_one_field_holds_no_other_back() {
    let world = World::new();
    world.edit(&[Edit::Priority(Some(Priority::P1))]);
    let reply = world.propose(&[("update_task_priority", json!({ "priority": "P0" }))]).remove(0);
    assert!(reply.text.contains("the person set priority themselves"), "{reply:?}");
    taken(&world, due("2026-03-25"));
}

#[test]
fn a_tick_the_person_made_stays_and_its_title_may_be_bettered() {
    let world = World::new();
    let item = world.first_item();
    world.edit(&[Edit::CheckItem { item: item.clone(), is_checked: true }]);
    let call = |args: Value| {
        world.propose(&[("update_checklist_items", json!({ "items": [args] }))]).remove(0)
    };
    let reply = call(json!({ "id": item, "isChecked": false }));
    assert!(reply.text.contains("the person set item:"), "{reply:?}");
    assert_eq!(world.items(), []);
    call(json!({ "id": item, "title": "Sign the lease" }));
    assert_eq!(world.items().len(), 1);
    let entry = world.note("The contract is void, we have to sign again.");
    let args = json!({ "id": item, "isChecked": false });
    call(with_evidence(args, &entry, "we have to sign again"));
    assert_eq!(world.items().len(), 2);
}

#[test]
fn a_rejected_field_is_blocked_whatever_the_value_until_newer_evidence() {
    let world = World::new();
    let old = world.note("Maybe the 20th, maybe the 22nd.");
    let item = world.due("2026-03-20");
    world.reject(&item, Some("not decided yet")).expect("rejected");
    let words = "the person rejected";
    held_back(&world, due("2026-03-20"), words);
    held_back(&world, due("2026-03-22"), words);
    held_back(&world, with_evidence(due("2026-03-22"), &old, "maybe the 22nd"), words);
    taken_other_field(&world);
    let new = world.note("Settled: the 22nd.");
    held_back(&world, due("2026-03-22"), words);
    taken(&world, with_evidence(due("2026-03-22"), &new, "Settled: the 22nd"));
}

fn taken_other_field(world: &World) {
    world.open("update_task_estimate", json!({ "minutes": 45 }));
}

#[test]
fn an_entry_written_before_the_rejection_lifts_nothing_though_edited_after() {
    let world = World::new();
    let entry = world.note("Perhaps in May.");
    let item = world.due("2026-05-01");
    world.reject(&item, None).expect("rejected");
    world
        .edit(&[Edit::EditEntry { entry: entry.clone(), text: Some("On the 4th of May.".into()) }]);
    held_back(&world, with_evidence(due("2026-05-04"), &entry, "4th of May"), "rejected");
}

#[test]
fn a_rejected_item_is_not_added_in_another_spelling() {
    let world = World::new();
    let add = |title: &str| {
        let args = json!({ "items": [{ "title": title }] });
        world.propose(&[("add_multiple_checklist_items", args)]).remove(0)
    };
    add("Buy boxes");
    world.reject(&world.items()[0], None).expect("rejected");
    for title in ["Buy boxes", "buy  BOXES", "Buy boxes."] {
        let reply = add(title);
        assert!(reply.text.contains("the person rejected"), "{title}: {reply:?}");
    }
    add("Buy tape");
    assert_eq!(world.items().len(), 2);
}

#[test]
fn a_rejected_tick_leaves_other_changes_of_the_item_free() {
    let world = World::new();
    let id = world.first_item();
    let tick = json!({ "items": [{ "id": id, "isChecked": true }] });
    let rename = json!({ "items": [{ "id": id, "title": "Sign the lease" }] });
    world.reject(&world.open("update_checklist_items", tick.clone()), None).expect("rejected");
    let reply = world.propose(&[("update_checklist_items", tick)]).remove(0);
    assert!(reply.text.contains("the person rejected"), "{reply:?}");
    world.open("update_checklist_items", rename);
}

#[test]
fn rejecting_a_label_suppresses_it_and_undo_lifts_that() {
    let world = World::new();
    let garden = world.label("Garden");
    let args = json!({ "labels": [{ "id": garden }] });
    let item = world.open("assign_task_labels", args.clone());
    world.reject(&item, None).expect("rejected");
    assert_eq!(world.state().suppressed_labels, std::slice::from_ref(&garden));
    let reply = world.propose(&[("assign_task_labels", args.clone())]).remove(0);
    assert!(reply.text.contains("does not want label \"Garden\""), "{reply:?}");
    let item = world.undo(&item).expect("undone");
    assert_eq!((item.state, item.round), (State::Pending, 1));
    assert_eq!(world.state().suppressed_labels, []);
    world.confirm(&item).expect("confirmed");
    let labels: Vec<_> = world.state().labels.into_iter().map(|label| label.id).collect();
    assert_eq!(labels, [garden]);
}

#[test]
fn what_expired_counts_like_what_was_rejected() {
    let world = World::new();
    let item = world.due("2026-03-20");
    world.later(limits::PROPOSAL_AGE_SECONDS + 1);
    let count = crate::world::now(world.changes.withdraw_stale(crate::world::WS, &world.task));
    assert_eq!(count.expect("a sweep"), 1);
    assert_eq!(world.fresh(&item).state, State::Expired);
    held_back(&world, due("2026-03-21"), "nobody decided on");
    let new = world.note("It is the 21st now.");
    taken(&world, with_evidence(due("2026-03-21"), &new, "the 21st"));
}

#[test]
fn a_verdict_that_was_undone_teaches_nothing() {
    let world = World::new();
    let item = world.due("2026-03-20");
    world.reject(&item, Some("no")).expect("rejected");
    let item = world.undo(&item).expect("undone");
    held_back(&world, due("2026-03-20"), "waits for the person already");
    world.turn(&[], &[(&item, "overtaken")]);
    taken(&world, due("2026-03-21"));
}

#[test]
fn confirmed_and_withdrawn_proposals_block_nothing() {
    let world = World::new();
    let first = world.due("2026-03-20");
    world.turn(&[], &[(&first, "the note was deleted")]);
    let withdrawn = world.fresh(&first);
    assert_eq!(
        (withdrawn.state, withdrawn.error.as_deref()),
        (State::Retracted, Some("the note was deleted"))
    );
    let again = world.due("2026-03-20");
    world.confirm(&again).expect("confirmed");
    let entry = world.note("No, the 21st.");
    taken(&world, with_evidence(due("2026-03-21"), &entry, "the 21st"));
}

#[test]
fn a_confirmed_value_is_the_persons_say() {
    let world = World::new();
    world.confirm(&world.due("2026-03-20")).expect("confirmed");
    held_back(&world, due("2026-03-21"), "the person set dueDate themselves");
}

#[test]
fn nothing_waits_twice_by_identity_or_by_its_line() {
    let world = World::new();
    world.due("2026-03-20");
    held_back(&world, due("2026-03-20"), "waits for the person already");
    // Another value for the same field is another proposal; the person sees both.
    taken(&world, due("2026-03-21"));
    let add = |args: Value| {
        let args = json!({ "items": [args] });
        world.propose(&[("add_multiple_checklist_items", args)]).remove(0)
    };
    add(json!({ "title": "Buy boxes" }));
    let count = world.items().len();
    // Different arguments, the same line for the person.
    let reply = add(json!({ "title": "Buy boxes", "isChecked": true }));
    assert!(reply.text.contains("waits for the person already"), "{reply:?}");
    assert_eq!(world.items().len(), count);
    let put_off = world.items().pop().expect("the item");
    world.defer(&put_off).expect("deferred");
    let reply = add(json!({ "title": "Buy boxes" }));
    assert!(reply.text.contains("waits for the person already"), "{reply:?}");
}

#[test]
fn a_withdrawal_lets_the_next_item_in_and_settles_an_empty_set() {
    let world = World::new();
    let items: Vec<Value> = (0..11).map(|n| json!({ "title": format!("Item {n}") })).collect();
    world.propose(&[("add_multiple_checklist_items", json!({ "items": items }))]);
    let all = world.items();
    let withdrawn: Vec<_> = all[..2].iter().map(|item| (item, "overtaken")).collect();
    world.turn(&[], &withdrawn);
    assert_eq!(fold::shown_indexes(&world.items()).len(), 9);
    assert!(world.items()[10].shown_at.is_some());
    let rest: Vec<_> = all[2..].iter().map(|item| (item, "overtaken")).collect();
    world.turn(&[], &rest);
    let set = world.set_of(&all[0]);
    assert_eq!(set.status, dormouse_store::agent::change_set::SetStatus::Resolved);
    assert_eq!(set.resolved_at, world.fresh(&all[10]).decided_at);
}
