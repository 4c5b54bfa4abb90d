//! Runs of agent work as a kind of holder: what the scheduler asks about them.

use dormouse_runs::admission::{MayAsk, was_begun_with_another};
use dormouse_scheduler::{
    Admission, Capacity, Due, End, Handler, HandlerError, HolderKind, Lease, Slots, Stop,
};
use dormouse_store::agent::wake_queue::{QueueEntry, Reason};
use dormouse_store::agent::wake_run::{Run as Attempt, Status};
use dormouse_store::agent::work::{correction, definition, run::Run, step};
use dormouse_store::{ChangeRow, Op};
use dormouse_types::agent::Initiator;
use dormouse_types::model::Usage;
use dormouse_types::port::BoxFuture;
use dormouse_types::work::{Overlap, RunEvent, RunState, SkipReason, WorkCreator, WorkState};
use dormouse_types::work_step::{StepState, WorkRunStep};
use dormouse_types::{
    EventKind, HolderId, Id as _, RunKey, Seq, ThreadId, Timestamp, WorkRunId, WorkspaceId, limits,
};

use crate::attempt::attempt_key;
use crate::built_in::NO_MODEL;
use crate::error::broken;
use crate::runner::WorkRun;
use crate::snapshot::Snapshot;
use crate::{Work, WorkError, event};

/// The handler of runs of agent work.
pub struct WorkRuns(pub Work);

impl Work {
    /// Decides whether a run may start or go on, and what its claim freezes.
    ///
    /// The definition is part of the commit, so what was paused, archived or edited since it was read
    /// refuses the claim, and so does another run of the definition that started meanwhile.
    async fn admit(&self, due: Due<'_>) -> Result<Admission, WorkError> {
        let Due { ws, entry, waiting } = due;
        let now = self.clock.now();
        let id = WorkRunId::try_from(&entry.holder).map_err(broken)?;
        let run = match self.run(ws, &id).await {
            Ok(run) => run,
            Err(WorkError::NoRun { .. }) => {
                return Ok(ended("the run is gone", Vec::new(), Vec::new()));
            }
            Err(error) => return Err(error),
        };
        let snapshot = self.snapshot(ws, &run.work).await?;
        if !matches!(run.state, RunState::Queued | RunState::Running | RunState::Interrupted) {
            return Ok(ended("the run has ended, or waits for the person", Vec::new(), Vec::new()));
        }
        if let Some(reason) = obstacle(&snapshot, &run) {
            let mut step = snapshot.step();
            step.move_run(&run, RunEvent::Skipped, now, |run| {
                run.skip_reason = Some(SkipReason::Paused);
            })?;
            let mut news = step.client_events();
            // Nothing of it waits to be resumed, so the scheduler announces nothing itself.
            news.push(event(EventKind::WorkStatus, id.as_str()));
            return Ok(ended(reason, step.ops(ws, now), news));
        }
        if waiting.is_some() && entry.crashes >= limits::WORK_CRASHES {
            let (ops, news) = self.interrupted(ws, snapshot, &run, now)?;
            return Ok(ended("the process that worked on it died twice", ops, news));
        }
        let definition = &snapshot.definition;
        if definition.overlap != Overlap::Parallel && snapshot.is_busy_besides(&id) {
            // The end of the other run makes this one due.
            return Ok(Admission::Park { guard: vec![definition::unchanged(ws, definition)] });
        }
        // What needs no language model asks none: no budget and no breaker keeps it waiting.
        let is_built_in = definition.built_in.is_some();
        let model = self.model_of(definition.model.as_deref(), definition.template.as_ref());
        let model_name = if is_built_in { NO_MODEL } else { model.name() };
        let may_ask = match is_built_in {
            true => MayAsk::Now(Vec::new()),
            false => self.driver.may_ask(ws, entry, &*model, now).await?,
        };
        let mut ops = match ops_to_ask(may_ask) {
            Ok(ops) => ops,
            Err(admission) => return Ok(admission),
        };
        let version = definition.version;
        if run.state == RunState::Running {
            if waiting.is_none() {
                // Its attempt ended in a store that was since restored.
                let (ops, mut news) = self.interrupted(ws, snapshot, &run, now)?;
                news.push(event(EventKind::WorkStatus, id.as_str()));
                return Ok(ended("its attempt is gone", ops, news));
            }
            // Its process died. It is resumed before anybody could see that it was interrupted.
            return Ok(Admission::Resume { ops });
        }
        // It waits for a model that the person has since left for another one.
        let superseded = waiting.filter(|waiting| was_begun_with_another(waiting, model_name));
        if waiting.is_some() && superseded.is_none() {
            let mut step = snapshot.step();
            step.move_run(&run, RunEvent::Started, now, |_| {})?;
            ops.extend(step.ops(ws, now));
            return Ok(Admission::Resume { ops });
        }
        if run.started_at.is_none() && !is_built_in {
            // An edit since the definition was read refuses the commit.
            let steps = self.steps(ws, &run.work).await?;
            ops.extend(steps.into_iter().zip(1..).map(|(step, n)| {
                let (state, is_added) = (StepState::Open, false);
                let step = WorkRunStep { n, step, state, is_added, attempts: 0, note: None };
                step::insert(ws, &run.id, &step)
            }));
        }
        let corrections = self.store.all(correction::after(ws, &run.work, 0)).await?;
        let mut run = run;
        if let Some(waiting) = superseded {
            ops.extend(self.driver.superseded(ws, entry, waiting, now).await?);
            run.attempt += 1;
        }
        let key = attempt_key(&run);
        let mut step = snapshot.step();
        step.move_run(&run, RunEvent::Started, now, |run| {
            if run.started_at.is_none() {
                run.version = version;
            }
            run.started_at = run.started_at.or(Some(now));
            run.run_key = Some(key.clone());
            run.corrections_upto = corrections.last().map_or(0, |last| last.n);
        })?;
        ops.extend(step.ops(ws, now));
        let mut attempt = Box::new(self.new_attempt(entry, &run, key, model_name, now));
        if let Some(waiting) = superseded {
            attempt.reason.clone_from(&waiting.reason);
            attempt.initiator.clone_from(&waiting.initiator);
        }
        Ok(Admission::Start { run: attempt, ops, if_repeated: Vec::new() })
    }

