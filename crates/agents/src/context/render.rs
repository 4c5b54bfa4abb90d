//! The text of each fragment, rendered from its data.

use dormouse_runs::gate::{OfferedLabel, Part, Piece};
use dormouse_runs::request;
use dormouse_store::agent::source::Source;
use dormouse_types::model::{Delta, Entry, Instruction, Named, TaskState};
use dormouse_types::{LabelId, RunKey};

use super::delta;
use crate::tools;

/// Renders the present task. Those entries are included that are not yet in the log.
pub fn task_state<'a>(
    task: &'a TaskState,
    entries: impl IntoIterator<Item = &'a Entry>,
) -> Vec<Part> {
    let of_task = |text: String| Part::new(Piece::Task, text, vec![Source::Task(task.id.clone())]);
    let offer = Some(offered_labels(task)).filter(|labels| !labels.is_empty());
    let offer = offer.map(|labels| Part { labels, ..of_task("Labels that exist: ".to_owned()) });
    let own = [Some(of_task(fields(task))), offer, checklist(task).map(of_task)];
    let entries = entries.into_iter().map(|entry| {
        let kind = capital(delta::kind_words(entry.kind));
        let (minutes, text) = (delta::spent(entry), entry.text.trim_end());
        let text = format!("{kind} of {}{minutes} (id: {}):\n{text}", entry.on, entry.id);
        Part::new(Piece::Entry, text, vec![Source::Entry(entry.id.clone())])
    });
    own.into_iter().flatten().chain(entries).collect()
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
    if !task.labels.is_empty() {
        let labels: Vec<String> = task.labels.iter().map(label).collect();
        lines.push(format!("Labels: {}", labels.join(", ")));
    }
    lines.join("\n")
}

fn label(label: &Named<LabelId>) -> String {
    format!("{} (id: {})", label.name, label.id)
}

/// The labels that may be proposed.
fn offered_labels(task: &TaskState) -> Vec<OfferedLabel> {
    let available = task.available_labels.iter();
    let available = available.filter(|label| !task.labels.contains(label));
    let available = available.filter(|label| !task.suppressed_labels.contains(&label.id));
    available.map(|it| OfferedLabel { id: it.id.clone(), text: label(it) }).collect()
}

fn checklist(task: &TaskState) -> Option<String> {
    if task.items.is_empty() {
        return None;
    }
    let mut lines = vec!["Checklist:".to_owned()];
    for item in &task.items {
        let mark = if item.is_checked { "x" } else { " " };
        let indent = "  ".repeat(usize::try_from(item.depth).unwrap_or(0).min(8));
        let archived = if item.is_archived { ", archived" } else { "" };
        lines.push(format!("{indent}- [{mark}] {} (id: {}{archived})", item.title, item.id));
    }
    Some(lines.join("\n"))
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
    let order = match instruction.is_month_first {
        Some(true) => "The person writes the month before the day: 03/04 is 4 March. ",
        Some(false) => "The person writes the day before the month: 03/04 is 3 April. ",
        None => "",
    };
    let today = Part::fixed(format!("Today is {}. {order}", instruction.today));
    let last = instruction.last_report.as_ref().map(|last| {
        let text = last_tldr(&last.tldr);
        let source = reported_by.map_or(Source::Unknown, |run| Source::Run(run.clone()));
        Part::new(Piece::Summary, text, vec![source])
    });
    let rest = if instruction.report_only {
        let closing = tools::closing_in_words();
        Part::fixed(format!("Only {closing} may be called now: publish the report."))
    } else {
        Part::fixed(to_do(instruction))
    };
    std::iter::once(today).chain(last).chain([rest]).collect()
}

/// What a turn is for in which all tools may be called.
fn to_do(instruction: &Instruction) -> &'static str {
    if instruction.first {
        "This is your first look at the task: publish an initial report, propose what the text plainly says, and note what is worth remembering."
    } else if instruction.report_due {
        "Look at everything afresh and publish a report."
    } else {
        "Update what the changes touch and leave the rest. Publish a report only if something material changed."
    }
}
