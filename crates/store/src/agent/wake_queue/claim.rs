//! Claims, guards, releases and takeovers: the queue row as the holder's lease.
//!
//! The queue row and the lease are one row, so a claim takes the pending signals and the lease in
//! one statement: a signal either belongs to the claimed run or stays for the next one, and two
//! nodes cannot run the same holder. Every later write of the run is guarded by owner and epoch, so
//! an owner that was only slow finds its lease gone instead of writing over its successor. A
//! takeover checks in its statement that the lease is still expired: a heartbeat that arrived in
//! between wins. The journal's fence is raised only after the takeover, see ADR 0007.

use std::sync::LazyLock;
use std::time::Duration;

use dormouse_types::{HolderId, RunKey, Timestamp, WorkspaceId};

use super::{PutOff, QueueEntry};
use crate::commit::{Op, Refusal};
use crate::in_list;
use crate::lease::{self, Proof};
use crate::params;
use crate::store::ws;
use crate::value::Param;

/// What a claim writes.
#[derive(Debug, Clone)]
pub struct Claim<'a> {
    pub holder: HolderId,
    /// The epoch that was read; the claim raises it by one.
    pub epoch: i64,
    pub owner: &'a str,
    /// How long the lease lasts unless renewed.
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
                self.holder.to_string(),
                self.owner,
                self.epoch,
                Param::Later(self.lasts),
                self.run_key.as_str(),
            ],
            Refusal::LeaseLost,
        )
    }
}

/// Takes the lease and the pending signals; refused when the row was claimed since it was read.
pub fn claim(workspace: WorkspaceId, claim: &Claim<'_>) -> Op {
    claim.op(
        workspace,
        concat!(
            "UPDATE wake_queue SET ",
            lease::take!(),
            ", run_key = ?6, reasons = 0, first_signal_at = NULL, due_at = NULL,
               request_id = NULL, put_off = NULL
             WHERE ws = ?1 AND agent_id = ?2 AND ",
            lease::free!()
        ),
    )
}

/// Guards a commit by a holder's pending signals as they were read. A signal that arrived since is
/// outside the interval the commit was decided on and must not be cleared with it.
pub fn unchanged(workspace: WorkspaceId, row: &QueueEntry) -> Op {
    let bits: i64 = row.reasons.iter().map(|reason| reason.bit()).sum();
    Op::one(
        "UPDATE wake_queue SET reasons = reasons
         WHERE ws = ?1 AND agent_id = ?2 AND epoch = ?3 AND reasons = ?4 AND upto = ?5
           AND COALESCE(request_id, '') = ?6",
        params![
            ws(workspace),
            row.holder.to_string(),
            row.epoch,
            bits,
            row.upto.0,
            row.request_id.clone().unwrap_or_default()
        ],
        Refusal::LeaseLost,
    )
}

/// The claim-order place of what is pending besides a run: SET part, for when that run ends.
macro_rules! place_of_the_rest {
    () => {
        "priority = CASE WHEN reasons = 0 THEN priority WHEN reasons & 24 <> 0 THEN 0
           WHEN reasons & 4 <> 0 THEN 1 WHEN reasons & 2 <> 0 THEN 2 ELSE 3 END"
    };
}

/// Takes the lease to resume an interrupted run. Signals that arrived since stay for the next run;
/// those held back by a sleep wait until it ends.
pub fn reclaim(workspace: WorkspaceId, claim: &Claim<'_>) -> Op {
    claim.op(
        workspace,
        concat!(
            "UPDATE wake_queue SET ",
            lease::take!(),
            ", due_at = CASE WHEN reasons = 0 THEN NULL
                 WHEN reasons & 24 = 0 AND sleep_until > due_at THEN sleep_until
                 ELSE due_at END, put_off = NULL
             WHERE ws = ?1 AND agent_id = ?2 AND run_key = ?6 AND ",
            lease::free!()
        ),
    )
}

/// Guards a run's commit by its lease, and renews the lease.
pub fn guard(
    workspace: WorkspaceId,
    holder: impl Into<HolderId>,
    owner: &str,
    epoch: i64,
    lasts: Duration,
) -> Op {
    Op::one(
        concat!(
            "UPDATE wake_queue SET expires_at = ?5 WHERE ws = ?1 AND agent_id = ?2 AND ",
            lease::held!()
        ),
        params![ws(workspace), String::from(holder.into()), owner, epoch, Param::Later(lasts)],
        Refusal::LeaseLost,
    )
}

