//! Conversations in lists. Their turns are those of [`crate::transcript`].

use dormouse_types::conversation::ConversationKind;
use dormouse_types::{ConversationId, Timestamp, WorkId};
use serde::{Deserialize, Serialize};

/// A conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Conversation {
    /// Its id.
    pub id: ConversationId,
    /// What it is for.
    pub kind: ConversationKind,
    /// The agent work that it is bound to; `None` if it is bound to none, or that was deleted.
    pub task_id: Option<WorkId>,
    /// Its title.
    pub title: String,
    /// How many turns it has.
    pub n_turns: i64,
    /// The beginning of the newest turn.
    pub last: Option<String>,
    /// When it began.
    pub created: Timestamp,
    /// When it last got a turn.
    pub updated: Timestamp,
}
