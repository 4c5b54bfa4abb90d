use dormouse_journal::{Edit, EditError, JournalError};
use dormouse_testkit::CountingEntropy;
use dormouse_types::caller::By;
use dormouse_types::change::What;
use dormouse_types::field_change::{FieldChange, FieldRef, FieldValue};
use dormouse_types::port::Clock as _;
use dormouse_types::task::{EntryKind, Flags, Priority, Status};
use dormouse_types::{Id as _, ItemId};

use crate::world::{World, agent, person};

fn item(title: &str) -> Edit {
    Edit::AddItem { title: title.into(), is_checked: false, depth: 0 }
}

#[test]
fn being_blocked_needs_a_reason_and_history_grows() {
    let world = World::new();
    let task = world.task("Order tiles", vec![]);
    let blocked = |reason: Option<&str>| {
        [Edit::Status { status: Status::Blocked, reason: reason.map(Into::into) }]
    };
    for missing in [None, Some("   ")] {
        let error = world.edit(&task, &blocked(missing)).unwrap_err();
        assert!(matches!(error, JournalError::Edit(EditError::ReasonMissing { .. })), "{error}");
    }
    let edited = world.edit(&task, &blocked(Some("waiting for the shop"))).unwrap();
    assert_eq!(
        edited.what,
        [What::FieldSet(FieldChange {
            field: FieldRef::Status,
            from: Some(FieldValue::Status { status: Status::Open, reason: None }),
            to: Some(FieldValue::Status {
                status: Status::Blocked,
                reason: Some("waiting for the shop".into()),
            }),
        })]
    );
    world.edit(&task, &[Edit::Status { status: Status::Done, reason: None }]).unwrap();
    let view = world.view(&task);
    let history: Vec<_> = view
        .task
        .value
        .status_history
        .iter()
        .map(|entry| (entry.status, entry.reason.as_deref()))
        .collect();
    assert_eq!(
        history,
        [
            (Status::Open, None),
            (Status::Blocked, Some("waiting for the shop")),
            (Status::Done, None)
        ]
    );
    assert_eq!(view.task.value.status, *view.task.value.status_history.last().unwrap());
}

#[test]
fn an_edit_that_changes_nothing_writes_nothing() {
    let world = World::new();
    let task =
        world.task("Water the plants", vec![Edit::Priority(Some(Priority::P3)), item("Fern")]);
    let before = (world.view(&task).revision, world.changes().len(), world.stored(task.as_str()));
    let fern = world.ids_of_items(&task).remove(0);
    let edited = world
        .edit(
            &task,
            &[
                Edit::Title("  Water   the plants ".into()),
                Edit::Priority(Some(Priority::P3)),
                Edit::Priority(None),
                Edit::Priority(Some(Priority::P3)),
                Edit::CheckItem { item: fern.clone(), is_checked: true },
                Edit::CheckItem { item: fern, is_checked: false },
            ],
        )
        .unwrap();
    assert_eq!((edited.what.len(), edited.effects.len(), edited.seq), (0, 0, None));
    let after = (world.view(&task).revision, world.changes().len(), world.stored(task.as_str()));
    assert_eq!(before, after);
}

#[test]
fn a_list_of_edits_is_one_commit_or_none() {
    let world = World::new();
    let task = world.task("Plan the trip", vec![]);
    let nobody = ItemId::fresh(world.clock.now(), &CountingEntropy::seeded(50));
    let error = world
        .edit(
            &task,
            &[
                Edit::Title("Plan the long trip".into()),
                Edit::CheckItem { item: nobody.clone(), is_checked: true },
            ],
        )
        .unwrap_err();
    assert!(error.to_string().contains(nobody.as_str()), "{error}");
    assert_eq!(world.state(&task).title, "Plan the trip");
    let edited =
        world.edit(&task, &[Edit::Title("Plan the long trip".into()), item("Maps")]).unwrap();
    assert_eq!(edited.revision, 2);
    assert_eq!(world.view(&task).revision, 2);
    assert_eq!(world.changes().len(), 2);
}

#[test]
fn the_first_item_makes_a_checklist_and_items_keep_their_order() {
    let world = World::new();
    let task = world.task("Move house", vec![]);
    let edited = world.edit(&task, &[item("Boxes"), item("Van"), item("Keys")]).unwrap();
    assert_eq!(edited.made.len(), 4, "a checklist and three items: {:?}", edited.made);
    world.edit(&task, &[item("Cake")]).unwrap();
    let view = world.view(&task);
    let lists: Vec<_> = view.checklists.iter().map(|list| list.value.title.as_str()).collect();
    assert_eq!(lists, ["Todos"]);
    let titles: Vec<_> = view.items.iter().map(|item| item.value.title.as_str()).collect();
    assert_eq!(titles, ["Boxes", "Van", "Keys", "Cake"]);
}

