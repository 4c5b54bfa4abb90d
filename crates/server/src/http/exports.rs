//! Export: the workspace as one document, tasks in other formats, and what these would leave out.

use axum::body::{Body, Bytes};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use dormouse::{Due, Error, ExportFormat, ExportLosses, Selection, TaskFile, TaskFilter};
use dormouse_types::task::{Priority, Status};
use dormouse_types::{Id as _, TaskId};
use futures_util::stream;
use serde::Deserialize;
use utoipa::IntoParams;

use super::reply::Reply;
use super::tasks::flags;
use crate::Problem;
use crate::app::App;
use crate::extract::{At, Listing, Lists, Many, id};
use crate::problem_groups::{Exports, Pages};
use crate::wire::Reading;

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct ExportParams {
    /// Only this task; in the whole document with its labels and its category.
    #[param(value_type = Option<TaskId>)]
    task: Option<String>,
    /// The format. By default the whole document, which alone holds deleted tasks.
    #[param(value_type = Option<ExportFormat>)]
    format: Option<String>,
    /// Only tasks that contain all of these words. This and the other filters need a format.
    q: Option<String>,
    /// Only tasks with one of these statuses.
    #[serde(default)]
    #[param(value_type = Option<Vec<Status>>)]
    status: Many,
    /// Only tasks with one of these priorities; a task without a priority counts as P2.
    #[serde(default)]
    #[param(value_type = Option<Vec<Priority>>)]
    priority: Many,
    /// Only tasks with any of these labels, by id or name.
    #[serde(default)]
    #[param(value_type = Option<Vec<String>>)]
    label: Many,
    /// Only tasks in any of these categories, by id or name; `none` matches tasks without a
    /// category.
    #[serde(default)]
    #[param(value_type = Option<Vec<String>>)]
    category: Many,
    /// Only tasks that are `overdue`, due within a `week`, or without a due date (`none`).
    #[serde(default)]
    #[param(value_type = Option<Vec<Due>>)]
    due: Many,
    /// Only starred tasks (`true`).
    starred: Option<String>,
    /// Only private tasks (`true`).
    private: Option<String>,
}

impl Lists for ExportParams {
    const LISTS: &'static [&'static str] = &["status", "priority", "label", "category", "due"];
}

/// What to export.
enum Wanted {
    /// The whole document, of all tasks or of one.
    Document(Option<TaskId>),
    /// Tasks in a format.
    File(ExportFormat, Selection),
}

impl ExportParams {
    fn read(self) -> Result<Wanted, Problem> {
        let mut reading = Reading::default();
        let format = reading.parse("?format", self.format);
        let statuses = self.status.0.into_iter();
        let statuses = statuses.filter_map(|it| reading.parse("?status", Some(it))).collect();
        let priorities = self.priority.0.into_iter();
        let priorities = priorities.filter_map(|it| reading.parse("?priority", Some(it))).collect();
        let due = self.due.0.into_iter();
        let due = due.filter_map(|it| reading.parse("?due", Some(it))).collect();
        let flags = flags(&mut reading, self.starred.as_deref(), self.private.as_deref());
        let filter = reading.finish(TaskFilter {
            words: self.q,
            statuses,
            priorities,
            labels: self.label.0,
            categories: self.category.0,
            due,
            flags,
            ..TaskFilter::default()
        })?;
        let task: Option<TaskId> = self.task.as_deref().map(id).transpose()?;
        let is_filtered = filter != TaskFilter::default();
        match (format, task) {
            (None, _) if is_filtered => {
                let message = "the whole document has no filters: name a format, such as markdown";
                Err(Problem::invalid("?format", message))
            }
            (Some(_), Some(_)) if is_filtered => {
                Err(Problem::invalid("?task", "give either one task or filters"))
            }
            (None, task) => Ok(Wanted::Document(task)),
            (Some(format), Some(task)) => Ok(Wanted::File(format, Selection::Task(task))),
            (Some(format), None) => Ok(Wanted::File(format, Selection::Matching(Box::new(filter)))),
        }
    }
}

