//! Runs: one row per claimed wake.

use std::sync::LazyLock;

use dormouse_types::{
    AgentId, HolderId, RunKey, Seq, TemplateVersionId, ThreadId, Timestamp, WorkspaceId,
};

pub use dormouse_types::agent::RunStatus as Status;
use dormouse_types::agent::{Initiator, RunFailure, WakeReason};
use dormouse_types::closed_list::{ClosedList as _, Listed};
use dormouse_types::kept_back::KeptBack;
use dormouse_types::model::Usage;

use crate::commit::{Db, Op, Refusal};
use crate::in_list;
use crate::store::{Query, ReadError, ws};
use crate::value::{Param, Row};
use crate::{params, params_values};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    pub key: RunKey,
    /// The holder it is a run of.
    pub holder: HolderId,
    /// The strongest of its wake reasons.
    pub reason: Listed<WakeReason>,
    /// The id of the subscription, timer or request.
    pub reason_id: Option<String>,
    /// What started it.
    pub initiator: Listed<Initiator>,
    /// Its message thread.
    pub thread: ThreadId,
    pub status: Status,
    /// The interval of the change sequence, `processed-upto`.
    pub logical_change_key: Option<String>,
    /// The journal position completed runs had seen before it.
    pub processed: Seq,
    /// The journal position it sees at least.
    pub upto: Seq,
    /// User messages up to this position of the agent store are part of the run. Fixed when it is
    /// claimed.
    pub heard_upto: Seq,
    /// The epoch of its last lease.
    pub epoch: i64,
    /// How often a crash interrupted it.
    pub crashes: i64,
    /// The model it used.
    pub model: Option<String>,
    /// Whether it hit the limit on turns.
    pub cut: bool,
    /// When it was first claimed.
    pub created_at: Timestamp,
    /// When it was last claimed.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub completed_at: Option<Timestamp>,
    /// Why it failed.
    pub error: Option<String>,
    /// The kind of that failure, if the program acts on it.
    pub failure: Option<Listed<RunFailure>>,
    /// Tokens it has used, over all its recorded turns.
    pub usage: Usage,
}

/// Records a claimed run; refused when a run with its key exists.
pub fn insert(workspace: WorkspaceId, run: &Run) -> Op {
    Op::one(
        "INSERT INTO wake_run_log (ws, run_key, agent_id, reason, reason_id, initiator, thread_id,
           status, logical_change_key, processed, upto, heard_upto, epoch, crashes, model, cut,
           created_at, started_at, completed_at, error_message)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, 0, ?16, ?17, NULL, NULL)",
        params![
            ws(workspace),
            run.key.as_str(),
            run.holder.to_string(),
            run.reason.name(),
            run.reason_id.clone(),
            run.initiator.name(),
            run.thread.to_string(),
            run.status.name(),
            run.logical_change_key.clone(),
            run.processed.0,
            run.upto.0,
            run.heard_upto.0,
            run.epoch,
            run.crashes,
            run.model.clone(),
            run.created_at,
            run.started_at
        ],
        Refusal::Exists,
    )
}

/// The keys of all runs of a holder.
pub fn keys_of(workspace: WorkspaceId, holder: &HolderId) -> Query<RunKey> {
    Query {
        db: Db::Agent,
        sql: "SELECT run_key FROM wake_run_log WHERE ws = ?1 AND agent_id = ?2",
        params: params_values![ws(workspace), holder.to_string()],
        decode: run_key,
    }
}

/// When words were removed from a run, if they were.
pub fn purged_at(workspace: WorkspaceId, key: &RunKey) -> Query<Option<Timestamp>> {
    Query {
        db: Db::Agent,
        sql: "SELECT purged_at FROM wake_run_log WHERE ws = ?1 AND run_key = ?2",
        params: params_values![ws(workspace), key.as_str()],
        decode: |row| row.opt_time(0).map_err(|e| ReadError::column(Db::Agent, "run", &e)),
    }
}

/// Notes that a run can no longer be shown as it was.
pub fn mark_purged(workspace: WorkspaceId, key: &RunKey) -> Op {
    Op::any(
        "UPDATE wake_run_log SET purged_at = ?3 WHERE ws = ?1 AND run_key = ?2",
        params![ws(workspace), key.as_str(), Param::Now],
    )
}

