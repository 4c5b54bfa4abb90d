//! Lists tasks as a page shows them: filtered, sorted, searched and paged.
//!
//! A page costs the same number of queries whatever it shows. If rows alone decide what is listed,
//! only the page is read; if documents decide, the index of all tasks is read, and then the whole
//! page.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::str::FromStr;

use dormouse_store::journal::category::Category;
use dormouse_store::journal::label::{self, Definition};
use dormouse_store::journal::task::{TaskWithCounts, WORDS};
use dormouse_store::journal::task_list::{self, Line, TaskIndexEntry, TaskIndexRow};
use dormouse_types::closed_list;
use dormouse_types::fold::folded;
use dormouse_types::task::{Flag, ItemState, Priority, Status};
use dormouse_types::{CategoryId, Id as _, LabelId, Timestamp, WorkspaceId, limits};
use jiff::ToSpan as _;
use jiff::civil::Date;

use crate::error::JournalError;
use crate::read::summary;
use crate::{Journal, Page};

closed_list! {
    /// The order of a list.
    #[derive(Default)]
    pub enum Sort, "order" {
        /// Most recently changed first.
        Updated = "updated",
        /// Earliest due date first; tasks without one last.
        Due = "due",
        /// Most recently created first.
        #[default]
        Created = "created",
        /// Most urgent first; a task without a priority counts as P2.
        Priority = "priority",
        /// By title, ignoring case and accents; untitled tasks last.
        Title = "title",
    }
}

closed_list! {
    /// When a task is due, as a filter.
    pub enum Due, "due date filter" {
        /// Before today, and the task is not closed.
        Overdue = "overdue",
        /// Today or within the six days after it.
        Week = "week",
        /// No due date.
        None = "none",
    }
}

impl Due {
    fn holds(self, task: &TaskIndexEntry, today: Date) -> bool {
        match (self, task.due_on) {
            (Self::None, day) => day.is_none(),
            (Self::Overdue, Some(day)) => day < today && !task.status.status.is_terminal(),
            (Self::Week, Some(day)) => day >= today && day < today.saturating_add(7.days()),
            (Self::Overdue | Self::Week, None) => false,
        }
    }
}

/// How a list treats soft-deleted tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Deleted {
    /// Leaves them out.
    #[default]
    Without,
    /// Includes them.
    Too,
    /// Shows only them.
    Only,
}

/// The category filter for tasks without a category.
pub const NO_CATEGORY: &str = "none";

/// Which tasks a list shows. For each filter that is not empty, one of its values must match.
pub struct TaskQuery<'a> {
    /// Any of these statuses.
    pub statuses: Vec<Status>,
    /// Any of these priorities; a task without one counts as P2.
    pub priorities: Vec<Priority>,
    /// Any of these labels, by id or by name.
    pub labels: Vec<String>,
    /// Any of these categories, by id or by name; [`NO_CATEGORY`] means no category.
    pub categories: Vec<String>,
    /// Any of these due times.
    pub due: Vec<Due>,
    /// All of these flags.
    pub flags: Vec<Flag>,
    /// Today's date.
    pub today: Date,
    /// Folded words that must all occur in the task: title, entries, items, labels, or the text
    /// from `said`.
    pub words: Vec<String>,
    /// Further searchable text from elsewhere, folded, by task id.
    pub report_texts: HashMap<String, String>,
    /// Whether a task may be shown at all, by its id.
    pub keep: Option<&'a (dyn Fn(&str) -> bool + Send + Sync)>,
    /// How soft-deleted tasks are treated.
    pub deleted: Deleted,
    /// The order.
    pub sort: Sort,
}

impl TaskQuery<'_> {
    /// Whether the columns of a row are enough to build the list.
    fn is_plain(&self) -> bool {
        let parts = self.statuses.is_empty() && self.priorities.is_empty() && self.due.is_empty();
        let parts = parts && self.flags.is_empty();
        let named = self.labels.is_empty() && self.categories.is_empty() && self.words.is_empty();
        let sorted = matches!(self.sort, Sort::Created | Sort::Updated);
        parts && named && sorted && self.keep.is_none() && self.deleted != Deleted::Only
    }
}

