//! One row per agent for life: signals merge into it, and it is the agent's lease.

use std::time::Duration;

use dormouse_store::agent::wake_queue::{self, Claim, QueueEntry, Reason, Signal};
use dormouse_store::agent::wake_tally::{self, WaitingCount};
use dormouse_store::lease::Proof;
use dormouse_store::{Op, Refusal};
use dormouse_types::{AgentId, HolderId, RunKey, Seq, Timestamp, WorkRunId};

use crate::world::{OTHER_WS, WS, World, agent_commit, at};

each_engine!(
    a_new_agent_waits_for_its_creation_and_has_one_row,
    a_signal_wakes_who_sleeps,
    the_earliest_due_time_stays_and_the_rest_is_joined,
    a_signal_without_a_due_time_wakes_nobody,
    a_signal_without_a_due_time_leaves_one_that_waits_as_due_as_it_was,
    a_weaker_signal_does_not_weaken_what_is_held,
    a_signal_for_a_destroyed_agent_is_spent,
    a_claim_takes_the_lease_and_the_signals,
    of_two_claims_of_one_row_one_is_refused,
    only_due_rows_without_an_owner_may_be_claimed,
    the_claim_order_is_priority_then_due_time_then_agent,
    a_guard_prolongs_the_lease_of_its_owner_and_epoch_only,
    a_release_ends_the_run_and_keeps_signals_that_came_meanwhile,
    a_requeued_run_is_claimed_again_under_its_key,
    signals_that_came_before_a_reclaim_wait_for_the_next_run,
    an_interrupted_run_is_due_at_once_under_a_new_epoch,
    a_run_given_up_leaves_the_row_free,
    a_cancelled_run_leaves_what_it_was_to_see_pending,
    a_run_that_moved_since_it_was_read_is_not_cancelled,
    only_a_lease_that_ran_out_is_taken_from_an_owner_that_may_live,
    automatic_wakes_wait_for_the_end_of_a_sleep_and_a_persons_does_not,
    a_later_try_outlasts_a_sleep_that_is_cleared,
    a_persons_run_keeps_its_place_until_it_ends,
    the_foremost_of_each_place_contains_the_oldest_of_all,
    a_signal_from_the_future_is_due_now_and_others_are_left_alone,
    what_is_held_catches_up_and_what_is_silenced_does_not,
    the_run_of_a_destroyed_agent_stays_due_until_it_is_ended,
    the_row_of_one_workspace_is_not_the_row_of_another,
    runs_of_agent_work_are_no_agents_that_wait_or_run,
);

fn micros(micros: u64) -> Duration {
    Duration::from_micros(micros)
}

fn key(name: &str) -> RunKey {
    RunKey(name.to_owned())
}

fn signal(agent: &AgentId, reason: Reason, due: Option<i64>, upto: i64) -> Signal {
    Signal {
        holder: agent.into(),
        reason,
        at: at(1),
        due_at: due.map(at),
        upto: Seq(upto),
        request_id: None,
    }
}

/// An agent whose creation wake is done: asleep, without a run.
fn entry(world: &World) -> AgentId {
    let agent = world.id();
    world.agent([
        wake_queue::insert(WS, &agent, None, at(0)),
        wake_queue::clear_signals(WS, &agent),
    ]);
    agent
}

fn row(world: &World, agent: &AgentId) -> QueueEntry {
    world.only(wake_queue::of_holder(WS, agent))
}

fn claim(agent: &AgentId, epoch: i64, owner: &str, run: &RunKey) -> Op {
    let claim = Claim { holder: agent.into(), epoch, owner, lasts: micros(1000), run_key: run };
    wake_queue::claim(WS, &claim)
}

fn reclaim(agent: &AgentId, epoch: i64, owner: &str, run: &RunKey) -> Op {
    let claim = Claim { holder: agent.into(), epoch, owner, lasts: micros(2000), run_key: run };
    wake_queue::reclaim(WS, &claim)
}

fn claimable(world: &World, now: Timestamp) -> Vec<AgentId> {
    let rows = world.all(wake_queue::claimable(WS, now, 10));
    rows.into_iter().map(|row| row.holder.try_into().expect("an agent")).collect()
}

