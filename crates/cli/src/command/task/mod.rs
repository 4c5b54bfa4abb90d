//! `dormouse task`: the user's tasks.

mod name;
mod add;
mod as_of;
mod check;
mod contents;
mod delete;
mod edit;
mod entry;
mod label;
mod link;
mod list;
mod note;
mod show;
mod time;

use clap::Subcommand;

use crate::failure::Failure;
use crate::session::Session;

/// The task commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Add a task
    Add(add::Params),
    /// List tasks
    List(list::Params),
    /// Show a task with its items and notes
    Show(show::Params),
    /// Change fields of a task
    Edit(edit::Params),
    /// Add a note to a task
    Note(note::Params),
    /// Edit a note, star it, or make it private
    Entry(entry::Params),
    /// Tick, add, rename or archive an item of the checklist
    Check(check::Params),
    /// Record time spent
    Time(time::Params),
    /// Add labels to a task, or remove them
    Label(label::Params),
    /// Link a task to another, or remove the link
    Link(link::Params),
    /// Delete a task; it can be restored
    Delete(delete::Params),
    /// Restore a deleted task
    Restore(delete::RestoreParams),
}

pub async fn run(session: &mut Session, command: Command) -> Result<(), Failure> {
    match command {
        Command::Add(params) => add::run(session, params).await,
        Command::List(params) => list::run(session, params).await,
        Command::Show(params) => show::run(session, params).await,
        Command::Edit(params) => edit::run(session, params).await,
        Command::Note(params) => note::run(session, params).await,
        Command::Entry(params) => entry::run(session, params).await,
        Command::Check(params) => check::run(session, params).await,
        Command::Time(params) => time::run(session, params).await,
        Command::Label(params) => label::run(session, params).await,
        Command::Link(params) => link::run(session, params).await,
        Command::Delete(params) => delete::run(session, params).await,
        Command::Restore(params) => delete::restore(session, params).await,
    }
}
