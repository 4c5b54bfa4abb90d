//! A message of an agent as text, for its log.

use dormouse::view::Message;
use serde_json::Value;

use crate::terminal::{line, wrap};

/// What kind of message it is.
pub(super) fn kind(message: &Message) -> String {
    match message.kind.as_str() {
        "toolResult" if message.refused == Some(true) => "refused".to_owned(),
        "toolResult" => "result".to_owned(),
        "action" => "call".to_owned(),
        other => line(other),
    }
}

/// A message as one paragraph, truncated if it would fill the screen; empty if it has no text.
pub(super) fn content(message: &Message) -> Option<String> {
    /// Units: columns.
    const SHOWN: usize = 400;
    let part = |name: &str| message.content.as_ref().and_then(|content| content.get(name));
    let text = match (message.kind.as_str(), &message.content) {
        (_, None) => String::new(),
        (_, Some(Value::String(text))) => text.clone(),
        ("action", Some(_)) if part("args").is_some() => {
            part("args").map(Value::to_string).unwrap_or_default()
        }
        // Text next to tool calls; the calls follow as separate messages.
        (_, Some(_)) if part("text").is_some_and(Value::is_string) => {
            part("text").and_then(Value::as_str).unwrap_or_default().to_owned()
        }
        ("thought", Some(_)) => String::new(),
        (_, Some(other)) => other.to_string(),
    };
    let name = message.tool_name.as_deref().map_or_else(String::new, |name| format!("{name}  "));
    let text = line(&format!("{name}{text}"));
    (!text.trim().is_empty()).then(|| wrap::cut_to(&text, SHOWN))
}
