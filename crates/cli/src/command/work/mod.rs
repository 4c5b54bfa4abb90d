//! `dormouse work`: what agents do themselves, by a schedule or because somebody asks for it.

mod add;
mod decide;
mod deliveries;
mod due;
mod gallery;
pub mod held;
mod hook;
mod list;
mod log;
mod name;
mod next;
mod occurrence;
mod run;
mod runs;
mod settings;
mod show;
mod trial;

pub use due::tell as tell_what_was_due;

use clap::Subcommand;

use crate::failure::Failure;
use crate::session::Session;

/// The commands for agent work.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Add agent work, by a schedule or once; its next five times are shown first
    Add(add::Params),
    /// Show the kinds of work that need no language model, each with a command that adds it
    Gallery,
    /// Show what a run that needs no language model would come to now, and write nothing
    Try(trial::Params),
    /// List agent work
    List(list::Params),
    /// Show agent work, its newest runs, and what it asks
    Show(show::Params),
    /// Run it now, and wait until the run ends or asks; if an occurrence of its schedule is due, it runs that one. The command ends with 1 if the
    /// run failed
    Run(run::Params),
    /// Show what is due next, or what the words of a schedule mean
    Next(next::Params),
    /// List its upcoming occurrences, skipped and moved ones included
    #[command(alias = "coming")]
    Upcoming(occurrence::Params),
    /// Skip one occurrence of its schedule: the next one, or another
    Skip(occurrence::OneParams),
    /// Move one occurrence of its schedule to another time
    Move(occurrence::MoveParams),
    /// Undo the skip or the move of one occurrence
    Restore(occurrence::OneParams),
    /// Suspend its schedule until a time; `work resume` ends that earlier
    Suspend(occurrence::SuspendParams),
    /// Start no runs of it until it is resumed
    Pause(settings::Params),
    /// Let it start runs again, paused or suspended; runs that were due meanwhile are skipped
    Resume(settings::ResumeParams),
    /// Pause all agent work that has not ended
    PauseAll,
    /// Resume what `work pause-all` paused; what was paused alone stays paused
    ResumeAll,
    /// Answer the question of a run; the run continues
    Answer(decide::AnswerParams),
    /// Accept the result of a run that ended without an outcome: the newest, or another
    Approve(decide::ApproveParams),
    /// Reject the result of a run that ended without an outcome: the newest, or another
    Decline(decide::DeclineParams),
    /// Retry a run that failed: the newest, or another
    Retry(run::RetryParams),
    /// Correct the run under way and all later ones
    Correct(settings::CorrectParams),
    /// Cancel a run that is under way or waiting
    Cancel(settings::CancelParams),
    /// List notices about agent work, newest first, and mark them as read
    Deliveries(deliveries::Params),
    /// List its runs, newest first, all or those of some days
    Runs(runs::Params),
    /// Show the log of its runs, with every call and its result
    Log(log::Params),
    /// Change its title, instructions, schedule, policies or model
    Edit(settings::EditParams),
    /// Let other programs start it by signed calls
    #[command(subcommand)]
    Hook(hook::Command),
    /// Remove it from all lists; it never runs again
    Rm(settings::Params),
}

/// Runs a command, then says what was due and did not run.
pub async fn run(session: &mut Session, command: Command) -> Result<(), Failure> {
    match command {
        Command::Add(params) => add::run(session, params).await,
        Command::Gallery => gallery::run(session).await,
        Command::Try(params) => trial::run(session, params).await,
        Command::List(params) => list::run(session, params).await,
        Command::Show(params) => show::run(session, params).await,
        Command::Run(params) => run::now(session, params).await,
        Command::Next(params) => next::run(session, params).await,
        Command::Upcoming(params) => occurrence::list(session, params).await,
        Command::Skip(params) => occurrence::skip(session, params).await,
        Command::Move(params) => occurrence::move_to(session, params).await,
        Command::Restore(params) => occurrence::restore(session, params).await,
        Command::Suspend(params) => occurrence::suspend(session, params).await,
        Command::Pause(params) => settings::pause(session, params).await,
        Command::Resume(params) => settings::resume(session, params).await,
        Command::PauseAll => settings::pause_all(session).await,
        Command::ResumeAll => settings::resume_all(session).await,
        Command::Answer(params) => decide::answer(session, params).await,
        Command::Approve(params) => decide::approve(session, params).await,
        Command::Decline(params) => decide::decline(session, params).await,
        Command::Retry(params) => run::retry(session, params).await,
        Command::Correct(params) => settings::correct(session, params).await,
        Command::Cancel(params) => settings::cancel(session, params).await,
        Command::Deliveries(params) => deliveries::run(session, params).await,
        Command::Runs(params) => runs::run(session, params).await,
        Command::Log(params) => log::show(session, params).await,
        Command::Edit(params) => settings::edit(session, params).await,
        Command::Hook(command) => hook::run(session, command).await,
        Command::Rm(params) => settings::remove(session, params).await,
    }?;
    due::tell(session).await
}
