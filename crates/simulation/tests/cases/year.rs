//! A year of forty definitions: what a person does in it, where they are, and when no node is there.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use dormouse_formats::recurrence::{Clock, Given, Person, Series};
use dormouse_simulation::work_calendar::{Pattern, ScheduleClock, Shown, Timetable, instant};
use dormouse_simulation::work_oracle::{
    Act, CatchUp, Course, Definition, Means, Overlap, expected,
};
use jiff::civil::{DateTime, Time, Weekday, date};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan as _};

const ZONES: [&str; 3] = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe"];
const DUE_AT: Time = Time::constant(8, 0, 0, 0);

/// Draws numbers, always the same.
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn number(&mut self, n: u64) -> i64 {
        i64::try_from(self.below(n)).expect("small")
    }

    fn place(&mut self, n: usize) -> usize {
        usize::try_from(self.below(u64::try_from(n).expect("small"))).expect("small")
    }

    fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.place(of.len())]
    }
}

fn timetable(draw: &mut Draw, uid: &str, from: DateTime, most: Option<usize>) -> Timetable {
    let dial = match draw.below(8) {
        0 => ScheduleClock::Person,
        1 => ScheduleClock::Day { due_at: DUE_AT },
        _ => ScheduleClock::Zone(ZONES[draw.place(3)]),
    };
    let pattern = match draw.below(9) {
        0 | 1 => Pattern::Days(1 + draw.number(3)),
        2 | 3 => {
            let on = [Weekday::Sunday, Weekday::Monday, Weekday::Thursday];
            Pattern::Weeks(1 + draw.number(2), on[..=draw.place(3)].to_vec())
        }
        4 => Pattern::MonthDays(vec![1, 25, -1]),
        5 => Pattern::NthWeekday(*draw.pick(&[1, 2, -1]), Weekday::Sunday),
        6 => Pattern::Once,
        _ if matches!(dial, ScheduleClock::Zone(_)) => {
            Pattern::Minutes(*draw.pick(&[60, 90, 180, 720]))
        }
        _ => Pattern::Days(1),
    };
    let time = match dial {
        ScheduleClock::Day { .. } => Time::midnight(),
        _ => *draw.pick(&[
            Time::constant(2, 30, 0, 0),
            Time::constant(1, 45, 0, 0),
            Time::constant(2, 0, 0, 0),
            Time::constant(9, 0, 0, 0),
        ]),
    };
    let day = from.date().saturating_add(draw.number(20).days());
    let start = day.to_datetime(time);
    let until = (draw.below(5) == 0).then(|| day.saturating_add((40 + draw.number(200)).days()));
    let count = (until.is_none() && draw.below(5) == 0).then(|| 20 + draw.place(60));
    let mut table = Timetable { uid: uid.to_owned(), start, dial, pattern, until, count };
    if most.is_some() && matches!(table.pattern, Pattern::Minutes(_)) {
        (table.until, table.count) = (None, most);
    }
    // The start of a series is its first occurrence.
    let stays = [(Timestamp::MIN, ZONES[0])];
    let far = instant(ZONES[0], start.saturating_add(100.days()));
    let bare = Timetable { until: None, count: None, ..table.clone() };
    if let Some((shown, _)) = bare.starts(&stays, far).first() {
        table.start = shown.at;
    }
    table
}

/// A moment at which nothing is due.
fn moment(draw: &mut Draw, from: i64, days: u64) -> Timestamp {
    let minutes = from * 1440 + draw.number(days * 1440);
    let start: Timestamp = "2026-01-01T00:00:17Z".parse().expect("an instant");
    start + SignedDuration::from_mins(minutes)
}

/// Two days before each change of the clock of a zone.
fn around_changes(zone: &str) -> impl Iterator<Item = DateTime> {
    let days = match zone {
        "Europe/Berlin" => [(3, 27), (10, 23)],
        "America/New_York" => [(3, 6), (10, 30)],
        _ => [(4, 3), (10, 2)],
    };
    days.into_iter().map(|(month, day)| date(2026, month, day).at(0, 0, 0, 0))
}

