//! How a run stops: completed, failed, requeued, or its provider unavailable; each is one commit.

use dormouse_store::agent::breaker as row;
use dormouse_store::agent::wake_queue;
use dormouse_store::agent::wake_run::{self, Status};
use dormouse_store::{Attempts, Audit, ChangeRow, Commit, Db, Op, Policy, Refusal, retry};
use dormouse_types::agent::PutOff;
use dormouse_types::audit::AuditAction;
use dormouse_types::kept_back::{KeptBack, KeptBackReason};
use dormouse_types::model::{ModelError, Usage};
use dormouse_types::policy::{DenialReason, PolicyDenied};
use dormouse_types::port::{Model, ModelLocation};
use dormouse_types::{EventKind, HolderId, Origin, RunKey, Timestamp};

use super::{ATTEMPTS, ActiveRun, CONFLICTS};
use crate::breaker::{self, Failure};
use crate::early_end::EarlyEnd;
use crate::handler::{Deleted, RunError, RunOutput, StopReason};
use crate::model_call::FailedCall;
use crate::spending::{Outcome, Reservation};
use crate::status::{Event, after};
use crate::truncation::Truncation;
use crate::{End, Lease};

/// How often a failure of the provider is recorded; many runs may fail on one breaker row at once.
const BREAKER_ATTEMPTS: Policy = Policy::Attempts(6);

/// The target of the line of the log that says that a queue is held. Commands say that in their own words.
const HELD: &str = "dormouse::held";

/// A failure of a provider as its breaker counts it.
struct CountedFailure<'m> {
    /// Whom the breaker holds.
    provider: &'m str,
    op: Op,
    /// When the run may be tried again.
    due: Timestamp,
    /// Whether it holds the provider from now on.
    has_opened: bool,
}

