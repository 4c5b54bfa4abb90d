//! `dormouse work add`.

use std::path::{Path, PathBuf};

use clap::Args;
use dormouse::view::{AgentWork, SchedulePreview, WorkPreview};
use dormouse_types::limits;
use dormouse_types::work::{CatchUp, Overlap, WorkStart};
use serde_json::{Value, json};

use super::name::named;
use super::next;
use crate::command::models::{Chooser, agree};
use crate::failure::Failure;
use crate::find;
use crate::input;
use crate::session::Session;
use crate::terminal::{line, time};

#[derive(Debug, Args)]
pub struct Params {
    /// Its title
    #[arg(required = true, value_name = "TITLE")]
    title: Vec<String>,
    #[command(flatten)]
    instructions: Instructions,
    /// When it happens, such as `every weekday at 9` or `last Friday of the month`; without a
    /// schedule it runs once, now
    #[arg(long, value_name = "WORDS")]
    schedule: Option<String>,
    /// The changes of tasks that start it, as JSON: `[{"event": "fieldSet", "field": "dueDate"}]`; `-` is
    /// standard input
    #[arg(long, value_name = "FILE")]
    events: Option<PathBuf>,
    /// Do not run it now: calls of a hook start it, which is made with `work hook add`
    #[arg(long)]
    waits_for_calls: bool,
    /// What was missed: once (runs the newest), all or skip
    #[arg(long, value_parser = catch_up, value_name = "POLICY")]
    catch_up: Option<CatchUp>,
    /// How many hours what was missed may be late and still run, up to 720; by default 24
    #[arg(long, value_name = "HOURS", value_parser = clap::value_parser!(u16).range(1..=720))]
    catch_up_hours: Option<u16>,
    /// What is due during an earlier run: queue (one waits), skip or parallel
    #[arg(long, value_parser = overlap, value_name = "POLICY")]
    overlap: Option<Overlap>,
    /// Something that its runs have to do, one after another; may be repeated
    #[arg(long = "step", value_name = "TEXT", conflicts_with = "steps")]
    step: Vec<String>,
    /// Steps with their checks, as JSON: `[{"text": "…", "mandatory": true, "check": {"type": "words",
    /// "most": 200}}]`; `-` is standard input
    #[arg(long, value_name = "FILE")]
    steps: Option<PathBuf>,
    /// The model it asks, `provider/model`; by default that of its template, or of the workspace
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// The template that its runs follow: the end of its id, or words of its name
    #[arg(long, value_name = "TEMPLATE")]
    template: Option<String>,
    /// Show when it would run, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Do not ask before it gets a model
    #[arg(long, short)]
    yes: bool,
}

/// The instructions of the runs.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Instructions {
    /// The instructions of its runs
    #[arg(long, value_name = "TEXT")]
    instructions: Option<String>,
    /// Read the instructions from a file; `-` is standard input
    #[arg(long)]
    file: Option<PathBuf>,
}

/// Reads the policy for missed runs.
///
/// Errors: the text is invalid; the message names the accepted values.
pub fn catch_up(text: &str) -> Result<CatchUp, String> {
    text.parse().map_err(|e: dormouse_types::closed_list::NotListed| e.to_string())
}

/// Reads the policy for runs that are due while an earlier one is under way.
///
/// Errors: the text is invalid; the message names the accepted values.
pub fn overlap(text: &str) -> Result<Overlap, String> {
    text.parse().map_err(|e: dormouse_types::closed_list::NotListed| e.to_string())
}

/// Reads instructions from a file.
///
/// Errors: it cannot be read, is too long, or is not UTF-8 text.
pub fn instructions_in(file: &Path) -> Result<String, Failure> {
    let bytes = input::read(file, limits::WORK_INSTRUCTIONS)?;
    String::from_utf8(bytes).map_err(|_| {
        Failure::failed(format!("{} is not UTF-8 text", file.display()))
            .hint("save it as UTF-8 and try again")
    })
}

/// Reads steps from a file.
///
/// Errors: it cannot be read, is too long, or is no JSON.
pub fn steps_in(file: &Path) -> Result<Value, Failure> {
    let bytes = input::read(file, limits::TOOL_ARGS)?;
    serde_json::from_slice(&bytes).map_err(|error| {
        Failure::failed(format!("{} is no JSON: {error}", file.display()))
            .hint("write a list of steps, such as [{\"text\": \"Sum up\", \"mandatory\": true}]")
    })
}

