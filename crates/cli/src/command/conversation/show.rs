//! `dormouse conversation show`.

use clap::Args;
use dormouse::view::{Page, Turn};
use dormouse_types::Id as _;
use dormouse_types::conversation::TurnRole;

use crate::client::path;
use crate::failure::Failure;
use crate::find;
use crate::session::Session;
use crate::terminal::{line, markdown, note, time, titled};

#[derive(Debug, Args)]
pub struct Params {
    /// The conversation: the end of its id, or words of its title
    #[arg(required = true, value_name = "CONVERSATION")]
    conversation: Vec<String>,
    /// The whole conversation as a file, one JSON object a line
    #[arg(long, conflicts_with_all = ["limit", "cursor"])]
    jsonl: bool,
    /// How many of the newest turns
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=200))]
    limit: u16,
    /// Continue with the turns before an earlier page
    #[arg(long)]
    cursor: Option<String>,
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let found = find::conversation(session, &params.conversation.join(" ")).await?;
    let root = format!("/api/conversations/{}/turns", found.id);
    if params.jsonl {
        let file = session.client.get(&format!("{root}.jsonl")).await?;
        session.screen.file(&file.body);
        return Ok(());
    }
    let limit = params.limit.to_string();
    let mut query = vec![("limit", limit.as_str())];
    query.extend(params.cursor.as_deref().map(|cursor| ("cursor", cursor)));
    let reply = session.client.get(&path(&root, &query)).await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let page: Page<Turn> = reply.read()?;
    for damaged in &page.damaged {
        note(&format!("damaged: {}", line(damaged)));
    }
    let (style, width) = (session.screen.style(), session.screen.prose_width());
    session.screen.say(style.bold(&line(titled(&found.title))));
    if let Some(cursor) = &page.next_cursor {
        let id = found.id.short();
        let command = session.command(&format!("conversation show {id} --cursor {cursor}"));
        session.screen.say(format!("earlier: {command}"));
    }
    // The newest comes first on a page, and last in a text that is read from above.
    for turn in page.items.iter().rev() {
        let at = turn.timestamp.map(|at| time::minute(at, &session.zone)).unwrap_or_default();
        let who = match turn.role {
            TurnRole::User => "you",
            TurnRole::Assistant => "agent",
        };
        let about = turn.task_ref.as_ref().map(|it| {
            format!("  {} “{}” ({})", it.action, line(titled(&it.title)), it.task_id.short())
        });
        session.screen.say("");
        session.screen.say(style.dim(&format!("{at}  {who}{}", about.unwrap_or_default())));
        if let Some(title) = &turn.title {
            session.screen.say(style.bold(&line(title)));
        }
        session.screen.say(markdown::render(&turn.content, width, style));
    }
    Ok(())
}
