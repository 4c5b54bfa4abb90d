//! Request bodies about a task and its parts.

use dormouse_types::TaskId;
use dormouse_types::task::{EntryKind, LinkKind, Priority, Status};
use serde::Deserialize;
use utoipa::ToSchema;

use super::read::{Reading, present};
use crate::Problem;

/// A task to create.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct TaskParams {
    /// Its title; may be empty if there is a note or an item.
    #[serde(default)]
    title: String,
    /// Case-insensitive.
    #[schema(value_type = Option<Status>)]
    status: Option<String>,
    /// Why it is blocked or on hold.
    status_reason: Option<String>,
    /// Case-insensitive.
    #[schema(value_type = Option<Priority>)]
    priority: Option<String>,
    /// The day it is due.
    #[schema(value_type = Option<Date>)]
    due_on: Option<String>,
    /// Units: minutes.
    estimate_minutes: Option<u32>,
    /// ISO 639 code.
    language: Option<String>,
    /// By name; created if it does not exist.
    category: Option<String>,
    /// By name; created if they do not exist.
    #[serde(default)]
    labels: Vec<String>,
    /// Whether it is starred.
    #[serde(default)]
    starred: bool,
    /// Whether it is private, with all that belongs to it: no model that is not yours sees it.
    #[serde(default)]
    private: bool,
    /// The text of a first entry.
    note: Option<String>,
    /// Titles of checklist items, in order.
    #[serde(default)]
    items: Vec<String>,
}

impl TaskParams {
    pub(crate) fn read(self) -> Result<dormouse::NewTask, Problem> {
        let mut reading = Reading::default();
        let is_blank = |text: &str| text.trim().is_empty();
        // A task without a title is known by its text until it gets one.
        let has_text = self.note.as_deref().is_some_and(|note| !is_blank(note))
            || self.items.iter().any(|item| !is_blank(item));
        if is_blank(&self.title) && !has_text {
            reading.refuse("/title", "the title is empty: write one, or add a note or an item");
        }
        let task = dormouse::NewTask {
            title: self.title,
            status: reading.parse("/status", self.status),
            status_reason: self.status_reason,
            priority: reading.parse("/priority", self.priority),
            due_on: reading.day("/dueOn", self.due_on),
            estimate_minutes: self.estimate_minutes,
            language: self.language,
            category: self.category,
            labels: self.labels,
            starred: self.starred,
            private: self.private,
            note: self.note,
            items: self.items,
        };
        reading.finish(task)
    }
}

/// Fields of a task to set; `null` clears one.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct TaskPatch {
    /// Its title.
    title: Option<String>,
    /// Case-insensitive.
    #[schema(value_type = Option<Status>)]
    status: Option<String>,
    /// Why it is blocked or on hold.
    status_reason: Option<String>,
    /// Case-insensitive.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<Priority>)]
    priority: Option<Option<String>>,
    /// The day it is due.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<Date>)]
    due_on: Option<Option<String>>,
    /// Units: minutes.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<u32>)]
    estimate_minutes: Option<Option<u32>>,
    /// ISO 639 code.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>)]
    language: Option<Option<String>>,
    /// By name; created if it does not exist.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>)]
    category: Option<Option<String>>,
    /// Star it, or take the star away.
    starred: Option<bool>,
    /// Make it private with all that belongs to it, or open it to every model.
    private: Option<bool>,
}

impl TaskPatch {
    pub(crate) fn read(self) -> Result<dormouse::TaskPatch, Problem> {
        let mut reading = Reading::default();
        let patch = dormouse::TaskPatch {
            title: self.title,
            status: reading.parse("/status", self.status),
            status_reason: self.status_reason,
            priority: reading.clearable(self.priority, |r, text| r.parse("/priority", text)),
            due_on: reading.clearable(self.due_on, |r, text| r.day("/dueOn", text)),
            estimate_minutes: self.estimate_minutes,
            language: self.language,
            category: self.category,
            starred: self.starred,
            private: self.private,
        };
        reading.finish(patch)
    }
}

/// A checklist item to create.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ItemParams {
    /// Its title.
    pub(crate) title: String,
}

/// An entry to create.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EntryParams {
    /// The text; of a recording its transcript, of an image its description.
    text: String,
    /// The kind of entry.
    #[serde(default)]
    kind: EntryKind,
    /// Whether it is starred.
    #[serde(default)]
    starred: bool,
    /// Whether it is private: no model that is not yours sees it.
    #[serde(default)]
    private: bool,
    /// Units: minutes. For a time entry, the time spent.
    minutes: Option<u32>,
    /// The date of the entry; today by default.
    #[schema(value_type = Option<Date>)]
    on: Option<String>,
}

impl EntryParams {
    pub(crate) fn read(self) -> Result<dormouse::NewEntry, Problem> {
        let mut reading = Reading::default();
        let on = reading.day("/on", self.on);
        reading.finish(dormouse::NewEntry {
            text: self.text,
            kind: self.kind,
            minutes: self.minutes,
            on,
            starred: self.starred,
            private: self.private,
        })
    }
}

/// Time spent on a task.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TimeParams {
    /// Units: minutes.
    minutes: u32,
    /// What the time was spent on.
    #[serde(default)]
    text: String,
    /// The date; today by default.
    #[schema(value_type = Option<Date>)]
    on: Option<String>,
    /// Whether the entry is starred.
    #[serde(default)]
    starred: bool,
    /// Whether the entry is private: no model that is not yours sees it.
    #[serde(default)]
    private: bool,
}

impl TimeParams {
    pub(crate) fn read(self) -> Result<dormouse::NewEntry, Problem> {
        let Self { minutes, text, on, starred, private } = self;
        let (kind, minutes) = (EntryKind::Time, Some(minutes));
        EntryParams { text, kind, starred, private, minutes, on }.read()
    }
}

/// A label by name.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LabelParams {
    /// Created if it does not exist.
    pub(crate) name: String,
}

/// A link to another task.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LinkParams {
    /// The relation of the task to the other one. Case-insensitive.
    #[schema(value_type = LinkKind)]
    kind: String,
    /// The other task.
    #[schema(value_type = TaskId)]
    to: String,
}

impl LinkParams {
    pub(crate) fn read(self) -> Result<(LinkKind, TaskId), Problem> {
        let mut reading = Reading::default();
        let kind = reading.parse("/kind", Some(self.kind));
        let to = reading.parse("/to", Some(self.to));
        let read = reading.finish(kind.zip(to))?;
        Ok(read.expect("invalid input was refused"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_clears_and_a_field_left_out_stays() {
        let patch: TaskPatch =
            serde_json::from_str(r#"{"dueOn": null, "priority": "p1"}"#).unwrap();
        let patch = patch.read().unwrap();
        assert_eq!(patch.due_on, Some(None));
        assert_eq!(patch.priority, Some(Some(dormouse_types::task::Priority::P1)));
        assert_eq!(patch.estimate_minutes, None);
    }

    #[test]
    fn a_field_nobody_knows_is_refused() {
        let error = serde_json::from_str::<TaskParams>(r#"{"titel": "x"}"#).err().unwrap();
        assert!(error.to_string().contains("titel"), "{error}");
    }
}
