//! Check-offs: items that the text says are done.

use std::collections::BTreeSet;

use dormouse_types::model::Item;
use serde_json::{Value, json};

use super::ledger;
use super::same::{Key, without_numbering};
use super::statement::{Evidence, Rank, Statement};
use super::words::{Class, Token, tokens};
use crate::Input;
use crate::lang::Lang;
use crate::read::fold::{fold, stem};
use crate::read::{Kind, Mark};
use crate::settle::title_terms::TitleTerms;
use crate::settle::{Outcome, Settlements};

/// A check-off, with its evidence.
#[derive(Debug)]
pub struct Tick<'a> {
    pub item: &'a Item,
    /// Sentence that says so.
    pub evidence: Evidence,
    /// Whether the evidence is a ticked box with the same name.
    pub is_box: bool,
}

/// A word with its stem.
#[derive(Debug)]
struct Word {
    token: Token,
    stem: String,
}

/// What the entries say about work.
#[derive(Debug)]
pub struct Reports<'a> {
    statements: &'a [Statement<'a>],
    words: Vec<Vec<Word>>,
    /// What the boxes among them name.
    keys: Vec<Option<Key>>,
    /// Which things are settled, and how.
    pub settlements: Settlements<'a>,
    lang: &'static Lang,
}

/// The newest statement about a piece of work.
#[derive(Debug)]
pub struct Report {
    /// Whether it is done.
    pub is_done: bool,
    /// How new it is.
    pub rank: Rank,
    /// Sentence that says so.
    pub evidence: Evidence,
    /// Whether a box says so.
    pub is_box: bool,
}

impl<'a> Reports<'a> {
    /// Prepares the statements for comparison.
    pub fn of(input: &Input<'_>, statements: &'a [Statement<'a>]) -> Self {
        let words = statements
            .iter()
            // Words in code count here, because items name files and commands.
            .map(|s| {
                if s.sentence.tokens.is_empty() {
                    Vec::new()
                } else {
                    words(&s.raw.replace('`', ""), input.lang)
                }
            })
            .collect();
        let key = |s: &Statement<'_>| {
            let is_box = matches!(s.segment.kind, Kind::Box { .. }) && s.is_first;
            is_box.then(|| Key::of(&s.segment.text, input.lang))
        };
        Self {
            statements,
            words,
            keys: statements.iter().map(key).collect(),
            settlements: Settlements::of(input, statements),
            lang: input.lang,
        }
    }

    /// Returns what a statement names, if it is the first sentence of a box.
    pub fn named(&self, n: usize) -> Option<&Key> {
        self.keys.get(n)?.as_ref()
    }

    /// Returns the newest statement about a piece of work, among those newer than `after`.
    pub fn on(&self, title: &str, after: Option<Rank>) -> Option<Report> {
        let goal = Goal::of(title, self.lang);
        let terms = TitleTerms::of(title, self.lang);
        let newer = |rank: Rank| after.is_none_or(|after| rank > after);
        self.statements
            .iter()
            .zip(&self.words)
            .zip(&self.keys)
            .enumerate()
            .filter(|(_, ((statement, _), _))| newer(statement.rank))
            .filter_map(|(n, ((statement, words), key))| {
                let stated = goal.judged_by(statement, words, key.as_ref(), self.lang);
                let is_done = stated.or_else(|| {
                    let outcome = self.settlements.judged(n, title, &terms)?;
                    Some(outcome == Outcome::Done)
                })?;
                Some((statement, is_done))
            })
            .max_by_key(|(statement, _)| statement.rank)
            .map(|(statement, is_done)| {
                // A box is quoted together with its mark.
                let is_box = matches!(statement.segment.kind, Kind::Box { .. });
                let quote = if is_box {
                    super::statement::quote(&statement.segment.raw, 0)
                } else {
                    statement.evidence().quote
                };
                Report {
                    is_done,
                    rank: statement.rank,
                    evidence: Evidence { quote, ..statement.evidence() },
                    is_box,
                }
            })
    }
}

/// Returns check-offs for the open items of the task.
pub fn ticks<'a>(input: &'a Input<'_>, reports: &Reports<'_>) -> Vec<Tick<'a>> {
    let is_new = |tick: &Tick<'_>| {
        ledger::open(input, ledger::TICK, &|args| is_tick_of(args, tick.item)).is_empty()
    };
    contested(input, reports).into_iter().filter(is_new).collect()
}

