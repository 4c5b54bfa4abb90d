//! Reads the structure of a file.

use std::ops::Range;

use dormouse_types::limits;
use dormouse_types::task::Status;
use pulldown_cmark::{Event, HeadingLevel, Parser, Tag};

use super::bounded::bounded;
use super::check_box::{CheckBox, boxed, listed, names_list};
use super::outline::{Heading, LineKind, Outline};
use super::siblings;
use super::source::Source;
use crate::intake::{self, in_bold};
use crate::reading::{Cancel, indent};

/// Units: characters. Longer text above a line of `-` or `=` is not taken for an underlined
/// heading.
const HEADING: usize = 120;

/// Units: characters. Longer text before a colon is a sentence.
const NAME: usize = 60;

enum Frame {
    Quote,
    List,
    Item { first: usize, check: Option<usize>, around: Option<usize>, is_titled: bool },
    Opaque,
    Other,
}

/// Reads the structure of everything below the front matter.
/// Stops at once when it is cancelled; what it has by then is part of the structure.
pub(super) fn read(source: &Source<'_>, first: usize, cancel: &Cancel) -> Outline {
    let mut walk = Walk {
        source,
        stack: Vec::new(),
        items: Vec::new(),
        list: 0,
        lists: Vec::new(),
        n_lists: 0,
        has_boxes: false,
        n_closed: 0,
        actions: Actions {
            lists_done: lists_what_is_done(source, first),
            is_titled_list: siblings::is_titled_list(source, first),
            ..Actions::default()
        },
        filled: filled(source),
        outline: Outline {
            first,
            headings: Vec::new(),
            boxes: Vec::new(),
            lines: vec![LineKind::default(); source.n_lines()],
            is_status_list: false,
            lane_level: None,
        },
    };
    let base = source.start(first);
    let text = bounded(&source.text[base..]);
    for (event, range) in Parser::new(&text).into_offset_iter() {
        if cancel.is_cancelled() {
            break;
        }
        match event {
            Event::Start(tag) => walk.enter(&tag, base + range.start, base + range.end),
            Event::End(_) => walk.leave(),
            Event::Rule => {
                let line = walk.block(base + range.start);
                if walk.stack.is_empty() {
                    walk.outline.lines[line].is_rule = true;
                }
            }
            _ => {}
        }
    }
    let mut outline = walk.outline;
    let over_boxes = siblings::settle(source, &mut outline);
    if over_boxes.is_empty() {
        let names = match outline.headings[..] {
            [] => lines_as_headings(source, &outline, outline.first..source.n_lines(), 1),
            _ => names_of_groups(source, &outline),
        };
        outline.headings.extend(names);
    }
    outline.headings.extend(over_boxes);
    outline.headings.sort_by_key(|heading| heading.first);
    outline
}

/// Lines below the headings of a file that part the boxes of a section into groups: two or more that are in bold or
/// end with a colon, each right above boxes, with no box above the first. They are headings of the next level.
fn names_of_groups(source: &Source<'_>, outline: &Outline) -> Vec<Heading> {
    let ends = outline.headings.iter().skip(1).map(|next| next.first).chain([source.n_lines()]);
    let sections = outline.headings.iter().zip(ends);
    let names = sections.flat_map(|(heading, end)| {
        let body = heading.last + 1..end;
        let found = lines_as_headings(source, outline, body.clone(), heading.level + 1);
        let boxes = &outline.boxes;
        let first_box = boxes.get(boxes.partition_point(|check| check.first < body.start));
        let is_over = |at: usize| {
            let next = (at + 1..body.end).find(|&line| !source.line(line).trim().is_empty());
            next.is_some_and(|next| boxes.binary_search_by_key(&next, |check| check.first).is_ok())
        };
        let are_groups = found.len() > 1
            && found.iter().all(|name| is_over(name.first))
            && first_box.is_some_and(|check| found[0].first < check.first);
        if are_groups { found } else { Vec::new() }
    });
    names.collect()
}

