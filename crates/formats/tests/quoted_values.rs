//! Values with spaces in todo.txt.

use dormouse_formats::export::{ExportFormat, Task, losses, write};
use dormouse_formats::plan::{self, Format, Options};
use dormouse_types::draft;

fn read(line: &str) -> draft::Task {
    let options = Options { format: Some(Format::TodoTxt), ..Options::default() };
    plan::read("todo.txt", line.as_bytes(), &options).unwrap().tasks.remove(0)
}

fn details(task: &draft::Task) -> Vec<&str> {
    task.entries.iter().map(|entry| entry.text.as_str()).collect()
}

#[test]
fn a_value_in_quotes_is_kept_whole_and_cuts_no_title() {
    let task = read("Call mom note:\"every sunday at 5:30\" @phone due:2026-12-01\n");
    assert_eq!(task.title, "Call mom");
    assert_eq!(details(&task), ["- note: every sunday at 5:30"]);
    assert_eq!(
        (task.labels.as_slice(), task.due_on),
        (&["phone".to_owned()][..], "2026-12-01".parse().ok())
    );
    let written = write(&[Task::from(&task)], ExportFormat::TodoTxt);
    assert_eq!(written.text, "Call mom @phone due:2026-12-01 note:\"every sunday at 5:30\"\n");
    assert_eq!(losses(&[Task::from(&task)], ExportFormat::TodoTxt), []);
    assert_eq!(read(&written.text), task);
}

#[test]
fn what_only_begins_like_a_value_in_quotes_stays_in_the_title() {
    for line in [
        "Read say:\"yes and no",
        "Fix a:\"b\"c here",
        "Sing la:\"\" twice",
        "The \"old house\" note",
    ] {
        assert_eq!(read(line).title, line);
    }
    let task = read("Pay note:\"one\" to:\"two three\" now");
    assert_eq!(task.title, "Pay now");
    assert_eq!(details(&task), ["- note: one\n- to: two three"]);
}

#[test]
fn a_reason_that_begins_with_a_quote_comes_back() {
    let task = read("Paint status:BLOCKED reason:\"wet\"_walls");
    assert_eq!(task.status_reason.as_deref(), Some("\"wet\" walls"));
    assert_eq!(read(&write(&[Task::from(&task)], ExportFormat::TodoTxt).text), task);
}
