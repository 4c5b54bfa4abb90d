//! Recorded calls: what each becomes must never change. Open items, decisions and receipts of
//! existing folders are found by these fingerprints and operation ids.

use std::fmt::Write as _;

use dormouse_changes::set::proposed::{Basis, ProposalContext};
use dormouse_changes::set::rows::operation;
use dormouse_changes::set::validate::{self, CallOutcome};
use dormouse_changes::tool::CallContext;
use dormouse_changes::{Effect, Policy, Refused, TOOLS, ledger, tools};
use dormouse_journal::Edit;
use dormouse_types::agent::DecisionVerdict;
use dormouse_types::model::{Decided, Entry, Item, Ledger, Named, Resolution, TaskState, ToolCall};
use dormouse_types::task::{EntryKind, Priority, Status};
use dormouse_types::{By, Fingerprint, Timestamp};
use serde_json::{Value, json};

const CONTRACT: &str = "ci-01jd7m3k5vn2c8q4w6x0z9abca";
const BOOKS: &str = "ci-01jd7m3k5vn2c8q4w6x0z9abcb";
const ATTIC: &str = "ci-01jd7m3k5vn2c8q4w6x0z9abcc";
const HOME: &str = "lb-01jd7m3k5vn2c8q4w6x0z9abca";
const GARDEN: &str = "lb-01jd7m3k5vn2c8q4w6x0z9abcb";
const MONEY: &str = "lb-01jd7m3k5vn2c8q4w6x0z9abcc";
const ENTRY: &str = "en-01jd7m3k5vn2c8q4w6x0z9abcd";

fn task() -> TaskState {
    let item = |id: &str, title: &str, is_checked: bool, is_archived: bool| Item {
        id: id.parse().expect("an id"),
        checklist: "cl-01jd7m3k5vn2c8q4w6x0z9abcd".parse().expect("an id"),
        title: title.into(),
        is_checked,
        is_archived,
        checked_by: By::Agent,
        checked_at: None,
        depth: 0,
    };
    let label = |id: &str, name: &str| Named { id: id.parse().expect("an id"), name: name.into() };
    TaskState {
        id: "jt-01jd7m3k5vn2c8q4w6x0z9abcd".parse().expect("an id"),
        title: "Move to the new flat".into(),
        status: Status::InProgress,
        status_reason: None,
        priority: Some(Priority::P1),
        due_on: Some("2026-03-20".parse().expect("a day")),
        estimate_minutes: Some(90),
        time_spent_minutes: 0,
        language: Some("en".into()),
        category: None,
        labels: vec![label(HOME, "Home")],
        available_labels: vec![
            label(HOME, "Home"),
            label(GARDEN, "Gärten & \"Höfe\""),
            label(MONEY, "Money"),
        ],
        suppressed_labels: vec![MONEY.parse().expect("an id")],
        items: vec![
            item(CONTRACT, "Sign the contract", false, false),
            item(BOOKS, "Pack the books", true, false),
            item(ATTIC, "Clear the attic", false, true),
        ],
        entries: vec![Entry {
            id: ENTRY.parse().expect("an id"),
            kind: EntryKind::Text,
            created_at: Timestamp::from_micros(1_772_000_000_000_000),
            on: "2026-02-25".parse().expect("a day"),
            text: "The landlord wants it by Friday, 2 hours of work.".into(),
            minutes: None,
            tainted: false,
            starred: false,
            private: false,
        }],
        says: Vec::new(),
        starred: false,
        private: false,
        created_at: Timestamp::from_micros(1_771_000_000_000_000),
    }
}

