//! Hooks over HTTP: made by a person, called by programs that have no token.

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dormouse_types::limits;
use ring::hmac;
use serde_json::{Value, json};

use crate::scopes::listener;
use crate::world::{Answer, World, answer};

/// What the clock of the world shows.
const NOW: i64 = 1_772_442_000;

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

fn signature(secret: &str, message: &str) -> String {
    let key = STANDARD.decode(secret.strip_prefix("whsec_").expect("a secret")).expect("base64");
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &key), message.as_bytes());
    STANDARD.encode(tag.as_ref())
}

/// Work that waits for calls: its id, the path of its hook, and the secret.
pub async fn waiting(world: &World) -> (String, Value) {
    let body = r#"{"title": "Mail", "instructions": "Read it.", "model": "acme/scripted",
        "waitsForCalls": true}"#;
    let work = text(&world.call("POST", "/api/tasks", body).await.json()["id"]);
    let path = format!("/api/tasks/{work}/hooks");
    let made = world.call("POST", &path, r#"{"name": "Mail server"}"#).await;
    assert_eq!(made.status, 201, "{}", made.rendered());
    (work, made.json())
}

fn call(path: &str, id: &str, at: i64, secret: &str, body: &str) -> Request<Body> {
    Request::post(path)
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("webhook-id", id)
        .header("webhook-timestamp", at.to_string())
        .header(
            "webhook-signature",
            format!("v1,{}", signature(secret, &format!("{id}.{at}.{body}"))),
        )
        .body(Body::from(body.to_owned()))
        .expect("a request")
}

