//! `dormouse agent`: agents and their history.

mod name;
mod stopped;
mod cancel;
mod create;
mod dry_run;
mod follow;
mod forget;
mod knows;
mod list;
mod log;
mod memory;
mod message;
pub mod scheduled;
mod settings;
mod show;
mod waits;
mod wake;

use clap::Subcommand;

use crate::failure::Failure;
use crate::session::Session;

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
    /// Cancel the run of an agent; its next wake covers what it was to see
    Cancel(cancel::Params),
    /// Have an agent reanalyse its task
    Reanalyse(wake::ReanalyseParams),
    /// Choose whether changes wake an agent
    Automation(settings::AutomationParams),
    /// Choose the model that an agent asks
    Model(settings::ModelParams),
    /// Pause an agent until it is resumed
    Pause(settings::Params),
    /// Resume a paused or dormant agent
    Resume(settings::Params),
    /// Destroy an agent for good; its reports stay readable
    Destroy(settings::Params),
    /// Show what an agent knows, with the source of each line
    Knows(knows::Params),
    /// Remove a line from what an agent knows, and its words from both databases
    Forget(forget::Params),
    /// Show an agent's runs and prompts
    Log(log::Params),
    /// Show what an agent remembers, or search it with --find
    Memory(memory::Params),
}

pub async fn run(session: &mut Session, command: Command) -> Result<(), Failure> {
    match command {
        Command::Create(params) => create::run(session, params).await,
        Command::List(params) => list::run(session, params).await,
        Command::Show(params) => show::run(session, params).await,
        Command::Wake(params) => wake::run(session, params).await,
        Command::Cancel(params) => cancel::run(session, params).await,
        Command::Reanalyse(params) => wake::reanalyse(session, params).await,
        Command::Automation(params) => settings::automation(session, params).await,
        Command::Model(params) => settings::model(session, params).await,
        Command::Pause(params) => settings::pause(session, params).await,
        Command::Resume(params) => settings::resume(session, params).await,
        Command::Destroy(params) => settings::destroy(session, params).await,
        Command::Knows(params) => knows::run(session, params).await,
        Command::Forget(params) => forget::run(session, params).await,
        Command::Log(params) => log::run(session, params).await,
        Command::Memory(params) => memory::run(session, params).await,
    }
}
