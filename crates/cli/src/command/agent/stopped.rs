//! An agent that was stopped: messages that no run has read, and what starts it again.

use dormouse::ProblemKind;
use dormouse::view::{Agent, ScheduledReason, StoppedAgent};
use dormouse_types::Id as _;
use dormouse_types::agent::{DormantReason, Lifecycle};

use super::name::named;
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

/// Names the agent in a refusal for its state as a person knows it, and adds the command that helps.
pub fn with_its_task(session: &Session, agent: &Agent, mut failure: Failure) -> Failure {
    if !failure.is(ProblemKind::AgentState) {
        return failure;
    }
    let whole = format!("agent {}", agent.id);
    failure.message = failure.message.replacen(&whole, &named(agent), 1);
    let is_waiting = agent
        .scheduled_wakes
        .iter()
        .any(|wake| wake.reason.clone().known() == Some(ScheduledReason::Interrupted));
    match restores(session, agent) {
        Some(command) => failure.hint(format!("{command} restores its task")),
        None if agent.lifecycle == Lifecycle::Dormant => {
            let resume = session.command(&format!("agent resume {}", agent.id.short()));
            failure.hint(format!("{resume} lets it work again"))
        }
        None if is_waiting => {
            let cancel = session.command(&format!("agent cancel {}", agent.id.short()));
            failure.hint(format!("{cancel} ends the wake that waits; its messages stay"))
        }
        None => failure,
    }
}
