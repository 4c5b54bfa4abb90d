//! `dormouse import`: tasks from files.

mod columns;
mod edit;
mod files;
mod plan;
mod progress;

use dormouse::ProblemKind;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use axum::body::Bytes;
use clap::Args;
use dormouse::imports::{DayOrder, ImportAgents, ImportPlan};
use dormouse::view::ImportEvent;
use dormouse_formats::plan as formats_plan;
use dormouse_types::draft::Format;
use serde_json::{Value, json};

use crate::client::path;
use crate::failure::Failure;
use crate::session::Session;
use crate::terminal::counted;
use files::Source;
use progress::Progress;

/// Reads task lists in the formats that `--format` names; the content of a file decides which. In a terminal you see the plan first: what each line
/// becomes, for you to accept, correct or decline. You can import the same file again: your changes
/// in Dormouse are kept, and what you corrected stays corrected.
#[derive(Debug, Args)]
pub struct Params {
    /// Files, or folders of files; `-` reads standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Which tasks get an agent: none, suggested (open tasks with a lot of text) or all
    /// [default: suggested with a plan, else none]
    #[arg(long, value_name = "WHICH")]
    agents: Option<ImportAgents>,
    /// Give every task that is not finished an agent: short for --agents all
    #[arg(long, conflicts_with = "agents")]
    with_agents: bool,
    #[arg(long, value_name = "FORMAT", value_parser = format, help = format_help())]
    format: Option<Format>,
    /// Only show the plan; write nothing
    #[arg(long)]
    dry_run: bool,
    /// Show the plan and ask, even if this is not a terminal; answers are read from standard input
    #[arg(long, conflicts_with_all = ["dry_run", "yes"])]
    plan: bool,
    /// Write without asking
    #[arg(long, short)]
    yes: bool,
}

/// Names every format that there is.
fn format_help() -> String {
    let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
    format!(
        "Read the files as this, whatever they look like: {}. `json` is an export of Dormouse; other JSON is \
         recognized by what is in it",
        names.join(", ")
    )
}

fn format(text: &str) -> Result<Format, String> {
    // The refusal lists the names.
    Format::known_as(text).map_or_else(|| text.parse().map_err(|e| format!("{e}")), Ok)
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let n_stdin = params.files.iter().filter(|file| *file == Path::new("-")).count();
    let is_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let has_plan = params.plan || (is_terminal && !params.yes && !params.dry_run);
    let has_plan = has_plan && !session.screen.is_json();
    if params.plan && n_stdin > 0 {
        let both = "standard input cannot be both the file and the answers";
        return Err(Failure::usage(both).hint("save the list as a file, or leave out --plan"));
    }
    let (files, refused) = files::named(&params.files);
    let mut left_out = LeftOut::of(files.len() + refused.len());
    for failure in refused {
        left_out.add(session, failure)?;
    }
    let mut sources = Vec::with_capacity(files.len());
    for file in &files {
        match files::read(file) {
            Ok(source) => sources.push(source),
            Err(failure) => left_out.add(session, failure)?,
        }
    }
    let with_plan = has_plan || params.dry_run;
    let agents = params.agents.unwrap_or(match (params.with_agents, with_plan) {
        (true, _) => ImportAgents::All,
        (false, true) => ImportAgents::Suggested,
        (false, false) => ImportAgents::None,
    });
    let day_order = session.wording.order;
    let request = Request { agents, format: params.format, day_order };
    if params.dry_run {
        show(session, &request, &sources, &mut left_out).await?;
        return left_out.end(session);
    }
    let digests = if has_plan {
        let Some(digests) = settle(session, &request, &mut sources, &mut left_out).await? else {
            session.screen.say("Nothing was written.");
            return left_out.end(session);
        };
        digests.into_iter().map(Some).collect()
    } else {
        vec![None; sources.len()]
    };
    for (source, digest) in sources.iter().zip(digests) {
        let imported = import(session, &request, source, digest.as_deref()).await;
        left_out.unless_refused(session, imported)?;
        session.flush();
    }
    left_out.end(session)
}

/// Files that cannot be read as lists, such as pictures. Of several files the others are imported; a
/// single one is refused.
struct LeftOut {
    messages: Vec<String>,
    n_files: usize,
}

impl LeftOut {
    fn of(n_files: usize) -> Self {
        Self { messages: Vec::new(), n_files }
    }