    fn new_attempt(
        &self,
        entry: &QueueEntry,
        run: &Run,
        key: RunKey,
        model: &str,
        now: Timestamp,
    ) -> Attempt {
        let by_person = run.created_by == WorkCreator::User
            || entry.reasons.iter().any(|reason| !reason.is_automatic());
        let reason = if by_person { Reason::UserInitiated } else { Reason::Timer };
        let initiator = if by_person { Initiator::Person } else { Initiator::Automation };
        Attempt {
            key,
            holder: entry.holder.clone(),
            reason: reason.into(),
            reason_id: Some(run.attempt.to_string()),
            initiator: initiator.into(),
            thread: ThreadId::fresh(now, &*self.entropy),
            status: Status::Started,
            logical_change_key: None,
            processed: Seq(0),
            upto: Seq(0),
            heard_upto: Seq(0),
            epoch: entry.epoch + 1,
            crashes: 0,
            model: Some(model.to_owned()),
            cut: false,
            created_at: now,
            started_at: Some(now),
            completed_at: None,
            error: None,
            failure: None,
            usage: Usage::default(),
        }
    }

    /// Returns the writes for a run whose processes died too often, and what clients learn: the person may
    /// try it again.
    fn interrupted(
        &self,
        ws: WorkspaceId,
        snapshot: Snapshot,
        run: &Run,
        now: Timestamp,
    ) -> Result<(Vec<Op>, Vec<ChangeRow>), WorkError> {
        let mut step = snapshot.step();
        step.move_run(run, RunEvent::Crashed, now, |run| {
            run.error = Some("the process that worked on it died twice".into());
        })?;
        let news = step.client_events();
        Ok((step.ops(ws, now), news))
    }
}

