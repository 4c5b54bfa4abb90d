//! The lease that the owner of a run holds.

use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use dormouse_store::agent::wake_queue::QueueEntry;
use dormouse_store::agent::{wake_queue, wake_run, wake_run::Run};
use dormouse_store::{Commit, Db, Op, ReadError, Refusal};
use dormouse_types::{HolderId, WorkspaceId};
use futures_util::future::{Either, pending, select};

use crate::{End, FinishedRun, Scheduler, SchedulerError};

/// How soon after a commit a run looks at its lease.
const LEASE_CHECK_INTERVAL: Duration = Duration::from_millis(250);

/// A claimed run.
#[derive(Debug, Clone)]
pub struct Lease {
    /// Workspace of the run.
    pub ws: WorkspaceId,
    /// Process that holds the lease.
    pub owner: String,
    /// How long the lease lasts without renewal.
    pub lasts: Duration,
    /// The run; its `epoch` is the epoch of this lease.
    pub run: Run,
}

/// The outcome of a lease.
enum LeaseState {
    Held,
    /// The last commit of the run is applied, and the run is about to say how it ended.
    GivenBack,
    Lost,
}

impl Lease {
    /// Returns the holder whose run it is.
    pub fn holder(&self) -> &HolderId {
        &self.run.holder
    }

    /// Returns the op that guards a commit of this run and renews its lease.
    pub fn guard(&self) -> Op {
        wake_queue::guard(self.ws, &self.run.holder, &self.owner, self.run.epoch, self.lasts)
    }

    /// Returns the state of this lease by its row of the queue.
    ///
    /// Only the run itself gives a lease back and leaves the epoch as it is; a process that takes it
    /// away raises the epoch.
    fn state(&self, row: Option<&QueueEntry>) -> LeaseState {
        match row.filter(|row| row.epoch == self.run.epoch).map(|row| row.owner.as_deref()) {
            Some(Some(owner)) if owner == self.owner => LeaseState::Held,
            Some(None) => LeaseState::GivenBack,
            Some(Some(_)) | None => LeaseState::Lost,
        }
    }

    /// Returns the op that ends the lease.
    pub fn release(&self) -> Op {
        wake_queue::release(self.ws, &self.run.holder, &self.owner, self.run.epoch)
    }
}

impl Scheduler {
    /// Drives a claimed run to its end, renewing its lease meanwhile.
    ///
    /// If the lease is lost, the run is dropped where it is, and with it the connection to its
    /// model.
    pub async fn run_alive(&self, lease: Lease) -> Result<FinishedRun, SchedulerError> {
        let handler = self.handler(lease.holder())?;
        let run = handler.run(&lease, &self.stop);
        let lost = select(Box::pin(self.beat(&lease)), Box::pin(self.follow(&lease)));
        let end = match select(run, lost).await {
            Either::Left((end, _)) => end?,
            Either::Right(_) => End::LeaseLost,
        };
        let end = match end {
            End::LeaseLost => self.how_lost(&lease).await?,
            other => other,
        };
        Ok(FinishedRun { holder: lease.holder().clone(), run: lease.run, end })
    }

    /// Returns how a run ended whose lease is lost.
    async fn how_lost(&self, lease: &Lease) -> Result<End, SchedulerError> {
        let run = self.store.first(wake_run::by_key(lease.ws, &lease.run.key)).await?;
        let is_cancelled = run.is_some_and(|run| run.is_cancelled());
        Ok(if is_cancelled { End::Cancelled } else { End::LeaseLost })
    }

    /// Looks at the lease whenever something was committed, at most once in
    /// [`LEASE_CHECK_INTERVAL`]; ends when it is lost. So a run that a person cancels ends at once, on
    /// whichever node it runs; the next heartbeat, which would find out as well, may be many seconds
    /// away.
    ///
    /// It asks for hints instead of waiting for them: those who wait are woken in an order drawn at
    /// random, and a simulated run could not be played again.
    async fn follow(&self, lease: &Lease) {
        let mut hints = self.store.changes();
        // The lease may be lost already.
        hints.mark_changed();
        while let Ok(is_hinted) = hints.has_changed() {
            self.clock.sleep(LEASE_CHECK_INTERVAL).await;
            // On a clock whose time passes at once, the run goes on in between.
            give_way().await;
            if !is_hinted {
                continue;
            }
            hints.borrow_and_update();
            match self.state_of(lease).await {
                Ok(LeaseState::Held) => {}
                Ok(LeaseState::GivenBack) => break,
                Ok(LeaseState::Lost) => return,
                // A damaged row, or a store that does not answer: the heartbeat decides.
                Err(error) => tracing::debug!(%error, holder = %lease.holder(), "no look"),
            }
        }
        pending::<()>().await;
    }

    async fn state_of(&self, lease: &Lease) -> Result<LeaseState, ReadError> {
        let row = self.store.first(wake_queue::of_holder(lease.ws, lease.holder())).await?;
        Ok(lease.state(row.as_ref()))
    }

    /// Renews a lease repeatedly; ends when the lease is lost.
    async fn beat(&self, lease: &Lease) {
        loop {
            // Two renewals may fail before the lease expires.
            self.clock.sleep(lease.lasts / 3).await;
            let beat = Commit::new("run.beat", Db::Agent, lease.ws).op(lease.guard());
            match self.store.commit(beat).await {
                Ok(_) => {}
                Err(error) if error.refusal() == Some(Refusal::LeaseLost) => {
                    if matches!(self.state_of(lease).await, Ok(LeaseState::GivenBack)) {
                        return pending().await;
                    }
                    return;
                }
                // The next renewal may succeed before the lease expires.
                Err(error) => tracing::warn!(%error, holder = %lease.holder(), "no heartbeat"),
            }
        }
    }
}

/// Lets everything else that is ready go on first.
async fn give_way() {
    let mut has_given_way = false;
    poll_fn(|cx| {
        if has_given_way {
            return Poll::Ready(());
        }
        has_given_way = true;
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
