//! Changes one link away: they join the next wake, or wake at once any agent that opted in.

use dormouse_journal::Edit;
use dormouse_runs::End;
use dormouse_store::agent::agent_entity::Agent;
use dormouse_store::agent::{entity, timer};
use dormouse_store::{ChangeRow, Commit, Db};
use dormouse_types::limits::LINKS_PER_TASK;
use dormouse_types::model::FragmentKind;
use dormouse_types::task::{LinkKind, Priority};
use dormouse_types::{AgentId, Id as _, Origin, TaskId};

use crate::world::{WS, World, now, text};

const DONE: End = End::Completed { cut: false };

/// Changes one task that others are linked to.
fn change_linked_task(world: &World, origin: Origin, task: &TaskId, linked: &[TaskId]) {
    let mut change = ChangeRow::journal(origin, vec![task.clone()], Vec::new());
    change.neighbours = linked.to_vec();
    let commit = Commit::new("test.change", Db::Journal, WS).change(change);
    now(world.store.commit(commit)).expect("written");
}

fn person() -> Origin {
    Origin::Person { via: None }
}

fn wakes_on_linked(world: &World, agent: &AgentId) {
    let stored = now(world.store.first(entity::by_id::<Agent>(WS, agent.as_str())));
    let mut stored = stored.expect("readable").expect("the agent");
    stored.doc.value.config.wake_on_linked = true;
    let commit = Commit::new("test.config", Db::Agent, WS).op(entity::replace(WS, &stored));
    now(world.store.commit(commit)).expect("written");
}

#[test]
fn a_change_one_link_away_is_noted_and_joins_the_next_wake() {
    let (world, task, agent) = World::settled();
    let (other, _) = world.another("Sell the old flat");
    let mut node = world.serve();
    world.answers(2);
    change_linked_task(&world, person(), &other, std::slice::from_ref(&task));
    node.pass_seconds(600);
    let ran: Vec<AgentId> = node.ran().into_iter().map(|(agent, _)| agent).collect();
    assert!(!ran.contains(&agent), "it is not woken");
    let row = world.row(&agent);
    assert!(row.due_at.is_none() && row.first_signal_at.is_some(), "it is stale: {row:?}");
    world.note_now(&task, "The van is booked.");
    node.pass_seconds(2);
    assert_eq!(node.ran(), [(agent.clone(), DONE)]);
    let run = &world.runs(&agent)[0];
    assert!(run.upto >= row.upto, "what the run saw is at least as new: {run:?}");
    let row = world.row(&agent);
    assert_eq!((row.due_at, row.first_signal_at), (None, None), "it has caught up");
}

#[test]
fn who_wants_to_is_woken_at_once_by_a_change_one_link_away() {
    let (world, task, agent) = World::settled();
    let (other, _) = world.another("Sell the old flat");
    wakes_on_linked(&world, &agent);
    let mut node = world.serve();
    world.answers(2);
    change_linked_task(&world, person(), &other, &[task]);
    node.pass_seconds(2);
    let ran: Vec<AgentId> = node.ran().into_iter().map(|(agent, _)| agent).collect();
    assert!(ran.contains(&agent), "{ran:?}");
}

#[test]
fn a_change_one_link_away_is_news_to_an_agent_that_opted_in() {
    let (world, flat, mover) = World::settled();
    let (sale, seller) = world.another("Sell the old flat");
    wakes_on_linked(&world, &mover);
    let mut node = world.serve();
    world.answers(2);
    world.edit_task(&flat, &[blocks(&sale)]);
    node.pass_seconds(2);
    assert_eq!(node.ran().len(), 2, "the link is news to both");

    world.answers(2);
    world.edit_task(
        &sale,
        &[Edit::note("The agency wants photos."), Edit::DueOn(Some(jiff::civil::date(2026, 4, 1)))],
    );
    node.pass_seconds(600);
    let mut ran = node.ran();
    ran.sort_by_key(|(agent, _)| *agent != mover);
    assert_eq!(ran, [(mover.clone(), DONE), (seller, DONE)]);
    let deltas: Vec<String> = (world.script.requests().iter().rev().take(2))
        .map(|request| text(request, FragmentKind::Delta).expect("a delta"))
        .collect();
    let news = format!(
        "- 2026-03-02 linked task Sell the old flat (id: {sale}): 2 changes (dueDate: none -> 2026-04-01; entries changed)"
    );
    assert!(deltas.iter().any(|delta| delta.contains(&news)), "{deltas:?}");
    let row = world.row(&mover);
    assert_eq!((row.due_at, row.first_signal_at), (None, None), "it has caught up");
}

#[test]
fn a_linked_task_that_is_deleted_or_restored_is_news() {
    let (world, flat, mover) = World::settled();
    let sale = world.task("Sell the old flat", &[]);
    wakes_on_linked(&world, &mover);
    let mut node = world.serve();
    world.answers(1);
    world.edit_task(&flat, &[blocks(&sale)]);
    node.pass_seconds(2);
    assert_eq!(node.ran(), [(mover.clone(), DONE)]);
    for (edit, expected) in [(Edit::Delete, "(deleted)"), (Edit::Restore, "(restored)")] {
        world.answers(1);
        world.edit_task(&sale, &[edit]);
        node.pass_seconds(600);
        assert_eq!(node.ran(), [(mover.clone(), DONE)], "{expected}");
        let requests = world.script.requests();
        let delta = text(requests.last().expect("a request"), FragmentKind::Delta);
        let news = format!("linked task Sell the old flat (id: {sale}): 1 change {expected}");
        assert!(delta.as_deref().is_some_and(|it| it.contains(&news)), "{delta:?}");
    }
}

