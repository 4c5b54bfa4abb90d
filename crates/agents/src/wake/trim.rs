//! Deletes change rows that nothing needs any more, so that the logs do not grow for ever.

use std::time::Duration;

use dormouse_store::agent::{feed_position, wake_queue, wake_run, work};
use dormouse_store::{Commit, Db, change_log};
use dormouse_types::{Seq, Timestamp, WorkspaceId, limits};

use crate::{AgentError, Agents};

/// Most positions trimmed in one commit, so that other writers are not held up.
const STEP: i64 = 10_000;

impl Agents {
    /// Trims the change rows of both databases. A row is deleted once it is old and enough newer
    /// ones exist. A journal row is kept while it is unrouted, or while a pending wake or an
    /// unfinished run still needs it.
    ///
    /// Errors: the first one; the other workspaces and the other database are trimmed all the same.
    pub(crate) async fn trim(&self) -> Result<(), AgentError> {
        let mut failed = Ok(());
        for db in Db::ALL {
            match self.store.all(change_log::oldest(db)).await {
                Ok(logs) => {
                    for (ws, oldest, at) in logs {
                        failed = failed.and(self.trim_log(db, ws, oldest, at).await);
                    }
                }
                Err(error) => failed = failed.and(Err(error.into())),
            }
        }
        failed
    }

    /// Trims the log of a workspace, whose oldest row has this position and time.
    async fn trim_log(
        &self,
        db: Db,
        ws: WorkspaceId,
        oldest: Seq,
        at: Timestamp,
    ) -> Result<(), AgentError> {
        let before = self.clock.now() - Duration::from_secs(limits::CHANGES_SECONDS);
        let head = self.store.first(change_log::head(db, ws)).await?.unwrap_or_default();
        if at >= before || head.0 - oldest.0 < limits::CHANGES_KEPT {
            return Ok(());
        }
        let (before, upto) = match db {
            Db::Journal => self.wanted(ws, before).await?,
            Db::Agent => (before, Seq(i64::MAX)),
        };
        let upto = upto.min(Seq(oldest.0.saturating_add(STEP)));
        let last = change_log::last_before(db, ws, before, limits::CHANGES_KEPT, upto);
        let Some(last) = self.store.first(last).await? else { return Ok(()) };
        let mut trim = Commit::new("changes.trim", db, ws).ops(change_log::trim(ws, last));
        if db == Db::Agent {
            trim = trim.op(work::status::trim(ws, last));
        }
        self.store.commit(trim).await?;
        Ok(())
    }

    /// Returns the time before which, and the position up to which, no change of the journal is
    /// needed.
    async fn wanted(
        &self,
        ws: WorkspaceId,
        before: Timestamp,
    ) -> Result<(Timestamp, Seq), AgentError> {
        let host = self.store.host(Db::Journal);
        let routed = self.store.first(feed_position::read(ws)).await?;
        let routed = routed.filter(|at| at.host == host).map_or(Seq(0), |at| at.seq);
        let waits = self.store.first(wake_queue::oldest_signal(ws)).await?.flatten();
        let open = self.store.first(wake_run::least_processed(ws)).await?.flatten();
        Ok((waits.map_or(before, |at| at.min(before)), open.map_or(routed, |at| at.min(routed))))
    }
}
