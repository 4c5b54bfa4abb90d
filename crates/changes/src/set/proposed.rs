//! An accepted proposal, and what calls are validated against.

use dormouse_store::agent::change_item::Item;
use dormouse_types::field_change::FieldChange;
use dormouse_types::model::TaskState;
use dormouse_types::{Fingerprint, RuleId, Timestamp};
use serde_json::Value;

use crate::task_ref::NamedTask;
use crate::tool::{Evidence, Target};

/// An accepted proposal.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposed {
    /// Name of the tool, in its singular form.
    pub tool: &'static str,
    /// Arguments in canonical form.
    pub args: Value,
    /// Identity of the proposal, which a verdict names.
    pub fingerprint: Fingerprint,
    /// Quote from an entry that supports the proposal.
    pub evidence: Option<Evidence>,
    /// Why, in the model's words.
    pub rationale: Option<String>,
    /// The change, seen from proposal time.
    pub change: Option<FieldChange>,
    /// One line that describes the proposal to a person.
    pub summary: String,
    /// Its place in its set.
    pub index: i64,
    /// The rule of the person that is to confirm it; none if it waits for the person.
    pub by_rule: Option<RuleId>,
}

/// What a call is validated against: stored facts only.
#[derive(Debug, Clone, Copy)]
pub struct ProposalContext<'a> {
    /// The task as it is now.
    pub task: &'a TaskState,
    /// All items about the task, from every set.
    pub items: &'a [Item],
    /// What this turn has already proposed.
    pub proposed: &'a [Proposed],
    /// What the set of this run holds from earlier turns.
    pub in_set: &'a [&'a Item],
    /// The other tasks that the calls name.
    pub named: &'a [NamedTask],
    /// How many items earlier turns of this run proposed.
    pub made_before: usize,
    /// Single-use tools that this run has already used.
    pub used: &'a [String],
    /// What the proposals rest on.
    pub basis: Basis,
}

/// What proposals rest on, besides the task itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// What a model read: what the person set or refused stays, unless a newer entry is quoted.
    Model,
    /// A fact of the task that code found, as the task is now: it outweighs what the person set, and what
    /// the person refused before the fact.
    Fact {
        /// Since when the task as a whole is as it is. Of a checklist item, the time at which it was ticked
        /// counts.
        since: Timestamp,
    },
    /// A fact like that, for work that does the same again and again by its nature, such as a checklist that
    /// starts over: what nobody decided on the last time is no refusal of this time.
    RecurringFact {
        /// As in [`Basis::Fact`].
        since: Timestamp,
    },
}

impl Basis {
    /// Returns since when the fact holds for a target.
    pub(crate) fn since(self, target: &Target, task: &TaskState) -> Option<Timestamp> {
        let (Self::Fact { since } | Self::RecurringFact { since }) = self else { return None };
        let ticked = target.stated_field().filter(|_| target.is_item());
        let last_say = ticked.and_then(|item| task.says.iter().find(|say| say.field == item));
        Some(last_say.map_or(since, |say| say.at))
    }
}
