//! The arguments of `update_report`, decoded while the model writes them.
//!
//! A JSON document that is cut anywhere is no JSON document, so this reads it character by
//! character and keeps the two texts of a report as far as they have come. It is lenient: the call
//! is parsed and judged as a whole once it is complete, and only that counts.

use dormouse_types::limits;

/// The longest key that is compared; a longer one is of no field.
const KEY_BYTES: usize = 32;

/// Units: bytes. The most that is kept of a TLDR, whose limit counts characters.
const TLDR_BYTES: usize = limits::TLDR.max * 4;

/// What a model has written of a report so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PartialReport {
    tldr: String,
    content: String,
    place: Place,
    key: String,
    escape: Escape,
}

/// A text of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Tldr,
    Content,
}

/// Where in the document the next character is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Place {
    /// Before the object.
    #[default]
    Start,
    /// Where a key may begin.
    Key,
    InKey,
    /// Between a key and its value.
    Colon,
    /// Where the value of a key begins.
    Value,
    Text(Field),
    /// In a value that is not of a field; `depth` counts its open brackets.
    Skip {
        depth: usize,
        is_text: bool,
        is_escaped: bool,
    },
    /// After the object, or after something that is no such object.
    Over,
}

/// Where in an escape of a text the next character is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Escape {
    /// Not in an escape.
    #[default]
    None,
    /// After a backslash.
    Backslash,
    /// In the digits of `\u`: how many were read, their value, and the high surrogate before them.
    Digits { count: u8, value: u32, high: Option<u32> },
    /// After a high surrogate, whose low one has to follow.
    High(u32),
    /// After a high surrogate and a backslash.
    HighBackslash(u32),
}

/// What a character of a JSON text means.
enum Piece {
    /// So much of the text; two characters if the first replaces half a surrogate pair.
    Chars(Option<char>, Option<char>),
    /// The text ends; the character replaces half a surrogate pair.
    End(Option<char>),
    /// This is no JSON text.
    Broken,
}

impl PartialReport {
    /// Reads the next piece of the document. Pieces may be cut anywhere.
    ///
    /// Takes time in proportion to the piece, and keeps no more than a report may have.
    pub fn push(&mut self, piece: &str) {
        for next in piece.chars() {
            self.read(next);
        }
    }

    /// The TLDR so far.
    pub fn tldr(&self) -> &str {
        &self.tldr
    }

    /// The body so far, in Markdown.
    pub fn content(&self) -> &str {
        &self.content
    }

    /// Whether nothing can follow.
    pub fn is_over(&self) -> bool {
        self.place == Place::Over
    }

    fn read(&mut self, next: char) {
        self.place = match self.place {
            Place::Start => match next {
                '{' => Place::Key,
                space if space.is_whitespace() => Place::Start,
                _ => Place::Over,
            },
            Place::Key => match next {
                '"' => {
                    self.key.clear();
                    Place::InKey
                }
                '}' => Place::Over,
                _ => Place::Key,
            },
            Place::InKey => self.in_key(next),
            Place::Colon => match next {
                ':' => Place::Value,
                _ => Place::Colon,
            },
            Place::Value => self.value(next),
            Place::Text(field) => self.in_text(field, next),
            Place::Skip { depth, is_text, is_escaped } => skipped(depth, is_text, is_escaped, next),
            Place::Over => Place::Over,
        };
    }

    fn in_key(&mut self, next: char) -> Place {
        match self.escape.read(next) {
            Piece::Chars(first, second) => {
                for char in first.into_iter().chain(second) {
                    if self.key.len() < KEY_BYTES {
                        self.key.push(char);
                    }
                }
                Place::InKey
            }
            Piece::End(_) => Place::Colon,
            Piece::Broken => Place::Over,
        }
    }

    fn value(&mut self, next: char) -> Place {
        let field = match self.key.as_str() {
            "tldr" => Some(Field::Tldr),
            "content" | "report" => Some(Field::Content),
            _ => None,
        };
        match (next, field) {
            (space, _) if space.is_whitespace() => Place::Value,
            ('"', Some(field)) => {
                // A field that is given again replaces the first.
                self.text_mut(field).clear();
                Place::Text(field)
            }
            (next, _) => skipped(0, false, false, next),
        }
    }

