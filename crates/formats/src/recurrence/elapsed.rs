//! Rules of hours and minutes: they step by time that has passed, and their other parts look at the clock.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use super::calendar::{DAYS_OF_400_YEARS, DayFilter};
use super::civil::chosen;
use super::rule::{Frequency, RuleParts};
use super::zone::resolve;

/// After so many periods in a row on days that fit, but without a time that does, a rule has ended.
const MOST_EMPTY_PERIODS: u32 = 20_000;

/// The instants of a rule, each later than the one before.
///
/// A period is an hour or a minute that has passed since the one of the start; the interval counts those.
/// In a period of an hour, `BYMINUTE` takes the minutes whose clock shows one of its numbers; without
/// it there is the one minute as far into the period as the start is into its own.
#[derive(Debug, Clone)]
pub(super) struct ElapsedStarts<'a> {
    filter: DayFilter,
    parts: RuleParts,
    zone: &'a TimeZone,
    /// Where the period of the start begins. Units of all times here: seconds since 1970.
    origin: i64,
    start: i64,
    /// No period after this instant is read.
    last: i64,
    /// Of the start, into its period.
    minute: i64,
    second: i64,
    /// Units: seconds.
    period: i64,
    step: i64,
    /// The number of the period that is read next.
    n: i64,
    items: Vec<i64>,
    at: usize,
    /// The day that was tested last, by its number.
    tested: Option<(Date, bool)>,
    /// Units: periods looked at since the iterator began, and days when it looks for one.
    pub(super) steps: u64,
}

impl<'a> ElapsedStarts<'a> {
    /// The instants of a rule later than `after`, or all of them; at least those up to `last`. The cost does not
    /// depend on how many lie before.
    pub(super) fn new(
        parts: &RuleParts,
        civil: DateTime,
        zone: &'a TimeZone,
        after: Option<Timestamp>,
        last: Option<Timestamp>,
    ) -> Self {
        let start = resolve(zone, civil, false);
        // What the clock shows at the start: a start in a gap has moved.
        let shown = zone.to_datetime(start);
        let (minute, second) = (i64::from(shown.minute()), i64::from(shown.second()));
        let start = start.as_second();
        let (period, minute) = match parts.frequency {
            Frequency::Minutely => (60, 0),
            Frequency::Hourly
            | Frequency::Daily
            | Frequency::Weekly
            | Frequency::Monthly
            | Frequency::Yearly => (3_600, minute),
        };
        let origin = start - minute * 60 - second;
        let step = period * i64::from(parts.interval);
        let after = after.map(Timestamp::as_second);
        let n = after.map_or(0, |after| (after - origin).div_euclid(step).max(0));
        let mut starts = Self {
            filter: DayFilter::new(parts, civil.date()),
            parts: parts.clone(),
            zone,
            origin,
            start,
            last: last.unwrap_or(Timestamp::MAX).as_second(),
            minute,
            second,
            period,
            step,
            n,
            items: Vec::new(),
            at: 0,
            tested: None,
            steps: 0,
        };
        if starts.fill().is_some() {
            let is_over = |at: i64| at < start || after.is_some_and(|after| at <= after);
            starts.at = starts.items.partition_point(|at| is_over(*at));
        }
        starts
    }

    fn offset(&self, at: i64) -> Option<i64> {
        let at = Timestamp::from_second(at).ok()?;
        Some(self.zone.to_offset(at).seconds().into())
    }

    fn shown(&self, at: i64) -> Option<DateTime> {
        Timestamp::from_second(at).ok().map(|at| self.zone.to_datetime(at))
    }

    fn day_fits(&mut self, day: Date) -> bool {
        match self.tested {
            Some((tested, fits)) if tested == day => fits,
            _ => {
                let fits = self.filter.fits(day);
                self.tested = Some((day, fits));
                fits
            }
        }
    }

