//! The chore that turns changes of the person's tasks into runs.

use std::collections::{BTreeMap, BTreeSet};

use dormouse_scheduler::{Chore, Done, HandlerError, When};
use dormouse_store::agent::work::definition::{self, Definition};
use dormouse_store::agent::work::filter::{self, Filters};
use dormouse_store::agent::work::run::{self, Occurrence, Run};
use dormouse_store::journal::privacy;
use dormouse_store::{Commit, Db, Refusal, change_log, in_list};
use dormouse_types::change::Change;
use dormouse_types::port::BoxFuture;
use dormouse_types::work::{SkipReason, WorkCreator, WorkState};
use dormouse_types::work_filter::EventFilter;
use dormouse_types::{
    CategoryId, EventKind, HolderId, Id as _, Origin, Seq, TaskId, Timestamp, WorkId, WorkRunId,
    WorkspaceId, limits,
};

use crate::error::exists_already;
use crate::run_start::{BEYOND, CHANGE};
use crate::snapshot::{NewRun, Snapshot};
use crate::{Work, WorkError, event};

/// Changes that one commit looks at.
const AT_ONCE: i64 = 200;

/// Runs that are read at once to count those of an hour.
const RUNS_AT_ONCE: i64 = 100;

const HOUR: i64 = 3_600_000_000;

/// Turns changes of the person's tasks into runs.
pub struct Events(pub Work);

/// Returns the changes that start a run.
///
/// What an agent wrote starts none, and neither does what came of work that changes started already: work
/// that answers its own results would never end. `own` are runs of the definition: what the person
/// confirmed of their proposals starts none of it either.
fn starting<'c>(
    changes: &'c [Change],
    filters: &[EventFilter],
    categories: &BTreeMap<TaskId, CategoryId>,
    own: &BTreeSet<HolderId>,
) -> Vec<&'c Change> {
    let passes = |change: &Change| {
        change.touched.iter().any(|task| {
            let category = categories.get(task);
            change
                .what_of(task)
                .any(|what| filters.iter().any(|filter| filter.passes(task, category, what)))
        })
    };
    let may = |change: &Change| match change.origin {
        Origin::Person { .. } | Origin::Import => {
            let is_own = change.origin.via().is_some_and(|via| own.contains(via));
            change.depth < limits::WORK_EVENT_DEPTH && !is_own
        }
        Origin::Agent { .. } | Origin::Work { .. } | Origin::Unknown => false,
    };
    changes.iter().filter(|change| may(change) && passes(change)).collect()
}

/// Returns the position of the change that a run is about; `None` if it is about none.
pub(crate) fn change_of(run: &Run) -> Option<Seq> {
    let is_change = run.occurrence.zone == CHANGE;
    is_change.then(|| run.occurrence.original_start.parse().ok().map(Seq)).flatten()
}

impl Work {
    /// Where the journal ends: no change up to here starts a definition that begins to listen now.
    pub(crate) async fn journal_head(&self, ws: WorkspaceId) -> Result<Seq, WorkError> {
        Ok(self.store.first(change_log::head(Db::Journal, ws)).await?.unwrap_or_default())
    }

    /// Starts the runs of a definition for the changes after its position, up to `head`. Returns
    /// whether there is more to look at.
    ///
    /// The runs and the position are one commit: a crash before it starts none of them, and the same
    /// changes are looked at again; a crash after it repeats none.
    async fn listen(
        &self,
        ws: WorkspaceId,
        read: &Filters,
        head: Seq,
        lines: &mut Vec<Result<String, String>>,
    ) -> Result<bool, WorkError> {
        let snapshot = self.snapshot(ws, &read.work).await?;
        let host = self.store.host(Db::Journal);
        if snapshot.definition.state != WorkState::Active {
            return Ok(false);
        }
        if read.host != host || read.agent != self.store.host(Db::Agent) || read.upto > head {
            // A database was restored. Which changes it has seen already is unknown: none starts it.
            return self.move_on(ws, read, head, None).await.map(|()| false);
        }
        let found = self.store.each(change_log::after(ws, read.upto, AT_ONCE)).await?;
        let all = change_log::positions_after(ws, read.upto, AT_ONCE);
        let Some(upto) = self.store.all(all).await?.last().copied() else { return Ok(false) };
        let mut changes = Vec::new();
        for one in found {
            match one {
                Ok(change) => changes.push(change),
                Err(damaged) => lines.push(Err(damaged.to_string())),
            }
        }
        let categories = self.categories(ws, &read.filters, &changes).await?;
        let own = self.own_runs(ws, &read.work, &changes).await?;
        let starting = starting(&changes, &read.filters, &categories, &own);
        if starting.is_empty() {
            self.move_on(ws, read, upto, None).await?;
            return Ok(upto < head);
        }
        let runs = self.runs_for(ws, &snapshot.definition, &starting).await?;
        self.move_on(ws, read, upto, Some((snapshot, runs))).await?;
        Ok(upto < head)
    }

