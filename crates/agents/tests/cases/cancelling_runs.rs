//! Cancelling a run: it ends at once, counts for nothing, and loses nothing.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use dormouse_agents::AgentError;
use dormouse_scheduler::{End, Options};
use dormouse_store::agent::saga::{self, OperationStatus};
use dormouse_store::agent::wake_run::{Run, Status};
use dormouse_testkit::scripted::Answer;
use dormouse_types::model::{FragmentKind, ProviderUnavailable};
use dormouse_types::port::Stage;
use dormouse_types::{AgentId, RunKey, TaskId};
use serde_json::json;

use crate::world::node::NodeEvent;
use crate::world::{DONE, WS, World, me, now, report, text};

fn cancel(world: &World, agent: &AgentId, run: &RunKey) -> Result<(), AgentError> {
    now(world.agents.cancel_run(WS, agent, run, &me()))
}

fn run_of(world: &World, agent: &AgentId, key: &RunKey) -> Run {
    world.runs(agent).into_iter().find(|run| run.key == *key).expect("the run")
}

/// Checks that the run ended as cancelled, that nothing counts, and that the next change wakes the
/// agent, which then sees what the run was to see.
#[track_caller]
fn check_cancelled(world: &World, task: &TaskId, agent: &AgentId, key: &RunKey) {
    let run = run_of(world, agent, key);
    assert_eq!((run.status, run.error.as_deref()), (Status::Failed, Some("cancelled")));
    assert!(run.is_cancelled() && run.completed_at.is_some());
    let row = world.row(agent);
    assert_eq!((row.owner, row.run_key, row.crashes, row.due_at), (None, None, 0, None));
    assert!(row.first_signal_at.is_some(), "it is known that something changed");
    let state = world.agent_state(agent);
    assert_eq!((state.consecutive_failure_count, state.next_wake_at), (0, None));
    assert_eq!(world.content(agent), "Nothing yet.");
    let mut node = world.serve();
    node.pass_seconds(7200);
    let ran = |event: &NodeEvent| matches!(event, NodeEvent::Ran(..));
    // An operation that it left open is finished.
    assert!(!node.take().iter().any(ran), "nothing brings it back");
    world.model.open();
    world.model.comes_back();
    world.answers(1);
    world.note_now(task, "The next change.");
    node.pass_seconds(2);
    assert_eq!(node.ran(), [(agent.clone(), DONE)]);
    let delta = world.last_delta();
    assert!(delta.contains("The next change.") && delta.contains("Unseen."), "{delta}");
}

#[test]
fn a_run_at_work_is_cancelled_and_its_connection_closes_within_a_second() {
    let (world, task, agent) = World::settled();
    let mut node = world.serve();
    world.model.close();
    world.note_now(&task, "Unseen.");
    node.pass_seconds(2);
    assert_eq!(world.model.at_once().0, 1, "it waits for its model");
    let key = world.row(&agent).run_key.expect("a run");
    cancel(&world, &agent, &key).expect("cancelled");
    node.pass_seconds(1);
    assert_eq!(world.model.at_once().0, 0, "nobody waits any more");
    assert_eq!(node.ran(), [(agent.clone(), End::Cancelled)]);
    cancel(&world, &agent, &key).expect("to cancel twice changes nothing");
    assert_eq!(world.hooks.commits("run.cancel"), 1);
    drop(node);
    check_cancelled(&world, &task, &agent, &key);
}

#[test]
fn a_run_on_another_node_is_cancelled_as_well() {
    let (world, task, agent) = World::settled();
    let mut node = world.serve_as(&world.owned_by("other"), Options::default());
    world.model.close();
    world.note_now(&task, "Unseen.");
    node.pass_seconds(2);
    let row = world.row(&agent);
    assert_eq!(row.owner.as_deref(), Some("other"));
    let key = row.run_key.expect("a run");
    cancel(&world, &agent, &key).expect("cancelled");
    node.pass_seconds(1);
    assert_eq!((node.ran(), world.model.at_once().0), (vec![(agent.clone(), End::Cancelled)], 0));
    drop(node);
    check_cancelled(&world, &task, &agent, &key);
}

