//! `dormouse agent`: agents and their history.

mod create;
mod follow;
mod list;
mod log;
mod message;
pub mod scheduled;
mod settings;
mod show;
mod wake;

use clap::Subcommand;
use dormouse::view::{Agent, StoppedAgent};
use dormouse_types::agent::DormantReason;
use dormouse_types::{Id as _, Timestamp};

use crate::client::Reply;
use crate::dates;
use crate::failure::Failure;
use crate::session::Session;
use crate::terminal::{line, titled};

/// The agent commands.
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
    /// Have an agent reanalyse its task
    Reanalyse(wake::ReanalyseParams),
    /// Choose whether changes wake an agent
    Automation(settings::AutomationParams),
    /// Pause an agent until it is resumed
    Pause(settings::Params),
    /// Resume a paused or dormant agent
    Resume(settings::Params),
    /// Destroy an agent for good; its reports stay readable
    Destroy(settings::Params),
    /// Show an agent's runs and prompts
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
    let title = agent.task_title.as_deref().map_or("a deleted task", titled);
    format!("agent {} ({}) of “{}”", line(&agent.display_name), agent.id.short(), line(title))
}

/// Lists the messages that will not be delivered to an agent, one per line.
fn unheard(session: &mut Session, reply: &Reply) -> Result<(), Failure> {
    if session.screen.is_json() {
        return Ok(());
    }
    let stopped: StoppedAgent = reply.read()?;
    for message in stopped.unheard {
        let text = message.text.as_deref().unwrap_or("a purged message");
        session.screen.say(format!("not delivered: {}", line(text)));
    }
    Ok(())
}

/// The command that restores the task of an agent that sleeps because its task was deleted; `None`
/// for other agents.
fn restores(session: &Session, agent: &Agent) -> Option<String> {
    let is_gone =
        agent.dormant_reason.as_ref().is_some_and(|reason| *reason == DormantReason::TaskDeleted);
    let task = agent.slots.active_task_id.as_ref().filter(|_| is_gone)?;
    Some(session.command(&format!("task restore {}", task.short())))
}

/// Adds that command as a hint to a refusal.
fn with_its_task(session: &Session, agent: &Agent, failure: Failure) -> Failure {
    match restores(session, agent) {
        Some(command) => failure.hint(format!("{command} restores its task")),
        None => failure,
    }
}

/// Reads a time option, which may be `none`.
///
/// Errors: those of [`dates::time`].
fn time(
    session: &Session,
    option: &str,
    text: Option<String>,
) -> Result<Option<Timestamp>, Failure> {
    text.map(|text| dates::time(session, option, &text)).transpose()
}
