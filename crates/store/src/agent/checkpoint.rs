//! Checkpoints: what the older lines of a holder's log were folded into. The lines stay.

use dormouse_types::closed_list::Listed;
use dormouse_types::memory::{Audience, CheckpointKind};
use dormouse_types::{Digest, HolderId, RunKey, Timestamp, WorkspaceId};

use super::source::{self, Source};
use crate::commit::{Db, Op, Refusal};
use crate::store::{Query, ReadError, ws};
use crate::value::{Param, Row};
use crate::{params, params_values, text};

/// A checkpoint without its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// Its number, from 1; the newest counts.
    pub n: i64,
    /// Whose eyes it is for.
    pub audience: Listed<Audience>,
    /// What its text is.
    pub kind: Listed<CheckpointKind>,
    /// The model that made it; `rules` if no model could.
    pub model: String,
    /// The version of the form of its text.
    pub version: i64,
    /// The first line that it folds, including those of the checkpoints before it.
    pub from: i64,
    /// The last line that it folds.
    pub upto: i64,
    /// How often the oldest of its lines were folded: 1 for a first checkpoint.
    pub depth: i64,
    /// The hash of its text.
    pub sha256: Digest,
    /// What it was made of.
    pub sources: Vec<Source>,
    /// Whether it was made of text from outside.
    pub tainted: bool,
    /// The run that made it.
    pub run: RunKey,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was removed, because it folds a line that a person removed.
    pub removed_at: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckpointText {
    pub checkpoint: Checkpoint,
    /// Its text; `None` after a purge.
    pub text: Option<String>,
}

/// Adds a checkpoint with its text; refused when its number is taken. Its digest is that of `body`.
pub fn insert(
    workspace: WorkspaceId,
    holder: &HolderId,
    checkpoint: &Checkpoint,
    body: &str,
) -> [Op; 2] {
    let (digest, put) = text::put(workspace, body);
    let op = Op::one(
        "INSERT INTO checkpoints (ws, agent_id, n, audience, kind, model, version, from_line, upto,
           depth, sha256, sources, tainted, run_key, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
        params![
            ws(workspace),
            holder.to_string(),
            checkpoint.n,
            checkpoint.audience.name(),
            checkpoint.kind.name(),
            checkpoint.model.as_str(),
            checkpoint.version,
            checkpoint.from,
            checkpoint.upto,
            checkpoint.depth,
            digest.as_str(),
            source::column(&checkpoint.sources),
            i64::from(checkpoint.tainted),
            checkpoint.run.as_str(),
            checkpoint.created_at,
        ],
        Refusal::LeaseLost,
    );
    [put, op]
}

/// The checkpoints of a holder, newest first, at most this many.
pub fn of_holder(workspace: WorkspaceId, holder: &HolderId, limit: i64) -> Query<CheckpointText> {
    Query {
        db: Db::Agent,
        sql: "SELECT c.n, c.audience, c.kind, c.model, c.version, c.from_line, c.upto, c.depth,
                c.sha256, c.sources, c.tainted, c.run_key, c.created_at, t.text, c.removed_at
              FROM checkpoints c LEFT JOIN texts t ON t.ws = c.ws AND t.sha256 = c.sha256
              WHERE c.ws = ?1 AND c.agent_id = ?2 ORDER BY c.n DESC LIMIT ?3",
        params: params_values![ws(workspace), holder.to_string(), limit],
        decode,
    }
}

/// The newest checkpoint of a holder that was not removed, is of a kind, for an audience, after a number,
/// and was made by a time.
pub fn newest(
    workspace: WorkspaceId,
    holder: &HolderId,
    (audience, kind): (Audience, CheckpointKind),
    after: i64,
    until: Timestamp,
) -> Query<CheckpointText> {
    Query {
        db: Db::Agent,
        sql: "SELECT c.n, c.audience, c.kind, c.model, c.version, c.from_line, c.upto, c.depth,
                c.sha256, c.sources, c.tainted, c.run_key, c.created_at, t.text, c.removed_at
              FROM checkpoints c LEFT JOIN texts t ON t.ws = c.ws AND t.sha256 = c.sha256
              WHERE c.ws = ?1 AND c.agent_id = ?2 AND c.audience = ?3 AND c.kind = ?4 AND c.n > ?5
                AND c.removed_at IS NULL AND c.created_at <= ?6
              ORDER BY c.n DESC LIMIT 1",
        params: params_values![
            ws(workspace),
            holder.to_string(),
            audience.name(),
            kind.name(),
            after,
            until,
        ],
        decode,
    }
}

/// The last line that any checkpoint of a holder folds; 0 if none does.
pub fn folded_upto(workspace: WorkspaceId, holder: &HolderId) -> Query<i64> {
    Query {
        db: Db::Agent,
        sql: "SELECT COALESCE(MAX(upto), 0) FROM checkpoints WHERE ws = ?1 AND agent_id = ?2",
        params: params_values![ws(workspace), holder.to_string()],
        decode: |row| row.int(0).map_err(|e| ReadError::column(Db::Agent, "checkpoint", &e)),
    }
}

/// The number of the newest checkpoint of a holder, whatever it is; 0 if there is none.
pub fn last(workspace: WorkspaceId, holder: &HolderId) -> Query<i64> {
    Query {
        db: Db::Agent,
        sql: "SELECT COALESCE(MAX(n), 0) FROM checkpoints WHERE ws = ?1 AND agent_id = ?2",
        params: params_values![ws(workspace), holder.to_string()],
        decode: |row| row.int(0).map_err(|e| ReadError::column(Db::Agent, "checkpoint", &e)),
    }
}

/// Removes a checkpoint: no prompt has it any more, and its lines are folded again.
pub fn remove(workspace: WorkspaceId, holder: &HolderId, n: i64) -> Op {
    Op::any(
        "UPDATE checkpoints SET removed_at = ?4
         WHERE ws = ?1 AND agent_id = ?2 AND n = ?3 AND removed_at IS NULL",
        params![ws(workspace), holder.to_string(), n, Param::Now],
    )
}

fn decode(row: &Row) -> Result<CheckpointText, ReadError> {
    let column = |e| ReadError::column(Db::Agent, "checkpoint", &e);
    Ok(CheckpointText {
        checkpoint: Checkpoint {
            n: row.int(0).map_err(column)?,
            audience: Listed::named(row.text(1).map_err(column)?),
            kind: Listed::named(row.text(2).map_err(column)?),
            model: row.text(3).map_err(column)?.to_owned(),
            version: row.int(4).map_err(column)?,
            from: row.int(5).map_err(column)?,
            upto: row.int(6).map_err(column)?,
            depth: row.int(7).map_err(column)?,
            sha256: Digest(row.text(8).map_err(column)?.to_owned()),
            sources: source::of_column(row, 9, "checkpoint")?,
            tainted: row.int(10).map_err(column)? != 0,
            run: RunKey(row.text(11).map_err(column)?.to_owned()),
            created_at: row.time(12).map_err(column)?,
            removed_at: row.opt_time(14).map_err(column)?,
        },
        text: row.opt_text(13).map_err(column)?.map(ToOwned::to_owned),
    })
}
