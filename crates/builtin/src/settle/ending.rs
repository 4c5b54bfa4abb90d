//! What ends without being finished: work that is dropped, waiting that has ended, lines of notes that later
//! notes settle.

use super::act::{does, finishes_thing, is_unnecessary, knows, takes, will_not};
use super::parsed_sentence::{IsOnly, ParsedSentence};
use super::phrase::{
    Named, Word, ends_like, find, holds, is_past_of, is_void, noun, same_stem, state, subject,
    without_container, without_measures,
};
use super::title_terms::{TitleTerms, carries};
use crate::lang::Lang;
use crate::propose::words::Class;
use crate::read::fold::stem;

impl ParsedSentence<'_> {
    /// Returns whether it says that this work is not wanted any more.
    pub fn drops(&self, terms: &TitleTerms, is_only: IsOnly<'_>, lang: &Lang) -> bool {
        let rules = lang.settle;
        if terms.thing.is_empty() || self.is_dated && holds(&self.words, &["new", "instead of"]) {
            return false;
        }
        let names = |named: &Named| terms.is_named_by(named) && is_only(&named.words);
        let is_head = |named: &Named| {
            let last = named.words.last();
            last.is_none_or(|word| Some(word) == terms.thing.last())
        };
        self.clauses.iter().enumerate().any(|(n, clause)| {
            let words = &self.words[clause.clone()];
            // "Flyers: no need for paper ones any more"
            let label = n.checked_sub(1).filter(|_| self.follows_colon(clause.start));
            let is_labelled = label.is_some_and(|label| {
                label == 0 && names(&noun(&self.words[self.clauses[label].clone()], lang))
            });
            let of_label = |phrase: &&str| {
                find(words, phrase).is_some_and(|(at, end)| {
                    // "Window notice: the council says not required"
                    let is_stated = at <= 4 && holds(&words[..at], rules.speaks);
                    (at == 0 || is_stated) && is_head(&noun(&words[end..], lang))
                })
            };
            if is_labelled
                && (rules.dropped_before.iter().any(of_label)
                    || rules.dropped_after.iter().any(of_label)
                    || words.iter().take(2).map(|w| w.token.word.as_str()).eq(["no", "need"]))
            {
                return true;
            }
            let only_verb = match terms.words.as_slice() {
                [word] => Some(word.as_str()),
                _ => None,
            };
            let is_needless =
                rules.nothing_to.iter().filter_map(|phrase| find(words, phrase)).any(|(_, end)| {
                    let is_own = |w: &Word<'_>| only_verb.is_some_and(|verb| w.stem == verb);
                    words.len() == end + 1 && words.get(end).is_some_and(is_own)
                });
            if is_needless {
                return true;
            }
            let is_off =
                terms.verb.as_ref().is_some_and(|verb| will_not(words, verb, &names, lang));
            if is_off || is_unnecessary(words, &names, lang) {
                return true;
            }
            let after = |phrase: &&str| {
                find(words, phrase).is_some_and(|(at, end)| {
                    let opens = words[..at].iter().all(|w| {
                        w.is_in(rules.selves)
                            || w.is_in(rules.adverbs)
                            || w.token.class != Class::Word
                    });
                    opens && names(&noun(&words[end..], lang))
                })
            };
            let before = |phrase: &&str| {
                find(words, phrase).is_some_and(|(at, _)| names(&subject(&words[..at], lang)))
            };
            // "Customer rang: no respray"
            let so = clause.start.checked_sub(1).is_some_and(|at| self.words[at].is("so"));
            let spoken = so
                || n.checked_sub(1).is_some_and(|before| {
                    holds(&self.words[self.clauses[before].clone()], rules.speaks)
                });
            if spoken
                && words.first().is_some_and(|w| w.is("no"))
                && words.len() <= 4
                && !holds(words, &["yet", "news", "word", "answer"])
                && names(&noun(&words[1..], lang))
            {
                return true;
            }
            let none = words.iter().position(|w| w.is("no")).is_some_and(|at| {
                words[..at].iter().all(|w| w.is_in(rules.adverbs))
                    && rules.no_after.iter().any(|phrase| {
                        find(&words[at..], phrase).is_some_and(|(end, _)| {
                            let stated = &words[at + 1..at + end];
                            let named = noun(stated, lang);
                            // "No paper copies needed"
                            let is_further = stated.iter().any(|w| w.is_in(rules.further));
                            let last = named.words.iter().rev().take(1).cloned().collect();
                            let last = Named { words: last, ..named.clone() };
                            names(&named) || named.words.len() == 2 && !is_further && names(&last)
                        })
                    })
            });
            rules.dropped_before.iter().any(after) || rules.dropped_after.iter().any(before) || none
        })
    }

    /// Returns whether it ends work or waiting that a note names: its verb with its thing, its thing
    /// in a state, or an answer.
    pub fn ends(&self, terms: &TitleTerms, is_only: IsOnly<'_>, lang: &Lang) -> bool {
        let rules = lang.settle;
        self.clauses.iter().any(|clause| {
            let words = &self.words[clause.clone()];
            let has = |stem: &String| words.iter().any(|w| same_stem(&w.stem, stem));
            if has_another_number(words, terms) {
                return false;
            }
            let is_contact =
                terms.verb.as_ref().is_some_and(|verb| rules.contacts.contains(&verb.as_str()));
            let answers = holds(words, rules.replies) && !holds(words, lang.report.cues.not);
            if is_contact && answers && terms.thing.last().is_some_and(has) && is_only(&terms.thing)
            {
                return true;
            }
            if is_void(words, terms, lang) || self.names_another(clause, terms, lang) {
                return false;
            }
            // "The dealer gave 240" answers who was to be asked.
            let acts_now = words.iter().position(|w| carries(w.token, lang)).is_some_and(|at| {
                terms.thing.last() == Some(&words[at].stem)
                    && words.get(at + 1).is_some_and(|w| {
                        w.is_in(rules.acts) || w.is_in(rules.closes) || w.is_in(rules.gives)
                    })
            });
            if is_contact && acts_now && is_only(&terms.thing) {
                return true;
            }
            if let Some(awaited) = &terms.awaited {
                return !self.is_partial && self.comes(words, awaited, lang);
            }
            let is_thing = |named: &Named| {
                let words = &without_container(named, lang).words;
                ends_like(&terms.thing, words) && is_only(words)
            };
            if let Some(verb) = &terms.verb
                && !self.is_partial
                && does(words, verb, &is_thing, lang)
            {
                return true;
            }
            let head = terms.thing.last().map(String::as_str).unwrap_or_default();
            let is_outgoing = rules.outgoing.iter().any(|word| stem(word, lang) == head);
            if is_outgoing && finishes_thing(words, rules.sends, &is_thing, lang) {
                return true;
            }
            // "TTL now 300" lowers "the TTL to 300".
            let is_value = |number: &String| is_set_to(words, number, lang);
            if terms.verb.is_some()
                && terms.thing.first().is_some_and(has)
                && terms.numbers.iter().any(is_value)
            {
                return true;
            }
            let must_inform =
                terms.verb.as_ref().is_some_and(|verb| rules.tells.contains(&verb.as_str()));
            if must_inform
                && knows(words, &|named: &Named| ends_like(&terms.thing, &named.words), lang)
            {
                return true;
            }
            let acts = words
                .iter()
                .any(|w| w.is_in(rules.states) || w.is_in(rules.takes) || w.is_in(rules.acts));
            if let Some(verb) = &terms.verb {
                let is_past = words.iter().any(|w| is_past_of(&w.token.word, verb, lang));
                let own = stem(verb, lang);
                let is_other = |word: &&String| **word != own && !terms.numbers.contains(word);
                if is_past && terms.words.iter().filter(is_other).all(has) {
                    return true;
                }
            }
            let act = words.iter().position(|w| w.is_in(rules.acts) || w.is_in(rules.takes));
            let does_it = act.is_some_and(|at| {
                let object = noun(&words[at + 1..], lang);
                terms.is_named_by(&object) && is_only(&object.words)
            });
            if does_it {
                return true;
            }
            let n_named = terms.words.iter().filter(|word| has(word)).count();
            let verb = terms.verb.as_ref().map(|verb| stem(verb, lang));
            let objects = terms.words.iter().filter(|word| Some(*word) != verb.as_ref());
            if acts
                && n_named >= 2
                && (objects.clone().all(has)
                    || terms.thing.len() >= 2 && terms.thing.iter().all(has))
            {
                return true;
            }
            if is_turned(words, terms, lang) {
                return true;
            }
            state(words, lang).is_some_and(|at| {
                let named = subject(&words[..at], lang).words;
                ends_like(&terms.thing, &named) && is_only(&named) && !self.is_partial
            })
        })
    }

    /// Returns whether a clause says that what was awaited came.
    fn comes(&self, words: &[Word<'_>], awaited: &[String], lang: &Lang) -> bool {
        let rules = lang.settle;
        let is_awaited = |word: &Word<'_>| awaited.iter().any(|one| same_stem(one, &word.stem));
        if rules.at_last.iter().any(|phrase| {
            find(words, phrase).is_some_and(|(at, _)| at > 0 && is_awaited(&words[at - 1]))
        }) {
            return true;
        }
        // "The heritage permit is here" ends waiting for the heritage office.
        let arrives = state(words, lang).is_some_and(|at| {
            let named = subject(&words[..at], lang).words;
            rules.comes.contains(&words[at].token.word.as_str())
                && awaited.len() >= 2
                && named.len() >= 2
                && named.first() == awaited.first()
        });
        if arrives {
            return true;
        }
        // "Parcel from Thorn"
        let from = words.windows(2).position(|w| w[0].is_in(rules.parcels) && w[1].is("from"));
        if from.is_some_and(|at| words[at + 2..].iter().any(is_awaited)) {
            return true;
        }
        // "He rang" ends waiting for his call.
        let rings = rules.comings.iter().any(|(things, pasts)| {
            let is_thing = |word: &String| things.iter().any(|thing| stem(thing, lang) == *word);
            awaited.iter().any(is_thing) && holds(words, pasts)
        });
        if rings {
            return true;
        }
        // "Hoster closed the ticket", "Pieter: fine by me"
        if let [.., first] = awaited
            && words.first().is_some_and(|word| word.stem == *first)
        {
            let acts = words.get(1).is_some_and(|word| {
                word.is_in(rules.acts) || word.is_in(rules.states) || word.is_in(rules.closes)
            });
            let speaks = words.len() == 1 && self.words.get(1).is_some_and(|w| w.is(":"));
            if acts || speaks && !holds(&self.words, rules.void) {
                return true;
            }
        }
        // "Legal signed off", "approved"
        let heads = words.iter().filter(|word| is_awaited(word)).count();
        if let Some(at) = state(words, lang) {
            let named = without_measures(subject(&words[..at], lang).words, lang);
            if ends_like(awaited, &named) || named.is_empty() && is_awaited(&words[at]) {
                return true;
            }
        }
        let is_past = |word: &Word<'_>| {
            is_awaited(word) && (word.token.word.ends_with("ed") || word.is_in(rules.acts))
        };
        heads >= 2 && words.iter().any(is_past)
            || heads >= 1 && holds(words, rules.replies)
            || takes(words, lang).is_some_and(|(_, named)| ends_like(awaited, &named.words))
    }
}

/// "Battery 1" is not "battery 2".
fn has_another_number(words: &[Word<'_>], terms: &TitleTerms) -> bool {
    let mut counted = words.iter().filter(|w| w.token.class == Class::Number).peekable();
    !terms.numbers.is_empty()
        && counted.peek().is_some()
        && !counted.any(|w| terms.numbers.contains(&w.stem))
}

/// Returns whether a value is set to a number: "now 300".
fn is_set_to(words: &[Word<'_>], number: &str, lang: &Lang) -> bool {
    words.windows(2).any(|w| w[1].stem == *number && w[0].is_in(lang.settle.values))
}

/// "The thermostat is down to 18."
fn is_turned(words: &[Word<'_>], terms: &TitleTerms, lang: &Lang) -> bool {
    let down = words.windows(2).position(|w| {
        w[0].is_in(lang.settle.auxiliaries) && terms.particles.iter().any(|small| w[1].is(small))
    });
    down.is_some_and(|at| {
        terms.verb.is_some() && ends_like(&terms.thing, &subject(&words[..at], lang).words)
    })
}
