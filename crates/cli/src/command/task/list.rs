//! `dormouse task list`.

use clap::Args;
use dormouse::view::{Page, TaskRow};
use dormouse_types::Id as _;
use dormouse_types::task::Status;

use crate::client::path;
use crate::failure::Failure;
use crate::session::Session;
use crate::terminal::table::{Fit, Table};
use crate::terminal::{line, note, titled};
use crate::values;

#[derive(Debug, Args)]
pub struct Params {
    /// Only tasks that contain all of these words
    #[arg(value_name = "WORDS")]
    words: Vec<String>,
    /// Only tasks with this status
    #[arg(long, value_parser = values::status)]
    status: Option<Status>,
    /// Only starred tasks
    #[arg(long)]
    starred: bool,
    /// Only private tasks
    #[arg(long)]
    private: bool,
    /// Include deleted tasks
    #[arg(long)]
    deleted: bool,
    /// The maximum number to list
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=200))]
    limit: u16,
    /// Continue after an earlier page
    #[arg(long)]
    cursor: Option<String>,
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let (limit, words) = (params.limit.to_string(), params.words.join(" "));
    let mut query = vec![("limit", limit.as_str())];
    if !words.is_empty() {
        query.push(("q", &words));
    }
    query.extend(params.status.map(|status| ("status", status.name())));
    query.extend(params.starred.then_some(("starred", "true")));
    query.extend(params.private.then_some(("private", "true")));
    query.extend(params.deleted.then_some(("deleted", "true")));
    query.extend(params.cursor.as_deref().map(|cursor| ("cursor", cursor)));
    let reply = session.client.get(&path("/api/journal/tasks", &query)).await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let page: Page<TaskRow> = reply.read()?;
    for damaged in &page.damaged {
        note(&format!("damaged: {}", line(damaged)));
    }
    if page.items.is_empty() {
        session.screen.say("No tasks.");
        return Ok(());
    }
    let (width, style) = (session.screen.width(), session.screen.style());
    session.screen.say(table(&page.items).render(width, style));
    if let Some(cursor) = page.next_cursor {
        let command = session.command(&format!("task list --cursor {cursor}"));
        session.screen.say(format!("more: {command}"));
    }
    Ok(())
}

fn table(tasks: &[TaskRow]) -> Table {
    let mut table = Table::new([
        ("id", Fit::Whole),
        ("title", Fit::Cut),
        ("status", Fit::Whole),
        ("marks", Fit::DropEmpty(0)),
        ("prio", Fit::Drop(4)),
        ("due", Fit::Drop(1)),
        ("items", Fit::Drop(3)),
        ("agent", Fit::Drop(5)),
        ("proposals", Fit::Drop(2)),
    ]);
    for task in tasks {
        let status = match task.deleted_at {
            Some(_) => "deleted".to_owned(),
            None => task.status.name().to_lowercase(),
        };
        table.row([
            task.id.short().to_owned(),
            titled(&task.title).to_owned(),
            status,
            marks(task),
            task.priority.map_or_else(String::new, |priority| priority.to_string()),
            task.due_on.map_or_else(String::new, |day| day.to_string()),
            items(task),
            task.agent.as_ref().map_or_else(String::new, |agent| agent.short().to_owned()),
            proposals(task),
        ]);
    }
    table
}

fn marks(task: &TaskRow) -> String {
    let marks = [(task.starred, "starred"), (task.private, "private")];
    let marks = marks.into_iter().filter_map(|(is, mark)| is.then_some(mark));
    marks.collect::<Vec<_>>().join(", ")
}

fn proposals(task: &TaskRow) -> String {
    match (task.open_proposals, task.put_off_proposals) {
        (0, 0) => String::new(),
        (open, 0) => open.to_string(),
        (0, put_off) => format!("{put_off} put off"),
        (open, put_off) => format!("{open}, {put_off} put off"),
    }
}

fn items(task: &TaskRow) -> String {
    if task.items_total == 0 {
        return String::new();
    }
    format!("{}/{}", task.items_checked, task.items_total)
}
