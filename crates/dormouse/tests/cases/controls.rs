//! What a person can set on an agent, and what is refused.

use dormouse::AgentPatch;
use dormouse_store::agent::wake_queue;
use dormouse_store::{Commit, Db};
use dormouse_types::agent::{AgentActivity, Automation};
use dormouse_types::{Seq, Timestamp};

use crate::world::{World, me, now, slug};

fn time(text: &str) -> Timestamp {
    Timestamp::from_jiff(text.parse().expect("a time"))
}

#[test]
fn settings_of_one_request_are_made_all_or_none() {
    let world = World::new();
    let (_, agent, _) = world.proposed(&[]);
    let before = world.rows();
    let wrong = AgentPatch {
        automation: Some(Automation::Off),
        sleep_until: Some(Some(time("2026-03-01T09:00:00Z"))),
        wake_on_linked: Some(true),
        model: None,
        template: None,
    };
    let error = now(world.dormouse.edit_agent(&me(), &agent.id, wrong.clone(), None));
    let error = error.expect_err("a time that is over");
    assert_eq!(slug(&error), ("validation-failed", 422));
    assert_eq!(error.problem().extra["errors"][0]["pointer"], "/sleepUntil");
    assert_eq!(world.rows(), before);
    let until = time("2026-03-09T09:00:00Z");
    let right = AgentPatch { sleep_until: Some(Some(until)), ..wrong };
    let key = || Some("once".to_owned());
    let set = now(world.dormouse.edit_agent(&me(), &agent.id, right.clone(), key())).expect("set");
    let settings = (set.automation.name(), set.wake_on_linked, set.sleep_until);
    assert_eq!(settings, ("off", true, Some(until)));
    // Sent again it changes nothing, whatever was set since.
    let on = AgentPatch { automation: Some(Automation::On), ..AgentPatch::default() };
    now(world.dormouse.edit_agent(&me(), &agent.id, on, None)).expect("set");
    let again = now(world.dormouse.edit_agent(&me(), &agent.id, right, key())).expect("answered");
    assert_eq!((again.automation.name(), again.sleep_until), ("on", Some(until)));
    let other = AgentPatch { automation: Some(Automation::Auto), ..AgentPatch::default() };
    let error = now(world.dormouse.edit_agent(&me(), &agent.id, other, key()));
    assert_eq!(slug(&error.expect_err("another request")).0, "idempotency-mismatch");
}

#[test]
fn an_agent_that_sleeps_until_a_time_wakes_for_a_person_and_then_by_itself() {
    let world = World::new();
    let (task, agent, _) = world.proposed(&[]);
    let until = time("2026-03-09T09:00:00Z");
    let sleep = AgentPatch { sleep_until: Some(Some(until)), ..AgentPatch::default() };
    now(world.dormouse.edit_agent(&me(), &agent.id, sleep, None)).expect("set");
    world.note(&task.id, "The van is booked.");
    now(world.dormouse.drain(dormouse::DrainScope::default(), &mut |_| {})).expect("routed");
    assert_eq!(world.fresh_agent(&agent.id).due_at, Some(until));
    let wake = AgentPatch { sleep_until: Some(None), ..AgentPatch::default() };
    let awake = now(world.dormouse.edit_agent(&me(), &agent.id, wake, None)).expect("set");
    assert_eq!(awake.sleep_until, None);
    assert!(awake.due_at.is_some_and(|due| due < until), "{awake:?}");
}

#[test]
fn what_only_made_the_report_stale_is_not_made_due_by_a_setting() {
    let world = World::new();
    let (_, agent, _) = world.proposed(&[]);
    let linked = wake_queue::Signal {
        holder: (&agent.id).into(),
        reason: wake_queue::Reason::Subscription,
        at: time("2026-03-02T09:00:00Z"),
        due_at: None,
        upto: Seq(0),
        request_id: None,
    };
    let signal = wake_queue::signal(dormouse::WORKSPACE, &linked);
    let commit = Commit::new("test.write", Db::Agent, dormouse::WORKSPACE).op(signal);
    now(world.store.commit(commit)).expect("written");
    let until = time("2026-03-09T09:00:00Z");
    for sleep_until in [Some(Some(until)), Some(None)] {
        let patch = AgentPatch { sleep_until, ..AgentPatch::default() };
        let set = now(world.dormouse.edit_agent(&me(), &agent.id, patch, None)).expect("set");
        assert_eq!((set.due_at, set.stale_since), (None, Some(linked.at)));
    }
}

#[test]
fn a_time_beyond_ten_years_and_one_that_is_over_are_refused_by_field() {
    let world = World::new();
    let (_, agent, _) = world.proposed(&[]);
    for (at, word) in
        [("2026-03-02T09:00:00Z", "in the past"), ("2036-03-20T09:00:00Z", "ten years")]
    {
        let wake = now(world.dormouse.wake_agent_at(&me(), &agent.id, Some(time(at)), None));
        let patch = AgentPatch { sleep_until: Some(Some(time(at))), ..AgentPatch::default() };
        let sleep = now(world.dormouse.edit_agent(&me(), &agent.id, patch, None));
        for (error, field) in [(wake, "/at"), (sleep, "/sleepUntil")] {
            let error = error.expect_err(at);
            assert_eq!(slug(&error), ("validation-failed", 422));
            assert!(error.to_string().contains(word), "{error}");
            assert_eq!(error.problem().extra["errors"][0]["pointer"], field);
        }
    }
    let nearly = time("2036-02-20T09:00:00Z");
    now(world.dormouse.wake_agent_at(&me(), &agent.id, Some(nearly), None)).expect("within");
}

#[test]
fn a_cancelled_wake_does_not_come_and_what_changed_stays_known() {
    let world = World::new();
    let (task, agent, _) = world.proposed(&[]);
    world.note(&task.id, "The van is booked.");
    now(world.dormouse.drain(dormouse::DrainScope::default(), &mut |_| {})).expect("routed");
    let cancelled = now(world.dormouse.cancel_wake(&me(), &agent.id)).expect("cancelled");
    assert_eq!((cancelled.agent.activity.name(), cancelled.agent.due_at), ("asleep", None));
    assert!(world.drain(&task.id).is_empty());
    let again = now(world.dormouse.cancel_wake(&me(), &agent.id)).expect("nothing waits");
    assert_eq!(again.agent.activity, AgentActivity::Asleep);
}
