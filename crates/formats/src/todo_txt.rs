//! Reads todo.txt: one task a line.
//!
//! - `x ` at the start is done, `(A)` the priority; the days after them are those of completion and
//!   creation. Some programs write the priority of a done task after its days, others as `pri:A`.
//! - `+project` is the category, further ones are labels, `@context` is a label. Those before and
//!   after the text leave the title; those inside a sentence stay in it as well.
//! - `due:` is the due day, with `status:`, `reason:`, `est:` and `lang:` as this program writes them.
//!   Any other `key:value` has no field: it is kept as text. A value with spaces is in quotes: `note:"two words"`.
//!
//! A line is recognized by its text without marks, days and tags, numbered if it occurs more than
//! once: so ticking a task, moving it in the file or giving it a context does not make a new one.
//!
//! Source: the format rules, github.com/todotxt/todo.txt.

mod write;

pub(crate) use write::{line, lost};

use dormouse_types::draft::Task;
use dormouse_types::task::{self, Priority, Status};
use jiff::civil::Date;

use crate::intake::{Details, Draft, Gather, Lines, ReadError, ReadOptions, boxed, fold};
use crate::reading::{Format, Reading, Role};

/// Whether a text looks like todo.txt.
///
/// One line that nothing else looks like is enough; without one, half of the lines must carry a tag.
pub fn looks_like(text: &str) -> bool {
    let lines = text.lines().map(str::trim_end).filter(|line| !line.trim().is_empty()).take(200);
    let (mut n, mut marked, mut dated, mut certain, mut markup) = (0, 0, 0, 0, 0);
    for line in lines.map(|line| line.trim_start_matches('\u{feff}')) {
        n += 1;
        let is_markup =
            ["# ", "## ", "### ", "- ", "* ", "> ", "```", "---", "|", "<", "{", "[", "BEGIN:"]
                .iter()
                .any(|start| line.trim_start().starts_with(start))
                || boxed(line.trim_start()).is_some();
        if is_markup {
            markup += 1;
            continue;
        }
        let marks = Marks::of(line);
        certain +=
            usize::from(marks.priority.is_some() || (marks.is_done && marks.days[0].is_some()));
        let is_own = |token| match token {
            Token::Value("due" | "t", value) => day(value).is_some(),
            Token::Value("status", value) => value.parse::<Status>().is_ok(),
            Token::Value(..) | Token::Project(_) | Token::Context(_) | Token::Word => false,
        };
        certain += usize::from(Token::all(marks.rest).any(is_own));
        let is_tagged = Token::all(marks.rest).any(|token| match token {
            Token::Project(_) | Token::Context(_) => true,
            Token::Value(key, _) => matches!(key, "due" | "pri" | "rec" | "t"),
            Token::Word => false,
        });
        marked += usize::from(is_tagged || marks.is_done);
        dated += usize::from(!is_tagged && !marks.is_done && marks.days[0].is_some());
    }
    // A day alone may as well be that of an appointment.
    let is_tagged = marked > 0 && (marked + dated) * 2 >= n && markup * 4 <= n;
    is_tagged || (certain > 0 && markup == 0)
}

/// Reads a todo.txt file.
///
/// Errors: see [`ReadError`]. No line is an error.
pub fn read(name: &str, text: &str, options: &ReadOptions) -> Result<Reading, ReadError> {
    let lines = Lines::new(name, text)?;
    let mut gather = Gather::new(name, &lines, options);
    for at in 0..lines.len() {
        let line = lines.line(at);
        if line.trim().is_empty() {
            continue;
        }
        let draft = draft(at, line, &mut gather);
        let key = fold(&draft.task.title);
        let task = gather.add(at, key, draft)?;
        gather.claim(at..=at, Role::Task, Some(task));
    }
    Ok(gather.finish(Format::TodoTxt))
}

/// What comes before the text of a line.
struct Marks<'a> {
    is_done: bool,
    priority: Option<u8>,
    days: [Option<Date>; 2],
    rest: &'a str,
}

