//! What is in the memory of an agent at a time, apart from the lines of its log.

use std::collections::BTreeSet;

use dormouse_runs::clearance::{self, Clearance};
use dormouse_store::agent::change_set::{Decision, DecisionVerdict, Outcome};
use dormouse_store::agent::checkpoint::{self, CheckpointText};
use dormouse_store::agent::entity;
use dormouse_store::agent::source::Source;
use dormouse_types::memory::{Audience, CheckpointKind};
use dormouse_types::port::{Model, ModelLocation};
use dormouse_types::{AgentId, HolderId, Timestamp, WorkspaceId, limits};

use crate::{AgentError, Agents};

/// Returns whose eyes a model is.
pub(crate) fn audience_of(model: &dyn Model) -> Audience {
    match model.location() {
        ModelLocation::BuiltIn | ModelLocation::OwnServer => Audience::Everything,
        ModelLocation::Elsewhere => Audience::Public,
    }
}

impl Agents {
    /// The checkpoint that a prompt of an agent begins with after a time; `None` if nothing was folded by then
    /// for the model that it asks now.
    ///
    /// Errors: no such agent.
    pub async fn checkpoint_in_use(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        until: Timestamp,
    ) -> Result<Option<CheckpointText>, AgentError> {
        let agent = self.agent(ws, id).await?.doc.value;
        let audience = audience_of(&*self.model_of(&agent));
        let wanted = (audience, CheckpointKind::Summary);
        let query = checkpoint::newest(ws, &HolderId::from(id), wanted, 0, until);
        Ok(self.store.first(query).await?)
    }

    /// Decides what the model that an agent asks now may see of what was made of these sources.
    ///
    /// Errors: no such agent.
    pub async fn clearance_for(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        requested: BTreeSet<Source>,
    ) -> Result<Clearance, AgentError> {
        let agent = self.agent(ws, id).await?.doc.value;
        let model = self.model_of(&agent);
        let holder = HolderId::from(id);
        Ok(clearance::clearance(&self.store, ws, &holder, &*model, requested).await?)
    }

    /// The decisions of a person that prompts of an agent repeat, newest first.
    ///
    /// Errors: no such agent.
    pub async fn decisions_in_memory(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        until: Timestamp,
    ) -> Result<Vec<Decision>, AgentError> {
        let Some(task) = self.state(ws, id).await?.value.slots.active_task_id else {
            return Ok(Vec::new());
        };
        let all = self.store.all(entity::of_task::<Decision>(ws, &task)).await?;
        let known = |decision: &Decision| {
            let is_applied = decision.outcome == Outcome::Applied;
            let is_stated = decision.verdict != DecisionVerdict::Confirmed || is_applied;
            let is_undone = decision.undone_at.is_some_and(|at| at <= until);
            decision.created_at <= until && !is_undone && is_stated
        };
        let known = all.into_iter().map(|stored| stored.doc.value).filter(known);
        Ok(known.take(limits::DECISIONS_IN_PROMPT).collect())
    }
}
