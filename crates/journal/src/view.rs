//! A task with everything that belongs to it, as one value.

use std::cmp::Reverse;

use dormouse_store::doc::Doc;
use dormouse_store::journal::category::Category;
use dormouse_store::journal::checklist::Checklist;
use dormouse_store::journal::entry::Entry;
use dormouse_store::journal::item::Item;
use dormouse_store::journal::label::{Definition, Label};
use dormouse_store::journal::linked_entry::{LinkWithTask, LinkedEntry};
use dormouse_store::journal::row::Stored;
use dormouse_store::journal::task::{AggregateRow, Task};
use dormouse_types::caller::By;
use dormouse_types::model::{self, FieldSay, Named, StatedField, TaskState};
use dormouse_types::{LabelId, TaskId, Timestamp};
use jiff::tz::TimeZone;

use crate::edit::Place;

/// The whole aggregate of a task at one revision.
#[derive(Debug, Clone)]
pub struct TaskView {
    /// The task itself, even if it is soft-deleted.
    pub task: Doc<Task>,
    /// Rises with every change to the task or to anything that belongs to it.
    pub revision: i64,
    /// Live checklists, in order.
    pub checklists: Vec<Doc<Checklist>>,
    /// Live items in the order of their checklists, archived ones included.
    pub items: Vec<Doc<Item>>,
    /// Items whose addition was undone.
    pub removed_items: Vec<Doc<Item>>,
    /// Live entries, oldest first.
    pub entries: Vec<Doc<Entry>>,
    /// Soft-deleted entries, oldest first.
    pub deleted_entries: Vec<Doc<Entry>>,
    /// Live links from or to the task, newest first, including those to soft-deleted tasks.
    pub links: Vec<LinkWithTask>,
    /// Removed links that an edit refers to.
    pub(crate) removed_links: Vec<Doc<LinkedEntry>>,
    /// The tasks at the other ends of links that an edit refers to.
    pub(crate) ends: Vec<LinkTarget>,
    /// Items that edits moved to another task.
    pub(crate) moved: Vec<MovedItem>,
    /// Checklists that moved items need in the tasks that they went to.
    pub(crate) lists_elsewhere: Vec<Checklist>,
    /// Every live label of the workspace, by name.
    pub all_labels: Vec<Label>,
    /// Every live category of the workspace, by name.
    pub categories: Vec<Category>,
    /// Who last set which field, and when.
    pub says: Vec<FieldSay>,
}

/// The task at the other end of a link that an edit creates, removes or restores.
#[derive(Debug, Clone)]
pub struct LinkTarget {
    /// Its own row.
    pub task: Stored<Task>,
    /// Its live links.
    pub links: Vec<LinkWithTask>,
    /// All of it, if an item is moved to it.
    pub(crate) whole: Option<Box<TaskView>>,
}

/// An item that was moved to another task, as it is there.
#[derive(Debug, Clone)]
pub struct MovedItem {
    pub(crate) item: Doc<Item>,
    /// Where it was.
    pub(crate) from: Place,
}

impl LinkTarget {
    /// A task that was read in full.
    pub(crate) fn whole(view: TaskView) -> Self {
        let task = Stored {
            doc: view.task.clone(),
            revision: view.revision,
            clock_host: String::new(),
            clock_counter: 0,
        };
        Self { task, links: view.links.clone(), whole: Some(Box::new(view)) }
    }

    pub(crate) fn id(&self) -> &TaskId {
        &self.task.doc.value.id
    }
}

