//! `dormouse audit`: who did what, and what was refused.

use clap::Args;
use dormouse::view::{AuditEntry, Page};
use dormouse_types::policy::{DenialReason, PolicyDenied};

use crate::client::path;
use crate::failure::Failure;
use crate::session::Session;
use crate::terminal::table::{Fit, Table};
use crate::terminal::{note, time};

#[derive(Debug, Args)]
pub struct Params {
    /// How many rows, at most 200
    #[arg(long, default_value_t = 20, value_name = "N")]
    limit: u8,
    /// The cursor of the previous page
    #[arg(long, value_name = "CURSOR")]
    cursor: Option<String>,
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let limit = params.limit.to_string();
    let mut given = vec![("limit", limit.as_str())];
    given.extend(params.cursor.as_deref().map(|cursor| ("cursor", cursor)));
    let reply = session.client.get(&path("/api/audit", &given)).await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let page: Page<AuditEntry> = reply.read()?;
    if page.items.is_empty() {
        session.screen.say("No rows.");
        return Ok(());
    }
    let mut table = Table::new([
        ("when", Fit::Whole),
        ("who", Fit::Drop(2)),
        ("what", Fit::Whole),
        ("to", Fit::Drop(1)),
        ("", Fit::Cut),
    ]);
    for entry in &page.items {
        table.row([
            time::minute(entry.at, &session.zone),
            short(&entry.actor.to_string()),
            entry.action.to_string(),
            short(&entry.object),
            entry.denied.as_ref().map_or_else(|| entry.detail.clone(), in_words),
        ]);
    }
    let (width, style) = (session.screen.width(), session.screen.style());
    session.screen.say(table.render(width, style));
    if let Some(cursor) = &page.next_cursor {
        note(&format!("older: {}", session.command(&format!("audit --cursor {cursor}"))));
    }
    Ok(())
}

/// The short form of an id or a run key, perhaps after the kind of an actor; anything else as it is.
fn short(text: &str) -> String {
    let (kind, id) = text.rsplit_once(':').map_or(("", text), |(kind, id)| (kind, id));
    let is_id = id.len() > 20 && id.is_ascii();
    let shown = match (is_id, id.contains('-')) {
        (false, _) => return text.to_owned(),
        (true, true) => &id[id.len() - 5..],
        (true, false) => &id[..8],
    };
    if kind.is_empty() { shown.to_owned() } else { format!("{kind}:{shown}") }
}

fn in_words(denied: &PolicyDenied) -> String {
    let why = match denied.reason {
        DenialReason::Private => "it is private",
        DenialReason::Category => "its category may not be sent",
        DenialReason::Moved => "the task was moved to another category",
        DenialReason::Tool => "its template forbids the tool",
    };
    format!("{} of {}: {why}", denied.what, denied.model)
}
