//! The runs of agent work over HTTP: the end of their log, which are listed, and which a request cancels.

use dormouse_testkit::scripted::Answer;
use serde_json::{Value, json};

use crate::work::{DIGEST, asks, finishes, made, publishes, text};
use crate::world::World;

#[tokio::test]
async fn a_detail_ends_with_the_newest_lines_of_the_log_and_says_where_the_rest_is() {
    let world = World::new();
    let daily = r#"{"title": "Digest", "instructions": "Say what is new.", "schedule": "every day at 9:30",
        "model": "acme/scripted"}"#;
    let path = format!("/api/tasks/{}", made(&world, daily).await);
    let detail = world.get(&path).await.json();
    let of = |detail: &Value| {
        [&detail["log"], &detail["logCursor"], &detail["isLogWhole"]].map(Clone::clone)
    };
    assert_eq!(of(&detail), [json!([]), Value::Null, json!(true)]);
    world.script.push(finishes("Nothing new."));
    world.call("POST", &format!("{path}/run"), "").await;
    world.drain_all().await;
    world.script.push(publishes());
    world.call("POST", &format!("{path}/run"), "").await;
    world.drain_all().await;
    let [lines, cursor, is_whole] = of(&world.get(&path).await.json());
    assert_eq!((&cursor, &is_whole), (&json!("2"), &json!(true)));
    let whole = world.get(&format!("{path}/log?cursor=2")).await.json();
    assert_eq!(lines, whole["items"], "the same lines as in the log, of the newest run alone");

    let long = "word ".repeat(1_000);
    for n in 0..12 {
        let query = format!("{n} {}", &long[..390]);
        let search = Answer::calls([("search", json!({ "query": query }))]);
        world.script.push(search.and_goes_on());
    }
    let publish = json!({ "title": "News", "text": long });
    let finish = json!({ "outcome": "done", "summary": "Told." });
    world.script.push(Answer::calls([("publish_result", publish), ("finish", finish)]));
    world.call("POST", &format!("{path}/run"), "").await;
    world.drain_all().await;
    let detail = world.get(&path).await.json();
    let [lines, cursor, is_whole] = of(&detail);
    assert_eq!((&cursor, &is_whole), (&json!("3"), &json!(false)));
    let lines = lines.as_array().expect("lines");
    assert_eq!((lines.len(), &lines[19]["type"]), (20, &json!("end")), "{lines:#?}");
    let published = lines.iter().find(|line| line["tool"] == "publish_result").expect("its call");
    let cut = text(&published["arguments"]);
    assert!(cut.ends_with('…') && cut.len() <= 2_003, "{cut}");
    let whole = world.get(&format!("{path}/log?cursor=3")).await.json();
    let n_lines = whole["items"].as_array().map_or(0, Vec::len);
    assert!(n_lines > 20, "the rest is where the cursor points: {n_lines}");
}

