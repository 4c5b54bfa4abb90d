//! Two kinds of runs that keep different pace: wakes of seconds, and work of half an hour.

use std::time::Duration;

use dormouse_store::agent::wake_queue;
use dormouse_testkit::now;
use dormouse_types::port::Clock as _;

use crate::world::{MachineClock, SECOND, WAKES, WORK, WS, World};

const HALF_AN_HOUR: Duration = Duration::from_secs(1800);

#[test]
fn work_of_half_an_hour_delays_no_wake() {
    let world = World::new();
    let clock = MachineClock::over(&world.shared);
    let handlers = vec![world.taking(WAKES, Duration::ZERO), world.taking(WORK, HALF_AN_HOUR)];
    let mut node = world.node(&clock, handlers, Vec::new());
    let start = world.shared.now();
    world.due(WORK, 0..5, start);
    let mut n_work = 0;
    for minute in 0..91 {
        world.due(WAKES, minute * 10..minute * 10 + 10, world.shared.now());
        world.shared.advance(SECOND);
        let ran = node.ran();
        assert_eq!(ran.get("ag"), Some(&10), "minute {minute}: each wake runs when it is due");
        n_work += ran.get("run").unwrap_or(&0);
        for _ in 0..59 {
            world.shared.advance(SECOND);
            n_work += node.ran().get("run").unwrap_or(&0);
        }
        let leased = now(world.store.all(wake_queue::leased(WS))).expect("rows").len();
        assert!(leased <= 2, "minute {minute}: {leased} at work");
    }
    assert_eq!(n_work, 5, "three times half an hour for five, two at once");
}

#[test]
fn wakes_that_fill_their_slots_do_not_keep_work_waiting() {
    let world = World::new();
    let clock = MachineClock::over(&world.shared);
    let handlers = vec![world.taking(WAKES, HALF_AN_HOUR), world.taking(WORK, Duration::ZERO)];
    let mut node = world.node(&clock, handlers, Vec::new());
    world.due(WAKES, 0..5_000, world.shared.now());
    assert_eq!(node.ran().len(), 0);
    let leased = now(world.store.all(wake_queue::leased(WS))).expect("rows").len();
    assert_eq!(leased, dormouse_types::limits::CONCURRENCY, "all slots of wakes are taken");
    world.shared.advance(SECOND);
    // Wakes due for longer, and of the same priority, come before it in the queue.
    let work = world.due(WORK, 0..3, world.shared.now());
    world.server.take_reads();
    world.shared.advance(Duration::from_secs(30));
    assert_eq!(node.ran().get("run"), Some(&work.len()));
    let n_rows: usize = world.server.take_reads().iter().map(|(_, n)| n).sum();
    assert!(n_rows < 300, "the queue of wakes is not read to find work: {n_rows} rows");
}

#[test]
fn a_long_queue_of_work_hides_no_wake() {
    let world = World::new();
    let clock = MachineClock::over(&world.shared);
    let handlers = vec![world.taking(WAKES, Duration::ZERO), world.taking(WORK, HALF_AN_HOUR)];
    let mut node = world.node(&clock, handlers, Vec::new());
    world.due(WORK, 0..5_000, world.shared.now());
    node.ran();
    world.shared.advance(SECOND);
    let wakes = world.due(WAKES, 0..20, world.shared.now());
    world.server.take_reads();
    world.shared.advance(Duration::from_secs(30));
    assert_eq!(node.ran().get("ag"), Some(&wakes.len()));
    let n_rows: usize = world.server.take_reads().iter().map(|(_, n)| n).sum();
    assert!(n_rows < 1_000, "the queue of work is not read to find wakes: {n_rows} rows");
}

#[test]
fn the_time_of_the_next_work_is_known_behind_a_long_queue_of_wakes() {
    let world = World::new();
    let clock = MachineClock::over(&world.shared);
    let handlers = vec![world.taking(WAKES, HALF_AN_HOUR), world.taking(WORK, Duration::ZERO)];
    let mut node = world.node(&clock, handlers, Vec::new());
    world.due(WAKES, 0..5_000, world.shared.now());
    world.due(WORK, 0..1, world.shared.now() + Duration::from_secs(7));
    node.ran();
    world.shared.advance(Duration::from_secs(6));
    assert_eq!(node.ran().len(), 0);
    world.shared.advance(SECOND);
    assert_eq!(node.ran().get("run"), Some(&1));
}
