//! Why a text is not a date.

/// Why a text is not a date.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotUnderstood {
    /// Nothing is written.
    #[error("no date is written")]
    Empty,
    /// The text has the form of a day, but the calendar does not have it.
    #[error("`{text}` is not a day: {why}")]
    NoSuchDay {
        /// What is written.
        text: String,
        /// What the calendar says.
        why: String,
    },
    /// The text has the form of a time, but no clock shows it.
    #[error("`{text}` is not a time: a day has 24 hours of 60 minutes")]
    NoSuchTime {
        /// What is written.
        text: String,
    },
    /// The time zone is not in the IANA database.
    #[error(
        "there is no time zone `{name}`; write one like Europe/Berlin, or an offset like +02:00"
    )]
    NoSuchZone {
        /// What is written.
        name: String,
    },
    /// The end of a range is before its begin.
    #[error("`{text}` ends before it begins")]
    EndsBeforeItBegins {
        /// What is written.
        text: String,
    },
    /// The day is before the year 1 or after 9998.
    #[error("the day is too far away")]
    TooFar,
    /// The text is longer than any date.
    #[error("the text is too long for a date")]
    TooLong,
    /// A date is written, and something else besides it.
    #[error("`{rest}` is not part of a date")]
    MoreThanADate {
        /// What is written next to the date.
        rest: String,
    },
    /// No date is written.
    #[error(
        "`{text}` is not understood as a date; write one like `fri 3pm`, `10 december` or `2026-12-10`"
    )]
    Unknown {
        /// What is written.
        text: String,
    },
}

impl NotUnderstood {
    /// Returns the words that mean nothing in a date, as they are written.
    ///
    /// `None` if every word is understood, and there is no such day, time or zone.
    pub fn part(&self) -> Option<&str> {
        match self {
            Self::MoreThanADate { rest } => Some(rest),
            Self::Unknown { text } => Some(text),
            Self::Empty
            | Self::NoSuchDay { .. }
            | Self::NoSuchTime { .. }
            | Self::NoSuchZone { .. }
            | Self::EndsBeforeItBegins { .. }
            | Self::TooFar
            | Self::TooLong => None,
        }
    }
}
