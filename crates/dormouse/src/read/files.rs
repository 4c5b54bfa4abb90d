//! Tasks as files in other formats, what such a file has no place for, and one task as a page.
//!
//! A file holds no deleted task and no archived item. What else it lacks is known before it is
//! written.

use std::collections::{BTreeMap, BTreeSet};

use dormouse_formats::export::{self, ExportFormat, Lost, Number, Writer};
use dormouse_formats::intake::{DETAILS, is_details};
use dormouse_queries::WholeTask;
use dormouse_types::limits::PAGE;
use dormouse_types::task::{EntryKind, Flags, LinkKind};
use dormouse_types::{Caller, Scope, TaskId, WorkspaceId, draft};
use serde::{Deserialize, Serialize};

use crate::request::require;
use crate::{Deleted, Dormouse, Error, Sort, TaskFilter};

/// Which tasks a file holds.
#[derive(Debug, Clone)]
pub enum Selection {
    /// One task.
    Task(TaskId),
    /// All tasks of a filter, oldest first; order and deleted tasks of the filter do not count.
    Matching(Box<TaskFilter>),
}

/// What a file of some tasks would leave out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ExportLosses {
    /// How many tasks the file would hold.
    pub tasks: usize,
    /// What the format has no place for.
    pub losses: Vec<ExportLoss>,
    /// Rows that cannot be read and would be missing, with the reason.
    pub damaged: Vec<String>,
}

/// A part of tasks that a format has no place for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ExportLoss {
    /// The part.
    pub part: Lost,
    /// How many of the tasks have it.
    pub tasks: usize,
    /// The titles of some of them, at most three.
    pub examples: Vec<String>,
}

/// The most examples of a loss.
const EXAMPLES: usize = 3;
/// How many tasks a piece of a file holds at most.
const BATCH: usize = 100;
/// Units: bytes. A piece that is longer takes no further task.
const PIECE: usize = 256 * 1024;

/// A file in progress: pieces of text that together are the file.
pub struct TaskFile {
    dormouse: Dormouse,
    ws: WorkspaceId,
    rest: std::vec::IntoIter<TaskId>,
    imported: BTreeSet<TaskId>,
    writer: Writer,
    stage: FileStage,
}

/// What of a file comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileStage {
    Head,
    Tasks,
    Nothing,
}

impl TaskFile {
    /// The next piece of the file; `None` after the last one.
    ///
    /// A piece holds a few tasks, so that a file of any size takes little memory. No piece is empty.
    ///
    /// Errors: the rows cannot be read; the file is then incomplete.
    pub async fn next(&mut self) -> Result<Option<String>, Error> {
        let mut piece = match self.stage {
            FileStage::Head => self.writer.head(),
            FileStage::Tasks => String::new(),
            FileStage::Nothing => return Ok(None),
        };
        self.stage = FileStage::Tasks;
        let mut n_read = 0;
        while piece.is_empty() || n_read < BATCH && piece.len() < PIECE {
            let Some(id) = self.rest.next() else { break };
            n_read += 1;
            match self.dormouse.task_for_file(self.ws, &id, &self.imported).await {
                Ok(Some((task, _damaged))) => piece.push_str(&self.writer.task(&task)),
                Ok(None) => {}
                // `Dormouse::export_losses` names it; the others are written.
                Err(error) if error.is_damage() => {}
                Err(error) => return Err(error),
            }
        }
        if self.rest.len() == 0 {
            piece.push_str(&self.writer.end());
            self.stage = FileStage::Nothing;
        }
        Ok(Some(piece).filter(|piece| !piece.is_empty()))
    }
}

impl Dormouse {
    /// Starts a file of tasks in a format. Rows that cannot be read are missing in it;
    /// [`Dormouse::export_losses`] names them.
    ///
    /// Errors: no such task; a deleted task; those of [`Dormouse::tasks`].
    pub async fn export_tasks(
        &self,
        caller: &Caller,
        selection: &Selection,
        format: ExportFormat,
    ) -> Result<TaskFile, Error> {
        require(caller, Scope::Read)?;
        let (ids, _damaged) = self.selected(caller.workspace, selection).await?;
        let (dormouse, ws) = (self.clone(), caller.workspace);
        let imported = self.without_own_days(ws, format).await?;
        let number = if ids.len() == 1 { Number::One } else { Number::Several };
        let writer = Writer::new(format, number);
        Ok(TaskFile {
            dormouse,
            ws,
            rest: ids.into_iter(),
            imported,
            writer,
            stage: FileStage::Head,
        })
    }

