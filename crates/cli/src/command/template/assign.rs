//! `dormouse template assign`.

use clap::Args;
use dormouse::view::Page;
use dormouse_types::CategoryId;
use serde::Deserialize;
use serde_json::json;

use super::edit::say;
use super::name::named;
use crate::command::models::{Chooser, agree};
use crate::failure::Failure;
use crate::find;
use crate::session::Session;
use crate::terminal::line;

#[derive(Debug, Args)]
pub struct Params {
    /// The template: the end of its id, words of its name in quotes, or default
    template: String,
    /// The agent, or words of its task's title
    #[arg(required_unless_present = "category", conflicts_with = "category", value_name = "AGENT")]
    agent: Vec<String>,
    /// Make it the template of new agents in this category instead
    #[arg(long, value_name = "NAME")]
    category: Option<String>,
    /// Do not ask before that gives the agent another model
    #[arg(long, short)]
    yes: bool,
}

/// What is read of a category.
#[derive(Debug, Deserialize)]
struct Category {
    id: CategoryId,
    name: String,
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    if let Some(category) = params.category {
        return of_category(session, &params.template, &category).await;
    }
    let template = match params.template.as_str() {
        "default" => None,
        text => Some(find::template(session, text).await?),
    };
    let agent = find::agent(session, &params.agent.join(" ")).await?;
    let chooser = Chooser::AgentFollows(
        &agent.id,
        &agent.display_name,
        template.as_ref().map(|template| &template.id),
    );
    agree(session, &chooser, params.yes).await?;
    let path = format!("/api/agents/{}", agent.id);
    let id = template.as_ref().map(|template| &template.id);
    let reply = session.client.patch(&path, json!({ "templateId": id })).await?;
    if !session.print_body(&reply) {
        let template = template.as_ref().map_or_else(|| "the default template".to_owned(), named);
        let name = line(&agent.display_name);
        session.screen.say(format!("{name} follows {template} from its next wake on"));
    }
    Ok(())
}

async fn of_category(session: &mut Session, template: &str, name: &str) -> Result<(), Failure> {
    let found = find::template(session, template).await?;
    let all: Page<Category> = session.client.get("/api/journal/categories").await?.read()?;
    let is_it = |category: &&Category| category.name.to_lowercase() == name.trim().to_lowercase();
    let Some(category) = all.items.iter().find(is_it) else {
        return Err(Failure::failed(format!("there is no category `{}`", line(name))));
    };
    let mut ids = found.category_ids.clone();
    if !ids.contains(&category.id) {
        ids.push(category.id.clone());
    }
    let path = format!("/api/templates/{}", found.id);
    let reply = session.client.patch(&path, json!({ "categoryIds": ids })).await?;
    say(session, &reply, |detail| {
        format!("new agents in {} follow {}", line(&category.name), named(&detail.template))
    })
}
