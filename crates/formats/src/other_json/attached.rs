//! What is in lists of its own and names the task it belongs to: comments, the items of checklists, labels,
//! files. Programs that export their tables write them so.
//!
//! A member such as `cardId` names an entry of the list `cards`, so ids that are used again in another list do
//! no harm. What names a task through something else, as an item its checklist and that its card, belongs to it too.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::find::{Found, title_node};
use super::names::{Meaning, meaning, words};
use super::part::Part;
use crate::intake::{Comment, Dates, Gather, ReadOptions, is_done};
use crate::json::Node;
use crate::reading::{Column, Role};

/// How deep lists are looked for.
const DEEPEST: usize = 4;

/// How many entries may stand between one and the task that it belongs to.
const HOPS: usize = 2;

/// Where the text of a comment is.
const TEXTS: &[&str] = &["text", "content", "comment", "body", "message", "note", "description"];

/// When something was written.
const WRITTEN: &[&str] =
    &["created at", "created", "created on", "date", "timestamp", "time", "entry"];

/// Where an entry comes among the others.
const ORDER: &[&str] = &["sort", "position", "order", "pos", "index"];

/// An entry of a list.
struct Row<'a> {
    /// What the list holds, in words and without the plural: "checklist item".
    kind: String,
    node: Node<'a>,
    /// The task that it is.
    task: Option<usize>,
    /// The entries that it names.
    names: Vec<usize>,
}

/// What an entry is to the task that it belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Comment,
    Item,
    /// The checklist of items.
    Around,
    Label,
    File,
    Field,
}

/// All that belongs to tasks without being in them.
pub(super) struct Attached<'a> {
    rows: Vec<Row<'a>>,
    /// The entries of each task.
    of_task: BTreeMap<usize, Vec<(Use, usize)>>,
    /// The task that a task names as the one it is a part of.
    parents: BTreeMap<usize, usize>,
}

