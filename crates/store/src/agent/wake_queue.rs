//! The wake queue: one row per agent, for life. It is also the agent's lease.

use std::time::Duration;

use dormouse_types::{AgentId, MessageId, RunKey, Seq, Timestamp, WorkspaceId};

use crate::commit::{Db, Op, Refusal};
use crate::lease::{self, Proof};
use crate::store::{Query, ReadError, ws};
use crate::value::{Param, Row};
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

    /// Whether it comes without a person asking: `sleep_until` holds it back.
    pub fn is_automatic(self) -> bool {
        matches!(self, Self::Subscription | Self::Timer | Self::Creation)
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
    /// Automatic wakes are held back until then.
    pub sleep_until: Option<Timestamp>,
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
/// What comes without a person asking waits until the agent's `sleep_until`.
/// An agent without a row was destroyed: the signal is spent.
pub fn signal(workspace: WorkspaceId, signal: &Signal) -> Op {
    Op::any(
        "UPDATE wake_queue SET
           reasons = reasons | ?3,
           first_signal_at = COALESCE(first_signal_at, ?4),
           priority = CASE WHEN (due_at IS NULL AND reasons = 0) OR priority > ?7 THEN ?7
                      ELSE priority END,
           due_at = CASE
             WHEN CAST(?5 AS BIGINT) IS NULL THEN due_at
             WHEN ?10 = 1 AND sleep_until > CAST(?5 AS BIGINT)
               THEN CASE WHEN due_at < sleep_until THEN due_at ELSE sleep_until END
             WHEN due_at < CAST(?5 AS BIGINT) THEN due_at
             ELSE CAST(?5 AS BIGINT) END,
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
            signal.reason.is_automatic(),
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
               request_id = NULL, message_id = NULL
             WHERE ws = ?1 AND agent_id = ?2 AND ",
            lease::free!()
        ),
    )
}

/// Takes the lease of a run that was interrupted; signals that came since stay for the next run.
pub fn reclaim(workspace: WorkspaceId, claim: &Claim<'_>) -> Op {
    claim.op(
        workspace,
        concat!(
            "UPDATE wake_queue SET ",
            lease::take!(),
            ", due_at = CASE WHEN reasons = 0 THEN NULL ELSE due_at END
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
            ", run_key = NULL, crashes = 0 WHERE ws = ?1 AND agent_id = ?2 AND ",
            lease::held!()
        ),
        params![ws(workspace), agent.to_string(), owner, epoch],
        Refusal::LeaseLost,
    )
}

/// Gives a lease back and leaves its run to be resumed at a time; without one it waits until the
/// agent may run again.
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
            ", due_at = CAST(?5 AS BIGINT) WHERE ws = ?1 AND agent_id = ?2 AND ",
            lease::held!()
        ),
        params![ws(workspace), agent.to_string(), owner, epoch, due_at],
        Refusal::LeaseLost,
    )
}

