//! `dormouse template list`.

use dormouse::view::{Page, Template};
use dormouse_types::Id as _;

use crate::failure::Failure;
use crate::session::Session;
use crate::terminal::table::{Fit, Table};
use crate::terminal::{line, note};

pub async fn run(session: &mut Session) -> Result<(), Failure> {
    let reply = session.client.get("/api/templates").await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let page: Page<Template> = reply.read()?;
    for damaged in &page.damaged {
        note(&format!("damaged: {}", line(damaged)));
    }
    let mut table = Table::new([
        ("id", Fit::Whole),
        ("name", Fit::Cut),
        ("kind", Fit::Whole),
        ("version", Fit::Whole),
        ("agents", Fit::Whole),
        ("model", Fit::Drop(2)),
        ("", Fit::Drop(1)),
    ]);
    for one in &page.items {
        let mut state = Vec::new();
        if one.is_default {
            state.push("default");
        }
        if !one.category_ids.is_empty() {
            state.push("default of a category");
        }
        if one.archived_at.is_some() {
            state.push("archived");
        }
        table.row([
            one.id.short().to_owned(),
            line(&one.display_name),
            one.kind.name().to_owned(),
            one.active_version.map_or_else(|| "none".to_owned(), |n| n.to_string()),
            one.n_agents.to_string(),
            one.model_id.clone().unwrap_or_default(),
            state.join(", "),
        ]);
    }
    let (width, style) = (session.screen.width(), session.screen.style());
    session.screen.say(table.render(width, style));
    Ok(())
}
