//! Bodies about agents and decisions.

use serde::Deserialize;

/// An agent to be made for a task.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AgentParams {
    pub(crate) name: Option<String>,
}

/// What of an agent can be set.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AgentPatch {
    pub(crate) automation: String,
}

/// What the person says to an agent they wake.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WakeParams {
    pub(crate) message: Option<String>,
}

/// A verdict on one item. The digest is that of the item as it was shown.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct VerdictParams {
    pub(crate) digest: String,
    pub(crate) reason: Option<String>,
}

/// One of many verdicts.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DecisionParams {
    pub(crate) set: String,
    pub(crate) index: i64,
    pub(crate) verdict: String,
    pub(crate) digest: String,
    pub(crate) reason: Option<String>,
}
