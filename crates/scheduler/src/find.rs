//! What a node may claim now: in each workspace, for each pool of slots that has room.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use dormouse_store::Query;
use dormouse_store::agent::wake_queue::{self, QueueEntry};
use dormouse_types::{Timestamp, WorkspaceId};

use crate::Scheduler;
use crate::error::SchedulerError;
use crate::handler::Capacity;
use crate::order::claims;
use crate::poll::{PollResult, earlier};
use crate::schedule::{PAUSE, PollRequest};
use crate::slots::{Pool, Pools};

/// Rows of a workspace that may be claimed, in the order of their claims.
type Queue = VecDeque<(WorkspaceId, QueueEntry)>;

/// What a node may start.
struct Openings<'a> {
    request: &'a PollRequest,
    pools: Pools,
    /// How many more runs each pool has room for.
    free: Vec<usize>,
    now: Timestamp,
}

/// What it may start in one workspace.
struct OpeningsIn<'a> {
    of: &'a Openings<'a>,
    ws: WorkspaceId,
    capacities: BTreeMap<&'static str, Capacity>,
}

impl OpeningsIn<'_> {
    /// How many runs of a kind may start.
    fn most(&self, place: usize, kind: &str) -> usize {
        let free = self.of.free[place];
        match self.capacities.get(kind) {
            // A holder of an unknown kind is claimed, so that its claim says what is wrong.
            Some(Capacity::Free) | None => free,
            Some(Capacity::One) => free.min(1),
            Some(Capacity::Closed { .. }) => 0,
        }
    }

    /// How many runs may start in a pool.
    fn want(&self, place: usize, pool: &Pool) -> usize {
        let most = pool.kinds.iter().map(|kind| self.most(place, kind)).max();
        most.unwrap_or(if pool.has_unknown { self.of.free[place] } else { 0 })
    }

    /// Whether a row may be claimed.
    fn accepts(&self, row: &QueueEntry) -> bool {
        let place = self.of.pools.place_of(&row.holder);
        self.most(place, row.holder.kind()) > 0 && self.of.request.is_new(self.ws, &row.holder)
    }
}

/// The beginning of a queue.
struct Page {
    /// The rows that may be claimed.
    rows: Vec<QueueEntry>,
    /// Whether no row comes after them.
    is_whole: bool,
}

impl Scheduler {
    /// Finds what may be claimed, and when the next row comes due.
    pub(crate) async fn find_due(
        &self,
        request: &PollRequest,
        blocked: &BTreeSet<WorkspaceId>,
        found: &mut PollResult,
    ) -> Result<(), SchedulerError> {
        let kinds = self.handlers.iter().map(|handler| handler.kind());
        let pools = Pools::new(kinds, request.concurrency);
        let free = pools.free(&request.alive);
        if free.iter().all(|free| *free == 0) {
            return Ok(());
        }
        let openings = Openings { request, pools, free, now: self.now() };
        let mut queues: Vec<Vec<Queue>> = openings.free.iter().map(|_| Vec::new()).collect();
        for ws in self.store.all(wake_queue::workspaces()).await? {
            if blocked.contains(&ws) {
                continue;
            }
            match self.due_in(ws, &openings, found).await {
                Ok(of_pools) => {
                    for (queues, queue) in queues.iter_mut().zip(of_pools) {
                        queues.extend((!queue.is_empty()).then_some(queue));
                    }
                }
                Err(error) => found.fail("the queue", error),
            }
        }
        for (place, mut queues) in queues.into_iter().enumerate() {
            // Workspaces take turns, so that a busy one does not hold up the others.
            let n_claims = openings.pools.n_claims(place, &request.claims);
            let first = usize::try_from(n_claims).unwrap_or(0) % queues.len().max(1);
            queues.rotate_left(first);
            let mut free = openings.free[place];
            while free > 0 && queues.iter().any(|queue| !queue.is_empty()) {
                let next = queues.iter_mut().filter_map(VecDeque::pop_front).take(free);
                let before = found.due.len();
                found.due.extend(next);
                free -= found.due.len() - before;
            }
        }
        Ok(())
    }

