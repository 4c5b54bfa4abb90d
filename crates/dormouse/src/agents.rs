//! Agents: create, list, wake, control.

use std::time::Duration;

use dormouse_agents::inbox::UserMessage;
use dormouse_agents::lifecycle::{NewAgent, Settings};
use dormouse_agents::wake::route::is_automatic;
use dormouse_journal::JournalError;
use dormouse_store::ReadError;
use dormouse_store::agent::agent_entity::{self, Automation, DormantReason, Lifecycle, State};
use dormouse_store::agent::entity::{self, Stored};
use dormouse_store::agent::timer::{self, Timer};
use dormouse_store::agent::wake_queue::{self, Reason};
use dormouse_types::{AgentId, Caller, Id as _, Scope, TaskId, Timestamp, WorkspaceId};

use crate::agent_state::changed_since;
use crate::request::{request_context, require};
use crate::scheduled::{self, AgentFacts};
use crate::view::{Agent, Slots, StoppedAgent, UnheardMessage};
use crate::{Dormouse, Error};

/// How far in the future a set time may be: ten years, including leap days.
const FARTHEST: Duration = Duration::from_secs(3653 * 24 * 3600);

/// Settings of an agent; `None` leaves a setting unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentPatch {
    /// `auto`, `on` or `off`: whether changes wake it.
    pub automation: Option<String>,
    /// Until when automatic wakes are held back; the inner `None` clears it.
    pub sleep_until: Option<Option<Timestamp>>,
    /// Whether a change to a linked task wakes it immediately.
    pub wake_on_linked: Option<bool>,
}

impl Dormouse {
    /// Creates the agent of a task; it wakes immediately.
    pub async fn create_agent(
        &self,
        caller: &Caller,
        task: &TaskId,
        name: Option<String>,
        key: Option<String>,
    ) -> Result<Agent, Error> {
        require(caller, Scope::Edit)?;
        let new = NewAgent { name, by_name: true };
        let by = request_context(caller, key.as_deref())?;
        let id = self.agents.create(caller.workspace, task, &new, &by).await?;
        self.read_agent(caller.workspace, &id).await
    }

    /// An agent.
    pub async fn agent(&self, caller: &Caller, id: &AgentId) -> Result<Agent, Error> {
        require(caller, Scope::Read)?;
        self.read_agent(caller.workspace, id).await
    }

    /// Reads an agent without a check: a token that may write and not read gets the result of its own
    /// write.
    async fn read_agent(&self, ws: WorkspaceId, id: &AgentId) -> Result<Agent, Error> {
        let agent = self.agents.agent(ws, id).await?;
        self.agent_view(ws, agent).await
    }

    /// Finds agents by an id or its end, a name, or words of the task's title.
    pub async fn find_agents(&self, caller: &Caller, text: &str) -> Result<Vec<Agent>, Error> {
        require(caller, Scope::Read)?;
        let text = text.trim().to_lowercase();
        if text.is_empty() {
            return Ok(Vec::new());
        }
        let ws = caller.workspace;
        // A damaged agent is reported when requested by its full id; it does not hide others.
        let all = self.store.all(entity::each(entity::of_kind::<agent_entity::Agent>(ws))).await?;
        let all: Vec<Stored<agent_entity::Agent>> = all.into_iter().flatten().collect();
        let ends = |id: &str| id == text || (text.len() >= 5 && id.ends_with(&text));
        let mut found: Vec<_> =
            all.iter().filter(|agent| ends(agent.doc.value.id.as_str())).cloned().collect();
        if found.is_empty() {
            let named = |agent: &agent_entity::Agent| agent.display_name.to_lowercase() == text;
            found = all.into_iter().filter(|agent| named(&agent.doc.value)).collect();
        }
        if found.is_empty() {
            for task in self.find_tasks(caller, &text).await? {
                let of_task = entity::each(agent_entity::of_task(ws, &task.id));
                found.extend(self.store.all(of_task).await?.into_iter().flatten());
            }
            found.sort_by(|a, b| {
                let (a, b) = (&a.doc.value, &b.doc.value);
                (b.created_at, &b.id).cmp(&(a.created_at, &a.id))
            });
        }
        let live =
            |agent: &Stored<agent_entity::Agent>| agent.doc.value.lifecycle != Lifecycle::Destroyed;
        if found.iter().any(live) {
            found.retain(live);
        }
        self.agent_views(ws, found, &mut Vec::new()).await
    }

    /// The live agent of a task.
    pub async fn agent_of_task(
        &self,
        caller: &Caller,
        task: &TaskId,
    ) -> Result<Option<Agent>, Error> {
        require(caller, Scope::Read)?;
        self.journal.task(caller.workspace, task).await?;
        match self.agents.of_task(caller.workspace, task).await? {
            Some(agent) => self.agent_view(caller.workspace, agent).await.map(Some),
            None => Ok(None),
        }
    }