impl<'a> Marks<'a> {
    fn of(line: &'a str) -> Self {
        let line = line.trim();
        // Only a small x: the rules say so, and `X` begins too many words.
        let rest = line.strip_prefix("x ");
        let is_done = rest.is_some();
        let mut marks =
            Self { is_done, priority: None, days: [None; 2], rest: rest.unwrap_or(line) };
        marks.take_priority();
        for n in 0..2 {
            let rest = marks.rest.trim_start();
            let word = rest.split(char::is_whitespace).next().unwrap_or_default();
            let Some(day) = day(word) else { break };
            marks.days[n] = Some(day);
            marks.rest = &rest[word.len()..];
            if n == 0 || marks.is_done {
                marks.take_priority();
            }
            if !marks.is_done {
                break;
            }
        }
        marks.rest = marks.rest.trim();
        marks
    }

    fn take_priority(&mut self) {
        let rest = self.rest.trim_start();
        let bytes = rest.as_bytes();
        let is_one = bytes.len() >= 3
            && bytes[0] == b'('
            && bytes[1].is_ascii_uppercase()
            && bytes[2] == b')';
        if is_one && self.priority.is_none() && bytes.get(3).is_none_or(u8::is_ascii_whitespace) {
            self.priority = Some(bytes[1]);
            self.rest = &rest[3..];
        }
    }
}

enum Token<'a> {
    Project(&'a str),
    Context(&'a str),
    Value(&'a str, &'a str),
    Word,
}

impl<'a> Token<'a> {
    fn of(word: &'a str) -> Self {
        if let Some(name) = word.strip_prefix('+').filter(|name| !name.is_empty()) {
            return Self::Project(name);
        }
        if let Some(name) = word.strip_prefix('@').filter(|name| !name.is_empty()) {
            return Self::Context(name);
        }
        match word.split_once(':') {
            Some((key, value)) if value.starts_with('"') && takes_quotes(key) => {
                match quoted(value) {
                    Some(value) => Self::Value(key, value),
                    None => Self::Word,
                }
            }
            // An address and a time of day are words.
            Some((key, value))
                if is_key(key)
                    && !value.is_empty()
                    && !value.starts_with('/')
                    && !value.contains(':') =>
            {
                Self::Value(key, value)
            }
            Some(_) | None => Self::Word,
        }
    }

    fn all(text: &'a str) -> impl Iterator<Item = Self> {
        words(text).into_iter().map(Self::of)
    }
}

fn is_key(key: &str) -> bool {
    key.starts_with(|c: char| c.is_alphabetic()) && !key.contains(char::is_whitespace)
}

/// Whether quotes around a value of this key are no part of it. In a reason, which this program writes without
/// spaces, they are.
fn takes_quotes(key: &str) -> bool {
    is_key(key) && key != "reason"
}

/// The content of a value that is in quotes as a whole: `"every sunday"`.
fn quoted(value: &str) -> Option<&str> {
    let inner = value.strip_prefix('"')?.strip_suffix('"')?;
    (!inner.trim().is_empty() && !inner.contains('"')).then_some(inner)
}

/// The words of a text. A value in quotes is one with its key, spaces and all.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let mut end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        if let Some((key, value)) = rest[..end].split_once(':')
            && value.starts_with('"')
            && takes_quotes(key)
        {
            let open = key.len() + 2;
            let close = rest[open..].find('"').map(|at| open + at + 1);
            let is_end = |at: &usize| rest[*at..].chars().next().is_none_or(char::is_whitespace);
            end = close.filter(is_end).unwrap_or(end);
        }
        words.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    words
}

fn draft(at: usize, line: &str, gather: &mut Gather<'_>) -> Draft {
    let (draft, remarks) = understood(line);
    for message in remarks {
        gather.say(at, message);
    }
    draft
}

/// What a line would be read as.
fn reread(line: &str) -> Task {
    understood(line).0.task
}

