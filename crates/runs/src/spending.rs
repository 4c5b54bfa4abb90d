//! What a run may spend: an amount is reserved before a call and settled after it.

use dormouse_store::Op;
use dormouse_store::agent::model_call;
use dormouse_store::agent::model_call::{NewCall, OpenCall, RunCost};
use dormouse_store::agent::model_setting::allows_paid_calls;
use dormouse_store::agent::spend::{self, Account, Balance};
use dormouse_types::model::{ModelError, ProviderUnavailable, Usage};
use dormouse_types::port::{Model, ModelClass, OutgoingRequest};
use dormouse_types::spend::{
    Amount, Budgets, CallStatus, OverBudget, Price, Unit, cost, reservation,
};
use dormouse_types::{HolderId, RunKey, WorkspaceId};
use jiff::civil::Date;

/// A call that is about to be made, and what it may cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reservation {
    /// The row of the call.
    pub call: NewCall,
    price: Option<Price>,
    request_bytes: u64,
    max_output: u64,
    is_free: bool,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome<'a> {
    /// The model answered; with the provider's figures, if it gave any.
    Answered(Option<&'a Usage>),
    /// The provider refused to serve it, so it cost nothing.
    NotServed,
    /// It broke off, was cancelled or ended otherwise: what it cost is not known.
    Unknown,
}

impl Outcome<'_> {
    /// What an error says about the cost of its call.
    pub fn of_error(error: &ModelError) -> Self {
        match error {
            ModelError::Provider {
                why: ProviderUnavailable::Authentication | ProviderUnavailable::Quota,
                ..
            } => Self::NotServed,
            ModelError::Provider { why: ProviderUnavailable::Outage, .. }
            | ModelError::Request { .. } => Self::Unknown,
        }
    }
}

/// The most that a request may cost. A model that is free costs nothing.
pub fn price_of(model: &dyn Model, outgoing: &OutgoingRequest) -> Amount {
    match model.class() {
        ModelClass::Free => Amount { unit: Unit::Tokens, value: 0 },
        ModelClass::Paid => {
            let bytes = u64::try_from(outgoing.body.len()).unwrap_or(u64::MAX);
            reservation(model.price().as_ref(), bytes, model.max_output())
        }
    }
}

/// Returns the scope whose budget leaves no room, once a reservation was refused.
///
/// `agent` is the balance of the agent's account; if it has room, the workspace has none.
pub fn scope_without_room(
    budgets: &Budgets,
    amount: Amount,
    agent: Option<&Balance>,
) -> OverBudget {
    let used = agent.map_or(0, |balance| balance.reserved.saturating_add(balance.spent));
    match budgets.limit(OverBudget::Agent, amount.unit) {
        Some(limit) if used.saturating_add(amount.value) > limit => OverBudget::Agent,
        Some(_) | None => OverBudget::Workspace,
    }
}

/// Returns the name of the account of a scope.
fn account_scope(scope: OverBudget, run: &RunKey, holder: &HolderId) -> String {
    match scope {
        OverBudget::Wake => run.to_string(),
        OverBudget::Agent => holder.to_string(),
        OverBudget::Workspace => spend::WORKSPACE.to_owned(),
    }
}

/// Returns whether a wake would go beyond its own cap with a call.
pub fn is_beyond_wake(budgets: &Budgets, so_far: RunCost, amount: Amount) -> bool {
    let limit = budgets.limit(OverBudget::Wake, amount.unit);
    limit.is_some_and(|limit| so_far.micro_dollars.saturating_add(amount.value) > limit)
}

impl Reservation {
    /// Prepares the row of a call of `model`.
    pub fn new(call: NewCall, model: &dyn Model, outgoing: &OutgoingRequest) -> Self {
        Self {
            call,
            price: model.price(),
            request_bytes: u64::try_from(outgoing.body.len()).unwrap_or(u64::MAX),
            max_output: model.max_output(),
            is_free: model.class() == ModelClass::Free,
        }
    }

    /// Returns the accounts that the call is reserved in.
    fn accounts(&self) -> impl Iterator<Item = (OverBudget, Account)> {
        let scopes = if self.is_free { &[] } else { self.call.reserved.unit.daily_scopes() };
        scopes.iter().map(|scope| {
            let name = account_scope(*scope, &self.call.run, &self.call.holder);
            (*scope, self.in_scope(name))
        })
    }

