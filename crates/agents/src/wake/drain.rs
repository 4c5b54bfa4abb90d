//! Runs what is due, on command or on schedule.
//!
//! A command does not wait for a merge window, but it respects what was deliberately put off: by a
//! back-off, an unavailable provider, "sleep until", or a time that a person set.

use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

use dormouse_runs::breaker::Gate;
use dormouse_runs::{End, Lease};
use dormouse_store::agent::agent_entity::Agent;
use dormouse_store::agent::wake_queue::{self, QueueEntry, Reason};
use dormouse_store::agent::{entity, subscription};
use dormouse_store::in_list;
use dormouse_types::port::ModelClass;
use dormouse_types::{AgentId, HolderId, TaskId, Timestamp, WorkspaceId};

use crate::error::readable;
use crate::task_agent::TaskAgent;
use crate::wake::claim::broken;
use crate::wake::route::{SHORTEST_WINDOW, merge_window};
use crate::{AgentError, Agents};

/// A run that ended in this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedRun {
    /// Holder that the run belongs to.
    pub holder: HolderId,
    /// The run as it was claimed.
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
    /// All agents whose wakes are due.
    pub all_due: bool,
}

/// Agents with a pending wake, by whether it may run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WaitingAgents {
    /// Agents that may run now.
    pub ready: Vec<AgentId>,
    /// Agents whose wakes are put off, and until when.
    pub held: Vec<(AgentId, Timestamp)>,
}

/// A drain under way.
#[derive(Debug, Default)]
pub struct Drain {
    agents: Vec<AgentId>,
    all_due: bool,
    ready: VecDeque<QueueEntry>,
    put_back: Vec<HolderId>,
}

impl Drain {
    /// Returns whether this drain runs the wakes of an agent.
    pub fn covers(&self, agent: &AgentId) -> bool {
        self.all_due || self.agents.contains(agent)
    }
}

impl Agents {
    /// Routes the feed to its end and runs the wakes of a scope, without waiting for merge windows.
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

    /// Determines whose wakes a drain runs.
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

    /// Runs the next wake of a drain. Returns `None` if nothing is left to run now, or if the
    /// program is to stop.
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
                // It has a time to wait for; running it again now would spin.
                drain.put_back.push(ran.holder.clone());
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
                rows.extend(self.store.first(wake_queue::of_holder(ws, agent)).await?);
            }
        }
        let (now, class) = (self.clock.now(), self.driver.model().class());
        rows.retain(|row| may_run(row, now, class) && !drain.put_back.contains(&row.holder));
        rows.sort_by(|a, b| {
            (a.priority, a.due_at, &a.holder).cmp(&(b.priority, b.due_at, &b.holder))
        });
        Ok(rows.into())
    }

    /// Drives one claimed run to its end.
    pub async fn run(&self, lease: Lease) -> Result<FinishedRun, AgentError> {
        let agent = AgentId::try_from(&lease.run.holder).map_err(broken)?;
        let mut handler = TaskAgent::new(self, agent, &lease);
        let end = self.driver.drive(&mut handler, &lease).await?;
        Ok(FinishedRun { holder: lease.run.holder.clone(), run: lease.run, end })
    }

    /// Returns the agents with a pending wake, in claim order.
    pub async fn waiting(&self, ws: WorkspaceId) -> Result<WaitingAgents, AgentError> {
        let (now, class) = (self.clock.now(), self.driver.model().class());
        let mut waiting = WaitingAgents::default();
        let rows = readable(self.store.each(wake_queue::waiting(ws)).await?);
        // A holder of another kind is not an agent that waits.
        let rows =
            rows.into_iter().filter_map(|row| Some((AgentId::try_from(&row.holder).ok()?, row)));
        let rows: Vec<(AgentId, QueueEntry)> = rows.collect();
        let agents: Vec<AgentId> = rows.iter().map(|(agent, _)| agent.clone()).collect();
        let known = self.readable_among(ws, &agents).await?;
        for (agent, row) in rows.into_iter().filter(|(agent, _)| known.contains(agent)) {
            if row.owner.is_some() || may_run(&row, now, class) {
                waiting.ready.push(agent);
            } else {
                waiting.held.extend(row.due_at.map(|due| (agent, due)));
            }
        }
        Ok(waiting)
    }

    /// The agents that exist and can be read, in one query per 200 agents.
    async fn readable_among(
        &self,
        ws: WorkspaceId,
        agents: &[AgentId],
    ) -> Result<BTreeSet<AgentId>, AgentError> {
        let mut known = BTreeSet::new();
        for some in agents.chunks(in_list::MOST) {
            let agents = readable(self.store.each(entity::some::<Agent>(ws, some)).await?);
            known.extend(agents.into_iter().map(|agent| agent.doc.value.id));
        }
        Ok(known)
    }
}

/// Returns whether a row of a drained agent may run now: it is due, a person asks for it, or only a
/// merge window holds it back.
fn may_run(row: &QueueEntry, now: Timestamp, class: ModelClass) -> bool {
    let Some(due) = row.due_at else { return false };
    if row.owner.is_some() {
        return false;
    }
    // An agent that was just unblocked becomes due within the shortest window.
    let is_due = due <= now + SHORTEST_WINDOW;
    let is_asked = row.reasons.iter().any(|reason| !reason.is_automatic());
    is_due || is_asked || only_merges(row, due, now, merge_window(class))
}

/// Returns whether a row only waits for further changes to merge. A run that was put back waits for
/// its provider, a timer may be a back-off, and a sleep has its own end.
fn only_merges(row: &QueueEntry, due: Timestamp, now: Timestamp, window: Duration) -> bool {
    let sleeps = row.sleep_until.is_some_and(|until| until > now);
    let was_put_off = row.run_key.is_some() || row.reasons.contains(&Reason::Timer) || sleeps;
    // An old signal may have been given a due time just now, and by another process's clock its
    // window may end later.
    let since = row.first_signal_at.unwrap_or(now);
    !was_put_off && (due <= now + window || due <= since + window)
}
