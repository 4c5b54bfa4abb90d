//! How models, tests and usage look on a terminal.

use dormouse::models::{
    BUILT_IN, ChosenBy, FoundServer, KeptBackAgents, ModelTestView, ModelView, ModelsView,
    OfferedModelView, ProviderView, UsageDay, WindowSource,
};
use dormouse::view::{Spending, Spent};
use dormouse_types::memory::ASSUMED_WINDOW;
use dormouse_types::model_settings::{KeySource, ToolMode, as_argument, split_id};
use dormouse_types::spend::{Price, Unit, dollars};

use crate::client::Reply;
use crate::session::Session;
use crate::terminal::table::{Fit, Table};
use crate::terminal::{counted, line, tokens};

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
    for model in &models.models {
        if let Some(why) = model.why_not_native.as_ref().filter(|_| model.tool_mode.is_some()) {
            let (id, why) = (line(&model.id), line(why));
            session.screen.say(format!("{id} does not call tools itself: {why}"));
        }
    }
    for provider in &models.providers {
        let known = in_a_line(provider);
        session.screen.say(format!("provider {known}"));
        kept_back(session, provider);
    }
    for found in &models.found {
        let known = in_a_line(found);
        let name = &found.provider.name;
        let is_its = |id: &str| split_id(id).is_some_and(|(provider, _)| provider == name);
        let asks = |model: &ModelView| model.agents > 0 && is_its(&model.id);
        let is_used = is_its(&models.model) || models.models.iter().any(asks);
        let state = if is_used { "in use" } else { "usable, not in use" };
        session.screen.say(format!("found {known}: {state}"));
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
            let command = session.command(&format!("models test {}", as_argument(&model)));
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

/// Says which window a model has that a person has set none for.
pub fn window_of(models: &ModelsView, id: &str) -> String {
    let name = line(id);
    let model = models.models.iter().find(|model| model.id == id);
    match model.and_then(|model| Some((model.window?, model.window_source?))) {
        Some((window, WindowSource::Assumed)) => format!(
            "its server states no window of {name}: {window} tokens are assumed; `--window TOKENS` sets it"
        ),
        Some((window, WindowSource::Stated | WindowSource::SetByYou)) => {
            format!("{name} has the window that its server states, {window} tokens")
        }
        None => format!("{name} has the window that its server states"),
    }
}

/// Names the providers of which only a key was found, one line for all; `None` if there are none, or a model is
/// chosen.
pub fn found_keys(models: &ModelsView, command: impl Fn(&str) -> String) -> Option<String> {
    let is_its = |name: &str| split_id(&models.model).is_some_and(|(provider, _)| provider == name);
    let unused: Vec<&ProviderView> = models
        .found
        .iter()
        .filter(|found| found.key == KeySource::Environment && !is_its(&found.provider.name))
        .collect();
    let first = line(&unused.first()?.provider.name);
    let named = unused.iter().map(|found| {
        let name = line(&found.provider.name);
        match &found.key_variable {
            Some(variable) => format!("{name} ({})", line(variable)),
            None => name,
        }
    });
    let (keys, are) = if unused.len() == 1 { ("a key", "it is") } else { ("keys", "they are") };
    Some(format!(
        "The environment has {keys} of {}: {are} not used until you choose a model: {}",
        named.collect::<Vec<_>>().join(", "),
        command(&format!("models offered {first}"))
    ))
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

pub(super) fn kept_back_words(kept: KeptBackAgents) -> Option<String> {
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
        "budgets: {day} a day, {agent} a day for one agent, {wake} a wake; {} a day on models \
         without a price",
        tokens(budgets.unpriced_day)
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
        Some(counted) => {
            let counted = of(counted, &tokens);
            format!("{money}. On models without a price: {counted}")
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
        let n_models = counted(models.len(), "model");
        session.screen.say(format!("{name} at {url}, with {n_models}"));
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
        None if shown.is_cut => session.screen.say(format!(
            "{model} was cut while it thought, before it called a tool: it may still be able to"
        )),
        None => session.screen.say(format!("{model} called no tool in any way")),
    }
    if let Some(millis) = shown.first_word_ms {
        session.screen.say(format!("first word after {}.{} s", millis / 1000, millis % 1000 / 100));
    }
    if let (Some(input), Some(output)) = (shown.input_tokens, shown.output_tokens) {
        session.screen.say(format!("{input} tokens in, {output} out"));
    }
    if let Some(cost) = shown.cost {
        let counted = dollars(cost);
        session.screen.say(match shown.is_cost_assumed {
            true => format!(
                "{counted} are counted for the test, the most that it may cost: the server did not say of each \
                 call what it used"
            ),
            false => format!("the test cost {counted}"),
        });
    }
    match shown.window {
        Some(window) => session.screen.say(format!("window of {window} tokens")),
        None => {
            let edit = format!("models edit {} --window TOKENS", as_argument(&model));
            let command = session.command(&edit);
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
            tokens(day.cost)
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
