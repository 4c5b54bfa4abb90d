//! VTODO and todo.txt read by a second program: what this crate writes says the same to Python's
//! `icalendar` and `pytodotxt`, and what both read from the files of others is the same.
//!
//! `scripts/setup test` installs them below the target directory. Without them the tests say in one
//! line that they were skipped; where `CI` is set when they are built, they fail instead.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use dormouse_formats::export::{ExportFormat, Task, write};
use dormouse_formats::plan::{Format, Reading};
use dormouse_types::draft::Item;
use dormouse_types::task::{Priority, Status};
use jiff::civil::date;
use serde_json::Value;

use crate::corpus::data;
use crate::readings::read;

/// Prints each to-do as a list: uid, summary, status, due day, priority, categories, description.
const TODOS: &str = r#"
import sys, json, icalendar
text = sys.stdin.buffer.read()
out = []
for calendar in icalendar.Calendar.from_ical(text, multiple=True):
    for todo in calendar.walk("VTODO"):
        due = todo.get("DUE")
        day = due.dt.isoformat()[:10] if hasattr(due, "dt") else None
        names = todo.get("CATEGORIES")
        names = names if isinstance(names, list) else [names] if names else []
        names = [str(name) for group in names for name in group.cats]
        text = lambda name: str(todo[name]) if name in todo else None
        out.append([text("UID"), " ".join((text("SUMMARY") or "").split()), text("STATUS"), day, text("PRIORITY"), names, text("DESCRIPTION")])
print(json.dumps(out))
"#;

/// Prints each line as a list: done, priority, projects, contexts, due, creation, completion.
const LINES: &str = r#"
import sys, json
from pytodotxt import Task
out = []
for line in sys.stdin.read().split("\n"):
    if not line.strip():
        continue
    task = Task(line)
    day = lambda value: value.isoformat() if value else None
    due = task.attributes.get("due", [None])[0]
    out.append([task.is_completed, task.priority, task.projects, task.contexts, due, day(task.creation_date), day(task.completion_date)])
print(json.dumps(out))
"#;

/// The Python that has both packages.
fn python() -> Option<PathBuf> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent()?;
    let python = target.join("py-formats/bin/python");
    if python.exists() {
        return Some(python);
    }
    assert!(option_env!("CI").is_none(), "{} is missing: run scripts/setup test", python.display());
    let _ = writeln!(
        std::io::stderr(),
        "skipped: no second reader of iCalendar and todo.txt; scripts/setup test installs them"
    );
    None
}

/// What a script prints about a text; `None`, and a line that says so, without the packages.
pub fn ask(package: &str, script: &str, text: &str) -> Option<Value> {
    let mut command = Command::new(python()?);
    command.args(["-c", script]).env("PYTHONIOENCODING", "utf-8");
    Some(answer(command, package, text))
}

/// The same of a script for Node, with the npm package of recurrence rules.
pub fn ask_node(package: &str, script: &str, text: &str) -> Option<Value> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent()?;
    let folder = target.join("js-formats");
    if !folder.join("installed").exists() {
        assert!(option_env!("CI").is_none(), "{}: run scripts/setup test", folder.display());
        let _ =
            writeln!(std::io::stderr(), "skipped: no {package}; scripts/setup test installs it");
        return None;
    }
    // A script on the command line finds the packages of the folder it runs in.
    let mut command = Command::new("node");
    command.args(["--input-type=module", "--eval", script]).current_dir(folder);
    Some(answer(command, package, text))
}

fn answer(mut command: Command, package: &str, text: &str) -> Value {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{package} refused the text");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn tasks() -> Vec<Task> {
    let titles =
        ["Pay, then call", "semi;colon \\ back", "ä漢🦀 long ".repeat(20).as_str().trim(), "Plain"]
            .map(str::to_owned);
    let tasks = (1_i8..).zip(titles).map(|(n, title)| Task {
        key: format!("uid-{n}@example.org"),
        title,
        status: [None, Some(Status::Open), Some(Status::InProgress), Some(Status::Done)]
            [n as usize % 4],
        priority: [None, Some(Priority::P0), Some(Priority::P1), Some(Priority::P3)]
            [n as usize % 4],
        due_on: (n % 2 == 0).then(|| date(2026, 11, n)),
        labels: vec![format!("l{n}"), "b,c".to_owned()],
        category: Some("Home".to_owned()),
        items: vec![Item {
            key: format!("item-{n}"),
            title: "Step".into(),
            is_checked: n > 2,
            depth: 0,
            lines: 0..0,
        }],
        entries: vec![dormouse_types::draft::Entry {
            key: "note#1".into(),
            text: "One,\ntwo; \\three".into(),
            ..Default::default()
        }],
        ..Task::default()
    });
    tasks.collect()
}

