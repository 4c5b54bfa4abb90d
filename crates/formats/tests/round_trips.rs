//! Tasks written in each format and read again: what comes back differs only in what the losses name.

use std::path::{Path, PathBuf};

use dormouse_formats::export::{self, ExportFormat, Lost, losses, write};
use dormouse_formats::intake::ReadOptions;
use dormouse_formats::plan::{self, Format, Options};
use dormouse_types::draft;
use dormouse_types::task::{EntryKind, Flags, Status};
use proptest::prelude::*;

use crate::corpus::data;
use crate::properties::without_lines;

/// The tasks of a text; none of one that is refused.
fn read(name: &str, text: &str, format: Option<Format>) -> Vec<draft::Task> {
    let options = Options { format, read: ReadOptions::default(), ..Options::default() };
    plan::read(name, text.as_bytes(), &options).map(|reading| reading.tasks).unwrap_or_default()
}

/// The samples, and the lists and calendars of others in `../shared/data`.
fn files() -> Vec<PathBuf> {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples");
    let folders = [samples.join("formats"), samples];
    let folders = folders.into_iter().chain(["tasks", "ics"].into_iter().filter_map(data));
    let paths = folders.flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let mut paths: Vec<_> = paths.map(|file| file.unwrap().path()).collect();
    paths.retain(|path| path.is_file());
    paths.sort();
    paths
}

/// A task without what is known to be lost, and without keys of items and entries, which are made again.
fn but_for(task: &draft::Task, lost: &[Lost]) -> draft::Task {
    let is_lost = |part| lost.contains(&part);
    let mut task = without_lines(task);
    if is_lost(Lost::Title) {
        task.title.clear();
    }
    if is_lost(Lost::Reason) {
        task.status_reason = None;
    }
    if is_lost(Lost::Names) {
        task.category = None;
        task.labels.clear();
    }
    if is_lost(Lost::Estimate) {
        task.estimate_minutes = None;
    }
    if is_lost(Lost::Language) {
        task.language = None;
    }
    if is_lost(Lost::Priority) {
        task.priority = None;
    }
    if is_lost(Lost::Due) {
        task.due_on = None;
    }
    if is_lost(Lost::Items) {
        task.items.clear();
    }
    task.entries.retain(|entry| match entry.key == "details#1" {
        // A word that is lost to the title may be read as such a value.
        true => ![Lost::Details, Lost::Times, Lost::Title].into_iter().any(is_lost),
        false => !is_lost(Lost::Entries),
    });
    if is_lost(Lost::Key) {
        task.key.clear();
    }
    let flags = |flags: Flags| Flags {
        starred: flags.starred && !is_lost(Lost::Starred),
        private: flags.private && !is_lost(Lost::Private),
    };
    task.flags = flags(task.flags);
    // A name that cannot stand as it is may be kept as text.
    if is_lost(Lost::Order) || is_lost(Lost::Names) {
        task.entries.clear();
    }
    task.items.iter_mut().for_each(|item| item.key.clear());
    for entry in &mut task.entries {
        entry.key.clear();
        entry.flags = flags(entry.flags);
        if is_lost(Lost::Kinds) {
            entry.kind = EntryKind::Text;
        }
    }
    task
}

/// What a format has another form for, which says the same: an open task of todo.txt has no status; in
/// Markdown, headings of a note stand below the task's, its day is in front, and a rule is apart from the line
/// above it.
fn in_form_of(target: ExportFormat, mut task: draft::Task) -> draft::Task {
    if target == ExportFormat::TodoTxt && task.status == Some(Status::Open) {
        task.status = None;
    }
    for entry in task.entries.iter_mut().filter(|_| target == ExportFormat::Markdown) {
        let day = entry.on.map(|day| format!("{day}: ")).unwrap_or_default();
        let text = entry.text.strip_prefix(&day).unwrap_or(&entry.text).trim();
        let lines = text.lines().map(|line| match line.trim_start_matches('#') {
            heading if heading.starts_with(' ') => heading.trim(),
            _ => line,
        });
        let lines: Vec<&str> = lines.collect();
        let is_rule = |line: &str| !line.is_empty() && line.trim_matches(['-', '=']).is_empty();
        let is_above_rule = |at: usize| {
            lines[at].is_empty() && lines.get(at + 1).is_some_and(|line| is_rule(line.trim()))
        };
        let kept = (0..lines.len()).filter(|&at| !is_above_rule(at)).map(|at| lines[at]);
        entry.text = kept.collect::<Vec<_>>().join("\n");
    }
    task
}

