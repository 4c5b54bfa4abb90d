//! A text as lines.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use dormouse_types::limits;

use super::ReadError;
use crate::reading::MAX_LINES;

/// A text with `\n` line ends and without a byte order mark. Lines count from 0 here; everything a
/// person reads counts from 1.
pub(crate) struct Lines<'t> {
    text: Cow<'t, str>,
    starts: Vec<u32>,
}

impl<'t> Lines<'t> {
    /// Splits a text at `\n`, `\r\n` and `\r`.
    pub fn new(name: &str, text: &'t str) -> Result<Self, ReadError> {
        limits::IMPORT_FILE
            .check(text.len())
            .map_err(|source| ReadError::TooLarge { name: name.to_owned(), source })?;
        let text = text.trim_start_matches('\u{feff}');
        let text = if text.contains('\r') {
            Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
        } else {
            Cow::Borrowed(text)
        };
        if text.bytes().filter(|&byte| byte == b'\n').count() > MAX_LINES {
            let name = name.to_owned();
            return Err(ReadError::TooMany { name, what: "lines", max: MAX_LINES });
        }
        let offset =
            |at: usize| u32::try_from(at).expect("a text within IMPORT_FILE has u32 offsets");
        let mut starts = vec![0];
        starts.extend(text.match_indices('\n').map(|(at, _)| offset(at + 1)));
        if starts.last().is_some_and(|&last| last as usize == text.len()) {
            starts.pop();
        }
        let lines = Self { text, starts };
        match lines.text.find('\0') {
            Some(at) => Err(ReadError::Nul { name: name.to_owned(), line: lines.line_of(at) + 1 }),
            None => Ok(lines),
        }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// How many lines there are; an end of line at the end of the text begins none.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Where a line begins; beyond the last, the end of the text.
    pub fn start(&self, line: usize) -> usize {
        self.starts.get(line).map_or(self.text.len(), |&start| start as usize)
    }

    /// A line without its end.
    pub fn line(&self, line: usize) -> &str {
        let text = &self.text[self.start(line)..self.start(line + 1)];
        text.strip_suffix('\n').unwrap_or(text)
    }

    /// The line that holds a byte.
    pub fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start as usize <= offset).saturating_sub(1)
    }

    /// The lines of a part of the text that was borrowed from [`Self::text`].
    pub fn lines_of(&self, part: &str) -> RangeInclusive<usize> {
        let at = (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        self.line_of(at)..=self.line_of(at + part.len().saturating_sub(1))
    }
}