/// Lines that are the headings of a file without any other: those in bold, if one of them is right above a
/// box, and those that end with a colon right above a box, if there are two of them. A name for a list of what
/// is to be done is a part of the task around it.
fn lines_as_headings(
    source: &Source<'_>,
    outline: &Outline,
    lines: Range<usize>,
    level: u8,
) -> Vec<Heading> {
    let is_box = |text: &str| boxed(text).is_some() || intake::boxed(text).is_some();
    let (mut headings, mut n_with_colon) = (Vec::new(), 0);
    let mut is_over_box = false;
    let mut is_last_bold = false;
    // Whether a paragraph can begin here: after a blank line, a box, or the text of one.
    let mut is_apart = true;
    let mut with_colon: Option<Heading> = None;
    for number in lines.filter(|&number| !outline.lines[number].is_opaque) {
        let line = source.line(number);
        let text = line.trim();
        if text.is_empty() {
            is_apart = true;
            continue;
        }
        if is_box(text) {
            is_over_box |= is_last_bold;
            n_with_colon += usize::from(with_colon.is_some());
            headings.extend(with_colon.take().map(|heading| (Sign::Colon, heading)));
        }
        let is_name = indent(line) == 0 && !intake::names_actions(text);
        let heading =
            |words: &str| Heading { first: number, last: number, level, text: words.to_owned() };
        let bold = in_bold(text).filter(|_| is_name);
        is_last_bold = bold.is_some();
        let words = text.strip_suffix(':').map(str::trim_end).filter(|words| {
            is_name
                && bold.is_none()
                && !is_box(text)
                && is_short_name(words, is_apart)
                && listed(text).is_none()
        });
        with_colon = words.map(heading);
        headings.extend(bold.map(|words| (Sign::Bold, heading(words))));
        is_apart = is_box(text) || listed(text).is_some() || indent(line) > 0;
    }
    let counts = |sign: &Sign| match sign {
        Sign::Bold => is_over_box,
        Sign::Colon => n_with_colon > 1,
    };
    headings.into_iter().filter(|(sign, _)| counts(sign)).map(|(_, heading)| heading).collect()
}

/// What makes a line the heading of what is below it.
enum Sign {
    Bold,
    Colon,
}

/// Whether words before a colon can name something, and are no sentence that leads to a list. Right below other
/// text, where a sentence may go on, a name has a capital and few words.
fn is_short_name(words: &str, is_apart: bool) -> bool {
    let is_sentence = words.contains(['.', '?', '!', ';', ':']);
    let is_name = || words.starts_with(char::is_uppercase) && words.split(' ').count() < 4;
    words.chars().any(char::is_alphanumeric)
        && words.chars().count() <= NAME
        && !is_sentence
        && (is_apart || is_name())
}

/// Whether a heading of the file names a list of what is to be done; next to it, the items below "Done"
/// are what was.
fn lists_what_is_done(source: &Source<'_>, first: usize) -> bool {
    let is_underline = |line: &str| {
        let line = line.trim();
        line.len() > 1
            && (line.bytes().all(|sign| sign == b'=') || line.bytes().all(|sign| sign == b'-'))
    };
    (first..source.n_lines()).any(|number| {
        let line = source.line(number);
        let is_underlined =
            || number + 1 < source.n_lines() && is_underline(source.line(number + 1));
        (line.trim_start().starts_with('#') || is_underlined()) && intake::names_actions(line)
    })
}

fn filled(source: &Source<'_>) -> Vec<usize> {
    let mut last = 0;
    let lines = (0..source.n_lines()).map(|number| {
        if !source.line(number).trim().is_empty() {
            last = number;
        }
        last
    });
    lines.collect()
}

struct Walk<'a> {
    source: &'a Source<'a>,
    stack: Vec<Frame>,
    /// Positions of the items in the stack, so that look-ups stay fast in deep quotations.
    items: Vec<usize>,
    /// The line on which the outermost open list begins.
    list: usize,
    /// The numbers of the open lists, the outermost first.
    lists: Vec<usize>,
    n_lists: usize,
    /// Whether somebody wrote a box in the outermost open list.
    has_boxes: bool,
    /// The number of open quotations and opaque blocks.
    n_closed: usize,
    actions: Actions,
    /// For each line, the last one up to it that is not blank.
    filled: Vec<usize>,
    outline: Outline,
}

