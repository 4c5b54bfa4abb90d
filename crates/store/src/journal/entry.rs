//! Entries of a task: text, transcript, image analysis, time.

use std::sync::LazyLock;

use dormouse_types::fold::folded;
use dormouse_types::task::{EntryKind, Flags};
use dormouse_types::{EntryId, TaskId, Timestamp, WorkspaceId};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::row::{Columns, Entity, Stored, decode, select};
use crate::commit::Db;
use crate::in_list;
use crate::params_values;
use crate::store::{Query, ReadError, ws};

/// An entry as a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    pub id: EntryId,
    /// The task it belongs to.
    pub task_id: TaskId,
    pub kind: Kind,
    /// Markdown the person wrote; even an empty text takes precedence over the transcript.
    pub text: Option<String>,
    /// The transcript of a recording, or the description of an image.
    pub transcript: Option<String>,
    /// Units: minutes; only for a time entry.
    pub minutes: Option<u32>,
    /// The day it refers to; `None` means the day it was created, in the workspace's time zone.
    pub on: Option<Date>,
    /// Whether the text came from outside (mail, import, web).
    #[serde(default)]
    pub tainted: bool,
    /// Starred, private.
    #[serde(flatten)]
    pub flags: Flags,
    /// Its place among entries created at the same instant.
    #[serde(default)]
    pub position: i64,
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// When its text was last edited.
    pub edited_at: Option<Timestamp>,
    /// When it was soft-deleted.
    pub deleted_at: Option<Timestamp>,
}

/// The kind of an entry; a kind this version does not know is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Kind {
    /// A kind this version knows.
    Known(EntryKind),
    /// A newer version's kind.
    Unknown(String),
}

impl Kind {
    /// The kind as this version treats it: an unknown kind counts as text.
    pub fn known(&self) -> EntryKind {
        match self {
            Self::Known(kind) => *kind,
            Self::Unknown(_) => EntryKind::Text,
        }
    }
}

impl Entry {
    /// The text of the entry: the person's, else the transcript.
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

/// An entry of one of at most a page of tasks whose text came from outside, deleted ones included; none if
/// there is no such entry.
pub fn tainted_of(workspace: WorkspaceId, tasks: &[TaskId]) -> Query<String> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            // Matched as text, which both engines can: within a JSON string a quote is escaped.
            "SELECT id FROM journal WHERE ws = ?1 AND type = 'entry'
               AND serialized LIKE '%\"tainted\":true%' AND task_id IN (",
            ") LIMIT 1",
        )
    });
    Query {
        db: Db::Journal,
        sql: &SQL,
        params: in_list::params(workspace, tasks),
        decode: |row| {
            let id = row.text(0).map_err(|e| ReadError::column(Db::Journal, "entry", &e))?;
            Ok(id.to_owned())
        },
    }
}

/// Live entries that were created at a time or later, oldest first.
pub fn created_since(workspace: WorkspaceId, since: Timestamp) -> Query<Stored<Entry>> {
    Query {
        db: Db::Journal,
        sql: select!(
            "WHERE ws = ?1 AND type = 'entry' AND created_at >= ?2 AND deleted_at IS NULL
             ORDER BY created_at, id"
        ),
        params: params_values![ws(workspace), since],
        decode,
    }
}
