//! Reads a text in the format that its content has.

use std::collections::BTreeSet;

use dormouse_types::draft::{Entry, Task};
use dormouse_types::id::Digest;
use dormouse_types::{hash, limits};

use super::{Format, Place, Reading, Role, deadlines};
use crate::csv::{Column, Meanings};
use crate::decoding;
use crate::intake::{self, ReadOptions};
use crate::markdown::{self, ReadError, Remark, key};
use crate::{
    csv, dormouse_json, github_issues, icalendar, json, mail, opml, other_documents, other_json,
    plain_lines, state_outline, todo_txt, trello, vikunja,
};

/// How a text is read.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The format; by default the one that the content has.
    pub format: Option<Format>,
    /// What a text does not say about itself.
    pub read: ReadOptions,
    /// What each column of a sheet means, where a person says so; by default it is guessed.
    pub columns: Option<Vec<Column>>,
    /// What columns of these names meant where a person said so before; used without `columns`.
    pub known_columns: Vec<(String, Column)>,
}

/// Why no plan could be made of a text. The text or its options must be changed before a retry can
/// succeed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The text was refused.
    #[error(transparent)]
    Text(#[from] ReadError),
    /// The text was refused by the reader of another format.
    #[error(transparent)]
    Other(#[from] intake::ReadError),
}

/// Reads a text into tasks and the place of each of its lines.
///
/// `name` is used as in [`markdown::read`]; it does not decide the format.
///
/// ```
/// use dormouse_formats::plan::{self, Format, Options};
/// let reading = plan::read("list.txt", b"call Ana\nbuy milk\n", &Options::default())?;
/// assert_eq!((reading.format, reading.tasks.len()), (Format::PlainLines, 2));
/// # Ok::<(), plan::Error>(())
/// ```
pub fn read(name: &str, bytes: &[u8], options: &Options) -> Result<Reading, Error> {
    let (text, guessed) = markdown::decode(name, bytes)?;
    let format = options.format.unwrap_or_else(|| detect(&text));
    let is_found =
        options.format.is_none() && matches!(format, Format::Markdown | Format::PlainLines);
    if let Some(kind) = other_documents::kind(&text).filter(|_| is_found) {
        return Err(ReadError::OtherDocument { name: name.to_owned(), kind }.into());
    }
    let mut reading = match format {
        Format::Markdown if json::is_document(&text) => unknown_json(name, &text),
        Format::Markdown if mail::looks_like(&text) => mail::read(name, &text),
        Format::Markdown if state_outline::looks_like(&text) => {
            state_outline::read(name, &text, &options.read)?
        }
        Format::Markdown => markdown::reading_with(name, text.as_bytes(), &options.read)?,
        Format::PlainLines => plain_lines::read(name, &text),
        Format::TodoTxt => todo_txt::read(name, &text, &options.read)?,
        Format::ICalendar => icalendar::read(name, &text, &options.read)?,
        Format::Csv => {
            let meanings = match &options.columns {
                Some(columns) => Meanings::Declared(columns),
                None => Meanings::Known(&options.known_columns),
            };
            csv::read(name, &text, &options.read, meanings)?
        }
        Format::Trello => trello::read(name, &text, &options.read)?,
        Format::Vikunja => vikunja::read(name, &text, &options.read)?,
        Format::GithubIssues => github_issues::read(name, &text, &options.read)?,
        Format::Dormouse => dormouse_json::read(name, &text, &options.read)?,
        Format::OtherJson => other_json::read(name, &text, &options.read)?
            .unwrap_or_else(|| Reading { format, ..unknown_json(name, &text) }),
        Format::Opml => opml::read(name, &text, &options.read)?,
    };
    reading.options = options.read.clone();
    reading.remarks.splice(0..0, guessed);
    shorten_names(&mut reading);
    match format {
        Format::Markdown | Format::PlainLines => {
            deadlines::find(&text, &mut reading);
            if options.read.cancel.is_cancelled() {
                return Err(ReadError::Cancelled { name: name.to_owned() }.into());
            }
        }
        // The others have a field for it.
        Format::TodoTxt
        | Format::ICalendar
        | Format::Csv
        | Format::Trello
        | Format::Vikunja
        | Format::GithubIssues
        | Format::Dormouse
        | Format::OtherJson
        | Format::Opml => {}
    }
    Ok(reading)
}

/// A document of no known program: a task named after the file, with the text as its note.
fn unknown_json(name: &str, text: &str) -> Reading {
    let mut reading = Reading::of(Format::Markdown);
    let whole = text.strip_prefix('\u{feff}').unwrap_or(text).trim_end();
    reading.tasks.push(Task {
        key: key::fold(name),
        line: 1,
        title: markdown::stem(name).to_owned(),
        entries: markdown::entries_of("text#1", &whole.replace("\r\n", "\n").replace('\r', "\n")),
        ..Task::default()
    });
    let role = |line: &str| if line.trim().is_empty() { Role::Blank } else { Role::Note };
    let places = (1..).zip(super::lines(text)).map(|(line, text)| (line, role(text)));
    reading.places = places
        .map(|(line, role)| Place { line, role, task: (role == Role::Note).then_some(0) })
        .collect();
    let message = "JSON of an unknown program, or an incomplete file: its text is kept as one task"
        .to_owned();
    reading.remarks.push(Remark { line: 1, message });
    reading
}

/// A test of whether a text has a format.
type Looks = fn(&str) -> bool;

/// The formats that a text is tried for, the most particular first.
const TRIED: &[(Format, Looks)] = &[
    (Format::Dormouse, dormouse_json::looks_like),
    (Format::Trello, trello::looks_like),
    (Format::Vikunja, vikunja::looks_like),
    (Format::GithubIssues, github_issues::looks_like),
    (Format::ICalendar, icalendar::looks_like),
    (Format::OtherJson, other_json::looks_like),
    (Format::Opml, opml::looks_like),
    (Format::Markdown, mail::looks_like),
    (Format::Markdown, state_outline::looks_like),
    (Format::Csv, csv::looks_like),
    (Format::TodoTxt, todo_txt::looks_like),
    (Format::Markdown, json::is_document),
    (Format::PlainLines, plain_lines::looks_like),
];

/// Finds the format of a text by its content. Without a sign of any other it is Markdown, of which
/// every text is an instance.
pub fn detect(text: &str) -> Format {
    let found = TRIED.iter().find(|(_, looks)| looks(text));
    found.map_or(Format::Markdown, |(format, _)| *format)
}

/// Identifies a text and the way it is read, so that a caller can tell that a text is not the one
/// its plan was made of.
///
/// Everything that a plan depends on is part of it: also the day of reading, so that a plan that is
/// answered after midnight is shown anew where it could say other days.
pub fn digest(name: &str, bytes: &[u8], options: &Options) -> Digest {
    let format = options.format.map_or("", Format::name);
    let (name, text) = (hash::sha256(name), hash::sha256(bytes));
    let columns = match &options.columns {
        Some(columns) => {
            let names: Vec<&str> = columns.iter().map(|column| column.name()).collect();
            names.join(",")
        }
        None if options.known_columns.is_empty() => String::new(),
        None => {
            let known = options.known_columns.iter();
            let known = known.flat_map(|(name, column)| [name.as_str(), column.name()]);
            hash::joined(&known.collect::<Vec<_>>()).to_string()
        }
    };
    let read = options.read.digest();
    hash::joined(&["plan", name.as_str(), format, text.as_str(), read.as_str(), &columns])
}

/// The text of a file, as its lines are counted.
///
/// Errors: the file is too large, or is neither UTF-8 nor for certain another encoding.
pub fn decode(name: &str, bytes: &[u8]) -> Result<String, Error> {
    Ok(markdown::decode(name, bytes)?.0)
}

/// The encoding that a file is read in although its bytes do not name it, for a caller that sends the decoded text
/// on and so keeps this from the plan.
pub fn guessed_encoding(bytes: &[u8]) -> Option<&'static str> {
    let decoded = decoding::decode(bytes).ok()?;
    decoded.is_guess.then_some("Windows-1252 (Western European)")
}

