//! A workspace as a run of built-in work reads it, in a number of statements that does not depend on how
//! much there is.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use dormouse_store::agent::change_item::{self, Item};
use dormouse_store::agent::work::run;
use dormouse_store::in_list;
use dormouse_store::journal::task::Task;
use dormouse_store::journal::{entry, task_list};
use dormouse_store::{Db, change_log};
use dormouse_types::agent::ItemStatus;
use dormouse_types::change::{Change, What};
use dormouse_types::field_change::{FieldChange, FieldRef, FieldValue};
use dormouse_types::named::Named;
use dormouse_types::task::EntryKind;
use dormouse_types::trend::DueMove;
use dormouse_types::work_facts::{
    AttentionFact, AttentionReason, HistoryLine, ItemFact, LastRun, TaskFacts, TimeSpent,
    VerdictFact, WorkspaceFacts,
};
use dormouse_types::work_kind::{Repeated, WorkParameters};
use dormouse_types::{
    CategoryId, HolderId, LabelId, Seq, TaskId, Timestamp, Verdict, WorkId, WorkRunId, WorkspaceId,
    limits,
};
use jiff::ToSpan as _;
use jiff::civil::Date;

use crate::view::AttentionKind;
use crate::{Queries, QueryError};

/// Pages of changes that are read at once.
const CHANGES: i64 = 5_000;
/// The newest runs of a definition whose proposals are looked at.
const RUNS_OF_VERDICTS: i64 = 500;
/// The most earlier changes of tasks that are looked at besides.
const EARLIER_CHANGES: i64 = 10_000;

impl Queries {
    /// The workspace as work with these parameters reads it today. `work` is its definition, if it has one
    /// already; `last_run` is its last one that ended well.
    pub async fn work_facts(
        &self,
        ws: WorkspaceId,
        work: Option<&WorkId>,
        parameters: &WorkParameters,
        last_run: Option<LastRun>,
    ) -> Result<WorkspaceFacts, QueryError> {
        let now = self.clock.now();
        let today = now.day_in(&self.zone.get());
        let since = since(parameters, today, last_run.map(|last| last.local.date()));
        let from = self.begin_of(since);
        let reading = Reading {
            queries: self,
            ws,
            parameters,
            now,
            since,
            categories: self.categories_by_id(ws).await?,
            labels: self.labels_by_id(ws).await?,
        };
        let mut tasks = reading.tasks().await?;
        reading.add_history(&mut tasks, from).await?;
        reading.add_proposals(&mut tasks).await?;
        if matches!(parameters, WorkParameters::Review(_)) {
            reading.add_time(&mut tasks, from).await?;
        }
        if let WorkParameters::Repeat(repeat) = parameters
            && let Repeated::Reset { task } | Repeated::Copy { task } = &repeat.what
        {
            reading.add_items(&mut tasks, &task.id).await?;
        }
        let verdicts = match parameters {
            WorkParameters::Review(_) | WorkParameters::Sweep(_) => {
                self.work_verdicts(ws, work, &tasks, from).await?
            }
            WorkParameters::Agenda(_) | WorkParameters::Watch(_) | WorkParameters::Repeat(_) => {
                Vec::new()
            }
        };
        let attention = match parameters {
            WorkParameters::Agenda(_) => self.work_attention(ws).await?,
            WorkParameters::Review(_)
            | WorkParameters::Watch(_)
            | WorkParameters::Sweep(_)
            | WorkParameters::Repeat(_) => Vec::new(),
        };
        Ok(WorkspaceFacts {
            today,
            zone: self.zone.name(),
            last_run,
            since,
            tasks: tasks.into_values().collect(),
            attention,
            events: Vec::new(),
            verdicts,
        })
    }