    fn in_text(&mut self, field: Field, next: char) -> Place {
        let piece = self.escape.read(next);
        let (chars, place) = match piece {
            Piece::Chars(first, second) => ([first, second], Place::Text(field)),
            Piece::End(last) => {
                ([last, None], Place::Skip { depth: 0, is_text: false, is_escaped: false })
            }
            Piece::Broken => ([None, None], Place::Over),
        };
        let most = match field {
            Field::Tldr => TLDR_BYTES,
            Field::Content => limits::REPORT.max,
        };
        let text = self.text_mut(field);
        for char in chars.into_iter().flatten() {
            if text.len() + char.len_utf8() <= most {
                text.push(char);
            }
        }
        place
    }

    fn text_mut(&mut self, field: Field) -> &mut String {
        match field {
            Field::Tldr => &mut self.tldr,
            Field::Content => &mut self.content,
        }
    }
}

/// Reads a character of a value that is not of a field, up to the comma or bracket after it.
fn skipped(depth: usize, is_text: bool, is_escaped: bool, next: char) -> Place {
    let at = |depth, is_text, is_escaped| Place::Skip { depth, is_text, is_escaped };
    match (is_text, is_escaped, next) {
        (true, true, _) => at(depth, true, false),
        (true, false, '\\') => at(depth, true, true),
        (true, false, '"') => at(depth, false, false),
        (true, false, _) => at(depth, true, false),
        (false, _, '"') => at(depth, true, false),
        (false, _, '{' | '[') => at(depth + 1, false, false),
        (false, _, '}' | ']') if depth > 0 => at(depth - 1, false, false),
        (false, _, '}' | ']') => Place::Over,
        (false, _, ',') if depth == 0 => Place::Key,
        (false, _, _) => at(depth, false, false),
    }
}

impl Escape {
    /// Reads a character of a text, after its opening quote.
    fn read(&mut self, next: char) -> Piece {
        let before = std::mem::take(self);
        match before {
            Self::None => self.plain(None, next),
            Self::Backslash => self.escaped(None, next),
            Self::Digits { count, value, high } => self.digit(count, value, high, next),
            Self::High(_) if next != '\\' => self.plain(Some(char::REPLACEMENT_CHARACTER), next),
            Self::High(high) => {
                *self = Self::HighBackslash(high);
                Piece::Chars(None, None)
            }
            Self::HighBackslash(high) if next == 'u' => {
                *self = Self::Digits { count: 0, value: 0, high: Some(high) };
                Piece::Chars(None, None)
            }
            Self::HighBackslash(_) => self.escaped(Some(char::REPLACEMENT_CHARACTER), next),
        }
    }

    /// Reads a character outside of an escape; `before` comes first.
    fn plain(&mut self, before: Option<char>, next: char) -> Piece {
        match next {
            '"' => Piece::End(before),
            '\\' => {
                *self = Self::Backslash;
                Piece::Chars(before, None)
            }
            plain => Piece::Chars(before, Some(plain)),
        }
    }

    /// Reads the character after a backslash; `before` comes first.
    fn escaped(&mut self, before: Option<char>, next: char) -> Piece {
        let char = match next {
            '"' | '\\' | '/' => next,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                *self = Self::Digits { count: 0, value: 0, high: None };
                return Piece::Chars(before, None);
            }
            _ => return Piece::Broken,
        };
        Piece::Chars(before, Some(char))
    }

    fn digit(&mut self, count: u8, value: u32, high: Option<u32>, next: char) -> Piece {
        let Some(digit) = next.to_digit(16) else { return Piece::Broken };
        let value = value * 16 + digit;
        if count < 3 {
            *self = Self::Digits { count: count + 1, value, high };
            return Piece::Chars(None, None);
        }
        let replaced = high.map(|_| char::REPLACEMENT_CHARACTER);
        match (high, value) {
            (_, 0xD800..=0xDBFF) => {
                *self = Self::High(value);
                Piece::Chars(replaced, None)
            }
            (Some(high), 0xDC00..=0xDFFF) => {
                let pair = 0x10000 + ((high - 0xD800) << 10) + (value - 0xDC00);
                Piece::Chars(char::from_u32(pair), None)
            }
            (high, value) => {
                let char = char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER);
                Piece::Chars(high.map(|_| char::REPLACEMENT_CHARACTER), Some(char))
            }
        }
    }
}

#[cfg(test)]
#[path = "partial_report_tests.rs"]
mod tests;
