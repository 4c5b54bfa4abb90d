//! The state of an open item as of now, given its task and the time: whether the person has to decide, and
//! which value a confirm would overwrite.

use std::time::Duration;

use dormouse_journal::{Paused, TaskReviewFacts, TaskReviewState};
use dormouse_store::agent::change_item::{Item, OpenItem, State};
use dormouse_types::field_change::FieldValue;
use dormouse_types::memory::REMOVED;
use dormouse_types::model::TaskState;
use dormouse_types::{By, Timestamp, limits};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::tool::{Evidence, Target, fingerprint};
use crate::tools;
use crate::words;

/// How long an item can be decided after it was shown.
pub const WEEK: Duration = Duration::from_secs(limits::PROPOSAL_AGE_SECONDS);

/// The state of an item as of now: its stored one, and what time and the task make of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EffectiveState {
    /// It is waiting for the person, or being applied.
    Waits,
    /// The person deferred it; it can still be decided.
    PutOff,
    /// Its task is closed or deleted: nobody has to decide, and its seven days are suspended.
    Paused(Paused),
    /// Its time has passed without a decision, even if no sweep has recorded that.
    Expired,
    /// The person set the field after the evidence was written: the item is withdrawn, even if no
    /// wake has recorded that.
    Overtaken,
    /// Its row says that it was decided, withdrawn or expired.
    Over,
}

impl EffectiveState {
    /// Returns whether the person has to decide.
    pub fn needs_decision(self) -> bool {
        matches!(self, Self::Waits | Self::PutOff)
    }
}

/// Returns the state of an item at a time. Without a task, only its row and the time count.
pub fn of(item: &Item, task: Option<&TaskReviewState>, now: Timestamp) -> EffectiveState {
    let paused = task.and_then(|task| paused(item, task));
    match item.state {
        State::Confirmed | State::Rejected | State::Retracted | State::Expired => {
            EffectiveState::Over
        }
        State::Applying => paused.map_or(EffectiveState::Waits, EffectiveState::Paused),
        State::Pending | State::Deferred => {
            if expires_at(item, task, now).is_some_and(|at| at <= now) {
                return EffectiveState::Expired;
            }
            if task.is_some_and(|task| is_overtaken(item, task)) {
                return EffectiveState::Overtaken;
            }
            match (paused, item.state) {
                (Some(paused), _) => EffectiveState::Paused(paused),
                (None, State::Deferred) => EffectiveState::PutOff,
                (None, _) => EffectiveState::Waits,
            }
        }
    }
}

/// Returns the state of an open item if these facts settle it. `None` if it may have been overtaken or may
/// expire by some time: that depends on its arguments and on the whole task, see [`of`].
pub fn settled(item: &OpenItem, task: &TaskReviewFacts, by: Timestamp) -> Option<EffectiveState> {
    // A pause of the task can only defer this.
    let may_expire = item.shown_at.is_some_and(|shown| shown + WEEK <= by);
    let since = opened_at(item.round, item.shown_at, item.created_at);
    let may_be_overtaken = item.has_evidence && task.stated_at.is_some_and(|at| at > since);
    if may_expire || may_be_overtaken {
        return None;
    }
    let paused = not_now(&item.tool, task.paused);
    Some(match (paused, item.state) {
        (_, State::Confirmed | State::Rejected | State::Retracted | State::Expired) => {
            EffectiveState::Over
        }
        (Some(paused), State::Applying | State::Pending | State::Deferred) => {
            EffectiveState::Paused(paused)
        }
        (None, State::Deferred) => EffectiveState::PutOff,
        (None, State::Applying | State::Pending) => EffectiveState::Waits,
    })
}

/// Returns why nobody has to decide about an item as its task is.
pub(crate) fn paused(item: &Item, task: &TaskReviewState) -> Option<Paused> {
    not_now(&item.tool, task.paused)
}

/// Returns why nobody has to decide about an item of a tool, if its task is paused.
fn not_now(tool: &str, task: Option<Paused>) -> Option<Paused> {
    let about_closed = || tools::item(tool).is_some_and(|tool| tool.about_closed());
    match task {
        Some(Paused::Closed(_)) if about_closed() => None,
        other => other,
    }
}

/// Returns the state to show a reader: the stored one, unless the item has since expired or been
/// overtaken.
pub fn shown_state(item: &Item, task: Option<&TaskReviewState>, now: Timestamp) -> State {
    match of(item, task, now) {
        EffectiveState::Expired => State::Expired,
        EffectiveState::Overtaken => State::Retracted,
        EffectiveState::Waits
        | EffectiveState::PutOff
        | EffectiveState::Paused(_)
        | EffectiveState::Over => item.state,
    }
}

/// Returns how long an item may have been shown, by the database clock, for a verdict to be in
/// time: seven days plus the time during which its task was closed or deleted.
pub fn fresh_for(item: &Item, task: Option<&TaskReviewState>, now: Timestamp) -> Duration {
    let paused = item.shown_at.zip(task).map(|(shown, task)| task.paused_between(shown, now));
    WEEK + paused.unwrap_or_default()
}

/// Returns when an item expires if its task stays as it is, or `None` if it was never shown.
pub fn expires_at(
    item: &Item,
    task: Option<&TaskReviewState>,
    now: Timestamp,
) -> Option<Timestamp> {
    item.shown_at.map(|shown| end_of_week(shown, task, now))
}

