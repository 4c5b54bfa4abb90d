//! What an edit changed, field by field, and how to undo it.

use dormouse_store::journal::entry::Entry;
use dormouse_store::journal::item::Item;
use dormouse_store::journal::task::Task;
use dormouse_types::closed_list::Listed;
use dormouse_types::task::{Flag, LinkKind, Priority, Status};
use dormouse_types::{CategoryId, EntryId, ItemId, LabelId, TaskId, TaskLinkId, hash};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::edit::{Edit, Place};
use crate::view::TaskView;

/// The value of one field before and after an edit. A commit has at most one effect per field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "field")]
pub enum Effect {
    Title(BeforeAfter<String>),
    /// The status with its reason.
    Status(BeforeAfter<StatusValue>),
    Priority(BeforeAfter<Option<Priority>>),
    /// The due day.
    DueDate(BeforeAfter<Option<Date>>),
    /// The estimate in minutes.
    Estimate(BeforeAfter<Option<u32>>),
    /// The language code.
    Language(BeforeAfter<Option<String>>),
    Category(BeforeAfter<Option<CategoryId>>),
    /// A flag of the task.
    Flag {
        flag: Flag,
        #[serde(flatten)]
        is_set: BeforeAfter<bool>,
    },
    /// Whether an item exists.
    Item {
        item: ItemId,
        /// The item's values right after the edit.
        like: ItemValue,
        #[serde(flatten)]
        there: BeforeAfter<bool>,
    },
    ItemTitle {
        item: ItemId,
        #[serde(flatten)]
        title: BeforeAfter<String>,
    },
    /// Whether an item is ticked.
    ItemChecked {
        item: ItemId,
        #[serde(flatten)]
        checked: BeforeAfter<bool>,
    },
    /// Whether an item is archived.
    ItemArchived {
        item: ItemId,
        #[serde(flatten)]
        archived: BeforeAfter<bool>,
    },
    /// The task that an item belongs to.
    ItemTask {
        item: ItemId,
        /// The task before the edit.
        from: TaskId,
        /// Where in it the item was.
        place: Place,
        /// The task after the edit.
        to: TaskId,
    },
    /// Whether an entry exists.
    Entry {
        entry: EntryId,
        /// SHA-256 of its text right after the edit.
        #[serde(rename = "said")]
        text_hash: String,
        #[serde(flatten)]
        there: BeforeAfter<bool>,
    },
    /// The person's text of an entry.
    EntryText {
        entry: EntryId,
        #[serde(flatten)]
        text: BeforeAfter<Option<String>>,
    },
    EntryFlag {
        entry: EntryId,
        flag: Flag,
        #[serde(flatten)]
        is_set: BeforeAfter<bool>,
    },
    /// Whether a label is on the task.
    Label {
        label: LabelId,
        #[serde(flatten)]
        on: BeforeAfter<bool>,
    },
    /// Whether a label is suppressed: agents may not propose it.
    LabelSuppressed {
        label: LabelId,
        #[serde(flatten)]
        suppressed: BeforeAfter<bool>,
    },
    /// Whether a link exists.
    Link {
        link: TaskLinkId,
        /// How the two are related.
        kind: Listed<LinkKind>,
        /// The task at the other end.
        other: TaskId,
        #[serde(flatten)]
        there: BeforeAfter<bool>,
    },
    /// Whether the task itself exists, that is, is not deleted.
    Task(BeforeAfter<bool>),
}

/// A value before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BeforeAfter<T> {
    /// Before the edit.
    pub before: T,
    pub after: T,
}

/// A status with its reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusValue {
    pub status: Status,
    /// Why.
    pub reason: Option<String>,
}

/// The values of an item that undo compares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ItemValue {
    pub title: String,
    /// Whether it is ticked.
    pub is_checked: bool,
    /// Whether it is archived.
    pub is_archived: bool,
}

