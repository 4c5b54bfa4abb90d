//! The starts that a rule gives, up to its end.

use jiff::civil::{DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use serde::{Deserialize, Serialize};

use super::civil::CivilStarts;
use super::elapsed::{ElapsedStarts, is_second};
use super::rule::{End, RecurrenceRule, Until};
use super::zone::resolve;

/// A time on the clock of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Start {
    /// What the rule says the clock shows; midnight for a whole day.
    pub civil: DateTime,
    /// Whether it is the second of two times that the clock shows the same. Only rules of hours and
    /// minutes happen at both.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fold: bool,
}

impl Start {
    /// A time that the clock shows once, or the first of two.
    pub fn at(civil: DateTime) -> Self {
        Self { civil, fold: false }
    }
}

/// How far a rule with a `COUNT` has been counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    /// The last start that was counted.
    pub start: Start,
    /// How many there are up to it.
    pub used: u32,
}

/// Where to begin among the starts of a rule.
#[derive(Debug, Clone, Copy)]
pub(super) enum Seek {
    /// With the first.
    Beginning,
    /// After what the clock shows.
    Civil(DateTime),
    /// After an instant. Only for rules of hours and minutes, whose starts are instants.
    Instant(Timestamp),
}

/// A rule with its first time and the clock it is read on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Expansion<'a> {
    pub rule: &'a RecurrenceRule,
    pub start: DateTime,
    pub is_day: bool,
    pub zone: &'a TimeZone,
}

/// The starts of a rule, in order.
#[derive(Debug, Clone)]
pub(super) struct Starts<'a> {
    steps: Steps<'a>,
    zone: &'a TimeZone,
    bound: Bound,
    left: Option<u32>,
    /// Counted so far, those before the iterator began included; 0 for a rule without `COUNT`.
    pub used: u32,
}

#[derive(Debug, Clone)]
enum Steps<'a> {
    Civil(CivilStarts),
    Elapsed(ElapsedStarts<'a>),
}

/// `UNTIL`, as it is compared.
#[derive(Debug, Clone, Copy)]
enum Bound {
    None,
    /// The last civil time.
    Civil(DateTime),
    /// The last instant. Starts after the civil time are all later.
    Instant(Timestamp, DateTime),
    /// Both must hold; nothing comes after the instant.
    Elapsed(Timestamp, DateTime),
}

/// A change of the clock moves a start by less than this: a zone that skips a day moves it by 24 hours.
pub(super) fn farthest_move() -> jiff::Span {
    25.hours()
}

impl<'a> Expansion<'a> {
    /// The starts from a place on. A rule with `COUNT` begins to count after `counted`, or at its start: only
    /// counting has to visit what lies before.
    pub fn starts(&self, seek: Seek, counted: Option<Counted>) -> Starts<'a> {
        let parts = self.rule.parts();
        let count = match parts.end {
            End::Count(count) => Some(count),
            End::Never | End::Until(_) => None,
        };
        let counted = counted.filter(|_| count.is_some());
        let used = counted.map_or(0, |counted| counted.used);
        let seek = if count.is_some() { Seek::Beginning } else { seek };
        let bound = self.bound();
        let steps = if parts.frequency.is_elapsed() {
            let instant = |start: Start| resolve(self.zone, start.civil, start.fold);
            let after = match (counted, seek) {
                (Some(counted), _) => Some(instant(counted.start)),
                (None, Seek::Beginning) => None,
                (None, Seek::Civil(civil)) => Some(instant(Start::at(civil))),
                (None, Seek::Instant(at)) => Some(at),
            };
            let last = match bound {
                Bound::Elapsed(at, _) => Some(at),
                Bound::None | Bound::Civil(_) | Bound::Instant(..) => None,
            };
            Steps::Elapsed(ElapsedStarts::new(parts, self.start, self.zone, after, last))
        } else {
            let after = match (counted, seek) {
                (Some(counted), _) => Some(counted.start.civil),
                (None, Seek::Beginning) => None,
                (None, Seek::Civil(civil)) => Some(civil),
                (None, Seek::Instant(at)) => Some(self.zone.to_datetime(at)),
            };
            let last = match bound {
                Bound::Civil(at) | Bound::Instant(_, at) => Some(at.date()),
                Bound::None | Bound::Elapsed(..) => None,
            };
            Steps::Civil(CivilStarts::new(parts, self.start, self.is_day, after, last))
        };
        let left = count.map(|count| count.saturating_sub(used));
        Starts { steps, zone: self.zone, bound, left, used }
    }

    fn bound(&self) -> Bound {
        let End::Until(until) = self.rule.parts().end else { return Bound::None };
        let end_of_day = Time::constant(23, 59, 59, 0);
        if self.rule.parts().frequency.is_elapsed() {
            return match until {
                Until::Day(day) => {
                    let last = day.to_datetime(end_of_day);
                    Bound::Elapsed(resolve(self.zone, last, true), last)
                }
                Until::Local(at) => Bound::Elapsed(resolve(self.zone, at, false), DateTime::MAX),
                Until::Utc(at) => Bound::Elapsed(at, DateTime::MAX),
            };
        }
        match until {
            Until::Day(day) => Bound::Civil(day.to_datetime(end_of_day)),
            Until::Local(at) if self.is_day => Bound::Civil(at.date().to_datetime(end_of_day)),
            Until::Utc(at) if self.is_day => {
                Bound::Civil(TimeZone::UTC.to_datetime(at).date().to_datetime(end_of_day))
            }
            Until::Local(at) => Bound::Civil(at),
            Until::Utc(at) => {
                let shown = self.zone.to_datetime(at);
                let last = shown.checked_add(farthest_move()).unwrap_or(DateTime::MAX);
                Bound::Instant(at, last)
            }
        }
    }
}

impl Starts<'_> {
    /// Whether the rule ends by `COUNT`.
    pub fn is_counting(&self) -> bool {
        self.left.is_some()
    }

    /// How much was looked at: days, or periods of a rule of hours or minutes.
    pub fn steps(&self) -> u64 {
        match &self.steps {
            Steps::Civil(starts) => starts.steps,
            Steps::Elapsed(starts) => starts.steps,
        }
    }
}

impl Iterator for Starts<'_> {
    type Item = Start;

    fn next(&mut self) -> Option<Start> {
        loop {
            if self.left == Some(0) {
                return None;
            }
            let (start, instant) = match &mut self.steps {
                Steps::Civil(starts) => (Start::at(starts.next()?), None),
                Steps::Elapsed(starts) => {
                    let at = starts.next()?;
                    let civil = self.zone.to_datetime(at);
                    (Start { civil, fold: is_second(self.zone, at) }, Some(at))
                }
            };
            let at = || instant.unwrap_or_else(|| resolve(self.zone, start.civil, start.fold));
            match self.bound {
                Bound::None => {}
                Bound::Civil(last) if start.civil > last => return None,
                Bound::Instant(_, last) if start.civil > last => return None,
                Bound::Instant(last, _) if at() > last => continue,
                Bound::Elapsed(last, _) if at() > last => return None,
                Bound::Elapsed(_, civil) if start.civil > civil => continue,
                Bound::Civil(_) | Bound::Instant(..) | Bound::Elapsed(..) => {}
            }
            if let Some(left) = &mut self.left {
                *left -= 1;
                self.used += 1;
            }
            return Some(start);
        }
    }
}
