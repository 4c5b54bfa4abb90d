//! What a person deletes while a run is under way is not sent once more.

use dormouse_journal::Edit;
use dormouse_runs::End;
use dormouse_scheduler::FinishedRun;
use dormouse_store::agent::agent_entity::{DormantReason, Lifecycle};
use dormouse_store::agent::wake_run::Status;
use dormouse_testkit::scripted::Answer;
use dormouse_types::EntryId;
use dormouse_types::port::Stage;

use super::privacy::Case;
use crate::world::{DONE, WS, now, person, routine_report};

const SECRET: &str = "The doctor said SECRET.";

/// What a person does while a run is under way, right before the commit with this label.
fn meanwhile(case: &Case, label: &'static str, edit: Edit) {
    let (journal, task) = (case.world.journal.clone(), case.task.clone());
    case.world.hooks.once(Stage::BeforeCommit, label, move || {
        now(journal.edit(WS, &task, &[edit], &person())).expect("deleted");
    });
}

/// Runs the agent with the model of somebody else.
fn run(case: &Case) -> FinishedRun {
    let scheduler = case.agents.scheduler();
    let lease = now(scheduler.claim(WS, &case.world.row(&case.agent))).expect("a claim");
    now(scheduler.run_alive(lease.expect("a lease"))).expect("it ran")
}

fn woken(answers: impl IntoIterator<Item = Answer>) -> (Case, EntryId) {
    let case = Case::new();
    let entry = case.add(SECRET);
    case.choose(&case.far);
    answers.into_iter().for_each(|answer| case.far.script.push(answer));
    case.world.wake_now(&case.agent, None);
    (case, entry)
}

fn sent(case: &Case) -> Vec<String> {
    std::mem::take(&mut *case.far.sent.lock().expect("one thread"))
}

#[test]
fn a_run_ends_with_what_it_has_when_its_task_is_deleted() {
    let (case, _) = woken([routine_report().and_goes_on()]);
    meanwhile(&case, "run.turn", Edit::Delete);
    assert_eq!(run(&case).end, DONE);
    assert_eq!(sent(&case).len(), 1, "the second turn is not sent");
    let last = case.last().run;
    assert_eq!((last.status, last.cut), (Status::Completed, false));
    let why = last.error.expect("a reason");
    assert!(why.contains("task was deleted") && why.contains("acme/large"), "{why}");
    let agent = case.world.agent_row(&case.agent);
    let asleep = (Lifecycle::Dormant, Some(DormantReason::TaskDeleted));
    assert_eq!((agent.lifecycle, agent.dormant_reason), asleep);
}

#[test]
fn nothing_is_sent_of_a_task_that_is_deleted_right_before_the_call() {
    let (case, _) = woken([]);
    meanwhile(&case, "run.request", Edit::Delete);
    assert_eq!(run(&case).end, End::Skipped);
    assert_eq!(sent(&case), Vec::<String>::new());
    let last = case.last().run;
    assert_eq!(last.status, Status::Skipped);
    let why = last.error.expect("a reason");
    assert!(why.contains("task was deleted before acme/large was asked"), "{why}");
}

#[test]
fn an_entry_that_is_deleted_right_before_the_call_is_not_in_it() {
    let (case, entry) = woken([routine_report()]);
    meanwhile(&case, "run.request", Edit::DeleteEntry(entry));
    assert!(matches!(run(&case).end, End::Requeued { .. }));
    assert_eq!(sent(&case), Vec::<String>::new());
    assert_eq!(run(&case).end, DONE);
    let sent = sent(&case);
    assert!(sent.len() == 1 && !sent[0].contains(SECRET), "{sent:?}");
}
