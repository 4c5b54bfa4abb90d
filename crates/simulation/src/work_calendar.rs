//! The times of a schedule, found by walking through the calendar day by day and through time minute by
//! minute.
//!
//! It is written to be compared with what the product computes, so it shares nothing with it: a zone is
//! only used to look up what its clock shows at an instant, and nothing is skipped to be quick.

use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};

/// The clock that a schedule goes by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScheduleClock {
    /// That of the person, wherever the person is.
    Person,
    /// Whole days of the person, due at a time of day.
    Day {
        /// The time of day.
        due_at: Time,
    },
    /// That of a zone, by its IANA name.
    Zone(&'static str),
}

/// What repeats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pattern {
    /// Nothing.
    Once,
    /// Every so many days.
    Days(i64),
    /// These weekdays of every so many weeks, which begin on Monday.
    Weeks(i64, Vec<Weekday>),
    /// These days of each month; -1 is the last.
    MonthDays(Vec<i8>),
    /// The nth such weekday of each month; -1 is the last.
    NthWeekday(i8, Weekday),
    /// Every so many minutes that have passed.
    Minutes(i64),
}

/// What a person made: a schedule with one identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timetable {
    /// The id of the series.
    pub uid: String,
    /// The first start, on the clock of the schedule.
    pub start: DateTime,
    /// That clock.
    pub dial: ScheduleClock,
    /// What repeats.
    pub pattern: Pattern,
    /// The last day on which it starts.
    pub until: Option<Date>,
    /// How often it starts.
    pub count: Option<usize>,
}

/// A start as the clock of the schedule shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shown {
    /// What it shows.
    pub at: DateTime,
    /// Whether it is the second of two equal times.
    pub is_second: bool,
}

