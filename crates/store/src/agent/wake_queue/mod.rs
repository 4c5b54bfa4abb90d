//! The wake queue: one row per holder, for life. It is also the holder's lease.

mod claim;
mod read;

use dormouse_types::closed_list::Listed;
use dormouse_types::{HolderId, RunKey, Seq, Timestamp, WorkspaceId};

pub use dormouse_types::agent::{PutOff, WakeReason as Reason};

use crate::commit::{Op, Refusal};
use crate::params;
use crate::store::ws;

pub use claim::{
    Claim, abandon, cancel_run, claim, expect_asleep, free, guard, interrupt, reclaim, release,
    requeue, unchanged,
};
pub use read::{
    claimable, claimable_of, expired_leases, first_per_priority, first_per_priority_of, leased,
    next_due, of_holder, of_holders, oldest_signal, owned_by, put_off, put_off_by_budgets, waiting,
    with_due_beyond, workspaces,
};

/// The row of a holder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueEntry {
    pub holder: HolderId,
    /// The pending reasons, weakest first.
    pub reasons: Vec<Reason>,
    /// When the first signal since the last claim arrived.
    pub first_signal_at: Option<Timestamp>,
    /// When it is to wake; `None` means asleep.
    pub due_at: Option<Timestamp>,
    /// The newest journal position that concerns the holder.
    pub upto: Seq,
    /// Its place in the claim order.
    pub priority: i64,
    /// The id of the person's request.
    pub request_id: Option<String>,
    /// The claimed run that has not ended.
    pub run_key: Option<RunKey>,
    /// Who holds the lease.
    pub owner: Option<String>,
    /// Rises with each claim.
    pub epoch: i64,
    /// When another owner may take the lease over.
    pub expires_at: Option<Timestamp>,
    /// How often the run that has not ended has crashed.
    pub crashes: i64,
    /// Automatic wakes are held back until then.
    pub sleep_until: Option<Timestamp>,
    /// Why it waits although it could otherwise run.
    pub put_off: Option<Listed<PutOff>>,
}

/// A signal for one holder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signal {
    pub holder: HolderId,
    /// Why.
    pub reason: Reason,
    /// When the signal arrived.
    pub at: Timestamp,
    /// When the holder is to wake for it; `None` only advances `upto`.
    pub due_at: Option<Timestamp>,
    /// The journal position that concerns the holder.
    pub upto: Seq,
    /// The id of the person's request.
    pub request_id: Option<String>,
}

/// Creates the row of a new holder, signalled for its creation; without a due time it waits for
/// content.
pub fn insert(
    workspace: WorkspaceId,
    holder: impl Into<HolderId>,
    due_at: Option<Timestamp>,
    at: Timestamp,
) -> Op {
    Op::one(
        "INSERT INTO wake_queue (ws, agent_id, reasons, first_signal_at, due_at, upto, priority, epoch, crashes)
         VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6, 0, 0)",
        params![
            ws(workspace),
            String::from(holder.into()),
            Reason::Creation.bit(),
            at,
            due_at,
            Reason::Creation.priority()
        ],
        Refusal::Exists,
    )
}

/// Merges a signal into a holder's row.
///
/// The merge is one statement, so signals of several nodes combine without reading the row first,
/// and none is lost whichever order they arrive in. Its rules:
///
/// - The merge window never stretches: an earlier due time stays.
/// - An automatic signal waits until the holder's `sleep_until` and joins a pending timer, because
///   traffic on a task must not shorten a back-off. A person's signal ignores both.
/// - While a run is active or waits to be resumed, its place in the claim order can only improve:
///   a weak signal must not push back a run that a person is waiting for.
/// - A holder without a row was destroyed, so the signal changes nothing.
pub fn signal(workspace: WorkspaceId, signal: &Signal) -> Op {
    Op::any(
        "UPDATE wake_queue SET
           reasons = reasons | ?3,
           first_signal_at = COALESCE(first_signal_at, ?4),
           priority = CASE
             WHEN (due_at IS NULL AND reasons = 0 AND run_key IS NULL) OR priority > ?7 THEN ?7
             ELSE priority END,
           due_at = CASE
             WHEN CAST(?5 AS BIGINT) IS NULL THEN due_at
             WHEN ?9 = 1 AND due_at IS NOT NULL AND reasons & 2 <> 0 THEN due_at
             WHEN ?9 = 1 AND sleep_until > CAST(?5 AS BIGINT)
               THEN CASE WHEN due_at < sleep_until THEN due_at ELSE sleep_until END
             WHEN due_at < CAST(?5 AS BIGINT) THEN due_at
             ELSE CAST(?5 AS BIGINT) END,
           upto = CASE WHEN upto > ?6 THEN upto ELSE ?6 END,
           request_id = COALESCE(?8, request_id)
         WHERE ws = ?1 AND agent_id = ?2",
        params![
            ws(workspace),
            signal.holder.to_string(),
            signal.reason.bit(),
            signal.at,
            signal.due_at,
            signal.upto.0,
            signal.reason.priority(),
            signal.request_id.clone(),
            signal.reason.is_automatic(),
        ],
    )
}

