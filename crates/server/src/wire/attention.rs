//! Request bodies about what needs the person.

use dormouse_types::Timestamp;
use serde::Deserialize;
use utoipa::ToSchema;

/// An entry of which the person takes note.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct AcknowledgementParams {
    /// The `since` of the entry as it was seen.
    pub(crate) since: Timestamp,
}
