//! A node that serves: merged wakes, follow-ups, back-off, late opt-out, a graceful stop.

use dormouse_types::agent::Initiator;
use dormouse_types::agent::MessageKind;
use std::time::Duration;

use dormouse_journal::Edit;
use dormouse_runs::End;
use dormouse_scheduler::Options;
use dormouse_store::agent::agent_entity::{Automation, DormantReason, Lifecycle};
use dormouse_store::agent::wake_queue::Reason;
use dormouse_store::{Db, params};
use dormouse_testkit::scripted::Answer;
use dormouse_types::model::ModelError;
use dormouse_types::port::{Clock as _, Stage};
use dormouse_types::task::Priority;
use dormouse_types::{AgentId, Id as _};
use dormouse_world::as_agent;
use serde_json::json;

use crate::world::node::{Node, NodeEvent};
use crate::world::{DONE, WS, World, automated, now, report};

fn refused() -> Answer {
    Answer::Fails(ModelError::Request { detail: "too long".into() })
}

#[test]
fn changes_within_the_window_are_one_wake_that_names_them_all() {
    let (world, task, agent) = World::settled();
    let mut node = world.serve();
    world.answers(1);
    for (n, millis) in [0, 900, 1090].into_iter().enumerate() {
        node.pass(Duration::from_millis(millis));
        world.note_now(&task, &format!("Note {n}."));
        node.settle();
    }
    node.pass(Duration::from_millis(9));
    assert_eq!(node.ran(), [], "the window of 2 s is not over");
    node.pass(Duration::from_millis(1));
    assert_eq!(node.ran(), [(agent.clone(), DONE)], "a later change does not stretch the window");
    let delta = world.last_delta();
    assert!((0..3).all(|n| delta.contains(&format!("Note {n}."))), "{delta}");
    node.pass_seconds(3600);
    assert_eq!(node.ran(), []);
    assert_eq!(world.runs(&agent).len(), 2);
}

#[test]
fn the_window_of_a_paid_model_is_two_minutes() {
    let (world, task, agent) = World::settled();
    world.model.is_paid();
    let mut node = world.serve();
    world.answers(1);
    world.note_now(&task, "First.");
    node.pass_seconds(119);
    world.note_now(&task, "Last.");
    node.pass(Duration::from_millis(999));
    assert_eq!(node.ran(), []);
    node.pass(Duration::from_millis(1));
    assert_eq!(node.ran(), [(agent, DONE)]);
    let delta = world.last_delta();
    assert!(delta.contains("First.") && delta.contains("Last."), "{delta}");
}

#[test]
fn signals_during_a_run_are_exactly_one_follow_up() {
    let (world, task, agent) = World::settled();
    let mut node = world.serve();
    world.answers(2);
    world.model.close();
    world.note_now(&task, "Before.");
    node.pass_seconds(2);
    let n_asks = world.model.asks();
    world.note_now(&task, "During, one.");
    node.pass_seconds(5);
    world.note_now(&task, "During, two.");
    world.wake_now(&agent, None);
    node.pass_seconds(5);
    assert_eq!((node.ran(), world.model.asks()), (vec![], n_asks), "one run at a time");
    world.model.open();
    node.settle();
    assert_eq!(node.ran(), [(agent.clone(), DONE), (agent.clone(), DONE)]);
    let delta = world.last_delta();
    assert!(delta.contains("During, one.") && delta.contains("During, two."), "{delta}");
    assert!(!delta.contains("Before."), "{delta}");
    node.pass_seconds(3600);
    assert_eq!(node.ran(), [], "and no more than one");
    assert_eq!(world.row(&agent).due_at, None);
}

/// A node whose only agent waits for its retry after a failed run.
fn backing_off() -> (World, dormouse_types::TaskId, AgentId, Node, dormouse_types::Timestamp) {
    let (world, task, agent) = World::settled();
    let mut node = world.serve();
    world.script.push(refused());
    world.note_now(&task, "It goes wrong.");
    node.pass_seconds(2);
    assert!(matches!(&node.ran()[..], [(_, End::Failed { .. })]));
    let at = world.agent_state(&agent).next_wake_at.expect("a later try");
    assert!(at >= world.clock.now() + Duration::from_secs(30));
    (world, task, agent, node, at)
}

