//! Single occurrences of agent work over HTTP. The clock shows Monday, 2026-03-02, 09:00 UTC.

use serde_json::{Value, json};

use crate::world::World;

async fn daily(world: &World) -> String {
    let body = r#"{"title": "Agenda", "instructions": "Say what is due.", "schedule": "every day at 12",
        "model": "acme/scripted"}"#;
    let made = world.call("POST", "/api/tasks", body).await;
    assert_eq!(made.status, 201, "{}", made.rendered());
    format!("/api/tasks/{}", made.json()["id"].as_str().expect("an id"))
}

/// Each occurrence that comes: its day of March, when it is due, and what a person wants with it.
async fn coming(world: &World, work: &str) -> Vec<String> {
    let coming = world.get(&format!("{work}/occurrences")).await.json();
    let said = |one: &Value| {
        let (key, due) =
            (one["key"].as_str().expect("a key"), one["due"].as_str().expect("a time"));
        let skipped = if one["isSkipped"] == true { " skipped" } else { "" };
        let moved = if one["isMoved"] == true { " moved" } else { "" };
        format!("{} {}{skipped}{moved}", &key[8..10], &due[5..16])
    };
    coming["items"].as_array().expect("a list").iter().map(said).collect()
}

async fn post(world: &World, path: &str, body: &Value) -> Value {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let answer = world.call("POST", path, &body).await;
    assert_eq!(answer.status, 200, "{}", answer.rendered());
    answer.json()
}

fn key(day: u8) -> String {
    format!("occurrences/2026-03-{day:02}T12:00:00")
}

/// Calls every operation on occurrences with success.
pub async fn everything(world: &World) {
    let work = daily(world).await;
    coming(world, &work).await;
    post(world, &format!("{work}/{}/skip", key(3)), &Value::Null).await;
    post(world, &format!("{work}/{}/restore", key(3)), &Value::Null).await;
    post(world, &format!("{work}/{}/move", key(3)), &json!({ "to": "2026-03-03 10:00" })).await;
    post(world, &format!("{work}/suspend"), &json!({ "until": "2026-03-09" })).await;
    world.call("DELETE", &work, "").await;
}

#[tokio::test]
async fn an_occurrence_is_skipped_and_comes_back() {
    let world = World::new();
    let work = daily(&world).await;
    let skipped = post(&world, &format!("{work}/{}/skip", key(2)), &Value::Null).await;
    assert_eq!(skipped["nextDueAt"], "2026-03-03T12:00:00Z");
    let days = ["03 03-03T12:00", "04 03-04T12:00", "05 03-05T12:00", "06 03-06T12:00"];
    let rest = |first: &[&str]| -> Vec<String> {
        first.iter().chain(&days).map(|one| (*one).to_owned()).collect()
    };
    let mut five = rest(&["02 03-02T12:00 skipped"]);
    five.push("07 03-07T12:00".into());
    assert_eq!(coming(&world, &work).await, five);
    let restored = post(&world, &format!("{work}/{}/restore", key(2)), &Value::Null).await;
    assert_eq!(restored["nextDueAt"], "2026-03-02T12:00:00Z");
    assert_eq!(coming(&world, &work).await, rest(&["02 03-02T12:00"]));
    let none = world.call("POST", &format!("{work}/{}/skip", key(1)), "").await;
    assert_eq!(none.status, 404, "{}", none.rendered());
    assert!(none.body.contains("2026-03-01T12:00:00"), "{}", none.rendered());
}

#[tokio::test]
async fn an_occurrence_is_moved_in_words_and_stays_the_same_one() {
    let world = World::new();
    let work = daily(&world).await;
    let to = |to: &str| json!({ "to": to });
    let path = format!("{work}/{}/move", key(2));
    let moved = post(&world, &path, &to("today at 18:30")).await;
    assert_eq!(moved["nextDueAt"], "2026-03-02T18:30:00Z");
    let again = post(&world, &path, &to("2026-03-03 10:00")).await;
    assert_eq!(again["nextDueAt"], "2026-03-03T10:00:00Z");
    assert_eq!(coming(&world, &work).await[..2], ["02 03-03T10:00 moved", "03 03-03T12:00"]);
    for (words, why) in [
        ("tomorrow", "`tomorrow` has no time of day"),
        ("2026-03-01 10:00", "is over"),
        ("whenever", "not understood"),
    ] {
        let refused = world.call("POST", &path, &to(words).to_string()).await;
        assert_eq!(refused.status, 422, "{}", refused.rendered());
        assert_eq!(refused.json()["errors"][0]["pointer"], "/to", "{}", refused.rendered());
        assert!(refused.body.contains(why), "{why}: {}", refused.rendered());
    }
}

#[tokio::test]
async fn a_schedule_is_suspended_until_a_day_and_resumed_before() {
    let world = World::new();
    let work = daily(&world).await;
    let path = format!("{work}/suspend");
    let suspended = post(&world, &path, &json!({ "until": "thursday" })).await;
    assert_eq!(suspended["nextDueAt"], "2026-03-05T12:00:00Z");
    let shown = world.get(&format!("{work}/occurrences")).await.json();
    assert_eq!(shown["suspendedUntil"], "2026-03-05T00:00:00Z", "{shown:#}");
    // A new time of day does not end it.
    let later = world.call("PATCH", &work, r#"{"schedule": "every day at 15"}"#).await.json();
    assert_eq!(later["nextDueAt"], "2026-03-05T15:00:00Z");
    let path_then = format!("{work}/occurrences/2026-03-05T15:00:00/move");
    let then = world.call("POST", &path_then, r#"{"to": "tomorrow at 8"}"#).await;
    assert_eq!(then.json()["type"], "/problems/work-state", "{}", then.rendered());
    let resumed = world.call("PATCH", &work, r#"{"action": "resume"}"#).await.json();
    assert_eq!(resumed["nextDueAt"], "2026-03-02T15:00:00Z");
    let again = world.call("PATCH", &work, r#"{"action": "resume"}"#).await;
    assert_eq!(again.json()["type"], "/problems/work-state", "{}", again.rendered());
    let over = world.call("POST", &path, r#"{"until": "2026-03-01"}"#).await;
    assert_eq!(over.json()["errors"][0]["pointer"], "/until", "{}", over.rendered());
}
