//! A file as the tasks it becomes, before anything is written.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use dormouse_formats::csv::Columns;
use dormouse_formats::intake::ReadOptions;
use dormouse_formats::plan::{
    self, Agent, Format, Kept, Place, Planned, PlannedTask, Role, deserves_agent,
};
use dormouse_journal::Known;
use dormouse_types::task::{Priority, Status};
use dormouse_types::{Digest, TaskId, hash};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::{ImportFile, ImportOptions};
use crate::view::ImportOutcome;
use crate::{Dormouse, Error};

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
    /// How many checklist items it has.
    pub items: usize,
    /// How many of them are ticked.
    pub checked_items: usize,
    /// How many notes it has.
    pub notes: usize,
    /// Whether it has plenty to read for an agent.
    pub suggests_agent: bool,
    /// Whether it gets an agent, if a person chose.
    pub agent: Option<Agent>,
    /// What the import would do: `updated` means that the file has other content than at its last
    /// import; values changed here since then stay.
    pub outcome: ImportOutcome,
    /// The task that it was imported as before.
    pub task_id: Option<TaskId>,
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
    /// The request that kept them; the same request goes on with what it began.
    confirmed: Option<Digest>,
}

/// What a plan is made of, besides the corrections of the request.
pub(super) struct Base {
    /// The digest of all of it.
    pub(super) digest: Digest,
    stored: Option<String>,
    corrections: Corrections,
    file: String,
}

impl Base {
    pub(super) fn new(
        file: &ImportFile,
        reading: &plan::Options,
        stored: Option<String>,
    ) -> Result<Self, Error> {
        let corrections: Corrections = match &stored {
            None => Corrections::default(),
            Some(value) => serde_json::from_str(value).map_err(|source| {
                let (what, id) = ("import correction", file.name.clone());
                dormouse_journal::JournalError::Stored { what, id, source }
            })?,
        };
        let kept = hash::canonical(&corrections.kept).expect("corrections are plain data");
        let read = plan::digest(&file.name, &file.bytes, reading);
        let digest = hash::joined(&["import", read.as_str(), hash::sha256(kept).as_str()]);
        Ok(Self { digest, stored, corrections, file: file.name.clone() })
    }

    /// The corrections that hold already.
    pub(super) fn kept(&self) -> Kept {
        self.corrections.kept.clone()
    }

    /// The stored form of them.
    pub(super) fn stored(&self) -> Option<&str> {
        self.stored.as_deref()
    }

    /// Refuses a request that was made for another plan, unless it is the one that changed it.
    pub(super) fn check(&self, options: &ImportOptions) -> Result<(), Error> {
        let Some(digest) = &options.digest else { return Ok(()) };
        let goes_on = || self.corrections.confirmed == Some(confirmed(digest, options));
        if *digest == self.digest || goes_on() {
            Ok(())
        } else {
            Err(Error::PlanChanged { file: self.file.clone() })
        }
    }

    /// What to keep before the plan is written; `None` if it is kept already.
    pub(super) fn to_keep(&self, options: &ImportOptions, planned: &Planned) -> Option<String> {
        let goes_on = options.digest.as_ref().is_some_and(|digest| *digest != self.digest);
        if planned.kept == self.corrections.kept || goes_on {
            return None;
        }
        let confirmed = options.digest.as_ref().map(|digest| confirmed(digest, options));
        let corrections = Corrections { kept: planned.kept.clone(), confirmed };
        Some(serde_json::to_string(&corrections).expect("corrections are plain data"))
    }
}

/// Identifies a plan with its corrections.
fn confirmed(digest: &Digest, options: &ImportOptions) -> Digest {
    let corrections = hash::canonical(&options.corrections).expect("corrections are plain data");
    hash::joined(&["confirmed", digest.as_str(), hash::sha256(corrections).as_str()])
}

/// A plan with what the file said where a person changed it.
pub(super) struct Made {
    pub(super) planned: Planned,
    /// For each line that begins a task, its title in the file.
    read_titles: BTreeMap<usize, String>,
}

impl Dormouse {
    /// How a file is read. Words such as "by Friday" are read on the day of the import that first
    /// has them; what they meant then is kept with the corrections, so that the same file says the
    /// same day a week later.
    pub(super) fn reading(&self, options: &ImportOptions) -> plan::Options {
        let today = self.clock.now().day_in(&self.zone);
        let zone = self.zone.clone();
        let read = ReadOptions { order: options.day_order, today: Some(today), zone };
        plan::Options { format: options.format, read, columns: options.columns.clone() }
    }

    /// Reads and corrects a file where it does not keep other requests waiting.
    pub(super) async fn made(
        &self,
        file: &ImportFile,
        options: &ImportOptions,
        kept: Kept,
    ) -> Result<Made, Error> {
        let made = Arc::new(Mutex::new(None));
        let job = {
            let (made, file, options) = (made.clone(), file.clone(), options.clone());
            let reading = self.reading(&options);
            move || {
                let plan = make(&file, &options, &reading, &kept);
                *made.lock().unwrap_or_else(PoisonError::into_inner) = Some(plan);
            }
        };
        self.compute.run(Box::new(job)).await;
        let made = made.lock().unwrap_or_else(PoisonError::into_inner).take();
        made.unwrap_or(Err(Error::Ended { what: "the reading of the file" }))
    }
}

fn make(
    file: &ImportFile,
    options: &ImportOptions,
    reading: &plan::Options,
    kept: &Kept,
) -> Result<Made, Error> {
    let read = plan::read(&file.name, &file.bytes, reading)?;
    let text = plan::decode(&file.name, &file.bytes)?;
    let planned = plan::apply(&text, &read, kept, &options.corrections)?;
    let read_titles = read.tasks.into_iter().map(|task| (task.line, task.title)).collect();
    Ok(Made { planned, read_titles })
}

/// A plan as it is shown.
pub(super) fn view(file: &str, digest: Digest, made: Made, known: Vec<Known>) -> ImportPlan {
    let Made { planned, mut read_titles } = made;
    let tasks = planned.tasks.into_iter().zip(known).map(|(task, known)| {
        let read = read_titles.remove(&task.draft.line);
        let read_title = read.filter(|title| *title != task.draft.title);
        task_view(task, read_title, known)
    });
    let remarks = planned.remarks.into_iter();
    ImportPlan {
        file: file.to_owned(),
        format: planned.format,
        digest,
        lines: runs(&planned.places),
        tasks: tasks.collect(),
        remarks: remarks.map(|at| ImportRemark { line: at.line, message: at.message }).collect(),
        sheet: planned.sheet,
    }
}

fn task_view(task: PlannedTask, read_title: Option<String>, known: Known) -> TaskPlan {
    let (outcome, task_id) = match known {
        Known::New => (ImportOutcome::Created, None),
        Known::Same(task) => (ImportOutcome::Unchanged, Some(task)),
        Known::Other(task) => (ImportOutcome::Updated, Some(task)),
    };
    let suggests_agent = deserves_agent(&task.draft) == Agent::Give;
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
        items: draft.items.len(),
        checked_items: draft.items.iter().filter(|item| item.is_checked).count(),
        notes: draft.entries.len(),
        suggests_agent,
        agent,
        outcome,
        task_id,
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
