//! Claiming a wake: lease, epoch, run row and frozen interval in one commit.

use dormouse_runs::Lease;
use dormouse_runs::breaker::{Gate, gate, probing};
use dormouse_runs::status::{Event, after};
use dormouse_store::agent::agent_entity::{Agent, DormantReason, Lifecycle, own_subscription};
use dormouse_store::agent::entity::Stored;
use dormouse_store::agent::wake_queue::{self, Claim, QueueEntry, Reason};
use dormouse_store::agent::wake_run::{self, Run, Status};
use dormouse_store::agent::{breaker, entity};
use dormouse_store::journal::fence;
use dormouse_store::{ChangeRow, Commit, CommitError, Db, Op, ReadError, Refusal, change_log};
use dormouse_types::{
    AgentId, HostId, Id as _, Origin, Seq, ThreadId, Timestamp, WorkspaceId, limits,
};

use crate::inbox::UnheardRange;
use crate::wake::key::{Cause, run_key, strongest};
use crate::wake::route::is_automatic;
use crate::{AgentError, Agents};

/// What stands in the way of a wake that is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Obstacle {
    /// It never runs again.
    Destroyed,
    /// It does not run now; who lets it run again makes it due.
    Held,
    /// Its interrupted run may not go on by itself, but a person asks for another one.
    Outranked,
}

/// Decides whether an agent may run what waits for it.
fn obstacle(
    agent: &Agent,
    is_automatic: bool,
    reasons: &[Reason],
    run: Option<&Run>,
    waiting: UnheardRange,
) -> Option<Obstacle> {
    let by_itself = match run {
        Some(run) => run.initiator == AUTOMATION,
        None => is_unattended(reasons, waiting),
    };
    match agent.lifecycle {
        Lifecycle::Destroyed => Some(Obstacle::Destroyed),
        Lifecycle::Dormant => Some(Obstacle::Held),
        Lifecycle::Created | Lifecycle::Active if by_itself && !is_automatic => {
            let is_asked = reasons.iter().any(|reason| !reason.is_automatic());
            Some(if is_asked { Obstacle::Outranked } else { Obstacle::Held })
        }
        Lifecycle::Created | Lifecycle::Active => None,
    }
}

/// Whether nobody asked for the run that begins: a later try of one that failed is asked for as long
/// as it has words of a person to hear.
fn is_unattended(reasons: &[Reason], waiting: UnheardRange) -> bool {
    waiting.is_empty() && reasons.iter().all(|reason| reason.is_automatic())
}

/// What a fresh run is decided on beside its row: a damaged agent runs, fails and says why.
struct ClaimContext {
    processed: Seq,
    /// Which journal that counts in, for an agent that has known another one.
    journal: Option<HostId>,
    words: UnheardRange,
}

/// The initiator of a run that nobody asked for.
pub(crate) const AUTOMATION: &str = "automation";

impl Agents {
    /// Whether the provider of the model may be asked, by the rows of a workspace.
    pub async fn gate(&self, ws: WorkspaceId) -> Result<Gate, AgentError> {
        let provider = self.driver.model().provider();
        let known = self.store.first(breaker::of_provider(ws, provider)).await?;
        Ok(gate(known.as_ref(), self.clock.now()))
    }