    /// The names that an instruction may use: every category and label, and every task that is open.
    pub async fn work_names(
        &self,
        ws: WorkspaceId,
    ) -> Result<dormouse_types::built_in_work::Known, QueryError> {
        let categories = self.categories_by_id(ws).await?.into_values().collect();
        let labels = self.labels_by_id(ws).await?.into_values().collect();
        let mut tasks = Vec::new();
        for line in self.store.all(all_tasks(ws)).await? {
            // A damaged task has no title to be known by.
            let Ok(stored) = line.task else { continue };
            let Task { id, title, status, .. } = stored.doc.value;
            if !status.status.is_terminal() && !title.trim().is_empty() {
                tasks.push(Named { id, name: title });
            }
        }
        Ok(dormouse_types::built_in_work::Known { categories, labels, tasks })
    }

    async fn categories_by_id(
        &self,
        ws: WorkspaceId,
    ) -> Result<BTreeMap<CategoryId, Named<CategoryId>>, QueryError> {
        let all = self.journal.categories(ws).await?.into_iter();
        let named = all.map(|one| (one.id.clone(), Named { id: one.id, name: one.name }));
        Ok(named.collect())
    }

    async fn labels_by_id(
        &self,
        ws: WorkspaceId,
    ) -> Result<BTreeMap<LabelId, Named<LabelId>>, QueryError> {
        let all = self.journal.labels(ws).await?.into_iter();
        let named = all.map(|one| (one.id.clone(), Named { id: one.id, name: one.name }));
        Ok(named.collect())
    }

    /// What the person decided since a time, and about the proposals of a definition ever.
    async fn work_verdicts(
        &self,
        ws: WorkspaceId,
        work: Option<&WorkId>,
        tasks: &BTreeMap<TaskId, TaskFacts>,
        from: Timestamp,
    ) -> Result<Vec<VerdictFact>, QueryError> {
        let own = self.proposed_by(ws, work).await?;
        let is_own = |item: &Item| own.iter().any(|own| own.proposer == item.proposer);
        let mut decided: Vec<(Item, bool)> = Vec::new();
        for item in
            self.store.each(change_item::decided_since(ws, from)).await?.into_iter().flatten()
        {
            let is_own = is_own(&item);
            decided.push((item, is_own));
        }
        let is_earlier = |item: &Item| item.decided_at.is_some_and(|at| at < from);
        decided.extend(own.iter().filter(|item| is_earlier(item)).map(|item| (item.clone(), true)));
        decided.sort_by_key(|(item, _)| (item.decided_at, item.set.clone(), item.index));
        let facts = decided.into_iter().filter_map(|(item, is_own)| {
            let verdict = match item.state {
                ItemStatus::Confirmed | ItemStatus::Applying => Verdict::Confirm,
                ItemStatus::Rejected => Verdict::Reject,
                ItemStatus::Deferred => Verdict::Defer,
                ItemStatus::Pending | ItemStatus::Retracted | ItemStatus::Expired => return None,
            };
            Some(VerdictFact {
                on: item.decided_at?.day_in(&self.zone.get()),
                title: tasks.get(&item.task)?.title.clone(),
                task: item.task,
                tool: item.tool,
                verdict,
                change: item.change,
                is_own,
            })
        });
        Ok(facts.collect())
    }

    /// The newest proposals of a definition.
    async fn proposed_by(
        &self,
        ws: WorkspaceId,
        work: Option<&WorkId>,
    ) -> Result<Vec<Item>, QueryError> {
        let Some(work) = work else { return Ok(Vec::new()) };
        let runs = run::of_definition(ws, work, i64::MAX, RUNS_OF_VERDICTS);
        let runs: Vec<WorkRunId> =
            self.store.each(runs).await?.into_iter().flatten().map(|run| run.id).collect();
        let mut items = Vec::new();
        for runs in runs.chunks(in_list::MOST) {
            let runs: Vec<HolderId> = runs.iter().map(HolderId::from).collect();
            let found = self.store.each(change_item::of_proposers(ws, &runs)).await?;
            items.extend(found.into_iter().flatten());
        }
        Ok(items)
    }