    /// Wakes an agent on request, optionally with a message.
    pub async fn wake_agent(
        &self,
        caller: &Caller,
        id: &AgentId,
        message: Option<String>,
        key: Option<String>,
    ) -> Result<Agent, Error> {
        self.wake_for(caller, id, Reason::UserInitiated, message, key).await
    }

    /// Has an agent reanalyse its task from scratch.
    pub async fn reanalyse_agent(
        &self,
        caller: &Caller,
        id: &AgentId,
        key: Option<String>,
    ) -> Result<Agent, Error> {
        self.wake_for(caller, id, Reason::Reanalysis, None, key).await
    }

    async fn wake_for(
        &self,
        caller: &Caller,
        id: &AgentId,
        reason: Reason,
        message: Option<String>,
        key: Option<String>,
    ) -> Result<Agent, Error> {
        require(caller, Scope::Edit)?;
        let by = request_context(caller, key.as_deref())?;
        self.agents.wake(caller.workspace, id, reason, message.as_deref(), &by).await?;
        self.read_agent(caller.workspace, id).await
    }

    /// Sets a time at which an agent wakes in any case, or clears it.
    ///
    /// Errors: a time in the past, or more than ten years away.
    pub async fn wake_agent_at(
        &self,
        caller: &Caller,
        id: &AgentId,
        at: Option<Timestamp>,
        key: Option<String>,
    ) -> Result<Agent, Error> {
        require(caller, Scope::Edit)?;
        let by = request_context(caller, key.as_deref())?;
        self.to_come("at", at)?;
        self.agents.wake_at(caller.workspace, id, at, &by).await?;
        self.read_agent(caller.workspace, id).await
    }

    /// Cancels the waiting wake of an agent. Its next wake covers the changes; messages are
    /// cancelled with this one and returned.
    ///
    /// Errors: the agent is running.
    pub async fn cancel_wake(&self, caller: &Caller, id: &AgentId) -> Result<StoppedAgent, Error> {
        require(caller, Scope::Edit)?;
        let cancelled =
            self.agents.cancel(caller.workspace, id, &request_context(caller, None)?).await?;
        let agent = self.read_agent(caller.workspace, id).await?;
        Ok(stopped(agent, cancelled.unheard))
    }

    /// Changes the settings that control when an agent wakes automatically, atomically.
    ///
    /// Errors: an unknown automation; a time in the past, or more than ten years away.
    pub async fn edit_agent(
        &self,
        caller: &Caller,
        id: &AgentId,
        patch: AgentPatch,
        key: Option<String>,
    ) -> Result<Agent, Error> {
        require(caller, Scope::Edit)?;
        let automation = match patch.automation.as_deref() {
            None => None,
            Some("auto") => Some(Automation::Auto),
            Some("on") => Some(Automation::On),
            Some("off") => Some(Automation::Off),
            Some(other) => {
                return Err(Error::Invalid {
                    field: "automation",
                    message: format!("`{other}` is not one of auto, on, off"),
                });
            }
        };
        let by = request_context(caller, key.as_deref())?;
        self.to_come("sleepUntil", patch.sleep_until.flatten())?;
        let settings = Settings {
            automation,
            wake_on_linked: patch.wake_on_linked,
            sleep_until: patch.sleep_until,
        };
        self.agents.configure(caller.workspace, id, &settings, &by).await?;
        self.read_agent(caller.workspace, id).await
    }

    /// Sets whether changes wake an agent: `auto`, `on` or `off`.
    pub async fn set_automation(
        &self,
        caller: &Caller,
        id: &AgentId,
        automation: &str,
        key: Option<String>,
    ) -> Result<Agent, Error> {
        let patch = AgentPatch { automation: Some(automation.into()), ..AgentPatch::default() };
        self.edit_agent(caller, id, patch, key).await
    }

    fn to_come(&self, field: &'static str, at: Option<Timestamp>) -> Result<(), Error> {
        let Some(at) = at else { return Ok(()) };
        let now = self.clock.now();
        let wrong = |message: String| Err(Error::Invalid { field, message });
        if at <= now {
            return wrong(format!("{at} is in the past: give a future time, or null"));
        }
        if at > now + FARTHEST {
            return wrong(format!("{at} is more than ten years away: give an earlier time"));
        }
        Ok(())
    }

    /// Pauses an agent: changes do not wake it.
    pub async fn pause_agent(
        &self,
        caller: &Caller,
        id: &AgentId,
        key: Option<String>,
    ) -> Result<Agent, Error> {
        require(caller, Scope::Edit)?;
        self.agents.pause(caller.workspace, id, &request_context(caller, key.as_deref())?).await?;
        self.read_agent(caller.workspace, id).await
    }

