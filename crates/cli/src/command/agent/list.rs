//! `dormouse agent list`.

use clap::Args;
use dormouse::view::{Agent, Page};
use dormouse_types::Id as _;

use crate::failure::Failure;
use crate::find::titled;
use crate::session::Session;
use crate::terminal::moment;
use crate::terminal::table::{Fit, Table};

#[derive(Debug, Args)]
pub struct Params {
    /// Destroyed agents too
    #[arg(long)]
    all: bool,
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let reply = session.client.get("/api/agents").await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let page: Page<Agent> = reply.read()?;
    let agents: Vec<&Agent> =
        page.items.iter().filter(|agent| params.all || agent.lifecycle != "destroyed").collect();
    if agents.is_empty() {
        let command = session.command("agent create TASK");
        session.screen.say(format!("No agents. Give a task one: {command}"));
        return Ok(());
    }
    let mut table = Table::new([
        ("id", Fit::Whole),
        ("name", Fit::Drop(2)),
        ("task", Fit::Cut),
        ("state", Fit::Whole),
        ("wakes", Fit::Drop(3)),
        ("last run", Fit::Drop(1)),
    ]);
    for agent in agents {
        table.row([
            agent.id.short().to_owned(),
            agent.display_name.clone(),
            agent.task_title.as_deref().map_or("(gone)", titled).to_owned(),
            state(agent).to_owned(),
            if agent.automatic { "by itself" } else { "when asked" }.to_owned(),
            agent.last_wake_at.map_or_else(String::new, |at| moment::minute(at, &session.zone)),
        ]);
    }
    let (width, ink) = (session.screen.width(), session.screen.ink());
    session.screen.say(table.render(width, ink));
    Ok(())
}

/// What an agent is doing, or why it does nothing.
pub(super) fn state(agent: &Agent) -> &str {
    if agent.lifecycle == "active" { &agent.activity } else { &agent.lifecycle }
}
