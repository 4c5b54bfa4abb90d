//! `dormouse work deliveries`: notices to the person about agent work.

use clap::Args;
use dormouse::view::{Delivery, Page};
use dormouse_types::Id as _;
use dormouse_types::closed_list::NotListed;
use dormouse_types::delivery::{DeliveryKind, DeliveryState};
use serde_json::{Value, json};

use crate::client::path;
use crate::failure::Failure;
use crate::pages;
use crate::session::Session;
use crate::terminal::table::{Fit, Table};
use crate::terminal::{line, note, time};

#[derive(Debug, Args)]
pub struct Params {
    /// Only those in this state: pending, delivered or read
    #[arg(long, value_parser = state)]
    state: Option<DeliveryState>,
    /// Mark these as read: the ends of their ids, or `all`
    #[arg(long, value_name = "ID", num_args = 1.., conflicts_with_all = ["state", "cursor"])]
    read: Vec<String>,
    /// Continue after an earlier page
    #[arg(long)]
    cursor: Option<String>,
}

fn state(text: &str) -> Result<DeliveryState, String> {
    text.parse().map_err(|e: NotListed| e.to_string())
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    match params.read.as_slice() {
        [] => list(session, &params).await,
        ids => mark(session, ids).await,
    }
}

async fn list(session: &mut Session, params: &Params) -> Result<(), Failure> {
    let mut query = Vec::new();
    query.extend(params.state.map(|state| ("state", state.name())));
    query.extend(params.cursor.as_deref().map(|cursor| ("cursor", cursor)));
    let reply = session.client.get(&path("/api/deliveries", &query)).await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let page: Page<Delivery> = reply.read()?;
    for damaged in &page.damaged {
        note(&format!("damaged: {}", line(damaged)));
    }
    if page.items.is_empty() && page.damaged.is_empty() {
        session.screen.say("There are no deliveries of agent work.");
        return Ok(());
    }
    let columns =
        [("when", Fit::Drop(1)), ("state", Fit::Whole), ("what", Fit::Cut), ("id", Fit::Whole)];
    let mut table = Table::new(columns);
    for one in &page.items {
        let at = time::minute(one.created, &session.zone);
        table.row([at, one.state.to_string(), summary_of(one), one.id.short().to_owned()]);
    }
    if !page.items.is_empty() {
        let (width, style) = (session.screen.width(), session.screen.style());
        session.screen.say(table.render(width, style));
    }
    if let Some(next) = &page.next_cursor {
        session.screen.say(format!("more: --cursor {next}"));
    }
    Ok(())
}

/// One line about a delivery.
fn summary_of(one: &Delivery) -> String {
    let title = one.title.as_deref().unwrap_or("deleted work");
    let what = match one.kind {
        DeliveryKind::Question => "asks",
        DeliveryKind::Review => "waits for your review",
        DeliveryKind::Failed => "failed",
        DeliveryKind::Missed => "was missed, and was left out",
        DeliveryKind::Held => "was left out, because the data was restored",
        DeliveryKind::Result => "has a result",
    };
    line(&match &one.text {
        Some(text) => format!("{title} {what}: {text}"),
        None => format!("{title} {what}"),
    })
}

/// What was not read yet.
async fn unread(session: &Session) -> Result<Vec<Delivery>, Failure> {
    let mut all = Vec::new();
    for state in [DeliveryState::Pending, DeliveryState::Delivered] {
        let list = "/api/deliveries";
        let unread: Vec<Delivery> =
            pages::all(&session.client, list, &[("state", state.name())]).await?;
        all.extend(unread);
    }
    Ok(all)
}

async fn mark(session: &mut Session, ids: &[String]) -> Result<(), Failure> {
    let mut wanted = unread(session).await?;
    if ids != ["all"] {
        for id in ids {
            let n = wanted.iter().filter(|one| one.id.as_str().ends_with(id.as_str())).count();
            if n != 1 {
                let what = match n {
                    0 => format!("no unread delivery has an id that ends with `{id}`"),
                    n => format!("{n} end with `{id}`: write more of the id"),
                };
                return Err(
                    Failure::failed(what).hint(session.command("work deliveries --state pending"))
                );
            }
        }
        wanted.retain(|one| ids.iter().any(|id| one.id.as_str().ends_with(id.as_str())));
    }
    let mut marked: Vec<Value> = Vec::new();
    for one in &wanted {
        let address = format!("/api/deliveries/{}/state", one.id);
        let reply = session.client.put(&address, json!({ "state": "read" })).await?;
        marked.push(reply.read()?);
    }
    if session.screen.is_json() {
        session.screen.body(json!({ "items": marked }).to_string().as_bytes());
    } else {
        session.screen.say(format!("{} marked as read", marked.len()));
    }
    Ok(())
}