#[test]
fn a_written_calendar_says_the_same_to_icalendar() {
    let tasks = tasks();
    let text = write(&tasks, ExportFormat::ICalendar).text;
    let Some(theirs) = ask("icalendar", TODOS, &text) else { return };
    let theirs = theirs.as_array().unwrap();
    assert_eq!(theirs.len(), 2 * tasks.len());
    for task in &tasks {
        let other = theirs.iter().find(|other| other[0] == task.key.as_str()).unwrap();
        assert_eq!(other[1], task.title.as_str());
        assert_eq!(other[3], serde_json::json!(task.due_on));
        assert_eq!(other[5], serde_json::json!(task.labels));
        assert_eq!(other[6], "One,\ntwo; \\three");
        let item = theirs.iter().find(|other| other[0] == task.items[0].key.as_str()).unwrap();
        assert_eq!(item[2], if task.items[0].is_checked { "COMPLETED" } else { "NEEDS-ACTION" });
    }
}

#[test]
fn a_written_todo_txt_says_the_same_to_pytodotxt() {
    let tasks = tasks();
    let text = write(&tasks, ExportFormat::TodoTxt).text;
    let Some(theirs) = ask("pytodotxt", LINES, &text) else { return };
    let theirs = theirs.as_array().unwrap();
    assert_eq!(theirs.len(), tasks.len());
    for (task, other) in tasks.iter().zip(theirs) {
        assert_eq!(other[0], task.status == Some(Status::Done));
        assert_eq!(other[2], serde_json::json!([task.category]));
        assert_eq!(other[3], serde_json::json!(task.labels));
        assert_eq!(other[4], serde_json::json!(task.due_on));
    }
}

/// A line of details.
fn detail<'a>(reading: &'a Reading, task: usize, name: &str) -> Option<&'a str> {
    let entry = reading.tasks[task].entries.iter().find(|entry| entry.key == "details#1")?;
    entry.text.lines().find_map(|line| line.strip_prefix(&format!("- {name}: ")))
}

#[test]
fn the_todo_txt_files_of_others_mean_the_same_to_pytodotxt() {
    let Some(folder) = data("tasks") else { return };
    for name in ["1set-tasklist.todo.txt", "1set-duedate-error.todo.txt"] {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        let reading = read(Format::TodoTxt, name, &text).unwrap();
        let Some(theirs) = ask("pytodotxt", LINES, &text) else { return };
        let theirs = theirs.as_array().unwrap();
        assert_eq!(theirs.len(), reading.tasks.len());
        for (at, (task, other)) in reading.tasks.iter().zip(theirs).enumerate() {
            let line = task.line;
            assert_eq!(other[0], task.status == Some(Status::Done), "line {line}");
            let mut names: Vec<&str> = task.category.as_deref().into_iter().collect();
            names.extend(task.labels.iter().map(String::as_str));
            names.sort_unstable();
            let mut other_names: Vec<&str> = [2, 3]
                .iter()
                .flat_map(|&n| other[n].as_array().unwrap())
                .filter_map(Value::as_str)
                .collect();
            other_names.sort_unstable();
            other_names.dedup();
            assert_eq!(names, other_names, "line {line}");
            let due = task.due_on.map(|day| day.to_string());
            assert_eq!(
                other[4].as_str(),
                due.as_deref().or(detail(&reading, at, "due")),
                "line {line}"
            );
            // It reads no priority behind the days of a done task.
            if other[1].is_string() {
                assert!(task.priority.is_some(), "line {line}");
            }
            if other[6].is_string() {
                assert_eq!(other[6].as_str(), detail(&reading, at, "Completed"), "line {line}");
            }
        }
    }
}

#[test]
fn the_calendars_of_others_mean_the_same_to_icalendar() {
    let Some(folder) = data("ics") else { return };
    for name in [
        "ical-todo.ics",
        "ical-related-to.ics",
        "ical-todo-text-escaping.ics",
        "icalendar-events-and-todos.ics",
        "nodeical-owncloud-todos-fr.ics",
        "ical4j-sunbird-sample.ics",
    ] {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        let reading = read(Format::ICalendar, name, &text).unwrap();
        let Some(theirs) = ask("icalendar", TODOS, &text) else { return };
        let theirs = theirs.as_array().unwrap();
        let n_items: usize = reading.tasks.iter().map(|task| task.items.len()).sum();
        assert_eq!(theirs.len(), reading.tasks.len() + n_items, "{name}");
        for task in &reading.tasks {
            let other = theirs.iter().find(|other| other[0] == task.key.as_str()).unwrap();
            assert_eq!(other[1], task.title.as_str(), "{name}");
            assert_eq!(other[3], serde_json::json!(task.due_on), "{name}");
            assert_eq!(other[5], serde_json::json!(task.labels), "{name}");
            let note = task
                .entries
                .iter()
                .find(|entry| entry.key == "note#1")
                .map(|entry| entry.text.as_str());
            assert_eq!(
                other[6].as_str().map(str::trim).filter(|text| !text.is_empty()),
                note.map(str::trim),
                "{name}"
            );
        }
    }
}