/// The name of a category made of a title, which can be longer than a name may be.
pub(super) fn category_name(title: &str) -> String {
    let title = title.trim();
    if limits::LABEL_NAME.check(title.chars().count()).is_ok() {
        return title.to_owned();
    }
    let kept: String = title.chars().take(limits::LABEL_NAME.max - 1).collect();
    format!("{}…", kept.trim_end())
}

/// Shortens the names of categories and labels that no workspace takes. The whole name is kept as
/// text, for a category of the first task in it.
fn shorten_names(reading: &mut Reading) {
    let mut declared = BTreeSet::new();
    for task in &mut reading.tasks {
        if let Some(name) = &mut task.category {
            let short = category_name(name);
            if short != *name && declared.insert(name.clone()) {
                task.entries.push(whole_name("Category", name));
                let message = format!("the category is shortened to “{short}”");
                reading.remarks.push(Remark { line: task.line, message });
            }
            *name = short;
        }
        for label in &mut task.labels {
            let short = category_name(label);
            if short != *label {
                task.entries.push(whole_name("Label", label));
                let message = format!("a label is shortened to “{short}”");
                reading.remarks.push(Remark { line: task.line, message });
                *label = short;
            }
        }
    }
    reading.remarks.sort_by_key(|remark| remark.line);
}

fn whole_name(what: &str, name: &str) -> Entry {
    let key = format!("{what}-{}", hash::sha256(name).as_str());
    Entry { key, text: format!("{what}: {name}"), on: None, ..Entry::default() }
}
