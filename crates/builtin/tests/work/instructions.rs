//! Which instructions are understood, as tables: what a person writes, and what it means.

use std::path::Path;

use dormouse_builtin::work::instruction::{Known, NotAccepted, Understood, read};
use dormouse_formats::recurrence::{describe, english};
use dormouse_formats::when::{DayOrder, Language, Reader, Weekday};
use dormouse_types::work_kind::{Agenda, Repeat, Repeated, Review, Sweep, Watch, WorkParameters};
use jiff::tz::TimeZone;
use serde_json::Value;

use crate::desk::named;

fn known() -> Known {
    let categories = ["House move", "Family", "Work", "Garden", "Study"];
    let labels = ["urgent", "shopping"];
    let tasks =
        ["Packing list", "Water the plants", "Monthly accounts", "Weekly shop", "Wochenputz"];
    fn all<I: std::str::FromStr<Err: std::fmt::Debug>>(
        prefix: &str,
        names: &[&str],
    ) -> Vec<dormouse_types::named::Named<I>> {
        names.iter().zip(1..).map(|(name, n)| named(prefix, n, name)).collect()
    }
    Known {
        categories: all("ct", &categories),
        labels: all("lb", &labels),
        tasks: all("jt", &tasks),
    }
}

fn reader(language: &str) -> Reader {
    Reader {
        now: "2026-11-23T10:15".parse().expect("a time"),
        zone: TimeZone::get("Europe/Berlin").expect("a zone"),
        order: DayOrder::DayFirst,
        language: Language::of_tag(language).expect("a language"),
        week_starts: Weekday::Monday,
    }
}

fn table(name: &str) -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/work").join(name);
    let text = std::fs::read_to_string(path).expect("a table");
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines.map(|line| line.split('\t').map(ToOwned::to_owned).collect()).collect()
}

/// Names in the order of the alphabet: the order of lists is that of the kind.
fn sorted(mut names: Vec<String>) -> String {
    names.sort();
    names.join(",")
}

/// What differs from the default of the kind, as the tables write it.
fn parameters(parameters: &WorkParameters) -> String {
    let default = match parameters {
        WorkParameters::Agenda(_) => WorkParameters::Agenda(Agenda::default()),
        WorkParameters::Review(_) => WorkParameters::Review(Review::default()),
        WorkParameters::Watch(_) => WorkParameters::Watch(Watch::default()),
        WorkParameters::Sweep(_) => WorkParameters::Sweep(Sweep::default()),
        WorkParameters::Repeat(Repeat { what, .. }) => {
            return match what {
                Repeated::Reset { task } => format!("action=reset; task={}", task.name),
                Repeated::Copy { task } => format!("action=copy; task={}", task.name),
                Repeated::Make { title } => format!("action=make; title={title}"),
            };
        }
    };
    let json = |it: &WorkParameters| serde_json::to_value(it).expect("plain data");
    let (Value::Object(given), Value::Object(default)) = (json(parameters), json(&default)) else {
        panic!("parameters are an object");
    };
    let plain = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Object(named) => named["name"].as_str().expect("a name").to_owned(),
        other => other.to_string(),
    };
    let list = |value: &Value| match value {
        Value::Array(all) => sorted(all.iter().map(plain).collect()),
        other => plain(other),
    };
    let mut said = Vec::new();
    for (key, value) in given {
        match &value {
            Value::Object(only) if key == "only" => {
                said.extend(only.iter().map(|(key, value)| format!("only.{key}={}", list(value))));
            }
            value if default.get(&key) != Some(value) => {
                said.push(format!("{key}={}", list(value)))
            }
            _ => {}
        }
    }
    said.sort();
    said.join("; ")
}

fn row(understood: &Understood) -> [String; 4] {
    let or_dash = |text: String| if text.is_empty() { "-".to_owned() } else { text };
    let schedule = if understood.is_usual_time {
        String::new()
    } else {
        english(&describe(&understood.schedule.series))
    };
    [
        understood.parameters.kind().to_string(),
        or_dash(parameters(&understood.parameters)),
        or_dash(schedule),
        or_dash(understood.not_understood.join(" | ")),
    ]
}

