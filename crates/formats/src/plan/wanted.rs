//! Corrections by line: those of a person, and those of earlier imports found again by their keys.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use dormouse_types::limits;

use super::correction::{Anchor, Correction, CorrectionError, Edit, Kept, KeptEdit};
use super::sheet::{Pieces, words};
use super::{Reading, Role};
use crate::markdown::key::fold;

/// The kinds of edits; of one kind, a line has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Slot {
    Role,
    Split,
    Join,
    LeaveOut,
    LeaveOutTask,
    PutBack,
    Rename,
    RenameTask,
    Agent,
    Category,
    Starred,
    Private,
}

fn slot(edit: &Edit) -> Slot {
    match edit {
        Edit::SetRole { role: Role::Task } | Edit::Split => Slot::Split,
        Edit::SetRole { role: Role::LeftOut } | Edit::LeaveOut => Slot::LeaveOut,
        Edit::SetRole { .. } => Slot::Role,
        Edit::Join => Slot::Join,
        Edit::LeaveOutTask => Slot::LeaveOutTask,
        Edit::PutBack => Slot::PutBack,
        Edit::Rename { .. } => Slot::Rename,
        Edit::RenameTask { .. } => Slot::RenameTask,
        Edit::SetAgent { .. } => Slot::Agent,
        Edit::SetCategory { .. } => Slot::Category,
        Edit::SetStarred { .. } => Slot::Starred,
        Edit::SetPrivate { .. } => Slot::Private,
    }
}

/// Whether an edit is about the task of its line, not about the line.
fn is_of_task(slot: Slot) -> bool {
    match slot {
        Slot::Join
        | Slot::LeaveOutTask
        | Slot::RenameTask
        | Slot::Agent
        | Slot::Category
        | Slot::Starred
        | Slot::Private => true,
        Slot::Role | Slot::Split | Slot::LeaveOut | Slot::PutBack | Slot::Rename => false,
    }
}

/// Where an edit comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EditSource {
    /// The person, now.
    Now,
    /// An earlier import. It is passed over where the text no longer has what it is about.
    Earlier,
}

/// All edits, by line counted from 0 and by kind.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    edits: BTreeMap<(usize, Slot), (Edit, EditSource)>,
    /// Those of earlier imports whose place the text does not have now.
    unfound: Vec<KeptEdit>,
}

impl Wanted {
    /// The edit of a kind at a line.
    pub fn at(&self, line: usize, slot: Slot) -> Option<&Edit> {
        self.edits.get(&(line, slot)).map(|(edit, _)| edit)
    }

    /// All edits of a kind, in the order of the lines.
    pub fn of(&self, slot: Slot) -> impl Iterator<Item = (usize, &Edit, EditSource)> {
        let all = self.edits.iter().filter(move |((_, kind), _)| *kind == slot);
        all.map(|(&(line, _), (edit, source))| (line, edit, *source))
    }

