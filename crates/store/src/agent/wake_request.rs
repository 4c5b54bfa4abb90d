//! The request of each turn: spans of stored texts and log lines, and a digest of the whole.

use std::sync::LazyLock;

use dormouse_types::closed_list::Listed;
use dormouse_types::model::PromptPart;
use dormouse_types::{Digest, HolderId, RunKey, Timestamp, WorkspaceId};
use serde::{Deserialize, Serialize};

use super::source::{self, Source};
use crate::commit::{Db, Op, Refusal};
use crate::in_list;
use crate::store::{Query, ReadError, ws};
use crate::value::Row;
use crate::{params, params_values};

/// A piece of a stored request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "span")]
pub enum Span {
    /// One stored text.
    Text {
        /// What it holds.
        kind: Listed<PromptPart>,
        /// The hash of its text.
        sha256: Digest,
    },
    /// Lines of the agent's log.
    Log {
        /// The first line, from 1.
        from: i64,
        /// The last line.
        upto: i64,
        /// Whether the lines were sent in blocks, one for each run that wrote them. Requests of older
        /// versions sent one text.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        by_run: bool,
    },
}

/// A stored request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// The turn, from 1.
    pub turn: u32,
    /// Its pieces, in order.
    pub spans: Vec<Span>,
    /// What its texts were made of, apart from those of the log, whose lines say it themselves.
    pub sources: Vec<Source>,
    /// The digest of the canonical request.
    pub digest: Digest,
    /// When it was sent.
    pub at: Timestamp,
}

/// Records a request; one that was never answered is replaced.
pub fn put(workspace: WorkspaceId, key: &RunKey, request: &Stored) -> Op {
    Op::any(
        "INSERT INTO wake_requests (ws, run_key, turn, spans, digest, at, sources)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (ws, run_key, turn) DO UPDATE SET spans = excluded.spans,
           digest = excluded.digest, at = excluded.at, sources = excluded.sources,
           answer_sources = NULL",
        params![
            ws(workspace),
            key.as_str(),
            i64::from(request.turn),
            serde_json::to_string(&request.spans).expect("spans are plain data"),
            request.digest.as_str(),
            request.at,
            source::column(&request.sources)
        ],
    )
}

/// Notes what the answers to the calls of a turn were made of, in the commit of the turn: later
/// requests of the run show them.
pub fn note_answers(workspace: WorkspaceId, key: &RunKey, turn: u32, sources: &[Source]) -> Op {
    Op::one(
        "UPDATE wake_requests SET answer_sources = ?4 WHERE ws = ?1 AND run_key = ?2 AND turn = ?3",
        params![ws(workspace), key.as_str(), i64::from(turn), source::column(sources)],
        Refusal::LeaseLost,
    )
}

/// The requests of a run, in order.
pub fn of_run(workspace: WorkspaceId, key: &RunKey) -> Query<Stored> {
    Query {
        db: Db::Agent,
        sql: "SELECT turn, spans, digest, at, sources FROM wake_requests WHERE ws = ?1 AND run_key = ?2
              ORDER BY turn",
        params: params_values![ws(workspace), key.as_str()],
        decode: |row| {
            let column = |e| ReadError::column(Db::Agent, "request", &e);
            Ok(Stored {
                turn: u32::try_from(row.int(0).map_err(column)?).unwrap_or(0),
                spans: spans(row, 1)?,
                sources: source::of_column(row, 4, "request")?,
                digest: Digest(row.text(2).map_err(column)?.to_owned()),
                at: row.time(3).map_err(column)?,
            })
        },
    }
}

fn spans(row: &Row, n: usize) -> Result<Vec<Span>, ReadError> {
    let text = row.text(n).map_err(|e| ReadError::column(Db::Agent, "request", &e))?;
    serde_json::from_str(text).map_err(|e| ReadError::Corrupt {
        db: "agent",
        noun: "request",
        id: "spans".into(),
        detail: e.to_string(),
    })
}

/// What a request of a run was made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    pub run: RunKey,
    /// The holder that it was a run of.
    pub holder: HolderId,
    /// Its pieces, in order.
    pub spans: Vec<Span>,
    /// What its texts, and the answers to the calls of its turn, were made of, apart from the log.
    pub sources: Vec<Source>,
}

/// What the requests of some runs were made of, by the keys of the runs.
pub fn origins(workspace: WorkspaceId, keys: &[RunKey]) -> Query<Origin> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT q.run_key, r.agent_id, q.spans, q.sources, COALESCE(q.answer_sources, '[]')
             FROM wake_requests q
             JOIN wake_run_log r ON r.ws = q.ws AND r.run_key = q.run_key
             WHERE q.ws = ?1 AND q.run_key IN (",
            ")",
        )
    });
    let keys: Vec<&str> = keys.iter().map(RunKey::as_str).collect();
    Query {
        db: Db::Agent,
        sql: &SQL,
        params: in_list::params(workspace, &keys),
        decode: |row| {
            let column = |e| ReadError::column(Db::Agent, "request", &e);
            let holder = row.text(1).map_err(column)?;
            Ok(Origin {
                run: RunKey(row.text(0).map_err(column)?.to_owned()),
                holder: holder.parse().map_err(|e: dormouse_types::IdError| {
                    ReadError::Corrupt {
                        db: "agent",
                        noun: "run",
                        id: holder.to_owned(),
                        detail: e.to_string(),
                    }
                })?,
                spans: spans(row, 2)?,
                sources: [3, 4]
                    .map(|n| source::of_column(row, n, "request"))
                    .into_iter()
                    .collect::<Result<Vec<_>, _>>()?
                    .concat(),
            })
        },
    }
}
