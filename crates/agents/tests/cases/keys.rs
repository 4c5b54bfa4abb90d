use dormouse_agents::lifecycle::RequestContext;
use dormouse_runs::End;
use dormouse_store::agent::wake_queue::Reason;
use dormouse_types::Actor;
use dormouse_types::Id as _;
use dormouse_types::agent::{Initiator, WakeReason};
use dormouse_types::port::Clock as _;
use sha2::{Digest as _, Sha256};

use crate::world::{WS, World, now, routine_report};

/// Computes the key of a run independently, from the words of its rule.
fn by_hand(parts: &[&str]) -> String {
    Sha256::digest(parts.join("|")).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_creation_is_named_by_its_agent() {
    let (world, _, agent) = World::settled();
    let run = &world.runs(&agent)[0];
    assert_eq!(run.key.0, by_hand(&[agent.as_str(), "creation", "0"]));
    assert_eq!((run.reason.name(), run.initiator.name()), ("creation", "automation"));
}

#[test]
fn a_change_is_named_by_the_interval_it_was_seen_in() {
    let (world, task, agent) = World::settled();
    let mut intervals = Vec::new();
    for text in ["One.", "Two."] {
        world.script.push(routine_report());
        let processed = now(world.agents.state(WS, &agent)).expect("the state").value;
        let from = *processed.processed_counter_by_host.values().next().expect("a journal");
        world.note(&task, text);
        assert_eq!(world.ends(&task).len(), 1);
        let run = world.runs(&agent)[0].clone();
        let subscription = agent.as_str().replacen("ag-", "su-", 1);
        let interval = format!("{from}-{}", run.upto);
        assert_eq!(run.key.0, by_hand(&[agent.as_str(), &subscription, &interval]));
        assert_eq!(run.logical_change_key.as_deref(), Some(interval.as_str()));
        assert_eq!(run.initiator, Initiator::Automation);
        intervals.push((from, run.upto.0));
    }
    assert_eq!(intervals[0].1, intervals[1].0, "nothing between two runs is left out");
}

#[test]
fn a_persons_wake_is_named_by_its_request() {
    for reason in [Reason::UserInitiated, Reason::Reanalysis] {
        let (world, task, agent) = World::settled();
        let context = RequestContext { actor: Actor::Owner, key: Some("request-7".into()) };
        for _ in 0..2 {
            world.later(60);
            now(world.agents.wake(WS, &agent, reason, None, &context)).expect("woken once");
        }
        world.script.push(routine_report());
        assert_eq!(world.ends(&task), [End::Completed { cut: false }]);
        let run = &world.runs(&agent)[0];
        assert_eq!(run.key.0, by_hand(&[agent.as_str(), "request-7", "0"]));
        assert_eq!((run.reason.name(), run.initiator.name()), (reason.name(), "person"));
        // The same request again, after its run: it is already spent.
        now(world.agents.wake(WS, &agent, reason, None, &context)).expect("the same answer");
        assert_eq!(world.ends(&task), []);
    }
}

#[test]
fn a_retry_is_named_by_the_time_it_was_due() {
    let (world, task, agent) = World::settled();
    assert!(matches!(world.run_with(&task, [])[..], [End::Failed { .. }]));
    let due = now(world.agents.state(WS, &agent)).expect("the state").value.next_wake_at;
    let due = due.expect("it is tried again");
    world.clock.set(due);
    assert!(world.clock.now() == due);
    world.script.push(routine_report());
    assert_eq!(world.drain_due().len(), 1);
    let run = &world.runs(&agent)[0];
    assert_eq!(run.key.0, by_hand(&[agent.as_str(), "timer", &due.micros().to_string()]));
    assert_eq!(run.reason, WakeReason::Timer);
}

#[test]
fn of_several_reasons_the_strongest_names_the_run() {
    let (world, task, agent) = World::settled();
    world.note(&task, "The van is booked.");
    world.wake(&agent, Reason::UserInitiated, None);
    world.script.push(routine_report());
    assert_eq!(world.ends(&task), [End::Completed { cut: false }]);
    assert_eq!(world.runs(&agent)[0].reason, WakeReason::UserInitiated);
    assert_eq!(world.ends(&task), [], "one run for both");
}
