//! Outlines of other programs: what each of their nodes is read as.
//!
//! A node is a category of the nodes below it, a task, an item of the task around it, or text. What an item
//! cannot hold makes a task of it. Text that is in no task is kept as one of its own, so that nothing of a file
//! disappears.

use std::ops::RangeInclusive;

use dormouse_types::task::Status;

use crate::intake::{Draft, Gather, ReadError, fold};
use crate::reading::Role;

/// Units: characters. The longest category of several levels.
const CATEGORY: usize = 200;

/// A node, with what it says itself.
#[derive(Debug, Default)]
pub(crate) struct Node {
    /// The line of its title, from 0.
    pub line: usize,
    /// How many nodes are around it.
    pub depth: usize,
    /// Title, status and fields; its note is in `draft.note`.
    pub draft: Draft,
    /// Whether it says itself that it is something to do.
    pub is_task: bool,
    pub id: Option<String>,
    /// Its other lines.
    pub claims: Vec<(RangeInclusive<usize>, Role)>,
}

impl Node {
    /// Whether an item can hold all that it says.
    fn is_bare(&self) -> bool {
        let task = &self.draft.task;
        let is_plain =
            task.status.is_none_or(|status| matches!(status, Status::Open | Status::Done));
        is_plain
            && self.draft.note.trim().is_empty()
            && self.draft.details.text().is_empty()
            && task.items.is_empty()
            && task.labels.is_empty()
            && task.due_on.is_none()
            && task.priority.is_none()
            && task.estimate_minutes.is_none()
    }
}

/// What a node becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Category,
    Task,
    /// Of the task at this place.
    Item(usize),
    /// Of the task at this place.
    Text(usize),
    /// Text in no task.
    Loose,
}

/// The nodes of an outline, in order.
pub(crate) struct Outline {
    nodes: Vec<Node>,
    parents: Vec<Option<usize>>,
}

impl Outline {
    pub fn new(nodes: Vec<Node>) -> Self {
        let mut parents = Vec::with_capacity(nodes.len());
        let mut around: Vec<usize> = Vec::new();
        for (at, node) in nodes.iter().enumerate() {
            while around.last().is_some_and(|&last| nodes[last].depth >= node.depth) {
                around.pop();
            }
            parents.push(around.last().copied());
            around.push(at);
        }
        Self { nodes, parents }
    }

    /// The kinds where nodes say which of them are tasks.
    fn by_states(&self) -> Vec<Kind> {
        let mut has_task_below = vec![false; self.nodes.len()];
        let mut has_text_below = vec![false; self.nodes.len()];
        for at in (0..self.nodes.len()).rev() {
            let Some(parent) = self.parents[at] else { continue };
            has_task_below[parent] |= has_task_below[at] || self.nodes[at].is_task;
            has_text_below[parent] |= has_text_below[at] || !self.nodes[at].is_task;
        }
        let mut kinds: Vec<Kind> = Vec::with_capacity(self.nodes.len());
        for (at, node) in self.nodes.iter().enumerate() {
            let owner = self.parents[at].and_then(|parent| match kinds[parent] {
                Kind::Task => Some(parent),
                Kind::Item(task) | Kind::Text(task) => Some(task),
                Kind::Category | Kind::Loose => None,
            });
            kinds.push(match (node.is_task, owner) {
                (true, Some(task)) if node.is_bare() && !has_text_below[at] => Kind::Item(task),
                (true, _) => Kind::Task,
                (false, Some(task)) => Kind::Text(task),
                (false, None) if has_task_below[at] => Kind::Category,
                (false, None) => Kind::Loose,
            });
        }
        kinds
    }

