//! The export of a whole workspace.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use dormouse_types::{draft, task};

use super::members::{as_of, flags, kind};
use crate::intake::{Comment, Draft, Gather, ReadError, fold};
use crate::json::{Node, Object, parsed};
use crate::reading::Role;

/// The name of the format.
pub(super) const FORMAT: &str = "dormouse-export";

/// Reads the tasks of an export.
pub(super) fn tasks(mut document: Object<'_>, gather: &mut Gather<'_>) -> Result<(), ReadError> {
    let categories = names(document.take("categories"), gather);
    let labels = names(document.take("labels"), gather);
    let tasks = document.take("tasks").map(|tasks| tasks.items()).unwrap_or_default();
    for node in tasks {
        task(node, &categories, &labels, gather)?;
    }
    if let Some(links) = document.take("links").filter(|links| !links.items().is_empty()) {
        gather.say(links.line(), "links between the tasks are left out");
        gather.claim(links.lines(), Role::Skipped, None);
    }
    Ok(())
}

/// The names of definitions by their ids.
fn names(list: Option<Node<'_>>, gather: &mut Gather<'_>) -> HashMap<String, String> {
    let mut names = HashMap::new();
    for node in list.map(|list| list.items()).unwrap_or_default() {
        gather.claim(node.lines(), Role::Field, None);
        let mut definition = node.object();
        if let (Some(id), Some(name)) = (definition.take_text("id"), definition.take_text("name")) {
            names.insert(id, name);
        }
    }
    names
}

/// Whether a document was deleted.
fn is_deleted(object: &Object<'_>) -> bool {
    object.peek("deletedAt").and_then(|at| at.text()).is_some()
}

fn task(
    node: Node<'_>,
    categories: &HashMap<String, String>,
    labels: &HashMap<String, String>,
    gather: &mut Gather<'_>,
) -> Result<(), ReadError> {
    let mut whole = node.object();
    let own = whole.take("task").filter(Node::is_object);
    let Some(mut own) = own.map(|own| own.object()).filter(|own| !is_deleted(own)) else {
        gather.say(node.line(), "a deleted or damaged task is left out");
        gather.claim(node.lines(), Role::Skipped, None);
        return Ok(());
    };
    let mut draft = Draft::default();
    draft.task.title = own.take_text("title").unwrap_or_default();
    if let Some(status) = own.take("status") {
        let mut status = status.object();
        draft.task.status = parsed(&mut status, "status");
        draft.task.status_reason = status.take_text("reason");
    }
    draft.task.priority = parsed(&mut own, "priority");
    draft.task.due_on = parsed(&mut own, "dueOn");
    draft.task.estimate_minutes = parsed(&mut own, "estimateMinutes");
    draft.task.language = own.take_text("languageCode").and_then(|code| task::language(&code).ok());
    draft.task.flags = flags(&mut own);
    draft.task.as_of = as_of(&mut own);
    draft.task.category = own.take_text("categoryId").and_then(|id| categories.get(&id).cloned());
    for id in own.take("labelIds").map(|ids| ids.items()).unwrap_or_default() {
        if let Some(name) = id.text().and_then(|id| labels.get(&id)) {
            draft.label(name);
        }
    }
    // Checklists in their order, each with its items in theirs; the document lists the oldest first.
    let mut lists: HashMap<String, usize> = HashMap::new();
    let mut items: Vec<(usize, i64, RangeInclusive<usize>, Object<'_>)> = Vec::new();
    for item in whole.take("items").map(|items| items.items()).unwrap_or_default() {
        let lines = item.lines();
        let mut item = item.object();
        let is_archived = item.take("isArchived").is_some_and(|archived| archived.is_true());
        if is_deleted(&item) || is_archived {
            continue;
        }
        let list = item.take_text("checklistId").unwrap_or_default();
        let n_lists = lists.len();
        let at = *lists.entry(list).or_insert(n_lists);
        let position = parsed(&mut item, "position").unwrap_or(0);
        items.push((at, position, lines, item));
    }
    items.sort_by_key(|(list, position, ..)| (*list, *position));
    for (_, _, lines, mut item) in items {
        let id = item.take_text("id");
        let is_checked = item.take("isChecked").is_some_and(|checked| checked.is_true());
        let depth = parsed(&mut item, "depth").unwrap_or(0);
        let title = item.take_text("title").unwrap_or_default();
        draft.item_on(lines, id.as_deref(), &title, is_checked, depth);
    }
    for entry in whole.take("entries").map(|entries| entries.items()).unwrap_or_default() {
        let mut entry = entry.object();
        if is_deleted(&entry) {
            continue;
        }
        let on = parsed(&mut entry, "on");
        let (kind, flags) = (kind(&mut entry), flags(&mut entry));
        let text = entry.take_text("text").or_else(|| entry.take_text("transcript"));
        let minutes = entry.take_text("minutes").map(draft::time_spent);
        let text = [text, minutes].into_iter().flatten().collect::<Vec<_>>().join("\n");
        if !text.is_empty() {
            draft.comments.push(Comment { on, text, kind, flags });
        }
    }
    if whole.take("readOnly").is_some() {
        gather.say(node.line(), "reports and agents stay with the workspace they were made in");
    }
    let key = own.take_text("id").unwrap_or_else(|| fold(&draft.task.title));
    let task = gather.add(node.line(), key, draft)?;
    let roles = [("items", Role::Item), ("entries", Role::Note), ("task", Role::Field)];
    node.object().claim(&roles, task, gather);
    gather.claim(node.line()..=node.line(), Role::Task, Some(task));
    gather.claim(node.lines(), Role::Field, Some(task));
    Ok(())
}
