//! The health of the workspace: its queue, providers and files.

use dormouse_types::Timestamp;
use dormouse_types::closed_list::Listed;
use dormouse_types::model::ProviderUnavailable;
use serde::{Deserialize, Serialize};

use super::Operation;

/// The wake queue in numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Queue {
    /// Agents with a wake that waits.
    pub waiting: i64,
    /// Those of them whose time has come.
    pub due: i64,
    /// Agents at work.
    pub running: i64,
    /// Those of them whose process has been silent for too long; they will be taken over.
    pub expired: i64,
    /// When the wake came due that waits longest.
    pub oldest_due_at: Option<Timestamp>,
    /// When the next wake comes due.
    pub next_due_at: Option<Timestamp>,
    /// The unavailable provider that holds back all runs that need it.
    pub held_by: Option<String>,
}

/// A model provider that failed recently and is not called for a while. Nothing is lost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ProviderAlert {
    /// Its name; `provider/model` if only a model is held.
    pub provider: String,
    /// Why it is not called.
    pub why: Listed<ProviderUnavailable>,
    /// When it failed first.
    pub since: Timestamp,
    /// When it is tried again.
    pub until: Timestamp,
    /// What it said last.
    pub detail: String,
}

/// A model provider whose last calls failed, and which is called again soon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ProviderFailure {
    /// Its name; `provider/model` if only a model failed.
    pub provider: String,
    /// When it failed first.
    pub since: Timestamp,
    /// What it said last.
    pub detail: String,
}

/// The diagnosis of a data folder, based on its files.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Diagnosis {
    /// The data folder.
    pub folder: String,
    /// The version of this program.
    pub version: String,
    /// When this was checked.
    pub at: Timestamp,
    /// The findings; those that need the user come first.
    pub findings: Vec<Finding>,
    /// The files of the folder that belong to Dormouse.
    pub files: Vec<FileLook>,
    /// Units: bytes. What is free on the disk of the folder.
    pub disk_free_bytes: Option<u64>,
    /// The two databases.
    pub databases: Vec<DatabaseLook>,
    /// The newest position of the journal.
    pub journal_head: Option<i64>,
    /// The position up to which changes were routed to agents.
    pub routed_upto: Option<i64>,
    /// Changes not routed to agents yet.
    pub changes_to_route: Option<i64>,
    /// The wake queue.
    pub queue: Option<Queue>,
    /// Operations that are not finished.
    pub open_operations: Vec<Operation>,
    /// Model providers that are currently unavailable.
    pub alerts: Vec<ProviderAlert>,
    /// Rows that cannot be read, by their ids.
    pub damaged: Vec<String>,
    /// Files with damaged pages.
    pub damaged_files: Vec<String>,
}

impl Diagnosis {
    /// Adds a finding that needs the user.
    pub fn problem(&mut self, what: impl Into<String>, action: impl Into<String>) {
        let (message, action) = (what.into(), Some(action.into()));
        self.findings.push(Finding { severity: Severity::Problem, message, action });
    }

    /// Notes something worth knowing.
    pub fn note(&mut self, what: impl Into<String>) {
        let message = what.into();
        self.findings.push(Finding { severity: Severity::Note, message, action: None });
    }

    /// Whether any finding needs the user.
    pub fn needs_the_person(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Problem)
    }
}

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Severity {
    /// It needs the user.
    Problem,
    /// Worth knowing.
    Note,
}

/// One thing that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// How much it matters.
    pub severity: Severity,
    /// What was found, naming the thing.
    pub message: String,
    /// What to do.
    pub action: Option<String>,
}

/// A file or folder.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileLook {
    /// Its name in the data folder; `.` is the folder.
    pub name: String,
    /// Who may read and write it, as `0600`.
    pub mode: String,
    /// Units: bytes.
    pub bytes: u64,
}

/// A database file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DatabaseLook {
    /// `journal` or `agent`.
    pub name: String,
    /// The version of SQLite in this program.
    pub sqlite: String,
    /// `wal` unless somebody changed it.
    pub journal_mode: String,
    /// How a commit reaches the disk: `FULL`.
    pub synchronous: String,
    /// Its schema.
    pub schema: i64,
    /// The schema this program writes.
    pub known_schema: i64,
    /// Its host id.
    pub host_id: Option<String>,
}
