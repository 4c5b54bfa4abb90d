//! Rules of days, weeks, months and years: they step through the calendar and know no zone.

use jiff::civil::{Date, DateTime};

use super::calendar::{DayFilter, Periods, Times};
use super::rule::RuleParts;

/// The civil times of a rule, each later than the one before.
#[derive(Debug, Clone)]
pub(super) struct CivilStarts {
    filter: DayFilter,
    times: Times,
    periods: Periods,
    interval: i64,
    positions: Vec<i16>,
    start: DateTime,
    /// No period after this day is read.
    last: Option<Date>,
    is_empty: bool,
    /// The number of the period that is read next.
    period: i64,
    days: Vec<Date>,
    /// The places that `BYSETPOS` chose among the times of all days; without it all are taken.
    chosen: Option<Vec<usize>>,
    at: usize,
    /// Units: days looked at since the iterator began.
    pub(super) steps: u64,
}

impl CivilStarts {
    /// The times of a rule later than `after`, or all of them; at least those up to the day `last`. The cost
    /// does not depend on how many lie before.
    pub(super) fn new(
        parts: &RuleParts,
        start: DateTime,
        is_day: bool,
        after: Option<DateTime>,
        last: Option<Date>,
    ) -> Self {
        let periods = Periods::new(parts);
        let first = periods.of(start.date());
        let interval = i64::from(parts.interval);
        let from = after.map_or(first, |after| periods.of(after.date()).max(first));
        let times = if is_day { Times::midnight() } else { Times::new(parts, start.time()) };
        // A place beyond all times of the longest period chooses nothing, ever.
        let most = periods.most_days() * times.len();
        let is_reached = |n: &i16| usize::from(n.unsigned_abs()) <= most;
        let is_empty = !parts.positions.is_empty() && !parts.positions.iter().any(is_reached);
        let mut starts = Self {
            filter: DayFilter::new(parts, start.date()),
            times,
            periods,
            interval,
            positions: parts.positions.clone(),
            start,
            last,
            is_empty,
            period: first + (from - first + interval - 1).div_euclid(interval) * interval,
            days: Vec::new(),
            chosen: None,
            at: 0,
            steps: 0,
        };
        // What lies before the start, or up to `after`, is all in the first period that is read.
        let is_over = |at: DateTime| at < start || after.is_some_and(|after| at <= after);
        if starts.fill() {
            let (mut low, mut high) = (0, starts.len());
            while low < high {
                let middle = low + (high - low) / 2;
                if starts.item(middle).is_some_and(is_over) {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            starts.at = low;
        }
        starts
    }

    fn len(&self) -> usize {
        self.chosen.as_ref().map_or(self.days.len() * self.times.len(), Vec::len)
    }

    fn item(&self, n: usize) -> Option<DateTime> {
        let n = match &self.chosen {
            Some(chosen) => *chosen.get(n)?,
            None => n,
        };
        let date = self.days.get(n / self.times.len())?;
        Some(self.times.on(*date, n % self.times.len()))
    }

    /// Reads the next period. `false` where the calendar ends.
    fn fill(&mut self) -> bool {
        self.days.clear();
        self.at = 0;
        self.chosen = None;
        let Some((first, last)) = self.periods.days(self.period) else { return false };
        let is_empty = self.is_empty || self.filter.is_empty();
        if is_empty || self.last.is_some_and(|end| first > end) {
            return false;
        }
        self.period += self.interval;
        let mut day = first;
        loop {
            self.steps += 1;
            if self.filter.has_month(day.month()) {
                if self.filter.fits(day) {
                    self.days.push(day);
                }
            } else {
                day = day.last_of_month();
            }
            match day.tomorrow() {
                Ok(next) if next <= last => day = next,
                _ => break,
            }
        }
        if !self.positions.is_empty() {
            let all = self.days.len() * self.times.len();
            self.chosen = Some(chosen(&self.positions, all));
        }
        true
    }
}

/// The places, from 0, that `BYSETPOS` chooses among `all` of them.
pub(super) fn chosen(positions: &[i16], all: usize) -> Vec<usize> {
    let place = |n: &i16| {
        let n_from = usize::from(n.unsigned_abs());
        if *n > 0 { (n_from <= all).then(|| n_from - 1) } else { all.checked_sub(n_from) }
    };
    let mut places: Vec<usize> = positions.iter().filter_map(place).collect();
    places.sort_unstable();
    places.dedup();
    places
}

impl Iterator for CivilStarts {
    type Item = DateTime;

    fn next(&mut self) -> Option<DateTime> {
        let mut empty = 0;
        loop {
            if let Some(at) = self.item(self.at) {
                self.at += 1;
                debug_assert!(at >= self.start);
                return Some(at);
            }
            empty += 1;
            if empty > self.periods.until_the_calendar_repeats() || !self.fill() {
                return None;
            }
        }
    }
}
