//! One task: create and edit.

use std::ops::Not;

use dormouse_journal::{Edit, RuleError, TaskView};
use dormouse_store::journal::label::Label;
use dormouse_types::task::{EntryKind, Flag, Flags, Priority, Status};
use dormouse_types::{Caller, EntryId, Id as _, ItemId, Scope, TaskId};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::request::{edit_ctx, require};
use crate::view::Task;
use crate::{Dormouse, Error};

/// A task to create.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct NewTask {
    /// May be empty.
    pub title: String,
    /// OPEN by default.
    pub status: Option<Status>,
    /// The reason; required for BLOCKED and ON HOLD.
    pub status_reason: Option<String>,
    /// Counts as P2 if absent.
    pub priority: Option<Priority>,
    /// The day it is due.
    pub due_on: Option<Date>,
    /// Units: minutes.
    pub estimate_minutes: Option<u32>,
    /// ISO 639 code.
    pub language: Option<String>,
    /// By name; created if it does not exist.
    pub category: Option<String>,
    /// By name; created if they do not exist.
    pub labels: Vec<String>,
    /// Whether it is starred.
    #[serde(skip_serializing_if = "Not::not")]
    pub starred: bool,
    /// Whether it is private, with all that belongs to it.
    #[serde(skip_serializing_if = "Not::not")]
    pub private: bool,
    /// A first note.
    pub note: Option<String>,
    /// Checklist items.
    pub items: Vec<String>,
}

/// Fields of a task to set; the inner `None` clears one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TaskPatch {
    /// The title.
    pub title: Option<String>,
    /// The status.
    pub status: Option<Status>,
    /// Its reason.
    pub status_reason: Option<String>,
    /// The priority.
    pub priority: Option<Option<Priority>>,
    /// The day it is due.
    pub due_on: Option<Option<Date>>,
    /// Units: minutes.
    pub estimate_minutes: Option<Option<u32>>,
    /// ISO 639 code.
    pub language: Option<Option<String>>,
    /// By name.
    pub category: Option<Option<String>>,
    /// Star it, or take the star away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub starred: Option<bool>,
    /// Make it private, or open it to every model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub private: Option<bool>,
}

// Receipts keep the names of the fields as they are here.
/// Fields of an item to set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(rename_all = "camelCase"))]
#[serde(rename_all(deserialize = "camelCase"), deny_unknown_fields)]
pub struct ItemPatch {
    /// Its title.
    pub title: Option<String>,
    /// Whether it is ticked.
    pub is_checked: Option<bool>,
    /// Whether it is archived.
    pub is_archived: Option<bool>,
}

/// An entry to create.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct NewEntry {
    /// Markdown.
    pub text: String,
    /// The kind of entry.
    pub kind: EntryKind,
    /// Units: minutes. For a time entry, the time spent.
    pub minutes: Option<u32>,
    /// The date of the entry; today by default.
    pub on: Option<Date>,
    /// Whether it is starred.
    #[serde(skip_serializing_if = "Not::not")]
    pub starred: bool,
    /// Whether it is private.
    #[serde(skip_serializing_if = "Not::not")]
    pub private: bool,
}

/// Fields of an entry to set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct EntryPatch {
    /// The new text.
    pub text: Option<String>,
    /// Star it, or take the star away.
    pub starred: Option<bool>,
    /// Make it private, or open it to every model. In a private task it stays private.
    pub private: Option<bool>,
}

/// The flags that a request sets or clears.
fn flags_of(starred: Option<bool>, private: Option<bool>) -> impl Iterator<Item = (Flag, bool)> {
    let given = [(Flag::Starred, starred), (Flag::Private, private)];
    given.into_iter().filter_map(|(flag, is_set)| Some((flag, is_set?)))
}

/// The task does not have the label that a request names.
#[derive(Debug, thiserror::Error)]
#[error("the label is not on the task")]
struct NotOnTask;

