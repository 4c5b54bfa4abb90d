//! The messages of a run: written turn by turn, read back after a crash.

use std::collections::{BTreeMap, BTreeSet};

use dormouse_store::agent::message::{self, Chain, Draft, Message, Metadata, Payload};
use dormouse_store::agent::{entity, provider_state, wake_run::Run};
use dormouse_store::{Op, ReadError, Store, in_list};
use dormouse_types::agent::MessageKind;
use dormouse_types::model::{ToolCall, ToolResult};
use dormouse_types::port::Entropy;
use dormouse_types::{
    Digest, Id as _, MessageId, OperationId, PayloadId, RunKey, Timestamp, WorkspaceId, hash,
};
use serde::{Deserialize, Serialize};

use crate::step::LoggedTurn;

/// Payload of a `thought` message: the turn as the model gave it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Thought {
    pub(crate) text: String,
    pub(crate) calls: Vec<ToolCall>,
    pub(crate) ended: bool,
}

/// Writes a turn: the assistant's message, one `action` per call, and the results known so far.
pub fn turn(
    chain: &mut Chain,
    turn: u32,
    logged: &LoggedTurn,
    now: Timestamp,
    entropy: &dyn Entropy,
) -> Vec<Op> {
    let thought =
        Thought { text: logged.text.clone(), calls: logged.calls.clone(), ended: logged.ended };
    let metadata = Metadata { turn: Some(turn), ..Metadata::default() };
    let draft = Draft {
        kind: MessageKind::Thought,
        content: json(&thought),
        content_type: "application/json",
        trigger: None,
        metadata: metadata.clone(),
    };
    let (_, mut ops) = chain.append(draft, now, entropy);
    if let (Some(state), Some(run)) = (&logged.provider_state, &chain.run_key) {
        ops.push(provider_state::insert(chain.ws, &RunKey(run.clone()), turn, state));
    }
    for (call, result) in logged.calls.iter().zip(&logged.results) {
        let metadata = Metadata {
            tool_name: Some(call.name.clone()),
            operation_id: chain.run_key.as_ref().map(|run| operation(run, call).0),
            ..metadata.clone()
        };
        let draft = Draft {
            kind: MessageKind::Action,
            content: json(call),
            content_type: "application/json",
            trigger: None,
            metadata,
        };
        ops.extend(chain.append(draft, now, entropy).1);
        if let Some(result) = result {
            ops.extend(self::result(chain, turn, call, result, now, entropy).1);
        }
    }
    ops
}

/// Writes the result of one call.
pub fn result(
    chain: &mut Chain,
    turn: u32,
    call: &ToolCall,
    result: &ToolResult,
    now: Timestamp,
    entropy: &dyn Entropy,
) -> (MessageId, Vec<Op>) {
    let draft = Draft {
        kind: MessageKind::ToolResult,
        content: json(result),
        content_type: "application/json",
        trigger: None,
        metadata: Metadata {
            turn: Some(turn),
            tool_name: Some(call.name.clone()),
            operation_id: chain.run_key.as_ref().map(|run| operation(run, call).0),
            refused: Some(result.refused),
            ..Metadata::default()
        },
    };
    chain.append(draft, now, entropy)
}

/// Derives the operation id of a call: the same call of the same run gets the same id.
pub fn operation(run_key: &str, call: &ToolCall) -> OperationId {
    let intent = hash::canonical(&(&call.name, &call.args)).expect("arguments are plain JSON");
    OperationId(hash::joined(&[run_key, hash::sha256(intent).as_str(), "0"]).0)
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("messages are plain data")
}

/// Returns the thread of a run before its first message.
pub fn start(ws: WorkspaceId, run: &Run) -> Chain {
    Chain::new(ws, &run.holder, run.thread.clone(), Some(run.key.to_string()))
}

