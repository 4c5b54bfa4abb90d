//! What calls of a model cost, and how much may be spent: rules about amounts, without rows.
//!
//! Money is counted in micro-dollars (millionths of a US dollar), so that sums are exact.

use serde::{Deserialize, Serialize};

use crate::model::Usage;

crate::closed_list! {
    /// What an amount counts.
    pub enum Unit, "unit" {
        /// Millionths of a US dollar.
        MicroDollars = "microDollars",
        /// Tokens of a model without a price.
        Tokens = "tokens",
    }
}

crate::closed_list! {
    /// What is known of the cost of a call.
    pub enum CallStatus, "status of a call" {
        /// The call is under way, or its process died: it counts as its reservation.
        Reserved = "reserved",
        /// The provider said what was used.
        Settled = "settled",
        /// The call ended without a usable figure: it counts as its reservation.
        Assumed = "assumed",
        /// The provider broke the call off: it counts as its reservation for the budgets of the day, and
        /// not for what one wake may spend, because the wake is no cause of it.
        BrokenOff = "brokenOff",
        /// It was ended from outside: the program stopped, or a person switched paid calls off. It counts as
        /// its reservation for the budgets of the day, and not for what one wake may spend.
        Interrupted = "interrupted",
    }
}

/// The price of a model. Units: micro-dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Price {
    /// Input that no cache served.
    pub input: u64,
    /// Input that a cache served.
    pub cached_input: u64,
    /// Input that was written to a cache.
    pub cache_write: u64,
    /// Output, reasoning included.
    pub output: u64,
}

impl Price {
    /// The dearest price of input.
    fn dearest_input(&self) -> u64 {
        self.input.max(self.cache_write).max(self.cached_input)
    }
}

/// An amount of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Amount {
    /// What is counted.
    pub unit: Unit,
    /// How much.
    pub value: i64,
}

/// The smallest request that a byte count can mean. Units: bytes per token.
///
/// Two bytes a token is above what any tokenizer needs for text, so that a reservation is not too
/// small; see `docs/adr/0011-reserve-then-settle.md`.
const BYTES_PER_TOKEN: u64 = 2;

/// What a call may cost at most: one token per two bytes of the request at the dearest price of
/// input, plus all the output it may write.
pub fn reservation(price: Option<&Price>, request_bytes: u64, max_output: u64) -> Amount {
    let input = request_bytes.div_ceil(BYTES_PER_TOKEN);
    match price {
        None => tokens(input.saturating_add(max_output)),
        Some(price) => {
            money(part(input, price.dearest_input()).saturating_add(part(max_output, price.output)))
        }
    }
}

/// What the calls of the shortest run may cost at most. Each call after the first sends again what the one before it
/// sent, with what was answered.
pub fn run_reservation(
    price: Option<&Price>,
    request_bytes: u64,
    max_output: u64,
    calls: u32,
) -> Amount {
    let none = reservation(price, 0, 0);
    (0..u64::from(calls)).fold(none, |sum, before| {
        let bytes = request_bytes.saturating_add(before.saturating_mul(ANSWER_BYTES));
        let call = reservation(price, bytes, max_output);
        Amount { value: sum.value.saturating_add(call.value), ..call }
    })
}

/// Returns the largest prompt whose call takes at most three quarters of what one run may spend, so that a turn is
/// left after it; `None` if its input is free. Units: tokens.
pub fn affordable_prompt(budgets: &Budgets, price: &Price, max_output: u64) -> Option<u64> {
    within(budgets.wake / 4 * 3, price, max_output)
}

/// Returns the largest prompt whose call costs at most an amount. Units: micro-dollars; tokens.
fn within(most: i64, price: &Price, max_output: u64) -> Option<u64> {
    let answer = reservation(Some(price), 0, max_output);
    let left = u64::try_from(most - answer.value).unwrap_or(0);
    let reserved = left.saturating_mul(1_000_000).checked_div(price.dearest_input())?;
    Some(reserved.saturating_mul(BYTES_PER_TOKEN) / BYTES_OF_ESTIMATE)
}

/// Returns the largest request of a call that can be left out: it takes at most half of what one run may spend, so that
/// the turns of the run are left the other half; `None` if its input is free. Units: tokens.
pub fn affordable_fold(budgets: &Budgets, price: &Price, max_output: u64) -> Option<u64> {
    within(budgets.wake / 2, price, max_output)
}

/// Units: bytes. What is reserved counts two bytes a token; the estimate that fills a window counts four.
const BYTES_OF_ESTIMATE: u64 = 4;

