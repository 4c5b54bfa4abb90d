//! Tasks as files, and what these leave out, over HTTP.

use serde_json::{Value, json};

use crate::world::World;

async fn populated() -> (World, String) {
    let world = World::new();
    let body = r#"{
        "title": "Water butt", "labels": ["garden"], "category": "Home", "priority": "P1",
        "items": ["buy the kit"], "note": "It leaks.", "dueOn": "2026-05-15"
    }"#;
    let id = world.task(body).await;
    world.task(r#"{"title": "Paint", "status": "DONE"}"#).await;
    (world, id)
}

#[tokio::test]
async fn a_file_has_the_type_and_the_name_of_its_format() {
    let (world, id) = populated().await;
    let short = &id[id.len() - 5..];
    for (format, kind, end, holds) in [
        ("markdown", "text/markdown; charset=utf-8", "md", "## Water butt"),
        ("todoTxt", "text/plain; charset=utf-8", "txt", "Water butt +Home @garden due:2026-05-15"),
        ("iCalendar", "text/calendar; charset=utf-8", "ics", "SUMMARY:Water butt"),
        ("csv", "text/csv; charset=utf-8", "csv", "Water butt,OPEN,,P1,2026-05-15"),
        ("json", "application/json", "json", "\"title\": \"Water butt\""),
    ] {
        let all = world.get(&format!("/api/export?format={format}")).await;
        assert_eq!(
            (all.status, all.header("content-type")),
            (200, Some(kind)),
            "{}",
            all.rendered()
        );
        let named = format!("attachment; filename=\"tasks.{end}\"");
        assert_eq!(all.header("content-disposition"), Some(named.as_str()));
        assert!(all.body.contains(holds) && all.body.contains("Paint"), "{}", all.body);
        let one = world.get(&format!("/api/export?format={format}&task={id}")).await;
        let named = format!("attachment; filename=\"task-{short}.{end}\"");
        assert_eq!(one.header("content-disposition"), Some(named.as_str()));
        assert!(one.body.contains("Water butt") && !one.body.contains("Paint"), "{}", one.body);
    }
}

#[tokio::test]
async fn without_a_format_it_is_the_whole_document_as_before() {
    let (world, _) = populated().await;
    let document = world.get("/api/export").await;
    assert_eq!(document.json()["format"], "dormouse-export");
    assert_eq!(document.header("content-disposition"), None);
}

#[tokio::test]
async fn a_file_takes_the_filters_of_the_list() {
    let (world, id) = populated().await;
    for (query, has) in [
        ("status=done", [false, true]),
        ("status=open,done", [true, true]),
        ("label=garden&status=open", [true, false]),
        ("category=none", [false, true]),
        ("priority=P1", [true, false]),
        ("due=none", [false, true]),
        ("q=leaks", [true, false]),
    ] {
        let file = world.get(&format!("/api/export?format=todoTxt&{query}")).await.body;
        assert_eq!(["Water butt", "Paint"].map(|title| file.contains(title)), has, "{query}");
        let answer = world.get(&format!("/api/export/losses?format=todoTxt&{query}")).await.json();
        assert_eq!(answer["tasks"], json!(has.iter().filter(|has| **has).count()), "{query}");
    }
    for (query, pointer) in [
        ("status=done".to_owned(), "?format"),
        (format!("format=csv&task={id}&status=done"), "?task"),
        ("format=docx".to_owned(), "?format"),
        ("format=csv&status=finished".to_owned(), "?status"),
    ] {
        for path in ["/api/export", "/api/export/losses"] {
            let refused = world.get(&format!("{path}?{query}")).await;
            assert_eq!(refused.status, 422, "{}", refused.rendered());
            assert_eq!(refused.json()["errors"][0]["pointer"], pointer, "{}", refused.rendered());
        }
    }
}

#[tokio::test]
async fn what_a_format_has_no_place_for_is_named_before() {
    let (world, id) = populated().await;
    let answer = world.get("/api/export/losses?format=todoTxt").await.json();
    let expected = json!({
        "tasks": 2,
        "losses": [
            {"part": "items", "tasks": 1, "examples": ["Water butt"]},
            {"part": "entries", "tasks": 1, "examples": ["Water butt"]},
            {"part": "times", "tasks": 2, "examples": ["Water butt", "Paint"]},
            {"part": "key", "tasks": 2, "examples": ["Water butt", "Paint"]},
        ],
        "damaged": [],
    });
    assert_eq!(answer, expected);
    let document = world.get(&format!("/api/export/losses?task={id}")).await.json();
    assert_eq!(document["losses"], json!([]), "the whole document leaves nothing out");
}

#[tokio::test]
async fn a_deleted_task_is_in_the_whole_document_alone() {
    let (world, id) = populated().await;
    world.call("DELETE", &format!("/api/journal/tasks/{id}"), "").await;
    for path in [
        format!("/api/export?format=csv&task={id}"),
        format!("/api/export/losses?format=csv&task={id}"),
        format!("/api/journal/tasks/{id}/page"),
    ] {
        let refused = world.get(&path).await;
        assert_eq!(refused.status, 409, "{}", refused.rendered());
        assert_eq!(refused.json()["type"], "/problems/task-deleted");
    }
    assert!(!world.get("/api/export?format=csv").await.body.contains("Water butt"));
    assert!(world.get("/api/export").await.body.contains("Water butt"));
}

#[tokio::test]
async fn a_task_is_a_page_to_read() {
    let (world, id) = populated().await;
    world.call("POST", &format!("/api/journal/tasks/{id}/agent"), "{}").await;
    world.drain(&id).await;
    let page = world.get(&format!("/api/journal/tasks/{id}/page")).await;
    assert_eq!(page.header("content-type"), Some("text/markdown; charset=utf-8"));
    let heads: Vec<_> = page
        .body
        .lines()
        .filter(|line| line.starts_with("# ") || line.starts_with("## "))
        .collect();
    assert_eq!(heads, ["# Water butt", "## Report", "## Checklist", "## Notes"], "{}", page.body);
}

#[tokio::test]
async fn a_file_written_here_is_read_elsewhere() {
    let (world, _) = populated().await;
    for format in ["todoTxt", "iCalendar", "csv", "json"] {
        let file = world.get(&format!("/api/export?format={format}")).await.body;
        let other = World::new();
        let read = other.call("POST", "/api/imports?name=copy", &file).await;
        let first: Value =
            serde_json::from_str(read.body.lines().next().unwrap_or_default()).expect("JSON");
        let known_as = if format == "json" { "dormouse" } else { format };
        assert_eq!(first["format"], known_as, "{}", read.body);
        let list = other.get("/api/journal/tasks").await.json();
        let titles: Vec<_> =
            list["items"].as_array().into_iter().flatten().map(|row| &row["title"]).collect();
        assert_eq!(titles, ["Paint", "Water butt"], "{format}: {file}");
    }
}
