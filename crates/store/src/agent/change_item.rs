//! Change items: each is one proposed change.

use std::sync::LazyLock;
use std::time::Duration;

use dormouse_types::field_change::FieldChange;
use dormouse_types::{
    ChangeSetId, Fingerprint, HolderId, OperationId, TaskId, Timestamp, WorkspaceId,
};

pub use dormouse_types::agent::ItemStatus as State;

use dormouse_types::closed_list::ClosedList as _;

use crate::commit::{Db, Op, Refusal};
use crate::in_list;
use crate::store::{Query, ReadError, ws};
use crate::value::{Param, Row};
use crate::{params, params_values};

#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    pub set: ChangeSetId,
    /// Its permanent place in the set, from 1.
    pub index: i64,
    /// The task it is about.
    pub task: TaskId,
    /// The agent, or the run of agent work, that proposed it.
    pub proposer: HolderId,
    /// The tool, in its singular form.
    pub tool: String,
    /// Its arguments, as canonical JSON.
    pub args: String,
    /// Its identity.
    pub fingerprint: Fingerprint,
    /// The quote that supports it, as JSON.
    pub evidence: Option<String>,
    /// The model's reason; never part of the summary.
    pub rationale: Option<String>,
    /// The change that it makes, seen from the time of the proposal; `None` in rows of older versions.
    pub change: Option<FieldChange>,
    /// In rows of older versions, the value at the time of the proposal in English words.
    pub before: Option<String>,
    pub state: State,
    /// How many times it was undone.
    pub round: i64,
    /// The operation that a confirm applies.
    pub operation: OperationId,
    /// Why applying it failed.
    pub error: Option<String>,
    /// When it was first among the ten shown.
    pub shown_at: Option<Timestamp>,
    /// When it was proposed.
    pub created_at: Timestamp,
    /// When the last verdict was given.
    pub decided_at: Option<Timestamp>,
}

/// What counting and ordering open items needs of each of them: ids, times and its state, no text.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenItem {
    pub set: ChangeSetId,
    /// Its permanent place in the set, from 1.
    pub index: i64,
    /// The task it is about.
    pub task: TaskId,
    /// The agent, or the run of agent work, that proposed it.
    pub proposer: HolderId,
    /// The tool, in its singular form.
    pub tool: String,
    pub state: State,
    /// How many times it was undone.
    pub round: i64,
    /// When it was first among the ten shown.
    pub shown_at: Option<Timestamp>,
    /// When it was proposed.
    pub created_at: Timestamp,
    /// Whether a quote supports it.
    pub has_evidence: bool,
}

/// Adds an item; refused when the task already has an open item with the same fingerprint.
pub fn insert(workspace: WorkspaceId, item: &Item) -> Op {
    Op::one(
        "INSERT INTO change_items (ws, set_id, item_index, task_id, agent_id, tool, args,
           fingerprint, evidence, rationale, before, state, is_open, round, operation_id, error,
           shown_at, created_at, decided_at, field_change)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, NULL,
           ?19)",
        params![
            ws(workspace),
            item.set.to_string(),
            item.index,
            item.task.to_string(),
            item.proposer.to_string(),
            item.tool.as_str(),
            item.args.as_str(),
            item.fingerprint.as_str(),
            item.evidence.clone(),
            item.rationale.clone(),
            item.before.clone(),
            item.state.name(),
            item.state.is_open(),
            item.round,
            item.operation.as_str(),
            item.error.clone(),
            item.shown_at,
            item.created_at,
            item.change.as_ref().map(json)
        ],
        Refusal::Exists,
    )
}

/// Moves an item to another state, from exactly the state, round and fingerprint that were read.
/// With `fresh_for`, the item must also have been first shown less than that long ago by the
/// writer's clock, so a verdict that was delayed in transit is refused.
pub fn transition(
    workspace: WorkspaceId,
    item: &Item,
    to: State,
    error: Option<&str>,
    fresh_for: Option<Duration>,
    at: Timestamp,
) -> Op {
    let fresh_for = fresh_for.map(|age| i64::try_from(age.as_micros()).unwrap_or(i64::MAX / 2));
    Op::one(
        "UPDATE change_items SET state = ?7, is_open = ?8, error = ?9, decided_at = ?10
         WHERE ws = ?1 AND set_id = ?2 AND item_index = ?3 AND state = ?4 AND round = ?5
           AND fingerprint = ?6
           AND (CAST(?11 AS BIGINT) IS NULL OR shown_at IS NULL
                OR shown_at + CAST(?11 AS BIGINT) > CAST(?12 AS BIGINT))",
        params![
            ws(workspace),
            item.set.to_string(),
            item.index,
            item.state.name(),
            item.round,
            item.fingerprint.as_str(),
            to.name(),
            to.is_open(),
            error.map(ToOwned::to_owned),
            at,
            fresh_for,
            Param::Now
        ],
        Refusal::ItemMoved,
    )
}

