//! Claiming a due row: lease, epoch and run row in one commit.

use dormouse_store::agent::wake_queue::{self, Claim, QueueEntry};
use dormouse_store::agent::wake_run::{self, Run, Status};
use dormouse_store::journal::fence;
use dormouse_store::{
    ChangeRow, Commit, CommitError, Db, MaybeRefused as _, Op, Policy, ReadError, Refusal, Store,
    retry,
};
use dormouse_types::agent::PutOff;
use dormouse_types::{Timestamp, WorkspaceId, limits};

use crate::Scheduler;
use crate::error::SchedulerError;
use crate::handler::{Admission, Due};
use crate::lease::Lease;
use crate::status::{Event, Impossible, after};

impl Scheduler {
    /// Claims a queue row as it was read. Returns `None` if it may not run now, or if another
    /// process claimed it first.
    ///
    /// Lease, epoch, run row and whatever the handler freezes become durable in one commit, guarded
    /// by the row as read. Of two nodes that claim the same row, one is therefore refused; and a
    /// crash after the claim leaves a run that another node can find and resume. The run key is made
    /// of stored facts, so a wake that is delivered twice meets the key of the earlier run instead of
    /// running again.
    ///
    /// A run that is resumed may have an owner that only seemed dead. The journal's fence is raised
    /// to the new epoch before the claim, because the two databases share no transaction: from then
    /// on the old owner can write nothing.
    ///
    /// What the handler decided on may change before the commit, as when other runs of the same
    /// definition end: then it decides again at once, because nothing in the row would show that a
    /// later try may go otherwise.
    pub async fn claim(
        &self,
        ws: WorkspaceId,
        row: &QueueEntry,
    ) -> Result<Option<Lease>, SchedulerError> {
        let claimed =
            retry(Policy::CONTENDED, &[Refusal::Stale], || self.claim_as_read(ws, row)).await;
        match claimed {
            Err(error) if error.refusal() == Some(Refusal::Stale) => Ok(None),
            claimed => claimed,
        }
    }

