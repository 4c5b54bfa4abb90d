//! What became of a thing: it came, it is done, it is not wanted any more.
//!
//! Reads sentences clause by clause. A clause settles a thing if it says so of exactly this thing:
//! every word of its subject, or of its object, belongs to the title, and no other title on the list
//! has the same words. "The fence man came" settles no fence.
//!
//! Does not own: what follows from it, which the report and the proposals decide.
//!
//! Reading order: [`work`] (what a title names), [`phrase`] (what words say),
//! [`heard`] (clauses), this file.

pub mod work;
pub mod phrase;
pub mod heard;

use self::heard::Heard;
use self::work::Work;
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
pub struct Account<'a> {
    heard: Vec<Option<Heard<'a>>>,
    /// Open items of the task: folded title, and what it names.
    list: Vec<(String, Work)>,
    lang: &'static Lang,
}

/// Number of sentences, newest first, that the lines of a report are compared with.
const HEARD_MAX: usize = 400;

impl<'a> Account<'a> {
    /// Reads the sentences of a task.
    pub fn of(input: &Input<'_>, statements: &'a [Statement<'a>]) -> Self {
        let lang = input.lang;
        let open = input.state.items.iter().filter(|item| !item.is_checked && !item.is_archived);
        Self {
            heard: statements.iter().map(|statement| Heard::of(statement, lang)).collect(),
            list: open.map(|item| (fold(&item.title), Work::of(&item.title, lang))).collect(),
            lang,
        }
    }

    /// Returns what the `n`th sentence says about the work that a title names.
    pub fn judged(&self, n: usize, title: &str, work: &Work) -> Option<Outcome> {
        let heard = self.heard.get(n)?.as_ref()?;
        if !heard.mentions(work, self.lang) {
            return None;
        }
        let folded = fold(title);
        let others: Vec<&Work> =
            self.list.iter().filter(|(other, _)| *other != folded).map(|(_, work)| work).collect();
        let is_only = |named: &[String]| !others.iter().any(|other| other.has_all(named));
        if heard.settles(work, &is_only, self.lang) {
            return Some(Outcome::Done);
        }
        heard.drops(work, &is_only, self.lang).then_some(Outcome::Dropped)
    }

    /// Returns the newest sentence that drops the work of a title, unless a newer one finishes it.
    pub fn dropped(&self, title: &str) -> Option<&'a Statement<'a>> {
        let work = Work::of(title, self.lang);
        let newest = (0..self.heard.len())
            .filter_map(|n| Some((n, self.judged(n, title, &work)?)))
            .max_by_key(|(n, _)| self.heard[*n].as_ref().map(|heard| heard.statement.rank))?;
        let statement = self.heard[newest.0].as_ref()?.statement;
        (newest.1 == Outcome::Dropped).then_some(statement)
    }

    /// Returns the newest sentence of a later entry that settles work or waiting that a text names:
    /// here it is enough that its verb or its thing is taken up, because nothing is lost if a line
    /// leaves a report.
    pub fn over(&self, text: &str, entry: usize, others: &[&Work]) -> Option<Settled<'a>> {
        let work = Work::of(text, self.lang);
        let is_only = |named: &[String]| !others.iter().any(|other| other.has_all(named));
        let newest = self.heard.iter().flatten().rev().take(HEARD_MAX);
        let later = newest.filter(|heard| heard.statement.segment.entry > entry);
        later.filter(|heard| heard.mentions(&work, self.lang)).find_map(|heard| {
            let outcome = if heard.drops(&work, &is_only, self.lang) {
                Outcome::Dropped
            } else if heard.ends(&work, &is_only, self.lang) {
                Outcome::Done
            } else {
                return None;
            };
            Some(Settled { outcome, statement: heard.statement })
        })
    }

    /// Returns the newest sentence after `rank` that ends the waiting of a reason.
    pub fn ends_waiting(&self, reason: &str, rank: Rank) -> Option<&'a Statement<'a>> {
        let work = Work::of(reason, self.lang);
        let later = self.heard.iter().flatten().filter(|heard| heard.statement.rank > rank);
        later
            .filter(|heard| heard.ends(&work, &|_| true, self.lang))
            .map(|heard| heard.statement)
            .max_by_key(|statement| statement.rank)
    }
}
