//! `dormouse template show`.

use clap::Args;
use dormouse::view::{Page, TemplateDetail, TemplateMetrics, TemplateVersion};
use dormouse_types::Id as _;
use dormouse_types::directive::{
    DirectiveSetting, ProposalKind, ReportLength, ReportSection, ReportTone,
};

use dormouse_types::rule::ToolPolicy;

use super::metrics;
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
    let TemplateDetail { template, version, tools } = reply.read()?;
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
    let set: Vec<_> = tools.iter().filter(|one| one.policy != ToolPolicy::Ask).collect();
    if !set.is_empty() {
        session.screen.say("");
        session.screen.say(style.bold("Tools"));
        for one in set {
            session.screen.say(format!("{}  {}", line(&one.tool), one.policy));
        }
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
    let metrics: TemplateMetrics = session.client.get(&format!("{root}/metrics")).await?.read()?;
    metrics::show(session, &metrics);
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
    let Some(understood) = &version.understood else { return };
    session.screen.say("");
    session.screen.say(style.bold("Without a language model"));
    for setting in &understood.settings {
        session.screen.say(setting_words(*setting));
    }
    if !understood.not_understood.is_empty() {
        session.screen.say(style.dim("These sentences need a language model:"));
        for sentence in &understood.not_understood {
            session.screen.say(format!("  {}", line(sentence)));
        }
    }
}

/// A setting as a sentence.
fn setting_words(setting: DirectiveSetting) -> String {
    match setting {
        DirectiveSetting::Length { length: ReportLength::Short } => "reports are short".into(),
        DirectiveSetting::Length { length: ReportLength::Long } => "reports are long".into(),
        DirectiveSetting::Tone { tone: ReportTone::Encouraging } => {
            "summaries begin with what was achieved".into()
        }
        DirectiveSetting::Tone { tone: ReportTone::Factual } => {
            "summaries begin with what is new".into()
        }
        DirectiveSetting::Tone { tone: ReportTone::Direct } => {
            "summaries begin with what to do next".into()
        }
        DirectiveSetting::SummarySentences { most } => {
            format!("summaries have at most {}", counted(usize::from(most), "sentence"))
        }
        DirectiveSetting::Emojis { allowed: true } => "reports have emojis".into(),
        DirectiveSetting::Emojis { allowed: false } => "reports have no emojis".into(),
        DirectiveSetting::First { section } => {
            format!("reports begin with {}", section_words(section))
        }
        DirectiveSetting::LeaveOut { section } => {
            format!("reports do not say {}", section_words(section))
        }
        DirectiveSetting::NeverPropose { kind } => {
            let what = match kind {
                ProposalKind::Title => "titles",
                ProposalKind::Status => "status changes",
                ProposalKind::Priority => "priorities",
                ProposalKind::DueDate => "due dates",
                ProposalKind::Estimate => "time estimates",
                ProposalKind::Labels => "labels",
                ProposalKind::Items => "new checklist items",
                ProposalKind::Ticks => "ticks of checklist items",
            };
            format!("{what} are never proposed")
        }
    }
}

fn section_words(section: ReportSection) -> &'static str {
    match section {
        ReportSection::Achieved => "what was achieved",
        ReportSection::Left => "what is left to do",
        ReportSection::Learned => "what was learned",
        ReportSection::Questions => "what is unclear",
    }
}
