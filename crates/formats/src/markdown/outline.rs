//! The structure of a file by line: headings, check items, and where text may be split.

use dormouse_types::draft::Remark;
use pulldown_cmark::{Event, HeadingLevel, Parser, Tag};

use super::date;
use super::source::{Source, remark};

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
    parent: Option<usize>,
    /// Nesting depth, from 0; only check items count.
    pub depth: u32,
    pub is_checked: bool,
    /// The full title, on one line.
    pub title: String,
    /// The text before the box, for example `- ` or `3. `.
    pub marker: String,
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
        outline: Outline {
            first,
            headings: Vec::new(),
            boxes: Vec::new(),
            lines: vec![LineKind::default(); source.n_lines()],
        },
    };
    let base = source.start(first);
    for (event, range) in Parser::new(&source.text[base..]).into_offset_iter() {
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

struct Walk<'a> {
    source: &'a Source<'a>,
    stack: Vec<Frame>,
    /// Positions of the items in the stack, so that look-ups stay fast in deep quotations.
    items: Vec<usize>,
    /// The number of open quotations and opaque blocks.
    n_closed: usize,
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
        let mut last = self.source.line_of(end.saturating_sub(1));
        while last > first && self.source.line(last).trim().is_empty() {
            last -= 1;
        }
        last.max(first)
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
        let text = self.source.text[self.past_space(start)..self.source.start(first + 1)].trim();
        let check = (self.n_closed == 0).then(|| boxed(text)).flatten().map(|(marker, mark, _)| {
            let last = self.last_line(first, end);
            self.outline.boxes.push(CheckBox {
                first,
                title_last: last,
                last,
                parent: around,
                depth: 0,
                is_checked: matches!(mark, 'x' | 'X' | '✓' | '✔'),
                title: String::new(),
                marker: marker.to_owned(),
            });
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
    let (mark, rest) = content.strip_prefix('[')?.split_once(']')?;
    let mut marks = mark.chars();
    let mark = marks.next().unwrap_or('\0');
    let is_box = marks.next().is_none()
        && matches!(
            mark,
            '\0' | ' ' | '\t' | 'x' | 'X' | '✓' | '✔' | '~' | '-' | '/' | '>' | '<' | '!' | '?'
        );
    let is_apart = rest.is_empty() || rest.starts_with(char::is_whitespace);
    (is_box && is_apart).then(|| (&item[..item.len() - content.len()], mark, rest.trim()))
}

/// Completes titles and depths, and removes boxes without words, which stay text.
fn finish(source: &Source<'_>, outline: &mut Outline, remarks: &mut Vec<Remark>) {
    let mut place = Vec::with_capacity(outline.boxes.len());
    let mut kept: Vec<CheckBox> = Vec::with_capacity(outline.boxes.len());
    for mut check in std::mem::take(&mut outline.boxes) {
        // A parent comes before its children, so its place is already known.
        check.parent = check.parent.and_then(|parent: usize| place[parent]);
        let mark = complete(source, &mut check);
        if check.title.is_empty() {
            remarks.push(remark(check.first, "a box without words: kept as text"));
            place.push(check.parent);
            continue;
        }
        match mark {
            '~' | '-' | '/' | '>' | '<' | '!' | '?' => {
                remarks.push(remark(check.first, format!("box `[{mark}]` read as not ticked")));
            }
            '\0' => remarks.push(remark(check.first, "box `[]` read as not ticked")),
            _ => {}
        }
        check.depth = check.parent.map_or(0, |parent| kept[parent].depth + 1);
        for line in check.first..=check.last {
            outline.lines[line].inside = Some(kept.len());
        }
        place.push(Some(kept.len()));
        kept.push(check);
    }
    outline.boxes = kept;
    for (number, kind) in outline.lines.iter().enumerate().skip(outline.first) {
        let line = source.line(number).trim_start();
        let naked = ["[ ] ", "[x] ", "[X] "].iter().any(|start| line.starts_with(start));
        if naked && !kind.is_opaque {
            remarks.push(remark(number, "a box without a list marker before it: kept as text"));
        }
    }
}

/// Fills in the title and the line it ends on; returns the box content.
fn complete(source: &Source<'_>, check: &mut CheckBox) -> char {
    let line = source.line(check.first);
    let found = (0..line.len())
        .filter(|&at| line.is_char_boundary(at) && line[at..].starts_with(check.marker.as_str()))
        .find_map(|at| boxed(line[at..].trim()));
    let Some((_, mark, rest)) = found else { return ' ' };
    let mut parts = vec![rest];
    let mut last = check.first;
    for number in check.first + 1..=check.title_last {
        let line = source.line(number);
        if line.trim().is_empty() {
            break;
        }
        // The writer's own line break starts a note; a merely wrapped line continues the title.
        if ends_broken(source.line(number - 1)) {
            if let Some(part) = parts.last_mut() {
                *part = part.strip_suffix('\\').unwrap_or(part).trim_end();
            }
            break;
        }
        if date::heads_note(line) {
            check.last = number - 1;
            break;
        }
        parts.push(line.trim());
        last = number;
    }
    check.title_last = last;
    parts.retain(|part| !part.is_empty());
    check.title = parts.join(" ");
    mark
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
