//! What callers see of models: settings, tests, the question before a choice, usage.

use dormouse_types::closed_list::Listed;
use dormouse_types::memory::ASSUMED_WINDOW;
use dormouse_types::model_settings::{
    AllowedCategories, KeySource, KnownModel, OfferedModel, Provider, ToolMode,
};
use dormouse_types::port::Model;
use dormouse_types::spend::{
    Amount, Budgets, OverBudget, Price, Unit, reservation, run_reservation,
};
use serde::{Deserialize, Serialize};

/// Providers, models and budgets of the workspace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ModelsView {
    /// The model that agents ask which have none of their own: `builtin` or `provider/model`.
    pub model: String,
    /// What decided it.
    pub chosen_by: ChosenBy,
    /// The model that folds the memory of those agents; `null` means the one that thinks.
    pub summarising: Option<String>,
    /// Models that were chosen or tested, and the built-in one first.
    pub models: Vec<ModelView>,
    /// Providers that were added.
    pub providers: Vec<ProviderView>,
    /// Providers whose keys were found and which nobody added: usable, not in use.
    pub found: Vec<ProviderView>,
    /// Providers whose addresses and formats are known, added or not. A name or an address of them is enough.
    pub known: Vec<Provider>,
    /// Whether calls that cost money may be made.
    pub paid_calls: bool,
    /// What may be spent.
    pub budgets: Budgets,
    /// What is wrong with keys and prices on this machine, one sentence each.
    pub problems: Vec<String>,
}

/// A model server that runs on this machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FoundServer {
    /// The provider that it would be; whether it is the person's own is a suggestion.
    pub provider: Provider,
    /// The models that it offers, by name.
    pub models: Vec<OfferedModel>,
}

/// What decided which model is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum ChosenBy {
    /// Nobody chose: the built-in model.
    Nobody,
    /// A person.
    Person,
    /// `DORMOUSE_MODEL`.
    Environment,
}

/// A model that was chosen or tested.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ModelView {
    /// `builtin` or `provider/model`.
    pub id: String,
    /// How it calls tools, as a test showed; `null` before the first test.
    pub tool_mode: Option<ToolMode>,
    /// Why it does not call tools itself, as the test showed; `null` if it does, or nobody knows.
    pub why_not_native: Option<String>,
    /// Whether a test showed that it calls tools in no way. It is not tried again by itself.
    pub calls_nothing: bool,
    /// Its context window, by which its memory is folded; `null` for the built-in model, which has no
    /// limit. Units: tokens.
    pub window: Option<u64>,
    /// Where the window comes from; `null` without one.
    pub window_source: Option<WindowSource>,
    /// How much an agent remembers in lines before older ones are folded, at the most, if this model folds
    /// them: less where rules and tools fill a small window. `null` without a window. Units: tokens.
    pub folds_at: Option<u64>,
    /// How much of the newest lines then stays as it is; `null` without a window. Units: tokens.
    pub keeps: Option<u64>,
    /// What it costs; `null` if it is free or nobody knows.
    pub price: Option<Price>,
    /// Where the price comes from; `null` without one.
    pub price_source: Option<PriceSource>,
    /// Whether calls cost nothing.
    pub is_free: bool,
    /// How many agents ask it now.
    pub agents: usize,
    /// Why it cannot be used; `null` if nothing is known against it.
    pub problem: Option<String>,
}

/// Where a context window comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum WindowSource {
    /// A person set it.
    SetByYou,
    /// The server stated it when the model was tested.
    Stated,
    /// Nobody says, so a small one is assumed.
    Assumed,
}

/// Where a price comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PriceSource {
    /// Whether a person set it here, so that it goes before the price table.
    pub is_set_by_you: bool,
    /// The day on which it was set or found, `YYYY-MM-DD`.
    pub on: Option<String>,
    /// Where the table has it from; `null` if a person set it.
    pub source: Option<String>,
}

/// A provider and its key, without the key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ProviderView {
    /// The provider.
    #[serde(flatten)]
    pub provider: Provider,
    /// Where its key comes from.
    pub key: KeySource,
    /// The variable that holds the key.
    pub key_variable: Option<String>,
    /// The last four characters of the key.
    pub key_last_four: Option<String>,
    /// The agents that ask its models and whose tasks it is not sent.
    pub kept_back: KeptBackAgents,
}

/// How many agents a provider is sent nothing of, by reason. Their wakes ask no model, and say why.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct KeptBackAgents {
    /// Their tasks are private.
    pub private: usize,
    /// Their tasks are of a category that the provider may not be sent.
    pub category: usize,
}

