//! Sessions in which a person and a model evolve a template: what was said, proposed and decided, and what
//! the model noted.
//!
//! Sessions and notes belong to their template, messages to their session. A session says itself whether
//! it is active; its id is made of its template and its number, so that two that start at once are one.
//! Every step of a session replaces its row as it was read, so its messages have an order.

use dormouse_types::agent::RunStatus;
use dormouse_types::closed_list::Listed;
use dormouse_types::evolution::{EvolutionNoteKind, EvolutionRole, EvolutionStatus, ToolVerdicts};
use dormouse_types::spend::Unit;
use dormouse_types::{
    EvolutionMessageId, EvolutionNoteId, EvolutionSessionId, HolderId, Id as _, RunKey, TemplateId,
    Timestamp, WorkspaceId, hash,
};
use serde::{Deserialize, Serialize};

use super::agent_entity::Agent;
use super::entity::{self, Columns, Entity, Stored};
use super::source::Source;
use crate::commit::Db;
use crate::params_values;
use crate::store::{Query, ReadError, ws};

/// Directives that a model proposed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Proposal {
    /// Its number in the session, from 1.
    pub n: i64,
    /// A complete text.
    pub general_directive: String,
    /// A complete text.
    pub report_directive: String,
    /// Why.
    pub rationale: String,
    /// The version of the template that it was made for.
    pub base_version: i64,
    /// The run whose model made it.
    pub run: RunKey,
    pub created_at: Timestamp,
}

/// A session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    pub id: EvolutionSessionId,
    /// Its template.
    pub agent_id: TemplateId,
    /// Its number among those of its template, from 1.
    pub n: i64,
    /// The name of a newer version is kept.
    pub status: Listed<EvolutionStatus>,
    /// The active version of the template when it began.
    pub base_version: i64,
    /// How many messages it has.
    pub n_messages: i64,
    /// How many answers of the model were requested, the first when the session began.
    #[serde(rename = "asked")]
    pub n_requested: i64,
    /// How many of these have been answered, or never will be.
    pub answered: i64,
    /// How many proposals were made.
    pub n_proposals: i64,
    /// The proposal that waits for the person.
    #[serde(default)]
    pub proposal: Option<Proposal>,
    /// The version that came of it.
    #[serde(default)]
    pub new_version: Option<i64>,
    /// Who began it.
    pub started_by: String,
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// When it was completed or abandoned.
    #[serde(default)]
    pub ended_at: Option<Timestamp>,
}

impl Session {
    /// The id of a session of a template, by its number.
    pub fn id_of(template: &TemplateId, n: i64) -> EvolutionSessionId {
        let digest = hash::joined(&[template.as_str(), "evolution", &n.to_string()]).0;
        let id = format!("{}-{}", EvolutionSessionId::PREFIX, &digest[..26]);
        id.parse().expect("a digest has more than 26 letters and digits")
    }

    /// Whether it goes on.
    pub fn is_active(&self) -> bool {
        self.status == EvolutionStatus::Active
    }
}

impl Entity for Session {
    const KIND: &'static str = "evolutionSession";
    fn columns(&self) -> Columns {
        let times = [self.created_at, self.updated_at];
        let columns = Columns::new(&self.id, &self.agent_id, Self::KIND, times, None);
        Columns { subtype: Some(self.status.name().to_owned()), ..columns }
    }
}

/// A line of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    pub id: EvolutionMessageId,
    /// Its session.
    #[serde(rename = "agentId")]
    pub session: EvolutionSessionId,
    /// Its place in the session, from 1.
    pub n: i64,
    pub role: Listed<EvolutionRole>,
    /// What was said; the rationale of a proposal, the reason of a verdict.
    pub text: String,
    /// What was proposed.
    #[serde(default)]
    pub proposal: Option<Proposal>,
    /// The number of the proposal that a verdict is about.
    #[serde(default)]
    pub verdict_on: Option<i64>,
    /// The run that wrote it.
    #[serde(default)]
    pub run: Option<RunKey>,
    pub created_at: Timestamp,
}

impl Message {
    /// What it was made of.
    pub fn sources(&self) -> Vec<Source> {
        self.run.iter().map(|run| Source::Run(run.clone())).collect()
    }
}

impl Entity for Message {
    const KIND: &'static str = "evolutionMessage";
    fn columns(&self) -> Columns {
        let times = [self.created_at, self.created_at];
        let columns = Columns::new(&self.id, &self.session, Self::KIND, times, None);
        Columns { subtype: Some(self.role.name().to_owned()), ..columns }
    }
}

/// What a model noted about a template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Note {
    pub id: EvolutionNoteId,
    /// Its template.
    pub agent_id: TemplateId,
    pub kind: Listed<EvolutionNoteKind>,
    pub content: String,
    /// The session in which it was noted.
    pub session: EvolutionSessionId,
    /// The run that noted it.
    pub run: RunKey,
    pub created_at: Timestamp,
}

impl Entity for Note {
    const KIND: &'static str = "evolutionNote";
    fn columns(&self) -> Columns {
        let times = [self.created_at, self.created_at];
        let columns = Columns::new(&self.id, &self.agent_id, Self::KIND, times, None);
        Columns { subtype: Some(self.kind.name().to_owned()), ..columns }
    }
}

/// The session of a template that goes on.
pub fn active(workspace: WorkspaceId, template: &TemplateId) -> Query<Stored<Session>> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, agent_id, type, subtype, thread_id, task_id, created_at, updated_at, deleted_at,
                serialized, clock_host, clock_counter FROM agent_entities
              WHERE ws = ?1 AND agent_id = ?2 AND type = 'evolutionSession'
                AND subtype = 'active' AND deleted_at IS NULL
              ORDER BY +created_at DESC, id DESC LIMIT 1",
        params: params_values![ws(workspace), template.to_string()],
        decode: entity::decode::<Session>,
    }
}

