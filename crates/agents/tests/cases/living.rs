use dormouse_agents::AgentError;
use dormouse_journal::Edit;
use dormouse_runs::End;
use dormouse_store::agent::agent_entity::{Automation, DormantReason, Lifecycle};
use dormouse_store::agent::wake_queue::Reason;
use dormouse_types::AgentId;
use dormouse_types::agent::MessageKind;
use dormouse_types::agent::WakeReason;
use dormouse_types::port::Stage;

use crate::world::{WS, World, automated, me, now, routine_report};

fn lifecycle(world: &World, agent: &AgentId) -> (Lifecycle, Option<DormantReason>) {
    let agent = now(world.agents.agent(WS, agent)).expect("the agent").doc.value;
    (agent.lifecycle, agent.dormant_reason)
}

const DONE: [End; 1] = [End::Completed { cut: false }];

#[test]
fn an_agent_is_created_and_its_first_run_makes_it_active() {
    let world = World::new();
    let task = world.task("Move", &[]);
    let agent = world.create(&task);
    assert_eq!(lifecycle(&world, &agent), (Lifecycle::Created, None));
    world.script.push(routine_report());
    assert_eq!(world.ends(&task), DONE, "an agent created explicitly starts at once");
    assert_eq!(lifecycle(&world, &agent), (Lifecycle::Active, None));
    assert_eq!(world.ends(&task), [], "and sleeps");
}

#[test]
fn a_second_agent_is_refused_by_the_name_of_the_first() {
    let (world, task, agent) = World::settled();
    let error = world.try_create(&task, true).expect_err("a second one");
    assert!(matches!(&error, AgentError::Exists { agent: first, .. } if *first == agent));
    assert!(error.to_string().contains(agent.to_string().as_str()), "{error}");
    assert_eq!(world.ends(&task), [], "and wakes nobody");
}

#[test]
fn an_agent_nobody_named_waits_until_its_task_says_something() {
    for edit in [
        Edit::note("The keys come on Friday."),
        Edit::AddItem { title: "Pack".into(), is_checked: false, depth: 0 },
    ] {
        let world = World::new();
        let task = world.task("Move", &[]);
        let agent = world.try_create(&task, false).expect("an agent");
        assert_eq!(world.ends(&task), [], "an empty task costs nothing");
        world.later(86_400);
        assert_eq!(world.drain_due(), []);
        world.script.push(routine_report());
        world.edit(&task, &[edit]);
        assert_eq!(world.ends(&task), DONE);
        assert_eq!(world.runs(&agent)[0].reason, WakeReason::Creation);
    }
    let world = World::new();
    let task = world.task("Move", &["The keys come on Friday."]);
    world.try_create(&task, false).expect("an agent");
    world.script.push(routine_report());
    assert_eq!(world.ends(&task), DONE, "a task with content needs no waiting");
}

#[test]
fn with_automation_off_a_change_waits_for_the_person() {
    let (world, task, agent) = World::settled();
    let set = |automation| world.set_automation(&agent, automation);
    set(Automation::Off);
    world.note(&task, "The van is booked.");
    world.later(86_400);
    assert_eq!((world.ends(&task), world.drain_due()), (vec![], vec![]));
    let row = world.row(&agent);
    assert!(row.due_at.is_none() && row.first_signal_at.is_some(), "stale, not due: {row:?}");
    world.script.push(routine_report());
    world.wake(&agent, Reason::UserInitiated, None);
    assert_eq!(world.ends(&task), DONE);
    assert!(world.row(&agent).first_signal_at.is_none(), "caught up");
    let request = world.last_request();
    let delta = crate::world::text(&request, dormouse_types::model::FragmentKind::Delta);
    assert!(delta.is_some_and(|delta| delta.contains("The van is booked.")));
    assert_eq!(world.ends(&task), []);

    world.note(&task, "The boxes are here.");
    assert_eq!(world.ends(&task), []);
    world.script.push(routine_report());
    set(Automation::On);
    world.later(1);
    assert_eq!(world.drain_due().len(), 1, "what waited runs");
    set(Automation::Off);
    set(Automation::On);
    assert_eq!(world.drain_due(), [], "nothing waited, nobody wakes");
}

#[test]
fn a_paused_agent_sleeps_through_changes_and_sees_them_when_resumed() {
    let (world, task, agent) = World::settled();
    now(world.agents.pause(WS, &agent, &me())).expect("paused");
    assert_eq!(lifecycle(&world, &agent), (Lifecycle::Dormant, Some(DormantReason::Paused)));
    world.note(&task, "The van is booked.");
    world.later(86_400);
    assert_eq!((world.ends(&task), world.drain_due()), (vec![], vec![]));
    let error = now(world.agents.wake(WS, &agent, Reason::UserInitiated, None, &me()));
    let error = error.expect_err("it is paused").to_string();
    assert!(error.contains("dormant: resume it first"), "{error}");
    now(world.agents.resume(WS, &agent, &me())).expect("resumed");
    world.script.push(routine_report());
    assert_eq!(world.ends(&task), DONE);
    assert_eq!(lifecycle(&world, &agent), (Lifecycle::Active, None));
    now(world.agents.resume(WS, &agent, &me())).expect("resuming twice is no news");
    assert_eq!(world.ends(&task), []);
}

