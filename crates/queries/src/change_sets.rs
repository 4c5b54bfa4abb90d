//! Change sets: one, a list, and finding them. A list costs the same number of queries whatever it
//! shows, up to a page of sets and of tasks.

use std::collections::{BTreeMap, BTreeSet};

use dormouse_changes::set::effective_state;
use dormouse_changes::set::fold;
use dormouse_changes::{group, tools, words};
use dormouse_journal::{JournalError, TaskReviewState, TaskView, state};
use dormouse_store::agent::change_item::{self, Item, State};
use dormouse_store::agent::change_set;
use dormouse_store::agent::entity::{self, Stored};
use dormouse_store::{ReadError, in_list};
use dormouse_types::field_change::FieldChange;
use dormouse_types::model::TaskState;
use dormouse_types::{AgentId, ChangeSetId, Id as _, TaskId, WorkRunId, WorkspaceId, limits};
use serde_json::Value;

use crate::agents::SHORT_ID;
use crate::view::{ChangeItem, ChangeSet};
use crate::{Queries, QueryError};

/// The tasks of a list of sets, by id. Missing ones, and those that cannot be read, are left out.
type Tasks = BTreeMap<TaskId, (TaskState, TaskReviewState)>;

/// Which sets a list shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SetFilter {
    /// All of them.
    All,
    /// Those with an item that is open for the user.
    Open,
}

impl Queries {
    /// Change sets, newest first: those with open items, or all.
    pub async fn change_sets(
        &self,
        ws: WorkspaceId,
        task: Option<TaskId>,
        all: bool,
    ) -> Result<Vec<ChangeSet>, QueryError> {
        let listed = if all { SetFilter::All } else { SetFilter::Open };
        let sets = match (&task, listed) {
            (Some(task), _) => {
                // A missing task is an error, unlike a task without proposals.
                self.journal.task(ws, task).await?;
                self.store.all(entity::of_task::<change_set::ChangeSet>(ws, task)).await?
            }
            (None, SetFilter::All) => {
                self.store.all(entity::of_kind::<change_set::ChangeSet>(ws)).await?
            }
            (None, SetFilter::Open) => self.sets_with_open_items(ws).await?,
        };
        self.set_views(ws, sets, listed).await
    }

    /// A change set.
    pub async fn change_set(
        &self,
        ws: WorkspaceId,
        id: &ChangeSetId,
    ) -> Result<ChangeSet, QueryError> {
        let missing = || QueryError::NotFound { what: "change set", id: id.to_string() };
        let set = entity::by_id::<change_set::ChangeSet>(ws, id.as_str());
        let set = self.store.first(set).await?.ok_or_else(missing)?;
        let views = self.set_views(ws, vec![set], SetFilter::All).await?;
        views.into_iter().next().ok_or_else(missing)
    }

    /// Finds change sets by an id or its end, or words of the task's title: at most a page of them, newest first.
    pub async fn find_sets(
        &self,
        ws: WorkspaceId,
        text: &str,
    ) -> Result<Vec<ChangeSet>, QueryError> {
        let text = text.trim().to_lowercase();
        if text.len() >= SHORT_ID {
            let sets = entity::by_ending::<change_set::ChangeSet>(ws, &text);
            let sets = self.store.all(sets).await?;
            if !sets.is_empty() {
                return self.set_views(ws, sets, SetFilter::All).await;
            }
        }
        let tasks = self.journal.find_ids(ws, &text).await?;
        let mut open = BTreeSet::new();
        for some in tasks.chunks(in_list::MOST) {
            let items = self.store.all(change_item::open_among(ws, some)).await?;
            open.extend(items.into_iter().map(|item| item.set));
        }
        // Ids begin with their time, so the last ones are the newest.
        let newest: Vec<_> = open.into_iter().rev().take(limits::PAGE.max).collect();
        let sets = self.sets_of(ws, &newest).await?;
        self.set_views(ws, sets, SetFilter::Open).await
    }

    /// The sets that hold an undecided item, newest first. The decided ones are not read.
    async fn sets_with_open_items(
        &self,
        ws: WorkspaceId,
    ) -> Result<Vec<Stored<change_set::ChangeSet>>, QueryError> {
        let open = self.store.all(change_item::open(ws)).await?;
        let ids: BTreeSet<ChangeSetId> = open.into_iter().map(|item| item.set).collect();
        self.sets_of(ws, &ids.into_iter().collect::<Vec<_>>()).await
    }

    /// Sets by id, newest first.
    async fn sets_of(
        &self,
        ws: WorkspaceId,
        ids: &[ChangeSetId],
    ) -> Result<Vec<Stored<change_set::ChangeSet>>, QueryError> {
        let mut sets = Vec::new();
        for some in ids.chunks(in_list::MOST) {
            sets.extend(self.store.all(entity::some::<change_set::ChangeSet>(ws, some)).await?);
        }
        sets.retain(|set: &Stored<change_set::ChangeSet>| set.columns.deleted_at.is_none());
        sets.sort_by(|a, b| {
            let (a, b) = (&a.columns, &b.columns);
            (b.created_at, &b.id).cmp(&(a.created_at, &a.id))
        });
        Ok(sets)
    }

