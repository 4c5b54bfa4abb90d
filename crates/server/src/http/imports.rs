//! Import: the body is the file; the response is one JSON line per event, sent once the event is
//! durable.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use dormouse::ImportOptions;
use dormouse::view::ImportEvent;
use dormouse_types::closed_list::ClosedList as _;
use dormouse_types::draft::Format;
use dormouse_types::limits::IMPORT_FILE;
use futures_util::stream::{self, Stream, StreamExt as _};
use serde::Deserialize;
use serde_json::json;
use tokio::sync::mpsc;
use utoipa::IntoParams;

use crate::extract::{Query, collect};
use crate::problem_groups::Imports;
use crate::wire::{ImportLine, Stopped};
use crate::{App, Problem};

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ImportParams {
    /// The name of the file; a later import of the same name updates its tasks.
    #[param(value_type = String, required)]
    name: Option<String>,
    /// Parse and report only; write nothing.
    #[serde(default)]
    dry_run: bool,
    /// Give each task an agent.
    #[serde(default)]
    with_agents: bool,
    /// What the file is read as; by default what its content looks like.
    #[param(value_type = Option<Format>)]
    format: Option<String>,
}

/// Imports a task list and reports each task once it is durable.
///
/// Markdown, todo.txt, iCalendar, a sheet (CSV), the JSON of Trello, Vikunja, `gh issue list` and
/// Dormouse, or plain lines: the content decides, not the name.
///
/// A file that cannot be parsed at all is refused with an error status. An error after the first
/// event ends the stream with a line `{"event": "problem", "problem": …}`; everything reported
/// before it is durable.
#[utoipa::path(
    post,
    path = "/api/imports",
    operation_id = "importFile",
    tag = "imports",
    params(ImportParams),
    request_body(content = String, content_type = "text/markdown", description = "The file."),
    responses(
        (
            status = 200,
            description = "One line of JSON per event, once it is durable.",
            body = ImportLine,
            content_type = "application/x-ndjson"
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
    let file = collect(request.into_body(), IMPORT_FILE).await?;
    let options = ImportOptions {
        with_agents: params.with_agents,
        dry_run: params.dry_run,
        format: params
            .format
            .map(|name| Format::parse(&name))
            .transpose()
            .map_err(|error| Problem::invalid("?format", error.to_string()))?,
    };
    let mut events = Events::new(app, name, file, options);
    let first = match events.next().await {
        Some(Err(problem)) => return Err(problem),
        first => first,
    };
    let lines = stream::iter(first).chain(events).map(|event| Ok::<_, Infallible>(line(event)));
    let kind = [(header::CONTENT_TYPE, "application/x-ndjson")];
    Ok((kind, Body::from_stream(lines)).into_response())
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
    fn new(app: App, name: String, file: Bytes, options: ImportOptions) -> Self {
        let (tell, events) = mpsc::unbounded_channel();
        let import = async move {
            let mut on_event = move |event| {
                // The client is gone; the import is about to be dropped with its stream.
                let _gone = tell.send(event);
            };
            app.dormouse
                .import(&app.caller, &name, &file, options, &mut on_event)
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
