//! Whether a run may ask its model now: whether the provider works, and what may still be spent.
//!
//! Decided when a run is claimed, for every kind of holder alike; what may be spent is decided once
//! more, and for good, when a call is reserved.

use std::time::Duration;

use dormouse_scheduler::claim::raise_fence;
use dormouse_scheduler::status::{Event, after};
use dormouse_scheduler::{Capacity, SchedulerError};
use dormouse_store::agent::spend::{self, Account, SpendScope};
use dormouse_store::agent::wake_queue::QueueEntry;
use dormouse_store::agent::wake_run::{self, Run};
use dormouse_store::agent::{breaker, model_call, model_setting};
use dormouse_store::{Op, ReadError};
use dormouse_types::agent::PutOff;
use dormouse_types::port::{Model, ModelClass};
use dormouse_types::{HolderId, Timestamp, WorkspaceId};

use crate::breaker::{Gate, gate, gate_of_all, probing};
use crate::spending::{PAID_CALLS_OFF, unit_of};
use crate::{Driver, spending};

/// Whether a run may ask its model.
#[derive(Debug)]
pub enum MayAsk {
    /// It may. The claim writes the ops: a run that probes a provider says so.
    Now(Vec<Op>),
    /// Not before a time. The guard is what this was decided on.
    Later {
        /// When to ask again.
        until: Timestamp,
        why: PutOff,
        /// Refuses the commit if that has changed.
        guard: Vec<Op>,
    },
    /// Not here: this process lacks the key of the model, and another one may have it.
    Elsewhere,
}

/// How long a run is left to other processes whose key this one lacks. After that it runs here, sends nothing and
/// says what is missing.
const LEFT_TO_OTHERS: Duration = Duration::from_secs(60);

/// The error of a run that waited for a model while another one was chosen.
const ANOTHER_MODEL: &str = "another model was chosen while it waited: see what follows";

/// Returns whether a waiting run would ask a model that its holder no longer has.
///
/// It is not resumed with the other one: what its turns were made of was cleared for the first.
pub fn was_begun_with_another(run: &Run, chosen: &str) -> bool {
    run.model.as_deref().is_some_and(|begun| begun != chosen)
}

impl Driver {
    /// Builds the ops that end a waiting run in favour of one with the model that was chosen since. It
    /// counts for nothing, like a run that a person cancelled; what it was to do is left to the other.
    pub async fn superseded(
        &self,
        ws: WorkspaceId,
        row: &QueueEntry,
        run: &Run,
        now: Timestamp,
    ) -> Result<Vec<Op>, SchedulerError> {
        // Its owner may only seem dead, and still be about to write the journal.
        raise_fence(self.store(), ws, row, row.epoch + 1).await?;
        let to = after(run.status, Event::Cancelled)?;
        let open = self.store().all(model_call::open_of_run(ws, &run.key)).await?;
        let mut ops = vec![wake_run::cancel(ws, &run.key, run.status, to, now, ANOTHER_MODEL)];
        ops.extend(spending::assumed(ws, &run.key, &open));
        Ok(ops)
    }

    /// Returns whether any provider may be called, according to the rows of a workspace: a probe only
    /// if none is free, closed only if all are. A run whose own provider is closed is put off when it
    /// is admitted.
    pub async fn capacity(&self, ws: WorkspaceId, now: Timestamp) -> Result<Capacity, ReadError> {
        let known = self.store().all(breaker::all(ws)).await?;
        let gates =
            self.models().providers().into_iter().map(|provider| {
                gate(known.iter().find(|breaker| breaker.provider == provider), now)
            });
        Ok(widest(gates))
    }

    /// Decides whether the run of a due row may ask a model.
    pub async fn may_ask(
        &self,
        ws: WorkspaceId,
        row: &QueueEntry,
        model: &dyn Model,
        now: Timestamp,
    ) -> Result<MayAsk, ReadError> {
        if model.lacks_key() && row.due_at.is_some_and(|due| now < due + LEFT_TO_OTHERS) {
            return Ok(MayAsk::Elsewhere);
        }
        if let Some(later) = self.unaffordable(ws, &row.holder, model, now).await? {
            return Ok(later);
        }
        let query = breaker::of_model(ws, model.provider(), model.name());
        let known = self.store().all(query).await?;
        match gate_of_all(&known, now) {
            Gate::Free => Ok(MayAsk::Now(Vec::new())),
            Gate::Closed { until } => {
                let guard = known.iter().map(|known| breaker::put(ws, Some(known), known));
                Ok(MayAsk::Later { until, why: PutOff::Provider, guard: guard.collect() })
            }
            Gate::Probe => {
                let open = known.iter().filter(|known| known.open_until.is_some());
                let ops = open.map(|known| breaker::put(ws, Some(known), &probing(known, now)));
                Ok(MayAsk::Now(ops.collect()))
            }
        }
    }

    /// Returns how long a holder may not ask a model because of what it costs; `None` if it may.
    ///
    /// A budget that is used up holds the runs of paid models like a breaker; others go on. That
    /// there is room again is found out by the next reservation, not here.
    async fn unaffordable(
        &self,
        ws: WorkspaceId,
        holder: &HolderId,
        model: &dyn Model,
        now: Timestamp,
    ) -> Result<Option<MayAsk>, ReadError> {
        if model.class() == ModelClass::Free {
            return Ok(None);
        }
        if self.store().first(model_setting::paid_calls(ws)).await? == Some(false) {
            return Ok(Some(MayAsk::Later {
                until: now + PAID_CALLS_OFF,
                why: PutOff::PaidCalls,
                guard: vec![model_setting::forbids_paid_calls(ws)],
            }));
        }
        let day = self.day_of(now);
        let unit = unit_of(model);
        let scopes = [
            (SpendScope::Workspace, PutOff::WorkspaceBudget),
            (SpendScope::Holder(holder.clone()), PutOff::AgentBudget),
        ];
        for (scope, why) in scopes {
            let account = Account { scope, day, unit };
            let balance = self.store().first(spend::of_account(ws, &account)).await?;
            if balance.is_some_and(|balance| balance.held_at.is_some()) {
                let (until, guard) =
                    (self.next_day(day, holder), vec![spend::is_held(ws, &account)]);
                return Ok(Some(MayAsk::Later { until, why, guard }));
            }
        }
        Ok(None)
    }
}

/// Returns the room that the most open of several providers leaves.
fn widest(gates: impl Iterator<Item = Gate>) -> Capacity {
    let room_of = |gate| match gate {
        Gate::Free => Capacity::Free,
        Gate::Probe => Capacity::One,
        Gate::Closed { until } => Capacity::Closed { until },
    };
    gates
        .map(room_of)
        .reduce(|a, b| match (a, b) {
            (Capacity::Free, _) | (_, Capacity::Free) => Capacity::Free,
            (Capacity::One, _) | (_, Capacity::One) => Capacity::One,
            (Capacity::Closed { until: a }, Capacity::Closed { until: b }) => {
                Capacity::Closed { until: a.min(b) }
            }
        })
        .unwrap_or(Capacity::Free)
}
