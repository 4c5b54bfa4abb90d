//! What the person has taken note of in the list of what needs them.

use std::sync::LazyLock;

use dormouse_types::{Timestamp, WorkspaceId};

use crate::commit::{Db, Op};
use crate::in_list;
use crate::params;
use crate::store::{Query, ReadError, ws};

/// An entry that the person has taken note of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acknowledgement {
    /// The id of the entry: its reason and its object.
    pub entry: String,
    /// Since when the entry was there that was acknowledged; a later one is another.
    pub since: Timestamp,
    /// When it was acknowledged.
    pub at: Timestamp,
}

/// Writes that an entry was acknowledged; an earlier `since` never replaces a later one.
pub fn put(workspace: WorkspaceId, new: &Acknowledgement, by: &str) -> Op {
    Op::any(
        "INSERT INTO acknowledgements (ws, entry, since, made_by, made_at) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (ws, entry) DO UPDATE SET since = excluded.since, made_by = excluded.made_by,
           made_at = excluded.made_at
         WHERE acknowledgements.since < excluded.since",
        params![ws(workspace), new.entry.as_str(), new.since, by, new.at],
    )
}

/// Takes it back; nothing happens if there is none.
pub fn delete(workspace: WorkspaceId, entry: &str) -> Op {
    Op::any(
        "DELETE FROM acknowledgements WHERE ws = ?1 AND entry = ?2",
        params![ws(workspace), entry],
    )
}

/// Those of at most a page of entries.
pub fn of_some(workspace: WorkspaceId, entries: &[String]) -> Query<Acknowledgement> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT entry, since, made_at FROM acknowledgements WHERE ws = ?1 AND entry IN (",
            ")",
        )
    });
    Query {
        db: Db::Agent,
        sql: &SQL,
        params: in_list::params(workspace, entries),
        decode: |row| {
            let corrupt = |e: &_| ReadError::column(Db::Agent, "acknowledgement", e);
            Ok(Acknowledgement {
                entry: row.text(0).map_err(|e| corrupt(&e))?.to_owned(),
                since: row.time(1).map_err(|e| corrupt(&e))?,
                at: row.time(2).map_err(|e| corrupt(&e))?,
            })
        },
    }
}
