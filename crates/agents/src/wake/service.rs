//! The service of a node: until it is told to stop, it routes changes, fires timers, claims and
//! runs what is due, and sweeps.
//!
//! It holds no state that matters: everything it acts on is a row, so a node can die at any point
//! and another node, or a restart, continues. Hints make it quick, deadlines make it punctual, and
//! the sweep finds what neither points to.

use std::collections::{BTreeSet, VecDeque};
use std::future::pending;
use std::time::Duration;

use dormouse_runs::breaker::Gate;
use dormouse_runs::{End, Lease, Stop};
use dormouse_store::agent::wake_queue::QueueEntry;
use dormouse_store::agent::{saga, timer, wake_queue};
use dormouse_store::{Commit, Db, Hints, ReadError, Refusal};
use dormouse_types::port::BoxFuture;
use dormouse_types::{HolderId, Timestamp, WorkspaceId, limits};
use futures_util::future::{Either, FutureExt as _, select};
use futures_util::stream::{FuturesUnordered, StreamExt as _};

use crate::wake::drain::FinishedRun;
use crate::wake::order::claims;
use crate::{AgentError, Agents};

/// Options of a node's service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Maximum number of concurrent wakes, 1 to 64.
    pub concurrency: usize,
    /// Where this node starts among rows of equal rank; 0 if it is the only node.
    pub offset: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { concurrency: limits::CONCURRENCY, offset: 0 }
    }
}

/// What a service reports to its caller.
#[derive(Debug)]
pub enum Event<'a> {
    /// A run ended in this node.
    Ran(&'a FinishedRun),
    /// Interrupted work was recovered: a dead node's run, or an open operation.
    Recovered(String),
    /// Something failed and will be retried.
    Failed(String),
}

/// A run of this node, or the claim that leads to one: its agent and the result.
type Running<'a> = FuturesUnordered<
    BoxFuture<'a, ((WorkspaceId, HolderId), Result<Option<FinishedRun>, AgentError>)>,
>;

/// A poll under way.
type PendingPoll<'a> = BoxFuture<'a, Result<PollResult, AgentError>>;

/// The result of one poll.
#[derive(Debug, Default)]
struct PollResult {
    /// Rows that may be claimed.
    due: Vec<(WorkspaceId, QueueEntry)>,
    /// When something may be due next.
    deadline: Option<Timestamp>,
    /// What was recovered, or could not be.
    lines: Vec<Result<String, String>>,
    /// Rows that cannot be read; each stops only its own agent.
    damaged: Vec<String>,
}

/// What a poll depends on.
#[derive(Debug, Clone)]
struct PollRequest {
    /// How many more wakes this node can run.
    room: usize,
    /// How many it has claimed so far.
    claims: u64,
    /// Whether to sweep for what nothing points to.
    is_sweep: bool,
    /// Agents at work in this node.
    alive: BTreeSet<(WorkspaceId, HolderId)>,
    /// Agents that cannot be claimed until they are repaired.
    stuck: BTreeSet<(WorkspaceId, HolderId)>,
    offset: usize,
}

impl PollRequest {
    fn is_new(&self, ws: WorkspaceId, holder: &HolderId) -> bool {
        let who = (ws, holder.clone());
        !self.alive.contains(&who) && !self.stuck.contains(&who)
    }
}

impl PollResult {
    /// Returns the rows that can be read; reports the others.
    fn readable<T>(&mut self, rows: Vec<Result<T, ReadError>>) -> Vec<T> {
        let read = |row: Result<T, ReadError>| {
            row.map_err(|damaged| self.damaged.push(damaged.to_string())).ok()
        };
        rows.into_iter().filter_map(read).collect()
    }
}

/// The service of one node.
pub struct Service {
    agents: Agents,
    options: Options,
    stop: Stop,
}

impl Service {
    /// Creates a service that runs until `stop` completes.
    pub fn new(agents: &Agents, options: Options, stop: Stop) -> Self {
        let agents = agents.stopping_on(stop.clone());
        let concurrency = options.concurrency.clamp(1, limits::CONCURRENCY_MAX);
        Self { agents, options: Options { concurrency, ..options }, stop }
    }

