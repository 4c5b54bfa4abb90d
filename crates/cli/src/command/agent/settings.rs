//! `dormouse agent automation`, `pause`, `resume` and `destroy`.

use clap::{Args, ValueEnum};
use dormouse::models::BUILT_IN;
use dormouse::view::Agent;
use dormouse_types::Id as _;
use serde_json::{Map, json};

use super::scheduled;
use crate::client::Reply;
use crate::command::models::{Chooser, agree};
use crate::dates;
use crate::failure::Failure;
use crate::find;
use crate::session::Session;
use crate::terminal::{line, time};
use crate::values::{Clearable, DateText, date_or_none, model_or_workspace};

use super::name::named;
use super::stopped::{unheard, with_its_task};

#[derive(Debug, Args)]
pub struct Params {
    /// The agent, or words of its task's title
    #[arg(required = true, value_name = "AGENT")]
    agent: Vec<String>,
}

#[derive(Debug, Args)]
pub struct ModelParams {
    /// The agent, or several words of its task's title in quotes
    agent: String,
    /// The model: builtin, provider/model, or workspace for that of the workspace
    #[arg(value_parser = model_or_workspace)]
    model: Clearable<String>,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
}

#[derive(Debug, Args)]
pub struct AutomationParams {
    /// The agent, or several words of its task's title in quotes
    agent: String,
    /// Whether changes wake it; auto decides based on the cost of its model
    #[arg(required_unless_present_any = ["sleep_until", "linked"])]
    automation: Option<Automation>,
    /// Until this time only you wake it, such as `fri 3pm`; none clears it
    #[arg(long, value_name = "TIME", value_parser = date_or_none)]
    sleep_until: Option<Clearable<DateText>>,
    /// Whether a change to a linked task wakes it immediately
    #[arg(long, value_name = "on|off")]
    linked: Option<Switch>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Switch {
    On,
    Off,
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
    let mut body = Map::new();
    let mut lines = Vec::new();
    if let Some(automation) = params.automation {
        body.insert("automation".into(), json!(automation.name()));
        lines.push(format!("automation of {{}} is {}", automation.name()));
    }
    if let Some(Clearable(until)) = params.sleep_until {
        let until = dates::optional_time(session, "--sleep-until", until)?;
        body.insert("sleepUntil".into(), json!(until));
        lines.push(match until {
            Some(until) => {
                let until = time::minute(until, &session.zone);
                format!("only you wake {{}} until {until}")
            }
            None => "{} is not held back".to_owned(),
        });
    }
    if let Some(linked) = params.linked {
        body.insert("wakeOnLinked".into(), json!(linked == Switch::On));
        lines.push(match linked {
            Switch::On => "a change to a linked task wakes {} immediately".to_owned(),
            Switch::Off => "a change to a linked task waits for the next wake of {}".to_owned(),
        });
    }
    let agent = find::agent(session, &params.agent).await?;
    let path = format!("/api/agents/{}", agent.id);
    let reply = session.client.patch(&path, body.into()).await;
    let reply = reply.map_err(|failure| with_its_task(session, &agent, failure))?;
    say(session, &agent, &reply, &lines.join("\n"))?;
    // Wakes that waited for this run now; those that still wait are listed.
    session.touch_agent(&agent.id);
    session.wait().await;
    if session.screen.is_json() {
        return Ok(());
    }
    let path = format!("/api/agents/{}", agent.id);
    let agent: Agent = session.client.get(&path).await?.read()?;
    for wake in scheduled::describe(&agent, |at| time::minute(at, &session.zone)) {
        session.screen.say(format!("set: {wake}"));
    }
    Ok(())
}

pub async fn model(session: &mut Session, params: ModelParams) -> Result<(), Failure> {
    let agent = find::agent(session, &params.agent).await?;
    let Clearable(model) = params.model;
    // Without a model of its own it asks that of its template, which may be another provider's.
    let wanted = model.as_deref().unwrap_or("none");
    let chooser = Chooser::Agent(&agent.id, &agent.display_name, wanted);
    agree(session, &chooser, params.yes).await?;
    let path = format!("/api/agents/{}", agent.id);
    let reply = session.client.patch(&path, json!({ "model": model })).await;
    let reply = reply.map_err(|failure| with_its_task(session, &agent, failure))?;
    let text = match &model {
        Some(model) if model == BUILT_IN => {
            "{} asks the built-in model, from its next wake on".to_owned()
        }
        Some(model) => {
            let seen = session.command(&format!("agent wake {} --dry-run", agent.id.short()));
            let model = line(model);
            format!("{{}} asks {model}, from its next wake on; to see what that sends: {seen}")
        }
        None => "{} asks the model of the workspace, from its next wake on".to_owned(),
    };
    say(session, &agent, &reply, &text)
}

pub async fn pause(session: &mut Session, params: Params) -> Result<(), Failure> {
    let agent = find::agent(session, &params.agent.join(" ")).await?;
    let reply = post(session, &agent, "pause").await?;
    say(session, &agent, &reply, "{} is paused until you resume it")
}

pub async fn resume(session: &mut Session, params: Params) -> Result<(), Failure> {
    let agent = find::agent(session, &params.agent.join(" ")).await?;
    let reply = post(session, &agent, "resume").await?;
    session.touch_agent(&agent.id);
    say(session, &agent, &reply, "{} is resumed")
}

pub async fn destroy(session: &mut Session, params: Params) -> Result<(), Failure> {
    let agent = find::agent(session, &params.agent.join(" ")).await?;
    let reply = session.client.delete(&format!("/api/agents/{}", agent.id)).await?;
    say(session, &agent, &reply, "{} is destroyed")?;
    unheard(session, &reply)
}

async fn post(session: &Session, agent: &Agent, what: &str) -> Result<Reply, Failure> {
    let reply = session.client.post(&format!("/api/agents/{}/{what}", agent.id), json!({})).await;
    reply.map_err(|failure| with_its_task(session, agent, failure))
}

fn say(session: &mut Session, agent: &Agent, reply: &Reply, text: &str) -> Result<(), Failure> {
    if !session.print_body(reply) {
        session.screen.say(text.replace("{}", &named(agent)));
    }
    Ok(())
}