    /// The kinds where every node may be a task: the outermost are, with what is below them as items, unless
    /// something below says more than an item can hold. A single outermost node names the outline.
    fn by_depth(&self) -> Vec<Kind> {
        let mut is_category = vec![false; self.nodes.len()];
        let mut has_children = vec![false; self.nodes.len()];
        for at in (0..self.nodes.len()).rev() {
            let Some(parent) = self.parents[at] else { continue };
            has_children[parent] = true;
            is_category[parent] |= is_category[at] || !self.nodes[at].is_bare();
        }
        let mut outermost = (0..self.nodes.len()).filter(|&at| self.parents[at].is_none());
        if let (Some(root), None) = (outermost.next(), outermost.next())
            && has_children[root]
        {
            is_category[root] = true;
        }
        let mut kinds: Vec<Kind> = Vec::with_capacity(self.nodes.len());
        for (at, node) in self.nodes.iter().enumerate() {
            let owner = self.parents[at].and_then(|parent| match kinds[parent] {
                Kind::Task if !is_category[parent] => Some(parent),
                Kind::Item(task) => Some(task),
                Kind::Task | Kind::Text(_) | Kind::Category | Kind::Loose => None,
            });
            kinds.push(match owner {
                Some(task) => Kind::Item(task),
                None if is_category[at] && node.is_bare() => Kind::Category,
                None => Kind::Task,
            });
        }
        kinds
    }

    /// Makes tasks of nodes that say themselves which of them are.
    pub fn settle_states(self, stem: &str, gather: &mut Gather<'_>) -> Result<(), ReadError> {
        let kinds = self.by_states();
        self.settle(&kinds, stem, gather)
    }

    /// Makes tasks of nodes by how deep they are.
    pub fn settle_depths(self, stem: &str, gather: &mut Gather<'_>) -> Result<(), ReadError> {
        let kinds = self.by_depth();
        self.settle(&kinds, stem, gather)
    }

    fn settle(
        mut self,
        kinds: &[Kind],
        stem: &str,
        gather: &mut Gather<'_>,
    ) -> Result<(), ReadError> {
        let titles: Vec<String> =
            self.nodes.iter().map(|node| node.draft.task.title.clone()).collect();
        let mut tasks: Vec<Option<(Draft, Vec<Claim>)>> = kinds.iter().map(|_| None).collect();
        let mut loose = (Draft::default(), Vec::new(), None);
        let nodes = std::mem::take(&mut self.nodes);
        let mut ids = Vec::with_capacity(nodes.len());
        let mut starts = Vec::with_capacity(nodes.len());
        for (at, node) in nodes.into_iter().enumerate() {
            let Node { line, depth, mut draft, id, claims, .. } = node;
            starts.push(line);
            match kinds[at] {
                Kind::Category => {
                    gather.claim(line..=line, Role::Category, None);
                    if !draft.note.trim().is_empty() || !draft.details.text().is_empty() {
                        add(&mut loose.0.note, &draft.note, 0);
                        add(&mut loose.0.note, &draft.details.text(), 0);
                        loose.1.extend(claims.into_iter().map(|(lines, _)| (lines, Role::Note)));
                        loose.2.get_or_insert(line);
                    }
                }
                Kind::Task => {
                    let (category, part_of) = self.around(at, kinds, &titles);
                    if draft.task.category.is_none() {
                        draft.task.category = category;
                    }
                    if let Some(parent) = part_of {
                        draft.details.push("Part of", &parent);
                    }
                    let mut all = claims;
                    all.push((line..=line, Role::Task));
                    tasks[at] = Some((draft, all));
                }
                Kind::Item(task) => {
                    if let Some((owner, all)) = &mut tasks[task] {
                        let is_done = draft.task.status == Some(Status::Done);
                        let depth = self.depth_below(at, task, kinds);
                        let title = &draft.task.title;
                        owner.item_on(line..=line, id.as_deref(), title, is_done, depth);
                        all.push((line..=line, Role::Item));
                        all.extend(claims);
                    }
                }
                Kind::Text(task) => {
                    if let Some((owner, all)) = &mut tasks[task] {
                        let depth = self.depth_between(at, task);
                        add(&mut owner.note, &format!("- {}", draft.task.title), depth);
                        add(&mut owner.note, &draft.note, depth + 1);
                        add(&mut owner.note, &draft.details.text(), depth + 1);
                        all.push((line..=line, Role::Note));
                        all.extend(claims.into_iter().map(|(lines, _)| (lines, Role::Note)));
                    }
                }
                Kind::Loose => {
                    let is_titled = !draft.task.title.is_empty();
                    if is_titled {
                        add(&mut loose.0.note, &format!("- {}", draft.task.title), depth);
                    }
                    let depth = depth + usize::from(is_titled);
                    add(&mut loose.0.note, &draft.note, depth);
                    add(&mut loose.0.note, &draft.details.text(), depth);
                    loose.1.push((line..=line, Role::Note));
                    loose.1.extend(claims.into_iter().map(|(lines, _)| (lines, Role::Note)));
                    loose.2.get_or_insert(line);
                }
            }
            ids.push(id);
        }
        if let (mut draft, claims, Some(line)) = loose {
            draft.task.title = stem.to_owned();
            gather.say(line, "text outside any task becomes a task of its own");
            let task = gather.add(line, fold(stem), draft)?;
            for (lines, role) in claims {
                gather.claim(lines, role, Some(task));
            }
        }
        for (at, task) in tasks.into_iter().enumerate() {
            let Some((draft, claims)) = task else { continue };
            let key = ids[at].clone().unwrap_or_else(|| self.key(at, &titles));
            let task = gather.add(starts[at], key, draft)?;
            for (lines, role) in claims {
                gather.claim(lines, role, Some(task));
            }
        }
        Ok(())
    }

