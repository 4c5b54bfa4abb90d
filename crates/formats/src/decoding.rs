//! The bytes of a file as text.
//!
//! UTF-8 is the rule, and UTF-16 is certain if a byte order mark says so. What is neither is read as Windows-1252
//! only where nothing speaks against it, and that is said; everything else is refused, because a
//! wrong letter in a list is found by nobody.

use std::borrow::Cow;

/// The text of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Decoded<'a> {
    pub text: Cow<'a, str>,
    /// Whether it was read as Windows-1252, which the bytes do not say themselves.
    pub is_guess: bool,
}

/// Why bytes are no text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Undecoded {
    /// Units: bytes from the start, of the first that is not UTF-8.
    NotUtf8(usize),
    /// They begin with the mark of UTF-16 and are none.
    NotUtf16,
}

/// Decodes a file.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded<'_>, Undecoded> {
    match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Decoded { text: Cow::Borrowed(text), is_guess: false }),
            Err(_) if is_windows_1252(bytes) => {
                let text: String = bytes.iter().map(|&byte| windows_1252(byte)).collect();
                Ok(Decoded { text: Cow::Owned(text), is_guess: true })
            }
            Err(error) => Err(Undecoded::NotUtf8(error.valid_up_to())),
        },
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<Decoded<'static>, Undecoded> {
    let (pairs, []) = bytes.as_chunks::<2>() else { return Err(Undecoded::NotUtf16) };
    let text: Result<String, _> =
        char::decode_utf16(pairs.iter().map(|pair| unit(*pair))).collect();
    match text {
        Ok(text) => Ok(Decoded { text: Cow::Owned(text), is_guess: false }),
        Err(_) => Err(Undecoded::NotUtf16),
    }
}

/// What Windows-1252 has from 0x80 to 0x9f; a NUL where it has nothing.
const HIGH: [char; 32] = [
    '€', '\0', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\0', 'Ž', '\0', '\0', '‘',
    '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\0', 'ž', 'Ÿ',
];

/// Signs that stand in the middle of words too, or between two.
const JOINING: &[char] = &['’', '‘', '“', '”', '–', '—', '·', '\u{a0}', '\u{ad}', '…'];

fn windows_1252(byte: u8) -> char {
    match byte {
        0x80..=0x9f => HIGH[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

/// Whether bytes that are not UTF-8 are text in a Western European language. Text in other encodings has runs of
/// high bytes (Cyrillic, Greek, Japanese), or signs in the middle of words where it has letters (Polish,
/// Czech). Bytes that are UTF-8 in one place are broken UTF-8.
fn is_windows_1252(bytes: &[u8]) -> bool {
    let mut has_letter = false;
    let (mut run, mut before) = (0, ' ');
    for (at, &byte) in bytes.iter().enumerate() {
        let sign = windows_1252(byte);
        if sign == '\0' || sign.is_ascii_control() && !matches!(sign, '\t' | '\n' | '\r' | '\x0c') {
            return false;
        }
        if byte < 0x80 {
            (run, before) = (0, sign);
            continue;
        }
        let after = bytes.get(at + 1).map_or(' ', |&byte| windows_1252(byte));
        run += 1;
        let is_letter = sign.is_alphabetic() && !matches!(sign, 'ª' | 'º' | 'µ' | 'ƒ');
        let is_of_word =
            |c: char| !c.is_ascii() && !JOINING.contains(&c) || c.is_ascii_alphabetic();
        let is_within = is_of_word(before) && is_of_word(after);
        if run > 2
            || is_within && !is_letter && !JOINING.contains(&sign)
            || is_utf8_at(&bytes[at..])
        {
            return false;
        }
        let is_in_word = before.is_ascii_alphabetic() || after.is_ascii_alphabetic();
        has_letter |= is_letter && is_in_word;
        before = sign;
    }
    has_letter
}

/// Whether bytes begin with a character of UTF-8 that has several.
fn is_utf8_at(bytes: &[u8]) -> bool {
    let length = match bytes.first() {
        Some(0xc2..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..=0xf4) => 4,
        _ => return false,
    };
    bytes.get(..length).is_some_and(|bytes| std::str::from_utf8(bytes).is_ok())
}
