//! `dormouse work runs`.

use clap::Args;
use dormouse::view::{Page, WorkRun};
use dormouse_types::Id as _;

use super::name::named;
use super::show;
use crate::client::path;
use crate::dates;
use crate::failure::Failure;
use crate::find;
use crate::session::Session;
use crate::terminal::{line, note, time};

#[derive(Debug, Args)]
pub struct Params {
    /// The agent work: the end of its id, or words of its title
    #[arg(required = true, value_name = "WORK")]
    work: Vec<String>,
    /// Only runs of this day or later, `YYYY-MM-DD`
    #[arg(long, value_name = "DAY")]
    from: Option<String>,
    /// Only runs of this day or earlier, `YYYY-MM-DD`
    #[arg(long, value_name = "DAY")]
    to: Option<String>,
    /// The maximum number to list
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=200))]
    limit: u16,
    /// Continue after an earlier page
    #[arg(long)]
    cursor: Option<String>,
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let work = find::work(session, &params.work.join(" ")).await?;
    let limit = params.limit.to_string();
    let mut query = vec![("limit", limit.as_str())];
    let read = |option: &str, text: Option<String>| -> Result<Option<String>, Failure> {
        let day = text.map(|text| dates::past_day(session, option, &text)).transpose()?;
        Ok(day.map(|day| day.to_string()))
    };
    let days = [("from", read("--from", params.from)?), ("to", read("--to", params.to)?)];
    query.extend(days.iter().filter_map(|(name, day)| Some((*name, day.as_deref()?))));
    query.extend(params.cursor.as_deref().map(|cursor| ("cursor", cursor)));
    let list = path(&format!("/api/tasks/{}/runs", work.id), &query);
    let reply = session.client.get(&list).await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let page: Page<WorkRun> = reply.read()?;
    for damaged in &page.damaged {
        note(&format!("damaged: {}", line(damaged)));
    }
    session.screen.say(named(&work));
    if page.items.is_empty() {
        let is_all = days.iter().all(|(_, day)| day.is_none());
        session.screen.say(if is_all { "No runs yet." } else { "No runs on these days." });
    }
    let width = session.screen.prose_width();
    let numbers = show::Numbers::read(session, &page.items).await;
    for run in &page.items {
        let lines = show::described(run, &numbers, width, |at| time::minute(at, &session.zone));
        lines.into_iter().for_each(|text| session.screen.say(text));
    }
    if let Some(cursor) = page.next_cursor {
        let mut rest = format!("work runs {} --cursor {cursor}", work.id.short());
        for (name, day) in &days {
            rest.extend(day.as_ref().map(|day| format!(" --{name} {day}")));
        }
        session.screen.say(format!("more: {}", session.command(&rest)));
    }
    Ok(())
}
