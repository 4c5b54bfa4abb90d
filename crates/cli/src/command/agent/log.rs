//! `dormouse agent log`: an agent's runs, what it did in them, and its prompts.

use clap::Args;
use dormouse::view::{Message, Page, Prompt, PromptFragment, PromptPart, Wake};
use dormouse_formats::sanitise;
use dormouse_types::agent::MessageKind;
use dormouse_types::{AgentId, ThreadId};
use serde_json::Value;

use super::dry_run::kept_back;
use super::message::{content, kind};
use crate::client::{encode, path};
use crate::failure::Failure;
use crate::find;
use crate::session::Session;
use crate::terminal::wrap::{self, Margin};
use crate::terminal::{counted, line, time};

use super::name::named;

#[derive(Debug, Args)]
pub struct Params {
    /// The agent, or words of its task's title
    #[arg(required = true, value_name = "AGENT")]
    agent: Vec<String>,
    /// How many runs to show, newest first
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u8).range(1..=200))]
    limit: u8,
    /// Only the run whose key begins with this
    #[arg(long, value_name = "KEY")]
    run: Option<String>,
    /// Show the prompts of the newest of these runs
    #[arg(long)]
    prompt: bool,
    /// Follow the agent until Ctrl-C
    #[arg(long, short, conflicts_with_all = ["run", "prompt"])]
    follow: bool,
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let agent = find::agent(session, &params.agent.join(" ")).await?;
    if params.follow {
        return super::follow::run(session, &agent).await;
    }
    // A key is searched among all recent runs, not only those shown.
    let limit = match params.limit {
        _ if params.run.is_some() => 200,
        // A waiting wake comes first and has no prompt yet.
        limit if params.prompt => limit.saturating_add(1).min(200),
        limit => limit,
    };
    let wakes = path(&format!("/api/agents/{}/wakes", agent.id), &[("limit", &limit.to_string())]);
    let reply = session.client.get(&wakes).await?;
    let mut page: Page<Wake> = reply.read()?;
    if let Some(key) = &params.run {
        page.items.retain(|wake| has_key(wake, key));
        if page.items.is_empty() {
            let message = format!("{} has no run `{}`", named(&agent), line(key));
            return Err(Failure::failed(message).hint("`dormouse agent log AGENT` shows the keys"));
        }
    }
    if params.prompt {
        return prompt(session, &agent.id, &page.items).await;
    }
    if session.print_body(&reply) {
        return Ok(());
    }
    session.screen.say(named(&agent));
    if page.items.is_empty() {
        session.screen.say("No runs yet.");
    }
    for wake in &page.items {
        session.screen.say("");
        session.screen.say(heading(session, wake));
        for words in kept_back(&wake.kept_back) {
            session.screen.say(format!("  {words}"));
        }
        if let Some(error) = &wake.error_message {
            session.screen.say(format!("  {}", line(error)));
        }
        if let Some(thread) = &wake.thread_id {
            messages(session, &agent.id, thread).await?;
        }
    }
    if params.run.is_none() {
        user_messages(session, &agent.id).await?;
    }
    Ok(())
}

/// What the person said to the agent last, with the ids by which it can be removed.
async fn user_messages(session: &mut Session, agent: &AgentId) -> Result<(), Failure> {
    let query = [("follow", "true"), ("limit", "200")];
    let reply = session.client.get(&path(&format!("/api/agents/{agent}/messages"), &query)).await?;
    let page: Page<Message> = reply.read()?;
    let by_user = page.items.iter().filter(|message| message.kind == MessageKind::User);
    let by_user: Vec<&Message> = by_user.collect();
    let newest = &by_user[by_user.len().saturating_sub(USER_MESSAGES)..];
    if newest.is_empty() {
        return Ok(());
    }
    session.screen.say("");
    session.screen.say(session.screen.style().bold("What you said to it"));
    let width = session.screen.prose_width();
    for message in newest {
        let Some(text) = content(message) else { continue };
        let at = time::minute(message.created_at, &session.zone);
        session.screen.say(format!("  {at}  {}", message.id));
        for text in wrap::text(&text, width, Margin { first: "    ", rest: "    " }) {
            session.screen.say(text);
        }
    }
    Ok(())
}

