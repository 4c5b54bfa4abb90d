//! The words of a text as a search index keeps them, and as a query asks for them.
//!
//! Both engines index the same words, made here, so that they find the same. A word of a query finds
//! every word that begins with it. Case and accents are folded. Numbers, dates and addresses stay
//! whole: `2026-03-01` is one word, and so is what follows each sign in it, so that `03-01` finds it
//! as well. Chinese, Japanese and other signs that are written without spaces are words by themselves.

use std::collections::BTreeSet;
use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

use crate::fold::folded;

/// Units: characters. A longer word is cut, in texts and in queries alike.
const LONGEST: usize = 32;

/// Units: words. The most that a query asks for.
pub const MOST_WORDS: usize = 8;

/// A word of a text, in the parts between which it has signs.
#[derive(Debug, Default)]
struct Word {
    /// Where each part begins in the text, and its letters, folded.
    parts: Vec<(usize, String)>,
}

impl Word {
    /// The letters from a part to the end of the word.
    fn rest(&self, part: usize) -> String {
        let letters = self.parts[part..].iter().flat_map(|(_, letters)| letters.chars());
        letters.take(LONGEST).collect()
    }
}

/// What a character is to the words around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    /// A letter or a digit.
    Letter,
    /// A sign that is a word by itself.
    Alone,
    /// Counts as not there: it says only where a word may be broken or joined.
    Nothing,
    /// Anything else.
    Gap,
}

fn class(c: char) -> Class {
    match c {
        // Thai and Lao, Burmese, Khmer, kana, bopomofo and Chinese signs.
        '\u{0E00}'..='\u{0EFF}'
        | '\u{1000}'..='\u{109F}'
        | '\u{1780}'..='\u{17FF}'
        | '\u{3040}'..='\u{312F}'
        | '\u{31A0}'..='\u{31FF}'
        | '\u{3400}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{FF66}'..='\u{FF9F}'
        | '\u{20000}'..='\u{3FFFF}' => Class::Alone,
        '\u{AD}' | '\u{200C}' | '\u{200D}' | '\u{2060}' => Class::Nothing,
        c if c.is_alphanumeric() || is_combining_mark(c) => Class::Letter,
        _ => Class::Gap,
    }
}

/// Returns whether a word continues after the character between two letters or digits.
fn joins(before: char, between: &str, after: char) -> bool {
    let beside_digit = before.is_numeric() || after.is_numeric();
    !between.is_empty()
        && between.len() <= 3
        && between.chars().all(|c| match c {
            '.' | '/' | '@' | '_' | '&' | '=' | '?' | '#' | '%' | '+' | '~' | '\\' => true,
            ':' => beside_digit || between == "://",
            ',' | '-' | '\'' => beside_digit,
            _ => false,
        })
}

/// Splits a text into words, in the order of the text.
fn words(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    // The last letter or digit of the word that may go on, and where it ends.
    let mut last: Option<(char, usize)> = None;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        match class(c) {
            Class::Gap => {}
            Class::Nothing => {
                if let Some((_, last_end)) = &mut last
                    && *last_end == at
                {
                    *last_end = end;
                }
            }
            Class::Alone => {
                words.push(Word { parts: vec![(at, letters(c))] });
                last = None;
            }
            Class::Letter => {
                match last {
                    Some((_, last_end)) if last_end == at => {
                        let part = words.last_mut().and_then(|word| word.parts.last_mut());
                        part.expect("a letter was here").1.push_str(&letters(c));
                    }
                    Some((before, last_end)) if joins(before, &text[last_end..at], c) => {
                        let word = words.last_mut().expect("a letter was here");
                        word.parts.push((at, letters(c)));
                    }
                    Some(_) | None => words.push(Word { parts: vec![(at, letters(c))] }),
                }
                last = Some((c, end));
            }
        }
    }
    words
}

/// The letters and digits of a folded character. Folding may leave signs, which no word has.
fn letters(c: char) -> String {
    folded(c.encode_utf8(&mut [0; 4])).chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Returns the words of a text that an index keeps, each once, in order.
pub fn indexed(text: &str) -> BTreeSet<String> {
    let all = words(text).into_iter();
    let all = all.flat_map(|word| (0..word.parts.len()).map(move |part| word.rest(part)));
    all.filter(|word| !word.is_empty()).collect()
}

/// What a query asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordQuery {
    /// The words, each once, in the order of the query; never empty.
    words: Vec<String>,
}

impl WordQuery {
    /// Reads a query. Words beyond [`MOST_WORDS`] are left out. Returns `None` for a query without a
    /// letter or digit.
    pub fn of(query: &str) -> Option<Self> {
        let mut chosen: Vec<String> = Vec::new();
        for word in words(query) {
            let word = word.rest(0);
            if chosen.len() < MOST_WORDS && !word.is_empty() && !chosen.contains(&word) {
                chosen.push(word);
            }
        }
        (!chosen.is_empty()).then_some(Self { words: chosen })
    }

    /// Returns the beginnings of the words that a text must have, all of them.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Returns whether a text has all words of the query.
    pub fn is_in(&self, text: &str) -> bool {
        let words = indexed(text);
        let has = |prefix: &String| {
            words.range(prefix.clone()..).next().is_some_and(|word| word.starts_with(prefix))
        };
        self.words.iter().all(has)
    }

