//! Typical texts, with everything a first wake says about each: the report, then one line per
//! proposal with its evidence.
//!
//! A file is a task: its title, the boxes of its checklist, and one entry per `### day` heading;
//! without such headings, the text after the title is one entry.

use jiff::civil::{Date, date};
use serde_json::Value;

use crate::desk::Desk;

/// The task of a file.
fn task(text: &str) -> Desk {
    let (title, body) = text.split_once('\n').expect("a title and a text");
    let mut desk = Desk::new(title.trim_start_matches('#').trim(), date(2027, 2, 15));
    let day_of = |line: &str| line.strip_prefix("### ").and_then(|day| day.parse::<Date>().ok());
    if !body.lines().any(|line| day_of(line).is_some()) {
        return desk.entry(body.trim());
    }
    let mut entry: Option<(Date, String)> = None;
    for line in body.lines() {
        if let Some(day) = day_of(line) {
            if let Some((on, text)) = entry.replace((day, String::new())) {
                desk = desk.entry_on(on, text.trim());
            }
        } else if let Some((_, text)) = &mut entry {
            text.push_str(line);
            text.push('\n');
        } else if let Some(title) = line.strip_prefix("- [ ] ") {
            desk = desk.item(title, false);
        } else if let Some(title) = line.strip_prefix("- [x] ") {
            desk = desk.item(title, true);
        }
    }
    let (on, text) = entry.expect("an entry");
    desk.entry_on(on, text.trim())
}

fn report_of(desk: &Desk) -> String {
    let mut lines = vec![desk.rendered(), String::from("\n---")];
    for proposal in desk.proposals() {
        let text = |value: &Value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let quote = text(&proposal["evidence"]["quote"]);
        let args = proposal["args"].as_object().expect("arguments");
        let said: Vec<String> = args
            .iter()
            .filter(|(key, _)| !["id", "evidence", "isChecked"].contains(&key.as_str()))
            .map(|(key, value)| format!("{key} {}", text(value)))
            .collect();
        let quote =
            if quote == "null" { text(&proposal["args"]["evidence"]["quote"]) } else { quote };
        lines.push(format!("{}: {} <- {quote:?}", text(&proposal["tool"]), said.join(", ")));
    }
    lines.join("\n")
}

macro_rules! texts {
    ($($name:ident),* $(,)?) => {
        $(
            #[test]
            fn $name() {
                let text = include_str!(concat!("held_out/", stringify!($name), ".md"));
                insta::assert_snapshot!(report_of(&task(text)));
            }
        )*

        #[test]
        fn every_text_is_read() {
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/reports/held_out");
            let n_files = std::fs::read_dir(folder).expect("the folder of texts").count();
            let names = [$(stringify!($name)),*];
            assert_eq!(n_files, names.len(), "a text in {folder} has no test");
        }
    };
}

texts! {
    passports,
    garden,
    party,
    laptop,

    bug_discussion,
    house_diary,
    incident_log,
    incident_mail,
    job_applications,
    keep_a_changelog,
    minutes,
    minutes_short,
    notebook,
    plain_changes,
    release_checklist,
    roadmap_quarters,
    shared_flat,
    support_thread,
    thesis_plan,
    trip_plan,
}
