//! Import as a stream of lines.

use serde_json::Value;

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

#[tokio::test]
async fn a_dry_run_tells_the_same_and_writes_nothing() {
    let world = World::new();
    let answer = world.call("POST", "/api/imports?name=garden.md&dryRun=true", FILE).await;
    assert_eq!(events(&answer.body), ["read", "task", "task", "done"], "{}", answer.body);
    let list = world.get("/api/journal/tasks").await.json();
    assert_eq!(list["items"], serde_json::json!([]));
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
