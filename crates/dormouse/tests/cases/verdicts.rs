use dormouse::{AttentionFilter, EntryPatch, NewEntry, TaskPatch, Verdict, VerdictOf};
use dormouse_types::agent::{ItemStatus, SetStatus};
use dormouse_types::field_change::{FieldChange, FieldRef, FieldValue};
use dormouse_types::task::Status;
use serde_json::{Value, json};

use crate::world::{World, me, now, slug, verdict_of};

fn add(n: usize) -> (&'static str, Value) {
    let items: Vec<Value> = (0..n).map(|n| json!({ "title": format!("Item {n}") })).collect();
    ("add_multiple_checklist_items", json!({ "items": items }))
}

#[test]
fn an_item_shows_what_is_what_was_and_what_would_be() {
    let world = World::new();
    let (task, ..) = world
        .proposed(&[("update_task_estimate", json!({ "minutes": 90, "rationale": "it says so" }))]);
    let item = world.items().remove(0);
    assert_eq!(item.human_summary, "Set time estimate to 1 h 30 min");
    assert_eq!((item.now, item.current), (None, None));
    let proposed = FieldChange {
        field: FieldRef::Estimate,
        from: None,
        to: Some(FieldValue::Minutes { minutes: 90 }),
    };
    assert_eq!(item.change, Some(proposed));
    assert_eq!((item.status.name(), item.shown, item.round), ("pending", true, 0));
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

/// It is shown before a confirm: the value is as visible then as its task.
#[test]
fn what_was_made_of_something_private_says_so_while_it_is_open_and_its_task_is_not_private() {
    let world = World::new();
    let task = world.task("Move to the new flat");
    let entry = NewEntry { text: "The doctor said no stairs.".into(), ..NewEntry::default() };
    let entry = NewEntry { private: true, ..entry };
    let task = now(world.dormouse.add_entry(&me(), &task.id, entry, None)).expect("an entry");
    world.agent(&task.id);
    world.answer(&[("update_task_estimate", json!({ "minutes": 90 })), add(1)]);
    world.drain(&task.id);
    let marks = || world.items().iter().map(|item| item.made_of_private).collect::<Vec<_>>();
    assert_eq!(marks(), [true, true]);
    let set = world.items()[0].set.clone();
    let one = now(world.dormouse.change_set(&me(), &set)).expect("the set");
    assert!(one.items.iter().all(|item| item.made_of_private));
    // What is confirmed in a private task stays private.
    let flag = |private| {
        let patch = TaskPatch { private: Some(private), ..TaskPatch::default() };
        now(world.dormouse.edit_task(&me(), &task.id, patch, None, None)).expect("edited");
    };
    flag(true);
    assert_eq!(marks(), [false, false]);
    flag(false);
    assert_eq!(marks(), [true, true]);
    world.decide(&world.items()[0], Verdict::Confirm);
    assert_eq!(marks(), [false, true]);
    let of_task = now(world.dormouse.task_changes(&me(), &task.id)).expect("the open ones");
    assert_eq!(of_task.iter().map(|one| one.item.made_of_private).collect::<Vec<_>>(), [true]);
}

#[test]
fn what_was_proposed_before_something_private_was_read_says_nothing_of_it() {
    let world = World::new();
    let task = world.task("Move to the new flat");
    world.agent(&task.id);
    world.answer(&[add(1)]);
    world.drain(&task.id);
    let entry = NewEntry { text: "The doctor said no stairs.".into(), ..NewEntry::default() };
    let entry = NewEntry { private: true, ..entry };
    world.later(60);
    let note = now(world.dormouse.add_entry(&me(), &task.id, entry, None)).expect("an entry");
    world.answer(&[("update_task_estimate", json!({ "minutes": 90 }))]);
    world.drain(&task.id);
    let marks = || {
        let mut sets = now(world.dormouse.change_sets(&me(), None, true)).expect("sets");
        sets.sort_by_key(|set| set.created_at);
        sets.iter().flat_map(|set| &set.items).map(|it| it.made_of_private).collect::<Vec<_>>()
    };
    assert_eq!(marks(), [false, true], "the first was made before it");
    // What it was made of stays what it was made of.
    let entry = note.entries.last().expect("the entry").id.clone();
    let patch = EntryPatch { private: Some(false), ..EntryPatch::default() };
    now(world.dormouse.edit_entry(&me(), &task.id, &entry, patch, None, None)).expect("edited");
    assert_eq!(marks(), [false, true]);
}

#[test]
fn what_was_made_of_nothing_private_says_nothing_of_it() {
    let world = World::new();
    let (_, _, items) = world.proposed(&[add(2)]);
    assert!(items.iter().all(|item| !item.made_of_private));
}

fn statuses(world: &World) -> Vec<ItemStatus> {
    world.items().into_iter().map(|item| item.status).collect()
}

#[test]
fn confirming_all_takes_what_is_named_and_dismissing_puts_the_rest_off() {
    let world = World::new();
    let (task, _, items) = world.proposed(&[add(12)]);
    let set = &items[0].set;
    let done = world.confirm_all(&items[2..5]);
    let outcomes: Vec<_> = done.iter().map(|one| one.as_ref().expect("confirmed")).collect();
    assert_eq!(outcomes.iter().map(|one| one.item.index).collect::<Vec<_>>(), [3, 4, 5]);
    assert_eq!(world.fresh(&task.id).items.len(), 4);
    assert_eq!(statuses(&world).iter().filter(|status| **status == ItemStatus::Pending).count(), 9);
    let off = now(world.dormouse.dismiss(&me(), set, None)).expect("put off");
    assert_eq!(off.len(), 9);
    assert!(now(world.dormouse.dismiss(&me(), set, None)).expect("nothing left").is_empty());
}

#[test]
fn a_list_to_confirm_names_one_to_ten_items_each_once() {
    let world = World::new();
    let (_, _, items) = world.proposed(&[add(12)]);
    let set = &items[0].set;
    let none = now(world.dormouse.confirm_all(&me(), set, Vec::new(), None));
    assert_eq!(slug(&none.expect_err("nobody is named")), ("validation-failed", 422));
    for wrong in [&items[..11], &[items[0].clone(), items[0].clone()][..]] {
        let refused = world.confirm_under(wrong, None).expect_err("no such list");
        assert_eq!(slug(&refused), ("validation-failed", 422));
    }
    assert_eq!(statuses(&world), vec![ItemStatus::Pending; 12]);
    assert_eq!(world.confirm_all(&items[2..]).len(), 10, "also those that waited after the ten");
}

#[test]
fn what_fails_in_confirming_all_stays_with_its_reason() {
    let world = World::new();
    let (task, _, items) =
        world.proposed(&[add(3), ("update_task_estimate", json!({ "minutes": 60 }))]);
    now(world.dormouse.add_item(&me(), &task.id, "ITEM 1".into(), None)).expect("added");
    world.later(60);
    let patch = TaskPatch { estimate_minutes: Some(Some(45)), ..TaskPatch::default() };
    now(world.dormouse.edit_task(&me(), &task.id, patch, None, None)).expect("edited");
    let mut shown = items.clone();
    shown[0].digest = items[2].digest.clone();
    let done = world.confirm_all(&shown);
    let outcomes: Vec<_> = done
        .iter()
        .map(|one| one.as_ref().map_or_else(|error| slug(error).0, |_| "confirmed"))
        .collect();
    assert_eq!(outcomes, ["precondition-failed", "change-retracted", "confirmed", "value-changed"]);
    let problem = done[3].as_ref().expect_err("set since").problem();
    assert_eq!(problem.extra["now"], "45 min");
    assert_eq!(problem.extra["current"], json!({ "type": "minutes", "minutes": 45 }));
    assert_eq!(
        statuses(&world),
        [ItemStatus::Pending, ItemStatus::Retracted, ItemStatus::Confirmed, ItemStatus::Pending]
    );
    assert_eq!(world.fresh(&task.id).estimate_minutes, Some(45));
    let item = world.items().remove(3);
    assert!(item.set_since, "{item:?}");
}

#[test]
fn a_closed_or_deleted_task_asks_nothing_until_it_is_open_again() {
    let world = World::new();
    let (task, _, items) = world.proposed(&[add(2)]);
    world.decide(&items[1], Verdict::Defer);
    let d = &world.dormouse;
    let counts = || {
        let sets = now(d.change_sets(&me(), None, false)).expect("sets").len();
        let changes = now(d.task_changes(&me(), &task.id)).expect("changes").len();
        let needs = now(d.attention_list(&me(), AttentionFilter::default(), 9, None))
            .expect("needs")
            .items
            .len();
        let overview = now(d.overview(&me())).expect("overview");
        let deleted = dormouse::Deleted::Too;
        let filter = dormouse::TaskFilter { deleted, ..dormouse::TaskFilter::default() };
        let row = now(d.tasks(&me(), filter, 9, None)).expect("rows").items.remove(0);
        let whole = world.fresh(&task.id);
        let counts = [
            (overview.open_proposals, overview.put_off_proposals),
            (row.open_proposals, row.put_off_proposals),
            (whole.open_proposals, whole.put_off_proposals),
        ];
        (sets, changes, needs, counts)
    };
    let status = |status| TaskPatch { status: Some(status), ..TaskPatch::default() };
    let open = (1, 2, 1, [(1, 1); 3]);
    assert_eq!(counts(), open);
    for is_deletion in [true, false] {
        if is_deletion {
            now(d.delete_task(&me(), &task.id, None)).expect("deleted");
        } else {
            now(d.edit_task(&me(), &task.id, status(Status::Done), None, None)).expect("closed");
        }
        assert_eq!(counts(), (0, 0, 0, [(0, 0); 3]));
        let set = now(d.change_set(&me(), &items[0].set)).expect("the set");
        assert!(set.items.iter().all(|item| !item.shown && item.expires_at.is_none()), "{set:?}");
        let refused = world.confirm_all(&items[..1]).remove(0).expect_err("its task is closed");
        let problem = if is_deletion { "task-deleted" } else { "task-closed" };
        assert_eq!(slug(&refused), (problem, 409));
        if is_deletion {
            now(d.restore_task(&me(), &task.id, None)).expect("restored");
        } else {
            now(d.edit_task(&me(), &task.id, status(Status::Open), None, None)).expect("opened");
        }
        assert_eq!(counts(), open);
    }
}

#[test]
fn what_is_over_its_time_is_in_no_list_and_no_count_though_nobody_swept() {
    let world = World::new();
    let (task, _, items) = world.proposed(&[add(2)]);
    world.decide(&items[1], Verdict::Defer);
    world.later(7 * 24 * 3600);
    let d = &world.dormouse;
    assert_eq!(now(d.change_sets(&me(), None, false)).expect("sets").len(), 0);
    assert_eq!(now(d.task_changes(&me(), &task.id)).expect("changes").len(), 0);
    assert_eq!(
        now(d.attention_list(&me(), AttentionFilter::default(), 9, None)).expect("needs").items,
        []
    );
    let overview = now(d.overview(&me())).expect("overview");
    assert_eq!((overview.open_proposals, overview.put_off_proposals), (0, 0));
    assert_eq!(world.fresh(&task.id).open_proposals, 0);
    assert_eq!(statuses(&world), [ItemStatus::Expired, ItemStatus::Expired]);
    let set = now(d.change_set(&me(), &items[0].set)).expect("the set");
    assert_eq!(set.status, SetStatus::Expired);
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

/// The person sets the value while their confirm is under way: it is refused, even if it is sent
/// again under its key.
#[test]
fn a_confirm_that_lost_to_an_edit_is_refused_as_often_as_it_is_sent() {
    let world = World::new();
    let (task, _, items) = world.proposed(&[("update_task_estimate", json!({ "minutes": 90 }))]);
    let (dormouse, id) = (world.dormouse.clone(), task.id.clone());
    let minutes = |n| TaskPatch { estimate_minutes: Some(Some(n)), ..TaskPatch::default() };
    world.hooks.before_commit("journal.edit", move || {
        now(dormouse.edit_task(&me(), &id, minutes(45), None, None)).expect("edited");
    });
    let key = || Some("key-1".to_owned());
    let digest = Some(items[0].digest.to_string());
    let send = || {
        let (set, index) = (&items[0].set, items[0].index);
        let (digest, key) = (digest.clone(), key());
        let wanted = VerdictOf { digest, ..verdict_of(set, index, Verdict::Confirm) };
        now(world.dormouse.decide_item(&me(), wanted, key))
    };
    for time in ["first", "second"] {
        let error = send().expect_err(time);
        assert_eq!(slug(&error), ("value-changed", 409), "{time}: {error:?}");
        assert_eq!(error.problem().extra["now"], json!("45 min"), "{time}");
        assert_eq!(world.fresh(&task.id).estimate_minutes, Some(45), "{time}");
    }
    now(world.dormouse.edit_task(&me(), &task.id, minutes(90), None, None)).expect("edited");
    let error = send().expect_err("the request is over, whatever was set since");
    assert_eq!(slug(&error).1, 409, "{error:?}");
}

#[test]
fn what_belongs_to_a_follow_up_is_confirmed_with_it_in_whatever_order_it_is_listed() {
    let world = World::new();
    let (task, _, items) = world.proposed(&[
        ("create_follow_up_task", json!({ "title": "Paint the fence" })),
        ("link_task", json!({ "to": "$item:1", "relation": "blocks" })),
    ]);
    assert_eq!(items.iter().map(|item| item.parent).collect::<Vec<_>>(), [None, Some(1)]);
    assert_eq!(items[1].human_summary, "Link: blocks the follow-up task \"Paint the fence\"");
    let wanted = |item: &dormouse::view::ChangeItem| {
        let verdict = dormouse::VerdictOf {
            task: None,
            set: item.set.clone(),
            index: item.index,
            verdict: Verdict::Confirm,
            digest: Some(item.digest.to_string()),
            reason: None,
            over: None,
        };
        (verdict, None)
    };
    let decide = |wanted| {
        now(world.dormouse.decide_items(&me(), &task.id, wanted)).expect("an answer for each")
    };
    let alone = decide(vec![wanted(&items[1])]).outcomes.remove(0).expect_err("its parent is open");
    assert_eq!(slug(&alone), ("parent-first", 409));
    assert_eq!(alone.problem().extra["parent"], 1);
    assert_eq!(statuses(&world), [ItemStatus::Pending; 2]);
    let both = decide(vec![wanted(&items[1]), wanted(&items[0])]).outcomes;
    let done: Vec<_> = both
        .iter()
        .map(|one| one.as_ref().map(|one| (one.item.index, one.item.status)).expect("confirmed"))
        .collect();
    assert_eq!(done, [(2, ItemStatus::Confirmed), (1, ItemStatus::Confirmed)]);
    let filter = dormouse::TaskFilter::default();
    let tasks = now(world.dormouse.tasks(&me(), filter, 10, None)).expect("tasks").items;
    assert!(tasks.iter().any(|row| row.title == "Paint the fence"), "{tasks:?}");
}