/// The agents that follow a template and are not destroyed, newest first; with `or_none` also those that
/// have none of their own.
pub fn followers(
    workspace: WorkspaceId,
    template: &TemplateId,
    or_none: bool,
    limit: i64,
) -> Query<Stored<Agent>> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, agent_id, type, subtype, thread_id, task_id, created_at, updated_at, deleted_at,
                serialized, clock_host, clock_counter FROM agent_entities
              WHERE ws = ?1 AND type = 'agent' AND deleted_at IS NULL
                AND COALESCE(subtype, ?3) = ?2
                AND serialized NOT LIKE '%\"lifecycle\":\"destroyed\"%'
              ORDER BY created_at DESC, id DESC LIMIT ?4",
        params: params_values![ws(workspace), template.to_string(), stand_in(template, or_none), limit],
        decode: entity::decode::<Agent>,
    }
}

/// What counts as the template of an agent that has none of its own.
fn stand_in(template: &TemplateId, or_none: bool) -> String {
    if or_none { template.to_string() } else { String::new() }
}

/// What people decided since a time about the proposals of the agents of a template, per tool.
pub fn verdicts(
    workspace: WorkspaceId,
    template: &TemplateId,
    or_none: bool,
    since: Timestamp,
) -> Query<ToolVerdicts> {
    Query {
        db: Db::Agent,
        sql: "SELECT i.tool, COUNT(CASE WHEN i.state = 'confirmed' THEN 1 END),
                COUNT(CASE WHEN i.state = 'rejected' THEN 1 END)
              FROM change_items i JOIN agent_entities a
                ON a.ws = i.ws AND a.id = i.agent_id AND a.type = 'agent'
              WHERE i.ws = ?1 AND i.decided_at IS NOT NULL AND i.decided_at >= ?4
                AND i.state IN ('confirmed', 'rejected') AND COALESCE(a.subtype, ?3) = ?2
              GROUP BY i.tool ORDER BY i.tool",
        params: params_values![
            ws(workspace),
            template.to_string(),
            stand_in(template, or_none),
            since
        ],
        decode: |row| {
            let column = |e| ReadError::column(Db::Agent, "change item", &e);
            let count = |n| row.int(n).map(|n| u64::try_from(n).unwrap_or(0)).map_err(column);
            let tool = row.text(0).map_err(column)?.to_owned();
            Ok(ToolVerdicts { tool, confirmed: count(1)?, rejected: count(2)? })
        },
    }
}

/// How the wakes of the agents of a template went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WakeCount {
    pub status: Listed<RunStatus>,
    pub n: i64,
}

/// How the wakes of the agents of a template since a time ended. The agents come first: SQLite takes the
/// order of a `CROSS JOIN` as it is, and would otherwise read all runs of the workspace.
pub fn wakes(
    workspace: WorkspaceId,
    template: &TemplateId,
    or_none: bool,
    since: Timestamp,
) -> Query<WakeCount> {
    Query {
        db: Db::Agent,
        sql: "SELECT r.status, COUNT(*)
              FROM agent_entities a CROSS JOIN wake_run_log r
              WHERE a.ws = ?1 AND a.type = 'agent' AND COALESCE(a.subtype, ?3) = ?2
                AND r.ws = a.ws AND r.agent_id = a.id AND r.created_at >= ?4
              GROUP BY r.status ORDER BY r.status",
        params: params_values![
            ws(workspace),
            template.to_string(),
            stand_in(template, or_none),
            since
        ],
        decode: |row| {
            let column = |e| ReadError::column(Db::Agent, "wake run", &e);
            let status = Listed::named(row.text(0).map_err(column)?);
            Ok(WakeCount { status, n: row.int(1).map_err(column)? })
        },
    }
}

/// What calls of models cost in one unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cost {
    pub unit: Listed<Unit>,
    pub calls: i64,
    /// A call without a figure counts as its reservation.
    pub cost: i64,
}

/// What the calls of the agents of a template cost since a day.
pub fn cost(
    workspace: WorkspaceId,
    template: &TemplateId,
    or_none: bool,
    since: jiff::civil::Date,
) -> Query<Cost> {
    Query {
        db: Db::Agent,
        sql: "SELECT c.unit, COUNT(*), CAST(SUM(COALESCE(c.cost, c.reserved)) AS BIGINT)
              FROM model_calls c JOIN agent_entities a
                ON a.ws = c.ws AND a.id = c.holder AND a.type = 'agent'
              WHERE c.ws = ?1 AND c.day >= ?4 AND COALESCE(a.subtype, ?3) = ?2
              GROUP BY c.unit ORDER BY c.unit",
        params: params_values![
            ws(workspace),
            template.to_string(),
            stand_in(template, or_none),
            since.to_string()
        ],
        decode: |row| {
            let column = |e| ReadError::column(Db::Agent, "model call", &e);
            Ok(Cost {
                unit: Listed::named(row.text(0).map_err(column)?),
                calls: row.int(1).map_err(column)?,
                cost: row.int(2).map_err(column)?,
            })
        },
    }
}

/// All messages of a session, newest first.
pub fn messages(workspace: WorkspaceId, session: &EvolutionSessionId) -> Query<Stored<Message>> {
    let most = i64::try_from(dormouse_types::limits::EVOLUTION_MESSAGES.max).unwrap_or(i64::MAX);
    entity::of_agent::<Message>(workspace, HolderId::from(session), most * 2)
}
