//! What a correction takes from a task that was imported before.
//!
//! Nothing is deleted by an import, so what moves to another task is in both from then on. The plan
//! and the import say so, as long as it is so.

use std::collections::{BTreeMap, BTreeSet};

use dormouse_formats::plan::{Planned, Reading};
use dormouse_types::draft::Remark;
use dormouse_types::{Caller, draft};

use super::ImportFile;
use crate::{Dormouse, Error};

/// A task of a file from which lines move to another one.
#[derive(Debug)]
pub(super) struct Moved {
    key: String,
    line: usize,
    /// The keys of the items and entries that it loses.
    items: BTreeSet<String>,
    entries: BTreeSet<String>,
    /// Whether the whole task is part of another one.
    is_joined: bool,
}

/// The tasks of a reading from which corrections move lines to other tasks, in the order of the
/// text.
pub(super) fn between(reading: &Reading, planned: &Planned) -> Vec<Moved> {
    let now: BTreeMap<&str, &draft::Task> =
        planned.tasks.iter().map(|task| (task.draft.key.as_str(), &task.draft)).collect();
    let mut from = BTreeSet::new();
    for (before, after) in reading.places.iter().zip(&planned.places) {
        let (Some(origin), Some(owner)) = (before.task, after.task) else { continue };
        if reading.tasks[origin].key != planned.tasks[owner].draft.key {
            from.insert(origin);
        }
    }
    let moved = from.into_iter().map(|at| {
        let task = &reading.tasks[at];
        let rest = now.get(task.key.as_str());
        let items = rest.into_iter().flat_map(|rest| rest.items.iter().map(|item| &item.key));
        let entries = rest.into_iter().flat_map(|rest| rest.entries.iter().map(|entry| &entry.key));
        let (items, entries): (BTreeSet<_>, BTreeSet<_>) = (items.collect(), entries.collect());
        let lost_items = task.items.iter().map(|item| &item.key);
        let lost_entries = task.entries.iter().map(|entry| &entry.key);
        Moved {
            key: task.key.clone(),
            line: task.line,
            items: lost_items.filter(|key| !items.contains(key)).cloned().collect(),
            entries: lost_entries.filter(|key| !entries.contains(key)).cloned().collect(),
            is_joined: rest.is_none(),
        }
    });
    moved.collect()
}

impl Dormouse {
    /// What of earlier imports is in two places after an import.
    pub(super) async fn doubled(
        &self,
        caller: &Caller,
        file: &ImportFile,
        moved: &[Moved],
    ) -> Result<Vec<Remark>, Error> {
        let mut remarks = Vec::new();
        for moved in moved {
            let items = moved.items.iter().map(String::as_str).collect();
            let entries = moved.entries.iter().map(String::as_str).collect();
            let (ws, key) = (caller.workspace, &moved.key);
            let held = self.journal.import_held(ws, &file.name, key, &items, &entries).await?;
            let Some(held) = held else { continue };
            let title = &held.title;
            let message = if moved.is_joined {
                format!(
                    "“{title}” was imported as a task of its own and stays one, although it is part \
                     of another task now; delete it if you do not want both"
                )
            } else if held.parts > 0 {
                let parts = match held.parts {
                    1 => "1 item or note stays".to_owned(),
                    n => format!("{n} items and notes stay"),
                };
                format!(
                    "{parts} in “{title}” from an earlier import, although they are in another task \
                     now; delete them there if you do not want both"
                )
            } else {
                continue;
            };
            remarks.push(Remark { line: moved.line, message });
        }
        Ok(remarks)
    }
}
