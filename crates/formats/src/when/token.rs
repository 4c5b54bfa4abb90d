//! Splits a text into words, figures and marks, a few at a time.
//!
//! What is between two spaces is judged as a whole first: a version, an address, an amount or a
//! file name is one opaque token, however much a part of it resembles a date.

use std::collections::VecDeque;

use super::figure::{self, Clock, Figure, Stamp};
use super::table::{Id, List, Sense, Table};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    pub start: usize,
    pub end: usize,
    /// Whether it follows the one before without a space.
    pub is_glued: bool,
    pub class: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Word {
        id: Id,
        is_capital: bool,
    },
    Number {
        value: u32,
        digits: u8,
    },
    /// A number with an ending: `3rd`.
    Ordinal(u32),
    Figure(Figure),
    Stamp(Stamp),
    Clock(Clock),
    Mark(char),
    /// A run without a meaning here.
    Opaque,
    /// The end of a line.
    Break,
}

impl Token {
    pub fn is_mark(&self, mark: char) -> bool {
        self.class == Kind::Mark(mark)
    }
}

/// No pattern is longer, so no more tokens than these are kept.
pub(super) const REACH: usize = 48;

/// How many tokens before the current one can be read.
pub(super) const MEMORY: usize = 12;

/// The longest run without a space that is looked into.
const LONGEST_RUN: usize = 80;

/// Units: bytes. "Donnerstagnachmittag" has 20.
const LONGEST_COMPOUND: usize = 30;

/// The tokens of a text around the place that is being read, so that memory does not grow with the
/// text.
pub(super) struct Tokens<'a> {
    pub text: &'a str,
    table: &'a Table,
    at: usize,
    kept: VecDeque<Token>,
    /// The number of the first token that is kept.
    first: usize,
    /// How many pieces of the text were looked at.
    pub steps: u64,
}

impl<'a> Tokens<'a> {
    pub fn new(text: &'a str, table: &'a Table) -> Self {
        Self { text, table, at: 0, kept: VecDeque::new(), first: 0, steps: 0 }
    }

    /// Reads up to `REACH` tokens from `number` on, and forgets those long before it.
    pub fn move_to(&mut self, number: usize) {
        while self.first + self.kept.len() <= number + REACH && self.at < self.text.len() {
            self.read_run();
        }
        while self.first + MEMORY < number && self.kept.pop_front().is_some() {
            self.first += 1;
        }
    }

    pub fn get(&self, number: usize) -> Option<&Token> {
        self.kept.get(number.checked_sub(self.first)?)
    }

