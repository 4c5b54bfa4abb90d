//! Which to-dos are tasks and which are items of another.

use std::collections::HashMap;

use dormouse_types::limits;

use super::components::Todo;
use super::content_line::ContentLine;
use crate::intake::Gather;

/// What a to-do becomes.
pub(super) enum Standing {
    /// A task of its own.
    Task {
        /// The to-do that it names as its parent.
        part_of: Option<usize>,
        /// Its checklist: to-dos with their depth.
        items: Vec<(usize, u32)>,
    },
    /// An item of another.
    Item,
}

/// Decides for each to-do; in linear time, and without recursion, whatever refers to what.
pub(super) fn resolve(todos: &[Todo], gather: &mut Gather<'_>) -> Vec<Standing> {
    let parents = parents(todos, gather);
    let mut children = vec![Vec::new(); todos.len()];
    for (at, parent) in parents.iter().enumerate() {
        if let Some(parent) = parent {
            children[*parent].push(at);
        }
    }
    // Parents before their children.
    let mut order: Vec<usize> = (0..todos.len()).filter(|&at| parents[at].is_none()).collect();
    let mut next = 0;
    while next < order.len() {
        order.extend(&children[order[next]]);
        next += 1;
    }
    let mut is_item = vec![false; todos.len()];
    for &at in order.iter().rev() {
        is_item[at] = is_bare(&todos[at])
            && parents[at].is_some_and(|parent| is_open(&todos[at]) || !is_open(&todos[parent]))
            && children[at].iter().all(|&child| is_item[child]);
    }
    let items_of = |task: usize| {
        let mut items = Vec::new();
        let push = |stack: &mut Vec<(usize, u32)>, of: usize, depth: u32| {
            stack.extend(
                children[of]
                    .iter()
                    .rev()
                    .filter(|&&child| is_item[child])
                    .map(|&child| (child, depth)),
            );
        };
        let mut stack = Vec::new();
        push(&mut stack, task, 0);
        while let Some((item, depth)) = stack.pop() {
            items.push((item, depth));
            push(&mut stack, item, depth + 1);
        }
        items
    };
    (0..todos.len())
        .map(|at| match is_item[at] {
            true => Standing::Item,
            false => Standing::Task { part_of: parents[at], items: items_of(at) },
        })
        .collect()
}

/// The parent of each to-do, without circles.
fn parents(todos: &[Todo], gather: &mut Gather<'_>) -> Vec<Option<usize>> {
    let mut by_uid: HashMap<String, usize> = HashMap::new();
    for (at, todo) in todos.iter().enumerate() {
        if let Some(uid) = todo.uid() {
            if by_uid.contains_key(&uid) && !todo.has("RECURRENCE-ID") {
                gather.say(
                    *todo.lines.start(),
                    "another to-do has this UID as well: a number keeps them apart",
                );
            }
            by_uid.entry(uid).or_insert(at);
        }
    }
    let mut parents: Vec<Option<usize>> = vec![None; todos.len()];
    for (at, todo) in todos.iter().enumerate() {
        for line in todo.properties.iter().filter(|line| line.name == "RELATED-TO") {
            let other = by_uid.get(line.text().trim()).copied();
            match (relation(line), other) {
                (Relation::Parent, Some(parent)) if parents[at].is_none() => {
                    parents[at] = Some(parent)
                }
                (Relation::Child, Some(child)) if parents[child].is_none() => {
                    parents[child] = Some(at)
                }
                (Relation::Parent, None) => {
                    gather.say(*line.lines.start(), "the parent of this to-do is not in the file");
                }
                (Relation::Parent | Relation::Child | Relation::Other, _) => {}
            }
        }
    }
    // Each walk marks what it passed; meeting its own mark again is a circle.
    let mut walked = vec![usize::MAX; todos.len()];
    for start in 0..todos.len() {
        let mut at = start;
        while walked[at] == usize::MAX {
            walked[at] = start;
            let Some(parent) = parents[at] else { break };
            if walked[parent] == start {
                gather.say(
                    *todos[parent].lines.start(),
                    "RELATED-TO makes this to-do a part of itself: it stays a task of its own",
                );
                parents[parent] = None;
                break;
            }
            at = parent;
        }
    }
    parents
}

enum Relation {
    Parent,
    Child,
    Other,
}

/// Without a type it is the parent.
fn relation(line: &ContentLine) -> Relation {
    match line.param("RELTYPE").map(str::to_uppercase).as_deref() {
        None | Some("PARENT" | "") => Relation::Parent,
        Some("CHILD") => Relation::Child,
        Some(_) => Relation::Other,
    }
}

/// Whether a `RELATED-TO` is said by the checklist or the text `Part of`.
pub(super) fn is_reported(line: &ContentLine) -> bool {
    match relation(line) {
        Relation::Parent | Relation::Child => true,
        Relation::Other => false,
    }
}

/// Whether a to-do is public. An item has no class of its own: a private one is an item only in a
/// private task.
fn is_open(todo: &Todo) -> bool {
    let classes = todo.properties.iter().filter(|line| line.name == "CLASS");
    let mut values = classes.map(|line| line.value.trim());
    values.all(|value| value.is_empty() || value.eq_ignore_ascii_case("PUBLIC"))
}

/// Whether a to-do is no more than a title and a tick.
fn is_bare(todo: &Todo) -> bool {
    let summary = todo.summary();
    let is_stated = |line: &ContentLine| {
        let value = line.value.trim();
        match line.name.as_str() {
            "UID" | "SUMMARY" | "DTSTAMP" | "CREATED" | "LAST-MODIFIED" | "SEQUENCE"
            | "COMPLETED" | "X-APPLE-SORT-ORDER" => true,
            "RELATED-TO" => is_reported(line),
            "STATUS" => matches!(value.to_uppercase().as_str(), "NEEDS-ACTION" | "COMPLETED"),
            "PERCENT-COMPLETE" => matches!(value, "0" | "100"),
            "PRIORITY" => value == "0",
            "CLASS" => matches!(value.to_uppercase().as_str(), "PUBLIC" | "PRIVATE"),
            _ => value.is_empty(),
        }
    };
    !summary.is_empty()
        && summary.chars().count() <= limits::ITEM_TITLE.max
        && todo.alarms.is_empty()
        && todo.broken.is_empty()
        && todo.properties.iter().all(is_stated)
        && todo.properties.iter().filter(|line| line.name == "RELATED-TO").count() <= 1
}