    async fn work_attention(&self, ws: WorkspaceId) -> Result<Vec<AttentionFact>, QueryError> {
        let (mut facts, mut cursor) = (Vec::new(), None::<String>);
        let mut n_runs = BTreeMap::<WorkId, usize>::new();
        let mut works = Vec::new();
        loop {
            let page = self.needs_attention(ws, limits::PAGE.max, cursor.as_deref()).await?;
            facts.extend(page.items.into_iter().map(|one| {
                let reason = reason_of(one.cause.kind());
                let count = one.cause.count().unwrap_or(1).max(1);
                let run = one.work.as_ref().and_then(|work| work.run);
                let of = one.work.as_ref().map(|work| work.id.clone());
                if let Some(of) = of.clone().filter(|_| run.is_some()) {
                    *n_runs.entry(of).or_default() += 1;
                }
                works.push(of);
                let about = one.work.map(|work| work.title).or(one.task_title).or(one.agent_name);
                let about = about.filter(|title| !title.is_empty());
                let text = if reason == AttentionReason::Proposals {
                    String::new()
                } else {
                    one.text.clone()
                };
                AttentionFact {
                    id: one.id,
                    reason,
                    task: one.task_id,
                    title: about.unwrap_or(one.text),
                    run,
                    text,
                    count,
                    since: one.since.day_in(&self.zone.get()),
                }
            }));
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        // One run of its work needs no number.
        for (fact, work) in facts.iter_mut().zip(works) {
            let n = work.and_then(|work| n_runs.get(&work)).copied();
            fact.run = fact.run.filter(|_| n.is_some_and(|n| n > 1));
        }
        Ok(facts)
    }

    /// When a day begins.
    fn begin_of(&self, day: Date) -> Timestamp {
        let begin = day.to_zoned(self.zone.get());
        begin.map_or(Timestamp::from_micros(0), |at| Timestamp::from_jiff(at.timestamp()))
    }
}

/// How far the history reaches back that work with these parameters needs.
fn since(parameters: &WorkParameters, today: Date, last_run_on: Option<Date>) -> Date {
    let days = match parameters {
        WorkParameters::Review(review) => review.days.max(review.stuck_days),
        WorkParameters::Sweep(sweep) => sweep.untouched_days,
        WorkParameters::Agenda(_) | WorkParameters::Watch(_) | WorkParameters::Repeat(_) => 1,
    };
    let back = |day: Date, days: u16| day.checked_sub(i64::from(days).days()).unwrap_or(Date::MIN);
    let last = last_run_on.map_or(today, |last| back(last, 1));
    back(today, days).min(last)
}

fn reason_of(kind: AttentionKind) -> AttentionReason {
    match kind {
        AttentionKind::Changes | AttentionKind::Expiring => AttentionReason::Proposals,
        AttentionKind::WorkQuestion => AttentionReason::Question,
        AttentionKind::WorkReview => AttentionReason::Review,
        AttentionKind::RunFailed
        | AttentionKind::AgentDormant
        | AttentionKind::Provider
        | AttentionKind::WorkFailed
        | AttentionKind::WorkInterrupted => AttentionReason::Failed,
        AttentionKind::ModelSetup
        | AttentionKind::Budget
        | AttentionKind::Restored
        | AttentionKind::WorkMissed
        | AttentionKind::WorkHeld
        | AttentionKind::WorkBroken => AttentionReason::Other,
    }
}

fn all_tasks(ws: WorkspaceId) -> dormouse_store::Query<task_list::Line> {
    task_list::by_creation(ws, false, (Timestamp::from_micros(i64::MAX), ""), i64::MAX)
}

/// What is read for one run.
struct Reading<'a> {
    queries: &'a Queries,
    ws: WorkspaceId,
    parameters: &'a WorkParameters,
    now: Timestamp,
    since: Date,
    categories: BTreeMap<CategoryId, Named<CategoryId>>,
    labels: BTreeMap<LabelId, Named<LabelId>>,
}

