//! The formats that a text can be read as: how each is recognized, and what reads it.

use dormouse_types::draft::Task;

use super::options::{Error, Options};
use super::{Format, Place, Reading, Role, lines};
use crate::csv::Meanings;
use crate::markdown::{Remark, key};
use crate::{
    csv, dormouse_json, github_issues, icalendar, json, mail, markdown, opml, other_json,
    plain_lines, state_outline, todo_txt, trello, vikunja,
};

/// Where a format says when a task is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deadlines {
    /// Also in a sentence: "the tax return, by 15 May".
    InSentences,
    /// In a field of its own.
    InAField,
}

/// A format with what reads it.
pub(super) struct Reader {
    pub format: Format,
    /// Whether the content of a text says that it has the format.
    pub looks_like: fn(&str) -> bool,
    /// Reads a file of this name with this text.
    pub read: fn(&str, &str, &Options) -> Result<Reading, Error>,
    pub deadlines: Deadlines,
}

/// The readers in the order in which a text is tried, the most particular first. The last one takes every text.
const READERS: &[Reader] = &[
    Reader {
        format: Format::Dormouse,
        looks_like: dormouse_json::looks_like,
        read: |name, text, options| Ok(dormouse_json::read(name, text, &options.read)?),
        deadlines: Deadlines::InAField,
    },
    Reader {
        format: Format::Trello,
        looks_like: trello::looks_like,
        read: |name, text, options| Ok(trello::read(name, text, &options.read)?),
        deadlines: Deadlines::InAField,
    },
    Reader {
        format: Format::Vikunja,
        looks_like: vikunja::looks_like,
        read: |name, text, options| Ok(vikunja::read(name, text, &options.read)?),
        deadlines: Deadlines::InAField,
    },
    Reader {
        format: Format::GithubIssues,
        looks_like: github_issues::looks_like,
        read: |name, text, options| Ok(github_issues::read(name, text, &options.read)?),
        deadlines: Deadlines::InAField,
    },
    Reader {
        format: Format::ICalendar,
        looks_like: icalendar::looks_like,
        read: |name, text, options| Ok(icalendar::read(name, text, &options.read)?),
        deadlines: Deadlines::InAField,
    },
    Reader {
        format: Format::OtherJson,
        looks_like: other_json::looks_like,
        read: |name, text, options| {
            let reading = other_json::read(name, text, &options.read)?;
            let whole = || Reading { format: Format::OtherJson, ..whole_document(name, text) };
            Ok(reading.unwrap_or_else(whole))
        },
        deadlines: Deadlines::InAField,
    },
    Reader {
        format: Format::Opml,
        looks_like: opml::looks_like,
        read: |name, text, options| Ok(opml::read(name, text, &options.read)?),
        deadlines: Deadlines::InAField,
    },
    Reader {
        format: Format::Mail,
        looks_like: mail::looks_like,
        read: |name, text, _| Ok(mail::read(name, text)),
        deadlines: Deadlines::InSentences,
    },
    Reader {
        format: Format::OrgMode,
        looks_like: state_outline::looks_like,
        read: |name, text, options| Ok(state_outline::read(name, text, &options.read)?),
        deadlines: Deadlines::InSentences,
    },
    Reader {
        format: Format::Csv,
        looks_like: csv::looks_like,
        read: |name, text, options| {
            let meanings = match &options.columns {
                Some(columns) => Meanings::Declared(columns),
                None => Meanings::Known(&options.known_columns),
            };
            Ok(csv::read(name, text, &options.read, meanings)?)
        },
        deadlines: Deadlines::InAField,
    },
    Reader {
        format: Format::TodoTxt,
        looks_like: todo_txt::looks_like,
        read: |name, text, options| Ok(todo_txt::read(name, text, &options.read)?),
        deadlines: Deadlines::InAField,
    },
    Reader {
        // JSON in which nothing else found a task.
        format: Format::Markdown,
        looks_like: json::is_document,
        read: |name, text, _| Ok(whole_document(name, text)),
        deadlines: Deadlines::InSentences,
    },
    Reader {
        format: Format::PlainLines,
        looks_like: plain_lines::looks_like,
        read: |name, text, _| Ok(plain_lines::read(name, text)),
        deadlines: Deadlines::InSentences,
    },
    MARKDOWN,
];

const MARKDOWN: Reader = Reader {
    format: Format::Markdown,
    looks_like: |_| true,
    read: |name, text, options| Ok(markdown::reading_with(name, text.as_bytes(), &options.read)?),
    deadlines: Deadlines::InSentences,
};

/// The reader of the format that a text has.
pub(super) fn detect(text: &str) -> &'static Reader {
    READERS.iter().find(|reader| (reader.looks_like)(text)).unwrap_or(&MARKDOWN)
}

/// The reader of a format that a person named, whatever the text looks like.
pub(super) fn of(format: Format) -> &'static Reader {
    READERS.iter().rfind(|reader| reader.format == format).unwrap_or(&MARKDOWN)
}

/// A document of no known program: a task named after the file, with the text as its note.
fn whole_document(name: &str, text: &str) -> Reading {
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
    let places = (1..).zip(lines(text)).map(|(line, text)| (line, role(text)));
    reading.places = places
        .map(|(line, role)| Place { line, role, task: (role == Role::Note).then_some(0) })
        .collect();
    let message = "JSON of an unknown program, or an incomplete file: its text is kept as one task"
        .to_owned();
    reading.remarks.push(Remark { line: 1, message });
    reading
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_format_has_a_reader() {
        for &format in Format::ALL {
            assert_eq!(of(format).format, format);
        }
    }
}
