//! Claim order: a person does not wait, and no agent starves.

use dormouse_scheduler::Options;
use dormouse_store::{Db, params};
use dormouse_types::port::Clock as _;
use dormouse_types::{AgentId, Id as _};

use crate::world::{WS, World};

/// Creates copies of an agent that all wait for their creation wake.
fn crowd(world: &World, template: &AgentId, n: i64) {
    let state = world.state_id(template);
    let copies = params![WS.0, template.as_str(), state.as_str(), n, world.clock.now()];
    world.write_directly(
        Db::Agent,
        "WITH RECURSIVE copies(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < ?4)
         INSERT INTO agent_entities (ws, id, agent_id, type, created_at, updated_at, serialized,
           clock_host, clock_counter)
         SELECT e.ws, replace(replace(e.id, ?2, printf('ag-%026d', n)), ?3, printf('as-%026d', n)),
           printf('ag-%026d', n), e.type, e.created_at, e.updated_at,
           replace(replace(e.serialized, ?2, printf('ag-%026d', n)), ?3, printf('as-%026d', n)),
           e.clock_host, e.clock_counter
         FROM copies, agent_entities e WHERE e.ws = ?1 AND e.id IN (?2, ?3) AND ?5 > 0",
        copies.clone(),
    );
    world.write_directly(
        Db::Agent,
        "WITH RECURSIVE copies(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < ?4)
         INSERT INTO wake_queue (ws, agent_id, reasons, first_signal_at, due_at, upto, priority,
           epoch, crashes)
         SELECT ?1, printf('ag-%026d', n), 4, ?5, ?5, 0, 1, 0, 0 FROM copies
         WHERE ?2 <> '' AND ?3 <> ''",
        copies,
    );
}

fn is_copy(agent: &AgentId) -> bool {
    agent.as_str().starts_with("ag-0000000000")
}

/// The claims of a node that runs one wake at a time, with 5,000 creation wakes pending. A person
/// asks after the first claim; a change has been pending since before. Returns who was claimed, in
/// order.
fn claimed(n: usize, offset: usize) -> (Vec<AgentId>, AgentId, AgentId) {
    let (world, task, watcher) = World::settled();
    let (_, urgent) = world.another("Paint the fence");
    world.note(&task, "This waits for its turn.");
    world.later(10);
    crowd(&world, &watcher, 5_000);
    world.answers(n + 1);
    world.model.close();
    let mut node = world.serve_with(Options { concurrency: 1, offset });
    assert_eq!(world.model.at_once().0, 1);
    world.wake_now(&urgent, Some("Now, please."));
    node.settle();
    let mut claimed = Vec::new();
    for _ in 0..n {
        world.model.let_one_pass();
        node.settle();
        claimed.extend(node.ran().into_iter().map(|(agent, _)| agent));
    }
    (claimed, urgent, watcher)
}

#[test]
fn a_person_is_next_and_a_change_has_its_turn_among_five_thousand_creations() {
    for offset in [0, 17] {
        let (claimed, urgent, watcher) = claimed(6, offset);
        assert_eq!(claimed.len(), 6);
        assert!(is_copy(&claimed[0]), "it was at work when the request came");
        assert_eq!(claimed[1], urgent, "then it is the person's turn");
        let place = claimed.iter().position(|agent| *agent == watcher);
        assert!(place.is_some_and(|place| place <= 4), "{claimed:?}");
        assert_eq!(claimed.iter().filter(|agent| is_copy(agent)).count(), 4);
    }
}

#[test]
fn two_nodes_begin_at_different_agents() {
    let (first, ..) = claimed(1, 0);
    let (second, ..) = claimed(1, 1);
    assert_ne!(first, second);
}
