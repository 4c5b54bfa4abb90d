//! Lists and labels that a task names by their ids.

use std::collections::BTreeMap;

use super::find::{Found, title_node};
use super::names::{Meaning, meaning, words};
use crate::json::Node;
use crate::reading::Column;

/// How deep names are looked for.
const DEEPEST: usize = 4;

/// What a member names by an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refers {
    List,
    Label,
    Other,
}

/// The names of what has an id in the document and is no task.
#[derive(Default)]
pub(super) struct Named {
    by_id: BTreeMap<String, String>,
    /// The same in each list, since the entries of another may have the same ids.
    by_list: BTreeMap<(String, String), String>,
}

impl Named {
    pub fn of(root: Node<'_>, found: &[Found<'_>]) -> Self {
        let mut named = Self::default();
        let mut tasks: Vec<usize> = found.iter().map(|found| found.node.span().start).collect();
        tasks.sort_unstable();
        named.gather(root, "", &tasks, 0);
        named
    }

    fn gather(&mut self, node: Node<'_>, list: &str, tasks: &[usize], depth: usize) {
        if depth > DEEPEST || tasks.binary_search(&node.span().start).is_ok() {
            return;
        }
        node.items().into_iter().for_each(|item| self.gather(item, list, tasks, depth + 1));
        let object = node.object();
        let is_id = |name: &str| meaning(name) == Some(Meaning::Column(Column::Key));
        let id = object.members().find(|(name, _)| is_id(name)).and_then(|(_, node)| node.text());
        if let (Some(id), Some(title)) = (id, title_node(&object).and_then(|title| title.text())) {
            // An id of several things names none.
            let list = words(list);
            let list = list.trim_end_matches('s').to_owned();
            self.by_list.entry((list, id.clone())).or_insert_with(|| title.clone());
            let name = self.by_id.entry(id).or_insert_with(|| title.clone());
            if *name != title {
                name.clear();
            }
        }
        for (name, member) in
            object.members().filter(|(_, node)| node.is_object() || node.is_array())
        {
            self.gather(member, name, tasks, depth + 1);
        }
    }

    /// The names of what a member such as `listId` or `labelIds` says by ids; none if one is not known.
    pub fn referred(&self, name: &str, node: Node<'_>) -> Option<(Refers, Vec<&str>)> {
        let words = words(name);
        let what = words
            .strip_suffix(" id")
            .or_else(|| words.strip_suffix(" ids"))
            .or_else(|| words.strip_prefix("id "))?;
        let what = what.trim_end_matches('s');
        let refers = match what {
            "list" | "section" | "column" | "bucket" | "folder" | "group" | "project"
            | "category" => Refers::List,
            "label" | "tag" => Refers::Label,
            _ => Refers::Other,
        };
        let nodes = if node.is_array() { node.items() } else { vec![node] };
        let name = |node: Node<'_>| {
            let id = node.text()?;
            let of_list = self.by_list.get(&(what.to_owned(), id.clone()));
            of_list.or_else(|| self.by_id.get(&id)).map(String::as_str).filter(|it| !it.is_empty())
        };
        let names: Option<Vec<&str>> = nodes.into_iter().map(name).collect();
        Some((refers, names.filter(|names| !names.is_empty())?))
    }
}
