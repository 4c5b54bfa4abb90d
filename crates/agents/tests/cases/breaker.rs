//! A model provider that is unavailable: the queue is held, and no agent is blamed.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use dormouse_journal::Edit;
use dormouse_runs::End;
use dormouse_scheduler::Options;
use dormouse_store::agent::breaker;
use dormouse_types::model::ProviderUnavailable;
use dormouse_types::port::Stage;
use dormouse_types::{AgentId, TaskId, limits};

use crate::world::node::{Node, NodeEvent};
use dormouse_world::rows;

use crate::world::{DONE, WS, World, now};

/// Settled agents, with a node that waits for changes.
fn crowd(n: usize) -> (World, Vec<(TaskId, AgentId)>, Node) {
    let world = World::new();
    let all = (0..n).map(|n| world.another(&format!("Task {n}"))).collect();
    let node = world.serve();
    (world, all, node)
}

fn change_all(world: &World, all: &[(TaskId, AgentId)]) {
    for (task, _) in all {
        world.edit_task(task, &[Edit::note("Something happened.")]);
    }
}

fn away(events: &[NodeEvent]) -> usize {
    let is_away =
        |event: &&NodeEvent| matches!(event, NodeEvent::Ran(_, _, End::ProviderUnavailable { .. }));
    let away = events.iter().filter(is_away).count();
    assert_eq!(away, events.len(), "{events:?}");
    away
}

/// No failure counter has moved, and every started run is waiting.
fn check_nobody_is_blamed(world: &World, all: &[(TaskId, AgentId)]) {
    for (_, agent) in all {
        assert_eq!(world.agent_state(agent).consecutive_failure_count, 0);
        let run = world.runs(agent).remove(0);
        assert!(["queued", "completed"].contains(&run.status.name()), "{run:?}");
        assert_eq!(run.crashes, 0);
    }
}

#[test]
fn an_outage_holds_the_queue_with_one_event_and_its_end_lets_everybody_run() {
    let (world, all, mut node) = crowd(12);
    let asks = world.model.asks();
    world.model.goes_away(ProviderUnavailable::Outage);
    change_all(&world, &all);
    node.pass_seconds(20);
    let failures = away(&node.take());
    let most = usize::try_from(limits::BREAKER_FAILURES).expect("few") + limits::CONCURRENCY - 1;
    assert!((5..=most).contains(&failures), "{failures}: then nobody asks any more");
    assert_eq!(world.model.asks() - asks, failures);
    assert_eq!(world.events("provider:"), ["provider:away"]);
    check_nobody_is_blamed(&world, &all);

    // One probe after a minute, the next one two minutes later.
    node.pass_seconds(limits::BREAKER_SECONDS);
    assert_eq!(away(&node.take()), 1);
    node.pass_seconds(2 * limits::BREAKER_SECONDS);
    assert_eq!(away(&node.take()), 1);
    check_nobody_is_blamed(&world, &all);

    world.model.comes_back();
    world.answers(all.len());
    node.pass_seconds(4 * limits::BREAKER_SECONDS - 30);
    assert_eq!(node.take(), [], "nobody asks before the next probe");
    node.pass_seconds(60);
    let ran = node.ran();
    assert_eq!(ran.len(), all.len());
    assert!(ran.iter().all(|(_, end)| *end == DONE), "{ran:?}");
    assert_eq!(world.events("provider:").last().map(String::as_str), Some("provider:back"));
    assert_eq!(world.events("provider:back").len(), 1);
    assert_eq!(now(world.store.all(breaker::all(WS))), Ok(vec![]));
    check_nobody_is_blamed(&world, &all);
}

#[test]
fn one_agent_asks_to_find_out_and_the_others_wait_for_its_answer() {
    let (world, all, mut node) = crowd(6);
    world.model.goes_away(ProviderUnavailable::Authentication);
    change_all(&world, &all);
    node.pass_seconds(10);
    node.take();
    world.model.comes_back();
    world.answers(all.len());
    world.model.close();
    node.pass_seconds(limits::BREAKER_SECONDS);
    assert_eq!(world.model.at_once().0, 1, "one probe");
    node.pass_seconds(20);
    assert_eq!(world.model.at_once().0, 1, "and no more while it waits for its answer");
    world.model.open();
    node.settle();
    assert_eq!(node.ran().len(), all.len());
}

#[test]
fn a_refused_key_holds_the_queue_at_once() {
    let (world, all, mut node) = crowd(8);
    let asks = world.model.asks();
    world.model.goes_away(ProviderUnavailable::Authentication);
    change_all(&world, &all);
    node.pass_seconds(limits::BREAKER_SECONDS - 1);
    assert!(
        world.model.asks() - asks <= limits::CONCURRENCY,
        "runs that had called before, and no more"
    );
    assert_eq!(world.events("provider:"), ["provider:away"]);
    check_nobody_is_blamed(&world, &all);
    node.take();
    world.model.comes_back();
    world.answers(all.len());
    node.pass_seconds(120);
    assert_eq!(node.ran().len(), all.len());
}