/// The field was changed again: undoing would overwrite that change.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field} cannot be undone: it was set to {set} and is now {now}")]
pub struct Changed {
    /// `title`, `dueDate`, `item:<id>`, …
    pub field: String,
    /// The value now, as shown to a person.
    pub now: String,
    /// The value the edit set.
    pub set: String,
}

impl Effect {
    /// The field as errors and records name it: `title`, `item:<id>`, `label:<id>`, …
    pub fn field(&self) -> String {
        match self {
            Self::Title(_) => "title".into(),
            Self::Status(_) => "status".into(),
            Self::Priority(_) => "priority".into(),
            Self::DueDate(_) => "dueDate".into(),
            Self::Estimate(_) => "estimate".into(),
            Self::Language(_) => "language".into(),
            Self::Category(_) => "category".into(),
            Self::Item { item, .. }
            | Self::ItemTitle { item, .. }
            | Self::ItemChecked { item, .. }
            | Self::ItemArchived { item, .. }
            | Self::ItemTask { item, .. } => format!("item:{item}"),
            Self::Flag { flag, .. } => flag.name().into(),
            Self::Entry { entry, .. }
            | Self::EntryText { entry, .. }
            | Self::EntryFlag { entry, .. } => format!("entry:{entry}"),
            Self::Label { label, .. } | Self::LabelSuppressed { label, .. } => {
                format!("label:{label}")
            }
            Self::Link { link, .. } => format!("link:{link}"),
            Self::Task(_) => "task".into(),
        }
    }
}

/// Returns the edits that undo the effects.
///
/// Errors: a field no longer has the value the effects gave it.
pub fn undo(view: &TaskView, effects: &[Effect]) -> Result<Vec<Edit>, Changed> {
    // In reverse: the last addition is removed first, and a deleted task is restored before its
    // fields.
    effects.iter().rev().map(|effect| inverse(view, effects, effect)).collect()
}

fn same<T: PartialEq>(
    effect: &Effect,
    now: &T,
    set: &T,
    show: impl Fn(&T) -> String,
) -> Result<(), Changed> {
    if now == set {
        return Ok(());
    }
    Err(Changed { field: effect.field(), now: show(now), set: show(set) })
}

fn quoted(text: &str) -> String {
    let short: String = text.chars().take(80).collect();
    if short.len() < text.len() { format!("\"{short}…\"") } else { format!("\"{short}\"") }
}

fn optional<T: std::fmt::Display>(value: &Option<T>) -> String {
    value.as_ref().map_or_else(|| "empty".into(), ToString::to_string)
}

fn presence_word(is: &bool) -> String {
    if *is { "there".into() } else { "gone".into() }
}

