//! `dormouse agent forget`: removes a line from what an agent knows, and its words from both databases.

use clap::Args;
use dormouse::view::{KnowledgeLine, Page};
use dormouse_formats::sanitise;
use dormouse_types::memory::{PurgePhase, Removal};
use dormouse_types::{AgentId, EvolutionSessionId, HolderId, Id as _, WorkRunId};

use super::knows::words;
use super::name::named;
use crate::client::{encode, path};
use crate::failure::Failure;
use crate::find;
use crate::session::Session;
use crate::terminal::wrap::{self, Margin};
use crate::terminal::{counted, line, time};

#[derive(Debug, Args)]
pub struct Params {
    /// The agent, or several words of its task's title in quotes
    agent: String,
    /// The line, as `dormouse agent knows` names it, such as line-12; or what you said to the agent, by the id
    /// of the message in `dormouse agent log AGENT --json`, such as am-01jd7m3k5vn2c8q4w6x0z9abcd
    line: String,
    /// Remove the entry that the line was made of from its task as well
    #[arg(long)]
    and_entry: bool,
    /// Remove it; without this, only say what would be removed
    #[arg(long)]
    yes: bool,
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let agent = find::agent(session, &params.agent).await?;
    let of_line = format!("/api/agents/{}/knowledge/{}", agent.id, encode(&name_of(&params.line)));
    let query = [("withEntry", if params.and_entry { "true" } else { "false" })];
    let reply = if params.yes {
        session.client.delete(&path(&of_line, &query)).await?
    } else {
        session.client.get(&path(&format!("{of_line}/removal"), &query)).await?
    };
    if session.print_body(&reply) {
        return Ok(());
    }
    let removal: Removal = reply.read()?;
    let heading = match removal.removed_at {
        Some(at) => format!("removed at {}", time::minute(at, &session.zone)),
        None => "this would be removed".to_owned(),
    };
    session.screen.say(format!("{}: {heading}: {}", named(&agent), line(&removal.line)));
    if removal.removed_at.is_none()
        && let Some(text) = text_of(session, &agent.id, &removal.line).await?
    {
        let width = session.screen.prose_width();
        let margin = Margin { first: "  | ", rest: "  | " };
        for text in wrap::text(&sanitise::block(&text), width, margin) {
            session.screen.say(text);
        }
    }
    for text in sentences(&removal) {
        session.screen.say(format!("  {text}"));
    }
    if removal.removed_at.is_none() {
        let entry = if params.and_entry { " --and-entry" } else { "" };
        let command =
            format!("agent forget {} {}{entry} --yes", agent.id.short(), line(&params.line));
        session.screen.say(format!("\nremove it: {}", session.command(&command)));
    }
    Ok(())
}

/// The name of a line; of a message, its id is enough.
fn name_of(given: &str) -> String {
    if given.starts_with("am-") { format!("message-{given}") } else { given.to_owned() }
}

/// The most pages of what an agent knows that are read to show a line.
const PAGES: usize = 10;

/// What a line says, so that a person sees that it is the one they mean; `None` if it is very old.
async fn text_of(
    session: &mut Session,
    agent: &AgentId,
    name: &str,
) -> Result<Option<String>, Failure> {
    let mut cursor = None;
    for _ in 0..PAGES {
        let mut query = vec![("limit", "200")];
        query.extend(cursor.as_deref().map(|cursor| ("cursor", cursor)));
        let list = path(&format!("/api/agents/{agent}/knowledge"), &query);
        let page: Page<KnowledgeLine> = session.client.get(&list).await?.read()?;
        if let Some(found) = page.items.iter().find(|known| known.line.to_string() == name) {
            return Ok(Some(words(found)));
        }
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    Ok(None)
}

fn sentences(removal: &Removal) -> Vec<String> {
    let mut all = vec![match removal.log_lines {
        0 if removal.line.starts_with("message-") => "what you said to it".to_owned(),
        n => counted(n, "line") + " of memory",
    }];
    if removal.summaries > 0 {
        let summaries = plural(removal.summaries, "summary", "summaries");
        all.push(format!("{summaries} made of it; the next wake makes them again"));
    }
    if removal.texts + removal.other_rows > 0 {
        let texts = counted(removal.texts, "stored text");
        let rows = counted(removal.other_rows, "other row");
        all.push(format!("the words in {texts} and {rows}; what else they say stays"));
    }
    if removal.other_agents > 0 {
        all.push(format!(
            "the same words in the memory of {}",
            counted(removal.other_agents, "other agent")
        ));
    }
    if removal.wakes_changed > 0 {
        let wakes = counted(removal.wakes_changed, "wake");
        all.push(format!("{wakes} can then no longer be shown as they were"));
    }
    match (&removal.entry_id, removal.with_entry) {
        (Some(entry), true) => all.push(format!("the entry {entry} of its task")),
        (Some(_), false) => {
            all.push("its entry stays in the task; no agent is shown it again".to_owned());
        }
        (None, _) if removal.stays_in_task => {
            all.push("the words still stand in the task: change it there as well".to_owned());
        }
        (None, _) => {}
    }
    if removal.is_too_short {
        all.push("the words are too short to be looked for elsewhere".to_owned());
    }
    if removal.removed_at.is_none() {
        let stays = "notes, proposals and reports that say the same in other words stay: look for them as well";
        all.push(stays.to_owned());
    }
    if let Some(holder) = &removal.at_work {
        all.push(waits_for(holder).to_owned());
    }
    if removal.phase == Some(PurgePhase::Files) {
        all.push(
            "the files of the databases still have to be cleaned: it is tried again".to_owned(),
        );
    }
    all
}

/// Says who may be reading the words, and what to wait for.
fn waits_for(holder: &HolderId) -> &'static str {
    match holder.kind() {
        EvolutionSessionId::PREFIX => {
            "a session about a template is at work that may be reading them: wait until it has answered"
        }
        WorkRunId::PREFIX => {
            "agent work is running that may be reading them: wait until its run has ended"
        }
        _ => "an agent is at work that may be reading them: wait until its wake has ended",
    }
}

fn plural(n: usize, one: &str, many: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {many}") }
}
