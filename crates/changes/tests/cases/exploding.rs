use dormouse_changes::set::fold;
use dormouse_store::Db;
use dormouse_store::agent::change_item::State;
use dormouse_store::agent::change_set::SetStatus;
use dormouse_types::limits;
use serde_json::{Value, json};

use crate::world::World;

const ADD: &str = "add_multiple_checklist_items";

fn titles(from: usize, upto: usize) -> Value {
    let items: Vec<Value> = (from..upto).map(|n| json!({ "title": format!("Item {n}") })).collect();
    json!({ "items": items })
}

#[test]
fn five_titles_are_five_items_and_each_is_decided_by_itself() {
    let world = World::new();
    let names = ["Book the van", "Buy boxes", "Call the bank", "Pack", "Clean"];
    let items: Vec<Value> = names.iter().map(|title| json!({ "title": title })).collect();
    let reply = world.propose(&[(ADD, json!({ "items": items }))]).remove(0);
    let summaries: Vec<_> = names.iter().map(|n| format!("Add checklist item: {n}")).collect();
    assert!(!reply.refused);
    assert_eq!(
        reply.text,
        format!("Proposed, waits for the person's review: {}.", summaries.join("; "))
    );
    let items = world.items();
    let stored: Vec<_> = items.iter().map(|i| (i.index, i.tool.as_str(), i.args.clone())).collect();
    let expected: Vec<_> = (1..)
        .zip(names)
        .map(|(n, title)| (n, "add_checklist_item", json!({ "title": title }).to_string()))
        .collect();
    assert_eq!(stored, expected);

    for item in &items[..4] {
        assert_eq!(world.confirm(item).expect("confirmed").state, State::Confirmed);
    }
    assert_eq!(world.status_of(&items[0]), SetStatus::PartiallyResolved);
    assert_eq!(world.reject(&items[4], None).expect("rejected").state, State::Rejected);
    assert_eq!(
        world.titles(),
        ["Sign the contract", "Book the van", "Buy boxes", "Call the bank", "Pack"]
    );
    assert_eq!(world.decisions().len(), 5);
    let set = world.set_of(&items[0]);
    assert_eq!((set.status, set.resolved_at.is_some()), (SetStatus::Resolved, true));
}

#[test]
fn a_tick_is_confirmed_and_a_new_title_rejected_from_one_call() {
    let world = World::new();
    world.edit(&[dormouse_journal::Edit::AddItem {
        title: "Pack".into(),
        is_checked: false,
        depth: 0,
    }]);
    let ids: Vec<_> = world.state().items.into_iter().map(|item| item.id).collect();
    world.propose(&[(
        "update_checklist_items",
        json!({ "items": [{ "id": ids[0], "isChecked": true }, { "id": ids[1], "title": "Pack it" }] }),
    )]);
    let items = world.items();
    world.confirm(&items[0]).expect("confirmed");
    world.reject(&items[1], None).expect("rejected");
    let state = world.state();
    assert!(state.items[0].is_checked);
    assert_eq!(state.items[1].title, "Pack");
}

#[test]
fn a_bad_element_does_not_spoil_its_neighbours() {
    let world = World::new();
    let batch = json!({ "items": [
        { "title": "Book the van" },
        { "title": "" },
        { "title": "sign THE contract" },
        "Buy boxes",
        { "title": "Call the bank" },
        { "title": "book the van." },
    ] });
    let reply = world.propose(&[(ADD, batch)]).remove(0);
    assert!(reply.refused, "the model may mend what is wrong");
    let lines: Vec<&str> = reply.text.lines().collect();
    assert_eq!(lines.len(), 5, "{}", reply.text);
    assert_eq!(
        lines[0],
        "Proposed, waits for the person's review: Add checklist item: Book the van; Add checklist item: Call the bank."
    );
    assert!(lines[1].starts_with("Refused: title is empty"));
    assert!(lines[2].starts_with("Not proposed: the checklist already has"));
    assert!(lines[3].starts_with("Refused: ") && lines[3].contains("{\"title\": \"…\"}"));
    assert!(lines[4].starts_with("Not proposed: ") && lines[4].contains("already in this wake"));
    let made: Vec<_> = world.items().into_iter().map(|item| item.args).collect();
    assert_eq!(made, ["{\"title\":\"Book the van\"}", "{\"title\":\"Call the bank\"}"]);
}

#[test]
fn calls_of_a_turn_share_one_set_in_their_order() {
    let world = World::new();
    world.propose(&[
        ("update_task_due_date", json!({ "dueDate": "2026-03-20" })),
        (ADD, titles(0, 2)),
        ("update_task_estimate", json!({ "minutes": 60 })),
    ]);
    let tools: Vec<_> = world.items().into_iter().map(|item| item.tool).collect();
    assert_eq!(
        tools,
        [
            "update_task_due_date",
            "add_checklist_item",
            "add_checklist_item",
            "update_task_estimate"
        ]
    );
    assert_eq!(world.sets().len(), 1);
}

#[test]
fn later_turns_of_a_run_go_on_in_its_set() {
    let world = World::new();
    world.turn_of(1, &[(ADD, titles(0, 2))], &[]);
    world.turn_of(1, &[(ADD, titles(2, 3))], &[]);
    world.turn_of(2, &[(ADD, titles(3, 4))], &[]);
    let places: Vec<_> = world.items().into_iter().map(|item| item.index).collect();
    assert_eq!(places, [1, 2, 3, 1]);
    assert_eq!(world.sets().len(), 2);
}

