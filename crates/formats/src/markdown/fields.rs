//! Fields of a task below its heading: in brackets on a line of their own, `[due:: 2026-12-01]
//! [priority:: P1]`, as our export writes them; and as the properties of a page, `Status: In progress`, as
//! Notion exports them.
//!
//! Source: the documentation of Dataview, "Adding Metadata", for the brackets.

use dormouse_types::draft::Remark;
use dormouse_types::task::Status;

use super::front_matter::{FrontMatter, Taken, split};
use super::source::Source;
use crate::intake::ReadOptions;
use crate::reading::Role;

/// Units: bytes. A longer line is text.
const LONGEST: usize = 20_000;

/// The names and values of a line that holds nothing else, if one of the names is known.
pub(super) fn read(line: &str) -> Option<Vec<(String, String)>> {
    let mut rest = line.trim();
    if rest.len() > LONGEST || !rest.starts_with('[') {
        return None;
    }
    let mut fields = Vec::new();
    while !rest.is_empty() {
        let (name, inside) = rest.strip_prefix('[')?.split_once("::")?;
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        if name.is_empty() || !name.chars().all(is_name) {
            return None;
        }
        let (value, after) = value(inside)?;
        fields.push((name.to_lowercase(), value));
        rest = after.trim_start();
    }
    fields.iter().any(|(name, _)| FrontMatter::knows(name)).then_some(fields)
}

/// A value up to the bracket that closes it, and what follows. A backslash takes the meaning from a
/// bracket; a pair of them is part of the value.
fn value(text: &str) -> Option<(String, &str)> {
    let (mut value, mut depth) = (String::new(), 0_usize);
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' if text[at + 1..].starts_with(['[', ']', '\\']) => {
                value.extend(chars.next().map(|(_, c)| c));
                continue;
            }
            '[' => depth += 1,
            ']' if depth == 0 => return Some((value.trim().to_owned(), &text[at + 1..])),
            ']' => depth -= 1,
            _ => {}
        }
        value.push(c);
    }
    None
}

/// A value as [`read`] reads it again.
pub(crate) fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]")
}

/// The values of fields, and as text those that are none. Days must be whole: in a file that is read
/// again, a field is not for words.
pub(super) fn take(
    fields: &[(String, String)],
    line: usize,
    remarks: &mut Vec<Remark>,
) -> (FrontMatter, Vec<String>) {
    let options = ReadOptions::default();
    let mut matter = FrontMatter::default();
    let mut kept = Vec::new();
    for (name, value) in fields {
        match matter.take_one(name, value, line, &options, remarks) {
            Taken::Field => {}
            Taken::Text => kept.push(format!("[{name}:: {}]", escaped(value))),
        }
    }
    (matter, kept)
}

/// The names of properties that a task has a field for, in lower case without spaces.
const PROPERTIES: &[&str] =
    &["status", "priority", "due", "duedate", "estimate", "category", "tag", "tags", "labels"];

/// The values that the lines right below the first heading give, and the lines that gave one. They are
/// properties if each of them is `Name: value`; what is no value of a field stays text.
pub(super) fn properties(
    source: &Source<'_>,
    body: std::ops::Range<usize>,
) -> (FrontMatter, Vec<(usize, Role)>) {
    let mut matter = FrontMatter::default();
    let mut taken = Vec::new();
    let is_blank = |line: &usize| source.line(*line).trim().is_empty();
    let block: Vec<usize> =
        body.skip_while(is_blank).take_while(|line| !is_blank(line)).take(MOST + 1).collect();
    let pairs: Vec<_> =
        block.iter().filter_map(|&line| Some((line, split(source.line(line))?))).collect();
    if pairs.len() < block.len() || !(2..=MOST).contains(&pairs.len()) {
        return (matter, taken);
    }
    for (line, (name, value)) in pairs {
        let name = name.to_lowercase().replace(' ', "");
        if !PROPERTIES.contains(&name.as_str()) {
            continue;
        }
        let mut one = FrontMatter::default();
        let read = one.take_one(&name, value, line, &ReadOptions::default(), &mut Vec::new());
        let needs_reason = one.status.is_some_and(Status::needs_reason);
        if read == Taken::Field && !needs_reason && one.due.as_ref().is_none_or(|due| due.is_exact)
        {
            matter.take_one(&name, value, line, &ReadOptions::default(), &mut Vec::new());
            taken.push((line, if one.due.is_some() { Role::Due } else { Role::Field }));
        }
    }
    (matter, taken)
}

/// Units: lines. More are no properties of a page.
const MOST: usize = 30;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_fields_is_read_and_nothing_else() {
        let fields = read(" [due:: 2026-12-01] [reason:: see [1] \\] \\\\ ] [other::]").unwrap();
        let fields: Vec<_> = fields.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        assert_eq!(fields, [("due", "2026-12-01"), ("reason", "see [1] ] \\"), ("other", "")]);
        for text in [
            "",
            "[due:: x] and",
            "[due: x]",
            "[due:: x",
            "[[due:: x]]",
            "text [due:: x]",
            "[mood:: fine]",
            "[due](x)",
            "[a b:: c]",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
        for text in ["a]b", "[", "\\", "\\]", "x [y] z\\[", "::"] {
            let line = format!("[category:: {}]", escaped(text));
            assert_eq!(read(&line), Some(vec![("category".to_owned(), text.to_owned())]));
        }
    }
}
