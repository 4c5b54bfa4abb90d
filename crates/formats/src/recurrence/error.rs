//! Why a text is not a recurrence rule.

/// The parts of a rule in canonical order.
pub(super) const PARTS: [&str; 14] = [
    "FREQ",
    "UNTIL",
    "COUNT",
    "INTERVAL",
    "BYMONTH",
    "BYWEEKNO",
    "BYYEARDAY",
    "BYMONTHDAY",
    "BYDAY",
    "BYHOUR",
    "BYMINUTE",
    "BYSECOND",
    "BYSETPOS",
    "WKST",
];

/// Why a text is not a rule, or why a rule cannot be used with its start.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// Nothing is written.
    #[error("no rule is written; write one like `FREQ=WEEKLY;BYDAY=MO`")]
    Empty,
    /// The text is longer than any sensible rule.
    #[error("the rule has {length} bytes; at most {most} are read")]
    TooLong {
        /// Units: bytes.
        length: usize,
        /// Units: bytes.
        most: usize,
    },
    /// A part has no `=`.
    #[error("`{part}` is no part of a rule; parts look like `INTERVAL=2`, separated by `;`")]
    NotAPart {
        /// What is written.
        part: String,
    },
    /// RFC 5545 has no such part.
    #[error("RFC 5545 has no rule part `{name}`; the parts are {known}", known = PARTS.join(", "))]
    UnknownPart {
        /// What is written.
        name: String,
    },
    /// A part is written more than once.
    #[error("{name} is written twice; write it once, with commas between its values")]
    Twice {
        /// The part.
        name: &'static str,
    },
    /// `FREQ` is missing.
    #[error("the rule has no FREQ; begin it with `FREQ=DAILY`, WEEKLY, MONTHLY or YEARLY")]
    NoFrequency,
    /// `FREQ` has an unknown value.
    #[error("`{value}` is no FREQ; use MINUTELY, HOURLY, DAILY, WEEKLY, MONTHLY or YEARLY")]
    UnknownFrequency {
        /// What is written.
        value: String,
    },
    /// `FREQ=SECONDLY`.
    #[error(
        "FREQ=SECONDLY is refused: nothing here can happen every second; use MINUTELY with an INTERVAL"
    )]
    Secondly,
    /// A value that must be a number, a weekday or a time is none.
    #[error("`{value}` is no value of {name}; {expected}")]
    NotAValue {
        /// The part.
        name: &'static str,
        /// What is written.
        value: String,
        /// What a value of this part looks like.
        expected: &'static str,
    },
    /// A number is outside of what the part allows.
    #[error("{name}={value} is out of range; {expected}")]
    OutOfRange {
        /// The part.
        name: &'static str,
        /// The number.
        value: i64,
        /// The range.
        expected: &'static str,
    },
    /// Two parts that RFC 5545 does not allow together.
    #[error("{name} cannot be used here: {why}")]
    NotAllowed {
        /// The part.
        name: &'static str,
        /// The rule that forbids it.
        why: &'static str,
    },
    /// No day of the calendar, or no time of it, fits all parts.
    #[error(
        "the rule never happens after its start: no date fits all of its parts within 400 years"
    )]
    NeverHappens,
    /// It would happen, but ends before.
    #[error(
        "the rule ends before it happens: UNTIL is {until}, and its first time would be {first}; write a later UNTIL"
    )]
    EndsBefore {
        /// The last moment of the rule.
        until: String,
        /// Its first occurrence, if it did not end.
        first: String,
    },
}
