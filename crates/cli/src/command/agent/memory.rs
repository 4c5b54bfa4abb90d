//! `dormouse agent memory`: what an agent remembers, line by line, or what has some words.

use clap::Args;
use dormouse::view::{MemoryHit, MemoryLine, Page};
use dormouse_types::AgentId;
use dormouse_types::line_name::LineName;

use crate::client::path;
use crate::failure::Failure;
use crate::find;
use crate::session::Session;
use crate::terminal::wrap::{self, Margin};
use crate::terminal::{line, time};

use super::name::named;

/// The most pages that one search reads: a page may have fewer results than it could.
const PAGES: usize = 20;

#[derive(Debug, Args)]
pub struct Params {
    /// The agent, or words of its task's title
    #[arg(required = true, value_name = "AGENT")]
    agent: Vec<String>,
    /// Only what has all of these words, each from its beginning; accents and case make no difference
    #[arg(long, value_name = "WORDS")]
    find: Option<String>,
    /// How much to show, newest first
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u8).range(1..=200))]
    limit: u8,
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let agent = find::agent(session, &params.agent.join(" ")).await?;
    if let Some(words) = &params.find {
        let title = named(&agent);
        return search(session, &agent.id, title, words, usize::from(params.limit)).await;
    }
    let limit = params.limit.to_string();
    let memory = path(&format!("/api/agents/{}/memory", agent.id), &[("limit", &limit)]);
    let reply = session.client.get(&memory).await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let page: Page<MemoryLine> = reply.read()?;
    session.screen.say(named(&agent));
    if page.items.is_empty() {
        session.screen.say("Nothing yet.");
    }
    for memory in &page.items {
        let text = memory.text.as_deref().unwrap_or("(removed)");
        // What a prompt has around a text is for the model.
        let text: Vec<&str> = text.lines().filter(|line| !is_fence(line)).collect();
        say(session, &LineName::Line(memory.n).to_string(), &text.join("\n"));
    }
    if page.next_cursor.is_some() {
        session.screen.say("");
        session.screen.say("There is more: --limit shows up to 200 lines, --find searches all.");
    }
    Ok(())
}

fn is_fence(line: &str) -> bool {
    line.starts_with("<data of=") || line == "</data>"
}

async fn search(
    session: &mut Session,
    agent: &AgentId,
    title: String,
    words: &str,
    limit: usize,
) -> Result<(), Failure> {
    let mut found: Vec<MemoryHit> = Vec::new();
    let mut cursor = None;
    for _ in 0..PAGES {
        let left = (limit - found.len()).to_string();
        let mut query = vec![("q", words), ("limit", left.as_str())];
        query.extend(cursor.as_deref().map(|cursor| ("cursor", cursor)));
        let search = path(&format!("/api/agents/{agent}/memory/search"), &query);
        let reply = session.client.get(&search).await?;
        let page: Page<MemoryHit> = reply.read()?;
        // As JSON, the pages of the API are shown as they are: the first one, with its cursor.
        if session.print_body(&reply) {
            return Ok(());
        }
        found.extend(page.items);
        cursor = page.next_cursor;
        if cursor.is_none() || found.len() >= limit {
            break;
        }
    }
    session.screen.say(title);
    if found.is_empty() {
        session.screen.say("Nothing that it remembers has all of these words.");
    }
    for hit in &found {
        let place = match (hit.line, hit.checkpoint) {
            (Some(n), _) => LineName::Line(n).to_string(),
            (None, Some(n)) => LineName::Summary(n).to_string(),
            (None, None) => String::new(),
        };
        let at = time::minute(hit.at, &session.zone);
        say(session, &format!("{at}  {place}  {}", line(hit.kind.name())), &hit.excerpt);
    }
    if cursor.is_some() {
        session.screen.say("");
        session.screen.say("There may be more: use more words, or --limit.");
    }
    Ok(())
}

fn say(session: &mut Session, heading: &str, text: &str) {
    session.screen.say("");
    let heading = session.screen.style().bold(heading);
    session.screen.say(heading);
    let width = session.screen.prose_width();
    for text in wrap::text(text, width, Margin { first: "  ", rest: "  " }) {
        session.screen.say(text);
    }
}
