//! Messages: the immutable history of an agent, with content in payloads.

use dormouse_types::agent::{AgentLinkKind, MessageKind};
use dormouse_types::closed_list::Listed;
use dormouse_types::observation::{ObservationCategory, ObservationPriority};
use dormouse_types::port::Entropy;
use dormouse_types::{
    AgentId, Digest, HolderId, Id as _, LinkId, MessageId, PayloadId, Seq, ThreadId, Timestamp,
    WorkspaceId,
};
use serde::{Deserialize, Serialize};

use super::entity::{self, Columns, Entity, Stored};
use super::link;
use crate::commit::{Db, Op, Refusal};
use crate::store::{Query, ReadError, ws};
use crate::value::Value;
use crate::{params, params_values, text};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    pub id: MessageId,
    /// The agent, or the holder of another kind.
    #[serde(rename = "agentId")]
    pub holder: HolderId,
    /// The thread of one run, or of the decisions.
    pub thread_id: ThreadId,
    /// An unknown kind is kept.
    pub kind: Listed<MessageKind>,
    /// When it was written.
    pub created_at: Timestamp,
    /// The message before it in the thread.
    pub prev_message_id: Option<MessageId>,
    pub content_entry_id: Option<PayloadId>,
    /// What it responds to: a wake reason, a change item.
    pub trigger_source_id: Option<String>,
    /// Of a summary: the first message it covers.
    #[serde(default)]
    pub summary_start_message_id: Option<MessageId>,
    /// Of a summary: the last message it covers.
    #[serde(default)]
    pub summary_end_message_id: Option<MessageId>,
    /// Of a summary: how many times it was folded into another.
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

/// What a message refers to.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Metadata {
    pub run_key: Option<String>,
    /// Of a turn: its number, from 1.
    pub turn: Option<u32>,
    /// The place in the thread, from 1.
    pub n: i64,
    /// Of a call or a decision: its tool.
    pub tool_name: Option<String>,
    /// Of a call or a decision: its operation id.
    pub operation_id: Option<String>,
    /// Of a tool result: whether the call was refused.
    pub refused: Option<bool>,
    /// Of an observation: its weight.
    pub priority: Option<Listed<ObservationPriority>>,
    /// Of an observation: what it is about. Notes of older versions have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<Listed<ObservationCategory>>,
    /// Of a summary: the first and the last line of the log that it folds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<[i64; 2]>,
    /// Of a summary: how often the oldest of its lines were folded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<i64>,
}

impl Entity for Message {
    const KIND: &'static str = "agentMessage";
    fn columns(&self) -> Columns {
        Columns {
            subtype: Some(self.kind.name().to_owned()),
            thread: Some(self.thread_id.to_string()),
            ..Columns::new(
                &self.id,
                &self.holder,
                Self::KIND,
                [self.created_at, self.created_at],
                self.deleted_at,
            )
        }
    }
}

/// Content of a message, as spans of stored texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Payload {
    pub id: PayloadId,
    /// The agent, or the holder of another kind.
    #[serde(rename = "agentId")]
    pub holder: HolderId,
    /// When it was written.
    pub created_at: Timestamp,
    /// MIME type; default `application/json`.
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
        Columns::new(
            &self.id,
            &self.holder,
            Self::KIND,
            [self.created_at, self.created_at],
            self.deleted_at,
        )
    }
}

/// The end of a thread, where messages are appended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    pub ws: WorkspaceId,
    /// The holder whose thread it is.
    pub holder: HolderId,
    pub thread: ThreadId,
    /// The run, if the thread belongs to one.
    pub run_key: Option<String>,
    /// The first message of the thread.
    pub first: Option<MessageId>,
    /// The newest message.
    pub head: Option<MessageId>,
    /// How many messages there are.
    pub count: i64,
}

/// A message to be written.
#[derive(Debug, Clone)]
pub struct Draft<'a> {
    /// What it is.
    pub kind: MessageKind,
    /// Its content: a text, or JSON.
    pub content: String,
    /// `application/json` or `text/markdown`.
    pub content_type: &'a str,
    /// What it responds to.
    pub trigger: Option<String>,
    /// Run key and place are filled in on append.
    pub metadata: Metadata,
}

impl Chain {
    /// An empty thread.
    pub fn new(
        ws: WorkspaceId,
        holder: impl Into<HolderId>,
        thread: ThreadId,
        run_key: Option<String>,
    ) -> Self {
        let holder = holder.into();
        Self { ws, holder, thread, run_key, first: None, head: None, count: 0 }
    }

    /// Advances past a stored message of the thread.
    pub fn follow(&mut self, message: &Message) {
        self.count = self.count.max(message.metadata.n);
        self.first.get_or_insert_with(|| message.id.clone());
        self.head = Some(message.id.clone());
    }

