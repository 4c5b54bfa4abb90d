//! `dormouse agent list`.

use clap::Args;
use dormouse::view::{Agent, Page};
use dormouse_types::agent::{AgentActivity, Lifecycle};
use dormouse_types::{Id as _, Timestamp};

use crate::client::path;
use crate::failure::Failure;
use crate::session::Session;
use crate::terminal::table::{Fit, Table};
use crate::terminal::{line, note, time, titled};

#[derive(Debug, Args)]
pub struct Params {
    /// Include destroyed agents
    #[arg(long)]
    all: bool,
    /// The maximum number to list
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u16).range(1..=200))]
    limit: u16,
    /// Continue after an earlier page
    #[arg(long)]
    cursor: Option<String>,
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let limit = params.limit.to_string();
    let mut query = vec![("limit", limit.as_str())];
    query.extend(params.cursor.as_deref().map(|cursor| ("cursor", cursor)));
    let reply = session.client.get(&path("/api/agents", &query)).await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let page: Page<Agent> = reply.read()?;
    for damaged in &page.damaged {
        note(&format!("damaged: {}", line(damaged)));
    }
    let agents: Vec<&Agent> = page
        .items
        .iter()
        .filter(|agent| params.all || agent.lifecycle != Lifecycle::Destroyed)
        .collect();
    if agents.is_empty() && page.next_cursor.is_none() {
        let command = session.command("agent create TASK");
        session.screen.say(format!("No agents. Give a task one: {command}"));
        return Ok(());
    }
    let is_any_set = agents.iter().any(|agent| agent.next_wake_at.is_some());
    let mut table = Table::new([
        ("id", Fit::Whole),
        ("name", Fit::Drop(2)),
        ("task", Fit::Cut),
        ("state", Fit::Whole),
        // Kept on a narrow screen if any row has a time.
        ("wakes", Fit::Drop(if is_any_set { 0 } else { 3 })),
        ("last run", Fit::Drop(1)),
    ]);
    let minute = |at| time::minute(at, &session.zone);
    for agent in agents {
        table.row([
            agent.id.short().to_owned(),
            agent.display_name.clone(),
            agent.task_title.as_deref().map_or("(gone)", titled).to_owned(),
            state(agent).to_owned(),
            wakes(agent, minute),
            agent.last_wake_at.map_or_else(String::new, minute),
        ]);
    }
    let (width, style) = (session.screen.width(), session.screen.style());
    session.screen.say(table.render(width, style));
    if let Some(cursor) = page.next_cursor {
        let command = session.command(&format!("agent list --cursor {cursor}"));
        session.screen.say(format!("more: {command}"));
    }
    Ok(())
}

/// Whether an agent wakes automatically, and when next.
fn wakes(agent: &Agent, minute: impl Fn(Timestamp) -> String) -> String {
    let by = if agent.automatic { "by itself" } else { "when asked" };
    match agent.next_wake_at {
        Some(at) => format!("{by}, next {}", minute(at)),
        None => by.to_owned(),
    }
}

/// What an agent is doing, or why it does nothing.
pub(super) fn state(agent: &Agent) -> &'static str {
    match agent.lifecycle {
        // An agent that is due much later also counts as waiting.
        Lifecycle::Active if agent.activity != AgentActivity::Running && agent.due_at.is_some() => {
            "waiting"
        }
        Lifecycle::Active => agent.activity.name(),
        Lifecycle::Created | Lifecycle::Dormant | Lifecycle::Destroyed => agent.lifecycle.name(),
    }
}
