//! Writes Markdown: one task with front matter, several with a heading each.

use std::fmt::Write as _;

use super::task::{Lost, Task, block, one_line};
use crate::markdown::escaped_field;

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
    lost
}

/// Writes the only task of a file.
pub(super) fn alone(task: &Task) -> String {
    let mut text = String::new();
    front_matter(task, &mut text);
    body(task, 1, &mut text);
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
    body(task, 2, &mut text);
    text
}

/// The values of a task under the names of the front matter.
pub(super) fn fields(task: &Task) -> Vec<(&'static str, String)> {
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
    let line = if line.is_empty() { "(no title)".to_owned() } else { line };
    let bare = line.trim_end_matches('#');
    if bare.len() < line.len() && (bare.is_empty() || bare.ends_with(' ')) {
        format!("{bare}\\{}", &line[bare.len()..])
    } else {
        line
    }
}

/// Items, then entries; headings inside an entry are put below the task's.
pub(super) fn body(task: &Task, level: usize, text: &mut String) {
    // A list right below the items is another list only if it has other bullets.
    let first = task.entries.first().filter(|entry| entry.on.is_none());
    let is_list = first.is_some_and(|entry| block(&entry.text).trim_start().starts_with("- "));
    let bullet = if is_list { '*' } else { '-' };
    for item in &task.items {
        let tick = if item.is_checked { 'x' } else { ' ' };
        let indent = "  ".repeat(item.depth.min(20) as usize);
        let _ = writeln!(text, "{indent}{bullet} [{tick}] {}", one_line(&item.title));
    }
    if !task.items.is_empty() && !task.entries.is_empty() {
        text.push('\n');
    }
    for (n, entry) in task.entries.iter().enumerate() {
        if n > 0 {
            text.push('\n');
        }
        let deeper = deeper(&block(&entry.text), level);
        let begins_with_day = |day: &jiff::civil::Date| {
            deeper.trim_start_matches('#').trim_start().starts_with(&day.to_string())
        };
        if let Some(day) = entry.on.filter(|day| !begins_with_day(day)) {
            let _ = writeln!(text, "{day}: {}", deeper.trim_start());
        } else {
            let _ = writeln!(text, "{}", deeper.trim_matches('\n'));
        }
    }
}

/// Moves the headings of a text below a level.
pub(super) fn deeper(text: &str, level: usize) -> String {
    let marks = |line: &str| {
        let n = line.bytes().take_while(|&byte| byte == b'#').count();
        ((1..=6).contains(&n) && line[n..].starts_with(' ')).then_some(n)
    };
    let mut fence: Option<&str> = None;
    let mut lines = Vec::new();
    let mut highest = 7;
    for line in text.split('\n') {
        let mark = ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark));
        match (fence, mark) {
            (None, Some(_)) => fence = mark,
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None | Some(_), _) => {}
        }
        let n = if fence.is_none() { marks(line) } else { None };
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
