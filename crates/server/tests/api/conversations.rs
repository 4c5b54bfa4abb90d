//! Conversations over HTTP. The clock shows Monday, 2026-03-02, 09:00 UTC.

use dormouse_testkit::scripted::Answer;
use serde_json::{Value, json};

use crate::world::World;

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

fn publishes(title: &str, words: &str) -> Answer {
    Answer::calls([
        ("publish_result", json!({ "title": title, "text": words })),
        ("finish", json!({ "outcome": "done", "summary": "Told." })),
    ])
}

/// Begins a conversation: its id.
pub async fn begun(world: &World, title: &str) -> String {
    let body = json!({ "title": title }).to_string();
    let begun = world.call("POST", "/api/conversations", &body).await;
    assert_eq!(begun.status, 201, "{}", begun.rendered());
    let id = text(&begun.json()["id"]);
    assert_eq!(begun.header("location"), Some(format!("/api/conversations/{id}").as_str()));
    id
}

/// Work that is begun in a conversation: its id.
async fn work_in(world: &World, conversation: &str) -> String {
    let body = json!({
        "title": "Prices", "instructions": "Compare the prices.", "model": "acme/scripted",
        "conversationId": conversation,
    });
    let made = world.call("POST", "/api/tasks", &body.to_string()).await;
    assert_eq!(made.status, 201, "{}", made.rendered());
    text(&made.json()["id"])
}

/// A conversation in which work was begun that has a result, and the work.
async fn answered(world: &World) -> (String, String) {
    let conversation = begun(world, "Tiles").await;
    world.script.push(publishes("Prices", "Leroy is cheaper."));
    let work = work_in(world, &conversation).await;
    world.drain_all().await;
    (conversation, work)
}

/// Calls every operation on conversations with success.
pub async fn everything(world: &World) {
    let (conversation, work) = answered(world).await;
    let path = format!("/api/conversations/{conversation}");
    for part in ["", "/turns?limit=1", "/turns", "/turns.jsonl", "/tasks?limit=1"] {
        world.get(&format!("{path}{part}")).await;
    }
    world.get("/api/conversations?limit=1").await;
    world.get(&format!("/api/tasks/{work}/conversations")).await;
    let turn = json!({ "content": "Why?", "taskRef": { "taskId": work, "action": "discussed" } });
    world.call("POST", &format!("{path}/turns"), &turn.to_string()).await;
    world.call("POST", &format!("/api/tasks/{work}/conversation"), "").await;
    world.call("DELETE", &path, "").await;
}

#[tokio::test]
async fn work_that_is_begun_in_a_conversation_reports_there_and_both_lead_to_each_other() {
    let world = World::new();
    let (conversation, work) = answered(&world).await;
    let task = world.get(&format!("/api/debug/tasks/{work}")).await.json();
    let source = [&task["type"], &task["sourceType"], &task["sourceRef"]];
    assert_eq!(source, [&json!("immediate"), &json!("conversation"), &json!(conversation)]);

    let path = format!("/api/conversations/{conversation}");
    let page = world.get(&format!("{path}/turns")).await.json();
    let turns = page["items"].as_array().expect("turns");
    let run = &world.get(&format!("/api/tasks/{work}")).await.json()["runs"][0];
    let expected = json!({
        "role": "assistant", "title": "Prices", "content": "Leroy is cheaper.",
        "timestamp": run["completedAt"], "turnNumber": 2, "runId": run["id"], "run": 1,
        "taskRef": { "taskId": work, "action": "completed", "title": "Prices" },
    });
    assert_eq!(turns[0], expected, "{page:#}");
    assert_eq!(turns[1]["taskRef"]["action"], "created");
    assert_eq!(turns[1]["content"], "Compare the prices.");

    // The file has the same lines, oldest first, in the form of the logs of agent work.
    let file = world.get(&format!("{path}/turns.jsonl")).await;
    assert_eq!(file.header("content-type"), Some("application/jsonl"));
    let lines: Vec<Value> =
        file.body.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines[0]["type"], "meta");
    assert_eq!(lines[0]["conversationId"], conversation.as_str());
    let mut last = lines[2].clone();
    assert_eq!(last["type"], "turn");
    last.as_object_mut().expect("an object").remove("type");
    assert_eq!(last, turns[0]);
    let accepts = [("accept", "application/jsonl")];
    let same = world.call_with("GET", &format!("{path}/turns"), "", &accepts).await;
    assert_eq!(same.body, file.body);

    let related = world.get(&format!("{path}/tasks")).await.json();
    assert_eq!(related["items"], json!([task]));
    let back = world.get(&format!("/api/tasks/{work}/conversations")).await.json();
    assert_eq!(back["items"][0]["id"], conversation.as_str());
    assert_eq!(back["items"][0]["last"], "Prices");
    let opened = world.call("POST", &format!("/api/tasks/{work}/conversation"), "").await.json();
    assert_eq!(opened["id"], conversation.as_str());
}

