//! Why a text is no schedule.

use super::error::RuleError;
use super::zone::UnknownZone;
use crate::when::NotUnderstood;

/// Fewer minutes than this between two times are refused: an agent would do nothing else.
pub const FEWEST_MINUTES: u16 = 5;

/// Why words are no schedule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// The words are no date and no repetition.
    #[error("cannot read the schedule")]
    Words(#[source] NotUnderstood),
    /// A stretch of time has no one time at which it is due.
    #[error("`{text}` is a stretch of time; write a day or a time in it, or how often")]
    Span {
        /// What is written.
        text: String,
    },
    /// The text speaks of what was.
    #[error("`{text}` is about the past; write when it happens next")]
    Past {
        /// What is written.
        text: String,
    },
    /// So often in a time, on days that nobody named.
    #[error("{times} times says not when; name the days, such as `every Monday and Thursday`")]
    SoOften {
        /// How often.
        times: u16,
    },
    /// A count of working days that no rule can say.
    #[error(
        "a rule cannot count {every} working days; write `every weekday`, `every 5 working days` (each week), or \
         the weekdays, such as `every Monday and Thursday`"
    )]
    WorkingDays {
        /// How many.
        every: u16,
    },
    /// Times of day that no single rule has.
    #[error(
        "a rule has each hour with the same minutes, not {times}; write a schedule for each of these times"
    )]
    Times { times: String },
    /// Too many times in an hour.
    #[error("every {every} minutes is too often; write `every {FEWEST_MINUTES} minutes` or more")]
    TooOften {
        /// How many minutes.
        every: u16,
    },
    /// A rule with times too close to each other.
    #[error(
        "the rule has times less than {FEWEST_MINUTES} minutes apart; leave {FEWEST_MINUTES} minutes or more between them"
    )]
    TooClose,
    /// A start of iCalendar that cannot be read.
    #[error(
        "`{text}` is no start; write `DTSTART:20261201T090000`, `DTSTART;TZID=Europe/London:20261201T090000`, or \
         `DTSTART;VALUE=DATE:20261201` for whole days"
    )]
    Start {
        /// What is written.
        text: String,
    },
    /// Something beside a rule and its start.
    #[error("`{name}` is not read in a schedule; write one RRULE and at most one DTSTART")]
    Property {
        /// What is written.
        name: String,
    },
    /// A zone for whole days, which have no clock.
    #[error("`{zone}` needs a time of day; write one, such as `every day at 9 {zone}`")]
    ZoneWithoutTime {
        /// The zone.
        zone: String,
    },
    /// A time zone that is not in the database.
    #[error("cannot read the schedule")]
    Zone(#[source] UnknownZone),
    /// The rule that the words make does not hold.
    #[error("`{text}` makes a rule that cannot be used")]
    Rule {
        /// What is written.
        text: String,
        /// What is wrong with the rule.
        #[source]
        source: RuleError,
    },
}