    /// Returns the runs that changes start: one each, as many as there may be within an hour, and one
    /// that was left out for the rest.
    async fn runs_for(
        &self,
        ws: WorkspaceId,
        definition: &Definition,
        starting: &[&Change],
    ) -> Result<Vec<NewRun>, WorkError> {
        let most = limits::WORK_EVENTS_AN_HOUR;
        let recent = self.runs_of_hour(ws, &definition.id).await?;
        let started = recent.iter().filter(|run| change_of(run).is_some()).count();
        let n_left = most.saturating_sub(started);
        let occurrence = |zone: &str, start: String| Occurrence {
            source: definition.id.to_string(),
            uid: String::new(),
            original_start: start,
            zone: zone.to_owned(),
            fold: false,
        };
        let new = |occurrence, skipped, depth| NewRun {
            depth,
            occurrence,
            scheduled_for: None,
            skipped,
            by: WorkCreator::Scheduler,
            revises: None,
        };
        let mut runs: Vec<NewRun> = starting
            .iter()
            .take(n_left)
            .map(|change| new(occurrence(CHANGE, change.seq.to_string()), None, change.depth))
            .collect();
        let is_reported = recent.iter().any(|run| run.occurrence.zone == BEYOND);
        if let Some(first) = starting.get(n_left).filter(|_| !is_reported) {
            let beyond = occurrence(BEYOND, first.seq.to_string());
            runs.push(new(beyond, Some(SkipReason::TooMany), first.depth));
        }
        Ok(runs)
    }

    /// The runs of a definition that were made within the last hour, whatever started them. Damaged ones are left
    /// out.
    async fn runs_of_hour(&self, ws: WorkspaceId, work: &WorkId) -> Result<Vec<Run>, WorkError> {
        let since = self.clock.now().micros() - HOUR;
        let (mut recent, mut before) = (Vec::new(), i64::MAX);
        loop {
            let page = run::lines(run::of_definition(ws, work, before, RUNS_AT_ONCE));
            let page = self.store.all(page).await?;
            let is_last = page.len() < usize::try_from(RUNS_AT_ONCE).unwrap_or(usize::MAX);
            let runs: Vec<Run> = page.into_iter().filter_map(|line| line.row.ok()).collect();
            let Some(oldest) = runs.last() else { return Ok(recent) };
            before = oldest.n;
            let is_over = is_last || oldest.created_at.micros() <= since;
            recent.extend(runs.into_iter().filter(|run| run.created_at.micros() > since));
            if is_over {
                return Ok(recent);
            }
        }
    }