/// Reads filters of changes from a file.
///
/// Errors: it cannot be read, is too long, or is no JSON.
pub fn events_in(file: &Path) -> Result<Value, Failure> {
    let bytes = input::read(file, limits::TOOL_ARGS)?;
    serde_json::from_slice(&bytes).map_err(|error| {
        Failure::failed(format!("{} is no JSON: {error}", file.display()))
            .hint("write a list of changes, such as [{\"event\": \"created\"}]")
    })
}

/// Adds how the person writes dates to a body that has words of a schedule.
pub fn with_wording(session: &Session, mut body: Value) -> Value {
    body["dayOrder"] = json!(session.wording.order.to_string());
    body["lang"] = json!(session.wording.language.code());
    body
}

/// Says what starts work; what happens at once is seen anyway.
fn say_start(session: &mut Session, preview: &WorkPreview, is_dry_run: bool) {
    if let Some(schedule) = &preview.schedule {
        return next::say(session, schedule);
    }
    if !is_dry_run {
        return;
    }
    session.screen.say(match preview.starts {
        WorkStart::Calls => "it would run when a hook of it is called",
        WorkStart::Changes => "it would run when a task changes in one of these ways",
        WorkStart::Now | WorkStart::Schedule => "it would run once, now",
    });
    if let Some(words) = &preview.usual_schedule {
        session.screen.say(format!("its usual time: --schedule '{}'", line(words)));
    }
}

/// Says which language model reads the instructions; or what they mean, and which parts of them are not understood.
fn say_reading(session: &mut Session, preview: &WorkPreview) {
    if let Some(model) = &preview.model {
        session.screen.say(format!("read by: {}", line(model)));
    }
    if let Some(sentence) = &preview.sentence {
        session.screen.say(format!("read as: {}", line(sentence)));
    }
    if !preview.not_understood.is_empty() {
        let parts = preview.not_understood.join("; ");
        session.screen.say(format!("not understood: {}", line(&parts)));
    }
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let title = params.title.join(" ");
    if title.trim().is_empty() {
        return Err(Failure::usage("the title is blank: write one"));
    }
    let Instructions { instructions, file } = params.instructions;
    let instructions = match (instructions, &file) {
        (_, Some(file)) => instructions_in(file)?,
        (text, None) => text.unwrap_or_default(),
    };
    let steps = match &params.steps {
        Some(file) => Some(steps_in(file)?),
        None if params.step.is_empty() => None,
        None => {
            let step = |text: &String| json!({ "text": text, "mandatory": true });
            Some(Value::Array(params.step.iter().map(step).collect()))
        }
    };
    let events = params.events.as_deref().map(events_in).transpose()?;
    let template = match &params.template {
        Some(text) => Some(find::template(session, text).await?.id),
        None => None,
    };
    if let Some(words) = &params.schedule {
        let schedule = next::preview(session, words).await?;
        next::say(session, &schedule.read::<SchedulePreview>()?);
    }
    let mut body = json!({
        "title": title,
        "instructions": instructions,
        "schedule": params.schedule,
        "waitsForCalls": params.waits_for_calls.then_some(true),
        "events": events,
        "steps": steps,
        "catchUp": params.catch_up.map(CatchUp::name),
        "catchUpHours": params.catch_up_hours,
        "overlap": params.overlap.map(Overlap::name),
        "model": params.model,
        "templateId": template,
    });
    if let Some(fields) = body.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    if params.schedule.is_some() {
        body = with_wording(session, body);
    }
    // What was understood is seen even if the rest is refused.
    session.flush();
    let reply = session.client.post("/api/work/preview", body.clone()).await?;
    let preview: WorkPreview = reply.read()?;
    if params.schedule.is_none() {
        say_start(session, &preview, params.dry_run);
    }
    say_reading(session, &preview);
    if params.dry_run {
        session.print_body(&reply);
        session.screen.say("nothing was written");
        return Ok(());
    }
    session.flush();
    if params.model.is_some() || template.is_some() {
        let chooser = Chooser::NewWork(params.model.as_deref(), template.as_ref());
        agree(session, &chooser, params.yes).await?;
    }
    let reply = session.client.post("/api/tasks", body).await?;
    let work: AgentWork = reply.read()?;
    let next = work.next_due_at.map(|at| format!(", next {}", time::minute(at, &session.zone)));
    session.screen.say(format!("added {}{}", named(&work), next.unwrap_or_default()));
    match &work.latest_run {
        Some(id) => _ = super::run::wait(session, id).await?,
        None => _ = session.print_body(&reply),
    }
    if let Some(words) = &preview.usual_schedule {
        let words = line(words);
        let text = "it runs once; to repeat it at its usual time, add it again with";
        session.screen.say(format!("{text} --schedule '{words}'"));
    }
    Ok(())
}
