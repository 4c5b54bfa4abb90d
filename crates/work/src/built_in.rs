//! A run of work that needs no language model: what it reads, what it produces, and the one commit that
//! ends it.

use dormouse_runs::{End, Lease, RunError, RunHandler as _, RunOutput};
use dormouse_scheduler::status::{Event, after};
use dormouse_store::agent::wake_queue;
use dormouse_store::agent::wake_run::{self, Status};
use dormouse_store::agent::work::run::{self, Run};
use dormouse_store::{Attempts, ChangeRow, Commit, Db, MaybeRefused as _, Op, ReadError, Refusal};
use dormouse_types::built_in_work::BuiltInWork;
use dormouse_types::work::{RunEvent, RunState, WorkCreator, WorkOutcome};
use dormouse_types::work_facts::LastRun;
use dormouse_types::work_outcome::{BuiltInOutcome, CannotRunReason, NothingReason, WorkText};
use dormouse_types::{EventKind, Id as _, Timestamp, WorkRunId};

use crate::conversation;
use crate::definition::built_in;
use crate::error::broken;
use crate::proposing::{Proposals, Share};
use crate::runner::WorkRun;
use crate::snapshot::Snapshot;
use crate::{ATTEMPTS, Work, WorkError, event};

/// The name under which attempts of such runs are recorded in place of a model.
pub(crate) const NO_MODEL: &str = "builtin";

/// How long what a run reported is not reported again. Missed work that is caught up just before it is due
/// again has nothing new to say. Units: microseconds.
const STILL_KNOWN: i64 = 30 * 60 * 1_000_000;

/// Why a change that is wanted is not proposed.
const NOT_PROPOSED: &str = "was proposed or refused before, or a rule holds it back";

/// Why a run fails whose work is of neither a language model nor the rules.
const NOBODY_READS: &str = "No language model reads its instructions: choose a model, or edit its instructions to \
                            what needs none.";

impl Work {
    /// Runs work that needs no language model to its end. A run that a crash cut off has written
    /// nothing, so it begins again.
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
        // It ends as of when it read: what changes from here on is news to the next run.
        let now = self.clock.now();
        let (ending, proposed, rows) = match built_in(&snapshot.definition)? {
            Some(work) => self.decided(lease, (&run, &snapshot), &work, now).await?,
            // Another attempt would not read them either.
            None => (Ending::failed(NOBODY_READS.to_owned()), Vec::new(), Vec::new()),
        };
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

