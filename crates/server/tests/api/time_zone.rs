//! The time zone of the workspace, set over HTTP. The clock shows Monday, 2026-03-02, 09:00 UTC.

use serde_json::{Value, json};

use crate::world::World;

async fn change(world: &World, zone: Value) -> Value {
    let body = json!({ "timeZone": zone }).to_string();
    let changed = world.call("PATCH", "/api/settings", &body).await;
    assert_eq!(changed.status, 200, "{}", changed.rendered());
    changed.json()
}

async fn work(world: &World, schedule: &str) -> String {
    let body = json!({
        "title": "Agenda", "instructions": "Say what is due.", "schedule": schedule, "model": "acme/scripted",
    });
    let made = world.call("POST", "/api/tasks", &body.to_string()).await;
    assert_eq!(made.status, 201, "{}", made.rendered());
    format!("/api/tasks/{}", made.json()["id"].as_str().expect("an id"))
}

async fn next(world: &World, path: &str) -> Value {
    world.get(path).await.json()["task"]["nextDueAt"].clone()
}

#[tokio::test]
async fn a_person_sets_the_time_zone_and_everything_follows_at_once() {
    let world = World::new();
    let daily = work(&world, "every day at 12").await;
    let london = work(&world, "every day at 12 Europe/London").await;
    assert_eq!(next(&world, &daily).await, "2026-03-02T12:00:00Z");
    let settings = |chosen: Value| json!({ "dateOrder": null, "timeZone": chosen, "defaultTimeZone": "UTC", "dayStarts": "08:00" });
    assert_eq!(world.get("/api/settings").await.json(), settings(Value::Null));

    assert_eq!(
        change(&world, json!("America/new_york")).await,
        settings(json!("America/New_York"))
    );
    assert_eq!(world.get("/api/settings").await.json(), settings(json!("America/New_York")));
    assert_eq!(world.get("/api/access").await.json()["server"]["zone"], "America/New_York");
    assert_eq!(next(&world, &daily).await, "2026-03-02T17:00:00Z");
    assert_eq!(next(&world, &london).await, "2026-03-02T12:00:00Z", "it has a zone of its own");
    let read = world.get("/api/schedules?text=every%20day%20at%209").await.json();
    assert_eq!(read["next"][0], "2026-03-02T14:00:00Z", "{read:#}");
    let date = world.get("/api/dates?text=tomorrow%20at%2010").await.json();
    assert_eq!(date["at"], "2026-03-03T15:00:00Z", "{date:#}");

    assert_eq!(change(&world, Value::Null).await, settings(Value::Null));
    assert_eq!(next(&world, &daily).await, "2026-03-02T12:00:00Z");

    // In Kiritimati it is eleven in the evening.
    change(&world, json!("Pacific/Kiritimati")).await;
    assert_eq!(next(&world, &daily).await, "2026-03-02T09:00:00Z", "the clock moved past twelve");
    world.later(3600);
    assert_eq!(world.get("/api/dates?text=today").await.json()["day"], "2026-03-03");
    change(&world, Value::Null).await;
    assert_eq!(world.get("/api/dates?text=today").await.json()["day"], "2026-03-02");
}

#[tokio::test]
async fn a_time_zone_that_nobody_knows_is_refused_with_an_example() {
    let world = World::new();
    for name in ["Mars/Olympus", "", "Etc/Unknown"] {
        let body = json!({ "timeZone": name, "dateOrder": "dayFirst" }).to_string();
        let refused = world.call("PATCH", "/api/settings", &body).await;
        assert_eq!(refused.status, 422, "{}", refused.rendered());
        assert_eq!(refused.json()["errors"][0]["pointer"], "/timeZone", "{}", refused.rendered());
        let why =
            format!("there is no time zone `{name}`: give an IANA name such as Europe/Berlin");
        assert!(refused.body.contains(&why), "{}", refused.rendered());
    }
    let settings = world.get("/api/settings").await.json();
    assert_eq!((&settings["timeZone"], &settings["dateOrder"]), (&Value::Null, &Value::Null));
}

/// A rule about whole days has no time of its own.
#[tokio::test]
async fn what_has_a_day_and_no_time_is_due_when_the_day_starts() {
    let world = World::new();
    let daily = work(&world, "FREQ=DAILY").await;
    let set = async |time: Value| {
        let body = json!({ "dayStarts": time }).to_string();
        let changed = world.call("PATCH", "/api/settings", &body).await;
        assert_eq!(changed.status, 200, "{}", changed.rendered());
        changed.json()["dayStarts"].clone()
    };
    assert_eq!(next(&world, &daily).await, "2026-03-03T08:00:00Z");
    assert_eq!(set(json!("6:30")).await, "06:30");
    assert_eq!(world.get("/api/settings").await.json()["dayStarts"], "06:30");
    assert_eq!(next(&world, &daily).await, "2026-03-03T06:30:00Z");
    change(&world, json!("Asia/Tokyo")).await;
    assert_eq!(next(&world, &daily).await, "2026-03-02T21:30:00Z", "by the clock of the workspace");
    change(&world, Value::Null).await;
    assert_eq!(set(Value::Null).await, "08:00");
    assert_eq!(next(&world, &daily).await, "2026-03-03T08:00:00Z");
    let body = json!({ "dayStarts": "early", "timeZone": "Asia/Tokyo" }).to_string();
    let refused = world.call("PATCH", "/api/settings", &body).await;
    assert_eq!(refused.json()["errors"][0]["pointer"], "/dayStarts", "{}", refused.rendered());
    assert!(refused.body.contains("`early` is no time of day"), "{}", refused.rendered());
    assert_eq!(world.get("/api/settings").await.json()["timeZone"], Value::Null);
}

#[tokio::test]
async fn a_due_date_draws_near_by_the_clock_of_the_new_zone() {
    let world = World::new();
    let task = world.task(r#"{"title": "Tax return", "dueOn": "2026-03-10"}"#).await;
    let agent = world.call("POST", &format!("/api/journal/tasks/{task}/agent"), "{}").await;
    assert_eq!(agent.status, 201, "{}", agent.rendered());
    world.drain_all().await;
    let path = format!("/api/agents/{}", agent.json()["id"].as_str().expect("an id"));
    let near = async || world.get(&path).await.json()["nextWakeAt"].clone();
    assert_eq!(near().await, "2026-03-09T09:00:00Z");
    change(&world, json!("Asia/Tokyo")).await;
    assert_eq!(near().await, "2026-03-09T00:00:00Z");
    // On the morning before in Kiritimati it is the evening of the day before that in UTC.
    world.later(6 * 86_400 + 11 * 3600);
    change(&world, json!("Pacific/Kiritimati")).await;
    assert_eq!(near().await, "2026-03-08T20:00:00Z", "what the clock moved past is near now");
}
