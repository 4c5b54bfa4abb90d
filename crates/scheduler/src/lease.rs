//! The lease that the owner of a run holds.

use std::time::Duration;

use dormouse_store::agent::{wake_queue, wake_run::Run};
use dormouse_store::{Commit, Db, Op, Refusal};
use dormouse_types::{HolderId, WorkspaceId};
use futures_util::future::{Either, select};

use crate::{End, FinishedRun, Scheduler, SchedulerError};

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

impl Lease {
    /// Returns the holder whose run it is.
    pub fn holder(&self) -> &HolderId {
        &self.run.holder
    }

    /// Returns the op that guards a commit of this run and renews its lease.
    pub fn guard(&self) -> Op {
        wake_queue::guard(self.ws, &self.run.holder, &self.owner, self.run.epoch, self.lasts)
    }

    /// Returns the op that ends the lease.
    pub fn release(&self) -> Op {
        wake_queue::release(self.ws, &self.run.holder, &self.owner, self.run.epoch)
    }
}

impl Scheduler {
    /// Drives a claimed run to its end, renewing its lease meanwhile.
    pub async fn run_alive(&self, lease: Lease) -> Result<FinishedRun, SchedulerError> {
        let handler = self.handler(lease.holder())?;
        let run = handler.run(&lease, &self.stop);
        let beat = Box::pin(self.beat(&lease));
        let end = match select(run, beat).await {
            Either::Left((end, _)) => end?,
            Either::Right(((), _)) => End::Lost,
        };
        Ok(FinishedRun { holder: lease.holder().clone(), run: lease.run, end })
    }

    /// Renews a lease repeatedly; ends when the lease is lost.
    async fn beat(&self, lease: &Lease) {
        loop {
            // Two renewals may fail before the lease expires.
            self.clock.sleep(lease.lasts / 3).await;
            let beat = Commit::new("run.beat", Db::Agent, lease.ws).op(lease.guard());
            match self.store.commit(beat).await {
                Ok(_) => {}
                Err(error) if error.refusal() == Some(Refusal::LeaseLost) => return,
                // The next renewal may succeed before the lease expires.
                Err(error) => tracing::warn!(%error, holder = %lease.holder(), "no heartbeat"),
            }
        }
    }
}