/// Writes tasks and compares what comes back.
fn check(name: &str, tasks: &[draft::Task], target: ExportFormat) -> Result<(), String> {
    let tasks_out: Vec<export::Task> = tasks.iter().map(export::Task::from).collect();
    let text = write(&tasks_out, target).text;
    let back = read(name, &text, Some(target.read_as()));
    let lost_of = |out: &export::Task| -> Vec<Lost> {
        let like = vec![out.clone(); tasks.len().min(2)];
        losses(&like, target).iter().map(|loss| loss.part).collect()
    };
    if back.len() != tasks.len() {
        // Text of a note that would be a task of its own is named as both.
        let is_named = tasks_out.iter().map(lost_of).any(|lost| {
            target == ExportFormat::Markdown
                && lost.contains(&Lost::Items)
                && lost.contains(&Lost::Order)
        });
        return match is_named {
            true => Ok(()),
            false => Err(format!("{name} as {target}: {} of {}\n{text}", back.len(), tasks.len())),
        };
    }
    for ((task, out), back) in tasks.iter().zip(&tasks_out).zip(&back) {
        let lost = lost_of(out);
        let said = |task: &draft::Task| in_form_of(target, but_for(task, &lost));
        let (mut expected, mut found) = (said(task), said(back));
        // The key of a task that is alone in its note is made of the id in the front matter.
        if target == ExportFormat::Markdown && tasks.len() == 1 {
            (expected.key, found.key) = Default::default();
        }
        if expected != found {
            let (expected, found) = (format!("{expected:#?}"), format!("{found:#?}"));
            let only = |one: &str, other: &str, sign| -> String {
                let lines = one.lines().filter(|line| !other.lines().any(|own| own == *line));
                lines.map(|line| format!("{sign}{line}\n")).collect()
            };
            let (missing, added) = (only(&expected, &found, '-'), only(&found, &expected, '+'));
            let title = &task.title;
            return Err(format!("{name} as {target}, {title}, lost {lost:?}:\n{missing}{added}"));
        }
    }
    Ok(())
}

#[test]
fn every_sample_comes_back_from_every_format_but_for_what_was_named() {
    let mut failures = Vec::new();
    for path in files() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let tasks = read(&name, &text, None);
        for target in ExportFormat::ALL {
            failures.extend(check(&name, &tasks, *target).err());
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n=====\n"));
}

/// Text as people write it in a note.
fn line() -> impl Strategy<Value = String> {
    "[A-Za-z]{1,6}( [a-z,.:()#*'0-9-]{1,7}){0,4}"
}

/// Markdown with headings, days, boxes, lists, fields and signs in any order.
fn markdown() -> impl Strategy<Value = String> {
    let day = "2026-1[0-2]-[0-2][1-8]";
    let part = prop_oneof![
        3 => line().prop_map(|text| format!("{text}\n")),
        2 => line().prop_map(|text| format!("## {text}\n")),
        1 => line().prop_map(|text| format!("### {text}\n")),
        1 => day.prop_map(|day| format!("### {day}\n")),
        1 => (day, line()).prop_map(|(day, text)| format!("{day}: {text}\n")),
        3 => line().prop_map(|text| format!("- [ ] {text}\n")),
        1 => line().prop_map(|text| format!("  - [x] {text}\n")),
        1 => line().prop_map(|text| format!("- {text}\n")),
        1 => (line(), day).prop_map(|(text, day)| format!("- [ ] {text} ⏫ 🛫 {day} 📅 {day}\n")),
        1 => Just("---\n".to_owned()),
        2 => Just("\n".to_owned()),
    ];
    prop::collection::vec(part, 0..14).prop_map(|parts| parts.concat())
}

/// Tasks with all that a task can have, their entries in any order.
fn tasks() -> impl Strategy<Value = Vec<draft::Task>> {
    let details = prop::option::of("- [A-Za-z]{1,6}: [a-z0-9]{1,9}").prop_map(|text| {
        let entry = |text| draft::Entry { key: "details#1".into(), text, ..Default::default() };
        text.map(entry)
    });
    let one = (crate::exports::task(), details).prop_flat_map(|(task, details)| {
        let entries: Vec<_> = task.entries.iter().cloned().chain(details).collect();
        let entries = Just(entries).prop_shuffle();
        entries.prop_map(move |entries| draft::Task { entries, ..task.clone() })
    });
    prop::collection::vec(one, 1..4).prop_map(|mut tasks| {
        for (n, task) in tasks.iter_mut().enumerate() {
            task.key = format!("task-{n}");
            for (m, item) in task.items.iter_mut().enumerate() {
                item.key = format!("item-{n}-{m}");
            }
        }
        tasks
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_task_comes_back_from_every_format_but_for_what_was_named(tasks in tasks()) {
        for target in ExportFormat::ALL {
            prop_assert_eq!(check("list.md", &tasks, *target), Ok(()));
        }
    }

    #[test]
    fn any_markdown_comes_back_from_every_format_but_for_what_was_named(text in markdown()) {
        let tasks = read("list.md", &text, Some(Format::Markdown));
        for target in ExportFormat::ALL {
            prop_assert_eq!(check("list.md", &tasks, *target), Ok(()), "{}", text);
        }
    }
}