/// Reopens a decided item in a new round, with the operation id of that round.
pub fn reopen(
    workspace: WorkspaceId,
    item: &Item,
    round: i64,
    operation: &OperationId,
    at: Timestamp,
) -> Op {
    Op::one(
        "UPDATE change_items SET state = 'pending', is_open = 1, error = NULL, decided_at = NULL,
           round = ?6, operation_id = ?7, shown_at = ?8
         WHERE ws = ?1 AND set_id = ?2 AND item_index = ?3 AND state = ?4 AND round = ?5",
        params![
            ws(workspace),
            item.set.to_string(),
            item.index,
            item.state.name(),
            item.round,
            round,
            operation.as_str(),
            at
        ],
        Refusal::ItemMoved,
    )
}

/// Advances an item to the round the journal has reached; its state stays.
pub fn catch_up(workspace: WorkspaceId, item: &Item, round: i64, operation: &OperationId) -> Op {
    Op::one(
        "UPDATE change_items SET round = ?6, operation_id = ?7
         WHERE ws = ?1 AND set_id = ?2 AND item_index = ?3 AND state = ?4 AND round = ?5",
        params![
            ws(workspace),
            item.set.to_string(),
            item.index,
            item.state.name(),
            item.round,
            round,
            operation.as_str()
        ],
        Refusal::ItemMoved,
    )
}

/// Guards a commit: the item must still have the state and round that were read.
pub fn expect_unmoved(workspace: WorkspaceId, item: &Item) -> Op {
    Op::one(
        "UPDATE change_items SET state = state
         WHERE ws = ?1 AND set_id = ?2 AND item_index = ?3 AND state = ?4 AND round = ?5",
        params![ws(workspace), item.set.to_string(), item.index, item.state.name(), item.round],
        Refusal::ItemMoved,
    )
}

/// Records that an item is among the ten shown.
pub fn show(workspace: WorkspaceId, set: &ChangeSetId, index: i64, at: Timestamp) -> Op {
    Op::any(
        "UPDATE change_items SET shown_at = ?4
         WHERE ws = ?1 AND set_id = ?2 AND item_index = ?3 AND shown_at IS NULL",
        params![ws(workspace), set.to_string(), index, at],
    )
}

fn json(change: &FieldChange) -> String {
    serde_json::to_string(change).expect("a change is plain data")
}

fn decode(row: &Row) -> Result<Item, ReadError> {
    let column = |e| ReadError::column(Db::Agent, "change item", &e);
    let bad_id = |e: dormouse_types::IdError| corrupt(row, e.to_string());
    Ok(Item {
        set: row.text(0).map_err(column)?.parse().map_err(bad_id)?,
        index: row.int(1).map_err(column)?,
        task: row.text(2).map_err(column)?.parse().map_err(bad_id)?,
        proposer: row.text(3).map_err(column)?.parse().map_err(bad_id)?,
        tool: row.text(4).map_err(column)?.to_owned(),
        args: row.text(5).map_err(column)?.to_owned(),
        fingerprint: Fingerprint(row.text(6).map_err(column)?.to_owned()),
        evidence: row.opt_text(7).map_err(column)?.map(ToOwned::to_owned),
        rationale: row.opt_text(8).map_err(column)?.map(ToOwned::to_owned),
        before: row.opt_text(9).map_err(column)?.map(ToOwned::to_owned),
        state: state(row, 10)?,
        round: row.int(11).map_err(column)?,
        operation: OperationId(row.text(12).map_err(column)?.to_owned()),
        error: row.opt_text(13).map_err(column)?.map(ToOwned::to_owned),
        shown_at: row.opt_time(14).map_err(column)?,
        created_at: row.time(15).map_err(column)?,
        decided_at: row.opt_time(16).map_err(column)?,
        change: row
            .opt_text(17)
            .map_err(column)?
            .map(serde_json::from_str)
            .transpose()
            .map_err(|e| corrupt(row, format!("its change: {e}")))?,
    })
}

