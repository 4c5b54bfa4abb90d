//! Timers: the signal of one that fires, and the times that a person sets.

use dormouse_store::agent::agent_entity::Agent;
use dormouse_store::agent::entity::Stored;
use dormouse_store::agent::timer::{self, Kind, Timer};
use dormouse_store::agent::wake_queue::{Reason, Signal};
use dormouse_types::audit::AuditAction;
use dormouse_types::{AgentId, Seq, Timestamp, WorkspaceId};

use crate::lifecycle::{AgentPatch, RequestContext, alive};
use crate::wake::holder::agent_of;
use crate::wake::policy::is_automatic;
use crate::{AgentError, Agents};

impl Agents {
    /// Returns the signal that a timer gives when it fires.
    pub(crate) async fn timer_signal(
        &self,
        ws: WorkspaceId,
        due: &Timer,
        now: Timestamp,
    ) -> Result<Signal, AgentError> {
        let id = agent_of(&due.holder)?;
        let (may_wake, reason) = match self.agent(ws, &id).await {
            Ok(agent) => {
                let class = self.model_of(&agent.doc.value).class();
                let automatic = is_automatic(&agent.doc.value, class);
                // A time that a person set applies even if automation is off.
                let is_set_by_person = due.kind == Kind::WakeAt && alive(&agent.doc.value).is_ok();
                let reason = if is_set_by_person && !automatic {
                    Reason::UserInitiated
                } else {
                    Reason::Timer
                };
                (automatic || is_set_by_person, reason)
            }
            // A damaged agent is woken, so that its run fails and reports the damage.
            Err(AgentError::Read(_)) => (true, Reason::Timer),
            Err(AgentError::NotFound { .. }) => (false, Reason::Timer),
            Err(error) => return Err(error),
        };
        Ok(Signal {
            holder: due.holder.clone(),
            reason,
            at: now,
            due_at: may_wake.then_some(due.at),
            upto: Seq(0),
            request_id: None,
        })
    }

    /// Sets when an agent is woken regardless of changes, or clears that time.
    pub async fn wake_at(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        at: Option<Timestamp>,
        context: &RequestContext,
    ) -> Result<Stored<Agent>, AgentError> {
        let agent = self.agent(ws, id).await?;
        alive(&agent.doc.value)?;
        let op = match at {
            Some(at) => timer::set(ws, id, Kind::WakeAt, at, None),
            None => timer::unset(ws, id, Kind::WakeAt),
        };
        let subject = format!("{id}|{}", at.map(|at| at.micros().to_string()).unwrap_or_default());
        self.commit_request(ws, id, AuditAction::AgentWakeAt, &subject, vec![op], context).await?;
        Ok(agent)
    }

    /// Holds back an agent's automatic wakes until a time, or ends the hold.
    pub async fn sleep_until(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        until: Option<Timestamp>,
        context: &RequestContext,
    ) -> Result<Stored<Agent>, AgentError> {
        let settings = AgentPatch { sleep_until: Some(until), ..AgentPatch::default() };
        self.configure(ws, id, &settings, context).await
    }
}