fn inverse(view: &TaskView, all: &[Effect], effect: &Effect) -> Result<Edit, Changed> {
    let task = &view.task.value;
    Ok(match effect {
        Effect::Title(both) => {
            same(effect, &task.title, &both.after, |title| quoted(title))?;
            if both.before.is_empty() { Edit::ClearTitle } else { Edit::Title(both.before.clone()) }
        }
        Effect::Status(both) => inverse_of_status(task, effect, both)?,
        Effect::Priority(both) => {
            same(effect, &task.priority, &both.after, optional)?;
            Edit::Priority(both.before)
        }
        Effect::DueDate(both) => {
            same(effect, &task.due_on, &both.after, optional)?;
            Edit::DueOn(both.before)
        }
        Effect::Estimate(both) => {
            same(effect, &task.estimate_minutes, &both.after, optional)?;
            Edit::Estimate(both.before)
        }
        Effect::Language(both) => {
            same(effect, &task.language_code, &both.after, optional)?;
            Edit::Language { code: both.before.clone() }
        }
        Effect::Category(both) => {
            same(effect, &task.category_id, &both.after, optional)?;
            Edit::Category(both.before.clone())
        }
        Effect::Flag { flag, is_set } => {
            same(effect, &task.flags.has(*flag), &is_set.after, flag_word)?;
            Edit::Flag { flag: *flag, is_set: is_set.before }
        }
        Effect::Item { item, like, there } => inverse_of_item(view, effect, item, like, there)?,
        Effect::ItemTitle { item: id, title } => {
            let item =
                item(view, all, id).ok_or_else(|| was_removed(effect, quoted(&title.after)))?;
            same(effect, &item.title, &title.after, |title| quoted(title))?;
            Edit::RenameItem { item: id.clone(), title: title.before.clone() }
        }
        Effect::ItemChecked { item: id, checked } => {
            let item = item(view, all, id)
                .ok_or_else(|| was_removed(effect, checked_word(&checked.after)))?;
            same(effect, &item.is_checked, &checked.after, checked_word)?;
            Edit::CheckItem { item: id.clone(), is_checked: checked.before }
        }
        Effect::ItemArchived { item: id, archived } => {
            let item = item(view, all, id)
                .ok_or_else(|| was_removed(effect, archived_word(&archived.after)))?;
            same(effect, &item.is_archived, &archived.after, archived_word)?;
            Edit::ArchiveItem { item: id.clone(), is_archived: archived.before }
        }
        // It goes back as it is now: what was changed is where it belongs.
        Effect::ItemTask { item: id, from, place, to } => {
            let is_there = view.id() == to && view.items.iter().any(|doc| doc.value.id == *id);
            same(effect, &is_there, &true, presence_word)?;
            Edit::MoveItem { item: id.clone(), to: from.clone(), place: Some(place.clone()) }
        }
        Effect::Entry { entry, text_hash, there } => {
            inverse_of_entry(view, effect, entry, text_hash, there)?
        }
        Effect::EntryText { entry: id, text } => {
            let show = |text: &Option<String>| text.as_deref().map_or("empty".into(), quoted);
            let entry =
                entry(view, all, id).ok_or_else(|| was_removed(effect, show(&text.after)))?;
            same(effect, &entry.text, &text.after, show)?;
            Edit::EditEntry { entry: id.clone(), text: text.before.clone() }
        }
        Effect::EntryFlag { entry: id, flag, is_set } => {
            let entry = entry(view, all, id)
                .ok_or_else(|| was_removed(effect, flag_word(&is_set.after)))?;
            same(effect, &entry.flags.has(*flag), &is_set.after, flag_word)?;
            Edit::FlagEntry { entry: id.clone(), flag: *flag, is_set: is_set.before }
        }
        Effect::Label { label, on } => {
            same(effect, &task.label_ids.contains(label), &on.after, presence_word)?;
            if on.after {
                Edit::WithdrawLabel(label.clone())
            } else {
                Edit::ReturnLabel(label.clone())
            }
        }
        Effect::LabelSuppressed { label, suppressed } => {
            inverse_of_suppression(task, effect, label, suppressed)?
        }
        Effect::Link { link, there: both, .. } => {
            let is_live = view.links.iter().any(|edge| edge.doc.value.id == *link);
            same(effect, &is_live, &both.after, presence_word)?;
            if both.after { Edit::Unlink(link.clone()) } else { Edit::RestoreLink(link.clone()) }
        }
        Effect::Task(both) => {
            same(effect, &task.deleted_at.is_none(), &both.after, presence_word)?;
            if both.after { Edit::Delete } else { Edit::Restore }
        }
    })
}

fn inverse_of_status(
    task: &Task,
    effect: &Effect,
    both: &BeforeAfter<StatusValue>,
) -> Result<Edit, Changed> {
    let now = StatusValue { status: task.status.status, reason: task.status.reason.clone() };
    same(effect, &now, &both.after, |value| match &value.reason {
        Some(reason) => format!("{} ({})", value.status, quoted(reason)),
        None => value.status.to_string(),
    })?;
    Ok(Edit::Status { status: both.before.status, reason: both.before.reason.clone() })
}

