//! What of a document is in no task: named by the members that lead to it, so that nothing disappears without a word.

use std::collections::BTreeMap;
use std::ops::Range;

use super::find::{Found, fields_of, title_node};
use super::names::{Meaning, meaning, words};
use crate::intake::Gather;
use crate::json::Node;
use crate::reading::{Column, Role};

/// How many parts a remark names.
const NAMED: usize = 20;

/// How deep is looked between tasks. What is deeper is named as a whole.
const DEEPEST: usize = 16;

/// Says which parts of a document hold no task and are left out.
pub(super) fn say(
    root: Node<'_>,
    found: &[Found<'_>],
    attached: impl Iterator<Item = Range<usize>>,
    gather: &mut Gather<'_>,
) {
    let mut rest = Rest {
        found: found.iter().map(|found| found.node.span()).chain(attached).collect(),
        lists: found.iter().filter_map(|found| Some(found.list?.span())).collect(),
        left: Vec::new(),
    };
    rest.found.sort_by_key(|span| span.start);
    rest.lists.sort_by_key(|span| span.start);
    rest.walk(root, "", 0);
    let Some((_, first)) = rest.left.first() else { return };
    let line = first.line();
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    let mut order = Vec::new();
    for (path, node) in &rest.left {
        gather.claim(node.lines(), Role::Skipped, None);
        let n = names.entry(path).or_default();
        if *n == 0 {
            order.push(path.as_str());
        }
        *n += 1;
    }
    let mut shown: Vec<String> = order.iter().take(NAMED).map(|path| format!("`{path}`")).collect();
    if order.len() > NAMED {
        shown.push(format!("{} other parts", order.len() - NAMED));
    }
    gather.say(line, format!("no tasks in {}: left out", shown.join(", ")));
}

struct Rest<'a> {
    /// The places of the tasks and of what belongs to them, in order.
    found: Vec<Range<usize>>,
    /// The places of the names that became categories, in order.
    lists: Vec<Range<usize>>,
    /// What is left out, with the names that lead to it.
    left: Vec<(String, Node<'a>)>,
}

impl<'a> Rest<'a> {
    fn walk(&mut self, node: Node<'a>, path: &str, depth: usize) {
        let span = node.span();
        if self.is_within_task(&span) || node.shown().trim().is_empty() {
            return;
        }
        if !holds(&self.found, &span) || depth == DEEPEST {
            // A heading among the tasks is their category.
            if (node.is_object() || node.is_array()) && !holds(&self.lists, &span) {
                let path = if path.is_empty() { called(node) } else { path.to_owned() };
                self.left.push((path, node));
            }
            return;
        }
        for node in node.items() {
            // A text among tasks is left out like anything else there.
            let is_text = !node.is_object() && !node.is_array() && !node.shown().trim().is_empty();
            match is_text && !self.is_within_task(&node.span()) {
                true => self.left.push((text_of(path, node), node)),
                false => self.walk(node, path, depth + 1),
            }
        }
        let object = node.object();
        let title = title_node(&object);
        for (name, member) in
            object.members().filter(|(_, member)| !title.is_some_and(|title| title.is(member)))
        {
            let short: String = name.chars().take(40).collect();
            let path = if path.is_empty() { short } else { format!("{path}.{short}") };
            if member.is_object() || member.is_array() {
                self.walk(member, &path, depth + 1);
            } else if is_text(name, member) {
                self.left.push((path, member));
            }
        }
    }

    /// Whether a part is a task, or a part of one.
    fn is_within_task(&self, span: &Range<usize>) -> bool {
        let after = self.found.partition_point(|task| task.start <= span.start);
        after > 0 && span.end <= self.found[after - 1].end
    }
}

/// Whether a part has one of some places in it, which are in order.
fn holds(places: &[Range<usize>], span: &Range<usize>) -> bool {
    let after = places.partition_point(|place| place.start < span.start);
    places.get(after).is_some_and(|place| place.end <= span.end)
}

/// A text among the entries of a list, with the names that lead there.
fn text_of(path: &str, node: Node<'_>) -> String {
    let short: String = node.shown().chars().take(40).collect();
    if path.is_empty() { short } else { format!("{path}: {short}") }
}

/// The title of an entry of the document itself.
fn called(node: Node<'_>) -> String {
    let object = node.object();
    let title = title_node(&object).or_else(|| title_node(&fields_of(&object)?.object()));
    let title = title.and_then(|title| title.text()).unwrap_or_else(|| "an entry".to_owned());
    title.chars().take(40).collect()
}

/// Whether a member of what is around tasks says something to a person: a note, or a text of several words.
fn is_text(name: &str, node: Node<'_>) -> bool {
    let is_note = match meaning(name) {
        Some(Meaning::Column(Column::Note)) => true,
        Some(Meaning::Machinery) => return false,
        _ => false,
    };
    let text = node.text().unwrap_or_default();
    let is_sentence =
        words(&text).split(' ').filter(|word| word.contains(char::is_alphabetic)).count() > 1;
    !text.trim().is_empty() && (is_note || is_sentence && text.trim().contains(' '))
}
