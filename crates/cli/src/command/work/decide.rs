//! `dormouse work answer`, `approve` and `decline`: what only the person decides.

use clap::Args;
use dormouse::view::AgentWorkDetail;
use dormouse_types::work::RunState;
use dormouse_types::{Id as _, WorkRunId};
use serde_json::json;

use super::name::named;
use super::run;
use super::show::Numbers;
use crate::failure::Failure;
use crate::find;
use crate::session::Session;
use crate::terminal::line;

#[derive(Debug, Args)]
pub struct AnswerParams {
    /// The agent work; several words of its title in quotes
    work: String,
    /// The answer: one of the options, or other words
    #[arg(required = true, value_name = "TEXT")]
    answer: Vec<String>,
    /// The number of the run that asks, if several do
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..))]
    run: Option<i64>,
    /// The question, if several wait: the end of its id
    #[arg(long, value_name = "ID")]
    question: Option<String>,
}

#[derive(Debug, Args)]
pub struct ApproveParams {
    /// The agent work: the end of its id, or words of its title
    #[arg(required = true, value_name = "WORK")]
    work: Vec<String>,
    /// The number of the run; without it, the newest that waits for a review
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..))]
    run: Option<i64>,
}

#[derive(Debug, Args)]
pub struct DeclineParams {
    /// The agent work: the end of its id, or words of its title
    #[arg(required = true, value_name = "WORK")]
    work: Vec<String>,
    /// The number of the run; without it, the newest that waits for a review
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..))]
    run: Option<i64>,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

pub async fn answer(session: &mut Session, params: AnswerParams) -> Result<(), Failure> {
    let work = find::work(session, &params.work).await?;
    let AgentWorkDetail { runs, mut questions, .. } = run::detail(session, &work.id).await?;
    let asks_nothing = match params.run {
        Some(n) => {
            let run = run::numbered(session, &work, n).await?;
            questions.retain(|question| question.run_id == run.id);
            format!("run {n} of {} asks nothing", named(&work))
        }
        None => format!("{} asks nothing", named(&work)),
    };
    if let Some(id) = &params.question {
        questions.retain(|question| question.id.as_str().ends_with(id.as_str()));
    }
    let question = match questions.as_slice() {
        [question] => question,
        [] => {
            let command = session.command(&format!("work show {}", work.id.short()));
            return Err(Failure::failed(asks_nothing).hint(format!("{command} shows its runs")));
        }
        several => {
            let asks = format!("{} asks {} questions", named(&work), several.len());
            let command = format!("work answer {} --run N TEXT", work.id.short());
            let hint = format!("name the run: {}", session.command(&command));
            let mut failure = Failure::usage(asks).hint(hint);
            let numbers = Numbers::of_questions(session, &runs, several).await;
            failure.more = several
                .iter()
                .map(|it| match numbers.get(&it.run_id) {
                    Some(n) => format!("run {n}: {}", line(&it.question)),
                    None => format!("{}: {}", it.run_id, line(&it.question)),
                })
                .collect();
            return Err(failure);
        }
    };
    let path = format!("/api/questions/{}/answer", question.id);
    session.client.post(&path, json!({ "answer": params.answer.join(" ") })).await?;
    run::wait(session, &question.run_id).await.map(|_run| ())
}

pub async fn approve(session: &mut Session, params: ApproveParams) -> Result<(), Failure> {
    let (run, name) = reviewed(session, &params.work.join(" "), params.run).await?;
    review(session, &run, json!({ "approve": true }), &format!("approved {name}")).await
}

pub async fn decline(session: &mut Session, params: DeclineParams) -> Result<(), Failure> {
    let (run, name) = reviewed(session, &params.work.join(" "), params.run).await?;
    let mut body = json!({ "approve": false });
    if let Some(reason) = &params.reason {
        body["reason"] = json!(reason);
    }
    review(session, &run, body, &format!("declined {name}")).await
}

async fn review(
    session: &mut Session,
    run: &WorkRunId,
    body: serde_json::Value,
    note: &str,
) -> Result<(), Failure> {
    let reply = session.client.post(&format!("/api/runs/{run}/review"), body).await?;
    if !session.print_body(&reply) {
        session.screen.say(note);
    }
    Ok(())
}

/// The run of agent work with this number, or the newest that waits to be decided about.
async fn reviewed(
    session: &Session,
    text: &str,
    n: Option<i64>,
) -> Result<(WorkRunId, String), Failure> {
    let work = find::work(session, text).await?;
    let name = named(&work);
    if let Some(n) = n {
        let run = run::numbered(session, &work, n).await?;
        return match run.run_state {
            RunState::NeedsReview => Ok((run.id, format!("run {n} of {name}"))),
            state => {
                let state = state.name().replace('_', " ");
                Err(Failure::failed(format!("run {n} of {name} needs no review: it is {state}")))
            }
        };
    }
    let runs = run::detail(session, &work.id).await?.runs;
    match runs.into_iter().find(|run| run.run_state == RunState::NeedsReview) {
        Some(run) => Ok((run.id, format!("run {} of {name}", run.n))),
        None => {
            let command = session.command(&format!("work show {}", work.id.short()));
            Err(Failure::failed(format!("no run of {name} needs a review"))
                .hint(format!("{command} shows its runs")))
        }
    }
}