fn asleep(agent: &AgentId) -> QueueEntry {
    QueueEntry {
        holder: agent.into(),
        reasons: Vec::new(),
        first_signal_at: None,
        due_at: None,
        upto: Seq(0),
        priority: Reason::Creation.priority(),
        request_id: None,
        run_key: None,
        owner: None,
        epoch: 0,
        expires_at: None,
        crashes: 0,
        sleep_until: None,
        put_off: None,
    }
}

fn a_new_agent_waits_for_its_creation_and_has_one_row(world: &World) {
    let agent: AgentId = world.id();
    world.agent([wake_queue::insert(WS, &agent, Some(at(5)), at(1))]);
    let expected = QueueEntry {
        reasons: vec![Reason::Creation],
        first_signal_at: Some(at(1)),
        due_at: Some(at(5)),
        ..asleep(&agent)
    };
    assert_eq!(row(world, &agent), expected);
    let again = wake_queue::insert(WS, &agent, None, at(9));
    assert_eq!(world.agent_refusal([again]), Refusal::Exists);
    assert_eq!(row(world, &agent), expected);
}

fn a_signal_wakes_who_sleeps(world: &World) {
    let agent = entry(world);
    let said = Signal {
        request_id: Some("request".into()),
        ..signal(&agent, Reason::UserInitiated, Some(2), 7)
    };
    world.agent([wake_queue::signal(WS, &said)]);
    let expected = QueueEntry {
        reasons: vec![Reason::UserInitiated],
        first_signal_at: Some(at(1)),
        due_at: Some(at(2)),
        upto: Seq(7),
        priority: 0,
        request_id: Some("request".into()),
        ..asleep(&agent)
    };
    assert_eq!(row(world, &agent), expected);
}

fn the_earliest_due_time_stays_and_the_rest_is_joined(world: &World) {
    let agent = entry(world);
    let request = Some("request".to_owned());
    let signals = [
        signal(&agent, Reason::Subscription, Some(50), 4),
        Signal { at: at(9), ..signal(&agent, Reason::Timer, Some(90), 9) },
        Signal { request_id: request.clone(), ..signal(&agent, Reason::Reanalysis, Some(20), 2) },
        signal(&agent, Reason::Subscription, Some(30), 3),
    ];
    for one in &signals {
        world.agent([wake_queue::signal(WS, one)]);
    }
    let expected = QueueEntry {
        reasons: vec![Reason::Subscription, Reason::Timer, Reason::Reanalysis],
        first_signal_at: Some(at(1)),
        due_at: Some(at(20)),
        upto: Seq(9),
        priority: 0,
        request_id: request,
        ..asleep(&agent)
    };
    assert_eq!(row(world, &agent), expected);
}

fn a_signal_without_a_due_time_wakes_nobody(world: &World) {
    let agent = entry(world);
    world.agent([wake_queue::signal(WS, &signal(&agent, Reason::Subscription, None, 4))]);
    let row = row(world, &agent);
    assert_eq!((row.due_at, row.upto, row.reasons), (None, Seq(4), vec![Reason::Subscription]));
    assert_eq!(claimable(world, at(i64::from(u32::MAX))), []);
    assert_eq!(world.all(wake_queue::waiting(WS)), []);
}

fn a_signal_without_a_due_time_leaves_one_that_waits_as_due_as_it_was(world: &World) {
    let agent = entry(world);
    world.agent([wake_queue::signal(WS, &signal(&agent, Reason::Timer, Some(8), 1))]);
    world.agent([wake_queue::signal(WS, &signal(&agent, Reason::Subscription, None, 4))]);
    assert_eq!(row(world, &agent).due_at, Some(at(8)));
}

fn a_weaker_signal_does_not_weaken_what_is_held(world: &World) {
    // The creation wake waits for content; the first content arrives as a change to the task.
    let agent: AgentId = world.id();
    world.agent([wake_queue::insert(WS, &agent, None, at(0))]);
    world.agent([wake_queue::signal(WS, &signal(&agent, Reason::Subscription, Some(5), 1))]);
    let row = row(world, &agent);
    assert_eq!(row.reasons, [Reason::Subscription, Reason::Creation]);
    assert_eq!(row.priority, Reason::Creation.priority());
}

