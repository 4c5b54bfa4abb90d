//! Agents, proposals and decisions over the wire.

use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};

use crate::world::World;

/// A task whose note names a day, with an agent that has read it.
async fn with_agent(world: &World) -> (String, String) {
    let body = r#"{"title": "Water butt", "items": ["buy the kit"], "note": "Still to do: buy the kit.\nDeadline: 2026-05-15."}"#;
    let task = world.task(body).await;
    let answer = world.call("POST", &format!("/api/journal/tasks/{task}/agent"), "{}").await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    world.drain(&task).await;
    let agent = answer.json()["id"].as_str().expect("an agent has an id").to_owned();
    (task, agent)
}

async fn first_item(world: &World, task: &str) -> Value {
    let sets = world.get(&format!("/api/change-sets?task={task}")).await.json();
    let item = sets["items"][0]["items"][0].clone();
    assert_eq!(item["status"], "pending", "{sets}");
    item
}

fn place(item: &Value) -> String {
    let set = item["set"].as_str().expect("an item names its set");
    format!("/api/change-sets/{set}/items/{}", item["index"])
}

#[tokio::test]
async fn a_task_gets_one_agent_which_reports_and_proposes() {
    let world = World::new();
    let (task, agent) = with_agent(&world).await;
    let second = world.call("POST", &format!("/api/journal/tasks/{task}/agent"), "{}").await;
    insta::assert_snapshot!("second_agent", second.rendered());
    let report = world.get(&format!("/api/agents/{agent}/report")).await;
    assert_eq!((report.status, &report.json()["taskId"]), (200, &json!(task)), "{}", report.body);
    let wakes = world.get(&format!("/api/agents/{agent}/wakes")).await.json();
    assert_eq!(wakes["items"][0]["status"], "completed", "{wakes}");
    let key = wakes["items"][0]["runKey"].as_str().expect("a run has a key");
    let prompt = world.get(&format!("/api/agents/{agent}/wakes/{key}/prompt")).await.json();
    assert_eq!(prompt["items"][0]["verified"], true, "{prompt}");
    insta::assert_snapshot!("proposal", format!("{:#}", first_item(&world, &task).await));
}

#[tokio::test]
async fn a_verdict_counts_once_and_only_with_the_digest_that_was_shown() {
    let world = World::new();
    let (task, _) = with_agent(&world).await;
    let item = first_item(&world, &task).await;
    let place = place(&item);
    let verdict = |digest: &str| json!({"digest": digest}).to_string();
    let wrong = world.call("POST", &format!("{place}/confirm"), &verdict(&"0".repeat(64))).await;
    assert_eq!(wrong.status, 412, "{}", wrong.body);
    let none = world.call("POST", &format!("{place}/confirm"), "{}").await;
    assert_eq!(none.status, 422, "{}", none.body);

    let digest = item["digest"].as_str().expect("an item has a digest");
    let done = world.call("POST", &format!("{place}/confirm"), &verdict(digest)).await;
    assert_eq!(
        (done.status, &done.json()["item"]["status"]),
        (200, &json!("confirmed")),
        "{}",
        done.body
    );
    let again = world.call("POST", &format!("{place}/confirm"), &verdict(digest)).await;
    assert_eq!(
        (again.status, again.json()),
        (200, done.json()),
        "the same verdict, the same answer"
    );
    let other = world.call("POST", &format!("{place}/reject"), &verdict(digest)).await;
    assert_eq!(other.status, 409, "{}", other.body);
    assert_eq!(other.json()["type"], "/problems/already-decided");
}

