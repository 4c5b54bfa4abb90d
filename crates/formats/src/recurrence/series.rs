//! A series: a start, a rule, and what was changed about single occurrences.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

use super::error::RuleError;
use super::rule::{End, RecurrenceRule, Until};
use super::starts::{Counted, Expansion, Seek, Start, Starts, farthest_move};
use super::zone::{Clock, Person, resolve};

/// The identity of an occurrence within its series: its original start on the clock of the series.
///
/// It is made of what is written down, never of an instant, so a new version of the zone database, a
/// move of the occurrence or another spelling of the rule leave it as it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OccurrenceId {
    /// The original start.
    pub start: Start,
    /// `date`, `floating`, or the name of the zone.
    pub clock: String,
}

/// One text for the whole: `2026-10-25T02:30:00 Europe/Berlin`, `2026-10-25 date`, and `second` at the end of
/// the second of two equal times.
impl fmt::Display for OccurrenceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.clock == "date" {
            write!(f, "{} date", self.start.civil.date())?;
        } else {
            write!(f, "{} {}", self.start.civil, self.clock)?;
        }
        f.write_str(if self.start.fold { " second" } else { "" })
    }
}

/// A time as a calendar gives it for `RECURRENCE-ID`, `EXDATE`, `RDATE` or a new start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Given {
    Day(Date),
    /// A time without a zone.
    Local(DateTime),
    /// An instant.
    Utc(Timestamp),
    /// A time on the clock of a zone.
    In(DateTime, Clock),
}

/// The outcome of one occurrence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Override {
    /// It does not happen.
    Cancelled,
    /// It happens at another time. It keeps its identity.
    Moved(Start, Clock),
}

/// When nothing of a series is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Suspension {
    pub from: Timestamp,
    /// The first instant at which it is due again; without one it stays suspended.
    pub until: Option<Timestamp>,
}

/// Why a series cannot be split.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SplitError {
    #[error("an event that happens once has nothing that follows")]
    NoRule,
    /// The rule gives nothing before the place.
    #[error("nothing comes before {at}; change the series as a whole")]
    NothingBefore {
        /// Where it was to be split.
        at: DateTime,
    },
    /// The first occurrence of the new series would begin at the second of two equal times, which a start
    /// cannot say.
    #[error(
        "the clock shows {at} twice, and this is the second time; split at the next occurrence"
    )]
    SecondTime {
        /// What the clock shows.
        at: DateTime,
    },
    /// The rule gives nothing from the place on.
    #[error("the series ends before {at}")]
    NothingFollows {
        /// Where it was to be split.
        at: DateTime,
    },
}

/// What happens again and again, with everything that is known about single occurrences.
///
/// All of it is one set, keyed by the original start: what the rule gives, what was added, what was taken
/// out, what was moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Series {
    start: DateTime,
    clock: Clock,
    rule: Option<RecurrenceRule>,
    pub(super) added: BTreeSet<Start>,
    pub(super) excluded: BTreeSet<Start>,
    pub(super) excluded_days: BTreeSet<Date>,
    pub(super) overrides: BTreeMap<Start, Override>,
    pub(super) suspensions: Vec<Suspension>,
}

impl Series {
    /// Something that happens once.
    pub fn once(start: DateTime, clock: Clock) -> Self {
        Self::bare(start, clock, None)
    }

    /// Something that happens by a rule from a start on. As in python-dateutil, a start that the rule does not
    /// give is no occurrence, and RFC 5545 leaves it open.
    ///
    /// Errors: a rule of hours or minutes for whole days, or one that never happens. `person` is whose clock a
    /// floating series is read on.
    pub fn new(
        start: DateTime,
        clock: Clock,
        rule: RecurrenceRule,
        person: &Person,
    ) -> Result<Self, RuleError> {
        if clock == Clock::Day && rule.parts().frequency.is_elapsed() {
            return Err(RuleError::NotAllowed {
                name: "FREQ",
                why: "whole days cannot happen every hour or minute; give the start a time",
            });
        }
        let series = Self::bare(start, clock, Some(rule));
        match series.starts(person).next() {
            Some(_) => Ok(series),
            None => Err(series.never_starts(person)),
        }
    }

    /// Why a series has no occurrence.
    fn never_starts(&self, person: &Person) -> RuleError {
        let rule = self.rule.as_ref();
        let Some((rule, End::Until(until))) = rule.map(|rule| (rule, rule.parts().end)) else {
            return RuleError::NeverHappens;
        };
        let Ok(endless) = rule.ending(End::Never) else { return RuleError::NeverHappens };
        let endless = Self { rule: Some(endless), ..self.clone() };
        let first = endless.starts(person).next();
        first.map_or(RuleError::NeverHappens, |first| {
            let form = if self.clock == Clock::Day { "%Y-%m-%d" } else { "%Y-%m-%d %H:%M" };
            let (until, first) = (until.to_string(), first.civil.strftime(form).to_string());
            RuleError::EndsBefore { until, first }
        })
    }

