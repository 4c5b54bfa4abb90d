//! `dormouse work pause`, `resume`, `pause-all`, `resume-all`, `cancel`, `correct`, `edit` and `rm`.

use std::path::PathBuf;

use clap::Args;
use dormouse::view::{AgentWork, SchedulePreview};
use dormouse_types::Id as _;
use dormouse_types::work::{CatchUp, Overlap, RunState};
use serde_json::{Value, json};

use super::add::{catch_up, events_in, instructions_in, overlap, steps_in, with_wording};
use super::name::{by_title, named};
use super::{due, next, run};
use crate::client::Reply;
use crate::command::models::{Chooser, agree};
use crate::failure::Failure;
use crate::find;
use crate::session::Session;
use crate::terminal::time;
use crate::values::{self, Clearable};

#[derive(Debug, Args)]
pub struct Params {
    /// The agent work: the end of its id, or words of its title
    #[arg(required = true, value_name = "WORK")]
    work: Vec<String>,
}

#[derive(Debug, Args)]
pub struct CancelParams {
    /// The agent work: the end of its id, or words of its title
    #[arg(required = true, value_name = "WORK")]
    work: Vec<String>,
    /// The number of the run; without it, the newest that has not ended
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..))]
    run: Option<i64>,
}

#[derive(Debug, Args)]
pub struct ResumeParams {
    /// The agent work: the end of its id, or words of its title
    #[arg(required_unless_present = "held", conflicts_with = "held", value_name = "WORK")]
    work: Vec<String>,
    /// All that is held since the data was restored
    #[arg(long)]
    held: bool,
}

#[derive(Debug, Args)]
pub struct CorrectParams {
    /// The agent work; several words of its title in quotes
    work: String,
    /// What its runs are to do otherwise
    #[arg(required = true, value_name = "TEXT")]
    text: Vec<String>,
}

