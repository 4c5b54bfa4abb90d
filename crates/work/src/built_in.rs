//! A run of work that needs no language model: what it reads, what it produces, and the one commit that
//! ends it.

use dormouse_runs::{End, Lease, RunError, RunHandler as _, RunOutput};
use dormouse_scheduler::status::{Event, after};
use dormouse_store::agent::wake_queue;
use dormouse_store::agent::wake_run::{self, Status};
use dormouse_store::agent::work::run::{self, Run};
use dormouse_store::{Attempts, ChangeRow, Commit, Db, MaybeRefused as _, Op, ReadError, Refusal};
use dormouse_types::work::{RunEvent, RunState, WorkOutcome};
use dormouse_types::work_outcome::{BuiltInOutcome, CannotRunReason, NothingReason, WorkText};
use dormouse_types::{EventKind, Id as _, WorkId, WorkRunId, WorkspaceId};
use jiff::civil::Date;

use crate::conversation;
use crate::definition::built_in;
use crate::error::broken;
use crate::proposing::Proposals;
use crate::runner::WorkRun;
use crate::{ATTEMPTS, Work, WorkError, event};

/// The name under which attempts of such runs are recorded in place of a model.
pub(crate) const NO_MODEL: &str = "builtin";

/// How far back the last run that ended well is looked for.
const EARLIER_RUNS: i64 = 100;

impl Work {
    /// Runs work that needs no language model to its end. A run that a crash cut off has written
    /// nothing, so it begins anew.
    pub(crate) async fn run_built_in(&self, lease: &Lease) -> Result<End, WorkError> {
        let id = WorkRunId::try_from(lease.holder()).map_err(broken)?;
        let mut attempts =
            Attempts::new(ATTEMPTS, &[Refusal::Stale, Refusal::Exists, Refusal::ItemMoved]);
        loop {
            let result = self.built_in_once(lease, &id).await;
            let error = match result {
                Ok(end) => return Ok(end),
                Err(error) => error,
            };
            if error.refusal() == Some(Refusal::LeaseLost) {
                return Ok(End::LeaseLost);
            }
            match error {
                // A damaged row or a broken rule fails this run visibly, and no other.
                WorkError::Run(RunError::Broken(why)) => return self.failed(lease, id, why).await,
                WorkError::Read(ReadError::Corrupt { .. })
                | WorkError::Run(RunError::Read(ReadError::Corrupt { .. })) => {
                    return self.failed(lease, id, error.to_string()).await;
                }
                other => {
                    let result: Result<(), WorkError> = Err(other);
                    if !attempts.go_on_after(&result) {
                        return result.map(|()| End::LeaseLost);
                    }
                }
            }
        }
    }

    async fn built_in_once(&self, lease: &Lease, id: &WorkRunId) -> Result<End, WorkError> {
        let ws = lease.ws;
        let run = self.run(ws, id).await?;
        let snapshot = self.snapshot(ws, &run.work).await?;
        if run.state != RunState::Running {
            return self.requeue(lease).await;
        }
        let Some(work) = built_in(&snapshot.definition)? else {
            return Err(broken(
                "its instructions need a language model: choose one, or give it parameters",
            ));
        };
        let last_run_on = self.last_run_on(ws, &run.work, run.n).await?;
        let facts = self.facts.gather(ws, &run.work, &work.parameters, last_run_on).await?;
        let outcome = self.rules().run(&facts, &work.parameters, &work.language);
        let now = self.clock.now();
        let mut ending = Ending::of(&outcome)?;
        let mut proposals = Proposals::begin(self, lease, &snapshot.definition).await?;
        if let BuiltInOutcome::Proposals(wanted) = &outcome {
            let n = proposals.of_rules(wanted).await?;
            if n == 0 {
                // Of each it was said already that it is proposed, or refused.
                ending = Ending::of(&BuiltInOutcome::Nothing { why: NothingReason::NothingNew })?;
            }
        }
        let (proposed, rows) = proposals.ops().await?;
        let mut step = snapshot.step();
        step.move_run(&run, RunEvent::Ended(ending.outcome), now, |run| ending.write(run))?;
        let mut news = vec![event(EventKind::WorkStatus, id.as_str())];
        news.extend(step.client_events());
        let to = after(Status::Started, Event::Completed).map_err(broken)?;
        let report = conversation::report(ws, &step, now);
        let mut ops = step.ops(ws, now);
        ops.extend(proposed);
        if let Some(report) = report {
            ops.extend(report.ops);
            news.push(report.news);
        }
        news.extend(rows);
        let key = &lease.run.key;
        ops.push(wake_run::finish(ws, key, Status::Started, to, now, false, None));
        self.commit_ending("work.final", lease, ops, lease.release(), news).await?;
        Ok(End::Completed { cut: false })
    }

