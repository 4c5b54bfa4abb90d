//! Sessions about templates over HTTP: what the rules propose, what is refused, what is approved.

use serde_json::{Value, json};

use crate::templates::made;
use crate::world::World;

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

/// A template whose agent proposed six checklist items, all of which were rejected: its path.
pub async fn disliked(world: &World) -> String {
    let path = made(world, "Shipwright").await;
    let notes = [
        "buy a tap",
        "call the smith",
        "paint the door",
        "sell the boat",
        "mend the net",
        "order planks",
    ];
    let note = notes.map(|note| format!("TODO: {note}")).join("\n");
    let task = world.task(&json!({ "title": "Ship", "note": note }).to_string()).await;
    let agent = world.call("POST", &format!("/api/journal/tasks/{task}/agent"), "{}").await.json();
    let id = path.rsplit('/').next().unwrap_or_default();
    let assign = json!({ "templateId": id }).to_string();
    world.call("PATCH", &format!("/api/agents/{}", text(&agent["id"])), &assign).await;
    world.drain(&task).await;
    let sets = world.get(&format!("/api/change-sets?task={task}")).await.json();
    let items = sets["items"][0]["items"].as_array().expect("proposals").clone();
    assert_eq!(items.len(), 6, "{items:?}");
    for item in items {
        let (set, index) = (text(&item["set"]), &item["index"]);
        let verdict = json!({ "digest": item["digest"] }).to_string();
        let path = format!("/api/change-sets/{set}/items/{index}/reject");
        let rejected = world.call("POST", &path, &verdict).await;
        assert_eq!(rejected.status, 200, "{}", rejected.rendered());
    }
    path
}