/// Adds the tokens of a turn to those of its run.
pub fn add_usage(workspace: WorkspaceId, key: &RunKey, usage: &Usage) -> Op {
    let tokens = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    Op::one(
        "UPDATE wake_run_log SET input_tokens = COALESCE(input_tokens, 0) + ?3,
           cached_input_tokens = COALESCE(cached_input_tokens, 0) + ?4,
           output_tokens = COALESCE(output_tokens, 0) + ?5,
           cache_write_tokens = COALESCE(cache_write_tokens, 0) + ?6,
           reasoning_tokens = COALESCE(reasoning_tokens, 0) + ?7
         WHERE ws = ?1 AND run_key = ?2",
        params![
            ws(workspace),
            key.as_str(),
            tokens(usage.input),
            tokens(usage.cached_input),
            tokens(usage.output),
            tokens(usage.cache_write),
            tokens(usage.reasoning)
        ],
        Refusal::LeaseLost,
    )
}

/// Records how much of its task the model of a run was not shown.
pub fn keep_back(workspace: WorkspaceId, key: &RunKey, kept_back: &KeptBack) -> Op {
    let text = (!kept_back.is_empty())
        .then(|| serde_json::to_string(kept_back).expect("counts are plain data"));
    Op::one(
        "UPDATE wake_run_log SET kept_back = ?3 WHERE ws = ?1 AND run_key = ?2",
        params![ws(workspace), key.as_str(), text],
        Refusal::LeaseLost,
    )
}

/// Records the version of a template whose directives a run is sent.
pub fn follow(workspace: WorkspaceId, key: &RunKey, version: &TemplateVersionId) -> Op {
    Op::one(
        "UPDATE wake_run_log SET template_version = ?3 WHERE ws = ?1 AND run_key = ?2",
        params![ws(workspace), key.as_str(), version.to_string()],
        Refusal::LeaseLost,
    )
}

/// Moves a run between the two statuses that are not terminal.
pub fn requeue(
    workspace: WorkspaceId,
    key: &RunKey,
    from: Status,
    to: Status,
    epoch: i64,
    crashes: i64,
) -> Op {
    Op::one(
        "UPDATE wake_run_log SET status = ?4, epoch = ?5, crashes = ?6
         WHERE ws = ?1 AND run_key = ?2 AND status = ?3",
        params![ws(workspace), key.as_str(), from.name(), to.name(), epoch, crashes],
        Refusal::LeaseLost,
    )
}

/// Ends a run.
pub fn finish(
    workspace: WorkspaceId,
    key: &RunKey,
    from: Status,
    to: Status,
    at: Timestamp,
    cut: bool,
    error: Option<&str>,
) -> Op {
    Op::one(
        "UPDATE wake_run_log SET status = ?4, completed_at = ?5, cut = ?6, error_message = ?7
         WHERE ws = ?1 AND run_key = ?2 AND status = ?3",
        params![
            ws(workspace),
            key.as_str(),
            from.name(),
            to.name(),
            at,
            cut,
            error.map(ToOwned::to_owned)
        ],
        Refusal::LeaseLost,
    )
}

/// Ends a run that a person cancelled; `error` says so in words.
pub fn cancel(
    workspace: WorkspaceId,
    key: &RunKey,
    from: Status,
    to: Status,
    at: Timestamp,
    error: &str,
) -> Op {
    Op::one(
        "UPDATE wake_run_log SET status = ?4, completed_at = ?5, error_message = ?6, failure = ?7
         WHERE ws = ?1 AND run_key = ?2 AND status = ?3",
        params![
            ws(workspace),
            key.as_str(),
            from.name(),
            to.name(),
            at,
            error,
            RunFailure::Cancelled.name()
        ],
        Refusal::LeaseLost,
    )
}

impl Run {
    /// Returns whether a person cancelled it.
    pub fn is_cancelled(&self) -> bool {
        self.failure == Some(Listed::Known(RunFailure::Cancelled))
    }
}