#[test]
fn a_run_that_waits_to_be_resumed_is_cancelled() {
    let (world, task, agent) = World::settled();
    let mut node = world.serve();
    world.model.goes_away(ProviderUnavailable::Outage);
    world.note_now(&task, "Unseen.");
    node.pass_seconds(2);
    let key = world.row(&agent).run_key.expect("a run");
    assert_eq!(run_of(&world, &agent, &key).status, Status::Queued);
    cancel(&world, &agent, &key).expect("cancelled");
    drop(node);
    check_cancelled(&world, &task, &agent, &key);
}

#[test]
fn what_a_person_said_waits_for_the_next_wake() {
    let (world, task, agent) = World::settled();
    let mut node = world.serve();
    world.model.close();
    world.wake_now(&agent, Some("What about the van?"));
    node.settle();
    let key = world.row(&agent).run_key.expect("a run");
    cancel(&world, &agent, &key).expect("cancelled");
    node.pass_seconds(1);
    assert_eq!(node.ran(), [(agent.clone(), End::Cancelled)]);
    world.model.open();
    world.answers(1);
    world.note_now(&task, "It is here.");
    node.pass_seconds(2);
    assert_eq!(node.ran(), [(agent, DONE)]);
    let said = text(&world.last_request(), FragmentKind::Message).expect("a message");
    assert!(said.contains("What about the van?"), "{said}");
}

/// The interval that the run was to see is the same as before, and with it the cause of its key.
#[test]
fn what_was_cancelled_is_seen_when_the_agent_is_resumed() {
    let (world, task, agent) = World::settled();
    let mut node = world.serve();
    for _ in 0..2 {
        world.model.close();
        world.note_now(&task, "Unseen.");
        node.pass_seconds(2);
        let key = world.row(&agent).run_key.expect("a run");
        cancel(&world, &agent, &key).expect("cancelled");
        node.pass_seconds(1);
        assert_eq!(node.ran(), [(agent.clone(), End::Cancelled)]);
        world.pause(&agent);
        world.resume(&agent);
        node.pass_seconds(2);
        let again = world.row(&agent).run_key.expect("another run");
        assert_ne!(again, key);
        cancel(&world, &agent, &again).expect("cancelled");
        node.pass_seconds(1);
        assert_eq!(node.ran(), [(agent.clone(), End::Cancelled)]);
    }
    world.model.open();
    world.answers(1);
    world.pause(&agent);
    world.resume(&agent);
    node.pass_seconds(2);
    assert_eq!(node.ran(), [(agent, DONE)]);
    assert!(world.last_delta().contains("Unseen."));
}

#[test]
fn changes_that_came_during_the_run_wake_the_agent_in_their_own_time() {
    let (world, task, agent) = World::settled();
    let mut node = world.serve();
    world.model.close();
    world.note_now(&task, "Unseen.");
    node.pass_seconds(2);
    let key = world.row(&agent).run_key.expect("a run");
    world.note_now(&task, "Meanwhile.");
    node.settle();
    cancel(&world, &agent, &key).expect("cancelled");
    node.pass(Duration::from_millis(300));
    assert_eq!(node.ran(), [(agent.clone(), End::Cancelled)]);
    world.model.open();
    world.answers(1);
    node.pass_seconds(2);
    assert_eq!(node.ran(), [(agent, DONE)]);
    let delta = world.last_delta();
    assert!(delta.contains("Unseen.") && delta.contains("Meanwhile."), "{delta}");
}

#[test]
fn a_run_that_has_ended_or_never_was_is_not_cancelled() {
    let (world, _, agent) = World::settled();
    let (_, other) = world.another("Fence");
    let key = world.runs(&agent)[0].key.clone();
    let ended = cancel(&world, &agent, &key);
    assert!(
        matches!(&ended, Err(AgentError::RunEnded { status: Status::Completed, .. })),
        "{ended:?}"
    );
    for (agent, key) in [(&other, key), (&agent, RunKey("0".repeat(64)))] {
        let unknown = cancel(&world, agent, &key);
        assert!(matches!(&unknown, Err(AgentError::NoRun { .. })), "{unknown:?}");
    }
    assert_eq!(world.hooks.commits("run.cancel"), 0);
}

