//! The rules of edits: what is accepted, and what follows from it.
//!
//! Edits are applied in order to a copy of the task. The rows to write, the change to announce and
//! the effects to undo are the difference between before and after, so an edit that changes nothing
//! leaves no trace.

use dormouse_store::doc::Doc;
use dormouse_store::journal::checklist::Checklist;
use dormouse_store::journal::entry::{Entry, Kind};
use dormouse_store::journal::item::Item;
use dormouse_store::journal::task::Absence;
use dormouse_types::address;
use dormouse_types::limits::{self, Limit};
use dormouse_types::task::{self, EntryKind, Flag, Status};
use dormouse_types::{CategoryId, ChecklistId, EntryId, Id as _, ItemId, LabelId};

use crate::decision::{CreatedId, Decided, EditContext};
use crate::diff;
use crate::edit::{Edit, EditError, FIRST_CHECKLIST, within};
use crate::link;
use crate::moved;
use crate::view::TaskView;

/// Decides edits of a task.
///
/// Errors: the first edit that a rule refuses; then none of the edits is applied.
pub fn decide(view: &TaskView, edits: &[Edit], by: &EditContext<'_>) -> Result<Decided, EditError> {
    let mut draft = EditState { view: view.clone(), by, made: Vec::new() };
    for edit in edits {
        draft.apply(edit)?;
    }
    let EditState { view: after, made, .. } = draft;
    Ok(diff::between(view, after, made, by))
}

struct EditState<'a, 'b> {
    view: TaskView,
    by: &'a EditContext<'b>,
    made: Vec<CreatedId>,
}

/// Returns the text as one line, with white space collapsed.
fn line(field: &'static str, limit: Limit, text: &str) -> Result<String, EditError> {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    within(field, limit, line.chars().count())?;
    // Text without visible characters cannot be searched for or distinguished.
    if line.contains(address::is_seen) { Ok(line) } else { Err(EditError::Empty { field }) }
}

fn minutes(field: &'static str, given: u32) -> Result<u32, EditError> {
    let max = limits::ESTIMATE.max;
    if given == 0 || given as usize > max {
        return Err(EditError::Minutes { field, given, max });
    }
    Ok(given)
}

fn toggle<T: PartialEq + Clone>(list: &mut Vec<T>, value: &T, on: bool) {
    if on && !list.contains(value) {
        list.push(value.clone());
    } else if !on {
        list.retain(|other| other != value);
    }
}

