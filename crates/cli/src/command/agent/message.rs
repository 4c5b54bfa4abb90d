//! A message of an agent as text, for its log.

use dormouse::view::Message;
use dormouse_types::agent::MessageKind;
use dormouse_types::closed_list::Listed;
use dormouse_types::observation::{ObservationCategory, ObservationPriority};
use serde_json::Value;

use crate::terminal::{line, wrap};

/// What kind of message it is.
pub(super) fn kind(message: &Message) -> String {
    match message.kind.known() {
        Some(MessageKind::ToolResult) if message.refused == Some(true) => "refused".to_owned(),
        Some(MessageKind::ToolResult) => "result".to_owned(),
        Some(MessageKind::Action) => "call".to_owned(),
        Some(
            MessageKind::Observation
            | MessageKind::User
            | MessageKind::Thought
            | MessageKind::Summary,
        )
        | None => line(message.kind.name()),
    }
}

/// What sets a note apart: `[critical, grievance] `; most have nothing.
fn marks(message: &Message) -> String {
    let priority = message.priority.as_ref().filter(|one| **one != ObservationPriority::default());
    let category = message.category.as_ref().filter(|one| **one != ObservationCategory::default());
    let names = priority.map(Listed::name).into_iter().chain(category.map(Listed::name));
    let names = names.collect::<Vec<_>>().join(", ");
    if names.is_empty() { names } else { format!("[{names}] ") }
}

/// A message as one paragraph, truncated if it would fill the screen; empty if it has no text.
pub(super) fn content(message: &Message) -> Option<String> {
    /// Units: columns.
    const SHOWN: usize = 400;
    let part = |name: &str| message.content.as_ref().and_then(|content| content.get(name));
    let text = match (message.kind.known(), &message.content) {
        (_, None) => String::new(),
        (_, Some(Value::String(text))) => text.clone(),
        (Some(MessageKind::Action), Some(_)) if part("args").is_some() => {
            part("args").map(Value::to_string).unwrap_or_default()
        }
        // Text next to tool calls; the calls follow as separate messages.
        (_, Some(_)) if part("text").is_some_and(Value::is_string) => {
            part("text").and_then(Value::as_str).unwrap_or_default().to_owned()
        }
        (Some(MessageKind::Thought), Some(_)) => String::new(),
        (_, Some(other)) => other.to_string(),
    };
    let name = message.tool_name.as_deref().map_or_else(String::new, |name| format!("{name}  "));
    let text = line(&format!("{name}{}{text}", marks(message)));
    (!text.trim().is_empty()).then(|| wrap::cut_to(&text, SHOWN))
}
