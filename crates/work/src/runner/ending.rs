//! What is committed with the end of an attempt: the state of the run, its result, its question.

use std::time::Duration;

use dormouse_runs::{RunError, RunLog, RunOutput};
use dormouse_store::agent::wake_queue;
use dormouse_store::agent::work::question::{self, Question};
use dormouse_store::{CommitError, Refusal};
use dormouse_types::work::{RunEvent, WorkOutcome};
use dormouse_types::{Id as _, QuestionId, limits};

use super::{WorkRun, accepted};
use crate::conversation;
use crate::tools::{Call, End, Published};

/// Why a run that says nothing about its end needs a review.
const NO_OUTCOME: &str = "it ended without saying how: read its log, then approve or decline it";

/// The same, where the person said something as it was about to end.
const CORRECTED: &str = "a correction arrived as the run ended; retry the run so that it is read";

/// The same, where the task that it was about was deleted.
const TASK_DELETED: &str = "its task was deleted while it ran, so the model was sent nothing more: read its log, then \
                            approve or decline it";

impl WorkRun<'_> {
    /// Returns what the end of an attempt writes that its model ended.
    ///
    /// The state of the run, its definition, its question and the end of the attempt are one commit:
    /// nobody sees a run that has ended and still says that it is under way.
    pub(super) async fn end(&mut self, log: &RunLog) -> Result<RunOutput, RunError> {
        let (snapshot, run) = self.read_again().await?;
        let (ws, now) = (self.lease.ws, self.work.clock.now());
        let mut output = RunOutput::default();
        let (mut published, mut last) = (None, None);
        for call in accepted(log) {
            match call {
                Call::Publish(result) => published = Some(result),
                Call::End(end) => last = Some(end),
                Call::Read(_) | Call::Propose(_) | Call::Step(_) => {}
            }
        }
        let read = match last {
            // `None` if they were decided by a process that died before it could write the end.
            Some(_) => self.corrections.known,
            None => Some(self.corrections.in_closing),
        };
        let unread = match read {
            Some(read) => self.unread_corrections(read).await?,
            None => Vec::new(),
        };
        if last.is_some() && !unread.is_empty() {
            // The person said something since the calls were decided: they are decided again.
            let (label, refusal) = ("run.final", Refusal::Stale);
            return Err(CommitError::Refused { label, refusal }.into());
        }
        let text = published.as_ref().map(|result| result.text.as_str());
        // What an earlier attempt published stays.
        let text = text.or(run.result.as_deref());
        let unfit = match &last {
            Some(End::Finish { outcome: WorkOutcome::Failed, .. } | End::Ask { .. }) => None,
            Some(End::Finish { .. }) | None => self.unfit(text).await?,
        };
        let moves = match &last {
            Some(End::Finish { .. }) if unfit.is_some() => RunEvent::EndedWithoutOutcome,
            Some(End::Finish { outcome, .. }) => RunEvent::Ended(*outcome),
            Some(End::Ask { question, options }) => {
                let question_row = Question {
                    id: QuestionId::fresh(now, &*self.work.entropy),
                    work: run.work.clone(),
                    run: run.id.clone(),
                    attempt: run.attempt,
                    question: question.clone(),
                    options: options.clone(),
                    has_damaged_options: false,
                    answer: None,
                    answered_by: None,
                    asked_at: now,
                    expires_at: now + Duration::from_secs(limits::WORK_QUESTION_SECONDS),
                    closed_at: None,
                };
                output.ops.push(question::insert(ws, &question_row));
                RunEvent::Asked
            }
            None => RunEvent::EndedWithoutOutcome,
        };
        let mut step = snapshot.step();
        let in_closing = self.corrections.in_closing;
        step.move_run(&run, moves, now, |run| {
            run.corrections_upto = run.corrections_upto.max(in_closing);
            if let Some(Published { title, text }) = published {
                (run.result_title, run.result) = (Some(title), Some(text));
            }
            match last {
                Some(End::Finish { outcome, summary }) => {
                    (run.outcome, run.summary) = (Some(outcome), Some(summary));
                }
                Some(End::Ask { .. }) => {}
                None if self.is_task_deleted => run.error = Some(TASK_DELETED.into()),
                None if unread.is_empty() => run.error = Some(NO_OUTCOME.into()),
                None => run.error = Some(CORRECTED.into()),
            }
            if let Some(unfit) = unfit {
                run.outcome = None;
                run.error = Some(format!("{unfit}: look at it, then approve or decline it"));
            }
        })?;
        output.news.extend(step.client_events());
        let report = conversation::report(ws, &step, now);
        output.ops.extend(step.ops(ws, now));
        if let Some(report) = report {
            output.ops.extend(report.ops);
            output.news.push(report.news);
        }
        output.ops.extend(self.fold_by_rules(log).await?);
        Ok(output)
    }

    /// Returns what the end of a failed attempt writes: another attempt, or the end of the run.
    pub(super) async fn attempt_failed(&mut self, error: &str) -> Result<RunOutput, RunError> {
        let (snapshot, run) = self.read_again().await?;
        let (ws, now) = (self.lease.ws, self.work.clock.now());
        let mut step = snapshot.step();
        let failures = run.failures + 1;
        let started = self.lease.run.started_at.unwrap_or(self.lease.run.created_at);
        let is_too_long = now > started + Duration::from_secs(limits::WORK_RUN_SECONDS);
        let moves = if is_too_long {
            RunEvent::TimedOut
        } else if failures < limits::WORK_ATTEMPTS {
            RunEvent::AttemptFailed
        } else {
            RunEvent::GaveUp
        };
        step.move_run(&run, moves, now, |run| {
            run.failures = failures;
            run.error = Some(error.to_owned());
            if moves == RunEvent::AttemptFailed {
                run.attempt += 1;
            }
        })?;
        let news = step.client_events();
        let mut ops = step.ops(ws, now);
        if moves == RunEvent::AttemptFailed {
            let due = now + back_off(failures);
            ops.push(wake_queue::schedule_retry(ws, &self.id, now, Some(due), false));
        }
        Ok(RunOutput { ops, news, ..RunOutput::default() })
    }
}

/// The wait before another attempt: 30 s, then two minutes.
fn back_off(failures: i64) -> Duration {
    Duration::from_secs(if failures <= 1 { 30 } else { 120 })
}
