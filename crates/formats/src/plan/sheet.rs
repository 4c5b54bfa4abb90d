//! Tasks as pieces that know the lines they came from, so that lines can be moved between them.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::ops::Range;

use dormouse_types::draft::{Entry, Item, Task};
use dormouse_types::task::{EntryKind, Flags};
use jiff::civil::Date;

use super::{Reading, Role};
use crate::intake;

/// A task in pieces.
#[derive(Debug, Clone)]
pub(super) struct Pieces {
    /// Its fields; items and entries are in the pieces.
    pub task: Task,
    pub items: Vec<ItemPiece>,
    pub texts: Vec<TextPiece>,
}

#[derive(Debug, Clone)]
pub(super) struct ItemPiece {
    pub item: Item,
    /// Its lines, counted from 0; empty if they are not known.
    pub lines: Vec<usize>,
}

/// An entry, line by line.
#[derive(Debug, Clone, Default)]
pub(super) struct TextPiece {
    pub key: String,
    pub on: Option<Date>,
    pub kind: EntryKind,
    pub flags: Flags,
    pub lines: Vec<TextLine>,
}

#[derive(Debug, Clone)]
pub(super) struct TextLine {
    pub text: String,
    /// The line it came from, counted from 0.
    pub from: Option<usize>,
}

/// Takes the tasks of a reading apart: those that are named line by line, the others whole, since
/// every line of its own costs memory.
pub(super) fn apart(lines: &[&str], reading: &Reading, named: &BTreeSet<usize>) -> Vec<Pieces> {
    let items = items_by_line(lines.len(), &reading.tasks);
    let mut of_task: Vec<(ItemLines, Vec<usize>)> = vec![Default::default(); reading.tasks.len()];
    for (number, place) in reading.places.iter().enumerate() {
        let Some(at) = place.task.filter(|task| named.contains(task)) else { continue };
        let Some(of_task) = of_task.get_mut(at) else { continue };
        match place.role {
            Role::Item => {
                let item = items[number].filter(|item| item.task == at);
                item.into_iter().for_each(|item| of_task.0.push((item.item, number)));
            }
            Role::Note | Role::Due | Role::Markup => of_task.1.push(number),
            Role::Category
            | Role::Parent
            | Role::Task
            | Role::Field
            | Role::Skipped
            | Role::LeftOut
            | Role::Blank => {}
        }
    }
    let pieces = reading.tasks.iter().zip(of_task).enumerate().map(|(at, (task, of_task))| {
        let (items, notes) = of_task;
        let mut task = task.clone();
        if !named.contains(&at) {
            return Pieces::whole(task);
        }
        let items = with_lines(std::mem::take(&mut task.items), &items);
        let texts = by_line(lines, std::mem::take(&mut task.entries), &notes);
        Pieces { task, items, texts }
    });
    pieces.collect()
}

/// Items, as indices into those of their task, each with a line.
type ItemLines = Vec<(usize, usize)>;

/// An item of a reading: indices of its task, and of it among the items there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ItemAt {
    task: usize,
    item: usize,
}

/// The item that each line is, as the reader said; none for a line on which several begin or end, as in JSON,
/// since it says nothing about one of them. An item may be between the first and the last line of another.
fn items_by_line(n_lines: usize, tasks: &[Task]) -> Vec<Option<ItemAt>> {
    let all = tasks.iter().enumerate().flat_map(|(task, of)| {
        let items = of.items.iter().enumerate();
        items.map(move |(item, of)| (of.lines.clone(), ItemAt { task, item }))
    });
    let mut all: Vec<(Range<usize>, ItemAt)> = all
        .filter(|(lines, _)| !lines.is_empty() && (1..=n_lines).contains(&lines.start))
        .collect();
    // What is within another comes after it.
    all.sort_by_key(|(lines, _)| (lines.start, Reverse(lines.end)));
    let mut of_line = vec![None; n_lines];
    let mut is_end = vec![false; n_lines];
    let mut shared = Vec::new();
    for (lines, item) in all {
        let (first, last) = (lines.start - 1, (lines.end - 2).min(n_lines - 1));
        of_line[first..=last].fill(Some(item));
        for end in [first, last].into_iter().take(if first == last { 1 } else { 2 }) {
            if std::mem::replace(&mut is_end[end], true) {
                shared.push(end);
            }
        }
    }
    shared.into_iter().for_each(|line| of_line[line] = None);
    of_line
}

