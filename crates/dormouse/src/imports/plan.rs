//! A file as the tasks it becomes, before anything is written.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use dormouse_formats::csv::{Column, Columns};
use dormouse_formats::intake::{Cancel, ReadOptions};
use dormouse_formats::plan::{
    self, AgentChoice, Format, Kept, Place, Planned, PlannedTask, Reading, Role, deserves_agent,
};
use dormouse_journal::{JournalError, Known};
use dormouse_types::task::{Priority, Status};
use dormouse_types::{Caller, Digest, TaskId, hash};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::moved::{self, Moved};
use super::{ImportFile, ImportOptions};
use crate::view::ImportOutcome;
use crate::{Dormouse, Error};

/// A decoded file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ImportText {
    /// Its text, with `\n` at the end of each line and without a byte order mark.
    pub text: String,
    /// The encoding that it was read in, where its bytes do not say it. Letters may be wrong then.
    pub guessed_encoding: Option<String>,
}

/// What an import of a file would write.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ImportPlan {
    /// The name of the file.
    pub file: String,
    /// What it is read as.
    pub format: Format,
    /// What the plan was made of: text, format, and the corrections of earlier imports.
    pub digest: Digest,
    /// The place of each line, as runs of lines in order; together they are the whole file.
    pub lines: Vec<LineRun>,
    /// The tasks, in the order of the file.
    pub tasks: Vec<TaskPlan>,
    /// What was not understood, or is kept elsewhere than the file has it.
    pub remarks: Vec<ImportRemark>,
    /// The columns of a sheet and what they are taken for; none for another format.
    pub sheet: Option<Columns>,
}

/// Consecutive lines with the same place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LineRun {
    /// The first line, from 1.
    pub from: usize,
    /// The last line.
    pub to: usize,
    /// What the lines are.
    pub role: Role,
    /// The task they belong to, as an index into `tasks`.
    pub task: Option<usize>,
}

/// A task to write.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TaskPlan {
    /// The line it begins on, from 1.
    pub line: usize,
    /// Its title; empty for an untitled task.
    pub title: String,
    /// The title that the file gives it, if a person renamed it.
    pub read_title: Option<String>,
    /// The status, if the file states one.
    pub status: Option<Status>,
    /// The reason of a blocked or on-hold task.
    pub status_reason: Option<String>,
    /// The priority, if the file states one.
    pub priority: Option<Priority>,
    /// The due day.
    pub due_on: Option<Date>,
    /// Units: minutes.
    pub estimate_minutes: Option<u32>,
    /// The category's name.
    pub category: Option<String>,
    /// The labels' names.
    pub labels: Vec<String>,
    /// Whether it is starred.
    pub starred: bool,
    /// Whether it is private, with all that belongs to it.
    pub private: bool,
    /// How many checklist items it has.
    pub items: usize,
    /// How many of them are ticked.
    pub checked_items: usize,
    /// How many notes it has.
    pub notes: usize,
    /// Whether it has a lot of text for an agent.
    pub suggests_agent: bool,
    /// Whether it gets an agent, if a person chose.
    pub agent: Option<AgentChoice>,
    /// What the import would do.
    pub outcome: ImportOutcome,
    /// The task that it was imported as before.
    pub task_id: Option<TaskId>,
    /// What of that task would be changed, such as `dueDate`, `item Tape` or `note "The van…"`.
    pub changes: Vec<String>,
    /// What the file has other values for, and would stay because it was changed here.
    pub kept: Vec<String>,
}

/// A remark about a line of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ImportRemark {
    /// The line, from 1.
    pub line: usize,
    /// What was found, and how it is treated.
    pub message: String,
}

/// The corrections of a file's earlier imports, as the journal keeps them.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Corrections {
    kept: Kept,
    /// What a person said of the columns of a sheet, by their names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    columns: Vec<(String, Column)>,
    /// The request that kept them; the same request goes on with what it began.
    confirmed: Option<Digest>,
}

/// What a file is read for.
#[derive(Debug, Clone, Copy)]
pub(super) enum ReadPurpose {
    /// To show its plan.
    Plan,
    /// To write its tasks.
    Write,
}

