use dormouse_journal::{Edit, JournalError, TaskAsOf};
use dormouse_types::task::{LinkKind, Status};
use dormouse_types::{LabelId, Seq, TaskId};
use proptest::prelude::*;

use super::undoing_anything::{Pick, edit, values, values_of};
use crate::world::{WS, World, now, person};

impl World {
    fn as_of(&self, task: &TaskId, at: Seq) -> TaskAsOf {
        now(self.journal.task_as_of(WS, task, at)).expect("the task as it was")
    }

    /// The position of the newest change.
    fn head(&self) -> Seq {
        self.changes().last().expect("a change").seq
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_task_is_shown_as_it_was_after_each_of_its_changes(
        batches in prop::collection::vec(prop::collection::vec(any::<Pick>(), 1..6), 1..10),
    ) {
        let world = World::new();
        let labels: Vec<LabelId> = ["Home", "Work", "Garden"]
            .iter()
            .map(|name| now(world.journal.ensure_label(WS, name, &person())).unwrap().id)
            .collect();
        let others = ["This", "That"].map(|title| world.task(title, vec![]));
        let task = world.task("Anything", vec![]);
        let mut kept = vec![(world.head(), values(&world, &task))];
        for batch in batches {
            let view = world.view(&task);
            let edits: Vec<Edit> =
                batch.into_iter().filter_map(|pick| edit(&view, (&labels, &others), pick)).collect();
            if world.edit(&task, &edits).is_ok() {
                kept.push((world.head(), values(&world, &task)));
            }
        }
        for (at, expected) in kept {
            let found = world.as_of(&task, at);
            prop_assert_eq!(values_of(found.view), expected, "as of {:?}", at);
            prop_assert_eq!(found.not_undone, vec![]);
        }
    }
}

#[test]
fn items_that_were_moved_are_where_they_were() {
    let world = World::new();
    let add = |title: &str| Edit::AddItem { title: title.into(), is_checked: false, depth: 0 };
    let from = world.task("Move house", vec![add("Boxes"), add("Van")]);
    let to = world.task("Rent a van", vec![add("Licence")]);
    let before = world.head();
    let van = world.ids_of_items(&from).remove(1);
    world.edit(&from, &[Edit::MoveItem { item: van, to: to.clone(), place: None }]).unwrap();
    let after = world.head();
    let titles = |task: &TaskId, at| -> Vec<String> {
        let items = world.as_of(task, at).view.items;
        items.into_iter().map(|item| item.value.title.clone()).collect()
    };
    assert_eq!(titles(&from, before), ["Boxes", "Van"]);
    assert_eq!(titles(&to, before), ["Licence"]);
    assert_eq!(titles(&from, after), ["Boxes"]);
    assert_eq!(titles(&to, after), ["Licence", "Van"]);
}

#[test]
fn a_link_is_seen_from_both_of_its_tasks_while_it_was_there() {
    let world = World::new();
    let (one, two) = (world.task("One", vec![]), world.task("Two", vec![]));
    let before = world.head();
    world.edit(&one, &[Edit::Link { to: two.clone(), kind: LinkKind::ALL[0] }]).unwrap();
    let linked = world.head();
    let link = world.view(&one).links[0].doc.value.id.clone();
    world.edit(&two, &[Edit::Unlink(link)]).unwrap();
    for (task, other) in [(&one, "Two"), (&two, "One")] {
        let links = |at| world.as_of(task, at).view.links;
        assert_eq!(links(before).len(), 0);
        assert_eq!(links(linked)[0].other.title, other);
        assert_eq!(links(world.head()).len(), 0);
    }
}

#[test]
fn a_deleted_task_is_shown_as_it_was_before() {
    let world = World::new();
    let task = world.task("Bake", vec![]);
    let live = world.head();
    world.edit(&task, &[Edit::Delete]).unwrap();
    let deleted = world.head();
    world.edit(&task, &[Edit::Restore]).unwrap();
    assert_eq!(world.as_of(&task, live).view.deleted_at(), None);
    assert!(world.as_of(&task, deleted).view.deleted_at().is_some());
}

#[test]
fn the_history_of_a_status_ends_where_the_task_was() {
    let world = World::new();
    let task = world.task("Bake", vec![]);
    let set = |status, reason: Option<&str>| {
        let reason = reason.map(Into::into);
        world.edit(&task, &[Edit::Status { status, reason }]).unwrap();
        world.head()
    };
    let held = set(Status::OnHold, Some("no flour"));
    set(Status::Done, None);
    let then = world.as_of(&task, held).view.task.value.clone();
    assert_eq!(then.status, then.status_history[1]);
    assert_eq!((then.status.status, then.status_history.len()), (Status::OnHold, 2));
}

#[test]
fn there_is_no_task_before_it_was_created() {
    let world = World::new();
    world.task("Earlier", vec![]);
    let before = world.head();
    let task = world.task("Later", vec![]);
    let error = now(world.journal.task_as_of(WS, &task, before)).unwrap_err();
    assert!(matches!(error, JournalError::NoTask { .. }), "{error}");
}

#[test]
fn a_change_without_a_record_is_said_and_the_others_are_taken_back() {
    let world = World::new();
    let task = world.task("Bake", vec![]);
    let at = world.head();
    world.edit(&task, &[Edit::Title("Bake bread".into())]).unwrap();
    world.raw("DELETE FROM applied_operations WHERE ws = ?1 AND ?2 <> ?3 AND seq = (SELECT MAX(seq) FROM change_log)", "a", "b");
    world.edit(&task, &[Edit::Estimate(Some(30))]).unwrap();
    let found = world.as_of(&task, at);
    assert_eq!(found.view.task.value.title, "Bake bread");
    assert_eq!(found.view.task.value.estimate_minutes, None);
    assert_eq!(found.not_undone.len(), 1);
}

#[test]
fn a_task_that_is_edited_meanwhile_is_read_again() {
    let world = World::new();
    let task = world.task("Bake", vec![]);
    let at = world.head();
    world.edit(&task, &[Edit::Title("Bake bread".into())]).unwrap();
    let (journal, other) = (world.journal.clone(), task.clone());
    world.engine.before_next_read_of_touches(move || {
        now(journal.edit(WS, &other, &[Edit::Estimate(Some(30))], &person())).unwrap();
    });
    let then = world.as_of(&task, at).view.task.value.clone();
    assert_eq!((then.title.as_str(), then.estimate_minutes), ("Bake", None));
}
