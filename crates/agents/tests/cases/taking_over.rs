//! Owners that died, owners that only seem dead, and owners that come back too late.

use std::collections::BTreeSet;
use std::future::Future as _;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use dormouse_agents::wake::waiting::Scope;
use dormouse_journal::{Edit, JournalError};
use dormouse_scheduler::Options;
use dormouse_scheduler::{End, Lease};
use dormouse_store::{Commit, Db, Refusal};
use dormouse_testkit::scripted::Answer;
use dormouse_types::port::{Clock as _, Stage};
use dormouse_types::{AgentId, HolderId, Id as _, TaskId};
use dormouse_world::as_agent;
use serde_json::json;

use crate::world::node::NodeEvent;
use crate::world::{DONE, WS, World, now, report};

/// A lease whose owner does nothing with it.
fn claimed() -> (World, TaskId, AgentId, Lease) {
    let (world, task, agent) = World::settled();
    let lease = world.claim_after_a_note(&task, &agent);
    (world, task, agent, lease)
}

fn nobody() -> BTreeSet<(dormouse_types::WorkspaceId, HolderId)> {
    BTreeSet::new()
}

#[test]
fn a_lease_is_taken_over_when_it_ran_out_and_not_before() {
    let (world, _, agent, lease) = claimed();
    let other = world.owned_by("other");
    world.later(59);
    assert_eq!(now(other.scheduler().take_over_dead(&nobody())).ok(), Some(vec![]));
    assert_eq!(world.row(&agent).owner.as_deref(), Some("test"));
    world.later(1);
    assert_eq!(now(other.scheduler().take_over_dead(&nobody())).expect("looked").len(), 1);
    let row = world.row(&agent);
    assert_eq!((row.owner, row.crashes, row.epoch), (None, 1, lease.run.epoch + 1));
    let run = &world.runs(&agent)[0];
    assert_eq!((run.key.clone(), run.status.name(), run.crashes), (lease.run.key, "queued", 1));
}

#[test]
fn two_nodes_that_take_over_at_once_take_each_lease_once() {
    let (world, _, first, _) = claimed();
    let (task, second) = world.another("Fence");
    world.note(&task, "The posts are here.");
    world.route();
    world.claim(&second);
    world.later(61);
    let (one, two) = (world.owned_by("one"), world.owned_by("two"));
    // Each has read both rows, and the other one takes over the second lease in between.
    world.hooks.once(Stage::AfterCommit, "run.takeover", move || {
        assert_eq!(now(two.scheduler().take_over_dead(&nobody())).expect("looked").len(), 1);
    });
    assert_eq!(now(one.scheduler().take_over_dead(&nobody())).expect("looked").len(), 1);
    assert!(world.hooks.is_done());
    for agent in [first, second] {
        let (row, run) = (world.row(&agent), &world.runs(&agent)[0]);
        assert_eq!((row.owner, row.crashes, run.status.name()), (None, 1, "queued"));
    }
}

#[test]
fn who_claims_an_interrupted_run_too_late_finds_it_taken() {
    let (world, _, agent, _) = claimed();
    let other = world.owned_by("other");
    world.later(61);
    assert_eq!(now(other.scheduler().take_over_dead(&nobody())).expect("looked").len(), 1);
    let row = world.row(&agent);
    let lease = now(other.scheduler().claim(WS, &row)).expect("a claim").expect("a lease");
    assert!(now(world.agents.scheduler().claim(WS, &row)).expect("no failure").is_none());
    let held = world.row(&agent);
    assert_eq!((held.owner.as_deref(), held.epoch), (Some("other"), lease.run.epoch));
}

#[test]
fn who_lost_its_lease_writes_into_neither_database_and_releases_nothing() {
    let (world, task, agent, lease) = claimed();
    world.later(61);
    world.answers(1);
    world.model.close();
    let mut node = world.serve_as(&world.owned_by("other"), Options::default());
    node.pass_seconds(1);
    let events = node.take();
    assert!(matches!(&events[..], [NodeEvent::Recovered(_)]), "{events:?}");
    let holder = world.row(&agent);
    assert_eq!(holder.owner.as_deref(), Some("other"));

    // The agent store: every commit of a run is guarded.
    let asks = world.model.asks();
    let before = world.runs(&agent);
    let late = world.run_lease(lease.clone()).end;
    assert_eq!((late, world.model.asks()), (End::LeaseLost, asks), "and asks nothing");
    let release = Commit::new("test.release", Db::Agent, WS).op(lease.release());
    let refused = now(world.store.commit(release)).expect_err("somebody else holds it");
    assert_eq!(refused.refusal(), Some(Refusal::LeaseLost));
    assert_eq!((world.row(&agent), world.runs(&agent)), (holder, before));

    // The journal: the fence was raised.
    let journal = world.journal_rows();
    let mut ctx = as_agent(&agent);
    ctx.fence = Some((agent.as_str().to_owned(), lease.run.epoch));
    let edit = [Edit::Language { code: Some("en".into()) }];
    let late = now(world.journal.edit(WS, &task, &edit, &ctx));
    assert!(
        matches!(&late, Err(JournalError::Fenced { epoch, .. }) if *epoch == lease.run.epoch),
        "{late:?}"
    );
    assert_eq!(world.journal_rows(), journal);

    world.model.open();
    node.settle();
    assert_eq!(node.ran(), [(agent, DONE)], "the new owner is not disturbed");
}