#[test]
fn a_change_of_a_task_that_is_linked_in_both_directions_is_news_once() {
    let (world, flat, mover) = World::settled();
    let (sale, _) = world.another("Sell the old flat");
    wakes_on_linked(&world, &mover);
    let mut node = world.serve();
    world.answers(4);
    world.edit_task(&flat, &[blocks(&sale)]);
    node.pass_seconds(2);
    world.edit_task(&sale, &[blocks(&flat)]);
    node.pass_seconds(600);
    node.ran();
    world.answers(2);
    world.edit_task(&sale, &[Edit::DueOn(Some(jiff::civil::date(2026, 4, 1)))]);
    node.pass_seconds(600);
    let news = format!(
        "linked task Sell the old flat (id: {sale}): 1 change (dueDate: none -> 2026-04-01)\n"
    );
    let deltas: Vec<String> = (world.script.requests().iter().rev().take(2))
        .map(|request| format!("{}\n", text(request, FragmentKind::Delta).expect("a delta")))
        .collect();
    assert!(deltas.iter().any(|delta| delta.contains(&news)), "{deltas:?}");
}

#[test]
fn what_an_agent_wrote_is_no_news_one_link_away() {
    let (world, task, agent) = World::settled();
    let (other, writer) = world.another("Sell the old flat");
    wakes_on_linked(&world, &agent);
    let mut node = world.serve();
    change_linked_task(&world, Origin::Agent { agent: writer }, &other, &[task]);
    node.pass_seconds(60);
    let row = world.row(&agent);
    assert_eq!((node.ran(), row.due_at, row.first_signal_at), (vec![], None, None));
}

#[test]
fn a_hub_with_many_links_wakes_nobody_but_its_own_agent() {
    let (world, hub, own) = World::settled();
    let linked: Vec<(TaskId, AgentId)> =
        (0..200).map(|n| world.another(&format!("Task {n}"))).collect();
    let mut node = world.serve();
    world.answers(1);
    let tasks: Vec<TaskId> = linked.iter().map(|(task, _)| task.clone()).collect();
    let claims = world.hooks.commits("run.claim");
    change_linked_task(&world, person(), &hub, &tasks);
    node.pass_seconds(600);
    let ran = node.ran();
    assert!(ran.len() == 1 && ran[0].0 == own, "{ran:?}");
    assert_eq!(world.hooks.commits("run.claim") - claims, 1);
    assert!(linked.iter().all(|(_, agent)| world.row(agent).first_signal_at.is_some()));
}

fn blocks(other: &TaskId) -> Edit {
    Edit::Link { to: other.clone(), kind: LinkKind::Blocks }
}

#[test]
fn a_link_wakes_the_agents_of_both_tasks_and_each_reads_its_own_side() {
    let (world, flat, mover) = World::settled();
    let (sale, seller) = world.another("Sell the old flat");
    let mut node = world.serve();
    world.answers(2);
    world.edit_task(&flat, &[Edit::Priority(Some(Priority::P1)), blocks(&sale)]);
    node.pass_seconds(2);
    let ran: Vec<AgentId> = node.ran().into_iter().map(|(agent, _)| agent).collect();
    assert!(ran.len() == 2 && ran.contains(&mover) && ran.contains(&seller), "{ran:?}");
    let deltas = world.script.requests().into_iter().rev().take(2);
    let deltas: Vec<String> =
        deltas.filter_map(|request| text(&request, FragmentKind::Delta)).collect();
    let out = format!("link added: blocks Sell the old flat (id: {sale})");
    let into = format!("link added: blocked by Move to the new flat (id: {flat})");
    let of_flat = deltas.iter().find(|delta| delta.contains(&out)).expect("in the delta of one");
    let of_sale =
        deltas.iter().find(|delta| delta.contains(&into)).expect("in the delta of the other");
    assert!(of_flat.contains("priority: none -> P1"), "{of_flat}");
    assert!(!of_sale.contains("priority"), "it is no news of this task: {of_sale}");
}

#[test]
fn what_happens_to_one_task_of_a_link_does_not_happen_to_the_other() {
    let (world, flat, _) = World::settled();
    let (sale, seller) = world.another("Sell the old flat");
    let mut node = world.serve();
    let due = jiff::civil::date(2026, 4, 1);
    world.edit_task(&flat, &[Edit::DueOn(Some(due)), blocks(&sale)]);
    world.answers(2);
    node.pass_seconds(2);
    let timers = now(world.store.all(timer::of_holder(WS, &seller))).expect("readable");
    assert!(timers.is_empty(), "the due date is the other task's: {timers:?}");
}

#[test]
fn a_hub_of_stored_links_wakes_nobody_but_its_own_agent() {
    let (world, hub, own) = World::settled();
    let max = LINKS_PER_TASK.max;
    let linked: Vec<(TaskId, AgentId)> =
        (0..max).map(|n| world.another(&format!("Task {n}"))).collect();
    let edits: Vec<Edit> = linked.iter().map(|(task, _)| blocks(task)).collect();
    world.edit_task(&hub, &edits);
    let mut node = world.serve();
    world.answers(max + 1);
    node.pass_seconds(600);
    assert_eq!(node.ran().len(), max + 1, "making the links touched each task");
    world.answers(1);
    world.note_now(&hub, "The van is booked.");
    node.pass_seconds(600);
    let ran = node.ran();
    assert!(ran.len() == 1 && ran[0].0 == own, "{ran:?}");
    assert!(linked.iter().all(|(_, agent)| {
        let row = world.row(agent);
        row.first_signal_at.is_some() && row.due_at.is_none()
    }));
}