    /// Runs until stopped, then lets the runs under way put themselves back.
    ///
    /// Polling and running are concurrent, so that the commits of both can share an fsync.
    pub async fn run(self, mut tell: impl FnMut(Event<'_>) + Send) {
        let agents = &self.agents;
        let mut running: Running<'_> = FuturesUnordered::new();
        let mut looking: Option<PendingPoll<'_>> = None;
        let mut changes = agents.store.changes();
        let mut plan = Schedule::new(agents.clock.now(), agents.lease, self.options);
        loop {
            let is_stopping = self.stop.clone().now_or_never().is_some();
            if is_stopping {
                looking = None;
                if running.is_empty() {
                    return;
                }
            }
            let now = agents.clock.now();
            if looking.is_none()
                && !is_stopping
                && let Some(glance) = plan.next_poll(now)
            {
                changes.borrow_and_update();
                looking = Some(Box::pin(agents.poll(glance)));
            }
            let stop = (!is_stopping).then(|| self.stop.clone());
            let sleep = (looking.is_none() && !is_stopping)
                .then(|| agents.clock.sleep(now.until(plan.next_poll_at())));
            // Hints that arrive during a poll are handled when it ends.
            let hints = plan.accepts_hints().then_some(&mut changes);
            match next_wakeup(&mut running, looking.as_mut(), hints, stop, sleep).await {
                Wakeup::Nothing => {}
                Wakeup::Changed => plan.look_again = true,
                Wakeup::Ended(who, ended) => {
                    plan.alive.remove(&who);
                    plan.look_again = true;
                    match *ended {
                        Ok(Some(ran)) => tell(Event::Ran(&ran)),
                        Ok(None) => {}
                        Err(error) if error.is_damage() => {
                            plan.report_once(&mut tell, format!("agent {}: {error}", who.1));
                            plan.stuck.insert(who);
                        }
                        Err(error) => {
                            tell(Event::Failed(format!("a run of agent {}: {error}", who.1)));
                            // If it held a lease, the sweep recovers it.
                            plan.pause(agents.clock.now());
                            plan.next_sweep = plan.next_poll_at();
                        }
                    }
                }
                Wakeup::Looked(Ok(found)) => {
                    looking = None;
                    plan.deadline = found.deadline;
                    for line in found.damaged {
                        plan.report_once(&mut tell, line);
                    }
                    for line in found.lines {
                        tell(line.map_or_else(Event::Failed, Event::Recovered));
                    }
                    for (ws, row) in found.due {
                        let who = (ws, row.holder.clone());
                        plan.alive.insert(who.clone());
                        plan.claims += 1;
                        running.push(Box::pin(async move {
                            (who, agents.claim_and_run(ws, row).await)
                        }));
                    }
                }
                Wakeup::Looked(Err(error)) => {
                    looking = None;
                    tell(Event::Failed(error.to_string()));
                    plan.pause(agents.clock.now());
                }
            }
        }
    }
}

/// When a service polls next, and with what.
#[derive(Debug)]
struct Schedule {
    options: Options,
    sweep_every: Duration,
    next_sweep: Timestamp,
    /// The next known time at which something may be due.
    deadline: Option<Timestamp>,
    /// Something changed, or there is room again.
    look_again: bool,
    /// No poll before then, because something failed.
    paused_until: Option<Timestamp>,
    alive: BTreeSet<(WorkspaceId, HolderId)>,
    /// Agents whose claim failed because of damaged rows; retried after the next sweep.
    stuck: BTreeSet<(WorkspaceId, HolderId)>,
    /// Damage that was already reported.
    told: BTreeSet<String>,
    claims: u64,
}

impl Schedule {
    fn new(now: Timestamp, lease: Duration, options: Options) -> Self {
        Self {
            options,
            sweep_every: Duration::from_secs(limits::SWEEP_SECONDS).min(lease / 2),
            next_sweep: now,
            deadline: None,
            look_again: true,
            paused_until: None,
            alive: BTreeSet::new(),
            stuck: BTreeSet::new(),
            told: BTreeSet::new(),
            claims: 0,
        }
    }

