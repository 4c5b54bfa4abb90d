//! Tasks over the wire: pages, entity tags, keys.

use serde_json::{Value, json};

use crate::world::World;

#[tokio::test]
async fn a_new_task_is_answered_whole_with_its_place_and_tag() {
    let world = World::new();
    let body = json!({
        "title": "Water butt", "priority": "P1", "dueOn": "2026-05-15", "labels": ["garden"],
        "items": ["measure the gutter"], "note": "The gutter is 68 mm wide.",
    });
    let answer = world.call("POST", "/api/journal/tasks", &body.to_string()).await;
    insta::assert_snapshot!(answer.shown());
    let place = answer.header("location").expect("it says where the task is");
    let again = world.get(place).await;
    assert_eq!(again.json(), answer.json());
    assert_eq!(again.header("etag"), answer.header("etag"));
}

#[tokio::test]
async fn an_edit_of_another_revision_is_refused_and_an_edit_of_this_one_moves_the_tag() {
    let world = World::new();
    let path = format!("/api/journal/tasks/{}", world.task(r#"{"title": "Fence"}"#).await);
    let tag = world.get(&path).await.header("etag").expect("a task has a tag").to_owned();
    let edit = r#"{"status": "IN PROGRESS"}"#;
    let answer = world.call_with("PATCH", &path, edit, &[("if-match", &tag)]).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_ne!(answer.header("etag"), Some(tag.as_str()));
    let edit = r#"{"dueOn": "2026-06-01"}"#;
    let answer = world.call_with("PATCH", &path, edit, &[("if-match", &tag)]).await;
    insta::assert_snapshot!(answer.shown());
    assert_eq!(world.get(&path).await.json()["dueOn"], Value::Null);
}

#[tokio::test]
async fn a_key_sent_again_gets_the_same_answer_and_makes_nothing() {
    let world = World::new();
    let key = [("idempotency-key", "one")];
    let post = |body: &'static str| world.call_with("POST", "/api/journal/tasks", body, &key);
    let first = post(r#"{"title": "Fence"}"#).await;
    let again = post(r#"{"title": "Fence"}"#).await;
    assert_eq!(
        (first.status, first.json()["id"].clone()),
        (again.status, again.json()["id"].clone())
    );
    let other = post(r#"{"title": "Gate"}"#).await;
    assert_eq!(other.status, 422, "{}", other.body);
    assert_eq!(other.json()["type"], "/problems/idempotency-mismatch");
    let list = world.get("/api/journal/tasks").await.json();
    assert_eq!(list["items"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn pages_join_to_the_whole_list_without_gap_or_repeat() {
    let world = World::new();
    for n in 0..7 {
        world.task(&format!(r#"{{"title": "Task {n}"}}"#)).await;
    }
    let ids = |page: &Value| -> Vec<String> {
        let items = page["items"].as_array().into_iter().flatten();
        items.filter_map(|row| Some(row["id"].as_str()?.to_owned())).collect()
    };
    let whole = ids(&world.get("/api/journal/tasks").await.json());
    assert_eq!(whole.len(), 7);
    let mut joined = Vec::new();
    let mut path = "/api/journal/tasks?limit=3".to_owned();
    loop {
        let page = world.get(&path).await.json();
        assert!(ids(&page).len() <= 3);
        joined.extend(ids(&page));
        let Some(cursor) = page["nextCursor"].as_str() else { break };
        path = format!("/api/journal/tasks?limit=3&cursor={cursor}");
    }
    assert_eq!(joined, whole);
}

#[tokio::test]
async fn null_clears_a_field_and_a_deleted_task_comes_back_as_it_was() {
    let world = World::new();
    let body = r#"{"title": "Fence", "dueOn": "2026-06-01", "items": ["tape"]}"#;
    let path = format!("/api/journal/tasks/{}", world.task(body).await);
    let cleared = world.call("PATCH", &path, r#"{"dueOn": null}"#).await.json();
    assert_eq!((&cleared["dueOn"], &cleared["title"]), (&Value::Null, &json!("Fence")));
    let deleted = world.call("DELETE", &path, "").await.json();
    assert_ne!(deleted["deletedAt"], Value::Null);
    let list = world.get("/api/journal/tasks").await.json();
    assert_eq!(list["items"], json!([]));
    let back = world.call("POST", &format!("{path}/restore"), "").await.json();
    assert_eq!(back["deletedAt"], Value::Null);
    assert_eq!(back["items"], cleared["items"]);
}

#[tokio::test]
async fn the_parts_of_a_task_are_written_one_by_one() {
    let world = World::new();
    let path = format!("/api/journal/tasks/{}", world.task(r#"{"title": "Fence"}"#).await);
    let post = async |part: &str, body: &str| {
        let answer = world.call("POST", &format!("{path}/{part}"), body).await;
        assert_eq!(answer.status, 201, "{part}: {}", answer.body);
        answer.json()
    };
    post("entries", r#"{"text": "It leans.", "on": "2026-03-01"}"#).await;
    post("time-entries", r#"{"minutes": 90}"#).await;
    post("labels", r#"{"name": "garden"}"#).await;
    let task = post("checklist-items", r#"{"title": "buy posts"}"#).await;
    let item = task["items"][0]["id"].as_str().expect("an item has an id");
    let ticked = world
        .call("PATCH", &format!("{path}/checklist-items/{item}"), r#"{"isChecked": true}"#)
        .await;
    assert_eq!(ticked.json()["items"][0]["isChecked"], true, "{}", ticked.body);
    assert_eq!(ticked.json()["timeSpentMinutes"], 90);
    let bare = world.call("DELETE", &format!("{path}/labels/garden"), "").await;
    assert_eq!(bare.json()["labels"], json!([]), "{}", bare.body);
    let entry = task["entries"][0]["id"].as_str().expect("an entry has an id");
    let entry = format!("{path}/entries/{entry}");
    let edited = world.call("PATCH", &entry, r#"{"text": "It leans less."}"#).await;
    assert_eq!(edited.json()["entries"][0]["text"], "It leans less.", "{}", edited.body);
    let n = |task: &Value| task["entries"].as_array().map_or(0, Vec::len);
    let before = n(&edited.json());
    assert_eq!(n(&world.call("DELETE", &entry, "").await.json()), before - 1);
    assert_eq!(n(&world.call("POST", &format!("{entry}/restore"), "").await.json()), before);
}

#[tokio::test]
async fn labels_and_categories_are_made_by_naming_them() {
    let world = World::new();
    world.task(r#"{"title": "Fence", "labels": ["garden"], "category": "Home"}"#).await;
    for (path, name) in [("labels", "garden"), ("categories", "Home")] {
        let list = world.get(&format!("/api/journal/{path}")).await.json();
        assert_eq!(list["items"][0]["name"], name, "{list}");
    }
}
