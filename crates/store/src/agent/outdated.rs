//! Agents whose memory does not match one of the databases, because it was restored or recreated.
//!
//! A row stays until the agent completes a run. It makes that run read the whole task and write a
//! report, says where the agent's next interval begins, and marks the agent's current report as
//! older than the restore.

use std::sync::LazyLock;

use dormouse_types::{AgentId, Seq, Timestamp, WorkspaceId};

use super::wake_queue::Reason;
use crate::commit::{Db, Op, Refusal};
use crate::in_list;
use crate::store::{Query, ReadError, ws};
use crate::value::Row;
use crate::{params, params_values};

/// An agent that has not reported since its database changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outdated {
    pub agent: AgentId,
    /// The database that changed.
    pub db: Db,
    /// The end of the journal when this was noticed.
    pub seq: Seq,
    /// When it was noticed.
    pub at: Timestamp,
}

fn decode(row: &Row) -> Result<Outdated, ReadError> {
    let column = |e| ReadError::column(Db::Agent, "outdated agent", &e);
    let agent = row.text(0).map_err(column)?;
    let corrupt = |detail: String| ReadError::Corrupt {
        db: "agent",
        noun: "outdated agent",
        id: agent.to_owned(),
        detail,
    };
    let name = row.text(1).map_err(column)?;
    Ok(Outdated {
        agent: agent.parse().map_err(|e: dormouse_types::IdError| corrupt(e.to_string()))?,
        db: Db::ALL
            .into_iter()
            .find(|db| db.name() == name)
            .ok_or_else(|| corrupt(format!("unknown database `{name}`")))?,
        seq: Seq(row.int(2).map_err(column)?),
        at: row.time(3).map_err(column)?,
    })
}

/// All outdated agents of a workspace, longest outdated first.
pub fn all(workspace: WorkspaceId) -> Query<Outdated> {
    Query {
        db: Db::Agent,
        sql: "SELECT agent_id, db, seq, at FROM outdated_agents WHERE ws = ?1
              ORDER BY at, agent_id",
        params: params_values![ws(workspace)],
        decode,
    }
}

/// One agent, if it is outdated.
pub fn of_agent(workspace: WorkspaceId, agent: &AgentId) -> Query<Outdated> {
    Query {
        db: Db::Agent,
        sql: "SELECT agent_id, db, seq, at FROM outdated_agents WHERE ws = ?1 AND agent_id = ?2",
        params: params_values![ws(workspace), agent.to_string()],
        decode,
    }
}

/// The outdated agents among the given ones.
pub fn some(workspace: WorkspaceId, agents: &[AgentId]) -> Query<Outdated> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT agent_id, db, seq, at FROM outdated_agents WHERE ws = ?1 AND agent_id IN (",
            ")",
        )
    });
    Query { db: Db::Agent, sql: &SQL, params: in_list::params(workspace, agents), decode }
}

/// Marks an agent as outdated.
pub fn mark(workspace: WorkspaceId, outdated: &Outdated) -> Op {
    let Outdated { agent, db, seq, at } = outdated;
    Op::one(
        "INSERT INTO outdated_agents (ws, agent_id, db, seq, at) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (ws, agent_id) DO UPDATE SET db = excluded.db, seq = excluded.seq,
           at = excluded.at",
        params![ws(workspace), agent.to_string(), db.name(), seq.0, *at],
        Refusal::Broken,
    )
}

/// Clears the mark: a run of the agent completed, or it will never run again.
pub fn clear(workspace: WorkspaceId, agent: &AgentId) -> Op {
    Op::any(
        "DELETE FROM outdated_agents WHERE ws = ?1 AND agent_id = ?2",
        params![ws(workspace), agent.to_string()],
    )
}

/// Resets the queue row of an outdated agent. The agent is to wake, at `due_at` if given, as if
/// signalled; its position becomes one of the present journal; and its lease is released under an
/// epoch above any that the journal's fence may have seen.
///
/// `by_person` keeps a person's claim whose run ended with the store it was claimed in.
pub fn begin_anew(
    workspace: WorkspaceId,
    outdated: &Outdated,
    due_at: Option<Timestamp>,
    by_person: bool,
    fence: i64,
) -> Op {
    let reasons = match by_person {
        true => Reason::Subscription.bit() | Reason::UserInitiated.bit(),
        false => Reason::Subscription.bit(),
    };
    let strongest = if by_person { Reason::UserInitiated } else { Reason::Subscription };
    Op::any(
        "UPDATE wake_queue SET
           reasons = reasons | ?3,
           first_signal_at = COALESCE(first_signal_at, ?4),
           priority = CASE WHEN (due_at IS NULL AND reasons = 0) OR priority > ?6 THEN ?6
                      ELSE priority END,
           due_at = CASE
             WHEN CAST(?5 AS BIGINT) IS NULL THEN due_at
             WHEN ?8 = 0 AND due_at IS NOT NULL AND reasons & 2 <> 0 THEN due_at
             WHEN ?8 = 0 AND sleep_until > CAST(?5 AS BIGINT)
               THEN CASE WHEN due_at < sleep_until THEN due_at ELSE sleep_until END
             WHEN due_at < CAST(?5 AS BIGINT) THEN due_at
             ELSE CAST(?5 AS BIGINT) END,
           upto = ?7, run_key = NULL, owner = NULL, expires_at = NULL, crashes = 0,
           epoch = CASE WHEN epoch > ?9 THEN epoch ELSE ?9 END + 1
         WHERE ws = ?1 AND agent_id = ?2",
        params![
            ws(workspace),
            outdated.agent.to_string(),
            reasons,
            outdated.at,
            due_at,
            strongest.priority(),
            outdated.seq.0,
            by_person,
            fence
        ],
    )
}
