//! Makes one task part of another.

use std::collections::{BTreeSet, HashMap};

use dormouse_types::task::Flags;

use super::sheet::{Pieces, TextLine, TextPiece, words};
use crate::markdown::key::fold;

/// Adds a task to the one above it. Its title becomes text before its own text; fields that the
/// other one does not have are taken over, and what differs stays as text.
pub(super) fn join(
    into: &mut Pieces,
    keys: &mut Keys,
    from: Pieces,
    lines: &[&str],
    title_line: Option<usize>,
) {
    let title = match title_line {
        Some(line) => heading(lines[line].trim(), &from.task.title),
        None => from.task.title.clone(),
    };
    let name = fold(&from.task.title);
    for mut piece in from.items {
        piece.item.key = keys.items.take(piece.item.key, &name);
        into.items.push(piece);
    }
    let mut head = vec![TextLine { text: title, from: title_line }];
    head.extend(
        fields(&mut into.task, from.task).into_iter().map(|text| TextLine { text, from: None }),
    );
    let mut texts = from.texts.into_iter().peekable();
    let mut flags = Flags::NONE;
    if let Some(first) = texts.next_if(|first| first.on.is_none()) {
        flags = first.flags;
        head.push(TextLine { text: String::new(), from: None });
        head.extend(first.lines);
    }
    let key = keys.texts.take(format!("{name}#1"), &name);
    into.texts.push(TextPiece { key, flags, lines: head, ..TextPiece::default() });
    for mut piece in texts {
        piece.key = keys.texts.take(piece.key, &name);
        into.texts.push(piece);
    }
}

/// The line that began a task as text, with the headings over it that stood before its title.
fn heading(line: &str, title: &str) -> String {
    let own = words(line);
    if own.is_empty() {
        title.to_owned()
    } else if line.contains(title) {
        line.to_owned()
    } else if let Some(at) = line.find(own).filter(|_| title.ends_with(own)) {
        format!("{}{title}{}", &line[..at], &line[at + own.len()..])
    } else {
        format!("{line}\n{title}")
    }
}

/// Keys that are in use.
#[derive(Debug, Default)]
pub(super) struct Taken {
    keys: BTreeSet<String>,
    numbers: HashMap<String, usize>,
}

impl Taken {
    pub fn new(keys: impl IntoIterator<Item = String>) -> Self {
        Self { keys: keys.into_iter().collect(), numbers: HashMap::new() }
    }

    /// Takes a key: as it is, else below a name, numbered.
    pub fn take(&mut self, key: String, name: &str) -> String {
        let mut free = key.clone();
        while !self.keys.insert(free.clone()) {
            let number = self.numbers.entry(format!("{name}/{key}")).or_default();
            *number += 1;
            free = format!("{name}/{key}.{number}");
        }
        free
    }
}

/// The keys of one task.
pub(super) struct Keys {
    items: Taken,
    texts: Taken,
}

impl Keys {
    pub fn of(pieces: &Pieces) -> Self {
        Self {
            items: Taken::new(pieces.items.iter().map(|piece| piece.item.key.clone())),
            texts: Taken::new(pieces.texts.iter().map(|piece| piece.key.clone())),
        }
    }
}

/// Takes over the fields that a task lacks; returns the others as text.
fn fields(
    into: &mut dormouse_types::draft::Task,
    from: dormouse_types::draft::Task,
) -> Vec<String> {
    let mut text = Vec::new();
    let mut or_text = |name: &str, differs: bool, value: Option<String>| {
        text.extend(value.filter(|_| differs).map(|value| format!("{name}: {value}")));
    };
    let differs = into.due_on.is_some_and(|due| from.due_on != Some(due));
    or_text("due", differs, from.due_on.map(|due| due.to_string()));
    let differs = into.priority.is_some_and(|priority| from.priority != Some(priority));
    or_text("priority", differs, from.priority.map(|priority| priority.to_string()));
    let differs = into.estimate_minutes.is_some() && into.estimate_minutes != from.estimate_minutes;
    or_text("estimate", differs, from.estimate_minutes.map(|minutes| format!("{minutes} min")));
    let differs = into.status != from.status;
    or_text("status", differs, from.status.map(|status| status.to_string()));
    or_text("reason", true, from.status_reason);
    let differs = into.category != from.category;
    or_text("category", differs, from.category);
    // Whatever was private or starred is so as a part of the other.
    into.flags.starred |= from.flags.starred;
    into.flags.private |= from.flags.private;
    into.due_on = into.due_on.or(from.due_on);
    into.priority = into.priority.or(from.priority);
    into.estimate_minutes = into.estimate_minutes.or(from.estimate_minutes);
    into.language = into.language.take().or(from.language);
    for label in from.labels {
        let known = into.labels.iter().any(|other| other.to_lowercase() == label.to_lowercase());
        if !known && into.labels.len() < dormouse_types::limits::LABELS_PER_TASK.max {
            into.labels.push(label);
        } else if !known {
            text.push(format!("label: {label}"));
        }
    }
    text
}
