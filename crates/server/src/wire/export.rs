//! The schemas of exports, for the API document. The facade writes them.

use serde_json::Value;
use utoipa::ToSchema;

/// An export as JSON.
#[derive(ToSchema)]
#[allow(dead_code, reason = "only its schema is used")]
#[serde(untagged)]
pub(crate) enum Exported {
    /// The whole document.
    Whole(Export),
    /// The tasks in the format `json`.
    Tasks(ExportedTasks),
}

/// Tasks as an import reads them again. docs/export.md describes their members.
#[derive(ToSchema)]
#[allow(dead_code, reason = "only its schema is used")]
pub(crate) struct ExportedTasks {
    /// `dormouse-tasks`.
    #[schema(pattern = "^dormouse-tasks$")]
    format: String,
    /// Increases when a reader of the previous version would misread the document.
    version: u32,
    /// The tasks, oldest first.
    tasks: Vec<Value>,
}

/// All of the user's data, and what their agents wrote. Documents are as stored.
#[derive(ToSchema)]
#[allow(dead_code, reason = "only its schema is used")]
#[schema(rename_all = "camelCase")]
pub(crate) struct Export {
    /// `dormouse-export`.
    #[schema(pattern = "^dormouse-export$")]
    format: String,
    /// Increases when a reader of the previous version would misread the document.
    version: u32,
    /// The origin of the document.
    source: ExportSource,
    /// The settings of the workspace by name; absent in the export of one task.
    settings: Value,
    /// The categories.
    categories: Vec<Value>,
    /// The labels.
    labels: Vec<Value>,
    /// The tasks, oldest first, including deleted ones.
    tasks: Vec<ExportedTask>,
    /// The links between tasks, oldest first; removed ones are included unless one task is
    /// exported.
    links: Vec<Value>,
    /// Rows that are not JSON, as text, and rows that cannot be read.
    damaged: Vec<Value>,
}

/// The databases an export comes from.
#[derive(ToSchema)]
#[allow(dead_code, reason = "only its schema is used")]
pub(crate) struct ExportSource {
    /// The journal.
    journal: ExportedPlace,
    /// The agent store.
    agent: ExportedPlace,
}

/// A database and its position.
#[derive(ToSchema)]
#[allow(dead_code, reason = "only its schema is used")]
pub(crate) struct ExportedPlace {
    /// Its host id.
    host: String,
    /// Its newest position when the export began.
    seq: i64,
}

/// A task with all that belongs to it.
#[derive(ToSchema)]
#[allow(dead_code, reason = "only its schema is used")]
#[schema(rename_all = "camelCase")]
pub(crate) struct ExportedTask {
    /// The task; `null` if it is damaged.
    task: Value,
    /// How often it was changed.
    revision: i64,
    /// Its checklists.
    checklists: Vec<Value>,
    /// Its checklist items.
    items: Vec<Value>,
    /// Its entries.
    entries: Vec<Value>,
    /// Its rows of kinds that this version does not know.
    others: Vec<Value>,
    /// For each field, who set it last and to what.
    says: Vec<Value>,
    /// For inspection only: an import ignores it.
    read_only: ExportedHistory,
}

/// What agents wrote about a task.
#[derive(ToSchema)]
#[allow(dead_code, reason = "only its schema is used")]
pub(crate) struct ExportedHistory {
    /// Its agents, oldest first, including destroyed ones.
    agents: Vec<ExportedAgent>,
}

/// An agent with its reports and decisions.
#[derive(ToSchema)]
#[allow(dead_code, reason = "only its schema is used")]
pub(crate) struct ExportedAgent {
    /// The agent.
    agent: Value,
    /// Its state; `null` if it is damaged.
    state: Value,
    /// Its reports, oldest first.
    reports: Vec<Value>,
    /// The user's decisions on its proposals, oldest first.
    decisions: Vec<Value>,
}
