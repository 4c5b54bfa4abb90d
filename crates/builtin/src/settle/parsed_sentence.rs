//! A sentence, cut into clauses, and what they say about a thing.

use std::ops::Range;

use super::phrase::{
    Named, Word, clauses, does, does_everything, ends_like, find, finishes_thing, gives, holds,
    is_count, is_count_of, is_past_of, is_unnecessary, is_void, knows, noun, same_stem,
    sends_noun_of, state, states, subject, takes, will_not, without_measures,
};
use super::title_terms::{TitleTerms, begins_upper, is_number};
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
    words: Vec<Word<'a>>,
    clauses: Vec<Range<usize>>,
    /// Whether it says that part is missing, or that the wrong thing came.
    is_partial: bool,
    /// Whether it names a day or a time.
    is_dated: bool,
}

/// Decides whether words name no other open work.
type IsOnly<'a> = &'a dyn Fn(&[String]) -> bool;

/// Returns where a clause begins that takes something back in one case: "only if I want to".
fn proviso(tokens: &[Token], lang: &Lang) -> usize {
    let is_only = |at: &usize| {
        let is_said = |at: usize, words: &[&str]| {
            tokens.get(at).is_some_and(|t| words.contains(&t.word.as_str()))
        };
        is_said(*at, lang.settle.only)
            && lang.propose.conditions.iter().any(|phrase| is_said(at + 1, &[*phrase]))
    };
    (1..tokens.len()).find(is_only).unwrap_or(tokens.len())
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
            || holds(&words, rules.rest)
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
        let nouns =
            lang.settle.nouns.iter().filter(|(verb, _)| terms.verb.as_deref() == Some(verb));
        let nouns: Vec<&str> = nouns.flat_map(|(_, nouns)| nouns.iter().copied()).collect();
        self.words.iter().any(|word| named(word) || word.is_in(&nouns))
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
            let label_of = |n: usize| {
                let label = n.checked_sub(1).filter(|_| self.follows_colon(clause.start))?;
                let range = self.clauses[label].clone();
                (range.start == 0).then(|| noun(&self.words[range], lang))
            };
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
            let before = || n.checked_sub(1).map(|n| &self.words[self.clauses[n].clone()]);
            let head = terms.thing.last().map(String::as_str).unwrap_or_default();
            let is_one_of = |list: &[&str]| list.iter().any(|word| stem(word, lang) == head);
            states(words, lang).into_iter().any(|at| {
                let said = words[at].token.word.as_str();
                // A fitting that is booked has not taken place; a bill that arrived is not paid.
                let held = is_one_of(lang.settle.held)
                    && (self.is_dated || lang.settle.reserved.contains(&said));
                let owed = is_one_of(lang.settle.owed) && lang.settle.comes.contains(&said);
                let crowded = said == "full" && is_one_of(lang.settle.crowded);
                if held || owed || crowded {
                    return false;
                }
                let subject = subject(&words[..at], lang);
                // "Interviews: all three done"
                let counts_all =
                    subject.words.is_empty() || subject.is_all && is_count_of(&words[..at], lang);
                if counts_all {
                    return subject.is_all
                        && self.follows_colon(clause.start)
                        && before().is_some_and(|label| names(&noun(label, lang)));
                }
                let parts =
                    words[..at].split(|w| w.is("and") || w.is("&") || w.is("plus") || w.is("+"));
                // "DKIM: key generated" is said of the DKIM key.
                let with_label = || {
                    let label = label_of(n)?;
                    let words: Vec<String> =
                        label.words.into_iter().chain(subject.words.iter().cloned()).collect();
                    let is_whole = words.len() == terms.thing.len();
                    Some(is_whole && names(&Named { words, ..subject.clone() }))
                };
                names(&subject)
                    || with_label().unwrap_or(false)
                    || parts.into_iter().any(|part| names(&super::phrase::subject(part, lang)))
            }) || takes(words, lang).is_some_and(|(verb, named)| {
                let owed = is_one_of(lang.settle.owed) && !lang.settle.pays.contains(&verb);
                !owed && names(&named)
            }) || gives(words, lang).is_some_and(|named| names(&named))
                || {
                    let is_outgoing = is_one_of(lang.settle.outgoing);
                    let finishes = if is_outgoing { lang.settle.sends } else { lang.settle.makes };
                    let is_owed = is_one_of(lang.settle.owed) || is_one_of(lang.settle.held);
                    (is_outgoing || !is_owed) && finishes_thing(words, finishes, &names, lang)
                }
        })
    }

    /// Returns whether a clause names another place or person than the title does: "the hotel in Paris" is
    /// not "a hotel in Rome".
    fn names_another(&self, clause: &Range<usize>, terms: &TitleTerms, lang: &Lang) -> bool {
        let words = &self.words[clause.clone()];
        let is_said = |name: &String| words.iter().any(|word| same_stem(&word.stem, name));
        if terms.names.is_empty() || terms.names.iter().any(is_said) {
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
                find(words, phrase)
                    .is_some_and(|(at, end)| at == 0 && is_head(&noun(&words[end..], lang)))
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
            let none = words.iter().position(|w| w.is("no")).is_some_and(|at| {
                words[..at].iter().all(|w| w.is_in(rules.adverbs))
                    && rules.no_after.iter().any(|phrase| {
                        find(&words[at..], phrase)
                            .is_some_and(|(end, _)| names(&noun(&words[at + 1..at + end], lang)))
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
            // "Battery 1" is not "battery 2".
            let mut counted = words.iter().filter(|w| w.token.class == Class::Number).peekable();
            if !terms.numbers.is_empty()
                && counted.peek().is_some()
                && !counted.any(|w| terms.numbers.contains(&w.stem))
            {
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
            if let Some(awaited) = &terms.awaited {
                return !self.is_partial && self.comes(words, awaited, lang);
            }
            // "TTL now 300" lowers "the TTL to 300".
            let is_value = |number: &String| {
                words.windows(2).any(|w| w[1].stem == *number && w[0].is_in(rules.values))
            };
            if terms.verb.is_some()
                && terms.thing.first().is_some_and(has)
                && terms.numbers.iter().any(is_value)
            {
                return true;
            }
            let is_told =
                terms.verb.as_ref().is_some_and(|verb| rules.tells.contains(&verb.as_str()));
            if is_told && knows(words, &|named: &Named| ends_like(&terms.thing, &named.words), lang)
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
            // "The thermostat is down to 18."
            let down = words.windows(2).position(|w| {
                w[0].is_in(rules.auxiliaries) && terms.particles.iter().any(|small| w[1].is(small))
            });
            if let Some(at) = down
                && terms.verb.is_some()
                && ends_like(&terms.thing, &subject(&words[..at], lang).words)
            {
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

    /// "Reran it without P07": returns whether a clause says the past form of a verb with a pronoun for its
    /// thing, and another word of the title.
    fn does_it(
        &self,
        words: &[Word<'_>],
        verb: &str,
        terms: &TitleTerms,
        is_only: IsOnly<'_>,
        lang: &Lang,
    ) -> bool {
        let rules = lang.settle;
        let is_quiet = |w: &Word<'_>| {
            w.is_in(rules.selves) || w.is_in(rules.adverbs) || w.token.class != Class::Word
        };
        let past = words.iter().position(|word| is_past_of(&word.token.word, verb, lang));
        past.is_some_and(|at| {
            let own = stem(verb, lang);
            let after = &words[at + 1..];
            words[..at].iter().all(is_quiet)
                && after.first().is_some_and(|w| w.is_in(rules.pronouns))
                && after.iter().any(|w| w.stem != own && terms.words.contains(&w.stem))
                && is_only(&[own])
        })
    }

    /// "Uploaded 16:40": returns whether the past form of a verb opens a clause, with nothing after it
    /// that could be another thing.
    fn does_alone(&self, words: &[Word<'_>], verb: &str, lang: &Lang) -> bool {
        let rules = lang.settle;
        let is_quiet = |w: &Word<'_>| {
            w.is_in(rules.selves) || w.is_in(rules.adverbs) || w.token.class != Class::Word
        };
        let past = words.iter().position(|word| {
            word.token.word.ends_with("ed") && word.stem == verb
                || is_past_of(&word.token.word, verb, lang)
        });
        past.is_some_and(|at| {
            words[..at].iter().all(is_quiet)
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
    fn says_of_label(
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

    fn follows_colon(&self, at: usize) -> bool {
        at.checked_sub(1).is_some_and(|before| self.words[before].is(":"))
    }
}
