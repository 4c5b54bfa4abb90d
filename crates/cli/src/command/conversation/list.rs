//! `dormouse conversation list`.

use clap::Args;
use dormouse::view::{Conversation, Page};
use dormouse_types::Id as _;

use crate::client::path;
use crate::failure::Failure;
use crate::session::Session;
use crate::terminal::table::{Fit, Table};
use crate::terminal::{line, note, time, titled};

#[derive(Debug, Args)]
pub struct Params {
    /// The maximum number to list
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=200))]
    limit: u16,
    /// Continue after an earlier page
    #[arg(long)]
    cursor: Option<String>,
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let limit = params.limit.to_string();
    let mut query = vec![("limit", limit.as_str())];
    query.extend(params.cursor.as_deref().map(|cursor| ("cursor", cursor)));
    let reply = session.client.get(&path("/api/conversations", &query)).await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let page: Page<Conversation> = reply.read()?;
    for damaged in &page.damaged {
        note(&format!("damaged: {}", line(damaged)));
    }
    if page.items.is_empty() {
        let empty_note =
            "No conversations. One begins when agent work with a schedule has a result.";
        session.screen.say(empty_note);
        return Ok(());
    }
    let mut table = Table::new([
        ("id", Fit::Whole),
        ("title", Fit::Cut),
        ("turns", Fit::Whole),
        ("newest", Fit::Drop(1)),
        ("last", Fit::Drop(2)),
    ]);
    for one in &page.items {
        table.row([
            one.id.short().to_owned(),
            titled(&one.title).to_owned(),
            one.n_turns.to_string(),
            time::minute(one.updated, &session.zone),
            one.last.clone().unwrap_or_default(),
        ]);
    }
    let (width, style) = (session.screen.width(), session.screen.style());
    session.screen.say(table.render(width, style));
    if let Some(cursor) = page.next_cursor {
        let command = session.command(&format!("conversation list --cursor {cursor}"));
        session.screen.say(format!("more: {command}"));
    }
    Ok(())
}
