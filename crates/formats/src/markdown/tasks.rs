//! Turns sections into tasks with their items and entries.

use std::collections::BTreeMap;
use std::ops::Range;

use dormouse_types::TaskId;
use dormouse_types::draft::{Entry, Item, Remark, Task};
use dormouse_types::limits;
use dormouse_types::task::Status;
use jiff::civil::Date;

use super::ReadError;
use super::board;
use super::days;
use super::entries::{self, Gatherer, Position};
use super::escapes;
use super::fields;
use super::front_matter::FrontMatter;
use super::kept::{
    add_labels, cut, keep_signs, keep_surplus, not_ticked, say_impossible, sign_kept,
};
use super::key::{self, Counter};
use super::outline::Outline;
use super::places::Places;
use super::sections::{self, CheckItems, Section};
use super::signs;
use super::source::{Source, remark};
use super::status_lists;
use super::structure::{self, Kind, Structure, Use};
use super::titles::{self, Titles};
use crate::intake::{self, ReadOptions};
use crate::reading::Role;
use crate::when::Leading;

/// Collects the tasks of a file, in order, and the place of each line in them.
pub(super) fn gather(
    source: &Source<'_>,
    matter: &FrontMatter,
    outline: &Outline,
    options: &ReadOptions,
    remarks: &mut Vec<Remark>,
) -> Result<(Vec<Task>, Places), ReadError> {
    let is_own_task = matter.id.as_ref().is_some_and(|id| id.parse::<TaskId>().is_ok());
    let check_items = match matter.is_board || outline.has_lanes() {
        true => CheckItems::Tasks,
        false if is_own_task => CheckItems::OfOneTask,
        false => CheckItems::Unsaid,
    };
    let sections = sections::cut(source, outline, check_items);
    let has_items = sections.iter().any(Section::carries_task);
    let structure = if has_items {
        structure::decide(&sections, outline, matter.category.is_some())
    } else {
        structure::one_task(&sections)
    };
    let titles = titles::make(&sections, outline, &structure);
    let mut belonging: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, kind) in structure.kinds.iter().enumerate() {
        match *kind {
            Kind::Task => belonging.entry(at).or_default().push(at),
            Kind::Text(task) => belonging.entry(task).or_default().push(at),
            Kind::Over => {}
        }
    }
    let n_headed = structure.kinds.iter().filter(|&&kind| kind == Kind::Task).count();
    let n_listed = sections.iter().filter(|section| section.lists_tasks()).count();
    let read_on = options.read_on.or(options.today);
    let days = days(&sections, outline, read_on, remarks);
    // Another due date is no other task.
    let folded = outline.headings.iter().map(|heading| {
        let signs = signs::read(&heading.text);
        key::fold(if signs.are_of_heading() { &signs.bare } else { &heading.text })
    });
    let folded: Vec<String> = folded.collect();
    let file = File {
        source,
        outline,
        sections: &sections,
        structure: &structure,
        titles: &titles,
        matter,
        top: sections::top(&sections),
        days: &days,
        folded: &folded,
        has_items,
        n_headed,
        is_sole: n_headed + n_listed <= 1 && n_listed == 0,
    };
    let mut gathered = Gathered { tasks: Vec::new(), places: Places::new(source), remarks };
    let mut keys = Counter::default();
    for at in 0..sections.len() {
        if options.cancel.is_cancelled() {
            return Err(ReadError::Cancelled { name: source.name.to_owned() });
        }
        match structure.kinds[at] {
            Kind::Task => file.headed(at, &belonging[&at], &mut keys, &mut gathered),
            Kind::Over => file.over(at, &mut gathered.places),
            Kind::Text(_) => {}
        }
        if sections[at].lists_tasks() {
            file.listed(at, &mut keys, &mut gathered);
        }
    }
    let Gathered { mut tasks, mut places, remarks } = gathered;
    if sections.is_empty() && matter.title.is_some() {
        let (title, _) = file.title(None);
        let mut task = file.task(keys.next(file.path_key(None)), title);
        task.line = 1;
        tasks.push(task);
    }
    if let (Some(first), false) = (tasks.first_mut(), matter.kept.is_empty()) {
        let lines: Vec<&str> = matter.kept.iter().map(|&line| source.line(line)).collect();
        for &line in &matter.kept {
            let is_due = matter.roles.get(line) == Some(&Role::Due);
            places.set(line, if is_due { Role::Due } else { Role::Note }, Some(0));
        }
        // A heading may have these words too.
        let is_same = |entry: &&Entry| entry.key.starts_with("front matter#");
        let number = first.entries.iter().filter(is_same).count() + 1;
        let key = format!("front matter#{number}");
        first.entries.extend(entries::of(&key, &lines.join("\n")));
    }
    let only = (tasks.len() == 1).then_some(0);
    for (line, &role) in matter.roles.iter().enumerate() {
        if !tasks.is_empty() && matter.kept.binary_search(&line).is_ok() {
            continue;
        }
        places.set(line, role, only.filter(|_| matches!(role, Role::Field | Role::Due)));
    }
    if let (Some((line, title)), [task]) = (&matter.title, &tasks[..])
        && key::fold(title) == key::fold(&task.title)
    {
        places.set(*line, if sections.is_empty() { Role::Task } else { Role::Field }, only);
    }
    unused(matter, &tasks, remarks);
    Ok((tasks, places))
}

