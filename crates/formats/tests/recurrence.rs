//! Recurrence rules and series. The tables are in `tests/recurrence/`.

use std::path::Path;

use dormouse_formats::recurrence::{
    Clock, Given, Person, Position, RecurrenceRule, RuleError, Series, SplitError,
};
use jiff::civil::{DateTime, Time, date};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

/// Somebody in a zone, for whom whole days are due at 8:00.
pub fn person(zone: &str) -> Person {
    Person { zone: TimeZone::get(zone).unwrap(), day_due_at: Time::constant(8, 0, 0, 0) }
}

/// The lines of a table, cut at its tabs.
pub fn table(name: &str) -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recurrence").join(name);
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with("# "));
    lines.map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

/// A series in a zone, with somebody there.
pub fn series(rule: &str, start: &str, zone: &str) -> Result<(Series, Person), RuleError> {
    let person = person(zone);
    let clock = Clock::named(zone).unwrap();
    Ok((Series::new(start.parse().unwrap(), clock, rule.parse()?, &person)?, person))
}

/// A position before everything.
pub fn beginning(person: &Person) -> Position {
    Position::new(Timestamp::from_second(0).unwrap(), person)
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn local(text: &str) -> Given {
    Given::Local(text.parse().unwrap())
}

/// The next due times, as the clock of the person shows them.
fn due(series: &Series, after: &Position, person: &Person, n: usize) -> Vec<String> {
    let found = series.upcoming(after, person).take(n);
    found.map(|one| person.zone.to_datetime(one.due).strftime("%m-%d %H:%M").to_string()).collect()
}

#[test]
fn rules_give_the_starts_of_the_table() {
    let mut wrong = Vec::new();
    for row in table("rules.tsv") {
        let [rule, start, zone, expected] = &row[..] else { panic!("{row:?}") };
        let (series, person) = series(rule, start, zone).unwrap();
        let begin = beginning(&person);
        let mut shown = Vec::new();
        for one in series.upcoming(&begin, &person).take(5) {
            let civil = one.id.start.civil;
            let mut text = civil.strftime("%Y-%m-%dT%H:%M").to_string();
            text.push_str(if one.id.start.fold { "+" } else { "" });
            if person.zone.to_datetime(one.due) != civil {
                text += &TimeZone::UTC.to_datetime(one.due).strftime("=%H:%MZ").to_string();
            }
            shown.push(text);
        }
        if shown.len() == 5 {
            shown[4] = "…".to_owned();
        }
        if shown.join(" ") != *expected {
            wrong.push(format!(
                "{rule} from {start}\n  expected {expected}\n  got      {}",
                shown.join(" ")
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_no_rule_is_refused_with_what_to_do() {
    for row in table("refused.tsv") {
        let [text, said] = &row[..] else { panic!("{row:?}") };
        match text.parse::<RecurrenceRule>() {
            Ok(rule) => panic!("{text} was read as {rule}"),
            Err(error) => assert!(error.to_string().contains(said), "{text}: {error}"),
        }
    }
    let long = format!("FREQ=DAILY;BYHOUR={}", "1,".repeat(5_000));
    assert!(matches!(long.parse::<RecurrenceRule>(), Err(RuleError::TooLong { .. })));
}

#[test]
fn a_rule_is_written_in_one_form() {
    for (text, expected) in [
        ("freq=daily;interval=1;wkst=mo", "FREQ=DAILY"),
        ("RRULE:BYDAY=TH,MO;FREQ=WEEKLY;", "FREQ=WEEKLY;BYDAY=MO,TH"),
        ("FREQ=MONTHLY;BYDAY=-1MO,FR,1FR,1MO,-1MO,SA", "FREQ=MONTHLY;BYDAY=FR,SA,1MO,1FR,-1MO"),
        ("FREQ=MONTHLY;BYMONTHDAY=-1,15,1,-2,15", "FREQ=MONTHLY;BYMONTHDAY=1,15,-2,-1"),
        ("FREQ=DAILY;BYSECOND=60,59", "FREQ=DAILY;BYSECOND=59"),
        ("FREQ=DAILY; UNTIL=20261231T225900Z; INTERVAL=+2", "!"),
        (
            "FREQ=DAILY; INTERVAL=2; UNTIL=20261231T225900Z",
            "FREQ=DAILY;UNTIL=20261231T225900Z;INTERVAL=2",
        ),
        (
            "FREQ=YEARLY;WKST=SU;BYWEEKNO=-1,1;BYDAY=SU;COUNT=2",
            "FREQ=YEARLY;COUNT=2;BYWEEKNO=1,-1;BYDAY=SU;WKST=SU",
        ),
    ] {
        let written =
            text.parse::<RecurrenceRule>().map_or("!".to_owned(), |rule| rule.to_string());
        assert_eq!(written, expected, "{text}");
    }
}

#[test]
fn a_rule_that_never_happens_is_found_in_bounded_work() {
    for rule in [
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=MONTHLY;BYMONTHDAY=31;BYDAY=6MO",
        "FREQ=MONTHLY;INTERVAL=12;BYMONTH=3",
        "FREQ=DAILY;BYHOUR=1;BYSETPOS=2",
        "FREQ=YEARLY;BYWEEKNO=53;BYMONTH=6;BYDAY=MO",
        "FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=MINUTELY;INTERVAL=1440;BYHOUR=3",
        "FREQ=MINUTELY;INTERVAL=2;BYMINUTE=1",
    ] {
        let made = series(rule, "2026-11-23T09:00", "UTC");
        assert_eq!(made.err(), Some(RuleError::NeverHappens), "{rule}");
    }
    let every_time = format!(
        "FREQ=YEARLY;COUNT=1;BYHOUR={};BYMINUTE={};BYSECOND={};BYSETPOS=-1,366;BYDAY=MO,TU,WE,TH,FR,SA,SU",
        (0..24).map(|n| n.to_string()).collect::<Vec<_>>().join(","),
        (0..60).map(|n| n.to_string()).collect::<Vec<_>>().join(","),
        (0..60).map(|n| n.to_string()).collect::<Vec<_>>().join(","),
    );
    let (series, person) = series(&every_time, "2026-01-01T00:00", "UTC").unwrap();
    let first = series.next_due(&beginning(&person), &person).unwrap();
    assert_eq!(first.at, at("2026-01-01T00:06:05Z"));
    assert!(first.steps < 1_000, "{} steps", first.steps);
}

#[test]
fn whole_days_are_due_at_the_time_of_the_person_and_know_no_hours() {
    let person = person("Europe/Berlin");
    let start = date(2026, 3, 28).at(0, 0, 0, 0);
    let rule = |text: &str| text.parse::<RecurrenceRule>().unwrap();
    let series = Series::new(start, Clock::Day, rule("FREQ=DAILY;BYHOUR=17;COUNT=2"), &person);
    let series = series.unwrap();
    let found: Vec<_> = series.upcoming(&beginning(&person), &person).collect();
    assert_eq!(found[0].due, at("2026-03-28T07:00:00Z"));
    assert_eq!(found[1].due, at("2026-03-29T06:00:00Z"));
    assert_eq!(found[1].id.to_string(), "2026-03-29 date");
    let hourly = Series::new(start, Clock::Day, rule("FREQ=HOURLY"), &person);
    assert!(hourly.unwrap_err().to_string().contains("whole days cannot"));
}

#[test]
fn two_starts_that_a_change_of_the_clock_puts_together_are_due_together() {
    let (series, person) =
        series("FREQ=DAILY;BYHOUR=2,3;BYMINUTE=0,30", "2026-03-29T02:00", "Europe/Berlin").unwrap();
    let first = series.next_due(&beginning(&person), &person).unwrap();
    let ids: Vec<String> = first.occurrences.iter().map(|one| one.id.to_string()).collect();
    assert_eq!(first.at, at("2026-03-29T01:00:00Z"));
    assert_eq!(ids, ["2026-03-29T02:00:00 Europe/Berlin", "2026-03-29T03:00:00 Europe/Berlin"]);
    let second = series.next_due(&first.position, &person).unwrap();
    assert_eq!((second.at, second.occurrences.len()), (at("2026-03-29T01:30:00Z"), 2));
}

#[test]
fn what_comes_next_costs_the_same_in_the_tenth_year() {
    for rule in [
        "FREQ=DAILY",
        "FREQ=WEEKLY;BYDAY=MO,TH;INTERVAL=3",
        "FREQ=MONTHLY;BYDAY=-1FR",
        "FREQ=YEARLY;BYMONTH=11",
        "FREQ=HOURLY;INTERVAL=5",
        "FREQ=MINUTELY;INTERVAL=7;BYDAY=MO",
        "FREQ=DAILY;COUNT=9000",
    ] {
        let (series, person) = series(rule, "2016-01-04T09:00", "Europe/Berlin").unwrap();
        let mut position = Position::new(at("2016-01-05T12:00:00Z"), &person);
        let first = series.next_due(&position, &person).unwrap();
        position = first.position;
        let is_counting = rule.contains("COUNT");
        let late = at("2026-01-05T12:00:00Z");
        if is_counting {
            while let Some(due) = series.next_due(&position, &person).filter(|due| due.at < late) {
                assert!(due.steps < 12, "{rule}: {} steps at {}", due.steps, due.at);
                position = due.position;
            }
        } else {
            position.at = late;
        }
        let tenth = series.next_due(&position, &person).unwrap();
        assert!(tenth.steps <= first.steps + 370, "{rule}: {} and {}", first.steps, tenth.steps);
    }
}

#[test]
fn an_occurrence_keeps_its_identity_when_it_is_moved() {
    let (mut series, person) = series("FREQ=DAILY", "2026-11-23T09:00", "Europe/Berlin").unwrap();
    // The original start comes from a calendar in UTC.
    series.move_to(&Given::Utc(at("2026-11-24T08:00:00Z")), &local("2026-11-25T10:00"), &person);
    series.cancel(&local("2026-11-26T09:00"), &person);
    series.exclude(&Given::Day(date(2026, 11, 27)), &person);
    series.add(&local("2026-11-27T12:00"), &person);
    let found: Vec<_> = series.upcoming(&beginning(&person), &person).take(4).collect();
    let shown: Vec<String> = found.iter().map(|one| format!("{} {}", one.id, one.due)).collect();
    assert_eq!(
        shown,
        [
            "2026-11-23T09:00:00 Europe/Berlin 2026-11-23T08:00:00Z",
            "2026-11-25T09:00:00 Europe/Berlin 2026-11-25T08:00:00Z",
            "2026-11-24T09:00:00 Europe/Berlin 2026-11-25T09:00:00Z",
            "2026-11-28T09:00:00 Europe/Berlin 2026-11-28T08:00:00Z",
        ]
    );
    assert!(found[2].is_moved && !found[1].is_moved);
    // Moved into the past it never runs late.
    let noon = Position::new(at("2026-11-25T12:00:00Z"), &person);
    series.move_to(&local("2026-11-29T09:00"), &local("2026-11-20T09:00"), &person);
    assert_eq!(due(&series, &noon, &person, 2), ["11-28 09:00", "11-30 09:00"]);
}

#[test]
fn a_day_that_is_moved_to_the_evening_of_another_runs_after_that_one() {
    let person = Person { day_due_at: Time::constant(8, 0, 0, 0), ..person("Europe/Berlin") };
    let start = date(2026, 11, 23).at(0, 0, 0, 0);
    let rule = "FREQ=DAILY;COUNT=4".parse().unwrap();
    let mut days = Series::new(start, Clock::Day, rule, &person).unwrap();
    let original = Given::Day(date(2026, 11, 25));
    days.move_to(&original, &local("2026-11-24T22:00"), &person);
    let expected = ["11-23 08:00", "11-24 08:00", "11-24 22:00", "11-26 08:00"];
    assert_eq!(due(&days, &beginning(&person), &person, 9), expected);
    // A day that ran does not run again when its time of day is moved.
    let noon = days.next_due(&beginning(&person), &person).unwrap().position;
    let later = Person { day_due_at: Time::constant(18, 0, 0, 0), ..person };
    assert_eq!(due(&days, &noon, &later, 1), ["11-24 18:00"]);
}

#[test]
fn an_original_start_in_a_gap_is_found_by_the_instant_it_became() {
    let (mut series, person) =
        series("FREQ=DAILY;COUNT=3", "2026-03-28T02:30", "Europe/Berlin").unwrap();
    series.exclude(&Given::Utc(at("2026-03-29T01:30:00Z")), &person);
    assert_eq!(due(&series, &beginning(&person), &person, 9), ["03-28 02:30", "03-30 02:30"]);
}

#[test]
fn what_is_suspended_never_runs_late_and_still_counts() {
    let (mut series, person) =
        series("FREQ=DAILY;COUNT=10", "2026-11-23T09:00", "Europe/Berlin").unwrap();
    let begin = beginning(&person);
    series.suspend(at("2026-11-25T00:00:00Z"), Some(at("2026-12-01T00:00:00Z")));
    let days = ["11-23 09:00", "11-24 09:00", "12-01 09:00", "12-02 09:00"];
    assert_eq!(due(&series, &begin, &person, 9), days);
    series.suspend(at("2026-12-02T00:00:00Z"), None);
    assert_eq!(due(&series, &begin, &person, 9), days[..3]);
    series.resume(at("2026-12-02T06:00:00Z"));
    assert_eq!(due(&series, &begin, &person, 9), days);
}

#[test]
fn a_long_suspension_is_passed_without_a_visit_to_each_occurrence() {
    for rule in ["FREQ=DAILY", "FREQ=MINUTELY;INTERVAL=5"] {
        let (mut series, person) = series(rule, "2026-11-23T09:00", "Europe/Berlin").unwrap();
        series.suspend(at("2026-11-24T00:00:00Z"), Some(at("2046-12-01T00:00:00Z")));
        let after = Position::new(at("2026-11-24T00:00:00Z"), &person);
        let due = series.next_due(&after, &person).unwrap();
        assert_eq!(due.at.to_string().get(..10), Some("2046-12-01"), "{rule}");
        assert!(due.steps < 2_000, "{rule}: {} steps", due.steps);
        series.suspend(at("2046-01-01T00:00:00Z"), None);
        assert_eq!(series.next_due(&after, &person), None);
    }
}

#[test]
fn a_split_series_gives_what_the_whole_gave() {
    for (rule, start, place) in [
        ("FREQ=WEEKLY;BYDAY=MO,TH;INTERVAL=2;COUNT=9", "2026-11-23T09:00", "2026-12-10T09:00"),
        ("FREQ=DAILY", "2026-11-23T09:00", "2026-12-10T09:00"),
        ("FREQ=MONTHLY;BYDAY=-1FR;UNTIL=20270930", "2026-11-27T09:00", "2027-02-26T09:00"),
        ("FREQ=HOURLY;COUNT=40", "2026-10-24T09:00", "2026-10-25T04:00"),
    ] {
        let (mut series, person) = series(rule, start, "Europe/Berlin").unwrap();
        let begin = beginning(&person);
        let next: DateTime = place.parse().unwrap();
        series.move_to(&local(start), &Given::Local(next.saturating_add(1.hours())), &person);
        series.exclude(&Given::Local(next.saturating_add(7.days())), &person);
        let whole: Vec<_> = series.upcoming(&begin, &person).take(30).collect();
        let (before, after) = series.split(&local(place), &person).unwrap();
        let mut parts: Vec<_> = before.upcoming(&begin, &person).collect();
        assert!(before.rule().unwrap().to_string().contains("UNTIL="));
        assert_eq!(after.start(), next);
        parts.extend(after.upcoming(&begin, &person).take(30));
        parts.sort_by_key(|one| one.due);
        parts.truncate(whole.len());
        assert_eq!(parts, whole, "{rule}");
    }
    let (series, person) = series("FREQ=DAILY;COUNT=3", "2026-11-23T09:00", "UTC").unwrap();
    let split = |place: &str| series.split(&local(place), &person).map(|_| ());
    assert!(matches!(split("2026-11-23T09:00"), Err(SplitError::NothingBefore { .. })));
    assert!(matches!(split("2026-11-30T09:00"), Err(SplitError::NothingFollows { .. })));
    let (hourly, person) =
        self::series("FREQ=HOURLY", "2026-10-25T00:30", "Europe/Berlin").unwrap();
    let second = hourly.split(&Given::Utc(at("2026-10-25T01:30:00Z")), &person);
    assert!(matches!(second, Err(SplitError::SecondTime { .. })));
}

#[test]
fn who_travels_meets_no_day_twice_and_loses_none() {
    let berlin = person("Europe/Berlin");
    let start = date(2026, 11, 23).at(9, 0, 0, 0);
    let daily =
        Series::new(start, Clock::Floating, "FREQ=DAILY".parse().unwrap(), &berlin).unwrap();
    let made = Position::new(at("2026-11-23T06:00:00Z"), &berlin);
    let first = daily.next_due(&made, &berlin).unwrap();
    assert_eq!(first.at, at("2026-11-23T08:00:00Z"));
    assert_eq!(first.occurrences[0].id.to_string(), "2026-11-23T09:00:00 floating");
    // To the west, where it becomes nine o'clock again on the same day.
    let new_york = person("America/New_York");
    let second = daily.next_due(&first.position, &new_york).unwrap();
    assert_eq!(second.at, at("2026-11-24T14:00:00Z"));
    // To the east at once, where it is past nine o'clock of the next day already: that day is due.
    let auckland = person("Pacific/Auckland");
    let third = daily.next_due(&second.position, &auckland).unwrap();
    assert_eq!(third.occurrences[0].id.to_string(), "2026-11-25T09:00:00 floating");
    assert_eq!(third.at, at("2026-11-24T20:00:00Z"));
    // A named zone stays where it is, and is part of the identity.
    let named = daily.on_clock(Clock::named("europe/berlin").unwrap()).unwrap();
    assert!(daily.on_clock(Clock::Day).is_err());
    let due = named.next_due(&first.position, &new_york).unwrap();
    assert_eq!(due.occurrences[0].id.to_string(), "2026-11-24T09:00:00 Europe/Berlin");
    assert_eq!(due.at, at("2026-11-24T08:00:00Z"));
}

#[test]
fn an_unknown_zone_is_refused_and_never_guessed() {
    let error = Clock::named("W. Europe Standard Time").unwrap_err().to_string();
    assert_eq!(
        error,
        "there is no time zone `W. Europe Standard Time`; write one like Europe/Berlin"
    );
}