    /// Ends an attempt that failed: another one follows, or the run has failed.
    async fn failed(&self, lease: &Lease, id: WorkRunId, error: String) -> Result<End, WorkError> {
        let mut attempts = Attempts::new(ATTEMPTS, &[Refusal::Stale]);
        loop {
            let mut run = WorkRun::read(self, id.clone(), lease).await?;
            let RunOutput { mut ops, mut news, audit: _ } = run.fail(&error).await?;
            let now = self.clock.now();
            let to = after(Status::Started, Event::Failed).map_err(broken)?;
            let key = &lease.run.key;
            ops.push(wake_run::finish(
                lease.ws,
                key,
                Status::Started,
                to,
                now,
                false,
                Some(&error),
            ));
            news.push(event(EventKind::WorkStatus, id.as_str()));
            let ended = self.commit_ending("work.fail", lease, ops, lease.release(), news).await;
            if !attempts.go_on_after(&ended) {
                return ended.map(|()| End::Failed { error });
            }
        }
    }

    /// Leaves a run that is not under way any more to be looked at anew; only a restored store has one.
    async fn requeue(&self, lease: &Lease) -> Result<End, WorkError> {
        let (ws, run, now) = (lease.ws, &lease.run, self.clock.now());
        let to = after(Status::Started, Event::Requeued).map_err(broken)?;
        let requeue = wake_run::requeue(ws, &run.key, Status::Started, to, run.epoch, run.crashes);
        let row = wake_queue::requeue(ws, &run.holder, &lease.owner, run.epoch, Some(now), None);
        let news = vec![event(EventKind::WorkStatus, run.holder.as_str())];
        self.commit_ending("work.requeue", lease, vec![requeue], row, news).await?;
        Ok(End::Requeued { reason: "it is not under way any more".into() })
    }

    /// Commits what ends an attempt. The guard comes first, so that an owner that was replaced writes
    /// nothing; what frees the row of the queue comes last.
    async fn commit_ending(
        &self,
        label: &'static str,
        lease: &Lease,
        ops: Vec<Op>,
        last: Op,
        news: Vec<ChangeRow>,
    ) -> Result<(), WorkError> {
        let commit = Commit::new(label, Db::Agent, lease.ws)
            .op(lease.guard())
            .ops(ops)
            .op(last)
            .changes(news);
        self.store.commit(commit).await?;
        Ok(())
    }

    /// The day of the last run of a definition before one of them that ended well.
    async fn last_run_on(
        &self,
        ws: WorkspaceId,
        work: &WorkId,
        before: i64,
    ) -> Result<Option<Date>, WorkError> {
        let earlier = self.store.all(run::of_definition(ws, work, before, EARLIER_RUNS)).await?;
        let well = |run: &&Run| matches!(run.state, RunState::Succeeded | RunState::NoOp);
        let last = earlier.iter().find(well).and_then(|run| run.completed_at);
        Ok(last.map(|at| at.day_in(&self.zone.get())))
    }
}

/// What the end of such a run writes.
struct Ending {
    outcome: WorkOutcome,
    /// The line of the log.
    summary: String,
    /// Why it could not do it.
    error: Option<String>,
    /// Title and Markdown.
    result: Option<(String, String)>,
    /// JSON of all figures.
    figures: String,
}

impl Ending {
    fn of(outcome: &BuiltInOutcome) -> Result<Self, WorkError> {
        let silent = |outcome, summary: String| Self {
            outcome,
            summary,
            error: None,
            result: None,
            figures: "[]".to_owned(),
        };
        match outcome {
            BuiltInOutcome::Nothing { why } => {
                Ok(silent(WorkOutcome::NoOp, nothing(*why).to_owned()))
            }
            BuiltInOutcome::Text(text) => Self::published(text),
            BuiltInOutcome::Proposals(proposals) => Self::published(&proposals.text),
            BuiltInOutcome::CannotRun { why, subject } => {
                let reason_text = cannot_run(*why, subject);
                Ok(Self {
                    error: Some(reason_text.clone()),
                    ..silent(WorkOutcome::Failed, reason_text)
                })
            }
        }
    }

    fn published(text: &WorkText) -> Result<Self, WorkError> {
        let figures = serde_json::to_string(&text.figures).map_err(broken)?;
        let summary = text.title.clone();
        let result = Some((text.title.clone(), text.markdown.clone()));
        Ok(Self { outcome: WorkOutcome::Done, summary, error: None, result, figures })
    }

    fn write(&self, run: &mut Run) {
        run.outcome = Some(self.outcome);
        run.summary = Some(self.summary.clone());
        run.error.clone_from(&self.error);
        (run.result_title, run.result) = self.result.clone().unzip();
        run.figures = Some(self.figures.clone());
    }
}

fn nothing(why: NothingReason) -> &'static str {
    match why {
        NothingReason::NothingThere => "There was nothing to say.",
        NothingReason::NothingNew => "All there is was said before.",
        NothingReason::NothingTicked => "No item is ticked.",
        NothingReason::StillOpen => "The task of last time is still open.",
        NothingReason::StillProposed => "The same is proposed already and waits for you.",
    }
}

fn cannot_run(why: CannotRunReason, subject: &str) -> String {
    match why {
        CannotRunReason::TaskGone => {
            format!(
                "The task {subject} does not exist any more: choose another one, or archive this work."
            )
        }
        CannotRunReason::TaskClosed => {
            format!("The task {subject} was closed: reopen it, or archive this work.")
        }
        CannotRunReason::NoChecklist => {
            format!("The task {subject} has no checklist: add an item, or archive this work.")
        }
    }
}
