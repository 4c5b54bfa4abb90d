//! What a person has deleted of that which a run is about: it is not sent once more.

use dormouse_runs::{Deleted, RunError};
use dormouse_store::agent::work::result;
use dormouse_store::change_log;
use dormouse_store::journal::task;
use dormouse_types::{Seq, TaskId, Timestamp};

use super::WorkRun;
use crate::events;

impl WorkRun<'_> {
    /// Returns whether a task was deleted that the run is about: the one that requested it, or one of the change that
    /// started it. The deletion of a task may itself be that change.
    pub(super) async fn what_is_deleted(&mut self) -> Result<Option<Deleted>, RunError> {
        let (ws, store) = (self.lease.ws, &self.work.store);
        let requested_by = store.first(result::task_of(ws, &self.run.work)).await?;
        let mut is_deleted = match &requested_by {
            Some(id) => self.is_gone(id, None).await?,
            None => false,
        };
        if let Some(seq) = events::change_of(&self.run) {
            let change = store.first(change_log::after(ws, Seq(seq.0 - 1), 1)).await?;
            for id in change.into_iter().filter(|one| one.seq == seq).flat_map(|one| one.touched) {
                is_deleted |= self.is_gone(&id, Some(self.run.created_at)).await?;
            }
        }
        self.is_task_deleted = is_deleted;
        Ok(is_deleted.then_some(Deleted::Task))
    }

    async fn is_gone(&self, id: &TaskId, after: Option<Timestamp>) -> Result<bool, RunError> {
        let task = self.work.store.first(task::by_id(self.lease.ws, id)).await?;
        let deleted_at = task.map(|task| task.doc.value.deleted_at);
        Ok(deleted_at.is_none_or(|at| at.is_some_and(|at| after.is_none_or(|after| at > after))))
    }
}
