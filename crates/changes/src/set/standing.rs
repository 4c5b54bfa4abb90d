//! How an open item stands, by the task it is about and by the time: whether the person is asked,
//! and what a confirm would write over.

use std::time::Duration;

use dormouse_journal::{Paused, TaskStanding};
use dormouse_store::agent::change_item::{Item, State};
use dormouse_types::model::TaskState;
use dormouse_types::{By, Timestamp, limits};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::tool::{Evidence, Target};
use crate::tools;

/// How long an item may be decided after it was shown.
pub const WEEK: Duration = Duration::from_secs(limits::PROPOSAL_AGE_SECONDS);

/// How an item stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It waits for the person, or is being applied.
    Waits,
    /// The person put it off; it can be decided all the same.
    PutOff,
    /// Its task is closed or deleted: nobody is asked, and its seven days stand still.
    Paused(Paused),
    /// Nobody decided in time, whether or not a sweep has noted that.
    Expired,
    /// The person set the field after the evidence was written: it is withdrawn, whether or not a
    /// wake has noted that.
    Overtaken,
    /// It is decided, withdrawn or expired by its row.
    Over,
}

impl Standing {
    /// Whether the person is asked about it.
    pub fn is_asked(self) -> bool {
        matches!(self, Self::Waits | Self::PutOff)
    }
}

/// How an item stands at a time. Without a task, by its row and the time alone.
pub fn of(item: &Item, task: Option<&TaskStanding>, now: Timestamp) -> Standing {
    let paused = task.and_then(|task| task.paused);
    match item.state {
        State::Confirmed | State::Rejected | State::Retracted | State::Expired => Standing::Over,
        State::Applying => paused.map_or(Standing::Waits, Standing::Paused),
        State::Pending | State::Deferred => {
            if expires_at(item, task, now).is_some_and(|at| at <= now) {
                return Standing::Expired;
            }
            if task.is_some_and(|task| is_overtaken(item, task)) {
                return Standing::Overtaken;
            }
            match (paused, item.state) {
                (Some(paused), _) => Standing::Paused(paused),
                (None, State::Deferred) => Standing::PutOff,
                (None, _) => Standing::Waits,
            }
        }
    }
}

/// The state a reader is shown: that of the row, unless time or the person moved on.
pub fn shown_state(item: &Item, task: Option<&TaskStanding>, now: Timestamp) -> State {
    match of(item, task, now) {
        Standing::Expired => State::Expired,
        Standing::Overtaken => State::Retracted,
        Standing::Waits | Standing::PutOff | Standing::Paused(_) | Standing::Over => item.state,
    }
}

/// How long an item may have been shown, by the clock of the database, so that a verdict is in time:
/// seven days, and the time in which its task was closed or deleted.
pub fn fresh_for(item: &Item, task: Option<&TaskStanding>, now: Timestamp) -> Duration {
    let paused = item.shown_at.zip(task).map(|(shown, task)| task.paused_between(shown, now));
    WEEK + paused.unwrap_or_default()
}

/// When it expires if its task stays as it is; none while it was not shown.
pub fn expires_at(item: &Item, task: Option<&TaskStanding>, now: Timestamp) -> Option<Timestamp> {
    item.shown_at.map(|shown| shown + fresh_for(item, task, now))
}

/// The value a person names when they confirm over what they set themselves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownValue {
    /// The value the task has now, in words; none for no value.
    pub now: Option<String>,
}

/// The value a task has now, in words, where the person set it after the item was proposed.
///
/// Shape: the outer none where nothing was set; the inner none for no value.
pub fn set_since(item: &Item, task: &TaskState) -> Option<KnownValue> {
    let tool = tools::item(&item.tool)?;
    let args: Value = serde_json::from_str(&item.args).unwrap_or_default();
    // What cannot be applied any more, or would change nothing, writes over nothing.
    tool.check(&args, task).ok()?;
    let now = tool.now(&args, task);
    let target = tool.target(&args);
    let is_item = target.key.starts_with("item:");
    let mut says = task.says.iter().filter(|say| say.field == target.key && say.by == By::User);
    // A value that is another one than when this was proposed counts whatever the times say: they come
    // from the clocks of two nodes, and a verdict that was taken back counts as a fresh proposal.
    let is_another = item.before != now;
    let is_said = says.any(|say| is_another || say.at > opened_at(item));
    // No record says who renamed or archived a checklist item; that it is another one is enough.
    let is_another_item = is_item && item.before.is_some() && is_another;
    let is_set = has_say(&target, &args) && is_said || is_another_item;
    is_set.then_some(KnownValue { now })
}

/// Whether the person set the field after the evidence of an open item was written.
pub fn is_overtaken(item: &Item, task: &TaskStanding) -> bool {
    let Some(tool) = tools::item(&item.tool) else { return false };
    let args: Value = serde_json::from_str(&item.args).unwrap_or_default();
    let target = tool.target(&args);
    // The evidence is older than the item that rests on it.
    item.evidence.is_some()
        && has_say(&target, &args)
        && task.said_at(&target.key).is_some_and(|at| at > opened_at(item))
}

/// Why an open item no longer says what it said when it was proposed, if so: the checklist item it
/// ticks or archives was renamed or archived, or the words it quotes are gone from their entry.
pub fn no_longer_holds(item: &Item, task: &TaskState) -> Option<&'static str> {
    let tool = tools::item(&item.tool)?;
    let args: Value = serde_json::from_str(&item.args).unwrap_or_default();
    // "[x] Buy paint": behind the box stands what the proposal names.
    let name = |value: &String| value.get(3..).map(ToOwned::to_owned);
    let names_item = tool.target(&args).key.starts_with("item:") && args.get("title").is_none();
    if names_item
        && let Some((before, now)) = item.before.as_ref().zip(tool.now(&args, task))
        && name(before) != name(&now)
    {
        return Some("the item was renamed or archived after this was proposed");
    }
    let evidence = item.evidence.as_deref().map(serde_json::from_str::<Evidence>)?.ok()?;
    let entry = task.entries.iter().find(|entry| entry.id == evidence.entry_id);
    let is_quoted = entry.is_some_and(|entry| entry.text.contains(&evidence.quote));
    (!is_quoted).then_some("the words it is based on are no longer in the notes")
}

/// Whether the journal records who set what an item aims at. A new title or archiving leaves the
/// tick of a checklist item alone, and the say is about the tick.
pub(crate) fn has_say(target: &Target, args: &Value) -> bool {
    !target.key.starts_with("item:") || args.get("isChecked").is_some()
}

/// When an item became open: when it was proposed, or when its verdict was taken back, which sets
/// the field itself.
fn opened_at(item: &Item) -> Timestamp {
    item.shown_at.filter(|_| item.round > 0).unwrap_or(item.created_at)
}
