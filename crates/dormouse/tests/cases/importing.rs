use dormouse::view::{ImportEvent, ImportOutcome};
use dormouse::{ImportOptions, TaskFilter};
use dormouse_types::agent::Lifecycle;
use dormouse_types::{AgentId, TaskId};

use crate::world::{World, me, now};

fn import(world: &World, text: &str) -> Vec<(TaskId, Option<AgentId>)> {
    world.later(60);
    let options = ImportOptions { with_agents: true, dry_run: false, format: None };
    let mut made = Vec::new();
    let mut on_event = |event| {
        if let ImportEvent::Task { task_id: Some(task), agent_id, .. } = event {
            made.push((task, agent_id));
        }
    };
    now(world.dormouse.import(&me(), "list.md", text.as_bytes(), options, &mut on_event))
        .expect("imported");
    made
}

#[test]
fn an_imported_task_with_content_gets_an_agent_that_runs() {
    let world = World::new();
    let made = import(&world, "# Move\n\nThe van comes on Friday.\n\n- [ ] Pack\n");
    assert_eq!(made.len(), 1);
    let agent = made[0].1.clone().expect("an agent");
    world.answer(&[]);
    assert_eq!(world.drain(&made[0].0).len(), 1);
    assert_eq!(world.fresh_agent(&agent).lifecycle, Lifecycle::Active);
    assert_eq!(world.drain(&made[0].0).len(), 0, "its own import does not wake it again");
    // The same file again: the same tasks, the same agents, nothing to do.
    assert_eq!(import(&world, "# Move\n\nThe van comes on Friday.\n\n- [ ] Pack\n"), made);
    assert_eq!(world.drain(&made[0].0).len(), 0);
    let page = now(world.dormouse.tasks(&me(), TaskFilter::default(), 9, None)).expect("tasks");
    assert_eq!(page.items.len(), 1);
}

#[test]
fn an_imported_task_that_says_nothing_yet_costs_nothing_until_it_does() {
    let world = World::new();
    let made = import(&world, "---\ntitle: Garden\n---\n");
    let Some((task, Some(agent))) = made.first().cloned() else { panic!("{made:?}") };
    world.later(86_400);
    assert!(world.drain(&task).is_empty());
    assert!(world.script.asked().is_empty());
    world.note(&task, "Buy seeds.");
    world.answer(&[]);
    assert_eq!(world.drain(&task).len(), 1);
    assert_eq!(world.fresh_agent(&agent).lifecycle, Lifecycle::Active);
}

#[test]
fn a_task_that_has_an_agent_keeps_it() {
    let world = World::new();
    let text = "# Move\n\n- [ ] Pack\n";
    let options = ImportOptions::default();
    let mut task = None;
    let mut on_event = |event| {
        if let ImportEvent::Task { task_id, .. } = event {
            task = task_id;
        }
    };
    now(world.dormouse.import(&me(), "list.md", text.as_bytes(), options, &mut on_event))
        .expect("imported");
    let own = world.agent(&task.expect("a task"));
    assert_eq!(import(&world, text)[0].1, Some(own.id));
}

#[test]
fn a_dry_run_tells_and_writes_nothing() {
    let world = World::new();
    let before = world.rows();
    let options = ImportOptions { with_agents: true, dry_run: true, format: None };
    let mut planned = 0;
    let mut on_event = |event| {
        if let ImportEvent::Task { outcome, task_id: None, .. } = event {
            assert_eq!(outcome, ImportOutcome::Planned);
            planned += 1;
        }
    };
    now(world.dormouse.import(&me(), "a.md", b"# A\n\n- [ ] One\n", options, &mut on_event))
        .expect("read");
    assert_eq!((planned, world.rows()), (1, before));
}
