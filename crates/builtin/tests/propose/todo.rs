//! Which notes with a TODO name work, and which only speak of one.

use jiff::civil::date;

use crate::case::Case;

/// The titles of the items that the rules propose for a note.
fn items(note: &str) -> Vec<String> {
    let mut case = Case::new("Task", date(2026, 11, 18));
    case.entry(&note.replace('⏎', "\n"));
    case.check_form();
    let lines = case.lines();
    lines.iter().filter_map(|line| line.strip_prefix("item ").map(str::to_owned)).collect()
}

fn check(table: &str) {
    let rows: Vec<&str> =
        table.lines().filter(|line| !line.is_empty() && !line.starts_with("# ")).collect();
    let mut wrong = Vec::new();
    for row in &rows {
        let (note, expected) = row.split_once('\t').unwrap_or((row, ""));
        let got = items(note).join(" | ");
        if got != expected {
            wrong.push(format!("{note}\n    expected {expected}\n    got      {got}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} wrong\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

#[test]
fn a_todo_in_capitals_names_work_wherever_a_clause_begins() {
    check(include_str!("todo-marks.tsv"));
}

#[test]
fn a_note_that_only_speaks_of_a_todo_stays_text() {
    check(include_str!("todo-near-misses.tsv"));
}