    /// Builds the views of sets, with the same number of queries for up to a page of sets and of
    /// tasks.
    async fn set_views(
        &self,
        ws: WorkspaceId,
        mut sets: Vec<Stored<change_set::ChangeSet>>,
        listed: SetFilter,
    ) -> Result<Vec<ChangeSet>, QueryError> {
        let ids: Vec<ChangeSetId> = sets.iter().map(|set| set.doc.value.id.clone()).collect();
        let mut items: BTreeMap<ChangeSetId, Vec<Item>> = BTreeMap::new();
        for some in ids.chunks(in_list::MOST) {
            for item in self.store.all(change_item::of_sets(ws, some)).await? {
                items.entry(item.set.clone()).or_default().push(item);
            }
        }
        if listed == SetFilter::Open {
            let is_open = |items: &Vec<Item>| items.iter().any(|item| item.state.is_open());
            sets.retain(|set| items.get(&set.doc.value.id).is_some_and(is_open));
        }
        let tasks: BTreeSet<TaskId> =
            sets.iter().map(|set| set.doc.value.task_id.clone()).collect();
        let tasks: Vec<TaskId> = tasks.into_iter().collect();
        let tasks: Tasks = match self.journal.states(ws, &tasks, &self.zone.get()).await {
            Ok(tasks) => tasks,
            // Nothing is known about tasks whose labels cannot be read.
            Err(JournalError::Read(ReadError::Corrupt { .. })) => Tasks::new(),
            Err(error) => return Err(error.into()),
        };
        let now = self.clock.now();
        let mut views = Vec::with_capacity(sets.len());
        for set in sets {
            let task = tasks.get(&set.doc.value.task_id);
            let items = items.remove(&set.doc.value.id).unwrap_or_default();
            let review = task.map(|(_, review)| review);
            let needs_decision =
                |item: &Item| effective_state::of(item, review, now).needs_decision();
            if listed == SetFilter::All || items.iter().any(needs_decision) {
                views.push(self.set_view(set, items, task));
            }
        }
        Ok(views)
    }

    /// A change set as a verdict left it, with its task if that is known. Reads nothing.
    pub fn set_as_left(
        &self,
        stored: Stored<change_set::ChangeSet>,
        items: Vec<Item>,
        task: Option<&TaskView>,
    ) -> ChangeSet {
        let task = task.map(|view| (state(view, &self.zone.get()), TaskReviewState::of(view)));
        self.set_view(stored, items, task.as_ref())
    }

    fn set_view(
        &self,
        stored: Stored<change_set::ChangeSet>,
        items: Vec<Item>,
        task: Option<&(TaskState, TaskReviewState)>,
    ) -> ChangeSet {
        let set = stored.doc.value;
        let items = self.as_shown(items, task.map(|(_, review)| review));
        let is_paused = task.is_some_and(|(_, review)| review.paused.is_some());
        let shown = if is_paused { Vec::new() } else { fold::shown_indexes(&items) };
        let status = fold::status(items.iter().map(|item| &item.state));
        let task_state = task.map(|(state, review)| (state, review));
        ChangeSet {
            items: items
                .into_iter()
                .map(|it| self.item_view(it, &shown, task_state, set.made_of_private))
                .collect(),
            task_title: task.map(|(task, _)| task.title.clone()).unwrap_or_default(),
            id: set.id,
            agent_id: AgentId::try_from(&set.proposer).ok(),
            run_id: WorkRunId::try_from(&set.proposer).ok(),
            task_id: set.task_id,
            thread_id: set.thread_id,
            run_key: set.run_key,
            status,
            created_at: set.created_at,
            resolved_at: set.resolved_at,
            vector_clock: stored.columns.clock,
        }
    }

    pub(crate) fn item_view(
        &self,
        item: Item,
        shown: &[i64],
        task: Option<(&TaskState, &TaskReviewState)>,
        made_of_private: bool,
    ) -> ChangeItem {
        let args: Value = serde_json::from_str(&item.args).unwrap_or_default();
        let tool = tools::item(&item.tool);
        let open = matches!(item.state, State::Pending | State::Deferred);
        let (state, review) = task.unzip();
        // The seven-day deadline is paused while the item is not shown.
        let is_paused = review.is_some_and(|task| task.paused.is_some());
        let expires_at = effective_state::expires_at(&item, review, self.clock.now());
        let set_since =
            open && state.is_some_and(|it| effective_state::set_since(&item, it).is_some());
        let from_now = tool.and_then(|tool| tool.change(&args, state));
        let current = from_now.as_ref().and_then(|change| change.from.clone());
        let change = change_view(&item, from_now);
        ChangeItem {
            human_summary: tool.map_or_else(
                || item.tool.clone(),
                |tool| tool.display(&args, state, change.as_ref()),
            ),
            parent: group::parent(&item.tool, &args),
            now: current.as_ref().map(words::value),
            current,
            change,
            set_since,
            // What is confirmed in a private task stays private.
            made_of_private: made_of_private && open && review.is_some_and(|it| !it.is_private),
            set: item.set,
            index: item.index,
            tool_name: item.tool,
            args,
            status: item.state,
            digest: item.fingerprint,
            evidence: item.evidence.and_then(|text| serde_json::from_str(&text).ok()),
            rationale: item.rationale,
            shown: shown.contains(&item.index),
            expires_at: expires_at.filter(|_| open && !is_paused),
            round: item.round,
            error: item.error,
            created_at: item.created_at,
            decided_at: item.decided_at,
        }
    }
}

/// The change of an item: from its value at the time of the proposal, to what a confirm would set now
/// or, once it is closed, to what was proposed.
fn change_view(item: &Item, from_now: Option<FieldChange>) -> Option<FieldChange> {
    let open = matches!(item.state, State::Pending | State::Deferred);
    let stored = item.change.clone();
    let (first, second) = if open { (from_now, stored) } else { (stored, from_now) };
    let to = [&first, &second].into_iter().flatten().find_map(|change| change.to.clone());
    let FieldChange { field, .. } = first.or(second)?;
    Some(FieldChange { field, from: effective_state::before(item), to })
}

/// Whether applying an item removes something. An item of an unknown tool might.
pub fn takes_away(item: &ChangeItem) -> bool {
    tools::item(&item.tool_name).is_none_or(|tool| tool.is_destructive(&item.args))
}
