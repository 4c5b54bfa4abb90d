//! What a person is asked before a provider that is in use is changed.

use std::sync::Arc;

use dormouse::models::{ModelUse, ProviderQuestion};
use dormouse::{AgentPatch, TaskPatch};
use dormouse_testkit::models::{Host, provider};
use dormouse_types::AgentId;
use dormouse_types::model_settings::Provider;

use crate::world::{World, me, now};

const ELSEWHERE: &str = "https://elsewhere.example/v1";

fn world() -> World {
    let mut world = World::new();
    world.dormouse = world.dormouse.clone().with_model_host(Arc::new(Host), None);
    now(world.dormouse.load_models()).expect("loaded");
    for name in ["acme", "home"] {
        now(world.dormouse.put_provider(&me(), provider(name))).expect("added");
    }
    world
}

fn question(world: &World, provider: Provider) -> ProviderQuestion {
    now(world.dormouse.provider_question(&me(), provider)).expect("an answer")
}

fn gets(world: &World, agent: &AgentId, model: &str) {
    let patch = AgentPatch { model: Some(Some(model.to_owned())), ..AgentPatch::default() };
    now(world.dormouse.edit_agent(&me(), agent, patch, None)).expect("edited");
}

fn moved(name: &str) -> Provider {
    Provider { base_url: ELSEWHERE.to_owned(), ..provider(name) }
}

#[test]
fn a_provider_in_use_gets_another_address_only_after_a_question_that_says_what_leaves() {
    let world = world();
    let (_, agent, _) = world.proposed(&[]);
    assert!(question(&world, moved("acme")).is_agreed, "nobody uses it");
    assert!(question(&world, moved("new")).is_agreed, "it is added");
    gets(&world, &agent.id, "acme/large");
    let shown = question(&world, moved("acme"));
    assert_eq!(
        (shown.is_agreed, shown.models, shown.agents),
        (false, vec!["acme/large".into()], 1)
    );
    let places = (shown.sent_to_now.as_str(), shown.sent_to.as_str());
    assert_eq!(places, ("https://acme.example/v1", ELSEWHERE));
    assert_eq!((shown.uses, shown.cost_a_day), (vec![ModelUse::Wakes], Some(1_571)));
    assert!(shown.sent[0].contains("the task: title"), "{:?}", shown.sent);
    assert!((shown.becomes_own, shown.becomes_paid, shown.misses_key) == (false, false, true));
    assert!(question(&world, provider("acme")).is_agreed, "nothing changes");
    assert!(question(&world, moved("home")).is_agreed, "that one is not in use");
}

#[test]
fn a_server_that_becomes_ones_own_opens_private_tasks_and_one_that_is_no_more_costs_money() {
    let world = world();
    let (task, agent, _) = world.proposed(&[]);
    let patch = TaskPatch { private: Some(true), ..TaskPatch::default() };
    now(world.dormouse.edit_task(&me(), &task.id, patch, None, None)).expect("private");
    let flags = |shown: &ProviderQuestion| {
        (shown.is_agreed, shown.becomes_own, shown.becomes_paid, shown.opened_agents)
    };
    gets(&world, &agent.id, "acme/large");
    let own = question(&world, Provider { is_own: true, ..provider("acme") });
    assert_eq!(flags(&own), (false, true, false, 1));
    assert_eq!((own.kept_back.private, own.is_free, own.cost_a_day), (0, true, None));

    gets(&world, &agent.id, "home/small");
    let paid = question(&world, Provider { is_own: false, ..provider("home") });
    assert_eq!(flags(&paid), (false, false, true, 0));
    assert_eq!((paid.kept_back.private, paid.is_free, paid.cost_a_day), (1, false, Some(1_571)));
    assert_eq!(paid.budget_a_day, 3_000_000);
}

#[test]
fn the_model_of_the_workspace_and_that_of_summaries_are_in_use_without_an_agent() {
    let world = world();
    now(world.dormouse.summarise_with(&me(), Some("acme/small"))).expect("chosen");
    let shown = question(&world, moved("acme"));
    assert_eq!((shown.is_agreed, shown.agents, shown.uses), (false, 0, vec![ModelUse::Summaries]));
    now(world.dormouse.use_model(&me(), "acme/large")).expect("chosen");
    let shown = question(&world, moved("acme"));
    let uses = vec![ModelUse::Wakes, ModelUse::Sessions, ModelUse::Summaries];
    assert_eq!((shown.is_agreed, shown.agents, shown.uses), (false, 0, uses));
    assert_eq!(shown.models, ["acme/large", "acme/small"]);
}
