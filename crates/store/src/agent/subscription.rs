//! Subscriptions: which agents are concerned by changes to a task.

use std::sync::LazyLock;

use dormouse_types::{AgentId, SubscriptionId, TaskId, Timestamp, WorkspaceId};

use crate::commit::{Db, Op, Refusal};
use crate::in_list;
use crate::store::{Query, ReadError, ws};
use crate::{params, params_values};

/// A stored subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscription {
    pub id: SubscriptionId,
    pub agent: AgentId,
    pub task: TaskId,
}

/// Makes an agent the task's own; refused when the task already has one.
pub fn insert_own(workspace: WorkspaceId, subscription: &Subscription, at: Timestamp) -> Op {
    Op::one(
        "INSERT INTO subscriptions (ws, task_id, agent_id, id, watch, created_at)
         VALUES (?1, ?2, ?3, ?4, 'own', ?5)",
        params![
            ws(workspace),
            subscription.task.to_string(),
            subscription.agent.to_string(),
            subscription.id.to_string(),
            at
        ],
        Refusal::Exists,
    )
}

/// Ends all subscriptions of an agent.
pub fn delete_of_agent(workspace: WorkspaceId, agent: &AgentId) -> Op {
    Op::any(
        "DELETE FROM subscriptions WHERE ws = ?1 AND agent_id = ?2",
        params![ws(workspace), agent.to_string()],
    )
}

fn decode(row: &crate::value::Row) -> Result<Subscription, ReadError> {
    let column = |e| ReadError::column(Db::Agent, "subscription", &e);
    let corrupt = |e: dormouse_types::IdError| ReadError::Corrupt {
        db: "agent",
        noun: "subscription",
        id: row.text(0).unwrap_or("row").to_owned(),
        detail: e.to_string(),
    };
    Ok(Subscription {
        id: row.text(0).map_err(column)?.parse().map_err(corrupt)?,
        agent: row.text(1).map_err(column)?.parse().map_err(corrupt)?,
        task: row.text(2).map_err(column)?.parse().map_err(corrupt)?,
    })
}

/// The live agent of each of the given tasks.
pub fn own_on_tasks(workspace: WorkspaceId, tasks: &[TaskId]) -> Query<Subscription> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT id, agent_id, task_id FROM subscriptions
             WHERE ws = ?1 AND watch = 'own' AND task_id IN (",
            ")",
        )
    });
    Query { db: Db::Agent, sql: &SQL, params: in_list::params(workspace, tasks), decode }
}

/// The tasks the given agents watch as their own.
pub fn own_of_agents(workspace: WorkspaceId, agents: &[AgentId]) -> Query<Subscription> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT id, agent_id, task_id FROM subscriptions
             WHERE ws = ?1 AND watch = 'own' AND agent_id IN (",
            ")",
        )
    });
    Query { db: Db::Agent, sql: &SQL, params: in_list::params(workspace, agents), decode }
}

/// Which agent watches which task as its own, across a workspace.
pub fn own(workspace: WorkspaceId) -> Query<Subscription> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, agent_id, task_id FROM subscriptions WHERE ws = ?1 AND watch = 'own'",
        params: params_values![ws(workspace)],
        decode,
    }
}

/// The agents that watch a task.
pub fn of_task(workspace: WorkspaceId, task: &TaskId) -> Query<Subscription> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, agent_id, task_id FROM subscriptions WHERE ws = ?1 AND task_id = ?2
              ORDER BY agent_id",
        params: params_values![ws(workspace), task.to_string()],
        decode,
    }
}

/// The tasks an agent watches.
pub fn of_agent(workspace: WorkspaceId, agent: &AgentId) -> Query<Subscription> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, agent_id, task_id FROM subscriptions WHERE ws = ?1 AND agent_id = ?2
              ORDER BY task_id",
        params: params_values![ws(workspace), agent.to_string()],
        decode,
    }
}
