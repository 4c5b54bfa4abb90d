//! What an edit did, field by field, and how it is taken back.

use dormouse_types::task::{Priority, Status};
use dormouse_types::{CategoryId, EntryId, ItemId, LabelId};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::edit::Edit;
use crate::view::TaskView;

/// The value of one field before and after an edit. A commit has at most one per field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "field")]
pub enum Effect {
    /// The title.
    Title(Both<String>),
    /// The status with its reason.
    Status(Both<StatusValue>),
    /// The priority.
    Priority(Both<Option<Priority>>),
    /// The due day.
    DueDate(Both<Option<Date>>),
    /// The estimate in minutes.
    Estimate(Both<Option<u32>>),
    /// The language code.
    Language(Both<Option<String>>),
    /// The category.
    Category(Both<Option<CategoryId>>),
    /// Whether an item is there.
    Item {
        /// The item.
        item: ItemId,
        /// What the item was like when the edit was done.
        like: ItemValue,
        /// Before and after.
        #[serde(flatten)]
        there: Both<bool>,
    },
    /// The title of an item.
    ItemTitle {
        /// The item.
        item: ItemId,
        /// Before and after.
        #[serde(flatten)]
        title: Both<String>,
    },
    /// Whether an item is ticked.
    ItemChecked {
        /// The item.
        item: ItemId,
        /// Before and after.
        #[serde(flatten)]
        checked: Both<bool>,
    },
    /// Whether an item is archived.
    ItemArchived {
        /// The item.
        item: ItemId,
        /// Before and after.
        #[serde(flatten)]
        archived: Both<bool>,
    },
    /// Whether an entry is there.
    Entry {
        /// The entry.
        entry: EntryId,
        /// SHA-256 of what it said when the edit was done.
        said: String,
        /// Before and after.
        #[serde(flatten)]
        there: Both<bool>,
    },
    /// The person's text of an entry.
    EntryText {
        /// The entry.
        entry: EntryId,
        /// Before and after.
        #[serde(flatten)]
        text: Both<Option<String>>,
    },
    /// Whether a label is on the task.
    Label {
        /// The label.
        label: LabelId,
        /// Before and after.
        #[serde(flatten)]
        on: Both<bool>,
    },
    /// Whether agents may not propose a label.
    LabelSuppressed {
        /// The label.
        label: LabelId,
        /// Before and after.
        #[serde(flatten)]
        suppressed: Both<bool>,
    },
    /// Whether the task itself is there.
    Task(Both<bool>),
}

/// A value before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Both<T> {
    /// Before the edit.
    pub before: T,
    /// After it.
    pub after: T,
}

/// A status with its reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusValue {
    /// The status.
    pub status: Status,
    /// Why.
    pub reason: Option<String>,
}

/// What undo compares of an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ItemValue {
    /// Its title.
    pub title: String,
    /// Whether it is ticked.
    pub is_checked: bool,
    /// Whether it is archived.
    pub is_archived: bool,
}

/// The field has been changed since: undoing would overwrite that.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field} cannot be undone: it was set to {set}, and is {now} now")]
pub struct Changed {
    /// `title`, `dueDate`, `item:<id>`, …
    pub field: String,
    /// The value now, as shown to a person.
    pub now: String,
    /// The value the edit had set.
    pub set: String,
}

impl Effect {
    /// The field as problems and records name it: `title`, `item:<id>`, `label:<id>`, …
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
            | Self::ItemArchived { item, .. } => format!("item:{item}"),
            Self::Entry { entry, .. } | Self::EntryText { entry, .. } => format!("entry:{entry}"),
            Self::Label { label, .. } | Self::LabelSuppressed { label, .. } => {
                format!("label:{label}")
            }
            Self::Task(_) => "task".into(),
        }
    }
}

