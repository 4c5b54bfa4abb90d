//! What is known about single occurrences of a series, one by one: for code that stores a series.

use jiff::Timestamp;
use jiff::civil::Date;

use super::elapsed::is_second;
use super::series::{Override, Series, Suspension};
use super::starts::Start;
use super::zone::{Clock, Person};

/// Something that a series has besides its start and its rule. Starts are on the clock of the series.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exception {
    /// An occurrence that the rule does not give (`RDATE`).
    Added(Start),
    /// One that is taken out (`EXDATE`).
    Excluded(Start),
    /// All that start on a day are taken out.
    ExcludedDay(Date),
    Cancelled(Start),
    /// One happens at another time, and keeps its identity.
    Moved {
        original: Start,
        /// When it happens, on the clock below.
        to: Start,
        /// The clock of that time.
        clock: Clock,
    },
    /// Nothing is due from an instant until another, or for good.
    Suspended {
        /// The first instant.
        from: Timestamp,
        /// The first at which it is due again.
        until: Option<Timestamp>,
    },
}

impl Series {
    /// Everything that it has besides its start and its rule.
    pub fn exceptions(&self) -> Vec<Exception> {
        let added = self.added.iter().copied().map(Exception::Added);
        let excluded = self.excluded.iter().copied().map(Exception::Excluded);
        let days = self.excluded_days.iter().copied().map(Exception::ExcludedDay);
        let overrides = self.overrides.iter().map(|(original, one)| match one {
            Override::Cancelled => Exception::Cancelled(*original),
            Override::Moved(to, clock) => {
                Exception::Moved { original: *original, to: *to, clock: clock.clone() }
            }
        });
        let suspended = self
            .suspensions
            .iter()
            .map(|one| Exception::Suspended { from: one.from, until: one.until });
        added.chain(excluded).chain(days).chain(overrides).chain(suspended).collect()
    }

    /// What says that an occurrence happens at an instant. In a series with a zone of its own it keeps the
    /// instant; in all others it follows the clock of the person, as the series does.
    pub fn moved_to(&self, original: Start, at: Timestamp, person: &Person) -> Exception {
        match self.clock() {
            Clock::Floating | Clock::Day => {
                let civil = person.zone.to_datetime(at);
                let to = Start { civil, fold: is_second(&person.zone, at) };
                Exception::Moved { original, to, clock: Clock::Floating }
            }
            Clock::Zone(_) => {
                let to = Start::at(jiff::tz::TimeZone::UTC.to_datetime(at));
                Exception::Moved { original, to, clock: Clock::utc() }
            }
        }
    }

    /// Adds one of them.
    pub fn except(&mut self, exception: Exception) {
        match exception {
            Exception::Added(start) => {
                self.added.insert(start);
            }
            Exception::Excluded(start) => {
                self.excluded.insert(start);
            }
            Exception::ExcludedDay(day) => {
                self.excluded_days.insert(day);
            }
            Exception::Cancelled(start) => {
                self.overrides.insert(start, Override::Cancelled);
            }
            Exception::Moved { original, to, clock } => {
                self.overrides.insert(original, Override::Moved(to, clock));
            }
            Exception::Suspended { from, until } => {
                self.suspensions.push(Suspension { from, until });
            }
        }
    }
}
