//! What texts are understood as, over HTTP. The clock shows Monday, 2026-03-02, 09:00 UTC.

use serde_json::{Value, json};

use crate::world::World;

#[tokio::test]
async fn a_date_is_answered_whole() {
    let world = World::new();
    let answer = world.get("/api/dates?text=fri%20at%203").await;
    assert_eq!(answer.status, 200, "{}", answer.rendered());
    let expected = json!({
        "text": "fri at 3", "role": "mention", "day": "2026-03-06", "endDay": null, "time": "15:00",
        "endTime": null, "zone": null, "at": "2026-03-06T15:00:00Z", "repeats": null,
        "assumed": [{"kind": "hour", "value": "15:00"}],
    });
    assert_eq!(answer.json(), expected);
}

#[tokio::test]
async fn dates_are_read_in_the_order_and_the_language_of_the_reader() {
    let world = World::new();
    for (query, day) in [
        ("text=3/4", "2026-04-03"),
        ("text=3/4&dayOrder=dayFirst", "2026-04-03"),
        ("text=3/4&dayOrder=monthFirst", "2026-03-04"),
    ] {
        assert_eq!(world.get(&format!("/api/dates?{query}")).await.json()["day"], day, "{query}");
    }
    let german = world.get("/api/dates?text=10.%20Dezember%202026&lang=de-AT").await;
    assert_eq!(german.json()["day"], "2026-12-10", "{}", german.rendered());
    let wrong = world.get("/api/dates?text=3/4&dayOrder=yearFirst").await;
    assert_eq!(wrong.json()["errors"][0]["pointer"], "?dayOrder", "{}", wrong.rendered());
}

#[tokio::test]
async fn the_order_that_is_chosen_for_the_workspace_holds_where_a_request_names_none() {
    let world = World::new();
    let settings = |order: Value| json!({ "dateOrder": order, "timeZone": null, "defaultTimeZone": "UTC", "dayStarts": "08:00" });
    let change = async |order: Value| {
        let body = json!({ "dateOrder": order }).to_string();
        world.call("PATCH", "/api/settings", &body).await
    };
    assert_eq!(world.get("/api/settings").await.json(), settings(json!(null)));
    let month_first = settings(json!("monthFirst"));
    let changed = change(json!("monthFirst")).await;
    assert_eq!(changed.json(), month_first, "{}", changed.rendered());
    assert_eq!(world.get("/api/settings").await.json(), month_first);
    for (query, day) in [
        ("dates?text=3/4", json!("2026-03-04")),
        ("dates?text=3/4&dayOrder=dayFirst", json!("2026-04-03")),
    ] {
        assert_eq!(world.get(&format!("/api/{query}")).await.json()["day"], day, "{query}");
    }
    let line = world.get("/api/quick-add?text=Call%20by%203/4").await.json();
    assert_eq!(line["dueOn"], "2026-03-04");
    let schedule = world.get("/api/schedules?text=every%20day%20from%203/4").await.json();
    assert!(schedule.to_string().contains("2026-03-04"), "{schedule:#}");
    let nothing = world.call("PATCH", "/api/settings", "{}").await;
    assert_eq!(nothing.json(), month_first, "{}", nothing.rendered());
    change(json!(null)).await;
    assert_eq!(world.get("/api/dates?text=3/4").await.json()["day"], "2026-04-03");
    let wrong = change(json!("yearFirst")).await;
    assert_eq!(wrong.json()["errors"][0]["pointer"], "/dateOrder", "{}", wrong.rendered());
}

#[tokio::test]
async fn what_is_no_date_is_a_problem_that_says_why() {
    let world = World::new();
    for (text, why, part) in [
        ("31.2.", "`31.2.` is not a day", Value::Null),
        ("soon", "`soon` is not understood", json!("soon")),
        ("friday%20or%20so", "`or so` is not part of a date", json!("or so")),
    ] {
        let refused = world.get(&format!("/api/dates?text={text}")).await;
        assert_eq!(refused.status, 422, "{}", refused.rendered());
        let problem = refused.json();
        assert_eq!(problem["type"], "/problems/date-not-understood");
        assert_eq!(problem["errors"][0]["pointer"], "?text");
        assert_eq!(problem["part"], part, "{problem:#}");
        assert!(problem["detail"].as_str().is_some_and(|it| it.contains(why)), "{problem:#}");
    }
    let missing = world.get("/api/dates").await;
    assert_eq!(missing.json()["type"], "/problems/validation-failed", "{}", missing.rendered());
}

#[tokio::test]
async fn a_line_is_answered_as_a_task_in_pieces() {
    let world = World::new();
    let line = "Call%20the%20bank%20fri%203pm%20%21p1%20%23finance%20%40Home";
    let read = world.get(&format!("/api/quick-add?text={line}")).await.json();
    let due = read["due"].clone();
    assert_eq!((&due["day"], &due["time"]), (&json!("2026-03-06"), &json!("15:00")));
    let mut rest = read.clone();
    rest["due"].take();
    let expected = json!({
        "title": "Call the bank", "dueOn": "2026-03-06", "due": null, "priority": "P1",
        "labels": ["finance"], "category": "Home", "note": "When: fri 3pm",
        "notADay": null,
        "parts": [
            {"text": "Call the bank ", "part": "title"},
            {"text": "fri 3pm", "part": "due"},
            {"text": " ", "part": "title"},
            {"text": "!p1", "part": "priority"},
            {"text": " ", "part": "title"},
            {"text": "#finance", "part": "label"},
            {"text": " ", "part": "title"},
            {"text": "@Home", "part": "category"},
        ],
    });
    assert_eq!(rest, expected);
    let february = world.get("/api/quick-add?text=Call%20by%2031.2.").await.json();
    let said = (&february["title"], &february["notADay"], &february["dueOn"]);
    assert_eq!(said, (&json!("Call by 31.2."), &json!("by 31.2."), &json!(null)));
    let plain = world.get("/api/quick-add?text=").await.json();
    assert_eq!((&plain["title"], &plain["parts"]), (&json!(""), &json!([])));
}
