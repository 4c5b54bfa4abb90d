//! What was proposed for a task, and how it was decided.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::Fingerprint;
use crate::time::Timestamp;

/// Recent decisions and open proposals of a task, across all sets.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ledger {
    /// Newest first.
    pub decisions: Vec<Decided>,
    /// In the order they were proposed.
    pub open: Vec<OpenProposal>,
}

/// A decided proposal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Decided {
    /// The tool of the item.
    pub tool: String,
    /// Its arguments.
    pub args: Value,
    /// How it was closed.
    pub verdict: Resolution,
    /// Why the person rejected it.
    pub reason: Option<String>,
    /// When it was decided.
    pub at: Timestamp,
    /// The identity of the proposal.
    pub fingerprint: Fingerprint,
}

/// How a proposal was closed: by a person's verdict, or by time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Resolution {
    /// Confirmed and applied.
    Confirmed,
    /// Rejected by the person.
    Rejected,
    /// Deferred by the person.
    Deferred,
    /// Not decided in time.
    Expired,
}

/// A proposal without a decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenProposal {
    /// Its identity.
    pub fingerprint: Fingerprint,
    /// The tool of the item.
    pub tool: String,
    /// Its arguments.
    pub args: Value,
    /// A one-line summary for a person.
    pub summary: String,
}
