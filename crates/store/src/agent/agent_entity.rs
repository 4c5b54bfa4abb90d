//! Agents and their durable state.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use dormouse_types::agent::{AgentKind, AgentMode};
use dormouse_types::closed_list::Listed;
use dormouse_types::{
    AgentId, CategoryId, Id as _, IdError, MessageId, StateId, SubscriptionId, TaskId, TemplateId,
    Timestamp, WorkspaceId,
};
use serde::{Deserialize, Serialize};

pub use dormouse_types::agent::{Automation, DormantReason, Lifecycle};

use super::entity::{self, Columns, Entity, Line, Stored};
use crate::commit::Db;
use crate::in_list;
use crate::params_values;
use crate::store::{Query, ReadError, ws};
use crate::value::Row;

/// What can be set on an agent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Config {
    /// Whether changes wake it automatically.
    pub automation: Automation,
    /// Whether a person created it explicitly.
    pub by_name: bool,
    /// Whether a change to a linked task wakes it at once.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub wake_on_linked: bool,
    /// The model it asks; `None` means that of its template, else the workspace default.
    pub model: Option<String>,
    /// The template whose active version it follows; `None` means the stock default.
    pub template_id: Option<TemplateId>,
}

/// An agent: identity and configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Agent {
    pub id: AgentId,
    /// The same as `id`: every entity names its agent.
    pub agent_id: AgentId,
    /// The name of a newer version is kept.
    pub kind: Listed<AgentKind>,
    pub display_name: String,
    /// Where it is in its life.
    pub lifecycle: Lifecycle,
    /// Why it is dormant.
    #[serde(default)]
    pub dormant_reason: Option<DormantReason>,
    /// The name of a newer version is kept.
    pub mode: Listed<AgentMode>,
    /// Categories its tools may touch; empty means uncategorised tasks only.
    pub allowed_category_ids: Vec<CategoryId>,
    pub current_state_id: StateId,
    /// What can be set.
    #[serde(default)]
    pub config: Config,
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// When it was soft-deleted.
    #[serde(default)]
    pub deleted_at: Option<Timestamp>,
    #[serde(default)]
    pub destroyed_at: Option<Timestamp>,
}

impl Entity for Agent {
    const KIND: &'static str = "agent";
    fn columns(&self) -> Columns {
        let times = [self.created_at, self.updated_at];
        let columns = Columns::new(&self.id, &self.id, Self::KIND, times, self.deleted_at);
        // A column, so that the agents of a template are counted without reading their documents.
        Columns { subtype: self.config.template_id.as_ref().map(ToString::to_string), ..columns }
    }
}

/// What an agent works on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Slots {
    /// The task it watches.
    pub active_task_id: Option<TaskId>,
}

/// The durable state of an agent: everything a run needs to resume after a kill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct State {
    pub id: StateId,
    pub agent_id: AgentId,
    /// Rises with each completed run.
    pub revision: i64,
    /// What it works on.
    pub slots: Slots,
    /// When the agent was created.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// When the last run completed.
    #[serde(default)]
    pub last_wake_at: Option<Timestamp>,
    /// When the next wake is due after a failure.
    #[serde(default)]
    pub next_wake_at: Option<Timestamp>,
    /// Automatic wakes are held back until this time.
    #[serde(default)]
    pub sleep_until: Option<Timestamp>,
    /// The last message of the last completed run.
    #[serde(default)]
    pub recent_head_message_id: Option<MessageId>,
    /// The last summary of its log.
    #[serde(default)]
    pub latest_summary_message_id: Option<MessageId>,
    /// Failed runs in a row.
    #[serde(default)]
    pub consecutive_failure_count: i64,
    /// Journal positions the last completed run had seen, keyed by database.
    #[serde(default)]
    pub processed_counter_by_host: BTreeMap<String, i64>,
    /// User messages up to this position of the agent store have been taken in by a run, or were
    /// withdrawn by cancelling a wake. `None` in a state written by an earlier version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heard_upto: Option<i64>,
    /// When it was soft-deleted.
    #[serde(default)]
    pub deleted_at: Option<Timestamp>,
}