impl EditState<'_, '_> {
    fn apply(&mut self, edit: &Edit) -> Result<(), EditError> {
        if self.view.deleted_at().is_some() && !matches!(edit, Edit::Restore | Edit::Delete) {
            return Err(EditError::Deleted { task: self.view.id().clone() });
        }
        let at = self.by.at;
        let task = &mut self.view.task.value;
        match edit {
            Edit::Title(title) => task.title = line("title", limits::TITLE, title)?,
            Edit::ClearTitle => task.title = String::new(),
            Edit::Status { status, reason } => self.status(*status, reason.as_deref())?,
            Edit::StatusReason(reason) => {
                let status = task.status.status;
                self.status(status, Some(reason))?;
            }
            Edit::Priority(priority) => task.priority = *priority,
            Edit::DueOn(day) => task.due_on = *day,
            Edit::Estimate(estimate) => {
                task.estimate_minutes = estimate.map(|m| minutes("estimate", m)).transpose()?;
            }
            Edit::Language { code } => {
                task.language_code = code.as_deref().map(task::language).transpose()?;
                task.language_source = self.by.origin.by();
            }
            Edit::Category(category) => self.category(category.as_ref())?,
            Edit::Flag { flag, is_set } => {
                let flags = task.flags.with(*flag, *is_set);
                self.person_flags(*flag)?;
                self.view.task.value.flags = flags;
            }
            Edit::AddItem { title, is_checked, depth } => {
                self.add_item(title, *is_checked, *depth)?;
            }
            Edit::CheckItem { item, is_checked } => {
                let by = self.by.origin.by();
                let item = self.item(item)?;
                if item.is_checked != *is_checked {
                    item.is_checked = *is_checked;
                    item.checked_by = by;
                    item.checked_at = Some(at);
                }
            }
            Edit::RenameItem { item, title } => {
                let title = line("item title", limits::ITEM_TITLE, title)?;
                self.item(item)?.title = title;
            }
            Edit::ArchiveItem { item, is_archived } => self.item(item)?.is_archived = *is_archived,
            Edit::MoveItem { item, to, place } => {
                let list = moved::take(&mut self.view, item, to, place.as_ref(), self.by)?;
                self.made.extend(list.map(CreatedId::Checklist));
            }
            Edit::RemoveItem(item) => self.remove_item(item)?,
            Edit::RestoreItem(item) => self.restore_item(item)?,
            Edit::AddEntry { .. } => self.add_entry(edit)?,
            Edit::EditEntry { entry, text } => self.edit_entry(entry, text.as_deref())?,
            Edit::FlagEntry { entry, flag, is_set } => self.flag_entry(entry, *flag, *is_set)?,
            Edit::DeleteEntry(entry) => self.delete_entry(entry)?,
            Edit::RestoreEntry(entry) => self.restore_entry(entry)?,
            Edit::AddLabel(label) => self.add_label(label)?,
            Edit::ReturnLabel(label) => self.put_label(label)?,
            Edit::RemoveLabel(label) => {
                let was_on = task.label_ids.contains(label);
                toggle(&mut task.label_ids, label, false);
                // A person who removes a label does not want it proposed again.
                if was_on && self.by.origin.by() == dormouse_types::caller::By::User {
                    toggle(&mut task.ai_suppressed_label_ids, label, true);
                }
            }
            Edit::WithdrawLabel(label) => toggle(&mut task.label_ids, label, false),
            Edit::SuppressLabel(label) => {
                if self.view.label(label).is_none() {
                    return Err(EditError::NoLabel { label: label.clone() });
                }
                toggle(&mut self.view.task.value.ai_suppressed_label_ids, label, true);
            }
            Edit::UnsuppressLabel(label) => {
                toggle(&mut task.ai_suppressed_label_ids, label, false);
            }
            Edit::Link { to, kind } => {
                let ends = (self.view.id().clone(), to.clone());
                let link = link::create(&mut self.view, ends, *kind, at, self.by.entropy)?;
                self.made.push(CreatedId::Link(link));
            }
            Edit::LinkFrom { from, kind } => {
                let ends = (from.clone(), self.view.id().clone());
                let link = link::create(&mut self.view, ends, *kind, at, self.by.entropy)?;
                self.made.push(CreatedId::Link(link));
            }
            Edit::Unlink(id) => link::remove(&mut self.view, id, at)?,
            Edit::RestoreLink(id) => link::restore(&mut self.view, id)?,
            Edit::Delete => task.deleted_at = task.deleted_at.or(Some(at)),
            Edit::Restore => {
                if let Some(deleted_at) = task.deleted_at.take().filter(|from| *from < at) {
                    task.absences.push(Absence { deleted_at, restored_at: at });
                }
            }
        }
        Ok(())
    }

    fn status(&mut self, status: Status, reason: Option<&str>) -> Result<(), EditError> {
        if status.is_terminal() && self.by.origin.is_automatic() {
            return Err(EditError::PersonOnly { status });
        }
        let reason = match reason.map(str::trim).filter(|reason| !reason.is_empty()) {
            Some(reason) => Some(line("reason", limits::REASON, reason)?),
            None => None,
        };
        let now = &mut self.view.task.value.status;
        // A status that needs a reason keeps its current one if it is set again without a reason.
        if now.status == status && reason.is_none() && status.needs_reason() {
            return Ok(());
        }
        if status.needs_reason() && reason.is_none() {
            return Err(EditError::ReasonMissing { status });
        }
        now.status = status;
        now.reason = reason;
        now.created_at = self.by.at;
        Ok(())
    }

