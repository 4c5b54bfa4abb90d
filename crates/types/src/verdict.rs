//! What a person says about a proposal.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::closed_list::NotListed;

/// The user's verdict; `undo` reverts an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = VerdictName))]
#[serde(rename_all = "camelCase")]
pub enum Verdict {
    /// Apply it.
    Confirm,
    /// Reject it.
    Reject,
    /// Defer it.
    Defer,
    /// Undo the verdict.
    Undo,
}

impl Verdict {
    /// Every verdict.
    pub const ALL: [Self; 4] = [Self::Confirm, Self::Reject, Self::Defer, Self::Undo];

    /// Its name in paths and requests; the serde spelling.
    pub fn name(self) -> &'static str {
        match self {
            Self::Confirm => "confirm",
            Self::Reject => "reject",
            Self::Defer => "defer",
            Self::Undo => "undo",
        }
    }
}

impl FromStr for Verdict {
    type Err = NotListed;

    fn from_str(text: &str) -> Result<Self, NotListed> {
        Self::ALL.into_iter().find(|verdict| verdict.name() == text).ok_or_else(|| NotListed {
            what: "verdict",
            given: text.chars().take(60).collect(),
            allowed: Self::ALL.map(Self::name).join(", "),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_has_one_spelling() {
        for verdict in Verdict::ALL {
            let json = serde_json::to_value(verdict).expect("a name");
            assert_eq!(json, verdict.name());
            assert_eq!(verdict.name().parse(), Ok(verdict));
        }
        assert!("confirmed".parse::<Verdict>().is_err());
    }
}
