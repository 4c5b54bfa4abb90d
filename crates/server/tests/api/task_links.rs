//! Links between tasks: one link, shown on both.

use serde_json::{Value, json};

use crate::world::World;

fn body(kind: &str, to: &str) -> String {
    json!({"kind": kind, "to": to}).to_string()
}

#[tokio::test]
async fn a_link_is_shown_on_both_tasks_and_removed_from_either() {
    let world = World::new();
    let fence = world.task(r#"{"title": "Fence"}"#).await;
    let gate = world.task(r#"{"title": "Gate"}"#).await;
    let path = |task: &str| format!("/api/journal/tasks/{task}");
    let links = |task: &str| format!("{}/links", path(task));
    let made = world.call("POST", &links(&fence), &body("blocks", &gate)).await;
    assert_eq!(made.status, 201, "{}", made.body);
    let of_fence = made.json()["links"].clone();
    let id = of_fence[0]["id"].as_str().expect("a link has an id");
    assert!(id.starts_with("tl-"), "{id}");
    let created = of_fence[0]["createdAt"].clone();
    let seen = |direction: &str, task: &str, title: &str| {
        json!([{
            "id": id, "kind": "blocks", "direction": direction, "createdAt": created,
            "task": {"id": task, "title": title, "status": "OPEN", "private": false},
        }])
    };
    assert_eq!(of_fence, seen("out", &gate, "Gate"));
    let of_gate = world.get(&links(&gate)).await.json();
    assert_eq!(of_gate["items"], seen("in", &fence, "Fence"));
    assert_eq!(world.get(&path(&gate)).await.json()["links"], of_gate["items"]);

    let removed = world.call("DELETE", &format!("{}/{id}", links(&gate)), "").await;
    assert_eq!((removed.status, &removed.json()["links"]), (200, &json!([])), "{}", removed.body);
    assert_eq!(world.get(&links(&fence)).await.json()["items"], json!([]));

    // Each tells it from its own side, and of nothing but the link.
    let activity = world.get(&format!("{}/activity", path(&gate))).await.json();
    let whats: Vec<&Value> = activity["items"]
        .as_array()
        .into_iter()
        .flatten()
        .flat_map(|change| change["what"].as_array().into_iter().flatten())
        .map(|what| &what["what"])
        .collect();
    assert_eq!(whats, ["taskCreated", "linkAdded", "linkRemoved"]);
}

#[tokio::test]
async fn a_link_that_cannot_be_is_a_problem_that_says_why() {
    let world = World::new();
    let fence = world.task(r#"{"title": "Fence"}"#).await;
    let gate = world.task(r#"{"title": "Gate"}"#).await;
    let path = format!("/api/journal/tasks/{fence}/links");
    let problem = async |body: &str| {
        let answer = world.call("POST", &path, body).await;
        let problem = answer.json();
        (answer.status, problem["type"].as_str().unwrap_or_default().to_owned(), problem)
    };
    let (status, kind, answer) = problem(r#"{"kind": "haunts", "to": "gate"}"#).await;
    assert_eq!((status, kind.as_str()), (422, "/problems/validation-failed"));
    let pointers: Vec<&Value> =
        answer["errors"].as_array().into_iter().flatten().map(|error| &error["pointer"]).collect();
    assert_eq!(pointers, ["/kind", "/to"], "{answer}");
    assert!(answer.to_string().contains("relatesTo, blocks, followUpOf, partOf"), "{answer}");
    world.call("POST", &path, &body("relatesTo", &gate)).await;
    let (status, kind, _) = problem(&body("relatesTo", &gate)).await;
    assert_eq!((status, kind.as_str()), (409, "/problems/link-exists"));
    let (status, kind, _) = problem(&body("blocks", &fence)).await;
    assert_eq!((status, kind.as_str()), (422, "/problems/validation-failed"));
}
