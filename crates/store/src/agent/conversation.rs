//! Conversations: what was said to the person outside of a task, and the agent work it was about.
//!
//! A turn is never changed. The number of turns is counted where the conversation is, so those who add one
//! at the same time add two. A link to agent work is written only if the work is there, and goes with the
//! work or the conversation.

use dormouse_types::conversation::{ConversationKind, TaskAction, TurnRole};
use dormouse_types::{ConversationId, Id as _, Timestamp, WorkId, WorkRunId, WorkspaceId};

use super::source::{self, Source};
use super::work::Columns;
use crate::commit::{Db, Op, Refusal};
use crate::store::{Query, ReadError, ws};
use crate::value::Row;
use crate::{params, params_values};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversation {
    pub id: ConversationId,
    /// What it is for.
    pub kind: ConversationKind,
    /// The agent work that it is bound to; when read, `None` if that was deleted.
    pub work: Option<WorkId>,
    pub title: String,
    /// How many turns it has.
    pub n_turns: i64,
    /// When it began.
    pub created_at: Timestamp,
    /// When it last got a turn.
    pub updated_at: Timestamp,
}

/// What a turn did with a piece of agent work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskRef {
    pub work: WorkId,
    /// What it did with it.
    pub action: TaskAction,
}

/// A turn that is to be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTurn {
    /// Who says it.
    pub role: TurnRole,
    /// The title of what a run published.
    pub title: Option<String>,
    /// The words.
    pub content: String,
    /// What it does with a piece of agent work.
    pub task_ref: Option<TaskRef>,
    /// The run whose result it is, and its number within its definition. A run has one turn.
    pub run: Option<(WorkRunId, i64)>,
    /// What the words were made of; empty for those of a person.
    pub sources: Vec<Source>,
    /// When.
    pub at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    pub conversation: ConversationId,
    /// Its number, from 1.
    pub n: i64,
    /// What was added. Its reference is `None` if the work was deleted since.
    pub message: NewTurn,
    /// The title of the work that it refers to.
    pub task_title: Option<String>,
}

/// Begins a conversation; refused if it exists.
pub fn insert(workspace: WorkspaceId, new: &Conversation) -> Op {
    Op::one(
        "INSERT INTO conversations (ws, id, kind, work_id, title, n_turns, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        columns_of(workspace, new),
        Refusal::Exists,
    )
}

/// Begins a conversation unless it exists, no matter who began it.
pub fn begin(workspace: WorkspaceId, new: &Conversation) -> Op {
    Op::any(
        "INSERT INTO conversations (ws, id, kind, work_id, title, n_turns, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
         ON CONFLICT DO NOTHING",
        columns_of(workspace, new),
    )
}

fn columns_of(workspace: WorkspaceId, new: &Conversation) -> Vec<crate::value::Param> {
    params![
        ws(workspace),
        new.id.as_str(),
        new.kind.name(),
        new.work.as_ref().map(WorkId::as_str),
        new.title.as_str(),
        new.n_turns,
        new.created_at,
        new.updated_at
    ]
}

/// Adds a turn, and links the work that it refers to.
///
/// Refused as stale if the conversation is not there, as missing if the work is not, and as existing if the
/// run has said its result. The count comes first: the writer of it decides which number is next.
pub fn add_turn(workspace: WorkspaceId, id: &ConversationId, new: &NewTurn) -> Vec<Op> {
    let mut ops = vec![Op::one(
        "UPDATE conversations SET n_turns = n_turns + 1, updated_at = ?3 WHERE ws = ?1 AND id = ?2",
        params![ws(workspace), id.as_str(), new.at],
        Refusal::Stale,
    )];
    ops.extend(new.task_ref.iter().map(|it| link(workspace, id, &it.work)));
    ops.push(Op::one(
        "INSERT INTO conversation_turns (ws, conversation_id, n, role, title, content, work_id, action,
           run_id, run_n, sources, created_at)
         VALUES (?1, ?2, (SELECT n_turns FROM conversations WHERE ws = ?1 AND id = ?2),
           ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        params![
            ws(workspace),
            id.as_str(),
            new.role.name(),
            new.title.clone(),
            new.content.as_str(),
            new.task_ref.as_ref().map(|it| it.work.as_str()),
            new.task_ref.as_ref().map(|it| it.action.name()),
            new.run.as_ref().map(|(run, _)| run.as_str()),
            new.run.as_ref().map(|(_, n)| *n),
            source::column(&new.sources),
            new.at
        ],
        Refusal::Exists,
    ));
    ops
}

