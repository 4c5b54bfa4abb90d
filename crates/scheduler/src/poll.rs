//! One poll of a node: chores, timers, the sweep from time to time, and what may be claimed.
//!
//! The parts run independently: a failure is logged and the others continue. What failed because the
//! store is not available fails again in every part, so the node pauses before the next poll.

use std::collections::BTreeSet;
use std::time::Duration;

use dormouse_store::agent::timer;
use dormouse_store::agent::wake_queue::{self, QueueEntry};
use dormouse_store::{Commit, Db, ReadError};
use dormouse_types::{HolderId, Timestamp, WorkspaceId, limits};

use crate::Scheduler;
use crate::error::{Failure, HandlerError, SchedulerError};
use crate::handler::{Capacity, Chore, When};
use crate::schedule::{PAUSE, PollRequest};
use crate::timer::Fired;

#[derive(Debug, Default)]
pub struct PollResult {
    /// Rows that may be claimed, in the order of their claims.
    pub due: Vec<(WorkspaceId, QueueEntry)>,
    /// When something may be due next.
    pub deadline: Option<Timestamp>,
    /// What was recovered, or could not be.
    pub lines: Vec<Result<String, String>>,
    /// What failed and is tried again.
    pub failures: Vec<Failure>,
    /// Damage that stops only one holder.
    pub damaged: Vec<String>,
    /// Whether the next poll has to wait.
    pub pauses: bool,
}

impl PollResult {
    /// Returns the rows that can be read; names the others.
    pub(crate) fn readable<T>(&mut self, rows: Vec<Result<T, ReadError>>) -> Vec<T> {
        let read = |row: Result<T, ReadError>| {
            row.map_err(|damaged| self.damaged.push(damaged.to_string())).ok()
        };
        rows.into_iter().filter_map(read).collect()
    }

    /// Notes that a part of the poll failed. Damage is named once, and the node goes on; after any
    /// other failure it pauses.
    pub(crate) fn fail(&mut self, part: &str, error: impl Into<SchedulerError>) {
        let error = error.into();
        if error.is_damage() {
            self.damaged.push(format!("{part}: {error}"));
        } else {
            self.failures.push(Failure { part: Some(part.to_owned()), error });
            self.pauses = true;
        }
    }
}

impl Scheduler {
    /// Performs one poll of a node that serves.
    pub(crate) async fn poll(self, request: PollRequest) -> PollResult {
        let mut found = PollResult::default();
        if request.is_sweep
            && let Err(error) = self.learn_time().await
        {
            found.fail("the time", error);
        }
        let now = self.now();
        let blocked = self.chores_of_each_poll(now, &mut found).await;
        match self.store.each(timer::next_of_each()).await {
            Ok(timers) => {
                for (ws, at) in found.readable(timers) {
                    if at > now {
                        found.deadline = earlier(found.deadline, Some(at));
                    } else if self.fire_each(ws, &mut found).await {
                        // What is refused may not be due yet by the time of the database.
                        found.deadline = earlier(found.deadline, Some(now + PAUSE));
                        if let Err(error) = self.learn_time().await {
                            found.fail("the time", error);
                        }
                    }
                }
            }
            Err(error) => found.fail("timers", error),
        }
        if request.is_sweep {
            self.sweep(now, &request.alive, &mut found).await;
        }
        self.chores_that_are_due(now, &mut found).await;
        if let Some(blocked) = blocked
            && let Err(error) = self.find_due(&request, &blocked, &mut found).await
        {
            found.fail("the queue", error);
        }
        found
    }

    /// Fires the timers of a workspace. Returns whether one of them was refused.
    async fn fire_each(&self, ws: WorkspaceId, found: &mut PollResult) -> bool {
        let fired = match self.fire_timers(ws).await {
            Ok(fired) => fired,
            Err(error) => {
                found.fail("timers", error);
                return false;
            }
        };
        let mut is_refused = false;
        for one in fired {
            match one {
                Ok(one) => is_refused |= one == Fired::Not,
                Err(error) => found.fail("timers", error),
            }
        }
        is_refused
    }

    /// Does the chores that planned something for now, and notes when the next of them is due.
    async fn chores_that_are_due(&self, now: Timestamp, found: &mut PollResult) {
        for chore in self.chores.iter() {
            match self.do_if_due(&**chore, None, now, found).await {
                Ok(next) => found.deadline = earlier(found.deadline, next),
                Err(error) => {
                    // It is due still, and would be tried at once.
                    found
                        .failures
                        .push(Failure { part: Some(chore.name().to_owned()), error: error.into() });
                    found.pauses = true;
                }
            }
        }
    }

    /// Does a chore if what it planned is due. Returns when it is due next.
    async fn do_if_due(
        &self,
        chore: &dyn Chore,
        of: Option<WorkspaceId>,
        now: Timestamp,
        found: &mut PollResult,
    ) -> Result<Option<Timestamp>, HandlerError> {
        let next = chore.next_due(of).await?;
        if next.is_none_or(|at| at > now) {
            return Ok(next);
        }
        found.lines.extend(chore.work(of, now).await?.lines);
        // If more is due than it does at once, or one thing cannot be done, others have their turn
        // before it goes on.
        Ok(chore.next_due(of).await?.map(|at| at.max(now + PAUSE)))
    }

