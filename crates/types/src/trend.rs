//! How a task went over its last weeks, in figures.
//!
//! What one wake sees is one change; that a date moves for the third time, or that nothing happened for
//! a month, only shows over many.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::task::Priority;

/// How a task went.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Trend {
    /// How often the due date moved from one day to another.
    pub n_moves: usize,
    /// The newest of those moves, oldest first; at most [`Trend::STEPS`].
    pub moves: Vec<DueMove>,
    /// How often the priority was raised.
    pub n_raises: usize,
    /// The newest of those, oldest first; at most [`Trend::STEPS`].
    pub raises: Vec<Raise>,
    /// The last [`Trend::WEEKS`] weeks, oldest first. The last one ends today.
    pub weeks: Vec<Week>,
}

impl Trend {
    /// How many moves and raises are named.
    pub const STEPS: usize = 5;

    /// How many weeks are counted.
    pub const WEEKS: usize = 6;

    /// Whether there is nothing to say: nothing moved, and of one week there is nothing to compare.
    pub fn is_empty(&self) -> bool {
        self.n_moves == 0 && self.n_raises == 0 && self.weeks.len() < 2
    }
}

/// A due date that was moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DueMove {
    /// The day on which it was moved.
    pub on: Date,
    /// The day before.
    pub from: Date,
    /// The day after.
    pub to: Date,
}

/// A priority that was raised.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Raise {
    /// The day on which it was raised.
    pub on: Date,
    /// The priority before.
    pub from: Priority,
    /// The priority after.
    pub to: Priority,
}

/// Seven days of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Week {
    /// Its first day.
    pub from: Date,
    /// Entries of its days.
    pub entries: usize,
    /// Items that were ticked in it and still are.
    pub ticks: usize,
}
