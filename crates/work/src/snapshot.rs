//! A definition with those of its runs that decide its status, as they were read; and what a commit makes
//! of them.

use dormouse_store::agent::wake_queue;
use dormouse_store::agent::work::definition::{self, Definition};
use dormouse_store::agent::work::delivery;
use dormouse_store::agent::work::result;
use dormouse_store::agent::work::run::{self, Occurrence, Run};
use dormouse_store::agent::work::status;
use dormouse_store::{ChangeRow, Op};
use dormouse_types::delivery::{DeliveryKind, DeliveryTarget};
use dormouse_types::work::{
    Overlap, RunEvent, RunState, SkipReason, WorkCreator, WorkSource, WorkState, public_status,
};
use dormouse_types::{EventKind, Id as _, SessionId, Timestamp, WorkId, WorkRunId, WorkspaceId};

use crate::error::broken;
use crate::run_start::REQUEST;
use crate::{Work, WorkError, event};

/// A definition and its runs that have not ended, as they were read.
///
/// The definition is read first. Every commit that moves one of its runs writes the definition, too, so
/// a commit that is not refused was decided on all of its runs.
#[derive(Debug, Clone)]
pub struct Snapshot {
    pub definition: Definition,
    /// Its runs that have not ended, oldest first.
    pub open: Vec<Run>,
    pub newest: Option<Run>,
    /// The newest run that has ended and was not left out, if the newest of all hides it.
    pub hidden: Option<Run>,
}

/// What a commit writes: a definition, and runs that moved or are new.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    before: Snapshot,
    after: Definition,
    /// The state in which a run was read; `None` if it is new.
    runs: Vec<(Option<RunState>, Run)>,
    /// Whether a later step decides about more of what was missed: that one tells of it.
    has_more: bool,
    /// What the audit log says about the change.
    pub note: String,
}

/// A definition as a commit left it, with the run that stands for it.
#[derive(Debug, Clone)]
pub struct Written {
    pub definition: Definition,
    /// Its newest run that has not ended, or its newest.
    pub latest: Option<Run>,
}

impl Snapshot {
    /// The definition as it is shown, if nothing is written.
    pub(crate) fn unchanged(self) -> Written {
        let latest = latest(&self.open, self.newest.as_ref()).cloned();
        Written { definition: self.definition, latest }
    }

    /// Whether a run of the definition is under way, apart from one of them.
    pub fn is_busy_besides(&self, run: &WorkRunId) -> bool {
        self.open.iter().any(|open| open.state == RunState::Running && open.id != *run)
    }

    /// Whether something of the definition needs the person: a run waits for them, or how the last one ended
    /// does, or nothing starts until they see to it.
    pub(crate) fn needs_the_person(&self) -> bool {
        let ended = |run: &Run| {
            let is_failure = delivery_of(run).is_some_and(|kind| kind != DeliveryKind::Result);
            let is_missed = run.skip_reason == Some(SkipReason::Missed) && run.ended_by.is_none();
            is_failure || is_missed
        };
        let is_archived = self.definition.state == WorkState::Archived;
        let is_stopped = matches!(self.definition.state, WorkState::Held | WorkState::Disabled);
        self.open.iter().any(|run| run.state.waits_for_the_person())
            || is_stopped
            || (!is_archived && self.newest.iter().chain(&self.hidden).any(ended))
    }

    /// How many runs wait or are under way.
    pub fn n_holding(&self) -> usize {
        self.open.iter().filter(|open| open.state.holds_its_place()).count()
    }

    /// Which notice the person gets of one of its runs as it is now.
    pub(crate) fn delivery_kind(&self, run: &Run) -> Option<DeliveryKind> {
        if self.definition.deleted_at.is_some() { None } else { delivery_of(run) }
    }

    /// Begins a commit that changes nothing yet.
    pub(crate) fn step(self) -> Step {
        let after = self.definition.clone();
        Step { before: self, after, runs: Vec::new(), has_more: false, note: String::new() }
    }
}

impl Step {
    /// The definition as it will be, to be changed.
    pub fn definition(&mut self) -> &mut Definition {
        &mut self.after
    }

    /// Whether something of the definition needs the person, as it was read.
    pub fn needs_the_person(&self) -> bool {
        self.before.needs_the_person()
    }

