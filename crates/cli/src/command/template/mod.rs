//! `dormouse template`: the persona and directives that agents follow, in versions.

mod assign;
mod edit;
mod evolve;
mod list;
mod metrics;
mod name;
mod policy;
mod settings;
mod show;

use clap::Subcommand;

use crate::failure::Failure;
use crate::session::Session;

/// The template commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List templates, and how many agents follow each
    List,
    /// Show a template: its texts, its settings and its versions
    Show(show::Params),
    /// Make a template
    Create(edit::CreateParams),
    /// Change a template; another text or model makes a new version
    Edit(edit::EditParams),
    /// Make a version the active one
    Activate(settings::VersionParams),
    /// Go back to an older version: a new one gets its texts
    Rollback(settings::VersionParams),
    /// Copy a template
    Duplicate(settings::DuplicateParams),
    /// Archive a template: its agents keep it, and new agents cannot use it
    Archive(settings::ArchiveParams),
    /// Delete a template that no agent follows
    Rm(settings::Params),
    /// Forbid a tool, let it ask, or have what it proposes applied by itself
    Policy(policy::Params),
    /// Improve a template together with a model: it proposes directives, you approve or reject them
    Evolve(evolve::Params),
    /// Let an agent follow a template, or make a template the default of a category
    Assign(assign::Params),
}

/// Runs a command.
pub async fn run(session: &mut Session, command: Command) -> Result<(), Failure> {
    match command {
        Command::List => list::run(session).await,
        Command::Show(params) => show::run(session, params).await,
        Command::Create(params) => edit::create(session, params).await,
        Command::Edit(params) => edit::edit(session, params).await,
        Command::Activate(params) => settings::activate(session, params).await,
        Command::Rollback(params) => settings::rollback(session, params).await,
        Command::Duplicate(params) => settings::duplicate(session, params).await,
        Command::Archive(params) => settings::archive(session, params).await,
        Command::Rm(params) => settings::rm(session, params).await,
        Command::Policy(params) => policy::run(session, params).await,
        Command::Evolve(params) => evolve::run(session, params).await,
        Command::Assign(params) => assign::run(session, params).await,
    }
}