    /// Claims the wake of a row as it was read; none when it may not run now, or somebody else was
    /// faster.
    pub async fn claim(
        &self,
        ws: WorkspaceId,
        row: &QueueEntry,
    ) -> Result<Option<Lease>, AgentError> {
        let now = self.clock.now();
        let waiting = match &row.run_key {
            Some(key) => self.store.first(wake_run::by_key(ws, key)).await?,
            None => None,
        };
        let before = self.claim_context(ws, &row.agent).await?;
        if waiting.as_ref().is_some_and(|run| run.status != Status::Queued)
            && self.has_moved(ws, row).await?
        {
            return Ok(None);
        }
        if waiting.as_ref().is_some_and(|run| is_over(run.status)) {
            // Its run ended without it, with a store that was restored: nothing is left to resume.
            self.drop_run(ws, row).await?;
            return Ok(None);
        }
        let agent = entity::each(entity::by_id::<Agent>(ws, row.agent.as_str()));
        let mut ops: Vec<Op> = Vec::new();
        // The run of a damaged agent fails and says why; it must begin for that.
        if let Some(Ok(mut agent)) = self.store.first(agent).await? {
            ops.extend(self.wake_with_restored_task(ws, &mut agent, now).await?);
            let value = &agent.doc.value;
            let automatic = is_automatic(value, self.driver.model().class());
            let (reasons, run) = (&row.reasons, waiting.as_ref());
            if let Some(obstacle) = obstacle(value, automatic, reasons, run, before.words) {
                self.park(ws, row, &agent, waiting, obstacle).await?;
                return Ok(None);
            }
        }
        let provider = self.driver.model().provider();
        let known = self.store.first(breaker::of_provider(ws, provider)).await?;
        match gate(known.as_ref(), now) {
            Gate::Free => {}
            Gate::Closed { .. } => return Ok(None),
            Gate::Probe => {
                let probe =
                    known.as_ref().map(|known| breaker::put(ws, Some(known), &probing(known, now)));
                ops.extend(probe);
            }
        }
        let run = match waiting {
            Some(run) => {
                // Whoever held it before may be alive: nothing of it is written from here on.
                self.raise_fence(ws, row, row.epoch + 1).await?;
                if row.crashes >= limits::CRASHES_TO_ABANDON {
                    self.abandon(ws, row, &run).await?;
                    return Ok(None);
                }
                self.resumed(ws, row, run, now, &mut ops)?
            }
            None => {
                let run = self.fresh_run(ws, row, &before).await?;
                ops.push(wake_queue::unchanged(ws, row));
                ops.push(wake_queue::claim(ws, &self.new_claim(row, &run)));
                ops.push(wake_run::insert(ws, &run));
                run
            }
        };
        let commit = Commit::new("run.claim", Db::Agent, ws)
            .ops(ops)
            .change(wake_event(row, run.key.as_str()));
        match self.store.commit(commit).await {
            Ok(_) => Ok(Some(Lease { ws, owner: self.owner.clone(), lasts: self.lease, run })),
            Err(error) if matches!(error.refusal(), Some(Refusal::LeaseLost | Refusal::Stale)) => {
                Ok(None)
            }
            Err(error) if error.refusal() == Some(Refusal::Exists) => {
                // The same delivery again: it was run, so its signals are spent.
                tracing::warn!(agent = %row.agent, run_key = %run.key, "wake delivered twice");
                self.clear_signals(ws, row, before.words).await?;
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Whether somebody claimed, gave back or took over a lease since its row was read: a run that
    /// was read behind the row then may be further than the row says.
    pub(crate) async fn has_moved(
        &self,
        ws: WorkspaceId,
        row: &QueueEntry,
    ) -> Result<bool, AgentError> {
        let now = self.store.first(wake_queue::of_agent(ws, &row.agent)).await?;
        Ok(now.is_none_or(|now| (&now.owner, now.epoch) != (&row.owner, row.epoch)))
    }

    fn new_claim<'a>(&'a self, row: &'a QueueEntry, run: &'a Run) -> Claim<'a> {
        Claim {
            agent: &row.agent,
            epoch: row.epoch,
            owner: &self.owner,
            lasts: self.lease,
            run_key: &run.key,
        }
    }

    fn resumed(
        &self,
        ws: WorkspaceId,
        row: &QueueEntry,
        run: Run,
        now: Timestamp,
        ops: &mut Vec<Op>,
    ) -> Result<Run, AgentError> {
        let to = after(run.status, Event::Resumed).map_err(broken)?;
        let epoch = row.epoch + 1;
        ops.push(wake_queue::reclaim(ws, &self.new_claim(row, &run)));
        ops.push(wake_run::requeue(ws, &run.key, run.status, to, epoch, row.crashes));
        Ok(Run { status: to, epoch, crashes: row.crashes, started_at: Some(now), ..run })
    }

    /// What waits for an agent that may not run is kept until it may, or forgotten for good.
    async fn park(
        &self,
        ws: WorkspaceId,
        row: &QueueEntry,
        agent: &Stored<Agent>,
        waiting: Option<Run>,
        obstacle: Obstacle,
    ) -> Result<(), AgentError> {
        match (obstacle, waiting) {
            (Obstacle::Held, _) | (Obstacle::Outranked, None) => {
                // Guarded by what was read: who asks, or lets it run, in this moment makes it due.
                let hold = Commit::new("run.hold", Db::Agent, ws)
                    .op(wake_queue::unchanged(ws, row))
                    .op(entity::replace(ws, agent))
                    .op(wake_queue::park(ws, &row.agent));
                match self.store.commit(hold).await {
                    Err(error)
                        if matches!(error.refusal(), Some(Refusal::Stale | Refusal::LeaseLost)) =>
                    {
                        Ok(())
                    }
                    other => other.map(|_| ()).map_err(Into::into),
                }
            }
            (Obstacle::Destroyed, None) => self.clear_signals(ws, row, UnheardRange::NOTHING).await,
            (Obstacle::Destroyed, Some(run)) => {
                self.end_waiting(ws, row, &run, "the agent was destroyed", Vec::new()).await
            }
            (Obstacle::Outranked, Some(run)) => {
                self.end_waiting(ws, row, &run, "a person asked for another one", Vec::new()).await
            }
        }
    }

    /// Lets go of a run that is over; what waits beside it stays.
    async fn drop_run(&self, ws: WorkspaceId, row: &QueueEntry) -> Result<(), AgentError> {
        let dropped = Commit::new("run.spent", Db::Agent, ws).op(wake_queue::abandon(ws, row));
        match self.store.commit(dropped).await {
            Err(error) if error.refusal() == Some(Refusal::LeaseLost) => Ok(()),
            other => other.map(|_| ()).map_err(Into::into),
        }
    }

    /// Clears signals that were run already. Words that wait are signalled anew, under a key that no
    /// run has had.
    async fn clear_signals(
        &self,
        ws: WorkspaceId,
        row: &QueueEntry,
        words: UnheardRange,
    ) -> Result<(), AgentError> {
        let again = (!words.is_empty()).then(|| self.hear(ws, &row.agent, row.upto));
        let spent = Commit::new("run.spent", Db::Agent, ws)
            .op(wake_queue::unchanged(ws, row))
            .op(wake_queue::clear_signals(ws, &row.agent))
            .ops(again);
        match self.store.commit(spent).await {
            // Something else came meanwhile: it is looked at again.
            Err(error) if error.refusal() == Some(Refusal::LeaseLost) => Ok(()),
            other => other.map(|_| ()).map_err(Into::into),
        }
    }

    /// Wakes an agent that sleeps because its task was deleted, and whose task is back: it may have
    /// fallen asleep when the restoring had been routed already. Gives what that writes.
    async fn wake_with_restored_task(
        &self,
        ws: WorkspaceId,
        agent: &mut Stored<Agent>,
        now: Timestamp,
    ) -> Result<Option<Op>, AgentError> {
        if agent.doc.value.dormant_reason != Some(DormantReason::TaskDeleted) {
            return Ok(None);
        }
        let state = self.state(ws, &agent.doc.value.id).await?;
        let Some(task) = state.value.slots.active_task_id else { return Ok(None) };
        if self.journal.task(ws, &task).await?.deleted_at().is_some() {
            return Ok(None);
        }
        agent.doc.value.lifecycle = Lifecycle::Active;
        agent.doc.value.dormant_reason = None;
        agent.doc.value.updated_at = now;
        Ok(Some(entity::replace(ws, agent)))
    }

    /// Lets nothing of an owner with a lower epoch into the journal from here on.
    pub(crate) async fn raise_fence(
        &self,
        ws: WorkspaceId,
        row: &QueueEntry,
        epoch: i64,
    ) -> Result<(), AgentError> {
        let raise = Commit::new("fence.raise", Db::Journal, ws).ops(fence::pass(
            ws,
            row.agent.as_str(),
            epoch,
        ));
        match self.store.commit(raise).await {
            // Somebody raised it higher: the claim that follows is refused.
            Err(error) if error.refusal() == Some(Refusal::Fenced) => Ok(()),
            other => other.map(|_| ()).map_err(Into::into),
        }
    }

    /// Ends a run that crashed too often; it counts as a failure of its agent.
    pub(crate) async fn abandon(
        &self,
        ws: WorkspaceId,
        row: &QueueEntry,
        run: &Run,
    ) -> Result<(), AgentError> {
        let error = format!("given up after {} crashes", row.crashes);
        let mut attempt = 0;
        loop {
            let ops = match self.failure_ops(ws, &row.agent).await {
                // A damaged agent has no counter to raise; the run itself says why.
                Err(AgentError::Read(ReadError::Corrupt { .. })) => Vec::new(),
                other => other?,
            };
            match self.end_waiting(ws, row, run, &error, ops).await {
                Err(AgentError::Commit(CommitError::Refused {
                    refusal: Refusal::Stale, ..
                })) if attempt < 2 => {
                    attempt += 1;
                }
                other => return other,
            }
        }
    }

    /// Ends a run that waits to be resumed and never will be; somebody who claimed it is let alone.
    pub(crate) async fn end_waiting(
        &self,
        ws: WorkspaceId,
        row: &QueueEntry,
        run: &Run,
        error: &str,
        ops: Vec<Op>,
    ) -> Result<(), AgentError> {
        let commit = Commit::new("run.abandon", Db::Agent, ws)
            .op(wake_queue::abandon(ws, row))
            .op(self.ended(ws, run, error)?)
            .ops(ops)
            .change(wake_event(row, run.key.as_str()));
        match self.store.commit(commit).await {
            Err(error) if error.refusal() == Some(Refusal::LeaseLost) => Ok(()),
            other => other.map(|_| ()).map_err(Into::into),
        }
    }

    /// The op that ends a run which waits.
    pub(crate) fn ended(&self, ws: WorkspaceId, run: &Run, error: &str) -> Result<Op, AgentError> {
        let to = after(run.status, Event::GivenUp).map_err(broken)?;
        let now = self.clock.now();
        Ok(wake_run::finish(ws, &run.key, run.status, to, now, false, Some(error)))
    }

    async fn claim_context(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
    ) -> Result<ClaimContext, AgentError> {
        match self.state(ws, id).await {
            Ok(state) => {
                let (processed, journal) = self.processed(ws, &state.value).await?;
                let words = self.unheard_range(ws, &state.value).await?;
                Ok(ClaimContext { processed, journal, words })
            }
            // The run of a damaged agent fails and says why; it must begin for that.
            Err(AgentError::Read(ReadError::Corrupt { .. })) => {
                Ok(ClaimContext { processed: Seq(0), journal: None, words: UnheardRange::NOTHING })
            }
            Err(error) => Err(error),
        }
    }

    async fn fresh_run(
        &self,
        ws: WorkspaceId,
        row: &QueueEntry,
        before: &ClaimContext,
    ) -> Result<Run, AgentError> {
        let now = self.clock.now();
        let (processed, journal) = (before.processed, before.journal.clone());
        let reason = strongest(&row.reasons);
        let head = self.store.first(change_log::head(Db::Journal, ws)).await?.unwrap_or_default();
        let due = row.due_at.unwrap_or(now);
        let (cause, reason_id, upto) = match reason {
            Reason::Subscription => {
                let upto = row.upto.max(processed);
                let id = own_subscription(&row.agent).to_string();
                (Cause::Subscription { processed, upto, journal }, id, upto)
            }
            Reason::Timer => (Cause::Timer { scheduled_at: due }, due.micros().to_string(), head),
            Reason::Creation => (Cause::Creation, "creation".into(), head),
            Reason::Reanalysis | Reason::UserInitiated => {
                let id = row.request_id.clone().unwrap_or_else(|| due.micros().to_string());
                (Cause::Request { id: id.clone() }, id, head)
            }
        };
        let by_itself = is_unattended(&row.reasons, before.words);
        let initiator = if by_itself { AUTOMATION } else { "person" };
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
            heard_upto: before.words.newest,
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
}

/// Whether a run has ended.
pub(crate) fn is_over(status: Status) -> bool {
    !matches!(status, Status::Queued | Status::Started)
}

/// What others learn about the wakes of an agent.
pub(crate) fn wake_event(row: &QueueEntry, subject: &str) -> ChangeRow {
    let origin = Origin::Agent { agent: row.agent.clone() };
    ChangeRow::agent(origin, "agent:wake", None, subject)
}

pub(crate) fn broken(error: impl std::fmt::Display) -> AgentError {
    dormouse_runs::RunError::Broken(error.to_string()).into()
}
