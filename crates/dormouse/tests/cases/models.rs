//! Models are chosen knowingly: what is found is not used, and nobody steps in.

use std::sync::Arc;

use dormouse::models::{ChosenBy, PaidCalls};
use dormouse::{AgentPatch, Error};
use dormouse_testkit::models::{Host, provider};
use dormouse_types::Scope;
use dormouse_types::model_settings::ToolMode;
use dormouse_types::spend::Budgets;

use crate::world::{World, me, now, token};

fn world(by_environment: Option<&str>) -> World {
    let mut world = World::new();
    let by_environment = by_environment.map(str::to_owned);
    world.dormouse = world.dormouse.clone().with_model_host(Arc::new(Host), by_environment);
    now(world.dormouse.load_models()).expect("loaded");
    world
}

fn pointer(error: &Error) -> String {
    error.problem().extra["errors"][0]["pointer"].as_str().expect("a field").to_owned()
}

#[test]
fn a_provider_that_was_found_is_usable_and_not_in_use() {
    let world = world(None);
    let models = now(world.dormouse.models(&me())).expect("models");
    assert_eq!((models.model.as_str(), models.chosen_by), ("builtin", ChosenBy::Nobody));
    assert_eq!(models.found[0].provider.name, "acme");
    assert!(models.providers.is_empty());

    let models = now(world.dormouse.use_model(&me(), "acme/large")).expect("chosen");
    assert_eq!((models.model.as_str(), models.chosen_by), ("acme/large", ChosenBy::Person));
    assert_eq!((models.providers[0].provider.name.as_str(), models.found.len()), ("acme", 0));
    let back = now(world.dormouse.use_model(&me(), "builtin")).expect("chosen");
    assert_eq!((back.model.as_str(), back.chosen_by), ("builtin", ChosenBy::Person));
}

#[test]
fn a_person_goes_before_the_environment() {
    let world = world(Some("acme/small"));
    let models = now(world.dormouse.models(&me())).expect("models");
    assert_eq!((models.model.as_str(), models.chosen_by), ("acme/small", ChosenBy::Environment));
    let access = now(world.dormouse.access(&me())).expect("access");
    assert_eq!((access.server.model.as_str(), access.server.is_local), ("acme/small", false));
    let chosen = now(world.dormouse.use_model(&me(), "builtin")).expect("chosen");
    assert_eq!(chosen.model, "builtin");
}

#[test]
fn what_cannot_be_built_is_refused_and_changes_nothing() {
    let world = world(None);
    for (model, kind) in [
        ("acme/broken", "validation-failed"),
        ("nobody/large", "not-found"),
        ("large", "validation-failed"),
        ("/", "validation-failed"),
    ] {
        let error = now(world.dormouse.use_model(&me(), model)).expect_err(model);
        assert_eq!(error.problem().kind, kind, "{model}: {error}");
    }
    assert_eq!(now(world.dormouse.models(&me())).expect("models").model, "builtin");
}

#[test]
fn an_agent_can_have_a_model_of_its_own() {
    let world = world(None);
    let (_, agent, _) = world.proposed(&[]);
    let patch = AgentPatch { model: Some(Some("acme/large".into())), ..AgentPatch::default() };
    let edited = now(world.dormouse.edit_agent(&me(), &agent.id, patch, None)).expect("edited");
    assert_eq!(edited.model, "acme/large");
    let models = now(world.dormouse.models(&me())).expect("models");
    let agents = |id: &str| models.models.iter().find(|it| it.id == id).map(|it| it.agents);
    assert_eq!((agents("acme/large"), agents("builtin")), (Some(1), Some(0)));
    let refused = now(world.dormouse.remove_provider(&me(), "acme")).expect_err("it is in use");
    assert!(refused.to_string().contains("acme/large is in use"), "{refused}");
    let patch = AgentPatch { model: Some(None), ..AgentPatch::default() };
    now(world.dormouse.edit_agent(&me(), &agent.id, patch, None)).expect("edited");
    let models = now(world.dormouse.remove_provider(&me(), "acme")).expect("removed");
    assert!(models.providers.is_empty() && models.models.len() == 1, "{models:?}");
}

#[test]
fn the_question_says_what_leaves_who_changes_and_what_goes_off() {
    let world = world(None);
    world.proposed(&[]);
    let question = now(world.dormouse.model_question(&me(), "acme/large")).expect("an answer");
    assert_eq!(question.sent_to, "https://acme.example/v1");
    assert_eq!((question.agents, question.agents_that_stay), (1, 0));
    assert!(question.cost_a_day.is_some() && !question.sent.is_empty());
    let here = now(world.dormouse.model_question(&me(), "builtin")).expect("an answer");
    assert_eq!((here.sent_to.as_str(), here.sent.len(), here.cost_a_day), ("here", 0, None));
    assert_eq!(now(world.dormouse.models(&me())).expect("models").model, "builtin", "only asked");
}

#[test]
fn what_a_test_showed_is_kept_with_the_model() {
    let world = world(None);
    now(world.dormouse.test_model(&me(), "acme/large")).expect("tested");
    let models = now(world.dormouse.models(&me())).expect("models");
    let tested = models.models.iter().find(|model| model.id == "acme/large").expect("kept");
    assert_eq!((tested.tool_mode, tested.window), (Some(ToolMode::Schema), Some(8192)));
    assert_eq!(models.model, "builtin", "a test chooses nothing");
    now(world.dormouse.set_paid_calls(&me(), PaidCalls::Off)).expect("set");
    let error = now(world.dormouse.test_model(&me(), "acme/large")).expect_err("it costs money");
    assert_eq!(pointer(&error), "/model");
}

#[test]
fn budgets_are_set_whole_and_within_reason() {
    let world = world(None);
    let budgets = Budgets { workspace_day: 0, wake: 1, ..Budgets::default() };
    assert_eq!(now(world.dormouse.set_budgets(&me(), budgets)).expect("set").budgets, budgets);
    for (wrong, field) in [
        (Budgets { agent_day: -1, ..budgets }, "/agentDay"),
        (Budgets { unpriced_day: i64::MAX, ..budgets }, "/unpricedDay"),
    ] {
        let error = now(world.dormouse.set_budgets(&me(), wrong)).expect_err("out of range");
        assert_eq!(pointer(&error), field);
    }
    assert_eq!(now(world.dormouse.models(&me())).expect("models").budgets, budgets);
}

#[test]
fn only_an_administrator_changes_models() {
    let world = world(None);
    let reader = token(&[Scope::Read, Scope::Edit]);
    assert!(now(world.dormouse.models(&reader)).is_ok());
    let (_, agent, _) = world.proposed(&[]);
    let patch = AgentPatch { model: Some(Some("acme/large".into())), ..AgentPatch::default() };
    let refusals = [
        now(world.dormouse.use_model(&reader, "acme/large")).map(drop),
        now(world.dormouse.put_provider(&reader, provider("home"))).map(drop),
        now(world.dormouse.set_provider_key(&reader, "acme", Some("k"))).map(drop),
        now(world.dormouse.set_paid_calls(&reader, PaidCalls::Allowed)).map(drop),
        now(world.dormouse.set_budgets(&reader, Budgets::default())).map(drop),
        now(world.dormouse.edit_agent(&reader, &agent.id, patch, None)).map(drop),
    ];
    for refused in refusals {
        let refused = refused.expect_err("it needs more");
        assert_eq!(refused.problem().kind, "scope-missing", "{refused}");
    }
}