#[test]
fn an_agent_that_is_paused_with_a_wake_waiting_does_not_run_it() {
    let (world, task, agent) = World::settled();
    world.note(&task, "The van is booked.");
    world.route();
    assert!(world.row(&agent).due_at.is_some());
    now(world.agents.pause(WS, &agent, &me())).expect("paused");
    world.later(86_400);
    assert_eq!((world.ends(&task), world.drain_due()), (vec![], vec![]));
    world.script.push(routine_report());
    now(world.agents.resume(WS, &agent, &me())).expect("resumed");
    assert_eq!(world.ends(&task), DONE);
}

#[test]
fn a_destroyed_agent_never_runs_again_and_blocks_no_other() {
    let (world, task, agent) = World::settled();
    world.note(&task, "The van is booked.");
    world.route();
    now(world.agents.destroy(WS, &agent, &me())).expect("destroyed");
    now(world.agents.destroy(WS, &agent, &me())).expect("twice is no news");
    assert_eq!(lifecycle(&world, &agent), (Lifecycle::Destroyed, None));
    world.note(&task, "The boxes are here.");
    world.later(86_400);
    assert_eq!((world.ends(&task), world.drain_due()), (vec![], vec![]));
    for result in [
        now(world.agents.wake(WS, &agent, Reason::UserInitiated, Some("Hello?"), &me())),
        now(world.agents.wake(WS, &agent, Reason::Reanalysis, None, &me())),
        now(world.agents.resume(WS, &agent, &me())),
        now(world.agents.pause(WS, &agent, &me())),
        now(world.agents.configure(WS, &agent, &automated(Automation::On), &me())),
    ] {
        let error = result.expect_err("it is gone").to_string();
        assert!(error.contains("destroyed: create a new agent for its task"), "{error}");
    }
    assert_eq!(world.runs(&agent).len(), 1, "its history stays");
    assert!(world.report(&agent).is_some());
    assert!(!world.said(&agent, MessageKind::Thought).is_empty());

    let next = world.create(&task);
    assert_ne!(next, agent);
    world.script.push(routine_report());
    assert_eq!(world.ends(&task), DONE);
    let live = now(world.agents.of_task(WS, &task)).expect("readable").expect("an agent");
    assert_eq!(live.doc.value.id, next);
}

#[test]
fn a_deleted_task_puts_its_agent_to_sleep_without_asking_a_model() {
    let (world, task, agent) = World::settled();
    let n_requests = world.script.requests().len();
    world.edit(&task, &[Edit::Delete]);
    assert_eq!(world.ends(&task), [End::Skipped]);
    assert_eq!(world.script.requests().len(), n_requests);
    assert_eq!(lifecycle(&world, &agent), (Lifecycle::Dormant, Some(DormantReason::TaskDeleted)));
    let error = world.try_create(&task, true).expect_err("no agent for a deleted task");
    assert!(matches!(error, AgentError::TaskDeleted { .. }), "{error:?}");
}

#[test]
fn five_failures_in_a_row_and_the_agent_gives_up_until_it_is_resumed() {
    let (world, task, agent) = World::settled();
    world.note(&task, "The van is booked.");
    let mut failures = 0;
    let mut waited = Vec::new();
    while lifecycle(&world, &agent).0 == Lifecycle::Active {
        let ran = world.drain_due();
        failures += ran.iter().filter(|ran| matches!(ran.end, End::Failed { .. })).count();
        let state = now(world.agents.state(WS, &agent)).expect("the state").value;
        assert_eq!(state.consecutive_failure_count, i64::try_from(failures).expect("few"));
        let clock: &dyn dormouse_types::port::Clock = &world.clock;
        waited
            .extend(state.next_wake_at.map(|at| (at.micros() - clock.now().micros()) / 1_000_000));
        world.later(3);
        if let Some(at) = state.next_wake_at {
            world.clock.set(at);
        }
        assert!(failures <= 5);
    }
    assert_eq!(failures, 5);
    assert_eq!(lifecycle(&world, &agent), (Lifecycle::Dormant, Some(DormantReason::Failures)));
    assert!(waited.windows(2).all(|pair| pair[0] <= pair[1]), "each wait is longer: {waited:?}");
    world.later(86_400);
    assert_eq!(world.drain_due(), []);
    now(world.agents.resume(WS, &agent, &me())).expect("resumed");
    world.note(&task, "Try again.");
    world.script.push(routine_report());
    assert_eq!(world.ends(&task), DONE);
    let state = now(world.agents.state(WS, &agent)).expect("the state").value;
    assert_eq!(state.consecutive_failure_count, 0);
}

