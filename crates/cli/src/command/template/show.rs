//! `dormouse template show`.

use clap::Args;
use dormouse::view::{Page, TemplateDetail, TemplateVersion};
use dormouse_types::Id as _;

use crate::failure::Failure;
use crate::find;
use crate::session::Session;
use crate::terminal::{counted, line, time};

/// How many of the newest versions are listed.
const VERSIONS: usize = 20;

#[derive(Debug, Args)]
pub struct Params {
    /// The template: the end of its id, or words of its name
    #[arg(required = true, value_name = "TEMPLATE")]
    template: Vec<String>,
    /// Another version than the active one
    #[arg(long, value_name = "NUMBER")]
    version: Option<i64>,
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let found = find::template(session, &params.template.join(" ")).await?;
    let root = format!("/api/templates/{}", found.id);
    if let Some(number) = params.version {
        let reply = session.client.get(&format!("{root}/versions/{number}")).await?;
        if !session.print_body(&reply) {
            texts(session, &reply.read()?);
        }
        return Ok(());
    }
    let reply = session.client.get(&root).await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let TemplateDetail { template, version } = reply.read()?;
    let style = session.screen.style();
    session.screen.say(style.bold(&line(&template.display_name)));
    let agents = counted(template.n_agents, "agent");
    let kind = template.kind.name();
    session.screen.say(format!("{}  {kind}, {agents}", template.id.short()));
    if template.is_default {
        session.screen.say("agents follow it that have no template of their own");
    }
    if template.archived_at.is_some() {
        session.screen.say("archived: new agents cannot follow it");
    }
    session.screen.say("");
    match &version {
        Some(version) => texts(session, version),
        None => session.screen.say("No version is active: activate one."),
    }
    let page = format!("{root}/versions?limit={VERSIONS}");
    let page: Page<TemplateVersion> = session.client.get(&page).await?.read()?;
    session.screen.say("");
    session.screen.say(style.bold("Versions"));
    for one in &page.items {
        let at = time::minute(one.created_at, &session.zone);
        let (number, status) = (one.version, one.status.name());
        session.screen.say(format!("{number}  {status}  {at}  {}", line(&one.authored_by)));
    }
    Ok(())
}

fn texts(session: &mut Session, version: &TemplateVersion) {
    let style = session.screen.style();
    let at = time::minute(version.created_at, &session.zone);
    let (number, status) = (version.version, version.status.name());
    session
        .screen
        .say(format!("version {number}, {status}, {at}, by {}", line(&version.authored_by)));
    if let Some(model) = &version.model_id {
        session.screen.say(format!("model {}", line(model)));
    }
    if let Some(profile) = &version.profile_id {
        session.screen.say(format!("profile {}", line(profile)));
    }
    for (name, text) in [
        ("General directive", &version.general_directive),
        ("Report directive", &version.report_directive),
    ] {
        session.screen.say("");
        session.screen.say(style.bold(name));
        let text = if text.is_empty() { "(the default)" } else { text };
        // Each line by itself, so that nothing in it moves the cursor.
        for text in text.lines() {
            session.screen.say(line(text));
        }
    }
}