#[test]
fn signals_during_back_off_join_it_and_do_not_shorten_it() {
    let (world, task, agent, mut node, at) = backing_off();
    world.answers(1);
    world.note_now(&task, "It goes on.");
    node.pass_seconds(10);
    assert_eq!((node.ran(), world.row(&agent).due_at), (vec![], Some(at)));
    let before = dormouse_types::Timestamp::from_micros(at.micros() - 1);
    node.pass(Duration::from_micros(
        u64::try_from(before.micros() - world.clock.now().micros()).expect("later"),
    ));
    assert_eq!(node.ran(), []);
    node.pass(Duration::from_micros(1));
    assert_eq!(node.ran(), [(agent.clone(), DONE)]);
    let delta = world.last_delta();
    assert!(delta.contains("It goes wrong.") && delta.contains("It goes on."), "{delta}");
    node.pass_seconds(3600);
    assert_eq!(node.ran(), [], "one wake for both");
}

#[test]
fn a_change_that_came_during_the_run_that_failed_does_not_shorten_its_back_off() {
    let (world, task, agent) = World::settled();
    let mut node = world.serve();
    world.script.push(refused());
    world.model.close();
    world.note_now(&task, "It goes wrong.");
    node.pass_seconds(2);
    world.note_now(&task, "Meanwhile.");
    node.pass_seconds(5);
    world.model.open();
    node.settle();
    assert!(matches!(&node.ran()[..], [(_, End::Failed { .. })]));
    let at = world.agent_state(&agent).next_wake_at;
    assert_eq!(world.row(&agent).due_at, at);
    world.answers(1);
    node.pass_seconds(40);
    assert_eq!(node.ran(), [(agent, DONE)]);
    assert!(world.last_delta().contains("Meanwhile."));
}

#[test]
fn a_persons_wake_does_not_wait_for_the_back_off() {
    let (world, _, agent, mut node, _) = backing_off();
    world.answers(1);
    world.wake_now(&agent, None);
    node.settle();
    assert_eq!(node.ran(), [(agent.clone(), DONE)]);
    assert!(world.last_delta().contains("It goes wrong."));
    node.pass_seconds(3600);
    assert_eq!(node.ran(), [], "the later try was for the same");
    assert_eq!(world.agent_state(&agent).next_wake_at, None);
}

#[test]
fn what_a_person_said_is_said_again_when_the_run_failed() {
    let (world, _, agent) = World::settled();
    let mut node = world.serve();
    world.script.push(refused());
    world.wake_now(&agent, Some("What about the van?"));
    node.settle();
    assert!(matches!(&node.ran()[..], [(_, End::Failed { .. })]));
    world.answers(1);
    node.pass_seconds(60);
    assert_eq!(node.ran(), [(agent, DONE)]);
    let kind = dormouse_types::model::FragmentKind::Message;
    let words = crate::world::text(&world.last_request(), kind);
    assert!(words.is_some_and(|words| words.contains("What about the van?")));
}

#[test]
fn an_agent_that_gave_up_catches_up_when_it_is_resumed() {
    let (world, task, agent) = World::settled();
    let mut node = world.serve();
    (0..5).for_each(|_| world.script.push(refused()));
    world.note_now(&task, "The van is booked.");
    node.pass_seconds(3600);
    assert_eq!(node.ran().len(), 5);
    assert_eq!(world.agent_row(&agent).dormant_reason, Some(DormantReason::Failures));
    world.answers(1);
    world.resume(&agent);
    node.pass_seconds(1);
    assert_eq!(node.ran(), [(agent, DONE)]);
    assert!(world.last_delta().contains("The van is booked."));
}

