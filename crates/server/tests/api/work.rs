//! Agent work over HTTP. The clock shows Monday, 2026-03-02, 09:00 UTC.

use dormouse_testkit::scripted::Answer;
use serde_json::{Value, json};

use crate::world::World;

pub const DIGEST: &str =
    r#"{"title": "Digest", "instructions": "Say what is new.", "model": "acme/scripted"}"#;

pub fn finishes(summary: &str) -> Answer {
    Answer::calls([("finish", json!({ "outcome": "done", "summary": summary }))])
}

pub fn publishes() -> Answer {
    Answer::calls([
        ("publish_result", json!({ "title": "News", "text": "Two letters came." })),
        ("finish", json!({ "outcome": "done", "summary": "Told about two letters." })),
    ])
}

pub fn asks() -> Answer {
    let ask = json!({ "question": "Which garden?", "options": ["front", "back"] });
    Answer::calls([("ask", ask)])
}

pub fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

pub async fn made(world: &World, body: &str) -> String {
    let made = world.call("POST", "/api/tasks", body).await;
    assert_eq!(made.status, 201, "{}", made.rendered());
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
    crate::occurrences::everything(world).await;
    let answer = format!("/api/questions/{question}/answer");
    world.call("POST", &answer, r#"{"answer": "front"}"#).await;
    world.drain_all().await;
    let review = format!("/api/runs/{run}/review");
    world.call("POST", &review, r#"{"approve": false, "reason": "It says nothing."}"#).await;
    world.call("POST", &format!("/api/runs/{run}/retry"), "").await;
    world.call("POST", &format!("/api/runs/{run}/cancel"), "").await;
    for path in ["", "/log", "/questions"] {
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
    world.get("/api/tasks/needs-attention?limit=1").await;
    let (_, waiting, _) = asking(world).await;
    let entry = format!("/api/needs-attention/workQuestion%3A{waiting}/acknowledgement");
    world.call("PUT", &entry, r#"{"since": "2026-03-02T09:00:00Z"}"#).await;
    world.call("DELETE", &entry, "").await;
    let delivered = world.get("/api/deliveries?state=pending&limit=1").await.json();
    let delivered = format!("/api/deliveries/{}/state", text(&delivered["items"][0]["id"]));
    world.call("PUT", &delivered, r#"{"state": "delivered"}"#).await;
    world.call("POST", &format!("/api/tasks/{work}/deliveries/read"), "").await;
    world.get(&format!("/api/tasks/{work}/log.jsonl")).await;
    world.get(&format!("/api/tasks/{work}/runs?limit=1")).await;
    world.call("POST", &format!("/api/tasks/{work}/run"), "").await;
    let correction = r#"{"text": "Leave out the weather."}"#;
    world.call("POST", &format!("/api/tasks/{work}/corrections"), correction).await;
    world.call("POST", "/api/work/pause-all", "").await;
    world.call("POST", "/api/work/resume-all", "").await;
    world.get("/api/schedules?text=every%20weekday%20at%209").await;
    world.get("/api/work/gallery?lang=de").await;
    world
        .call("POST", "/api/work/read", r#"{"text": "every weekday at 7 tell me what is due"}"#)
        .await;
    world.call("POST", "/api/work/preview", DIGEST).await;
    world.call("POST", "/api/work/try", r#"{"parameters": {"kind": "agenda"}}"#).await;
}

/// What is said about new work before it is made is what it becomes.
#[tokio::test]
async fn work_that_says_nothing_about_when_runs_once_now_and_its_usual_time_is_proposed() {
    let world = World::new();
    let what_happens = async |more: Value| {
        let mut body = json!({ "title": "Agenda", "instructions": "Say what is due today" });
        body.as_object_mut()
            .expect("an object")
            .extend(more.as_object().expect("an object").clone());
        let preview = world.call("POST", "/api/work/preview", &body.to_string()).await;
        assert_eq!(preview.status, 200, "{}", preview.rendered());
        let made = world.call("POST", "/api/tasks", &body.to_string()).await.json();
        let (preview, next) = (preview.json(), made["nextDueAt"].clone());
        assert_eq!(preview["schedule"]["next"][0], next, "{preview:#}");
        let is_queued = made["runState"] == "queued";
        (preview["starts"].clone(), preview["usualSchedule"].clone(), next, is_queued)
    };
    let none = Value::Null;
    let once = what_happens(json!({})).await;
    assert_eq!(once, (json!("now"), json!("every weekday at 07:30"), none.clone(), true));
    assert_eq!(what_happens(json!({ "events": [] })).await, once);
    let calls = what_happens(json!({ "waitsForCalls": true })).await;
    assert_eq!(calls, (json!("calls"), none.clone(), none.clone(), false));
    let changes = what_happens(json!({ "events": [{ "event": "created" }] })).await;
    assert_eq!(changes, (json!("changes"), none.clone(), none.clone(), false));
    let due = json!("2026-03-03T07:00:00Z");
    let words = json!({ "instructions": "Every day at 7 say what is due" });
    assert_eq!(what_happens(words).await, (json!("schedule"), none.clone(), due.clone(), false));
    let given = json!({ "schedule": "every day at 7" });
    assert_eq!(what_happens(given).await, (json!("schedule"), none, due, false));
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
async fn the_log_is_a_file_with_a_line_for_each_turn_whose_parts_are_the_whole() {
    let world = World::new();
    world.script.push(publishes());
    let work = made(&world, DIGEST).await;
    world.drain_all().await;
    world.script.push(finishes("Nothing new."));
    world.call("POST", &format!("/api/tasks/{work}/run"), "").await;
    world.drain_all().await;
    let path = format!("/api/tasks/{work}/log.jsonl");
    let whole = world.get(&path).await;
    assert_eq!(whole.header("content-type"), Some("application/jsonl"));
    assert!(whole.header("link").is_none());
    let lines: Vec<Value> =
        whole.body.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let kinds: Vec<String> =
        lines.iter().map(|line| text(line.get("event").unwrap_or(&line["type"]))).collect();
    let run = ["run_started", "turn", "run_ended"];
    assert_eq!(kinds, [&["meta"], &run[..], &run].concat(), "{}", whole.body);
    assert_eq!(lines[0]["taskId"], work.as_str());
    let turn = &lines[2];
    assert_eq!((&turn["role"], &turn["turnNumber"]), (&json!("assistant"), &json!(1)));
    assert_eq!(turn["calls"][0]["tool"], "publish_result");
    assert_eq!(turn["calls"][0]["arguments"]["text"], "Two letters came.");
    assert_eq!(turn["calls"][1]["refused"], false);

    let first = world.get(&format!("{path}?limit=1")).await;
    let next = format!("<{path}?limit=1&cursor=2>; rel=\"next\"");
    assert_eq!(first.header("link"), Some(next.as_str()));
    let second = world.get(&format!("{path}?limit=1&cursor=2")).await;
    assert!(second.header("link").is_none());
    assert_eq!(format!("{}{}", first.body, second.body), whole.body);

    let accepts = [("accept", "application/json;q=0.5, application/jsonl")];
    for root in ["/api/tasks", "/api/debug/tasks"] {
        let path = format!("{root}/{work}/log");
        let same = world.call_with("GET", &path, "", &accepts).await;
        assert_eq!(same.body, whole.body);
    }
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
    assert_eq!(wrong.json()["errors"][0]["pointer"], "?status", "{}", wrong.rendered());
    let foreign = world.get("/api/tasks?cursor=7").await;
    assert_eq!(foreign.status, 422, "{}", foreign.rendered());
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
    assert_eq!(refused.status, 422, "{}", refused.rendered());
    assert_eq!(refused.json()["part"], "and then", "{}", refused.rendered());
    let body = r#"{"title": "x", "instructions": "y", "schedule": "now and then", "model": "acme/scripted"}"#;
    let refused = world.call("POST", "/api/tasks", body).await;
    assert_eq!(refused.json()["errors"][0]["pointer"], "/schedule", "{}", refused.rendered());
    assert_eq!(refused.json()["part"], "and then", "{}", refused.rendered());
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
    assert_eq!(again.json()["type"], "/problems/work-state", "{}", again.rendered());
    let resumed = world.call("PATCH", &path, r#"{"action": "resume"}"#).await.json();
    assert_eq!(resumed["nextDueAt"], "2026-03-03T09:30:00Z", "what was due meanwhile never runs");
    let left_out = world.get(&format!("{path}/runs")).await.json();
    assert_eq!(left_out["items"].as_array().map(Vec::len), Some(1), "but has a row: {left_out:#}");
    for none in [r#"{"schedule": null}"#, r#"{"schedule": " ", "title": "x"}"#] {
        let refused = world.call("PATCH", &path, none).await;
        assert_eq!(refused.status, 422, "{}", refused.rendered());
        assert_eq!(refused.json()["errors"][0]["pointer"], "/schedule", "{}", refused.rendered());
        assert!(refused.body.contains("pause the work"), "{}", refused.rendered());
    }
    let both = world.call("PATCH", &path, r#"{"action": "pause", "title": "x"}"#).await;
    assert_eq!(both.json()["errors"][0]["pointer"], "/action", "{}", both.rendered());
    let idle = world.call("PATCH", &path, r#"{"action": "cancel"}"#).await;
    assert_eq!(idle.status, 409, "{}", idle.rendered());
    assert!(idle.body.contains("is skipped: it has ended already"), "{}", idle.rendered());
    let gone = world.call("DELETE", &path, "").await;
    assert_eq!(gone.status, 200, "{}", gone.rendered());
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
    assert_eq!(second.json()["type"], "/problems/question-closed", "{}", second.rendered());
    assert!(second.body.contains("back"), "it tells the first answer: {}", second.rendered());
    world.drain_all().await;
    let done = world.get(&path).await.json();
    assert_eq!(done["task"]["status"], "completed", "{done:#}");
    assert_eq!(done["runs"].as_array().map(Vec::len), Some(1), "the same run");
    assert_eq!((&done["runs"][0]["id"], &done["questions"]), (&json!(run), &json!([])));
}

#[tokio::test]
async fn what_waits_for_the_person_is_listed_until_it_is_dealt_with() {
    let world = World::new();
    let waits = async || {
        let listed = world.get("/api/needs-attention").await.json();
        let items = listed["items"].as_array().expect("items").clone();
        items.iter().map(|one| (text(&one["kind"]), one["work"].clone())).collect::<Vec<_>>()
    };
    assert_eq!(waits().await, []);
    let (work, run, question) = asking(&world).await;
    let [(kind, about)] = &waits().await[..] else { panic!("one line") };
    assert_eq!(kind, "workQuestion");
    assert_eq!((&about["id"], &about["runId"]), (&json!(work), &json!(run)));
    assert_eq!((&about["title"], &about["runState"]), (&json!("Digest"), &json!("needs_input")));
    let question_row = &about["question"];
    assert_eq!(
        (&question_row["id"], &question_row["question"]),
        (&json!(question), &json!("Which garden?"))
    );

    for text in ["Done?", "Done."] {
        world.script.push(Answer::Turn { text: text.into(), calls: Vec::new(), ended: true });
    }
    let answer = format!("/api/questions/{question}/answer");
    world.call("POST", &answer, r#"{"answer": "front"}"#).await;
    assert_eq!(waits().await, [], "it goes on");
    world.drain_all().await;
    assert_eq!(waits().await[0].0, "workReview");
    world.call("POST", &format!("/api/runs/{run}/review"), r#"{"approve": false}"#).await;
    assert_eq!(waits().await, [], "what was declined is known");

    let gives_up = json!({ "outcome": "failed", "summary": "No letters were there." });
    world.script.push(Answer::calls([("finish", gives_up)]));
    let other = made(&world, DIGEST).await;
    world.drain_all().await;
    let listed = world.get("/api/needs-attention").await.json();
    let [failed] = &listed["items"].as_array().expect("items")[..] else { panic!("{listed:#}") };
    assert_eq!((&failed["kind"], &failed["work"]["id"]), (&json!("workFailed"), &json!(other)));
    assert_eq!(failed["text"], "No letters were there.");
    assert_eq!(failed["actions"], json!(["retry", "open"]));
    let log = world.get(&format!("/api/runs/{}/log", text(&failed["work"]["runId"]))).await.json();
    let whole = world.get(&format!("/api/tasks/{other}/log")).await.json();
    assert_eq!(log["items"], whole["items"]);
    let path = format!("/api/tasks/{other}");
    world.call("PATCH", &path, r#"{"action": "archive"}"#).await;
    assert_eq!(waits().await, [], "what was put away needs nobody");
}

#[tokio::test]
async fn what_was_acknowledged_leaves_the_list_until_there_is_something_new() {
    let world = World::new();
    let kinds = async |query: &str| {
        let listed = world.get(&format!("/api/tasks/needs-attention{query}")).await.json();
        let all = world.get(&format!("/api/needs-attention{query}")).await.json();
        assert_eq!(listed["items"], all["items"], "here only work needs the person");
        let items = listed["items"].as_array().expect("items").clone();
        items.iter().map(|one| text(&one["kind"])).collect::<Vec<_>>()
    };
    let (work, run, _) = asking(&world).await;
    assert_eq!(kinds("").await, ["workQuestion"]);
    let entry = world.get("/api/needs-attention").await.json()["items"][0].clone();
    assert_eq!(entry["id"], format!("workQuestion:{run}"));
    let path = format!("/api/needs-attention/workQuestion%3A{run}/acknowledgement");
    let early = world.call("PUT", &path, r#"{"since": "2020-01-01T00:00:00Z"}"#).await;
    assert_eq!((early.status, &early.json()["acknowledgedAt"]), (200, &Value::Null));
    assert_eq!(kinds("").await, ["workQuestion"], "what came meanwhile stays");
    let since = json!({ "since": entry["since"] }).to_string();
    let noted = world.call("PUT", &path, &since).await;
    assert!(noted.json()["acknowledgedAt"].is_string(), "{}", noted.rendered());
    assert_eq!(world.call("PUT", &path, &since).await.status, 200, "twice changes nothing");
    assert_eq!(kinds("").await, Vec::<String>::new());
    assert_eq!(kinds("?acknowledged=true").await, ["workQuestion"]);
    assert_eq!(world.call("DELETE", &path, "").await.status, 200);
    assert_eq!(kinds("").await, ["workQuestion"]);
    world.call("PUT", &path, &since).await;
    // Another question of the same run is a new entry.
    world.later(60);
    world.script.push(asks());
    let shown = world.get(&format!("/api/tasks/{work}")).await.json();
    let question = text(&shown["questions"][0]["id"]);
    let answer = format!("/api/questions/{question}/answer");
    world.call("POST", &answer, r#"{"answer": "front"}"#).await;
    world.drain_all().await;
    assert_eq!(kinds("").await, ["workQuestion"]);
    assert_eq!(kinds("?acknowledged=true").await, Vec::<String>::new());
    let missing = world.call("PUT", "/api/needs-attention/x/acknowledgement", &since).await;
    assert_eq!(missing.status, 404, "{}", missing.rendered());
}

#[tokio::test]
async fn a_delivery_is_listed_until_it_was_shown_and_read() {
    let world = World::new();
    let listed = async |query: &str| {
        let page = world.get(&format!("/api/deliveries{query}")).await.json();
        page["items"].as_array().expect("items").clone()
    };
    assert_eq!(listed("").await, [] as [Value; 0]);
    let (work, run, question) = asking(&world).await;
    world.later(60);
    world.script.push(publishes());
    let other = made(&world, DIGEST).await;
    world.drain_all().await;
    let all = listed("").await;
    let [result, question_row] = &all[..] else { panic!("{all:#?}") };
    let shown = ["kind", "state", "target", "text", "taskId", "title"];
    assert_eq!(
        shown.map(|name| result[name].clone()),
        ["result", "pending", "app", "News", &other, "Digest"].map(|it| json!(it))
    );
    assert_eq!(
        shown.map(|name| question_row[name].clone()),
        ["question", "pending", "app", "Which garden?", &work, "Digest"].map(|it| json!(it))
    );
    assert_eq!((&question_row["runId"], &question_row["attempts"]), (&json!(run), &json!(0)));
    let first = world.get("/api/deliveries?limit=1").await.json();
    let next = format!("?limit=1&cursor={}", text(&first["nextCursor"]));
    assert_eq!((&first["items"][0], &listed(&next).await[0]), (result, question_row));

    let mark = async |one: &Value, state: &str| {
        let path = format!("/api/deliveries/{}/state", text(&one["id"]));
        world.call("PUT", &path, &json!({ "state": state }).to_string()).await
    };
    let marked = mark(result, "delivered").await.json();
    assert_eq!((&marked["state"], &marked["attempts"]), (&json!("delivered"), &json!(1)));
    assert_eq!(
        listed("?state=pending").await,
        std::slice::from_ref(question_row),
        "it is shown no second time"
    );
    let read = mark(result, "read").await.json();
    assert!(read["state"] == "read" && read["readAt"].is_string(), "{read:#}");
    let late = mark(result, "delivered").await.json();
    assert_eq!(late["state"], "read", "it never goes back");
    for (state, status) in [("pending", 422), ("seen", 422)] {
        assert_eq!(mark(result, state).await.status, status, "{state}");
    }
    assert_eq!(world.get("/api/deliveries?state=seen").await.status, 422);
    let missing = json!({ "id": format!("dl-{}", "0".repeat(26)) });
    assert_eq!(mark(&missing, "read").await.status, 404);

    // Who answers has seen the question.
    let answer = format!("/api/questions/{question}/answer");
    world.call("POST", &answer, r#"{"answer": "front"}"#).await;
    assert_eq!(listed("?state=pending").await, [] as [Value; 0]);
    world.script.push(publishes());
    world.drain_all().await;
    assert_eq!(listed("?state=pending").await.len(), 1);
    let path = format!("/api/tasks/{work}/deliveries/read");
    for _ in 0..2 {
        assert_eq!(world.call("POST", &path, "").await.json()["id"], json!(work));
        assert_eq!(listed("?state=read").await.len(), 3, "who opens the work has seen it all");
    }
}

#[tokio::test]
async fn work_for_a_model_that_is_not_there_is_refused() {
    let world = World::new();
    let body = r#"{"title": "x", "instructions": "y", "model": "nobody/large"}"#;
    let refused = world.call("POST", "/api/tasks", body).await;
    assert!(refused.status >= 400 && refused.body.contains("nobody"), "{}", refused.rendered());
    let builtin = r#"{"title": "x", "instructions": "Write a poem."}"#;
    let refused = world.call("POST", "/api/tasks", builtin).await;
    assert!(refused.body.contains("language model"), "{}", refused.rendered());
}

#[tokio::test]
async fn an_agenda_from_the_gallery_runs_without_a_key() {
    let world = World::new();
    let task = due_today(&world, "Pay the rent").await;
    let gallery = world.get("/api/work/gallery").await.json();
    let agenda = &gallery["items"][0];
    let body = json!({
        "title": agenda["name"], "parameters": agenda["parameters"], "schedule": agenda["schedule"],
    });
    let path = format!("/api/tasks/{}", made(&world, &body.to_string()).await);
    world.call("POST", &format!("{path}/run"), "").await;
    world.drain_all().await;
    let shown = world.get(&path).await.json();
    assert_eq!(shown["task"]["runState"], "succeeded", "{shown:#}");
    assert_eq!(shown["task"]["nextDueAt"], "2026-03-03T07:30:00Z", "the schedule stays as it is");
    let run = &shown["runs"][0];
    assert!(text(&run["result"]).contains("Pay the rent"), "{run:#}");
    let due = run["figures"].as_array().expect("figures").iter().find(|one| one["name"] == "due");
    assert_eq!(
        due.expect("a figure")["opens"],
        json!({ "list": "tasks", "ids": [task] }),
        "{run:#}"
    );
    let log = world.get(&format!("{path}/log")).await.json();
    let lines = log["items"].as_array().expect("lines");
    assert_eq!(lines.len(), 2, "it began and it ended: {log:#}");
    let ended = text(&lines[1]["text"]);
    assert!(ended.starts_with(&text(&run["resultTitle"])), "{log:#}");
    assert!(ended.contains(text(&run["result"]).trim()), "{log:#}");
}

#[tokio::test]
async fn a_watch_says_a_thing_once() {
    let world = World::new();
    due_today(&world, "Pay the rent").await;
    let body = r#"{"title": "Watch", "parameters": {"kind": "watch"}}"#;
    let path = format!("/api/tasks/{}", made(&world, body).await);
    world.drain_all().await;
    world.call("POST", &format!("{path}/run"), "").await;
    world.drain_all().await;
    let shown = world.get(&path).await.json();
    let states: Vec<&Value> =
        shown["runs"].as_array().expect("runs").iter().map(|run| &run["runState"]).collect();
    assert_eq!(states, ["no_op", "succeeded"], "the newest first: {shown:#}");
    assert_eq!(shown["runs"][0]["result"], Value::Null);
    assert!(shown["runs"][0]["summary"].is_string(), "the log says why: {shown:#}");
}

#[tokio::test]
async fn a_kind_whose_runs_would_change_nothing_is_tried_and_not_kept() {
    let world = World::new();
    let repeat = json!({ "kind": "repeat", "what": { "action": "make", "title": "Water plants" } });
    let tried = json!({ "parameters": repeat }).to_string();
    let tried = world.call("POST", "/api/work/try", &tried).await.json();
    assert_eq!(tried["outcome"]["newTasks"][0]["title"], "Water plants", "{tried:#}");
    let body = json!({ "title": "Plants", "parameters": repeat }).to_string();
    let refused = world.call("POST", "/api/tasks", &body).await;
    assert_eq!(refused.json()["errors"][0]["pointer"], "/parameters", "{}", refused.rendered());
    assert!(refused.body.contains("can be tried and not switched on"), "{}", refused.rendered());
    assert_eq!(refused.json()["refusal"], "makesTasks", "{}", refused.rendered());
    // The reading says so before anything is offered.
    let words = r#"{"text": "Add a task \"Call grandma\" every Wednesday at 17:00"}"#;
    let read = world.call("POST", "/api/work/read", words).await.json();
    assert_eq!(read["refusal"], "makesTasks", "{read:#}");
    let words = r#"{"text": "every weekday at 7 tell me what is due"}"#;
    let read = world.call("POST", "/api/work/read", words).await.json();
    assert_eq!(read["refusal"], Value::Null, "{read:#}");
}

#[tokio::test]
async fn a_checklist_that_starts_over_is_proposed_and_decided_like_any_change() {
    let world = World::new();
    let task = world.task(r#"{"title": "Swimming bag"}"#).await;
    let path = format!("/api/journal/tasks/{task}");
    let item =
        world.call("POST", &format!("{path}/checklist-items"), r#"{"title": "Towel"}"#).await;
    assert_eq!(item.status, 201, "{}", item.rendered());
    let item = text(&item.json()["items"][0]["id"]);
    let ticked = format!("{path}/checklist-items/{item}");
    let ticked = world.call("PATCH", &ticked, r#"{"isChecked": true}"#).await;
    assert_eq!(ticked.status, 200, "{}", ticked.rendered());
    let what = json!({ "action": "reset", "task": { "id": task, "name": "Swimming bag" } });
    let body = json!({ "title": "Bag", "parameters": { "kind": "repeat", "what": what } });
    let work = made(&world, &body.to_string()).await;
    world.drain_all().await;
    let changes = world.get(&format!("{path}/changes")).await.json();
    let change = &changes["items"][0];
    assert_eq!(change["workId"], Value::from(work), "{changes:#}");
    assert_eq!((&change["agentName"], &change["agentId"]), (&json!("Bag"), &Value::Null));
    assert!(change["rationale"].is_string(), "it says why: {changes:#}");
    let set = world.get(&format!("/api/change-sets/{}", text(&change["set"]))).await.json();
    assert!(set["runId"].is_string() && set["agentId"].is_null(), "{set:#}");
    let attention = world.get("/api/needs-attention").await.json();
    assert_eq!(attention["items"][0]["agentName"], "Bag", "{attention:#}");
}

#[tokio::test]
async fn steps_are_set_with_the_work_and_shown_with_its_run() {
    let world = World::new();
    let check = json!({ "type": "words", "most": 3 });
    let step = json!({ "text": "Sum up", "mandatory": true, "check": check });
    let mut body: Value = serde_json::from_str(DIGEST).expect("a body");
    body["steps"] = json!([step]);
    let mark = ("finish_step", json!({ "step": 1, "note": "Three words." }));
    let publish = ("publish_result", json!({ "title": "News", "text": "Two letters came." }));
    world.script.push(Answer::calls([publish, mark]).and_goes_on());
    world.script.push(finishes("Told."));
    let work = made(&world, &body.to_string()).await;
    world.drain_all().await;
    let shown = world.get(&format!("/api/tasks/{work}")).await.json();
    assert_eq!(shown["task"]["steps"], json!([step]));
    let of_run = json!([{
        "n": 1, "step": step, "state": "done", "isAdded": false, "attempts": 0, "note": "Three words.",
    }]);
    assert_eq!(shown["runs"][0]["steps"], of_run);
    assert_eq!(shown["runs"][0]["runState"], "succeeded");
    let run = world.get(&format!("/api/runs/{}", text(&shown["runs"][0]["id"]))).await.json();
    assert_eq!(run["steps"], of_run);
    let path = format!("/api/tasks/{work}");
    let refused = json!({ "steps": [{ "text": "x", "check": { "type": "words", "most": 0 } }] });
    let refused = world.call("PATCH", &path, &refused.to_string()).await;
    assert_eq!(refused.json()["errors"][0]["pointer"], "/steps", "{}", refused.rendered());
    let none = world.call("PATCH", &path, r#"{"steps": []}"#).await;
    assert_eq!(none.json()["steps"], json!([]), "{}", none.rendered());
}

/// Makes a task that is due on the day of the tests.
async fn due_today(world: &World, title: &str) -> String {
    world.task(&json!({ "title": title, "dueOn": "2026-03-02" }).to_string()).await
}

#[tokio::test]
async fn the_gallery_offers_each_kind_with_its_next_times_and_what_it_may_read() {
    let world = World::new();
    let gallery = world.get("/api/work/gallery").await.json();
    let kinds: Vec<&Value> =
        gallery["items"].as_array().expect("items").iter().map(|one| &one["workKind"]).collect();
    assert_eq!(kinds, ["agenda", "review", "watch", "sweep", "repeat"], "{gallery:#}");
    let agenda = &gallery["items"][0];
    assert_eq!(agenda["next"].as_array().map(Vec::len), Some(5));
    assert_eq!(agenda["next"][0], "2026-03-03T07:30:00Z", "{agenda:#}");
    assert_eq!(agenda["reads"], json!(["tasks", "history", "attention", "calendar"]));
    assert_eq!(agenda["parameters"]["kind"], "agenda");
    assert_eq!(gallery["items"][4]["parameters"], Value::Null, "it needs a task first");
    let german = world.get("/api/work/gallery?lang=de-AT").await.json();
    assert_ne!(german["items"][0]["sentence"], agenda["sentence"]);
    assert_eq!(german["items"][0]["next"], agenda["next"], "its words mean the same");
}

/// What words mean as a schedule, to a reader of a language.
async fn schedule(world: &World, words: &str, language: &str) -> crate::world::Answer {
    let encoded: String = words.bytes().map(|byte| format!("%{byte:02X}")).collect();
    world.get(&format!("/api/schedules?text={encoded}&lang={language}")).await
}

#[tokio::test]
async fn the_gallery_and_english_schedules_are_understood_in_every_language() {
    let world = World::new();
    let english = world.get("/api/work/gallery").await.json();
    for code in ["en", "de", "fr", "es", "ro"] {
        let gallery = world.get(&format!("/api/work/gallery?lang={code}-X")).await;
        assert_eq!(gallery.status, 200, "{code}: {}", gallery.rendered());
        let items = gallery.json()["items"].clone();
        let items = items.as_array().expect("items");
        assert_eq!(items.len(), 5, "{code}");
        for (card, in_english) in items.iter().zip(english["items"].as_array().expect("items")) {
            // German has a usual time of its own.
            assert!(code == "de" || card["next"] == in_english["next"], "{code}: {card:#}");
            let words = text(&card["schedule"]);
            let typed = schedule(&world, &words, code).await;
            assert_eq!(typed.status, 200, "{code}: {words}: {}", typed.rendered());
        }
        for words in ["every weekday at 9", "daily", "tomorrow at 9", "last Friday of the month"] {
            let read = schedule(&world, words, code).await;
            assert_eq!(read.json(), schedule(&world, words, "en").await.json(), "{code}: {words}");
            let said = read.json()["sentence"].clone();
            let again = schedule(&world, &text(&said), code).await;
            assert_eq!(again.json()["sentence"], said, "{code}: what is said back can be typed");
        }
        let new = json!({
            "title": "Digest", "instructions": "Tell me what is due.", "schedule": "every weekday at 9", "lang": code,
        });
        let preview = world.call("POST", "/api/work/preview", &new.to_string()).await;
        assert_eq!(preview.status, 200, "{code}: {}", preview.rendered());
        let made = world.call("POST", "/api/tasks", &new.to_string()).await;
        assert_eq!(made.status, 201, "{code}: {}", made.rendered());
        let edit = json!({ "schedule": "every 2 hours", "lang": code }).to_string();
        let path = format!("/api/tasks/{}", text(&made.json()["id"]));
        let edited = world.call("PATCH", &path, &edit).await;
        assert_eq!(edited.json()["schedule"], "every 2 hours", "{code}: {}", edited.rendered());
    }
}

#[tokio::test]
async fn an_instruction_is_read_and_said_back_before_it_is_saved() {
    let world = World::new();
    let question_row = json!({ "text": "every weekday at 7 tell me what is due" }).to_string();
    let read = world.call("POST", "/api/work/read", &question_row).await.json();
    let sentence = text(&read["sentence"]);
    assert!(sentence.starts_with("Agenda, every weekday at 07:00:"), "{read:#}");
    assert_eq!(read["parameters"]["lists"], json!(["overdue", "due"]));
    assert_eq!(read["next"][0], "2026-03-03T07:00:00Z");
    assert_eq!(read["isUsualTime"], false);
    let poem = world.call("POST", "/api/work/read", r#"{"text": "Write a poem."}"#).await;
    assert_eq!(poem.status, 422, "{}", poem.rendered());
    assert_eq!(poem.json()["errors"][0]["pointer"], "/text");
    assert!(poem.body.contains("needs a language model"), "{}", poem.rendered());
    assert_eq!(world.get("/api/tasks").await.json()["items"], json!([]), "nothing is written");
}

#[tokio::test]
async fn the_schedule_in_the_words_is_kept_when_a_language_model_reads_them() {
    let world = World::new();
    let add = async |instructions: &str| {
        let body = json!({ "title": "R4", "instructions": instructions, "model": "acme/scripted" });
        let made = world.call("POST", "/api/tasks", &body.to_string()).await;
        assert_eq!(made.status, 201, "{}", made.rendered());
        made.json()
    };
    let work = add("every weekday at 7 tell me what is due today and what waits for me").await;
    assert_eq!(work["builtIn"], Value::Null, "{work:#}");
    assert_eq!(work["schedule"], "every weekday at 07:00", "{work:#}");
    world.drain_all().await;
    assert!(world.script.requests().is_empty(), "nothing runs before it is due");
    let once = add("Tell me what I do every Monday").await;
    assert_eq!(once["schedule"], Value::Null, "{once:#}");
}

#[tokio::test]
async fn work_is_tried_without_a_trace() {
    let world = World::new();
    let task = due_today(&world, "Pay the rent").await;
    let body = r#"{"parameters": {"kind": "agenda", "lists": ["due"]}}"#;
    let tried = world.call("POST", "/api/work/try", body).await.json();
    assert_eq!(tried["outcome"]["outcome"], "text", "{tried:#}");
    assert!(text(&tried["outcome"]["markdown"]).contains("Pay the rent"), "{tried:#}");
    let figure = &tried["outcome"]["figures"][0];
    assert_eq!((&figure["value"], &figure["opens"]["ids"]), (&json!(1), &json!([task])));
    let late = r#"{"parameters": {"kind": "agenda", "lists": ["overdue"]}}"#;
    let nothing = world.call("POST", "/api/work/try", late).await.json();
    assert_eq!(nothing["outcome"], json!({ "outcome": "nothing", "why": "nothingThere" }));
    assert_eq!(world.get("/api/tasks").await.json()["items"], json!([]));
}

#[tokio::test]
async fn a_parameter_that_no_run_can_use_is_named() {
    let world = World::new();
    let repeat = |what: Value| json!({ "kind": "repeat", "what": what });
    let gone = json!({ "id": "jt-01kjr4vphefy9r26hyk6x2vvg5", "name": "Bag" });
    for (parameters, expected, refusal) in [
        (json!({ "kind": "sweep", "untouchedDays": 3 }), "untouchedDays is 3", "outOfRange"),
        (json!({ "kind": "agenda", "list": ["due"] }), "there is no parameter `list`", ""),
        (json!({ "kind": "poem" }), "unknown variant `poem`", ""),
        (json!({ "kind": "agenda", "lists": [] }), "name at least one of", "noList"),
        (repeat(json!({ "action": "make", "title": " " })), "title is empty", "noTitle"),
        (repeat(json!({ "action": "reset", "task": gone })), "there is no task", "taskGone"),
    ] {
        let body = json!({ "parameters": parameters }).to_string();
        let refused = world.call("POST", "/api/work/try", &body).await;
        assert_eq!(refused.status, 422, "{}", refused.rendered());
        assert_eq!(refused.json()["errors"][0]["pointer"], "/parameters", "{}", refused.rendered());
        assert!(refused.body.contains(expected), "{}", refused.rendered());
        let said = refused.json()["refusal"].as_str().unwrap_or_default().to_owned();
        assert_eq!(said, refusal, "{}", refused.rendered());
        let body = json!({ "title": "x", "parameters": parameters }).to_string();
        assert_eq!(world.call("POST", "/api/tasks", &body).await.status, 422);
    }
    assert_eq!(world.get("/api/tasks").await.json()["items"], json!([]), "nothing is half made");
}

#[tokio::test]
async fn instructions_make_work_without_a_language_model() {
    let world = World::new();
    let body = json!({
        "title": "Morning", "instructions": "every weekday at 7 tell me what is due",
    });
    let path = format!("/api/tasks/{}", made(&world, &body.to_string()).await);
    let shown = world.get(&path).await.json()["task"].clone();
    assert_eq!(shown["builtIn"]["workKind"], "agenda", "{shown:#}");
    assert_eq!(shown["builtIn"]["notUnderstood"], json!([]));
    assert_eq!(shown["nextDueAt"], "2026-03-03T07:00:00Z");
    let later = r#"{"schedule": "every day at 06:00"}"#;
    let moved = world.call("PATCH", &path, later).await.json();
    assert_eq!(moved["nextDueAt"], "2026-03-03T06:00:00Z");
    assert!(text(&moved["builtIn"]["sentence"]).contains("06:00"), "{moved:#}");
    let poem = world.call("PATCH", &path, r#"{"instructions": "Write a poem."}"#).await;
    assert_eq!(poem.json()["errors"][0]["pointer"], "/instructions", "{}", poem.rendered());
    let ahead = json!({ "parameters": { "kind": "agenda", "aheadDays": 1 } }).to_string();
    let ahead = world.call("PATCH", &path, &ahead).await.json();
    assert_eq!(ahead["builtIn"]["parameters"]["aheadDays"], 1);
    assert!(text(&ahead["instructions"]).contains("tomorrow"), "{ahead:#}");
    let given = world.call("PATCH", &path, r#"{"model": "acme/scripted"}"#).await.json();
    assert_eq!(given["builtIn"], Value::Null, "a language model reads the instructions now");
}

#[tokio::test]
async fn a_task_that_is_done_starts_work_that_waits_for_it() {
    let world = World::new();
    let task =
        world.call("POST", "/api/journal/tasks", r#"{"title": "Pay the rent"}"#).await.json();
    let task = text(&task["id"]);
    let done = r#"{"title": "Thank", "instructions": "Say thanks.", "model": "acme/scripted",
        "events": [{"event": "fieldSet", "field": "status",
                    "to": {"type": "status", "status": "DONE", "reason": null}}]}"#;
    let work = made(&world, done).await;
    let path = format!("/api/tasks/{work}");
    let waiting = world.get(&path).await.json();
    assert_eq!(waiting["task"]["sourceType"], "journalEvent", "{waiting:#}");
    assert_eq!(waiting["task"]["events"][0]["field"], "status");
    assert_eq!(waiting["runs"], json!([]), "it waits");
    world.script.push(finishes("Thanked."));
    let patch = r#"{"status": "DONE"}"#;
    world.call("PATCH", &format!("/api/journal/tasks/{task}"), patch).await;
    world.drain_all().await;
    let ran = world.get(&path).await.json();
    assert_eq!(ran["runs"][0]["summary"], "Thanked.", "{ran:#}");

    let never = r#"{"title": "Thank", "instructions": "Say thanks.", "model": "acme/scripted",
        "events": [{"event": "created", "field": "status"}]}"#;
    let refused = world.call("POST", "/api/tasks", never).await;
    assert_eq!(refused.status, 422);
    assert_eq!(refused.json()["errors"][0]["pointer"], "/events", "{}", refused.rendered());
}

#[tokio::test]
async fn an_agenda_names_the_question_of_other_work() {
    let world = World::new();
    asking(&world).await;
    let body = r#"{"parameters": {"kind": "agenda", "lists": ["needsYou"]}}"#;
    let tried = world.call("POST", "/api/work/try", body).await.json();
    let delivered = text(&tried["outcome"]["markdown"]);
    assert!(delivered.contains("Digest") && delivered.contains("Which garden?"), "{delivered}");
}
