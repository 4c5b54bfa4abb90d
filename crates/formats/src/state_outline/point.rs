//! The first line of a point: its state, priority, words and labels.

use std::collections::BTreeMap;

use dormouse_types::limits;
use dormouse_types::task::{Priority, Status};

use super::body::keyword;

/// The states that both programs have, and those that many people add.
#[rustfmt::skip]
const STATES: &[(&str, Status)] = &[
    ("TODO", Status::Open), ("LATER", Status::Open), ("NEXT", Status::Groomed),
    ("DOING", Status::InProgress), ("NOW", Status::InProgress), ("STARTED", Status::InProgress),
    ("IN-PROGRESS", Status::InProgress), ("INPROGRESS", Status::InProgress), ("STRT", Status::InProgress),
    ("WAITING", Status::OnHold), ("WAIT", Status::OnHold), ("HOLD", Status::OnHold),
    ("SOMEDAY", Status::OnHold), ("MAYBE", Status::OnHold), ("BLOCKED", Status::Blocked),
    ("DONE", Status::Done), ("CANCELED", Status::Rejected), ("CANCELLED", Status::Rejected),
    ("KILL", Status::Rejected),
];

/// The words that say how far a point is: those above, and those that a file of Org mode names for itself.
pub(super) struct States {
    own: BTreeMap<String, Status>,
}

impl States {
    /// The states of a text: `#+TODO: TODO PROJ(p) | DONE(d) SOLD`. Those after the bar say that it is done.
    pub fn of<'a>(lines: impl Iterator<Item = &'a str>) -> Self {
        let mut own = BTreeMap::new();
        for (_, value) in lines
            .filter_map(keyword)
            .filter(|(name, _)| matches!(name.as_str(), "TODO" | "SEQ_TODO" | "TYP_TODO"))
        {
            let mut status = Status::Open;
            for word in value.split_whitespace() {
                if word == "|" {
                    status = Status::Done;
                    continue;
                }
                let word = word.split('(').next().unwrap_or_default();
                let is_known = STATES.iter().any(|(known, _)| *known == word);
                if !word.is_empty() && !is_known {
                    own.entry(word.to_owned()).or_insert(status);
                }
            }
        }
        Self { own }
    }

    fn status(&self, word: &str) -> Option<Status> {
        let known = STATES.iter().find(|(known, _)| *known == word).map(|&(_, status)| status);
        known.or_else(|| self.own.get(word).copied())
    }

    /// Whether a word says more than the status that it is read as.
    pub fn is_own(&self, word: &str) -> bool {
        self.own.get(word) == Some(&Status::Open)
    }
}

pub(super) struct State {
    pub word: String,
    pub status: Status,
}

pub(super) struct Point {
    pub state: Option<State>,
    pub priority: Option<Priority>,
    pub title: String,
    pub labels: Vec<String>,
}

/// How many stars a heading of Org mode begins with.
pub(super) fn stars(line: &str) -> Option<usize> {
    let n = line.bytes().take_while(|&byte| byte == b'*').count();
    (n > 0 && line[n..].starts_with(' ')).then_some(n)
}

/// The point that begins on a line: after a bullet, or after stars at its beginning.
pub(super) fn of(line: &str, states: &States) -> Option<Point> {
    let text = match stars(line) {
        Some(n) => &line[n..],
        None => line.trim_start().strip_prefix(['-', '*', '+'])?,
    };
    let text = text.strip_prefix([' ', '\t']).or_else(|| text.is_empty().then_some(""))?.trim();
    // A point of Logseq can be a heading too.
    let hashes = text.bytes().take_while(|&byte| byte == b'#').count();
    let text = match text[hashes..].strip_prefix(' ') {
        Some(words) if hashes > 0 => words.trim_start(),
        Some(_) | None => text,
    };
    let (state, text) = state(text, states);
    let (priority, text) = match state.is_some() {
        true => priority(text),
        false => (None, text),
    };
    let (title, labels) = match state.is_some() || stars(line).is_some() {
        true => labelled(text),
        false => (text.to_owned(), Vec::new()),
    };
    let title = without_cookie(&title).to_owned();
    Some(Point { state, priority, title, labels })
}

/// A title without the count that Org mode keeps of what is done below it: `Work [2/5]`, `[40%] Work`.
fn without_cookie(title: &str) -> &str {
    let is_cookie = |word: &str| {
        let inner = word.strip_prefix('[').and_then(|word| word.strip_suffix(']'));
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        inner.is_some_and(|inner| match inner.split_once('/') {
            Some((n, of)) => is_number(n) && is_number(of),
            None => inner.strip_suffix('%').is_some_and(is_number),
        })
    };
    if let Some((words, _)) = title.rsplit_once(' ').filter(|(_, word)| is_cookie(word)) {
        return words.trim_end();
    }
    match title.split_once(' ').filter(|(word, _)| is_cookie(word)) {
        Some((_, words)) => words.trim_start(),
        None => title,
    }
}

fn state<'a>(text: &'a str, states: &States) -> (Option<State>, &'a str) {
    let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
    match states.status(first).filter(|_| !rest.trim().is_empty()) {
        Some(status) => (Some(State { word: first.to_owned(), status }), rest.trim_start()),
        None => (None, text),
    }
}

/// `[#A]`: the highest of three.
fn priority(text: &str) -> (Option<Priority>, &str) {
    let found = [("[#A]", Priority::P0), ("[#B]", Priority::P1), ("[#C]", Priority::P2)]
        .into_iter()
        .find_map(|(mark, priority)| Some((priority, text.strip_prefix(mark)?)));
    match found {
        Some((priority, rest)) if !rest.trim().is_empty() => (Some(priority), rest.trim_start()),
        Some(_) | None => (None, text),
    }
}

/// The words without the labels at their end: `:work:urgent:`, `#work`, `#[[two words]]`.
pub(super) fn labelled(text: &str) -> (String, Vec<String>) {
    let mut labels = Vec::new();
    let mut rest = text.trim_end();
    while let Some((before, last, names)) = last_labels(rest) {
        let fits = |name: &String| limits::LABEL_NAME.check(name.chars().count()).is_ok();
        if before.trim().is_empty() || last.is_empty() || !names.iter().all(fits) {
            break;
        }
        labels.splice(0..0, names);
        rest = before.trim_end();
    }
    (rest.to_owned(), labels)
}

fn last_labels(text: &str) -> Option<(&str, &str, Vec<String>)> {
    if let Some(open) = text.strip_suffix("]]").and_then(|inner| inner.rfind("#[[")) {
        let name = &text[open + 3..text.len() - 2];
        return Some((&text[..open], &text[open..], vec![name.to_owned()]));
    }
    let at = text.rfind([' ', '\t'])? + 1;
    let last = &text[at..];
    if let Some(name) = last.strip_prefix('#') {
        let is_name = name.contains(char::is_alphabetic)
            && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '/'));
        return is_name.then(|| (&text[..at], last, vec![name.to_owned()]));
    }
    let inner = last.strip_prefix(':')?.strip_suffix(':')?;
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '@' | '#' | '%');
    let names: Vec<String> = inner.split(':').map(str::to_owned).collect();
    let is_tags = names.iter().all(|name| !name.is_empty() && name.chars().all(is_name));
    is_tags.then(|| (&text[..at], last, names))
}