/// A run loses its lease at a certain point; nothing it does afterwards has an effect. Returns how
/// often it called its model.
fn lost_at(stage: Stage, label: &'static str) -> usize {
    let (world, task, agent) = World::settled();
    let set = ("set_task_language", json!({ "languageCode": "en", "confidence": "high" }));
    world.script.push(Answer::calls([set, report("Late.", "Too late.")]));
    let lease = world.claim_after_a_note(&task, &agent);
    let asks = world.model.asks();
    let (other, clock) = (world.owned_by("other"), world.clock.clone());
    world.hooks.once(stage, label, move || {
        clock.advance(Duration::from_secs(61));
        let taken = now(other.scheduler().take_over_dead(&BTreeSet::new())).expect("looked");
        assert_eq!(taken.len(), 1);
    });
    let end = world.run_lease(lease).end;
    assert!(world.hooks.is_done(), "{label}");
    assert_eq!(end, End::LeaseLost, "{label}");
    assert_eq!(world.task_state(&task).language, None, "{label}: the journal is not written");
    assert_eq!(world.content(&agent), "Nothing yet.", "{label}");
    assert_eq!(world.row(&agent).owner, None, "{label}");
    world.model.asks() - asks
}

#[test]
fn a_run_that_loses_its_lease_on_the_way_changes_nothing_more() {
    let ways = [
        (Stage::AfterCommit, "run.request", 0),
        (Stage::BeforeEffect, "model.ask", 1),
        (Stage::AfterEffect, "model.ask", 1),
        (Stage::AfterCommit, "run.turn", 1),
        (Stage::BeforeCommit, "journal.edit", 1),
    ];
    for (stage, label, asks) in ways {
        assert_eq!(lost_at(stage, label), asks, "calls of the model, lost at {label}");
    }
}

/// A process stands still between the commit of a request and the call, and its clock may be set
/// meanwhile: to an hour ago as well.
#[test]
fn a_run_that_stood_still_before_its_call_asks_only_if_nobody_took_it_over() {
    for back in [0, 3_600] {
        for taken in [false, true] {
            let (world, task, agent) = World::settled();
            world.script.push(Answer::calls([report("Late.", "In time.")]));
            let lease = world.claim_after_a_note(&task, &agent);
            let (other, clock) = (world.owned_by("other"), world.clock.clone());
            let asks = world.model.asks();
            world.hooks.once(Stage::AfterCommit, "run.request", move || {
                clock.advance(Duration::from_secs(61));
                if taken {
                    let taken = now(other.scheduler().take_over_dead(&nobody()));
                    assert_eq!(taken.expect("looked").len(), 1);
                }
                clock.set(clock.now() - Duration::from_secs(back));
            });
            let end = world.run_lease(lease).end;
            let (as_expected, calls) = if taken { (End::LeaseLost, 0) } else { (DONE, 1) };
            assert_eq!((end, world.model.asks() - asks), (as_expected, calls), "{back} {taken}");
        }
    }
}

#[test]
fn a_run_that_crashes_three_times_is_given_up_and_counts_as_one_failure() {
    let (world, task, agent) = World::settled();
    world.note_now(&task, "It crashes every run.");
    world.model.close();
    for n in 0..3 {
        let mut node = world.serve_as(&world.owned_by(&format!("node {n}")), Options::default());
        node.pass_seconds(35);
        assert_eq!(world.model.at_once().0, 1, "attempt {n}");
        drop(node);
        world.later(61);
        assert_eq!(world.agent_state(&agent).consecutive_failure_count, 0);
    }
    let asks = world.model.asks();
    let mut node = world.serve_as(&world.owned_by("the last"), Options::default());
    let events = node.take();
    assert!(
        matches!(&events[..], [NodeEvent::Recovered(line)] if line.contains("given up after 3")),
        "{events:?}"
    );
    assert_eq!(world.model.asks(), asks);
    let run = world.runs(&agent).remove(0);
    assert_eq!((run.status.name(), run.crashes), ("abandoned", 3));
    assert!(run.error.is_some_and(|error| error.contains("3 crashes")));
    let state = world.agent_state(&agent);
    assert_eq!(state.consecutive_failure_count, 1);
    // It counts as a failure, and is retried as another run after the back-off.
    world.model.open();
    world.answers(1);
    node.pass_seconds(60);
    assert_eq!(node.ran(), [(agent.clone(), DONE)]);
    assert!(world.last_delta().contains("It crashes every run."));
    assert_eq!(world.agent_state(&agent).consecutive_failure_count, 0);
}

