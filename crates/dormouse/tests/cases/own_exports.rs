//! A file of the workspace's own tasks, imported back into it.

use dormouse::view::{ImportEvent, ImportOutcome};
use dormouse::{
    EntryPatch, ExportFormat, ImportFile, ImportOptions, ImportPlan, ItemPatch, NewEntry, NewTask,
    Selection, TaskFilter, TaskPatch,
};
use dormouse_types::task::{EntryKind, LinkKind, Priority};
use dormouse_types::{EntryId, TaskId};
use serde_json::json;

use crate::world::{World, me, now};

/// The formats whose files say which task each of theirs is.
const WITH_IDS: [ExportFormat; 4] =
    [ExportFormat::Markdown, ExportFormat::ICalendar, ExportFormat::Csv, ExportFormat::Json];

/// A workspace in which tasks have all that they can have.
fn workspace() -> (World, TaskId) {
    let world = World::new();
    let (task, _, _) = world.proposed(&[]);
    world.later(86_400);
    world.note(&task.id, "The van is booked.");
    world.note(&task.id, "# Keys\n\nThey are at the office.");
    world.note(&task.id, "Minutes\n\n- [ ] send minutes\n\n## Later\n\n- [x] book the room");
    let (kind, minutes) = (EntryKind::Time, Some(20));
    let spent = NewEntry { kind, minutes, ..NewEntry::default() };
    now(world.dormouse.add_entry(&me(), &task.id, spent, None)).expect("time");
    now(world.dormouse.add_label(&me(), &task.id, "two words", None)).expect("a label");
    let other = world.task("Paint");
    let patch = TaskPatch {
        priority: Some(Some(Priority::P1)),
        starred: Some(true),
        private: Some(true),
        estimate_minutes: Some(Some(90)),
        ..TaskPatch::default()
    };
    now(world.dormouse.edit_task(&me(), &other.id, patch, None, None)).expect("edited");
    let to = (LinkKind::Blocks, other.id);
    now(world.dormouse.link_task(&me(), &task.id, to, None, None)).expect("a link");
    world.later(86_400);
    (world, task.id)
}

fn all() -> Selection {
    Selection::Matching(Box::default())
}

fn file(world: &World, selection: &Selection, format: ExportFormat) -> String {
    let mut file = now(world.dormouse.export_tasks(&me(), selection, format)).expect("a file");
    let mut text = String::new();
    while let Some(piece) = now(file.next()).expect("a piece") {
        text.push_str(&piece);
    }
    text
}

fn plan(world: &World, name: &str, text: &str) -> ImportPlan {
    let file = ImportFile::new(name, text.as_bytes());
    now(world.dormouse.plan_import(&me(), &file, &ImportOptions::default())).expect("a plan")
}

/// What an import did to each task, and what it kept.
fn import(world: &World, name: &str, text: &str) -> Vec<(ImportOutcome, Vec<String>)> {
    let mut done = Vec::new();
    let mut on_event = |event| {
        if let ImportEvent::Task { outcome, kept, .. } = event {
            done.push((outcome, kept));
        }
    };
    let file = ImportFile::new(name, text.as_bytes());
    now(world.dormouse.import(&me(), &file, &ImportOptions::default(), &mut on_event))
        .expect("imported");
    done
}

/// Every task as the workspace shows it, oldest first.
fn tasks(world: &World) -> Vec<serde_json::Value> {
    let page = now(world.dormouse.tasks(&me(), TaskFilter::default(), 200, None)).expect("tasks");
    page.items.iter().rev().map(|row| json!(world.fresh(&row.id))).collect()
}

#[test]
fn a_file_of_the_own_tasks_changes_nothing_when_it_comes_back() {
    for format in WITH_IDS {
        let (world, task) = workspace();
        let before = tasks(&world);
        for (n, selection) in [all(), Selection::Task(task)].into_iter().enumerate() {
            let text = file(&world, &selection, format);
            let name = format!("{n} back");
            let planned = plan(&world, &name, &text);
            let outcomes: Vec<_> = planned.tasks.iter().map(|task| task.outcome).collect();
            let expected = if n == 0 { 2 } else { 1 };
            assert_eq!(outcomes, vec![ImportOutcome::Unchanged; expected], "{format}: {text}");
            assert!(planned.tasks.iter().all(|task| task.task_id.is_some()));
            let done = import(&world, &name, &text);
            let same = vec![(ImportOutcome::Unchanged, Vec::new()); expected];
            assert_eq!(done, same, "{format}: {text}\n{:#?}", tasks(&world));
            assert_eq!(tasks(&world), before, "{format}: {text}");
            assert_eq!(import(&world, &name, &text), same, "{format}: a second time");
            assert_eq!(tasks(&world), before, "{format}: {text}");
        }
    }
}

