//! Claims, guards, releases and takeovers: the row as the agent's lease.

use std::time::Duration;

use dormouse_types::{AgentId, RunKey, Timestamp, WorkspaceId};

use super::QueueEntry;
use crate::commit::{Op, Refusal};
use crate::lease::{self, Proof};
use crate::params;
use crate::store::ws;
use crate::value::Param;

/// What a claim writes.
#[derive(Debug, Clone)]
pub struct Claim<'a> {
    /// The agent.
    pub agent: &'a AgentId,
    /// The epoch that was read; the claim raises it by one.
    pub epoch: i64,
    /// Who claims.
    pub owner: &'a str,
    /// How long the lease lasts unless it is prolonged.
    pub lasts: Duration,
    /// The run the lease is for.
    pub run_key: &'a RunKey,
}

impl Claim<'_> {
    fn op(&self, workspace: WorkspaceId, sql: &'static str) -> Op {
        Op::one(
            sql,
            params![
                ws(workspace),
                self.agent.to_string(),
                self.owner,
                self.epoch,
                Param::Later(self.lasts),
                self.run_key.as_str(),
            ],
            Refusal::LeaseLost,
        )
    }
}

/// Takes the lease and the waiting signals; refused when somebody else did since the row was read.
pub fn claim(workspace: WorkspaceId, claim: &Claim<'_>) -> Op {
    claim.op(
        workspace,
        concat!(
            "UPDATE wake_queue SET ",
            lease::take!(),
            ", run_key = ?6, reasons = 0, first_signal_at = NULL, due_at = NULL,
               request_id = NULL
             WHERE ws = ?1 AND agent_id = ?2 AND ",
            lease::free!()
        ),
    )
}

/// Guards a commit by what waits for an agent, as it was read: a signal that came since is in no
/// interval that was decided on it, and must not be cleared with it.
pub fn unchanged(workspace: WorkspaceId, row: &QueueEntry) -> Op {
    let bits: i64 = row.reasons.iter().map(|reason| reason.bit()).sum();
    Op::one(
        "UPDATE wake_queue SET reasons = reasons
         WHERE ws = ?1 AND agent_id = ?2 AND epoch = ?3 AND reasons = ?4 AND upto = ?5
           AND COALESCE(request_id, '') = ?6",
        params![
            ws(workspace),
            row.agent.to_string(),
            row.epoch,
            bits,
            row.upto.0,
            row.request_id.clone().unwrap_or_default()
        ],
        Refusal::LeaseLost,
    )
}

/// The place in the claim order of what waits beside a run: SET part, for the end of that run.
macro_rules! place_of_the_rest {
    () => {
        "priority = CASE WHEN reasons = 0 THEN priority WHEN reasons & 24 <> 0 THEN 0
           WHEN reasons & 4 <> 0 THEN 1 WHEN reasons & 2 <> 0 THEN 2 ELSE 3 END"
    };
}

/// Takes the lease of a run that was interrupted; signals that came since stay for the next run, and
/// wait for the end of a sleep that holds them back.
pub fn reclaim(workspace: WorkspaceId, claim: &Claim<'_>) -> Op {
    claim.op(
        workspace,
        concat!(
            "UPDATE wake_queue SET ",
            lease::take!(),
            ", due_at = CASE WHEN reasons = 0 THEN NULL
                 WHEN reasons & 24 = 0 AND sleep_until > due_at THEN sleep_until
                 ELSE due_at END
             WHERE ws = ?1 AND agent_id = ?2 AND run_key = ?6 AND ",
            lease::free!()
        ),
    )
}

/// Guards a commit of a run by its lease, and prolongs it.
pub fn guard(
    workspace: WorkspaceId,
    agent: &AgentId,
    owner: &str,
    epoch: i64,
    lasts: Duration,
) -> Op {
    Op::one(
        concat!(
            "UPDATE wake_queue SET expires_at = ?5 WHERE ws = ?1 AND agent_id = ?2 AND ",
            lease::held!()
        ),
        params![ws(workspace), agent.to_string(), owner, epoch, Param::Later(lasts)],
        Refusal::LeaseLost,
    )
}

