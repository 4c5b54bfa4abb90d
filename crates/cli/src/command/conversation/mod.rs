//! `dormouse conversation`: what was said outside of a task, such as the results of scheduled work.

mod list;
mod rm;
mod show;

use clap::Subcommand;

use crate::failure::Failure;
use crate::session::Session;

/// The commands for conversations.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List conversations, the one with the newest turn first
    List(list::Params),
    /// Show the newest turns of a conversation
    Show(show::Params),
    /// Delete a conversation with its turns; agent work that was begun there stays
    Rm(rm::Params),
}

/// Runs a command.
pub async fn run(session: &mut Session, command: Command) -> Result<(), Failure> {
    match command {
        Command::List(params) => list::run(session, params).await,
        Command::Show(params) => show::run(session, params).await,
        Command::Rm(params) => rm::run(session, params).await,
    }
}
