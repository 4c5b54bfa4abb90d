//! Files whose headings only say what is done and what is not: "TODO" above what is open, "Done" above
//! what is finished.
//!
//! Where such a file has paragraphs below them and no task otherwise, each paragraph or item of a list is
//! one, with the status of its heading. So is each item of a board that somebody wrote by hand: headings of one
//! level that all name a status, one of them "In progress" or another word for it.

use dormouse_types::task::Status;

use super::check_box::{CheckBox, boxed, ends_broken, listed};
use super::fields;
use super::outline::{Heading, Outline};
use super::source::Source;
use crate::intake;

/// Units: tasks. A single paragraph below a heading is its text.
const FEWEST: usize = 2;

/// The status that a heading gives to what is below it.
pub(super) fn status_of(heading: &Heading) -> Option<Status> {
    let name = intake::without_limit(&heading.text);
    intake::list_status(name).or_else(|| intake::status_of(name))
}

/// Whether the lowest headings are the lanes of a board, with at most its title above them.
fn are_lanes(source: &Source<'_>, headings: &[Heading]) -> bool {
    let Some(lowest) = headings.iter().map(|heading| heading.level).max() else { return false };
    let lanes = headings.iter().filter(|heading| heading.level == lowest);
    if headings.iter().filter(|heading| heading.level < lowest).nth(1).is_some() {
        return false;
    }
    let Some(statuses) = lanes.map(status_of).collect::<Option<Vec<Status>>>() else {
        return false;
    };
    let has_others = statuses.iter().any(|status| *status != Status::InProgress);
    // What has fields is a task, also one that is called "Done".
    let has_fields = |heading: &Heading| {
        let mut below = (heading.last + 1..source.n_lines()).map(|line| source.line(line));
        below.find(|line| !line.trim().is_empty()).is_some_and(|line| fields::read(line).is_some())
    };
    has_others && statuses.contains(&Status::InProgress) && !headings.iter().any(has_fields)
}

/// Whether a heading only says what is done, or what is not. The lane of a board that says more than that is a category.
pub(super) fn names_status(outline: &Outline, heading: usize) -> bool {
    let heading = &outline.headings[heading];
    match outline.has_lanes {
        true => match status_of(heading) {
            Some(Status::Open | Status::Groomed) => intake::names_actions(&heading.text),
            status => status.is_some(),
        },
        false => outline.is_status_list && status_of(heading).is_some(),
    }
}

/// Whether a heading is a lane of a board.
pub(super) fn is_lane(outline: &Outline, heading: usize) -> bool {
    outline.has_lanes && status_of(&outline.headings[heading]).is_some()
}

/// Makes a task of each block of such a file.
pub(super) fn find(source: &Source<'_>, outline: &mut Outline) {
    let is_of_plain_list = |check: &CheckBox| check.is_plain && check.row.is_none();
    let has_lanes = are_lanes(source, &outline.headings);
    if !outline.boxes.iter().all(is_of_plain_list) {
        outline.has_lanes = has_lanes;
        return;
    }
    if !has_lanes && !outline.headings.iter().any(|heading| intake::names_actions(&heading.text)) {
        return;
    }
    let mut blocks: Vec<CheckBox> = Vec::new();
    for (at, heading) in outline.headings.iter().enumerate() {
        let end = outline.headings.get(at + 1).map_or(source.n_lines(), |next| next.first);
        let body = heading.last + 1..end;
        let Some(status) = status_of(heading) else {
            let is_bare = body.clone().all(|line| source.line(line).trim().is_empty());
            let is_title = at == 0 && outline.headings[1..].iter().all(|h| h.level > heading.level);
            if is_bare || is_title {
                continue;
            }
            return;
        };
        let begins = |line: &usize| outline.lines[*line].begins_block;
        let mut first = body.clone().find(begins);
        while let Some(line) = first {
            let mut rest = (line + 1..body.end).filter(begins);
            first = match source.line(line).trim_end().ends_with(':') {
                // "Ask Petra:" and the list below it are one.
                true => rest.find(|&next| listed(source.line(next).trim()).is_none()),
                false => rest.next(),
            };
            let end = first.unwrap_or(body.end);
            let end = (line..end).find(|&line| outline.lines[line].is_rule).unwrap_or(end);
            let Some(block) = block(source, outline, line..end, status) else { return };
            blocks.push(block);
        }
    }
    let n_listed = blocks.iter().filter(|block| !block.marker.is_empty()).count();
    let leads = |block: &&CheckBox| block.title.ends_with(':');
    let n_leads = blocks.iter().filter(leads).filter(|block| block.marker.is_empty()).count();
    let n_sentences = blocks.len() - n_listed - n_leads;
    // A sentence after a list is no task, nor is one that leads to it.
    let are_tasks = n_sentences > n_listed || has_lanes && n_sentences + n_leads == 0;
    if blocks.len() >= FEWEST && are_tasks {
        outline.boxes = blocks;
        outline.is_status_list = true;
        outline.has_lanes = has_lanes;
    }
}

