//! The content of a file's task, and the content last imported.

use std::collections::BTreeMap;

use dormouse_types::task::{EntryKind, Flag, Flags, Priority, Status};
use dormouse_types::{Digest, EntryId, ItemId, Timestamp, draft, hash};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

/// A draft without its place in the file, with values normalised as in the journal.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(super) struct Content {
    pub(super) title: String,
    pub(super) status: Option<Status>,
    pub(super) status_reason: Option<String>,
    pub(super) priority: Option<Priority>,
    pub(super) due_on: Option<Date>,
    pub(super) estimate_minutes: Option<u32>,
    pub(super) language: Option<String>,
    pub(super) category: Option<String>,
    pub(super) labels: Vec<String>,
    // A flag that is not set is left out, so that the digest of a file without flags is the same as
    // in versions that did not know them.
    #[serde(skip_serializing_if = "Flags::is_none")]
    pub(super) flags: Flags,
    pub(super) items: Vec<Item>,
    pub(super) entries: Vec<Entry>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Item {
    pub(super) key: String,
    pub(super) title: String,
    pub(super) is_checked: bool,
    pub(super) depth: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) text: String,
    pub(super) on: Option<Date>,
    #[serde(skip_serializing_if = "is_text")]
    pub(super) kind: EntryKind,
    #[serde(skip_serializing_if = "Flags::is_none")]
    pub(super) flags: Flags,
}

impl Item {
    /// The same for the same title and tick.
    pub(super) fn digest(&self) -> Digest {
        hash::joined(&[&self.title, if self.is_checked { "x" } else { "" }])
    }
}

impl Entry {
    /// An entry without words that is otherwise the same.
    pub(super) fn clone_without_text(&self) -> Self {
        Self {
            key: self.key.clone(),
            text: String::new(),
            on: self.on,
            kind: self.kind,
            flags: self.flags,
        }
    }

    /// The same for the same text and marks.
    pub(super) fn digest(&self) -> Digest {
        let marks = Flag::ALL.iter().filter(|flag| self.flags.has(**flag)).map(|flag| flag.name());
        let parts: Vec<&str> = std::iter::once(self.text.as_str()).chain(marks).collect();
        hash::joined(&parts)
    }
}

fn is_text(kind: &EntryKind) -> bool {
    *kind == EntryKind::Text
}

/// The last import under one key. Items and entries that left the file stay listed, so that they
/// are recognised if they come back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Last {
    /// How often this key was imported.
    pub(super) n: u64,
    /// The digest of the content; `None` before the first import.
    pub(super) digest: Option<Digest>,
    /// When the task was last changed before the file was exported from here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) as_of: Option<Timestamp>,
    pub(super) title: String,
    pub(super) status: Option<Status>,
    pub(super) status_reason: Option<String>,
    pub(super) priority: Option<Priority>,
    pub(super) due_on: Option<Date>,
    pub(super) estimate_minutes: Option<u32>,
    pub(super) language: Option<String>,
    pub(super) category: Option<String>,
    pub(super) labels: Vec<String>,
    #[serde(default)]
    pub(super) flags: Flags,
    pub(super) items: BTreeMap<String, LastItem>,
    pub(super) entries: BTreeMap<String, LastEntry>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LastItem {
    pub(super) id: ItemId,
    pub(super) title: String,
    pub(super) is_checked: bool,
    /// Whether the file did not have it any more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_gone: bool,
    /// What the file said of it while it was removed here: named then, and compared once it is restored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) unseen: Option<Digest>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LastEntry {
    pub(super) id: EntryId,
    /// The digest of its text; the text itself is in the entry.
    pub(super) digest: Digest,
    #[serde(default)]
    pub(super) flags: Flags,
    /// What the file said of it while it was deleted here: named then, and compared once it is restored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) unseen: Option<Digest>,
}

impl Last {
    /// Whether each part of the file was compared with the task: none of them was deleted here.
    pub(super) fn is_whole(&self) -> bool {
        self.items.values().all(|item| item.unseen.is_none())
            && self.entries.values().all(|entry| entry.unseen.is_none())
    }
}

impl LastItem {
    /// An item that the journal has, and of which the file has said nothing yet.
    pub(super) fn new(id: ItemId, title: String, is_checked: bool) -> Self {
        Self { id, title, is_checked, is_gone: false, unseen: None }
    }
}

pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The reason of a status that needs one, where the file says none: that the file states it. A status
/// that was left out for lack of a reason would be lost without a trace.
fn unsaid(draft: &draft::Task) -> Option<String> {
    let status = draft.status.filter(|status| status.needs_reason())?;
    let words = status.name().to_lowercase();
    Some(format!("Marked as {words} in the imported list"))
}

/// The key, numbered when a draft repeats it: two lines never share a journal row.
fn own_key(seen: &mut BTreeMap<String, u32>, key: &str) -> String {
    let n = seen.entry(key.to_owned()).or_default();
    *n += 1;
    if *n == 1 { key.to_owned() } else { format!("{key}#{n}") }
}

impl Content {
    pub(super) fn of(draft: &draft::Task) -> Self {
        let name = |text: &String| Some(one_line(text)).filter(|text| !text.is_empty());
        let mut labels: Vec<String> = Vec::new();
        for label in draft.labels.iter().filter_map(name) {
            if !labels.iter().any(|known| known.to_lowercase() == label.to_lowercase()) {
                labels.push(label);
            }
        }
        let (mut item_keys, mut entry_keys) = (BTreeMap::new(), BTreeMap::new());
        let items = draft.items.iter().map(|item| Item {
            key: own_key(&mut item_keys, &item.key),
            title: one_line(&item.title),
            is_checked: item.is_checked,
            depth: item.depth,
        });
        let entries = draft.entries.iter().map(|entry| Entry {
            key: own_key(&mut entry_keys, &entry.key),
            text: entry.text.clone(),
            on: entry.on,
            // A draft has no minutes: in a file, time is text.
            kind: if entry.kind.is_derived() { entry.kind } else { EntryKind::Text },
            flags: entry.flags,
        });
        Self {
            title: one_line(&draft.title),
            status: draft.status,
            status_reason: draft.status_reason.as_ref().and_then(name).or_else(|| unsaid(draft)),
            priority: draft.priority,
            due_on: draft.due_on,
            estimate_minutes: draft.estimate_minutes,
            language: draft.language.as_ref().map(|code| code.trim().to_lowercase()),
            category: draft.category.as_ref().and_then(name),
            labels,
            flags: draft.flags,
            // An item without words would be refused, and carries no information.
            items: items.filter(|item| !item.title.is_empty()).collect(),
            entries: entries.filter(|entry| !entry.text.trim().is_empty()).collect(),
        }
    }

    /// The same for two files with the same content.
    pub(super) fn digest(&self) -> Digest {
        hash::sha256(hash::canonical(self).expect("what a file says is plain data"))
    }
}