    fn bare(start: DateTime, clock: Clock, rule: Option<RecurrenceRule>) -> Self {
        let start = start.with().subsec_nanosecond(0).build().unwrap_or(start);
        let midnight = start.date().at(0, 0, 0, 0);
        Self {
            start: if clock == Clock::Day { midnight } else { start },
            clock,
            rule,
            added: BTreeSet::new(),
            excluded: BTreeSet::new(),
            excluded_days: BTreeSet::new(),
            overrides: BTreeMap::new(),
            suspensions: Vec::new(),
        }
    }

    /// `DTSTART`.
    pub fn start(&self) -> DateTime {
        self.start
    }

    /// The clock of its times.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Its rule, if it happens more than once.
    pub fn rule(&self) -> Option<&RecurrenceRule> {
        self.rule.as_ref()
    }

    /// Takes one occurrence out (`EXDATE`). A day takes out all that start on it.
    pub fn exclude(&mut self, given: &Given, person: &Person) {
        match given {
            Given::Day(day) if self.clock != Clock::Day => {
                self.excluded_days.insert(*day);
            }
            _ => {
                let start = self.original(given, person);
                self.excluded.insert(start);
            }
        }
    }

    /// Adds one occurrence (`RDATE`). One that the rule gives as well happens once.
    pub fn add(&mut self, given: &Given, person: &Person) {
        let start = self.original(given, person);
        self.added.insert(start);
    }

    /// Cancels the occurrence with this original start.
    pub fn cancel(&mut self, original: &Given, person: &Person) {
        let start = self.original(original, person);
        self.overrides.insert(start, Override::Cancelled);
    }

    /// Moves the occurrence with this original start to another time. What was said about it before no
    /// longer counts.
    pub fn move_to(&mut self, original: &Given, to: &Given, person: &Person) {
        let start = self.original(original, person);
        let (civil, clock) = match to {
            Given::Day(day) => (day.at(0, 0, 0, 0), Clock::Day),
            // A time without a zone is on the clock of the series; a series of days has none.
            Given::Local(at) if self.clock == Clock::Day => (*at, Clock::Floating),
            Given::Local(at) => (*at, self.clock.clone()),
            Given::Utc(at) => (TimeZone::UTC.to_datetime(*at), Clock::utc()),
            Given::In(at, clock) => (*at, clock.clone()),
        };
        self.overrides.insert(start, Override::Moved(Start::at(civil), clock));
    }

    /// Lets nothing be due from an instant until another, or for good. What falls into that time never runs
    /// late, and still counts for `COUNT`.
    pub fn suspend(&mut self, from: Timestamp, until: Option<Timestamp>) {
        self.suspensions.push(Suspension { from, until });
    }

    /// Ends what is suspended for good.
    pub fn resume(&mut self, at: Timestamp) {
        for suspension in self.suspensions.iter_mut().filter(|one| one.until.is_none()) {
            suspension.until = Some(at.max(suspension.from));
        }
    }

    /// The same times on another clock. The occurrences are others: the clock is part of their identity.
    ///
    /// Errors: whole days on the clock of a zone, or times as whole days.
    pub fn on_clock(&self, clock: Clock) -> Result<Self, RuleError> {
        if (self.clock == Clock::Day) != (clock == Clock::Day) {
            let why = "whole days have no clock, and times need one; make another series";
            return Err(RuleError::NotAllowed { name: "DTSTART", why });
        }
        Ok(Self { clock, ..self.clone() })
    }

    /// Ends this series before the occurrence with an original start, and begins another with it ("this and
    /// following"): that one is for a new UID. What is known about single occurrences goes with them.
    ///
    /// Errors: nothing of the rule is before the place, or nothing from it on.
    pub fn split(&self, at: &Given, person: &Person) -> Result<(Self, Self), SplitError> {
        let at = self.original(at, person);
        let rule = self.rule.as_ref().ok_or(SplitError::NoRule)?;
        let mut starts = self.starts(person);
        let is_before = |start: &Start| self.comes_before(start, &at, person);
        let mut last = None;
        let following = loop {
            let used = starts.used();
            match starts.next() {
                Some(start) if is_before(&start) => last = Some(start),
                Some(start) => break Some((start, used)),
                None => break None,
            }
        };
        let last = last.ok_or(SplitError::NothingBefore { at: at.civil })?;
        let (first, used) = following.ok_or(SplitError::NothingFollows { at: at.civil })?;
        if first.fold {
            return Err(SplitError::SecondTime { at: first.civil });
        }
        let until = self.until_before(last, first, person);
        let end = match rule.parts().end {
            End::Count(count) => End::Count(count - used),
            end @ (End::Never | End::Until(_)) => end,
        };
        let with_end = |end| rule.ending(end).unwrap_or_else(|_| rule.clone());
        let mut before = Self { rule: Some(with_end(End::Until(until))), ..self.clone() };
        let mut after = Self { start: first.civil, rule: Some(with_end(end)), ..self.clone() };
        before.added.retain(is_before);
        after.added.retain(|start| !is_before(start));
        before.excluded.retain(is_before);
        after.excluded.retain(|start| !is_before(start));
        before.overrides.retain(|start, _| is_before(start));
        after.overrides.retain(|start, _| !is_before(start));
        Ok((before, after))
    }

