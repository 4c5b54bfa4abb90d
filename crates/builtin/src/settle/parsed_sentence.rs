//! A sentence, cut into clauses, and what they say about a thing.

use std::ops::Range;

use super::act::{
    actor_finishes, completes, does, does_everything, finishes_thing, gives, is_of_finisher, knows,
    sends_noun_of, takes,
};
use super::phrase::{
    Named, Word, clauses, find, holds, is_count, is_count_of, is_void, noun, pasts, same_stem,
    state, states, subject,
};
use super::title_terms::{TitleTerms, begins_upper};
use crate::lang::Lang;
use crate::propose::day::Reading;
use crate::propose::pattern;
use crate::propose::statement::Statement;
use crate::propose::words::{Class, Token};
use crate::read::Kind;
use crate::read::fold::stem;

/// A sentence that may settle something.
#[derive(Debug)]
pub struct ParsedSentence<'a> {
    /// The sentence.
    pub statement: &'a Statement<'a>,
    pub(super) words: Vec<Word<'a>>,
    pub(super) clauses: Vec<Range<usize>>,
    /// Whether it says that part is missing, or that the wrong thing came.
    pub(super) is_partial: bool,
    /// Whether it names a day or a time.
    pub(super) is_dated: bool,
}

/// Decides whether words name no other open work.
pub(super) type IsOnly<'a> = &'a dyn Fn(&[String]) -> bool;

/// Returns where a clause begins that takes something back in one case: "only if I want to".
fn proviso(tokens: &[Token], lang: &Lang) -> usize {
    let is_only = |at: &usize| {
        let is_stated = |at: usize, words: &[&str]| {
            tokens.get(at).is_some_and(|t| words.contains(&t.word.as_str()))
        };
        is_stated(*at, lang.settle.only)
            && lang.propose.conditions.iter().any(|phrase| is_stated(at + 1, &[*phrase]))
    };
    (1..tokens.len()).find(is_only).unwrap_or(tokens.len())
}

