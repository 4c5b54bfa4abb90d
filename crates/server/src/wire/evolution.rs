//! Request bodies about sessions in which a template evolves.

use dormouse::EvolutionApproval;
use serde::Deserialize;
use utoipa::ToSchema;

/// A session to start.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct EvolutionParams {
    /// What you want to say about the template; left out: the model says what it finds by itself.
    pub(crate) message: Option<String>,
}

/// Something to say in a session.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct EvolutionMessageParams {
    /// What you want to say.
    pub(crate) message: String,
}

/// The approval of a proposal, as you saw it.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct ApprovalParams {
    /// The number of the proposal.
    proposal: i64,
    /// The version of the template that you compared it with.
    base_version: i64,
}

impl From<ApprovalParams> for EvolutionApproval {
    fn from(params: ApprovalParams) -> Self {
        Self { proposal: params.proposal, base_version: params.base_version }
    }
}

/// The rejection of a proposal.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct RejectionParams {
    /// The number of the proposal; left out: the one that waits.
    pub(crate) proposal: Option<i64>,
    /// Why; the model reads it with its next answer.
    #[serde(default)]
    pub(crate) reason: String,
}