fn understood(line: &str) -> (Draft, Vec<String>) {
    let mut remarks = Vec::new();
    let marks = Marks::of(line);
    let mut draft = Draft::default();
    draft.task.status = marks.is_done.then_some(Status::Done);
    let (completed, created) = match (marks.is_done, marks.days) {
        (true, [first, second]) => (first, second),
        (false, [first, _]) => (None, first),
    };
    let mut letter = marks.priority;
    let words = words(marks.rest);
    let is_text = |word: &&str| matches!(Token::of(word), Token::Word);
    let first = words.iter().position(is_text).unwrap_or(words.len());
    let last = words.iter().rposition(is_text).unwrap_or(0);
    let is_inside = |n: usize| first < n && n < last;
    let mut title = Vec::new();
    let mut others = Details::default();
    for (n, &word) in words.iter().enumerate() {
        match Token::of(word) {
            Token::Word => title.push(word),
            Token::Project(_) | Token::Context(_) => title.extend(is_inside(n).then_some(word)),
            Token::Value(key, value) => {
                if !field(key, value, &mut draft, &mut letter, &mut remarks) {
                    others.push(key, value);
                    // A day that does not exist has its remark already.
                    if key != "due" {
                        let key: String = key.chars().take(40).collect();
                        remarks.push(format!("`{key}:` has no matching field: kept in the note"));
                    }
                }
            }
        }
    }
    // A tag outside the sentence says more about the task than one inside.
    let (inside, outside): (Vec<usize>, Vec<usize>) = (0..words.len()).partition(|&n| is_inside(n));
    for n in outside.into_iter().chain(inside) {
        match (Token::of(words[n]), &draft.task.category) {
            (Token::Project(name), None) => draft.task.category = Some(name.to_owned()),
            (Token::Project(name), Some(known)) if known == name => {}
            (Token::Project(name), Some(_)) | (Token::Context(name), _) => draft.label(name),
            (Token::Value(..) | Token::Word, _) => {}
        }
    }
    draft.task.title = title.join(" ");
    if draft.task.title.is_empty() {
        let is_tag = |word: &&str| matches!(Token::of(word), Token::Project(_) | Token::Context(_));
        draft.task.title = words.iter().copied().filter(is_tag).collect::<Vec<_>>().join(" ");
    }
    if let Some(letter) = letter {
        draft.task.priority = Some(match letter {
            b'A' => Priority::P0,
            b'B' => Priority::P1,
            b'C' => Priority::P2,
            _ => Priority::P3,
        });
        if letter > b'D' {
            draft.details.push("Priority", &char::from(letter).to_string());
            remarks.push(
                "priorities below (D) are all low: the letter is kept in the note".to_owned(),
            );
        }
    }
    for (name, day) in [("Created", created), ("Completed", completed)] {
        if let Some(day) = day {
            draft.details.push(name, &day.to_string());
            remarks.push("the days of creation and completion are kept in the note".to_owned());
        }
    }
    for (key, value) in others.iter() {
        draft.details.push(key, value);
    }
    (draft, remarks)
}

/// Sets the field that a key names; `false` if there is none, or the value is not one of its own.
fn field(
    key: &str,
    value: &str,
    draft: &mut Draft,
    letter: &mut Option<u8>,
    remarks: &mut Vec<String>,
) -> bool {
    let task = &mut draft.task;
    match key {
        "due" if task.due_on.is_none() => {
            task.due_on = day(value);
            if task.due_on.is_none() {
                let value: String = value.chars().take(40).collect();
                remarks.push(format!("`due:{value}` is not a valid date, so there is no due date"));
            }
            task.due_on.is_some()
        }
        "pri" if letter.is_none() => {
            let known = value.len() == 1 && value.as_bytes()[0].is_ascii_uppercase();
            *letter = known.then(|| value.as_bytes()[0]);
            known
        }
        "status" => match value.parse::<Status>() {
            Ok(Status::Done) if task.status.is_none() => false,
            Ok(status) => {
                task.status = Some(status);
                true
            }
            Err(_) => false,
        },
        "reason" if task.status_reason.is_none() => {
            task.status_reason = Some(spaced(value));
            true
        }
        "est" if task.estimate_minutes.is_none() => {
            let minutes = value.strip_suffix('m').and_then(|minutes| minutes.parse().ok());
            task.estimate_minutes = minutes;
            minutes.is_some()
        }
        "lang" if task.language.is_none() => {
            task.language = task::language(value).ok();
            task.language.is_some()
        }
        _ => false,
    }
}

/// A value whose words underscores join.
fn spaced(value: &str) -> String {
    value.split('_').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// `YYYY-MM-DD`.
fn day(word: &str) -> Option<Date> {
    if word.len() != 10 || !word.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit()) {
        return None;
    }
    word.parse().ok()
}