/// A paragraph or item as a task; none if it is a table or has no words.
fn block(
    source: &Source<'_>,
    outline: &Outline,
    lines: std::ops::Range<usize>,
    status: Status,
) -> Option<CheckBox> {
    let first = lines.start;
    let text = source.line(first);
    let at = source.start(first) + (text.len() - text.trim_start().len());
    let marker = listed(text.trim()).unwrap_or_default();
    let mark = match status {
        Status::Done => 'x',
        Status::InProgress => '/',
        Status::Rejected => '-',
        Status::Open | Status::Groomed | Status::Blocked | Status::OnHold => ' ',
    };
    let is_in_list = |line: &str| listed(line).is_some() || boxed(line).is_some();
    let mut title = vec![text.trim().strip_prefix(marker)?.trim()];
    let mut title_last = first;
    for number in first + 1..lines.end {
        let line = source.line(number).trim();
        let is_over = line.is_empty() || outline.lines[number].is_opaque || is_in_list(line);
        if is_over || ends_broken(source.line(number - 1)) {
            break;
        }
        title.push(line);
        title_last = number;
    }
    let is_words = |line: &&str| !line.starts_with('|') && line.contains(char::is_alphanumeric);
    if !title.first().is_some_and(is_words) {
        return None;
    }
    let last = (first..lines.end).rev().find(|&line| !source.line(line).trim().is_empty());
    let lines = (first, last.unwrap_or(first));
    let check = CheckBox::new(source, lines, None, at, marker, mark);
    let title = title.iter().map(|line| line.strip_suffix('\\').unwrap_or(line).trim_end());
    let title = title.collect::<Vec<_>>().join(" ");
    Some(CheckBox { title, title_last, ..check })
}

/// Units: characters. A longer paragraph is named by its first sentence.
const LONG: usize = 200;

/// The first sentence of a long paragraph; none of a short one.
pub(super) fn first_sentence(text: &str) -> Option<String> {
    text.char_indices().nth(LONG)?;
    let ends = text.match_indices(['.', '!', '?']).map(|(at, _)| at + 1);
    let is_end = |end: &usize| {
        let sentence = &text[..*end];
        // "e.g. this" and "1. this" end no sentence.
        let last = sentence.rsplit(' ').next().unwrap_or_default();
        text[*end..].starts_with(' ') && last.chars().filter(|c| c.is_alphabetic()).count() > 3
    };
    let sentence = ends.into_iter().find(is_end).map(|end| &text[..end]);
    let short = sentence.filter(|sentence| sentence.chars().nth(LONG).is_none());
    Some(short.map_or_else(
        || {
            let cut: String = text.chars().take(LONG - 1).collect();
            let cut = cut.rsplit_once(' ').map_or(cut.as_str(), |(before, _)| before);
            format!("{cut}…")
        },
        |sentence| sentence.trim_end_matches('.').to_owned(),
    ))
}
