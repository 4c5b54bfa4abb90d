//! Reads tasks from JSON of programs that have no reader of their own: Google Tasks and Google Keep as Takeout
//! gives them, Microsoft To Do, Asana, Todoist, and lists that people wrote themselves.
//!
//! What the members of a task are is known by their names, with the words of the columns of a sheet, so that this
//! is a guess, and a remark says so. What has no field, or a value that is not understood, is kept as text.
//!
//! - A list of tasks is looked for anywhere in the document; an object with a name that holds one is a category.
//!   A text with an object on each line (JSON lines) is a list of them.
//! - A task that names another as its parent is an item of it, if it has nothing that an item could not hold.
//! - Comments, items, labels and files that stand in lists of their own belong to the task that they name.
//! - What a task names by its id, such as its list and labels, has the name that the document gives it elsewhere.
//! - What was thrown away is left out, and said; so is all that is in no task.
//!
//! A task is recognized by its id, else by its title.

mod attached;
mod find;
mod named;
mod names;
mod part;
mod rest;
mod task;

use std::borrow::Cow;
use std::collections::BTreeMap;

use attached::Attached;
use find::Found;
use named::Named;
use part::Part;

use crate::intake::{Candidate, Family, Gather, Lines, ReadError, ReadOptions, families, fold};
use crate::json::{self, Node};
use crate::reading::{Format, Reading, Role};

/// Whether a text is JSON in which tasks are found.
pub fn looks_like(text: &str) -> bool {
    if !json::begins(json::below_comments(text)) {
        return false;
    }
    let text = in_one(text);
    let Ok(lines) = Lines::new("", &text) else { return false };
    match Node::of("", &lines) {
        Ok(root) => !find::tasks(root, true).is_empty(),
        // What reads it says which line is wrong.
        Err(ReadError::Nul { .. }) => true,
        Err(_) => matches!(text, Cow::Owned(_)),
    }
}

/// Reads the tasks; none if the document has none.
///
/// Errors: see [`ReadError`].
pub fn read(name: &str, text: &str, options: &ReadOptions) -> Result<Option<Reading>, ReadError> {
    let whole = in_one(text);
    let lines = Lines::new(name, &whole)?;
    let root = match Node::of(name, &lines) {
        Ok(root) => root,
        // In JSON lines the broken line itself, not the place in the array where the next one is in its way.
        Err(error) if matches!(whole, Cow::Owned(_)) => {
            return Err(json::broken_line(name, text).unwrap_or(error));
        }
        Err(error) => return Err(error),
    };
    let found = find::tasks(root, false);
    let Some(first) = found.first() else { return Ok(None) };
    let mut gather = Gather::new(name, &lines, options);
    gather.say(
        first.node.line(),
        "JSON of an unknown program: the meaning of its members is guessed from their names",
    );
    let attached = Attached::of(root, &found);
    rest::say(root, &found, attached.places(), &mut gather);
    let named = Named::of(root, &found);
    let mut parts = Vec::with_capacity(found.len());
    for (at, Found { node, list, list_name }) in found.iter().cloned().enumerate() {
        if options.cancel.is_cancelled() {
            return Err(ReadError::Cancelled { name: name.to_owned() });
        }
        if let Some(list) = list {
            gather.claim(list.lines(), Role::Category, None);
        }
        match task::read(node, &named, options, &mut gather) {
            Some(mut part) => {
                attached.fill(at, &found, &mut part, options, &mut gather);
                if part.draft.task.category.is_none() {
                    part.draft.task.category = list_name;
                }
                parts.push(part);
            }
            None => {
                gather.say(node.line(), "deleted in the other program: left out");
                gather.claim(node.lines(), Role::Skipped, None);
            }
        }
    }
    settle(parts, &mut gather)?;
    Ok(Some(gather.finish(Format::OtherJson)))
}

/// The text as one document: one that has an object on each line as an array of them.
fn in_one(text: &str) -> Cow<'_, str> {
    json::array_of_lines(text).map_or(text.into(), Into::into)
}

/// Makes tasks of the parts, and items of those that are only parts of another.
fn settle(parts: Vec<Part<'_>>, gather: &mut Gather<'_>) -> Result<(), ReadError> {
    let mut by_id = BTreeMap::new();
    for (at, part) in parts.iter().enumerate() {
        if let Some(id) = &part.id {
            by_id.entry(id.clone()).or_insert(at);
        }
    }
    let parent_of = |at: usize| {
        let parent = *by_id.get(parts[at].parent.as_ref()?)?;
        (parent != at).then_some(parent)
    };
    let parents: Vec<Option<usize>> = (0..parts.len()).map(parent_of).collect();
    let part_of = |(part, parent): (&Part<'_>, &Option<usize>)| {
        let id = part.parent.as_ref()?;
        Some(parent.map_or(id, |parent| &parts[parent].draft.task.title).clone())
    };
    let mut part_of: Vec<Option<String>> = parts.iter().zip(&parents).map(part_of).collect();
    let is_bare: Vec<bool> = parts.iter().map(|part| part.is_bare).collect();
    let (mut places, candidates): (Vec<_>, Vec<_>) = parts
        .into_iter()
        .map(|Part { node, draft, id, roles, .. }| {
            ((node, roles), Candidate { draft, id, lines: node.lines() })
        })
        .unzip();
    for Family { at, task, items } in families(candidates, &parents, |at, _| is_bare[at]) {
        let Candidate { mut draft, id, lines } = task;
        let (node, roles) = &mut places[at];
        if let Some(task) = part_of[at].take() {
            draft.details.push("Part of", &task);
        }
        let key = id.unwrap_or_else(|| fold(&draft.task.title));
        let task = gather.add(node.line(), key, draft)?;
        for (lines, role) in std::mem::take(roles) {
            gather.claim(lines, role, Some(task));
        }
        gather.claim(lines, Role::Field, Some(task));
        for lines in items {
            gather.claim(lines, Role::Item, Some(task));
        }
    }
    Ok(())
}
