//! A sentence as words with their positions, so that a match can be quoted as written.

use crate::read::fold::fold;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Letters, with apostrophes inside.
    Word,
    /// Digits only.
    Number,
    /// One sign.
    Mark,
    /// Text that no rule may read as speech: a quotation, code, an address, struck-out text.
    Sealed,
}

/// A word, number or sign of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Without case, accents and typographic variants.
    pub word: String,
    /// As written.
    pub raw: String,
    pub class: Class,
    /// Units: bytes from the start of the sentence.
    pub start: usize,
    /// Units: bytes from the start of the sentence, exclusive.
    pub end: usize,
    /// Whether it follows the previous token without white space.
    pub glued: bool,
    /// Whether its letters are all capitals.
    pub capitals: bool,
}

impl Token {
    /// Returns whether it is the given sign or word.
    pub fn is(&self, word: &str) -> bool {
        self.class != Class::Sealed && self.word == word
    }

    /// Returns its value if it is a number of at most four digits.
    pub fn number(&self) -> Option<i16> {
        if self.class == Class::Number && self.end - self.start <= 4 {
            self.word.parse().ok()
        } else {
            None
        }
    }
}

/// Splits a sentence into tokens. Emphasis marks produce no token.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::new();
    let mut at = 0;
    let mut last_end = None;
    while let Some(c) = text[at..].chars().next() {
        if c.is_whitespace() || is_dress(text, at, c) {
            // Emphasis does not separate the text around it.
            if !c.is_whitespace() && last_end == Some(at) {
                last_end = Some(at + c.len_utf8());
            }
            at += c.len_utf8();
            continue;
        }
        let (class, len) = next(&text[at..], c, found.last().map(|token| token.class));
        let end = at + len;
        let raw = &text[at..end];
        let folded = fold(raw);
        found.push(Token {
            word: if folded.is_empty() { raw.to_owned() } else { folded },
            raw: raw.to_owned(),
            class,
            start: at,
            end,
            glued: last_end == Some(at),
            capitals: class == Class::Word && raw.chars().all(|c| !c.is_lowercase()),
        });
        at = end;
        last_end = Some(end);
    }
    found
}

/// Returns whether a character is emphasis or invisible.
fn is_dress(text: &str, at: usize, c: char) -> bool {
    match c {
        '*' => true,
        '_' => {
            let before = text[..at].chars().next_back();
            let after = text[at + 1..].chars().next();
            !(before.is_some_and(char::is_alphanumeric) && after.is_some_and(char::is_alphanumeric))
        }
        c => dormouse_types::address::is_unseen(c),
    }
}

/// Returns the class and byte length of the token at the start of `rest`; the length is never 0.
fn next(rest: &str, c: char, before: Option<Class>) -> (Class, usize) {
    if let Some(len) = sealed(rest, c, before) {
        return (Class::Sealed, len);
    }
    if c.is_ascii_digit() {
        let len = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        return (Class::Number, len);
    }
    if c.is_alphabetic() {
        let mut len = 0;
        let mut chars = rest.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let inner = matches!(c, '\'' | '’')
                && chars.peek().is_some_and(|(_, next)| next.is_alphabetic());
            if !c.is_alphabetic() && !inner && !dormouse_types::address::is_unseen(c) && !is_mark(c)
            {
                break;
            }
            len = at + c.len_utf8();
        }
        return (Class::Word, len);
    }
    (Class::Mark, c.len_utf8())
}

/// Returns whether a character belongs to the letter before it.
fn is_mark(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c)
}

/// Returns the length of text that must not be read as speech.
fn sealed(rest: &str, c: char, before: Option<Class>) -> Option<usize> {
    let closed_by =
        |open: usize, close: &str| rest[open..].find(close).map(|at| open + at + close.len());
    match c {
        '`' => {
            let ticks = rest.len() - rest.trim_start_matches('`').len();
            closed_by(ticks, &rest[..ticks])
        }
        '~' if rest.starts_with("~~") => closed_by(2, "~~"),
        // An unclosed quotation extends to the end.
        '“' | '„' | '«' | '"' => {
            // Inches and seconds.
            if c == '"' && before == Some(Class::Number) {
                return None;
            }
            let open = c.len_utf8();
            let close =
                rest[open..].char_indices().find(|(_, c)| matches!(c, '”' | '“' | '»' | '"'));
            Some(close.map_or(rest.len(), |(at, c)| open + at + c.len_utf8()))
        }
        '(' if before == Some(Class::Mark) => {
            // The address after the words of a link.
            let inside = &rest[1..];
            let looks_like_address = ["http://", "https://", "mailto:", "#", "/", "./", "../"]
                .iter()
                .any(|p| inside.starts_with(p));
            if looks_like_address { closed_by(1, ")") } else { None }
        }
        '<' => {
            // An address in angle brackets has neither white space nor another bracket, so that a text of brackets
            // is looked at once.
            let ends = |c: char| matches!(c, '<' | '>') || c.is_whitespace();
            let end = 1 + rest[1..].find(ends)?;
            rest[end..].starts_with('>').then_some(end + 1)
        }
        _ => {
            let is_address = ["http://", "https://", "www."]
                .iter()
                .any(|p| rest.get(..p.len()).is_some_and(|start| start.eq_ignore_ascii_case(p)));
            is_address.then(|| {
                rest.find(|c: char| c.is_whitespace() || c == '>' || c == ')').unwrap_or(rest.len())
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        tokens(text)
            .into_iter()
            .map(|t| if t.class == Class::Sealed { "_".into() } else { t.word })
            .collect()
    }

    #[test]
    fn an_address_in_angle_brackets_is_sealed_and_an_open_bracket_is_not() {
        assert_eq!(words("see <https://a.example/x> now"), ["see", "_", "now"]);
        assert_eq!(words("<<a@b.example>"), ["<", "_"]);
        assert_eq!(words("<a <b"), ["<", "a", "<", "b"]);
    }

    #[test]
    fn speech_of_others_code_and_addresses_are_sealed() {
        for (text, expected) in [
            ("He said “it is due Friday” twice", vec!["he", "said", "_", "twice"]),
            ("Run `due Friday` **now**", vec!["run", "_", "now"]),
            (
                "See [the plan](https://a.example/due) ok",
                vec!["see", "[", "the", "plan", "]", "_", "ok"],
            ),
            ("~~due Friday~~ can't", vec!["_", "can't"]),
            ("at https://a.example/x.", vec!["at", "_"]),
            ("2026-03-20", vec!["2026", "-", "03", "-", "20"]),
            ("\"open", vec!["_"]),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
    }

    #[test]
    fn places_are_those_of_the_text() {
        let text = "Dès **mars** 3";
        let pieces: Vec<_> = tokens(text).iter().map(|t| &text[t.start..t.end]).collect();
        assert_eq!(pieces, ["Dès", "mars", "3"]);
    }
}
