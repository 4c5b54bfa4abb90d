//! Recorded calls of a run: how each was read, or why it was refused, must not change, nor the tools as
//! they are offered.

use std::fmt::Write as _;

use dormouse_types::model::ToolCall;
use serde_json::{Value, json};

use super::{offer, read};

fn finishing() -> Vec<Value> {
    vec![
        json!({ "outcome": "done", "summary": " Sent three offers. " }),
        json!({ "outcome": "no_op", "summary": "Nothing new." }),
        json!({ "outcome": "failed", "summary": "The page is gone.", "why": "unknown" }),
        json!({ "outcome": "great", "summary": "x" }),
        json!({ "outcome": "Done", "summary": "x" }),
        json!({ "outcome": "done", "summary": " " }),
        json!({ "outcome": "done", "summary": "ü".repeat(2000) }),
        json!({ "outcome": "done", "summary": "ü".repeat(2001) }),
        json!({ "outcome": "done" }),
        json!({ "summary": "x" }),
        json!({}),
        json!(7),
    ]
}

fn asking() -> Vec<Value> {
    vec![
        json!({ "question": " Which van? " }),
        json!({ "question": "Which van?", "options": [" the small one ", "the big one"] }),
        json!({ "question": "Which van?", "options": vec!["one"; 10] }),
        json!({ "question": "Which van?", "options": vec!["one"; 11] }),
        json!({ "question": "Which van?", "options": ["", "two"] }),
        json!({ "question": "Which van?", "options": ["ü".repeat(201)] }),
        json!({ "question": "Which van?", "options": null }),
        json!({ "question": "" }),
        json!({ "question": "x".repeat(4 * 1024 + 1) }),
        json!({ "questions": ["Which van?"] }),
        json!(null),
    ]
}

fn publishing() -> Vec<Value> {
    vec![
        json!({ "title": " Vans ", "text": "# Vans\n" }),
        json!({ "title": "", "text": "x" }),
        json!({ "title": "Vans", "text": " " }),
        json!({ "title": "ü".repeat(501), "text": "x" }),
        json!({ "title": "Vans" }),
        json!({ "title": 5, "text": "x" }),
        json!("Vans"),
    ]
}

fn logs() -> Vec<Value> {
    vec![
        json!({}),
        json!({ "taskId": null }),
        json!({ "taskId": "task-01hzy3v9kq6f8m2d4r7t5w1x0c" }),
        json!({ "task_id": "task-01hzy3v9kq6f8m2d4r7t5w1x0c" }),
        json!({ "taskId": "jt-1" }),
        json!({ "taskId": 1 }),
        json!(null),
    ]
}

fn lists() -> Vec<Value> {
    vec![
        json!({ "from": "2026-03-01", "to": "2026-03-31" }),
        json!({ "from": "2026-03-01", "to": "2026-03-01" }),
        json!({ "from": "2026-03-02", "to": "2026-03-01" }),
        json!({ "from": "yesterday", "to": "2026-03-01" }),
        json!({ "from": "2026-03-01", "to": "2026-02-30" }),
        json!({ "from": "2026-03-01" }),
        json!([]),
    ]
}

fn finished_steps() -> Vec<Value> {
    vec![
        json!({ "step": 1 }),
        json!({ "step": 1, "note": " Compared. " }),
        json!({ "step": 1, "note": " " }),
        json!({ "step": 1, "note": "ü".repeat(501) }),
        json!({ "step": "1" }),
        json!({ "step": 1.5 }),
        json!({ "n": 1 }),
    ]
}

fn added_steps() -> Vec<Value> {
    vec![
        json!({ "text": " Compare\n the  vans " }),
        json!({ "text": "" }),
        json!({ "text": "ü".repeat(501) }),
        json!({ "text": ["Compare"] }),
        json!({}),
    ]
}

fn searches() -> Vec<Value> {
    vec![
        json!({ "query": "Van Größe" }),
        json!({ "query": "van", "limit": 50 }),
        json!({ "query": "van", "limit": 51 }),
        json!({ "query": "van", "limit": 0 }),
        json!({ "query": "van", "limit": "5" }),
        json!({ "query": "one two three four five" }),
        json!({ "query": " " }),
        json!({ "query": "ü".repeat(501) }),
        json!({}),
    ]
}

fn lists_of_tasks() -> Vec<Value> {
    vec![
        json!({}),
        json!({ "status": "OPEN", "text": "van", "limit": 3 }),
        json!({ "status": "IN PROGRESS" }),
        json!({ "status": "open" }),
        json!({ "status": "late" }),
        json!({ "text": "one two three four five" }),
        json!({ "limit": 51 }),
        json!([]),
    ]
}

fn tasks() -> Vec<Value> {
    vec![
        json!({ "taskId": " jt-01hzy3v9kq6f8m2d4r7t5w1x0c " }),
        json!({ "task_id": "jt-01hzy3v9kq6f8m2d4r7t5w1x0c" }),
        json!({ "taskId": "task-1" }),
        json!({ "id": "jt-1" }),
        json!(null),
    ]
}

fn proposals() -> Vec<Value> {
    vec![
        json!({ "taskId": "jt-01hzy3v9kq6f8m2d4r7t5w1x0c", "title": "Rent a van" }),
        json!({ "task_id": "jt-01hzy3v9kq6f8m2d4r7t5w1x0c", "title": "Rent a van" }),
        json!({ "title": "Rent a van" }),
        json!({ "taskId": "task-1", "title": "Rent a van" }),
        json!(null),
    ]
}

/// What a tool makes of arguments, as it was written down.
fn line(name: &str, args: &Value) -> String {
    let call = ToolCall { id: "call-1".into(), name: name.into(), args: args.clone() };
    match read(&call) {
        Ok(call) => format!("{call:?}"),
        Err(refusal) => format!("refused: {refusal}"),
    }
}

fn page() -> String {
    let mut page = String::new();
    for tool in offer().tools() {
        writeln!(page, "{}: {}\n  {}", tool.name, tool.description, tool.parameters)
            .expect("written");
    }
    let calls = [
        ("finish", finishing()),
        ("ask", asking()),
        ("publish_result", publishing()),
        ("read_task_log", logs()),
        ("list_agent_work", lists()),
        ("finish_step", finished_steps()),
        ("add_step", added_steps()),
        ("search", searches()),
        ("list_tasks", lists_of_tasks()),
        ("read_task", tasks()),
        ("set_task_title", proposals()),
        ("update_task_title", proposals()),
        ("start_agent_work", vec![json!({ "title": "Vans", "instructions": "Compare." })]),
        ("rm", vec![json!({})]),
    ];
    let brief = |text: String| text.replace(&"ü".repeat(100), "ü…").replace(&"x".repeat(512), "x…");
    for (name, args) in
        calls.into_iter().flat_map(|(name, all)| all.into_iter().map(move |args| (name, args)))
    {
        writeln!(page, "\n{name} {}\n  {}", brief(args.to_string()), brief(line(name, &args)))
            .expect("written");
    }
    page
}

#[test]
fn a_recorded_call_is_read_as_it_always_was() {
    insta::assert_snapshot!(page());
}
