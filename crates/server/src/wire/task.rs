//! Bodies about a task and its parts.

use dormouse_types::task::EntryKind;
use serde::{Deserialize, Deserializer};

use super::Reading;
use crate::Problem;

/// A task to be made.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct TaskParams {
    #[serde(default)]
    title: String,
    status: Option<String>,
    status_reason: Option<String>,
    priority: Option<String>,
    due_on: Option<String>,
    estimate_minutes: Option<u32>,
    language: Option<String>,
    category: Option<String>,
    #[serde(default)]
    labels: Vec<String>,
    note: Option<String>,
    #[serde(default)]
    items: Vec<String>,
}

impl TaskParams {
    pub(crate) fn read(self) -> Result<dormouse::NewTask, Problem> {
        let mut reading = Reading::default();
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
            note: self.note,
            items: self.items,
        };
        reading.finish(task)
    }
}

/// Fields of a task to be set; `null` clears.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct TaskPatch {
    title: Option<String>,
    status: Option<String>,
    status_reason: Option<String>,
    #[serde(default, deserialize_with = "present")]
    priority: Option<Option<String>>,
    #[serde(default, deserialize_with = "present")]
    due_on: Option<Option<String>>,
    #[serde(default, deserialize_with = "present")]
    estimate_minutes: Option<Option<u32>>,
    #[serde(default, deserialize_with = "present")]
    language: Option<Option<String>>,
    #[serde(default, deserialize_with = "present")]
    category: Option<Option<String>>,
}

/// Tells a value that is `null` from one that is left out.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
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
        };
        reading.finish(patch)
    }
}

/// A checklist item to be made.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ItemParams {
    pub(crate) title: String,
}

/// Values of an item to be set.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ItemPatch {
    title: Option<String>,
    is_checked: Option<bool>,
    is_archived: Option<bool>,
}

impl From<ItemPatch> for dormouse::ItemPatch {
    fn from(patch: ItemPatch) -> Self {
        Self { title: patch.title, is_checked: patch.is_checked, is_archived: patch.is_archived }
    }
}

/// An entry to be made.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EntryParams {
    text: String,
    #[serde(default)]
    kind: EntryKind,
    minutes: Option<u32>,
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
        })
    }
}

/// A span of time spent.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TimeParams {
    minutes: u32,
    #[serde(default)]
    text: String,
    on: Option<String>,
}

impl TimeParams {
    pub(crate) fn read(self) -> Result<dormouse::NewEntry, Problem> {
        let minutes = Some(self.minutes);
        EntryParams { text: self.text, kind: EntryKind::Time, minutes, on: self.on }.read()
    }
}

/// The text of an entry.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EntryPatch {
    pub(crate) text: String,
}

/// A label by name.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LabelParams {
    pub(crate) name: String,
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