    /// The nodes around a node, from the inside.
    fn above(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.parents[at], |&parent| self.parents[parent])
    }

    /// The category of a task, and the task that it is a part of.
    fn around(
        &self,
        at: usize,
        kinds: &[Kind],
        titles: &[String],
    ) -> (Option<String>, Option<String>) {
        let part_of = self.above(at).find_map(|other| match kinds[other] {
            Kind::Task => Some(titles[other].clone()),
            Kind::Item(task) | Kind::Text(task) => Some(titles[task].clone()),
            Kind::Category | Kind::Loose => None,
        });
        let names = self.above(at).filter(|&other| kinds[other] == Kind::Category);
        let mut names: Vec<&str> = names.map(|other| titles[other].as_str()).collect();
        names.reverse();
        let category = names.join(": ");
        let category: String = category.chars().take(CATEGORY).collect();
        ((!category.trim().is_empty()).then_some(category), part_of)
    }

    /// How many items are between an item and its task.
    fn depth_below(&self, at: usize, task: usize, kinds: &[Kind]) -> u32 {
        let items = self.above(at).take_while(|&other| other != task);
        let items = items.filter(|&other| matches!(kinds[other], Kind::Item(_)));
        u32::try_from(items.count()).unwrap_or(u32::MAX)
    }

    /// How many nodes are between a node and its task.
    fn depth_between(&self, at: usize, task: usize) -> usize {
        self.above(at).take_while(|&other| other != task).count()
    }

    /// The titles from the outermost node to this one.
    fn key(&self, at: usize, titles: &[String]) -> String {
        let mut path: Vec<String> = self.above(at).map(|other| fold(&titles[other])).collect();
        path.reverse();
        path.push(fold(&titles[at]));
        let path = path.join("/");
        if path.len() > 500 { fold(&path) } else { path }
    }
}

type Claim = (RangeInclusive<usize>, Role);

/// Adds lines to a text, indented by two spaces for each level.
fn add(text: &mut String, more: &str, depth: usize) {
    for line in more.trim_matches('\n').trim_end().lines() {
        if !text.is_empty() {
            text.push('\n');
        }
        if !line.trim().is_empty() {
            text.push_str(&"  ".repeat(depth.min(20)));
            text.push_str(line);
        }
    }
}