    /// Resumes a dormant agent.
    pub async fn resume_agent(
        &self,
        caller: &Caller,
        id: &AgentId,
        key: Option<String>,
    ) -> Result<Agent, Error> {
        require(caller, Scope::Edit)?;
        self.agents.resume(caller.workspace, id, &request_context(caller, key.as_deref())?).await?;
        self.read_agent(caller.workspace, id).await
    }

    /// Destroys an agent; its history is kept. Returns its undelivered messages.
    pub async fn destroy_agent(
        &self,
        caller: &Caller,
        id: &AgentId,
        key: Option<String>,
    ) -> Result<StoppedAgent, Error> {
        require(caller, Scope::Edit)?;
        let ws = caller.workspace;
        self.agents.destroy(ws, id, &request_context(caller, key.as_deref())?).await?;
        let unheard = self.agents.unheard(ws, id).await?;
        Ok(stopped(self.read_agent(caller.workspace, id).await?, unheard))
    }

    pub(crate) async fn agent_view(
        &self,
        ws: WorkspaceId,
        stored: Stored<agent_entity::Agent>,
    ) -> Result<Agent, Error> {
        let id = &stored.doc.value.id;
        let state: State = self.agents.state(ws, id).await?.value;
        let row = self.store.first(wake_queue::of_agent(ws, id)).await?;
        let row = row.as_ref();
        let task_title = match &state.slots.active_task_id {
            None => None,
            Some(task) => match self.journal.task(ws, task).await {
                Ok(view) => Some(view.task.value.title.clone()),
                Err(
                    JournalError::NoTask { .. } | JournalError::Read(ReadError::Corrupt { .. }),
                ) => None,
                Err(error) => return Err(error.into()),
            },
        };
        let timers = self.store.all(timer::of_agents(ws, std::slice::from_ref(id))).await?;
        // A damaged timer is reported where timers are listed.
        let timers: Vec<Timer> = timers.into_iter().flatten().collect();
        let since = self.awake_since(ws, row.into_iter()).await?.remove(id);
        Ok(self.agent_as(stored, state, row, &timers, task_title, since))
    }

    /// Builds the view of an agent.
    pub(crate) fn agent_as(
        &self,
        stored: Stored<agent_entity::Agent>,
        state: State,
        row: Option<&wake_queue::QueueEntry>,
        timers: &[Timer],
        task_title: Option<String>,
        awake_since: Option<Timestamp>,
    ) -> Agent {
        let agent = stored.doc.value;
        let automatic = is_automatic(&agent, self.model.class());
        let now = self.clock.now();
        let known = AgentFacts { agent: &agent, automatic, state: &state, row, timers, now };
        let scheduled_wakes = scheduled::wakes(&known);
        Agent {
            automatic,
            id: agent.id,
            kind: agent.kind,
            display_name: agent.display_name,
            lifecycle: lifecycle_name(agent.lifecycle).into(),
            dormant_reason: agent.dormant_reason.map(|reason| {
                match reason {
                    DormantReason::Paused => "paused",
                    DormantReason::Failures => "failures",
                    DormantReason::TaskDeleted => "taskDeleted",
                    DormantReason::Budget => "budget",
                }
                .into()
            }),
            mode: agent.mode,
            automation: match agent.config.automation {
                Automation::Auto => "auto",
                Automation::On => "on",
                Automation::Off => "off",
            }
            .into(),
            allowed_category_ids: agent.allowed_category_ids,
            slots: Slots { active_task_id: state.slots.active_task_id },
            task_title,
            activity: self.activity_of(row).into(),
            awake_since,
            due_at: row.and_then(|row| row.due_at),
            last_wake_at: state.last_wake_at,
            next_wake_at: scheduled::next(&scheduled_wakes),
            scheduled_wakes,
            consecutive_failure_count: state.consecutive_failure_count,
            revision: state.revision,
            processed_counter_by_host: state.processed_counter_by_host,
            stale_since: row.and_then(changed_since),
            sleep_until: self.sleeps_until(row),
            wake_on_linked: agent.config.wake_on_linked,
            model: agent.config.model.unwrap_or_else(|| self.model.name().to_owned()),
            reads_messages: self.model.reads_messages(),
            created_at: agent.created_at,
            destroyed_at: agent.destroyed_at,
            vector_clock: stored.columns.clock,
        }
    }
}

fn stopped(agent: Agent, unheard: Vec<UserMessage>) -> StoppedAgent {
    let unheard = unheard.into_iter().map(|words| UnheardMessage {
        id: words.id,
        created_at: words.at,
        text: words.text,
    });
    StoppedAgent { agent, unheard: unheard.collect() }
}

pub(crate) fn lifecycle_name(lifecycle: Lifecycle) -> &'static str {
    match lifecycle {
        Lifecycle::Created => "created",
        Lifecycle::Active => "active",
        Lifecycle::Dormant => "dormant",
        Lifecycle::Destroyed => "destroyed",
    }
}