/// Units: bytes. What an answer of a usual size and the results of its calls add to the next request: 1,000 tokens of
/// four bytes.
const ANSWER_BYTES: u64 = 4_000;

/// What a call did cost, by the provider's own figures; `None` if they cannot be right.
///
/// `request_bytes` and `max_output` are those of the reservation. What a request of this size cannot
/// make, or less than it must, is not believed. A call may turn out dearer than was reserved for it:
/// languages differ in how many bytes a token has, and providers add text of their own. It is charged
/// as it is, and the next call finds that much less left.
pub fn cost(
    price: Option<&Price>,
    usage: &Usage,
    request_bytes: u64,
    max_output: u64,
) -> Option<Amount> {
    if !is_plausible(usage, request_bytes, max_output) {
        return None;
    }
    Some(match price {
        None => tokens(usage.input.saturating_add(usage.output)),
        Some(price) => {
            let plain = usage.input - usage.cached_input - usage.cache_write;
            let parts = [
                part(plain, price.input),
                part(usage.cached_input, price.cached_input),
                part(usage.cache_write, price.cache_write),
                part(usage.output, price.output),
            ];
            money(parts.into_iter().fold(0, u64::saturating_add))
        }
    })
}

/// What a call is charged: the provider's own figure, if it gives one in money, else what its tokens
/// cost. `None` if either cannot be right; then the whole reservation is.
///
/// A figure of money says nothing unless the tokens can be right, so that a small one hides no usage that
/// is missing. It may differ from the price table, which may be out of date, by a factor of ten.
pub fn charge(
    price: Option<&Price>,
    usage: &Usage,
    request_bytes: u64,
    max_output: u64,
    reserved: Amount,
) -> Option<Amount> {
    let computed = cost(price, usage, request_bytes, max_output)?;
    match (computed.unit, usage.cost) {
        (Unit::MicroDollars, Some(charged)) => {
            let most = reserved.value.saturating_mul(MOST_RESERVATIONS);
            Some(money(charged)).filter(|charged| charged.value <= most)
        }
        (Unit::MicroDollars, None) | (Unit::Tokens, _) => Some(computed),
    }
}

/// More reservations than a call can cost.
const MOST_RESERVATIONS: i64 = 10;

/// Units: bytes. A request makes at least one token of so many bytes: the average of a tokenizer is
/// 4, and no text has an average of 64.
const LONGEST_TOKENS: u64 = 64;

/// Units: tokens. What a provider may add to a request by itself, for example how to call tools.
const ADDED_TOKENS: u64 = 4096;

fn is_plausible(usage: &Usage, request_bytes: u64, max_output: u64) -> bool {
    let parts = usage.cached_input.checked_add(usage.cache_write);
    usage.input > 0
        && parts.is_some_and(|parts| parts <= usage.input)
        && usage.reasoning <= usage.output
        && usage.input >= request_bytes / LONGEST_TOKENS
        && usage.input <= request_bytes.saturating_add(ADDED_TOKENS)
        && usage.output <= max_output.saturating_mul(2)
}

/// Rounded up: a part of a micro-dollar is one.
fn part(tokens: u64, price: u64) -> u64 {
    let micros = u128::from(tokens) * u128::from(price);
    u64::try_from(micros.div_ceil(1_000_000)).unwrap_or(u64::MAX)
}

fn money(micros: u64) -> Amount {
    Amount { unit: Unit::MicroDollars, value: i64::try_from(micros).unwrap_or(i64::MAX) }
}

fn tokens(count: u64) -> Amount {
    Amount { unit: Unit::Tokens, value: i64::try_from(count).unwrap_or(i64::MAX) }
}

/// Writes an amount of money: dollars with two decimals, or four if it has a part of a cent. Units:
/// micro-dollars, rounded up to a hundredth of a cent.
pub fn dollars(micros: i64) -> String {
    let hundredths = micros.max(0).div_euclid(100) + i64::from(micros.max(0) % 100 > 0);
    let (whole, part) = (hundredths / 10_000, hundredths % 10_000);
    if part % 100 == 0 {
        return format!("${whole}.{:02}", part / 100);
    }
    format!("${whole}.{part:04}")
}

/// How much may be spent. Units: micro-dollars, and tokens of models without a price.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct Budgets {
    /// By all agents on one day. Units: micro-dollars.
    pub workspace_day: i64,
    /// By one agent on one day. Units: micro-dollars.
    pub agent_day: i64,
    /// By one wake. Units: micro-dollars.
    pub wake: i64,
    /// By all agents on one day, on models without a price. Units: tokens.
    pub unpriced_day: i64,
}