/// Calls every operation on hooks with success.
pub async fn everything(world: &World) {
    let (work, made) = waiting(world).await;
    let (hook, secret) = (text(&made["hook"]["id"]), text(&made["secret"]));
    world.get(&format!("/api/tasks/{work}/hooks")).await;
    for _ in 0..2 {
        world.send(call(&format!("/api/hooks/{hook}"), "msg_1", NOW, &secret, "{}")).await;
    }
    let path = format!("/api/tasks/{work}/hooks/{hook}");
    world.call("POST", &format!("{path}/rotate"), r#"{"endOld": true}"#).await;
    world.call("DELETE", &path, "").await;
}

async fn sent(router: &Router, request: Request<Body>) -> Answer {
    answer(router, request).await
}

#[tokio::test]
async fn a_program_without_a_token_starts_a_run_by_a_signed_call() {
    let world = World::new();
    let (work, made) = waiting(&world).await;
    let (path, secret) = (text(&made["hook"]["path"]), text(&made["secret"]));
    let router = listener(&world);
    let first = sent(&router, call(&path, "msg_1", NOW, &secret, r#"{"from": "Ana"}"#)).await;
    assert_eq!(first.status, 200, "{}", first.rendered());
    assert_eq!(first.json()["isRepeated"], false);
    let again = sent(&router, call(&path, "msg_1", NOW, &secret, r#"{"from": "Ana"}"#)).await;
    assert_eq!((again.status, &again.json()["runId"]), (200, &first.json()["runId"]));
    let other = sent(&router, call(&path, "msg_1", NOW, &secret, r#"{"from": "Eve"}"#)).await;
    assert_eq!(other.json()["type"], "/problems/delivery-changed", "{}", other.rendered());
    let forged = sent(&router, call(&path, "msg_2", NOW, "whsec_QUJD", "{}")).await;
    assert_eq!((forged.status, &forged.json()["type"]), (403, &json!("/problems/hook-refused")));
    let late = sent(&router, call(&path, "msg_2", NOW - 301, &secret, "{}")).await;
    assert_eq!(late.json()["type"], "/problems/hook-refused", "{}", late.rendered());
    let nowhere = sent(&router, call("/api/hooks/x", "msg_2", NOW, &secret, "{}")).await;
    assert_eq!(nowhere.status, 404, "{}", nowhere.rendered());
    let large = format!("\"{}\"", "x".repeat(limits::HOOK_BODY.max));
    let large = sent(&router, call(&path, "msg_2", NOW, &secret, &large)).await;
    assert_eq!(large.status, 413, "{}", large.rendered());
    world.call("PATCH", &format!("/api/tasks/{work}"), r#"{"action": "pause"}"#).await;
    let paused = sent(&router, call(&path, "msg_2", NOW, &secret, "{}")).await;
    assert_eq!(paused.json()["type"], "/problems/work-state", "{}", paused.rendered());

    let listed = world.get(&format!("/api/tasks/{work}/hooks")).await;
    assert!(!listed.body.contains("whsec"), "it is shown once: {}", listed.rendered());
    let hook = listed.json()["items"][0].clone();
    let run = world.get(&format!("/api/tasks/{work}")).await.json()["runs"][0].clone();
    assert_eq!((&run["startedBy"], &run["createdBy"]), (&json!("call"), &json!("scheduler")));
    let run = run["id"].clone();
    assert_eq!(hook["calls"][0]["runId"], run);
    assert_eq!(
        (&hook["calls"][0]["sender"], &hook["calls"][0]["bytes"]),
        (&json!("127.0.0.1"), &json!(15))
    );
    let hour = &hook["hours"][0];
    assert_eq!((&hour["started"], &hour["repeated"]), (&json!(1), &json!(1)));
    let refused = json!([
        { "why": "forged", "n": 1 }, { "why": "late", "n": 1 }, { "why": "altered", "n": 1 },
        { "why": "inactive", "n": 1 },
    ]);
    assert_eq!(hour["refused"], refused);
    assert_eq!(
        (&hour["lastRefusal"], &hour["lastSender"]),
        (&json!("inactive"), &json!("127.0.0.1"))
    );
}

#[tokio::test]
async fn a_call_passes_the_checks_of_every_request_and_has_a_rate() {
    let world = World::new();
    let (_, made) = waiting(&world).await;
    let (path, secret) = (text(&made["hook"]["path"]), text(&made["secret"]));
    let router = listener(&world);
    let with = |name: &'static str, value: &'static str| {
        let mut request = call(&path, "msg_1", NOW, &secret, "{}");
        request.headers_mut().insert(name, value.parse().expect("a value"));
        request
    };
    assert_eq!(sent(&router, with("host", "attacker.example")).await.status, 421);
    assert_eq!(sent(&router, with("origin", "https://attacker.example")).await.status, 403);
    let form = with("content-type", "application/x-www-form-urlencoded");
    assert_eq!(sent(&router, form).await.status, 200, "the sender chooses the kind of its body");
    let get = Request::get(&path).header("host", "localhost").body(Body::empty());
    assert_eq!(sent(&router, get.expect("a request")).await.status, 405);
    let mut last = 0;
    for _ in 0..=limits::REQUESTS_AT_ONCE {
        last = sent(&router, call("/api/hooks/x", "msg_1", NOW, &secret, "{}")).await.status;
    }
    assert_eq!(last, 429, "an address that guesses is slowed down before anything is read");
}

#[tokio::test]
async fn only_a_hook_that_can_work_is_made() {
    let world = World::new();
    let (work, made) = waiting(&world).await;
    let path = format!("/api/tasks/{work}/hooks");
    for (body, pointer) in [
        (r#"{"name": "x", "form": "other"}"#, "/form"),
        (r#"{"name": "x", "secret": "whsec_short"}"#, "/secret"),
    ] {
        let refused = world.call("POST", &path, body).await;
        assert_eq!(refused.json()["errors"][0]["pointer"], pointer, "{}", refused.rendered());
    }
    let given = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    let hook = text(&made["hook"]["id"]);
    let body = json!({ "secret": given }).to_string();
    let rotated = world.call("POST", &format!("{path}/{hook}/rotate"), &body).await.json();
    assert_eq!(rotated["secret"], given, "the sender made it");
    let secrets = rotated["hook"]["secrets"].as_array().expect("secrets");
    assert!(secrets[0]["expiresAt"].is_string() && secrets[1]["expiresAt"].is_null());
    assert_eq!(world.call("DELETE", &format!("{path}/{hook}"), "").await.status, 200);
    assert_eq!(world.call("DELETE", &format!("{path}/{hook}"), "").await.status, 404);
    assert_eq!(world.get(&path).await.json()["items"], json!([]));
}