/// A run that was claimed before its agent was stopped; returns whether the model was called.
fn stopped(world: &World, task: &dormouse_types::TaskId, agent: &AgentId, stop: impl Fn()) {
    let lease = world.claim_after_a_note(task, agent);
    let n_requests = world.script.requests().len();
    stop();
    let ran = world.run_lease(lease);
    assert!(matches!(ran.end, End::Requeued { .. }), "{ran:?}");
    assert_eq!(
        world.script.requests().len(),
        n_requests,
        "it is checked right before the model is called"
    );
}

#[test]
fn an_agent_that_is_paused_during_its_run_goes_on_when_it_is_resumed() {
    let (world, task, agent) = World::settled();
    stopped(&world, &task, &agent, || {
        now(world.agents.pause(WS, &agent, &me())).expect("paused");
    });
    now(world.agents.resume(WS, &agent, &me())).expect("resumed");
    world.later(61);
    world.script.push(routine_report());
    let ran = world.drain_due();
    assert_eq!(ran.iter().map(|ran| ran.end.clone()).collect::<Vec<_>>(), DONE);
    assert_eq!(world.runs(&agent).len(), 2, "the same run went on");
}

#[test]
fn an_agent_that_is_destroyed_during_its_run_never_runs_again() {
    let (world, task, agent) = World::settled();
    stopped(&world, &task, &agent, || {
        now(world.agents.destroy(WS, &agent, &me())).expect("destroyed");
    });
    for _ in 0..3 {
        world.later(86_400);
        assert_eq!((world.ends(&task), world.drain_due()), (vec![], vec![]));
    }
    assert!(world.row(&agent).due_at.is_none(), "nothing is left to look at");
}

const PAUSED: (Lifecycle, Option<DormantReason>) =
    (Lifecycle::Dormant, Some(DormantReason::Paused));

/// A run that was claimed before a person wrote to its agent and deleted its task; then the task is
/// restored.
fn task_gone_during_a_run(
    say: impl Fn(&World, &AgentId),
) -> (World, dormouse_types::TaskId, AgentId) {
    let (world, task, agent) = World::settled();
    let lease = world.claim_after_a_note(&task, &agent);
    say(&world, &agent);
    world.edit(&task, &[Edit::Delete]);
    assert_eq!(world.run_lease(lease).end, End::Skipped);
    world.edit(&task, &[Edit::Restore]);
    (world, task, agent)
}

#[test]
fn an_agent_that_was_paused_before_its_task_went_sleeps_on_when_the_task_is_back() {
    let (world, task, agent) = task_gone_during_a_run(World::pause);
    assert_eq!(lifecycle(&world, &agent), PAUSED);
    world.later(86_400);
    assert_eq!((world.ends(&task), world.drain_due()), (vec![], vec![]));
    assert_eq!(lifecycle(&world, &agent), PAUSED);
    world.resume(&agent);
    world.answers(1);
    assert_eq!(world.ends(&task), DONE, "what it missed is seen");
}

#[test]
fn an_agent_that_was_destroyed_before_its_task_went_is_over_when_the_task_is_back() {
    let (world, task, agent) = task_gone_during_a_run(|world, agent| {
        now(world.agents.destroy(WS, agent, &me())).expect("destroyed");
    });
    assert_eq!(lifecycle(&world, &agent), (Lifecycle::Destroyed, None));
    world.later(86_400);
    assert_eq!((world.ends(&task), world.drain_due()), (vec![], vec![]));
    assert_eq!(lifecycle(&world, &agent), (Lifecycle::Destroyed, None));
}

#[test]
fn an_agent_that_is_paused_during_its_last_failure_is_paused() {
    let (world, task, agent) = World::settled();
    world.note(&task, "The van is booked.");
    let failed = || {
        let ran = world.drain_due();
        assert!(matches!(&ran[..], [ran] if matches!(ran.end, End::Failed { .. })), "{ran:?}");
        world.later(3600);
    };
    (0..4).for_each(|_| failed());
    let (agents, who) = (world.agents.clone(), agent.clone());
    world.hooks.once(Stage::AfterEffect, "model.ask", move || {
        now(agents.pause(WS, &who, &me())).expect("paused");
    });
    failed();
    assert!(world.hooks.is_done());
    assert_eq!(world.agent_state(&agent).consecutive_failure_count, 5);
    assert_eq!(lifecycle(&world, &agent), PAUSED);
}