/// How many messages of the user are shown: the newest.
const USER_MESSAGES: usize = 5;

fn has_key(wake: &Wake, key: &str) -> bool {
    wake.run_key.as_ref().is_some_and(|run_key| run_key.as_str().starts_with(key))
}

/// `2026-03-01 09:12  subscription  completed  run 1a2b3c4d  builtin`.
fn heading(session: &Session, wake: &Wake) -> String {
    let at = time::minute(wake.created_at, &session.zone);
    let style = session.screen.style();
    let mut parts = vec![style.bold(&at), line(wake.reason.name()), wake.status.to_string()];
    if let Some(key) = &wake.run_key {
        parts.push(style.dim(&format!("run {}", key.as_str().get(..8).unwrap_or(key.as_str()))));
    }
    parts.extend(wake.model.as_deref().map(line));
    if wake.crashes > 0 {
        parts.push(counted(usize::try_from(wake.crashes).unwrap_or(0), "crash"));
    }
    if wake.cut {
        parts.push("stopped at the turn limit".to_owned());
    }
    parts.join("  ")
}

async fn messages(
    session: &mut Session,
    agent: &AgentId,
    thread: &ThreadId,
) -> Result<(), Failure> {
    let query = [("thread", thread.to_string()), ("limit", "200".to_owned())];
    let query = query.each_ref().map(|(name, value)| (*name, value.as_str()));
    let reply = session.client.get(&path(&format!("/api/agents/{agent}/messages"), &query)).await?;
    let page: Page<Message> = reply.read()?;
    let width = session.screen.prose_width();
    for message in &page.items {
        let Some(text) = content(message) else { continue };
        let first = format!("  {:<12} ", kind(message));
        let rest = " ".repeat(first.len());
        for text in wrap::text(&text, width, Margin { first: &first, rest: &rest }) {
            session.screen.say(text);
        }
    }
    Ok(())
}

async fn prompt(session: &mut Session, agent: &AgentId, wakes: &[Wake]) -> Result<(), Failure> {
    let Some(key) = wakes.iter().find_map(|wake| wake.run_key.as_ref()) else {
        return Err(Failure::failed("no run has a prompt yet"));
    };
    let path = format!("/api/agents/{agent}/wakes/{}/prompt", encode(key.as_str()));
    let reply = session.client.get(&path).await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let page: Page<Prompt> = reply.read()?;
    let style = session.screen.style();
    for prompt in &page.items {
        let proof = match prompt.purged_at {
            Some(at) => {
                let at = time::minute(at, &session.zone);
                format!("part of this request was removed on {at}")
            }
            None if prompt.verified => "as it was sent".to_owned(),
            None => "NOT as it was sent".to_owned(),
        };
        let digest = prompt.digest.get(..8).unwrap_or(&prompt.digest);
        let heading = format!("turn {} · {proof} (digest {})", prompt.turn, line(digest));
        session.screen.say(style.bold(&heading));
        for fragment in &prompt.fragments {
            session.screen.say(style.dim(&format!("── {}", line(fragment.kind.name()))));
            session.screen.say(readable(fragment));
        }
    }
    Ok(())
}

/// A piece of a prompt as it was sent, but without the argument schemas of tools.
fn readable(fragment: &PromptFragment) -> String {
    let tools: Option<Vec<Value>> = match fragment.kind.known() {
        Some(PromptPart::Tools) => serde_json::from_str(&fragment.text).ok(),
        _ => None,
    };
    let Some(tools) = tools else { return sanitise::block(&fragment.text) };
    let text = |tool: &Value, name: &str| tool[name].as_str().unwrap_or_default().to_owned();
    let lines = tools
        .iter()
        .map(|tool| line(&format!("{}: {}", text(tool, "name"), text(tool, "description"))));
    let lines: Vec<String> = lines.chain(["(--json shows their arguments)".to_owned()]).collect();
    lines.join("\n")
}
