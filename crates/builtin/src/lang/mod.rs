//! Languages as data: a folder per language, a table per kind of rule.
//!
//! Rules define the order of checks, languages the words they check for. To add a language, add a
//! folder and a line in [`ALL`]. A language without rules has only the words that stand around its reports: [`frame`].

pub mod report;
pub mod propose;
pub mod settle;
pub mod directive;
pub mod work;
pub mod de;
pub mod en;
pub mod frame;
pub mod stops;

use std::sync::LazyLock;

use dormouse_formats::when::{self, DayOrder};

/// The words of one language.
#[derive(Debug, Clone, Copy)]
pub struct Lang {
    /// ISO 639 code.
    pub code: &'static str,
    /// Code of the language whose rules it is read by.
    pub rules: &'static str,
    /// Lower-case words that end in a full stop of their own.
    pub abbreviations: &'static [&'static str],
    /// Folded words without meaning of their own.
    pub stop_words: &'static [&'static str],
    /// Folded endings, longest first, that do not change the word.
    pub suffixes: &'static [&'static str],
    /// Folded words, and what they are short for.
    pub short_forms: &'static [(&'static str, &'static str)],
    /// Folded words at the start of a sentence that takes back the one before.
    pub takes_back: &'static [&'static str],
    pub report: &'static report::Words,
    /// Words of proposals and observations.
    pub propose: &'static propose::Rules,
    /// Words that say whether a thing is done, has arrived or is no longer wanted.
    pub settle: &'static settle::Settling,
    /// The order of day and month in figures; `None` where nobody chose one.
    pub order: Option<DayOrder>,
}

impl Lang {
    /// Whether the rules are those of this language.
    pub fn has_rules(&self) -> bool {
        self.code == self.rules
    }

    /// The same language where an order of day and month in figures was chosen.
    pub fn in_order(&'static self, order: Option<DayOrder>) -> &'static Self {
        let chosen = |table: &'static [Lang]| {
            table.iter().find(|lang| lang.code == self.code && lang.rules == self.rules)
        };
        match order {
            None => self,
            Some(DayOrder::DayFirst) => chosen(&DAY_FIRST).unwrap_or(self),
            Some(DayOrder::MonthFirst) => chosen(&MONTH_FIRST).unwrap_or(self),
        }
    }

    /// The language that its dates are read in.
    pub fn dates(&self) -> when::Language {
        when::Language::of_tag(self.code).unwrap_or(when::ENGLISH)
    }
}

/// Every language with rules. The rules of the first one also read tasks in other languages.
pub const ALL: &[&Lang] = &[&en::EN];

static DAY_FIRST: LazyLock<Vec<Lang>> = LazyLock::new(|| all_in(DayOrder::DayFirst));
static MONTH_FIRST: LazyLock<Vec<Lang>> = LazyLock::new(|| all_in(DayOrder::MonthFirst));

fn all_in(order: DayOrder) -> Vec<Lang> {
    let all = ALL.iter().chain(frame::ALL).chain([&frame::OTHER]);
    all.map(|lang| Lang { order: Some(order), ..**lang }).collect()
}

/// Returns the language with a code; without a code, the first one.
pub fn of(code: &str) -> &'static Lang {
    if code.is_empty() {
        return ALL[0];
    }
    ALL.iter().chain(frame::ALL).find(|lang| lang.code == code).unwrap_or(&frame::OTHER)
}
