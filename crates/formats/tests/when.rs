//! Dates as people say them. The phrases are in `tests/when/`, one a line.

use std::fmt::Write as _;
use std::path::Path;

use dormouse_formats::quick_add::quick_add;
use dormouse_formats::when::{
    self, DayOrder, ENGLISH, Found, Kind, Moment, MonthDay, Point, Reader, Recurrence, Rule,
    Weekday, When, Zone,
};
use jiff::tz::TimeZone;

/// A reader in Berlin at a time such as `2026-11-18T10:15`, whose weeks begin on Monday.
pub fn reader(now: &str, order: DayOrder) -> Reader {
    Reader {
        now: now.parse().unwrap(),
        zone: TimeZone::get("Europe/Berlin").unwrap(),
        order,
        language: ENGLISH,
        week_starts: Weekday::Monday,
    }
}

fn moment(moment: &Moment) -> String {
    let at = moment.at.strftime("%Y-%m-%d %H:%M");
    match &moment.zone {
        Zone::Reader => at.to_string(),
        Zone::Offset(seconds) => format!("{at} {:+}min", seconds / 60),
        Zone::Named(name) => format!("{at} {name}"),
    }
}

fn point(point: &Point) -> String {
    match point {
        Point::Day(day) => day.to_string(),
        Point::At(at) => moment(at),
    }
}

fn recurrence(recurrence: &Recurrence) -> String {
    let n = recurrence.every;
    let names =
        |days: &[Weekday]| days.iter().map(|day| &day.name()[..3]).collect::<Vec<_>>().join(" ");
    let mut text = match &recurrence.rule {
        Rule::Minutes => format!("every {n} min"),
        Rule::Hours => format!("every {n} h"),
        Rule::Days => format!("every {n} d"),
        Rule::WorkingDays => format!("every {n} working d"),
        Rule::Weeks(on) if on.is_empty() => format!("every {n} w"),
        Rule::Weeks(on) => format!("every {n} w {}", names(on)),
        Rule::Months(MonthDay::Same) => format!("every {n} m"),
        Rule::Months(MonthDay::Number(day)) => format!("every {n} m day {day}"),
        Rule::Months(MonthDay::Weekday(nth, day)) => {
            format!("every {n} m {nth} {}", &day.name()[..3])
        }
        Rule::Months(MonthDay::WorkingDay(nth)) => format!("every {n} m {nth} working"),
        Rule::Years(None) => format!("every {n} y"),
        Rule::Years(Some(on)) => format!("every {n} y {}-{}", on.month, on.day),
    };
    if let Some(at) = recurrence.at {
        write!(text, " at {}", at.strftime("%H:%M")).unwrap();
    }
    if let Some(from) = recurrence.from {
        write!(text, " from {from}").unwrap();
    }
    if let Some(until) = recurrence.until {
        write!(text, " until {until}").unwrap();
    }
    text
}

/// A value as the tables write it.
pub fn show(when: &When) -> String {
    match when {
        When::Day(day) => day.to_string(),
        When::At(at) => moment(at),
        When::Span(span) => format!("{} .. {}", point(&span.from), point(&span.to)),
        When::Recurring(rule) => recurrence(rule),
    }
}

fn show_found(found: &Found) -> String {
    let value = show(&found.when);
    match found.kind {
        Kind::Mention => value,
        kind => format!("{kind} {value}"),
    }
}

/// What a field or a running text means, as the tables write it.
fn understood(mode: &str, text: &str, reader: &Reader) -> String {
    if mode == "field" {
        return match when::explain(text, reader) {
            Ok(found) => show_found(&found),
            Err(
                when::NotUnderstood::Unknown { .. } | when::NotUnderstood::MoreThanADate { .. },
            ) => "-".into(),
            Err(error) => format!("! {error}"),
        };
    }
    let scan = when::scan(text, reader);
    let mut shown: Vec<String> = scan.found.iter().map(show_found).collect();
    shown.extend(scan.impossible.iter().map(|one| format!("! {}", one.why)));
    if shown.is_empty() { "-".into() } else { shown.join("; ") }
}

/// Reads a table: `@ now order mode` sets the reader for the lines below, which are a text, a tab
/// and its meaning.
fn check(name: &str, at_least: usize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/when").join(name);
    let table = std::fs::read_to_string(path).unwrap();
    let (mut at, mut mode) = (None, "");
    let (mut count, mut wrong) = (0, Vec::new());
    for line in table.lines().filter(|line| !line.is_empty() && !line.starts_with("# ")) {
        if let Some(setting) = line.strip_prefix("@ ") {
            let [now, order, new_mode] = setting.split(' ').collect::<Vec<_>>()[..] else {
                panic!("{name}: {line}");
            };
            at = Some(reader(now, order.parse().unwrap()));
            mode = new_mode;
            continue;
        }
        let (text, expected) = line.split_once('\t').unwrap_or((line, "-"));
        let got = understood(mode, text, at.as_ref().unwrap());
        count += 1;
        if got != expected.trim() {
            wrong.push(format!("{mode:8}{text:50} expected {expected}\n{:58} got      {got}", ""));
        }
    }
    assert!(wrong.is_empty(), "{name}: {} of {count} wrong\n{}", wrong.len(), wrong.join("\n"));
    assert!(count >= at_least, "{name} has only {count} lines");
}

#[test]
fn phrases_mean_what_people_mean() {
    check("phrases.tsv", 200);
}

#[test]
fn phrases_held_out_until_the_rules_stood_mean_what_people_mean() {
    check("phrases-held-out.tsv", 180);
}

#[test]
fn what_only_resembles_a_date_is_none() {
    check("near-misses.tsv", 80);
}

#[test]
fn near_misses_held_out_until_the_rules_stood_are_no_dates() {
    check("near-misses-held-out.tsv", 70);
}

#[test]
fn a_line_is_a_title_with_its_parts() {
    let reader = reader("2026-11-18T10:15", DayOrder::DayFirst);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/when/quick-add.tsv");
    let table = std::fs::read_to_string(path).unwrap();
    let mut wrong = Vec::new();
    for line in table.lines().filter(|line| !line.starts_with("# ")) {
        let (text, expected) = line.split_once('\t').unwrap();
        let read = quick_add(text, &reader);
        let mut parts = vec![read.title.clone()];
        parts.extend(read.due.iter().map(show_found));
        parts.extend(read.priority.iter().map(ToString::to_string));
        parts.extend(read.labels.iter().map(|label| format!("#{label}")));
        parts.extend(read.category.iter().map(|category| format!("@{category}")));
        let got = parts.join(" | ");
        if got.trim() != expected {
            wrong.push(format!("{text:50} expected {expected}\n{:50} got      {got}", ""));
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}
