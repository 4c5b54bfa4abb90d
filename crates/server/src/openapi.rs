//! The OpenAPI 3.1 document of the API, generated from the handlers.
//!
//! A handler's annotation contains what only the handler knows: its path, its responses, and the
//! problems of its subject. This module adds what follows from that, in the same way for every
//! operation: path parameters, the problems of its inputs, and the properties every body has.

use std::collections::{BTreeMap, BTreeSet};

use dormouse::error::PROBLEMS;
use dormouse_types::limits::{IDEMPOTENCY_KEY, PAGE};
use dormouse_types::{AgentId, ChangeSetId, EntryId, ItemId, RunKey, TaskId, TokenId, Verdict};
use serde_json::{Map, Value, json};
use utoipa::openapi::extensions::ExtensionsBuilder;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Schema, SchemaType, Type};
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Required, Response, ResponseBuilder};
use utoipa::{IntoParams, IntoResponses, OpenApi, PartialSchema, ToSchema};

use crate::Problem;
use crate::extract::{IfMatch, Key};
use crate::http::{self, DEFAULT_PAGE};
use crate::problem::{CONTENT_TYPE, WIRE_PROBLEMS};

/// The document without operations. The router adds these and their schemas.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Dormouse",
        description = "Tasks, the agents that watch over them, and what these propose. Times are \
            RFC 3339 in UTC, days YYYY-MM-DD. A refusal is a problem (RFC 9457); `x-problems` \
            names those that a status stands for, and each has a page in docs/errors. `x-scope` is the \
            scope that a token needs.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    tags(
        (name = "tasks", description = "The user's tasks."),
        (name = "task parts", description = "Entries, checklist items and labels of a task."),
        (name = "imports", description = "Task lists from files."),
        (name = "agents", description = "Agents, their messages and reports, and their runs."),
        (name = "change sets", description = "Proposals of agents, and the user's verdicts."),
        (name = "workspace", description = "The workspace as a whole."),
        (name = "access", description = "Tokens and permissions."),
    ),
    components(schemas(
        Problem, Verdict, TaskId, EntryId, ItemId, AgentId, ChangeSetId, RunKey, TokenId
    )),
)]
pub(crate) struct Head;

/// The OpenAPI 3.1 document of every route.
pub(crate) fn document() -> Value {
    let mut api = http::documented().into_openapi();
    api.info.version = env!("CARGO_PKG_VERSION").to_owned();
    let mut document = serde_json::to_value(api).expect("a document is plain data");
    ref_page_items(object(&mut document["components"]["schemas"]));
    inline_single_use(object(&mut document["components"]["schemas"]));
    let schemas = document["components"]["schemas"].clone();
    for (path, item) in object(&mut document["paths"]) {
        for (method, operation) in object(item) {
            complete(path, method, operation, &schemas);
        }
    }
    for name in merge_answers(&document) {
        require_every_field(&name, &mut document["components"]["schemas"][&name]);
    }
    document["components"]["securitySchemes"] = json!({"bearer": {
        "type": "http",
        "scheme": "bearer",
        "description": "A token of this workspace, with some of its scopes: read, edit, \
            decide, admin.",
    }});
    document["security"] = json!([{"bearer": []}]);
    document
}

/// Problems that every operation can return.
const ANYWHERE: &[&str] = &[
    "token-in-url",
    "misdirected-request",
    "damaged-row",
    "internal",
    "store-failed",
    "url-too-long",
    "headers-too-large",
    "rate-limited",
    "timeout",
];

/// Problems that every operation that changes something can return.
const OF_CHANGES: &[&str] = &["origin-refused", "unsupported-media-type"];

mod access;

