//! Timers: due dates that draw near, "wake me at", and sleeping until a time.

use dormouse_types::agent::Initiator;
use std::time::Duration;

use dormouse_journal::{Edit, EditCtx};
use dormouse_runs::End;
use dormouse_store::agent::agent_entity::Automation;
use dormouse_store::agent::timer;
use dormouse_store::agent::wake_queue::Reason;
use dormouse_testkit::ManualClock;
use dormouse_testkit::scripted::Answer;
use dormouse_types::model::{FragmentData, FragmentKind, ModelError};
use dormouse_types::port::Clock as _;
use dormouse_types::{Actor, AgentId, Origin, TaskId, Timestamp};

use crate::world::node::Node;
use crate::world::{DONE, WS, World, me, now};

/// The morning before 4 March, on which the tests set due dates. Tests begin on 2 March.
const MORNING: &str = "2026-03-03T09:00:00Z";

fn time(text: &str) -> Timestamp {
    ManualClock::at(text).now()
}

fn due(day: &str) -> Edit {
    Edit::DueOn(Some(day.parse().expect("a day")))
}

fn wake_at(world: &World, agent: &AgentId, at: Option<&str>) {
    now(world.agents.wake_at(WS, agent, at.map(time), &me())).expect("set");
}

fn sleep_until(world: &World, agent: &AgentId, until: Option<&str>) {
    now(world.agents.sleep_until(WS, agent, until.map(time), &me())).expect("set");
}

/// The timers in the last request to the model, as `kind about`.
fn fired_timers(world: &World) -> Vec<String> {
    let request = world.last_request();
    let delta = request.fragments.iter().find(|piece| piece.kind == FragmentKind::Delta);
    let Some(FragmentData::Delta(delta)) = delta.map(|piece| &piece.data) else {
        panic!("a delta")
    };
    let note_text = |note: &dormouse_types::model::TimerNote| {
        format!("{} {}", note.kind, note.about.as_deref().unwrap_or_default()).trim().to_owned()
    };
    delta.timers.iter().map(note_text).collect()
}

fn timers(world: &World, agent: &AgentId) -> Vec<(timer::Kind, Timestamp)> {
    let all = now(world.store.all(timer::of_holder(WS, agent))).expect("timers");
    all.into_iter().map(|timer| (timer.kind, timer.at)).collect()
}

/// A node whose agent has seen these edits.
fn after(edits: &[Edit]) -> (World, TaskId, AgentId, Node) {
    let (world, task, agent) = World::settled();
    let mut node = world.serve();
    world.answers(1);
    world.edit_task(&task, edits);
    node.pass_seconds(2);
    assert_eq!(node.ran(), [(agent.clone(), DONE)]);
    (world, task, agent, node)
}

#[test]
fn a_due_date_of_tomorrow_wakes_once_on_the_morning_before() {
    let (world, _, agent, mut node) = after(&[due("2026-03-04")]);
    node.jump_to("2026-03-03T08:59:59Z");
    assert_eq!(node.ran(), []);
    world.answers(1);
    node.pass_seconds(1);
    assert_eq!(node.ran(), [(agent.clone(), DONE)]);
    assert_eq!(fired_timers(&world), ["dueDate 2026-03-04"]);
    assert_eq!(world.runs(&agent)[0].reason, Reason::Timer);
    assert_eq!(timers(&world, &agent), [], "it was seen");
    for day in ["2026-03-03T12:00:00Z", "2026-03-04T09:00:00Z", "2026-03-05T09:00:00Z"] {
        node.jump_to(day);
        assert_eq!(node.ran(), [], "{day}");
    }
}

#[test]
fn a_due_date_that_a_new_agent_finds_wakes_it_as_well() {
    let world = World::new();
    let task = world.task("Move", &["It began."]);
    world.edit_task(&task, &[due("2026-03-04")]);
    let agent = world.create(&task);
    world.answers(2);
    let mut node = world.serve();
    assert_eq!(node.ran(), [(agent.clone(), DONE)]);
    node.jump_to(MORNING);
    assert_eq!(node.ran(), [(agent, DONE)]);
    assert_eq!(fired_timers(&world), ["dueDate 2026-03-04"]);
}