    /// The end of what comes before a place: as RFC 5545 wants it an instant for times in a zone. Only
    /// where a change of the clock puts the next start before that is it a time on the clock.
    fn until_before(&self, last: Start, first: Start, person: &Person) -> Until {
        match &self.clock {
            Clock::Day => Until::Day(last.civil.date()),
            Clock::Floating => Until::Local(last.civil),
            Clock::Zone(_) => {
                let zone = self.clock.zone(person);
                let at = resolve(zone, last.civil, last.fold);
                if at < resolve(zone, first.civil, first.fold) {
                    Until::Utc(at)
                } else {
                    Until::Local(last.civil)
                }
            }
        }
    }

    fn comes_before(&self, one: &Start, other: &Start, person: &Person) -> bool {
        if self.rule.as_ref().is_some_and(|rule| rule.parts().frequency.is_elapsed()) {
            let zone = self.clock.zone(person);
            let instant = |start: &Start| resolve(zone, start.civil, start.fold);
            instant(one) < instant(other)
        } else {
            one.civil < other.civil
        }
    }

    /// The identity of the occurrence with this original start.
    pub fn id(&self, start: Start) -> OccurrenceId {
        OccurrenceId { start, clock: self.clock.to_string() }
    }

    /// Whether it was taken out.
    pub(super) fn is_excluded(&self, start: Start) -> bool {
        self.excluded.contains(&start) || self.excluded_days.contains(&start.civil.date())
    }

    /// All that the rule gives.
    fn starts<'a>(&'a self, person: &'a Person) -> OptionalStarts<'a> {
        self.starts_after(Seek::Beginning, None, person)
    }

    pub(super) fn starts_after<'a>(
        &'a self,
        seek: Seek,
        counted: Option<Counted>,
        person: &'a Person,
    ) -> OptionalStarts<'a> {
        let zone = self.clock.zone(person);
        let is_day = self.clock == Clock::Day;
        let expand = |rule| Expansion { rule, start: self.start, is_day, zone };
        OptionalStarts(self.rule.as_ref().map(|rule| expand(rule).starts(seek, counted)))
    }

    /// The original start that a time of a calendar means, on the clock of this series.
    ///
    /// An instant is the one that the rule's start becomes: where that was skipped by a change of the clock, the
    /// clock shows another time at it.
    fn original(&self, given: &Given, person: &Person) -> Start {
        let zone = self.clock.zone(person);
        let at = match given {
            Given::Day(day) if self.clock == Clock::Day => return Start::at(day.at(0, 0, 0, 0)),
            Given::Day(day) => return Start::at(day.to_datetime(self.start.time())),
            Given::Local(at) if self.clock == Clock::Day => {
                return Start::at(at.date().at(0, 0, 0, 0));
            }
            Given::Local(at) => return Start::at(*at),
            Given::In(at, clock) if *clock == self.clock => return Start::at(*at),
            Given::In(at, clock) => resolve(clock.zone(person), *at, false),
            Given::Utc(at) => *at,
        };
        let shown = zone.to_datetime(at);
        if self.clock == Clock::Day {
            return Start::at(shown.date().at(0, 0, 0, 0));
        }
        let fold = resolve(zone, shown, false) < at;
        let plain = Start { civil: shown, fold };
        let near = shown.checked_sub(farthest_move()).unwrap_or(shown);
        let mut moved = self
            .starts_after(Seek::Civil(near), None, person)
            .take_while(|start| start.civil <= shown)
            .filter(|start| resolve(zone, start.civil, start.fold) == at);
        let found = moved.by_ref().next();
        // Two starts can become one instant; the one that the clock shows is meant.
        if moved.any(|start| start == plain) { plain } else { found.unwrap_or(plain) }
    }
}

/// The starts of a series that may have no rule.
pub(super) struct OptionalStarts<'a>(Option<Starts<'a>>);

impl OptionalStarts<'_> {
    pub fn is_counting(&self) -> bool {
        self.0.as_ref().is_some_and(Starts::is_counting)
    }

    pub fn used(&self) -> u32 {
        self.0.as_ref().map_or(0, |starts| starts.used)
    }

    pub fn steps(&self) -> u64 {
        self.0.as_ref().map_or(0, Starts::steps)
    }
}

impl Iterator for OptionalStarts<'_> {
    type Item = Start;

    fn next(&mut self) -> Option<Start> {
        self.0.as_mut()?.next()
    }
}
