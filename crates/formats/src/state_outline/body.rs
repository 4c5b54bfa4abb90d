//! The lines below a point: dates, drawers, properties and text.

use crate::intake::{Dates, Draft, Gather, column_named, take_boxes_on};
use crate::outline::Node;
use crate::reading::{Column, Role, columns_of};

/// What a program writes for itself.
const MACHINERY: &[&str] = &["collapsed", "logseq.order-list-type", "heading", "background-color"];

/// A task with a title and no more.
pub(super) fn titled(title: &str) -> Draft {
    let mut draft = Draft::default();
    draft.task.title = title.to_owned();
    draft
}

/// `#+TITLE: words`
pub(super) fn keyword(line: &str) -> Option<(String, &str)> {
    let (name, value) = line.strip_prefix("#+")?.split_once(':')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then(|| (name.to_uppercase(), value.trim()))
}

/// Whether a line is one that only a file of Org mode has.
pub(super) fn is_keyword(line: &str) -> bool {
    keyword(line)
        .is_some_and(|(name, _)| matches!(name.as_str(), "TITLE" | "FILETAGS" | "TODO" | "STARTUP"))
}

/// `key:: value`
pub(super) fn property(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.trim().split_once("::")?;
    let is_name = !name.is_empty()
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/'));
    let is_apart = value.is_empty() || value.starts_with(' ');
    (is_name && is_apart).then_some((name, value.trim()))
}

/// A date in brackets after a word, with the text after it.
fn planned(text: &str) -> Option<(&str, &str, &str)> {
    ["SCHEDULED:", "DEADLINE:", "CLOSED:"].into_iter().find_map(|word| {
        let rest = text.strip_prefix(word)?.trim_start();
        let close = match rest.chars().next()? {
            '<' => '>',
            '[' => ']',
            _ => return None,
        };
        let end = rest.find(close)?;
        let value = rest[1..end].trim();
        value.starts_with(|c: char| c.is_ascii_digit()).then_some((
            word.trim_end_matches(':'),
            value,
            rest[end + 1..].trim_start(),
        ))
    })
}

/// Whether a line is one that only such an outline has.
pub(super) fn is_mark(line: &str) -> bool {
    planned(line.trim()).is_some() || property(line).is_some() || drawer(line).is_some()
}

/// The name of the drawer that a line opens.
fn drawer(line: &str) -> Option<&str> {
    let name = line.trim().strip_prefix(':')?.strip_suffix(':')?;
    let is_name = !name.is_empty()
        && !name.eq_ignore_ascii_case("end")
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
    is_name.then_some(name)
}

/// The lines below one point, while they are read.
pub(super) struct Body {
    /// How far they are indented. Units: columns.
    margin: usize,
    /// The drawer that is open, with its lines.
    drawer: Option<(String, Vec<String>)>,
    note: Vec<NoteLine>,
    is_fence: bool,
}

/// A line of text.
struct NoteLine {
    text: String,
    /// The line that it is, from 0; none if it is blank or the end of one.
    at: Option<usize>,
}

impl Body {
    pub fn new(margin: usize) -> Self {
        Self { margin, drawer: None, note: Vec::new(), is_fence: false }
    }

    /// Whether code is open, in which nothing is a point.
    pub fn is_open(&self) -> bool {
        self.is_fence
    }

    /// Reads a line without words.
    pub fn blank(&mut self) {
        if !self.note.is_empty() {
            self.note.push(NoteLine { text: String::new(), at: None });
        }
    }

    /// Reads a line.
    pub fn line(
        &mut self,
        node: &mut Node,
        at: usize,
        line: &str,
        dates: &Dates<'_>,
        gather: &mut Gather<'_>,
    ) {
        let role = self.role(node, at, line, dates, gather);
        node.claims.push((at..=at, role));
    }

    fn role(
        &mut self,
        node: &mut Node,
        at: usize,
        line: &str,
        dates: &Dates<'_>,
        gather: &mut Gather<'_>,
    ) -> Role {
        let text = line.trim();
        if text.starts_with("```") || text.to_lowercase().starts_with("#+begin_") {
            self.is_fence = !(self.is_fence && text.starts_with("```"));
        } else if text.to_lowercase().starts_with("#+end_") {
            self.is_fence = false;
        }
        if self.is_fence {
            return self.text(at, line);
        }
        if let Some((name, lines)) = &mut self.drawer {
            if text.eq_ignore_ascii_case(":end:") {
                let (name, lines) = (std::mem::take(name), lines.join("\n"));
                self.drawer = None;
                node.draft.details.push(&capital(&name), &lines);
                return Role::Field;
            }
            let is_properties = name.eq_ignore_ascii_case("properties");
            let pair = text.strip_prefix(':').and_then(|rest| rest.split_once(':'));
            match pair.filter(|_| is_properties) {
                Some((key, value)) => field(node, key, value.trim(), at, dates, gather),
                None => {
                    lines.push(text.to_owned());
                    gather.say(at, "a drawer has no matching field: kept in the note");
                }
            }
            return Role::Field;
        }
        if planned(text).is_some() {
            return dated(node, text, at, dates, gather, &mut self.note);
        }
        if let Some(name) = drawer(line) {
            self.drawer = Some((name.to_owned(), Vec::new()));
            return Role::Field;
        }
        if let Some((key, value)) = property(line) {
            field(node, key, value, at, dates, gather);
            return Role::Field;
        }
        self.text(at, line)
    }

