//! What callers see of models: settings, tests, the question before a choice, usage.

use dormouse_types::model_settings::{KeySource, OfferedModel, Provider, ToolMode};
use dormouse_types::spend::{Budgets, Price};
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
    /// Models that were chosen or tested, and the built-in one first.
    pub models: Vec<ModelView>,
    /// Providers that were added.
    pub providers: Vec<ProviderView>,
    /// Providers whose keys were found and which nobody added: usable, not in use.
    pub found: Vec<ProviderView>,
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
    /// Its context window. Units: tokens.
    pub window: Option<u64>,
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
    /// Until the first word. Units: milliseconds.
    pub first_word_ms: Option<u64>,
    /// Input tokens, as the server counted them.
    pub input_tokens: Option<u64>,
    /// Output tokens, as the server counted them.
    pub output_tokens: Option<u64>,
    /// What the call cost. Units: micro-dollars; `null` if it is free or nobody knows.
    pub cost: Option<i64>,
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

/// What a person should know before a model becomes that of the workspace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ModelQuestion {
    /// The model.
    pub id: String,
    /// Where the requests go: `here`, or the address of the provider.
    pub sent_to: String,
    /// What each request contains.
    pub sent: Vec<String>,
    /// Agents that would ask it.
    pub agents: usize,
    /// Agents with a model of their own, which stay with it.
    pub agents_that_stay: usize,
    /// Agents that changes wake by themselves now and would no longer: a model that costs money wakes
    /// by itself only for agents that a person created or switched on.
    pub automations_off: usize,
    /// Completed wakes a day, over the last week.
    pub wakes_a_day: f64,
    /// What they would cost a day. Units: micro-dollars; `null` if it is free or nobody knows.
    pub cost_a_day: Option<i64>,
    /// What may be spent a day. Units: micro-dollars.
    pub budget_a_day: i64,
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
    /// `microDollars`, or `tokens` for a model without a price.
    pub unit: String,
    /// Input tokens, as providers counted them.
    pub input_tokens: u64,
    /// The part of them that a cache served.
    pub cached_input_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
}
