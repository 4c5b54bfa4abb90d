//! `dormouse agent wake` and `dormouse agent reanalyse`.

use clap::Args;
use dormouse::view::Agent;
use dormouse_types::AgentId;
use serde_json::json;

use crate::client::Reply;
use crate::failure::Failure;
use crate::find;
use crate::session::Session;

#[derive(Debug, Args)]
pub struct Params {
    /// The agent, or words of its task's title
    #[arg(required_unless_present = "due", conflicts_with = "due", value_name = "AGENT")]
    agent: Vec<String>,
    /// Something to tell it
    #[arg(long, value_name = "TEXT", conflicts_with = "due")]
    say: Option<String>,
    /// Every agent that waits
    #[arg(long, conflicts_with = "no_wait")]
    due: bool,
}

#[derive(Debug, Args)]
pub struct ReanalyseParams {
    /// The agent, or words of its task's title
    #[arg(required = true, value_name = "AGENT")]
    agent: Vec<String>,
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    if params.due {
        return due(session).await;
    }
    let agent = find::agent(session, &params.agent.join(" ")).await?;
    let body = params.say.map_or_else(|| json!({}), |say| json!({"message": say}));
    let reply = session.client.post(&format!("/api/agents/{}/wake", agent.id), body).await?;
    wait(session, &agent.id, reply).await
}

pub async fn reanalyse(session: &mut Session, params: ReanalyseParams) -> Result<(), Failure> {
    let agent = find::agent(session, &params.agent.join(" ")).await?;
    let path = format!("/api/agents/{}/reanalyse", agent.id);
    let reply = session.client.post(&path, json!({})).await?;
    wait(session, &agent.id, reply).await
}

async fn wait(session: &mut Session, agent: &AgentId, reply: Reply) -> Result<(), Failure> {
    session.touch_agent(agent);
    let ran = session.wait().await.is_some();
    let now = session.client.get(&format!("/api/agents/{agent}")).await?;
    if session.print_body(if ran { &now } else { &reply }) {
        return Ok(());
    }
    let agent: Agent = now.read()?;
    session.screen.say(format!("{} is {}", super::named(&agent), super::list::state(&agent)));
    Ok(())
}

async fn due(session: &mut Session) -> Result<(), Failure> {
    session.touch_all_due();
    let ran = session.wait().await;
    let reply = session.client.get("/api/agents").await?;
    if !session.print_body(&reply) && ran == Some(0) {
        session.screen.say("No agent waits.");
    }
    Ok(())
}
