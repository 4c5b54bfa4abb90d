//! Check items as a whole: their titles, their depth, and where they end.

use std::collections::{BTreeMap, BTreeSet};

use dormouse_types::draft::Remark;

use super::check_box::{CheckBox, boxed, ends_broken, listed};
use super::days;
use super::outline::Outline;
use super::siblings::is_about_others;
use super::signs;
use super::source::{Source, remark};
use super::status_lists;
use super::tables;
use crate::intake;
use crate::reading::indent;

/// Completes titles, depths and extents, and removes boxes without words, which stay text.
pub(super) fn finish(source: &Source<'_>, outline: &mut Outline, remarks: &mut Vec<Remark>) {
    add_unlisted(source, outline);
    status_lists::find(source, outline);
    let boxed = with_boxes(outline);
    // Of each list, how many items have a box and how many have none.
    let mut lists: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    for check in &outline.boxes {
        let Some(list) = check.list else { continue };
        let (n_boxed, n_plain) = lists.entry(list).or_default();
        *if check.is_plain { n_plain } else { n_boxed } += 1;
    }
    let mut begins = vec![false; source.n_lines()];
    for check in &outline.boxes {
        begins[check.first] = true;
    }
    let mut place = Vec::with_capacity(outline.boxes.len());
    let mut kept: Vec<CheckBox> = Vec::with_capacity(outline.boxes.len());
    for mut check in std::mem::take(&mut outline.boxes) {
        // A parent comes before its children, so its place is already known.
        check.parent = check.parent.and_then(|parent: usize| place[parent]);
        let section = outline.headings.partition_point(|heading| heading.first <= check.first);
        let of_list = check.list.and_then(|list| lists.get(&list));
        // A bullet among more boxes says what they are about.
        let is_beside =
            of_list.is_some_and(|&(n_boxed, n_plain)| n_boxed > 0 && n_plain >= n_boxed);
        if check.is_plain && !check.is_beside_box && boxed.contains(&section) && !is_beside {
            // Where somebody wrote boxes, another list without any is text.
            place.push(check.parent);
            continue;
        }
        if check.row.is_none() && !outline.is_status_list {
            complete(source, &begins, &mut check);
        }
        if check.title.is_empty() {
            remarks.push(remark(check.first, "a box without words: kept in the note"));
            place.push(check.parent);
            continue;
        }
        check.depth = check.parent.map_or(0, |parent| kept[parent].depth + 1);
        place.push(Some(kept.len()));
        kept.push(check);
    }
    outline.boxes = kept;
    surround(source, outline);
}

/// The sections in which somebody wrote a box, each as the number of headings up to it.
fn with_boxes(outline: &Outline) -> BTreeSet<usize> {
    let written = outline.boxes.iter().filter(|check| !check.is_plain);
    let section =
        |check: &CheckBox| outline.headings.partition_point(|heading| heading.first <= check.first);
    written.map(section).collect()
}

/// Adds boxes that CommonMark reads as running text: without a list marker, in a list that
/// cannot begin where it is, or in a row of a table.
fn add_unlisted(source: &Source<'_>, outline: &mut Outline) {
    let mut rows = tables::rows(source, outline).into_iter().peekable();
    let mixed = mixed_lists(source, outline);
    let listed = std::mem::take(&mut outline.boxes);
    let mut listed = listed.into_iter().enumerate().peekable();
    // The new position of each box that CommonMark found.
    let mut moved: Vec<usize> = Vec::new();
    let mut boxes: Vec<CheckBox> = Vec::new();
    for number in outline.first..source.n_lines() {
        let before = boxes.len();
        while let Some((_, mut check)) = listed.next_if(|(_, check)| check.first <= number) {
            check.parent = check.parent.map(|parent| moved[parent]);
            moved.push(boxes.len());
            boxes.push(check);
        }
        if boxes.len() > before || outline.lines[number].is_opaque {
            continue;
        }
        if let Some(row) = rows.next_if(|row| row.first == number) {
            boxes.push(row);
            continue;
        }
        let line = source.line(number);
        let text = line.trim();
        let found = boxed(text).or_else(|| {
            let (mark, rest) = intake::boxed(text)?;
            // `[]` and `[-]` alone are more often typography than a box; next to other boxes they are none.
            let is_box =
                is_plain_box(mark) || STATES.contains(&mark) && is_near_box(source, number);
            (is_box && !rest.is_empty()).then_some(("", mark, rest))
        });
        let beside = (found.is_none() && mixed.contains(&number)).then(|| bullet(text)).flatten();
        let beside = beside.filter(|marker| !is_about_others(&text[marker.len()..]));
        let Some((marker, mark, _)) = found.or(beside.map(|marker| (marker, ' ', ""))) else {
            continue;
        };
        let at = source.start(number) + line.len() - line.trim_start().len();
        let column = indent(line);
        let mut parent = boxes.len().checked_sub(1);
        while let Some(around) = parent.map(|parent| &boxes[parent])
            && (around.column >= column || around.last + 1 < number)
        {
            parent = around.parent;
        }
        let check = CheckBox::new(source, (number, number), parent, at, marker, mark);
        let is_plain = beside.is_some();
        boxes.push(CheckBox { is_plain, is_beside_box: is_plain, ..check });
        // What is around it goes on with the next line.
        let mut around = parent;
        while let Some(at) = around {
            boxes[at].last = boxes[at].last.max(number);
            around = boxes[at].parent;
        }
    }
    outline.boxes = boxes;
}

/// The signs that people write in boxes without a bullet, apart from ticks.
const STATES: &[char] = &['v', '√', '-', '/', '~', '>', '<', '?', '!', '*'];