/// Where the person is, from each instant on. The first is where the person always was.
pub type Stays = [(Timestamp, &'static str)];

fn zone(name: &str) -> TimeZone {
    TimeZone::get(name).expect("a zone of the database")
}

/// Units: seconds.
fn after(at: Timestamp, seconds: i64) -> Timestamp {
    at.checked_add(seconds.seconds()).expect("a year that exists")
}

/// The instant of a civil time in a zone: the first of two; of one that is skipped, what the clock from
/// before would show.
pub fn instant(name: &str, civil: DateTime) -> Timestamp {
    let zone = zone(name);
    // No clock is further from UTC than 26 hours, and none is put back by more than three.
    let mut before =
        after(TimeZone::UTC.to_timestamp(civil).expect("a year that exists"), -26 * 3600);
    while zone.to_datetime(after(before, 4 * 3600)) < civil {
        before = after(before, 3600);
    }
    loop {
        let at = after(before, 60);
        let shows = zone.to_datetime(at);
        if shows == civil {
            return at;
        }
        if shows > civil {
            let missing = civil.duration_since(zone.to_datetime(before)).as_secs();
            return after(before, missing);
        }
        before = at;
    }
}

/// Whether the clock showed the same a little earlier.
fn is_second(name: &str, at: Timestamp) -> bool {
    let zone = zone(name);
    let shows = zone.to_datetime(at);
    // The clock was put back somewhere in the last three hours, or it was not.
    let then = zone.to_datetime(after(at, -3 * 3600));
    if shows.duration_since(then).as_secs() == 3 * 3600 {
        return false;
    }
    (1..=180).any(|minutes| zone.to_datetime(after(at, -60 * minutes)) == shows)
}

impl Pattern {
    fn fits(&self, start: Date, day: Date) -> bool {
        let days = i64::from(day.since(start).expect("two days").get_days());
        match self {
            Self::Once => days == 0,
            Self::Days(every) => days % every == 0,
            Self::Weeks(every, on) => {
                let monday = |day: Date| {
                    let back = i64::from(day.weekday().to_monday_zero_offset());
                    day.checked_sub(back.days()).expect("a day")
                };
                let between = monday(day).since(monday(start)).expect("two days").get_days();
                let weeks = i64::from(between) / 7;
                weeks % every == 0 && on.contains(&day.weekday())
            }
            Self::MonthDays(on) => {
                let from_end = day.day() - day.days_in_month() - 1;
                on.contains(&day.day()) || on.contains(&from_end)
            }
            Self::NthWeekday(nth, weekday) => {
                let place = (day.day() - 1) / 7 + 1;
                let from_end = -((day.days_in_month() - day.day()) / 7 + 1);
                day.weekday() == *weekday && (*nth == place || *nth == from_end)
            }
            Self::Minutes(_) => unreachable!("it passes, and steps through no calendar"),
        }
    }
}

impl Timetable {
    /// All starts up to an instant, in order, each with the instant at which it is due. `stays` is where
    /// the person is.
    pub fn starts(&self, stays: &Stays, last: Timestamp) -> Vec<(Shown, Timestamp)> {
        let mut starts = match self.pattern {
            Pattern::Minutes(every) => self.passing(every, stays, last),
            _ => self.through_the_calendar(stays, last),
        };
        starts.truncate(self.count.unwrap_or(usize::MAX));
        starts
    }

    fn through_the_calendar(&self, stays: &Stays, last: Timestamp) -> Vec<(Shown, Timestamp)> {
        let mut starts = Vec::new();
        let mut day = self.start.date();
        // A day further than any zone is from UTC.
        let end = TimeZone::UTC.to_datetime(after(last, 2 * 86_400)).date();
        while day <= end && self.until.is_none_or(|until| day <= until) {
            if self.pattern.fits(self.start.date(), day) {
                let at = day.to_datetime(self.start.time());
                let due = self.dial.due(at, stays);
                starts.push((Shown { at, is_second: false }, due));
            }
            day = day.tomorrow().expect("a day");
        }
        starts.retain(|(_, due)| *due <= last);
        starts
    }

    fn passing(&self, every: i64, stays: &Stays, last: Timestamp) -> Vec<(Shown, Timestamp)> {
        let name = match (&self.dial, stays) {
            (ScheduleClock::Zone(name), _) | (ScheduleClock::Person, [(_, name)]) => *name,
            (ScheduleClock::Person | ScheduleClock::Day { .. }, _) => {
                panic!("nothing decides how minutes pass for somebody who travels, or for days")
            }
        };
        let mut starts = Vec::new();
        let mut at = instant(name, self.start);
        while at <= last {
            let shows = zone(name).to_datetime(at);
            if self.until.is_some_and(|until| shows.date() > until) {
                break;
            }
            starts.push((Shown { at: shows, is_second: is_second(name, at) }, at));
            at = after(at, every * 60);
        }
        starts
    }
}

impl ScheduleClock {
    /// The instant at which a civil time is due: on the clock of the person it is due once, where the
    /// person is then; when the person moves past it, at that moment.
    pub fn due(&self, at: DateTime, stays: &Stays) -> Timestamp {
        let civil = match self {
            Self::Zone(name) => return instant(name, at),
            Self::Person => at,
            Self::Day { due_at } => at.date().to_datetime(*due_at),
        };
        let mut due = instant(stays[0].1, civil);
        for (n, (from, name)) in stays.iter().enumerate().skip(1) {
            if due < *from {
                return due;
            }
            due = instant(name, civil).max(stays[n].0);
        }
        due
    }

    /// What the clock would have shown it as due, if the person arrived in a zone where it is past a time: an
    /// instant before the arrival. `None` for a time that no clock was set past.
    pub fn passed(&self, at: DateTime, stays: &Stays) -> Option<Timestamp> {
        let civil = match self {
            Self::Zone(_) => return None,
            Self::Person => at,
            Self::Day { due_at } => at.date().to_datetime(*due_at),
        };
        let due = self.due(at, stays);
        let (_, here) = stays.iter().rev().find(|(from, _)| *from <= due)?;
        let there = instant(here, civil);
        (there < due).then_some(there)
    }

    /// `date`, `floating`, or the name of the zone.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Person => "floating",
            Self::Day { .. } => "date",
            Self::Zone(name) => name,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    const BERLIN: &str = "Europe/Berlin";
    const NEW_YORK: &str = "America/New_York";
    const LORD_HOWE: &str = "Australia/Lord_Howe";

    fn utc(text: &str) -> Timestamp {
        text.parse().expect("an instant")
    }

    #[test]
    fn a_time_that_is_skipped_or_comes_twice_is_due_as_the_clock_before_says() {
        for (name, civil, due) in [
            // The clock is put forward: an hour, an hour, half an hour.
            (BERLIN, date(2026, 3, 29).at(2, 30, 0, 0), "2026-03-29T01:30:00Z"),
            (NEW_YORK, date(2026, 3, 8).at(2, 30, 0, 0), "2026-03-08T07:30:00Z"),
            (LORD_HOWE, date(2026, 10, 4).at(2, 15, 0, 0), "2026-10-03T15:45:00Z"),
            // It is put back: the first of two.
            (BERLIN, date(2026, 10, 25).at(2, 30, 0, 0), "2026-10-25T00:30:00Z"),
            (NEW_YORK, date(2026, 11, 1).at(1, 30, 0, 0), "2026-11-01T05:30:00Z"),
            (LORD_HOWE, date(2026, 4, 5).at(1, 45, 0, 0), "2026-04-04T14:45:00Z"),
            // A day that Samoa never had.
            ("Pacific/Apia", date(2011, 12, 30).at(9, 0, 0, 0), "2011-12-30T19:00:00Z"),
            (BERLIN, date(2026, 7, 1).at(9, 0, 0, 0), "2026-07-01T07:00:00Z"),
        ] {
            assert_eq!(instant(name, civil), utc(due), "{civil} {name}");
        }
    }

    fn timetable(start: DateTime, dial: ScheduleClock, pattern: Pattern) -> Timetable {
        Timetable { uid: "one".into(), start, dial, pattern, until: None, count: None }
    }

    fn days(timetable: &Timetable, last: &str) -> Vec<String> {
        let starts = timetable.starts(&[(Timestamp::MIN, BERLIN)], utc(last));
        starts.into_iter().map(|(shown, due)| format!("{} {due}", shown.at)).collect()
    }

    #[test]
    fn patterns_are_walked_through_the_calendar() {
        let on = |start: Date, pattern| {
            let table = timetable(start.at(9, 0, 0, 0), ScheduleClock::Zone("UTC"), pattern);
            let starts = table.starts(&[(Timestamp::MIN, "UTC")], utc("2026-12-31T00:00:00Z"));
            let days: Vec<String> = starts
                .iter()
                .take(4)
                .map(|(shown, _)| shown.at.strftime("%m-%d").to_string())
                .collect();
            days.join(" ")
        };
        let start = date(2026, 11, 2);
        assert_eq!(on(start, Pattern::Once), "11-02");
        assert_eq!(on(start, Pattern::Days(20)), "11-02 11-22 12-12");
        let weeks = Pattern::Weeks(2, vec![Weekday::Monday, Weekday::Sunday]);
        assert_eq!(on(start, weeks), "11-02 11-08 11-16 11-22");
        assert_eq!(on(start, Pattern::MonthDays(vec![-1, 5])), "11-05 11-30 12-05");
        assert_eq!(on(start, Pattern::NthWeekday(-1, Weekday::Friday)), "11-27 12-25");
        assert_eq!(on(start, Pattern::NthWeekday(1, Weekday::Monday)), "11-02 12-07");
    }

    #[test]
    fn a_count_counts_starts_that_no_clock_showed() {
        let start = date(2026, 3, 28).at(2, 30, 0, 0);
        let mut table = timetable(start, ScheduleClock::Zone(BERLIN), Pattern::Days(1));
        table.count = Some(3);
        assert_eq!(
            days(&table, "2026-05-01T00:00:00Z"),
            [
                "2026-03-28T02:30:00 2026-03-28T01:30:00Z",
                "2026-03-29T02:30:00 2026-03-29T01:30:00Z",
                "2026-03-30T02:30:00 2026-03-30T00:30:00Z",
            ]
        );
    }

    #[test]
    fn hours_that_pass_are_neither_left_out_nor_doubled_in_three_zones() {
        for (name, from, to) in [
            (BERLIN, date(2026, 3, 28), date(2026, 3, 30)),
            (BERLIN, date(2026, 10, 24), date(2026, 10, 26)),
            (NEW_YORK, date(2026, 3, 7), date(2026, 3, 9)),
            (NEW_YORK, date(2026, 10, 31), date(2026, 11, 2)),
            (LORD_HOWE, date(2026, 4, 4), date(2026, 4, 6)),
            (LORD_HOWE, date(2026, 10, 3), date(2026, 10, 5)),
        ] {
            let start = from.at(0, 30, 0, 0);
            let table = timetable(start, ScheduleClock::Zone(name), Pattern::Minutes(60));
            let last = instant(name, to.at(0, 30, 0, 0));
            let starts = table.starts(&[(Timestamp::MIN, "UTC")], last);
            let hours = last.duration_since(instant(name, start)).as_secs().div_euclid(3600);
            assert_eq!(i64::try_from(starts.len()).expect("few"), hours + 1, "{name} {from}");
            let mut shown: Vec<Shown> = starts.iter().map(|(shown, _)| *shown).collect();
            shown.sort_unstable();
            shown.dedup();
            assert_eq!(shown.len(), starts.len(), "{name} {from}: no identity comes twice");
        }
        let start = date(2026, 10, 25).at(1, 30, 0, 0);
        let table = timetable(start, ScheduleClock::Zone(BERLIN), Pattern::Minutes(60));
        let starts = table.starts(&[(Timestamp::MIN, "UTC")], utc("2026-10-25T02:30:00Z"));
        let shown: Vec<_> =
            starts.iter().map(|(shown, _)| (shown.at.hour(), shown.is_second)).collect();
        assert_eq!(shown, [(1, false), (2, false), (2, true), (3, false)]);
    }

    #[test]
    fn who_travels_meets_each_time_once() {
        let nine = |day| date(2026, 6, day).at(9, 0, 0, 0);
        let stays = [
            (Timestamp::MIN, BERLIN),
            // At 5:00 in Berlin, which is 12:00 in Tokyo: past nine.
            (utc("2026-06-02T03:00:00Z"), "Asia/Tokyo"),
            // At 10:00 in Tokyo, which is 21:00 of the day before in New York.
            (utc("2026-06-05T01:00:00Z"), NEW_YORK),
        ];
        let due = |day| ScheduleClock::Person.due(nine(day), &stays);
        assert_eq!(due(1), utc("2026-06-01T07:00:00Z"), "in Berlin");
        assert_eq!(due(2), utc("2026-06-02T03:00:00Z"), "on arrival: it is past nine");
        assert_eq!(due(3), utc("2026-06-03T00:00:00Z"), "in Tokyo");
        assert_eq!(due(5), utc("2026-06-05T00:00:00Z"), "in Tokyo, not again in New York");
        assert_eq!(due(6), utc("2026-06-06T13:00:00Z"), "in New York");
    }
}
