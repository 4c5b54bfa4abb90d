//! `dormouse report`: what the agent of a task has to tell.

use clap::Args;
use dormouse::view::{Page, Report};
use dormouse_types::Id as _;
use serde_json::Value;

use crate::client::path;
use crate::failure::Failure;
use crate::find::{self, titled};
use crate::session::Session;
use crate::terminal::ink::Tone;
use crate::terminal::{line, markdown, moment};

/// The report is what the agent wrote last; nothing is asked of a model to show it.
#[derive(Debug, Args)]
pub struct Params {
    /// The task
    #[arg(required = true, value_name = "TASK")]
    task: Vec<String>,
    /// Show the earlier reports too, newest first
    #[arg(long)]
    history: bool,
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let task = find::task(session, &params.task.join(" ")).await?;
    let Some(agent) = task.agent else {
        let failure = Failure::failed(format!("the task “{}” has no agent", titled(&task.title)));
        let command = session.command(&format!("agent create {}", task.id.short()));
        return Err(failure.hint(format!("{command} gives it one")));
    };
    let (reply, reports) = if params.history {
        let reply = session
            .client
            .get(&path(&format!("/api/agents/{agent}/reports"), &[("limit", "50")]))
            .await?;
        let page: Page<Report> = reply.read()?;
        (reply, page.items)
    } else {
        let wake = session.command(&format!("agent wake {}", agent.short()));
        let reply = session
            .client
            .get(&format!("/api/agents/{agent}/report"))
            .await
            .map_err(|failure| failure.hint(format!("{wake} lets it look again")))?;
        let report: Report = reply.read()?;
        (reply, vec![report])
    };
    if session.print_body(&reply) {
        return Ok(());
    }
    let ink = session.screen.ink();
    session.screen.say(ink.bold(&line(titled(&task.title))));
    if reports.is_empty() {
        session.screen.say("No report yet.");
    }
    for report in &reports {
        let at = moment::minute(report.created_at, &session.zone);
        let model = report.provenance.get("model").and_then(Value::as_str).unwrap_or("its model");
        session.screen.say(ink.dim(&format!("written {at} by {}", line(model))));
        if let Some(since) = report.stale_since {
            let since = moment::minute(since, &session.zone);
            let text = format!("out of date since {since}");
            session.screen.say(ink.paint(Tone::Yellow, &text));
        }
        session.screen.say("");
        session.screen.say(body(report, session.screen.prose_width(), ink));
        session.screen.say("");
    }
    if task.open_proposals > 0 {
        let command = session.command(&format!("review {}", task.id.short()));
        session
            .screen
            .say(format!("{}: {command}", super::counted(task.open_proposals, "open proposal")));
    }
    Ok(())
}

/// The report as Markdown; one of an older shape as its JSON.
fn body(report: &Report, width: usize, ink: crate::terminal::Ink) -> String {
    let content = match &report.content {
        Value::String(text) => text.clone(),
        Value::Object(map)
            if map.get("markdown").or(map.get("text")).is_some_and(Value::is_string) =>
        {
            let text = map.get("markdown").or(map.get("text")).and_then(Value::as_str);
            text.unwrap_or_default().to_owned()
        }
        other => format!("```json\n{other:#}\n```"),
    };
    let tldr = report.tldr.as_deref().unwrap_or_default();
    let text = if tldr.is_empty() || content.contains(tldr) {
        content
    } else {
        format!("**{tldr}**\n\n{content}")
    };
    markdown::render(&text, width, ink)
}
