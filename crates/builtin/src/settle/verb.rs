//! Titles that begin with a verb, and sentences that say its past form in another way: with a pronoun, under
//! a label, alone.

use super::act::finishes_thing;
use super::parsed_sentence::{IsOnly, ParsedSentence};
use super::phrase::{Named, Word, is_past_of, is_void, noun, without_container};
use super::title_terms::{TitleTerms, is_number};
use crate::lang::Lang;
use crate::propose::words::Class;
use crate::read::fold::stem;

impl ParsedSentence<'_> {
    /// "Reran it without P07": returns whether a clause says the past form of a verb with a pronoun for its
    /// thing, and another word of the title.
    pub(super) fn does_it(
        &self,
        words: &[Word<'_>],
        verb: &str,
        terms: &TitleTerms,
        is_only: IsOnly<'_>,
        lang: &Lang,
    ) -> bool {
        let rules = lang.settle;
        let past = words.iter().position(|word| is_past_of(&word.token.word, verb, lang));
        past.is_some_and(|at| {
            let own = stem(verb, lang);
            let after = &words[at + 1..];
            words[..at].iter().all(|w| w.is_quiet(lang))
                && after.first().is_some_and(|w| w.is_in(rules.pronouns))
                && after.iter().any(|w| w.stem != own && terms.words.contains(&w.stem))
                && is_only(&[own])
        })
    }

    /// "Strip and check the frame": returns whether a sentence says the past forms of all verbs of a title,
    /// and names its thing.
    pub(super) fn does_all(&self, terms: &TitleTerms, lang: &Lang) -> bool {
        if self.is_partial || terms.verbs.len() < 2 {
            return false;
        }
        let does =
            |verb: &String| self.words.iter().any(|word| is_past_of(&word.token.word, verb, lang));
        let Some(head) = terms.thing.last() else { return false };
        !is_void(&self.words, terms, lang)
            && terms.verbs.iter().all(does)
            && self.words.iter().any(|word| word.stem == *head)
    }

    /// "Notice letter sent": returns whether a clause says that the document of a title such as "give notice"
    /// was sent.
    pub(super) fn hands_over(
        &self,
        words: &[Word<'_>],
        verb: &str,
        terms: &TitleTerms,
        is_only: IsOnly<'_>,
        lang: &Lang,
    ) -> bool {
        let rules = lang.settle;
        let head = terms.thing.last().map(String::as_str).unwrap_or_default();
        let is_outgoing = rules.outgoing.iter().any(|word| stem(word, lang) == head);
        let names = |named: &Named| {
            let named = without_container(named, lang);
            terms.is_named_by(&named) && is_only(&named.words)
        };
        rules.hands.contains(&verb)
            && is_outgoing
            && finishes_thing(words, rules.sends, &names, lang)
    }

    /// "Uploaded 16:40": returns whether the past form of a verb opens a clause, with nothing after it
    /// that could be another thing.
    pub(super) fn does_alone(&self, words: &[Word<'_>], verb: &str, lang: &Lang) -> bool {
        let rules = lang.settle;
        let past = words.iter().position(|word| {
            word.token.word.ends_with("ed") && word.stem == verb
                || is_past_of(&word.token.word, verb, lang)
        });
        past.is_some_and(|at| {
            words[..at].iter().all(|w| w.is_quiet(lang))
                && words.get(at + 1).is_none_or(|next| {
                    next.token.class != Class::Word
                        || next.is_in(rules.prepositions)
                        || next.is_in(rules.pronouns)
                        || next.is_in(rules.everything)
                        || next.is_in(rules.adverbs)
                })
        })
    }

    /// "Room: T2.14 booked every Tuesday": returns whether a clause says the past form of a verb under a
    /// label that names the thing.
    pub(super) fn says_of_label(
        &self,
        n: usize,
        verb: &str,
        names: &dyn Fn(&Named) -> bool,
        lang: &Lang,
    ) -> bool {
        let rules = lang.settle;
        let Some(label) = n.checked_sub(1).filter(|_| self.follows_colon(self.clauses[n].start))
        else {
            return false;
        };
        let words = &self.words[self.clauses[n].clone()];
        let past = words.iter().position(|word| is_past_of(&word.token.word, verb, lang));
        // "Hostels: two booked" counts some of them.
        past.is_some_and(|at| {
            let counts = |before: &Word<'_>| !before.token.glued && is_number(before.token, lang);
            at.checked_sub(1).is_none_or(|before| !counts(&words[before]))
                || words[..at].iter().any(|w| w.is_in(rules.last_of))
        }) && label == 0
            && names(&noun(&self.words[self.clauses[label].clone()], lang))
    }
}
