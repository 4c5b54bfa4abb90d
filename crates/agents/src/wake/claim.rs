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

/// Why a due wake may not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Obstacle {
    /// The agent is destroyed and never runs again.
    Destroyed,
    /// The agent may not run now; whatever unblocks it makes the wake due again.
    Held,
    /// The interrupted run may not continue by itself, but a person has asked for another run.
    Outranked,
}

/// Decides whether an agent may run its pending wake.
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

/// Returns whether nobody asked for the run. A retry counts as asked for while there are unheard
/// messages.
fn is_unattended(reasons: &[Reason], waiting: UnheardRange) -> bool {
    waiting.is_empty() && reasons.iter().all(|reason| reason.is_automatic())
}

/// What a fresh run is decided on besides its row. For a damaged agent the values are empty: its
/// run starts, fails and reports the damage.
struct ClaimContext {
    processed: Seq,
    /// The journal that `processed` counts in, if the agent has known more than one.
    journal: Option<HostId>,
    words: UnheardRange,
}

/// Initiator of a run that nobody asked for.
pub(crate) const AUTOMATION: &str = "automation";

impl Agents {
    /// Returns whether the model's provider may be asked, according to the rows of a workspace.
    pub async fn gate(&self, ws: WorkspaceId) -> Result<Gate, AgentError> {
        let provider = self.driver.model().provider();
        let known = self.store.first(breaker::of_provider(ws, provider)).await?;
        Ok(gate(known.as_ref(), self.clock.now()))
    }