/// Whether the text at this place is a list of what is to be done.
#[derive(Debug, Clone, Copy, Default)]
struct Actions {
    /// The level of the heading that says so, for what is below it and below its own headings.
    by_heading: Option<u8>,
    /// The line above says so: "Action items:".
    by_line: bool,
    /// The heading says that it is a list of what is done.
    is_done: bool,
    /// Whether such headings count: another one names what is to be done.
    lists_done: bool,
    /// The file is a title and a list, so that each of its items counts.
    is_titled_list: bool,
    /// How many items of plain lists were taken for check items.
    n_items: usize,
}

impl Walk<'_> {
    /// Records the beginning of a block: a title still open ends before it.
    fn block(&mut self, start: usize) -> usize {
        let line = self.source.line_of(self.past_space(start));
        if let Some(&innermost) = self.items.last()
            && let Frame::Item { first, check, is_titled, .. } = &mut self.stack[innermost]
            && line > *first
            && !*is_titled
        {
            *is_titled = true;
            if let Some(check) = *check {
                self.outline.boxes[check].title_last = line - 1;
            }
        }
        line
    }

    fn past_space(&self, start: usize) -> usize {
        start + self.source.text[start..].find(|c: char| !c.is_whitespace()).unwrap_or(0)
    }

    fn last_line(&self, first: usize, end: usize) -> usize {
        let last = self.source.line_of(end.saturating_sub(1));
        self.filled.get(last).map_or(last, |&filled| filled).max(first)
    }

    fn enter(&mut self, tag: &Tag<'_>, start: usize, end: usize) {
        let frame = match tag {
            Tag::Paragraph => {
                let line = self.block(start);
                if self.stack.is_empty() {
                    self.outline.lines[line].begins_block = true;
                    self.actions.by_line = self.names_actions(line, end);
                }
                Frame::Other
            }
            Tag::Heading { level, .. } => {
                let first = self.block(start);
                let last = self.last_line(first, end);
                let is_paragraph = last > first + 1
                    || (last > first && self.source.line(first).chars().count() > HEADING);
                if self.stack.is_empty() && is_paragraph {
                    // CommonMark reads `---` right below a paragraph as its underline, but people
                    // who write it mean a rule.
                    self.outline.lines[first].begins_block = true;
                    self.outline.lines[last].is_rule = true;
                } else if self.stack.is_empty() {
                    let text = heading_text(self.source, first, last);
                    let level = level_number(*level);
                    let around = self.actions.by_heading.filter(|outer| *outer < level);
                    let leads = self.actions.is_titled_list || intake::names_actions(&text);
                    self.actions.by_heading = if leads { Some(level) } else { around };
                    self.actions.is_done =
                        self.actions.lists_done && intake::list_status(&text) == Some(Status::Done);
                    self.actions.by_line = false;
                    self.outline.headings.push(Heading { first, last, level, text });
                }
                Frame::Other
            }
            Tag::List(_) => {
                let line = self.block(start);
                if self.stack.is_empty() {
                    self.list = line;
                    self.has_boxes = self.has_box(line, end);
                }
                self.n_lists += 1;
                self.lists.push(self.n_lists);
                Frame::List
            }
            Tag::Item => {
                let frame = self.item(start, end);
                self.items.push(self.stack.len());
                frame
            }
            Tag::BlockQuote(_) => {
                self.close_over(start, end);
                Frame::Quote
            }
            Tag::CodeBlock(_) | Tag::HtmlBlock => {
                self.close_over(start, end);
                Frame::Opaque
            }
            _ => Frame::Other,
        };
        self.stack.push(frame);
    }

    fn close_over(&mut self, start: usize, end: usize) {
        let first = self.block(start);
        if self.n_closed == 0 {
            let last = self.last_line(first, end);
            for line in first..=last {
                self.outline.lines[line].is_opaque = true;
            }
        }
        self.n_closed += 1;
    }

    fn item(&mut self, start: usize, end: usize) -> Frame {
        let first = self.block(start);
        if matches!(self.stack.as_slice(), [Frame::List]) {
            self.outline.lines[first].begins_block = true;
        }
        let around = self.items.last().and_then(|&item| match &self.stack[item] {
            Frame::Item { check, around, .. } => check.or(*around),
            Frame::Quote | Frame::List | Frame::Opaque | Frame::Other => None,
        });
        let at = self.past_space(start);
        let text = self.source.text[at..self.source.start(first + 1)].trim();
        let (mut is_plain, mut is_guess) = (false, false);
        let found = (self.n_closed == 0).then(|| boxed(text)).flatten();
        let found = found.map(|(marker, mark, _)| (marker, mark)).or_else(|| {
            let is_action = self.is_action();
            is_guess = !is_action && self.n_closed == 0 && self.has_boxes;
            is_plain = is_action || is_guess;
            let mark = if self.actions.is_done { 'x' } else { ' ' };
            listed(text).filter(|_| is_plain).map(|marker| (marker, mark))
        });
        let check = found.map(|(marker, mark)| {
            let last = self.last_line(first, end);
            let lines = (first, last);
            let check = CheckBox::new(self.source, lines, around, at, marker, mark);
            self.actions.n_items += usize::from(is_plain && !is_guess);
            let (list, siblings) = (Some(self.list), self.lists.last().copied());
            let check = CheckBox { is_plain, is_guess, list, siblings, ..check };
            self.outline.boxes.push(check);
            self.outline.boxes.len() - 1
        });
        Frame::Item { first, check, around, is_titled: false }
    }

    /// Whether the last line of a paragraph says that the list below it is to be done.
    fn names_actions(&self, line: usize, end: usize) -> bool {
        let last = self.last_line(line, end);
        let text = self.source.line(last);
        names_list(text) && (last == line || in_bold(text).is_some())
    }

    /// Whether an item of a plain list that begins here is something to do. More than a checklist
    /// holds stay text.
    fn is_action(&self) -> bool {
        let Actions { by_heading, by_line, is_done, is_titled_list, n_items, .. } = self.actions;
        self.n_closed == 0
            && (by_heading.is_some() || by_line || is_done)
            && n_items < limits::ITEMS_PER_TASK.max
            && (is_titled_list || matches!(self.stack.as_slice(), [Frame::List]))
    }

    fn leave(&mut self) {
        match self.stack.pop() {
            Some(Frame::Quote | Frame::Opaque) => self.n_closed -= 1,
            Some(Frame::Item { .. }) => {
                self.items.pop();
            }
            Some(Frame::List) => {
                self.lists.pop();
            }
            Some(Frame::Other) | None => {}
        }
    }

    /// Whether a line of a list begins with a box.
    fn has_box(&self, first: usize, end: usize) -> bool {
        let last = self.last_line(first, end);
        (first..=last).any(|number| boxed(self.source.line(number).trim()).is_some())
    }
}

fn heading_text(source: &Source<'_>, first: usize, last: usize) -> String {
    if last > first {
        return source.line(first).trim().to_owned();
    }
    let text = source.line(first).trim().trim_start_matches('#').trim();
    let open = text.trim_end_matches('#');
    // A closing run of `#` counts only after a space, or if there is nothing before it. With a backslash
    // there, it is part of the text.
    let is_apart = |text: &str| text.is_empty() || text.ends_with([' ', '\t']);
    if let Some(before) = open.strip_suffix('\\')
        && open.len() < text.len()
        && is_apart(before.trim_end_matches('\\'))
    {
        return format!("{before}{}", &text[open.len()..]);
    }
    let text = if is_apart(open) { open } else { text };
    text.trim().to_owned()
}

fn level_number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}
