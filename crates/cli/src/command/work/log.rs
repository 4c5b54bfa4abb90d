//! `dormouse work log`.

use clap::Args;
use dormouse::view::{LogLineKind, Page, WorkLogLine};

use super::name::named;
use super::run;
use super::show::Numbers;
use crate::client::path;
use crate::failure::Failure;
use crate::find;
use crate::session::Session;
use crate::terminal::wrap::{self, Margin};
use crate::terminal::{line, markdown, note, time};

#[derive(Debug, Args)]
pub struct Params {
    /// The agent work: the end of its id, or words of its title
    #[arg(required = true, value_name = "WORK")]
    work: Vec<String>,
    /// The whole log as a file, one JSON object a line; with `--run`, that of one run
    #[arg(long, conflicts_with_all = ["limit", "cursor"])]
    jsonl: bool,
    /// Only the run with this number
    #[arg(long, value_name = "N", conflicts_with_all = ["limit", "cursor"], value_parser = clap::value_parser!(i64).range(1..))]
    run: Option<i64>,
    /// How many runs a page holds, oldest first
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u8).range(1..=20))]
    limit: u8,
    /// Continue after an earlier page
    #[arg(long)]
    cursor: Option<String>,
}

pub async fn show(session: &mut Session, params: Params) -> Result<(), Failure> {
    let work = find::work(session, &params.work.join(" ")).await?;
    let one = match params.run {
        Some(n) => Some(run::numbered(session, &work, n).await?.n.to_string()),
        None => None,
    };
    let of_one = one.as_deref().map(|n| [("limit", "1"), ("cursor", n)]);
    if params.jsonl {
        let file = format!("/api/tasks/{}/log.jsonl", work.id);
        let file = path(&file, of_one.as_ref().map_or(&[], |query| &query[..]));
        let file = session.client.get(&file).await?;
        session.screen.file(&file.body);
        return Ok(());
    }
    let limit = params.limit.to_string();
    let mut query = vec![("limit", limit.as_str())];
    query.extend(params.cursor.as_deref().map(|cursor| ("cursor", cursor)));
    if let Some(of_one) = of_one {
        query = of_one.to_vec();
    }
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
    let (style, width) = (session.screen.style(), session.screen.prose_width());
    let begun = |one: &WorkLogLine| Some((one.run_id.clone()?, one.run));
    let known = page.items.iter().filter_map(begun).collect();
    let wanted = page.items.iter().filter_map(|one| one.revises.as_ref());
    let numbers = Numbers::of(session, known, wanted).await;
    for one in &page.items {
        let at = one.at.map(|at| format!(" {}", time::minute(at, &session.zone)));
        let (first, text) = described(one, &numbers, &at.unwrap_or_default());
        // What a run without a language model published is below its last line.
        let (text, published) = match text.split_once("\n\n") {
            Some((text, published)) if one.kind == LogLineKind::End => (text, Some(published)),
            _ => (&*text, None),
        };
        for text in wrap::text(&line(text), width, Margin { first: &first, rest: "    " }) {
            session.screen.say(text);
        }
        let published =
            published.map(|text| markdown::render(text, width.saturating_sub(4), style));
        for text in published.iter().flat_map(|text| text.lines()) {
            session.screen.say(format!("    {text}").trim_end());
        }
    }
    if params.run.is_some() {
        return Ok(());
    }
    if let Some(cursor) = page.next_cursor {
        let id = dormouse_types::Id::short(&work.id);
        let command = session.command(&format!("work log {id} --cursor {cursor}"));
        session.screen.say(format!("more: {command}"));
        let newest = run::detail(session, &work.id).await?.runs.first().map(|run| run.n);
        if let Some(n) = newest {
            let command = session.command(&format!("work log {id} --run {n}"));
            session.screen.say(format!("the newest: {command}"));
        }
    }
    Ok(())
}

/// The beginning of a line of the log, and its text.
fn described(one: &WorkLogLine, numbers: &Numbers, at: &str) -> (String, String) {
    let text = one.text.clone().unwrap_or_default();
    let tool = one.tool.as_deref().map(line).unwrap_or_default();
    match one.kind {
        LogLineKind::Run => {
            let revises = one.revises.as_ref().map(|run| numbers.revised(run));
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
