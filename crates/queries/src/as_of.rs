//! A task, its report, its proposals and the memory of its agent as they were at a wake.

use std::collections::BTreeMap;
use std::time::Duration;

use dormouse_store::agent::change_set::{Decision, DecisionVerdict};
use dormouse_store::agent::entity;
use dormouse_store::agent::log_line;
use dormouse_store::agent::report::Report as StoredReport;
use dormouse_store::agent::wake_run::{self, Run};
use dormouse_store::{Db, change_log};
use dormouse_types::agent::ItemStatus;
use dormouse_types::{AgentId, ChangeSetId, RunKey, Seq, TaskId, Timestamp, WorkspaceId};

use crate::inspect::report_view;
use crate::view::{ChangeItem, MemoryThen, ProposalThen, Report, Task, TaskAtWake};
use crate::{Queries, QueryError};

/// How much later than a run a change can be that it saw: clocks of two machines differ.
const CLOCKS_APART: Duration = Duration::from_mins(1);

impl Queries {
    /// A task as it was at a wake of its agent: the task as the wake found it, the rest as the wake left it.
    ///
    /// It is made from rows: nothing is kept for it. What was removed from the memory of agents is not there
    /// either.
    ///
    /// Errors: the agent has no such run; the journal was replaced by an older copy since.
    pub async fn task_at_wake(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        key: &RunKey,
    ) -> Result<TaskAtWake, QueryError> {
        let agent = self.agent(ws, id).await?;
        let run = self.run(ws, id, key).await?;
        let missing = || QueryError::NotFound { what: "task of agent", id: id.to_string() };
        let task_id = agent.slots.active_task_id.ok_or_else(missing)?;
        let (position, ended) = (run.upto.max(run.processed), self.ended(&run));
        self.ensure_same_journal(ws, &run, position).await?;
        let past = self.journal.task_as_of(ws, &task_id, position).await?;
        let task = self.task_view_with(ws, &past.view, &[]).await?;
        let proposals = self.proposals_at(ws, &task_id, ended).await?;
        let n = |then| proposals.iter().filter(|one| one.then == then).count();
        let (open, put_off) = (n(ItemStatus::Pending), n(ItemStatus::Deferred));
        let place = (ended, "~");
        let report =
            self.store.first(entity::page_of_agent::<StoredReport>(ws, id, place, 1)).await?;
        let report = report.map(|stored| report_view(stored.doc.value));
        let held = self.store.first(log_line::held_until(ws, id, ended)).await?;
        let folded = self.agents.checkpoint_in_use(ws, id, ended).await?;
        Ok(TaskAtWake {
            previous: self.store.first(wake_run::completed_before(ws, id, run.created_at)).await?,
            next: self.store.first(wake_run::completed_after(ws, id, run.created_at)).await?,
            wake: self.wake(ws, id, key).await?,
            task: Task { open_proposals: open, put_off_proposals: put_off, ..task },
            report: report.map(|report| Report { task_id: Some(task_id.clone()), ..report }),
            proposals,
            memory: MemoryThen { lines: held.map_or(0, |(n, _)| n), has_summary: folded.is_some() },
            since: self.activity_after(ws, &task_id, position).await?,
            not_undone: past.not_undone,
        })
    }

    /// When a run ended; now if it goes on.
    pub(crate) fn ended(&self, run: &Run) -> Timestamp {
        run.completed_at.unwrap_or_else(|| self.clock.now())
    }

    /// Refuses a run whose position in the journal belongs to changes that are no longer there: a restored
    /// journal gives the same positions to later changes.
    async fn ensure_same_journal(
        &self,
        ws: WorkspaceId,
        run: &Run,
        position: Seq,
    ) -> Result<(), QueryError> {
        let begun = run.started_at.unwrap_or(run.created_at) + CLOCKS_APART;
        let change = change_log::after(ws, Seq(position.0 - 1), 1);
        let change = self.store.first(change).await?.filter(|change| change.seq == position);
        let head = self.store.first(change_log::head(Db::Journal, ws)).await?;
        let is_later = change.is_some_and(|change| change.at > begun);
        if is_later || head.is_none_or(|head| head < position) {
            let id = format!("{}: the journal was replaced by an older copy since", run.key);
            return Err(QueryError::NotFound { what: "record of the task at run", id });
        }
        Ok(())
    }

    /// The proposals about a task that were open at a time, in their order.
    async fn proposals_at(
        &self,
        ws: WorkspaceId,
        task: &TaskId,
        at: Timestamp,
    ) -> Result<Vec<ProposalThen>, QueryError> {
        let decisions = self.store.all(entity::of_task::<Decision>(ws, task)).await?;
        let mut by_item: BTreeMap<(ChangeSetId, i64), Vec<Decision>> = BTreeMap::new();
        for decision in decisions.into_iter().map(|stored| stored.doc.value) {
            let key = (decision.change_set_id.clone(), decision.item_index);
            by_item.entry(key).or_default().push(decision);
        }
        let sets = self.change_sets(ws, Some(task.clone()), true).await?;
        let mut items: Vec<ChangeItem> = sets.into_iter().flat_map(|set| set.items).collect();
        items.sort_by(|a, b| (a.created_at, &a.set, a.index).cmp(&(b.created_at, &b.set, b.index)));
        let none = Vec::new();
        let open = items.into_iter().filter_map(|item| {
            let decided = by_item.get(&(item.set.clone(), item.index)).unwrap_or(&none);
            let then = status_at(&item, decided, at)?;
            let rejected =
                decided.iter().filter(|one| one.created_at > at && one.undone_at.is_none());
            let rejection_reason = rejected.filter_map(|one| one.rejection_reason.clone()).next();
            Some(ProposalThen { then, item, rejection_reason })
        });
        Ok(open.collect())
    }
}

/// Whether an item was open at a time, and how; `None` if it was not there yet, or decided.
fn status_at(item: &ChangeItem, decisions: &[Decision], at: Timestamp) -> Option<ItemStatus> {
    if item.created_at > at {
        return None;
    }
    let counts =
        |one: &&Decision| one.created_at <= at && one.undone_at.is_none_or(|undone| undone > at);
    let last = decisions.iter().filter(counts).max_by_key(|one| one.created_at);
    match last.map(|one| one.verdict) {
        Some(DecisionVerdict::Confirmed | DecisionVerdict::Rejected) => None,
        Some(DecisionVerdict::Deferred) => Some(ItemStatus::Deferred),
        // Expired and withdrawn ones have no verdict of a person, only a time.
        None => {
            let has_ended = item.decided_at.is_some_and(|decided| decided <= at);
            let is_ended = !matches!(item.status, ItemStatus::Pending | ItemStatus::Deferred);
            (!(has_ended && is_ended)).then_some(ItemStatus::Pending)
        }
    }
}