/// Arguments that any tool of a single value may be called with, around the value itself.
fn around(name: &str, good: &Value) -> Vec<Value> {
    let with = |key: &str, value: Value| {
        let mut args = json!({ name: good });
        args[key] = value;
        args
    };
    let text = json!({ name: good }).to_string();
    vec![
        json!({}),
        json!(null),
        json!([good]),
        json!([{ name: good }]),
        json!("soon"),
        json!(7),
        json!(true),
        json!(text),
        json!(format!("```json\n{text}\n```")),
        json!(format!("```\n{text}\n```")),
        json!(format!("  {text}  ")),
        json!(json!(text).to_string()),
        json!({ name: null }),
        json!({ name: [good] }),
        json!({ name: { "value": good } }),
        json!({ name: false }),
        with("color", json!("red")),
        with("Rationale", json!("an unknown field")),
        with("rationale", json!("it says so")),
        with("rationale", json!(5)),
        with("rationale", json!(null)),
        with("evidence", json!(null)),
        with("evidence", json!({ "entryId": ENTRY, "quote": "by Friday" })),
        with("evidence", json!({ "entryId": format!(" {ENTRY} "), "quote": "2 hours" })),
        with("evidence", json!({ "entryId": ENTRY, "quote": "by Monday" })),
        with("evidence", json!({ "entryId": "en-1", "quote": "by Friday" })),
        with("evidence", json!({ "entryId": ENTRY, "quote": "" })),
        with("evidence", json!({ "entryId": ENTRY })),
        with("evidence", json!({ "entryId": ENTRY, "quote": "by Friday", "page": 1 })),
        with("evidence", json!([ENTRY, "by Friday"])),
        with("evidence", json!("by Friday")),
    ]
}

