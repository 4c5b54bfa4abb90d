//! What changed since the last completed run, and how a change reads.

use std::collections::BTreeSet;

use dormouse_runs::gate::Piece;
use dormouse_types::change::{Change, What};
use dormouse_types::field_change::{FieldChange, FieldValue};
use dormouse_types::model::{
    Delta, DeltaChange, Entry, LinkedChangeKind, LinkedNews, TaskState, TimerNote,
};
use dormouse_types::task::{EntryKind, Field, LinkDirection, LinkKind};
use dormouse_types::{AgentId, EntryId, Origin, TaskId};
use jiff::tz::TimeZone;

/// Returns the changes of a task in an interval as an agent sees them, without its own writes.
pub fn of(changes: &[Change], task: &TaskId, agent: &AgentId, zone: &TimeZone) -> Delta {
    let changes = changes
        .iter()
        .filter(|change| !matches!(&change.origin, Origin::Agent { agent: own } if own == agent))
        .flat_map(|change| {
            // A star is for the person's own lists.
            change.what_of(task).filter(|what| !what.is_star()).map(|what| DeltaChange {
                seq: change.seq,
                at: change.at,
                on: change.at.day_in(zone),
                by: change.origin.by(),
                what: what.clone(),
            })
        })
        .collect();
    Delta { changes, timers: Vec::new(), linked: Vec::new() }
}

/// Leaves out edits of an entry whose text another change of the same interval shows: each shows the present
/// text.
pub fn without_repeated_texts(changes: &mut Vec<DeltaChange>) {
    let mut shown = BTreeSet::new();
    let added = changes.iter().filter_map(|change| match &change.what {
        What::EntryAdded { entry } | What::EntryRestored { entry } => Some(entry.clone()),
        _ => None,
    });
    shown.extend(added);
    let mut kept: Vec<DeltaChange> = Vec::new();
    for change in std::mem::take(changes).into_iter().rev() {
        let is_repeated = match &change.what {
            What::EntryEdited { entry } => !shown.insert(entry.clone()),
            _ => false,
        };
        if !is_repeated {
            kept.push(change);
        }
    }
    kept.reverse();
    *changes = kept;
}

/// The most fields that are named of one linked task.
const FIELDS_OF_LINKED: usize = 3;

/// Returns what changed about the tasks one link away. What an agent wrote there is no news: it
/// would have agents answer each other.
///
/// `changes` are newest first; `linked` are the tasks with their present titles, deleted ones too.
pub fn of_linked(
    changes: &[Change],
    linked: &[(&TaskId, &str)],
    zone: &TimeZone,
) -> Vec<LinkedNews> {
    let mut news: Vec<LinkedNews> = Vec::new();
    let by_others = changes.iter().rev().filter(|change| match &change.origin {
        Origin::Agent { .. } => false,
        Origin::Work { .. } | Origin::Person { .. } | Origin::Import | Origin::Unknown => true,
    });
    for change in by_others {
        for (task, title) in linked {
            let what: Vec<&What> = change.what_of(task).filter(|what| !what.is_star()).collect();
            if what.is_empty() {
                continue;
            }
            let place = news.iter().position(|known| known.task == **task);
            let place = place.unwrap_or_else(|| {
                news.push(LinkedNews {
                    task: (*task).clone(),
                    title: (*title).to_owned(),
                    on: change.at.day_in(zone),
                    changes: 0,
                    fields: Vec::new(),
                    others: Vec::new(),
                });
                news.len() - 1
            });
            let known = &mut news[place];
            known.on = change.at.day_in(zone);
            known.changes += what.len();
            for what in what {
                match (what, LinkedChangeKind::of(what)) {
                    (What::FieldSet(change), _) => known.fields.push(change.clone()),
                    (_, Some(kind)) if !known.others.contains(&kind) => known.others.push(kind),
                    _ => {}
                }
            }
        }
    }
    for known in &mut news {
        let most = known.fields.len().saturating_sub(FIELDS_OF_LINKED);
        known.fields.drain(..most);
    }
    news
}

fn other_change(kind: LinkedChangeKind) -> &'static str {
    match kind {
        LinkedChangeKind::Deleted => "deleted",
        LinkedChangeKind::Restored => "restored",
        LinkedChangeKind::Checklist => "checklist changed",
        LinkedChangeKind::Entries => "entries changed",
        LinkedChangeKind::Labels => "labels changed",
        LinkedChangeKind::Links => "links changed",
    }
}

/// Describes what changed about a linked task.
pub fn linked(news: &LinkedNews) -> String {
    let title = if news.title.is_empty() { "(untitled)" } else { &news.title };
    let count = match news.changes {
        1 => "1 change".to_owned(),
        n => format!("{n} changes"),
    };
    let others = news.others.iter().map(|kind| other_change(*kind).to_owned());
    let what: Vec<String> = news.fields.iter().map(field_set).chain(others).collect();
    let what = if what.is_empty() { String::new() } else { format!(" ({})", what.join("; ")) };
    format!("{} linked task {title} (id: {}): {count}{what}", news.on, news.task)
}

/// Describes a timer that fired.
pub fn timer(note: &TimerNote) -> String {
    match &note.about {
        Some(due) => format!("the due date {due} is near"),
        None => format!("this is the wake that was set for {}", note.at),
    }
}

