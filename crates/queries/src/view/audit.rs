//! A row of the audit log, as it is shown.

use dormouse_types::audit::AuditAction;
use dormouse_types::closed_list::Listed;
use dormouse_types::policy::PolicyDenied;
use dormouse_types::{Actor, Timestamp};
use serde::{Deserialize, Serialize};

/// Something that was done, or refused, and who did it. It never has the text of a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AuditEntry {
    /// Names the row.
    pub id: String,
    /// When.
    pub at: Timestamp,
    /// Who: `owner`, `token:…`, `agent:…`, `dormouse`, `nobody`.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub actor: Actor,
    /// What.
    pub action: Listed<AuditAction>,
    /// The id of what it was done to.
    pub object: String,
    /// More, depending on the action.
    pub detail: String,
    /// What the policy of what may be sent refused; none for other actions.
    pub denied: Option<PolicyDenied>,
}
