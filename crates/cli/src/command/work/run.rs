//! `dormouse work run` and `dormouse work retry`; and the wait for the end of a run.

use clap::Args;
use dormouse::view::{AgentWork, AgentWorkDetail, Page, WorkQuestion, WorkRun};
use dormouse_types::work::RunState;
use dormouse_types::{Id as _, WorkId, WorkRunId};
use serde_json::json;

use super::held::Holds;
use super::name::{named, quoted};
use super::show;
use crate::client::path;
use crate::failure::Failure;
use crate::find;
use crate::session::Session;
use crate::terminal::{line, markdown, time};

#[derive(Debug, Args)]
pub struct Params {
    /// The agent work: the end of its id, or words of its title
    #[arg(required = true, value_name = "WORK")]
    work: Vec<String>,
}

#[derive(Debug, Args)]
pub struct RetryParams {
    /// The agent work: the end of its id, or words of its title
    #[arg(required = true, value_name = "WORK")]
    work: Vec<String>,
    /// The number of the run; without it, the newest
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..))]
    run: Option<i64>,
}

pub async fn now(session: &mut Session, params: Params) -> Result<(), Failure> {
    let work = find::work(session, &params.work.join(" ")).await?;
    let to = format!("/api/tasks/{}/run", work.id);
    let run: WorkRun = session.client.post(&to, json!({})).await?.read()?;
    let ended = wait(session, &run.id).await?;
    succeeded(&work, &ended)
}

pub async fn retry(session: &mut Session, params: RetryParams) -> Result<(), Failure> {
    let work = find::work(session, &params.work.join(" ")).await?;
    let run = match (params.run, &work.latest_run) {
        (Some(n), _) => numbered(session, &work, n).await?.id,
        (None, Some(run)) => run.clone(),
        (None, None) => {
            let command = session.command(&format!("work run {}", work.id.short()));
            return Err(Failure::failed(format!("{} has not run", named(&work)))
                .hint(format!("{command} runs it")));
        }
    };
    if let Err(mut failure) =
        session.client.post(&format!("/api/runs/{run}/retry"), json!({})).await
    {
        let n = match session.client.get(&format!("/api/runs/{run}")).await {
            Ok(reply) => reply.read::<WorkRun>()?.n,
            Err(_) => return Err(failure),
        };
        let name = format!("run {n} of {}", quoted(&work));
        failure.message = failure.message.replace(&format!("run {run}"), &name);
        return Err(failure);
    }
    let ended = wait(session, &run).await?;
    succeeded(&work, &ended)
}

/// Errors: the run failed, or ended before it was done. Why is on the screen already.
fn succeeded(work: &AgentWork, run: &WorkRun) -> Result<(), Failure> {
    let how = match run.run_state {
        RunState::Failed => "failed",
        RunState::TimedOut => "took too long",
        RunState::Interrupted => "was interrupted",
        RunState::Expired => "waited too long for an answer",
        RunState::Queued
        | RunState::Running
        | RunState::NeedsInput
        | RunState::NeedsReview
        | RunState::Succeeded
        | RunState::NoOp
        | RunState::Cancelled
        | RunState::Skipped => return Ok(()),
    };
    Err(Failure::failed(format!("run {} of {} {how}", run.n, named(work))))
}

/// Lets a run go on here, or waits until the server has, and says how it ended or what it asks. Returns it as
/// it is then.
///
/// Errors: it cannot be read.
pub async fn wait(session: &mut Session, id: &WorkRunId) -> Result<WorkRun, Failure> {
    session.touch_run(id);
    session.wait().await;
    let reply = session.client.get(&format!("/api/runs/{id}")).await?;
    let run: WorkRun = reply.read()?;
    if session.print_body(&reply) {
        return Ok(run);
    }
    let (style, width) = (session.screen.style(), session.screen.prose_width());
    let minute = |at| time::minute(at, &session.zone);
    let numbers = show::Numbers::read(session, std::slice::from_ref(&run)).await;
    let mut lines = show::described(&run, &numbers, width, minute);
    if let (Some(title), Some(text)) = (&run.result_title, &run.result) {
        lines.push(String::new());
        lines.push(style.bold(&line(title)));
        lines.push(markdown::render(text, width, style));
    }
    let work = run.task_id.short();
    let hint = match run.run_state {
        RunState::NeedsInput => {
            lines.extend(question_lines(session, id).await?);
            Some(("answer", format!("work answer {work} --run {} TEXT", run.n)))
        }
        RunState::NeedsReview => Some(("decide", format!("work approve {work} --run {}", run.n))),
        RunState::Failed | RunState::TimedOut | RunState::Interrupted => {
            Some(("try it again", format!("work retry {work} --run {}", run.n)))
        }
        RunState::Queued | RunState::Running => {
            let detail = detail(session, &run.task_id).await?;
            let holds = Holds::read(&session.client).await?;
            if let Some(reason) = holds.reason(&detail.task) {
                lines.push(format!("  it waits: {}", line(&reason)));
                lines.push(format!("what to do: {}", session.command("attention list")));
            }
            Some(("follow it", format!("work show {work}")))
        }
        _ => None,
    };
    lines.extend(hint.map(|(what, rest)| format!("{what}: {}", session.command(&rest))));
    lines.into_iter().for_each(|text| session.screen.say(text));
    Ok(run)
}

/// What a run asks now.
async fn question_lines(session: &Session, id: &WorkRunId) -> Result<Vec<String>, Failure> {
    let reply = session.client.get(&format!("/api/runs/{id}/questions")).await?;
    let all: Page<WorkQuestion> = reply.read()?;
    let mut lines = Vec::new();
    for question in all.items.iter().filter(|question| question.is_open) {
        lines.push(format!("  it asks: {}", line(&question.question)));
        lines.extend(question.options.iter().map(|option| format!("  - {}", line(option))));
    }
    Ok(lines)
}

/// Finds a run of agent work by its number.
///
/// Errors: it has no such run.
pub async fn numbered(session: &Session, work: &AgentWork, n: i64) -> Result<WorkRun, Failure> {
    let before = n.saturating_add(1).to_string();
    let query = [("limit", "1"), ("cursor", before.as_str())];
    let list = path(&format!("/api/tasks/{}/runs", work.id), &query);
    let page: Page<WorkRun> = session.client.get(&list).await?.read()?;
    page.items.into_iter().find(|run| run.n == n).ok_or_else(|| {
        let command = session.command(&format!("work runs {}", work.id.short()));
        Failure::failed(format!("{} has no run {n}", named(work)))
            .hint(format!("{command} lists them"))
    })
}

/// Reads agent work with its newest runs and open questions.
pub async fn detail(session: &Session, id: &WorkId) -> Result<AgentWorkDetail, Failure> {
    session.client.get(&format!("/api/tasks/{id}")).await?.read()
}
