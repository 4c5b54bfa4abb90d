//! How models, tests and usage look on a terminal.

use dormouse::models::{
    BUILT_IN, ChosenBy, FoundServer, KeptBackAgents, ModelQuestion, ModelTestView, ModelUse,
    ModelView, ModelsView, OfferedModelView, PriceSource, ProviderQuestion, ProviderView,
    TooSmallBudget, UsageDay, WindowSource,
};
use dormouse::view::{Spending, Spent};
use dormouse_types::memory::ASSUMED_WINDOW;
use dormouse_types::model_settings::{KeySource, ToolMode, split_id};
use dormouse_types::spend::{Amount, OverBudget, Price, Unit, dollars};

use crate::client::Reply;
use crate::session::Session;
use crate::terminal::table::{Fit, Table};
use crate::terminal::{counted, line};

pub fn models(session: &mut Session, models: &ModelsView) {
    let mut table = Table::new([
        ("model", Fit::Cut),
        ("agents", Fit::Whole),
        ("how it works", Fit::Drop(1)),
        ("window", Fit::Drop(3)),
        ("price", Fit::Drop(2)),
        ("", Fit::Cut),
    ]);
    for model in &models.models {
        table.row([
            model.id.clone(),
            model.agents.to_string(),
            how_it_works(model).to_owned(),
            window(model),
            price(model),
            state(models, model),
        ]);
    }
    say_table(session, &table);
    for provider in &models.providers {
        let known = in_a_line(provider);
        session.screen.say(format!("provider {known}"));
        kept_back(session, provider);
    }
    for found in &models.found {
        let known = in_a_line(found);
        session.screen.say(format!("found {known}: usable, not in use"));
    }
    if let Some(summarising) = &models.summarising {
        session.screen.say(format!("summarises: {}", line(summarising)));
    }
    for problem in &models.problems {
        session.screen.say(format!("problem: {}", line(problem)));
    }
    budgets(session, models);
}

/// Names the models that have to be tested again, because their provider was changed.
pub fn forgotten_tests(session: &mut Session, before: &ModelsView, after: &ModelsView) {
    let is_tested = |models: &ModelsView, id: &str| {
        models.models.iter().any(|model| model.id == id && model.tool_mode.is_some())
    };
    for model in &before.models {
        if model.tool_mode.is_some() && !is_tested(after, &model.id) {
            let model = line(&model.id);
            let command = session.command(&format!("models test {model}"));
            session
                .screen
                .say(format!("how {model} calls tools is not known at this address: {command}"));
        }
    }
}

fn say_table(session: &mut Session, table: &Table) {
    let (width, style) = (session.screen.width(), session.screen.style());
    session.screen.say(table.render(width, style));
}

fn window(model: &ModelView) -> String {
    let (Some(tokens), Some(source)) = (model.window, model.window_source) else {
        return String::new();
    };
    match source {
        WindowSource::SetByYou => format!("{tokens} tokens, set by you"),
        WindowSource::Stated => format!("{tokens} tokens"),
        WindowSource::Assumed => format!("{tokens} tokens, assumed"),
    }
}

fn price(model: &ModelView) -> String {
    let own = model.price_source.as_ref().is_some_and(|source| source.is_set_by_you);
    let by = if own && !model.is_free { ", set by you" } else { "" };
    format!("{}{by}", in_prices(model.price.as_ref(), model.is_free))
}

fn in_prices(price: Option<&Price>, is_free: bool) -> String {
    match (price, is_free) {
        (_, true) => "free".to_owned(),
        (Some(price), false) => {
            let million = |micros: u64| dollars(i64::try_from(micros).unwrap_or(i64::MAX));
            format!("{} in, {} out a million", million(price.input), million(price.output))
        }
        (None, false) => "price not known".to_owned(),
    }
}