/// A definition with all that a person does to it. Of schedules that are due every few minutes there are
/// `most` occurrences, and 80 more around each change of the clock.
pub fn definition(n: u64, most: Option<usize>) -> Definition {
    let mut draw = Draw(n * 7 + 3);
    for _ in 0..5 {
        draw.below(2);
    }
    let uid = format!("s{n}");
    let made = moment(&mut draw, 0, 60);
    let at = TimeZone::UTC.to_datetime(made);
    let mut table = timetable(&mut draw, &uid, at, most);
    // One that passes every change of the clock in each zone.
    let hourly = usize::try_from(n).ok().and_then(|n| ZONES.get(n));
    if let Some(zone) = hourly {
        (table.dial, table.pattern) = (ScheduleClock::Zone(zone), Pattern::Minutes(60));
        (table.until, table.count) = (None, most);
    }
    let mut acts = vec![(made, Act::Schedule(table.clone()))];
    if let (Some(zone), Some(_)) = (hourly, most) {
        acts.extend(around_changes(zone).map(|start| {
            let again = Timetable { start, count: Some(80), ..table.clone() };
            (instant(zone, start) - SignedDuration::from_secs(86_400 - 17), Act::Schedule(again))
        }));
    }
    let stays = [(Timestamp::MIN, ZONES[0])];
    let end = "2027-01-01T00:00:00Z".parse().expect("an instant");
    let starts = table.starts(&stays, end);
    let can_move = !matches!(table.pattern, Pattern::Minutes(_));
    for _ in 0..6 {
        if starts.len() > 8 && can_move && draw.below(3) > 0 {
            let (original, due) = *draw.pick(&starts);
            let by = *draw.pick(&[-50, -3, 2, 5, 26, 70]);
            let act = if draw.below(4) == 0 {
                Act::Cancel { uid: uid.clone(), original }
            } else {
                let to = original.at.saturating_add(by.hours()).saturating_add(7.minutes());
                Act::Move { uid: uid.clone(), original, to }
            };
            // Mostly before it is due, now and then after.
            let before = *draw.pick(&[-30, 4, 30, 200]);
            acts.push((
                due - SignedDuration::from_hours(before) + SignedDuration::from_secs(17),
                act,
            ));
        }
    }
    if draw.below(3) == 0 {
        let pause = moment(&mut draw, 100, 100);
        let resume = pause + SignedDuration::from_hours(3 + draw.number(300));
        acts.extend([(pause, Act::Pause), (resume, Act::Resume)]);
    }
    if draw.below(3) == 0 {
        let from = moment(&mut draw, 200, 60);
        let until = from + SignedDuration::from_hours(7 * 24);
        acts.push((from - SignedDuration::from_hours(48), Act::TakeOff { from, until }));
    }
    let last = moment(&mut draw, 280, 30);
    let civil = TimeZone::UTC.to_datetime(last).saturating_add(5.days());
    match draw.below(4) {
        _ if hourly.is_some() => {}
        0 => {
            let then = timetable(&mut draw, &format!("{uid}b"), civil, most);
            // Only a series that has something on both sides can be split.
            let place = starts.iter().position(|(shown, _)| shown.at >= civil);
            if let Some(place) = place.filter(|place| *place > 0) {
                let before = starts[place].0.at;
                acts.push((last, Act::Split { uid: uid.clone(), before, then }));
            }
        }
        1 => acts.push((last, Act::Schedule(timetable(&mut draw, &uid, civil, most)))),
        _ => {}
    }
    acts.retain(|(at, _)| *at >= made);
    acts.sort_by_key(|(at, _)| *at);
    // What comes after another rule of the same series is about occurrences that it no longer has.
    let rule =
        acts.iter().rposition(|(_, act)| matches!(act, Act::Schedule(_) | Act::Split { .. }));
    let rule = rule.unwrap_or(0);
    let is_kept = |n: usize, act: &Act| {
        n <= rule || rule == 0 || !matches!(act, Act::Move { .. } | Act::Cancel { .. })
    };
    let acts = acts.into_iter().enumerate().filter(|(n, (_, act))| is_kept(*n, act));
    let mut acts: Vec<_> = acts.map(|(_, act)| act).collect();
    acts.dedup_by_key(|(at, _)| *at);
    // While no node is there nobody does anything.
    let down = course().down;
    acts.retain(|(at, _)| !down.iter().any(|(from, to)| (*from..=*to).contains(at)));
    let catch_up = *draw.pick(&[CatchUp::Skip, CatchUp::Once, CatchUp::All]);
    let lasts = SignedDuration::ZERO;
    let (name, overlap, means) = (format!("d{n:02}"), Overlap::Parallel, Means::Replace);
    Definition { name, catch_up, overlap, lasts, means, acts }
}