fn a_signal_for_a_destroyed_agent_is_spent(world: &World) {
    let agent: AgentId = world.id();
    world.agent([wake_queue::signal(WS, &signal(&agent, Reason::Timer, Some(5), 1))]);
    assert_eq!(world.first(wake_queue::of_holder(WS, &agent)), None);
}

fn a_claim_takes_the_lease_and_the_signals(world: &World) {
    let agent = entry(world);
    let said = Signal {
        request_id: Some("request".into()),
        ..signal(&agent, Reason::UserInitiated, Some(2), 7)
    };
    world.agent([wake_queue::signal(WS, &said)]);
    world.agent([claim(&agent, 0, "node", &key("run"))]);
    let expected = QueueEntry {
        upto: Seq(7),
        priority: 0,
        run_key: Some(key("run")),
        owner: Some("node".into()),
        epoch: 1,
        expires_at: Some(at(1000)),
        ..asleep(&agent)
    };
    assert_eq!(row(world, &agent), expected);
    assert_eq!(world.all(wake_queue::leased(WS)), [expected]);
}

fn of_two_claims_of_one_row_one_is_refused(world: &World) {
    let agent = entry(world);
    world.agent([claim(&agent, 0, "first", &key("a"))]);
    let before = row(world, &agent);
    assert_eq!(world.agent_refusal([claim(&agent, 0, "second", &key("b"))]), Refusal::LeaseLost);
    // Even a caller that knows the newer epoch takes nothing from a live owner.
    assert_eq!(world.agent_refusal([claim(&agent, 1, "second", &key("b"))]), Refusal::LeaseLost);
    assert_eq!(row(world, &agent), before);

    // A row that was claimed and released since counts as changed, though nobody owns it now.
    world.agent([wake_queue::release(WS, &agent, "first", 1)]);
    assert_eq!(world.agent_refusal([claim(&agent, 0, "second", &key("b"))]), Refusal::LeaseLost);
    world.agent([claim(&agent, 1, "second", &key("b"))]);
    assert_eq!(row(world, &agent).epoch, 2);
}

fn only_due_rows_without_an_owner_may_be_claimed(world: &World) {
    let (due, later, owned) = (entry(world), entry(world), entry(world));
    for (agent, micros) in [(&due, 10), (&later, 11), (&owned, 1)] {
        world.agent([wake_queue::signal(WS, &signal(agent, Reason::Timer, Some(micros), 1))]);
    }
    world.agent([claim(&owned, 0, "node", &key("run"))]);
    world.agent([wake_queue::signal(WS, &signal(&owned, Reason::Timer, Some(1), 1))]);
    assert_eq!(claimable(world, at(9)), []);
    assert_eq!(claimable(world, at(10)), std::slice::from_ref(&due));
    assert_eq!(claimable(world, at(11)), [due, later]);
}

fn the_claim_order_is_priority_then_due_time_then_agent(world: &World) {
    let agents: Vec<AgentId> = (0..5).map(|_| entry(world)).collect();
    let signals = [
        (Reason::Subscription, 1),
        (Reason::Timer, 5),
        (Reason::Timer, 5),
        (Reason::Timer, 3),
        (Reason::UserInitiated, 9),
    ];
    for (agent, (reason, due)) in agents.iter().zip(signals) {
        world.agent([wake_queue::signal(WS, &signal(agent, reason, Some(due), 1))]);
    }
    let order: Vec<AgentId> = [4, 3, 1, 2, 0].map(|n: usize| agents[n].clone()).to_vec();
    assert_eq!(claimable(world, at(100)), order);
    let first_two = world.all(wake_queue::claimable(WS, at(100), 2));
    assert_eq!(first_two.len(), 2);
    let waiting: Vec<_> =
        world.all(wake_queue::waiting(WS)).into_iter().map(|row| row.holder).collect();
    assert_eq!(waiting, order);
}

