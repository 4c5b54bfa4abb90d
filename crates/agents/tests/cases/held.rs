//! What was put off stays put off when a command runs agents: it runs what is due, what only waits
//! for a merge window, and what a person asks for.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use dormouse_agents::wake::waiting::Scope;
use dormouse_runs::{End, Stop};
use dormouse_store::agent::agent_entity::Automation;
use dormouse_store::agent::wake_queue::{QueueEntry, Reason};
use dormouse_store::agent::wake_run::Status;
use dormouse_testkit::ManualClock;
use dormouse_testkit::scripted::Answer;
use dormouse_types::model::ModelError;
use dormouse_types::port::Clock as _;
use dormouse_types::{AgentId, TaskId, Timestamp};
use futures_util::future::FutureExt as _;

use crate::world::{DONE, WS, World, me, now};

const TOMORROW: &str = "2026-03-03T18:00:00Z";

fn time(text: &str) -> Timestamp {
    ManualClock::at(text).now()
}

fn sleep_until(world: &World, agent: &AgentId, until: Option<&str>) {
    now(world.agents.sleep_until(WS, agent, until.map(time), &me())).expect("set");
}

/// Runs what a command about the task would run, then what `agent wake --due` would run.
fn drained(world: &World, task: &TaskId) -> Vec<End> {
    let mut ends = world.ends(task);
    ends.extend(world.drain_due().into_iter().map(|ran| ran.end));
    ends
}

/// Stops once the flag is true.
fn stopping_when(must_stop: &Arc<AtomicBool>) -> Stop {
    let must_stop = must_stop.clone();
    let completes = move |_: &mut Context<'_>| match must_stop.load(Ordering::SeqCst) {
        true => Poll::Ready(()),
        false => Poll::Pending,
    };
    poll_fn(completes).boxed().shared()
}

/// A world whose agent failed once, and the end of its back-off.
fn backing_off() -> (World, TaskId, AgentId, Timestamp) {
    let (world, task, agent) = World::settled();
    world.script.push(Answer::Fails(ModelError::Request { detail: "too long".into() }));
    world.note_now(&task, "The van is booked.");
    assert!(matches!(world.ends(&task)[..], [End::Failed { .. }]));
    let until = world.row(&agent).due_at.expect("a later try");
    assert_eq!(world.agent_state(&agent).next_wake_at, Some(until));
    (world, task, agent, until)
}

#[test]
fn a_command_runs_nothing_before_the_end_of_a_sleep() {
    let (world, task, agent) = World::settled();
    sleep_until(&world, &agent, Some(TOMORROW));
    world.note(&task, "The van is booked.");
    assert_eq!(drained(&world, &task), []);
    assert_eq!(world.row(&agent).due_at, Some(time(TOMORROW)));
    world.clock.set(time("2026-03-03T17:59:59Z"));
    assert_eq!(drained(&world, &task), [], "a second is left, which is no merge window");
    world.clock.set(time(TOMORROW));
    world.answers(1);
    assert_eq!(drained(&world, &task), [DONE]);
}

#[test]
fn a_timer_that_fires_during_a_sleep_waits_for_its_end() {
    let (world, task, agent) = World::settled();
    sleep_until(&world, &agent, Some(TOMORROW));
    now(world.agents.wake_at(WS, &agent, Some(time("2026-03-02T12:00:00Z")), &me())).expect("set");
    world.clock.set(time("2026-03-02T13:00:00Z"));
    assert_eq!(drained(&world, &task), []);
    world.clock.set(time(TOMORROW));
    world.answers(1);
    assert_eq!(drained(&world, &task), [DONE]);
}

#[test]
fn a_change_that_joins_a_back_off_does_not_shorten_it() {
    let (world, task, agent, until) = backing_off();
    world.note_now(&task, "And paid for.");
    assert_eq!(drained(&world, &task), []);
    let row = world.row(&agent);
    assert_eq!((row.due_at, row.reasons), (Some(until), vec![Reason::Subscription, Reason::Timer]));
    world.clock.set(until);
    world.answers(1);
    assert_eq!(drained(&world, &task), [DONE]);
}

