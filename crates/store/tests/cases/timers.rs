//! An agent's timers, one per kind, and the breakers of providers.

use dormouse_store::Refusal;
use dormouse_store::agent::breaker::{self, Breaker};
use dormouse_store::agent::timer::{self, Kind, Timer};
use dormouse_types::AgentId;

use crate::world::{OTHER_WS, WS, World, at};

each_engine!(
    a_timer_fires_once_and_stays_until_it_was_seen,
    a_timer_that_is_set_anew_takes_the_place_of_the_old_one,
    timers_come_due_in_order_and_each_workspace_says_when_its_next_is,
    a_breaker_is_written_by_the_last_to_read_it,
);

fn due(world: &World, micros: i64) -> Vec<Timer> {
    let due = world.all(timer::due(WS, at(micros), 10));
    due.into_iter().map(|timer| timer.expect("a timer of this version")).collect()
}

fn a_timer_fires_once_and_stays_until_it_was_seen(world: &World) {
    let agent: AgentId = world.id();
    world.agent([timer::set(WS, &agent, Kind::DueDate, at(50), Some("2026-01-06"))]);
    let expected = Timer {
        holder: (&agent).into(),
        kind: Kind::DueDate,
        at: at(50),
        about: Some("2026-01-06".into()),
        set_at: at(0),
        fired_at: None,
    };
    assert_eq!(due(world, 49), []);
    assert_eq!(due(world, 50), std::slice::from_ref(&expected));
    world.clock.set(at(49));
    let refusal = world.agent_refusal([timer::fire(WS, &expected)]);
    assert_eq!(refusal, Refusal::Missing, "it is not due by the time of the writer");
    world.clock.set(at(60));
    world.agent([timer::fire(WS, &expected)]);
    assert_eq!(due(world, 60), []);
    assert_eq!(world.agent_refusal([timer::fire(WS, &expected)]), Refusal::Missing);
    let fired = Timer { fired_at: Some(at(60)), ..expected.clone() };
    assert_eq!(world.all(timer::of_holder(WS, &agent)), std::slice::from_ref(&fired));

    // Clearing the due date does not undo a fired timer: the agent still hears of it.
    world.agent([timer::unset(WS, &agent, Kind::DueDate)]);
    assert_eq!(world.all(timer::of_holder(WS, &agent)), std::slice::from_ref(&fired));
    world.agent([timer::clear(WS, &fired)]);
    assert_eq!(world.all(timer::of_holder(WS, &agent)), []);
}

fn a_timer_that_is_set_anew_takes_the_place_of_the_old_one(world: &World) {
    let agent: AgentId = world.id();
    world.agent([timer::set(WS, &agent, Kind::WakeAt, at(50), None)]);
    let old = due(world, 50).remove(0);
    world.agent([timer::set(WS, &agent, Kind::WakeAt, at(80), None)]);
    assert_eq!(world.agent_refusal([timer::fire(WS, &old)]), Refusal::Missing);
    assert_eq!(due(world, 79), []);
    // Seen by a run that began before it was reset, so the new one stays.
    let new = due(world, 80).remove(0);
    world.clock.set(at(80));
    world.agent([timer::fire(WS, &new), timer::clear(WS, &old)]);
    assert_eq!(world.all(timer::of_holder(WS, &agent)).len(), 1);
    world.agent([timer::delete_of_holder(WS, &agent)]);
    assert_eq!(world.all(timer::of_holder(WS, &agent)), []);
}

fn timers_come_due_in_order_and_each_workspace_says_when_its_next_is(world: &World) {
    let agents: Vec<AgentId> = (0..3).map(|_| world.id()).collect();
    for (agent, micros) in agents.iter().zip([30, 10, 20]) {
        world.agent([timer::set(WS, agent, Kind::WakeAt, at(micros), None)]);
    }
    world.agent([timer::set(OTHER_WS, &agents[0], Kind::WakeAt, at(5), None)]);
    let order: Vec<_> = due(world, 25).into_iter().map(|timer| timer.holder).collect();
    assert_eq!(order, [1, 2].map(|n: usize| agents[n].clone()));
    assert_eq!(world.all(timer::next_of_each()), [(WS, at(10)), (OTHER_WS, at(5))]);
    world.clock.set(at(100));
    for timer in due(world, 100) {
        world.agent([timer::fire(WS, &timer)]);
    }
    assert_eq!(world.all(timer::next_of_each()), [(OTHER_WS, at(5))]);
}

fn a_breaker_is_written_by_the_last_to_read_it(world: &World) {
    let first = Breaker {
        why: dormouse_types::model::ProviderUnavailable::Outage.into(),
        provider: "far".into(),
        failures: 1,
        since: at(1),
        opened: 0,
        open_until: None,
        detail: "quota".into(),
    };
    world.agent([breaker::put(WS, None, &first)]);
    assert_eq!(world.agent_refusal([breaker::put(WS, None, &first)]), Refusal::Stale);
    let open = Breaker { failures: 5, opened: 1, open_until: Some(at(60)), ..first.clone() };
    world.agent([breaker::put(WS, Some(&first), &open)]);
    assert_eq!(world.agent_refusal([breaker::put(WS, Some(&first), &open)]), Refusal::Stale);
    let longer = Breaker { opened: 2, open_until: Some(at(180)), ..open.clone() };
    world.agent([breaker::put(WS, Some(&open), &longer)]);
    assert_eq!(world.all(breaker::all(WS)), std::slice::from_ref(&longer));
    assert_eq!(world.first(breaker::of_provider(WS, "far")), Some(longer));
    assert_eq!(world.first(breaker::of_provider(OTHER_WS, "far")), None);
    world.agent([breaker::delete(WS, "far")]);
    assert_eq!(world.all(breaker::all(WS)), []);
}
