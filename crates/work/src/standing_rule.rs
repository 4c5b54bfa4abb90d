//! The standing rule by which runs of work apply what they propose: a row like the person's other rules.
//!
//! The parameters of a definition say that there is one; the row is what counts, and both are written
//! together. What a run proposes all the same waits for the person if its task holds a text from outside.

use dormouse_changes::tools::{copy_task, update_checklist_item};
use dormouse_store::Op;
use dormouse_store::agent::rule::{self, Rule};
use dormouse_types::built_in_work::BuiltInWork;
use dormouse_types::rule::{RuleEffect, RuleHolder};
use dormouse_types::work_kind::{Repeat, Repeated, WorkParameters};
use dormouse_types::{Actor, Id as _, RuleId, Timestamp, WorkId, WorkspaceId};

use crate::Work;

/// The tool whose proposals runs apply, as change items name it; `None` if they apply nothing.
fn applied_tool(built_in: Option<&BuiltInWork>) -> Option<&'static str> {
    let WorkParameters::Repeat(Repeat { what, by_rule: true }) = &built_in?.parameters else {
        return None;
    };
    match what {
        Repeated::Reset { .. } => update_checklist_item::TOOL.item().map(|item| item.name()),
        Repeated::Copy { .. } => copy_task::TOOL.item().map(|item| item.name()),
        Repeated::Make { .. } => None,
    }
}

impl Work {
    /// Returns what brings the standing rule of a definition into line with what it does.
    pub(crate) fn standing_rule(
        &self,
        ws: WorkspaceId,
        id: &WorkId,
        (before, after): (Option<&BuiltInWork>, Option<&BuiltInWork>),
        actor: &Actor,
        now: Timestamp,
    ) -> Vec<Op> {
        let (before, after) = (applied_tool(before), applied_tool(after));
        if before == after {
            return Vec::new();
        }
        let (holder, by) = (RuleHolder::Work(id.clone()), actor.to_string());
        let end = rule::remove_all(ws, &holder, RuleEffect::Apply, &by, now);
        let begin = after.map(|tool| Rule {
            id: RuleId::fresh(now, &*self.entropy),
            holder,
            effect: RuleEffect::Apply.into(),
            tool: tool.to_owned(),
            condition: None,
            decisions: Vec::new(),
            made_by: by,
            made_at: now,
            removed_at: None,
        });
        std::iter::once(end).chain(begin.map(|rule| rule::insert(ws, &rule))).collect()
    }
}
