//! Sessions in which a person and a model evolve a template: what was said, proposed and decided, and what
//! the model noted.
//!
//! Sessions and notes belong to their template, messages to their session. A session says itself whether
//! it is active; its id is made of its template and its number, so that two that start at once are one.
//! Every step of a session replaces its row as it was read, so its messages have an order.

use dormouse_types::closed_list::Listed;
use dormouse_types::evolution::{EvolutionNoteKind, EvolutionRole, EvolutionStatus};
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
use crate::store::{Query, ws};

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

/// All messages of a session, newest first.
pub fn messages(workspace: WorkspaceId, session: &EvolutionSessionId) -> Query<Stored<Message>> {
    let most = i64::try_from(dormouse_types::limits::EVOLUTION_MESSAGES.max).unwrap_or(i64::MAX);
    entity::of_agent::<Message>(workspace, HolderId::from(session), most * 2)
}
