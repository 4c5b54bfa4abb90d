//! What a person is asked before a model is chosen, or a provider in use is changed, on a terminal.

use dormouse::models::{
    KeptBackAgents, ModelQuestion, ModelUse, ModelsView, PriceSource, ProviderQuestion,
    TooSmallBudget,
};
use dormouse_types::model_settings::{as_argument, split_id};
use dormouse_types::spend::{OverBudget, Unit, dollars};

use super::show::kept_back_words;
use crate::session::Session;
use crate::terminal::{counted, line, tokens};

/// Shows what it means that somebody gets a model.
pub fn of_choice(session: &mut Session, question: &ModelQuestion, whom: &str, models: &ModelsView) {
    let model = line(&question.id);
    let what = if question.uses == [ModelUse::Summaries] { "summarise" } else { "think" };
    session.screen.say(format!("Let {model} {what} for {whom}?"));
    match question.agents_that_stay {
        0 => {}
        1 => session.screen.say("  1 agent has a model of its own, and keeps it"),
        stay => {
            session.screen.say(format!("  {stay} agents have a model of their own, and keep it"))
        }
    }
    if question.sent.is_empty() {
        session.screen.say("  nothing leaves this machine: the built-in rules run here");
    } else {
        session.screen.say(format!("  sent to {}:", line(&question.sent_to)));
        say_what_is_sent(session, (&question.sent, &question.never_sent), question.kept_back);
        if question.uses.contains(&ModelUse::Wakes) {
            let model = as_argument(&model);
            let command = session.command(&format!("agent wake AGENT --dry-run --model {model}"));
            session.screen.say(format!("  to see a whole request first: {command}"));
        }
    }
    session.screen.say(format!("  {}", costs(question, models)));
    if let Some(call) = question.one_call {
        for words in too_small(session, call.unit, &question.too_small) {
            session.screen.say(format!("  warning: {words}"));
        }
    }
    if let Some((provider, _)) = split_id(&question.id).filter(|_| question.misses_key) {
        let provider = line(provider);
        let key = session.command(&format!("models key {provider}"));
        session.screen.say(format!(
            "  warning: {provider} has no key, and a provider refuses calls without one: set it with `{key}`"
        ));
    }
    automations_off(session, question.automations_off, &question.automations_off_names);
}

/// Lists what is sent to a model, what is never sent, and which agents nothing is sent of.
fn say_what_is_sent(
    session: &mut Session,
    (sent, never_sent): (&[String], &[String]),
    kept_back: KeptBackAgents,
) {
    for what in sent {
        session.screen.say(format!("    {what}"));
    }
    session.screen.say("  never sent:");
    for what in never_sent {
        session.screen.say(format!("    {what}"));
    }
    if let Some(words) = kept_back_words(kept_back) {
        session.screen.say(format!("  nothing is sent of {words}"));
    }
}

