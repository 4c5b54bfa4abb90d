//! What an agent is doing, and since when, as lists and its own page tell it.

use dormouse::view::RowActivity;
use dormouse_types::agent::{AgentActivity, Initiator, WakeReason};
use std::time::Duration;

use dormouse::{AgentFilter, TaskFilter};
use dormouse_store::agent::{wake_queue, wake_run};
use dormouse_store::{Commit, Db, Op};
use dormouse_types::{Id as _, RunKey, Seq, ThreadId, Timestamp};

use crate::world::{World, me, now};

fn write(world: &World, op: Op) {
    let commit = Commit::new("test.write", Db::Agent, dormouse::WORKSPACE).op(op);
    now(world.store.commit(commit)).expect("written");
}

/// The names of the agents that do any of these, newest first.
fn doing(world: &World, activities: &[AgentActivity]) -> Vec<String> {
    let filter = AgentFilter { activities: activities.to_vec(), ..AgentFilter::default() };
    let page = now(world.dormouse.agents(&me(), &filter, 9, None)).expect("a page");
    page.items.into_iter().map(|agent| agent.display_name).collect()
}

fn agent(world: &World, title: &str) -> dormouse::view::Agent {
    let task = world.task(title);
    let name = Some(title.to_owned());
    now(world.dormouse.create_agent(&me(), &task.id, name, None)).expect("an agent")
}

/// What the row of each task says of its agent, by title.
fn rows(world: &World) -> Vec<(String, Option<RowActivity>)> {
    let filter = TaskFilter { sort: dormouse::Sort::Title, ..TaskFilter::default() };
    let page = now(world.dormouse.tasks(&me(), filter, 9, None)).expect("a page");
    page.items.into_iter().map(|row| (row.title, row.agent_activity)).collect()
}

#[test]
fn an_agent_at_work_says_since_when_and_no_other_does() {
    let world = World::new();
    let agent = agent(&world, "Bath");
    assert_eq!((agent.activity.name(), agent.awake_since), ("queued", None));
    let begun: Timestamp =
        "2026-03-02T09:30:00Z".parse().map(Timestamp::from_jiff).expect("a time");
    let key = RunKey("k".into());
    let run = wake_run::Run {
        key: key.clone(),
        holder: (&agent.id).into(),
        reason: WakeReason::Creation.into(),
        reason_id: None,
        initiator: Initiator::Automation.into(),
        thread: ThreadId::fresh(begun, &dormouse_testkit::CountingEntropy::seeded(7)),
        status: wake_run::Status::Started,
        logical_change_key: None,
        processed: Seq(0),
        upto: Seq(1),
        heard_upto: Seq(0),
        epoch: 1,
        crashes: 0,
        model: None,
        cut: false,
        created_at: begun,
        started_at: Some(begun),
        completed_at: None,
        error: None,
        failure: None,
        usage: dormouse_types::model::Usage::default(),
    };
    let epoch = now(world.dormouse.agent_state(&me(), &agent.id)).expect("a state").epoch;
    let lasts = Duration::from_secs(60);
    let claim = wake_queue::Claim {
        holder: (&agent.id).into(),
        epoch,
        owner: "node-7",
        lasts,
        run_key: &key,
    };
    write(&world, wake_queue::claim(dormouse::WORKSPACE, &claim));
    write(&world, wake_run::insert(dormouse::WORKSPACE, &run));
    let shown = world.fresh_agent(&agent.id);
    assert_eq!((shown.activity.name(), shown.awake_since), ("running", Some(begun)));
    let page = now(world.dormouse.agents(&me(), &AgentFilter::default(), 9, None));
    let listed = page.expect("a page").items.remove(0);
    assert_eq!((listed.activity.name(), listed.awake_since), ("running", Some(begun)));
}

#[test]
fn who_is_to_wake_far_ahead_sleeps_until_the_time_comes() {
    let world = World::new();
    let [far, soon, paused] = ["Far", "Soon", "Paused"].map(|title| agent(&world, title));
    for agent in [&far, &paused] {
        now(world.dormouse.cancel_wake(&me(), &agent.id)).expect("cancelled");
    }
    now(world.dormouse.pause_agent(&me(), &paused.id, None)).expect("paused");
    now(world.dormouse.cancel_wake(&me(), &soon.id)).expect("cancelled");
    let signal = |agent: &dormouse::view::Agent, due: &str| {
        let due = due.parse().map(Timestamp::from_jiff).expect("a time");
        let signal = wake_queue::Signal {
            holder: (&agent.id).into(),
            reason: wake_queue::Reason::Timer,
            at: agent.created_at,
            due_at: Some(due),
            upto: Seq(1),
            request_id: None,
        };
        write(&world, wake_queue::signal(dormouse::WORKSPACE, &signal));
        due
    };
    let due = signal(&far, "2026-03-02T12:00:00Z");
    signal(&soon, "2026-03-02T09:03:30Z");
    let shown = world.fresh_agent(&far.id);
    assert_eq!((shown.activity.name(), shown.due_at), ("asleep", Some(due)));
    assert_eq!(doing(&world, &[AgentActivity::Queued]), ["Soon"]);
    assert_eq!(doing(&world, &[AgentActivity::Running, AgentActivity::Queued]), ["Soon"]);
    assert_eq!(doing(&world, &[AgentActivity::Asleep]), ["Paused", "Far"]);
    assert_eq!(
        doing(&world, &[AgentActivity::Asleep, AgentActivity::Queued]),
        ["Paused", "Soon", "Far"]
    );
    let says = |title: &str, activity| (title.to_owned(), Some(activity));
    assert_eq!(
        rows(&world),
        [
            says("Far", RowActivity::Asleep),
            says("Paused", RowActivity::Dormant),
            says("Soon", RowActivity::Queued)
        ]
    );
    world.later(3 * 3600);
    assert_eq!(world.fresh_agent(&far.id).activity, AgentActivity::Queued);
    assert_eq!(rows(&world)[0], says("Far", RowActivity::Queued));
}
