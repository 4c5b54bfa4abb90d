//! Creating, waking, pausing and destroying agents.

mod creation;
mod wake_request;

use dormouse_store::agent::agent_entity::{
    self, Agent, Automation, DormantReason, Lifecycle, State,
};
use dormouse_store::agent::entity::{self, Stored};
use dormouse_store::agent::outdated;
use dormouse_store::agent::subscription::{self};
use dormouse_store::agent::timer;
use dormouse_store::agent::wake_queue::{self};
use dormouse_store::doc::Doc;
use dormouse_store::{
    Audit, ChangeRow, Commit, Db, MaybeRefused as _, Once, Op, Policy, Refusal, receipt, retry,
};
use dormouse_types::audit::AuditAction;
use dormouse_types::template::TemplateKind;
use dormouse_types::{
    Actor, AgentId, EventKind, Id as _, Origin, TaskId, TemplateId, Timestamp, WorkspaceId, hash,
};

pub use creation::NewAgent;

use crate::wake::policy::{SHORTEST_WINDOW, is_automatic};
use crate::{AgentError, Agents};

/// How often a request is decided before it fails as busy.
pub(crate) const ATTEMPTS: Policy = Policy::CONTENDED;

/// Who sends a request, and its idempotency key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestContext {
    /// Who sends it; written to the audit log.
    pub actor: Actor,
    /// Idempotency key, if the request has one.
    pub key: Option<String>,
}

/// Settings of an agent that a person chooses. `None` leaves a setting unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AgentPatch {
    /// Whether changes wake it.
    pub automation: Option<Automation>,
    /// Whether a change to a linked task wakes it immediately.
    pub wake_on_linked: Option<bool>,
    /// The model that it asks; the inner `None` means that of the workspace.
    pub model: Option<Option<String>>,
    /// Until when automatic wakes are held back; `Some(None)` ends the hold.
    pub sleep_until: Option<Option<Timestamp>>,
    /// The template that it follows; the inner `None` means the stock default.
    pub template: Option<Option<TemplateId>>,
}

impl AgentPatch {
    /// Formats the requested settings as one text for receipts and the audit log.
    fn detail(&self) -> String {
        let automation = self.automation.map(|automation| match automation {
            Automation::Auto => "automation auto".to_owned(),
            Automation::On => "automation on".to_owned(),
            Automation::Off => "automation off".to_owned(),
        });
        let linked = self.wake_on_linked.map(|wakes| format!("wakeOnLinked {wakes}"));
        let until = self.sleep_until.map(|until| match until {
            Some(until) => format!("sleepUntil {until}"),
            None => "sleepUntil none".to_owned(),
        });
        let model = self.model.as_ref().map(|model| match model {
            Some(model) => format!("model {model}"),
            None => "model of the workspace".to_owned(),
        });
        let template = self.template.as_ref().map(|template| match template {
            Some(template) => format!("template {template}"),
            None => "template default".to_owned(),
        });
        [automation, linked, until, model, template]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(", ")
    }
}

/// A change to an agent: its name in receipts and the audit log, and the ops committed with it.
struct WantedWake {
    action: AuditAction,
    detail: String,
    more_ops: Vec<Op>,
}

impl WantedWake {
    fn plain(action: AuditAction) -> Self {
        Self { action, detail: String::new(), more_ops: Vec::new() }
    }
}

impl Agents {
    /// Returns the live agent of a task.
    pub async fn of_task(
        &self,
        ws: WorkspaceId,
        task: &TaskId,
    ) -> Result<Option<Stored<Agent>>, AgentError> {
        let agents = self.store.all(agent_entity::of_task(ws, task)).await?;
        Ok(agents.into_iter().find(|agent| agent.doc.value.lifecycle != Lifecycle::Destroyed))
    }

