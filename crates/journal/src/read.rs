//! Reads tasks: one in full, many as summaries, or those matching what a person types.

use dormouse_store::journal::category::Category;
use dormouse_store::journal::label::Definition;
use dormouse_store::journal::row::Stored;
use dormouse_store::journal::task::{Line, ListQuery, PageStart, Task, TaskWithCounts, WORDS};
use dormouse_store::journal::{field_say, label, linked_entry, task};
use dormouse_types::fold::folded;
use dormouse_types::model::Named;
use dormouse_types::task::{Priority, Status};
use dormouse_types::{CategoryId, Id as _, LabelId, TaskId, Timestamp, WorkspaceId, limits};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::Journal;
use crate::error::JournalError;
use crate::view::TaskView;

/// The fewest final characters of an id that identify a task.
const SHORT_ID: usize = 5;

/// Which tasks to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only this status.
    pub status: Option<Status>,
    /// Only titles that contain all of these words, ignoring case and accents.
    pub text: Option<String>,
    /// Include soft-deleted tasks.
    pub include_deleted: bool,
}

/// One page of tasks, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    pub items: Vec<TaskSummary>,
    /// Messages about rows that cannot be read; they do not hide the others.
    pub damaged: Vec<String>,
    /// The cursor of the next page; `None` at the end.
    pub next: Option<String>,
}

/// A category by its id and name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CategoryRef {
    pub id: CategoryId,
    pub name: String,
}

/// A task in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskSummary {
    pub id: TaskId,
    /// Empty while it is untitled.
    pub title: String,
    pub status: Status,
    /// Why it is blocked or on hold.
    pub status_reason: Option<String>,
    /// `None` if nobody set it.
    pub priority: Option<Priority>,
    /// The day it is due.
    pub due_on: Option<Date>,
    /// Units: minutes.
    pub estimate_minutes: Option<u32>,
    /// ISO 639 code.
    pub language: Option<String>,
    pub category: Option<CategoryRef>,
    pub labels: Vec<Named<LabelId>>,
    /// Whether it is starred.
    #[serde(default)]
    pub starred: bool,
    /// Whether it is private.
    #[serde(default)]
    pub private: bool,
    /// Items that are neither ticked nor archived.
    pub n_items_open: u32,
    /// Items that are ticked, but not archived.
    pub n_items_done: u32,
    /// Rises with every change.
    pub revision: i64,
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// When it was soft-deleted.
    pub deleted_at: Option<Timestamp>,
}

impl Journal {
    /// A task with everything that belongs to it, in four queries whatever its size.
    ///
    /// Errors: an unknown id; a row that cannot be read, with its id.
    pub async fn task(&self, ws: WorkspaceId, id: &TaskId) -> Result<TaskView, JournalError> {
        let parts = self.store.all(task::aggregate(ws, id)).await?;
        let links = self.store.all(linked_entry::of_task(ws, id)).await?;
        let definitions = self.store.all(label::definitions(ws)).await?;
        let says = self.store.all(field_say::of_task(ws, id)).await?;
        let missing = || JournalError::NoTask { task: id.clone() };
        TaskView::new(parts, links, definitions, says).ok_or_else(missing)
    }

