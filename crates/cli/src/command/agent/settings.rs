//! `dormouse agent automation`, `pause`, `resume` and `destroy`.

use clap::{Args, ValueEnum};
use dormouse::view::Agent;
use serde_json::json;

use crate::client::Reply;
use crate::failure::Failure;
use crate::find;
use crate::session::Session;

#[derive(Debug, Args)]
pub struct Params {
    /// The agent, or words of its task's title
    #[arg(required = true, value_name = "AGENT")]
    agent: Vec<String>,
}

#[derive(Debug, Args)]
pub struct AutomationParams {
    /// The agent, or several words of its task's title in quotes
    agent: String,
    /// Whether changes wake it: auto decides by what its model costs
    automation: Automation,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Automation {
    Auto,
    On,
    Off,
}

impl Automation {
    fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::On => "on",
            Self::Off => "off",
        }
    }
}

pub async fn automation(session: &mut Session, params: AutomationParams) -> Result<(), Failure> {
    let agent = find::agent(session, &params.agent).await?;
    let body = json!({"automation": params.automation.name()});
    let reply = session.client.patch(&format!("/api/agents/{}", agent.id), body).await?;
    let when = format!("automation of {{}} is {}", params.automation.name());
    say(session, &agent, &reply, &when)
}

pub async fn pause(session: &mut Session, params: Params) -> Result<(), Failure> {
    let agent = find::agent(session, &params.agent.join(" ")).await?;
    let reply = post(session, &agent, "pause").await?;
    say(session, &agent, &reply, "{} rests until you resume it")
}

pub async fn resume(session: &mut Session, params: Params) -> Result<(), Failure> {
    let agent = find::agent(session, &params.agent.join(" ")).await?;
    let reply = post(session, &agent, "resume").await?;
    session.touch_agent(&agent.id);
    say(session, &agent, &reply, "{} works again")
}

pub async fn destroy(session: &mut Session, params: Params) -> Result<(), Failure> {
    let agent = find::agent(session, &params.agent.join(" ")).await?;
    let reply = session.client.delete(&format!("/api/agents/{}", agent.id)).await?;
    say(session, &agent, &reply, "{} is destroyed")
}

async fn post(session: &Session, agent: &Agent, what: &str) -> Result<Reply, Failure> {
    session.client.post(&format!("/api/agents/{}/{what}", agent.id), json!({})).await
}

fn say(session: &mut Session, agent: &Agent, reply: &Reply, text: &str) -> Result<(), Failure> {
    if !session.print_body(reply) {
        session.screen.say(text.replace("{}", &super::named(agent)));
    }
    Ok(())
}
