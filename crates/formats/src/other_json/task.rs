//! One task of such a document.

use dormouse_types::task::Status;
use jiff::Timestamp;

use super::attached;
use super::find::{status_in, title_node, words_of_status};
use super::named::{Named, Refers};
use super::names::{Meaning, meaning, words};
use super::part::Part;
use crate::intake::{
    Dates, Draft, Gather, ReadOptions, fold, is_done, is_html, is_no_priority, names_any_day,
    of_item, of_milliseconds, priority_named, status_of, take_boxes, to_markdown, without_limit,
};
use crate::json::Node;
use crate::reading::{Column, Role};

/// How deep items of items are read; what is deeper is kept as text.
const DEEPEST: u32 = 8;

/// Reads a task; none if it was thrown away.
pub(super) fn read<'a>(
    node: Node<'a>,
    named: &Named,
    options: &ReadOptions,
    gather: &mut Gather<'_>,
) -> Option<Part<'a>> {
    let object = node.object();
    let title = title_node(&object);
    let is_title = |node: &Node<'_>| title.is_some_and(|title| title.is(node));
    let mut reader = Reader::new(options, gather);
    let mut part = Part {
        node,
        draft: Draft::default(),
        id: None,
        parent: None,
        is_bare: true,
        roles: Vec::new(),
    };
    let mut notes = Vec::new();
    if object.members().any(|(name, node)| is_trashed(name, node)) {
        return None;
    }
    reader.has_deadline = object
        .members()
        .any(|(name, node)| is_due(name) && !names_any_day(&words(name)) && reader.is_day(node));
    for (name, member) in object.members() {
        let role = if is_title(&member) {
            part.draft.task.title = member.text().unwrap_or_default();
            Role::Task
        } else if let Some((refers, names)) = named.referred(name, member) {
            reader.referred(refers, &names, name, &mut part.draft)
        } else {
            reader.member(name, member, &mut part, &mut notes)
        };
        part.roles.push((member.lines(), role));
    }
    let Reader { done, is_cancelled, .. } = reader;
    let draft = &mut part.draft;
    if is_cancelled && draft.task.status != Some(Status::Rejected) {
        draft.task.status = Some(Status::Rejected);
        draft.task.status_reason = None;
    }
    if done == Some(true) && draft.task.status != Some(Status::Rejected) {
        draft.task.status = Some(Status::Done);
    }
    let text = notes.join("\n\n");
    if draft.task.title.trim().is_empty() {
        // A note without a title is known by its first line.
        let first = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        draft.task.title = first.to_owned();
        if draft.task.title.is_empty() {
            draft.task.title =
                draft.task.items.first().map(|item| item.title.clone()).unwrap_or_default();
        }
        draft.note = if text.trim() == draft.task.title { String::new() } else { text };
    } else {
        draft.note = take_boxes(&text, draft);
    }
    part.is_bare = draft.is_bare();
    Some(part)
}

/// Whether a member says that a task was thrown away.
fn is_trashed(name: &str, node: Node<'_>) -> bool {
    match meaning(name) {
        Some(Meaning::Trashed) => node.is_true(),
        Some(Meaning::Column(Column::Status)) => {
            node.text().is_some_and(|word| matches!(&*words(&word), "deleted" | "trashed"))
        }
        _ => false,
    }
}

fn is_due(name: &str) -> bool {
    meaning(name) == Some(Meaning::Column(Column::Due))
}

/// Why a member is kept as text.
#[derive(Clone, Copy)]
enum Why {
    NoField,
    /// Its day is read, and a task has no hour.
    OnlyDay,
    NotUnderstood,
}

struct Reader<'r, 'g> {
    dates: Dates<'r>,
    gather: &'r mut Gather<'g>,
    done: Option<bool>,
    is_cancelled: bool,
    /// Whether a member that is called after a deadline has a day.
    has_deadline: bool,
}

impl<'r, 'g> Reader<'r, 'g> {
    fn new(options: &'r ReadOptions, gather: &'r mut Gather<'g>) -> Self {
        let dates = Dates::new(options);
        Self { dates, gather, done: None, is_cancelled: false, has_deadline: false }
    }

    fn is_day(&self, node: Node<'_>) -> bool {
        node.of_time().is_some_and(|day| self.dates.day(&day).is_some())
    }

    /// Reads what a member names by ids.
    fn referred(&mut self, refers: Refers, names: &[&str], name: &str, draft: &mut Draft) -> Role {
        match (refers, names) {
            (Refers::Label, names) => names.iter().for_each(|name| draft.label(name)),
            (Refers::List, [list]) => {
                let list = without_limit(list).trim();
                let status = status_of(list);
                if status.is_some_and(Status::needs_reason) {
                    draft.task.status_reason = Some(list.to_owned());
                }
                match status {
                    Some(_) if draft.task.status.is_none() => draft.task.status = status,
                    _ => draft.task.category = Some(list.to_owned()),
                }
            }
            (Refers::List | Refers::Other, names) => draft.details.push(name, &names.join(", ")),
        }
        Role::Field
    }

