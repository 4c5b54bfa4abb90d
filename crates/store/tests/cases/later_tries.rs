//! What a failed or released run leaves in its agent's row, and how a feed position is repaired.

use std::time::Duration;

use dormouse_store::agent::feed_position::{self, Position};
use dormouse_store::agent::wake_queue::{self, Claim, QueueEntry, Reason, Signal};
use dormouse_store::{Db, Op, Refusal, params};
use dormouse_types::{AgentId, HostId, RunKey, Seq};

use crate::world::{WS, World, at};

each_engine!(
    a_later_try_puts_off_what_came_meanwhile,
    a_later_try_does_not_put_off_a_person,
    a_later_try_without_a_time_waits_until_it_is_caught_up,
    what_happens_by_itself_joins_a_timer_and_a_person_does_not_wait_for_it,
    who_is_let_run_again_before_the_run_is_put_back_is_due,
    a_run_that_ends_leaves_nothing_due_without_a_reason,
    a_position_that_cannot_be_read_is_mended_once,
);

fn row(world: &World, agent: &AgentId) -> QueueEntry {
    world.only(wake_queue::of_holder(WS, agent))
}

fn signal(agent: &AgentId, reason: Reason, due: i64) -> Op {
    let signal = Signal {
        holder: agent.into(),
        reason,
        at: at(1),
        due_at: Some(at(due)),
        upto: Seq(1),
        request_id: None,
    };
    wake_queue::signal(WS, &signal)
}

fn try_again(agent: &AgentId, due: Option<i64>) -> Op {
    wake_queue::schedule_retry(WS, agent, at(2), due.map(at), false)
}

/// An agent whose first run is active.
fn at_work(world: &World) -> AgentId {
    let agent: AgentId = world.id();
    let run_key = RunKey("run".into());
    let lasts = Duration::from_micros(1000);
    let claim =
        Claim { holder: agent.clone().into(), epoch: 0, owner: "me", lasts, run_key: &run_key };
    world
        .agent([wake_queue::insert(WS, &agent, Some(at(0)), at(0)), wake_queue::claim(WS, &claim)]);
    agent
}

fn release(agent: &AgentId) -> Op {
    wake_queue::release(WS, agent, "me", 1)
}

fn a_later_try_puts_off_what_came_meanwhile(world: &World) {
    let agent = at_work(world);
    world.agent([signal(&agent, Reason::Subscription, 3)]);
    world.agent([try_again(&agent, Some(30)), release(&agent)]);
    let left = row(world, &agent);
    assert_eq!(left.due_at, Some(at(30)));
    assert_eq!(left.reasons, [Reason::Subscription, Reason::Timer]);
}

fn a_later_try_does_not_put_off_a_person(world: &World) {
    for reason in [Reason::UserInitiated, Reason::Reanalysis] {
        let agent = at_work(world);
        world.agent([signal(&agent, reason, 3)]);
        world.agent([try_again(&agent, Some(30)), release(&agent)]);
        let left = row(world, &agent);
        assert_eq!((left.due_at, left.priority), (Some(at(3)), reason.priority()));
    }
}

fn a_later_try_without_a_time_waits_until_it_is_caught_up(world: &World) {
    let agent = at_work(world);
    world.agent([try_again(&agent, None), release(&agent)]);
    let left = row(world, &agent);
    assert_eq!((left.due_at, left.reasons), (None, vec![Reason::Timer]));
    world.agent([wake_queue::make_due(WS, &agent, at(40))]);
    assert_eq!(row(world, &agent).due_at, Some(at(40)));
}

fn what_happens_by_itself_joins_a_timer_and_a_person_does_not_wait_for_it(world: &World) {
    let agent = at_work(world);
    world.agent([try_again(&agent, Some(30)), release(&agent)]);
    for reason in [Reason::Subscription, Reason::Timer, Reason::Creation] {
        world.agent([signal(&agent, reason, 5)]);
        assert_eq!(row(world, &agent).due_at, Some(at(30)), "{reason:?}");
    }
    world.agent([signal(&agent, Reason::UserInitiated, 6)]);
    assert_eq!(row(world, &agent).due_at, Some(at(6)));
}

fn who_is_let_run_again_before_the_run_is_put_back_is_due(world: &World) {
    let (held, resumed) = (at_work(world), at_work(world));
    world.agent([wake_queue::make_due(WS, &resumed, at(7))]);
    for agent in [&held, &resumed] {
        world.agent([wake_queue::requeue(WS, agent, "me", 1, None, None)]);
    }
    assert_eq!(row(world, &held).due_at, None);
    assert_eq!(row(world, &resumed).due_at, Some(at(7)));
}

fn a_run_that_ends_leaves_nothing_due_without_a_reason(world: &World) {
    let (quiet, called) = (at_work(world), at_work(world));
    for agent in [&quiet, &called] {
        world.agent([wake_queue::make_due(WS, agent, at(7))]);
    }
    world.agent([signal(&called, Reason::Subscription, 9)]);
    for agent in [&quiet, &called] {
        world.agent([release(agent)]);
    }
    assert_eq!(row(world, &quiet).due_at, None);
    assert_eq!(row(world, &called).due_at, Some(at(7)));
}

fn a_position_that_cannot_be_read_is_mended_once(world: &World) {
    let host: HostId = world.id();
    let agent = Some(world.store.host(Db::Agent));
    let place = |seq| Position { host: host.clone(), seq: Seq(seq), agent: agent.clone() };
    world.agent([feed_position::advance(WS, None, &place(3))]);
    let sql = "UPDATE feed_position SET host = 'nonsense' WHERE ws = ?1";
    world.agent([Op::any(sql, params![WS.0])]);
    let damaged = world.try_all(feed_position::read(WS)).expect_err("it cannot be read");
    assert!(damaged.to_string().contains("nonsense"), "{damaged}");
    let written = world.only(feed_position::as_written(WS));
    assert_eq!(written, ["nonsense", "3"]);
    world.agent([feed_position::mend(WS, &written, &place(9))]);
    assert_eq!(world.only(feed_position::read(WS)), place(9));
    let again = feed_position::mend(WS, &written, &place(5));
    assert_eq!(world.agent_refusal([again]), Refusal::FeedMoved);
}
