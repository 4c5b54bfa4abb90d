//! What an agent remembers, as callers see it.

use dormouse_types::closed_list::Listed;
use dormouse_types::memory::{Audience, CheckpointKind};
use dormouse_types::{RunKey, Timestamp};
use serde::{Deserialize, Serialize};

/// A line of an agent's log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct MemoryLine {
    /// Its number, from 1.
    pub n: i64,
    /// Its text as prompts have it; `null` after it was purged.
    pub text: Option<String>,
    /// The run that wrote it.
    pub run_key: RunKey,
}

/// What older lines of a log were folded into. The lines stay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Checkpoint {
    /// Its number, from 1. The newest one for an audience is in use.
    pub n: i64,
    /// Whose eyes it is for: models that may see everything, or models of somebody else.
    pub audience: Listed<Audience>,
    /// What its text is.
    pub kind: Listed<CheckpointKind>,
    /// The first line that it folds.
    pub from_line: i64,
    /// The last line that it folds.
    pub upto_line: i64,
    /// How often the oldest of its lines were folded.
    pub depth: i64,
    /// The model that wrote it; `rules` if no model could.
    pub model: String,
    /// Its text; `null` after it was purged.
    pub text: Option<String>,
    /// The run that made it.
    pub run_key: RunKey,
    /// When it was made.
    pub created_at: Timestamp,
}
