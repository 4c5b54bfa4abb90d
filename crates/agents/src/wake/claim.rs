//! What a claim of an agent's wake decides: whether the run may start, and the interval it sees.

use std::borrow::Cow;

use dormouse_runs::admission::{MayAsk, was_begun_with_another};
use dormouse_scheduler::{Admission, Capacity, Due};
use dormouse_store::agent::agent_entity::{Agent, DormantReason, Lifecycle, own_subscription};
use dormouse_store::agent::entity::{self, Stored};
use dormouse_store::agent::wake_queue::{QueueEntry, Reason};
use dormouse_store::agent::wake_run::{self, Run, Status};
use dormouse_store::{Db, Op, ReadError, change_log};
use dormouse_types::agent::Initiator;
use dormouse_types::closed_list::Listed;
use dormouse_types::model::Usage;
use dormouse_types::{AgentId, HostId, Id as _, RunKey, Seq, ThreadId, Timestamp, WorkspaceId};

use crate::inbox::UnheardRange;
use crate::wake::holder::agent_of;
use crate::wake::key::{Cause, key_after, run_key, strongest};
use crate::wake::policy::is_automatic;
use crate::{AgentError, Agents};

/// Why a due wake may not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Obstacle {
    /// The agent is destroyed and never runs again.
    Destroyed,
    /// The agent may not run now; whatever unblocks it makes the wake due again.
    Held,
    /// The interrupted run may not continue by itself, but a person has requested another run.
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
        Some(run) => run.initiator == Initiator::Automation,
        None => is_unattended(reasons, waiting),
    };
    match agent.lifecycle {
        Lifecycle::Destroyed => Some(Obstacle::Destroyed),
        Lifecycle::Dormant => Some(Obstacle::Held),
        Lifecycle::Created | Lifecycle::Active if by_itself && !is_automatic => {
            let by_person = reasons.iter().any(|reason| !reason.is_automatic());
            Some(if by_person { Obstacle::Outranked } else { Obstacle::Held })
        }
        Lifecycle::Created | Lifecycle::Active => None,
    }
}

/// Returns whether nobody requested the run. A retry counts as requested while there are unheard
/// messages.
fn is_unattended(reasons: &[Reason], waiting: UnheardRange) -> bool {
    waiting.is_empty() && reasons.iter().all(|reason| reason.is_automatic())
}

/// Returns a row with what a run was started for, so that another run can be started for it.
fn with_causes_of(mut row: QueueEntry, run: &Run) -> QueueEntry {
    if let Listed::Known(reason) = run.reason {
        row.reasons.push(reason);
        if matches!(reason, Reason::Reanalysis | Reason::UserInitiated) {
            row.request_id = row.request_id.or_else(|| run.reason_id.clone());
        }
    }
    row
}

/// What a fresh run is decided on besides its row. For a damaged agent the values are empty: its
/// run starts, fails and reports the damage.
pub(crate) struct ClaimContext {
    processed: Seq,
    /// The journal that `processed` counts in, if the agent has known more than one.
    journal: Option<HostId>,
    words: UnheardRange,
}

impl Agents {
    /// Returns whether any provider may be called.
    pub(crate) async fn capacity(&self, ws: WorkspaceId) -> Result<Capacity, AgentError> {
        Ok(self.driver.capacity(ws, self.clock.now()).await?)
    }