#[tokio::test]
async fn work_goes_on_in_a_conversation_of_its_own_when_that_one_is_deleted() {
    let world = World::new();
    let (conversation, work) = answered(&world).await;
    let gone = world.call("DELETE", &format!("/api/conversations/{conversation}"), "").await;
    assert_eq!((gone.status, &gone.json()["nTurns"]), (200, &json!(2)), "{}", gone.rendered());
    for part in ["", "/turns", "/turns.jsonl", "/tasks"] {
        let missing = world.get(&format!("/api/conversations/{conversation}{part}")).await;
        assert_eq!(missing.json()["type"], "/problems/not-found", "{part}: {}", missing.rendered());
    }
    let task = world.get(&format!("/api/debug/tasks/{work}")).await.json();
    assert_eq!((&task["sourceType"], &task["sourceRef"]), (&json!("conversation"), &Value::Null));

    world.script.push(publishes("Prices", "Marazzi is cheaper."));
    world.call("POST", &format!("/api/tasks/{work}/run"), "").await;
    world.drain_all().await;
    let open = format!("/api/tasks/{work}/conversation");
    let own = world.call("POST", &open, "").await.json();
    assert_eq!((&own["kind"], &own["taskId"]), (&json!("task"), &json!(work)), "{own:#}");
    assert_eq!(world.call("POST", &open, "").await.json(), own);
    let path = format!("/api/conversations/{}/turns", text(&own["id"]));
    let turns = world.get(&path).await.json();
    assert_eq!(turns["items"][0]["content"], "Marazzi is cheaper.", "{turns:#}");
    assert_eq!(turns["items"].as_array().map(Vec::len), Some(1));
    let list = world.get("/api/conversations").await.json();
    assert_eq!(list["items"], json!([own]));
}

#[tokio::test]
async fn what_is_scheduled_reports_in_one_conversation() {
    let world = World::new();
    let mut runs = Vec::new();
    for title in ["Morning", "Evening"] {
        let body = json!({
            "title": title, "instructions": "Say what is new.", "schedule": "every day at 9:30",
            "model": "acme/scripted",
        });
        let made = world.call("POST", "/api/tasks", &body.to_string()).await.json();
        assert_eq!(world.get("/api/conversations").await.json()["items"], json!([]));
        runs.push(format!("/api/tasks/{}/run", text(&made["id"])));
    }
    for run in runs {
        world.script.push(publishes("News", "Two letters came."));
        world.call("POST", &run, "").await;
        world.drain_all().await;
    }
    let list = world.get("/api/conversations").await.json();
    let all = list["items"].as_array().expect("conversations");
    assert_eq!(all.len(), 1, "{list:#}");
    assert_eq!((&all[0]["title"], &all[0]["nTurns"]), (&json!("Scheduled Events"), &json!(2)));
    let path = format!("/api/conversations/{}", text(&all[0]["id"]));
    let first = world.get(&format!("{path}/turns?limit=1")).await.json();
    assert_eq!(first["items"][0]["turnNumber"], 2, "the newest page comes first");
    let next = text(&first["nextCursor"]);
    let rest = world.get(&format!("{path}/turns?limit=1&cursor={next}")).await.json();
    assert_eq!(rest["items"][0]["turnNumber"], 1);
    assert_eq!(rest["nextCursor"], Value::Null);
    let related = world.get(&format!("{path}/tasks")).await.json();
    assert_eq!(related["items"].as_array().map(Vec::len), Some(2));

    // A link never leads to work that was deleted; what was said stays.
    let work = text(&related["items"][0]["id"]);
    world.call("DELETE", &format!("/api/tasks/{work}"), "").await;
    let left = world.get(&format!("{path}/tasks")).await.json();
    assert_eq!(left["items"].as_array().map(Vec::len), Some(1));
    let turns = world.get(&format!("{path}/turns")).await.json();
    let refers = turns["items"].as_array().expect("turns").iter();
    assert_eq!(refers.filter(|turn| turn.get("taskRef").is_some()).count(), 1, "{turns:#}");
}