fn inverse_of_item(
    view: &TaskView,
    effect: &Effect,
    id: &ItemId,
    like: &ItemValue,
    both: &BeforeAfter<bool>,
) -> Result<Edit, Changed> {
    let live = view.items.iter().find(|item| item.value.id == *id);
    same(effect, &live.is_some(), &both.after, presence_word)?;
    let Some(doc) = live else { return Ok(Edit::RestoreItem(id.clone())) };
    let item = &doc.value;
    let now = ItemValue {
        title: item.title.clone(),
        is_checked: item.is_checked,
        is_archived: item.is_archived,
    };
    same(effect, &now, like, item_shown)?;
    Ok(Edit::RemoveItem(id.clone()))
}

fn inverse_of_entry(
    view: &TaskView,
    effect: &Effect,
    id: &EntryId,
    text_hash: &str,
    both: &BeforeAfter<bool>,
) -> Result<Edit, Changed> {
    let live = view.entries.iter().find(|entry| entry.value.id == *id);
    same(effect, &live.is_some(), &both.after, presence_word)?;
    match live {
        None => Ok(Edit::RestoreEntry(id.clone())),
        Some(entry) if hash::sha256(entry.value.says()).as_str() != text_hash => {
            let now = quoted(entry.value.says());
            Err(Changed { field: effect.field(), now, set: "another text".into() })
        }
        Some(_) => Ok(Edit::DeleteEntry(id.clone())),
    }
}

fn inverse_of_suppression(
    task: &Task,
    effect: &Effect,
    label: &LabelId,
    suppressed: &BeforeAfter<bool>,
) -> Result<Edit, Changed> {
    let now = task.ai_suppressed_label_ids.contains(label);
    same(effect, &now, &suppressed.after, |is| {
        if *is { "suppressed".into() } else { "allowed".into() }
    })?;
    Ok(if suppressed.after {
        Edit::UnsuppressLabel(label.clone())
    } else {
        Edit::SuppressLabel(label.clone())
    })
}

fn was_removed(effect: &Effect, set: String) -> Changed {
    Changed { field: effect.field(), now: "gone".into(), set }
}

fn checked_word(is: &bool) -> String {
    if *is { "ticked".into() } else { "not ticked".into() }
}

fn flag_word(is: &bool) -> String {
    if *is { "set".into() } else { "not set".into() }
}

fn archived_word(is: &bool) -> String {
    if *is { "archived".into() } else { "in the list".into() }
}

fn item_shown(value: &ItemValue) -> String {
    let archived = if value.is_archived { ", archived" } else { "" };
    format!("{} ({}{archived})", quoted(&value.title), checked_word(&value.is_checked))
}

/// A live item, or one the same effects removed: it is restored before its values.
fn item<'a>(view: &'a TaskView, all: &[Effect], id: &ItemId) -> Option<&'a Item> {
    let taken = all.iter().any(
        |other| matches!(other, Effect::Item { item, there, .. } if item == id && !there.after),
    );
    let back = view.removed_items.iter().filter(|_| taken);
    view.items.iter().chain(back).map(|doc| &doc.value).find(|item| item.id == *id)
}

/// A live entry, or one the same effects removed.
fn entry<'a>(view: &'a TaskView, all: &[Effect], id: &EntryId) -> Option<&'a Entry> {
    let taken = all.iter().any(
        |other| matches!(other, Effect::Entry { entry, there, .. } if entry == id && !there.after),
    );
    let back = view.deleted_entries.iter().filter(|_| taken);
    view.entries.iter().chain(back).map(|doc| &doc.value).find(|entry| entry.id == *id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_effect_on_an_entry_is_read_as_it_was_always_stored() {
        let stored = r#"{"field":"entry","entry":"en-01jd7m3k5vn2c8q4w6x0z9abcd","said":"5f","before":false,"after":true}"#;
        let effect: Effect = serde_json::from_str(stored).expect("a stored effect");
        assert_eq!(serde_json::to_string(&effect).expect("plain data"), stored);
    }
}
