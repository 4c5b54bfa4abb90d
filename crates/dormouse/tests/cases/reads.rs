//! What a write reads: the rows it decides on, once.

use dormouse::{NewEntry, NewTask, Verdict, VerdictOf};
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
    let (task, queries) = world.engine.reads_of(made);
    assert_eq!(wholes(&queries, &task.id, None), (0, 0), "{queries:#?}");

    let add = |key: Option<&str>| {
        let note = NewEntry { text: "We signed.".into(), ..NewEntry::default() };
        now(world.dormouse.add_entry(&me(), &task.id, note, key.map(Into::into))).expect("a note")
    };
    for (key, name) in [(None, "no key"), (Some("k"), "key"), (Some("k"), "repeated")] {
        let (answer, queries) = world.engine.reads_of(|| add(key));
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
    for verdict in [Verdict::Confirm, Verdict::Reject, Verdict::Defer] {
        let world = World::new();
        let calls = [("update_task_estimate", json!({ "minutes": 90, "rationale": "it says so" }))];
        let (task, _, items) = world.proposed(&calls);
        let item = &items[0];
        let (caller, place) = (me(), (&item.set, item.index));
        let decide = || {
            now(world.dormouse.decide(&caller, place.0, place.1, verdict, None, None, None))
                .expect("decided")
        };
        let (answer, queries) = world.engine.reads_of(decide);
        assert_eq!(wholes(&queries, &task.id, Some(&item.set)), (1, 1), "{queries:#?}");
        let set = now(world.dormouse.change_set(&me(), &item.set)).expect("the set");
        let stored = set.items.into_iter().find(|other| other.index == item.index);
        assert_eq!(json!(answer.item), json!(stored), "the answer is the item as it is then read");
        assert_eq!(answer.set_status, set.status);
        assert_eq!(answer.revision, Some(world.fresh(&task.id).revision));
    }
}

#[test]
fn a_confirm_lists_what_is_open_then_on_the_task_that_it_wrote() {
    let world = World::new();
    let calls = [
        ("update_task_estimate", json!({ "minutes": 90, "rationale": "it says so" })),
        ("update_task_priority", json!({ "priority": "P1", "rationale": "it says so" })),
    ];
    let (task, _, items) = world.proposed(&calls);
    let wanted = |at: usize| VerdictOf {
        set: items[at].set.clone(),
        index: items[at].index,
        verdict: Verdict::Confirm,
        digest: None,
        reason: None,
        over: None,
    };
    let decide = |at: usize| {
        now(world.dormouse.decide_item_and_list(&me(), wanted(at), None)).expect("decided")
    };
    let (answer, queries) = world.engine.reads_of(|| decide(0));
    assert_eq!(wholes(&queries, &task.id, Some(&items[0].set)), (1, 1), "{queries:#?}");
    let fresh = now(world.dormouse.open_changes(&me(), &task.id)).expect("a list");
    assert_eq!(json!(answer.open), json!(Some(fresh)), "the list is as it is then read");
    let all = queries.len();
    let (answer, queries) = world.engine.reads_of(|| decide(1));
    assert_eq!(answer.open.map(|open| open.items.len()), Some(0), "{queries:#?}");
    assert!(queries.len() <= all, "{queries:#?}");
}
