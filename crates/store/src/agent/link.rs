//! Links between entities of the agent store, and to the journal.

use std::fmt::Display;

use dormouse_types::agent::AgentLinkKind;
use dormouse_types::closed_list::Listed;
use dormouse_types::{AgentId, LinkId, Timestamp, WorkspaceId};
use serde::{Deserialize, Serialize};

use crate::commit::{Db, Op, Refusal};
use crate::store::{Query, ReadError, ws};
use crate::value::Param;
use crate::{params, params_values};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Link {
    pub id: LinkId,
    pub from_id: String,
    /// The entity it leaves.
    pub to_id: String,
    /// An unknown kind is kept.
    #[serde(rename = "type")]
    pub kind: Listed<AgentLinkKind>,
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// When it was soft-deleted.
    #[serde(default)]
    pub deleted_at: Option<Timestamp>,
}

impl Link {
    /// A new link.
    pub fn new(
        id: LinkId,
        from: impl Display,
        to: impl Display,
        kind: AgentLinkKind,
        at: Timestamp,
    ) -> Self {
        Self {
            id,
            from_id: from.to_string(),
            to_id: to.to_string(),
            kind: kind.into(),
            created_at: at,
            updated_at: at,
            deleted_at: None,
        }
    }
}

/// Adds a link; a live link of the same ends and type stays as it is.
pub fn insert(workspace: WorkspaceId, link: &Link) -> Op {
    let text = serde_json::to_string(link).expect("a link is plain data");
    Op {
        sql: "INSERT INTO agent_links (ws, id, from_id, to_id, type, created_at, updated_at,
                deleted_at, serialized, clock_host, clock_counter)
              VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, NULL, ?8, ?9, ?10)
              ON CONFLICT (ws, from_id, type, to_id) WHERE deleted_at IS NULL DO NOTHING",
        params: params![
            ws(workspace),
            link.id.to_string(),
            link.from_id.as_str(),
            link.to_id.as_str(),
            link.kind.name(),
            link.created_at,
            link.updated_at,
            text,
            Param::Host,
            Param::Seq,
        ],
        rows: 0..=1,
        refusal: Refusal::Exists,
    }
}

/// Soft-deletes the live links of one type that leave an entity.
pub fn delete_from(workspace: WorkspaceId, from: &str, kind: AgentLinkKind, at: Timestamp) -> Op {
    Op::any(
        "UPDATE agent_links SET deleted_at = ?4, updated_at = ?4, clock_host = ?5, clock_counter = ?6
         WHERE ws = ?1 AND from_id = ?2 AND type = ?3 AND deleted_at IS NULL",
        params![ws(workspace), from, kind.name(), at, Param::Host, Param::Seq],
    )
}

fn decode(row: &crate::value::Row) -> Result<Link, ReadError> {
    let corrupt = |detail: String| ReadError::Corrupt {
        db: "agent",
        noun: "link",
        id: row.text(0).unwrap_or("row").to_owned(),
        detail,
    };
    let text = row.text(1).map_err(|e| corrupt(e.to_string()))?;
    let mut link: Link = serde_json::from_str(text).map_err(|e| corrupt(e.to_string()))?;
    link.deleted_at = row.opt_time(2).map_err(|e| corrupt(e.to_string()))?;
    Ok(link)
}

/// Live links that leave an entity.
pub fn from(workspace: WorkspaceId, id: &str) -> Query<Link> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, serialized, deleted_at FROM agent_links
              WHERE ws = ?1 AND from_id = ?2 AND deleted_at IS NULL ORDER BY created_at DESC, id",
        params: params_values![ws(workspace), id],
        decode,
    }
}

/// Live links that reach an entity.
pub fn to(workspace: WorkspaceId, id: &str) -> Query<Link> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, serialized, deleted_at FROM agent_links
              WHERE ws = ?1 AND to_id = ?2 AND deleted_at IS NULL ORDER BY created_at DESC, id",
        params: params_values![ws(workspace), id],
        decode,
    }
}

/// Live links from any entity of an agent, the agent included, after a cursor, newest first; only
/// those of one kind if it is given.
///
/// The first page starts after `(the largest time, "")`.
pub fn page_of_agent(
    workspace: WorkspaceId,
    agent: &AgentId,
    kind: Option<AgentLinkKind>,
    (at, id): (Timestamp, &str),
    limit: i64,
) -> Query<Link> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, serialized, deleted_at FROM agent_links
              WHERE ws = ?1 AND deleted_at IS NULL AND from_id IN
                  (SELECT e.id FROM agent_entities e WHERE e.ws = ?1 AND e.agent_id = ?2)
                AND (?3 = '' OR type = ?3)
                AND created_at <= ?4 AND (created_at < ?4 OR id > ?5)
              ORDER BY created_at DESC, id LIMIT ?6",
        params: params_values![
            ws(workspace),
            agent.to_string(),
            kind.map_or("", AgentLinkKind::name),
            at,
            id,
            limit
        ],
        decode,
    }
}