impl Entity for State {
    const KIND: &'static str = "agentState";
    fn columns(&self) -> Columns {
        Columns::new(
            &self.id,
            &self.agent_id,
            Self::KIND,
            [self.created_at, self.updated_at],
            self.deleted_at,
        )
    }
}

/// The agents that watch a task as their own, newest link first, including destroyed ones.
pub fn of_task(workspace: WorkspaceId, task: &TaskId) -> Query<Stored<Agent>> {
    Query {
        db: Db::Agent,
        sql: "SELECT e.id, e.agent_id, e.type, e.subtype, e.thread_id, e.task_id, e.created_at,
                e.updated_at, e.deleted_at, e.serialized, e.clock_host, e.clock_counter
              FROM agent_links l JOIN agent_entities e ON e.ws = l.ws AND e.id = l.from_id
              WHERE l.ws = ?1 AND l.to_id = ?2 AND l.type = 'agent_task' AND l.deleted_at IS NULL
              ORDER BY l.created_at DESC, l.id",
        params: params_values![ws(workspace), task.to_string()],
        decode: entity::decode::<Agent>,
    }
}

/// The agents of at most a page of tasks, including destroyed ones.
pub fn of_tasks(workspace: WorkspaceId, tasks: &[TaskId]) -> Query<Stored<Agent>> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT e.id, e.agent_id, e.type, e.subtype, e.thread_id, e.task_id, e.created_at,
               e.updated_at, e.deleted_at, e.serialized, e.clock_host, e.clock_counter
             FROM agent_links l JOIN agent_entities e ON e.ws = l.ws AND e.id = l.from_id
             WHERE l.ws = ?1 AND l.type = 'agent_task' AND l.deleted_at IS NULL AND l.to_id IN (",
            ")",
        )
    });
    let params = in_list::params(workspace, tasks);
    Query { db: Db::Agent, sql: &SQL, params, decode: entity::decode::<Agent> }
}

/// Where an agent is in a list of agents, newest first; its document is not read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct AgentPlace {
    pub created_at: Timestamp,
    pub id: AgentId,
    /// Whether it is not destroyed. Documents are matched as text, as in [`count`].
    pub is_live: bool,
}

fn place(row: &Row) -> Result<AgentPlace, ReadError> {
    let column = |e| ReadError::column(Db::Agent, "agent", &e);
    Ok(AgentPlace {
        id: row.text(0).map_err(column)?.parse().map_err(|e| bad_id(row, &e))?,
        created_at: row.time(1).map_err(column)?,
        is_live: row.int(2).map_err(column)? == 1,
    })
}

fn bad_id(row: &Row, error: &IdError) -> ReadError {
    let id = row.text(0).unwrap_or("row").to_owned();
    ReadError::Corrupt { db: "agent", noun: "agent", id, detail: error.to_string() }
}

/// The places of the agents of at most a page of tasks, including destroyed ones.
pub fn places_of_tasks(workspace: WorkspaceId, tasks: &[TaskId]) -> Query<AgentPlace> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT e.id, e.created_at,
               CASE WHEN e.serialized LIKE '%\"lifecycle\":\"destroyed\"%' THEN 0 ELSE 1 END
             FROM agent_links l JOIN agent_entities e ON e.ws = l.ws AND e.id = l.from_id
             WHERE l.ws = ?1 AND l.type = 'agent_task' AND l.deleted_at IS NULL AND l.to_id IN (",
            ")",
        )
    });
    let params = in_list::params(workspace, tasks);
    Query { db: Db::Agent, sql: &SQL, params, decode: place }
}

