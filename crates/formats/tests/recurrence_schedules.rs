//! Schedules in words, and the words for a series.

use std::error::Error as _;

use dormouse_formats::recurrence::{PREVIEWED, Preview, Series, describe, english, read_schedule};
use dormouse_formats::when::{DayOrder, LANGUAGES, Language, Reader};
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
        // No reader of dates has words for these.
        if words.contains("shorter month") {
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
        let language = Language::of_tag(language).unwrap();
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
    assert_eq!((n_meant, n_refused), (292, 43));
}

#[test]
fn an_english_schedule_is_understood_in_every_language() {
    let in_english = reader(NOW, DayOrder::DayFirst);
    for language in LANGUAGES {
        let reader = Reader { language: *language, ..in_english.clone() };
        for text in [
            "every weekday at 9",
            "daily",
            "tomorrow at 9",
            "every 2 hours",
            "last Friday of the month",
            "every day at 9 Europe/London",
            "first of the month at 07:30",
        ] {
            let read = read_schedule(text, &reader);
            assert_eq!(read, read_schedule(text, &in_english), "{} {text}", language.code());
            // What is said back can be typed.
            let said = english(&read.expect(text).description());
            assert!(read_schedule(&said, &reader).is_ok(), "{} {said}", language.code());
        }
        // What is understood and cannot be used is refused with its reason, and anything else with an example in
        // the language of the reader.
        let why = |text: &str| read_schedule(text, &reader).expect_err(text).to_string();
        assert!(why("twice a week").contains("2 times a week"), "{}", language.code());
        let example = why("every full moon");
        assert!(!example.contains("Monday") || language.code() == "en", "{example}");
    }
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

/// What a schedule becomes: its rule, its start with the clock, and its words; or why it is refused.
fn read(text: &str) -> String {
    match read_schedule(text, &reader(NOW, DayOrder::DayFirst)) {
        Ok(schedule) => {
            let series = schedule.series;
            let rule = series.rule().map_or("-".to_owned(), ToString::to_string);
            format!("{rule} | {} | {}", start(&series), english(&describe(&series)))
        }
        Err(error) => {
            let cause = error.source().map_or(String::new(), |cause| format!(": {cause}"));
            format!("! {error}{cause}")
        }
    }
}

#[test]
fn a_series_is_on_the_clock_of_the_zone_that_its_words_name() {
    let london = "FREQ=DAILY | 2026-11-23T09:00 Europe/London | every day at 09:00 Europe/London";
    for text in [
        "every day at 9 Europe/London",
        "every day at 9 in europe/london",
        "every day at 9 (Europe/London)",
        "every day at 9 London time",
        "Europe/London every day at 9",
    ] {
        assert_eq!(read(text), london, "{text}");
    }
    assert_eq!(
        read("every weekday at 9 New York time"),
        "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR | 2026-11-23T09:00 America/New_York | every weekday at 09:00 America/New_York"
    );
    assert_eq!(
        read("every Monday at 18:30 UTC"),
        "FREQ=WEEKLY;BYDAY=MO | 2026-11-23T18:30 UTC | every week on Monday at 18:30 UTC"
    );
    // The next full hour is that of the zone: 10:15 in Berlin is 14:45 in Kolkata.
    assert_eq!(
        read("every hour Asia/Kolkata"),
        "FREQ=HOURLY | 2026-11-23T15:00 Asia/Kolkata | every hour Asia/Kolkata"
    );
}

#[test]
fn a_zone_that_a_series_cannot_have_is_refused_with_what_to_write() {
    assert_eq!(
        read("every day at 9 Mars/Olympus"),
        "! cannot read the schedule: there is no time zone `Mars/Olympus`; write one like Europe/Berlin"
    );
    assert_eq!(
        read("every day at 9 Europe/Lodnon"),
        "! cannot read the schedule: there is no time zone `Europe/Lodnon`; did you mean Europe/London?"
    );
    assert_eq!(
        read("DTSTART;TZID=Berlin:20261201T090000 RRULE:FREQ=DAILY"),
        "! cannot read the schedule: there is no time zone `Berlin`; did you mean Europe/Berlin?"
    );
    // As Outlook and Evolution write them.
    for zone in ["\"W. Europe Standard Time\"", "W. Europe Standard Time"] {
        assert_eq!(
            read(&format!("DTSTART;TZID={zone}:20261201T090000 RRULE:FREQ=DAILY")),
            "! cannot read the schedule: there is no time zone `W. Europe Standard Time`; write one like Europe/Berlin"
        );
    }
    assert_eq!(
        read(
            "DTSTART;TZID=/freeassociation.sourceforge.net/Europe/Berlin:20261201T090000\nRRULE:FREQ=DAILY"
        ),
        "! cannot read the schedule: there is no time zone `/freeassociation.sourceforge.net/Europe/Berlin`; \
         write the zone as Europe/Berlin"
    );
    assert_eq!(
        read("DTSTART;TZID=\"Europe/Berlin\":20261201T090000 RRULE:FREQ=DAILY"),
        "FREQ=DAILY | 2026-12-01T09:00 Europe/Berlin | every day at 09:00 Europe/Berlin"
    );
    assert_eq!(
        read("every Monday Europe/London"),
        "! `Europe/London` needs a time of day; write one, such as `every day at 9 Europe/London`"
    );
}

#[test]
fn a_rule_of_rfc_5545_is_a_schedule() {
    let monday =
        "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9 | 2026-11-23T09:00 floating | every week on Monday at 09:00";
    for text in [
        "RRULE:FREQ=WEEKLY;BYDAY=MO;BYHOUR=9",
        "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9",
        " rrule:byday=mo;byhour=9;freq=weekly ",
    ] {
        assert_eq!(read(text), monday, "{text}");
    }
    assert_eq!(
        read("FREQ=MONTHLY;BYDAY=-1FR"),
        "FREQ=MONTHLY;BYDAY=-1FR | 2026-11-23 date | every month on the last Friday"
    );
    let every_other = "FREQ=WEEKLY;INTERVAL=2 | 2026-12-01T09:00 Europe/London | every 2 weeks on Tuesday at 09:00 Europe/London";
    for text in [
        "DTSTART;TZID=Europe/London:20261201T090000\nRRULE:FREQ=WEEKLY;INTERVAL=2",
        "DTSTART;TZID=Europe/London:20261201T090000 RRULE:FREQ=WEEKLY;INTERVAL=2",
        "RRULE:FREQ=WEEKLY;INTERVAL=2\r\nDTSTART;TZID=Europe/London:20261201T090000\r\n",
    ] {
        assert_eq!(read(text), every_other, "{text}");
    }
    assert_eq!(
        read("DTSTART;VALUE=DATE:20261201 RRULE:FREQ=DAILY;COUNT=3"),
        "FREQ=DAILY;COUNT=3 | 2026-12-01 date | every day 3 times"
    );
    assert_eq!(
        read("DTSTART:20261201T080000Z RRULE:FREQ=DAILY"),
        "FREQ=DAILY | 2026-12-01T08:00 UTC | every day at 08:00 UTC"
    );
    // 09:00 of today has passed, and would be counted.
    assert_eq!(
        read("FREQ=DAILY;BYHOUR=9;COUNT=1"),
        "FREQ=DAILY;COUNT=1;BYHOUR=9 | 2026-11-24T09:00 floating | every day at 09:00 once"
    );
}

#[test]
fn an_hour_that_a_schedule_takes_literally_is_named_if_a_date_would_have_it_in_the_afternoon() {
    let early = |text: &str| {
        let schedule = read_schedule(text, &reader(NOW, DayOrder::DayFirst)).expect(text);
        schedule.early.iter().map(|time| time.strftime("%H:%M").to_string()).collect::<Vec<_>>()
    };
    assert_eq!(early("every day at 6"), ["06:00"]);
    assert_eq!(early("weekdays at 5 and 11"), ["05:00"]);
    assert_eq!(early("every Friday at half past four"), ["04:30"]);
    for text in [
        "every day at 06:00",
        "every day at 6am",
        "every evening at 6",
        "every day at 9",
        "friday at 6",
    ] {
        assert_eq!(early(text), [""; 0], "{text}");
    }
}

#[test]
fn a_schedule_says_from_when_it_counts_if_its_words_do() {
    for (text, says) in [
        ("every 5 days at 9 from 3 december", "every 5 days at 09:00 from 3 December 2026"),
        ("every day at 9, starting monday", "every day at 09:00 from 30 November 2026"),
        (
            "every day at 9 from 1 december Europe/London",
            "every day at 09:00 from 1 December 2026 Europe/London",
        ),
    ] {
        let schedule = read_schedule(text, &reader(NOW, DayOrder::DayFirst)).expect(text);
        let said = english(&schedule.description());
        assert_eq!(said, says, "{text}");
        let again = read_schedule(&said, &reader(NOW, DayOrder::DayFirst)).expect(says);
        assert_eq!(again.series, schedule.series, "{text}");
    }
}

#[test]
fn what_is_refused_says_what_to_write() {
    for (text, why) in [
        (
            "twice a day",
            "2 times a day says not when; write for example `every day at 9:00 and 18:00`",
        ),
        (
            "twice a week",
            "2 times a week says not when; write for example `every Monday and Thursday`",
        ),
        ("every minute", "every minute is too often; write `every 5 minutes` or more"),
        (
            "every full moon",
            "in a schedule; write one such as `every Monday and Thursday at 18:00`",
        ),
    ] {
        let said = read(text);
        assert!(said.starts_with("! ") && said.contains(why), "{text}: {said}");
        assert!(!said.contains("fri 3pm"), "{text}: {said}");
    }
    let german =
        Reader { language: Language::of_tag("de").unwrap(), ..reader(NOW, DayOrder::DayFirst) };
    let said = read_schedule("jeden Vollmond", &german).expect_err("no schedule").to_string();
    assert!(said.contains("`jeden Montag und Donnerstag um 18 Uhr`"), "{said}");
}

#[test]
fn a_pasted_block_with_single_dates_is_refused_with_what_to_do() {
    let skip = "write the rule without it, and then skip each time that it names";
    for (text, why) in [
        (
            "DTSTART;TZID=Europe/Berlin:20261130T090000\nRRULE:FREQ=DAILY\nEXDATE:20261202T080000Z",
            skip,
        ),
        (
            "DTSTART:20261130T090000\r\nRRULE:FREQ=DAILY\r\nEXDATE;TZID=Europe/Berlin:20261202T090000",
            skip,
        ),
        ("EXDATE:20261201T090000 RRULE:FREQ=DAILY", skip),
        ("RRULE:FREQ=DAILY\nRDATE:20261202T080000Z", "then add work that runs once for each date"),
    ] {
        let said = read(text);
        assert!(
            said.contains("DATE` is not read in a schedule") && said.contains(why),
            "{text}: {said}"
        );
    }
    assert!(
        read("BEGIN:VEVENT\nDTSTART:20261130T090000\nRRULE:FREQ=DAILY\nEND:VEVENT")
            .starts_with("FREQ=DAILY |")
    );
}

#[test]
fn a_rule_that_would_run_all_the_time_or_never_is_refused() {
    for (text, why) in [
        ("FREQ=SECONDLY", "FREQ=SECONDLY is refused"),
        ("RRULE:FREQ=MINUTELY", "less than 5 minutes apart"),
        ("FREQ=DAILY;BYHOUR=9;BYMINUTE=0,2", "less than 5 minutes apart"),
        ("FREQ=HOURLY;BYMINUTE=1,58", "less than 5 minutes apart"),
        ("FREQ=DAILY;BYHOUR=9;BYMINUTE=0;BYSECOND=0,30", "less than 5 minutes apart"),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "never happens"),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;UNTIL=20200101", "never happens"),
        ("FREQ=DAILY;UNTIL=20201231", "UNTIL is 2020-12-31, and its first time would be 20"),
        ("FREQ=DAILY;BYHOUR=9;UNTIL=20201231T090000", "UNTIL is 2020-12-31 09:00, and"),
        ("FREQ=DAILY;BYHOUR=9;UNTIL=20201231T090000Z", "UNTIL is 2020-12-31T09:00:00Z, and"),
        (
            "DTSTART:20261201T090000 RRULE:FREQ=MONTHLY;BYMONTHDAY=31;UNTIL=20261202",
            "UNTIL is 2026-12-02, and its first time would be 2026-12-31 09:00; write a later UNTIL",
        ),
        ("DTSTART:20261201T080000Z", "no rule is written"),
        ("DTSTART:tomorrow RRULE:FREQ=DAILY", "`DTSTART:tomorrow` is no start"),
        (
            "DTSTART;TZID=Mars/Olympus:20261201T090000 RRULE:FREQ=DAILY",
            "no time zone `Mars/Olympus`",
        ),
        ("DTSTART;VALUE=DATE:20261201 RRULE:FREQ=HOURLY", "whole days cannot happen every hour"),
        ("RRULE:FREQ=DAILY RRULE:FREQ=WEEKLY", "a second RRULE"),
        ("EXDATE:20261201T090000 RRULE:FREQ=DAILY", "`EXDATE` is not read"),
        ("FREQ=FORTNIGHTLY", "`FORTNIGHTLY` is no FREQ"),
    ] {
        let said = read(text);
        assert!(said.starts_with('!') && said.contains(why), "{text}: {said}");
    }
    for text in [
        "FREQ=MINUTELY;INTERVAL=5",
        "FREQ=MINUTELY;BYMINUTE=0,30",
        "FREQ=DAILY;BYHOUR=9,17;BYMINUTE=1,58",
    ] {
        assert!(read(text).starts_with("FREQ"), "{text}: {}", read(text));
    }
}
