//! The append-only log of an agent: captured inputs and observations, each rendered once.

use dormouse_types::{AgentId, Digest, RunKey, WorkspaceId};

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
}

/// Appends a line under its number; refused when the number is taken.
pub fn append(
    workspace: WorkspaceId,
    agent: &AgentId,
    n: i64,
    line: &str,
    run: &RunKey,
) -> [Op; 2] {
    let (digest, put) = text::put(workspace, line);
    let op = Op::one(
        "INSERT INTO log_lines (ws, agent_id, n, sha256, run_key) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![ws(workspace), agent.to_string(), n, digest.as_str(), run.as_str()],
        Refusal::LeaseLost,
    );
    [put, op]
}

/// The lines of an agent in a range of numbers, in order.
pub fn of_agent(workspace: WorkspaceId, agent: &AgentId, from: i64, upto: i64) -> Query<Line> {
    Query {
        db: Db::Agent,
        sql: "SELECT l.n, l.sha256, t.text FROM log_lines l
              LEFT JOIN texts t ON t.ws = l.ws AND t.sha256 = l.sha256
              WHERE l.ws = ?1 AND l.agent_id = ?2 AND l.n >= ?3 AND l.n <= ?4 ORDER BY l.n",
        params: params_values![ws(workspace), agent.to_string(), from, upto],
        decode: |row| {
            let column = |e| ReadError::column(Db::Agent, "log line", &e);
            Ok(Line {
                n: row.int(0).map_err(column)?,
                sha256: Digest(row.text(1).map_err(column)?.to_owned()),
                text: row.opt_text(2).map_err(column)?.map(ToOwned::to_owned),
            })
        },
    }
}