fn taken_over(
    workspace: WorkspaceId,
    row: &Sleeper,
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
    row: &Sleeper,
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
pub fn free(workspace: WorkspaceId, row: &Sleeper, proof: Proof) -> Op {
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
pub fn abandon(workspace: WorkspaceId, row: &Sleeper) -> Op {
    Op::one(
        "UPDATE wake_queue SET crashes = 0, run_key = NULL, epoch = epoch + 1,
           due_at = CASE WHEN reasons = 0 THEN NULL ELSE due_at END
         WHERE ws = ?1 AND agent_id = ?2 AND epoch = ?3 AND owner IS NULL",
        params![ws(workspace), row.agent.to_string(), row.epoch],
        Refusal::LeaseLost,
    )
}

/// Cancels what waits: every mark that could wake the agent goes at once. That something changed
/// stays noted, without a due time. Refused when somebody claimed the row since it was read.
pub fn cancel(workspace: WorkspaceId, row: &Sleeper) -> Op {
    Op::one(
        "UPDATE wake_queue SET reasons = CASE WHEN reasons % 2 = 1 THEN 1 ELSE 0 END,
           first_signal_at = NULL, due_at = NULL, request_id = NULL, message_id = NULL,
           run_key = NULL, crashes = 0, epoch = epoch + 1
         WHERE ws = ?1 AND agent_id = ?2 AND epoch = ?3 AND owner IS NULL",
        params![ws(workspace), row.agent.to_string(), row.epoch],
        Refusal::LeaseLost,
    )
}

/// Makes what waited without a due time due, an interrupted run included.
pub fn catch_up(workspace: WorkspaceId, agent: &AgentId, due_at: Timestamp) -> Op {
    Op::any(
        "UPDATE wake_queue SET due_at = ?3
         WHERE ws = ?1 AND agent_id = ?2 AND due_at IS NULL AND owner IS NULL
           AND (reasons <> 0 OR run_key IS NOT NULL)",
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
        sleep_until: row.opt_time(13).map_err(column)?,
    })
}

/// The row of an agent.
pub fn of_agent(workspace: WorkspaceId, agent: &AgentId) -> Query<Sleeper> {
    Query {
        db: Db::Agent,
        sql: "SELECT agent_id, reasons, first_signal_at, due_at, upto, priority, request_id,
                message_id, run_key, owner, epoch, expires_at, crashes, sleep_until
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
                message_id, run_key, owner, epoch, expires_at, crashes, sleep_until
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
                message_id, run_key, owner, epoch, expires_at, crashes, sleep_until
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
                message_id, run_key, owner, epoch, expires_at, crashes, sleep_until
              FROM wake_queue WHERE owner IS NOT NULL AND +ws = ?1 ORDER BY agent_id",
        params: params_values![ws(workspace)],
        decode,
    }
}

/// Rows whose lease has run out by a time, of all workspaces.
pub fn run_out(now: Timestamp) -> Query<(WorkspaceId, Sleeper)> {
    Query {
        db: Db::Agent,
        sql: "SELECT agent_id, reasons, first_signal_at, due_at, upto, priority, request_id,
                message_id, run_key, owner, epoch, expires_at, crashes, sleep_until, ws
              FROM wake_queue WHERE owner IS NOT NULL AND expires_at <= ?1 ORDER BY +ws, agent_id",
        params: params_values![now],
        decode: with_workspace,
    }
}

/// Rows that an owner holds, of all workspaces.
pub fn held_by(owner: &str) -> Query<(WorkspaceId, Sleeper)> {
    Query {
        db: Db::Agent,
        sql: "SELECT agent_id, reasons, first_signal_at, due_at, upto, priority, request_id,
                message_id, run_key, owner, epoch, expires_at, crashes, sleep_until, ws
              FROM wake_queue WHERE owner = ?1 ORDER BY ws, agent_id",
        params: params_values![owner],
        decode: with_workspace,
    }
}

fn with_workspace(row: &Row) -> Result<(WorkspaceId, Sleeper), ReadError> {
    let workspace = row.int(14).map_err(|e| ReadError::column(Db::Agent, "wake queue row", &e))?;
    Ok((WorkspaceId(workspace), decode(row)?))
}

/// The first row of each place in the claim order that may be claimed at a time: what is oldest
/// among them is the oldest of all.
pub fn foremost(workspace: WorkspaceId, now: Timestamp) -> Query<Sleeper> {
    macro_rules! first_of {
        ($priority:literal) => {
            concat!(
                "SELECT * FROM (SELECT agent_id, reasons, first_signal_at, due_at, upto, priority,
                   request_id, message_id, run_key, owner, epoch, expires_at, crashes, sleep_until
                 FROM wake_queue WHERE ws = ?1 AND priority = ",
                $priority,
                " AND due_at IS NOT NULL AND due_at <= ?2 AND owner IS NULL
                 ORDER BY due_at, agent_id LIMIT 1) AS first_",
                $priority
            )
        };
    }
    Query {
        db: Db::Agent,
        sql: concat!(
            first_of!("0"),
            " UNION ALL ",
            first_of!("1"),
            " UNION ALL ",
            first_of!("2"),
            " UNION ALL ",
            first_of!("3")
        ),
        params: params_values![ws(workspace), now],
        decode,
    }
}

