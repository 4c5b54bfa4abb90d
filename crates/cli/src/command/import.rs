//! `dormouse import`: tasks from files.

use std::io::{IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};

use axum::body::Bytes;
use clap::Args;
use dormouse::view::ImportEvent;
use dormouse_types::Id as _;
use dormouse_types::draft::Format;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;

use super::counted;
use crate::client::path;
use crate::failure::Failure;
use crate::session::Session;
use crate::terminal::{line, note, titled};

/// Reads Markdown, todo.txt, iCalendar, CSV, and the JSON of Trello, Vikunja, `gh issue list` and
/// Dormouse; the content of a file decides. You can import the same file again: your changes in
/// Dormouse are kept.
#[derive(Debug, Args)]
pub struct Params {
    /// Files; `-` reads standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Give every task an agent
    #[arg(long)]
    with_agents: bool,
    /// Read the files as this, whatever they look like: markdown, todoTxt, iCalendar, csv, trello,
    /// vikunja, githubIssues, dormouse or plainLines
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
    /// Only show what would be written
    #[arg(long)]
    dry_run: bool,
}

/// How many tasks pass between progress lines if no bar can be drawn.
const TELL_EVERY: usize = 100;
/// The number of tasks to list; further ones are only counted.
const LISTED: usize = 25;

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    for file in &params.files {
        import(session, &params, file).await?;
        session.flush();
    }
    Ok(())
}

async fn import(session: &mut Session, params: &Params, file: &Path) -> Result<(), Failure> {
    let (name, bytes) = read(file)?;
    let flag = |on: bool| if on { "true" } else { "false" };
    let mut query = vec![
        ("name", name.as_str()),
        ("withAgents", flag(params.with_agents)),
        ("dryRun", flag(params.dry_run)),
    ];
    query.extend(params.format.map(|format| ("format", format.name())));
    let mut lines = session
        .client
        .upload(&path("/api/imports", &query), bytes)
        .await
        .map_err(|failure| in_file(failure, &name))?;
    let mut progress = Progress::new(&name, params.dry_run);
    while let Some(text) = lines.next().await? {
        if session.screen.is_json() {
            session.screen.body(&text);
            // A line says that a task is durable: a reader of the output learns it now.
            session.flush();
        }
        let value: Value = read_json(&text)?;
        if value["event"] == "problem" {
            progress.bar.finish_and_clear();
            return Err(in_file(
                Failure::refused(0, Bytes::from(value["problem"].to_string())),
                &name,
            ));
        }
        let event: ImportEvent = read_json(&text)?;
        if let ImportEvent::Task { task_id, agent_id, .. } = &event {
            task_id.iter().for_each(|task| session.touch_task(task));
            agent_id.iter().for_each(|agent| session.touch_agent(agent));
        }
        progress.take(event);
    }
    for text in progress.summary() {
        session.screen.say(text);
    }
    Ok(())
}

/// What a file was read as, if that is worth a word.
fn as_format(format: Format) -> &'static str {
    match format {
        Format::Markdown => "",
        Format::TodoTxt => "todo.txt, ",
        Format::ICalendar => "iCalendar, ",
        Format::Csv => "a sheet, ",
        Format::Trello => "a Trello board, ",
        Format::Vikunja => "Vikunja, ",
        Format::GithubIssues => "GitHub issues, ",
        Format::Dormouse => "an export of Dormouse, ",
        Format::PlainLines => "one task a line, ",
    }
}

fn read_json<T: serde::de::DeserializeOwned>(text: &[u8]) -> Result<T, Failure> {
    serde_json::from_slice(text)
        .map_err(|e| Failure::failed(format!("the answer of the API cannot be read: {e}")))
}

fn in_file(failure: Failure, name: &str) -> Failure {
    let message = if failure.message.contains(name) {
        failure.message.clone()
    } else {
        format!("{name}: {}", failure.message)
    };
    Failure { message, ..failure }
}

/// Reads a file, with the name that identifies it when it is imported again.
fn read(file: &Path) -> Result<(String, Bytes), Failure> {
    let shown = file.display();
    if file == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin()
            .read_to_end(&mut bytes)
            .map_err(|e| Failure::failed(format!("cannot read standard input: {e}")))?;
        return Ok(("stdin".to_owned(), bytes.into()));
    }
    let bytes =
        std::fs::read(file).map_err(|e| Failure::failed(format!("{shown} cannot be read: {e}")))?;
    let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
    Ok((name, bytes.into()))
}

/// The result of importing one file.
struct Progress {
    file: String,
    is_dry: bool,
    bar: ProgressBar,
    is_terminal: bool,
    read: String,
    tasks: Vec<String>,
    kept: Vec<String>,
    remarks: Vec<String>,
    done: String,
}

impl Progress {
    fn new(file: &str, is_dry: bool) -> Self {
        Self {
            file: line(file),
            is_dry,
            bar: ProgressBar::hidden(),
            is_terminal: std::io::stderr().is_terminal(),
            read: String::new(),
            tasks: Vec::new(),
            kept: Vec::new(),
            remarks: Vec::new(),
            done: String::new(),
        }
    }

    fn take(&mut self, event: ImportEvent) {
        match event {
            ImportEvent::Read { format, tasks, items, entries, .. } => {
                self.read = format!(
                    "{}{}, {}, {}",
                    as_format(format),
                    counted(tasks, "task"),
                    counted(items, "item"),
                    if entries == 1 { "1 note".into() } else { format!("{entries} notes") }
                );
                if self.is_terminal && tasks > LISTED {
                    self.bar = ProgressBar::new(tasks as u64);
                    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} tasks") {
                        self.bar.set_style(style);
                    }
                }
            }
            ImportEvent::Task { task_id, title, outcome, kept, done, total, .. } => {
                self.bar.set_position(done as u64);
                if !self.is_terminal && done % TELL_EVERY == 0 {
                    note(&format!("{}: {done} of {total} tasks", self.file));
                }
                let id = task_id.as_ref().map_or("     ", |id| id.short());
                let title = line(titled(&title));
                self.tasks.push(format!("  {id}  {title} ({outcome})"));
                if !kept.is_empty() {
                    self.kept.push(format!("  {id}  {title}: {}", kept.join(", ")));
                }
            }
            ImportEvent::Remark { line: at, message } => {
                self.remarks.push(format!("  line {at}: {}", line(&message)));
            }
            ImportEvent::Done { created, updated, unchanged } => {
                self.bar.finish_and_clear();
                self.done = if self.is_dry {
                    "nothing written".to_owned()
                } else {
                    format!("{created} created, {updated} updated, {unchanged} unchanged")
                };
            }
        }
    }

    fn summary(mut self) -> Vec<String> {
        let mut lines = vec![format!("{}: {}; {}", self.file, self.read, self.done)];
        let n_tasks = self.tasks.len();
        self.tasks.truncate(LISTED);
        lines.append(&mut self.tasks);
        if n_tasks > LISTED {
            lines.push(format!("  … and {} more", n_tasks - LISTED));
        }
        if !self.kept.is_empty() {
            lines.push("Kept as they are, because they were changed here:".to_owned());
            lines.append(&mut self.kept);
        }
        if !self.remarks.is_empty() {
            lines.push("Not understood, kept as text:".to_owned());
            lines.append(&mut self.remarks);
        }
        lines
    }
}