    /// Claims the wake of a queue row as it was read. Returns `None` if it may not run now, or if
    /// another process claimed it first.
    ///
    /// Lease, epoch, run row and the interval the run will see become durable in one commit,
    /// guarded by the row as read. Of two nodes that claim the same wake, one is therefore refused;
    /// and a crash after the claim leaves a run that another node can find and resume. The run key
    /// is made of stored facts, so a wake that is delivered twice meets the key of the earlier run
    /// instead of running again.
    ///
    /// A run that is resumed may have an owner that only seemed dead. The journal's fence is raised
    /// to the new epoch before the claim, because the two databases share no transaction: from then
    /// on the old owner can write nothing.
    pub async fn claim(
        &self,
        ws: WorkspaceId,
        row: &QueueEntry,
    ) -> Result<Option<Lease>, AgentError> {
        let now = self.clock.now();
        let id = &agent_of(row)?;
        let waiting = match &row.run_key {
            Some(key) => self.store.first(wake_run::by_key(ws, key)).await?,
            None => None,
        };
        let before = self.claim_context(ws, id).await?;
        if waiting.as_ref().is_some_and(|run| run.status != Status::Queued)
            && self.has_moved(ws, row).await?
        {
            return Ok(None);
        }
        if waiting.as_ref().is_some_and(|run| is_over(run.status)) {
            // The run ended in a store that was since restored: there is nothing to resume.
            self.drop_run(ws, row).await?;
            return Ok(None);
        }
        let agent = entity::each(entity::by_id::<Agent>(ws, id.as_str()));
        let mut ops: Vec<Op> = Vec::new();
        // The run of a damaged agent must start, so that it can fail and report the damage.
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
                // The previous owner may still be alive: the fence stops its journal writes from
                // here on.
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
            .change(wake_event(id, run.key.as_str()));
        match self.store.commit(commit).await {
            Ok(_) => Ok(Some(Lease { ws, owner: self.owner.clone(), lasts: self.lease, run })),
            Err(error) if matches!(error.refusal(), Some(Refusal::LeaseLost | Refusal::Stale)) => {
                Ok(None)
            }
            Err(error) if error.refusal() == Some(Refusal::Exists) => {
                // The same delivery again: it has already run, so its signals are cleared.
                tracing::warn!(holder = %row.holder, run_key = %run.key, "wake delivered twice");
                self.clear_signals(ws, row, before.words).await?;
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Returns whether a lease was claimed, returned or taken over since the row was read. A run
    /// read after the row may then be in a later state than the row implies.
    pub(crate) async fn has_moved(
        &self,
        ws: WorkspaceId,
        row: &QueueEntry,
    ) -> Result<bool, AgentError> {
        let now = self.store.first(wake_queue::of_holder(ws, &row.holder)).await?;
        Ok(now.is_none_or(|now| (&now.owner, now.epoch) != (&row.owner, row.epoch)))
    }

    fn new_claim<'a>(&'a self, row: &'a QueueEntry, run: &'a Run) -> Claim<'a> {
        Claim {
            holder: row.holder.clone(),
            epoch: row.epoch,
            owner: &self.owner,
            lasts: self.lease,
            run_key: &run.key,
        }
    }

    /// Adds the ops that resume a run under a new lease: its key, thread and interval stay, its
    /// epoch rises.
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

    /// Keeps the pending wake of an agent that may not run until it may, or drops it for good.
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
                // Guarded by what was read: a request or an unblocking that arrives now makes the
                // wake due.
                let hold = Commit::new("run.hold", Db::Agent, ws)
                    .op(wake_queue::unchanged(ws, row))
                    .op(entity::replace(ws, agent))
                    .op(wake_queue::park(ws, &row.holder));
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

    /// Detaches a run that has ended from its queue row; other pending signals stay.
    async fn drop_run(&self, ws: WorkspaceId, row: &QueueEntry) -> Result<(), AgentError> {
        let dropped = Commit::new("run.spent", Db::Agent, ws).op(wake_queue::abandon(ws, row));
        match self.store.commit(dropped).await {
            Err(error) if error.refusal() == Some(Refusal::LeaseLost) => Ok(()),
            other => other.map(|_| ()).map_err(Into::into),
        }
    }

    /// Clears signals whose run has already happened. Unheard messages are signalled again, under a
    /// key that no run has had.
    async fn clear_signals(
        &self,
        ws: WorkspaceId,
        row: &QueueEntry,
        words: UnheardRange,
    ) -> Result<(), AgentError> {
        let agent = agent_of(row)?;
        let again = (!words.is_empty()).then(|| self.hear(ws, &agent, row.upto));
        let spent = Commit::new("run.spent", Db::Agent, ws)
            .op(wake_queue::unchanged(ws, row))
            .op(wake_queue::clear_signals(ws, &row.holder))
            .ops(again);
        match self.store.commit(spent).await {
            // Another signal arrived meanwhile: the next poll reads the row again.
            Err(error) if error.refusal() == Some(Refusal::LeaseLost) => Ok(()),
            other => other.map(|_| ()).map_err(Into::into),
        }
    }

    /// Returns the op that revives an agent whose deleted task has been restored. Routing normally
    /// does this, but the agent may have become dormant after the restore was routed.
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

    /// Raises the journal's fence, so that an owner with a lower epoch can no longer write there.
    pub(crate) async fn raise_fence(
        &self,
        ws: WorkspaceId,
        row: &QueueEntry,
        epoch: i64,
    ) -> Result<(), AgentError> {
        let raise = Commit::new("fence.raise", Db::Journal, ws).ops(fence::pass(
            ws,
            row.holder.as_str(),
            epoch,
        ));
        match self.store.commit(raise).await {
            // Another process raised it higher: the claim that follows is refused.
            Err(error) if error.refusal() == Some(Refusal::Fenced) => Ok(()),
            other => other.map(|_| ()).map_err(Into::into),
        }
    }

    /// Ends a run that crashed too often; this counts as a failure of its agent.
    ///
    /// The run ends and the failure counter rises in one commit. If the agent's state changed
    /// meanwhile, the ops are built again from fresh rows.
    pub(crate) async fn abandon(
        &self,
        ws: WorkspaceId,
        row: &QueueEntry,
        run: &Run,
    ) -> Result<(), AgentError> {
        let agent = agent_of(row)?;
        let error = format!("given up after {} crashes", row.crashes);
        let mut attempt = 0;
        loop {
            let ops = match self.failure_ops(ws, &agent).await {
                // A damaged agent has no counter to raise; the run itself reports the damage.
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

    /// Ends a queued run that will never be resumed; does nothing if it was claimed meanwhile.
    ///
    /// The queue row and the run row change together: the row must not point at a run that has
    /// ended, and a run that is no longer in the queue must not stay open.
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
            .change(wake_event(&agent_of(row)?, run.key.as_str()));
        match self.store.commit(commit).await {
            Err(error) if error.refusal() == Some(Refusal::LeaseLost) => Ok(()),
            other => other.map(|_| ()).map_err(Into::into),
        }
    }

    /// Returns the op that ends a queued run.
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
            // The run of a damaged agent must start, so that it can fail and report the damage.
            Err(AgentError::Read(ReadError::Corrupt { .. })) => {
                Ok(ClaimContext { processed: Seq(0), journal: None, words: UnheardRange::NOTHING })
            }
            Err(error) => Err(error),
        }
    }

    /// Builds the row of a fresh run, with its key and the interval it will see.
    ///
    /// The interval is frozen here: what arrives later belongs to the next wake, and a run that is
    /// resumed sees the same interval as before.
    async fn fresh_run(
        &self,
        ws: WorkspaceId,
        row: &QueueEntry,
        before: &ClaimContext,
    ) -> Result<Run, AgentError> {
        let now = self.clock.now();
        let agent = agent_of(row)?;
        let (processed, journal) = (before.processed, before.journal.clone());
        let reason = strongest(&row.reasons);
        let head = self.store.first(change_log::head(Db::Journal, ws)).await?.unwrap_or_default();
        let due = row.due_at.unwrap_or(now);
        let (cause, reason_id, upto) = match reason {
            Reason::Subscription => {
                let upto = row.upto.max(processed);
                let id = own_subscription(&agent).to_string();
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
            key: run_key(&agent, &cause),
            holder: row.holder.clone(),
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

/// Returns whether a run has ended.
pub(crate) fn is_over(status: Status) -> bool {
    !matches!(status, Status::Queued | Status::Started)
}

/// Returns the change row that announces a wake of an agent.
pub(crate) fn wake_event(agent: &AgentId, subject: &str) -> ChangeRow {
    let origin = Origin::Agent { agent: agent.clone() };
    ChangeRow::agent(origin, "agent:wake", None, subject)
}

/// Returns the agent whose row it is.
pub(crate) fn agent_of(row: &QueueEntry) -> Result<AgentId, AgentError> {
    AgentId::try_from(&row.holder).map_err(broken)
}

pub(crate) fn broken(error: impl std::fmt::Display) -> AgentError {
    dormouse_runs::RunError::Broken(error.to_string()).into()
}
