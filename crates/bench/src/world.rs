//! Tasks with agents on a store, edits that wake them, and the service that runs them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Context as _;
use dormouse_agents::lifecycle::{NewAgent, RequestContext};
use dormouse_agents::wake::policy::merge_window;
use dormouse_agents::{Agents, Parts};
use dormouse_changes::Changes;
use dormouse_journal::{Edit, EditCtx, Journal, NewTask};
use dormouse_runs::{Driver, End, Models};
use dormouse_scheduler::{Event, Options, Scheduler, Until};
use dormouse_types::port::{Clock as _, ModelClass};
use dormouse_types::{Actor, AgentId, HolderId, ItemId, Origin, TaskId, Timestamp, WorkspaceId};
use futures_util::future::{BoxFuture, FutureExt as _, join, try_join_all};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use crate::clock::{ShiftedClock, millis, seconds};
use crate::model::Steady;
use crate::place::Opened;

/// The workspace of wakes.
pub const WS: WorkspaceId = WorkspaceId(1);

/// Commits sent at once while a world is made.
const AT_ONCE: usize = 64;

/// Everything that runs agents, as the product joins it.
pub struct World {
    /// Routes, wakes, runs: the first node.
    pub agents: Agents,
    scheduler: Scheduler,
    /// The schedulers of further nodes.
    others: Vec<Scheduler>,
    /// The person's data.
    pub journal: Journal,
    clock: ShiftedClock,
}

/// A task whose agent sleeps until an item of it is ticked.
#[derive(Debug, Clone)]
pub struct Watched {
    task: TaskId,
    item: ItemId,
    agent: AgentId,
}

/// What the services did.
#[derive(Debug, Default)]
pub struct Served {
    /// When each agent's run was durable.
    pub ended: Vec<(HolderId, Timestamp)>,
    failed: Vec<String>,
}

/// What services did so far, and what keeps them running.
struct Progress {
    served: Served,
    n_runs: usize,
    running: Option<oneshot::Sender<()>>,
}

impl Progress {
    fn take(&mut self, event: Event, now: Timestamp) {
        let served = &mut self.served;
        match event {
            Event::Ran(ran) => match ran.end {
                End::Completed { .. } => served.ended.push((ran.holder, now)),
                end => served.failed.push(format!("a run ended as {end:?}")),
            },
            Event::Recovered(line) | Event::Damaged(line) => served.failed.push(line),
            Event::Failed(failure) => served.failed.push(failure.to_string()),
        }
        if served.ended.len() >= self.n_runs || !served.failed.is_empty() {
            self.running = None;
        }
    }
}

fn locked(progress: &Mutex<Progress>) -> MutexGuard<'_, Progress> {
    progress.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The rooms of one node.
fn node(opened: &Opened, turns: u32, n: usize) -> (Journal, Agents, Scheduler) {
    let (store, clock, entropy) = (&opened.store, &opened.as_clock, &opened.entropy);
    let zone = jiff::tz::TimeZone::UTC;
    let journal = Journal::new(store.clone(), clock.clone(), entropy.clone());
    let changes = Changes::new(
        store.clone(),
        journal.clone(),
        clock.clone(),
        entropy.clone(),
        zone.clone().into(),
    );
    let model = Arc::new(Steady::new(turns));
    let driver = Driver::new(store.clone(), clock.clone(), entropy.clone(), Models::new(model));
    let agents = Agents::new(Parts {
        store: store.clone(),
        journal: journal.clone(),
        changes,
        driver,
        clock: clock.clone(),
        entropy: entropy.clone(),
        zone: zone.into(),
    });
    let lease = dormouse_store::lease::term();
    let scheduler = Scheduler::new(dormouse_scheduler::Parts {
        store: store.clone(),
        clock: clock.clone(),
        owner: format!("bench-{n}"),
        lease,
        handlers: agents.handlers().to_vec(),
        chores: agents.chores(lease),
    });
    (journal, agents, scheduler)
}