/// The edits that take effects back.
///
/// Errors: a field that no longer has the value the effects gave it.
pub fn undo(view: &TaskView, effects: &[Effect]) -> Result<Vec<Edit>, Changed> {
    // Backwards: what was made last goes first, and a deleted task is restored before its fields.
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

fn there(is: &bool) -> String {
    if *is { "there".into() } else { "gone".into() }
}

fn inverse(view: &TaskView, all: &[Effect], effect: &Effect) -> Result<Edit, Changed> {
    let task = &view.task.value;
    Ok(match effect {
        Effect::Title(both) => {
            same(effect, &task.title, &both.after, |title| quoted(title))?;
            if both.before.is_empty() { Edit::ClearTitle } else { Edit::Title(both.before.clone()) }
        }
        Effect::Status(both) => {
            let now =
                StatusValue { status: task.status.status, reason: task.status.reason.clone() };
            same(effect, &now, &both.after, |value| match &value.reason {
                Some(reason) => format!("{} ({})", value.status, quoted(reason)),
                None => value.status.to_string(),
            })?;
            Edit::Status { status: both.before.status, reason: both.before.reason.clone() }
        }
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
        Effect::Item { .. }
        | Effect::ItemTitle { .. }
        | Effect::ItemChecked { .. }
        | Effect::ItemArchived { .. } => item_inverse(view, all, effect)?,
        Effect::Entry { .. } | Effect::EntryText { .. } => entry_inverse(view, all, effect)?,
        Effect::Label { label, on } => {
            same(effect, &task.label_ids.contains(label), &on.after, there)?;
            if on.after {
                Edit::WithdrawLabel(label.clone())
            } else {
                Edit::ReturnLabel(label.clone())
            }
        }
        Effect::LabelSuppressed { label, suppressed } => {
            let now = task.ai_suppressed_label_ids.contains(label);
            same(effect, &now, &suppressed.after, |is| {
                if *is { "suppressed".into() } else { "allowed".into() }
            })?;
            if suppressed.after {
                Edit::UnsuppressLabel(label.clone())
            } else {
                Edit::SuppressLabel(label.clone())
            }
        }
        Effect::Task(both) => {
            same(effect, &task.deleted_at.is_none(), &both.after, there)?;
            if both.after { Edit::Delete } else { Edit::Restore }
        }
    })
}

fn item_inverse(view: &TaskView, all: &[Effect], effect: &Effect) -> Result<Edit, Changed> {
    let (Effect::Item { item: id, .. }
    | Effect::ItemTitle { item: id, .. }
    | Effect::ItemChecked { item: id, .. }
    | Effect::ItemArchived { item: id, .. }) = effect
    else {
        unreachable!("the caller passes effects on items only")
    };
    let live = view.items.iter().find(|item| item.value.id == *id).map(|doc| &doc.value);
    // What the same effects took away comes back before its fields do.
    let taken = all.iter().any(
        |other| matches!(other, Effect::Item { item, there, .. } if item == id && !there.after),
    );
    let back = view.removed_items.iter().find(|item| taken && item.value.id == *id);
    let known = live.or(back.map(|doc| &doc.value));
    let gone = |set: String| Changed { field: effect.field(), now: "gone".into(), set };
    let tick = |is: &bool| if *is { "ticked".into() } else { "not ticked".into() };
    match effect {
        Effect::Item { like, there: both, .. } => {
            same(effect, &live.is_some(), &both.after, there)?;
            let Some(item) = live else { return Ok(Edit::RestoreItem(id.clone())) };
            let now = ItemValue {
                title: item.title.clone(),
                is_checked: item.is_checked,
                is_archived: item.is_archived,
            };
            same(effect, &now, like, |value| {
                let archived = if value.is_archived { ", archived" } else { "" };
                format!("{} ({}{archived})", quoted(&value.title), tick(&value.is_checked))
            })?;
            Ok(Edit::RemoveItem(id.clone()))
        }
        Effect::ItemTitle { title, .. } => {
            let item = known.ok_or_else(|| gone(quoted(&title.after)))?;
            same(effect, &item.title, &title.after, |title| quoted(title))?;
            Ok(Edit::RenameItem { item: id.clone(), title: title.before.clone() })
        }
        Effect::ItemChecked { checked, .. } => {
            let item = known.ok_or_else(|| gone(tick(&checked.after)))?;
            same(effect, &item.is_checked, &checked.after, tick)?;
            Ok(Edit::CheckItem { item: id.clone(), is_checked: checked.before })
        }
        Effect::ItemArchived { archived, .. } => {
            let show = |is: &bool| if *is { "archived".into() } else { "in the list".into() };
            let item = known.ok_or_else(|| gone(show(&archived.after)))?;
            same(effect, &item.is_archived, &archived.after, show)?;
            Ok(Edit::ArchiveItem { item: id.clone(), is_archived: archived.before })
        }
        _ => unreachable!("the caller passes effects on items only"),
    }
}

fn entry_inverse(view: &TaskView, all: &[Effect], effect: &Effect) -> Result<Edit, Changed> {
    match effect {
        Effect::Entry { entry: id, said, there: both } => {
            let live = view.entries.iter().find(|entry| entry.value.id == *id);
            same(effect, &live.is_some(), &both.after, there)?;
            let Some(entry) = live else { return Ok(Edit::RestoreEntry(id.clone())) };
            let now = dormouse_types::hash::sha256(entry.value.says());
            if now.as_str() != said {
                let now = quoted(entry.value.says());
                return Err(Changed { field: effect.field(), now, set: "another text".into() });
            }
            Ok(Edit::DeleteEntry(id.clone()))
        }
        Effect::EntryText { entry: id, text } => {
            let taken = all.iter().any(|other| {
                matches!(other, Effect::Entry { entry, there, .. } if entry == id && !there.after)
            });
            let back = view.deleted_entries.iter().filter(|_| taken);
            let live = view.entries.iter().chain(back).find(|entry| entry.value.id == *id);
            let show = |text: &Option<String>| text.as_deref().map_or("empty".into(), quoted);
            let Some(entry) = live else {
                return Err(Changed {
                    field: effect.field(),
                    now: "gone".into(),
                    set: show(&text.after),
                });
            };
            same(effect, &entry.value.text, &text.after, show)?;
            Ok(Edit::EditEntry { entry: id.clone(), text: text.before.clone() })
        }
        _ => unreachable!("the caller passes effects on entries only"),
    }
}
