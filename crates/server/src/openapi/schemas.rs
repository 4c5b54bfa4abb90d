//! The schemas of the document: every member that a response always has is required.

use dormouse_types::problem::{ProblemKind, Retry};
use serde_json::{Map, Value, json};
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, RefBuilder, Schema, SchemaType, Type};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

use super::json::array;
use crate::Problem;

/// Completes the schemas that were generated from types.
pub(super) fn complete(schemas: &mut Map<String, Value>) {
    let generated = schemas.clone();
    // A choice that is part of another schema is written out there.
    let parts = generated.values().flat_map(|schema| array(&schema["allOf"]));
    for name in
        parts.filter_map(included).filter(|name| !array(&generated[*name]["oneOf"]).is_empty())
    {
        schemas.remove(name);
    }
    for (name, schema) in schemas.iter_mut() {
        // A page refers to the schema of its items instead of repeating it.
        if let Some(item) = name.strip_prefix("Page_")
            && generated.contains_key(item)
        {
            schema["properties"]["items"]["items"] = json!(Ref::from_schema_name(item));
        }
        merge(schema, &generated);
        if is_of_responses(name) {
            require_every_field(name, schema);
        }
    }
    // What only variants included is written out in each of them.
    let variants = generated.values().flat_map(|schema| array(&schema["oneOf"]));
    let parts = variants.flat_map(|variant| array(&variant["allOf"]));
    let parts: Vec<&str> = parts.filter_map(included).collect();
    let rest = json!(schemas).to_string();
    schemas.retain(|name, _| {
        let is_written_out = parts.contains(&name.as_str());
        !is_written_out || rest.contains(&format!("#/components/schemas/{name}\""))
    });
}

/// Whether a schema describes what the API answers. The types of request bodies are named after
/// what they are; a test walks the document and compares.
fn is_of_responses(name: &str) -> bool {
    let is_of_requests = name.ends_with("Params") || name.ends_with("Patch");
    // A problem has only those members that it has something to say about.
    !is_of_requests && name != Problem::name()
}

/// Merges a schema that includes another one's members, or a variant that does, into a single
/// object.
fn merge(schema: &mut Value, generated: &Map<String, Value>) {
    if !array(&schema["allOf"]).is_empty() {
        *schema = merged(schema, generated);
    }
    if let Some(variants) = schema.get_mut("oneOf").and_then(Value::as_array_mut) {
        variants.iter_mut().for_each(|variant| merge(variant, generated));
    }
}

/// Returns one object with the members of all parts, so that it lists all its members and allows no
/// others.
fn merged(schema: &Value, generated: &Map<String, Value>) -> Value {
    let mut members = Map::new();
    let mut variants = Vec::new();
    let mut required = Vec::new();
    for part in array(&schema["allOf"]) {
        let part = included(part).map_or(part, |name| &generated[name]);
        members.extend(part["properties"].as_object().cloned().unwrap_or_default());
        required.extend_from_slice(array(&part["required"]));
        variants.extend_from_slice(array(&part["oneOf"]));
    }
    if variants.is_empty() {
        return json!({
            "type": "object", "description": schema["description"], "properties": members,
        });
    }
    // One of the parts is a choice: so is the whole, with the other members in each variant.
    for variant in &mut variants {
        let own = variant["properties"].as_object().cloned().unwrap_or_default();
        let all: Map<String, Value> = members.clone().into_iter().chain(own).collect();
        let mut needed = required.clone();
        needed.extend_from_slice(array(&variant["required"]));
        variant["properties"] = Value::Object(all);
        variant["required"] = Value::Array(needed);
    }
    json!({"description": schema["description"], "oneOf": variants})
}

/// The name of a schema whose members another one includes.
fn included(part: &Value) -> Option<&str> {
    part["$ref"].as_str().and_then(|path| path.rsplit('/').next())
}

/// Members of responses that are omitted when empty. All others are always present, `null` when
/// empty.
const LEFT_OUT: &[(&str, &str)] = &[
    ("Page", "damaged"),
    ("Task", "cursor"),
    ("Turn", "title"),
    ("Turn", "taskRef"),
    ("Turn", "runId"),
    ("Turn", "run"),
    ("Turn", "runKey"),
    ("Turn", "calls"),
    ("Turn", "truncated"),
    ("Call", "result"),
    ("Call", "refused"),
    ("LinkedContext", "left_out"),
    ("LinkedRow", "taskAgentId"),
    ("LinkedRow", "latestTaskAgentReport"),
    ("LinkedRow", "latestTaskAgentReportCreatedAt"),
    ("Only", "categories"),
    ("Only", "labels"),
    ("Only", "priorities"),
];

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

impl PartialSchema for Problem {
    fn schema() -> RefOr<Schema> {
        let number = || ObjectBuilder::new().schema_type(Type::Integer);
        let invalid = ["pointer", "code", "message"];
        let invalid = invalid
            .into_iter()
            .fold(ObjectBuilder::new(), |all, name| all.property(name, text()).required(name));
        let invalid = invalid.description(Some(
            "One value: where it is (a JSON pointer into the body, `?name` or a header), and \
             what to do about it.",
        ));
        let retry = text()
            .enum_values(Some(Retry::ALL.iter().map(|retry| retry.name())))
            .description(Some("Whether repeating the same request may help."));
        let kinds = ProblemKind::ALL.iter().map(|kind| kind.address());
        let kind =
            text().description(Some("The kind of problem; a page about it is at this path."));
        let extra = "For a value over a limit.";
        ObjectBuilder::new()
            .description(Some("Why the request was refused, and what to do (RFC 9457)."))
            .property("type", kind.enum_values(Some(kinds)))
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
                "parent",
                ObjectBuilder::new().schema_type(Type::Integer).description(Some(
                    "For `parent-first`: the number of the item that must be confirmed before.",
                )),
            )
            .property(
                "session",
                RefBuilder::new()
                    .ref_location_from_schema_name("EvolutionSessionId")
                    .description(Some("For `evolution-active`: the session that goes on.")),
            )
            .property(
                "refusal",
                RefBuilder::new()
                    .ref_location_from_schema_name("WorkRefusal")
                    .description(Some("For agent work: why its parameters cannot be switched on.")),
            )
            .property(
                "part",
                ObjectBuilder::new().schema_type(Type::String).description(Some(
                    "For `date-not-understood`: the words that mean nothing in a date or a schedule, as \
                     they are written; missing if all words are understood.",
                )),
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