fn a_guard_prolongs_the_lease_of_its_owner_and_epoch_only(world: &World) {
    let agent = entry(world);
    world.agent([claim(&agent, 0, "node", &key("run"))]);
    world.agent([wake_queue::guard(WS, &agent, "node", 1, micros(3000))]);
    let held = row(world, &agent);
    assert_eq!(held.expires_at, Some(at(3000)));
    for (owner, epoch) in [("node", 0), ("node", 2), ("other", 1)] {
        let guard = wake_queue::guard(WS, &agent, owner, epoch, micros(9000));
        assert_eq!(world.agent_refusal([guard]), Refusal::LeaseLost, "{owner} {epoch}");
        let release = wake_queue::release(WS, &agent, owner, epoch);
        assert_eq!(world.agent_refusal([release]), Refusal::LeaseLost, "{owner} {epoch}");
        let requeued = wake_queue::requeue(WS, &agent, owner, epoch, Some(at(9000)), None);
        assert_eq!(world.agent_refusal([requeued]), Refusal::LeaseLost, "{owner} {epoch}");
    }
    assert_eq!(row(world, &agent), held);

    // Ops after a failed guard are not written either.
    let (_, text) = dormouse_store::text::put(WS, "too late");
    let late = [wake_queue::guard(WS, &agent, "node", 0, micros(9000)), text];
    assert_eq!(world.refusal(agent_commit(late)), Refusal::LeaseLost);
    assert_eq!(world.raw(dormouse_store::Db::Agent, "SELECT text FROM texts"), []);
}

fn a_release_ends_the_run_and_keeps_signals_that_came_meanwhile(world: &World) {
    let agent = entry(world);
    world.agent([claim(&agent, 0, "node", &key("run"))]);
    world.agent([wake_queue::signal(WS, &signal(&agent, Reason::Subscription, Some(40), 6))]);
    world.agent([wake_queue::release(WS, &agent, "node", 1)]);
    let expected = QueueEntry {
        reasons: vec![Reason::Subscription],
        first_signal_at: Some(at(1)),
        due_at: Some(at(40)),
        upto: Seq(6),
        priority: 3,
        epoch: 1,
        ..asleep(&agent)
    };
    assert_eq!(row(world, &agent), expected);
    let again = wake_queue::release(WS, &agent, "node", 1);
    assert_eq!(world.agent_refusal([again]), Refusal::LeaseLost);
}

fn a_requeued_run_is_claimed_again_under_its_key(world: &World) {
    let agent = entry(world);
    world.agent([claim(&agent, 0, "node", &key("run"))]);
    world.agent([wake_queue::requeue(WS, &agent, "node", 1, Some(at(60)), None)]);
    let waiting = row(world, &agent);
    assert_eq!((waiting.due_at, waiting.run_key.clone()), (Some(at(60)), Some(key("run"))));
    assert_eq!((waiting.owner.as_deref(), waiting.expires_at), (None, None));
    assert_eq!(claimable(world, at(59)), []);
    assert_eq!(claimable(world, at(60)), std::slice::from_ref(&agent));

    for (epoch, run) in [(0, "run"), (2, "run"), (1, "another run")] {
        let wrong = reclaim(&agent, epoch, "next", &key(run));
        assert_eq!(world.agent_refusal([wrong]), Refusal::LeaseLost, "{epoch} {run}");
    }
    world.agent([reclaim(&agent, 1, "next", &key("run"))]);
    let held = row(world, &agent);
    assert_eq!((held.owner.as_deref(), held.epoch), (Some("next"), 2));
    assert_eq!((held.due_at, held.expires_at), (None, Some(at(2000))));
    let again = reclaim(&agent, 2, "third", &key("run"));
    assert_eq!(world.agent_refusal([again]), Refusal::LeaseLost, "it has an owner");
}