/// Calls every operation on sessions with success.
pub async fn everything(world: &World) {
    let path = disliked(world).await;
    let root = format!("{path}/evolution");
    world.call("POST", &root, "{}").await;
    world.drain_all().await;
    world.get(&root).await;
    world.call("POST", &format!("{root}/messages"), r#"{"message": "Why?"}"#).await;
    world.call("POST", &format!("{root}/cancel"), "").await;
    world.call("POST", &format!("{root}/approve"), r#"{"proposal": 1, "baseVersion": 1}"#).await;
    world.call("POST", &root, r#"{"message": "Anything else?"}"#).await;
    world.call("POST", &format!("{root}/abandon"), "").await;
    let all = world.get(&format!("{root}/sessions?limit=1")).await.json();
    world.get(&format!("{root}/sessions/{}", text(&all["items"][0]["id"]))).await;
    let other = disliked(world).await;
    world.call("POST", &format!("{other}/evolution"), "{}").await;
    world.drain_all().await;
    world.call("POST", &format!("{other}/evolution/reject"), r#"{"reason": "no"}"#).await;
}

/// A session about some template that goes on: the ids of both.
pub async fn begun(world: &World) -> (String, String) {
    let path = made(world, "Pirate").await;
    let session = world.call("POST", &format!("{path}/evolution"), "{}").await.json();
    (path.replace("/api/templates/", ""), text(&session["session"]["id"]))
}

#[tokio::test]
async fn the_rules_propose_to_leave_out_what_is_always_rejected() {
    let world = World::new();
    let path = disliked(&world).await;
    let root = format!("{path}/evolution");
    let started = world.call("POST", &root, "{}").await;
    let session = started.json()["session"].clone();
    let url = format!("{root}/sessions/{}", text(&session["id"]));
    assert_eq!((started.status, started.header("location")), (201, Some(url.as_str())));
    let wanted = json!({
        "id": session["id"],
        "templateId": path.rsplit('/').next(),
        "n": 1,
        "status": "active",
        "baseVersion": 1,
        "isAnswering": true,
        "nMessages": 0,
        "nProposals": 0,
        "proposal": null,
        "newVersion": null,
        "startedBy": "owner",
        "createdAt": session["createdAt"],
        "updatedAt": session["createdAt"],
        "endedAt": null,
    });
    assert_eq!(session, wanted);
    world.drain_all().await;
    let detail = world.get(&root).await.json();
    let proposal = &detail["session"]["proposal"];
    assert_eq!(
        proposal["generalDirective"],
        "Talk like a pirate.\n\nNever propose checklist items."
    );
    let rationale = "In the last 90 days 6 of 6 proposals of checklist items were rejected. Nothing else is changed.";
    assert_eq!(proposal["rationale"], rationale);
    assert_eq!(detail["session"]["isAnswering"], false);
    let roles: Vec<_> = detail["messages"].as_array().expect("lines").iter().collect();
    let roles: Vec<_> = roles.iter().map(|line| text(&line["role"])).collect();
    assert_eq!(roles, ["model", "proposal"]);
    let second = world.call("POST", &root, "{}").await;
    assert_eq!((second.status, &second.json()["session"]), (409, &session["id"]));
    assert_eq!(second.json()["type"], "/problems/evolution-active");
    let approve = async |proposal: i64, base: i64| {
        let body = json!({ "proposal": proposal, "baseVersion": base }).to_string();
        world.call("POST", &format!("{root}/approve"), &body).await
    };
    assert_eq!(approve(1, 2).await.status, 412);
    assert_eq!(approve(2, 1).await.json()["type"], "/problems/template-state");
    assert_eq!(world.get(&format!("{path}/versions/1")).await.json()["status"], "active");
    let approved = approve(1, 1).await;
    assert_eq!((approved.status, approved.header("etag")), (200, Some("\"2\"")));
    assert_eq!(approved.json()["version"]["authoredBy"], "evolution");
    assert_eq!(approved.json()["version"]["version"], 2);
    let ended = world.get(&url).await.json();
    assert_eq!(
        (&ended["session"]["status"], &ended["session"]["newVersion"]),
        (&json!("completed"), &json!(2))
    );
    assert_eq!(world.get(&root).await.status, 404);
    // What was proposed is in force, so there is nothing more to propose.
    world.call("POST", &root, "{}").await;
    world.drain_all().await;
    let again = world.get(&root).await.json();
    assert_eq!(again["session"]["proposal"], Value::Null);
    let said = text(&again["messages"][0]["text"]);
    assert!(said.starts_with("There is nothing to change yet: 6 proposals were decided"), "{said}");
}

#[tokio::test]
async fn what_is_refused_names_its_place() {
    let world = World::new();
    let path = made(&world, "Pirate").await;
    let root = format!("{path}/evolution");
    let refused = async |path: &str, body: &str| {
        let answer = world.call("POST", &format!("{root}{path}"), body).await;
        (answer.status, text(&answer.json()["type"]), answer.json())
    };
    let none = refused("/messages", r#"{"message": "Hi."}"#).await;
    assert_eq!((none.0, none.1.as_str()), (404, "/problems/not-found"));
    let (status, _, body) = refused("", r#"{"message": " "}"#).await;
    assert_eq!((status, &body["errors"][0]["pointer"]), (422, &json!("/message")));
    world.call("POST", &root, "{}").await;
    let long = json!({ "message": "x".repeat(8 * 1024 + 1) }).to_string();
    let (status, kind, _) = refused("/messages", &long).await;
    assert_eq!((status, kind.as_str()), (422, "/problems/validation-failed"));
    let (status, kind, _) = refused("/reject", "{}").await;
    assert_eq!((status, kind.as_str()), (409, "/problems/template-state"));
    let (status, _, _) = refused("/approve", r#"{"proposal": 1}"#).await;
    assert_eq!(status, 422, "an approval names the version it was compared with");
    let other = made(&world, "Captain").await;
    let all = world.get(&format!("{root}/sessions")).await.json();
    let session = text(&all["items"][0]["id"]);
    let foreign = world.get(&format!("{other}/evolution/sessions/{session}")).await;
    assert_eq!(foreign.status, 404);
}
