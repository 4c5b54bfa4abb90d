//! Schedules in words, and the words for a series.

use std::error::Error as _;

use dormouse_formats::recurrence::{PREVIEWED, Preview, Series, describe, english, read_schedule};
use dormouse_formats::when::{DayOrder, ENGLISH, GERMAN, Reader};
use jiff::Timestamp;

use crate::recurrence::{person, series, table};
use crate::when::reader;

const NOW: &str = "2026-11-23T10:15";

fn start(series: &Series) -> String {
    let shown = series.start().strftime("%Y-%m-%dT%H:%M").to_string();
    let clock = series.clock().to_string();
    if clock == "date" { format!("{} date", &shown[..10]) } else { format!("{shown} {clock}") }
}

#[test]
fn the_words_of_a_schedule_mean_a_rule_that_is_said_back() {
    let reader = reader(NOW, DayOrder::DayFirst);
    let mut wrong = Vec::new();
    for row in table("phrases.tsv") {
        let [text, rule, first, words] = &row[..] else { panic!("{row:?}") };
        let got = match read_schedule(text, &reader) {
            Ok(schedule) => {
                let series = schedule.series;
                let rule = series.rule().map_or("-".to_owned(), ToString::to_string);
                [rule, start(&series), english(&describe(&series))]
            }
            Err(error) => {
                let said = format!(
                    "{error} {}",
                    error.source().map_or(String::new(), ToString::to_string)
                );
                let said = if said.contains(first.as_str()) { first.clone() } else { said };
                ["!".to_owned(), said, "-".to_owned()]
            }
        };
        if got != [rule.as_str(), first, words] {
            wrong.push(format!(
                "{text}\n  expected {rule} | {first} | {words}\n  got      {}",
                got.join(" | ")
            ));
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_words_that_are_said_back_are_understood_as_the_same_schedule() {
    let reader = reader(NOW, DayOrder::DayFirst);
    let mut n_read = 0;
    for row in table("phrases.tsv") {
        let Ok(schedule) = read_schedule(&row[0], &reader) else { continue };
        let words = english(&describe(&schedule.series));
        // No reader of dates has words for the last two of these.
        if ["shorter month", " UTC", "Europe/London"].iter().any(|word| words.contains(word)) {
            continue;
        }
        let again = read_schedule(&words, &reader);
        let again = again.unwrap_or_else(|error| panic!("{words}: {error}")).series;
        assert_eq!(english(&describe(&again)), words, "{}", row[0]);
        assert_eq!(start(&again), start(&schedule.series), "{words}");
        n_read += 1;
    }
    assert!(n_read > 20, "only {n_read} were read");
}

#[test]
fn every_part_of_a_rule_has_words() {
    let mut wrong = Vec::new();
    for row in table("sentences.tsv") {
        let [rule, start, words] = &row[..] else { panic!("{row:?}") };
        let (series, _) = series(rule, start, "Europe/Berlin").unwrap();
        let got = english(&describe(&series));
        if got != *words {
            wrong.push(format!("{rule}\n  expected {words}\n  got      {got}"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

/// The phrases were written before the words were tried, as different people would say them.
#[test]
fn schedules_as_people_say_them_are_read_or_refused() {
    let (mut wrong, mut n_meant, mut n_refused) = (Vec::new(), 0, 0);
    for row in table("spoken.tsv") {
        let (language, text, meant) = match &row[..] {
            [language, text, rule, first] => (language, text, format!("{rule} {first}")),
            [language, text, sign] if sign == "!" => (language, text, "!".to_owned()),
            row => panic!("{row:?}"),
        };
        n_meant += usize::from(meant != "!");
        n_refused += usize::from(meant == "!");
        let language = if language == "de" { GERMAN } else { ENGLISH };
        let reader = Reader { language, ..reader(NOW, DayOrder::DayFirst) };
        let got = match read_schedule(text, &reader) {
            Ok(schedule) => {
                let series = schedule.series;
                let rule = series.rule().map_or("-".to_owned(), ToString::to_string);
                format!("{rule} {}", start(&series))
            }
            Err(_) => "!".to_owned(),
        };
        if got != meant {
            wrong.push(format!("{text}\n  expected {meant}\n  got      {got}"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!((n_meant, n_refused), (80, 40));
}

#[test]
fn before_a_schedule_is_saved_its_next_dates_are_shown() {
    let reader = reader(NOW, DayOrder::DayFirst);
    let now: Timestamp = "2026-11-23T09:15:00Z".parse().unwrap();
    let shown = |text: &str| {
        let series = read_schedule(text, &reader).unwrap().series;
        let preview = Preview::new(&series, now, &person("Europe/Berlin"));
        assert!(preview.next.len() <= PREVIEWED);
        let days = preview.next.iter().map(|one| one.due.to_string());
        format!("{}: {}", english(&preview.description), days.collect::<Vec<_>>().join(" "))
    };
    assert_eq!(
        shown("every weekday at 9"),
        "every weekday at 09:00: 2026-11-24T08:00:00Z 2026-11-25T08:00:00Z 2026-11-26T08:00:00Z \
         2026-11-27T08:00:00Z 2026-11-30T08:00:00Z"
    );
    assert_eq!(shown("on 3 December at 8"), "3 December 2026 at 08:00: 2026-12-03T07:00:00Z");
}