    /// A page of tasks, newest first.
    ///
    /// Errors: a cursor of another list. A limit above the largest page size is reduced to it.
    pub async fn tasks(
        &self,
        ws: WorkspaceId,
        filter: &Filter,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page, JournalError> {
        let limit = limit.clamp(1, limits::PAGE.max);
        let words = words(filter.text.as_deref().unwrap_or_default());
        let wanted = ListQuery {
            status: filter.status,
            words: words.clone(),
            title: None,
            include_deleted: filter.include_deleted,
            after: cursor.map(page_start).transpose()?,
            limit: i64::try_from(limit + 1).unwrap_or(i64::MAX),
        };
        let mut lines = self.store.all(task::list(ws, &wanted)).await?;
        let more = lines.len() > limit;
        lines.truncate(limit);
        let next = lines.last().filter(|_| more).map(cursor_of);
        let definitions = self.store.all(label::definitions(ws)).await?;
        let (mut items, mut damaged) = (Vec::new(), Vec::new());
        for line in lines {
            match line.row {
                Ok(listed) => items.push(summary(listed, &definitions)),
                Err(error) => damaged.push(error.to_string()),
            }
        }
        items.retain(|item| words.iter().skip(WORDS).all(|word| has(&item.title, word)));
        Ok(Page { items, damaged, next })
    }

    /// The tasks a person may mean: an id, its last five or more characters, a whole title, or words of titles.
    ///
    /// The first of these forms that matches any task decides. Soft-deleted tasks are returned only
    /// if no live one matches. Pages are as in [`Self::tasks`].
    ///
    /// Errors: a cursor of another list.
    pub async fn find(
        &self,
        ws: WorkspaceId,
        text: &str,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page, JournalError> {
        let limit = limit.clamp(1, limits::PAGE.max);
        let definitions = self.store.all(label::definitions(ws)).await?;
        if let Some(cursor) = cursor {
            let wrong = || JournalError::Cursor { given: cursor.chars().take(60).collect() };
            let (form, start) = cursor.split_once('.').ok_or_else(wrong)?;
            let form = Form::ALL.iter().find(|known| known.name() == form).ok_or_else(wrong)?;
            let after = Some(page_start(start).map_err(|_| wrong())?);
            return self.of_form(ws, text, *form, after, limit, &definitions).await;
        }
        let found = self.of_id(ws, text, &definitions).await?;
        if !found.is_empty() {
            return Ok(Page { items: found, damaged: Vec::new(), next: None });
        }
        let mut none = Page::default();
        for form in Form::ALL {
            let page = self.of_form(ws, text, form, None, limit, &definitions).await?;
            if !page.items.is_empty() {
                return Ok(page);
            }
            let new = page.damaged.into_iter().filter(|message| !none.damaged.contains(message));
            none.damaged.extend(new.collect::<Vec<_>>());
        }
        Ok(none)
    }

    /// The ids of all tasks that [`Self::find`] finds. Unless the text is an id, no task is read for it.
    pub async fn find_ids(&self, ws: WorkspaceId, text: &str) -> Result<Vec<TaskId>, JournalError> {
        let found = self.of_id(ws, text, &[]).await?;
        if !found.is_empty() {
            return Ok(found.into_iter().map(|task| task.id).collect());
        }
        let words = words(text);
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let title = folded(text.trim());
        for form in Form::ALL {
            let wanted = ListQuery {
                status: None,
                words: words.clone(),
                title: form.is_title.then(|| title.clone()),
                include_deleted: form.is_deleted,
                after: None,
                limit: i64::MAX,
            };
            let mut found = self.store.all(task::titled(ws, &wanted)).await?;
            found.retain(|(_, title)| words.iter().skip(WORDS).all(|word| title.contains(word)));
            if !found.is_empty() {
                return Ok(found.into_iter().map(|(id, _)| id).collect());
            }
        }
        Ok(Vec::new())
    }

    /// The tasks that a text names by an id or its end.
    async fn of_id(
        &self,
        ws: WorkspaceId,
        text: &str,
        definitions: &[Definition],
    ) -> Result<Vec<TaskSummary>, JournalError> {
        let lower = text.trim().to_lowercase();
        if lower.chars().count() < SHORT_ID || lower.contains(char::is_whitespace) {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        for line in self.store.all(task::by_ending(ws, &lower)).await? {
            // The person requested this very row, so its damage is the answer.
            found.push(summary(line.row?, definitions));
        }
        if found.iter().any(|task| task.id.as_str() == lower) {
            found.retain(|task| task.id.as_str() == lower);
        }
        if found.iter().any(|task| task.deleted_at.is_none()) {
            found.retain(|task| task.deleted_at.is_none());
        }
        Ok(found)
    }

    /// A page of the tasks that a text names in one way.
    async fn of_form(
        &self,
        ws: WorkspaceId,
        text: &str,
        form: Form,
        mut after: Option<PageStart>,
        limit: usize,
        definitions: &[Definition],
    ) -> Result<Page, JournalError> {
        let words = words(text);
        let mut page = Page::default();
        if words.is_empty() {
            return Ok(page);
        }
        let title = folded(text.trim());
        loop {
            let wanted = ListQuery {
                status: None,
                words: words.clone(),
                title: form.is_title.then(|| title.clone()),
                include_deleted: form.is_deleted,
                after: after.take(),
                limit: i64::try_from(limit + 1).unwrap_or(i64::MAX),
            };
            let lines = self.store.all(task::list(ws, &wanted)).await?;
            let is_last = lines.len() <= limit;
            for line in lines {
                if page.items.len() == limit {
                    let place = after.as_ref().map(place);
                    page.next = place.map(|place| format!("{}.{place}", form.name()));
                    return Ok(page);
                }
                after = Some(line.after.clone());
                match line.row.map(|listed| summary(listed, definitions)) {
                    Ok(task) if words.iter().skip(WORDS).all(|word| has(&task.title, word)) => {
                        page.items.push(task);
                    }
                    Ok(_) => {}
                    Err(error) => page.damaged.push(error.to_string()),
                }
            }
            if is_last {
                return Ok(page);
            }
        }
    }
}

/// In which way a text names tasks, in the order in which they are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Form {
    /// Whether it is the whole title, and not words of it.
    is_title: bool,
    is_deleted: bool,
}

impl Form {
    const ALL: [Self; 4] = [
        Self { is_title: true, is_deleted: false },
        Self { is_title: false, is_deleted: false },
        Self { is_title: true, is_deleted: true },
        Self { is_title: false, is_deleted: true },
    ];

    /// Its name in a cursor.
    fn name(self) -> &'static str {
        match (self.is_title, self.is_deleted) {
            (true, false) => "title",
            (false, false) => "words",
            (true, true) => "deletedTitle",
            (false, true) => "deletedWords",
        }
    }
}

fn words(text: &str) -> Vec<String> {
    folded(text).split_whitespace().map(ToOwned::to_owned).collect()
}

fn has(title: &str, word: &str) -> bool {
    folded(title).contains(word)
}

/// Shape: microseconds, a dot, the id.
fn cursor_of(line: &Line) -> String {
    place(&line.after)
}

fn place(after: &PageStart) -> String {
    format!("{}.{}", after.created_at.micros(), after.id)
}

fn page_start(cursor: &str) -> Result<PageStart, JournalError> {
    let wrong = || JournalError::Cursor { given: cursor.chars().take(60).collect() };
    let (micros, id) = cursor.split_once('.').ok_or_else(wrong)?;
    let micros = micros.parse().map_err(|_| wrong())?;
    let id: TaskId = id.parse().map_err(|_| wrong())?;
    Ok(PageStart { created_at: Timestamp::from_micros(micros), id: id.to_string() })
}

pub(crate) fn summary(listed: TaskWithCounts, definitions: &[Definition]) -> TaskSummary {
    let TaskWithCounts { task: Stored { doc, revision, .. }, n_open, n_done } = listed;
    let task: Task = doc.value;
    let mut labels = Vec::new();
    let mut category = None;
    for definition in definitions {
        match definition {
            Definition::Label(label) => {
                let label = &label.doc.value;
                if task.label_ids.contains(&label.id) {
                    labels.push(Named { id: label.id.clone(), name: label.name.clone() });
                }
            }
            Definition::Category(stored) => {
                if task.category_id.as_ref() == Some(&stored.doc.value.id) {
                    let Category { id, name, .. } = stored.doc.value.clone();
                    category = Some(CategoryRef { id, name });
                }
            }
        }
    }
    TaskSummary {
        id: task.id,
        title: task.title,
        status: task.status.status,
        status_reason: task.status.reason,
        priority: task.priority,
        due_on: task.due_on,
        estimate_minutes: task.estimate_minutes,
        language: task.language_code,
        category,
        labels,
        starred: task.flags.starred,
        private: task.flags.private,
        n_items_open: u32::try_from(n_open).unwrap_or(u32::MAX),
        n_items_done: u32::try_from(n_done).unwrap_or(u32::MAX),
        revision,
        created_at: task.created_at,
        updated_at: task.updated_at,
        deleted_at: task.deleted_at,
    }
}