    /// The lines that have edits of their own, as opposed to edits of their task.
    pub fn lines(&self) -> impl Iterator<Item = usize> {
        self.edits.keys().filter(|(_, slot)| !is_of_task(*slot)).map(|&(line, _)| line)
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// Collects and checks all edits.
    pub fn collect(
        index: &Index<'_>,
        kept: &Kept,
        corrections: &[Correction],
    ) -> Result<Self, CorrectionError> {
        let mut now: BTreeMap<(usize, Slot), Edit> = BTreeMap::new();
        for correction in corrections {
            let lines = index.reading.places.len();
            let line = correction.line;
            let at = line.checked_sub(1).filter(|&at| at < lines);
            let at = at.ok_or(CorrectionError::NoLine { line, lines })?;
            let edit = normal(line, index.reading.places[at].role, &correction.edit)?;
            let slot = slot(&edit);
            index.check(at, slot)?;
            if now.get(&(at, slot)).is_some_and(|other| *other != edit) {
                return Err(CorrectionError::Contradiction { line });
            }
            now.insert((at, slot), edit);
        }
        let mut wanted = Self::default();
        for edit in &kept.edits {
            match index.find(&edit.at) {
                Some(at) => {
                    let slot = slot(&edit.edit);
                    let is_back = now.contains_key(&(at, Slot::PutBack));
                    if !is_back && index.check(at, slot).is_ok() {
                        wanted.edits.insert((at, slot), (edit.edit.clone(), EditSource::Earlier));
                    }
                }
                None => wanted.unfound.push(edit.clone()),
            }
        }
        for (place, edit) in now {
            wanted.edits.insert(place, (edit, EditSource::Now));
        }
        wanted.edits.retain(|&(line, slot), _| {
            let begins = index.reading.places[line].role == Role::Task;
            // A line that begins a task already needs no split.
            slot != Slot::PutBack && !(slot == Slot::Split && begins)
        });
        wanted.gather(index)?;
        Ok(wanted)
    }

    /// Moves the edits of a task or an item to the line that it begins on, so that there is one of
    /// each kind. A task that is split keeps them where they are: each part may have its own.
    fn gather(&mut self, index: &Index<'_>) -> Result<(), CorrectionError> {
        let split = self.split(index);
        for ((line, slot), (edit, source)) in std::mem::take(&mut self.edits) {
            let task = index.reading.places[line].task.filter(|task| !split.contains(task));
            let first = task.and_then(|task| index.reading.tasks[task].line.checked_sub(1));
            let at = first.filter(|_| is_of_task(slot)).unwrap_or_else(|| index.first_line(line));
            // Another task may be on the line on which this one begins.
            match (index.check(at, slot), source) {
                (Err(error), EditSource::Now) => return Err(error),
                (Err(_), EditSource::Earlier) => continue,
                (Ok(()), EditSource::Now | EditSource::Earlier) => {}
            }
            match self.edits.get(&(at, slot)) {
                Some((other, EditSource::Now)) if source == EditSource::Now && *other != edit => {
                    return Err(CorrectionError::Contradiction { line: line + 1 });
                }
                Some((_, EditSource::Now)) => {}
                Some((_, EditSource::Earlier)) | None => {
                    self.edits.insert((at, slot), (edit, source));
                }
            }
        }
        Ok(())
    }

    /// The tasks that are split.
    fn split(&self, index: &Index<'_>) -> BTreeSet<usize> {
        let lines = self.of(Slot::Split).map(|(line, _, _)| line);
        lines.filter_map(|line| index.reading.places[line].task).collect()
    }

    /// The edits in terms of import keys.
    pub fn kept(&self, index: &Index<'_>) -> Vec<KeptEdit> {
        let split = self.split(index);
        let mut kept: BTreeMap<(Anchor, Slot), Edit> = BTreeMap::new();
        for (&(line, slot), (edit, _)) in &self.edits {
            let task = index.reading.places[line].task;
            let is_whole = task.is_none_or(|task| !split.contains(&task));
            let own = || index.anchors.get(&line).cloned();
            let at = if is_of_task(slot) && is_whole {
                index.task(line).or_else(own)
            } else {
                own().or_else(|| index.task(line))
            };
            kept.extend(at.map(|at| ((at, slot), edit.clone())));
        }
        // Those of a text that comes no more would otherwise grow with every version of the list.
        let room = limits::CORRECTIONS.max.saturating_sub(kept.len());
        for edit in self.unfound.iter().rev().take(room) {
            kept.entry((edit.at.clone(), slot(&edit.edit))).or_insert_with(|| edit.edit.clone());
        }
        kept.into_iter().map(|((at, _), edit)| KeptEdit { at, edit }).collect()
    }
}

/// The tasks that an edit names, by a line or by their key.
pub(super) fn named(
    reading: &Reading,
    kept: &[KeptEdit],
    corrections: &[Correction],
) -> BTreeSet<usize> {
    let keys: BTreeSet<&str> = kept
        .iter()
        .filter_map(|edit| match &edit.at {
            Anchor::Task { task } | Anchor::Item { task, .. } | Anchor::Text { task, .. } => {
                Some(task.as_str())
            }
            Anchor::Category { .. } => None,
        })
        .collect();
    let by_key = reading.tasks.iter().enumerate();
    let by_key = by_key.filter(|(_, task)| keys.contains(task.key.as_str())).map(|(at, _)| at);
    let place = |line: usize| reading.places.get(line.checked_sub(1)?);
    let by_line = corrections.iter().filter_map(|correction| place(correction.line)?.task);
    by_key.chain(by_line).collect()
}

/// One way to say each thing, with its values checked.
fn normal(line: usize, now: Role, edit: &Edit) -> Result<Edit, CorrectionError> {
    let titled = |title: &str| {
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        if title.is_empty() {
            return Err(CorrectionError::NoWords { line });
        }
        let checked = limits::TITLE.check(title.chars().count());
        checked.map_err(|source| CorrectionError::Limit { line, source })?;
        Ok(title)
    };
    Ok(match edit {
        Edit::SetRole { role } => match role {
            Role::Task => Edit::Split,
            Role::LeftOut => Edit::LeaveOut,
            // What no longer begins a task is a part of the one above.
            Role::Note if now == Role::Task => Edit::Join,
            Role::Item | Role::Note if now != Role::Task => edit.clone(),
            Role::Due => edit.clone(),
            Role::Category if now == Role::Task => edit.clone(),
            Role::Item
            | Role::Note
            | Role::Category
            | Role::Parent
            | Role::Field
            | Role::Markup
            | Role::Skipped
            | Role::Blank => return Err(CorrectionError::NotSettable { line, role: *role }),
        },
        Edit::Rename { title } => Edit::Rename { title: titled(title)? },
        Edit::RenameTask { title } => Edit::RenameTask { title: titled(title)? },
        Edit::SetCategory { category: Some(name) } => {
            let name = titled(name)?;
            let checked = limits::LABEL_NAME.check(name.chars().count());
            checked.map_err(|source| CorrectionError::Limit { line, source })?;
            Edit::SetCategory { category: Some(name) }
        }
        Edit::SetCategory { category: None }
        | Edit::Split
        | Edit::Join
        | Edit::LeaveOut
        | Edit::LeaveOutTask
        | Edit::PutBack
        | Edit::SetAgent { .. }
        | Edit::SetStarred { .. }
        | Edit::SetPrivate { .. } => edit.clone(),
    })
}

/// Where the things of a reading stand.
pub(super) struct Index<'a> {
    pub reading: &'a Reading,
    /// The anchor of each line that is a thing of its own.
    anchors: BTreeMap<usize, Anchor>,
    by_anchor: BTreeMap<Anchor, usize>,
    by_task: HashMap<&'a str, usize>,
    /// The lines that say when a task is due and are no text.
    fields: BTreeSet<usize>,
    /// How many tasks are on a line, where there are several, as in JSON. Lines count from 1.
    n_tasks: BTreeMap<usize, usize>,
}

