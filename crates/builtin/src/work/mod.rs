//! Work that is useful without a language model: five kinds, each a function from what a run may read
//! and the person's parameters to what it says or proposes.
//!
//! Owns: what each kind says, when it is silent, and how an instruction in words becomes a kind with
//! parameters. Defends against: a text that says a thing twice, a number that nobody can look into, a
//! message without news, and an instruction that is half understood without a word.
//!
//! Does not own: when a run starts, where its facts come from, whether a proposal is valid, and who
//! gets it. It knows no clock: the day is one of the facts.
//!
//! Reading order: [`wording`] (days and lengths in words), `select` (which tasks), `page` (sections and
//! figures), `history`, one file per kind, [`gallery`], [`instruction`], `rules`.

pub mod wording;
mod select;
mod page;
mod history;
mod agenda;
mod review;
mod watch;
mod sweep;
mod repeat;
pub mod gallery;
pub mod instruction;
mod rules;

use dormouse_types::work_facts::WorkspaceFacts;
use dormouse_types::work_kind::WorkParameters;
use dormouse_types::work_outcome::BuiltInOutcome;

use crate::lang::work;

pub use rules::Rules;

/// Does a piece of work: the same facts and parameters always come to the same outcome.
///
/// `language` is the reader's, as a tag; one without words is served in English. Texts of tasks stay as
/// they were written, on one line.
pub fn run(facts: &WorkspaceFacts, parameters: &WorkParameters, language: &str) -> BuiltInOutcome {
    let say = &work::of(language).say;
    match parameters {
        WorkParameters::Agenda(wanted) => agenda::run(facts, wanted, say),
        WorkParameters::Review(wanted) => review::run(facts, wanted, say),
        WorkParameters::Watch(wanted) => watch::run(facts, wanted, say),
        WorkParameters::Sweep(wanted) => sweep::run(facts, wanted, say),
        WorkParameters::Repeat(wanted) => repeat::run(facts, wanted, say),
    }
}
