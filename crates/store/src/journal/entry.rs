//! Entries of a task: text, transcript, image analysis, time.

use dormouse_types::fold::folded;
use dormouse_types::task::EntryKind;
use dormouse_types::{EntryId, TaskId, Timestamp};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::row::{Columns, Entity};

/// An entry as a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// Its id.
    pub id: EntryId,
    /// The task it belongs to.
    pub task_id: TaskId,
    /// What it holds.
    pub kind: Kind,
    /// Markdown the person wrote; an empty text of theirs still beats the transcript.
    pub text: Option<String>,
    /// What a recording says, or an image shows.
    pub transcript: Option<String>,
    /// Units: minutes; of a time entry.
    pub minutes: Option<u32>,
    /// The day it speaks from; none means the day it was made, in the workspace's time zone.
    pub on: Option<Date>,
    /// Whether the text came from outside.
    #[serde(default)]
    pub tainted: bool,
    /// Its place among entries made at the same instant.
    #[serde(default)]
    pub position: i64,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// When its text was last edited.
    pub edited_at: Option<Timestamp>,
    /// When it was soft-deleted.
    pub deleted_at: Option<Timestamp>,
}

/// The kind of an entry; one this version does not know comes back as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Kind {
    /// One of this version's kinds.
    Known(EntryKind),
    /// One of a newer version.
    Unknown(String),
}

impl Kind {
    /// The kind as this version treats it: an unknown one is text.
    pub fn known(&self) -> EntryKind {
        match self {
            Self::Known(kind) => *kind,
            Self::Unknown(_) => EntryKind::Text,
        }
    }
}

impl Entry {
    /// What the entry says: the person's text, else the transcript.
    pub fn says(&self) -> &str {
        self.text.as_deref().or(self.transcript.as_deref()).unwrap_or_default()
    }
}

impl Entity for Entry {
    const KIND: &'static str = "entry";

    fn columns(&self) -> Columns {
        Columns {
            id: self.id.to_string(),
            subtype: None,
            task: Some(self.task_id.clone()),
            folded: Some(folded(self.says())),
            created_at: self.created_at,
            updated_at: self.updated_at,
            deleted_at: self.deleted_at,
        }
    }
}
