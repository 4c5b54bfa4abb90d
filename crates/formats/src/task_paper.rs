//! The tags of TaskPaper, in a list of lines: `Paint the wall @due(2026-12-01) @home`.
//!
//! `@done` says that a task is done, `@due(…)` when it is due, `@priority(1)` how urgent it is; any other tag without a value is a label. A tag
//! that has no field stays in the title; the day on which something was done is text of the task. A line that ends
//! with a colon is a project, with its tags and at any depth. Only a list with a `@done` or a `@due(…)` is read so: elsewhere an `@`
//! is a place or a person.
//!
//! PlainTasks and Todo+ write such lists with a sign before each task (`☐`, `✔`, `✘`), a space in `@done (…)`, and
//! `@cancelled`.
//!
//! Source: guide.taskpaper.com/reference/tags; the readme of github.com/aziz/PlainTasks.

use dormouse_types::limits;
use dormouse_types::task::Priority;
use jiff::civil::Date;

use crate::intake::priority_named;
use crate::reading;

/// A title without its tags, and what they say.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tagged {
    pub title: String,
    pub is_done: bool,
    pub is_cancelled: bool,
    pub due_on: Option<Date>,
    pub priority: Option<Priority>,
    pub labels: Vec<String>,
    /// The tag that says on which day it was done or given up.
    pub done_on: Option<String>,
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
                found.done_on = tag.value.map(|_| rest[before.len()..].trim().to_owned());
            }
            ("due", Some(_)) if found.due_on.is_none() && tag.day().is_some() => {
                found.due_on = tag.day();
            }
            ("priority", Some(value)) if found.priority.is_none() && priority(value).is_some() => {
                found.priority = priority(value);
            }
            ("cancelled" | "canceled", _) => {
                found.is_cancelled = true;
                found.done_on = tag.value.map(|_| rest[before.len()..].trim().to_owned());
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

/// The priority of a value: a word, or a number of which 1 is the highest.
fn priority(value: &str) -> Option<Priority> {
    priority_named(value).or(match value.trim() {
        "1" => Some(Priority::P1),
        "2" => Some(Priority::P2),
        "3" => Some(Priority::P3),
        _ => None,
    })
}

/// A line that names the tasks below it: `Garden: @spring`.
pub(crate) struct Project<'l> {
    pub name: &'l str,
    pub is_done: bool,
    /// Its other tags, which are about none of its tasks.
    pub tags: Vec<&'l str>,
}

/// The project that a line names. Tags may be on both sides of its colon.
pub(crate) fn project(line: &str) -> Option<Project<'_>> {
    let (name, mut tags) = untagged(line.trim());
    let (name, more) = untagged(name.strip_suffix(':')?);
    tags.splice(0..0, more);
    let n_tags = tags.len();
    tags.retain(|tag| *tag != "@done" && !tag.starts_with("@done("));
    let is_done = tags.len() < n_tags;
    name.contains(char::is_alphanumeric).then_some(Project { name, is_done, tags })
}

/// A text without the tags at its end, and these.
fn untagged(text: &str) -> (&str, Vec<&str>) {
    let (mut rest, mut tags) = (text.trim_end(), Vec::new());
    while let Some((before, _)) = last_tag(rest) {
        tags.insert(0, rest[before.len()..].trim());
        rest = before.trim_end();
    }
    (rest, tags)
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
        // PlainTasks writes a space between them.
        Some((name, value)) => (name.trim_end(), Some(value.strip_suffix(')')?)),
        None => (tag, None),
    };
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let has_form = !name.is_empty()
        && name.chars().all(is_name)
        && value.is_none_or(|value| !value.contains(')'));
    has_form.then_some((&text[..at], Tag { name, value }))
}
