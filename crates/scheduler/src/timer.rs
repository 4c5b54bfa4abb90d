//! Fires the timers that are due.

use dormouse_store::agent::timer::{self, Timer};
use dormouse_store::agent::wake_queue;
use dormouse_store::{Commit, Db, Refusal};
use dormouse_types::WorkspaceId;

use crate::Scheduler;
use crate::error::SchedulerError;

/// Timers fired in one poll.
const BATCH: i64 = 100;

impl Scheduler {
    /// Fires the timers of a workspace that are due; returns one error for each that could not be
    /// fired although it can be read.
    ///
    /// The timer's mark and its signal are one commit, so a timer fires exactly once, even if it
    /// came due while nothing was running.
    pub async fn fire_timers(
        &self,
        ws: WorkspaceId,
    ) -> Result<Vec<SchedulerError>, SchedulerError> {
        let mut failed = Vec::new();
        for due in self.store.all(timer::due(ws, self.clock.now(), BATCH)).await? {
            match due {
                Ok(due) => failed.extend(self.fire(ws, &due).await.err()),
                Err(damaged) => tracing::error!(%damaged, "a timer cannot be read"),
            }
        }
        Ok(failed)
    }

    async fn fire(&self, ws: WorkspaceId, due: &Timer) -> Result<(), SchedulerError> {
        let signal = self.handler(&due.holder)?.timer_signal(ws, due).await?;
        let commit = Commit::new("wake.timer", Db::Agent, ws)
            .op(timer::fire(ws, due))
            .op(wake_queue::signal(ws, &signal));
        match self.store.commit(commit).await {
            // Another process fired it, or it was set again.
            Err(error) if error.refusal() == Some(Refusal::Missing) => Ok(()),
            other => other.map(drop).map_err(Into::into),
        }
    }
}
