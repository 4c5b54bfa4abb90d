use dormouse_journal::{Edit, EditCtx, Effect, JournalError, OnceKey};
use dormouse_store::{Db, receipt};
use dormouse_types::task::{Priority, Status};
use dormouse_types::{TaskId, hash};

use crate::world::{WS, World, now, person};

fn undo(
    world: &World,
    task: &TaskId,
    edited: &dormouse_journal::Edited,
) -> Result<(), JournalError> {
    now(world.journal.undo(WS, task, &edited.effects, &person())).map(|_| ())
}

#[test]
fn undo_brings_back_what_was_there() {
    let world = World::new();
    let task =
        world.task("", vec![Edit::AddItem { title: "One".into(), is_checked: false, depth: 0 }]);
    let one = world.ids_of_items(&task).remove(0);
    let before = world.state(&task);
    let edited = world
        .edit(
            &task,
            &[
                Edit::Title("A title".into()),
                Edit::Status { status: Status::OnHold, reason: Some("later".into()) },
                Edit::DueOn(Some("2026-03-01".parse().unwrap())),
                Edit::CheckItem { item: one, is_checked: true },
                Edit::AddItem { title: "Two".into(), is_checked: false, depth: 1 },
                Edit::note("A note."),
            ],
        )
        .unwrap();
    undo(&world, &task, &edited).unwrap();
    let after = world.state(&task);
    assert_eq!((after.title, after.status, after.due_on), (String::new(), Status::Open, None));
    assert_eq!(after.items.len(), before.items.len());
    assert!(!after.items[0].is_checked);
    assert_eq!(after.entries, before.entries);
}

#[test]
fn undo_is_refused_when_the_field_has_moved_on() {
    let world = World::new();
    let task = world.task("Bake", vec![]);
    let edited = world.edit(&task, &[Edit::Priority(Some(Priority::P0))]).unwrap();
    world.edit(&task, &[Edit::Priority(Some(Priority::P3))]).unwrap();
    let error = undo(&world, &task, &edited).unwrap_err();
    let JournalError::Changed(changed) = error else { panic!("{error}") };
    assert_eq!(
        (changed.field.as_str(), changed.now.as_str(), changed.set.as_str()),
        ("priority", "P3", "P0")
    );
    assert_eq!(world.state(&task).priority, Some(Priority::P3));
}

#[test]
fn an_added_item_that_was_ticked_since_is_not_undone() {
    let world = World::new();
    let task = world.task("Bake", vec![]);
    let add = Edit::AddItem { title: "Flour".into(), is_checked: false, depth: 0 };
    let edited = world.edit(&task, &[add]).unwrap();
    let flour = world.ids_of_items(&task).remove(0);
    world.edit(&task, &[Edit::CheckItem { item: flour.clone(), is_checked: true }]).unwrap();
    let error = undo(&world, &task, &edited).unwrap_err();
    assert!(error.to_string().contains("ticked"), "{error}");
    world.edit(&task, &[Edit::CheckItem { item: flour, is_checked: false }]).unwrap();
    undo(&world, &task, &edited).unwrap();
    assert_eq!(world.ids_of_items(&task), []);
}

#[test]
fn a_note_that_was_edited_since_is_not_undone() {
    let world = World::new();
    let task = world.task("Bake", vec![]);
    let edited = world.edit(&task, &[Edit::note("Use rye.")]).unwrap();
    let entry = world.view(&task).entries[0].value.id.clone();
    world.edit(&task, &[Edit::EditEntry { entry, text: Some("Use wheat.".into()) }]).unwrap();
    let error = undo(&world, &task, &edited).unwrap_err();
    assert!(error.to_string().contains("Use wheat."), "{error}");
}

#[test]
fn undoing_a_label_teaches_no_lesson() {
    let world = World::new();
    let label = now(world.journal.ensure_label(WS, "Kitchen", &person())).unwrap().id;
    let task = world.task("Bake", vec![]);
    let edited = world.edit(&task, &[Edit::AddLabel(label.clone())]).unwrap();
    undo(&world, &task, &edited).unwrap();
    let state = world.state(&task);
    assert_eq!((state.labels.len(), state.suppressed_labels.len()), (0, 0));

    world.edit(&task, &[Edit::SuppressLabel(label.clone())]).unwrap();
    let edited = world.edit(&task, &[Edit::AddLabel(label.clone())]).unwrap();
    undo(&world, &task, &edited).unwrap();
    let state = world.state(&task);
    assert_eq!((state.labels.len(), state.suppressed_labels), (0, vec![label]));
}

#[test]
fn an_undo_can_be_undone() {
    let world = World::new();
    let task = world.task("Bake", vec![]);
    let add = Edit::AddItem { title: "Flour".into(), is_checked: true, depth: 0 };
    let edited = world.edit(&task, &[add, Edit::note("Use rye."), Edit::Delete]).unwrap();
    assert!(world.view(&task).deleted_at().is_some());
    let undone = now(world.journal.undo(WS, &task, &edited.effects, &person())).unwrap();
    assert_eq!(world.ids_of_items(&task), []);
    undo(&world, &task, &undone).unwrap();
    let view = world.view(&task);
    assert_eq!((view.items.len(), view.entries.len()), (1, 1));
    assert!(view.deleted_at().is_some());
}

#[test]
fn effects_come_back_from_a_receipt() {
    let world = World::new();
    let label = now(world.journal.ensure_label(WS, "Kitchen", &person())).unwrap().id;
    let task = world.task("Bake", vec![]);
    let once = Some(OnceKey { id: "op-7".into(), request: hash::sha256("bake") });
    let edited = world
        .edit_as(
            &task,
            &[
                Edit::Title("Bake bread".into()),
                Edit::Status { status: Status::Blocked, reason: Some("no oven".into()) },
                Edit::Estimate(Some(30)),
                Edit::AddItem { title: "Flour".into(), is_checked: true, depth: 0 },
                Edit::note("Use rye."),
                Edit::AddLabel(label),
            ],
            &EditCtx { once, ..person() },
        )
        .unwrap();
    let receipt = now(world.store.first(receipt::by_id(Db::Journal, WS, "op-7"))).unwrap().unwrap();
    let read: Vec<Effect> = serde_json::from_str(&receipt.effects.unwrap()).unwrap();
    assert_eq!(read, edited.effects);
    assert_eq!(Some(receipt.seq), edited.seq);
    assert_eq!(read.len(), 6);
}
