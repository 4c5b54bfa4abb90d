//! `dormouse models`: who thinks for the agents, and what that costs.

mod add;
mod amount;
mod categories;
mod choose;
mod missing;
mod question;
mod show;

use dormouse::ProblemKind;
use std::io::{IsTerminal as _, Read as _};
use std::path::PathBuf;

use clap::{Args, Subcommand};
use dormouse::models::{
    FoundServer, ModelTestView, ModelsView, OfferedModelView, ProviderView, UsageDay,
};
use dormouse::view::{Page, Spending};
use dormouse_types::spend::dollars;
use serde_json::{Value, json};

use crate::client::path;
use crate::failure::Failure;
use crate::find;
use crate::session::Session;
use crate::terminal::line;

use add::path_of;
use amount::{Amount, Tokens};
pub use choose::{Chooser, UseParams, agree};
use missing::no_provider;
pub use question::too_small;
pub use show::found_keys;
use show::say;

/// The longest key that is read. Units: bytes.
const KEY_BYTES: u64 = 64 * 1024;

/// The model commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List models, providers and budgets
    List,
    /// Add a provider, or change it; what is left out stays as it is
    Add(add::Params),
    /// Remove a provider and its key
    Remove(ProviderParams),
    /// Keep the key of a provider, read from standard input or a file
    Key(KeyParams),
    /// Look for model servers on this machine
    Look,
    /// List the models that a provider offers
    Offered(ProviderParams),
    /// Show or set which tasks a provider may be sent, by their categories
    Categories(categories::Params),
    /// Call a model, at most four times, and report how it works
    Test(ModelParams),
    /// Take a model that nothing uses off the list
    Forget(ModelParams),
    /// Override the price or the context window of a model
    Edit(EditParams),
    /// Choose the model of all agents and agent work without one of their own, for thinking or summarising
    Use(UseParams),
    /// Switch off all calls that cost money
    Off,
    /// Allow calls that cost money again
    On,
    /// Show or set what may be spent
    Budget(BudgetParams),
    /// Allow the same budget once more today, where it has no room for the next call
    OnceMore(OnceMoreParams),
    /// Show the calls of models and their cost
    Usage(UsageParams),
}

#[derive(Debug, Args)]
pub struct ProviderParams {
    /// The provider
    name: String,
}

#[derive(Debug, Args)]
pub struct KeyParams {
    /// The provider
    name: String,
    /// A file that holds the key [default: standard input]
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Remove the key
    #[arg(long, conflicts_with = "file")]
    remove: bool,
}

#[derive(Debug, Args)]
pub struct ModelParams {
    /// The model, as provider/model
    model: String,
}

#[derive(Debug, Args)]
pub struct BudgetParams {
    /// All agents, a day, in dollars
    #[arg(long, value_name = "DOLLARS", value_parser = amount::dollars_of)]
    day: Option<Amount>,
    /// One agent, a day, in dollars
    #[arg(long, value_name = "DOLLARS", value_parser = amount::dollars_of)]
    agent: Option<Amount>,
    /// One wake, in dollars
    #[arg(long, value_name = "DOLLARS", value_parser = amount::dollars_of)]
    wake: Option<Amount>,
    /// All agents, a day, on models without a price, in tokens, such as 500k
    #[arg(long, value_name = "TOKENS", value_parser = amount::tokens_of)]
    tokens: Option<Tokens>,
}

#[derive(Debug, Args)]
pub struct EditParams {
    /// The model, as provider/model
    model: String,
    /// Price of input, in dollars per million tokens
    #[arg(long, value_name = "DOLLARS", value_parser = amount::dollars_of)]
    input_price: Option<Amount>,
    /// Price of output, in dollars per million tokens
    #[arg(long, value_name = "DOLLARS", value_parser = amount::dollars_of)]
    output_price: Option<Amount>,
    /// Price of cached input, in dollars per million tokens [default: as other input]
    #[arg(long, value_name = "DOLLARS", value_parser = amount::dollars_of)]
    cached_input_price: Option<Amount>,
    /// Price of input written to a cache, in dollars per million tokens [default: as other input]
    #[arg(long, value_name = "DOLLARS", value_parser = amount::dollars_of)]
    cache_write_price: Option<Amount>,
    /// How much it reads and writes in one turn, in tokens, such as 128k
    #[arg(long, value_name = "TOKENS", value_parser = amount::tokens_of)]
    window: Option<Tokens>,
    /// Use the window that its server states again
    #[arg(long, conflicts_with = "window")]
    stated_window: bool,
    /// Use the price table again
    #[arg(long, conflicts_with_all = ["input_price", "output_price", "cached_input_price", "cache_write_price"])]
    listed_price: bool,
}

#[derive(Debug, Args)]
pub struct OnceMoreParams {
    /// The budget of one agent [default: that of all agents]
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
}