impl<'a> Attached<'a> {
    pub fn of(root: Node<'a>, found: &[Found<'a>]) -> Self {
        let tasks = found.iter().enumerate().map(|(at, found)| (found.node.span().start, at));
        let tasks: BTreeMap<usize, usize> = tasks.collect();
        let mut rows = Vec::new();
        gather(root, "", &tasks, 0, &mut rows);
        // A single list has nothing that belongs to its tasks.
        let first = rows.first().map(|row| row.kind.clone());
        if rows.iter().all(|row| row.task.is_some() && Some(&row.kind) == first.as_ref()) {
            return Self { rows: Vec::new(), of_task: BTreeMap::new(), parents: BTreeMap::new() };
        }
        let mut by_id: BTreeMap<(String, String), usize> = BTreeMap::new();
        for (at, row) in rows.iter().enumerate() {
            if let Some(id) = id_of(row.node) {
                by_id.entry((row.kind.clone(), id)).or_insert(at);
            }
        }
        for (at, row) in rows.iter_mut().enumerate() {
            let object = row.node.object();
            let named = object.members().filter_map(|(name, node)| {
                let what = words(name).strip_suffix(" id")?.to_owned();
                by_id.get(&(what, node.text()?)).copied().filter(|&named| named != at)
            });
            row.names = named.collect();
        }
        let mut attached = Self { rows, of_task: BTreeMap::new(), parents: BTreeMap::new() };
        attached.settle();
        attached
    }

    fn settle(&mut self) {
        let mut around = BTreeSet::new();
        for at in 0..self.rows.len() {
            let Some((task, through)) = self.task_of(at, HOPS) else { continue };
            match (self.rows[at].task, self.use_of(at)) {
                (Some(own), _) if own == task => continue,
                (Some(own), _) => {
                    self.parents.insert(own, task);
                }
                (None, Some(used)) => self.of_task.entry(task).or_default().push((used, at)),
                (None, None) => continue,
            }
            around.extend(through.map(|through| (task, through)));
        }
        for (task, at) in around {
            self.of_task.entry(task).or_default().push((Use::Around, at));
        }
        let rows = &self.rows;
        for uses in self.of_task.values_mut() {
            uses.sort_by(|(_, one), (_, two)| {
                order_of(rows[*one].node).total_cmp(&order_of(rows[*two].node))
            });
        }
    }

    /// The task that an entry names, and the entry in between.
    fn task_of(&self, at: usize, hops: usize) -> Option<(usize, Option<usize>)> {
        let names = &self.rows[at].names;
        let direct = names.iter().find_map(|&named| self.rows[named].task);
        let through = || {
            let inner = hops.checked_sub(1)?;
            names.iter().find_map(|&named| Some((self.task_of(named, inner)?.0, Some(named))))
        };
        match direct {
            // An item may name both its checklist and its card.
            Some(task) => {
                let names_task = |named: &&usize| {
                    let row = &self.rows[**named];
                    row.task.is_none()
                        && row.names.iter().any(|&at| self.rows[at].task == Some(task))
                };
                Some((task, names.iter().find(names_task).copied()))
            }
            None => through(),
        }
    }

    fn use_of(&self, at: usize) -> Option<Use> {
        let Row { kind, node, names, .. } = &self.rows[at];
        let has = |word: &str| kind.split(' ').any(|part| part == word);
        let object = node.object();
        let is_done = |name: &str| meaning(name) == Some(Meaning::Column(Column::Done));
        let has_title = title_node(&object).is_some();
        if has("comment") {
            return text_of(*node).map(|_| Use::Comment);
        }
        if has_title
            && (has("item") || has("step") || object.members().any(|(name, _)| is_done(name)))
        {
            return Some(Use::Item);
        }
        if has("value") && text_of(*node).is_some() {
            return Some(Use::Field);
        }
        if has_title && (has("attachment") || has("file") || has("link")) {
            return Some(Use::File);
        }
        let is_label = |&named: &usize| matches!(self.rows[named].kind.as_str(), "label" | "tag");
        names.iter().any(is_label).then_some(Use::Label)
    }

    /// The places of all that belongs to a task.
    pub fn places(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.of_task.values().flatten().map(|(_, at)| self.rows[*at].node.span())
    }

    /// Adds what belongs to a task.
    pub fn fill(
        &self,
        task: usize,
        found: &[Found<'a>],
        part: &mut Part<'a>,
        options: &ReadOptions,
        gather: &mut Gather<'_>,
    ) {
        if part.parent.is_none()
            && let Some(&parent) = self.parents.get(&task)
        {
            part.parent = id_of(found[parent].node);
        }
        let uses = self.of_task.get(&task).map_or(&[][..], Vec::as_slice);
        let lists = uses.iter().filter(|(used, _)| *used == Use::Around).count();
        let dates = Dates::new(options);
        for &(used, at) in uses {
            let node = self.rows[at].node;
            let title = title_node(&node.object()).and_then(|title| title.text());
            let role = match used {
                Use::Comment => {
                    part.draft.comments.extend(comment(node, &dates));
                    part.is_bare = false;
                    Role::Note
                }
                Use::Item => {
                    let list = self.list_of(at).filter(|_| lists > 1);
                    let title = title.unwrap_or_default();
                    let title = list.map_or(title.clone(), |list| format!("{list}: {title}"));
                    let (lines, id) = (node.lines(), id_of(node));
                    part.draft.item_on(lines, id.as_deref(), &title, is_ticked(node), 0);
                    part.is_bare = false;
                    Role::Item
                }
                Use::Label => {
                    for &named in &self.rows[at].names {
                        let label = &self.rows[named];
                        let name = title_node(&label.node.object()).and_then(|name| name.text());
                        if matches!(label.kind.as_str(), "label" | "tag") {
                            name.iter().for_each(|name| part.draft.label(name));
                        }
                    }
                    part.is_bare = false;
                    Role::Field
                }
                Use::File => {
                    let words =
                        [title, member(node, &["url", "link", "path"]).and_then(|it| it.text())];
                    let words: Vec<String> = words.into_iter().flatten().collect();
                    part.draft.details.push("Attachment", &words.join(", "));
                    gather.say(node.line(), "attachments are kept as their names");
                    Role::Field
                }
                Use::Field => {
                    let named = self.rows[at].names.iter().map(|&named| &self.rows[named]);
                    let mut field = named.filter(|row| row.kind.ends_with("field"));
                    let name = field.next().and_then(|row| title_node(&row.node.object())?.text());
                    let value = text_of(node).unwrap_or_default();
                    part.draft.details.push(name.as_deref().unwrap_or("Field"), &value);
                    gather.say(node.line(), "custom fields are kept in the note");
                    Role::Field
                }
                Use::Around => Role::Field,
            };
            part.roles.push((node.lines(), role));
        }
    }

    /// The name of the checklist that an item is in.
    fn list_of(&self, at: usize) -> Option<String> {
        let lists = self.rows[at].names.iter().map(|&named| &self.rows[named]);
        let mut lists = lists.filter(|row| row.task.is_none());
        title_node(&lists.next()?.node.object())?.text()
    }
}

