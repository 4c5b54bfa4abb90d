//! Dormouse's own JSON: everything that a task holds.
//!
//! Shape: `{"format": "dormouse-tasks", "version": 1, "tasks": [...]}`, the tasks with the members of
//! [`export::Task`](crate::export::Task) in camel case; empty members are left out. Links and the
//! report, which a draft has no field for, are kept as text; the times of creation and completion are
//! left out.
//!
//! The whole workspace as `dormouse export` writes it (`docs/export.md`) is read as well: its tasks
//! with their items and entries, without what was deleted and without agents and links.
//!
//! A task is recognized by its key, in an export by its id.

use dormouse_types::draft::{Entry, Item};
use dormouse_types::task::{self, Priority, Status};
use serde_json::{Value, json};

mod members;
mod workspace;

use self::members::{as_of, flags, kind};
use crate::export::task::{self as whole, one_line};
use crate::intake::{Details, Draft, Gather, Lines, ReadError, ReadOptions, fold};
use crate::json::{self, Node, parsed};
use crate::reading::{Format, Reading, Role};

/// The name of the format, in every document.
pub const FORMAT: &str = "dormouse-tasks";
/// Why the times in a file of our own stay there: as text they would be one line more with each
/// round trip.
pub(crate) const OWN_TIMES: &str =
    "a task has its own times of creation and completion: those of the file are left out";
/// The version of the format.
pub const VERSION: u32 = 1;

/// Whether a text is such a document.
pub fn looks_like(text: &str) -> bool {
    let head: String = text.chars().take(200).collect();
    json::begins(text)
        && [FORMAT, workspace::FORMAT].iter().any(|format| head.contains(format))
        && json::has_names(text, &["format", "tasks"])
}

/// Reads the tasks.
///
/// Errors: see [`ReadError`].
pub fn read(name: &str, text: &str, options: &ReadOptions) -> Result<Reading, ReadError> {
    let lines = Lines::new(name, text)?;
    let root = Node::of(name, &lines)?;
    let mut gather = Gather::new(name, &lines, options);
    let mut object = root.object();
    let format = object.take("format").and_then(|format| format.text());
    let version = object.take("version").and_then(|version| version.text());
    let expected = |expected, remedy| ReadError::Unexpected {
        name: name.to_owned(),
        line: 1,
        expected,
        remedy,
    };
    let is_workspace = format.as_deref() == Some(workspace::FORMAT);
    if format.as_deref() != Some(FORMAT) && !is_workspace {
        return Err(expected("\"format\": \"dormouse-tasks\"", "export the tasks as JSON again"));
    }
    if version.as_deref() != Some("1") {
        return Err(expected(
            "\"version\": 1",
            "the file is from a newer program; update this one",
        ));
    }
    if is_workspace {
        workspace::tasks(object, &mut gather)?;
        return Ok(gather.finish(Format::Dormouse));
    }
    let tasks = object.take("tasks").map(|tasks| tasks.items()).unwrap_or_default();
    for node in tasks {
        one(node, &mut gather)?;
    }
    Ok(gather.finish(Format::Dormouse))
}