#[derive(Debug, Args)]
pub struct EditParams {
    /// The agent work: the end of its id, or words of its title
    #[arg(required = true, value_name = "WORK")]
    work: Vec<String>,
    #[command(flatten)]
    fields: Fields,
    /// Do not ask before it gets another model
    #[arg(long, short)]
    yes: bool,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
struct Fields {
    /// A new title
    #[arg(long)]
    title: Option<String>,
    /// The instructions of its runs, from the next run on
    #[arg(long, value_name = "TEXT", conflicts_with = "file")]
    instructions: Option<String>,
    /// Read the instructions from a file; `-` is standard input
    #[arg(long)]
    file: Option<PathBuf>,
    /// When it happens; nothing of it is due before now
    #[arg(long, value_name = "WORDS")]
    schedule: Option<String>,
    /// The changes of tasks that start it, as JSON, from now on; `[]` for none, `-` is standard input
    #[arg(long, value_name = "FILE")]
    events: Option<PathBuf>,
    /// Steps with their checks, as JSON, from the next run on; `[]` for none, `-` is standard input
    #[arg(long, value_name = "FILE")]
    steps: Option<PathBuf>,
    /// What was missed: once (runs the newest), all or skip
    #[arg(long, value_parser = catch_up, value_name = "POLICY")]
    catch_up: Option<CatchUp>,
    /// How many hours what was missed may be late and still run, up to 720
    #[arg(long, value_name = "HOURS", value_parser = clap::value_parser!(u16).range(1..=720))]
    catch_up_hours: Option<u16>,
    /// What is due during an earlier run: queue (one waits), skip or parallel
    #[arg(long, value_parser = overlap, value_name = "POLICY")]
    overlap: Option<Overlap>,
    /// The model it asks: provider/model, or workspace for that of the workspace
    #[arg(long, value_parser = values::model_or_workspace, value_name = "MODEL")]
    model: Option<Clearable<String>>,
    /// The template that its runs follow, or none
    #[arg(long, value_parser = values::text_or_none, value_name = "TEMPLATE")]
    template: Option<Clearable<String>>,
}

pub async fn pause(session: &mut Session, params: Params) -> Result<(), Failure> {
    let work = find::work(session, &params.work.join(" ")).await?;
    let reply = act(session, &work, "pause").await?;
    tell(session, &reply, "paused")
}

pub async fn resume(session: &mut Session, params: ResumeParams) -> Result<(), Failure> {
    if !params.held {
        let work = find::work(session, &params.work.join(" ")).await?;
        let reply = act(session, &work, "resume").await?;
        return tell(session, &reply, "resumed");
    }
    let held = find::all_work(session).await?.into_iter().filter(due::is_held);
    let mut resumed = Vec::new();
    for work in held {
        let reply = act(session, &work, "resume").await?;
        if !session.screen.is_json() {
            tell(session, &reply, "resumed")?;
        }
        resumed.push(reply.read::<Value>()?);
    }
    if session.screen.is_json() {
        session.screen.body(json!({ "items": resumed }).to_string().as_bytes());
    } else if resumed.is_empty() {
        session.screen.say("Nothing is held.");
    }
    Ok(())
}

pub async fn cancel(session: &mut Session, params: CancelParams) -> Result<(), Failure> {
    let work = find::work(session, &params.work.join(" ")).await?;
    let run = match params.run {
        Some(n) => run::numbered(session, &work, n).await?,
        None => {
            let runs = run::detail(session, &work.id).await?.runs;
            // To cancel twice changes nothing: a command whose answer was lost is repeated.
            let open = runs.iter().find(|run| !run.run_state.is_over());
            let cancelled = runs.first().filter(|run| run.run_state == RunState::Cancelled);
            let Some(open) = open.or(cancelled).cloned() else {
                let command = session.command(&format!("work show {}", work.id.short()));
                return Err(Failure::failed(format!("no run of {} is open", named(&work)))
                    .hint(format!("{command} shows its runs")));
            };
            open
        }
    };
    let body = json!({ "action": "cancel", "runId": run.id });
    let reply = session.client.patch(&format!("/api/tasks/{}", work.id), body).await?;
    if !session.print_body(&reply) {
        session.screen.say(format!("cancelled run {} of {}", run.n, named(&reply.read()?)));
    }
    Ok(())
}

pub async fn pause_all(session: &mut Session) -> Result<(), Failure> {
    let reply = session.client.post("/api/work/pause-all", json!({})).await?;
    if !session.print_body(&reply) {
        let body: Value = reply.read()?;
        let paused = match body["paused"].as_u64() {
            Some(1) => "paused 1 piece of agent work".to_owned(),
            n => format!("paused {} pieces of agent work", n.unwrap_or_default()),
        };
        let resume = session.command("work resume-all");
        session.screen.say(format!("{paused}; resume what was paused: {resume}"));
    }
    Ok(())
}

pub async fn resume_all(session: &mut Session) -> Result<(), Failure> {
    let reply = session.client.post("/api/work/resume-all", json!({})).await?;
    if !session.print_body(&reply) {
        let body: Value = reply.read()?;
        session.screen.say(match body["resumed"].as_u64().unwrap_or_default() {
            0 => "Nothing was paused with all agent work.".to_owned(),
            1 => "resumed 1 piece of agent work".to_owned(),
            n => format!("resumed {n} pieces of agent work"),
        });
    }
    Ok(())
}

pub async fn correct(session: &mut Session, params: CorrectParams) -> Result<(), Failure> {
    let work = find::work(session, &params.work).await?;
    let path = format!("/api/tasks/{}/corrections", work.id);
    let reply = session.client.post(&path, json!({ "text": params.text.join(" ") })).await?;
    if !session.print_body(&reply) {
        let runs = run::detail(session, &work.id).await?.runs;
        let is_under_way = runs.iter().any(|run| match run.run_state {
            RunState::Running | RunState::NeedsInput => true,
            RunState::Queued => run.started_at.is_some(),
            _ => false,
        });
        let reader = if is_under_way { "its next turn reads it" } else { "its next run reads it" };
        session.screen.say(format!("{}: {reader}, and all later runs", named(&work)));
    }
    Ok(())
}

/// Whether words of a schedule say that there is to be none.
fn removes(words: &str) -> bool {
    let words = words.trim();
    words.is_empty() || words.eq_ignore_ascii_case("none")
}

pub async fn edit(session: &mut Session, params: EditParams) -> Result<(), Failure> {
    let work = find::work(session, &params.work.join(" ")).await?;
    let Fields { title, instructions, file, schedule, steps, catch_up, .. } = params.fields;
    let Fields { catch_up_hours, overlap, model, template, events, .. } = params.fields;
    if schedule.as_deref().is_some_and(removes) {
        let command = |verb| session.command(&format!("work {verb} {}", work.id.short()));
        let (pause, remove) = (command("pause"), command("rm"));
        return Err(Failure::usage(format!("the schedule of {} cannot be removed", named(&work)))
            .hint(format!("pause it: {pause}; or remove it: {remove}")));
    }
    let events = events.as_deref().map(events_in).transpose()?;
    let steps = steps.as_deref().map(steps_in).transpose()?;
    let instructions = match &file {
        Some(file) => Some(instructions_in(file)?),
        None => instructions,
    };
    let mut body = json!({
        "title": title,
        "instructions": instructions,
        "schedule": schedule,
        "events": events,
        "steps": steps,
        "catchUp": catch_up.map(CatchUp::name),
        "catchUpHours": catch_up_hours,
        "overlap": overlap.map(Overlap::name),
    });
    if let Some(fields) = body.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    if let Some(Clearable(model)) = model {
        body["model"] = json!(model);
    }
    if let Some(Clearable(template)) = template {
        body["templateId"] = match template {
            Some(text) => json!(find::template(session, &text).await?.id),
            None => Value::Null,
        };
    }
    // `null` means none.
    let changed = |field: &str| body.get(field).map(|value| value.as_str().unwrap_or("none"));
    let (model, template) = (changed("model"), changed("templateId"));
    if model.is_some() || template.is_some() {
        let chooser = Chooser::Work(&work.id, &work.title, model, template);
        agree(session, &chooser, params.yes).await?;
    }
    if let Some(words) = &schedule {
        let preview: SchedulePreview = next::preview(session, words).await?.read()?;
        next::say(session, &preview);
        body = with_wording(session, body);
    }
    let reply = session.client.patch(&format!("/api/tasks/{}", work.id), body).await?;
    tell(session, &reply, "changed")
}

pub async fn remove(session: &mut Session, params: Params) -> Result<(), Failure> {
    let work = find::work(session, &params.work.join(" ")).await?;
    let reply = session.client.delete(&format!("/api/tasks/{}", work.id)).await?;
    if !session.print_body(&reply) {
        session.screen.say(format!("removed {}", named(&reply.read()?)));
    }
    Ok(())
}

async fn act(session: &Session, work: &AgentWork, action: &str) -> Result<Reply, Failure> {
    let path = format!("/api/tasks/{}", work.id);
    let reply = session.client.patch(&path, json!({ "action": action })).await;
    reply.map_err(|failure| by_title(failure, work))
}

pub fn tell(session: &mut Session, reply: &Reply, what: &str) -> Result<(), Failure> {
    if !session.print_body(reply) {
        let work: AgentWork = reply.read()?;
        let next = work.next_due_at.map(|at| format!(", next {}", time::minute(at, &session.zone)));
        session.screen.say(format!("{what} {}{}", named(&work), next.unwrap_or_default()));
    }
    Ok(())
}
