//! The service of a node: routes, fires timers, claims and runs what is due, sweeps, until it is
//! told to stop.
//!
//! It holds nothing that matters: everything it acts on is a row, so a node can die anywhere, and
//! another one, or the same after a start, goes on. Hints make it quick, deadlines make it punctual,
//! and the sweep finds whatever neither pointed to.

use std::collections::{BTreeSet, VecDeque};
use std::future::pending;
use std::time::Duration;

use dormouse_runs::breaker::Gate;
use dormouse_runs::{End, Lease, Stop};
use dormouse_store::agent::wake_queue::QueueEntry;
use dormouse_store::agent::{saga, timer, wake_queue};
use dormouse_store::{Commit, Db, Hints, ReadError, Refusal};
use dormouse_types::port::BoxFuture;
use dormouse_types::{AgentId, Timestamp, WorkspaceId, limits};
use futures_util::future::{Either, FutureExt as _, select};
use futures_util::stream::{FuturesUnordered, StreamExt as _};

use crate::wake::drain::FinishedRun;
use crate::wake::order::claims;
use crate::{AgentError, Agents};

/// How a node serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Wakes at once, 1 to 64.
    pub concurrency: usize,
    /// Where this node begins among rows of equal rank; 0 when it is alone.
    pub offset: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { concurrency: limits::CONCURRENCY, offset: 0 }
    }
}

/// What a service tells whoever runs it.
#[derive(Debug)]
pub enum Event<'a> {
    /// A run ended in this node.
    Ran(&'a FinishedRun),
    /// Something was found half done and taken up: a dead node's run, an open operation.
    Recovered(String),
    /// Something failed; it is tried again.
    Failed(String),
}

/// A run of this node, or the claim that leads to one: its agent, and what came of it.
type Running<'a> = FuturesUnordered<
    BoxFuture<'a, ((WorkspaceId, AgentId), Result<Option<FinishedRun>, AgentError>)>,
>;

/// A look under way.
type PendingPoll<'a> = BoxFuture<'a, Result<PollResult, AgentError>>;

/// What one look at everything found.
#[derive(Debug, Default)]
struct PollResult {
    /// What may be claimed.
    due: Vec<(WorkspaceId, QueueEntry)>,
    /// When something may be due next.
    deadline: Option<Timestamp>,
    /// What was taken up, or could not be.
    lines: Vec<Result<String, String>>,
    /// Rows that cannot be read: they stop their own agent and nothing else.
    damaged: Vec<String>,
}

/// What a look goes by.
#[derive(Debug, Clone)]
struct PollRequest {
    /// How many wakes there is room for.
    room: usize,
    /// How many were claimed so far.
    claims: u64,
    /// Whether to look for what nothing points to.
    is_sweep: bool,
    /// The agents at work in this node.
    alive: BTreeSet<(WorkspaceId, AgentId)>,
    /// Agents that cannot be claimed until they are repaired.
    stuck: BTreeSet<(WorkspaceId, AgentId)>,
    offset: usize,
}

impl PollRequest {
    fn is_new(&self, ws: WorkspaceId, agent: &AgentId) -> bool {
        let who = (ws, agent.clone());
        !self.alive.contains(&who) && !self.stuck.contains(&who)
    }
}

impl PollResult {
    /// The rows that can be read; the others are told.
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
    /// A service that runs until `stop` completes.
    pub fn new(agents: &Agents, options: Options, stop: Stop) -> Self {
        let agents = agents.stopping_on(stop.clone());
        let concurrency = options.concurrency.clamp(1, limits::CONCURRENCY_MAX);
        Self { agents, options: Options { concurrency, ..options }, stop }
    }

    /// Serves until it is told to stop; then lets what is under way put itself back.
    ///
    /// Looking and running go on beside each other, so that the commits of both share a sync.
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
            // A look under way sees to what comes meanwhile when it is over.
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
                            // If it held a lease, the sweep takes that up.
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
                        let who = (ws, row.agent.clone());
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

/// When a service looks next, and by what.
#[derive(Debug)]
struct Schedule {
    options: Options,
    sweep_every: Duration,
    next_sweep: Timestamp,
    /// The next time something may be due that is known of.
    deadline: Option<Timestamp>,
    /// Something changed, or there is room again.
    look_again: bool,
    /// Nobody looks before then: something failed.
    paused_until: Option<Timestamp>,
    alive: BTreeSet<(WorkspaceId, AgentId)>,
    /// Whose claim failed because of its rows; tried again behind the next sweep.
    stuck: BTreeSet<(WorkspaceId, AgentId)>,
    /// Damage that was told already.
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

