//! Components: which lines are to-dos, and which are left.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use dormouse_types::TaskId;

use super::content_line::{ContentLine, ContentLines};
use crate::intake::{Gather, Lines, fold};
use crate::reading::Role;

/// When the task was last changed here, to the microsecond. `LAST-MODIFIED`, which has only seconds and which other
/// programs set again, does not say it.
pub(super) const UPDATED: &str = "X-DORMOUSE-UPDATED";
/// How deep components nest at most; a calendar of any program needs four levels.
const MAX_DEPTH: usize = 32;

/// A `VTODO` as it is in the text.
pub(super) struct Todo {
    /// From `BEGIN` to `END`, from 0.
    pub lines: RangeInclusive<usize>,
    pub properties: Vec<ContentLine>,
    /// Each alarm as its properties.
    pub alarms: Vec<Vec<String>>,
    /// Lines that are no property.
    pub broken: Vec<String>,
    /// The calendar's name.
    pub calendar: Option<String>,
    /// What each line is.
    pub claims: Vec<(RangeInclusive<usize>, Role)>,
}

impl Todo {
    pub fn get(&self, name: &str) -> Option<&ContentLine> {
        self.properties.iter().find(|line| line.name == name)
    }

    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    pub fn uid(&self) -> Option<String> {
        self.get("UID").map(|line| line.text().trim().to_owned()).filter(|uid| !uid.is_empty())
    }

