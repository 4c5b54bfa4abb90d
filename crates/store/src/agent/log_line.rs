//! The append-only log of a holder: captured inputs and observations, each rendered once.

use dormouse_types::{Digest, HolderId, RunKey, WorkspaceId};

use super::source::{self, Source};
use crate::commit::{Db, Op, Refusal};
use crate::store::{Query, ReadError, ws};
use crate::{params, params_values, text};

/// One line.
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
}

/// Appends a line under its number; refused when the number is taken.
pub fn append(
    workspace: WorkspaceId,
    holder: impl Into<HolderId>,
    n: i64,
    line: &str,
    sources: &[Source],
    run: &RunKey,
) -> [Op; 2] {
    let (digest, put) = text::put(workspace, line);
    let op = Op::one(
        "INSERT INTO log_lines (ws, agent_id, n, sha256, run_key, sources)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![
            ws(workspace),
            String::from(holder.into()),
            n,
            digest.as_str(),
            run.as_str(),
            source::column(sources)
        ],
        Refusal::LeaseLost,
    );
    [put, op]
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
        sql: "SELECT l.n, l.sha256, t.text, l.sources FROM log_lines l
              LEFT JOIN texts t ON t.ws = l.ws AND t.sha256 = l.sha256
              WHERE l.ws = ?1 AND l.agent_id = ?2 AND l.n >= ?3 AND l.n <= ?4 ORDER BY l.n",
        params: params_values![ws(workspace), String::from(holder.into()), from, upto],
        decode: |row| {
            let column = |e| ReadError::column(Db::Agent, "log line", &e);
            Ok(Line {
                n: row.int(0).map_err(column)?,
                sha256: Digest(row.text(1).map_err(column)?.to_owned()),
                text: row.opt_text(2).map_err(column)?.map(ToOwned::to_owned),
                sources: source::of_column(row, 3, "log line")?,
            })
        },
    }
}
