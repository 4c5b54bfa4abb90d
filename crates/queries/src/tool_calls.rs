//! An agent's tool calls, paired with their results.

use std::collections::BTreeMap;

use dormouse_store::agent::link;
use dormouse_types::agent::{AgentLinkKind, MessageKind};
use dormouse_types::{AgentId, ThreadId, WorkspaceId};

use crate::view::{CallOutcome, Message, Page, ToolCall};
use crate::{Queries, QueryError};

/// How many results to read at once when looking for those of a page.
const RESULTS: usize = 400;

impl Queries {
    /// A page of an agent's tool calls, oldest first; only one thread if given.
    pub async fn tool_calls(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        thread: Option<ThreadId>,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<ToolCall>, QueryError> {
        self.agents.agent(ws, id).await?;
        let action = Some(MessageKind::Action);
        let read = self.read_messages(ws, id, thread.clone(), action, limit, cursor, false);
        let (rows, next_cursor) = read.await?;
        let mut actions = Vec::new();
        let mut from: Option<i64> = None;
        for row in rows {
            let counter = row.columns.clock.values().copied().max().unwrap_or(0);
            from.get_or_insert(counter);
            actions.push(self.message_view(ws, id, row).await?);
        }
        // A result is in the commit of its call, or in a later one.
        let mut cursor = from.map(|from| format!("{from}.0"));
        let mut results: Vec<Message> = Vec::new();
        while let Some(at) = cursor.take() {
            let result = Some(MessageKind::ToolResult);
            let read =
                self.read_messages(ws, id, thread.clone(), result, RESULTS, Some(&at), false);
            let (rows, next) = read.await?;
            for row in rows {
                let metadata = &row.doc.value.metadata;
                let is_result_of = |action: &Message| {
                    action.thread_id == row.doc.value.thread_id
                        && action.operation_id == metadata.operation_id
                };
                if actions.iter().any(is_result_of) {
                    results.push(self.message_view(ws, id, row).await?);
                }
            }
            cursor = next.filter(|_| results.len() < actions.len());
        }
        let mut items = Vec::new();
        for (action, result) in pairs(actions, results) {
            items.push(self.tool_call(ws, action, result).await?);
        }
        Ok(Page { items, next_cursor, damaged: Vec::new() })
    }

    async fn tool_call(
        &self,
        ws: WorkspaceId,
        action: Message,
        result: Option<Message>,
    ) -> Result<ToolCall, QueryError> {
        let mut touched = Vec::new();
        if let Some(result) = &result {
            let links = self.store.all(link::from(ws, &result.id.to_string())).await?;
            let effects = links.into_iter().filter(|link| link.kind == AgentLinkKind::ToolEffect);
            touched.extend(effects.map(|link| link.to_id));
            touched.sort();
        }
        let outcome = match &result {
            None => CallOutcome::Open,
            Some(result) if result.refused == Some(true) => CallOutcome::Refused,
            Some(_) => CallOutcome::Done,
        };
        Ok(ToolCall {
            operation_id: action.operation_id,
            tool_name: action.tool_name,
            thread_id: action.thread_id,
            run_key: action.run_key,
            turn: action.turn,
            action_message_id: action.id,
            action: action.content,
            outcome,
            result_message_id: result.as_ref().map(|result| result.id.clone()),
            touched,
            created_at: action.created_at,
            completed_at: result.as_ref().map(|result| result.created_at),
            result: result.and_then(|result| result.content),
        })
    }
}

/// Gives each call its result: the first of its operation that no earlier call has.
///
/// A model that makes the same call twice in a run has one operation, and two results.
fn pairs(actions: Vec<Message>, results: Vec<Message>) -> Vec<(Message, Option<Message>)> {
    let mut waiting: BTreeMap<(ThreadId, Option<String>), Vec<Message>> = BTreeMap::new();
    for result in results.into_iter().rev() {
        let key = (result.thread_id.clone(), result.operation_id.clone());
        waiting.entry(key).or_default().push(result);
    }
    let result_of = |action: &Message| {
        waiting.get_mut(&(action.thread_id.clone(), action.operation_id.clone()))?.pop()
    };
    actions
        .into_iter()
        .map({
            let mut result_of = result_of;
            move |action| {
                let result = result_of(&action);
                (action, result)
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use dormouse_types::Timestamp;
    use dormouse_types::agent::MessageKind;

    use super::*;

    fn message(n: u8, kind: MessageKind, thread: char, operation: &str) -> Message {
        let id = |prefix: &str, mark: String| format!("{prefix}-{}", mark.repeat(26));
        Message {
            id: id("am", char::from(b'a' + n).to_string()).parse().expect("an id"),
            agent_id: id("ag", "a".into()).parse().expect("an id"),
            thread_id: id("th", thread.to_string()).parse().expect("an id"),
            run_key: None,
            turn: None,
            kind: kind.into(),
            content: None,
            prev_message_id: None,
            tool_name: None,
            operation_id: Some(operation.into()),
            refused: None,
            priority: None,
            category: None,
            folds: None,
            depth: None,
            tokens_approx: 0,
            created_at: Timestamp::from_micros(i64::from(n)),
            vector_clock: BTreeMap::new(),
        }
    }

    #[test]
    fn a_call_gets_the_result_of_its_operation_and_a_repeated_one_the_next() {
        let actions = [(0, 'a', "x"), (2, 'a', "x"), (4, 'b', "x"), (5, 'a', "y")];
        let results = [(1, 'a', "x"), (3, 'a', "x"), (6, 'a', "z"), (7, 'b', "x")];
        let of = |all: &[(u8, char, &str)], kind: MessageKind| {
            all.iter().map(|(n, thread, op)| message(*n, kind, *thread, op)).collect::<Vec<_>>()
        };
        let times = |message: &Message| message.created_at.micros();
        let paired: Vec<_> =
            pairs(of(&actions, MessageKind::Action), of(&results, MessageKind::ToolResult))
                .iter()
                .map(|(action, result)| (times(action), result.as_ref().map(times)))
                .collect();
        assert_eq!(paired, [(0, Some(1)), (2, Some(3)), (4, Some(7)), (5, None)]);
    }
}
