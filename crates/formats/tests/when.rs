//! Dates as people say them. The phrases are in `tests/when/`, one a line.

use std::fmt::Write as _;
use std::path::Path;

use dormouse_formats::quick_add::quick_add;
use dormouse_formats::when::{
    self, DayOrder, ENGLISH, Found, Kind, Language, Moment, MonthDay, Point, Reader, Recurrence,
    Rule, Weekday, When, Zone,
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
        Rule::Months(MonthDay::Numbers(days)) => {
            let days: Vec<String> = days.iter().map(ToString::to_string).collect();
            format!("every {n} m day {}", days.join(" "))
        }
        Rule::Months(MonthDay::Weekday(nth, day)) => {
            format!("every {n} m {nth} {}", &day.name()[..3])
        }
        Rule::Months(MonthDay::WorkingDay(nth)) => format!("every {n} m {nth} working"),
        Rule::Years(None) => format!("every {n} y"),
        Rule::Years(Some(on)) => format!("every {n} y {}-{}", on.month, on.day),
    };
    if recurrence.times > 1 {
        let times = recurrence.times;
        text = text.replacen("every", &format!("{times} times in"), 1);
    }
    if !recurrence.at.is_empty() {
        let times: Vec<String> =
            recurrence.at.iter().map(|at| at.strftime("%H:%M").to_string()).collect();
        write!(text, " at {}", times.join(" ")).unwrap();
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

/// Reads a table: `@ now order mode`, with a language or English, sets the reader for the lines
/// below, which are a text, a tab and its meaning.
fn check(name: &str, at_least: usize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/when").join(name);
    let table = std::fs::read_to_string(path).unwrap();
    let (mut at, mut mode) = (None, "");
    let (mut count, mut wrong) = (0, Vec::new());
    for line in table.lines().filter(|line| !line.is_empty() && !line.starts_with("# ")) {
        if let Some(setting) = line.strip_prefix("@ ") {
            let (now, order, new_mode, language) = match setting.split(' ').collect::<Vec<_>>()[..]
            {
                [now, order, mode] => (now, order, mode, ENGLISH),
                [now, order, mode, tag] => (now, order, mode, Language::of_tag(tag).unwrap()),
                _ => panic!("{name}: {line}"),
            };
            at = Some(Reader { language, ..reader(now, order.parse().unwrap()) });
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
fn everyday_phrases_mean_what_people_mean() {
    check("phrases-everyday.tsv", 120);
}

#[test]
fn everyday_near_misses_are_no_dates() {
    check("near-misses-everyday.tsv", 100);
}

#[test]
fn spoken_phrases_of_five_languages_mean_what_people_mean() {
    check("phrases-spoken.tsv", 46);
}

#[test]
fn spoken_near_misses_of_five_languages_are_no_dates() {
    check("near-misses-spoken.tsv", 45);
}

#[test]
fn spoken_phrases_held_out_until_the_rules_stood_mean_what_people_mean() {
    check("phrases-spoken-held-out.tsv", 26);
}

#[test]
fn spoken_near_misses_held_out_until_the_rules_stood_are_no_dates() {
    check("near-misses-spoken-held-out.tsv", 29);
}

#[test]
fn feasts_vague_hours_and_how_often_mean_what_people_mean() {
    check("phrases-often.tsv", 40);
}

#[test]
fn versions_counts_names_and_feasts_in_names_are_no_dates() {
    check("near-misses-often.tsv", 40);
}

#[test]
fn what_people_note_is_understood() {
    check("phrases-noted.tsv", 50);
}

#[test]
fn addresses_and_other_texts_with_the_words_of_a_date_are_none() {
    check("near-misses-noted.tsv", 25);
}

#[test]
fn dates_in_whole_sentences_mean_what_people_mean() {
    check("phrases-sentences.tsv", 70);
}

#[test]
fn sentences_with_numbers_and_names_have_no_dates() {
    check("near-misses-sentences.tsv", 49);
}

/// A line of quick add as the tables write it: its title, then each part after a bar.
fn show_line(text: &str, reader: &Reader) -> String {
    let read = quick_add(text, reader);
    let mut parts = vec![read.title];
    parts.extend(read.due.iter().map(show_found));
    parts.extend(read.priority.iter().map(ToString::to_string));
    parts.extend(read.labels.iter().map(|label| format!("#{label}")));
    parts.extend(read.category.iter().map(|category| format!("@{category}")));
    parts.join(" | ").trim().to_owned()
}

#[test]
fn a_line_is_a_title_with_its_parts() {
    let reader = reader("2026-11-18T10:15", DayOrder::DayFirst);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/when/quick-add.tsv");
    let table = std::fs::read_to_string(path).unwrap();
    let mut wrong = Vec::new();
    for line in table.lines().filter(|line| !line.starts_with("# ")) {
        let (text, expected) = line.split_once('\t').unwrap();
        let got = show_line(text, &reader);
        if got != expected {
            wrong.push(format!("{text:50} expected {expected}\n{:50} got      {got}", ""));
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_line_in_any_language_is_a_title_with_its_parts() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/when/quick-add-near-days.tsv");
    let table = std::fs::read_to_string(path).unwrap();
    let mut wrong = Vec::new();
    for line in table.lines().filter(|line| !line.starts_with("# ")) {
        let [tag, text, expected] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let language = Language::of_tag(tag).unwrap();
        let reader = Reader { language, ..reader("2026-11-29T10:15", DayOrder::DayFirst) };
        let got = show_line(text, &reader);
        if got != expected {
            wrong.push(format!("{tag} {text:50} expected {expected}\n{:53} got      {got}", ""));
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

/// The due dates that other people's sentences mean, where `../shared/data` stands beside the
/// checkout.
#[test]
fn every_due_date_of_the_english_expectations_is_found() {
    let Some(folder) = crate::corpus::data("expectations") else { return };
    let lines = std::fs::read_to_string(folder.join("phrases.jsonl")).unwrap();
    let mut wrong = Vec::new();
    for line in lines.lines() {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let Some(due) = case["expect"]["args"]["dueDate"].as_str() else { continue };
        if case["lang"] != "en" {
            continue;
        }
        let now = format!("{}T09:00", case["entryDate"].as_str().unwrap());
        let reader = reader(&now, DayOrder::DayFirst);
        let text = case["text"].as_str().unwrap();
        let found = when::find(text, &reader);
        let today = reader.now.date();
        let means = |found: &Found| found.when.last_day(&reader.zone, today);
        if !found.iter().any(|found| means(found).is_some_and(|day| day.to_string() == due)) {
            wrong.push(format!("{text} expected {due}, got {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_time_that_the_clock_skips_or_repeats_has_one_instant() {
    let reader = reader("2026-03-02T08:00", DayOrder::DayFirst);
    let instant = |text: &str| match when::parse(text, &reader).unwrap() {
        When::At(moment) => moment.timestamp(&reader.zone).to_string(),
        other => panic!("{other:?}"),
    };
    // In Berlin the clock goes from 2:00 to 3:00 on 29 March, and from 3:00 to 2:00 on 25 October.
    assert_eq!(instant("2026-03-29 02:30"), "2026-03-29T01:30:00Z");
    assert_eq!(instant("2026-10-25 02:30"), "2026-10-25T00:30:00Z");
    assert_eq!(instant("2026-10-25T02:30+01:00"), "2026-10-25T01:30:00Z");
    assert_eq!(instant("2026-03-29 02:30 America/New_York"), "2026-03-29T06:30:00Z");
}

#[test]
fn what_was_decided_for_the_reader_is_said() {
    let reader = reader("2026-11-18T10:15", DayOrder::DayFirst);
    let assumed = |text: &str| {
        let found = when::explain(text, &reader).unwrap();
        serde_json::to_string(&found.assumed).unwrap()
    };
    for (text, expected) in [
        ("2026-12-10", "[]"),
        ("10.12.", r#"[{"readersOrder":"dayFirst"},{"year":2026}]"#),
        ("24.11.", r#"[{"onlyOrder":"dayFirst"},{"year":2026}]"#),
        ("12/25/26", r#"[{"century":2026},{"otherOrder":"monthFirst"}]"#),
        ("wednesday", r#"[{"inAWeek":"2026-11-25"}]"#),
        ("next friday", r#"[{"nextWeek":"2026-11-27"}]"#),
        ("9am", r#"[{"nextTime":"2026-11-19"}]"#),
        ("tomorrow evening", r#"[{"partOfDay":"19:00:00"}]"#),
        ("friday at 3", r#"[{"hour":"15:00:00"}]"#),
        ("mid june", r#"[{"year":2027},{"partOfPeriod":"2027-06-15"}]"#),
        ("Monday 10 December 2026", r#"[{"weekdayDiffers":"2026-12-10"}]"#),
        ("before friday", r#"[{"before":"2026-11-20"}]"#),
        ("after christmas", r#"[{"year":2026},{"after":"2026-12-25"}]"#),
        ("after next week", r#"[{"after":"2026-11-29"}]"#),
    ] {
        assert_eq!(assumed(text), expected, "{text}");
    }
}

#[test]
fn a_recurrence_knows_its_days() {
    let reader = reader("2026-11-18T10:15", DayOrder::DayFirst);
    let days = |text: &str| {
        let Ok(When::Recurring(rule)) = when::parse(text, &reader) else { panic!("{text}") };
        let first = rule.first_from(reader.now.date());
        let days = std::iter::successors(first, |day| rule.following(*day));
        days.take(4).map(|day| day.strftime("%d.%m.%y").to_string()).collect::<Vec<_>>().join(" ")
    };
    for (text, expected) in [
        ("every day until Friday", "18.11.26 19.11.26 20.11.26"),
        ("every weekday", "18.11.26 19.11.26 20.11.26 23.11.26"),
        ("every 2 weeks on Friday", "20.11.26 04.12.26 18.12.26 01.01.27"),
        ("every Mon and Thu", "19.11.26 23.11.26 26.11.26 30.11.26"),
        ("every last Friday of the month", "27.11.26 25.12.26 29.01.27 26.02.27"),
        ("last working day of every month", "30.11.26 31.12.26 29.01.27 26.02.27"),
        ("every 31st", "31.12.26 31.01.27 31.03.27 31.05.27"),
        ("every 29 February", "29.02.28 29.02.32 29.02.36 29.02.40"),
        ("every 3 months from 1 December", "01.12.26 01.03.27 01.06.27 01.09.27"),
        ("every month on the 1st and 30th", "30.11.26 01.12.26 30.12.26 01.01.27"),
        ("every 2 months on the 5th and 20th", "20.11.26 05.01.27 20.01.27 05.03.27"),
    ] {
        assert_eq!(days(text), expected, "{text}");
    }
}

#[test]
fn errands_and_appointments_mean_what_people_mean() {
    check("phrases-errands.tsv", 60);
}

#[test]
fn plans_of_a_summer_mean_what_people_mean() {
    check("phrases-summer.tsv", 100);
}

#[test]
fn near_misses_of_a_summer_are_no_dates() {
    check("near-misses-summer.tsv", 50);
}

#[test]
fn lists_of_times_and_of_days_of_a_month_are_kept_whole() {
    check("phrases-lists.tsv", 30);
}

#[test]
fn plans_of_a_winter_mean_what_people_mean() {
    check("phrases-winter.tsv", 110);
}

#[test]
fn near_misses_of_a_winter_are_no_dates() {
    check("near-misses-winter.tsv", 44);
}

#[test]
fn phrases_that_newcomers_typed_mean_what_they_meant() {
    check("phrases-told.tsv", 55);
}

#[test]
fn years_in_words_and_rows_of_weekdays_mean_what_they_say() {
    check("phrases-next-year.tsv", 20);
}

#[test]
fn near_misses_of_what_newcomers_typed_are_no_dates() {
    check("near-misses-told.tsv", 28);
}

#[test]
fn a_figure_after_by_or_until_is_a_date_whatever_is_before() {
    check("phrases-led.tsv", 33);
}

#[test]
fn a_figure_after_the_name_of_a_part_is_no_date() {
    check("near-misses-led.tsv", 29);
}

#[test]
fn dates_as_people_type_them_in_a_chat_mean_what_they_meant() {
    check("phrases-chat.tsv", 111);
}

#[test]
fn what_people_type_in_a_chat_without_a_date_has_none() {
    check("near-misses-chat.tsv", 55);
}

#[test]
fn dates_of_mails_lists_and_calendars_mean_what_people_mean() {
    check("phrases-mail.tsv", 130);
}

#[test]
fn numbers_names_and_titles_in_mails_are_no_dates() {
    check("near-misses-mail.tsv", 50);
}

#[test]
fn a_time_or_a_short_day_in_a_name_is_no_date() {
    check("near-misses-names.tsv", 22);
}

#[test]
fn everyday_words_for_the_days_around_today_mean_what_people_mean() {
    check("phrases-near-days.tsv", 140);
}

#[test]
fn persons_and_days_that_are_left_out_are_no_dates() {
    check("near-misses-persons.tsv", 25);
}
