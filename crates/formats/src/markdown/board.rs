//! What Obsidian's Kanban plugin writes into a board besides its cards.
//!
//! Source: obsidian-kanban, the parsers of its Markdown: settings in a comment at the end, and
//! `**Complete**` below the heading of a lane whose cards are done.

use super::outline::Outline;
use super::source::Source;

/// Marks the lines that only the program itself has a use for, so that they are no text.
pub(super) fn mark(source: &Source<'_>, outline: &mut Outline) {
    let n_lines = source.n_lines();
    let settings =
        (outline.first..n_lines).find(|&number| source.line(number).trim() == "%% kanban:settings");
    if let Some(first) = settings {
        let is_end = |&number: &usize| source.line(number).trim() == "%%";
        let last = (first + 1..n_lines).find(is_end).unwrap_or(n_lines - 1);
        for line in &mut outline.lines[first..=last] {
            (line.is_rule, line.is_opaque, line.begins_block) = (true, true, false);
        }
    }
    for heading in &outline.headings {
        let mut below = heading.last + 1..n_lines;
        let first = below.find(|&number| !source.line(number).trim().is_empty());
        if let Some(number) = first.filter(|&number| source.line(number).trim() == "**Complete**") {
            outline.lines[number].is_rule = true;
        }
    }
}
