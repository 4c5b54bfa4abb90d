//! Request bodies about agents and decisions.

use dormouse::KnownValue;
use dormouse::view::{OpenChanges, Outcome};
use dormouse_types::agent::Automation;
use dormouse_types::field_change::FieldValue;
use dormouse_types::{ChangeSetId, TemplateId, Timestamp, Verdict};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::read::{Reading, present};
use crate::Problem;

/// An agent to create for a task.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct AgentParams {
    /// Its display name; chosen automatically if left out.
    name: Option<String>,
    /// The template that it follows; that of the category of its task, or the stock default, if left out.
    #[schema(value_type = Option<TemplateId>)]
    template_id: Option<String>,
}

impl AgentParams {
    pub(crate) fn read(self) -> Result<(Option<String>, Option<TemplateId>), Problem> {
        let mut reading = Reading::default();
        let template = reading.parse("/templateId", self.template_id);
        reading.finish((self.name, template))
    }
}

/// The settings of an agent. Fields left out are unchanged.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct AgentPatch {
    /// Whether changes wake it.
    #[schema(value_type = Option<Automation>)]
    automation: Option<String>,
    /// Until this time only the user wakes it; `null` clears it.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<Timestamp>)]
    sleep_until: Option<Option<String>>,
    /// Whether a change to a linked task wakes it immediately.
    wake_on_linked: Option<bool>,
    /// The model that it asks, `builtin` or `provider/model`; `null` means that of the workspace.
    #[serde(default, deserialize_with = "present")]
    model: Option<Option<String>>,
    /// The template that it follows; `null` means the stock default.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<TemplateId>)]
    template_id: Option<Option<String>>,
}

impl AgentPatch {
    pub(crate) fn read(self) -> Result<dormouse::AgentPatch, Problem> {
        let mut reading = Reading::default();
        let automation = reading.parse("/automation", self.automation);
        let sleep_until =
            reading.clearable(self.sleep_until, |reading, text| reading.time("/sleepUntil", text));
        let template =
            reading.clearable(self.template_id, |reading, id| reading.parse("/templateId", id));
        reading.finish(dormouse::AgentPatch {
            automation,
            template,
            sleep_until,
            wake_on_linked: self.wake_on_linked,
            model: self.model,
        })
    }
}

/// A message to the agent to wake, or the time to wake it.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WakeParams {
    /// A message from the user; the agent wakes immediately.
    message: Option<String>,
    /// When to wake it in any case; `null` clears the time. If left out, it wakes now.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<Timestamp>)]
    at: Option<Option<String>>,
}

/// What a wake would send: with a message to the agent, to another model than its own.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PreviewParams {
    /// A message from the user.
    pub(crate) message: Option<String>,
    /// `provider/model`, or `builtin`: what would be sent if that were the agent's own model. Nothing is
    /// chosen by asking.
    pub(crate) model: Option<String>,
}

/// The kind of wake requested.
pub(crate) enum Wanted {
    /// Immediately, with this message.
    Now(Option<String>),
    /// At this time; `None` clears the set time.
    At(Option<Timestamp>),
}

impl WakeParams {
    pub(crate) fn read(self) -> Result<Wanted, Problem> {
        let Some(at) = self.at else { return Ok(Wanted::Now(self.message)) };
        if self.message.is_some() {
            let message = "a message wakes the agent immediately: leave out `at` or the message";
            return Err(Problem::invalid("/at", message));
        }
        let mut reading = Reading::default();
        let at = at.and_then(|at| reading.time("/at", Some(at)));
        reading.finish(Wanted::At(at))
    }
}

/// A verdict on one item as it was shown.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VerdictParams {
    /// The digest of the item as it was shown.
    pub(crate) digest: String,
    /// For a rejection, the reason.
    pub(crate) reason: Option<String>,
    /// For a confirm, if the user set the value after the proposal: the current value as in the
    /// item's `current`, or `null` for none. Such a confirm is refused without `current` or `now`.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<FieldValue>)]
    pub(crate) current: Option<Option<FieldValue>>,
    /// The same in words, as in the item's `now`.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>)]
    pub(crate) now: Option<Option<String>>,
}

/// Reads the current value that a confirm agrees to overwrite.
///
/// Errors: a value or a reason with a verdict that takes none; the value given in both ways.
pub(crate) fn known_value(
    verdict: Verdict,
    current: Option<Option<FieldValue>>,
    now: Option<Option<String>>,
    reason: Option<&str>,
) -> Result<Option<KnownValue>, Problem> {
    if reason.is_some() && verdict != Verdict::Reject {
        return Err(Problem::invalid("/reason", "only a rejection takes a reason: leave it out"));
    }
    let (pointer, known) = match (current, now) {
        (None, None) => return Ok(None),
        (Some(_), Some(_)) => {
            let message = "the current value is given as `current` too: leave one of them out";
            return Err(Problem::invalid("/now", message));
        }
        (Some(current), None) => ("/current", KnownValue::Current(current)),
        (None, Some(now)) => ("/now", KnownValue::Now(now)),
    };
    if verdict != Verdict::Confirm {
        return Err(Problem::invalid(
            pointer,
            "only a confirm takes the current value: leave it out",
        ));
    }
    Ok(Some(known))
}

/// The items of a set to confirm together; no others are confirmed.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConfirmAllParams {
    /// The items as they were shown, 1 to 10 of them.
    #[schema(min_items = 1, max_items = 10)]
    pub(crate) items: Vec<ShownParams>,
}

/// An item as it was shown.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShownParams {
    /// The item's number, from 1.
    pub(crate) index: i64,
    /// Its digest.
    pub(crate) digest: String,
}

/// One of many verdicts.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DecisionParams {
    /// The set.
    #[schema(value_type = ChangeSetId)]
    pub(crate) set: String,
    /// The item's number, from 1.
    pub(crate) index: i64,
    /// The verdict.
    #[schema(value_type = Verdict)]
    pub(crate) verdict: String,
    /// The digest of the item as it was shown.
    pub(crate) digest: String,
    /// For a rejection, the reason.
    pub(crate) reason: Option<String>,
    /// For a confirm, if the user set the value after the proposal: the current value as in the
    /// item's `current`, or `null` for none. Such a confirm is refused without `current` or `now`.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<FieldValue>)]
    pub(crate) current: Option<Option<FieldValue>>,
    /// The same in words, as in the item's `now`.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>)]
    pub(crate) now: Option<Option<String>>,
}

/// The outcomes of many verdicts about a task, with the task and its open proposals afterwards.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DecidedItems {
    /// The outcome of each, in the order of the request.
    pub(crate) items: Vec<Decided>,
    /// None: all of them are on this page.
    pub(crate) next_cursor: Option<String>,
    /// The task and its open proposals. None if the caller may not read, or they cannot be read:
    /// the verdicts hold all the same.
    pub(crate) open: Option<OpenChanges>,
}

/// The outcome of one of many verdicts.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum Decided {
    /// The verdict was recorded.
    Taken { set: String, index: i64, outcome: Box<Outcome> },
    /// The verdict was refused; this does not affect the others.
    Refused { set: String, index: i64, problem: Problem },
}
