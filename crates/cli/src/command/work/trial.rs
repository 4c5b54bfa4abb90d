//! `dormouse work try`: what a run that needs no language model would come to now.

use clap::Args;
use dormouse::view::{WorkInstruction, WorkTrial};
use dormouse_types::work_outcome::{BuiltInOutcome, CannotRunReason, NothingReason, WorkText};
use serde_json::json;

use super::add::with_wording;
use crate::failure::Failure;
use crate::session::Session;
use crate::terminal::{line, markdown};

#[derive(Debug, Args)]
pub struct Params {
    /// The instructions, in words that `work gallery` shows
    #[arg(required = true, value_name = "INSTRUCTIONS")]
    instructions: Vec<String>,
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let body = with_wording(session, json!({ "text": params.instructions.join(" ") }));
    let read: WorkInstruction = session.client.post("/api/work/read", body).await?.read()?;
    let language = session.wording.language.code();
    let body = json!({ "parameters": read.parameters, "lang": language });
    let reply = session.client.post("/api/work/try", body).await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let trial: WorkTrial = reply.read()?;
    session.screen.say(format!("read as: {}", line(&trial.sentence)));
    if !read.not_understood.is_empty() {
        let parts = read.not_understood.join("; ");
        session.screen.say(format!("not understood: {}", line(&parts)));
    }
    match &trial.outcome {
        BuiltInOutcome::Nothing { why } => {
            session.screen.say(format!("it would say nothing now: {}", nothing(*why)));
        }
        BuiltInOutcome::CannotRun { why, subject } => {
            session.screen.say(format!("it would fail: {}: {}", cannot_run(*why), line(subject)));
        }
        BuiltInOutcome::Text(text) => say_text(session, text),
        BuiltInOutcome::Proposals(proposals) => {
            say_text(session, &proposals.text);
            let does = if proposals.by_rule { "applied" } else { "proposed" };
            let n = proposals.calls.len() + proposals.new_tasks.len();
            session.screen.say(format!("changes that would be {does}: {n}"));
        }
    }
    session.screen.say("nothing was written");
    Ok(())
}

fn say_text(session: &mut Session, text: &WorkText) {
    let (style, width) = (session.screen.style(), session.screen.prose_width());
    session.screen.say(String::new());
    session.screen.say(style.bold(&line(&text.title)));
    session.screen.say(markdown::render(&text.markdown, width, style));
}

fn nothing(why: NothingReason) -> &'static str {
    match why {
        NothingReason::NothingThere => "there is nothing to report",
        NothingReason::NothingNew => "nothing is new since the last run",
        NothingReason::NothingTicked => "no item is ticked",
        NothingReason::StillOpen => "the task made last time is still open",
        NothingReason::StillProposed => "the same is already proposed",
    }
}

fn cannot_run(why: CannotRunReason) -> &'static str {
    match why {
        CannotRunReason::TaskGone => "this task does not exist any more",
        CannotRunReason::TaskClosed => "this task is closed",
        CannotRunReason::NoChecklist => "this task has no checklist",
    }
}
