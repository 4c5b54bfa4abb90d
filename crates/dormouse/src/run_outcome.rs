//! What a run led to, for a caller that waited for it.

use dormouse_agents::AgentError;
use dormouse_runs::RunError;
use dormouse_scheduler::FinishedRun;
use dormouse_store::agent::report::Report;
use dormouse_store::agent::wake_run::{self, Run};
use dormouse_types::agent::{MessageKind, RunStatus};
use dormouse_types::{AgentId, Caller, RunKey, Scope, WorkspaceId};

use crate::request::require;
use crate::serve::outcome;
use crate::view::RunOutcome;
use crate::{Dormouse, Error, WORKSPACE};

/// Units: messages of one run that are searched for observations.
const MAX_MESSAGES: usize = 10_000;

impl Dormouse {
    /// What a run of an agent led to, as far as it has come.
    pub async fn wake_outcome(
        &self,
        caller: &Caller,
        id: &AgentId,
        key: &RunKey,
    ) -> Result<RunOutcome, Error> {
        require(caller, Scope::Read)?;
        let run = self.store.first(wake_run::by_key(caller.workspace, key)).await?;
        let run = run
            .filter(|run| run.holder == *id)
            .ok_or_else(|| Error::NotFound { what: "run", id: key.to_string() })?;
        let (status, error) = (run.status, run.error.clone());
        self.outcome_of(caller.workspace, id, &run, status, error).await
    }

    /// What a run led to that ended in this process.
    pub(crate) async fn finished_outcome(&self, ran: &FinishedRun) -> Result<RunOutcome, Error> {
        let id = AgentId::try_from(&ran.holder)
            .map_err(|other| AgentError::from(RunError::Broken(other.to_string())))?;
        let (status, mut error) = outcome(&ran.end);
        if status == RunStatus::Skipped {
            // Its row says why, if there was something to do that could not be sent.
            let row = self.store.first(wake_run::by_key(WORKSPACE, &ran.run.key)).await?;
            error = row.and_then(|run| run.error);
        }
        self.outcome_of(WORKSPACE, &id, &ran.run, status, error).await
    }

    async fn outcome_of(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        run: &Run,
        status: RunStatus,
        error: Option<String>,
    ) -> Result<RunOutcome, Error> {
        let agent = match self.queries.agent(ws, id).await.map_err(Error::from) {
            Ok(agent) => Some(agent),
            // The failed run states its reason; the other runs are still reported.
            Err(error) if error.is_damage() => None,
            Err(error) => return Err(error),
        };
        let task = agent.as_ref().and_then(|agent| agent.slots.active_task_id.clone());
        let proposals = match &task {
            None => 0,
            Some(task) => {
                let sets = self.queries.change_sets(ws, Some(task.clone()), true).await;
                let sets = match sets.map_err(Error::from) {
                    // A task deleted meanwhile has no open proposals, and those of a damaged one
                    // cannot be counted: the failed run states the damage.
                    Err(Error::NotFound { .. }) => Vec::new(),
                    Err(error) if error.is_damage() => Vec::new(),
                    sets => sets?,
                };
                let own = sets.into_iter().filter(|set| set.run_key == run.key.as_str());
                own.map(|set| set.items.len()).sum()
            }
        };
        let messages = match &agent {
            Some(_) => {
                let thread = Some(run.thread.clone());
                self.queries.messages(ws, id, thread, MAX_MESSAGES).await?
            }
            None => Vec::new(),
        };
        let report = self.agents.latest_report(ws, id).await?;
        let is_of_run = |report: Report| report.provenance["runKey"] == run.key.0;
        Ok(RunOutcome {
            run_key: run.key.clone(),
            agent_id: id.clone(),
            agent_name: agent.as_ref().map(|a| a.display_name.clone()).unwrap_or_default(),
            task_id: task,
            task_title: agent.and_then(|agent| agent.task_title).unwrap_or_default(),
            status,
            error,
            report: report.is_some_and(is_of_run),
            proposals,
            observations: messages
                .iter()
                .filter(|message| message.kind == MessageKind::Observation)
                .count(),
        })
    }
}
