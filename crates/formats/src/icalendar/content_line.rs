//! Content lines of RFC 5545: unfolded, with name, parameters and value.

use std::ops::RangeInclusive;

use crate::intake::Lines;

/// A line after unfolding.
pub(super) struct ContentLine {
    /// The lines it is on, from 0.
    pub lines: RangeInclusive<usize>,
    /// Upper case.
    pub name: String,
    /// Names in upper case, values without their quotes.
    pub params: Vec<(String, String)>,
    /// Still escaped.
    pub value: String,
}

impl ContentLine {
    /// A parameter's value.
    pub fn param(&self, name: &str) -> Option<&str> {
        self.params.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Name and parameters as written, for a property that is kept as text.
    pub fn head(&self) -> String {
        let mut head = self.name.clone();
        for (name, value) in &self.params {
            head.push(';');
            head.push_str(name);
            head.push('=');
            let needs_quotes = value.contains([':', ';', ',']);
            head.push_str(&if needs_quotes { format!("\"{value}\"") } else { value.clone() });
        }
        head
    }

    /// The value as text.
    pub fn text(&self) -> String {
        unescaped(&self.value)
    }
}

/// The content lines of a text, one after the other. `Err` holds what is none.
pub(super) struct ContentLines<'a> {
    lines: &'a Lines<'a>,
    at: usize,
}

impl<'a> ContentLines<'a> {
    pub fn new(lines: &'a Lines<'a>) -> Self {
        Self { lines, at: 0 }
    }
}

impl Iterator for ContentLines<'_> {
    type Item = Result<ContentLine, (RangeInclusive<usize>, String)>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.at < self.lines.len() && self.lines.line(self.at).trim().is_empty() {
            self.at += 1;
        }
        if self.at == self.lines.len() {
            return None;
        }
        let first = self.at;
        let mut whole = self.lines.line(first).to_owned();
        self.at += 1;
        while self.at < self.lines.len() {
            let line = self.lines.line(self.at);
            let Some(more) = line.strip_prefix([' ', '\t']) else { break };
            whole.push_str(more);
            self.at += 1;
        }
        let lines = first..=self.at - 1;
        Some(parse(&whole).map_or_else(
            || Err((lines.clone(), whole.clone())),
            |(name, params, value)| {
                Ok(ContentLine { lines: lines.clone(), name, params, value: value.to_owned() })
            },
        ))
    }
}

type Parts<'a> = (String, Vec<(String, String)>, &'a str);

fn parse(line: &str) -> Option<Parts<'_>> {
    let end = line.find([':', ';'])?;
    let name = line[..end].trim();
    if name.is_empty()
        || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    {
        return None;
    }
    let (mut rest, mut params) = (&line[end..], Vec::new());
    while let Some(after) = rest.strip_prefix(';') {
        let mut is_quoted = false;
        let end = after.find(|c| {
            is_quoted ^= c == '"';
            !is_quoted && (c == ':' || c == ';')
        })?;
        let (key, value) = after[..end].split_once('=').unwrap_or((&after[..end], ""));
        params.push((key.trim().to_uppercase(), value.replace('"', "")));
        rest = &after[end..];
    }
    Some((name.to_uppercase(), params, rest.strip_prefix(':')?))
}

/// Undoes the escapes of TEXT; a backslash before anything else stays.
pub(super) fn unescaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut chars = value.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some('n' | 'N')) => {
                chars.next();
                text.push('\n');
            }
            // RFC 5545 knows no escaped quote, but old programs write it.
            ('\\', Some(&next @ ('\\' | ';' | ',' | '"'))) => {
                chars.next();
                text.push(next);
            }
            _ => text.push(c),
        }
    }
    text
}

/// The values of a list of TEXT, which commas separate.
pub(super) fn list(value: &str) -> Vec<String> {
    let (mut parts, mut start, mut is_escaped) = (Vec::new(), 0, false);
    for (at, c) in value.char_indices() {
        if c == ',' && !is_escaped {
            parts.push(unescaped(&value[start..at]));
            start = at + 1;
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    parts.push(unescaped(&value[start..]));
    parts
}