fn is_plain_box(mark: char) -> bool {
    matches!(mark, ' ' | 'x' | 'X')
}

/// Whether a line is one of a block of lines that all begin with boxes, one of them blank or ticked.
fn is_near_box(source: &Source<'_>, number: usize) -> bool {
    /// How far the block is followed in each direction.
    const FAR: usize = 20;
    let mark = |line: usize| {
        let (mark, rest) = intake::boxed(source.line(line).trim())?;
        (!rest.is_empty()).then_some(mark)
    };
    let before = (0..number).rev().map_while(mark).take(FAR);
    let after = (number + 1..source.n_lines()).map_while(mark).take(FAR);
    before.chain(after).any(is_plain_box)
}

/// The bullet or number before a line, in any form that people type.
fn bullet(text: &str) -> Option<&str> {
    let other = || {
        let words = text.strip_prefix(['•', '–', '·', '◦', '▪'])?;
        let content = words.trim_start();
        (content.len() < words.len() && !content.is_empty())
            .then(|| &text[..text.len() - content.len()])
    };
    listed(text).or_else(other)
}

/// The lines of lists whose bullets are of several kinds, and some of them boxes: CommonMark begins another list
/// with each kind, but for who typed or pasted them they are one. No such line is indented, and no other line is
/// between them.
fn mixed_lists(source: &Source<'_>, outline: &Outline) -> BTreeSet<usize> {
    let mut mixed = BTreeSet::new();
    let kind = |line: &str| {
        let text = line.trim_end();
        match (text.starts_with(|c: char| c.is_whitespace()), intake::boxed(text)) {
            (true, _) => None,
            (false, Some((_, words))) => (!words.is_empty()).then_some('['),
            (false, None) => bullet(text).and_then(|_| text.chars().next()),
        }
    };
    let kind = |number: usize| {
        let kind = kind(source.line(number)).filter(|_| !outline.lines[number].is_opaque)?;
        Some(if kind.is_ascii_digit() { '1' } else { kind })
    };
    let mut number = outline.first;
    while number < source.n_lines() {
        let start = number;
        while number < source.n_lines() && kind(number).is_some() {
            number += 1;
        }
        let is_box = |line: usize| {
            let text = source.line(line).trim();
            boxed(text).is_some() || intake::boxed(text).is_some()
        };
        let kinds: BTreeSet<char> = (start..number).filter_map(kind).collect();
        if kinds.len() > 1 && (start..number).any(is_box) {
            mixed.extend(start..number);
        }
        number = number.max(start + 1);
    }
    mixed
}

/// Finds the innermost item around each line. A line that is not indented below an item ends it,
/// although CommonMark continues its paragraph: people write the text below a list without an empty
/// line before it.
fn surround(source: &Source<'_>, outline: &mut Outline) {
    let boxes = &mut outline.boxes;
    // The nearest item around each one that has not ended.
    let mut live: Vec<Option<usize>> = (0..boxes.len()).map(Some).collect();
    let mut open: Vec<usize> = Vec::new();
    let mut next = 0;
    for number in outline.first..source.n_lines() {
        while next < boxes.len() && boxes[next].first <= number {
            open.push(next);
            next += 1;
        }
        while open.last().is_some_and(|&at| boxes[at].last < number) {
            open.pop();
        }
        let line = source.line(number);
        let mut inside = open.last().and_then(|&at| alive(&mut live, at));
        if !line.trim().is_empty() {
            let column = indent(line);
            while let Some(at) = inside
                && number > boxes[at].title_last
                && column <= boxes[at].column
                && !outline.is_status_list
            {
                boxes[at].last = number - 1;
                live[at] = boxes[at].parent;
                inside = alive(&mut live, at);
            }
        }
        outline.lines[number].inside = inside;
    }
}

/// Follows the ended items to one that has not ended, and shortens the way for the next time.
fn alive(live: &mut [Option<usize>], from: usize) -> Option<usize> {
    let mut end = Some(from);
    while let Some(at) = end
        && live[at] != Some(at)
    {
        end = live[at];
    }
    let mut at = from;
    while live[at] != Some(at)
        && let Some(next) = live[at]
    {
        live[at] = end;
        at = next;
    }
    end
}

/// Fills in the title and the line it ends on.
fn complete(source: &Source<'_>, begins: &[bool], check: &mut CheckBox) {
    let text = source.text[check.at..source.start(check.first + 1)].trim();
    let plain = text.get(check.marker.len()..).filter(|_| check.is_plain);
    let found = plain
        .or_else(|| boxed(text).map(|(_, _, rest)| rest))
        .or_else(|| Some(intake::boxed(text)?.1));
    let Some(rest) = found else { return };
    let mut parts = vec![rest];
    let mut last = check.first;
    let is_next = |number: usize| begins.get(number).copied().unwrap_or_default();
    for number in check.first + 1..=check.title_last {
        let line = source.line(number);
        if line.trim().is_empty() || is_next(number) {
            break;
        }
        // The writer's own line break starts a note; a merely wrapped line continues the title.
        if ends_broken(source.line(number - 1)) {
            if let Some(part) = parts.last_mut() {
                *part = part.strip_suffix('\\').unwrap_or(part).trim_end();
            }
            break;
        }
        if indent(line) <= check.column {
            check.last = number - 1;
            break;
        }
        // A task of Obsidian is one line, which its dates and signs end.
        if signs::read(source.line(number - 1)).ends_with_field {
            break;
        }
        if line.trim_start().starts_with('|') {
            break;
        }
        if days::heads_note(line) {
            check.last = number - 1;
            break;
        }
        parts.push(line.trim());
        last = number;
    }
    check.title_last = last;
    parts.retain(|part| !part.is_empty());
    check.title = parts.join(" ");
}
