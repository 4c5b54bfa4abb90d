//! Takes over from dead owners: expired leases and, at start-up, all leases.

use std::collections::BTreeSet;

use dormouse_store::agent::wake_queue::{self, QueueEntry};
use dormouse_store::agent::wake_run::{self, Status};
use dormouse_store::lease::Proof;
use dormouse_store::{Commit, Db, Refusal};
use dormouse_types::{HolderId, WorkspaceId, limits};

use crate::Scheduler;
use crate::claim::{has_moved, is_over, raise_fence};
use crate::error::{SchedulerError, readable};
use crate::status::{Event, after};

/// The outcome of one lease: a line for a person, or why it could not be taken over.
pub(crate) type Taken = Result<String, SchedulerError>;

impl Scheduler {
    /// Takes over every lease of a workspace; returns one line for each. The caller holds the lock
    /// of the data folder, which proves that all owners are dead.
    pub async fn take_over(&self, ws: WorkspaceId) -> Result<Vec<String>, SchedulerError> {
        let mut taken = Vec::new();
        for row in readable(self.store.each(wake_queue::leased(ws)).await?) {
            taken.extend(self.take_from(ws, &row, Proof::Exclusive).await.transpose());
        }
        lines(taken)
    }

    /// Takes over expired leases, and leases of this process that none of its runs holds; returns
    /// one line for each.
    ///
    /// `alive` are the holders at work in this process: however far its clock jumps, a process never
    /// takes its own runs for dead.
    pub async fn take_over_dead(
        &self,
        alive: &BTreeSet<(WorkspaceId, HolderId)>,
    ) -> Result<Vec<String>, SchedulerError> {
        lines(self.take_each(alive).await?)
    }

    /// The same with the result of each lease: a failure with one does not stop the others.
    pub(crate) async fn take_each(
        &self,
        alive: &BTreeSet<(WorkspaceId, HolderId)>,
    ) -> Result<Vec<Taken>, SchedulerError> {
        let mut taken = Vec::new();
        let now = self.clock.now();
        for (ws, row) in readable(self.store.each(wake_queue::expired_leases(now)).await?) {
            if row.owner.as_deref() != Some(&*self.owner) {
                taken.extend(self.take_from(ws, &row, Proof::RunOut).await.transpose());
            }
        }
        for (ws, row) in readable(self.store.each(wake_queue::owned_by(&self.owner)).await?) {
            if !alive.contains(&(ws, row.holder.clone())) {
                taken.extend(self.take_from(ws, &row, Proof::Exclusive).await.transpose());
            }
        }
        Ok(taken)
    }

    /// Takes over one lease.
    ///
    /// The takeover is a compare-and-set on the row as read. Only afterwards is the journal's fence
    /// raised, and the process that resumes the run raises it again. Raising it first would lock out an
    /// owner whose heartbeat arrives at the last moment; raising it now means that the old owner
    /// can write nothing once the run continues (ADR 0007).
    async fn take_from(
        &self,
        ws: WorkspaceId,
        row: &QueueEntry,
        proof: Proof,
    ) -> Result<Option<String>, SchedulerError> {
        let handler = self.handler(&row.holder)?;
        let (noun, holder) = (handler.kind().noun, &row.holder);
        let now = self.clock.now();
        let run = match &row.run_key {
            Some(key) => self.store.first(wake_run::by_key(ws, key)).await?,
            None => None,
        };
        // Between the two reads its owner ended it, or another node took it over.
        if run.as_ref().is_some_and(|run| run.status != Status::Started)
            && has_moved(&self.store, ws, row).await?
        {
            return Ok(None);
        }
        let (ops, line) = match &run {
            Some(run) if !is_over(run.status) => {
                let crashes = row.crashes + 1;
                let to = after(run.status, Event::Crashed)?;
                let ops = vec![
                    wake_queue::interrupt(ws, row, proof, crashes, now),
                    wake_run::requeue(ws, &run.key, run.status, to, run.epoch, crashes),
                ];
                (ops, format!("{noun} {holder}: an interrupted run will be resumed"))
            }
            // The run is unknown, or it ended in a store that was since restored.
            Some(_) | None => {
                (vec![wake_queue::free(ws, row, proof)], format!("{noun} {holder}: lease freed"))
            }
        };
        let commit = Commit::new("run.takeover", Db::Agent, ws)
            .ops(ops)
            .changes(handler.announce(holder, holder.as_str()));
        match self.store.commit(commit).await {
            // The owner is alive after all, or another process took over first.
            Err(error) if error.refusal() == Some(Refusal::LeaseLost) => return Ok(None),
            other => other?,
        };
        raise_fence(&self.store, ws, row, row.epoch + 1).await?;
        let Some(run) = run.filter(|run| !is_over(run.status)) else { return Ok(Some(line)) };
        let Some(row) = self.store.first(wake_queue::of_holder(ws, holder)).await? else {
            return Ok(Some(line));
        };
        if row.owner.is_some() || row.crashes < limits::CRASHES_TO_ABANDON {
            return Ok(Some(line));
        }
        let Some(run) = self.store.first(wake_run::by_key(ws, &run.key)).await? else {
            return Ok(Some(line));
        };
        // Another node has already abandoned it.
        if run.status != Status::Queued && has_moved(&self.store, ws, &row).await? {
            return Ok(Some(line));
        }
        self.abandon(ws, &row, &run).await?;
        Ok(Some(format!("{noun} {holder}: given up after {} crashes", row.crashes)))
    }
}

/// Turns damage into a line and returns any other error: then the store is not available, and the
/// caller cannot continue.
fn lines(taken: Vec<Taken>) -> Result<Vec<String>, SchedulerError> {
    let line = |one: Taken| match one {
        Err(error) if error.is_damage() => Ok(error.to_string()),
        other => other,
    };
    taken.into_iter().map(line).collect()
}
