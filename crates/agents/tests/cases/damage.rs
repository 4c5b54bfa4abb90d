use dormouse_agents::wake::drain::Scope;
use dormouse_runs::End;
use dormouse_store::Db;
use dormouse_types::{AgentId, Id as _, TaskId};

use crate::world::{World, dull};

/// Two tasks with their agents, both settled; then a row of the first is damaged and both tasks
/// change. The first agent's run fails visibly, the second one's completes.
fn check(what: &str, damage: impl Fn(&World, &TaskId, &AgentId)) {
    let (world, hurt, hurt_agent) = World::settled();
    let well = world.task("Paint the fence", &["White."]);
    let well_agent = world.create(&well);
    world.script.push(dull());
    assert_eq!(world.ends(&well).len(), 1);
    if what == "task" {
        world.note(&hurt, "The van is booked.");
    }
    damage(&world, &hurt, &hurt_agent);
    if what != "task" {
        world.note(&hurt, "The van is booked.");
    }
    world.note(&well, "Two coats.");
    world.later(60);
    world.script.push(dull());
    let ran = world
        .drain_scope(&Scope { all_due: true, ..Scope::default() })
        .unwrap_or_else(|error| panic!("{what}: a damaged row stopped everything: {error:?}"));
    let of = |agent: &AgentId| -> Vec<End> {
        ran.iter().filter(|ran| ran.agent == *agent).map(|ran| ran.end.clone()).collect()
    };
    assert_eq!(of(&well_agent), [End::Completed { cut: false }], "{what}");
    let ends = of(&hurt_agent);
    assert!(
        matches!(&ends[..], [End::Failed { error }] if error.contains("cannot be read")),
        "{what}: {ends:?}"
    );
    let run = world.runs(&hurt_agent).remove(0);
    assert_eq!(run.status.name(), "failed", "{what}");
    assert!(run.error.is_some_and(|error| error.contains("cannot be read")), "{what}");
    assert!(world.row(&hurt_agent).owner.is_none(), "{what}: the lease is given back");
}

#[test]
fn a_damaged_row_stops_its_own_agent_visibly_and_nobody_else() {
    check("task", |world, task, _| world.damage(Db::Journal, task.as_str()));
    check("agent", |world, _, agent| world.damage(Db::Agent, agent.as_str()));
    check("state", |world, _, agent| {
        let state = world.state_id(agent);
        world.damage(Db::Agent, &state);
    });
}