fn signals_that_came_before_a_reclaim_wait_for_the_next_run(world: &World) {
    let agent = entry(world);
    world.agent([claim(&agent, 0, "node", &key("run"))]);
    world.agent([wake_queue::requeue(WS, &agent, "node", 1, Some(at(60)), None)]);
    world.agent([wake_queue::signal(WS, &signal(&agent, Reason::Subscription, Some(80), 6))]);
    world.agent([reclaim(&agent, 1, "next", &key("run"))]);
    let held = row(world, &agent);
    assert_eq!((held.due_at, held.reasons), (Some(at(60)), vec![Reason::Subscription]));
    assert_eq!(claimable(world, at(100)), [], "not while the run is active");
    world.agent([wake_queue::release(WS, &agent, "next", 2)]);
    assert_eq!(claimable(world, at(100)), [agent]);
}

fn an_interrupted_run_is_due_at_once_under_a_new_epoch(world: &World) {
    let agent = entry(world);
    world.agent([claim(&agent, 0, "dead", &key("run"))]);
    let dead = row(world, &agent);
    world.agent([wake_queue::interrupt(WS, &dead, Proof::Exclusive, 2, at(70))]);
    let free = row(world, &agent);
    let expected = QueueEntry {
        due_at: Some(at(70)),
        owner: None,
        expires_at: None,
        epoch: 2,
        crashes: 2,
        ..dead.clone()
    };
    assert_eq!(free, expected);
    assert_eq!(
        world.agent_refusal([wake_queue::interrupt(WS, &dead, Proof::Exclusive, 3, at(71))]),
        Refusal::LeaseLost
    );
    let stale = wake_queue::guard(WS, &agent, "dead", 1, micros(9000));
    assert_eq!(world.agent_refusal([stale]), Refusal::LeaseLost, "the dead owner may be alive");
    assert_eq!(row(world, &agent), expected);

    world.agent([reclaim(&agent, 2, "next", &key("run"))]);
    assert_eq!(row(world, &agent).crashes, 2, "crashes are counted until the run ends");
    world.agent([wake_queue::release(WS, &agent, "next", 3)]);
    assert_eq!(row(world, &agent).crashes, 0);
}

fn a_run_given_up_leaves_the_row_free(world: &World) {
    let agent = entry(world);
    world.agent([claim(&agent, 0, "dead", &key("run"))]);
    let held = row(world, &agent);
    assert_eq!(world.agent_refusal([wake_queue::abandon(WS, &held)]), Refusal::LeaseLost);
    world.agent([wake_queue::interrupt(WS, &held, Proof::Exclusive, 3, at(70))]);
    let dead = row(world, &agent);
    world.agent([wake_queue::abandon(WS, &dead)]);
    let expected = QueueEntry { run_key: None, epoch: 3, crashes: 0, due_at: None, ..dead.clone() };
    assert_eq!(row(world, &agent), expected);
    assert_eq!(world.agent_refusal([wake_queue::abandon(WS, &dead)]), Refusal::LeaseLost);
}

fn a_cancelled_run_leaves_what_it_was_to_see_pending(world: &World) {
    let agent = entry(world);
    world.agent([wake_queue::signal(WS, &signal(&agent, Reason::UserInitiated, Some(5), 7))]);
    world.agent([claim(&agent, 0, "one", &key("run"))]);
    let held = row(world, &agent);
    world.agent([wake_queue::cancel_run(WS, &held, Some(at(3)))]);
    let asleep = QueueEntry {
        reasons: vec![Reason::Subscription],
        first_signal_at: Some(at(3)),
        due_at: None,
        priority: 3,
        run_key: None,
        owner: None,
        epoch: 2,
        expires_at: None,
        ..held.clone()
    };
    assert_eq!(row(world, &agent), asleep);
    assert_eq!(
        world.agent_refusal([wake_queue::cancel_run(WS, &held, None)]),
        Refusal::LeaseLost,
        "it is not there any more"
    );
    // What came during the run stays as it is; a run that waits to be resumed is cancelled as well.
    world.agent([claim(&agent, 2, "one", &key("next"))]);
    world.agent([wake_queue::signal(WS, &signal(&agent, Reason::Timer, Some(50), 9))]);
    world.agent([wake_queue::requeue(WS, &agent, "one", 3, Some(at(60)), None)]);
    let waiting = row(world, &agent);
    world.agent([wake_queue::cancel_run(WS, &waiting, None)]);
    let left = QueueEntry { run_key: None, owner: None, epoch: 4, priority: 2, ..waiting.clone() };
    assert_eq!(row(world, &agent), left);
    assert_eq!((left.reasons, left.due_at), (vec![Reason::Timer], waiting.due_at));
}

