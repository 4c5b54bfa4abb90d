//! The recorded turns of an attempt, read one at a time for readers of its log.
//!
//! A run resumes from its turns as a whole, so there a damaged row is an error ([`run_log::read`]). A
//! log is read by people: here a damaged row costs itself and no other, and only the texts of one turn
//! are held at a time.

use std::collections::VecDeque;

use dormouse_store::agent::message::{self, Message};
use dormouse_store::agent::wake_run::Run;
use dormouse_store::{ReadError, Store};
use dormouse_types::agent::MessageKind;
use dormouse_types::model::{ToolCall, ToolResult};
use dormouse_types::{Timestamp, WorkspaceId};

use crate::run_log::{self, Thought};
use crate::step::LoggedTurn;

/// The most messages of one attempt.
const MOST: i64 = 10_000;

#[derive(Debug, Clone, PartialEq)]
pub struct RecordedTurn {
    /// Its number within the attempt, from 1; 0 for what comes before the first.
    pub number: u32,
    /// When it was recorded; `None` if nothing of it can be read.
    pub at: Option<Timestamp>,
    /// What can be read of it; `None` for what is no turn, such as a note before the first.
    pub turn: Option<LoggedTurn>,
    /// Summaries that were written with it.
    pub summaries: Vec<String>,
    /// What cannot be read of it, a sentence for each message.
    pub damaged: Vec<String>,
}

/// The turns of an attempt that were not read yet.
#[derive(Debug)]
pub struct RecordedTurns {
    groups: VecDeque<Group>,
}

/// The messages of one turn; those before the first turn have the number 0.
#[derive(Debug, Default)]
struct Group {
    number: u32,
    messages: Vec<Message>,
    damaged: Vec<String>,
}

impl RecordedTurns {
    /// Reads which messages an attempt has, without their texts.
    pub async fn of(store: &Store, ws: WorkspaceId, run: &Run) -> Result<Self, ReadError> {
        let rows = store.each(message::of_thread(ws, &run.thread, MOST)).await?;
        // Rows are in the order of their commits. A message that cannot be read belongs to the turn of
        // the one before it.
        let mut place = 0;
        let mut placed = Vec::new();
        for row in rows {
            match row {
                Ok(stored) => {
                    let message = stored.doc.value;
                    place = place.max(message.metadata.n);
                    placed.push((message.metadata.n, Ok(message)));
                }
                Err(error @ ReadError::Corrupt { .. }) => placed.push((place, Err(error))),
                Err(error) => return Err(error),
            }
        }
        placed.sort_by_key(|(n, _)| *n);
        let mut groups: VecDeque<Group> = VecDeque::new();
        for (_, row) in placed {
            let last = groups.back().map_or(0, |group| group.number);
            let number = match &row {
                Ok(message) => message.metadata.turn.unwrap_or(last),
                Err(_) => last,
            };
            if groups.back().is_none_or(|group| group.number != number) {
                groups.push_back(Group { number, ..Group::default() });
            }
            let Some(group) = groups.back_mut() else { continue };
            match row {
                Ok(message) => group.messages.push(message),
                Err(error) => group.damaged.push(error.to_string()),
            }
        }
        Ok(Self { groups })
    }

    /// Reads the next turn; `None` after the last one.
    pub async fn next(
        &mut self,
        store: &Store,
        ws: WorkspaceId,
    ) -> Result<Option<RecordedTurn>, ReadError> {
        let Some(Group { number, messages, mut damaged }) = self.groups.pop_front() else {
            return Ok(None);
        };
        let at = messages.first().map(|message| message.created_at);
        let (mut thought, mut summaries) = (None, Vec::new());
        let (mut actions, mut results): (Vec<ToolCall>, Vec<ToolResult>) = Default::default();
        let texts = texts(store, ws, &messages, &mut damaged).await?;
        for (message, text) in messages.iter().zip(texts) {
            let Some(text) = text else { continue };
            let text = Some(text);
            let read = match message.kind.known() {
                Some(MessageKind::Thought) => {
                    run_log::content::<Thought>(message, text).map(|it| thought = Some(it))
                }
                Some(MessageKind::Action) => {
                    run_log::content(message, text).map(|it| actions.push(it))
                }
                Some(MessageKind::ToolResult) => {
                    run_log::content(message, text).map(|it| results.push(it))
                }
                Some(MessageKind::Summary) => {
                    summaries.extend(text);
                    Ok(())
                }
                Some(MessageKind::Observation | MessageKind::User) | None => Ok(()),
            };
            match read {
                Err(error @ ReadError::Corrupt { .. }) => damaged.push(error.to_string()),
                other => other?,
            }
        }
        // Each call is also a message of its own: it replaces a turn that cannot be read.
        let is_turn = thought.is_some() || !actions.is_empty() || !results.is_empty();
        let Thought { text, calls, ended } =
            thought.unwrap_or(Thought { text: String::new(), calls: actions, ended: false });
        let mut turn = LoggedTurn { text, calls, ended, ..LoggedTurn::default() };
        for result in &results {
            if turn.calls.iter().all(|call| call.id != result.call_id) {
                let (id, name) = (result.call_id.clone(), "(unreadable)".to_owned());
                turn.calls.push(ToolCall { id, name, args: serde_json::Value::Null });
            }
        }
        turn.results = turn
            .calls
            .iter()
            .map(|call| results.iter().find(|result| result.call_id == call.id).cloned())
            .collect();
        Ok(Some(RecordedTurn { number, at, turn: is_turn.then_some(turn), summaries, damaged }))
    }
}

/// The texts of the messages; `None` for one that cannot be read, which is noted.
async fn texts(
    store: &Store,
    ws: WorkspaceId,
    messages: &[Message],
    damaged: &mut Vec<String>,
) -> Result<Vec<Option<String>>, ReadError> {
    let found = match run_log::texts(store, ws, messages).await {
        Ok(found) => found,
        Err(ReadError::Corrupt { .. }) => {
            let mut found = Vec::new();
            for message in messages {
                found.push(match run_log::text(store, ws, message).await {
                    Ok(text) => text,
                    Err(error @ ReadError::Corrupt { .. }) => {
                        damaged.push(error.to_string());
                        None
                    }
                    Err(error) => return Err(error),
                });
            }
            return Ok(found);
        }
        Err(error) => return Err(error),
    };
    for (message, text) in messages.iter().zip(&found) {
        if text.is_none() {
            damaged.push(format!("the words of message {} are gone", message.id));
        }
    }
    Ok(found)
}
