//! Import as a stream of lines.

use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt as _;
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
    let body = Body::from(body.to_string());
    let request = Request::post(address).header("content-type", CORRECTED).body(body);
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
    let body = axum::body::Body::from(b"# Caf\xe9\x81\n- [ ] x\n".to_vec());
    let request =
        axum::http::Request::post("/api/imports?name=a.md").body(body).expect("a request");
    let answer = world.send(request).await;
    assert!((400..500).contains(&answer.status), "{}", answer.body);
    assert_eq!(answer.header("content-type"), Some("application/problem+json"));
    assert_eq!(world.call("POST", "/api/imports", FILE).await.status, 422, "a file needs a name");
}

/// A file of ten tasks.
fn ten() -> String {
    (1..=10).map(|n| format!("## Bed {n}\n- [ ] dig bed {n}\n\n")).collect()
}

async fn titles(world: &World) -> Vec<String> {
    let list = world.get("/api/journal/tasks?limit=50").await.json();
    let tasks = list["items"].as_array().expect("a list").iter();
    let mut titles: Vec<String> =
        tasks.map(|task| task["title"].as_str().unwrap_or_default().to_owned()).collect();
    titles.sort();
    titles
}

#[tokio::test]
async fn an_import_that_is_cancelled_at_six_of_ten_keeps_what_it_reported_and_goes_on() {
    let world = World::new();
    let (address, text) = ("/api/imports?name=beds.md", ten());
    let plan = world.call("POST", &format!("{address}&dryRun=true"), &text).await.json();
    let body = json!({
        "text": text,
        "digest": plan["digest"],
        "corrections": [{"line": 25, "edit": "rename", "title": "The last but one"}],
    });
    let request = Request::post(address).header("content-type", CORRECTED);
    let request = request.body(Body::from(body.to_string())).expect("a request");
    let mut stream = world.response(request).await.into_body();
    let mut reported = Vec::new();
    while reported.len() < 6 {
        let frame = stream.frame().await.expect("the import goes on").expect("it is not cut off");
        let line = frame.into_data().expect("a line");
        let event: Value = serde_json::from_slice(&line).expect("JSON");
        if event["event"] == "task" {
            reported.push(event["title"].as_str().unwrap_or_default().to_owned());
        }
    }
    // The client goes away.
    drop(stream);
    let written = titles(&world).await;
    assert!(reported.iter().all(|title| written.contains(title)), "{reported:?} {written:?}");
    assert!(written.len() < 10, "{written:?}");

    // The file as it is: what was corrected before holds.
    let again = world.call("POST", address, &text).await;
    let done: Value =
        serde_json::from_str(again.body.lines().last().unwrap_or_default()).expect("JSON");
    let count = |key: &str| done[key].as_u64().expect("a number") as usize;
    assert_eq!(
        (count("created") + count("unchanged"), count("updated")),
        (10, 0),
        "{}",
        again.body
    );
    // The commit that was under way when the client left may have come after the look.
    assert!((written.len()..10).contains(&count("unchanged")), "{written:?} {}", again.body);
    let all = titles(&world).await;
    assert_eq!(all.len(), 10, "{all:?}");
    assert!(all.contains(&"The last but one".to_owned()), "{all:?}");
}

#[tokio::test]
async fn a_file_that_is_not_utf_8_is_decoded_for_a_client_that_shows_its_text() {
    let world = World::new();
    let decoded = async |bytes: Vec<u8>| {
        let request = Request::post("/api/imports/text?name=list.csv")
            .header("content-type", "application/octet-stream")
            .body(Body::from(bytes));
        world.send(request.expect("a request")).await
    };
    let utf16: Vec<u8> = "\u{feff}Käse\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(decoded(utf16).await.json(), json!({"text": "Käse\n", "guessedEncoding": null}));
    assert_eq!(
        decoded(b"Titel;F\xe4llig\nM\xf6bel;4.12.2026\n".to_vec()).await.json(),
        json!({
            "text": "Titel;Fällig\nMöbel;4.12.2026\n",
            "guessedEncoding": "Windows-1252 (Western European)",
        })
    );
    let refused = decoded(vec![0xff, 0xd8, 0xff, 0xe0, 1, 2]).await;
    assert_eq!(refused.status, 422, "{}", refused.body);
    assert!(refused.body.contains("list.csv"), "{}", refused.body);
}
