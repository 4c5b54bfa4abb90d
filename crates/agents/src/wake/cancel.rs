//! Cancelling a wake that waits.

use dormouse_store::agent::wake_queue;
use dormouse_store::agent::wake_run::{self, Status};
use dormouse_store::{Commit, Db, Refusal};
use dormouse_types::{AgentId, Id as _, WorkspaceId};

use crate::lifecycle::Asked;
use crate::wake::claim::wake_event;
use crate::{AgentError, Agents};

impl Agents {
    /// Cancels the wake that waits for an agent, an interrupted run included; says whether there
    /// was one. What changed stays to be seen by the next wake.
    ///
    /// Every mark that could wake the agent goes in one commit, so nothing brings the wake back:
    /// whoever claimed it meanwhile keeps it, and the cancellation says so.
    /// Errors: `State` when the agent is at work.
    pub async fn cancel(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        asked: &Asked,
    ) -> Result<bool, AgentError> {
        self.agent(ws, id).await?;
        for _ in 0..3 {
            let Some(row) = self.store.first(wake_queue::of_agent(ws, id)).await? else {
                return Ok(false);
            };
            if row.owner.is_some() {
                let hint = "pause it to keep it from asking again";
                return Err(AgentError::State { agent: id.clone(), state: "at work", hint });
            }
            let run = match &row.run_key {
                Some(key) => self.store.first(wake_run::by_key(ws, key)).await?,
                None => None,
            };
            if run.as_ref().is_some_and(|run| run.status != Status::Queued)
                && self.has_moved(ws, &row).await?
            {
                continue;
            }
            let mut commit = Commit::new("wake.cancel", Db::Agent, ws)
                .op(wake_queue::cancel(ws, &row))
                .change(wake_event(&row, id.as_str()))
                .audit(crate::lifecycle::audit(asked, "agent.cancel", id.as_str()));
            if let Some(run) = &run {
                commit = commit.op(self.ended(ws, run, "cancelled by a person")?);
            } else if row.due_at.is_none() {
                return Ok(false);
            }
            match self.store.commit(commit).await {
                Err(error) if error.refusal() == Some(Refusal::LeaseLost) => {}
                other => return other.map(|_| true).map_err(Into::into),
            }
        }
        Err(AgentError::Busy { agent: id.clone() })
    }
}
