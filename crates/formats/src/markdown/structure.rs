//! What each heading is, decided by the structure of the whole file: a task, a heading over tasks,
//! or text of a task.
//!
//! - A heading with check items of its own is a task.
//! - A heading without them is a task too where headings carry tasks: at the top, and next to tasks
//!   below a heading that is none. So a task needs no check items.
//! - A heading over several tasks is their category if it is with its like at the top, else it
//!   is a parent, and its text comes before their titles. With text of its own it is also a task:
//!   that text would otherwise land on a neighbour.
//! - A heading with text, over a single list, is the task of that list.
//! - Below a task, headings without check items are its text; so are headings that begin with a day.

use std::collections::BTreeMap;

use super::days;
use super::key;
use super::outline::Outline;
use super::sections::{self, Section};
use super::status_lists;

/// Units: characters. A longer heading is a task even if it is only over others, since its
/// whole text could not stand before each of their titles.
pub(super) const OVER: usize = 200;

/// What a section is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Task,
    /// A heading over tasks, without text of its own.
    Over,
    /// Text of the task that the section with this position makes.
    Text(usize),
}

/// How the text of a heading over tasks is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// It is the category of the tasks below it.
    Category,
    /// It comes before their titles.
    Before,
}

/// The structure of a file.
pub(super) struct Structure {
    /// What each section is.
    pub kinds: Vec<Kind>,
    /// For each section over tasks, how its text is used. A task can be over other tasks.
    pub uses: Vec<Option<Use>>,
    /// For each section, the bare heading right before it that names it.
    pub leads: Vec<Option<usize>>,
}

/// The structure of a file without check items: one task.
pub(super) fn one_task(sections: &[Section]) -> Structure {
    let kinds = (0..sections.len()).map(|at| if at == 0 { Kind::Task } else { Kind::Text(0) });
    Structure {
        kinds: kinds.collect(),
        uses: vec![None; sections.len()],
        leads: vec![None; sections.len()],
    }
}

/// Decides for a file that has check items.
pub(super) fn decide(sections: &[Section], outline: &Outline, has_category: bool) -> Structure {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); sections.len()];
    let mut roots = Vec::new();
    // The headings below each one that carry tasks.
    let mut carriers = vec![0_usize; sections.len()];
    for (at, section) in sections.iter().enumerate().rev() {
        match section.parent {
            Some(parent) => {
                children[parent].push(at);
                carriers[parent] += carriers[at] + usize::from(section.carries_task());
            }
            None => roots.push(at),
        }
    }
    roots.reverse();
    children.iter_mut().for_each(|below| below.reverse());
    let structure = Structure {
        kinds: vec![Kind::Text(0); sections.len()],
        uses: vec![None; sections.len()],
        leads: vec![None; sections.len()],
    };
    let top = sections::top(sections);
    let is_lead = vec![false; sections.len()];
    let mut walk =
        Walk { sections, outline, children, carriers, top, last: None, is_lead, structure };
    walk.lead();
    for &root in &roots {
        walk.free(root, None);
    }
    walk.adopt_first();
    walk.sort_out(&roots, has_category);
    // Those headings are the status of their tasks.
    for (at, section) in sections.iter().enumerate() {
        let is_lane = |heading| status_lists::is_lane(outline, heading);
        if section.is_bare && section.heading.is_some_and(is_lane) {
            walk.structure.kinds[at] = Kind::Over;
        }
        if section.heading.is_some_and(|heading| status_lists::names_status(outline, heading)) {
            walk.structure.uses[at] = None;
        }
    }
    walk.structure
}

struct Walk<'a> {
    sections: &'a [Section],
    outline: &'a Outline,
    children: Vec<Vec<usize>>,
    carriers: Vec<usize>,
    top: Option<usize>,
    /// The last task so far.
    last: Option<usize>,
    /// Whether a section names the next one that is no lead.
    is_lead: Vec<bool>,
    structure: Structure,
}

