//! The text of each fragment, rendered from its data.

use dormouse_runs::request;
use dormouse_types::model::{Delta, Instruction, ObservationNote, TaskState};

use super::delta;

/// Renders the present task; entries are included only if they are not yet in the log.
pub fn task_state(task: &TaskState, with_entries: bool) -> String {
    let mut lines = Vec::new();
    let title = if task.title.is_empty() { "(untitled)" } else { &task.title };
    lines.push(format!("# {title}"));
    let reason = task.status_reason.as_ref().map(|r| format!(" ({r})")).unwrap_or_default();
    let priority = task.priority.unwrap_or_default();
    lines.push(format!("Status: {}{reason} · Priority: {priority}", task.status));
    if let Some(minutes) = task.estimate_minutes {
        lines.push(format!("Estimate: {minutes} min"));
    }
    if task.time_spent_minutes > 0 {
        lines.push(format!("Time spent: {} min", task.time_spent_minutes));
    }
    if let Some(due) = task.due_on {
        lines.push(format!("Due: {due}"));
    }
    if let Some(language) = &task.language {
        lines.push(format!("Language: {language}"));
    }
    if let Some(category) = &task.category {
        lines.push(format!("Category: {category}"));
    }
    let named = |labels: &[dormouse_types::model::Named<dormouse_types::LabelId>]| {
        let labels: Vec<_> =
            labels.iter().map(|label| format!("{} (id: {})", label.name, label.id)).collect();
        labels.join(", ")
    };
    if !task.labels.is_empty() {
        lines.push(format!("Labels: {}", named(&task.labels)));
    }
    let available: Vec<_> = task
        .available_labels
        .iter()
        .filter(|label| !task.labels.contains(label))
        .filter(|label| !task.suppressed_labels.contains(&label.id))
        .cloned()
        .collect();
    if !available.is_empty() {
        lines.push(format!("Labels that exist: {}", named(&available)));
    }
    if !task.items.is_empty() {
        lines.push("Checklist:".into());
    }
    for item in &task.items {
        let mark = if item.is_checked { "x" } else { " " };
        let indent = "  ".repeat(usize::try_from(item.depth).unwrap_or(0).min(8));
        let archived = if item.is_archived { ", archived" } else { "" };
        lines.push(format!("{indent}- [{mark}] {} (id: {}{archived})", item.title, item.id));
    }
    if with_entries {
        for entry in &task.entries {
            lines.push(format!(
                "Entry of {} (id: {}):\n{}",
                entry.on,
                entry.id,
                entry.text.trim_end()
            ));
        }
    }
    lines.join("\n")
}

/// Renders what changed, oldest first, after the critical notes of the last wake.
pub fn delta(delta: &Delta, critical: &[&ObservationNote], task: &TaskState) -> String {
    let notes = critical.iter().map(|note| format!("You noted as critical: {}", note.text));
    let changes = delta.changes.iter().map(|change| format!("- {}", delta::line(change, task)));
    let timers = delta.timers.iter().map(|note| format!("- {}", delta::timer(note)));
    let none = delta.changes.is_empty().then(|| "Nothing changed.".to_owned());
    notes.chain(none).chain(timers).chain(changes).collect::<Vec<_>>().join("\n")
}

/// Renders the summary of the last report. A model wrote it from the text of a task, so it is data,
/// also inside an instruction.
fn last_told(tldr: &str) -> String {
    format!("What the person was last told:\n{}\n", request::fence("lastReport", tldr))
}

/// Renders what the model is to do in this turn.
pub fn instruction(instruction: &Instruction) -> String {
    let mut text = format!("Today is {}. ", instruction.today);
    if let Some(last) = &instruction.last_report {
        text.push_str(&last_told(&last.tldr));
    }
    if instruction.report_only {
        text.push_str("Only update_report may be called now: publish the report.");
    } else if instruction.first {
        text.push_str(
            "This is your first look at the task: publish an initial report, propose what the text plainly says, and note what is worth remembering.",
        );
    } else if instruction.report_due {
        text.push_str("Look at everything afresh and publish a report.");
    } else {
        text.push_str(
            "Update what the changes touch and leave the rest. Publish a report only if something material changed.",
        );
    }
    text
}
