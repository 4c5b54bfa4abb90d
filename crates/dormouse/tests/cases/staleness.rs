use dormouse::DrainScope;
use dormouse_types::RunKey;
use dormouse_types::agent::{Automation, RunStatus};

use crate::world::{World, me, now, slug};

#[test]
fn with_automation_off_an_edit_makes_the_report_stale_until_the_agent_is_woken() {
    let world = World::new();
    let (task, agent, _) = world.proposed(&[]);
    let off = world.automation(&agent.id, Automation::Off, None).expect("set");
    assert_eq!((off.automation, off.automatic, off.stale_since), (Automation::Off, false, None));
    let at = world.note(&task.id, "The van is booked.").updated_at;
    assert!(world.drain(&task.id).is_empty());
    let stale = world.fresh_agent(&agent.id);
    assert_eq!((stale.stale_since, stale.due_at), (Some(at), None));
    let report = now(world.dormouse.report(&me(), &agent.id)).expect("readable").expect("a report");
    assert_eq!(report.stale_since, Some(at));
    world.note(&task.id, "And paid.");
    world.drain(&task.id);
    assert_eq!(world.fresh_agent(&agent.id).stale_since, Some(at), "since the first change");
    world.answer(&[]);
    now(world.dormouse.wake_agent(&me(), &agent.id, None, None)).expect("woken");
    let ran = world.drain(&task.id);
    assert_eq!((ran.len(), ran[0].status.name()), (1, "completed"));
    assert_eq!(world.fresh_agent(&agent.id).stale_since, None);
}

#[test]
fn switching_automation_on_runs_what_waited() {
    let world = World::new();
    let (task, agent, _) = world.proposed(&[]);
    world.automation(&agent.id, Automation::Off, None).expect("set");
    world.note(&task.id, "The van is booked.");
    assert!(world.drain(&task.id).is_empty());
    let on = world.automation(&agent.id, Automation::On, None).expect("set");
    assert!(on.automatic && on.due_at.is_some());
    world.later(1);
    world.answer(&[]);
    let due = DrainScope { all_due: true, ..DrainScope::default() };
    assert_eq!(world.drain_scope(due).expect("a drain").len(), 1);
}

#[test]
fn an_outcome_of_a_run_counts_what_it_left() {
    let world = World::new();
    let task = world.task("Move");
    let agent = world.agent(&task.id);
    world.answer(&[
        ("update_task_estimate", serde_json::json!({ "minutes": 60 })),
        ("record_observations", serde_json::json!({ "observations": ["One.", "Two."] })),
    ]);
    let ran = world.drain(&task.id).remove(0);
    assert_eq!((&ran.agent_id, ran.task_title.as_str()), (&agent.id, "Move"));
    assert_eq!((ran.report, ran.proposals, ran.observations), (true, 1, 2));
    let read = now(world.dormouse.wake_outcome(&me(), &agent.id, &ran.run_key)).expect("readable");
    assert_eq!(format!("{read:?}"), format!("{ran:?}"), "as the drain returned it");
    let other = RunKey("0".repeat(64));
    let missing = now(world.dormouse.wake_outcome(&me(), &agent.id, &other)).expect_err("no run");
    assert_eq!(slug(&missing), ("not-found", 404));
    let seen = now(world.dormouse.overview(&me())).expect("an overview");
    assert_eq!((seen.tasks, seen.agents, seen.open_proposals, seen.waiting_agents), (1, 1, 1, 0));
    assert_eq!(seen.open_operations, 0);
    world.note(&task.id, "More.");
    let ran = world.drain(&task.id).remove(0);
    assert_eq!(ran.status, RunStatus::Failed, "the script has no answer");
    assert!(ran.error.is_some_and(|error| error.contains("no answer")));
}
