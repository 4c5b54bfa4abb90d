//! One task as a page to read.

use std::fmt::Write as _;

use dormouse_types::task::{Priority, Status};
use jiff::tz::TimeZone;

use super::markdown::{Notes, body, deeper, heading};
use super::task::{Task, block, one_line};

/// Writes a task with its report as a readable Markdown page: what a person sends to another, not
/// what a program reads again.
///
/// Shape: a heading, a line of facts, the report, checklist, notes, links.
pub fn page(task: &Task) -> String {
    let mut text = format!("# {}\n", heading(&task.title));
    let facts = facts(task);
    if !facts.is_empty() {
        let _ = write!(text, "\n{}\n", facts.join(" · "));
    }
    if let Some(report) = task.report.as_deref().filter(|report| !report.trim().is_empty()) {
        let _ = write!(text, "\n## Report\n\n{}\n", deeper(block(report).trim(), 2));
    }
    let parts = [
        ("Checklist", Task { items: task.items.clone(), ..Task::default() }),
        ("Notes", Task { entries: task.entries.clone(), ..Task::default() }),
    ];
    for (title, part) in parts {
        if !part.items.is_empty() || !part.entries.is_empty() {
            let _ = write!(text, "\n## {title}\n\n");
            body(&part, Notes::Shown(2), &mut text);
        }
    }
    if !task.links.is_empty() {
        text.push_str("\n## Links\n\n");
        for link in &task.links {
            let _ =
                writeln!(text, "- {} {}", link.kind.words(link.direction), one_line(&link.title));
        }
    }
    text
}

fn facts(task: &Task) -> Vec<String> {
    let status = task.status.map(|status| match status {
        Status::Open => "Open".to_owned(),
        Status::Groomed => "Groomed".to_owned(),
        Status::InProgress => "In progress".to_owned(),
        Status::Blocked => "Blocked".to_owned(),
        Status::OnHold => "On hold".to_owned(),
        Status::Done => "Done".to_owned(),
        Status::Rejected => "Rejected".to_owned(),
    });
    let status = match (status, &task.status_reason) {
        (Some(status), Some(reason)) => Some(format!("{status} ({})", one_line(reason))),
        (status, _) => status,
    };
    let priority = task.priority.map(|priority| match priority {
        Priority::P0 => "Urgent".to_owned(),
        Priority::P1 => "High priority".to_owned(),
        Priority::P2 => "Medium priority".to_owned(),
        Priority::P3 => "Low priority".to_owned(),
    });
    let hours = |minutes: u32| match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    };
    let day = |at: jiff::Timestamp| at.to_zoned(TimeZone::UTC).date();
    let labels: Vec<String> = task.labels.iter().map(|label| one_line(label)).collect();
    [
        status,
        priority,
        task.due_on.map(|day| format!("Due {day}")),
        task.estimate_minutes.map(|minutes| format!("Estimate {}", hours(minutes))),
        task.category.as_deref().map(one_line),
        Some(labels.join(", ")).filter(|labels| !labels.is_empty()),
        task.flags.starred.then(|| "Starred".to_owned()),
        task.flags.private.then(|| "Private".to_owned()),
        task.created_at.map(|at| format!("Created {}", day(at))),
        task.completed_at.map(|at| format!("Completed {}", day(at))),
    ]
    .into_iter()
    .flatten()
    .collect()
}