/// Ends a run and its lease.
pub fn release(workspace: WorkspaceId, agent: &AgentId, owner: &str, epoch: i64) -> Op {
    Op::one(
        concat!(
            "UPDATE wake_queue SET ",
            lease::give_back!(),
            ", run_key = NULL, crashes = 0, ",
            place_of_the_rest!(),
            ", due_at = CASE WHEN reasons = 0 THEN NULL ELSE due_at END
             WHERE ws = ?1 AND agent_id = ?2 AND ",
            lease::held!()
        ),
        params![ws(workspace), agent.to_string(), owner, epoch],
        Refusal::LeaseLost,
    )
}

/// Gives a lease back and leaves its run to be resumed at a time; without one it waits until the
/// agent may run again, unless that was decided meanwhile.
pub fn put_back(
    workspace: WorkspaceId,
    agent: &AgentId,
    owner: &str,
    epoch: i64,
    due_at: Option<Timestamp>,
) -> Op {
    Op::one(
        concat!(
            "UPDATE wake_queue SET ",
            lease::give_back!(),
            ", due_at = COALESCE(CAST(?5 AS BIGINT), due_at) WHERE ws = ?1 AND agent_id = ?2 AND ",
            lease::held!()
        ),
        params![ws(workspace), agent.to_string(), owner, epoch, due_at],
        Refusal::LeaseLost,
    )
}

fn taken_over(
    workspace: WorkspaceId,
    row: &QueueEntry,
    proof: Proof,
    sql: &'static str,
    rest: Vec<Param>,
) -> Op {
    let mut params =
        params![ws(workspace), row.agent.to_string(), row.owner.clone(), row.epoch, proof.by()];
    params.extend(rest);
    Op::one(sql, params, Refusal::LeaseLost)
}

/// Takes a dead owner's lease away and leaves its run to be resumed.
///
/// Refused when the owner turns out to be alive: it prolonged its lease, or ended its run.
pub fn interrupt(
    workspace: WorkspaceId,
    row: &QueueEntry,
    proof: Proof,
    crashes: i64,
    at: Timestamp,
) -> Op {
    taken_over(
        workspace,
        row,
        proof,
        concat!(
            "UPDATE wake_queue SET ",
            lease::take_away!(),
            ", crashes = ?6, due_at = CASE WHEN due_at < ?7 THEN due_at ELSE ?7 END
             WHERE ws = ?1 AND agent_id = ?2 AND ",
            lease::run_out!()
        ),
        params![crashes, at],
    )
}

/// Takes a dead owner's lease away that was for no run that is known.
pub fn free(workspace: WorkspaceId, row: &QueueEntry, proof: Proof) -> Op {
    taken_over(
        workspace,
        row,
        proof,
        concat!(
            "UPDATE wake_queue SET ",
            lease::take_away!(),
            ", crashes = 0, run_key = NULL WHERE ws = ?1 AND agent_id = ?2 AND ",
            lease::run_out!()
        ),
        Vec::new(),
    )
}

/// Gives up the run of a row that nobody holds; refused when somebody claimed it since.
pub fn abandon(workspace: WorkspaceId, row: &QueueEntry) -> Op {
    Op::one(
        concat!(
            "UPDATE wake_queue SET crashes = 0, run_key = NULL, epoch = epoch + 1, ",
            place_of_the_rest!(),
            ", due_at = CASE WHEN reasons = 0 THEN NULL ELSE due_at END
             WHERE ws = ?1 AND agent_id = ?2 AND epoch = ?3 AND owner IS NULL"
        ),
        params![ws(workspace), row.agent.to_string(), row.epoch],
        Refusal::LeaseLost,
    )
}
