//! A task in one line: `Call the bank fri 3pm !p1 #finance @Home`.
//!
//! Owns: which parts of the line are not title, and where they are. Defends against: a title that
//! loses a word ("C#", "#1 priority", an address), and a part that is taken without being shown.
//!
//! - `!p0` to `!p3`, or `!0` to `!3`, is the priority; `!!` is high, `!!!` urgent, and so is a word for it after
//!   the sign: `!high`, `!dringend`.
//! - `#label` and `#"two words"` are labels, `@category` and `@"two words"` the category. What belongs to somebody is
//!   none: "review @mira's PR".
//! - A date is the due date if it is said to be one ("by Friday"); otherwise only if it is at an
//!   end of the line, alone, and the rest is a title without it. Any other date is a word of the title.
//! - A backslash before a word keeps the word as it is: `\#label`, `\friday`. So do quotes.
//! - The first of several priorities, categories or due dates counts; the others stay in the title.

use std::ops::Range;

use dormouse_types::closed_list;
use dormouse_types::limits;
use dormouse_types::task::Priority;
use serde::{Deserialize, Serialize};

use crate::intake::priority_of;
use crate::when::{self, Assumption, Found, Kind, Places, Reader, TextSpan, When};

closed_list! {
    /// What a part of a line was understood as.
    pub enum Part, "part of a line" {
        /// The due date.
        Due = "due",
        Priority = "priority",
        Label = "label",
        Category = "category",
    }
}

/// A part of a line that is not title.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Understood {
    /// Where it is.
    pub span: TextSpan,
    /// What it is.
    pub part: Part,
}

/// What a line means.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QuickAdd {
    /// The line without the parts that were understood.
    pub title: String,
    /// When the task is due. Its kind can be a mention: a person who writes "fri" in this line means it.
    pub due: Option<Found>,
    /// The priority, if one is written.
    pub priority: Option<Priority>,
    /// The labels in order, each once.
    pub labels: Vec<String>,
    /// The category, if one is written.
    pub category: Option<String>,
    /// The parts that are not title, in order.
    pub understood: Vec<Understood>,
}

/// Reads a line.
pub fn quick_add(text: &str, reader: &Reader) -> QuickAdd {
    let mut line = Line::default();
    line.read_marks(text);
    let due = due(text, &line, reader);
    if let Some(due) = &due {
        line.taken.push((with_verb(text, due.span.bytes.clone()), Part::Due));
    }
    line.taken.sort_by_key(|(bytes, _)| bytes.start);
    let title = title(text, &line);
    if title.is_empty() {
        // Marks without a title mark nothing.
        let title = text.split_whitespace().collect::<Vec<_>>().join(" ");
        return QuickAdd { title, ..QuickAdd::default() };
    }
    let mut places = Places::new(text);
    let understood = line
        .taken
        .into_iter()
        .map(|(bytes, part)| Understood { span: places.span(bytes), part })
        .collect();
    QuickAdd {
        title,
        due,
        priority: line.priority,
        labels: line.labels,
        category: line.category,
        understood,
    }
}

#[derive(Default)]
struct Line {
    priority: Option<Priority>,
    labels: Vec<String>,
    category: Option<String>,
    taken: Vec<(Range<usize>, Part)>,
    /// Backslashes that are not title.
    escapes: Vec<usize>,
    /// What is title, whatever it looks like.
    kept: Vec<Range<usize>>,
}

