//! Who may do what: every operation of the document with every token, and with the ids of another
//! workspace. A new route is tried by being described.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use dormouse::{Caller, NewToken};
use dormouse_server::{AllowedHosts, Authenticator, Hardening};
use dormouse_types::caller::Actor;
use dormouse_types::{Scope, TokenKind, WorkspaceId};
use serde_json::{Value, json};

use crate::contract::{CONTRACT, Operation, filled};
use crate::world::{Answer, Still, World, answer};

/// What a token must hold for an operation: a scope, `any` for every token, none without a token.
fn needed(operation: &Operation) -> Option<&str> {
    operation.says["x-scope"].as_str()
}

/// A model of a provider that was not added.
const MODEL: &str = "nobody/small";

/// A request that is well formed: with every required parameter, and a body that fits its schema.
fn request(operation: &Operation, path: &str, token: Option<&str>) -> Request<Body> {
    let required = operation.says["parameters"].as_array().into_iter().flatten();
    let required = required.filter(|one| one["in"] == "query" && one["required"] == true);
    let holder = filled("{task}");
    let value = |name: &str| match name {
        "model" => MODEL.to_owned(),
        "holder" => holder.clone(),
        "format" => "chatCompletions".to_owned(),
        "isOwn" => "true".to_owned(),
        _ => "x".to_owned(),
    };
    let query: Vec<String> = required
        .map(|one| one["name"].as_str().unwrap_or_default())
        .map(|name| format!("{name}={}", value(name)))
        .collect();
    // It is about one of several things, and a model alone is one of them.
    let model = (operation.id == "askAboutModel").then(|| format!("model={MODEL}"));
    let query: Vec<String> = query.into_iter().chain(model).collect();
    let mark = if query.is_empty() { "" } else { "?" };
    let uri = format!("{path}{mark}{}", query.join("&"));
    let mut request = Request::builder().method(operation.method.as_str()).uri(uri);
    request = request.header("host", "localhost").header("origin", "http://localhost");
    if let Some(token) = token {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    let content = operation.says["requestBody"]["content"].as_object();
    let Some((kind, content)) = content.and_then(|all| all.iter().next()) else {
        return request.body(Body::empty()).expect("a request");
    };
    let body = match kind.as_str() {
        // Nobody makes a token that may do more than they.
        "application/json" if operation.id == "createToken" => {
            json!({"name": "Test", "scopes": ["admin"]}).to_string()
        }
        "application/json" if ["testModel", "useModel"].contains(&operation.id.as_str()) => {
            json!({ "model": MODEL }).to_string()
        }
        "application/json" if operation.id == "setModelWindow" => {
            json!({ "model": MODEL, "window": null }).to_string()
        }
        "application/json" if operation.id == "setProviderCategories" => {
            json!({ "categories": null }).to_string()
        }
        "application/json" if operation.id == "forgetModel" => {
            json!({ "model": "nobody/any" }).to_string()
        }
        "application/json" if operation.id == "setModelPrice" => {
            json!({ "model": "nobody/any", "price": null }).to_string()
        }
        "application/json" if operation.id == "setModelWindow" => {
            json!({ "model": "nobody/any", "window": null }).to_string()
        }
        "application/json"
            if ["createWork", "createDebugTask"].contains(&operation.id.as_str()) =>
        {
            json!({ "title": "x", "instructions": "x" }).to_string()
        }
        "application/json" if operation.id == "createTask" => json!({ "title": "x" }).to_string(),
        "application/json" if operation.id == "moveWorkOccurrence" => {
            json!({ "to": "2031-03-03 11:00" }).to_string()
        }
        "application/json" if operation.id == "suspendWork" => {
            json!({ "until": "2031-03-03" }).to_string()
        }
        "application/json" if operation.id == "readWorkInstruction" => {
            json!({ "text": "every day at 7 tell me what is due" }).to_string()
        }
        "application/json" if operation.id == "tryWork" => {
            json!({ "parameters": { "kind": "agenda" } }).to_string()
        }
        "application/json" if operation.id == "allowOnceMore" => {
            json!({ "agentId": filled("{agent}") }).to_string()
        }
        "application/json" if operation.id == "addRule" => {
            json!({ "holder": filled("{task}"), "tool": "set_task_title" }).to_string()
        }
        json if json.ends_with("json") => example(&content["schema"]).to_string(),
        _ => "# Something\n".to_owned(),
    };
    request.header("content-type", kind).body(Body::from(body)).expect("a request")
}

/// The smallest value that fits a schema.
fn example(schema: &Value) -> Value {
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        return example(&CONTRACT.document["components"]["schemas"][name]);
    }
    for several in ["oneOf", "anyOf", "allOf"] {
        if let Some(first) = schema[several].as_array().and_then(|all| all.first()) {
            return example(first);
        }
    }
    if let Some(first) = schema["enum"].as_array().and_then(|all| all.first()) {
        return first.clone();
    }
    let kind = schema["type"].as_str().or_else(|| schema["type"][0].as_str());
    match kind.unwrap_or("object") {
        "object" => {
            let required = schema["required"].as_array().into_iter().flatten();
            let names = required.filter_map(Value::as_str);
            names.map(|name| (name.to_owned(), example(&schema["properties"][name]))).collect()
        }
        "array" => json!([example(&schema["items"])]),
        "integer" | "number" => schema["minimum"].as_i64().unwrap_or(1).into(),
        "boolean" => json!(true),
        _ => json!(text(schema)),
    }
}