fn state(models: &ModelsView, model: &ModelView) -> String {
    if let Some(problem) = &model.problem {
        return line(problem);
    }
    if model.id != models.model {
        return String::new();
    }
    match models.chosen_by {
        ChosenBy::Nobody => "in use",
        ChosenBy::Person => "in use, chosen by you",
        ChosenBy::Environment => "in use, by DORMOUSE_MODEL",
    }
    .to_owned()
}

fn in_a_line(view: &ProviderView) -> String {
    let provider = &view.provider;
    let ending = view.key_last_four.as_ref().map(|four| format!(" ending in {four}"));
    let ending = ending.unwrap_or_default();
    let key = match (view.key, &view.key_variable) {
        (KeySource::None, _) => "no key".to_owned(),
        (KeySource::Environment, Some(variable)) => format!("key{ending} in {variable}"),
        (KeySource::Environment, None) => format!("key{ending} in the environment"),
        (KeySource::KeyFile, _) => format!("key{ending} in the key file"),
    };
    let place = if provider.is_own { "your own server, " } else { "" };
    let some = if provider.categories.is_some() { ", some categories only" } else { "" };
    let (name, url) = (line(&provider.name), line(&provider.base_url));
    format!("{name} ({url}, {}), {place}{key}{some}", provider.format.name())
}

/// Returns a line with the number of agents a provider is sent nothing of.
pub fn kept_back(session: &mut Session, view: &ProviderView) {
    if let Some(words) = kept_back_words(view.kept_back) {
        session.screen.say(format!("  is not sent: {words}"));
    }
}

fn kept_back_words(kept: KeptBackAgents) -> Option<String> {
    let words = [
        (kept.private, "whose task is private"),
        (kept.category, "whose task is of another category"),
    ];
    let words = words.into_iter().filter(|(n, _)| *n > 0);
    let words =
        words.map(|(n, why)| format!("{n} {} {why}", if n == 1 { "agent" } else { "agents" }));
    Some(words.collect::<Vec<_>>().join(", ")).filter(|words| !words.is_empty())
}

pub fn budgets(session: &mut Session, models: &ModelsView) {
    let budgets = &models.budgets;
    let (day, agent, wake) =
        (dollars(budgets.workspace_day), dollars(budgets.agent_day), dollars(budgets.wake));
    session.screen.say(format!(
        "budgets: {day} a day, {agent} a day for one agent, {wake} a wake; {} tokens a day on models \
         without a price",
        budgets.unpriced_day
    ));
    if !models.paid_calls {
        session.screen.say("calls that cost money are switched off");
    }
}

/// What a scope has spent today, in words.
pub fn spent(spending: &Spending) -> String {
    let of = |amount: &Spent, write: &dyn Fn(i64) -> String| {
        let limit = amount.budget.saturating_add(amount.extra);
        let once = if amount.extra > 0 { ", for today only" } else { "" };
        format!("{}{once}; {} are used", write(limit), write(amount.used))
    };
    let money = of(&spending.money, &dollars);
    match spending.tokens.as_ref().filter(|tokens| tokens.used > 0 || tokens.extra > 0) {
        Some(tokens) => {
            let tokens = of(tokens, &|count| format!("{count} tokens"));
            format!("{money}. On models without a price: {tokens}")
        }
        None => money,
    }
}

pub fn servers(session: &mut Session, servers: &[FoundServer]) {
    if servers.is_empty() {
        session.screen.say("No model server answers on this machine.");
    }
    for FoundServer { provider, models } in servers {
        let (name, url) = (line(&provider.name), line(&provider.base_url));
        session.screen.say(format!("{name} at {url}, with {} models", models.len()));
        let add = session.command(&format!("models add {name} --url {url} --own"));
        session.screen.say(format!("  if it is yours: {add}"));
    }
}

