//! The commands, one file for each.

pub mod agent;
pub mod bench;
pub mod change;
pub mod doctor;
pub mod export;
pub mod import;
pub mod open;
pub mod openapi;
pub mod overview;
pub mod proposal;
pub mod report;
pub mod review;
pub mod serve;
pub mod task;
pub mod token;

use crate::args::Command;
use crate::failure::Failure;
use crate::session::Session;

/// Runs a command; without one, prints the overview.
pub async fn run(session: &mut Session, command: Option<Command>) -> Result<(), Failure> {
    match command {
        None => overview::run(session).await,
        // They are no clients of the API: `session` runs them by themselves.
        Some(Command::Serve(_)) => Err(Failure::failed("a server cannot be a client of itself")),
        Some(Command::Bench(_)) => Err(Failure::failed("a bench has no data folder")),
        Some(Command::Doctor(_)) => Err(Failure::failed("doctor needs no client")),
        Some(Command::Open(_)) => Err(Failure::failed("open needs no client")),
        Some(Command::Openapi) => Err(Failure::failed("openapi needs no client")),
        Some(Command::Export(params)) => export::run(session, params).await,
        Some(Command::Import(params)) => import::run(session, params).await,
        Some(Command::Task(command)) => task::run(session, command).await,
        Some(Command::Agent(command)) => agent::run(session, command).await,
        Some(Command::Report(params)) => report::run(session, params).await,
        Some(Command::Review(params)) => review::run(session, params).await,
        Some(Command::Change(command)) => change::run(session, command).await,
        Some(Command::Token(command)) => token::run(session, command).await,
    }
}

/// `1 task`, `2 tasks`.
fn counted(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}
