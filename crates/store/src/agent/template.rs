//! Templates of agents, and their versions: persona and directives.
//!
//! A template and its versions are entities like agents and their messages: the version names its
//! template as `agentId`. The version that is active says so itself, and only the commit that replaces
//! its template's row may change that, so a template has one active version at most.

use dormouse_types::closed_list::Listed;
use dormouse_types::template::{TemplateKind, TemplateVersionStatus};
use dormouse_types::{CategoryId, TemplateId, TemplateVersionId, Timestamp, WorkspaceId};
use serde::{Deserialize, Serialize};

use super::entity::{self, Columns, Entity, Stored};
use crate::commit::{Db, Op, Refusal};
use crate::store::{Query, ReadError, ws};
use crate::{params, params_values};

/// The shape in which versions are written now. An older one may lack the two directives, or have them
/// empty because nobody has filled them yet.
pub const SPLIT: i64 = 2;

/// The author of what comes with the program.
pub const SYSTEM: &str = "system";

/// The author of a version that came of a session about its template.
pub const EVOLUTION: &str = "evolution";

/// A template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Template {
    pub id: TemplateId,
    /// The same as `id`: every entity names its holder.
    pub agent_id: TemplateId,
    /// The name of a newer version is kept.
    pub kind: Listed<TemplateKind>,
    pub display_name: String,
    /// The categories whose new agents follow it.
    #[serde(default)]
    pub category_ids: Vec<CategoryId>,
    /// The number of its newest version; 0 in a row of an older shape, which has no number.
    #[serde(default)]
    pub newest_version: i64,
    /// Rises with each write of the template or its versions.
    #[serde(default)]
    pub revision: i64,
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// Since when it is not offered any more.
    #[serde(default)]
    pub archived_at: Option<Timestamp>,
    /// When it was soft-deleted.
    #[serde(default)]
    pub deleted_at: Option<Timestamp>,
}

impl Entity for Template {
    const KIND: &'static str = "agentTemplate";
    fn columns(&self) -> Columns {
        let times = [self.created_at, self.updated_at];
        Columns::new(&self.id, &self.id, Self::KIND, times, self.deleted_at)
    }
}

/// A version of a template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TemplateVersion {
    pub id: TemplateVersionId,
    /// Its template.
    pub agent_id: TemplateId,
    /// Its number, from 1.
    pub version: i64,
    /// The name of a newer version is kept.
    pub status: Listed<TemplateVersionStatus>,
    /// Both texts in one, for readers that know no other field.
    #[serde(default)]
    pub directives: String,
    /// How an agent works and talks. Empty means the default.
    #[serde(default)]
    pub general_directive: String,
    /// What its reports look like. Empty means the default.
    #[serde(default)]
    pub report_directive: String,
    /// Who wrote it.
    pub authored_by: String,
    pub created_at: Timestamp,
    /// The model that its agents ask.
    #[serde(default)]
    pub model_id: Option<String>,
    /// The profile that another program gave it: kept, and without effect.
    #[serde(default)]
    pub profile_id: Option<String>,
    /// The shape it is written in; see [`SPLIT`].
    #[serde(default = "oldest")]
    pub schema_version: i64,
    /// When it was soft-deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Timestamp>,
}

fn oldest() -> i64 {
    1
}

impl TemplateVersion {
    /// Whether the two directives were never filled: what counts is `directives`.
    pub fn is_legacy(&self) -> bool {
        self.schema_version < SPLIT && self.general_directive.trim().is_empty()
    }

    /// Whether it is the one in use.
    pub fn is_active(&self) -> bool {
        self.status == TemplateVersionStatus::Active
    }
}

impl Entity for TemplateVersion {
    const KIND: &'static str = "agentTemplateVersion";
    fn columns(&self) -> Columns {
        let times = [self.created_at, self.created_at];
        let columns = Columns::new(&self.id, &self.agent_id, Self::KIND, times, self.deleted_at);
        Columns { subtype: Some(self.status.name().to_owned()), ..columns }
    }
}

/// The active version of a template.
pub fn active(workspace: WorkspaceId, template: &TemplateId) -> Query<Stored<TemplateVersion>> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, agent_id, type, subtype, thread_id, task_id, created_at, updated_at, deleted_at,
                serialized, clock_host, clock_counter FROM agent_entities
              WHERE ws = ?1 AND agent_id = ?2 AND type = 'agentTemplateVersion'
                AND subtype = 'active' AND deleted_at IS NULL
              ORDER BY +created_at DESC, id DESC LIMIT 1",
        params: params_values![ws(workspace), template.to_string()],
        decode: entity::decode::<TemplateVersion>,
    }
}

/// The active versions of all templates.
pub fn active_of_all(workspace: WorkspaceId) -> Query<Stored<TemplateVersion>> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, agent_id, type, subtype, thread_id, task_id, created_at, updated_at, deleted_at,
                serialized, clock_host, clock_counter FROM agent_entities
              WHERE ws = ?1 AND type = 'agentTemplateVersion' AND subtype = 'active'
                AND deleted_at IS NULL",
        params: params_values![ws(workspace)],
        decode: entity::decode::<TemplateVersion>,
    }
}

/// The versions that were written in an older shape, and whose directives may never have been filled.
pub fn of_older_shape(workspace: WorkspaceId) -> Query<Stored<TemplateVersion>> {
    Query {
        db: Db::Agent,
        // Matched as text, which both engines can: within a JSON string a quote is escaped.
        sql: "SELECT id, agent_id, type, subtype, thread_id, task_id, created_at, updated_at, deleted_at,
                serialized, clock_host, clock_counter FROM agent_entities
              WHERE ws = ?1 AND type = 'agentTemplateVersion' AND deleted_at IS NULL
                AND serialized NOT LIKE '%\"schemaVersion\":2%'",
        params: params_values![ws(workspace)],
        decode: entity::decode::<TemplateVersion>,
    }
}

/// What rises with every write of a template or of its versions: the newest write, and how many there
/// are.
pub fn mark(workspace: WorkspaceId) -> Query<(i64, i64)> {
    Query {
        db: Db::Agent,
        sql: "SELECT COALESCE(MAX(clock_counter), 0), COUNT(*) FROM agent_entities
              WHERE ws = ?1 AND type = 'agentTemplate'",
        params: params_values![ws(workspace)],
        decode: |row| {
            let column = |e| ReadError::column(Db::Agent, Template::KIND, &e);
            Ok((row.int(0).map_err(column)?, row.int(1).map_err(column)?))
        },
    }
}

/// Guards a commit: no agent that is not destroyed, and no agent work that may still run, may follow the
/// template.
pub fn unused(workspace: WorkspaceId, template: &TemplateId) -> Op {
    Op::one(
        "UPDATE agent_entities SET id = id
         WHERE ws = ?1 AND id = ?2 AND NOT EXISTS (
           SELECT 1 FROM agent_entities a
           WHERE a.ws = ?1 AND a.type = 'agent' AND a.subtype = ?2 AND a.deleted_at IS NULL
             AND a.serialized NOT LIKE '%\"lifecycle\":\"destroyed\"%')
           AND NOT EXISTS (
           SELECT 1 FROM work_definitions w
           WHERE w.ws = ?1 AND w.template = ?2 AND w.deleted_at IS NULL AND w.state <> 'archived')",
        params![ws(workspace), template.to_string()],
        Refusal::Stale,
    )
}