/// Returns the open items whose work the text says is done, in words newer than the person's own
/// setting, if no verdict was given since.
pub fn contested<'a>(input: &'a Input<'_>, reports: &Reports<'_>) -> Vec<Tick<'a>> {
    let mut found: Vec<Tick<'a>> = Vec::new();
    let mut titles = BTreeSet::new();
    for item in input.state.items.iter().filter(|item| !item.is_checked && !item.is_archived) {
        let title = fold(&item.title);
        if titles.contains(&title) {
            continue;
        }
        let Some(report) = reports.on(&item.title, None).filter(|report| report.is_done) else {
            continue;
        };
        let at = report.evidence.at;
        let claim = ledger::last_say(input, item.id.clone()).max(item.checked_at);
        let same = |args: &Value| is_tick_of(args, item);
        if claim.is_none_or(|claim| at > claim)
            && ledger::is_undecided(input, ledger::TICK, at, &same)
        {
            titles.insert(title);
            found.push(Tick { item, evidence: report.evidence, is_box: report.is_box });
        }
    }
    found
}

/// Returns whether the arguments of a proposal tick an item.
pub fn is_tick_of(args: &Value, item: &Item) -> bool {
    let id = args.get("id").and_then(Value::as_str);
    id == Some(item.id.to_string().as_str()) && args.get("isChecked") == Some(&json!(true))
}

/// A piece of work, as its title names it.
struct Goal {
    key: Key,
    verb: String,
    objects: Vec<String>,
    has_comma: bool,
}

impl Goal {
    fn of(title: &str, lang: &Lang) -> Self {
        let title = without_numbering(title).replace('`', "");
        let words = words(&title, lang);
        let verb = words.iter().position(|w| w.token.class == Class::Word);
        let objects = words
            .iter()
            .enumerate()
            .filter(|(n, word)| Some(*n) != verb && is_content(&words, *n, word, lang))
            .filter(|(_, word)| !lang.propose.tick.asides.contains(&word.token.word.as_str()))
            .map(|(_, word)| word.stem.clone())
            .collect();
        Self {
            key: Key::of(&title, lang),
            verb: verb.map(|n| words[n].token.word.clone()).unwrap_or_default(),
            objects,
            has_comma: title.contains(','),
        }
    }

    /// Returns whether a statement says that this is done or not done; `None` if it says neither.
    fn judged_by(
        &self,
        statement: &Statement<'_>,
        words: &[Word],
        key: Option<&Key>,
        lang: &Lang,
    ) -> Option<bool> {
        let may_mean_it = match statement.segment.kind {
            Kind::Box { .. } => {
                key.is_some_and(|key| self.key.is(key, lang) || key.covers(&self.key, lang))
            }
            _ => true,
        };
        if !may_mean_it
            || statement.is_quoted
            || self.key.is_empty()
            || statement.is_sample(lang.propose)
        {
            return None;
        }
        match statement.segment.kind {
            Kind::Heading { .. } => None,
            Kind::Box { mark } => Some(mark == Mark::Ticked),
            Kind::Row => self.row(&statement.segment.text, lang),
            Kind::Bullet | Kind::Numbered | Kind::Sentence => {
                let mentions =
                    self.objects.iter().all(|object| words.iter().any(|w| w.stem == *object));
                if statement.is_question() || !mentions {
                    return None;
                }
                if self.key.is_opposite(&Key::of(statement.text, lang), lang) {
                    return None;
                }
                self.marked(statement.text, words, lang).or_else(|| self.stated(words, lang))
            }
        }
    }

    /// Reads a table row with the work in one cell and "done" in another.
    fn row(&self, text: &str, lang: &Lang) -> Option<bool> {
        let cells: Vec<&str> = text.split(" | ").collect();
        let names_it = cells.iter().any(|cell| self.key.is(&Key::of(cell, lang), lang));
        let says_done =
            cells.iter().any(|cell| lang.propose.tick.done.contains(&fold(cell).as_str()));
        (names_it && says_done).then_some(true)
    }

