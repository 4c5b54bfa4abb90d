//! What a text about time, and a task in one line, are understood as.

use dormouse::dates::{self, DayOrder, QuickAdd, QuickAddPart, Wording};
use dormouse_types::Timestamp;
use jiff::tz::TimeZone;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::world::{World, me, now, slug};

/// The members of an answer that say something. The time is Monday, 2026-03-02, 09:00 UTC.
fn understood(text: &str) -> Value {
    let world = World::new();
    let date = now(world.dormouse.understand_date(&me(), text, Wording::default()));
    let mut value = json!(date.unwrap_or_else(|error| panic!("{text}: {error}")));
    if let Value::Object(members) = &mut value {
        members.retain(|name, value| {
            let is_empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
            !is_empty && name != "text" && value != "mention"
        });
    }
    value
}

#[test]
fn a_day_a_time_and_a_range_say_where_they_begin_and_end() {
    assert_eq!(understood("2026-03-20"), json!({"day": "2026-03-20"}));
    let friday = json!({
        "day": "2026-03-06", "time": "15:00", "at": "2026-03-06T15:00:00Z",
    });
    assert_eq!(understood("fri 3pm"), friday);
    assert_eq!(
        understood("by 2026-03-06T09:00+02:00"),
        json!({
            "role": "due", "day": "2026-03-06", "time": "07:00", "zone": "+02:00",
            "at": "2026-03-06T07:00:00Z",
        }),
    );
    assert_eq!(understood("next week"), json!({"day": "2026-03-09", "endDay": "2026-03-15"}));
}

#[test]
fn a_repetition_has_its_unit_and_its_days() {
    assert_eq!(
        understood("every other friday at 9:00")["repeats"],
        json!({
            "every": 2, "times": 1, "unit": "weeks", "weekdays": ["friday"], "nth": null,
            "monthDays": [], "month": null, "timesOfDay": ["09:00"], "from": null, "until": null,
        }),
    );
    let last = understood("every last friday of the month");
    assert_eq!(last["day"], "2026-03-27");
    let rule = &last["repeats"];
    assert_eq!(
        (&rule["unit"], &rule["nth"], &rule["weekdays"]),
        (&json!("months"), &json!(-1), &json!(["friday"]))
    );
}

#[test]
fn what_was_decided_is_said() {
    let ambiguous = understood("3/4");
    assert_eq!(ambiguous["day"], "2026-04-03");
    assert_eq!(ambiguous["assumed"][0], json!({"kind": "readersOrder", "value": "dayFirst"}));
    let world = World::new();
    let month_first =
        now(world.dormouse.understand_date(&me(), "3/4", Wording::of(DayOrder::MonthFirst, None)));
    assert_eq!(
        month_first.expect("a date").day.map(|day| day.to_string()).as_deref(),
        Some("2026-03-04")
    );
    let monday = understood("monday");
    assert_eq!(monday["assumed"][0]["kind"], "inAWeek");
}

#[test]
fn a_text_that_is_no_date_says_why() {
    let world = World::new();
    for (text, why) in [
        ("31.2.", "is not a day"),
        ("soon", "not understood as a date"),
        ("friday or so", "is not part of a date"),
        ("", "no date is written"),
    ] {
        let refused = now(world.dormouse.understand_date(&me(), text, Wording::default()));
        let error = refused.expect_err(text);
        assert_eq!(slug(&error), ("date-not-understood", 422));
        let problem = error.problem();
        assert!(problem.detail.contains(why), "{text}: {}", problem.detail);
        assert_eq!(problem.extra["errors"][0]["pointer"], "?text");
    }
}

fn line(text: &str) -> QuickAdd {
    let world = World::new();
    now(world.dormouse.understand_line(&me(), text, Wording::default())).expect("any line is one")
}