impl Line {
    fn read_marks(&mut self, text: &str) {
        let mut at = 0;
        let mut begins_word = true;
        while let Some(c) = text[at..].chars().next() {
            let next = at + c.len_utf8();
            let rest = &text[next..];
            if begins_word {
                let end = match c {
                    '\\' => self.escape(text, at),
                    '"' | '“' => self.quotation(text, at),
                    '!' => self.priority(text, at),
                    '#' => name(rest).and_then(|(name, len)| {
                        // A number alone is that of an issue, or a place: "#1 priority".
                        let is_label = name.chars().any(char::is_alphabetic)
                            && limits::LABEL_NAME.check(name.chars().count()).is_ok()
                            && limits::LABELS_PER_TASK.check(self.labels.len() + 1).is_ok();
                        is_label.then(|| self.label(name, at..next + len))
                    }),
                    '@' => name(rest).and_then(|(name, len)| {
                        let is_first = self.category.is_none();
                        let is_owner = name.ends_with("'s") || name.ends_with("’s");
                        let is_name = name.starts_with(char::is_alphabetic) && !is_owner;
                        (is_first && is_name).then(|| {
                            self.category = Some(name);
                            self.taken.push((at..next + len, Part::Category));
                            next + len
                        })
                    }),
                    _ => None,
                };
                if let Some(end) = end {
                    at = end;
                    begins_word = false;
                    continue;
                }
            }
            begins_word = c.is_whitespace() || matches!(c, '(' | '[' | ',' | ';');
            at = next;
        }
    }

    /// Keeps the word after a backslash, but not the second of two.
    fn escape(&mut self, text: &str, at: usize) -> Option<usize> {
        let word = &text[at + 1..];
        let end = word.find(char::is_whitespace).unwrap_or(word.len());
        if end == 0 || word.starts_with('\\') {
            return None;
        }
        self.escapes.push(at);
        self.kept.push(at..at + 1 + end);
        Some(at + 1 + end)
    }

    fn quotation(&mut self, text: &str, at: usize) -> Option<usize> {
        let (content, len) = quoted(&text[at..])?;
        (!content.trim().is_empty()).then(|| {
            self.kept.push(at..at + len);
            at + len
        })
    }

    fn priority(&mut self, text: &str, at: usize) -> Option<usize> {
        let word = &text[at + 1..];
        let end = word.find(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | ')' | ']'));
        let word = &word[..end.unwrap_or(word.len())];
        let priority = match word {
            "p0" | "P0" | "0" | "!!" => Priority::P0,
            "p1" | "P1" | "1" | "!" => Priority::P1,
            "p2" | "P2" | "2" => Priority::P2,
            "p3" | "P3" | "3" => Priority::P3,
            word if word.chars().all(char::is_alphabetic) => priority_of(word)?,
            _ => return None,
        };
        if self.priority.is_some() {
            return None;
        }
        self.priority = Some(priority);
        let end = at + 1 + word.len();
        self.taken.push((at..end, Part::Priority));
        Some(end)
    }

    fn label(&mut self, name: String, bytes: Range<usize>) -> usize {
        let end = bytes.end;
        if !self.labels.contains(&name) {
            self.labels.push(name);
        }
        self.taken.push((bytes, Part::Label));
        end
    }
}

/// The text in quotes at the beginning, and the length with the quotes.
fn quoted(text: &str) -> Option<(&str, usize)> {
    let (open, close) = if text.starts_with('“') { ('“', '”') } else { ('"', '"') };
    let content = text.strip_prefix(open)?;
    // Far apart they are not a pair; searching to the end for each would take too long.
    let end = content.char_indices().take(200).find(|(_, c)| *c == close)?.0;
    Some((&content[..end], open.len_utf8() + end + close.len_utf8()))
}

/// The name at the beginning, and the length of its text.
fn name(text: &str) -> Option<(String, usize)> {
    if let Some((content, len)) = quoted(text) {
        let name = content.split_whitespace().collect::<Vec<_>>().join(" ");
        return (!name.is_empty()).then_some((name, len));
    }
    let continues = |c: char| {
        !c.is_whitespace()
            && !c.is_control()
            && !matches!(c, '#' | '@' | '"' | ',' | ';' | '(' | ')' | '[' | ']')
    };
    let end = text.find(|c| !continues(c)).unwrap_or(text.len());
    let name = text[..end].trim_end_matches(['.', ':', '!', '?', '\'']);
    // "#a@b" and "@a@b" are addresses of another kind.
    let is_whole = !text[end..].starts_with(['#', '@', '"', '(']);
    let begins = name.starts_with(char::is_alphanumeric);
    (begins && is_whole).then(|| (name.to_owned(), name.len()))
}

