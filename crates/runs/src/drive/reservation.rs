//! What a call may cost, reserved before it is made and settled after it; and how a run ends
//! whose call may not be made.

use std::time::Duration;

use dormouse_store::agent::model_call::{self, RunCost};
use dormouse_store::agent::spend::{self, Account, SpendScope};
use dormouse_store::agent::{model_setting, wake_run};
use dormouse_store::{Attempts, ChangeRow, CommitError, Op, Refusal};
use dormouse_types::agent::PutOff;
use dormouse_types::model::{Request, Usage};
use dormouse_types::port::OutgoingRequest;
use dormouse_types::spend::{Amount, Budgets, OverBudget};
use dormouse_types::{EventKind, HolderId, Origin, Timestamp};
use jiff::civil::Date;

use super::{ATTEMPTS, ActiveRun, CONFLICTS, Driver};
use crate::early_end::{EarlyEnd, NoRoom};
use crate::handler::RunError;
use crate::model_call::FailedCall;
use crate::spending::{self, Outcome, PAID_CALLS_OFF, Reservation};
use crate::{End, Lease};

/// How soon a run tries again for which there is room once calls under way are settled.
const CALLS_UNDER_WAY: Duration = Duration::from_secs(10);

/// How soon a run tries again whose model is of settings that were changed a moment ago.
pub(super) const SETTINGS_CHANGED: Duration = Duration::from_secs(1);

