//! `dormouse template create` and `edit`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use dormouse::view::TemplateDetail;
use dormouse_types::limits;
use dormouse_types::template::TemplateKind;
use serde_json::{Map, Value, json};

use super::name::named;
use crate::client::Reply;
use crate::command::models::{Chooser, agree};
use crate::failure::Failure;
use crate::session::Session;
use crate::values::{Clearable, model_or_workspace};
use crate::{find, input};

#[derive(Debug, Args)]
pub struct CreateParams {
    /// Its name
    name: String,
    /// What it is for
    #[arg(long, value_enum, default_value_t = Kind::Task)]
    kind: Kind,
    #[command(flatten)]
    texts: Texts,
    /// The model that its agents ask: builtin, or provider/model
    #[arg(long)]
    model: Option<String>,
    /// A profile for other programs: kept, and without effect
    #[arg(long)]
    profile: Option<String>,
    /// Do not ask before a model is chosen
    #[arg(long, short)]
    yes: bool,
}

#[derive(Debug, Args)]
pub struct EditParams {
    /// The template: the end of its id, or words of its name in quotes
    template: String,
    #[command(flatten)]
    fields: Fields,
    /// Only if the template still has this revision
    #[arg(long, value_name = "NUMBER")]
    revision: Option<i64>,
    /// Write the new version as a draft, which nobody follows until it is activated
    #[arg(long)]
    draft: bool,
    /// Do not ask before a model is chosen
    #[arg(long, short)]
    yes: bool,
}

#[derive(Debug, Args)]
struct Fields {
    /// A new name
    #[arg(long)]
    name: Option<String>,
    #[command(flatten)]
    texts: Texts,
    /// The model that its agents ask: builtin, provider/model, or workspace for that of the workspace
    #[arg(long, value_parser = model_or_workspace)]
    model: Option<Clearable<String>>,
    /// A profile for other programs, or none: kept, and without effect
    #[arg(long)]
    profile: Option<String>,
}

#[derive(Debug, Args)]
struct Texts {
    /// How an agent works and talks; an empty text means the default
    #[arg(long, value_name = "TEXT", conflicts_with = "general_file")]
    general: Option<String>,
    /// The same from a file; - is standard input
    #[arg(long, value_name = "FILE")]
    general_file: Option<PathBuf>,
    /// What its reports look like; an empty text means the default
    #[arg(long, value_name = "TEXT", conflicts_with = "report_file")]
    report: Option<String>,
    /// The same from a file; - is standard input
    #[arg(long, value_name = "FILE")]
    report_file: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Kind {
    #[value(name = "task-agent")]
    Task,
    Improver,
    #[value(name = "agent-work")]
    Work,
}

impl Kind {
    fn kind(self) -> TemplateKind {
        match self {
            Self::Task => TemplateKind::TaskAgent,
            Self::Improver => TemplateKind::Improver,
            Self::Work => TemplateKind::AgentWork,
        }
    }
}

impl Texts {
    fn put(&self, body: &mut Map<String, Value>) -> Result<(), Failure> {
        for (field, text, file) in [
            ("generalDirective", &self.general, &self.general_file),
            ("reportDirective", &self.report, &self.report_file),
        ] {
            let text = match file {
                Some(file) => Some(read(file)?),
                None => text.clone(),
            };
            body.extend(text.map(|text| (field.to_owned(), json!(text))));
        }
        Ok(())
    }
}

fn read(file: &Path) -> Result<String, Failure> {
    let text = input::read(file, limits::DIRECTIVE)?;
    String::from_utf8(text)
        .map_err(|_| Failure::failed(format!("{} is not UTF-8 text", file.display())))
}

pub async fn create(session: &mut Session, params: CreateParams) -> Result<(), Failure> {
    let mut body = Map::from_iter([
        ("name".to_owned(), json!(params.name)),
        ("kind".to_owned(), json!(params.kind.kind().name())),
        ("modelId".to_owned(), json!(params.model)),
        ("profileId".to_owned(), json!(params.profile)),
    ]);
    params.texts.put(&mut body)?;
    if let Some(model) = &params.model {
        agree(session, &Chooser::NewTemplate(model, params.kind.kind()), params.yes).await?;
    }
    let reply = session.client.post("/api/templates", body.into()).await?;
    say(session, &reply, |detail| format!("{} is made", named(&detail.template)))
}

pub async fn edit(session: &mut Session, params: EditParams) -> Result<(), Failure> {
    let Fields { name, texts, model, profile } = params.fields;
    let mut body = Map::new();
    body.extend(name.map(|name| ("name".to_owned(), json!(name))));
    texts.put(&mut body)?;
    let model = model.map(|Clearable(model)| model);
    body.extend(model.iter().map(|model| ("modelId".to_owned(), json!(model))));
    let profile = profile.map(|profile| (profile != "none").then_some(profile));
    body.extend(profile.map(|profile| ("profileId".to_owned(), json!(profile))));
    if body.is_empty() {
        let what = "nothing is to change: give --name, --general, --report, --model or --profile";
        return Err(Failure::usage(what.to_owned()));
    }
    if params.draft {
        body.insert("draft".into(), json!(true));
    }
    let found = find::template(session, &params.template).await?;
    if let Some(Some(model)) = &model {
        let chooser = Chooser::Template(&found.id, &found.display_name, model);
        agree(session, &chooser, params.yes).await?;
    }
    let path = format!("/api/templates/{}", found.id);
    let reply = match params.revision {
        Some(revision) => session.client.patch_if(&path, body.into(), revision).await?,
        None => session.client.patch(&path, body.into()).await?,
    };
    let (before, is_draft) = (found.newest_version, params.draft);
    say(session, &reply, move |detail| {
        let (named, newest) = (named(&detail.template), detail.template.newest_version);
        if newest == before {
            format!("{named} stays at version {newest}; its texts are as they were")
        } else if is_draft {
            format!("{named} has version {newest} as a draft; activate it to use it")
        } else {
            format!("{named} is at version {newest}; agents follow it from their next wake on")
        }
    })
}

/// Prints an answer with a template.
pub(super) fn say(
    session: &mut Session,
    reply: &Reply,
    text: impl FnOnce(&TemplateDetail) -> String,
) -> Result<(), Failure> {
    if !session.print_body(reply) {
        let note = text(&reply.read()?);
        session.screen.say(note);
    }
    Ok(())
}