    /// How a run with these parameters ends, what it proposes, and the news of that.
    async fn decided(
        &self,
        lease: &Lease,
        (run, snapshot): (&Run, &Snapshot),
        work: &BuiltInWork,
        now: Timestamp,
    ) -> Result<(Ending, Vec<Op>, Vec<ChangeRow>), WorkError> {
        let ws = lease.ws;
        // A damaged run of earlier is as if there had been none.
        let last = self.store.each(run::last_ended_well(ws, &run.work, run.n)).await?;
        let last = last.into_iter().flatten().next().and_then(|run| run.completed_at);
        let last = last.map(|at| LastRun::new(at, &self.zone.get()));
        let reported = self.store.each(run::last_reported(ws, &run.work, run.n)).await?;
        let facts = self.facts.gather(ws, &run.work, &work.parameters, last).await?;
        let outcome = self.rules().run(&facts, &work.parameters, &work.language);
        let mut ending = Ending::of(&outcome)?;
        if let Some(at) = repeated_report(&ending, run, reported.into_iter().flatten().next(), now)
        {
            let at = at.to_jiff().to_zoned(self.zone.get());
            ending = Ending::silent(
                WorkOutcome::NoOp,
                format!("The same was said at {}.", at.strftime("%H:%M")),
            );
        }
        let mut proposals = Proposals::begin(self, lease, &snapshot.definition).await?;
        if let BuiltInOutcome::Proposals(wanted) = &outcome {
            let share = proposals.of_rules(wanted, &work.parameters).await?;
            ending = ending.with_share(share);
        }
        let (proposed, rows) = proposals.ops().await?;
        Ok((ending, proposed, rows))
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

    /// Leaves a run that is not under way any more to be looked at again; only a restored store has one.
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
}

/// When the last run that reported said word for word what this one would, a short while ago; `None` if it did not.
/// What somebody requested is for them to look at, so it is said in any case, and counts for no other run.
fn repeated_report(
    ending: &Ending,
    run: &Run,
    last: Option<Run>,
    now: Timestamp,
) -> Option<Timestamp> {
    let reports = run.created_by == WorkCreator::Scheduler && !ending.proposes;
    let last = last.filter(|_| reports)?;
    let at = last.completed_at.filter(|at| now.micros() - at.micros() < STILL_KNOWN)?;
    let same = last.result_title.zip(last.result) == ending.result
        && last.figures.as_ref() == Some(&ending.figures);
    (same && ending.result.is_some()).then_some(at)
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
    /// Whether changes are proposed with it.
    proposes: bool,
}

impl Ending {
    fn of(outcome: &BuiltInOutcome) -> Result<Self, WorkError> {
        match outcome {
            BuiltInOutcome::Nothing { why } => {
                Ok(Self::silent(WorkOutcome::NoOp, nothing(*why).to_owned()))
            }
            BuiltInOutcome::Text(text) => Self::published(text, false),
            BuiltInOutcome::Proposals(proposals) => Self::published(&proposals.text, true),
            BuiltInOutcome::CannotRun { why, subject } => {
                Ok(Self::failed(cannot_run(*why, subject)))
            }
        }
    }

    fn failed(why: String) -> Self {
        Self { error: Some(why.clone()), ..Self::silent(WorkOutcome::Failed, why) }
    }

    fn silent(outcome: WorkOutcome, summary: String) -> Self {
        let figures = "[]".to_owned();
        Self { outcome, summary, error: None, result: None, figures, proposes: false }
    }

    fn published(text: &WorkText, proposes: bool) -> Result<Self, WorkError> {
        let figures = serde_json::to_string(&text.figures).map_err(broken)?;
        let summary = text.title.clone();
        let result = Some((text.title.clone(), text.markdown.clone()));
        let outcome = WorkOutcome::Done;
        Ok(Self { outcome, summary, error: None, result, figures, proposes })
    }

    /// What is left of it when not all that was wanted is proposed.
    fn with_share(self, share: Share) -> Self {
        let Share { n_proposed, n_wanted } = share;
        if n_wanted == 0 {
            let why = "Nothing is proposed: the task does not exist any more.";
            return Self::silent(WorkOutcome::NoOp, why.to_owned());
        }
        if n_proposed == 0 {
            let why = format!("Nothing is proposed: it {NOT_PROPOSED}.");
            return Self::silent(WorkOutcome::NoOp, why);
        }
        if n_proposed == n_wanted {
            return self;
        }
        let are = if n_proposed == 1 { "is" } else { "are" };
        let summary = format!(
            "{}. {n_proposed} of {n_wanted} changes {are} proposed: the rest {NOT_PROPOSED}.",
            self.summary
        );
        Self { summary, ..self }
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
        NothingReason::NothingNew => "Nothing is new since the last run.",
        NothingReason::NothingTicked => "No item is ticked.",
        NothingReason::StillOpen => "The task of last time is still open.",
        NothingReason::StillProposed => "The same is proposed already and waits for you.",
    }
}

fn cannot_run(why: CannotRunReason, subject: &str) -> String {
    match why {
        CannotRunReason::TaskGone => {
            format!(
                "The task {subject} does not exist any more: choose another one, or delete this work."
            )
        }
        CannotRunReason::TaskClosed => {
            format!("The task {subject} was closed: reopen it, or delete this work.")
        }
        CannotRunReason::NoChecklist => {
            format!("The task {subject} has no checklist: add an item, or delete this work.")
        }
    }
}
