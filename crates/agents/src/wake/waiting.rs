//! Which pending wakes a command may run now, and which are put off.
//!
//! A command does not wait for a merge window, but it respects what was deliberately put off: by a
//! back-off, an unavailable provider, "sleep until", or a time that a person set.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use dormouse_scheduler::readable;
use dormouse_store::agent::agent_entity::{self, Agent};
use dormouse_store::agent::wake_queue::{self, QueueEntry, Reason};
use dormouse_store::agent::{entity, subscription};
use dormouse_store::in_list;
use dormouse_types::port::{Model, ModelClass};
use dormouse_types::{AgentId, HolderId, TaskId, Timestamp, WorkspaceId};

use crate::wake::holder::agent_of;
use crate::wake::policy::{SHORTEST_WINDOW, merge_window};
use crate::{AgentError, Agents};

/// Whose wakes a drain runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scope {
    /// The agents of these tasks.
    pub tasks: Vec<TaskId>,
    /// These agents.
    pub agents: Vec<AgentId>,
    /// Holders of other kinds.
    pub others: Vec<HolderId>,
    /// All holders that are due.
    pub all_due: bool,
}

/// Agents with a pending wake, by whether it may run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WaitingAgents {
    /// Agents that may run now.
    pub ready: Vec<AgentId>,
    /// Agents whose wakes are put off, and until when.
    pub held: Vec<(AgentId, Timestamp)>,
    /// The models that they ask, each once.
    pub models: BTreeSet<ModelKey>,
}

/// A model by what its circuit breakers are known by.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ModelKey {
    /// The name of its provider.
    pub provider: String,
    pub name: String,
}

impl ModelKey {
    fn of(model: &dyn Model) -> Self {
        Self { provider: model.provider().to_owned(), name: model.name().to_owned() }
    }
}

impl Agents {
    /// Returns the agents of a scope; `None` means all of them.
    pub async fn agents_in(
        &self,
        ws: WorkspaceId,
        scope: &Scope,
    ) -> Result<Option<Vec<AgentId>>, AgentError> {
        if scope.all_due {
            return Ok(None);
        }
        let mut agents = scope.agents.clone();
        for task in &scope.tasks {
            let watchers = self.store.all(subscription::of_task(ws, task)).await?;
            agents.extend(watchers.into_iter().map(|watcher| watcher.agent));
        }
        agents.sort();
        agents.dedup();
        Ok(Some(agents))
    }

    /// Returns the agents with a pending wake, in claim order.
    pub async fn waiting(&self, ws: WorkspaceId) -> Result<WaitingAgents, AgentError> {
        let now = self.clock.now();
        let mut waiting = WaitingAgents::default();
        let rows = readable(self.store.each(wake_queue::waiting(ws)).await?);
        // A holder of another kind is not an agent that waits.
        let rows =
            rows.into_iter().filter_map(|row| Some((AgentId::try_from(&row.holder).ok()?, row)));
        let rows: Vec<(AgentId, QueueEntry)> = rows.collect();
        let agents: Vec<AgentId> = rows.iter().map(|(agent, _)| agent.clone()).collect();
        let models = self.models_of(ws, &agents).await?;
        for (agent, row) in rows {
            let Some(model) = models.get(&agent) else { continue };
            waiting.models.insert(ModelKey::of(&**model));
            if row.owner.is_some() || may_run(&row, now, model.class()) {
                waiting.ready.push(agent);
            } else {
                waiting.held.extend(row.due_at.map(|due| (agent, due)));
            }
        }
        Ok(waiting)
    }

    /// The models of the agents that exist, in one query per 200 agents. Only those that name a model of their
    /// own are read for it.
    pub async fn models_of(
        &self,
        ws: WorkspaceId,
        agents: &[AgentId],
    ) -> Result<BTreeMap<AgentId, Arc<dyn Model>>, AgentError> {
        let mut models = BTreeMap::new();
        for some in agents.chunks(in_list::MOST) {
            let choices = readable(self.store.each(agent_entity::model_choices(ws, some)).await?);
            let mut rest = Vec::new();
            for choice in choices {
                match (choice.has_own, choice.template) {
                    (false, Ok(template)) => {
                        let model = self.driver.models().of_agent(None, template.as_ref());
                        models.insert(choice.id, model);
                    }
                    (true, _) | (false, Err(_)) => rest.push(choice.id),
                }
            }
            if rest.is_empty() {
                continue;
            }
            let agents = readable(self.store.each(entity::some::<Agent>(ws, &rest)).await?);
            let agents = agents.into_iter().map(|agent| agent.doc.value);
            models.extend(agents.map(|agent| (agent.id.clone(), self.model_of(&agent))));
        }
        Ok(models)
    }

    /// Returns whether a command may run a row of an agent now. The agent is read only where its model
    /// decides: the row waits longer than a free model merges changes, and not longer than a paid one.
    pub(crate) async fn is_ready(
        &self,
        ws: WorkspaceId,
        row: &QueueEntry,
        now: Timestamp,
    ) -> Result<bool, AgentError> {
        let [free, paid] =
            [ModelClass::Free, ModelClass::Paid].map(|class| may_run(row, now, class));
        if free == paid {
            return Ok(free);
        }
        let agent = agent_of(&row.holder)?;
        let models = self.models_of(ws, std::slice::from_ref(&agent)).await?;
        // One that cannot be read is due when its row says so.
        Ok(models.get(&agent).is_some_and(|model| may_run(row, now, model.class())))
    }
}

/// Returns whether a row of a drained agent may run now: it is due, a person asks for it, or only a
/// merge window holds it back.
pub(crate) fn may_run(row: &QueueEntry, now: Timestamp, class: ModelClass) -> bool {
    let Some(due) = row.due_at else { return false };
    if row.owner.is_some() {
        return false;
    }
    // An agent that was just unblocked becomes due within the shortest window.
    let is_due = due <= now + SHORTEST_WINDOW;
    if row.put_off.is_some() && !is_due {
        return false;
    }
    let by_person = row.reasons.iter().any(|reason| !reason.is_automatic());
    is_due || by_person || only_merges(row, due, now, merge_window(class))
}

/// Returns whether a row only waits for further changes to merge. A run that was put back waits for
/// its provider, a timer may be a back-off, and a sleep has its own end.
fn only_merges(row: &QueueEntry, due: Timestamp, now: Timestamp, window: Duration) -> bool {
    let sleeps = row.sleep_until.is_some_and(|until| until > now);
    let was_put_off = row.run_key.is_some() || row.reasons.contains(&Reason::Timer) || sleeps;
    // An old signal may have been given a due time just now, and by another process's clock its
    // window may end later.
    let since = row.first_signal_at.unwrap_or(now);
    !was_put_off && (due <= now + window || due <= since + window)
}
