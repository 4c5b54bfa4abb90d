//! Rows of `agent_entities`: one table for every kind of entity, including kinds this version does
//! not know.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::LazyLock;

use dormouse_types::{HolderId, HostId, Seq, TaskId, Timestamp, WorkspaceId};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::commit::{Db, Op, Refusal};
use crate::doc::Doc;
use crate::in_list;
use crate::journal::task::escaped;
use crate::store::{Query, ReadError, ws};
use crate::value::{ColumnError, Param, Row, Value};
use crate::{params, params_values};

/// The columns of a row other than its document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    /// The entity's id.
    pub id: String,
    /// The holder it belongs to.
    pub holder: HolderId,
    /// `agent`, `agentState`, `agentMessage`, …
    pub kind: String,
    /// The kind of a message.
    pub subtype: Option<String>,
    /// The thread of a message.
    pub thread: Option<String>,
    /// The task a change set or decision is about.
    pub task: Option<TaskId>,
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// When it was soft-deleted.
    pub deleted_at: Option<Timestamp>,
    /// Host and counter of the last write; filled in by the writer.
    pub clock: BTreeMap<String, i64>,
}

impl Columns {
    /// The columns of a new row: id, holder, kind, creation and update time, deletion time.
    pub fn new(
        id: &impl std::fmt::Display,
        holder: impl Into<HolderId>,
        kind: &str,
        [created_at, updated_at]: [Timestamp; 2],
        deleted_at: Option<Timestamp>,
    ) -> Self {
        Self {
            id: id.to_string(),
            holder: holder.into(),
            kind: kind.to_owned(),
            subtype: None,
            thread: None,
            task: None,
            created_at,
            updated_at,
            deleted_at,
            clock: BTreeMap::new(),
        }
    }
}

/// An entity with its row.
#[derive(Debug, Clone)]
pub struct Stored<T> {
    pub columns: Columns,
    /// Its document.
    pub doc: Doc<T>,
}

impl<T: Entity> Stored<T> {
    /// The entity as a commit of this host wrote it at a position, not read again.
    pub fn written(doc: Doc<T>, host: HostId, at: Seq) -> Self {
        let clock = BTreeMap::from([(host.to_string(), at.0)]);
        Self { columns: Columns { clock, ..doc.value.columns() }, doc }
    }
}

/// How each kind of entity maps to a row.
pub trait Entity: Serialize + DeserializeOwned + PartialEq + Clone {
    /// The `type` column.
    const KIND: &'static str;
    /// The columns of a new row.
    fn columns(&self) -> Columns;
}

fn op(sql: &'static str, workspace: WorkspaceId, c: &Columns, text: String) -> Op {
    Op::one(
        sql,
        params![
            ws(workspace),
            c.id.as_str(),
            c.holder.to_string(),
            c.kind.as_str(),
            c.subtype.clone(),
            c.thread.clone(),
            c.task.as_ref().map(ToString::to_string),
            c.created_at,
            c.updated_at,
            c.deleted_at,
            text,
            Param::Host,
            Param::Seq,
        ],
        Refusal::Exists,
    )
}

/// Adds an entity; refused when its id exists.
pub fn insert<T: Entity>(workspace: WorkspaceId, value: &T) -> Op {
    let text = serde_json::to_string(value).expect("entities are plain data");
    op(
        "INSERT INTO agent_entities (ws, id, agent_id, type, subtype, thread_id, task_id, created_at,
           updated_at, deleted_at, serialized, clock_host, clock_counter)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        workspace,
        &value.columns(),
        text,
    )
}

/// Writes a changed entity; fields this version does not know are preserved.
pub fn put<T: Entity>(workspace: WorkspaceId, doc: &Doc<T>) -> Op {
    op(
        "INSERT INTO agent_entities (ws, id, agent_id, type, subtype, thread_id, task_id, created_at,
           updated_at, deleted_at, serialized, clock_host, clock_counter)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
         ON CONFLICT (ws, id) DO UPDATE SET subtype = excluded.subtype,
           updated_at = excluded.updated_at, deleted_at = excluded.deleted_at,
           serialized = excluded.serialized, clock_host = excluded.clock_host,
           clock_counter = excluded.clock_counter",
        workspace,
        &doc.value.columns(),
        doc.text(),
    )
}

/// Writes a changed entity over the row it was read from. Refused when the row was changed since:
/// read it again and decide again.
pub fn replace<T: Entity>(workspace: WorkspaceId, stored: &Stored<T>) -> Op {
    let c = stored.doc.value.columns();
    let (host, counter) = stored.columns.clock.iter().next().map_or(("", -1), |(h, n)| (h, *n));
    Op::one(
        "UPDATE agent_entities SET subtype = ?3, updated_at = ?4, deleted_at = ?5, serialized = ?6,
           clock_host = ?7, clock_counter = ?8
         WHERE ws = ?1 AND id = ?2 AND clock_host = ?9 AND clock_counter = ?10",
        params![
            ws(workspace),
            c.id.as_str(),
            c.subtype.clone(),
            c.updated_at,
            c.deleted_at,
            stored.doc.text(),
            Param::Host,
            Param::Seq,
            host,
            counter,
        ],
        Refusal::Stale,
    )
}

