//! `dormouse work log`.

use clap::Args;
use dormouse::view::{LogLineKind, Page, WorkLogLine};

use super::name::named;
use crate::client::path;
use crate::failure::Failure;
use crate::find;
use crate::session::Session;
use crate::terminal::wrap::{self, Margin};
use crate::terminal::{line, note, time};

#[derive(Debug, Args)]
pub struct Params {
    /// The agent work: the end of its id, or words of its title
    #[arg(required = true, value_name = "WORK")]
    work: Vec<String>,
    /// The whole log as a file, one JSON object a line
    #[arg(long, conflicts_with_all = ["limit", "cursor"])]
    jsonl: bool,
    /// How many runs a page holds, oldest first
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u8).range(1..=20))]
    limit: u8,
    /// Continue after an earlier page
    #[arg(long)]
    cursor: Option<String>,
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let work = find::work(session, &params.work.join(" ")).await?;
    if params.jsonl {
        let file = session.client.get(&format!("/api/tasks/{}/log.jsonl", work.id)).await?;
        session.screen.file(&file.body);
        return Ok(());
    }
    let limit = params.limit.to_string();
    let mut query = vec![("limit", limit.as_str())];
    query.extend(params.cursor.as_deref().map(|cursor| ("cursor", cursor)));
    let list = path(&format!("/api/tasks/{}/log", work.id), &query);
    let reply = session.client.get(&list).await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let page: Page<WorkLogLine> = reply.read()?;
    for damaged in &page.damaged {
        note(&format!("damaged: {}", line(damaged)));
    }
    session.screen.say(named(&work));
    if page.items.is_empty() {
        session.screen.say("No runs yet.");
    }
    let width = session.screen.prose_width();
    for one in &page.items {
        let at = one.at.map(|at| format!(" {}", time::minute(at, &session.zone)));
        let (first, text) = described(one, &at.unwrap_or_default());
        for text in wrap::text(&line(&text), width, Margin { first: &first, rest: "    " }) {
            session.screen.say(text);
        }
    }
    if let Some(cursor) = page.next_cursor {
        let id = dormouse_types::Id::short(&work.id);
        let command = session.command(&format!("work log {id} --cursor {cursor}"));
        session.screen.say(format!("more: {command}"));
    }
    Ok(())
}

/// The beginning of a line of the log, and its text.
fn described(one: &WorkLogLine, at: &str) -> (String, String) {
    let text = one.text.clone().unwrap_or_default();
    let tool = one.tool.as_deref().map(line).unwrap_or_default();
    match one.kind {
        LogLineKind::Run => {
            let revises = one.revises.as_ref().map(|run| format!("revises {run}"));
            (format!("run {}{at}  ", one.run), revises.unwrap_or(text))
        }
        LogLineKind::Message => ("  ".to_owned(), text),
        LogLineKind::Call => {
            let arguments = one.arguments.as_ref().map(ToString::to_string);
            (format!("  {tool} "), arguments.unwrap_or_default())
        }
        LogLineKind::Result => {
            let refused = if one.refused == Some(true) { "refused: " } else { "" };
            (format!("    {refused}"), text)
        }
        LogLineKind::Answer => ("  you answered: ".to_owned(), text),
        LogLineKind::Summary => ("  earlier runs: ".to_owned(), text),
        LogLineKind::Damaged => ("  cannot be read: ".to_owned(), text),
        LogLineKind::End => {
            let state = one.run_state.map(|state| state.name().replace('_', " "));
            (format!("  {}{at}  ", state.unwrap_or_default()), text)
        }
    }
}