impl ActiveRun<'_> {
    /// Reserves what the call may cost, in every scope at once; returns the end of the run if it may
    /// not be made.
    ///
    /// A call of the built-in model leaves no row. The reservation is a commit of its own, right
    /// before the call: from its answer on, switching paid calls off lets no call pass.
    pub(super) async fn reserve(&mut self, request: &Request) -> Result<Option<End>, RunError> {
        let Some(outgoing) = self.model.outgoing(request) else { return Ok(None) };
        let mut attempts = Attempts::new(ATTEMPTS, &CONFLICTS);
        loop {
            let result = self.reserve_once(request, &outgoing).await;
            if !attempts.go_on_after(&result) {
                return result;
            }
        }
    }

    /// Makes one attempt to reserve. It fails as stale if there was no room, and by the time that is
    /// to be noted there is: somebody raised a budget or lifted it.
    async fn reserve_once(
        &mut self,
        request: &Request,
        outgoing: &OutgoingRequest,
    ) -> Result<Option<End>, RunError> {
        let Lease { ws, run, .. } = self.lease;
        let store = &self.driver.store;
        let Limits { revision, budgets, so_far } = self.limits(request.turn).await?;
        let now = self.driver.clock.now();
        // Another model may be chosen by now, and the budget of this one be no matter any more.
        if self.driver.models.are_older_than(revision) {
            let reason = "the settings of models were changed a moment ago".into();
            return self.requeue_run(Some(now + SETTINGS_CHANGED), reason).await.map(Some);
        }
        let day = self.driver.day_of(now);
        let amount = spending::price_of(&*self.model, outgoing);
        if let Some(cap) = spending::cap_exceeded(&budgets, so_far, amount) {
            let full = EarlyEnd::NoRoom(NoRoom::WakeCap);
            return match self.finish_early_if_complete(full).await? {
                Some(end) => Ok(Some(end)),
                None => self.fail(spending::wake_refusal(cap, so_far, amount)).await.map(Some),
            };
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
        let reserved = Reservation::new(call, &*self.model, outgoing);
        match self.commit("run.reserve", reserved.ops(*ws, &budgets)).await {
            Ok(()) => {
                self.reserved = Some(reserved);
                Ok(None)
            }
            Err(RunError::Commit(CommitError::Refused {
                refusal: Refusal::OverBudget, ..
            })) => {
                let full = EarlyEnd::NoRoom(NoRoom::DayBudget);
                if let Some(end) = self.finish_early_if_complete(full).await? {
                    return Ok(Some(end));
                }
                let account = reserved.holder_account();
                let balance = store.first(spend::of_account(*ws, &account)).await?;
                let scope = spending::scope_without_room(&budgets, amount, balance.as_ref());
                if scope == OverBudget::Workspace && self.is_room_soon(&reserved, &budgets).await? {
                    let reason = "calls under way may use up the budget of all agents".into();
                    return self.requeue_run(Some(now + CALLS_UNDER_WAY), reason).await.map(Some);
                }
                let mut ops = vec![model_setting::unchanged(*ws, revision)];
                ops.extend(reserved.held(*ws, scope, &budgets));
                self.put_off_by_budget(scope, ops, day).await?;
                Ok(Some(End::Requeued { reason: spending::refusal(scope, amount, day) }))
            }
            Err(RunError::Commit(CommitError::Refused {
                refusal: Refusal::PaidCallsOff, ..
            })) => match self.finish_early_if_complete(EarlyEnd::PaidCallsOff).await? {
                Some(end) => Ok(Some(end)),
                None => self.put_off_by_switch().await.map(Some),
            },
            Err(error) => Err(error),
        }
    }

    /// Returns whether only what is reserved for calls under way leaves no room for another one. They
    /// cost less than was reserved, as a rule.
    async fn is_room_soon(
        &self,
        reserved: &Reservation,
        budgets: &Budgets,
    ) -> Result<bool, RunError> {
        let (ws, call) = (self.lease.ws, &reserved.call);
        let Amount { unit, value } = call.reserved;
        let Some(limit) = budgets.limit(OverBudget::Workspace, unit) else { return Ok(false) };
        let store = &self.driver.store;
        let account = Account { scope: SpendScope::Workspace, day: call.day, unit };
        let balance = store.first(spend::of_account(ws, &account)).await?;
        let Some(balance) = balance else { return Ok(false) };
        let under_way = model_call::reserved_under_way(ws, call.day, unit, &call.holder);
        let under_way = store.first(under_way).await?.unwrap_or(0);
        let used = balance.used().saturating_sub(balance.extra).saturating_sub(under_way);
        Ok(under_way > 0 && used.saturating_add(value) <= limit)
    }

    /// Returns whether a call that can be left out fits into what one wake may spend, and leaves half
    /// of that for its turns.
    pub(super) async fn fits_wake(&self, request: &Request) -> Result<bool, RunError> {
        let Some(outgoing) = self.model.outgoing(request) else { return Ok(true) };
        let Limits { budgets, so_far, .. } = self.limits(request.turn).await?;
        let amount = spending::price_of(&*self.model, &outgoing);
        let half = Budgets { wake: budgets.wake / 2, ..budgets };
        Ok(spending::cap_exceeded(&half, so_far, amount).is_none())
    }

    /// Reads what calls of a turn of the run are limited by.
    async fn limits(&self, turn: u32) -> Result<Limits, RunError> {
        let Lease { ws, run, .. } = self.lease;
        let store = &self.driver.store;
        let stored = store.first(model_setting::of_workspace(*ws)).await?;
        let so_far = store.first(model_call::of_run(*ws, &run.key, turn)).await?;
        Ok(Limits {
            revision: stored.as_ref().map_or(0, |stored| stored.revision),
            budgets: stored.map(|stored| stored.settings.budgets).unwrap_or_default(),
            so_far: so_far.unwrap_or_default(),
        })
    }

    /// Puts the run off to the next day, and notes in the same commit that the scope has no room.
    pub(super) async fn put_off_by_budget(
        &self,
        scope: OverBudget,
        ops: Vec<Op>,
        day: Date,
    ) -> Result<(), RunError> {
        let why = match scope {
            OverBudget::Wake | OverBudget::Agent => PutOff::AgentBudget,
            OverBudget::Workspace => PutOff::WorkspaceBudget,
        };
        let until = self.driver.next_day(day, &self.lease.run.holder);
        let subject = self.lease.run.holder.to_string();
        let news = ChangeRow::agent(
            Origin::Person { via: None },
            EventKind::BudgetReached,
            None,
            &subject,
        );
        self.requeue(Some(until), Some(why), ops, vec![news]).await
    }

    /// Puts the run off until calls that cost money are allowed again, or to now if they are by then.
    pub(super) async fn put_off_by_switch(&self) -> Result<End, RunError> {
        let now = self.driver.clock.now();
        let until = now + PAID_CALLS_OFF;
        let mut ops = self.settled(Outcome::Interrupted);
        ops.push(model_setting::forbids_paid_calls(self.lease.ws));
        let put_off = self.requeue(Some(until), Some(PutOff::PaidCalls), ops, Vec::new()).await;
        match put_off {
            Err(RunError::Commit(CommitError::Refused { refusal: Refusal::Stale, .. })) => {
                let settled = self.settled(Outcome::Interrupted);
                self.requeue(Some(now), None, settled, Vec::new()).await?;
            }
            other => other?,
        }
        Ok(End::Requeued { reason: "calls that cost money are switched off".into() })
    }

    /// Builds the ops that settle the call under way by what the provider says, and count what it
    /// used as far as that can be right.
    pub(super) fn answered(&self, usage: Option<&Usage>) -> Vec<Op> {
        let mut ops = self.settled(Outcome::Answered(usage));
        let believed = match &self.reserved {
            Some(reserved) => reserved.believed(usage),
            None => usage,
        };
        // The built-in model counts nothing.
        if let Some(usage) = believed.filter(|usage| **usage != Usage::default()) {
            ops.push(wake_run::add_usage(self.lease.ws, &self.lease.run.key, usage));
        }
        ops
    }

    /// Builds the ops that settle the call under way, whose answer is no turn: by what the provider says that it
    /// used, if it says so and that can be right.
    pub(super) fn unanswered(&self, failed: &FailedCall) -> Vec<Op> {
        let reserved = self.reserved.as_ref();
        match reserved.and_then(|reserved| reserved.believed(failed.usage.as_ref())) {
            Some(usage) => self.answered(Some(usage)),
            None => self.settled(Outcome::of_error(&failed.error)),
        }
    }

    /// Builds the ops that settle the call under way.
    pub(super) fn settled(&self, outcome: Outcome<'_>) -> Vec<Op> {
        let reserved = self.reserved.as_ref();
        reserved.map(|reserved| reserved.settled(self.lease.ws, outcome)).unwrap_or_default()
    }
}

/// What a call of a run is limited by.
struct Limits {
    /// The revision of the settings that the budgets are from.
    revision: i64,
    budgets: Budgets,
    so_far: RunCost,
}

impl Driver {
    /// Returns the day on which calls at a time are counted.
    pub fn day_of(&self, at: Timestamp) -> Date {
        at.day_in(&self.zone.get())
    }

    /// Returns when a holder begins that waits for the budget of the next day: after the midnight that
    /// ends a day, spread so that not all begin at once.
    pub fn next_day(&self, day: Date, holder: &HolderId) -> Timestamp {
        let midnight = day.tomorrow().ok().and_then(|next| next.to_zoned(self.zone.get()).ok());
        let now = self.clock.now();
        let midnight =
            midnight.map_or(now + PAID_CALLS_OFF, |at| Timestamp::from_jiff(at.timestamp()));
        midnight + spending::after_midnight(holder)
    }
}