/// What a plan is made of, besides the corrections of the request.
pub(super) struct Base {
    /// The digest of all of it.
    pub(super) digest: Digest,
    /// The digest of the text and of the way it is read, on whatever day.
    text: Digest,
    /// How the file is read.
    pub(super) reading: plan::Options,
    stored: Option<String>,
    corrections: Corrections,
    /// Whether the row of the corrections cannot be read.
    is_damaged: bool,
    file: String,
}

impl Base {
    pub(super) fn new(
        file: &ImportFile,
        reading: plan::Options,
        stored: Option<String>,
        has_eyes: bool,
    ) -> Result<Self, JournalError> {
        let mut is_damaged = false;
        let corrections: Corrections = match stored.as_deref().map(serde_json::from_str) {
            None => Corrections::default(),
            Some(Ok(corrections)) => corrections,
            // The plan says it, and what the person then confirms takes the place of the row.
            Some(Err(_)) if has_eyes => {
                is_damaged = true;
                Corrections::default()
            }
            Some(Err(source)) => {
                let (what, id) = ("import correction", file.name.clone());
                return Err(JournalError::Stored { what, id, source });
            }
        };
        let kept = hash::canonical(&corrections.kept).expect("corrections are plain data");
        let known_columns = corrections.columns.clone();
        let reading = plan::Options { known_columns, ..reading };
        let read = plan::digest(&file.name, &file.bytes, &reading);
        let digest = hash::joined(&["import", read.as_str(), hash::sha256(kept).as_str()]);
        let read = ReadOptions { today: None, ..reading.read.clone() };
        // What is known of the columns changes with the request that says it.
        let known_columns = Vec::new();
        let whatever_day = plan::Options { read, known_columns, ..reading.clone() };
        let text = plan::digest(&file.name, &file.bytes, &whatever_day);
        let file = file.name.clone();
        Ok(Self { digest, text, reading, stored, corrections, is_damaged, file })
    }

    /// The corrections that hold already.
    fn kept(&self) -> Kept {
        self.corrections.kept.clone()
    }

    /// The stored form of them.
    pub(super) fn stored(&self) -> Option<&str> {
        self.stored.as_deref()
    }

    /// Refuses a request that was made for another plan, unless it is the one that changed it.
    pub(super) fn check(&self, options: &ImportOptions) -> Result<(), Error> {
        let Some(digest) = &options.digest else { return Ok(()) };
        let goes_on = || self.corrections.confirmed == Some(self.confirmed(digest, options));
        if *digest == self.digest || goes_on() {
            Ok(())
        } else {
            Err(Error::PlanChanged { file: self.file.clone() })
        }
    }

    /// What to keep before the plan is written; `None` if it is kept already.
    pub(super) fn to_keep(&self, options: &ImportOptions, planned: &Planned) -> Option<String> {
        let goes_on = options.digest.as_ref().is_some_and(|digest| *digest != self.digest);
        // The row of a confirmed plan also says that a person looked: see `Dormouse::reading`.
        let is_first_look = (self.stored.is_none() || self.is_damaged) && options.digest.is_some();
        // What a person saw and accepted holds, also where it was a guess that a longer sheet would change.
        let columns = match &planned.sheet {
            Some(sheet) if options.digest.is_some() => {
                let columns = sheet.columns.iter();
                columns.map(|guess| (guess.name.clone(), guess.column)).collect()
            }
            Some(_) | None => self.corrections.columns.clone(),
        };
        let is_same = planned.kept == self.corrections.kept && columns == self.corrections.columns;
        if goes_on || (is_same && !is_first_look) {
            return None;
        }
        let confirmed = options.digest.as_ref().map(|digest| self.confirmed(digest, options));
        let corrections = Corrections { kept: planned.kept.clone(), columns, confirmed };
        Some(serde_json::to_string(&corrections).expect("corrections are plain data"))
    }

    /// Identifies a request that confirms a plan: what the person saw, what they corrected, and the
    /// text, so that a request goes on only with what it began.
    fn confirmed(&self, digest: &Digest, options: &ImportOptions) -> Digest {
        let corrections = hash::canonical(&options.corrections);
        let corrections = hash::sha256(corrections.expect("corrections are plain data"));
        let parts = ["confirmed", digest.as_str(), corrections.as_str(), self.text.as_str()];
        hash::joined(&parts)
    }
}

