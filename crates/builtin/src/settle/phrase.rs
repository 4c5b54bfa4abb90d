//! What the words of a clause say: a thing, a state, an act.

use std::ops::Range;

use super::title_terms::{TitleTerms, carries, is_number, lemma};
use crate::lang::Lang;
use crate::propose::words::{Class, Token};
use crate::read::fold::stem;

/// A word with its stem.
#[derive(Debug)]
pub struct Word<'a> {
    /// The word as written.
    pub(super) token: &'a Token,
    /// Without its ending.
    pub(super) stem: String,
}

impl Word<'_> {
    /// Returns whether it is this word or sign.
    pub fn is(&self, word: &str) -> bool {
        self.token.word == word
    }

    /// Returns whether it is one of these words.
    pub(super) fn is_in(&self, words: &[&str]) -> bool {
        words.contains(&self.token.word.as_str())
    }

    /// Returns whether it names nothing that a verb could be about: "I", "finally", a number, a sign.
    pub(super) fn is_quiet(&self, lang: &Lang) -> bool {
        let rules = lang.settle;
        self.is_in(rules.selves) || self.is_in(rules.adverbs) || self.token.class != Class::Word
    }
}

/// The words of a thing that a clause names.
#[derive(Debug, Clone, Default)]
pub struct Named {
    /// Stems of the words that carry meaning.
    pub words: Vec<String>,
    /// Numbers after a word that distinguish it from others of its kind: "invoice 2027-118".
    pub marks: Vec<String>,
    /// Whether the last one looks like a plural.
    pub is_plural: bool,
    /// Whether it is said of all of them.
    pub is_all: bool,
}

