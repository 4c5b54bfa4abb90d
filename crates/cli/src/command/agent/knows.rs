//! `dormouse agent knows`: all that the next prompt of an agent says of its memory.

use std::collections::HashMap;

use clap::Args;
use dormouse::view::{KnowledgeKind, KnowledgeLine, Page};
use dormouse_formats::sanitise;
use dormouse_types::kept_back::KeptBackReason;
use dormouse_types::line_name::LineName;

use super::name::named;
use crate::client::path;
use crate::failure::Failure;
use crate::find;
use crate::session::Session;
use crate::terminal::wrap::{self, Margin};
use crate::terminal::{change, time};

#[derive(Debug, Args)]
pub struct Params {
    /// The agent, or words of its task's title
    #[arg(required = true, value_name = "AGENT")]
    agent: Vec<String>,
    /// How many lines to show, newest first
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u8).range(1..=200))]
    limit: u8,
    /// What it knew when this run had ended
    #[arg(long, value_name = "RUN")]
    at: Option<String>,
    /// Go on where the list before ended
    #[arg(long, value_name = "CURSOR")]
    after: Option<String>,
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let agent = find::agent(session, &params.agent.join(" ")).await?;
    let limit = params.limit.to_string();
    let at = match &params.at {
        Some(run) => Some(find::run(session, &agent.id, run).await?),
        None => None,
    };
    let mut query = vec![("limit", limit.as_str())];
    query.extend(at.as_ref().map(|key| ("at", key.as_str())));
    query.extend(params.after.as_deref().map(|cursor| ("cursor", cursor)));
    let list = path(&format!("/api/agents/{}/knowledge", agent.id), &query);
    let reply = session.client.get(&list).await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let page: Page<KnowledgeLine> = reply.read()?;
    session.screen.say(named(&agent));
    if page.items.is_empty() {
        session.screen.say(if at.is_some() {
            "It knew nothing yet."
        } else {
            "It knows nothing yet."
        });
    }
    let width = session.screen.prose_width();
    let replaced = replaced(&page.items);
    for known in &page.items {
        let heading = heading(session, known, replaced.get(&known.line).copied());
        session.screen.say("");
        session.screen.say(heading);
        let margin = Margin { first: "  ", rest: "  " };
        for text in wrap::text(&sanitise::block(&words(known)), width, margin) {
            session.screen.say(text);
        }
    }
    if let Some(cursor) = &page.next_cursor {
        let at = params.at.map_or_else(String::new, |run| format!(" --at {run}"));
        let command = format!("agent knows {}{at} --after {cursor}", agent.id);
        session.screen.say(format!("\nmore: {}", session.command(&command)));
    }
    Ok(())
}

/// The lines that a newer one of the list replaced, each with the newest about the same.
fn replaced(items: &[KnowledgeLine]) -> HashMap<&LineName, &LineName> {
    let mut newest: HashMap<&str, &LineName> = HashMap::new();
    let mut replaced = HashMap::new();
    for known in items {
        let Some(subject) = known.subject.as_deref() else { continue };
        match newest.get(subject) {
            Some(by) => _ = replaced.insert(&known.line, *by),
            None => _ = newest.insert(subject, &known.line),
        }
    }
    replaced
}

/// `line-12  entry  2026-03-01 09:12  run 1a2b3c4d  replaced by line-14  folded`.
fn heading(session: &Session, known: &KnowledgeLine, replaced_by: Option<&LineName>) -> String {
    let style = session.screen.style();
    let mut parts = vec![style.bold(&known.line.to_string()), kind(known).to_owned()];
    parts.extend(known.at.map(|at| time::minute(at, &session.zone)));
    if let Some(key) = &known.run_key {
        parts.push(style.dim(&format!("run {}", key.as_str().get(..8).unwrap_or(key.as_str()))));
    }
    parts.extend(known.entry_id.as_ref().map(|entry| style.dim(&entry.to_string())));
    if let Some([from, upto]) = known.folds {
        parts.push(format!("lines {from} to {upto}"));
    }
    parts.extend(replaced_by.map(|by| format!("replaced by {by}")));
    if known.is_folded {
        parts.push("folded".to_owned());
    }
    parts.extend(known.kept_back.map(|reason| style.bold(not_sent(reason))));
    parts.join("  ")
}

fn not_sent(reason: KeptBackReason) -> &'static str {
    match reason {
        KeptBackReason::Private => "not sent to its model: private",
        KeptBackReason::Category => "not sent to its model: its category",
    }
}

fn kind(known: &KnowledgeLine) -> &'static str {
    match (known.kind, &known.entry_id) {
        (KnowledgeKind::Summary, _) => "summary",
        (KnowledgeKind::Decision, _) => "decision",
        (KnowledgeKind::Observation, _) => "its note",
        (KnowledgeKind::Input, Some(_)) => "entry",
        (KnowledgeKind::Input, None) => "change",
    }
}

/// What a line says; of a decision, with the verdict and its reason.
pub(super) fn words(known: &KnowledgeLine) -> String {
    let Some(verdict) = known.verdict else { return known.text.clone() };
    let text = change::words(known.change.as_ref(), &known.text);
    match &known.reason {
        Some(reason) => format!("{text}: {verdict}, because: {reason}"),
        None => format!("{text}: {verdict}"),
    }
}