/// Cancels what is pending: everything that could wake the holder is cleared at once. The fact that
/// something changed is kept, without a due time. Refused when the row was claimed since it was
/// read.
pub fn cancel(workspace: WorkspaceId, row: &QueueEntry) -> Op {
    Op::one(
        "UPDATE wake_queue SET reasons = CASE WHEN reasons % 2 = 1 THEN 1 ELSE 0 END,
           first_signal_at = NULL, due_at = NULL, request_id = NULL, put_off = NULL,
           run_key = NULL, crashes = 0, epoch = epoch + 1
         WHERE ws = ?1 AND agent_id = ?2 AND epoch = ?3 AND owner IS NULL",
        params![ws(workspace), row.holder.to_string(), row.epoch],
        Refusal::LeaseLost,
    )
}

/// Schedules a retry after a failed run. A retry that carries a user message is not held back by a
/// sleep. Without a time, the retry waits until the holder may run again. Signals that arrived
/// meanwhile join it; only a person's pending wake is not postponed.
pub fn schedule_retry(
    workspace: WorkspaceId,
    holder: impl Into<HolderId>,
    at: Timestamp,
    due_at: Option<Timestamp>,
    by_person: bool,
) -> Op {
    Op::any(
        "UPDATE wake_queue SET
           reasons = reasons | ?3,
           first_signal_at = COALESCE(first_signal_at, ?4),
           priority = CASE WHEN (due_at IS NULL AND reasons = 0) OR priority > ?6 THEN ?6
                      ELSE priority END,
           due_at = CASE
             WHEN due_at IS NOT NULL AND reasons & 24 <> 0 THEN due_at
             WHEN ?7 = 0 AND sleep_until > CAST(?5 AS BIGINT) THEN sleep_until
             ELSE CAST(?5 AS BIGINT) END
         WHERE ws = ?1 AND agent_id = ?2",
        params![
            ws(workspace),
            String::from(holder.into()),
            Reason::Timer.bit(),
            at,
            due_at,
            Reason::Timer.priority(),
            by_person,
        ],
    )
}

/// Sets a due time where none was set, for an interrupted run or one about to be released. If that
/// run ends instead, nothing stays due.
pub fn make_due(workspace: WorkspaceId, holder: impl Into<HolderId>, due_at: Timestamp) -> Op {
    Op::any(
        "UPDATE wake_queue SET due_at = ?3
         WHERE ws = ?1 AND agent_id = ?2 AND due_at IS NULL
           AND (reasons <> 0 OR run_key IS NOT NULL)",
        params![ws(workspace), String::from(holder.into()), due_at],
    )
}

/// Puts a row off to a time; what is due later stays so.
pub fn postpone(workspace: WorkspaceId, row: &QueueEntry, until: Timestamp, why: PutOff) -> Op {
    Op::any(
        "UPDATE wake_queue SET due_at = ?4, put_off = ?5
         WHERE ws = ?1 AND agent_id = ?2 AND epoch = ?3 AND owner IS NULL AND due_at < ?4",
        params![ws(workspace), row.holder.to_string(), row.epoch, until, why.name()],
    )
}

/// What a released row becomes: SET part. A sleep that a person set goes on.
macro_rules! released {
    () => {
        "put_off = NULL, due_at = CASE
           WHEN due_at < ?2 THEN due_at
           WHEN sleep_until > ?2 AND reasons & 24 = 0 AND run_key IS NULL THEN due_at
           WHEN due_at IS NULL THEN NULL
           ELSE ?2 END"
    };
}

/// Makes every row due that was put off, because what put it off may no longer hold. A row for which
/// it still holds is put off again when it is claimed.
pub fn release_put_off(workspace: WorkspaceId, now: Timestamp) -> Op {
    Op::any(
        concat!(
            "UPDATE wake_queue SET ",
            released!(),
            " WHERE ws = ?1 AND put_off IS NOT NULL AND owner IS NULL"
        ),
        params![ws(workspace), now],
    )
}