#[test]
fn a_timer_that_came_due_while_nothing_ran_fires_once_at_the_start() {
    let (world, _, agent, node) = after(&[due("2026-03-04")]);
    drop(node);
    world.clock.set(time("2026-03-03T15:00:00Z"));
    world.answers(1);
    let mut node = world.serve();
    assert_eq!(node.ran(), [(agent, DONE)]);
    assert_eq!(fired_timers(&world), ["dueDate 2026-03-04"]);
    node.pass_seconds(3600);
    drop(node);
    assert_eq!(world.serve().ran(), [], "not at every start");
}

#[test]
fn a_due_date_that_moved_wakes_for_the_new_day_only() {
    let (world, task, agent, mut node) = after(&[due("2026-03-04")]);
    world.answers(1);
    world.edit_task(&task, &[due("2026-03-06")]);
    node.pass_seconds(2);
    assert_eq!(node.ran().len(), 1);
    node.jump_to("2026-03-04T12:00:00Z");
    assert_eq!(node.ran(), []);
    world.answers(1);
    node.jump_to("2026-03-05T09:00:00Z");
    assert_eq!(node.ran(), [(agent, DONE)]);
    assert_eq!(fired_timers(&world), ["dueDate 2026-03-06"]);
}

/// A person confirms a proposal of the agent: it is not woken by it, and still wakes in time.
#[test]
fn a_due_date_that_the_agent_proposed_moves_its_timer_without_waking_it() {
    let (world, task, agent, mut node) = after(&[due("2026-03-10")]);
    let via = EditCtx::new(Origin::Person { via: Some(agent.clone().into()) }, Actor::Owner);
    now(world.journal.edit(WS, &task, &[due("2026-03-04")], &via)).expect("confirmed");
    node.pass_seconds(60);
    assert_eq!(node.ran(), [], "what it proposed is no news to it");
    assert_eq!(timers(&world, &agent), [(timer::Kind::DueDate, time(MORNING))]);
}

#[test]
fn a_due_date_that_was_cleared_or_is_over_wakes_nobody() {
    for edit in [Edit::DueOn(None), due("2026-03-01"), due("2026-03-02")] {
        let (world, task, agent, mut node) = after(&[due("2026-03-04")]);
        world.answers(1);
        world.edit_task(&task, &[edit]);
        node.pass_seconds(2);
        assert_eq!(node.ran().len(), 1);
        assert_eq!(timers(&world, &agent), []);
        node.jump_to("2026-03-03T12:00:00Z");
        node.jump_to("2026-03-06T12:00:00Z");
        assert_eq!(node.ran(), []);
    }
}

#[test]
fn an_agent_wakes_at_the_time_a_person_set_and_not_when_it_was_cleared() {
    let (world, _, agent) = World::settled();
    let mut node = world.serve();
    wake_at(&world, &agent, Some("2026-03-02T12:00:00Z"));
    wake_at(&world, &agent, Some("2026-03-02T11:00:00Z"));
    node.jump_to("2026-03-02T10:59:59Z");
    assert_eq!(node.ran(), []);
    world.answers(1);
    node.pass_seconds(1);
    assert_eq!(node.ran(), [(agent.clone(), DONE)]);
    assert_eq!(fired_timers(&world), ["wakeAt"]);
    node.jump_to("2026-03-02T13:00:00Z");
    assert_eq!(node.ran(), [], "the first time was replaced");
    wake_at(&world, &agent, Some("2026-03-02T14:00:00Z"));
    wake_at(&world, &agent, None);
    node.jump_to("2026-03-02T15:00:00Z");
    assert_eq!(node.ran(), []);
}

#[test]
fn a_time_that_a_person_set_wakes_an_agent_that_wakes_for_nothing_else() {
    let (world, task, agent) = World::settled();
    let mut node = world.serve();
    world.set_automation(&agent, Automation::Off);
    wake_at(&world, &agent, Some("2026-03-04T10:00:00Z"));
    world.note_now(&task, "The van is booked.");
    world.answers(1);
    node.pass(Duration::from_secs(3 * 24 * 3600));
    assert_eq!(node.ran(), [(agent.clone(), DONE)]);
    assert_eq!(world.runs(&agent)[0].initiator, Initiator::Person);
}

