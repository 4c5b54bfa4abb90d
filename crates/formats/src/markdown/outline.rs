//! The structure of a file by line: headings, check items, and where text may be split.

use dormouse_types::draft::Remark;
use pulldown_cmark::{Event, HeadingLevel, Parser, Tag};

use super::bounded::bounded;
use super::days;
use super::source::{Source, remark};
use crate::intake;
use crate::reading::{columns_of, indent};

/// The structure of a file.
pub(super) struct Outline {
    /// The first line after the front matter.
    pub first: usize,
    pub headings: Vec<Heading>,
    pub boxes: Vec<CheckBox>,
    /// One entry per line.
    pub lines: Vec<LineKind>,
}

/// The properties of a line that decide where text is split.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LineKind {
    /// Whether it is a thematic break outside lists and quotations.
    pub is_rule: bool,
    /// Whether a paragraph or list item begins here, outside any other block.
    pub begins_block: bool,
    /// Whether it is inside code, HTML or a quotation.
    pub is_opaque: bool,
    /// The innermost check item that contains it.
    pub inside: Option<usize>,
}

/// Units: characters. Longer text above a line of `-` or `=` is not taken for an underlined
/// heading.
const HEADING: usize = 120;

/// A heading outside lists and quotations; an underlined one has one line of text.
pub(super) struct Heading {
    pub first: usize,
    /// Its last line; for an underlined heading, the underline.
    pub last: usize,
    pub level: u8,
    /// The text without markup, on one line.
    pub text: String,
}

pub(super) struct CheckBox {
    pub first: usize,
    /// The last line of its title.
    pub title_last: usize,
    /// The last line of its content.
    pub last: usize,
    /// The nearest enclosing check item.
    pub parent: Option<usize>,
    /// Nesting depth, from 0; only check items count.
    pub depth: u32,
    pub is_checked: bool,
    /// The full title, on one line.
    pub title: String,
    /// The text before the box, for example `- ` or `3. `; empty for a box without a list marker.
    pub marker: String,
    /// What stands in the box; `\0` if nothing does.
    pub mark: char,
    /// The column its marker begins at. Units: columns, with tabs as wide as in CommonMark.
    pub column: usize,
    /// Where its marker begins. Units: bytes of the text.
    at: usize,
}

enum Frame {
    Quote,
    List,
    Item { first: usize, check: Option<usize>, around: Option<usize>, is_titled: bool },
    Opaque,
    Other,
}

/// Reads the structure of everything below the front matter.
pub(super) fn read(source: &Source<'_>, first: usize, remarks: &mut Vec<Remark>) -> Outline {
    let mut walk = Walk {
        source,
        stack: Vec::new(),
        items: Vec::new(),
        n_closed: 0,
        filled: filled(source),
        outline: Outline {
            first,
            headings: Vec::new(),
            boxes: Vec::new(),
            lines: vec![LineKind::default(); source.n_lines()],
        },
    };
    let base = source.start(first);
    let text = bounded(&source.text[base..]);
    for (event, range) in Parser::new(&text).into_offset_iter() {
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
    finish(source, &mut outline, remarks);
    outline
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
    /// The number of open quotations and opaque blocks.
    n_closed: usize,
    /// For each line, the last one up to it that is not blank.
    filled: Vec<usize>,
    outline: Outline,
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
                    self.outline.headings.push(Heading { first, last, level, text });
                }
                Frame::Other
            }
            Tag::List(_) => {
                self.block(start);
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
        let check = (self.n_closed == 0).then(|| boxed(text)).flatten().map(|(marker, mark, _)| {
            let last = self.last_line(first, end);
            let lines = (first, last);
            self.outline.boxes.push(CheckBox::new(self.source, lines, around, at, marker, mark));
            self.outline.boxes.len() - 1
        });
        Frame::Item { first, check, around, is_titled: false }
    }

    fn leave(&mut self) {
        match self.stack.pop() {
            Some(Frame::Quote | Frame::Opaque) => self.n_closed -= 1,
            Some(Frame::Item { .. }) => {
                self.items.pop();
            }
            Some(Frame::List | Frame::Other) | None => {}
        }
    }
}