#[derive(Debug, Args)]
pub struct UsageParams {
    /// The first day, YYYY-MM-DD [default: two weeks before the last]
    #[arg(long, value_name = "DAY")]
    from: Option<String>,
    /// The last day [default: today]
    #[arg(long, value_name = "DAY")]
    to: Option<String>,
}

pub async fn run(session: &mut Session, command: Command) -> Result<(), Failure> {
    let list = session.command("models list");
    let done = dispatch(session, command).await;
    done.map_err(|failure| {
        // Of a provider the refusal says itself how it is added.
        if failure.is(ProblemKind::NotFound) && !failure.message.contains("`dormouse ") {
            failure.hint(format!("{list} shows what exists"))
        } else {
            failure
        }
    })
}

async fn dispatch(session: &mut Session, command: Command) -> Result<(), Failure> {
    match command {
        Command::List => list(session).await,
        Command::Add(params) => add::run(session, params).await,
        Command::Remove(params) => remove(session, params).await,
        Command::Key(params) => key(session, params).await,
        Command::Look => look(session).await,
        Command::Offered(params) => offered(session, params).await,
        Command::Categories(params) => categories::run(session, params).await,
        Command::Test(params) => test(session, params).await,
        Command::Forget(params) => forget(session, params).await,
        Command::Edit(params) => edit(session, params).await,
        Command::Use(params) => choose::run(session, params).await,
        Command::Off => paid_calls(session, json!({ "allowed": false })).await,
        Command::On => paid_calls(session, json!({ "allowed": true })).await,
        Command::Budget(params) => budget(session, params).await,
        Command::OnceMore(params) => once_more(session, params).await,
        Command::Usage(params) => usage(session, params).await,
    }
}

async fn list(session: &mut Session) -> Result<(), Failure> {
    let reply = session.client.get("/api/models").await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let models: ModelsView = reply.read()?;
    show::models(session, &models);
    Ok(())
}

async fn remove(session: &mut Session, params: ProviderParams) -> Result<(), Failure> {
    let reply = session.client.delete(&path_of(&params.name)).await?;
    say(session, &reply, &format!("{} is removed, with its key", line(&params.name)));
    Ok(())
}

async fn key(session: &mut Session, params: KeyParams) -> Result<(), Failure> {
    let at = format!("{}/key", path_of(&params.name));
    let name = line(&params.name);
    if params.remove {
        let reply = session.client.put(&at, json!({ "key": null })).await?;
        say(session, &reply, &format!("{name} has no key any more"));
        return Ok(());
    }
    let before: ModelsView = session.client.get("/api/models").await?.read()?;
    let is_it = |view: &ProviderView| view.provider.name == params.name;
    let is_added = before.providers.iter().any(is_it);
    let known = before.known.iter().find(|known| known.name == params.name);
    if !is_added && known.is_none() && !before.found.iter().any(is_it) {
        return Err(no_provider(session, &params.name, &before, "add it before its key"));
    }
    let text = match &params.file {
        Some(file) => {
            let shown = file.display();
            let opened = std::fs::File::open(file)
                .map_err(|e| Failure::failed(format!("{shown} cannot be read: {e}")))?;
            read(opened).map_err(|e| Failure::failed(format!("{shown} cannot be read: {e}")))?
        }
        None => from_input(session, &name)?,
    };
    let reply = session.client.put(&at, json!({ "key": text.trim() })).await?;
    say(session, &reply, &format!("the key of {name} is kept, in a file that only you can read"));
    if let Some(known) = known.filter(|_| !is_added && !session.screen.is_json()) {
        let next = session.command(&format!("models offered {name}"));
        session.screen.say(format!("{name} is added, at {}; its models: {next}", known.base_url));
    }
    Ok(())
}

/// Reads a key from standard input, without showing it.
fn from_input(session: &mut Session, name: &str) -> Result<String, Failure> {
    let failed = |e: std::io::Error| Failure::failed(format!("the key cannot be read: {e}"));
    if !std::io::stdin().is_terminal() {
        return read(std::io::stdin()).map_err(failed);
    }
    let question = format!("Key of {name} (it is not shown): ");
    let answer = session.screen.ask_hidden(&question).map_err(failed)?;
    answer.ok_or_else(|| Failure::failed("no key was given"))
}

fn read(from: impl std::io::Read) -> std::io::Result<String> {
    let mut text = String::new();
    from.take(KEY_BYTES).read_to_string(&mut text)?;
    Ok(text)
}

async fn offered(session: &mut Session, params: ProviderParams) -> Result<(), Failure> {
    let reply = session.client.get(&format!("{}/offered", path_of(&params.name))).await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let page: Page<OfferedModelView> = reply.read()?;
    show::offered(session, &params.name, &page.items);
    Ok(())
}

async fn look(session: &mut Session) -> Result<(), Failure> {
    let reply = session.client.get("/api/models/servers").await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let page: Page<FoundServer> = reply.read()?;
    show::servers(session, &page.items);
    Ok(())
}

