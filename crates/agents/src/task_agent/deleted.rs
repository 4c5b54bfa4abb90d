//! What a person has deleted since the prompt of a run was gathered.

use std::sync::Arc;

use dormouse_journal::JournalError;
use dormouse_runs::{Deleted, RunError};

use super::TaskAgent;
use crate::error::from_journal;

impl TaskAgent<'_> {
    /// Returns whether the task of the run was deleted, or an entry of it since the first prompt was gathered.
    pub(super) async fn what_is_deleted(&mut self) -> Result<Option<Deleted>, RunError> {
        let ws = self.lease.ws;
        let mut input = self.input().await?;
        let view = match self.agents.journal.task(ws, &input.task_id).await {
            Ok(view) if view.deleted_at().is_none() => view,
            Ok(_) | Err(JournalError::NoTask { .. }) => {
                // The end of the run puts the agent of a deleted task to sleep.
                Arc::make_mut(&mut input).task.task = None;
                self.input = Some(input);
                return Ok(Some(Deleted::Task));
            }
            Err(error) => return Err(from_journal(error)),
        };
        let is_gathered = |id| self.gathered.contains(id);
        let is_deleted = view.deleted_entries.iter().any(|entry| is_gathered(&entry.value.id));
        Ok(is_deleted.then_some(Deleted::Entry))
    }
}