impl Walk<'_> {
    /// Finds bare headings that name the next one: where the text of that one occurs more than once
    /// in the file, as in `## Phase 1` above `## Done` on the same level.
    fn lead(&mut self) {
        let mut count: BTreeMap<(u8, String), usize> = BTreeMap::new();
        for section in self.sections {
            *count.entry(self.name(section)).or_default() += 1;
        }
        let mut first = None;
        for (at, section) in self.sections.iter().enumerate() {
            let next = self.sections.get(at + 1);
            let is_lead = section.is_bare
                && section.heading.is_some()
                && next.is_some_and(|next| next.level == section.level);
            if is_lead {
                first.get_or_insert(at);
            } else if let Some(first) = first.take()
                && (!section.is_bare || next.is_some_and(|next| next.level > section.level))
                && count.get(&self.name(section)).is_some_and(|&n| n > 1)
                && count.get(&self.name(&self.sections[first])) == Some(&1)
            {
                self.structure.leads[at] = Some(first);
                self.is_lead[first..at].fill(true);
            }
        }
    }

    fn name(&self, section: &Section) -> (u8, String) {
        let text = section.heading(self.outline).map(|heading| key::fold(&heading.text));
        (section.level, text.unwrap_or_default())
    }

    fn begins_with_day(&self, at: usize) -> bool {
        let heading = self.sections[at].heading(self.outline);
        heading.is_some_and(|heading| days::leading(&heading.text, None).day().is_some())
    }

    /// Whether the text of a heading can stand before other titles.
    fn is_short(&self, at: usize) -> bool {
        let heading = self.sections[at].heading(self.outline);
        heading.is_some_and(|heading| heading.text.chars().nth(OVER).is_none())
    }

    /// Whether several bare headings name this one, so that some of them are its text.
    fn has_long_lead(&self, at: usize) -> bool {
        self.structure.leads[at].is_some_and(|first| first + 1 < at)
    }

    fn task(&mut self, at: usize) {
        self.structure.kinds[at] = Kind::Task;
        self.last = Some(at);
    }

    /// Makes everything below a section text of a task.
    fn absorb(&mut self, at: usize, task: usize) {
        for child in self.children[at].clone() {
            self.structure.kinds[child] = Kind::Text(task);
            self.absorb(child, task);
        }
    }

    /// Decides for a section that no task encloses; `over` is the heading over tasks around it.
    fn free(&mut self, at: usize, over: Option<usize>) {
        let section = &self.sections[at];
        if section.heading.is_none() {
            let is_over = section.lists_tasks() && !section.has_text;
            self.structure.kinds[at] = if is_over { Kind::Over } else { Kind::Task };
            return;
        }
        if self.is_lead[at] {
            // The heading it names follows on the same level.
            return;
        }
        let below = self.carriers[at];
        if section.carries_task() && !section.lists_tasks() {
            self.task(at);
            self.below_task(at);
        } else if section.lists_tasks() {
            if section.has_text || !self.is_short(at) || self.has_long_lead(at) {
                self.task(at);
            } else {
                self.structure.kinds[at] = Kind::Over;
            }
            self.below_over(at);
        } else if below == 0 {
            // The text of one day is not that of another.
            let last = self.last.filter(|&last| !self.begins_with_day(last));
            match over.or(last).filter(|_| self.begins_with_day(at) && !section.is_bare) {
                // A day says when its text was written, not what is to do.
                Some(task) => {
                    self.structure.kinds[task] = Kind::Task;
                    self.structure.kinds[at] = Kind::Text(task);
                    self.absorb(at, task);
                }
                None => {
                    self.task(at);
                    self.absorb(at, at);
                }
            }
        } else if section.is_bare && self.is_short(at) && !self.has_long_lead(at) {
            self.structure.kinds[at] = Kind::Over;
            self.below_over(at);
        } else {
            self.task(at);
            let is_title = self.top == Some(at) && self.children[at].len() > 1;
            let carrier = self.sole_list(at).filter(|_| !is_title && !section.is_bare);
            if carrier.is_some() {
                self.absorb(at, at);
            } else {
                self.below_over(at);
            }
        }
    }

    /// The only heading below one that carries check items, if they are items of one task.
    fn sole_list(&self, at: usize) -> Option<usize> {
        if self.carriers[at] != 1 {
            return None;
        }
        let mut below = at;
        loop {
            below = *self.children[below]
                .iter()
                .find(|&&child| self.carriers[child] > 0 || self.sections[child].has_boxes)?;
            if self.sections[below].has_boxes {
                return self.sections[below].has_items().then_some(below);
            }
        }
    }

    fn below_over(&mut self, at: usize) {
        // A long heading is a task of its own that keeps its words.
        self.structure.uses[at] = self.is_short(at).then_some(Use::Before);
        for child in self.children[at].clone() {
            self.free(child, Some(at));
        }
    }

    /// Decides for everything below a task with check items.
    fn below_task(&mut self, task: usize) {
        // A title with check items of its own is still over headings that carry tasks.
        let is_title = self.top == Some(task)
            && self.children[task]
                .iter()
                .any(|&child| self.carriers[child] > 0 || self.sections[child].carries_task());
        for child in self.children[task].clone() {
            let section = &self.sections[child];
            let is_text = !section.carries_task() && self.carriers[child] == 0;
            if is_text && (!is_title || self.begins_with_day(child)) {
                self.structure.kinds[child] = Kind::Text(task);
                self.absorb(child, task);
            } else {
                self.free(child, None);
            }
        }
    }

    /// Leads are text of what they name. Text before the first heading introduces the only task of
    /// a file; of several tasks it is about none.
    fn adopt_first(&mut self) {
        for (at, lead) in self.structure.leads.iter().enumerate() {
            for text in lead.map_or(0..0, |first| first..at) {
                self.structure.kinds[text] = match self.structure.kinds[at] {
                    Kind::Text(task) => Kind::Text(task),
                    Kind::Task => Kind::Text(at),
                    Kind::Over => Kind::Over,
                };
            }
        }
        let introduces =
            self.sections.first().is_some_and(|first| first.heading.is_none() && !first.has_boxes);
        let kinds = &mut self.structure.kinds;
        let tasks: Vec<usize> =
            (1..kinds.len()).filter(|&at| kinds[at] == Kind::Task).take(2).collect();
        let lists = self.sections.iter().any(|section| section.lists_tasks());
        if introduces && !lists && tasks.len() == 1 {
            kinds[0] = Kind::Text(tasks[0]);
        }
    }

    /// Decides which headings over tasks are categories.
    fn sort_out(&mut self, roots: &[usize], has_category: bool) {
        if has_category {
            return;
        }
        let headed: Vec<usize> =
            roots.iter().copied().filter(|&at| self.sections[at].heading.is_some()).collect();
        let are_over = headed.iter().all(|&at| {
            self.structure.uses[at].is_some()
                && self.sections[at].level == self.sections[headed[0]].level
        });
        // The same words below several of them: then they are phases, and the words say too little
        // without them.
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        let mut repeats = false;
        for &at in &headed {
            for &child in &self.children[at] {
                let (_, name) = self.name(&self.sections[child]);
                repeats |= *seen.entry(name).or_insert(at) != at;
            }
        }
        if are_over && !repeats {
            for &at in &headed {
                self.structure.uses[at] = Some(Use::Category);
            }
        }
        for (at, section) in self.sections.iter().enumerate() {
            if section.lists_tasks() && section.heading.is_some() {
                self.structure.uses[at] = Some(Use::Category);
            }
        }
    }
}
