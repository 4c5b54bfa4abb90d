//! A task while it is read.

use std::ops::RangeInclusive;

use dormouse_types::draft::{Entry, Item, Task};
use dormouse_types::limits::{self, Limit};
use dormouse_types::task::{EntryKind, Flags, Status};
use jiff::civil::Date;

use super::key::Keys;
use super::{Dated, Details, fold};

/// A task, with its text still in parts.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub task: Task,
    /// What the format calls description, body or note.
    pub note: String,
    /// Comments, in order.
    pub comments: Vec<Comment>,
    /// What has no field.
    pub details: Details,
    /// The words of a due date that depends on the day of reading.
    pub due_words: Option<String>,
}

/// A comment, with what it holds and its flags where the format says them.
#[derive(Debug, Default)]
pub(crate) struct Comment {
    pub on: Option<Date>,
    pub text: String,
    pub kind: EntryKind,
    pub flags: Flags,
}

impl From<(Option<Date>, String)> for Comment {
    fn from((on, text): (Option<Date>, String)) -> Self {
        Self { on, text, ..Self::default() }
    }
}

impl Draft {
    /// Sets the due date.
    pub fn due(&mut self, dated: Dated) {
        self.task.due_on = Some(dated.day);
        self.due_words = dated.moves.then_some(dated.words);
    }

    /// Adds a label once.
    pub fn label(&mut self, name: &str) {
        let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
        // Those beyond the limit are kept as text, where one may stand twice.
        let known = self.task.labels.iter().take(limits::LABELS_PER_TASK.max);
        if !name.is_empty() && !known.into_iter().any(|known| *known == name) {
            self.task.labels.push(name);
        }
    }

    pub fn is_done(&self) -> bool {
        self.task.status == Some(Status::Done)
    }

    /// Whether it has no more than an item and a few words of its task can hold.
    pub fn is_bare(&self) -> bool {
        let task = &self.task;
        let is_plain =
            task.status.is_none_or(|status| matches!(status, Status::Open | Status::Done));
        is_plain
            && self.note.is_empty()
            && self.comments.is_empty()
            && task.items.is_empty()
            && task.labels.is_empty()
            && task.due_on.is_none()
            && task.priority.is_none()
            && task.estimate_minutes.is_none()
            && !task.flags.starred
            && !task.flags.private
    }

    /// Adds an item; its key is the format's id, else its folded title.
    pub fn item(&mut self, id: Option<&str>, title: &str, is_checked: bool, depth: u32) {
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        let key = id.map_or_else(|| fold(&title), ToOwned::to_owned);
        self.task.items.push(Item { key, title, is_checked, depth, lines: 0..0 });
    }

    /// Adds an item as [`Self::item`] does, with the lines it is on, from 0.
    pub fn item_on(
        &mut self,
        lines: RangeInclusive<usize>,
        id: Option<&str>,
        title: &str,
        is_checked: bool,
        depth: u32,
    ) {
        self.item(id, title, is_checked, depth);
        if let Some(item) = self.task.items.last_mut() {
            item.lines = lines.start() + 1..lines.end() + 2;
        }
    }

    /// The task with its entries and within the limits; the second value says what was moved.
    pub fn finish(mut self) -> (Task, Vec<String>) {
        let mut moved = Vec::new();
        let task = &mut self.task;
        let mut whole = Vec::new();
        task.title = task.title.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some(short) = shortened(&task.title, limits::TITLE) {
            moved
                .push("the title is too long: shortened, with the full text kept as a note".into());
            whole.push(("title".to_owned(), std::mem::replace(&mut task.title, short)));
        }
        for (n, item) in task.items.iter_mut().enumerate() {
            if let Some(short) = shortened(&item.title, limits::ITEM_TITLE) {
                moved.push(
                    "an item is too long: shortened, with the full text kept as a note".into(),
                );
                whole.push((format!("item {n}"), std::mem::replace(&mut item.title, short)));
            }
        }
        if task.items.len() > limits::ITEMS_PER_TASK.max {
            let rest = task.items.split_off(limits::ITEMS_PER_TASK.max);
            moved.push(format!(
                "{} items too many for one checklist are kept as a note",
                rest.len()
            ));
            let lines = rest.iter().map(|item| {
                format!("- [{}] {}", if item.is_checked { 'x' } else { ' ' }, item.title)
            });
            whole.push(("items".to_owned(), lines.collect::<Vec<_>>().join("\n")));
        }
        let mut n_labels = 0;
        let fits = |label: &String| limits::LABEL_NAME.check(label.chars().count()).is_ok();
        let (labels, rest) = std::mem::take(&mut task.labels).into_iter().partition(|label| {
            n_labels += 1;
            fits(label) && n_labels <= limits::LABELS_PER_TASK.max
        });
        task.labels = labels;
        let rest: Vec<String> = rest;
        if !rest.is_empty() {
            moved.push(format!("{} labels too long or too many are kept in the note", rest.len()));
            self.details.push("Labels", &rest.join(", "));
        }
        if let Some(minutes) = task.estimate_minutes
            && (minutes == 0 || limits::ESTIMATE.check(minutes as usize).is_err())
        {
            moved.push(format!("an estimate of {minutes} minutes is kept in the note"));
            self.details.push("Estimate", &format!("{minutes} min"));
            task.estimate_minutes = None;
        }
        if let Some(reason) = &task.status_reason
            && let Some(short) = shortened(reason, limits::REASON)
        {
            moved.push(
                "the reason is too long: shortened, with the full text kept as a note".into(),
            );
            whole.push(("reason".to_owned(), reason.clone()));
            task.status_reason = Some(short);
        }
        number(&mut task.items);
        let mut add = |key: String, text: &str, like: &Comment| {
            let Comment { on, kind, flags, .. } = *like;
            for (n, part) in parts(text).enumerate() {
                let key = if n == 0 { key.clone() } else { format!("{key}.{}", n + 1) };
                task.entries.push(Entry { key, text: part.to_owned(), on, kind, flags });
            }
        };
        let plain = Comment::default();
        add("note#1".to_owned(), &self.note, &plain);
        for (n, comment) in self.comments.iter().enumerate() {
            add(format!("comment#{}", n + 1), &comment.text, comment);
        }
        for (key, text) in &whole {
            add(format!("{key}#1"), text, &plain);
        }
        add(Details::KEY.to_owned(), &self.details.text(), &plain);
        (self.task, moved)
    }
}

/// A text cut to a limit, including the ellipsis; `None` if it fits.
pub(crate) fn shortened(text: &str, limit: Limit) -> Option<String> {
    limit.check(text.chars().count()).err()?;
    let mut short: String = text.chars().take(limit.max - 1).collect();
    short.push('…');
    Some(short)
}

/// Numbers equal keys of items in their order.
fn number(items: &mut [Item]) {
    let mut keys = Keys::default();
    for item in items {
        item.key = keys.unique(std::mem::take(&mut item.key));
    }
}

/// The parts of a text that fit an entry each, without empty ones.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text.trim_matches('\n').trim_end();
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if rest.len() <= limits::ENTRY_TEXT.max {
            return Some(std::mem::take(&mut rest));
        }
        let end = rest.floor_char_boundary(limits::ENTRY_TEXT.max);
        let at = rest[..end].rfind('\n').filter(|&at| at > 0).map_or(end, |at| at + 1);
        let (part, after) = rest.split_at(at);
        rest = after;
        Some(part)
    })
}
