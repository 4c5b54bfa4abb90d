//! Prints drafts as text for snapshots.

use std::fmt::Write as _;

use dormouse_formats::markdown::{self, ReadError};
use dormouse_formats::plan::{Place, Reading};
use dormouse_types::draft::{Drafts, Task};

/// Reads a text and prints its drafts, or the error.
pub fn read(name: &str, text: &str) -> String {
    match markdown::read(name, text.as_bytes()) {
        Ok(drafts) => drafts_shown(&drafts),
        Err(error) => refusal(&error),
    }
}

/// An error with its sources.
pub fn refusal(error: &ReadError) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(error) = source {
        let _ = write!(text, ": {error}");
        source = error.source();
    }
    text
}

/// A plan as text: each line with its role and the number of its task, then the drafts.
pub fn plan_shown(text: &str, reading: &Reading) -> String {
    let mut out = String::new();
    places_shown(text, &reading.places, &mut out);
    for task in &reading.tasks {
        task_shown(task, &mut out);
    }
    for remark in &reading.remarks {
        let _ = writeln!(out, "! {}: {}", remark.line, remark.message);
    }
    out
}

pub fn places_shown(text: &str, places: &[Place], out: &mut String) {
    for (place, line) in places.iter().zip(text.trim_start_matches('\u{feff}').lines()) {
        let task = place.task.map(|task| (task + 1).to_string()).unwrap_or_default();
        let shown = format!("{:>2} {:<8} {task:>2} | {line}", place.line, place.role);
        let _ = writeln!(out, "{}", shown.trim_end());
    }
}

pub fn drafts_shown(drafts: &Drafts) -> String {
    let mut out = String::new();
    for task in &drafts.tasks {
        task_shown(task, &mut out);
    }
    for remark in &drafts.not_understood {
        let _ = writeln!(out, "! {}: {}", remark.line, remark.message);
    }
    out
}

pub fn task_shown(task: &Task, out: &mut String) {
    let _ = writeln!(out, "TASK {:?} line {} key {}", task.title, task.line, task.key);
    let fields = [
        task.status.map(|status| format!("status {status}")),
        task.status_reason.clone().map(|reason| format!("reason {reason}")),
        task.priority.map(|priority| format!("priority {priority}")),
        task.due_on.map(|day| format!("due {day}")),
        task.estimate_minutes.map(|minutes| format!("estimate {minutes} min")),
        task.language.clone().map(|code| format!("language {code}")),
        task.category.clone().map(|name| format!("category {name}")),
        (!task.labels.is_empty()).then(|| format!("labels {}", task.labels.join(" | "))),
    ];
    for field in fields.into_iter().flatten() {
        let _ = writeln!(out, "  {field}");
    }
    for item in &task.items {
        let tick = if item.is_checked { 'x' } else { ' ' };
        let indent = "  ".repeat(item.depth as usize);
        let _ = writeln!(out, "  {indent}[{tick}] {}   <{}>", item.title, item.key);
    }
    for entry in &task.entries {
        let on = entry.on.map(|day| format!(" on {day}")).unwrap_or_default();
        let _ = writeln!(out, "  ENTRY <{}>{on}", entry.key);
        for line in entry.text.lines() {
            let _ = writeln!(out, "    | {line}");
        }
    }
}
