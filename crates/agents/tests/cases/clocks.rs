//! Clocks that jump, and timing that must not depend on them.

use std::sync::Arc;
use std::time::Duration;

use dormouse_builtin::Builtin;
use dormouse_journal::Edit;
use dormouse_runs::End;
use dormouse_testkit::ManualClock;
use dormouse_testkit::scripted::Answer;
use dormouse_types::model::{ModelError, Request, TurnEvent};
use dormouse_types::port::{BoxStream, Clock as _, Model, ModelClass};
use dormouse_types::{Timestamp, limits};
use futures_util::{StreamExt as _, stream};

use crate::world::{DONE, WS, World, me, now};

const HOUR: u64 = 3600;

fn earlier(at: Timestamp, by: Duration) -> Timestamp {
    Timestamp::from_micros(at.micros() - i64::try_from(by.as_micros()).expect("short"))
}

#[test]
fn a_clock_set_back_an_hour_keeps_nobody_waiting_longer_than_a_sweep() {
    let (world, task, agent) = World::settled();
    let mut node = world.serve();
    world.answers(1);
    world.note_now(&task, "The van is booked.");
    node.settle();
    node.jump(earlier(world.clock.now(), Duration::from_secs(HOUR)));
    node.pass_seconds(31);
    assert_eq!(node.ran(), [(agent.clone(), DONE)]);
    assert_eq!(world.row(&agent).due_at, None);
    // And it continues as usual.
    world.answers(1);
    world.note_now(&task, "The boxes are here.");
    node.pass_seconds(2);
    assert_eq!(node.ran(), [(agent, DONE)]);
}

#[test]
fn a_back_off_that_began_in_the_future_is_over_within_a_sweep() {
    let (world, task, agent) = World::settled();
    let mut node = world.serve();
    world.script.push(Answer::Fails(ModelError::Request { detail: "too long".into() }));
    world.note_now(&task, "The van is booked.");
    node.pass_seconds(2);
    assert!(matches!(&node.ran()[..], [(_, End::Failed { .. })]));
    node.jump(earlier(world.clock.now(), Duration::from_secs(24 * HOUR)));
    world.answers(1);
    node.pass_seconds(31);
    assert_eq!(node.ran(), [(agent, DONE)]);
}

#[test]
fn a_clock_set_back_during_a_run_does_not_disturb_it() {
    let (world, task, agent) = World::settled();
    let mut node = world.serve();
    world.answers(1);
    world.model.close();
    world.note_now(&task, "The van is booked.");
    node.pass_seconds(2);
    node.jump(earlier(world.clock.now(), Duration::from_secs(HOUR)));
    node.pass_seconds(100);
    world.model.open();
    node.settle();
    assert_eq!(node.ran(), [(agent.clone(), DONE)]);
    assert_eq!(world.runs(&agent)[0].crashes, 0);
}

#[test]
fn a_clock_that_jumps_a_year_runs_each_thing_that_waited_once() {
    let (world, task, agent) = World::settled();
    let (second, other) = world.another("Paint the fence");
    let mut node = world.serve();
    let soon = ManualClock::at("2026-03-09T12:00:00Z").now();
    now(world.agents.wake_at(crate::world::WS, &agent, Some(soon), &me())).expect("set");
    world.note_now(&second, "Two coats.");
    world.note_now(&task, "The van is booked.");
    node.settle();
    world.answers(2);
    node.jump_to("2027-03-09T12:00:00Z");
    let mut ran: Vec<_> = node.ran();
    ran.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(ran, [(agent, DONE), (other, DONE)]);
    node.pass_seconds(HOUR);
    assert_eq!(node.ran(), []);
}

#[test]
fn a_day_that_passes_is_no_reason_for_another_version_of_the_report() {
    let world = World::new();
    let builtin: Arc<dyn dormouse_types::port::Model> = Arc::new(Builtin);
    let agents = world.asking(builtin);
    let task = world.task("Move to the new flat", &["We signed the contract.", "Book the van."]);
    world.edit_task(&task, &[Edit::DueOn(Some("2026-06-01".parse().expect("a day")))]);
    let new = dormouse_agents::lifecycle::NewAgent { by_name: true, ..Default::default() };
    let agent = now(agents.create(crate::world::WS, &task, &new, &me())).expect("an agent");
    let agent = agent.doc.value.id;
    let mut node = world.serve_as(&agents, dormouse_scheduler::Options::default());
    assert_eq!(node.ran(), [(agent.clone(), DONE)]);
    node.pass_seconds(60);
    node.take();
    let versions = world.reports(&agent).len();
    for _ in 0..3 {
        node.jump(world.clock.now() + Duration::from_secs(25 * HOUR));
        world.wake_now(&agent, None);
        node.settle();
        assert_eq!(node.ran(), [(agent.clone(), DONE)]);
    }
    assert_eq!(world.reports(&agent).len(), versions, "{:#?}", world.content(&agent));
}

/// Writes a word every minute, and never comes to an end.
struct Rambling(ManualClock);

impl Model for Rambling {
    fn name(&self) -> &str {
        "home/rambling"
    }

    fn class(&self) -> ModelClass {
        ModelClass::Free
    }

    fn ask<'a>(&'a self, _: &'a Request) -> BoxStream<'a, Result<TurnEvent, ModelError>> {
        let words = stream::repeat_with(|| {
            self.0.advance(Duration::from_secs(60));
            Ok(TurnEvent::Text("and ".to_owned()))
        });
        // Nobody waits for more words than a day has minutes.
        Box::pin(words.take(24 * 60).chain(stream::pending()))
    }
}

#[test]
fn a_model_that_writes_on_and_on_fails_its_run_when_the_time_of_a_wake_is_over() {
    let (world, task, agent) = World::settled();
    let before = world.content(&agent);
    let agents = world.asking(Arc::new(Rambling(world.clock.clone())));
    world.note(&task, "The van is booked.");
    now(agents.route_feed(WS)).expect("routed");
    let scheduler = agents.scheduler();
    let lease = now(scheduler.claim(WS, &world.row(&agent))).expect("a claim").expect("a lease");
    let began = world.clock.now();
    let ended = now(scheduler.run_alive(lease)).expect("it ran").end;
    let End::Failed { error } = ended else { panic!("{ended:?}") };
    assert_eq!(error, format!("the run took longer than {} seconds", limits::WAKE_SECONDS));
    let took = began.until(world.clock.now()).as_secs();
    assert!(took <= limits::WAKE_SECONDS + 60, "it is ended in time, not after {took} seconds");
    assert_eq!(world.agent_state(&agent).consecutive_failure_count, 1, "a failure of its model");
    assert_eq!(world.content(&agent), before, "the last report stays");
}
