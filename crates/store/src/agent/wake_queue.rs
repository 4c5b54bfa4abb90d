//! The wake queue: one row per agent, for life. It is also the agent's lease.

use dormouse_types::{AgentId, MessageId, RunKey, Seq, Timestamp, WorkspaceId};

use crate::commit::{Db, Op, Refusal};
use crate::store::{Query, ReadError, ws};
use crate::value::Row;
use crate::{params, params_values};

/// Why an agent is woken. The strongest of several names the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// A change of its task.
    Subscription,
    /// A time came: back-off, a due date, "wake me at".
    Timer,
    /// The agent was made.
    Creation,
    /// A person asks for a fresh look at everything.
    Reanalysis,
    /// A person asks, or says something.
    UserInitiated,
}

impl Reason {
    /// Every reason, weakest first.
    pub const ALL: [Self; 5] =
        [Self::Subscription, Self::Timer, Self::Creation, Self::Reanalysis, Self::UserInitiated];

    /// Its name in rows and on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Subscription => "subscription",
            Self::Timer => "timer",
            Self::Creation => "creation",
            Self::Reanalysis => "reanalysis",
            Self::UserInitiated => "userInitiated",
        }
    }

    /// Its bit in the `reasons` column.
    pub fn bit(self) -> i64 {
        match self {
            Self::Subscription => 1,
            Self::Timer => 2,
            Self::Creation => 4,
            Self::Reanalysis => 8,
            Self::UserInitiated => 16,
        }
    }

    /// Its place in the claim order; smaller is sooner.
    pub fn priority(self) -> i64 {
        match self {
            Self::UserInitiated | Self::Reanalysis => 0,
            Self::Creation => 1,
            Self::Timer => 2,
            Self::Subscription => 3,
        }
    }

    /// The reasons of a column, weakest first.
    pub fn of_bits(bits: i64) -> Vec<Self> {
        Self::ALL.into_iter().filter(|reason| bits & reason.bit() != 0).collect()
    }
}

/// The row of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sleeper {
    /// The agent.
    pub agent: AgentId,
    /// Why it is to wake, weakest first.
    pub reasons: Vec<Reason>,
    /// When the first signal came since it fell asleep.
    pub first_signal_at: Option<Timestamp>,
    /// When it is to wake; none = asleep.
    pub due_at: Option<Timestamp>,
    /// The newest journal position that concerns it.
    pub upto: Seq,
    /// Its place in the claim order.
    pub priority: i64,
    /// The request of the person who asked.
    pub request_id: Option<String>,
    /// What the person said.
    pub message_id: Option<MessageId>,
    /// The run that was claimed and has not ended.
    pub run_key: Option<RunKey>,
    /// Who holds the lease.
    pub owner: Option<String>,
    /// Rises with each claim.
    pub epoch: i64,
    /// When the lease may be taken over.
    pub expires_at: Option<Timestamp>,
    /// Crashes of the run that has not ended.
    pub crashes: i64,
}

/// A signal for one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signal {
    /// The agent.
    pub agent: AgentId,
    /// Why.
    pub reason: Reason,
    /// When the signal came.
    pub at: Timestamp,
    /// When the agent is to wake for it; none only moves `upto`.
    pub due_at: Option<Timestamp>,
    /// The journal position that concerns the agent.
    pub upto: Seq,
    /// The person's request.
    pub request_id: Option<String>,
    /// The person's words.
    pub message_id: Option<MessageId>,
}

/// Makes the row of a new agent, woken for its creation; without a due time it waits for content.
pub fn insert(
    workspace: WorkspaceId,
    agent: &AgentId,
    due_at: Option<Timestamp>,
    at: Timestamp,
) -> Op {
    Op::one(
        "INSERT INTO wake_queue (ws, agent_id, reasons, first_signal_at, due_at, upto, priority, epoch, crashes)
         VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6, 0, 0)",
        params![
            ws(workspace),
            agent.to_string(),
            Reason::Creation.bit(),
            at,
            due_at,
            Reason::Creation.priority()
        ],
        Refusal::Exists,
    )
}

/// Merges a signal into an agent's row. The window never stretches: an earlier due time stays.
/// An agent without a row was destroyed: the signal is spent.
pub fn signal(workspace: WorkspaceId, signal: &Signal) -> Op {
    Op::any(
        "UPDATE wake_queue SET
           reasons = reasons | ?3,
           first_signal_at = COALESCE(first_signal_at, ?4),
           priority = CASE WHEN (due_at IS NULL AND reasons = 0) OR priority > ?7 THEN ?7
                      ELSE priority END,
           due_at = CASE WHEN due_at IS NULL OR due_at > CAST(?5 AS BIGINT)
                    THEN COALESCE(CAST(?5 AS BIGINT), due_at) ELSE due_at END,
           upto = CASE WHEN upto > ?6 THEN upto ELSE ?6 END,
           request_id = COALESCE(?8, request_id),
           message_id = COALESCE(?9, message_id)
         WHERE ws = ?1 AND agent_id = ?2",
        params![
            ws(workspace),
            signal.agent.to_string(),
            signal.reason.bit(),
            signal.at,
            signal.due_at,
            signal.upto.0,
            signal.reason.priority(),
            signal.request_id.clone(),
            signal.message_id.as_ref().map(ToString::to_string),
        ],
    )
}

