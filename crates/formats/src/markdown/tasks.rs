//! Turns sections into tasks with their items and entries.

use std::collections::BTreeMap;

use dormouse_types::draft::{Item, Remark, Task};
use dormouse_types::limits::{self, Limit};
use jiff::civil::Date;

use super::ReadError;
use super::date::{self, Reading};
use super::entries::{Gatherer, Place};
use super::front_matter::FrontMatter;
use super::key::{self, Counter};
use super::outline::Outline;
use super::sections::{self, Section};
use super::source::{Source, remark};

/// Collects the tasks of a file, in order.
pub(super) fn gather(
    source: &Source<'_>,
    matter: FrontMatter,
    outline: &Outline,
    remarks: &mut Vec<Remark>,
) -> Result<Vec<Task>, ReadError> {
    let sections = sections::cut(source, outline);
    let owners = sections::owners(&sections);
    let days = days(&sections, outline, remarks);
    let mut roots: Vec<usize> =
        (0..sections.len()).filter(|&at| owners[at] == at && sections[at].is_task()).collect();
    let has_items = !roots.is_empty();
    if !has_items && !sections.is_empty() {
        roots.push(0);
    }
    let top = sections::top(&sections);
    let mut belonging: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, &owner) in owners.iter().enumerate() {
        belonging.entry(owner).or_default().push(at);
    }

    let file =
        File { source, outline, sections: &sections, matter: &matter, is_sole: roots.len() == 1 };
    let mut keys = Counter::default();
    let mut tasks = Vec::new();
    for &root in &roots {
        let heading_of =
            if has_items { Some(root) } else { top.filter(|_| file.top_can_be_title()) };
        let (title, titled_by) = file.title(heading_of);
        let key = keys.next(file.path_key(if has_items { Some(root) } else { None }));
        let mut task = file.task(key, title);
        task.line = sections[root].first(outline) + 1;
        let mut gatherer = Gatherer::new(source, outline, remarks);
        file.cut_title(&mut task, &mut gatherer);
        for &at in belonging.get(&root).map_or(&[][..], Vec::as_slice) {
            let place = Place {
                is_titled: titled_by == Some(at),
                stands_alone: (has_items && at == root) || top == Some(at),
                on: days[at],
            };
            gatherer.section(&sections[at], place);
        }
        file.items(&mut task, &sections[root], &mut gatherer)?;
        task.entries = gatherer.finish();
        tasks.push(task);
    }
    if roots.is_empty() && matter.title.is_some() {
        let (title, _) = file.title(None);
        let mut task = file.task(keys.next(file.path_key(None)), title);
        task.line = 1;
        tasks.push(task);
    }
    unused(&matter, &tasks, remarks);
    Ok(tasks)
}

/// What all tasks of one file share.
struct File<'a> {
    source: &'a Source<'a>,
    outline: &'a Outline,
    sections: &'a [Section],
    matter: &'a FrontMatter,
    /// Whether the file is one task, so that the front matter's title and estimate apply to it.
    is_sole: bool,
}

