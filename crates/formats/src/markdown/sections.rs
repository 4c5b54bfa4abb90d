//! Which heading owns which lines.

use std::ops::Range;

use super::check_box::CheckBox;
use super::outline::{Heading, Outline};
use super::signs;
use super::source::Source;
use super::{days, fields};

/// A heading, or the top of the file, with the lines up to the next heading.
pub(super) struct Section {
    /// `None` for the text before the first heading.
    pub heading: Option<usize>,
    /// 0 for the text before the first heading.
    pub level: u8,
    /// The lines below the heading.
    pub body: Range<usize>,
    /// The check items in it, as a range of the outline's boxes.
    pub boxes: Range<usize>,
    /// The nearest section whose heading encloses this one.
    pub parent: Option<usize>,
    /// Whether it contains only blank lines and rules.
    pub is_bare: bool,
    /// The tasks that it lists: its outermost check items, if each of them is a task of its own.
    pub listed: Vec<Listed>,
    /// Whether somebody wrote a box in it, as opposed to a plain list of what is to be done.
    pub has_boxes: bool,
    /// Whether it has text besides its check items.
    pub has_text: bool,
    /// The line below its heading that holds nothing but fields of a task.
    pub fields: Option<usize>,
}

/// A check item that is a task, with what belongs to it.
pub(super) struct Listed {
    /// The check item, as a position in the outline's boxes.
    pub check: usize,
    /// Its own check items.
    pub nested: Range<usize>,
    /// Its lines, none of which is also a line of another one.
    pub lines: Range<usize>,
}

impl Section {
    /// Whether each of its outermost check items is a task of its own.
    pub fn lists_tasks(&self) -> bool {
        !self.listed.is_empty()
    }

    /// Whether a line belongs to one of the tasks that it lists.
    pub fn is_of_listed(&self, line: usize) -> bool {
        let after = self.listed.partition_point(|listed| listed.lines.start <= line);
        after > 0 && self.listed[after - 1].lines.contains(&line)
    }

    /// Whether it directly owns check items that are items of one task.
    pub fn has_items(&self) -> bool {
        self.has_boxes && !self.lists_tasks()
    }

    /// Whether it says itself that it is a task: it has boxes, or fields that a task has.
    pub fn carries_task(&self) -> bool {
        self.has_boxes || self.fields.is_some()
    }

    pub fn heading<'a>(&self, outline: &'a Outline) -> Option<&'a Heading> {
        self.heading.map(|heading| &outline.headings[heading])
    }

    /// The line it begins on.
    pub fn first(&self, outline: &Outline) -> usize {
        self.heading(outline).map_or(self.body.start, |heading| heading.first)
    }
}

/// Cuts a file at its headings.
pub(super) fn cut(source: &Source<'_>, outline: &Outline, check_items: CheckItems) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::with_capacity(outline.headings.len() + 1);
    let mut open: Vec<usize> = Vec::new();
    let starts = std::iter::once(None).chain((0..outline.headings.len()).map(Some));
    for heading in starts {
        let next = heading.map_or(0, |heading| heading + 1);
        let end = outline.headings.get(next).map_or(source.n_lines(), |next| next.first);
        let (level, start) = match heading.map(|heading| &outline.headings[heading]) {
            Some(heading) => (heading.level, heading.last + 1),
            None => (0, outline.first),
        };
        let body = start..end.max(start);
        while open.last().is_some_and(|&above| sections[above].level >= level) {
            open.pop();
        }
        // The top of the file has no heading and so encloses nothing.
        let parent = open.last().copied();
        // A date below a task says when its text was written: check items there are text of that
        // day, not a task named after a date.
        let is_day_of_task = heading.is_some_and(|at| days::is_alone(&outline.headings[at].text))
            && parent.is_some_and(|above| sections[above].has_items());
        let from = outline.boxes.partition_point(|check| check.first < body.start);
        let upto = outline.boxes.partition_point(|check| check.first < body.end);
        let upto = if is_day_of_task { from } else { upto };
        let is_bare = body
            .clone()
            .all(|line| outline.lines[line].is_rule || source.line(line).trim().is_empty());
        if heading.is_none() && is_bare {
            continue;
        }
        if heading.is_some() {
            open.push(sections.len());
        }
        let boxes = from..upto;
        let first = body.clone().find(|&line| !source.line(line).trim().is_empty());
        let first = first.filter(|&line| heading.is_some() && !outline.lines[line].is_opaque);
        let fields = first.filter(|&line| fields::read(source.line(line)).is_some());
        let has_boxes = outline.boxes[boxes.clone()].iter().any(|check| !check.is_plain);
        let lists_tasks = match check_items {
            _ if !has_boxes => false,
            CheckItems::Tasks => true,
            CheckItems::OfOneTask => false,
            CheckItems::Unsaid if fields.is_some() => false,
            CheckItems::Unsaid => {
                outline.is_status_list || are_tasks(&outline.boxes[boxes.clone()])
            }
        };
        let listed =
            if lists_tasks { listed(outline, body.clone(), boxes.clone()) } else { Vec::new() };
        let mut section = Section {
            heading,
            level,
            body,
            boxes,
            parent,
            is_bare,
            listed,
            has_boxes,
            has_text: false,
            fields,
        };
        section.has_text = section.body.clone().any(|line| {
            let kind = outline.lines[line];
            let in_box = kind.inside.is_some_and(|at| section.boxes.contains(&at))
                || section.is_of_listed(line);
            !in_box && !kind.is_rule && !source.line(line).trim().is_empty()
        });
        sections.push(section);
    }
    sections
}

/// The outermost of some check items as tasks. The lines of each one go on to the last line inside a
/// check item, with the text between them, but not into the next task: an item without a list marker
/// can begin within the extent of another, and then the rest of that extent is its own.
fn listed(outline: &Outline, body: Range<usize>, boxes: Range<usize>) -> Vec<Listed> {
    let mut listed: Vec<Listed> = Vec::new();
    for at in boxes.clone() {
        let check = &outline.boxes[at];
        match listed.last_mut() {
            Some(task) if check.depth > 0 => task.nested.end = at + 1,
            Some(_) | None => {
                let lines = check.first..check.first + 1;
                listed.push(Listed { check: at, nested: at + 1..at + 1, lines });
            }
        }
    }
    for line in
        body.filter(|&line| outline.lines[line].inside.is_some_and(|at| boxes.contains(&at)))
    {
        let after = listed.partition_point(|task| task.lines.start <= line);
        if let Some(task) = after.checked_sub(1).and_then(|at| listed.get_mut(at)) {
            task.lines.end = line + 1;
        }
    }
    listed
}

/// What a file says of itself about its check items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CheckItems {
    /// Each is a task, as on a board of Obsidian.
    Tasks,
    /// Each is an item of the one task that the file is, as in our own export of a task.
    OfOneTask,
    /// Nothing.
    Unsaid,
}

/// Whether check items are tasks of their own: one of the outermost has a date, a recurrence or a
/// priority, which only a task can have. A share of them would not do: another box without a date would
/// turn the tasks of an earlier import into items.
fn are_tasks(boxes: &[CheckBox]) -> bool {
    let mut outermost = boxes.iter().filter(|check| check.depth == 0 && !check.is_beside_box);
    outermost.any(|check| signs::read(&check.title).makes_task())
}

/// The heading above all others: the first one, if no other heading is on its level or higher.
pub(super) fn top(sections: &[Section]) -> Option<usize> {
    let first = sections.first().filter(|section| section.heading.is_some())?;
    sections[1..].iter().all(|section| section.level > first.level).then_some(0)
}