impl<'a> Index<'a> {
    pub fn new(lines: &[&str], reading: &'a Reading, pieces: &[Pieces]) -> Self {
        let mut anchors = BTreeMap::new();
        let mut by_anchor = BTreeMap::new();
        let mut fields = BTreeSet::new();
        for pieces in pieces {
            let task = &pieces.task.key;
            for piece in &pieces.items {
                let anchor = Anchor::Item { task: task.clone(), item: piece.item.key.clone() };
                if let Some(&first) = piece.lines.first() {
                    by_anchor.insert(anchor.clone(), first);
                }
                anchors.extend(piece.lines.iter().map(|&line| (line, anchor.clone())));
            }
            let mut seen: HashMap<String, usize> = HashMap::new();
            for line in pieces.texts.iter().flat_map(|piece| &piece.lines) {
                let Some(from) = line.from else { continue };
                let text = fold(&line.text);
                let number = seen.entry(text.clone()).or_default();
                *number += 1;
                let anchor = Anchor::Text { task: task.clone(), text, number: *number };
                by_anchor.insert(anchor.clone(), from);
                anchors.insert(from, anchor);
            }
        }
        // A line belongs to one task; those that have none are on the line of another.
        let mut n_tasks: BTreeMap<usize, usize> = BTreeMap::new();
        let with_lines: HashSet<usize> =
            reading.places.iter().filter_map(|place| place.task).collect();
        let without = reading.tasks.iter().enumerate().filter(|(at, _)| !with_lines.contains(at));
        for (_, task) in without {
            *n_tasks.entry(task.line).or_insert(1) += 1;
        }
        for (number, place) in reading.places.iter().enumerate() {
            match (place.role, place.task.and_then(|task| reading.tasks.get(task))) {
                (Role::Task, Some(task)) => {
                    anchors.insert(number, Anchor::Task { task: task.key.clone() });
                }
                (Role::Category, _) => {
                    let anchor = Anchor::Category { text: fold(words(lines[number])) };
                    by_anchor.entry(anchor.clone()).or_insert(number);
                    anchors.insert(number, anchor);
                }
                (Role::Due, Some(task)) if !anchors.contains_key(&number) => {
                    let text = fold(lines[number]);
                    let anchor = Anchor::Text { task: task.key.clone(), text, number: 0 };
                    by_anchor.entry(anchor.clone()).or_insert(number);
                    anchors.insert(number, anchor);
                    fields.insert(number);
                }
                (
                    Role::Task
                    | Role::Parent
                    | Role::Item
                    | Role::Note
                    | Role::Due
                    | Role::Field
                    | Role::Markup
                    | Role::Skipped
                    | Role::LeftOut
                    | Role::Blank,
                    _,
                ) => {}
            }
        }
        let by_task = reading.tasks.iter().enumerate().map(|(at, task)| (task.key.as_str(), at));
        Self { reading, anchors, by_anchor, by_task: by_task.collect(), fields, n_tasks }
    }