    async fn move_on(
        &self,
        ws: WorkspaceId,
        read: &Filters,
        upto: Seq,
        starts: Option<(Snapshot, Vec<NewRun>)>,
    ) -> Result<(), WorkError> {
        let now = self.clock.now();
        let host = self.store.host(Db::Journal);
        let mut commit =
            Commit::new("work.event", Db::Agent, ws).op(filter::advance(ws, read, &host, upto));
        if let Some((snapshot, runs)) = starts {
            let mut step = snapshot.step();
            for new in runs {
                step.add_run(WorkRunId::fresh(now, &*self.entropy), new, now);
            }
            commit = commit
                .ops(step.ops(ws, now))
                .change(event(EventKind::WorkStatus, read.work.as_str()));
        }
        match self.store.commit(commit).await {
            Ok(_) => Ok(()),
            // Another node was faster, or somebody wrote the definition: the next poll reads again.
            Err(error) if error.refusal() == Some(Refusal::Stale) || exists_already(&error) => {
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The runs of a definition among those whose proposals led to changes.
    async fn own_runs(
        &self,
        ws: WorkspaceId,
        work: &WorkId,
        changes: &[Change],
    ) -> Result<BTreeSet<HolderId>, WorkError> {
        let via: BTreeSet<&HolderId> =
            changes.iter().filter_map(|change| change.origin.via()).collect();
        let runs: Vec<WorkRunId> = via.into_iter().filter_map(|via| via.try_into().ok()).collect();
        let mut own = BTreeSet::new();
        for runs in runs.chunks(in_list::MOST) {
            let found = self.store.each(run::by_ids(ws, runs)).await?.into_iter().flatten();
            own.extend(found.filter(|run| run.work == *work).map(|run| HolderId::from(&run.id)));
        }
        Ok(own)
    }

    /// The categories of the tasks that changes touch, if a filter asks for one.
    async fn categories(
        &self,
        ws: WorkspaceId,
        filters: &[EventFilter],
        changes: &[Change],
    ) -> Result<BTreeMap<TaskId, CategoryId>, WorkError> {
        let mut categories = BTreeMap::new();
        if filters.iter().all(|filter| filter.category.is_none()) {
            return Ok(categories);
        }
        let mut ids: Vec<String> =
            changes.iter().flat_map(|change| &change.touched).map(ToString::to_string).collect();
        ids.sort_unstable();
        ids.dedup();
        for page in ids.chunks(in_list::MOST) {
            for one in self.store.all(privacy::of_some(ws, page)).await? {
                let category = one.facts.and_then(|facts| facts.category);
                if let (Ok(task), Some(category)) = (one.id.parse(), category) {
                    categories.insert(task, category);
                }
            }
        }
        Ok(categories)
    }

    /// What starts a definition besides its schedule and its person.
    pub async fn filters(
        &self,
        ws: WorkspaceId,
        id: &WorkId,
    ) -> Result<Vec<EventFilter>, WorkError> {
        let found = self.store.first(filter::of_definition(ws, id)).await?;
        Ok(found.map(|found| found.filters).unwrap_or_default())
    }

    async fn listen_all(
        &self,
        ws: WorkspaceId,
        lines: &mut Vec<Result<String, String>>,
    ) -> Result<(), WorkError> {
        let head = self.journal_head(ws).await?;
        for one in self.store.all(filter::of_active(ws)).await? {
            let read = match one {
                Ok(read) => read,
                Err(damaged) => {
                    lines.push(Err(damaged.to_string()));
                    continue;
                }
            };
            let mut read = Some(read);
            while let Some(now) = read.take().filter(|read| !self.is_up_to_date(read, head)) {
                // A definition that cannot be started stops no other.
                match self.listen(ws, &now, head, lines).await {
                    Ok(true) => {
                        read = self.store.first(filter::of_definition(ws, &now.work)).await?;
                    }
                    Ok(false) => {}
                    Err(error) if error.is_damage() => {
                        lines.push(self.disabled(ws, &now.work, &error).await);
                    }
                    Err(error) => lines.push(Err(format!("agent work {}: {error}", now.work))),
                }
            }
        }
        Ok(())
    }

    /// Disables a definition that changes cannot start, and says so.
    async fn disabled(
        &self,
        ws: WorkspaceId,
        work: &WorkId,
        error: &WorkError,
    ) -> Result<String, String> {
        let failed = |why: WorkError| {
            format!("agent work {work} cannot be started: {error}; nor disabled: {why}")
        };
        let read = self.store.first(definition::by_id(ws, work)).await;
        if let Some(definition) = read.map_err(|why| failed(why.into()))? {
            self.disable(ws, &definition).await.map_err(failed)?;
        }
        Ok(format!("agent work {work} is disabled: {error}"))
    }

    fn is_up_to_date(&self, read: &Filters, head: Seq) -> bool {
        read.upto == head
            && read.host == self.store.host(Db::Journal)
            && read.agent == self.store.host(Db::Agent)
    }
}

impl Chore for Events {
    fn name(&self) -> &'static str {
        "changes that start agent work"
    }

    fn when(&self) -> When {
        When::EachPoll
    }

    fn work(
        &self,
        of: Option<WorkspaceId>,
        _: Timestamp,
    ) -> BoxFuture<'_, Result<Done, HandlerError>> {
        Box::pin(async move {
            let mut done = Done::default();
            let workspaces = self.0.store.all(filter::workspaces()).await;
            for ws in workspaces.map_err(WorkError::from)? {
                if of.is_none_or(|of| of == ws) {
                    self.0.listen_all(ws, &mut done.lines).await?;
                }
            }
            Ok(done)
        })
    }
}
