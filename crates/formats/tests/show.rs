//! Prints drafts as text for snapshots.

use std::fmt::Write as _;

use dormouse_formats::markdown::{self, ReadError};
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

fn task_shown(task: &Task, out: &mut String) {
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
