//! `dormouse work show`.

use clap::Args;
use dormouse::view::{AgentWorkDetail, WorkRun};
use dormouse_types::Id as _;
use dormouse_types::work::RunState;
use dormouse_types::work_filter::EventFilter;
use dormouse_types::work_step::StepState;

use super::held::Holds;
use super::list::{starts, state};
use crate::failure::Failure;
use crate::find;
use crate::session::Session;
use crate::terminal::wrap::{self, Margin};
use crate::terminal::{line, markdown, time, titled};

#[derive(Debug, Args)]
pub struct Params {
    /// The agent work: the end of its id, or words of its title
    #[arg(required = true, value_name = "WORK")]
    work: Vec<String>,
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let found = find::work(session, &params.work.join(" ")).await?;
    let reply = session.client.get(&format!("/api/tasks/{}", found.id)).await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let AgentWorkDetail { task: work, runs, questions, .. } = reply.read()?;
    let (style, width) = (session.screen.style(), session.screen.prose_width());
    let minute = |at| time::minute(at, &session.zone);
    let mut lines = vec![style.bold(&line(titled(&work.title))), style.dim(work.id.as_str())];
    let mut facts = vec![("state", state(&work, &session.zone))];
    let reason = match work.run_state {
        Some(RunState::Queued) => Holds::read(&session.client).await?.reason(&work),
        _ => None,
    };
    facts.extend(reason.map(|reason| ("waits", reason)));
    facts.push(("schedule", starts(&work)));
    facts.extend(work.next_due_at.map(|at| ("next", minute(at))));
    if work.schedule.is_some() {
        let hours = work.catch_up_hours;
        facts.push(("missed", format!("{}, up to {hours} hours late", work.catch_up.name())));
        facts.push(("overlap", work.overlap.name().to_owned()));
    }
    facts.extend(work.model.clone().map(|model| ("model", model)));
    if let Some(built_in) = &work.built_in {
        facts.push(("read as", built_in.sentence.clone()));
    }
    facts.push(("version", work.version.to_string()));
    for (name, value) in facts {
        let first = format!("{name:<12}");
        let margin = Margin { first: &first, rest: "            " };
        lines.extend(wrap::text(&line(&value), width, margin));
    }
    lines.push(String::new());
    lines.push(markdown::render(&work.instructions, width, style));
    let not_understood = work.built_in.iter().flat_map(|it| &it.not_understood);
    let not_understood: Vec<&str> = not_understood.map(String::as_str).collect();
    if !not_understood.is_empty() {
        lines.push(String::new());
        let text = format!("not understood: {}", not_understood.join("; "));
        lines.extend(wrap::text(&line(&text), width, Margin { first: "", rest: "  " }));
    }
    if !work.events.is_empty() {
        lines.push(String::new());
        lines.push(style.bold("started by changes of tasks:"));
    }
    for event in &work.events {
        lines.extend(wrap::text(&line(&written(event)?), width, INDENT));
    }
    if !work.steps.is_empty() {
        lines.push(String::new());
        lines.push(style.bold("steps of the next run:"));
    }
    for (step, n) in work.steps.iter().zip(1..) {
        let must = if step.mandatory { "" } else { " (may be left out)" };
        let check = step.check.as_ref().map(|check| format!("; {}", check.describe()));
        let text = format!("{n}. {}{must}{}", step.text, check.unwrap_or_default());
        lines.extend(wrap::text(&line(&text), width, INDENT));
    }
    for question in &questions {
        lines.push(String::new());
        let until = minute(question.expires_at);
        lines.push(style.bold(&format!("it asks, until {until}:")));
        lines.extend(wrap::text(&line(&question.question), width, INDENT));
        for option in &question.options {
            lines.push(format!("  - {}", line(option)));
        }
        let command = session.command(&format!("work answer {} TEXT", work.id.short()));
        lines.push(format!("answer: {command}"));
    }
    if !runs.is_empty() {
        lines.push(String::new());
    }
    for run in &runs {
        lines.extend(described(run, width, minute));
    }
    lines.into_iter().for_each(|text| session.screen.say(text));
    Ok(())
}

/// A filter of changes as `--events` takes it.
fn written(event: &EventFilter) -> Result<String, Failure> {
    let mut written = serde_json::to_value(event)
        .map_err(|error| Failure::failed(format!("a filter cannot be written: {error}")))?;
    if let Some(members) = written.as_object_mut() {
        members.retain(|_, value| !value.is_null() && *value != serde_json::json!([]));
    }
    Ok(written.to_string())
}

const INDENT: Margin<'static> = Margin { first: "  ", rest: "  " };

/// A run in a few lines: when, how it ended, and what it says that it did.
pub(super) fn described(
    run: &WorkRun,
    width: usize,
    minute: impl Fn(dormouse_types::Timestamp) -> String,
) -> Vec<String> {
    let mut state = run.run_state.name().replace('_', " ");
    if let Some(reason) = run.skip_reason {
        state = format!("{state}: {}", reason.name());
    }
    let at = run.scheduled_for.or(run.started_at).unwrap_or(run.created);
    let mut lines = vec![format!("run {}  {}  {state}", run.n, minute(at))];
    lines.extend(run.revises.as_ref().map(|revised| format!("  revises {revised}")));
    for text in [&run.summary, &run.error].into_iter().flatten() {
        lines.extend(wrap::text(&line(text), width, INDENT));
    }
    for step in &run.steps {
        let mark = if step.state == StepState::Done { "x" } else { " " };
        let note = step.note.as_ref().map(|note| format!(": {note}")).unwrap_or_default();
        let text = format!("[{mark}] {}. {}{note}", step.n, step.step.text);
        lines.extend(wrap::text(&line(&text), width, INDENT));
    }
    lines
}
