//! Writes todo.txt: one line a task, whatever its texts hold.

use dormouse_types::draft::UNTITLED;
use dormouse_types::task::{Priority, Status};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::{Marks, Token, spaced};
use crate::export::task::{Lost, Task, one_line};
use crate::intake::fold;

/// The line of a task, with its end.
pub(crate) fn line(task: &Task) -> String {
    let mut text = Line::of(task).text;
    text.push('\n');
    text
}

/// The parts of a task that its line does not hold.
pub(crate) fn lost(task: &Task) -> Vec<Lost> {
    let line = Line::of(task);
    let mut lost = line.lost;
    let has = [
        (!task.items.is_empty(), Lost::Items),
        (!task.parts().1.is_empty(), Lost::Entries),
        (!task.links.is_empty(), Lost::Links),
        (task.report.is_some(), Lost::Report),
        (task.flags.starred, Lost::Starred),
        (task.flags.private, Lost::Private),
    ];
    lost.extend(has.into_iter().filter_map(|(has, part)| has.then_some(part)));
    lost
}

struct Line {
    text: String,
    lost: Vec<Lost>,
}

impl Line {
    fn of(task: &Task) -> Self {
        let (details, _) = task.parts();
        let (mut words, mut lost): (Vec<String>, Vec<Lost>) = (Vec::new(), Vec::new());
        let (mut created, mut completed, mut letter) = (None, None, task.priority.map(letter_of));
        let mut values = Vec::new();
        for (name, value) in details.iter() {
            match name {
                "Created" if created.is_none() && day(value).is_some() => created = day(value),
                "Completed" if completed.is_none() && day(value).is_some() => {
                    completed = day(value)
                }
                "Priority" if task.priority == Some(Priority::P3) && low(value).is_some() => {
                    letter = low(value)
                }
                _ => {
                    let word = match value.contains(' ') {
                        true => format!("{name}:\"{value}\""),
                        false => format!("{name}:{value}"),
                    };
                    let is_one = super::words(&word) == [word.as_str()]
                        && !word.contains(|c: char| c.is_whitespace() && c != ' ')
                        && matches!(Token::of(&word), Token::Value(key, read) if key == name && read == value);
                    if is_one { values.push(word) } else { lost.push(Lost::Details) }
                }
            }
            if matches!(name, "Created" | "Completed") && value.len() > 10 {
                lost.push(Lost::Times);
            }
        }
        let utc = |at: Timestamp| at.to_zoned(TimeZone::UTC).date();
        if task.created_at.is_some() || task.completed_at.is_some() {
            lost.push(Lost::Times);
        }
        created = created.or(task.created_at.map(utc));
        completed = completed.or(task.completed_at.map(utc));
        let is_done = matches!(task.status, Some(Status::Done | Status::Rejected));
        if is_done {
            words.push("x".to_owned());
            words.extend(completed.map(|day| day.to_string()));
            // A single day after the `x` is the one of completion.
            words.extend(created.filter(|_| completed.is_some()).map(|day| day.to_string()));
            if created.is_some() && completed.is_none() {
                lost.push(Lost::Times);
            }
        } else {
            words.extend(letter.map(|letter| format!("({letter})")));
            words.extend(created.map(|day| day.to_string()));
            if completed.is_some() {
                lost.push(Lost::Times);
            }
        }
        let head = words.len();
        let title = task.title_line();
        let title_words: Vec<&str> = title.split(' ').collect();
        let mut tags = Vec::new();
        let names = task
            .category
            .iter()
            .map(|name| ('+', name))
            .chain(task.labels.iter().map(|name| ('@', name)));
        for (sign, name) in names {
            let written = one_line(name).replace(' ', "_");
            let tag = format!("{sign}{written}");
            // A label that came from a second project is in the title with its own sign; the first is the category.
            let as_project = format!("+{written}");
            let is_second = sign == '@' && task.category.as_ref() != Some(name);
            let is_stated = title_words.contains(&tag.as_str())
                || (is_second && title_words.contains(&as_project.as_str()));
            if !is_stated {
                tags.push(tag);
            }
            if written != *name {
                lost.push(Lost::Names);
            }
        }
        words.extend(tags);
        words.extend(task.due_on.map(|day| format!("due:{day}")));
        if is_done {
            words.extend(letter.map(|letter| format!("pri:{letter}")));
        }
        if let Some(status) =
            task.status.filter(|status| !matches!(status, Status::Open | Status::Done))
        {
            words.push(format!("status:{}", status.name().replace(' ', "_")));
        }
        if let Some(reason) = &task.status_reason {
            let written = one_line(reason).replace([' ', ':'], "_");
            let written = written.trim_matches(['_', '/']);
            if spaced(written) != *reason {
                lost.push(Lost::Reason);
            }
            if !written.is_empty() {
                words.push(format!("reason:{written}"));
            }
        }
        words.extend(task.estimate_minutes.map(|minutes| format!("est:{minutes}m")));
        words.extend(task.language.as_ref().map(|code| format!("lang:{code}")));
        words.extend(values);
        // A title that would be read as a mark goes after the tags; without any it is changed.
        let has_tags = words.len() > head;
        let is_safe = is_read_whole(&title, is_done, &words[..head], has_tags);
        match (is_safe, has_tags) {
            (true, _) => words.insert(head, title),
            (false, true) => words.push(title),
            (false, false) => words.push(unmarked(&title)),
        }
        words.retain(|word| !word.is_empty());
        let mut text = words.join(" ");
        if task.title_line().is_empty() && (text.is_empty() || text == "x") {
            text = format!("{text} {UNTITLED}").trim_start().to_owned();
        }
        // What a program reads from the line is the last word on what it holds.
        let read = super::reread(&text);
        if read.title != task.title_line() {
            lost.push(Lost::Title);
        }
        // A line is recognized by its words.
        if task.key != fold(&read.title) {
            lost.push(Lost::Key);
        }
        if read.category != task.category || read.labels != task.labels {
            lost.push(Lost::Names);
        }
        if read.due_on != task.due_on {
            lost.push(Lost::Due);
        }
        Self { text, lost }
    }
}

