//! Files whose headings only say what is done and what is not: "TODO" above what is open, "Done" above
//! what is finished.
//!
//! Where such a file has paragraphs below them and no task otherwise, each paragraph or item of a list is
//! one, with the status of its heading. So is each item of a board that somebody wrote by hand: headings of one
//! level that all name a status, one of them "In progress" or another word for it.

use std::collections::HashSet;

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

/// Units: words. A longer heading is no name of a lane.
const LANE: usize = 4;

/// Names of lanes that say when or what, and no status.
#[rustfmt::skip]
const LANES: &[&str] = &[
    "ideas", "icebox", "later", "today", "tomorrow", "this week", "next week", "this month", "soon", "upcoming",
    "ideen", "später", "heute", "diese woche", "nächste woche", "idées", "plus tard", "cette semaine",
    "ideas", "más tarde", "esta semana", "idei", "mai târziu", "săptămâna asta",
];

/// The level of the lowest headings, if they are the lanes of a board with at most its title above them.
///
/// Some name a status, among them one of work that goes on. Of boxes, as many again may have another name; a list
/// without boxes is as likely a report, so there all must be known. What is to do and what is done are lanes of boxes
/// too, with no text besides.
fn level_of_lanes(source: &Source<'_>, headings: &[Heading], of: Cards) -> Option<u8> {
    let lowest = headings.iter().map(|heading| heading.level).max()?;
    if headings.iter().filter(|heading| heading.level < lowest).nth(1).is_some() {
        return None;
    }
    let lanes = || headings.iter().filter(|heading| heading.level == lowest);
    let statuses: Vec<Status> = lanes().filter_map(status_of).collect();
    let is_known =
        |lane: &Heading| status_of(lane).is_some() || LANES.contains(&&*lane.text.to_lowercase());
    let n_other = lanes().count() - statuses.len();
    let has = |status: Status| statuses.contains(&status);
    let goes_on = has(Status::InProgress)
        && statuses.iter().any(|status| *status != Status::InProgress)
        && match of {
            Cards::Boxes => n_other <= statuses.len(),
            Cards::Points => lanes().all(is_known),
        };
    let is_done_or_not = of == Cards::Boxes
        && n_other == 0
        && has(Status::Open)
        && has(Status::Done)
        && is_only_boxes(source, headings);
    let is_name = |lane: &Heading| is_known(lane) || lane.text.split_whitespace().count() <= LANE;
    // What has fields is a task, also one that is called "Done".
    let has_fields = |heading: &Heading| {
        let mut below = (heading.last + 1..source.n_lines()).map(|line| source.line(line));
        below.find(|line| !line.trim().is_empty()).is_some_and(|line| fields::read(line).is_some())
    };
    let are_lanes =
        (goes_on || is_done_or_not) && lanes().all(is_name) && !headings.iter().any(has_fields);
    are_lanes.then_some(lowest)
}

/// What the cards of a board are written as.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cards {
    Boxes,
    Points,
}

/// Whether each line below the first heading is a heading, or of a list of boxes.
fn is_only_boxes(source: &Source<'_>, headings: &[Heading]) -> bool {
    let of_heading: HashSet<usize> =
        headings.iter().flat_map(|heading| heading.first..=heading.last).collect();
    let first = headings.first().map_or(0, |heading| heading.first);
    (first..source.n_lines()).filter(|line| !of_heading.contains(line)).all(|number| {
        let line = source.line(number);
        line.trim().is_empty() || line.starts_with([' ', '\t']) || boxed(line.trim()).is_some()
    })
}

/// Whether a heading only says what is done, or what is not. The lane of a board that says more than that is a category.
pub(super) fn names_status(outline: &Outline, heading: usize) -> bool {
    let heading = &outline.headings[heading];
    match outline.has_lanes() {
        true => match status_of(heading) {
            Some(Status::Open | Status::Groomed) => intake::names_actions(&heading.text),
            status => status.is_some(),
        },
        false => outline.is_status_list && status_of(heading).is_some(),
    }
}

/// Whether a heading is a lane of a board.
pub(super) fn is_lane(outline: &Outline, heading: usize) -> bool {
    outline.lane_level == Some(outline.headings[heading].level)
}

/// Makes a task of each block of such a file.
pub(super) fn find(source: &Source<'_>, outline: &mut Outline) {
    let is_of_plain_list = |check: &CheckBox| check.is_plain && check.row.is_none();
    if !outline.boxes.iter().all(is_of_plain_list) {
        outline.lane_level = level_of_lanes(source, &outline.headings, Cards::Boxes);
        return;
    }
    let lane_level = level_of_lanes(source, &outline.headings, Cards::Points);
    let has_lanes = lane_level.is_some();
    if !has_lanes && !outline.headings.iter().any(|heading| intake::names_actions(&heading.text)) {
        return;
    }
    let mut blocks: Vec<CheckBox> = Vec::new();
    for (at, heading) in outline.headings.iter().enumerate() {
        let end = outline.headings.get(at + 1).map_or(source.n_lines(), |next| next.first);
        let body = heading.last + 1..end;
        let of_other_lane = (lane_level == Some(heading.level)).then_some(Status::Open);
        let Some(status) = status_of(heading).or(of_other_lane) else {
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
    let has_cards = has_lanes && n_listed > 3 * (n_sentences + n_leads);
    if has_cards {
        blocks.retain(|block| !block.marker.is_empty());
    }
    let are_tasks = n_sentences > n_listed || has_cards;
    if blocks.len() >= FEWEST && are_tasks {
        outline.boxes = blocks;
        outline.is_status_list = true;
        outline.lane_level = lane_level;
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