pub fn offered(session: &mut Session, provider: &str, models: &[OfferedModelView]) {
    if models.is_empty() {
        session.screen.say(format!("{} offers no models.", line(provider)));
        return;
    }
    let mut table = Table::new([
        ("model", Fit::Cut),
        ("window", Fit::Drop(2)),
        ("tools", Fit::Drop(1)),
        ("price", Fit::Drop(3)),
    ]);
    for model in models {
        let tools = match model.calls_tools {
            Some(true) => "yes",
            Some(false) => "no",
            None => "",
        };
        table.row([
            format!("{provider}/{}", model.name),
            model.window.map_or_else(String::new, |window| format!("{window} tokens")),
            tools.to_owned(),
            in_prices(model.price.as_ref(), model.is_free),
        ]);
    }
    say_table(session, &table);
}

pub fn test(session: &mut Session, shown: &ModelTestView) {
    let model = line(&shown.id);
    match shown.tool_mode {
        Some(mode) => session.screen.say(format!("{model} {}", in_words(mode))),
        None => session.screen.say(format!("{model} called no tool in any way")),
    }
    if let Some(millis) = shown.first_word_ms {
        session.screen.say(format!("first word after {}.{} s", millis / 1000, millis % 1000 / 100));
    }
    if let (Some(input), Some(output)) = (shown.input_tokens, shown.output_tokens) {
        session.screen.say(format!("{input} tokens in, {output} out"));
    }
    if let Some(cost) = shown.cost {
        session.screen.say(format!("the test cost {}", dollars(cost)));
    }
    match shown.window {
        Some(window) => session.screen.say(format!("window of {window} tokens")),
        None => {
            let command = session.command(&format!("models edit {model} --window TOKENS"));
            session.screen.say(format!(
                "its server does not say how large its window is: {ASSUMED_WINDOW} tokens are \
                 assumed; if it has another one: {command}"
            ));
        }
    }
    for failure in &shown.failures {
        let detail = line(&failure.detail);
        session.screen.say(format!("not: {}: {detail}", in_words(failure.tool_mode)));
    }
}