impl TaskView {
    /// Assembles the rows of a task; `None` if the task's own row is missing.
    pub(crate) fn new(
        parts: Vec<AggregateRow>,
        links: Vec<LinkWithTask>,
        definitions: Vec<Definition>,
        says: Vec<FieldSay>,
    ) -> Option<Self> {
        let mut own = None;
        let mut checklists = Vec::new();
        let (mut items, mut removed_items) = (Vec::new(), Vec::new());
        let (mut entries, mut deleted_entries) = (Vec::new(), Vec::new());
        for part in parts {
            match part {
                AggregateRow::Task(stored) => own = Some((stored.doc, stored.revision)),
                AggregateRow::Checklist(list) if list.doc.value.deleted_at.is_none() => {
                    checklists.push(list.doc);
                }
                AggregateRow::Checklist(_) => {}
                AggregateRow::Item(item) if item.doc.value.deleted_at.is_none() => {
                    items.push(item.doc)
                }
                AggregateRow::Item(item) => removed_items.push(item.doc),
                AggregateRow::Entry(entry) if entry.doc.value.deleted_at.is_none() => {
                    entries.push(entry.doc);
                }
                AggregateRow::Entry(entry) => deleted_entries.push(entry.doc),
            }
        }
        let (task, revision) = own?;
        let (mut all_labels, mut categories) = (Vec::new(), Vec::new());
        for definition in definitions {
            match definition {
                Definition::Label(label) => all_labels.push(label.doc.value),
                Definition::Category(category) => categories.push(category.doc.value),
            }
        }
        let mut view = Self {
            task,
            revision,
            checklists,
            items,
            removed_items,
            entries,
            deleted_entries,
            links,
            removed_links: Vec::new(),
            ends: Vec::new(),
            moved: Vec::new(),
            lists_elsewhere: Vec::new(),
            all_labels,
            categories,
            says,
        };
        view.sort();
        Some(view)
    }

    /// The view of a task that is about to be created.
    pub(crate) fn blank(task: Task, definitions: Vec<Definition>) -> Self {
        let own = dormouse_store::journal::row::Stored {
            doc: Doc::new(task),
            revision: 0,
            clock_host: String::new(),
            clock_counter: 0,
        };
        Self::new(vec![AggregateRow::Task(own)], Vec::new(), definitions, Vec::new())
            .expect("the task's own row is among the parts")
    }

    /// Records who set these fields, as the rows will say after the commit.
    pub(crate) fn note_says(&mut self, fields: &[StatedField], by: By, at: Timestamp) {
        self.says.retain(|say| !fields.contains(&say.field));
        self.says.extend(fields.iter().map(|field| FieldSay { field: field.clone(), by, at }));
        // As rows are read: by name.
        self.says.sort_by_cached_key(|say| say.field.to_string());
        self.says.dedup_by(|a, b| a.field == b.field);
    }

    /// Drops what a later read would not find: rows that the same edits added and removed, and what
    /// was read only to check the edits.
    pub(crate) fn drop_unwritten(&mut self, before: &Self) {
        let items = || before.items.iter().chain(&before.removed_items);
        self.removed_items.retain(|doc| items().any(|old| old.value.id == doc.value.id));
        let entries = || before.entries.iter().chain(&before.deleted_entries);
        self.deleted_entries.retain(|doc| entries().any(|old| old.value.id == doc.value.id));
        self.removed_links.clear();
        self.ends.clear();
        self.moved.clear();
        self.lists_elsewhere.clear();
    }

    /// Sorts rows into the order a person sees.
    pub(crate) fn sort(&mut self) {
        self.checklists.sort_by_key(|list| {
            (list.value.position, list.value.created_at, list.value.id.clone())
        });
        let lists: Vec<_> = self.checklists.iter().map(|list| list.value.id.clone()).collect();
        let place = |item: &Doc<Item>| {
            let list = lists.iter().position(|id| *id == item.value.checklist_id);
            (list.unwrap_or(lists.len()), item.value.position, item.value.id.clone())
        };
        self.items.sort_by_cached_key(place);
        self.removed_items.sort_by_cached_key(place);
        let age = |entry: &Doc<Entry>| {
            (entry.value.created_at, entry.value.position, entry.value.id.clone())
        };
        self.links.sort_by_cached_key(|edge| {
            (Reverse(edge.doc.value.created_at), edge.doc.value.id.clone())
        });
        self.entries.sort_by_cached_key(age);
        self.deleted_entries.sort_by_cached_key(age);
    }