#[test]
fn a_tick_says_who_and_when() {
    let world = World::new();
    let task = world.task("Move house", vec![item("Boxes"), item("Van")]);
    let ids = world.ids_of_items(&task);
    let tick = |n: usize| [Edit::CheckItem { item: ids[n].clone(), is_checked: true }];
    world.edit(&task, &tick(0)).unwrap();
    world.edit_as(&task, &tick(1), &agent()).unwrap();
    let state = world.state(&task);
    assert_eq!(state.items[0].checked_by, By::User);
    assert_eq!(state.items[1].checked_by, By::Agent);
    assert_eq!(state.items[1].checked_at, Some(world.clock.now()));
    let said: Vec<_> =
        ids.iter().map(|id| world.view(&task).say(id.clone()).expect("a say").by).collect();
    assert_eq!(said, [By::User, By::Agent]);
}

#[test]
fn an_agent_cannot_close_a_task() {
    let world = World::new();
    let task = world.task("Move house", vec![]);
    let done = [Edit::Status { status: Status::Done, reason: None }];
    let error = world.edit_as(&task, &done, &agent()).unwrap_err();
    assert!(matches!(error, JournalError::Edit(EditError::PersonOnly { status: Status::Done })));
    world.edit(&task, &done).unwrap();
    assert_eq!(world.state(&task).status, Status::Done);
}

#[test]
fn what_the_person_wrote_beats_the_transcript_even_when_empty() {
    let world = World::new();
    let recording = Edit::AddEntry {
        kind: EntryKind::Audio,
        text: None,
        transcript: Some("call bob on friday".into()),
        minutes: None,
        on: None,
        tainted: false,
        flags: Flags::NONE,
    };
    let task = world.task("Calls", vec![recording]);
    let entry = world.view(&task).entries[0].value.id.clone();
    assert_eq!(world.state(&task).entries[0].text, "call bob on friday");
    for (text, says) in
        [(Some("Call Bob."), "Call Bob."), (Some(""), ""), (None, "call bob on friday")]
    {
        let edit = Edit::EditEntry { entry: entry.clone(), text: text.map(Into::into) };
        let edited = world.edit(&task, &[edit]).unwrap();
        assert_eq!(edited.what, [What::EntryEdited { entry: entry.clone() }]);
        assert_eq!(world.state(&task).entries[0].text, says);
    }
}

#[test]
fn time_entries_add_up() {
    let world = World::new();
    let spent = |minutes| Edit::AddEntry {
        kind: EntryKind::Time,
        text: None,
        transcript: None,
        minutes,
        on: Some("2026-01-04".parse().unwrap()),
        tainted: false,
        flags: Flags::NONE,
    };
    let task = world.task("Accounts", vec![spent(Some(30)), spent(Some(45))]);
    assert_eq!(world.state(&task).time_spent_minutes, 75);
    for refused in [None, Some(0), Some(1441)] {
        let error = world.edit(&task, &[spent(refused)]).unwrap_err();
        assert!(error.to_string().contains("minutes"), "{error}");
    }
    let first = world.view(&task).entries[0].value.id.clone();
    world.edit(&task, &[Edit::DeleteEntry(first.clone())]).unwrap();
    assert_eq!(world.state(&task).time_spent_minutes, 45);
    world.edit(&task, &[Edit::RestoreEntry(first)]).unwrap();
    assert_eq!(world.state(&task).time_spent_minutes, 75);
}

#[test]
fn a_deleted_task_is_visible_refuses_edits_and_comes_back_whole() {
    let world = World::new();
    let task = world.task("Old plan", vec![item("Step")]);
    let before = world.state(&task);
    let deleted = world.edit(&task, &[Edit::Delete]).unwrap();
    assert_eq!(deleted.what, [What::TaskDeleted]);
    assert_eq!(world.view(&task).deleted_at(), Some(world.clock.now()));
    let error = world.edit(&task, &[Edit::Title("New plan".into())]).unwrap_err();
    assert!(error.to_string().contains("restore it"), "{error}");
    assert_eq!(world.edit(&task, &[Edit::Delete]).unwrap().seq, None);
    let restored = world.edit(&task, &[Edit::Restore]).unwrap();
    assert_eq!(restored.what, [What::TaskRestored]);
    assert_eq!(world.state(&task), before);
}

#[test]
fn the_audit_log_names_fields_and_never_words() {
    let world = World::new();
    let task = world.task("Secret garden", vec![]);
    let edits = [Edit::Title("Hidden orchard".into()), Edit::note("under the old oak")];
    world.edit_as(&task, &edits, &person()).unwrap();
    let details =
        world.texts("SELECT actor || ' ' || action || ' ' || detail FROM audit_log WHERE ws = ?1 AND object = ?2 ORDER BY seq", task.as_str());
    assert_eq!(details[0], "owner task.create task");
    assert!(details[1].starts_with("owner task.edit title,entry:en-"), "{details:?}");
    let all = details.join("\n");
    for word in ["garden", "orchard", "oak"] {
        assert!(!all.contains(word), "{all}");
    }
}
