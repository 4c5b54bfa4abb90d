//! `dormouse change confirm|reject|defer|undo SET:ITEM...`.

use dormouse::{KnownValue, ProblemKind};
use dormouse_types::agent::ItemStatus;
use dormouse_types::field_change::FieldValue;
use std::io::IsTerminal as _;

use clap::Args;
use dormouse::view::{ChangeItem, ChangeSet, Outcome};
use dormouse_types::Verdict;
use serde_json::json;

use crate::client::{Client, Reply};
use crate::command::proposal;
use crate::failure::Failure;
use crate::find;
use crate::session::Session;
use crate::terminal::{counted, line};

#[derive(Debug, Args)]
pub struct Params {
    /// Proposals as `change list` names them: SET:1, SET:1,3 or SET:1@DIGEST
    #[arg(required = true, value_name = "SET:ITEM")]
    pub items: Vec<String>,
}

#[derive(Debug, Args)]
pub struct ConfirmParams {
    /// Proposals as `change list` names them: SET:1, SET:1,3 or SET:1@DIGEST
    #[arg(required = true, value_name = "SET:ITEM")]
    pub items: Vec<String>,
    /// The value you set since the proposal, as `change show` prints it (none for no value); the
    /// proposal then replaces it
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub over: Option<String>,
}

#[derive(Debug, Args)]
pub struct RejectParams {
    /// Proposals as `change list` names them: SET:1, SET:1,3 or SET:1@DIGEST
    #[arg(required = true, value_name = "SET:ITEM")]
    pub items: Vec<String>,
    /// The reason; the agent reads it
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
}

/// What a verdict has done, in the line that reports it.
fn done(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Confirm => "confirmed",
        Verdict::Reject => "rejected",
        Verdict::Defer => "put off",
        Verdict::Undo => "undone",
    }
}

/// An item of a set, as typed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Named {
    set: String,
    index: i64,
    digest: Option<String>,
}

pub async fn run(
    session: &mut Session,
    items: Vec<String>,
    verdict: Verdict,
    reason: Option<String>,
    over: Option<String>,
) -> Result<(), Failure> {
    let mut named = Vec::new();
    for text in &items {
        named.extend(read(text)?);
    }
    if over.is_some() && named.len() > 1 {
        return Err(Failure::usage("--over takes one value: use it with a single proposal"));
    }
    // Everything is looked up before anything is decided, so that a typo in the last argument
    // decides nothing.
    let mut wanted = Vec::new();
    for named in named {
        let (set, item, digest) = look_up(session, &named).await?;
        if verdict == Verdict::Confirm && named.digest.is_none() && !was_shown(&set, &item) {
            return Err(not_shown(session, &item));
        }
        wanted.push((set, item, digest));
    }
    // What another proposal belongs to is confirmed before it, and undone after it.
    match verdict {
        Verdict::Confirm => wanted.sort_by_key(|(_, item, _)| item.parent.is_some()),
        Verdict::Undo => wanted.sort_by_key(|(_, item, _)| item.parent.is_none()),
        Verdict::Reject | Verdict::Defer => {}
    }
    let mut failed = None;
    for (set, item, digest) in wanted {
        let name = proposal::name(&item);
        if verdict == Verdict::Confirm && item.made_of_private {
            crate::terminal::note(&format!("{name}: {}", proposal::MADE_OF_PRIVATE));
        }
        let over = over.as_deref().map(|value| named_value(&item, value));
        let wanted = Wanted { item: &item, digest: &digest, verdict, reason: None, over };
        let wanted = Wanted { reason: reason.as_deref(), ..wanted };
        match decide_knowing(session, wanted).await {
            Ok(reply) => {
                // A refused decision is no reason to wake an agent.
                session.touch_task(&set.task_id);
                if !session.print_body(&reply) {
                    let outcome: Outcome = reply.read()?;
                    session.screen.say(described(&outcome, verdict));
                }
            }
            Err(failure) => {
                let message =
                    format!("{name} ({}): {}", line(&proposal::summary(&item)), failure.message);
                let failure = Failure { message, ..failure };
                // Decisions are independent; a refused one does not stop the others.
                if let Some(earlier) = failed.replace(failure) {
                    crate::terminal::note(&format!("error: {}", earlier.message));
                }
            }
        }
    }
    failed.map_or(Ok(()), Err)
}

/// A verdict on an item as it was shown.
#[derive(Debug, Clone)]
pub struct Wanted<'a> {
    pub item: &'a ChangeItem,
    pub digest: &'a str,
    pub verdict: Verdict,
    /// For a rejection, the reason.
    pub reason: Option<&'a str>,
    /// For a confirm, the current value that it overwrites.
    pub over: Option<KnownValue>,
}

impl<'a> Wanted<'a> {
    /// A plain verdict on an item.
    pub fn of(item: &'a ChangeItem, verdict: Verdict) -> Self {
        Self { item, digest: item.digest.as_str(), verdict, reason: None, over: None }
    }
}

/// Sends one verdict with the digest that was shown.
pub async fn decide(client: &Client, wanted: Wanted<'_>) -> Result<Reply, Failure> {
    let Wanted { item, digest, verdict, reason, over } = wanted;
    let mut body = json!({"digest": digest});
    if let Some(reason) = reason {
        body["reason"] = json!(reason);
    }
    match over.filter(|_| verdict == Verdict::Confirm) {
        None => {}
        Some(KnownValue::Current(current)) => body["current"] = json!(current),
        Some(KnownValue::Now(now)) => body["now"] = json!(now),
    }
    let path = format!("/api/change-sets/{}/items/{}/{}", item.set, item.index, verdict.name());
    client.post(&path, body).await
}