#[test]
fn a_run_that_proposes_nothing_leaves_no_set() {
    let world = World::new();
    world.propose(&[(ADD, json!({ "items": [{ "title": "Sign the contract" }] }))]);
    assert_eq!(world.sets(), []);
}

/// Proposes `n` items in one run of one turn; returns how many were accepted.
fn flood(n: usize) -> (World, usize, Vec<crate::world::Reply>) {
    let world = World::new();
    let journal = world.rows(Db::Journal);
    let calls: Vec<(&str, Value)> =
        (0..n).step_by(20).map(|from| (ADD, titles(from, (from + 20).min(n)))).collect();
    let replies = world.propose(&calls);
    assert_eq!(world.rows(Db::Journal), journal, "nothing is executed unseen");
    let items = world.items();
    assert!(items.iter().all(|item| item.state == State::Pending));
    let taken = items.len();
    (world, taken, replies)
}

#[test]
fn ten_are_shown_and_the_next_appears_as_one_is_decided() {
    for n in [1, 10, 11, 50] {
        let (world, taken, _) = flood(n);
        assert_eq!(taken, n);
        let items = world.items();
        let stamped = items.iter().filter(|item| item.shown_at.is_some()).count();
        assert_eq!((stamped, fold::shown_indexes(&items).len()), (n.min(10), n.min(10)));
    }
    let (world, ..) = flood(11);
    let decide: [fn(&World, &dormouse_store::agent::change_item::Item); 3] = [
        |world, item| drop(world.confirm(item).expect("confirmed")),
        |world, item| drop(world.reject(item, None).expect("rejected")),
        |world, item| drop(world.defer(item).expect("deferred")),
    ];
    assert!(world.items()[10].shown_at.is_none());
    decide[0](&world, &world.items()[3]);
    let eleventh = world.items()[10].clone();
    assert!(eleventh.shown_at.is_some_and(|at| at > world.items()[0].shown_at.expect("shown")));
    assert_eq!(world.titles(), ["Sign the contract", "Item 3"]);
    for one in &decide[1..] {
        let (world, ..) = flood(11);
        one(&world, &world.items()[3]);
        assert!(world.items()[10].shown_at.is_some());
    }
}

#[test]
fn the_fifty_first_proposal_of_a_wake_is_refused() {
    let (_, taken, replies) = flood(60);
    assert_eq!(taken, limits::ITEMS_PER_WAKE.max);
    assert!(replies[2].refused && replies[2].text.contains("at most 50"), "{:?}", replies[2]);
}

#[test]
fn the_limit_counts_over_all_turns_of_a_wake() {
    let world = World::new();
    world.turn_of(1, &[(ADD, titles(0, 20)), (ADD, titles(20, 40))], &[]);
    let reply = world.turn_of(1, &[(ADD, titles(40, 60))], &[]).remove(0);
    assert_eq!(world.items().len(), limits::ITEMS_PER_WAKE.max);
    assert!(reply.refused && reply.text.contains("at most 50"), "{}", reply.text);
    world.turn_of(2, &[(ADD, titles(60, 61))], &[]);
    assert_eq!(world.items().len(), limits::ITEMS_PER_WAKE.max + 1, "the next wake begins again");
}

#[test]
fn a_single_value_is_proposed_once_a_wake_and_a_slip_may_be_mended() {
    let world = World::new();
    world.edit_as_agent(&[dormouse_journal::Edit::DueOn(Some(
        "2026-03-20".parse().expect("a day"),
    ))]);
    let due = |day: &str| ("update_task_due_date", json!({ "dueDate": day }));
    let replies = world.propose(&[
        due("2026-02-30"),
        due("2026-03-20"),
        due("2026-04-01"),
        ("set_task_due_date", json!({ "dueDate": "2026-04-02" })),
    ]);
    assert!(replies[0].refused && !replies[1].refused && !replies[2].refused, "{replies:?}");
    assert!(replies[3].refused && replies[3].text.contains("used in this wake already"));
    let made: Vec<_> = world.items().into_iter().map(|item| item.args).collect();
    assert_eq!(made, ["{\"dueDate\":\"2026-04-01\"}"]);
}

#[test]
fn a_set_says_that_it_was_made_of_something_private_once_a_turn_of_its_run_was_shown_that() {
    let world = World::new();
    let marks = || world.sets().iter().map(|set| set.made_of_private).collect::<Vec<_>>();
    world.turn_of(1, &[(ADD, titles(0, 1))], &[]);
    assert_eq!(marks(), [false]);
    world.is_of_private.set(true);
    world.turn_of(1, &[(ADD, titles(1, 2))], &[]);
    assert_eq!(marks(), [true]);
    // A later turn takes nothing back, and neither does a verdict.
    world.is_of_private.set(false);
    world.turn_of(1, &[(ADD, titles(2, 3))], &[]);
    world.confirm(&world.items()[0]).expect("confirmed");
    assert_eq!(marks(), [true]);
    world.turn_of(2, &[(ADD, titles(3, 4))], &[]);
    let marks =
        world.items().iter().map(|item| world.set_of(item).made_of_private).collect::<Vec<_>>();
    assert_eq!(marks, [true, true, true, false]);
}
