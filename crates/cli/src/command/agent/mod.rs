//! `dormouse agent`: the agents and what they did.

mod create;
mod follow;
mod list;
mod log;
pub mod scheduled;
mod settings;
mod show;
mod wake;

use clap::Subcommand;
use dormouse::view::{Agent, StoppedAgent};
use dormouse_types::{Id as _, Timestamp};

use crate::client::Reply;
use crate::failure::Failure;
use crate::find::titled;
use crate::session::Session;
use crate::terminal::{line, time};

/// What can be done with agents.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Give a task an agent, and wait for its first report
    Create(create::Params),
    /// List agents
    List(list::Params),
    /// Show an agent
    Show(show::Params),
    /// Wake an agent, now or at a time, and wait until it sleeps again
    Wake(wake::Params),
    /// Let an agent look at everything again
    Reanalyse(wake::ReanalyseParams),
    /// Let changes wake an agent by themselves, or not
    Automation(settings::AutomationParams),
    /// Let an agent rest until it is resumed
    Pause(settings::Params),
    /// Let a paused or dormant agent work again
    Resume(settings::Params),
    /// End an agent for good; its reports stay readable
    Destroy(settings::Params),
    /// Show the runs of an agent and what it was asked
    Log(log::Params),
}

pub async fn run(session: &mut Session, command: Command) -> Result<(), Failure> {
    match command {
        Command::Create(params) => create::run(session, params).await,
        Command::List(params) => list::run(session, params).await,
        Command::Show(params) => show::run(session, params).await,
        Command::Wake(params) => wake::run(session, params).await,
        Command::Reanalyse(params) => wake::reanalyse(session, params).await,
        Command::Automation(params) => settings::automation(session, params).await,
        Command::Pause(params) => settings::pause(session, params).await,
        Command::Resume(params) => settings::resume(session, params).await,
        Command::Destroy(params) => settings::destroy(session, params).await,
        Command::Log(params) => log::run(session, params).await,
    }
}

/// `agent Laura (k3f9a) of “Paint the fence”`.
fn named(agent: &Agent) -> String {
    let title = agent.task_title.as_deref().map_or("a task that is gone", titled);
    format!("agent {} ({}) of “{}”", line(&agent.display_name), agent.id.short(), line(title))
}

/// Names what an agent will not hear any more, one line each.
fn unheard(session: &mut Session, reply: &Reply) -> Result<(), Failure> {
    if session.screen.is_json() {
        return Ok(());
    }
    let stopped: StoppedAgent = reply.read()?;
    for message in stopped.unheard {
        let text = message.text.as_deref().unwrap_or("a message that was purged");
        session.screen.say(format!("not heard: {}", line(text)));
    }
    Ok(())
}

/// What brings back the task of an agent that sleeps because it was deleted; none for others.
fn restores(session: &Session, agent: &Agent) -> Option<String> {
    let is_gone = agent.dormant_reason.as_deref() == Some("taskDeleted");
    let task = agent.slots.active_task_id.as_ref().filter(|_| is_gone)?;
    Some(session.command(&format!("task restore {}", task.short())))
}

/// The same as the hint of a refusal.
fn with_its_task(session: &Session, agent: &Agent, failure: Failure) -> Failure {
    match restores(session, agent) {
        Some(command) => failure.hint(format!("{command} brings its task back")),
        None => failure,
    }
}

/// A time as it was typed, or that there is none.
///
/// Errors: what is accepted, naming the option.
fn time(
    session: &Session,
    option: &str,
    text: Option<String>,
) -> Result<Option<Timestamp>, Failure> {
    let Some(text) = text else { return Ok(None) };
    let at = time::read_time(&text, &session.zone, session.began());
    at.map(Some).map_err(|wrong| Failure::usage(format!("{option}: {}", line(&wrong))))
}
