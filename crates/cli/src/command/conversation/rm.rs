//! `dormouse conversation rm`.

use clap::Args;
use dormouse::view::Conversation;
use dormouse_types::Id as _;

use crate::failure::Failure;
use crate::find;
use crate::session::Session;
use crate::terminal::{line, titled};

#[derive(Debug, Args)]
pub struct Params {
    /// The conversation: the end of its id, or words of its title
    #[arg(required = true, value_name = "CONVERSATION")]
    conversation: Vec<String>,
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let found = find::conversation(session, &params.conversation.join(" ")).await?;
    let reply = session.client.delete(&format!("/api/conversations/{}", found.id)).await?;
    if !session.print_body(&reply) {
        let gone: Conversation = reply.read()?;
        let note = format!("deleted “{}” ({})", line(titled(&gone.title)), gone.id.short());
        session.screen.say(note);
    }
    Ok(())
}
