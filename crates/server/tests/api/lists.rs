//! What the page of the app reads: lists of tasks and agents, what needs the person, late reports.

use dormouse_types::limits::SEARCH;
use serde_json::Value;

use crate::world::World;

/// Puts a word in the place of what differs from run to run.
fn redacted(mut value: Value) -> String {
    const IDS: [&str; 16] = [
        "id",
        "agent",
        "agentId",
        "taskId",
        "set",
        "runKey",
        "digest",
        "entryId",
        "createdAt",
        "updatedAt",
        "since",
        "expiresAt",
        "item",
        "from",
        "provenance",
        "operationId",
    ];
    fn walk(value: &mut Value) {
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    if IDS.contains(&name.as_str()) && !member.is_null() {
                        *member = format!("[{name}]").into();
                    } else {
                        walk(member);
                    }
                }
            }
            Value::Array(items) => items.iter_mut().for_each(walk),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    walk(&mut value);
    format!("{value:#}")
}

/// A task whose agent has reported and proposes something.
async fn watched(world: &World) -> String {
    let body = r#"{
        "title": "Water butt", "labels": ["garden"], "category": "Home", "items": ["buy the kit"],
        "priority": "P1", "dueOn": "2026-03-04", "estimateMinutes": 30,
        "note": "Still to do: buy the kit, said Zoë.\nDeadline: 2026-05-15."
    }"#;
    let id = world.task(body).await;
    world.call("POST", &format!("/api/journal/tasks/{id}/agent"), r#"{"name": "Laura"}"#).await;
    world.drain(&id).await;
    id
}

async fn titles(world: &World, query: &str) -> Vec<String> {
    let answer = world.get(&format!("/api/journal/tasks?{query}")).await;
    assert_eq!(answer.status, 200, "{query}: {}", answer.body);
    let page = answer.json();
    let items = page["items"].as_array().expect("items").clone();
    items.iter().map(|task| task["title"].as_str().expect("a title").to_owned()).collect()
}

#[tokio::test]
async fn a_row_of_a_list_tells_what_the_page_shows() {
    let world = World::new();
    watched(&world).await;
    let page = world.get("/api/journal/tasks?q=zoe").await.json();
    insta::assert_snapshot!("task_row", redacted(page));
}

#[tokio::test]
async fn what_is_proposed_reported_and_waits_is_listed_by_itself() {
    let world = World::new();
    let id = watched(&world).await;
    let changes = world.get(&format!("/api/journal/tasks/{id}/changes")).await.json();
    insta::assert_snapshot!("task_changes", redacted(changes));
    let reports = world.get("/api/reports").await.json();
    insta::assert_snapshot!("reports", redacted(reports));
    let waits = world.get("/api/needs-attention").await.json();
    insta::assert_snapshot!("needs_attention", redacted(waits));
}

