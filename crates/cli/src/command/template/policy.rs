//! `dormouse template policy`.

use clap::Args;
use dormouse_types::rule::ToolPolicy;
use serde_json::json;

use super::edit::say;
use super::name::named;
use crate::failure::Failure;
use crate::find;
use crate::session::Session;

#[derive(Debug, Args)]
pub struct Params {
    /// The template: the end of its id, or words of its name in quotes
    template: String,
    /// The tool, such as update_task_due_date
    tool: String,
    /// forbid, ask or auto: auto ends with the next version
    #[arg(value_parser = policy)]
    policy: ToolPolicy,
}

fn policy(text: &str) -> Result<ToolPolicy, String> {
    text.parse().map_err(|e: dormouse_types::task::NotListed| e.to_string())
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let found = find::template(session, &params.template).await?;
    let Some(active) = found.active_version else {
        return Err(Failure::failed(format!("{} has no active version", named(&found))));
    };
    // Names of tools have no other signs, and a path must hold no other.
    let is_of_name = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
    let tool: String = params.tool.chars().filter(is_of_name).collect();
    let path = format!("/api/templates/{}/versions/{active}/tools/{tool}", found.id);
    let reply = session.client.put(&path, json!({ "policy": params.policy })).await?;
    say(session, &reply, |detail| {
        let (named, tool) = (named(&detail.template), crate::terminal::line(&params.tool));
        match params.policy {
            ToolPolicy::Forbid => format!("agents that follow {named} may not use {tool}"),
            ToolPolicy::Ask => format!("what {tool} of {named} proposes waits for you"),
            ToolPolicy::Auto => {
                format!("what {tool} of {named} proposes is applied, until its next version")
            }
        }
    })
}
