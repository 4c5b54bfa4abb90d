//! `dormouse task add`.

use clap::Args;
use dormouse::view::Task;
use dormouse_types::Id as _;
use dormouse_types::task::{Priority, Status};
use jiff::civil::Date;
use serde_json::json;

use crate::failure::Failure;
use crate::session::Session;
use crate::values::{self, Clearable};

#[derive(Debug, Args)]
pub struct Params {
    /// The title; optional if there is a note
    #[arg(required_unless_present = "note", value_name = "TITLE")]
    title: Vec<String>,
    /// open, groomed, in-progress, blocked, on-hold, done or rejected
    #[arg(long, value_parser = values::status)]
    status: Option<Status>,
    /// Why it is blocked or on hold
    #[arg(long)]
    reason: Option<String>,
    /// P0 (urgent) to P3 (low)
    #[arg(long, value_parser = values::priority)]
    priority: Option<Clearable<Priority>>,
    /// The due date: YYYY-MM-DD
    #[arg(long, value_parser = values::day, value_name = "DAY")]
    due: Option<Date>,
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
    /// A first note
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// An item of the checklist; may be given several times
    #[arg(long, value_name = "TITLE")]
    item: Vec<String>,
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let mut body = json!({
        "title": params.title.join(" "),
        "status": params.status,
        "statusReason": params.reason,
        "priority": params.priority.and_then(|priority| priority.0),
        "dueOn": params.due,
        "estimateMinutes": params.estimate.and_then(|estimate| estimate.0),
        "language": params.language,
        "category": params.category,
        "labels": params.label,
        "note": params.note,
        "items": params.item,
    });
    if let Some(fields) = body.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    let reply = session.client.post("/api/journal/tasks", body).await?;
    let task: Task = reply.read()?;
    session.touch_task(&task.id);
    if !session.print_body(&reply) {
        session.screen.say(format!("added {}", super::named(&task)));
        let command = session.command(&format!("agent create {}", task.id.short()));
        session.screen.say(format!("give it an agent: {command}"));
    }
    Ok(())
}
