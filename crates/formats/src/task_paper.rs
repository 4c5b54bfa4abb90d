//! The tags of TaskPaper, in a list of lines: `Paint the wall @due(2026-12-01) @home`.
//!
//! `@done` says that a task is done, `@due(…)` when it is due; any other tag without a value is a label. A tag
//! that has no field stays in the title. Only a list with a `@done` or a `@due(…)` is read so: elsewhere an `@`
//! is a place or a person.
//!
//! Source: guide.taskpaper.com/reference/tags.

use dormouse_types::limits;
use jiff::civil::Date;

use crate::reading;

/// A title without its tags, and what they say.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tagged {
    pub title: String,
    pub is_done: bool,
    pub due_on: Option<Date>,
    pub labels: Vec<String>,
}

/// Whether a list has tags of TaskPaper.
pub(crate) fn looks_like(text: &str) -> bool {
    reading::lines(text).into_iter().any(|line| {
        let mut rest = line.trim();
        while let Some((before, tag)) = last_tag(rest) {
            if tag.name == "done" || tag.name == "due" && tag.day().is_some() {
                return true;
            }
            rest = before;
        }
        false
    })
}

/// Takes the tags from the end of a title.
pub(crate) fn read(title: &str) -> Tagged {
    let mut found = Tagged::default();
    let (mut rest, mut kept) = (title.trim_end(), Vec::new());
    while let Some((before, tag)) = last_tag(rest) {
        let is_label = limits::LABEL_NAME.check(tag.name.chars().count()).is_ok();
        match (tag.name, tag.value) {
            ("done", _) => {
                found.is_done = true;
                // When it was done has no field.
                kept.extend(tag.value.map(|_| &rest[before.len()..]));
            }
            ("due", Some(_)) if found.due_on.is_none() && tag.day().is_some() => {
                found.due_on = tag.day();
            }
            (name, None) if is_label => found.labels.push(name.to_owned()),
            _ => kept.push(&rest[before.len()..]),
        }
        rest = before;
    }
    found.labels.reverse();
    let kept: Vec<&str> = kept.into_iter().rev().map(str::trim).collect();
    let words = rest.trim_end();
    found.title = match (words.is_empty(), kept.is_empty()) {
        (true, _) => return Tagged { title: title.to_owned(), ..Tagged::default() },
        (false, true) => words.to_owned(),
        (false, false) => format!("{words} {}", kept.join(" ")),
    };
    found
}

struct Tag<'t> {
    name: &'t str,
    value: Option<&'t str>,
}

impl Tag<'_> {
    /// The day that its value begins with.
    fn day(&self) -> Option<Date> {
        self.value?.trim().get(..10)?.parse().ok()
    }
}

/// The tag at the end of a text, and the text before it.
fn last_tag(text: &str) -> Option<(&str, Tag<'_>)> {
    let text = text.trim_end();
    let at = text.rfind(" @")?;
    let tag = &text[at + 2..];
    let (name, value) = match tag.split_once('(') {
        Some((name, value)) => (name, Some(value.strip_suffix(')')?)),
        None => (tag, None),
    };
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let has_form = !name.is_empty()
        && name.chars().all(is_name)
        && value.is_none_or(|value| !value.contains(')'));
    has_form.then_some((&text[..at], Tag { name, value }))
}
