//! What scheduled work came to, on the command line.

use serde_json::{Value, json};

use crate::scripted_server::ScriptedServer;

#[test]
fn what_scheduled_work_came_to_is_listed_read_and_deleted() {
    let server = ScriptedServer::new();
    let world = server.world();
    let none = world.ok(&["conversation", "list"]).out;
    assert!(none.contains("No conversations."), "{none}");
    let add = ["work", "add", "Digest", "--instructions", "Say what is new."];
    let when = ["--yes", "--model", "own/script", "--schedule", "every weekday at 9"];
    world.ok(&[&add[..], &when].concat());
    server.calls([
        ("publish_result", json!({ "title": "News", "text": "Two **letters** came." })),
        ("finish", json!({ "outcome": "done", "summary": "Told." })),
    ]);
    world.ok(&["work", "run", "digest"]);

    let list = world.ok(&["conversation", "list"]).out;
    assert!(list.contains("Scheduled Events") && list.contains("News"), "{list}");
    let shown = world.ok(&["conversation", "show", "scheduled"]).out;
    for part in ["completed “Digest”", "Two letters came."] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let file = world.ok(&["conversation", "show", "scheduled", "--jsonl"]).out;
    let lines: Vec<Value> =
        file.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 2, "{file}");
    assert_eq!((&lines[0]["type"], &lines[1]["type"]), (&json!("meta"), &json!("turn")));
    assert_eq!(lines[1]["content"], "Two **letters** came.");
    let log = world.ok(&["work", "log", "digest", "--jsonl"]).out;
    let kinds: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON")["type"].clone())
        .collect();
    assert_eq!(kinds, ["meta", "event", "turn", "event"], "{log}");

    let gone = world.ok(&["conversation", "rm", "scheduled"]).out;
    assert!(gone.contains("deleted “Scheduled Events”"), "{gone}");
    assert!(world.ok(&["conversation", "list"]).out.contains("No conversations."));
    let missing = world.run(&["conversation", "show", "scheduled"]);
    assert_eq!(missing.code, 1, "{missing:?}");
}
