//! `dormouse task delete` and `dormouse task restore`.

use clap::Args;
use dormouse::view::Task;
use dormouse_types::Id as _;
use serde_json::json;

use crate::failure::Failure;
use crate::find;
use crate::session::Session;

use super::name::named;

#[derive(Debug, Args)]
pub struct Params {
    /// The task
    #[arg(required = true, value_name = "TASK")]
    task: Vec<String>,
}

#[derive(Debug, Args)]
pub struct RestoreParams {
    /// The deleted task
    #[arg(required = true, value_name = "TASK")]
    task: Vec<String>,
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let row = find::task(session, &params.task.join(" ")).await?;
    let reply = session.client.delete(&format!("/api/journal/tasks/{}", row.id)).await?;
    session.touch_task(&row.id);
    if !session.print_body(&reply) {
        let task: Task = reply.read()?;
        session.screen.say(format!("deleted {}", named(&task)));
        let command = session.command(&format!("task restore {}", task.id.short()));
        session.screen.say(format!("restore it: {command}"));
    }
    Ok(())
}

pub async fn restore(session: &mut Session, params: RestoreParams) -> Result<(), Failure> {
    let row = find::deleted_task(session, &params.task.join(" ")).await?;
    let path = format!("/api/journal/tasks/{}/restore", row.id);
    let reply = session.client.post(&path, json!({})).await?;
    session.touch_task(&row.id);
    if !session.print_body(&reply) {
        let task: Task = reply.read()?;
        session.screen.say(format!("restored {}", named(&task)));
    }
    Ok(())
}
