//! `dormouse models use`, and the question before any model is chosen.

use clap::Args;
use dormouse::models::{ModelQuestion, ModelsView, Purpose};
use dormouse_types::{AgentId, Id as _, TemplateId};
use serde_json::json;

use super::show;
use super::show::say;
use crate::client::path;
use crate::failure::Failure;
use crate::session::Session;
use crate::terminal::{counted, line};

#[derive(Debug, Args)]
pub struct UseParams {
    /// The model: builtin, or provider/model. For summarising also `thinking`: the one that thinks
    model: String,
    /// What for: thinking or summarising
    #[arg(long = "for", default_value = "thinking", value_name = "PURPOSE", value_parser = purpose)]
    purpose: Purpose,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
}

/// Who gets a model of its own.
pub enum Chooser<'a> {
    /// An agent, by its name.
    Agent(&'a AgentId, &'a str),
    /// A template, by its name.
    Template(&'a TemplateId, &'a str),
    /// A template that is being made.
    NewTemplate,
}

impl Chooser<'_> {
    fn parameter(&self) -> (&'static str, &str) {
        match self {
            Self::Agent(id, _) => ("agent", id.as_str()),
            Self::Template(id, _) => ("template", id.as_str()),
            Self::NewTemplate => ("template", "new"),
        }
    }

    fn whom(&self, question: &ModelQuestion) -> String {
        match self {
            Self::Agent(_, name) => line(name),
            Self::Template(_, name) => {
                let agents = counted(question.agents, "agent");
                format!("{agents} that follow {}", line(name))
            }
            Self::NewTemplate => "the agents that will follow it".to_owned(),
        }
    }
}

pub(super) async fn run(session: &mut Session, params: UseParams) -> Result<(), Failure> {
    let (purpose, model) = (params.purpose, params.model.as_str());
    let body = json!({ "model": model, "for": purpose });
    if purpose == Purpose::Summarising && model == Purpose::Thinking.name() {
        let body = json!({ "model": null, "for": purpose });
        let reply = session.client.post("/api/models/use", body).await?;
        say(session, &reply, "the model that thinks summarises too");
        return Ok(());
    }
    let address = path("/api/models/question", &[("model", model), ("for", purpose.name())]);
    let question: ModelQuestion = session.client.get(&address).await?.read()?;
    if !session.screen.is_json() {
        let models: ModelsView = session.client.get("/api/models").await?.read()?;
        let whom = counted(question.agents, "agent");
        show::question(session, &question, &whom, purpose, &models);
    }
    if !params.yes && !says_yes(session)? {
        return Ok(());
    }
    let reply = session.client.post("/api/models/use", body).await?;
    let model = line(model);
    let done = match purpose {
        Purpose::Thinking => "is the model of all agents without one of their own",
        Purpose::Summarising => "summarises for all agents without a model of their own",
    };
    say(session, &reply, &format!("{model} {done}"));
    Ok(())
}

/// Returns whether an agent or a template may get a model: shows what that means and asks, unless nothing
/// about it is new.
///
/// Errors: there is no such model, or no answer can be read.
pub async fn is_agreed(
    session: &mut Session,
    model: &str,
    chooser: &Chooser<'_>,
    yes: bool,
) -> Result<bool, Failure> {
    let address = path("/api/models/question", &[("model", model), chooser.parameter()]);
    let question: ModelQuestion = session.client.get(&address).await?.read()?;
    if question.is_agreed {
        return Ok(true);
    }
    if !session.screen.is_json() {
        let models: ModelsView = session.client.get("/api/models").await?.read()?;
        let whom = chooser.whom(&question);
        show::question(session, &question, &whom, Purpose::Thinking, &models);
    }
    Ok(yes || says_yes(session)?)
}

fn says_yes(session: &mut Session) -> Result<bool, Failure> {
    let answer = session.screen.ask("Use it? (y/n) ");
    let answer = answer.map_err(|e| Failure::failed(format!("no answer can be read: {e}")))?;
    let is_yes = answer.is_some_and(|it| ["y", "yes"].contains(&it.to_lowercase().as_str()));
    if !is_yes {
        session.screen.say("nothing is changed");
    }
    Ok(is_yes)
}

fn purpose(text: &str) -> Result<Purpose, String> {
    text.parse().map_err(|e: dormouse_types::task::NotListed| e.to_string())
}
