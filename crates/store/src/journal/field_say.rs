//! Who last set which field of a task, and when.

use std::sync::LazyLock;

use dormouse_types::caller::By;
use dormouse_types::model::{FieldSay, StatedField};
use dormouse_types::{Id as _, TaskId, Timestamp, WorkspaceId};

use crate::commit::{Db, Op};
use crate::in_list;
use crate::store::{Query, ReadError, ws};
use crate::value::{ColumnError, Param, Row};
use crate::{params, params_values};

fn name(by: By) -> &'static str {
    match by {
        By::User => "user",
        By::Agent => "agent",
    }
}

/// Records who last set a field.
pub fn put(
    workspace: WorkspaceId,
    task: &TaskId,
    field: &StatedField,
    by: By,
    at: Timestamp,
) -> Op {
    Op::any(
        "INSERT INTO field_says (ws, task_id, field, by, at, seq) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (ws, task_id, field) DO UPDATE SET by = excluded.by, at = excluded.at,
           seq = excluded.seq",
        params![ws(workspace), task.as_str(), field.to_string(), name(by), at, Param::Seq],
    )
}

/// The fields of the given tasks that the person set last, each with its task.
pub fn of_tasks(workspace: WorkspaceId, tasks: &[TaskId]) -> Query<(String, FieldSay)> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT field, by, at, task_id FROM field_says
             WHERE ws = ?1 AND by = 'user' AND task_id IN (",
            ")",
        )
    });
    Query {
        db: Db::Journal,
        sql: &SQL,
        params: in_list::params(workspace, tasks),
        decode: |row| {
            let task = row.text(3).map_err(|e| ReadError::column(Db::Journal, "field say", &e))?;
            Ok((task.to_owned(), decode(row)?))
        },
    }
}

/// Who last set each field of a task, ordered by field.
pub fn of_task(workspace: WorkspaceId, task: &TaskId) -> Query<FieldSay> {
    Query {
        db: Db::Journal,
        sql: "SELECT field, by, at FROM field_says WHERE ws = ?1 AND task_id = ?2 ORDER BY field",
        params: params_values![ws(workspace), task.as_str()],
        decode,
    }
}

fn decode(row: &Row) -> Result<FieldSay, ReadError> {
    let column = |e: ColumnError| ReadError::column(Db::Journal, "field say", &e);
    let by = match row.text(1).map_err(column)? {
        "user" => By::User,
        "agent" => By::Agent,
        _ => {
            let expected = "`user` or `agent`";
            return Err(column(ColumnError { column: 1, found: "another text", expected }));
        }
    };
    Ok(FieldSay {
        field: row.text(0).map_err(column)?.to_owned().into(),
        by,
        at: row.time(2).map_err(column)?,
    })
}
