//! What holds for any text and any reader of dates.

use dormouse_formats::quick_add::quick_add;
use dormouse_formats::when::{self, Assumption, DayOrder, Found, Reader, TextSpan, When};
use jiff::ToSpan;
use jiff::civil::Date;
use proptest::prelude::*;

use crate::when::{reader, show};

const NOW: &str = "2026-11-18T10:15";

/// Texts of which many parts resemble dates.
fn phrase() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "by",
        "until",
        "from",
        "to",
        "on",
        "in",
        "at",
        "the",
        "of",
        "every",
        "next",
        "last",
        "this",
        "friday",
        "Mon",
        "sat",
        "march",
        "May",
        "december",
        "end",
        "mid",
        "first",
        "second",
        "two",
        "3",
        "10",
        "31",
        "2026",
        "10.12.",
        "31.2.",
        "10/12",
        "2026-12-10",
        "2026-W53",
        "9:30",
        "3pm",
        "-",
        "–",
        ",",
        "week",
        "weeks",
        "month",
        "day",
        "days",
        "Q1",
        "tomorrow",
        "noon",
        "evening",
        "and",
        "between",
        "daily",
        "10-12",
        "10.12.-12.12.",
        "9999",
        "working",
        "ago",
        "half",
        "past",
        "was",
        "#a",
        "@b",
        "!p1",
        "\n",
        "ä",
        "日本",
        "“",
        "\\#x",
        "12-10-26",
        "0:00",
        "24:00",
        "due",
        ":",
        "2026-12-10T14:00[Europe/Berlin]",
        "UTC",
        "Friday's",
        "weekday",
        "year",
        "29.2.",
        "century",
    ]);
    let joint = prop::sample::select(vec![" ", " ", " ", "", "-", "  "]);
    prop::collection::vec((word, joint), 0..24)
        .prop_map(|words| words.into_iter().map(|(word, joint)| format!("{word}{joint}")).collect())
}

fn holds(text: &str, span: &TextSpan) -> Result<(), TestCaseError> {
    let covered = text.get(span.bytes.clone());
    prop_assert!(covered.is_some_and(|covered| !covered.is_empty()), "{span:?} of {text:?}");
    let before = text[..span.bytes.start].chars().count();
    let inside = text[span.bytes.clone()].chars().count();
    prop_assert_eq!(&span.chars, &(before..before + inside));
    Ok(())
}

