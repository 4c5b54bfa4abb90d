//! Reads JSON of Vikunja: tasks as its API answers them, or projects with their tasks as its export
//! holds them.
//!
//! - Sub-tasks that another task lists are items; where they stand in the text as tasks of their own
//!   as well, they stay tasks.
//! - The day 0001-01-01 means none. Priorities run from 1 (low) to 5 (do now).
//!
//! A task is recognized by its id.
//!
//! Source: the models of vikunja.io/docs/api.

use std::collections::HashSet;

use dormouse_types::task::{Priority, Status};
use jiff::civil::Date;

use crate::intake::{
    Dates, Draft, Gather, Lines, ReadError, ReadOptions, day_of, fold, is_html, take_boxes,
    to_markdown,
};
use crate::json::{self, Node, Object};
use crate::reading::{Format, Reading, Role};

/// Whether a text is tasks or projects of Vikunja.
pub fn looks_like(text: &str) -> bool {
    json::first_names(text).is_some_and(|names| {
        let has = |name: &str| names.iter().any(|known| known == name);
        let is_task =
            has("title") && has("done") && (has("project_id") || has("list_id") || has("done_at"));
        let is_project = has("title")
            && has("tasks")
            && (has("hex_color")
                || has("is_archived")
                || has("buckets")
                || has("views")
                || has("child_projects"));
        is_task || is_project
    })
}