/// The due date of a line.
fn due(text: &str, line: &Line, reader: &Reader) -> Option<Found> {
    // The same length, so that places stay; a bar joins nothing.
    let mut masked = text.as_bytes().to_vec();
    for bytes in line.taken.iter().map(|(bytes, _)| bytes).chain(&line.kept) {
        masked[bytes.clone()].fill(b'|');
    }
    let masked = String::from_utf8(masked).ok()?;
    let found = when::find(&masked, reader);
    // Where the title begins and ends. What is kept is title although it is masked.
    let is_word = |(_, c): &(usize, char)| c.is_alphanumeric();
    let kept = &line.kept;
    let first = masked.char_indices().find(is_word).map_or(text.len(), |(at, _)| at);
    let first = kept.first().map_or(first, |kept| first.min(kept.start));
    let last = masked.char_indices().rfind(is_word).map_or(0, |(at, _)| at);
    let last = kept.last().map_or(last, |kept| last.max(kept.start));
    let stands_apart =
        |found: &Found| found.span.bytes.start <= first || last < found.span.bytes.end;
    let is_of_title = |found: &Found| {
        let date = &masked[found.span.bytes.clone()];
        let lead = when::leading_word(date, reader);
        // "Closed Sunday" is no task of that day.
        let before = masked[..found.span.bytes.start].split_whitespace().next_back();
        matches!(lead.as_deref(), Some("of" | "about" | "de"))
            || when::says_how_long(date, reader)
            || before.is_some_and(|word| reader.language.says_closed(word))
    };
    // Of several dates without a word for it, none is the due date: "3 Jan 18:40, gate closes 18:10".
    let is_mention = |found: &&Found| found.kind == Kind::Mention && !is_of_title(found);
    let mention = found.iter().find(is_mention);
    // One that has passed counts too: "Compare 2025-12-01 with 2026-12-01".
    let is_past = |found: &&Found| found.kind == Kind::Past && !is_of_title(found);
    let n_mentions = found.iter().filter(|it| is_mention(it) || is_past(it)).count();
    let chosen = found
        .iter()
        .find(|found| {
            // A time of today is one without a day.
            let is_only_time = found
                .assumed
                .iter()
                .any(|one| matches!(one, Assumption::NextTime(_)))
                || matches!(&found.when, When::At(moment) if moment.at.date() == reader.now.date());
            found.kind == Kind::Due
                && (!is_only_time || (stands_apart(found) && n_mentions == 0))
                && !goes_on(&masked, found)
        })
        .or_else(|| {
            mention.filter(|found| {
                n_mentions == 1
                    && stands_apart(found)
                    && !is_joined(&masked, &found.span.bytes)
                    && can_lose(&masked[..found.span.bytes.start])
            })
        })?;
    // What happens on no day, such as "twice a week", is part of what is to be done.
    chosen.when.last_day(&reader.zone, reader.now.date())?;
    // A line that is nothing but a date is the title of a task about that day.
    let has_title = first < chosen.span.bytes.start || chosen.span.bytes.end <= last;
    has_title.then(|| chosen.clone())
}

/// A date with the verb before it that says nothing without it: of "The rent is due Feb 1" the title is "The rent",
/// but "Ask what time it is by Friday" keeps its verb.
fn with_verb(text: &str, date: Range<usize>) -> Range<usize> {
    let is_word = |word: Option<&str>, known: &[&str]| {
        word.is_some_and(|word| known.iter().any(|one| one.eq_ignore_ascii_case(word)))
    };
    let says_due = ["due", "fällig", "dû", "due:"];
    let verbs = ["is", "are", "ist", "sind", "est", "sont"];
    let before = text[..date.start].trim_end();
    let verb = before.split_whitespace().next_back();
    match is_word(text[date.clone()].split_whitespace().next(), &says_due) && is_word(verb, &verbs)
    {
        true => before.len() - verb.unwrap_or_default().len()..date.end,
        false => date,
    }
}

