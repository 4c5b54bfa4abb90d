//! Writes Markdown: one task with front matter, several with a heading each.

use std::fmt::Write as _;

use dormouse_types::TaskId;
use dormouse_types::draft::{Entry, Item, UNTITLED};

use super::task::{Lost, Task, block, one_line};
use crate::intake;
use crate::markdown::{escaped_field, escapes};

/// The parts of a task that Markdown does not hold.
pub(super) fn lost(task: &Task, n_tasks: usize) -> Vec<Lost> {
    let mut lost = task.entry_marks();
    if !task.links.is_empty() {
        lost.push(Lost::Links);
    }
    if task.report.is_some() {
        lost.push(Lost::Report);
    }
    if task.created_at.is_some() || task.completed_at.is_some() {
        lost.push(Lost::Times);
    }
    // A key of several lines, or none, is not found again.
    if n_tasks > 1 && (task.key.is_empty() || one_line(&task.key) != task.key) {
        lost.push(Lost::Key);
    }
    lost.extend(misread(task, n_tasks));
    lost
}

/// The parts of a task that are read as something else: what a program reads from the text is the last
/// word on what it holds.
fn misread(task: &Task, n_tasks: usize) -> Vec<Lost> {
    let text = match n_tasks {
        1 => alone(task),
        // Between others, for a file of one section is read in another way.
        _ => format!("## 1\n\n[id:: 1]\n\n{}\n## 2\n\n[id:: 2]\n", section(task)),
    };
    let Ok(read) = crate::markdown::read("task.md", text.as_bytes()) else {
        return vec![Lost::Order];
    };
    let back = match &read.tasks[..] {
        [back] if n_tasks == 1 => back,
        [_, back, _] if n_tasks > 1 => back,
        // Some of its text is a task of its own there.
        _ => return vec![Lost::Items, Lost::Order],
    };
    let is_titled = back.title == task.title_line()
        || (task.title_line().is_empty() && back.title == heading(""));
    let one = |text: &Option<String>| text.as_deref().map(one_line);
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let kept = |entry: &Entry| escapes::unescaped(&entry_text(entry, Notes::Kept));
    let entries: Vec<_> =
        task.entries.iter().map(|entry| (words(&kept(entry)), entry.on)).collect();
    let entries_back: Vec<_> =
        back.entries.iter().map(|entry| (words(&entry.text), entry.on)).collect();
    let item = |item: &Item| (one_line(&item.title), item.is_checked, item.depth);
    let items: Vec<_> = task.items.iter().map(item).collect();
    let items_back: Vec<_> = back.items.iter().map(item).collect();
    let labels: Vec<_> = task.labels.iter().map(|label| one_line(label)).collect();
    let is_same = [
        (is_titled, Lost::Title),
        (
            back.status == task.status && back.status_reason == one(&task.status_reason),
            Lost::Reason,
        ),
        (back.category == one(&task.category) && back.labels == labels, Lost::Names),
        (items_back == items, Lost::Items),
        (back.estimate_minutes == task.estimate_minutes, Lost::Estimate),
        (back.language == task.language, Lost::Language),
        (back.priority == task.priority, Lost::Priority),
        (back.due_on == task.due_on, Lost::Due),
        (back.flags.starred == task.flags.starred, Lost::Starred),
        (back.flags.private == task.flags.private, Lost::Private),
        (entries_back == entries, Lost::Order),
    ];
    is_same.into_iter().filter_map(|(is_same, part)| (!is_same).then_some(part)).collect()
}

/// Writes the only task of a file.
pub(super) fn alone(task: &Task) -> String {
    let mut text = String::new();
    front_matter(task, &mut text);
    body(task, Notes::Kept, &mut text);
    text
}

/// Writes one of several tasks.
pub(super) fn section(task: &Task) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "## {}\n", heading(&task.title));
    // The key too: by it a heading without anything else is a task, and known again.
    let key = ("id", one_line(&task.key));
    let fields = fields(task).into_iter().filter(|(name, _)| *name != "labels");
    // Each by itself: a label may have a comma in it.
    let labels = task.labels.iter().map(|label| ("label", one_line(label)));
    let all = std::iter::once(key).chain(fields).chain(labels);
    let all: Vec<String> =
        all.map(|(name, value)| format!("[{name}:: {}]", escaped_field(&value))).collect();
    let _ = writeln!(text, "{}\n", all.join(" "));
    body(task, Notes::Kept, &mut text);
    text
}

/// The values of a task under the names of the front matter.
pub(super) fn fields(task: &Task) -> Vec<(&'static str, String)> {
    // Next to another key it is a field that many notes have for themselves, and is read as text.
    let updated_at = task.updated_at.filter(|_| task.key.parse::<TaskId>().is_ok());
    let values = [
        ("status", task.status.map(|status| status.name().to_owned())),
        ("reason", task.status_reason.as_deref().map(one_line)),
        ("priority", task.priority.map(|priority| priority.name().to_owned())),
        ("due", task.due_on.map(|day| day.to_string())),
        ("estimate", task.estimate_minutes.map(|minutes| format!("{minutes}m"))),
        ("language", task.language.clone()),
        ("category", task.category.as_deref().map(one_line)),
        ("starred", task.flags.starred.then(|| "true".to_owned())),
        ("private", task.flags.private.then(|| "true".to_owned())),
        ("updated", updated_at.map(|at| at.to_string())),
        (
            "labels",
            Some(task.labels.iter().map(|label| one_line(label)).collect::<Vec<_>>().join(", ")),
        ),
    ];
    values
        .into_iter()
        .filter_map(|(name, value)| Some((name, value.filter(|value| !value.is_empty())?)))
        .collect()
}