    /// Returns the rows of a workspace that may be claimed, for each pool.
    async fn due_in(
        &self,
        ws: WorkspaceId,
        openings: &Openings<'_>,
        found: &mut PollResult,
    ) -> Result<Vec<Queue>, SchedulerError> {
        let Openings { request, pools, now, .. } = openings;
        let here = OpeningsIn { of: openings, ws, capacities: self.capacities(ws).await? };
        for capacity in here.capacities.values() {
            if let Capacity::Closed { until } = capacity {
                // By a clock that lags it is still closed.
                let ask_again = (*until).max(*now + PAUSE);
                found.deadline = earlier(found.deadline, Some(ask_again));
            }
        }
        let wanted: Vec<usize> =
            pools.iter().enumerate().map(|(place, pool)| here.want(place, pool)).collect();
        let total = wanted.iter().sum();
        if total == 0 {
            return Ok(Vec::new());
        }
        // A short queue is read once for all pools.
        let all = |n| wake_queue::claimable(ws, *now, n);
        let page = self.page(&here, all, total, pools.is_one(), found).await?;
        let mut queues = Vec::new();
        let mut is_short = false;
        for (place, pool) in pools.iter().enumerate() {
            let want = wanted[place];
            let mut waiting = page.rows.clone();
            waiting.retain(|row| pools.place_of(&row.holder) == place);
            let mut first = Vec::new();
            if want > 0 && !page.is_whole {
                if waiting.len() < want {
                    waiting =
                        self.rows_hidden_by_other_kinds(&here, place, pool, want, found).await?;
                }
                first = self.first_rows(&here, pool, found).await?;
            }
            is_short |= waiting.len() < want;
            let n_claims = pools.n_claims(place, &request.claims);
            let mut rows = claims(n_claims, want, request.offset, first, waiting);
            let mut taken: BTreeMap<String, usize> = BTreeMap::new();
            rows.retain(|row| {
                let n = taken.entry(row.holder.kind().to_owned()).or_default();
                *n += 1;
                *n <= here.most(place, row.holder.kind())
            });
            queues.push(rows.into_iter().map(|row| (ws, row)).collect());
        }
        if is_short {
            let next = self.store.first(wake_queue::next_due(ws, *now)).await?;
            found.deadline = earlier(found.deadline, next.flatten());
        }
        Ok(queues)
    }

    /// Returns how many runs of each kind may start in a workspace.
    pub(crate) async fn capacities(
        &self,
        ws: WorkspaceId,
    ) -> Result<BTreeMap<&'static str, Capacity>, SchedulerError> {
        let mut capacities = BTreeMap::new();
        for handler in self.handlers.iter() {
            capacities.insert(handler.kind().prefix, handler.capacity(ws).await?);
        }
        Ok(capacities)
    }

    /// Reads the beginning of a queue; goes on until there are `want` rows that may be claimed if
    /// `insists`.
    async fn page(
        &self,
        here: &OpeningsIn<'_>,
        query: impl Fn(i64) -> Query<QueueEntry>,
        want: usize,
        insists: bool,
        found: &mut PollResult,
    ) -> Result<Page, SchedulerError> {
        let request = here.of.request;
        // Allow for rows that this node is already claiming, and for those that other nodes will
        // claim.
        let mut limit = want + request.alive.len() + request.stuck.len() + request.offset.min(64);
        loop {
            let n = i64::try_from(limit).unwrap_or(i64::MAX);
            let rows = self.store.each(query(n)).await?;
            let is_whole = rows.len() < limit;
            let mut rows = found.readable(rows);
            rows.retain(|row| here.accepts(row));
            // Damaged rows may come before all others.
            if is_whole || !insists || rows.len() >= want {
                return Ok(Page { rows, is_whole });
            }
            limit *= 2;
        }
    }

    /// Returns the rows of a pool that a long queue of other kinds hides, in claim order.
    async fn rows_hidden_by_other_kinds(
        &self,
        here: &OpeningsIn<'_>,
        place: usize,
        pool: &Pool,
        want: usize,
        found: &mut PollResult,
    ) -> Result<Vec<QueueEntry>, SchedulerError> {
        let mut waiting = Vec::new();
        for kind in &pool.kinds {
            let of_kind = |n| wake_queue::claimable_of(here.ws, kind, here.of.now, n);
            waiting.extend(self.page(here, of_kind, want, true, found).await?.rows);
        }
        waiting.retain(|row| here.of.pools.place_of(&row.holder) == place);
        waiting.sort_by(|a, b| {
            (a.priority, a.due_at, &a.holder).cmp(&(b.priority, b.due_at, &b.holder))
        });
        Ok(waiting)
    }

    /// Returns the first rows of each priority of a pool.
    async fn first_rows(
        &self,
        here: &OpeningsIn<'_>,
        pool: &Pool,
        found: &mut PollResult,
    ) -> Result<Vec<QueueEntry>, SchedulerError> {
        let (ws, now) = (here.ws, here.of.now);
        let mut first = Vec::new();
        if here.of.pools.is_one() {
            let rows = self.store.each(wake_queue::first_per_priority(ws, now)).await?;
            first.extend(found.readable(rows));
        } else {
            for kind in &pool.kinds {
                let rows = wake_queue::first_per_priority_of(ws, kind, now);
                first.extend(found.readable(self.store.each(rows).await?));
            }
        }
        first.retain(|row| pool.kinds.contains(&row.holder.kind()) || here.of.pools.is_one());
        first.retain(|row| here.accepts(row));
        Ok(first)
    }
}