/// Guards a commit without writing: the entity must be unchanged since it was read. Otherwise the
/// commit is refused: read it again and decide again.
pub fn unchanged<T: Entity>(workspace: WorkspaceId, stored: &Stored<T>) -> Op {
    let (host, counter) = stored.columns.clock.iter().next().map_or(("", -1), |(h, n)| (h, *n));
    Op::one(
        "UPDATE agent_entities SET id = id
         WHERE ws = ?1 AND id = ?2 AND clock_host = ?3 AND clock_counter = ?4",
        params![ws(workspace), stored.columns.id.as_str(), host, counter],
        Refusal::Stale,
    )
}

fn columns(row: &Row) -> Result<(Columns, String), ColumnError> {
    let holder: HolderId = row.text(1)?.parse().map_err(|_| ColumnError {
        column: 1,
        found: "text",
        expected: "the id of a holder",
    })?;
    let task = row
        .opt_text(5)?
        .map(|id| {
            id.parse().map_err(|_| ColumnError { column: 5, found: "text", expected: "a task id" })
        })
        .transpose()?;
    Ok((
        Columns {
            id: row.text(0)?.to_owned(),
            holder,
            kind: row.text(2)?.to_owned(),
            subtype: row.opt_text(3)?.map(ToOwned::to_owned),
            thread: row.opt_text(4)?.map(ToOwned::to_owned),
            task,
            created_at: row.time(6)?,
            updated_at: row.time(7)?,
            deleted_at: row.opt_time(8)?,
            clock: BTreeMap::from([(row.text(10)?.to_owned(), row.int(11)?)]),
        },
        row.text(9)?.to_owned(),
    ))
}

/// Decodes a row as one kind of entity.
pub fn decode<T: Entity>(row: &Row) -> Result<Stored<T>, ReadError> {
    let corrupt = |detail: String| ReadError::Corrupt {
        db: "agent",
        noun: T::KIND,
        id: row.text(0).unwrap_or("row").to_owned(),
        detail,
    };
    let (columns, text) = columns(row).map_err(|e| corrupt(e.to_string()))?;
    let doc = Doc::read(&text).map_err(|e| corrupt(e.to_string()))?;
    Ok(Stored { columns, doc })
}

/// An entity by id.
pub fn by_id<T: Entity>(workspace: WorkspaceId, id: &str) -> Query<Stored<T>> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, agent_id, type, subtype, thread_id, task_id, created_at, updated_at, deleted_at,
                serialized, clock_host, clock_counter FROM agent_entities WHERE ws = ?1 AND id = ?2 AND type = ?3",
        params: params_values![ws(workspace), id, T::KIND],
        decode: decode::<T>,
    }
}

/// All live entities of one kind, newest first.
pub fn of_kind<T: Entity>(workspace: WorkspaceId) -> Query<Stored<T>> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, agent_id, type, subtype, thread_id, task_id, created_at, updated_at, deleted_at,
                serialized, clock_host, clock_counter FROM agent_entities WHERE ws = ?1 AND type = ?2 AND deleted_at IS NULL ORDER BY created_at DESC, id DESC",
        params: params_values![ws(workspace), T::KIND],
        decode: decode::<T>,
    }
}

/// The same rows, each decoded separately, so that a damaged one does not hide the others.
pub fn each<T: Entity>(query: Query<Stored<T>>) -> Query<Result<Stored<T>, ReadError>> {
    let Query { db, sql, params, .. } = query;
    Query { db, sql, params, decode: |row| Ok(decode::<T>(row)) }
}

/// All live entities of one kind of an agent, newest first.
///
/// The `+` in `+created_at` is a hint for SQLite: without it the planner walks the entities of all
/// agents, newest first, until it has enough of this one.
pub fn of_agent<T: Entity>(
    workspace: WorkspaceId,
    agent: impl Into<HolderId>,
    limit: i64,
) -> Query<Stored<T>> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, agent_id, type, subtype, thread_id, task_id, created_at, updated_at, deleted_at,
                serialized, clock_host, clock_counter FROM agent_entities WHERE ws = ?1 AND agent_id = ?2 AND type = ?3 AND deleted_at IS NULL
              ORDER BY +created_at DESC, id DESC LIMIT ?4",
        params: params_values![ws(workspace), String::from(agent.into()), T::KIND, limit],
        decode: decode::<T>,
    }
}

/// All live entities of one kind about a task, newest first.
pub fn of_task<T: Entity>(workspace: WorkspaceId, task: &TaskId) -> Query<Stored<T>> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, agent_id, type, subtype, thread_id, task_id, created_at, updated_at, deleted_at,
                serialized, clock_host, clock_counter FROM agent_entities WHERE ws = ?1 AND task_id = ?2 AND type = ?3 AND deleted_at IS NULL
              ORDER BY created_at DESC, id DESC",
        params: params_values![ws(workspace), task.to_string(), T::KIND],
        decode: decode::<T>,
    }
}