/// Every recorded call: the name that the model used, and its arguments.
fn calls() -> Vec<(&'static str, Value)> {
    let mut all: Vec<(&'static str, Value)> = Vec::new();
    let mut add = |name: &'static str, args: Vec<Value>| {
        all.extend(args.into_iter().map(|args| (name, args)));
    };
    let titles = |name: &str, texts: &[&str]| -> Vec<Value> {
        texts.iter().map(|text| json!({ name: text })).collect()
    };

    add("set_task_title", around("title", &json!("Lyon")));
    add(
        "update_task_title",
        titles(
            "title",
            &[
                "  Move \n to  Lyon ",
                "Größe 日本語 🚚",
                "\"quoted\" \\ back",
                "",
                " \t",
                "Move to the new flat",
                "a\u{301}bc",
            ],
        ),
    );
    add("set_task_title", vec![json!({ "title": "x".repeat(501) }), json!({ "title": 5 })]);

    add("update_task_estimate", around("minutes", &json!(60)));
    add(
        "set_task_estimate",
        [
            json!("120"),
            json!(" 45 "),
            json!(119.6),
            json!("30.4"),
            json!(1),
            json!(1440),
            json!(1441),
            json!(0),
            json!(0.4),
            json!(0.5),
            json!(-5),
            json!("-5"),
            json!("1e2"),
            json!("two"),
            json!(""),
            json!(1e300),
            json!("NaN"),
            json!("inf"),
            json!(4_294_967_296_u64),
            json!(90),
            json!("90"),
        ]
        .into_iter()
        .map(|minutes| json!({ "minutes": minutes }))
        .collect(),
    );
    add("update_task_estimate", vec![json!({ "estimate": 60 }), json!({ "Minutes": 60 })]);

    add("update_task_due_date", around("dueDate", &json!("2026-04-01")));
    add(
        "set_task_due_date",
        titles(
            "dueDate",
            &[
                "2028-02-29",
                " 2026-04-01 ",
                "2026-02-29",
                "2026-02-30",
                "2026-13-01",
                "0000-00-00",
                "20.03.2026",
                "2026-3-5",
                "2026/03/05",
                "tomorrow",
                "",
                "2026-03-20T10:00:00Z",
                "2026-03-20",
                "9999-12-31",
                "２０２６-04-01",
            ],
        ),
    );
    add(
        "update_task_due_date",
        vec![json!({ "due_date": "2026-04-01" }), json!({ "dueDate": 20_260_320 })],
    );

    add("update_task_priority", around("priority", &json!("P0")));
    add(
        "set_task_priority",
        titles(
            "priority",
            &["p0", " p3 ", "P1", "P2", "P4", "high", "urgent", "", "0", "P0 (urgent)"],
        ),
    );
    add("set_task_priority", vec![json!({ "priority": 1 }), json!({ "Priority": "P0" })]);

    add("set_task_status", around("status", &json!("GROOMED")));
    add(
        "update_task_status",
        titles(
            "status",
            &[
                "open",
                "in-progress",
                "IN_PROGRESS",
                " on hold ",
                "BLOCKED",
                "DONE",
                "rejected",
                "PAUSED",
                "",
                "finished while nobody looked, and then some more words until the limit",
            ],
        ),
    );
    add(
        "set_task_status",
        [
            json!("the landlord"),
            json!("  the landlord's answer "),
            json!(""),
            json!(" "),
            json!(null),
            json!(5),
            json!(["why"]),
            json!("y".repeat(1001)),
            json!("größer \"als\""),
        ]
        .into_iter()
        .flat_map(|reason| {
            [
                json!({ "status": "BLOCKED", "reason": reason }),
                json!({ "status": "ON-HOLD", "reason": reason }),
                json!({ "status": "GROOMED", "reason": reason }),
            ]
        })
        .collect(),
    );

    let lists = |list: &str, good: &Value, name: &str| -> Vec<Value> {
        let mut args: Vec<Value> =
            around(name, &good[name]).into_iter().map(|one| json!({ list: [one] })).collect();
        args.extend(around(name, &good[name]));
        args.extend([
            json!({ list: [] }),
            json!({ list: null }),
            json!({ list: "Book the van" }),
            json!({ list: 5 }),
            json!({ list: {} }),
            json!({ list: good }),
            json!({ list: json!([good]).to_string() }),
            json!({ list: good.to_string() }),
            json!({ list: [good.to_string()] }),
            json!({ list: [format!("```json\n{good}\n```")] }),
            json!({ list: [[good]] }),
            json!({ list: [good, good] }),
            json!({ list: [good, 5, good] }),
            json!({ list: vec![good.clone(); 25] }),
            json!({ list: [good], "why": "an unknown field" }),
        ]);
        args
    };
    add(
        "add_multiple_checklist_items",
        lists("items", &json!({ "title": "Book the van" }), "title"),
    );
    add(
        "add_checklist_items",
        vec![
            json!({ "items": [{ "title": " Book  the van ", "isChecked": true }] }),
            json!({ "items": [{ "title": "Book the van", "isChecked": false }] }),
            json!({ "items": [{ "title": "Book the van", "isChecked": null }] }),
            json!({ "items": [{ "title": "Book the van", "isChecked": "yes" }] }),
            json!({ "items": [{ "title": "Book the van", "checked": true }] }),
            json!({ "items": [{ "title": "SIGN the contract." }, { "title": "Clear the attic" }] }),
            json!({ "items": [{ "title": "Großes 🚚 mieten" }, { "title": "GROSSES 🚚 mieten;" }] }),
            json!({ "items": [{ "title": "z".repeat(401) }, { "title": " " }] }),
        ],
    );
    add(
        "add_checklist_item",
        vec![json!({ "title": "Book the van" }), json!({ "title": "A", "isChecked": true })],
    );

    let tick = json!({ "id": CONTRACT, "isChecked": true });
    add("update_checklist_items", lists("items", &tick, "id"));
    add(
        "update_checklist_item",
        [
            tick.clone(),
            json!({ "id": CONTRACT, "isChecked": false }),
            json!({ "id": CONTRACT, "isChecked": null }),
            json!({ "id": CONTRACT, "isChecked": "true" }),
            json!({ "id": CONTRACT, "title": "  Sign  it " }),
            json!({ "id": CONTRACT, "title": "Sign the contract" }),
            json!({ "id": CONTRACT, "title": "" }),
            json!({ "id": CONTRACT, "title": null }),
            json!({ "id": CONTRACT, "title": "z".repeat(401) }),
            json!({ "id": CONTRACT, "isArchived": true }),
            json!({ "id": ATTIC, "isArchived": false }),
            json!({ "id": ATTIC, "isArchived": true }),
            json!({ "id": format!(" {BOOKS} "), "isChecked": false, "title": "Pack 📚", "isArchived": true }),
            json!({ "id": BOOKS, "isChecked": true, "title": "Pack", "isArchived": false }),
            json!({ "id": "3", "isChecked": true }),
            json!({ "id": 3, "isChecked": true }),
            json!({ "id": "", "isChecked": true }),
            json!({ "id": CONTRACT.to_uppercase(), "isChecked": true }),
            json!({ "id": HOME, "isChecked": true }),
            json!({ "isChecked": true }),
            json!({ "id": CONTRACT, "done": true }),
        ]
        .into_iter()
        .flat_map(|one| [json!({ "items": [one] }), one])
        .collect(),
    );

    let garden = json!({ "id": GARDEN, "confidence": "high" });
    add("assign_task_labels", lists("labels", &garden, "id"));
    add(
        "assign_task_label",
        [
            garden.clone(),
            json!({ "id": GARDEN }),
            json!({ "id": GARDEN, "confidence": "low" }),
            json!({ "id": GARDEN, "confidence": "LOW" }),
            json!({ "id": GARDEN, "confidence": null }),
            json!({ "id": GARDEN, "confidence": 0.9 }),
            json!({ "id": GARDEN, "name": "another name" }),
            json!({ "id": GARDEN, "name": null }),
            json!({ "id": GARDEN, "name": 5 }),
            json!({ "id": format!(" {GARDEN}\n") }),
            json!({ "id": HOME }),
            json!({ "id": MONEY }),
            json!({ "id": "Garden" }),
            json!({ "id": 3 }),
            json!({ "id": CONTRACT }),
            json!({ "name": "Garden" }),
            json!({ "id": GARDEN, "colour": "green" }),
        ]
        .into_iter()
        .flat_map(|one| [json!({ "labels": [one] }), one])
        .collect(),
    );
    add("assign_labels", vec![json!({ "labels": [garden, { "id": HOME }, { "id": MONEY }] })]);
    all
}

