//! Starred, private and image analysis, in every format.

use dormouse_formats::export::{ExportFormat, Lost, Task, losses, write};
use dormouse_formats::plan::{self, Correction, Edit, Format, Kept, Options, Planned, Role};
use dormouse_types::draft;
use dormouse_types::task::{EntryKind, Flags};

use crate::readings::read;

const STARRED: Flags = Flags { starred: true, private: false };
const PRIVATE: Flags = Flags { starred: false, private: true };
const BOTH: Flags = Flags { starred: true, private: true };

fn entry(n: usize, text: &str, kind: EntryKind, flags: Flags) -> draft::Entry {
    let on = (n > 2).then(|| jiff::civil::date(2026, 11, 20));
    draft::Entry { key: format!("comment#{n}"), text: text.into(), on, kind, flags }
}

fn party() -> draft::Task {
    let note = draft::Entry { key: "note#1".into(), text: "Forty guests.".into(), ..entry_of() };
    draft::Task {
        key: "party".into(),
        title: "Surprise party".into(),
        flags: BOTH,
        entries: vec![
            note,
            entry(1, "What Ana wishes for.", EntryKind::Text, PRIVATE),
            entry(2, "A cake with candles.", EntryKind::ImageAnalysis, BOTH),
            entry(3, "Call the band.", EntryKind::Audio, Flags::NONE),
            entry(4, "2026-11-20 [private]:\nis how a mark looks.", EntryKind::Text, STARRED),
        ],
        ..draft::Task::default()
    }
}

fn entry_of() -> draft::Entry {
    draft::Entry::default()
}

fn lost(task: &draft::Task, target: ExportFormat) -> Vec<Lost> {
    losses(&[Task::from(task)], target).into_iter().map(|loss| loss.part).collect()
}

fn again(format: Format, target: ExportFormat, task: &draft::Task) -> Vec<draft::Task> {
    let text = write(&[Task::from(task)], target).text;
    let tasks = read(format, "a", &text).unwrap().tasks.into_iter();
    tasks.map(|task| draft::Task { line: 0, ..task }).collect()
}

#[test]
fn json_calendar_and_sheet_hold_flags_and_kinds() {
    for (format, target) in [
        (Format::Dormouse, ExportFormat::Json),
        (Format::ICalendar, ExportFormat::ICalendar),
        (Format::Csv, ExportFormat::Csv),
    ] {
        assert_eq!(again(format, target, &party()), [party()], "{target:?}");
        assert_eq!(lost(&party(), target), [], "{target:?}");
    }
}

#[test]
fn markdown_holds_the_flags_of_tasks_and_names_those_of_entries_as_lost() {
    let plain = draft::Task { key: "b".into(), title: "Plain".into(), ..draft::Task::default() };
    for tasks in [vec![party()], vec![party(), plain.clone()]] {
        let written: Vec<Task> = tasks.iter().map(Task::from).collect();
        let text = write(&written, ExportFormat::Markdown).text;
        let read = dormouse_formats::markdown::read("a.md", text.as_bytes()).unwrap().tasks;
        let flags: Vec<Flags> = read.iter().map(|task| task.flags).collect();
        assert_eq!(flags, [BOTH, Flags::NONE][..tasks.len()], "{text}");
        assert!(!text.contains("[private:: true]:"), "{text}");
    }
    let expected = [Lost::Starred, Lost::Private, Lost::Kinds, Lost::Order];
    assert_eq!(lost(&party(), ExportFormat::Markdown), expected);
    assert_eq!(lost(&plain, ExportFormat::Markdown), []);
}

#[test]
fn todo_txt_names_the_flags_of_a_task_as_lost() {
    let task = draft::Task { entries: Vec::new(), ..party() };
    assert_eq!(lost(&task, ExportFormat::TodoTxt), [Lost::Starred, Lost::Private, Lost::Key]);
}

#[test]
fn front_matter_that_is_no_flag_stays_text() {
    let text = "---\nprivate: perhaps\nstarred: yes\n---\n# Party\n\n- [ ] Cake\n";
    let drafts = dormouse_formats::markdown::read("a.md", text.as_bytes()).unwrap();
    assert_eq!(drafts.tasks[0].flags, STARRED);
    let said = &drafts.not_understood[0].message;
    assert_eq!(said, "`private` cannot be `perhaps`; write true or false: kept in the note");
    assert!(drafts.tasks[0].entries.iter().any(|entry| entry.text.contains("private: perhaps")));
}