#[test]
fn the_pieces_of_a_line_are_the_line() {
    let text = "Ring the bänk – fri 3pm !p1 #finance @Home";
    let read = line(text);
    assert_eq!(read.parts.iter().map(|piece| piece.text.as_str()).collect::<String>(), text);
    let named: Vec<_> = read
        .parts
        .iter()
        .filter(|piece| piece.part != QuickAddPart::Title)
        .map(|piece| (piece.part, piece.text.as_str()))
        .collect();
    assert_eq!(
        named,
        [
            (QuickAddPart::Due, "fri 3pm"),
            (QuickAddPart::Priority, "!p1"),
            (QuickAddPart::Label, "#finance"),
            (QuickAddPart::Category, "@Home"),
        ]
    );
    assert_eq!(read.due_on.map(|day| day.to_string()).as_deref(), Some("2026-03-06"));
    assert_eq!(read.category.as_deref(), Some("Home"));
}

#[test]
fn what_a_task_has_no_field_for_is_the_text_of_a_note() {
    assert_eq!(line("Call the bank fri").note, None);
    assert_eq!(line("Call the bank fri 3pm").note.as_deref(), Some("When: fri 3pm"));
    let weekly = line("Water the plants every friday");
    assert_eq!(weekly.note.as_deref(), Some("When: every friday"));
    assert_eq!(weekly.due_on.map(|day| day.to_string()).as_deref(), Some("2026-03-06"));
    assert_eq!(line("Buy a C# book, 1.2.3").title, "Buy a C# book, 1.2.3");
}

proptest! {
    #[test]
    fn any_line_is_its_pieces(text in r"([#@!\\x22]?[a-zäß🌱]{1,5}|fri|every|3pm|1\.2\.|!p1|\PC| ){0,12}") {
        let now = Timestamp::from_micros(1_772_442_000_000_000);
        let read = dates::quick_add(&text, &dates::reader(now, &TimeZone::UTC, Wording::default()));
        let pieces: String = read.parts.iter().map(|piece| piece.text.as_str()).collect();
        prop_assert_eq!(&pieces, &text);
        let n_due = read.parts.iter().filter(|piece| piece.part == QuickAddPart::Due).count();
        prop_assert_eq!(n_due, usize::from(read.due.is_some()));
    }
}

#[test]
fn dates_are_read_in_the_language_of_the_reader_and_in_english() {
    let world = World::new();
    let day = |lang: Option<&str>, text: &str| {
        let wording = Wording::of(DayOrder::DayFirst, lang);
        let read = now(world.dormouse.understand_date(&me(), text, wording));
        read.ok().and_then(|date| date.day).map(|day| day.to_string())
    };
    let friday = day(None, "next friday");
    assert!(friday.is_some());
    for tag in ["de", "de-AT", "de_DE.UTF-8", "DE"] {
        assert_eq!(day(Some(tag), "Freitag"), day(None, "friday"), "{tag}");
        assert_eq!(day(Some(tag), "next friday"), friday, "{tag}");
        assert_eq!(day(Some(tag), "10. Dezember 2026").as_deref(), Some("2026-12-10"), "{tag}");
    }
    assert_eq!(day(Some("fr"), "10 décembre 2026").as_deref(), Some("2026-12-10"));
    for tag in ["xx", "", "C", "-", "en-US"] {
        assert_eq!(day(Some(tag), "next friday"), friday, "{tag}");
        assert_eq!(day(Some(tag), "10. Dezember 2026"), None, "{tag}");
    }
    let german = Wording::of(DayOrder::DayFirst, Some("de"));
    let line = |text| now(world.dormouse.understand_line(&me(), text, german)).expect("a line");
    assert_eq!(line("Miete zahlen bis 10. Dezember 2026").title, "Miete zahlen");
    assert_eq!(line("Pay the rent by 10 December 2026").title, "Pay the rent");
}

#[test]
fn a_day_that_was_is_read_in_each_language() {
    let instant = "2026-11-18T09:15:00Z".parse().expect("a time");
    let instant = dormouse_types::Timestamp::from_jiff(instant);
    let days = [
        ("en", "friday"),
        ("de", "freitag"),
        ("fr", "vendredi"),
        ("es", "viernes"),
        ("ro", "vineri"),
    ];
    for (tag, text) in days {
        let wording = Wording::of(DayOrder::DayFirst, Some(tag));
        let reader = dates::reader(instant, &TimeZone::UTC, wording);
        let day = dates::past_date(text, &reader).expect(text).day.map(|day| day.to_string());
        assert_eq!(day.as_deref(), Some("2026-11-13"), "{text}");
    }
}
