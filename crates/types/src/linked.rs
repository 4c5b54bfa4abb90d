//! The tasks one link away, as a model reads them and as the API shows it.

use serde::{Deserialize, Serialize};

use crate::named::Named;
use crate::task::{Priority, Status};
use crate::{AgentId, LabelId, TaskId, Timestamp};

/// What an agent reads of linked tasks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LinkedContext {
    /// Tasks that point at this one, oldest first.
    pub linked_from: Vec<LinkedRow>,
    /// Tasks that this one points at, oldest first.
    pub linked_to: Vec<LinkedRow>,
    /// What did not fit; absent if everything did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
}

/// What was left out because it did not fit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct LeftOut {
    /// Rows of the oldest linked tasks.
    pub tasks: usize,
    /// Reports of tasks that have a row.
    pub reports: usize,
    /// Reports that were shortened.
    pub shortened: usize,
}

/// A linked task as an agent reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct LinkedRow {
    /// Its id.
    pub id: TaskId,
    /// Empty while it is untitled.
    pub title: String,
    /// Its status.
    pub status: Status,
    /// `P0` to `P3`; `P2` if nobody set it.
    pub priority: Priority,
    /// Hours and minutes, `HH:MM`; `null` if there is none.
    pub estimate: Option<String>,
    /// Hours and minutes, `HH:MM`.
    pub time_spent: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// Its labels, by name.
    pub labels: Vec<Named<LabelId>>,
    /// ISO 639 code; `null` if it has none.
    pub language_code: Option<String>,
    /// How this task relates to it: `blocks`, `blocked by`, `part of`, …
    pub relations: Vec<String>,
    /// The agent whose report follows. Absent, like the next two, if no agent has a report on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_agent_id: Option<AgentId>,
    /// The report, as Markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latest_task_agent_report: Option<String>,
    /// When it was published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latest_task_agent_report_created_at: Option<Timestamp>,
}