    /// Moves a run and changes it; returns it as it will be.
    ///
    /// Errors: the event cannot happen in its state.
    pub fn move_run(
        &mut self,
        run: &Run,
        event: RunEvent,
        now: Timestamp,
        change: impl FnOnce(&mut Run),
    ) -> Result<&Run, WorkError> {
        let state = run.state.after(event).map_err(broken)?;
        let mut after = Run { state, updated_at: now, ..run.clone() };
        if state.is_over() {
            after.completed_at = Some(now);
        }
        change(&mut after);
        Ok(self.push(Some(run.state), after))
    }

    fn push(&mut self, from: Option<RunState>, run: Run) -> &Run {
        self.runs.push((from, run));
        let (_, run) = self.runs.last().expect("it was pushed");
        run
    }

    /// The definition as it will be, with the run that produces a result in this step.
    pub fn succeeded(&self) -> Option<(&Definition, &Run)> {
        let runs = self.runs.iter().map(|(_, run)| run);
        let done = runs.into_iter().find(|run| run.state == RunState::Succeeded)?;
        Some((&self.after, done))
    }

    pub fn add_run(&mut self, id: WorkRunId, new: NewRun, now: Timestamp) -> &Run {
        let NewRun { occurrence, scheduled_for, skipped, by, revises, depth } = new;
        self.after.n_runs += 1;
        let state = if skipped.is_some() { RunState::Skipped } else { RunState::Queued };
        // Runs that may be side by side share no session.
        let session = match self.after.overlap {
            Overlap::Parallel => SessionId::of_run(&id),
            Overlap::Queue | Overlap::Skip => self.after.session.clone(),
        };
        let run = Run {
            id,
            work: self.after.id.clone(),
            n: self.after.n_runs,
            version: self.after.version,
            occurrence,
            scheduled_for,
            session,
            state,
            skip_reason: skipped,
            attempt: 0,
            failures: 0,
            corrections_upto: 0,
            run_key: None,
            outcome: None,
            summary: None,
            result_title: None,
            result: None,
            figures: None,
            depth,
            error: None,
            created_by: by,
            revises,
            ended_by: None,
            created_at: now,
            started_at: None,
            completed_at: skipped.map(|_| now),
            updated_at: now,
        };
        self.push(None, run)
    }

    /// Adds a run that was left out, with what there is to say about it.
    pub fn add_left_out(
        &mut self,
        id: WorkRunId,
        new: NewRun,
        summary: Option<String>,
        now: Timestamp,
    ) {
        self.add_run(id, new, now);
        let (_, run) = self.runs.last_mut().expect("it was added");
        run.summary = summary;
    }

    /// Says in the audit log what the change is about.
    pub fn note(&mut self, detail: String) {
        self.note = detail;
    }

    /// Leaves it to a later step to tell of what was missed: that one decides about the rest of it.
    pub fn has_more(&mut self) {
        self.has_more = true;
    }

    /// What clients learn of the runs that begin to need the person in this step, or come to a result.
    pub fn client_events(&self) -> Vec<ChangeRow> {
        let mut news = Vec::new();
        for (_, run) in &self.runs {
            let Some(kind) = self.delivery_kind(run) else { continue };
            if kind != DeliveryKind::Result {
                news.push(event(EventKind::WorkNeedsAttention, run.id.as_str()));
            }
            news.push(event(EventKind::DeliveryChanged, run.id.as_str()));
        }
        news
    }

    /// Which notice the person gets of a run. There is none of what is deleted.
    fn delivery_kind(&self, run: &Run) -> Option<DeliveryKind> {
        if self.after.deleted_at.is_some() {
            return None;
        }
        // Of runs that were left out together, the newest tells of all.
        let is_newest = self.runs.last().is_some_and(|(_, newest)| newest.id == run.id);
        match run.skip_reason {
            Some(SkipReason::Missed) => {
                (is_newest && !self.has_more).then_some(DeliveryKind::Missed)
            }
            // Where the person paused it, they know.
            Some(SkipReason::Paused) => {
                (is_newest && self.after.state == WorkState::Held).then_some(DeliveryKind::Held)
            }
            Some(SkipReason::Overlap | SkipReason::TooMany | SkipReason::Suspended) => None,
            None => delivery_of(run),
        }
    }

