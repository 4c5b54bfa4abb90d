//! The background work of a command: recovery before it, due wakes after it.

use std::collections::BTreeSet;
use std::future::pending;

use dormouse_agents::AgentError;
pub use dormouse_agents::wake::waiting::Scope as DrainScope;
use dormouse_agents::wake::waiting::WaitingAgents;
use dormouse_changes::recovery::Recovered;
use dormouse_scheduler::{Event, Until};
use dormouse_types::port::BoxFuture;
use dormouse_types::{AgentId, HolderId, Timestamp};
use futures_util::future::FutureExt as _;

use crate::view::RunOutcome;
use crate::{Dormouse, Error, WORKSPACE};

/// The result of a drain.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DrainReport {
    /// How many runs ended.
    pub ran: usize,
    /// How many agents have a waiting wake that may run now.
    pub waiting: usize,
    /// How many agents of the scope have a deferred wake.
    pub held: usize,
    /// When the first of those is due.
    pub held_until: Option<Timestamp>,
}

impl Dormouse {
    /// Completes what an earlier process left unfinished; returns one line for each.
    ///
    /// The caller holds the data folder's lock.
    pub async fn recover(&self) -> Result<Vec<String>, Error> {
        // This comes first, so that everything taken over belongs to the current store.
        let mut lines = self.notice_restored().await?;
        lines.extend(self.scheduler.take_over(WORKSPACE).await.map_err(AgentError::from)?);
        lines.extend(self.changes.recover(WORKSPACE).await?.into_iter().map(concluded));
        let removals = self.agents.finish_purges(WORKSPACE, self.clock.now()).await?;
        lines.extend(removals.into_iter().map(|line| line.unwrap_or_else(|why| why)));
        Ok(lines)
    }

    /// If a database was replaced, holds agent work until the person resumes it, and makes every agent
    /// read its task again. Returns the lines that say so.
    async fn notice_restored(&self) -> Result<Vec<String>, Error> {
        let mut lines = Vec::new();
        // Before the position moves, so that a start which is interrupted here holds what is left.
        if self.agents.is_restored(WORKSPACE).await? {
            let held = self.work.hold_all(WORKSPACE).await?;
            lines.extend(held.into_iter().map(|work| held_line(&work.title, work.next_due_at)));
        }
        lines.extend(self.agents.notice_restored(WORKSPACE).await?);
        // The person's clock may be set to another zone than when the program last ran.
        self.load_day_starts().await?;
        self.follow_zone().await?;
        Ok(lines)
    }

    /// Completes what nodes left unfinished that have been silent for the length of a lease;
    /// returns one line for each. Other nodes may be running.
    pub async fn recover_silent(&self) -> Result<Vec<String>, Error> {
        let mut lines = self.notice_restored().await?;
        let scheduler = &self.scheduler;
        lines.extend(scheduler.take_over_dead(&BTreeSet::new()).await.map_err(AgentError::from)?);
        let silent = scheduler.lease();
        lines.extend(
            self.changes.recover_older(WORKSPACE, silent).await?.into_iter().map(concluded),
        );
        let removals = self.agents.finish_purges(WORKSPACE, self.clock.now() - silent).await?;
        lines.extend(removals.into_iter().map(|line| line.unwrap_or_else(|why| why)));
        Ok(lines)
    }

    /// Routes the journal's changes and runs the wakes of a scope to their end.
    pub async fn drain(
        &self,
        scope: DrainScope,
        on_run: &mut (dyn FnMut(RunOutcome) + Send),
    ) -> Result<DrainReport, Error> {
        self.drain_until(scope, Box::pin(pending()), on_run).await
    }

    /// The same until `stop` completes: the current run is put back and continues at the next
    /// drain. It does not count as a crash.
    pub async fn drain_until(
        &self,
        scope: DrainScope,
        stop: BoxFuture<'static, ()>,
        on_run: &mut (dyn FnMut(RunOutcome) + Send),
    ) -> Result<DrainReport, Error> {
        let agents = self.agents.agents_in(WORKSPACE, &scope).await?;
        let only = agents.as_ref().map(|agents| {
            let others = scope.others.iter().cloned();
            agents.iter().map(HolderId::from).chain(others).collect::<Vec<_>>()
        });
        // Without a server nothing fires by a schedule.
        let scheduler = self.scheduler.firing_plans_only_as_a_node();
        let scheduler = scheduler.stopping_on(stop.shared());
        let mut node = scheduler.node(Until::Idle { ws: WORKSPACE, only });
        let mut ran = 0;
        while let Some(event) = node.next().await {
            match event {
                Event::Ran(one) => {
                    ran += 1;
                    // A run of another kind has no report and no proposals to count.
                    if AgentId::try_from(&one.holder).is_ok() {
                        on_run(self.finished_outcome(&one).await?);
                    }
                }
                Event::Failed(failure) => return Err(AgentError::from(failure.error).into()),
                // A drain recovers nothing, and the scheduler has logged the damage.
                Event::Recovered(_) | Event::Damaged(_) => {}
            }
        }
        let WaitingAgents { ready, mut held, .. } = self.agents.waiting(WORKSPACE).await?;
        held.retain(|(agent, _)| agents.as_ref().is_none_or(|agents| agents.contains(agent)));
        let held_until = held.iter().map(|(_, until)| *until).min();
        Ok(DrainReport { ran, waiting: ready.len(), held: held.len(), held_until })
    }
}

/// Says which agent work would run, had the data not been restored.
fn held_line(title: &str, next_due_at: Option<Timestamp>) -> String {
    let due = match next_due_at {
        Some(at) => format!("due at {}", at.to_jiff()),
        None => "which waits to start".to_owned(),
    };
    format!("agent work “{title}”, {due}, is held until you resume it")
}

fn concluded(one: Recovered) -> String {
    match one.error {
        None => format!("{} finished", one.tool),
        Some(error) => format!("{} stays open: {error}", one.tool),
    }
}
