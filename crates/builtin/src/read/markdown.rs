//! An entry's Markdown as segments: headings, boxes, bullets, table rows, sentences.
//!
//! Code, comments and front matter produce no segments, because they are not evidence. A heading, a
//! bold line or a label above a list opens a section; a day in a heading or at the start of a line
//! dates what follows.

use jiff::civil::Date;

use super::dated::{self, Stamp};
use super::inline;
use super::line::{
    LABEL_LEVEL, Marker, cells, heading, is_definition, is_ruler, label, label_goes_on, marker,
    may_go_on, names_section, opens_fence, opens_with_label, tick, tick_opens, underline, unquoted,
    was_ended,
};
use super::lines::{Line, front_matter, lines};
use super::segment::{Kind, Piece, Segment};
use super::sentence::{sentences, takes_back};

/// Units: characters of a heading that are kept.
const HEADING_MAX: usize = 200;

/// Splits the text of an entry into segments, in order.
///
/// `on` is the day the entry was written: a day without a year is taken to be near it.
pub fn segments(entry: usize, text: &str, on: Date) -> Vec<Segment> {
    let lines = lines(text);
    let mut reader = Reader {
        entry,
        text,
        on,
        found: Vec::new(),
        path: Vec::new(),
        running: Stamp::default(),
        dated: Stamp::default(),
        lists: Vec::new(),
        open: None,
        block: 0,
        columns: Vec::new(),
        below_label: false,
    };
    reader.run(&lines, front_matter(&lines));
    let mut found = reader.found;
    forget_title_day(&mut found);
    found
}

/// Drops the day in the title, unless the text has no other days: then it dates the text.
fn forget_title_day(found: &mut [Segment]) {
    let Some(title) = found.iter().find_map(|segment| match segment.kind {
        Kind::Heading { level: 1 } => Some(segment.stamp.clone()),
        _ => None,
    }) else {
        return;
    };
    let has_other = found.iter().any(|s| s.stamp.on.is_some() && s.stamp != title);
    if title.on.is_some() && has_other {
        for segment in found.iter_mut().filter(|s| s.stamp == title) {
            segment.stamp = Stamp::default();
            segment.on = None;
        }
    }
}

/// A block that may continue in the next line.
struct Open {
    kind: Kind,
    /// Where the block begins in the entry, including its marker.
    start: usize,
    /// Where its words begin.
    words: usize,
    end: usize,
    depth: u32,
    quoted: bool,
    n_lines: usize,
}

struct Reader<'a> {
    entry: usize,
    text: &'a str,
    on: Date,
    found: Vec<Segment>,
    path: Vec<(u8, String, Stamp)>,
    running: Stamp,
    /// Day and time of the last heading that has one; a bare time below it is on that day.
    dated: Stamp,
    /// Columns at which the content of each open list level begins.
    lists: Vec<usize>,
    open: Option<Open>,
    block: usize,
    /// Column titles of the current table.
    columns: Vec<String>,
    /// Whether the list under way is below an item that is only a label: "- **Next steps**:".
    below_label: bool,
}

