//! `dormouse rule`: what agents may not propose.

use clap::{Args, Subcommand};
use dormouse::view::{HeldBack, Page, Rule, SuggestedRule};
use dormouse_types::Id as _;
use dormouse_types::rule::{Condition, RuleEffect};
use serde_json::json;

use crate::client::path;
use crate::failure::Failure;
use crate::find;
use crate::session::Session;
use crate::terminal::{change, counted, line, time};

/// The rule commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List rules, and those that your rejections speak for
    List(About),
    /// Show what a rule held back
    Show(RuleParams),
    /// Hold back what a tool proposes, before it is opened
    Add(AddParams),
    /// Remove a rule: what it held back is proposed again
    Remove(RuleParams),
}

#[derive(Debug, Args)]
#[group(multiple = false)]
pub struct About {
    /// About everything that is proposed about a task: the end of its id, or words of its title
    #[arg(long, value_name = "TASK")]
    task: Option<String>,
    /// About what an agent proposes: the end of its id, or its task
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// About what the agents propose that follow a template: the end of its id, or words of its name
    #[arg(long, value_name = "TEMPLATE")]
    template: Option<String>,
}

#[derive(Debug, Args)]
pub struct RuleParams {
    /// The rule: its id, or the end of it
    rule: String,
}

#[derive(Debug, Args)]
pub struct AddParams {
    /// The tool, such as update_task_due_date
    tool: String,
    #[command(flatten)]
    about: About,
    /// Only if: value:P1, value:first, field:tick, label:ID or words:"write tests"
    #[arg(long = "when", value_name = "CONDITION")]
    condition: Option<Condition>,
}

/// Runs a command.
pub async fn run(session: &mut Session, command: Command) -> Result<(), Failure> {
    match command {
        Command::List(about) => list(session, &about).await,
        Command::Show(params) => show(session, &params).await,
        Command::Add(params) => add(session, params).await,
        Command::Remove(params) => remove(session, &params).await,
    }
}

/// The id of what a rule is about; `None` if nothing is named.
async fn holder(session: &Session, about: &About) -> Result<Option<String>, Failure> {
    if let Some(text) = &about.task {
        return Ok(Some(find::task(session, text).await?.id.to_string()));
    }
    if let Some(text) = &about.agent {
        return Ok(Some(find::agent(session, text).await?.id.to_string()));
    }
    if let Some(text) = &about.template {
        return Ok(Some(find::template(session, text).await?.id.to_string()));
    }
    Ok(None)
}

async fn list(session: &mut Session, about: &About) -> Result<(), Failure> {
    let holder = holder(session, about).await?;
    let of = holder.as_deref().map(|holder| ("holder", holder));
    let reply = session.client.get(&path("/api/rules", of.as_slice())).await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let rules: Page<Rule> = reply.read()?;
    if rules.items.is_empty() {
        session.screen.say("No rule is in force.");
    }
    for rule in &rules.items {
        let does = match rule.effect.known() {
            Some(RuleEffect::Forbid) => "forbidden",
            Some(RuleEffect::HoldBack) => "held back",
            Some(RuleEffect::Apply) => "applied by itself",
            None => rule.effect.name(),
        };
        let held = match rule.n_held_back {
            0 => String::new(),
            n => format!(", {n} so far"),
        };
        let what = what(&rule.tool, rule.condition.as_ref(), rule.label_name.as_deref());
        let (id, holder) = (rule.id.short(), &rule.holder);
        session.screen.say(format!("{id}  {what}: {does}{held}  ({holder})"));
    }
    let Some(holder) = holder else { return Ok(()) };
    let suggested = path("/api/rules/suggested", &[("holder", &holder)]);
    let suggested: Page<SuggestedRule> = session.client.get(&suggested).await?.read()?;
    for one in &suggested.items {
        let what = what(&one.tool, one.condition.as_ref(), one.label_name.as_deref());
        let n = counted(one.rejections.len(), "time");
        session.screen.say("");
        session.screen.say(format!("You rejected this {n} in 30 days: {what}"));
        for rejected in &one.rejections {
            let at = time::minute(rejected.at, &session.zone);
            let words = change::words(rejected.change.as_ref(), &one.tool);
            let reason = rejected.reason.as_deref().map(line).unwrap_or_default();
            let text = if reason.is_empty() { words } else { format!("{words}: {reason}") };
            session.screen.say(format!("  {at}  {text}"));
        }
    }
    Ok(())
}

async fn show(session: &mut Session, params: &RuleParams) -> Result<(), Failure> {
    let rule = named(session, &params.rule).await?;
    let reply = session.client.get(&format!("/api/rules/{}/held-back", rule.id)).await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let held: Page<HeldBack> = reply.read()?;
    session.screen.say(what(&rule.tool, rule.condition.as_ref(), rule.label_name.as_deref()));
    if held.items.is_empty() {
        session.screen.say("It has held back nothing.");
    }
    for one in &held.items {
        let at = time::minute(one.at, &session.zone);
        let words = change::words(one.change.as_ref(), &rule.tool);
        session.screen.say(format!("{at}  {words}  {}", counted_times(one.times)));
    }
    Ok(())
}

async fn add(session: &mut Session, params: AddParams) -> Result<(), Failure> {
    let Some(holder) = holder(session, &params.about).await? else {
        let failure = Failure::usage("say what the rule is about");
        return Err(failure.hint("add --task, --agent or --template".to_owned()));
    };
    let body = json!({ "holder": holder, "tool": params.tool, "condition": params.condition });
    let reply = session.client.post("/api/rules", body).await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let rule: Rule = reply.read()?;
    let what = what(&rule.tool, rule.condition.as_ref(), rule.label_name.as_deref());
    let id = rule.id.short();
    session.screen.say(format!("{id}  {what}: held back before it is proposed"));
    Ok(())
}

async fn remove(session: &mut Session, params: &RuleParams) -> Result<(), Failure> {
    let rule = named(session, &params.rule).await?;
    let reply = session.client.delete(&format!("/api/rules/{}", rule.id)).await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let what = what(&rule.tool, rule.condition.as_ref(), rule.label_name.as_deref());
    session.screen.say(format!("{what}: the rule is removed"));
    Ok(())
}

/// Finds a rule in force by its id or the end of it.
async fn named(session: &Session, text: &str) -> Result<Rule, Failure> {
    let all: Page<Rule> = session.client.get("/api/rules").await?.read()?;
    let is_it = |rule: &Rule| {
        rule.id.as_str() == text || (text.len() >= 5 && rule.id.as_str().ends_with(text))
    };
    let mut found = all.items.into_iter().filter(is_it);
    match (found.next(), found.next()) {
        (Some(rule), None) => Ok(rule),
        (_, _) => {
            let failure = Failure::failed(format!("there is no single rule {}", line(text)));
            Err(failure.hint(format!("{} lists the rules", session.command("rule list"))))
        }
    }
}

fn what(tool: &str, condition: Option<&Condition>, label: Option<&str>) -> String {
    let condition = match condition {
        None => return line(tool),
        Some(Condition::Field { part }) => format!("{part} an item"),
        Some(Condition::Value { class }) => class.to_string(),
        Some(Condition::Label { label: id }) => {
            format!("label {}", line(label.unwrap_or(id.as_str())))
        }
        Some(Condition::Words { words }) => format!("words {}", line(&words.join(" "))),
    };
    format!("{} ({condition})", line(tool))
}

fn counted_times(n: i64) -> String {
    counted(usize::try_from(n).unwrap_or(usize::MAX), "time")
}