/// Makes the row of one holder due if it was put off; see [`release_put_off`].
pub fn release_one(workspace: WorkspaceId, holder: impl Into<HolderId>, now: Timestamp) -> Op {
    Op::any(
        concat!(
            "UPDATE wake_queue SET ",
            released!(),
            " WHERE ws = ?1 AND agent_id = ?3 AND put_off IS NOT NULL AND owner IS NULL"
        ),
        params![ws(workspace), now, String::from(holder.into())],
    )
}

/// Clears the due time and keeps the pending signals.
pub fn park(workspace: WorkspaceId, holder: impl Into<HolderId>) -> Op {
    Op::any(
        "UPDATE wake_queue SET due_at = NULL, put_off = NULL WHERE ws = ?1 AND agent_id = ?2",
        params![ws(workspace), String::from(holder.into())],
    )
}

/// Clears the due time of automatic wakes and keeps the pending signals. A person's wake stays due,
/// and so does a run that has not ended: its claim decides whether it may continue.
pub fn park_automatic(workspace: WorkspaceId, holder: impl Into<HolderId>) -> Op {
    Op::any(
        "UPDATE wake_queue SET due_at = NULL, put_off = NULL
         WHERE ws = ?1 AND agent_id = ?2 AND reasons & 24 = 0 AND run_key IS NULL",
        params![ws(workspace), String::from(holder.into())],
    )
}

/// Clears everything that could wake a holder.
pub fn clear_signals(workspace: WorkspaceId, holder: impl Into<HolderId>) -> Op {
    Op::any(
        "UPDATE wake_queue SET reasons = 0, first_signal_at = NULL, due_at = NULL,
           request_id = NULL, put_off = NULL
         WHERE ws = ?1 AND agent_id = ?2",
        params![ws(workspace), String::from(holder.into())],
    )
}

/// Clears everything that could wake a destroyed holder. A run that has not ended stays due, so that
/// a node claims it, finds the holder destroyed, and ends the run.
pub fn destroy(workspace: WorkspaceId, holder: impl Into<HolderId>, now: Timestamp) -> Op {
    Op::any(
        "UPDATE wake_queue SET reasons = 0, first_signal_at = NULL, request_id = NULL,
           put_off = NULL, due_at = CASE WHEN run_key IS NULL THEN NULL ELSE CAST(?3 AS BIGINT) END
         WHERE ws = ?1 AND agent_id = ?2",
        params![ws(workspace), String::from(holder.into()), now],
    )
}

/// Makes entries due whose signal seems to come from the future: the clock was set back, and they
/// would otherwise wait until it catches up.
pub fn clamp_due(workspace: WorkspaceId, now: Timestamp, beyond: Timestamp) -> Op {
    Op::any(
        "UPDATE wake_queue SET due_at = ?2, first_signal_at = ?2
         WHERE ws = ?1 AND due_at IS NOT NULL AND due_at > ?3 AND first_signal_at > ?3",
        params![ws(workspace), now, beyond],
    )
}

/// Holds automatic wakes back until a time, or lifts the hold. A person's wake is not affected.
///
/// Entries that waited for the end of an earlier sleep move to the new end, but not before
/// `soonest`, and a retry after a failure not before `retry_at`.
pub fn sleep_until(
    workspace: WorkspaceId,
    holder: impl Into<HolderId>,
    until: Option<Timestamp>,
    soonest: Timestamp,
    retry_at: Option<Timestamp>,
) -> Op {
    let retry_at = retry_at.map_or(soonest, |retry_at| retry_at.max(soonest));
    Op::any(
        "UPDATE wake_queue SET sleep_until = CAST(?3 AS BIGINT),
           due_at = CASE
             WHEN reasons & 24 <> 0 OR (priority = 0 AND run_key IS NOT NULL AND owner IS NULL)
               THEN due_at
             WHEN due_at = sleep_until AND reasons & 2 <> 0
               THEN CASE WHEN CAST(?3 AS BIGINT) > ?5 THEN CAST(?3 AS BIGINT) ELSE ?5 END
             WHEN due_at = sleep_until
               THEN CASE WHEN CAST(?3 AS BIGINT) > ?4 THEN CAST(?3 AS BIGINT) ELSE ?4 END
             WHEN due_at < CAST(?3 AS BIGINT) THEN CAST(?3 AS BIGINT)
             ELSE due_at END
         WHERE ws = ?1 AND agent_id = ?2",
        params![ws(workspace), String::from(holder.into()), until, soonest, retry_at],
    )
}