    /// What to look for now; none when there is no reason to look.
    fn next_poll(&mut self, now: Timestamp) -> Option<PollRequest> {
        // A clock that was set back makes the end of a pause, or a sweep, seem far away.
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

    /// The store is away, most likely: no need to ask it in a circle.
    fn pause(&mut self, now: Timestamp) {
        self.paused_until = Some(now + PAUSE);
        self.look_again = true;
    }
}

/// What woke a service.
enum Wakeup {
    /// A run of this node, or the claim that was to lead to one, is over.
    Ended((WorkspaceId, AgentId), Box<Result<Option<FinishedRun>, AgentError>>),
    Looked(Result<PollResult, AgentError>),
    Changed,
    /// A time came, or the program is to stop.
    Nothing,
}

/// Waits for whatever comes first.
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
        // A closed hint is no hint.
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

/// How long a service waits after something failed.
const PAUSE: Duration = Duration::from_secs(1);

impl Agents {
    /// One look at everything: feed, timers, queue, and from time to time the sweep.
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
            let is_new = |row: &QueueEntry| glance.is_new(ws, &row.agent);
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
        // The workspaces take turns, so that a busy one does not keep the others waiting.
        let first = usize::try_from(glance.claims).unwrap_or(0) % queues.len().max(1);
        queues.rotate_left(first);
        while found.due.len() < glance.room && queues.iter().any(|queue| !queue.is_empty()) {
            let room = glance.room - found.due.len();
            found.due.extend(queues.iter_mut().filter_map(VecDeque::pop_front).take(room));
        }
        Ok(())
    }

    /// Rows of a workspace that may be claimed and that this node has not taken up yet.
    async fn claimable(
        &self,
        ws: WorkspaceId,
        now: Timestamp,
        want: usize,
        glance: &PollRequest,
        found: &mut PollResult,
    ) -> Result<Vec<QueueEntry>, AgentError> {
        // Rows whose claim is under way are read once more; and another node is to find others.
        let mut limit = want + glance.alive.len() + glance.stuck.len() + glance.offset.min(64);
        loop {
            let n = i64::try_from(limit).unwrap_or(i64::MAX);
            let rows = self.store.each(wake_queue::claimable(ws, now, n)).await?;
            let is_all = rows.len() < limit;
            let mut waiting = found.readable(rows);
            waiting.retain(|row| glance.is_new(ws, &row.agent));
            // Damaged rows may stand before all others.
            if is_all || waiting.len() >= want {
                return Ok(waiting);
            }
            limit *= 2;
        }
    }

    /// Looks for what no deadline and no hint points to.
    async fn sweep(
        &self,
        now: Timestamp,
        alive: &BTreeSet<(WorkspaceId, AgentId)>,
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

    /// Drives a claimed run to its end and prolongs its lease meanwhile.
    pub async fn run_alive(&self, lease: Lease) -> Result<FinishedRun, AgentError> {
        let run = Box::pin(self.run(lease.clone()));
        let beat = Box::pin(self.beat(lease.clone()));
        match select(run, beat).await {
            Either::Left((ran, _)) => ran,
            // What it was doing is dropped: it could not be written any more.
            Either::Right((Ok(()), _)) => {
                Ok(FinishedRun { agent: lease.run.agent.clone(), run: lease.run, end: End::Lost })
            }
            Either::Right((Err(error), _)) => Err(error),
        }
    }

    /// Prolongs a lease again and again; ends when it is lost.
    async fn beat(&self, lease: Lease) -> Result<(), AgentError> {
        loop {
            // Two beats may fail before the lease runs out.
            self.clock.sleep(lease.lasts / 3).await;
            let beat = Commit::new("run.beat", Db::Agent, lease.ws).op(lease.guard());
            match self.store.commit(beat).await {
                Ok(_) => {}
                Err(error) if error.refusal() == Some(Refusal::LeaseLost) => return Ok(()),
                // The next beat may get through before the lease runs out.
                Err(error) => tracing::warn!(%error, agent = %lease.run.agent, "no heartbeat"),
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
