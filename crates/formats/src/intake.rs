//! What the readers of the other formats share: lines, places, limits, keys and errors.
//!
//! A `Gather` collects tasks and gives each line its place. Whatever a task has no field for goes
//! into its `Details`, a list of `name: value` that a person can read, and that the writer of the
//! same format turns back into fields.

mod boxes;
mod columns;
mod dates;
mod details;
mod draft;
mod error;
mod family;
mod gather;
mod html;
mod key;
mod letter;
mod lines;
mod sender;
mod sheet_words;
mod table;
mod words;

pub(crate) use boxes::{
    boxed, is_tick, signed, status_of_mark, take_boxes, take_boxes_on, ticked_at_end, with_sign,
};
pub(crate) use columns::{column_named, names_any_day, names_id, names_past, names_time};
pub(crate) use dates::{Dated, Dates, day_of, of_milliseconds};
pub use details::{DETAILS, is_details};
pub(crate) use details::{Details, of_item};
pub(crate) use draft::{Comment, Draft, shortened};
pub use error::ReadError;
pub(crate) use family::{Candidate, Family, families};
pub(crate) use gather::Gather;
pub(crate) use html::{attributes, is_html, to_markdown, unescaped};
pub(crate) use key::fold;
pub(crate) use letter::{Letter, is_mail_field};
pub(crate) use lines::Lines;
pub(crate) use table::{cells, is_ruler};
pub(crate) use words::{
    in_bold, is_done, is_no_priority, list_status, names_actions, priority_named, priority_of,
    status_of, without_limit,
};

use dormouse_types::Timestamp;
use dormouse_types::task::Status;

pub use crate::reading::{Cancel, DayOrder, ReadOptions};

/// A whole time in UTC, as an export writes it.
pub(crate) fn instant(text: &str) -> Option<Timestamp> {
    text.trim().parse().ok().map(Timestamp::from_jiff)
}

/// The status of a box that is ticked or not.
pub(crate) fn ticked(is_done: bool) -> Option<Status> {
    is_done.then_some(Status::Done)
}
