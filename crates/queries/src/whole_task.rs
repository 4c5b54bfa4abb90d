//! One task with what its view leaves out, for a file in another format.

use std::collections::BTreeSet;

use dormouse_types::task::Status;
use dormouse_types::{AgentId, EntryId, TaskId, Timestamp, WorkspaceId};
use serde_json::Value;

use crate::view::Task;
use crate::{Queries, QueryError};

/// A task as a file holds it.
#[derive(Debug, Clone)]
pub struct WholeTask {
    /// The task.
    pub task: Task,
    /// When it was done or rejected; `None` while it is neither.
    pub closed_at: Option<Timestamp>,
    /// Entries that came with the task and have no day of their own: their day is that of its
    /// creation.
    pub undated: BTreeSet<EntryId>,
}

impl Queries {
    /// A task with what its view leaves out.
    ///
    /// Errors: no such task; a row of it that cannot be read.
    pub async fn whole_task(&self, ws: WorkspaceId, id: &TaskId) -> Result<WholeTask, QueryError> {
        let view = self.journal.task(ws, id).await?;
        let (task, status) = (&view.task.value, &view.task.value.status);
        let closed_at = match status.status {
            Status::Done | Status::Rejected => Some(status.created_at),
            Status::Open
            | Status::Groomed
            | Status::InProgress
            | Status::Blocked
            | Status::OnHold => None,
        };
        let entries = view.entries.iter().map(|entry| &entry.value);
        let undated = entries
            .filter(|entry| entry.on.is_none() && entry.created_at == task.created_at)
            .map(|entry| entry.id.clone())
            .collect();
        Ok(WholeTask { task: self.task_view(ws, &view).await?, closed_at, undated })
    }

    /// The latest report of an agent as Markdown; a report of an older format as its JSON.
    ///
    /// Errors: its rows cannot be read.
    pub async fn report_text(
        &self,
        ws: WorkspaceId,
        agent: &AgentId,
    ) -> Result<Option<String>, QueryError> {
        let Some(report) = self.agents.latest_report(ws, agent).await? else { return Ok(None) };
        let markdown = match &report.content {
            Value::String(text) => Some(text.as_str()),
            Value::Object(members) => {
                members.get("markdown").or(members.get("text")).and_then(Value::as_str)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
        };
        let content = match markdown {
            Some(text) => text.to_owned(),
            None => format!("```json\n{:#}\n```", report.content),
        };
        let tldr = report.tldr.unwrap_or_default();
        Ok(Some(if tldr.is_empty() || content.contains(&tldr) {
            content
        } else {
            format!("**{tldr}**\n\n{content}")
        }))
    }
}