/// Returns when the seven days of an item that was shown at a time end, if its task stays as it is.
pub fn end_of_week(
    shown_at: Timestamp,
    task: Option<&TaskReviewState>,
    now: Timestamp,
) -> Timestamp {
    let paused = task.map(|task| task.paused_between(shown_at, now));
    shown_at + WEEK + paused.unwrap_or_default()
}

/// The value a person names to confirm over what they set themselves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum KnownValue {
    /// The task's present value; `None` if there is none.
    Current(Option<FieldValue>),
    /// The same in words, as a person types it; `None` if there is none.
    Now(Option<String>),
}

/// The task's present value, which the person set after an item was proposed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedValue {
    /// `None` if the field is empty.
    pub value: Option<FieldValue>,
}

impl ChangedValue {
    /// Returns the value as a person names it.
    pub fn words(&self) -> Option<String> {
        self.value.as_ref().map(words::value)
    }

    /// Returns whether this is the value that the person named.
    pub fn is_known(&self, over: Option<&KnownValue>) -> bool {
        over.is_some_and(|over| match over {
            KnownValue::Current(value) => *value == self.value,
            KnownValue::Now(words) => *words == self.words(),
        })
    }
}

/// Returns the value of an item's field at the time of the proposal. A row of an older version has it
/// in words.
pub fn before(item: &Item) -> Option<FieldValue> {
    let words = || item.before.clone().map(|words| FieldValue::Words { words });
    item.change.as_ref().map_or_else(words, |change| change.from.clone())
}

/// Returns the task's present value if the person set it after the item was proposed.
pub fn set_since(item: &Item, task: &TaskState) -> Option<ChangedValue> {
    let tool = tools::item(&item.tool)?;
    let args: Value = serde_json::from_str(&item.args).unwrap_or_default();
    // An item that cannot be applied, or would change nothing, overwrites nothing.
    tool.check(&args, task).ok()?;
    let value = tool.change(&args, Some(task)).and_then(|change| change.from);
    let before = before(item);
    let target = tool.target(&args);
    let stated = target.stated_field();
    let mut says =
        task.says.iter().filter(|say| Some(&say.field) == stated.as_ref() && say.by == By::User);
    // A value that differs from the one at proposal time counts whatever the timestamps say: they
    // come from the clocks of two nodes, and an undone item counts as newly proposed.
    let is_another = before.as_ref().map(words::value) != value.as_ref().map(words::value);
    let is_stated = says
        .any(|say| is_another || say.at > opened_at(item.round, item.shown_at, item.created_at));
    // The journal does not record who renamed or archived a checklist item; a difference is enough.
    let is_another_item = target.is_item() && before.is_some() && is_another;
    let is_set = has_say(&target, &args) && is_stated || is_another_item;
    is_set.then_some(ChangedValue { value })
}

/// Returns whether the person set the field after the evidence of an open item was written.
pub fn is_overtaken(item: &Item, task: &TaskReviewState) -> bool {
    let Some(tool) = tools::item(&item.tool) else { return false };
    let args: Value = serde_json::from_str(&item.args).unwrap_or_default();
    let target = tool.target(&args);
    let Some(field) = target.stated_field() else { return false };
    // The evidence is always older than the item that cites it.
    item.evidence.is_some()
        && has_say(&target, &args)
        && task
            .stated_at(&field)
            .is_some_and(|at| at > opened_at(item.round, item.shown_at, item.created_at))
}

/// Returns why an open item no longer means what it meant when it was proposed: words were removed
/// from it, the checklist item it ticks or archives was renamed or archived, or the quoted words are
/// gone from their entry.
pub fn no_longer_holds(item: &Item, task: &TaskState) -> Option<&'static str> {
    let tool = tools::item(&item.tool)?;
    let args: Value = serde_json::from_str(&item.args).unwrap_or_default();
    // A person may write the mark themselves; the identity tells the two apart.
    if item.args.contains(REMOVED)
        && fingerprint(&item.tool, &args, &item.task, &tool.target(&args).to_string())
            != item.fingerprint
    {
        return Some("words in it were removed after this was proposed");
    }
    // Ticking it says nothing about its name: "[x] Buy paint" and "[ ] Buy paint" are one.
    let name = |value: &FieldValue| words::value(value).get(3..).map(ToOwned::to_owned);
    let names_item = tool.target(&args).is_item() && args.get("title").is_none();
    if names_item
        && let Some(now) = tool.change(&args, Some(task)).and_then(|change| change.from)
        && let Some(before) = before(item)
        && name(&before) != name(&now)
    {
        return Some("the item was renamed or archived after this was proposed");
    }
    let evidence = item.evidence.as_deref().map(serde_json::from_str::<Evidence>)?.ok()?;
    let entry = task.entries.iter().find(|entry| entry.id == evidence.entry_id);
    let is_quoted = entry.is_some_and(|entry| entry.text.contains(&evidence.quote));
    (!is_quoted).then_some("the words it is based on are no longer in the notes")
}

/// Returns whether the journal records who set what an item targets. For checklist items it records
/// only who ticked them, so renaming and archiving do not count.
pub(crate) fn has_say(target: &Target, args: &Value) -> bool {
    !target.is_item() || args.get("isChecked").is_some()
}

/// Returns when an item became open: when it was proposed or, if its verdict was undone, when that
/// happened, because the undo itself sets the field.
fn opened_at(round: i64, shown_at: Option<Timestamp>, created_at: Timestamp) -> Timestamp {
    shown_at.filter(|_| round > 0).unwrap_or(created_at)
}