fn check(text: &str) -> Result<(), TestCaseError> {
    for order in [DayOrder::DayFirst, DayOrder::MonthFirst] {
        let reader = reader(NOW, order);
        let scan = when::scan(text, &reader);
        let mut end = 0;
        for found in &scan.found {
            holds(text, &found.span)?;
            prop_assert!(found.span.bytes.start >= end, "dates overlap in {text:?}");
            end = found.span.bytes.end;
            // What is stored is read again.
            let json = serde_json::to_string(found).unwrap();
            prop_assert_eq!(&serde_json::from_str::<Found>(&json).unwrap(), found);
            if let When::Span(span) = &found.when {
                prop_assert!(span.from.day_in(&reader.zone) <= span.to.day_in(&reader.zone));
            }
            if let When::Recurring(rule) = &found.when
                && let Some(first) = rule.first_from(reader.now.date())
                && let Some(next) = rule.following(first)
            {
                prop_assert!(next >= first, "{rule:?} goes back from {first} to {next}");
            }
        }
        for one in &scan.impossible {
            holds(text, &one.span)?;
        }
        let _ = when::parse(text, &reader);
        let added = quick_add(text, &reader);
        for part in &added.understood {
            holds(text, &part.span)?;
        }
        prop_assert!(!added.title.contains('\n'));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_and_every_span_is_in_it(text in any::<String>()) {
        check(&text)?;
    }

    #[test]
    fn any_mixture_of_words_about_time_is_read(text in phrase()) {
        check(&text)?;
    }

    #[test]
    fn a_day_in_its_own_form_means_itself(days in -350_000_i64..2_800_000) {
        let day = jiff::civil::date(2026, 1, 1).checked_add(days.days()).unwrap();
        prop_assume!((1000..9998).contains(&day.year()));
        let text = day.to_string();
        let reader = reader(NOW, DayOrder::MonthFirst);
        prop_assert_eq!(when::parse(&text, &reader), Ok(When::Day(day)));
        let found = when::find(&format!("Do it on {text}."), &reader);
        prop_assert_eq!(found.len(), 1);
        prop_assert_eq!(show(&found[0].when), text);
    }

    #[test]
    fn figures_follow_the_readers_order(year in 1970_i16..2200, month in 1_i8..=12, day in 1_i8..=28) {
        let expected = Date::new(year, month, day).unwrap();
        let day_first = reader(NOW, DayOrder::DayFirst);
        let month_first = reader(NOW, DayOrder::MonthFirst);
        for sign in ['.', '/', '-'] {
            let by_day = format!("{day}{sign}{month}{sign}{year}");
            let by_month = format!("{month:02}{sign}{day:02}{sign}{year}");
            prop_assert_eq!(when::parse(&by_day, &day_first), Ok(When::Day(expected)));
            prop_assert_eq!(when::parse(&by_month, &month_first), Ok(When::Day(expected)));
            let said = when::explain(&by_day, &month_first).unwrap();
            let order = said.assumed.iter().find(|one| {
                matches!(one, Assumption::ReadersOrder(_) | Assumption::OtherOrder(_))
            });
            // Whenever the two orders differ, the preview says so.
            prop_assert_eq!(order.is_some(), day != month);
        }
    }

    #[test]
    fn a_day_without_a_year_is_the_next_one(month in 1_i8..=12, day in 1_i8..=31) {
        let reader = reader(NOW, DayOrder::DayFirst);
        let today = reader.now.date();
        match when::parse(&format!("{day}.{month}."), &reader) {
            Ok(When::Day(found)) => {
                prop_assert_eq!((found.month(), found.day()), (month, day));
                prop_assert!(found >= today);
                prop_assert!(found < today.checked_add(1.year()).unwrap() || (month, day) == (2, 29));
            }
            other => prop_assert!(Date::new(2024, month, day).is_err(), "{other:?}"),
        }
    }

    #[test]
    fn a_title_loses_nothing_but_what_is_shown(text in phrase()) {
        let added = quick_add(&text, &reader(NOW, DayOrder::DayFirst));
        let mut rest = text.clone();
        for part in added.understood.iter().rev() {
            rest.replace_range(part.span.bytes.clone(), "");
        }
        let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
        prop_assert_eq!(letters(&rest), letters(&added.title));
    }
}

#[test]
fn twice_the_text_takes_twice_the_steps() {
    for unit in [
        "by the end of the week of the first monday in may or on 10.12. at 9 ",
        "from to from to until by due by on the ",
        "every mon, tue, wed and every second ",
        "10-12-10-12-10/12/",
        "2026-12-10/2026-12-10/",
        "a-a-a-",
        "may may may ",
        "in in in in 3 3 ",
        "bis zum ende der woche am 3. mai um 9 uhr ",
        "d'ici le 3 mai au 4 jusqu'au ",
        "hasta el 3 de de 4 antes del ",
        "până la 3 3. 4. 2026 cel târziu ",
        "((((((",
        "日本語",
        "1",
    ] {
        for &language in when::LANGUAGES {
            let reader = Reader { language, ..reader(NOW, DayOrder::DayFirst) };
            let steps = |n: usize| when::scan(&unit.repeat(n), &reader).steps;
            let (once, twice) = (steps(100), steps(200));
            assert!(twice <= 2 * once + 2000, "{unit:?}: {once} steps, then {twice}");
            // No more than a fixed number for each byte, however dense the words are.
            assert!(twice <= 2000 * (200 * unit.len() as u64), "{unit:?}: {twice}");
        }
    }
}