    /// Returns an agent by id.
    pub async fn agent(&self, ws: WorkspaceId, id: &AgentId) -> Result<Stored<Agent>, AgentError> {
        let agent = self.store.first(entity::by_id::<Agent>(ws, id.as_str())).await?;
        agent.ok_or_else(|| AgentError::NotFound { agent: id.clone() })
    }

    /// Returns the durable state of an agent.
    pub async fn state(&self, ws: WorkspaceId, id: &AgentId) -> Result<Doc<State>, AgentError> {
        let state = self.store.first(entity::of_agent::<State>(ws, id, 1)).await?;
        state.map(|state| state.doc).ok_or_else(|| AgentError::NotFound { agent: id.clone() })
    }

    /// Sets when an agent wakes by itself: all given settings or none of them. Switching automation
    /// on catches up on pending changes.
    pub async fn configure(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        settings: &AgentPatch,
        context: &RequestContext,
    ) -> Result<Stored<Agent>, AgentError> {
        let mut more_ops = Vec::new();
        if let Some(until) = settings.sleep_until {
            let retry_at = self.state(ws, id).await?.value.next_wake_at;
            let soonest = self.clock.now() + SHORTEST_WINDOW;
            more_ops.push(wake_queue::sleep_until(ws, id, until, soonest, retry_at));
        }
        if let Some(Some(template)) = &settings.template {
            let template = self.assignable(ws, template, TemplateKind::TaskAgent).await?;
            more_ops.push(entity::unchanged(ws, &template));
        }
        if settings.model.is_some() || settings.template.is_some() {
            // What put its wake off may not concern the other model.
            more_ops.push(wake_queue::release_one(ws, id, self.clock.now()));
        }
        let wanted =
            WantedWake { action: AuditAction::AgentConfigure, detail: settings.detail(), more_ops };
        self.change_agent(ws, id, wanted, context, |agent| {
            alive(agent)?;
            let config = &mut agent.config;
            config.automation = settings.automation.unwrap_or(config.automation);
            config.wake_on_linked = settings.wake_on_linked.unwrap_or(config.wake_on_linked);
            if let Some(model) = &settings.model {
                config.model.clone_from(model);
            }
            if let Some(template) = &settings.template {
                config.template_id.clone_from(template);
            }
            Ok(())
        })
        .await
    }

    /// Pauses an agent: changes start no run.
    pub async fn pause(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        context: &RequestContext,
    ) -> Result<Stored<Agent>, AgentError> {
        self.change_agent(ws, id, WantedWake::plain(AuditAction::AgentPause), context, |agent| {
            // A repeated request whose answer was lost: the agent is already paused.
            if agent.dormant_reason == Some(DormantReason::Paused) {
                return Ok(());
            }
            alive(agent)?;
            agent.lifecycle = Lifecycle::Dormant;
            agent.dormant_reason = Some(DormantReason::Paused);
            Ok(())
        })
        .await
    }

    /// Resumes a dormant agent, which then catches up on what it missed.
    ///
    /// Errors: `NoTask` while its task is deleted, even if the agent is dormant for another reason.
    pub async fn resume(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        context: &RequestContext,
    ) -> Result<Stored<Agent>, AgentError> {
        let gone = self.deleted_task(ws, id).await?;
        self.change_agent(ws, id, WantedWake::plain(AuditAction::AgentResume), context, |agent| {
            if let Some(task) = gone.as_ref().filter(|_| agent.lifecycle != Lifecycle::Destroyed) {
                return Err(AgentError::NoTask { agent: id.clone(), task: task.clone() });
            }
            match agent.lifecycle {
                Lifecycle::Dormant => {
                    agent.lifecycle = Lifecycle::Active;
                    agent.dormant_reason = None;
                    Ok(())
                }
                Lifecycle::Created | Lifecycle::Active => Ok(()),
                Lifecycle::Destroyed => alive(agent),
            }
        })
        .await
    }