/// Gives items their lines.
fn with_lines(items: Vec<Item>, lines: &[(usize, usize)]) -> Vec<ItemPiece> {
    let mut pieces: Vec<ItemPiece> =
        items.into_iter().map(|item| ItemPiece { item, lines: Vec::new() }).collect();
    for &(item, line) in lines {
        pieces[item].lines.push(line);
    }
    pieces
}

/// Finds the line that each line of an entry came from: the first one with the same words that is
/// not taken yet.
fn by_line(lines: &[&str], entries: Vec<Entry>, numbers: &[usize]) -> Vec<TextPiece> {
    let mut free: HashMap<&str, VecDeque<usize>> = HashMap::new();
    for &number in numbers {
        free.entry(lines[number].trim()).or_default().push_back(number);
    }
    let pieces = entries.into_iter().map(|entry| TextPiece {
        lines: entry
            .text
            .split('\n')
            .map(|text| TextLine {
                from: free
                    .get_mut(text.trim())
                    .filter(|_| !text.trim().is_empty())
                    .and_then(VecDeque::pop_front),
                text: text.to_owned(),
            })
            .collect(),
        key: entry.key,
        on: entry.on,
        kind: entry.kind,
        flags: entry.flags,
    });
    pieces.collect()
}

impl Pieces {
    /// A task without content.
    pub fn empty(task: &Task) -> Self {
        Self { task: task.clone(), items: Vec::new(), texts: Vec::new() }
    }

    /// A task whose lines do not matter.
    fn whole(mut task: Task) -> Self {
        let items = std::mem::take(&mut task.items).into_iter();
        let texts = std::mem::take(&mut task.entries).into_iter().map(|entry| TextPiece {
            key: entry.key,
            on: entry.on,
            kind: entry.kind,
            flags: entry.flags,
            lines: vec![TextLine { text: entry.text, from: None }],
        });
        let items = items.map(|item| ItemPiece { item, lines: Vec::new() });
        Self { items: items.collect(), texts: texts.collect(), task }
    }

    /// Puts the pieces together again.
    pub fn together(self) -> Task {
        let mut task = self.task;
        let mut depth = None;
        for mut piece in self.items {
            // An item whose parent is gone moves up.
            piece.item.depth = piece.item.depth.min(depth.map_or(0, |depth: u32| depth + 1));
            depth = Some(piece.item.depth);
            task.items.push(piece.item);
        }
        for piece in self.texts {
            let lines: Vec<&str> = piece.lines.iter().map(|line| line.text.as_str()).collect();
            let text = lines.join("\n").trim_matches('\n').trim_end().to_owned();
            if !text.trim().is_empty() {
                let TextPiece { key, on, kind, flags, .. } = piece;
                task.entries.push(Entry { key, text, on, kind, flags });
            }
        }
        task
    }

    /// Whether it has items or text.
    pub fn has_content(&self) -> bool {
        !self.items.is_empty() || self.texts.iter().any(TextPiece::has_words)
    }
}

impl TextPiece {
    /// Whether anything but blank lines is left.
    pub fn has_words(&self) -> bool {
        self.lines.iter().any(|line| !line.text.trim().is_empty())
    }
}

/// A line without the markers of a heading, a list or a box.
pub(super) fn words(line: &str) -> &str {
    let line = line.trim();
    let heading = line.trim_start_matches('#');
    if heading.len() < line.len() && (heading.is_empty() || heading.starts_with([' ', '\t'])) {
        let text = heading.trim();
        let open = text.trim_end_matches('#');
        let is_closed = open.is_empty() || open.ends_with([' ', '\t']);
        return if is_closed { open.trim_end() } else { text };
    }
    let rest = intake::in_bold(line).unwrap_or_else(|| unlisted(line));
    intake::boxed(rest).map_or(rest, |(_, rest)| rest)
}

/// A line without the markers of lists and quotations.
fn unlisted(line: &str) -> &str {
    let mut rest = line;
    loop {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let after = if digits > 0 {
            rest[digits..].strip_prefix(['.', ')'])
        } else {
            rest.strip_prefix(['-', '*', '+', '•', '>'])
        };
        match after.filter(|after| after.starts_with([' ', '\t'])) {
            Some(after) => rest = after.trim_start(),
            None => return rest,
        }
    }
}

/// Whether a line begins with a box that is ticked.
pub(super) fn is_ticked(line: &str) -> bool {
    let mark = intake::boxed(unlisted(line.trim())).map(|(mark, _)| mark);
    mark.and_then(intake::is_tick) == Some(true)
}
