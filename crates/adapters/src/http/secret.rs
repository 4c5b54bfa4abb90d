//! A key that is never shown.

use std::fmt;

/// A key of a provider.
///
/// Shape: 1 to 4096 visible ASCII characters, so that it fits into a header as it is.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

/// Replaces the text of a secret wherever it would be shown.
pub const NOT_SHOWN: &str = "(not shown)";

/// Units: bytes. Longer than the longest key in use, a signed token.
const MAX_BYTES: usize = 4096;

/// What people copy together with a key; no key begins or ends with one of them.
const QUOTES: &[char] = &['"', '\'', '`', '“', '”', '„', '‘', '’', '«', '»'];

/// Units: bytes. A shorter key may stand in a text by chance.
const MIN_DISTINCT: usize = 8;

/// A text that cannot be a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SecretError {
    /// There is nothing in it.
    #[error("the key is empty: paste the key that the provider gave you")]
    Empty,
    /// It is longer than any key.
    #[error("the key has more than {MAX_BYTES} bytes: paste the key alone, without text around it")]
    TooLong,
    /// There are quotation marks around it.
    #[error("the key has quotation marks around it: give it without them")]
    Quoted,
    /// It has a line break, a space or a character that a header cannot carry.
    #[error(
        "the key contains a line break, a space or a character outside ASCII: paste it again \
         without them"
    )]
    Character,
}

impl Secret {
    /// Takes the text of a key.
    ///
    /// Errors: the text is empty, too long, quoted, or cannot stand in a header. It is not repeated.
    pub fn new(text: impl Into<String>) -> Result<Self, SecretError> {
        let text = text.into();
        if text.is_empty() {
            return Err(SecretError::Empty);
        }
        if text.len() > MAX_BYTES {
            return Err(SecretError::TooLong);
        }
        if QUOTES.iter().any(|quote| text.starts_with(*quote) || text.ends_with(*quote)) {
            return Err(SecretError::Quoted);
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(SecretError::Character);
        }
        Ok(Self(text))
    }

    /// The text of the key, for the header that carries it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether a text repeats this key. A key of a few characters may stand in a text by chance: it repeats that only
    /// if it is nothing else.
    pub fn is_in(&self, text: &str) -> bool {
        text == self.0 || self.0.len() >= MIN_DISTINCT && text.contains(&self.0)
    }

    /// `text` without this key: a provider may repeat it in a message.
    pub fn hide_in(&self, text: &str) -> String {
        text.replace(&self.0, NOT_SHOWN)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(NOT_SHOWN)
    }
}