/// Live entities of one kind whose id ends like this, newest first.
pub fn by_ending<T: Entity>(workspace: WorkspaceId, ending: &str) -> Query<Stored<T>> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, agent_id, type, subtype, thread_id, task_id, created_at, updated_at, deleted_at,
                serialized, clock_host, clock_counter FROM agent_entities
              WHERE ws = ?1 AND type = ?2 AND deleted_at IS NULL AND id LIKE ?3 ESCAPE '\\'
              ORDER BY created_at DESC, id DESC",
        params: params_values![ws(workspace), T::KIND, format!("%{}", escaped(ending))],
        decode: decode::<T>,
    }
}

/// Live entities of one kind about at most a page of tasks, newest first.
pub fn of_tasks<T: Entity>(workspace: WorkspaceId, tasks: &[TaskId]) -> Query<Stored<T>> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT id, agent_id, type, subtype, thread_id, task_id, created_at, updated_at,
               deleted_at, serialized, clock_host, clock_counter
             FROM agent_entities WHERE ws = ?1 AND task_id IN (",
            &format!(
                ") AND type = ?{} AND deleted_at IS NULL ORDER BY created_at DESC, id DESC",
                in_list::MOST + 2
            ),
        )
    });
    let mut params = in_list::params(workspace, tasks);
    params.push(Value::Text(T::KIND.to_owned()));
    Query { db: Db::Agent, sql: &SQL, params, decode: decode::<T> }
}

/// Live entities of one kind of an agent after a cursor, newest first.
///
/// The first page starts after `(the largest time, "~")`: an id has no `~`. The `+` in
/// `+created_at` is a hint for SQLite, as in [`of_agent`].
pub fn page_of_agent<T: Entity>(
    workspace: WorkspaceId,
    agent: impl Into<HolderId>,
    (at, id): (Timestamp, &str),
    limit: i64,
) -> Query<Stored<T>> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, agent_id, type, subtype, thread_id, task_id, created_at, updated_at, deleted_at,
                serialized, clock_host, clock_counter FROM agent_entities WHERE ws = ?1 AND agent_id = ?2 AND type = ?3 AND deleted_at IS NULL
                AND +created_at <= ?4 AND (created_at < ?4 OR id < ?5)
              ORDER BY +created_at DESC, id DESC LIMIT ?6",
        params: params_values![ws(workspace), String::from(agent.into()), T::KIND, at, id, limit],
        decode: decode::<T>,
    }
}

/// Entities by id, of any kind; decoding fails for those that are not a `T`.
pub fn some<T: Entity>(workspace: WorkspaceId, ids: &[impl Display]) -> Query<Stored<T>> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT id, agent_id, type, subtype, thread_id, task_id, created_at, updated_at,
               deleted_at, serialized, clock_host, clock_counter
             FROM agent_entities WHERE ws = ?1 AND id IN (",
            ")",
        )
    });
    Query { db: Db::Agent, sql: &SQL, params: in_list::params(workspace, ids), decode: decode::<T> }
}

/// One row of a list; a damaged row does not hide the others.
#[derive(Debug, Clone)]
pub struct Line<T> {
    /// Its id as stored.
    pub id: String,
    pub created_at: Timestamp,
    /// The entity, or why its document cannot be read.
    pub row: Result<Stored<T>, ReadError>,
}

pub(super) fn line<T: Entity>(row: &Row) -> Result<Line<T>, ReadError> {
    let column = |e| ReadError::column(Db::Agent, T::KIND, &e);
    Ok(Line {
        id: row.text(0).map_err(column)?.to_owned(),
        created_at: row.time(6).map_err(column)?,
        row: decode(row),
    })
}

/// The rows of a query as lines of a list.
pub fn lines<T: Entity>(query: Query<Stored<T>>) -> Query<Line<T>> {
    let Query { db, sql, params, .. } = query;
    Query { db, sql, params, decode: line::<T> }
}

/// Live entities of one kind after a cursor, newest first; see [`page_of_agent`].
pub fn page_of_kind<T: Entity>(
    workspace: WorkspaceId,
    (at, id): (Timestamp, &str),
    limit: i64,
) -> Query<Line<T>> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, agent_id, type, subtype, thread_id, task_id, created_at, updated_at, deleted_at,
                serialized, clock_host, clock_counter FROM agent_entities WHERE ws = ?1 AND type = ?2 AND deleted_at IS NULL
                AND created_at <= ?3 AND (created_at < ?3 OR id < ?4)
              ORDER BY created_at DESC, id DESC LIMIT ?5",
        params: params_values![ws(workspace), T::KIND, at, id, limit],
        decode: line::<T>,
    }
}
