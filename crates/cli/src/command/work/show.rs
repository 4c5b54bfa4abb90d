//! `dormouse work show`.

use clap::Args;
use dormouse::view::{AgentWorkDetail, WorkQuestion, WorkRun};
use dormouse_types::work::RunState;
use dormouse_types::work_filter::EventFilter;
use dormouse_types::work_step::StepState;
use dormouse_types::{Id as _, WorkRunId};

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
    let numbers = Numbers::of_questions(session, &runs, &questions).await;
    for question in &questions {
        lines.push(String::new());
        let until = minute(question.expires_at);
        let n = numbers.get(&question.run_id);
        let (asks, option) = match n {
            Some(n) => (format!("run {n} asks"), format!("--run {n} ")),
            None => ("it asks".to_owned(), String::new()),
        };
        lines.push(style.bold(&format!("{asks}, until {until}:")));
        lines.extend(wrap::text(&line(&question.question), width, INDENT));
        for option in &question.options {
            lines.push(format!("  - {}", line(option)));
        }
        let answer = format!("work answer {} {option}TEXT", work.id.short());
        let command = session.command(&answer);
        lines.push(format!("answer: {command}"));
    }
    if !runs.is_empty() {
        lines.push(String::new());
    }
    let numbers = Numbers::read(session, &runs).await;
    for (run, is_newest) in runs.iter().zip(std::iter::once(true).chain(std::iter::repeat(false))) {
        lines.extend(described(run, &numbers, width, minute));
        // What a language model published is in its log, with the call that did it.
        let result = run.result.as_ref().filter(|_| is_newest && work.built_in.is_some());
        if let Some(result) = result {
            let rendered = markdown::render(result, width.saturating_sub(2), style);
            lines.extend(rendered.lines().map(|text| format!("  {text}").trim_end().to_owned()));
        }
    }
    if runs.last().is_some_and(|oldest| oldest.n > 1) {
        let command = session.command(&format!("work runs {}", work.id.short()));
        lines.push(format!("earlier runs: {command}"));
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

/// The numbers of the runs that others revise.
pub(super) struct Numbers(Vec<(WorkRunId, i64)>);

impl Numbers {
    /// Those that runs revise.
    pub(super) async fn read(session: &Session, runs: &[WorkRun]) -> Self {
        let known = runs.iter().map(|run| (run.id.clone(), run.n)).collect();
        Self::of(session, known, runs.iter().filter_map(|run| run.revises.as_ref())).await
    }

    /// Those of the wanted runs that are not known, with the known ones.
    pub(super) async fn of(
        session: &Session,
        known: Vec<(WorkRunId, i64)>,
        wanted: impl Iterator<Item = &WorkRunId>,
    ) -> Self {
        let mut numbers = Self(known);
        for id in wanted {
            if numbers.get(id).is_some() {
                continue;
            }
            // Its id names a run that cannot be read.
            let Ok(reply) = session.client.get(&format!("/api/runs/{id}")).await else { continue };
            if let Ok(run) = reply.read::<WorkRun>() {
                numbers.0.push((run.id, run.n));
            }
        }
        numbers
    }

    /// Those of the runs that ask.
    pub(super) async fn of_questions(
        session: &Session,
        runs: &[WorkRun],
        questions: &[WorkQuestion],
    ) -> Self {
        let known = runs.iter().map(|run| (run.id.clone(), run.n)).collect();
        Self::of(session, known, questions.iter().map(|question| &question.run_id)).await
    }

    pub(super) fn get(&self, id: &WorkRunId) -> Option<i64> {
        self.0.iter().find(|(one, _)| one == id).map(|(_, n)| *n)
    }

    /// The run that another revises, as it is named.
    pub(super) fn revised(&self, id: &WorkRunId) -> String {
        match self.get(id) {
            Some(n) => format!("revises run {n}"),
            None => format!("revises {id}"),
        }
    }
}

/// A run in a few lines: when, how it ended, and what it says that it did.
pub(super) fn described(
    run: &WorkRun,
    numbers: &Numbers,
    width: usize,
    minute: impl Fn(dormouse_types::Timestamp) -> String,
) -> Vec<String> {
    let mut state = run.run_state.name().replace('_', " ");
    if let Some(reason) = run.skip_reason {
        state = format!("{state}: {}", reason.name());
    }
    let at = run.scheduled_for.or(run.started_at).unwrap_or(run.created);
    let mut lines = vec![format!("run {}  {}  {state}", run.n, minute(at))];
    lines.extend(run.revises.as_ref().map(|id| format!("  {}", numbers.revised(id))));
    let error = run.error.as_ref().filter(|error| run.summary.as_ref() != Some(*error));
    for text in run.summary.iter().chain(error) {
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