macro_rules! problems {
    ($($(#[$doc:meta])* $name:ident = [$($slug:literal),* $(,)?];)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name;

        impl IntoResponses for $name {
            fn responses() -> BTreeMap<String, RefOr<Response>> {
                [$($slug),*].map(|slug| (slug.to_owned(), Response::new("").into())).into()
            }
        }
    )*};
}

// Problems that depend on an operation's subject. Those that follow from its path, parameters and
// body are not listed here: `complete` adds them, and files each problem under its status.
problems! {
    /// A query refers to something that may not exist.
    Finds = ["not-found"];
    /// The operation writes.
    Writes = ["conflict"];
    /// A task is created.
    NewTask = ["conflict", "limit-reached"];
    /// A task is changed.
    Edits = ["conflict", "task-deleted"];
    /// Something is added to a task.
    Adds = ["conflict", "task-deleted", "limit-reached"];
    /// Two tasks are linked.
    Links = ["conflict", "task-deleted", "limit-reached", "link-exists"];
    /// A code is exchanged.
    Codes = ["code-refused", "limit-reached", "conflict"];
    /// The operation hands out something of limited number.
    Tickets = ["limit-reached", "conflict"];
    /// A file is read.
    Imports = ["import-failed"];
    /// A task gets an agent.
    NewAgent = ["conflict", "task-deleted", "agent-exists"];
    /// An agent does something.
    Agents = ["conflict", "agent-state", "task-deleted"];
    /// The user decides.
    Decides = [
        "conflict",
        "precondition-failed",
        "already-decided",
        "change-set-expired",
        "change-retracted",
        "undo-refused",
        "task-deleted",
        "task-closed",
        "value-changed",
    ];
}

/// The responses for these problems, by status.
fn answers(slugs: &BTreeSet<String>) -> BTreeMap<String, Response> {
    let facade = PROBLEMS.iter().map(|(slug, status, title, _)| (*slug, *status, *title));
    let known: Vec<_> = facade.chain(WIRE_PROBLEMS.iter().copied()).collect();
    let mut by_status: BTreeMap<u16, Vec<(&str, &str)>> = BTreeMap::new();
    for slug in slugs {
        let known = known.iter().find(|(known, ..)| *known == slug.as_str());
        let (slug, status, title) = known.expect("every slug is in one of the tables of problems");
        by_status.entry(*status).or_default().push((slug, title));
    }
    by_status.into_iter().map(|(status, all)| (status.to_string(), answer(&all))).collect()
}

fn answer(problems: &[(&str, &str)]) -> Response {
    let titles = problems.iter().map(|(slug, title)| format!("{title} (`{slug}`)."));
    let slugs: Vec<_> = problems.iter().map(|(slug, _)| *slug).collect();
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).build();
    ResponseBuilder::new()
        .description(titles.collect::<Vec<_>>().join(" "))
        .content(CONTENT_TYPE, content)
        .extensions(Some(ExtensionsBuilder::new().add("x-problems", slugs).build()))
        .build()
}

/// Completes an operation with what follows from its annotation.
fn complete(path: &str, method: &str, operation: &mut Value, schemas: &Value) {
    let changes = if method == "get" { &[][..] } else { OF_CHANGES };
    let mut slugs: BTreeSet<String> =
        ANYWHERE.iter().chain(changes).map(|slug| (*slug).to_owned()).collect();
    let mut parameters: Vec<Value> = variables(path).map(variable).collect();
    if !parameters.is_empty() {
        slugs.insert("not-found".into());
    }
    let needs = access::needs(method, operation["operationId"].as_str().unwrap_or_default());
    slugs.extend(needs.problems().iter().map(|slug| (*slug).to_owned()));
    needs.describe(operation);
    for mut parameter in array(&operation["parameters"]).to_vec() {
        slugs.insert("validation-failed".into());
        match parameter["name"].as_str() {
            Some(IfMatch::NAME) => _ = slugs.insert("precondition-failed".into()),
            Some(Key::NAME) => _ = slugs.insert("idempotency-mismatch".into()),
            Some("limit") => {
                parameter["schema"]["minimum"] = json!(1);
                parameter["schema"]["maximum"] = json!(PAGE.max);
                parameter["schema"]["default"] = json!(DEFAULT_PAGE);
            }
            _ => {}
        }
        parameters.push(parameter);
    }
    if let Some(body) = operation.get_mut("requestBody") {
        slugs.extend(["malformed-json", "payload-too-large"].map(str::to_owned));
        if let Some(schema) = body["content"].get("application/json").map(|json| &json["schema"]) {
            slugs.insert("validation-failed".into());
            // A missing body counts as an empty object, so it is an error only if a member is
            // required.
            let named = schema["$ref"].as_str().and_then(|name| name.rsplit('/').next());
            let schema = named.map_or(schema, |name| &schemas[name]);
            let required = schema["type"] != "object" || !array(&schema["required"]).is_empty();
            body["required"] = json!(required);
        }
    }
    let responses = object(&mut operation["responses"]);
    responses.retain(|status, _| {
        let is_slug = status.parse::<u16>().is_err();
        if is_slug {
            slugs.insert(status.clone());
        }
        !is_slug
    });
    for (status, response) in answers(&slugs) {
        responses.insert(status, json!(response));
    }
    if !parameters.is_empty() {
        operation["parameters"] = Value::Array(parameters);
    }
}