    /// What a file of these tasks would leave out, for a question before it is written.
    ///
    /// Errors: those of [`Dormouse::export_tasks`].
    pub async fn export_losses(
        &self,
        caller: &Caller,
        selection: &Selection,
        format: ExportFormat,
    ) -> Result<ExportLosses, Error> {
        require(caller, Scope::Read)?;
        let (ids, damaged) = self.selected(caller.workspace, selection).await?;
        let imported = self.without_own_days(caller.workspace, format).await?;
        let mut tally = Tally::new(format, damaged);
        for id in ids {
            match self.task_for_file(caller.workspace, &id, &imported).await {
                Ok(None) => {}
                Ok(Some((task, damaged))) => {
                    tally.answer.damaged.extend(damaged);
                    tally.add(task);
                }
                Err(error) if error.is_damage() => tally.answer.damaged.push(error.to_string()),
                Err(error) => return Err(error),
            }
        }
        Ok(tally.finish())
    }

    /// One task with the report of its agent as a Markdown page to read.
    ///
    /// Errors: no such task; a deleted task; a row of it that cannot be read.
    pub async fn task_page(&self, caller: &Caller, task: &TaskId) -> Result<String, Error> {
        require(caller, Scope::Read)?;
        match self.task_for_file(caller.workspace, task, &BTreeSet::new()).await? {
            Some((task, _damaged)) => Ok(export::page(&task)),
            None => Err(Error::DeletedTask { task: task.clone() }),
        }
    }

    /// The ids of a selection, and what is known to be unreadable.
    async fn selected(
        &self,
        ws: WorkspaceId,
        selection: &Selection,
    ) -> Result<(Vec<TaskId>, Vec<String>), Error> {
        let filter = match selection {
            Selection::Matching(filter) => filter,
            Selection::Task(id) => {
                let is_deleted = self.read_task(ws, id).await?.deleted_at.is_some();
                if is_deleted {
                    return Err(Error::DeletedTask { task: id.clone() });
                }
                return Ok((vec![id.clone()], Vec::new()));
            }
        };
        let filter =
            TaskFilter { deleted: Deleted::Without, sort: Sort::default(), ..(**filter).clone() };
        let (mut ids, mut damaged, mut cursor) = (Vec::new(), Vec::new(), None);
        loop {
            let page = self.queries.tasks(ws, filter.clone(), PAGE.max, cursor).await?;
            ids.extend(page.items.into_iter().map(|row| row.id));
            damaged.extend(page.damaged);
            cursor = page.next_cursor;
            if cursor.is_none() {
                // The list has the newest first; a file that is read again creates its first first.
                ids.reverse();
                return Ok((ids, damaged));
            }
        }
    }

    /// The tasks whose days of creation and completion are that of their import, where a format would read
    /// such days as what the list said: a line of todo.txt without days stays one.
    async fn without_own_days(
        &self,
        ws: WorkspaceId,
        format: ExportFormat,
    ) -> Result<BTreeSet<TaskId>, Error> {
        match format {
            ExportFormat::TodoTxt => Ok(self.journal.imported_tasks(ws).await?),
            ExportFormat::Markdown
            | ExportFormat::ICalendar
            | ExportFormat::Csv
            | ExportFormat::Json => Ok(BTreeSet::new()),
        }
    }

    /// A task as files hold it, with the reason if its report cannot be read; `None` if it is
    /// deleted.
    async fn task_for_file(
        &self,
        ws: WorkspaceId,
        id: &TaskId,
        imported: &BTreeSet<TaskId>,
    ) -> Result<Option<(export::Task, Option<String>)>, Error> {
        let whole = self.queries.whole_task(ws, id).await?;
        let is_imported = imported.contains(id);
        let came_closed = is_imported && whole.closed_at == Some(whole.task.created_at);
        let own_days = |task: export::Task| export::Task {
            created_at: task.created_at.filter(|_| !is_imported),
            completed_at: task.completed_at.filter(|_| !came_closed),
            ..task
        };
        if whole.task.deleted_at.is_some() {
            return Ok(None);
        }
        let report = match &whole.task.agent {
            None => Ok(None),
            Some(agent) => self.queries.report_text(ws, agent).await.map_err(Error::from),
        };
        match report {
            Ok(report) => Ok(Some((own_days(file_task(whole, report)), None))),
            // A damaged report does not hide its task.
            Err(error) if error.is_damage() => {
                Ok(Some((own_days(file_task(whole, None)), Some(error.to_string()))))
            }
            Err(error) => Err(error),
        }
    }
}

