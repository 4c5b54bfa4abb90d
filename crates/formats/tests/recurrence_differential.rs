//! Recurrence rules read by a second program: python-dateutil for the calendar, recurring-ical-events for
//! events with exceptions, a slow walk through every minute for rules of hours and minutes; and by a third,
//! rrule-temporal.
//!
//! The script is `tests/recurrence/oracle.py`; where this crate and dateutil mean different things on purpose,
//! `tests/recurrence/disagreements.tsv` says so.

use std::fmt::Write as _;

use dormouse_formats::recurrence::{Clock, Given, Person, Position, RecurrenceRule, Series};
use jiff::civil::{DateTime, Time, date};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use serde_json::{Value, json};

use crate::differential::{ask, ask_node};
use crate::fuzz::Numbers;
use crate::recurrence::{person, table};

const ORACLE: &str = include_str!("recurrence/oracle.py");
const SECOND: &str = include_str!("recurrence/second.mjs");

/// Changes by an hour, by half an hour (Lord Howe) and by two (Troll), at midnight, at 00:01 (St. John's, until
/// 2011), twice more for Ramadan (Casablanca), a day left out (Apia, 2011), and none.
const ZONES: [&str; 40] = [
    "Africa/Cairo",
    "Africa/Casablanca",
    "Africa/Johannesburg",
    "Africa/Tripoli",
    "Africa/Windhoek",
    "America/Anchorage",
    "America/Argentina/Buenos_Aires",
    "America/Asuncion",
    "America/Bogota",
    "America/Caracas",
    "America/Chicago",
    "America/Havana",
    "America/Los_Angeles",
    "America/Mexico_City",
    "America/New_York",
    "America/Nuuk",
    "America/Santiago",
    "America/Sao_Paulo",
    "America/St_Johns",
    "Antarctica/Troll",
    "Asia/Amman",
    "Asia/Baku",
    "Asia/Beirut",
    "Asia/Jerusalem",
    "Asia/Kathmandu",
    "Asia/Kolkata",
    "Asia/Pyongyang",
    "Asia/Tehran",
    "Asia/Tokyo",
    "Atlantic/Azores",
    "Australia/Adelaide",
    "Australia/Lord_Howe",
    "Australia/Sydney",
    "Europe/Berlin",
    "Europe/Dublin",
    "Europe/Istanbul",
    "Europe/London",
    "Pacific/Apia",
    "Pacific/Auckland",
    "UTC",
];

/// The occurrences that are compared of each case.
const COMPARED: usize = 60;

fn pick<'a, T: ?Sized>(numbers: &mut Numbers, list: &[&'a T]) -> &'a T {
    list[numbers.below(list.len())]
}