    /// Returns the writes, with what makes the next run of the definition start that waits for the end
    /// of another, and with its notices to the person.
    pub fn ops(self, ws: WorkspaceId, now: Timestamp) -> Vec<Op> {
        self.decided(ws, now).0
    }

    /// The same, with what the commit leaves: what a request answers, so that nothing is read again.
    pub fn decided(mut self, ws: WorkspaceId, now: Timestamp) -> (Vec<Op>, Written) {
        let runs: Vec<&Run> = self.runs.iter().map(|(_, run)| run).collect();
        let (open, newest) = merged(&self.before, &runs);
        let latest = latest(&open, newest.as_ref());
        self.after.latest_run = latest.map(|run| run.id.clone());
        self.after.run_state = latest.map(|run| run.state);
        self.after.status = public_status(self.after.state, self.after.run_state);
        self.after.updated_at = now;
        let before = &self.before.definition;
        let mut ops = vec![definition::put(ws, before.revision, &self.after)];
        if before.status != self.after.status {
            ops.push(status::replaced(ws, &before.id, before.status));
        }
        // Those that begin together are due one after the other, so that they are claimed in their order.
        let n_new = self.runs.iter().filter(|(from, _)| from.is_none()).count();
        let mut due = now.micros() - i64::try_from(n_new).unwrap_or(0);
        for (from, run) in &self.runs {
            match from {
                Some(from) => {
                    ops.push(run::put(ws, *from, run));
                    // A run leaves such a state because the person decided, or their time had passed.
                    if waits_for_person(*from) {
                        ops.push(delivery::settle_run(ws, &run.id, now));
                    }
                    let is_awaited = self.after.source == WorkSource::Agent;
                    if is_awaited && run.state.is_over() && run.started_at.is_some() {
                        ops.push(result::ended(ws, &self.after.id, &run.id, run.attempt));
                    }
                }
                None => {
                    ops.push(run::insert(ws, run));
                    if run.state == RunState::Queued {
                        due += 1;
                        let due = Timestamp::from_micros(due);
                        ops.push(wake_queue::insert(ws, &run.id, Some(due), now));
                    }
                }
            }
            if let Some(kind) = self.delivery_kind(run) {
                let (about, of) = ((DeliveryTarget::App, kind), (&run.id, run.attempt));
                ops.push(delivery::insert(ws, about, &self.after.id, of, now));
            }
        }
        let needs_turn = self.after.overlap != Overlap::Parallel;
        let is_busy = open.iter().any(|run| run.state == RunState::Running);
        if needs_turn && !is_busy {
            let next = open.iter().find(|run| run.state == RunState::Queued);
            ops.extend(next.map(|next| wake_queue::make_due(ws, &next.id, now)));
        } else if !needs_turn && before.overlap != Overlap::Parallel {
            // Those that waited their turn need none any more.
            let queued = open.iter().filter(|run| run.state == RunState::Queued);
            ops.extend(queued.map(|run| wake_queue::make_due(ws, &run.id, now)));
        }
        let latest = latest.cloned();
        self.after.revision = self.before.definition.revision + 1;
        (ops, Written { definition: self.after, latest })
    }
}

/// A run that is to be made.
#[derive(Debug, Clone)]
pub(crate) struct NewRun {
    pub occurrence: Occurrence,
    pub scheduled_for: Option<Timestamp>,
    pub skipped: Option<SkipReason>,
    pub by: WorkCreator,
    /// The run that it does again.
    pub revises: Option<WorkRunId>,
    /// How many results of agent work led to it.
    pub depth: i64,
}

/// What a delivery about a run in this state says, if there is one.
fn delivery_in(state: RunState) -> Option<DeliveryKind> {
    match state {
        RunState::NeedsInput => Some(DeliveryKind::Question),
        RunState::NeedsReview => Some(DeliveryKind::Review),
        RunState::Failed | RunState::TimedOut | RunState::Expired | RunState::Interrupted => {
            Some(DeliveryKind::Failed)
        }
        RunState::Succeeded => Some(DeliveryKind::Result),
        RunState::Queued
        | RunState::Running
        | RunState::Skipped
        | RunState::NoOp
        | RunState::Cancelled => None,
    }
}

/// Whether a run in this state waits for the person, who has a delivery about it.
fn waits_for_person(state: RunState) -> bool {
    delivery_in(state).is_some_and(|kind| kind != DeliveryKind::Result)
}

