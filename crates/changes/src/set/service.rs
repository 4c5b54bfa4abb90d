//! The service that decides proposals: what it is built from, and how it reads and writes items.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use dormouse_journal::{Journal, JournalError, TaskView};
use dormouse_store::agent::change_item::{self, Item};
use dormouse_store::agent::change_set::ChangeSet;
use dormouse_store::agent::entity;
use dormouse_store::agent::work::run;
use dormouse_store::{
    Audit, ChangeRow, Commit, CommitError, Db, Once, Op, ReadError, Refusal, Store,
};
use dormouse_types::audit::AuditAction;
use dormouse_types::port::{Clock, Entropy};
use dormouse_types::{
    Actor, ChangeSetId, EventKind, Id as _, Origin, TaskId, Timestamp, WorkRunId, WorkspaceId,
    WorkspaceZone,
};

use crate::delegate::Delegate;
use crate::set::error::DecideError;
use crate::set::rows::{LoadedItem, Settled};
use crate::set::state::{Event, after};

/// Decides, applies and undoes proposals. Cheap to clone.
#[derive(Clone)]
pub struct Changes {
    pub(crate) store: Store,
    pub(crate) journal: Journal,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) zone: WorkspaceZone,
    /// Only a hint for sweeps; correctness does not depend on it.
    swept: Arc<Mutex<SweepCursor>>,
    /// Set once, where the rooms are joined; shared by all clones.
    delegate: Arc<OnceLock<Arc<dyn Delegate>>>,
}

/// Where the last sweep stopped. The next one continues there, so that items whose deadline is
/// suspended do not hide the items after them.
pub(crate) type SweepCursor = Option<(Timestamp, WorkspaceId, ChangeSetId, i64)>;

/// The person or client that decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decider {
    /// Workspace of the request.
    pub ws: WorkspaceId,
    /// Who decides; written to the audit log.
    pub actor: Actor,
    /// Idempotency key of the request, if it has one.
    pub once: Option<Once>,
    /// The task that the request is about, if it names one: a set of another task does not exist
    /// for it. Checked on the rows that the verdict is decided on.
    pub task: Option<TaskId>,
}

impl Changes {
    /// Creates the service from its ports.
    pub fn new(
        store: Store,
        journal: Journal,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
        zone: WorkspaceZone,
    ) -> Self {
        Self {
            store,
            journal,
            clock,
            entropy,
            zone,
            swept: Arc::default(),
            delegate: Arc::default(),
        }
    }

    /// Sets who starts the agent work that proposals ask for. Only the first call counts.
    pub fn set_delegate(&self, delegate: Arc<dyn Delegate>) {
        // A second one would not know the work of the first.
        let _ = self.delegate.set(delegate);
    }

    /// The same service without anybody who starts agent work: for the work room, which would else hold
    /// itself.
    #[must_use]
    pub fn without_delegate(&self) -> Self {
        Self { delegate: Arc::default(), ..self.clone() }
    }

    pub(crate) fn delegate(&self) -> Option<&Arc<dyn Delegate>> {
        self.delegate.get()
    }

    /// Locks the position of the last sweep. Do not hold the guard across an await.
    pub(crate) fn sweep_cursor(&self) -> MutexGuard<'_, SweepCursor> {
        self.swept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads an item with its set, as the answer to a repeated request.
    pub async fn settled(
        &self,
        who: &Decider,
        set: &ChangeSetId,
        index: i64,
    ) -> Result<Settled, DecideError> {
        Ok(Settled::new(self.load_for(who, set, index).await?, None))
    }

    /// Loads an item that a request decides.
    ///
    /// Errors: there is none, or its set belongs to another task than the request names.
    pub(crate) async fn load_for(
        &self,
        who: &Decider,
        set: &ChangeSetId,
        index: i64,
    ) -> Result<LoadedItem, DecideError> {
        let seen = self.load(who.ws, set, index).await?;
        match &who.task {
            Some(task) if *task != seen.set.doc.value.task_id => {
                Err(DecideError::OfOtherTask { set: set.clone(), task: task.clone() })
            }
            Some(_) | None => Ok(seen),
        }
    }

    pub(crate) async fn load(
        &self,
        ws: WorkspaceId,
        set: &ChangeSetId,
        index: i64,
    ) -> Result<LoadedItem, DecideError> {
        let missing = || DecideError::NotFound { set: set.clone(), index };
        let stored = self
            .store
            .first(entity::by_id::<ChangeSet>(ws, set.as_str()))
            .await?
            .ok_or_else(missing)?;
        let items = self.store.all(change_item::of_set(ws, set)).await?;
        let item = items.iter().find(|item| item.index == index).cloned().ok_or_else(missing)?;
        Ok(LoadedItem { set: stored, items, item, decision: None })
    }

    /// Returns the op that moves an item. Inside the commit it checks state, round and digest
    /// again, and with `fresh_for` also how long the item has been shown.
    pub(crate) fn transition(
        &self,
        ws: WorkspaceId,
        item: &Item,
        event: Event,
        error: Option<&str>,
        fresh_for: Option<Duration>,
        now: Timestamp,
    ) -> Result<Op, DecideError> {
        let to = after(item.state, event).map_err(|e| DecideError::Broken(e.to_string()))?;
        Ok(change_item::transition(ws, item, to, error, fresh_for, now))
    }

    /// Returns the task of an item, or `None` if it does not exist or its rows cannot be read.
    pub(crate) async fn task_of(
        &self,
        ws: WorkspaceId,
        task: &TaskId,
    ) -> Result<Option<TaskView>, DecideError> {
        match self.journal.task(ws, task).await {
            Ok(view) => Ok(Some(view)),
            Err(JournalError::NoTask { .. } | JournalError::Read(ReadError::Corrupt { .. })) => {
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Returns how many results of agent work led to what a confirm writes: one more than to the run that
    /// proposed it.
    pub(crate) async fn depth_of(&self, ws: WorkspaceId, item: &Item) -> Result<i64, DecideError> {
        let Ok(run) = WorkRunId::try_from(&item.proposer) else { return Ok(0) };
        let run = self.store.first(run::by_id(ws, &run)).await?;
        Ok(run.map_or(0, |run| run.depth + 1))
    }

    /// Commits ops about an item to the agent store, with a change row and an audit row.
    ///
    /// A replayed receipt means that the same request has already been written elsewhere. It is
    /// returned as `ItemMoved`, so the caller re-reads the item instead of assuming that its own
    /// ops were written.
    pub(crate) async fn write(
        &self,
        label: &'static str,
        who: &Decider,
        seen: &LoadedItem,
        action: AuditAction,
        ops: Vec<Op>,
    ) -> Result<(), CommitError> {
        let item = &seen.item;
        let origin = Origin::Person { via: Some(item.proposer.clone()) };
        let mut commit = Commit::new(label, Db::Agent, who.ws)
            .ops(ops)
            .change(ChangeRow::agent(
                origin,
                EventKind::ChangeSetItem,
                Some(item.task.clone()),
                item.set.to_string(),
            ))
            .audit(Audit {
                actor: who.actor.clone(),
                action,
                object: format!("{}:{}", item.set, item.index),
                detail: item.operation.to_string(),
            });
        commit.once.clone_from(&who.once);
        match self.store.commit(commit).await?.replayed {
            None => Ok(()),
            // A duplicate of this request was committed first: the caller reads the item again.
            Some(_) => Err(CommitError::Refused { label, refusal: Refusal::ItemMoved }),
        }
    }
}