/// Returns whether a clause says that part of something is missing; "the rest of the rail is up" does not.
fn lacks(words: &[Word<'_>], lang: &Lang) -> bool {
    let is_rest_done = find(words, "rest of").is_some() && state(words, lang).is_some();
    let rest = lang.settle.rest.iter().copied().filter(|phrase| !is_rest_done || *phrase != "rest");
    holds(words, &rest.collect::<Vec<_>>())
}

impl<'a> ParsedSentence<'a> {
    /// Reads a sentence; `None` if it cannot settle anything.
    pub fn of(statement: &'a Statement<'a>, lang: &Lang) -> Option<Self> {
        let rules = lang.settle;
        let tokens = &statement.sentence.tokens;
        let is_text =
            matches!(statement.segment.kind, Kind::Sentence | Kind::Bullet | Kind::Numbered);
        if !is_text
            || tokens.is_empty()
            || statement.is_quoted
            || statement.is_question()
            || statement.is_sample(lang.propose)
            || pattern::holds(&tokens[..proviso(tokens, lang)], lang.propose.conditions)
            || crate::propose::item::is_work_heading(statement.segment, lang)
        {
            return None;
        }
        let words: Vec<Word<'_>> =
            tokens.iter().map(|token| Word { stem: stem(&token.word, lang), token }).collect();
        let clauses = clauses(&words, lang);
        let is_partial = pattern::holds(tokens, lang.propose.tick.failed)
            || clauses.iter().any(|clause| lacks(&words[clause.clone()], lang))
            || is_count(&words)
            || holds(&words, rules.harm) && !holds(&words, rules.shrug);
        let sentence = &statement.sentence;
        let is_dated = !sentence.days.is_empty()
            || tokens.windows(3).any(|w| {
                w[0].class == Class::Number && w[1].is(":") && w[2].class == Class::Number
            });
        Some(Self { statement, words, clauses, is_partial, is_dated })
    }

    /// Returns whether it shares a word with the work; most sentences do not.
    pub fn mentions(&self, terms: &TitleTerms, lang: &Lang) -> bool {
        let named = |word: &Word<'_>| {
            terms.words.iter().any(|own| same_stem(own, &word.stem))
                || word.is_in(lang.settle.everything)
        };
        self.words.iter().any(|word| named(word) || word.is_in(&terms.nouns))
    }

    /// Returns whether it says that exactly this work is done, or that this thing came.
    pub fn settles(&self, terms: &TitleTerms, is_only: IsOnly<'_>, lang: &Lang) -> bool {
        if self.is_partial || terms.thing.is_empty() {
            return false;
        }
        let names = |named: &Named| terms.is_named_by(named) && is_only(&named.words);
        self.clauses.iter().enumerate().any(|(n, clause)| {
            // "Hall: booked" says it of the hall.
            let label = n.checked_sub(1).filter(|_| self.follows_colon(clause.start));
            let label = label.map(|n| self.clauses[n].clone()).filter(|label| {
                label.start == 0
                    && label.len() <= 5
                    && !noun(&self.words[label.clone()], lang).words.is_empty()
            });
            let own = &self.words[clause.clone()];
            let says = label.is_some()
                && own.first().is_some_and(|w| {
                    w.is_in(lang.settle.adverbs)
                        || state(&own[..1], lang).is_some()
                        || w.token.word.ends_with("ed")
                });
            let from = label.filter(|_| says).map_or(clause.start, |label| label.start);
            let words = &self.words[from..clause.end];
            if is_void(words, terms, lang)
                || self.is_ahead(clause, lang)
                || self.names_another(clause, terms, lang)
            {
                return false;
            }
            if let Some(verb) = &terms.verb {
                return does_everything(words, verb, lang)
                    || self.does_it(words, verb, terms, is_only, lang)
                    || does(words, verb, &names, lang)
                    || is_of_finisher(verb, lang) && actor_finishes(words, &names, lang)
                    || self.does_all(terms, lang)
                    || self.hands_over(words, verb, terms, is_only, lang)
                    || sends_noun_of(words, verb, terms, lang) && is_only(&[stem(verb, lang)])
                    || lang.settle.tells.contains(&verb.as_str()) && knows(words, &names, lang)
                    || self.says_of_label(n, verb, &names, lang);
            }
            if terms.goal.is_some() {
                return self.reaches(n, terms, &names, lang);
            }
            // "Upload": a title of one word is a verb if its past form opens a clause.
            if let [word] = terms.words.as_slice()
                && terms.thing.len() == 1
                && self.does_alone(words, word, lang)
            {
                return is_only(&terms.words);
            }
            // "Hand back the key": a verb that no list knows is known by its past form.
            if let Some(opening) = terms.opening.as_ref().filter(|_| terms.thing.len() > 1) {
                let rest = TitleTerms { thing: terms.thing[1..].to_vec(), ..terms.clone() };
                let names = |named: &Named| rest.is_named_by(named) && is_only(&named.words);
                if does(words, opening, &names, lang) {
                    return true;
                }
            }
            // "Lead article: cut to 790, Hazel agrees, finished."
            let is_finish =
                own.iter().all(|w| w.is_in(lang.settle.closed) || w.is_in(lang.settle.adverbs));
            if n > 0 && is_finish && own.iter().any(|w| w.is_in(lang.settle.closed)) {
                let opens = self.clauses[0].clone();
                let is_label = self.words.get(opens.end).is_some_and(|w| w.is(":"));
                return is_label && names(&noun(&self.words[opens], lang));
            }
            let head = terms.head();
            let is_one_of = |list: &[&str]| list.iter().any(|word| stem(word, lang) == head);
            states(words, lang)
                .into_iter()
                .any(|at| self.states_thing(n, words, at, terms, is_only, lang))
                || takes(words, lang).is_some_and(|(verb, named)| {
                    let owed = is_one_of(lang.settle.owed) && !lang.settle.pays.contains(&verb);
                    !owed && names(&named)
                })
                || gives(words, lang).is_some_and(|named| names(&named))
                || actor_finishes(words, &names, lang)
                || completes(words, &names, lang)
                || {
                    let is_outgoing = is_one_of(lang.settle.outgoing);
                    let finishes = if is_outgoing { lang.settle.sends } else { lang.settle.makes };
                    let is_owed = is_one_of(lang.settle.owed) || is_one_of(lang.settle.held);
                    (is_outgoing || !is_owed) && finishes_thing(words, finishes, &names, lang)
                }
        })
    }

    /// Returns whether the state at `at` of a clause is said of this thing: "the roof is finished".
    fn states_thing(
        &self,
        n: usize,
        words: &[Word<'_>],
        at: usize,
        terms: &TitleTerms,
        is_only: IsOnly<'_>,
        lang: &Lang,
    ) -> bool {
        let clause = &self.clauses[n];
        let names = |named: &Named| terms.is_named_by(named) && is_only(&named.words);
        let before = n.checked_sub(1).map(|n| &self.words[self.clauses[n].clone()]);
        let head = terms.head();
        let is_one_of = |list: &[&str]| list.iter().any(|word| stem(word, lang) == head);
        let stated = words[at].token.word.as_str();
        // A fitting that is booked has not taken place; a bill that arrived is not paid.
        let held = is_one_of(lang.settle.held)
            && (self.is_dated || lang.settle.reserved.contains(&stated));
        // "The last forms came in" are not forms to fill in.
        let is_last = words[..at].iter().any(|w| w.is_in(lang.settle.last_of));
        let owed = is_one_of(lang.settle.owed)
            && lang.settle.comes.contains(&stated)
            && !(is_last && terms.is_plural);
        let crowded = stated == "full" && is_one_of(lang.settle.crowded);
        // A sofa that is online is not sold.
        let offered =
            lang.settle.published.contains(&stated) && !is_one_of(lang.settle.publishable);
        if held || owed || crowded || offered {
            return false;
        }
        // "Tax form filled in and submitted": the thing is before the first past form.
        let first = pasts(&words[..at], lang).into_iter().min().filter(|first| *first > 0);
        let with_first =
            || first.is_some_and(|first| names(&super::phrase::subject(&words[..first], lang)));
        // "Form filled in and submitted": the second clause says it of the same thing.
        let with_before = || {
            let joined =
                at == 0 && clause.start.checked_sub(1).is_some_and(|n| self.words[n].is("and"));
            let before = before.filter(|_| joined)?;
            let first = pasts(before, lang).into_iter().min()?;
            Some(names(&super::phrase::subject(&before[..first], lang)))
        };
        let subject = subject(&words[..at], lang);
        // "Interviews: all three done"
        let counts_all =
            subject.words.is_empty() || subject.is_all && is_count_of(&words[..at], lang);
        if counts_all {
            if with_before().unwrap_or(false) {
                return true;
            }
            return subject.is_all
                && self.follows_colon(clause.start)
                && before.is_some_and(|label| names(&noun(label, lang)));
        }
        let parts = words[..at].split(|w| w.is("and") || w.is("&") || w.is("plus") || w.is("+"));
        // "DKIM: key generated" is said of the DKIM key.
        let with_label = || {
            let label = self.label_of(n, lang)?;
            let words: Vec<String> =
                label.words.into_iter().chain(subject.words.iter().cloned()).collect();
            let is_whole = words.len() == terms.thing.len();
            Some(is_whole && names(&Named { words, ..subject.clone() }))
        };
        names(&subject)
            || with_first()
            || with_label().unwrap_or(false)
            || parts.into_iter().any(|part| names(&super::phrase::subject(part, lang)))
    }

    /// The label before a clause: "DKIM" in "DKIM: key generated".
    fn label_of(&self, n: usize, lang: &Lang) -> Option<Named> {
        let label = n.checked_sub(1).filter(|_| self.follows_colon(self.clauses[n].start))?;
        let range = self.clauses[label].clone();
        (range.start == 0).then(|| noun(&self.words[range], lang))
    }

    /// Returns whether a clause names another place or person than the title does: "the hotel in Paris" is
    /// not "a hotel in Rome".
    pub(super) fn names_another(
        &self,
        clause: &Range<usize>,
        terms: &TitleTerms,
        lang: &Lang,
    ) -> bool {
        let words = &self.words[clause.clone()];
        let is_stated = |name: &String| words.iter().any(|word| same_stem(&word.stem, name));
        if terms.names.is_empty() || terms.names.iter().any(is_stated) {
            return false;
        }
        let days = &self.statement.sentence.days;
        let is_day = |at: usize| days.range(..=at).any(|(_, mention)| at < mention.end);
        words.windows(2).enumerate().any(|(n, pair)| {
            pair[0].is_in(lang.settle.prepositions)
                && begins_upper(pair[1].token)
                && !is_day(clause.start + n + 1)
        })
    }

    /// Returns whether a clause is about a day to come: "is delivered on 3 December". What is booked for
    /// such a day is booked by now.
    fn is_ahead(&self, clause: &Range<usize>, lang: &Lang) -> bool {
        let words = &self.words[clause.clone()];
        let is_present = words.iter().any(|w| w.is("is") || w.is("are"));
        let days = self.statement.sentence.days.range(clause.clone());
        let mut days = days.filter_map(|(_, mention)| match mention.reading {
            Reading::Day(day) => Some(day),
            _ => None,
        });
        is_present && !holds(words, lang.settle.reserved) && days.any(|day| day > self.statement.on)
    }

    /// Returns whether the state that a title names is reached: "approved", "online since Friday".
    fn reaches(
        &self,
        n: usize,
        terms: &TitleTerms,
        names: &dyn Fn(&Named) -> bool,
        lang: &Lang,
    ) -> bool {
        let words = &self.words[self.clauses[n].clone()];
        let goal = terms.goal.unwrap_or_default();
        let Some(at) = words.iter().position(|word| word.is_in(goal)) else { return false };
        let named = subject(&words[..at], lang);
        if !named.words.is_empty() {
            return names(&named);
        }
        let bare = words[..at]
            .iter()
            .all(|w| w.is_in(lang.settle.auxiliaries) || w.is_in(lang.settle.adverbs));
        let state = &words[at].token.word;
        let others: Vec<&String> =
            terms.words.iter().filter(|word| **word != stem(state, lang)).collect();
        let names_all = others.iter().all(|word| self.words.iter().any(|w| w.stem == **word));
        // A state alone, in capitals or as the whole sentence, answers what the title asks.
        let is_alone = n == 0 && words.len() == 1 && words[at].token.capitals;
        bare && (names_all || is_alone && terms.words.contains(&stem(state, lang)))
    }

    pub(super) fn follows_colon(&self, at: usize) -> bool {
        at.checked_sub(1).is_some_and(|before| self.words[before].is(":"))
    }
}