fn ended(reason: &str, ops: Vec<Op>, news: Vec<ChangeRow>) -> Admission {
    Admission::End { reason: reason.to_owned(), ops, news }
}

/// The ops with which a run claims that it may ask its model now; else what is decided about it.
fn ops_to_ask(may_ask: MayAsk) -> Result<Vec<Op>, Admission> {
    match may_ask {
        MayAsk::Now(ops) => Ok(ops),
        MayAsk::Later { until, why, guard } => Err(Admission::Postpone { until, why, guard }),
        MayAsk::Elsewhere => Err(Admission::Leave),
    }
}

/// Why a run that has not begun never will, or why no attempt follows. What a person requested runs although
/// the schedule is paused.
fn obstacle(snapshot: &Snapshot, run: &Run) -> Option<&'static str> {
    let definition = &snapshot.definition;
    if definition.deleted_at.is_some() && run.state == RunState::Queued {
        return Some("its agent work was deleted");
    }
    if run.started_at.is_some() {
        return None;
    }
    match definition.state {
        WorkState::Active => None,
        WorkState::Archived => Some("its agent work was archived"),
        WorkState::Paused | WorkState::Held | WorkState::Disabled
            if run.created_by == WorkCreator::User =>
        {
            None
        }
        WorkState::Paused | WorkState::Disabled => Some("its agent work was paused"),
        WorkState::Held => Some("the data was restored"),
    }
}

impl Handler for WorkRuns {
    fn kind(&self) -> HolderKind {
        HolderKind {
            prefix: WorkRunId::PREFIX,
            noun: "run of agent work",
            slots: Slots::Own(limits::WORK_SLOTS),
        }
    }

    fn capacity(&self, ws: WorkspaceId) -> BoxFuture<'_, Result<Capacity, HandlerError>> {
        Box::pin(async move {
            let now = self.0.clock.now();
            Ok(self.0.driver.capacity(ws, now).await.map_err(WorkError::from)?)
        })
    }

    fn admit<'a>(&'a self, due: Due<'a>) -> BoxFuture<'a, Result<Admission, HandlerError>> {
        Box::pin(async move { Ok(self.0.admit(due).await?) })
    }

    fn run<'a>(
        &'a self,
        lease: &'a Lease,
        stop: &'a Stop,
    ) -> BoxFuture<'a, Result<End, HandlerError>> {
        Box::pin(async move {
            if lease.run.model.as_deref() == Some(NO_MODEL) {
                return Ok(self.0.run_built_in(lease).await?);
            }
            let id = WorkRunId::try_from(lease.holder()).map_err(broken)?;
            let mut run = WorkRun::read(&self.0, id, lease).await?;
            let driver = self.0.driver.stopping_on(stop.clone());
            Ok(driver.drive(&mut run, lease).await.map_err(WorkError::from)?)
        })
    }

    fn give_up<'a>(
        &'a self,
        ws: WorkspaceId,
        holder: &'a HolderId,
    ) -> BoxFuture<'a, Result<Vec<Op>, HandlerError>> {
        Box::pin(async move {
            let now = self.0.clock.now();
            let id = WorkRunId::try_from(holder).map_err(broken)?;
            let run = self.0.run(ws, &id).await?;
            let snapshot = self.0.snapshot(ws, &run.work).await?;
            if run.state.after(RunEvent::Crashed).is_err() {
                return Ok(Vec::new());
            }
            Ok(self.0.interrupted(ws, snapshot, &run, now)?.0)
        })
    }

    fn announce(&self, holder: &HolderId, _: &str) -> Option<ChangeRow> {
        Some(event(EventKind::WorkStatus, holder.as_str()))
    }
}
