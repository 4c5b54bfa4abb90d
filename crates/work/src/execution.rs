//! Runs that a person asks for, cancels, judges and corrects.

use std::sync::OnceLock;

use dormouse_runs::spending;
use dormouse_runs::status::{Event, after};
use dormouse_store::agent::model_call;
use dormouse_store::agent::wake_queue::{self, Reason, Signal};
use dormouse_store::agent::wake_run::{self, Status};
use dormouse_store::agent::work::correction::{self, Correction};
use dormouse_store::agent::work::definition::{self, Definition};
use dormouse_store::agent::work::question;
use dormouse_store::agent::work::run::{self, Run};
use dormouse_store::agent::work::step;
use dormouse_store::{Commit, Db, Op, Refusal, retry};
use dormouse_types::audit::AuditAction;
use dormouse_types::work::{RunEvent, RunState, WorkCreator, WorkState};
use dormouse_types::{EventKind, Id as _, Seq, Timestamp, WorkId, WorkRunId, WorkspaceId, limits};

use crate::conversation;
use crate::error::broken;
use crate::schedule::{Claim, moves_on, scheduled};
use crate::snapshot::{NewRun, Snapshot, Step, request_occurrence};
use crate::{ATTEMPTS, RequestContext, Work, WorkError, event};

/// The error of an attempt that a person cancelled.
const CANCELLED: &str = "cancelled";

/// The error of a run that was declined without a word about why.
const DECLINED: &str = "it was declined";

impl Work {
    pub async fn run(&self, ws: WorkspaceId, id: &WorkRunId) -> Result<Run, WorkError> {
        let found = self.store.first(run::by_id(ws, id)).await?;
        found.ok_or_else(|| WorkError::NoRun { run: id.clone() })
    }

    /// Runs a definition now. If an occurrence of its schedule is due and has no run, it runs that one; otherwise the
    /// schedule stays as it is.
    ///
    /// The run and how far the series has come are one commit, as where the schedule is planned: the first of them
    /// runs the occurrence, and a request that came second returns that run.
    ///
    /// Errors: it is archived; it is paused or held, and no person requests it.
    pub async fn run_now(
        &self,
        ws: WorkspaceId,
        id: &WorkId,
        context: &RequestContext,
    ) -> Result<Run, WorkError> {
        let claimed = OnceLock::new();
        let added = retry(ATTEMPTS, &[Refusal::Stale], || async {
            let mut snapshot = self.snapshot(ws, id).await?;
            let definition = &snapshot.definition;
            if definition.deleted_at.is_some() {
                return Err(WorkError::NotFound { work: id.clone() });
            }
            if definition.state == WorkState::Archived {
                let (work, state) = (id.clone(), definition.state);
                return Err(WorkError::State { work, state, hint: "it never runs again" });
            }
            if definition.state != WorkState::Active && context.creator != WorkCreator::User {
                let (work, state) = (id.clone(), definition.state);
                let hint =
                    "only a person runs work that is not active; somebody has to resume it first";
                return Err(WorkError::State { work, state, hint });
            }
            let now = self.clock.now();
            let claim = loop {
                match self.claim(ws, &snapshot, now).await? {
                    Some(claim) => break claim,
                    None => snapshot = self.snapshot(ws, id).await?,
                }
            };
            let taken = match claimed.get() {
                Some(one) => self.store.first(run::of_occurrence(ws, one)).await?,
                None => None,
            };
            let (run, ops) = match taken.filter(|run| run.skip_reason.is_none()) {
                Some(run) => (run, Vec::new()),
                None => {
                    let revises = self.to_revise(ws, &snapshot).await?;
                    let mut step = snapshot.step();
                    let by = (revises, context.creator);
                    let run = self.add_requested(&mut step, claim, by, now)?;
                    if run.scheduled_for.is_some() {
                        claimed.get_or_init(|| run.occurrence.clone());
                    }
                    (run, step.ops(ws, now))
                }
            };
            let mut commit = Commit::new("work.run", Db::Agent, ws)
                .ops(ops)
                .change(event(EventKind::WorkStatus, id.as_str()))
                .audit(context.audit(AuditAction::WorkRun, id.as_str()));
            commit.once = context.once("work.run", id.as_str(), run.id.as_str());
            let committed = self.store.commit(commit).await?;
            Ok(committed.replayed.map_or(Ok(run), Err))
        })
        .await;
        let first = match added.map_err(|error: WorkError| self.busy(id, error)) {
            Ok(Ok(run)) => return Ok(run),
            Ok(Err(first)) => first,
            Err(refused) => {
                let once = context.once("work.run", id.as_str(), "");
                self.unless_repeated(ws, once.as_ref(), refused).await?
            }
        };
        self.run(ws, &first.parse().map_err(broken)?).await
    }

