//! The words of an instruction, and the phrases that are found among them.

use std::ops::Range;

use crate::read::fold::fold;

/// A word of an instruction.
#[derive(Debug, Clone)]
pub(super) struct Token {
    /// Folded.
    pub word: String,
    /// Where it is. Units: bytes.
    pub bytes: Range<usize>,
    /// The number of its sentence.
    pub sentence: usize,
    /// The number of its part of a sentence; marks such as commas separate them.
    pub part: usize,
}

/// The same words with contractions written out: "what's" as two words in one place.
pub(super) fn written_out(
    tokens: Vec<Token>,
    contractions: &[(&'static str, &'static str)],
) -> Vec<Token> {
    let mut all = Vec::with_capacity(tokens.len());
    for token in tokens {
        match contractions.iter().find(|(short, _)| *short == token.word) {
            Some((_, long)) => all.extend(
                long.split(' ').map(|word| Token { word: word.to_owned(), ..token.clone() }),
            ),
            None => all.push(token),
        }
    }
    all
}

/// Splits a text into words. What is between quotes is one sentence whatever marks it has.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let (mut sentence, mut part) = (0, 0);
    let mut start = None;
    let mut quoted = false;
    let mut before = ' ';
    let mut chars = text.char_indices().peekable();
    let mut push = |start: &mut Option<usize>, end: usize, sentence: usize, part: usize| {
        if let Some(from) = start.take() {
            let word = fold(&text[from..end]);
            if !word.is_empty() {
                tokens.push(Token { word, bytes: from..end, sentence, part });
            }
        }
    };
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map_or(' ', |(_, next)| *next);
        let is_inner = matches!(c, '\'' | '’' | '.' | ':')
            && before.is_alphanumeric()
            && next.is_alphanumeric();
        if c.is_alphanumeric() || is_inner {
            start.get_or_insert(at);
        } else {
            push(&mut start, at, sentence, part);
            let is_end = matches!(c, ';' | '!' | '?' | '\n')
                || c == '.' && !next.is_alphanumeric() && !before.is_ascii_digit();
            if is_quote(c) {
                quoted = !quoted;
            } else if is_end && !quoted {
                sentence += 1;
                part += 1;
            } else if is_soft(c, before, next) {
                part += 1;
            }
        }
        before = c;
    }
    push(&mut start, text.len(), sentence, part);
    tokens
}

/// Whether a sign is one of quotation.
pub(super) fn is_quote(c: char) -> bool {
    matches!(c, '"' | '“' | '”' | '„' | '‟' | '«' | '»')
}

fn is_soft(c: char, before: char, next: char) -> bool {
    match c {
        ',' | ':' | '(' | ')' | '–' | '—' => true,
        '-' => before.is_whitespace() && next.is_whitespace(),
        _ => false,
    }
}

/// What a phrase held besides its words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Caught {
    /// How many words it has.
    pub len: usize,
    /// The number in it.
    pub n: Option<u16>,
    /// The unit in it. Units: days; 0 is an hour.
    pub unit: Option<u16>,
}

impl Caught {
    /// The length of time in it. Units: days, at least 1.
    pub(super) fn days(self) -> Option<u16> {
        let n = self.n?;
        Some(match self.unit? {
            0 => n.div_ceil(24),
            days => n.saturating_mul(days),
        })
    }
}

/// Numbers and units of a language.
#[derive(Clone, Copy)]
pub(super) struct Values {
    pub numbers: &'static [(&'static str, u16)],
    pub units: &'static [(&'static str, u16)],
}

/// Matches a phrase at the beginning of some words: the longest way it fits.
pub(super) fn matches(phrase: &str, words: &[&str], values: Values) -> Option<Caught> {
    let parts: Vec<&str> = phrase.split(' ').collect();
    fit(&parts, words, values, Caught::default())
}

fn fit(parts: &[&str], words: &[&str], values: Values, caught: Caught) -> Option<Caught> {
    let Some((part, rest)) = parts.split_first() else {
        return (caught.len > 0).then_some(caught);
    };
    let (forms, is_optional) = match part.strip_suffix('?') {
        Some(forms) => (forms, true),
        None => (*part, false),
    };
    let here = words.get(caught.len).and_then(|word| {
        let mut more = Caught { len: caught.len + 1, ..caught };
        let fits = forms.split('/').any(|form| match form {
            "N" => {
                more.n = number(word, values);
                more.n.is_some()
            }
            "UNIT" => {
                more.unit = values.units.iter().find(|(it, _)| it == word).map(|(_, days)| *days);
                more.unit.is_some()
            }
            form => form == *word,
        });
        fits.then_some(more)
    });
    let taken = here.and_then(|more| fit(rest, words, values, more));
    taken.or_else(|| if is_optional { fit(rest, words, values, caught) } else { None })
}

fn number(word: &str, values: Values) -> Option<u16> {
    let written = values.numbers.iter().find(|(it, _)| *it == word).map(|(_, n)| *n);
    written.or_else(|| word.parse().ok()).filter(|n| *n > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUES: Values =
        Values { numbers: &[("two", 2), ("a", 1)], units: &[("weeks", 7), ("hours", 0)] };

    fn caught(phrase: &str, text: &str) -> Option<Caught> {
        let words: Vec<&str> = text.split(' ').collect();
        matches(phrase, &words, VALUES)
    }

    #[test]
    fn a_phrase_may_have_words_that_are_missing_and_words_to_choose_from() {
        let of = |text| caught("who/whom i? wait for?", text).map(|it| it.len);
        assert_eq!(of("whom i wait for now"), Some(4));
        assert_eq!(of("who wait"), Some(2));
        assert_eq!(of("i wait for"), None);
    }

    #[test]
    fn a_length_of_time_is_counted_in_days() {
        let days = |text| caught("N UNIT", text).and_then(Caught::days);
        assert_eq!(days("two weeks"), Some(14));
        assert_eq!(days("48 hours"), Some(2));
        assert_eq!(days("0 weeks"), None);
        assert_eq!(days("many weeks"), None);
    }

    #[test]
    fn sentences_and_parts_are_distinguished() {
        let of = |text: &str| -> Vec<(String, usize, usize)> {
            let all = tokens(text).into_iter();
            all.map(|token| (token.word, token.sentence, token.part)).collect()
        };
        let expected = [("at", 0, 0), ("7.30", 0, 0), ("due", 0, 1), ("stop", 1, 2)];
        let expected = expected.map(|(word, sentence, part)| (word.to_owned(), sentence, part));
        assert_eq!(of("At 7.30: due. Stop"), expected);
    }
}
