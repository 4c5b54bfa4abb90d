//! Agents: lists and search, one agent, and what determines when it wakes.

use dormouse_types::agent::AgentLinkKind;
use dormouse_types::{AgentId, Caller, Scope, TaskId};

use crate::request::require;
use crate::view::{Agent, AgentState, Link, Page, Subscription, Timer};
use crate::{AgentFilter, Dormouse, Error};

impl Dormouse {
    /// A page of all agents, including destroyed ones, newest first.
    ///
    /// Errors: an unknown lifecycle or activity; a cursor of another list.
    pub async fn agents(
        &self,
        caller: &Caller,
        filter: &AgentFilter,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<Agent>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.agents(caller.workspace, filter, limit, cursor).await?)
    }

    /// A page of the agents found by an id or its end, a name, or words of the task's title, newest first.
    pub async fn find_agents(
        &self,
        caller: &Caller,
        text: &str,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<Agent>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.find_agents(caller.workspace, text, limit, cursor).await?)
    }

    /// An agent.
    pub async fn agent(&self, caller: &Caller, id: &AgentId) -> Result<Agent, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.agent(caller.workspace, id).await?)
    }

    /// The live agent of a task.
    pub async fn agent_of_task(
        &self,
        caller: &Caller,
        task: &TaskId,
    ) -> Result<Option<Agent>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.agent_of_task(caller.workspace, task).await?)
    }

    /// Everything that determines when an agent runs next.
    pub async fn agent_state(&self, caller: &Caller, id: &AgentId) -> Result<AgentState, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.agent_state(caller.workspace, id).await?)
    }

    /// What an agent watches.
    pub async fn subscriptions(
        &self,
        caller: &Caller,
        id: &AgentId,
    ) -> Result<Vec<Subscription>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.subscriptions(caller.workspace, id).await?)
    }

    /// An agent's timers, including its back-off.
    pub async fn timers(&self, caller: &Caller, id: &AgentId) -> Result<Vec<Timer>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.timers(caller.workspace, id).await?)
    }

    /// A page of the links from entities of an agent, newest first; only one type if given.
    pub async fn agent_links(
        &self,
        caller: &Caller,
        id: &AgentId,
        kind: Option<AgentLinkKind>,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<Link>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.agent_links(caller.workspace, id, kind, limit, cursor).await?)
    }
}