/// Describes a change. The text of an entry is its present text.
pub fn line(change: &DeltaChange, task: &TaskState) -> String {
    let words = match &change.what {
        What::TaskCreated { title } => format!("task created: {title}"),
        What::TaskDeleted => "task deleted".into(),
        What::TaskRestored => "task restored".into(),
        What::FieldSet(change) => field_set(change),
        What::ItemAdded { item, title, is_checked } => {
            format!("item added [{}] {title} (id: {item})", mark(*is_checked))
        }
        What::ItemChecked { item, title, is_checked } => {
            format!("item now [{}] {title} (id: {item})", mark(*is_checked))
        }
        What::ItemRenamed { item, from, to } => {
            format!("item renamed: {from} -> {to} (id: {item})")
        }
        What::ItemArchived { item, title, is_archived } => {
            let state = if *is_archived { "archived" } else { "brought back" };
            format!("item {state}: {title} (id: {item})")
        }
        What::ItemMoved { item, title, is_checked, .. } => {
            let way = change.what.moved(&task.id).map_or_else(String::new, |(side, id, other)| {
                let side = if side == LinkDirection::Out { "to" } else { "here from" };
                format!(" {side} {other} (id: {id})")
            });
            format!("item moved{way}: [{}] {title} (id: {item})", mark(*is_checked))
        }
        What::EntryAdded { entry } => entry_line(change, entry, "added", task),
        What::EntryEdited { entry } => entry_line(change, entry, "edited", task),
        What::EntryDeleted { entry } => format!("entry deleted (id: {entry})"),
        What::EntryRestored { entry } => entry_line(change, entry, "restored", task),
        What::EntryFlagged { entry, flag, is_set } => {
            let flag = flag.name();
            format!("entry {}{flag} (id: {entry})", if *is_set { "" } else { "no longer " })
        }
        What::LabelAdded { name, .. } => format!("label added: {name}"),
        What::LabelRemoved { name, .. } => format!("label removed: {name}"),
        What::LinkAdded { .. } => format!("link added{}", other_end(&change.what, task)),
        What::LinkRemoved { .. } => format!("link removed{}", other_end(&change.what, task)),
        What::Unknown => "something changed".into(),
    };
    format!("{} {words}", change.on)
}

/// What a change is about.
enum About<'a> {
    /// An entry of the task.
    Entry(&'a EntryId),
    /// A link of the task.
    Link,
    /// The task itself.
    Task,
}

fn about(what: &What) -> About<'_> {
    match what {
        What::EntryAdded { entry }
        | What::EntryEdited { entry }
        | What::EntryDeleted { entry }
        | What::EntryRestored { entry }
        | What::EntryFlagged { entry, .. } => About::Entry(entry),
        // Both name another task, which may be kept from a model that may see this one.
        What::LinkAdded { .. } | What::LinkRemoved { .. } | What::ItemMoved { .. } => About::Link,
        What::TaskCreated { .. }
        | What::TaskDeleted
        | What::TaskRestored
        | What::FieldSet(_)
        | What::ItemAdded { .. }
        | What::ItemChecked { .. }
        | What::ItemRenamed { .. }
        | What::ItemArchived { .. }
        | What::LabelAdded { .. }
        | What::LabelRemoved { .. }
        | What::Unknown => About::Task,
    }
}

/// Returns the entry that a change is about.
pub fn entry_of(what: &What) -> Option<&EntryId> {
    match about(what) {
        About::Entry(entry) => Some(entry),
        About::Link | About::Task => None,
    }
}

/// Returns what a change counts as when it is kept back from a model.
pub fn piece(what: &What) -> Piece {
    match about(what) {
        About::Entry(_) => Piece::Entry,
        About::Link => Piece::Link,
        About::Task => Piece::Other,
    }
}

fn field_set(change: &FieldChange) -> String {
    let name = change.field.field().map_or("a field", Field::name);
    let value = |value: &Option<FieldValue>| {
        value.as_ref().map_or_else(|| "none".into(), FieldValue::plain)
    };
    let reason = match &change.to {
        Some(FieldValue::Status { reason: Some(reason), .. }) => format!(" ({reason})"),
        Some(_) | None => String::new(),
    };
    format!("{name}: {} -> {}{reason}", value(&change.from), value(&change.to))
}

fn mark(is_checked: bool) -> &'static str {
    if is_checked { "x" } else { " " }
}

fn other_end(what: &What, task: &TaskState) -> String {
    let Some(end) = what.other_end(&task.id) else { return String::new() };
    let kind = LinkKind::words_of(end.kind, end.direction);
    format!(": {kind} {} (id: {})", end.title, end.task)
}

/// The kind of an entry in words. A model reads `entry` for what a person wrote.
pub(super) fn kind_words(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::Text | EntryKind::Time => "entry",
        EntryKind::Audio | EntryKind::ImageAnalysis => kind.words(),
    }
}

/// Describes what happened to an entry, with its present text. The day that it is about is named if it is not
/// the day of the change: "by Friday" counts from there.
fn entry_line(change: &DeltaChange, id: &EntryId, happened: &str, task: &TaskState) -> String {
    let Some(entry) = task.entries.iter().find(|known| known.id == *id) else {
        return format!("entry {happened} (id: {id}), deleted since");
    };
    let day = Some(entry.on).filter(|day| *day != change.on);
    let day = day.map_or_else(String::new, |day| format!(" of {day}"));
    let (kind, minutes) = (kind_words(entry.kind), spent(entry));
    let text = entry.text.trim_end();
    format!("{kind}{day}{minutes} {happened} (id: {id}):\n{text}")
}

/// The time that a time entry says was spent, after what it is called.
pub(super) fn spent(entry: &Entry) -> String {
    entry.minutes.map_or_else(String::new, |minutes| format!(" ({minutes} min)"))
}