fn decode_open(row: &Row) -> Result<OpenItem, ReadError> {
    let column = |e| ReadError::column(Db::Agent, "change item", &e);
    let bad_id = |e: dormouse_types::IdError| corrupt(row, e.to_string());
    Ok(OpenItem {
        set: row.text(0).map_err(column)?.parse().map_err(bad_id)?,
        index: row.int(1).map_err(column)?,
        task: row.text(2).map_err(column)?.parse().map_err(bad_id)?,
        proposer: row.text(3).map_err(column)?.parse().map_err(bad_id)?,
        tool: row.text(4).map_err(column)?.to_owned(),
        state: state(row, 5)?,
        round: row.int(6).map_err(column)?,
        shown_at: row.opt_time(7).map_err(column)?,
        created_at: row.time(8).map_err(column)?,
        has_evidence: row.int(9).map_err(column)? == 1,
    })
}

fn state(row: &Row, at: usize) -> Result<State, ReadError> {
    let name = row.text(at).map_err(|e| ReadError::column(Db::Agent, "change item", &e))?;
    State::of_name(name).ok_or_else(|| corrupt(row, format!("unknown state `{name}`")))
}

fn corrupt(row: &Row, detail: String) -> ReadError {
    let id = row.text(0).unwrap_or("row").to_owned();
    ReadError::Corrupt { db: "agent", noun: "change item", id, detail }
}

/// One item.
pub fn by_index(workspace: WorkspaceId, set: &ChangeSetId, index: i64) -> Query<Item> {
    Query {
        db: Db::Agent,
        sql: "SELECT set_id, item_index, task_id, agent_id, tool, args, fingerprint, evidence,
                rationale, before, state, round, operation_id, error, shown_at, created_at, decided_at,
                field_change
              FROM change_items WHERE ws = ?1 AND set_id = ?2 AND item_index = ?3",
        params: params_values![ws(workspace), set.to_string(), index],
        decode,
    }
}

/// The items of a set, in order.
pub fn of_set(workspace: WorkspaceId, set: &ChangeSetId) -> Query<Item> {
    Query {
        db: Db::Agent,
        sql: "SELECT set_id, item_index, task_id, agent_id, tool, args, fingerprint, evidence,
                rationale, before, state, round, operation_id, error, shown_at, created_at, decided_at,
                field_change
              FROM change_items WHERE ws = ?1 AND set_id = ?2 ORDER BY item_index",
        params: params_values![ws(workspace), set.to_string()],
        decode,
    }
}

/// The items of at most a page of sets, in order within each set.
pub fn of_sets(workspace: WorkspaceId, sets: &[ChangeSetId]) -> Query<Item> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT set_id, item_index, task_id, agent_id, tool, args, fingerprint, evidence,
               rationale, before, state, round, operation_id, error, shown_at, created_at, decided_at,
               field_change
             FROM change_items WHERE ws = ?1 AND set_id IN (",
            ") ORDER BY set_id, item_index",
        )
    });
    Query { db: Db::Agent, sql: &SQL, params: in_list::params(workspace, sets), decode }
}

/// All items about a task, oldest first.
pub fn of_task(workspace: WorkspaceId, task: &TaskId) -> Query<Item> {
    Query {
        db: Db::Agent,
        sql: "SELECT set_id, item_index, task_id, agent_id, tool, args, fingerprint, evidence,
                rationale, before, state, round, operation_id, error, shown_at, created_at, decided_at,
                field_change
              FROM change_items WHERE ws = ?1 AND task_id = ?2
              ORDER BY created_at, set_id, item_index",
        params: params_values![ws(workspace), task.to_string()],
        decode,
    }
}

/// All open items of a workspace without their texts, grouped by task, oldest first.
pub fn open(workspace: WorkspaceId) -> Query<OpenItem> {
    Query {
        db: Db::Agent,
        sql:
            "SELECT set_id, item_index, task_id, agent_id, tool, state, round, shown_at, created_at,
                CASE WHEN evidence IS NULL THEN 0 ELSE 1 END
              FROM change_items WHERE ws = ?1 AND is_open = 1
              ORDER BY task_id, created_at, set_id, item_index",
        params: params_values![ws(workspace)],
        decode: decode_open,
    }
}

/// The open items of the given tasks without their texts, grouped by task, oldest first.
pub fn open_among(workspace: WorkspaceId, tasks: &[TaskId]) -> Query<OpenItem> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT set_id, item_index, task_id, agent_id, tool, state, round, shown_at, created_at,
               CASE WHEN evidence IS NULL THEN 0 ELSE 1 END
             FROM change_items WHERE ws = ?1 AND is_open = 1 AND task_id IN (",
            ") ORDER BY task_id, created_at, set_id, item_index",
        )
    });
    let params = in_list::params(workspace, tasks);
    Query { db: Db::Agent, sql: &SQL, params, decode: decode_open }
}