impl Default for Budgets {
    fn default() -> Self {
        Self { workspace_day: 3_000_000, agent_day: 500_000, wake: 100_000, unpriced_day: 500_000 }
    }
}

/// The scope whose budget leaves no room for a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum OverBudget {
    /// The wake's own.
    Wake,
    /// The agent's, for the day.
    Agent,
    /// The workspace's, for the day.
    Workspace,
}

impl Unit {
    /// The scopes that have a budget for a day in this unit.
    pub fn daily_scopes(self) -> &'static [OverBudget] {
        match self {
            Self::MicroDollars => &[OverBudget::Agent, OverBudget::Workspace],
            Self::Tokens => &[OverBudget::Workspace],
        }
    }
}

impl Budgets {
    /// The limit of a scope for amounts of a unit; `None` if the scope has none.
    pub fn limit(&self, scope: OverBudget, unit: Unit) -> Option<i64> {
        match (scope, unit) {
            (OverBudget::Wake, Unit::MicroDollars) => Some(self.wake),
            (OverBudget::Agent, Unit::MicroDollars) => Some(self.agent_day),
            (OverBudget::Workspace, Unit::MicroDollars) => Some(self.workspace_day),
            (OverBudget::Workspace, Unit::Tokens) => Some(self.unpriced_day),
            (OverBudget::Wake | OverBudget::Agent, Unit::Tokens) => None,
        }
    }

    /// The budgets, and what they allow, that have no room for this amount even if nothing else is spent.
    pub fn too_small_for(&self, amount: Amount) -> Vec<(OverBudget, i64)> {
        [OverBudget::Wake, OverBudget::Agent, OverBudget::Workspace]
            .into_iter()
            .filter_map(|scope| Some((scope, self.limit(scope, amount.unit)?)))
            .filter(|(_, limit)| amount.value > *limit)
            .collect()
    }
}

