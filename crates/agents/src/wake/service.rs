//! The service of a node: routes, fires timers, claims and runs what is due, sweeps, until it is
//! told to stop.
//!
//! It holds nothing that matters: everything it acts on is a row, so a node can die anywhere, and
//! another one, or the same after a start, goes on. Hints make it quick, deadlines make it punctual,
//! and the sweep finds whatever neither pointed to.

use std::collections::BTreeSet;
use std::time::Duration;

use dormouse_runs::breaker::Gate;
use dormouse_runs::{End, Lease, Stop};
use dormouse_store::agent::{feed_position, saga, timer, wake_queue};
use dormouse_store::{Commit, Db, Refusal, change_log};
use dormouse_types::port::BoxFuture;
use dormouse_types::{AgentId, Timestamp, WorkspaceId, limits};
use futures_util::future::{Either, FutureExt as _, select};
use futures_util::stream::{FuturesUnordered, StreamExt as _};

use crate::wake::drain::Ran;
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
    Ran(&'a Ran),
    /// Something was found half done and taken up: a dead node's run, an open operation.
    Recovered(String),
    /// Something failed; it is tried again.
    Failed(String),
}

type Running<'a> =
    FuturesUnordered<BoxFuture<'a, ((WorkspaceId, AgentId), Result<Ran, AgentError>)>>;

/// The service of one node.
pub struct Service {
    agents: Agents,
    options: Options,
    stop: Stop,
    claims: u64,
    alive: BTreeSet<(WorkspaceId, AgentId)>,
    next_sweep: Timestamp,
    /// The next time something may be due that is known of.
    deadline: Option<Timestamp>,
}

impl Service {
    /// A service that runs until `stop` completes.
    pub fn new(agents: &Agents, options: Options, stop: Stop) -> Self {
        let mut agents = agents.clone();
        agents.driver = agents.driver.stopping_on(stop.clone());
        let next_sweep = agents.clock.now();
        let concurrency = options.concurrency.clamp(1, limits::CONCURRENCY_MAX);
        Self {
            agents,
            options: Options { concurrency, ..options },
            stop,
            claims: 0,
            alive: BTreeSet::new(),
            next_sweep,
            deadline: None,
        }
    }

