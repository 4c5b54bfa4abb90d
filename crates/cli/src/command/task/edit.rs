//! `dormouse task edit`.

use clap::Args;
use dormouse::view::Task;
use dormouse_types::task::{Priority, Status};
use serde_json::{Map, Value, json};

use crate::dates;
use crate::failure::Failure;
use crate::find;
use crate::session::Session;
use crate::values::{self, Clearable, DateText};

use super::name::named;

/// `none` clears a field.
#[derive(Debug, Args)]
pub struct Params {
    /// The task
    #[arg(required = true, value_name = "TASK")]
    task: Vec<String>,
    #[command(flatten)]
    fields: Fields,
    /// Only if the task still has this revision
    #[arg(long, value_name = "REVISION")]
    if_revision: Option<i64>,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
struct Fields {
    /// A new title
    #[arg(long)]
    title: Option<String>,
    /// open, groomed, in-progress, blocked, on-hold, done or rejected
    #[arg(long, value_parser = values::status)]
    status: Option<Status>,
    /// Why it is blocked or on hold
    #[arg(long)]
    reason: Option<String>,
    /// P0 (urgent) to P3 (low), or none
    #[arg(long, value_parser = values::priority)]
    priority: Option<Clearable<Priority>>,
    /// The due date, such as friday, 10 december or 2026-12-10, or none
    #[arg(long, value_parser = values::date_or_none, value_name = "DAY")]
    due: Option<Clearable<DateText>>,
    /// The time estimate: 90, 90m or 1h30m, or none
    #[arg(long, value_parser = values::minutes_or_none, value_name = "DURATION")]
    estimate: Option<Clearable<u32>>,
    /// The language of the task: en, de, …, or none
    #[arg(long, value_parser = values::text_or_none)]
    language: Option<Clearable<String>>,
    /// A category, by name, or none
    #[arg(long, value_parser = values::text_or_none)]
    category: Option<Clearable<String>>,
    /// Star it
    #[arg(long, conflicts_with = "no_starred")]
    starred: bool,
    /// Take its star away
    #[arg(long)]
    no_starred: bool,
    /// Make it private, with all that belongs to it: models that are not yours never see it
    #[arg(long, conflicts_with = "no_private")]
    private: bool,
    /// Open it to every model again; notes that are private themselves stay so
    #[arg(long)]
    no_private: bool,
}

impl Fields {
    fn body(self, session: &Session) -> Result<Value, Failure> {
        let due = match self.due {
            Some(Clearable(Some(due))) => Some(Some(dates::day(session, "--due", &due.0)?)),
            Some(Clearable(None)) => Some(None),
            None => None,
        };
        let mut body = Map::new();
        let mut set = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                body.insert(name.to_owned(), value);
            }
        };
        set("title", self.title.map(Value::from));
        set("status", self.status.map(|status| json!(status)));
        set("statusReason", self.reason.map(Value::from));
        set("priority", self.priority.map(|priority| json!(priority.0)));
        set("dueOn", due.map(|day| json!(day)));
        set("estimateMinutes", self.estimate.map(|estimate| json!(estimate.0)));
        set("language", self.language.map(|language| json!(language.0)));
        set("starred", values::flag(self.starred, self.no_starred).map(Value::from));
        set("private", values::flag(self.private, self.no_private).map(Value::from));
        set("category", self.category.map(|category| json!(category.0)));
        Ok(Value::Object(body))
    }
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let body = params.fields.body(session)?;
    let row = find::task(session, &params.task.join(" ")).await?;
    let path = format!("/api/journal/tasks/{}", row.id);
    let reply = match params.if_revision {
        Some(revision) => session.client.patch_if(&path, body, revision).await?,
        None => session.client.patch(&path, body).await?,
    };
    session.touch_task(&row.id);
    if !session.print_body(&reply) {
        let task: Task = reply.read()?;
        let what = if task.cursor.is_none() { "unchanged" } else { "changed" };
        session.screen.say(format!("{what} {}", named(&task)));
    }
    Ok(())
}