/// A place in a list, ordered by the first part ascending, then time and id descending.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct SortKey(String, Reverse<i64>, Reverse<String>);

/// Units: characters. The length of the title prefix used for sorting.
const TITLE: usize = 64;

impl SortKey {
    fn of(line: &TaskIndexRow, task: &TaskIndexEntry, sort: Sort) -> Self {
        let last = || char::MAX.to_string();
        let (first, at) = match sort {
            Sort::Created => (String::new(), line.created_at),
            Sort::Updated => (String::new(), line.updated_at),
            Sort::Due => (task.due_on.map_or_else(last, |day| day.to_string()), line.created_at),
            Sort::Priority => {
                (task.priority.unwrap_or_default().name().to_owned(), line.created_at)
            }
            Sort::Title if task.title.trim().is_empty() => (last(), line.created_at),
            Sort::Title => {
                let title = folded(task.title.trim());
                (title.chars().take(TITLE).collect(), line.created_at)
            }
        };
        Self(first, Reverse(at.micros()), Reverse(line.id.clone()))
    }

    /// Shape: the order, microseconds, the id, and the first part in hexadecimal, separated by
    /// dots.
    fn cursor(&self, sort: Sort) -> String {
        let mut cursor = format!("{}.{}.{}.", sort.name(), self.1.0, self.2.0);
        for byte in self.0.bytes() {
            write!(cursor, "{byte:02x}").expect("a string takes everything");
        }
        cursor
    }

    fn read(cursor: &str, sort: Sort) -> Result<Self, JournalError> {
        let read = || {
            let mut parts = cursor.split('.');
            let is_it = parts.next()? == sort.name();
            let at = parts.next()?.parse().ok()?;
            let id = dormouse_types::TaskId::from_str(parts.next()?).ok()?;
            let hex = parts.next().filter(|hex| hex.is_ascii() && hex.len() % 2 == 0)?;
            let bytes = (0..hex.len()).step_by(2).map(|n| u8::from_str_radix(&hex[n..n + 2], 16));
            let first = String::from_utf8(bytes.collect::<Result<_, _>>().ok()?).ok()?;
            let is_whole = is_it && parts.next().is_none();
            is_whole.then(|| Self(first, Reverse(at), Reverse(id.to_string())))
        };
        read().ok_or_else(|| JournalError::Cursor { given: cursor.chars().take(60).collect() })
    }
}

impl Journal {
    /// A page of tasks.
    ///
    /// Errors: a cursor of another list or another order. A limit above the largest page size is
    /// reduced to it.
    pub async fn list(
        &self,
        ws: WorkspaceId,
        wanted: &TaskQuery<'_>,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page, JournalError> {
        let limit = limit.clamp(1, limits::PAGE.max);
        let after = cursor.map(|cursor| SortKey::read(cursor, wanted.sort)).transpose()?;
        let definitions = self.store.all(label::definitions(ws)).await?;
        let (lines, next, mut damaged) = if wanted.is_plain() {
            self.plain(ws, wanted, limit, after).await?
        } else {
            self.filtered(ws, wanted, limit, after, &definitions).await?
        };
        let ids: Vec<String> = lines.iter().map(|line| line.id.clone()).collect();
        let mut counted: HashMap<String, (i64, i64)> = HashMap::new();
        for one in self.store.all(task_list::items(ws, &ids)).await? {
            let (n_open, n_done) = counted.entry(one.task).or_default();
            match one.state.known() {
                Some(ItemState::Open) => *n_open += one.n,
                Some(ItemState::Done) => *n_done += one.n,
                Some(ItemState::Archived) | None => {}
            }
        }
        let mut items = Vec::with_capacity(lines.len());
        for line in lines {
            let (n_open, n_done) = counted.get(&line.id).copied().unwrap_or_default();
            match line.task {
                Ok(task) => {
                    items.push(summary(TaskWithCounts { task, n_open, n_done }, &definitions))
                }
                Err(error) => damaged.push(error.to_string()),
            }
        }
        Ok(Page { items, damaged, next })
    }