    /// Returns the task of an agent if it is deleted.
    async fn deleted_task(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
    ) -> Result<Option<TaskId>, AgentError> {
        let Some(task) = self.state(ws, id).await?.value.slots.active_task_id else {
            return Ok(None);
        };
        let is_deleted = self.journal.task(ws, &task).await?.deleted_at().is_some();
        Ok(is_deleted.then_some(task))
    }

    /// Destroys an agent: it never runs again, and its history is kept.
    pub async fn destroy(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        context: &RequestContext,
    ) -> Result<Stored<Agent>, AgentError> {
        let now = self.clock.now();
        self.change_agent(ws, id, WantedWake::plain(AuditAction::AgentDestroy), context, |agent| {
            if agent.lifecycle != Lifecycle::Destroyed {
                agent.lifecycle = Lifecycle::Destroyed;
                agent.dormant_reason = None;
                agent.destroyed_at = Some(now);
            }
            Ok(())
        })
        .await
    }

    /// Applies a change to an agent and adjusts its pending wakes in the same commit. Returns the agent
    /// as it was written; for a repeated request, as it is now.
    ///
    /// What may run depends on the agent's state, so both must change together: otherwise a paused
    /// agent could keep a due wake, or a resumed one could wait for ever. The commit replaces the
    /// agent row as it was read; if another request changed it first, the change is decided again
    /// on the new row.
    async fn change_agent(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        wanted: WantedWake,
        context: &RequestContext,
        change: impl Fn(&mut Agent) -> Result<(), AgentError>,
    ) -> Result<Stored<Agent>, AgentError> {
        let subject = format!("{id}|{}", wanted.detail);
        let once = once(context, wanted.action.name(), &subject, id.as_str());
        if let Some(once) = &once {
            let receipt = receipt::by_id(Db::Agent, ws, &once.id);
            if let Some(receipt) = self.store.first(receipt).await? {
                // A repeated request: it was carried out then, whatever has happened since.
                let same = receipt.request == once.request;
                if !same {
                    return Err(AgentError::Reused { id: once.id.clone() });
                }
                return self.agent(ws, id).await;
            }
        }
        retry(ATTEMPTS, &[Refusal::Stale], || {
            self.change_once(ws, id, &wanted, once.clone(), context, &change)
        })
        .await
        .map_err(|error| busy_if_stale(error, id))
    }

    /// Makes one attempt to change an agent; fails with `Stale` if it was changed meanwhile.
    async fn change_once(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        wanted: &WantedWake,
        once: Option<Once>,
        context: &RequestContext,
        change: &impl Fn(&mut Agent) -> Result<(), AgentError>,
    ) -> Result<Stored<Agent>, AgentError> {
        let WantedWake { action, detail, more_ops } = wanted;
        let mut stored = self.agent(ws, id).await?;
        let before = stored.doc.value.clone();
        change(&mut stored.doc.value)?;
        if stored.doc.value == before && more_ops.is_empty() {
            if let Some(once) = once {
                let noted = Commit::new("agent.unchanged", Db::Agent, ws).once(once);
                self.store.commit(noted).await?;
            }
            return Ok(stored);
        }
        let now = self.clock.now();
        let changed = stored.doc.value != before;
        if changed {
            stored.doc.value.updated_at = now;
        }
        let after = &stored.doc.value;
        // Even if the agent is unchanged: the additional ops were decided on this row.
        let mut ops: Vec<Op> = vec![entity::replace(ws, &stored)];
        if after.lifecycle == Lifecycle::Destroyed {
            ops.push(subscription::delete_of_agent(ws, id));
            ops.push(timer::delete_of_holder(ws, id));
            ops.push(outdated::clear(ws, id));
        }
        let class = self.model_of(after).class();
        if !changed {
            // Pending wakes keep their due time.
        } else if is_automatic(after, class) {
            // Changes held back while automation was off are due now; if there are none, nothing
            // wakes.
            ops.push(wake_queue::make_due(ws, id, now + SHORTEST_WINDOW));
        } else if after.lifecycle == Lifecycle::Destroyed {
            ops.push(wake_queue::destroy(ws, id, now));
        } else if alive(after).is_ok() {
            ops.push(wake_queue::park_automatic(ws, id));
        } else {
            ops.push(wake_queue::park(ws, id));
        }
        if changed && alive(after).is_ok() {
            ops.extend(self.resignal_unheard(ws, id).await?);
        }
        ops.extend(more_ops.iter().cloned());
        let mut commit = Commit::new("agent.change", Db::Agent, ws)
            .ops(ops)
            .change(self.event(EventKind::AgentChanged, None, id.as_str()))
            .audit(Audit { detail: detail.clone(), ..audit(context, *action, id.as_str()) });
        commit.once = once;
        let committed = self.store.commit(commit).await?;
        if committed.replayed.is_some() {
            return self.agent(ws, id).await;
        }
        Ok(Stored::written(stored.doc, self.store.host(Db::Agent), committed.seq))
    }

