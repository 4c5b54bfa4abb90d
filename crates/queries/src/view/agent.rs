//! Agents, and the reports they keep.

use std::collections::BTreeMap;

use dormouse_types::agent::{
    AgentActivity, AgentKind, AgentMode, Automation, DormantReason, Lifecycle, PutOff, ReportScope,
};
use dormouse_types::closed_list;
use dormouse_types::closed_list::Listed;
use dormouse_types::{AgentId, CategoryId, ReportId, RunKey, TaskId, TemplateId, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ScheduledWake;

/// An agent.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Agent {
    /// Its id.
    pub id: AgentId,
    /// The kind of agent.
    pub kind: Listed<AgentKind>,
    /// Its display name.
    pub display_name: String,
    /// Where it is in its life.
    pub lifecycle: Lifecycle,
    /// Why it is dormant.
    pub dormant_reason: Option<Listed<DormantReason>>,
    /// How it works.
    pub mode: Listed<AgentMode>,
    /// Whether changes wake it automatically.
    pub automation: Automation,
    /// What that means for its model: whether changes currently wake it.
    pub automatic: bool,
    /// Categories its tools may touch.
    pub allowed_category_ids: Vec<CategoryId>,
    /// What its slots point to.
    pub slots: Slots,
    /// The title of its task; none if the task does not exist.
    pub task_title: Option<String>,
    /// What it is doing.
    pub activity: AgentActivity,
    /// When the current run began; none if it is not running.
    pub awake_since: Option<Timestamp>,
    /// The run that is under way, or that was interrupted and waits to be resumed.
    pub run_key: Option<RunKey>,
    /// When the queued wake is due, which may be far ahead. A timer enters the queue only at its
    /// time; `nextWakeAt` also covers future timers.
    pub due_at: Option<Timestamp>,
    /// When its last run completed.
    pub last_wake_at: Option<Timestamp>,
    /// When it next wakes automatically: the first of `scheduledWakes` that nothing holds back.
    pub next_wake_at: Option<Timestamp>,
    /// All scheduled wakes, earliest first.
    pub scheduled_wakes: Vec<ScheduledWake>,
    /// Failed runs in a row.
    pub consecutive_failure_count: i64,
    /// Its state's revision.
    pub revision: i64,
    /// The journal positions that its last completed run covered.
    pub processed_counter_by_host: BTreeMap<String, i64>,
    /// Since when its report is out of date.
    pub stale_since: Option<Timestamp>,
    /// Until when automatic wakes are held back.
    pub sleep_until: Option<Timestamp>,
    /// Whether a change to a linked task wakes it immediately.
    pub wake_on_linked: bool,
    /// The model it uses.
    pub model: String,
    /// Whether that model acts on messages. The built-in rules read only notes.
    pub reads_messages: bool,
    /// The model of its own; none if it uses that of the workspace.
    pub own_model: Option<String>,
    /// The template that it follows; none if it follows the stock default.
    pub template_id: Option<TemplateId>,
    /// Why its wake waits although it could otherwise run; none if nothing puts it off.
    pub put_off: Option<Listed<PutOff>>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was destroyed.
    pub destroyed_at: Option<Timestamp>,
    /// Host and counter of its last write.
    pub vector_clock: BTreeMap<String, i64>,
}

/// What an agent works on.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Slots {
    /// The task.
    pub active_task_id: Option<TaskId>,
}

/// A report.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Its id.
    pub id: ReportId,
    /// The agent.
    pub agent_id: AgentId,
    /// The task.
    pub task_id: Option<TaskId>,
    /// What it is for.
    pub scope: Listed<ReportScope>,
    /// One to three sentences.
    pub tldr: Option<String>,
    /// Markdown.
    pub content: Value,
    /// 0 to 1.
    pub confidence: Option<f64>,
    /// Model and run.
    pub provenance: Value,
    /// When it was published.
    pub created_at: Timestamp,
    /// Since when it is out of date; none if it is current, or for an earlier report.
    pub stale_since: Option<Timestamp>,
    /// Set if it is older than one of the databases; it may mention things that no longer exist.
    pub written_before: Option<Restored>,
}

closed_list! {
    /// A database that can be restored or recreated alone.
    pub enum RestoredDatabase, "database" {
        /// What the user has: tasks, checklists, entries.
        Journal = "journal",
        /// What agents know about it.
        Agent = "agent",
    }
}

/// A database that was restored from an older copy or recreated, with no report since.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Restored {
    /// Which of the two.
    pub database: Listed<RestoredDatabase>,
    /// When that was noticed.
    pub at: Timestamp,
}
