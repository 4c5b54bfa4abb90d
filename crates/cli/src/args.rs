//! The command-line arguments.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args as ClapArgs, Parser, Subcommand};
use dormouse_types::task::{Priority, Status};
use jiff::civil::Date;

use crate::command::{
    agent, bench, change, doctor, export, import, open, report, review, serve, task, token,
};
use crate::config::DatabaseUrl;

/// A small agent for each task, asleep until something changes.
///
/// An agent watches a task, wakes when it changes, keeps a report, and proposes changes for you to
/// confirm. Without a command, dormouse prints an overview.
///
/// For TASK, AGENT or SET, give the end of its id (5 characters, as shown in lists) or words of the
/// task's title.
#[derive(Debug, Parser)]
#[command(
    name = "dormouse",
    version,
    max_term_width = 100,
    args_conflicts_with_subcommands = false
)]
pub struct Args {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Options of every command.
#[derive(Debug, Clone, ClapArgs)]
#[command(next_help_heading = "Everywhere")]
pub struct Global {
    /// The data folder [default: $DORMOUSE_DATA, else dormouse in the user's data folder]
    #[arg(long, global = true, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// A Postgres database instead of the data folder [also: $DORMOUSE_DATABASE_URL, or
    /// $DORMOUSE_DATABASE_URL_FILE]
    #[arg(long, global = true, value_name = "URL")]
    pub database_url: Option<DatabaseUrl>,
    /// Print only the body of the API's response
    #[arg(long, global = true)]
    pub json: bool,
    /// Do not wait for agents; without a server, the next command wakes them
    #[arg(long, global = true)]
    pub no_wait: bool,
    /// Print without colour [also: $NO_COLOR]
    #[arg(long, global = true)]
    pub no_color: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the agents, and serve the app and the API
    Serve(serve::Params),
    /// Create a link that opens the app
    Open(open::Params),
    /// Import tasks from Markdown files
    Import(import::Params),
    /// Tasks: add, list, show, edit, …
    #[command(subcommand)]
    Task(task::Command),
    /// Agents: create, list, show, wake, …
    #[command(subcommand)]
    Agent(agent::Command),
    /// Show the report of a task's agent
    Report(report::Params),
    /// Review proposals one by one
    Review(review::Params),
    /// Proposals: list, show, confirm, reject, …
    #[command(subcommand)]
    Change(change::Command),
    /// Access tokens: create, list, revoke
    #[command(subcommand)]
    Token(token::Command),
    /// Export tasks and their agents' reports as one JSON document
    Export(export::Params),
    /// Check the data folder (works while a server is running)
    Doctor(doctor::Params),
    /// Print the OpenAPI 3.1 document of the API
    Openapi,
    /// Measure what the program costs on this machine
    Bench(bench::Params),
}

/// A value, or `none` to clear it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clearable<T>(pub Option<T>);

/// Reads a status.
///
/// Errors: the text is invalid; the message names the accepted values.
pub fn status(text: &str) -> Result<Status, String> {
    Status::from_str(text).map_err(|e| e.to_string())
}

/// Reads a priority or `none`.
///
/// Errors: the text is invalid; the message names the accepted values.
pub fn priority(text: &str) -> Result<Clearable<Priority>, String> {
    clearable(text, |text| Priority::from_str(text).map_err(|e| e.to_string()))
}

/// Reads a day or `none`.
///
/// Errors: the text is invalid; the message names the accepted values.
pub fn day_or_none(text: &str) -> Result<Clearable<Date>, String> {
    clearable(text, day)
}

/// Reads a day.
///
/// Errors: the text is invalid; the message names the accepted values.
pub fn day(text: &str) -> Result<Date, String> {
    let date: Option<Date> = text.parse().ok();
    date.filter(|date| date.to_string() == text)
        .ok_or_else(|| format!("`{text}` is not a valid date: write YYYY-MM-DD"))
}

/// Takes a time or `none`; it is parsed later, in the time zone of the workspace.
///
/// Errors: none.
pub fn time_or_none(text: &str) -> Result<Clearable<String>, String> {
    text_or_none(text)
}

/// Reads a duration or `none`.
///
/// Errors: the text is invalid; the message names the accepted values.
pub fn minutes_or_none(text: &str) -> Result<Clearable<u32>, String> {
    clearable(text, crate::terminal::time::read_minutes)
}

/// Reads text or `none`.
///
/// Errors: none.
pub fn text_or_none(text: &str) -> Result<Clearable<String>, String> {
    clearable(text, |text| Ok(text.to_owned()))
}

fn clearable<T>(
    text: &str,
    read: impl FnOnce(&str) -> Result<T, String>,
) -> Result<Clearable<T>, String> {
    if text.eq_ignore_ascii_case("none") {
        return Ok(Clearable(None));
    }
    read(text).map(|value| Clearable(Some(value)))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn none_clears_and_a_day_must_exist() {
        assert_eq!(day_or_none("none"), Ok(Clearable(None)));
        assert!(day_or_none("2026-02-30").unwrap_err().contains("2026-02-30"));
        assert_eq!(status("in-progress"), Ok(Status::InProgress));
        assert!(status("finished").unwrap_err().contains("IN PROGRESS"));
    }
}