    /// Reads a member, and says what its lines are.
    fn member(
        &mut self,
        name: &str,
        node: Node<'_>,
        part: &mut Part<'_>,
        notes: &mut Vec<String>,
    ) -> Role {
        let draft = &mut part.draft;
        if let Some(comments) = attached::comments(name, node, &self.dates) {
            draft.comments.extend(comments);
            return Role::Note;
        }
        let text = node.text().filter(|text| !text.trim().is_empty());
        let column = match meaning(name) {
            Some(Meaning::Column(column)) => column,
            Some(Meaning::Parent) => {
                part.parent = text;
                return Role::Field;
            }
            Some(Meaning::Trashed | Meaning::Machinery) => return Role::Field,
            Some(Meaning::Cancelled) => {
                let is_day = self.is_day(node);
                self.is_cancelled |= is_day || node.is_true();
                if is_day {
                    self.keep(name, node, draft);
                }
                return Role::Field;
            }
            Some(Meaning::Archived) => {
                if node.is_true() {
                    draft.details.push("Archived", "yes");
                }
                return Role::Field;
            }
            None => Column::KeptInNote,
        };
        let (is_read, role) = match column {
            Column::Key => {
                part.id = text.or(part.id.take());
                (true, Role::Field)
            }
            Column::Done => (self.done(node, draft), Role::Field),
            Column::Status => {
                let status = status_in(node);
                draft.task.status = status.or(draft.task.status);
                if status.is_some_and(Status::needs_reason) {
                    draft.task.status_reason = words_of_status(node)
                        .first()
                        .map(|word| format!("Marked as “{word}” in the imported list"));
                }
                (status.is_some(), Role::Field)
            }
            Column::Priority => {
                let word = text.or_else(|| word_of_priority(node)).unwrap_or_default();
                // What a program writes into each task that nobody gave one.
                let is_none = is_no_priority(&word) || word.eq_ignore_ascii_case("normal");
                let priority = priority_named(&word).filter(|_| !is_none);
                draft.task.priority = draft.task.priority.or(priority);
                (is_none || priority.is_some(), Role::Field)
            }
            Column::Due if self.has_deadline && names_any_day(&words(name)) => (false, Role::Field),
            Column::Due => {
                let day = node.of_time().filter(|text| !text.trim().is_empty());
                let dated = day.as_deref().and_then(|day| self.dates.due(day));
                let is_midnight = day.as_deref().is_some_and(|day| day.contains("T00:00:00"));
                let is_whole = dated.as_ref().is_some_and(|dated| dated.is_exact || is_midnight);
                let is_first = draft.task.due_on.is_none();
                if let (true, Some(dated)) = (is_first, dated) {
                    draft.due(dated);
                }
                (is_first && is_whole, Role::Due)
            }
            Column::Category => {
                let name = named(node);
                draft.task.category = name.clone().or(draft.task.category.take());
                (name.is_some(), Role::Field)
            }
            Column::Label => (labels(node, draft), Role::Field),
            Column::Items if node.is_array() => {
                self.items(node, draft, 0);
                (true, Role::Item)
            }
            Column::Note => {
                let mut object = node.object();
                let is_read = text.is_some() || object.has("content");
                let text = text.or_else(|| object.take_text("content"));
                let text = text.map(|text| if is_html(&text) { to_markdown(&text) } else { text });
                notes.extend(text.map(|text| text.replace("\r\n", "\n")));
                (is_read, Role::Note)
            }
            Column::Starred => {
                draft.task.flags.starred |= node.is_true();
                (node.text().is_some(), Role::Field)
            }
            Column::Private => {
                draft.task.flags.private |= node.is_true();
                (node.text().is_some(), Role::Field)
            }
            // A second title, and what has no field.
            _ => (false, Role::Field),
        };
        if !is_read {
            let is_time = matches!(column, Column::Due | Column::Start);
            let why = self.why_kept(column, node, draft);
            match node.text().and_then(|text| of_milliseconds(&text)).filter(|_| is_time) {
                Some(at) => self.keep_as(name, node, at.to_string(), why, draft),
                None => self.keep_because(name, node, why, draft),
            }
        }
        role
    }

    /// Why a member is kept as text.
    fn why_kept(&self, column: Column, node: Node<'_>, draft: &Draft) -> Why {
        let day = || node.of_time().and_then(|day| self.dates.day(&day));
        match column {
            Column::Due => match day() {
                Some(_) if draft.task.due_on.is_some() => Why::OnlyDay,
                Some(_) => Why::NoField,
                None => Why::NotUnderstood,
            },
            Column::Done | Column::Status | Column::Priority | Column::Estimate => {
                Why::NotUnderstood
            }
            _ => Why::NoField,
        }
    }

    /// Keeps a member as text under its name.
    fn keep(&mut self, name: &str, node: Node<'_>, draft: &mut Draft) {
        self.keep_because(name, node, Why::NoField, draft);
    }

    fn keep_because(&mut self, name: &str, node: Node<'_>, why: Why, draft: &mut Draft) {
        let shown = node.shown();
        if shown.trim().is_empty() {
            return;
        }
        let value = instant(name, &shown).unwrap_or(shown);
        self.keep_as(name, node, value, why, draft);
    }

