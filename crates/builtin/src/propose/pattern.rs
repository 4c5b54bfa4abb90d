//! Sentence patterns, so that a language is data.
//!
//! A pattern is a sequence of elements separated by blanks. It is matched against the tokens of a
//! sentence from a place where a statement can begin, and every token up to its end must match an
//! element. A sentence that no pattern covers is not understood, so nothing is proposed from it.
//!
//! | element | matches |
//! |---|---|
//! | `word` | this word or sign; `wor%` any word with this prefix; `a/b` either |
//! | `~class` | a phrase of the language's class; `~one+two` of either; `~title` a word of the title |
//! | `x?` `x*` | at most one; any number |
//! | `<day>` `<other>` | the day that counts; another day |
//! | `<span>` `<spans>` | the length of time that counts; another one |
//! | `<any>` | up to four words that neither negate nor cast doubt |
//! | `<mark>` `<rest>` | where the captured words begin; all words to the end of the sentence |
//! | `<end>` | the end of the clause |
//! | `^` | first element only: at the start of the sentence |

use std::collections::BTreeMap;
use std::ops::Range;

use jiff::civil::Date;

use super::day::{self, Reading};
use super::duration;
use super::words::{Class, Token};

/// A compiled pattern.
#[derive(Debug, Clone)]
pub struct Pattern {
    at_start: bool,
    elements: Vec<Element>,
}

#[derive(Debug, Clone)]
struct Element {
    what: What,
    optional: bool,
    many: bool,
}

#[derive(Debug, Clone)]
enum What {
    Phrases { phrases: Vec<Vec<String>>, title: bool },
    Day,
    OtherDay,
    Span,
    OtherSpan,
    Any,
    Mark,
    Rest,
    End,
}

/// The named classes of phrases of a language.
pub type Classes = &'static [(&'static str, &'static [&'static str])];

impl Pattern {
    /// Compiles a pattern. A class that the language does not define has no phrases.
    pub fn of(text: &str, classes: Classes) -> Self {
        let mut at_start = false;
        let mut elements = Vec::new();
        for piece in text.split_whitespace() {
            if piece == "^" {
                at_start = true;
                continue;
            }
            let (body, optional, many) = match piece.as_bytes() {
                [_, .., b'?'] => (&piece[..piece.len() - 1], true, false),
                [_, .., b'*'] => (&piece[..piece.len() - 1], true, true),
                _ => (piece, false, false),
            };
            let what = match body {
                "<day>" => What::Day,
                "<other>" => What::OtherDay,
                "<span>" => What::Span,
                "<spans>" => What::OtherSpan,
                "<any>" => What::Any,
                "<mark>" => What::Mark,
                "<rest>" => What::Rest,
                "<end>" => What::End,
                _ => phrases(body, classes),
            };
            elements.push(Element { what, optional, many });
        }
        Self { at_start, elements }
    }
}

fn phrases(body: &str, classes: Classes) -> What {
    let split = |phrase: &str| phrase.split(' ').map(str::to_owned).collect::<Vec<_>>();
    match body.strip_prefix('~') {
        Some(names) => {
            let names: Vec<&str> = names.split('+').collect();
            let mut phrases: Vec<Vec<String>> = classes
                .iter()
                .filter(|(name, _)| names.contains(name))
                .flat_map(|(_, phrases)| phrases.iter().map(|phrase| split(phrase)))
                .collect();
            // Longest first: "has to" before "has".
            phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
            What::Phrases { phrases, title: names.contains(&"title") }
        }
        None if body.len() > 1 => {
            What::Phrases { phrases: body.split('/').map(split).collect(), title: false }
        }
        None => What::Phrases { phrases: vec![vec![body.to_owned()]], title: false },
    }
}