async fn test(session: &mut Session, params: ModelParams) -> Result<(), Failure> {
    let body = json!({ "model": params.model });
    let reply = session.client.post("/api/models/test", body).await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let shown: ModelTestView = reply.read()?;
    show::test(session, &shown);
    match shown.tool_mode {
        Some(_) => Ok(()),
        None if shown.is_cut => {
            Err(Failure::failed(format!("{} thought for too long", line(&shown.id)))
                .hint("let it think less on its server, or choose another model"))
        }
        None => Err(Failure::failed(format!("{} cannot call tools", line(&shown.id)))
            .hint("agents work by calling tools: choose another model")),
    }
}

async fn forget(session: &mut Session, params: ModelParams) -> Result<(), Failure> {
    let reply = session.client.post("/api/models/forget", json!({ "model": params.model })).await?;
    say(session, &reply, &format!("{} is off the list", line(&params.model)));
    Ok(())
}

async fn paid_calls(session: &mut Session, body: Value) -> Result<(), Failure> {
    let allowed = body["allowed"] == true;
    let reply = session.client.put("/api/models/paid-calls", body).await?;
    say(
        session,
        &reply,
        if allowed {
            "calls that cost money are allowed"
        } else {
            "no call that costs money is made from now on"
        },
    );
    Ok(())
}

async fn budget(session: &mut Session, params: BudgetParams) -> Result<(), Failure> {
    let before: ModelsView = session.client.get("/api/models").await?.read()?;
    let mut budgets = before.budgets;
    let changes = [
        (&mut budgets.workspace_day, params.day),
        (&mut budgets.agent_day, params.agent),
        (&mut budgets.wake, params.wake),
    ];
    for (budget, change) in changes {
        *budget = change.map_or(*budget, |Amount(micros)| micros);
    }
    budgets.unpriced_day = params.tokens.map_or(budgets.unpriced_day, |Tokens(count)| count);
    let reply = if budgets == before.budgets {
        session.client.get("/api/models").await?
    } else {
        session.client.put("/api/models/budgets", json!(budgets)).await?
    };
    if session.print_body(&reply) {
        return Ok(());
    }
    let models: ModelsView = reply.read()?;
    show::budgets(session, &models);
    Ok(())
}

async fn edit(session: &mut Session, params: EditParams) -> Result<(), Failure> {
    let model = line(&params.model);
    let has_price = params.input_price.is_some() || params.output_price.is_some();
    if params.window.is_some() || params.stated_window {
        let window = params.window.map(|Tokens(tokens)| tokens);
        let body = json!({ "model": params.model, "window": window });
        let reply = session.client.put("/api/models/window", body).await?;
        let done = match window {
            Some(window) => format!("{model} has a window of {window} tokens"),
            None => show::window_of(&reply.read()?, &params.model),
        };
        if has_price || params.listed_price {
            crate::terminal::note(&done);
        } else {
            say(session, &reply, &done);
            return Ok(());
        }
    }
    if params.listed_price {
        let body = json!({ "model": params.model, "price": null });
        let reply = session.client.put("/api/models/price", body).await?;
        say(session, &reply, &format!("{model} costs what the price table says"));
        return Ok(());
    }
    let (Some(Amount(input)), Some(Amount(output))) = (params.input_price, params.output_price)
    else {
        return Err(Failure::usage("give --input-price and --output-price, or --window")
            .hint("in dollars for a million tokens; --listed-price goes back to the price table"));
    };
    let or_input = |price: Option<Amount>| price.map_or(input, |Amount(price)| price);
    let price = json!({
        "input": input,
        "cachedInput": or_input(params.cached_input_price),
        "cacheWrite": or_input(params.cache_write_price),
        "output": output,
    });
    let body = json!({ "model": params.model, "price": price });
    let reply = session.client.put("/api/models/price", body).await?;
    let (input, output) = (dollars(input), dollars(output));
    say(session, &reply, &format!("{model} costs {input} in and {output} out a million tokens"));
    Ok(())
}

async fn once_more(session: &mut Session, params: OnceMoreParams) -> Result<(), Failure> {
    let agent = match &params.agent {
        Some(agent) => Some(find::agent(session, agent).await?),
        None => None,
    };
    let body = json!({ "agentId": agent.as_ref().map(|agent| &agent.id) });
    let reply = session.client.post("/api/models/once-more", body).await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let spending: Spending = reply.read()?;
    let who = agent.map_or_else(|| "all agents".to_owned(), |agent| line(&agent.display_name));
    session.screen.say(format!("today {who} may spend: {}", show::spent(&spending)));
    Ok(())
}

async fn usage(session: &mut Session, params: UsageParams) -> Result<(), Failure> {
    let given = [("from", params.from.as_deref()), ("to", params.to.as_deref())];
    let given: Vec<_> = given.into_iter().filter_map(|(name, day)| Some((name, day?))).collect();
    let reply = session.client.get(&path("/api/usage", &given)).await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let page: Page<UsageDay> = reply.read()?;
    show::usage(session, &page.items);
    Ok(())
}