/// A process that dies or loses its lease right after that commit has nothing left to say.
#[test]
fn the_commit_that_puts_a_run_back_says_that_its_provider_is_away() {
    let (world, all, mut node) = crowd(1);
    let events = Arc::new(Mutex::new(None));
    let (seen, store) = (events.clone(), world.store.clone());
    world.hooks.once(Stage::AfterCommit, "run.putBack", move || {
        *seen.lock().expect("one thread") = Some(rows::events(&store, "provider:"));
    });
    world.model.goes_away(ProviderUnavailable::Authentication);
    change_all(&world, &all);
    node.pass_seconds(5);
    assert_eq!(*events.lock().expect("one thread"), Some(vec!["provider:away".into()]));
}

#[test]
fn a_persons_wake_waits_for_the_provider_like_any_other() {
    let (world, all, mut node) = crowd(2);
    world.model.goes_away(ProviderUnavailable::Authentication);
    change_all(&world, &all[..1]);
    node.pass_seconds(5);
    let asks = world.model.asks();
    world.wake_now(&all[1].1, Some("Are you there?"));
    node.pass_seconds(20);
    assert_eq!(world.model.asks(), asks);
    node.take();
    world.model.comes_back();
    world.answers(2);
    node.pass_seconds(120);
    let ran = node.ran();
    assert_eq!(ran.len(), 2);
    assert_eq!(ran[0].0, all[1].1, "and goes first");
}

#[test]
fn a_model_that_never_answers_counts_as_a_provider_that_is_away() {
    let (world, all, mut node) = crowd(1);
    let (task, agent) = &all[0];
    world.model.close();
    world.note_now(task, "Something happened.");
    node.pass_seconds(limits::MODEL_SECONDS + 1);
    assert_eq!(node.take(), [], "it is waited for");
    node.pass_seconds(1);
    let events = node.take();
    assert!(
        matches!(&events[..], [NodeEvent::Ran(_, _, End::ProviderUnavailable { reason })] if reason.contains("said nothing for 300 seconds")),
        "{events:?}"
    );
    assert_eq!(world.model.at_once().0, 0, "nobody listens any more");
    let known = now(world.store.all(breaker::all(WS))).expect("breakers");
    assert_eq!(known.iter().map(|known| known.failures).collect::<Vec<_>>(), [1]);
    check_nobody_is_blamed(&world, &all);
    let run = world.runs(agent).remove(0);
    world.model.open();
    world.answers(1);
    node.pass_seconds(120);
    assert_eq!(node.ran(), [(agent.clone(), DONE)]);
    assert_eq!(world.runs(agent)[0].key, run.key, "the same run goes on");
}

#[test]
fn a_few_failures_hold_nobody_back() {
    let (world, all, mut node) = crowd(2);
    world.model.goes_away(ProviderUnavailable::Quota);
    world.note_now(&all[0].0, "Something happened.");
    node.pass_seconds(2);
    assert_eq!(away(&node.take()), 1);
    world.model.comes_back();
    world.answers(2);
    world.note_now(&all[1].0, "Something happened.");
    node.pass_seconds(5);
    assert_eq!(node.ran().len(), 2);
    assert_eq!(world.events("provider:away"), Vec::<String>::new());
}

/// A second node, which shares only the database, has not asked and asks nothing either.
#[test]
fn a_provider_that_names_a_time_is_left_alone_by_every_node_until_then() {
    let (world, all, mut node) = crowd(4);
    let mut other = world.serve_as(&world.owned_by("other node"), Options::default());
    let asks = world.model.asks();
    world.model.asks_to_wait(Duration::from_secs(40));
    world.note_now(&all[0].0, "Something happened.");
    node.pass_seconds(2);
    assert_eq!((away(&node.take()), world.model.asks() - asks), (1, 1));
    assert_eq!(world.events("provider:"), ["provider:away"]);
    world.model.comes_back();
    world.answers(all.len());
    change_all(&world, &all[1..]);
    for _ in 0..3 {
        node.pass_seconds(10);
        other.settle();
    }
    assert_eq!((node.take(), other.take()), (vec![], vec![]), "32 of the 40 seconds are over");
    assert_eq!(world.model.asks() - asks, 1);
    check_nobody_is_blamed(&world, &all);
    for _ in 0..2 {
        node.pass_seconds(10);
        other.settle();
    }
    assert_eq!(node.ran().len() + other.ran().len(), all.len());
    assert_eq!(world.events("provider:"), ["provider:away", "provider:back"]);
}
