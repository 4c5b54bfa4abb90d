//! Agents: create, wake, control.

use std::sync::Arc;
use std::time::Duration;

use dormouse_agents::draft::drafts::ReportDraft;
use dormouse_agents::inbox::UserMessage;
use dormouse_agents::lifecycle::{AgentPatch, NewAgent};
use dormouse_store::Hints;
use dormouse_store::agent::wake_queue::Reason;
use dormouse_types::memory::Removal;
use dormouse_types::{AgentId, Caller, RunKey, Scope, TaskId, TemplateId, Timestamp};

use crate::request::{request_context, require};
use crate::view::{Agent, StoppedAgent, UnheardMessage, Wake};
use crate::{Dormouse, Error};

/// How far in the future a set time may be: ten years, including leap days.
const FARTHEST: Duration = Duration::from_secs(3653 * 24 * 3600);

impl Dormouse {
    /// Creates the agent of a task; it wakes immediately.
    pub async fn create_agent(
        &self,
        caller: &Caller,
        task: &TaskId,
        name: Option<String>,
        key: Option<String>,
    ) -> Result<Agent, Error> {
        self.create_agent_following(caller, task, name, None, key).await
    }

    /// The same, with the template that it follows; `None` is that of the category of its task, or the stock
    /// default. One that names a model needs the scope `admin`, as an own model does.
    ///
    /// Errors: the template is not there, archived, without an active version, or not for task agents.
    pub async fn create_agent_following(
        &self,
        caller: &Caller,
        task: &TaskId,
        name: Option<String>,
        template: Option<TemplateId>,
        key: Option<String>,
    ) -> Result<Agent, Error> {
        require(caller, Scope::Edit)?;
        if let Some(template) = &template {
            self.check_template_model(caller, template).await?;
        }
        let new = NewAgent { name, template, by_name: true };
        let by = request_context(caller, key.as_deref())?;
        let agent = self.agents.create(caller.workspace, task, &new, &by).await?;
        Ok(self.queries.agent_view(caller.workspace, agent).await?)
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
        let ws = caller.workspace;
        let agent = self.agents.wake(ws, id, reason, message.as_deref(), &by).await?;
        Ok(self.queries.agent_view(ws, agent).await?)
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
        let agent = self.agents.wake_at(caller.workspace, id, at, &by).await?;
        Ok(self.queries.agent_view(caller.workspace, agent).await?)
    }

    /// Cancels the waiting wake of an agent. Its next wake covers the changes; messages are
    /// cancelled with this one and returned.
    ///
    /// Errors: the agent is running.
    pub async fn cancel_wake(&self, caller: &Caller, id: &AgentId) -> Result<StoppedAgent, Error> {
        require(caller, Scope::Edit)?;
        let (ws, by) = (caller.workspace, request_context(caller, None)?);
        let cancelled = self.agents.cancel(ws, id, &by).await?;
        let agent = self.queries.agent_view(ws, cancelled.agent).await?;
        Ok(stopped(agent, cancelled.unheard))
    }

    /// Cancels a run that is under way, on whichever node, or that waits to be resumed. It ends as
    /// failed, which counts for nothing, and its next wake covers what it was to see, messages
    /// included. To cancel it twice changes nothing.
    ///
    /// Errors: it has ended otherwise; the agent has no such run.
    pub async fn cancel_run(
        &self,
        caller: &Caller,
        id: &AgentId,
        run: &RunKey,
    ) -> Result<Wake, Error> {
        require(caller, Scope::Edit)?;
        let by = request_context(caller, None)?;
        self.agents.cancel_run(caller.workspace, id, run, &by).await?;
        Ok(self.queries.wake(caller.workspace, id, run).await?)
    }

    /// Returns what the removal of a line of [`Dormouse::knowledge`] would take away, and what can then
    /// no longer be shown as it was. Of a line that was removed, what it took.
    ///
    /// Errors: the agent knows no such line.
    pub async fn removal(
        &self,
        caller: &Caller,
        id: &AgentId,
        line: &str,
        with_entry: bool,
    ) -> Result<Removal, Error> {
        require(caller, Scope::Read)?;
        Ok(self.agents.removal(caller.workspace, id, line, with_entry).await?)
    }

    /// Returns the newest removals from the memory of an agent, at most `limit`, newest first. They have
    /// none of the words.
    ///
    /// Errors: no such agent.
    pub async fn removals(
        &self,
        caller: &Caller,
        id: &AgentId,
        limit: u32,
    ) -> Result<Vec<Removal>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.agents.removals(caller.workspace, id, i64::from(limit)).await?)
    }

    /// Removes a line from the memory of an agent, and its words from both databases; from the entry
    /// that it was made of only if `with_entry` says so. To remove it twice changes nothing.
    ///
    /// It needs the scope `admin`: nobody can undo it, it reaches into the history of other agents, and
    /// it takes the proof away of what models were sent.
    ///
    /// Errors: the agent knows no such line; an agent that may be reading the words is at work.
    pub async fn remove_line(
        &self,
        caller: &Caller,
        id: &AgentId,
        line: &str,
        with_entry: bool,
    ) -> Result<Removal, Error> {
        require(caller, Scope::Admin)?;
        let by = request_context(caller, None)?;
        Ok(self.agents.remove_line(caller.workspace, id, line, with_entry, &by).await?)
    }

    /// Returns the reports that agents are writing now, as far as they have come, at this server.
    ///
    /// A draft is in memory only: it is gone when its run has ended.
    pub fn drafts(&self, caller: &Caller) -> Result<Vec<Arc<ReportDraft>>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.drafts.of_workspace(caller.workspace))
    }

    /// Receives hints that [`Dormouse::drafts`] may answer differently.
    pub fn draft_hints(&self) -> Hints {
        self.drafts.hints()
    }

    /// Changes the settings that control when an agent wakes automatically, atomically.
    ///
    /// Errors: a time in the past, or more than ten years away.
    pub async fn edit_agent(
        &self,
        caller: &Caller,
        id: &AgentId,
        patch: AgentPatch,
        key: Option<String>,
    ) -> Result<Agent, Error> {
        require(caller, Scope::Edit)?;
        let by = request_context(caller, key.as_deref())?;
        self.to_come("sleepUntil", patch.sleep_until.flatten())?;
        if let Some(Some(model)) = &patch.model {
            require(caller, Scope::Admin)?;
            self.know_model(caller, model).await?;
        }
        if let Some(Some(template)) = &patch.template {
            self.check_template_model(caller, template).await?;
        }
        let agent = self.agents.configure(caller.workspace, id, &patch, &by).await?;
        Ok(self.queries.agent_view(caller.workspace, agent).await?)
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
        let by = request_context(caller, key.as_deref())?;
        let agent = self.agents.pause(caller.workspace, id, &by).await?;
        Ok(self.queries.agent_view(caller.workspace, agent).await?)
    }

    /// Resumes a dormant agent.
    pub async fn resume_agent(
        &self,
        caller: &Caller,
        id: &AgentId,
        key: Option<String>,
    ) -> Result<Agent, Error> {
        require(caller, Scope::Edit)?;
        let by = request_context(caller, key.as_deref())?;
        let agent = self.agents.resume(caller.workspace, id, &by).await?;
        Ok(self.queries.agent_view(caller.workspace, agent).await?)
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
        let by = request_context(caller, key.as_deref())?;
        let agent = self.agents.destroy(ws, id, &by).await?;
        let unheard = self.agents.unheard(ws, id).await?;
        Ok(stopped(self.queries.agent_view(ws, agent).await?, unheard))
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
