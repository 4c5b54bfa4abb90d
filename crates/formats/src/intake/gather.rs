//! Collects the tasks of a text and gives each line its place.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use dormouse_types::draft::{Remark, Task};

use super::key::Keys;
use super::{Draft, Lines, ReadError};
use crate::reading::{Format, MAX_TASKS, MovingDay, Place, ReadOptions, Reading, Role};

/// Tasks, places and remarks of one text. Lines count from 0 until [`Self::finish`].
pub(crate) struct Gather<'n> {
    name: &'n str,
    options: &'n ReadOptions,
    tasks: Vec<Task>,
    places: Vec<(Role, Option<u32>)>,
    remarks: BTreeMap<String, (usize, usize)>,
    keys: Keys,
    moving: Vec<MovingDay>,
}

impl<'n> Gather<'n> {
    /// Begins a text; lines without a claim are markup, or blank.
    pub fn new(name: &'n str, lines: &Lines<'_>, options: &'n ReadOptions) -> Self {
        let unclaimed = |line| match lines.line(line).trim().is_empty() {
            true => (Role::Blank, None),
            false => (Role::Markup, None),
        };
        Self {
            name,
            options,
            tasks: Vec::new(),
            places: (0..lines.len()).map(unclaimed).collect(),
            remarks: BTreeMap::new(),
            keys: Keys::default(),
            moving: Vec::new(),
        }
    }

    /// Gives lines a place. Of several claims on a line, the one that says more about it holds.
    pub fn claim(&mut self, lines: RangeInclusive<usize>, role: Role, task: Option<usize>) {
        let task = task.and_then(|task| u32::try_from(task).ok());
        for place in self.places.get_mut(lines).into_iter().flatten() {
            if weight(role) > weight(place.0) {
                *place = (role, task);
            }
        }
    }

    /// Tells the person about a line. The same message is shown once, with the number of lines.
    pub fn say(&mut self, line: usize, message: impl Into<String>) {
        self.remarks.entry(message.into()).or_insert((line, 0)).1 += 1;
    }

    /// Adds a task under a key that is made unique by a number.
    ///
    /// Errors: there are too many; the reading was cancelled.
    pub fn add(&mut self, line: usize, key: String, mut draft: Draft) -> Result<usize, ReadError> {
        if self.options.cancel.is_cancelled() {
            return Err(ReadError::Cancelled { name: self.name.to_owned() });
        }
        if self.tasks.len() == MAX_TASKS {
            let name = self.name.to_owned();
            return Err(ReadError::TooMany { name, what: "tasks", max: MAX_TASKS });
        }
        draft.task.key = self.keys.unique(key);
        draft.task.line = line + 1;
        if let (Some(words), Some(day)) = (draft.due_words.take(), draft.task.due_on) {
            self.moving.push(MovingDay { task: self.tasks.len(), words, day });
        }
        let (task, moved) = draft.finish();
        for message in moved {
            self.say(line, message);
        }
        self.tasks.push(task);
        Ok(self.tasks.len() - 1)
    }

    pub fn has_tasks(&self) -> bool {
        !self.tasks.is_empty()
    }

    /// The whole reading.
    pub fn finish(self, format: Format) -> Reading {
        let places = self.places.into_iter().zip(1..);
        let mut remarks: Vec<Remark> = self
            .remarks
            .into_iter()
            .map(|(message, (line, n))| Remark {
                line: line + 1,
                message: match n {
                    1 => message,
                    2 => format!("{message} (also on one more line)"),
                    _ => format!("{message} (also on {} more lines)", n - 1),
                },
            })
            .collect();
        remarks.sort_by_key(|remark| remark.line);
        if self.tasks.is_empty() && remarks.is_empty() {
            remarks.push(Remark { line: 1, message: "there is nothing to import".to_owned() });
        }
        Reading {
            tasks: self.tasks,
            places: places
                .map(|((role, task), line)| Place {
                    line,
                    role,
                    task: task.map(|task| task as usize),
                })
                .collect(),
            remarks,
            moving: self.moving,
            ..Reading::of(format)
        }
    }
}

/// How much a role says about a line: a line that holds a whole task in one is the task's.
fn weight(role: Role) -> u8 {
    match role {
        Role::Blank => 0,
        Role::Markup => 1,
        Role::Skipped => 2,
        Role::Field => 3,
        Role::Due => 4,
        Role::Note => 5,
        Role::Item => 6,
        Role::Category | Role::Parent => 7,
        Role::LeftOut => 8,
        Role::Task => 9,
    }
}
