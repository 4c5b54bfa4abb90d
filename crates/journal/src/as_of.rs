//! A task as it was after an earlier change: its rows as they are now, with the later changes undone.
//!
//! Nothing is stored for this but what undo needs, the value of each field before and after each edit. So
//! the past costs as much as there is to undo, and never a copy of the task.

use dormouse_store::doc::Doc;
use dormouse_store::journal::entry::Entry;
use dormouse_store::journal::item::{self, Item};
use dormouse_store::journal::linked_entry::{self, LinkWithTask, LinkedEntry, LinkedTask};
use dormouse_store::journal::task::{self, StatusEntry, Task};
use dormouse_store::journal::touched::{self, Touch};
use dormouse_types::caller::By;
use dormouse_types::{EntryId, ItemId, LabelId, Seq, TaskId, TaskLinkId, Timestamp, WorkspaceId};

use crate::Journal;
use crate::edit::Place;
use crate::effect::{Effect, StatusValue};
use crate::error::JournalError;
use crate::view::TaskView;

/// The changes that are read at once.
const PAGE: i64 = 200;

/// How often a task that is edited meanwhile is read again.
const ATTEMPTS: usize = 3;

/// A task as it was.
#[derive(Debug, Clone)]
pub struct TaskAsOf {
    /// The task with what belonged to it. Names of labels, categories and linked tasks are those of now, and
    /// who said which field is known only of fields that were not changed since.
    pub view: TaskView,
    /// When each change was made that cannot be undone, newest first: what it did was not recorded, or
    /// was removed. The task shows what these changes left.
    pub not_undone: Vec<Timestamp>,
}

impl Journal {
    /// Returns a task as it was after the commit at a position, with every later change undone.
    ///
    /// Errors: an unknown id, or a task that was not there yet; a row that cannot be read; others edit it all
    /// the time.
    pub async fn task_as_of(
        &self,
        ws: WorkspaceId,
        id: &TaskId,
        at: Seq,
    ) -> Result<TaskAsOf, JournalError> {
        for _ in 0..ATTEMPTS {
            let view = self.task(ws, id).await?;
            let revision = view.revision;
            let past = self.undone_to(ws, view, at).await?;
            // Every change raises the revision: if it is the same, the changes that were read are those that
            // led to the view.
            let row = self.store.first(task::by_id(ws, id)).await?;
            if row.is_some_and(|row| row.revision == revision) {
                return past.finish().ok_or_else(|| JournalError::NoTask { task: id.clone() });
            }
        }
        Err(JournalError::Conflict { task: id.clone() })
    }

    async fn undone_to(
        &self,
        ws: WorkspaceId,
        view: TaskView,
        at: Seq,
    ) -> Result<Past, JournalError> {
        let id = view.id().clone();
        let mut past = Past::new(view);
        let mut before = Seq(i64::MAX);
        loop {
            let page = self.store.all(touched::of_task(ws, &id, [at, before], PAGE)).await?;
            let Some(oldest) = page.last() else { return Ok(past) };
            before = oldest.seq;
            for touch in &page {
                let Some(effects) = effects(touch)? else {
                    past.gaps.push(touch.at);
                    continue;
                };
                // In reverse: what was added last is removed first.
                for effect in effects.iter().rev() {
                    let elsewhere = self.elsewhere(ws, &id, effect).await?;
                    if past.undo(effect, elsewhere, touch.at).is_none() {
                        past.gaps.push(touch.at);
                    }
                }
            }
        }
    }

    /// Reads what a change moved out of reach of its task.
    async fn elsewhere(
        &self,
        ws: WorkspaceId,
        own: &TaskId,
        effect: &Effect,
    ) -> Result<Elsewhere, JournalError> {
        Ok(match effect {
            Effect::ItemTask { item, from, .. } if from == own => {
                let row = self.store.first(item::by_id(ws, item)).await?;
                row.map_or(Elsewhere::Nothing, |row| Elsewhere::Item(Box::new(row.doc)))
            }
            Effect::Link { link, there, .. } if !there.after => {
                let Some(link) = self.store.first(linked_entry::by_id(ws, link)).await? else {
                    return Ok(Elsewhere::Nothing);
                };
                let ends = [&link.value.from_id, &link.value.to_id];
                let other = ends.into_iter().find(|end| *end != own);
                let other = match other {
                    Some(other) => self.store.first(task::by_id(ws, other)).await?,
                    None => None,
                };
                other.map_or(Elsewhere::Nothing, |other| {
                    Elsewhere::Link(Box::new(link), Box::new(other.doc.value))
                })
            }
            _ => Elsewhere::Nothing,
        })
    }
}

