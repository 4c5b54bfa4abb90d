//! The operations of the document: what follows from a path, a method, parameters and a body.
//!
//! Problem responses and parameters that say the same everywhere are components, which operations
//! refer to.

use std::collections::{BTreeMap, BTreeSet};

use dormouse_types::limits::{IDEMPOTENCY_KEY, PAGE};
use dormouse_types::problem::ProblemKind;
use serde_json::{Map, Value, json};
use utoipa::IntoParams;
use utoipa::openapi::extensions::ExtensionsBuilder;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{ContentBuilder, Ref, Required, Response, ResponseBuilder};

use super::access;
use super::json::{array, object};
use crate::extract::{IfMatch, Key};
use crate::http::reply::DEFAULT_PAGE;
use crate::problem::CONTENT_TYPE;

/// Problems that every operation can return.
const ANYWHERE: &[ProblemKind] = &[
    ProblemKind::TokenInUrl,
    ProblemKind::MisdirectedRequest,
    ProblemKind::DamagedRow,
    ProblemKind::Internal,
    ProblemKind::StoreFailed,
    ProblemKind::UrlTooLong,
    ProblemKind::HeadersTooLarge,
    ProblemKind::RateLimited,
    ProblemKind::Timeout,
];

/// Problems that every operation that changes something can return.
const OF_CHANGES: &[ProblemKind] = &[ProblemKind::OriginRefused, ProblemKind::UnsupportedMediaType];

/// Responses to more problems than this belong to one operation, and stay there.
const MAX_NAMED: usize = 4;

/// What operations refer to by name.
#[derive(Default)]
struct Shared {
    responses: Map<String, Value>,
    parameters: Map<String, Value>,
}

impl Shared {
    /// The responses to these problems, by status.
    fn responses(&mut self, problems: &BTreeSet<ProblemKind>) -> BTreeMap<String, Value> {
        let mut by_status: BTreeMap<u16, Vec<ProblemKind>> = BTreeMap::new();
        for problem in problems {
            by_status.entry(problem.facts().status).or_default().push(*problem);
        }
        let responses = by_status.into_iter().map(|(status, mut problems)| {
            problems.sort_unstable_by_key(|problem| problem.name());
            (status.to_string(), self.response(&problems))
        });
        responses.collect()
    }

    /// The response to these problems of one status.
    fn response(&mut self, problems: &[ProblemKind]) -> Value {
        let response = json!(response(problems));
        if problems.len() > MAX_NAMED {
            return response;
        }
        let names: Vec<String> = problems.iter().map(|problem| pascal(problem.name())).collect();
        let name = names.join("Or");
        let reference = json!({"$ref": format!("#/components/responses/{name}")});
        self.responses.insert(name, response);
        reference
    }

    /// A parameter that says the same in every operation.
    fn parameter(&mut self, name: &str, parameter: Value) -> Value {
        self.parameters.insert(name.to_owned(), parameter);
        json!({"$ref": format!("#/components/parameters/{name}")})
    }
}

/// `task-deleted` as `TaskDeleted`.
fn pascal(name: &str) -> String {
    let words = name.split('-').map(|word| {
        let (first, rest) = word.split_at(1);
        first.to_uppercase() + rest
    });
    words.collect()
}

fn response(problems: &[ProblemKind]) -> Response {
    let titles = problems.iter().map(|problem| format!("{} (`{problem}`).", problem.facts().title));
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).build();
    ResponseBuilder::new()
        .description(titles.collect::<Vec<_>>().join(" "))
        .content(CONTENT_TYPE, content)
        .extensions(Some(ExtensionsBuilder::new().add("x-problems", json!(problems)).build()))
        .build()
}

/// Completes every operation with what follows from its annotation.
pub(super) fn complete(document: &mut Value) {
    let mut shared = Shared::default();
    let schemas = document["components"]["schemas"].take();
    for (path, item) in object(&mut document["paths"]) {
        for (method, operation) in object(item) {
            complete_one(path, method, operation, &schemas, &mut shared);
        }
    }
    document["components"]["schemas"] = schemas;
    document["components"]["responses"] = Value::Object(shared.responses);
    document["components"]["parameters"] = Value::Object(shared.parameters);
}

