//! `dormouse change show`.

use clap::Args;
use dormouse::view::ChangeSet;
use dormouse_types::Id as _;

use crate::command::proposal;
use crate::failure::Failure;
use crate::find;
use crate::session::Session;
use crate::terminal::{line, time, titled};

#[derive(Debug, Args)]
pub struct Params {
    /// The set, or words of its task's title
    #[arg(required = true, value_name = "SET")]
    set: Vec<String>,
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let words = params.set.join(" ");
    // `SET:2` names an item elsewhere; here it means the item's set.
    let text = words.split(':').next().unwrap_or_default();
    let found = find::set(session, text).await?;
    let reply = session.client.get(&format!("/api/change-sets/{}", found.id)).await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let set: ChangeSet = reply.read()?;
    let (width, style) = (session.screen.prose_width(), session.screen.style());
    session.screen.say(style.bold(&line(titled(&set.task_title))));
    let at = time::minute(set.created_at, &session.zone);
    session.screen.say(style.dim(&format!("set {} · {at} · {}", set.id.short(), set.status)));
    for item in &set.items {
        session.screen.say("");
        let place = format!(
            "{}@{}  {}",
            proposal::name(item),
            proposal::digest8(item),
            proposal::status(item)
        );
        session.screen.say(style.dim(&place));
        for text in proposal::lines(item, width, style) {
            session.screen.say(text);
        }
    }
    Ok(())
}
