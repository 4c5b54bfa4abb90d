//! Sessions about templates.

use dormouse_types::closed_list::Listed;
use dormouse_types::evolution::{EvolutionRole, EvolutionStatus};
use dormouse_types::{EvolutionMessageId, EvolutionSessionId, RunKey, TemplateId, Timestamp};
use serde::{Deserialize, Serialize};

/// A session in which a person and a model evolve a template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EvolutionSession {
    /// Its id.
    pub id: EvolutionSessionId,
    /// Its template.
    pub template_id: TemplateId,
    /// Its number among those of its template, from 1.
    pub n: i64,
    /// Where it is in its life.
    pub status: Listed<EvolutionStatus>,
    /// The active version of the template when it began.
    pub base_version: i64,
    /// Whether the model has an answer to give.
    pub is_answering: bool,
    /// How many lines it has.
    pub n_messages: i64,
    /// How many proposals were made.
    pub n_proposals: i64,
    /// The proposal that waits for the person; none if there is none.
    pub proposal: Option<EvolutionProposal>,
    /// The version that came of it; none if none did.
    pub new_version: Option<i64>,
    /// Who began it.
    pub started_by: String,
    /// When it began.
    pub created_at: Timestamp,
    /// When it last moved.
    pub updated_at: Timestamp,
    /// When it was completed or abandoned.
    pub ended_at: Option<Timestamp>,
}

/// Directives that a model proposed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EvolutionProposal {
    /// Its number in the session, from 1.
    pub n: i64,
    /// The complete general directive.
    pub general_directive: String,
    /// The complete report directive.
    pub report_directive: String,
    /// Why.
    pub rationale: String,
    /// The version that it was made for: an approval names it.
    pub base_version: i64,
    /// When it was made.
    pub created_at: Timestamp,
}

/// A line of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EvolutionMessage {
    /// Its id.
    pub id: EvolutionMessageId,
    /// Its place in the session, from 1.
    pub n: i64,
    /// What it is.
    pub role: Listed<EvolutionRole>,
    /// What was said; the rationale of a proposal, the reason of a rejection or of a failure.
    pub text: String,
    /// What was proposed; none if it is no proposal.
    pub proposal: Option<EvolutionProposal>,
    /// The number of the proposal that was approved or rejected.
    pub verdict_on: Option<i64>,
    /// The run that wrote it; none if a person did.
    pub run_key: Option<RunKey>,
    /// When it was added.
    pub created_at: Timestamp,
}

/// A session with its lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EvolutionDetail {
    /// The session.
    pub session: EvolutionSession,
    /// Its lines, oldest first.
    pub messages: Vec<EvolutionMessage>,
}
