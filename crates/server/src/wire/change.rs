//! Bodies about agents and decisions.

use dormouse::view::Outcome;
use dormouse::{KnownValue, Verdict};
use dormouse_types::{ChangeSetId, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::read::{Reading, present};
use crate::Problem;

/// An agent to be made for a task.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AgentParams {
    /// What people call it; a stock name unless given.
    pub(crate) name: Option<String>,
}

/// What of an agent can be set. What is left out stays as it is.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct AgentPatch {
    /// `auto`, `on`, `off`: whether changes wake it by themselves.
    automation: Option<String>,
    /// Until when nothing but a person wakes it; `null` ends that.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<Timestamp>)]
    sleep_until: Option<Option<String>>,
    /// Whether a change of a linked task wakes it at once.
    wake_on_linked: Option<bool>,
}

impl AgentPatch {
    pub(crate) fn read(self) -> Result<dormouse::AgentPatch, Problem> {
        let mut reading = Reading::default();
        let sleep_until =
            reading.clearable(self.sleep_until, |reading, text| reading.time("/sleepUntil", text));
        reading.finish(dormouse::AgentPatch {
            automation: self.automation,
            sleep_until,
            wake_on_linked: self.wake_on_linked,
        })
    }
}

/// What the person says to an agent they wake, or when it is to be woken.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WakeParams {
    /// What the person says to it; it wakes at once.
    message: Option<String>,
    /// When it is to wake whatever happens; `null` takes that back. Without it, now.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<Timestamp>)]
    at: Option<Option<String>>,
}

/// What a person wants of a wake.
pub(crate) enum Wanted {
    /// At once, with these words.
    Now(Option<String>),
    /// At a time, or no longer at one.
    At(Option<Timestamp>),
}

impl WakeParams {
    pub(crate) fn read(self) -> Result<Wanted, Problem> {
        let Some(at) = self.at else { return Ok(Wanted::Now(self.message)) };
        if self.message.is_some() {
            let message = "a message wakes the agent at once: leave out `at`, or the message";
            return Err(Problem::invalid("/at", message));
        }
        let mut reading = Reading::default();
        let at = at.and_then(|at| reading.time("/at", Some(at)));
        reading.finish(Wanted::At(at))
    }
}

/// A verdict on one item. The digest is that of the item as it was shown.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VerdictParams {
    /// The digest of the item as it was shown.
    pub(crate) digest: String,
    /// Why, of a rejection.
    pub(crate) reason: Option<String>,
    /// Of a confirm, where the person set the value after the proposal was made: the value now as
    /// the item's `now` tells it, `null` for none. Without it such a confirm is refused.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>)]
    pub(crate) now: Option<Option<String>>,
}

/// The value that a confirm names, to be written over all the same.
///
/// Errors: a value or a reason beside a verdict that takes none.
pub(crate) fn over(
    verdict: Verdict,
    now: Option<Option<String>>,
    reason: Option<&str>,
) -> Result<Option<KnownValue>, Problem> {
    if reason.is_some() && verdict != Verdict::Reject {
        return Err(Problem::invalid("/reason", "only a rejection has a reason: leave it out"));
    }
    if now.is_some() && verdict != Verdict::Confirm {
        return Err(Problem::invalid("/now", "only a confirm names the value now: leave it out"));
    }
    Ok(now.map(|now| KnownValue { now }))
}

/// The items of a set to be confirmed together, and no others.
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
    /// The item, from 1.
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
    /// The item, from 1.
    pub(crate) index: i64,
    /// What the person decides.
    #[schema(value_type = VerdictName)]
    pub(crate) verdict: String,
    /// The digest of the item as it was shown.
    pub(crate) digest: String,
    /// Why, of a rejection.
    pub(crate) reason: Option<String>,
    /// Of a confirm, where the person set the value after the proposal was made: the value now as
    /// the item's `now` tells it, `null` for none. Without it such a confirm is refused.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>)]
    pub(crate) now: Option<Option<String>>,
}

/// What became of one of many verdicts.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum Decided {
    /// It was taken.
    Taken { set: String, index: i64, outcome: Box<Outcome> },
    /// It was refused; the others were not.
    Refused { set: String, index: i64, problem: Problem },
}

/// A verdict by its name.
pub(crate) struct VerdictName;

impl VerdictName {
    /// Every verdict.
    pub(crate) const ALL: [(&str, Verdict); 4] = [
        ("confirm", Verdict::Confirm),
        ("reject", Verdict::Reject),
        ("defer", Verdict::Defer),
        ("undo", Verdict::Undo),
    ];
}

impl PartialSchema for VerdictName {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some(Self::ALL.map(|(name, _)| name)))
            .description(Some("What the person decides; `undo` takes a verdict back."))
            .build()
            .into()
    }
}

impl ToSchema for VerdictName {}
