//! `dormouse task show --at`: a task as it was at a run of its agent.

use dormouse::view::{ProposalThen, TaskAtWake, TaskRow};
use dormouse_types::agent::ItemStatus;
use dormouse_types::{Id as _, RunKey};

use super::contents::{activity_lines, contents};
use crate::command::{proposal, report};
use crate::failure::Failure;
use crate::find;
use crate::session::Session;
use crate::terminal::wrap::{self, Margin};
use crate::terminal::{counted, line, time};

pub async fn run(session: &mut Session, row: &TaskRow, run: &str) -> Result<(), Failure> {
    let Some(agent) = &row.agent else { return Err(find::without_agent(session, row)) };
    let key = find::run(session, agent, run).await?;
    let reply = session.client.get(&format!("/api/agents/{agent}/wakes/{key}/task")).await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let then: TaskAtWake = reply.read()?;
    for text in page(session, &then) {
        session.screen.say(text);
    }
    Ok(())
}

fn page(session: &Session, then: &TaskAtWake) -> Vec<String> {
    let (style, width) = (session.screen.style(), session.screen.prose_width());
    let at = time::minute(then.wake.created_at, &session.zone);
    let key = then.wake.run_key.as_ref().map_or("", short);
    let mut lines = vec![style.bold(&format!("As it was on {at}, at run {key}")), String::new()];
    lines.extend(contents(session, &then.task, Vec::new()));
    lines.push(String::new());
    match &then.report {
        Some(written) => {
            let at = time::minute(written.created_at, &session.zone);
            lines.push(style.bold(&format!("The report then, written {at}")));
            lines.push(report::body(written, width, style));
        }
        None => lines.push("There was no report yet.".to_owned()),
    }
    if !then.proposals.is_empty() {
        lines.push(String::new());
        lines.push(style.bold("Proposed then"));
    }
    for proposed in &then.proposals {
        let text = format!("{}: {}", proposal::summary(&proposed.item), since(session, proposed));
        let margin = Margin { first: "  ", rest: "    " };
        lines.extend(wrap::text(&line(&text), width, margin));
    }
    lines.push(String::new());
    let n = counted(usize::try_from(then.memory.lines).unwrap_or(0), "line");
    let summary = if then.memory.has_summary { " and a summary" } else { "" };
    let knows = session.command(&format!("agent knows {} --at {key}", then.wake.agent_id.short()));
    lines.push(format!("Its agent knew {n}{summary}: {knows}"));
    if !then.since.is_empty() {
        lines.push(String::new());
        lines.push(style.bold("Since then"));
        lines.extend(activity_lines(session, &then.since, &then.task.id));
    }
    if !then.not_undone.is_empty() {
        let n = counted(then.not_undone.len(), "later change");
        lines.push(String::new());
        lines.push(format!("Not undone, because what it did was not recorded: {n}."));
    }
    let task = then.task.id.short();
    let beside = [("before", &then.previous), ("after", &then.next)];
    for (name, key) in beside.into_iter().filter_map(|(name, key)| Some((name, key.as_ref()?))) {
        let command = session.command(&format!("task show {task} --at {}", short(key)));
        lines.push(format!("{name}: {command}"));
    }
    lines
}

/// The outcome of a proposal.
fn since(session: &Session, proposed: &ProposalThen) -> String {
    let item = &proposed.item;
    if matches!(item.status, ItemStatus::Pending | ItemStatus::Deferred) {
        return "still open".to_owned();
    }
    let mut text = proposal::status(item).to_owned();
    if let Some(at) = item.decided_at {
        text.push_str(&format!(" {}", time::minute(at, &session.zone)));
    }
    if let Some(reason) = &proposed.rejection_reason {
        text.push_str(&format!(", because: {reason}"));
    }
    text
}

fn short(key: &RunKey) -> &str {
    key.as_str().get(..8).unwrap_or(key.as_str())
}
