//! Which proposals are open for the user: a function of rows, tasks and time, the same in every
//! list and count.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use dormouse_changes::set::effective_state::{self, EffectiveState};
use dormouse_journal::TaskReviewState;
use dormouse_store::agent::change_item::{self, Item, OpenItem, State};
use dormouse_store::in_list;
use dormouse_types::{ChangeSetId, TaskId, Timestamp, WorkspaceId};

use crate::{Queries, QueryError};

/// Proposals that expire within this time are listed separately.
const SOON: Duration = Duration::from_secs(24 * 3600);

/// An item that is open for the user, without its texts.
#[derive(Debug, Clone)]
pub(crate) struct OpenProposal {
    pub(crate) item: OpenItem,
    /// Whether the user deferred it.
    pub(crate) is_put_off: bool,
    /// Whether it expires soon if its task stays as it is.
    pub(crate) is_expiring: bool,
}

/// The number of open proposals about a task.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) open: usize,
    pub(crate) put_off: usize,
}

impl Counts {
    /// Those among some items of one task, which was read in full.
    pub(crate) fn of(items: &[Item], task: &TaskReviewState, now: Timestamp) -> Self {
        let mut counts = Self::default();
        for item in items {
            match effective_state::of(item, Some(task), now) {
                EffectiveState::Waits => counts.open += 1,
                EffectiveState::PutOff => counts.put_off += 1,
                EffectiveState::Paused(_)
                | EffectiveState::Expired
                | EffectiveState::Overtaken
                | EffectiveState::Over => {}
            }
        }
        counts
    }

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

    /// The open items about at most a page of tasks, by task, oldest first.
    pub(crate) async fn open_proposals_among(
        &self,
        ws: WorkspaceId,
        tasks: &[TaskId],
    ) -> Result<Vec<OpenProposal>, QueryError> {
        let items = self.store.all(change_item::open_among(ws, tasks)).await?;
        self.only_open(ws, items).await
    }

    /// The number of open proposals about each of at most a page of tasks.
    pub(crate) async fn counts_among(
        &self,
        ws: WorkspaceId,
        tasks: &[TaskId],
    ) -> Result<HashMap<TaskId, Counts>, QueryError> {
        let mut counts: HashMap<TaskId, Counts> = HashMap::new();
        for open in self.open_proposals_among(ws, tasks).await? {
            counts.entry(open.item.task.clone()).or_default().add(&open);
        }
        Ok(counts)
    }

    /// Filters items to those open for the user. Whole items and tasks are read only where the columns do not
    /// settle it: for items that may have been overtaken or may expire soon.
    async fn only_open(
        &self,
        ws: WorkspaceId,
        items: Vec<OpenItem>,
    ) -> Result<Vec<OpenProposal>, QueryError> {
        let by = self.clock.now() + SOON;
        let facts = self.journal.review_facts(ws, &tasks_of(&items)).await?;
        let settled = |item: &OpenItem| {
            facts.get(&item.task).and_then(|task| effective_state::settled(item, task, by))
        };
        let unsettled: Vec<&OpenItem> =
            items.iter().filter(|item| settled(item).is_none()).collect();
        let whole = self.read_whole(ws, unsettled).await?;
        let open = items.into_iter().filter_map(|item| {
            let (state, is_expiring) = match settled(&item) {
                Some(state) => (state, false),
                // One that is missing here was decided meanwhile.
                None => whole.get(&(item.set.clone(), item.index)).copied()?,
            };
            let is_put_off = state == EffectiveState::PutOff;
            state.needs_decision().then_some(OpenProposal { item, is_put_off, is_expiring })
        });
        Ok(open.collect())
    }

    /// The state of open items by their whole rows and tasks, and whether they expire soon.
    async fn read_whole(
        &self,
        ws: WorkspaceId,
        items: Vec<&OpenItem>,
    ) -> Result<HashMap<(ChangeSetId, i64), (EffectiveState, bool)>, QueryError> {
        let now = self.clock.now();
        let mut states = HashMap::new();
        for some in tasks_of(items).chunks(in_list::MOST) {
            let tasks = self.journal.review_states(ws, some).await?;
            for item in self.store.all(change_item::open_of_tasks(ws, some)).await? {
                let task = tasks.get(&item.task);
                let expires = effective_state::expires_at(&item, task, now);
                let is_expiring = expires.is_some_and(|at| at <= now + SOON);
                let state = effective_state::of(&item, task, now);
                states.insert((item.set, item.index), (state, is_expiring));
            }
        }
        Ok(states)
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

/// The tasks that items are about, each once.
fn tasks_of<'a>(items: impl IntoIterator<Item = &'a OpenItem>) -> Vec<TaskId> {
    let tasks: BTreeSet<&TaskId> = items.into_iter().map(|item| &item.task).collect();
    tasks.into_iter().cloned().collect()
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