/// Prints the number of agents that would no longer wake by themselves, and the names of the first.
fn automations_off(session: &mut Session, n_off: usize, names: &[String]) {
    let command = session.command("agent automation AGENT on");
    let (agents, wakes) = match n_off {
        0 => return,
        1 => ("1 agent".to_owned(), "wakes by itself now, and would wait"),
        n => (format!("{n} agents"), "wake by themselves now, and would wait"),
    };
    session.screen.say(format!("  {agents} {wakes} for you: switch that on with `{command}`"));
    let names: Vec<_> = names.iter().map(|name| line(name)).collect();
    let more = n_off.saturating_sub(names.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    session.screen.say(format!("    {}{more}", names.join(", ")));
}

/// Shows what it means that a provider in use is changed.
pub fn of_provider(session: &mut Session, name: &str, question: &ProviderQuestion) {
    let name = line(name);
    session.screen.say(format!("Change {name}, which is in use?"));
    let models: Vec<_> = question.models.iter().map(|id| line(id)).collect();
    let agents = counted(question.agents, "agent");
    let work = match question.agent_work {
        0 => String::new(),
        n => format!(" and {}", pieces_of_work(n)),
    };
    let asks = if question.agents == 1 && work.is_empty() { "asks" } else { "ask" };
    session.screen.say(format!("  {agents}{work} {asks} {}", models.join(", ")));
    let (now, then) = (line(&question.sent_to_now), line(&question.sent_to));
    session.screen.say(match now == then {
        true => format!("  sent to {then}:"),
        false => format!("  from now on sent to {then} instead of {now}:"),
    });
    say_what_is_sent(session, (&question.sent, &question.never_sent), question.kept_back);
    if question.becomes_own {
        let whose = match question.opened_agents {
            0 => String::new(),
            n => format!(", those of {} among them", counted(n, "agent")),
        };
        session.screen.say(format!(
            "  warning: as your own server it is sent private tasks and notes as well{whose}"
        ));
    }
    if question.becomes_paid {
        session
            .screen
            .say("  warning: as it is not your own server any more, its calls cost money");
    }
    let budget = dollars(question.budget_a_day);
    session.screen.say(match (question.is_free, question.cost_a_day) {
        (true, _) => "  costs nothing".to_owned(),
        (false, Some(cost)) => format!(
            "  an estimate: about {} a day, from {:.1} wakes and {:.1} runs of agent work a day in the last week; \
             never more than {budget}",
            dollars(cost),
            question.wakes_a_day,
            question.runs_a_day,
        ),
        (false, None) => {
            "  its price is not known: calls are counted in tokens, within the budget of tokens".to_owned()
        }
    });
    if question.misses_key {
        let key = session.command(&format!("models key {name}"));
        session.screen.say(format!(
            "  warning: {name} has no key for that address, and a provider refuses calls without one: set it with \
             `{key}`"
        ));
    }
    let names = &question.automations_off_names;
    automations_off(session, question.automations_off, names);
}

/// Returns a warning for each budget that has no room for the calls of the shortest run.
pub fn too_small(session: &Session, unit: Unit, budgets: &[TooSmallBudget]) -> Vec<String> {
    let words = |value: i64| match unit {
        Unit::MicroDollars => dollars(value),
        Unit::Tokens => tokens(value),
    };
    let of = |too_small: &TooSmallBudget| {
        let (whose, then, option) = match (too_small.scope, unit) {
            (OverBudget::Wake, _) => ("one wake may spend", "fail", "--wake"),
            (OverBudget::Agent, _) => ("one agent may spend a day", "wait", "--agent"),
            (OverBudget::Workspace, Unit::MicroDollars) => {
                ("all agents may spend a day", "wait", "--day")
            }
            (OverBudget::Workspace, Unit::Tokens) => {
                ("models without a price may use a day", "wait", "--tokens")
            }
        };
        let (what, surely) = match too_small.calls {
            1 => ("one call may cost".to_owned(), "would"),
            n => (format!("a wake takes {n} calls at least, which may cost together"), "may"),
        };
        let enough = words(too_small.enough);
        // A shell reads `$0` as something else.
        let value = match unit {
            Unit::MicroDollars => enough.trim_start_matches('$').to_owned(),
            Unit::Tokens => too_small.enough.to_string(),
        };
        let raise = session.command(&format!("models budget {option} {value}"));
        format!(
            "{what} up to {}, more than the {} that {whose}: its wakes {surely} {then}; {enough} is enough: `{raise}`",
            words(too_small.cost),
            words(too_small.budget),
        )
    };
    budgets.iter().map(of).collect()
}

/// What a model would cost, in words.
fn costs(question: &ModelQuestion, models: &ModelsView) -> String {
    let budget = dollars(question.budget_a_day);
    let provider = split_id(&question.id).map(|(provider, _)| provider);
    let all = models.providers.iter().chain(&models.found);
    let known = provider.and_then(|name| all.map(|one| &one.provider).find(|one| one.name == name));
    if provider.is_none() || known.is_some_and(|provider| provider.is_own) {
        return "costs nothing".into();
    }
    match question.uses.as_slice() {
        [ModelUse::Summaries] => {
            return "costs a call each time that older notes are summarised, in the same budgets"
                .into();
        }
        [ModelUse::Sessions] if question.cost_a_day.is_some() => {
            return format!(
                "costs calls each time that you say something in a session; never more than {budget} a day"
            );
        }
        _ => {}
    }
    if let Some(cost) = question.cost_a_day {
        let cost = dollars(cost);
        let (wakes, runs) = (question.wakes_a_day, question.runs_a_day);
        let often = match (question.uses.as_slice(), question.agent_work) {
            ([ModelUse::Runs], _) => format!("{runs:.1} runs"),
            (_, 0) => format!("{wakes:.1} wakes"),
            (_, _) => format!("{wakes:.1} wakes and {runs:.1} runs of agent work"),
        };
        let price = question.price_source.as_ref().map_or_else(String::new, price_words);
        return format!(
            "an estimate: about {cost} a day, from {often} a day in the last week, each taken as 6,000 tokens sent \
             and 1,000 received{price}; never more than {budget}"
        );
    }
    let most = models.budgets.unpriced_day;
    format!("its price is not known: calls are counted in tokens, at most {most} a day")
}

/// Where a price comes from, in words that follow others.
fn price_words(source: &PriceSource) -> String {
    let on = source.on.as_deref().map_or_else(String::new, |on| format!(" on {}", line(on)));
    match source.is_set_by_you {
        true => format!(", at the price that you set{on}"),
        false => format!(", at the price of the price table, found{on}"),
    }
}

/// A number of pieces of agent work, in words.
pub fn pieces_of_work(n: usize) -> String {
    match n {
        1 => "1 piece of agent work".to_owned(),
        n => format!("{n} pieces of agent work"),
    }
}
