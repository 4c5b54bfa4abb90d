//! What a run may spend: an amount is reserved before a call and settled after it.

use std::time::Duration;

use dormouse_store::Op;
use dormouse_store::agent::model_call;
use dormouse_store::agent::model_call::{NewCall, OpenCall, RunCost};
use dormouse_store::agent::model_setting::allows_paid_calls;
use dormouse_store::agent::spend::{self, Account, Balance, SpendScope};
use dormouse_types::hash::sha256;
use dormouse_types::model::{ModelError, Usage};
use dormouse_types::port::{Model, ModelClass, OutgoingRequest};
use dormouse_types::spend::{
    Amount, Budgets, CallStatus, OverBudget, Price, Unit, charge, cost, dollars, reservation,
};
use dormouse_types::{HolderId, RunKey, Timestamp, WorkspaceId};
use jiff::civil::Date;

/// How soon a run tries again that paid calls were switched off for. Switching them on makes it due
/// at once.
pub const PAID_CALLS_OFF: Duration = Duration::from_secs(3600);

/// Holders that wait for the budget of the next day begin within this time after midnight.
const SPREAD: Duration = Duration::from_secs(600);

/// Returns how long after midnight a holder begins that waited for the budget of the day.
///
/// It follows from its id alone, so that a wake which is put off again keeps its place.
pub fn after_midnight(holder: &HolderId) -> Duration {
    let digest = sha256(holder.as_str());
    let place = u32::from_str_radix(&digest.as_str()[..4], 16).unwrap_or(0);
    SPREAD * place / 0x1_0000
}