impl World {
    /// Joins the rooms on a store, with a model that answers in so many turns.
    pub fn new(opened: &Opened, turns: u32) -> Self {
        let (journal, agents, scheduler) = node(opened, turns, 1);
        Self { agents, scheduler, others: Vec::new(), journal, clock: opened.clock.clone() }
    }

    /// Lets another node serve the same agents. It shares the clock.
    #[must_use]
    pub fn with_node(mut self, opened: &Opened, turns: u32) -> Self {
        self.others.push(node(opened, turns, self.n_nodes() + 1).2);
        self
    }

    /// How many nodes serve.
    pub fn n_nodes(&self) -> usize {
        1 + self.others.len()
    }

    /// Makes tasks with a note, five items and an agent that has made its first report.
    pub async fn fill(&self, n: usize) -> anyhow::Result<Vec<Watched>> {
        let mut watched = Vec::with_capacity(n);
        let numbers: Vec<usize> = (0..n).collect();
        for numbers in numbers.chunks(AT_ONCE) {
            let made = numbers.iter().map(|n| self.watched(*n));
            watched.extend(try_join_all(made).await?);
        }
        self.route(WS).await?;
        self.serve(AT_ONCE, n).await?;
        Ok(watched)
    }

    async fn watched(&self, n: usize) -> anyhow::Result<Watched> {
        let item = |title: &str| Edit::AddItem { title: title.into(), is_checked: false, depth: 0 };
        let new = NewTask {
            title: format!("Renovate bathroom {n}"),
            edits: vec![
                Edit::note(
                    "The tiles come off first. We compare three offers, and the plumber wants to \
                     see the pipes before he names a day. Everything is to be done by spring.",
                ),
                item("Compare three offers"),
                item("Order the tiles"),
                item("Ask the plumber for a day"),
                item("Two more sockets beside the mirror"),
                item("Paint the ceiling"),
            ],
        };
        let made = self.journal.create(WS, &new, &person()).await?;
        let mut items = made.made.iter().filter_map(|id| id.parse::<ItemId>().ok());
        let item = items.next().context("the journal made no item")?;
        let agent = NewAgent { by_name: true, ..NewAgent::default() };
        let context = RequestContext { actor: Actor::Owner, key: None };
        let agent = self.agents.create(WS, &made.task, &agent, &context).await?.doc.value.id;
        Ok(Watched { task: made.task, item, agent })
    }

    /// Ticks an item of a task, or unticks it; says when that was sent.
    pub async fn edit(&self, watched: &Watched, is_checked: bool) -> anyhow::Result<Timestamp> {
        let sent = self.clock.now();
        let edits = [Edit::CheckItem { item: watched.item.clone(), is_checked }];
        self.journal.edit(WS, &watched.task, &edits, &person()).await?;
        Ok(sent)
    }

    /// Edits every task and closes the merge window, so that every agent is due.
    pub async fn make_due(&self, watched: &[Watched], is_checked: bool) -> anyhow::Result<()> {
        for some in watched.chunks(AT_ONCE) {
            try_join_all(some.iter().map(|one| self.edit(one, is_checked))).await?;
        }
        self.route(WS).await?;
        self.clock.advance(merge_window(ModelClass::Free));
        Ok(())
    }

    /// Routes the feed of a workspace to its end.
    pub async fn route(&self, ws: WorkspaceId) -> anyhow::Result<()> {
        self.agents.route_feed(ws).await?;
        Ok(())
    }

    /// Serves with so many wakes at once in each node until so many runs have ended.
    ///
    /// Errors: a run did not complete, or the store failed.
    pub async fn serve(&self, at_once: usize, n_runs: usize) -> anyhow::Result<Served> {
        let nothing = async { Ok(()) }.boxed();
        self.serve_during(at_once, n_runs, nothing).await
    }