    /// Adds the run of a request to a step, and what is left out before the occurrence that it runs.
    fn add_requested(
        &self,
        step: &mut Step,
        claim: Claim,
        (revises, by): (Option<WorkRunId>, WorkCreator),
        now: Timestamp,
    ) -> Result<Run, WorkError> {
        let work = step.definition().id.clone();
        let fresh = || WorkRunId::fresh(now, &*self.entropy);
        let wanted = match claim {
            Claim::NotDue => None,
            Claim::Due { wanted, others, position, next_due } => {
                for one in others {
                    step.add_run(fresh(), scheduled(&work, one), now);
                }
                moves_on(step.definition(), &position, next_due)?;
                wanted
            }
        };
        let id = fresh();
        let new = match wanted {
            Some(one) => NewRun { by, ..scheduled(&work, one) },
            None => request_occurrence(&work, id.as_str(), by),
        };
        Ok(step.add_run(id, NewRun { revises, ..new }, now).clone())
    }

    /// The run that a requested one does again: the newest, if it has ended and does not know the newest
    /// correction. While another one is open, that one reads the correction.
    async fn to_revise(
        &self,
        ws: WorkspaceId,
        snapshot: &Snapshot,
    ) -> Result<Option<WorkRunId>, WorkError> {
        let newest = snapshot.newest.as_ref().filter(|run| run.started_at.is_some());
        let Some(newest) = newest.filter(|run| run.state.is_over()) else { return Ok(None) };
        let unread = correction::after(ws, &newest.work, newest.corrections_upto);
        Ok(self.store.first(unread).await?.map(|_| newest.id.clone()))
    }

    /// Ends a run, on whichever node it is under way; what it did so far stays in its log. To cancel
    /// twice changes nothing.
    ///
    /// Errors: it has ended otherwise.
    pub async fn cancel(
        &self,
        ws: WorkspaceId,
        id: &WorkRunId,
        context: &RequestContext,
    ) -> Result<Run, WorkError> {
        let work = self.run(ws, id).await?.work;
        self.cancel_of(ws, &work, Some(id), context).await
    }

    /// Ends a run of a definition: the one that is named, else its newest that has not ended. Returns the run; for
    /// a repeated request, the one that the first request ended.
    ///
    /// One commit takes the lease and ends the run, so either this commit or the run's last one is
    /// applied. The owner finds its lease lost, and drops the connection to its model.
    ///
    /// Errors: it has ended otherwise, none is open, the definition has no such run; it waits for the person, and
    /// the caller may not decide.
    pub async fn cancel_of(
        &self,
        ws: WorkspaceId,
        work: &WorkId,
        named: Option<&WorkRunId>,
        context: &RequestContext,
    ) -> Result<Run, WorkError> {
        let subject = format!("{work}|{}", named.map_or("", |run| run.as_str()));
        let once = |answer: &str| context.once("work.cancel", &subject, answer);
        let moved = [Refusal::Stale, Refusal::LeaseLost];
        let cancelled = retry(ATTEMPTS, &moved, || async {
            let snapshot = self.snapshot(ws, work).await?;
            let run = self.to_cancel(ws, &snapshot, named).await?;
            let id = run.id.clone();
            if run.state == RunState::Cancelled {
                return Ok(Ok(run));
            }
            if run.state.is_over() && run.state != RunState::Interrupted {
                let hint = "it has ended already";
                return Err(WorkError::RunState { run: id, state: run.state, hint });
            }
            context.require_decider(work, run.state.waits_for_the_person())?;
            let now = self.clock.now();
            let mut ops = self.end_attempt(ws, &run, now).await?;
            ops.push(question::close_of_run(ws, &id, now));
            let mut step = snapshot.step();
            let by = |run: &mut Run| run.ended_by = Some(context.actor.to_string());
            let run = step.move_run(&run, RunEvent::Cancelled, now, by)?.clone();
            let mut commit = Commit::new("work.cancel", Db::Agent, ws)
                .ops(ops)
                .ops(step.ops(ws, now))
                .change(event(EventKind::WorkStatus, id.as_str()))
                .audit(context.audit(AuditAction::WorkCancel, id.as_str()));
            commit.once = once(id.as_str());
            let committed = self.store.commit(commit).await?;
            Ok(committed.replayed.map_or(Ok(run), Err))
        })
        .await;
        let first = match cancelled.map_err(|error: WorkError| self.busy(work, error)) {
            Ok(Ok(run)) => return Ok(run),
            Ok(Err(first)) => first,
            Err(refused) => self.unless_repeated(ws, once("").as_ref(), refused).await?,
        };
        self.run(ws, &first.parse().map_err(broken)?).await
    }

