//! Import: the body is the file; the response is one JSON line per event, sent once the event is
//! durable.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use dormouse::imports::DayOrder;
use dormouse::imports::ImportText;
use dormouse::view::ImportEvent;
use dormouse::{ImportAgents, ImportFile, ImportOptions, ImportPlan};
use dormouse_types::closed_list::ClosedList;
use dormouse_types::draft::Format;
use dormouse_types::limits::{IMPORT_BODY, IMPORT_FILE};
use futures_util::stream::{self, Stream, StreamExt as _};
use serde::Deserialize;
use serde_json::json;
use tokio::sync::mpsc;
use utoipa::IntoParams;

use super::reply::Reply;
use crate::Problem;
use crate::app::App;
use crate::extract::{Query, collect, parsed};

use crate::problem_groups::{ImportTexts, Imports};
use crate::wire::{ImportLine, ImportTextParams, Stopped};

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ImportParams {
    /// The name of the file; a later import of the same name updates its tasks.
    #[param(value_type = String, required)]
    name: Option<String>,
    /// Answer the plan of the import; write nothing.
    #[serde(default)]
    dry_run: bool,
    /// Which tasks get an agent, unless a correction says otherwise; by default none.
    #[param(value_type = Option<ImportAgents>)]
    agents: Option<String>,
    /// What the file is read as; by default what its content looks like.
    #[param(value_type = Option<Format>)]
    format: Option<String>,
    /// The order of day and month in dates such as 3/4; by default that of the workspace.
    #[param(value_type = Option<DayOrder>)]
    day_order: Option<String>,
}

/// Imports a task list, or shows what an import would write.
///
/// Markdown, todo.txt, iCalendar, a sheet (CSV), OPML, JSON of Trello, Vikunja, `gh issue list`,
/// Dormouse and other programs, or plain lines: the content decides, not the name. The body is the
/// file as it is, or,
/// with the media type `application/vnd.dormouse.import+json`, its text with the corrections of a
/// person and the digest of the plan that they were made for.
///
/// With `dryRun=true` nothing is written, and the answer is the plan: the place of every line, and
/// the tasks. Otherwise each task is reported once it is durable. A file that cannot be parsed at
/// all is refused with an error status; so is a plan that has changed since it was read. An error
/// after the first event ends the stream with a line `{"event": "problem", "problem": …}`;
/// everything reported before it is durable.
#[utoipa::path(
    post,
    path = "/api/imports",
    operation_id = "importFile",
    tag = "imports",
    params(ImportParams),
    request_body(
        description = "The file.",
        content((String = "text/markdown"), (ImportTextParams = "application/vnd.dormouse.import+json"))
    ),
    responses(
        (
            status = 200,
            description = "One line of JSON per event, once it is durable; the plan with `dryRun`.",
            content(
                (ImportLine = "application/x-ndjson"),
                (ImportPlan = "application/json")
            )
        ),
        Imports
    ),
)]
pub(super) async fn run(
    app: App,
    Query(params): Query<ImportParams>,
    request: Request,
) -> Result<Response, Problem> {
    let Some(name) = params.name.filter(|name| !name.is_empty()) else {
        let message = "name is missing: it identifies the file when it is imported again";
        return Err(Problem::invalid("?name", message));
    };
    app.dormouse.may_import(&app.caller)?;
    let mut options = ImportOptions {
        agents: listed("?agents", params.agents)?.unwrap_or(ImportAgents::None),
        format: listed("?format", params.format)?,
        day_order: app.dormouse.wording(listed("?dayOrder", params.day_order)?, None).await?.order,
        ..ImportOptions::default()
    };
    let file = if is_with_corrections(request.headers()) {
        let body = collect(request.into_body(), IMPORT_BODY).await?;
        let text: ImportTextParams = parsed(&body)?;
        text.check()?;
        options.digest = text.digest;
        options.corrections = text.corrections;
        options.columns = text.columns;
        ImportFile::new(name, text.text.into_bytes())
    } else {
        ImportFile::new(name, &collect(request.into_body(), IMPORT_FILE).await?[..])
    };
    if params.dry_run {
        let plan = app.dormouse.plan_import(&app.caller, &file, &options).await?;
        return Ok(axum::Json(plan).into_response());
    }
    let mut events = Events::new(app, file, options);
    let first = match events.next().await {
        Some(Err(problem)) => return Err(problem),
        first => first,
    };
    let lines = stream::iter(first).chain(events).map(|event| Ok::<_, Infallible>(line(event)));
    let kind = [(header::CONTENT_TYPE, "application/x-ndjson")];
    Ok((kind, Body::from_stream(lines)).into_response())
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ImportTextQuery {
    /// The name of the file, for what is wrong with it.
    name: String,
}

/// Decodes a file.
///
/// For a client that shows the text of a file beside its plan, and cannot read the file itself: one in UTF-16, or
/// in an encoding that only its letters give away. Nothing is written.
#[utoipa::path(
    post,
    path = "/api/imports/text",
    operation_id = "decodeFile",
    tag = "imports",
    params(ImportTextQuery),
    request_body(description = "The file.", content((String = "application/octet-stream"))),
    responses((status = 200, description = "Its text.", body = ImportText), ImportTexts),
)]
pub(super) async fn text(
    app: App,
    Query(params): Query<ImportTextQuery>,
    request: Request,
) -> Reply<ImportText> {
    app.dormouse.may_import(&app.caller)?;
    let bytes = collect(request.into_body(), IMPORT_FILE).await?;
    let file = ImportFile::new(params.name, &bytes[..]);
    Ok(axum::Json(app.dormouse.import_text(&app.caller, &file)?))
}