/// One to three numbers of a range, as a rule writes them.
fn list(numbers: &mut Numbers, low: i64, high: i64, from_end: bool) -> String {
    let width = usize::try_from(high - low + 1).unwrap();
    let mut found: Vec<i64> = Vec::new();
    for _ in 0..=numbers.below(3) {
        let n = low + i64::try_from(numbers.below(width)).unwrap();
        let n = if from_end && numbers.below(3) == 0 { -n } else { n };
        if !found.contains(&n) {
            found.push(n);
        }
    }
    found.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

fn weekdays(numbers: &mut Numbers, most: Option<i64>) -> String {
    let mut days = vec!["MO", "TU", "WE", "TH", "FR", "SA", "SU"];
    let mut found = Vec::new();
    for _ in 0..=numbers.below(3) {
        let day = days.remove(numbers.below(days.len()));
        found.push(match most {
            None => day.to_owned(),
            Some(most) => {
                let n = 1 + i64::try_from(numbers.below(usize::try_from(most).unwrap())).unwrap();
                format!("{}{day}", if numbers.below(3) == 0 { -n } else { n })
            }
        });
    }
    found.join(",")
}

/// A rule of days or longer. It leaves out what `disagreements.tsv` names.
fn calendar_rule(numbers: &mut Numbers, start: DateTime) -> String {
    let frequency = pick(numbers, &["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]);
    let mut rule = format!("FREQ={frequency}");
    let some = |numbers: &mut Numbers, of: usize| numbers.below(of) == 0;
    match numbers.below(6) {
        0 => write!(rule, ";COUNT={}", 1 + numbers.below(40)).unwrap(),
        1 => {
            let last = start + i64::try_from(numbers.below(2_000)).unwrap().days();
            let forms = ["%Y%m%d", "%Y%m%dT%H%M%S", "%Y%m%dT%H%M%SZ"];
            write!(rule, ";UNTIL={}", last.strftime(pick(numbers, &forms))).unwrap();
        }
        _ => {}
    }
    if some(numbers, 2) {
        write!(rule, ";INTERVAL={}", 2 + numbers.below(9)).unwrap();
    }
    if some(numbers, 3) {
        write!(rule, ";BYMONTH={}", list(numbers, 1, 12, false)).unwrap();
    }
    let mut has_part = rule.contains("BYMONTH");
    let mut has_week = false;
    if frequency == "YEARLY" {
        if some(numbers, 5) {
            let weeks = list(numbers, 1, 51, true);
            write!(rule, ";BYWEEKNO={weeks};BYDAY={}", weekdays(numbers, None)).unwrap();
            (has_part, has_week) = (true, true);
        } else if some(numbers, 5) {
            write!(rule, ";BYYEARDAY={}", list(numbers, 1, 366, true)).unwrap();
            has_part = true;
        }
    }
    if matches!(frequency, "MONTHLY" | "YEARLY" | "DAILY") && !has_week && some(numbers, 3) {
        write!(rule, ";BYMONTHDAY={}", list(numbers, 1, 31, true)).unwrap();
        has_part = true;
    }
    if !has_week && some(numbers, 2) {
        let most = match frequency {
            "MONTHLY" => Some(5),
            "YEARLY" if rule.contains("BYMONTH=") => Some(5),
            "YEARLY" => Some(53),
            _ => None,
        };
        let has_number = some(numbers, 2);
        let days = weekdays(numbers, most.filter(|_| has_number));
        write!(rule, ";BYDAY={days}").unwrap();
        has_part = true;
    }
    for (name, most) in [("BYHOUR", 5), ("BYMINUTE", 59), ("BYSECOND", 59)] {
        if some(numbers, 4) {
            write!(rule, ";{name}={}", list(numbers, 0, most, false)).unwrap();
            has_part = true;
        }
    }
    let is_whole_week = frequency != "WEEKLY" || start.weekday() == jiff::civil::Weekday::Monday;
    if has_part && is_whole_week && some(numbers, 3) {
        write!(rule, ";BYSETPOS={}", list(numbers, 1, 4, true)).unwrap();
    }
    if frequency == "WEEKLY" && !rule.contains("BYSETPOS") && some(numbers, 3) {
        write!(rule, ";WKST={}", pick(numbers, &["SU", "SA", "WE"])).unwrap();
    }
    rule
}

/// A rule of hours or minutes.
fn elapsed_rule(numbers: &mut Numbers) -> String {
    let frequency = pick(numbers, &["HOURLY", "HOURLY", "MINUTELY"]);
    let mut rule = format!("FREQ={frequency}");
    let some = |numbers: &mut Numbers, of: usize| numbers.below(of) == 0;
    if some(numbers, 5) {
        write!(rule, ";COUNT={}", 1 + numbers.below(80)).unwrap();
    }
    let intervals: &[u32] = if frequency == "HOURLY" {
        &[1, 1, 2, 3, 5, 7, 12, 24, 25]
    } else {
        &[5, 7, 15, 20, 30, 45, 90, 1_440, 1_439]
    };
    let interval = intervals[numbers.below(intervals.len())];
    write!(rule, ";INTERVAL={interval}").unwrap();
    let mut has_part = false;
    for (name, low, high, of, from_end) in [
        ("BYMONTH", 1, 12, 20, false),
        ("BYYEARDAY", 1, 365, 20, true),
        ("BYMONTHDAY", 1, 31, 10, true),
        ("BYHOUR", 0, 4, 4, false),
        ("BYMINUTE", 0, 59, 3, false),
        ("BYSECOND", 0, 59, 6, false),
    ] {
        if some(numbers, of) {
            write!(rule, ";{name}={}", list(numbers, low, high, from_end)).unwrap();
            has_part = true;
        }
    }
    if some(numbers, 5) {
        write!(rule, ";BYDAY={}", weekdays(numbers, None)).unwrap();
        has_part = true;
    }
    if has_part && some(numbers, 4) {
        write!(rule, ";BYSETPOS={}", list(numbers, 1, 2, true)).unwrap();
    }
    rule
}

/// The occurrences up to a civil time, sorted by the instant: start, fold, instant.
fn ours(rule: &str, start: DateTime, zone: &str, horizon: DateTime) -> Vec<(String, bool, i64)> {
    let rule: RecurrenceRule = rule.parse().unwrap_or_else(|error| panic!("{rule}: {error}"));
    let person = person(zone);
    let Ok(series) = Series::new(start, Clock::named(zone).unwrap(), rule, &person) else {
        return Vec::new();
    };
    let begin = Position::new(Timestamp::from_second(0).unwrap(), &person);
    let last = TimeZone::UTC.to_timestamp(horizon + 3.days()).unwrap();
    let found = series.upcoming(&begin, &person).take_while(|one| one.due <= last);
    let found = found
        .take(COMPARED + 10)
        .map(|one| (one.id.start.civil.to_string(), one.id.start.fold, one.due.as_second()));
    let mut found: Vec<_> = found.filter(|one| one.0 <= horizon.to_string()).collect();
    found.sort_by(|one, other| (one.2, &one.0).cmp(&(other.2, &other.0)));
    found.truncate(COMPARED);
    found
}

fn start_near_a_change(numbers: &mut Numbers, zone: &str) -> DateTime {
    let days = i64::try_from(numbers.below(3_650)).unwrap();
    let time = Time::new(
        i8::try_from(numbers.below(5)).unwrap(),
        [0, 15, 30, 45, 59][numbers.below(5)],
        [0, 0, 0, 20][numbers.below(4)],
        0,
    );
    let any = date(2010, 1, 1).saturating_add(days.days()).to_datetime(time.unwrap());
    let zone = TimeZone::get(zone).unwrap();
    let change = zone.following(zone.to_timestamp(any).unwrap()).next();
    let before = i64::try_from(numbers.below(4)).unwrap().days();
    match change {
        Some(change) if change.timestamp().as_second() < 1_735_689_600 => {
            let day = zone.to_datetime(change.timestamp()).date().saturating_sub(before);
            day.to_datetime(any.time())
        }
        _ => any,
    }
}

#[allow(clippy::disallowed_methods)] // How many cases are compared, not how.
fn compare(
    kind: &str,
    cases: u64,
    mut case: impl FnMut(&mut Numbers, &str) -> (String, DateTime, DateTime),
) {
    // A release compares ten times as many.
    let cases =
        if std::env::var_os("DORMOUSE_FUZZ_SECONDS").is_some() { 10 * cases } else { cases };
    let mut drawn = Vec::new();
    for seed in 0..cases {
        let mut numbers = Numbers::new(seed + 1);
        for _ in 0..8 {
            numbers.below(2);
        }
        let zone = ZONES[usize::try_from(seed).unwrap() % ZONES.len()];
        let (rule, start, horizon) = case(&mut numbers, zone);
        drawn.push((rule, start, zone, horizon));
    }
    let text: Vec<Value> = drawn
        .iter()
        .map(|(rule, start, zone, horizon)| {
            json!({"kind": kind, "rule": rule, "start": start, "zone": zone, "horizon": horizon})
        })
        .collect();
    let Some(theirs) = ask("python-dateutil", ORACLE, &json!(text).to_string()) else { return };
    let (mut wrong, mut n_starts) = (Vec::new(), 0);
    for ((rule, start, zone, horizon), theirs) in drawn.iter().zip(theirs.as_array().unwrap()) {
        let mut theirs: Vec<(String, bool, i64)> = theirs
            .as_array()
            .unwrap()
            .iter()
            .map(|one| {
                let civil = one[0].as_str().unwrap().to_owned();
                let at = one.as_array().unwrap().last().and_then(Value::as_i64).unwrap();
                (civil, kind == "elapsed" && one[1] == 1, at)
            })
            .collect();
        theirs.sort_by(|one, other| (one.2, &one.0).cmp(&(other.2, &other.0)));
        theirs.truncate(COMPARED);
        n_starts += theirs.len();
        let ours = ours(rule, *start, zone, *horizon);
        if ours != theirs {
            let at = ours.iter().zip(&theirs).take_while(|(one, other)| one == other).count();
            wrong.push(format!(
                "{rule} from {start} {zone}: {} and {} starts; number {at}: {:?} and {:?}",
                ours.len(),
                theirs.len(),
                ours.get(at),
                theirs.get(at),
            ));
        }
    }
    let some = wrong.iter().take(12).cloned().collect::<Vec<_>>().join("\n");
    assert!(wrong.is_empty(), "{} of {cases} differ (ours and theirs)\n{some}", wrong.len());
    assert!(
        n_starts > 10 * usize::try_from(cases).unwrap(),
        "only {n_starts} starts were compared"
    );
}

#[test]
fn rules_of_days_and_longer_mean_the_same_to_dateutil_in_forty_zones() {
    compare("civil", 120, |numbers, zone| {
        let start = start_near_a_change(numbers, zone);
        let rule = calendar_rule(numbers, start);
        (rule, start, start + 10.years())
    });
}

/// A third opinion, so that dateutil and we are not wrong together. On the clock of UTC: what a civil time is
/// in a zone is compared with dateutil.
#[test]
fn rules_of_days_and_longer_mean_the_same_to_rrule_temporal() {
    let case = |seed: u64| {
        let mut numbers = Numbers::new(seed + 7_001);
        for _ in 0..8 {
            numbers.below(2);
        }
        let start = start_near_a_change(&mut numbers, "UTC");
        (calendar_rule(&mut numbers, start), start, start + 10.years())
    };
    // It takes the days of BYYEARDAY, BYMONTHDAY and numbered weekdays as alternatives, where RFC 5545 3.3.10
    // (the table below the rule parts) lets each limit the others; and it refuses an UNTIL on the clock.
    let is_comparable = |rule: &str| {
        let is_local = rule.split(';').any(|part| part.starts_with("UNTIL=") && part.len() == 21);
        let limits = ["BYYEARDAY", "BYMONTHDAY=", "BYDAY"].map(|name| rule.contains(name));
        !is_local && !(limits[0] && (limits[1] || limits[2]))
    };
    let cases: Vec<(String, DateTime, DateTime)> =
        (0..100).map(case).filter(|(rule, ..)| is_comparable(rule)).collect();
    let text: Vec<Value> = cases
        .iter()
        .map(|(rule, start, horizon)| json!({"rule": rule, "start": start, "horizon": horizon}))
        .collect();
    let Some(theirs) = ask_node("rrule-temporal", SECOND, &json!(text).to_string()) else { return };
    let (mut wrong, mut n_starts) = (Vec::new(), 0);
    for ((rule, start, horizon), theirs) in cases.iter().zip(theirs.as_array().unwrap()) {
        let ours: Vec<String> =
            ours(rule, *start, "UTC", *horizon).into_iter().map(|one| one.0).collect();
        let Some(theirs) = theirs.as_array() else {
            // It gives up where hardly anything fits; nothing else is refused.
            assert!(theirs.as_str().unwrap().starts_with("Maximum iterations"), "{rule}: {theirs}");
            continue;
        };
        let theirs: Vec<&str> = theirs.iter().take(COMPARED).filter_map(Value::as_str).collect();
        n_starts += theirs.len();
        if ours != theirs {
            let at = ours.iter().zip(&theirs).take_while(|(one, other)| one == other).count();
            wrong.push(format!(
                "{rule} from {start}: {} and {} starts; number {at}: {:?} and {:?}",
                ours.len(),
                theirs.len(),
                ours.get(at),
                theirs.get(at),
            ));
        }
    }
    assert!(wrong.is_empty(), "{} differ (ours and theirs)\n{}", wrong.len(), wrong.join("\n"));
    assert!(n_starts > 1_500, "only {n_starts} starts were compared");
}

#[test]
fn rules_of_hours_and_minutes_mean_the_same_to_a_walk_through_every_minute() {
    compare("elapsed", 80, |numbers, zone| {
        let start = start_near_a_change(numbers, zone);
        let rule = elapsed_rule(numbers);
        let days = if rule.contains("MINUTELY") { 6 } else { 20 };
        (rule, start, start + days.days())
    });
}

/// An event with moved, excluded and added occurrences, as text and as a series.
fn event(seed: u64) -> (String, Series, Person) {
    let mut numbers = Numbers::new(seed + 1);
    let zone = pick(&mut numbers, &["Europe/Berlin", "America/New_York", "Australia/Lord_Howe"]);
    let person = person(zone);
    let clock = Clock::named(zone).unwrap();
    let day = date(2026, 3, 1).saturating_add(i64::try_from(numbers.below(200)).unwrap().days());
    let start = day.at(i8::try_from(numbers.below(24)).unwrap(), 30, 0, 0);
    let interval = 1 + numbers.below(3);
    let rule = format!("FREQ=DAILY;COUNT=30;INTERVAL={interval}");
    let form = "%Y%m%dT%H%M%S";
    let stamp = "DTSTAMP:20260101T000000Z\r\n";
    let mut series = Series::new(start, clock.clone(), rule.parse().unwrap(), &person).unwrap();
    let mut text = format!(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//\r\nBEGIN:VEVENT\r\nUID:1\r\n{stamp}DTSTART;TZID={zone}:{}\r\nDURATION:PT5M\r\nRRULE:{rule}\r\n",
        start.strftime(form)
    );
    let nth = |n: usize| start.saturating_add(i64::try_from(n * interval).unwrap().days());
    let mut moved = Vec::new();
    for n in 0..30 {
        match numbers.below(8) {
            0 => {
                writeln!(text, "EXDATE;TZID={zone}:{}\r", nth(n).strftime(form)).unwrap();
                series.exclude(&Given::In(nth(n), clock.clone()), &person);
            }
            1 => {
                let to =
                    nth(n).saturating_add((i64::try_from(numbers.below(90)).unwrap() - 45).hours());
                moved.push((nth(n), to));
                let original = TimeZone::get(zone).unwrap().to_timestamp(nth(n)).unwrap();
                series.move_to(&Given::Utc(original), &Given::In(to, clock.clone()), &person);
            }
            2 => {
                let extra = nth(n).saturating_add(11.hours());
                writeln!(text, "RDATE;TZID={zone}:{}\r", extra.strftime(form)).unwrap();
                series.add(&Given::Local(extra), &person);
            }
            _ => {}
        }
    }
    text.push_str("END:VEVENT\r\n");
    for (original, to) in moved {
        write!(
            text,
            "BEGIN:VEVENT\r\nUID:1\r\n{stamp}RECURRENCE-ID;TZID={zone}:{}\r\nDTSTART;TZID={zone}:{}\r\nDURATION:PT5M\r\nEND:VEVENT\r\n",
            original.strftime(form),
            to.strftime(form)
        )
        .unwrap();
    }
    text.push_str("END:VCALENDAR\r\n");
    (text, series, person)
}

#[test]
fn events_with_exceptions_mean_the_same_to_recurring_ical_events() {
    let events: Vec<_> = (0..60).map(event).collect();
    let text: Vec<Value> = events
        .iter()
        .map(|(text, ..)| {
            json!({"kind": "events", "text": text, "from": "2026-01-01T00:00:00", "to": "2028-01-01T00:00:00"})
        })
        .collect();
    let Some(theirs) = ask("recurring-ical-events", ORACLE, &json!(text).to_string()) else {
        return;
    };
    for ((text, series, person), theirs) in events.iter().zip(theirs.as_array().unwrap()) {
        let begin = Position::new(Timestamp::from_second(0).unwrap(), person);
        let ours: Vec<i64> =
            series.upcoming(&begin, person).map(|one| one.due.as_second()).collect();
        assert_eq!(json!(ours), *theirs, "{text}");
    }
}

#[test]
fn where_dateutil_means_something_else_a_sentence_decides() {
    let rows = table("disagreements.tsv");
    let cases: Vec<Value> = rows
        .iter()
        .map(|row| {
            let start: DateTime = row[1].parse().unwrap();
            json!({"kind": "civil", "rule": row[0], "start": start, "zone": "UTC", "horizon": start + 2.years()})
        })
        .collect();
    for row in &rows {
        let [rule, start, expected, _, why] = &row[..] else { panic!("{row:?}") };
        let start: DateTime = start.parse().unwrap();
        let days: Vec<String> = ours(rule, start, "UTC", start + 2.years())
            .iter()
            .take(2)
            .map(|one| one.0[..10].to_owned())
            .collect();
        assert_eq!(days.join(" "), *expected, "{rule}: {why}");
    }
    let Some(theirs) = ask("python-dateutil", ORACLE, &json!(cases).to_string()) else { return };
    for (row, theirs) in rows.iter().zip(theirs.as_array().unwrap()) {
        let days = theirs.as_array().unwrap().iter().take(2);
        let days: Vec<&str> = days.map(|one| &one[0].as_str().unwrap()[..10]).collect();
        assert_eq!(days.join(" "), row[3], "{}: dateutil means the same now", row[0]);
    }
}
