//! The text of each fragment, rendered from its data.

use dormouse_runs::gate::{Part, Piece};
use dormouse_runs::request;
use dormouse_store::agent::source::Source;
use dormouse_types::RunKey;
use dormouse_types::model::{Delta, Entry, Instruction, TaskState};

use super::delta;

/// Renders the present task. Those entries are included that are not yet in the log.
pub fn task_state<'a>(
    task: &'a TaskState,
    entries: impl IntoIterator<Item = &'a Entry>,
) -> Vec<Part> {
    let fields = Part::new(Piece::Task, fields(task), vec![Source::Task(task.id.clone())]);
    let entries = entries.into_iter().map(|entry| {
        let kind = capital(delta::kind_words(entry.kind));
        let text = format!("{kind} of {} (id: {}):\n{}", entry.on, entry.id, entry.text.trim_end());
        Part::new(Piece::Entry, text, vec![Source::Entry(entry.id.clone())])
    });
    std::iter::once(fields).chain(entries).collect()
}

/// The words with a capital at their beginning.
fn capital(words: &str) -> String {
    let mut chars = words.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn fields(task: &TaskState) -> String {
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
    lines.join("\n")
}

/// Renders what changed, oldest first, after the critical notes of the last wake, each with the run
/// that wrote it.
pub fn delta(delta: &Delta, critical: &[(&str, Source)], task: &TaskState) -> Vec<Part> {
    let notes = critical.iter().map(|(note, source)| {
        let text = format!("You noted as critical: {note}");
        Part::new(Piece::Note, text, vec![source.clone()])
    });
    let changes = delta.changes.iter().map(|change| {
        let text = format!("- {}", delta::line(change, task));
        Part::new(delta::piece(&change.what), text, Source::of_change(&change.what, &task.id))
    });
    let timers = delta.timers.iter().map(|note| {
        let text = format!("- {}", delta::timer(note));
        Part::new(Piece::Other, text, vec![Source::Task(task.id.clone())])
    });
    let linked = delta.linked.iter().map(|news| {
        let text = format!("- {}", delta::linked(news));
        Part::new(Piece::Link, text, vec![Source::Task(news.task.clone())])
    });
    let nothing = delta.changes.is_empty() && delta.linked.is_empty();
    let none = nothing.then(|| Part::fixed("Nothing changed."));
    notes.chain(none).chain(timers).chain(changes).chain(linked).collect()
}

/// Renders the summary of the last report. A model wrote it from the text of a task, so it is data,
/// also inside an instruction.
fn last_tldr(tldr: &str) -> String {
    format!("Your last report, in short:\n{}\n", request::fence("lastReport", tldr))
}

/// Renders what the model is to do in this turn. `reported_by` is the run that wrote the last report.
pub fn instruction(instruction: &Instruction, reported_by: Option<&RunKey>) -> Vec<Part> {
    let today = Part::fixed(format!("Today is {}. ", instruction.today));
    let last = instruction.last_report.as_ref().map(|last| {
        let text = last_tldr(&last.tldr);
        let source = reported_by.map_or(Source::Unknown, |run| Source::Run(run.clone()));
        Part::new(Piece::Summary, text, vec![source])
    });
    let rest = Part::fixed(if instruction.report_only {
        "Only update_report may be called now: publish the report."
    } else if instruction.first {
        "This is your first look at the task: publish an initial report, propose what the text plainly says, and note what is worth remembering."
    } else if instruction.report_due {
        "Look at everything afresh and publish a report."
    } else {
        "Update what the changes touch and leave the rest. Publish a report only if something material changed."
    });
    std::iter::once(today).chain(last).chain([rest]).collect()
}