#[tokio::test]
async fn a_list_of_decisions_has_an_outcome_for_each() {
    let world = World::new();
    let (task, _) = with_agent(&world).await;
    let item = first_item(&world, &task).await;
    let body = json!([
        {"set": item["set"], "index": item["index"], "verdict": "reject", "digest": item["digest"], "reason": "later this year"},
        {"set": item["set"], "index": 99, "verdict": "confirm", "digest": item["digest"]},
        {"set": item["set"], "index": item["index"], "verdict": "perhaps", "digest": item["digest"]},
    ]);
    let path = format!("/api/journal/tasks/{task}/decisions");
    // The document knows four verdicts; this body has a fifth.
    let request = Request::post(&path).body(Body::from(body.to_string())).expect("a request");
    let results = world.send(request).await.json();
    assert_eq!(results["items"][0]["outcome"]["item"]["status"], "rejected", "{results}");
    assert_eq!(results["items"][1]["problem"]["status"], 404, "{results}");
    assert_eq!(results["items"][2]["problem"]["status"], 404, "{results}");
    let decisions = world.get(&path).await.json();
    assert_eq!(decisions["items"][0]["rejectionReason"], "later this year", "{decisions}");
}

#[tokio::test]
async fn an_agent_is_paused_resumed_and_destroyed() {
    let world = World::new();
    let (_, agent) = with_agent(&world).await;
    let path = format!("/api/agents/{agent}");
    let off = world.call("PATCH", &path, r#"{"automation": "off"}"#).await.json();
    assert_eq!((&off["automation"], &off["automatic"]), (&json!("off"), &json!(false)));
    let odd = world.call("PATCH", &path, r#"{"automation": "sometimes"}"#).await;
    assert_eq!(odd.status, 422, "{}", odd.body);
    let lifecycle = async |what: &str| {
        world.call("POST", &format!("{path}/{what}"), "").await.json()["lifecycle"].clone()
    };
    assert_eq!(lifecycle("pause").await, "dormant");
    assert_eq!(lifecycle("resume").await, "active");
    let ended = world.call("DELETE", &path, "").await.json();
    assert_eq!(ended["lifecycle"], "destroyed");
    let report = world.get(&format!("{path}/report")).await;
    assert_eq!(report.status, 200, "its last report stays readable: {}", report.body);
}

#[tokio::test]
async fn settings_and_times_that_are_not_acceptable_are_refused_by_their_place() {
    let world = World::new();
    let (_, agent) = with_agent(&world).await;
    let agent = format!("/api/agents/{agent}");
    let wake = format!("{agent}/wake");
    let refused = [
        ("PATCH", &agent, r#"{"sleepUntil": "tomorrow"}"#, "/sleepUntil"),
        ("PATCH", &agent, r#"{"sleepUntil": "2026-03-01T09:00:00Z"}"#, "/sleepUntil"),
        ("PATCH", &agent, r#"{"sleepUntil": "2099-03-01T09:00:00Z"}"#, "/sleepUntil"),
        ("PATCH", &agent, r#"{"automation": "sometimes"}"#, "/automation"),
        ("PATCH", &agent, r#"{"sleepuntil": null}"#, ""),
        ("PATCH", &agent, r#"{"wakeOnLinked": "yes"}"#, ""),
        ("POST", &wake, r#"{"at": "soon"}"#, "/at"),
        ("POST", &wake, r#"{"at": "2026-03-02T08:59:59Z"}"#, "/at"),
        ("POST", &wake, r#"{"at": "2099-03-02T08:59:59Z"}"#, "/at"),
        ("POST", &wake, r#"{"at": "2026-03-05T18:00:00Z", "message": "Look."}"#, "/at"),
    ];
    for (method, path, body, pointer) in refused {
        let answer = world.call(method, path, body).await;
        assert_eq!(answer.status, 422, "{body}: {}", answer.body);
        assert_eq!(answer.json()["errors"][0]["pointer"], pointer, "{body}: {}", answer.body);
    }
    let body = r#"{"sleepUntil": "2026-04-01T09:00:00Z", "wakeOnLinked": true}"#;
    let set = world.call("PATCH", &agent, body).await.json();
    assert_eq!(
        (&set["sleepUntil"], &set["wakeOnLinked"], &set["automation"]),
        (&json!("2026-04-01T09:00:00Z"), &json!(true), &json!("auto"))
    );
    let body = r#"{"sleepUntil": null}"#;
    let set = world.call("PATCH", &agent, body).await.json();
    assert_eq!((&set["sleepUntil"], &set["wakeOnLinked"]), (&json!(null), &json!(true)));
}

#[tokio::test]
async fn a_time_to_wake_is_set_and_cleared_and_a_wake_that_waits_is_cancelled() {
    let world = World::new();
    let (_, agent) = with_agent(&world).await;
    let agent = format!("/api/agents/{agent}");
    let at = "2026-03-05T18:00:00Z";
    let body = json!({"at": at}).to_string();
    assert_eq!(world.call("POST", &format!("{agent}/wake"), &body).await.status, 200);
    let timers = async || world.get(&format!("{agent}/timers")).await.json()["items"].clone();
    let set = timers().await;
    assert!(
        set.as_array().expect("a list").iter().any(|t| t["kind"] == "wakeAt" && t["at"] == at),
        "{set}"
    );
    world.call("POST", &format!("{agent}/wake"), r#"{"at": null}"#).await;
    let left = timers().await;
    assert!(left.as_array().expect("a list").iter().all(|t| t["kind"] != "wakeAt"), "{left}");
    world.call("POST", &format!("{agent}/wake"), "{}").await;
    assert_eq!(world.get(&agent).await.json()["activity"], "queued");
    let off = world.call("DELETE", &format!("{agent}/wake"), "").await;
    assert_eq!((off.status, &off.json()["activity"]), (200, &json!("asleep")), "{}", off.body);
}

#[tokio::test]
async fn a_run_is_cancelled_once_and_one_that_has_ended_is_not() {
    let world = World::new();
    let (task, agent) = with_agent(&world).await;
    world.drain(&task).await;
    let path = format!("/api/agents/{agent}");
    let ended = world.get(&format!("{path}/wakes")).await.json()["items"][0].clone();
    assert_eq!((&ended["status"], &ended["failure"]), (&json!("completed"), &json!(null)));
    // There is no money for its model, so that its run waits to be resumed.
    let none = r#"{"workspaceDay": 3000000, "agentDay": 0, "wake": 100000, "unpricedDay": 500000}"#;
    world.call("PUT", "/api/models/budgets", none).await;
    world.call("PATCH", &path, r#"{"model": "acme/large"}"#).await;
    world.call("POST", &format!("{path}/wake"), r#"{"message": "What about the van?"}"#).await;
    world.drain(&task).await;
    let run = world.get(&path).await.json()["runKey"].clone();
    let cancel = format!("{path}/wakes/{}/cancel", run.as_str().expect("a run"));
    for _ in 0..2 {
        let cancelled = world.call("POST", &cancel, "").await;
        assert_eq!(cancelled.status, 200, "{}", cancelled.body);
        let cancelled = cancelled.json();
        assert_eq!((&cancelled["runKey"], &cancelled["status"]), (&run, &json!("failed")));
        assert_eq!(
            (&cancelled["failure"], &cancelled["errorMessage"]),
            (&json!("cancelled"), &json!("cancelled"))
        );
    }
    let now = world.get(&path).await.json();
    assert_eq!((&now["activity"], &now["runKey"]), (&json!("asleep"), &json!(null)));
    assert_eq!(now["consecutiveFailureCount"], 0);
    let attention = world.get("/api/needs-attention").await.json();
    let mut kinds = attention["items"].as_array().expect("a list").iter().map(|one| &one["kind"]);
    assert!(kinds.all(|kind| [json!("changes"), json!("budget")].contains(kind)), "{attention}");

    let late = format!("{path}/wakes/{}/cancel", ended["runKey"].as_str().expect("a run"));
    let late = world.call("POST", &late, "").await;
    assert_eq!((late.status, &late.json()["type"]), (409, &json!("/problems/run-ended")));
    let none = world.call("POST", &format!("{path}/wakes/{}/cancel", "0".repeat(64)), "").await;
    assert_eq!((none.status, &none.json()["type"]), (404, &json!("/problems/not-found")));
}

#[tokio::test]
async fn every_list_of_an_agent_refuses_a_missing_agent_and_a_bad_cursor() {
    let world = World::new();
    let (_, agent) = with_agent(&world).await;
    let agent = format!("/api/agents/{agent}");
    for list in ["messages", "tool-calls", "links", "decisions", "reports", "wakes"] {
        let answer = world.get(&format!("{agent}/{list}?cursor=%22garbage")).await;
        assert_eq!(answer.status, 422, "{list}: {}", answer.body);
        assert_eq!(answer.json()["errors"][0]["pointer"], "?cursor", "{list}");
    }
    for path in [format!("wakes/{}", "0".repeat(64)), "wakes/soon/prompt".to_owned()] {
        assert_eq!(world.get(&format!("{agent}/{path}")).await.status, 404, "{path}");
    }
    for (path, names) in [
        (
            format!("{agent}/links?type=agent_tusk"),
            "agent_report_head, report_source_span, tool_effect",
        ),
        ("/api/operations?status=done".to_owned(), "open, all"),
        ("/api/journal/tasks?sort=size".to_owned(), "updated, due, created, priority, title"),
    ] {
        let answer = world.get(&path).await;
        assert_eq!(answer.status, 422, "{path}: {}", answer.body);
        let message = answer.json()["errors"][0]["message"].to_string();
        assert!(message.contains("one of: ") && message.contains(names), "{path}: {message}");
    }
    assert_eq!(world.get("/api/operations?limit=0").await.status, 422);
    for path in ["/api/export?task=jt-00000000000000000000000000", "/api/export?task=it"] {
        assert_eq!(world.get(path).await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn the_list_of_agents_has_every_one_that_ever_was_by_lifecycle() {
    let world = World::new();
    let (task, first) = with_agent(&world).await;
    world.call("DELETE", &format!("/api/agents/{first}"), "").await;
    let second = world.call("POST", &format!("/api/journal/tasks/{task}/agent"), "{}").await.json();
    let ids = async |query: &str| -> Vec<Value> {
        let page = world.get(&format!("/api/agents{query}")).await.json();
        page["items"].as_array().expect("a list").iter().map(|it| it["id"].clone()).collect()
    };
    assert_eq!(ids("").await, [second["id"].clone(), json!(first)]);
    assert_eq!(ids("?lifecycle=destroyed").await, [json!(first)]);
    assert_eq!(ids("?lifecycle=created").await, [second["id"].clone()]);
    assert_eq!(world.get("/api/agents?lifecycle=asleep").await.status, 422);
}

#[tokio::test]
async fn an_export_is_one_document_that_names_its_format() {
    let world = World::new();
    let (task, agent) = with_agent(&world).await;
    let answer = world.get("/api/export").await;
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let all = answer.json();
    assert_eq!((&all["format"], &all["version"]), (&json!("dormouse-export"), &json!(1)));
    assert_eq!(all["tasks"][0]["task"]["id"], json!(task));
    assert_eq!(all["tasks"][0]["readOnly"]["agents"][0]["agent"]["id"], json!(agent));
}

#[tokio::test]
async fn an_agent_tells_every_wake_that_is_set_with_its_time_and_reason() {
    let world = World::new();
    let (task, id) = with_agent(&world).await;
    let agent = format!("/api/agents/{id}");
    let patched = async |path: &str, body: &str| {
        let answer = world.call("PATCH", path, body).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
    };
    patched(&format!("/api/journal/tasks/{task}"), r#"{"dueOn": "2026-03-09"}"#).await;
    world.drain(&task).await;
    world.call("POST", &format!("{agent}/wake"), r#"{"at": "2026-03-05T18:00:00Z"}"#).await;
    let wake = |at: &str, reason: &str, about: Value, held: Value| json!({"at": at, "reason": reason, "about": about, "heldBy": held});
    let none = Value::Null;
    let due =
        |held: &Value| wake("2026-03-08T09:00:00Z", "dueDate", json!("2026-03-09"), held.clone());
    let shown = world.get(&agent).await.json();
    let set =
        json!([wake("2026-03-05T18:00:00Z", "wakeAt", none.clone(), none.clone()), due(&none)]);
    assert_eq!((&shown["scheduledWakes"], &shown["nextWakeAt"]), (&set, &set[0]["at"]));
    assert_eq!(shown["dueAt"], none, "the queue is empty");
    let overview = world.get("/api/overview").await.json();
    assert_eq!(overview["nextWakeAt"], set[0]["at"]);

    patched(&agent, r#"{"sleepUntil": "2026-03-06T09:00:00Z"}"#).await;
    let note = r#"{"text": "One more thing."}"#;
    world.call("POST", &format!("/api/journal/tasks/{task}/entries"), note).await;
    world.drain(&task).await;
    let held =
        |reason: &str| wake("2026-03-06T09:00:00Z", reason, Value::Null, json!("sleepUntil"));
    let shown = world.get("/api/agents").await.json()["items"][0].clone();
    assert_eq!(shown["scheduledWakes"], json!([held("subscription"), held("wakeAt"), due(&none)]));
    assert_eq!(shown["nextWakeAt"], "2026-03-06T09:00:00Z");

    world.call("POST", &format!("{agent}/pause"), "").await;
    let shown = world.get(&agent).await.json();
    let kept: Vec<_> = shown["scheduledWakes"].as_array().expect("a list").iter().collect();
    assert!(kept.iter().all(|wake| wake["heldBy"] == "dormant") && kept.len() == 3, "{shown}");
    assert_eq!(shown["nextWakeAt"], none);
}

#[tokio::test]
async fn an_agent_is_not_resumed_while_its_task_is_deleted() {
    let world = World::new();
    let (task, agent) = with_agent(&world).await;
    let resume = format!("/api/agents/{agent}/resume");
    world.call("DELETE", &format!("/api/journal/tasks/{task}"), "").await;
    let before = world.call("POST", &resume, "").await;
    assert_eq!(
        (before.status, before.json()["type"].clone()),
        (409, json!("/problems/task-deleted"))
    );
    world.drain(&task).await;
    let asleep = world.call("POST", &resume, "").await;
    assert_eq!(asleep.json()["type"], "/problems/task-deleted", "{}", asleep.body);
    assert!(asleep.body.contains("restore the task"), "{}", asleep.body);
    let wake = world.call("POST", &format!("/api/agents/{agent}/wake"), "{}").await;
    assert!(wake.status == 409 && wake.body.contains("restore its deleted task"), "{}", wake.body);
    let shown = world.get(&format!("/api/agents/{agent}")).await.json();
    assert_eq!(
        (&shown["lifecycle"], &shown["dormantReason"]),
        (&json!("dormant"), &json!("taskDeleted"))
    );
    world.call("POST", &format!("/api/journal/tasks/{task}/restore"), "").await;
    assert_eq!(world.call("POST", &resume, "").await.json()["lifecycle"], "active");
}

#[tokio::test]
async fn the_language_that_an_agent_sets_is_an_operation_with_an_effect() {
    let world = World::new();
    let body =
        json!({"title": "Water butt", "note": "Still to do: buy the kit, and level the ground."});
    let task = world.call("POST", "/api/journal/tasks", &body.to_string()).await.json();
    let id = task["id"].as_str().expect("an id");
    let agent = world.call("POST", &format!("/api/journal/tasks/{id}/agent"), "{}").await.json();
    world.drain(id).await;
    let task = world.call("GET", &format!("/api/journal/tasks/{id}"), "").await.json();
    assert_eq!(task["language"], "en");
    let operations = world.call("GET", "/api/operations?status=all", "").await.json();
    let operations = operations["items"].as_array().expect("operations");
    let values = |name: &str| operations.iter().map(|one| one[name].clone()).collect::<Vec<_>>();
    assert_eq!(values("toolName"), ["set_task_language"], "{operations:#?}");
    assert_eq!(values("status"), ["completed"]);
    assert_eq!(values("phase"), ["agent_done"]);
    assert_eq!(values("taskId"), [id]);
    let agent = agent["id"].as_str().expect("an id");
    let calls = world.call("GET", &format!("/api/agents/{agent}/tool-calls"), "").await.json();
    let calls = calls["items"].as_array().expect("calls").iter();
    let call = calls.clone().find(|call| call["toolName"] == "set_task_language").expect("it ran");
    assert_eq!(call["touched"], json!([id]), "{call:#}");
}