/// What a change did; `None` if that was not recorded.
fn effects(touch: &Touch) -> Result<Option<Vec<Effect>>, JournalError> {
    let Some(stored) = &touch.effects else { return Ok(None) };
    let read = serde_json::from_str(stored);
    read.map(Some).map_err(|source| JournalError::Stored {
        what: "record of change",
        id: touch.seq.to_string(),
        source,
    })
}

/// A row that belonged to the task, and is not among its rows now.
enum Elsewhere {
    Nothing,
    /// An item that was moved to another task.
    Item(Box<Doc<Item>>),
    /// A removed link, and the task at its other end.
    Link(Box<Doc<LinkedEntry>>, Box<Task>),
}

/// A task of which later changes are being undone.
struct Past {
    view: TaskView,
    gaps: Vec<Timestamp>,
    /// The fields that were changed since.
    changed: Vec<String>,
    was_there: bool,
}

impl Past {
    fn new(view: TaskView) -> Self {
        Self { view, gaps: Vec::new(), changed: Vec::new(), was_there: true }
    }

    /// Returns the task as it was; `None` if it was not there yet.
    fn finish(mut self) -> Option<TaskAsOf> {
        let view = &mut self.view;
        view.says.retain(|say| !self.changed.contains(&say.field.to_string()));
        // A list that later items were added to may be as young as they are; an empty one shows nothing.
        let in_use = |list: &_| view.items.iter().any(|item| item.value.checklist_id == *list);
        view.checklists.retain(|list| in_use(&list.value.id));
        view.sort();
        self.gaps.dedup();
        self.was_there.then_some(TaskAsOf { view: self.view, not_undone: self.gaps })
    }

    /// Undoes one effect, whatever the value is now. `None` if a row that it needs is missing.
    fn undo(&mut self, effect: &Effect, elsewhere: Elsewhere, at: Timestamp) -> Option<()> {
        self.changed.push(effect.field());
        let task = &mut self.view.task.value;
        match effect {
            Effect::Title(both) => task.title.clone_from(&both.before),
            Effect::Status(both) => status_back(task, &both.before, at),
            Effect::Priority(both) => task.priority = both.before,
            Effect::DueDate(both) => task.due_on = both.before,
            Effect::Estimate(both) => task.estimate_minutes = both.before,
            Effect::Language(both) => task.language_code.clone_from(&both.before),
            Effect::Category(both) => task.category_id.clone_from(&both.before),
            Effect::Flag { flag, is_set } => task.flags = task.flags.with(*flag, is_set.before),
            Effect::Label { label, on } => present(&mut task.label_ids, label, on.before),
            Effect::LabelSuppressed { label, suppressed } => {
                present(&mut task.ai_suppressed_label_ids, label, suppressed.before);
            }
            Effect::Task(both) => self.existence_back(both.before),
            Effect::Item { item, there, .. } => self.item_back(item, there.before)?,
            Effect::ItemTitle { item, title } => self.item(item)?.title.clone_from(&title.before),
            Effect::ItemChecked { item, checked } => {
                let item = self.item(item)?;
                // Who had ticked it before, and when, is not recorded.
                (item.is_checked, item.checked_by, item.checked_at) =
                    (checked.before, By::default(), None);
            }
            Effect::ItemArchived { item, archived } => {
                self.item(item)?.is_archived = archived.before;
            }
            Effect::ItemTask { item, from, place, .. } => {
                if *from == *self.view.id() {
                    let Elsewhere::Item(doc) = elsewhere else { return None };
                    self.bring_back(*doc, place);
                } else {
                    self.view.items.retain(|doc| doc.value.id != *item);
                }
            }
            Effect::Entry { entry, there, .. } => self.entry_back(entry, there.before)?,
            Effect::EntryText { entry, text } => {
                let entry = self.entry(entry)?;
                entry.text.clone_from(&text.before);
                entry.edited_at = None;
            }
            Effect::EntryFlag { entry, flag, is_set } => {
                let entry = self.entry(entry)?;
                entry.flags = entry.flags.with(*flag, is_set.before);
            }
            Effect::Link { link, there, .. } => self.link_back(link, there.before, elsewhere)?,
        }
        Some(())
    }