    fn task(&self, line: usize) -> Option<Anchor> {
        let task = self.reading.tasks.get(self.reading.places[line].task?)?;
        Some(Anchor::Task { task: task.key.clone() })
    }

    /// The first line of the item or task that a line is the title of; else the line.
    fn first_line(&self, line: usize) -> usize {
        match self.anchors.get(&line) {
            Some(anchor @ (Anchor::Task { .. } | Anchor::Item { .. })) => {
                self.find(anchor).unwrap_or(line)
            }
            Some(Anchor::Text { .. } | Anchor::Category { .. }) | None => line,
        }
    }

    fn find(&self, anchor: &Anchor) -> Option<usize> {
        match anchor {
            Anchor::Task { task } => {
                let task = &self.reading.tasks[*self.by_task.get(task.as_str())?];
                task.line.checked_sub(1).filter(|&line| line < self.reading.places.len())
            }
            Anchor::Item { .. } | Anchor::Text { .. } | Anchor::Category { .. } => {
                self.by_anchor.get(anchor).copied()
            }
        }
    }

    /// Checks that an edit of a kind can be made at a line.
    fn check(&self, at: usize, slot: Slot) -> Result<(), CorrectionError> {
        let (line, role) = (at + 1, self.reading.places[at].role);
        let has_task = self.reading.places[at].task.is_some();
        let wrong = |allowed| Err(CorrectionError::WrongRole { line, role, allowed });
        // Front matter is not where a task begins, whatever of it is kept as text.
        let task = self.reading.places[at].task.and_then(|task| self.reading.tasks.get(task));
        let is_above = role != Role::Item && task.is_some_and(|task| line < task.line);
        if slot == Slot::Split && is_above {
            return Err(CorrectionError::NotAlone { line });
        }
        if let Some(&tasks) = self.n_tasks.get(&line).filter(|_| slot != Slot::PutBack) {
            return Err(CorrectionError::ManyTasks { line, tasks });
        }
        match (slot, role) {
            (Slot::PutBack, _) => Ok(()),
            (Slot::LeaveOut | Slot::Rename | Slot::Category, Role::Category) => Ok(()),
            (
                Slot::Join
                | Slot::LeaveOutTask
                | Slot::RenameTask
                | Slot::Agent
                | Slot::Category
                | Slot::Starred
                | Slot::Private,
                _,
            ) => {
                if has_task {
                    Ok(())
                } else {
                    Err(CorrectionError::NoTask { line, role })
                }
            }
            (Slot::LeaveOut | Slot::Rename | Slot::Split | Slot::Role, Role::Task) if has_task => {
                Ok(())
            }
            (Slot::Split, Role::Due) if self.fields.contains(&at) => {
                Err(CorrectionError::NotAlone { line })
            }
            (Slot::LeaveOut | Slot::Split | Slot::Role, Role::Due) if has_task => Ok(()),
            (Slot::LeaveOut | Slot::Rename | Slot::Split | Slot::Role, Role::Item | Role::Note) => {
                if self.anchors.contains_key(&at) {
                    Ok(())
                } else {
                    Err(CorrectionError::NotAlone { line })
                }
            }
            (
                Slot::LeaveOut | Slot::Rename | Slot::Split | Slot::Role,
                Role::Category
                | Role::Parent
                | Role::Task
                | Role::Due
                | Role::Field
                | Role::Markup
                | Role::Skipped
                | Role::LeftOut
                | Role::Blank,
            ) => wrong("task, item and note"),
        }
    }
}
