//! `dormouse work hook`: addresses that programs outside call to start a run.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use dormouse::view::{CreatedWorkHook, Page, WorkHook};
use dormouse_types::work_hook::{HookForm, HookRefusal};
use dormouse_types::{Id as _, limits};
use jiff::tz::TimeZone;
use serde_json::json;

use super::name::named;
use crate::failure::Failure;
use crate::find;
use crate::input;
use crate::session::Session;
use crate::terminal::wrap::{self, Margin};
use crate::terminal::{line, note, time};

/// The commands for hooks.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make a hook; its secret is shown only once
    Add(AddParams),
    /// List the hooks of a piece of work, and the outcome of their calls
    List(ListParams),
    /// Give a hook a new secret; the old one is accepted for another day
    Rotate(RotateParams),
    /// Remove a hook; what it started stays
    Rm(HookParams),
}

#[derive(Debug, Args)]
pub struct AddParams {
    /// The agent work; several words of its title in quotes
    work: String,
    /// A name that says who calls it
    #[arg(long)]
    name: String,
    /// How its calls are signed: standard (Standard Webhooks) or gitHost (GitHub, Gitea, Forgejo)
    #[arg(long, default_value = "standard", value_parser = form)]
    form: HookForm,
    /// Read the secret from a file, if the sender made it; `-` is standard input
    #[arg(long, value_name = "FILE")]
    secret_file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct ListParams {
    /// The agent work: the end of its id, or words of its title
    #[arg(required = true, value_name = "WORK")]
    work: Vec<String>,
}

#[derive(Debug, Args)]
pub struct HookParams {
    /// The agent work; several words of its title in quotes
    work: String,
    /// The hook: the end of its id, or its name
    hook: String,
}

#[derive(Debug, Args)]
pub struct RotateParams {
    #[command(flatten)]
    hook: HookParams,
    /// Stop accepting the old secrets
    #[arg(long)]
    end_old: bool,
    /// Read the secret from a file, if the sender made it; `-` is standard input
    #[arg(long, value_name = "FILE")]
    secret_file: Option<PathBuf>,
}

fn form(text: &str) -> Result<HookForm, String> {
    text.parse().map_err(|e: dormouse_types::closed_list::NotListed| e.to_string())
}

pub async fn run(session: &mut Session, command: Command) -> Result<(), Failure> {
    match command {
        Command::Add(params) => add(session, params).await,
        Command::List(params) => list(session, params).await,
        Command::Rotate(params) => rotate(session, params).await,
        Command::Rm(params) => remove(session, params).await,
    }
}

fn secret_in(file: Option<&PathBuf>) -> Result<Option<String>, Failure> {
    let Some(file) = file else { return Ok(None) };
    let bytes = input::read(file, limits::URL)?;
    let text = String::from_utf8(bytes)
        .map_err(|_| Failure::failed(format!("{} is not UTF-8 text", file.display())))?;
    Ok(Some(text.trim().to_owned()))
}

async fn add(session: &mut Session, params: AddParams) -> Result<(), Failure> {
    let work = find::work(session, &params.work).await?;
    let body = json!({
        "name": params.name,
        "form": params.form.name(),
        "secret": secret_in(params.secret_file.as_ref())?,
    });
    let reply = session.client.post(&format!("/api/tasks/{}/hooks", work.id), body).await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let made: CreatedWorkHook = reply.read()?;
    show_secret(session, &made);
    note(&format!(
        "{} starts {}: {}; the secret is not shown again",
        line(&made.hook.name),
        named(&work),
        made.hook.path
    ));
    Ok(())
}

async fn rotate(session: &mut Session, params: RotateParams) -> Result<(), Failure> {
    let (work, hook) = found(session, &params.hook).await?;
    let body = json!({
        "endOld": params.end_old,
        "secret": secret_in(params.secret_file.as_ref())?,
    });
    let path = format!("/api/tasks/{work}/hooks/{}/rotate", hook.id);
    let reply = session.client.post(&path, body).await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let made: CreatedWorkHook = reply.read()?;
    show_secret(session, &made);
    note(match params.end_old {
        true => "the old secrets are accepted no longer; the new one is not shown again",
        false => "the old secret is accepted for another day; the new one is not shown again",
    });
    Ok(())
}

/// The secret alone on standard output, so that a script can keep it.
fn show_secret(session: &mut Session, made: &CreatedWorkHook) {
    session.screen.say(made.secret.0.clone());
}

async fn remove(session: &mut Session, params: HookParams) -> Result<(), Failure> {
    let (work, hook) = found(session, &params).await?;
    let reply = session.client.delete(&format!("/api/tasks/{work}/hooks/{}", hook.id)).await?;
    if !session.print_body(&reply) {
        session.screen.say(format!("removed {}  {}", hook.id.short(), line(&hook.name)));
    }
    Ok(())
}

/// A hook of a piece of work, by the end of its id or its name.
async fn found(
    session: &mut Session,
    params: &HookParams,
) -> Result<(dormouse_types::WorkId, WorkHook), Failure> {
    let work = find::work(session, &params.work).await?;
    let reply = session.client.get(&format!("/api/tasks/{}/hooks", work.id)).await?;
    let wanted = params.hook.to_lowercase();
    let fits = |hook: &WorkHook| {
        hook.id.as_str().ends_with(&wanted) || hook.name.to_lowercase().contains(&wanted)
    };
    let mut fitting: Vec<WorkHook> =
        reply.read::<Page<WorkHook>>()?.items.into_iter().filter(fits).collect();
    match (fitting.len(), fitting.pop()) {
        (1, Some(hook)) => Ok((work.id, hook)),
        (0, _) => Err(Failure::failed(format!("no hook of {} is `{}`", named(&work), params.hook))
            .hint(session.command(&format!("work hook list {}", work.id.short())))),
        (n, _) => {
            Err(Failure::failed(format!("{n} hooks of {} fit `{}`", named(&work), params.hook))
                .hint("write the end of its id"))
        }
    }
}

async fn list(session: &mut Session, params: ListParams) -> Result<(), Failure> {
    let work = find::work(session, &params.work.join(" ")).await?;
    let reply = session.client.get(&format!("/api/tasks/{}/hooks", work.id)).await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let page: Page<WorkHook> = reply.read()?;
    if page.items.is_empty() {
        let command = session.command(&format!("work hook add {} --name NAME", work.id.short()));
        session.screen.say(format!("No hooks. Make one: {command}"));
        return Ok(());
    }
    let (style, width) = (session.screen.style(), session.screen.width());
    for hook in &page.items {
        session.screen.say(style.bold(&line(&format!("{}  {}", hook.id.short(), hook.name))));
        for text in facts(hook, &session.zone) {
            for text in wrap::text(&line(&text), width, INDENT) {
                session.screen.say(text);
            }
        }
    }
    Ok(())
}

const INDENT: Margin<'static> = Margin { first: "  ", rest: "    " };

/// Its address, its newest call, and what came of the calls of each hour.
fn facts(hook: &WorkHook, zone: &TimeZone) -> Vec<String> {
    let last = hook.calls.first().map(|call| time::minute(call.at, zone));
    let last = last.unwrap_or_else(|| "never".to_owned());
    let mut facts = vec![
        hook.path.clone(),
        format!("form {}; last call that started a run: {last}; {}", hook.form, counted(hook)),
    ];
    for hour in &hook.hours {
        let mut parts = Vec::new();
        if hour.started > 0 {
            parts.push(format!("{} started", hour.started));
        }
        if hour.repeated > 0 {
            parts.push(format!("{} repeated", hour.repeated));
        }
        let refused: Vec<String> =
            hour.refused.iter().map(|one| format!("{} {}", one.n, says(one.why))).collect();
        if !refused.is_empty() {
            parts.push(format!("refused: {}", refused.join(", ")));
        }
        let last = hour.last_at.zip(hour.last_sender.as_ref());
        let last = last.map(|(at, sender)| {
            format!("; the last refused call came at {} from {sender}", time::minute(at, zone))
        });
        let (from, last) = (time::minute(hour.hour, zone), last.unwrap_or_default());
        facts.push(format!("from {from}: {}{last}", parts.join("; ")));
    }
    facts
}

/// Why calls were refused.
fn says(why: HookRefusal) -> &'static str {
    match why {
        HookRefusal::Unknown => "to no hook",
        HookRefusal::Malformed => "without a header or a text",
        HookRefusal::Forged => "signed with no secret of the hook",
        HookRefusal::Late => "signed for another time",
        HookRefusal::Altered => "with the id of an earlier call and another body",
        HookRefusal::Inactive => "while the work may not start",
        HookRefusal::TooMany => "beyond 60 runs an hour",
        HookRefusal::Unreadable => "because its secrets cannot be opened",
    }
}

/// `3 started, 2 refused` over the hours that are shown.
fn counted(hook: &WorkHook) -> String {
    let started: i64 = hook.hours.iter().map(|hour| hour.started).sum();
    let refused: i64 = hook.hours.iter().flat_map(|hour| &hour.refused).map(|one| one.n).sum();
    match refused {
        0 => format!("{started} started"),
        n => format!("{started} started, {n} refused"),
    }
}
