//! Divides text into entries: where each begins and ends, its day, its key, its size.

use dormouse_types::draft::{Entry, Remark};
use dormouse_types::limits;
use jiff::civil::Date;

use super::days;
use super::key::{self, Counter};
use super::outline::Outline;
use super::places::Places;
use super::sections::Section;
use super::source::{Source, remark};
use crate::reading::Role;
use crate::when::Leading;

/// Collects the entries of one task, section by section.
pub(super) struct Gatherer<'a> {
    source: &'a Source<'a>,
    outline: &'a Outline,
    remarks: &'a mut Vec<Remark>,
    places: &'a mut Places,
    /// The task that the text belongs to.
    task: usize,
    /// Units: columns of indentation that a line loses.
    margin: usize,
    /// The lines that became fields, with their roles.
    fields: Vec<(usize, Role)>,
    keys: Counter,
    done: Vec<Entry>,
    open: Option<Open>,
}

/// The entry that text is added to until another one begins.
struct Open {
    line: usize,
    level: u8,
    /// Whether it includes deeper headings.
    takes_deeper: bool,
    /// Whether it has only headings so far.
    is_bare: bool,
    /// Whether its date comes from its own heading or line.
    is_dated: bool,
    on: Option<Date>,
    base: String,
    text: String,
}

/// Where a section is in the task it belongs to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Position {
    /// Whether its heading became the title and so is not repeated.
    pub is_titled: bool,
    /// Whether what follows is separate: it is the task's own section, or its heading is above the
    /// whole file.
    pub stands_alone: bool,
    /// The day of its heading, or of an enclosing one.
    pub on: Option<Date>,
}

impl<'a> Gatherer<'a> {
    /// Creates a gatherer without entries.
    pub fn new(
        source: &'a Source<'a>,
        outline: &'a Outline,
        remarks: &'a mut Vec<Remark>,
        places: &'a mut Places,
        task: usize,
    ) -> Self {
        let (keys, done) = (Counter::default(), Vec::new());
        Self {
            source,
            outline,
            remarks,
            places,
            task,
            margin: 0,
            fields: Vec::new(),
            keys,
            done,
            open: None,
        }
    }

    /// Takes the indentation of an item away from the lines that follow.
    pub fn dedent(&mut self, margin: usize) {
        self.margin = margin;
    }

    /// Leaves a line out that became fields.
    pub fn take_fields(&mut self, line: usize, role: Role) {
        self.fields.push((line, role));
    }

    /// Sets the place of a line of the task.
    pub fn place(&mut self, line: usize, role: Role) {
        self.places.set(line, role, Some(self.task));
    }

    /// Adds a text under its own key, before everything that is still open.
    pub fn whole(&mut self, line: usize, base: String, text: &str) {
        self.keep(line, base, text, None);
    }

    /// Adds the text of the next section.
    pub fn section(&mut self, section: &Section, position: Position) {
        let heading = section.heading(self.outline).filter(|_| !position.is_titled);
        if let Some(heading) = heading {
            let year = position.on.map(Date::year);
            let begins_day = days::leading(&heading.text, year).day().is_some();
            let goes_along = !position.stands_alone
                && self
                    .open
                    .as_ref()
                    .is_some_and(|open| open.takes(section.level, &heading.text, begins_day));
            let lines: Vec<_> =
                (heading.first..=heading.last).map(|l| self.source.line(l)).collect();
            for line in heading.first..=heading.last {
                self.places.set(line, Role::Note, Some(self.task));
            }
            let bare = self.open.as_ref().is_some_and(|open| open.is_bare);
            // The heading of a list alone says nothing that deserves an entry of its own.
            let heads_list =
                !position.stands_alone && !section.boxes.is_empty() && !section.has_text;
            let is_within = |open: &Open| !open.is_bare && open.level < section.level;
            if heads_list && self.open.as_ref().is_some_and(is_within) {
                self.open.iter_mut().for_each(|open| open.paragraph(&lines.join("\n")));
                self.body(section);
                return;
            }
            if !goes_along {
                self.close();
            }
            let open = self.open.get_or_insert_with(|| Open::at(heading.first, section.level));
            let is_part = section.level > open.level && !begins_day;
            if !goes_along || (bare && !is_part) {
                // The last of several bare headings names the entry: text later added under an
                // earlier heading makes another entry and does not change this key.
                open.base = key::fold(&heading.text);
                open.level = section.level;
                open.on = position.on;
                open.is_dated = begins_day;
                open.is_bare = !heads_list;
                open.takes_deeper = !position.stands_alone;
            }
            open.paragraph(&lines.join("\n"));
        } else {
            self.close();
            let mut open = Open::at(section.body.start, section.level);
            open.on = position.on;
            self.open = Some(open);
        }
        self.body(section);
    }