impl ActiveRun<'_> {
    /// Commits the end of a completed run: the results of `finalize`, the run's status and the
    /// release of the lease, together with what is given.
    ///
    /// One commit, so what the run produced, the messages it counts as heard and its end become
    /// visible together or not at all.
    pub(super) async fn finish(&mut self, last: RunOutput, cut: bool) -> Result<End, RunError> {
        self.finish_saying(last, cut, None).await
    }

    /// The same, with why the run ends before its model ended it.
    async fn finish_saying(
        &mut self,
        mut last: RunOutput,
        cut: bool,
        why: Option<&str>,
    ) -> Result<End, RunError> {
        let RunOutput { ops, news, audit } = self.handler.finalize(&self.log, &self.chain).await?;
        last.ops.extend(ops);
        last.news.extend(news);
        last.audit.extend(audit);
        self.end("run.final", Event::Completed, last, cut, why).await?;
        Ok(End::Completed { cut })
    }

    /// Ends a run whose last turn is recorded. Retries on fresh rows if another writer interferes.
    pub(super) async fn finish_recorded(&mut self, cut: bool) -> Result<End, RunError> {
        self.finish_retrying(cut, None, RunOutput::default()).await
    }

    /// Ends a run before its model ended it, with what is recorded.
    pub(super) async fn finish_early(&mut self, early: EarlyEnd<'_>) -> Result<End, RunError> {
        let mut last = RunOutput::default();
        match early {
            EarlyEnd::Hidden(reason) => last.audit.push(self.denied_request(reason)),
            EarlyEnd::Unanswered(failed) => last.ops = self.unanswered(failed),
            EarlyEnd::OverTime => last.ops = self.settled(Outcome::Unknown),
            EarlyEnd::PaidCallsOff => last.ops = self.settled(Outcome::Interrupted),
            EarlyEnd::NoRoom(_) | EarlyEnd::TaskDeleted => {}
        }
        let why = early.reason(&*self.model);
        self.finish_retrying(false, Some(&why), last).await
    }

    /// The same if the run has what it is for; otherwise does nothing.
    pub(super) async fn finish_early_if_complete(
        &mut self,
        early: EarlyEnd<'_>,
    ) -> Result<Option<End>, RunError> {
        match self.has_all() {
            true => self.finish_early(early).await.map(Some),
            false => Ok(None),
        }
    }

    async fn finish_retrying(
        &mut self,
        cut: bool,
        why: Option<&str>,
        last: RunOutput,
    ) -> Result<End, RunError> {
        let mut attempts = Attempts::new(ATTEMPTS, &CONFLICTS);
        loop {
            let result = self.finish_saying(last.clone(), cut, why).await;
            if !attempts.go_on_after(&result) {
                return result;
            }
        }
    }

    pub(super) async fn skip(&mut self) -> Result<End, RunError> {
        let ending = self.handler.finalize(&self.log, &self.chain).await?;
        self.end("run.skip", Event::NothingChanged, ending, false, None).await?;
        Ok(End::Skipped)
    }

    /// Ends a run whose model may not see its task: no request is sent and nothing is paid.
    pub(super) async fn skip_hidden(
        &mut self,
        reason: KeptBackReason,
        kept_back: &KeptBack,
    ) -> Result<End, RunError> {
        let mut ending = self.handler.finalize(&self.log, &self.chain).await?;
        ending.ops.push(wake_run::keep_back(self.lease.ws, &self.lease.run.key, kept_back));
        ending.audit.push(self.denied_request(reason));
        let why = match reason {
            KeptBackReason::Private => format!(
                "the task is private, and {} is not a model of your own: nothing was sent",
                self.model.name()
            ),
            KeptBackReason::Category => format!(
                "tasks of this category may not be sent to {}: nothing was sent",
                self.model.provider()
            ),
        };
        self.end("run.skip", Event::NothingChanged, ending, false, Some(&why)).await?;
        Ok(End::Skipped)
    }

    /// Builds the audit row of a request that the model may not be sent.
    pub(super) fn denied_request(&self, reason: KeptBackReason) -> Audit {
        let run = &self.lease.run;
        denied(&run.holder, &run.key, &*self.model, PolicyDenied::REQUEST, reason.into())
    }

    pub(super) async fn fail(&mut self, error: String) -> Result<End, RunError> {
        self.fail_after(error, self.settled(Outcome::Unknown)).await
    }

    /// Ends a run whose model gave no answer that can be used.
    pub(super) async fn fail_unanswered(&mut self, failed: &FailedCall) -> Result<End, RunError> {
        self.fail_after(failed.error.to_string(), self.unanswered(failed)).await
    }

    /// Ends a run whose prompt was cut by the server. The call is settled by what the server counted.
    pub(super) async fn fail_cut(
        &mut self,
        cut: Truncation,
        usage: Option<&Usage>,
    ) -> Result<End, RunError> {
        let mut ops = self.answered(usage);
        ops.extend(self.handler.discard().await?);
        self.fail_after(cut.reason(self.model.name()), ops).await
    }

    async fn fail_after(&mut self, error: String, settled: Vec<Op>) -> Result<End, RunError> {
        let mut attempts = Attempts::new(ATTEMPTS, &CONFLICTS);
        loop {
            let mut ending = self.handler.fail(&error).await?;
            ending.ops.extend(settled.iter().cloned());
            let result = self.end("run.fail", Event::Failed, ending, false, Some(&error)).await;
            if !attempts.go_on_after(&result) {
                return result.map(|()| End::Failed { error });
            }
        }
    }

    /// Ends a run whose provider failed with what it has, or leaves it until the provider may be called
    /// again if that is not what it is for.
    pub(super) async fn provider_failed(&mut self, failed: &FailedCall) -> Result<End, RunError> {
        if !self.has_all() {
            return self.provider_unavailable(failed).await;
        }
        self.note_provider_failed(failed).await?;
        self.finish_early(EarlyEnd::Unanswered(failed)).await
    }

    /// Records a failure of the provider and requeues the run until the provider may be called
    /// again.
    ///
    /// The breaker, the run and the event that the provider is away are one commit: it frees the
    /// lease, and a run without its lease writes nothing more. Several runs may record a failure at
    /// once; each retries on the fresh breaker row, so every failure is counted.
    pub(super) async fn provider_unavailable(&self, failed: &FailedCall) -> Result<End, RunError> {
        let provider = retry(BREAKER_ATTEMPTS, &CONFLICTS, || async {
            let CountedFailure { provider, op, due, has_opened } = self.counted(failed).await?;
            let mut ops = self.unanswered(failed);
            ops.push(op);
            let away = || provider_event(EventKind::ProviderAway, provider);
            let news = has_opened.then(away).into_iter().collect();
            self.requeue(Some(due), Some(PutOff::Provider), ops, news).await?;
            Ok::<_, RunError>(has_opened.then_some((provider, due)))
        })
        .await?;
        if let (Some((provider, due)), ModelError::Provider { why, .. }) = (provider, &failed.error)
        {
            tracing::warn!(target: HELD, provider, ?why, until = %due, "the queue is held");
        }
        Ok(End::ProviderUnavailable { reason: failed.error.to_string() })
    }

    /// Records a failure of the provider alone: the run ends otherwise.
    pub(super) async fn note_provider_failed(&self, failed: &FailedCall) -> Result<(), RunError> {
        retry(BREAKER_ATTEMPTS, &CONFLICTS, || async {
            let CountedFailure { provider, op, has_opened, .. } = self.counted(failed).await?;
            let mut away = Commit::new("provider.away", Db::Agent, self.lease.ws)
                .op(self.lease.guard())
                .op(op);
            if has_opened {
                away = away.change(provider_event(EventKind::ProviderAway, provider));
            }
            self.driver.store.commit(away).await?;
            Ok::<_, RunError>(())
        })
        .await
    }

    /// Counts a failure of the provider by the breaker that holds it.
    ///
    /// Errors: it is no failure of the provider.
    async fn counted(&self, failed: &FailedCall) -> Result<CountedFailure<'_>, RunError> {
        let ModelError::Provider { why, retry_after, detail, .. } = &failed.error else {
            return Err(RunError::Broken(failed.error.to_string()));
        };
        let (ws, provider) = (self.lease.ws, breaker::held_by(*why, &*self.model));
        let now = self.driver.clock.now();
        let asked_at = self.reserved.as_ref().map_or(now, Reservation::asked_at);
        let before = self.driver.store.first(row::of_provider(ws, provider)).await?;
        let failure = Failure { why: *why, detail, asked_at, retry_after: *retry_after };
        let after = breaker::failed(before.as_ref(), provider, failure, now);
        let due = after.open_until.unwrap_or(now + self.driver.pause(after.failures));
        Ok(CountedFailure {
            provider,
            op: row::put(ws, before.as_ref(), &after),
            due: due.max(now + breaker::named(*retry_after)),
            has_opened: after.opened > before.map_or(0, |row| row.opened),
        })
    }

    /// Resets the breakers of the model, because it answered.
    pub(super) async fn note_provider_is_back(&self) -> Result<(), RunError> {
        let ws = self.lease.ws;
        let (provider, name) = (self.model.provider(), self.model.name());
        let held = self.driver.store.all(row::of_model(ws, provider, name)).await?;
        if held.is_empty() {
            return Ok(());
        }
        let back = Commit::new("provider.back", Db::Agent, ws)
            .ops(held.iter().map(|held| row::delete(ws, &held.provider)))
            .change(provider_event(EventKind::ProviderBack, provider));
        self.driver.store.commit(back).await?;
        Ok(())
    }

    pub(super) async fn stopped(&self) -> Result<End, RunError> {
        let now = self.driver.clock.now();
        let settled = self.settled(Outcome::Interrupted);
        self.requeue(Some(now), None, settled, Vec::new()).await?;
        Ok(End::Requeued { reason: "the program stops".into() })
    }

    /// Leaves the run to be resumed under its key; its recorded turns are kept.
    pub(super) async fn requeue_run(
        &self,
        due_at: Option<Timestamp>,
        reason: String,
    ) -> Result<End, RunError> {
        self.requeue(due_at, None, Vec::new(), Vec::new()).await?;
        Ok(End::Requeued { reason })
    }

    /// Puts the run back if its model may not be called now, or ends it if a person has deleted what the request is
    /// about; returns the end of the run if so.
    pub(super) async fn blocked(&mut self) -> Result<Option<End>, RunError> {
        // The built-in rules are sent nothing.
        if self.model.location() != ModelLocation::BuiltIn
            && let Some(deleted) = self.handler.deleted().await?
        {
            let is_first = self.log.turns.is_empty();
            match deleted {
                Deleted::Task => return self.end_deleted(is_first).await.map(Some),
                // The model has read nothing yet: it is asked without the entry.
                Deleted::Entry if is_first => {
                    let reason =
                        "an entry was deleted before the model was asked: it is asked without it";
                    let now = self.driver.clock.now();
                    return self.requeue_run(Some(now), reason.into()).await.map(Some);
                }
                // What an agent has read stays in its memory until a person has it forgotten.
                Deleted::Entry => {}
            }
        }
        let Some(StopReason { reason, is_final }) = self.handler.block_reason().await? else {
            return Ok(None);
        };
        let due_at = is_final.then(|| self.driver.clock.now());
        self.requeue_run(due_at, reason.into()).await.map(Some)
    }

    /// Ends a run whose task was deleted, with what is recorded. If no turn is, its model was not asked.
    async fn end_deleted(&mut self, is_first: bool) -> Result<End, RunError> {
        if !is_first {
            return self.finish_early(EarlyEnd::TaskDeleted).await;
        }
        let why = format!("its task was deleted before {} was asked", self.model.name());
        let ending = self.handler.finalize(&self.log, &self.chain).await?;
        self.end("run.skip", Event::NothingChanged, ending, false, Some(&why)).await?;
        Ok(End::Skipped)
    }

    /// Requeues the run and its queue row, with the given ops and change rows. `put_off` is why it
    /// waits, if it could otherwise run.
    ///
    /// Run and queue row change in one commit: a queued run without a queue row would never be
    /// resumed. The run keeps its key and its recorded turns, so no request is sent twice.
    pub(super) async fn requeue(
        &self,
        due_at: Option<Timestamp>,
        put_off: Option<PutOff>,
        ops: Vec<Op>,
        news: Vec<ChangeRow>,
    ) -> Result<(), RunError> {
        let Lease { ws, owner, run, .. } = self.lease;
        let to = step(Event::Requeued)?;
        let from = Status::Started;
        // What the handler writes is decided on rows that others change, too.
        retry(ATTEMPTS, &[Refusal::Stale], || async {
            let (mut ops, mut news) = (ops.clone(), news.clone());
            ops.push(wake_run::requeue(*ws, &run.key, from, to, run.epoch, run.crashes));
            let holder = &run.holder;
            ops.push(wake_queue::requeue(*ws, holder, owner, run.epoch, due_at, put_off));
            ops.extend(self.handler.requeue().await?);
            news.push(self.handler.announce());
            let requeued = RunOutput { ops, news, audit: Vec::new() };
            self.commit_as("run.putBack", requeued).await
        })
        .await
    }

    /// Commits the end of a run, guarded by the lease.
    ///
    /// Every commit of a run begins with the guard, which fails if another process has taken over
    /// the lease, so a stale owner writes nothing. The lease is released in the same commit that
    /// ends the run: recovery can never find an ended run that still holds its lease.
    pub(super) async fn end(
        &self,
        label: &'static str,
        event: Event,
        ending: RunOutput,
        cut: bool,
        error: Option<&str>,
    ) -> Result<(), RunError> {
        let lease = self.lease;
        let RunOutput { mut ops, news, audit } = ending;
        let to = step(event)?;
        let now = self.driver.clock.now();
        ops.push(wake_run::finish(lease.ws, &lease.run.key, Status::Started, to, now, cut, error));
        // The guard comes first in the commit, the release last.
        ops.push(lease.release());
        let news = std::iter::once(self.handler.announce()).chain(news).collect();
        self.commit_as(label, RunOutput { ops, news, audit }).await
    }

    pub(super) async fn commit(&self, label: &'static str, ops: Vec<Op>) -> Result<(), RunError> {
        self.commit_as(label, RunOutput { ops, ..RunOutput::default() }).await
    }

    /// Commits ops of a run, guarded by its lease, with the change rows that announce them and the
    /// audit rows that note them.
    ///
    /// The guard fails the whole commit if the lease belongs to another owner or epoch, and renews
    /// it otherwise, so a run that makes progress does not lose its lease.
    pub(super) async fn commit_as(
        &self,
        label: &'static str,
        output: RunOutput,
    ) -> Result<(), RunError> {
        let lease = self.lease;
        let RunOutput { ops, news, audit } = output;
        let commit =
            Commit::new(label, Db::Agent, lease.ws).op(lease.guard()).ops(ops).changes(news);
        self.driver.store.commit(audit.into_iter().fold(commit, Commit::audit)).await?;
        Ok(())
    }
}

/// Builds the change row that says that a provider went away or came back.
fn provider_event(event: EventKind, provider: &str) -> ChangeRow {
    ChangeRow::agent(Origin::Person { via: None }, event, None, provider)
}

/// Builds the audit row of something that the policy of what a model may see refused: a request, or a
/// call by the name of its tool.
pub fn denied(
    holder: &HolderId,
    run: &RunKey,
    model: &dyn Model,
    what: &str,
    reason: DenialReason,
) -> Audit {
    let denied = PolicyDenied { what: what.to_owned(), model: model.name().to_owned(), reason };
    Audit {
        actor: holder.into(),
        action: AuditAction::PolicyDenied,
        object: run.to_string(),
        detail: denied.detail(),
    }
}

fn step(event: Event) -> Result<Status, RunError> {
    after(Status::Started, event).map_err(|e| RunError::Broken(e.to_string()))
}