#[test]
fn recorded_turns_of_a_dead_owner_are_not_requested_again() {
    let (world, task, agent) = World::settled();
    world.script.push(Answer::calls([report("Half way.", "Half.")]).and_goes_on());
    world.answers(1);
    world.model.close();
    world.model.let_one_pass();
    world.note_now(&task, "The van is booked.");
    let mut node = world.serve();
    node.pass_seconds(2);
    let key = world.runs(&agent)[0].key.clone();
    drop(node);
    world.later(61);
    world.model.open();
    let mut node = world.serve_as(&world.owned_by("other"), Options::default());
    node.settle();
    let ran: Vec<_> = node.take();
    assert!(matches!(&ran[..], [NodeEvent::Recovered(_), NodeEvent::Ran(_, _, DONE)]), "{ran:?}");
    let requests = world.script.requests();
    let turns: Vec<u32> = requests
        .iter()
        .filter(|requests| requests.run_key == key)
        .map(|requests| requests.turn)
        .collect();
    assert_eq!(turns, [1, 2]);
}

#[test]
fn a_start_of_the_same_process_takes_its_own_leases_back_at_once() {
    let (world, task, agent) = World::settled();
    world.model.close();
    world.note_now(&task, "The van is booked.");
    let mut node = world.serve();
    node.pass_seconds(2);
    drop(node);
    world.model.open();
    world.answers(1);
    let mut node = world.serve();
    node.settle();
    let events = node.take();
    assert!(
        matches!(&events[..], [NodeEvent::Recovered(_), NodeEvent::Ran(_, _, DONE)]),
        "{events:?}"
    );
    assert_eq!(world.runs(&agent)[0].crashes, 1);
}

#[test]
fn a_clock_that_jumps_a_year_does_not_take_a_node_s_own_run_for_dead() {
    let (world, task, agent) = World::settled();
    let mut node = world.serve();
    world.answers(2);
    world.model.close();
    world.note_now(&task, "The van is booked.");
    node.pass_seconds(2);
    let epoch = world.row(&agent).epoch;
    let year = world.clock.now() + Duration::from_secs(365 * 86_400);
    node.jump(year);
    let events = node.take();
    assert!(
        events.iter().all(|event| matches!(
            event,
            NodeEvent::Ran(_, _, End::ProviderUnavailable { .. } | DONE)
        )),
        "its patience is over, which is nobody's death: {events:?}"
    );
    assert_eq!(world.runs(&agent)[0].crashes, 0);
    assert_eq!(world.row(&agent).crashes, 0);
    world.model.open();
    node.pass_seconds(120);
    assert!(node.take().iter().any(|event| matches!(event, NodeEvent::Ran(_, _, DONE))));
    let run = &world.runs(&agent)[0];
    assert_eq!((run.status.name(), run.crashes), ("completed", 0));
    assert!(world.row(&agent).epoch <= epoch + 1, "nobody took it away");
}

#[test]
fn a_command_that_runs_an_agent_prolongs_its_lease_as_a_server_does() {
    let (world, task, agent) = World::settled();
    world.answers(1);
    world.model.close();
    world.note(&task, "The van is booked.");
    let scope = Scope { tasks: vec![task], ..Scope::default() };
    let mut ends = Vec::new();
    {
        let scheduler = world.agents.scheduler();
        let drain =
            crate::world::drain(&world.agents, &scheduler, &scope, |ran| ends.push(ran.end));
        let mut drain = std::pin::pin!(drain);
        let mut context = Context::from_waker(Waker::noop());
        for _ in 0..4 {
            assert!(drain.as_mut().poll(&mut context).is_pending(), "the model thinks");
            world.later(20);
        }
        let other = world.owned_by("other");
        assert_eq!(
            now(other.scheduler().take_over_dead(&nobody())).ok(),
            Some(vec![]),
            "it is alive"
        );
        world.model.open();
        assert!(matches!(drain.as_mut().poll(&mut context), Poll::Ready(Ok(()))));
    }
    assert_eq!((ends, world.runs(&agent)[0].crashes), (vec![DONE], 0));
}
