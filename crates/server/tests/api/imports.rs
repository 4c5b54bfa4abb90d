//! Import as a stream of lines.

use serde_json::{Value, json};

use crate::world::World;

const FILE: &str = "# Garden\n\n## Fence\n- [ ] posts\n\nIt leans.\n\n## Gate\n- [x] hinge\n";

fn events(body: &str) -> Vec<String> {
    let lines = body.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    lines.map(|event| event["event"].as_str().unwrap_or_default().to_owned()).collect()
}

#[tokio::test]
async fn each_durable_task_is_one_line() {
    let world = World::new();
    let answer = world.call("POST", "/api/imports?name=garden.md", FILE).await;
    assert_eq!(answer.header("content-type"), Some("application/x-ndjson"));
    assert_eq!(events(&answer.body), ["read", "task", "task", "done"], "{}", answer.body);
    let list = world.get("/api/journal/tasks").await.json();
    assert_eq!(list["items"].as_array().map(Vec::len), Some(2));
    let again = world.call("POST", "/api/imports?name=garden.md", FILE).await;
    let done: Value =
        serde_json::from_str(again.body.lines().last().unwrap_or_default()).expect("JSON");
    assert_eq!((&done["unchanged"], &done["created"]), (&Value::from(2), &Value::from(0)));
}

const CORRECTED: &str = "application/vnd.dormouse.import+json";

async fn corrected(world: &World, address: &str, body: Value) -> crate::world::Answer {
    let body = axum::body::Body::from(body.to_string());
    let request = axum::http::Request::post(address).header("content-type", CORRECTED).body(body);
    world.send(request.expect("a request")).await
}

#[tokio::test]
async fn a_dry_run_answers_the_plan_and_writes_nothing() {
    let world = World::new();
    let answer = world.call("POST", "/api/imports?name=garden.md&dryRun=true", FILE).await;
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let plan = answer.json();
    assert_eq!(plan["tasks"][0]["title"], "Fence");
    assert_eq!(plan["tasks"][0]["outcome"], "created");
    assert_eq!(plan["lines"][0], json!({"from": 1, "to": 1, "role": "category", "task": null}));
    let list = world.get("/api/journal/tasks").await.json();
    assert_eq!(list["items"], json!([]));
}

#[tokio::test]
async fn a_corrected_plan_is_imported_as_it_was_shown() {
    let world = World::new();
    let address = "/api/imports?name=garden.md";
    let plan = world.call("POST", &format!("{address}&dryRun=true"), FILE).await.json();
    let corrections = json!([
        {"line": 3, "edit": "rename", "title": "The fence"},
        {"line": 8, "edit": "leaveOut"},
    ]);
    let body = json!({"text": FILE, "digest": plan["digest"], "corrections": corrections});
    let shown = corrected(&world, &format!("{address}&dryRun=true"), body.clone()).await.json();
    assert_eq!(shown["tasks"].as_array().map(Vec::len), Some(1));
    assert_eq!(shown["tasks"][0]["readTitle"], "Fence");
    let answer = corrected(&world, address, body.clone()).await;
    assert_eq!(events(&answer.body), ["read", "task", "done"], "{}", answer.body);
    let list = world.get("/api/journal/tasks").await.json();
    assert_eq!(list["items"][0]["title"], "The fence");
    // Another text under the digest of this one.
    let other = json!({"text": format!("{FILE}More.\n"), "digest": plan["digest"]});
    let refused = corrected(&world, address, other).await;
    assert_eq!(
        (refused.status, refused.json()["type"].clone()),
        (409, json!("/problems/plan-changed"))
    );
}

#[tokio::test]
async fn a_correction_that_is_not_possible_names_its_line() {
    let world = World::new();
    let address = "/api/imports?name=garden.md&dryRun=true";
    for (corrections, says) in [
        (json!([{"line": 99, "edit": "leaveOut"}]), "line 99"),
        (json!([{"line": 3, "edit": "join"}]), "line 3"),
        (json!([{"line": 3, "edit": "rename", "title": " "}]), "line 3"),
        (json!([{"line": 3, "edit": "rename", "title": "a\u{0}b"}]), "U+0000"),
        (json!([{"line": 3, "edit": "explode"}]), "explode"),
    ] {
        let answer =
            corrected(&world, address, json!({"text": FILE, "corrections": corrections})).await;
        assert_eq!(answer.status, 422, "{}", answer.body);
        assert!(answer.body.contains(says), "{says}: {}", answer.body);
    }
}

#[tokio::test]
async fn a_file_that_is_no_text_is_a_problem_and_not_a_stream() {
    let world = World::new();
    let body = axum::body::Body::from(b"# Caf\xe9\n- [ ] x\n".to_vec());
    let request =
        axum::http::Request::post("/api/imports?name=a.md").body(body).expect("a request");
    let answer = world.send(request).await;
    assert!((400..500).contains(&answer.status), "{}", answer.body);
    assert_eq!(answer.header("content-type"), Some("application/problem+json"));
    assert_eq!(world.call("POST", "/api/imports", FILE).await.status, 422, "a file needs a name");
}
