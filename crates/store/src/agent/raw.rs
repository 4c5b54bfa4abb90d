//! Entity rows exactly as stored, for checking a store: unknown kinds are included.

use dormouse_types::WorkspaceId;
use serde::de::IgnoredAny;

use super::agent_entity::{Agent, State};
use super::change_set::{ChangeSet, Decision};
use super::entity::Entity;
use super::message::{Message, Payload};
use super::report::{Report, ReportHead};
use crate::commit::Db;
use crate::params_values;
use crate::store::{Query, ReadError, ws};

/// A row with its document as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raw {
    pub id: String,
    /// `agent`, `agentState`, …, or a newer version's.
    pub kind: String,
    /// Its document.
    pub text: String,
}

impl Raw {
    /// Checks that this version can read the document; for an unknown kind, that it is JSON.
    pub fn check(&self) -> Result<(), ReadError> {
        let read = match self.kind.as_str() {
            Agent::KIND => serde_json::from_str::<Agent>(&self.text).map(drop),
            State::KIND => serde_json::from_str::<State>(&self.text).map(drop),
            Message::KIND => serde_json::from_str::<Message>(&self.text).map(drop),
            Payload::KIND => serde_json::from_str::<Payload>(&self.text).map(drop),
            Report::KIND => serde_json::from_str::<Report>(&self.text).map(drop),
            ReportHead::KIND => serde_json::from_str::<ReportHead>(&self.text).map(drop),
            ChangeSet::KIND => serde_json::from_str::<ChangeSet>(&self.text).map(drop),
            Decision::KIND => serde_json::from_str::<Decision>(&self.text).map(drop),
            _ => serde_json::from_str::<IgnoredAny>(&self.text).map(drop),
        };
        read.map_err(|e| ReadError::Corrupt {
            db: Db::Agent.name(),
            noun: "row",
            id: self.id.clone(),
            detail: e.to_string(),
        })
    }
}

/// Entities of every kind after an id, ordered by id.
pub fn after(workspace: WorkspaceId, id: &str, limit: i64) -> Query<Result<Raw, ReadError>> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, type, serialized FROM agent_entities
              WHERE ws = ?1 AND id > ?2 ORDER BY id LIMIT ?3",
        params: params_values![ws(workspace), id, limit],
        decode: |row| {
            let column = |e| ReadError::column(Db::Agent, "entity", &e);
            let raw = || {
                Ok(Raw {
                    id: row.text(0).map_err(column)?.to_owned(),
                    kind: row.text(1).map_err(column)?.to_owned(),
                    text: row.text(2).map_err(column)?.to_owned(),
                })
            };
            Ok(raw())
        },
    }
}