    /// Leaves a file out, and says so.
    fn add(&mut self, session: &mut Session, failure: Failure) -> Result<(), Failure> {
        if self.n_files == 1 {
            return Err(failure);
        }
        session.screen.say(format!("left out: {}", failure.message));
        self.messages.push(failure.message);
        Ok(())
    }

    /// The outcome of a file; `None` if it is left out because of what is in it.
    fn unless_refused<T>(
        &mut self,
        session: &mut Session,
        made: Result<T, Failure>,
    ) -> Result<Option<T>, Failure> {
        match made {
            Ok(made) => Ok(Some(made)),
            Err(failure) if REFUSED.iter().any(|kind| failure.is(*kind)) => {
                self.add(session, failure).map(|()| None)
            }
            Err(failure) => Err(failure),
        }
    }

    fn end(self, session: &Session) -> Result<(), Failure> {
        if self.messages.is_empty() {
            return Ok(());
        }
        let n = self.messages.len();
        let failure = Failure::failed(format!("{n} of {} files were left out", self.n_files));
        // The others have been said as they came.
        let more = if session.screen.is_json() { self.messages } else { Vec::new() };
        Err(Failure { more, ..failure })
    }
}

/// The problems that are of one file.
const REFUSED: &[ProblemKind] =
    &[ProblemKind::ImportFailed, ProblemKind::PayloadTooLarge, ProblemKind::ValidationFailed];

/// What holds for all files.
struct Request {
    agents: ImportAgents,
    format: Option<Format>,
    day_order: DayOrder,
}

impl Request {
    fn path(&self, name: &str, is_dry: bool) -> String {
        let (agents, day_order) = (self.agents.name(), self.day_order.name());
        let mut query = vec![("name", name), ("agents", agents), ("dayOrder", day_order)];
        if is_dry {
            query.push(("dryRun", "true"));
        }
        query.extend(self.format.map(|format| ("format", format.name())));
        path("/api/imports", &query)
    }
}

/// The media type of a file as it is; the content decides what it is read as.
const PLAIN: &str = "text/markdown";
/// The media type of a text with its corrections.
const CORRECTED: &str = "application/vnd.dormouse.import+json";

/// The body of a request, with its media type.
///
/// A plan and the import that it is for are of the same text, so the file goes as it is only if its
/// text has the same bytes: lines that end with CRLF, and a mark of the byte order, are no text.
fn body(source: &Source, digest: Option<&str>) -> Result<(&'static str, Bytes), Failure> {
    let is_plain = digest.is_none() && source.corrections.is_empty() && source.columns.is_none();
    let text = match formats_plan::decode(&source.name, &source.bytes) {
        Ok(text) if is_plain && text.as_bytes() == source.bytes => None,
        // The answer of the server says what is wrong with it.
        Err(_) if is_plain => None,
        text => Some(text.map_err(|error| Failure::failed(format!("{}: {error}", source.name)))?),
    };
    let Some(text) = text else { return Ok((PLAIN, source.bytes.clone())) };
    let body = json!({"text": text, "digest": digest, "corrections": source.corrections,
        "columns": source.columns});
    Ok((CORRECTED, body.to_string().into()))
}

fn text_of(source: &Source) -> Result<String, Failure> {
    let text = formats_plan::decode(&source.name, &source.bytes);
    text.map_err(|error| Failure::failed(format!("{}: {error}", source.name)))
}

async fn plan_of(
    session: &Session,
    request: &Request,
    source: &Source,
) -> Result<(ImportPlan, Bytes), Failure> {
    let (kind, body) = body(source, None)?;
    let reply = session.client.post_body(&request.path(&source.name, true), kind, body).await;
    let reply = reply.map_err(|failure| in_file(failure, &source.name))?;
    Ok((reply.read()?, reply.body))
}

/// Prints the plans and writes nothing.
async fn show(
    session: &mut Session,
    request: &Request,
    sources: &[Source],
    left_out: &mut LeftOut,
) -> Result<(), Failure> {
    for source in sources {
        let plan = plan_of(session, request, source).await;
        let Some((made, raw)) = left_out.unless_refused(session, plan)? else { continue };
        session.screen.is_json().then(|| session.screen.body(&raw));
        for text in plan::lines(&made, &text_of(source)?, request.agents, &session.screen) {
            session.screen.say(text);
        }
    }
    session.screen.say("Nothing was written.");
    Ok(())
}