    /// Serves until it is told to stop; then lets what is under way put itself back.
    pub async fn run(mut self, mut tell: impl FnMut(Event<'_>) + Send) {
        let agents = self.agents.clone();
        let mut running: Running<'_> = FuturesUnordered::new();
        let mut changes = agents.store.changes();
        loop {
            changes.borrow_and_update();
            let is_stopping = self.stop.clone().now_or_never().is_some();
            if is_stopping && running.is_empty() {
                return;
            }
            let mut pause = None;
            if !is_stopping && let Err(error) = self.look(&agents, &mut running, &mut tell).await {
                tell(Event::Failed(error.to_string()));
                // The store is away, most likely: no need to ask it in a circle.
                pause = Some(agents.clock.now() + Duration::from_secs(1));
            }
            let now = agents.clock.now();
            let until = pause.unwrap_or_else(|| {
                let due = self.deadline.filter(|_| running.len() < self.options.concurrency);
                due.map_or(self.next_sweep, |due| due.min(self.next_sweep)).max(now)
            });
            let stopping = async {
                if is_stopping { std::future::pending().await } else { self.stop.clone().await }
            };
            let ended = async {
                if running.is_empty() { std::future::pending().await } else { running.next().await }
            };
            let changed = async {
                // A pause is kept although something changes; a closed hint is no hint.
                if pause.is_some() || changes.changed().await.is_err() {
                    std::future::pending::<()>().await;
                }
            };
            let first = select(
                Box::pin(ended),
                select(
                    Box::pin(stopping),
                    select(Box::pin(changed), agents.clock.sleep_until(until)),
                ),
            );
            if let Either::Left((Some((who, ran)), _)) = first.await {
                self.alive.remove(&who);
                match ran {
                    Ok(ran) => tell(Event::Ran(&ran)),
                    Err(error) => {
                        // Its lease is still there; the sweep takes it up.
                        tell(Event::Failed(format!("a run of agent {}: {error}", who.1)));
                        self.next_sweep =
                            self.next_sweep.min(agents.clock.now() + Duration::from_secs(1));
                    }
                }
            }
        }
    }

    /// One look at everything: feed, timers, queue, and from time to time the sweep.
    async fn look<'a>(
        &mut self,
        agents: &'a Agents,
        running: &mut Running<'a>,
        tell: &mut (impl FnMut(Event<'_>) + Send),
    ) -> Result<(), AgentError> {
        let now = agents.clock.now();
        for ws in self.unrouted().await? {
            agents.route_feed(ws).await?;
        }
        let mut deadline = None;
        for (ws, at) in agents.store.all(timer::next_of_each()).await? {
            if at <= now {
                agents.fire_timers(ws).await?;
            } else {
                deadline = earlier(deadline, Some(at));
            }
        }
        // A clock that was set back makes a sweep seem far away.
        let sweep_every = Duration::from_secs(limits::SWEEP_SECONDS).min(agents.lease / 2);
        if now >= self.next_sweep || now + sweep_every < self.next_sweep {
            self.next_sweep = now + sweep_every;
            self.sweep(now, tell).await?;
        }
        deadline = earlier(deadline, self.claim(agents, running).await?);
        self.deadline = deadline;
        Ok(())
    }

    /// Workspaces whose journal has moved on since it was routed.
    async fn unrouted(&self) -> Result<Vec<WorkspaceId>, AgentError> {
        let heads = self.agents.store.all(change_log::heads(Db::Journal)).await?;
        let routed = self.agents.store.all(feed_position::all()).await?;
        let host = self.agents.store.host(Db::Journal);
        Ok(heads
            .into_iter()
            .filter(|(ws, head)| {
                !routed.iter().any(|(known, at)| known == ws && at.host == host && at.seq == *head)
            })
            .map(|(ws, _)| ws)
            .collect())
    }

    /// Claims what is due as long as there is room; says when the next row comes due.
    async fn claim<'a>(
        &mut self,
        agents: &'a Agents,
        running: &mut Running<'a>,
    ) -> Result<Option<Timestamp>, AgentError> {
        let mut deadline = None;
        let mut workspaces = agents.store.all(wake_queue::workspaces()).await?;
        // The workspaces take turns, so that a busy one does not keep the others waiting.
        let len = workspaces.len().max(1);
        workspaces.rotate_left(usize::try_from(self.claims).unwrap_or(0) % len);
        while running.len() < self.options.concurrency && !workspaces.is_empty() {
            let mut idle = Vec::new();
            for ws in &workspaces {
                if running.len() >= self.options.concurrency {
                    break;
                }
                let gate = agents.gate(*ws).await?;
                let claimed = match gate {
                    Gate::Closed { until } => {
                        deadline = earlier(deadline, Some(until));
                        None
                    }
                    Gate::Free | Gate::Probe => self.claim_one(agents, *ws).await?,
                };
                match claimed {
                    Some(lease) => {
                        let who = (*ws, lease.run.agent.clone());
                        self.alive.insert(who.clone());
                        running.push(Box::pin(async move { (who, agents.run_alive(lease).await) }));
                    }
                    None => {
                        let now = agents.clock.now();
                        let next = agents.store.first(wake_queue::next_due(*ws, now)).await?;
                        deadline = earlier(deadline, next.flatten());
                        idle.push(*ws);
                    }
                }
            }
            workspaces.retain(|ws| !idle.contains(ws));
        }
        Ok(deadline)
    }

    async fn claim_one(
        &mut self,
        agents: &Agents,
        ws: WorkspaceId,
    ) -> Result<Option<Lease>, AgentError> {
        // A refused claim means that somebody else was faster: rows are read again.
        for _ in 0..8 {
            let now = agents.clock.now();
            let waiting = agents.store.all(wake_queue::claimable(ws, now, 8)).await?;
            if waiting.is_empty() {
                return Ok(None);
            }
            let foremost = agents.store.all(wake_queue::foremost(ws, now)).await?;
            for row in claims(self.claims, self.options.offset, foremost, waiting) {
                if let Some(lease) = agents.claim(ws, &row).await? {
                    self.claims += 1;
                    return Ok(Some(lease));
                }
            }
        }
        Ok(None)
    }

    /// Looks for what no deadline and no hint points to.
    async fn sweep(
        &mut self,
        now: Timestamp,
        tell: &mut (impl FnMut(Event<'_>) + Send),
    ) -> Result<(), AgentError> {
        let agents = &self.agents;
        for line in agents.take_over_dead(&self.alive).await? {
            tell(Event::Recovered(line));
        }
        let beyond = now + Duration::from_secs(limits::LEASE_SECONDS);
        for ws in agents.store.all(wake_queue::workspaces()).await? {
            let rescue = wake_queue::rescue(ws, now, beyond);
            agents.store.commit(Commit::new("wake.rescue", Db::Agent, ws).op(rescue)).await?;
        }
        for ws in agents.store.all(saga::workspaces()).await? {
            for one in agents.changes.recover_older(ws, agents.lease).await? {
                tell(match one.error {
                    None => Event::Recovered(format!("{} finished", one.tool)),
                    Some(error) => Event::Failed(format!("{} stays open: {error}", one.tool)),
                });
            }
        }
        agents.changes.expire_due().await?;
        Ok(())
    }
}

impl Agents {
    /// Drives a claimed run to its end and prolongs its lease meanwhile.
    pub async fn run_alive(&self, lease: Lease) -> Result<Ran, AgentError> {
        let run = Box::pin(self.run(lease.clone()));
        let beat = Box::pin(self.beat(lease.clone()));
        match select(run, beat).await {
            Either::Left((ran, _)) => ran,
            // What it was doing is dropped: it could not be written any more.
            Either::Right((Ok(()), _)) => {
                Ok(Ran { agent: lease.run.agent.clone(), run: lease.run, end: End::Lost })
            }
            Either::Right((Err(error), _)) => Err(error),
        }
    }

    /// Prolongs a lease again and again; ends when it is lost.
    async fn beat(&self, lease: Lease) -> Result<(), AgentError> {
        loop {
            // Two beats may fail before the lease runs out.
            let next = self.clock.now() + lease.lasts / 3;
            self.clock.sleep_until(next).await;
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