/// Workspaces in which something waits; one index probe for each, however much waits there.
pub fn workspaces() -> Query<WorkspaceId> {
    Query {
        db: Db::Agent,
        sql: "WITH RECURSIVE waiting(ws) AS (
                SELECT MIN(ws) FROM wake_queue WHERE due_at IS NOT NULL
                UNION ALL
                SELECT (SELECT MIN(q.ws) FROM wake_queue q
                        WHERE q.due_at IS NOT NULL AND q.ws > waiting.ws)
                FROM waiting WHERE waiting.ws IS NOT NULL)
              SELECT ws FROM waiting WHERE ws IS NOT NULL",
        params: Vec::new(),
        decode: |row| {
            row.int(0)
                .map(WorkspaceId)
                .map_err(|e| ReadError::column(Db::Agent, "wake queue row", &e))
        },
    }
}

/// When the next row that nobody holds comes due after a time; none when nothing waits for it.
pub fn next_due(workspace: WorkspaceId, now: Timestamp) -> Query<Option<Timestamp>> {
    Query {
        db: Db::Agent,
        sql: "SELECT MIN(due_at) FROM wake_queue
              WHERE ws = ?1 AND due_at IS NOT NULL AND due_at > ?2 AND owner IS NULL",
        params: params_values![ws(workspace), now],
        decode: |row| {
            row.opt_time(0).map_err(|e| ReadError::column(Db::Agent, "wake queue row", &e))
        },
    }
}

/// A row that waits for a signal which seems to have come after a time; none in a healthy queue.
pub fn from_the_future(workspace: WorkspaceId, beyond: Timestamp) -> Query<Sleeper> {
    Query {
        db: Db::Agent,
        sql:
            "SELECT agent_id, reasons, first_signal_at, due_at, upto, priority, request_id,
                message_id, run_key, owner, epoch, expires_at, crashes, sleep_until
              FROM wake_queue
              WHERE ws = ?1 AND due_at IS NOT NULL AND due_at > ?2 AND first_signal_at > ?2 LIMIT 1",
        params: params_values![ws(workspace), beyond],
        decode,
    }
}

/// Makes due what waits for a signal that seems to have come in the future: the clock was set back,
/// and nobody would wake it for as long as that.
pub fn rescue(workspace: WorkspaceId, now: Timestamp, beyond: Timestamp) -> Op {
    Op::any(
        "UPDATE wake_queue SET due_at = ?2, first_signal_at = ?2
         WHERE ws = ?1 AND due_at IS NOT NULL AND due_at > ?3 AND first_signal_at > ?3",
        params![ws(workspace), now, beyond],
    )
}

/// Holds automatic wakes back until a time, or no longer. What waits for a person is not touched.
pub fn sleep_until(workspace: WorkspaceId, agent: &AgentId, until: Option<Timestamp>) -> Op {
    Op::any(
        "UPDATE wake_queue SET sleep_until = CAST(?3 AS BIGINT),
           due_at = CASE WHEN priority > 0 AND due_at < CAST(?3 AS BIGINT)
                    THEN CAST(?3 AS BIGINT) ELSE due_at END
         WHERE ws = ?1 AND agent_id = ?2",
        params![ws(workspace), agent.to_string(), until],
    )
}

/// Makes automatic wakes that were held back due at a time, when that is earlier.
pub fn sooner(workspace: WorkspaceId, agent: &AgentId, due_at: Timestamp) -> Op {
    Op::any(
        "UPDATE wake_queue SET due_at = ?3
         WHERE ws = ?1 AND agent_id = ?2 AND due_at > ?3 AND owner IS NULL",
        params![ws(workspace), agent.to_string(), due_at],
    )
}