    /// The title, one line.
    pub fn summary(&self) -> String {
        let text = self.get("SUMMARY").map(ContentLine::text).unwrap_or_default();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// What it is called: its summary, else the first line of its description.
    pub fn title(&self) -> String {
        let summary = self.summary();
        if !summary.is_empty() {
            return summary;
        }
        let text = self.get("DESCRIPTION").map(ContentLine::text).unwrap_or_default();
        let words = first_line(&text).map(|(line, _)| line.split_whitespace());
        words.map(|words| words.collect::<Vec<_>>().join(" ")).unwrap_or_default()
    }

    /// The `UID`, with the day of the instance where it is one of a series; else the title. In our own
    /// export each instance has a `UID` of its own.
    pub fn key(&self) -> String {
        let base = self.uid().unwrap_or_else(|| fold(&self.title()));
        let is_own = self.has(UPDATED) && base.parse::<TaskId>().is_ok();
        match self.get("RECURRENCE-ID").filter(|_| !is_own) {
            Some(instance) => format!("{base}/{}", instance.value.trim()),
            None => base,
        }
    }

    /// Whether it is an item that is done: by its status, else by its percentage or its time.
    pub fn is_ticked(&self) -> bool {
        let value = |name| self.get(name).map(|line| line.value.trim().to_uppercase());
        match value("STATUS") {
            Some(status) => status == "COMPLETED",
            None => self.has("COMPLETED") || value("PERCENT-COMPLETE").as_deref() == Some("100"),
        }
    }
}

/// The first line that is not blank, and the text after it.
pub(super) fn first_line(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let end = text.find('\n').unwrap_or(text.len());
    (!text.is_empty()).then(|| (&text[..end], text[end..].trim_start_matches('\n')))
}

/// What a text holds.
pub(super) struct Found {
    pub todos: Vec<Todo>,
    /// Whether there was any component at all.
    pub has_component: bool,
}

/// Finds the to-dos, and counts what is left.
pub(super) fn find(lines: &Lines<'_>, gather: &mut Gather<'_>) -> Found {
    let mut found = Found { todos: Vec::new(), has_component: false };
    let mut open: Vec<String> = Vec::new();
    let mut todo: Option<Todo> = None;
    let mut calendar = None;
    let mut left: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for next in ContentLines::new(lines) {
        let line = match next {
            Ok(line) => line,
            Err((at, text)) => {
                broken(at, text, todo.as_mut(), gather);
                continue;
            }
        };
        let component = line.value.trim().to_uppercase();
        match (line.name.as_str(), &mut todo) {
            ("BEGIN", current) => {
                found.has_component = true;
                if component == "VCALENDAR" {
                    calendar = None;
                }
                if component == "VTODO" {
                    if let Some(unfinished) = current.take() {
                        gather.say(
                            *unfinished.lines.start(),
                            "this VTODO has no END:VTODO; it ends where the next begins",
                        );
                        found.todos.push(unfinished);
                        close(&mut open, "VTODO");
                    }
                    *current = Some(begun(&line, calendar.clone()));
                } else if let Some(todo) = current {
                    todo.lines = *todo.lines.start()..=*line.lines.end();
                    todo.alarms.push(vec![component.clone()]);
                    todo.claims.push((line.lines.clone(), Role::Field));
                } else if is_left(&component) {
                    left.entry(component.clone()).or_insert((*line.lines.start(), 0)).1 += 1;
                }
                if !open.iter().any(|outer| is_left(outer)) || is_left(&component) {
                    claim_left(&open, &component, &line, gather);
                }
                if open.len() < MAX_DEPTH {
                    open.push(component);
                } else {
                    gather.say(*line.lines.start(), "components are nested too deep: this one is read as part of the one around it");
                }
            }
            ("END", current) => {
                claim_left(&open, "", &line, gather);
                if let Some(todo) = current {
                    todo.lines = *todo.lines.start()..=*line.lines.end();
                    todo.claims.push((line.lines.clone(), Role::Field));
                }
                if !close(&mut open, &component) {
                    gather.say(
                        *line.lines.start(),
                        format!("END:{} has no BEGIN", short(&component)),
                    );
                } else if !open.iter().any(|outer| outer == "VTODO") {
                    found.todos.extend(current.take());
                }
            }
            (name, Some(todo)) => {
                todo.lines = *todo.lines.start()..=*line.lines.end();
                todo.claims.push((line.lines.clone(), role(name)));
                if open.last().is_some_and(|inner| inner == "VTODO") {
                    todo.properties.push(line);
                } else if let Some(alarm) = todo.alarms.last_mut() {
                    alarm.push(format!("{}:{}", line.head(), line.value));
                }
            }
            ("X-WR-CALNAME" | "NAME", None)
                if open.last().is_none_or(|outer| outer == "VCALENDAR") =>
            {
                calendar = Some(line.text().trim().to_owned()).filter(|name| !name.is_empty());
                gather.claim(line.lines.clone(), Role::Category, None);
            }
            (_, None) => claim_left(&open, "", &line, gather),
        }
    }
    if let Some(unfinished) = todo {
        gather.say(*unfinished.lines.start(), "this VTODO has no END:VTODO; it ends with the text");
        found.todos.push(unfinished);
    }
    for (component, (line, n)) in left {
        gather.say(line, format!("{n} {} left out: only to-dos become tasks", short(&component)));
    }
    found
}

fn begun(line: &ContentLine, calendar: Option<String>) -> Todo {
    Todo {
        lines: line.lines.clone(),
        properties: Vec::new(),
        alarms: Vec::new(),
        broken: Vec::new(),
        calendar,
        claims: vec![(line.lines.clone(), Role::Field)],
    }
}

fn role(name: &str) -> Role {
    match name {
        "SUMMARY" => Role::Task,
        "DESCRIPTION" | "COMMENT" => Role::Note,
        "DUE" => Role::Due,
        _ => Role::Field,
    }
}

/// Whether a component is about no task. Zones are part of the format.
fn is_left(component: &str) -> bool {
    !matches!(component, "VCALENDAR" | "VTODO" | "VTIMEZONE" | "STANDARD" | "DAYLIGHT" | "VALARM")
}

fn claim_left(open: &[String], next: &str, line: &ContentLine, gather: &mut Gather<'_>) {
    if open.iter().map(String::as_str).chain((!next.is_empty()).then_some(next)).any(is_left) {
        gather.claim(line.lines.clone(), Role::Skipped, None);
    }
}

/// Closes a component and whatever is still open inside it.
fn close(open: &mut Vec<String>, component: &str) -> bool {
    match open.iter().rposition(|inner| inner == component) {
        Some(at) => {
            open.truncate(at);
            true
        }
        None => false,
    }
}

fn broken(
    at: RangeInclusive<usize>,
    text: String,
    todo: Option<&mut Todo>,
    gather: &mut Gather<'_>,
) {
    match todo {
        Some(todo) => {
            gather.say(*at.start(), "not a property of a to-do: kept in the note");
            todo.claims.push((at, Role::Note));
            todo.broken.push(text);
        }
        None => {
            gather.say(*at.start(), "not a line of a calendar, and outside any to-do: left out");
            gather.claim(at, Role::Skipped, None);
        }
    }
}

fn short(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(30).collect()
}