    /// The same, while something else runs concurrently.
    pub async fn serve_during(
        &self,
        at_once: usize,
        n_runs: usize,
        meanwhile: BoxFuture<'_, anyhow::Result<()>>,
    ) -> anyhow::Result<Served> {
        let (send, stop) = oneshot::channel::<()>();
        // Dropping the sender stops the services as well.
        let stop = stop.map(|_stopped| ()).boxed().shared();
        let progress = Arc::new(Mutex::new(Progress {
            served: Served { ended: Vec::new(), failed: Vec::new() },
            n_runs,
            running: Some(send),
        }));
        let serving = |scheduler: &Scheduler, offset: usize| {
            let options = Options { concurrency: at_once, offset };
            let (progress, clock) = (progress.clone(), self.clock.clone());
            let tell = move |event: Event| locked(&progress).take(event, clock.now());
            scheduler.stopping_on(stop.clone()).node(Until::Stopped(options)).run(tell)
        };
        let mut others = JoinSet::new();
        for (scheduler, n) in self.others.iter().zip(1..) {
            others.spawn(serving(scheduler, n * at_once));
        }
        let meanwhile = async {
            let done = meanwhile.await;
            if done.is_err() {
                locked(&progress).running = None;
            }
            done
        };
        let ((), done) = join(Box::pin(serving(&self.scheduler, 0)), meanwhile).await;
        while let Some(ended) = others.join_next().await {
            ended.context("the service of another node broke off")?;
        }
        done?;
        let served = std::mem::take(&mut locked(&progress).served);
        anyhow::ensure!(served.failed.is_empty(), "{}", served.failed.join("; "));
        Ok(served)
    }

    /// Lets all agents be due and runs them. Units: wakes per second, from the start of the service
    /// to the end of the last run.
    pub async fn rate(&self, at_once: usize, watched: &[Watched]) -> anyhow::Result<f64> {
        let began = self.clock.now();
        let served = self.serve(at_once, watched.len()).await?;
        let last = served.ended.iter().map(|(_, at)| *at).max().context("nothing ran")?;
        Ok(count(watched.len()) / seconds(began, last))
    }

    /// Edits the tasks in waves of what all nodes run at once, each after the one before it must have been served,
    /// while the service runs. Units: milliseconds from an edit being sent to its report being
    /// durable, less the merge window.
    pub async fn latencies(
        &self,
        at_once: usize,
        watched: &[Watched],
        is_checked: bool,
        wakes_per_second: f64,
    ) -> anyhow::Result<Vec<f64>> {
        let window = merge_window(ModelClass::Free);
        let wave = at_once * self.n_nodes();
        let gap = Duration::from_secs_f64(2.0 * count(wave) / wakes_per_second.max(1.0));
        let sent = Mutex::new(BTreeMap::new());
        let edits = async {
            for wave in watched.chunks(wave) {
                let next = self.clock.now() + gap;
                let edits = wave.iter().map(|one| self.edit(one, is_checked));
                for (one, at) in wave.iter().zip(try_join_all(edits).await?) {
                    let mut sent = sent.lock().unwrap_or_else(PoisonError::into_inner);
                    sent.insert(HolderId::from(&one.agent), at);
                }
                self.clock.sleep_until(next).await;
            }
            Ok(())
        };
        let served = self.serve_during(at_once, watched.len(), edits.boxed()).await?;
        let sent = sent.into_inner().unwrap_or_else(PoisonError::into_inner);
        let taken = served
            .ended
            .iter()
            .filter_map(|(holder, at)| Some(millis(*sent.get(holder)? + window, *at)));
        Ok(taken.collect())
    }
}

/// An edit of the person's.
pub fn person() -> EditCtx {
    EditCtx::new(Origin::Person { via: None }, Actor::Owner)
}

/// A count as a number to divide.
#[expect(clippy::cast_precision_loss, reason = "nothing here is counted in quadrillions")]
pub fn count(n: usize) -> f64 {
    n as f64
}