fn decode(row: &Row) -> Result<Run, ReadError> {
    let column = |e| ReadError::column(Db::Agent, "run", &e);
    let key = row.text(0).map_err(column)?;
    let corrupt = |detail: String| ReadError::Corrupt {
        db: "agent",
        noun: "run",
        id: key.to_owned(),
        detail,
    };
    let bad_id = |e: dormouse_types::IdError| corrupt(e.to_string());
    let status = row.text(6).map_err(column)?;
    let tokens = |n| {
        let tokens = row.opt_int(n).map_err(column)?.unwrap_or(0);
        u64::try_from(tokens).map_err(|_| corrupt(format!("{tokens} tokens")))
    };
    Ok(Run {
        key: RunKey(key.to_owned()),
        holder: row.text(1).map_err(column)?.parse().map_err(bad_id)?,
        reason: Listed::named(row.text(2).map_err(column)?),
        reason_id: row.opt_text(3).map_err(column)?.map(ToOwned::to_owned),
        initiator: Listed::named(row.text(4).map_err(column)?),
        thread: row.text(5).map_err(column)?.parse().map_err(bad_id)?,
        status: Status::of_name(status)
            .ok_or_else(|| corrupt(format!("unknown status `{status}`")))?,
        logical_change_key: row.opt_text(7).map_err(column)?.map(ToOwned::to_owned),
        processed: Seq(row.int(8).map_err(column)?),
        upto: Seq(row.int(9).map_err(column)?),
        heard_upto: Seq(row.int(10).map_err(column)?),
        epoch: row.int(11).map_err(column)?,
        crashes: row.int(12).map_err(column)?,
        model: row.opt_text(13).map_err(column)?.map(ToOwned::to_owned),
        cut: row.int(14).map_err(column)? != 0,
        created_at: row.time(15).map_err(column)?,
        started_at: row.opt_time(16).map_err(column)?,
        completed_at: row.opt_time(17).map_err(column)?,
        error: row.opt_text(18).map_err(column)?.map(ToOwned::to_owned),
        failure: row.opt_text(24).map_err(column)?.map(Listed::named),
        usage: Usage {
            input: tokens(19)?,
            cached_input: tokens(20)?,
            output: tokens(21)?,
            cache_write: tokens(22)?,
            reasoning: tokens(23)?,
            cost: None,
        },
    })
}

/// A run by its key.
pub fn by_key(workspace: WorkspaceId, key: &RunKey) -> Query<Run> {
    Query {
        db: Db::Agent,
        sql: "SELECT run_key, agent_id, reason, reason_id, initiator, thread_id, status,
                logical_change_key, processed, upto, heard_upto, epoch, crashes, model, cut,
                created_at, started_at, completed_at, error_message,
                input_tokens, cached_input_tokens, output_tokens,
                cache_write_tokens, reasoning_tokens, failure
              FROM wake_run_log WHERE ws = ?1 AND run_key = ?2",
        params: params_values![ws(workspace), key.as_str()],
        decode,
    }
}

/// The runs of an agent, newest first.
pub fn of_agent(workspace: WorkspaceId, agent: &AgentId, limit: i64) -> Query<Run> {
    Query {
        db: Db::Agent,
        sql: "SELECT run_key, agent_id, reason, reason_id, initiator, thread_id, status,
                logical_change_key, processed, upto, heard_upto, epoch, crashes, model, cut,
                created_at, started_at, completed_at, error_message,
                input_tokens, cached_input_tokens, output_tokens,
                cache_write_tokens, reasoning_tokens, failure
              FROM wake_run_log WHERE ws = ?1 AND agent_id = ?2
              ORDER BY created_at DESC, run_key LIMIT ?3",
        params: params_values![ws(workspace), agent.to_string(), limit],
        decode,
    }
}

