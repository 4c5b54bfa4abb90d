//! `dormouse models use`, and the question before any model is chosen.

use clap::Args;
use dormouse::models::{ModelQuestion, ModelUse, ModelsView, Purpose};
use dormouse::view::Template;
use dormouse_types::template::TemplateKind;
use dormouse_types::{AgentId, Id as _, TemplateId, WorkId};
use serde_json::json;

use super::question;
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

/// Who gets another model, and how.
pub enum Chooser<'a> {
    /// An agent, by its name, gets a model of its own; `none` takes it away.
    Agent(&'a AgentId, &'a str, &'a str),
    /// An agent that is being made follows a template, by its name.
    NewAgent(&'a Template),
    /// An agent, by its name, follows another template; `None` is the default one.
    AgentFollows(&'a AgentId, &'a str, Option<&'a TemplateId>),
    /// A template, by its name, gets a model.
    Template(&'a TemplateId, &'a str, &'a str),
    /// A version of a template, by its name, becomes active.
    Version(&'a TemplateId, &'a str, i64),
    /// A template of a kind that is being made, with a model.
    NewTemplate(&'a str, TemplateKind),
    /// Agent work, by its name, gets a model or follows another template; `none` takes it away.
    Work(&'a WorkId, &'a str, Option<&'a str>, Option<&'a str>),
    /// Agent work that is being made, with a model, or with a template.
    NewWork(Option<&'a str>, Option<&'a TemplateId>),
}

impl Chooser<'_> {
    /// The address of the question.
    fn address(&self) -> String {
        let version;
        let of = |who: Vec<(&'static str, Option<&str>)>| {
            let given = who.into_iter().filter_map(|(name, value)| Some((name, value?)));
            path("/api/models/question", &given.collect::<Vec<_>>())
        };
        match self {
            Self::Agent(id, _, model) => {
                of(vec![("agent", Some(id.as_str())), ("model", Some(model))])
            }
            Self::NewAgent(template) => {
                of(vec![("agent", Some("new")), ("template", Some(template.id.as_str()))])
            }
            Self::AgentFollows(id, _, template) => {
                let template = template.map_or("none", |template| template.as_str());
                of(vec![("agent", Some(id.as_str())), ("template", Some(template))])
            }
            Self::Template(id, _, model) => {
                of(vec![("template", Some(id.as_str())), ("model", Some(model))])
            }
            Self::Version(id, _, number) => {
                version = number.to_string();
                of(vec![("template", Some(id.as_str())), ("version", Some(&version))])
            }
            Self::NewTemplate(model, kind) => of(vec![
                ("template", Some("new")),
                ("kind", Some(kind.name())),
                ("model", Some(model)),
            ]),
            Self::Work(id, _, model, template) => {
                of(vec![("work", Some(id.as_str())), ("model", *model), ("template", *template)])
            }
            Self::NewWork(model, template) => {
                let template = template.map(|template| template.as_str());
                of(vec![("work", Some("new")), ("model", *model), ("template", template)])
            }
        }
    }

    fn whom(&self, question: &ModelQuestion) -> String {
        match self {
            Self::Agent(_, name, _) | Self::AgentFollows(_, name, _) => line(name),
            Self::NewAgent(template) => {
                format!("the new agent, which follows {}", line(&template.display_name))
            }
            Self::Template(_, name, _) | Self::Version(_, name, _) => {
                let agents = counted(question.agents, "agent");
                let name = line(name);
                if question.uses == [ModelUse::Sessions] {
                    return format!("the sessions about templates, which {name} leads");
                }
                if question.uses == [ModelUse::Runs] {
                    let work = question::pieces_of_work(question.agent_work);
                    return format!("{work} that follow {name}");
                }
                match question.agent_work {
                    0 => format!("{agents} that follow {name}"),
                    n => format!("{agents} and {} that follow {name}", question::pieces_of_work(n)),
                }
            }
            Self::NewTemplate(_, TemplateKind::AgentWork) => {
                "the agent work that will follow it".to_owned()
            }
            Self::NewTemplate(..) => "the agents that will follow it".to_owned(),
            Self::Work(_, name, ..) => format!("the agent work {}", line(name)),
            Self::NewWork(..) => "this agent work".to_owned(),
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
        let mut whom = counted(question.agents, "agent");
        if question.agent_work > 0 {
            whom.push_str(&format!(" and {}", question::pieces_of_work(question.agent_work)));
        }
        if question.uses.contains(&ModelUse::Sessions) {
            whom.push_str(", and in sessions about templates");
        }
        question::of_choice(session, &question, &whom, &models);
    }
    if !params.yes {
        says_yes(session, "Use it?")?;
    }
    let reply = session.client.post("/api/models/use", body).await?;
    let model = line(model);
    let done = match purpose {
        Purpose::Thinking => "is the model of all agents and agent work without one of their own",
        Purpose::Summarising => "summarises for all agents without a model of their own",
    };
    say(session, &reply, &format!("{model} {done}"));
    Ok(())
}

/// Shows what it means that an agent, a template or agent work gets another model, and asks, unless nothing about
/// it is new.
///
/// Errors: the person does not agree; there is no such model, or no answer can be read.
pub async fn agree(session: &mut Session, chooser: &Chooser<'_>, yes: bool) -> Result<(), Failure> {
    let question: ModelQuestion = session.client.get(&chooser.address()).await?.read()?;
    if question.is_agreed {
        return Ok(());
    }
    if !session.screen.is_json() {
        let models: ModelsView = session.client.get("/api/models").await?.read()?;
        let whom = chooser.whom(&question);
        question::of_choice(session, &question, &whom, &models);
    }
    if yes { Ok(()) } else { says_yes(session, "Use it?") }
}

/// Asks a question that is answered with yes or no.
///
/// Errors: the answer is not yes, so that nothing is changed; or no answer can be read.
pub(super) fn says_yes(session: &mut Session, question: &str) -> Result<(), Failure> {
    let answer = session.screen.ask(&format!("{question} (y/n) "));
    let answer = answer.map_err(|e| Failure::failed(format!("no answer can be read: {e}")))?;
    match answer.map(|answer| answer.to_lowercase()).as_deref() {
        Some("y" | "yes") => Ok(()),
        Some(_) => Err(Failure::declined("nothing is changed")),
        None => Err(Failure::declined("nothing is changed, because nobody answered")
            .hint("`--yes` agrees without a question")),
    }
}

fn purpose(text: &str) -> Result<Purpose, String> {
    text.parse().map_err(|e: dormouse_types::task::NotListed| e.to_string())
}