/// A plan with what the file said where a person changed it.
pub(super) struct PlannedFile {
    pub(super) planned: Planned,
    /// For each line that begins tasks, their titles in the file.
    read_titles: BTreeMap<usize, Vec<String>>,
    /// The tasks of the file that a correction takes something from.
    pub(super) moved: Vec<Moved>,
    /// The keys of the tasks of the file that no task of the plan has any more.
    pub(super) corrected_keys: Vec<String>,
}

impl Dormouse {
    /// How a file is read.
    ///
    /// A day without a year, and a deadline in a sentence, are guesses that a person must see
    /// first: they are made in a plan, and in later imports of a file whose plan was confirmed.
    /// What words such as "by Friday" meant then is kept with the corrections, so that the same
    /// file says the same day a week later.
    fn reading(&self, options: &ImportOptions, is_seen: bool) -> plan::Options {
        let zone = self.zone.get();
        let read_on = Some(self.clock.now().day_in(&zone));
        let today = read_on.filter(|_| is_seen);
        let order = options.day_order;
        let read = ReadOptions { order, today, read_on, zone, ..ReadOptions::default() };
        plan::Options {
            format: options.format,
            read,
            columns: options.columns.clone(),
            known_columns: Vec::new(),
        }
    }

    /// What a plan of the file is made of, besides the corrections of the request.
    pub(super) async fn base(
        &self,
        caller: &Caller,
        file: &ImportFile,
        options: &ImportOptions,
        purpose: ReadPurpose,
    ) -> Result<Base, Error> {
        let stored = self.journal.import_corrections(caller.workspace, &file.name).await?;
        let has_eyes = match purpose {
            ReadPurpose::Plan => true,
            ReadPurpose::Write => options.digest.is_some(),
        };
        let reading = self.reading(options, has_eyes || stored.is_some());
        Ok(Base::new(file, reading, stored, has_eyes)?)
    }

    /// Reads and corrects a file where it does not keep other requests waiting.
    pub(super) async fn made(
        &self,
        file: &ImportFile,
        options: &ImportOptions,
        base: &Base,
    ) -> Result<PlannedFile, Error> {
        let made = Arc::new(Mutex::new(None));
        let wanted = Arc::new(());
        let job = {
            let (made, file, options) = (made.clone(), file.clone(), options.clone());
            let (reading, kept) = (base.reading.clone(), base.kept());
            // The caller holds it: a request that ended takes no more time.
            let held = Arc::downgrade(&wanted);
            let mut reading = reading;
            reading.read.cancel = Cancel::new(move || held.strong_count() == 0);
            move || {
                let plan = make(&file, &options, &reading, &kept);
                *made.lock().unwrap_or_else(PoisonError::into_inner) = Some(plan);
            }
        };
        self.compute.run(Box::new(job)).await;
        drop(wanted);
        let made = made.lock().unwrap_or_else(PoisonError::into_inner).take();
        made.unwrap_or(Err(Error::Ended { what: "the reading of the file" }))
    }
}

/// Reads and corrects a file. A reading that nobody waits for ends at the line it is at.
fn make(
    file: &ImportFile,
    options: &ImportOptions,
    reading: &plan::Options,
    kept: &Kept,
) -> Result<PlannedFile, Error> {
    if reading.read.cancel.is_cancelled() {
        return Err(Error::Ended { what: "the reading of the file" });
    }
    let read = plan::read(&file.name, &file.bytes, reading)?;
    corrected(file, options, read, kept)
}

fn corrected(
    file: &ImportFile,
    options: &ImportOptions,
    read: Reading,
    kept: &Kept,
) -> Result<PlannedFile, Error> {
    let text = plan::decode(&file.name, &file.bytes)?;
    let planned = plan::apply(&text, &read, kept, &options.corrections).map_err(|source| {
        let is_at = |correction: &plan::Correction| Some(correction.line) == source.line();
        Error::Correction { index: options.corrections.iter().rposition(is_at), source }
    })?;
    let moved = moved::between(&read, &planned);
    let mut read_titles: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    let mut corrected_keys = Vec::new();
    {
        let planned: BTreeSet<&str> =
            planned.tasks.iter().map(|task| task.draft.key.as_str()).collect();
        for task in read.tasks {
            read_titles.entry(task.line).or_default().push(task.title);
            if !planned.contains(task.key.as_str()) {
                corrected_keys.push(task.key);
            }
        }
    }
    Ok(PlannedFile { planned, read_titles, moved, corrected_keys })
}

