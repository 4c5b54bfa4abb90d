//! `dormouse task add`.

use clap::Args;
use dormouse::dates::{QuickAdd, QuickAddPart};
use dormouse::view::Task;
use dormouse_types::Id as _;
use dormouse_types::task::{Priority, Status};
use serde_json::json;

use crate::dates;
use crate::failure::Failure;
use crate::session::Session;
use crate::terminal::line;
use crate::values::{self, Clearable, DateText};

use super::name::named;

#[derive(Debug, Args)]
pub struct Params {
    /// The title, which may hold more: `Call the bank fri !p1 #finance @Home`; optional if there is
    /// a note
    #[arg(required_unless_present = "note", value_name = "TITLE")]
    title: Vec<String>,
    /// Keep all words of the title: read no due date, priority, label or category from it. A
    /// backslash keeps one word
    #[arg(long)]
    plain: bool,
    /// open, groomed, in-progress, blocked, on-hold, done or rejected
    #[arg(long, value_parser = values::status)]
    status: Option<Status>,
    /// Why it is blocked or on hold
    #[arg(long)]
    reason: Option<String>,
    /// P0 (urgent) to P3 (low)
    #[arg(long, value_parser = values::priority)]
    priority: Option<Clearable<Priority>>,
    /// The due date, such as friday, 10 december or 2026-12-10
    #[arg(long, value_parser = values::date, value_name = "DAY")]
    due: Option<DateText>,
    /// The time estimate: 90, 90m or 1h30m
    #[arg(long, value_parser = values::minutes_or_none, value_name = "DURATION")]
    estimate: Option<Clearable<u32>>,
    /// The language of the task: en, de, …
    #[arg(long)]
    language: Option<String>,
    /// A category, by name
    #[arg(long)]
    category: Option<String>,
    /// A label; may be given several times
    #[arg(long, value_name = "NAME")]
    label: Vec<String>,
    /// Star it
    #[arg(long)]
    starred: bool,
    /// Make it private, with all that belongs to it: models that are not yours never see it
    #[arg(long)]
    private: bool,
    /// A first note
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// An item of the checklist; may be given several times
    #[arg(long, value_name = "TITLE")]
    item: Vec<String>,
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let due = params.due.as_ref().map(|due| dates::day(session, "--due", &due.0)).transpose()?;
    let read = title(session, &params);
    let mut labels = read.labels.clone();
    labels.extend(params.label.into_iter().filter(|label| !read.labels.contains(label)));
    let note: Vec<String> = params.note.into_iter().chain(read.note.clone()).collect();
    let mut body = json!({
        "title": read.title,
        "status": params.status,
        "statusReason": params.reason,
        "priority": params.priority.and_then(|priority| priority.0).or(read.priority),
        "dueOn": due.or(read.due_on),
        "estimateMinutes": params.estimate.and_then(|estimate| estimate.0),
        "language": params.language,
        "category": params.category.or_else(|| read.category.clone()),
        "labels": labels,
        "starred": params.starred.then_some(true),
        "private": params.private.then_some(true),
        "note": (!note.is_empty()).then(|| note.join("\n\n")),
        "items": params.item,
    });
    if let Some(fields) = body.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    let reply = session.client.post("/api/journal/tasks", body).await?;
    let task: Task = reply.read()?;
    session.touch_task(&task.id);
    if !session.print_body(&reply) {
        session.screen.say(format!("added {}", named(&task)));
        for text in understood(&read) {
            session.screen.say(format!("  {text}"));
        }
        let command = session.command(&format!("agent create {}", task.id.short()));
        session.screen.say(format!("give it an agent: {command}"));
    }
    Ok(())
}

/// What the title says. An option counts more than the title, which then keeps those words.
fn title(session: &Session, params: &Params) -> QuickAdd {
    let text = params.title.join(" ");
    if params.plain {
        return dates::as_it_is(&text);
    }
    let given = [
        (params.due.is_some(), QuickAddPart::Due),
        (params.priority.is_some(), QuickAddPart::Priority),
        (params.category.is_some(), QuickAddPart::Category),
    ];
    let given: Vec<_> = given.into_iter().filter_map(|(is, part)| is.then_some(part)).collect();
    let read = dates::title(&text, &dates::reader(session), &given);
    // A line of nothing but labels is a title after all.
    if read.title.is_empty() { dates::as_it_is(&text) } else { read }
}

/// What was read from a title, line by line; nothing if it is only a title.
fn understood(read: &QuickAdd) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(read.due_on.map(|day| format!("due {}", dates::named_day(day))));
    parts.extend(read.priority.map(|priority| format!("priority {priority}")));
    parts.extend(read.labels.iter().map(|label| format!("label {}", line(label))));
    parts.extend(read.category.iter().map(|category| format!("category {}", line(category))));
    let mut lines = Vec::new();
    if !parts.is_empty() {
        lines.push(format!("from the title: {} (--plain keeps the words)", parts.join(", ")));
    }
    lines.extend(
        read.not_a_day
            .iter()
            .map(|words| format!("{} is not a valid date; it stays in the title", line(words))),
    );
    lines.extend(read.due.iter().flat_map(dates::doubts));
    lines.extend(
        read.note
            .iter()
            .map(|note| format!("a task is due on a day; the rest is a note: {}", line(note))),
    );
    lines
}