/// Ends a run and its lease.
pub fn release(workspace: WorkspaceId, holder: impl Into<HolderId>, owner: &str, epoch: i64) -> Op {
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
        params![ws(workspace), String::from(holder.into()), owner, epoch],
        Refusal::LeaseLost,
    )
}

/// Releases a lease and leaves its run to be resumed at a time. Without a time the run waits until
/// the holder may run again, unless a due time was set meanwhile. With a reason it is due again as
/// soon as that no longer holds, see [`super::release_put_off`].
pub fn requeue(
    workspace: WorkspaceId,
    holder: impl Into<HolderId>,
    owner: &str,
    epoch: i64,
    due_at: Option<Timestamp>,
    put_off: Option<PutOff>,
) -> Op {
    Op::one(
        concat!(
            "UPDATE wake_queue SET ",
            lease::give_back!(),
            ", due_at = COALESCE(CAST(?5 AS BIGINT), due_at), put_off = CAST(?6 AS TEXT)
             WHERE ws = ?1 AND agent_id = ?2 AND ",
            lease::held!()
        ),
        params![
            ws(workspace),
            String::from(holder.into()),
            owner,
            epoch,
            due_at,
            put_off.map(|why| why.name().to_owned())
        ],
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
        params![ws(workspace), row.holder.to_string(), row.owner.clone(), row.epoch, proof.by()];
    params.extend(rest);
    Op::one(sql, params, Refusal::LeaseLost)
}

/// Takes the lease from a dead owner and leaves its run to be resumed.
///
/// Refused when the owner turns out to be alive: it renewed its lease or ended its run.
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

/// Takes the lease from a dead owner whose run is unknown.
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

/// Ends the run of a row, on whichever node it runs: its owner finds its lease lost. Refused when the row was
/// claimed, released or taken over since it was read.
///
/// What the run was to see is pending again, without a due time: `changed_since` says since when
/// there is something, and is `None` if there is nothing. Signals that arrived during the run stay
/// as they are.
pub fn cancel_run(
    workspace: WorkspaceId,
    row: &QueueEntry,
    changed_since: Option<Timestamp>,
) -> Op {
    Op::one(
        concat!(
            "UPDATE wake_queue SET ",
            lease::take_away!(),
            ", crashes = 0, run_key = NULL,
               priority = CASE WHEN reasons & 24 <> 0 THEN 0 WHEN reasons & 4 <> 0 THEN 1
                 WHEN reasons & 2 <> 0 THEN 2 ELSE 3 END,
               due_at = CASE WHEN reasons = 0 THEN NULL ELSE due_at END,
               reasons = CASE WHEN CAST(?6 AS BIGINT) IS NULL THEN reasons ELSE reasons | 1 END,
               first_signal_at = COALESCE(first_signal_at, CAST(?6 AS BIGINT))
             WHERE ws = ?1 AND agent_id = ?2 AND COALESCE(owner, '') = ?3 AND epoch = ?4
               AND run_key = ?5"
        ),
        params![
            ws(workspace),
            row.holder.to_string(),
            row.owner.clone().unwrap_or_default(),
            row.epoch,
            row.run_key.as_ref().map(|key| key.as_str().to_owned()),
            changed_since
        ],
        Refusal::LeaseLost,
    )
}

/// Abandons the run of a row without an owner; refused when the row was claimed since.
pub fn abandon(workspace: WorkspaceId, row: &QueueEntry) -> Op {
    Op::one(
        concat!(
            "UPDATE wake_queue SET crashes = 0, run_key = NULL, put_off = NULL, epoch = epoch + 1, ",
            place_of_the_rest!(),
            ", due_at = CASE WHEN reasons = 0 THEN NULL ELSE due_at END
             WHERE ws = ?1 AND agent_id = ?2 AND epoch = ?3 AND owner IS NULL"
        ),
        params![ws(workspace), row.holder.to_string(), row.epoch],
        Refusal::LeaseLost,
    )
}

/// Refuses a commit while any of these holders is at work. At most one page of holders.
pub fn expect_asleep(workspace: WorkspaceId, holders: &[HolderId]) -> Op {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "UPDATE wake_queue SET epoch = epoch WHERE ws = ?1 AND owner IS NOT NULL
             AND agent_id IN (",
            ")",
        )
    });
    Op {
        sql: &SQL,
        params: in_list::params(workspace, holders).into_iter().map(Param::Value).collect(),
        rows: 0..=0,
        refusal: Refusal::LeaseLost,
    }
}
