//! Runs what is due: because of one command, or because its time came.
//!
//! A command does not wait for a merge window, but what was put off stays put off: by a back-off, by
//! a provider that is away, by "sleep until", by a time that a person set.

use std::collections::VecDeque;
use std::time::Duration;

use dormouse_runs::breaker::Gate;
use dormouse_runs::{End, Lease};
use dormouse_store::agent::agent_entity::Agent;
use dormouse_store::agent::wake_queue::{self, QueueEntry, Reason};
use dormouse_store::agent::{entity, subscription};
use dormouse_types::port::ModelClass;
use dormouse_types::{AgentId, Id as _, TaskId, Timestamp, WorkspaceId};

use crate::error::readable;
use crate::task_agent::TaskAgent;
use crate::wake::route::{SHORTEST_WINDOW, merge_window};
use crate::{AgentError, Agents};

/// A run that ended in this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedRun {
    /// The agent.
    pub agent: AgentId,
    /// The run.
    pub run: dormouse_store::agent::wake_run::Run,
    /// How it ended.
    pub end: End,
}

/// Whose wakes a drain runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scope {
    /// The agents of these tasks.
    pub tasks: Vec<TaskId>,
    /// These agents.
    pub agents: Vec<AgentId>,
    /// Whoever waits for nothing but to be run.
    pub all_due: bool,
}

/// Whoever has a wake that waits, by what it waits for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WaitingAgents {
    /// These may run now.
    pub ready: Vec<AgentId>,
    /// The wakes of these were put off until then.
    pub held: Vec<(AgentId, Timestamp)>,
}

/// A drain under way.
#[derive(Debug, Default)]
pub struct Drain {
    agents: Vec<AgentId>,
    all_due: bool,
    ready: VecDeque<QueueEntry>,
    put_back: Vec<AgentId>,
}

impl Drain {
    /// Whether the wakes of an agent are among those that this drain runs.
    pub fn covers(&self, agent: &AgentId) -> bool {
        self.all_due || self.agents.contains(agent)
    }
}

impl Agents {
    /// Routes the feed to its end and runs the wakes of a scope, merge windows counted as closed.
    pub async fn drain(
        &self,
        ws: WorkspaceId,
        scope: &Scope,
        mut on_run: impl FnMut(&FinishedRun),
    ) -> Result<(), AgentError> {
        let mut drain = self.begin_drain(ws, scope).await?;
        while let Some(ran) = self.drain_next(ws, &mut drain).await? {
            on_run(&ran);
        }
        Ok(())
    }

    /// Finds out whose wakes a drain runs.
    pub async fn begin_drain(&self, ws: WorkspaceId, scope: &Scope) -> Result<Drain, AgentError> {
        let mut agents = scope.agents.clone();
        for task in &scope.tasks {
            let watchers = self.store.all(subscription::of_task(ws, task)).await?;
            agents.extend(watchers.into_iter().map(|watcher| watcher.agent));
        }
        agents.sort();
        agents.dedup();
        Ok(Drain { agents, all_due: scope.all_due, ..Drain::default() })
    }

    /// Runs the next wake of a drain; none when nothing is left to run now, or the program is to stop.
    pub async fn drain_next(
        &self,
        ws: WorkspaceId,
        drain: &mut Drain,
    ) -> Result<Option<FinishedRun>, AgentError> {
        loop {
            if self.is_stopping() {
                return Ok(None);
            }
            if drain.ready.is_empty() {
                self.route_feed(ws).await?;
                self.fire_timers(ws).await?;
                drain.ready = self.candidates(ws, drain).await?;
            }
            let Some(row) = drain.ready.pop_front() else { return Ok(None) };
            let Some(lease) = self.claim(ws, &row).await? else { continue };
            let ran = self.run_alive(lease).await?;
            if matches!(ran.end, End::PutBack { .. } | End::Away { .. }) {
                // It waits for its time; running it at once would spin.
                drain.put_back.push(ran.agent.clone());
            }
            return Ok(Some(ran));
        }
    }

    async fn candidates(
        &self,
        ws: WorkspaceId,
        drain: &Drain,
    ) -> Result<VecDeque<QueueEntry>, AgentError> {
        let mut rows = Vec::new();
        if matches!(self.gate(ws).await?, Gate::Closed { .. }) {
            return Ok(rows.into());
        }
        if drain.all_due {
            rows = readable(self.store.each(wake_queue::waiting(ws)).await?);
        } else {
            for agent in &drain.agents {
                rows.extend(self.store.first(wake_queue::of_agent(ws, agent)).await?);
            }
        }
        let (now, class) = (self.clock.now(), self.driver.model().class());
        rows.retain(|row| may_run(row, now, class) && !drain.put_back.contains(&row.agent));
        rows.sort_by(|a, b| {
            (a.priority, a.due_at, &a.agent).cmp(&(b.priority, b.due_at, &b.agent))
        });
        Ok(rows.into())
    }

    /// Drives one claimed run to its end.
    pub async fn run(&self, lease: Lease) -> Result<FinishedRun, AgentError> {
        let work = TaskAgent::new(self);
        let end = self.driver.drive(&work, &lease).await?;
        Ok(FinishedRun { agent: lease.run.agent.clone(), run: lease.run, end })
    }

    /// Whoever has a wake that waits, in claim order.
    pub async fn waiting(&self, ws: WorkspaceId) -> Result<WaitingAgents, AgentError> {
        let (now, class) = (self.clock.now(), self.driver.model().class());
        let mut waiting = WaitingAgents::default();
        for row in readable(self.store.each(wake_queue::waiting(ws)).await?) {
            let agent = entity::each(entity::by_id::<Agent>(ws, row.agent.as_str()));
            match self.store.first(agent).await? {
                Some(Ok(_)) if row.owner.is_some() || may_run(&row, now, class) => {
                    waiting.ready.push(row.agent);
                }
                Some(Ok(_)) => waiting.held.extend(row.due_at.map(|due| (row.agent, due))),
                Some(Err(damaged)) => tracing::error!(%damaged, "an agent cannot be read"),
                None => {}
            }
        }
        Ok(waiting)
    }
}

/// Whether a row of a drained agent may run now: it is due, a person asks for it, or nothing but a
/// merge window is open.
fn may_run(row: &QueueEntry, now: Timestamp, class: ModelClass) -> bool {
    let Some(due) = row.due_at else { return false };
    if row.owner.is_some() {
        return false;
    }
    // Who was let run again is due within the shortest window.
    let is_due = due <= now + SHORTEST_WINDOW;
    let is_asked = row.reasons.iter().any(|reason| !reason.is_automatic());
    is_due || is_asked || only_merges(row, due, now, merge_window(class))
}

/// Whether a row waits for nothing but further changes. A run that was put back waits for its
/// provider, a timer may be a back-off, and a sleep ends when it ends.
fn only_merges(row: &QueueEntry, due: Timestamp, now: Timestamp, window: Duration) -> bool {
    let sleeps = row.sleep_until.is_some_and(|until| until > now);
    let was_put_off = row.run_key.is_some() || row.reasons.contains(&Reason::Timer) || sleeps;
    // One that was noted long ago may have been given a due time just now; and by the clock of
    // another process its window may end later.
    let since = row.first_signal_at.unwrap_or(now);
    !was_put_off && (due <= now + window || due <= since + window)
}
