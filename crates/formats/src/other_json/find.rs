//! Where the tasks are in a document of which nothing else is known.

use dormouse_types::task::Status;

use super::names::{Meaning, meaning, rank_of_title, words};
use crate::intake::{is_done, status_of};
use crate::json::{Node, Object};
use crate::reading::Column;

/// How deep lists of tasks are looked for. Each level is scanned once more.
const DEEPEST: usize = 8;

/// The objects of an array that tell whether it is a list of tasks.
const SAMPLE: usize = 50;

/// Names of a list of tasks that are no category of theirs.
const LISTS: &[&str] =
    &["cards", "tasks", "todos", "to dos", "todo", "todo list", "reminders", "task list"];

/// What an object calls itself that is a task.
const TASKS: &[&str] = &["to do", "todo", "task", "reminder", "action item"];

/// What an object that contains others calls itself.
const HEADINGS: &[&str] = &["heading", "section", "header"];

/// A task, and the list that it is in.
#[derive(Clone)]
pub(super) struct Found<'a> {
    pub node: Node<'a>,
    pub list: Option<Node<'a>>,
    pub list_name: Option<String>,
}

/// What is left to look at.
struct Left<'a> {
    node: Node<'a>,
    member: String,
    depth: usize,
    list: Option<Node<'a>>,
    list_name: Option<String>,
}

/// The tasks in the order of the document; with `first_only`, no more than those of the first list.
pub(super) fn tasks<'a>(root: Node<'a>, first_only: bool) -> Vec<Found<'a>> {
    let mut tasks = Vec::new();
    let whole = Left { node: root, member: String::new(), depth: 0, list: None, list_name: None };
    let mut left = vec![whole];
    while let Some(Left { node, member, depth, list, list_name }) = left.pop() {
        if first_only && !tasks.is_empty() {
            break;
        }
        if depth > DEEPEST {
            continue;
        }
        let is_list = is_list(node, &member) || depth == 0 && is_titled(node);
        if node.is_object() {
            let object = node.object();
            if is_task(&object) && !holds_lists(&object) {
                tasks.push(Found { node, list, list_name });
                continue;
            }
            if let Some(inner) = fields_of(&object).filter(|_| is_of_kind(&object, TASKS)) {
                tasks.push(Found { node: inner, list, list_name });
                continue;
            }
            let title = title_node(&object);
            let name = title.and_then(|title| title.text()).filter(|name| !name.trim().is_empty());
            let inner: Vec<Left<'_>> = object
                .members()
                .map(|(member, node)| {
                    // Names of lists that a person wrote as names of members: {"Home": [..]}.
                    let is_name = member.starts_with(char::is_uppercase) || member.contains(' ');
                    let is_name = is_name && name.is_none() && is_list_of_objects(node);
                    let (list, list_name) = match (&name, is_name) {
                        (Some(name), _) => (title, Some(name.clone())),
                        (None, true) => (None, Some(member.to_owned())),
                        (None, false) => (list, list_name.clone()),
                    };
                    Left { node, member: member.to_owned(), depth: depth + 1, list, list_name }
                })
                .collect();
            left.extend(inner.into_iter().rev());
        } else {
            let items = node.items();
            let in_list = |node: Node<'a>| {
                let is_task = node.is_object() && is_list && !holds_lists(&node.object());
                match is_task {
                    true => Ok(Found { node, list, list_name: list_name.clone() }),
                    false => Err(Left {
                        node,
                        member: String::new(),
                        depth: depth + 1,
                        list,
                        list_name: list_name.clone(),
                    }),
                }
            };
            if is_list {
                // Lists and tasks may stand next to each other; what is a list is looked into later.
                let mut inner = Vec::new();
                for item in items {
                    match in_list(item) {
                        Ok(found) => tasks.push(found),
                        Err(found) => inner.push(found),
                    }
                }
                left.extend(inner.into_iter().rev());
            } else {
                // A heading among the entries is about those after it.
                let around = list_name;
                let (mut list, mut list_name) = (list, around.clone());
                let inner = items.into_iter().filter(|item| item.is_object() || item.is_array());
                let inner = inner.map(|node| {
                    if let Some(title) = heading(&node) {
                        let text = title.text().unwrap_or_default();
                        list_name = Some(match &around {
                            Some(around) => format!("{around}: {text}"),
                            None => text,
                        });
                        list = Some(title);
                    }
                    let list_name = list_name.clone();
                    Left { node, member: String::new(), depth: depth + 1, list, list_name }
                });
                let inner: Vec<_> = inner.collect();
                left.extend(inner.into_iter().rev());
            }
        }
    }
    tasks
}

/// Whether an object says itself what it is, as `"type": "to-do"`.
fn is_of_kind(object: &Object<'_>, kinds: &[&str]) -> bool {
    let kind = |name: &str| matches!(words(name).as_str(), "type" | "kind");
    let mut kinds_named =
        object.members().filter(|(name, _)| kind(name)).filter_map(|(_, node)| node.text());
    kinds_named.any(|text| kinds.contains(&words(&text).as_str()))
}

/// The fields of an object that keeps them in an object of their own, as `"attributes": {"title": "…"}`.
pub(super) fn fields_of<'a>(object: &Object<'a>) -> Option<Node<'a>> {
    if title_node(object).is_some() {
        return None;
    }
    let mut inner = object.members().map(|(_, node)| node).filter(Node::is_object);
    inner.find(|node| title_node(&node.object()).is_some())
}

/// The title of a heading among the entries of a list.
fn heading<'a>(node: &Node<'a>) -> Option<Node<'a>> {
    let object = node.object();
    if !is_of_kind(&object, HEADINGS) {
        return None;
    }
    title_node(&object).or_else(|| title_node(&fields_of(&object)?.object()))
}