fn a_run_that_moved_since_it_was_read_is_not_cancelled(world: &World) {
    let agent = entry(world);
    world.agent([claim(&agent, 0, "one", &key("run"))]);
    let held = row(world, &agent);
    world.agent([wake_queue::requeue(WS, &agent, "one", 1, Some(at(60)), None)]);
    let waiting = row(world, &agent);
    let cancel = |read: &QueueEntry| world.agent_refusal([wake_queue::cancel_run(WS, read, None)]);
    assert_eq!(cancel(&held), Refusal::LeaseLost, "its owner has put it back");
    world.agent([reclaim(&agent, 1, "other", &key("run"))]);
    assert_eq!(cancel(&waiting), Refusal::LeaseLost, "another node has resumed it");
    let running = row(world, &agent);
    world.agent([wake_queue::release(WS, &agent, "other", 2)]);
    assert_eq!(cancel(&running), Refusal::LeaseLost, "it has ended");
}

fn only_a_lease_that_ran_out_is_taken_from_an_owner_that_may_live(world: &World) {
    let agent = entry(world);
    world.agent([claim(&agent, 0, "slow", &key("run"))]);
    let seen = row(world, &agent);
    let take = |proof| wake_queue::interrupt(WS, &seen, proof, 1, at(70));
    world.clock.set(at(999));
    assert_eq!(world.agent_refusal([take(Proof::RunOut)]), Refusal::LeaseLost);
    assert_eq!(world.all(wake_queue::expired_leases(at(999))), []);
    // Renewed at the last moment: what was read before no longer suffices to take it over.
    world.agent([wake_queue::guard(WS, &agent, "slow", 1, micros(1000))]);
    world.clock.set(at(1000));
    assert_eq!(world.agent_refusal([take(Proof::RunOut)]), Refusal::LeaseLost);
    world.clock.set(at(1999));
    let found: Vec<_> = world.all(wake_queue::expired_leases(at(1999)));
    assert_eq!(found, [(WS, row(world, &agent))]);
    assert_eq!(world.all(wake_queue::owned_by("slow")), found);
    assert_eq!(world.all(wake_queue::owned_by("other")), []);
    world.agent([take(Proof::RunOut)]);
    assert_eq!(row(world, &agent).owner, None);
}

fn automatic_wakes_wait_for_the_end_of_a_sleep_and_a_persons_does_not(world: &World) {
    let agent = entry(world);
    let sleep = |agent, until| wake_queue::sleep_until(WS, agent, until, at(30), Some(at(40)));
    world.agent([sleep(&agent, Some(at(500)))]);
    world.agent([wake_queue::signal(WS, &signal(&agent, Reason::Subscription, Some(5), 1))]);
    assert_eq!(row(world, &agent).due_at, Some(at(500)));
    world.agent([wake_queue::signal(WS, &signal(&agent, Reason::Timer, Some(900), 1))]);
    assert_eq!(row(world, &agent).due_at, Some(at(500)), "the earlier time stays");
    world.agent([wake_queue::signal(WS, &signal(&agent, Reason::UserInitiated, Some(7), 1))]);
    assert_eq!(row(world, &agent).due_at, Some(at(7)));
    world.agent([sleep(&agent, Some(at(600)))]);
    assert_eq!(row(world, &agent).due_at, Some(at(7)), "a person waits for it");

    let other = entry(world);
    world.agent([wake_queue::signal(WS, &signal(&other, Reason::Subscription, Some(5), 1))]);
    world.agent([sleep(&other, Some(at(500)))]);
    assert_eq!(row(world, &other).due_at, Some(at(500)));
    world.agent([sleep(&other, Some(at(300)))]);
    assert_eq!(row(world, &other).due_at, Some(at(300)), "it moves with the end of the sleep");
    world.agent([sleep(&other, None)]);
    assert_eq!((row(world, &other).due_at, row(world, &other).sleep_until), (Some(at(30)), None));
}

