//! `dormouse agent create`.

use clap::Args;
use dormouse::ProblemKind;
use dormouse::view::Agent;
use dormouse_types::Id as _;
use serde_json::json;

use crate::command::models::{Chooser, agree};
use crate::failure::Failure;
use crate::find;
use crate::session::Session;
use crate::terminal::{line, titled};

use super::name::named;

#[derive(Debug, Args)]
pub struct Params {
    /// The task
    #[arg(required = true, value_name = "TASK")]
    task: Vec<String>,
    /// A name for the agent
    #[arg(long)]
    name: Option<String>,
    /// The template that it follows: the end of its id, or words of its name; by default that of the
    /// category of its task
    #[arg(long, value_name = "TEMPLATE")]
    template: Option<String>,
    /// Do not ask before the template gives it a model
    #[arg(long, short)]
    yes: bool,
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let row = find::task(session, &params.task.join(" ")).await?;
    let mut body = json!({});
    if let Some(name) = params.name {
        body["name"] = json!(name);
    }
    if let Some(text) = params.template {
        let template = find::template(session, &text).await?;
        agree(session, &Chooser::NewAgent(&template), params.yes).await?;
        body["templateId"] = json!(template.id);
    }
    let path = format!("/api/journal/tasks/{}/agent", row.id);
    let reply = session.client.post(&path, body).await.map_err(|mut failure| {
        if failure.is(ProblemKind::AgentExists) {
            let task = format!("“{}” ({})", line(titled(&row.title)), row.id.short());
            failure.message = format!("{task} already has an agent: a task has one");
            let show = session.command(&format!("agent show {}", row.id.short()));
            failure.hint = Some(format!("{show} shows it"));
        }
        failure
    })?;
    let agent: Agent = reply.read()?;
    session.touch_agent(&agent.id);
    session.screen.say(format!("created {}", named(&agent)));
    if session.wait().await.is_some() {
        let reply = session.client.get(&format!("/api/agents/{}", agent.id)).await?;
        if session.print_body(&reply) {
            return Ok(());
        }
        // The first wake may have failed, or wait for its model.
        if session.client.get(&format!("/api/agents/{}/report", agent.id)).await.is_ok() {
            let command = session.command(&format!("report {}", row.id.short()));
            session.screen.say(format!("its report: {command}"));
        } else {
            let agent: Agent = reply.read()?;
            session
                .screen
                .say(format!("it has no report yet; it is {}", super::list::state(&agent)));
            super::waits::say(session, &agent).await?;
        }
    } else {
        session.print_body(&reply);
    }
    Ok(())
}
