//! What happens again and again: the recurrence rules of RFC 5545, series with their exceptions, and when
//! the next occurrence is due.
//!
//! Owns: what a rule means on the clock of a zone, what the identity of an occurrence is, and how a schedule in
//! words becomes a rule and a rule words. Defends against: an occurrence that comes twice or not at all where
//! clocks change; a series whose cost grows with its age; a rule that never ends to search for a date.
//!
//! Does not own: a clock (the time is an argument), components of iCalendar other than the rule, and what is
//! done when something is due: that is the work room's.
//!
//! # Rules
//!
//! - Rules of days and longer step through the calendar. A start that a change of the clock skips is due with
//!   the distance from UTC before the change (02:30 becomes 03:30), so 02:30 and 03:00 of that day are both due,
//!   in the order 03:00, 03:30. Of a time that comes twice the first counts, once. Both count for `COUNT`.
//! - Rules of hours and minutes step by time that has passed; their other parts look at the clock. So no hour is
//!   left out or doubled, and of two equal times each happens, distinguished by [`Start::fold`]. That holds where
//!   the clock goes back by half an hour, too: at Lord Howe each minute comes once before and once after it.
//! - The identity is the original start on the clock of the series, with that clock ([`OccurrenceId`]).
//! - `UNTIL` is a day, a time on the clock or an instant; the last occurrence may be at it.
//! - `BYWEEKNO` alone keeps the weekday of the start. Weeks at the turn of the year belong to the calendar year
//!   of each day. `BYSETPOS` in a week counts the whole week, also in the week of the start.
//!
//! Reading order: `rule`, `text`, `calendar`, `civil`, `elapsed`, `starts`, `zone`, `series`, `due`, `exception`, `sentence`,
//! `schedule_error`, `property`, `schedule`.

mod error;
mod rule;
mod text;
mod calendar;
mod zone;
mod civil;
mod elapsed;
mod starts;
mod series;
mod due;
mod exception;
mod sentence;
mod schedule_error;
mod property;
mod schedule;

pub use due::{NextDue, Occurrence, Position, suspended_until};
pub use error::RuleError;
pub use exception::Exception;
pub use property::is_rule;
pub use rule::{
    End, Frequency, MAX_COUNT, MAX_INTERVAL, NthWeekday, RecurrenceRule, RuleParts, Until,
};
pub use schedule::{PREVIEWED, Preview, Schedule, read_schedule};
pub use schedule_error::{FEWEST_MINUTES, ScheduleError};
pub use sentence::{Description, Every, Part, describe, english};
pub use series::{Given, OccurrenceId, Series, SplitError};
pub use starts::{Counted, Start};
pub use zone::{Clock, NamedZone, Person, UnknownZone};