#[test]
fn what_was_changed_in_the_file_is_taken_and_what_was_changed_here_since_stays() {
    for format in WITH_IDS {
        let (world, task) = workspace();
        let text = file(&world, &all(), format);
        world.later(60);
        let patch = TaskPatch { title: Some("Move house".into()), ..TaskPatch::default() };
        now(world.dormouse.edit_task(&me(), &task, patch, None, None)).expect("edited");
        let edited = text
            .replace("Move to the new flat", "Move to the old flat")
            .replace("Paint", "Paint the hall")
            .replace("The van is booked.", "The van is booked for nine.");
        let done = import(&world, "back", &edited);
        assert_eq!(
            done[0],
            (ImportOutcome::Updated, vec!["title".to_owned()]),
            "{format}: {edited}"
        );
        assert_eq!(done[1].0, ImportOutcome::Updated, "{format}: {edited}");
        let after = tasks(&world);
        assert_eq!(after.len(), 2, "{format}: {after:#?}");
        assert_eq!(after[0]["title"], "Move house", "{format}");
        assert_eq!(after[1]["title"], "Paint the hall", "{format}");
        let texts: Vec<_> = after[0]["entries"].as_array().into_iter().flatten().collect();
        let texts: Vec<_> = texts.into_iter().map(|entry| entry["text"].clone()).collect();
        assert!(texts.contains(&json!("The van is booked for nine.")), "{format}: {texts:?}");
        assert!(!texts.contains(&json!("The van is booked.")), "{format}: {texts:?}");
        assert_eq!(texts.len(), 5, "{format}: {texts:#?}");
    }
}

#[test]
fn a_task_that_was_deleted_since_its_export_stays_deleted_and_is_named() {
    for format in WITH_IDS {
        let (world, task) = workspace();
        let text = file(&world, &all(), format);
        now(world.dormouse.delete_task(&me(), &task, None)).expect("deleted");
        let done = import(&world, "back", &text);
        let deleted = vec!["task (deleted in Dormouse)".to_owned()];
        assert_eq!(done[0], (ImportOutcome::Unchanged, deleted), "{format}");
        assert_eq!(tasks(&world).len(), 1, "{format}");
    }
}

#[test]
fn an_item_that_was_removed_since_the_export_does_not_come_back() {
    for format in WITH_IDS {
        let (world, task) = workspace();
        let text = file(&world, &all(), format);
        world.later(60);
        let item = world.fresh(&task).items[0].id.clone();
        let archived = ItemPatch { is_archived: Some(true), ..ItemPatch::default() };
        now(world.dormouse.edit_item(&me(), &task, &item, archived, None)).expect("archived");
        let before = tasks(&world);
        import(&world, "back", &text);
        assert_eq!(tasks(&world), before, "{format}");
    }
}

#[test]
fn a_file_of_another_workspace_is_new_here() {
    for format in WITH_IDS {
        let (world, _) = workspace();
        let other = World::new();
        // Worlds of tests that begin at the same time give out the same ids.
        other.later(900_000);
        other.task("Their own");
        let done = import(&other, "theirs", &file(&world, &all(), format));
        assert_eq!(
            done.iter().map(|(outcome, _)| *outcome).collect::<Vec<_>>(),
            [ImportOutcome::Created; 2]
        );
        assert_eq!(tasks(&other).len(), 3, "{format}");
    }
}