    fn report_once(&mut self, tell: &mut (impl FnMut(Event<'_>) + Send), line: String) {
        if self.told.insert(line.clone()) {
            tell(Event::Failed(line));
        }
    }

    /// Returns what to poll for now, or `None` if there is no reason to poll.
    fn next_poll(&mut self, now: Timestamp) -> Option<PollRequest> {
        // If the clock was set back, the end of a pause, or the next sweep, would seem far away.
        if self.paused_until.is_some_and(|until| now < until && until <= now + PAUSE) {
            return None;
        }
        self.paused_until = None;
        let is_sweep = now >= self.next_sweep || now + self.sweep_every < self.next_sweep;
        let is_due = self.deadline.is_some_and(|due| due <= now);
        if !(self.look_again || is_sweep || is_due) {
            return None;
        }
        self.look_again = false;
        if is_sweep {
            self.next_sweep = now + self.sweep_every;
            self.stuck.clear();
        }
        Some(PollRequest {
            room: self.options.concurrency.saturating_sub(self.alive.len()),
            claims: self.claims,
            is_sweep,
            alive: self.alive.clone(),
            stuck: self.stuck.clone(),
            offset: self.options.offset,
        })
    }

    fn next_poll_at(&self) -> Timestamp {
        let next = self.deadline.map_or(self.next_sweep, |due| due.min(self.next_sweep));
        self.paused_until.unwrap_or(next)
    }

    fn accepts_hints(&self) -> bool {
        !self.look_again && self.paused_until.is_none()
    }

    /// Backs off after a failure: the store is probably down, and polling at once would spin.
    fn pause(&mut self, now: Timestamp) {
        self.paused_until = Some(now + PAUSE);
        self.look_again = true;
    }
}

/// What woke a service.
enum Wakeup {
    /// A run of this node, or the claim that was to lead to one, has ended.
    Ended((WorkspaceId, HolderId), Box<Result<Option<FinishedRun>, AgentError>>),
    Looked(Result<PollResult, AgentError>),
    Changed,
    /// A deadline passed, or the program is to stop.
    Nothing,
}

/// Waits for whichever comes first.
async fn next_wakeup<'a>(
    running: &mut Running<'a>,
    looking: Option<&mut PendingPoll<'a>>,
    hints: Option<&mut Hints>,
    stop: Option<Stop>,
    sleep: Option<BoxFuture<'static, ()>>,
) -> Wakeup {
    let ended = async {
        match running.next().await {
            Some((who, ended)) => Wakeup::Ended(who, Box::new(ended)),
            None => pending().await,
        }
    };
    let looked = async {
        match looking {
            Some(looking) => Wakeup::Looked(looking.await),
            None => pending().await,
        }
    };
    let changed = async {
        // A closed channel gives no more hints.
        if let Some(hints) = hints
            && hints.changed().await.is_ok()
        {
            return Wakeup::Changed;
        }
        pending().await
    };
    let stopped = async {
        match stop {
            Some(stop) => stop.await,
            None => pending().await,
        }
        Wakeup::Nothing
    };
    let slept = async {
        match sleep {
            Some(sleep) => sleep.await,
            None => pending().await,
        }
        Wakeup::Nothing
    };
    let now = select(Box::pin(ended), Box::pin(looked));
    let later = select(Box::pin(changed), select(Box::pin(stopped), Box::pin(slept)));
    match select(now, later).await {
        Either::Left((Either::Left((woken, _)) | Either::Right((woken, _)), _))
        | Either::Right((
            Either::Left((woken, _))
            | Either::Right((Either::Left((woken, _)) | Either::Right((woken, _)), _)),
            _,
        )) => woken,
    }
}

/// How long a service waits after a failure.
const PAUSE: Duration = Duration::from_secs(1);

impl Agents {
    /// Performs one poll: feed, timers, queue and, from time to time, the sweep.
    async fn poll(&self, glance: PollRequest) -> Result<PollResult, AgentError> {
        let mut found = PollResult::default();
        for (ws, _) in self.unrouted().await? {
            self.route_feed(ws).await?;
        }
        let now = self.clock.now();
        let timers = self.store.each(timer::next_of_each()).await?;
        for (ws, at) in found.readable(timers) {
            if at <= now {
                self.fire_timers(ws).await?;
            } else {
                found.deadline = earlier(found.deadline, Some(at));
            }
        }
        if glance.is_sweep {
            found.lines = self.sweep(now, &glance.alive).await?;
        }
        if glance.room > 0 {
            self.find_due(&glance, &mut found).await?;
        }
        Ok(found)
    }

    /// Finds what may be claimed, and when the next row comes due.
    async fn find_due(
        &self,
        glance: &PollRequest,
        found: &mut PollResult,
    ) -> Result<(), AgentError> {
        let now = self.clock.now();
        let mut queues = Vec::new();
        for ws in self.store.all(wake_queue::workspaces()).await? {
            let want = match self.gate(ws).await? {
                Gate::Free => glance.room,
                Gate::Probe => 1,
                Gate::Closed { until } => {
                    found.deadline = earlier(found.deadline, Some(until));
                    continue;
                }
            };
            let is_new = |row: &QueueEntry| glance.is_new(ws, &row.holder);
            let waiting = self.claimable(ws, now, want, glance, found).await?;
            if waiting.len() < want {
                let next = self.store.first(wake_queue::next_due(ws, now)).await?;
                found.deadline = earlier(found.deadline, next.flatten());
            }
            if !waiting.is_empty() {
                let first_rows = self.store.each(wake_queue::first_per_priority(ws, now)).await?;
                let first_rows = found.readable(first_rows).into_iter().filter(is_new).collect();
                let order = claims(glance.claims, want, glance.offset, first_rows, waiting);
                queues.push(order.into_iter().map(|row| (ws, row)).collect::<VecDeque<_>>());
            }
        }
        // Workspaces take turns, so that a busy one does not hold up the others.
        let first = usize::try_from(glance.claims).unwrap_or(0) % queues.len().max(1);
        queues.rotate_left(first);
        while found.due.len() < glance.room && queues.iter().any(|queue| !queue.is_empty()) {
            let room = glance.room - found.due.len();
            found.due.extend(queues.iter_mut().filter_map(VecDeque::pop_front).take(room));
        }
        Ok(())
    }