    fn in_scope(&self, scope: String) -> Account {
        Account { scope, day: self.call.day, unit: self.call.reserved.unit }
    }

    /// Returns the account of the holder, to find out why a reservation was refused.
    pub fn holder_account(&self) -> Account {
        self.in_scope(self.call.holder.to_string())
    }

    /// Builds the ops that reserve the amount in every scope, or nothing at all.
    pub fn ops(&self, ws: WorkspaceId, budgets: &Budgets) -> Vec<Op> {
        let mut ops = vec![model_call::insert(ws, &self.call)];
        if self.is_free {
            return ops;
        }
        ops.push(allows_paid_calls(ws));
        let Amount { unit, value } = self.call.reserved;
        for (scope, account) in self.accounts() {
            let limit = budgets.limit(scope, unit).unwrap_or(i64::MAX);
            ops.push(spend::reserve(ws, &account, value, limit));
        }
        ops
    }

    /// Returns what the provider says that the call used, if that can be right.
    pub fn believed<'a>(&self, usage: Option<&'a Usage>) -> Option<&'a Usage> {
        let price = self.price.as_ref();
        usage.filter(|usage| cost(price, usage, self.request_bytes, self.max_output).is_some())
    }

    /// Builds the ops that replace the reservation by what the call did cost.
    ///
    /// A figure that cannot be right, or none, counts as the whole reservation.
    pub fn settled(&self, ws: WorkspaceId, outcome: Outcome<'_>) -> Vec<Op> {
        let reserved = self.call.reserved.value;
        let price = self.price.as_ref();
        let (status, spent, usage) = match outcome {
            Outcome::NotServed => (CallStatus::Settled, 0, None),
            Outcome::Unknown => (CallStatus::Assumed, reserved, None),
            Outcome::Answered(usage) => {
                let cost_of = |usage| cost(price, usage, self.request_bytes, self.max_output);
                match usage.and_then(|usage| Some((cost_of(usage)?, usage))) {
                    Some((_, usage)) if self.is_free => (CallStatus::Settled, 0, Some(usage)),
                    Some((cost, usage)) => (CallStatus::Settled, cost.value, Some(usage)),
                    None => (CallStatus::Assumed, reserved, None),
                }
            }
        };
        let mut ops = vec![model_call::settle(ws, &self.call, status, spent, usage)];
        let accounts = self.accounts();
        ops.extend(accounts.map(|(_, account)| spend::settle(ws, &account, reserved, spent)));
        ops
    }
}

/// Builds the ops that settle the open calls of a run as a whole, from outside the run: nobody knows
/// what they cost. Refused as stale if a call began or was settled since they were read.
pub fn assumed(ws: WorkspaceId, run: &RunKey, open: &[OpenCall]) -> Vec<Op> {
    let mut ops = vec![model_call::assume(ws, run, open.len())];
    // A call of a model that is free reserves nothing, in no account.
    for call in open.iter().filter(|call| call.reserved.value > 0) {
        let Amount { unit, value } = call.reserved;
        ops.extend(unit.daily_scopes().iter().map(|scope| {
            let scope = account_scope(*scope, run, &call.holder);
            spend::settle(ws, &Account { scope, day: call.day, unit }, value, value)
        }));
    }
    ops
}

/// Says why a wake may not make a call, for a person.
pub fn refusal(scope: OverBudget, amount: Amount, day: Date) -> String {
    let what = match amount.unit {
        Unit::MicroDollars => dollars(amount.value),
        Unit::Tokens => format!("{} tokens", amount.value),
    };
    match scope {
        OverBudget::Wake => format!(
            "the next call may cost {what}, more than is left of what one wake may spend; what \
             stood before stays"
        ),
        OverBudget::Agent => {
            format!("the next call may cost {what}, more than this agent may still spend on {day}")
        }
        OverBudget::Workspace => {
            format!("the next call may cost {what}, more than all agents may still spend on {day}")
        }
    }
}

/// Writes an amount of money. Units: micro-dollars.
fn dollars(micros: i64) -> String {
    let cents = micros.max(0).div_euclid(100);
    format!("${}.{:04}", cents / 10_000, cents % 10_000)
}
