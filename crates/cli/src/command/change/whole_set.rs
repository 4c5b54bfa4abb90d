//! `dormouse change confirm-all` and `dormouse change dismiss`.

use clap::Args;
use dormouse::view::{ChangeItem, Outcome, Page};
use dormouse_types::Id as _;
use dormouse_types::agent::ItemStatus;
use serde::Deserialize;
use serde_json::json;

use crate::client::Reply;
use crate::command::proposal;
use crate::failure::{Failure, Problem};
use crate::find;
use crate::session::Session;
use crate::terminal::{counted, line};

#[derive(Debug, Args)]
pub struct Params {
    /// The set, or words of its task's title
    #[arg(required = true, value_name = "SET")]
    set: Vec<String>,
}

/// The outcome of one of many items, as returned by the API.
#[derive(Debug, Deserialize)]
struct Decided {
    index: i64,
    outcome: Option<Outcome>,
    problem: Option<Problem>,
}

/// Lists the proposals to confirm, and confirms exactly those.
pub async fn confirm_all(session: &mut Session, params: Params) -> Result<(), Failure> {
    let set = find::set(session, &params.set.join(" ")).await?;
    session.touch_task(&set.task_id);
    let (mut listed, mut left_out) = (Vec::new(), Vec::new());
    for item in &set.items {
        match why_not(item) {
            None => listed.push(item),
            Some(why) => left_out.extend((!why.is_empty()).then_some((item, why))),
        }
    }
    let is_json = session.screen.is_json();
    if listed.is_empty() && is_json {
        return Err(Failure::failed(format!("set {} has nothing to confirm", set.id)));
    }
    if !is_json {
        for item in &listed {
            let summary = line(&proposal::summary(item));
            session.screen.say(format!("  {}  {summary}", proposal::name(item)));
            if item.made_of_private {
                session.screen.say(format!("    {}", proposal::MADE_OF_PRIVATE));
            }
        }
        for (item, why) in &left_out {
            let summary = line(&proposal::summary(item));
            session.screen.say(format!("  {}  left out: {summary}; {why}", proposal::name(item)));
        }
        if listed.is_empty() {
            session.screen.say("Nothing to confirm.");
            return Ok(());
        }
    }
    let named: Vec<_> =
        listed.iter().map(|item| json!({"index": item.index, "digest": item.digest})).collect();
    let path = format!("/api/change-sets/{}/confirm-all", set.id);
    let reply = session.client.post(&path, json!({ "items": named })).await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let page: Page<Decided> = reply.read()?;
    let mut n_confirmed = 0;
    for one in &page.items {
        let name = format!("{}:{}", set.id.short(), one.index);
        let why = match (&one.outcome, &one.problem) {
            (Some(outcome), _) if outcome.item.status == ItemStatus::Confirmed => {
                n_confirmed += 1;
                continue;
            }
            (Some(outcome), _) => {
                let error = outcome.item.error.as_deref().unwrap_or(outcome.item.status.name());
                line(error)
            }
            (None, Some(problem)) => line(&problem.detail),
            (None, None) => "the response does not mention it".to_owned(),
        };
        session.screen.say(format!("  {name}  not confirmed: {why}"));
    }
    let of = counted(listed.len() + left_out.len(), "proposal");
    session.screen.say(format!("confirmed {n_confirmed} of {of}"));
    Ok(())
}

/// Why an item is not confirmed with the others; `None` if nobody would expect it to be.
fn why_not(item: &ChangeItem) -> Option<String> {
    let now = line(item.now.as_deref().unwrap_or("none"));
    match item.status {
        ItemStatus::Pending if item.set_since => Some(format!("you set it to {now} since")),
        ItemStatus::Pending if item.shown => None,
        ItemStatus::Retracted => Some(line(item.error.as_deref().unwrap_or("it was withdrawn"))),
        ItemStatus::Pending
        | ItemStatus::Deferred
        | ItemStatus::Applying
        | ItemStatus::Confirmed
        | ItemStatus::Rejected
        | ItemStatus::Expired => Some(String::new()),
    }
}

pub async fn dismiss(session: &mut Session, params: Params) -> Result<(), Failure> {
    let set = find::set(session, &params.set.join(" ")).await?;
    session.touch_task(&set.task_id);
    let path = format!("/api/change-sets/{}/dismiss", set.id);
    let reply = session.client.post(&path, json!({})).await?;
    say(session, &reply, |outcomes| format!("put off {}", counted(outcomes.len(), "proposal")))
}

fn say(
    session: &mut Session,
    reply: &Reply,
    sum: impl FnOnce(&[Outcome]) -> String,
) -> Result<(), Failure> {
    if session.print_body(reply) {
        return Ok(());
    }
    let page: Page<Outcome> = reply.read()?;
    for outcome in &page.items {
        let item = &outcome.item;
        let mut text = format!(
            "  {}  {}: {}",
            proposal::name(item),
            proposal::status(item).to_owned(),
            line(&proposal::summary(item))
        );
        if let Some(error) = &item.error {
            text.push_str(&format!("; {}", line(error)));
        }
        session.screen.say(text);
    }
    session.screen.say(sum(&page.items));
    Ok(())
}