impl Dormouse {
    /// Creates a task.
    pub async fn create_task(
        &self,
        caller: &Caller,
        new: NewTask,
        key: Option<String>,
    ) -> Result<Task, Error> {
        require(caller, Scope::Edit)?;
        let ctx = edit_ctx(caller, "task.create", &new, None, key.as_deref())?;
        let ws = caller.workspace;
        let mut edits = Vec::new();
        if let Some(status) = new.status {
            edits.push(Edit::Status { status, reason: new.status_reason });
        }
        edits.extend(new.priority.map(|priority| Edit::Priority(Some(priority))));
        edits.extend(new.due_on.map(|day| Edit::DueOn(Some(day))));
        edits.extend(new.estimate_minutes.map(|minutes| Edit::Estimate(Some(minutes))));
        edits.extend(new.language.map(|code| Edit::Language { code: Some(code) }));
        if let Some(name) = &new.category {
            let category = self.journal.ensure_category(ws, name, &ctx).await?;
            edits.push(Edit::Category(Some(category.id)));
        }
        for name in &new.labels {
            let label = self.journal.ensure_label(ws, name, &ctx).await?;
            edits.push(Edit::AddLabel(label.id));
        }
        let items = new.items.into_iter();
        edits.extend(items.map(|title| Edit::AddItem { title, is_checked: false, depth: 0 }));
        // Before the note: from its first row on, what a private task holds is private.
        let flags = Flags { starred: new.starred, private: new.private };
        let set = Flag::ALL.iter().copied().filter(|flag| flags.has(*flag));
        edits.extend(set.map(|flag| Edit::Flag { flag, is_set: true }));
        edits.extend(new.note.map(Edit::note));
        let new = dormouse_journal::NewTask { title: new.title, edits };
        let edited = self.journal.create(ws, &new, &ctx).await?;
        Ok(self.queries.edited_task(ws, &edited).await?)
    }

    /// Sets fields of a task; with `if_match`, only if it has that revision.
    pub async fn edit_task(
        &self,
        caller: &Caller,
        id: &TaskId,
        patch: TaskPatch,
        if_match: Option<i64>,
        key: Option<String>,
    ) -> Result<Task, Error> {
        require(caller, Scope::Edit)?;
        let ctx = edit_ctx(caller, "task.edit", &(id, &patch), if_match, key.as_deref())?;
        let mut edits = Vec::new();
        edits.extend(patch.title.map(Edit::Title));
        match (patch.status, patch.status_reason) {
            (Some(status), reason) => edits.push(Edit::Status { status, reason }),
            (None, Some(reason)) => edits.push(Edit::StatusReason(reason)),
            (None, None) => {}
        }
        edits.extend(patch.priority.map(Edit::Priority));
        edits.extend(patch.due_on.map(Edit::DueOn));
        edits.extend(patch.estimate_minutes.map(Edit::Estimate));
        edits.extend(patch.language.map(|code| Edit::Language { code }));
        match patch.category {
            Some(Some(name)) => {
                let plain = edit_ctx(caller, "category", &name, None, None)?;
                let category =
                    self.journal.ensure_category(caller.workspace, &name, &plain).await?;
                edits.push(Edit::Category(Some(category.id)));
            }
            Some(None) => edits.push(Edit::Category(None)),
            None => {}
        }
        edits.extend(
            flags_of(patch.starred, patch.private)
                .map(|(flag, is_set)| Edit::Flag { flag, is_set }),
        );
        let edited = self.journal.edit(caller.workspace, id, &edits, &ctx).await?;
        Ok(self.queries.edited_task(caller.workspace, &edited).await?)
    }

    async fn edit_one(
        &self,
        caller: &Caller,
        id: &TaskId,
        verb: &str,
        request: &impl Serialize,
        edits: &[Edit],
        key: Option<String>,
    ) -> Result<Task, Error> {
        require(caller, Scope::Edit)?;
        let ctx = edit_ctx(caller, verb, &(id, request), None, key.as_deref())?;
        let edited = self.journal.edit(caller.workspace, id, edits, &ctx).await?;
        Ok(self.queries.edited_task(caller.workspace, &edited).await?)
    }

    /// Soft-deletes a task.
    pub async fn delete_task(
        &self,
        caller: &Caller,
        id: &TaskId,
        key: Option<String>,
    ) -> Result<Task, Error> {
        self.edit_one(caller, id, "task.delete", &(), &[Edit::Delete], key).await
    }

    /// Restores a soft-deleted task.
    pub async fn restore_task(
        &self,
        caller: &Caller,
        id: &TaskId,
        key: Option<String>,
    ) -> Result<Task, Error> {
        self.edit_one(caller, id, "task.restore", &(), &[Edit::Restore], key).await
    }

    /// Adds a checklist item.
    pub async fn add_item(
        &self,
        caller: &Caller,
        id: &TaskId,
        title: String,
        key: Option<String>,
    ) -> Result<Task, Error> {
        let edit = Edit::AddItem { title: title.clone(), is_checked: false, depth: 0 };
        self.edit_one(caller, id, "item.add", &title, &[edit], key).await
    }

    /// Ticks, renames or archives a checklist item.
    pub async fn edit_item(
        &self,
        caller: &Caller,
        id: &TaskId,
        item: &ItemId,
        patch: ItemPatch,
        key: Option<String>,
    ) -> Result<Task, Error> {
        let request = (item, patch.clone());
        let mut edits = Vec::new();
        let item = || item.clone();
        edits.extend(patch.title.map(|title| Edit::RenameItem { item: item(), title }));
        edits.extend(
            patch.is_checked.map(|is_checked| Edit::CheckItem { item: item(), is_checked }),
        );
        edits.extend(
            patch.is_archived.map(|is_archived| Edit::ArchiveItem { item: item(), is_archived }),
        );
        self.edit_one(caller, id, "item.edit", &request, &edits, key).await
    }