    /// Adds a remark about a line.
    pub fn remark(&mut self, line: usize, message: String) {
        self.remarks.push(remark(line, message));
    }

    /// The entries, in the order of the file.
    pub fn finish(mut self) -> Vec<Entry> {
        self.close();
        self.done
    }

    fn body(&mut self, section: &Section) {
        let mut run = Run::default();
        let mut quoted = None;
        for number in section.body.clone() {
            let line = self.source.line(number);
            if let Some(&(_, role)) = self.fields.iter().find(|(line, _)| *line == number) {
                self.places.set(number, role, Some(self.task));
                continue;
            }
            let kind = self.outline.lines[number];
            if kind.is_ruler {
                self.places.set(number, Role::Markup, Some(self.task));
                self.flush(&mut run);
                continue;
            }
            let inside = kind.inside.filter(|at| section.boxes.contains(at));
            if section.is_of_listed(number) {
                self.flush(&mut run);
                continue;
            }
            if !line.trim().is_empty() {
                let is_title = inside.is_some_and(|at| number <= self.outline.boxes[at].title_last);
                let role = match (is_title, kind.is_rule) {
                    (true, _) => Role::Item,
                    (false, true) => Role::Markup,
                    (false, false) => Role::Note,
                };
                self.places.set(number, role, Some(self.task));
            }
            if let Some(at) = inside {
                let check = &self.outline.boxes[at];
                if number <= check.title_last {
                    self.flush(&mut run);
                    continue;
                }
                let margin = margin(self.source.line(check.first));
                if !line.trim().is_empty() && quoted != Some(at) {
                    quoted = Some(at);
                    self.flush(&mut run);
                    run.push(number, &format!("{}{}", check.marker, check.title));
                }
                let line = line.strip_prefix(margin).unwrap_or_else(|| line.trim_start());
                self.line(&mut run, number, line, kind.begins_block, kind.is_opaque);
            } else if kind.is_rule {
                // Rules are kept between paragraphs, but dropped at the ends of an entry.
                run.push_rule(line);
            } else {
                let line = dedented(line, self.margin);
                self.line(&mut run, number, line, kind.begins_block, kind.is_opaque);
            }
        }
        self.flush(&mut run);
    }

    fn line(
        &mut self,
        run: &mut Run,
        number: usize,
        line: &str,
        begins_block: bool,
        is_opaque: bool,
    ) {
        if !is_opaque && (begins_block || days::heads_note(line)) {
            match days::of_line(line_text(line), None) {
                Leading::Day(day, rest) if begins_block || days::sets_off(rest) => {
                    self.flush(run);
                    let open = self.open.as_ref();
                    let is_bare = open.is_none_or(|open| open.is_bare || open.text.is_empty());
                    let level = open.map_or(0, |open| open.level);
                    let takes_deeper = open.is_some_and(|open| open.takes_deeper);
                    let heading =
                        open.map(|open| open.heading_base().to_owned()).unwrap_or_default();
                    if !is_bare {
                        self.close();
                    }
                    let open = self.open.get_or_insert_with(|| Open::at(number, level));
                    open.base = format!("{heading}@{day}");
                    open.on = Some(day);
                    open.is_dated = true;
                    open.takes_deeper = takes_deeper;
                }
                Leading::Impossible(text) => {
                    let message = format!("`{text}` is not a valid date: it stays in the text");
                    self.remarks.push(remark(number, message));
                }
                Leading::Day(..) | Leading::Nothing => {}
            }
        }
        run.push(number, line);
    }

    /// Moves the collected lines into the open entry.
    fn flush(&mut self, run: &mut Run) {
        let (line, text) = run.take();
        if text.is_empty() {
            return;
        }
        let open = self.open.get_or_insert_with(|| Open::at(line, 0));
        if open.text.is_empty() {
            open.line = line;
        }
        open.is_bare = false;
        open.paragraph(&text);
    }

    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            let base = if open.base.is_empty() { "text".to_owned() } else { open.base };
            self.keep(open.line, base, &open.text, open.on);
        }
    }

    fn keep(&mut self, line: usize, base: String, text: &str, on: Option<Date>) {
        let text = text.trim_matches('\n').trim_end();
        if text.trim().is_empty() {
            return;
        }
        let key = self.keys.next(base);
        let parts = parts(text, limits::ENTRY_TEXT.max);
        if parts.len() > 1 {
            let message = format!(
                "a text of {} bytes is kept as {} entries: one holds at most {}",
                text.len(),
                parts.len(),
                limits::ENTRY_TEXT.max
            );
            self.remarks.push(remark(line, message));
        }
        for (n, part) in parts.iter().enumerate() {
            let key = if n == 0 { key.clone() } else { format!("{key}.{}", n + 1) };
            self.done.push(Entry { key, text: (*part).to_owned(), on, ..Entry::default() });
        }
    }
}

