//! Which heading owns which lines, and which task each piece of text belongs to.

use std::ops::Range;

use super::date;
use super::outline::{Heading, Outline};
use super::source::Source;

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
}

impl Section {
    /// Whether it directly owns check items.
    pub fn is_task(&self) -> bool {
        !self.boxes.is_empty()
    }

    /// Its heading.
    pub fn heading<'a>(&self, outline: &'a Outline) -> Option<&'a Heading> {
        self.heading.map(|heading| &outline.headings[heading])
    }

    /// The line it begins on.
    pub fn first(&self, outline: &Outline) -> usize {
        self.heading(outline).map_or(self.body.start, |heading| heading.first)
    }
}

/// Cuts a file at its headings.
pub(super) fn cut(source: &Source<'_>, outline: &Outline) -> Vec<Section> {
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
        let is_day_of_task = heading.is_some_and(|at| date::is_alone(&outline.headings[at].text))
            && parent.is_some_and(|above| sections[above].is_task());
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
        sections.push(Section { heading, level, body, boxes: from..upto, parent, is_bare });
    }
    sections
}

/// The heading above all others: the first one, if no other heading is on its level or higher.
pub(super) fn top(sections: &[Section]) -> Option<usize> {
    let first = sections.first().filter(|section| section.heading.is_some())?;
    sections[1..].iter().all(|section| section.level > first.level).then_some(0)
}

/// For each section, the section of the task it belongs to; the first section for all if there is
/// no task.
pub(super) fn owners(sections: &[Section]) -> Vec<usize> {
    let tasks: Vec<usize> = (0..sections.len()).filter(|&at| sections[at].is_task()).collect();
    let Some(&first) = tasks.first() else { return vec![0; sections.len()] };

    // A heading that encloses a task introduces it.
    let mut introduced: Vec<Option<usize>> = vec![None; sections.len()];
    for &task in &tasks {
        let mut above = sections[task].parent;
        while let Some(at) = above.filter(|&at| introduced[at].is_none()) {
            introduced[at] = Some(task);
            above = sections[at].parent;
        }
    }

    let mut enclosing: Vec<Option<usize>> = Vec::with_capacity(sections.len());
    let mut owners = Vec::with_capacity(sections.len());
    // The first task below the nearest enclosing heading that has one.
    let mut scoped: Vec<Option<usize>> = Vec::with_capacity(sections.len());
    let mut last = first;
    for (at, section) in sections.iter().enumerate() {
        let around = section.parent.and_then(|parent| enclosing[parent]);
        if section.is_task() {
            last = at;
        }
        enclosing.push(if section.is_task() { Some(at) } else { around });
        let scope = section.parent.and_then(|parent| introduced[parent].or(scoped[parent]));
        scoped.push(scope);
        // Text before the first task below the same heading also introduces that task.
        let ahead = introduced[at].or(scope.filter(|&task| task > at));
        owners.push(if section.is_task() { at } else { ahead.or(around).unwrap_or(last) });
    }

    // A bare heading introduces what follows on its level or below. Going from the end, a row of
    // bare headings goes to one task.
    for at in (0..sections.len().saturating_sub(1)).rev() {
        let section = &sections[at];
        let leads_on = section.is_bare && sections[at + 1].level >= section.level;
        if leads_on && !section.is_task() && introduced[at].is_none() {
            owners[at] = owners[at + 1];
        }
    }
    owners
}