    /// Returns the stretch of a text around the first word of the query in it, of at most `most`
    /// bytes.
    pub fn around(&self, text: &str, most: usize) -> Range<usize> {
        if text.len() <= most {
            return 0..text.len();
        }
        let begins = |word: &Word| {
            let found = (0..word.parts.len()).find(|part| {
                let letters = word.rest(*part);
                self.words.iter().any(|prefix| letters.starts_with(prefix.as_str()))
            });
            found.map(|part| word.parts[part].0)
        };
        let found = words(text).iter().find_map(begins).unwrap_or(0);
        let begin = found.saturating_sub(most / 3).min(text.len() - most);
        let begin = text.floor_char_boundary(begin);
        // From the beginning of a word on, if one begins before what was found.
        let space = text[begin..found].char_indices().find(|(_, c)| c.is_whitespace());
        let begin = match space {
            Some((space, c)) if begin > 0 => begin + space + c.len_utf8(),
            Some(_) | None => begin,
        };
        begin..text.floor_char_boundary(begin + most)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let expected: BTreeSet<String> = expected.iter().map(|word| (*word).to_owned()).collect();
        assert_eq!(indexed(text), expected, "{text}");
    }

    #[test]
    fn words_are_folded_and_each_is_kept_once() {
        check("The Café, the CAFE\u{301} in der Straße.", &["the", "cafe", "in", "der", "strasse"]);
        check("follow-up, Anna's, soft\u{ad}ware", &["follow", "up", "anna", "s", "software"]);
        check("", &[]);
        check("… ?! \0 \u{1F42D}", &[]);
        check(&"ü".repeat(40), &[&"u".repeat(32)]);
    }

    #[test]
    fn signs_that_are_written_without_spaces_are_words_by_themselves() {
        check("明日の会議 at 9", &["明", "日", "の", "会", "議", "at", "9"]);
        check("ガス", &["カ", "ス"]);
    }

    #[test]
    fn numbers_dates_and_addresses_are_found_whole_and_from_each_sign_on() {
        check("2026-03-01", &["20260301", "0301", "01"]);
        check("140,50 EUR", &["14050", "50", "eur"]);
        check("at 9:30", &["at", "930", "30"]);
        check("anna@example.org", &["annaexampleorg", "exampleorg", "org"]);
        check("https://a.io/x?y=1", &["httpsaioxy1", "aioxy1", "ioxy1", "xy1", "y1", "1"]);
        check("DE-4711", &["de4711", "4711"]);
        check("one,two: three", &["one", "two", "three"]);
    }

    fn parsed(query: &str) -> WordQuery {
        WordQuery::of(query).expect("a query with a word")
    }

    fn found(query: &str, text: &str) -> bool {
        parsed(query).is_in(text)
    }

    #[test]
    fn a_query_finds_words_by_their_beginning() {
        let text =
            "On 2026-03-01 the movers' Lastwagen costs 1.140,50 EUR; see www.example.org/van";
        for query in
            ["LAST", "lastwägen", "mover 2026", "2026-03", "03-01", "140,50", "example.org"]
        {
            assert!(found(query, text), "{query}");
        }
        for query in ["wagen", "mover boxes", "2026-04", "2026-02-03", "xample.org"] {
            assert!(!found(query, text), "{query}");
        }
    }

    #[test]
    fn a_query_asks_for_a_few_words_once_each() {
        assert_eq!(parsed("Van van VÁN 2026-03-01").words(), ["van", "20260301"]);
        assert_eq!(WordQuery::of(" \0*\"'()-^: "), None);
        assert_eq!(parsed(&"a b c d e f g h i j ".repeat(500)).words().len(), MOST_WORDS);
        assert_eq!(parsed("NEAR(a OR b) NOT \"c\"*").words(), ["near", "a", "or", "b", "not", "c"]);
    }

    #[test]
    fn the_stretch_around_a_word_holds_it_and_begins_at_a_word() {
        let text = format!("{} the Café opens {}", "long ".repeat(100), "words ".repeat(100));
        let stretch = &text[parsed("cafe").around(&text, 60)];
        assert!(stretch.starts_with("long ") && stretch.contains("the Café opens"), "{stretch}");
        assert!(stretch.len() <= 60);
        assert_eq!(parsed("x").around("short", 60), 0..5);
        assert_eq!(parsed("nothing").around(&text, 4), 0..4);
    }

    proptest! {
        #[test]
        fn every_word_of_a_text_is_found_in_it(text in "\\PC{0,60}") {
            if let Some(query) = WordQuery::of(&text) {
                prop_assert!(query.is_in(&text), "{query:?}");
                let is_word = |word: &String| word.chars().all(char::is_alphanumeric);
                prop_assert!(query.words().iter().all(is_word), "{query:?}");
            }
            prop_assert!(indexed(&text).iter().all(|word| word.chars().count() <= LONGEST));
        }

        #[test]
        fn a_stretch_is_within_its_text_and_its_size(
            text in "\\PC{0,80}", word in "\\w{1,3}", most in 4usize..40
        ) {
            let Some(query) = WordQuery::of(&word) else { return Ok(()) };
            let stretch = query.around(&text, most);
            prop_assert!(text.get(stretch.clone()).is_some());
            prop_assert!(stretch.len() <= most);
        }
    }
}
