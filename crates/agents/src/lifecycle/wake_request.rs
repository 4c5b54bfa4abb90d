//! Waking an agent at a person's request.

use dormouse_store::agent::agent_entity::Agent;
use dormouse_store::agent::entity::{self, Stored};
use dormouse_store::agent::message::{Chain, Draft, Metadata};
use dormouse_store::agent::wake_queue::{self, Reason, Signal};
use dormouse_store::{Commit, Db, Once, Refusal, change_log, receipt, retry};
use dormouse_types::agent::MessageKind;
use dormouse_types::audit::AuditAction;
use dormouse_types::{
    AgentId, EventKind, Id as _, RequestId, ThreadId, WorkspaceId, address, limits,
};

use super::{ATTEMPTS, RequestContext, alive, audit, busy_if_stale, once};
use crate::{AgentError, Agents};

impl Agents {
    /// Wakes an agent at a person's request; their message becomes a `user` message.
    pub async fn wake(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        reason: Reason,
        message: Option<&str>,
        context: &RequestContext,
    ) -> Result<Stored<Agent>, AgentError> {
        // A refusal means that another request changed the agent: decide again on its present state.
        retry(ATTEMPTS, &[Refusal::Stale], || self.wake_once(ws, id, reason, message, context))
            .await
            .map_err(|error| busy_if_stale(error, id))
    }

    /// Makes one attempt to wake an agent.
    ///
    /// The message and the signal are one commit, so no accepted message is without a wake that
    /// will hear it. Merging the signal into the queue row needs no read of that row, so a wake
    /// never conflicts with routing or with a run under way.
    async fn wake_once(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        reason: Reason,
        message: Option<&str>,
        context: &RequestContext,
    ) -> Result<Stored<Agent>, AgentError> {
        let agent = self.agent(ws, id).await?;
        alive(&agent.doc.value)?;
        let message = message.map(str::trim);
        limits::MESSAGE.check(message.map_or(0, str::len))?;
        if message.is_some_and(|text| !text.contains(address::is_seen)) {
            return Err(AgentError::BlankMessage);
        }
        let now = self.clock.now();
        let request = RequestId::fresh(now, &*self.entropy);
        let request = context.key.clone().unwrap_or_else(|| request.to_string());
        let mut commit = Commit::new("agent.wake", Db::Agent, ws);
        let subject = format!("{id}|{}|{}", reason.name(), message.unwrap_or_default());
        commit.once = once(context, "agent.wake", &subject, id.as_str());
        if let Some(words) = message {
            if !self.was_requested(ws, commit.once.as_ref()).await? {
                self.check_room(ws, id, words).await?;
            }
            let thread = ThreadId::fresh(now, &*self.entropy);
            let mut chain = Chain::new(ws, id.clone(), thread, None);
            let draft = Draft {
                kind: MessageKind::User,
                content: words.to_owned(),
                content_type: "text/markdown",
                trigger: Some(request.clone()),
                metadata: Metadata::default(),
            };
            commit = commit.ops(chain.append(draft, now, &*self.entropy).1);
        }
        let head = self.store.first(change_log::head(Db::Journal, ws)).await?.unwrap_or_default();
        let signal = Signal {
            holder: id.into(),
            reason,
            at: now,
            due_at: Some(now),
            upto: head,
            request_id: Some(request.clone()),
        };
        let message_event = message.map(|_| self.event(EventKind::AgentMessage, None, id.as_str()));
        // The agent must not have been destroyed meanwhile: an accepted message must be heard.
        commit = commit
            .op(entity::unchanged(ws, &agent))
            .op(wake_queue::signal(ws, &signal))
            .change(self.event(EventKind::AgentWake, None, id.as_str()))
            .changes(message_event)
            .audit(audit(context, AuditAction::AgentWake, id.as_str()));
        self.store.commit(commit).await?;
        Ok(agent)
    }

    /// Returns whether a request with this key was already carried out.
    async fn was_requested(
        &self,
        ws: WorkspaceId,
        once: Option<&Once>,
    ) -> Result<bool, AgentError> {
        let Some(once) = once else { return Ok(false) };
        let receipt = receipt::by_id(Db::Agent, ws, &once.id);
        Ok(self.store.first(receipt).await?.is_some())
    }
}