fn one(node: Node<'_>, gather: &mut Gather<'_>) -> Result<(), ReadError> {
    let mut object = node.object();
    let mut draft = Draft::default();
    let task = &mut draft.task;
    task.title = object.take_text("title").unwrap_or_default();
    task.status = parsed::<Status>(&mut object, "status");
    task.priority = parsed::<Priority>(&mut object, "priority");
    task.due_on = parsed(&mut object, "dueOn");
    task.estimate_minutes = parsed(&mut object, "estimateMinutes");
    task.status_reason = object.take_text("statusReason");
    task.language = object.take_text("language").and_then(|code| task::language(&code).ok());
    task.category = object.take_text("category");
    task.flags = flags(&mut object);
    task.as_of = as_of(&mut object);
    for label in object.take("labels").map(|labels| labels.items()).unwrap_or_default() {
        draft.label(&label.text().unwrap_or_default());
    }
    for item in object.take("items").map(|items| items.items()).unwrap_or_default() {
        let lines = item.lines();
        let mut item = item.object();
        let key = item.take_text("key");
        let is_checked = item.take("isChecked").is_some_and(|checked| checked.is_true());
        let depth = parsed(&mut item, "depth").unwrap_or(0);
        let title = item.take_text("title").unwrap_or_default();
        draft.item_on(lines, key.as_deref(), &title, is_checked, depth);
    }
    let mut entries = Vec::new();
    for entry in object.take("entries").map(|entries| entries.items()).unwrap_or_default() {
        let mut entry = entry.object();
        let on = parsed(&mut entry, "on");
        let (kind, flags) = (kind(&mut entry), flags(&mut entry));
        let key = entry.take_text("key").unwrap_or_else(|| format!("entry#{}", entries.len() + 1));
        entries.extend(entry.take_text("text").map(|text| Entry { key, text, on, kind, flags }));
    }
    let kept = entries.iter().position(|entry| entry.key == Details::KEY);
    let kept = kept.and_then(|at| Some((at, Details::parse(&entries[at].text)?)));
    if let Some((_, details)) = &kept {
        draft.details = details.clone();
    }
    for link in object.take("links").map(|links| links.items()).unwrap_or_default() {
        let mut link = link.object();
        let (words, title) = (link.take_text("relation"), link.take_text("title"));
        draft.details.push_new(
            "Link",
            &format!("{} {}", words.unwrap_or_default(), title.unwrap_or_default()),
        );
        gather.say(node.line(), "links are kept in the note");
    }
    if let Some(report) = object.take_text("report") {
        draft.details.push_new("Report", &report);
        gather.say(node.line(), "the report is kept in the note");
    }
    if object.has("createdAt") || object.has("completedAt") {
        object.drop(&["createdAt", "completedAt"]);
        gather.say(node.line(), OWN_TIMES);
    }
    let key = object.take_text("key").unwrap_or_else(|| fold(&draft.task.title));
    object.keep_rest(&mut draft.details, gather);
    match kept {
        // Nothing is added to it: it keeps its place.
        Some((_, details)) if details == draft.details => draft.details = Details::default(),
        Some((at, _)) => drop(entries.remove(at)),
        None => {}
    }
    draft.task.entries = entries;
    let task = gather.add(node.line(), key, draft)?;
    let roles = [
        ("title", Role::Task),
        ("items", Role::Item),
        ("entries", Role::Note),
        ("dueOn", Role::Due),
    ];
    node.object().claim(&roles, task, gather);
    gather.claim(node.lines(), Role::Field, Some(task));
    Ok(())
}

/// The beginning of a document with a member a line.
pub(crate) fn head() -> String {
    format!("{{\n  \"format\": \"{FORMAT}\",\n  \"tasks\": [")
}

/// A task of a document. A line end in a text is escaped, so that every line can be indented.
pub(crate) fn member(task: &whole::Task) -> String {
    let task = format!("\n{:#}", task_json(task)).replace('\0', "\u{fffd}");
    task.replace('\n', "\n    ")
}

/// The end of a document, with what comes before the bracket that closes the tasks.
pub(crate) fn end(before: &str) -> String {
    format!("{before}],\n  \"version\": {VERSION}\n}}\n")
}

fn task_json(task: &whole::Task) -> Value {
    let mut value = json!({
        "key": task.key,
        "title": task.title_line(),
        "status": task.status,
        "statusReason": task.status_reason,
        "priority": task.priority,
        "dueOn": task.due_on,
        "estimateMinutes": task.estimate_minutes,
        "language": task.language,
        "category": task.category,
        "labels": task.labels,
        "starred": task.flags.starred.then_some(true),
        "private": task.flags.private.then_some(true),
        "items": task.items.iter().map(item_json).collect::<Vec<_>>(),
        "entries": task.entries.iter().map(entry_json).collect::<Vec<_>>(),
        "links": task.links.iter().map(link_json).collect::<Vec<_>>(),
        "updatedAt": task.updated_at.map(|at| at.to_string()),
        "createdAt": task.created_at.map(|at| at.to_string()),
        "completedAt": task.completed_at.map(|at| at.to_string()),
        "report": task.report,
    });
    if let Value::Object(members) = &mut value {
        members.retain(|_, value| {
            !value.is_null() && value.as_array().is_none_or(|items| !items.is_empty())
        });
    }
    value
}

fn item_json(item: &Item) -> Value {
    json!({"key": item.key, "title": one_line(&item.title), "isChecked": item.is_checked, "depth": item.depth})
}

fn entry_json(entry: &Entry) -> Value {
    let mut value = json!({
        "key": entry.key,
        "text": entry.text,
        "on": entry.on,
        "kind": entry.kind.is_derived().then(|| entry.kind.name()),
        "starred": entry.flags.starred.then_some(true),
        "private": entry.flags.private.then_some(true),
    });
    if let Value::Object(members) = &mut value {
        members.retain(|_, value| !value.is_null());
    }
    value
}

fn link_json(link: &whole::Link) -> Value {
    json!({
        "kind": link.kind,
        "direction": link.direction,
        "relation": link.kind.words(link.direction),
        "key": link.key,
        "title": link.title,
    })
}
