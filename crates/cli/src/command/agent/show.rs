//! `dormouse agent show`.

use clap::Args;
use dormouse::view::{Agent, HeldBy, ScheduledReason, ScheduledWake};
use dormouse_types::Id as _;
use dormouse_types::agent::{DormantReason, Lifecycle};
use dormouse_types::closed_list::Listed;

use super::list::state;
use super::scheduled;
use crate::failure::Failure;
use crate::find;
use crate::session::Session;
use crate::terminal::wrap::{self, Margin};
use crate::terminal::{line, time, titled};

use super::stopped::restores;

#[derive(Debug, Args)]
pub struct Params {
    /// The agent, or words of its task's title
    #[arg(required = true, value_name = "AGENT")]
    agent: Vec<String>,
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let found = find::agent(session, &params.agent.join(" ")).await?;
    let reply = session.client.get(&format!("/api/agents/{}", found.id)).await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let agent: Agent = reply.read()?;
    let (style, width) = (session.screen.style(), session.screen.prose_width());
    session.screen.say(style.bold(&line(&agent.display_name)));
    session.screen.say(style.dim(agent.id.as_str()));
    for (name, value) in facts(session, &agent) {
        let first = format!("{name:<12}");
        let margin = Margin { first: &first, rest: "            " };
        for text in wrap::text(&line(&value), width, margin) {
            session.screen.say(text);
        }
    }
    if let Some(since) = agent.stale_since.filter(|_| !agent.automatic) {
        let ago = time::ago(since, session.began());
        let command = session.command(&format!("agent wake {}", agent.id.short()));
        session.screen.say(format!("\nchanged {ago}; update now: {command}"));
    }
    if let Some(command) = restores(session, &agent) {
        session.screen.say(format!("\nrestore its task: {command}"));
    } else if agent.dormant_reason.as_ref().is_some_and(|why| *why == DormantReason::Budget) {
        let command = session.command(&format!("models once-more --agent {}", agent.id.short()));
        session.screen.say(format!("\nallow as much again for today: {command}"));
    } else if agent.lifecycle == Lifecycle::Dormant {
        let command = session.command(&format!("agent resume {}", agent.id.short()));
        session.screen.say(format!("\nresume it: {command}"));
    }
    let by = Some(Listed::Known(HeldBy::Provider));
    let may_wait = |wake: &ScheduledWake| {
        wake.held_by == by || wake.reason.clone().known() == Some(ScheduledReason::Interrupted)
    };
    if agent.dormant_reason.is_none() && agent.scheduled_wakes.iter().any(may_wait) {
        super::waits::say(session, &agent).await?;
    }
    if let Some(task) = &agent.slots.active_task_id {
        // The task's report may belong to another agent by now.
        let whose = if agent.destroyed_at.is_some() { agent.id.short() } else { task.short() };
        let command = session.command(&format!("report {whose}"));
        session.screen.say(format!("\nits report: {command}"));
    }
    Ok(())
}

fn facts(session: &Session, agent: &Agent) -> Vec<(&'static str, String)> {
    let at = |at| time::minute(at, &session.zone);
    let mut facts = Vec::new();
    if let Some(title) = &agent.task_title {
        facts.push(("task", titled(title).to_owned()));
    }
    let mut now = state(agent).to_owned();
    if let Some(reason) = &agent.dormant_reason {
        now.push_str(&format!(": {}", why(reason)));
    }
    facts.push(("state", now));
    let when = if agent.automatic { "changes wake it" } else { "wakes only when asked" };
    let linked = if agent.wake_on_linked { ", changes of linked tasks too" } else { "" };
    facts.push(("automation", format!("{} ({when}{linked})", agent.automation)));
    facts.extend(agent.sleep_until.map(|until| ("held back", format!("until {}", at(until)))));
    facts.push(("model", agent.model.clone()));
    facts.extend(agent.last_wake_at.map(|last| ("last run", at(last))));
    facts.extend(scheduled::describe(agent, at).into_iter().map(|wake| ("wakes", wake)));
    if agent.consecutive_failure_count > 0 {
        facts.push(("failures", format!("{} in a row", agent.consecutive_failure_count)));
    }
    facts.extend(
        agent.stale_since.map(|since| ("report", format!("out of date since {}", at(since)))),
    );
    facts.extend(agent.destroyed_at.map(|ended| ("destroyed", at(ended))));
    facts
}

/// Describes why an agent is dormant.
fn why(reason: &Listed<DormantReason>) -> String {
    let words = match reason {
        Listed::Known(DormantReason::Paused) => "you paused it",
        Listed::Known(DormantReason::Failures) => "it failed too often in a row",
        Listed::Known(DormantReason::TaskDeleted) => "its task was deleted",
        Listed::Known(DormantReason::Budget) => {
            "its budget of the day has no room for the next call"
        }
        Listed::Other(name) => return line(name),
    };
    words.to_owned()
}