    /// "Done: title", "title - done", "title is done".
    fn marked(&self, text: &str, words: &[Word], lang: &Lang) -> Option<bool> {
        let rules = &lang.propose.tick;
        let folded = fold(text);
        let trimmed = folded.trim_end_matches(['.', '!', ' ']);
        let rest = rules.done.iter().find_map(|done| {
            let is_sign = !done.chars().any(char::is_alphanumeric);
            if let Some(rest) = trimmed.strip_prefix(done) {
                let rest = rest.trim_start();
                if is_sign {
                    return Some(rest.to_owned());
                }
                if let Some(rest) = rest.strip_prefix(':').or_else(|| rest.strip_prefix("- ")) {
                    return Some(rest.to_owned());
                }
            }
            let mut rest = trimmed.strip_suffix(done)?.trim_end();
            if !rest.ends_with(|c: char| !c.is_alphanumeric())
                && trimmed.len() == rest.len() + done.len()
            {
                return None;
            }
            while let Some(less) = rules.auxiliaries.iter().find_map(|aux| {
                let less = rest.strip_suffix(aux)?;
                let is_word = aux.chars().all(char::is_alphanumeric);
                (!is_word || less.ends_with(' ')).then(|| less.trim_end())
            }) {
                rest = less;
            }
            Some(rest.to_owned())
        })?;
        if !self.key.is(&Key::of(&rest, lang), lang) {
            return None;
        }
        self.sure(words, lang)
    }

    /// Returns `None` if something makes the sentence uncertain, otherwise whether it says "done".
    fn sure(&self, words: &[Word], lang: &Lang) -> Option<bool> {
        let rules = &lang.propose.tick;
        // Words that are part of the work's name say nothing about its state.
        let is_own = |phrase: &str| {
            phrase == self.verb
                || self.is_done_form(phrase, lang)
                || self.objects.iter().any(|object| object == phrase)
        };
        let other = |list: &[&'static str]| {
            list.iter().copied().filter(|phrase| !is_own(phrase)).collect::<Vec<_>>()
        };
        if holds(words, &other(rules.undone)) {
            return Some(false);
        }
        if holds(words, &other(rules.void)) { None } else { Some(true) }
    }

    /// "I sent the parcel", "the parcel has been sent", "parcel sent".
    fn stated(&self, words: &[Word], lang: &Lang) -> Option<bool> {
        let rules = &lang.propose.tick;
        if self.objects.is_empty() {
            return None;
        }
        let ends = |word: &Word| {
            let sign = word.token.word.as_str();
            matches!(sign, ";" | "(" | ")" | "." if word.token.class == Class::Mark && !word.token.glued)
                || sign == ";"
                || sign == "," && !self.has_comma
                || rules.clause_words.contains(&sign)
        };
        let verb_stem = stem(&self.verb, lang);
        let names_it = |words: &[Word]| {
            self.objects.iter().all(|object| words.iter().any(|w| w.stem == *object))
                && words.iter().any(|w| {
                    w.stem == verb_stem
                        || self.is_done_form(&w.token.word, lang)
                        || self.is_made(&w.token.word, lang)
                })
        };
        if !names_it(words) || holds(words, lang.propose.conditions) || holds(words, rules.failed) {
            return None;
        }
        // "Painted the wall, a second coat is needed": more of the same work follows.
        let is_unfinished = words
            .split(ends)
            .skip(1)
            .any(|clause| holds(clause, rules.more) && holds(clause, rules.void));
        if is_unfinished {
            return None;
        }
        let mut start = 0;
        for clause in words.split(ends) {
            let before = &words[..start];
            start += clause.len() + 1;
            if names_it(clause)
                && self.sure(clause, lang) == Some(true)
                && !holds(before, rules.void_before)
                && self.is_done_in(clause, lang)
            {
                return Some(true);
            }
        }
        // The sentence says that the work is undone, and nowhere that it is done.
        (self.sure(words, lang) == Some(false)).then_some(false)
    }

    fn is_done_form(&self, word: &str, lang: &Lang) -> bool {
        let rules = &lang.propose.tick;
        if rules.unchanging.contains(&self.verb.as_str()) {
            return word == self.verb;
        }
        if let Some((_, forms)) = rules.irregular.iter().find(|(base, _)| *base == self.verb) {
            return forms.contains(&word);
        }
        let verb = stem(&self.verb, lang);
        let is_of_verb = |word: &str, ending: &str| {
            let Some(base) = word.strip_suffix(ending) else { return false };
            // "cancelled", "planned"
            let doubled = base.strip_prefix(self.verb.as_str());
            let doubles_last =
                doubled.is_some_and(|rest| rest.chars().count() == 1 && self.verb.ends_with(rest));
            base == self.verb || doubles_last || stem(word, lang) == verb
        };
        word != self.verb
            && self.verb.chars().count() > 1
            && rules.endings.iter().any(|ending| is_of_verb(word, ending))
    }

