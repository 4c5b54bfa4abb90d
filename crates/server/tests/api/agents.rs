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
    insta::assert_snapshot!("second_agent", second.shown());
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
async fn many_decisions_at_once_are_told_apart() {
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