/// Arguments as change items and decisions hold them, each with the name of its tool.
fn stored() -> Vec<(&'static str, Value)> {
    vec![
        ("set_task_title", json!({ "title": "Größe \"XL\" 日本語" })),
        ("update_task_estimate", json!({ "minutes": 90 })),
        ("update_task_estimate", json!({ "minutes": 1 })),
        ("update_task_estimate", json!({ "minutes": 60 })),
        ("update_task_estimate", json!({ "minutes": 1440 })),
        ("update_task_due_date", json!({ "dueDate": "2026-03-20" })),
        ("update_task_due_date", json!({ "dueDate": "2028-02-29" })),
        ("update_task_priority", json!({ "priority": "P0" })),
        ("update_task_priority", json!({ "priority": "P3" })),
        ("set_task_status", json!({ "status": "IN PROGRESS" })),
        ("set_task_status", json!({ "status": "BLOCKED", "reason": "the landlord's answer" })),
        ("add_checklist_item", json!({ "title": "Book the van" })),
        ("add_checklist_item", json!({ "title": "Book the van", "isChecked": true })),
        ("update_checklist_item", json!({ "id": CONTRACT, "isChecked": true })),
        ("update_checklist_item", json!({ "id": BOOKS, "isChecked": false })),
        ("update_checklist_item", json!({ "id": BOOKS, "title": "Pack 📚" })),
        ("update_checklist_item", json!({ "id": BOOKS, "isArchived": true })),
        ("update_checklist_item", json!({ "id": ATTIC, "isArchived": false })),
        (
            "update_checklist_item",
            json!({ "id": BOOKS, "isChecked": false, "title": "Pack", "isArchived": true }),
        ),
        (
            "update_checklist_item",
            json!({ "id": "ci-01jd7m3k5vn2c8q4w6x0z9abcz", "isChecked": true }),
        ),
        ("assign_task_label", json!({ "id": GARDEN, "name": "Gärten & \"Höfe\"" })),
        ("assign_task_label", json!({ "id": MONEY, "name": "Money" })),
        ("a_tool_of_a_newer_version", json!({ "planet": "Mars" })),
    ]
}

/// Cuts long runs of one character, so that a line stays readable.
fn brief(text: &str) -> String {
    let mut text = text.to_owned();
    for letter in ["x", "y", "z"] {
        while text.contains(&letter.repeat(40)) {
            text = text.replace(&letter.repeat(40), &format!("{}…", letter.repeat(2)));
        }
    }
    text
}

fn outcome(name: &str, args: &Value, into: &mut String) {
    let task = task();
    let run_key = "0123456789abcdef";
    let call = ToolCall { id: "call".into(), name: name.into(), args: args.clone() };
    let tool = tools::by_name(name).expect("a known tool");
    let context = ProposalContext {
        task: &task,
        items: &[],
        proposed: &[],
        in_set: &[],
        named: &[],
        made_before: 0,
        used: &[],
        basis: Basis::Model,
    };
    for one in validate::validate_call(tool, &call, &context) {
        let line = match one {
            CallOutcome::Queued(one) => {
                let mut line = format!(
                    "{} {} fp={} op={} {}",
                    one.tool,
                    dormouse_types::hash::canonical(&one.args).expect("plain JSON"),
                    &one.fingerprint.as_str()[..16],
                    &operation(run_key, &one.fingerprint, 0).as_str()[..16],
                    one.summary,
                );
                if let Some(evidence) = &one.evidence {
                    write!(line, " evidence={}", validate::evidence_json(evidence))
                        .expect("written");
                }
                if let Some(rationale) = &one.rationale {
                    write!(line, " rationale={rationale:?}").expect("written");
                }
                line
            }
            CallOutcome::Skipped(text) => format!("skipped: {text}"),
            CallOutcome::Refused(text) => format!("refused: {text}"),
        };
        writeln!(into, "  {}", brief(&line)).expect("written");
    }
}