    /// Returns whether "finished" is said of a thing that exists once it has been made.
    fn is_made(&self, word: &str, lang: &Lang) -> bool {
        let rules = &lang.propose.tick;
        rules.makes.contains(&self.verb.as_str()) && rules.finished.contains(&word)
    }

    fn is_done_in(&self, clause: &[Word], lang: &Lang) -> bool {
        let rules = &lang.propose.tick;
        let is = |list: &[&str], word: &Word| list.contains(&word.token.word.as_str());
        let is_object = |word: &Word| self.objects.contains(&word.stem);
        let quiet =
            |word: &Word| word.token.class == Class::Mark || word.token.class == Class::Number;
        let verb_stem = stem(&self.verb, lang);
        let is_done_at = |v: usize| {
            let word = clause[v].token.word.as_str();
            // "finished cleaning the kitchen"
            let before_verb = clause.get(v + 1).is_some_and(|next| next.stem == verb_stem)
                && rules.finished.contains(&word);
            before_verb || self.is_done_form(word, lang) || self.is_made(word, lang)
        };
        (0..clause.len()).filter(|v| is_done_at(*v)).any(|v| {
            let before = &clause[..v];
            if holds(before, rules.void_before) {
                return false;
            }
            let after = &clause[v + 1..];
            let first_after = after.iter().position(is_object);
            let links_up = |words: &[Word]| {
                words.iter().all(|w| {
                    is(rules.fillers, w) || is_object(w) || quiet(w) || w.stem == verb_stem
                })
            };
            // "painted the fence and the gate"
            let joins_up = |words: &[Word]| {
                words.iter().rposition(|w| is(rules.joins, w)).is_some_and(|at| {
                    links_up(&words[at + 1..])
                        && !words[..at].iter().any(|w| is(rules.prepositions, w))
                })
            };
            let rest_links =
                first_after.is_none_or(|n| links_up(&after[..n]) || joins_up(&after[..n]));
            let unchanging = rules.unchanging.contains(&self.verb.as_str());
            let Some(last_before) = before.iter().rposition(is_object) else {
                let has_subject = before.iter().any(|w| is(rules.subjects, w) && !quiet(w));
                return first_after.is_some()
                    && rest_links
                    && (has_subject || !unchanging)
                    && before.iter().all(|w| is(rules.subjects, w) || quiet(w));
            };
            let Some(first_before) = before.iter().position(is_object) else { return false };
            let between = &before[last_before + 1..];
            let has_auxiliary = between.iter().any(|w| is(rules.auxiliaries, w) && !quiet(w));
            let between_fits = between.first().is_some_and(|w| is(rules.prepositions, w))
                || between.iter().all(|w| is(rules.auxiliaries, w) || quiet(w));
            let head_fits = before[..first_before]
                .iter()
                .all(|w| is(rules.fillers, w) || is(rules.subjects, w) || quiet(w));
            // Without an auxiliary it is a headline, or the object is the actor.
            let is_headline = first_before == 0
                || before[..first_before].iter().all(|w| is(rules.subjects, w) || quiet(w));
            let is_passive = has_auxiliary
                || is_headline && !unchanging && !rules.mutual.contains(&self.verb.as_str());
            between_fits && head_fits && rest_links && is_passive
        })
    }
}

fn holds(words: &[Word], phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| {
        let parts: Vec<&str> = phrase.split(' ').collect();
        words.windows(parts.len()).any(|w| w.iter().zip(&parts).all(|(w, part)| w.token.is(part)))
    })
}

fn words(text: &str, lang: &Lang) -> Vec<Word> {
    let token = |token: Token| Word { stem: stem(&token.word, lang), token };
    tokens(text).into_iter().map(token).collect()
}

/// Returns whether a word of a title carries meaning: no filler, no sign, no single letter that is
/// not part of a figure.
fn is_content(words: &[Word], n: usize, word: &Word, lang: &Lang) -> bool {
    match word.token.class {
        Class::Number => true,
        Class::Mark | Class::Sealed => false,
        Class::Word => {
            let part_of_figure = words
                .get(n + 1)
                .is_some_and(|next| next.token.glued && next.token.class == Class::Number);
            !lang.stop_words.contains(&word.token.word.as_str())
                && (word.token.word.chars().count() > 1 || part_of_figure)
        }
    }
}