    /// Adds an entry.
    pub async fn add_entry(
        &self,
        caller: &Caller,
        id: &TaskId,
        new: NewEntry,
        key: Option<String>,
    ) -> Result<Task, Error> {
        let spoken = new.kind.is_derived();
        let edit = Edit::AddEntry {
            kind: new.kind,
            text: (!spoken).then(|| new.text.clone()),
            transcript: spoken.then(|| new.text.clone()),
            minutes: new.minutes,
            on: new.on,
            tainted: false,
            flags: Flags { starred: new.starred, private: new.private },
        };
        self.edit_one(caller, id, "entry.add", &new, &[edit], key).await
    }

    /// Replaces the text of an entry, or sets its flags; with `if_match`, only if the task has that
    /// revision.
    pub async fn edit_entry(
        &self,
        caller: &Caller,
        id: &TaskId,
        entry: &EntryId,
        patch: EntryPatch,
        if_match: Option<i64>,
        key: Option<String>,
    ) -> Result<Task, Error> {
        require(caller, Scope::Edit)?;
        let ctx = edit_ctx(caller, "entry.edit", &(id, (entry, &patch)), if_match, key.as_deref())?;
        let mut edits = Vec::new();
        let entry = || entry.clone();
        edits.extend(patch.text.map(|text| Edit::EditEntry { entry: entry(), text: Some(text) }));
        edits.extend(
            flags_of(patch.starred, patch.private).map(|(flag, is_set)| Edit::FlagEntry {
                entry: entry(),
                flag,
                is_set,
            }),
        );
        let edited = self.journal.edit(caller.workspace, id, &edits, &ctx).await?;
        Ok(self.queries.edited_task(caller.workspace, &edited).await?)
    }

    /// Soft-deletes an entry.
    pub async fn delete_entry(
        &self,
        caller: &Caller,
        id: &TaskId,
        entry: &EntryId,
        key: Option<String>,
    ) -> Result<Task, Error> {
        let edit = Edit::DeleteEntry(entry.clone());
        self.edit_one(caller, id, "entry.delete", entry, &[edit], key).await
    }

    /// Restores a soft-deleted entry.
    pub async fn restore_entry(
        &self,
        caller: &Caller,
        id: &TaskId,
        entry: &EntryId,
        key: Option<String>,
    ) -> Result<Task, Error> {
        let edit = Edit::RestoreEntry(entry.clone());
        self.edit_one(caller, id, "entry.restore", entry, &[edit], key).await
    }

    /// Adds a label to a task by name, creating the label if it does not exist.
    pub async fn add_label(
        &self,
        caller: &Caller,
        id: &TaskId,
        name: &str,
        key: Option<String>,
    ) -> Result<Task, Error> {
        require(caller, Scope::Edit)?;
        // Check the task first: a label created for a missing task would be an orphan.
        self.journal.task(caller.workspace, id).await?;
        let plain = edit_ctx(caller, "label", &name, None, None)?;
        let label = self.journal.ensure_label(caller.workspace, name, &plain).await?;
        let edit = Edit::AddLabel(label.id);
        self.edit_one(caller, id, "label.add", &name, &[edit], key).await
    }

    /// Removes a label from a task, by name or id; agents do not propose it for this task again.
    pub async fn remove_label(
        &self,
        caller: &Caller,
        id: &TaskId,
        name: &str,
        key: Option<String>,
    ) -> Result<Task, Error> {
        require(caller, Scope::Edit)?;
        let ctx = edit_ctx(caller, "label.remove", &(id, name), None, key.as_deref())?;
        let wanted = name.trim().to_lowercase();
        // On a repeated request the label is no longer there, but the receipt answers first.
        let rule = |view: &TaskView| {
            let is_it =
                |label: &&Label| label.name.to_lowercase() == wanted || label.id.as_str() == wanted;
            let label = view.labels().into_iter().find(is_it).ok_or(NotOnTask)?;
            Ok(vec![Edit::RemoveLabel(label.id.clone())])
        };
        match self.journal.edit_with(caller.workspace, id, &ctx, &rule).await {
            Ok(edited) => Ok(self.queries.edited_task(caller.workspace, &edited).await?),
            Err(RuleError::Rule(NotOnTask)) => {
                Err(Error::NotFound { what: "label on this task", id: name.into() })
            }
            Err(RuleError::Journal(error)) => Err(error.into()),
        }
    }
}
