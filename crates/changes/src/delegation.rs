//! Agent work that a confirmed proposal starts. What the work room writes for it is part of the commit
//! that ends the confirm, so it is started once, whatever crashes and however often it is confirmed.

use dormouse_store::agent::change_item::Item;
use dormouse_store::agent::wake_run;
use dormouse_store::{ChangeRow, Op, change_log};
use dormouse_types::port::BoxFuture;
use dormouse_types::{Actor, OperationId, RunKey, TaskId, Timestamp, WorkspaceId};

use crate::set::error::DecideError;
use crate::set::service::Changes;
use crate::tools;

/// Agent work as a proposal names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedWork {
    /// Its title.
    pub title: String,
    /// What its run is told to do.
    pub instructions: String,
}

/// Agent work that is started.
#[derive(Debug, Clone)]
pub struct StartedWork {
    /// What is wanted.
    pub wanted: WantedWork,
    /// The confirm: its id is derived from this operation.
    pub operation: OperationId,
    /// When it was confirmed.
    pub at: Timestamp,
    /// The task that its result comes back to.
    pub task: TaskId,
    /// The item, as `set:index`.
    pub item: String,
    /// Who confirmed.
    pub actor: Actor,
    /// How many results of agent work led to it.
    pub depth: i64,
}

/// What is written in the agent store, or why nothing is.
#[derive(Debug, Clone)]
pub enum Answer {
    /// Part of the commit that ends the verdict or its undo.
    Write {
        /// The writes.
        ops: Vec<Op>,
        /// What is told of them.
        news: Vec<ChangeRow>,
    },
    /// Not possible; the reason, for the person.
    Never(String),
}

/// Starts agent work and takes it back: the work room.
pub trait Delegate: Send + Sync {
    /// Returns what starts the work.
    fn start<'a>(
        &'a self,
        ws: WorkspaceId,
        work: &'a StartedWork,
    ) -> BoxFuture<'a, Result<Answer, DecideError>>;

    /// Returns what takes the work of an operation back as long as its run has not begun.
    fn take_back<'a>(
        &'a self,
        ws: WorkspaceId,
        work: &'a StartedWork,
    ) -> BoxFuture<'a, Result<Answer, DecideError>>;
}

impl Changes {
    /// Returns the work that an item starts; `None` if it starts none.
    pub(crate) async fn started_by(
        &self,
        ws: WorkspaceId,
        item: &Item,
        run_key: &str,
        operation: &OperationId,
        actor: Option<&Actor>,
    ) -> Result<Option<StartedWork>, DecideError> {
        let args = serde_json::from_str(&item.args).unwrap_or_default();
        let Some(wanted) = tools::item(&item.tool).and_then(|tool| tool.starts(&args)) else {
            return Ok(None);
        };
        Ok(Some(StartedWork {
            wanted,
            operation: operation.clone(),
            at: item.decided_at.unwrap_or(item.created_at),
            task: item.task.clone(),
            item: format!("{}:{}", item.set, item.index),
            actor: actor.cloned().unwrap_or(Actor::Owner),
            depth: self.depth_of_wake(ws, item, run_key).await?,
        }))
    }

    /// Returns how many results of agent work led to what a wake proposed: as many as to the deepest change
    /// that it was about.
    async fn depth_of_wake(
        &self,
        ws: WorkspaceId,
        item: &Item,
        run_key: &str,
    ) -> Result<i64, DecideError> {
        let key = RunKey(run_key.to_owned());
        let Some(run) = self.store.first(wake_run::by_key(ws, &key)).await? else {
            return self.depth_of(ws, item).await;
        };
        let changes = change_log::of_task(ws, &item.task, run.processed, run.upto);
        let changes = self.store.all(changes).await?;
        let deepest = changes.iter().map(|change| change.depth).max().unwrap_or(0);
        Ok(deepest.max(self.depth_of(ws, item).await?))
    }

    pub(crate) async fn start_work(
        &self,
        ws: WorkspaceId,
        work: &StartedWork,
    ) -> Result<Answer, DecideError> {
        match self.delegate() {
            Some(delegate) => delegate.start(ws, work).await,
            None => Ok(Answer::Never("this program does no agent work".into())),
        }
    }

    pub(crate) async fn take_back_work(
        &self,
        ws: WorkspaceId,
        work: &StartedWork,
    ) -> Result<Answer, DecideError> {
        match self.delegate() {
            Some(delegate) => delegate.take_back(ws, work).await,
            None => Ok(Answer::Never("this program does no agent work".into())),
        }
    }
}
