//! `dormouse template evolve`.

use clap::{Args, ValueEnum};
use dormouse::view::{
    EvolutionDetail, EvolutionMessage, EvolutionProposal, Template, TemplateDetail, TemplateVersion,
};
use dormouse_types::evolution::{EvolutionRole, EvolutionStatus};
use dormouse_types::{Id as _, TemplateId};
use serde_json::json;

use super::edit::say;
use super::name::named;
use crate::client::Reply;
use crate::failure::Failure;
use crate::find;
use crate::session::Session;
use crate::terminal::{line, time};

#[derive(Debug, Args)]
pub struct Params {
    /// The template: the end of its id, or words of its name in quotes
    template: String,
    /// What to do with the session; left out: start one, or say something in it
    #[arg(value_enum)]
    action: Option<Action>,
    /// Say something; the model answers
    #[arg(long, value_name = "TEXT", conflicts_with = "action")]
    say: Option<String>,
    /// Only this proposal, by its number
    #[arg(long, value_name = "NUMBER", requires = "action")]
    proposal: Option<i64>,
    /// Why a proposal is rejected; the model reads it with its next answer
    #[arg(long, value_name = "TEXT", requires = "action")]
    reason: Option<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Action {
    /// Show what was said, and the proposal with what it would change
    Show,
    /// Make the proposal the active version, and end the session
    Approve,
    /// Turn the proposal down; the session continues
    Reject,
    /// End the session without a new version
    Abandon,
    /// End the answer that the model is about to give; the session continues
    Cancel,
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let template = find::template(session, &params.template).await?;
    let root = format!("/api/templates/{}/evolution", template.id);
    match params.action {
        None => talk(session, &template, &root, params.say.as_deref()).await,
        Some(Action::Show) => {
            let reply = session.client.get(&root).await?;
            show(session, &template, &reply).await
        }
        Some(Action::Approve) => approve(session, &root, params.proposal).await,
        Some(Action::Reject) => {
            let reason = params.reason.unwrap_or_default();
            let body = json!({ "proposal": params.proposal, "reason": reason });
            let reply = session.client.post(&format!("{root}/reject"), body).await?;
            ended(session, &template, &reply, "rejected: the model reads that with its next answer")
        }
        Some(Action::Abandon) => {
            let reply = session.client.post(&format!("{root}/abandon"), json!({})).await?;
            ended(session, &template, &reply, "abandoned: the template is as it was")
        }
        Some(Action::Cancel) => {
            let reply = session.client.post(&format!("{root}/cancel"), json!({})).await?;
            ended(session, &template, &reply, "cancelled: say something to continue")
        }
    }
}

/// Starts a session, or says something in the one that is open; then waits for the answer.
async fn talk(
    session: &mut Session,
    template: &Template,
    root: &str,
    words: Option<&str>,
) -> Result<(), Failure> {
    let goes_on = session.client.get(root).await.is_ok();
    let reply = match words {
        Some(words) if goes_on => {
            session.client.post(&format!("{root}/messages"), json!({ "message": words })).await?
        }
        words => session.client.post(root, json!({ "message": words })).await?,
    };
    let detail: EvolutionDetail = reply.read()?;
    let before = detail.session.n_messages;
    let id = detail.session.id;
    session.touch_evolution(&template.id, &id);
    session.wait().await;
    let reply = session.client.get(&format!("{root}/sessions/{id}")).await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let detail: EvolutionDetail = reply.read()?;
    for message in detail.messages.iter().filter(|message| message.n > before) {
        show_message(session, message);
    }
    if let Some(proposal) = &detail.session.proposal {
        proposed(session, &template.id, proposal).await?;
    }
    hints(session, template, &detail);
    Ok(())
}

async fn show(session: &mut Session, template: &Template, reply: &Reply) -> Result<(), Failure> {
    if session.print_body(reply) {
        return Ok(());
    }
    let detail: EvolutionDetail = reply.read()?;
    let style = session.screen.style();
    let began = time::minute(detail.session.created_at, &session.zone);
    let (n, status) = (detail.session.n, detail.session.status.name());
    session.screen.say(style.bold(&named(template)));
    session.screen.say(format!("session {n}, {status}, began {began}"));
    for message in &detail.messages {
        show_message(session, message);
    }
    if let Some(proposal) = &detail.session.proposal {
        proposed(session, &template.id, proposal).await?;
    }
    hints(session, template, &detail);
    Ok(())
}

async fn approve(session: &mut Session, root: &str, wanted: Option<i64>) -> Result<(), Failure> {
    let detail: EvolutionDetail = session.client.get(root).await?.read()?;
    let pending = detail.session.proposal.filter(|it| wanted.is_none_or(|n| n == it.n));
    let Some(pending) = pending else {
        return Err(Failure::failed("no such proposal waits for you".to_owned()));
    };
    let body = json!({ "proposal": pending.n, "baseVersion": pending.base_version });
    let reply = session.client.post(&format!("{root}/approve"), body).await?;
    say(session, &reply, |detail: &TemplateDetail| {
        let version = detail.version.as_ref().map_or(0, |version| version.version);
        let name = named(&detail.template);
        format!("version {version} of {name} is active: agents follow it from their next wake on")
    })
}

fn ended(
    session: &mut Session,
    template: &Template,
    reply: &Reply,
    what: &str,
) -> Result<(), Failure> {
    if !session.print_body(reply) {
        session.screen.say(format!("{}: {what}", named(template)));
    }
    Ok(())
}

/// Says a line of the session.
fn show_message(session: &mut Session, message: &EvolutionMessage) {
    let style = session.screen.style();
    let n = message.verdict_on.unwrap_or(0);
    let who = match message.role.known() {
        Some(EvolutionRole::Person) => "You".to_owned(),
        Some(EvolutionRole::Model) => "Model".to_owned(),
        Some(EvolutionRole::Proposal) => {
            format!("Proposal {}", message.proposal.as_ref().map_or(0, |it| it.n))
        }
        Some(EvolutionRole::Approved) => format!("Proposal {n} was approved"),
        Some(EvolutionRole::Rejected) => format!("Proposal {n} was rejected"),
        Some(EvolutionRole::Failed) => "No answer".to_owned(),
        None => message.role.name().to_owned(),
    };
    session.screen.say("");
    session.screen.say(style.bold(&line(&who)));
    for text in message.text.lines() {
        session.screen.say(line(text));
    }
}

/// Says what a proposal would change.
async fn proposed(
    session: &mut Session,
    template: &TemplateId,
    proposal: &EvolutionProposal,
) -> Result<(), Failure> {
    let path = format!("/api/templates/{template}/versions/{}", proposal.base_version);
    let base: TemplateVersion = session.client.get(&path).await?.read()?;
    let style = session.screen.style();
    for (name, old, new) in [
        ("General directive", &base.general_directive, &proposal.general_directive),
        ("Report directive", &base.report_directive, &proposal.report_directive),
    ] {
        session.screen.say("");
        if old == new {
            session.screen.say(format!("{}: unchanged", style.bold(name)));
            continue;
        }
        session.screen.say(style.bold(name));
        for text in difference(old, new) {
            session.screen.say(line(&text));
        }
    }
    Ok(())
}

/// The lines that differ: those that go with a minus, those that come with a plus.
fn difference(old: &str, new: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[same..], &new[same..]);
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let gone = old[..old.len() - tail].iter().map(|text| format!("- {text}"));
    gone.chain(new[..new.len() - tail].iter().map(|text| format!("+ {text}"))).collect()
}

/// Says what can be done next.
fn hints(session: &mut Session, template: &Template, detail: &EvolutionDetail) {
    if detail.session.status != EvolutionStatus::Active {
        return;
    }
    let call = format!("template evolve {}", template.id.short());
    let mut hints = vec![("say something", format!("{call} --say TEXT"))];
    if detail.session.proposal.is_some() {
        hints.push(("approve it", format!("{call} approve")));
        hints.push(("reject it", format!("{call} reject --reason TEXT")));
    }
    hints.push(("end the session", format!("{call} abandon")));
    session.screen.say("");
    for (what, rest) in hints {
        let text = format!("{what}: {}", session.command(&rest));
        session.screen.say(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_that_differ_are_shown() {
        let lines = difference("Same.\nOld.\nEnd.", "Same.\nNew.\nMore.\nEnd.");
        assert_eq!(lines, ["- Old.", "+ New.", "+ More."]);
        assert_eq!(difference("A", "A\nB"), ["+ B"]);
        assert_eq!(difference("A\nA", "A"), ["- A"]);
    }
}
