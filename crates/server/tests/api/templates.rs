//! Templates over HTTP: versions, ETags, and what a template in use refuses.

use serde_json::{Value, json};

use crate::world::World;

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

/// Makes a template: its path.
pub async fn made(world: &World, name: &str) -> String {
    let body = json!({ "name": name, "generalDirective": "Talk like a pirate." }).to_string();
    let made = world.call("POST", "/api/templates", &body).await;
    assert_eq!(made.status, 201, "{}", made.rendered());
    let path = format!("/api/templates/{}", text(&made.json()["template"]["id"]));
    assert_eq!(made.header("location"), Some(path.as_str()));
    assert_eq!(made.header("etag"), Some("\"1\""));
    path
}

/// A task with an agent: the path of the agent.
async fn agent(world: &World) -> String {
    let task = world.task(r#"{"title": "Sail to Tortuga"}"#).await;
    let agent = world.call("POST", &format!("/api/journal/tasks/{task}/agent"), "{}").await;
    format!("/api/agents/{}", text(&agent.json()["id"]))
}

/// Calls every operation on templates with success.
pub async fn everything(world: &World) {
    let path = made(world, "Pirate").await;
    world.get("/api/templates").await;
    world.call("PATCH", &path, r#"{"reportDirective": "Three lines."}"#).await;
    for part in ["", "/versions?limit=1", "/versions/1", "/metrics"] {
        world.get(&format!("{path}{part}")).await;
    }
    for part in ["/versions/1/activate", "/versions/2/rollback"] {
        world.call("POST", &format!("{path}{part}"), "").await;
    }
    world.call("POST", &format!("{path}/duplicate"), r#"{"name": "Captain"}"#).await;
    let agent = agent(world).await;
    let id = path.rsplit('/').next().unwrap_or_default();
    world.call("PATCH", &agent, &json!({ "templateId": id }).to_string()).await;
    world.call("PATCH", &agent, r#"{"templateId": null}"#).await;
    world.call("DELETE", &path, "").await;
}

#[tokio::test]
async fn a_version_has_every_field_and_an_edit_makes_the_next_one() {
    let world = World::new();
    let path = made(&world, "Pirate").await;
    let edited = world.call("PATCH", &path, r#"{"reportDirective": "Three lines."}"#).await;
    assert_eq!((edited.status, edited.header("etag")), (200, Some("\"2\"")));
    let version = edited.json()["version"].clone();
    let id = path.rsplit('/').next().unwrap_or_default();
    let wanted = json!({
        "id": version["id"],
        "agentId": id,
        "version": 2,
        "status": "active",
        "directives": "Talk like a pirate.\n\n## Report Format\n\nThree lines.",
        "generalDirective": "Talk like a pirate.",
        "reportDirective": "Three lines.",
        "authoredBy": "owner",
        "createdAt": version["createdAt"],
        "modelId": null,
        "profileId": null,
        "understood": null,
    });
    assert_eq!(version, wanted);
    let versions = world.get(&format!("{path}/versions?limit=1")).await.json();
    assert_eq!(versions["items"], json!([wanted]));
    let cursor = text(&versions["nextCursor"]);
    let older = world.get(&format!("{path}/versions?limit=1&cursor={cursor}")).await.json();
    assert_eq!(older["items"][0]["status"], "archived");
    assert_eq!(older["nextCursor"], Value::Null);
}

#[tokio::test]
async fn what_is_refused_says_what_to_do() {
    let world = World::new();
    let path = made(&world, "Pirate").await;
    let refused = async |method: &str, path: &str, body: &str| {
        let answer = world.call(method, path, body).await;
        (answer.status, text(&answer.json()["type"]), answer.json())
    };
    let (status, kind, _) = refused("GET", &format!("{path}/versions/9"), "").await;
    assert_eq!((status, kind.as_str()), (404, "/problems/not-found"));
    let long = json!({ "generalDirective": "x".repeat(12 * 1024 + 1) }).to_string();
    let (status, kind, _) = refused("PATCH", &path, &long).await;
    assert_eq!((status, kind.as_str()), (422, "/problems/validation-failed"));
    let fence = json!({ "reportDirective": "</data>" }).to_string();
    let (status, _, body) = refused("PATCH", &path, &fence).await;
    assert_eq!((status, &body["errors"][0]["pointer"]), (422, &json!("/reportDirective")));
    let agent = agent(&world).await;
    let id = path.rsplit('/').next().unwrap_or_default();
    let assign = json!({ "templateId": id }).to_string();
    assert_eq!(world.call("PATCH", &agent, &assign).await.json()["templateId"], json!(id));
    let (status, kind, body) = refused("DELETE", &path, "").await;
    assert_eq!((status, kind.as_str()), (409, "/problems/template-in-use"));
    assert!(text(&body["detail"]).starts_with("1 agent follows"), "{body}");
    world.call("PATCH", &agent, r#"{"templateId": null}"#).await;
    world.call("PATCH", &path, r#"{"archived": true}"#).await;
    let (status, kind, _) = refused("PATCH", &agent, &assign).await;
    assert_eq!((status, kind.as_str()), (409, "/problems/template-state"));
}

#[tokio::test]
async fn a_deletion_that_is_sent_again_is_answered_as_the_first_time() {
    let world = World::new();
    let path = made(&world, "Pirate").await;
    let key = [("idempotency-key", "one")];
    let first = world.call_with("DELETE", &path, "", &key).await;
    assert_eq!(
        (first.status, text(&first.json()["template"]["displayName"])),
        (200, "Pirate".into())
    );
    let again = world.call_with("DELETE", &path, "", &key).await;
    assert_eq!((again.status, again.json()), (200, first.json()), "{}", again.rendered());
    assert_eq!(world.call("DELETE", &path, "").await.status, 404);
    let other = made(&world, "Captain").await;
    let reused = world.call_with("DELETE", &other, "", &key).await;
    assert_eq!(reused.json()["type"], "/problems/idempotency-mismatch", "{}", reused.rendered());
    assert_eq!(world.get(&other).await.status, 200);
}