/// Sends a verdict. If the user has set the value since, it is shown to them; on a terminal they
/// are asked whether to replace it.
async fn decide_knowing(session: &mut Session, wanted: Wanted<'_>) -> Result<Reply, Failure> {
    let failure = match decide(&session.client, wanted.clone()).await {
        Err(failure) if failure.is(ProblemKind::ValueChanged) => failure,
        other => return other,
    };
    let now = failure.member("now").and_then(|now| now.as_str().map(str::to_owned));
    let current = failure.member("current").unwrap_or_default();
    let current = serde_json::from_value::<Option<FieldValue>>(current)
        .map_err(|e| Failure::failed(format!("the server answers no value of a task: {e}")))?;
    let shown = now.as_deref().unwrap_or("none");
    let proposed = proposal::proposed(wanted.item);
    let proposed = proposed.unwrap_or_else(|| proposal::summary(wanted.item));
    let message = format!("you set this to {} after the proposal", line(shown));
    if std::io::stdin().is_terminal() && !session.screen.is_json() {
        let question = format!("{message}. Replace it with {}? [y/N] ", line(&proposed));
        let answered = session.screen.ask(&question);
        let answer = answered
            .map_err(|e| Failure::failed(format!("cannot read your answer: {e}")))?
            .unwrap_or_default();
        if matches!(answer.to_lowercase().as_str(), "y" | "yes") {
            let over = Some(KnownValue::Current(current));
            return decide(&session.client, Wanted { over, ..wanted }).await;
        }
    }
    let quoted = shown.replace('\'', "'\\''");
    let hint = format!(
        "to replace it: {} --over '{quoted}'",
        session.command(&format!("change confirm {}", proposal::name(wanted.item)))
    );
    Err(Failure { message, ..failure }.hint(hint))
}

/// Parses the value of `--over`: the one that the item shows, or `none`. Any other is refused by the server,
/// which names the present one.
fn named_value(item: &ChangeItem, value: &str) -> KnownValue {
    if item.now.as_deref().unwrap_or("none") == value {
        return KnownValue::Current(item.current.clone());
    }
    KnownValue::Now(Some(value.to_owned()))
}

/// Whether the user can have seen an item: it is or was among those shown.
fn was_shown(set: &ChangeSet, item: &ChangeItem) -> bool {
    let is_behind = set.items.iter().any(|other| other.shown);
    item.shown || item.status != ItemStatus::Pending || item.expires_at.is_some() || !is_behind
}

fn not_shown(session: &Session, item: &ChangeItem) -> Failure {
    let name = proposal::name(item);
    let show = session.command(&format!("change show {name}"));
    Failure::failed(format!("{name} was not shown yet: it waits after others"))
        .hint(format!("{show} shows it with its digest; confirm it as {name}@DIGEST"))
}

fn described(outcome: &Outcome, verdict: Verdict) -> String {
    let item = &outcome.item;
    let summary = line(&proposal::summary(item));
    let mut text = format!("{} {}: {summary}", done(verdict), proposal::name(item));
    if let Some(error) = &item.error {
        text.push_str(&format!("; it could not be applied: {}", line(error)));
    }
    text
}

/// `SET:1`, `SET:1,3` or `SET:1@digest`.
fn read(text: &str) -> Result<Vec<Named>, Failure> {
    let usage = || {
        Failure::usage(format!("`{}` does not name a proposal", line(text)))
            .hint("write SET:ITEM as `dormouse change list` shows it, for example k3f9a:1")
    };
    let (set, items) = text.rsplit_once(':').ok_or_else(usage)?;
    if set.is_empty() {
        return Err(usage());
    }
    let read_one = |part: &str| {
        let (index, digest) = match part.split_once('@') {
            Some((index, digest)) => (index, Some(digest.to_lowercase())),
            None => (part, None),
        };
        let index = index.parse().ok().filter(|index| *index > 0)?;
        Some(Named { set: set.to_owned(), index, digest })
    };
    items.split(',').map(|part| read_one(part).ok_or_else(usage)).collect()
}

/// Finds the item, and the digest to send for it.
async fn look_up(
    session: &Session,
    named: &Named,
) -> Result<(ChangeSet, ChangeItem, String), Failure> {
    let set = find::set(session, &named.set).await?;
    let Some(item) = set.items.iter().find(|item| item.index == named.index).cloned() else {
        let n = counted(set.items.len(), "proposal");
        return Err(Failure::failed(format!(
            "set {} has no item {}: it has {n}",
            named.set, named.index
        ))
        .hint("`dormouse change list --all` shows every item"));
    };
    let digest = match &named.digest {
        // The short form is enough to prove what was seen; anything else is sent as typed, for the
        // server to refuse.
        Some(typed) if typed.len() >= 8 && item.digest.as_str().starts_with(typed) => {
            item.digest.to_string()
        }
        Some(typed) => typed.clone(),
        None => item.digest.to_string(),
    };
    Ok((set, item, digest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_named_by_set_number_and_digest() {
        let named = |set: &str, index, digest: Option<&str>| Named {
            set: set.to_owned(),
            index,
            digest: digest.map(str::to_owned),
        };
        assert_eq!(read("k3f9a:1").ok(), Some(vec![named("k3f9a", 1, None)]));
        assert_eq!(
            read("k3f9a:1@AB12cd34,3").ok(),
            Some(vec![named("k3f9a", 1, Some("ab12cd34")), named("k3f9a", 3, None)])
        );
        assert_eq!(read("paint the fence:2").ok(), Some(vec![named("paint the fence", 2, None)]));
    }

    #[test]
    fn what_names_no_item_is_a_usage_error() {
        for text in ["k3f9a", "k3f9a:", ":1", "k3f9a:x", "k3f9a:0", "k3f9a:1,"] {
            assert_eq!(read(text).err().map(|failure| failure.code), Some(2), "{text}");
        }
    }
}
