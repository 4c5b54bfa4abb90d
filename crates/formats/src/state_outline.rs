//! Outlines whose points say how far they are: pages of Logseq, and files of Org mode.
//!
//! - A point with a state, such as `TODO` or `DONE`, is a task; below one it is an item if an item can hold all
//!   that it says. Points around tasks are their category, points below one are its text.
//! - In a file of Org mode without any state, a heading with none below it is a task; so is one with a deadline and none below it.
//! - Labels of a heading are those of the tasks below it too.
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
use point::{Point, States};

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
    let seen = Survey::of(lines.iter().copied());
    let is_org = seen.n_deep > 0 || seen.has_keyword;
    // Without states too, if something is there that no other text has.
    match is_org && seen.n_states > 0 || seen.n_deep > 0 && seen.n_marks > 0 {
        true => seen.has_stars,
        // `* TODO` at the margin, with anything below it, is no list of Markdown.
        false => {
            seen.is_list && (seen.n_states > 1 || seen.n_states == 1 && seen.n_marks > 0)
                || seen.n_starred > 1 && seen.n_starred == seen.n_states
        }
    }
}

/// What the lines of a text say of it as a whole.
struct Survey {
    states: States,
    /// Points with a state.
    n_states: usize,
    /// Those of them that begin with stars.
    n_starred: usize,
    /// Points below the highest level of Org mode.
    n_deep: usize,
    /// Lines that only such an outline has.
    n_marks: usize,
    /// Whether some line begins with stars.
    has_stars: bool,
    /// Whether some line is a keyword of Org mode.
    has_keyword: bool,
    /// Whether some line at the margin begins with no stars.
    has_margin: bool,
    /// Whether each line is a point, or text or a property of one.
    is_list: bool,
}

impl Survey {
    fn of<'a>(lines: impl Iterator<Item = &'a str> + Clone) -> Self {
        let mut seen = Self {
            states: States::of(lines.clone()),
            n_states: 0,
            n_starred: 0,
            n_deep: 0,
            n_marks: 0,
            has_stars: false,
            has_keyword: false,
            has_margin: false,
            is_list: true,
        };
        for line in lines.filter(|line| !line.trim().is_empty()) {
            let point = point::of(line, &seen.states);
            let has_state = point.as_ref().is_some_and(|point| point.state.is_some());
            let is_starred = point::stars(line).is_some();
            seen.n_states += usize::from(has_state);
            seen.n_starred += usize::from(has_state && is_starred);
            seen.n_deep += usize::from(line.starts_with("**") && point.is_some());
            seen.n_marks += usize::from(body::is_mark(line));
            seen.has_stars |= is_starred;
            seen.has_keyword |= body::is_keyword(line);
            seen.has_margin |= indent(line) == 0 && !is_starred;
            seen.is_list &= point.is_some() || indent(line) > 0 || body::property(line).is_some();
        }
        seen
    }

    /// Whether its points are the headings of Org mode, and no bullets.
    fn is_org(&self) -> bool {
        self.n_deep > 0 || self.has_keyword || self.n_starred > 0 && self.has_margin
    }
}

/// Reads such an outline.
///
/// Errors: see [`ReadError`].
pub(crate) fn read(name: &str, text: &str, options: &ReadOptions) -> Result<Reading, ReadError> {
    let lines = Lines::new(name, text)?;
    let mut gather = Gather::new(name, &lines, options);
    let dates = Dates::new(options);
    let seen = Survey::of((0..lines.len()).map(|at| lines.line(at)));
    let (states, is_org) = (&seen.states, seen.is_org());
    let leaves = if is_org { leaves(&lines, seen.n_starred > 0) } else { HashSet::new() };
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
            true => point::of(line, states).filter(|_| point::stars(line).is_some()),
            false => point::of(line, states),
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
        nodes.push(node(at, depth, point, is_leaf, states));
    }
    body.finish(nodes.last_mut().unwrap_or(&mut preamble));
    if !preamble.claims.is_empty() {
        // It is on its own, above everything else.
        preamble.line = *preamble.claims[0].0.start();
        nodes.insert(0, preamble);
    }
    inherit_labels(&mut nodes);
    for node in nodes.iter_mut().filter(|node| node.is_task) {
        labels.iter().for_each(|label| node.draft.label(label));
    }
    Outline::new(nodes).settle_states(&title, &mut gather)?;
    Ok(gather.finish(Format::OrgMode))
}

/// The headings that are tasks without a state: those with none below them where nobody wrote one, and elsewhere
/// those of them that have a deadline.
fn leaves(lines: &Lines<'_>, has_states: bool) -> HashSet<usize> {
    let headings: Vec<(usize, usize)> = (0..lines.len())
        .filter_map(|at| point::stars(lines.line(at)).map(|stars| (at, stars)))
        .collect();
    let next = headings.iter().skip(1).map(|&(_, stars)| stars).chain([0]);
    let leaves = headings.iter().zip(next).filter(|((_, stars), next)| next <= stars);
    let is_due = |at: usize| {
        at + 1 < lines.len() && lines.line(at + 1).trim_start().starts_with("DEADLINE:")
    };
    leaves.map(|(&(at, _), _)| at).filter(|&at| !has_states || is_due(at)).collect()
}

/// Gives the labels of a category to the tasks in it, as Org mode does. One below a task keeps its own.
fn inherit_labels(nodes: &mut [Node]) {
    let mut around: Vec<(usize, bool, Vec<String>)> = Vec::new();
    for node in nodes {
        while around.last().is_some_and(|(depth, ..)| *depth >= node.depth) {
            around.pop();
        }
        if !around.iter().any(|(_, is_task, _)| *is_task) && node.is_task {
            let labels = around.iter().flat_map(|(.., labels)| labels);
            labels.for_each(|label| node.draft.label(label));
        }
        around.push((node.depth, node.is_task, node.draft.task.labels.clone()));
    }
}

fn node(line: usize, depth: usize, point: Point, is_leaf: bool, states: &States) -> Node {
    let Point { title, labels, .. } = point;
    let mut draft = body::titled(&title);
    let is_task = point.state.is_some() || is_leaf;
    if let Some(state) = point.state {
        draft.task.status = Some(state.status);
        let is_reason = state.status.needs_reason();
        draft.task.status_reason =
            is_reason.then(|| format!("Marked as “{}” in the imported list", state.word));
        if states.is_own(&state.word) {
            draft.details.push("State", &state.word);
        }
    }
    draft.task.priority = point.priority;
    labels.iter().for_each(|label| draft.label(label));
    Node { line, depth, draft, is_task, ..Node::default() }
}