/// What a test call showed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ModelTestView {
    /// `provider/model`.
    pub id: String,
    /// How it calls tools; `null` if it does in no way, so that it cannot be used.
    pub tool_mode: Option<ToolMode>,
    /// Whether an answer was cut while it thought, and nothing came back: nobody knows yet how it calls tools.
    pub is_cut: bool,
    /// Until the first word. Units: milliseconds.
    pub first_word_ms: Option<u64>,
    /// Input tokens, as the server counted them.
    pub input_tokens: Option<u64>,
    /// Output tokens, as the server counted them.
    pub output_tokens: Option<u64>,
    /// What is booked for the calls together. Units: micro-dollars; `null` if they are free or nobody knows a price.
    pub cost: Option<i64>,
    /// Whether that is the most that they may cost, because the server did not say of each call what it used.
    pub is_cost_assumed: bool,
    /// What the server says of its context window. Units: tokens.
    pub window: Option<u64>,
    /// Why better ways to call tools do not work, in order.
    pub failures: Vec<TestFailure>,
}

/// A way to call tools that does not work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TestFailure {
    /// The way.
    pub tool_mode: ToolMode,
    /// What happened.
    pub detail: String,
}

/// What a person should know before a model becomes that of the workspace, of an agent, of a template or of
/// agent work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ModelQuestion {
    /// The model.
    pub id: String,
    /// Whether no question is needed for an agent, a template or agent work: nothing leaves this machine, it is
    /// the model that a person chose for the workspace, or the model does not change.
    pub is_agreed: bool,
    /// Where the requests go: `here`, or the address of the provider.
    pub sent_to: String,
    /// What it would be used for.
    pub uses: Vec<ModelUse>,
    /// What each request contains.
    pub sent: Vec<String>,
    /// What no request contains.
    pub never_sent: Vec<String>,
    /// The categories that the provider may be sent; `null` means all.
    pub categories: Option<AllowedCategories>,
    /// Of the agents that would ask it, those whose tasks the provider is not sent.
    pub kept_back: KeptBackAgents,
    /// Agents that would ask it; one that is being made counts as well.
    pub agents: usize,
    /// Pieces of agent work that would ask it; one that is being made counts as well.
    pub agent_work: usize,
    /// Agents with a model of their own, which stay with it.
    pub agents_that_stay: usize,
    /// Agents that changes wake by themselves now and would no longer: a model that costs money wakes
    /// by itself only for agents that a person created or switched on.
    pub automations_off: usize,
    /// The names of the first 20 of them, in order.
    pub automations_off_names: Vec<String>,
    /// Completed wakes a day, over the last week.
    pub wakes_a_day: f64,
    /// Runs of that agent work a day, over the last week.
    pub runs_a_day: f64,
    /// What they would cost a day, estimated: each wake and each run counts as one request of 6,000 tokens with
    /// an answer of 1,000, whatever the real ones were. Units: micro-dollars; `null` if it is free or nobody
    /// knows.
    pub cost_a_day: Option<i64>,
    /// Where the price comes from that this is estimated by; `null` if there is none.
    pub price_source: Option<PriceSource>,
    /// The most that those who would ask it may spend a day: the budget of each agent together, or that of all agents
    /// if it is less or holds for others. Units: micro-dollars.
    pub budget_a_day: i64,
    /// The most that one call of a usual size may cost, which is reserved before it; `null` if it is
    /// free.
    pub one_call: Option<Amount>,
    /// The budgets that have no room for such calls, so that wakes would or may fail or wait.
    pub too_small: Vec<TooSmallBudget>,
    /// Whether its provider is not the person's own and has no key.
    pub misses_key: bool,
}

/// What a model is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum ModelUse {
    /// Wakes of agents that watch a task.
    Wakes,
    /// Runs of agent work.
    Runs,
    /// Sessions about templates.
    Sessions,
    /// Summaries of older notes.
    Summaries,
}

