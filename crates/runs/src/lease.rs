//! What the owner of a run holds.

use std::time::Duration;

use dormouse_store::Op;
use dormouse_store::agent::{wake_queue, wake_run::Run};
use dormouse_types::WorkspaceId;

/// A claimed run.
#[derive(Debug, Clone)]
pub struct Lease {
    /// The workspace.
    pub ws: WorkspaceId,
    /// Who holds it.
    pub owner: String,
    /// How long it lasts unless it is prolonged.
    pub lasts: Duration,
    /// The run; its `epoch` is the epoch of this lease.
    pub run: Run,
}

impl Lease {
    /// The op that guards a commit of this run and prolongs its lease.
    pub fn guard(&self) -> Op {
        wake_queue::guard(self.ws, &self.run.agent, &self.owner, self.run.epoch, self.lasts)
    }

    /// The op that ends the lease.
    pub fn release(&self) -> Op {
        wake_queue::release(self.ws, &self.run.agent, &self.owner, self.run.epoch)
    }
}