impl Reading<'_> {
    /// Every open task, those that were closed lately, and the one that the parameters name. A task that
    /// cannot be read is left out: `doctor` names it.
    async fn tasks(&self) -> Result<BTreeMap<TaskId, TaskFacts>, QueryError> {
        let named = match self.parameters {
            WorkParameters::Repeat(repeat) => match &repeat.what {
                Repeated::Reset { task } | Repeated::Copy { task } => Some(&task.id),
                Repeated::Make { .. } => None,
            },
            _ => None,
        };
        let mut tasks = BTreeMap::new();
        for line in self.queries.store.all(all_tasks(self.ws)).await? {
            let updated_on = line.updated_at.day_in(&self.queries.zone.get());
            let Ok(stored) = line.task else { continue };
            let facts = self.facts(stored.doc.value, updated_on);
            let is_recent = facts.is_open() || facts.status_since >= self.since;
            if is_recent || Some(&facts.id) == named {
                tasks.insert(facts.id.clone(), facts);
            }
        }
        Ok(tasks)
    }

    fn facts(&self, task: Task, updated_on: Date) -> TaskFacts {
        let category = task.category_id.and_then(|id| self.categories.get(&id).cloned());
        let labels = task.label_ids.iter().filter_map(|id| self.labels.get(id).cloned());
        TaskFacts {
            labels: labels.collect(),
            id: task.id,
            title: task.title,
            status: task.status.status,
            status_reason: task.status.reason,
            status_since: task.status.created_at.day_in(&self.queries.zone.get()),
            priority: task.priority,
            due_on: task.due_on,
            estimate_minutes: task.estimate_minutes,
            category,
            items: Vec::new(),
            time_spent: Vec::new(),
            created_on: task.created_at.day_in(&self.queries.zone.get()),
            changed_on: updated_on,
            due_moves: Vec::new(),
            n_due_moves: 0,
            history: Vec::new(),
            open_proposals: Vec::new(),
        }
    }

    /// Adds what happened since the first day, and the day of the last change by anybody but an agent.
    async fn add_history(
        &self,
        tasks: &mut BTreeMap<TaskId, TaskFacts>,
        from: Timestamp,
    ) -> Result<(), QueryError> {
        let store = &self.queries.store;
        let before = store
            .first(change_log::last_before(Db::Journal, self.ws, from, 0, Seq(i64::MAX)))
            .await?;
        let begin = before.unwrap_or(Seq(0));
        let (mut position, mut newest) = (begin, HashMap::new());
        loop {
            let page = store.each(change_log::after(self.ws, position, CHANGES)).await?;
            let all = change_log::positions_after(self.ws, position, CHANGES);
            let Some(last) = store.all(all).await?.last().copied() else { break };
            position = last;
            let is_last = i64::try_from(page.len()).unwrap_or(i64::MAX) < CHANGES;
            for change in page.iter().flatten() {
                self.note(change, tasks, &mut newest);
            }
            if is_last {
                break;
            }
        }
        let mut unknown = Vec::new();
        for task in tasks.values_mut() {
            match newest.get(&task.id) {
                Some(on) => task.changed_on = *on,
                // Only agents wrote it since, so its last change is older.
                None if task.changed_on >= self.since => unknown.push(task.id.clone()),
                None => {}
            }
            task.n_due_moves = task.due_moves.len();
        }
        let is_needed =
            matches!(self.parameters, WorkParameters::Review(_) | WorkParameters::Sweep(_));
        if is_needed {
            self.add_earlier(tasks, unknown, begin).await?;
        }
        Ok(())
    }

    fn note(
        &self,
        change: &Change,
        tasks: &mut BTreeMap<TaskId, TaskFacts>,
        newest: &mut HashMap<TaskId, Date>,
    ) {
        let on = change.at.day_in(&self.queries.zone.get());
        for id in &change.touched {
            let Some(task) = tasks.get_mut(id) else { continue };
            if !change.origin.is_automatic() {
                newest.insert(id.clone(), on);
            }
            for what in change.what_of(id) {
                task.due_moves.extend(due_move(what, on));
                // What happens while this is read is reported the next time.
                if change.at <= self.now {
                    let (origin, what) = (change.origin.clone(), Some(what.clone()));
                    task.history.push(HistoryLine { at: change.at, on, origin, what });
                }
            }
        }
    }

    /// Adds what is older than the first day: how often due dates were moved that moved since, and the
    /// last change of tasks that only agents wrote since.
    async fn add_earlier(
        &self,
        tasks: &mut BTreeMap<TaskId, TaskFacts>,
        unknown: Vec<TaskId>,
        upto: Seq,
    ) -> Result<(), QueryError> {
        let mut wanted: BTreeSet<TaskId> = unknown.iter().cloned().collect();
        wanted.extend(tasks.values().filter(|one| one.n_due_moves > 0).map(|one| one.id.clone()));
        let unknown: BTreeSet<TaskId> = unknown.into_iter().collect();
        let wanted: Vec<TaskId> = wanted.into_iter().collect();
        let mut found = BTreeSet::new();
        for some in wanted.chunks(in_list::MOST) {
            let range = [Seq(0), upto];
            let query = change_log::of_tasks(self.ws, some, range, EARLIER_CHANGES);
            for change in self.queries.store.each(query).await?.into_iter().flatten() {
                let on = change.at.day_in(&self.queries.zone.get());
                for id in change.touched.iter().filter(|id| some.contains(id)) {
                    let Some(task) = tasks.get_mut(id) else { continue };
                    let moves = change.what_of(id).filter(|what| due_move(what, on).is_some());
                    task.n_due_moves += moves.count();
                    let is_persons = !change.origin.is_automatic();
                    // Newest first: only the first one counts.
                    if is_persons && unknown.contains(id) && found.insert(id.clone()) {
                        task.changed_on = on;
                    }
                }
            }
        }
        for id in unknown.difference(&found) {
            if let Some(task) = tasks.get_mut(id) {
                task.changed_on = task.created_on;
            }
        }
        Ok(())
    }

    async fn add_proposals(
        &self,
        tasks: &mut BTreeMap<TaskId, TaskFacts>,
    ) -> Result<(), QueryError> {
        for open in self.queries.open_proposals(self.ws).await? {
            if let Some(task) = tasks.get_mut(&open.item.task) {
                task.open_proposals.push(open.item.tool);
            }
        }
        Ok(())
    }

    /// Adds time entries that were written since.
    async fn add_time(
        &self,
        tasks: &mut BTreeMap<TaskId, TaskFacts>,
        from: Timestamp,
    ) -> Result<(), QueryError> {
        let written = self.queries.store.each(entry::created_since(self.ws, from)).await?;
        for stored in written.into_iter().flatten() {
            let entry = stored.doc.value;
            let on = entry.on.unwrap_or_else(|| entry.created_at.day_in(&self.queries.zone.get()));
            let Some(minutes) = entry.minutes else { continue };
            if entry.kind.known() != EntryKind::Time || on < self.since {
                continue;
            }
            if let Some(task) = tasks.get_mut(&entry.task_id) {
                task.time_spent.push(TimeSpent { on, minutes });
            }
        }
        Ok(())
    }

    /// Adds the items of a task's checklists, in their order.
    async fn add_items(
        &self,
        tasks: &mut BTreeMap<TaskId, TaskFacts>,
        id: &TaskId,
    ) -> Result<(), QueryError> {
        let Some(facts) = tasks.get_mut(id) else { return Ok(()) };
        let view = self.queries.journal.task(self.ws, id).await?;
        let items = view.items.into_iter().map(|item| item.value);
        let items = items.filter(|item| !item.is_archived);
        facts.items.extend(items.map(|item| ItemFact {
            id: item.id,
            title: item.title,
            is_checked: item.is_checked,
        }));
        Ok(())
    }
}

/// The move of a due date from one day to another.
fn due_move(what: &What, on: Date) -> Option<DueMove> {
    let What::FieldSet(FieldChange { field: FieldRef::DueDate, from, to: Some(to) }) = what else {
        return None;
    };
    let (from, to) = (from.as_ref().and_then(FieldValue::day)?, to.day()?);
    (from != to).then_some(DueMove { on, from, to })
}