#[test]
fn a_file_without_ids_says_how_many_of_its_titles_are_here_already() {
    let (world, _) = workspace();
    let text = file(&world, &all(), ExportFormat::TodoTxt);
    let said = "2 new tasks have the same title as a task that is already in Dormouse: this file does not \
                say whether they are the same, so they are added as new tasks";
    let planned = plan(&world, "back.txt", &text);
    let remarks: Vec<_> = planned.remarks.iter().map(|remark| remark.message.as_str()).collect();
    assert!(remarks.contains(&said), "{remarks:?}");
    let mut heard = Vec::new();
    let mut on_event = |event| {
        if let ImportEvent::Remark { message, .. } = event {
            heard.push(message);
        }
    };
    let back = ImportFile::new("back.txt", text.as_bytes());
    now(world.dormouse.import(&me(), &back, &ImportOptions::default(), &mut on_event))
        .expect("imported");
    assert!(heard.iter().any(|message| message == said), "{heard:?}");
    let again = plan(&world, "back.txt", &text);
    assert!(again.remarks.iter().all(|remark| remark.message != said), "they are known now");
    assert!(task_ids(&again).iter().all(Option::is_some));
}

fn task_ids(plan: &ImportPlan) -> Vec<Option<TaskId>> {
    plan.tasks.iter().map(|task| task.task_id.clone()).collect()
}

#[test]
fn notes_without_a_day_come_back_each_by_itself() {
    let world = World::new();
    let sheet = "Title,Note,Owner\nShed,\"first note\n\nwith two parts\",Bob\n";
    assert_eq!(import(&world, "sheds.csv", sheet).len(), 1);
    let before = tasks(&world);
    for format in WITH_IDS {
        let text = file(&world, &all(), format);
        let done = import(&world, &format!("own {format}"), &text);
        assert_eq!(done, [(ImportOutcome::Unchanged, Vec::new())], "{text}");
        assert_eq!(tasks(&world), before);
    }
    let edited = file(&world, &all(), ExportFormat::Markdown).replace("first note", "first words");
    assert_eq!(import(&world, "own markdown", &edited), [(ImportOutcome::Updated, Vec::new())]);
    let after = tasks(&world);
    let mut texts: Vec<_> = after[0]["entries"].as_array().into_iter().flatten().collect();
    texts.sort_by_key(|entry| entry["text"].to_string());
    let texts: Vec<_> = texts.into_iter().map(|entry| entry["text"].clone()).collect();
    assert_eq!(texts, [json!("- Owner: Bob"), json!("first words\n\nwith two parts")]);
}

#[test]
fn a_change_here_keeps_its_own_item_and_no_other_of_the_same_title() {
    let world = World::new();
    let list = "# Shelf\n\n- [ ] Screw\n- [ ] Glue\n- [ ] Screw\n";
    assert_eq!(import(&world, "shelf.md", list).len(), 1);
    let text = file(&world, &all(), ExportFormat::Json);
    let before = tasks(&world);
    let task: TaskId = before[0]["id"].as_str().expect("an id").parse().expect("an id");
    let id = |at: usize| before[0]["items"][at]["id"].as_str().expect("an id").to_owned();
    world.later(60);
    let tick = ItemPatch { is_checked: Some(true), ..ItemPatch::default() };
    let first = id(0).parse().expect("an id");
    now(world.dormouse.edit_item(&me(), &task, &first, tick, None)).expect("ticked");
    let mut edited: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let items = edited["tasks"][0]["items"].as_array_mut().expect("items");
    items[2]["isChecked"] = json!(true);
    items[0]["title"] = json!("Long screw");
    let planned = plan(&world, "back.json", &edited.to_string());
    assert_eq!(planned.tasks[0].changes, ["item Screw"]);
    assert_eq!(planned.tasks[0].kept, ["item Screw"]);
    let done = import(&world, "back.json", &edited.to_string());
    assert_eq!(done, [(ImportOutcome::Updated, vec!["item Screw".to_owned()])]);
    let after = tasks(&world);
    let of = |at: usize| {
        (after[0]["items"][at]["title"].clone(), after[0]["items"][at]["isChecked"].clone())
    };
    assert_eq!([of(0), of(2)], [(json!("Screw"), json!(true)), (json!("Screw"), json!(true))]);
}

/// A task with these notes, each written a minute after the one before.
fn with_notes(notes: &[&str]) -> (World, TaskId) {
    let world = World::new();
    let new = NewTask { title: "Shed".into(), ..NewTask::default() };
    let task = now(world.dormouse.create_task(&me(), new, None)).expect("a task").id;
    for note in notes {
        world.later(60);
        world.note(&task, note);
    }
    world.later(60);
    (world, task)
}