    /// The run that a request to cancel means.
    async fn to_cancel(
        &self,
        ws: WorkspaceId,
        snapshot: &Snapshot,
        named: Option<&WorkRunId>,
    ) -> Result<Run, WorkError> {
        let definition = &snapshot.definition;
        if let Some(named) = named {
            let run = self.run(ws, named).await?;
            let is_of_it = run.work == definition.id;
            return is_of_it.then_some(run).ok_or_else(|| WorkError::NoRun { run: named.clone() });
        }
        if let Some(open) = snapshot.open.last() {
            return Ok(open.clone());
        }
        match &definition.latest_run {
            Some(latest) => self.run(ws, latest).await,
            None => {
                let (work, state) = (definition.id.clone(), definition.state);
                Err(WorkError::State { work, state, hint: "it has no run that could be cancelled" })
            }
        }
    }

    /// Returns the ops that end what waits for a run in the queue, and its attempt if it has one that
    /// has not ended.
    async fn end_attempt(
        &self,
        ws: WorkspaceId,
        run: &Run,
        now: Timestamp,
    ) -> Result<Vec<Op>, WorkError> {
        let mut ops = Vec::new();
        let Some(row) = self.store.first(wake_queue::of_holder(ws, &run.id)).await? else {
            return Ok(ops);
        };
        if let Some(key) = &row.run_key {
            let attempt = self.store.first(wake_run::by_key(ws, key)).await?;
            let open = self.store.all(model_call::open_of_run(ws, key)).await?;
            ops.push(wake_queue::cancel_run(ws, &row, None));
            let is_open = |status| matches!(status, Status::Queued | Status::Started);
            if let Some(attempt) = attempt.filter(|attempt| is_open(attempt.status)) {
                let to = after(attempt.status, Event::Cancelled).map_err(broken)?;
                ops.push(wake_run::cancel(ws, key, attempt.status, to, now, CANCELLED));
            }
            ops.extend(spending::assumed(ws, key, &open));
        }
        ops.push(wake_queue::clear_signals(ws, &run.id));
        Ok(ops)
    }

    /// Takes what a run left that ended without an outcome for its result, or does not. `why` is what
    /// the person says about it.
    ///
    /// Errors: it does not wait for that.
    pub async fn review(
        &self,
        ws: WorkspaceId,
        id: &WorkRunId,
        is_approved: bool,
        why: Option<&str>,
        context: &RequestContext,
    ) -> Result<Run, WorkError> {
        if let Some(why) = why {
            limits::REASON.check(why.chars().count())?;
        }
        let (action, moves) = if is_approved {
            (AuditAction::WorkApprove, RunEvent::Approved)
        } else {
            (AuditAction::WorkDecline, RunEvent::Declined)
        };
        let hint = "only a run that ended without an outcome is approved or declined";
        let subject = format!("{id}|{why:?}");
        self.judge(ws, id, (action, moves, hint), &subject, context, |run| {
            run.ended_by = Some(context.actor.to_string());
            // Why it needed a review asks for what is done now.
            run.error = (!is_approved).then(|| why.unwrap_or(DECLINED).to_owned());
            Vec::new()
        })
        .await
    }

    /// Lets a run be tried again that failed, was interrupted or needs review: the same run, with
    /// everything that it did so far in its prompt.
    ///
    /// Errors: it ended well, or has not ended; it waits for the person, and the caller may not decide.
    pub async fn retry(
        &self,
        ws: WorkspaceId,
        id: &WorkRunId,
        context: &RequestContext,
    ) -> Result<Run, WorkError> {
        let now = self.clock.now();
        let hint = "only a run that did not end well can be tried again";
        let verdict = (AuditAction::WorkRetry, RunEvent::Retried, hint);
        self.judge(ws, id, verdict, id.as_str(), context, |run| {
            run.attempt += 1;
            run.failures = 0;
            (run.error, run.completed_at, run.ended_by) = (None, None, None);
            let again = wake_queue::signal(ws, &signal(&run.id, now));
            vec![step::reopen_failed(ws, &run.id), again]
        })
        .await
    }

