//! The memory of agents in the search index: lines of their logs that were folded, and what they were
//! folded into.

use std::fmt;
use std::str::FromStr;

use dormouse_types::closed_list::Listed;
use dormouse_types::memory::MemoryKind;
use dormouse_types::search_words::WordQuery;
use dormouse_types::{Digest, HolderId, Timestamp, WorkspaceId};

use super::checkpoint::Checkpoint;
use super::log_line::Line;
use super::source::Source;
use crate::commit::{Db, Op, Refusal};
use crate::params;
use crate::search_index::{self, Indexed};
use crate::store::{Engine, Query, ReadError, ws};

/// Where a text is in a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A line of the log, by its number.
    Line(i64),
    /// A checkpoint, by its number.
    Checkpoint(i64),
}

/// Shape: `line-0000000012`. The order of numbers is the order of the texts.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(n) => write!(f, "line-{n:010}"),
            Self::Checkpoint(n) => write!(f, "checkpoint-{n:010}"),
        }
    }
}

impl FromStr for Place {
    type Err = ReadError;

    fn from_str(id: &str) -> Result<Self, ReadError> {
        let corrupt = |detail: String| ReadError::Corrupt {
            db: Db::Agent.name(),
            noun: "searched text",
            id: id.to_owned(),
            detail,
        };
        let (kind, n) = id.split_once('-').ok_or_else(|| corrupt("it names no place".into()))?;
        let n = n.parse().map_err(|e| corrupt(format!("{e}")))?;
        match kind {
            "line" => Ok(Self::Line(n)),
            "checkpoint" => Ok(Self::Checkpoint(n)),
            other => Err(corrupt(format!("there is no kind of place {other}"))),
        }
    }
}

/// Returns what a line is about.
pub fn kind_of(sources: &[Source]) -> MemoryKind {
    let is_of = |wanted: fn(&Source) -> bool| sources.iter().any(wanted);
    if is_of(|source| matches!(source, Source::Entry(_))) {
        MemoryKind::Entry
    } else if is_of(|source| matches!(source, Source::Run(_))) {
        MemoryKind::Observation
    } else if sources.len() > 1 {
        MemoryKind::Link
    } else {
        MemoryKind::Change
    }
}

/// Adds a line of a log with the text that it is found by. Its own text must be stored.
pub fn put_line(
    workspace: WorkspaceId,
    holder: &HolderId,
    line: &Line,
    at: Timestamp,
    words_of: &str,
) -> Op {
    let indexed = Indexed {
        id: Place::Line(line.n).to_string(),
        kind: kind_of(&line.sources).name().to_owned(),
        at,
        sha256: line.sha256.clone(),
        sources: line.sources.clone(),
    };
    search_index::put(workspace, &holder.to_string(), &indexed, words_of)
}

/// Adds a checkpoint; after the op that inserts it.
pub fn put_checkpoint(
    workspace: WorkspaceId,
    holder: &HolderId,
    checkpoint: &Checkpoint,
    body: &str,
) -> Op {
    let indexed = Indexed {
        id: Place::Checkpoint(checkpoint.n).to_string(),
        kind: MemoryKind::Summary.name().to_owned(),
        at: checkpoint.created_at,
        sha256: checkpoint.sha256.clone(),
        sources: checkpoint.sources.clone(),
    };
    search_index::put(workspace, &holder.to_string(), &indexed, body)
}

/// Removes a checkpoint whose words a later one has.
pub fn remove_checkpoint(workspace: WorkspaceId, holder: &HolderId, n: i64) -> Op {
    search_index::remove(workspace, &holder.to_string(), &Place::Checkpoint(n).to_string())
}

/// A text of a memory that has the words of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Where it is.
    pub place: Place,
    /// What it is about.
    pub kind: Listed<MemoryKind>,
    /// When it was written.
    pub at: Timestamp,
    /// The hash of its text.
    pub sha256: Digest,
    /// What it was made of.
    pub sources: Vec<Source>,
}

impl TryFrom<Indexed> for Found {
    type Error = ReadError;

    fn try_from(indexed: Indexed) -> Result<Self, ReadError> {
        Ok(Self {
            place: indexed.id.parse()?,
            kind: Listed::named(&indexed.kind),
            at: indexed.at,
            sha256: indexed.sha256,
            sources: indexed.sources,
        })
    }
}

/// The folded texts of a memory that have all words of a query, newest first, before a time and an
/// id.
pub fn matching(
    engine: Engine,
    workspace: WorkspaceId,
    holder: &HolderId,
    word_query: &WordQuery,
    before: (Timestamp, &str),
    limit: i64,
) -> Query<Found> {
    let area = holder.to_string();
    let Query { db, sql, params, .. } =
        search_index::matching(engine, workspace, &area, word_query, before, limit);
    Query { db, sql, params, decode: |row| search_index::indexed(row)?.try_into() }
}

/// Lines that were folded before there was an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backlog {
    pub ws: WorkspaceId,
    /// Whose log.
    pub holder: HolderId,
    /// The next line to index.
    pub next: i64,
    /// The last one.
    pub upto: i64,
}

/// The first of the logs whose folded lines are not all in the index.
pub fn backlog() -> Query<Backlog> {
    Query {
        db: Db::Agent,
        sql: "SELECT ws, agent_id, next, upto FROM search_backlog ORDER BY ws, agent_id LIMIT 1",
        params: Vec::new(),
        decode: |row| {
            let column = |e| ReadError::column(Db::Agent, "backlog of the search index", &e);
            let holder = row.text(1).map_err(column)?;
            Ok(Backlog {
                ws: WorkspaceId(row.int(0).map_err(column)?),
                holder: holder.parse().map_err(|e: dormouse_types::IdError| {
                    ReadError::Corrupt {
                        db: Db::Agent.name(),
                        noun: "backlog of the search index",
                        id: holder.to_owned(),
                        detail: e.to_string(),
                    }
                })?,
                next: row.int(2).map_err(column)?,
                upto: row.int(3).map_err(column)?,
            })
        },
    }
}

/// Says that lines before `next` are in the index; after the last one the row goes. Refused if
/// another process was here.
pub fn advance(backlog: &Backlog, next: i64) -> Op {
    let holder = backlog.holder.to_string();
    if next > backlog.upto {
        return Op::one(
            "DELETE FROM search_backlog WHERE ws = ?1 AND agent_id = ?2 AND next = ?3",
            params![ws(backlog.ws), holder, backlog.next],
            Refusal::Exists,
        );
    }
    Op::one(
        "UPDATE search_backlog SET next = ?4 WHERE ws = ?1 AND agent_id = ?2 AND next = ?3",
        params![ws(backlog.ws), holder, backlog.next, next],
        Refusal::Exists,
    )
}
