//! Change sets: one, a list, and finding them.

use std::collections::BTreeMap;

use dormouse_changes::set::fold;
use dormouse_changes::set::standing;
use dormouse_changes::tools;
use dormouse_journal::{JournalError, TaskStanding};
use dormouse_store::ReadError;
use dormouse_store::agent::change_item::{self, Item, State};
use dormouse_store::agent::change_set;
use dormouse_store::agent::entity::{self, Stored};
use dormouse_types::model::TaskState;
use dormouse_types::{ChangeSetId, Id as _, TaskId, WorkspaceId};
use serde_json::Value;

use crate::view::{ChangeItem, ChangeSet};
use crate::{Queries, QueryError};

/// Tasks loaded for a list, by id; `None` for a missing one.
type Tasks = BTreeMap<TaskId, Option<(TaskState, TaskStanding)>>;

impl Queries {
    /// Change sets, newest first: those with open items, or all.
    pub async fn change_sets(
        &self,
        ws: WorkspaceId,
        task: Option<TaskId>,
        all: bool,
    ) -> Result<Vec<ChangeSet>, QueryError> {
        let stored = match &task {
            Some(task) => {
                self.journal.task(ws, task).await?;
                self.store.all(entity::of_task::<change_set::ChangeSet>(ws, task)).await?
            }
            None => self.store.all(entity::of_kind::<change_set::ChangeSet>(ws)).await?,
        };
        let mut tasks = Tasks::new();
        let mut sets = Vec::new();
        let now = self.clock.now();
        for set in stored {
            let items = self.store.all(change_item::of_set(ws, &set.doc.value.id)).await?;
            if !all && !items.iter().any(|item| item.state.is_open()) {
                continue;
            }
            let task = self.task_in(ws, &set.doc.value.task_id, &mut tasks).await?;
            let task = task.map(|(_, standing)| standing);
            if all || items.iter().any(|item| standing::of(item, task, now).is_asked()) {
                sets.push(self.set_view(ws, set, items, &mut tasks).await?);
            }
        }
        Ok(sets)
    }

    /// A change set.
    pub async fn change_set(
        &self,
        ws: WorkspaceId,
        id: &ChangeSetId,
    ) -> Result<ChangeSet, QueryError> {
        let set = self
            .store
            .first(entity::by_id::<change_set::ChangeSet>(ws, id.as_str()))
            .await?
            .ok_or_else(|| QueryError::NotFound { what: "change set", id: id.to_string() })?;
        let items = self.store.all(change_item::of_set(ws, id)).await?;
        self.set_view(ws, set, items, &mut Tasks::new()).await
    }

    /// Finds change sets by an id or its end, or words of the task's title.
    pub async fn find_sets(
        &self,
        ws: WorkspaceId,
        text: &str,
    ) -> Result<Vec<ChangeSet>, QueryError> {
        let text = text.trim().to_lowercase();
        let ends = |id: &str| id == text || (text.len() >= 5 && id.ends_with(&text));
        let of_kind = entity::of_kind::<change_set::ChangeSet>(ws);
        let mut found = Vec::new();
        for set in self.store.all(of_kind).await? {
            if ends(set.doc.value.id.as_str()) {
                found.push(self.change_set(ws, &set.doc.value.id).await?);
            }
        }
        if found.is_empty() {
            for task in self.find_tasks(ws, &text).await? {
                found.extend(self.change_sets(ws, Some(task.id), false).await?);
            }
            found.sort_by(|a, b| (b.created_at, &b.id).cmp(&(a.created_at, &a.id)));
        }
        Ok(found)
    }

    /// A task as needed by lists of change sets; loaded once.
    async fn task_in<'t>(
        &self,
        ws: WorkspaceId,
        id: &TaskId,
        tasks: &'t mut Tasks,
    ) -> Result<Option<&'t (TaskState, TaskStanding)>, QueryError> {
        if !tasks.contains_key(id) {
            let task = match self.journal.task(ws, id).await {
                Ok(view) => {
                    Some((dormouse_journal::state(&view, &self.zone), TaskStanding::of(&view)))
                }
                Err(
                    JournalError::NoTask { .. } | JournalError::Read(ReadError::Corrupt { .. }),
                ) => None,
                Err(error) => return Err(error.into()),
            };
            tasks.insert(id.clone(), task);
        }
        Ok(tasks.get(id).and_then(Option::as_ref))
    }

    async fn set_view(
        &self,
        ws: WorkspaceId,
        stored: Stored<change_set::ChangeSet>,
        items: Vec<Item>,
        tasks: &mut Tasks,
    ) -> Result<ChangeSet, QueryError> {
        let set = stored.doc.value;
        let task = self.task_in(ws, &set.task_id, tasks).await?;
        let items = self.as_shown(items, task.map(|(_, standing)| standing));
        let is_paused = task.is_some_and(|(_, standing)| standing.paused.is_some());
        let shown = if is_paused { Vec::new() } else { fold::shown(&items) };
        let status = fold::status(items.iter().map(|item| &item.state));
        let status = serde_json::to_value(status).unwrap_or_default();
        let task_state = task.map(|(state, standing)| (state, standing));
        Ok(ChangeSet {
            items: items.into_iter().map(|it| self.item_view(it, &shown, task_state)).collect(),
            task_title: task.map(|(task, _)| task.title.clone()).unwrap_or_default(),
            id: set.id,
            agent_id: set.agent_id,
            task_id: set.task_id,
            thread_id: set.thread_id,
            run_key: set.run_key,
            status: status.as_str().unwrap_or_default().to_owned(),
            created_at: set.created_at,
            resolved_at: set.resolved_at,
            vector_clock: stored.columns.clock,
        })
    }

    pub(crate) fn item_view(
        &self,
        item: Item,
        shown: &[i64],
        task: Option<(&TaskState, &TaskStanding)>,
    ) -> ChangeItem {
        let args: Value = serde_json::from_str(&item.args).unwrap_or_default();
        let tool = tools::item(&item.tool);
        let open = matches!(item.state, State::Pending | State::Deferred);
        let (state, standing) = task.unzip();
        // The seven-day deadline is paused while the item is not shown.
        let is_paused = standing.is_some_and(|task| task.paused.is_some());
        let expires_at = standing::expires_at(&item, standing, self.clock.now());
        let set_since = open && state.is_some_and(|it| standing::set_since(&item, it).is_some());
        ChangeItem {
            human_summary: tool
                .map_or_else(|| item.tool.clone(), |tool| tool.summary(&args, state)),
            now: tool.zip(state).and_then(|(tool, task)| tool.now(&args, task)),
            set_since,
            proposed: tool.map(|tool| tool.proposed(&args)),
            set: item.set,
            index: item.index,
            tool_name: item.tool,
            args,
            status: item.state.name().into(),
            digest: item.fingerprint,
            evidence: item.evidence.and_then(|text| serde_json::from_str(&text).ok()),
            rationale: item.rationale,
            before: item.before,
            shown: shown.contains(&item.index),
            expires_at: expires_at.filter(|_| open && !is_paused),
            round: item.round,
            error: item.error,
            created_at: item.created_at,
            decided_at: item.decided_at,
        }
    }
}

/// Whether applying an item removes something. An item of an unknown tool might.
pub fn takes_away(item: &ChangeItem) -> bool {
    tools::item(&item.tool_name).is_none_or(|tool| tool.is_destructive(&item.args))
}
