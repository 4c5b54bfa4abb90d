//! Purges: removals of words from both databases, from the first commit to the cleaned files.

use dormouse_types::closed_list::Listed;
pub use dormouse_types::memory::PurgePhase as Phase;
use dormouse_types::{AgentId, EntryId, IdError, OperationId, TaskId, Timestamp, WorkspaceId};

use crate::commit::{Db, Op, Refusal};
use crate::store::{Query, ReadError, ws};
use crate::value::{Param, Row};
use crate::{params, params_values};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Purge {
    pub id: OperationId,
    /// The agent whose memory it began with.
    pub agent: AgentId,
    /// The line of that memory.
    pub line: String,
    /// The task of the agent.
    pub task: Option<TaskId>,
    /// The entry that is removed from its task as well.
    pub entry: Option<EntryId>,
    /// Its next step.
    pub phase: Listed<Phase>,
    /// The words, as JSON, as long as a step needs them.
    pub words: Option<String>,
    /// How much was removed, as JSON; no words.
    pub removed: String,
    /// When it began.
    pub created_at: Timestamp,
}

/// Records a purge; refused if the line has one.
pub fn insert(workspace: WorkspaceId, purge: &Purge) -> Op {
    Op::one(
        "INSERT INTO purges (ws, id, agent_id, line, task_id, entry_id, phase, words, removed,
           created_at, done_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, NULL)",
        params![
            ws(workspace),
            purge.id.as_str(),
            purge.agent.to_string(),
            purge.line.as_str(),
            purge.task.as_ref().map(ToString::to_string),
            purge.entry.as_ref().map(ToString::to_string),
            purge.phase.name(),
            purge.words.clone(),
            purge.removed.as_str(),
            purge.created_at,
        ],
        Refusal::Exists,
    )
}

/// Notes that the journal has the words no more, and forgets them.
pub fn is_out_of_rows(workspace: WorkspaceId, id: &OperationId) -> Op {
    Op::any(
        "UPDATE purges SET phase = 'files', words = NULL
         WHERE ws = ?1 AND id = ?2 AND phase = 'journal'",
        params![ws(workspace), id.as_str()],
    )
}

/// Ends a purge.
pub fn finish(workspace: WorkspaceId, id: &OperationId) -> Op {
    Op::any(
        "UPDATE purges SET phase = 'done', words = NULL, done_at = ?3
         WHERE ws = ?1 AND id = ?2 AND done_at IS NULL",
        params![ws(workspace), id.as_str(), Param::Now],
    )
}

/// The purge of a line.
pub fn of_line(workspace: WorkspaceId, agent: &AgentId, line: &str) -> Query<Purge> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, agent_id, line, task_id, entry_id, phase, words, removed, created_at
              FROM purges WHERE ws = ?1 AND agent_id = ?2 AND line = ?3",
        params: params_values![ws(workspace), agent.to_string(), line],
        decode,
    }
}

/// The newest purges that began with the memory of an agent, newest first.
pub fn of_agent(workspace: WorkspaceId, agent: &AgentId, limit: i64) -> Query<Purge> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, agent_id, line, task_id, entry_id, phase, words, removed, created_at
              FROM purges WHERE ws = ?1 AND agent_id = ?2
              ORDER BY created_at DESC, line LIMIT ?3",
        params: params_values![ws(workspace), agent.to_string(), limit],
        decode,
    }
}

/// The purges that have not ended, oldest first.
pub fn open(workspace: WorkspaceId) -> Query<Purge> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, agent_id, line, task_id, entry_id, phase, words, removed, created_at
              FROM purges WHERE ws = ?1 AND done_at IS NULL ORDER BY created_at, id",
        params: params_values![ws(workspace)],
        decode,
    }
}

/// Workspaces with a purge that has not ended.
pub fn workspaces() -> Query<WorkspaceId> {
    Query {
        db: Db::Agent,
        sql: "SELECT DISTINCT ws FROM purges WHERE done_at IS NULL ORDER BY ws",
        params: Vec::new(),
        decode: |row| {
            row.int(0).map(WorkspaceId).map_err(|e| ReadError::column(Db::Agent, "purge", &e))
        },
    }
}

fn decode(row: &Row) -> Result<Purge, ReadError> {
    let column = |e| ReadError::column(Db::Agent, "purge", &e);
    let id = row.text(0).map_err(column)?;
    let wrong = |e: IdError| ReadError::Corrupt {
        db: "agent",
        noun: "purge",
        id: id.to_owned(),
        detail: e.to_string(),
    };
    let task = row.opt_text(3).map_err(column)?;
    let entry = row.opt_text(4).map_err(column)?;
    Ok(Purge {
        id: OperationId(id.to_owned()),
        agent: row.text(1).map_err(column)?.parse().map_err(wrong)?,
        line: row.text(2).map_err(column)?.to_owned(),
        task: task.map(str::parse).transpose().map_err(wrong)?,
        entry: entry.map(str::parse).transpose().map_err(wrong)?,
        phase: Listed::named(row.text(5).map_err(column)?),
        words: row.opt_text(6).map_err(column)?.map(ToOwned::to_owned),
        removed: row.text(7).map_err(column)?.to_owned(),
        created_at: row.time(8).map_err(column)?,
    })
}