impl File<'_> {
    /// A task with what the front matter says about every task of the file.
    fn task(&self, key: String, title: String) -> Task {
        let matter = self.matter;
        Task {
            key,
            title,
            status: matter.status,
            status_reason: matter.status_reason.clone(),
            priority: matter.priority,
            due_on: matter.due_on,
            estimate_minutes: matter
                .estimate
                .map(|(_, minutes)| minutes)
                .filter(|_| self.is_sole || self.sections.is_empty()),
            language: matter.language.clone(),
            category: matter.category.clone(),
            labels: matter.labels.clone(),
            ..Task::default()
        }
    }

    /// A heading that is only a date says when, not what, and makes no title.
    fn top_can_be_title(&self) -> bool {
        let text = self.sections.first().and_then(|section| section.heading(self.outline));
        text.is_some_and(|heading| !heading.text.is_empty() && !date::is_alone(&heading.text))
    }

    /// The title, and the section whose heading it is.
    fn title(&self, heading_of: Option<usize>) -> (String, Option<usize>) {
        let heading = heading_of
            .and_then(|at| Some((at, self.sections[at].heading(self.outline)?.text.as_str())));
        let given = self.matter.title.as_ref().map(|(_, title)| title.as_str());
        match (heading, given) {
            (Some((at, text)), Some(given)) if self.is_sole => {
                let same = key::fold(text) == key::fold(given);
                (given.to_owned(), same.then_some(at))
            }
            (Some((at, text)), _) => (text.to_owned(), Some(at)),
            (None, Some(given)) => (given.to_owned(), None),
            (None, None) => (self.source.stem().to_owned(), None),
        }
    }

    /// A task's key without its number: the file, then the headings from the top.
    fn path_key(&self, section: Option<usize>) -> String {
        let file = self.matter.id.as_deref().unwrap_or(self.source.name);
        let mut path = Vec::new();
        let mut at = section;
        while let Some(section) = at.map(|at| &self.sections[at]) {
            path.extend(section.heading(self.outline).map(|heading| key::fold(&heading.text)));
            at = section.parent;
        }
        path.push(key::fold(file));
        path.reverse();
        path.join("/")
    }

    fn cut_title(&self, task: &mut Task, gatherer: &mut Gatherer<'_>) {
        let Some(cut) = cut(&task.title, limits::TITLE) else { return };
        let line = task.line - 1;
        gatherer.remark(line, cut.remark);
        gatherer.whole(line, "title".to_owned(), &task.title);
        task.title = cut.text;
    }

    fn items(
        &self,
        task: &mut Task,
        section: &Section,
        gatherer: &mut Gatherer<'_>,
    ) -> Result<(), ReadError> {
        let mut keys = Counter::default();
        for (n, check) in self.outline.boxes[section.boxes.clone()].iter().enumerate() {
            if n == limits::ITEMS_PER_TASK.max {
                return Err(ReadError::TooManyItems {
                    name: self.source.name.to_owned(),
                    line: check.first + 1,
                    task: task.title.clone(),
                    limit: limits::ITEMS_PER_TASK,
                });
            }
            let key = keys.next(key::fold(&check.title));
            let title = match cut(&check.title, limits::ITEM_TITLE) {
                Some(cut) => {
                    gatherer.remark(check.first, cut.remark);
                    gatherer.whole(check.first, format!("item {key}"), &check.title);
                    cut.text
                }
                None => check.title.clone(),
            };
            task.items.push(Item { key, title, is_checked: check.is_checked, depth: check.depth });
        }
        Ok(())
    }
}

struct Cut {
    text: String,
    remark: String,
}

/// A text cut to a limit, including the ellipsis; `None` if it fits.
fn cut(text: &str, limit: Limit) -> Option<Cut> {
    let beyond = limit.check(text.chars().count()).err()?;
    let mut text: String = text.chars().take(limit.max - 1).collect();
    text.push('…');
    Some(Cut { text, remark: format!("{beyond}: shortened, with the full text kept as an entry") })
}
/// The date of each section: from its own heading, else from the nearest enclosing one.
fn days(sections: &[Section], outline: &Outline, remarks: &mut Vec<Remark>) -> Vec<Option<Date>> {
    let mut days: Vec<Option<Date>> = Vec::with_capacity(sections.len());
    for section in sections {
        let around = section.parent.and_then(|parent| days[parent]);
        let own = section.heading(outline).and_then(|heading| {
            let found = date::of_heading(&heading.text, around.map(Date::year));
            if let Reading::Impossible(text) = found {
                let message = format!("`{text}` is not a day of the calendar: kept as text");
                remarks.push(remark(heading.first, message));
            }
            found.day()
        });
        days.push(own.or(around));
    }
    days
}

/// Remarks on front matter that no task could use.
fn unused(matter: &FrontMatter, tasks: &[Task], remarks: &mut Vec<Remark>) {
    if let Some((line, title)) = &matter.title
        && !tasks.iter().any(|task| key::fold(&task.title) == key::fold(title))
        && tasks.len() > 1
    {
        let message =
            format!("title `{title}` is not used: {} tasks have their own headings", tasks.len());
        remarks.push(remark(*line, message));
    }
    if let Some((line, minutes)) = matter.estimate
        && tasks.len() != 1
    {
        let message = format!(
            "estimate of {minutes} minutes is not used: the file has {} tasks",
            tasks.len()
        );
        remarks.push(remark(line, message));
    }
}
