//! A file as lines of text.

use dormouse_types::draft::Remark;
use dormouse_types::limits;

use super::ReadError;
use crate::decoding::{self, Decoded, Undecoded};
use crate::reading::MAX_LINES;

/// Units: bytes. The beginning of a file that shows whether it is text.
const SAMPLE: usize = 4096;

/// Decoded text with `\n` line ends. Code counts lines from 0; everything a person reads counts
/// from 1.
pub(super) struct Source<'a> {
    /// The file's name as given.
    pub name: &'a str,
    /// The text, without a byte order mark.
    pub text: String,
    /// Whether its encoding was guessed.
    pub is_guess: bool,
    starts: Vec<usize>,
}

impl<'a> Source<'a> {
    /// Decodes a file.
    pub fn new(name: &'a str, bytes: &[u8]) -> Result<Self, ReadError> {
        limits::IMPORT_FILE
            .check(bytes.len())
            .map_err(|source| ReadError::TooLarge { name: name.to_owned(), source })?;
        if bytes.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).nth(2 * MAX_LINES).is_some() {
            return Err(too_many_lines(name));
        }
        let Decoded { text, is_guess } = decoding::decode(bytes).map_err(|error| match error {
            Undecoded::NotUtf8(_) if bytes[..bytes.len().min(SAMPLE)].contains(&0) => {
                ReadError::NoText { name: name.to_owned() }
            }
            Undecoded::NotUtf8(offset) => {
                let line = line_at(bytes, offset);
                ReadError::NotUtf8 { name: name.to_owned(), line, offset }
            }
            Undecoded::NotUtf16 => ReadError::NotUtf16 { name: name.to_owned() },
        })?;
        limits::IMPORT_FILE
            .check(text.len())
            .map_err(|source| ReadError::TooLarge { name: name.to_owned(), source })?;
        if let Some(offset) = text.bytes().position(|byte| byte == 0) {
            let line = line_at(text.as_bytes(), offset);
            return Err(ReadError::Nul { name: name.to_owned(), line, offset });
        }
        let text = text.trim_start_matches('\u{feff}');
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let mut starts = vec![0];
        starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
        if starts.last() == Some(&text.len()) {
            starts.pop();
        }
        if starts.len() > MAX_LINES {
            return Err(too_many_lines(name));
        }
        Ok(Self { name, text, is_guess, starts })
    }

    /// Returns the number of lines.
    pub fn n_lines(&self) -> usize {
        self.starts.len()
    }

    /// Returns where a line begins; for a line beyond the last, the end of the text.
    pub fn start(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.text.len())
    }

    /// Returns a line without its line end.
    pub fn line(&self, line: usize) -> &str {
        self.text[self.start(line)..self.start(line + 1)].trim_end_matches('\n')
    }

    /// Returns the line that contains a byte of the text.
    pub fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset).saturating_sub(1)
    }

    /// The file's name without folders and extension: the title of last resort.
    pub fn stem(&self) -> &str {
        stem(self.name)
    }
}

fn too_many_lines(name: &str) -> ReadError {
    ReadError::TooMany { name: name.to_owned(), what: "lines", max: MAX_LINES }
}

/// The name of a file without folders and extension.
pub(crate) fn stem(name: &str) -> &str {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    match file.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        Some(_) | None => file,
    }
}

/// A remark about a line that counts from 0.
pub(super) fn remark(line: usize, message: impl Into<String>) -> Remark {
    Remark { line: line + 1, message: message.into() }
}

/// Says that a file was read in an encoding that its bytes do not name.
pub(super) fn guessed() -> Remark {
    let message = "the file is not UTF-8: read as Windows-1252 (Western European); if letters are wrong, save it as UTF-8";
    remark(0, message)
}

/// The line of a byte in a raw file, from 1; `\r\n`, `\n` and `\r` end a line.
fn line_at(bytes: &[u8], offset: usize) -> usize {
    let before = &bytes[..offset];
    let ends = before.iter().enumerate().filter(|&(at, &byte)| {
        byte == b'\n' || (byte == b'\r' && bytes.get(at + 1) != Some(&b'\n'))
    });
    ends.count() + 1
}
