//! `dormouse export`: the workspace or one task as one JSON document, tasks in another format, or a
//! task as a page to read.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use clap::Args;
use dormouse::{ExportFormat, ExportLoss, ExportLosses, Lost};
use dormouse_types::draft;
use dormouse_types::task::Status;

use crate::client::{Reply, path};
use crate::failure::Failure;
use crate::find;
use crate::session::Session;
use crate::terminal::{counted, line, note, titled};
use crate::values;

/// Without --format, everything as one JSON document, unless the end of the file's name says another
/// format: .md, .txt (todo.txt), .ics or .csv. Other programs read those; what the format has no place for
/// is named on standard error.
#[derive(Debug, Args)]
pub struct Params {
    /// Only this task: the end of its id, or words of its title
    #[arg(value_name = "TASK", conflicts_with_all = ["all", "status", "label", "category"])]
    task: Vec<String>,
    /// Every task, including deleted ones; this is the default
    #[arg(long, conflicts_with = "format")]
    all: bool,
    /// markdown, todoTxt, iCalendar, csv or json; for one task also page, to read with its report
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    format: Option<Format>,
    /// Only tasks with this status; may be given several times
    #[arg(long, value_parser = values::status, requires = "format")]
    status: Vec<Status>,
    /// Only tasks with this label; may be given several times
    #[arg(long, value_name = "NAME", requires = "format")]
    label: Vec<String>,
    /// Only tasks of this category; may be given several times
    #[arg(long, value_name = "NAME", requires = "format")]
    category: Vec<String>,
    /// Only starred tasks
    #[arg(long, requires = "format", conflicts_with = "task")]
    starred: bool,
    /// The file to write; it must not exist yet [default: standard output]
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    File(ExportFormat),
    Page,
}

/// Reads a format by its name or the usual end of its files.
fn format(text: &str) -> Result<Format, String> {
    if text.trim().eq_ignore_ascii_case("page") {
        return Ok(Format::Page);
    }
    let read = draft::Format::known_as(text);
    let written = ExportFormat::ALL.iter().find(|format| Some(format.read_as()) == read);
    written.copied().map(Format::File).ok_or_else(|| {
        let names: Vec<&str> = ExportFormat::ALL.iter().map(|format| format.name()).collect();
        format!("unknown format `{}`; there are: {}, page", line(text), names.join(", "))
    })
}

/// The format that the end of a file's name says; none for JSON, which holds everything.
fn format_of(file: &Path) -> Option<Format> {
    let end = file.extension()?.to_str()?;
    let named = format(end).ok()?;
    (named != Format::Page && named != Format::File(ExportFormat::Json)).then_some(named)
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let is_open = params.format.is_none() && !params.all;
    let by_name = params.file.as_deref().filter(|_| is_open).and_then(format_of);
    let format = params.format.or(by_name);
    let task = match params.task.as_slice() {
        [] => None,
        words => Some(find::task(session, &words.join(" ")).await?.id.to_string()),
    };
    let reply = match (format, &task) {
        (None, None) => session.client.get("/api/export").await?,
        (None, Some(task)) => session.client.get(&path("/api/export", &[("task", task)])).await?,
        (Some(Format::Page), None) => {
            return Err(Failure::usage("a page shows one task; name the task")
                .hint("`dormouse export TASK --format page`"));
        }
        (Some(Format::Page), Some(task)) => {
            session.client.get(&format!("/api/journal/tasks/{task}/page")).await?
        }
        (Some(Format::File(format)), _) => {
            let mut query = vec![("format", format.name())];
            query.extend(task.as_deref().map(|task| ("task", task)));
            query.extend(params.status.iter().map(|status| ("status", status.name())));
            query.extend(params.label.iter().map(|label| ("label", label.as_str())));
            query.extend(params.category.iter().map(|name| ("category", name.as_str())));
            query.extend(params.starred.then_some(("starred", "true")));
            let losses = session.client.get(&path("/api/export/losses", &query)).await?;
            name_losses(format, &losses.read()?);
            session.client.get(&path("/api/export", &query)).await?
        }
    };
    let Some(file) = params.file else {
        match format {
            Some(_) => session.screen.file(&reply.body),
            None => session.screen.body(&reply.body),
        }
        return Ok(());
    };
    write(&file, &reply)?;
    let written = format!("{} bytes written to {}", reply.body.len(), file.display());
    session.screen.say(match by_name {
        Some(Format::File(format)) => format!("{written} as {}", name_of(format)),
        Some(Format::Page) | None => written,
    });
    Ok(())
}

/// Says on standard error what a file does not hold, one line for each part.
fn name_losses(format: ExportFormat, losses: &ExportLosses) {
    for loss in &losses.losses {
        note(&format!("{} leaves out {}", name_of(format), described(loss)));
    }
    for damaged in &losses.damaged {
        note(&format!("damaged: {}", line(damaged)));
    }
}

fn name_of(format: ExportFormat) -> &'static str {
    match format {
        ExportFormat::Markdown => "Markdown",
        ExportFormat::TodoTxt => "todo.txt",
        ExportFormat::ICalendar => "iCalendar",
        ExportFormat::Csv => "CSV",
        ExportFormat::Json => "JSON",
    }
}

fn described(loss: &ExportLoss) -> String {
    let part = match loss.part {
        Lost::Title => "words of the title",
        Lost::Reason => "the reason of the status",
        Lost::Names => "signs in the names of labels and categories",
        Lost::Items => "the checklist",
        Lost::Entries => "notes",
        Lost::Details => "values that are kept in the note",
        Lost::Estimate => "the estimate",
        Lost::Language => "the language",
        Lost::Priority => "the priority",
        Lost::Due => "the due date",
        Lost::Starred => "stars",
        Lost::Private => "that the task or a note is private",
        Lost::Kinds => "that a note is a recording or an image analysis",
        Lost::Order => "the order of notes, their days, or where one ends and the next begins",
        Lost::Links => "links to other tasks, beyond their text",
        Lost::Times => "the times of creation and completion, or their hours",
        Lost::Report => "the report",
        Lost::Key => "the key by which an import recognizes the task",
    };
    let named: Vec<String> =
        loss.examples.iter().map(|title| format!("“{}”", line(titled(title)))).collect();
    let such_as = if loss.tasks > named.len() { "such as " } else { "" };
    format!("{part}: {}, {such_as}{}", counted(loss.tasks, "task"), named.join(", "))
}

/// Writes a file that only its owner may read. It never replaces an existing file.
fn write(file: &Path, reply: &Reply) -> Result<(), Failure> {
    let failed = |e: std::io::Error| {
        let failure = Failure::failed(format!("{} cannot be written: {e}", file.display()));
        match e.kind() {
            ErrorKind::AlreadyExists => failure.hint("name a file that does not exist yet"),
            _ => failure,
        }
    };
    let opened = OpenOptions::new().write(true).create_new(true).mode(0o600).open(file);
    let mut opened = opened.map_err(failed)?;
    opened.write_all(&reply.body).and_then(|()| opened.sync_all()).map_err(|e| {
        // Half a document is no export.
        let _left = std::fs::remove_file(file);
        failed(e)
    })
}