/// Shows the plans until the person accepts them; `None` if they decline. Returns the digests of
/// the accepted plans.
async fn settle(
    session: &mut Session,
    request: &Request,
    sources: &mut Vec<Source>,
    left_out: &mut LeftOut,
) -> Result<Option<Vec<String>>, Failure> {
    let mut unread = None;
    loop {
        let mut plans = Vec::with_capacity(sources.len());
        for source in std::mem::take(sources) {
            let plan = plan_of(session, request, &source).await;
            let Some((made, _)) = left_out.unless_refused(session, plan)? else { continue };
            for text in plan::lines(&made, &text_of(&source)?, request.agents, &session.screen) {
                session.screen.say(text);
            }
            plans.push(made);
            sources.push(source);
        }
        if sources.is_empty() {
            return Ok(None);
        }
        loop {
            let question = plan::question(&plans);
            let answer = session
                .screen
                .ask(&question)
                .map_err(|error| Failure::failed(format!("the answer cannot be read: {error}")))?;
            match answer.as_deref().map(str::to_lowercase).as_deref() {
                Some("y" | "yes") => {
                    let digests = plans.iter().map(|plan| plan.digest.to_string());
                    return Ok(Some(digests.collect()));
                }
                None | Some("n" | "no" | "q" | "quit") => return Ok(None),
                Some("e" | "edit") => {
                    if edit_all(session, request, sources, &plans, &mut unread).await? {
                        break;
                    }
                }
                Some(_) => session.screen.say("Please answer y, n or e."),
            }
        }
    }
}

/// Opens the plans in an editor. Returns false if nothing changed, or if what was written cannot be
/// understood; then nothing is changed either, and the next time the editor opens with it. Says which.
async fn edit_all(
    session: &mut Session,
    request: &Request,
    sources: &mut [Source],
    plans: &[ImportPlan],
    unread: &mut Option<String>,
) -> Result<bool, Failure> {
    let mut texts = Vec::with_capacity(sources.len());
    for source in sources.iter() {
        texts.push(text_of(source)?);
    }
    let before = unread.take().unwrap_or_else(|| edit::document(plans, &texts, request.agents));
    let after = edit::in_editor(&before, &session.editor)?;
    let changed = match edit::corrections(plans, &texts, request.agents, &after) {
        Ok(changed) => changed,
        Err(message) => {
            session.screen.say(message);
            session.screen.say("None of your edits were applied. Answer e to continue editing.");
            *unread = Some(after);
            return Ok(false);
        }
    };
    if changed.iter().all(|made| made.corrections.is_empty() && made.columns.is_none()) {
        session.screen.say("Nothing changed.");
        return Ok(false);
    }
    let mut is_changed = false;
    for (source, changes) in sources.iter_mut().zip(changed) {
        if changes.corrections.is_empty() && changes.columns.is_none() {
            continue;
        }
        let corrections = edit::merged(&source.corrections, changes.corrections);
        let earlier = std::mem::replace(&mut source.corrections, corrections);
        let columns = changes.columns.or_else(|| source.columns.clone());
        let earlier_columns = std::mem::replace(&mut source.columns, columns);
        if let Err(failure) = plan_of(session, request, source).await {
            session.screen.say(format!("{}: {}", source.name, failure.message));
            (source.corrections, source.columns) = (earlier, earlier_columns);
            continue;
        }
        is_changed = true;
    }
    Ok(is_changed)
}

async fn import(
    session: &mut Session,
    request: &Request,
    source: &Source,
    digest: Option<&str>,
) -> Result<(), Failure> {
    let name = &source.name;
    let (kind, body) = body(source, digest)?;
    let lines = session.client.upload(&request.path(name, false), kind, body).await;
    let mut lines = lines.map_err(|failure| in_file(failure, name))?;
    let mut progress = Progress::new(name);
    while let Some(text) = lines.next().await? {
        if session.screen.is_json() {
            session.screen.body(&text);
            // A line says that a task is durable: a reader of the output learns it now.
            session.flush();
        }
        let value: Value = read_json(&text)?;
        if value["event"] == "problem" {
            progress.clear();
            let problem = Bytes::from(value["problem"].to_string());
            return Err(in_file(Failure::refused(0, problem), name));
        }
        let event: ImportEvent = read_json(&text)?;
        if let ImportEvent::Task { task_id, agent_id, .. } = &event {
            session.touch_task(task_id);
            agent_id.iter().for_each(|agent| session.touch_agent(agent));
        }
        progress.take(event);
    }
    let n_refused = progress.n_refused;
    for text in progress.summary() {
        session.screen.say(text);
    }
    match n_refused {
        0 => Ok(()),
        n => Err(Failure::failed(format!("{name}: {} not written", counted(n, "task")))),
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
