//! Tools, and the turns in which a model calls them.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::limits;

/// A tool as the model sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// JSON Schema of its arguments.
    pub parameters: Value,
}

/// A call the model makes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCall {
    /// The model's id for the call; repeated in its result.
    pub id: String,
    /// The tool's name as the model wrote it.
    pub name: String,
    /// Its arguments as the model wrote them.
    pub args: Value,
}

/// The result of a call, as the model reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResult {
    /// The id of the call.
    pub call_id: String,
    /// Whether the call was refused; the model may try again.
    pub refused: bool,
    /// The text the model reads.
    pub text: String,
}

/// A finished turn of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Turn {
    /// The model's text besides its calls.
    pub text: String,
    /// Its calls, in order.
    pub calls: Vec<ToolCall>,
    /// One result for each call, in the same order.
    pub results: Vec<ToolResult>,
    /// Whether the model said that it has finished.
    pub ended: bool,
    /// What the provider must get back with this turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_state: Option<ProviderState>,
}

/// What a provider wants back with a turn that it gave: thought signatures, thinking blocks,
/// reasoning items.
///
/// It is sent again to the provider that wrote it, on later turns of the same run, and to nobody
/// else; it is never shown and never remembered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProviderState {
    /// The provider that wrote it.
    pub provider: String,
    /// Its content, which only the adapter of this provider reads.
    pub data: String,
}

/// One event of a model's stream.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnEvent {
    /// More text. An empty one says only that the model is still working on something that is not
    /// shown.
    Text(String),
    /// A piece of the arguments of a call that the model is still writing, in order. A preview:
    /// the call follows as a whole.
    CallDelta {
        /// Position of the call in the turn, from 0.
        index: usize,
        /// The tool's name as the model wrote it.
        name: String,
        /// More of the JSON of its arguments.
        json: String,
    },
    /// A complete call.
    Call(ToolCall),
    /// What the provider must get back with this turn.
    State(ProviderState),
    /// Tokens used so far; the last event counts.
    Usage(Usage),
    /// The turn is complete.
    End {
        /// Whether the model has finished the run and wants no further turn.
        ended: bool,
    },
}

/// Units: tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Input tokens.
    pub input: u64,
    /// The part of `input` that was served from a cache.
    pub cached_input: u64,
    /// The part of `input` that was written to a cache.
    #[serde(default)]
    pub cache_write: u64,
    /// Output tokens, reasoning included.
    pub output: u64,
    /// The part of `output` that the model used to reason.
    #[serde(default)]
    pub reasoning: u64,
    /// What the provider charged, by its own figure, if it gives one. Units: micro-dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<u64>,
}

impl Usage {
    /// Returns the tokens of two calls together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            cached_input: self.cached_input.saturating_add(other.cached_input),
            cache_write: self.cache_write.saturating_add(other.cache_write),
            output: self.output.saturating_add(other.output),
            reasoning: self.reasoning.saturating_add(other.reasoning),
            // A sum that leaves out a call would be too small.
            cost: self.cost.zip(other.cost).map(|(one, other)| one.saturating_add(other)),
        }
    }
}

crate::closed_list! {
    /// Why a provider is unavailable to everybody.
    pub enum ProviderUnavailable, "reason of a provider" {
        /// It rejects the key: requests are pointless until the key is changed.
        Authentication = "authentication",
        /// The quota is used up, or the rate limit is exceeded.
        Quota = "quota",
        /// No connection to it came about, so it was sent nothing.
        Unreachable = "unreachable",
        /// It breaks off or says nothing, and nobody knows whether a model ran.
        Outage = "outage",
        /// It answers with the status of an error before it answers anything else, so it served nothing.
        ServerError = "serverError",
        /// The address or the name of the model is wrong: requests for this model are pointless
        /// until a person changes one of them.
        Configuration = "configuration",
        /// Something accepts the request, but does not answer as a model does: requests are pointless until
        /// a person changes the address, and nobody knows whether a model ran behind it.
        WrongAnswer = "wrongAnswer",
    }
}

/// Why a model gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The provider is unavailable (key, quota, outage). This does not count as a failure of the
    /// agent.
    #[error("model provider {provider} is not available: {detail}")]
    Provider {
        /// The provider.
        provider: String,
        /// The kind of problem; decides whether a retry soon can help.
        why: ProviderUnavailable,
        /// The provider's message.
        detail: String,
        /// How long the provider wants to be left alone.
        retry_after: Option<Duration>,
    },
    /// The provider refused this request by a status, before it answered anything: the run fails, and
    /// the call cost nothing.
    #[error("the model gave no answer that can be used: {detail}")]
    Rejected {
        /// The provider's message.
        detail: String,
    },
    /// The answer of the provider cannot be used, or is a refusal: the run fails.
    #[error("the model gave no answer that can be used: {detail}")]
    Request {
        /// The provider's message.
        detail: String,
    },
}

impl ProviderState {
    /// Refuses more than a provider may want back with a turn, in words.
    pub fn check_size(n_bytes: usize) -> Result<(), String> {
        let most = limits::PROVIDER_STATE_BYTES;
        if n_bytes <= most {
            return Ok(());
        }
        Err(format!(
            "the provider wants {n_bytes} bytes of its reasoning back; at most {most} are kept"
        ))
    }
}

/// The id of a call of a turn, by which its result is found: the provider's, unless it gave none, or one that is
/// `taken`. `place` is that of the call in its turn.
pub fn unique_call_id(id: String, turn: u32, place: usize, taken: &BTreeSet<String>) -> String {
    if !id.is_empty() && !taken.contains(&id) {
        return id;
    }
    let mut made = format!("call-{turn}-{}", place + 1);
    while taken.contains(&made) {
        made.push('a');
    }
    made
}

impl ModelError {
    /// Whether the call cost nothing: the provider refused to serve it, or was sent nothing of it.
    pub fn costs_nothing(&self) -> bool {
        match self {
            Self::Rejected { .. } => true,
            Self::Provider { why, .. } => match why {
                ProviderUnavailable::Authentication
                | ProviderUnavailable::Quota
                | ProviderUnavailable::Unreachable
                | ProviderUnavailable::ServerError
                | ProviderUnavailable::Configuration => true,
                ProviderUnavailable::Outage | ProviderUnavailable::WrongAnswer => false,
            },
            Self::Request { .. } => false,
        }
    }
}
