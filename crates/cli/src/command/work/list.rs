//! `dormouse work list`.

use clap::Args;
use dormouse::view::{AgentWork, Page};
use dormouse_types::Id as _;
use dormouse_types::work::{RunState, WorkState, WorkStatus, WorkType};
use jiff::tz::TimeZone;

use super::held::Holds;
use crate::client::path;
use crate::failure::Failure;
use crate::session::Session;
use crate::terminal::table::{Fit, Table};
use crate::terminal::wrap::{self, Margin};
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
        let command = session.command(super::gallery::EXAMPLE);
        session.screen.say(format!("No agent work. Add some, for example: {command}"));
        let gallery = session.command("work gallery");
        session.screen.say(format!("what needs no language model: {gallery}"));
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
    let last_run = |work: &AgentWork| work.completed_at.or(work.started_at).map(minute);
    for work in &page.items {
        table.row([
            work.id.short().to_owned(),
            titled(&work.title).to_owned(),
            state(work, &session.zone),
            work.next_due_at.map_or_else(String::new, minute),
            starts(work),
            last_run(work).unwrap_or_default(),
        ]);
    }
    let (width, style) = (session.screen.width(), session.screen.style());
    let is_narrow = !table.is_whole(width);
    let holds = match page.items.iter().any(is_queued) {
        true => Some(Holds::read(&session.client).await?),
        false => None,
    };
    let reason = |work: &AgentWork| holds.as_ref().and_then(|holds| holds.reason(work));
    if is_narrow {
        table = Table::new([("id", Fit::Whole), ("title", Fit::Cut), ("state", Fit::Whole)]);
        for work in &page.items {
            table.row([
                work.id.short().to_owned(),
                titled(&work.title).to_owned(),
                state(work, &session.zone),
            ]);
        }
    }
    let text = table.render(width, style);
    let mut rows = text.lines();
    let mut lines: Vec<String> = rows.next().map(ToOwned::to_owned).into_iter().collect();
    for (work, row) in page.items.iter().zip(rows) {
        lines.push(row.to_owned());
        if is_narrow {
            let mut more = vec![starts(work)];
            more.extend(work.next_due_at.map(|at| format!("next {}", minute(at))));
            more.extend(last_run(work).map(|at| format!("last run {at}")));
            lines.extend(wrap::text(&line(&more.join("; ")), width, INDENT));
        }
        let waits = reason(work).map(|reason| format!("waits: {reason}"));
        lines.extend(waits.into_iter().flat_map(|text| wrap::text(&line(&text), width, INDENT)));
    }
    session.screen.say(lines.join("\n"));
    if let Some(cursor) = page.next_cursor {
        let command = session.command(&format!("work list --cursor {cursor}"));
        session.screen.say(format!("more: {command}"));
    }
    Ok(())
}

const INDENT: Margin<'static> = Margin { first: "  ", rest: "  " };

fn is_queued(work: &AgentWork) -> bool {
    work.run_state == Some(RunState::Queued)
}

/// What starts it: the words of its schedule, or else what does.
pub(super) fn starts(work: &AgentWork) -> String {
    match (&work.schedule, work.kind) {
        (Some(words), _) => words.clone(),
        (None, WorkType::Immediate) => "once".to_owned(),
        (None, WorkType::Scheduled) if work.events.is_empty() => "when called".to_owned(),
        (None, WorkType::Scheduled) => "when tasks change".to_owned(),
    }
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
