//! What a start finds: leases of the dead, and operations that were interrupted.

use dormouse_runs::status::{Event, after};
use dormouse_store::agent::wake_queue::{self, Sleeper};
use dormouse_store::agent::wake_run::{self, Status};
use dormouse_store::journal::fence;
use dormouse_store::{ChangeRow, Commit, Db, Op};
use dormouse_types::{Id as _, Origin, WorkspaceId};

use crate::{AgentError, Agents};

impl Agents {
    /// Takes over every lease. The caller holds the data folder's lock: whoever held them is dead.
    ///
    /// The journal's fence is raised first, so that nothing of the old owner can be written after.
    pub async fn take_over(&self, ws: WorkspaceId) -> Result<Vec<String>, AgentError> {
        let mut told = Vec::new();
        for row in self.store.all(wake_queue::leased(ws)).await? {
            let epoch = row.epoch + 1;
            let raise = Commit::new("fence.raise", Db::Journal, ws).ops(fence::pass(
                ws,
                row.agent.as_str(),
                epoch,
            ));
            self.store.commit(raise).await?;
            let (ops, line) = self.interrupted(ws, &row).await?;
            let origin = Origin::Agent { agent: row.agent.clone() };
            let commit = Commit::new("run.takeover", Db::Agent, ws)
                .ops(ops)
                .change(ChangeRow::agent(origin, "agent:wake", None, row.agent.as_str()));
            self.store.commit(commit).await?;
            told.push(line);
        }
        Ok(told)
    }

    async fn interrupted(
        &self,
        ws: WorkspaceId,
        row: &Sleeper,
    ) -> Result<(Vec<Op>, String), AgentError> {
        let now = self.clock.now();
        let crashes = row.crashes + 1;
        let run = match &row.run_key {
            Some(key) => self.store.first(wake_run::by_key(ws, key)).await?,
            None => None,
        };
        let Some(run) = run else {
            return Ok((
                vec![wake_queue::abandon(ws, row)],
                format!("agent {}: lease freed", row.agent),
            ));
        };
        let to = after(run.status, Event::Crashed { crashes })
            .map_err(|e| dormouse_runs::WorkError::Broken(e.to_string()))?;
        if to != Status::Abandoned {
            let ops = vec![
                wake_queue::interrupt(ws, row, crashes, now),
                wake_run::requeue(ws, &run.key, run.status, to, run.epoch, crashes),
            ];
            return Ok((ops, format!("agent {}: an interrupted run will be resumed", row.agent)));
        }
        let error = format!("given up after {crashes} crashes");
        let mut ops = vec![
            wake_queue::abandon(ws, row),
            wake_run::finish(ws, &run.key, run.status, to, now, false, Some(&error)),
        ];
        ops.extend(self.failure_ops(ws, &row.agent).await?);
        Ok((ops, format!("agent {}: {error}", row.agent)))
    }
}