/// Reads the tasks.
///
/// Errors: see [`ReadError`].
pub fn read(name: &str, text: &str, options: &ReadOptions) -> Result<Reading, ReadError> {
    let lines = Lines::new(name, text)?;
    let root = Node::of(name, &lines)?;
    let mut gather = Gather::new(name, &lines, options);
    // Projects may hold projects; a list of what is left to read replaces recursion.
    let mut left: Vec<(Node<'_>, Option<String>)> =
        nodes(root).into_iter().rev().map(|node| (node, None)).collect();
    let mut tasks: Vec<(Node<'_>, Option<String>)> = Vec::new();
    let mut n_projects = 0;
    while let Some((node, above)) = left.pop() {
        let mut object = node.object();
        if !node.is_object() {
            gather.say(node.line(), "this is neither a task nor a project: left out");
            gather.claim(node.lines(), Role::Skipped, None);
        } else if object.has("done") || !(object.has("tasks") || object.has("child_projects")) {
            tasks.push((node, above));
        } else {
            n_projects += 1;
            let title = object.take("title");
            if let Some(title) = &title {
                gather.claim(title.lines(), Role::Category, None);
            }
            let title = title.and_then(|title| title.text()).or(above);
            if object.take_text("description").is_some() {
                gather
                    .say(node.line(), "the description of a project belongs to no task: left out");
            }
            // Each level is scanned once more, which the depth of projects bounds.
            for name in ["child_projects", "tasks"] {
                let inner = object.take(name).map(|list| list.items()).unwrap_or_default();
                if n_projects < 10_000 {
                    left.extend(inner.into_iter().rev().map(|node| (node, title.clone())));
                }
            }
        }
    }
    let own: HashSet<String> =
        tasks.iter().filter_map(|(node, _)| node.object().take_text("id")).collect();
    for (node, project) in tasks {
        task(node, project, &own, options, &mut gather)?;
    }
    Ok(gather.finish(Format::Vikunja))
}

fn nodes(root: Node<'_>) -> Vec<Node<'_>> {
    if root.is_object() { vec![root] } else { root.items() }
}

fn task(
    node: Node<'_>,
    project: Option<String>,
    own: &HashSet<String>,
    options: &ReadOptions,
    gather: &mut Gather<'_>,
) -> Result<(), ReadError> {
    let mut object = node.object();
    let mut draft = Draft::default();
    draft.task.title = object.take_text("title").unwrap_or_default();
    let description = object.take_text("description").unwrap_or_default();
    let description = match is_html(&description) {
        true => to_markdown(&description),
        false => description,
    };
    draft.note = take_boxes(&description, &mut draft);
    draft.task.category = project;
    let is_done = object.take("done").is_some_and(|done| done.is_true());
    draft.task.status = Some(if is_done { Status::Done } else { Status::Open });
    let priority = object.take_text("priority");
    match priority.as_deref() {
        Some("1") => draft.task.priority = Some(Priority::P3),
        Some("2") => draft.task.priority = Some(Priority::P2),
        Some("3") => draft.task.priority = Some(Priority::P1),
        Some("4" | "5") => draft.task.priority = Some(Priority::P0),
        Some("0") | None => {}
        Some(other) => {
            draft.details.push("priority", other);
            gather.say(node.line(), "this priority is not understood: kept in the note");
        }
    }
    draft.task.flags.starred = object.take("is_favorite").is_some_and(|is| is.is_true());
    for label in object.take("labels").map(|labels| labels.items()).unwrap_or_default() {
        if let Some(title) = label.object().take_text("title") {
            draft.label(&title);
        }
    }
    if let Some((text, day)) = time(&mut object, "due_date", options) {
        draft.task.due_on = day;
        let remark = match day {
            None => Some(Dates::new(options).why_not_due(&text)),
            Some(_) if has_time(&text) => {
                Some("the time of a due date has no matching field: kept in the note")
            }
            Some(_) => None,
        };
        if let Some(remark) = remark {
            draft.details.push("Due", &text);
            gather.say(node.line(), remark);
        }
    }
    for (name, label) in [
        ("start_date", "Start"),
        ("end_date", "End"),
        ("created", "Created"),
        ("done_at", "Completed"),
    ] {
        if let Some((text, _)) = time(&mut object, name, options) {
            draft.details.push(label, &text);
            gather.say(
                node.line(),
                "the times of start, end, creation and completion are kept in the note",
            );
        }
    }
    related(&mut object, own, &mut draft, gather, node.line());
    let people = object.take("assignees").map(|people| people.items()).unwrap_or_default();
    let names: Vec<String> = people.iter().filter_map(name_of).collect();
    draft.details.push("Assigned to", &names.join(", "));
    for comment in object.take("comments").map(|comments| comments.items()).unwrap_or_default() {
        let mut comment = comment.object();
        let on = time(&mut comment, "created", options).and_then(|(_, day)| day);
        let author = comment.take("author").as_ref().and_then(name_of);
        if let Some(text) = comment.take_text("comment") {
            let text = if is_html(&text) { to_markdown(&text) } else { text };
            let text = author.map_or(text.clone(), |author| format!("{author}:\n\n{text}"));
            draft.comments.push((on, text).into());
        }
    }
    match object.take_text("repeat_after").as_deref() {
        None | Some("0") => object.drop(&["repeat_mode"]),
        Some(seconds) => {
            draft.details.push("Repeats every", &format!("{seconds} seconds"));
            gather.say(node.line(), "a repetition has no matching field: kept in the note");
        }
    }
    if object
        .peek("percent_done")
        .and_then(|done| done.text())
        .is_some_and(|done| done.parse() == Ok(0.0))
    {
        object.drop(&["percent_done"]);
    }
    let id = object.take_text("id");
    object.drop(&[
        "index",
        "position",
        "kanban_position",
        "bucket_id",
        "cover_image_attachment_id",
        "project_id",
        "list_id",
        "updated",
        "created_by",
        "hex_color",
        "uid",
        "buckets",
        "subscription",
        "is_unread",
        "reactions",
    ]);
    object.keep_rest(&mut draft.details, gather);
    let key = id.map_or_else(|| fold(&draft.task.title), |id| format!("vikunja/{id}"));
    let task = gather.add(node.line(), key, draft)?;
    let roles = [
        ("title", Role::Task),
        ("description", Role::Note),
        ("comments", Role::Note),
        ("due_date", Role::Due),
        ("related_tasks", Role::Item),
    ];
    node.object().claim(&roles, task, gather);
    gather.claim(node.lines(), Role::Field, Some(task));
    Ok(())
}

/// Sub-tasks as items, all other relations as text.
fn related(
    object: &mut Object<'_>,
    own: &HashSet<String>,
    draft: &mut Draft,
    gather: &mut Gather<'_>,
    line: usize,
) {
    let Some(related) = object.take("related_tasks") else { return };
    let mut related = related.object();
    for sub in related.take("subtask").map(|tasks| tasks.items()).unwrap_or_default() {
        let lines = sub.lines();
        let mut sub = sub.object();
        let (id, title) = (sub.take_text("id"), sub.take_text("title").unwrap_or_default());
        let is_done = sub.take("done").is_some_and(|done| done.is_true());
        if id.as_ref().is_some_and(|id| own.contains(id)) {
            draft.details.push("Has the part", &title);
        } else if !title.is_empty() {
            draft.item_on(lines, id.as_deref(), &title, is_done, 0);
        }
    }
    for (kind, label) in [
        ("parenttask", "Part of"),
        ("blocked", "Blocked by"),
        ("blocking", "Blocks"),
        ("related", "Related to"),
    ] {
        for other in related.take(kind).map(|tasks| tasks.items()).unwrap_or_default() {
            if let Some(title) = other.object().take_text("title") {
                draft.details.push(label, &title);
                gather.say(line, "relations to other tasks are kept in the note");
            }
        }
    }
    related.keep_rest(&mut draft.details, gather);
}

/// What a person is called.
fn name_of(person: &Node<'_>) -> Option<String> {
    let mut person = person.object();
    person.take_text("name").or_else(|| person.take_text("username"))
}

/// A time with its day, if it can be read; the first year of the calendar means none.
fn time(
    object: &mut Object<'_>,
    name: &str,
    options: &ReadOptions,
) -> Option<(String, Option<Date>)> {
    let text = object.take_text(name).filter(|text| !text.starts_with("0001-"))?;
    let day = day_of(&text, options);
    Some((text, day))
}

/// Whether a text says more than a day: a time other than midnight.
fn has_time(text: &str) -> bool {
    text.split_once('T').is_some_and(|(_, time)| !time.starts_with("00:00:00"))
}