/// What is gathered so far.
struct Gathered<'a> {
    tasks: Vec<Task>,
    places: Places,
    remarks: &'a mut Vec<Remark>,
}

/// What all tasks of one file share.
struct File<'a> {
    source: &'a Source<'a>,
    outline: &'a Outline,
    sections: &'a [Section],
    structure: &'a Structure,
    titles: &'a Titles,
    matter: &'a FrontMatter,
    /// The heading above all others.
    top: Option<usize>,
    days: &'a [Option<Date>],
    /// The text of each heading as a part of a key.
    folded: &'a [String],
    /// Whether the file has check items; if not, it is one task.
    has_items: bool,
    /// How many headings are tasks.
    n_headed: usize,
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
            due_on: matter.due.as_ref().map(|due| due.day),
            estimate_minutes: matter
                .estimate
                .map(|(_, minutes)| minutes)
                .filter(|_| self.is_sole || self.sections.is_empty()),
            language: matter.language.clone(),
            category: matter.category.clone(),
            labels: matter.labels.clone(),
            flags: matter.flags,
            exported_as: matter.exported_as().filter(|_| self.is_sole || self.sections.is_empty()),
            as_of: matter.as_of.filter(|_| self.is_sole || self.sections.is_empty()),
            ..Task::default()
        }
    }

    /// Makes the task of a section, from it and the sections that are its text.
    fn headed(
        &self,
        root: usize,
        belonging: &[usize],
        keys: &mut Counter,
        gathered: &mut Gathered<'_>,
    ) {
        let top = self.top;
        let heading_of =
            if self.has_items { Some(root) } else { top.filter(|_| self.top_can_be_title()) };
        let (title, titled_by) = self.title(heading_of);
        let fields_line = self.sections[root].fields;
        let own = fields_line.and_then(|line| fields::read(self.source.line(line)));
        let own = own.map(|own| fields::take(&own, fields_line.unwrap_or(0), gathered.remarks));
        let (own, not_taken) = own.unwrap_or_default();
        let key = own.id.as_deref().and_then(|id| keys.own(id));
        let has_own_id = key.is_some() || self.is_sole && self.matter.id.is_some();
        let has_own_title = key.is_some() || self.is_sole && self.matter.exported_as().is_some();
        let key = key.unwrap_or_else(|| keys.next(self.path_key(self.has_items.then_some(root))));
        let mut task = self.task(key, title);
        let (properties, property_lines) = match self.sections[root].heading {
            Some(0) => fields::properties(self.source, self.sections[root].body.clone()),
            Some(_) | None => Default::default(),
        };
        properties.fill(&mut task);
        own.fill(&mut task);
        task.category = task.category.or_else(|| self.titles.categories[root].clone());
        let lead = self.structure.leads[root].filter(|_| titled_by.is_some());
        let first = self.sections[lead.unwrap_or(root)].first(self.outline);
        task.line = self.sections[root].first(self.outline) + 1;
        let number = gathered.tasks.len();
        let mut gatherer = Gatherer::new(
            self.source,
            self.outline,
            gathered.remarks,
            &mut gathered.places,
            number,
        );
        let signs = signs::read(&task.title);
        if has_own_title {
            // What it is due and so on is in its fields.
        } else if titled_by.is_some() && signs.are_of_heading() {
            task.title.clone_from(&signs.title);
            task.due_on = signs.due_on.or(task.due_on);
            task.priority = signs.priority.or(task.priority);
            add_labels(&mut task, &signs);
            keep_signs(task.line - 1, &signs, &mut gatherer);
        } else if titled_by.is_some() {
            say_impossible(task.line - 1, &signs, &mut gatherer);
        }
        self.cut_title(&mut task, &mut gatherer);
        for (line, role) in property_lines {
            gatherer.take_fields(line, role);
        }
        if let Some(line) = fields_line {
            gatherer.take_fields(line, Role::Field);
            gatherer.whole(line, "fields".to_owned(), &not_taken.join(" "));
        }
        for &at in belonging.iter().filter(|&&at| Some(at) != lead) {
            let position = Position {
                is_titled: titled_by == Some(at),
                stands_alone: (self.has_items && at == root) || top == Some(at),
                on: self.days[at],
            };
            gatherer.section(&self.sections[at], position);
        }
        let mut item_keys = Counter::default();
        for &at in belonging.iter().filter(|&&at| !self.sections[at].lists_tasks()) {
            let boxes = self.sections[at].boxes.clone();
            self.items(&mut task, boxes, 0, &mut item_keys, &mut gatherer);
        }
        if lead.is_some() {
            gatherer.place(first, Role::Parent);
        }
        if let Some(at) = titled_by {
            self.place_heading(at, Role::Task, &mut gatherer);
        }
        task.entries = gatherer.finish();
        if has_own_id {
            for entry in &mut task.entries {
                entry.text = escapes::unescaped(&entry.text);
            }
        }
        gathered.tasks.push(task);
    }

    fn place_heading(&self, at: usize, role: Role, gatherer: &mut Gatherer<'_>) {
        if let Some(heading) = self.sections[at].heading(self.outline) {
            for line in heading.first..=heading.last {
                gatherer.place(line, Role::Markup);
            }
            gatherer.place(heading.first, role);
        }
    }

    /// Sets the place of a heading that is only over tasks.
    fn over(&self, at: usize, places: &mut Places) {
        let Some(heading) = self.sections[at].heading(self.outline) else { return };
        for line in heading.first..=heading.last {
            places.set(line, Role::Markup, None);
        }
        let role = match self.structure.uses[at] {
            Some(Use::Category) => Role::Category,
            Some(Use::Before) | None => Role::Parent,
        };
        places.set(heading.first, role, None);
    }

    /// Makes a task of each outermost check item of a section.
    fn listed(&self, at: usize, keys: &mut Counter, gathered: &mut Gathered<'_>) {
        let section = &self.sections[at];
        // A card that is moved to another lane is the same card.
        let is_lane =
            |heading: &usize| self.matter.is_board || status_lists::is_lane(self.outline, *heading);
        let lane = self.sections[at].heading.filter(is_lane);
        let path = match lane {
            Some(_) => self.path_key(self.sections[at].parent),
            None => self.path_key(Some(at)),
        };
        let before = match self.structure.uses[at] {
            Some(Use::Before) => self.titles.titles[at].as_str(),
            Some(Use::Category) | None => "",
        };
        for listed in &section.listed {
            let check = &self.outline.boxes[listed.check];
            let nested = listed.nested.clone();
            let signs = signs::read(&check.title);
            // An id in the file survives even a move to another heading.
            let key = match &signs.id {
                Some(id) => format!("{}/^{}", self.path_key(None), key::fold(id)),
                None => format!("{path}/{}", key::fold(&signs.bare)),
            };
            let mut task = self.task(keys.next(key), titles::joined(before, &signs.title));
            if self.n_headed > 0 {
                // A due date of the whole note is that of the task whose heading is the note.
                task = Task {
                    due_on: None,
                    status: None,
                    status_reason: None,
                    priority: None,
                    ..task
                };
            }
            task.line = check.first + 1;
            task.category = task.category.or_else(|| self.titles.below[at].clone());
            task.due_on = signs.due_on.or(task.due_on);
            task.priority = signs.priority.or(task.priority);
            task.status = match check.mark {
                _ if check.is_checked => Some(Status::Done),
                mark if intake::status_of_mark(mark).is_some() => intake::status_of_mark(mark),
                _ if self.outline.has_lanes() => {
                    let lane = section.heading(self.outline);
                    let status = lane.and_then(status_lists::status_of);
                    if status.is_some_and(Status::needs_reason) {
                        task.status_reason = lane.map(|lane| lane.text.clone());
                    }
                    status.filter(|status| *status != Status::Open).or(task.status)
                }
                _ if self.matter.is_board => {
                    let lane = section.heading(self.outline);
                    lane.and_then(|lane| board::status_of(&lane.text)).or(task.status)
                }
                _ => task.status,
            };
            add_labels(&mut task, &signs);
            let number = gathered.tasks.len();
            let mut gatherer = Gatherer::new(
                self.source,
                self.outline,
                gathered.remarks,
                &mut gathered.places,
                number,
            );
            if self.outline.is_status_list
                && let Some(sentence) = status_lists::first_sentence(&task.title)
            {
                gatherer.whole(check.first, "title".to_owned(), &task.title);
                task.title = sentence;
            }
            let (title, other_lines) = board::lines_of(&task.title);
            if !other_lines.is_empty() {
                gatherer.whole(check.first, "lines".to_owned(), &other_lines);
            }
            task.title = title;
            self.cut_title(&mut task, &mut gatherer);
            keep_signs(check.first, &signs, &mut gatherer);
            let says_status = intake::status_of_mark(check.mark).is_some();
            if !check.is_checked && !says_status && !matches!(check.mark, ' ' | '\t') {
                gatherer.remark(check.first, not_ticked(check.mark));
            }
            let inner = Section {
                heading: None,
                level: section.level,
                body: check.title_last + 1..listed.lines.end.max(check.title_last + 1),
                boxes: nested.clone(),
                parent: None,
                is_bare: false,
                listed: Vec::new(),
                has_boxes: !nested.is_empty(),
                has_text: true,
                fields: None,
            };
            gatherer.dedent(check.column + check.marker.len());
            let position = Position { is_titled: true, stands_alone: true, on: self.days[at] };
            gatherer.section(&inner, position);
            self.items(&mut task, nested, 1, &mut Counter::default(), &mut gatherer);
            for line in check.first..=check.title_last {
                gatherer.place(line, Role::Task);
            }
            task.entries = gatherer.finish();
            gathered.tasks.push(task);
        }
    }

    /// A heading that is only a date says when, not what, and makes no title.
    fn top_can_be_title(&self) -> bool {
        let text = self.sections.first().and_then(|section| section.heading(self.outline));
        text.is_some_and(|heading| !heading.text.is_empty() && !days::is_alone(&heading.text))
    }

    /// The title, and the section whose heading it is.
    fn title(&self, heading_of: Option<usize>) -> (String, Option<usize>) {
        let heading = heading_of.filter(|&at| self.sections[at].heading.is_some());
        let heading = heading.map(|at| (at, self.titles.titles[at].as_str()));
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
            path.extend(section.heading.map(|heading| self.folded[heading].as_str()));
            let lead = at.and_then(|at| self.structure.leads[at]).map(|lead| &self.sections[lead]);
            let lead = lead.and_then(|lead| lead.heading);
            path.extend(lead.map(|heading| self.folded[heading].as_str()));
            at = section.parent;
        }
        let file = key::fold(file);
        path.push(&file);
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

    /// Adds check items, whose depth counts from `outermost`. Those that a checklist has no room for are kept as
    /// text (ADR 0039).
    fn items(
        &self,
        task: &mut Task,
        boxes: Range<usize>,
        outermost: u32,
        keys: &mut Counter,
        gatherer: &mut Gatherer<'_>,
    ) {
        let room = limits::ITEMS_PER_TASK.max - task.items.len();
        let boxes = &self.outline.boxes[boxes];
        let (fitting, surplus) = boxes.split_at(room.min(boxes.len()));
        keep_surplus(surplus, outermost, gatherer);
        for check in fitting {
            let signs = signs::read(&check.title);
            let bare = match &check.row {
                Some(name) => name.as_str(),
                None if signs.makes_task() => &signs.bare,
                None => intake::signed(&check.title).map_or(&*check.title, |(_, title)| title),
            };
            let key = keys.next(key::fold(bare));
            if signs.makes_task() {
                let message = "the dates and signs of an item have no place of their own: \
                               kept in its title";
                gatherer.remark(check.first, message.to_owned());
            }
            match check.mark {
                ' ' | '\t' => {}
                _ if check.is_checked => {}
                '\0' => gatherer.remark(check.first, not_ticked(check.mark)),
                mark => gatherer.remark(check.first, sign_kept(mark)),
            }
            let full = match check.row {
                Some(_) => check.title.clone(),
                None => intake::with_sign(check.mark, &check.title),
            };
            let title = match cut(&full, limits::ITEM_TITLE) {
                Some(cut) => {
                    gatherer.remark(check.first, cut.remark);
                    gatherer.whole(check.first, format!("item {key}"), &check.title);
                    cut.text
                }
                None => full,
            };
            let depth = check.depth.saturating_sub(outermost);
            let lines = check.first + 1..check.title_last + 2;
            task.items.push(Item { key, title, is_checked: check.is_checked, depth, lines });
        }
    }
}

/// The date of each section: from its own heading, else from the nearest enclosing one.
fn days(
    sections: &[Section],
    outline: &Outline,
    read_on: Option<Date>,
    remarks: &mut Vec<Remark>,
) -> Vec<Option<Date>> {
    let mut days: Vec<Option<Date>> = Vec::with_capacity(sections.len());
    for section in sections {
        let around = section.parent.and_then(|parent| days[parent]);
        let own = section.heading(outline).and_then(|heading| {
            let found = days::of_heading(&heading.text, around.map(Date::year), read_on);
            if let Leading::Impossible(text) = found {
                let message = format!("`{text}` is not a valid date: it stays in the text");
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
