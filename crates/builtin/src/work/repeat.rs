//! A checklist that starts over, or a task that is made again, on its day.

use dormouse_types::TaskId;
use dormouse_types::limits;
use dormouse_types::named::Named;
use dormouse_types::work_facts::{ItemFact, TaskFacts, WorkspaceFacts};
use dormouse_types::work_kind::{Repeat, Repeated};
use dormouse_types::work_outcome::{
    BuiltInOutcome, CannotRunReason, FigureList, FigureUnit, NewTask, NothingReason, ProposedCall,
    ResultList, WorkEvidence, WorkLine, WorkProposals,
};
use serde_json::json;

use super::page::{Page, plain};
use super::wording::{Wording, fill};
use crate::lang::work::Say;
use crate::propose::ledger::{COPY_TASK, TICK};
use crate::read::fold::fold;

const MOST: usize = 20;

pub(super) fn run(facts: &WorkspaceFacts, wanted: &Repeat, say: &'static Say) -> BuiltInOutcome {
    let words = Wording { say, today: facts.today };
    let outcome = match &wanted.what {
        Repeated::Reset { task } => reset(facts, task, words),
        Repeated::Copy { task } => copy(facts, task, words),
        Repeated::Make { title } => make(facts, title, words),
    };
    match outcome {
        BuiltInOutcome::Proposals(proposals) => {
            BuiltInOutcome::Proposals(WorkProposals { by_rule: wanted.by_rule, ..proposals })
        }
        other @ (BuiltInOutcome::Nothing { .. }
        | BuiltInOutcome::Text(_)
        | BuiltInOutcome::CannotRun { .. }) => other,
    }
}

fn cannot(why: CannotRunReason, task: &Named<TaskId>, words: Wording) -> BuiltInOutcome {
    BuiltInOutcome::CannotRun { why, subject: words.title(&task.name) }
}

fn nothing(why: NothingReason) -> BuiltInOutcome {
    BuiltInOutcome::Nothing { why }
}

fn reset(facts: &WorkspaceFacts, named: &Named<TaskId>, words: Wording) -> BuiltInOutcome {
    let Some(task) = facts.tasks.iter().find(|task| task.id == named.id) else {
        return cannot(CannotRunReason::TaskGone, named, words);
    };
    if !task.is_open() {
        return cannot(CannotRunReason::TaskClosed, named, words);
    }
    if task.items.is_empty() {
        return cannot(CannotRunReason::NoChecklist, named, words);
    }
    let (ticked, left): (Vec<&ItemFact>, Vec<&ItemFact>) =
        task.items.iter().partition(|item| item.is_checked);
    if ticked.is_empty() {
        return nothing(NothingReason::NothingTicked);
    }
    if task.open_proposals.iter().any(|tool| TICK.is(tool)) {
        return nothing(NothingReason::StillProposed);
    }
    let say = &words.say.repeat;
    let (n, all) = (ticked.len().to_string(), task.items.len().to_string());
    let evidence =
        WorkEvidence { on: facts.today, text: fill(say.evidence, &[("n", &n), ("all", &all)]) };
    let calls = ticked.chunks(limits::ITEMS_PER_CALL.max).map(|items| {
        let items: Vec<_> =
            items.iter().map(|item| json!({ "id": item.id, "isChecked": false })).collect();
        ProposedCall {
            task: task.id.clone(),
            tool: TICK.call.to_owned(),
            args: json!({ "items": items }),
            evidence: evidence.clone(),
        }
    });
    let calls = calls.collect();
    let mut page = Page::new(words);
    for (name, heading, items) in
        [(ResultList::Ticked, say.ticked, ticked), (ResultList::Left, say.left, left)]
    {
        if !items.is_empty() {
            let lines = items.iter().map(|item| plain(words.title(&item.title), String::new()));
            let n = u64::try_from(items.len()).unwrap_or(u64::MAX);
            let list = FigureList::Tasks(vec![task.id.clone()]);
            page.figure(name, n, FigureUnit::Count, list);
            page.lines(name, heading.to_owned(), lines.collect(), MOST);
        }
    }
    let title = fill(say.reset, &[("title", &words.title(&task.title))]);
    BuiltInOutcome::Proposals(WorkProposals {
        text: page.finish(title),
        calls,
        new_tasks: Vec::new(),
        by_rule: false,
    })
}

fn copy(facts: &WorkspaceFacts, named: &Named<TaskId>, words: Wording) -> BuiltInOutcome {
    let Some(task) = facts.tasks.iter().find(|task| task.id == named.id) else {
        return cannot(CannotRunReason::TaskGone, named, words);
    };
    if is_open_already(facts, &task.title, Some(&task.id)) {
        return nothing(NothingReason::StillOpen);
    }
    if task.open_proposals.iter().any(|tool| tool == COPY_TASK) {
        return nothing(NothingReason::StillProposed);
    }
    let new = NewTask {
        title: task.title.clone(),
        due_on: Some(facts.today),
        category: task.category.as_ref().map(|category| category.id.clone()),
        labels: task.labels.iter().map(|label| label.id.clone()).collect(),
        estimate_minutes: task.estimate_minutes,
        items: task.items.iter().map(|item| item.title.clone()).collect(),
        copy_of: Some(task.id.clone()),
    };
    made(new, Some(task), words)
}

fn make(facts: &WorkspaceFacts, title: &str, words: Wording) -> BuiltInOutcome {
    if is_open_already(facts, title, None) {
        return nothing(NothingReason::StillOpen);
    }
    let new = NewTask {
        title: title.trim().to_owned(),
        due_on: Some(facts.today),
        category: None,
        labels: Vec::new(),
        estimate_minutes: None,
        items: Vec::new(),
        copy_of: None,
    };
    made(new, None, words)
}

/// Whether the one of last time is still to be done: a second one would only pile up.
fn is_open_already(facts: &WorkspaceFacts, title: &str, but: Option<&TaskId>) -> bool {
    let title = fold(title);
    facts
        .tasks
        .iter()
        .any(|task| task.is_open() && Some(&task.id) != but && fold(&task.title) == title)
}

fn made(new: NewTask, like: Option<&TaskFacts>, words: Wording) -> BuiltInOutcome {
    let say = &words.say.repeat;
    let mut page = Page::new(words);
    let lines: Vec<WorkLine> =
        new.items.iter().map(|item| plain(words.title(item), String::new())).collect();
    let title = words.title(&new.title);
    if let Some(task) = like.filter(|_| !lines.is_empty()) {
        let n = u64::try_from(lines.len()).unwrap_or(u64::MAX);
        let list = FigureList::Tasks(vec![task.id.clone()]);
        page.figure(ResultList::Items, n, FigureUnit::Count, list);
        page.lines(ResultList::Items, say.items.to_owned(), lines, MOST);
    } else {
        let due = new.due_on.map(|due| words.near_day(due)).unwrap_or_default();
        let detail = fill(say.due, &[("day", &due)]);
        page.lines(
            ResultList::NewTask,
            say.new_task.to_owned(),
            vec![plain(title.clone(), detail)],
            MOST,
        );
    }
    // A second one beside it may be wanted, where the first is kept as a pattern.
    let make = if like.is_some_and(TaskFacts::is_open) { say.make_beside } else { say.make };
    let title = fill(make, &[("title", &title)]);
    BuiltInOutcome::Proposals(WorkProposals {
        text: page.finish(title),
        calls: Vec::new(),
        new_tasks: vec![new],
        by_rule: false,
    })
}
