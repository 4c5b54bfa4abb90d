//! What a writer is given: a task with all that it holds, and names for the parts that a format
//! has no place for.

use dormouse_types::closed_list;
use dormouse_types::draft;
use dormouse_types::task::{EntryKind, Flags, LinkDirection, LinkKind, Priority, Status};
use jiff::Timestamp;
use jiff::civil::Date;

use crate::intake::Details;

/// A task with all that it holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Task {
    /// Stable across exports: a task's id, or the key it was read under.
    pub key: String,
    /// The title; line breaks count as spaces.
    pub title: String,
    /// The status; `None` writes none.
    pub status: Option<Status>,
    /// The reason of a blocked or on-hold task.
    pub status_reason: Option<String>,
    pub priority: Option<Priority>,
    /// The due day.
    pub due_on: Option<Date>,
    /// Units: minutes.
    pub estimate_minutes: Option<u32>,
    /// ISO 639 code.
    pub language: Option<String>,
    /// The category's name.
    pub category: Option<String>,
    /// The labels' names.
    pub labels: Vec<String>,
    /// Starred, private.
    pub flags: Flags,
    /// Checklist items in order.
    pub items: Vec<draft::Item>,
    /// Entries in order.
    pub entries: Vec<draft::Entry>,
    /// Links to other tasks.
    pub links: Vec<Link>,
    /// When it was last changed. A file says it so that its import back into the workspace tells what
    /// was changed in the file from what was changed here since.
    pub updated_at: Option<Timestamp>,
    pub created_at: Option<Timestamp>,
    pub completed_at: Option<Timestamp>,
    /// The report of its agent, as Markdown.
    pub report: Option<String>,
}

/// A link to another task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// How the tasks relate.
    pub kind: LinkKind,
    /// Which way the link runs, seen from the task that holds it.
    pub direction: LinkDirection,
    /// The other task's key.
    pub key: String,
    /// The other task's title.
    pub title: String,
}

impl From<&draft::Task> for Task {
    fn from(draft: &draft::Task) -> Self {
        Self {
            key: draft.key.clone(),
            title: draft.title.clone(),
            status: draft.status,
            status_reason: draft.status_reason.clone(),
            priority: draft.priority,
            due_on: draft.due_on,
            estimate_minutes: draft.estimate_minutes,
            language: draft.language.clone(),
            category: draft.category.clone(),
            labels: draft.labels.clone(),
            flags: draft.flags,
            updated_at: draft.as_of.map(dormouse_types::Timestamp::to_jiff),
            items: draft.items.clone(),
            entries: draft.entries.clone(),
            ..Self::default()
        }
    }
}

impl Task {
    pub(crate) fn title_line(&self) -> String {
        one_line(&self.title)
    }

    /// What its entries have besides text and day, as parts that a format may have no place for.
    pub(crate) fn entry_marks(&self) -> Vec<Lost> {
        let any = |is: fn(&draft::Entry) -> bool| self.entries.iter().any(is);
        let marks = [
            (any(|entry| entry.flags.starred), Lost::Starred),
            (any(|entry| entry.flags.private), Lost::Private),
            (any(|entry| entry.kind != EntryKind::Text), Lost::Kinds),
        ];
        marks.into_iter().filter_map(|(is, part)| is.then_some(part)).collect()
    }

    /// What was kept as text because there was no field for it, and the other entries.
    pub(crate) fn parts(&self) -> (Details, Vec<&draft::Entry>) {
        let mut details = None;
        let mut entries = Vec::new();
        for entry in &self.entries {
            match Details::parse(&entry.text) {
                Some(parsed) if entry.key == Details::KEY && details.is_none() => {
                    details = Some(parsed);
                }
                Some(_) | None => entries.push(entry),
            }
        }
        (details.unwrap_or_default(), entries)
    }
}

/// Whether what was kept as text is not the last entry, where readers of most formats put it.
pub(crate) fn has_details_within(task: &Task) -> bool {
    let (details, _) = task.parts();
    let is_details = |entry: &draft::Entry| entry.key == Details::KEY;
    details.iter().next().is_some() && !task.entries.last().is_some_and(is_details)
}

/// A text on one line, without the character that no text file can contain.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('\0', "\u{fffd}")
}

/// Several lines with `\n` ends.
pub(crate) fn block(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n").replace('\0', "\u{fffd}")
}

closed_list! {
    /// A part of a task that a format has no place for.
    pub enum Lost, "part of a task that is lost" {
        /// The title cannot stand as it is.
        Title = "title",
        /// The reason of a status.
        Reason = "reason",
        /// The name of the category or of a label cannot stand as it is.
        Names = "names",
        /// The checklist.
        Items = "items",
        Entries = "entries",
        /// What was kept as text because there is no field for it.
        Details = "details",
        Estimate = "estimate",
        Language = "language",
        Priority = "priority",
        /// The due day.
        Due = "due",
        /// The star of the task or of entries.
        Starred = "starred",
        /// That the task or entries are private.
        Private = "private",
        /// The kind of entries, such as image analysis.
        Kinds = "kinds",
        /// The order of entries, their days, or where one ends and the next begins.
        Order = "order",
        /// Links to other tasks, beyond their text.
        Links = "links",
        /// The hours of creation and completion, or the times as a whole.
        Times = "times",
        Report = "report",
        /// The key by which the task is recognized.
        Key = "key",
    }
}
