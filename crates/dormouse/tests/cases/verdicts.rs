use dormouse::view::ChangeItem;
use dormouse::{Verdict, VerdictOf};
use serde_json::{Value, json};

use crate::world::{World, me, now, slug};

fn add(n: usize) -> (&'static str, Value) {
    let items: Vec<Value> = (0..n).map(|n| json!({ "title": format!("Item {n}") })).collect();
    ("add_multiple_checklist_items", json!({ "items": items }))
}

fn of(item: &ChangeItem, verdict: Verdict, reason: Option<&str>) -> VerdictOf {
    VerdictOf {
        set: item.set.clone(),
        index: item.index,
        verdict,
        digest: Some(item.digest.to_string()),
        reason: reason.map(ToOwned::to_owned),
    }
}

#[test]
fn an_item_shows_what_is_what_was_and_what_would_be() {
    let world = World::new();
    let (task, ..) = world
        .proposed(&[("update_task_estimate", json!({ "minutes": 90, "rationale": "it says so" }))]);
    let item = world.items().remove(0);
    assert_eq!(item.human_summary, "Set time estimate to 1 h 30 min");
    assert_eq!((item.before, item.now, item.proposed), (None, None, Some("1 h 30 min".into())));
    assert_eq!((item.status.as_str(), item.shown, item.round), ("pending", true, 0));
    assert_eq!(item.rationale.as_deref(), Some("it says so"));
    assert_eq!(
        item.expires_at.map(|at| at.to_string()).as_deref(),
        Some("2026-03-09T09:02:00Z"),
        "seven days after it was shown"
    );
    let patch = dormouse::TaskPatch { estimate_minutes: Some(Some(30)), ..Default::default() };
    now(world.dormouse.edit_task(&me(), &task.id, patch, None, None)).expect("edited");
    assert_eq!(world.items()[0].now.as_deref(), Some("30 min"));
}

#[test]
fn many_are_decided_in_order_and_nothing_stops_at_one_that_fails() {
    let world = World::new();
    let (task, _, items) = world.proposed(&[add(4)]);
    now(world.dormouse.add_item(&me(), &task.id, "item 1".into(), None)).expect("added");
    let mut wrong = of(&items[2], Verdict::Confirm, None);
    wrong.digest = Some(items[3].digest.to_string());
    let results = now(world.dormouse.decide_many(
        &me(),
        vec![
            of(&items[0], Verdict::Confirm, None),
            of(&items[1], Verdict::Confirm, None),
            wrong,
            of(&items[3], Verdict::Reject, Some("not this")),
        ],
    ))
    .expect("taken");
    let told: Vec<_> = results
        .iter()
        .map(|one| match one {
            Ok(outcome) => outcome.item.status.clone(),
            Err(error) => slug(error).0.to_owned(),
        })
        .collect();
    assert_eq!(told, ["confirmed", "change-retracted", "precondition-failed", "rejected"]);
    let titles: Vec<_> = world.fresh(&task.id).items.into_iter().map(|item| item.title).collect();
    assert_eq!(titles, ["Pack the books", "item 1", "Item 0"]);
}

#[test]
fn confirming_all_takes_the_ten_that_are_shown_and_dismissing_puts_the_rest_off() {
    let world = World::new();
    let (task, _, items) = world.proposed(&[add(12)]);
    let set = &items[0].set;
    let done = now(world.dormouse.confirm_all(&me(), set, None)).expect("confirmed");
    assert_eq!(done.len(), 10);
    assert_eq!(world.fresh(&task.id).items.len(), 11);
    let statuses = || world.items().into_iter().map(|item| item.status).collect::<Vec<_>>();
    assert_eq!(statuses()[10..], ["pending", "pending"]);
    let off = now(world.dormouse.dismiss(&me(), set, None)).expect("put off");
    assert_eq!(off.len(), 2);
    assert_eq!(statuses()[10..], ["deferred", "deferred"]);
    assert!(now(world.dormouse.dismiss(&me(), set, None)).expect("nothing left").is_empty());
}

#[test]
fn what_fails_in_confirming_all_stays_with_its_reason() {
    let world = World::new();
    let (task, _, items) = world.proposed(&[add(3)]);
    now(world.dormouse.add_item(&me(), &task.id, "ITEM 1".into(), None)).expect("added");
    let done = now(world.dormouse.confirm_all(&me(), &items[0].set, None)).expect("confirmed");
    let told: Vec<_> = done.iter().map(|one| one.item.status.as_str()).collect();
    assert_eq!(told, ["confirmed", "retracted", "confirmed"]);
    assert!(done[1].item.error.as_ref().is_some_and(|why| why.contains("already has")));
}

#[test]
fn a_set_is_found_by_the_words_of_its_task() {
    let world = World::new();
    let (_, _, items) = world.proposed(&[add(1)]);
    let found = |text: &str| {
        let sets = now(world.dormouse.find_sets(&me(), text)).expect("found");
        sets.into_iter().map(|set| set.id).collect::<Vec<_>>()
    };
    let id = items[0].set.clone();
    let text = id.to_string();
    for words in ["new flat", text.as_str(), &text[text.len() - 5..], &text.to_uppercase()] {
        assert_eq!(found(words), std::slice::from_ref(&id), "{words}");
    }
    assert!(found("garden").is_empty() && found("").is_empty());
}