/// A sentence, prepared for matching.
#[derive(Debug)]
pub struct Sentence {
    pub tokens: Vec<Token>,
    /// Whether a token is a content word of the task's title.
    pub in_title: Vec<bool>,
    /// Whether a token starts another statement: "and", "but".
    pub joints: Vec<bool>,
    /// Whether a token negates or casts doubt.
    pub unsure: Vec<bool>,
    pub days: BTreeMap<usize, day::Mention>,
    /// Its lengths of time.
    pub spans: BTreeMap<usize, duration::Mention>,
    /// Where a statement can begin: at the start of the sentence.
    pub opens: Vec<usize>,
    /// Where a statement can begin: after a comma or an "and".
    pub starts: Vec<usize>,
}

/// What a pattern matched.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Match {
    /// The tokens it covers.
    pub tokens: Range<usize>,
    /// The day that counts.
    pub day: Option<Date>,
    /// The other day.
    pub other: Option<Date>,
    /// The length of time that counts. Units: minutes.
    pub minutes: Option<u32>,
    /// The tokens of the captured words.
    pub rest: Option<Range<usize>>,
    /// Where the captured words begin that are not part of the pattern itself.
    pub rest_from: usize,
}

impl Pattern {
    /// Matches the pattern against a sentence; the first position that fits counts.
    pub fn find(&self, sentence: &Sentence) -> Option<Match> {
        if !self.elements.iter().all(|element| element.can_stand_in(sentence)) {
            return None;
        }
        let later = if self.at_start { &[] } else { sentence.starts.as_slice() };
        sentence.opens.iter().chain(later).find_map(|start| {
            let mut found = Match { tokens: *start..*start, ..Match::default() };
            let mut failed = vec![false; (self.elements.len() + 1) * (sentence.tokens.len() + 1)];
            let end = self.walk(sentence, 0, *start, &mut failed, &mut found)?;
            found.tokens.end = end;
            Some(found)
        })
    }

    /// Matches the elements from `n` to the tokens from `at`. `failed` remembers dead ends, so the
    /// work is at most elements times tokens.
    fn walk(
        &self,
        sentence: &Sentence,
        n: usize,
        at: usize,
        failed: &mut [bool],
        found: &mut Match,
    ) -> Option<usize> {
        let Some(element) = self.elements.get(n) else { return Some(at) };
        let key = n * (sentence.tokens.len() + 1) + at;
        if failed[key] {
            return None;
        }
        for end in element.what.ends(sentence, at) {
            if end == at && element.many {
                continue;
            }
            let before = found.clone();
            element.what.capture(sentence, at, end, found);
            let after = if element.many {
                self.walk(sentence, n, end, failed, found)
            } else {
                self.walk(sentence, n + 1, end, failed, found)
            };
            if after.is_some() {
                return after;
            }
            *found = before;
        }
        if element.optional
            && let Some(end) = self.walk(sentence, n + 1, at, failed, found)
        {
            return Some(end);
        }
        failed[key] = true;
        None
    }
}

impl Element {
    /// Returns whether the element can occur anywhere in a sentence: most sentences lack what a
    /// pattern needs.
    fn can_stand_in(&self, sentence: &Sentence) -> bool {
        match &self.what {
            _ if self.optional => true,
            What::Day | What::OtherDay => !sentence.days.is_empty(),
            What::Span | What::OtherSpan => !sentence.spans.is_empty(),
            What::Phrases { phrases, title } => {
                *title
                    || phrases.iter().any(|phrase| {
                        sentence
                            .tokens
                            .iter()
                            .any(|token| phrase.first().is_some_and(|word| fits(token, word)))
                    })
            }
            What::Any | What::Mark | What::Rest | What::End => true,
        }
    }
}

