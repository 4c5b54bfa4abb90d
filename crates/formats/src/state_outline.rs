//! Outlines whose points say how far they are: pages of Logseq, and files of Org mode.
//!
//! - A point with a state, such as `TODO` or `DONE`, is a task; below one it is an item if an item can hold all
//!   that it says. Points around tasks are their category, points below one are its text.
//! - In a file of Org mode without any state, a heading with none below it is a task.
//! - `DEADLINE:` is the due date. `SCHEDULED:`, `CLOSED:`, drawers and properties are kept as text, unless their
//!   name says that they are labels, a category, an estimate or the id.
//! - Boxes in the text of a task are items.
//!
//! A task is recognized by its `id`, else by its title and those around it.
//!
//! Source: docs.logseq.com (task management); orgmode.org/manual (headlines, TODO items, timestamps, drawers).

mod body;
mod point;

use std::collections::HashSet;

use body::Body;
use point::Point;

use crate::intake::{Dates, Gather, Lines, ReadError, ReadOptions};
use crate::markdown::stem;
use crate::outline::{Node, Outline};
use crate::reading::{Format, Reading, Role, indent, lines};

/// What a file of Org mode tells the program and says to nobody else.
#[rustfmt::skip]
const SETTINGS: &[&str] = &[
    "TODO", "SEQ_TODO", "TYP_TODO", "STARTUP", "OPTIONS", "TAGS", "PRIORITIES", "ARCHIVE", "COLUMNS", "PROPERTY",
];

/// Whether a text is such an outline: a list with several states or dates of tasks, or headings of Org mode.
pub(crate) fn looks_like(text: &str) -> bool {
    let lines = lines(text);
    let (mut n_states, mut n_starred, mut n_marks, mut n_stars, mut is_list) = (0, 0, 0, 0, true);
    for line in lines.iter().filter(|line| !line.trim().is_empty()) {
        let point = point::of(line);
        n_states += usize::from(point.as_ref().is_some_and(|point| point.state.is_some()));
        n_starred += usize::from(is_starred_state(line));
        n_stars += usize::from(line.starts_with("**") && point.is_some());
        n_marks += usize::from(body::is_mark(line));
        is_list &= point.is_some() || indent(line) > 0 || body::property(line).is_some();
    }
    let is_org = n_stars > 0 || lines.iter().any(|line| body::is_keyword(line));
    // Without states too, if something is there that no other text has.
    match is_org && n_states > 0 || n_stars > 0 && n_marks > 0 {
        true => lines.iter().any(|line| point::stars(line).is_some()),
        // `* TODO` at the margin, with anything below it, is no list of Markdown.
        false => {
            is_list && (n_states > 1 || n_states == 1 && n_marks > 0)
                || n_starred > 1 && n_starred == n_states
        }
    }
}

/// Whether a line is a heading of Org mode with a state.
fn is_starred_state(line: &str) -> bool {
    point::stars(line).is_some() && point::of(line).is_some_and(|point| point.state.is_some())
}