    /// A line of text, without the indentation of its point.
    fn text(&mut self, at: usize, line: &str) -> Role {
        let mut rest = line;
        while columns_of(&line[..line.len() - rest.len()]) < self.margin
            && let Some(after) = rest.strip_prefix([' ', '\t'])
        {
            rest = after;
        }
        self.note.push(NoteLine { text: rest.trim_end().to_owned(), at: Some(at) });
        Role::Note
    }

    /// Gives the point its text.
    pub fn finish(&mut self, node: &mut Node) {
        if let Some((name, lines)) = self.drawer.take() {
            node.draft.details.push(&capital(&name), &lines.join("\n"));
        }
        let note = std::mem::take(&mut self.note);
        let text = note.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n");
        if !node.is_task {
            node.draft.note = text.trim_matches('\n').to_owned();
            return;
        }
        let line_of = |number: usize| note.get(number)?.at;
        node.draft.note = take_boxes_on(&text, &mut node.draft, line_of);
        let items = node.draft.task.items.iter().filter(|item| !item.lines.is_empty());
        let items = items.map(|item| (item.lines.start - 1..=item.lines.end - 2, Role::Item));
        node.claims.extend(items);
    }
}

/// Reads a line of dates; what follows them is text.
fn dated(
    node: &mut Node,
    line: &str,
    at: usize,
    dates: &Dates<'_>,
    gather: &mut Gather<'_>,
    note: &mut Vec<NoteLine>,
) -> Role {
    let (mut rest, mut role) = (line, Role::Field);
    while let Some((word, value, after)) = planned(rest) {
        let day = value.get(..10).and_then(|day| dates.day(day));
        let has_more = value.split_whitespace().count() > 2;
        match (word, day) {
            ("DEADLINE", Some(day)) if node.draft.task.due_on.is_none() && node.is_task => {
                node.draft.due(day);
                role = Role::Due;
                if has_more {
                    node.draft.details.push("Deadline", value);
                    gather.say(at, "a time, or a date that repeats, is kept in the note too");
                }
            }
            _ => {
                node.draft.details.push(&capital(word), value);
                gather.say(at, format!("`{word}` has no matching field: kept in the note"));
            }
        }
        rest = after;
    }
    if !rest.trim().is_empty() {
        note.push(NoteLine { text: rest.trim().to_owned(), at: None });
    }
    role
}

/// Reads a property.
fn field(
    node: &mut Node,
    key: &str,
    value: &str,
    at: usize,
    dates: &Dates<'_>,
    gather: &mut Gather<'_>,
) {
    let name = key.to_lowercase();
    let draft = &mut node.draft;
    let names = || {
        let names = value.split(',').map(|name| name.trim().trim_start_matches('#'));
        names.map(|name| name.replace("[[", "").replace("]]", "").trim().to_owned())
    };
    if value.is_empty() || MACHINERY.contains(&name.as_str()) {
        return;
    }
    match column_named(&name).filter(|_| node.is_task) {
        Some(Column::Label) => names().for_each(|name| draft.label(&name)),
        Some(Column::Category) if draft.task.category.is_none() && !value.contains(',') => {
            draft.task.category = names().next().filter(|name| !name.is_empty());
        }
        Some(Column::Due) if draft.task.due_on.is_none() && dates.due(value).is_some() => {
            dates.due(value).into_iter().for_each(|day| draft.due(day));
        }
        Some(Column::Estimate) if minutes(value).is_some() => {
            draft.task.estimate_minutes = minutes(value);
        }
        Some(Column::Key) => node.id = Some(value.to_owned()),
        _ => {
            let short: String = key.chars().take(40).collect();
            draft.details.push(key, value);
            gather.say(at, format!("`{short}` has no matching field: kept in the note"));
        }
    }
}

/// `1:30`
fn minutes(value: &str) -> Option<u32> {
    let (hours, minutes) = value.split_once(':')?;
    let (hours, minutes): (u32, u32) = (hours.parse().ok()?, minutes.parse().ok()?);
    (minutes < 60 && hours < 1000).then_some(hours * 60 + minutes).filter(|&minutes| minutes > 0)
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    let first = chars.next().map(|c| c.to_uppercase().collect::<String>()).unwrap_or_default();
    first + &chars.as_str().to_lowercase()
}
