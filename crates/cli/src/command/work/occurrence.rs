//! `dormouse work upcoming`, `skip`, `move`, `restore` and `suspend`: single occurrences of a schedule.

use clap::Args;
use dormouse::ProblemKind;
use dormouse::view::{AgentWork, WorkOccurrence, WorkOccurrences};
use dormouse_types::Id as _;
use serde_json::{Value, json};

use super::name::named;
use super::settings;
use crate::client::encode;
use crate::dates;
use crate::failure::Failure;
use crate::find;
use crate::session::Session;
use crate::terminal::{line, time};

#[derive(Debug, Args)]
pub struct Params {
    /// The agent work: the end of its id, or words of its title
    #[arg(required = true, value_name = "WORK")]
    work: Vec<String>,
}

#[derive(Debug, Args)]
pub struct OneParams {
    /// The agent work: the end of its id, or words of its title
    #[arg(required = true, value_name = "WORK")]
    work: Vec<String>,
    /// Which occurrence, as `work upcoming` writes it; without it, the next one
    #[arg(long, value_name = "KEY")]
    occurrence: Option<String>,
}

#[derive(Debug, Args)]
pub struct MoveParams {
    #[command(flatten)]
    one: OneParams,
    /// When it happens instead, such as `tomorrow at 11`
    #[arg(long, value_name = "TIME")]
    to: String,
}

#[derive(Debug, Args)]
pub struct SuspendParams {
    /// The agent work: the end of its id, or words of its title
    #[arg(required = true, value_name = "WORK")]
    work: Vec<String>,
    /// When it resumes: a time, or the beginning of a day, such as `next monday`
    #[arg(long, value_name = "TIME")]
    until: String,
}

pub async fn list(session: &mut Session, params: Params) -> Result<(), Failure> {
    let work = find::work(session, &params.work.join(" ")).await?;
    let reply = session.client.get(&path_of(&work, "")).await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let coming: WorkOccurrences = reply.read()?;
    if let Some(until) = coming.suspended_until {
        let until = time::minute(until, &session.zone);
        session.screen.say(format!("suspended until {until}; `work resume` ends that"));
    }
    if coming.items.is_empty() {
        session.screen.say("Nothing of it comes by a schedule.");
    }
    for one in &coming.items {
        let what = match (one.is_skipped, one.is_moved) {
            (true, _) => "  skipped",
            (false, true) => "  moved",
            (false, false) => "",
        };
        let due = time::minute(one.due, &session.zone);
        session.screen.say(format!("{due}  {}{what}", line(&one.key)));
    }
    Ok(())
}

pub async fn skip(session: &mut Session, params: OneParams) -> Result<(), Failure> {
    let is_next = |one: &WorkOccurrence| !one.is_skipped;
    change(session, params, "skip", is_next, json!({}), "skipped").await
}

pub async fn move_to(session: &mut Session, params: MoveParams) -> Result<(), Failure> {
    let MoveParams { one, to } = params;
    dates::check(session, "--to", &to)?;
    let body = in_words(session, "to", &to);
    change(session, one, "move", |one| !one.is_skipped, body, "moved").await
}

pub async fn restore(session: &mut Session, params: OneParams) -> Result<(), Failure> {
    change(session, params, "restore", |one| one.can_restore, json!({}), "restored").await
}

pub async fn suspend(session: &mut Session, params: SuspendParams) -> Result<(), Failure> {
    let work = find::work(session, &params.work.join(" ")).await?;
    dates::check(session, "--until", &params.until)?;
    let body = in_words(session, "until", &params.until);
    let path = format!("/api/tasks/{}/suspend", work.id);
    let reply = session.client.post(&path, body).await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let work: AgentWork = reply.read()?;
    let minute = |at| time::minute(at, &session.zone);
    let until = work.suspended_until.map(|at| format!(" until {}", minute(at)));
    let next = match work.next_due_at {
        Some(at) => format!(", next {}", minute(at)),
        None => ": nothing of it comes after that".to_owned(),
    };
    session.screen.say(format!("suspended {}{}{next}", named(&work), until.unwrap_or_default()));
    Ok(())
}

/// Changes the occurrence that is named, or the first that `is_meant`.
async fn change(
    session: &mut Session,
    params: OneParams,
    verb: &str,
    is_meant: impl Fn(&WorkOccurrence) -> bool,
    body: Value,
    done: &str,
) -> Result<(), Failure> {
    let work = find::work(session, &params.work.join(" ")).await?;
    let key = match params.occurrence {
        Some(key) => key,
        None => {
            let coming: WorkOccurrences = session.client.get(&path_of(&work, "")).await?.read()?;
            let first = coming.items.into_iter().find(is_meant);
            let none =
                || Failure::failed(format!("there is nothing of {} to {verb}", work.id.short()));
            first.ok_or_else(none)?.key
        }
    };
    let path = path_of(&work, &format!("/{}/{verb}", encode(&key)));
    let command = session.command(&format!("work upcoming {}", work.id.short()));
    let reply = session.client.post(&path, body).await.map_err(|failure| {
        // The work was found, so it is the occurrence that was not.
        let is_unknown = failure.is(ProblemKind::NotFound);
        if is_unknown { failure.hint(format!("{command} lists the keys")) } else { failure }
    })?;
    settings::tell(session, &reply, done)
}

fn path_of(work: &AgentWork, rest: &str) -> String {
    format!("/api/tasks/{}/occurrences{rest}", work.id)
}

/// A body with a time in the words of the person.
fn in_words(session: &Session, field: &str, text: &str) -> Value {
    let (order, language) = (session.wording.order.to_string(), session.wording.language.code());
    json!({ field: text, "dayOrder": order, "lang": language })
}