#[test]
fn a_wake_that_is_set_for_later_is_not_run_by_a_command() {
    let (world, task, agent) = World::settled();
    now(world.agents.wake_at(WS, &agent, Some(time(TOMORROW)), &me())).expect("set");
    assert_eq!(drained(&world, &task), []);
    world.clock.set(time(TOMORROW));
    world.answers(1);
    assert_eq!(drained(&world, &task), [DONE]);
}

#[test]
fn who_is_paused_or_opted_out_is_not_run_by_a_command() {
    let (world, task, agent) = World::settled();
    world.note_now(&task, "Before.");
    world.route();
    world.pause(&agent);
    world.note_now(&task, "The van is booked.");
    assert_eq!(drained(&world, &task), []);
    world.resume(&agent);
    world.set_automation(&agent, Automation::Off);
    world.note_now(&task, "And paid for.");
    assert_eq!(drained(&world, &task), []);
    world.set_automation(&agent, Automation::On);
    world.answers(1);
    assert_eq!(drained(&world, &task), [DONE], "who opts in catches up at once");
}

#[test]
fn who_is_resumed_after_a_failure_tries_again_at_once() {
    let (world, task, agent, _) = backing_off();
    world.pause(&agent);
    assert_eq!(drained(&world, &task), []);
    world.resume(&agent);
    world.answers(1);
    assert_eq!(drained(&world, &task), [DONE]);
}

#[test]
fn a_person_is_held_back_by_neither() {
    let (world, task, agent, _) = backing_off();
    sleep_until(&world, &agent, Some(TOMORROW));
    assert_eq!(drained(&world, &task), []);
    world.wake_now(&agent, Some("Look again."));
    world.answers(1);
    assert_eq!(drained(&world, &task), [DONE]);
}

#[test]
fn the_first_words_of_an_old_task_are_no_wake_that_was_put_off() {
    let world = World::new();
    let task = world.task("Move to the new flat", &[]);
    let agent = world.try_create(&task, false).expect("an agent");
    assert_eq!(drained(&world, &task), []);
    world.later(3600);
    world.note_now(&task, "We signed the contract.");
    world.answers(1);
    assert_eq!(drained(&world, &task), [DONE]);
    assert_eq!(world.row(&agent).due_at, None);
}

#[test]
fn the_end_of_a_sleep_is_not_the_end_of_a_back_off() {
    let (world, task, agent, until) = backing_off();
    sleep_until(&world, &agent, Some(TOMORROW));
    world.note_now(&task, "And paid for.");
    assert_eq!(drained(&world, &task), []);
    assert_eq!(world.row(&agent).due_at, Some(time(TOMORROW)));
    sleep_until(&world, &agent, None);
    assert_eq!(world.row(&agent).due_at, Some(until));
    assert_eq!(drained(&world, &task), []);
    world.clock.set(until);
    world.answers(1);
    assert_eq!(drained(&world, &task), [DONE]);
}

#[test]
fn a_back_off_that_no_sleep_put_off_stays_when_a_sleep_is_cleared() {
    let (world, _, agent, until) = backing_off();
    sleep_until(&world, &agent, None);
    assert_eq!(world.row(&agent).due_at, Some(until));
}

#[test]
fn a_shorter_sleep_holds_changes_back_for_the_shorter_time() {
    let (world, task, agent) = World::settled();
    sleep_until(&world, &agent, Some(TOMORROW));
    world.note_now(&task, "The van is booked.");
    assert_eq!(drained(&world, &task), []);
    sleep_until(&world, &agent, Some("2026-03-02T18:00:00Z"));
    assert_eq!(world.row(&agent).due_at, Some(time("2026-03-02T18:00:00Z")));
    sleep_until(&world, &agent, None);
    world.answers(1);
    assert_eq!(drained(&world, &task), [DONE], "what only the sleep held back runs at once");
}

