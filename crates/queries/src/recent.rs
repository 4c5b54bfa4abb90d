//! Recent output of agents: their latest reports, and all open proposals about a task.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use dormouse_changes::set::fold;
use dormouse_journal::{TaskReviewState, TaskView};
use dormouse_store::agent::change_item::{self, Item, State};
use dormouse_store::agent::change_set::ChangeSet;
use dormouse_store::agent::outdated::{self, Outdated};
use dormouse_store::agent::report::{self, Report};
use dormouse_store::agent::{entity, subscription, wake_queue};
use dormouse_store::in_list;
use dormouse_store::journal::task::Task;
use dormouse_store::journal::task_list;
use dormouse_types::{
    AgentId, ChangeSetId, HolderId, ReportId, Seq, TaskId, WorkRunId, WorkspaceId, limits,
};

use crate::agent_state::changed_since;
use crate::change_sets::takes_away;
use crate::events::Cursor;
use crate::inspect::{report_view, restored_view};
use crate::view::{OpenChanges, Page, RecentReport, TaskChange};
use crate::{Queries, QueryError, page};

impl Queries {
    /// A page of the latest reports of all agents that have a task, newest first.
    pub async fn recent_reports(
        &self,
        ws: WorkspaceId,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<RecentReport>, QueryError> {
        let limit = limit.clamp(1, limits::PAGE.max);
        let (at, id) = page::cursor_or_start(cursor, (page::LATEST, "~"))?;
        let heads = report::newest_heads(ws, (at, &id), page::rows_to_read(limit));
        let heads = self.store.all(heads).await?.into_iter().map(|head| head.doc.value).collect();
        let heads = page::page_of(heads, limit, |head: &report::ReportHead| {
            page::cursor_of(head.updated_at, &head.id)
        });
        let agents: Vec<AgentId> = heads.items.iter().map(|head| head.agent_id.clone()).collect();
        let ids: Vec<ReportId> = heads.items.iter().map(|head| head.report_id.clone()).collect();
        let (mut reports, mut damaged) = (HashMap::new(), Vec::new());
        for report in self.store.each(entity::some::<Report>(ws, &ids)).await? {
            match report {
                Ok(report) => _ = reports.insert(report.doc.value.id.clone(), report.doc.value),
                Err(error) => damaged.push(error.to_string()),
            }
        }
        let own = self.store.all(subscription::own_of_agents(ws, &agents)).await?;
        let own: HashMap<AgentId, TaskId> =
            own.into_iter().map(|own| (own.agent, own.task)).collect();
        let tasks: Vec<String> = own.values().map(ToString::to_string).collect();
        let lines = self.store.all(task_list::some(ws, &tasks)).await?.into_iter();
        let tasks: HashMap<TaskId, Task> = lines
            .filter_map(|line| line.task.ok())
            .map(|task| (task.doc.value.id.clone(), task.doc.value))
            .collect();
        let names = self.names(ws, &agents).await?;
        let queue =
            self.store.each(wake_queue::of_holders(ws, &agents)).await?.into_iter().flatten();
        let stale: HashMap<AgentId, _> = queue
            .filter_map(|row| Some((AgentId::try_from(&row.holder).ok()?, changed_since(&row)?)))
            .collect();
        let outdated = self.store.all(outdated::some(ws, &agents)).await?.into_iter();
        let mut outdated: HashMap<AgentId, Outdated> =
            outdated.map(|one| (one.agent.clone(), one)).collect();
        let items = heads.items.into_iter().filter_map(|head| {
            let task_id = own.get(&head.agent_id);
            let task = task_id.and_then(|id| tasks.get(id));
            Some(RecentReport {
                report: crate::view::Report {
                    stale_since: stale.get(&head.agent_id).copied(),
                    written_before: outdated.remove(&head.agent_id).map(restored_view),
                    task_id: task_id.cloned(),
                    ..report_view(reports.remove(&head.report_id)?)
                },
                agent_name: names.get(&head.agent_id).cloned(),
                task_title: task.map(|task| task.title.clone()),
                language: task.and_then(|task| task.language_code.clone()),
            })
        });
        Ok(Page { items: items.collect(), next_cursor: heads.next_cursor, damaged })
    }

    /// The open proposals about a task, across all its sets: those shown now first, deferred ones
    /// last, oldest first within each group. None while the task is closed or deleted.
    pub async fn task_changes(
        &self,
        ws: WorkspaceId,
        id: &TaskId,
    ) -> Result<Vec<TaskChange>, QueryError> {
        let view = self.journal.task(ws, id).await?;
        let items = self.store.all(change_item::of_task(ws, id)).await?;
        self.changes_among(ws, &view, items).await
    }

    /// Those among all items about a task.
    async fn changes_among(
        &self,
        ws: WorkspaceId,
        view: &TaskView,
        all: Vec<Item>,
    ) -> Result<Vec<TaskChange>, QueryError> {
        let state = dormouse_journal::state(view, &self.zone.get());
        let task = TaskReviewState::of(view);
        if task.paused.is_some() {
            return Ok(Vec::new());
        }
        let all = self.as_shown(all, Some(&task));
        let mut sets: BTreeMap<ChangeSetId, Vec<Item>> = BTreeMap::new();
        for item in all {
            sets.entry(item.set.clone()).or_default().push(item);
        }
        sets.retain(|_, items| items.iter().any(|item| item.state.is_open()));
        let ids: Vec<ChangeSetId> = sets.keys().cloned().collect();
        let (mut run_keys, mut names) = (HashMap::new(), HashMap::new());
        let mut made_of_private = BTreeSet::new();
        for ids in ids.chunks(in_list::MOST) {
            for set in
                self.store.each(entity::some::<ChangeSet>(ws, ids)).await?.into_iter().flatten()
            {
                let set = set.doc.value;
                if set.made_of_private {
                    made_of_private.insert(set.id.clone());
                }
                run_keys.insert(set.id, set.run_key);
            }
        }
        let by: BTreeSet<HolderId> =
            sets.values().flatten().map(|item| item.proposer.clone()).collect();
        let agents: Vec<AgentId> = by.iter().filter_map(|it| it.try_into().ok()).collect();
        for agents in agents.chunks(in_list::MOST) {
            names.extend(self.names(ws, agents).await?);
        }
        let runs: Vec<WorkRunId> = by.iter().filter_map(|it| it.try_into().ok()).collect();
        let works = self.work_of_runs(ws, &runs).await?;
        let mut changes = Vec::new();
        for (set, items) in sets {
            let shown = fold::shown_indexes(&items);
            for item in items.into_iter().filter(|item| item.state.is_open()) {
                let agent_id = AgentId::try_from(&item.proposer).ok();
                let work = works.get(&item.proposer);
                let name = agent_id.as_ref().and_then(|agent| names.get(agent).cloned());
                let is_put_off = item.state == State::Deferred;
                let is_of_private = made_of_private.contains(&set);
                let item = self.item_view(item, &shown, Some((&state, &task)), is_of_private);
                let rank = (is_put_off, !item.shown, item.created_at, set.clone(), item.index);
                let change = TaskChange {
                    is_destructive: takes_away(&item),
                    run_key: run_keys.get(&set).cloned(),
                    agent_name: name.or_else(|| work.map(|work| work.title.clone())),
                    work_id: work.map(|work| work.id.clone()),
                    agent_id,
                    item,
                };
                changes.push((rank, change));
            }
        }
        changes.sort_by(|(a, _), (b, _)| a.cmp(b));
        Ok(changes.into_iter().map(|(_, change)| change).collect())
    }

    /// A task and the open proposals about it, with the position of the events that they contain.
    pub async fn open_changes(
        &self,
        ws: WorkspaceId,
        id: &TaskId,
    ) -> Result<OpenChanges, QueryError> {
        // Read first: what is committed meanwhile may be in the list, and its event comes as well.
        let cursor = self.cursor_now(ws).await?;
        let task = self.journal.task(ws, id).await?;
        self.open_changes_at(ws, &task, &cursor).await
    }

    /// A task as an edit left it and the open proposals about it, where `written` is the position of
    /// that edit. If nothing was committed to the journal since, the task is not read again.
    pub async fn open_changes_after(
        &self,
        ws: WorkspaceId,
        task: &TaskView,
        written: Seq,
    ) -> Result<OpenChanges, QueryError> {
        let cursor = self.cursor_now(ws).await?;
        if cursor.journal_position() == written {
            return self.open_changes_at(ws, task, &cursor).await;
        }
        let task = self.journal.task(ws, task.id()).await?;
        self.open_changes_at(ws, &task, &cursor).await
    }

    async fn open_changes_at(
        &self,
        ws: WorkspaceId,
        task: &TaskView,
        cursor: &Cursor,
    ) -> Result<OpenChanges, QueryError> {
        let items = self.store.all(change_item::of_task(ws, task.id())).await?;
        Ok(OpenChanges {
            task: self.task_view_with(ws, task, &items).await?,
            items: self.changes_among(ws, task, items).await?,
            cursor: cursor.to_string(),
        })
    }
}
