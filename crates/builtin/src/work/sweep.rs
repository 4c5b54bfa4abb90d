//! Proposes to put off what nobody touched, with the day of the last change as evidence.

use dormouse_types::task::{Priority, Status};
use dormouse_types::verdict::Verdict;
use dormouse_types::work_facts::{TaskFacts, WorkspaceFacts};
use dormouse_types::work_kind::Sweep;
use dormouse_types::work_outcome::{
    BuiltInOutcome, NothingReason, ProposedCall, ResultList, WorkEvidence, WorkProposals,
};
use serde_json::json;

use super::page::{Page, about};
use super::select::fitting;
use super::wording::{Wording, fill};
use crate::lang::work::Say;
use crate::propose::ledger::STATUS;

pub(super) fn run(facts: &WorkspaceFacts, wanted: &Sweep, say: &'static Say) -> BuiltInOutcome {
    let words = Wording { say, today: facts.today };
    let is_stale = |task: &&TaskFacts| {
        matches!(task.status, Status::Open | Status::Groomed | Status::InProgress)
            // What is urgent is for the person to judge.
            && !matches!(task.priority, Some(Priority::P0 | Priority::P1))
            && words.days_since(task.changed_on) >= i64::from(wanted.untouched_days)
            // A day that is still to come is a plan, and one that has just passed is late, not forgotten.
            && task.due_on.is_none_or(|due| {
                words.days_since(due) >= i64::from(wanted.untouched_days)
            })
    };
    let mut stale: Vec<&TaskFacts> =
        fitting(facts, &wanted.only).into_iter().filter(is_stale).collect();
    let is_there = !stale.is_empty();
    let is_proposed = |task: &TaskFacts| task.open_proposals.iter().any(|tool| STATUS.is(tool));
    let n_proposed = stale.iter().filter(|task| is_proposed(task)).count();
    stale.retain(|task| !is_proposed(task) && !is_refused(task, facts));
    // What an earlier run proposed waits as well.
    let most = usize::from(wanted.most.max(1)).saturating_sub(n_proposed);
    if stale.is_empty() || most == 0 {
        let why = match (is_there, n_proposed) {
            (false, _) => NothingReason::NothingThere,
            (true, 0) => NothingReason::NothingNew,
            (true, _) => NothingReason::StillProposed,
        };
        return BuiltInOutcome::Nothing { why };
    }
    // The longest untouched first, and of those the longest overdue, then the oldest.
    stale.sort_by_cached_key(|task| {
        let is_never_due = task.due_on.is_none();
        let of_task = (task.created_on, task.title.clone(), task.id.clone());
        (task.changed_on, is_never_due, task.due_on, of_task)
    });
    let evidence = |task: &TaskFacts| {
        let day = words.dated(task.changed_on);
        let days = words.since(task.changed_on);
        let text = fill(say.sweep.reason, &[("day", &day), ("days", &days)]);
        WorkEvidence { on: task.changed_on, text }
    };
    let calls = stale.iter().take(most).map(|task| {
        let evidence = evidence(task);
        ProposedCall {
            task: task.id.clone(),
            tool: STATUS.call.to_owned(),
            args: json!({ "status": Status::OnHold.name(), "reason": evidence.text }),
            evidence,
        }
    });
    let calls: Vec<ProposedCall> = calls.collect();
    let mut page = Page::new(words);
    let days = words.days(wanted.untouched_days.into());
    let title = fill(&say.sweep.title.of(stale.len()), &[("days", &days)]);
    let lines = stale.iter().map(|task| {
        let day = words.short_day(task.changed_on);
        about(task, vec![day, words.distance(task.changed_on)], words)
    });
    // Exactly those that are proposed have a line.
    let lines = lines.collect();
    page.add_exactly(ResultList::Stale, say.sweep.heading.to_owned(), lines, most);
    BuiltInOutcome::Proposals(WorkProposals {
        text: page.finish(title),
        calls,
        new_tasks: Vec::new(),
        by_rule: false,
    })
}

/// Whether the person said no, or took it back, since the task was last changed: then asking again is
/// nagging.
fn is_refused(task: &TaskFacts, facts: &WorkspaceFacts) -> bool {
    facts.verdicts.iter().any(|verdict| {
        verdict.is_own
            && verdict.task == task.id
            && matches!(verdict.verdict, Verdict::Reject | Verdict::Undo | Verdict::Defer)
            && verdict.on >= task.changed_on
    })
}
