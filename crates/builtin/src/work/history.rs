//! What happened to a task over some days, in a few words.

use dormouse_types::Origin;
use dormouse_types::change::What;
use dormouse_types::field_change::{FieldRef, FieldValue};
use dormouse_types::task::Status;
use dormouse_types::work_facts::{HistoryLine, LastRun, TaskFacts};
use jiff::civil::Date;

use super::wording::{Wording, fill, reason};

/// From when on changes are told.
#[derive(Debug, Clone, Copy)]
pub(super) enum Since {
    /// From the beginning of a day.
    Day(Date),
    /// Later than what a run before has read.
    Run(LastRun),
}

impl Since {
    /// Whether a change is reported.
    pub(super) fn covers(self, line: &HistoryLine) -> bool {
        match self {
            Self::Day(day) => line.on >= day,
            Self::Run(last) => line.at > last.at,
        }
    }
}

/// What happened to a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum News {
    /// Nothing.
    None,
    /// It came from a file.
    Imported,
    /// These things, the weightiest first.
    Changed(Vec<String>),
}

/// Where a due date came from, if it was moved since.
pub(super) fn was_due(task: &TaskFacts, since: Since) -> Option<Date> {
    let moved_from = |line: &HistoryLine| match &line.what {
        Some(What::FieldSet(change)) if change.field == FieldRef::DueDate => {
            let (from, to) = (change.from.as_ref()?.day()?, change.to.as_ref()?.day()?);
            (from != to).then_some(from)
        }
        _ => None,
    };
    let first = task.history.iter().filter(|line| since.covers(line)).find_map(moved_from)?;
    (Some(first) != task.due_on).then_some(first)
}

/// Whether its status was set since.
pub(super) fn is_status_set(task: &TaskFacts, since: Since) -> bool {
    let mut lines = task.history.iter().filter(|line| since.covers(line));
    lines.any(|line| {
        let what = line.what.as_ref();
        what.is_some_and(
            |what| matches!(what, What::FieldSet(change) if change.field == FieldRef::Status),
        )
    })
}

/// Whether it was done or dropped already when it was imported. When that was is not known, so it is no news.
pub(super) fn came_closed(task: &TaskFacts) -> bool {
    let is_import = |line: &HistoryLine| matches!(line.origin, Origin::Import);
    let is_created = |line: &&HistoryLine| {
        is_import(line) && matches!(line.what, Some(What::TaskCreated { .. }))
    };
    let Some(created) = task.history.iter().find(is_created) else { return false };
    let is_status = |line: &&HistoryLine| {
        let field = line.what.as_ref().and_then(|what| match what {
            What::FieldSet(change) => Some(&change.field),
            _ => None,
        });
        matches!(field, Some(FieldRef::Status))
    };
    let came_so = |line: &HistoryLine| is_import(line) && line.on == created.on;
    !task.is_open() && task.history.iter().filter(is_status).all(came_so)
}

/// What happened since. What was done and undone is left out.
pub(super) fn news(task: &TaskFacts, since: Since, words: Wording) -> News {
    let say = &words.say.changes;
    let lines = task.history.iter().filter(|line| since.covers(line));
    let lines = lines.filter(|line| !line.origin.is_automatic());
    let mut net = Net::default();
    for line in lines {
        match &line.what {
            Some(what) => net.add(what, matches!(line.origin, Origin::Import)),
            None => net.other = true,
        }
    }
    if net.is_created && net.is_import && (task.is_open() || came_closed(task)) {
        return News::Imported;
    }
    let mut stated = Vec::new();
    if net.is_created {
        stated.push(say.created.to_owned());
    }
    if let Some(before) = net.status_before.filter(|before| *before != task.status) {
        stated.push(status(task, before, words));
    }
    if let Some(before) = net.due_before.filter(|before| *before != task.due_on) {
        stated.push(match (before, task.due_on) {
            (_, None) => say.due_cleared.to_owned(),
            (None, Some(to)) => fill(say.due, &[("day", &words.near_day(to))]),
            (Some(from), Some(to)) => {
                fill(say.due_moved, &[("to", &words.near_day(to)), ("from", &words.near_day(from))])
            }
        });
    }
    if let Some(title) = net.title_before.filter(|title| *title != task.title && !net.is_created)
        && !title.is_empty()
    {
        stated.push(fill(say.renamed, &[("title", &words.title(&title))]));
    }
    if net.priority && !net.is_created {
        stated.push(say.priority.to_owned());
    }
    let counts = [(net.ticked, say.ticked), (net.items, say.items), (net.notes, say.notes)];
    for (n, counted) in counts {
        if let Ok(n @ 1..) = usize::try_from(n) {
            stated.push(counted.of(n));
        }
    }
    if stated.is_empty() && net.other {
        stated.push(say.other.to_owned());
    }
    if stated.is_empty() { News::None } else { News::Changed(stated) }
}

fn status(task: &TaskFacts, before: Status, words: Wording) -> String {
    let say = &words.say.changes;
    let with = |bare: &str| match &task.status_reason {
        Some(why) => format!("{bare}: {}", reason(why)),
        None => bare.to_owned(),
    };
    match task.status {
        Status::Done => say.done.to_owned(),
        Status::Rejected => say.dropped.to_owned(),
        Status::Blocked => with(words.say.blocked),
        Status::OnHold => with(words.say.on_hold),
        Status::InProgress => say.begun.to_owned(),
        Status::Open | Status::Groomed if before.is_terminal() => say.reopened.to_owned(),
        Status::Open | Status::Groomed => say.other.to_owned(),
    }
}

/// What is left of several changes.
#[derive(Default)]
struct Net {
    is_created: bool,
    is_import: bool,
    status_before: Option<Status>,
    due_before: Option<Option<Date>>,
    title_before: Option<String>,
    priority: bool,
    ticked: i64,
    items: i64,
    notes: i64,
    other: bool,
}

impl Net {
    fn add(&mut self, what: &What, is_import: bool) {
        match what {
            What::TaskCreated { .. } => {
                self.is_created = true;
                self.is_import = is_import;
            }
            What::FieldSet(change) => self.field(&change.field, change.from.as_ref()),
            What::ItemAdded { is_checked, .. } => {
                self.items += 1;
                self.ticked += i64::from(*is_checked);
            }
            What::ItemChecked { is_checked, .. } => self.ticked += if *is_checked { 1 } else { -1 },
            What::EntryAdded { .. } => self.notes += 1,
            What::EntryDeleted { .. } => self.notes -= 1,
            What::EntryRestored { .. } => self.notes += 1,
            _ => self.other = true,
        }
    }

    fn field(&mut self, field: &FieldRef, from: Option<&FieldValue>) {
        match field {
            FieldRef::Status => {
                let before = from.and_then(FieldValue::status).unwrap_or_default();
                self.status_before.get_or_insert(before);
            }
            FieldRef::DueDate => {
                self.due_before.get_or_insert(from.and_then(FieldValue::day));
            }
            FieldRef::Title => {
                self.title_before.get_or_insert(from.map(FieldValue::plain).unwrap_or_default());
            }
            FieldRef::Priority => self.priority = true,
            FieldRef::Estimate
            | FieldRef::Language
            | FieldRef::Category
            | FieldRef::Starred
            | FieldRef::Private
            | FieldRef::Item { .. }
            | FieldRef::Label { .. }
            | FieldRef::ItemTask { .. }
            | FieldRef::FollowUp
            | FieldRef::Link { .. }
            | FieldRef::Other(_) => self.other = true,
        }
    }
}
