//! Reads a text in the format that its content has.

use std::collections::BTreeSet;

use dormouse_types::draft::Entry;
use dormouse_types::id::Digest;
use dormouse_types::{hash, limits};

use super::options::{Error, Options};
use super::readers::{self, Deadlines};
use super::{Format, Reading, deadlines};
use crate::markdown::{self, ReadError, Remark};
use crate::{decoding, other_documents};

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
    let reader = match options.format {
        Some(format) => readers::of(format),
        None => readers::detect(&text),
    };
    let is_any_text = matches!(reader.format, Format::Markdown | Format::PlainLines);
    if options.format.is_none()
        && is_any_text
        && let Some(kind) = other_documents::kind(&text)
    {
        return Err(ReadError::OtherDocument { name: name.to_owned(), kind }.into());
    }
    let mut reading = (reader.read)(name, &text, options)?;
    reading.options = options.read.clone();
    reading.remarks.splice(0..0, guessed);
    shorten_names(&mut reading);
    if reader.deadlines == Deadlines::InSentences {
        deadlines::find(&text, &mut reading);
        if options.read.cancel.is_cancelled() {
            return Err(ReadError::Cancelled { name: name.to_owned() }.into());
        }
    }
    Ok(reading)
}

/// Finds the format of a text by its content. Without a sign of any other it is Markdown, of which
/// every text is an instance.
pub fn detect(text: &str) -> Format {
    readers::detect(text).format
}

/// Identifies a text and the way it is read, so that a caller can tell that a text is not the one
/// its plan was made of.
///
/// Everything that a plan depends on is part of it: also the day of reading, so that a plan that is
/// answered after midnight is shown again where it could say other days.
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