/// A call that is about to be made, and what it may cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reservation {
    /// The row of the call.
    pub call: NewCall,
    price: Option<Price>,
    request_bytes: u64,
    max_output: u64,
    is_free: bool,
    /// The scopes whose budgets it counts in.
    scopes: &'static [OverBudget],
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome<'a> {
    /// The model answered; with the provider's figures, if it gave any.
    Answered(Option<&'a Usage>),
    /// The provider refused to serve it, or was sent nothing of it, so it cost nothing.
    NotServed,
    /// It was cancelled or ended otherwise, or its answer cannot be used: what it cost is not known.
    Unknown,
    /// The provider broke it off or never answered: what it cost is not known either, and the wake is
    /// no cause of it.
    BrokenOff,
    /// The program stopped, or a person switched paid calls off: what it cost is not known either, and the wake
    /// is no cause of it.
    Interrupted,
    /// Of several calls that were reserved together, the provider counted some: what they cost in all
    /// is not known.
    PartlyCounted(&'a Usage),
}

impl Outcome<'_> {
    /// What an error says about the cost of its call.
    pub fn of_error(error: &ModelError) -> Self {
        match error {
            _ if error.costs_nothing() => Self::NotServed,
            ModelError::Provider { .. } => Self::BrokenOff,
            ModelError::Rejected { .. } | ModelError::Request { .. } => Self::Unknown,
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

/// What the calls of a model are counted in.
pub fn unit_of(model: &dyn Model) -> Unit {
    if model.price().is_some() { Unit::MicroDollars } else { Unit::Tokens }
}

/// Returns the scope whose budget leaves no room, once a reservation was refused.
///
/// `agent` is the balance of the agent's account; if it has room, the workspace has none.
pub fn scope_without_room(
    budgets: &Budgets,
    amount: Amount,
    agent: Option<&Balance>,
) -> OverBudget {
    let used = agent.map_or(0, |balance| balance.used().saturating_sub(balance.extra));
    match budgets.limit(OverBudget::Agent, amount.unit) {
        Some(limit) if used.saturating_add(amount.value) > limit => OverBudget::Agent,
        Some(_) | None => OverBudget::Workspace,
    }
}

/// Returns whose account a budget is counted in; `None` for that of a wake, which sums its own calls.
fn account_scope(scope: OverBudget, holder: &HolderId) -> Option<SpendScope> {
    match scope {
        OverBudget::Wake => None,
        OverBudget::Agent => Some(SpendScope::Holder(holder.clone())),
        OverBudget::Workspace => Some(SpendScope::Workspace),
    }
}

/// Returns the cap of a wake that would go beyond it with a call; `None` if it would not.
pub fn cap_exceeded(budgets: &Budgets, so_far: RunCost, amount: Amount) -> Option<Amount> {
    let limit = budgets.limit(OverBudget::Wake, amount.unit)?;
    let is_beyond = so_far.micro_dollars.saturating_add(amount.value) > limit;
    is_beyond.then_some(Amount { value: limit, ..amount })
}

impl Reservation {
    /// Prepares the row of a call of `model`.
    pub fn new(call: NewCall, model: &dyn Model, outgoing: &OutgoingRequest) -> Self {
        let is_free = model.class() == ModelClass::Free;
        Self {
            scopes: if is_free { &[] } else { call.reserved.unit.daily_scopes() },
            call,
            price: model.price(),
            request_bytes: u64::try_from(outgoing.body.len()).unwrap_or(u64::MAX),
            max_output: model.max_output(),
            is_free,
        }
    }

    /// Prepares the row of a call that no agent makes: it counts for all agents together only.
    pub fn of_workspace(call: NewCall, model: &dyn Model, outgoing: &OutgoingRequest) -> Self {
        let reservation = Self::new(call, model, outgoing);
        let scopes = if reservation.is_free { &[][..] } else { &[OverBudget::Workspace] };
        Self { scopes, ..reservation }
    }

    /// Returns when the call was about to be made.
    pub fn asked_at(&self) -> Timestamp {
        self.call.at
    }

    /// Returns the accounts that the call is reserved in.
    fn accounts(&self) -> impl Iterator<Item = (OverBudget, Account)> {
        self.scopes.iter().filter_map(|scope| {
            let of = account_scope(*scope, &self.call.holder)?;
            Some((*scope, self.in_scope(of)))
        })
    }

    fn in_scope(&self, scope: SpendScope) -> Account {
        Account { scope, day: self.call.day, unit: self.call.reserved.unit }
    }

    /// Returns the account of the holder, to find out why a reservation was refused.
    pub fn holder_account(&self) -> Account {
        self.in_scope(SpendScope::Holder(self.call.holder.clone()))
    }

    /// Builds the op that notes that a scope has no room for this call.
    ///
    /// Only the scopes that have a budget for a day are noted; a wake's own cap ends the wake.
    pub fn held(&self, ws: WorkspaceId, scope: OverBudget, budgets: &Budgets) -> Option<Op> {
        let Amount { unit, value } = self.call.reserved;
        let (_, account) = self.accounts().find(|(of, _)| *of == scope)?;
        let limit = budgets.limit(scope, unit)?;
        Some(spend::hold(ws, &account, self.call.at, value, limit))
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
        let (status, spent, usage) = self.settlement(outcome);
        let mut ops = vec![model_call::settle(ws, &self.call, status, spent, usage)];
        let accounts = self.accounts();
        ops.extend(accounts.map(|(_, account)| spend::settle(ws, &account, reserved, spent)));
        ops
    }

    /// Returns what the call is booked with, in the unit of its reservation, and whether that is the whole
    /// reservation because nobody knows what it did cost.
    pub fn booked(&self, outcome: Outcome<'_>) -> (Amount, bool) {
        let (status, value, _) = self.settlement(outcome);
        (Amount { value, ..self.call.reserved }, status != CallStatus::Settled)
    }

    fn settlement<'a>(&self, outcome: Outcome<'a>) -> (CallStatus, i64, Option<&'a Usage>) {
        let reserved = self.call.reserved.value;
        let price = self.price.as_ref();
        match outcome {
            Outcome::NotServed => (CallStatus::Settled, 0, None),
            Outcome::Unknown => (CallStatus::Assumed, reserved, None),
            Outcome::BrokenOff => (CallStatus::BrokenOff, reserved, None),
            Outcome::Interrupted => (CallStatus::Interrupted, reserved, None),
            Outcome::PartlyCounted(usage) => {
                (CallStatus::Assumed, reserved, self.believed(Some(usage)))
            }
            Outcome::Answered(usage) => {
                let (bytes, output) = (self.request_bytes, self.max_output);
                let charged = |usage| charge(price, usage, bytes, output, self.call.reserved);
                match self.believed(usage).map(|usage| (charged(usage), usage)) {
                    Some((_, usage)) if self.is_free => (CallStatus::Settled, 0, Some(usage)),
                    Some((Some(charge), usage)) => (CallStatus::Settled, charge.value, Some(usage)),
                    Some((None, usage)) => (CallStatus::Assumed, reserved, Some(usage)),
                    None => (CallStatus::Assumed, reserved, None),
                }
            }
        }
    }
}

/// Builds the ops that settle the open calls of a run as a whole, from outside the run: nobody knows
/// what they cost. Refused as stale if a call began or was settled since they were read.
pub fn assumed(ws: WorkspaceId, run: &RunKey, open: &[OpenCall]) -> Vec<Op> {
    let mut ops = vec![model_call::assume(ws, run, open.len())];
    // A call of a model that is free reserves nothing, in no account.
    for call in open.iter().filter(|call| call.reserved.value > 0) {
        let Amount { unit, value } = call.reserved;
        ops.extend(unit.daily_scopes().iter().filter_map(|scope| {
            let scope = account_scope(*scope, &call.holder)?;
            Some(spend::settle(ws, &Account { scope, day: call.day, unit }, value, value))
        }));
    }
    ops
}

/// Says why a wake may not make a call, for a person.
pub fn refusal(scope: OverBudget, amount: Amount, day: Date) -> String {
    let who = match scope {
        OverBudget::Wake => "this wake",
        OverBudget::Agent => "this agent",
        OverBudget::Workspace => "all agents",
    };
    format!("the next call may cost {}, more than {who} may still spend on {day}", words(amount))
}

/// Says why a test of a model may not be made, for a person, and what they can do.
pub fn test_refusal(amount: Amount, day: Date) -> String {
    let budget = match amount.unit {
        Unit::MicroDollars => "--day DOLLARS",
        Unit::Tokens => "--tokens TOKENS",
    };
    format!(
        "a test makes up to four calls, which may cost {} together, more than all agents may still spend on {day}: \
         `dormouse models budget {budget}` raises the budget",
        words(amount)
    )
}

/// Says that a wake has no room for a call below its cap, for a person.
pub fn wake_refusal(cap: Amount, so_far: RunCost, amount: Amount) -> String {
    let spent = Amount { value: so_far.micro_dollars, ..cap };
    format!(
        "the next call may cost {}, and one wake may spend {}, of which {} is used: raise what a wake may \
         spend, or choose a cheaper model; what was there before stays",
        words(amount),
        words(cap),
        words(spent)
    )
}

fn words(amount: Amount) -> String {
    match amount.unit {
        Unit::MicroDollars => dollars(amount.value),
        Unit::Tokens => format!("{} tokens", amount.value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holders_begin_spread_over_ten_minutes_and_each_always_at_the_same_time() {
        let holder =
            |n: u32| format!("ag-{n:0>26}").parse::<HolderId>().expect("the id of a holder");
        let mut minutes = [0; 10];
        for n in 0..1_000 {
            let after = after_midnight(&holder(n));
            assert_eq!(after, after_midnight(&holder(n)), "{n}");
            assert!(after < SPREAD, "{n}: {after:?}");
            minutes[usize::try_from(after.as_secs() / 60).expect("a minute")] += 1;
        }
        assert!(minutes.iter().all(|n| (50..=150).contains(n)), "{minutes:?}");
    }
}
