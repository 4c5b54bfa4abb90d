//! The loop of a node: until it is stopped, or until nothing is left to run, it polls, claims
//! and runs what is due.
//!
//! It holds no state that matters: everything it acts on is a row, so a node can die at any point
//! and another node, or a restart, continues. Hints make it quick, deadlines make it punctual, and
//! the sweep finds what neither points to.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use dormouse_store::Hints;
use dormouse_store::agent::wake_queue::QueueEntry;
use dormouse_types::port::BoxFuture;
use dormouse_types::{HolderId, WorkspaceId, limits};
use futures_util::future::{FutureExt as _, pending};
use futures_util::stream::{FuturesUnordered, StreamExt as _};

use crate::Scheduler;
use crate::end::{End, FinishedRun};
use crate::error::{Failure, SchedulerError};
use crate::poll::PollResult;
use crate::schedule::{Options, Schedule};

/// How often a row that stays as it is is tried to be claimed between two sweeps.
const TRIES: usize = 3;

/// When a node's loop ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Until {
    /// When the program is to stop; runs under way then put themselves back.
    Stopped(Options),
    /// When nothing is left that may run now. One run at a time, without a sweep and without waiting
    /// for signals to merge; the first failure ends it.
    Idle {
        /// Workspace whose holders run.
        ws: WorkspaceId,
        /// These holders only; `None` means all that are due.
        only: Option<Vec<HolderId>>,
    },
}

/// What happens in a node.
#[derive(Debug)]
pub enum Event {
    /// A run ended in this node.
    Ran(Box<FinishedRun>),
    /// Interrupted work was recovered: a dead node's run, or an open operation.
    Recovered(String),
    /// Something stays as it is until somebody repairs it, or until the next attempt.
    Damaged(String),
    /// Something failed and will be retried.
    Failed(Failure),
}

/// A holder at work, and how that ended.
type Ended = ((WorkspaceId, HolderId), Result<Option<FinishedRun>, SchedulerError>);

/// The loop of one node.
///
/// Polling and running are concurrent, so that the commits of both can share an fsync.
pub struct Node {
    scheduler: Scheduler,
    until: Until,
    plan: Schedule,
    running: FuturesUnordered<BoxFuture<'static, Ended>>,
    polling: Option<BoxFuture<'static, PollResult>>,
    hints: Hints,
    /// Rows found by the last poll that are not claimed yet.
    ready: VecDeque<(WorkspaceId, QueueEntry)>,
    /// Holders whose run was requeued: it has a time to wait for, and running it again would spin.
    requeued: BTreeSet<HolderId>,
    /// The row of each holder as it was last claimed. A row that is as it was when it could not be
    /// claimed is not tried again.
    tried: BTreeMap<HolderId, QueueEntry>,
    /// The row of each holder that a serving node tried to claim since the last sweep, and how often as it
    /// is.
    fruitless_claims: BTreeMap<(WorkspaceId, HolderId), (QueueEntry, usize)>,
    /// What the caller has not taken yet.
    events: VecDeque<Event>,
    /// Damage that was already named.
    named: BTreeSet<String>,
    is_done: bool,
}

/// What woke a node.
enum Wakeup {
    /// A run of this node, or the claim that was to lead to one, has ended.
    Ended(Box<Ended>),
    Polled(Box<PollResult>),
    Changed,
    /// A deadline passed, or the program is to stop.
    Nothing,
}

impl Scheduler {
    /// Creates the loop of a node; it runs while its events are taken.
    pub fn node(&self, until: Until) -> Node {
        let options = match &until {
            Until::Stopped(options) => Options {
                concurrency: options.concurrency.clamp(1, limits::CONCURRENCY_MAX),
                ..*options
            },
            Until::Idle { .. } => Options { concurrency: 1, offset: 0 },
        };
        Node {
            plan: Schedule::new(self.now(), self.lease, options),
            hints: self.store.changes(),
            scheduler: self.clone(),
            until,
            running: FuturesUnordered::new(),
            polling: None,
            ready: VecDeque::new(),
            requeued: BTreeSet::new(),
            tried: BTreeMap::new(),
            fruitless_claims: BTreeMap::new(),
            events: VecDeque::new(),
            named: BTreeSet::new(),
            is_done: false,
        }
    }

    async fn claim_and_run(
        &self,
        ws: WorkspaceId,
        row: &QueueEntry,
    ) -> Result<Option<FinishedRun>, SchedulerError> {
        match self.claim(ws, row).await? {
            Some(lease) => self.run_alive(lease).await.map(Some),
            None => Ok(None),
        }
    }
}

impl Node {
    /// Runs to the end and hands every event to `tell`.
    pub async fn run(mut self, mut tell: impl FnMut(Event) + Send) {
        while let Some(event) = self.next().await {
            tell(event);
        }
    }

