//! `dormouse agent cancel`.

use clap::Args;
use serde_json::json;

use crate::failure::Failure;
use crate::find;
use crate::session::Session;

use super::name::named;

#[derive(Debug, Args)]
pub struct Params {
    /// The agent, or words of its task's title
    #[arg(required = true, value_name = "AGENT")]
    agent: Vec<String>,
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let agent = find::agent(session, &params.agent.join(" ")).await?;
    let name = named(&agent);
    let Some(run) = &agent.run_key else {
        let command = format!("agent wake {} --cancel", agent.id);
        let command = session.command(&command);
        return Err(Failure::failed(format!("{name} is not running"))
            .hint(format!("{command} cancels a wake that has not begun")));
    };
    let path = format!("/api/agents/{}/wakes/{run}/cancel", agent.id);
    let reply = session.client.post(&path, json!({})).await?;
    if !session.print_body(&reply) {
        session.screen.say(format!("cancelled: {name} sees what it missed when it next wakes"));
    }
    Ok(())
}
