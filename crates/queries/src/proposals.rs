//! Which proposals are open for the user: a function of rows, tasks and time, the same in every
//! list and count.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use dormouse_changes::set::effective_state::{self, EffectiveState};
use dormouse_journal::TaskReviewState;
use dormouse_store::agent::change_item::{self, Item, State};
use dormouse_types::{TaskId, WorkspaceId};

use crate::{Queries, QueryError};

/// An item that is open for the user.
#[derive(Debug, Clone)]
pub(crate) struct OpenProposal {
    pub(crate) item: Item,
    /// Whether the user deferred it.
    pub(crate) is_put_off: bool,
    pub(crate) task: Option<TaskReviewState>,
}

/// The number of open proposals about a task.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) open: usize,
    pub(crate) put_off: usize,
}

impl Counts {
    pub(crate) fn add(&mut self, open: &OpenProposal) {
        if open.is_put_off {
            self.put_off += 1;
        } else {
            self.open += 1;
        }
    }
}

impl Queries {
    /// All open items of a workspace, by task, oldest first.
    pub(crate) async fn open_proposals(
        &self,
        ws: WorkspaceId,
    ) -> Result<Vec<OpenProposal>, QueryError> {
        let items = self.store.all(change_item::open(ws)).await?;
        self.only_open(ws, items).await
    }

    /// The open items about one task, oldest first.
    pub(crate) async fn open_proposals_about(
        &self,
        ws: WorkspaceId,
        task: &TaskId,
    ) -> Result<Vec<OpenProposal>, QueryError> {
        let of_task = change_item::open_of_tasks(ws, std::slice::from_ref(task));
        let items = self.store.all(of_task).await?;
        self.only_open(ws, items).await
    }

    /// The number of open proposals about each of some tasks.
    pub(crate) async fn counts_among(
        &self,
        ws: WorkspaceId,
        tasks: &[TaskId],
    ) -> Result<HashMap<TaskId, Counts>, QueryError> {
        let items = self.store.all(change_item::open_of_tasks(ws, tasks)).await?;
        let mut counts: HashMap<TaskId, Counts> = HashMap::new();
        for open in self.only_open(ws, items).await? {
            counts.entry(open.item.task.clone()).or_default().add(&open);
        }
        Ok(counts)
    }

    /// Filters items to those open for the user.
    async fn only_open(
        &self,
        ws: WorkspaceId,
        items: Vec<Item>,
    ) -> Result<Vec<OpenProposal>, QueryError> {
        let tasks: BTreeSet<TaskId> = items.iter().map(|item| item.task.clone()).collect();
        let tasks: Vec<TaskId> = tasks.into_iter().collect();
        let review_states = self.journal.review_states(ws, &tasks).await?;
        let now = self.clock.now();
        let open = items.into_iter().filter_map(|item| {
            let task = review_states.get(&item.task).cloned();
            let state = effective_state::of(&item, task.as_ref(), now);
            let is_put_off = state == EffectiveState::PutOff;
            state.needs_decision().then_some(OpenProposal { item, is_put_off, task })
        });
        Ok(open.collect())
    }

    /// Items with their current state, even if it is not stored yet.
    pub(crate) fn as_shown(&self, items: Vec<Item>, task: Option<&TaskReviewState>) -> Vec<Item> {
        let now = self.clock.now();
        let shown = |mut item: Item| {
            let state = effective_state::shown_state(&item, task, now);
            if state == State::Retracted && item.state != State::Retracted {
                item.error = Some(dormouse_changes::set::expire::OVERTAKEN.to_owned());
            }
            item.state = state;
            item
        };
        items.into_iter().map(shown).collect()
    }
}

/// The total number of items, and of tasks with items.
pub(crate) fn sums(open: &[OpenProposal]) -> (Counts, usize) {
    let mut by_task: BTreeMap<&TaskId, Counts> = BTreeMap::new();
    let mut all = Counts::default();
    for one in open {
        by_task.entry(&one.item.task).or_default().add(one);
        all.add(one);
    }
    (all, by_task.values().filter(|counts| counts.open > 0).count())
}
