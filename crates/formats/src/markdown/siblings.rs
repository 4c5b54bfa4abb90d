//! Bullets without a box in a list that has boxes.
//!
//! People who tick finished items often write no box before open ones, so a bullet next to a box is an item
//! too, unless it is a name with a value ("Files: a, b") or leads to something ("before we go:"). A bullet
//! above boxes names them: where a file is nothing but such a list, perhaps with a title, it is a heading.
//! Any other bullet is text.

use std::collections::BTreeSet;

use super::check_box::{CheckBox, boxed, listed};
use super::outline::{Heading, Outline};
use super::source::Source;
use crate::reading::indent;

/// Keeps the bullets that are items, removes those that are text, and returns those that are headings.
pub(super) fn settle(source: &Source<'_>, outline: &mut Outline) -> Vec<Heading> {
    let boxes = &outline.boxes;
    // Without a bullet there is nothing to decide.
    if boxes.iter().all(|check| !check.is_guess) {
        return Vec::new();
    }
    let with_box: BTreeSet<usize> =
        boxes.iter().filter(|check| !check.is_plain).filter_map(|check| check.siblings).collect();
    let mut n_boxed = vec![0_usize; boxes.len()];
    let mut n_open = vec![0_usize; boxes.len()];
    for at in (0..boxes.len()).rev() {
        let check = &boxes[at];
        let is_written = usize::from(!check.is_plain);
        if let Some(parent) = check.parent {
            n_boxed[parent] += n_boxed[at] + is_written;
            n_open[parent] += n_open[at] + is_written * usize::from(!check.is_checked);
        }
    }
    let is_outermost_boxed = boxes.iter().any(|check| !check.is_plain && check.parent.is_none());
    let is_over = |at: usize| boxes[at].is_guess && boxes[at].parent.is_none();
    let level = outline.headings.first().map_or(1, |title| title.level + 1);
    let are_headings = outline.headings.len() < 2
        && !is_outermost_boxed
        && (0..boxes.len()).any(|at| is_over(at) && n_boxed[at] > 0)
        && is_only_list(source, outline);
    let mut headings = Vec::new();
    let mut place: Vec<Option<usize>> = Vec::with_capacity(boxes.len());
    let mut kept = Vec::with_capacity(boxes.len());
    for (at, mut check) in std::mem::take(&mut outline.boxes).into_iter().enumerate() {
        check.parent = check.parent.and_then(|parent: usize| place[parent]);
        let is_sibling = check.siblings.is_some_and(|list| with_box.contains(&list));
        if check.is_plain && is_sibling && !is_about_others(words_of(source, &check)) {
            check.is_beside_box = true;
            check.is_checked |= n_boxed[at] > 0 && n_open[at] == 0;
        }
        let is_heading = are_headings
            && check.is_guess
            && check.parent.is_none()
            && indent(source.line(check.first)) == 0;
        if is_heading {
            let line = source.line(check.first).trim();
            let text = line.get(check.marker.len()..).unwrap_or(line).trim();
            let (first, text) = (check.first, text.trim_end_matches(':').trim_end().to_owned());
            headings.push(Heading { first, last: first, level, text });
        }
        if is_heading || check.is_guess && !check.is_beside_box {
            place.push(check.parent);
            continue;
        }
        place.push(Some(kept.len()));
        kept.push(check);
    }
    outline.boxes = kept;
    headings
}

/// Units: words. More before a colon are no name.
const NAME: usize = 3;

/// Whether the words of a bullet are a name with a value, or lead to something.
pub(super) fn is_about_others(words: &str) -> bool {
    match words.trim().split_once(':') {
        Some((_, "")) => true,
        Some((name, value)) => value.starts_with(' ') && name.split_whitespace().count() <= NAME,
        None => false,
    }
}

/// The words of a bullet.
fn words_of<'s>(source: &'s Source<'_>, check: &CheckBox) -> &'s str {
    let line = source.line(check.first).trim();
    line.get(check.marker.len()..).unwrap_or(line).trim()
}

/// Whether a file has no text but that of its lists, and perhaps a title.
fn is_only_list(source: &Source<'_>, outline: &Outline) -> bool {
    let first = outline.headings.first().map_or(outline.first, |title| title.last + 1);
    let is_title = (outline.first..first).all(|number| {
        let is_of_heading = outline.headings.first().is_some_and(|title| number >= title.first);
        is_of_heading || source.line(number).trim().is_empty()
    });
    let mut has_begun = false;
    is_title
        && (first..source.n_lines()).all(|number| {
            let line = source.line(number);
            let is_item = indent(line) == 0 && listed(line.trim()).is_some();
            has_begun |= is_item;
            let kind = outline.lines[number];
            line.trim().is_empty() || is_item || has_begun && indent(line) > 0 && !kind.is_rule
        })
}

/// Whether a file is a title and a list without boxes, and nothing else.
pub(super) fn is_titled_list(source: &Source<'_>, first: usize) -> bool {
    let mut filled = (first..source.n_lines())
        .map(|number| source.line(number))
        .filter(|line| !line.trim().is_empty());
    let is_title = |line: &str| {
        let words = line.trim_start_matches('#');
        words.len() < line.len() && words.starts_with([' ', '\t'])
    };
    let mut n_points = 0;
    filled.next().is_some_and(is_title)
        && filled.all(|line| {
            let text = line.trim();
            let is_point = listed(text).is_some() && boxed(text).is_none();
            n_points += usize::from(is_point && indent(line) == 0);
            is_point || n_points > 0 && indent(line) > 0 && boxed(text).is_none()
        })
        && n_points > 1
}