/// The comments in a member of a task; none if it is another member, or not all in it are comments.
pub(super) fn comments(name: &str, node: Node<'_>, dates: &Dates<'_>) -> Option<Vec<Comment>> {
    let is_named = matches!(words(name).as_str(), "comments" | "annotations" | "notes");
    let items = node.items();
    if !is_named || items.is_empty() {
        return None;
    }
    items.into_iter().map(|item| comment(item, dates)).collect()
}

fn comment(node: Node<'_>, dates: &Dates<'_>) -> Option<Comment> {
    let day = member(node, WRITTEN).and_then(|on| on.of_time());
    let on = day.and_then(|day| dates.day(&day)).map(|dated| dated.day);
    let text = text_of(node)?.replace("\r\n", "\n");
    Some(Comment::from((on, text)))
}

/// Collects the entries of all lists that are in no task.
fn gather<'a>(
    node: Node<'a>,
    member: &str,
    tasks: &BTreeMap<usize, usize>,
    depth: usize,
    rows: &mut Vec<Row<'a>>,
) {
    if depth > DEEPEST {
        return;
    }
    let kind = words(member);
    let kind = kind.strip_suffix('s').unwrap_or(&kind).to_owned();
    for item in node.items().into_iter().filter(Node::is_object) {
        let task = tasks.get(&item.span().start).copied();
        rows.push(Row { kind: kind.clone(), node: item, task, names: Vec::new() });
        if task.is_none() {
            gather(item, "", tasks, depth + 1, rows);
        }
    }
    let object = node.object();
    for (name, inner) in object.members().filter(|(_, node)| node.is_object() || node.is_array()) {
        gather(inner, name, tasks, depth + 1, rows);
    }
}

fn member<'a>(node: Node<'a>, names: &[&str]) -> Option<Node<'a>> {
    let object = node.object();
    names.iter().find_map(|wanted| {
        object.members().find(|(name, _)| words(name) == *wanted).map(|(_, node)| node)
    })
}

fn id_of(node: Node<'_>) -> Option<String> {
    let object = node.object();
    let is_id = |name: &str| meaning(name) == Some(Meaning::Column(Column::Key));
    object.members().find(|(name, _)| is_id(name)).and_then(|(_, node)| node.text())
}

fn text_of(node: Node<'_>) -> Option<String> {
    member(node, TEXTS)?.text().filter(|text| !text.trim().is_empty())
}

fn order_of(node: Node<'_>) -> f64 {
    let order = member(node, ORDER).and_then(|order| order.text());
    order
        .and_then(|order| order.parse().ok())
        .filter(|order: &f64| order.is_finite())
        .unwrap_or(0.0)
}

fn is_ticked(node: Node<'_>) -> bool {
    let object = node.object();
    let mut marks = object.members().filter(|(name, _)| {
        meaning(name) == Some(Meaning::Column(Column::Done))
            || matches!(words(name).as_str(), "is finished" | "finished" | "is checked")
    });
    marks
        .any(|(_, node)| node.is_true() || node.of_time().and_then(|it| is_done(&it)) == Some(true))
}
