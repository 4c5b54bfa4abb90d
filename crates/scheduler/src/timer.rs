//! Fires the timers that are due.

use dormouse_store::agent::timer::{self, Timer};
use dormouse_store::agent::wake_queue;
use dormouse_store::{Commit, Db, Refusal};
use dormouse_types::WorkspaceId;

use crate::Scheduler;
use crate::error::SchedulerError;

/// Timers fired in one poll.
const BATCH: i64 = 100;

/// The outcome of a timer that seemed due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fired {
    /// Its holder is signalled.
    Now,
    /// Another process fired it, it was set again, or it is not due by the time of the database.
    Not,
}

impl Scheduler {
    /// Fires the timers of a workspace that are due; returns what happened to each that can be read.
    ///
    /// The timer's mark and its signal are one commit, so a timer fires exactly once, even if it
    /// came due while nothing was running.
    pub async fn fire_timers(
        &self,
        ws: WorkspaceId,
    ) -> Result<Vec<Result<Fired, SchedulerError>>, SchedulerError> {
        let mut fired = Vec::new();
        for due in self.store.all(timer::due(ws, self.now(), BATCH)).await? {
            match due {
                Ok(due) => fired.push(self.fire(ws, &due).await),
                Err(damaged) => tracing::error!(%damaged, "a timer cannot be read"),
            }
        }
        Ok(fired)
    }

    async fn fire(&self, ws: WorkspaceId, due: &Timer) -> Result<Fired, SchedulerError> {
        let now = self.clock.now();
        let signal = self.handler(&due.holder)?.timer_signal(ws, due, now).await?;
        let commit = Commit::new("wake.timer", Db::Agent, ws)
            .op(timer::fire(ws, due))
            .op(wake_queue::signal(ws, &signal));
        match self.store.commit(commit).await {
            Err(error) if error.refusal() == Some(Refusal::Missing) => Ok(Fired::Not),
            other => Ok(other.map(|_| Fired::Now)?),
        }
    }
}