    pub fn text_of(&self, token: &Token) -> &'a str {
        &self.text[token.start..token.end]
    }

    /// Reads one run of characters that are not spaces, or the end of a line.
    fn read_run(&mut self) {
        let rest = &self.text[self.at..];
        let mut end_of_line = None;
        let start = rest.char_indices().find_map(|(place, c)| {
            if c == '\n' || c == '\r' {
                end_of_line.get_or_insert(place);
            }
            (!c.is_whitespace() && !c.is_control()).then_some(place)
        });
        if let Some(place) = end_of_line {
            let at = self.at + place;
            self.push(at, at + 1, Kind::Break);
        }
        let Some(start) = start else {
            self.at = self.text.len();
            return;
        };
        let run = &rest[start..];
        let end = run.find(|c: char| c.is_whitespace() || c.is_control()).unwrap_or(run.len());
        let start = self.at + start;
        self.at = start + end;
        self.run(start, self.at);
    }

    fn push(&mut self, start: usize, end: usize, class: Kind) {
        let before = self.kept.back();
        let is_glued = before.is_some_and(|token| token.end == start && token.class != Kind::Break);
        self.kept.push_back(Token { start, end, is_glued, class });
    }

    fn run(&mut self, start: usize, end: usize) {
        let run = &self.text[start..end];
        let is_foreign = run.len() > LONGEST_RUN
            || run.contains("://")
            || run.contains(['@', '\\', '`', '=']) && run.len() > 1
            || run.starts_with(['#', '/', '~', '+'])
            || run.contains(['$', '€', '£', '¥', '%', '°', '№', '§']) && run.chars().count() > 1;
        if is_foreign {
            return self.push(start, end, Kind::Opaque);
        }
        let opening = |c: char| !c.is_alphanumeric();
        let body = run.trim_start_matches(opening);
        let lead = run.len() - body.len();
        // The bracket of a zone belongs to its time.
        let core = body
            .trim_end_matches(|c: char| !(c.is_alphanumeric() || c == ']' && body.contains('[')));
        self.marks(start, start + lead);
        let from = start + lead;
        let mut to = from + core.len();
        if core.is_empty() {
            return;
        }
        // In "24.11." the second full stop belongs to the date.
        if body[core.len()..].starts_with('.')
            && figure::figure(core).is_some_and(|found| found.sign == '.' && found.lengths[2] == 0)
        {
            to += 1;
        }
        // A sign of its own comes before a negative number or an option: "-5", "--since".
        let is_negative =
            run[..lead].ends_with('-') && core.starts_with(|c: char| c.is_ascii_digit());
        if is_negative && !self.core_fits(from, to) {
            self.push(from, to, Kind::Opaque);
        } else {
            self.core(from, to);
        }
        self.marks(to, end);
    }

    fn core_fits(&self, from: usize, to: usize) -> bool {
        let core = &self.text[from..to];
        figure::stamp(core).is_some() || figure::figure(core).is_some()
    }

    fn marks(&mut self, start: usize, end: usize) {
        let text = self.text;
        for (place, mark) in text[start..end].char_indices().take(LONGEST_RUN) {
            self.push(start + place, start + place + mark.len_utf8(), Kind::Mark(mark));
        }
    }

    fn core(&mut self, start: usize, end: usize) {
        let core = &self.text[start..end];
        if !self.pieces(start, end, 3) {
            self.push(start, end, Kind::Opaque);
        }
        debug_assert!(!core.is_empty());
    }

    /// Splits what is between two spaces at dashes, slashes and commas, if each piece has a meaning.
    fn pieces(&mut self, start: usize, end: usize, splits: u8) -> bool {
        if self.piece(start, end) {
            return true;
        }
        let core = &self.text[start..end];
        if splits == 0 || core.contains("..") && !core.contains(char::is_alphabetic) {
            return false;
        }
        let signs = ['-', '–', '—', '/', ',', ';', ':', '&', '…'];
        // From the right, so that "2026-12-10/2026-12-12" is cut where it can be and nowhere else.
        for (place, sign) in core.rmatch_indices(signs) {
            if !can_split(&core[..place], sign, &core[place + sign.len()..]) {
                continue;
            }
            let kept = self.kept.len();
            let (left, right) = (start + place, start + place + sign.len());
            // Right of a sign anything can stand, but left of it there is exactly one piece.
            if left > start && right < end && self.piece(start, left) && self.may_join(sign, right)
            {
                let mark = sign.chars().next().unwrap_or('-');
                self.push(left, right, Kind::Mark(mark));
                // After a long dash begins another thought, known or not.
                if self.pieces(right, end, splits - 1) {
                    return true;
                }
                if mark == '—' {
                    self.push(right, end, Kind::Opaque);
                    return true;
                }
            }
            self.kept.truncate(kept);
        }
        false
    }

    /// Whether the last token may be joined to a number: "Dec-10" is a date, "build-10" a name.
    fn may_join(&self, sign: &str, right: usize) -> bool {
        let is_number = self.text[right..].starts_with(|c: char| c.is_ascii_digit());
        match self.kept.back().map(|token| token.class) {
            Some(Kind::Word { id, .. }) if is_number && matches!(sign, "-" | "/") => {
                let is_date = |sense| {
                    // "10am-12pm" is a stretch of hours.
                    matches!(sense, Sense::Month(_) | Sense::Weekday(_) | Sense::Half(_))
                };
                self.has(id, is_date)
            }
            _ => true,
        }
    }

    /// Pushes the tokens of a piece that has a meaning as a whole.
    fn piece(&mut self, start: usize, end: usize) -> bool {
        let piece = &self.text[start..end];
        self.steps += 1;
        if piece.is_empty() {
            return false;
        }
        let digits = piece.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return self.word_piece(start, end);
        }
        // "20." of "20.-22.11."
        if piece.len() == digits + 1 && digits <= 2 && piece.ends_with('.') {
            return self.piece(start, end - 1) && {
                self.push(end - 1, end, Kind::Mark('.'));
                true
            };
        }
        if digits == piece.len() {
            let value = if digits <= 9 { piece.parse().unwrap_or(u32::MAX) } else { u32::MAX };
            let digits = u8::try_from(digits).unwrap_or(u8::MAX);
            self.push(start, end, Kind::Number { value, digits });
            return true;
        }
        let figures = figure::stamp(piece)
            .map(Kind::Stamp)
            .or_else(|| figure::clock(piece).filter(|clock| !clock.is_dotted).map(Kind::Clock))
            .or_else(|| self.clock_with_letter(piece).map(Kind::Clock))
            .or_else(|| figure::figure(piece).map(Kind::Figure));
        if let Some(class) = figures {
            self.push(start, end, class);
            return true;
        }
        self.number_with_word(start, end)
    }

    /// `Friday`, `o'clock`, and a word with a number after it: `Q3`, `Dec10`.
    fn word_piece(&mut self, start: usize, end: usize) -> bool {
        let piece = &self.text[start..end];
        let is_plain = piece.chars().all(char::is_alphabetic);
        let id = self.id(piece);
        if let Some(split) = (id == 0 && is_plain).then(|| self.joint_of_compound(piece)).flatten()
        {
            let is_capital = piece.starts_with(char::is_uppercase);
            for (from, to) in [(start, start + split), (start + split, end)] {
                let id = self.id(&self.text[from..to]);
                self.push(from, to, Kind::Word { id, is_capital });
            }
            return true;
        }
        if is_plain || id != 0 {
            let is_capital = piece.starts_with(char::is_uppercase);
            // Alone between spaces a word that is not known is still a word.
            let is_whole = !self.text[end..].starts_with(['-', '/', '&'])
                && !self.text[..start].ends_with(['-', '/', '&']);
            if id == 0 && !is_whole {
                return false;
            }
            self.push(start, end, Kind::Word { id, is_capital });
            return true;
        }
        let letters = piece.find(|c: char| c.is_ascii_digit()).unwrap_or(piece.len());
        let figures = &piece[letters..];
        let id = self.id(piece[..letters].trim_end_matches('.'));
        let joins = self.has(id, |sense| {
            matches!(sense, Sense::Quarter | Sense::HalfYear | Sense::WeekNumber | Sense::Month(_))
        });
        if !joins || figures.is_empty() || figures.len() > 2 {
            return false;
        }
        let Ok(value) = figures.parse() else { return false };
        self.push(start, start + letters, Kind::Word { id, is_capital: true });
        let digits = u8::try_from(figures.len()).unwrap_or(0);
        self.push(start + letters, end, Kind::Number { value, digits });
        true
    }

    /// Where a weekday ends in a word that goes on with a part of its day: "Montagabend".
    fn joint_of_compound(&self, word: &str) -> Option<usize> {
        if word.len() > LONGEST_COMPOUND {
            return None;
        }
        let lower = word.to_lowercase();
        let names = self.table.words.weekdays.iter().filter_map(|names| names.first());
        let day = names.into_iter().find(|name| lower.starts_with(**name))?;
        let part = self.table.id(&lower[day.len()..]);
        let is_part = self.has(part, |sense| matches!(sense, Sense::Part(_)));
        (part != 0 && is_part && lower.len() == word.len()).then_some(day.len())
    }

    /// `3rd`, `3pm`, `9.30am`, `10dec`, `2w`.
    fn number_with_word(&mut self, start: usize, end: usize) -> bool {
        let piece = &self.text[start..end];
        let letters = piece.find(|c: char| !c.is_ascii_digit() && !matches!(c, ':' | '.'));
        let Some(letters) = letters else { return false };
        let (figures, word) = piece.split_at(letters);
        if matches!(word, "Z" | "z")
            && let Some(clock) = figure::clock(figures).filter(|clock| !clock.is_dotted)
        {
            self.push(start, start + letters, Kind::Clock(clock));
            self.push(start + letters, end, Kind::Opaque);
            return true;
        }
        let id = self.id(word);
        let (is_half, joins) = (
            self.has(id, |sense| matches!(sense, Sense::Half(_))),
            self.has(id, |sense| matches!(sense, Sense::Unit(_) | Sense::Month(_))),
        );
        let is_hour = self.table.entry(id).lists & List::HourEnding as u64 != 0;
        let digits = u8::try_from(figures.len()).unwrap_or(u8::MAX);
        let value = figures.parse().ok().filter(|_| digits <= 4);
        let class = match value {
            Some(value) if self.has(id, |sense| sense == Sense::OrdinalEnding) => {
                self.push(start, end, Kind::Ordinal(value));
                return true;
            }
            Some(value) if is_half || joins || is_hour => Kind::Number { value, digits },
            Some(_) => return false,
            None => match figure::clock(figures) {
                Some(clock) if is_half || is_hour && !clock.is_dotted => Kind::Clock(clock),
                _ => return false,
            },
        };
        self.push(start, start + letters, class);
        self.push(start + letters, end, Kind::Word { id, is_capital: false });
        true
    }

    /// `9h30`, where people write an hour with this letter.
    fn clock_with_letter(&self, piece: &str) -> Option<Clock> {
        let (hour, minute) = piece.split_once('h')?;
        let is_written = self.table.entry(self.id("h")).lists & List::HourEnding as u64 != 0;
        let is_time = is_written && hour.len() <= 2 && minute.len() == 2;
        is_time.then(|| figure::clock(&format!("{hour}:{minute}"))).flatten()
    }

    fn has(&self, id: Id, is: impl Fn(Sense) -> bool) -> bool {
        self.table.entry(id).senses.iter().any(|sense| is(*sense))
    }

    fn id(&self, word: &str) -> Id {
        if word.len() > 24 {
            return 0;
        }
        if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return self.table.id(word);
        }
        self.table.id(&word.to_lowercase().replace('’', "'"))
    }
}

/// Whether a sign can be between two pieces. A colon between figures is part of a time.
fn can_split(left: &str, sign: &str, right: &str) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    sign != ":" || !(left.ends_with(is_digit) && right.starts_with(is_digit))
}