    /// Continues until something happens that the caller may want to know. Returns `None` when the
    /// loop has ended.
    pub async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Some(event);
            }
            let is_stopping = self.scheduler.stop.clone().now_or_never().is_some();
            if is_stopping {
                self.polling = None;
                self.ready.clear();
                self.is_done |= self.running.is_empty();
            } else {
                self.start();
            }
            if self.is_done && self.running.is_empty() {
                return None;
            }
            match self.wakeup(is_stopping).await {
                Wakeup::Nothing => {}
                Wakeup::Changed => self.plan.poll_now = true,
                Wakeup::Ended(ended) => self.ended(*ended),
                Wakeup::Polled(found) => self.polled(*found),
            }
        }
    }

    /// Starts what can be started now: the runs that the last poll found, or the next poll.
    fn start(&mut self) {
        match self.until.clone() {
            Until::Stopped(_) => {
                while let Some((ws, row)) = self.ready.pop_front() {
                    self.launch(ws, row);
                }
                if self.polling.is_none()
                    && let Some(request) = self.plan.next_poll(self.scheduler.now())
                {
                    if request.is_sweep {
                        self.fruitless_claims.clear();
                    }
                    self.hints.borrow_and_update();
                    self.polling = Some(Box::pin(self.scheduler.clone().poll(request)));
                }
            }
            Until::Idle { ws, only } => {
                if !self.running.is_empty() || self.polling.is_some() || self.is_done {
                    return;
                }
                match self.ready.pop_front() {
                    Some((ws, row)) => self.launch(ws, row),
                    None => {
                        let poll =
                            self.scheduler.clone().poll_ready(ws, only, self.requeued.clone());
                        self.polling = Some(Box::pin(poll));
                    }
                }
            }
        }
    }

    /// Claims a row and runs it, concurrently with everything else the node does.
    fn launch(&mut self, ws: WorkspaceId, row: QueueEntry) {
        let who = (ws, row.holder.clone());
        self.plan.alive.insert(who.clone());
        *self.plan.claims.entry(row.holder.kind().to_owned()).or_default() += 1;
        if matches!(self.until, Until::Idle { .. }) {
            self.tried.insert(row.holder.clone(), row.clone());
        } else {
            let tries =
                self.fruitless_claims.entry(who.clone()).or_insert_with(|| (row.clone(), 0));
            *tries = if tries.0 == row { (row.clone(), tries.1 + 1) } else { (row.clone(), 1) };
        }
        let scheduler = self.scheduler.clone();
        self.running.push(Box::pin(async move {
            let ended = scheduler.claim_and_run(ws, &row).await;
            (who, ended)
        }));
    }

    /// Waits for whatever comes first.
    async fn wakeup(&mut self, is_stopping: bool) -> Wakeup {
        let serves = matches!(self.until, Until::Stopped(_)) && !is_stopping;
        let clock = &self.scheduler.clock;
        let waits = serves && self.polling.is_none();
        let now = self.scheduler.now();
        let sleep = waits.then(|| clock.sleep(now.until(self.plan.next_poll_at())));
        // Hints that arrive during a poll are handled when it ends.
        let hears = serves && self.plan.accepts_hints();
        let polled = async {
            match &mut self.polling {
                Some(polling) => polling.await,
                None => pending().await,
            }
        };
        let slept = async {
            match sleep {
                Some(sleep) => sleep.await,
                None => pending().await,
            }
        };
        tokio::select! {
            biased;
            Some(ended) = self.running.next() => Wakeup::Ended(Box::new(ended)),
            found = polled => Wakeup::Polled(Box::new(found)),
            // A closed channel gives no more hints.
            Ok(()) = self.hints.changed(), if hears => Wakeup::Changed,
            () = self.scheduler.stop.clone(), if !is_stopping => Wakeup::Nothing,
            () = slept => Wakeup::Nothing,
        }
    }

    fn ended(&mut self, (who, ended): Ended) {
        self.plan.alive.remove(&who);
        self.plan.poll_now = true;
        let drains = matches!(self.until, Until::Idle { .. });
        match ended {
            Ok(Some(ran)) => {
                if drains
                    && matches!(ran.end, End::Requeued { .. } | End::ProviderUnavailable { .. })
                {
                    self.requeued.insert(ran.holder.clone());
                }
                self.fruitless_claims.remove(&who);
                self.events.push_back(Event::Ran(Box::new(ran)));
            }
            // It is due by the time of the database, and its handler, whose clock is behind, says that it
            // is not: to ask again at once would spin.
            Ok(None) if self.fruitless_claims.get(&who).is_some_and(|(_, n)| *n >= TRIES) => {
                self.plan.stuck.insert(who);
            }
            Ok(None) => {}
            Err(error) if drains => {
                self.is_done = true;
                self.events.push_back(Event::Failed(Failure { part: None, error }));
            }
            Err(error) if error.is_damage() => {
                self.name(format!("{}: {error}", self.display_name(&who.1)));
                self.plan.stuck.insert(who);
            }
            Err(error) => {
                let part = Some(format!("a run of {}", self.display_name(&who.1)));
                self.events.push_back(Event::Failed(Failure { part, error }));
                // If it held a lease, the sweep recovers it.
                self.plan.pause(self.scheduler.now());
                self.plan.next_sweep = self.plan.next_poll_at();
            }
        }
    }

    fn polled(&mut self, mut found: PollResult) {
        self.polling = None;
        found.due.retain(|(_, row)| self.tried.get(&row.holder) != Some(row));
        self.plan.deadline = found.deadline;
        for line in found.damaged {
            self.name(line);
        }
        for line in found.lines {
            match line {
                Ok(line) => self.events.push_back(Event::Recovered(line)),
                // A chore finds the same damage at each sweep.
                Err(line) if self.named.insert(line.clone()) => {
                    self.events.push_back(Event::Damaged(line));
                }
                Err(_) => {}
            }
        }
        if matches!(self.until, Until::Idle { .. }) {
            self.is_done = found.due.is_empty() || !found.failures.is_empty();
        }
        self.events.extend(found.failures.into_iter().map(Event::Failed));
        if found.pauses {
            self.plan.pause(self.scheduler.now());
        }
        self.ready = found.due.into();
    }

    /// Names damage, once.
    fn name(&mut self, line: String) {
        if self.named.insert(line.clone()) {
            tracing::error!("{line}");
            self.events.push_back(Event::Damaged(line));
        }
    }

    /// The name of a holder in messages to people.
    fn display_name(&self, holder: &HolderId) -> String {
        let noun = self.scheduler.handler(holder).map_or("holder", |it| it.kind().noun);
        format!("{noun} {holder}")
    }
}