    /// Finds what a command may run now: rows of some holders, or of all, that are ready.
    pub(crate) async fn poll_ready(
        self,
        ws: WorkspaceId,
        only: Option<Vec<HolderId>>,
        requeued: BTreeSet<HolderId>,
    ) -> PollResult {
        let mut found = PollResult::default();
        if let Err(error) = self.find_ready(ws, only, &requeued, &mut found).await {
            found.failures.push(Failure { part: None, error });
        }
        found
    }

    async fn find_ready(
        &self,
        ws: WorkspaceId,
        only: Option<Vec<HolderId>>,
        requeued: &BTreeSet<HolderId>,
        found: &mut PollResult,
    ) -> Result<(), SchedulerError> {
        self.learn_time().await?;
        let now = self.now();
        for chore in self.chores(When::EachPoll) {
            found.lines.extend(chore.work(Some(ws), now).await?.lines);
        }
        for chore in self.chores.iter().filter(|_| self.fires_plans) {
            self.do_if_due(&**chore, Some(ws), now, found).await?;
        }
        let mut failed = self.fire_timers(ws).await?.into_iter().filter_map(Result::err);
        if let Some(error) = failed.find(|it| !it.is_damage()) {
            return Err(error);
        }
        let capacities = self.capacities(ws).await?;
        let mut rows = Vec::new();
        match only {
            None => rows = found.readable(self.store.each(wake_queue::waiting(ws)).await?),
            Some(holders) => {
                for holder in &holders {
                    rows.extend(self.store.first(wake_queue::of_holder(ws, holder)).await?);
                }
            }
        }
        let mut ready = Vec::new();
        for row in rows {
            let is_closed =
                matches!(capacities.get(row.holder.kind()), Some(Capacity::Closed { .. }));
            let Ok(handler) = self.handler(&row.holder) else { continue };
            if !is_closed
                && !requeued.contains(&row.holder)
                && handler.is_ready(ws, &row, now).await?
            {
                ready.push(row);
            }
        }
        ready.sort_by(|a, b| {
            (a.priority, a.due_at, &a.holder).cmp(&(b.priority, b.due_at, &b.holder))
        });
        found.due = ready.into_iter().map(|row| (ws, row)).collect();
        Ok(())
    }

    fn chores(&self, when: When) -> impl Iterator<Item = &dyn Chore> {
        self.chores.iter().map(|chore| &**chore).filter(move |chore| chore.when() == when)
    }

    /// Does the chores that runs depend on. Returns the workspaces in which no run may start, or
    /// `None` if no run may start at all.
    async fn chores_of_each_poll(
        &self,
        now: Timestamp,
        found: &mut PollResult,
    ) -> Option<BTreeSet<WorkspaceId>> {
        let mut blocked = Some(BTreeSet::new());
        for chore in self.chores(When::EachPoll) {
            match chore.work(None, now).await {
                Ok(done) => {
                    found.pauses |= !done.blocked.is_empty();
                    blocked.iter_mut().for_each(|all| all.extend(done.blocked.iter().copied()));
                    found.lines.extend(done.lines);
                }
                Err(error) => {
                    found.fail(chore.name(), error);
                    found.pauses = true;
                    blocked = None;
                }
            }
        }
        blocked
    }

    /// Recovers what no deadline and no hint points to, and does the chores of a sweep.
    async fn sweep(
        &self,
        now: Timestamp,
        alive: &BTreeSet<(WorkspaceId, HolderId)>,
        found: &mut PollResult,
    ) {
        match self.take_each(alive).await {
            Ok(taken) => {
                for one in taken {
                    match one {
                        Ok(line) => found.lines.push(Ok(line)),
                        Err(error) => found.fail("a takeover", error),
                    }
                }
            }
            Err(error) => found.fail("takeovers", error),
        }
        if let Err(error) = self.clamp_due(now).await {
            found.fail("the queue", error);
        }
        for chore in self.chores(When::Sweep) {
            match chore.work(None, now).await {
                Ok(done) => found.lines.extend(done.lines),
                // It is tried again at the next sweep; nothing that is due waits for it.
                Err(error) => found
                    .failures
                    .push(Failure { part: Some(chore.name().to_owned()), error: error.into() }),
            }
        }
    }

    /// Makes rows due whose signal seems to come from the future, because the clock was set back.
    async fn clamp_due(&self, now: Timestamp) -> Result<(), SchedulerError> {
        let beyond = now + Duration::from_secs(limits::LEASE_SECONDS);
        for ws in self.store.all(wake_queue::workspaces()).await? {
            let ahead = self.store.each(wake_queue::with_due_beyond(ws, beyond)).await?;
            if !ahead.is_empty() {
                let clamp = wake_queue::clamp_due(ws, now, beyond);
                self.store.commit(Commit::new("wake.clampDue", Db::Agent, ws).op(clamp)).await?;
            }
        }
        Ok(())
    }
}

/// Returns the earlier of two times, if there is one.
pub(crate) fn earlier(a: Option<Timestamp>, b: Option<Timestamp>) -> Option<Timestamp> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}