    fn category(&mut self, category: Option<&CategoryId>) -> Result<(), EditError> {
        if let Some(id) = category
            && !self.view.categories.iter().any(|known| known.id == *id)
        {
            return Err(EditError::NoCategory { category: id.clone() });
        }
        self.view.task.value.category_id = category.cloned();
        Ok(())
    }

    fn item(&mut self, id: &ItemId) -> Result<&mut Item, EditError> {
        let task = self.view.id().clone();
        let found = self.view.items.iter_mut().find(|item| item.value.id == *id);
        let missing = || EditError::NoItem { task, item: id.clone() };
        found.map(|doc| &mut doc.value).ok_or_else(missing)
    }

    fn add_item(&mut self, title: &str, is_checked: bool, depth: u32) -> Result<(), EditError> {
        let title = line("item title", limits::ITEM_TITLE, title)?;
        within("items", limits::ITEMS_PER_TASK, self.view.items.len() + 1)?;
        let (at, task_id) = (self.by.at, self.view.id().clone());
        let checklist_id = match self.view.checklists.first() {
            Some(list) => list.value.id.clone(),
            None => self.first_checklist(),
        };
        let position = self
            .view
            .items
            .iter()
            .chain(&self.view.removed_items)
            .filter(|item| item.value.checklist_id == checklist_id)
            .map(|item| item.value.position + 1)
            .max()
            .unwrap_or(0);
        let id = ItemId::fresh(at, self.by.entropy);
        self.made.push(CreatedId::Item(id.clone()));
        self.view.items.push(Doc::new(Item {
            id,
            task_id,
            checklist_id,
            title,
            is_checked,
            checked_by: self.by.origin.by(),
            checked_at: is_checked.then_some(at),
            is_archived: false,
            depth,
            position,
            created_at: at,
            updated_at: at,
            deleted_at: None,
        }));
        Ok(())
    }

    fn first_checklist(&mut self) -> ChecklistId {
        let at = self.by.at;
        let id = ChecklistId::fresh(at, self.by.entropy);
        self.made.push(CreatedId::Checklist(id.clone()));
        self.view.checklists.push(Doc::new(Checklist {
            id: id.clone(),
            task_id: self.view.id().clone(),
            title: FIRST_CHECKLIST.into(),
            position: 0,
            created_at: at,
            updated_at: at,
            deleted_at: None,
        }));
        id
    }

    fn remove_item(&mut self, id: &ItemId) -> Result<(), EditError> {
        self.item(id)?.deleted_at = Some(self.by.at);
        let place = self.view.items.iter().position(|item| item.value.id == *id);
        let doc = self.view.items.remove(place.expect("the item was found above"));
        self.view.removed_items.push(doc);
        Ok(())
    }

    fn restore_item(&mut self, id: &ItemId) -> Result<(), EditError> {
        let removed = &mut self.view.removed_items;
        let Some(place) = removed.iter().position(|item| item.value.id == *id) else {
            // Restoring an item that exists changes nothing; an unknown item is refused.
            return self.item(id).map(|_| ());
        };
        let mut doc = removed.remove(place);
        doc.value.deleted_at = None;
        self.view.items.push(doc);
        Ok(())
    }

    fn add_entry(&mut self, edit: &Edit) -> Result<(), EditError> {
        let Edit::AddEntry { kind, text, transcript, minutes: spent, on, tainted, flags } = edit
        else {
            unreachable!("the caller matched an added entry")
        };
        let visible = |text: &Option<String>| text.as_ref().is_some_and(|t| !t.trim().is_empty());
        let spent = spent.map(|m| minutes("minutes", m)).transpose()?;
        if *kind == EntryKind::Time && spent.is_none() {
            return Err(EditError::Empty { field: "minutes" });
        }
        if !visible(text) && !visible(transcript) && spent.is_none() {
            return Err(EditError::Empty { field: "text" });
        }
        for part in [text, transcript].into_iter().flatten() {
            within("text", limits::ENTRY_TEXT, part.len())?;
        }
        let at = self.by.at;
        let id = EntryId::fresh(at, self.by.entropy);
        self.made.push(CreatedId::Entry(id.clone()));
        let n_entries = self.view.entries.len() + self.view.deleted_entries.len();
        self.view.entries.push(Doc::new(Entry {
            id,
            task_id: self.view.id().clone(),
            kind: Kind::Known(*kind),
            text: text.clone(),
            transcript: transcript.clone(),
            minutes: spent,
            on: *on,
            tainted: *tainted,
            flags: *flags,
            position: i64::try_from(n_entries).unwrap_or(i64::MAX),
            created_at: at,
            updated_at: at,
            edited_at: None,
            deleted_at: None,
        }));
        Ok(())
    }