fn todo(class: &str, more: &str) -> String {
    format!("BEGIN:VTODO\nUID:a\nSUMMARY:Party\n{class}END:VTODO\n{more}")
}

fn calendar(todos: &str) -> Vec<draft::Task> {
    let text = format!("BEGIN:VCALENDAR\n{todos}END:VCALENDAR\n");
    read(Format::ICalendar, "a.ics", &text).unwrap().tasks
}

#[test]
fn a_class_that_is_not_public_is_private() {
    for (class, is_private) in [
        ("", false),
        ("CLASS:PUBLIC\n", false),
        ("CLASS:private\n", true),
        ("CLASS:CONFIDENTIAL\n", true),
        ("CLASS:X-FAMILY\n", true),
        ("CLASS:PRIVATE\nCLASS:PUBLIC\n", true),
    ] {
        assert_eq!(calendar(&todo(class, ""))[0].flags.private, is_private, "{class}");
    }
}

#[test]
fn a_class_of_its_own_is_kept_as_long_as_the_task_is_private() {
    let mut task = calendar(&todo("CLASS:CONFIDENTIAL\n", "")).remove(0);
    let written = |task: &draft::Task| write(&[Task::from(task)], ExportFormat::ICalendar).text;
    assert_eq!(written(&task).matches("CLASS:").count(), 1);
    assert!(written(&task).contains("\r\nCLASS:CONFIDENTIAL\r\n"));
    task.flags = Flags::NONE;
    assert!(!written(&task).contains("\r\nCLASS:"), "{}", written(&task));
    assert_eq!(again(Format::ICalendar, ExportFormat::ICalendar, &task)[0].flags, Flags::NONE);
}

#[test]
fn a_private_to_do_is_an_item_only_of_a_private_task() {
    let cake = "BEGIN:VTODO\nUID:b\nSUMMARY:Cake\nCLASS:PRIVATE\nRELATED-TO:a\nEND:VTODO\n";
    let inside = calendar(&todo("CLASS:PRIVATE\n", cake));
    assert_eq!((inside.len(), inside[0].items.len()), (1, 1));
    let apart = calendar(&todo("", cake));
    let apart: Vec<_> = apart.iter().map(|task| (task.title.as_str(), task.flags)).collect();
    assert_eq!(apart, [("Party", Flags::NONE), ("Cake", PRIVATE)]);
}

#[test]
fn other_programs_see_neither_a_private_task_nor_its_items() {
    let items = vec![draft::Item {
        key: "i".into(),
        title: "Cake".into(),
        is_checked: false,
        depth: 0,
        lines: 0..0,
    }];
    let text =
        write(&[Task::from(&draft::Task { items, ..party() })], ExportFormat::ICalendar).text;
    assert_eq!(text.matches("\r\nCLASS:PRIVATE\r\n").count(), 2, "{text}");
}

#[test]
fn a_column_of_another_sheet_may_say_it() {
    let text = "Task,Privat,Favorite\nParty,ja,\nRent,nein,yes\nTaxes,,no\nMarket,for Ana,\n";
    let reading = read(Format::Csv, "a.csv", text).unwrap();
    let flags: Vec<Flags> = reading.tasks.iter().map(|task| task.flags).collect();
    assert_eq!(flags, [PRIVATE, STARRED, Flags::NONE, Flags::NONE]);
    assert!(reading.tasks[3].entries[0].text.contains("Privat: for Ana"));
}

#[test]
fn a_sheet_of_a_version_without_flags_is_still_known_as_our_own() {
    let text = write(&[Task::from(&party())], ExportFormat::Csv).text;
    for (later, cells) in [(",starred,private,updated", ""), (",updated", ",,")] {
        let older = text.lines().next().unwrap().replace(later, "");
        let row = format!("k,\"'=Sum\",OPEN,,,,90,,,,,,,,,,,{cells}");
        let reading = read(Format::Csv, "a.csv", &format!("{older}\r\n{row}\r\n")).unwrap();
        let task = &reading.tasks[0];
        assert_eq!((task.title.as_str(), task.estimate_minutes), ("=Sum", Some(90)));
    }
}