fn complete_one(
    path: &str,
    method: &str,
    operation: &mut Value,
    schemas: &Value,
    shared: &mut Shared,
) {
    let changes = if method == "get" { &[][..] } else { OF_CHANGES };
    let mut problems: BTreeSet<ProblemKind> = ANYWHERE.iter().chain(changes).copied().collect();
    let mut parameters: Vec<Value> =
        variables(path).map(|name| shared.parameter(name, variable(name))).collect();
    if !parameters.is_empty() {
        problems.insert(ProblemKind::NotFound);
    }
    let needs = access::needs(method, operation["operationId"].as_str().unwrap_or_default());
    problems.extend(needs.problems());
    needs.describe(operation);
    for mut parameter in array(&operation["parameters"]).to_vec() {
        problems.insert(ProblemKind::ValidationFailed);
        parameters.push(match parameter["name"].as_str() {
            Some(IfMatch::NAME) => {
                problems.insert(ProblemKind::PreconditionFailed);
                shared.parameter(IfMatch::NAME, parameter)
            }
            Some(Key::NAME) => {
                problems.insert(ProblemKind::IdempotencyMismatch);
                shared.parameter(Key::NAME, parameter)
            }
            Some("limit") => {
                parameter["schema"]["minimum"] = json!(1);
                parameter["schema"]["maximum"] = json!(PAGE.max);
                parameter["schema"]["default"] = json!(DEFAULT_PAGE);
                parameter
            }
            _ => parameter,
        });
    }
    if let Some(body) = operation.get_mut("requestBody") {
        problems.extend([ProblemKind::MalformedJson, ProblemKind::PayloadTooLarge]);
        if let Some(schema) = body["content"].get("application/json").map(|json| &json["schema"]) {
            problems.insert(ProblemKind::ValidationFailed);
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
        let is_problem = status.parse::<u16>().is_err();
        if is_problem {
            problems.insert(status.parse().expect("annotations name problems that exist"));
        }
        !is_problem
    });
    responses.extend(shared.responses(&problems));
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
        "work" => (named("WorkId"), "The agent work."),
        "run" => (named("WorkRunId"), "The run of agent work."),
        "occurrence" => (json!({"type": "string"}), "The occurrence, by its key."),
        "hook" => (named("HookId"), "The hook of the agent work."),
        "conversation" => (named("ConversationId"), "The conversation."),
        "template" => (named("TemplateId"), "The template."),
        "session" => (named("EvolutionSessionId"), "The session about the template."),
        "rule" => (named("RuleId"), "The rule."),
        "tool" => (json!({"type": "string"}), "The tool, by any of its names."),
        "n" => (json!({"type": "integer", "format": "int64"}), "The version, by its number."),
        "delivery" => (named("DeliveryId"), "The delivery."),
        "question" => (named("QuestionId"), "The question of a run."),
        "runKey" => (named("RunKey"), "The run."),
        "need" => (json!({"type": "string"}), "The entry, by its id."),
        "line" => (json!({"type": "string"}), "The line, as the list of what it knows names it."),
        "set" => (named("ChangeSetId"), "The change set."),
        "token" => (named("TokenId"), "The token, by its name."),
        "name" => (json!({"type": "string"}), "The provider, by its name."),
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
            answered as before. Give another one to each request: one that was used for another \
            request is refused, except that requests about tasks and requests about agents are \
            kept apart.";
        let schema = text().min_length(Some(1)).max_length(Some(IDEMPOTENCY_KEY.max));
        vec![header(Self::NAME, what, schema)]
    }
}

impl IntoParams for IfMatch {
    fn into_params(_default: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let what = "The ETag of what is edited, as it was read: an edit of another revision is refused. \
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

fn text() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String)
}
