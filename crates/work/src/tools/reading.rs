//! What a run may read: the calls that read only, and the rules that their arguments share.

use dormouse_changes::Refused;
use dormouse_store::journal::task::WORDS;
use dormouse_types::fold::folded;
use dormouse_types::task::Status;
use dormouse_types::{TaskId, WorkId, limits};
use jiff::civil::Date;

use super::arguments::{invalid, within};

/// How many tasks a call without a limit gets.
const TASKS: usize = 20;
/// The most tasks that a call gets.
const MOST_TASKS: usize = 50;

/// A call that reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
    /// What the runs of a definition did.
    Log {
        /// The definition; `None` is that of the run.
        work: Option<WorkId>,
    },
    /// The runs of all definitions on some days.
    Runs {
        /// The first day.
        from: Date,
        /// The last day.
        to: Date,
    },
    /// Tasks with the places where words stand.
    Search {
        /// Words that must all be there, folded.
        words: Vec<String>,
        /// The most tasks.
        limit: usize,
    },
    /// Tasks, newest first.
    Tasks {
        /// Only those of this status.
        status: Option<Status>,
        /// Words that must all be in the title, folded.
        words: Vec<String>,
        /// The most tasks.
        limit: usize,
    },
    Task {
        task: TaskId,
    },
}

pub(super) fn words(text: &str) -> Result<Vec<String>, Refused> {
    within(limits::SEARCH.check(text.chars().count()))?;
    let words: Vec<String> = folded(text).split_whitespace().map(ToOwned::to_owned).collect();
    if words.len() > WORDS {
        return Err(invalid(format!("{} words are too many; give at most {WORDS}", words.len())));
    }
    Ok(words)
}

pub(super) fn at_most(limit: Option<usize>) -> Result<usize, Refused> {
    match limit.unwrap_or(TASKS) {
        0 => Err(invalid("limit is 0; ask for at least one task")),
        limit if limit > MOST_TASKS => {
            Err(invalid(format!("limit is {limit}; ask for at most {MOST_TASKS}")))
        }
        limit => Ok(limit),
    }
}