impl CheckBox {
    fn new(
        source: &Source<'_>,
        (first, last): (usize, usize),
        parent: Option<usize>,
        at: usize,
        marker: &str,
        mark: char,
    ) -> Self {
        Self {
            first,
            title_last: last,
            last,
            parent,
            depth: 0,
            is_checked: intake::is_tick(mark) == Some(true),
            title: String::new(),
            marker: marker.to_owned(),
            mark,
            column: columns_of(&source.text[source.start(first)..at]),
            at,
        }
    }
}

/// Splits `- [x] text` into marker, box content and text.
fn boxed(item: &str) -> Option<(&str, char, &str)> {
    let digits = item.bytes().take_while(u8::is_ascii_digit).count();
    let after = if digits > 0 {
        item[digits..].strip_prefix(['.', ')'])?
    } else {
        item.strip_prefix(['-', '*', '+'])?
    };
    let content = after.trim_start();
    if content.len() == after.len() {
        return None;
    }
    let (mark, rest) = intake::boxed(content)?;
    Some((&item[..item.len() - content.len()], mark, rest))
}

/// Completes titles, depths and extents, and removes boxes without words, which stay text.
fn finish(source: &Source<'_>, outline: &mut Outline, remarks: &mut Vec<Remark>) {
    add_unlisted(source, outline);
    let mut begins = vec![false; source.n_lines()];
    for check in &outline.boxes {
        begins[check.first] = true;
    }
    let mut place = Vec::with_capacity(outline.boxes.len());
    let mut kept: Vec<CheckBox> = Vec::with_capacity(outline.boxes.len());
    for mut check in std::mem::take(&mut outline.boxes) {
        // A parent comes before its children, so its place is already known.
        check.parent = check.parent.and_then(|parent: usize| place[parent]);
        complete(source, &begins, &mut check);
        if check.title.is_empty() {
            remarks.push(remark(check.first, "a box without words: kept as text"));
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

/// Adds boxes that CommonMark reads as running text: without a list marker, or in a list that
/// cannot begin where it stands.
fn add_unlisted(source: &Source<'_>, outline: &mut Outline) {
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
        let line = source.line(number);
        let text = line.trim();
        let found = boxed(text).or_else(|| {
            let (mark, rest) = intake::boxed(text)?;
            // `[]` and `[-]` alone are more often typography than a box.
            (matches!(mark, ' ' | 'x' | 'X') && !rest.is_empty()).then_some(("", mark, rest))
        });
        let Some((marker, mark, _)) = found else { continue };
        let at = source.start(number) + line.len() - line.trim_start().len();
        let column = indent(line);
        let mut parent = boxes.len().checked_sub(1);
        while let Some(around) = parent.map(|parent| &boxes[parent])
            && (around.column >= column || around.last + 1 < number)
        {
            parent = around.parent;
        }
        boxes.push(CheckBox::new(source, (number, number), parent, at, marker, mark));
    }
    outline.boxes = boxes;
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
    let found = boxed(text).map(|(_, _, rest)| rest).or_else(|| Some(intake::boxed(text)?.1));
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

/// Whether a line ends with a Markdown line break: two spaces or a backslash.
fn ends_broken(line: &str) -> bool {
    // An even number of backslashes is that many escaped backslashes.
    let backslashes = line.bytes().rev().take_while(|&byte| byte == b'\\').count();
    line.ends_with("  ") || backslashes % 2 == 1
}

fn heading_text(source: &Source<'_>, first: usize, last: usize) -> String {
    if last > first {
        return source.line(first).trim().to_owned();
    }
    let text = source.line(first).trim().trim_start_matches('#').trim();
    let open = text.trim_end_matches('#');
    // A closing run of `#` counts only after a space, or if there is nothing before it.
    let text = if open.is_empty() || open.ends_with([' ', '\t']) { open } else { text };
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