/// The parameter names in braces.
fn variables(path: &str) -> impl Iterator<Item = &str> {
    path.split('{').skip(1).filter_map(|rest| rest.split('}').next())
}

/// Describes a path parameter, based on its name.
fn variable(name: &str) -> Value {
    let named = |schema: &str| json!(Ref::from_schema_name(schema));
    let (schema, description) = match name {
        "task" => (named("TaskId"), "The task."),
        "entry" => (named("EntryId"), "The entry."),
        "item" => (named("ItemId"), "The checklist item."),
        "label" => (json!({"type": "string"}), "The label, by its name or id."),
        "link" => (named("TaskLinkId"), "The link."),
        "agent" => (named("AgentId"), "The agent."),
        "runKey" => (named("RunKey"), "The run."),
        "set" => (named("ChangeSetId"), "The change set."),
        "token" => (named("TokenId"), "The token, by its name."),
        "index" => (json!({"type": "integer", "format": "int64"}), "The item, from 1."),
        "verdict" => (named("VerdictName"), "The verdict."),
        other => (json!({"type": "string"}), other),
    };
    json!({
        "name": name, "in": "path", "required": true, "description": description, "schema": schema,
    })
}

impl IntoParams for Key {
    fn into_params(_default: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let what = "A name of this request: sent again under it, the request is done once and \
            answered as before. Give another one to each request.";
        let schema = text().min_length(Some(1)).max_length(Some(IDEMPOTENCY_KEY.max));
        vec![header(Self::NAME, what, schema)]
    }
}