#[tokio::test]
async fn what_cannot_be_said_is_refused_with_what_to_do() {
    let world = World::new();
    let conversation = begun(&world, "Tiles").await;
    let path = format!("/api/conversations/{conversation}/turns");
    let unknown = "task-01jd7m3k5vn2c8q4w6x0z9abcd";
    let refers = |work: &str, action: &str| {
        let refers = json!({ "taskId": work, "action": action });
        json!({ "content": "Why?", "taskRef": refers }).to_string()
    };
    let finished = world.call("POST", &path, &refers(unknown, "finished")).await;
    assert_eq!(
        finished.json()["errors"][0]["pointer"],
        "/taskRef/action",
        "{}",
        finished.rendered()
    );
    assert!(finished.body.contains("created, updated, discussed, completed"));
    let missing = world.call("POST", &path, &refers(unknown, "discussed")).await;
    assert_eq!((missing.status, missing.body.contains(unknown)), (404, true));
    let person = world.call("POST", &path, &refers("jt-1", "discussed")).await;
    assert_eq!(person.json()["errors"][0]["pointer"], "/taskRef/taskId", "{}", person.rendered());
    let blank = world.call("POST", &path, r#"{"content": " "}"#).await;
    assert_eq!(blank.json()["errors"][0]["pointer"], "/content", "{}", blank.rendered());
    assert_eq!(world.get(&path).await.json()["items"], json!([]), "nothing is half said");

    let elsewhere = json!({
        "title": "Prices", "instructions": "Compare.", "model": "acme/scripted",
        "conversationId": "conv-01jd7m3k5vn2c8q4w6x0z9abcd",
    });
    let refused = world.call("POST", "/api/tasks", &elsewhere.to_string()).await;
    assert_eq!(refused.status, 404, "{}", refused.rendered());
    assert_eq!(world.get("/api/tasks").await.json()["items"], json!([]), "nothing is half made");
}

#[tokio::test]
async fn a_request_that_is_sent_again_adds_one_turn() {
    let world = World::new();
    let conversation = begun(&world, "Tiles").await;
    let path = format!("/api/conversations/{conversation}/turns");
    let key = [("idempotency-key", "one")];
    for _ in 0..2 {
        let added = world.call_with("POST", &path, r#"{"content": "Why?"}"#, &key).await;
        assert_eq!(
            (added.status, &added.json()["nTurns"]),
            (200, &json!(1)),
            "{}",
            added.rendered()
        );
    }
    let reused = world.call_with("POST", &path, r#"{"content": "Where?"}"#, &key).await;
    assert_eq!(reused.json()["type"], "/problems/idempotency-mismatch", "{}", reused.rendered());
}

#[tokio::test]
async fn a_deletion_that_is_sent_again_is_answered_as_the_first_time() {
    let world = World::new();
    let path = format!("/api/conversations/{}", begun(&world, "Tiles").await);
    world.call("POST", &format!("{path}/turns"), r#"{"content": "Why?"}"#).await;
    let key = [("idempotency-key", "one")];
    let first = world.call_with("DELETE", &path, "", &key).await;
    assert_eq!((first.status, &first.json()["nTurns"]), (200, &json!(1)), "{}", first.rendered());
    let again = world.call_with("DELETE", &path, "", &key).await;
    assert_eq!((again.status, again.json()), (200, first.json()), "{}", again.rendered());
    assert_eq!(world.call("DELETE", &path, "").await.status, 404);
    let later = world.call_with("DELETE", &path, "", &[("idempotency-key", "two")]).await;
    assert_eq!(later.status, 404, "{}", later.rendered());
    let other = format!("/api/conversations/{}", begun(&world, "Paint").await);
    let reused = world.call_with("DELETE", &other, "", &key).await;
    assert_eq!(reused.json()["type"], "/problems/idempotency-mismatch", "{}", reused.rendered());
    assert_eq!(world.get(&other).await.status, 200);
}