    fn keep_as(&mut self, name: &str, node: Node<'_>, value: String, why: Why, draft: &mut Draft) {
        let short: String = name.chars().take(40).collect();
        draft.details.push(name, &value);
        let message = match why {
            Why::NoField => format!("`{short}` has no matching field: kept in the note"),
            Why::OnlyDay => {
                format!("the time of `{short}` has no matching field: kept in the note")
            }
            Why::NotUnderstood => format!("`{short}` is not understood: kept in the note"),
        };
        self.gather.say(node.line(), message);
    }

    /// Reads what says that a task is done: a mark, or the time at which it was.
    fn done(&mut self, node: Node<'_>, draft: &mut Draft) -> bool {
        let Some(value) = node.of_time() else { return node.shown().is_empty() };
        if let Some(mark) = is_done(&value) {
            self.done = Some(mark || self.done == Some(true));
            return true;
        }
        let is_day = self.dates.day(&value).is_some();
        if is_day {
            self.done = Some(true);
            draft.details.push("Completed", &in_iso(value));
            self.gather.say(node.line(), "the time of completion is kept in the note");
        }
        is_day
    }

    /// Reads parts of a task as items.
    fn items(&mut self, node: Node<'_>, draft: &mut Draft, depth: u32) {
        for item in node.items() {
            if !item.is_object() {
                if let Some(text) = item.text().filter(|text| !text.trim().is_empty()) {
                    draft.item_on(item.lines(), None, &text, false, depth);
                }
                continue;
            }
            let mut object = item.object();
            // Some programs put what they say of an item into an object of its own.
            if title_node(&object).is_none() {
                let inner: Vec<_> = object.members().map(|(_, node)| node.object()).collect();
                let titled = inner.into_iter().find(|inner| title_node(inner).is_some());
                object = titled.unwrap_or(object);
            }
            let title = title_node(&object);
            let Some(text) = title.and_then(|title| title.text()) else {
                self.keep("Item", item, draft);
                continue;
            };
            let mut reader = Reader::new(self.dates.options(), self.gather);
            let (mut inner, mut id, mut others) = (None, None, Draft::default());
            for (name, member) in
                object.members().filter(|(_, node)| !title.is_some_and(|title| title.is(node)))
            {
                match meaning(name) {
                    Some(Meaning::Column(Column::Done)) if reader.done(member, &mut others) => {}
                    Some(Meaning::Column(Column::Status)) => match status_in(member) {
                        Some(Status::Done) => reader.done = Some(true),
                        Some(Status::Open) => {}
                        _ => reader.keep(name, member, &mut others),
                    },
                    Some(Meaning::Column(Column::Items)) if depth < DEEPEST => inner = Some(member),
                    Some(Meaning::Column(Column::Key)) => id = member.text(),
                    Some(Meaning::Machinery | Meaning::Trashed | Meaning::Parent) => {}
                    Some(Meaning::Cancelled) if !member.is_true() => {}
                    _ => reader.keep(name, member, &mut others),
                }
            }
            let is_done = reader.done == Some(true);
            draft.item_on(item.lines(), id.as_deref(), &text, is_done, depth);
            for (name, value) in others.details.iter() {
                draft.details.push(&of_item(name, &text), value);
            }
            if let Some(inner) = inner {
                self.items(inner, draft, depth + 1);
            }
        }
    }
}

/// The time that a text counts in milliseconds, in the form of ISO 8601; any other text stays.
fn in_iso(text: String) -> String {
    of_milliseconds(&text).map_or(text, |at| at.to_string())
}

/// The time of a member whose name counts microseconds.
fn instant(name: &str, value: &str) -> Option<String> {
    let micros = words(name).ends_with("usec").then(|| value.parse().ok()).flatten()?;
    Timestamp::from_microsecond(micros).ok().map(|at| at.to_string())
}

/// The word for a priority in an object, as `{"id": "2", "name": "High"}`.
fn word_of_priority(node: Node<'_>) -> Option<String> {
    let object = node.object();
    let own = || object.members().find(|(name, _)| words(name) == "priority");
    title_node(&object).or_else(|| own().map(|(_, node)| node))?.text()
}

/// The name of a list or label: a text, or an object with one.
fn named(node: Node<'_>) -> Option<String> {
    let name = if node.is_object() { title_node(&node.object())?.text() } else { node.text() };
    let name = name?.split_whitespace().collect::<Vec<_>>().join(" ");
    (!name.is_empty()).then_some(name)
}

fn labels(node: Node<'_>, draft: &mut Draft) -> bool {
    let nodes = if node.is_array() { node.items() } else { vec![node] };
    let names: Vec<Option<String>> = nodes.into_iter().map(named).collect();
    if names.iter().any(Option::is_none) && node.is_array() {
        return false;
    }
    for name in names.into_iter().flatten() {
        for label in name.split(',').map(str::trim).filter(|label| !fold(label).is_empty()) {
            draft.label(label);
        }
    }
    true
}
