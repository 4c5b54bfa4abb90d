//! The append-only log of a holder: captured inputs and observations, each rendered once.

use std::sync::LazyLock;

use dormouse_types::task::Field;
use dormouse_types::{Digest, EntryId, HolderId, Id as _, ItemId, RunKey, Timestamp, WorkspaceId};

use super::source::{self, Source};
use crate::commit::{Db, Op, Refusal};
use crate::store::{Query, ReadError, ws};
use crate::value::{Param, Row};
use crate::{in_list, params, params_values, text};

/// What a line says the state of. A later line about the same replaces it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    Entry(EntryId),
    Item(ItemId),
    Field(Field),
    /// What a newer version wrote lines about.
    Other(String),
}

impl Subject {
    /// Its name in rows and on the wire: the id, or the name of the field.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Entry(id) => id.as_str(),
            Self::Item(id) => id.as_str(),
            Self::Field(field) => field.name(),
            Self::Other(name) => name,
        }
    }

    /// Reads a stored name.
    pub fn named(name: &str) -> Self {
        let field = || Field::ALL.into_iter().find(|field| field.name() == name).map(Self::Field);
        let item = || name.parse().ok().map(Self::Item);
        let entry = name.parse().ok().map(Self::Entry);
        entry.or_else(item).or_else(field).unwrap_or_else(|| Self::Other(name.to_owned()))
    }
}

/// What the row of a line says of its subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineSubject {
    /// Nothing: the row was written before subjects were stored, and only the words of the line say it.
    InWords,
    /// That no later line replaces it: it is a note, or about what happens once.
    None,
    /// What it is.
    Of(Subject),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Its line number, from 1.
    pub n: i64,
    /// The hash of its text.
    pub sha256: Digest,
    /// Its text; `None` after a purge.
    pub text: Option<String>,
    /// What it was made of.
    pub sources: Vec<Source>,
    /// What it says the state of.
    pub subject: LineSubject,
    /// When a person removed it from the memory of its holder.
    pub removed_at: Option<Timestamp>,
    /// The run that wrote it.
    pub run: RunKey,
}

/// Appends a line under its number, with what it was made of and what it is about; refused when the number
/// is taken.
pub fn append(
    workspace: WorkspaceId,
    holder: impl Into<HolderId>,
    n: i64,
    line: &str,
    (sources, subject): (&[Source], Option<&Subject>),
    run: &RunKey,
) -> [Op; 2] {
    let (digest, put) = text::put(workspace, line);
    let op = Op::one(
        "INSERT INTO log_lines (ws, agent_id, n, sha256, run_key, sources, subject)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![
            ws(workspace),
            String::from(holder.into()),
            n,
            digest.as_str(),
            run.as_str(),
            source::column(sources),
            subject.map_or("", Subject::as_str)
        ],
        Refusal::LeaseLost,
    );
    [put, op]
}

/// What the lines of some holders were made of, in the order of each log: holder, number, sources.
pub fn sources(
    workspace: WorkspaceId,
    holders: &[HolderId],
) -> Query<(HolderId, i64, Vec<Source>)> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT l.agent_id, l.n, l.sources FROM log_lines l WHERE l.ws = ?1 AND l.agent_id IN (",
            ") ORDER BY l.agent_id, l.n",
        )
    });
    Query {
        db: Db::Agent,
        sql: &SQL,
        params: in_list::params(workspace, holders),
        decode: |row| {
            let column = |e| ReadError::column(Db::Agent, "log line", &e);
            let holder = row.text(0).map_err(column)?;
            let damaged = |e: dormouse_types::IdError| ReadError::Corrupt {
                db: "agent",
                noun: "log line",
                id: holder.to_owned(),
                detail: e.to_string(),
            };
            let holder = holder.parse().map_err(damaged)?;
            Ok((holder, row.int(1).map_err(column)?, source::of_column(row, 2, "log line")?))
        },
    }
}

/// The newest lines of a holder before a number, newest first.
pub fn before(
    workspace: WorkspaceId,
    holder: impl Into<HolderId>,
    n: i64,
    limit: i64,
) -> Query<Line> {
    Query {
        db: Db::Agent,
        sql: "SELECT l.n, l.sha256, t.text, l.sources, l.removed_at, l.run_key, l.subject FROM log_lines l
              LEFT JOIN texts t ON t.ws = l.ws AND t.sha256 = l.sha256
              WHERE l.ws = ?1 AND l.agent_id = ?2 AND l.n < ?3 ORDER BY l.n DESC LIMIT ?4",
        params: params_values![ws(workspace), String::from(holder.into()), n, limit],
        decode: line,
    }
}

