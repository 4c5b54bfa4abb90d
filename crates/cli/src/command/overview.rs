//! `dormouse`: the state of affairs, and what to type next.

use dormouse::view::Overview;

use super::counted;
use crate::failure::Failure;
use crate::session::Session;

pub async fn run(session: &mut Session) -> Result<(), Failure> {
    // What changed without waiting, now counts as waiting.
    session.route().await?;
    let reply = session.client.get("/api/overview").await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let overview: Overview = reply.read()?;
    let ink = session.screen.ink();
    session.screen.say(ink.bold(&sentence(&overview)));
    for (what, command) in next(&overview) {
        let command = session.command(command);
        session.screen.say(format!("  {what}: {command}"));
    }
    Ok(())
}

fn sentence(overview: &Overview) -> String {
    if overview.tasks == 0 {
        return "No tasks yet.".to_owned();
    }
    let mut parts = vec![counted(overview.tasks, "task")];
    if overview.open_tasks < overview.tasks {
        parts.push(format!("{} open", overview.open_tasks));
    }
    parts.push(counted(overview.agents, "agent"));
    if overview.open_proposals > 0 {
        let wait = if overview.open_proposals == 1 { "waits" } else { "wait" };
        parts.push(format!("{} {wait}", counted(overview.open_proposals, "proposal")));
    }
    format!("{}.", parts.join(", "))
}

/// (what there is to do, the command), the most useful first.
fn next(overview: &Overview) -> Vec<(String, &'static str)> {
    let mut next = Vec::new();
    if overview.tasks == 0 {
        next.push(("bring tasks in".to_owned(), "import FILE --with-agents"));
        next.push(("or write one".to_owned(), "task add \"Paint the fence\""));
        return next;
    }
    if overview.open_proposals > 0 {
        let tasks = counted(overview.tasks_with_proposals, "task");
        next.push((format!("decide on proposals about {tasks}"), "review"));
    }
    if overview.waiting_agents > 0 {
        let wait = if overview.waiting_agents == 1 { "waits" } else { "wait" };
        let agents = counted(overview.waiting_agents, "agent");
        next.push((format!("wake {agents} that {wait}"), "agent wake --due"));
    }
    if overview.dormant_agents > 0 {
        let agents = counted(overview.dormant_agents, "agent");
        next.push((format!("look at {agents} that stopped"), "agent list"));
    }
    if overview.agents == 0 {
        next.push(("give a task an agent".to_owned(), "agent create TASK"));
    }
    next.push(("see the tasks".to_owned(), "task list"));
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: Overview = Overview {
        open_tasks: 0,
        tasks: 0,
        agents: 0,
        open_proposals: 0,
        tasks_with_proposals: 0,
        waiting_agents: 0,
        dormant_agents: 0,
        open_operations: 0,
    };

    #[test]
    fn the_sentence_names_what_is_there() {
        assert_eq!(sentence(&EMPTY), "No tasks yet.");
        let some = Overview { tasks: 3, open_tasks: 2, agents: 1, open_proposals: 5, ..EMPTY };
        assert_eq!(sentence(&some), "3 tasks, 2 open, 1 agent, 5 proposals wait.");
    }

    #[test]
    fn proposals_come_first_and_an_empty_folder_is_told_how_to_begin() {
        let some = Overview { tasks: 3, agents: 1, open_proposals: 1, ..EMPTY };
        assert_eq!(next(&some).first().map(|(_, command)| *command), Some("review"));
        assert_eq!(
            next(&EMPTY).first().map(|(_, command)| *command),
            Some("import FILE --with-agents")
        );
    }
}