fn front_matter(task: &Task, text: &mut String) {
    text.push_str("---\n");
    let _ = writeln!(text, "id: {}", scalar(&task.key));
    let _ = writeln!(text, "title: {}", scalar(&task.title));
    for (name, value) in fields(task) {
        if name == "labels" {
            text.push_str("labels:\n");
            for label in &task.labels {
                let _ = writeln!(text, "  - {}", scalar(label));
            }
        } else {
            let _ = writeln!(text, "{name}: {}", scalar(&value));
        }
    }
    text.push_str("---\n\n");
    let _ = writeln!(text, "# {}\n", heading(&task.title));
}

/// A value of the front matter in quotes, so that nothing in it is read as more than text. Where it
/// can be without escapes, which not every reader undoes, it is.
fn scalar(text: &str) -> String {
    let line = one_line(text);
    if line.contains(['"', '\\']) {
        format!("'{}'", line.replace('\'', "''"))
    } else {
        format!("\"{line}\"")
    }
}

/// A heading's text: one line that ends in no `#` and is never empty.
pub(super) fn heading(text: &str) -> String {
    let line = one_line(text);
    let line = if line.is_empty() { UNTITLED.to_owned() } else { line };
    let bare = line.trim_end_matches('#');
    let apart = bare.trim_end_matches('\\');
    if bare.len() < line.len() && (apart.is_empty() || apart.ends_with(' ')) {
        format!("{bare}\\{}", &line[bare.len()..])
    } else {
        line
    }
}

/// How the headings and check boxes within an entry are written.
#[derive(Clone, Copy)]
pub(super) enum Notes {
    /// They stay text of the entry when the file is read again.
    Kept,
    /// A person reads them: headings are put below this level.
    Shown(usize),
}

/// Items, then entries.
pub(super) fn body(task: &Task, notes: Notes, text: &mut String) {
    // A list right below the items is another list only if it has other bullets.
    let first = task.entries.first().filter(|entry| entry.on.is_none());
    let is_list = first.is_some_and(|entry| block(&entry.text).trim_start().starts_with("- "));
    let bullet = if is_list { '*' } else { '-' };
    for item in &task.items {
        let title = one_line(&item.title);
        let indent = "  ".repeat(item.depth.min(20) as usize);
        // The sign of a box that is neither a tick nor blank is before the title.
        let (tick, title) = match intake::signed(&title) {
            Some((sign, title)) if !item.is_checked => (sign, title),
            Some(_) | None if item.is_checked => ('x', title.as_str()),
            Some(_) | None => (' ', title.as_str()),
        };
        let _ = writeln!(text, "{indent}{bullet} [{tick}] {title}");
    }
    if !task.items.is_empty() && !task.entries.is_empty() {
        text.push('\n');
    }
    for (n, entry) in task.entries.iter().enumerate() {
        if n > 0 {
            text.push('\n');
        }
        let _ = writeln!(text, "{}", entry_text(entry, notes));
    }
}

/// The text of an entry, with its day in front unless it begins with it.
fn entry_text(entry: &Entry, notes: Notes) -> String {
    let text = block(&entry.text);
    let begins_with_day = |day: &jiff::civil::Date| {
        text.trim_start_matches('#').trim_start().starts_with(&day.to_string())
    };
    let day = entry.on.filter(|day| !begins_with_day(day));
    let text = match day {
        Some(_) => text.trim_start(),
        None => text.trim_matches('\n'),
    };
    let text = match notes {
        // The first line has the day of the entry, in front or by itself.
        Notes::Kept => {
            let is_heading = text.trim_start().starts_with('#');
            let is_dated = day.is_some() || entry.on.is_some() && !is_heading;
            escapes::escaped(text, usize::from(is_dated))
        }
        Notes::Shown(level) => deeper(text, level),
    };
    let text = without_underlines(&text);
    day.map_or_else(|| text.clone(), |day| format!("{day}: {text}"))
}

/// A text in which no line is a heading by the line of `-` or `=` below it, which would be a task of its own.
fn without_underlines(text: &str) -> String {
    let is_underline = |line: &str| {
        let line = line.trim();
        !line.is_empty() && ["-", "="].iter().any(|sign| line.replace(sign, "").is_empty())
    };
    let mut lines: Vec<&str> = Vec::new();
    for line in text.split('\n') {
        let above = |back: usize| lines.len().checked_sub(back).map(|at| lines[at]);
        let is_blank = |line: &str| line.trim().is_empty();
        let ends = |line: &str| is_blank(line) || is_underline(line) || line.starts_with('#');
        // Of several lines above it, none is a heading.
        if is_underline(line) && !above(1).is_none_or(is_blank) && above(2).is_none_or(ends) {
            lines.push("");
        }
        lines.push(line);
    }
    lines.join("\n")
}

/// Moves the headings of a text below a level.
pub(super) fn deeper(text: &str, level: usize) -> String {
    let marks = |line: &str| {
        let n = line.bytes().take_while(|&byte| byte == b'#').count();
        let is_heading = line[n..].is_empty() || line[n..].starts_with([' ', '\t']);
        ((1..=6).contains(&n) && is_heading).then_some(n)
    };
    let mut lines = Vec::new();
    let mut highest = 7;
    for (line, is_fenced) in escapes::fenced_lines(text) {
        let n = if is_fenced { None } else { marks(line) };
        highest = highest.min(n.unwrap_or(7));
        lines.push((line, n));
    }
    let by = (level + 1).saturating_sub(highest);
    let moved = lines.into_iter().map(|(line, n)| match n {
        Some(n) if highest <= level => format!("{}{}", "#".repeat((n + by).min(6)), &line[n..]),
        Some(_) | None => line.to_owned(),
    });
    moved.collect::<Vec<_>>().join("\n")
}
