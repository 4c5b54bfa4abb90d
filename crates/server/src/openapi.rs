//! The OpenAPI 3.1 document of the API, generated from the handlers.
//!
//! A handler's annotation contains what only the handler knows: its path, its responses, and the
//! problems of its subject. Two passes over the generated document add what follows from that:
//! `schemas` the properties every body has, `operations` path parameters, the problems of an
//! operation's inputs, and the scope it needs.

mod json;
mod access;
mod operations;
mod schemas;

use dormouse::dates::DayOrder;
use dormouse::{AgentPresence, Due, ExportFormat, ImportAgents, OperationFilter, Sort};
use dormouse_types::agent::AgentLinkKind;
use dormouse_types::{
    AgentId, ChangeSetId, ConversationId, DeliveryId, EntryId, EventKind, ItemId, QuestionId,
    RunKey, TaskId, TemplateId, TokenId, Verdict, WorkId, WorkRunId,
};
use serde_json::{Value, json};
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;

use crate::Problem;
use crate::http;

use self::json::object;

/// The document without operations. The router adds these and their schemas.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Dormouse",
        description = "Tasks, the agents that watch over them, and what these propose. Times are \
            RFC 3339 in UTC, days YYYY-MM-DD. A refusal is a problem (RFC 9457); `x-problems` \
            names those that a status means, and each has a page in docs/errors. `x-scope` is the \
            scope that a token needs.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    tags(
        (name = "tasks", description = "The user's tasks."),
        (name = "task parts", description = "Entries, checklist items and labels of a task."),
        (name = "imports", description = "Task lists from files."),
        (name = "agents", description = "Agents, their messages and reports, and their runs."),
        (name = "change sets", description = "Proposals of agents, and the user's verdicts."),
        (name = "agent work", description = "What agents do themselves: definitions, runs, questions, logs."),
        (name = "templates", description = "Persona and directives that agents follow, in versions."),
        (name = "rules", description = "What agents may not propose, and what is applied by itself."),
        (name = "conversations", description = "What was said to the user outside of a task."),
        (name = "models", description = "Models: providers, the one in use, budgets, usage."),
        (name = "workspace", description = "The workspace as a whole."),
        (name = "access", description = "Tokens and permissions."),
    ),
    components(schemas(
        Problem, Verdict, TaskId, EntryId, ItemId, AgentId, ChangeSetId, RunKey, TokenId,
        ExportFormat, DayOrder, ImportAgents, EventKind, WorkId, WorkRunId, QuestionId,
        ConversationId, DeliveryId, TemplateId, AgentLinkKind, AgentPresence, Due, OperationFilter, Sort
    )),
)]
struct Head;

/// The OpenAPI 3.1 document of every route.
pub(crate) fn document() -> Value {
    let mut api =
        OpenApiRouter::with_openapi(Head::openapi()).merge(http::documented()).into_openapi();
    api.info.version = env!("CARGO_PKG_VERSION").to_owned();
    let mut document = serde_json::to_value(api).expect("a document is plain data");
    schemas::complete(object(&mut document["components"]["schemas"]));
    operations::complete(&mut document);
    document["components"]["securitySchemes"] = json!({"bearer": {
        "type": "http",
        "scheme": "bearer",
        "description": "A token of this workspace, with some of its scopes: read, edit, \
            decide, admin.",
    }});
    document["security"] = json!([{"bearer": []}]);
    document
}
