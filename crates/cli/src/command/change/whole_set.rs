//! `dormouse change confirm-all` and `dormouse change dismiss`.

use clap::Args;
use dormouse::view::{ChangeSet, Outcome, Page};
use serde_json::json;

use crate::client::Reply;
use crate::command::{counted, proposal};
use crate::failure::Failure;
use crate::find;
use crate::session::Session;
use crate::terminal::line;

#[derive(Debug, Args)]
pub struct Params {
    /// The set, or words of its task's title
    #[arg(required = true, value_name = "SET")]
    set: Vec<String>,
}

pub async fn confirm_all(session: &mut Session, params: Params) -> Result<(), Failure> {
    let (set, reply) = post(session, &params, "confirm-all").await?;
    let open = set.items.iter().filter(|item| item.status == "pending").count();
    say(session, &reply, |outcomes| {
        let confirmed =
            outcomes.iter().filter(|outcome| outcome.item.status == "confirmed").count();
        format!("confirmed {confirmed} of {}", counted(open, "open proposal"))
    })
}

pub async fn dismiss(session: &mut Session, params: Params) -> Result<(), Failure> {
    let (_, reply) = post(session, &params, "dismiss").await?;
    say(session, &reply, |outcomes| format!("put off {}", counted(outcomes.len(), "proposal")))
}

async fn post(
    session: &mut Session,
    params: &Params,
    what: &str,
) -> Result<(ChangeSet, Reply), Failure> {
    let set = find::set(session, &params.set.join(" ")).await?;
    session.touch_task(&set.task_id);
    let path = format!("/api/change-sets/{}/{what}", set.id);
    let reply = session.client.post(&path, json!({})).await?;
    Ok((set, reply))
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
            proposal::status(item),
            line(&item.human_summary)
        );
        if let Some(error) = &item.error {
            text.push_str(&format!("; {}", line(error)));
        }
        session.screen.say(text);
    }
    session.screen.say(sum(&page.items));
    Ok(())
}