pub fn question(session: &mut Session, question: &ModelQuestion, whom: &str, models: &ModelsView) {
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
        for what in &question.sent {
            session.screen.say(format!("    {what}"));
        }
        session.screen.say("  never sent:");
        for what in &question.never_sent {
            session.screen.say(format!("    {what}"));
        }
        if let Some(words) = kept_back_words(question.kept_back) {
            session.screen.say(format!("  nothing is sent of {words}"));
        }
        if question.uses.contains(&ModelUse::Wakes) {
            let command = session.command(&format!("agent wake AGENT --dry-run --model {model}"));
            session.screen.say(format!("  to see a whole request first: {command}"));
        }
    }
    session.screen.say(format!("  {}", costs(question, models)));
    if let Some(call) = question.one_call {
        for words in too_small(session, call, &question.too_small) {
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

/// Says how many agents would no longer wake by themselves, and names the first.
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
pub fn provider_question(session: &mut Session, name: &str, question: &ProviderQuestion) {
    let name = line(name);
    session.screen.say(format!("Change {name}, which is in use?"));
    let models: Vec<_> = question.models.iter().map(|id| line(id)).collect();
    let agents = counted(question.agents, "agent");
    let work = match question.agent_work {
        0 => String::new(),
        n => format!(" and {}", super::choose::pieces_of_work(n)),
    };
    let asks = if question.agents == 1 && work.is_empty() { "asks" } else { "ask" };
    session.screen.say(format!("  {agents}{work} {asks} {}", models.join(", ")));
    let (now, then) = (line(&question.sent_to_now), line(&question.sent_to));
    session.screen.say(match now == then {
        true => format!("  sent to {then}:"),
        false => format!("  sent to {then} from now on, no more to {now}:"),
    });
    for what in &question.sent {
        session.screen.say(format!("    {what}"));
    }
    session.screen.say("  never sent:");
    for what in &question.never_sent {
        session.screen.say(format!("    {what}"));
    }
    if let Some(words) = kept_back_words(question.kept_back) {
        session.screen.say(format!("  nothing is sent of {words}"));
    }
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

/// Returns a warning for each budget that has no room for one call.
pub fn too_small(session: &Session, call: Amount, budgets: &[TooSmallBudget]) -> Vec<String> {
    let words = |value: i64| match call.unit {
        Unit::MicroDollars => dollars(value),
        Unit::Tokens => format!("{value} tokens"),
    };
    let of = |TooSmallBudget { scope, budget }: &TooSmallBudget| {
        let (whose, then, option) = match (scope, call.unit) {
            (OverBudget::Wake, _) => ("one wake may spend", "its wakes would fail", "--wake"),
            (OverBudget::Agent, _) => {
                ("one agent may spend a day", "its wakes would wait", "--agent")
            }
            (OverBudget::Workspace, Unit::MicroDollars) => {
                ("all agents may spend a day", "its wakes would wait", "--day")
            }
            (OverBudget::Workspace, Unit::Tokens) => {
                ("models without a price may use a day", "its wakes would wait", "--tokens")
            }
        };
        let raise = session.command(&format!("models budget {option}"));
        format!(
            "one call may cost up to {}, more than the {} that {whose}: {then}; raise that with `{raise}`",
            words(call.value),
            words(*budget),
        )
    };
    budgets.iter().map(of).collect()
}

/// What a model would cost, in words.
fn costs(question: &ModelQuestion, models: &ModelsView) -> String {
    let budget = dollars(question.budget_a_day);
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
    let provider = split_id(&question.id).map(|(provider, _)| provider);
    let all = models.providers.iter().chain(&models.found);
    let known = provider.and_then(|name| all.map(|one| &one.provider).find(|one| one.name == name));
    if provider.is_none() || known.is_some_and(|provider| provider.is_own) {
        return "costs nothing".into();
    }
    let tokens = models.budgets.unpriced_day;
    format!("its price is not known: calls are counted in tokens, at most {tokens} a day")
}

/// Where a price comes from, in words that follow others.
fn price_words(source: &PriceSource) -> String {
    let on = source.on.as_deref().map_or_else(String::new, |on| format!(" on {}", line(on)));
    match source.is_set_by_you {
        true => format!(", at the price that you set{on}"),
        false => format!(", at the price of the price table, found{on}"),
    }
}

pub fn usage(session: &mut Session, days: &[UsageDay]) {
    if days.is_empty() {
        session.screen.say("No model besides the built-in one was used.");
        return;
    }
    let mut table = Table::new([
        ("day", Fit::Whole),
        ("model", Fit::Cut),
        ("calls", Fit::Whole),
        ("cost", Fit::Whole),
        ("in", Fit::Drop(2)),
        ("cached", Fit::Drop(3)),
        ("out", Fit::Drop(1)),
    ]);
    for day in days {
        let cost = if day.unit == Unit::MicroDollars {
            dollars(day.cost)
        } else if day.cost == 0 {
            "free".to_owned()
        } else {
            format!("{} tokens", day.cost)
        };
        table.row([
            day.day.clone(),
            day.model.clone(),
            day.calls.to_string(),
            cost,
            day.input_tokens.to_string(),
            day.cached_input_tokens.to_string(),
            day.output_tokens.to_string(),
        ]);
    }
    say_table(session, &table);
}

/// How a model works, or that nobody knows yet.
fn how_it_works(model: &ModelView) -> &'static str {
    match model.tool_mode {
        Some(mode) => in_words(mode),
        None if model.id == BUILT_IN => "",
        None if model.calls_nothing => "tried: calls no tool",
        None => "not tested yet: its first wake does that",
    }
}

/// How a model calls tools, in words.
fn in_words(mode: ToolMode) -> &'static str {
    match mode {
        ToolMode::Native => "calls tools itself (1 of 3)",
        ToolMode::Schema => "fills in a form (2 of 3)",
        ToolMode::Text => "writes its calls as text (3 of 3)",
    }
}

/// Prints a reply as it is for programs, else what it means.
pub(super) fn say(session: &mut Session, reply: &Reply, text: &str) {
    if !session.print_body(reply) {
        session.screen.say(text);
    }
}
