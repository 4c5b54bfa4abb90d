//! What an agent remembers, as callers see it.

use dormouse_types::agent::DecisionVerdict;
use dormouse_types::closed_list;
use dormouse_types::closed_list::Listed;
use dormouse_types::field_change::FieldChange;
use dormouse_types::kept_back::KeptBackReason;
use dormouse_types::line_name::LineName;
use dormouse_types::memory::{Audience, CheckpointKind, MemoryKind};
use dormouse_types::{EntryId, RunKey, TaskId, Timestamp};
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

/// A text in an agent's memory that has the words of a search.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct MemoryHit {
    /// The line of the log that it is; `null` if it is a checkpoint.
    pub line: Option<i64>,
    /// The checkpoint whose text it is; `null` if it is a line.
    pub checkpoint: Option<i64>,
    /// What it is about.
    pub kind: Listed<MemoryKind>,
    /// When it was written.
    pub at: Timestamp,
    /// The entry that it is about, if it is about one.
    pub entry_id: Option<EntryId>,
    /// The text around the first of the words, at most 400 bytes of it.
    pub excerpt: String,
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

closed_list! {
    /// What a line of an agent's memory is.
    pub enum KnowledgeKind, "kind of a line" {
        /// What older lines were folded into.
        Summary = "summary",
        /// A verdict of the person, with its reason.
        Decision = "decision",
        /// A change that it saw.
        Input = "input",
        /// A note that it made.
        Observation = "observation",
    }
}

/// One line of what an agent knows, with its source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct KnowledgeLine {
    /// Its name among the lines of this agent.
    pub line: LineName,
    /// What it is.
    pub kind: KnowledgeKind,
    /// What it says, without the marks that prompts put around it.
    pub text: String,
    /// What it says to a person: the text of an entry, or what changed, without the day and the ids that
    /// `text` has for a model.
    #[serde(default)]
    pub words: String,
    /// Of a decision: the change that was decided, for readers with words of their own.
    #[serde(default)]
    pub change: Option<FieldChange>,
    /// Of a decision: the verdict.
    pub verdict: Option<DecisionVerdict>,
    /// Of a decision: why, in the person's words.
    pub reason: Option<String>,
    /// When it came into memory.
    pub at: Option<Timestamp>,
    /// The run that wrote it.
    pub run_key: Option<RunKey>,
    /// The task that it is about.
    pub task_id: Option<TaskId>,
    /// The entry that it was made of.
    pub entry_id: Option<EntryId>,
    /// The first and the last line that a summary folds.
    pub folds: Option<[i64; 2]>,
    /// Whether the next prompt has a summary in its place.
    pub is_folded: bool,
    /// Why it is kept back from the model that the agent asks now; `null` if it may be sent.
    #[serde(default)]
    pub kept_back: Option<KeptBackReason>,
    /// What it says the state of: an entry, a checklist item, or a field of the task. The newest line
    /// with a subject replaces those before it; `null` for what nothing replaces.
    pub subject: Option<String>,
}
