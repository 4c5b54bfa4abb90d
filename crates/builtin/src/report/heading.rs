//! What a heading says about the text below it.

use std::sync::LazyLock;

use regex::Regex;

use crate::lang::Lang;
use crate::read::fold::fold;

/// What a heading introduces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Below {
    /// Work to be done.
    Todo,
    /// Finished work.
    Done,
    /// The changes of one version.
    Version,
    /// Causes, lessons, decisions.
    Learned,
    /// Open questions.
    Open,
    /// What the text is about.
    Summary,
    /// A heading that says nothing about its text.
    Unknown,
}

/// Returns the kind of the nearest heading of a known kind.
pub fn below(headings: &[(u8, String)], lang: &Lang) -> Below {
    for (_, heading) in headings.iter().rev() {
        if is_version(heading) {
            return Below::Version;
        }
        if let Some(kind) = kind(heading, lang) {
            return kind;
        }
    }
    Below::Unknown
}

/// Returns the kind of a heading: that of the longest phrase in it.
pub fn kind(heading: &str, lang: &Lang) -> Option<Below> {
    let folded = fold(heading);
    let words: Vec<&str> = folded
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '-' | ';')))
        .map(|word| word.trim_matches(['-', '\'']))
        .filter(|word| word.chars().any(char::is_alphabetic))
        .collect();
    let spaced = format!(" {} ", words.join(" "));
    let tables = &lang.report.headings;
    let known = [
        (Below::Todo, tables.todo),
        (Below::Done, tables.done),
        (Below::Learned, tables.learned),
        (Below::Open, tables.open),
        (Below::Summary, tables.summary),
        (Below::Unknown, tables.neutral),
    ];
    let mut best: Option<(usize, Below)> = None;
    for (kind, phrases) in known {
        for phrase in phrases {
            let (phrase, exact) = phrase.strip_prefix('=').map_or((*phrase, false), |p| (p, true));
            let n_words = phrase.split(' ').count();
            let fits = if exact {
                spaced.trim() == phrase
            } else {
                words.len() <= n_words + 4 && spaced.contains(&format!(" {phrase} "))
            };
            if fits && best.is_none_or(|(length, _)| phrase.len() > length) {
                best = Some((phrase.len(), kind));
            }
        }
    }
    best.map(|(_, kind)| kind)
}

static VERSION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^(?:\[?v(?:ersion)?\.?\s*\d+(?:\.\d+)*|\[\d+(?:\.\d+)+|\d+(?:\.\d+){2,}|\d+\.\d+(?:\s*$|\s*[-–—(]+\s*\d)|release\s+v?\d|\[?unreleased\b|\S{1,30}\s+v?\d+(?:\.\d+){1,3}\s*(?:$|[-–—(]))")
        .expect("a fixed pattern")
});

/// Returns whether a heading names a version of a changelog.
pub fn is_version(heading: &str) -> bool {
    VERSION.is_match(heading.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '['))
}

/// Returns a heading as the name of a group, without its numbering.
pub fn name(heading: &str) -> &str {
    let bare =
        heading.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ')' | ' '));
    if bare.chars().filter(|c| c.is_alphabetic()).count() >= 3 { bare } else { heading }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::en::EN;

    #[test]
    fn headings_are_known_by_their_longest_phrase() {
        for (heading, expected) in [
            ("✅ Action items", Some(Below::Todo)),
            ("Questions for follow up", Some(Below::Open)),
            ("What went wrong", Some(Below::Learned)),
            ("4. Next steps for the team", Some(Below::Todo)),
            ("Code and Configuration changes", None),
            ("Changes", Some(Below::Done)),
            ("TL;DR", Some(Below::Summary)),
            ("Timeline", Some(Below::Unknown)),
            ("Kitchen", None),
        ] {
            assert_eq!(kind(heading, &EN), expected, "{heading}");
        }
    }

    #[test]
    fn the_nearest_known_heading_decides() {
        let path = |texts: &[&str]| -> Vec<(u8, String)> {
            texts
                .iter()
                .zip(1..)
                .map(|(text, level)| ((*text).to_owned(), level))
                .map(|(t, l)| (l, t))
                .collect()
        };
        for (headings, expected) in [
            (vec!["Retro", "Action items", "Process improvements"], Below::Todo),
            (vec!["Changelog", "[1.4.0] - 2024-05-06", "Fixed"], Below::Done),
            (vec!["Changelog", "1.4.0"], Below::Version),
            (vec!["Lessons", "Timeline"], Below::Unknown),
            (vec![], Below::Unknown),
        ] {
            assert_eq!(below(&path(&headings), &EN), expected, "{headings:?}");
        }
    }

    #[test]
    fn versions_are_distinguished_from_numbered_headings() {
        for (heading, expected) in [
            ("v2.1", true),
            ("[Unreleased]", true),
            ("1.4.0 (2024-05-06)", true),
            ("4.2 - 2023-01-01", true),
            ("Version 3", true),
            ("2.1 Kitchen", false),
            ("1. Phase 0 — Bootstrap", false),
            ("2018-07-09 08:00", false),
            ("22:48", false),
        ] {
            assert_eq!(is_version(heading), expected, "{heading}");
        }
    }
}
