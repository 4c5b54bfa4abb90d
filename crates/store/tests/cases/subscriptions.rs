//! A task has one agent of its own.

use dormouse_store::Refusal;
use dormouse_store::agent::subscription::{self, Subscription};
use dormouse_types::{AgentId, SubscriptionId, TaskId};

use crate::world::{OTHER_WS, WS, World, at};

each_engine!(a_task_has_one_agent_of_its_own, a_destroyed_agent_watches_nothing);

fn watch(world: &World, agent: &AgentId, task: &TaskId) -> Subscription {
    let id: SubscriptionId = world.id();
    Subscription { id, agent: agent.clone(), task: task.clone() }
}

fn a_task_has_one_agent_of_its_own(world: &World) {
    let (agent, second): (AgentId, AgentId) = (world.id(), world.id());
    let (task, other): (TaskId, TaskId) = (world.id(), world.id());
    let own = watch(world, &agent, &task);
    world.agent([subscription::insert_own(WS, &own, at(0))]);
    for who in [&agent, &second] {
        let again = watch(world, who, &task);
        let op = subscription::insert_own(WS, &again, at(1));
        assert_eq!(world.agent_refusal([op]), Refusal::Exists);
    }
    assert_eq!(world.all(subscription::of_task(WS, &task)), std::slice::from_ref(&own));

    let further = watch(world, &agent, &other);
    world.agent([subscription::insert_own(WS, &further, at(2))]);
    assert_eq!(world.all(subscription::of_agent(WS, &agent)), [own.clone(), further]);
    assert_eq!(world.all(subscription::of_task(OTHER_WS, &task)), []);
    let elsewhere = subscription::insert_own(OTHER_WS, &own, at(3));
    world.agent([elsewhere]);
    assert_eq!(world.all(subscription::of_task(OTHER_WS, &task)), [own]);
}

fn a_destroyed_agent_watches_nothing(world: &World) {
    let (agent, second, task): (AgentId, AgentId, TaskId) = (world.id(), world.id(), world.id());
    let first = watch(world, &agent, &task);
    world.agent([subscription::insert_own(WS, &first, at(0))]);
    world.agent([subscription::delete_of_agent(WS, &agent)]);
    assert_eq!(world.all(subscription::of_agent(WS, &agent)), []);
    let next = watch(world, &second, &task);
    world.agent([subscription::insert_own(WS, &next, at(1))]);
    assert_eq!(world.all(subscription::of_task(WS, &task)), [next]);
}