    /// Commits a person's request about an agent, once per idempotency key, when the agent row
    /// itself does not change.
    pub(crate) async fn commit_request(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        action: AuditAction,
        subject: &str,
        ops: Vec<Op>,
        context: &RequestContext,
    ) -> Result<(), AgentError> {
        let mut commit = Commit::new("agent.change", Db::Agent, ws)
            .ops(ops)
            .change(self.event(EventKind::AgentChanged, None, id.as_str()))
            .audit(audit(context, action, id.as_str()));
        commit.once = once(context, action.name(), subject, id.as_str());
        self.store.commit(commit).await?;
        Ok(())
    }

    pub(crate) fn event(&self, kind: EventKind, task: Option<TaskId>, subject: &str) -> ChangeRow {
        ChangeRow::agent(Origin::Person { via: None }, kind, task, subject)
    }
}

/// Reports a refusal that is left after the last attempt in words a person can act on.
fn busy_if_stale(error: AgentError, id: &AgentId) -> AgentError {
    match error.refusal() {
        Some(Refusal::Stale) => AgentError::Busy { agent: id.clone() },
        _ => error,
    }
}

/// Makes an agent dormant for an automatic reason. A person's decision takes precedence: a paused
/// agent stays paused, so that restoring its task does not wake it, and a destroyed one stays
/// destroyed.
pub(crate) fn fall_asleep(agent: &mut Agent, reason: DormantReason) {
    let is_settled = agent.lifecycle == Lifecycle::Destroyed
        || agent.dormant_reason == Some(DormantReason::Paused);
    if !is_settled {
        agent.lifecycle = Lifecycle::Dormant;
        agent.dormant_reason = Some(reason);
    }
}

pub(crate) fn alive(agent: &Agent) -> Result<(), AgentError> {
    let (state, hint) = match agent.lifecycle {
        Lifecycle::Created | Lifecycle::Active => return Ok(()),
        Lifecycle::Dormant if agent.dormant_reason == Some(DormantReason::TaskDeleted) => {
            ("dormant", "restore its deleted task, and it works again")
        }
        Lifecycle::Dormant => ("dormant", "resume it first"),
        Lifecycle::Destroyed => ("destroyed", "create a new agent for its task"),
    };
    Err(AgentError::State { agent: agent.id.clone(), state, hint })
}

pub(crate) fn audit(context: &RequestContext, action: AuditAction, object: &str) -> Audit {
    Audit { actor: context.actor.clone(), action, object: object.into(), detail: String::new() }
}

pub(crate) fn once(
    context: &RequestContext,
    verb: &str,
    subject: &str,
    answer: &str,
) -> Option<Once> {
    context.key.as_ref().map(|key| Once {
        id: key.clone(),
        request: hash::joined(&[verb, subject]),
        answer: answer.to_owned(),
        effects: None,
    })
}
