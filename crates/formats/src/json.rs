//! JSON whose parts know their lines.

use std::fmt;
use std::ops::{Range, RangeInclusive};

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::intake::{Details, Gather, Lines, ReadError};
use crate::reading::Role;

/// An object's members in their order, each still as text.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visit;
        impl<'de> Visitor<'de> for Visit {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(members)
            }
        }
        deserializer.deserialize_map(Visit).map(Members)
    }
}

/// A part of a document.
#[derive(Clone, Copy)]
pub(crate) struct Node<'a> {
    lines: &'a Lines<'a>,
    raw: &'a str,
}

impl<'a> Node<'a> {
    /// The whole document.
    ///
    /// Errors: it is not JSON.
    pub fn of(name: &str, lines: &'a Lines<'a>) -> Result<Self, ReadError> {
        match serde_json::from_str::<&RawValue>(lines.text()) {
            Ok(raw) => match escaped_nul(raw.get()) {
                Some(at) => {
                    let line = *lines.lines_of(&raw.get()[at..]).start() + 1;
                    Err(ReadError::Nul { name: name.to_owned(), line })
                }
                None => Ok(Self { lines, raw: raw.get() }),
            },
            Err(error) => Err(not_json(name, error.line().max(1), &error)),
        }
    }

    /// The lines it is on, from 0.
    pub fn lines(&self) -> RangeInclusive<usize> {
        self.lines.lines_of(self.raw)
    }

    /// The line it begins on, from 0.
    pub fn line(&self) -> usize {
        *self.lines().start()
    }

    pub fn is_object(&self) -> bool {
        self.raw.starts_with('{')
    }

    pub fn is_array(&self) -> bool {
        self.raw.starts_with('[')
    }

    /// Whether it is this very part of the document.
    pub fn is(&self, other: &Self) -> bool {
        std::ptr::eq(self.raw, other.raw)
    }

    /// Where it is in the document, as addresses.
    pub fn span(&self) -> Range<usize> {
        let bytes = self.raw.as_bytes().as_ptr_range();
        bytes.start as usize..bytes.end as usize
    }

    /// A text, or that of the time which an object holds, as `{"dateTime": "…", "timeZone": "UTC"}`. A time of
    /// another zone is that of the person whose list it is.
    pub fn of_time(&self) -> Option<String> {
        if !self.is_object() {
            return self.text();
        }
        let mut object = self.object();
        let time = ["dateTime", "date", "string"].iter().find_map(|name| object.take_text(name))?;
        let is_utc = object.take_text("timeZone").is_some_and(|zone| zone == "UTC");
        let has_time = || time.contains('T') && !time.ends_with('Z');
        Some(if is_utc && has_time() { format!("{time}Z") } else { time })
    }

    /// The items of an array; none if it is no array.
    pub fn items(&self) -> Vec<Node<'a>> {
        let raws: Vec<&'a RawValue> = serde_json::from_str(self.raw).unwrap_or_default();
        raws.into_iter().map(|raw| Node { lines: self.lines, raw: raw.get() }).collect()
    }

    /// The members of an object; none if it is no object.
    pub fn object(&self) -> Object<'a> {
        let members = serde_json::from_str::<Members<'a>>(self.raw)
            .map(|members| members.0)
            .unwrap_or_default();
        let node = |raw: &'a RawValue| Node { lines: self.lines, raw: raw.get() };
        Object { members: members.into_iter().map(|(name, raw)| (name, Some(node(raw)))).collect() }
    }

    /// The text of a string, the digits of a number, or `true` and `false`.
    pub fn text(&self) -> Option<String> {
        match self.value()? {
            Value::String(text) => Some(text),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(is) => Some(is.to_string()),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        }
    }

    pub fn is_true(&self) -> bool {
        self.raw == "true"
    }

    /// The value as a person reads it; empty where it says nothing.
    pub fn shown(&self) -> String {
        match self.value() {
            Some(Value::Null | Value::Bool(false)) => String::new(),
            Some(Value::String(text)) => text,
            Some(Value::Array(items)) if items.is_empty() => String::new(),
            Some(Value::Object(members)) if members.is_empty() => String::new(),
            Some(value) => value.to_string(),
            // Nested too deep for a value; its text is kept all the same.
            None => self.raw.to_owned(),
        }
    }

    fn value(&self) -> Option<Value> {
        serde_json::from_str(self.raw).ok()
    }
}

/// The members of an object that were not taken yet.
pub(crate) struct Object<'a> {
    members: Vec<(String, Option<Node<'a>>)>,
}

impl<'a> Object<'a> {
    /// The members that were not taken, in their order.
    pub fn members(&self) -> impl Iterator<Item = (&str, Node<'a>)> {
        self.members.iter().filter_map(|(name, node)| Some((name.as_str(), (*node)?)))
    }

    /// Whether there is such a member.
    pub fn has(&self, name: &str) -> bool {
        self.members.iter().any(|(known, node)| known == name && node.is_some())
    }

