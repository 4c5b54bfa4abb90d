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
    /// Some of the words mean nothing in a schedule.
    #[error(
        "`{part}` is not understood in a schedule; write one such as `{example}`, or a day and a time, such as \
         `2026-12-10 14:00`"
    )]
    NotRead {
        /// They, as they are written.
        part: String,
        /// A schedule in the language of the reader.
        example: &'static str,
    },
    /// At once.
    #[error("`{text}` is no schedule; leave the schedule out: it then runs once, now")]
    Now {
        /// What is written.
        text: String,
    },
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
    /// A day that is counted from another day of any month.
    #[error("`{text}` is one day; write how often, such as `every month on the last day`")]
    OneDay {
        /// What is written.
        text: String,
    },
    /// So often in a time, on days that nobody named.
    #[error("{times} times a {unit} says not when; write for example `{example}`")]
    SoOften {
        /// How often.
        times: u16,
        /// In what time.
        unit: &'static str,
        /// Words that say when.
        example: &'static str,
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
    #[error("every {} is too often; write `every {FEWEST_MINUTES} minutes` or more", minutes(*.every))]
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
    /// Single dates that are left out or added.
    #[error(
        "`{name}` is not read in a schedule; write the rule without it, and then {}", by_hand(*.is_added)
    )]
    SingleDates {
        /// The property.
        name: String,
        /// Whether it adds dates, and does not leave them out.
        is_added: bool,
    },
    /// A zone for whole days, which have no clock.
    #[error("`{zone}` needs a time of day; write one, such as `every day at 9 {zone}`")]
    ZoneWithoutTime { zone: String },
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

fn minutes(n: u16) -> String {
    if n == 1 { "minute".to_owned() } else { format!("{n} minutes") }
}

fn by_hand(is_added: bool) -> &'static str {
    match is_added {
        true => "add work that runs once for each date that it names",
        false => {
            "skip each time that it names, on the page of the work or with `dormouse work skip`"
        }
    }
}
