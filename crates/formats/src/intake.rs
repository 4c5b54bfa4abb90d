//! What the readers of the other formats share: lines, places, limits, keys and errors.
//!
//! A `Gather` collects tasks and gives each line its place. Whatever a task has no field for goes
//! into its `Details`, a list of `name: value` that a person can read, and that the writer of the
//! same format turns back into fields.

mod day;
mod details;
mod draft;
mod error;
mod gather;
mod key;
mod lines;
mod words;

pub(crate) use day::day_of;
pub(crate) use details::Details;
pub(crate) use draft::Draft;
pub use error::ReadError;
pub(crate) use gather::Gather;
pub(crate) use key::fold;
pub(crate) use lines::Lines;
pub(crate) use words::{is_done, priority_of, status_of};

use dormouse_types::task::Status;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::csv::Columns;

/// The order in which the reader writes day and month where both are numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DateOrder {
    /// `3.11.` and `3/11` are 3 November.
    #[default]
    DayFirst,
    /// `3/11` is 11 March. With dots the day still stands first.
    MonthFirst,
}

/// What a text does not say about itself.
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// The order of day and month.
    pub order: DateOrder,
    /// The day on which the text is read, for dates without a year. Without it they stay text.
    pub today: Option<Date>,
    /// The zone in which an instant is turned into a day.
    pub zone: TimeZone,
    /// The meaning of the columns of a sheet; without it they are guessed.
    pub columns: Option<Columns>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { order: DateOrder::default(), today: None, zone: TimeZone::UTC, columns: None }
    }
}

/// The status of a box that is ticked or not.
pub(crate) fn ticked(is_done: bool) -> Option<Status> {
    is_done.then_some(Status::Done)
}
