//! Reports and their head pointer.

use std::sync::LazyLock;

use dormouse_types::agent::ReportScope;
use dormouse_types::closed_list::Listed;
use dormouse_types::{AgentId, EntryId, ReportHeadId, ReportId, TaskId, Timestamp, WorkspaceId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::entity::{self, Columns, Entity, Stored};
use super::source::Source;
use crate::commit::Db;
use crate::in_list;
use crate::params_values;
use crate::store::{Query, ReadError, ws};

/// A report; immutable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    pub id: ReportId,
    pub agent_id: AgentId,
    /// What it is for.
    pub scope: Listed<ReportScope>,
    /// When it was published.
    pub created_at: Timestamp,
    /// Markdown; an object in reports of an older format.
    #[serde(default = "empty")]
    pub content: Value,
    /// Always visible; `None` in reports of an older format.
    #[serde(default)]
    pub tldr: Option<String>,
    /// From 0 to 1.
    #[serde(default)]
    pub confidence: Option<f64>,
    /// The addresses in it that entries of its own task have. Agents of linked tasks pass on these,
    /// not those which it has from its neighbours: an address would travel from task to task and
    /// never disappear.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own_addresses: Vec<OwnAddress>,
    /// What addresses in it were taken from that its run may not have been shown: entries of its own
    /// task and of linked ones. `None` in reports of an older format: nobody knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sources: Option<Vec<Source>>,
    /// The model and run key that produced it.
    #[serde(default)]
    pub provenance: Value,
    /// When it was soft-deleted.
    #[serde(default)]
    pub deleted_at: Option<Timestamp>,
}

/// An address in a report, and the entry that has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OwnAddress {
    pub address: String,
    pub entry: EntryId,
}

fn empty() -> Value {
    Value::String(String::new())
}

impl Entity for Report {
    const KIND: &'static str = "agentReport";
    fn columns(&self) -> Columns {
        Columns {
            subtype: Some(self.scope.name().to_owned()),
            ..Columns::new(
                &self.id,
                &self.agent_id,
                Self::KIND,
                [self.created_at, self.created_at],
                self.deleted_at,
            )
        }
    }
}

/// Points to the latest report of a scope.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportHead {
    /// Its id, derived from the agent and the scope.
    pub id: ReportHeadId,
    pub agent_id: AgentId,
    pub scope: Listed<ReportScope>,
    pub report_id: ReportId,
    /// Its TLDR, so that a list need not open reports; `None` for an older format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tldr: Option<String>,
    /// When the first report was published.
    pub created_at: Timestamp,
    /// When it last moved to another report.
    pub updated_at: Timestamp,
    /// When it was soft-deleted.
    #[serde(default)]
    pub deleted_at: Option<Timestamp>,
}

impl Entity for ReportHead {
    const KIND: &'static str = "agentReportHead";
    fn columns(&self) -> Columns {
        Columns {
            subtype: Some(self.scope.name().to_owned()),
            ..Columns::new(
                &self.id,
                &self.agent_id,
                Self::KIND,
                [self.created_at, self.updated_at],
                self.deleted_at,
            )
        }
    }
}

/// The head of an agent's reports of a scope.
pub fn head(
    workspace: WorkspaceId,
    agent: &AgentId,
    scope: &Listed<ReportScope>,
) -> Query<Stored<ReportHead>> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, agent_id, type, subtype, thread_id, task_id, created_at, updated_at,
                deleted_at, serialized, clock_host, clock_counter
              FROM agent_entities
              WHERE ws = ?1 AND agent_id = ?2 AND type = 'agentReportHead' AND subtype = ?3
                AND deleted_at IS NULL",
        params: params_values![ws(workspace), agent.to_string(), scope.name()],
        decode: entity::decode::<ReportHead>,
    }
}

/// The heads of the current reports of the given agents.
pub fn heads(workspace: WorkspaceId, agents: &[AgentId]) -> Query<Stored<ReportHead>> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT id, agent_id, type, subtype, thread_id, task_id, created_at, updated_at,
               deleted_at, serialized, clock_host, clock_counter
             FROM agent_entities
             WHERE ws = ?1 AND type = 'agentReportHead' AND subtype = 'current'
               AND deleted_at IS NULL AND agent_id IN (",
            ")",
        )
    });
    let params = in_list::params(workspace, agents);
    Query { db: Db::Agent, sql: &SQL, params, decode: entity::decode::<ReportHead> }
}

/// The heads of the current reports of the agents that watch a task as their own, most recently
/// moved first, after a cursor in that order.
pub fn newest_heads(
    workspace: WorkspaceId,
    (at, id): (Timestamp, &str),
    limit: i64,
) -> Query<Stored<ReportHead>> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, agent_id, type, subtype, thread_id, task_id, created_at, updated_at,
                deleted_at, serialized, clock_host, clock_counter
              FROM agent_entities e
              WHERE ws = ?1 AND type = 'agentReportHead' AND subtype = 'current'
                AND deleted_at IS NULL
                AND updated_at <= ?2 AND (updated_at < ?2 OR id < ?3)
                AND EXISTS (SELECT 1 FROM subscriptions s
                  WHERE s.ws = ?1 AND s.agent_id = e.agent_id AND s.watch = 'own')
              ORDER BY updated_at DESC, id DESC LIMIT ?4",
        params: params_values![ws(workspace), at, id, limit],
        decode: entity::decode::<ReportHead>,
    }
}

/// Which agent watches a task as its own, with the head of its current report.
#[derive(Debug, Clone)]
pub struct TaskHead {
    pub task_id: String,
    /// The head, or why it cannot be read.
    pub head: Result<Stored<ReportHead>, ReadError>,
}

/// The heads of the current reports about at most a page of tasks. Of a task's agents the one whose
/// link is newest comes first; links of the same time are ordered by their ids.
pub fn heads_of_tasks(workspace: WorkspaceId, tasks: &[TaskId]) -> Query<TaskHead> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT e.id, e.agent_id, e.type, e.subtype, e.thread_id, e.task_id, e.created_at,
               e.updated_at, e.deleted_at, e.serialized, e.clock_host, e.clock_counter, l.to_id
             FROM agent_links l JOIN agent_entities e ON e.ws = l.ws AND e.agent_id = l.from_id
               AND e.type = 'agentReportHead' AND e.subtype = 'current' AND e.deleted_at IS NULL
             WHERE l.ws = ?1 AND l.type = 'agent_task' AND l.deleted_at IS NULL AND l.to_id IN (",
            ") ORDER BY l.to_id, l.created_at DESC, l.id",
        )
    });
    Query {
        db: Db::Agent,
        sql: &SQL,
        params: in_list::params(workspace, tasks),
        decode: |row| {
            let column = |e| ReadError::column(Db::Agent, "report head", &e);
            Ok(TaskHead {
                task_id: row.text(12).map_err(column)?.to_owned(),
                head: entity::decode::<ReportHead>(row),
            })
        },
    }
}

/// Reports by their ids, at most a page of them; each that cannot be read is an error of its own.
pub fn by_ids(
    workspace: WorkspaceId,
    ids: &[ReportId],
) -> Query<Result<Stored<Report>, ReadError>> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT id, agent_id, type, subtype, thread_id, task_id, created_at, updated_at,
               deleted_at, serialized, clock_host, clock_counter
             FROM agent_entities
             WHERE ws = ?1 AND type = 'agentReport' AND deleted_at IS NULL AND id IN (",
            ")",
        )
    });
    let params = in_list::params(workspace, ids);
    Query { db: Db::Agent, sql: &SQL, params, decode: |row| Ok(entity::decode::<Report>(row)) }
}
