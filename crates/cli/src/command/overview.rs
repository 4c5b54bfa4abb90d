//! `dormouse`: an overview, and what to type next.

use dormouse::models::ModelsView;
use dormouse::view::{Overview, ProviderAlert, Spending, Spent};
use dormouse_types::Timestamp;
use dormouse_types::spend::dollars;

use crate::failure::Failure;
use crate::session::Session;
use crate::terminal::style::Color;
use crate::terminal::{counted, line, time};

pub async fn run(session: &mut Session) -> Result<(), Failure> {
    // What changed without waiting, now counts as waiting.
    session.route().await?;
    let reply = session.client.get("/api/overview").await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    super::work::tell_what_was_due(session).await?;
    let overview: Overview = reply.read()?;
    let style = session.screen.style();
    session.screen.say(style.bold(&sentence(&overview)));
    for alert in &overview.alerts {
        let text = unavailable(alert, |at| time::minute(at, &session.zone));
        session.screen.say(style.paint(Color::Red, &text));
    }
    if let Some(text) = spent(&overview.spending) {
        session.screen.say(text);
    }
    let models: ModelsView = session.client.get("/api/models").await?.read()?;
    if let Some(text) = super::models::found_keys(&models, |text| session.command(text)) {
        session.screen.say(text);
    }
    let minute = |at| time::minute(at, &session.zone);
    for (what, command) in next(&overview, minute) {
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
    if overview.put_off_proposals > 0 {
        let n = overview.put_off_proposals;
        let what = if overview.open_proposals > 0 { n.to_string() } else { counted(n, "proposal") };
        parts.push(format!("{what} put off"));
    }
    format!("{}.", parts.join(", "))
}

/// Describes an unavailable provider in one line.
fn unavailable(alert: &ProviderAlert, at: impl Fn(Timestamp) -> String) -> String {
    let (provider, detail) = (line(&alert.provider), line(&alert.detail));
    let (since, until) = (at(alert.since), at(alert.until));
    format!("{provider} has been unavailable since {since}; next attempt at {until}: {detail}")
}

/// What was spent on models today, and which budget has no room left; `None` if nothing was.
fn spent(spending: &Spending) -> Option<String> {
    let money = of_budget(&spending.money, |used, limit| {
        format!("Models cost {} of {} today", dollars(used), dollars(limit))
    });
    let tokens = spending.tokens.as_ref().filter(|tokens| tokens.held_since.is_some());
    let tokens = tokens.and_then(|tokens| {
        of_budget(tokens, |used, limit| {
            format!("Models without a price used {used} of {limit} tokens today")
        })
    });
    let all: Vec<String> = money.into_iter().chain(tokens).collect();
    (!all.is_empty()).then(|| all.join("\n"))
}

fn of_budget(spent: &Spent, words: impl Fn(i64, i64) -> String) -> Option<String> {
    if spent.used == 0 && spent.held_since.is_none() {
        return None;
    }
    let limit = spent.budget.saturating_add(spent.extra);
    let text = words(spent.used, limit);
    Some(match spent.held_since {
        Some(_) if limit == 0 => format!("{text}: a budget of 0 allows no call, raise it."),
        Some(_) => format!("{text}: no room for the next call, wakes wait until midnight."),
        None => format!("{text}."),
    })
}

/// Next steps with their commands, most useful first.
fn next(overview: &Overview, minute: impl Fn(Timestamp) -> String) -> Vec<(String, &'static str)> {
    let mut next = Vec::new();
    if overview.tasks == 0 {
        next.push(("bring tasks in".to_owned(), "import FILE --with-agents"));
        next.push(("or write one".to_owned(), "task add \"Paint the fence\""));
        return next;
    }
    if overview.open_proposals > 0 {
        let tasks = counted(overview.tasks_with_proposals, "task");
        next.push((format!("decide on proposals about {tasks}"), "review"));
    } else if overview.put_off_proposals > 0 {
        next.push(("decide on what you put off".to_owned(), "review"));
    }
    if overview.waiting_agents > 0 {
        let wait = if overview.waiting_agents == 1 { "waits" } else { "wait" };
        let agents = counted(overview.waiting_agents, "agent");
        next.push((format!("wake {agents} that {wait}"), "agent wake --due"));
    }
    if let Some(at) = overview.next_wake_at {
        next.push((format!("the next wake is set for {}", minute(at)), "agent list"));
    }
    if overview.dormant_agents > 0 {
        let agents = counted(overview.dormant_agents, "agent");
        next.push((format!("look at {agents} that stopped"), "agent list"));
    }
    let spending = &overview.spending;
    let held = [Some(&spending.money), spending.tokens.as_ref()].into_iter().flatten();
    let held: Vec<&Spent> = held.filter(|spent| spent.held_since.is_some()).collect();
    // As much again as nothing is nothing.
    if held.iter().any(|spent| spent.budget > 0) {
        next.push(("allow as much again for today".to_owned(), "models once-more"));
    } else if !held.is_empty() {
        next.push(("set a budget that allows a call".to_owned(), "models budget"));
    }
    if overview.agents == 0 {
        next.push(("give a task an agent".to_owned(), "agent create TASK"));
    }
    next.push(("see the tasks".to_owned(), "task list"));
    next
}

#[cfg(test)]
mod tests {
    use dormouse::view::Queue;

    use super::*;

    const EMPTY: Overview = Overview {
        open_tasks: 0,
        tasks: 0,
        agents: 0,
        open_proposals: 0,
        put_off_proposals: 0,
        tasks_with_proposals: 0,
        waiting_agents: 0,
        next_wake_at: None,
        dormant_agents: 0,
        open_operations: 0,
        queue: Queue {
            waiting: 0,
            due: 0,
            running: 0,
            expired: 0,
            oldest_due_at: None,
            next_due_at: None,
            held_by: None,
        },
        alerts: Vec::new(),
        failing: Vec::new(),
        spending: Spending { day: jiff::civil::date(2026, 3, 2), money: SPENT, tokens: None },
    };

    const SPENT: Spent =
        Spent { used: 0, budget: 3_000_000, extra: 0, held_since: None, next_call: None };

    #[test]
    fn what_models_cost_is_shown_once_there_is_something() {
        assert_eq!(spent(&EMPTY.spending), None);
        let some = Spent { used: 1_250_000, extra: 3_000_000, ..SPENT };
        let amount = |money| spent(&Spending { money, ..EMPTY.spending });
        assert_eq!(amount(some.clone()).as_deref(), Some("Models cost $1.25 of $6.00 today."));
        let held = Spent { held_since: Some(Timestamp::from_micros(1)), ..some };
        assert!(amount(held.clone()).is_some_and(|text| text.contains("no room")));
        let none = Spending { tokens: Some(Spent { budget: 0, ..held.clone() }), ..EMPTY.spending };
        let text = spent(&none).expect("a budget of tokens is used up");
        assert!(text.contains("of 3000000 tokens today: no room"), "{text}");
        let steps = next(&Overview { tasks: 1, spending: none, ..EMPTY }, |_| String::new());
        assert!(steps.iter().any(|(_, command)| *command == "models budget"));
        let spending = Spending { money: held, ..EMPTY.spending };
        let steps = next(&Overview { tasks: 1, spending, ..EMPTY }, |_| String::new());
        assert!(steps.iter().any(|(_, command)| *command == "models once-more"));
    }

    #[test]
    fn an_unavailable_provider_is_one_line() {
        let alert = ProviderAlert {
            provider: "far".into(),
            why: dormouse_types::model::ProviderUnavailable::Outage.into(),
            since: Timestamp::from_micros(1),
            until: Timestamp::from_micros(2),
            detail: "503\nno \u{1b}[2Jservice".into(),
        };
        let text = unavailable(&alert, |at| at.micros().to_string());
        assert_eq!(text.lines().count(), 1);
        assert!(
            text.starts_with("far has been unavailable since 1; next attempt at 2: 503"),
            "{text}"
        );
        assert!(!text.contains('\u{1b}'), "{text:?}");
    }

    #[test]
    fn the_sentence_names_what_is_there() {
        assert_eq!(sentence(&EMPTY), "No tasks yet.");
        let some = Overview { tasks: 3, open_tasks: 2, agents: 1, open_proposals: 5, ..EMPTY };
        assert_eq!(sentence(&some), "3 tasks, 2 open, 1 agent, 5 proposals wait.");
        let some = Overview { put_off_proposals: 2, ..some };
        assert_eq!(sentence(&some), "3 tasks, 2 open, 1 agent, 5 proposals wait, 2 put off.");
        let some = Overview { open_proposals: 0, ..some };
        assert_eq!(sentence(&some), "3 tasks, 2 open, 1 agent, 2 proposals put off.");
    }

    #[test]
    fn proposals_come_first_and_an_empty_folder_shows_how_to_begin() {
        let next = |overview: &Overview| next(overview, |at| at.micros().to_string());
        let some = Overview { tasks: 3, agents: 1, open_proposals: 1, ..EMPTY };
        assert_eq!(next(&some).first().map(|(_, command)| *command), Some("review"));
        assert_eq!(
            next(&EMPTY).first().map(|(_, command)| *command),
            Some("import FILE --with-agents")
        );
    }
}
