//! What the rules understand of a template's directives.
//!
//! A clause counts only if every word of it is known: "never propose due dates" is a setting, "never
//! miss a deadline" is none. A sentence with a condition is a setting only sometimes, so it is none.
//!
//! Does not own: directives, templates, and what a report or proposal does with a setting.

mod clause;

use dormouse_types::directive::{
    DirectiveRules, DirectiveSetting, ProposalKind, ReportLength, ReportSection, ReportTone,
    UnderstoodDirectives,
};
use dormouse_types::model::Directives;

use crate::Builtin;
use crate::lang::en::directive::DIRECTIVE;

/// The settings as reports and proposals use them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Style<'a>(&'a [DirectiveSetting]);

/// Reads both directives; where they contradict each other, the one about reports counts.
pub fn read(directives: &Directives) -> UnderstoodDirectives {
    let mut understood = UnderstoodDirectives::default();
    for text in [&directives.general, &directives.report] {
        for sentence in sentences(text) {
            match clause::settings(sentence, &DIRECTIVE) {
                Some(settings) => {
                    for setting in settings {
                        let is_replaced = |other: &DirectiveSetting| is_same_kind(*other, setting);
                        understood.settings.retain(|other| !is_replaced(other));
                        understood.settings.push(setting);
                    }
                }
                None => understood.not_understood.push(sentence.to_owned()),
            }
        }
    }
    understood
}

impl DirectiveRules for Builtin {
    fn read(&self, directives: &Directives) -> UnderstoodDirectives {
        read(directives)
    }
}

/// Whether a setting takes the place of another.
fn is_same_kind(one: DirectiveSetting, other: DirectiveSetting) -> bool {
    use DirectiveSetting::{Emojis, First, LeaveOut, Length, NeverPropose, SummarySentences, Tone};
    match (one, other) {
        (Length { .. }, Length { .. })
        | (Tone { .. }, Tone { .. })
        | (SummarySentences { .. }, SummarySentences { .. })
        | (Emojis { .. }, Emojis { .. })
        | (First { .. }, First { .. }) => true,
        (LeaveOut { .. } | NeverPropose { .. }, _) => one == other,
        (
            Length { .. } | Tone { .. } | SummarySentences { .. } | Emojis { .. } | First { .. },
            _,
        ) => false,
    }
}

/// The sentences of a text, without the marks of headings and lists.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let ends = |c: char| matches!(c, '.' | '!' | '?' | ';' | '\n');
    let marks =
        |c: char| c.is_whitespace() || matches!(c, '#' | '-' | '*' | '•' | '.' | '!' | '?' | ';');
    let mut rest = text;
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            // A stop within a word ends nothing: "e.g.", "tl;dr", "v1.2".
            let end = rest.char_indices().find(|(at, c)| {
                let next = rest[at + c.len_utf8()..].chars().next();
                *c == '\n' || ends(*c) && next.is_none_or(char::is_whitespace)
            });
            let (sentence, after) = match end {
                Some((at, c)) => (&rest[..at], &rest[at + c.len_utf8()..]),
                None => (rest, ""),
            };
            rest = after;
            let sentence = sentence.trim_matches(marks);
            if sentence.chars().any(char::is_alphanumeric) {
                return Some(sentence);
            }
        }
        None
    })
}

impl<'a> Style<'a> {
    /// The style of understood directives.
    pub fn of(understood: &'a UnderstoodDirectives) -> Self {
        Self(&understood.settings)
    }

    fn find<T>(self, of: impl Fn(DirectiveSetting) -> Option<T>) -> Option<T> {
        self.0.iter().find_map(|setting| of(*setting))
    }

    pub fn length(self) -> Option<ReportLength> {
        self.find(|setting| match setting {
            DirectiveSetting::Length { length } => Some(length),
            _ => None,
        })
    }

    pub fn tone(self) -> Option<ReportTone> {
        self.find(|setting| match setting {
            DirectiveSetting::Tone { tone } => Some(tone),
            _ => None,
        })
    }

    /// How many sentences a summary has at most.
    pub fn summary_sentences(self) -> usize {
        let most = self.find(|setting| match setting {
            DirectiveSetting::SummarySentences { most } => Some(usize::from(most)),
            _ => None,
        });
        let by_length = if self.length() == Some(ReportLength::Short) { 2 } else { 3 };
        most.unwrap_or(by_length)
    }

    pub fn has_emojis(self) -> bool {
        let allowed = self.find(|setting| match setting {
            DirectiveSetting::Emojis { allowed } => Some(allowed),
            _ => None,
        });
        allowed.unwrap_or(true)
    }

    pub fn first(self) -> Option<ReportSection> {
        self.find(|setting| match setting {
            DirectiveSetting::First { section } => Some(section),
            _ => None,
        })
    }

    pub fn has(self, section: ReportSection) -> bool {
        !self.0.contains(&DirectiveSetting::LeaveOut { section })
    }

    pub fn may_propose(self, kind: ProposalKind) -> bool {
        !self.0.contains(&DirectiveSetting::NeverPropose { kind })
    }
}

#[cfg(test)]
mod tests;