fn run(name: &str, args: &Value, task: &TaskState) -> Result<Effect, Refused> {
    let agent = "ag-01jd7m3k5vn2c8q4w6x0z9abcd".parse().expect("an id");
    let Some(Policy::Immediate(tool)) = tools::by_name(name).map(|tool| tool.policy) else {
        panic!("{name} is not immediate")
    };
    tool.run(args, &CallContext { task, agent: &agent, items: &[] })
}

fn refusal(refused: &Refused) -> String {
    match refused {
        Refused::Invalid(text) => format!("refused: {text}"),
        Refused::Redundant(text) => format!("skipped: {text}"),
    }
}

fn page() -> String {
    let mut page = String::new();
    for tool in TOOLS {
        writeln!(page, "schema of {}: {}", tool.name, (tool.schema)()).expect("written");
    }
    for (name, args) in calls() {
        writeln!(page, "\n{name} {}", brief(&args.to_string())).expect("written");
        outcome(name, &args, &mut page);
    }
    let task = task();
    for (name, args) in stored() {
        writeln!(page, "\nstored {name} {args}").expect("written");
        if let Some(item) = tools::item(name) {
            writeln!(
                page,
                "  {:?} {} destructive {}\n  {}\n  {}\n  change {}",
                item.target(&args).to_string(),
                if item.target(&args).single { "single" } else { "many" },
                item.is_destructive(&args),
                item.summary(&args, Some(&task)),
                item.summary(&args, None),
                json!(item.change(&args, Some(&task))),
            )
            .expect("written");
        }
        let decided = Decided {
            tool: name.into(),
            args,
            verdict: Resolution::Decided(DecisionVerdict::Rejected),
            reason: Some("no".into()),
            at: Timestamp::from_micros(1),
            fingerprint: Fingerprint("f".repeat(64)),
        };
        let ledger = Ledger { decisions: vec![decided], open: Vec::new() };
        let text = ledger::text(&ledger, &task);
        writeln!(page, "  {}", text.lines().last().expect("a line")).expect("written");
    }
    for args in around("languageCode", &json!("de")).into_iter().chain([
        json!({ "languageCode": " DE ", "confidence": "high" }),
        json!({ "languageCode": "de", "confidence": "low" }),
        json!({ "languageCode": "de", "confidence": 3 }),
        json!({ "languageCode": "en" }),
        json!({ "languageCode": "tlh" }),
        json!({ "language": "de" }),
    ]) {
        let line = match run("set_task_language", &args, &task) {
            Ok(Effect::Edit(edits)) => match &edits[..] {
                [Edit::Language { code: Some(code) }] => format!("sets {code}"),
                other => format!("{other:?}"),
            },
            Ok(other) => format!("{other:?}"),
            Err(refused) => refusal(&refused),
        };
        writeln!(page, "\nset_task_language {args}\n  {line}").expect("written");
    }
    for args in around("proposals", &json!([{ "fingerprint": "12345678", "reason": "old" }]))
        .into_iter()
        .chain([
            json!({ "proposals": [] }),
            json!({ "proposals": ["12345678"] }),
            json!({ "proposals": [{ "fingerprint": "12345678", "reason": " " }] }),
            json!({ "proposals": [{ "fingerprint": 12_345_678, "reason": "old" }] }),
            json!({ "proposals": [{ "fingerprint": "12345678" }] }),
            json!({ "proposals": [{ "fingerprint": "fp=12345678", "reason": "x".repeat(1001) }] }),
        ])
    {
        let line = match run("retract_suggestions", &args, &task) {
            Ok(Effect::Withdraw { reply, .. }) => format!("accepts {}", reply.lines().count()),
            Ok(other) => format!("{other:?}"),
            Err(refused) => refusal(&refused),
        };
        writeln!(page, "\nretract_suggestions {}\n  {}", brief(&args.to_string()), brief(&line))
            .expect("written");
    }
    page
}

#[test]
fn a_recorded_call_becomes_what_it_always_became() {
    assert!(calls().len() >= 200, "{} calls", calls().len());
    // A difference is a break with stored data, not a snapshot to accept.
    insta::assert_snapshot!(page());
}
