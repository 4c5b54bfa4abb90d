//! How a language says what reports and proposals should be like.

use dormouse_types::directive::{ProposalKind, ReportLength, ReportSection, ReportTone};

/// Words of directives. Every phrase is lower case; of two that fit, the longer one counts.
#[derive(Debug)]
pub struct DirectiveWords {
    /// Words after which a sentence asks for something only sometimes: "unless".
    pub conditions: &'static [&'static str],
    /// What turns a request around: "never", "leave out".
    pub negations: &'static [&'static str],
    /// Between parts of one request.
    pub joins: &'static [&'static str],
    /// Words without meaning of their own in a directive.
    pub fillers: &'static [&'static str],
    /// Verbs of proposing: "suggest".
    pub propose: &'static [&'static str],
    /// Verbs of adding, which may be a proposal or a part of a report.
    pub add: &'static [&'static str],
    /// Verbs of showing in a report: "include".
    pub show: &'static [&'static str],
    /// What says that a section comes first.
    pub first: &'static [&'static str],
    pub lengths: &'static [(ReportLength, &'static [&'static str])],
    pub tones: &'static [(ReportTone, &'static [&'static str])],
    pub sections: &'static [(ReportSection, &'static [&'static str])],
    pub kinds: &'static [(ProposalKind, &'static [&'static str])],
    pub emojis: &'static [&'static str],
    /// Names of the few sentences at the top of a report.
    pub summary: &'static [&'static str],
    pub sentences: &'static [&'static str],
    /// Before the greatest number of sentences.
    pub at_most: &'static [&'static str],
    /// Numbers of sentences.
    pub numbers: &'static [(u8, &'static [&'static str])],
}
