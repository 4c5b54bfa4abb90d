//! The background work of a command: recovery before it, due wakes after it.

use std::collections::BTreeSet;
use std::future::pending;

use dormouse_agents::AgentError;
use dormouse_agents::wake::waiting::{Scope, WaitingAgents};
use dormouse_changes::recovery::Recovered;
use dormouse_runs::RunError;
use dormouse_scheduler::{Event, FinishedRun, Until};
use dormouse_store::agent::report;
use dormouse_types::port::BoxFuture;
use dormouse_types::{AgentId, Caller, HolderId, TaskId, Timestamp};
use futures_util::future::FutureExt as _;

use crate::serve::outcome;
use crate::view::RunOutcome;
use crate::{Dormouse, Error, WORKSPACE};

/// Whose wakes a drain runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DrainScope {
    /// The agents of these tasks.
    pub tasks: Vec<TaskId>,
    /// These agents.
    pub agents: Vec<AgentId>,
    /// All agents that are ready to run.
    pub all_due: bool,
}

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
        let mut told: Vec<String> =
            self.agents.notice_restored(WORKSPACE).await?.into_iter().collect();
        told.extend(self.agents.scheduler().take_over(WORKSPACE).await.map_err(AgentError::from)?);
        told.extend(self.changes.recover(WORKSPACE).await?.into_iter().map(concluded));
        Ok(told)
    }

    /// Completes what nodes left unfinished that have been silent for the length of a lease;
    /// returns one line for each. Other nodes may be running.
    pub async fn recover_silent(&self) -> Result<Vec<String>, Error> {
        let mut told: Vec<String> =
            self.agents.notice_restored(WORKSPACE).await?.into_iter().collect();
        let scheduler = self.agents.scheduler();
        told.extend(scheduler.take_over_dead(&BTreeSet::new()).await.map_err(AgentError::from)?);
        let silent = self.agents.lease();
        told.extend(
            self.changes.recover_older(WORKSPACE, silent).await?.into_iter().map(concluded),
        );
        Ok(told)
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
        let scope = Scope { tasks: scope.tasks, agents: scope.agents, all_due: scope.all_due };
        let agents = self.agents.agents_in(WORKSPACE, &scope).await?;
        let only =
            agents.as_ref().map(|agents| agents.iter().map(HolderId::from).collect::<Vec<_>>());
        let scheduler = self.agents.scheduler().stopping_on(stop.shared());
        let mut node = scheduler.node(Until::Idle { ws: WORKSPACE, only });
        let mut ran = 0;
        while let Some(event) = node.next().await {
            match event {
                Event::Ran(one) => {
                    ran += 1;
                    on_run(self.run_outcome(&one).await?);
                }
                Event::Failed(failure) => return Err(AgentError::from(failure.error).into()),
                // A drain recovers nothing, and the scheduler has logged the damage.
                Event::Recovered(_) | Event::Damaged(_) => {}
            }
        }
        let WaitingAgents { ready, mut held } = self.agents.waiting(WORKSPACE).await?;
        held.retain(|(agent, _)| agents.as_ref().is_none_or(|agents| agents.contains(agent)));
        let held_until = held.iter().map(|(_, until)| *until).min();
        Ok(DrainReport { ran, waiting: ready.len(), held: held.len(), held_until })
    }

    async fn run_outcome(&self, ran: &FinishedRun) -> Result<RunOutcome, Error> {
        let caller = Caller::owner(WORKSPACE);
        let id = AgentId::try_from(&ran.holder)
            .map_err(|other| AgentError::from(RunError::Broken(other.to_string())))?;
        let agent = match self.agent(&caller, &id).await {
            Ok(agent) => Some(agent),
            // The failed run states its reason; the other runs are still reported.
            Err(error) if error.is_damage() => None,
            Err(error) => return Err(error),
        };
        let task = agent.as_ref().and_then(|agent| agent.slots.active_task_id.clone());
        let proposals = match &task {
            None => 0,
            Some(task) => {
                let sets = self.change_sets(&caller, Some(task.clone()), true).await;
                // A task deleted meanwhile has no open proposals.
                sets.unwrap_or_default()
                    .into_iter()
                    .filter(|set| set.run_key == ran.run.key.as_str())
                    .map(|set| set.items.len())
                    .sum()
            }
        };
        let thread = Some(ran.run.thread.clone());
        let messages = match &agent {
            Some(_) => self.messages(&caller, &id, thread, 10_000).await?,
            None => Vec::new(),
        };
        let report = self
            .agents
            .latest_report(WORKSPACE, &id)
            .await?
            .is_some_and(|report: report::Report| report.provenance["runKey"] == ran.run.key.0);
        let (status, error) = outcome(&ran.end);
        Ok(RunOutcome {
            run_key: ran.run.key.clone(),
            agent_id: id,
            agent_name: agent.as_ref().map(|a| a.display_name.clone()).unwrap_or_default(),
            task_id: task,
            task_title: agent.and_then(|agent| agent.task_title).unwrap_or_default(),
            status: status.into(),
            error,
            report,
            proposals,
            observations: messages.iter().filter(|message| message.kind == "observation").count(),
        })
    }
}

fn concluded(one: Recovered) -> String {
    match one.error {
        None => format!("{} finished", one.tool),
        Some(error) => format!("{} stays open: {error}", one.tool),
    }
}