impl Reader<'_> {
    fn run(&mut self, lines: &[Line<'_>], skip: usize) {
        let mut fence: Option<(char, usize)> = None;
        let mut in_comment = false;
        let mut after_blank = true;
        for (n, line) in lines.iter().enumerate().skip(skip) {
            let text = line.text;
            if let Some((sign, length)) = fence {
                let closes = text.chars().take_while(|c| *c == sign).count() >= length
                    && text.chars().all(|c| c == sign);
                if closes {
                    fence = None;
                }
                continue;
            }
            if in_comment {
                in_comment = !text.contains("-->");
                continue;
            }
            if text.is_empty() {
                self.close(lines, n);
                after_blank = true;
                continue;
            }
            if let Some(found) = opens_fence(text) {
                self.close(lines, n);
                fence = Some(found);
                after_blank = true;
                continue;
            }
            if text.starts_with("<!--") {
                self.close(lines, n);
                in_comment = !text.contains("-->");
                continue;
            }
            let fresh = after_blank;
            after_blank = false;
            if self.open.as_ref().is_some_and(|open| open.quoted != line.quoted) {
                self.close(lines, n);
            }
            let marker = marker(text);
            let base = self.lists.last().copied().unwrap_or(0);
            if fresh && line.indent >= base + 4 && (marker.is_none() || self.lists.is_empty()) {
                // Indented code remains code until it ends.
                after_blank = true;
                continue;
            }
            if let Some((level, words)) = heading(text) {
                self.close(lines, n);
                self.lists.clear();
                self.push_heading(level, words, line);
            } else if let Some(level) = underline(text) {
                self.underlined(level, lines, n);
            } else if text.starts_with('|') && text[1..].contains('|') {
                self.close(lines, n);
                self.row(line, lines.get(n + 1));
            } else if let Some(marker) = marker.filter(|marker| self.may_begin(marker)) {
                self.close(lines, n);
                self.item(line, &marker);
            } else if is_definition(text) {
                self.close(lines, n);
            } else {
                self.words(line, lines, n);
            }
        }
        self.close(lines, lines.len());
    }

    /// A number inside a paragraph starts a list only if it is 1.
    fn may_begin(&self, marker: &Marker) -> bool {
        let in_paragraph = self.open.as_ref().is_some_and(|open| open.kind == Kind::Sentence);
        !(in_paragraph
            && self.lists.is_empty()
            && marker.kind == Kind::Numbered
            && !marker.is_first)
    }

    fn push_heading(&mut self, level: u8, words: &str, line: &Line<'_>) {
        let read = inline::read(words);
        let text: String = read.text.trim_end_matches(':').chars().take(HEADING_MAX).collect();
        if !text.chars().any(char::is_alphanumeric) && read.links.is_empty() {
            return;
        }
        self.path.retain(|(above, _, _)| *above < level);
        // A note is not younger than its entry: "Wedding – 5 June 2027".
        let own =
            dated::heading(&text, self.dated.on, self.on).filter(|own| !own.is_after(self.on));
        let stamp = match own {
            Some(own) => {
                self.dated = own.under(&self.dated);
                self.dated.clone()
            }
            None => self.path.last().map(|(_, _, stamp)| stamp.clone()).unwrap_or_default(),
        };
        self.running = stamp.clone();
        let headings = self.headings();
        self.path.push((level, text.clone(), stamp.clone()));
        self.block += 1;
        self.found.push(Segment {
            entry: self.entry,
            kind: Kind::Heading { level },
            sentences: vec![Piece { text: text.clone(), raw: line.text.to_owned() }],
            text,
            raw: line.text.to_owned(),
            headings,
            on: stamp.on,
            stamp,
            lead: 0,
            quoted: line.quoted,
            depth: 0,
            block: self.block,
            links: read.links,
            columns: Vec::new(),
        });
    }

    fn headings(&self) -> Vec<(u8, String)> {
        self.path.iter().map(|(level, text, _)| (*level, text.clone())).collect()
    }

    fn underlined(&mut self, level: u8, lines: &[Line<'_>], n: usize) {
        let title = self
            .open
            .take_if(|open| open.kind == Kind::Sentence && open.n_lines == 1 && open.depth == 0);
        match title {
            Some(_) => {
                self.lists.clear();
                let line = &lines[n - 1];
                self.push_heading(level, line.text, line);
            }
            None => {
                self.close(lines, n);
                self.lists.clear();
            }
        }
    }

    fn row(&mut self, line: &Line<'_>, next: Option<&Line<'_>>) {
        let is_head = next.is_some_and(|next| is_ruler(next.text));
        if is_head {
            let titles = line.text.trim_matches('|').split('|');
            self.columns = titles.map(|title| inline::read(title).text).collect();
        }
        if is_head || is_ruler(line.text) {
            return;
        }
        self.lists.clear();
        self.emit(&Open {
            kind: Kind::Row,
            start: line.start,
            words: line.start,
            end: line.start + line.text.len(),
            depth: 0,
            quoted: line.quoted,
            n_lines: 1,
        });
    }

    fn item(&mut self, line: &Line<'_>, marker: &Marker) {
        while self.lists.last().is_some_and(|content| line.indent < *content) {
            self.lists.pop();
        }
        if self.lists.is_empty() && self.below_label {
            self.below_label = false;
            self.path.retain(|(level, _, _)| *level < LABEL_LEVEL);
        }
        let depth = self.depth();
        if self.lists.len() < 16 {
            self.lists.push(line.indent + marker.width);
        }
        self.open = Some(Open {
            kind: marker.kind,
            start: line.start,
            words: line.start + marker.taken,
            end: line.start + line.text.len(),
            depth,
            quoted: line.quoted,
            n_lines: 1,
        });
    }

    /// Returns the nesting depth of what comes next; an item that is only a label counts as a heading.
    fn depth(&self) -> u32 {
        let depth = u32::try_from(self.lists.len()).unwrap_or(u32::MAX);
        depth.saturating_sub(u32::from(self.below_label))
    }

    fn words(&mut self, line: &Line<'_>, lines: &[Line<'_>], n: usize) {
        let end = line.start + line.text.len();
        let above = self.open.as_ref().filter(|open| open.kind == Kind::Sentence);
        let is_apart = above.is_some_and(|open| {
            let last = lines[n - 1].text;
            let is_label = open.n_lines == 1 && opens_with_label(last);
            opens_with_label(line.text)
                || is_label && !label_goes_on(last, line.text)
                || was_ended(last, line.text, line.width, line.is_prose)
                || self.opens_moment(line.text, last)
        });
        if is_apart || self.leaves_list(line, n, lines) {
            self.close(lines, n);
        }
        if let Some(open) = &mut self.open {
            open.end = end;
            open.n_lines += 1;
            return;
        }
        while self.lists.last().is_some_and(|content| line.indent < *content) {
            self.lists.pop();
        }
        if self.lists.is_empty() {
            self.path.retain(|(level, _, _)| *level < LABEL_LEVEL);
        }
        let (tick, taken) = tick(line.text);
        self.open = Some(Open {
            kind: tick.map_or(Kind::Sentence, |mark| Kind::Box { mark }),
            start: line.start,
            words: line.start + taken,
            end,
            depth: self.depth(),
            quoted: line.quoted,
            n_lines: 1,
        });
        if tick.is_some() && lines.get(n + 1).is_some_and(|next| tick_opens(next.text)) {
            self.close(lines, n + 1);
        }
    }

    /// Returns whether a line at the margin, below an item that has ended, is outside the list.
    fn leaves_list(&self, line: &Line<'_>, n: usize, lines: &[Line<'_>]) -> bool {
        let is_item = self.open.as_ref().is_some_and(|open| open.kind != Kind::Sentence);
        is_item && line.indent == 0 && n > 0 && !may_go_on(lines[n - 1].text)
    }

    /// Returns whether a line starts with a day or time of its own, below a line that has ended.
    fn opens_moment(&self, line: &str, above: &str) -> bool {
        let ended = above.ends_with(['.', '!', '?', ':', ';']) || self.moment(above).is_some();
        ended && self.moment(line).is_some()
    }

    /// Returns the day and time at the start of a line, and how many bytes of its words they take.
    fn moment(&self, raw: &str) -> Option<(Stamp, usize)> {
        if let Some(found) = dated::opening(raw, self.running.on, self.on) {
            return Some(found);
        }
        // "**8 Jan** Sent it", "**rosa, 8 Jan:** sent it": the bold part contains the date.
        let (bold, _) = raw.strip_prefix("**")?.split_once("**")?;
        if bold.split_whitespace().count() > 6 {
            return None;
        }
        let stamp = dated::heading(bold.trim_end_matches(':'), self.running.on, self.on)?;
        Some((stamp, inline::read(bold).text.len()))
    }

    /// Ends the open block; `next` is the line after it.
    fn close(&mut self, lines: &[Line<'_>], next: usize) {
        let Some(open) = self.open.take() else {
            return;
        };
        if open.kind == Kind::Sentence && open.depth == 0 && open.n_lines == 1 && !open.quoted {
            let words = &self.text[open.start..open.end];
            let above_list = lines[next..]
                .iter()
                .take(2)
                .find(|line| !line.text.is_empty())
                .is_some_and(|line| marker(line.text).is_some() || line.text.starts_with('|'));
            if let Some(level) = label(words, above_list) {
                let line = Line {
                    start: open.start,
                    text: words,
                    indent: 0,
                    quoted: false,
                    width: 0,
                    is_prose: false,
                };
                self.lists.clear();
                self.push_heading(level, words, &line);
                return;
            }
        }
        let is_item = matches!(open.kind, Kind::Bullet | Kind::Numbered);
        if is_item && self.lists.len() == 1 && open.n_lines == 1 && !open.quoted {
            let words = &self.text[open.words..open.end];
            let content = self.lists[0];
            let above_list = lines
                .get(next)
                .is_some_and(|line| line.indent >= content && marker(line.text).is_some());
            if above_list && names_section(words) {
                let line = Line {
                    start: open.start,
                    text: words,
                    indent: 0,
                    quoted: false,
                    width: 0,
                    is_prose: false,
                };
                self.push_heading(LABEL_LEVEL, words, &line);
                self.below_label = true;
                return;
            }
        }
        self.emit(&open);
    }

    fn emit(&mut self, open: &Open) {
        self.block += 1;
        let raw = &self.text[open.start..open.end];
        let words = &self.text[open.words..open.end];
        let pieces: Vec<&str> = match open.kind {
            Kind::Row => vec![words],
            _ => sentences(words),
        };
        if open.kind == Kind::Sentence {
            for (n, piece) in pieces.iter().copied().enumerate() {
                let (read, lead, stamp) = self.read(piece, n == 0);
                if n == 0 && lead > 0 && open.depth == 0 {
                    self.running = stamp.clone();
                }
                let is_taken_back = pieces.get(n + 1).is_some_and(|next| takes_back(next));
                let is_quoted = open.quoted || is_taken_back;
                self.push(&Open { quoted: is_quoted, ..*open }, piece, read, lead, stamp, None);
            }
            return;
        }
        let (read, lead, stamp) = self.read(words, true);
        let parts = pieces
            .into_iter()
            .map(|piece| Piece { text: self.read(piece, false).0.text, raw: piece.to_owned() })
            .filter(|piece| !piece.text.is_empty())
            .collect();
        self.push(open, raw, read, lead, stamp, Some(parts));
    }

    fn read(&self, raw: &str, opens: bool) -> (inline::Words, usize, Stamp) {
        let unquoted = unquoted(raw);
        let cells = unquoted.starts_with('|').then(|| cells(&unquoted));
        let read = inline::read(cells.as_deref().unwrap_or(&unquoted));
        let plain = || dated::opening(&read.text, self.running.on, self.on);
        let bold = || {
            let (stamp, lead) = self.moment(unquoted.trim_start())?;
            let rest = read.text.get(lead..)?;
            Some((stamp, read.text.len() - rest.trim_start_matches([':', ' ', ',', '-']).len()))
        };
        let own = opens.then(|| plain().or_else(bold)).flatten();
        match own {
            Some((stamp, lead)) => {
                let stamp = stamp.under(&self.running);
                (read, lead, stamp)
            }
            None => (read, 0, self.running.clone()),
        }
    }

    fn push(
        &mut self,
        open: &Open,
        raw: &str,
        read: inline::Words,
        lead: usize,
        stamp: Stamp,
        parts: Option<Vec<Piece>>,
    ) {
        if !read.text.chars().any(char::is_alphanumeric) && read.links.is_empty() {
            return;
        }
        let itself = || vec![Piece { text: read.text.clone(), raw: raw.to_owned() }];
        self.found.push(Segment {
            entry: self.entry,
            kind: open.kind,
            sentences: parts.unwrap_or_else(itself),
            text: read.text,
            raw: raw.to_owned(),
            headings: self.headings(),
            on: stamp.on,
            stamp,
            lead,
            quoted: open.quoted,
            depth: open.depth,
            block: self.block,
            links: read.links,
            columns: if open.kind == Kind::Row { self.columns.clone() } else { Vec::new() },
        });
    }
}

#[cfg(test)]
#[path = "markdown_tests.rs"]
mod tests;
