//! The lease that the owner of a run holds.

use std::time::Duration;

use dormouse_store::Op;
use dormouse_store::agent::{wake_queue, wake_run::Run};
use dormouse_types::WorkspaceId;

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
    /// Returns the op that guards a commit of this run and renews its lease.
    pub fn guard(&self) -> Op {
        wake_queue::guard(self.ws, &self.run.holder, &self.owner, self.run.epoch, self.lasts)
    }

    /// Returns the op that ends the lease.
    pub fn release(&self) -> Op {
        wake_queue::release(self.ws, &self.run.holder, &self.owner, self.run.epoch)
    }
}
