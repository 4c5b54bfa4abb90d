//! Decides whether a thing has arrived, is done, or is no longer wanted.
//!
//! Reads sentences clause by clause. A clause settles a thing if it says so of exactly this thing:
//! every word of its subject, or of its object, belongs to the title, and no other title on the list
//! has the same words. "The fence man came" settles no fence.
//!
//! Does not own: what follows from it, which the report and the proposals decide.
//!
//! Reading order: [`title_terms`] (what a title names), [`phrase`] (what words say), [`act`] (what is done),
//! [`parsed_sentence`] (clauses), [`verb`] and [`ending`] (what they say of a title, of waiting), this file.

pub mod title_terms;
pub mod act;
pub mod ending;
pub mod phrase;
pub mod parsed_sentence;
pub mod verb;

use self::parsed_sentence::ParsedSentence;
use self::title_terms::TitleTerms;
use crate::Input;
use crate::lang::Lang;
use crate::propose::statement::{Rank, Statement};
use crate::read::fold::fold;

/// What a sentence says about a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It is done, or it came.
    Done,
    /// It is not wanted any more.
    Dropped,
}

/// A sentence that settles something.
#[derive(Debug, Clone, Copy)]
pub struct Settled<'a> {
    /// What it says.
    pub outcome: Outcome,
    /// The sentence.
    pub statement: &'a Statement<'a>,
}

/// All sentences that may settle something, and the open items they may settle.
#[derive(Debug)]
pub struct Settlements<'a> {
    parsed: Vec<Option<ParsedSentence<'a>>>,
    /// Open items of the task: folded title, and what it names.
    list: Vec<(String, TitleTerms)>,
    lang: &'static Lang,
}

/// Number of sentences, newest first, that the lines of a report are compared with.
const SENTENCES_MAX: usize = 400;

impl<'a> Settlements<'a> {
    /// Reads the sentences of a task.
    pub fn of(input: &Input<'_>, statements: &'a [Statement<'a>]) -> Self {
        let lang = input.lang;
        let open = input.state.items.iter().filter(|item| !item.is_checked && !item.is_archived);
        Self {
            parsed: statements
                .iter()
                .map(|statement| ParsedSentence::of(statement, lang))
                .collect(),
            list: open.map(|item| (fold(&item.title), TitleTerms::of(&item.title, lang))).collect(),
            lang,
        }
    }

    /// Returns what the `n`th sentence says about the work that a title names.
    pub fn judged(&self, n: usize, title: &str, terms: &TitleTerms) -> Option<Outcome> {
        let parsed = self.parsed.get(n)?.as_ref()?;
        if !parsed.mentions(terms, self.lang) {
            return None;
        }
        let folded = fold(title);
        let others: Vec<&TitleTerms> = self
            .list
            .iter()
            .filter(|(other, _)| *other != folded)
            .map(|(_, terms)| terms)
            .collect();
        let is_only = |named: &[String]| !others.iter().any(|other| other.has_all(named));
        let settles = |terms: &TitleTerms| parsed.settles(terms, &is_only, self.lang);
        if settles(terms) || terms.as_thing(self.lang).as_ref().is_some_and(settles) {
            return Some(Outcome::Done);
        }
        parsed.drops(terms, &is_only, self.lang).then_some(Outcome::Dropped)
    }

    /// Returns the newest sentence that drops the work of a title, unless a newer one finishes it.
    pub fn dropped(&self, title: &str) -> Option<&'a Statement<'a>> {
        let terms = TitleTerms::of(title, self.lang);
        let newest = (0..self.parsed.len())
            .filter_map(|n| Some((n, self.judged(n, title, &terms)?)))
            .max_by_key(|(n, _)| self.parsed[*n].as_ref().map(|parsed| parsed.statement.rank))?;
        let statement = self.parsed[newest.0].as_ref()?.statement;
        (newest.1 == Outcome::Dropped).then_some(statement)
    }

    /// Returns the newest sentence of a later entry that settles work or waiting that a text names:
    /// here it is enough that its verb or its thing is taken up, because nothing is lost if a line
    /// leaves a report.
    pub fn over(&self, text: &str, entry: usize, others: &[&TitleTerms]) -> Option<Settled<'a>> {
        self.ended(&TitleTerms::of(text, self.lang), entry, others)
    }

    /// Like [`Self::over`], for work that was read already.
    pub fn ended(
        &self,
        terms: &TitleTerms,
        entry: usize,
        others: &[&TitleTerms],
    ) -> Option<Settled<'a>> {
        let is_only = |named: &[String]| !others.iter().any(|other| other.has_all(named));
        let newest = self.parsed.iter().flatten().rev().take(SENTENCES_MAX);
        let later = newest.filter(|parsed| parsed.statement.segment.entry > entry);
        later.filter(|parsed| parsed.mentions(terms, self.lang)).find_map(|parsed| {
            let outcome = if parsed.drops(terms, &is_only, self.lang) {
                Outcome::Dropped
            } else if parsed.ends(terms, &is_only, self.lang) {
                Outcome::Done
            } else {
                return None;
            };
            Some(Settled { outcome, statement: parsed.statement })
        })
    }

    /// Returns the newest sentence after `rank` that ends the waiting of a reason.
    pub fn ends_waiting(&self, reason: &str, rank: Rank) -> Option<&'a Statement<'a>> {
        let terms = TitleTerms::of(reason, self.lang);
        let later = self.parsed.iter().flatten().filter(|parsed| parsed.statement.rank > rank);
        later
            .filter(|parsed| parsed.ends(&terms, &|_| true, self.lang))
            .map(|parsed| parsed.statement)
            .max_by_key(|statement| statement.rank)
    }
}
