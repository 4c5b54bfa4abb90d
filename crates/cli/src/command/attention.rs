//! `dormouse attention`: what needs the person, and what they have taken note of.

use clap::{Args, Subcommand};
use dormouse::view::{Attention, Page};
use serde_json::json;

use crate::client::{encode, path};
use crate::failure::Failure;
use crate::session::Session;
use crate::terminal::table::{Fit, Table};
use crate::terminal::{line, time};

/// The commands for what needs the person.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List what needs you, newest first
    List(ListParams),
    /// Take note of an entry: it leaves the list until something new happens
    Acknowledge(EntryParams),
    /// Put an entry back into the list
    TakeBack(EntryParams),
}

#[derive(Debug, Args)]
pub struct ListParams {
    /// What you have taken note of instead
    #[arg(long)]
    acknowledged: bool,
}

#[derive(Debug, Args)]
pub struct EntryParams {
    /// The entry: its id, or the end of it
    entry: String,
}

pub async fn run(session: &mut Session, command: Command) -> Result<(), Failure> {
    match command {
        Command::List(params) => list(session, &params).await,
        Command::Acknowledge(params) => acknowledge(session, &params).await,
        Command::TakeBack(params) => take_back(session, &params).await,
    }
}

fn address(is_acknowledged: bool) -> String {
    let acknowledged = is_acknowledged.to_string();
    path("/api/needs-attention", &[("limit", "200"), ("acknowledged", &acknowledged)])
}

async fn list(session: &mut Session, params: &ListParams) -> Result<(), Failure> {
    let reply = session.client.get(&address(params.acknowledged)).await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let page: Page<Attention> = reply.read()?;
    if page.items.is_empty() {
        session.screen.say(match params.acknowledged {
            true => "Nothing that you have taken note of is still there.",
            false => "Nothing needs you.",
        });
        return Ok(());
    }
    let mut table = Table::new([
        ("since", Fit::Drop(1)),
        ("why", Fit::Whole),
        ("what", Fit::Wrap),
        ("id", Fit::Whole),
    ]);
    let ids: Vec<&str> = page.items.iter().map(|one| one.id.as_str()).collect();
    for one in &page.items {
        let title = one.work.as_ref().map(|work| match work.run {
            Some(n) => format!("{}, run {n}", work.title),
            None => work.title.clone(),
        });
        let about = title.or_else(|| one.task_title.clone()).filter(|title| !title.is_empty());
        let text = match about {
            Some(about) => format!("{}: {}", about, one.words()),
            None => one.words(),
        };
        table.row([
            time::minute(one.since, &session.zone),
            one.cause.kind().to_string(),
            line(&text),
            shown_end(&one.id, &ids).to_owned(),
        ]);
    }
    let (width, style) = (session.screen.width(), session.screen.style());
    session.screen.say(table.render(width, style));
    if page.next_cursor.is_some() {
        session.screen.say("there is more");
    }
    Ok(())
}

/// Units: characters. An id that is not longer is shown whole.
const SHORT: usize = 24;
/// Units: characters. The least that is shown of a longer one.
const END: usize = 8;

/// The end of an id, long enough that no other id of the list ends with it.
fn shown_end<'a>(id: &'a str, all: &[&str]) -> &'a str {
    if id.len() <= SHORT {
        return id;
    }
    let ends = (0..=id.len().saturating_sub(END)).rev().filter_map(|start| id.get(start..));
    let is_of_one = |end: &&str| all.iter().filter(|other| other.ends_with(end)).count() <= 1;
    ends.into_iter().find(is_of_one).unwrap_or(id)
}

/// The entry that a text names, among those of the list.
async fn found(
    session: &mut Session,
    entry: &str,
    is_acknowledged: bool,
) -> Result<Attention, Failure> {
    let reply = session.client.get(&address(is_acknowledged)).await?;
    let mut all = reply.read::<Page<Attention>>()?.items;
    all.retain(|one| one.id == entry || one.id.ends_with(entry));
    match (all.len(), all.pop()) {
        (1, Some(one)) => Ok(one),
        (0, _) => {
            let list = if is_acknowledged { "list --acknowledged" } else { "list" };
            Err(Failure::failed(format!("no entry is `{entry}`"))
                .hint(session.command(&format!("attention {list}"))))
        }
        (n, _) => {
            Err(Failure::failed(format!("{n} entries end with `{entry}`"))
                .hint("write the whole id"))
        }
    }
}

async fn acknowledge(session: &mut Session, params: &EntryParams) -> Result<(), Failure> {
    let entry = found(session, &params.entry, false).await?;
    let address = format!("/api/needs-attention/{}/acknowledgement", encode(&entry.id));
    let reply = session.client.put(&address, json!({ "since": entry.since })).await?;
    if !session.print_body(&reply) {
        session.screen.say(format!("{} left the list until something new happens", entry.id));
    }
    Ok(())
}

async fn take_back(session: &mut Session, params: &EntryParams) -> Result<(), Failure> {
    let entry = found(session, &params.entry, true).await?;
    let address = format!("/api/needs-attention/{}/acknowledgement", encode(&entry.id));
    let reply = session.client.delete(&address).await?;
    if !session.print_body(&reply) {
        session.screen.say(format!("{} is in the list again", entry.id));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_id_the_list_shows_the_end_that_no_other_has() {
        let long = "runFailed:6ca70000000000000000000000000000000000000000000000000000000038a1";
        let near = "runFailed:6ca70000000000000000000000000000000000000000000000000010000038a1";
        assert_eq!(shown_end("budget:tokens", &["budget:tokens", long]), "budget:tokens");
        assert_eq!(shown_end(long, &["budget:tokens", long]), "000038a1");
        assert_eq!(shown_end(long, &[near, long]), "00000038a1");
        assert_eq!(shown_end(near, &[near, long]), "10000038a1");
        assert_eq!(shown_end(long, &[long, long]), long, "nothing tells them apart");
    }
}
