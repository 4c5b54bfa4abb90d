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
        ("2026-03-01 10:00", "has passed"),
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
    assert_eq!(resumed["suspendedUntil"], Value::Null);
    let again = world.call("PATCH", &work, r#"{"action": "resume"}"#).await;
    assert_eq!(again.json()["type"], "/problems/work-state", "{}", again.rendered());
    let over = world.call("POST", &path, r#"{"until": "2026-03-01"}"#).await;
    assert_eq!(over.json()["errors"][0]["pointer"], "/until", "{}", over.rendered());
}

/// The same request again gets the same answer, although its words mean another time by then.
#[tokio::test]
async fn a_repeated_move_or_suspension_answers_as_the_first_time_whatever_its_words_mean_then() {
    let world = World::new();
    let work = daily(&world).await;
    let move_path = format!("{work}/{}/move", key(2));
    let suspend_path = format!("{work}/suspend");
    for (path, body, key) in [
        (&move_path, json!({ "to": "in 2 hours" }), "one-move"),
        (&suspend_path, json!({ "until": "in 3 hours" }), "one-suspension"),
        // By the second time this has passed.
        (&suspend_path, json!({ "until": "today at 11:07" }), "another-suspension"),
    ] {
        let key = [("Idempotency-Key", key)];
        let send = async || world.call_with("POST", path, &body.to_string(), &key).await;
        let first = send().await;
        assert_eq!(first.status, 200, "{}", first.rendered());
        world.later(150);
        let again = send().await;
        assert_eq!(again.status, 200, "{}", again.rendered());
        let next = |answer: &Value| answer["nextDueAt"].clone();
        assert_eq!(next(&again.json()), next(&first.json()), "{body}");
        let other = json!({ "to": "in 5 hours" });
        let other = if path == &move_path { other } else { json!({ "until": "in 5 hours" }) };
        let reused = world.call_with("POST", path, &other.to_string(), &key).await;
        assert_eq!(reused.status, 422, "{}", reused.rendered());
        assert_eq!(reused.json()["type"], "/problems/idempotency-mismatch");
        if path == &suspend_path {
            world.later(7200);
        }
    }
}

#[tokio::test]
async fn what_is_over_is_not_restored_and_what_a_person_did_is_in_the_audit_log() {
    let world = World::new();
    let work = daily(&world).await;
    let id = work.trim_start_matches("/api/tasks/").to_owned();
    post(&world, &format!("{work}/{}/skip", key(2)), &Value::Null).await;
    let to = json!({ "to": "2026-03-04 18:30" });
    post(&world, &format!("{work}/{}/move", key(3)), &to).await;
    post(&world, &format!("{work}/{}/move", key(4)), &json!({ "to": "2026-06-01 10:00" })).await;
    let listed = coming(&world, &work).await;
    assert_eq!(listed[0], "02 03-02T12:00 skipped");
    assert_eq!(listed.last().map(String::as_str), Some("04 06-01T10:00 moved"));
    world.later(28 * 3600);
    world.drain_all().await;
    let listed = world.get(&format!("{work}/occurrences")).await.json();
    let first = &listed["items"][0];
    assert_eq!((&first["isMoved"], &first["canRestore"]), (&json!(true), &json!(false)));
    for (day, why) in [(2, "has passed: choose one"), (3, "says has passed: skip it, or move it")] {
        let over = world.call("POST", &format!("{work}/{}/restore", key(day)), "").await;
        assert_eq!(over.status, 409, "{}", over.rendered());
        assert_eq!(over.json()["type"], "/problems/work-state");
        assert!(over.body.contains(why), "{}", over.rendered());
    }
    post(&world, &format!("{work}/{}/restore", key(4)), &Value::Null).await;
    post(&world, &format!("{work}/suspend"), &json!({ "until": "2026-03-09" })).await;
    let shown = world.get(&work).await.json()["task"]["suspendedUntil"].clone();
    assert_eq!(shown, "2026-03-09T00:00:00Z");
    let audit = world.get("/api/audit").await.json();
    let rows = audit["items"].as_array().expect("rows").iter();
    let rows = rows.filter(|row| row["object"] == id.as_str());
    let said = rows.map(|row| {
        let text = |name: &str| row[name].as_str().unwrap_or_default();
        format!("{} {}", text("action"), text("detail")).trim_end().to_owned()
    });
    assert_eq!(
        said.collect::<Vec<_>>(),
        [
            "work.suspend until 2026-03-09T00:00:00Z",
            "work.restore 2026-03-04T12:00:00",
            "work.move 2026-03-04T12:00:00 to 2026-06-01T10:00:00Z",
            "work.move 2026-03-03T12:00:00 to 2026-03-04T18:30:00Z",
            "work.skip 2026-03-02T12:00:00",
            "work.create",
        ]
    );
}