    /// Takes the first member of a name.
    pub fn take(&mut self, name: &str) -> Option<Node<'a>> {
        self.members.iter_mut().find(|(known, node)| known == name && node.is_some())?.1.take()
    }

    /// The first member of a name, which stays.
    pub fn peek(&self, name: &str) -> Option<Node<'a>> {
        self.members.iter().find(|(known, node)| known == name && node.is_some())?.1
    }

    /// Takes a member that is text, and is not empty.
    pub fn take_text(&mut self, name: &str) -> Option<String> {
        self.take(name)?.text().filter(|text| !text.trim().is_empty())
    }

    /// Takes members that say nothing that a task could hold.
    pub fn drop(&mut self, names: &[&str]) {
        for name in names {
            while self.take(name).is_some() {}
        }
    }

    /// Keeps all that was not taken as text.
    pub fn keep_rest(&mut self, details: &mut Details, gather: &mut Gather<'_>) {
        for (name, node) in &mut self.members {
            let Some(node) = node.take() else { continue };
            let shown = node.shown();
            if !shown.trim().is_empty() {
                details.push(name, &shown);
                let name: String = name.chars().take(40).collect();
                gather
                    .say(node.line(), format!("`{name}` has no matching field: kept in the note"));
            }
        }
    }

    /// Gives the lines of members their places.
    pub fn claim(&self, roles: &[(&str, Role)], task: usize, gather: &mut Gather<'_>) {
        for (name, node) in &self.members {
            let Some(node) = node else { continue };
            let role = roles
                .iter()
                .find(|(known, _)| known == name)
                .map_or(Role::Field, |(_, role)| *role);
            gather.claim(node.lines(), role, Some(task));
        }
    }
}

/// Where a document has a NUL written as `\u0000`, which no more than the character itself is text.
fn escaped_nul(json: &str) -> Option<usize> {
    let is_escape = |&at: &usize| {
        let before = json[..at].bytes().rev().take_while(|&byte| byte == b'\\').count();
        before.is_multiple_of(2)
    };
    json.match_indices("\\u0000").map(|(at, _)| at).find(is_escape)
}

/// A text below the comments that stand above it.
pub(crate) fn below_comments(text: &str) -> &str {
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    while rest.starts_with("//") || rest.starts_with('#') {
        rest = rest.split_once('\n').map_or("", |(_, below)| below.trim_start());
    }
    rest
}

/// Whether a text begins as a JSON document.
pub(crate) fn begins(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim_start().starts_with(['{', '['])
}

/// Whether a text as a whole is a JSON document that holds anything, or the beginning of one.
pub(crate) fn is_document(text: &str) -> bool {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).trim();
    begins(text)
        && text[1..].trim_start().len() > 1
        && match serde_json::from_str::<&RawValue>(text) {
            Ok(_) => true,
            // A download that broke off.
            Err(error) => error.is_eof() && text[1..].trim_start().starts_with(['{', '"']),
        }
}

/// Units: lines. So many tell whether a text has an object on each line.
const SAMPLED: usize = 20;

/// The array of the objects of a text that has one on each line (JSON lines), with the same lines. Most of the
/// first lines tell; one that is broken makes the array so too, at its line. Lines of comments are blank in it.
pub(crate) fn array_of_lines(text: &str) -> Option<String> {
    let text = text.trim_start_matches('\u{feff}');
    let is_object = |line: &str| {
        let line = without_comma(line);
        line.starts_with('{') && serde_json::from_str::<&RawValue>(line).is_ok()
    };
    let mut sample = text.lines().filter(|line| is_filled(line)).map(str::trim).take(SAMPLED);
    // A document of its own spans several lines, or the only one.
    let first = sample.next().filter(|line| line.starts_with('{') && line.ends_with(['}', ',']))?;
    let (n_lines, n_objects) = sample.fold((1, usize::from(is_object(first))), |(n, m), line| {
        (n + 1, m + usize::from(is_object(line)))
    });
    if n_objects < 2 || 2 * n_objects < n_lines {
        return None;
    }
    let mut array = String::with_capacity(text.len() + text.len() / 16 + 2);
    let mut sign = '[';
    for (at, line) in text.lines().enumerate() {
        if at > 0 {
            array.push('\n');
        }
        if is_filled(line) {
            array.push(std::mem::replace(&mut sign, ','));
            array.push_str(without_comma(line));
        }
    }
    array.push(']');
    Some(array)
}

/// What is wrong with the first broken line of a text with an object on each line.
pub(crate) fn broken_line(name: &str, text: &str) -> Option<ReadError> {
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    (1..).zip(lines).filter(|(_, line)| is_filled(line)).find_map(|(number, line)| {
        let error = serde_json::from_str::<&RawValue>(without_comma(line)).err()?;
        Some(not_json(name, number, &error))
    })
}

/// Whether a line of JSON lines has anything but a comment.
fn is_filled(line: &str) -> bool {
    let line = line.trim_start();
    !line.is_empty() && !line.starts_with("//") && !line.starts_with('#')
}

/// A line of JSON lines without the comma that some programs write after it.
fn without_comma(line: &str) -> &str {
    let line = line.trim_end();
    line.strip_suffix(',').unwrap_or(line)
}

fn not_json(name: &str, line: usize, error: &serde_json::Error) -> ReadError {
    let reason = error.to_string();
    let reason = reason.split(" at line").next().unwrap_or_default().to_owned();
    ReadError::NotJson { name: name.to_owned(), line, reason }
}

/// The members of the document, or of the first item of its array.
pub(crate) fn first_names(text: &str) -> Option<Vec<String>> {
    if !begins(text) {
        return None;
    }
    let lines = Lines::new("", text).ok()?;
    let node = Node::of("", &lines).ok()?;
    let first = if node.is_object() { node } else { *node.items().first()? };
    Some(first.object().members.into_iter().map(|(name, _)| name).collect())
}

/// Whether a document, or the first item of its array, has all these members.
pub(crate) fn has_names(text: &str, wanted: &[&str]) -> bool {
    first_names(text)
        .is_some_and(|names| wanted.iter().all(|name| names.iter().any(|known| known == name)))
}

/// A member that can be read; one that cannot stays, to be kept as text.
pub(crate) fn parsed<T: std::str::FromStr>(object: &mut Object<'_>, name: &str) -> Option<T> {
    let value = object.peek(name)?.text()?.parse().ok()?;
    object.take(name);
    Some(value)
}
