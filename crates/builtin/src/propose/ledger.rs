//! What may still be proposed: the person's own settings and earlier verdicts take precedence.

use dormouse_types::Timestamp;
use dormouse_types::caller::By;
use dormouse_types::directive::ProposalKind;
use dormouse_types::model::{OpenProposal, StatedField};
use dormouse_types::task::Field;
use serde_json::Value;

use crate::Input;

/// A kind of proposal, by the names of its tool in calls and in the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    /// What a directive calls it.
    pub what: ProposalKind,
    /// Name of the tool in a call.
    pub call: &'static str,
    /// Other names of the same tool.
    also: &'static [&'static str],
    /// Argument of a call that lists the single proposals, if there is one.
    list: Option<&'static str>,
}

/// `set_task_title`
pub const TITLE: Kind = Kind {
    what: ProposalKind::Title,
    call: "set_task_title",
    also: &["update_task_title"],
    list: None,
};
/// `update_task_estimate`
pub const ESTIMATE: Kind = Kind {
    what: ProposalKind::Estimate,
    call: "update_task_estimate",
    also: &["set_task_estimate"],
    list: None,
};
/// `update_task_due_date`
pub const DUE: Kind = Kind {
    what: ProposalKind::DueDate,
    call: "update_task_due_date",
    also: &["set_task_due_date"],
    list: None,
};
/// `update_task_priority`
pub const PRIORITY: Kind = Kind {
    what: ProposalKind::Priority,
    call: "update_task_priority",
    also: &["set_task_priority"],
    list: None,
};
/// `set_task_status`
pub const STATUS: Kind = Kind {
    what: ProposalKind::Status,
    call: "set_task_status",
    also: &["update_task_status"],
    list: None,
};
/// `assign_task_labels`
pub const LABELS: Kind = Kind {
    what: ProposalKind::Labels,
    call: "assign_task_labels",
    also: &["assign_task_label"],
    list: Some("labels"),
};
/// `add_multiple_checklist_items`
pub const ADD: Kind = Kind {
    what: ProposalKind::Items,
    call: "add_multiple_checklist_items",
    also: &["add_checklist_item"],
    list: Some("items"),
};
/// `update_checklist_items`
pub const TICK: Kind = Kind {
    what: ProposalKind::Ticks,
    call: "update_checklist_items",
    also: &["update_checklist_item"],
    list: Some("items"),
};

/// Every kind. The names are those of the registry of tools, which is in a room above this one; a test of
/// the facade compares them.
pub const KINDS: [Kind; 8] = [TITLE, ESTIMATE, DUE, PRIORITY, STATUS, LABELS, ADD, TICK];

/// The tool that copies a task for work that repeats. No model is offered it.
pub const COPY_TASK: &str = "copy_task";
/// The tool that sets the language of a task at once.
pub const SET_LANGUAGE: &str = "set_task_language";
/// The tool that withdraws open proposals.
pub const RETRACT: &str = "retract_suggestions";
/// The tool that publishes the report.
pub const REPORT: &str = "update_report";
/// The tool that keeps notes for later wakes.
pub const OBSERVE: &str = "record_observations";

/// The tools that propose no change of a kind above. The same test compares them.
pub const OTHER_TOOLS: [&str; 5] = [COPY_TASK, SET_LANGUAGE, RETRACT, REPORT, OBSERVE];

impl Kind {
    /// Returns the kind that a tool's name means.
    pub fn of_tool(tool: &str) -> Option<Self> {
        KINDS.into_iter().find(|kind| kind.is(tool))
    }

    /// Returns the names of the tool: in calls first, then in rows.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.call).chain(self.also.iter().copied())
    }

    /// Returns whether a tool's name means this kind.
    pub fn is(&self, tool: &str) -> bool {
        self.call == tool || self.also.contains(&tool)
    }

    /// Returns the arguments of the single proposals in a ledger row, which stores them one by one
    /// or as called.
    fn parts<'a>(&self, args: &'a Value) -> Vec<&'a Value> {
        match self.list.and_then(|list| args.get(list)).and_then(Value::as_array) {
            Some(parts) => parts.iter().collect(),
            None => vec![args],
        }
    }
}

/// Returns when proposals that `same` recognises were last rejected, expired or applied.
///
/// If a proposal was applied and its effect is gone, the person has undone it.
fn last_verdict(input: &Input<'_>, kind: Kind, same: &dyn Fn(&Value) -> bool) -> Option<Timestamp> {
    let decisions = input.ledger.decisions.iter().filter(|decided| kind.is(&decided.tool));
    decisions
        .filter(|decided| kind.parts(&decided.args).into_iter().any(same))
        .map(|decided| decided.at)
        .max()
}

/// Returns the open proposals of a kind that `same` recognises.
pub fn open<'a>(
    input: &'a Input<'_>,
    kind: Kind,
    same: &dyn Fn(&Value) -> bool,
) -> Vec<&'a OpenProposal> {
    let open = input.ledger.open.iter().filter(|open| kind.is(&open.tool));
    open.filter(|open| kind.parts(&open.args).into_iter().any(same)).collect()
}

/// Returns when the person last set a field.
pub fn last_say(input: &Input<'_>, field: impl Into<StatedField>) -> Option<Timestamp> {
    let field = field.into();
    let says = input.state.says.iter().filter(|say| say.field == field && say.by == By::User);
    says.map(|say| say.at).max()
}

/// Returns whether a field may be proposed from an entry made at `at`: the entry must be newer than
/// the person's last setting of the field and than any verdict on a proposal for it.
pub fn allows_field(input: &Input<'_>, field: Field, kind: Kind, at: Timestamp) -> bool {
    let verdict = last_verdict(input, kind, &|_| true);
    last_say(input, field).max(verdict).is_none_or(|last| at > last)
}

/// Returns whether one of several proposals of a kind may be made from an entry made at `at`.
pub fn allows_part(
    input: &Input<'_>,
    kind: Kind,
    at: Timestamp,
    same: &dyn Fn(&Value) -> bool,
) -> bool {
    open(input, kind, same).is_empty() && is_undecided(input, kind, at, same)
}

/// Returns whether no proposal that `same` recognises was decided since an entry made at `at`.
pub fn is_undecided(
    input: &Input<'_>,
    kind: Kind,
    at: Timestamp,
    same: &dyn Fn(&Value) -> bool,
) -> bool {
    last_verdict(input, kind, same).is_none_or(|last| at > last)
}