#[test]
fn a_timer_of_a_paused_agent_waits_until_it_is_resumed() {
    let (world, _, agent, mut node) = after(&[due("2026-03-04")]);
    world.pause(&agent);
    node.jump_to("2026-03-03T12:00:00Z");
    assert_eq!(node.ran(), []);
    world.answers(1);
    world.resume(&agent);
    node.pass_seconds(1);
    assert_eq!(node.ran(), [(agent, DONE)]);
    assert_eq!(fired_timers(&world), ["dueDate 2026-03-04"]);
}

#[test]
fn the_timers_of_a_destroyed_agent_are_gone() {
    let (world, _, agent, mut node) = after(&[due("2026-03-04")]);
    wake_at(&world, &agent, Some("2026-03-02T12:00:00Z"));
    assert_eq!(timers(&world, &agent).len(), 2);
    now(world.agents.destroy(WS, &agent, &me())).expect("destroyed");
    assert_eq!(timers(&world, &agent), []);
    node.jump_to("2026-03-03T12:00:00Z");
    assert_eq!((node.ran(), world.row(&agent).due_at), (vec![], None));
}

#[test]
fn a_run_that_fails_keeps_what_had_fired_for_its_later_try() {
    let (world, _, agent, mut node) = after(&[due("2026-03-04")]);
    world.script.push(Answer::Fails(ModelError::Request { detail: "too long".into() }));
    node.jump_to(MORNING);
    assert!(matches!(&node.ran()[..], [(_, End::Failed { .. })]));
    world.answers(1);
    node.pass_seconds(60);
    assert_eq!(node.ran(), [(agent.clone(), DONE)]);
    assert_eq!(fired_timers(&world), ["dueDate 2026-03-04"]);
    assert_eq!(timers(&world, &agent), []);
}

#[test]
fn a_timer_that_fires_during_a_run_is_seen_by_the_next_one() {
    let (world, task, agent) = World::settled();
    let mut node = world.serve();
    wake_at(&world, &agent, Some("2026-03-02T10:00:00Z"));
    node.jump_to("2026-03-02T09:59:50Z");
    world.answers(2);
    world.model.close();
    world.note_now(&task, "The van is booked.");
    node.pass_seconds(30);
    assert_eq!(fired_timers(&world), Vec::<String>::new(), "the model was not called yet");
    world.model.open();
    node.settle();
    assert_eq!(node.ran(), [(agent.clone(), DONE), (agent, DONE)]);
    assert_eq!(fired_timers(&world), ["wakeAt"]);
}

#[test]
fn sleeping_until_a_time_holds_changes_and_timers_back_and_no_person() {
    let (world, task, agent) = World::settled();
    let mut node = world.serve();
    world.note_now(&task, "Before.");
    node.settle();
    sleep_until(&world, &agent, Some("2026-03-02T18:00:00Z"));
    wake_at(&world, &agent, Some("2026-03-02T12:00:00Z"));
    world.note_now(&task, "After.");
    node.jump_to("2026-03-02T17:59:59Z");
    assert_eq!(node.ran(), []);
    world.answers(1);
    node.pass_seconds(1);
    assert_eq!(node.ran(), [(agent.clone(), DONE)], "everything in one wake");
    let delta = world.last_delta();
    assert!(delta.contains("Before.") && delta.contains("After."), "{delta}");
    assert_eq!(fired_timers(&world), ["wakeAt"]);

    sleep_until(&world, &agent, Some("2026-03-03T18:00:00Z"));
    world.note_now(&task, "Later.");
    node.pass_seconds(60);
    assert_eq!(node.ran(), []);
    world.answers(1);
    world.wake_now(&agent, None);
    node.settle();
    assert_eq!(node.ran(), [(agent.clone(), DONE)], "a person is not held back");
    assert!(world.last_delta().contains("Later."));
    node.jump_to("2026-03-03T19:00:00Z");
    assert_eq!(node.ran(), [], "the person's wake saw it all");
}

#[test]
fn who_is_let_sleep_no_longer_runs_what_waited() {
    let (world, task, agent) = World::settled();
    let mut node = world.serve();
    sleep_until(&world, &agent, Some("2026-03-09T18:00:00Z"));
    world.note_now(&task, "The van is booked.");
    node.pass_seconds(600);
    assert_eq!(node.ran(), []);
    world.answers(1);
    sleep_until(&world, &agent, None);
    node.pass_seconds(2);
    assert_eq!(node.ran(), [(agent, DONE)]);
}
