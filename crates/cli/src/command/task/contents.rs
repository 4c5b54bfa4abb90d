//! The lines of a task: its fields, items, links and entries, and what happened to it.

use dormouse::view::{Activity, Entry, Task};
use dormouse_types::By;
use dormouse_types::Id as _;
use dormouse_types::change::What;
use dormouse_types::field_change::FieldValue;
use dormouse_types::task::{Flag, LinkDirection, LinkKind};

use crate::session::Session;
use crate::terminal::wrap::{self, Margin};
use crate::terminal::{line, markdown, time, titled, value};

/// What belongs to a task: its fields, with some more, its items, links and entries.
pub(super) fn contents(
    session: &Session,
    task: &Task,
    more: Vec<(&'static str, String)>,
) -> Vec<String> {
    let (style, width) = (session.screen.style(), session.screen.prose_width());
    let mut lines = wrap::text(&line(titled(&task.title)), width, NO_MARGIN);
    for text in &mut lines {
        *text = style.bold(text);
    }
    lines.push(style.dim(task.id.as_str()));
    for (name, value) in facts(task).into_iter().chain(more) {
        let name = format!("{name:<10}");
        let margin = Margin { first: &name, rest: "          " };
        lines.extend(wrap::text(&line(&value), width, margin));
    }
    lines.extend(items(task, width));
    lines.extend(links(task, width));
    for entry in &task.entries {
        lines.push(String::new());
        lines.push(style.dim(&heading(entry)));
        if !entry.text.trim().is_empty() {
            lines.push(markdown::render(&entry.text, width, style));
        }
    }
    lines
}

const NO_MARGIN: Margin<'_> = Margin { first: "", rest: "" };

fn facts(task: &Task) -> Vec<(&'static str, String)> {
    let mut status = task.status.name().to_lowercase();
    if let Some(reason) = &task.status_reason {
        status.push_str(&format!(": {reason}"));
    }
    let mut facts = vec![("status", status)];
    facts.extend(task.priority.map(|priority| ("priority", priority.to_string())));
    facts.extend(task.due_on.map(|day| ("due", day.to_string())));
    facts.extend(task.estimate_minutes.map(|m| ("estimate", time::duration(m))));
    if task.time_spent_minutes > 0 {
        facts.push(("spent", time::duration(task.time_spent_minutes)));
    }
    facts.extend(task.language.clone().map(|language| ("language", language)));
    facts.extend(task.category.as_ref().map(|category| ("category", category.name.clone())));
    if !task.labels.is_empty() {
        let names: Vec<&str> = task.labels.iter().map(|label| label.name.as_str()).collect();
        facts.push(("labels", names.join(", ")));
    }
    facts.extend(task.starred.then(|| ("starred", "yes".to_owned())));
    if task.private {
        facts.push(("private", "yes; models that are not yours never see it".to_owned()));
    }
    facts.push(("revision", task.revision.to_string()));
    if task.deleted_at.is_some() {
        facts.push(("deleted", "yes; `task restore` restores it".to_owned()));
    }
    facts
}

/// The items with their numbers for `task check`.
fn items(task: &Task, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for (at, item) in task.items.iter().enumerate().filter(|(_, item)| !item.is_archived) {
        if lines.is_empty() {
            lines.push(String::new());
        }
        let indent = "  ".repeat(usize::try_from(item.depth).unwrap_or(0).min(5));
        let mark = if item.is_checked { "[x]" } else { "[ ]" };
        let first = format!("{:>3} {indent}{mark} ", at + 1);
        let rest = " ".repeat(first.len());
        let by =
            if item.is_checked && item.checked_by == By::Agent { " (by its agent)" } else { "" };
        let text = format!("{}{by}", line(&item.title));
        lines.extend(wrap::text(&text, width, Margin { first: &first, rest: &rest }));
    }
    lines
}

/// The links with the ends of ids for `task link --remove`.
fn links(task: &Task, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for link in &task.links {
        if lines.is_empty() {
            lines.push(String::new());
        }
        let words = LinkKind::words_of(&link.kind, link.direction);
        let first = format!("{}  ", link.task.id.short());
        let text = line(&format!("{words}: {}", titled(&link.task.title)));
        lines.extend(wrap::text(&text, width, Margin { first: &first, rest: "       " }));
    }
    lines
}

fn heading(entry: &Entry) -> String {
    let kind = entry.kind.words();
    let starred = if entry.starred { " · starred" } else { "" };
    let private = if entry.private { " · private" } else { "" };
    let minutes = entry.minutes.map_or_else(String::new, |m| format!(", {}", time::duration(m)));
    format!("── {} · {kind}{minutes}{starred}{private} · {}", entry.on, entry.id.short())
}

/// A line for each change of a task: when, by whom, what.
pub(super) fn activity_lines(
    session: &Session,
    changes: &[Activity],
    task: &dormouse_types::TaskId,
) -> Vec<String> {
    let width = session.screen.prose_width();
    let mut lines = Vec::new();
    for change in changes {
        let at = time::minute(change.at, &session.zone);
        let first = format!("{at}  {:<7} ", change.origin);
        let rest = " ".repeat(first.len());
        let what: Vec<String> = change.what.iter().map(|what| described(what, task)).collect();
        lines.extend(wrap::text(&what.join("; "), width, Margin { first: &first, rest: &rest }));
    }
    lines
}

/// Describes a change of a task.
fn described(what: &What, task: &dormouse_types::TaskId) -> String {
    let text = match what {
        What::TaskCreated { title } => format!("task created: {}", titled(title)),
        What::TaskDeleted => "task deleted".to_owned(),
        What::TaskRestored => "task restored".to_owned(),
        What::FieldSet(change) => {
            let shown = |value: &Option<FieldValue>| {
                value.as_ref().map_or_else(|| "none".to_owned(), value::words)
            };
            let field = value::field(&change.field);
            format!("{field}: {} -> {}", shown(&change.from), shown(&change.to))
        }
        What::ItemAdded { title, .. } => format!("item added: {title}"),
        What::ItemChecked { title, is_checked: true, .. } => format!("item ticked: {title}"),
        What::ItemChecked { title, is_checked: false, .. } => format!("item unticked: {title}"),
        What::ItemRenamed { from, to, .. } => format!("item renamed: {from} -> {to}"),
        What::ItemArchived { title, is_archived: true, .. } => format!("item archived: {title}"),
        What::ItemArchived { title, is_archived: false, .. } => {
            format!("item restored: {title}")
        }
        What::ItemMoved { title, .. } => match what.moved(task) {
            Some((LinkDirection::Out, _, to)) => format!("item moved to \"{to}\": {title}"),
            Some((LinkDirection::In, _, from)) => {
                format!("item moved here from \"{from}\": {title}")
            }
            None => format!("item moved: {title}"),
        },
        What::EntryAdded { entry } => format!("note {} added", entry.short()),
        What::EntryEdited { entry } => format!("note {} edited", entry.short()),
        What::EntryDeleted { entry } => format!("note {} deleted", entry.short()),
        What::EntryRestored { entry } => format!("note {} restored", entry.short()),
        What::EntryFlagged { entry, flag, is_set } => {
            let no_longer = if *is_set { "" } else { "no longer " };
            let words = match flag {
                Flag::Starred => "starred",
                Flag::Private => "private",
            };
            format!("note {} {no_longer}{words}", entry.short())
        }
        What::LabelAdded { name, .. } => format!("label added: {name}"),
        What::LabelRemoved { name, .. } => format!("label removed: {name}"),
        What::LinkAdded { .. } => format!("link added: {}", other_end(what, task)),
        What::LinkRemoved { .. } => format!("link removed: {}", other_end(what, task)),
        What::Unknown => "a change from a newer version".to_owned(),
    };
    line(&text)
}

fn other_end(what: &What, task: &dormouse_types::TaskId) -> String {
    what.other_end(task).map_or_else(String::new, |end| {
        let words = LinkKind::words_of(end.kind, end.direction);
        format!("{words} {} {}", end.task.short(), titled(end.title))
    })
}
