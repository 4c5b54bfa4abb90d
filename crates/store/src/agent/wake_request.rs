//! The request of each turn: spans of stored texts and log lines, and a digest of the whole.

use dormouse_types::{Digest, RunKey, Timestamp, WorkspaceId};
use serde::{Deserialize, Serialize};

use crate::commit::{Db, Op};
use crate::store::{Query, ReadError, ws};
use crate::{params, params_values};

/// A piece of a stored request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "span")]
pub enum Span {
    /// One stored text.
    Text {
        /// The kind of fragment.
        kind: String,
        /// The hash of its text.
        sha256: Digest,
    },
    /// Lines of the agent's log.
    Log {
        /// The first line, from 1.
        from: i64,
        /// The last line.
        upto: i64,
    },
}

/// A stored request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// The turn, from 1.
    pub turn: u32,
    /// Its pieces, in order.
    pub spans: Vec<Span>,
    /// The digest of the canonical request.
    pub digest: Digest,
    /// When it was sent.
    pub at: Timestamp,
}

/// Records a request; one that was never answered is replaced.
pub fn put(
    workspace: WorkspaceId,
    key: &RunKey,
    turn: u32,
    spans: &[Span],
    digest: &Digest,
    at: Timestamp,
) -> Op {
    Op::any(
        "INSERT INTO wake_requests (ws, run_key, turn, spans, digest, at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (ws, run_key, turn) DO UPDATE SET spans = excluded.spans,
           digest = excluded.digest, at = excluded.at",
        params![
            ws(workspace),
            key.as_str(),
            i64::from(turn),
            serde_json::to_string(spans).expect("spans are plain data"),
            digest.as_str(),
            at
        ],
    )
}

/// The requests of a run, in order.
pub fn of_run(workspace: WorkspaceId, key: &RunKey) -> Query<Stored> {
    Query {
        db: Db::Agent,
        sql: "SELECT turn, spans, digest, at FROM wake_requests WHERE ws = ?1 AND run_key = ?2
              ORDER BY turn",
        params: params_values![ws(workspace), key.as_str()],
        decode: |row| {
            let column = |e| ReadError::column(Db::Agent, "request", &e);
            Ok(Stored {
                turn: u32::try_from(row.int(0).map_err(column)?).unwrap_or(0),
                spans: serde_json::from_str(row.text(1).map_err(column)?).map_err(|e| {
                    ReadError::Corrupt {
                        db: "agent",
                        noun: "request",
                        id: "spans".into(),
                        detail: e.to_string(),
                    }
                })?,
                digest: Digest(row.text(2).map_err(column)?.to_owned()),
                at: row.time(3).map_err(column)?,
            })
        },
    }
}
