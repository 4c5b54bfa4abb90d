//! One poll of a node: chores, timers, the sweep from time to time, and what may be claimed.
//!
//! Each part is for itself: what fails is a line, and the other parts go on. What failed because the
//! store is not available fails again in every part, so the node pauses before the next poll.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use dormouse_store::agent::timer;
use dormouse_store::agent::wake_queue::{self, QueueEntry};
use dormouse_store::{Commit, Db, ReadError};
use dormouse_types::{HolderId, Timestamp, WorkspaceId, limits};

use crate::Scheduler;
use crate::error::{Failure, SchedulerError};
use crate::handler::{Chore, Room, When};
use crate::order::claims;
use crate::schedule::PollRequest;

/// The result of one poll.
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
    fn readable<T>(&mut self, rows: Vec<Result<T, ReadError>>) -> Vec<T> {
        let read = |row: Result<T, ReadError>| {
            row.map_err(|damaged| self.damaged.push(damaged.to_string())).ok()
        };
        rows.into_iter().filter_map(read).collect()
    }

    /// Notes that a part of the poll failed. Damage is named once, and the node goes on; after any
    /// other failure it pauses.
    fn fail(&mut self, part: &str, error: impl Into<SchedulerError>) {
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
        let blocked = self.chores_of_each_poll(&mut found).await;
        let now = self.clock.now();
        match self.store.each(timer::next_of_each()).await {
            Ok(timers) => {
                for (ws, at) in found.readable(timers) {
                    if at > now {
                        found.deadline = earlier(found.deadline, Some(at));
                        continue;
                    }
                    match self.fire_timers(ws).await {
                        Ok(failed) => failed.into_iter().for_each(|e| found.fail("timers", e)),
                        Err(error) => found.fail("timers", error),
                    }
                }
            }
            Err(error) => found.fail("timers", error),
        }
        if request.is_sweep {
            self.sweep(now, &request.alive, &mut found).await;
        }
        if request.room > 0
            && let Some(blocked) = blocked
            && let Err(error) = self.find_due(&request, &blocked, &mut found).await
        {
            found.fail("the queue", error);
        }
        found
    }

    /// Finds what a command may run now: rows of some holders, or of all, that are ready.
    pub(crate) async fn poll_ready(
        self,
        ws: WorkspaceId,
        only: Option<Vec<HolderId>>,
        put_back: BTreeSet<HolderId>,
    ) -> PollResult {
        let mut found = PollResult::default();
        if let Err(error) = self.find_ready(ws, only, &put_back, &mut found).await {
            found.failures.push(Failure { part: None, error });
        }
        found
    }

    async fn find_ready(
        &self,
        ws: WorkspaceId,
        only: Option<Vec<HolderId>>,
        put_back: &BTreeSet<HolderId>,
        found: &mut PollResult,
    ) -> Result<(), SchedulerError> {
        for chore in self.chores(When::EachPoll) {
            found.lines.extend(chore.work(Some(ws)).await?.lines);
        }
        if let Some(error) = self.fire_timers(ws).await?.into_iter().find(|it| !it.is_damage()) {
            return Err(error);
        }
        let rooms = self.rooms(ws).await?;
        let mut rows = Vec::new();
        match only {
            None => rows = found.readable(self.store.each(wake_queue::waiting(ws)).await?),
            Some(holders) => {
                for holder in &holders {
                    rows.extend(self.store.first(wake_queue::of_holder(ws, holder)).await?);
                }
            }
        }
        let now = self.clock.now();
        rows.retain(|row| {
            let is_closed = matches!(rooms.get(row.holder.kind()), Some(Room::Closed { .. }));
            let handler = self.handler(&row.holder);
            !is_closed
                && !put_back.contains(&row.holder)
                && handler.is_ok_and(|handler| handler.is_ready(row, now))
        });
        rows.sort_by(|a, b| {
            (a.priority, a.due_at, &a.holder).cmp(&(b.priority, b.due_at, &b.holder))
        });
        found.due = rows.into_iter().map(|row| (ws, row)).collect();
        Ok(())
    }

    fn chores(&self, when: When) -> impl Iterator<Item = &dyn Chore> {
        self.chores.iter().map(|chore| &**chore).filter(move |chore| chore.when() == when)
    }

    /// Does the chores that runs depend on. Returns the workspaces in which no run may start, or
    /// `None` if no run may start at all.
    async fn chores_of_each_poll(&self, found: &mut PollResult) -> Option<BTreeSet<WorkspaceId>> {
        let mut blocked = Some(BTreeSet::new());
        for chore in self.chores(When::EachPoll) {
            match chore.work(None).await {
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
            match chore.work(None).await {
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
                let rescue = wake_queue::clamp_due(ws, now, beyond);
                self.store.commit(Commit::new("wake.rescue", Db::Agent, ws).op(rescue)).await?;
            }
        }
        Ok(())
    }

    /// Finds what may be claimed, and when the next row comes due.
    async fn find_due(
        &self,
        request: &PollRequest,
        blocked: &BTreeSet<WorkspaceId>,
        found: &mut PollResult,
    ) -> Result<(), SchedulerError> {
        let now = self.clock.now();
        let mut queues = Vec::new();
        for ws in self.store.all(wake_queue::workspaces()).await? {
            if blocked.contains(&ws) {
                continue;
            }
            match self.due_in(ws, now, request, found).await {
                Ok(order) if order.is_empty() => {}
                Ok(order) => queues.push(order),
                Err(error) => found.fail("the queue", error),
            }
        }
        // Workspaces take turns, so that a busy one does not hold up the others.
        let first = usize::try_from(request.claims).unwrap_or(0) % queues.len().max(1);
        queues.rotate_left(first);
        while found.due.len() < request.room && queues.iter().any(|queue| !queue.is_empty()) {
            let room = request.room - found.due.len();
            found.due.extend(queues.iter_mut().filter_map(VecDeque::pop_front).take(room));
        }
        Ok(())
    }

    /// Returns the rows of a workspace that may be claimed, in the order of their claims.
    async fn due_in(
        &self,
        ws: WorkspaceId,
        now: Timestamp,
        request: &PollRequest,
        found: &mut PollResult,
    ) -> Result<VecDeque<(WorkspaceId, QueueEntry)>, SchedulerError> {
        let rooms = self.rooms(ws).await?;
        for room in rooms.values() {
            if let Room::Closed { until } = room {
                found.deadline = earlier(found.deadline, Some(*until));
            }
        }
        let most = |room: &Room| match room {
            Room::Free => request.room,
            Room::One => 1,
            Room::Closed { .. } => 0,
        };
        let want = rooms.values().map(most).max().unwrap_or(request.room);
        if want == 0 {
            return Ok(VecDeque::new());
        }
        let may_claim = |row: &QueueEntry| {
            // A holder of an unknown kind is claimed, so that its claim says what is wrong.
            let most = rooms.get(row.holder.kind()).map_or(request.room, most);
            most > 0 && request.is_new(ws, &row.holder)
        };
        let waiting = self.claimable(ws, now, want, request, &may_claim, found).await?;
        if waiting.len() < want {
            let next = self.store.first(wake_queue::next_due(ws, now)).await?;
            found.deadline = earlier(found.deadline, next.flatten());
        }
        if waiting.is_empty() {
            return Ok(VecDeque::new());
        }
        let first_rows = self.store.each(wake_queue::first_per_priority(ws, now)).await?;
        let first_rows = found.readable(first_rows).into_iter().filter(may_claim).collect();
        let mut order = claims(request.claims, want, request.offset, first_rows, waiting);
        let mut taken: BTreeMap<String, usize> = BTreeMap::new();
        order.retain(|row| {
            let n = taken.entry(row.holder.kind().to_owned()).or_default();
            *n += 1;
            *n <= rooms.get(row.holder.kind()).map_or(request.room, most)
        });
        Ok(order.into_iter().map(|row| (ws, row)).collect())
    }

    /// Returns how many runs of each kind may start in a workspace.
    async fn rooms(&self, ws: WorkspaceId) -> Result<BTreeMap<&'static str, Room>, SchedulerError> {
        let mut rooms = BTreeMap::new();
        for handler in self.handlers.iter() {
            rooms.insert(handler.kind().prefix, handler.room(ws).await?);
        }
        Ok(rooms)
    }

    /// Returns rows of a workspace that may be claimed and that this node is not already running.
    async fn claimable(
        &self,
        ws: WorkspaceId,
        now: Timestamp,
        want: usize,
        request: &PollRequest,
        may_claim: &(impl Fn(&QueueEntry) -> bool + Sync),
        found: &mut PollResult,
    ) -> Result<Vec<QueueEntry>, SchedulerError> {
        // Allow for rows that this node is already claiming, and for those that other nodes will
        // claim.
        let mut limit = want + request.alive.len() + request.stuck.len() + request.offset.min(64);
        loop {
            let n = i64::try_from(limit).unwrap_or(i64::MAX);
            let rows = self.store.each(wake_queue::claimable(ws, now, n)).await?;
            let is_all = rows.len() < limit;
            let mut waiting = found.readable(rows);
            waiting.retain(|row| may_claim(row));
            // Damaged rows may come before all others.
            if is_all || waiting.len() >= want {
                return Ok(waiting);
            }
            limit *= 2;
        }
    }
}

fn earlier(a: Option<Timestamp>, b: Option<Timestamp>) -> Option<Timestamp> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}