/// A person cancels at a point of a run that edits the journal and reports. Returns the world, its
/// task, its agent and the run, how the run ended and what the person was answered.
fn cancelled_at(
    stage: Stage,
    label: &'static str,
) -> (World, TaskId, AgentId, RunKey, End, Result<(), AgentError>) {
    let (world, task, agent) = World::settled();
    let set = ("set_task_language", json!({ "languageCode": "en", "confidence": "high" }));
    world.script.push(Answer::calls([set, report("Late.", "Too late.")]));
    world.note(&task, "Unseen.");
    world.route();
    let lease = world.claim(&agent);
    let key = lease.run.key.clone();
    let answer = Arc::new(Mutex::new(None));
    let (agents, who, run, said) =
        (world.agents.clone(), agent.clone(), key.clone(), answer.clone());
    world.hooks.once(stage, label, move || {
        *said.lock().expect("one thread") = Some(now(agents.cancel_run(WS, &who, &run, &me())));
    });
    let end = world.run_lease(lease).end;
    let answer = answer.lock().expect("one thread").take();
    (world, task, agent, key, end, answer.expect("the point was passed"))
}

#[test]
fn of_a_cancellation_and_the_last_commit_of_a_run_exactly_one_is_applied() {
    for (stage, label) in [
        (Stage::BeforeCommit, "run.request"),
        (Stage::AfterCommit, "run.request"),
        (Stage::BeforeEffect, "model.ask"),
        (Stage::AfterEffect, "model.ask"),
        (Stage::BeforeCommit, "run.turn"),
        (Stage::AfterCommit, "run.turn"),
        (Stage::BeforeCommit, "run.effect"),
        (Stage::AfterCommit, "run.effect"),
        (Stage::BeforeCommit, "run.final"),
    ] {
        let (world, task, agent, key, end, answer) = cancelled_at(stage, label);
        assert!(answer.is_ok(), "{stage:?} {label}: {answer:?}");
        assert_eq!(end, End::Cancelled, "{stage:?} {label}");
        check_cancelled(&world, &task, &agent, &key);
    }
    let (world, _, agent, key, end, answer) = cancelled_at(Stage::AfterCommit, "run.final");
    assert!(matches!(answer, Err(AgentError::RunEnded { .. })), "{answer:?}");
    assert_eq!((end, run_of(&world, &agent, &key).status), (DONE, Status::Completed));
    assert_eq!(world.content(&agent), "Too late.");
}

#[test]
fn a_cancelled_run_writes_the_journal_no_more_and_its_operation_is_closed() {
    for (stage, language) in [(Stage::BeforeCommit, None), (Stage::AfterCommit, Some("en"))] {
        let (world, task, _, _, end, answer) = cancelled_at(stage, "journal.edit");
        assert!(answer.is_ok() && end == End::Cancelled, "{answer:?} {end:?}");
        assert_eq!(world.task_state(&task).language.as_deref(), language);
        let recovered = now(world.changes.recover_older(WS, Duration::ZERO)).expect("recovered");
        assert_eq!(recovered.len(), 1);
        let status =
            |status| now(world.store.all(saga::by_status(WS, status))).expect("sagas").len();
        let applied = usize::from(language.is_some());
        assert_eq!(status(OperationStatus::Pending), 0);
        assert_eq!(status(OperationStatus::Completed), applied);
        assert_eq!(status(OperationStatus::Failed), 1 - applied);
    }
}

#[test]
fn an_agent_that_is_cancelled_each_time_does_not_become_dormant() {
    let (world, task, agent) = World::settled();
    let mut node = world.serve();
    world.model.close();
    for n in 0..8 {
        world.note_now(&task, &format!("Change {n}."));
        node.pass_seconds(2);
        let key = world.row(&agent).run_key.expect("a run");
        cancel(&world, &agent, &key).expect("cancelled");
        node.pass_seconds(1);
    }
    assert!(node.ran().iter().all(|(_, end)| *end == End::Cancelled));
    assert_eq!(world.agent_row(&agent).lifecycle.name(), "active");
    let away = dormouse_store::agent::breaker::all(WS);
    assert_eq!(now(world.store.all(away)).expect("readable"), []);
}