    /// Decides whether an agent may run its pending wake, and what the claim of the run freezes.
    pub(crate) async fn admit(&self, due: Due<'_>) -> Result<Admission, AgentError> {
        let Due { ws, entry: row, waiting } = due;
        let now = self.clock.now();
        let id = &agent_of(&row.holder)?;
        let before = self.claim_context(ws, id).await?;
        let agent = entity::each(entity::by_id::<Agent>(ws, id.as_str()));
        let mut ops: Vec<Op> = Vec::new();
        let agent = self.store.first(agent).await?;
        let is_readable = matches!(agent, Some(Ok(_)));
        let model = match agent {
            // The run of a damaged agent must start, so that it can fail and report the damage. Its own
            // model cannot be read.
            None | Some(Err(_)) => self.default_model(),
            Some(Ok(mut agent)) => {
                ops.extend(self.wake_with_restored_task(ws, &mut agent, now).await?);
                let value = &agent.doc.value;
                let model = self.model_of(value);
                let automatic = is_automatic(value, model.class());
                let obstacle = obstacle(value, automatic, &row.reasons, waiting, before.words);
                let end = |reason: &str| {
                    let (ops, news) = (Vec::new(), Vec::new());
                    Ok(Admission::End { reason: reason.to_owned(), ops, news })
                };
                match (obstacle, waiting) {
                    (None, _) => {}
                    (Some(Obstacle::Held), _) | (Some(Obstacle::Outranked), None) => {
                        return Ok(Admission::Park { guard: vec![entity::replace(ws, &agent)] });
                    }
                    (Some(Obstacle::Destroyed), _) => return end("the agent was destroyed"),
                    (Some(Obstacle::Outranked), Some(_)) => {
                        return end("a person requested another one");
                    }
                }
                model
            }
        };
        match self.driver.may_ask(ws, row, &*model, now).await? {
            MayAsk::Now(more) => ops.extend(more),
            MayAsk::Later { until, why, guard } => {
                return Ok(Admission::Postpone { until, why, guard });
            }
            MayAsk::Elsewhere => return Ok(Admission::Leave),
        }
        let mut row = Cow::Borrowed(row);
        match waiting {
            Some(run) if is_readable && was_begun_with_another(run, model.name()) => {
                ops.extend(self.driver.superseded(ws, &row, run, now).await?);
                row = Cow::Owned(with_causes_of(row.into_owned(), run));
            }
            Some(_) => return Ok(Admission::Resume { ops }),
            None => {}
        }
        let row = &*row;
        let run = Box::new(self.fresh_run(ws, id, row, &before, model.name()).await?);
        // A wake that was delivered twice must not lose what its run has not heard.
        let again = (!before.words.is_empty()).then(|| self.signal_user_message(ws, id, row.upto));
        Ok(Admission::Start { run, ops, if_repeated: again.into_iter().collect() })
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

    pub(crate) async fn claim_context(
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

    async fn is_cancelled(&self, ws: WorkspaceId, key: &RunKey) -> Result<bool, AgentError> {
        let run = self.store.first(wake_run::by_key(ws, key)).await?;
        Ok(run.is_some_and(|run| run.is_cancelled()))
    }

    /// Builds the row of a fresh run, with its key and the interval it will see.
    ///
    /// The interval is frozen here: what arrives later belongs to the next wake, and a run that is
    /// resumed sees the same interval as before.
    pub(crate) async fn fresh_run(
        &self,
        ws: WorkspaceId,
        agent: &AgentId,
        row: &QueueEntry,
        before: &ClaimContext,
        model: &str,
    ) -> Result<Run, AgentError> {
        let now = self.clock.now();
        let (processed, journal) = (before.processed, before.journal.clone());
        let reason = strongest(&row.reasons);
        let head = self.store.first(change_log::head(Db::Journal, ws)).await?.unwrap_or_default();
        let due = row.due_at.unwrap_or(now);
        let (cause, reason_id, upto) = match reason {
            Reason::Subscription => {
                let upto = row.upto.max(processed);
                let id = own_subscription(agent).to_string();
                (Cause::Subscription { processed, upto, journal }, id, upto)
            }
            Reason::Timer => (Cause::Timer { scheduled_at: due }, due.micros().to_string(), head),
            Reason::Creation => (Cause::Creation, "creation".into(), head),
            Reason::Reanalysis | Reason::UserInitiated => {
                let id = row.request_id.clone().unwrap_or_else(|| due.micros().to_string());
                (Cause::Request { id: id.clone() }, id, head)
            }
        };
        let mut key = run_key(agent, &cause);
        // What a cancelled run was to see is pending again, and that is no second delivery. The run
        // of the row is one that this one supersedes.
        while row.run_key.as_ref() == Some(&key) || self.is_cancelled(ws, &key).await? {
            key = key_after(&key);
        }
        let by_itself = is_unattended(&row.reasons, before.words);
        let initiator = if by_itself { Initiator::Automation } else { Initiator::Person };
        Ok(Run {
            key,
            holder: row.holder.clone(),
            reason: reason.into(),
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
            model: Some(model.to_owned()),
            cut: false,
            created_at: now,
            started_at: Some(now),
            completed_at: None,
            error: None,
            failure: None,
            usage: Usage::default(),
        })
    }
}
