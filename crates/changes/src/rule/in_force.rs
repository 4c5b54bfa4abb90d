//! The rules in force for a proposer, and what they make of a turn's proposals.

use dormouse_store::agent::rule::{self, HeldBack, Rule};
use dormouse_store::journal::entry;
use dormouse_store::{Op, ReadError, Store};
use dormouse_types::rule::{Condition, RuleEffect, RuleHolder};
use dormouse_types::{RuleId, TaskId, Timestamp, WorkspaceId};

use crate::set::propose::Proposer;
use crate::set::proposed::Proposed;
use crate::set::validate::CallOutcome;
use crate::tool::{ItemTool, ModelTool};
use crate::tools;

/// The rules in force for one proposer.
#[derive(Debug, Clone, Default)]
pub struct RulesInForce {
    rules: Vec<Rule>,
    /// Whether rules may confirm what the run proposes.
    may_confirm: bool,
}

/// A proposal that a rule did not let through.
#[derive(Debug, Clone)]
pub struct Held {
    rule: RuleId,
    proposed: Proposed,
}

impl RulesInForce {
    /// Reads the rules of these holders. `about` are the tasks whose texts the run was shown: what is made
    /// of texts from outside is never confirmed by a rule.
    pub async fn read(
        store: &Store,
        ws: WorkspaceId,
        holders: &[RuleHolder],
        about: &[TaskId],
    ) -> Result<Self, ReadError> {
        let rules = store.all(rule::in_force(ws, holders)).await?;
        let applies = rules.iter().any(|rule| rule.does(RuleEffect::Apply));
        let may_confirm = applies && !is_tainted(store, ws, about).await?;
        Ok(Self { rules, may_confirm })
    }

    /// The same for a run that has read something from outside: its proposals wait for the person.
    #[must_use]
    pub fn asking(self) -> Self {
        Self { may_confirm: false, ..self }
    }

    /// Returns whether calls of a tool are refused.
    pub fn forbid(&self, tool: &ModelTool) -> bool {
        let Some(item) = tool.item() else { return false };
        self.rules.iter().any(|rule| rule.does(RuleEffect::Forbid) && rule.tool == item.name())
    }

    /// Replaces proposals that a rule holds back by what the model reads about them, and leaves to its rule
    /// what one confirms.
    pub fn obey(&self, judged: Vec<CallOutcome>, held: &mut Vec<Held>) -> Vec<CallOutcome> {
        let obeyed = |one| {
            let CallOutcome::Queued(mut proposed) = one else { return one };
            if let Some(rule) = self.fitting(RuleEffect::HoldBack, &proposed) {
                let text = format!("a rule of the person holds back \"{}\"", proposed.summary);
                held.push(Held { rule: rule.id.clone(), proposed: *proposed });
                return CallOutcome::Skipped(text);
            }
            let may = tools::item(proposed.tool)
                .is_some_and(|tool| self.may_confirm && may_confirm(tool, &proposed.args));
            if let Some(rule) = self.fitting(RuleEffect::Apply, &proposed).filter(|_| may) {
                proposed.by_rule = Some(rule.id.clone());
            }
            CallOutcome::Queued(proposed)
        };
        judged.into_iter().map(obeyed).collect()
    }

    fn fitting(&self, effect: RuleEffect, proposed: &Proposed) -> Option<&Rule> {
        let holds = |condition: &Condition| {
            proposed.change.as_ref().is_some_and(|change| condition.holds(change))
        };
        self.rules.iter().find(|rule| {
            rule.does(effect)
                && rule.tool == proposed.tool
                && rule.condition.as_ref().is_none_or(holds)
        })
    }
}

/// Returns what notes the proposals that were held back, for the commit of their turn.
pub fn held_ops(by: Proposer<'_>, held: &[Held], at: Timestamp) -> Vec<Op> {
    let op = |held: &Held| {
        let Held { rule, proposed } = held;
        let held = HeldBack {
            rule: rule.clone(),
            fingerprint: proposed.fingerprint.clone(),
            task: by.task.clone(),
            proposer: by.holder.clone(),
            change: proposed.change.clone(),
            times: 1,
            at,
        };
        rule::hold_back(by.ws, &held)
    };
    held.iter().map(op).collect()
}

/// Returns whether a rule may confirm a proposal: not what removes something, costs something or leaves
/// the machine.
fn may_confirm(tool: &dyn ItemTool, args: &serde_json::Value) -> bool {
    tool.may_confirm_by_rule() && !tool.is_destructive(args)
}

/// Returns whether a text of one of these tasks came from outside, deleted ones included: what was made of
/// it may still be in an agent's memory.
async fn is_tainted(store: &Store, ws: WorkspaceId, tasks: &[TaskId]) -> Result<bool, ReadError> {
    for page in tasks.chunks(dormouse_store::in_list::MOST) {
        if store.first(entry::tainted_of(ws, page)).await?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}
