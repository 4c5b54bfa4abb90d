//! `dormouse work list`.

use clap::Args;
use dormouse::view::{AgentWork, Page};
use dormouse_types::Id as _;
use dormouse_types::work::{WorkState, WorkStatus};
use jiff::tz::TimeZone;

use crate::client::path;
use crate::failure::Failure;
use crate::session::Session;
use crate::terminal::table::{Fit, Table};
use crate::terminal::{line, note, time, titled};

#[derive(Debug, Args)]
pub struct Params {
    /// Only work of this status: pending, running, paused, completed or failed
    #[arg(long, value_parser = status)]
    status: Option<WorkStatus>,
    /// The maximum number to list
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=200))]
    limit: u16,
    /// Continue after an earlier page
    #[arg(long)]
    cursor: Option<String>,
}

fn status(text: &str) -> Result<WorkStatus, String> {
    text.parse().map_err(|e: dormouse_types::closed_list::NotListed| e.to_string())
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let limit = params.limit.to_string();
    let mut query = vec![("limit", limit.as_str())];
    query.extend(params.status.map(|status| ("status", status.name())));
    query.extend(params.cursor.as_deref().map(|cursor| ("cursor", cursor)));
    let reply = session.client.get(&path("/api/tasks", &query)).await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let page: Page<AgentWork> = reply.read()?;
    for damaged in &page.damaged {
        note(&format!("damaged: {}", line(damaged)));
    }
    if page.items.is_empty() {
        let command = session.command("work add TITLE --instructions TEXT --schedule WORDS");
        session.screen.say(format!("No agent work. Add some: {command}"));
        return Ok(());
    }
    let mut table = Table::new([
        ("id", Fit::Whole),
        ("title", Fit::Cut),
        ("state", Fit::Whole),
        ("next", Fit::Drop(1)),
        ("schedule", Fit::Drop(2)),
        ("last run", Fit::Drop(3)),
    ]);
    let minute = |at| time::minute(at, &session.zone);
    for work in &page.items {
        table.row([
            work.id.short().to_owned(),
            titled(&work.title).to_owned(),
            state(work, &session.zone),
            work.next_due_at.map_or_else(String::new, minute),
            work.schedule.clone().unwrap_or_else(|| "once".to_owned()),
            work.completed_at.or(work.started_at).map_or_else(String::new, minute),
        ]);
    }
    let (width, style) = (session.screen.width(), session.screen.style());
    session.screen.say(table.render(width, style));
    if let Some(cursor) = page.next_cursor {
        let command = session.command(&format!("work list --cursor {cursor}"));
        session.screen.say(format!("more: {command}"));
    }
    Ok(())
}

/// What it is up to, or why it does nothing.
pub(super) fn state(work: &AgentWork, zone: &TimeZone) -> String {
    let run = work.run_state.map(|state| state.name().replace('_', " "));
    let is_open = work.run_state.is_some_and(|it| !it.is_over());
    let suspended = work.suspended_until.filter(|_| !is_open);
    let is_over = work.schedule.is_some() && work.next_due_at.is_none() && work.events.is_empty();
    match (work.state, run) {
        (WorkState::Active, run) => match (suspended, run) {
            (Some(until), _) => format!("suspended until {}", time::minute(until, zone)),
            (None, Some(run)) => run,
            (None, None) if is_over => "nothing to come".to_owned(),
            (None, None) => "waits".to_owned(),
        },
        (state, Some(run)) if is_open => {
            format!("{}, {run}", state.name())
        }
        (state, _) => state.name().to_owned(),
    }
}
