//! The shape of an export, as the API document tells it. It is written by the facade.

use serde_json::Value;
use utoipa::ToSchema;

/// Everything of the person's, and what their agents wrote. Documents are as they are stored.
#[derive(ToSchema)]
#[allow(dead_code, reason = "it is described, and never made")]
#[schema(rename_all = "camelCase")]
pub(crate) struct Export {
    /// `dormouse-export`.
    format: String,
    /// Rises when a reader of the version before would go wrong.
    version: u32,
    /// Where it comes from.
    source: ExportSource,
    /// The settings of the workspace, by their names; none in the export of one task.
    settings: Value,
    /// The categories.
    categories: Vec<Value>,
    /// The labels.
    labels: Vec<Value>,
    /// The tasks, oldest first, soft-deleted ones too.
    tasks: Vec<ExportedTask>,
    /// The links between tasks, oldest first; those that were taken away too, unless one task is
    /// exported.
    links: Vec<Value>,
    /// Rows that are no JSON, as text, and rows that cannot be read.
    damaged: Vec<Value>,
}

/// The databases an export comes from.
#[derive(ToSchema)]
#[allow(dead_code, reason = "it is described, and never made")]
pub(crate) struct ExportSource {
    /// The person's.
    journal: ExportedPlace,
    /// The agents' view.
    agent: ExportedPlace,
}

/// A database, and how far it was.
#[derive(ToSchema)]
#[allow(dead_code, reason = "it is described, and never made")]
pub(crate) struct ExportedPlace {
    /// Its host id.
    host: String,
    /// Its newest position when the export began.
    seq: i64,
}

/// A task with all that belongs to it.
#[derive(ToSchema)]
#[allow(dead_code, reason = "it is described, and never made")]
#[schema(rename_all = "camelCase")]
pub(crate) struct ExportedTask {
    /// The task; `null` where it is damaged.
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
    /// Who said last what of which field.
    says: Vec<Value>,
    /// What is for reading alone: an import leaves it out.
    read_only: ExportedTrail,
}

/// What agents wrote about a task.
#[derive(ToSchema)]
#[allow(dead_code, reason = "it is described, and never made")]
pub(crate) struct ExportedTrail {
    /// Its agents, oldest first, destroyed ones too.
    agents: Vec<ExportedAgent>,
}

/// An agent with what it told the person.
#[derive(ToSchema)]
#[allow(dead_code, reason = "it is described, and never made")]
pub(crate) struct ExportedAgent {
    /// The agent.
    agent: Value,
    /// Its state; `null` where it is damaged.
    state: Value,
    /// Its reports, oldest first.
    reports: Vec<Value>,
    /// The person's decisions on its proposals, oldest first.
    decisions: Vec<Value>,
}