    /// Moves a run because a person decided about it, by a request about `subject`. Returns it as it was written; for a repeated request,
    /// as it is now.
    async fn judge(
        &self,
        ws: WorkspaceId,
        id: &WorkRunId,
        (action, moves, hint): (AuditAction, RunEvent, &'static str),
        subject: &str,
        context: &RequestContext,
        change: impl Fn(&mut Run) -> Vec<Op>,
    ) -> Result<Run, WorkError> {
        let work = self.run(ws, id).await?.work;
        let once = context.once(action.name(), subject, id.as_str());
        let judged = retry(ATTEMPTS, &[Refusal::Stale], || async {
            let snapshot = self.snapshot(ws, &work).await?;
            let run = self.run(ws, id).await?;
            let definition = &snapshot.definition;
            if definition.deleted_at.is_some() {
                return Err(WorkError::NotFound { work: work.clone() });
            }
            if moves == RunEvent::Retried && definition.state == WorkState::Archived {
                let (work, state) = (work.clone(), definition.state);
                return Err(WorkError::State { work, state, hint: "it never runs again" });
            }
            if run.state.after(moves).is_err() {
                return Err(WorkError::RunState { run: id.clone(), state: run.state, hint });
            }
            context.require_decider(&work, run.state.waits_for_the_person())?;
            let now = self.clock.now();
            let (mut step, mut ops) = (snapshot.step(), Vec::new());
            let run = step.move_run(&run, moves, now, |run| ops = change(run))?.clone();
            let (report, news) = (conversation::report(ws, &step, now), step.client_events());
            let mut commit =
                Commit::new("work.judge", Db::Agent, ws).ops(step.ops(ws, now)).ops(ops);
            if let Some(report) = report {
                commit = commit.ops(report.ops).change(report.news);
            }
            let mut commit = commit
                .change(event(EventKind::WorkStatus, id.as_str()))
                .changes(news)
                .audit(context.audit(action, id.as_str()));
            commit.once.clone_from(&once);
            let committed = self.store.commit(commit).await?;
            Ok(committed.replayed.is_none().then_some(run))
        })
        .await;
        match judged.map_err(|error: WorkError| self.busy(&work, error)) {
            Ok(Some(run)) => return Ok(run),
            Ok(None) => {}
            Err(refused) => _ = self.unless_repeated(ws, once.as_ref(), refused).await?,
        }
        self.run(ws, id).await
    }

    /// Tells a definition something about how it works: a run that is under way reads it before its
    /// next turn, and all later runs do. The definition itself stays as it is, and is returned.
    ///
    /// Errors: the text is blank or too long; no language model would read it.
    pub async fn correct(
        &self,
        ws: WorkspaceId,
        id: &WorkId,
        text: &str,
        context: &RequestContext,
    ) -> Result<Definition, WorkError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(WorkError::Blank { what: "correction" });
        }
        limits::WORK_CORRECTION.check(text.len())?;
        let corrected = retry(ATTEMPTS, &[Refusal::Stale], || async {
            let definition = self.definition(ws, id).await?;
            if definition.built_in.is_some() {
                return Err(WorkError::NoCorrections { work: id.clone() });
            }
            let known = self.store.all(correction::after(ws, id, 0)).await?;
            let new = Correction {
                work: id.clone(),
                n: known.last().map_or(0, |last| last.n) + 1,
                text: text.to_owned(),
                made_by: context.actor.to_string(),
                created_at: self.clock.now(),
            };
            // A run that is about to end reads it first.
            let mut commit = Commit::new("work.correct", Db::Agent, ws)
                .op(definition::mark_written(ws, &definition))
                .op(correction::insert(ws, &new))
                .change(event(EventKind::WorkStatus, id.as_str()))
                .audit(context.audit(AuditAction::WorkCorrect, id.as_str()));
            commit.once = context.once("work.correct", &format!("{id}|{text}"), id.as_str());
            self.store.commit(commit).await?;
            Ok(definition)
        })
        .await;
        corrected.map_err(|error: WorkError| self.busy(id, error))
    }
}

/// The signal that lets a run go on now, because a person wants it.
pub(crate) fn signal(run: &WorkRunId, now: Timestamp) -> Signal {
    Signal {
        holder: run.into(),
        reason: Reason::UserInitiated,
        at: now,
        due_at: Some(now),
        upto: Seq(0),
        request_id: None,
    }
}