fn a_later_try_outlasts_a_sleep_that_is_cleared(world: &World) {
    let agent = entry(world);
    let sleep = |until, retry| wake_queue::sleep_until(WS, &agent, until, at(30), retry);
    world.agent([wake_queue::signal(WS, &signal(&agent, Reason::Timer, Some(200), 1))]);
    world.agent([sleep(None, Some(at(200)))]);
    assert_eq!(row(world, &agent).due_at, Some(at(200)), "no sleep put it off");
    world.agent([sleep(Some(at(500)), Some(at(200)))]);
    assert_eq!(row(world, &agent).due_at, Some(at(500)));
    world.agent([sleep(None, Some(at(200)))]);
    assert_eq!(row(world, &agent).due_at, Some(at(200)));
    world.agent([sleep(Some(at(500)), None), sleep(None, None)]);
    assert_eq!(row(world, &agent).due_at, Some(at(30)), "a timer has no time of its own any more");
}

fn a_persons_run_keeps_its_place_until_it_ends(world: &World) {
    let agent = entry(world);
    let place = || row(world, &agent).priority;
    world.agent([wake_queue::signal(WS, &signal(&agent, Reason::UserInitiated, Some(5), 1))]);
    world.agent([claim(&agent, 0, "node", &key("run"))]);
    world.agent([wake_queue::signal(WS, &signal(&agent, Reason::Subscription, Some(80), 6))]);
    world.agent([wake_queue::requeue(WS, &agent, "node", 1, Some(at(60)), None)]);
    assert_eq!(place(), Reason::UserInitiated.priority());
    let sleep = wake_queue::sleep_until(WS, &agent, Some(at(500)), at(1), None);
    world.agent([sleep]);
    assert_eq!(row(world, &agent).due_at, Some(at(60)), "a person waits for it");
    world.agent([reclaim(&agent, 1, "next", &key("run"))]);
    assert_eq!(row(world, &agent).due_at, Some(at(500)), "nobody waits for the rest");
    world.agent([wake_queue::release(WS, &agent, "next", 2)]);
    assert_eq!(place(), Reason::Subscription.priority());
}

fn the_foremost_of_each_place_contains_the_oldest_of_all(world: &World) {
    let agents: Vec<AgentId> = (0..6).map(|_| entry(world)).collect();
    let signals = [
        (Reason::UserInitiated, 90),
        (Reason::UserInitiated, 95),
        (Reason::Timer, 40),
        (Reason::Subscription, 3),
        (Reason::Subscription, 2),
        (Reason::Creation, 999),
    ];
    for (agent, (reason, due)) in agents.iter().zip(signals) {
        world.agent([wake_queue::signal(WS, &signal(agent, reason, Some(due), 1))]);
    }
    let first_rows: Vec<_> = world
        .all(wake_queue::first_per_priority(WS, at(100)))
        .into_iter()
        .map(|row| row.holder)
        .collect();
    // A few of each: one of them may be damaged.
    assert_eq!(first_rows, [0, 1, 2, 4, 3].map(|n: usize| agents[n].clone()));
    assert_eq!(world.all(wake_queue::next_due(WS, at(100))), [Some(at(999))]);
    assert_eq!(world.all(wake_queue::next_due(WS, at(999))), [None]);
    assert_eq!(world.all(wake_queue::workspaces()), [WS]);
}

fn a_signal_from_the_future_is_due_now_and_others_are_left_alone(world: &World) {
    let (ahead, later) = (entry(world), entry(world));
    let with_due_beyond =
        Signal { at: at(5000), ..signal(&ahead, Reason::Subscription, Some(5002), 1) };
    world.agent([wake_queue::signal(WS, &with_due_beyond)]);
    world.agent([wake_queue::signal(WS, &signal(&later, Reason::Timer, Some(7000), 1))]);
    world.agent([wake_queue::clamp_due(WS, at(10), at(4000))]);
    assert_eq!(row(world, &ahead).due_at, Some(at(10)));
    assert_eq!(row(world, &later).due_at, Some(at(7000)), "a back-off is a time to come");
}

