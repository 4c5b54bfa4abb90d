//! One change of a task as values: what a proposal says. Stored and sent; each reader makes its own words.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::id::{ItemId, LabelId};
use crate::task::{Priority, Status};

/// A field of a task, with its value before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FieldChange {
    /// What changes.
    pub field: FieldRef,
    /// The value before; none when it was empty or is new.
    pub from: Option<FieldValue>,
    /// The value after; none if it cannot be known.
    pub to: Option<FieldValue>,
}

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
    /// A status.
    Status {
        /// The status.
        status: Status,
        /// What it waits for.
        reason: Option<String>,
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
    /// A value that an older version stored as English words: shown as they are, never parsed.
    Words {
        /// The words.
        words: String,
    },
    /// What only a newer version knows.
    #[serde(untagged)]
    Other(serde_json::Value),
}

#[cfg(test)]
mod tests {
    use super::*;

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