/// The agents that may have a name, in lower case, after a cursor, newest first: the live ones, or those that
/// are destroyed. The engines do not agree about case and accents, so whether it is the name is for the caller
/// to check. Documents are matched as text, as in [`count`].
pub fn page_of_name(
    workspace: WorkspaceId,
    name: &str,
    is_live: bool,
    (at, id): (Timestamp, &str),
    limit: i64,
) -> Query<Line<Agent>> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, agent_id, type, subtype, thread_id, task_id, created_at, updated_at,
                deleted_at, serialized, clock_host, clock_counter FROM agent_entities
              WHERE ws = ?1 AND type = 'agent' AND deleted_at IS NULL
                AND LOWER(serialized) LIKE ?2 ESCAPE '\\'
                AND CASE WHEN serialized LIKE '%\"lifecycle\":\"destroyed\"%' THEN 0 ELSE 1 END = ?3
                AND created_at <= ?4 AND (created_at < ?4 OR id < ?5)
              ORDER BY created_at DESC, id DESC LIMIT ?6",
        params: params_values![ws(workspace), named(name), is_live, at, id, limit],
        decode: entity::line::<Agent>,
    }
}

/// A pattern of the documents of agents that may have a name. It leaves open what case and the escapes of
/// JSON may change: two letters beyond ASCII have `k` and `i` as their lower case.
fn named(name: &str) -> String {
    let mut pattern = "%\"displayname\":\"".to_owned();
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        let is_dotted = letter == 'i' && letters.peek().is_some_and(|next| !next.is_ascii());
        match letter {
            'k' | '%' | '_' => pattern.push('_'),
            '"' | '\\' => pattern.push('%'),
            ' '..='~' if !is_dotted => pattern.push(letter),
            _ => pattern.push('%'),
        }
    }
    pattern + "\"%"
}

/// The places of some agents.
pub fn places(workspace: WorkspaceId, agents: &[&AgentId]) -> Query<AgentPlace> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT id, created_at,
               CASE WHEN serialized LIKE '%\"lifecycle\":\"destroyed\"%' THEN 0 ELSE 1 END
             FROM agent_entities WHERE ws = ?1 AND type = 'agent' AND id IN (",
            ")",
        )
    });
    Query { db: Db::Agent, sql: &SQL, params: in_list::params(workspace, agents), decode: place }
}

/// What decides which model an agent asks; its document is not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelChoice {
    pub id: AgentId,
    /// The template it follows. A row that names it otherwise is an error of its own.
    pub template: Result<Option<TemplateId>, IdError>,
    /// Whether it names a model itself.
    pub has_own: bool,
}

