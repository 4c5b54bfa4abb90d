//! Recorded calls of this room's tools: how each was read, or why it was refused, must not change.

use std::fmt::Write as _;

use dormouse_changes::Refused;
use dormouse_changes::tool::Tool as _;
use serde_json::{Value, json};

use super::TOOLS;
use super::record_observations::{self, RecordObservations};
use super::search_memory::{self, SearchMemory};
use super::update_report::{self, UpdateReport};

fn refusal(refused: &Refused) -> String {
    match refused {
        Refused::Invalid(text) => format!("refused: {text}"),
        Refused::Redundant(text) => format!("skipped: {text}"),
    }
}

fn reports() -> Vec<Value> {
    let good = json!({ "tldr": "Fine.", "content": "# All" });
    vec![
        good.clone(),
        json!(good.to_string()),
        json!(format!("```json\n{good}\n```")),
        json!(["Fine.", "# All"]),
        json!([good]),
        json!("Fine."),
        json!(null),
        json!({}),
        json!({ "tldr": " Fine. ", "content": "\n# All\n" }),
        json!({ "tldr": "Fine.", "report": "# All" }),
        json!({ "tldr": "Fine.", "report": "# All", "content": "# Two" }),
        json!({ "tldr": "Fine.", "content": "# All", "title": "unknown" }),
        json!({ "tldr": "Fine." }),
        json!({ "content": "# All" }),
        json!({ "tldr": "", "content": " " }),
        json!({ "tldr": null, "content": "# All" }),
        json!({ "tldr": 5, "content": "# All" }),
        json!({ "tldr": "Fine.", "content": ["# All"] }),
        json!({ "tldr": "ü".repeat(400), "content": "# All" }),
        json!({ "tldr": "ü".repeat(401), "content": "# All" }),
    ]
}

fn observations() -> Vec<Value> {
    let note = json!({ "text": "moved twice", "priority": "notable" });
    let list = |notes: Value| json!({ "observations": notes });
    vec![
        list(json!([note])),
        json!(list(json!([note])).to_string()),
        list(json!(["moved twice"])),
        list(json!([note, " moved twice "])),
        list(json!([{ "text": "moved twice" }])),
        list(json!([{ "text": "moved twice", "priority": "critical", "color": "red" }])),
        list(json!([{ "text": "moved twice", "priority": "urgent" }])),
        list(json!([{ "text": "moved twice", "priority": null }])),
        list(json!([{ "text": "too long again", "category": "grievance" }])),
        list(json!([{ "text": "too long again", "category": "weather" }])),
        list(json!([["moved twice", "critical"]])),
        list(json!([{ "priority": "critical" }])),
        list(json!([5])),
        list(json!([""])),
        list(json!([{ "text": " " }])),
        list(json!([])),
        list(json!(vec!["again"; 11])),
        list(json!("moved twice")),
        list(json!(note)),
        list(json!(["ü".repeat(3000)])),
        json!({ "observations": ["moved twice"], "why": "unknown" }),
        json!({ "observation": "moved twice" }),
        json!([["moved twice"]]),
        json!("moved twice"),
        json!(null),
        json!({}),
    ]
}

fn searches() -> Vec<Value> {
    vec![
        json!({ "query": "van price" }),
        json!({ "query": "van price", "limit": 20 }),
        json!({ "query": "Straße 2026-03-01" }).to_string().into(),
        json!({ "query": "van", "limit": null }),
        json!({ "query": "van", "limit": "5" }),
        json!({ "query": "van", "limit": 0 }),
        json!({ "query": "van", "limit": 21 }),
        json!({ "query": "van", "limit": -1 }),
        json!({ "query": " \0*\"'()" }),
        json!({ "query": "" }),
        json!({ "query": "ü".repeat(200) }),
        json!({ "query": "ü".repeat(201) }),
        json!({ "query": ["van"] }),
        json!({ "words": "van" }),
        json!("van"),
        json!(null),
    ]
}

fn page() -> String {
    let mut page = String::new();
    let brief = |text: String| text.replace(&"ü".repeat(100), "ü…");
    for tool in TOOLS {
        writeln!(page, "schema of {}: {}", tool.name, (tool.schema)()).expect("written");
    }
    for args in reports() {
        let line = match UpdateReport::read(&args).and_then(update_report::Args::draft) {
            Ok(draft) => format!("{:?} {:?}", draft.tldr, draft.content),
            Err(refused) => refusal(&refused),
        };
        writeln!(page, "\nupdate_report {}\n  {}", brief(args.to_string()), brief(line))
            .expect("written");
    }
    for args in observations() {
        let line = match RecordObservations::read(&args).and_then(record_observations::Args::notes)
        {
            Ok(notes) => {
                let notes = notes
                    .iter()
                    .map(|note| format!("{:?} {:?} {:?}", note.priority, note.category, note.text));
                notes.collect::<Vec<_>>().join(", ")
            }
            Err(refused) => refusal(&refused),
        };
        writeln!(page, "\nrecord_observations {}\n  {}", brief(args.to_string()), brief(line))
            .expect("written");
    }
    for args in searches() {
        let line = match SearchMemory::read(&args).and_then(search_memory::Args::checked) {
            Ok((query, limit)) => format!("{} of {:?}", limit, query.words()),
            Err(refused) => refusal(&refused),
        };
        writeln!(page, "\nsearch_memory {}\n  {}", brief(args.to_string()), brief(line))
            .expect("written");
    }
    page
}

#[test]
fn a_recorded_call_is_read_as_it_always_was() {
    insta::assert_snapshot!(page());
}