/// What is counted for the run `r`: three columns.
macro_rules! counts {
    () => {
        "(SELECT COUNT(*) FROM wake_requests q WHERE q.ws = r.ws AND q.run_key = r.run_key),
         (SELECT COUNT(*) FROM agent_entities m WHERE m.ws = r.ws AND m.thread_id = r.thread_id
            AND m.type = 'agentMessage' AND m.subtype = 'action'),
         r.kept_back, r.purged_at"
    };
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunWithCounts {
    pub run: Run,
    /// Turns sent to the model.
    pub turns: i64,
    /// Tool calls.
    pub calls: i64,
    /// How much of its task its model was not shown.
    pub kept_back: KeptBack,
    /// Since when it can no longer be shown as it was, because words were removed from it.
    pub purged_at: Option<Timestamp>,
}

/// The completed run of an agent right before a time.
pub fn completed_before(workspace: WorkspaceId, agent: &AgentId, at: Timestamp) -> Query<RunKey> {
    Query {
        db: Db::Agent,
        sql: "SELECT run_key FROM wake_run_log
              WHERE ws = ?1 AND agent_id = ?2 AND created_at < ?3 AND status = 'completed'
              ORDER BY created_at DESC LIMIT 1",
        params: params_values![ws(workspace), agent.to_string(), at],
        decode: run_key,
    }
}

/// The completed run of an agent right after a time.
pub fn completed_after(workspace: WorkspaceId, agent: &AgentId, at: Timestamp) -> Query<RunKey> {
    Query {
        db: Db::Agent,
        sql: "SELECT run_key FROM wake_run_log
              WHERE ws = ?1 AND agent_id = ?2 AND created_at > ?3 AND status = 'completed'
              ORDER BY created_at LIMIT 1",
        params: params_values![ws(workspace), agent.to_string(), at],
        decode: run_key,
    }
}

fn run_key(row: &Row) -> Result<RunKey, ReadError> {
    let key = row.text(0).map_err(|e| ReadError::column(Db::Agent, "run", &e))?;
    Ok(RunKey(key.to_owned()))
}

/// Runs of an agent after a cursor, newest first, with their counts.
///
/// The first page starts after `(the largest time, "")`.
pub fn page(
    workspace: WorkspaceId,
    agent: &AgentId,
    (at, key): (Timestamp, &str),
    limit: i64,
) -> Query<RunWithCounts> {
    Query {
        db: Db::Agent,
        sql: concat!(
            "SELECT r.run_key, r.agent_id, r.reason, r.reason_id, r.initiator, r.thread_id,
                r.status, r.logical_change_key, r.processed, r.upto, r.heard_upto, r.epoch,
                r.crashes, r.model, r.cut, r.created_at, r.started_at, r.completed_at,
                r.error_message, r.input_tokens, r.cached_input_tokens, r.output_tokens,
                r.cache_write_tokens, r.reasoning_tokens, r.failure, ",
            counts!(),
            " FROM wake_run_log r
              WHERE r.ws = ?1 AND r.agent_id = ?2 AND r.created_at <= ?3
                AND (r.created_at < ?3 OR r.run_key > ?4)
              ORDER BY r.created_at DESC, r.run_key LIMIT ?5"
        ),
        params: params_values![ws(workspace), agent.to_string(), at, key, limit],
        decode: with_counts,
    }
}

/// A run by its key, with its counts.
pub fn with_counts_by_key(workspace: WorkspaceId, key: &RunKey) -> Query<RunWithCounts> {
    Query {
        db: Db::Agent,
        sql: concat!(
            "SELECT r.run_key, r.agent_id, r.reason, r.reason_id, r.initiator, r.thread_id,
                r.status, r.logical_change_key, r.processed, r.upto, r.heard_upto, r.epoch,
                r.crashes, r.model, r.cut, r.created_at, r.started_at, r.completed_at,
                r.error_message, r.input_tokens, r.cached_input_tokens, r.output_tokens,
                r.cache_write_tokens, r.reasoning_tokens, r.failure, ",
            counts!(),
            " FROM wake_run_log r WHERE r.ws = ?1 AND r.run_key = ?2"
        ),
        params: params_values![ws(workspace), key.as_str()],
        decode: with_counts,
    }
}

fn with_counts(row: &Row) -> Result<RunWithCounts, ReadError> {
    let column = |e| ReadError::column(Db::Agent, "run", &e);
    let (turns, calls) = (row.int(25).map_err(column)?, row.int(26).map_err(column)?);
    let run = decode(row)?;
    let kept_back = match row.opt_text(27).map_err(column)? {
        None => KeptBack::default(),
        Some(text) => serde_json::from_str(text).map_err(|e| ReadError::Corrupt {
            db: "agent",
            noun: "run",
            id: run.key.to_string(),
            detail: format!("kept_back: {e}"),
        })?,
    };
    let purged_at = row.opt_time(28).map_err(column)?;
    Ok(RunWithCounts { run, turns, calls, kept_back, purged_at })
}

/// The newest user messages that a completed run of an agent took in. For agents whose state,
/// written by an earlier version, does not record this yet.
pub fn heard_by_completed(workspace: WorkspaceId, agent: &AgentId) -> Query<Seq> {
    Query {
        db: Db::Agent,
        sql: "SELECT COALESCE(MAX(heard_upto), 0) FROM wake_run_log
              WHERE ws = ?1 AND agent_id = ?2 AND status = 'completed'",
        params: params_values![ws(workspace), agent.to_string()],
        decode: |row| Ok(Seq(row.int(0).map_err(|e| ReadError::column(Db::Agent, "run", &e))?)),
    }
}

/// How many wakes of some agents completed since a time. At most [`in_list::MOST`] agents.
pub fn completed_of_since(
    workspace: WorkspaceId,
    agents: &[AgentId],
    since: Timestamp,
) -> Query<i64> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        let since = in_list::MOST + 2;
        in_list::sql(
            "SELECT COUNT(*) FROM wake_run_log
             WHERE ws = ?1 AND status = 'completed' AND agent_id IN (",
            &format!(") AND created_at >= ?{since}"),
        )
    });
    let mut params = in_list::params(workspace, agents);
    params.extend(params_values![since]);
    Query {
        db: Db::Agent,
        sql: &SQL,
        params,
        decode: |row| row.int(0).map_err(|e| ReadError::column(Db::Agent, "run", &e)),
    }
}