    /// The task's id.
    pub fn id(&self) -> &TaskId {
        &self.task.value.id
    }

    /// When the task was soft-deleted.
    pub fn deleted_at(&self) -> Option<Timestamp> {
        self.task.value.deleted_at
    }

    /// The labels on the task, by name; a label whose definition was deleted is left out.
    pub fn labels(&self) -> Vec<&Label> {
        let on = &self.task.value.label_ids;
        self.all_labels.iter().filter(|label| on.contains(&label.id)).collect()
    }

    /// A label of the workspace.
    pub fn label(&self, id: &LabelId) -> Option<&Label> {
        self.all_labels.iter().find(|label| label.id == *id)
    }

    /// The links a person sees: those whose tasks both exist.
    pub fn shown_links(&self) -> impl Iterator<Item = &LinkWithTask> {
        let is_live = self.deleted_at().is_none();
        self.links.iter().filter(move |edge| is_live && !edge.other.is_deleted)
    }

    /// The task's category.
    pub fn category(&self) -> Option<&Category> {
        let id = self.task.value.category_id.as_ref()?;
        self.categories.iter().find(|category| category.id == *id)
    }

    /// Who last set a field: `title`, `dueDate`, …, `item:<id>`.
    pub fn say(&self, field: impl Into<StatedField>) -> Option<&FieldSay> {
        let field = field.into();
        self.says.iter().find(|say| say.field == field)
    }
}

/// The task as a model sees it.
///
/// Days of entries without a date of their own are counted in `zone`.
pub fn state(view: &TaskView, zone: &TimeZone) -> TaskState {
    let task = &view.task.value;
    let label = |label: &Label| Named { id: label.id.clone(), name: label.name.clone() };
    let usable = |candidate: &&Label| {
        let scope = &candidate.applicable_category_ids;
        task.label_ids.contains(&candidate.id)
            || scope.is_empty()
            || task.category_id.as_ref().is_some_and(|category| scope.contains(category))
    };
    let entries = view.entries.iter().map(|doc| entry(&doc.value, zone)).collect();
    TaskState {
        id: task.id.clone(),
        title: task.title.clone(),
        status: task.status.status,
        status_reason: task.status.reason.clone(),
        priority: task.priority,
        due_on: task.due_on,
        estimate_minutes: task.estimate_minutes,
        time_spent_minutes: view.entries.iter().filter_map(|entry| entry.value.minutes).sum(),
        language: task.language_code.clone(),
        category: view.category().map(|category| category.name.clone()),
        labels: view.labels().into_iter().map(label).collect(),
        available_labels: view.all_labels.iter().filter(usable).map(label).collect(),
        suppressed_labels: task.ai_suppressed_label_ids.clone(),
        items: view.items.iter().map(|doc| item(&doc.value)).collect(),
        entries,
        says: view.says.clone(),
        starred: task.flags.starred,
        private: task.flags.private,
        created_at: task.created_at,
    }
}

fn item(item: &Item) -> model::Item {
    model::Item {
        id: item.id.clone(),
        checklist: item.checklist_id.clone(),
        title: item.title.clone(),
        is_checked: item.is_checked,
        is_archived: item.is_archived,
        checked_by: item.checked_by,
        checked_at: item.checked_at,
        depth: item.depth,
    }
}

fn entry(entry: &Entry, zone: &TimeZone) -> model::Entry {
    model::Entry {
        id: entry.id.clone(),
        kind: entry.kind.known(),
        created_at: entry.created_at,
        on: entry.on.unwrap_or_else(|| entry.created_at.day_in(zone)),
        text: entry.says().to_owned(),
        minutes: entry.minutes,
        tainted: entry.tainted,
        starred: entry.flags.starred,
        private: entry.flags.private,
    }
}