#[test]
fn a_favourite_of_vikunja_is_starred() {
    let text = r#"[{"id": 1, "title": "Flat", "done": false, "due_date": "0001-01-01T00:00:00Z",
        "priority": 0, "is_favorite": true, "project_id": 2}]"#;
    let reading = read(Format::Vikunja, "a.json", text).unwrap();
    assert_eq!(reading.tasks[0].flags, STARRED);
    assert_eq!(reading.tasks[0].entries, []);
}

#[test]
fn the_whole_document_gives_its_flags_and_kinds() {
    let text = r#"{"format": "dormouse-export", "version": 1, "categories": [], "labels": [], "tasks": [
        {"task": {"id": "jt-1", "title": "Party", "private": true, "starred": false}, "entries": [
            {"id": "en-1", "kind": "imageAnalysis", "transcript": "A cake.", "private": true},
            {"id": "en-2", "kind": "image", "text": "Candles.", "starred": true},
            {"id": "en-3", "kind": "time", "minutes": 20, "private": true}]}]}"#;
    let task = read(Format::Dormouse, "a.json", text).unwrap().tasks.remove(0);
    let entries: Vec<_> = task.entries.iter().map(|one| (one.kind, one.flags)).collect();
    assert_eq!(task.flags, PRIVATE);
    assert_eq!(entries[0], (EntryKind::ImageAnalysis, PRIVATE));
    assert_eq!(entries[1], (EntryKind::ImageAnalysis, STARRED));
    assert_eq!(entries[2], (EntryKind::Text, PRIVATE));
}

fn corrected(text: &str, kept: &Kept, edits: &[(usize, Edit)]) -> Planned {
    let reading = plan::read("list.md", text.as_bytes(), &Options::default()).unwrap();
    let corrections: Vec<_> =
        edits.iter().map(|(line, edit)| Correction { line: *line, edit: edit.clone() }).collect();
    plan::apply(text, &reading, kept, &corrections).expect("the corrections are possible")
}

fn flags(planned: &Planned) -> Vec<Flags> {
    planned.tasks.iter().map(|task| task.draft.flags).collect()
}

const LIST: &str = "# Party\n\n- [ ] Cake\n- [ ] Band\n\n# Rent\n\n- [ ] Pay\n";

#[test]
fn a_plan_is_corrected_to_private_or_starred_and_stays_so() {
    let edits = [(1, Edit::SetPrivate { private: true }), (8, Edit::SetStarred { starred: true })];
    let planned = corrected(LIST, &Kept::default(), &edits);
    assert_eq!(flags(&planned), [PRIVATE, STARRED]);
    let next = format!("\n{LIST}");
    assert_eq!(flags(&corrected(&next, &planned.kept, &[])), [PRIVATE, STARRED]);
    let opened = corrected(&next, &planned.kept, &[(2, Edit::SetPrivate { private: false })]);
    assert_eq!(flags(&opened), [Flags::NONE, STARRED]);
}

#[test]
fn what_is_split_from_a_private_task_is_private_and_what_takes_one_in_becomes_so() {
    let text = format!("---\nprivate: true\nstarred: true\n---\n{LIST}");
    let split = corrected(&text, &Kept::default(), &[(7, Edit::Split)]);
    let titles: Vec<_> = split.tasks.iter().map(|task| task.draft.title.as_str()).collect();
    assert_eq!(titles, ["Party", "Cake", "Rent"]);
    assert_eq!(flags(&split), [BOTH, PRIVATE, BOTH]);
    let edits = [(6, Edit::Join), (6, Edit::SetPrivate { private: true })];
    let joined = corrected(LIST, &Kept::default(), &edits);
    assert_eq!(flags(&joined), [PRIVATE], "the correction is about the task it is part of now");
}

#[test]
fn an_entry_keeps_its_kind_and_flags_when_another_line_of_its_task_is_corrected() {
    let text = write(&[Task::from(&party())], ExportFormat::Json).text;
    let reading = plan::read("a.json", text.as_bytes(), &Options::default()).unwrap();
    let line = reading.tasks[0].line;
    let edit = Edit::RenameTask { title: "Feast".into() };
    let planned =
        plan::apply(&text, &reading, &Kept::default(), &[Correction { line, edit }]).unwrap();
    assert_eq!(planned.tasks[0].draft.entries, party().entries);
    let note = Edit::SetRole { role: Role::Note };
    let refused =
        plan::apply(&text, &reading, &Kept::default(), &[Correction { line: 1, edit: note }]);
    assert!(refused.is_err(), "a line of a document is no thing of its own");
}