impl Open {
    fn at(line: usize, level: u8) -> Self {
        Self {
            line,
            level,
            takes_deeper: false,
            is_bare: false,
            is_dated: false,
            on: None,
            base: String::new(),
            text: String::new(),
        }
    }

    /// Whether a heading is included instead of beginning an entry.
    fn takes(&self, level: u8, heading: &str, begins_day: bool) -> bool {
        let leads_on = self.is_bare && level >= self.level;
        let is_deeper = self.takes_deeper && level > self.level && !begins_day;
        let same_day = self.is_dated && level >= self.level && days::begins_with_time(heading);
        leads_on || is_deeper || same_day
    }

    /// The key without the date of a line.
    fn heading_base(&self) -> &str {
        self.base
            .split_once('@')
            .filter(|_| self.is_dated)
            .map_or(&self.base, |(heading, _)| heading)
    }

    fn paragraph(&mut self, text: &str) {
        if !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
        self.text.push_str(text);
    }
}

/// Consecutive lines of the file.
#[derive(Default)]
struct Run {
    first: usize,
    text: String,
    /// Rules and blank lines, kept only if more text follows.
    pending: String,
}

impl Run {
    fn push(&mut self, number: usize, line: &str) {
        if line.trim().is_empty() {
            self.push_rule("");
            return;
        }
        if self.text.is_empty() {
            self.first = number;
        } else {
            self.text.push('\n');
            self.text.push_str(&self.pending);
        }
        self.pending.clear();
        self.text.push_str(line);
    }

    fn push_rule(&mut self, line: &str) {
        if !self.text.is_empty() {
            self.pending.push_str(line);
            self.pending.push('\n');
        }
    }

    fn take(&mut self) -> (usize, String) {
        self.pending.clear();
        (self.first, std::mem::take(&mut self.text))
    }
}

/// A line without its indentation up to a number of columns.
fn dedented(line: &str, margin: usize) -> &str {
    let is_space = |c: &char| matches!(c, ' ' | '\t');
    let width = line.chars().take_while(is_space).scan(0, |column, c| {
        *column += if c == '\t' { 4 - *column % 4 } else { 1 };
        Some(*column)
    });
    &line[width.take_while(|&column| column <= margin).count()..]
}

fn margin(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

/// A line without its list marker.
fn line_text(line: &str) -> &str {
    let line = line.trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = line[digits..].strip_prefix(['.', ')']).filter(|_| digits > 0);
    // `2. 10. 2026` begins like a list marker, but is a date.
    match rest {
        Some(rest) if rest.starts_with(' ') && days::leading(line, None) == Leading::Nothing => {
            rest.trim_start()
        }
        _ => line,
    }
}

/// Entries that hold a text: several if it is longer than one may be.
pub(crate) fn of(key: &str, text: &str) -> Vec<Entry> {
    let parts = parts(text, limits::ENTRY_TEXT.max);
    let entries = parts.iter().enumerate().map(|(n, part)| {
        let key = if n == 0 { key.to_owned() } else { format!("{key}.{}", n + 1) };
        Entry { key, text: (*part).to_owned(), ..Entry::default() }
    });
    entries.collect()
}

/// Splits a text into parts of at most `max` bytes: between paragraphs if possible, else between
/// lines, else between characters.
fn parts(text: &str, max: usize) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while rest.len() > max {
        let mut end = max;
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let room = &rest[..end];
        let cut = ["\n\n", "\n", " "]
            .iter()
            .filter_map(|bound| room.rfind(bound))
            .find(|&cut| cut > 0 && !rest[..cut].trim().is_empty())
            .unwrap_or(end);
        parts.push(rest[..cut].trim_end());
        rest = rest[cut..].trim_start_matches('\n');
    }
    if !rest.trim().is_empty() {
        parts.push(rest);
    }
    parts
}
