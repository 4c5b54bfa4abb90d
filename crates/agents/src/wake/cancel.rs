//! Cancelling a pending wake.

use dormouse_scheduler::claim::has_moved;
use dormouse_scheduler::status::{Event, after};
use dormouse_store::agent::agent_entity::Agent;
use dormouse_store::agent::entity::{self, Stored};
use dormouse_store::agent::wake_queue;
use dormouse_store::agent::wake_run::{self, Status};
use dormouse_store::{
    Audit, Commit, CommitError, Db, MaybeRefused as _, Op, ReadError, Refusal, retry,
};
use dormouse_types::audit::AuditAction;
use dormouse_types::{AgentId, Id as _, Seq, WorkspaceId};

use crate::error::broken;
use crate::inbox::UserMessage;
use crate::lifecycle::{ATTEMPTS, RequestContext};
use crate::wake::holder::wake_event;
use crate::{AgentError, Agents};

/// The result of a cancellation.
#[derive(Debug, Clone)]
pub struct Cancelled {
    pub agent: Stored<Agent>,
    /// Whether a wake was pending.
    pub is_done: bool,
    /// Messages cancelled with it, which no run will hear.
    pub unheard: Vec<UserMessage>,
}

impl Agents {
    /// Cancels an agent's pending wake, including an interrupted run. Changes stay pending for the
    /// next wake; messages are dropped with this one and returned to the caller.
    ///
    /// Everything that could wake the agent is cleared in one commit, so nothing brings the wake
    /// back. A wake that was claimed meanwhile continues, and the cancellation reports that.
    /// Errors: `State` while the agent is at work.
    pub async fn cancel(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        context: &RequestContext,
    ) -> Result<Cancelled, AgentError> {
        let agent = self.agent(ws, id).await?;
        let decide = || self.cancel_once(ws, agent.clone(), context);
        retry(ATTEMPTS, &[Refusal::LeaseLost], decide).await.map_err(|error| {
            match error.refusal() {
                Some(Refusal::LeaseLost) => AgentError::Busy { agent: id.clone() },
                _ => error,
            }
        })
    }

    /// Makes one attempt to cancel; fails with `LeaseLost` if the queue row moved meanwhile.
    async fn cancel_once(
        &self,
        ws: WorkspaceId,
        agent: Stored<Agent>,
        context: &RequestContext,
    ) -> Result<Cancelled, AgentError> {
        let label = "wake.cancel";
        let id = &agent.doc.value.id.clone();
        let nothing = Cancelled { agent, is_done: false, unheard: Vec::new() };
        let Some(row) = self.store.first(wake_queue::of_holder(ws, id)).await? else {
            return Ok(nothing);
        };
        if row.owner.is_some() {
            let hint = "cancel its run, which keeps what it was to see for the next wake";
            return Err(AgentError::State { agent: id.clone(), state: "at work", hint });
        }
        let run = match &row.run_key {
            Some(key) => self.store.first(wake_run::by_key(ws, key)).await?,
            None => None,
        };
        if run.as_ref().is_some_and(|run| run.status != Status::Queued)
            && has_moved(&self.store, ws, &row).await?
        {
            return Err(CommitError::Refused { label, refusal: Refusal::LeaseLost }.into());
        }
        let (unheard, mark) = self.cancel_messages(ws, id).await?;
        // Guarded by everything that was read: a message that arrives meanwhile must be returned or
        // stay pending.
        let mut commit = Commit::new(label, Db::Agent, ws)
            .op(wake_queue::unchanged(ws, &row))
            .op(wake_queue::cancel(ws, &row))
            .ops(mark)
            .change(wake_event(id, id.as_str()))
            .audit(Audit {
                // The answer may get lost, so the audit log lists the dropped messages too.
                detail: unheard.iter().map(|words| words.id.as_str()).collect::<Vec<_>>().join(" "),
                ..crate::lifecycle::audit(context, AuditAction::AgentCancel, id.as_str())
            });
        if let Some(run) = &run {
            let (from, error) = (run.status, "cancelled by a person");
            let to = after(from, Event::GivenUp).map_err(broken)?;
            commit = commit.op(wake_run::cancel(ws, &run.key, from, to, self.clock.now(), error));
        } else if row.due_at.is_none() && unheard.is_empty() {
            return Ok(nothing);
        }
        self.store.commit(commit).await?;
        Ok(Cancelled { is_done: true, unheard, ..nothing })
    }

    /// Returns the agent's unheard messages, and the op that moves its mark past them.
    async fn cancel_messages(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
    ) -> Result<(Vec<UserMessage>, Option<Op>), AgentError> {
        let mut state = match self.state(ws, id).await {
            // A damaged agent has no readable mark; its wake can still be cancelled.
            Err(AgentError::Read(ReadError::Corrupt { .. })) => return Ok((Vec::new(), None)),
            other => other?,
        };
        let heard = self.heard(ws, &state.value).await?;
        let unheard = self.user_messages(ws, id, heard, Seq(i64::MAX)).await?;
        let Some(newest) = unheard.last().map(|words| words.position) else {
            return Ok((unheard, None));
        };
        state.value.heard_upto = Some(newest.0);
        state.value.updated_at = self.clock.now();
        Ok((unheard, Some(entity::put(ws, &state))))
    }
}