    fn existence_back(&mut self, existed: bool) {
        let task = &mut self.view.task.value;
        // What was restored was away since its last absence began; without one it was just created.
        match (existed, task.absences.pop()) {
            (true, absence) => {
                task.absences.extend(absence);
                task.deleted_at = None;
            }
            (false, Some(absence)) => task.deleted_at = Some(absence.deleted_at),
            (false, None) => self.was_there = false,
        }
    }

    /// An item of the task, also one that was removed later.
    fn item(&mut self, id: &ItemId) -> Option<&mut Item> {
        let all = self.view.items.iter_mut().chain(&mut self.view.removed_items);
        all.map(|doc| &mut doc.value).find(|item| item.id == *id)
    }

    fn item_back(&mut self, id: &ItemId, was_there: bool) -> Option<()> {
        let (items, removed) = (&mut self.view.items, &mut self.view.removed_items);
        let (from, to) = if was_there { (removed, items) } else { (items, removed) };
        let place = from.iter().position(|doc| doc.value.id == *id)?;
        let mut doc = from.remove(place);
        doc.value.deleted_at = None;
        to.push(doc);
        Some(())
    }

    /// Brings back an item that was moved to another task. What was done to it there stays.
    fn bring_back(&mut self, mut doc: Doc<Item>, place: &Place) {
        doc.value.task_id = self.view.id().clone();
        doc.value.checklist_id = place.checklist.clone();
        doc.value.position = place.position;
        self.view.items.push(doc);
    }

    /// An entry of the task, also one that was deleted later.
    fn entry(&mut self, id: &EntryId) -> Option<&mut Entry> {
        let all = self.view.entries.iter_mut().chain(&mut self.view.deleted_entries);
        all.map(|doc| &mut doc.value).find(|entry| entry.id == *id)
    }

    fn entry_back(&mut self, id: &EntryId, was_there: bool) -> Option<()> {
        let (entries, deleted) = (&mut self.view.entries, &mut self.view.deleted_entries);
        let (from, to) = if was_there { (deleted, entries) } else { (entries, deleted) };
        let place = from.iter().position(|doc| doc.value.id == *id)?;
        let mut doc = from.remove(place);
        doc.value.deleted_at = None;
        to.push(doc);
        Some(())
    }

    fn link_back(&mut self, id: &TaskLinkId, was_there: bool, row: Elsewhere) -> Option<()> {
        let links = &mut self.view.links;
        if !was_there {
            let place = links.iter().position(|edge| edge.doc.value.id == *id)?;
            links.remove(place);
            return Some(());
        }
        let Elsewhere::Link(mut doc, other) = row else { return None };
        doc.value.deleted_at = None;
        let other = LinkedTask {
            id: other.id.clone(),
            title: other.title.clone(),
            status: other.status.status,
            is_deleted: other.deleted_at.is_some(),
            is_private: other.flags.private,
        };
        links.push(LinkWithTask { doc: *doc, other });
        Some(())
    }
}

fn status_back(task: &mut Task, before: &StatusValue, at: Timestamp) {
    task.status_history.pop();
    let is_it =
        |entry: &&StatusEntry| entry.status == before.status && entry.reason == before.reason;
    let known = task.status_history.last().filter(is_it).cloned();
    task.status = known.unwrap_or_else(|| StatusEntry {
        status: before.status,
        reason: before.reason.clone(),
        created_at: at,
    });
}

/// Adds an id to a list, or removes it.
fn present(ids: &mut Vec<LabelId>, id: &LabelId, is_present: bool) {
    ids.retain(|other| other != id);
    if is_present {
        ids.push(id.clone());
    }
}
