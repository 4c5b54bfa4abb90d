//! Tasks: lists and search, one task, its links, activity and proposals.

use dormouse_types::linked::LinkedContext;
use dormouse_types::{Caller, CategoryId, ChangeSetId, LabelId, Scope, TaskId, WorkspaceId};

use crate::request::require;
use crate::view::{
    Activity, ChangeSet, Decision, Named, OpenChanges, Page, Task, TaskChange, TaskLink, TaskRow,
};
use crate::{Dormouse, Error, TaskFilter};

impl Dormouse {
    /// A page of tasks, newest first by default.
    ///
    /// Errors: a search text over the limit; a cursor of another list or order.
    pub async fn tasks(
        &self,
        caller: &Caller,
        filter: TaskFilter,
        limit: usize,
        cursor: Option<String>,
    ) -> Result<Page<TaskRow>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.tasks(caller.workspace, filter, limit, cursor).await?)
    }

    /// Finds tasks by an id, its end, a title, or words of one: a page of those of the first that matches any.
    ///
    /// Errors: a search text over the limit; a cursor of another list.
    pub async fn find_tasks(
        &self,
        caller: &Caller,
        text: &str,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<TaskRow>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.find_tasks(caller.workspace, text, limit, cursor).await?)
    }

    /// A task, whole.
    pub async fn task(&self, caller: &Caller, id: &TaskId) -> Result<Task, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.task(caller.workspace, id).await?)
    }

    /// The labels of the workspace, by name.
    pub async fn labels(&self, caller: &Caller) -> Result<Vec<Named<LabelId>>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.labels(caller.workspace).await?)
    }

    /// The categories of the workspace, by name.
    pub async fn categories(&self, caller: &Caller) -> Result<Vec<Named<CategoryId>>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.categories(caller.workspace).await?)
    }

    /// The links of a task to live tasks, newest first.
    ///
    /// Errors: no such task.
    pub async fn task_links(&self, caller: &Caller, id: &TaskId) -> Result<Vec<TaskLink>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.task_links(caller.workspace, id).await?)
    }

    /// What happened to a task, oldest first.
    pub async fn task_activity(
        &self,
        caller: &Caller,
        id: &TaskId,
    ) -> Result<Vec<Activity>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.task_activity(caller.workspace, id).await?)
    }

    /// The open proposals about a task, across all its sets: those shown now first, deferred ones
    /// last, oldest first within each group. None while the task is closed or deleted.
    pub async fn task_changes(
        &self,
        caller: &Caller,
        id: &TaskId,
    ) -> Result<Vec<TaskChange>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.task_changes(caller.workspace, id).await?)
    }

    /// A task, the open proposals about it, and the cursor of the events that both contain: a client
    /// that shows them need not load them again for an event up to it.
    pub async fn open_changes(&self, caller: &Caller, id: &TaskId) -> Result<OpenChanges, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.open_changes(caller.workspace, id).await?)
    }

    /// Decisions about a task, newest first.
    pub async fn task_decisions(
        &self,
        caller: &Caller,
        id: &TaskId,
    ) -> Result<Vec<Decision>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.task_decisions(caller.workspace, id).await?)
    }

    /// What the agent of a task reads of the tasks one link away, with the reports of their agents.
    ///
    /// Errors: no such task.
    pub async fn linked_context(
        &self,
        caller: &Caller,
        id: &TaskId,
    ) -> Result<LinkedContext, Error> {
        require(caller, Scope::Read)?;
        self.journal.task(caller.workspace, id).await?;
        Ok(self.agents.linked_context(caller.workspace, id).await?)
    }

    /// Change sets, newest first: those with open items, or all.
    pub async fn change_sets(
        &self,
        caller: &Caller,
        task: Option<TaskId>,
        all: bool,
    ) -> Result<Vec<ChangeSet>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.change_sets(caller.workspace, task, all).await?)
    }

    /// A change set.
    pub async fn change_set(&self, caller: &Caller, id: &ChangeSetId) -> Result<ChangeSet, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.change_set(caller.workspace, id).await?)
    }

    /// Finds change sets by an id or its end, or words of the task's title.
    pub async fn find_sets(&self, caller: &Caller, text: &str) -> Result<Vec<ChangeSet>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.find_sets(caller.workspace, text).await?)
    }

    /// Reads a task without a check: a token that may write and not read gets the result of its own
    /// write.
    pub(crate) async fn read_task(&self, ws: WorkspaceId, id: &TaskId) -> Result<Task, Error> {
        Ok(self.queries.task(ws, id).await?)
    }

    /// Reads a change set without a check, for the result of a decision.
    pub(crate) async fn read_change_set(
        &self,
        ws: WorkspaceId,
        id: &ChangeSetId,
    ) -> Result<ChangeSet, Error> {
        Ok(self.queries.change_set(ws, id).await?)
    }
}