    /// Appends a message with its payload and links.
    pub fn append(
        &mut self,
        draft: Draft<'_>,
        now: Timestamp,
        entropy: &dyn Entropy,
    ) -> (MessageId, Vec<Op>) {
        let id = MessageId::fresh(now, entropy);
        let payload = PayloadId::fresh(now, entropy);
        self.count += 1;
        let message = Message {
            id: id.clone(),
            holder: self.holder.clone(),
            thread_id: self.thread.clone(),
            kind: draft.kind.into(),
            created_at: now,
            prev_message_id: self.head.clone(),
            content_entry_id: Some(payload.clone()),
            trigger_source_id: draft.trigger,
            summary_start_message_id: None,
            summary_end_message_id: None,
            summary_depth: 0,
            tokens_approx: i64::try_from(draft.content.len() / 4).unwrap_or(i64::MAX),
            metadata: Metadata { run_key: self.run_key.clone(), n: self.count, ..draft.metadata },
            deleted_at: None,
        };
        let (digest, put) = text::put(self.ws, &draft.content);
        let stored = Payload {
            id: payload.clone(),
            holder: self.holder.clone(),
            created_at: now,
            content_type: draft.content_type.to_owned(),
            spans: vec![digest],
            deleted_at: None,
        };
        let to_payload = LinkId::fresh(now, entropy);
        let to_payload =
            link::Link::new(to_payload, &id, &payload, AgentLinkKind::MessagePayload, now);
        let mut ops = vec![
            put,
            entity::insert(self.ws, &stored),
            entity::insert(self.ws, &message),
            link::insert(self.ws, &to_payload),
        ];
        if let Some(prev) = &self.head {
            let to_prev = LinkId::fresh(now, entropy);
            let to_prev = link::Link::new(to_prev, &id, prev, AgentLinkKind::MessagePrev, now);
            ops.push(link::insert(self.ws, &to_prev));
        }
        self.first.get_or_insert_with(|| id.clone());
        self.head = Some(id.clone());
        (id, ops)
    }
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
pub fn of_kind(
    workspace: WorkspaceId,
    agent: &AgentId,
    kind: MessageKind,
) -> Query<Stored<Message>> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, agent_id, type, subtype, thread_id, task_id, created_at, updated_at,
                deleted_at, serialized, clock_host, clock_counter
              FROM agent_entities
              WHERE ws = ?1 AND agent_id = ?2 AND type = 'agentMessage' AND subtype = ?3
              ORDER BY created_at, id",
        params: params_values![ws(workspace), agent.to_string(), kind.name()],
        decode: entity::decode::<Message>,
    }
}

/// The newest messages of one kind of an agent, newest first.
pub fn newest_of_kind(
    workspace: WorkspaceId,
    agent: &AgentId,
    kind: MessageKind,
    limit: usize,
) -> Query<Stored<Message>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    Query {
        db: Db::Agent,
        sql: "SELECT id, agent_id, type, subtype, thread_id, task_id, created_at, updated_at,
                deleted_at, serialized, clock_host, clock_counter
              FROM agent_entities
              WHERE ws = ?1 AND agent_id = ?2 AND type = 'agentMessage' AND subtype = ?3
              ORDER BY created_at DESC, id DESC LIMIT ?4",
        params: params_values![ws(workspace), agent.to_string(), kind.name(), limit],
        decode: entity::decode::<Message>,
    }
}

/// User messages to an agent after one position of the agent store and up to another, oldest first.
pub fn user_messages(
    workspace: WorkspaceId,
    agent: &AgentId,
    from: Seq,
    upto: Seq,
) -> Query<Stored<Message>> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, agent_id, type, subtype, thread_id, task_id, created_at, updated_at,
                deleted_at, serialized, clock_host, clock_counter
              FROM agent_entities
              WHERE ws = ?1 AND agent_id = ?2 AND type = 'agentMessage' AND subtype = 'user'
                AND clock_counter > ?3 AND clock_counter <= ?4
              ORDER BY clock_counter, created_at, id",
        params: params_values![ws(workspace), agent.to_string(), from.0, upto.0],
        decode: entity::decode::<Message>,
    }
}

/// The position of the newest user message to an agent.
pub fn newest_user_messages(workspace: WorkspaceId, agent: &AgentId) -> Query<Seq> {
    Query {
        db: Db::Agent,
        sql: "SELECT clock_counter FROM agent_entities
              WHERE ws = ?1 AND agent_id = ?2 AND type = 'agentMessage' AND subtype = 'user'
              ORDER BY clock_counter DESC LIMIT 1",
        params: params_values![ws(workspace), agent.to_string()],
        decode: |row| {
            Ok(Seq(row.int(0).map_err(|e| ReadError::column(Db::Agent, "message", &e))?))
        },
    }
}