/// What a claim writes.
#[derive(Debug, Clone)]
pub struct Claim<'a> {
    /// The agent.
    pub agent: &'a AgentId,
    /// The epoch that was read; the claim raises it by one.
    pub epoch: i64,
    /// Who claims.
    pub owner: &'a str,
    /// When the lease may be taken over.
    pub expires_at: Timestamp,
    /// The run the lease is for.
    pub run_key: &'a RunKey,
}

/// Takes the lease and the waiting signals; refused when somebody else did since the row was read.
pub fn claim(workspace: WorkspaceId, claim: &Claim<'_>) -> Op {
    Op::one(
        "UPDATE wake_queue SET owner = ?3, epoch = epoch + 1, expires_at = ?4, run_key = ?5,
           reasons = 0, first_signal_at = NULL, due_at = NULL, request_id = NULL, message_id = NULL
         WHERE ws = ?1 AND agent_id = ?2 AND epoch = ?6 AND owner IS NULL",
        params![
            ws(workspace),
            claim.agent.to_string(),
            claim.owner,
            claim.expires_at,
            claim.run_key.as_str(),
            claim.epoch
        ],
        Refusal::LeaseLost,
    )
}

/// Takes the lease of a run that was interrupted; signals that came since stay for the next run.
pub fn reclaim(workspace: WorkspaceId, claim: &Claim<'_>) -> Op {
    Op::one(
        "UPDATE wake_queue SET owner = ?3, epoch = epoch + 1, expires_at = ?4,
           due_at = CASE WHEN reasons = 0 THEN NULL ELSE due_at END
         WHERE ws = ?1 AND agent_id = ?2 AND epoch = ?6 AND owner IS NULL AND run_key = ?5",
        params![
            ws(workspace),
            claim.agent.to_string(),
            claim.owner,
            claim.expires_at,
            claim.run_key.as_str(),
            claim.epoch
        ],
        Refusal::LeaseLost,
    )
}

/// Guards a commit of a run by its lease, and prolongs it.
pub fn guard(
    workspace: WorkspaceId,
    agent: &AgentId,
    owner: &str,
    epoch: i64,
    expires_at: Timestamp,
) -> Op {
    Op::one(
        "UPDATE wake_queue SET expires_at = ?5 WHERE ws = ?1 AND agent_id = ?2 AND owner = ?3 AND epoch = ?4",
        params![ws(workspace), agent.to_string(), owner, epoch, expires_at],
        Refusal::LeaseLost,
    )
}

/// Ends a run and its lease.
pub fn release(workspace: WorkspaceId, agent: &AgentId, owner: &str, epoch: i64) -> Op {
    Op::one(
        "UPDATE wake_queue SET owner = NULL, expires_at = NULL, run_key = NULL, crashes = 0
         WHERE ws = ?1 AND agent_id = ?2 AND owner = ?3 AND epoch = ?4",
        params![ws(workspace), agent.to_string(), owner, epoch],
        Refusal::LeaseLost,
    )
}

/// Gives a lease back and leaves its run to be resumed at a time.
pub fn put_back(
    workspace: WorkspaceId,
    agent: &AgentId,
    owner: &str,
    epoch: i64,
    due_at: Timestamp,
) -> Op {
    Op::one(
        "UPDATE wake_queue SET owner = NULL, expires_at = NULL, due_at = ?5
         WHERE ws = ?1 AND agent_id = ?2 AND owner = ?3 AND epoch = ?4",
        params![ws(workspace), agent.to_string(), owner, epoch, due_at],
        Refusal::LeaseLost,
    )
}

/// Takes a dead owner's lease away and leaves its run to be resumed.
pub fn interrupt(workspace: WorkspaceId, row: &Sleeper, crashes: i64, at: Timestamp) -> Op {
    Op::one(
        "UPDATE wake_queue SET owner = NULL, expires_at = NULL, epoch = epoch + 1, crashes = ?5,
           due_at = COALESCE(due_at, ?6)
         WHERE ws = ?1 AND agent_id = ?2 AND epoch = ?3 AND owner = ?4",
        params![ws(workspace), row.agent.to_string(), row.epoch, row.owner.clone(), crashes, at],
        Refusal::LeaseLost,
    )
}

/// Takes a dead owner's lease away and gives its run up.
pub fn abandon(workspace: WorkspaceId, row: &Sleeper) -> Op {
    Op::one(
        "UPDATE wake_queue SET owner = NULL, expires_at = NULL, epoch = epoch + 1, crashes = 0,
           run_key = NULL
         WHERE ws = ?1 AND agent_id = ?2 AND epoch = ?3 AND owner = ?4",
        params![ws(workspace), row.agent.to_string(), row.epoch, row.owner.clone()],
        Refusal::LeaseLost,
    )
}