#[test]
fn the_interrupted_run_of_a_person_keeps_its_place_before_all_others() {
    let (world, task, agent) = World::settled();
    world.wake_now(&agent, Some("Look again."));
    let lease = world.claim(&agent);
    assert_eq!(lease.run.reason, Reason::UserInitiated);
    world.note_now(&task, "The van is booked.");
    world.route();
    world.take_over();
    let row = world.row(&agent);
    assert_eq!((row.priority, row.reasons), (0, vec![Reason::Subscription]));
    world.answers(2);
    assert_eq!(drained(&world, &task), [DONE, DONE]);

    // The change pending after it is unaffected.
    world.wake_now(&agent, Some("And again."));
    let lease = world.claim(&agent);
    world.note_now(&task, "And paid for.");
    world.route();
    world.answers(1);
    world.run_lease(lease);
    assert_eq!(world.row(&agent).priority, Reason::Subscription.priority());
}

#[test]
fn a_sleep_that_began_during_a_persons_run_holds_back_what_came_meanwhile() {
    let (world, task, agent) = World::settled();
    world.wake_now(&agent, None);
    let lease = world.claim(&agent);
    world.note_now(&task, "The van is booked.");
    world.route();
    sleep_until(&world, &agent, Some(TOMORROW));
    let stopped =
        world.agents.scheduler().stopping_on(stopping_when(&Arc::new(AtomicBool::new(true))));
    let ran = now(stopped.run_alive(lease)).expect("a run");
    assert!(matches!(ran.end, End::Requeued { .. }), "{ran:?}");
    world.answers(1);
    assert_eq!(drained(&world, &task), [DONE], "the person's run goes on, and no other begins");
    assert_eq!(world.row(&agent).due_at, Some(time(TOMORROW)));
}

#[test]
fn a_drain_that_is_stopped_requeues_its_run_and_begins_no_other() {
    let (world, task, agent) = World::settled();
    let (second, other) = world.another("Paint the fence");
    for _ in 0..3 {
        world.note_now(&task, "The van is booked.");
        world.note_now(&second, "Two coats.");
        world.model.close();
        let must_stop = Arc::new(AtomicBool::new(false));
        let agents = world.agents.scheduler().stopping_on(stopping_when(&must_stop));
        let scope = Scope { tasks: vec![task.clone(), second.clone()], ..Scope::default() };
        let mut ends = Vec::new();
        let mut drain =
            crate::world::drain(&world.agents, &agents, &scope, |ran| ends.push(ran.end))
                .boxed_local();
        assert!((&mut drain).now_or_never().is_none(), "the model does not answer");
        must_stop.store(true, Ordering::SeqCst);
        drain.now_or_never().expect("it ends").expect("a drain");
        assert!(matches!(ends[..], [End::Requeued { .. }]), "{ends:?}");
        world.model.open();
        let rows: Vec<QueueEntry> = vec![world.row(&agent), world.row(&other)];
        assert!(rows.iter().all(|row| row.owner.is_none() && row.crashes == 0), "{rows:?}");
        assert_eq!(world.take_over(), Vec::<String>::new());
    }
    let runs: Vec<_> = [&agent, &other].into_iter().flat_map(|who| world.runs(who)).collect();
    let waits: Vec<_> = runs.iter().filter(|run| run.status == Status::Queued).collect();
    assert_eq!(waits.len(), 1, "{runs:?}");
    world.answers(3);
    let scope = Scope { tasks: vec![task, second], ..Scope::default() };
    let ends = world.drain_scope(&scope).expect("a drain").into_iter().map(|ran| ran.end);
    // The run that was put back, the wake that came after it, and the other agent.
    assert_eq!(ends.collect::<Vec<_>>(), [DONE, DONE, DONE]);
}
