//! What an agent did: reports, messages, runs, prompts, tool calls, decisions.

use dormouse_types::{AgentId, Caller, RunKey, Scope, ThreadId};

use crate::request::require;
use crate::view::{
    Checkpoint, Decision, KnowledgeLine, MemoryHit, MemoryLine, Message, Page, Prompt, Report,
    TaskAtWake, ToolCall, Wake,
};
use crate::{Dormouse, Error, MessageFilter};

impl Dormouse {
    /// The latest report of an agent.
    pub async fn report(&self, caller: &Caller, id: &AgentId) -> Result<Option<Report>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.report(caller.workspace, id).await?)
    }

    /// Every report of an agent, newest first.
    pub async fn reports(
        &self,
        caller: &Caller,
        id: &AgentId,
        limit: usize,
    ) -> Result<Vec<Report>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.reports(caller.workspace, id, limit).await?)
    }

    /// A page of what an agent remembers line by line, newest first.
    pub async fn memory(
        &self,
        caller: &Caller,
        id: &AgentId,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<MemoryLine>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.memory(caller.workspace, id, limit, cursor).await?)
    }

    /// A page of what an agent remembers that has all words of a search, each from its beginning;
    /// newest first. A page may hold fewer texts than requested, and still have a next one.
    pub async fn search_memory(
        &self,
        caller: &Caller,
        id: &AgentId,
        words: &str,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<MemoryHit>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.search_memory(caller.workspace, id, words, limit, cursor).await?)
    }

    /// A page of what an agent knows, with the source of each line: the summary of older lines, the
    /// decisions that it repeats, then its log, newest first.
    pub async fn knowledge(
        &self,
        caller: &Caller,
        id: &AgentId,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<KnowledgeLine>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.knowledge(caller.workspace, id, limit, cursor).await?)
    }

    /// What older lines of an agent's log were folded into, newest first.
    pub async fn checkpoints(
        &self,
        caller: &Caller,
        id: &AgentId,
    ) -> Result<Vec<Checkpoint>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.checkpoints(caller.workspace, id).await?)
    }

    /// A page of the reports of an agent, newest first.
    pub async fn reports_page(
        &self,
        caller: &Caller,
        id: &AgentId,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<Report>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.reports_page(caller.workspace, id, limit, cursor).await?)
    }

    /// Messages of an agent with their content, oldest first; of one thread if given.
    pub async fn messages(
        &self,
        caller: &Caller,
        id: &AgentId,
        thread: Option<ThreadId>,
        limit: usize,
    ) -> Result<Vec<Message>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.messages(caller.workspace, id, thread, limit).await?)
    }

    /// A page of the messages of an agent, oldest first, grouped by thread.
    pub async fn messages_page(
        &self,
        caller: &Caller,
        id: &AgentId,
        filter: MessageFilter,
    ) -> Result<Page<Message>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.messages_page(caller.workspace, id, filter).await?)
    }

    /// The newest runs of an agent, newest first; a waiting wake comes first, as `queued`.
    pub async fn wakes(
        &self,
        caller: &Caller,
        id: &AgentId,
        limit: usize,
    ) -> Result<Vec<Wake>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.wakes(caller.workspace, id, limit).await?)
    }

    /// A page of the runs of an agent, newest first; a waiting wake comes first, as `queued`.
    pub async fn wakes_page(
        &self,
        caller: &Caller,
        id: &AgentId,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<Wake>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.wakes_page(caller.workspace, id, limit, cursor).await?)
    }

    /// One run of an agent.
    pub async fn wake(&self, caller: &Caller, id: &AgentId, key: &RunKey) -> Result<Wake, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.wake(caller.workspace, id, key).await?)
    }

    /// A task as it was at a wake of its agent, with its report, its proposals and what the agent knew.
    pub async fn task_at_wake(
        &self,
        caller: &Caller,
        id: &AgentId,
        key: &RunKey,
    ) -> Result<TaskAtWake, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.task_at_wake(caller.workspace, id, key).await?)
    }

    /// A page of what an agent knew when one of its runs had ended.
    pub async fn knowledge_at(
        &self,
        caller: &Caller,
        id: &AgentId,
        key: &RunKey,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<KnowledgeLine>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.knowledge_at(caller.workspace, id, key, limit, cursor).await?)
    }

    /// The prompts of a run as they were sent, rebuilt from spans and checked by their digest.
    pub async fn prompts(
        &self,
        caller: &Caller,
        id: &AgentId,
        key: &RunKey,
    ) -> Result<Vec<Prompt>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.prompts(caller.workspace, id, key).await?)
    }

    /// A page of an agent's tool calls, oldest first; only one thread if given.
    pub async fn tool_calls(
        &self,
        caller: &Caller,
        id: &AgentId,
        thread: Option<ThreadId>,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<ToolCall>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.tool_calls(caller.workspace, id, thread, limit, cursor).await?)
    }

    /// Decisions on an agent's proposals, newest first.
    pub async fn decisions(
        &self,
        caller: &Caller,
        id: &AgentId,
        limit: usize,
    ) -> Result<Vec<Decision>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.decisions(caller.workspace, id, limit).await?)
    }

    /// A page of the decisions on an agent's proposals, newest first.
    pub async fn decisions_page(
        &self,
        caller: &Caller,
        id: &AgentId,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<Decision>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.decisions_page(caller.workspace, id, limit, cursor).await?)
    }
}