fn check_phrasings(name: &str, least: usize) {
    let mut wrong = Vec::new();
    let rows = table(name);
    for row_of_table in &rows {
        let [language, text, expected @ ..] = &row_of_table[..] else { panic!("{row_of_table:?}") };
        let mut expected = expected.to_vec();
        let each = expected[1].split("; ").map(|part| match part.split_once('=') {
            Some((key @ ("lists" | "only.categories"), names)) => {
                let names = names.split(',').map(ToOwned::to_owned).collect();
                format!("{key}={}", sorted(names))
            }
            _ => part.to_owned(),
        });
        let mut parts: Vec<String> = each.collect();
        parts.sort_unstable();
        expected[1] = parts.join("; ");
        let refused = |why: NotAccepted| {
            let said = why.to_string();
            let is_named = expected[0] == "refused" && said.contains(&expected[3]);
            if is_named { expected.clone() } else { vec![format!("refused: {said}")] }
        };
        let got = match read(text, &known(), &reader(language)) {
            Ok(understood) => row(&understood).to_vec(),
            Err(why) => refused(why),
        };
        if got != expected {
            wrong.push(format!(
                "{text}\n  expected {}\n  got      {}",
                expected.join(" | "),
                got.join(" | ")
            ));
        }
    }
    assert!(rows.len() >= least, "only {} rows", rows.len());
    assert!(wrong.is_empty(), "{} of {} wrong\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

fn check_refused(name: &str, least: usize) {
    let mut wrong = Vec::new();
    let rows = table(name);
    for row_of_table in &rows {
        let [language, text] = &row_of_table[..] else { panic!("{row_of_table:?}") };
        match read(text, &known(), &reader(language)) {
            Ok(understood) => wrong.push(format!("{text}\n  {:?}", row(&understood))),
            Err(NotAccepted::NeedsModel { .. } | NotAccepted::NoSuchTask { .. }) => {}
            Err(why) => wrong.push(format!("{text}\n  refused for another reason: {why}")),
        }
    }
    assert!(rows.len() >= least, "only {} rows", rows.len());
    assert!(wrong.is_empty(), "{} of {} wrong\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

#[test]
fn what_people_write_is_understood() {
    check_phrasings("phrasings.tsv", 60);
}

#[test]
fn what_other_people_write_is_understood() {
    check_phrasings("more_phrasings.tsv", 20);
}

#[test]
fn a_word_that_carries_a_meaning_is_used_or_named() {
    check_phrasings("every_word.tsv", 40);
}

#[test]
fn what_needs_a_language_model_is_refused() {
    check_refused("near_misses.tsv", 30);
    check_refused("more_near_misses.tsv", 10);
}

#[test]
fn what_is_said_back_reads_as_one_sentence() {
    let mut said = String::new();
    for name in ["phrasings.tsv", "more_phrasings.tsv"] {
        for row_of_table in table(name) {
            let [language, text, ..] = &row_of_table[..] else { panic!("{row_of_table:?}") };
            let sentence = read(text, &known(), &reader(language)).map(|it| it.sentence);
            said.push_str(&format!(
                "{text}\n    {}\n",
                sentence.unwrap_or_else(|it| it.to_string())
            ));
        }
    }
    insta::assert_snapshot!(said);
}

#[test]
fn an_instruction_that_cannot_be_used_is_refused_with_a_reason() {
    let refused = |text: &str| {
        let why = read(text, &known(), &reader("en")).expect_err(text);
        let source = std::error::Error::source(&why).map(|source| format!(": {source}"));
        format!("{why}{}", source.unwrap_or_default())
    };
    assert_eq!(refused("  "), "the instruction is empty; write what you want to know, and when");
    assert_eq!(
        refused("every 2 minutes tell me what is due"),
        "cannot use `every 2 minutes` as a schedule: every 2 minutes is too often; write `every 5 minutes` or more"
    );
    assert_eq!(
        refused("clean up tasks untouched for 2 days"),
        "cannot use a number of the instruction: untouchedDays is 2; write a number from 7 to 3660"
    );
    assert!(
        refused(&"what is due ".repeat(300)).starts_with("the instruction has 3600 characters")
    );
}

#[test]
fn the_words_with_which_kinds_are_offered_are_understood() {
    let kind = |text: &str, language: &str| match read(text, &known(), &reader(language)) {
        Ok(understood) => {
            format!("{:?} {:?}", understood.parameters.kind(), understood.not_understood)
        }
        // Which task it is, nobody can say but the person.
        Err(NotAccepted::WhichTask { .. }) => "Repeat []".to_owned(),
        Err(why) => why.to_string(),
    };
    for language in ["en", "de"] {
        for card in dormouse_builtin::work::gallery::gallery(language) {
            assert_eq!(kind(card.name, language), format!("{:?} []", card.kind), "{}", card.name);
        }
    }
    for (text, language, expected) in [
        ("Watch", "en", "Watch"),
        ("a watch over deadlines and answers", "en", "Watch"),
        ("warn me when an answer stays out", "en", "Watch"),
        ("warn me when a reply is missing", "en", "Watch"),
        ("a sweep of old tasks", "en", "Sweep"),
        ("clean up my old tasks", "en", "Sweep"),
        ("clear out the backlog", "en", "Sweep"),
        ("Repeat", "en", "Repeat"),
        ("a checklist that repeats", "en", "Repeat"),
        ("a checklist or task that repeats", "en", "Repeat"),
        ("Wächter", "de", "Watch"),
        ("Wächter über Fristen und Antworten", "de", "Watch"),
        ("warne mich, wenn Antworten ausbleiben", "de", "Watch"),
        ("Aufräumen", "de", "Sweep"),
        ("Wiederholung", "de", "Repeat"),
    ] {
        assert_eq!(kind(text, language), format!("{expected} []"), "{text}");
    }
    let both =
        read("a watch over deadlines and answers", &known(), &reader("en")).expect("a watch");
    assert!(
        both.sentence.contains("deadline") && both.sentence.contains("waited"),
        "{}",
        both.sentence
    );
}

#[test]
fn a_word_that_is_proposed_is_one_that_is_understood() {
    let mut n_proposed = 0;
    for text in [
        "every monring tell me what is due",
        "every day at 8 wran me before a deadline",
        "sweeep the attic",
        "cleen up the attic",
        "tell me every firday what is overdeu",
        "reviww my week",
        "clewr up the kitchen",
        "watcch the kitchen",
    ] {
        let Err(why) = read(text, &known(), &reader("en")) else { continue };
        let NotAccepted::NotUnderstood { hints, .. } = &why else { continue };
        for hint in hints {
            let dormouse_builtin::work::instruction::Hint::Word { written, known: word } = hint
            else {
                continue;
            };
            n_proposed += 1;
            let again = read(&text.replace(written, word), &known(), &reader("en"));
            let still = again.err().map(|why| why.to_string()).unwrap_or_default();
            assert!(!still.contains(&format!("`{word}`")), "{text}: {still}");
        }
    }
    assert!(n_proposed > 0);
}

#[test]
fn what_happens_again_is_at_the_hour_that_is_written() {
    for (text, language, words) in [
        ("every day at 6 reset Packing list", "en", "every day at 6:00"),
        ("reset Packing list every day at 6pm", "en", "every day at 6pm"),
        ("weekdays at 6 agenda", "en", "every weekday at 6:00"),
        ("review every Friday at 4", "en", "every Friday at 4:00"),
        ("review every Friday at 9", "en", "every Friday at 09:00"),
        ("agenda at half past six", "en", "every weekday at 6:30"),
        ("Tagesüberblick werktags um 6 Uhr", "de", "werktags um 6:00"),
        ("Rückblick jeden Freitag um 5", "de", "jeden Freitag um 5:00"),
        ("hourly watch deadlines", "en", "every hour"),
    ] {
        let understood = read(text, &known(), &reader(language)).expect(text);
        assert_eq!(understood.schedule_words, words, "{text}");
    }
}

#[test]
fn words_around_a_schedule_stay_apart() {
    let understood = read("Kitchen/every day at 8/bell, what is due", &known(), &reader("en"));
    assert_eq!(understood.expect("it is read").not_understood, ["Kitchen/every day /bell"]);
}

#[test]
fn an_instruction_in_another_language_than_the_readers_is_understood() {
    let text = "Sag mir jeden Werktag um 7, was heute fällig ist";
    let understood = read(text, &known(), &reader("en")).expect("it is read");
    assert_eq!(
        (understood.language, understood.schedule_words.as_str()),
        ("de", "jeden Werktag um 07:00")
    );
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config { cases: 300, failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_words_are_read_without_a_fault_and_what_is_not_understood_is_part_of_them(
        words in proptest::collection::vec(proptest::sample::select(WORDS), 0..24),
        language in proptest::sample::select(&["en", "de"][..]),
    ) {
        let text = words.concat();
        if let Ok(understood) = read(&text, &known(), &reader(language)) {
            for part in &understood.not_understood {
                for word in part.split_whitespace() {
                    proptest::prop_assert!(text.contains(word), "{word} of {text}");
                }
            }
            proptest::prop_assert!(understood.parameters.check().is_ok());
        }
    }
}

const WORDS: &[&str] = &[
    " ",
    " ",
    " ",
    ", ",
    ". ",
    ": ",
    "\"",
    "“",
    "„",
    "every day",
    "every weekday at 7",
    "daily",
    "um halb acht",
    "jeden Dienstagabend",
    "Sun 8pm",
    "at 7",
    "what is due",
    "what's due",
    "reset",
    "copy of",
    "Packing list",
    "Weekly shop",
    "remind me to",
    "on my list",
    "put",
    "only",
    "nur",
    "Kitchen",
    "Family",
    "in",
    "urgent",
    "and",
    "und",
    "I",
    "warn me",
    "3 days before",
    "65535 years",
    "ß",
    "é\u{301}",
    "🥛",
    "\u{202e}",
    "täglich",
    "Fälliges",
    "weekly review",
    "stale tasks",
    "at most 3",
    "if",
    "x",
    "\n",
    "(",
    ")",
    "-",
    "…",
];
