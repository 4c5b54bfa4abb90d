//! The service that holds what verdicts need, and the ops that verdicts share.

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

use crate::set::error::DecideError;
use crate::set::expire::SweepCursor;
use crate::set::fold;
use crate::set::state::{Event, after};

/// Decides, applies and takes back proposals. Cheap to clone.
#[derive(Clone)]
pub struct Changes {
    pub(crate) store: Store,
    pub(crate) journal: Journal,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) zone: jiff::tz::TimeZone,
    /// A hint for sweeps; nothing depends on it.
    swept: Arc<Mutex<SweepCursor>>,
}

/// Who decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decider {
    /// The workspace.
    pub ws: WorkspaceId,
    /// As the audit log names them.
    pub actor: String,
    /// At most once under this id, if there is one.
    pub once: Option<Once>,
}

/// An item with its set, as it was read.
pub(crate) struct LoadedItem {
    pub(crate) set: Stored<ChangeSet>,
    pub(crate) items: Vec<Item>,
    pub(crate) item: Item,
}

impl Changes {
    /// Joins what verdicts need.
    pub fn new(
        store: Store,
        journal: Journal,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
        zone: jiff::tz::TimeZone,
    ) -> Self {
        Self { store, journal, clock, entropy, zone, swept: Arc::default() }
    }

    /// Where the last sweep stopped. Not held over an await.
    pub(crate) fn sweep_cursor(&self) -> MutexGuard<'_, SweepCursor> {
        self.swept.lock().unwrap_or_else(PoisonError::into_inner)
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

    /// The op that moves an item; it tests state, round and digest again in the commit, and with
    /// `fresh_for` also how long ago the item was shown.
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

    /// The task of an item; none when there is no such task, or its rows cannot be read.
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

    /// Writes an agent commit about an item, with its event and its audit row.
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
            // The same request was faster by its other sending: it is looked at again.
            Some(_) => Err(CommitError::Refused { label, refusal: Refusal::ItemMoved }),
        }
    }
}

/// The ops that bring a set and its ten shown items up to date after one item moved.
pub(crate) fn refresh(ws: WorkspaceId, seen: &LoadedItem, to: State, now: Timestamp) -> Vec<Op> {
    let mut items = seen.items.clone();
    for item in items.iter_mut().filter(|item| item.index == seen.item.index) {
        item.state = to;
    }
    refreshed(ws, &seen.set.doc, &items, now)
}

/// The ops that bring a set's row and its ten shown items up to date with its items as they are.
pub(crate) fn refreshed(
    ws: WorkspaceId,
    set: &Doc<ChangeSet>,
    items: &[Item],
    now: Timestamp,
) -> Vec<Op> {
    let status = fold::status(items.iter().map(|item| &item.state));
    let mut ops = Vec::new();
    if set.value.status != status {
        let mut set = set.clone();
        set.value.status = status;
        set.value.updated_at = now;
        set.value.resolved_at = (status == SetStatus::Resolved).then_some(now);
        ops.push(entity::put(ws, &set));
    }
    let shown = fold::shown(items);
    let fresh = items.iter().filter(|item| shown.contains(&item.index) && item.shown_at.is_none());
    ops.extend(fresh.map(|item| change_item::show(ws, &item.set, item.index, now)));
    ops
}

/// The operation of an item: the same intent of the same run and round is the same operation.
pub fn operation(run_key: &str, fingerprint: &Fingerprint, round: i64) -> OperationId {
    OperationId(hash::joined(&[run_key, fingerprint.as_str(), &round.to_string()]).0)
}