    fn entry_missing(&self, entry: &EntryId) -> EditError {
        EditError::NoEntry { task: self.view.id().clone(), entry: entry.clone() }
    }

    fn edit_entry(&mut self, id: &EntryId, text: Option<&str>) -> Result<(), EditError> {
        within("text", limits::ENTRY_TEXT, text.map_or(0, str::len))?;
        let missing = self.entry_missing(id);
        let doc = self.view.entries.iter_mut().find(|entry| entry.value.id == *id);
        let entry = &mut doc.ok_or(missing)?.value;
        let speaks = entry.transcript.is_some() || entry.minutes.is_some();
        if !speaks && text.is_none_or(|text| text.trim().is_empty()) {
            return Err(EditError::Empty { field: "text" });
        }
        if entry.text.as_deref() != text {
            entry.text = text.map(ToOwned::to_owned);
            entry.edited_at = Some(self.by.at);
        }
        Ok(())
    }

    /// A model must not decide what models may see, nor what a person comes back to.
    fn person_flags(&self, flag: Flag) -> Result<(), EditError> {
        if self.by.origin.is_automatic() {
            return Err(EditError::FlagPersonOnly { flag });
        }
        Ok(())
    }

    fn flag_entry(&mut self, id: &EntryId, flag: Flag, is_set: bool) -> Result<(), EditError> {
        self.person_flags(flag)?;
        let missing = self.entry_missing(id);
        let doc = self.view.entries.iter_mut().find(|entry| entry.value.id == *id);
        let entry = &mut doc.ok_or(missing)?.value;
        entry.flags = entry.flags.with(flag, is_set);
        Ok(())
    }

    fn delete_entry(&mut self, id: &EntryId) -> Result<(), EditError> {
        let Some(place) = self.view.entries.iter().position(|entry| entry.value.id == *id) else {
            let gone = self.view.deleted_entries.iter().any(|entry| entry.value.id == *id);
            return if gone { Ok(()) } else { Err(self.entry_missing(id)) };
        };
        let mut doc = self.view.entries.remove(place);
        doc.value.deleted_at = Some(self.by.at);
        self.view.deleted_entries.push(doc);
        Ok(())
    }

    fn restore_entry(&mut self, id: &EntryId) -> Result<(), EditError> {
        let deleted = &mut self.view.deleted_entries;
        let Some(place) = deleted.iter().position(|entry| entry.value.id == *id) else {
            let live = self.view.entries.iter().any(|entry| entry.value.id == *id);
            return if live { Ok(()) } else { Err(self.entry_missing(id)) };
        };
        let mut doc = deleted.remove(place);
        doc.value.deleted_at = None;
        self.view.entries.push(doc);
        Ok(())
    }

    fn add_label(&mut self, label: &LabelId) -> Result<(), EditError> {
        let task = &mut self.view.task.value;
        if task.label_ids.contains(label) {
            return Ok(());
        }
        if !self.by.origin.is_automatic() {
            toggle(&mut task.ai_suppressed_label_ids, label, false);
        } else if task.ai_suppressed_label_ids.contains(label) {
            return Err(EditError::Suppressed { label: label.clone() });
        }
        self.put_label(label)
    }

    fn put_label(&mut self, label: &LabelId) -> Result<(), EditError> {
        if self.view.label(label).is_none() {
            return Err(EditError::NoLabel { label: label.clone() });
        }
        let on = &mut self.view.task.value.label_ids;
        if !on.contains(label) {
            within("labels", limits::LABELS_PER_TASK, on.len() + 1)?;
            on.push(label.clone());
        }
        Ok(())
    }
}
