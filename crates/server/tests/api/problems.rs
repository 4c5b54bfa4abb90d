//! What is refused, and how it reads.

use std::collections::BTreeSet;
use std::path::Path;

use dormouse_types::limits;
use dormouse_types::problem::{ProblemFacts, ProblemKind};

use crate::world::World;

/// A request is refused with this status and type.
async fn check(world: &World, method: &str, path: &str, body: &str, status: u16, slug: &str) {
    let answer = world.call(method, path, body).await;
    let shown = format!("{method} {path}: {}", answer.rendered());
    assert_eq!(answer.status, status, "{shown}");
    assert_eq!(answer.header("content-type"), Some("application/problem+json"), "{shown}");
    assert_eq!(answer.json()["type"], format!("/problems/{slug}"), "{shown}");
    assert_eq!(answer.json()["status"], status, "{shown}");
    assert!(answer.json()["detail"].as_str().is_some_and(|text| !text.is_empty()), "{shown}");
}

#[tokio::test]
async fn what_is_not_there_is_not_found() {
    let world = World::new();
    let task = "/api/journal/tasks/jt-00000000000000000000000000";
    for (method, path) in [
        ("GET", "/"),
        ("GET", "/api/nothing"),
        ("GET", "/api/journal/tasks/unknown"),
        ("GET", task),
        ("PATCH", task),
        ("DELETE", task),
        ("POST", &format!("{task}/agent")),
        ("GET", "/api/agents/ag-00000000000000000000000000"),
        ("GET", "/api/change-sets/cs-00000000000000000000000000"),
    ] {
        let body = if method == "PATCH" { r#"{"title": "x"}"# } else { "" };
        check(&world, method, path, body, 404, "not-found").await;
    }
    check(&world, "PUT", "/api/overview", "", 405, "method-not-allowed").await;
}

#[tokio::test]
async fn every_wrong_value_of_a_body_is_named() {
    let world = World::new();
    let body = r#"{"title": "x", "status": "finished", "priority": "P9", "dueOn": "2026-02-30"}"#;
    let answer = world.call("POST", "/api/journal/tasks", body).await;
    insta::assert_snapshot!(answer.rendered());
}

#[tokio::test]
async fn bodies_that_do_not_fit_are_refused() {
    let world = World::new();
    let tasks = "/api/journal/tasks";
    check(&world, "POST", tasks, "{", 400, "malformed-json").await;
    check(&world, "POST", tasks, r#"{"titel": "x"}"#, 422, "validation-failed").await;
    check(&world, "POST", tasks, r#"{"title": 7}"#, 422, "validation-failed").await;
    check(&world, "POST", tasks, r#"{"title": "a\u0000b"}"#, 422, "validation-failed").await;
    check(&world, "GET", &format!("{tasks}?q=%00"), "", 422, "validation-failed").await;
    check(&world, "GET", "/api/journal/tasks?limit=0", "", 422, "validation-failed").await;
    check(&world, "GET", "/api/journal/tasks?limit=201", "", 422, "validation-failed").await;
    check(&world, "GET", "/api/journal/tasks?limt=1", "", 422, "validation-failed").await;
    check(&world, "GET", "/api/journal/tasks?status=gone", "", 422, "validation-failed").await;
}

#[tokio::test]
async fn a_body_at_its_limit_is_read_and_one_byte_more_is_not() {
    let world = World::new();
    let task = r#"{"title": "x"}"#;
    let body = |size: usize| format!("{task}{}", " ".repeat(size - task.len()));
    let at_limit = world.call("POST", "/api/journal/tasks", &body(limits::BODY.max)).await;
    assert_eq!(at_limit.status, 201, "{}", at_limit.body);
    let beyond = body(limits::BODY.max + 1);
    check(&world, "POST", "/api/journal/tasks", &beyond, 413, "payload-too-large").await;
}

#[tokio::test]
async fn a_key_has_1_to_128_characters() {
    let world = World::new();
    for (n, status) in [(1, 201), (128, 201), (129, 422)] {
        let key = "k".repeat(n);
        let headers = [("idempotency-key", key.as_str())];
        let answer =
            world.call_with("POST", "/api/journal/tasks", r#"{"title": "x"}"#, &headers).await;
        assert_eq!(answer.status, status, "{n} characters: {}", answer.body);
    }
}

#[test]
fn every_problem_has_a_page_with_its_title_and_status() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors");
    for kind in ProblemKind::ALL {
        let (slug, ProblemFacts { status, title, .. }) = (kind.name(), kind.facts());
        let page = std::fs::read_to_string(folder.join(format!("{slug}.md")))?;
        let start = format!("# {title}\n\n`/problems/{slug}`, HTTP status {status}.\n");
        assert!(page.starts_with(&start), "docs/errors/{slug}.md should begin with:\n{start}");
        assert!(page.contains("\n## What to do\n"), "docs/errors/{slug}.md says not what to do");
    }
    let mut pages = BTreeSet::new();
    for entry in std::fs::read_dir(&folder)? {
        pages.insert(entry?.file_name().to_string_lossy().into_owned());
    }
    let slugs = ProblemKind::ALL.iter().map(|kind| format!("{kind}.md")).collect();
    assert_eq!(pages, slugs, "left: the pages, right: the problems");
    Ok(())
}
