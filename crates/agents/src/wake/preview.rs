//! What an agent would send if a person woke it now.

use std::sync::Arc;

use dormouse_runs::{Lease, Preview};
use dormouse_store::agent::agent_entity::Agent;
use dormouse_store::agent::wake_queue::{self, QueueEntry, Reason};
use dormouse_store::lease;
use dormouse_types::port::Model;
use dormouse_types::{AgentId, WorkspaceId, limits};

use crate::lifecycle::alive;
use crate::task_agent::TaskAgent;
use crate::{AgentError, Agents};

/// The request that a wake at this moment would begin with.
#[derive(Clone)]
pub struct WakePreview {
    /// The model that would be used.
    pub model: Arc<dyn Model>,
    /// What would be sent.
    pub preview: Preview,
}

impl Agents {
    /// Composes the first request of a wake that a person asks for now, perhaps with a message, by
    /// the same steps as a run. Writes no row, takes no lease, and asks no model.
    ///
    /// Errors: there is no such agent, it is destroyed, it is at work or waits to continue.
    pub async fn preview(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        message: Option<&str>,
    ) -> Result<WakePreview, AgentError> {
        let agent = self.agent(ws, id).await?.doc.value;
        let model: Arc<dyn Model> = self.model_of(&agent);
        self.preview_of(ws, agent, message, model).await
    }

    /// The same as if the agent had this model of its own, so that a person can see what would leave
    /// before they choose it.
    ///
    /// Errors: as those of [`Agents::preview`].
    pub async fn preview_with(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        message: Option<&str>,
        model: Arc<dyn Model>,
    ) -> Result<WakePreview, AgentError> {
        let agent = self.agent(ws, id).await?.doc.value;
        if self.model_of(&agent).name() == model.name() {
            return self.preview(ws, id, message).await;
        }
        let driver = self.driver.also_asking(model.clone());
        let other = Self { driver, ..self.clone() };
        other.preview_of(ws, agent, message, model).await
    }

    async fn preview_of(
        &self,
        ws: WorkspaceId,
        agent: Agent,
        message: Option<&str>,
        model: Arc<dyn Model>,
    ) -> Result<WakePreview, AgentError> {
        let message = message.map(str::trim);
        limits::MESSAGE.check(message.map_or(0, str::len))?;
        alive(&agent)?;
        let id = agent.id;
        let row = self.store.first(wake_queue::of_holder(ws, &id)).await?;
        let row = row.ok_or_else(|| AgentError::NotFound { agent: id.clone() })?;
        if row.run_key.is_some() {
            let (state, hint) = match row.owner {
                Some(_) => (
                    "at work",
                    "what it sends is shown with its wake; try again when that has ended",
                ),
                None => (
                    "in a wake that waits to continue",
                    "what that sends is shown with it; cancel it to see what the next one would send",
                ),
            };
            return Err(AgentError::State { agent: id, state, hint });
        }
        let before = self.claim_context(ws, &id).await?;
        let run = self.fresh_run(ws, &id, &requested_by_user(row), &before, model.name()).await?;
        // The lease is never taken: nothing is committed under it.
        let lease = Lease { ws, owner: "preview".into(), lasts: lease::term(), run };
        let mut handler = TaskAgent::previewing(self, id, &lease, message);
        let preview = self.driver.preview(&mut handler, &lease).await?;
        Ok(WakePreview { model, preview })
    }
}

/// The row of an agent as a person's request would leave it.
fn requested_by_user(row: QueueEntry) -> QueueEntry {
    let reasons = row.reasons.into_iter().chain([Reason::UserInitiated]).collect();
    QueueEntry { reasons, request_id: Some("preview".into()), ..row }
}
