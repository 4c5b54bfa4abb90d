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
}

/// The words of a thing that a clause names.
#[derive(Debug, Clone, Default)]
pub struct Named {
    /// Stems of the words that carry meaning.
    pub words: Vec<String>,
    /// Numbers behind a word that tell it from others of its kind: "invoice 2027-118".
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
            && !(word.token.glued && words.get(at + 1).is_some_and(|next| next.token.glued));
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
    let said = first_past(words, lang);
    let is_after = |phrase: &str| {
        let is_behind = |end: usize| find(&words[..end], phrase).is_none();
        lang.settle.recurring.contains(&phrase) && reserved.is_some_and(|(_, end)| is_behind(end))
            || lang.settle.temporal.contains(&phrase) && said.is_some_and(is_behind)
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
    let said = rules.states.iter().filter_map(|phrase| find(words, phrase)).map(|(at, _)| at);
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
    let ends = words.len().checked_sub(2).filter(|at| {
        words[at + 1].is_in(rules.at_end)
            && (words[*at].is_in(&["is", "are"]) || words[*at].token.word.ends_with("'s"))
    });
    said.chain(after).chain(ends.map(|at| at + 1)).collect()
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
        .position(|w| !w.is("and") && (w.is_in(rules.determiners) || w.is_in(rules.adverbs)))
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

/// Returns whether a word is a number that things are told apart by: "2027-118", "t2.14", "q3307".
fn is_mark(word: &str) -> bool {
    let n_digits = word.chars().filter(char::is_ascii_digit).count();
    n_digits >= 3 || n_digits >= 1 && word.chars().any(|c| !c.is_ascii_digit())
}

/// Returns whether a clause says that a noun of a verb was sent: "sent the cancellation" cancels.
pub(super) fn sends_noun_of(
    words: &[Word<'_>],
    verb: &str,
    terms: &TitleTerms,
    lang: &Lang,
) -> bool {
    let rules = lang.settle;
    let nouns = rules.nouns.iter().filter(|(of, _)| *of == verb).flat_map(|(_, nouns)| *nouns);
    let Some(at) = nouns.filter_map(|noun| find(words, noun)).map(|(at, _)| at).min() else {
        return false;
    };
    // "The cancellation of the gym" ends no lease.
    let about = words[at + 1..].iter().position(|w| w.is_in(&["of", "for", "to"]));
    let is_own =
        about.is_none_or(|about| terms.has_all(&noun(&words[at + 2 + about..], lang).words));
    let is_quiet = |w: &Word<'_>| {
        w.is_in(rules.selves)
            || w.is_in(rules.adverbs)
            || w.is_in(rules.determiners)
            || w.is_in(rules.auxiliaries)
            || w.token.class != Class::Word
    };
    let sent = rules.sends.iter().filter_map(|phrase| find(words, phrase)).min();
    is_own
        && sent.is_some_and(|(from, to)| {
            let between = if to <= at { &words[to..at] } else { &words[at + 1..from] };
            words[..from.min(at)].iter().all(is_quiet) && between.iter().all(is_quiet)
        })
}

/// "HR knows", "Marcus was told": returns whether a clause says so of a thing.
pub(super) fn knows(words: &[Word<'_>], names: &dyn Fn(&Named) -> bool, lang: &Lang) -> bool {
    let said = lang.settle.knows.iter().filter_map(|phrase| find(words, phrase)).min();
    said.is_some_and(|(at, end)| {
        // "Marcus knows a plumber" is about somebody else.
        let ends = words.get(end).is_none_or(|next| {
            next.is_in(&["about", "now", "that", "already"]) || next.token.class == Class::Mark
        });
        ends && names(&subject(&words[..at], lang))
    })
}

/// "Wrote the entry", "the entry is written", "quote sent": returns whether a clause says one of these
/// past forms of a thing.
pub(super) fn finishes_thing(
    words: &[Word<'_>],
    pasts: &[&str],
    names: &dyn Fn(&Named) -> bool,
    lang: &Lang,
) -> bool {
    let rules = lang.settle;
    let is_quiet = |w: &Word<'_>| {
        w.is_in(rules.selves)
            || w.is_in(rules.adverbs)
            || w.is("have")
            || w.token.class != Class::Word
    };
    let mut said: Vec<(usize, usize)> =
        pasts.iter().filter_map(|phrase| find(words, phrase)).collect();
    said.sort_unstable();
    said.first().is_some_and(|(at, end)| {
        let before = &words[..*at];
        if before.iter().all(is_quiet) {
            names(&noun(&words[*end..], lang))
        } else {
            names(&subject(before, lang))
        }
    })
}

/// Returns the words of a thing without figures and units: "the 35 mm cartridge" is a cartridge.
pub(super) fn without_measures(words: Vec<String>, lang: &Lang) -> Vec<String> {
    let is_measure = |word: &String| {
        word.chars().all(|c| c.is_ascii_digit()) || lang.settle.units.contains(&word.as_str())
    };
    let kept: Vec<String> = words.iter().filter(|word| !is_measure(word)).cloned().collect();
    if kept.is_empty() { words } else { kept }
}

/// Returns whether a word is the form of a verb that ends in "-ing".
fn is_ongoing(word: &str, verb: &str) -> bool {
    let Some(rest) = word.strip_suffix("ing") else { return false };
    rest == verb
        || format!("{rest}e") == verb
        || rest.strip_prefix(verb).is_some_and(|last| last.len() == 1 && verb.ends_with(last))
}

/// "Not selling the piano after all", "decided not to sell the piano": returns whether a clause says
/// that a thing will not be done.
pub(super) fn will_not(
    words: &[Word<'_>],
    verb: &str,
    names: &dyn Fn(&Named) -> bool,
    lang: &Lang,
) -> bool {
    let rules = lang.settle;
    let ongoing = rules.not_doing.iter().filter_map(|phrase| {
        let (_, end) = find(words, phrase)?;
        words.get(end).is_some_and(|w| is_ongoing(&w.token.word, verb)).then_some(end + 1)
    });
    let base = rules.not_to.iter().filter_map(|phrase| {
        let (_, end) = find(words, phrase)?;
        words.get(end).is_some_and(|w| w.is(verb)).then_some(end + 1)
    });
    ongoing.chain(base).any(|from| {
        let after = &words[from..];
        let ends = rules.no_after.iter().filter_map(|phrase| find(after, phrase)).map(|(at, _)| at);
        let end = ends.min().unwrap_or(after.len());
        // "Not selling it to him" says only to whom.
        let is_whole = !after[..end].iter().any(|w| {
            w.is_in(rules.prepositions) || w.is_in(rules.void) || w.is_in(&["today", "now", "week"])
        });
        is_whole && names(&noun(&after[..end], lang))
    })
}

/// "The licence doesn't have to be changed": returns whether a clause says so of a thing.
pub(super) fn is_unnecessary(
    words: &[Word<'_>],
    names: &dyn Fn(&Named) -> bool,
    lang: &Lang,
) -> bool {
    let rules = lang.settle;
    rules.not_necessary.iter().filter_map(|phrase| find(words, phrase)).any(|(at, end)| {
        // "Doesn't have to be perfect", "doesn't have to be done today"
        let is_past = matches!(&words[end..], [past] if past.token.word.ends_with("ed")
            || past.is_in(rules.acts) || past.is_in(rules.states));
        is_past && names(&subject(&words[..at], lang))
    })
}

/// "Bought both passes": returns what was bought.
pub(super) fn takes<'w>(words: &[Word<'w>], lang: &Lang) -> Option<(&'w str, Named)> {
    let rules = lang.settle;
    let active = rules.states.iter().filter(|phrase| !rules.happens.contains(phrase));
    let phrases = rules.takes.iter().chain(active);
    let (at, end) = phrases.filter_map(|phrase| find(words, phrase)).min()?;
    let by_self = words[..at].iter().all(|w| {
        w.is_in(rules.selves)
            || w.is_in(rules.adverbs)
            || w.is("have")
            || w.token.class != Class::Word
    });
    by_self.then(|| (words[at].token.word.as_str(), noun(&words[end..], lang)))
}

/// "She wrote us a referral": returns what was given.
pub(super) fn gives(words: &[Word<'_>], lang: &Lang) -> Option<Named> {
    let rules = lang.settle;
    let at = words
        .windows(2)
        .position(|pair| pair[0].is_in(rules.gives) && pair[1].is_in(rules.receivers))?;
    let object = &words[at + 2..];
    let has_determiner = object.first().is_some_and(|w| w.is_in(rules.determiners));
    let named = noun(object, lang);
    // Words of manner follow the thing: "a referral straight away".
    has_determiner.then(|| Named { words: named.words.into_iter().take(1).collect(), ..named })
}

/// "Handed back the key", "the key is handed back"; of things to be got: "the key arrived".
pub(super) fn does(
    words: &[Word<'_>],
    verb: &str,
    names: &dyn Fn(&Named) -> bool,
    lang: &Lang,
) -> bool {
    let rules = lang.settle;
    let is_past = |at: usize| is_past_of(&words[at].token.word, verb, lang);
    let is_self = |w: &Word<'_>| {
        w.is_in(rules.selves)
            || w.is_in(rules.adverbs)
            || w.is("have")
            || w.token.class != Class::Word
    };
    let own = (0..words.len()).filter(|at| is_past(*at)).map(|at| (at, at + 1));
    let groups = rules.same.iter().filter(|(verbs, _)| verbs.contains(&verb));
    let same = groups.flat_map(|(_, pasts)| *pasts).filter_map(|past| find(words, past));
    let said = own.chain(same).any(|(at, end)| {
        let before = &words[..at];
        let after = &words[end..];
        let is_small =
            |w: &&Word<'_>| w.is_in(rules.small) || verb == "get" && (w.is("rid") || w.is("of"));
        let n_small = after.iter().take_while(is_small).count();
        if before.iter().all(is_self) {
            return names(&noun(&after[n_small..], lang));
        }
        // Without an auxiliary the thing could be the actor: "the bank called".
        let is_passive =
            words[..end].iter().any(|w| w.is_in(&["is", "are", "was", "were", "been"]));
        (is_passive || !rules.contacts.contains(&verb))
            && names(&subject(before, lang))
            && after
                .get(n_small)
                .is_none_or(|next| !carries(next.token, lang) || next.token.class == Class::Number)
            // "The car has gone to the garage"
            && (!words[end - 1].is("gone") || after.is_empty())
    });
    let is_got = rules.gets.contains(&verb)
        && (takes(words, lang).is_some_and(|(_, named)| names(&named))
            || state(words, lang).is_some_and(|at| {
                rules.comes.contains(&words[at].token.word.as_str())
                    && names(&subject(&words[..at], lang))
            }));
    said || is_got
}

/// "Uploaded everything"
pub(super) fn does_everything(words: &[Word<'_>], verb: &str, lang: &Lang) -> bool {
    let rules = lang.settle;
    words.windows(2).enumerate().any(|(at, pair)| {
        let by_self = words[..at].iter().all(|w| w.is_in(rules.selves) || w.is_in(rules.adverbs));
        by_self
            && is_past_of(&pair[0].token.word, verb, lang)
            && pair[1].is_in(rules.everything)
            && words
                .get(at + 2)
                .is_none_or(|next| !carries(next.token, lang) || next.token.class == Class::Number)
    })
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