#[tokio::test]
async fn what_is_found_by_a_name_comes_in_pages_and_beside_no_other_filter() {
    let world = World::new();
    for n in 0..5 {
        world.task(&format!(r#"{{"title": "Paint the wall {n}"}}"#)).await;
    }
    let path = "/api/journal/tasks?find=paint%20wall&limit=2";
    let (mut path_of_page, mut seen) = (path.to_owned(), Vec::new());
    let mut pages = 0;
    loop {
        let page = world.get(&path_of_page).await.json();
        let items = page["items"].as_array().expect("items");
        assert!(items.len() <= 2, "{page}");
        seen.extend(items.iter().map(|task| task["title"].as_str().expect("a title").to_owned()));
        pages += 1;
        match page["nextCursor"].as_str() {
            Some(cursor) => path_of_page = format!("{path}&cursor={cursor}"),
            None => break,
        }
    }
    let wanted: Vec<String> = (0..5).rev().map(|n| format!("Paint the wall {n}")).collect();
    assert_eq!((seen, pages), (wanted, 3));
    assert_eq!(titles(&world, "find=Paint%20the%20wall%203").await, ["Paint the wall 3"]);
    for other in ["status=OPEN", "q=wall", "agent=with", "deleted=true", "sort=title"] {
        let answer = world.get(&format!("{path}&{other}")).await;
        let name = other.split('=').next().expect("a name");
        assert_eq!(answer.status, 422, "{other}: {}", answer.body);
        let said = answer.json();
        assert_eq!(said["errors"][0]["pointer"], "?find", "{said}");
        assert!(answer.body.contains(&format!("`{name}`")), "{said}");
    }
    let long = "a".repeat(SEARCH.max + 1);
    assert_eq!(world.get(&format!("/api/journal/tasks?find={long}")).await.status, 422);
}

#[tokio::test]
async fn of_a_parameter_one_value_must_hold_and_of_different_ones_all() {
    let world = World::new();
    for body in [
        r#"{"title": "A", "status": "OPEN", "priority": "P0", "labels": ["x"], "dueOn": "2026-03-01"}"#,
        r#"{"title": "B", "status": "IN PROGRESS", "priority": "P1", "labels": ["y"], "dueOn": "2026-03-02"}"#,
        r#"{"title": "C", "status": "DONE", "labels": ["x", "y"], "category": "Home", "dueOn": "2026-03-01"}"#,
        r#"{"title": "D", "status": "GROOMED", "dueOn": "2026-03-09"}"#,
        r#"{"title": "E", "status": "OPEN"}"#,
    ] {
        world.task(body).await;
    }
    for (query, expected) in [
        ("sort=title&status=OPEN", vec!["A", "E"]),
        ("sort=title&status=OPEN,GROOMED", vec!["A", "D", "E"]),
        ("sort=title&status=OPEN&status=IN%20PROGRESS", vec!["A", "B", "E"]),
        ("sort=title&priority=P0&priority=P2", vec!["A", "C", "D", "E"]),
        ("sort=title&label=X", vec!["A", "C"]),
        ("sort=title&label=x,y&status=DONE", vec!["C"]),
        ("sort=title&label=nobody", vec![]),
        ("sort=title&category=home", vec!["C"]),
        ("sort=title&due=overdue", vec!["A"]),
        ("sort=title&due=week", vec!["B"]),
        ("sort=title&due=none,overdue", vec!["A", "E"]),
        ("sort=title&agent=without", vec!["A", "B", "C", "D", "E"]),
        ("sort=title&agent=with", vec![]),
        ("sort=title&agent=awake", vec![]),
        ("sort=due", vec!["C", "A", "B", "D", "E"]),
        ("sort=priority", vec!["A", "B", "E", "D", "C"]),
        ("sort=created", vec!["E", "D", "C", "B", "A"]),
        ("", vec!["E", "D", "C", "B", "A"]),
    ] {
        assert_eq!(titles(&world, query).await, expected, "{query}");
    }
    for (query, pointer) in [
        ("status=LOST", "?status"),
        ("priority=P9", "?priority"),
        ("agent=some", "?agent"),
        ("due=soon", "?due"),
        ("proposals=all", "?proposals"),
        ("deleted=maybe", "?deleted"),
        ("sort=size", "?sort"),
        ("cursor=nonsense", "?cursor"),
        ("sort=title&cursor=nonsense", "?cursor"),
        ("limit=0", "?limit"),
        ("limit=201", "?limit"),
    ] {
        let answer = world.get(&format!("/api/journal/tasks?{query}")).await;
        assert_eq!(answer.status, 422, "{query}: {}", answer.body);
        let json = answer.json();
        let named = json["errors"][0]["pointer"].as_str().map(str::to_owned);
        assert!(named.is_none() || named.as_deref() == Some(pointer), "{query}: {json}");
    }
}

#[tokio::test]
async fn tasks_to_review_without_a_category_and_deleted_ones_are_listed_by_themselves() {
    let world = World::new();
    watched(&world).await;
    for body in [
        r#"{"title": "A", "status": "DONE"}"#,
        r#"{"title": "B", "category": "None"}"#,
        r#"{"title": "C", "labels": ["x"]}"#,
    ] {
        world.task(body).await;
    }
    let gone = world.task(r#"{"title": "Gone", "category": "Home"}"#).await;
    world.call("DELETE", &format!("/api/journal/tasks/{gone}"), "").await;
    for (query, expected) in [
        ("sort=title&proposals=open", vec!["Water butt"]),
        ("sort=title&proposals=open&agent=without", vec![]),
        ("sort=title&category=none", vec!["A", "C"]),
        ("sort=title&category=none,home", vec!["A", "C", "Water butt"]),
        ("sort=title&category=none&status=DONE", vec!["A"]),
        ("deleted=only", vec!["Gone"]),
        ("sort=updated&deleted=only&category=home", vec!["Gone"]),
        ("sort=title&deleted=only&category=none", vec![]),
        ("sort=title&deleted=true", vec!["A", "B", "C", "Gone", "Water butt"]),
        ("sort=title&deleted=false", vec!["A", "B", "C", "Water butt"]),
    ] {
        assert_eq!(titles(&world, query).await, expected, "{query}");
    }
}

#[tokio::test]
async fn a_text_to_look_for_has_a_length() {
    let world = World::new();
    for (length, status) in [(SEARCH.max - 1, 200), (SEARCH.max, 200), (SEARCH.max + 1, 422)] {
        let answer = world.get(&format!("/api/journal/tasks?q={}", "x".repeat(length))).await;
        assert_eq!(answer.status, status, "{length}: {}", answer.body);
    }
}

#[tokio::test]
async fn agents_come_in_pages_and_by_what_they_do() {
    let world = World::new();
    for n in 0..3 {
        let id = world.task(&format!(r#"{{"title": "Task {n}"}}"#)).await;
        world.call("POST", &format!("/api/journal/tasks/{id}/agent"), "{}").await;
    }
    let id = watched(&world).await;
    let mut found = Vec::new();
    let mut path = "/api/agents?limit=1".to_owned();
    loop {
        let page = world.get(&path).await.json();
        let items = page["items"].as_array().expect("items");
        assert!(items.len() <= 1);
        found.extend(items.iter().map(|agent| agent["taskTitle"].clone()));
        match page["nextCursor"].as_str() {
            Some(cursor) => path = format!("/api/agents?limit=1&cursor={cursor}"),
            None => break,
        }
    }
    assert_eq!(found, ["Water butt", "Task 2", "Task 1", "Task 0"]);
    let n = async |query: &str| {
        let page = world.get(&format!("/api/agents?{query}")).await.json();
        page["items"].as_array().map_or(0, Vec::len)
    };
    assert_eq!(n("activity=queued").await, 3);
    assert_eq!(n("activity=asleep").await, 1);
    assert_eq!(n("activity=running").await, 0);
    assert_eq!(n("activity=running,queued").await, 3);
    assert_eq!(n("activity=running&activity=queued&limit=2").await, 2);
    assert_eq!(n("activity=queued,asleep").await, 4);
    assert_eq!(n("lifecycle=active").await, 1);
    assert_eq!(n("lifecycle=created&activity=asleep").await, 0);
    for wrong in ["awake", "queued,awake", "waiting"] {
        assert_eq!(world.get(&format!("/api/agents?activity={wrong}")).await.status, 422);
    }
    world.call("DELETE", &format!("/api/journal/tasks/{id}"), "").await;
}
