//! Conversations: what was said to the person outside of a task, and the agent work it was about.

use dormouse_store::agent::conversation::TaskRef;
use dormouse_types::{Caller, ConversationId, Scope, WorkId, limits};

use crate::request::{answer_of, answered, require};
use crate::view::{AgentWork, Conversation, Page, Turn};
use crate::work::{TranscriptFile, work_context};
use crate::{Dormouse, Error};

/// What a person or another program says in a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTurn {
    /// The words.
    pub content: String,
    /// What they do with a piece of agent work.
    pub task_ref: Option<TaskRef>,
}

impl Dormouse {
    /// A page of conversations, the one with the newest turn first.
    pub async fn conversations(
        &self,
        caller: &Caller,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<Conversation>, Error> {
        require(caller, Scope::Read)?;
        limits::PAGE.check(limit)?;
        Ok(self.queries.conversations(caller.workspace, limit, cursor).await?)
    }

    /// A conversation.
    pub async fn conversation(
        &self,
        caller: &Caller,
        id: &ConversationId,
    ) -> Result<Conversation, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.conversation(caller.workspace, id).await?)
    }

    /// A page of the turns of a conversation, newest first.
    pub async fn conversation_turns(
        &self,
        caller: &Caller,
        id: &ConversationId,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<Turn>, Error> {
        require(caller, Scope::Read)?;
        limits::PAGE.check(limit)?;
        Ok(self.queries.conversation_turns(caller.workspace, id, limit, cursor).await?)
    }

    /// A conversation as a file with one JSON object a line, oldest turn first.
    pub async fn conversation_file(
        &self,
        caller: &Caller,
        id: &ConversationId,
    ) -> Result<TranscriptFile, Error> {
        require(caller, Scope::Read)?;
        Ok(TranscriptFile(self.queries.conversation_file(caller.workspace, id).await?))
    }

    /// A page of the agent work that a conversation is about, newest first.
    pub async fn work_of_conversation(
        &self,
        caller: &Caller,
        id: &ConversationId,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<AgentWork>, Error> {
        require(caller, Scope::Read)?;
        limits::PAGE.check(limit)?;
        Ok(self.queries.work_of_conversation(caller.workspace, id, limit, cursor).await?)
    }

    /// A page of the conversations that are about a piece of agent work, newest first.
    pub async fn conversations_of_work(
        &self,
        caller: &Caller,
        work: &WorkId,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<Conversation>, Error> {
        require(caller, Scope::Read)?;
        limits::PAGE.check(limit)?;
        self.work.definition(caller.workspace, work).await?;
        Ok(self.queries.conversations_of_work(caller.workspace, work, limit, cursor).await?)
    }

    /// Begins a conversation.
    ///
    /// Errors: the title is blank or too long.
    pub async fn begin_conversation(
        &self,
        caller: &Caller,
        title: &str,
        key: Option<String>,
    ) -> Result<Conversation, Error> {
        require(caller, Scope::Edit)?;
        let by = work_context(caller, key.as_deref())?;
        let id = self.work.begin_conversation(caller.workspace, title, &by).await?;
        Ok(self.queries.conversation(caller.workspace, &id).await?)
    }

    /// The conversation in which agent work was begun; one that is bound to it if it was begun elsewhere,
    /// or that conversation was deleted.
    pub async fn open_conversation(
        &self,
        caller: &Caller,
        work: &WorkId,
    ) -> Result<Conversation, Error> {
        require(caller, Scope::Edit)?;
        let by = work_context(caller, None)?;
        let id = self.work.conversation_of_work(caller.workspace, work, &by).await?;
        Ok(self.queries.conversation(caller.workspace, &id).await?)
    }

    /// Adds what a person or another program says. Nothing answers it.
    ///
    /// Errors: it is blank or too long; it refers to agent work that is not there.
    pub async fn add_turn(
        &self,
        caller: &Caller,
        id: &ConversationId,
        turn: NewTurn,
        key: Option<String>,
    ) -> Result<Conversation, Error> {
        require(caller, Scope::Edit)?;
        let by = work_context(caller, key.as_deref())?;
        let NewTurn { content, task_ref } = turn;
        self.work.add_turn(caller.workspace, id, &content, task_ref, &by).await?;
        Ok(self.queries.conversation(caller.workspace, id).await?)
    }

    /// Deletes a conversation with its turns, and returns it as it was; so does a repeated request. Agent work
    /// stays.
    pub async fn delete_conversation(
        &self,
        caller: &Caller,
        id: &ConversationId,
        key: Option<String>,
    ) -> Result<Conversation, Error> {
        require(caller, Scope::Edit)?;
        let by = work_context(caller, key.as_deref())?;
        let found = self.queries.conversation(caller.workspace, id).await;
        let answer = answer_of(found.map_err(Error::from))?;
        let answer = self.work.delete_conversation(caller.workspace, id, &answer, &by).await?;
        answered(&answer, ("conversation", id))
    }
}