fn is_list_of_objects(node: Node<'_>) -> bool {
    node.is_array() && node.items().first().is_some_and(Node::is_object)
}

/// Whether an array is a list of tasks: most of its objects are, or its name says so.
fn is_list(node: Node<'_>, member: &str) -> bool {
    if !node.is_array() {
        return false;
    }
    let is_named = LISTS.contains(&words(member).as_str());
    let (mut n_objects, mut n_tasks, mut n_titled) = (0, 0, 0);
    for item in node.items().into_iter().filter(Node::is_object).take(SAMPLE) {
        let object = item.object();
        n_objects += 1;
        n_titled += usize::from(title_node(&object).is_some());
        n_tasks += usize::from(is_task(&object) && !holds_lists(&object));
    }
    n_objects > 0 && (2 * n_tasks >= n_objects || is_named && n_titled == n_objects)
}

/// Whether each object of an array has a title by that name. Nobody imports such a document for anything else
/// than its titles; what has only a name may be a person or a package.
fn is_titled(node: Node<'_>) -> bool {
    let objects: Vec<Node<'_>> = node.items();
    let has_title = |object: &Object<'_>| {
        let mut titles = object.members().filter(|(name, node)| {
            let words = words(name);
            node.text().is_some_and(|text| !text.trim().is_empty())
                && !matches!(words.as_str(), "name" | "display name" | "content" | "text" | "item")
                && rank_of_title(name).is_some()
        });
        titles.next().is_some()
    };
    let is_entry = |item: &Node<'_>| item.is_object() && has_title(&item.object());
    !objects.is_empty() && objects.iter().take(SAMPLE).all(is_entry)
}

/// Whether an object is a task: it has a title or text, and says when it is due, how urgent it is, whether
/// it is done, or what its parts are.
pub(super) fn is_task(object: &Object<'_>) -> bool {
    let is_sign = |name: &str, node: Node<'_>| match meaning(name) {
        Some(Meaning::Column(Column::Done | Column::Status | Column::Priority)) => {
            !node.is_object() && !node.is_array()
        }
        Some(Meaning::Cancelled) => !node.is_object() && !node.is_array(),
        Some(Meaning::Column(Column::Due)) => {
            // "Date" and "when" name any day.
            let words = words(name);
            words == "date due" || words.starts_with("due") || words.starts_with("deadline")
        }
        Some(Meaning::Column(Column::Items)) => words(name) == "list content",
        _ => words(name) == "text content",
    };
    (is_of_kind(object, TASKS) || object.members().any(|(name, node)| is_sign(name, node)))
        && (title_node(object).is_some()
            || object.members().any(|(name, _)| words(name).ends_with("content"))
            || is_described(object))
}

/// Whether an object has only a description, and a status that is one of a task, as Taskwarrior writes its tasks.
fn is_described(object: &Object<'_>) -> bool {
    let text = |node: Node<'_>| node.text().filter(|text| !text.trim().is_empty());
    let is_description = |name: &str, node: Node<'_>| {
        meaning(name) == Some(Meaning::Column(Column::Note)) && text(node).is_some()
    };
    let is_status = |name: &str, node: Node<'_>| match meaning(name) {
        Some(Meaning::Column(Column::Status)) => status_in(node).is_some(),
        Some(Meaning::Column(Column::Done)) => {
            text(node).is_some_and(|text| is_done(&text).is_some())
        }
        _ => false,
    };
    object.members().any(|(name, node)| is_description(name, node))
        && object.members().any(|(name, node)| is_status(name, node))
}

/// The words for a status: the text, or those that an object says about itself, as `{"name": "Shipped", "type":
/// "done"}`.
pub(super) fn words_of_status(node: Node<'_>) -> Vec<String> {
    if !node.is_object() {
        return node.text().into_iter().collect();
    }
    let object = node.object();
    let of = |names: &[&str]| {
        let named = object.members().filter(|(name, _)| names.contains(&words(name).as_str()));
        named.flat_map(|(_, node)| words_of_status(node)).collect::<Vec<_>>()
    };
    let title = title_node(&object).and_then(|title| title.text());
    let own = of(&["status", "state", "value"]);
    let kind = of(&["type", "kind", "group", "category", "status category", "key"]);
    title.into_iter().chain(own).chain(kind).collect()
}

/// The status that one of the words for it means.
pub(super) fn status_in(node: Node<'_>) -> Option<Status> {
    words_of_status(node).iter().find_map(|word| status_of(&words(word)))
}

/// Whether an object is a list of tasks with a name: it holds tasks that are no parts of one, and says
/// nothing that only a task says.
fn holds_lists(object: &Object<'_>) -> bool {
    let is_own = |name: &str, node: Node<'_>| {
        matches!(meaning(name), Some(Meaning::Column(Column::Done | Column::Status | Column::Due)))
            && node.text().is_some()
    };
    let holds = |name: &str, node: Node<'_>| {
        let words = words(name);
        let can_be = LISTS.contains(&words.as_str()) || words == "items";
        can_be && is_list(node, name)
    };
    !object.members().any(|(name, node)| is_own(name, node))
        && object.members().any(|(name, node)| holds(name, node))
}

/// The member that is the title.
pub(super) fn title_node<'a>(object: &Object<'a>) -> Option<Node<'a>> {
    let ranked = object.members().filter_map(|(name, node)| Some((rank_of_title(name)?, node)));
    let texts = ranked.filter(|(_, node)| node.text().is_some_and(|text| !text.trim().is_empty()));
    texts.min_by_key(|(rank, _)| *rank).map(|(_, node)| node)
}