/// Which notice the person gets of a run. What they decided themselves they know; a run that found nothing to
/// do is not worth a message.
fn delivery_of(run: &Run) -> Option<DeliveryKind> {
    let kind = delivery_in(run.state).filter(|_| run.ended_by.is_none())?;
    (kind != DeliveryKind::Result || run.result.is_some()).then_some(kind)
}

/// A run that somebody requested: it is the occurrence of the request.
pub(crate) fn request_occurrence(work: &WorkId, request: &str, by: WorkCreator) -> NewRun {
    let occurrence = Occurrence {
        source: work.to_string(),
        uid: String::new(),
        original_start: request.to_owned(),
        zone: REQUEST.to_owned(),
        fold: false,
    };
    NewRun { occurrence, scheduled_for: None, skipped: None, by, revises: None, depth: 0 }
}

/// The runs that have not ended, and the newest of all, after some of them changed.
fn merged(before: &Snapshot, changed: &[&Run]) -> (Vec<Run>, Option<Run>) {
    let is_changed = |run: &Run| changed.iter().any(|other| other.id == run.id);
    let mut all: Vec<Run> = before.open.iter().filter(|run| !is_changed(run)).cloned().collect();
    all.extend(changed.iter().map(|run| (*run).clone()));
    let rest = before.newest.iter().filter(|run| !is_changed(run) && run.state.is_over());
    all.extend(rest.cloned());
    all.sort_by_key(|run| run.n);
    let newest = all.last().cloned();
    all.retain(|run| !run.state.is_over());
    (all, newest)
}

/// The run that stands for its definition: the newest that has not ended; if all are, the newest.
fn latest<'r>(open: &'r [Run], newest: Option<&'r Run>) -> Option<&'r Run> {
    open.last().or(newest)
}

impl Work {
    /// Reads a definition with the runs that decide what it is up to, a deleted one included.
    pub(crate) async fn snapshot(
        &self,
        ws: WorkspaceId,
        id: &WorkId,
    ) -> Result<Snapshot, WorkError> {
        let definition = self.store.first(definition::by_id(ws, id)).await?;
        let definition = definition.ok_or_else(|| WorkError::NotFound { work: id.clone() })?;
        self.snapshot_of(ws, definition).await
    }

    /// The same for a definition that was read.
    pub(crate) async fn snapshot_of(
        &self,
        ws: WorkspaceId,
        definition: Definition,
    ) -> Result<Snapshot, WorkError> {
        let open = self.store.all(run::open(ws, &definition.id)).await?;
        let newest = self.store.first(run::of_definition(ws, &definition.id, i64::MAX, 1)).await?;
        let hides = |run: &Run| !run.state.is_over() || run.state == RunState::Skipped;
        let hidden = match newest.as_ref().is_some_and(hides) {
            true => {
                let of = std::slice::from_ref(&definition.id);
                self.store.first(run::newest_over_of(ws, of)).await?
            }
            false => None,
        };
        Ok(Snapshot { definition, open, newest, hidden })
    }

    /// What a request answers that was carried out before: the definition as it is now.
    pub(crate) async fn written(&self, ws: WorkspaceId, id: &WorkId) -> Result<Written, WorkError> {
        Ok(self.snapshot(ws, id).await?.unchanged())
    }

    /// Says what is wrong with the columns that a definition has of its latest run; `None` if they are
    /// as they would be computed again.
    pub(crate) fn wrong_columns(snapshot: &Snapshot) -> Option<String> {
        let latest = latest(&snapshot.open, snapshot.newest.as_ref());
        let found = &snapshot.definition;
        let state = latest.map(|run| run.state);
        let expected = (latest.map(|run| &run.id), state, public_status(found.state, state));
        let stored = (found.latest_run.as_ref(), found.run_state, found.status);
        let n_runs = snapshot.newest.as_ref().map_or(0, |run| run.n);
        if expected != stored {
            return Some(format!("{}: stored {stored:?}, computed {expected:?}", found.id));
        }
        if n_runs != found.n_runs {
            return Some(format!("{}: {} runs stored, {n_runs} found", found.id, found.n_runs));
        }
        let may_be_due = found.state == WorkState::Active && found.deleted_at.is_none();
        (found.next_due_at.is_some() && !may_be_due)
            .then(|| format!("{}: it is due and may not start runs", found.id))
    }
}
