//! `dormouse task label`.

use clap::Args;
use dormouse::view::Task;
use serde_json::json;

use crate::client::{Reply, encode};
use crate::failure::Failure;
use crate::find;
use crate::session::Session;

use super::name::named;

#[derive(Debug, Args)]
pub struct Params {
    /// The task; several words of its title in quotes
    task: String,
    /// Labels, by name
    #[arg(required = true, value_name = "LABEL")]
    labels: Vec<String>,
    /// Remove them; agents do not propose them again
    #[arg(long)]
    remove: bool,
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let row = find::task(session, &params.task).await?;
    let path = format!("/api/journal/tasks/{}/labels", row.id);
    session.touch_task(&row.id);
    let mut last: Option<Reply> = None;
    for label in &params.labels {
        last = Some(if params.remove {
            session.client.delete(&format!("{path}/{}", encode(label))).await?
        } else {
            session.client.post(&path, json!({"name": label})).await?
        });
    }
    let Some(reply) = last else { return Ok(()) };
    if !session.print_body(&reply) {
        let task: Task = reply.read()?;
        let names: Vec<&str> = task.labels.iter().map(|label| label.name.as_str()).collect();
        let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let names = crate::terminal::line(&names);
        session.screen.say(format!("labels of {}: {names}", named(&task)));
    }
    Ok(())
}