/// Makes what waited without a due time due.
pub fn catch_up(workspace: WorkspaceId, agent: &AgentId, due_at: Timestamp) -> Op {
    Op::any(
        "UPDATE wake_queue SET due_at = ?3
         WHERE ws = ?1 AND agent_id = ?2 AND due_at IS NULL AND reasons <> 0",
        params![ws(workspace), agent.to_string(), due_at],
    )
}

/// Takes the due time away and keeps what is waiting; `forget` clears that too.
pub fn hold(workspace: WorkspaceId, agent: &AgentId, forget: bool) -> Op {
    if forget {
        return silence(workspace, agent);
    }
    Op::any(
        "UPDATE wake_queue SET due_at = NULL WHERE ws = ?1 AND agent_id = ?2",
        params![ws(workspace), agent.to_string()],
    )
}

/// Clears every mark that could wake an agent.
pub fn silence(workspace: WorkspaceId, agent: &AgentId) -> Op {
    Op::any(
        "UPDATE wake_queue SET reasons = 0, first_signal_at = NULL, due_at = NULL,
           request_id = NULL, message_id = NULL
         WHERE ws = ?1 AND agent_id = ?2",
        params![ws(workspace), agent.to_string()],
    )
}

fn decode(row: &Row) -> Result<Sleeper, ReadError> {
    let column = |e| ReadError::column(Db::Agent, "wake queue row", &e);
    let corrupt = |e: dormouse_types::IdError| ReadError::Corrupt {
        db: "agent",
        noun: "wake queue row",
        id: row.text(0).unwrap_or("row").to_owned(),
        detail: e.to_string(),
    };
    Ok(Sleeper {
        agent: row.text(0).map_err(column)?.parse().map_err(corrupt)?,
        reasons: Reason::of_bits(row.int(1).map_err(column)?),
        first_signal_at: row.opt_time(2).map_err(column)?,
        due_at: row.opt_time(3).map_err(column)?,
        upto: Seq(row.int(4).map_err(column)?),
        priority: row.int(5).map_err(column)?,
        request_id: row.opt_text(6).map_err(column)?.map(ToOwned::to_owned),
        message_id: row
            .opt_text(7)
            .map_err(column)?
            .map(str::parse)
            .transpose()
            .map_err(corrupt)?,
        run_key: row.opt_text(8).map_err(column)?.map(|key| RunKey(key.to_owned())),
        owner: row.opt_text(9).map_err(column)?.map(ToOwned::to_owned),
        epoch: row.int(10).map_err(column)?,
        expires_at: row.opt_time(11).map_err(column)?,
        crashes: row.int(12).map_err(column)?,
    })
}

/// The row of an agent.
pub fn of_agent(workspace: WorkspaceId, agent: &AgentId) -> Query<Sleeper> {
    Query {
        db: Db::Agent,
        sql: "SELECT agent_id, reasons, first_signal_at, due_at, upto, priority, request_id,
                message_id, run_key, owner, epoch, expires_at, crashes
              FROM wake_queue WHERE ws = ?1 AND agent_id = ?2",
        params: params_values![ws(workspace), agent.to_string()],
        decode,
    }
}

/// The rows that may be claimed at a time, in claim order.
pub fn claimable(workspace: WorkspaceId, now: Timestamp, limit: i64) -> Query<Sleeper> {
    Query {
        db: Db::Agent,
        sql: "SELECT agent_id, reasons, first_signal_at, due_at, upto, priority, request_id,
                message_id, run_key, owner, epoch, expires_at, crashes
              FROM wake_queue
              WHERE ws = ?1 AND due_at IS NOT NULL AND due_at <= ?2 AND owner IS NULL
              ORDER BY priority, due_at, agent_id LIMIT ?3",
        params: params_values![ws(workspace), now, limit],
        decode,
    }
}

/// All rows that wait or run, in claim order.
pub fn waiting(workspace: WorkspaceId) -> Query<Sleeper> {
    Query {
        db: Db::Agent,
        sql: "SELECT agent_id, reasons, first_signal_at, due_at, upto, priority, request_id,
                message_id, run_key, owner, epoch, expires_at, crashes
              FROM wake_queue WHERE ws = ?1 AND due_at IS NOT NULL
              ORDER BY priority, due_at, agent_id",
        params: params_values![ws(workspace)],
        decode,
    }
}

/// All rows that somebody holds a lease on.
///
/// The sign in `+ws` keeps SQLite at the index of leased rows: for the sake of the order it would
/// walk the rows of all agents.
pub fn leased(workspace: WorkspaceId) -> Query<Sleeper> {
    Query {
        db: Db::Agent,
        sql: "SELECT agent_id, reasons, first_signal_at, due_at, upto, priority, request_id,
                message_id, run_key, owner, epoch, expires_at, crashes
              FROM wake_queue WHERE owner IS NOT NULL AND +ws = ?1 ORDER BY agent_id",
        params: params_values![ws(workspace)],
        decode,
    }
}