/// A value of a closed list, if one is given.
fn listed<T: ClosedList>(field: &'static str, given: Option<String>) -> Result<Option<T>, Problem> {
    let value = given.map(|name| T::parse(&name)).transpose();
    value.map_err(|error| Problem::invalid(field, error.to_string()))
}

/// Whether the body is a text with corrections, and not a file as it is.
fn is_with_corrections(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next()).map(str::trim);
    kind.is_some_and(|kind| kind.eq_ignore_ascii_case(ImportTextParams::MEDIA_TYPE))
}

fn line(event: Result<ImportEvent, Problem>) -> Bytes {
    let line = match event {
        Ok(event) => ImportLine::Event(event),
        Err(problem) => ImportLine::Stopped(Stopped::Problem { problem }),
    };
    Bytes::from(format!("{}\n", json!(line)))
}

type Import = Pin<Box<dyn Future<Output = Result<(), Problem>> + Send>>;

/// The events of a running import. Reading them drives the import: if the client disconnects, it
/// stops between two tasks, and importing the file again continues.
struct Events {
    import: Option<Import>,
    events: mpsc::UnboundedReceiver<ImportEvent>,
    /// Why the import stopped; sent after all earlier events.
    failed: Option<Problem>,
}

impl Events {
    fn new(app: App, file: ImportFile, options: ImportOptions) -> Self {
        let (tell, events) = mpsc::unbounded_channel();
        let import = async move {
            let mut on_event = move |event| {
                // The client is gone; the import is about to be dropped with its stream.
                let _gone = tell.send(event);
            };
            app.dormouse
                .import(&app.caller, &file, &options, &mut on_event)
                .await
                .map_err(Problem::from)
        };
        Self { import: Some(Box::pin(import)), events, failed: None }
    }
}

impl Stream for Events {
    type Item = Result<ImportEvent, Problem>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Ok(event) = self.events.try_recv() {
                return Poll::Ready(Some(Ok(event)));
            }
            let Some(import) = self.import.as_mut() else {
                return Poll::Ready(self.failed.take().map(Err));
            };
            match import.as_mut().poll(cx) {
                Poll::Ready(result) => {
                    self.import = None;
                    self.failed = result.err();
                }
                Poll::Pending if self.events.is_empty() => return Poll::Pending,
                Poll::Pending => {}
            }
        }
    }
}
