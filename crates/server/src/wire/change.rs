//! Bodies about agents and decisions.

use dormouse::Verdict;
use dormouse::view::Outcome;
use dormouse_types::ChangeSetId;
use serde::{Deserialize, Serialize};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::Problem;

/// An agent to be made for a task.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AgentParams {
    /// What people call it; a stock name unless given.
    pub(crate) name: Option<String>,
}

/// What of an agent can be set.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AgentPatch {
    /// `auto`, `on`, `off`: whether changes wake it by themselves.
    pub(crate) automation: String,
}

/// What the person says to an agent they wake.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WakeParams {
    /// What the person says to it.
    pub(crate) message: Option<String>,
}

/// A verdict on one item. The digest is that of the item as it was shown.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VerdictParams {
    /// The digest of the item as it was shown.
    pub(crate) digest: String,
    /// Why, of a rejection.
    pub(crate) reason: Option<String>,
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