/// A text of the shape that a schema asks for.
fn text(schema: &Value) -> String {
    let pattern = schema["pattern"].as_str().unwrap_or_default();
    match (pattern.split_once("-["), schema["format"].as_str()) {
        (Some((prefix, _)), _) => format!("{}-{}", &prefix[1..], "0".repeat(26)),
        (None, _) if pattern.contains("{64}") => "0".repeat(64),
        (None, Some("date")) => "2026-03-02".to_owned(),
        (None, Some("date-time")) => "2026-03-02T09:00:00Z".to_owned(),
        (None, _) => "x".to_owned(),
    }
}

/// The API with authentication.
pub fn listener(world: &World) -> Router {
    let hardening = Hardening::new(AllowedHosts::new(80, None), Arc::new(Still));
    let authenticator = Authenticator::new("the owner's", Arc::new(Still));
    dormouse_server::listener(world.dormouse(), authenticator, &hardening)
}

async fn token(world: &World, workspace: i64, kind: TokenKind, scopes: &[Scope]) -> String {
    let new =
        NewToken { name: "Test".to_owned(), kind, scopes: scopes.to_vec(), expires_in_days: None };
    let owner = Caller::owner(WorkspaceId(workspace));
    world.dormouse().create_token(&owner, new).await.expect("a token").token.0
}

fn slug(answer: &Answer) -> String {
    match serde_json::from_str::<Value>(&answer.body) {
        Ok(body) => body["type"].as_str().unwrap_or_default().replace("/problems/", ""),
        Err(_) => String::new(),
    }
}

/// Compares an answer with what a token with these scopes is to get.
fn check(operation: &Operation, scopes: &[Scope], answer: &Answer) {
    let shown = || format!("{} with {scopes:?}: {}", operation.id, answer.rendered());
    let may = match needed(operation) {
        None | Some("any") => true,
        Some(name) => scopes.iter().any(|scope| scope.name() == name),
    };
    if may {
        // It was looked for, whatever was found: ids of the table name nothing.
        let refused = ["token-missing", "scope-missing", "validation-failed", "malformed-json"];
        assert!(!refused.contains(&slug(answer).as_str()), "{}", shown());
        assert!(answer.status < 500 && answer.status != 415, "{}", shown());
    } else {
        assert_eq!((answer.status, slug(answer).as_str()), (403, "scope-missing"), "{}", shown());
        let scope = needed(operation).unwrap_or_default();
        assert!(answer.body.contains(&format!("`{scope}`")), "{}", shown());
    }
}

