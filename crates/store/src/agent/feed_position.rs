//! How far the journal's feed has been routed.

use dormouse_types::{HostId, Seq, WorkspaceId};

use crate::commit::{Db, Op, Refusal};
use crate::store::{Query, ReadError, ws};
use crate::value::{Param, Row};
use crate::{params, params_values};

/// A position of the journal's feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// The journal it belongs to.
    pub host: HostId,
    /// Everything up to here was routed.
    pub seq: Seq,
    /// The agent store's host id when the position was written; `None` in a target position.
    pub agent: Option<HostId>,
}

impl Position {
    /// A target to advance to.
    pub fn to(host: HostId, seq: Seq) -> Self {
        Self { host, seq, agent: None }
    }
}

fn decode(row: &Row) -> Result<Position, ReadError> {
    let column = |e| ReadError::column(Db::Agent, "feed position", &e);
    let host = |host: &str| -> Result<HostId, ReadError> {
        host.parse().map_err(|e: dormouse_types::IdError| ReadError::Corrupt {
            db: "agent",
            noun: "feed position",
            id: host.to_owned(),
            detail: e.to_string(),
        })
    };
    Ok(Position {
        host: host(row.text(0).map_err(column)?)?,
        seq: Seq(row.int(1).map_err(column)?),
        agent: row.opt_text(2).map_err(column)?.map(host).transpose()?,
    })
}

/// The stored position; `None` before the first routing.
pub fn read(workspace: WorkspaceId) -> Query<Position> {
    Query {
        db: Db::Agent,
        sql: "SELECT host, seq, agent_host FROM feed_position WHERE ws = ?1",
        params: params_values![ws(workspace)],
        decode,
    }
}

/// The stored position as raw text, even if it cannot be decoded.
pub fn as_written(workspace: WorkspaceId) -> Query<[String; 2]> {
    Query {
        db: Db::Agent,
        sql: "SELECT CAST(host AS TEXT), CAST(seq AS TEXT) FROM feed_position WHERE ws = ?1",
        params: params_values![ws(workspace)],
        decode: |row| {
            let column = |e| ReadError::column(Db::Agent, "feed position", &e);
            Ok([0, 1].map(|at| row.text(at).map(ToOwned::to_owned)))
                .and_then(|[host, seq]| Ok([host.map_err(column)?, seq.map_err(column)?]))
        },
    }
}

/// The stored positions of all workspaces.
pub fn all() -> Query<(WorkspaceId, Position)> {
    Query {
        db: Db::Agent,
        sql: "SELECT host, seq, agent_host, ws FROM feed_position ORDER BY ws",
        params: Vec::new(),
        decode: |row| {
            let workspace =
                row.int(3).map_err(|e| ReadError::column(Db::Agent, "feed position", &e))?;
            Ok((WorkspaceId(workspace), decode(row)?))
        },
    }
}

/// Replaces a position that cannot be read; refused when another process already replaced it.
pub fn mend(workspace: WorkspaceId, written: &[String; 2], to: &Position) -> Op {
    Op::one(
        "UPDATE feed_position SET host = ?2, seq = ?3, agent_host = ?6
         WHERE ws = ?1 AND CAST(host AS TEXT) = ?4 AND CAST(seq AS TEXT) = ?5",
        params![
            ws(workspace),
            to.host.to_string(),
            to.seq.0,
            written[0].as_str(),
            written[1].as_str(),
            Param::Host
        ],
        Refusal::FeedMoved,
    )
}

/// Advances the position. Refused when it moved since it was read, or when the new position is
/// earlier in the same journal: what was routed must never be routed again, however stale a node's
/// read.
pub fn advance(workspace: WorkspaceId, from: Option<&Position>, to: &Position) -> Op {
    match from {
        None => Op::one(
            "INSERT INTO feed_position (ws, host, seq, agent_host) VALUES (?1, ?2, ?3, ?4)",
            params![ws(workspace), to.host.to_string(), to.seq.0, Param::Host],
            Refusal::FeedMoved,
        ),
        Some(from) => Op::one(
            "UPDATE feed_position SET host = ?2, seq = ?3, agent_host = ?6
             WHERE ws = ?1 AND host = ?4 AND seq = ?5 AND (host <> ?2 OR seq <= ?3)",
            params![
                ws(workspace),
                to.host.to_string(),
                to.seq.0,
                from.host.to_string(),
                from.seq.0,
                Param::Host
            ],
            Refusal::FeedMoved,
        ),
    }
}
