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
    insta::assert_snapshot!(answer.rendered());
    let place = answer.header("location").expect("it says where the task is");
    let again = world.get(place).await;
    let mut read = again.json();
    assert_eq!(read.get("cursor"), None, "only an edit has an event");
    read["cursor"] = answer.json()["cursor"].clone();
    assert_eq!(read, answer.json());
    assert_eq!(again.header("etag"), answer.header("etag"));
}

#[tokio::test]
async fn a_task_has_a_title_a_note_or_an_item() {
    let world = World::new();
    let post = async |body: &str| world.call("POST", "/api/journal/tasks", body).await;
    for body in [
        "{}",
        r#"{"title": ""}"#,
        r#"{"title": "   "}"#,
        r#"{"title": "", "note": " ", "items": [""]}"#,
        r#"{"priority": "P1", "labels": ["home"]}"#,
    ] {
        let answer = post(body).await;
        assert_eq!(answer.status, 422, "{body}: {}", answer.body);
        let problem = answer.json();
        assert_eq!(problem["type"], "/problems/validation-failed", "{body}");
        assert_eq!(problem["errors"][0]["pointer"], "/title", "{body}");
    }
    for body in [
        r#"{"title": "Fence"}"#,
        r#"{"note": "The gutter is 68 mm wide."}"#,
        r#"{"title": "", "items": ["measure the gutter"]}"#,
    ] {
        let answer = post(body).await;
        assert_eq!(answer.status, 201, "{body}: {}", answer.body);
    }
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
    insta::assert_snapshot!(answer.rendered());
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
async fn a_task_and_its_entries_are_starred_and_private_from_the_start_or_later() {
    let world = World::new();
    let made = r#"{"title": "Party", "private": true, "note": "Forty guests."}"#;
    let path = format!("/api/journal/tasks/{}", world.task(made).await);
    let task = world.get(&path).await.json();
    assert_eq!((&task["private"], &task["starred"]), (&json!(true), &json!(false)));
    assert_eq!(task["entries"][0]["private"], false, "the mark is the task's, not the entry's");
    let change = r#"{"private": false, "starred": true}"#;
    let task = world.call("PATCH", &path, change).await.json();
    assert_eq!((&task["private"], &task["starred"]), (&json!(false), &json!(true)));
    let entry = r#"{"kind": "imageAnalysis", "text": "A cake.", "private": true, "starred": true}"#;
    let task = world.call("POST", &format!("{path}/entries"), entry).await.json();
    let entry = &task["entries"][1];
    for (member, value) in
        [("kind", json!("imageAnalysis")), ("private", json!(true)), ("starred", json!(true))]
    {
        assert_eq!(entry[member], value, "{entry}");
    }
    let entry = format!("{path}/entries/{}", entry["id"].as_str().expect("an id"));
    let opened = world.call("PATCH", &entry, r#"{"private": false}"#).await.json();
    assert_eq!(opened["entries"][1]["private"], false, "{opened}");
    assert_eq!(opened["entries"][1]["text"], "A cake.", "its text stays");
    let time = r#"{"minutes": 20, "private": true}"#;
    let task = world.call("POST", &format!("{path}/time-entries"), time).await.json();
    assert_eq!(task["entries"][2]["private"], true, "{task}");
}

#[tokio::test]
async fn a_flag_of_an_entry_is_not_set_on_a_revision_that_is_gone() {
    let world = World::new();
    let path = format!("/api/journal/tasks/{}", world.task(r#"{"note": "A cake."}"#).await);
    let task = world.get(&path).await.json();
    let entry = format!("{path}/entries/{}", task["entries"][0]["id"].as_str().expect("an id"));
    let revision = format!("\"{}\"", task["revision"]);
    let change = async |body| {
        world.call_with("PATCH", &entry, body, &[("if-match", revision.as_str())]).await
    };
    assert_eq!(change(r#"{"starred": true}"#).await.status, 200);
    let late = change(r#"{"private": true}"#).await;
    assert_eq!(late.status, 412, "{}", late.rendered());
    assert_eq!(world.get(&path).await.json()["entries"][0]["private"], false);
}

#[tokio::test]
async fn a_list_and_a_file_hold_only_what_is_starred_or_private() {
    let world = World::new();
    world.task(r#"{"title": "Party", "private": true, "starred": true}"#).await;
    world.task(r#"{"title": "Rent", "starred": true}"#).await;
    world.task(r#"{"title": "Taxes"}"#).await;
    for (query, titles) in [
        ("starred=true", vec!["Rent", "Party"]),
        ("private=true", vec!["Party"]),
        ("starred=true&private=true", vec!["Party"]),
    ] {
        let list = world.get(&format!("/api/journal/tasks?{query}")).await.json();
        let rows = list["items"].as_array().expect("a list").iter();
        let shown: Vec<_> = rows.map(|row| row["title"].as_str().unwrap_or_default()).collect();
        assert_eq!(shown, titles, "{query}");
        let file = world.get(&format!("/api/export?format=json&{query}")).await.json();
        assert_eq!(file["tasks"].as_array().map(Vec::len), Some(titles.len()), "{query}");
    }
    let refused = world.get("/api/journal/tasks?starred=maybe").await;
    assert_eq!(refused.status, 422, "{}", refused.rendered());
    assert_eq!(refused.json()["errors"][0]["pointer"], "?starred");
}

#[tokio::test]
async fn a_file_of_flags_and_an_image_analysis_is_read_as_it_was_written() {
    let world = World::new();
    let made = world.task(r#"{"title": "Party", "private": true, "starred": true}"#).await;
    let entry = r#"{"kind": "imageAnalysis", "text": "A cake.", "private": true}"#;
    world.call("POST", &format!("/api/journal/tasks/{made}/entries"), entry).await;
    for format in ["json", "csv", "iCalendar"] {
        let file = world.get(&format!("/api/export?format={format}")).await.body;
        let other = World::new();
        let done = other.call("POST", &format!("/api/imports?name=party.{format}"), &file).await;
        assert_eq!(done.status, 200, "{format}: {}", done.rendered());
        let list = other.get("/api/journal/tasks?private=true&starred=true").await.json();
        let id = list["items"][0]["id"].as_str().unwrap_or_else(|| panic!("{format}: {list}"));
        let task = other.get(&format!("/api/journal/tasks/{id}")).await.json();
        let entry = &task["entries"][0];
        assert_eq!(
            (&entry["kind"], &entry["private"], &entry["text"]),
            (&json!("imageAnalysis"), &json!(true), &json!("A cake.")),
            "{format}"
        );
    }
    let losses = world.get("/api/export/losses?format=markdown").await.json();
    let parts = losses["losses"].as_array().expect("losses").iter();
    let parts: Vec<_> = parts.map(|loss| loss["part"].as_str().unwrap_or_default()).collect();
    assert_eq!(parts, ["private", "kinds", "times"]);
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