    /// A page sorted by the database.
    async fn plain(
        &self,
        ws: WorkspaceId,
        wanted: &TaskQuery<'_>,
        limit: usize,
        after: Option<SortKey>,
    ) -> Result<(Vec<Line>, Option<String>, Vec<String>), JournalError> {
        let after = after.map_or((i64::MAX, "~".to_owned()), |at| (at.1.0, at.2.0));
        let place = (Timestamp::from_micros(after.0), after.1.as_str());
        let read = i64::try_from(limit + 1).unwrap_or(i64::MAX);
        let by_change = wanted.sort == Sort::Updated;
        let include_deleted = wanted.deleted == Deleted::Too;
        let query = if by_change {
            task_list::by_change(ws, include_deleted, place, read)
        } else {
            task_list::by_creation(ws, include_deleted, place, read)
        };
        let mut lines = self.store.all(query).await?;
        let more = lines.len() > limit;
        lines.truncate(limit);
        let next = lines.last().filter(|_| more).map(|line| {
            let at = if by_change { line.updated_at } else { line.created_at };
            SortKey(String::new(), Reverse(at.micros()), Reverse(line.id.clone()))
                .cursor(wanted.sort)
        });
        Ok((lines, next, Vec::new()))
    }

    /// A page for which every task is checked.
    async fn filtered(
        &self,
        ws: WorkspaceId,
        wanted: &TaskQuery<'_>,
        limit: usize,
        after: Option<SortKey>,
        definitions: &[Definition],
    ) -> Result<(Vec<Line>, Option<String>, Vec<String>), JournalError> {
        let sieve = ResolvedFilter {
            wanted,
            labels: wanted_labels(&wanted.labels, definitions),
            categories: wanted_categories(&wanted.categories, definitions),
            known_categories: categories(definitions).map(|one| one.id.clone()).collect(),
            named: wanted.words.iter().map(|word| labels_with(word, definitions)).collect(),
            hits: self.hits(ws, &wanted.words).await?,
        };
        let (mut places, mut damaged) = (Vec::new(), Vec::new());
        for line in self.briefs.of(&self.store, ws).await?.iter() {
            match &line.task {
                _ if !sieve.is_wanted(line.deleted_at) => {}
                Ok(task) if sieve.holds(&line.id, task) => {
                    let place = SortKey::of(line, task, wanted.sort);
                    if after.as_ref().is_none_or(|after| place > *after) {
                        places.push(place);
                    }
                }
                Ok(_) => {}
                // Its place in the order is unknown, so it is reported once, on the first page.
                Err(error) if after.is_none() => damaged.push(error.to_string()),
                Err(_) => {}
            }
        }
        let more = places.len() > limit;
        if more {
            places.select_nth_unstable(limit);
            places.truncate(limit);
        }
        places.sort_unstable();
        let next = places.last().filter(|_| more).map(|place| place.cursor(wanted.sort));
        let ids: Vec<String> = places.into_iter().map(|place| place.2.0).collect();
        let mut lines: HashMap<String, Line> = HashMap::new();
        for line in self.store.all(task_list::some(ws, &ids)).await? {
            lines.insert(line.id.clone(), line);
        }
        Ok((ids.iter().filter_map(|id| lines.remove(id)).collect(), next, damaged))
    }

    /// For each task that contains one of the words, which words it contains.
    async fn hits(
        &self,
        ws: WorkspaceId,
        words: &[String],
    ) -> Result<HashMap<String, Vec<bool>>, JournalError> {
        let mut found: HashMap<String, Vec<bool>> = HashMap::new();
        for (n, some) in words.chunks(WORDS).enumerate() {
            for hit in self.store.all(task_list::hits(ws, some)).await? {
                let all = found.entry(hit.task).or_insert_with(|| vec![false; words.len()]);
                let place = n * WORDS;
                all[place..place + some.len()].copy_from_slice(&hit.words[..some.len()]);
            }
        }
        Ok(found)
    }
}

