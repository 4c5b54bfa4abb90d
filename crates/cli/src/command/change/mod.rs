//! `dormouse change`: proposals and decisions, one command each.

mod decide;
mod list;
mod show;
mod whole_set;

pub use decide::{Wanted, decide};

use clap::Subcommand;
use dormouse_types::Verdict;

use crate::failure::Failure;
use crate::session::Session;

/// The proposal commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List open proposals
    List(list::Params),
    /// Show the proposals of a set
    Show(show::Params),
    /// Confirm and apply proposals
    Confirm(decide::ConfirmParams),
    /// Reject proposals; agents do not propose them again
    Reject(decide::RejectParams),
    /// Defer proposals
    Defer(decide::Params),
    /// Undo decisions
    Undo(decide::Params),
    /// List the proposals shown in a set, then confirm exactly those
    ConfirmAll(whole_set::Params),
    /// Defer all open proposals of a set
    Dismiss(whole_set::Params),
}

pub async fn run(session: &mut Session, command: Command) -> Result<(), Failure> {
    match command {
        Command::List(params) => list::run(session, params).await,
        Command::Show(params) => show::run(session, params).await,
        Command::Confirm(params) => {
            decide::run(session, params.items, Verdict::Confirm, None, params.over).await
        }
        Command::Reject(params) => {
            decide::run(session, params.items, Verdict::Reject, params.reason, None).await
        }
        Command::Defer(params) => {
            decide::run(session, params.items, Verdict::Defer, None, None).await
        }
        Command::Undo(params) => {
            decide::run(session, params.items, Verdict::Undo, None, None).await
        }
        Command::ConfirmAll(params) => whole_set::confirm_all(session, params).await,
        Command::Dismiss(params) => whole_set::dismiss(session, params).await,
    }
}
