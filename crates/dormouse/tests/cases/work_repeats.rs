//! Work without a language model that runs day after day, and what it has reported before.

use dormouse::dates::Wording;
use dormouse::view::WorkRun;
use dormouse::{DrainScope, NewTask, NewWork};
use dormouse_types::WorkId;
use dormouse_types::work_kind::{Agenda, AgendaList, Watch, WorkParameters};

use crate::world::{World, me, now};

const DAY: u64 = 24 * 3600;

/// Work that runs on request.
fn work(world: &World, parameters: WorkParameters) -> WorkId {
    let new = NewWork {
        title: "Daily".into(),
        parameters: Some(parameters),
        waits_for_calls: true,
        ..NewWork::default()
    };
    now(world.dormouse.create_work(&me(), new, Wording::default(), None)).expect("work").id
}

/// Runs it; returns the run.
fn run(world: &World, work: &WorkId) -> WorkRun {
    now(world.dormouse.run_work(&me(), work, None)).expect("it is queued");
    world.drain_scope(DrainScope { all_due: true, ..DrainScope::default() }).expect("a drain");
    now(world.dormouse.work_detail(&me(), work)).expect("a detail").runs.remove(0)
}

fn summary(run: &WorkRun) -> &str {
    run.summary.as_deref().unwrap_or_default()
}

#[test]
fn an_agenda_tells_each_change_once() {
    let world = World::new();
    let task = world.task("Call the dentist");
    let lists = vec![AgendaList::Changed];
    let work = work(&world, WorkParameters::Agenda(Agenda { lists, ..Agenda::default() }));
    world.note(&task.id, "They open at ten.");
    world.later(1800);
    let first = run(&world, &work);
    assert!(summary(&first).ends_with("1 task changed"), "{first:?}");
    world.later(3600);
    world.note(&task.id, "Monday at four.");
    world.later(DAY - 3600);
    let second = run(&world, &work);
    let reported = second.result.as_deref().unwrap_or_default();
    assert!(reported.contains("1 new note"), "{second:?}");
    world.later(DAY);
    let third = run(&world, &work);
    assert_eq!((third.n, summary(&third)), (3, "There was nothing to say."), "{third:?}");
}

#[test]
fn a_watch_that_has_said_nothing_does_not_claim_that_it_has() {
    let world = World::new();
    let due_on = Some("2026-02-02".parse().expect("a day"));
    let new = NewTask { title: "Taxes".into(), due_on, ..NewTask::default() };
    now(world.dormouse.create_task(&me(), new, None)).expect("a task");
    let work = work(&world, WorkParameters::Watch(Watch::default()));
    world.later(1800);
    assert_eq!(summary(&run(&world, &work)), "There was nothing to say.");
    world.later(DAY);
    assert_eq!(summary(&run(&world, &work)), "Nothing is new since the last run.");
}
