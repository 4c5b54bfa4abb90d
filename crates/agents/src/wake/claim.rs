//! Claiming a wake: lease, epoch, run row and frozen interval in one commit.

use dormouse_runs::Lease;
use dormouse_runs::lease::until;
use dormouse_runs::status::{Event, after};
use dormouse_store::agent::agent_entity::{Agent, Lifecycle, State, own_subscription};
use dormouse_store::agent::entity;
use dormouse_store::agent::wake_queue::{self, Claim, Reason, Sleeper};
use dormouse_store::agent::wake_run::{self, Run, Status};
use dormouse_store::{ChangeRow, Commit, Db, ReadError, Refusal, change_log};
use dormouse_types::{Id as _, Origin, Seq, ThreadId, WorkspaceId};

use crate::wake::key::{Cause, run_key, strongest};
use crate::{AgentError, Agents};

impl Agents {
    /// Claims the wake of a row as it was read; none when somebody else was faster.
    pub async fn claim(&self, ws: WorkspaceId, row: &Sleeper) -> Result<Option<Lease>, AgentError> {
        let now = self.clock.now();
        let agent = entity::each(entity::by_id::<Agent>(ws, row.agent.as_str()));
        if let Some(Ok(agent)) = self.store.first(agent).await?
            && agent.doc.value.lifecycle == Lifecycle::Destroyed
        {
            // Destroyed while its run was under way: what is left of it is never taken up.
            let spent = wake_queue::silence(ws, &row.agent);
            self.store.commit(Commit::new("run.spent", Db::Agent, ws).op(spent)).await?;
            return Ok(None);
        }
        let run = match &row.run_key {
            Some(key) => self.store.first(wake_run::by_key(ws, key)).await?,
            None => None,
        };
        let (run, ops) = match run {
            Some(run) => {
                let to = after(run.status, Event::Resumed)
                    .map_err(|e| dormouse_runs::WorkError::Broken(e.to_string()))?;
                let claim = Claim {
                    agent: &row.agent,
                    epoch: row.epoch,
                    owner: &self.owner,
                    expires_at: until(now),
                    run_key: &run.key,
                };
                let epoch = row.epoch + 1;
                let ops = vec![
                    wake_queue::reclaim(ws, &claim),
                    wake_run::requeue(ws, &run.key, run.status, to, epoch, row.crashes),
                ];
                let run = Run {
                    status: to,
                    epoch,
                    crashes: row.crashes,
                    started_at: Some(now),
                    ..run.clone()
                };
                (run, ops)
            }
            None => {
                let run = self.fresh_run(ws, row).await?;
                let claim = Claim {
                    agent: &row.agent,
                    epoch: row.epoch,
                    owner: &self.owner,
                    expires_at: until(now),
                    run_key: &run.key,
                };
                let ops = vec![wake_queue::claim(ws, &claim), wake_run::insert(ws, &run)];
                (run, ops)
            }
        };
        let origin = Origin::Agent { agent: row.agent.clone() };
        let commit = Commit::new("run.claim", Db::Agent, ws).ops(ops).change(ChangeRow::agent(
            origin,
            "agent:wake",
            None,
            run.key.as_str(),
        ));
        match self.store.commit(commit).await {
            Ok(_) => Ok(Some(Lease { ws, owner: self.owner.clone(), run })),
            Err(error) if error.refusal() == Some(Refusal::LeaseLost) => Ok(None),
            Err(error) if error.refusal() == Some(Refusal::Exists) => {
                // The same delivery again: it was run, so its signals are spent.
                tracing::warn!(agent = %row.agent, run_key = %run.key, "wake delivered twice");
                let spent = wake_queue::silence(ws, &row.agent);
                self.store.commit(Commit::new("run.spent", Db::Agent, ws).op(spent)).await?;
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn fresh_run(&self, ws: WorkspaceId, row: &Sleeper) -> Result<Run, AgentError> {
        let now = self.clock.now();
        let processed = match self.state(ws, &row.agent).await {
            Ok(state) => self.processed(&state.value),
            // The run of a damaged agent fails and says why; it must begin for that.
            Err(AgentError::Read(ReadError::Corrupt { .. })) => Seq(0),
            Err(error) => return Err(error),
        };
        let reason = strongest(&row.reasons);
        let head = self.store.first(change_log::head(Db::Journal, ws)).await?.unwrap_or_default();
        let due = row.due_at.unwrap_or(now);
        let (cause, reason_id, upto) = match reason {
            Reason::Subscription => {
                let upto = row.upto.max(processed);
                let id = own_subscription(&row.agent).to_string();
                (Cause::Subscription { processed, upto }, id, upto)
            }
            Reason::Timer => (Cause::Timer { scheduled_at: due }, due.micros().to_string(), head),
            Reason::Creation => (Cause::Creation, "creation".into(), head),
            Reason::Reanalysis | Reason::UserInitiated => {
                let id = row.request_id.clone().unwrap_or_else(|| due.micros().to_string());
                (Cause::Request { id: id.clone() }, id, head)
            }
        };
        let initiator = match reason {
            Reason::Reanalysis | Reason::UserInitiated => "person",
            Reason::Creation | Reason::Timer | Reason::Subscription => "automation",
        };
        Ok(Run {
            key: run_key(&row.agent, &cause),
            agent: row.agent.clone(),
            reason: reason.name().into(),
            reason_id: Some(reason_id),
            initiator: initiator.into(),
            thread: ThreadId::fresh(now, &*self.entropy),
            status: Status::Started,
            logical_change_key: Some(format!("{processed}-{upto}")),
            processed,
            upto,
            message_id: row.message_id.clone(),
            epoch: row.epoch + 1,
            crashes: 0,
            model: Some(self.driver.model().name().to_owned()),
            cut: false,
            created_at: now,
            started_at: Some(now),
            completed_at: None,
            error: None,
        })
    }

    /// What the agent's last completed run had seen of this journal.
    pub(crate) fn processed(&self, state: &State) -> Seq {
        let host = self.store.host(Db::Journal);
        Seq(state.processed_counter_by_host.get(host.as_str()).copied().unwrap_or(0))
    }
}
