//! Lists as people keep them, beyond what a format prescribes.

use std::fmt::Write as _;

use dormouse_formats::export::{Target, Task, write};
use dormouse_formats::intake::ReadOptions;
use dormouse_formats::plan::{self, Agent, Format, Options, Reading, deserves_agent};
use dormouse_types::draft;
use insta::assert_snapshot;
use jiff::civil::date;

use crate::show::plan_shown;

fn read(name: &str, text: &str) -> Reading {
    let read = ReadOptions { today: Some(date(2026, 11, 21)), ..ReadOptions::default() };
    let options = Options { read, ..Options::default() };
    let reading = plan::read(name, text.as_bytes(), &options).unwrap();
    crate::readings::is_whole(&reading, text);
    reading
}

/// The format, and each task on a line with its status, reason, category, items and texts.
fn tasks(text: &str) -> String {
    let reading = read("list", text);
    let mut out = format!("{}\n", reading.format);
    for task in &reading.tasks {
        let items = task
            .items
            .iter()
            .map(|item| format!("[{}] {}", if item.is_checked { 'x' } else { ' ' }, item.title));
        let parts = [
            task.status.map(|status| status.to_string()),
            task.status_reason.clone(),
            task.due_on.map(|day| format!("due {day}")),
            task.estimate_minutes.map(|minutes| format!("{minutes} min")),
            task.category.as_ref().map(|category| format!("in {category}")),
        ];
        let texts = task.entries.iter().map(|entry| entry.text.replace('\n', " / "));
        let parts: Vec<String> = parts.into_iter().flatten().chain(items).chain(texts).collect();
        let _ = writeln!(out, "{}: {}", task.title, parts.join(" | "));
    }
    out
}

#[test]
fn a_status_that_needs_a_reason_has_the_words_of_the_sheet() {
    let sheet = "Task,Status\nRoof,Waiting\nDoor,BLOCKED\nGate,Done\n";
    assert_snapshot!(tasks(sheet), @r"
    csv
    Roof: ON HOLD | Marked as “Waiting” in the imported list
    Door: BLOCKED | Marked as “BLOCKED” in the imported list
    Gate: DONE
    ");
}