/// Reads back the recorded turns of a run, and the end of its thread.
pub async fn read(
    store: &Store,
    ws: WorkspaceId,
    run: &Run,
) -> Result<(Vec<LoggedTurn>, Chain), ReadError> {
    let mut chain = start(ws, run);
    let stored = store.all(message::of_thread(ws, &run.thread, 10_000)).await?;
    let mut messages: Vec<Message> = stored.into_iter().map(|stored| stored.doc.value).collect();
    // Messages of one commit share its time; their position in the thread orders them.
    messages.sort_by_key(|message| message.metadata.n);
    messages.iter().for_each(|message| chain.follow(message));
    let is_of_turn = |kind| matches!(kind, Some(MessageKind::Thought | MessageKind::ToolResult));
    messages.retain(|message| is_of_turn(message.kind.known()));
    let texts = texts(store, ws, &messages).await?;
    let mut turns: Vec<LoggedTurn> = Vec::new();
    for (message, text) in messages.iter().zip(texts) {
        match message.kind.known() {
            Some(MessageKind::Thought) => {
                let thought: Thought = content(message, text)?;
                turns.push(LoggedTurn {
                    text: thought.text,
                    results: vec![None; thought.calls.len()],
                    calls: thought.calls,
                    ended: thought.ended,
                    provider_state: None,
                });
            }
            Some(MessageKind::ToolResult) => {
                let result: ToolResult = content(message, text)?;
                if let Some(turn) = turns.last_mut()
                    && let Some(place) = turn.calls.iter().position(|c| c.id == result.call_id)
                {
                    turn.results[place] = Some(result);
                }
            }
            // Another kind is no part of a turn.
            Some(
                MessageKind::Observation
                | MessageKind::User
                | MessageKind::Action
                | MessageKind::Summary,
            )
            | None => {}
        }
    }
    // A run that begins has recorded no turn, and reads nothing more.
    if !turns.is_empty() {
        for (turn, state) in store.all(provider_state::of_run(ws, &run.key)).await? {
            let place = usize::try_from(turn - 1).ok().and_then(|place| turns.get_mut(place));
            if let Some(turn) = place {
                turn.provider_state = Some(state);
            }
        }
    }
    Ok((turns, chain))
}

/// Returns the content of a message as text, or `None` if it was purged.
pub async fn text(
    store: &Store,
    ws: WorkspaceId,
    message: &Message,
) -> Result<Option<String>, ReadError> {
    let Some(payload) = &message.content_entry_id else { return Ok(None) };
    let payload = store.first(entity::by_id::<Payload>(ws, payload.as_str())).await?;
    let Some(payload) = payload else { return Ok(None) };
    let mut whole = String::new();
    for span in &payload.doc.value.spans {
        match store.first(dormouse_store::text::by_digest(ws, span)).await? {
            Some(text) => whole.push_str(&text),
            None => return Ok(None),
        }
    }
    Ok(Some(whole))
}

/// Returns the content of each message as text, or `None` if it was purged. The number of queries
/// does not depend on the number of messages of a page.
pub async fn texts(
    store: &Store,
    ws: WorkspaceId,
    messages: &[Message],
) -> Result<Vec<Option<String>>, ReadError> {
    let ids: Vec<_> = messages.iter().filter_map(|m| m.content_entry_id.as_ref()).collect();
    let mut payloads: BTreeMap<PayloadId, Payload> = BTreeMap::new();
    for ids in ids.chunks(in_list::MOST) {
        for stored in store.all(entity::some::<Payload>(ws, ids)).await? {
            payloads.insert(stored.doc.value.id.clone(), stored.doc.value);
        }
    }
    let digests: BTreeSet<&Digest> = payloads.values().flat_map(|p| &p.spans).collect();
    let digests: Vec<Digest> = digests.into_iter().cloned().collect();
    let mut spans: BTreeMap<Digest, String> = BTreeMap::new();
    for digests in digests.chunks(in_list::MOST) {
        spans.extend(store.all(dormouse_store::text::some(ws, digests)).await?);
    }
    let text_of = |message: &Message| {
        let payload = payloads.get(message.content_entry_id.as_ref()?)?;
        payload.spans.iter().map(|span| spans.get(span).map(String::as_str)).collect()
    };
    Ok(messages.iter().map(text_of).collect())
}

pub(crate) fn content<T: serde::de::DeserializeOwned>(
    message: &Message,
    text: Option<String>,
) -> Result<T, ReadError> {
    let corrupt = |detail: String| ReadError::Corrupt {
        db: "agent",
        noun: "message",
        id: message.id.to_string(),
        detail,
    };
    let text = text.ok_or_else(|| corrupt("its content is gone".into()))?;
    serde_json::from_str(&text).map_err(|e| corrupt(e.to_string()))
}