/// The filters with labels and categories resolved to ids.
struct ResolvedFilter<'a> {
    wanted: &'a TaskQuery<'a>,
    labels: Vec<LabelId>,
    categories: Vec<CategoryId>,
    known_categories: Vec<CategoryId>,
    /// For each word, the labels whose names contain it.
    named: Vec<Vec<LabelId>>,
    hits: HashMap<String, Vec<bool>>,
}

impl ResolvedFilter<'_> {
    fn is_wanted(&self, deleted_at: Option<Timestamp>) -> bool {
        match self.wanted.deleted {
            Deleted::Without => deleted_at.is_none(),
            Deleted::Too => true,
            Deleted::Only => deleted_at.is_some(),
        }
    }

    fn holds(&self, id: &str, task: &TaskIndexEntry) -> bool {
        let TaskQuery { statuses, priorities, due, today, .. } = self.wanted;
        let any = |named: bool, holds: bool| !named || holds;
        any(!statuses.is_empty(), statuses.contains(&task.status.status))
            && any(!priorities.is_empty(), priorities.contains(&task.priority.unwrap_or_default()))
            && any(!due.is_empty(), due.iter().any(|due| due.holds(task, *today)))
            && self.wanted.flags.iter().all(|flag| task.flags().has(*flag))
            && any(!self.wanted.labels.is_empty(), carries(task, &self.labels))
            && any(!self.wanted.categories.is_empty(), self.is_in_category(task))
            && self.wanted.keep.is_none_or(|keep| keep(id))
            && self.has_words(id, task)
    }

    fn is_in_category(&self, task: &TaskIndexEntry) -> bool {
        // A category that was deleted is not shown on tasks.
        match task.category_id.as_ref().filter(|id| self.known_categories.contains(id)) {
            Some(id) => self.categories.contains(id),
            None => self.wanted.categories.iter().any(|wanted| wanted == NO_CATEGORY),
        }
    }

    fn has_words(&self, id: &str, task: &TaskIndexEntry) -> bool {
        let hits = self.hits.get(id);
        let report_texts = self.wanted.report_texts.get(id);
        self.wanted.words.iter().enumerate().all(|(n, word)| {
            hits.is_some_and(|hits| hits[n])
                || report_texts.is_some_and(|report_texts| report_texts.contains(word.as_str()))
                || carries(task, &self.named[n])
        })
    }
}

fn carries(task: &TaskIndexEntry, labels: &[LabelId]) -> bool {
    task.label_ids.iter().any(|id| labels.contains(id))
}

fn means<'a>(mut wanted: impl Iterator<Item = &'a String>, id: &str, name: &str) -> bool {
    wanted.any(|wanted| wanted == id || folded(wanted.trim()) == folded(name))
}

fn wanted_labels(wanted: &[String], definitions: &[Definition]) -> Vec<LabelId> {
    let labels = definitions.iter().filter_map(|definition| match definition {
        Definition::Label(label) => Some(&label.doc.value),
        Definition::Category(_) => None,
    });
    let labels = labels.filter(|label| means(wanted.iter(), label.id.as_str(), &label.name));
    labels.map(|label| label.id.clone()).collect()
}

fn categories(definitions: &[Definition]) -> impl Iterator<Item = &Category> {
    definitions.iter().filter_map(|definition| match definition {
        Definition::Label(_) => None,
        Definition::Category(category) => Some(&category.doc.value),
    })
}

fn wanted_categories(wanted: &[String], definitions: &[Definition]) -> Vec<CategoryId> {
    let is_meant = |one: &&Category| {
        // A category named like this word can only be selected by its id.
        let named = wanted.iter().filter(|wanted| *wanted != NO_CATEGORY);
        means(named, one.id.as_str(), &one.name)
    };
    categories(definitions).filter(is_meant).map(|one| one.id.clone()).collect()
}

fn labels_with(word: &str, definitions: &[Definition]) -> Vec<LabelId> {
    let labels = definitions.iter().filter_map(|definition| match definition {
        Definition::Label(label) => Some(&label.doc.value),
        Definition::Category(_) => None,
    });
    labels.filter(|label| folded(&label.name).contains(word)).map(|l| l.id.clone()).collect()
}
