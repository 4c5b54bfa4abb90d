//! `dormouse task time`.

use clap::Args;
use dormouse::view::Task;
use serde_json::json;

use crate::dates;
use crate::failure::Failure;
use crate::find;
use crate::session::Session;
use crate::terminal::time;
use crate::values::{self, DateText};

use super::name::named;

#[derive(Debug, Args)]
pub struct Params {
    /// The task; several words of its title in quotes
    task: String,
    /// Time spent: 90, 90m or 1h30m
    #[arg(value_parser = time::read_minutes, value_name = "DURATION")]
    minutes: u32,
    /// What was done
    #[arg(value_name = "TEXT")]
    text: Vec<String>,
    /// The day, such as yesterday, friday or 2026-11-20 [default: today]
    #[arg(long, value_parser = values::date, value_name = "DAY")]
    on: Option<DateText>,
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let row = find::task(session, &params.task).await?;
    let mut body = json!({"minutes": params.minutes, "text": params.text.join(" ")});
    if let Some(on) = params.on {
        body["on"] = json!(dates::past_day(session, "--on", &on.0)?);
    }
    let path = format!("/api/journal/tasks/{}/time-entries", row.id);
    let reply = session.client.post(&path, body).await?;
    session.touch_task(&row.id);
    if !session.print_body(&reply) {
        let task: Task = reply.read()?;
        let spent = time::duration(task.time_spent_minutes);
        session.screen.say(format!("{spent} spent on {}", named(&task)));
    }
    Ok(())
}