    async fn claim_as_read(
        &self,
        ws: WorkspaceId,
        row: &QueueEntry,
    ) -> Result<Option<Lease>, SchedulerError> {
        let handler = self.handler(&row.holder)?;
        let now = self.clock.now();
        let waiting = match &row.run_key {
            Some(key) => self.store.first(wake_run::by_key(ws, key)).await?,
            None => None,
        };
        if waiting.as_ref().is_some_and(|run| run.status != Status::Queued)
            && has_moved(&self.store, ws, row).await?
        {
            return Ok(None);
        }
        if waiting.as_ref().is_some_and(|run| is_over(run.status)) {
            // The run ended in a store that was since restored: there is nothing to resume.
            self.drop_run(ws, row).await?;
            return Ok(None);
        }
        let admission = handler.admit(Due { ws, entry: row, waiting: waiting.as_ref() }).await?;
        let mut repeated = Vec::new();
        let (run, ops) = match (admission, waiting) {
            (Admission::Postpone { until, why, guard }, _) => {
                self.postpone(ws, row, (until, why), guard).await?;
                return Ok(None);
            }
            (Admission::Leave, _) => return Ok(None),
            (Admission::Park { guard }, _) => {
                self.park(ws, row, guard).await?;
                return Ok(None);
            }
            (Admission::End { ops, news, .. }, None) => {
                self.clear_signals(ws, row, ops, news).await?;
                return Ok(None);
            }
            (Admission::End { reason, ops, news }, Some(run)) => {
                self.end_waiting(ws, row, &run, &reason, (ops, news)).await?;
                return Ok(None);
            }
            // A handler that starts a fresh run has decided that there is nothing to resume.
            (Admission::Start { run, mut ops, if_repeated }, _) => {
                repeated = if_repeated;
                ops.push(wake_queue::unchanged(ws, row));
                ops.push(wake_queue::claim(ws, &self.new_claim(row, &run)));
                ops.push(wake_run::insert(ws, &run));
                (*run, ops)
            }
            (Admission::Resume { .. }, None) => return Ok(None),
            (Admission::Resume { mut ops }, Some(run)) => {
                // The previous owner may still be alive: the fence stops its journal writes from
                // here on.
                raise_fence(&self.store, ws, row, row.epoch + 1).await?;
                if row.crashes >= limits::CRASHES_TO_ABANDON {
                    self.abandon(ws, row, &run).await?;
                    return Ok(None);
                }
                let run = self.resumed(ws, row, run, now, &mut ops)?;
                (run, ops)
            }
        };
        let commit = Commit::new("run.claim", Db::Agent, ws)
            .ops(ops)
            .changes(handler.announce(&row.holder, run.key.as_str()));
        match self.store.commit(commit).await {
            Ok(_) => Ok(Some(Lease { ws, owner: self.owner.to_string(), lasts: self.lease, run })),
            Err(error) if error.refusal() == Some(Refusal::LeaseLost) => Ok(None),
            Err(error) if error.refusal() == Some(Refusal::Exists) => {
                // The same delivery again: it has already run, so its signals are cleared.
                tracing::warn!(holder = %row.holder, run_key = %run.key, "wake delivered twice");
                self.clear_signals(ws, row, repeated, Vec::new()).await?;
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    fn new_claim<'a>(&'a self, row: &QueueEntry, run: &'a Run) -> Claim<'a> {
        Claim {
            holder: row.holder.clone(),
            epoch: row.epoch,
            owner: &self.owner,
            lasts: self.lease,
            run_key: &run.key,
        }
    }

    /// Adds the ops that resume a run under a new lease: its key, thread and interval stay, its
    /// epoch rises.
    fn resumed(
        &self,
        ws: WorkspaceId,
        row: &QueueEntry,
        run: Run,
        now: Timestamp,
        ops: &mut Vec<Op>,
    ) -> Result<Run, SchedulerError> {
        let to = after(run.status, Event::Resumed)?;
        let epoch = row.epoch + 1;
        ops.push(wake_queue::reclaim(ws, &self.new_claim(row, &run)));
        ops.push(wake_run::requeue(ws, &run.key, run.status, to, epoch, row.crashes));
        Ok(Run { status: to, epoch, crashes: row.crashes, started_at: Some(now), ..run })
    }

    /// Keeps what is pending for a holder that may not run until it may. Guarded by what was read: a
    /// request or an unblocking that arrives now makes the row due.
    async fn park(
        &self,
        ws: WorkspaceId,
        row: &QueueEntry,
        guard: Vec<Op>,
    ) -> Result<(), SchedulerError> {
        let park = Commit::new("run.hold", Db::Agent, ws)
            .op(wake_queue::unchanged(ws, row))
            .ops(guard)
            .op(wake_queue::park(ws, &row.holder));
        unless(self.store.commit(park).await.map(drop), &[Refusal::LeaseLost])
    }

    /// Puts a row off to a time, so that rows after it are found. Guarded by what was read: whatever
    /// ends the wait makes the rows due that wait, and this one would be missed.
    async fn postpone(
        &self,
        ws: WorkspaceId,
        row: &QueueEntry,
        (until, why): (Timestamp, PutOff),
        guard: Vec<Op>,
    ) -> Result<(), SchedulerError> {
        if row.due_at.is_none_or(|due| due >= until) {
            return Ok(());
        }
        let postpone = Commit::new("run.postpone", Db::Agent, ws)
            .op(wake_queue::unchanged(ws, row))
            .ops(guard)
            .op(wake_queue::postpone(ws, row, until, why));
        unless(self.store.commit(postpone).await.map(drop), &[Refusal::LeaseLost])
    }

    /// Detaches a run that has ended from its queue row; other pending signals stay.
    async fn drop_run(&self, ws: WorkspaceId, row: &QueueEntry) -> Result<(), SchedulerError> {
        let dropped = Commit::new("run.spent", Db::Agent, ws).op(wake_queue::abandon(ws, row));
        unless(self.store.commit(dropped).await.map(drop), &[Refusal::LeaseLost])
    }

    /// Clears signals that lead to no run; `again` is written with that, such as the signal of what an
    /// earlier run did not hear.
    async fn clear_signals(
        &self,
        ws: WorkspaceId,
        row: &QueueEntry,
        again: Vec<Op>,
        news: Vec<ChangeRow>,
    ) -> Result<(), SchedulerError> {
        let spent = Commit::new("run.spent", Db::Agent, ws)
            .op(wake_queue::unchanged(ws, row))
            .op(wake_queue::clear_signals(ws, &row.holder))
            .ops(again)
            .changes(news);
        // If another signal arrived meanwhile, the next poll reads the row again.
        unless(self.store.commit(spent).await.map(drop), &[Refusal::LeaseLost])
    }

    /// Ends a run that crashed too often; what else that means is the handler's.
    ///
    /// The run ends in one commit with the handler's ops. If the rows they are based on changed
    /// meanwhile, they are built again from fresh rows.
    pub(crate) async fn abandon(
        &self,
        ws: WorkspaceId,
        row: &QueueEntry,
        run: &Run,
    ) -> Result<(), SchedulerError> {
        let handler = self.handler(&row.holder)?;
        let error = format!("given up after {} crashes", row.crashes);
        retry(Policy::Attempts(3), &[Refusal::Stale], || async {
            let ops = handler.give_up(ws, &row.holder).await?;
            self.end_waiting(ws, row, run, &error, (ops, Vec::new())).await
        })
        .await
    }

    /// Ends a queued run that will never be resumed; does nothing if it was claimed meanwhile.
    ///
    /// The queue row and the run row change together: the row must not point at a run that has
    /// ended, and a run that is no longer in the queue must not stay open.
    async fn end_waiting(
        &self,
        ws: WorkspaceId,
        row: &QueueEntry,
        run: &Run,
        error: &str,
        (ops, news): (Vec<Op>, Vec<ChangeRow>),
    ) -> Result<(), SchedulerError> {
        let commit = Commit::new("run.abandon", Db::Agent, ws)
            .op(wake_queue::abandon(ws, row))
            .op(given_up(ws, run, error, self.clock.now())?)
            .ops(ops)
            .changes(news)
            .changes(self.handler(&row.holder)?.announce(&row.holder, run.key.as_str()));
        unless(self.store.commit(commit).await.map(drop), &[Refusal::LeaseLost])
    }
}

/// Returns a commit's result; the given refusals mean that another process was faster, which is
/// fine.
fn unless(result: Result<(), CommitError>, fine: &[Refusal]) -> Result<(), SchedulerError> {
    match result {
        Err(error) if error.refusal().is_some_and(|refusal| fine.contains(&refusal)) => Ok(()),
        other => other.map_err(Into::into),
    }
}

/// Returns whether a lease was claimed, returned or taken over since the row was read. A run read
/// after the row may then be in a later state than the row implies.
pub async fn has_moved(
    store: &Store,
    ws: WorkspaceId,
    row: &QueueEntry,
) -> Result<bool, ReadError> {
    let now = store.first(wake_queue::of_holder(ws, &row.holder)).await?;
    Ok(now.is_none_or(|now| (&now.owner, now.epoch) != (&row.owner, row.epoch)))
}

/// Returns the op that ends a queued run.
pub fn given_up(ws: WorkspaceId, run: &Run, error: &str, now: Timestamp) -> Result<Op, Impossible> {
    let to = after(run.status, Event::GivenUp)?;
    Ok(wake_run::finish(ws, &run.key, run.status, to, now, false, Some(error)))
}

/// Raises the journal's fence, so that an owner with a lower epoch can no longer write there.
pub async fn raise_fence(
    store: &Store,
    ws: WorkspaceId,
    row: &QueueEntry,
    epoch: i64,
) -> Result<(), SchedulerError> {
    let raise = Commit::new("fence.raise", Db::Journal, ws).ops(fence::pass(
        ws,
        row.holder.as_str(),
        epoch,
    ));
    // If another process raised it higher, the claim that follows is refused.
    unless(store.commit(raise).await.map(drop), &[Refusal::Fenced])
}

/// Returns whether a run has ended.
pub fn is_over(status: Status) -> bool {
    !matches!(status, Status::Queued | Status::Started)
}
