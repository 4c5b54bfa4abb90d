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
    use std::path::Path;

    use clap::CommandFactory as _;

    use super::*;

    /// The commands in a page: in code within a line, and on lines of their own.
    fn commands(page: &str) -> impl Iterator<Item = &str> {
        let within = page.split('`').skip(1).step_by(2);
        within.chain(page.lines()).filter_map(|code| code.trim_start().strip_prefix("dormouse "))
    }

    /// Returns the first word that should be a command and is none, after those before it.
    fn unknown<'c>(root: &clap::Command, code: &'c str) -> Option<&'c str> {
        let mut command = root;
        let is_word = |word: &&str| word.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
        for word in code.split_whitespace().take_while(is_word) {
            if word.starts_with('-') || !command.has_subcommands() {
                return None;
            }
            match command.find_subcommand(word) {
                Some(found) => command = found,
                None => return Some(word),
            }
        }
        None
    }

    #[test]
    fn every_command_in_the_documents_exists() {
        let command = Args::command();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let docs = std::fs::read_dir(root.join("docs")).expect("a folder of documents");
        let pages = docs.map(|entry| entry.expect("readable").path());
        let pages = pages.filter(|path| path.extension().is_some_and(|ext| ext == "md"));
        let mut n_commands = 0;
        for path in pages.chain([root.join("README.md")]) {
            let page = std::fs::read_to_string(&path).expect("a page");
            for code in commands(&page) {
                n_commands += 1;
                assert_eq!(unknown(&command, code), None, "{}: dormouse {code}", path.display());
            }
        }
        assert!(n_commands > 50, "{n_commands}");
        assert_eq!(unknown(&command, "agent set AGENT --linked on"), Some("set"));
    }

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }
}