/// Returns whether a phrase of several words occurs.
pub(super) fn holds(words: &[Word<'_>], phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| find(words, phrase).is_some())
}

/// Returns where a phrase begins, and the word after it.
pub(super) fn find(words: &[Word<'_>], phrase: &str) -> Option<(usize, usize)> {
    let n = phrase.split(' ').count();
    (0..(words.len() + 1).saturating_sub(n)).find_map(|at| {
        let fits = phrase.split(' ').zip(&words[at..]).all(|(part, word)| word.is(part));
        fits.then_some((at, at + n))
    })
}

/// Cuts a sentence at its marks and at words that begin a clause of their own; at "and" only after
/// a clause that has said something.
pub(super) fn clauses(words: &[Word<'_>], lang: &Lang) -> Vec<Range<usize>> {
    let rules = lang.settle;
    let mut found = Vec::new();
    let mut start = 0;
    for (at, word) in words.iter().enumerate() {
        let is_mark = word.token.class == Class::Mark
            && matches!(
                word.token.word.as_str(),
                "," | ";" | ":" | "(" | ")" | "!" | "." | "-" | "\u{2013}" | "\u{2014}" | "/"
            )
            && !(word.token.glued && words.get(at + 1).is_some_and(|next| next.token.glued))
            && !(word.is(".")
                && at > 0
                && lang.abbreviations.contains(&words[at - 1].token.word.as_str()));
        // "no night train then": at its end the word belongs to the clause.
        let is_last = words.get(at + 1).is_none_or(|next| next.token.class == Class::Mark);
        let is_word = word.is_in(rules.clauses) && !(word.is("then") && is_last)
            || word.is("and")
                && (state(&words[start..at], lang).is_some() || acts(&words[start..at], lang));
        if is_mark || is_word {
            if start < at {
                found.push(start..at);
            }
            start = at + 1;
        }
    }
    if start < words.len() {
        found.push(start..words.len());
    }
    found
}

pub(super) fn acts(words: &[Word<'_>], lang: &Lang) -> bool {
    let rules = lang.settle;
    words.iter().any(|w| w.is_in(rules.takes) || w.is_in(rules.acts) || w.is_in(rules.gives))
}

/// "7 of 12", "two of the three"
pub(super) fn is_count(words: &[Word<'_>]) -> bool {
    words.windows(3).any(|w| w[0].token.class == Class::Number && w[1].is("of"))
}

/// Returns whether a clause only wishes, denies or counts parts; words of the title itself do not.
pub(super) fn is_void(words: &[Word<'_>], terms: &TitleTerms, lang: &Lang) -> bool {
    let is_own = |phrase: &str| terms.words.contains(&stem(phrase, lang));
    // "Booked every Tuesday till February" is booked.
    let reserved = lang.settle.reserved.iter().filter_map(|phrase| find(words, phrase)).min();
    // "Handed in after the shift" is handed in.
    let stated = first_past(words, lang);
    let is_after = |phrase: &str| {
        let is_behind = |end: usize| find(&words[..end], phrase).is_none();
        lang.settle.recurring.contains(&phrase) && reserved.is_some_and(|(_, end)| is_behind(end))
            || lang.settle.temporal.contains(&phrase) && stated.is_some_and(is_behind)
    };
    let phrases: Vec<&str> = lang
        .settle
        .void
        .iter()
        .copied()
        .filter(|phrase| !is_own(phrase) && !is_after(phrase))
        .collect();
    holds(words, &phrases)
}

/// Returns where past forms begin in a clause.
pub(super) fn pasts(words: &[Word<'_>], lang: &Lang) -> Vec<usize> {
    let rules = lang.settle;
    let all = [rules.states, rules.acts, rules.sends, rules.makes];
    all.into_iter().flatten().filter_map(|phrase| find(words, phrase)).map(|(at, _)| at).collect()
}

/// Returns the word after the first past form of a clause.
fn first_past(words: &[Word<'_>], lang: &Lang) -> Option<usize> {
    let rules = lang.settle;
    let all = [rules.states, rules.takes, rules.acts, rules.sends, rules.makes];
    let phrases = all.into_iter().flatten();
    phrases.filter_map(|phrase| find(words, phrase)).map(|(_, end)| end).min()
}

/// Returns where a clause names its first state.
pub(super) fn state(words: &[Word<'_>], lang: &Lang) -> Option<usize> {
    states(words, lang).into_iter().min()
}

/// Returns where a clause names states: "signed copy came back" has two.
pub(super) fn states(words: &[Word<'_>], lang: &Lang) -> Vec<usize> {
    let rules = lang.settle;
    let stated = rules.states.iter().filter_map(|phrase| find(words, phrase)).map(|(at, _)| at);
    let after = rules.after_auxiliary.iter().filter_map(|phrase| {
        let (at, _) = find(words, phrase)?;
        let before = words[..at]
            .iter()
            .rev()
            .find(|w| !w.is_in(&["now", "finally", "all", "already", "both"]));
        before
            .is_some_and(|w| w.is_in(rules.auxiliaries) || w.token.word.ends_with("'s"))
            .then_some(at)
    });
    // "So boots complete"
    let whole = words.len().checked_sub(1).filter(|at| *at > 0 && words[*at].is("complete"));
    let ends = words.len().checked_sub(2).filter(|at| {
        words[at + 1].is_in(rules.at_end)
            && (words[*at].is_in(&["is", "are"]) || words[*at].token.word.ends_with("'s"))
    });
    stated.chain(after).chain(ends.map(|at| at + 1)).chain(whole).collect()
}

/// Returns the words of the thing before a state; none if it is not simply a thing.
pub(super) fn subject(words: &[Word<'_>], lang: &Lang) -> Named {
    let rules = lang.settle;
    let last = words.iter().rposition(|w| !w.is_in(rules.auxiliaries) && !w.is_in(rules.adverbs));
    let end = last.map_or(0, |at| at + 1);
    let is_all = words.iter().any(|w| w.is_in(&["all", "both"]));
    Named { is_all, ..noun(&words[..end], lang) }
}

/// Returns whether words only count: "all three".
pub(super) fn is_count_of(words: &[Word<'_>], lang: &Lang) -> bool {
    let rules = lang.settle;
    words.iter().all(|w| {
        w.is_in(rules.determiners)
            || w.is_in(rules.auxiliaries)
            || w.is_in(rules.adverbs)
            || is_number(w.token, lang)
            || w.token.class == Class::Mark
    })
}

/// Returns the words of the first thing in a clause.
pub(super) fn noun(words: &[Word<'_>], lang: &Lang) -> Named {
    let rules = lang.settle;
    let start = words
        .iter()
        .position(|w| {
            !(w.is_in(rules.determiners)
                || w.is_in(rules.adverbs)
                || w.is_in(rules.selves)
                || w.token.class == Class::Mark)
        })
        .unwrap_or(words.len());
    let rest = &words[start..];
    let end = rest.iter().position(|w| w.is_in(rules.prepositions)).unwrap_or(rest.len());
    // "the key this morning": what follows the thing is no part of it.
    let end = rest[..end]
        .iter()
        .skip(1)
        .position(|w| {
            // "16 A socket"
            let is_letter = w.token.raw.len() == 1 && w.token.raw.starts_with(char::is_uppercase);
            !w.is("and") && !is_letter && (w.is_in(rules.determiners) || w.is_in(rules.adverbs))
        })
        .map_or(end, |at| at + 1);
    // "The last three boxes" are all that there are.
    let is_last_count = |at: usize| {
        is_number(words[at].token, lang)
            && at.checked_sub(1).is_some_and(|before| words[before].is_in(rules.last_of))
    };
    let is_count = |n: &usize| is_last_count(start + n);
    let is_counted = (0..end).find(is_count);
    let inner = rest[..end]
        .iter()
        .enumerate()
        .filter(|(n, _)| Some(*n) != is_counted)
        .map(|(_, word)| word)
        .filter(|w| !w.is_in(rules.determiners) && !w.is_in(rules.joins));
    let is_all = is_counted.is_some() || words.iter().any(|w| w.is_in(&["all", "both"]));
    let mut named = Named { is_all, ..Named::default() };
    for word in inner {
        match word.token.class {
            Class::Mark
                if matches!(word.token.word.as_str(), "-" | "'" | "\"" | ":" | "+" | "&") => {}
            // Two things, or no simple one.
            Class::Mark | Class::Sealed => return Named::default(),
            Class::Word if word.token.word.chars().count() < 2 => {}
            Class::Word | Class::Number if !named.words.is_empty() && is_mark(&word.token.word) => {
                named.marks.push(word.stem.clone());
            }
            Class::Word | Class::Number => {
                if carries(word.token, lang) {
                    named.is_plural =
                        word.token.word.ends_with('s') && !word.token.word.ends_with("ss");
                    named.words.push(word.stem.clone());
                } else if !word.is_in(rules.auxiliaries) {
                    return Named::default();
                }
            }
        }
    }
    named
}

/// Returns whether a word is a number that distinguishes things: "2027-118", "t2.14", "q3307".
fn is_mark(word: &str) -> bool {
    let n_digits = word.chars().filter(char::is_ascii_digit).count();
    n_digits >= 3 || n_digits >= 1 && word.chars().any(|c| !c.is_ascii_digit())
}

/// Returns a thing without a last word that adds nothing: "notice letter".
pub(super) fn without_container(named: &Named, lang: &Lang) -> Named {
    let mut named = named.clone();
    let is_container =
        |word: &String| lang.settle.containers.iter().any(|one| stem(one, lang) == *word);
    if named.words.len() > 1 && named.words.last().is_some_and(is_container) {
        named.words.pop();
    }
    named
}

/// Returns the words of a thing without figures and units: "the 35 mm cartridge" is a cartridge.
pub(super) fn without_measures(words: Vec<String>, lang: &Lang) -> Vec<String> {
    let is_measure = |word: &String| {
        word.chars().all(|c| c.is_ascii_digit()) || lang.settle.units.contains(&word.as_str())
    };
    let kept: Vec<String> = words.iter().filter(|word| !is_measure(word)).cloned().collect();
    if kept.is_empty() { words } else { kept }
}

/// Returns whether a word is a past form of a verb.
pub(super) fn is_past_of(word: &str, verb: &str, lang: &Lang) -> bool {
    // "Cut the hedge" may be work as well: it needs a subject, which `propose::tick` looks for.
    let is_same = word == verb;
    let has_form = lang
        .propose
        .tick
        .irregular
        .iter()
        .any(|(base, forms)| *base == verb && forms.contains(&word));
    let is_regular = word.ends_with("ed");
    // "swap" and "swapped", "empty" and "emptied", of verbs that no list knows.
    let is_formed = || {
        let rest = word.strip_suffix("ed").unwrap_or_default();
        rest == verb
            || format!("{rest}e") == verb
            || rest.strip_suffix('i').is_some_and(|rest| format!("{rest}y") == verb)
            || rest.strip_prefix(verb).is_some_and(|last| last.len() == 1 && verb.ends_with(last))
    };
    let is_known = lemma(word, lang).as_deref() == Some(verb);
    !is_same && (has_form || is_regular && (is_known || verb.len() > 2 && is_formed()))
}

/// Returns whether the words end with the last word of a thing and have no others than it.
pub(super) fn ends_like(thing: &[String], named: &[String]) -> bool {
    !named.is_empty() && named.iter().all(|word| thing.iter().any(|own| same_stem(own, word)))
}

/// Returns whether two stems are forms of one word: "approval" and "approved".
pub fn same_stem(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    if one.as_bytes().first() != other.as_bytes().first() {
        return false;
    }
    let shared = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    shared >= 6 && shared + 3 >= one.chars().count().max(other.chars().count())
}