/// The choices of some agents. Documents are matched as text, as in [`count`].
pub fn model_choices(workspace: WorkspaceId, agents: &[AgentId]) -> Query<ModelChoice> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT id, subtype, CASE WHEN serialized LIKE '%\"model\":\"%' THEN 1 ELSE 0 END
             FROM agent_entities WHERE ws = ?1 AND type = 'agent' AND id IN (",
            ")",
        )
    });
    Query {
        db: Db::Agent,
        sql: &SQL,
        params: in_list::params(workspace, agents),
        decode: |row| {
            let column = |e| ReadError::column(Db::Agent, "agent", &e);
            Ok(ModelChoice {
                id: row.text(0).map_err(column)?.parse().map_err(|e| bad_id(row, &e))?,
                template: row.opt_text(1).map_err(column)?.map(str::parse).transpose(),
                has_own: row.int(2).map_err(column)? == 1,
            })
        },
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AgentCount {
    /// Those that are not destroyed.
    pub live: usize,
    /// Those that are dormant because their runs failed.
    pub failed: usize,
}

/// Counts the agents of a workspace. Their documents are matched as text, which both engines can:
/// within a JSON string a quote is escaped, so no name looks like a field.
pub fn count(workspace: WorkspaceId) -> Query<AgentCount> {
    Query {
        db: Db::Agent,
        sql: "SELECT
                COUNT(CASE WHEN serialized NOT LIKE '%\"lifecycle\":\"destroyed\"%' THEN 1 END),
                COUNT(CASE WHEN serialized LIKE '%\"dormantReason\":\"failures\"%' THEN 1 END)
              FROM agent_entities WHERE ws = ?1 AND type = 'agent' AND deleted_at IS NULL",
        params: params_values![ws(workspace)],
        decode: |row| {
            let count = |n| row.int(n).map(|n| usize::try_from(n).unwrap_or_default());
            let column = |e| ReadError::column(Db::Agent, "agent", &e);
            Ok(AgentCount { live: count(0).map_err(column)?, failed: count(1).map_err(column)? })
        },
    }
}

/// The agents of a lifecycle after a cursor, newest first. Their documents are matched as text, as in
/// [`count`].
pub fn page_of_lifecycle(
    workspace: WorkspaceId,
    lifecycle: Lifecycle,
    (at, id): (Timestamp, &str),
    limit: i64,
) -> Query<Line<Agent>> {
    let field = format!("%\"lifecycle\":\"{}\"%", lifecycle.name());
    Query {
        db: Db::Agent,
        sql: "SELECT id, agent_id, type, subtype, thread_id, task_id, created_at, updated_at,
                deleted_at, serialized, clock_host, clock_counter FROM agent_entities
              WHERE ws = ?1 AND type = 'agent' AND deleted_at IS NULL AND serialized LIKE ?2
                AND created_at <= ?3 AND (created_at < ?3 OR id < ?4)
              ORDER BY created_at DESC, id DESC LIMIT ?5",
        params: params_values![ws(workspace), field.as_str(), at, id, limit],
        decode: entity::line::<Agent>,
    }
}

/// How many agents that are not destroyed follow each template. Those without one of their own count
/// under `None`.
pub fn count_by_template(workspace: WorkspaceId) -> Query<(Option<TemplateId>, usize)> {
    Query {
        db: Db::Agent,
        sql: "SELECT subtype, COUNT(*) FROM agent_entities
              WHERE ws = ?1 AND type = 'agent' AND deleted_at IS NULL
                AND serialized NOT LIKE '%\"lifecycle\":\"destroyed\"%'
              GROUP BY subtype",
        params: params_values![ws(workspace)],
        decode: |row| {
            let column = |e| ReadError::column(Db::Agent, "agent", &e);
            let template = row.opt_text(0).map_err(column)?;
            let count = row.int(1).map_err(column)?;
            // The name of a template that a newer version writes otherwise is that of none here.
            let template = template.and_then(|id| id.parse().ok());
            Ok((template, usize::try_from(count).unwrap_or_default()))
        },
    }
}

/// The agents that are dormant because their runs failed.
pub fn failed(workspace: WorkspaceId) -> Query<Stored<Agent>> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, agent_id, type, subtype, thread_id, task_id, created_at, updated_at,
                deleted_at, serialized, clock_host, clock_counter
              FROM agent_entities
              WHERE ws = ?1 AND type = 'agent' AND deleted_at IS NULL
                AND serialized LIKE '%\"dormantReason\":\"failures\"%'
              ORDER BY created_at DESC, id DESC",
        params: params_values![ws(workspace)],
        decode: entity::decode::<Agent>,
    }
}

/// The states of some agents.
pub fn states(workspace: WorkspaceId, agents: &[AgentId]) -> Query<Stored<State>> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT id, agent_id, type, subtype, thread_id, task_id, created_at, updated_at,
               deleted_at, serialized, clock_host, clock_counter
             FROM agent_entities
             WHERE ws = ?1 AND type = 'agentState' AND deleted_at IS NULL AND agent_id IN (",
            ")",
        )
    });
    let params = in_list::params(workspace, agents);
    Query { db: Db::Agent, sql: &SQL, params, decode: entity::decode::<State> }
}

/// The id of the subscription by which an agent watches its own task. It is derived from the agent
/// id, so computing a run key needs no extra read.
pub fn own_subscription(agent: &AgentId) -> SubscriptionId {
    let rest = agent.as_str().strip_prefix("ag-").expect("an agent id begins with its prefix");
    format!("su-{rest}").parse().expect("the rest of an id is an id")
}
