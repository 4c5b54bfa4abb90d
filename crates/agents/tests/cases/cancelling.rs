//! Cancelling a pending wake: nothing brings it back.

use std::time::Duration;

use dormouse_agents::AgentError;
use dormouse_testkit::scripted::Answer;
use dormouse_types::AgentId;
use dormouse_types::model::{ModelError, ProviderUnavailable};
use dormouse_types::port::Stage;

use crate::world::node::{Node, NodeEvent};
use crate::world::{DONE, WS, World, me, now};

fn cancel(world: &World, agent: &AgentId) -> Result<bool, AgentError> {
    now(world.agents.cancel(WS, agent, &me())).map(|cancelled| cancelled.is_done)
}

/// Checks that nothing of the wake is left, that nothing has run a day later, and that a change
/// wakes the agent as usual afterwards.
#[track_caller]
fn check_gone(world: &World, mut node: Node, task: &dormouse_types::TaskId, agent: &AgentId) {
    let row = world.row(agent);
    assert_eq!(
        (row.due_at, row.run_key.clone(), row.owner.clone(), row.crashes),
        (None, None, None, 0)
    );
    assert_eq!((row.request_id, row.first_signal_at), (None, None));
    node.take();
    let asks = world.model.asks();
    node.pass_seconds(7200);
    node.pass(Duration::ZERO);
    drop(node);
    let mut node = world.serve();
    assert_eq!((node.ran(), world.model.asks()), (vec![], asks), "not after a start either");
    assert!(world.runs(agent).iter().all(|run| run.status.name() != "queued"));
    world.answers(1);
    world.note_now(task, "The next change.");
    node.pass_seconds(2);
    assert_eq!(node.ran(), [(agent.clone(), DONE)]);
    let delta = world.last_delta();
    assert!(delta.contains("The next change.") && delta.contains("Unseen."), "{delta}");
}

#[test]
fn a_wake_that_waits_for_its_window_is_cancelled() {
    let (world, task, agent) = World::settled();
    let mut node = world.serve();
    world.note_now(&task, "Unseen.");
    node.settle();
    assert_eq!(cancel(&world, &agent).ok(), Some(true));
    assert_eq!(cancel(&world, &agent).ok(), Some(false), "there is nothing left to cancel");
    check_gone(&world, node, &task, &agent);
}

#[test]
fn a_later_try_is_cancelled() {
    let (world, task, agent) = World::settled();
    let mut node = world.serve();
    world.script.push(Answer::Fails(ModelError::Request { detail: "too long".into() }));
    world.note_now(&task, "Unseen.");
    node.pass_seconds(2);
    assert!(world.row(&agent).due_at.is_some());
    assert_eq!(cancel(&world, &agent).ok(), Some(true));
    check_gone(&world, node, &task, &agent);
}

#[test]
fn a_run_that_waits_to_be_resumed_is_cancelled() {
    let (world, task, agent) = World::settled();
    let mut node = world.serve();
    world.model.goes_away(ProviderUnavailable::Outage);
    world.note_now(&task, "Unseen.");
    node.pass_seconds(2);
    let run = world.runs(&agent).remove(0);
    assert_eq!(run.status.name(), "queued");
    assert_eq!(cancel(&world, &agent).ok(), Some(true));
    let run = world.runs(&agent).into_iter().find(|known| known.key == run.key).expect("the run");
    assert_eq!(run.status.name(), "abandoned");
    assert_eq!(run.error.as_deref(), Some("cancelled by a person"));
    world.model.comes_back();
    check_gone(&world, node, &task, &agent);
}

#[test]
fn a_run_at_work_is_not_cancelled_and_the_answer_says_what_to_do() {
    let (world, task, agent) = World::settled();
    let mut node = world.serve();
    world.answers(1);
    world.model.close();
    world.note_now(&task, "The van is booked.");
    node.pass_seconds(2);
    let error = cancel(&world, &agent).expect_err("it is at work").to_string();
    assert!(error.contains("at work: cancel its run"), "{error}");
    world.model.open();
    node.settle();
    assert_eq!(node.ran(), [(agent, DONE)]);
}

#[test]
fn who_cancels_before_the_claim_is_written_wins() {
    let (world, task, agent) = World::settled();
    let mut node = world.serve();
    let (agents, who) = (world.agents.clone(), agent.clone());
    world.hooks.once(Stage::BeforeCommit, "run.claim", move || {
        assert!(now(agents.cancel(WS, &who, &me())).is_ok_and(|cancelled| cancelled.is_done));
    });
    world.note_now(&task, "Unseen.");
    let asks = world.model.asks();
    node.pass_seconds(2);
    assert!(world.hooks.is_done());
    assert_eq!((node.ran(), world.model.asks()), (vec![], asks));
    check_gone(&world, node, &task, &agent);
}

/// A person cancels around the commit that ends a run or puts it back.
fn cancel_around(label: &'static str, is_away: bool) {
    let (world, task, agent) = World::settled();
    let mut node = world.serve();
    if is_away {
        world.model.goes_away(ProviderUnavailable::Quota);
    } else {
        world.script.push(Answer::Fails(ModelError::Request { detail: "too long".into() }));
    }
    let (agents, who) = (world.agents.clone(), agent.clone());
    world.hooks.once(Stage::BeforeCommit, label, move || {
        let early = now(agents.cancel(WS, &who, &me()));
        assert!(matches!(early, Err(AgentError::State { state: "at work", .. })), "{early:?}");
    });
    let (agents, who) = (world.agents.clone(), agent.clone());
    world.hooks.once(Stage::AfterCommit, label, move || {
        assert!(now(agents.cancel(WS, &who, &me())).is_ok_and(|cancelled| cancelled.is_done));
    });
    world.note_now(&task, "Unseen.");
    node.pass_seconds(2);
    assert!(world.hooks.is_done());
    assert!(matches!(&node.take()[..], [NodeEvent::Ran(..)]));
    world.model.comes_back();
    check_gone(&world, node, &task, &agent);
}

#[test]
fn cancelling_while_a_failed_run_schedules_a_retry_is_refused_or_wins() {
    cancel_around("run.fail", false);
}

#[test]
fn cancelling_while_a_run_is_requeued_is_refused_or_wins() {
    cancel_around("run.putBack", true);
}

#[test]
fn what_a_person_said_goes_with_the_wake_that_is_cancelled() {
    let (world, task, agent) = World::settled();
    world.wake_now(&agent, Some("What about the van?"));
    world.note_now(&task, "Unseen.");
    world.route();
    assert_eq!(cancel(&world, &agent).ok(), Some(true));
    let node = world.serve();
    check_gone(&world, node, &task, &agent);
    let kind = dormouse_types::model::FragmentKind::Message;
    assert_eq!(crate::world::text(&world.last_request(), kind), None);
}
