//! Values in English words, as prompts, summaries and audit lines have them. A person's words are made
//! by the reader that shows them.

use dormouse_types::field_change::FieldValue;
use dormouse_types::task::{Priority, Status};

/// Returns a value in words. They also name the value that a person confirms over.
pub fn value(value: &FieldValue) -> String {
    match value {
        FieldValue::Text { text } => text.clone(),
        FieldValue::Day { on } => on.to_string(),
        FieldValue::Minutes { minutes } => duration(*minutes),
        FieldValue::Priority { priority } => self::priority(*priority),
        FieldValue::Language { code } => code.clone(),
        FieldValue::Status { status, reason } => self::status(*status, reason.as_deref()),
        FieldValue::Flag { is_set } => if *is_set { "yes" } else { "no" }.into(),
        FieldValue::Item { title, is_checked, is_archived } => {
            let archived = if *is_archived { " (archived)" } else { "" };
            format!("[{}] {title}{archived}", if *is_checked { "x" } else { " " })
        }
        FieldValue::Label { name, .. } => name.clone(),
        FieldValue::Task { title, .. } => title.clone(),
        FieldValue::Words { words } => words.clone(),
        FieldValue::Other(json) => json.to_string(),
    }
}

/// Formats minutes: `90` is `1 h 30 min`.
pub fn duration(minutes: u32) -> String {
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (1, 0) => "1 hour".into(),
        (hours, 0) => format!("{hours} hours"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

/// Formats a priority with its meaning: `P0 (urgent)`.
pub fn priority(priority: Priority) -> String {
    let meaning = match priority {
        Priority::P0 => "urgent",
        Priority::P1 => "high",
        Priority::P2 => "medium",
        Priority::P3 => "low",
    };
    format!("{priority} ({meaning})")
}

/// Formats a status with its reason: `BLOCKED (waits for the joiner)`.
pub fn status(status: Status, reason: Option<&str>) -> String {
    match reason {
        Some(reason) => format!("{status} ({reason})"),
        None => status.to_string(),
    }
}