#[test]
fn what_came_due_while_nothing_ran_runs_at_the_start() {
    let (world, task, agent) = World::settled();
    let mut node = world.serve();
    world.note_now(&task, "The van is booked.");
    node.settle();
    assert!(world.row(&agent).due_at.is_some());
    drop(node);
    world.later(86_400);
    world.answers(1);
    let mut node = world.serve();
    assert_eq!(node.ran(), [(agent, DONE)]);
}

#[test]
fn the_sweep_finds_what_no_hint_and_no_deadline_points_to() {
    let (world, _, agent) = World::settled();
    let mut node = world.serve();
    world.answers(1);
    // A commit without a change row wakes no listener.
    world.write_directly(
        Db::Agent,
        "UPDATE wake_queue SET due_at = ?3, first_signal_at = ?3, reasons = 16, priority = 0
         WHERE ws = ?1 AND agent_id = ?2",
        params![WS.0, agent.as_str(), world.clock.now()],
    );
    node.settle();
    assert_eq!(node.ran(), []);
    node.pass_seconds(60);
    assert_eq!(node.ran(), [(agent, DONE)]);
}

#[derive(Clone, Copy, Debug)]
enum OptOut {
    Pause,
    Destroy,
    AutomationOff,
}

const OPT_OUTS: [OptOut; 3] = [OptOut::Pause, OptOut::Destroy, OptOut::AutomationOff];

fn opt_out(agents: &dormouse_agents::Agents, agent: &AgentId, how: OptOut) {
    let me = crate::world::me();
    match how {
        OptOut::Pause => now(agents.pause(WS, agent, &me)),
        OptOut::Destroy => now(agents.destroy(WS, agent, &me)),
        OptOut::AutomationOff => now(agents.configure(WS, agent, &automated(Automation::Off), &me)),
    }
    .expect("accepted");
}

#[test]
fn who_opts_out_after_the_claim_spends_nothing_and_is_not_woken_again() {
    for how in OPT_OUTS {
        for label in ["run.claim", "run.request"] {
            let (world, task, agent) = World::settled();
            let mut node = world.serve();
            let asks = world.model.asks();
            let (agents, who) = (world.agents.clone(), agent.clone());
            world.hooks.once(Stage::AfterCommit, label, move || opt_out(&agents, &who, how));
            world.note_now(&task, "The van is booked.");
            node.pass_seconds(2);
            let ran = node.ran();
            assert!(matches!(&ran[..], [(_, End::Requeued { .. })]), "{how:?} {label}: {ran:?}");
            assert!(world.hooks.is_done());
            let claims = world.hooks.commits("run.claim");
            node.pass_seconds(3600);
            assert_eq!(world.model.asks(), asks, "{how:?} after {label}");
            assert_eq!(world.hooks.commits("run.claim"), claims, "{how:?}: not tried again");
            assert_eq!((node.ran(), world.row(&agent).due_at), (vec![], None), "{how:?} {label}");
        }
    }
}

#[test]
fn who_opts_out_during_back_off_is_not_woken_by_it() {
    for how in OPT_OUTS {
        let (world, _, agent, mut node, _) = backing_off();
        let asks = world.model.asks();
        opt_out(&world.agents, &agent, how);
        node.pass_seconds(7200);
        assert_eq!((node.ran(), world.model.asks()), (vec![], asks), "{how:?}");
        assert_eq!(world.row(&agent).due_at, None, "{how:?}");
    }
}