/// A plan as it is shown.
pub(super) fn view(base: &Base, made: PlannedFile, known: Vec<Known>) -> ImportPlan {
    let PlannedFile { planned, mut read_titles, moved: _, corrected_keys: _ } = made;
    let damaged = base.is_damaged.then(|| ImportRemark {
        line: 1,
        message: "earlier corrections of this file cannot be read and are ignored".into(),
    });
    let tasks = planned.tasks.into_iter().zip(known).map(|(task, known)| {
        // A task among several on a line cannot be renamed.
        let read = read_titles.remove(&task.draft.line).filter(|titles| titles.len() == 1);
        let read = read.and_then(|titles| titles.into_iter().next());
        let read_title = read.filter(|title| *title != task.draft.title);
        task_view(task, read_title, known)
    });
    let remarks = planned.remarks.into_iter();
    ImportPlan {
        file: base.file.clone(),
        format: planned.format,
        digest: base.digest.clone(),
        lines: runs(&planned.places),
        tasks: tasks.collect(),
        remarks: damaged
            .into_iter()
            .chain(remarks.map(|at| ImportRemark { line: at.line, message: at.message }))
            .collect(),
        sheet: planned.sheet,
    }
}

fn task_view(task: PlannedTask, read_title: Option<String>, known: Known) -> TaskPlan {
    let Known { task: task_id, changes, kept } = known;
    let outcome = match &task_id {
        None => ImportOutcome::Created,
        Some(_) if changes.is_empty() => ImportOutcome::Unchanged,
        Some(_) => ImportOutcome::Updated,
    };
    let suggests_agent = deserves_agent(&task.draft) == AgentChoice::Give;
    let PlannedTask { draft, agent } = task;
    TaskPlan {
        line: draft.line,
        title: draft.title,
        read_title,
        status: draft.status,
        status_reason: draft.status_reason,
        priority: draft.priority,
        due_on: draft.due_on,
        estimate_minutes: draft.estimate_minutes,
        category: draft.category,
        labels: draft.labels,
        starred: draft.flags.starred,
        private: draft.flags.private,
        items: draft.items.len(),
        checked_items: draft.items.iter().filter(|item| item.is_checked).count(),
        notes: draft.entries.len(),
        suggests_agent,
        agent,
        outcome,
        task_id,
        changes,
        kept,
    }
}

/// Merges consecutive lines with the same place: a file of a million items is then a few runs.
fn runs(places: &[Place]) -> Vec<LineRun> {
    let mut runs: Vec<LineRun> = Vec::new();
    for place in places {
        match runs.last_mut().filter(|run| run.role == place.role && run.task == place.task) {
            Some(run) => run.to = place.line,
            None => runs.push(LineRun {
                from: place.line,
                to: place.line,
                role: place.role,
                task: place.task,
            }),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn a_reading_that_nobody_waits_for_goes_no_further() {
        let file = ImportFile::new("list.md", b"# Move\n- [ ] Tape\n".as_slice());
        let (options, kept) = (ImportOptions::default(), Kept::default());
        // How many looks find somebody waiting.
        let made = |n_looks: usize| {
            let looks = AtomicUsize::new(0);
            let is_cancelled = move || looks.fetch_add(1, Ordering::Relaxed) >= n_looks;
            let cancel = Cancel::new(is_cancelled);
            let read = ReadOptions { cancel, ..ReadOptions::default() };
            let reading = plan::Options { read, ..plan::Options::default() };
            make(&file, &options, &reading, &kept).map(|made| made.planned.tasks.len())
        };
        assert!(matches!(made(0), Err(Error::Ended { .. })), "it waited for its turn");
        assert!(matches!(made(3), Err(Error::Import(_))), "it was reading");
        assert_eq!(made(usize::MAX).expect("a plan"), 1);
    }
}
