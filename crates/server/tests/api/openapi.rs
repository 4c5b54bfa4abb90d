//! The document says what the router does: no route is missing, none is invented, and an operation
//! names exactly what it reads.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use axum::body::Body;
use axum::http::Request;
use dormouse_types::limits;
use serde_json::{Value, json};

use crate::contract::{CONTRACT, Operation, filled};
use crate::world::{Answer, World};

const PAGE: &str = include_str!("../../../../docs/api.md");

/// Every value of the document under this key.
fn all<'a>(key: &str, value: &'a Value, found: &mut Vec<&'a Value>) {
    match value {
        Value::Object(members) => {
            found.extend(members.get(key));
            members.values().for_each(|member| all(key, member, found));
        }
        Value::Array(items) => items.iter().for_each(|item| all(key, item, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn names(value: &Value) -> BTreeSet<&str> {
    value.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect()
}

#[test]
fn every_reference_leads_to_a_component_and_every_component_is_used() {
    let mut references = Vec::new();
    all("$ref", &CONTRACT.document, &mut references);
    for kind in ["schemas", "responses", "parameters"] {
        let prefix = format!("#/components/{kind}/");
        let used: BTreeSet<&str> =
            references.iter().filter_map(|path| path.as_str()?.strip_prefix(&prefix)).collect();
        let mut there = names(&CONTRACT.document["components"][kind]);
        // The frames of the socket are no answers of an operation; their kinds are for clients.
        there.remove("EventKind");
        assert_eq!(used, there, "left: what is referred to, right: what is there");
        assert!(used.len() > 5, "{kind}: {used:?}");
    }
    let schemas = &CONTRACT.document["components"]["schemas"];
    let mut missing = Vec::new();
    for (name, schema) in schemas.as_object().into_iter().flatten() {
        let wrong = jsonschema::draft202012::meta::validate(schema).err();
        missing.extend(wrong.map(|wrong| format!("{name} is no schema: {wrong}")));
        if schema["description"].as_str().is_none_or(str::is_empty) {
            missing.push(format!("{name} has no description"));
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

/// Other programs know agent work by these names, and none of them can alter what its log says.
#[test]
fn agent_work_has_the_fields_that_other_programs_know_and_its_log_can_only_be_read() {
    let known = [
        "id",
        "type",
        "sourceType",
        "sourceRef",
        "title",
        "instructions",
        "status",
        "sessionId",
        "recurrenceId",
        "occurrenceDate",
        "scheduledFor",
        "startedAt",
        "completedAt",
        "createdBy",
        "logPath",
        "created",
    ];
    let fields = names(&CONTRACT.document["components"]["schemas"]["AgentWork"]["properties"]);
    let missing: Vec<_> = known.iter().filter(|name| !fields.contains(*name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    let paths = CONTRACT.document["paths"].as_object().into_iter().flatten();
    let logs: Vec<_> = paths
        .filter(|(path, _)| path.ends_with("/log") || path.ends_with("/log.jsonl"))
        .map(|(path, methods)| (path.as_str(), names(methods)))
        .collect();
    assert!(logs.len() >= 4, "{logs:?}");
    for (path, methods) in logs {
        assert_eq!(methods, BTreeSet::from(["get"]), "{path}");
    }
}

/// Every schema that a value refers to, at any depth.
fn reached<'a>(value: &'a Value, found: &mut BTreeSet<&'a str>) {
    let mut references = Vec::new();
    all("$ref", value, &mut references);
    for path in references.into_iter().filter_map(Value::as_str) {
        let name = path.strip_prefix("#/components/schemas/").expect("a reference to a schema");
        if found.insert(name) {
            reached(&CONTRACT.document["components"]["schemas"][name], found);
        }
    }
}

/// The document requires every member of what a response holds, by the name of its schema.
#[test]
fn a_schema_is_named_after_the_side_that_sends_it() {
    let (mut requests, mut responses) = (BTreeSet::new(), BTreeSet::new());
    for operation in &CONTRACT.operations {
        reached(&operation.says["requestBody"], &mut requests);
        reached(&operation.says["responses"], &mut responses);
    }
    let is_named = |name: &str| name.ends_with("Params") || name.ends_with("Patch");
    let has_members =
        |name: &str| CONTRACT.document["components"]["schemas"][name]["properties"].is_object();
    let wrong: Vec<_> =
        requests.iter().filter(|name| has_members(name) && !is_named(name)).collect();
    assert!(wrong.is_empty(), "requests hold {wrong:?}: name them …Params or …Patch");
    let wrong: Vec<_> = responses.iter().filter(|name| is_named(name)).collect();
    assert!(wrong.is_empty(), "responses hold {wrong:?}, named as parts of requests");
    assert!(requests.len() > 20 && responses.len() > 50, "{requests:?} {responses:?}");
}

#[test]
fn every_operation_is_described_whole() {
    let document = &CONTRACT.document;
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document["info"]["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(document["security"], json!([{"bearer": []}]));
    assert_eq!(document["components"]["securitySchemes"]["bearer"]["scheme"], "bearer");
    let tags = document["tags"].as_array().into_iter().flatten().map(|tag| &tag["name"]);
    let tags: BTreeSet<&str> = tags.filter_map(Value::as_str).collect();
    let (mut ids, mut used) = (BTreeSet::new(), BTreeSet::new());
    for operation in &CONTRACT.operations {
        let Operation { id, method, path, says } = operation;
        let place = format!("{method} {path}");
        assert!(ids.insert(id), "{place}: {id} is the name of another operation too");
        let camel = id.starts_with(|c: char| c.is_ascii_lowercase());
        assert!(camel && id.chars().all(|c| c.is_ascii_alphanumeric()), "{place}: `{id}`");
        let summary = says["summary"].as_str().unwrap_or_default();
        assert!(summary.ends_with('.') && summary.len() < 100, "{place}: `{summary}`");
        let tag = says["tags"].as_array().map_or(&[][..], Vec::as_slice);
        assert!(tag.len() == 1, "{place} should have one tag, not {tag:?}");
        used.extend(tag.iter().filter_map(Value::as_str));
        let in_path: BTreeSet<&str> =
            path.split('{').skip(1).filter_map(|rest| rest.split('}').next()).collect();
        assert_eq!(in_path, operation.parameters("path").into_iter().collect(), "{place}");
        let mut known = BTreeSet::new();
        for parameter in says["parameters"].as_array().into_iter().flatten() {
            let name = parameter["name"].as_str().unwrap_or_default();
            let about = parameter["description"].as_str().unwrap_or_default();
            assert!(
                known.insert((parameter["in"].as_str(), name)) && about.ends_with('.'),
                "{place}: {parameter}"
            );
            assert!(parameter["schema"].is_object(), "{place}: {parameter}");
        }
        let statuses = names(&says["responses"]);
        let good = statuses.iter().filter(|status| status.starts_with('2')).count();
        assert_eq!(good, 1, "{place} answers {statuses:?}");
        assert!(statuses.iter().any(|status| status.starts_with('4')), "{place}: {statuses:?}");
        for status in statuses.iter().filter(|status| !status.starts_with('2')) {
            let schema = &says["responses"][status]["content"]["application/problem+json"];
            let problem = json!({"schema": {"$ref": "#/components/schemas/Problem"}});
            assert_eq!(*schema, problem, "{place}: {status}");
        }
    }
    assert_eq!(used, tags, "left: the tags that operations have, right: those that are described");
}

#[tokio::test]
async fn the_router_serves_this_document() {
    let world = World::new();
    assert_eq!(world.get("/api/openapi.json").await.json(), CONTRACT.document);
}

#[tokio::test]
async fn a_path_answers_the_methods_that_the_document_has_and_no_other() {
    let world = World::new();
    for path in names(&CONTRACT.document["paths"]) {
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
            let there = CONTRACT.operations.iter().any(|o| o.path == path && o.method == method);
            let answer = probe(&world, method, &filled(path), ("accept", "*/*"), "").await;
            assert_eq!(answer.status != 405, there, "{method} {path}: {}", answer.rendered());
            let unknown = answer.body.contains("every route begins with");
            assert!(!unknown, "{method} {path} is in the document, and there is no such route");
        }
    }
}

/// Sends what the document may not have.
async fn probe(
    world: &World,
    method: &str,
    path: &str,
    header: (&str, &str),
    body: &str,
) -> Answer {
    let request = Request::builder().method(method).uri(path).header(header.0, header.1);
    world.send(request.body(Body::from(body.to_owned())).expect("a request")).await
}

/// Whether an answer refuses the value at this place.
fn refuses(answer: &Answer, pointer: &str) -> bool {
    answer.status == 422 && answer.json()["errors"][0]["pointer"] == pointer
}

#[tokio::test]
async fn an_operation_names_exactly_what_it_reads() {
    let world = World::new();
    let long = "k".repeat(limits::IDEMPOTENCY_KEY.max + 1);
    for operation in &CONTRACT.operations {
        let Operation { id, method, .. } = operation;
        let path = filled(&operation.path);
        let headers = operation.parameters("header");
        for (name, wrong) in [("Idempotency-Key", long.as_str()), ("If-Match", "\"x\"")] {
            let answer = probe(&world, method, &path, (name, wrong), "").await;
            let reads = refuses(&answer, name);
            assert_eq!(reads, headers.contains(&name), "{id}: {name}: {}", answer.rendered());
        }
        let none = ("accept", "*/*");
        let unknown = format!("{path}?nobody-knows=1");
        let answer = probe(&world, method, &unknown, none, "").await;
        let reads = !operation.parameters("query").is_empty();
        assert_eq!(refuses(&answer, "?"), reads, "{id}: query: {}", answer.rendered());
        let answer = probe(&world, method, &path, none, "!").await;
        // The body of a call of a hook is any text; its signature is looked at first.
        let reads = answer.status == 400 || id == "callHook";
        assert_eq!(reads, operation.body().is_some(), "{id}: body: {}", answer.rendered());
    }
}

#[tokio::test]
async fn every_operation_answers_as_the_document_says() {
    let world = World::new();
    let read = async |path: &str| world.get(path).await.json();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();

    let import = "/api/imports?name=garden.md&agents=all";
    world.call("POST", import, "# Garden\n\n## Gate\n- [ ] hinge\n\nIt hangs.\n").await;
    let file = Request::post("/api/imports/text?name=list.md")
        .header("content-type", "application/octet-stream")
        .body(Body::from(&b"- K\xe4se\n"[..]));
    world.send(file.expect("a request")).await;
    let body = r#"{
        "title": "Water butt", "labels": ["garden"], "category": "Home", "items": ["buy the kit"],
        "note": "Still to do: buy the kit. And ask Bo.\nDeadline: 2026-05-15.\nIt should take two hours."
    }"#;
    let id = world.task(body).await;
    let task = format!("/api/journal/tasks/{id}");
    let agent = world.call("POST", &format!("{task}/agent"), "{}").await.json();
    let agent = format!("/api/agents/{}", text(&agent["id"]));
    world.call("POST", &format!("{agent}/wake"), r#"{"message": "Look again."}"#).await;
    world.call("POST", &format!("{agent}/reanalyse"), "").await;
    read(&format!("{agent}/wakes")).await;
    world.drain(&id).await;

    for path in ["", "/agent", "/activity", "/entries", "/checklist-items", "/labels"] {
        read(&format!("{task}{path}")).await;
    }
    for path in ["", "/report", "/reports?limit=5", "/messages", "/wakes?limit=5"] {
        read(&format!("{agent}{path}")).await;
    }
    for path in [
        "/tool-calls?limit=2",
        "/links?type=agent_task",
        "/subscriptions",
        "/state",
        "/memory?limit=2",
        "/memory/search?q=gate&limit=2",
        "/knowledge?limit=2",
        "/checkpoints",
    ] {
        read(&format!("{agent}{path}")).await;
    }
    let line = format!("{agent}/knowledge/line-1");
    read(&format!("{line}/removal?withEntry=true")).await;
    world.call("DELETE", &line, "").await;
    world.call("DELETE", &format!("{agent}/knowledge/line-999"), "").await;
    read(&format!("{agent}/removals")).await;
    let run = text(&read(&format!("{agent}/wakes")).await["items"][0]["runKey"]);
    read(&format!("{agent}/wakes/{run}")).await;
    read(&format!("{agent}/wakes/{run}/outcome")).await;
    read(&format!("{agent}/wakes/{run}/task")).await;
    read(&format!("{agent}/wakes/{run}/prompt")).await;
    for path in ["overview", "journal/labels", "journal/categories", "openapi.json", "agents"] {
        read(&format!("/api/{path}")).await;
    }
    world.call("POST", &format!("{agent}/wake"), r#"{"at": "2026-03-05T18:00:00Z"}"#).await;
    read(&format!("{agent}/timers")).await;
    world.call("POST", &format!("{agent}/wake"), r#"{"at": null}"#).await;
    let preview = r#"{"message": "Look.", "model": "builtin"}"#;
    world.call("POST", &format!("{agent}/wake/preview"), preview).await;
    world.call("DELETE", &format!("{agent}/wake"), "").await;
    let none = r#"{"workspaceDay": 3000000, "agentDay": 0, "wake": 100000, "unpricedDay": 500000}"#;
    world.call("PUT", "/api/models/budgets", none).await;
    world.call("PATCH", &agent, r#"{"model": "acme/large"}"#).await;
    world.call("POST", &format!("{agent}/wake"), "{}").await;
    world.drain(&id).await;
    let waiting = text(&read(&agent).await["runKey"]);
    world.call("POST", &format!("{agent}/wakes/{waiting}/cancel"), "").await;
    world.call("PATCH", &agent, r#"{"model": null}"#).await;
    let usual =
        r#"{"workspaceDay": 3000000, "agentDay": 500000, "wake": 100000, "unpricedDay": 500000}"#;
    world.call("PUT", "/api/models/budgets", usual).await;
    read("/api/journal/tasks?status=OPEN&q=butt&deleted=true&limit=1").await;

    read(&format!("{task}/changes")).await;
    read("/api/needs-attention?limit=1").await;
    read("/api/reports?limit=1").await;

    let sets = read(&format!("/api/change-sets?task={id}&all=true")).await;
    let set = format!("/api/change-sets/{}", text(&sets["items"][0]["id"]));
    let items = read(&set).await["items"].as_array().expect("items").clone();
    assert!(items.len() > 1, "{items:#?}");
    let verdict = json!({"digest": items[0]["digest"]}).to_string();
    let item = format!("{set}/items/{}", items[0]["index"]);
    world.call("POST", &format!("{item}/confirm"), &verdict).await;
    world.call("POST", &format!("{item}/undo"), &verdict).await;
    let many = json!([
        {"set": items[1]["set"], "index": items[1]["index"], "verdict": "defer", "digest": items[1]["digest"]},
        {"set": items[1]["set"], "index": 99, "verdict": "defer", "digest": ""},
    ]);
    world.call("POST", &format!("{task}/decisions"), &many.to_string()).await;
    let named = json!({"items": [{"index": 99, "digest": "00000000"}]}).to_string();
    world.call("POST", &format!("{set}/confirm-all"), &named).await;
    world.call("POST", &format!("{set}/dismiss"), "").await;
    read(&format!("{task}/decisions")).await;
    read(&format!("{task}/linked-context")).await;
    read(&format!("{agent}/decisions")).await;

    read("/api/operations?status=all").await;
    read("/api/audit?limit=2").await;
    read("/api/access").await;
    let code = world.call("POST", "/api/access/codes", "").await.json();
    let code = json!({"code": code["code"]}).to_string();
    world.call("POST", "/api/access/exchange", &code).await;
    world.call("POST", "/api/ws-tickets", "").await;
    let new = r#"{"name": "Script", "scopes": ["read"], "kind": "agent", "expiresInDays": 1}"#;
    world.call("POST", "/api/tokens", new).await;
    let token = text(&read("/api/tokens").await["items"][0]["id"]);
    world.call("DELETE", &format!("/api/tokens/{token}"), "").await;
    read(&format!("/api/export?task={id}")).await;
    read("/api/export?format=json").await;
    for format in ["markdown", "todoTxt", "iCalendar", "csv"] {
        world.get(&format!("/api/export?format={format}")).await;
    }
    read(&format!("/api/export/losses?format=todoTxt&task={id}")).await;
    world.get(&format!("{task}/page")).await;
    read("/api/dates?text=fri%203pm&dayOrder=monthFirst").await;
    read("/api/quick-add?text=Water%20every%20friday%20%21p1%20%23garden").await;
    for path in ["/pause", "/resume"] {
        world.call("POST", &format!("{agent}{path}"), "").await;
    }
    world.call("PATCH", &agent, r#"{"automation": "off"}"#).await;
    world.call("DELETE", &agent, "").await;

    world.call("PATCH", &task, r#"{"priority": "P1", "category": null}"#).await;
    world.call("POST", &format!("{task}/entries"), r#"{"text": "Dry.", "kind": "audio"}"#).await;
    let whole =
        world.call("POST", &format!("{task}/time-entries"), r#"{"minutes": 9}"#).await.json();
    let entry = format!("{task}/entries/{}", text(&whole["entries"][0]["id"]));
    world.call("PATCH", &entry, r#"{"text": "Wet.", "starred": true}"#).await;
    world.call("DELETE", &entry, "").await;
    world.call("POST", &format!("{entry}/restore"), "").await;
    world.call("POST", &format!("{task}/checklist-items"), r#"{"title": "tap"}"#).await;
    let item = format!("{task}/checklist-items/{}", text(&whole["items"][0]["id"]));
    world.call("PATCH", &item, r#"{"isArchived": true}"#).await;
    world.call("POST", &format!("{task}/labels"), r#"{"name": "rain"}"#).await;
    world.call("DELETE", &format!("{task}/labels/rain"), "").await;
    let other = world.task(r#"{"title": "Rain barrel"}"#).await;
    let link = json!({"kind": "relatesTo", "to": other}).to_string();
    let linked = world.call("POST", &format!("{task}/links"), &link).await.json();
    read(&format!("{task}/links")).await;
    let link = text(&linked["links"][0]["id"]);
    world.call("DELETE", &format!("{task}/links/{link}"), "").await;
    world.call("DELETE", &task, "").await;
    world.call("POST", &format!("{task}/restore"), "").await;
    read(&format!("{task}/activity")).await;

    read("/api/models").await;
    read("/api/models/servers").await;
    let home = "/api/models/providers/home";
    let provider =
        r#"{"format": "chatCompletions", "baseUrl": "http://localhost:8080/v1", "isOwn": true}"#;
    world.call("PUT", home, provider).await;
    world.call("PUT", &format!("{home}/key"), r#"{"key": "k"}"#).await;
    read(&format!("{home}/offered")).await;
    read("/api/models/question?model=home/small").await;
    read("/api/models/question?model=home/small&template=new&kind=agentWork").await;
    read(&format!("{home}/question?format=chatCompletions&baseUrl=http://b/v1&isOwn=true")).await;
    world.call("POST", "/api/models/test", r#"{"model": "home/small"}"#).await;
    world.call("POST", "/api/models/forget", r#"{"model": "home/small"}"#).await;
    world.call("POST", "/api/models/test", r#"{"model": "home/small"}"#).await;
    world.call("POST", "/api/models/use", r#"{"model": "home/small"}"#).await;
    let brief = r#"{"model": "home/small", "for": "summarising"}"#;
    world.call("POST", "/api/models/use", brief).await;
    let same = r#"{"model": null, "for": "summarising"}"#;
    world.call("POST", "/api/models/use", same).await;
    let window = r#"{"model": "home/small", "window": 32000}"#;
    world.call("PUT", "/api/models/window", window).await;
    let only = r#"{"categories": {"ids": [], "uncategorised": true}}"#;
    world.call("PUT", &format!("{home}/categories"), only).await;
    world.call("POST", "/api/models/use", r#"{"model": "builtin"}"#).await;
    world.call("DELETE", home, "").await;
    let price = r#"{"input": 1, "cachedInput": 1, "cacheWrite": 1, "output": 1000000}"#;
    let price = format!(r#"{{"model": "acme/large", "price": {price}}}"#);
    world.call("PUT", "/api/models/price", &price).await;
    let window = r#"{"model": "acme/large", "window": 32768}"#;
    world.call("PUT", "/api/models/window", window).await;
    let little = r#"{"workspaceDay": 9000, "agentDay": 1, "wake": 9000, "unpricedDay": 9}"#;
    world.call("PUT", "/api/models/budgets", little).await;
    let id = world.task(r#"{"title": "Sell the shed"}"#).await;
    let paying = world.call("POST", &format!("/api/journal/tasks/{id}/agent"), "{}").await.json();
    let paying = text(&paying["id"]);
    let agent = format!("/api/agents/{paying}");
    world.call("PATCH", &agent, r#"{"model": "acme/large"}"#).await;
    world.call("POST", &format!("{agent}/wake"), "{}").await;
    world.drain(&id).await;
    let again = json!({ "agentId": paying }).to_string();
    world.call("POST", "/api/models/once-more", &again).await;
    read(&format!("{agent}/spending")).await;
    world.call("PUT", "/api/models/paid-calls", r#"{"allowed": false}"#).await;
    let budgets = r#"{"workspaceDay": 1, "agentDay": 0, "wake": 1, "unpricedDay": 9}"#;
    world.call("PUT", "/api/models/budgets", budgets).await;
    read("/api/usage?from=2026-03-01&to=2026-03-02").await;
    read("/api/settings").await;
    world.call("PATCH", "/api/settings", r#"{"dateOrder": "dayFirst", "timeZone": "UTC"}"#).await;

    crate::work::everything(&world).await;
    crate::hooks::everything(&world).await;
    crate::conversations::everything(&world).await;
    crate::templates::everything(&world).await;
    crate::rules::everything(&world).await;
    world.call("POST", "/api/models/use", r#"{"model": "builtin"}"#).await;
    crate::evolution::everything(&world).await;

    let known: BTreeSet<String> = CONTRACT.operations.iter().map(|o| o.id.clone()).collect();
    assert_eq!(world.succeeded(), known, "left: what succeeded here, right: the document");
}

#[test]
fn the_page_of_the_api_is_what_the_document_holds() {
    let mut page = String::from(
        "# API\n\nJSON over HTTP. The whole description, OpenAPI 3.1, is served at `/api/openapi.json`. This page is\nmade from it by `crates/server/tests/api/openapi.rs`: after a change, put what the test prints here.\n\nProblems have pages of their own in `docs/errors/`, limits one in `docs/limits.md`. The scope is what a\ntoken must hold (`docs/access.md`): `any` is any token, `none` is none at all.\n",
    );
    for tag in CONTRACT.document["tags"].as_array().into_iter().flatten() {
        let (name, about) = (tag["name"].as_str(), tag["description"].as_str());
        let (name, about) = (name.unwrap_or_default(), about.unwrap_or_default());
        write!(page, "\n## {name}\n\n{about}\n\n").expect("written");
        page.push_str("| Request | Operation | Scope | What it does |\n|---|---|---|---|\n");
        for operation in CONTRACT.operations.iter().filter(|o| o.says["tags"][0] == name) {
            let Operation { id, method, path, says } = operation;
            let summary = says["summary"].as_str().unwrap_or_default();
            let scope = says["x-scope"].as_str().unwrap_or("none");
            writeln!(page, "| `{method} {path}` | `{id}` | {scope} | {summary} |")
                .expect("written");
        }
    }
    assert!(page == PAGE, "docs/api.md should hold:\n{page}");
}