    /// Reads the next period. `None` where time ends.
    fn fill(&mut self) -> Option<()> {
        self.items.clear();
        self.at = 0;
        self.steps += 1;
        let from = self.origin + self.n.checked_mul(self.step)?;
        if self.filter.is_empty() || from > self.last {
            return None;
        }
        self.n += 1;
        let is_by_minute = !self.parts.minutes.is_empty() && self.period > 60;
        let minutes = if is_by_minute { 0..60 } else { self.minute..self.minute + 1 };
        let hour_fits = |list: &[i16], n: i8| list.is_empty() || list.contains(&i16::from(n));
        for minute in minutes {
            let at = from + minute * 60;
            let shown = self.shown(at)?;
            if !hour_fits(&self.parts.hours, shown.hour())
                || !hour_fits(&self.parts.minutes, shown.minute())
                || !self.day_fits(shown.date())
            {
                continue;
            }
            if self.parts.seconds.is_empty() {
                self.items.push(at + self.second);
            } else {
                self.items.extend(self.parts.seconds.iter().map(|second| at + i64::from(*second)));
            }
        }
        if !self.parts.positions.is_empty() {
            let places = chosen(&self.parts.positions, self.items.len());
            self.items =
                places.iter().filter_map(|place| self.items.get(*place).copied()).collect();
        }
        // Only the period of the start can reach before it.
        let start = self.start;
        self.items.retain(|at| *at >= start);
        Some(())
    }

    /// Moves over periods that cannot have a time: the rest of an hour, and days that do not fit.
    /// `None` where no day fits any more.
    fn skip(&mut self) -> Option<()> {
        let from = self.origin + self.n.checked_mul(self.step)?;
        let shown = self.shown(from)?;
        let today = shown.date();
        let last = self.shown(from + self.period - 1)?.date();
        if !self.day_fits(today) && !self.day_fits(last) {
            // Where the clock goes back over midnight, the day before goes on.
            let is_quiet = self.offset(from)? == self.offset(from + 86_400)?;
            let yesterday = today.yesterday().ok()?;
            if !is_quiet && self.filter.fits(yesterday) {
                return Some(());
            }
            let mut day = last;
            let end = self.shown(self.last)?.date().saturating_add(1.day());
            for _ in 0..=DAYS_OF_400_YEARS {
                self.steps += 1;
                day = day.tomorrow().ok()?;
                if day > end {
                    return None;
                }
                if self.filter.fits(day) {
                    let begins = resolve(self.zone, day.at(0, 0, 0, 0), false).as_second();
                    self.skip_to(begins);
                    return Some(());
                }
            }
            return None;
        }
        let hours = &self.parts.hours;
        if self.period == 60 && !hours.is_empty() && !hours.contains(&i16::from(shown.hour())) {
            let into_hour = i64::from(shown.minute()) * 60 + i64::from(shown.second());
            let next = from - into_hour + 3_600;
            if self.offset(from)? == self.offset(next)? {
                self.skip_to(next);
            }
        }
        Some(())
    }

    /// Goes on with the first period that reaches beyond an instant, if that is ahead.
    fn skip_to(&mut self, at: i64) {
        let n = (at - self.period + 1 - self.origin + self.step - 1).div_euclid(self.step);
        self.n = self.n.max(n);
    }
}

impl Iterator for ElapsedStarts<'_> {
    type Item = Timestamp;

    fn next(&mut self) -> Option<Timestamp> {
        let mut empty = 0;
        loop {
            if let Some(at) = self.items.get(self.at) {
                self.at += 1;
                return Timestamp::from_second(*at).ok();
            }
            empty += 1;
            if empty > MOST_EMPTY_PERIODS {
                return None;
            }
            self.skip()?;
            self.fill()?;
        }
    }
}

/// Whether an instant is the second of two at which the clock shows the same.
pub(super) fn is_second(zone: &TimeZone, at: Timestamp) -> bool {
    resolve(zone, zone.to_datetime(at), false) < at
}
