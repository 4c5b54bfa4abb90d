//! Agent work over HTTP. The clock shows Monday, 2026-03-02, 09:00 UTC.

use dormouse_testkit::scripted::Answer;
use serde_json::{Value, json};

use crate::world::World;

const DIGEST: &str =
    r#"{"title": "Digest", "instructions": "Say what is new.", "model": "acme/scripted"}"#;

fn finishes(summary: &str) -> Answer {
    Answer::calls([("finish", json!({ "outcome": "done", "summary": summary }))])
}

fn publishes() -> Answer {
    Answer::calls([
        ("publish_result", json!({ "title": "News", "text": "Two letters came." })),
        ("finish", json!({ "outcome": "done", "summary": "Told about two letters." })),
    ])
}

fn asks() -> Answer {
    let ask = json!({ "question": "Which garden?", "options": ["front", "back"] });
    Answer::calls([("ask", ask)])
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

async fn made(world: &World, body: &str) -> String {
    let made = world.call("POST", "/api/tasks", body).await;
    assert_eq!(made.status, 201, "{}", made.shown());
    let id = text(&made.json()["id"]);
    assert_eq!(made.header("location"), Some(format!("/api/tasks/{id}").as_str()));
    id
}

/// Work whose run waits for an answer: its id, the run's and the question's.
pub async fn asking(world: &World) -> (String, String, String) {
    world.script.push(asks());
    let work = made(world, DIGEST).await;
    world.drain_all().await;
    let shown = world.get(&format!("/api/tasks/{work}")).await.json();
    let (run, question) = (text(&shown["runs"][0]["id"]), text(&shown["questions"][0]["id"]));
    (work, run, question)
}

/// Calls every operation on agent work with success.
pub async fn everything(world: &World) {
    let (work, run, question) = asking(world).await;
    world.script.push(Answer::Turn { text: "Done?".into(), calls: Vec::new(), ended: true });
    world.script.push(Answer::Turn { text: "Done.".into(), calls: Vec::new(), ended: true });
    let answer = format!("/api/questions/{question}/answer");
    world.call("POST", &answer, r#"{"answer": "front"}"#).await;
    world.drain_all().await;
    let review = format!("/api/runs/{run}/review");
    world.call("POST", &review, r#"{"approve": false, "reason": "It says nothing."}"#).await;
    world.call("POST", &format!("/api/runs/{run}/retry"), "").await;
    world.call("POST", &format!("/api/runs/{run}/cancel"), "").await;
    for path in ["", "/questions"] {
        world.get(&format!("/api/runs/{run}{path}")).await;
    }
    for root in ["/api/tasks", "/api/debug/tasks"] {
        world.get(&format!("{root}?status=failed&type=immediate&limit=1")).await;
        world.get(&format!("{root}/{work}")).await;
        world.get(&format!("{root}/{work}/log?limit=2")).await;
        world.call("PATCH", &format!("{root}/{work}"), r#"{"title": "News"}"#).await;
        let other = world.call("POST", root, DIGEST).await.json();
        world.call("DELETE", &format!("{root}/{}", text(&other["id"])), "").await;
    }
    world.get(&format!("/api/tasks/{work}/runs?limit=1")).await;
    world.call("POST", &format!("/api/tasks/{work}/run"), "").await;
    let correction = r#"{"text": "Leave out the weather."}"#;
    world.call("POST", &format!("/api/tasks/{work}/corrections"), correction).await;
    world.call("POST", "/api/work/pause-all", "").await;
    world.get("/api/schedules?text=every%20weekday%20at%209").await;
}

#[tokio::test]
async fn work_is_made_runs_once_and_leaves_a_result_and_a_log() {
    let world = World::new();
    world.script.push(publishes());
    let work = made(&world, DIGEST).await;
    let path = format!("/api/tasks/{work}");
    let waiting = world.get(&path).await.json();
    assert_eq!(waiting["task"]["status"], "pending", "{waiting:#}");
    world.drain_all().await;
    let shown = world.get(&path).await.json();
    let task = &shown["task"];
    let columns = ["type", "sourceType", "status", "runState", "createdBy", "recurrenceId"];
    let found = columns.map(|name| task[name].clone());
    let expected = [
        json!("immediate"),
        json!("manual"),
        json!("completed"),
        json!("succeeded"),
        json!("user"),
        Value::Null,
    ];
    assert_eq!(found, expected, "{shown:#}");
    assert_eq!(task["logPath"], format!("tasks/logs/{work}.jsonl"));
    let run = &shown["runs"][0];
    assert_eq!(
        (&run["resultTitle"], &run["result"]),
        (&json!("News"), &json!("Two letters came."))
    );
    assert_eq!(run["summary"], "Told about two letters.");

    let log = world.get(&format!("{path}/log")).await.json();
    let lines: Vec<(Value, Value)> = log["items"]
        .as_array()
        .expect("lines")
        .iter()
        .map(|line| (line["type"].clone(), line["tool"].clone()))
        .collect();
    let call = |kind: &str, tool: &str| (json!(kind), json!(tool));
    let expected = [
        (json!("run"), Value::Null),
        call("call", "publish_result"),
        call("result", "publish_result"),
        call("call", "finish"),
        call("result", "finish"),
        (json!("end"), Value::Null),
    ];
    assert_eq!(lines, expected, "{log:#}");
    let same = world.get(&format!("/api/debug/tasks/{work}/log")).await.json();
    assert_eq!(same, log);
}

#[tokio::test]
async fn the_list_is_paged_and_filtered() {
    let world = World::new();
    let daily = r#"{"title": "Agenda", "instructions": "Say what is due.", "schedule": "every weekday at 8",
        "model": "acme/scripted"}"#;
    let scheduled = made(&world, daily).await;
    world.script.push(finishes("Nothing new."));
    let once = made(&world, DIGEST).await;
    world.drain_all().await;
    let ids = |answer: Value| -> Vec<String> {
        answer["items"].as_array().expect("items").iter().map(|one| text(&one["id"])).collect()
    };
    let list = async |query: &str| ids(world.get(&format!("/api/tasks{query}")).await.json());
    assert_eq!(list("").await, [once.clone(), scheduled.clone()]);
    assert_eq!(list("?type=scheduled").await, std::slice::from_ref(&scheduled));
    assert_eq!(list("?status=completed").await, std::slice::from_ref(&once));
    assert_eq!(list("?status=completed&type=scheduled").await, Vec::<String>::new());
    let first = world.get("/api/tasks?limit=1").await.json();
    let next = text(&first["nextCursor"]);
    assert_eq!(list(&format!("?limit=1&cursor={next}")).await, [scheduled]);
    let wrong = world.get("/api/tasks?status=done").await;
    assert_eq!(wrong.json()["errors"][0]["pointer"], "?status", "{}", wrong.shown());
    let foreign = world.get("/api/tasks?cursor=7").await;
    assert_eq!(foreign.status, 422, "{}", foreign.shown());
}

#[tokio::test]
async fn a_schedule_is_read_before_it_is_saved() {
    let world = World::new();
    let read = world.get("/api/schedules?text=every%20weekday%20at%209").await.json();
    let next = json!([
        "2026-03-03T09:00:00Z",
        "2026-03-04T09:00:00Z",
        "2026-03-05T09:00:00Z",
        "2026-03-06T09:00:00Z",
        "2026-03-09T09:00:00Z"
    ]);
    assert_eq!(read["next"], next, "{read:#}");
    let refused = world.get("/api/schedules?text=now%20and%20then").await;
    assert_eq!(refused.status, 422, "{}", refused.shown());
    let body = r#"{"title": "x", "instructions": "y", "schedule": "now and then", "model": "acme/scripted"}"#;
    let refused = world.call("POST", "/api/tasks", body).await;
    assert_eq!(refused.json()["errors"][0]["pointer"], "/schedule", "{}", refused.shown());
    assert_eq!(world.get("/api/tasks").await.json()["items"], json!([]), "nothing is half made");
}

#[tokio::test]
async fn work_is_paused_taken_up_again_and_removed() {
    let world = World::new();
    let daily = r#"{"title": "Agenda", "instructions": "Say what is due.", "schedule": "every day at 9:30",
        "model": "acme/scripted"}"#;
    let path = format!("/api/tasks/{}", made(&world, daily).await);
    let paused = world.call("PATCH", &path, r#"{"action": "pause"}"#).await.json();
    assert_eq!((&paused["status"], &paused["nextDueAt"]), (&json!("paused"), &Value::Null));
    world.later(3600);
    world.drain_all().await;
    assert_eq!(world.get(&format!("{path}/runs")).await.json()["items"], json!([]));
    let again = world.call("PATCH", &path, r#"{"action": "pause"}"#).await;
    assert_eq!(again.json()["type"], "/problems/work-state", "{}", again.shown());
    let resumed = world.call("PATCH", &path, r#"{"action": "resume"}"#).await.json();
    assert_eq!(resumed["nextDueAt"], "2026-03-03T09:30:00Z", "what was due meanwhile never runs");
    let both = world.call("PATCH", &path, r#"{"action": "pause", "title": "x"}"#).await;
    assert_eq!(both.json()["errors"][0]["pointer"], "/action", "{}", both.shown());
    let idle = world.call("PATCH", &path, r#"{"action": "cancel"}"#).await;
    assert_eq!(idle.status, 404, "{}", idle.shown());
    let gone = world.call("DELETE", &path, "").await;
    assert_eq!(gone.status, 200, "{}", gone.shown());
    assert_eq!(world.get(&path).await.status, 404);
    assert_eq!(world.get("/api/tasks").await.json()["items"], json!([]));
}

#[tokio::test]
async fn a_question_is_answered_once_and_the_same_run_goes_on() {
    let world = World::new();
    let (work, run, question) = asking(&world).await;
    let path = format!("/api/tasks/{work}");
    let waiting = world.get(&path).await.json();
    assert_eq!(waiting["task"]["status"], "paused");
    assert_eq!(waiting["task"]["runState"], "needs_input");
    assert_eq!(waiting["questions"][0]["options"], json!(["front", "back"]));
    world.script.push(publishes());
    let answer = format!("/api/questions/{question}/answer");
    let answered = world.call("POST", &answer, r#"{"answer": "back"}"#).await.json();
    assert_eq!((&answered["answer"], &answered["isOpen"]), (&json!("back"), &json!(false)));
    let second = world.call("POST", &answer, r#"{"answer": "front"}"#).await;
    assert_eq!(second.json()["type"], "/problems/question-closed", "{}", second.shown());
    assert!(second.body.contains("back"), "it tells the first answer: {}", second.shown());
    world.drain_all().await;
    let done = world.get(&path).await.json();
    assert_eq!(done["task"]["status"], "completed", "{done:#}");
    assert_eq!(done["runs"].as_array().map(Vec::len), Some(1), "the same run");
    assert_eq!((&done["runs"][0]["id"], &done["questions"]), (&json!(run), &json!([])));
}

#[tokio::test]
async fn work_for_a_model_that_is_not_there_is_refused() {
    let world = World::new();
    let body = r#"{"title": "x", "instructions": "y", "model": "nobody/large"}"#;
    let refused = world.call("POST", "/api/tasks", body).await;
    assert!(refused.status >= 400 && refused.body.contains("nobody"), "{}", refused.shown());
    let builtin = r#"{"title": "x", "instructions": "Write a poem."}"#;
    let refused = world.call("POST", "/api/tasks", builtin).await;
    assert!(refused.body.contains("language model"), "{}", refused.shown());
}