/// Exports tasks: all that belongs to them as one JSON document, or a file in another format.
///
/// Without a format the answer is the whole document, with deleted tasks. It is streamed; a
/// truncated one is not valid JSON. docs/export.md describes it, and what each format holds.
///
/// A file in a format has the tasks oldest first. What it would leave out, `/api/export/losses`
/// names before.
#[utoipa::path(
    get,
    path = "/api/export",
    operation_id = "exportWorkspace",
    tag = "workspace",
    params(ExportParams),
    responses(
        (status = 200, description = "The document or the file.", content(
            (crate::wire::Exported = "application/json"),
            (String = "text/markdown"),
            (String = "text/plain"),
            (String = "text/calendar"),
            (String = "text/csv")
        )),
        Exports
    ),
)]
pub(super) async fn run(
    app: App,
    Listing(params): Listing<ExportParams>,
) -> Result<Response, Problem> {
    let (format, selection) = match params.read()? {
        Wanted::Document(only) => return document(app, only).await,
        Wanted::File(format, selection) => (format, selection),
    };
    let name = match &selection {
        Selection::Task(task) => format!("task-{}", task.short()),
        Selection::Matching(_) => "tasks".to_owned(),
    };
    let mut file = app.dormouse.export_tasks(&app.caller, &selection, format).await?;
    // A failure of the first piece is still an answer of its own.
    let first = file.next().await?;
    let rest = stream::try_unfold((first, file), |(piece, mut file): (_, TaskFile)| async move {
        let Some(piece) = piece else { return Ok::<_, dormouse::Error>(None) };
        let next = file.next().await?;
        Ok(Some((Bytes::from(piece), (next, file))))
    });
    let headers = [
        (header::CONTENT_TYPE, media_type(format.media_type())),
        (
            header::CONTENT_DISPOSITION,
            format!("attachment; filename=\"{name}.{}\"", format.extension()),
        ),
    ];
    Ok((headers, Body::from_stream(rest)).into_response())
}

/// JSON is UTF-8 in any case (RFC 8259), and its media type has no parameter for it.
fn media_type(essence: &str) -> String {
    if essence == "application/json" {
        essence.to_owned()
    } else {
        format!("{essence}; charset=utf-8")
    }
}

async fn document(app: App, only: Option<TaskId>) -> Result<Response, Problem> {
    let export = app.dormouse.export(&app.caller, only).await?;
    let pieces = stream::try_unfold(export, |mut export| async move {
        let piece = export.next().await?;
        Ok::<_, dormouse::Error>(piece.map(|piece| (Bytes::from(piece), export)))
    });
    let kind = [(header::CONTENT_TYPE, "application/json")];
    Ok((kind, Body::from_stream(pieces)).into_response())
}

/// Names what a file of these tasks would leave out, before it is written.
///
/// Without a format nothing is left out.
#[utoipa::path(
    get,
    path = "/api/export/losses",
    operation_id = "listExportLosses",
    tag = "workspace",
    params(ExportParams),
    responses(
        (status = 200, description = "What the format has no place for.", body = ExportLosses),
        Exports
    ),
)]
pub(super) async fn losses(
    app: App,
    Listing(params): Listing<ExportParams>,
) -> Reply<ExportLosses> {
    let (format, selection) = match params.read()? {
        Wanted::File(format, selection) => (format, selection),
        Wanted::Document(Some(task)) => (ExportFormat::Json, Selection::Task(task)),
        Wanted::Document(None) => (ExportFormat::Json, Selection::Matching(Box::default())),
    };
    // It reads every task, and would keep what waits behind it on this thread waiting as long.
    let runtime = tokio::runtime::Handle::current();
    let counted = tokio::task::spawn_blocking(move || {
        runtime.block_on(app.dormouse.export_losses(&app.caller, &selection, format))
    });
    let losses = counted.await.map_err(|_| Error::Ended { what: "the reading of the tasks" })?;
    Ok(axum::Json(losses?))
}

/// Shows a task with its report as a Markdown page to read.
#[utoipa::path(
    get,
    path = "/api/journal/tasks/{task}/page",
    operation_id = "getTaskPage",
    tag = "tasks",
    responses(
        (status = 200, description = "The page.", body = String, content_type = "text/markdown"),
        Pages
    ),
)]
pub(super) async fn page(app: App, At(task): At<String>) -> Result<Response, Problem> {
    let page = app.dormouse.task_page(&app.caller, &id(&task)?).await?;
    Ok(([(header::CONTENT_TYPE, media_type("text/markdown"))], page).into_response())
}