impl IntoParams for IfMatch {
    fn into_params(_default: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let what = "The ETag of the task as it was read: an edit of another revision is refused. \
            `*` means any.";
        vec![header(Self::NAME, what, text().pattern(Some(r#"^(\*|"?[0-9]+"?)$"#)))]
    }
}

fn header(name: &str, description: &str, schema: ObjectBuilder) -> Parameter {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(description))
        .schema(Some(schema))
        .build()
}

impl PartialSchema for Problem {
    fn schema() -> RefOr<Schema> {
        let number = || ObjectBuilder::new().schema_type(Type::Integer);
        let invalid = ["pointer", "code", "message"];
        let invalid = invalid
            .into_iter()
            .fold(ObjectBuilder::new(), |all, name| all.property(name, text()).required(name));
        let invalid = invalid.description(Some(
            "One value: where it stands (a JSON pointer into the body, `?name` or a header), and \
             what to do about it.",
        ));
        let retry = text()
            .enum_values(Some(["never", "later", "afterUser"]))
            .description(Some("Whether repeating the same request may help."));
        let slug = text().description(Some("`/problems/` and a stable name."));
        let extra = "For a value over a limit.";
        ObjectBuilder::new()
            .description(Some("Why the request was refused, and what to do (RFC 9457)."))
            .property("type", slug.pattern(Some("^/problems/[a-z-]+$")))
            .property("title", text().description(Some("Always the same for a type.")))
            .property("status", number().description(Some("The HTTP status.")))
            .property("detail", text().description(Some("What happened, and what to do.")))
            .property("retry", retry)
            .property("errors", invalid.to_array_builder())
            .property("limit", number().description(Some(extra)))
            .property("actual", number().description(Some(extra)))
            .property("unit", text().description(Some(extra)))
            .property(
                "now",
                ObjectBuilder::new()
                    .schema_type(SchemaType::from_iter([Type::String, Type::Null]))
                    .description(Some("For `value-changed`: the task's current value as text.")),
            )
            .property(
                "current",
                OneOfBuilder::new()
                    .item(ObjectBuilder::new().schema_type(Type::Null))
                    .item(Ref::from_schema_name("FieldValue"))
                    .description(Some("For `value-changed`: the task's current value.")),
            )
            .property(
                "retryAfter",
                number()
                    .description(Some("Seconds to wait before the same request is sent again.")),
            )
            .required("type")
            .required("title")
            .required("status")
            .required("detail")
            .build()
            .into()
    }
}

impl ToSchema for Problem {}

fn text() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String)
}

/// Makes a page refer to the schema of its items instead of repeating it.
fn ref_page_items(schemas: &mut Map<String, Value>) {
    let names: Vec<String> = schemas.keys().cloned().collect();
    for item in names.iter().filter_map(|name| name.strip_prefix("Page_")) {
        if schemas.contains_key(item) {
            let page = &mut schemas[&format!("Page_{item}")];
            page["properties"]["items"]["items"] = json!(Ref::from_schema_name(item));
        }
    }
}

/// Merges a schema that includes another one's members into a single object, so that it lists all
/// its members and allows no others.
fn inline_single_use(schemas: &mut Map<String, Value>) {
    let whole = schemas.clone();
    for schema in schemas.values_mut() {
        let Some(parts) = schema.get("allOf").and_then(Value::as_array).cloned() else { continue };
        let mut members = Map::new();
        for part in &parts {
            let named = part["$ref"].as_str().and_then(|path| path.rsplit('/').next());
            let part = named.map_or(part, |name| &whole[name]);
            members.extend(part["properties"].as_object().cloned().unwrap_or_default());
        }
        let about = schema["description"].clone();
        *schema = json!({"type": "object", "description": about, "properties": members});
    }
}

/// The schemas used in successful responses, at any depth.
fn merge_answers(document: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = Vec::new();
    for item in document["paths"].as_object().into_iter().flat_map(Map::values) {
        for operation in item.as_object().into_iter().flat_map(Map::values) {
            open.push(&operation["responses"]);
        }
    }
    while let Some(value) = open.pop() {
        match value {
            Value::Object(members) => {
                let name = members.get("$ref").and_then(Value::as_str);
                if let Some(name) = name.and_then(|path| path.rsplit('/').next())
                    && name != Problem::name()
                    && found.insert(name.to_owned())
                {
                    open.push(&document["components"]["schemas"][name]);
                }
                open.extend(members.values());
            }
            Value::Array(items) => open.extend(items),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    found
}

/// Members of responses that are omitted when empty. All others are always present, `null` when
/// empty.
const LEFT_OUT: &[(&str, &str)] = &[("Page", "damaged"), ("What", "reason")];

/// Marks every member of a response as required.
fn require_every_field(name: &str, schema: &mut Value) {
    if let Some(variants) = schema.get_mut("oneOf").and_then(Value::as_array_mut) {
        for variant in variants {
            require_every_field(name, variant);
        }
    }
    let Some(members) = schema.get("properties").and_then(Value::as_object) else { return };
    let kind = name.split('_').next().unwrap_or(name);
    let there = members.keys().filter(|member| !LEFT_OUT.contains(&(kind, member.as_str())));
    schema["required"] = there.cloned().collect();
}

fn object(value: &mut Value) -> &mut Map<String, Value> {
    value.as_object_mut().expect("the document has an object here")
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
