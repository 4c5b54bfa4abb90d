//! `dormouse report`: the report of a task's agent.

use clap::Args;
use dormouse::view::{Agent, Page, Report, RestoredDatabase, TaskRow};
use dormouse_types::Id as _;
use dormouse_types::agent::Lifecycle;
use dormouse_types::closed_list::Listed;
use serde_json::{Value, json};

use crate::client::{Reply, path};
use crate::command::proposal;
use crate::failure::Failure;
use crate::find::{self, TaskOrAgent};
use crate::pages;
use crate::session::Session;
use crate::terminal::style::Color;
use crate::terminal::{line, markdown, time, titled};

/// Shows the last report the agent wrote. This makes no model call.
#[derive(Debug, Args)]
pub struct Params {
    /// The task, or an agent, even a destroyed one
    #[arg(required = true, value_name = "TASK")]
    task: Vec<String>,
    /// Also show earlier reports, newest first, including those of destroyed agents
    #[arg(long)]
    history: bool,
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let found = find::task_or_agent(session, &params.task.join(" ")).await?;
    let (agents, title) = match &found {
        TaskOrAgent::Agent(agent) => {
            let title = agent.task_title.clone().unwrap_or_default();
            (vec![Agent::clone(agent)], title)
        }
        TaskOrAgent::Task(task) => {
            let agents = agents_of(session, task, params.history).await?;
            if agents.is_empty() {
                return Err(find::without_agent(session, task));
            }
            (agents, task.title.clone())
        }
    };
    let reports = if params.history {
        let (body, reports) = history(session, &agents).await?;
        if session.screen.is_json() {
            session.screen.body(&body);
            return Ok(());
        }
        reports
    } else {
        let reply = newest(session, &agents).await?;
        if session.print_body(&reply) {
            return Ok(());
        }
        vec![reply.read()?]
    };
    let style = session.screen.style();
    session.screen.say(style.bold(&line(titled(&title))));
    if reports.is_empty() {
        session.screen.say("No report yet.");
    }
    for report in &reports {
        let at = time::minute(report.created_at, &session.zone);
        let model = report.provenance.get("model").and_then(Value::as_str).unwrap_or("its model");
        session.screen.say(style.dim(&format!("written {at} by {}", line(model))));
        let ended = agents.iter().find(|agent| agent.id == report.agent_id);
        if let Some((agent, at)) = ended.and_then(|agent| Some((agent, agent.destroyed_at?))) {
            let (name, at) = (line(&agent.display_name), time::minute(at, &session.zone));
            let text = format!("for agent {name} ({}), destroyed {at}", agent.id.short());
            session.screen.say(style.dim(&text));
        } else if let Some(since) = report.stale_since {
            let since = time::minute(since, &session.zone);
            let text = format!("out of date since {since}");
            session.screen.say(style.paint(Color::Yellow, &text));
        }
        if let Some(restored) = &report.written_before {
            let name = match &restored.database {
                Listed::Known(RestoredDatabase::Journal) => "the journal",
                Listed::Known(RestoredDatabase::Agent) => "the database of the agents",
                Listed::Other(name) => &line(name),
            };
            let at = time::minute(restored.at, &session.zone);
            let text = format!("written before {name} was restored or recreated (noticed {at})");
            session.screen.say(style.paint(Color::Yellow, &text));
        }
        session.screen.say("");
        session.screen.say(body(report, session.screen.prose_width(), style));
        session.screen.say("");
    }
    if let TaskOrAgent::Task(task) = &found
        && task.open_proposals + task.put_off_proposals > 0
    {
        let command = session.command(&format!("review {}", task.id.short()));
        session.screen.say(format!(
            "{}: {command}",
            proposal::counts(task.open_proposals, task.put_off_proposals)
        ));
    }
    Ok(())
}

/// The agents whose reports to show for a task: its agent; without one, or for the history, also
/// destroyed agents, newest first.
async fn agents_of(
    session: &Session,
    task: &TaskRow,
    is_history: bool,
) -> Result<Vec<Agent>, Failure> {
    let mut agents = Vec::new();
    if let Some(agent) = &task.agent {
        agents.push(session.client.get(&format!("/api/agents/{agent}")).await?.read()?);
    }
    if !agents.is_empty() && !is_history {
        return Ok(agents);
    }
    let destroyed: Vec<Agent> =
        pages::all(&session.client, "/api/agents", &[("lifecycle", "destroyed")]).await?;
    let is_of_task = |agent: &Agent| agent.slots.active_task_id.as_ref() == Some(&task.id);
    agents.extend(destroyed.into_iter().filter(is_of_task));
    Ok(agents)
}

/// The last report of the first agent that has one.
async fn newest(session: &Session, agents: &[Agent]) -> Result<Reply, Failure> {
    let mut refused = None;
    for agent in agents {
        match session.client.get(&format!("/api/agents/{}/report", agent.id)).await {
            Ok(reply) => return Ok(reply),
            Err(failure) if agent.lifecycle == Lifecycle::Destroyed => refused = Some(failure),
            Err(failure) => {
                let wake = session.command(&format!("agent wake {}", agent.id.short()));
                return Err(failure.hint(format!("{wake} makes it try again")));
            }
        }
    }
    Err(refused.unwrap_or_else(|| Failure::failed("there is no report")))
}

/// The reports of all these agents, newest first, also as a response body.
async fn history(session: &Session, agents: &[Agent]) -> Result<(Vec<u8>, Vec<Report>), Failure> {
    let mut items: Vec<Value> = Vec::new();
    for agent in agents {
        let reports = path(&format!("/api/agents/{}/reports", agent.id), &[("limit", "50")]);
        let page: Page<Value> = session.client.get(&reports).await?.read()?;
        items.extend(page.items);
    }
    let written = |report: &Value| report["createdAt"].as_str().unwrap_or_default().to_owned();
    items.sort_by_key(|report| std::cmp::Reverse(written(report)));
    let body = json!({"items": items, "nextCursor": null}).to_string().into_bytes();
    let read = |report| serde_json::from_value(report);
    let reports: Result<Vec<Report>, _> = items.into_iter().map(read).collect();
    let reports = reports
        .map_err(|e| Failure::failed(format!("the answer of the API cannot be read: {e}")))?;
    Ok((body, reports))
}

/// The report as Markdown; a report in an older format as JSON.
/// The text of a report, its summary first.
pub fn body(report: &Report, width: usize, style: crate::terminal::Style) -> String {
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
    markdown::render(&text, width, style)
}
