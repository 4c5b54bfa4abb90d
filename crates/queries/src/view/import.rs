//! The progress of an import.

use dormouse_types::closed_list;
use dormouse_types::draft::Format;
use dormouse_types::{AgentId, TaskId};
use serde::{Deserialize, Serialize};

closed_list! {
    /// What an import did with a task of the file.
    pub enum ImportOutcome, "outcome" {
        /// It is new here.
        Created = "created",
        /// Fields were brought up to date.
        Updated = "updated",
        /// It already matched the file.
        Unchanged = "unchanged",
    }
}

/// One line of an import's progress.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", tag = "event")]
pub enum ImportEvent {
    /// The file was read.
    #[serde(rename_all = "camelCase")]
    Read {
        /// Its name.
        file: String,
        /// What it was read as.
        format: Format,
        /// Tasks in it.
        tasks: usize,
        /// Items in it.
        items: usize,
        /// Entries in it.
        entries: usize,
    },
    /// One task is durable.
    #[serde(rename_all = "camelCase")]
    Task {
        /// The task.
        task_id: TaskId,
        /// Its title.
        title: String,
        /// The line it begins on.
        line: usize,
        /// Its outcome.
        outcome: ImportOutcome,
        /// Fields left unchanged because they were edited here.
        kept: Vec<String>,
        /// The agent created for it.
        agent_id: Option<AgentId>,
        /// Tasks written so far.
        done: usize,
        /// Tasks in the file.
        total: usize,
    },
    /// Something to check: a line that was not understood, or a task that was not written.
    #[serde(rename_all = "camelCase")]
    Remark {
        /// The line, from 1.
        line: usize,
        /// What it is.
        message: String,
    },
    /// The end.
    #[serde(rename_all = "camelCase")]
    Done {
        /// Tasks created.
        created: usize,
        /// Tasks changed.
        updated: usize,
        /// Tasks that already matched the file.
        unchanged: usize,
        /// Tasks that were not written, each with a remark that says why.
        #[serde(default)]
        refused: usize,
    },
}