#[tokio::test]
async fn every_operation_asks_for_its_scope_and_for_no_other() {
    let world = World::new();
    // Agent work needs a model that reads instructions.
    world.call("POST", "/api/models/use", r#"{"model": "acme/scripted"}"#).await;
    let router = listener(&world);
    let mut sets: Vec<Vec<Scope>> = Scope::ALL.iter().map(|scope| vec![*scope]).collect();
    sets.push(Scope::ALL.to_vec());
    let mut seen = [0, 0];
    for scopes in &sets {
        let token = token(&world, 1, TokenKind::Person, scopes).await;
        for operation in &CONTRACT.operations {
            let request = request(operation, &filled(&operation.path), Some(&token));
            let answer = answer(&router, request).await;
            check(operation, scopes, &answer);
            seen[usize::from(answer.status == 403)] += 1;
        }
    }
    assert!(seen.iter().all(|n| *n > CONTRACT.operations.len()), "{seen:?}");
}

#[tokio::test]
async fn a_token_without_scopes_may_ask_who_it_is_and_no_more() {
    let world = World::new();
    let nobody = Caller {
        workspace: WorkspaceId(1),
        actor: Actor::Token("nobody".to_owned()),
        scopes: Vec::new(),
        kind: TokenKind::Person,
    };
    let router = dormouse_server::router(world.dormouse(), nobody);
    for operation in &CONTRACT.operations {
        let request = request(operation, &filled(&operation.path), None);
        check(operation, &[], &answer(&router, request).await);
    }
}

#[tokio::test]
async fn without_a_token_nothing_answers_but_what_speaks_for_itself() {
    let world = World::new();
    let router = listener(&world);
    let mut open = Vec::new();
    for operation in &CONTRACT.operations {
        let answer = answer(&router, request(operation, &filled(&operation.path), None)).await;
        if needed(operation).is_none() {
            assert_eq!(operation.says["security"], json!([]), "{}", operation.id);
            assert_ne!(slug(&answer), "token-missing", "{}", answer.rendered());
            open.push(operation.id.as_str());
        } else {
            let shown = format!("{}: {}", operation.id, answer.rendered());
            assert_eq!((answer.status, slug(&answer).as_str()), (401, "token-missing"), "{shown}");
            assert_eq!(answer.header("www-authenticate"), Some("Bearer"), "{shown}");
        }
    }
    open.retain(|id| *id != "openSocket");
    assert_eq!(
        open,
        ["exchangeCode", "callHook"],
        "an operation that needs no token is one to think about"
    );
}

#[tokio::test]
async fn an_agents_token_never_decides() {
    let world = World::new();
    // Agent work needs a model that reads instructions.
    world.call("POST", "/api/models/use", r#"{"model": "acme/scripted"}"#).await;
    let router = listener(&world);
    for kind in [TokenKind::Agent, TokenKind::Mcp] {
        let scopes = [Scope::Read, Scope::Propose, Scope::Edit];
        let token = token(&world, 1, kind, &scopes).await;
        for operation in &CONTRACT.operations {
            let request = request(operation, &filled(&operation.path), Some(&token));
            check(operation, &scopes, &answer(&router, request).await);
        }
    }
}

/// The first workspace with something of each kind, and the ids for path parameters.
async fn populated(world: &World) -> Vec<(&'static str, String)> {
    let note = r#"{"title": "Water butt", "note": "TODO: buy a tap", "items": ["sand"]}"#;
    let task = world.task(note).await;
    let other = world.task(r#"{"title": "Other"}"#).await;
    let path = format!("/api/journal/tasks/{task}");
    world.call("POST", &format!("{path}/labels"), r#"{"name": "garden"}"#).await;
    let link = json!({"kind": "blocks", "to": other}).to_string();
    let linked = world.call("POST", &format!("{path}/links"), &link).await.json();
    let agent = world.call("POST", &format!("{path}/agent"), "{}").await.json();
    world.drain(&task).await;
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let agent = text(&agent["id"]);
    let whole = world.get(&path).await.json();
    let wakes = world.get(&format!("/api/agents/{agent}/wakes")).await.json();
    let sets = world.get("/api/change-sets").await.json();
    let body = r#"{"name": "First", "scopes": ["read"]}"#;
    let token = world.call("POST", "/api/tokens", body).await.json();
    let (work, run, question) = crate::work::asking(world).await;
    let (_, made) = crate::hooks::waiting(world).await;
    let delivered = world.get("/api/deliveries").await.json();
    let (template, session) = crate::evolution::begun(world).await;
    let body = json!({ "holder": task, "tool": "set_task_title" }).to_string();
    let rule = text(&world.call("POST", "/api/rules", &body).await.json()["id"]);
    vec![
        ("{task}", task),
        ("{entry}", text(&whole["entries"][0]["id"])),
        ("{item}", text(&whole["items"][0]["id"])),
        ("{label}", text(&whole["labels"][0]["id"])),
        ("{link}", text(&linked["links"][0]["id"])),
        ("{agent}", agent),
        ("{runKey}", text(&wakes["items"][0]["runKey"])),
        ("{set}", text(&sets["items"][0]["id"])),
        ("{index}", sets["items"][0]["items"][0]["index"].to_string()),
        ("{verdict}", "confirm".to_owned()),
        ("{line}", "line-1".to_owned()),
        ("{token}", text(&token["details"]["id"])),
        ("{need}", format!("workQuestion:{run}")),
        ("{work}", work),
        ("{occurrence}", "2026-03-03T12:00:00".to_owned()),
        ("{run}", run),
        ("{question}", question),
        ("{delivery}", text(&delivered["items"][0]["id"])),
        ("{hook}", text(&made["hook"]["id"])),
        ("{template}", template),
        ("{session}", session),
        ("{rule}", rule),
        ("{tool}", "set_task_title".to_owned()),
        ("{n}", "1".to_owned()),
        ("{conversation}", crate::conversations::begun(world, "Tiles").await),
    ]
}

#[tokio::test]
async fn ids_of_another_workspace_name_nothing() {
    let world = World::new();
    let ids = populated(&world).await;
    let stranger = token(&world, 2, TokenKind::Person, Scope::ALL).await;
    let mut tried = 0;
    for operation in &CONTRACT.operations {
        // One listener would refuse so many requests at once.
        let router = listener(&world);
        let path =
            ids.iter().fold(operation.path.clone(), |path, (name, id)| path.replace(name, id));
        // A provider has the name that each workspace gives it; the address of a hook is known to its
        // callers, and needs no token.
        if path.contains("{name}") || operation.id == "callHook" {
            continue;
        }
        assert!(!path.contains('{'), "{path}: say in `populated` which id to use");
        let found = answer(&router, request(operation, &path, Some(&stranger))).await;
        for (name, id) in &ids {
            // A response about a missing id repeats it.
            let leaks = found.body.contains(id.as_str()) && !path.contains(id.as_str());
            assert!(id.len() < 20 || !leaks, "{}: {name}: {}", operation.id, found.rendered());
        }
        if path == operation.path {
            continue;
        }
        tried += 1;
        assert_eq!(
            (found.status, &*slug(&found)),
            (404, "not-found"),
            "{path}: {}",
            found.rendered()
        );
        let nothing = filled(&operation.path);
        let absent = answer(&router, request(operation, &nothing, Some(&stranger))).await;
        // What is there in another workspace is answered as what is nowhere.
        let zeros = "0".repeat(26);
        let masked =
            ids.iter().filter(|(_, id)| id.len() > 20).fold(found.body, |body, (_, id)| {
                let absent = match id.split_once('-') {
                    Some((prefix, _)) => format!("{prefix}-{zeros}"),
                    None => "0".repeat(64),
                };
                body.replace(id.as_str(), &absent)
            });
        assert_eq!(masked, absent.body, "{}", operation.id);
    }
    assert!(tried > 30, "{tried} operations have ids");
    let exports = ["/api/export?task=", "/api/export?format=csv&task=", "/api/export/losses?task="];
    let router = listener(&world);
    for path in ["/api/change-sets?task="].into_iter().chain(exports) {
        let path = format!("{path}{}", ids[0].1);
        let request = Request::get(path).header("host", "localhost");
        let request = request.header("authorization", format!("Bearer {stranger}"));
        let found = answer(&router, request.body(Body::empty()).expect("a request")).await;
        assert_eq!(slug(&found), "not-found", "{}", found.rendered());
    }
}
