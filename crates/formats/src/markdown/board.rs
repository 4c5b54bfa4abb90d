//! What Obsidian's Kanban plugin writes into a board besides its cards.
//!
//! A lane's limit of cards is no part of its name, and a lane that is named as what is done or in progress
//! says so of its cards.
//!
//! Source: obsidian-kanban, the parsers of its Markdown: settings in a comment at the end, and
//! `**Complete**` below the heading of a lane whose cards are done.

use dormouse_types::task::Status;

use super::outline::Outline;
use super::source::Source;
use crate::intake;

/// What a lane says about a card that says nothing itself.
pub(super) fn status_of(lane: &str) -> Option<Status> {
    let name = lane.trim_matches(|c: char| !c.is_alphanumeric());
    intake::status_of(name).filter(|status| matches!(status, Status::Done | Status::InProgress))
}

/// The first line of a card, and the others: the program writes a line break as `<br>`.
pub(super) fn lines_of(card: &str) -> (String, String) {
    let mut lines: Vec<&str> = Vec::new();
    let mut rest = card;
    while let Some((at, len)) = line_break(rest) {
        lines.push(rest[..at].trim());
        rest = &rest[at + len..];
    }
    lines.push(rest.trim());
    let first = lines.iter().position(|line| !line.is_empty()).unwrap_or(0);
    (lines[first].to_owned(), lines[first + 1..].join("\n").trim().to_owned())
}

/// The next line break in the form of HTML: where it is, and how long.
fn line_break(text: &str) -> Option<(usize, usize)> {
    text.match_indices('<').find_map(|(at, _)| {
        let tag = text[at..].split_inclusive('>').next()?;
        let name = tag.strip_prefix('<')?.strip_suffix('>')?.trim_end_matches(['/', ' ']);
        name.eq_ignore_ascii_case("br").then_some((at, tag.len()))
    })
}

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
    for heading in &mut outline.headings {
        heading.text = intake::without_limit(&heading.text).to_owned();
        let mut below = heading.last + 1..n_lines;
        let first = below.find(|&number| !source.line(number).trim().is_empty());
        if let Some(number) = first.filter(|&number| source.line(number).trim() == "**Complete**") {
            outline.lines[number].is_rule = true;
        }
    }
}
