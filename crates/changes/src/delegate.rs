//! The port to agent work that a confirmed proposal starts.

use dormouse_store::{ChangeRow, Op};
use dormouse_types::port::BoxFuture;
use dormouse_types::{Actor, OperationId, TaskId, Timestamp, WorkspaceId};

use crate::set::error::DecideError;
use crate::tool::WantedWork;

/// Agent work that is started.
#[derive(Debug, Clone)]
pub struct StartedWork {
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
        /// What the model reads about them.
        news: Vec<ChangeRow>,
    },
    /// Not possible; the reason, for the person.
    Never(String),
}

/// Starts agent work and takes it back: the work room.
pub trait Delegate: Send + Sync {
    /// What the person has to do before this work can be started, such as to choose a model; `None` if
    /// nothing.
    fn not_yet<'a>(
        &'a self,
        ws: WorkspaceId,
        wanted: &'a WantedWork,
    ) -> BoxFuture<'a, Result<Option<String>, DecideError>>;

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