    /// Returns rows of a workspace that may be claimed and that this node is not already running.
    async fn claimable(
        &self,
        ws: WorkspaceId,
        now: Timestamp,
        want: usize,
        glance: &PollRequest,
        found: &mut PollResult,
    ) -> Result<Vec<QueueEntry>, AgentError> {
        // Allow for rows that this node is already claiming, and for those that other nodes will
        // claim.
        let mut limit = want + glance.alive.len() + glance.stuck.len() + glance.offset.min(64);
        loop {
            let n = i64::try_from(limit).unwrap_or(i64::MAX);
            let rows = self.store.each(wake_queue::claimable(ws, now, n)).await?;
            let is_all = rows.len() < limit;
            let mut waiting = found.readable(rows);
            waiting.retain(|row| glance.is_new(ws, &row.holder));
            // Damaged rows may come before all others.
            if is_all || waiting.len() >= want {
                return Ok(waiting);
            }
            limit *= 2;
        }
    }

    /// Recovers what no deadline and no hint points to.
    async fn sweep(
        &self,
        now: Timestamp,
        alive: &BTreeSet<(WorkspaceId, HolderId)>,
    ) -> Result<Vec<Result<String, String>>, AgentError> {
        let taken = self.take_over_dead(alive).await?;
        let mut lines: Vec<_> = taken.into_iter().map(Ok).collect();
        let beyond = now + Duration::from_secs(limits::LEASE_SECONDS);
        for ws in self.store.all(wake_queue::workspaces()).await? {
            let ahead = self.store.each(wake_queue::with_due_beyond(ws, beyond)).await?;
            if !ahead.is_empty() {
                let rescue = wake_queue::clamp_due(ws, now, beyond);
                self.store.commit(Commit::new("wake.rescue", Db::Agent, ws).op(rescue)).await?;
            }
        }
        for ws in self.store.all(saga::workspaces()).await? {
            for one in self.changes.recover_older(ws, self.lease).await? {
                lines.push(match one.error {
                    None => Ok(format!("{} finished", one.tool)),
                    Some(error) => Err(format!("{} stays open: {error}", one.tool)),
                });
            }
        }
        self.changes.expire_due().await?;
        self.trim().await?;
        Ok(lines)
    }

    async fn claim_and_run(
        &self,
        ws: WorkspaceId,
        row: QueueEntry,
    ) -> Result<Option<FinishedRun>, AgentError> {
        match self.claim(ws, &row).await? {
            Some(lease) => self.run_alive(lease).await.map(Some),
            None => Ok(None),
        }
    }

    /// Drives a claimed run to its end, renewing its lease meanwhile.
    pub async fn run_alive(&self, lease: Lease) -> Result<FinishedRun, AgentError> {
        let run = Box::pin(self.run(lease.clone()));
        let beat = Box::pin(self.beat(lease.clone()));
        match select(run, beat).await {
            Either::Left((ran, _)) => ran,
            // The lease is lost, so whatever the run was doing could not be committed anyway.
            Either::Right((Ok(()), _)) => {
                Ok(FinishedRun { holder: lease.run.holder.clone(), run: lease.run, end: End::Lost })
            }
            Either::Right((Err(error), _)) => Err(error),
        }
    }

    /// Renews a lease repeatedly; ends when the lease is lost.
    async fn beat(&self, lease: Lease) -> Result<(), AgentError> {
        loop {
            // Two renewals may fail before the lease expires.
            self.clock.sleep(lease.lasts / 3).await;
            let beat = Commit::new("run.beat", Db::Agent, lease.ws).op(lease.guard());
            match self.store.commit(beat).await {
                Ok(_) => {}
                Err(error) if error.refusal() == Some(Refusal::LeaseLost) => return Ok(()),
                // The next renewal may succeed before the lease expires.
                Err(error) => tracing::warn!(%error, holder = %lease.run.holder, "no heartbeat"),
            }
        }
    }
}

fn earlier(a: Option<Timestamp>, b: Option<Timestamp>) -> Option<Timestamp> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}