/// The runs that have not ended.
pub fn unfinished(workspace: WorkspaceId) -> Query<Run> {
    Query {
        db: Db::Agent,
        sql: "SELECT run_key, agent_id, reason, reason_id, initiator, thread_id, status,
                logical_change_key, processed, upto, heard_upto, epoch, crashes, model, cut,
                created_at, started_at, completed_at, error_message,
                input_tokens, cached_input_tokens, output_tokens,
                cache_write_tokens, reasoning_tokens, failure
              FROM wake_run_log WHERE ws = ?1 AND status IN ('queued', 'started')",
        params: params_values![ws(workspace)],
        decode,
    }
}

/// Among the runs that have not ended, the lowest position that completed runs had seen before.
pub fn least_processed(workspace: WorkspaceId) -> Query<Option<Seq>> {
    Query {
        db: Db::Agent,
        sql: "SELECT MIN(processed) FROM wake_run_log
              WHERE ws = ?1 AND status IN ('queued', 'started')",
        params: params_values![ws(workspace)],
        decode: |row| {
            let seq = row.opt_int(0).map_err(|e| ReadError::column(Db::Agent, "run", &e))?;
            Ok(seq.map(Seq))
        },
    }
}

/// The agents of some runs, by the keys of the runs.
pub fn agents_of(workspace: WorkspaceId, keys: &[&str]) -> Query<(String, AgentId)> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT run_key, agent_id FROM wake_run_log WHERE ws = ?1 AND run_key IN (",
            ")",
        )
    });
    Query {
        db: Db::Agent,
        sql: &SQL,
        params: in_list::params(workspace, keys),
        decode: |row| {
            let column = |e| ReadError::column(Db::Agent, "run", &e);
            let key = row.text(0).map_err(column)?.to_owned();
            let agent = row.text(1).map_err(column)?.parse();
            let agent = agent.map_err(|e: dormouse_types::IdError| ReadError::Corrupt {
                db: "agent",
                noun: "run",
                id: key.clone(),
                detail: e.to_string(),
            })?;
            Ok((key, agent))
        },
    }
}

/// When each of the given runs was first claimed, by key.
pub fn begun_by_agents(workspace: WorkspaceId, keys: &[RunKey]) -> Query<(RunKey, Timestamp)> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT run_key, COALESCE(started_at, created_at) FROM wake_run_log
             WHERE ws = ?1 AND run_key IN (",
            ")",
        )
    });
    let keys: Vec<&str> = keys.iter().map(RunKey::as_str).collect();
    Query {
        db: Db::Agent,
        sql: &SQL,
        params: in_list::params(workspace, &keys),
        decode: |row| {
            let column = |e| ReadError::column(Db::Agent, "run", &e);
            let key = row.text(0).map_err(column)?.to_owned();
            Ok((RunKey(key), row.time(1).map_err(column)?))
        },
    }
}

/// Failed runs that no later run of the same agent followed, newest first. A run that a person
/// cancelled did not fail, and says nothing about one that did.
pub fn failed_last(workspace: WorkspaceId, limit: i64) -> Query<Run> {
    Query {
        db: Db::Agent,
        sql: "SELECT r.run_key, r.agent_id, r.reason, r.reason_id, r.initiator, r.thread_id,
                r.status, r.logical_change_key, r.processed, r.upto, r.heard_upto, r.epoch,
                r.crashes, r.model, r.cut, r.created_at, r.started_at, r.completed_at,
                r.error_message, r.input_tokens, r.cached_input_tokens, r.output_tokens,
                r.cache_write_tokens, r.reasoning_tokens, r.failure
              FROM wake_run_log r
              WHERE r.ws = ?1 AND r.status IN ('failed', 'abandoned')
                AND COALESCE(r.failure, '') <> 'cancelled'
                AND NOT EXISTS (SELECT 1 FROM wake_run_log n
                  WHERE n.ws = r.ws AND n.agent_id = r.agent_id AND n.created_at > r.created_at
                    AND n.status IN ('completed', 'skipped', 'failed', 'abandoned')
                    AND COALESCE(n.failure, '') <> 'cancelled')
              ORDER BY r.created_at DESC, r.run_key DESC LIMIT ?2",
        params: params_values![ws(workspace), limit],
        decode,
    }
}
