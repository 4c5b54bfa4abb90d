//! What a call may cost, reserved before it is made and settled after it.

use std::time::Duration;

use dormouse_store::agent::{model_call, model_setting, spend};
use dormouse_store::{CommitError, Op, Refusal};
use dormouse_types::Timestamp;
use dormouse_types::model::Request;
use dormouse_types::spend::{Budgets, OverBudget};
use jiff::civil::Date;

use super::ActiveRun;
use crate::handler::RunError;
use crate::spending::{self, Outcome, Reservation};
use crate::{End, Lease};

/// How soon a run tries again that paid calls were switched off for. Switching them on makes it due
/// at once.
const PAID_CALLS_OFF: Duration = Duration::from_secs(3600);

/// Runs that wait for the budget of the next day begin within this time after midnight.
const BUDGET_SPREAD: Duration = Duration::from_secs(600);

impl ActiveRun<'_> {
    /// Reserves what the call may cost, in every scope at once; returns the end of the run if it may
    /// not be made.
    ///
    /// A call of the built-in model leaves no row. The reservation is a commit of its own, right
    /// before the call: from its answer on, switching paid calls off lets no call pass.
    pub(super) async fn reserve(&mut self, request: &Request) -> Result<Option<End>, RunError> {
        let Some(outgoing) = self.model.outgoing(request) else { return Ok(None) };
        let Lease { ws, run, .. } = self.lease;
        let store = &self.driver.store;
        let stored = store.first(model_setting::of_workspace(*ws)).await?;
        let budgets = stored.map(|stored| stored.settings.budgets).unwrap_or_default();
        let so_far = store.first(model_call::of_run(*ws, &run.key, request.turn)).await?;
        let so_far = so_far.unwrap_or_default();
        let now = self.driver.clock.now();
        let day = now.to_jiff().to_zoned(self.driver.zone.clone()).date();
        let amount = spending::price_of(&*self.model, &outgoing);
        if spending::is_beyond_wake(&budgets, so_far, amount) {
            let error = spending::refusal(OverBudget::Wake, amount, day);
            return self.fail(error).await.map(Some);
        }
        let call = model_call::NewCall {
            run: run.key.clone(),
            turn: request.turn,
            attempt: so_far.attempts + 1,
            holder: run.holder.clone(),
            model: self.model.name().to_owned(),
            at: now,
            day,
            reserved: amount,
        };
        let reserved = Reservation::new(call, &*self.model, &outgoing);
        match self.commit("run.reserve", reserved.ops(*ws, &budgets)).await {
            Ok(()) => {
                self.reserved = Some(reserved);
                Ok(None)
            }
            Err(RunError::Commit(CommitError::Refused {
                refusal: Refusal::OverBudget, ..
            })) => {
                let account = reserved.holder_account();
                let balance = store.first(spend::of_account(*ws, &account)).await?;
                let scope = spending::scope_without_room(&budgets, amount, balance.as_ref());
                let due = self.next_day(day);
                self.requeue_run(Some(due), spending::refusal(scope, amount, day)).await.map(Some)
            }
            Err(RunError::Commit(CommitError::Refused {
                refusal: Refusal::PaidCallsOff, ..
            })) => {
                let reason = "calls that cost money are switched off";
                self.requeue_run(Some(now + PAID_CALLS_OFF), reason.into()).await.map(Some)
            }
            Err(error) => Err(error),
        }
    }

    /// Returns whether a call that can be left out fits into what one wake may spend, and leaves half
    /// of that for its turns.
    pub(super) async fn fits_wake(&self, request: &Request) -> Result<bool, RunError> {
        let Some(outgoing) = self.model.outgoing(request) else { return Ok(true) };
        let Lease { ws, run, .. } = self.lease;
        let store = &self.driver.store;
        let stored = store.first(model_setting::of_workspace(*ws)).await?;
        let budgets = stored.map(|stored| stored.settings.budgets).unwrap_or_default();
        let so_far = store.first(model_call::of_run(*ws, &run.key, request.turn)).await?;
        let amount = spending::price_of(&*self.model, &outgoing);
        let half = Budgets { wake: budgets.wake / 2, ..budgets };
        Ok(!spending::is_beyond_wake(&half, so_far.unwrap_or_default(), amount))
    }

    /// Returns a moment after the next midnight, spread so that not all agents begin at once.
    pub(super) fn next_day(&self, day: Date) -> Timestamp {
        let midnight =
            day.tomorrow().ok().and_then(|next| next.to_zoned(self.driver.zone.clone()).ok());
        let now = self.driver.clock.now();
        let midnight =
            midnight.map_or(now + PAID_CALLS_OFF, |at| Timestamp::from_jiff(at.timestamp()));
        let mut byte = [0u8; 1];
        self.driver.entropy.fill(&mut byte);
        midnight + BUDGET_SPREAD * u32::from(byte[0]) / 256
    }

    /// Builds the ops that settle the call under way.
    pub(super) fn settled(&self, outcome: Outcome<'_>) -> Vec<Op> {
        let reserved = self.reserved.as_ref();
        reserved.map(|reserved| reserved.settled(self.lease.ws, outcome)).unwrap_or_default()
    }
}
