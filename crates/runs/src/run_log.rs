//! The messages of a run: written turn by turn, read back after a crash.

use dormouse_store::agent::message::{self, Chain, Draft, Message, Metadata, kind};
use dormouse_store::agent::wake_run::Run;
use dormouse_store::{Op, ReadError, Store};
use dormouse_types::model::{ToolCall, ToolResult};
use dormouse_types::port::Entropy;
use dormouse_types::{Id as _, MessageId, OperationId, Timestamp, WorkspaceId, hash};
use serde::{Deserialize, Serialize};

use crate::step::LoggedTurn;

/// Payload of a `thought` message: the turn as the model gave it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Thought {
    text: String,
    calls: Vec<ToolCall>,
    ended: bool,
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
        kind: kind::THOUGHT,
        content: json(&thought),
        content_type: "application/json",
        trigger: None,
        metadata: metadata.clone(),
    };
    let (_, mut ops) = chain.append(draft, now, entropy);
    for (call, result) in logged.calls.iter().zip(&logged.results) {
        let metadata = Metadata {
            tool_name: Some(call.name.clone()),
            operation_id: chain.run_key.as_ref().map(|run| operation(run, call).0),
            ..metadata.clone()
        };
        let draft = Draft {
            kind: kind::ACTION,
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
        kind: kind::TOOL_RESULT,
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
    Chain::new(ws, run.agent.clone(), run.thread.clone(), Some(run.key.to_string()))
}

/// Reads back the recorded turns of a run, and the end of its thread.
pub async fn read(
    store: &Store,
    ws: WorkspaceId,
    run: &Run,
) -> Result<(Vec<LoggedTurn>, Chain), ReadError> {
    let mut chain = start(ws, run);
    let mut messages = store.all(message::of_thread(ws, &run.thread, 10_000)).await?;
    // Messages of one commit share its time; their position in the thread orders them.
    messages.sort_by_key(|stored| stored.doc.value.metadata.n);
    let mut turns: Vec<LoggedTurn> = Vec::new();
    for stored in messages {
        let message = stored.doc.value;
        chain.follow(&message);
        match message.kind.as_str() {
            kind::THOUGHT => {
                let thought: Thought = content(store, ws, &message).await?;
                turns.push(LoggedTurn {
                    text: thought.text,
                    results: vec![None; thought.calls.len()],
                    calls: thought.calls,
                    ended: thought.ended,
                });
            }
            kind::TOOL_RESULT => {
                let result: ToolResult = content(store, ws, &message).await?;
                if let Some(turn) = turns.last_mut()
                    && let Some(place) = turn.calls.iter().position(|c| c.id == result.call_id)
                {
                    turn.results[place] = Some(result);
                }
            }
            _ => {}
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
    let payload = store
        .first(dormouse_store::agent::entity::by_id::<message::Payload>(ws, payload.as_str()))
        .await?;
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

async fn content<T: serde::de::DeserializeOwned>(
    store: &Store,
    ws: WorkspaceId,
    message: &Message,
) -> Result<T, ReadError> {
    let corrupt = |detail: String| ReadError::Corrupt {
        db: "agent",
        noun: "message",
        id: message.id.to_string(),
        detail,
    };
    let text =
        text(store, ws, message).await?.ok_or_else(|| corrupt("its content is gone".into()))?;
    serde_json::from_str(&text).map_err(|e| corrupt(e.to_string()))
}
