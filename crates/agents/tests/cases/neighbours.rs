//! Changes one link away: noted, and seen with the next wake; at once for whoever wants that.

use dormouse_runs::End;
use dormouse_store::agent::agent_entity::Agent;
use dormouse_store::agent::entity;
use dormouse_store::{ChangeRow, Commit, Db};
use dormouse_types::{AgentId, Id as _, Origin, TaskId};

use crate::world::{WS, World, now};

const DONE: End = End::Completed { cut: false };

/// A change of one task that others are linked to.
fn change_beside(world: &World, origin: Origin, task: &TaskId, linked: &[TaskId]) {
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
    change_beside(&world, person(), &other, std::slice::from_ref(&task));
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
    change_beside(&world, person(), &other, &[task]);
    node.pass_seconds(2);
    let ran: Vec<AgentId> = node.ran().into_iter().map(|(agent, _)| agent).collect();
    assert!(ran.contains(&agent), "{ran:?}");
}

#[test]
fn what_an_agent_wrote_is_no_news_one_link_away() {
    let (world, task, agent) = World::settled();
    let (other, writer) = world.another("Sell the old flat");
    wakes_on_linked(&world, &agent);
    let mut node = world.serve();
    change_beside(&world, Origin::Agent { agent: writer }, &other, &[task]);
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
    change_beside(&world, person(), &hub, &tasks);
    node.pass_seconds(600);
    let ran = node.ran();
    assert!(ran.len() == 1 && ran[0].0 == own, "{ran:?}");
    assert_eq!(world.hooks.commits("run.claim") - claims, 1);
    assert!(linked.iter().all(|(_, agent)| world.row(agent).first_signal_at.is_some()));
}