impl Amount {
    /// The smallest budget that a person would set for this: whole cents, or tokens.
    pub fn as_budget(self) -> i64 {
        match self.unit {
            Unit::MicroDollars => self.value.max(0).saturating_add(9_999) / 10_000 * 10_000,
            Unit::Tokens => self.value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 3 dollars a million in, 15 out.
    const PRICE: Price = Price {
        input: 3_000_000,
        cached_input: 300_000,
        cache_write: 3_750_000,
        output: 15_000_000,
    };

    fn used(input: u64, cached_input: u64, output: u64) -> Usage {
        Usage { input, cached_input, output, ..Usage::default() }
    }

    #[test]
    fn a_prompt_is_affordable_if_its_call_leaves_a_quarter_of_the_cap() {
        let budgets = Budgets { wake: 100_000, ..Budgets::default() };
        let price = Price { input: 1_000_000, cached_input: 0, cache_write: 0, output: 5_000_000 };
        let affordable = affordable_prompt(&budgets, &price, 1_000).expect("a limit");
        let of = |tokens: u64| reservation(Some(&price), tokens * 4, 1_000).value;
        assert!(of(affordable) <= 75_000 && of(affordable + 1) > 75_000, "{affordable}");
        assert_eq!(affordable_prompt(&budgets, &price, 100_000), Some(0), "an answer costs more");
        let free = Price { input: 0, ..price };
        assert_eq!(affordable_prompt(&budgets, &free, 1_000), None);
    }

    #[test]
    fn a_reservation_takes_the_dearest_input_and_all_output() {
        // 1,000 bytes are 500 tokens, 3.75 micro-dollars each; 100 tokens of output are 15 each.
        let amount = reservation(Some(&PRICE), 1000, 100);
        assert_eq!(amount, Amount { unit: Unit::MicroDollars, value: 1875 + 1500 });
        let amount = reservation(None, 1001, 100);
        assert_eq!(amount, Amount { unit: Unit::Tokens, value: 601 });
    }

    #[test]
    fn a_run_reserves_each_of_its_calls_with_what_was_said_before() {
        let one = run_reservation(Some(&PRICE), 1000, 100, 1);
        assert_eq!(one, reservation(Some(&PRICE), 1000, 100));
        let two = run_reservation(Some(&PRICE), 1000, 100, 2);
        assert_eq!(two.value, one.value + reservation(Some(&PRICE), 5000, 100).value);
        assert_eq!(run_reservation(None, 1000, 100, 2), tokens(600 + 2600));
        assert_eq!(
            [two.value, 10_000, 10_001, 0].map(|value| money(value.unsigned_abs()).as_budget()),
            [20_000, 10_000, 20_000, 0]
        );
        assert_eq!(tokens(3_201).as_budget(), 3_201);
    }

    #[test]
    fn a_cost_counts_each_part_at_its_price_and_never_less_than_one() {
        let usage = used(400, 300, 10);
        let cost_of = |usage| cost(Some(&PRICE), &usage, 1000, 100).map(|amount| amount.value);
        assert_eq!(cost_of(usage), Some(300 + 90 + 150));
        let write = Usage { cache_write: 100, ..used(400, 300, 10) };
        assert_eq!(cost_of(write), Some(90 + 375 + 150));
        let cheap = Price { input: 1, cached_input: 1, cache_write: 1, output: 1 };
        assert_eq!(cost(Some(&cheap), &used(400, 0, 10), 1000, 100).map(|a| a.value), Some(2));
        assert_eq!(cost(None, &usage, 1000, 100).map(|a| a.value), Some(410));
    }

    #[test]
    fn a_figure_of_the_provider_goes_before_the_table_if_its_tokens_can_be_right() {
        let reserved = reservation(Some(&PRICE), 1000, 100);
        let charged = |usage, cost| {
            let usage = Usage { cost, ..usage };
            charge(Some(&PRICE), &usage, 1000, 100, reserved).map(|amount| amount.value)
        };
        let usage = used(400, 300, 10);
        assert_eq!(charged(usage, None), Some(540), "by the table");
        assert_eq!(charged(usage, Some(123)), Some(123));
        assert_eq!(charged(usage, Some(0)), Some(0), "a variant that is free");
        assert_eq!(charged(usage, Some(33_750)), Some(33_750));
        assert_eq!(charged(usage, Some(33_751)), None, "more than ten reservations");
        assert_eq!(charged(usage, Some(u64::MAX)), None);
        assert_eq!(charged(used(0, 0, 0), Some(1)), None, "no tokens are no call");
        let tokens = reservation(None, 1000, 100);
        let usage = Usage { cost: Some(123), ..usage };
        assert_eq!(charge(None, &usage, 1000, 100, tokens), Some(super::tokens(410)));
    }

    #[test]
    fn a_call_is_compared_with_every_budget_that_counts_its_unit() {
        let budgets = Budgets { workspace_day: 300, agent_day: 200, wake: 100, unpriced_day: 50 };
        let too_small = |unit, value| budgets.too_small_for(Amount { unit, value });
        assert_eq!(too_small(Unit::MicroDollars, 100), []);
        assert_eq!(too_small(Unit::MicroDollars, 101), [(OverBudget::Wake, 100)]);
        assert_eq!(
            too_small(Unit::MicroDollars, 301),
            [(OverBudget::Wake, 100), (OverBudget::Agent, 200), (OverBudget::Workspace, 300)]
        );
        assert_eq!(too_small(Unit::Tokens, 51), [(OverBudget::Workspace, 50)]);
        assert_eq!(too_small(Unit::Tokens, 0), [], "a call that is free");
    }

    #[test]
    fn amounts_keep_the_parts_of_a_cent_and_are_never_rounded_to_nothing() {
        let written = [0, 1, 600, 6_000, 500_000, 1_234_500, 3_000_000].map(dollars);
        let expected = ["$0.00", "$0.0001", "$0.0006", "$0.0060", "$0.50", "$1.2345", "$3.00"];
        assert_eq!(written, expected);
    }

    #[test]
    fn a_figure_that_cannot_be_right_is_not_believed() {
        for (what, usage) in [
            ("nothing", used(0, 0, 0)),
            ("more cached than there was", used(400, 500, 10)),
            ("less than the request can be", used(3, 0, 10)),
            ("more than its bytes", used(6000, 0, 10)),
            ("more output than allowed", used(400, 0, 1000)),
            ("absurd", used(u64::MAX, u64::MAX, u64::MAX)),
            ("more reasoning than output", Usage { reasoning: 11, ..used(400, 0, 10) }),
        ] {
            assert_eq!(cost(Some(&PRICE), &usage, 1000, 100), None, "{what}");
        }
        let most = reservation(Some(&PRICE), u64::MAX, u64::MAX);
        assert_eq!(most.value, i64::MAX, "it does not wrap");
    }
}
