//! What the policy of what may be sent refused, as the audit log notes it.

use serde::{Deserialize, Serialize};

use crate::audit::AuditAction;
use crate::closed_list::Listed;
use crate::kept_back::KeptBackReason;

crate::closed_list! {
    /// Why a request or a call was refused.
    pub enum DenialReason, "reason of a refusal" {
        /// What it is about is private, and the model is not the person's own.
        Private = "private",
        /// What it is about is of a category that the provider may not be sent.
        Category = "category",
        /// The task was moved to a category that the agent may not act in.
        Moved = "moved",
        /// The person's policy of the template forbids the tool.
        Tool = "tool",
    }
}

impl From<KeptBackReason> for DenialReason {
    fn from(reason: KeptBackReason) -> Self {
        match reason {
            KeptBackReason::Private => Self::Private,
            KeptBackReason::Category => Self::Category,
        }
    }
}

/// A request that was not sent, or a call that was not run. It says nothing about the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PolicyDenied {
    /// `request`, or the tool that was called.
    pub what: String,
    /// The model that sent the request, or would have got it.
    pub model: String,
    /// Why.
    pub reason: DenialReason,
}

impl PolicyDenied {
    /// What a refused request is called.
    pub const REQUEST: &'static str = "request";

    /// Writes the detail of its audit row.
    pub fn detail(&self) -> String {
        serde_json::to_string(self).expect("three texts")
    }

    /// Reads it from an audit row; `None` if the row is of another action, or a newer version wrote it.
    pub fn of_row(action: &Listed<AuditAction>, detail: &str) -> Option<Self> {
        (*action == AuditAction::PolicyDenied).then(|| serde_json::from_str(detail).ok()).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_audit_row_says_what_was_refused_and_why() {
        let denied = PolicyDenied {
            what: PolicyDenied::REQUEST.into(),
            model: "acme/large".into(),
            reason: KeptBackReason::Category.into(),
        };
        let detail = denied.detail();
        assert_eq!(detail, r#"{"what":"request","model":"acme/large","reason":"category"}"#);
        assert_eq!(PolicyDenied::of_row(&AuditAction::PolicyDenied.into(), &detail), Some(denied));
        assert_eq!(PolicyDenied::of_row(&AuditAction::TaskEdit.into(), &detail), None);
        assert_eq!(PolicyDenied::of_row(&AuditAction::PolicyDenied.into(), "{}"), None);
    }
}