/// Whether a title after the marks of a line, and with or without tags after it, is read as all of
/// it.
fn is_read_whole(title: &str, is_done: bool, marks: &[String], has_tags: bool) -> bool {
    let tag = if has_tags { "+t" } else { "" };
    let words =
        marks.iter().map(String::as_str).chain([title, tag]).filter(|word| !word.is_empty());
    let line = words.collect::<Vec<_>>().join(" ");
    let marks = Marks::of(&line);
    marks.is_done == is_done && marks.rest.strip_suffix(tag).map(str::trim_end) == Some(title)
}

/// A title that is read as no mark.
fn unmarked(title: &str) -> String {
    match title.strip_prefix('x') {
        Some(rest) if rest.is_empty() || rest.starts_with(' ') => format!("X{rest}"),
        _ if title.starts_with('(') => title
            .chars()
            .take(3)
            .flat_map(char::to_lowercase)
            .chain(title.chars().skip(3))
            .collect(),
        // A day: with a hyphen that does not break, it is a word.
        _ => title.replacen('-', "\u{2011}", 2),
    }
}

fn letter_of(priority: Priority) -> char {
    match priority {
        Priority::P0 => 'A',
        Priority::P1 => 'B',
        Priority::P2 => 'C',
        Priority::P3 => 'D',
    }
}

/// A letter below (D).
fn low(value: &str) -> Option<char> {
    let mut chars = value.chars();
    chars.next().filter(|letter| ('E'..='Z').contains(letter) && chars.next().is_none())
}

fn day(value: &str) -> Option<Date> {
    super::day(value.get(..10)?)
}
