//! The command-line arguments.

use clap::Parser;

use crate::command::Command;
use crate::config::Global;

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

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }
}