/// A task as every format is given it.
fn file_task(whole: WholeTask, report: Option<String>) -> export::Task {
    let WholeTask { task, closed_at, undated } = whole;
    let items = task.items.into_iter().filter(|item| !item.is_archived);
    let items = items.map(|item| draft::Item {
        key: item.id.to_string(),
        title: item.title,
        is_checked: item.is_checked,
        depth: item.depth,
        lines: 0..0,
    });
    let mut has_details = false;
    let entries = task.entries.into_iter().map(|entry| {
        let on = (!undated.contains(&entry.id)).then_some(entry.on);
        // A format may have a place for what an import kept because a task has none. Only the first
        // entry of its shape counts.
        let is_details = !has_details && on.is_none() && is_details(&entry.text);
        has_details |= is_details;
        let key = if is_details { DETAILS.to_owned() } else { entry.id.to_string() };
        let flags = entry.flags();
        // Time is text of its entry, for every format alike.
        let kind = if entry.kind.is_derived() { entry.kind } else { EntryKind::Text };
        let minutes = entry.minutes.map(draft::time_spent);
        let parts = [Some(entry.text).filter(|text| !text.trim().is_empty()), minutes];
        let text = parts.into_iter().flatten().collect::<Vec<_>>().join("\n");
        draft::Entry { key, text, on, kind, flags }
    });
    let links = task.links.into_iter().map(|link| export::Link {
        // A kind that a newer version wrote still relates the two.
        kind: link.kind.known().unwrap_or(LinkKind::RelatesTo),
        direction: link.direction,
        key: link.task.id.to_string(),
        title: link.task.title,
    });
    export::Task {
        key: task.id.to_string(),
        title: task.title,
        status: Some(task.status),
        status_reason: task.status_reason,
        priority: task.priority,
        due_on: task.due_on,
        estimate_minutes: task.estimate_minutes,
        language: task.language,
        category: task.category.map(|category| category.name),
        labels: task.labels.into_iter().map(|label| label.name).collect(),
        flags: Flags { starred: task.starred, private: task.private },
        items: items.collect(),
        entries: entries.collect(),
        links: links.collect(),
        updated_at: Some(task.updated_at.to_jiff()),
        created_at: Some(task.created_at.to_jiff()),
        completed_at: closed_at.map(|at| at.to_jiff()),
        report,
    }
}

/// Counts what a format has no place for, with few tasks in memory.
struct Tally {
    format: ExportFormat,
    pending: Vec<export::Task>,
    found: BTreeMap<Lost, ExportLoss>,
    answer: ExportLosses,
}

impl Tally {
    fn new(format: ExportFormat, damaged: Vec<String>) -> Self {
        let answer = ExportLosses { tasks: 0, losses: Vec::new(), damaged };
        Self { format, pending: Vec::new(), found: BTreeMap::new(), answer }
    }

    /// Markdown keeps more of a task that is alone, so tasks are counted in pairs and the last
    /// ones together: alone is only the task of a file with one.
    fn add(&mut self, task: export::Task) {
        self.answer.tasks += 1;
        self.pending.push(task);
        if self.pending.len() == 4 {
            let pair: Vec<_> = self.pending.drain(..2).collect();
            self.count(&pair);
        }
    }

    fn count(&mut self, tasks: &[export::Task]) {
        for loss in export::losses(tasks, self.format) {
            let new = || ExportLoss { part: loss.part, tasks: 0, examples: Vec::new() };
            let found = self.found.entry(loss.part).or_insert_with(new);
            found.tasks += loss.n_tasks;
            // Only of a part that all of them have is it known which tasks have it.
            let all = tasks.iter().map(|task| task.title.clone());
            let known = if loss.n_tasks == tasks.len() { all.collect() } else { vec![loss.first] };
            let room = EXAMPLES.saturating_sub(found.examples.len());
            found.examples.extend(known.into_iter().take(room));
        }
    }

    fn finish(mut self) -> ExportLosses {
        let rest = std::mem::take(&mut self.pending);
        self.count(&rest);
        self.answer.losses = self.found.into_values().collect();
        self.answer
    }
}