impl What {
    /// Returns where the element may end if it begins at `at`.
    fn ends(&self, sentence: &Sentence, at: usize) -> Vec<usize> {
        let tokens = &sentence.tokens;
        match self {
            Self::Phrases { phrases, title } => {
                let mut ends: Vec<usize> =
                    phrases.iter().filter_map(|phrase| phrase_end(tokens, at, phrase)).collect();
                if *title && sentence.in_title.get(at) == Some(&true) {
                    ends.push(at + 1);
                }
                ends.dedup();
                ends
            }
            Self::Day => {
                let day = sentence.days.get(&at).filter(|m| matches!(m.reading, Reading::Day(_)));
                day.map(|m| m.end).into_iter().collect()
            }
            Self::OtherDay => sentence.days.get(&at).map(|m| m.end).into_iter().collect(),
            Self::Span => {
                let span = sentence.spans.get(&at).filter(|m| m.minutes.is_some());
                span.map(|m| m.end).into_iter().collect()
            }
            Self::OtherSpan => sentence.spans.get(&at).map(|m| m.end).into_iter().collect(),
            Self::Any => {
                let words = (at..tokens.len().min(at + 4))
                    .take_while(|n| tokens[*n].class == Class::Word && !sentence.unsure[*n])
                    .count();
                (1..=words).map(|n| at + n).collect()
            }
            Self::Mark => vec![at],
            Self::Rest => {
                let has_word = tokens[at..].iter().any(|t| t.class != Class::Mark);
                if has_word { vec![tokens.len()] } else { Vec::new() }
            }
            Self::End => {
                if ends_clause(tokens, at) || sentence.joints.get(at) == Some(&true) {
                    vec![at]
                } else {
                    Vec::new()
                }
            }
        }
    }

    fn capture(&self, sentence: &Sentence, at: usize, end: usize, found: &mut Match) {
        match self {
            Self::Day => {
                if let Some(day::Mention { reading: Reading::Day(date), .. }) =
                    sentence.days.get(&at)
                {
                    found.day = Some(*date);
                }
            }
            Self::OtherDay => {
                if let Some(day::Mention { reading: Reading::Day(date), .. }) =
                    sentence.days.get(&at)
                {
                    found.other = Some(*date);
                }
            }
            Self::Span => found.minutes = sentence.spans.get(&at).and_then(|m| m.minutes),
            Self::Mark => found.rest = Some(at..at),
            Self::Rest => {
                let start = found.rest.as_ref().map_or(at, |rest| rest.start);
                found.rest = Some(start..end);
                found.rest_from = at;
            }
            Self::Phrases { .. } | Self::OtherSpan | Self::Any | Self::End => {}
        }
    }
}

fn phrase_end(tokens: &[Token], at: usize, phrase: &[String]) -> Option<usize> {
    for (n, word) in phrase.iter().enumerate() {
        if !fits(tokens.get(at + n)?, word) {
            return None;
        }
    }
    Some(at + phrase.len())
}

fn fits(token: &Token, word: &str) -> bool {
    let same = match word.strip_suffix('%') {
        Some(start) if !start.is_empty() => token.word.starts_with(start),
        _ => token.word == word,
    };
    same && token.class != Class::Sealed
}

/// Returns whether a phrase of the list occurs among the tokens.
pub fn holds(tokens: &[Token], phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| {
        let phrase: Vec<String> = phrase.split(' ').map(str::to_owned).collect();
        (0..tokens.len()).any(|at| phrase_end(tokens, at, &phrase).is_some())
    })
}

/// Returns whether a clause ends before a token.
pub fn ends_clause(tokens: &[Token], at: usize) -> bool {
    let Some(token) = tokens.get(at) else { return true };
    if token.class != Class::Mark {
        return false;
    }
    match token.word.as_str() {
        "." | "!" | "?" | "," | ";" | "(" | ")" | "]" | "|" | "…" | "..." => {
            // "3.5" does not end here.
            !(token.glued
                && tokens.get(at + 1).is_some_and(|next| next.glued && next.class == Class::Number))
        }
        "-" => !token.glued || tokens.get(at + 1).is_none_or(|next| !next.glued),
        // Emoji and other decoration.
        sign => sign.chars().all(|c| !c.is_ascii()),
    }
}
