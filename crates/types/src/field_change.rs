//! One change of a task as values: what a proposal, a change row and a line of the history say.
//!
//! Stored and sent; each reader makes its own words.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::id::{ItemId, LabelId, TaskId};
use crate::task::{Field, LinkDirection, LinkKind, Priority, Status};

/// A field of a task, with its value before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(from = "AnyVersion")]
pub struct FieldChange {
    /// What changes.
    pub field: FieldRef,
    /// The value before; none when it was empty or is new.
    pub from: Option<FieldValue>,
    /// The value after; none if it cannot be known.
    pub to: Option<FieldValue>,
}

// What a call of a tool is about, before its ids are checked, is its `TargetKey`, in `changes`.
/// A field or a part of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum FieldRef {
    /// The title.
    Title,
    /// The status, with its reason.
    Status,
    /// The priority.
    Priority,
    /// The day it is due.
    DueDate,
    /// How long it takes.
    Estimate,
    /// The language of its texts.
    Language,
    /// The category.
    Category,
    /// Whether the task is starred.
    Starred,
    /// Whether the task is private.
    Private,
    /// A checklist item; without an id, a new one.
    Item {
        /// The item.
        id: Option<ItemId>,
    },
    /// A label of the task.
    Label {
        /// The label.
        id: LabelId,
    },
    /// The task that a checklist item belongs to.
    ItemTask {
        /// The item.
        id: ItemId,
    },
    /// A task that follows up on it.
    FollowUp,
    /// A link to another task.
    Link {
        /// How the two are related.
        kind: LinkKind,
        /// The direction of the link, seen from this task.
        direction: LinkDirection,
    },
    /// What only a newer version knows.
    #[serde(untagged)]
    Other(serde_json::Value),
}

/// A value of a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum FieldValue {
    /// Text of a person or a model.
    Text {
        /// The text.
        text: String,
    },
    /// A calendar day.
    Day {
        /// The day.
        on: Date,
    },
    /// A duration.
    Minutes {
        /// Units: minutes.
        minutes: u32,
    },
    /// A priority.
    Priority {
        /// The priority.
        priority: Priority,
    },
    /// A language.
    Language {
        /// ISO 639 code.
        code: String,
    },
    /// A status.
    Status {
        /// The status.
        status: Status,
        /// What it waits for.
        reason: Option<String>,
    },
    /// Whether a flag is set.
    #[serde(rename_all = "camelCase")]
    Flag {
        /// Whether it is.
        is_set: bool,
    },
    /// A checklist item.
    #[serde(rename_all = "camelCase")]
    Item {
        /// Its title.
        title: String,
        /// Whether it is ticked.
        is_checked: bool,
        /// Whether it is archived.
        is_archived: bool,
    },
    /// A label.
    Label {
        /// The label.
        id: LabelId,
        /// Its name.
        name: String,
    },
    /// Another task.
    Task {
        /// The task; none while it does not exist yet.
        id: Option<TaskId>,
        /// Its title.
        title: String,
    },
    /// A value that an older version stored as English words: shown as they are, never parsed.
    Words {
        /// The words.
        words: String,
    },
    /// What only a newer version knows.
    #[serde(untagged)]
    Other(serde_json::Value),
}

impl From<Field> for FieldRef {
    fn from(field: Field) -> Self {
        match field {
            Field::Title => Self::Title,
            Field::Status => Self::Status,
            Field::Priority => Self::Priority,
            Field::DueDate => Self::DueDate,
            Field::Estimate => Self::Estimate,
            Field::Language => Self::Language,
            Field::Category => Self::Category,
            Field::Starred => Self::Starred,
            Field::Private => Self::Private,
        }
    }
}

impl FieldRef {
    /// The single-value field it is, if it is one.
    pub fn field(&self) -> Option<Field> {
        match self {
            Self::Title => Some(Field::Title),
            Self::Status => Some(Field::Status),
            Self::Priority => Some(Field::Priority),
            Self::DueDate => Some(Field::DueDate),
            Self::Estimate => Some(Field::Estimate),
            Self::Language => Some(Field::Language),
            Self::Category => Some(Field::Category),
            Self::Starred => Some(Field::Starred),
            Self::Private => Some(Field::Private),
            Self::Item { .. }
            | Self::Label { .. }
            | Self::ItemTask { .. }
            | Self::FollowUp
            | Self::Link { .. }
            | Self::Other(_) => None,
        }
    }
}