/// Reads such an outline.
///
/// Errors: see [`ReadError`].
pub(crate) fn read(name: &str, text: &str, options: &ReadOptions) -> Result<Reading, ReadError> {
    let lines = Lines::new(name, text)?;
    let mut gather = Gather::new(name, &lines, options);
    let dates = Dates::new(options);
    let is_org = (0..lines.len())
        .map(|at| lines.line(at))
        .any(|line| line.starts_with("**") && point::of(line).is_some() || body::is_keyword(line))
        || (0..lines.len()).any(|at| is_starred_state(lines.line(at)))
            && (0..lines.len()).map(|at| lines.line(at)).any(|line| {
                !line.trim().is_empty() && indent(line) == 0 && point::stars(line).is_none()
            });
    let leaves = if is_org { leaves(&lines) } else { HashSet::new() };
    let mut title = stem(name).to_owned();
    let mut labels = Vec::new();
    let mut nodes: Vec<Node> = Vec::new();
    let mut body = Body::new(0);
    let mut around: Vec<usize> = Vec::new();
    // What is above the first point is of none.
    let mut preamble = Node { draft: body::titled(""), ..Node::default() };
    for at in 0..lines.len() {
        let line = lines.line(at);
        if options.cancel.is_cancelled() {
            return Err(ReadError::Cancelled { name: name.to_owned() });
        }
        let point = match is_org {
            true => point::of(line).filter(|_| point::stars(line).is_some()),
            false => point::of(line),
        };
        let Some(point) = point.filter(|_| !body.is_open()) else {
            if line.trim().is_empty() {
                body.blank();
                continue;
            }
            if let Some((keyword, value)) = body::keyword(line) {
                match keyword.as_str() {
                    "TITLE" => {
                        title = value.to_owned();
                        gather.claim(at..=at, Role::Field, None);
                        continue;
                    }
                    "FILETAGS" => {
                        labels.extend(value.split([':', ' ']).map(str::to_owned));
                        gather.claim(at..=at, Role::Field, None);
                        continue;
                    }
                    name if SETTINGS.contains(&name) => {
                        gather.claim(at..=at, Role::Markup, None);
                        continue;
                    }
                    _ => {}
                }
            }
            // Above the first point, properties are those of the page.
            let of_page = body::property(line).filter(|_| nodes.is_empty());
            if let Some(("title", value)) = of_page.filter(|(_, value)| !value.is_empty()) {
                title = value.to_owned();
                gather.claim(at..=at, Role::Field, None);
                continue;
            }
            body.line(nodes.last_mut().unwrap_or(&mut preamble), at, line, &dates, &mut gather);
            continue;
        };
        let depth = match point::stars(line).filter(|_| is_org) {
            Some(stars) => stars - 1,
            None => {
                let column = indent(line);
                while around.last().is_some_and(|&outer| outer >= column) {
                    around.pop();
                }
                around.push(column);
                around.len() - 1
            }
        };
        body.finish(nodes.last_mut().unwrap_or(&mut preamble));
        body = Body::new(indent(line) + 2);
        let is_leaf = leaves.contains(&at) && !point.title.is_empty();
        nodes.push(node(at, depth, point, is_leaf));
    }
    body.finish(nodes.last_mut().unwrap_or(&mut preamble));
    if !preamble.claims.is_empty() {
        // It stands on its own, above everything else.
        preamble.line = *preamble.claims[0].0.start();
        nodes.insert(0, preamble);
    }
    for node in nodes.iter_mut().filter(|node| node.is_task) {
        labels.iter().for_each(|label| node.draft.label(label));
    }
    Outline::new(nodes).settle_states(&title, &mut gather)?;
    Ok(gather.finish(Format::Markdown))
}

/// The headings that are tasks where nobody wrote a state: those with none below them.
fn leaves(lines: &Lines<'_>) -> HashSet<usize> {
    let headings: Vec<(usize, usize)> = (0..lines.len())
        .filter_map(|at| point::stars(lines.line(at)).map(|stars| (at, stars)))
        .collect();
    let has_states = headings
        .iter()
        .any(|&(at, _)| point::of(lines.line(at)).is_some_and(|point| point.state.is_some()));
    if has_states {
        return HashSet::new();
    }
    let next = headings.iter().skip(1).map(|&(_, stars)| stars).chain([0]);
    let leaves = headings.iter().zip(next).filter(|((_, stars), next)| next <= stars);
    leaves.map(|(&(at, _), _)| at).collect()
}

fn node(line: usize, depth: usize, point: Point, is_leaf: bool) -> Node {
    let (title, labels) = match is_leaf {
        true => point::labelled(&point.title),
        false => (point.title, point.labels),
    };
    let mut draft = body::titled(&title);
    let is_task = point.state.is_some() || is_leaf;
    if let Some(state) = point.state {
        draft.task.status = Some(state.status);
        draft.task.status_reason = state
            .status
            .needs_reason()
            .then(|| format!("Marked as “{}” in the imported list", state.word));
    }
    draft.task.priority = point.priority;
    labels.iter().for_each(|label| draft.label(label));
    Node { line, depth, draft, is_task, ..Node::default() }
}