#[tokio::test]
async fn runs_are_listed_by_the_days_on_which_they_were_due_or_requested() {
    let world = World::new();
    let yearly = r#"{"title": "Digest", "instructions": "Say what is new.", "schedule": "FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=1;BYHOUR=9",
        "catchUp": "all", "catchUpHours": 720, "overlap": "parallel", "model": "acme/scripted"}"#;
    let path = format!("/api/tasks/{}", made(&world, yearly).await);
    let shown = world.get(&path).await.json()["task"].clone();
    assert_eq!((&shown["catchUpHours"], &shown["catchUp"]), (&json!(720), &json!("all")));
    for _ in 0..4 {
        world.script.push(finishes("Told."));
        world.call("POST", &format!("{path}/run"), "").await;
        world.drain_all().await;
        world.later(24 * 3600);
    }
    let days = async |query: &str| {
        let listed = world.get(&format!("{path}/runs{query}")).await.json();
        let items = listed["items"].as_array().expect("runs").clone();
        items.iter().map(|run| text(&run["created"])[8..10].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(days("").await, ["05", "04", "03", "02"]);
    assert_eq!(days("?from=2026-03-04").await, ["05", "04"]);
    assert_eq!(days("?to=2026-03-03").await, ["03", "02"]);
    assert_eq!(days("?from=2026-03-03&to=2026-03-04").await, ["04", "03"]);
    assert_eq!(days("?from=2026-03-03&to=2026-03-04&limit=1&cursor=3").await, ["03"]);
    assert_eq!(days("?from=2026-03-06").await, Vec::<String>::new());
    let wrong = world.get(&format!("{path}/runs?from=yesterday")).await;
    assert_eq!(wrong.json()["errors"][0]["pointer"], "?from", "{}", wrong.rendered());
    let runs = world.get(&format!("{path}/runs")).await.json()["items"].clone();
    let sessions: std::collections::BTreeSet<String> =
        runs.as_array().expect("runs").iter().map(|run| text(&run["sessionId"])).collect();
    assert_eq!(sessions.len(), 4, "parallel runs share no session");
    let late = world.call("PATCH", &path, r#"{"catchUpHours": 721}"#).await;
    assert_eq!(late.status, 422, "{}", late.rendered());
    let edited = world.call("PATCH", &path, r#"{"catchUpHours": 6}"#).await.json();
    assert_eq!(edited["catchUpHours"], 6);
    world.call("POST", &format!("{path}/corrections"), r#"{"text": "Shorter."}"#).await;
    let revising = world.call("POST", &format!("{path}/run"), "").await.json();
    assert_eq!(revising["revises"], runs[0]["id"], "{revising:#}");
    world.script.push(finishes("Shorter."));
    world.drain_all().await;
    let log = world.get(&format!("{path}/log?cursor=5")).await.json();
    assert_eq!(log["items"][0]["revises"], runs[0]["id"], "{log:#}");
    let file = world.get(&format!("{path}/log.jsonl?cursor=5")).await.body;
    assert!(file.contains(&format!(r#""revises":{}"#, runs[0]["id"])), "{file}");
}

#[tokio::test]
async fn a_request_to_cancel_ends_one_run_however_often_it_is_sent() {
    let world = World::new();
    let daily = r#"{"title": "Digest", "instructions": "Say what is new.", "schedule": "every day at 9:30",
        "model": "acme/scripted"}"#;
    let path = format!("/api/tasks/{}", made(&world, daily).await);
    let mut runs = Vec::new();
    for _ in 0..3 {
        world.script.push(asks());
        runs.push(text(&world.call("POST", &format!("{path}/run"), "").await.json()["id"]));
        world.drain_all().await;
    }
    let states = async || {
        let listed = world.get(&format!("{path}/runs")).await.json();
        let items = listed["items"].as_array().expect("runs").clone();
        items.iter().rev().map(|run| text(&run["runState"])).collect::<Vec<_>>()
    };
    let cancel = r#"{"action": "cancel"}"#;
    for _ in 0..2 {
        let key = [("Idempotency-Key", "one-cancel")];
        let answer = world.call_with("PATCH", &path, cancel, &key).await;
        assert_eq!(answer.status, 200, "{}", answer.rendered());
        assert_eq!(states().await, ["needs_input", "needs_input", "cancelled"], "the newest only");
    }
    let named = format!(r#"{{"action": "cancel", "runId": "{}"}}"#, runs[0]);
    for _ in 0..2 {
        let answer = world.call("PATCH", &path, &named).await;
        assert_eq!(answer.status, 200, "{}", answer.rendered());
        assert_eq!(states().await, ["cancelled", "needs_input", "cancelled"]);
    }
    let reused = [("Idempotency-Key", "one-cancel")];
    let other = format!(r#"{{"action": "cancel", "runId": "{}"}}"#, runs[1]);
    let answer = world.call_with("PATCH", &path, &other, &reused).await;
    assert_eq!(answer.status, 422, "{}", answer.rendered());
    let shown = world.get(&format!("/api/runs/{}/questions", runs[1])).await.json();
    let question = text(&shown["items"][0]["id"]);
    world.script.push(finishes("Nothing new."));
    let body = r#"{"answer": "front"}"#;
    world.call("POST", &format!("/api/questions/{question}/answer"), body).await;
    world.drain_all().await;
    let late = world.call("PATCH", &path, &other).await;
    assert_eq!(late.json()["type"], "/problems/work-state", "{}", late.rendered());
    assert!(late.body.contains("it has ended already"), "{}", late.rendered());
    assert_eq!(states().await, ["cancelled", "succeeded", "cancelled"]);
    let foreign = made(&world, DIGEST).await;
    let answer = world.call("PATCH", &format!("/api/tasks/{foreign}"), &other).await;
    assert_eq!(answer.status, 404, "{}", answer.rendered());
    let stray = format!(r#"{{"action": "pause", "runId": "{}"}}"#, runs[0]);
    let answer = world.call("PATCH", &path, &stray).await;
    assert_eq!(answer.json()["errors"][0]["pointer"], "/runId", "{}", answer.rendered());
}

#[tokio::test]
async fn work_that_something_else_starts_has_a_schedule_only_if_its_words_say_one() {
    let world = World::new();
    let schedule = async |body: Value| {
        let made = world.call("POST", "/api/tasks", &body.to_string()).await;
        assert_eq!(made.status, 201, "{}", made.rendered());
        made.json()["schedule"].clone()
    };
    let add = |instructions: &str, more: Value| {
        let mut body = json!({ "title": "Due", "instructions": instructions });
        let more = more.as_object().cloned().unwrap_or_default();
        body.as_object_mut().expect("an object").extend(more);
        schedule(body)
    };
    let due = "Say what is due today.";
    assert_eq!(add(due, json!({ "waitsForCalls": true })).await, Value::Null);
    let events = json!({ "events": [{ "event": "fieldSet", "field": "dueDate" }] });
    assert_eq!(add(due, events.clone()).await, Value::Null);
    let said = add("every weekday at 7 tell me what is due", events).await;
    assert_eq!(said, "every weekday at 07:00");
}

#[tokio::test]
async fn a_run_says_what_started_it() {
    let world = World::new();
    let body = r#"{"title": "News", "instructions": "Say what is new.", "model": "acme/scripted",
        "events": [{"event": "created"}]}"#;
    let path = format!("/api/tasks/{}", made(&world, body).await);
    for _ in 0..2 {
        world.script.push(finishes("Told."));
    }
    world.call("POST", &format!("{path}/run"), "").await;
    world.drain_all().await;
    world.call("POST", "/api/journal/tasks", r#"{"title": "Call Ola"}"#).await;
    world.drain_all().await;
    let runs = world.get(&format!("{path}/runs")).await.json()["items"].clone();
    let started = runs.as_array().expect("runs").iter();
    let started: Vec<String> = started
        .map(|run| format!("{} {}", text(&run["startedBy"]), text(&run["createdBy"])))
        .collect();
    assert_eq!(started, ["change scheduler", "request user"]);
}

#[tokio::test]
async fn agent_work_says_what_can_be_done_with_it() {
    let world = World::new();
    let daily = r#"{"title": "Digest", "instructions": "Say what is new.", "schedule": "every day at 9:30",
        "model": "acme/scripted"}"#;
    let path = format!("/api/tasks/{}", made(&world, daily).await);
    let act = async |action: &str| {
        let body = json!({ "action": action }).to_string();
        world.call("PATCH", &path, &body).await
    };
    let actions = async || {
        let shown = world.get(&path).await.json()["task"]["actions"].clone();
        let shown = shown.as_array().expect("actions").iter().map(text);
        shown.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(actions().await, "pause archive");
    let wrong = act("resume").await;
    assert_eq!(wrong.json()["type"], "/problems/work-state", "{}", wrong.rendered());
    world.script.push(asks());
    world.call("POST", &format!("{path}/run"), "").await;
    assert_eq!(actions().await, "pause cancel archive", "a run waits");
    world.drain_all().await;
    assert_eq!(actions().await, "pause cancel archive", "it asks");
    assert_eq!(act("cancel").await.status, 200);
    let until = r#"{"until": "2026-03-20"}"#;
    world.call("POST", &format!("{path}/suspend"), until).await;
    assert_eq!(actions().await, "pause resume archive", "it is suspended");
    assert_eq!(act("resume").await.json()["actions"], json!(["pause", "archive"]));
    assert_eq!(act("pause").await.json()["actions"], json!(["resume", "archive"]));
    assert_eq!(act("archive").await.json()["actions"], json!([]));
}