pub fn course() -> Course {
    let utc = |text: &str| text.parse().expect("an instant");
    Course {
        stays: vec![
            (Timestamp::MIN, "Europe/Berlin"),
            (utc("2026-05-04T03:10:23Z"), "Asia/Tokyo"),
            (utc("2026-05-20T01:40:23Z"), "America/New_York"),
            (utc("2026-06-11T12:00:23Z"), "Europe/Berlin"),
        ],
        // Nothing is due within the two minutes before a node is there again: it would not be late.
        down: vec![
            // Over the change in Berlin, for a few hours; for days; over the change in New York.
            (utc("2026-03-29T00:10:41Z"), utc("2026-03-29T06:10:41Z")),
            (utc("2026-07-10T05:00:41Z"), utc("2026-07-13T11:13:41Z")),
            (utc("2026-11-01T04:00:41Z"), utc("2026-11-02T03:13:41Z")),
        ],
        lines_of_pause: 0,
        end: utc("2027-01-01T00:00:53Z"),
    }
}

pub fn person(name: &str) -> Person {
    Person { zone: TimeZone::get(name).expect("a zone"), day_due_at: DUE_AT }
}

pub fn clock(dial: &ScheduleClock) -> Clock {
    match dial {
        ScheduleClock::Person => Clock::Floating,
        ScheduleClock::Day { .. } => Clock::Day,
        ScheduleClock::Zone(name) => Clock::named(name).expect("a zone"),
    }
}

pub fn series(table: &Timetable, person: &Person) -> Series {
    let day = |day: &Weekday| {
        ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
            [usize::try_from(day.to_monday_zero_offset()).expect("small")]
    };
    let joined = |list: Vec<String>| list.join(",");
    let mut rule = match &table.pattern {
        Pattern::Once => return Series::once(table.start, clock(&table.dial)),
        Pattern::Days(n) => format!("FREQ=DAILY;INTERVAL={n}"),
        Pattern::Weeks(n, on) => {
            let on = joined(on.iter().map(|one| day(one).to_owned()).collect());
            format!("FREQ=WEEKLY;INTERVAL={n};BYDAY={on}")
        }
        Pattern::MonthDays(on) => {
            format!(
                "FREQ=MONTHLY;BYMONTHDAY={}",
                joined(on.iter().map(ToString::to_string).collect())
            )
        }
        Pattern::NthWeekday(nth, on) => format!("FREQ=MONTHLY;BYDAY={nth}{}", day(on)),
        Pattern::Minutes(n) => format!("FREQ=MINUTELY;INTERVAL={n}"),
    };
    if let Some(until) = table.until {
        rule.push_str(&until.strftime(";UNTIL=%Y%m%d").to_string());
    }
    if let Some(count) = table.count {
        write!(rule, ";COUNT={count}").expect("a String grows");
    }
    let rule = rule.parse().expect("a rule");
    Series::new(table.start, clock(&table.dial), rule, person).expect("a series")
}

pub fn lines(definitions: &[Definition], course: &Course) -> Vec<String> {
    let mut lines: Vec<String> = expected(definitions, course)
        .iter()
        .map(|line| {
            // An identity as the product writes it.
            let original = match line.dial {
                "date" => line.original.at.date().to_string(),
                _ => line.original.at.to_string(),
            };
            let second = if line.original.is_second { " second" } else { "" };
            format!(
                "{} {} {} {original} {}{second}: {:?}",
                line.due, line.definition, line.uid, line.dial, line.outcome
            )
        })
        .collect();
    lines.sort();
    lines
}

/// What one list has and the other has not, shortly.
pub fn difference(ours: &[String], theirs: &[String]) -> String {
    let (ours, theirs): (BTreeSet<_>, BTreeSet<_>) =
        (ours.iter().collect(), theirs.iter().collect());
    let only = |a: &BTreeSet<&String>, b: &BTreeSet<&String>, sign: &str| {
        let lines: Vec<String> =
            a.difference(b).take(15).map(|line| format!("{sign} {line}")).collect();
        lines.join("\n")
    };
    format!("{}\n{}", only(&ours, &theirs, "planned "), only(&theirs, &ours, "expected"))
}

/// What a calendar writes as RECURRENCE-ID: in UTC where there is a zone.
pub fn recurrence_id(dial: &ScheduleClock, original: Shown) -> Given {
    match dial {
        ScheduleClock::Day { .. } => Given::Day(original.at.date()),
        ScheduleClock::Person => Given::Local(original.at),
        ScheduleClock::Zone(name) => Given::Utc(instant(name, original.at)),
    }
}

/// The same with the mistake that its digits are taken for those of the clock of the series.
pub fn recurrence_id_as_text(dial: &ScheduleClock, original: Shown) -> Given {
    match recurrence_id(dial, original) {
        Given::Utc(at) => Given::Local(TimeZone::UTC.to_datetime(at)),
        other => other,
    }
}

/// A start on the clock of a series.
pub fn given(series: &Series, at: DateTime) -> Given {
    match series.clock() {
        Clock::Zone(_) => Given::In(at, series.clock().clone()),
        Clock::Floating | Clock::Day => Given::Local(at),
    }
}