impl FieldValue {
    /// The value as a model reads it: an ISO day, whole minutes, a name or a code.
    pub fn plain(&self) -> String {
        match self {
            Self::Text { text } => text.clone(),
            Self::Day { on } => on.to_string(),
            Self::Minutes { minutes } => minutes.to_string(),
            Self::Priority { priority } => priority.to_string(),
            Self::Language { code } => code.clone(),
            Self::Status { status, .. } => status.to_string(),
            Self::Flag { is_set } => if *is_set { "yes" } else { "no" }.to_owned(),
            Self::Item { title, .. } => title.clone(),
            Self::Label { name, .. } => name.clone(),
            Self::Task { title, .. } => title.clone(),
            Self::Words { words } => words.clone(),
            Self::Other(json) => json.to_string(),
        }
    }

    /// The day, if it is one.
    pub fn day(&self) -> Option<Date> {
        if let Self::Day { on } = self { Some(*on) } else { None }
    }

    /// The priority, if it is one.
    pub fn priority(&self) -> Option<Priority> {
        if let Self::Priority { priority } = self { Some(*priority) } else { None }
    }

    /// The status, if it is one.
    pub fn status(&self) -> Option<Status> {
        if let Self::Status { status, .. } = self { Some(*status) } else { None }
    }
}

/// A change as any version wrote it.
#[derive(Deserialize)]
#[serde(untagged)]
enum AnyVersion {
    /// Change rows once held text; a status was followed by its reason.
    Texts {
        field: Field,
        from: Option<String>,
        to: Option<String>,
        reason: Option<String>,
    },
    Values {
        field: FieldRef,
        from: Option<FieldValue>,
        to: Option<FieldValue>,
    },
}

impl From<AnyVersion> for FieldChange {
    fn from(any: AnyVersion) -> Self {
        match any {
            AnyVersion::Values { field, from, to } => Self { field, from, to },
            AnyVersion::Texts { field, from, to, reason } => Self {
                field: field.into(),
                from: from.map(|text| of_text(field, text, None)),
                to: to.map(|text| of_text(field, text, reason)),
            },
        }
    }
}

/// Reads the text by which an older version stored a value; what it did not write stays words.
fn of_text(field: Field, text: String, reason: Option<String>) -> FieldValue {
    let value = match field {
        Field::Title | Field::Category => return FieldValue::Text { text },
        Field::Language => return FieldValue::Language { code: text },
        Field::Status => text.parse().ok().map(|status| FieldValue::Status { status, reason }),
        Field::Priority => text.parse().ok().map(|priority| FieldValue::Priority { priority }),
        Field::DueDate => text.parse().ok().map(|on| FieldValue::Day { on }),
        Field::Estimate => text.parse().ok().map(|minutes| FieldValue::Minutes { minutes }),
        // No version stored a flag as text.
        Field::Starred | Field::Private => None,
    };
    value.unwrap_or(FieldValue::Words { words: text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_of_an_older_change_row_become_values() {
        let read = |json: &str| serde_json::from_str::<FieldChange>(json).expect("it can be read");
        let status = |status, reason: Option<&str>| FieldValue::Status {
            status,
            reason: reason.map(ToOwned::to_owned),
        };
        assert_eq!(
            read(r#"{"field":"status","from":"OPEN","to":"BLOCKED","reason":"the shop"}"#),
            FieldChange {
                field: FieldRef::Status,
                from: Some(status(Status::Open, None)),
                to: Some(status(Status::Blocked, Some("the shop"))),
            }
        );
        assert_eq!(
            read(r#"{"field":"dueDate","from":null,"to":"2026-03-20"}"#).to,
            Some(FieldValue::Day { on: jiff::civil::date(2026, 3, 20) })
        );
        assert_eq!(
            read(r#"{"field":"estimate","from":"90","to":"a while"}"#),
            FieldChange {
                field: FieldRef::Estimate,
                from: Some(FieldValue::Minutes { minutes: 90 }),
                to: Some(FieldValue::Words { words: "a while".into() }),
            }
        );
    }

    #[test]
    fn a_change_of_a_newer_version_is_kept_as_it_came() {
        let newer = r#"{"field":{"type":"mood"},"from":{"type":"mood","of":{"b":1,"a":[null]}},"to":{"type":"day","on":"whenever"}}"#;
        let change: FieldChange = serde_json::from_str(newer).expect("it can be read");
        assert!(matches!(change.field, FieldRef::Other(_)), "{change:?}");
        assert!(matches!(change.from, Some(FieldValue::Other(_))), "{change:?}");
        assert!(matches!(change.to, Some(FieldValue::Other(_))), "{change:?}");
        let sent = serde_json::to_value(&change).expect("plain data");
        let came: serde_json::Value = serde_json::from_str(newer).expect("JSON");
        assert_eq!(sent, came);
    }
}
