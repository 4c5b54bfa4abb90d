//! `dormouse task show`.

use clap::Args;
use dormouse::view::{Activity, Agent, Page, Task};
use dormouse_types::Id as _;

use super::contents::{activity_lines, contents};
use crate::command::agent::scheduled;
use crate::command::proposal;
use crate::failure::Failure;
use crate::find;
use crate::session::Session;
use crate::terminal::time;

#[derive(Debug, Args)]
pub struct Params {
    /// The task
    #[arg(required = true, value_name = "TASK")]
    task: Vec<String>,
    /// Show what changed, by whom and when, instead
    #[arg(long)]
    activity: bool,
    /// Show it as it was at a run of its agent, with the report, the proposals and what the agent knew then
    #[arg(long, value_name = "RUN", conflicts_with = "activity")]
    at: Option<String>,
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let row = find::task(session, &params.task.join(" ")).await?;
    if params.activity {
        return activity(session, &row.id).await;
    }
    if let Some(run) = &params.at {
        return super::as_of::run(session, &row, run).await;
    }
    let reply = session.client.get(&format!("/api/journal/tasks/{}", row.id)).await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let task: Task = reply.read()?;
    let wakes = match &task.agent {
        Some(agent) => {
            let agent: Agent = session.client.get(&format!("/api/agents/{agent}")).await?.read()?;
            let wakes = scheduled::describe(&agent, |at| time::minute(at, &session.zone));
            wakes.into_iter().map(|wake| ("wakes", wake)).collect()
        }
        None => Vec::new(),
    };
    for text in page(session, &task, wakes) {
        session.screen.say(text);
    }
    Ok(())
}

fn page(session: &Session, task: &Task, wakes: Vec<(&'static str, String)>) -> Vec<String> {
    let mut lines = contents(session, task, wakes);
    lines.push(String::new());
    match &task.agent {
        Some(_) => lines.push(format!(
            "{}: {}",
            proposal::counts(task.open_proposals, task.put_off_proposals),
            if task.open_proposals + task.put_off_proposals > 0 {
                session.command(&format!("review {}", task.id.short()))
            } else {
                session.command(&format!("report {}", task.id.short()))
            }
        )),
        None => lines.push(format!(
            "no agent: {}",
            session.command(&format!("agent create {}", task.id.short()))
        )),
    }
    lines
}

async fn activity(session: &mut Session, task: &dormouse_types::TaskId) -> Result<(), Failure> {
    let reply = session.client.get(&format!("/api/journal/tasks/{task}/activity")).await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let page: Page<Activity> = reply.read()?;
    for text in activity_lines(session, &page.items, task) {
        session.screen.say(text);
    }
    Ok(())
}