/// What a person should know before a provider in use gets another address, or begins or ceases to be the person's own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ProviderQuestion {
    /// Whether no question is needed: none of its models is in use, or neither the address nor whose server it is
    /// changes.
    pub is_agreed: bool,
    /// Its models that are in use.
    pub models: Vec<String>,
    /// Where their requests go now.
    pub sent_to_now: String,
    /// Where they would go.
    pub sent_to: String,
    /// Whether it would be the person's own from now on, so that it is sent private tasks and costs nothing.
    pub becomes_own: bool,
    /// Whether it would be the person's own no more, so that its calls cost money and private tasks are kept from it.
    pub becomes_paid: bool,
    /// What its models are used for.
    pub uses: Vec<ModelUse>,
    /// What each request contains.
    pub sent: Vec<String>,
    /// What no request contains.
    pub never_sent: Vec<String>,
    /// Agents that ask its models.
    pub agents: usize,
    /// Pieces of agent work that ask its models.
    pub agent_work: usize,
    /// Of those agents, the ones whose tasks it is kept from now, and would be sent.
    pub opened_agents: usize,
    /// Of those agents, the ones whose tasks it would not be sent.
    pub kept_back: KeptBackAgents,
    /// Agents that changes wake by themselves now and would no longer.
    pub automations_off: usize,
    /// The names of the first 20 of them, in order.
    pub automations_off_names: Vec<String>,
    /// Completed wakes a day, over the last week.
    pub wakes_a_day: f64,
    /// Runs of that agent work a day, over the last week.
    pub runs_a_day: f64,
    /// What they would cost a day, estimated. Units: micro-dollars; `null` if it is free or nobody knows.
    pub cost_a_day: Option<i64>,
    /// Whether its calls would cost nothing.
    pub is_free: bool,
    /// The most that may be spent a day. Units: micro-dollars.
    pub budget_a_day: i64,
    /// Whether it would have no key, and not be the person's own.
    pub misses_key: bool,
}

/// A budget that has no room for the calls of the shortest run even if nothing else is spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TooSmallBudget {
    /// What it is the budget of: one wake, or an agent or all agents for a day.
    pub scope: OverBudget,
    /// What it allows, in the unit of the calls.
    pub budget: i64,
    /// How many calls have no room in it together. If it is one, each run fails or waits; if it is more, a run does
    /// whose first calls cost nearly the most that they may.
    pub calls: u32,
    /// The most that these calls may cost together.
    pub cost: i64,
    /// A budget that has room for the calls of the shortest run.
    pub enough: i64,
}

/// The calls of the shortest run of a model.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShortestRun {
    /// What its first request reserves.
    pub(crate) first: Amount,
    /// How many calls it makes.
    pub(crate) calls: u32,
    /// What all of them reserve.
    pub(crate) all: Amount,
}

impl ShortestRun {
    /// Of a model whose first request has this size. It is not known yet how a model calls tools that was not tested:
    /// it is taken to call them itself.
    pub(crate) fn of(model: &dyn Model, tool_mode: Option<ToolMode>, request_bytes: u64) -> Self {
        let calls = tool_mode.unwrap_or(ToolMode::Native).shortest_run();
        let (price, max_output) = (model.price(), model.max_output());
        Self {
            first: reservation(price.as_ref(), request_bytes, max_output),
            calls,
            all: run_reservation(price.as_ref(), request_bytes, max_output, calls),
        }
    }

    /// One call of it alone.
    pub(crate) fn one_call(self) -> Self {
        Self { calls: 1, all: self.first, ..self }
    }

    /// The budgets that have no room for it.
    pub(crate) fn too_small(self, budgets: &Budgets) -> Vec<TooSmallBudget> {
        let too_small = budgets.too_small_for(self.all).into_iter();
        let view = |(scope, budget)| {
            let is_first = self.first.value > budget;
            let (calls, cost) = if is_first { (1, self.first) } else { (self.calls, self.all) };
            let enough = self.all.as_budget();
            TooSmallBudget { scope, budget, calls, cost: cost.value, enough }
        };
        too_small.map(view).collect()
    }
}

/// A model that a provider lists, with what it costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct OfferedModelView {
    /// Its name on the server, the second part of `provider/model`.
    pub name: String,
    /// Its context window, where the server says so. Units: tokens.
    pub window: Option<u64>,
    /// Whether it calls tools, where the server says so.
    pub calls_tools: Option<bool>,
    /// Its price, as a person set it or the price table says; `null` if it is free or nobody knows.
    pub price: Option<Price>,
    /// Whether it costs nothing.
    pub is_free: bool,
}

/// The use of a model on a day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct UsageDay {
    /// The day in the workspace's time zone.
    pub day: String,
    /// The model.
    pub model: String,
    /// Calls.
    pub calls: i64,
    /// What they cost, in `unit`. A call without a figure counts as what was reserved for it.
    pub cost: i64,
    /// Tokens for a model without a price.
    pub unit: Listed<Unit>,
    /// Input tokens, as providers counted them.
    pub input_tokens: u64,
    /// The part of them that a cache served.
    pub cached_input_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
}

/// The window that the memory of a model's agents is folded for, and where it comes from. Units:
/// tokens.
pub(super) fn window_of(known: Option<&KnownModel>) -> (u64, WindowSource) {
    let own = known.and_then(|known| known.own_window).map(|own| (own, WindowSource::SetByYou));
    let stated = || known.and_then(|known| known.window).map(|it| (it, WindowSource::Stated));
    own.or_else(stated).unwrap_or((ASSUMED_WINDOW, WindowSource::Assumed))
}
