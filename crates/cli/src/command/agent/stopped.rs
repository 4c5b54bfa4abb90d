//! An agent that was stopped: messages that no run has read, and what starts it again.

use dormouse::view::{Agent, StoppedAgent};
use dormouse_types::Id as _;
use dormouse_types::agent::DormantReason;

use crate::client::Reply;
use crate::failure::Failure;
use crate::session::Session;
use crate::terminal::line;

/// Lists the messages that will not be delivered to an agent, one per line.
pub fn unheard(session: &mut Session, reply: &Reply) -> Result<(), Failure> {
    if session.screen.is_json() {
        return Ok(());
    }
    let stopped: StoppedAgent = reply.read()?;
    for message in stopped.unheard {
        let text = message.text.as_deref().unwrap_or("a purged message");
        session.screen.say(format!("not delivered: {}", line(text)));
    }
    Ok(())
}

/// The command that restores the task of an agent that sleeps because its task was deleted; `None`
/// for other agents.
pub fn restores(session: &Session, agent: &Agent) -> Option<String> {
    let is_gone =
        agent.dormant_reason.as_ref().is_some_and(|reason| *reason == DormantReason::TaskDeleted);
    let task = agent.slots.active_task_id.as_ref().filter(|_| is_gone)?;
    Some(session.command(&format!("task restore {}", task.short())))
}

/// Adds that command as a hint to a refusal.
pub fn with_its_task(session: &Session, agent: &Agent, failure: Failure) -> Failure {
    match restores(session, agent) {
        Some(command) => failure.hint(format!("{command} restores its task")),
        None => failure,
    }
}
