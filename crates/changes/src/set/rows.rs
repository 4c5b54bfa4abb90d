//! An item with its set as rows, and how a verdict moves them.

use dormouse_journal::TaskView;
use dormouse_store::Op;
use dormouse_store::agent::change_item::{self, Item, State};
use dormouse_store::agent::change_set::{ChangeSet, Decision, SetStatus};
use dormouse_store::agent::entity::{self, Stored};
use dormouse_store::doc::Doc;
use dormouse_types::{Fingerprint, OperationId, Seq, Timestamp, WorkspaceId, hash};

use crate::set::fold;

/// An item and its set, as read or as a commit left them.
#[derive(Debug, Clone)]
pub(crate) struct LoadedItem {
    pub(crate) set: Stored<ChangeSet>,
    pub(crate) items: Vec<Item>,
    pub(crate) item: Item,
    /// The verdict in effect, if a commit has just written it; it was not read.
    pub(crate) decision: Option<Decision>,
}

impl LoadedItem {
    /// Returns the rows after a commit in which the item became `item`, and the ops that bring the
    /// set's row and its ten shown items into line with it.
    ///
    /// The same commit writes both: a set whose row lags behind its items would be listed as open
    /// after its last item was decided.
    pub(crate) fn moved(&self, ws: WorkspaceId, item: Item, now: Timestamp) -> (Self, Vec<Op>) {
        self.moved_with(ws, item, &[], now)
    }

    /// Returns the rows and the ops as [`LoadedItem::moved`] does, for an item with others of its group.
    pub(crate) fn moved_with(
        &self,
        ws: WorkspaceId,
        item: Item,
        others: &[Item],
        now: Timestamp,
    ) -> (Self, Vec<Op>) {
        let mut after = self.with(item);
        for other in others {
            for known in after.items.iter_mut().filter(|known| known.index == other.index) {
                known.clone_from(other);
            }
        }
        let ops = refreshed(ws, &mut after.set.doc, &mut after.items, now);
        let index = after.item.index;
        if let Some(item) = after.items.iter().find(|item| item.index == index) {
            after.item = item.clone();
        }
        (after, ops)
    }

    /// Returns the same rows, seen from another item of the set.
    pub(crate) fn about(&self, item: &Item) -> Self {
        Self { item: item.clone(), decision: None, ..self.clone() }
    }

    /// Returns the rows with the item replaced; the set's row stays as it was.
    pub(crate) fn with(&self, item: Item) -> Self {
        let same = |other: &Item| if other.index == item.index { &item } else { other }.clone();
        let items = self.items.iter().map(same).collect();
        Self { set: self.set.clone(), items, item, decision: self.decision.clone() }
    }
}

/// The result of a verdict or its undo: the item with its set, and the task if it is known.
#[derive(Debug, Clone)]
pub struct Settled {
    pub set: Stored<ChangeSet>,
    /// All items of the set, in order.
    pub items: Vec<Item>,
    pub item: Item,
    /// The task as it was left; `None` if the request neither wrote nor read it.
    pub task: Option<TaskView>,
    /// The position of the journal commit that left the task so, if the request made it.
    pub written: Option<Seq>,
}

impl Settled {
    pub(crate) fn new(rows: LoadedItem, task: Option<TaskView>) -> Self {
        let LoadedItem { set, items, item, .. } = rows;
        Self { set, items, item, task, written: None }
    }
}

/// A round of an item, with the operation id under which the journal knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Round {
    pub(crate) number: i64,
    pub(crate) operation: OperationId,
}

impl Round {
    /// Returns the current round of an item.
    pub(crate) fn of(item: &Item) -> Self {
        Self { number: item.round, operation: item.operation.clone() }
    }

    /// Returns an item moved to this round; its state stays.
    pub(crate) fn caught_up(&self, item: &Item) -> Item {
        let Self { number, operation } = self.clone();
        Item { round: number, operation, ..item.clone() }
    }

    /// Returns the round after this one, which begins when the item's verdict is undone.
    pub(crate) fn next(&self, seen: &LoadedItem) -> Self {
        let number = self.number + 1;
        let run_key = &seen.set.doc.value.run_key;
        Self { number, operation: operation(run_key, &seen.item.fingerprint, number) }
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
    let shown = fold::shown_indexes(items);
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
