//! What was proposed for a task, and how it was decided.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::agent::DecisionVerdict;
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
///
/// Shape: the name of the verdict, or `expired`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Resolution {
    /// Not decided in time.
    Expired,
    /// Decided by the person. A confirmed proposal was also applied.
    #[serde(untagged)]
    Decided(DecisionVerdict),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resolution_is_written_as_one_name() {
        let verdicts = DecisionVerdict::ALL.iter().map(|it| (Resolution::Decided(*it), it.name()));
        for (resolution, name) in verdicts.chain([(Resolution::Expired, "expired")]) {
            assert_eq!(serde_json::to_value(resolution).expect("a name"), name);
            let read = serde_json::from_str::<Resolution>(&format!("\"{name}\""));
            assert_eq!(read.expect("a resolution"), resolution);
        }
        assert!(serde_json::from_str::<Resolution>("\"later\"").is_err());
    }
}
