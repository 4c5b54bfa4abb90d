//! The tasks one link away from a task, in full, and the time spent on them.

use std::sync::LazyLock;

use dormouse_types::task::LinkDirection;
use dormouse_types::{TaskId, WorkspaceId};
use serde::Deserialize;

use super::linked_entry::LinkedEntry;
use super::row::{Stored, corrupt, decode};
use super::task::Task;
use crate::commit::Db;
use crate::doc::Doc;
use crate::in_list;
use crate::params_values;
use crate::store::{Query, ReadError, ws};
use crate::value::{ColumnError, Row};

/// A link with the task at its other end. A damaged document does not hide the others.
#[derive(Debug, Clone)]
pub struct Linked {
    /// The id of the other task.
    pub task_id: String,
    /// `Out` if the link leaves the requested task.
    pub direction: LinkDirection,
    pub link: Result<Doc<LinkedEntry>, ReadError>,
    /// The other task.
    pub task: Result<Stored<Task>, ReadError>,
}

fn linked(row: &Row) -> Result<Linked, ReadError> {
    let column = |e: ColumnError| corrupt(row, "linked task", e.to_string());
    let is_out = row.int(6).map_err(column)? == 1;
    let link = row.text(7).map_err(column)?;
    Ok(Linked {
        task_id: row.text(0).map_err(column)?.to_owned(),
        direction: if is_out { LinkDirection::Out } else { LinkDirection::In },
        link: Doc::read(link).map_err(|e| corrupt(row, "task link", e.to_string())),
        task: decode(row),
    })
}

/// The tasks that live links lead to, in both directions, in one statement; deleted tasks too.
///
/// A task with several links has several rows. Ordered by the creation of the tasks.
pub fn of_task(workspace: WorkspaceId, task: &TaskId) -> Query<Linked> {
    Query {
        db: Db::Journal,
        sql: "SELECT t.id, t.type, t.revision, t.serialized, t.clock_host, t.clock_counter,
                1, l.serialized, t.created_at, l.id
              FROM linked_entries l JOIN journal t ON t.ws = l.ws AND t.id = l.to_id
              WHERE l.ws = ?1 AND l.from_id = ?2 AND l.deleted_at IS NULL
                AND t.type = 'task'
              UNION ALL
              SELECT t.id, t.type, t.revision, t.serialized, t.clock_host, t.clock_counter,
                0, l.serialized, t.created_at, l.id
              FROM linked_entries l JOIN journal t ON t.ws = l.ws AND t.id = l.from_id
              WHERE l.ws = ?1 AND l.to_id = ?2 AND l.deleted_at IS NULL
                AND t.type = 'task'
              ORDER BY 9, 1, 10",
        params: params_values![ws(workspace), task.to_string()],
        decode: linked,
    }
}

/// The only part of an entry's document that counts time.
#[derive(Deserialize)]
struct MinutesOnly {
    minutes: Option<u32>,
}

/// The minutes that each live entry with a time counts, for at most a page of tasks; `None` for an
/// entry that cannot be read.
///
/// Documents are matched as text, which both engines can: within a JSON string a quote is escaped,
/// so no text of an entry looks like a field.
pub fn minutes(workspace: WorkspaceId, tasks: &[TaskId]) -> Query<(String, Option<u32>)> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT task_id, serialized FROM journal WHERE ws = ?1 AND task_id IN (",
            ") AND type = 'entry' AND deleted_at IS NULL
               AND serialized LIKE '%\"minutes\":%' AND serialized NOT LIKE '%\"minutes\":null%'",
        )
    });
    Query {
        db: Db::Journal,
        sql: &SQL,
        params: in_list::params(workspace, tasks),
        decode: |row| {
            let column = |e: ColumnError| ReadError::column(Db::Journal, "entry", &e);
            let read = serde_json::from_str::<MinutesOnly>(row.text(1).map_err(column)?);
            let minutes = read.ok().and_then(|entry| entry.minutes);
            Ok((row.text(0).map_err(column)?.to_owned(), minutes))
        },
    }
}
