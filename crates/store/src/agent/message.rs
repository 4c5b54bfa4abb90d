//! Messages: the immutable trail of an agent, with content in payloads.

use std::collections::BTreeMap;

use dormouse_types::{
    AgentId, Digest, LinkId, MessageId, PayloadId, ThreadId, Timestamp, WorkspaceId,
};
use serde::{Deserialize, Serialize};

use super::entity::{self, Columns, Entity, Stored};
use super::link;
use crate::commit::{Db, Op};
use crate::store::{Query, ws};
use crate::{params_values, text};

/// The kinds of messages this version writes; others are shown by their name.
pub mod kind {
    /// A private note.
    pub const OBSERVATION: &str = "observation";
    /// A person's words.
    pub const USER: &str = "user";
    /// What the model said in a turn.
    pub const THOUGHT: &str = "thought";
    /// A tool call, or the applying of a decision.
    pub const ACTION: &str = "action";
    /// What came of it.
    pub const TOOL_RESULT: &str = "toolResult";
}

/// A message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// Its id.
    pub id: MessageId,
    /// The agent.
    pub agent_id: AgentId,
    /// One run, or the thread of decisions.
    pub thread_id: ThreadId,
    /// See [`kind`]; an unknown kind is kept.
    pub kind: String,
    /// When it was written.
    pub created_at: Timestamp,
    /// The message before it in the thread.
    pub prev_message_id: Option<MessageId>,
    /// Its payload.
    pub content_entry_id: Option<PayloadId>,
    /// What it answers: a wake reason, a change item.
    pub trigger_source_id: Option<String>,
    /// Of a summary: the first message it stands for.
    #[serde(default)]
    pub summary_start_message_id: Option<MessageId>,
    /// Of a summary: the last message it stands for.
    #[serde(default)]
    pub summary_end_message_id: Option<MessageId>,
    /// Of a summary: how often it was folded.
    #[serde(default)]
    pub summary_depth: i64,
    /// Units: tokens, estimated as bytes / 4.
    #[serde(default)]
    pub tokens_approx: i64,
    /// Run key, turn, tool, operation id.
    pub metadata: Metadata,
    /// When it was soft-deleted.
    #[serde(default)]
    pub deleted_at: Option<Timestamp>,
}

/// What a message belongs to.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Metadata {
    /// The run.
    pub run_key: Option<String>,
    /// Of a turn, from 1.
    pub turn: Option<u32>,
    /// The place in the thread, from 1.
    pub n: i64,
    /// Of a call or a decision.
    pub tool_name: Option<String>,
    /// Of a call or a decision.
    pub operation_id: Option<String>,
    /// Of a result: whether it was refused.
    pub refused: Option<bool>,
    /// Of an observation.
    pub priority: Option<String>,
}

impl Entity for Message {
    const KIND: &'static str = "agentMessage";
    fn columns(&self) -> Columns {
        Columns {
            id: self.id.to_string(),
            agent: self.agent_id.clone(),
            kind: Self::KIND.into(),
            subtype: Some(self.kind.clone()),
            thread: Some(self.thread_id.to_string()),
            task: None,
            created_at: self.created_at,
            updated_at: self.created_at,
            deleted_at: self.deleted_at,
            clock: BTreeMap::new(),
        }
    }
}

/// Content of a message, as spans of stored texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Payload {
    /// Its id.
    pub id: PayloadId,
    /// The agent.
    pub agent_id: AgentId,
    /// When it was written.
    pub created_at: Timestamp,
    /// `application/json` unless told.
    pub content_type: String,
    /// The texts it consists of, in order.
    pub spans: Vec<Digest>,
    /// When it was soft-deleted.
    #[serde(default)]
    pub deleted_at: Option<Timestamp>,
}

impl Entity for Payload {
    const KIND: &'static str = "agentMessagePayload";
    fn columns(&self) -> Columns {
        Columns {
            id: self.id.to_string(),
            agent: self.agent_id.clone(),
            kind: Self::KIND.into(),
            subtype: None,
            thread: None,
            task: None,
            created_at: self.created_at,
            updated_at: self.created_at,
            deleted_at: self.deleted_at,
            clock: BTreeMap::new(),
        }
    }
}

/// The ids a message needs beside its own.
#[derive(Debug, Clone)]
pub struct Ids {
    /// Of the link to the message before it.
    pub prev_link: LinkId,
    /// Of the link to its payload.
    pub payload_link: LinkId,
}

/// Adds a message with its payload and links.
pub fn insert(
    workspace: WorkspaceId,
    message: &Message,
    content_type: &str,
    content: &str,
    ids: Ids,
) -> Vec<Op> {
    let mut ops = Vec::new();
    if let Some(payload) = &message.content_entry_id {
        let (digest, put) = text::put(workspace, content);
        ops.push(put);
        ops.push(entity::insert(
            workspace,
            &Payload {
                id: payload.clone(),
                agent_id: message.agent_id.clone(),
                created_at: message.created_at,
                content_type: content_type.to_owned(),
                spans: vec![digest],
                deleted_at: None,
            },
        ));
    }
    ops.push(entity::insert(workspace, message));
    let at = message.created_at;
    if let Some(payload) = &message.content_entry_id {
        let link =
            link::Link::new(ids.payload_link, &message.id, payload, link::MESSAGE_PAYLOAD, at);
        ops.push(link::insert(workspace, &link));
    }
    if let Some(prev) = &message.prev_message_id {
        let link = link::Link::new(ids.prev_link, &message.id, prev, link::MESSAGE_PREV, at);
        ops.push(link::insert(workspace, &link));
    }
    ops
}

/// Messages of a thread, oldest first.
pub fn of_thread(workspace: WorkspaceId, thread: &ThreadId, limit: i64) -> Query<Stored<Message>> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, agent_id, type, subtype, thread_id, task_id, created_at, updated_at,
                deleted_at, serialized, clock_host, clock_counter
              FROM agent_entities
              WHERE ws = ?1 AND thread_id = ?2 AND type = 'agentMessage'
              ORDER BY clock_counter, created_at, id LIMIT ?3",
        params: params_values![ws(workspace), thread.to_string(), limit],
        decode: entity::decode::<Message>,
    }
}

/// Messages of one kind of an agent, oldest first.
pub fn of_kind(workspace: WorkspaceId, agent: &AgentId, kind: &str) -> Query<Stored<Message>> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, agent_id, type, subtype, thread_id, task_id, created_at, updated_at,
                deleted_at, serialized, clock_host, clock_counter
              FROM agent_entities
              WHERE ws = ?1 AND agent_id = ?2 AND type = 'agentMessage' AND subtype = ?3
              ORDER BY created_at, id",
        params: params_values![ws(workspace), agent.to_string(), kind],
        decode: entity::decode::<Message>,
    }
}