fn notes(world: &World, task: &TaskId) -> Vec<String> {
    world.fresh(task).entries.into_iter().map(|entry| entry.text).collect()
}

fn note_with(world: &World, task: &TaskId, text: &str) -> EntryId {
    let entries = world.fresh(task).entries;
    entries.into_iter().find(|entry| entry.text == text).expect("the note").id
}

/// A file of a task with these notes of which one was taken out.
fn without(notes: &[&str], gone: &str, format: ExportFormat) -> String {
    // Worlds that begin at the same time give out the same ids.
    let (world, task) = with_notes(notes);
    let gone = note_with(&world, &task, gone);
    now(world.dormouse.delete_entry(&me(), &task, &gone, None)).expect("deleted");
    file(&world, &all(), format)
}

#[test]
fn a_note_that_was_edited_here_does_not_come_back_when_another_left_the_file() {
    for format in WITH_IDS {
        let written = ["Alpha old", "Beta", "Gamma is third"];
        let (world, task) = with_notes(&written);
        world.later(60);
        let alpha = note_with(&world, &task, "Alpha old");
        let edited = EntryPatch { text: Some("Alpha new".into()), ..EntryPatch::default() };
        now(world.dormouse.edit_entry(&me(), &task, &alpha, edited, None, None)).expect("edited");
        let left = without(&written, "Beta", format);
        let left = left.replace("Gamma is third", "Gamma is the third");
        import(&world, "back", &left);
        let expected = ["Alpha new", "Beta", "Gamma is the third"];
        assert_eq!(notes(&world, &task), expected, "{format}: {left}");
        import(&world, "back", &left);
        assert_eq!(notes(&world, &task), expected, "{format}: {left}");
    }
}

#[test]
fn a_note_that_was_deleted_here_stays_so_and_is_named_when_the_file_changed_it() {
    for format in WITH_IDS {
        let (world, task) = with_notes(&["Alpha is the first", "Beta"]);
        let text = file(&world, &all(), format);
        let alpha = note_with(&world, &task, "Alpha is the first");
        now(world.dormouse.delete_entry(&me(), &task, &alpha, None)).expect("deleted");
        let edited = text.replace("Alpha is the first", "Alpha is the best");
        let done = import(&world, "back", &edited);
        let kept = vec!["note \"Alpha is the best\" (deleted in Dormouse)".to_owned()];
        assert_eq!(done, [(ImportOutcome::Unchanged, kept)], "{format}: {edited}");
        assert_eq!(notes(&world, &task), ["Beta"], "{format}: {edited}");
    }
}

#[test]
fn what_was_deleted_before_the_export_takes_nothing_from_the_file() {
    for format in WITH_IDS {
        let (world, task) = with_notes(&["Alpha is the first", "Beta"]);
        let alpha = note_with(&world, &task, "Alpha is the first");
        now(world.dormouse.delete_entry(&me(), &task, &alpha, None)).expect("deleted");
        let text = file(&world, &all(), format);
        world.later(60);
        let edited = text.replace("Beta", "Beta\n\nAlpha is the first").replace('\r', "");
        let edited = match format {
            ExportFormat::ICalendar | ExportFormat::Json => {
                text.replace("Beta", r"Beta\n\nAlpha is the first")
            }
            _ => edited,
        };
        import(&world, "back", &edited);
        assert_eq!(notes(&world, &task).join("\n\n"), "Beta\n\nAlpha is the first", "{format}");
    }
}

#[test]
fn a_change_in_an_entry_of_the_largest_size_is_planned() {
    let paragraph = |n: usize| format!("Para {n} of the note with some words in it.");
    let whole: Vec<String> = (0..2_000).map(paragraph).collect();
    let (world, task) = with_notes(&[&whole.join("\n\n")]);
    for format in [ExportFormat::Markdown, ExportFormat::ICalendar, ExportFormat::Json] {
        let text = file(&world, &all(), format);
        let edited =
            text.replace("Para 3 of", "Para three of").replace("Para 1998 of", "Para last of");
        let planned = plan(&world, &format!("back {format}"), &edited);
        let expected = ["note \"Para 0 of the note with some words in it…\""];
        assert_eq!(planned.tasks[0].changes, expected, "{format}");
    }
    assert_eq!(notes(&world, &task), [whole.join("\n\n")]);
}
