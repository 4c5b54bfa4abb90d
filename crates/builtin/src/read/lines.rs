//! The lines of an entry, with what their neighbours reveal about them.

use super::line::{marker, was_ended};
use super::sentence::is_small_style;

/// A line of an entry.
pub(super) struct Line<'a> {
    /// Where the content begins in the entry.
    pub(super) start: usize,
    /// Without quote marks and surrounding space.
    pub(super) text: &'a str,
    /// Units: columns of white space before the content.
    pub(super) indent: usize,
    pub(super) quoted: bool,
    /// Units: characters of the longest line of its paragraph; [`BY_HAND`] if most of its lines
    /// were ended deliberately.
    pub(super) width: usize,
    /// Whether its paragraph consists of whole sentences.
    pub(super) is_prose: bool,
}

/// Splits a text into its lines.
pub(super) fn lines(text: &str) -> Vec<Line<'_>> {
    let mut at = 0;
    let mut lines = Vec::new();
    for line in text.split('\n') {
        let mut rest = line;
        let mut quoted = false;
        while let Some(inner) = rest.trim_start().strip_prefix('>') {
            quoted = true;
            rest = inner.strip_prefix(' ').unwrap_or(inner);
        }
        let body = rest.trim_start();
        let indent =
            rest[..rest.len() - body.len()].chars().map(|c| if c == '\t' { 4 } else { 1 }).sum();
        let start = at + (line.len() - body.len());
        lines.push(Line {
            start,
            text: body.trim_end(),
            indent,
            quoted,
            width: 0,
            is_prose: false,
        });
        at += line.len() + 1;
    }
    for paragraph in lines.split_mut(|line| line.text.is_empty() || marker(line.text).is_some()) {
        let width = paragraph.iter().map(|line| line.text.chars().count()).max().unwrap_or(0);
        // Who writes sentences in small letters ends lines where they end.
        let is_small = paragraph.first().is_some_and(|line| opens_small(line.text))
            || paragraph.iter().any(|line| is_small_style(line.text));
        let is_prose = !is_small && paragraph.iter().any(|line| has_sentence_end(line.text));
        let is_ended = |pair: &&[Line<'_>]| was_ended(pair[0].text, pair[1].text, width, is_prose);
        let n_ended = paragraph.windows(2).filter(is_ended).count();
        let by_hand = is_small || n_ended > 0 && n_ended * 2 + 1 >= paragraph.len();
        for line in paragraph {
            line.is_prose = is_prose;
            line.width = if by_hand { BY_HAND } else { width };
        }
    }
    lines
}

/// Wider than any line: every line was ended deliberately.
const BY_HAND: usize = usize::MAX;

/// Returns how many lines at the top are front matter.
pub(super) fn front_matter(lines: &[Line<'_>]) -> usize {
    if lines.first().is_none_or(|line| line.text != "---") {
        return 0;
    }
    let end = lines.iter().skip(1).take(60).position(|line| line.text == "---");
    let holds_keys = |n: usize| {
        lines[1..=n].iter().all(|line| {
            line.text.is_empty()
                || line.indent > 0
                || line.text.starts_with(['-', '#'])
                || line.text.contains(':')
        })
    };
    end.filter(|n| *n > 0 && holds_keys(*n)).map_or(0, |n| n + 2)
}

/// Returns whether the first letter of a line is a small one.
fn opens_small(line: &str) -> bool {
    line.chars().find(|c| c.is_alphabetic()).is_some_and(char::is_lowercase)
}

/// Returns whether a sentence ends within a line and the next word starts with a capital letter.
fn has_sentence_end(line: &str) -> bool {
    line.ends_with('.')
        || line.match_indices(". ").any(|(at, _)| line[at + 2..].starts_with(char::is_uppercase))
}
