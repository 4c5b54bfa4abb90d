//! Languages as data: a folder per language, a table per kind of rule.
//!
//! A rule holds the order of questions, a language the words it asks for. A further language is
//! a further folder and a line in [`ALL`].

pub mod report;
pub mod propose;
pub mod en;

/// The words of one language.
#[derive(Debug)]
pub struct Lang {
    /// ISO 639 code.
    pub code: &'static str,
    /// Folded names of months, whole and short, with their number.
    pub months: &'static [(&'static str, i8)],
    /// Small-letter words a full stop belongs to.
    pub abbreviations: &'static [&'static str],
    /// Folded words that carry no meaning of their own.
    pub stop_words: &'static [&'static str],
    /// Folded endings, longest first, that do not make another word.
    pub suffixes: &'static [&'static str],
    /// Words of the report.
    pub report: &'static report::Words,
    /// Words of proposals and observations.
    pub propose: &'static propose::Rules,
}

/// Every language with rules; the first one serves tasks in any other language.
pub const ALL: &[&Lang] = &[&en::EN];

/// The rules for a language code, or those of the first language.
pub fn of(code: &str) -> &'static Lang {
    ALL.iter().find(|lang| lang.code == code).unwrap_or(&ALL[0])
}
