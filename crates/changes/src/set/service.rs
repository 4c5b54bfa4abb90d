//! The service behind verdicts, and the ops they share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dormouse_journal::{Journal, JournalError, TaskView};
use dormouse_store::agent::change_item::{self, Item, State};
use dormouse_store::agent::change_set::{ChangeSet, SetStatus};
use dormouse_store::agent::entity::{self, Stored};
use dormouse_store::doc::Doc;
use dormouse_store::{
    Audit, ChangeRow, Commit, CommitError, Db, Once, Op, ReadError, Refusal, Store,
};
use dormouse_types::port::{Clock, Entropy};
use dormouse_types::{
    ChangeSetId, Fingerprint, Id as _, OperationId, Origin, TaskId, Timestamp, WorkspaceId, hash,
};

use crate::set::apply::Round;
use crate::set::error::DecideError;
use crate::set::expire::SweepCursor;
use crate::set::fold;
use crate::set::state::{Event, after};

/// Decides, applies and undoes proposals. Cheap to clone.
#[derive(Clone)]
pub struct Changes {
    pub(crate) store: Store,
    pub(crate) journal: Journal,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) zone: jiff::tz::TimeZone,
    /// Only a hint for sweeps; correctness does not depend on it.
    swept: Arc<Mutex<SweepCursor>>,
}

/// The person or client that decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decider {
    /// Workspace of the request.
    pub ws: WorkspaceId,
    /// Name written to the audit log.
    pub actor: String,
    /// Idempotency key of the request, if it has one.
    pub once: Option<Once>,
}

/// An item and its set, as read or as a commit left them.
#[derive(Debug, Clone)]
pub(crate) struct LoadedItem {
    pub(crate) set: Stored<ChangeSet>,
    pub(crate) items: Vec<Item>,
    pub(crate) item: Item,
}

impl LoadedItem {
    /// Returns the rows after a commit in which the item became `item`, and the ops that bring the
    /// set's row and its ten shown items into line with it.
    ///
    /// The same commit writes both: a set whose row lags behind its items would be listed as open
    /// after its last item was decided.
    pub(crate) fn moved(&self, ws: WorkspaceId, item: Item, now: Timestamp) -> (Self, Vec<Op>) {
        let mut after = self.with(item);
        let ops = refreshed(ws, &mut after.set.doc, &mut after.items, now);
        let index = after.item.index;
        if let Some(item) = after.items.iter().find(|item| item.index == index) {
            after.item = item.clone();
        }
        (after, ops)
    }

    /// Returns the rows with the item replaced; the set's row stays as it was.
    pub(crate) fn with(&self, item: Item) -> Self {
        let same = |other: &Item| if other.index == item.index { &item } else { other }.clone();
        let items = self.items.iter().map(same).collect();
        Self { set: self.set.clone(), items, item }
    }
}

/// What a verdict or its undo left behind: the item with its set, and the task if it is known.
#[derive(Debug, Clone)]
pub struct Settled {
    /// The set.
    pub set: Stored<ChangeSet>,
    /// All items of the set, in order.
    pub items: Vec<Item>,
    /// The item.
    pub item: Item,
    /// The task as it was left; `None` if the request neither wrote nor read it.
    pub task: Option<TaskView>,
}

impl Settled {
    pub(crate) fn new(rows: LoadedItem, task: Option<TaskView>) -> Self {
        let LoadedItem { set, items, item } = rows;
        Self { set, items, item, task }
    }
}

impl Changes {
    /// Creates the service from its ports.
    pub fn new(
        store: Store,
        journal: Journal,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
        zone: jiff::tz::TimeZone,
    ) -> Self {
        Self { store, journal, clock, entropy, zone, swept: Arc::default() }
    }

    /// Locks the position of the last sweep. Do not hold the guard across an await.
    pub(crate) fn sweep_cursor(&self) -> MutexGuard<'_, SweepCursor> {
        self.swept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads an item with its set, as the answer to a repeated request.
    pub async fn settled(
        &self,
        ws: WorkspaceId,
        set: &ChangeSetId,
        index: i64,
    ) -> Result<Settled, DecideError> {
        Ok(Settled::new(self.load(ws, set, index).await?, None))
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
        Ok(LoadedItem { set: stored, items, item })
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
        action: &'static str,
        ops: Vec<Op>,
    ) -> Result<(), CommitError> {
        let item = &seen.item;
        let origin = Origin::Person { via: Some(item.agent.clone()) };
        let mut commit = Commit::new(label, Db::Agent, who.ws)
            .ops(ops)
            .change(ChangeRow::agent(
                origin,
                "change-set:item",
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

/// An item after [`change_item::transition`].
pub(crate) fn transitioned(item: &Item, to: State, error: Option<&str>, at: Timestamp) -> Item {
    let error = error.map(ToOwned::to_owned);
    Item { state: to, error, decided_at: Some(at), ..item.clone() }
}

/// An item after [`change_item::reopen`].
pub(crate) fn reopened(item: &Item, round: &Round, at: Timestamp) -> Item {
    let Round { number, operation } = round.clone();
    Item {
        state: State::Pending,
        error: None,
        decided_at: None,
        round: number,
        operation,
        shown_at: Some(at),
        ..item.clone()
    }
}

/// Brings a set's row and its ten shown items into line with its items, and returns the ops that
/// write the same.
pub(crate) fn refreshed(
    ws: WorkspaceId,
    set: &mut Doc<ChangeSet>,
    items: &mut [Item],
    now: Timestamp,
) -> Vec<Op> {
    let status = fold::status(items.iter().map(|item| &item.state));
    let mut ops = Vec::new();
    if set.value.status != status {
        set.value.status = status;
        set.value.updated_at = now;
        set.value.resolved_at = (status == SetStatus::Resolved).then_some(now);
        ops.push(entity::put(ws, set));
    }
    let shown = fold::shown(items);
    let is_fresh = |item: &&mut Item| shown.contains(&item.index) && item.shown_at.is_none();
    for item in items.iter_mut().filter(is_fresh) {
        item.shown_at = Some(now);
        ops.push(change_item::show(ws, &item.set, item.index, now));
    }
    ops
}

/// Derives the operation id of an item: the same intent in the same run and round gets the same id.
pub fn operation(run_key: &str, fingerprint: &Fingerprint, round: i64) -> OperationId {
    OperationId(hash::joined(&[run_key, fingerprint.as_str(), &round.to_string()]).0)
}
