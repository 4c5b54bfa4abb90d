//! Cancelling a run: one that is under way, on any node, or that waits to be resumed.

use dormouse_runs::spending;
use dormouse_scheduler::claim::{is_over, raise_fence};
use dormouse_scheduler::status::{Event, after};
use dormouse_store::agent::wake_queue::{self, Reason};
use dormouse_store::agent::{model_call, wake_run};
use dormouse_store::{Audit, Commit, CommitError, Db, MaybeRefused as _, Refusal, retry};
use dormouse_types::audit::AuditAction;
use dormouse_types::closed_list::Listed;
use dormouse_types::{AgentId, Id as _, RunKey, WorkspaceId};

use crate::error::broken;
use crate::lifecycle::{ATTEMPTS, RequestContext, audit};
use crate::wake::holder::wake_event;
use crate::{AgentError, Agents};

/// The error of a run that a person cancelled.
const CANCELLED: &str = "cancelled";

impl Agents {
    /// Cancels a run that is under way or waits to be resumed. It ends as failed, which counts for
    /// nothing: neither the agent's failures nor its provider's. What it was to see, messages
    /// included, waits for the next wake.
    ///
    /// One commit takes the lease and ends the run, so either this commit or the run's last one is
    /// applied, and the answer says which. The owner, on whichever node, finds its lease lost, drops
    /// the connection to its model and writes nothing more. To cancel twice changes nothing.
    ///
    /// Errors: `NoRun`; `RunEnded` if it has ended otherwise.
    pub async fn cancel_run(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        run: &RunKey,
        context: &RequestContext,
    ) -> Result<(), AgentError> {
        self.agent(ws, id).await?;
        let moved = [Refusal::LeaseLost, Refusal::Stale];
        retry(ATTEMPTS, &moved, || self.cancel_run_once(ws, id, run, context)).await.map_err(
            |error| match error.refusal() {
                Some(Refusal::LeaseLost | Refusal::Stale) => AgentError::Busy { agent: id.clone() },
                _ => error,
            },
        )
    }

    /// Makes one attempt; fails with `LeaseLost` or `Stale` if the run moved meanwhile.
    async fn cancel_run_once(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        key: &RunKey,
        context: &RequestContext,
    ) -> Result<(), AgentError> {
        let label = "run.cancel";
        let moved = || CommitError::Refused { label, refusal: Refusal::LeaseLost };
        let run = self.store.first(wake_run::by_key(ws, key)).await?;
        let Some(run) = run.filter(|run| run.holder == *id) else {
            return Err(AgentError::NoRun { agent: id.clone(), run: key.clone() });
        };
        if run.is_cancelled() {
            return Ok(());
        }
        if is_over(run.status) {
            let (agent, run, status) = (id.clone(), run.key, run.status);
            return Err(AgentError::RunEnded { agent, run, status });
        }
        let row = self.store.first(wake_queue::of_holder(ws, id)).await?;
        let row = row.filter(|row| row.run_key.as_ref() == Some(key)).ok_or_else(moved)?;
        let open = self.store.all(model_call::open_of_run(ws, key)).await?;
        let to = after(run.status, Event::Cancelled).map_err(broken)?;
        let now = self.clock.now();
        // A run for another reason leaves no mark: the next one sees what came since either way.
        let is_for_changes = run.reason == Listed::Known(Reason::Subscription);
        let changed_since = (is_for_changes && row.upto > run.processed).then_some(run.created_at);
        let commit = Commit::new(label, Db::Agent, ws)
            .op(wake_queue::cancel_run(ws, &row, changed_since))
            .op(wake_run::cancel(ws, key, run.status, to, now, CANCELLED))
            .ops(spending::assumed(ws, key, &open))
            .change(wake_event(id, key.as_str()))
            .audit(Audit {
                detail: key.to_string(),
                ..audit(context, AuditAction::AgentCancelRun, id.as_str())
            });
        self.store.commit(commit).await?;
        // Until its owner notices, it may still be about to write the journal.
        raise_fence(&self.store, ws, &row, row.epoch + 1).await?;
        Ok(())
    }
}