#[test]
fn an_agent_paused_during_its_run_is_let_alone_until_it_is_resumed() {
    let (world, task, agent) = World::settled();
    let mut node = world.serve();
    let (agents, who) = (world.agents.clone(), agent.clone());
    world.hooks.once(Stage::AfterCommit, "run.claim", move || {
        opt_out(&agents, &who, OptOut::Pause);
    });
    world.note_now(&task, "The van is booked.");
    node.pass_seconds(2);
    assert!(matches!(&node.ran()[..], [(_, End::Requeued { .. })]));
    let run = world.runs(&agent).remove(0);
    let commits = world.hooks.all_commits();
    node.pass_seconds(7200);
    assert_eq!(world.hooks.all_commits(), commits, "nothing is written meanwhile");
    world.note_now(&task, "The boxes are here.");
    node.pass_seconds(7200);
    assert_eq!(node.ran(), []);
    world.answers(2);
    world.resume(&agent);
    node.pass_seconds(3);
    let events = node.take();
    let keys: Vec<_> = events
        .iter()
        .map(|event| match event {
            NodeEvent::Ran(_, key, end) => (key.clone(), end.clone()),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(keys[0], (run.key, DONE), "the same run goes on");
    assert!(keys.len() <= 2, "{keys:?}");
    assert!(world.last_delta().contains("The boxes are here."));
}

#[test]
fn who_is_resumed_while_the_run_is_put_back_runs() {
    let (world, task, agent) = World::settled();
    let mut node = world.serve();
    world.answers(1);
    let (agents, who) = (world.agents.clone(), agent.clone());
    world.hooks.once(Stage::AfterCommit, "run.claim", move || {
        opt_out(&agents, &who, OptOut::Pause);
    });
    let (agents, who) = (world.agents.clone(), agent.clone());
    world.hooks.once(Stage::BeforeCommit, "run.putBack", move || {
        now(agents.resume(WS, &who, &crate::world::me())).expect("resumed");
    });
    world.note_now(&task, "The van is booked.");
    node.pass_seconds(3);
    assert!(world.hooks.is_done());
    let ran = node.ran();
    assert!(matches!(&ran[..], [(_, End::Requeued { .. }), (_, DONE)]), "{ran:?}");
    assert_eq!(world.runs(&agent).len(), 2);
    node.pass_seconds(3600);
    assert_eq!(node.ran(), []);
}

#[test]
fn switching_automation_on_during_a_run_starts_no_second_one() {
    let (world, task, agent) = World::settled();
    let mut node = world.serve();
    world.answers(2);
    world.model.close();
    world.note_now(&task, "The van is booked.");
    node.pass_seconds(2);
    world.set_automation(&agent, Automation::On);
    node.settle();
    world.model.open();
    node.pass_seconds(3600);
    assert_eq!(node.ran(), [(agent, DONE)]);
}

#[test]
fn a_person_wakes_an_agent_whose_own_run_was_held_when_automation_went_off() {
    let (world, task, agent) = World::settled();
    let mut node = world.serve();
    let (agents, who) = (world.agents.clone(), agent.clone());
    world.hooks.once(Stage::AfterCommit, "run.claim", move || {
        opt_out(&agents, &who, OptOut::AutomationOff);
    });
    world.note_now(&task, "The van is booked.");
    node.pass_seconds(2);
    assert!(matches!(&node.ran()[..], [(_, End::Requeued { .. })]));
    world.answers(1);
    node.pass_seconds(1);
    world.wake_now(&agent, Some("And now?"));
    node.settle();
    assert_eq!(node.ran(), [(agent.clone(), DONE)]);
    assert_eq!(world.runs(&agent)[0].initiator, Initiator::Person);
    assert!(world.last_delta().contains("The van is booked."));
    node.pass_seconds(3600);
    assert_eq!(node.ran(), []);
}

#[test]
fn a_graceful_stop_puts_runs_back_and_the_next_node_goes_on_with_them() {
    let (world, task, agent) = World::settled();
    let (second, other) = world.another("Paint the fence");
    let mut node = world.serve();
    // One has completed its first turn.
    let calls =
        [report("Half way.", "Half."), ("record_observations", json!({"observations": ["A."]}))];
    world.script.push(Answer::calls(calls).and_goes_on());
    world.model.close();
    world.model.let_one_pass();
    world.note_now(&task, "The van is booked.");
    node.pass_seconds(1);
    world.note_now(&second, "Two coats.");
    node.pass_seconds(2);
    assert_eq!(world.script.requests().len(), 3, "one turn was answered");
    assert_eq!(world.model.at_once().0, 2);
    let keys = |world: &World| [&agent, &other].map(|agent| world.runs(agent)[0].key.clone());
    let before = keys(&world);
    let events = node.stop();
    assert_eq!(events.len(), 2, "{events:?}");
    assert!(events.iter().all(|event| matches!(event, NodeEvent::Ran(_, _, End::Requeued { .. }))));
    for agent in [&agent, &other] {
        let run = world.runs(agent).remove(0);
        assert_eq!((run.status.name(), run.crashes), ("queued", 0));
        assert_eq!(world.row(agent).owner, None);
        assert_eq!(world.agent_state(agent).consecutive_failure_count, 0);
    }
    world.model.open();
    world.answers(2);
    let mut node = world.serve();
    assert_eq!(node.ran().len(), 2);
    assert_eq!(keys(&world), before, "the same runs");
    let turns: Vec<u32> = world
        .script
        .requests()
        .iter()
        .filter(|request| request.run_key == before[0])
        .map(|request| request.turn)
        .collect();
    assert_eq!(turns, [1, 2], "a recorded turn is not requested again");
    assert_eq!(world.said(&agent, MessageKind::Observation), ["A."]);
}

#[test]
fn a_node_that_is_stopped_at_once_claims_nothing() {
    let (world, task, agent) = World::settled();
    world.note(&task, "The van is booked.");
    world.later(60);
    let mut node = Node::start(&world.agents.scheduler(), &world.clock, Options::default());
    let asks = world.model.asks();
    assert_eq!(node.take(), []);
    assert_eq!(node.stop(), []);
    assert_eq!(world.model.asks(), asks);
    assert_eq!(world.runs(&agent).len(), 1);
}

#[test]
fn the_turns_of_a_failed_run_stay_for_audit_and_are_no_memory() {
    let (world, task, agent) = World::settled();
    let mut node = world.serve();
    let calls = [("record_observations", json!({ "observations": ["Never remembered."] }))];
    world.script.push(Answer::calls(calls).and_goes_on());
    world.script.push(refused());
    world.note_now(&task, "The van is booked.");
    node.pass_seconds(2);
    assert!(matches!(&node.ran()[..], [(_, End::Failed { .. })]));
    assert!(
        world
            .said(&agent, MessageKind::Thought)
            .iter()
            .any(|text| text.contains("Never remembered."))
    );
    assert_eq!(world.content(&agent), "Nothing yet.");
    assert_eq!(world.said(&agent, MessageKind::Observation), Vec::<String>::new());
    world.answers(1);
    node.pass_seconds(60);
    assert_eq!(node.ran(), [(agent, DONE)]);
    let request = world.last_request();
    let whole: String = request.fragments.iter().map(|piece| piece.text.as_str()).collect();
    assert!(!whole.contains("Never remembered."), "{whole}");
}

#[test]
fn a_deleted_task_puts_its_agent_to_sleep_and_a_restored_one_wakes_it() {
    let (world, task, agent) = World::settled();
    let mut node = world.serve();
    world.edit_task(&task, &[Edit::note("One more thing."), Edit::Delete]);
    node.pass_seconds(2);
    assert_eq!(node.ran(), [(agent.clone(), End::Skipped)]);
    let row = world.agent_row(&agent);
    let asleep = (Lifecycle::Dormant, Some(DormantReason::TaskDeleted));
    assert_eq!((row.lifecycle, row.dormant_reason), asleep);
    node.pass_seconds(3600);
    assert_eq!(node.ran(), []);
    world.answers(1);
    world.edit_task(&task, &[Edit::Restore]);
    world.note_now(&task, "It is back.");
    node.pass_seconds(2);
    assert_eq!(node.ran(), [(agent.clone(), DONE)]);
    assert!(world.last_delta().contains("It is back."));
    assert_eq!(world.agent_row(&agent).lifecycle, Lifecycle::Active);
}

#[test]
fn a_task_that_comes_and_goes_while_nobody_looks_is_as_it_is_in_the_end() {
    let (world, task, agent) = World::settled();
    world.edit_task(&task, &[Edit::Delete]);
    world.later(10);
    let mut node = world.serve();
    assert_eq!(node.ran(), [(agent.clone(), End::Skipped)]);
    drop(node);
    for edit in [Edit::Restore, Edit::Delete, Edit::Restore, Edit::note("Back for good.")] {
        world.edit(&task, &[edit]);
    }
    world.answers(1);
    let mut node = world.serve();
    assert_eq!(node.ran(), [(agent.clone(), DONE)]);
    assert!(world.last_delta().contains("Back for good."));
    assert_eq!(world.agent_row(&agent).lifecycle, Lifecycle::Active);
}

#[test]
fn a_persons_word_among_the_agents_own_writes_is_not_lost() {
    let (world, task, agent) = World::settled();
    let own = as_agent(&agent);
    let write = |priority| {
        now(world.journal.edit(WS, &task, &[Edit::Priority(Some(priority))], &own))
            .expect("edited");
    };
    write(Priority::P0);
    world.note_now(&task, "The van is booked.");
    write(Priority::P1);
    let mut node = world.serve();
    world.answers(1);
    node.pass_seconds(2);
    assert_eq!(node.ran(), [(agent, DONE)]);
    assert!(world.last_delta().contains("The van is booked."));
}

#[test]
fn no_more_runs_at_once_than_a_node_may_have() {
    for (wanted, expected) in [(0, 1), (1, 1), (3, 3), (64, 64), (65, 64)] {
        let world = World::new();
        let agents: Vec<AgentId> = (0..70)
            .map(|n| world.create(&world.task(&format!("Task {n}"), &["It began."])))
            .collect();
        world.model.close();
        let mut node = world.serve_with(Options { concurrency: wanted, offset: 0 });
        assert_eq!(world.model.at_once(), (expected, expected), "of {wanted}");
        world.answers(agents.len());
        world.model.open();
        node.settle();
        let ran = node.ran();
        assert_eq!(ran.len(), agents.len(), "of {wanted}: everybody had a turn");
        assert!(ran.iter().all(|(_, end)| *end == DONE));
        assert_eq!(world.model.at_once(), (0, expected), "of {wanted}");
    }
}

#[test]
fn a_node_with_nothing_to_do_writes_nothing() {
    let (world, _, agent) = World::settled();
    let mut node = world.serve();
    let commits = world.hooks.all_commits();
    node.pass_seconds(3600);
    assert_eq!((node.ran(), world.hooks.all_commits()), (vec![], commits));
    assert_eq!(world.row(&agent).due_at, None);
    // A wake that finds nothing new leaves one row and asks no model.
    let asks = world.model.asks();
    world.write_directly(
        Db::Agent,
        "UPDATE wake_queue SET due_at = ?3, first_signal_at = ?3, reasons = 1
         WHERE ws = ?1 AND agent_id = ?2",
        params![WS.0, agent.as_str(), world.clock.now()],
    );
    node.pass_seconds(60);
    assert_eq!(node.ran(), [(agent.clone(), End::Skipped)]);
    assert_eq!(world.model.asks(), asks);
    assert_eq!(world.runs(&agent)[0].reason, Reason::Subscription);
}

#[test]
fn an_answer_that_comes_after_many_heartbeats_still_counts() {
    let (world, task, agent) = World::settled();
    let mut node = world.serve();
    world.answers(1);
    world.model.close();
    world.note_now(&task, "The van is booked.");
    node.pass_seconds(2);
    let other = world.owned_by("other");
    for _ in 0..4 {
        node.pass_seconds(60);
        let taken = now(other.scheduler().take_over_dead(&std::collections::BTreeSet::new()));
        assert_eq!(taken.expect("looked"), Vec::<String>::new(), "it is alive");
    }
    world.model.open();
    node.settle();
    assert_eq!(node.ran(), [(agent.clone(), DONE)]);
    assert_eq!(world.runs(&agent)[0].crashes, 0);
}
