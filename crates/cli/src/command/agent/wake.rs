//! `dormouse agent wake` and `dormouse agent reanalyse`.

use clap::Args;
use dormouse::view::{Agent, ScheduledReason, ScheduledWake};
use dormouse_types::{AgentId, Id as _};
use serde_json::json;

use crate::client::Reply;
use crate::dates;
use crate::failure::Failure;
use crate::find;
use crate::session::Session;
use crate::terminal::{counted, time};
use crate::values::{Clearable, DateText, date_or_none};

use super::name::named;
use super::stopped::{unheard, with_its_task};

#[derive(Debug, Args)]
pub struct Params {
    /// The agent, or words of its task's title
    #[arg(required_unless_present = "due", conflicts_with = "due", value_name = "AGENT")]
    agent: Vec<String>,
    /// A message for it
    #[arg(long, value_name = "TEXT", conflicts_with = "due")]
    say: Option<String>,
    /// When to wake it in any case, such as `fri 3pm`; none clears the time
    #[arg(long, value_name = "TIME", value_parser = date_or_none, conflicts_with_all = ["due", "say"])]
    at: Option<Clearable<DateText>>,
    /// Cancel the waiting wake; the next one covers the changes
    #[arg(long, conflicts_with_all = ["due", "say", "at"])]
    cancel: bool,
    /// Print the body that the wake would send to its model, and send nothing
    #[arg(long, conflicts_with_all = ["due", "at", "cancel"])]
    dry_run: bool,
    /// With --dry-run: as if this were the model of the agent; builtin, or provider/model
    #[arg(long, value_name = "MODEL", requires = "dry_run")]
    model: Option<String>,
    /// Every agent with a wake that can run now
    #[arg(long, conflicts_with = "no_wait")]
    due: bool,
}

#[derive(Debug, Args)]
pub struct ReanalyseParams {
    /// The agent, or words of its task's title
    #[arg(required = true, value_name = "AGENT")]
    agent: Vec<String>,
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    if params.due {
        return due(session).await;
    }
    let at = match params.at {
        Some(Clearable(at)) => Some(dates::optional_time(session, "--at", at)?),
        None => None,
    };
    let agent = find::agent(session, &params.agent.join(" ")).await?;
    let path = format!("/api/agents/{}/wake", agent.id);
    if params.dry_run {
        return super::dry_run::run(session, &agent, params.say, params.model).await;
    }
    if params.cancel {
        let reply = session.client.delete(&path).await?;
        tell(session, &reply, &format!("{} has no waiting wake", named(&agent)))?;
        unheard(session, &reply)?;
        return still_set(session, &agent.id).await;
    }
    if let Some(at) = at {
        let reply = session.client.post(&path, json!({"at": at})).await;
        let reply = reply.map_err(|failure| with_its_task(session, &agent, failure))?;
        let name = named(&agent);
        return tell(
            session,
            &reply,
            &match at {
                Some(at) => format!("{name} wakes at {}", time::minute(at, &session.zone)),
                None => format!("{name} has no wake time set by you"),
            },
        );
    }
    let is_stated = params.say.is_some();
    let body = params.say.map_or_else(|| json!({}), |say| json!({"message": say}));
    let reply = session.client.post(&path, body).await;
    let reply = reply.map_err(|failure| with_its_task(session, &agent, failure))?;
    wait(session, &agent.id, reply).await?;
    if is_stated && !agent.reads_messages {
        crate::terminal::note(
            "note: the built-in model stores your message but does not act on it; it reads notes: `dormouse task note`",
        );
    }
    Ok(())
}

/// Names the time that the person set, which is not cancelled with the waiting wake, and how it is cleared.
async fn still_set(session: &mut Session, agent: &AgentId) -> Result<(), Failure> {
    if session.screen.is_json() {
        return Ok(());
    }
    let agent: Agent = session.client.get(&format!("/api/agents/{agent}")).await?.read()?;
    let is_set =
        |wake: &&ScheduledWake| wake.reason.clone().known() == Some(ScheduledReason::WakeAt);
    if let Some(at) = agent.scheduled_wakes.iter().find(is_set).and_then(|wake| wake.at) {
        let clear = session.command(&format!("agent wake {} --at none", agent.id.short()));
        let at = time::minute(at, &session.zone);
        session
            .screen
            .say(format!("it still wakes at {at}, the time that you set; to clear it: {clear}"));
    }
    Ok(())
}

fn tell(session: &mut Session, reply: &Reply, text: &str) -> Result<(), Failure> {
    if !session.print_body(reply) {
        session.screen.say(text);
    }
    Ok(())
}

pub async fn reanalyse(session: &mut Session, params: ReanalyseParams) -> Result<(), Failure> {
    let agent = find::agent(session, &params.agent.join(" ")).await?;
    let path = format!("/api/agents/{}/reanalyse", agent.id);
    let reply = session.client.post(&path, json!({})).await;
    let reply = reply.map_err(|failure| with_its_task(session, &agent, failure))?;
    wait(session, &agent.id, reply).await
}

async fn wait(session: &mut Session, agent: &AgentId, reply: Reply) -> Result<(), Failure> {
    session.touch_agent(agent);
    let ran = session.wait().await.is_some();
    let now = session.client.get(&format!("/api/agents/{agent}")).await?;
    if session.print_body(if ran { &now } else { &reply }) {
        return ended(session, Some(&now.read()?));
    }
    let agent: Agent = now.read()?;
    session.screen.say(format!("{} is {}", named(&agent), super::list::state(&agent)));
    super::waits::say(session, &agent).await?;
    ended(session, Some(&agent))
}

/// Errors: the wake of the agent failed, or without one any wake. Why is said by then.
fn ended(session: &Session, agent: Option<&Agent>) -> Result<(), Failure> {
    match agent {
        Some(agent) if session.failed().contains(&agent.id) => {
            let log = session.command(&format!("agent log {}", agent.id.short()));
            let name = named(agent);
            Err(Failure::failed(format!("the wake of {name} failed"))
                .hint(format!("its turns: {log}")))
        }
        None if !session.failed().is_empty() => {
            let n = counted(session.failed().len(), "wake");
            Err(Failure::failed(format!("{n} failed")))
        }
        Some(_) | None => Ok(()),
    }
}

async fn due(session: &mut Session) -> Result<(), Failure> {
    session.touch_all_due();
    let ran = session.wait().await;
    let reply = session.client.get("/api/agents?limit=200").await?;
    if !session.print_body(&reply) && ran == Some(0) {
        session.screen.say("No agent is ready to run.");
    }
    ended(session, None)
}