/// The newest lines of a holder before a number that are still in its memory, newest first, each with
/// the time at which its run ended.
pub fn held_before(
    workspace: WorkspaceId,
    holder: impl Into<HolderId>,
    n: i64,
    limit: i64,
) -> Query<(Line, Option<Timestamp>)> {
    Query {
        db: Db::Agent,
        sql: "SELECT l.n, l.sha256, t.text, l.sources, l.removed_at, l.run_key, l.subject, r.completed_at
              FROM log_lines l
              LEFT JOIN texts t ON t.ws = l.ws AND t.sha256 = l.sha256
              LEFT JOIN wake_run_log r ON r.ws = l.ws AND r.run_key = l.run_key
              WHERE l.ws = ?1 AND l.agent_id = ?2 AND l.n < ?3 AND l.removed_at IS NULL
              ORDER BY l.n DESC LIMIT ?4",
        params: params_values![ws(workspace), String::from(holder.into()), n, limit],
        decode: |row| {
            let column = |e| ReadError::column(Db::Agent, "log line", &e);
            Ok((line(row)?, row.opt_time(7).map_err(column)?))
        },
    }
}

/// How many lines were in the memory of a holder when its runs until a time had ended, and the number of the
/// newest; 0 and 0 if there were none.
pub fn held_until(
    workspace: WorkspaceId,
    holder: impl Into<HolderId>,
    until: Timestamp,
) -> Query<(i64, i64)> {
    Query {
        db: Db::Agent,
        sql:
            "SELECT COUNT(*), COALESCE(MAX(l.n), 0) FROM log_lines l
              JOIN wake_run_log r ON r.ws = l.ws AND r.run_key = l.run_key
              WHERE l.ws = ?1 AND l.agent_id = ?2 AND l.removed_at IS NULL AND r.completed_at <= ?3",
        params: params_values![ws(workspace), String::from(holder.into()), until],
        decode: |row| {
            let column = |e| ReadError::column(Db::Agent, "log line", &e);
            Ok((row.int(0).map_err(column)?, row.int(1).map_err(column)?))
        },
    }
}

/// Removes a line from the memory of its holder. Its row stays, so that the others keep their numbers.
pub fn remove(workspace: WorkspaceId, holder: &HolderId, n: i64) -> Op {
    Op::any(
        "UPDATE log_lines SET removed_at = ?4
         WHERE ws = ?1 AND agent_id = ?2 AND n = ?3 AND removed_at IS NULL",
        params![ws(workspace), holder.to_string(), n, Param::Now],
    )
}

/// The lines of a holder in a range of numbers, in order.
pub fn of_holder(
    workspace: WorkspaceId,
    holder: impl Into<HolderId>,
    from: i64,
    upto: i64,
) -> Query<Line> {
    Query {
        db: Db::Agent,
        sql: "SELECT l.n, l.sha256, t.text, l.sources, l.removed_at, l.run_key, l.subject FROM log_lines l
              LEFT JOIN texts t ON t.ws = l.ws AND t.sha256 = l.sha256
              WHERE l.ws = ?1 AND l.agent_id = ?2 AND l.n >= ?3 AND l.n <= ?4 ORDER BY l.n",
        params: params_values![ws(workspace), String::from(holder.into()), from, upto],
        decode: line,
    }
}

/// The lines of a holder in a range of numbers, in order, each with the time at which it was written.
pub fn dated(
    workspace: WorkspaceId,
    holder: &HolderId,
    from: i64,
    upto: i64,
) -> Query<(Line, Option<Timestamp>)> {
    Query {
        db: Db::Agent,
        sql: "SELECT l.n, l.sha256, t.text, l.sources, l.removed_at, l.run_key, l.subject,
                COALESCE(r.completed_at, r.created_at)
              FROM log_lines l
              LEFT JOIN texts t ON t.ws = l.ws AND t.sha256 = l.sha256
              LEFT JOIN wake_run_log r ON r.ws = l.ws AND r.run_key = l.run_key
              WHERE l.ws = ?1 AND l.agent_id = ?2 AND l.n >= ?3 AND l.n <= ?4 ORDER BY l.n",
        params: params_values![ws(workspace), holder.to_string(), from, upto],
        decode: |row| {
            let column = |e| ReadError::column(Db::Agent, "log line", &e);
            Ok((line(row)?, row.opt_time(7).map_err(column)?))
        },
    }
}

fn line(row: &Row) -> Result<Line, ReadError> {
    let column = |e| ReadError::column(Db::Agent, "log line", &e);
    Ok(Line {
        n: row.int(0).map_err(column)?,
        sha256: Digest(row.text(1).map_err(column)?.to_owned()),
        text: row.opt_text(2).map_err(column)?.map(ToOwned::to_owned),
        sources: source::of_column(row, 3, "log line")?,
        subject: match row.opt_text(6).map_err(column)? {
            None => LineSubject::InWords,
            Some("") => LineSubject::None,
            Some(name) => LineSubject::Of(Subject::named(name)),
        },
        removed_at: row.opt_time(4).map_err(column)?,
        run: RunKey(row.text(5).map_err(column)?.to_owned()),
    })
}