/// Words that join a date to what is next to it.
const JOINING: &[&str] =
    &["and", "or", "&", "/", "und", "oder", "et", "ou", "y", "o", "și", "si", "sau"];

/// Words that a date after them completes.
const OPEN: &[&str] = &[
    "is", "are", "was", "were", "be", "the", "than", "not", "between", "from", "since", "ist",
    "war", "seit", "est", "depuis", "es", "desde", "este", "din", "with", "mit", "von", "de",
    "des", "avec", "con", "cu", "despre",
];

fn is_joining(word: &str) -> bool {
    let word = word.trim_matches([',', ';', '.', '(', ')', '|']);
    JOINING.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// Whether "and" or "or" is next to a date: "Gym on Monday and Wednesday".
fn is_joined(text: &str, date: &Range<usize>) -> bool {
    let before = text[..date.start].split_whitespace().next_back();
    let after = text[date.end..].split_whitespace().find(|word| *word != ",");
    before.is_some_and(is_joining) || after.is_some_and(is_joining)
}

/// Whether another date may follow "or": "by Friday or Monday".
fn goes_on(text: &str, found: &Found) -> bool {
    let after = text[found.span.bytes.end..].split_whitespace().next();
    after.is_some_and(|word| is_joining(word) && !word.eq_ignore_ascii_case("and"))
}

/// Whether the words before a date say something without it: not "The exam is", not "In time".
fn can_lose(before: &str) -> bool {
    let Some(last) = before.split_whitespace().next_back() else { return true };
    let is_open = OPEN.iter().any(|known| known.eq_ignore_ascii_case(last));
    let is_just = |word: &&str| word.eq_ignore_ascii_case("just");
    let mut words = before.split_whitespace().skip_while(is_just);
    let first = words.next().unwrap_or_default().to_lowercase();
    let is_phrase =
        matches!(first.as_str(), "in" | "at" | "on" | "until" | "back") && words.nth(1).is_none();
    !is_open && !is_phrase
}

/// What remains of a line.
fn title(text: &str, line: &Line) -> String {
    let mut title = String::new();
    let mut at = 0;
    let mut cuts: Vec<Range<usize>> = line.taken.iter().map(|(bytes, _)| bytes.clone()).collect();
    cuts.extend(line.escapes.iter().map(|escape| *escape..*escape + 1));
    cuts.sort_by_key(|cut| cut.start);
    let is_cut = !line.taken.is_empty();
    for cut in cuts {
        let cut = with_emphasis(text, cut);
        if cut.start < at {
            continue;
        }
        title.push_str(&text[at..cut.start]);
        at = cut.end;
    }
    title.push_str(&text[at..]);
    let words: Vec<&str> =
        title.split_whitespace().filter(|word| !(is_cut && is_left_over(word))).collect();
    let title = words.join(" ");
    if !is_cut {
        return title;
    }
    let title = title.trim_start_matches([',', ';', ':', '-', '–', '—', ' ', '.']);
    title.trim_end_matches([',', ';', ':', '-', '–', '—', ' ']).to_owned()
}

/// What is cut out with the marks of emphasis right around it: of "Taxes *friday*" no mark is left.
fn with_emphasis(text: &str, cut: Range<usize>) -> Range<usize> {
    let is_mark = |c: char| matches!(c, '*' | '_' | '`' | '~');
    let (before, after) = (&text[..cut.start], &text[cut.end..]);
    let opening = &before[before.trim_end_matches(is_mark).len()..];
    let closing = &after[..after.len() - after.trim_start_matches(is_mark).len()];
    match !opening.is_empty() && opening.chars().rev().eq(closing.chars()) {
        true => cut.start - opening.len()..cut.end + closing.len(),
        false => cut,
    }
}

/// Marks that separated or enclosed what was cut out.
fn is_left_over(word: &str) -> bool {
    word.len() <= 3
        && word != "..."
        && word
            .chars()
            .all(|c| matches!(c, ',' | ';' | '.' | '!' | '?' | '@' | '(' | ')' | '[' | ']'))
}
