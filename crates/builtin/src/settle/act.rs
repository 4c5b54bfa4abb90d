//! What a clause says is done, was given, or will not be done.

use super::phrase::{Named, Word, find, is_past_of, noun, state, subject};
use super::title_terms::{TitleTerms, carries};
use crate::lang::Lang;
use crate::propose::words::Class;

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
    let is_quiet =
        |w: &Word<'_>| w.is_quiet(lang) || w.is_in(rules.determiners) || w.is_in(rules.auxiliaries);
    let sent = rules.sends.iter().filter_map(|phrase| find(words, phrase)).min();
    is_own
        && sent.is_some_and(|(from, to)| {
            let between = if to <= at { &words[to..at] } else { &words[at + 1..from] };
            words[..from.min(at)].iter().all(is_quiet) && between.iter().all(is_quiet)
        })
}

/// "HR knows", "Marcus was told": returns whether a clause says so of a thing.
pub(super) fn knows(words: &[Word<'_>], names: &dyn Fn(&Named) -> bool, lang: &Lang) -> bool {
    let stated = lang.settle.knows.iter().filter_map(|phrase| find(words, phrase)).min();
    stated.is_some_and(|(at, end)| {
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
    let is_quiet = |w: &Word<'_>| w.is_quiet(lang) || w.is("have");
    let mut stated: Vec<(usize, usize)> =
        pasts.iter().filter_map(|phrase| find(words, phrase)).collect();
    stated.sort_unstable();
    stated.first().is_some_and(|(at, end)| {
        let before = &words[..*at];
        if before.iter().all(is_quiet) {
            names(&noun(&words[*end..], lang))
        } else {
            names(&subject(before, lang))
        }
    })
}

/// "My brother repaired the gutter": returns whether a clause says of a thing that anybody finished it.
pub(super) fn actor_finishes(
    words: &[Word<'_>],
    names: &dyn Fn(&Named) -> bool,
    lang: &Lang,
) -> bool {
    let past = words.iter().position(|word| word.is_in(lang.settle.finishers));
    past.is_some_and(|at| {
        let is_passive = at > 0 && words[at - 1].is_in(lang.settle.auxiliaries);
        let thing = words[at + 1..].first();
        // "Repaired his gutter" is about another one.
        let is_definite =
            thing.is_some_and(|w| w.is_in(lang.settle.determiners) && !w.is("a") && !w.is("an"));
        !is_passive && is_definite && names(&noun(&words[at + 1..], lang))
    })
}

/// Returns whether a verb is one of work that is done no matter who did it.
pub(super) fn is_of_finisher(verb: &str, lang: &Lang) -> bool {
    lang.settle.finishers.iter().any(|past| is_past_of(past, verb, lang))
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
    let stated = own.chain(same).any(|(at, end)| {
        let before = &words[..at];
        let after = &words[end..];
        let is_small =
            |w: &&Word<'_>| w.is_in(rules.small) || verb == "get" && (w.is("rid") || w.is("of"));
        let n_small = after.iter().take_while(is_small).count();
        let counts = before.iter().any(|w| w.token.class == Class::Number);
        if before.iter().all(is_self) && !(counts && after.is_empty()) {
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
    stated || is_got
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

/// "That completes the quotes", "so that's all the addresses": returns whether a clause says so of a thing.
pub(super) fn completes(words: &[Word<'_>], names: &dyn Fn(&Named) -> bool, lang: &Lang) -> bool {
    let found = lang.settle.completes.iter().filter_map(|phrase| find(words, phrase)).min();
    found.is_some_and(|(_, end)| names(&noun(&words[end..], lang)))
}
