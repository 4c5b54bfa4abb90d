//! `dormouse task link`.

use clap::Args;
use dormouse::view::Task;
use dormouse_types::task::{LinkDirection, LinkKind};
use dormouse_types::{Id as _, TaskId};
use serde_json::json;

use crate::failure::Failure;
use crate::find;
use crate::session::Session;
use crate::terminal::{line, titled};

use super::name::named;

#[derive(Debug, Args)]
pub struct Params {
    /// The task; several words of its title in quotes
    task: String,
    /// Its relation to the other: relates-to, blocks, follow-up-of, part-of
    #[arg(value_parser = kind)]
    kind: LinkKind,
    /// The other task
    #[arg(required = true, value_name = "OTHER")]
    other: Vec<String>,
    /// Remove the link
    #[arg(long)]
    remove: bool,
}

fn kind(text: &str) -> Result<LinkKind, String> {
    text.parse::<LinkKind>().map_err(|e| e.to_string())
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let row = find::task(session, &params.task).await?;
    let other = find::task(session, &params.other.join(" ")).await?;
    let path = format!("/api/journal/tasks/{}/links", row.id);
    let reply = if params.remove {
        let task = find::whole_task(session, &row.id).await?;
        let Some(link) = link_of(&task, params.kind, &other.id) else {
            let words = params.kind.words(LinkDirection::Out);
            let (this, other) = (named(&task), line(titled(&other.title)));
            return Err(Failure::failed(format!("there is no link `{this} {words} {other}`"))
                .hint(format!("`{}` lists its links", session.command("task show"))));
        };
        session.client.delete(&format!("{path}/{link}")).await?
    } else {
        let body = json!({"kind": params.kind, "to": other.id});
        session.client.post(&path, body).await?
    };
    session.touch_task(&row.id);
    session.touch_task(&other.id);
    if !session.print_body(&reply) {
        let task: Task = reply.read()?;
        let words = params.kind.words(LinkDirection::Out);
        let other = format!("{}  {}", other.id.short(), line(titled(&other.title)));
        let no_more = if params.remove { "no more: " } else { "" };
        session.screen.say(format!("{no_more}{} {words} {other}", named(&task)));
    }
    Ok(())
}

/// The link of a kind between two tasks; a symmetric one matches in either direction.
fn link_of(task: &Task, kind: LinkKind, other: &TaskId) -> Option<String> {
    let is_it = |link: &&dormouse::view::TaskLink| {
        link.task.id == *other
            && link.kind == kind
            && (link.direction == LinkDirection::Out || kind.is_symmetric())
    };
    task.links.iter().find(is_it).map(|link| link.id.to_string())
}