/// Links a conversation with a piece of agent work; refused if there is no such work.
pub fn link(workspace: WorkspaceId, id: &ConversationId, work: &WorkId) -> Op {
    Op::one(
        "INSERT INTO conversation_work (ws, conversation_id, work_id)
         SELECT ws, CAST(?2 AS TEXT), id FROM work_definitions
         WHERE ws = ?1 AND id = ?3 AND deleted_at IS NULL
         ON CONFLICT (ws, conversation_id, work_id) DO UPDATE SET work_id = excluded.work_id",
        params![ws(workspace), id.as_str(), work.as_str()],
        Refusal::Missing,
    )
}

/// Takes away the links of a piece of agent work that is deleted.
pub fn unlink_work(workspace: WorkspaceId, work: &WorkId) -> Op {
    Op::any(
        "DELETE FROM conversation_work WHERE ws = ?1 AND work_id = ?2",
        params![ws(workspace), work.as_str()],
    )
}

/// Deletes a conversation with its turns; refused if it is not there. Agent work that came from it refers to
/// nothing any more.
pub fn delete(workspace: WorkspaceId, id: &ConversationId) -> Vec<Op> {
    let of = |sql| Op::any(sql, params![ws(workspace), id.as_str()]);
    vec![
        Op::one(
            "DELETE FROM conversations WHERE ws = ?1 AND id = ?2",
            params![ws(workspace), id.as_str()],
            Refusal::Missing,
        ),
        of("DELETE FROM conversation_turns WHERE ws = ?1 AND conversation_id = ?2"),
        of("DELETE FROM conversation_work WHERE ws = ?1 AND conversation_id = ?2"),
        of("UPDATE work_definitions SET source_ref = NULL
            WHERE ws = ?1 AND source_type = 'conversation' AND source_ref = ?2"),
    ]
}

fn decode(row: &Row) -> Result<Conversation, ReadError> {
    let columns = Columns::of(row, "conversation")?;
    Ok(Conversation {
        id: columns.id(0)?,
        kind: columns.listed(1)?,
        work: columns.opt_id(2)?,
        title: columns.text(3)?,
        n_turns: columns.int(4)?,
        created_at: columns.column(row.time(5))?,
        updated_at: columns.column(row.time(6))?,
    })
}

/// A conversation.
pub fn by_id(workspace: WorkspaceId, id: &ConversationId) -> Query<Conversation> {
    Query {
        db: Db::Agent,
        sql: "SELECT c.id, c.kind, d.id, c.title, c.n_turns, c.created_at, c.updated_at
              FROM conversations c LEFT JOIN work_definitions d
                ON d.ws = c.ws AND d.id = c.work_id AND d.deleted_at IS NULL
              WHERE c.ws = ?1 AND c.id = ?2",
        params: params_values![ws(workspace), id.as_str()],
        decode,
    }
}

/// Conversations before a position, the one with the newest turn first.
pub fn newest(
    workspace: WorkspaceId,
    (at, id): (Timestamp, &str),
    limit: i64,
) -> Query<Conversation> {
    Query {
        db: Db::Agent,
        sql: "SELECT c.id, c.kind, d.id, c.title, c.n_turns, c.created_at, c.updated_at
              FROM conversations c LEFT JOIN work_definitions d
                ON d.ws = c.ws AND d.id = c.work_id AND d.deleted_at IS NULL
              WHERE c.ws = ?1 AND (c.updated_at, c.id) < (?2, ?3)
              ORDER BY c.updated_at DESC, c.id DESC LIMIT ?4",
        params: params_values![ws(workspace), at, id, limit],
        decode,
    }
}

/// The conversations that are about a piece of agent work, newest id first, before an id.
pub fn of_work(
    workspace: WorkspaceId,
    work: &WorkId,
    before: &str,
    limit: i64,
) -> Query<Conversation> {
    Query {
        db: Db::Agent,
        sql: "SELECT c.id, c.kind, d.id, c.title, c.n_turns, c.created_at, c.updated_at
              FROM conversation_work w
              JOIN conversations c ON c.ws = w.ws AND c.id = w.conversation_id
              LEFT JOIN work_definitions d
                ON d.ws = c.ws AND d.id = c.work_id AND d.deleted_at IS NULL
              WHERE w.ws = ?1 AND w.work_id = ?2 AND w.conversation_id < ?3
              ORDER BY w.conversation_id DESC LIMIT ?4",
        params: params_values![ws(workspace), work.as_str(), before, limit],
        decode,
    }
}

fn decode_turn(row: &Row) -> Result<Turn, ReadError> {
    let columns = Columns::of(row, "turn of a conversation")?;
    let (work, run) = (columns.opt_id::<WorkId>(5)?, columns.opt_id(7)?);
    let action: Option<TaskAction> = columns.opt_listed(6)?;
    let run_n = columns.column(row.opt_int(8))?;
    Ok(Turn {
        conversation: columns.id(0)?,
        n: columns.int(1)?,
        message: NewTurn {
            role: columns.listed(2)?,
            title: columns.opt_text(3)?,
            content: columns.text(4)?,
            task_ref: work.zip(action).map(|(work, action)| TaskRef { work, action }),
            run: run.zip(run_n),
            sources: source::of_column(row, 9, "turn of a conversation")?,
            at: columns.column(row.time(10))?,
        },
        task_title: columns.opt_text(11)?,
    })
}

/// Reads the number of a turn apart, so that a damaged one is an error of its own.
fn decode_each(row: &Row) -> Result<(i64, Result<Turn, ReadError>), ReadError> {
    let n = row.int(1).map_err(|e| ReadError::column(Db::Agent, "turn of a conversation", &e))?;
    Ok((n, decode_turn(row)))
}

/// The turns of a conversation before one of them, newest first. The first page comes before the largest
/// number.
pub fn turns_before(
    workspace: WorkspaceId,
    id: &ConversationId,
    before: i64,
    limit: i64,
) -> Query<(i64, Result<Turn, ReadError>)> {
    Query {
        db: Db::Agent,
        sql: "SELECT t.conversation_id, t.n, t.role, t.title, t.content, d.id, t.action, t.run_id,
                t.run_n, t.sources, t.created_at, d.title
              FROM conversation_turns t LEFT JOIN work_definitions d
                ON d.ws = t.ws AND d.id = t.work_id AND d.deleted_at IS NULL
              WHERE t.ws = ?1 AND t.conversation_id = ?2 AND t.n < ?3
              ORDER BY t.n DESC LIMIT ?4",
        params: params_values![ws(workspace), id.as_str(), before, limit],
        decode: decode_each,
    }
}

/// The turns of a conversation from one of them on, oldest first.
pub fn turns_from(
    workspace: WorkspaceId,
    id: &ConversationId,
    from: i64,
    limit: i64,
) -> Query<(i64, Result<Turn, ReadError>)> {
    Query {
        db: Db::Agent,
        sql: "SELECT t.conversation_id, t.n, t.role, t.title, t.content, d.id, t.action, t.run_id,
                t.run_n, t.sources, t.created_at, d.title
              FROM conversation_turns t LEFT JOIN work_definitions d
                ON d.ws = t.ws AND d.id = t.work_id AND d.deleted_at IS NULL
              WHERE t.ws = ?1 AND t.conversation_id = ?2 AND t.n >= ?3
              ORDER BY t.n LIMIT ?4",
        params: params_values![ws(workspace), id.as_str(), from, limit],
        decode: decode_each,
    }
}

/// The newest turns of these conversations, one each; at most one page of them.
pub fn last_turns(
    workspace: WorkspaceId,
    ids: &[ConversationId],
) -> Query<(i64, Result<Turn, ReadError>)> {
    static SQL: std::sync::LazyLock<String> = std::sync::LazyLock::new(|| {
        crate::in_list::sql(
            "SELECT t.conversation_id, t.n, t.role, t.title, t.content, d.id, t.action, t.run_id,
               t.run_n, t.sources, t.created_at, d.title
             FROM conversations c
             JOIN conversation_turns t ON t.ws = c.ws AND t.conversation_id = c.id AND t.n = c.n_turns
             LEFT JOIN work_definitions d
               ON d.ws = t.ws AND d.id = t.work_id AND d.deleted_at IS NULL
             WHERE c.ws = ?1 AND c.id IN (",
            ")",
        )
    });
    let params = crate::in_list::params(workspace, ids);
    Query { db: Db::Agent, sql: &SQL, params, decode: decode_each }
}