/// The messages of a thread's newest commit; the one with the highest `n` is its head.
pub fn newest(workspace: WorkspaceId, thread: &ThreadId) -> Query<Stored<Message>> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, agent_id, type, subtype, thread_id, task_id, created_at, updated_at,
                deleted_at, serialized, clock_host, clock_counter
              FROM agent_entities
              WHERE ws = ?1 AND thread_id = ?2 AND type = 'agentMessage' AND clock_counter = (
                SELECT MAX(clock_counter) FROM agent_entities
                WHERE ws = ?1 AND thread_id = ?2 AND type = 'agentMessage')",
        params: params_values![ws(workspace), thread.to_string()],
        decode: entity::decode::<Message>,
    }
}

/// Refuses the commit when the thread was written to since its newest commit was read. `end` is
/// that commit's number, 0 for an empty thread. For threads that no lease guards.
pub fn expect_end(workspace: WorkspaceId, thread: &ThreadId, end: i64) -> Op {
    Op {
        sql: "UPDATE agent_entities SET thread_id = thread_id
              WHERE ws = ?1 AND thread_id = ?2 AND type = 'agentMessage' AND clock_counter > ?3",
        params: params![ws(workspace), thread.to_string(), end],
        rows: 0..=0,
        refusal: Refusal::Stale,
    }
}

/// Which messages of an agent to read. They are ordered by commit, and messages of one commit stay
/// together, so a page may hold more than requested.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MessageQuery {
    /// Only of this thread.
    pub thread: Option<ThreadId>,
    /// Only of this kind.
    pub kind: Option<MessageKind>,
    /// The first commit to read.
    pub from: i64,
    /// Read whole commits until there are at least this many messages.
    pub at_least: i64,
}

impl MessageQuery {
    fn params(&self, workspace: WorkspaceId, agent: &AgentId) -> Vec<Value> {
        params_values![
            ws(workspace),
            agent.to_string(),
            self.thread.as_ref().map(ToString::to_string).unwrap_or_default(),
            self.kind.map_or("", MessageKind::name),
            self.from,
            // How many messages precede the last one wanted.
            self.at_least.max(1) - 1
        ]
    }
}

/// Messages of an agent, oldest first.
pub fn forward(
    workspace: WorkspaceId,
    agent: &AgentId,
    wanted: &MessageQuery,
) -> Query<Stored<Message>> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, agent_id, type, subtype, thread_id, task_id, created_at, updated_at,
                deleted_at, serialized, clock_host, clock_counter
              FROM agent_entities
              WHERE ws = ?1 AND agent_id = ?2 AND type = 'agentMessage'
                AND (?3 = '' OR thread_id = ?3) AND (?4 = '' OR subtype = ?4)
                AND clock_counter >= ?5 AND clock_counter <= COALESCE(
                  (SELECT clock_counter FROM agent_entities
                   WHERE ws = ?1 AND agent_id = ?2 AND type = 'agentMessage'
                     AND (?3 = '' OR thread_id = ?3) AND (?4 = '' OR subtype = ?4)
                     AND clock_counter >= ?5
                   ORDER BY clock_counter LIMIT 1 OFFSET ?6), 9223372036854775807)
              ORDER BY clock_counter, id",
        params: wanted.params(workspace, agent),
        decode: entity::decode::<Message>,
    }
}

/// The newest messages of an agent, oldest first.
pub fn last(
    workspace: WorkspaceId,
    agent: &AgentId,
    wanted: &MessageQuery,
) -> Query<Stored<Message>> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, agent_id, type, subtype, thread_id, task_id, created_at, updated_at,
                deleted_at, serialized, clock_host, clock_counter
              FROM agent_entities
              WHERE ws = ?1 AND agent_id = ?2 AND type = 'agentMessage'
                AND (?3 = '' OR thread_id = ?3) AND (?4 = '' OR subtype = ?4)
                AND clock_counter >= ?5 AND clock_counter >= COALESCE(
                  (SELECT clock_counter FROM agent_entities
                   WHERE ws = ?1 AND agent_id = ?2 AND type = 'agentMessage'
                     AND (?3 = '' OR thread_id = ?3) AND (?4 = '' OR subtype = ?4)
                     AND clock_counter >= ?5
                   ORDER BY clock_counter DESC LIMIT 1 OFFSET ?6), 0)
              ORDER BY clock_counter, id",
        params: wanted.params(workspace, agent),
        decode: entity::decode::<Message>,
    }
}