/// Items that a person decided at a time or later, oldest first.
pub fn decided_since(workspace: WorkspaceId, since: Timestamp) -> Query<Item> {
    Query {
        db: Db::Agent,
        sql: "SELECT set_id, item_index, task_id, agent_id, tool, args, fingerprint, evidence,
                rationale, before, state, round, operation_id, error, shown_at, created_at, decided_at,
                field_change
              FROM change_items WHERE ws = ?1 AND decided_at IS NOT NULL AND decided_at >= ?2
              ORDER BY decided_at, set_id, item_index",
        params: params_values![ws(workspace), since],
        decode,
    }
}

/// The items that some holders proposed, oldest first of each.
pub fn of_proposers(workspace: WorkspaceId, proposers: &[HolderId]) -> Query<Item> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT set_id, item_index, task_id, agent_id, tool, args, fingerprint, evidence,
               rationale, before, state, round, operation_id, error, shown_at, created_at, decided_at,
               field_change
             FROM change_items WHERE ws = ?1 AND agent_id IN (",
            ") ORDER BY agent_id, created_at, set_id, item_index",
        )
    });
    Query { db: Db::Agent, sql: &SQL, params: in_list::params(workspace, proposers), decode }
}

/// The open items of the given tasks, grouped by task, oldest first.
pub fn open_of_tasks(workspace: WorkspaceId, tasks: &[TaskId]) -> Query<Item> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT set_id, item_index, task_id, agent_id, tool, args, fingerprint, evidence,
               rationale, before, state, round, operation_id, error, shown_at, created_at, decided_at,
               field_change
             FROM change_items WHERE ws = ?1 AND is_open = 1 AND task_id IN (",
            ") ORDER BY task_id, created_at, set_id, item_index",
        )
    });
    Query { db: Db::Agent, sql: &SQL, params: in_list::params(workspace, tasks), decode }
}

/// Operations of items recorded as applied, ordered by item, after the given one.
pub fn confirmed_after(
    workspace: WorkspaceId,
    (set, index): (&str, i64),
    limit: i64,
) -> Query<(String, i64, String)> {
    Query {
        db: Db::Agent,
        sql: "SELECT set_id, item_index, operation_id FROM change_items
              WHERE ws = ?1 AND (set_id, item_index) > (?2, ?3) AND state = 'confirmed'
              ORDER BY set_id, item_index LIMIT ?4",
        params: params_values![ws(workspace), set, index, limit],
        decode: |row| {
            let column = |e| ReadError::column(Db::Agent, "change item", &e);
            let text = |at| row.text(at).map(ToOwned::to_owned).map_err(column);
            Ok((text(0)?, row.int(1).map_err(column)?, text(2)?))
        },
    }
}

/// Open items of all workspaces first shown at or before a time, longest ago first, after a cursor
/// in this order.
pub fn shown_by(
    time: Timestamp,
    after: Option<&(Timestamp, WorkspaceId, ChangeSetId, i64)>,
    limit: i64,
) -> Query<(WorkspaceId, Item)> {
    let (shown_at, workspace, set, index) = match after {
        Some((shown_at, workspace, set, index)) => {
            (*shown_at, workspace.0, set.to_string(), *index)
        }
        None => (Timestamp::from_micros(i64::MIN), i64::MIN, String::new(), 0),
    };
    Query {
        db: Db::Agent,
        sql: "SELECT set_id, item_index, task_id, agent_id, tool, args, fingerprint, evidence,
                rationale, before, state, round, operation_id, error, shown_at, created_at,
                decided_at, field_change, ws
              FROM change_items
              WHERE is_open = 1 AND shown_at <= ?1 AND shown_at >= ?2 AND state <> 'applying'
                AND (shown_at > ?2 OR ws > ?3 OR (ws = ?3
                     AND (set_id > ?4 OR (set_id = ?4 AND item_index > ?5))))
              ORDER BY shown_at, ws, set_id, item_index LIMIT ?6",
        params: params_values![time, shown_at, workspace, set, index, limit],
        decode: |row| {
            let workspace =
                row.int(18).map_err(|e| ReadError::column(Db::Agent, "change item", &e))?;
            Ok((WorkspaceId(workspace), decode(row)?))
        },
    }
}