fn what_is_held_catches_up_and_what_is_silenced_does_not(world: &World) {
    let (held, silenced, idle) = (entry(world), entry(world), entry(world));
    for agent in [&held, &silenced] {
        world.agent([wake_queue::signal(WS, &signal(agent, Reason::Subscription, Some(5), 1))]);
    }
    world.agent([wake_queue::park(WS, &held), wake_queue::clear_signals(WS, &silenced)]);
    assert_eq!(claimable(world, at(100)), []);
    assert_eq!(row(world, &held).reasons, [Reason::Subscription]);
    assert_eq!(row(world, &silenced).reasons, []);
    for agent in [&held, &silenced, &idle] {
        world.agent([wake_queue::make_due(WS, agent, at(50))]);
    }
    assert_eq!(claimable(world, at(100)), std::slice::from_ref(&held));
    world.agent([wake_queue::make_due(WS, &held, at(90))]);
    assert_eq!(row(world, &held).due_at, Some(at(50)), "what is due stays as due as it is");
}

fn the_run_of_a_destroyed_agent_stays_due_until_it_is_ended(world: &World) {
    let (idle, interrupted) = (entry(world), entry(world));
    world.agent([wake_queue::signal(WS, &signal(&interrupted, Reason::Timer, Some(5), 1))]);
    world.agent([claim(&interrupted, 0, "node", &key("run"))]);
    world.agent([wake_queue::requeue(WS, &interrupted, "node", 1, None, None)]);
    for agent in [&idle, &interrupted] {
        world.agent([wake_queue::signal(WS, &signal(agent, Reason::Subscription, Some(5), 1))]);
        world.agent([wake_queue::destroy(WS, agent, at(50))]);
    }
    assert_eq!((row(world, &idle).due_at, row(world, &idle).reasons), (None, vec![]));
    let left = row(world, &interrupted);
    assert_eq!((left.due_at, left.reasons), (Some(at(50)), vec![]));
    assert_eq!(claimable(world, at(100)), std::slice::from_ref(&interrupted));
}

fn the_row_of_one_workspace_is_not_the_row_of_another(world: &World) {
    let agent = entry(world);
    world.agent([wake_queue::signal(OTHER_WS, &signal(&agent, Reason::Timer, Some(5), 1))]);
    assert_eq!(row(world, &agent), asleep(&agent));
    assert_eq!(world.first(wake_queue::of_holder(OTHER_WS, &agent)), None);
    let other = Claim {
        holder: (&agent).into(),
        epoch: 0,
        owner: "node",
        lasts: micros(1),
        run_key: &key("run"),
    };
    assert_eq!(world.agent_refusal([wake_queue::claim(OTHER_WS, &other)]), Refusal::LeaseLost);
}

fn runs_of_agent_work_are_no_agents_that_wait_or_run(world: &World) {
    let (waits, runs) = (world.id::<AgentId>(), world.id::<AgentId>());
    let others: [HolderId; 2] = [world.id::<WorkRunId>().into(), world.id::<WorkRunId>().into()];
    let claim_of = |holder: &HolderId, name: &str| {
        let run = key(name);
        let holder = holder.clone();
        wake_queue::claim(
            WS,
            &Claim { holder, epoch: 0, owner: "node", lasts: micros(1000), run_key: &run },
        )
    };
    world.agent([
        wake_queue::insert(WS, &waits, Some(at(5)), at(0)),
        wake_queue::insert(WS, &runs, Some(at(3)), at(0)),
        wake_queue::insert(WS, others[0].clone(), Some(at(4)), at(0)),
        wake_queue::insert(WS, others[1].clone(), Some(at(3)), at(0)),
        claim_of(&(&runs).into(), "agent"),
        claim_of(&others[1], "work"),
    ]);
    let count = WaitingCount { total: 1, due: 1, oldest_due: Some(at(5)), next_due: None };
    assert_eq!(world.only(wake_tally::waiting(WS, at(9))), count);
    assert_eq!(world.only(wake_tally::leased(WS, at(9))).0, 1);
}
