//! What a write reads: the rows it decides on, once.

use dormouse::{NewEntry, NewTask, Verdict};
use dormouse_store::agent::change_item;
use dormouse_store::journal::task;
use dormouse_types::{ChangeSetId, TaskId};
use serde_json::json;

use crate::world::{World, me, now};

/// How often the whole task and the whole set are among these queries.
fn wholes(queries: &[&str], task_id: &TaskId, set: Option<&ChangeSetId>) -> (usize, usize) {
    let n = |sql: &str| queries.iter().filter(|query| **query == sql).count();
    let n_sets = set.map_or(0, |set| n(change_item::of_set(dormouse::WORKSPACE, set).sql));
    (n(task::aggregate(dormouse::WORKSPACE, task_id).sql), n_sets)
}

#[test]
fn an_edit_reads_its_task_once() {
    let world = World::new();
    let new = NewTask { title: "Move".into(), ..NewTask::default() };
    let made = || now(world.dormouse.create_task(&me(), new, None)).expect("a task");
    let (task, queries) = world.noting.queries_of(made);
    assert_eq!(wholes(&queries, &task.id, None), (0, 0), "{queries:#?}");

    let add = |key: Option<&str>| {
        let note = NewEntry { text: "We signed.".into(), ..NewEntry::default() };
        now(world.dormouse.add_entry(&me(), &task.id, note, key.map(Into::into))).expect("a note")
    };
    for (key, name) in [(None, "no key"), (Some("k"), "key"), (Some("k"), "repeated")] {
        let (answer, queries) = world.noting.queries_of(|| add(key));
        assert_eq!(wholes(&queries, &task.id, None), (1, 0), "{name}: {queries:#?}");
        assert_eq!(
            json!(answer),
            json!(world.fresh(&task.id)),
            "the answer is the task as it is then read"
        );
    }
}

#[test]
fn a_verdict_reads_its_set_once() {
    // A confirm reads the task to decide and again in the journal, whose edit it guards.
    for (verdict, n_tasks) in [(Verdict::Confirm, 2), (Verdict::Reject, 1), (Verdict::Defer, 1)] {
        let world = World::new();
        let calls = [("update_task_estimate", json!({ "minutes": 90, "rationale": "it says so" }))];
        let (task, _, items) = world.proposed(&calls);
        let item = &items[0];
        let (caller, place) = (me(), (&item.set, item.index));
        let decide = || {
            now(world.dormouse.decide(&caller, place.0, place.1, verdict, None, None, None))
                .expect("decided")
        };
        let (answer, queries) = world.noting.queries_of(decide);
        let expected = (n_tasks, 1);
        assert_eq!(wholes(&queries, &task.id, Some(&item.set)), expected, "{queries:#?}");
        let set = now(world.dormouse.change_set(&me(), &item.set)).expect("the set");
        let stored = set.items.into_iter().find(|other| other.index == item.index);
        assert_eq!(json!(answer.item), json!(stored), "the answer is the item as it is then read");
        assert_eq!(answer.set_status, set.status);
        assert_eq!(answer.revision, Some(world.fresh(&task.id).revision));
    }
}
