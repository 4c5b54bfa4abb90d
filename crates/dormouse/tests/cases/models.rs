//! Models are chosen knowingly: what is found is not used, and nobody steps in.

use std::sync::Arc;
use std::time::Duration;

use dormouse::dates::Wording;
use dormouse::models::{
    ChosenBy, KeptBackAgents, PaidCalls, Purpose, TooSmallBudget, WindowSource,
};
use dormouse::view::{RowActivity, Task};
use dormouse::wake_preview::PreviewOutcome;
use dormouse::{
    AgentFilter, AgentPatch, Error, NewTemplate, NewWork, TaskFilter, TaskPatch, TemplatePatch,
    WORKSPACE,
};
use dormouse_store::agent::breaker::{self, Breaker};
use dormouse_store::agent::wake_queue::{self, Reason, Signal};
use dormouse_store::agent::{agent_entity, entity};
use dormouse_store::{Commit, Db};
use dormouse_testkit::models::{Host, provider};
use dormouse_types::agent::AgentActivity;
use dormouse_types::audit::AuditAction;
use dormouse_types::model::ProviderUnavailable;
use dormouse_types::model_settings::{AllowedCategories, ApiFormat, Provider, ToolMode};
use dormouse_types::port::Clock as _;
use dormouse_types::spend::{Amount, Budgets, OverBudget, Unit};
use dormouse_types::template::TemplateKind;
use dormouse_types::{AgentId, Id as _, Scope, Seq};

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
        assert_eq!(error.problem().kind.name(), kind, "{model}: {error}");
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
fn a_provider_stays_while_agent_work_asks_a_model_of_it() {
    let world = world(None);
    let (d, caller) = (&world.dormouse, me());
    let new = NewWork {
        title: "Walk".into(),
        instructions: Some("Look around.".into()),
        schedule: Some("every day at 7".into()),
        model: Some("acme/large".into()),
        ..NewWork::default()
    };
    let work = now(d.create_work(&caller, new, Wording::default(), None)).expect("work").id;
    let refused = now(d.remove_provider(&caller, "acme")).expect_err("it is in use");
    let expected = format!("agent work {work} asks acme/large: choose another model");
    assert!(refused.to_string().contains(&expected), "{refused}");
    now(d.archive_work(&caller, &work, None)).expect("archived");
    now(d.remove_provider(&caller, "acme")).expect("it never runs again");
}

#[test]
fn a_template_chooses_after_the_agent_and_before_the_workspace() {
    let world = world(None);
    let (_, agent, _) = world.proposed(&[]);
    let model = || now(world.dormouse.agent(&me(), &agent.id)).expect("the agent").model;
    let new = |model: &str| NewTemplate {
        name: model.into(),
        kind: TemplateKind::TaskAgent,
        general_directive: String::new(),
        report_directive: String::new(),
        model_id: Some(model.into()),
        profile_id: None,
        category_ids: Vec::new(),
    };
    let made = now(world.dormouse.create_template(&me(), new("acme/large"), None)).expect("made");
    let id = made.template.id;
    let edit = |patch| now(world.dormouse.edit_agent(&me(), &agent.id, patch, None));
    let of_template = |template| AgentPatch { template: Some(template), ..AgentPatch::default() };
    let own = |model: Option<&str>| {
        let model = Some(model.map(str::to_owned));
        AgentPatch { model, ..AgentPatch::default() }
    };
    now(world.dormouse.use_model(&me(), "acme/small")).expect("chosen");
    assert_eq!(model(), "acme/small");
    edit(of_template(Some(id.clone()))).expect("assigned");
    assert_eq!(model(), "acme/large");
    edit(own(Some("acme/small"))).expect("chosen");
    assert_eq!(model(), "acme/small");
    edit(own(None)).expect("chosen");
    let without = TemplatePatch { model_id: Some(None), ..TemplatePatch::default() };
    now(world.dormouse.edit_template(&me(), &id, without, None, None)).expect("edited");
    assert_eq!(model(), "acme/small");
    // To go back to a version that names a model is to choose it, and so is to assign one.
    now(world.dormouse.roll_back_template(&me(), &id, 1, None, None)).expect("rolled back");
    assert_eq!(model(), "acme/large");
    edit(of_template(None)).expect("assigned");
    assert_eq!(model(), "acme/small");
    let editor = token(&[Scope::Read, Scope::Edit]);
    let again = of_template(Some(id));
    let refused =
        now(world.dormouse.edit_agent(&editor, &agent.id, again, None)).expect_err("more");
    assert_eq!(refused.problem().kind.name(), "scope-missing", "{refused}");
    let unknown = now(world.dormouse.create_template(&me(), new("nobody/large"), None));
    assert_eq!(unknown.expect_err("no such provider").problem().kind.name(), "not-found");
}

#[test]
fn the_question_says_what_leaves_who_changes_and_what_goes_off() {
    let world = world(None);
    world.proposed(&[]);
    let question = now(world.dormouse.model_question(&me(), "acme/large", Purpose::Thinking))
        .expect("an answer");
    assert_eq!(question.sent_to, "https://acme.example/v1");
    assert_eq!((question.agents, question.agents_that_stay), (1, 0));
    assert!(question.cost_a_day.is_some() && !question.sent.is_empty());
    let here =
        now(world.dormouse.model_question(&me(), "builtin", Purpose::Thinking)).expect("an answer");
    assert_eq!((here.sent_to.as_str(), here.sent.len(), here.cost_a_day), ("here", 0, None));
    assert_eq!(
        now(world.dormouse.models(&me())).expect("models").model,
        "builtin",
        "nothing is written"
    );
}

/// 12,000 tokens in and 100 out are reserved, at a dollar and at five a million.
#[test]
fn the_question_and_the_preview_name_budgets_with_no_room_for_a_wake_and_a_key_that_is_missing() {
    let world = world(None);
    let (_, agent, _) = world.proposed(&[]);
    let ask = |id: &str| {
        let me = me();
        let question = now(world.dormouse.model_question(&me, id, Purpose::Thinking));
        let question = question.expect("an answer");
        (question.one_call, question.too_small, question.misses_key)
    };
    let preview = || {
        let shown = now(world.dormouse.preview_wake(&me(), &agent.id, None, Some("acme/large")));
        let request = shown.expect("a preview").request.expect("a request");
        (request.reserved.map(|call| call.value), request.too_small)
    };
    now(world.dormouse.test_model(&me(), "acme/counted")).expect("tested");
    assert!(!ask("acme/counted").2, "a test without a key came back");
    let call = Amount { unit: Unit::MicroDollars, value: 12_000 + 500 };
    assert_eq!(ask("acme/large"), (Some(call), Vec::new(), true));
    // Its body has two bytes.
    assert_eq!(preview(), (Some(501), Vec::new()));
    // A second call sends the first answer again: 14,000 tokens in. Both cost up to 27,000, so that three cents are enough.
    let too_small = |scope, budget, calls, cost| {
        let enough = 30_000;
        TooSmallBudget { scope, budget, calls, cost, enough }
    };
    let budgets = Budgets { wake: 12_499, agent_day: 26_999, ..Budgets::default() };
    now(world.dormouse.set_budgets(&me(), budgets)).expect("set");
    let of_wake = too_small(OverBudget::Wake, 12_499, 1, 12_500);
    let of_agent = too_small(OverBudget::Agent, 26_999, 2, 27_000);
    assert_eq!(ask("acme/large"), (Some(call), vec![of_wake, of_agent], true));
    let budgets = Budgets { wake: 27_000, agent_day: 27_000, ..budgets };
    now(world.dormouse.set_budgets(&me(), budgets)).expect("set");
    assert_eq!(ask("acme/large"), (Some(call), Vec::new(), true), "there is room for both");
    // A model that fills in a form says in its first answer that it has finished.
    let budgets = Budgets { wake: 12_500, ..budgets };
    now(world.dormouse.set_budgets(&me(), budgets)).expect("set");
    let of_wake = too_small(OverBudget::Wake, 12_500, 2, 27_000);
    assert_eq!(ask("acme/large").1, [of_wake]);
    now(world.dormouse.test_model(&me(), "acme/large")).expect("tested");
    assert_eq!(ask("acme/large").1, Vec::new(), "one call is enough");
    now(world.dormouse.set_budgets(&me(), Budgets { wake: 500, workspace_day: 0, ..budgets }))
        .expect("set");
    let of_one =
        |scope, budget| TooSmallBudget { scope, budget, calls: 1, cost: 501, enough: 10_000 };
    let expected = vec![of_one(OverBudget::Wake, 500), of_one(OverBudget::Workspace, 0)];
    assert_eq!(preview(), (Some(501), expected));
    now(world.dormouse.put_provider(&me(), provider("home"))).expect("added");
    assert_eq!(ask("home/small"), (None, Vec::new(), false), "your own server costs nothing");
    assert_eq!(ask("builtin"), (None, Vec::new(), false));
}

#[test]
fn a_known_provider_is_added_with_its_key() {
    let world = world(None);
    let models = now(world.dormouse.models(&me())).expect("models");
    let names = |all: &[Provider]| all.iter().map(|one| one.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&models.known), ["acme", "known"]);
    let unknown = now(world.dormouse.set_provider_key(&me(), "nobody", Some("sk-1")));
    assert_eq!(unknown.expect_err("nobody knows it").problem().kind.name(), "not-found");
    let removed = now(world.dormouse.set_provider_key(&me(), "known", None));
    assert_eq!(removed.expect_err("it has no key").problem().kind.name(), "not-found");
    let models = now(world.dormouse.set_provider_key(&me(), "known", Some("sk-1"))).expect("kept");
    assert_eq!(models.providers.len(), 1);
    assert_eq!(models.providers[0].provider, provider("known"));
    assert_eq!(models.model, "builtin", "it is not in use");
}

#[test]
fn a_model_that_nobody_uses_can_be_taken_off_the_list() {
    let world = world(None);
    let (_, agent, _) = world.proposed(&[]);
    let (d, caller) = (&world.dormouse, me());
    for model in ["acme/large", "acme/small", "acme/tested"] {
        now(d.test_model(&caller, model)).expect("tested");
    }
    now(d.use_model(&caller, "acme/small")).expect("chosen");
    let patch = AgentPatch { model: Some(Some("acme/large".into())), ..AgentPatch::default() };
    now(d.edit_agent(&caller, &agent.id, patch, None)).expect("edited");
    for (model, who) in [
        ("acme/small", "in use by the workspace: choose another model there first"),
        ("acme/large", "in use by the agent "),
    ] {
        let refused = now(d.forget_model(&caller, model)).expect_err(model);
        assert!(refused.to_string().contains(who), "{refused}");
    }
    let unknown = now(d.forget_model(&caller, "acme/none")).expect_err("it is not listed");
    assert_eq!(unknown.problem().kind.name(), "not-found");
    let models = now(d.forget_model(&caller, "acme/tested")).expect("forgotten");
    let ids: Vec<_> = models.models.iter().map(|model| model.id.as_str()).collect();
    assert_eq!(ids, ["builtin", "acme/large", "acme/small"]);
}

#[test]
fn why_a_model_does_not_call_tools_itself_is_kept_with_it() {
    let world = world(None);
    now(world.dormouse.test_model(&me(), "acme/counted")).expect("tested");
    let models = now(world.dormouse.models(&me())).expect("models");
    let tested = models.models.iter().find(|model| model.id == "acme/counted").expect("listed");
    assert_eq!(tested.tool_mode, Some(ToolMode::Schema));
    assert_eq!(tested.why_not_native.as_deref(), Some("it called no tool"));
    let rows = now(world.dormouse.audit(&me(), 50, None)).expect("rows").items;
    let row = rows.iter().find(|row| row.object == "acme/counted").expect("a row");
    assert_eq!(row.detail, "schema; not native: it called no tool");
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

/// What a test showed holds for the server that was called, and for no other.
#[test]
fn what_a_test_showed_is_forgotten_with_the_address_or_format_and_what_a_person_set_is_not() {
    let world = world(None);
    let acme = provider("acme");
    let of = |id: &str| {
        let models = now(world.dormouse.models(&me())).expect("models").models;
        let model = models.into_iter().find(|model| model.id == id).expect("known");
        (model.tool_mode, model.window, model.window_source)
    };
    let tested = (Some(ToolMode::Schema), Some(8192), Some(WindowSource::Stated));
    let untested = (None, Some(8192), Some(WindowSource::Assumed));
    // It was found, and nobody added it.
    now(world.dormouse.test_model(&me(), "acme/large")).expect("tested");
    now(world.dormouse.put_provider(&me(), acme.clone())).expect("added");
    assert_eq!(of("acme/large"), tested, "the same server");
    now(world.dormouse.put_provider(&me(), provider("home"))).expect("added");
    now(world.dormouse.test_model(&me(), "home/small")).expect("tested");

    let elsewhere = Provider { base_url: "https://other.example/v1".into(), ..acme.clone() };
    now(world.dormouse.put_provider(&me(), elsewhere.clone())).expect("changed");
    assert_eq!((of("acme/large"), of("home/small")), (untested, tested));

    now(world.dormouse.test_model(&me(), "acme/large")).expect("tested");
    now(world.dormouse.set_model_window(&me(), "acme/large", Some(32_000))).expect("set");
    let own = Provider { is_own: true, ..elsewhere };
    now(world.dormouse.put_provider(&me(), own.clone())).expect("changed");
    let set = (Some(32_000), Some(WindowSource::SetByYou));
    assert_eq!(of("acme/large"), (Some(ToolMode::Schema), set.0, set.1), "whose it is, only");
    let format = ApiFormat::Anthropic;
    now(world.dormouse.put_provider(&me(), Provider { format, ..own })).expect("changed");
    assert_eq!(of("acme/large"), (None, set.0, set.1));
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
        now(world.dormouse.set_provider_categories(&reader, "acme", None)).map(drop),
        now(world.dormouse.summarise_with(&reader, Some("acme/large"))).map(drop),
        now(world.dormouse.set_model_window(&reader, "acme/large", Some(9_000))).map(drop),
        now(world.dormouse.set_budgets(&reader, Budgets::default())).map(drop),
        now(world.dormouse.edit_agent(&reader, &agent.id, patch, None)).map(drop),
    ];
    for refused in refusals {
        let refused = refused.expect_err("it needs more");
        assert_eq!(refused.problem().kind.name(), "scope-missing", "{refused}");
    }
}

#[test]
fn a_provider_can_be_limited_to_categories_before_it_is_used() {
    let world = world(None);
    world.proposed(&[]);
    let only = |ids| Some(AllowedCategories { ids, uncategorised: false });
    let set = |categories| now(world.dormouse.set_provider_categories(&me(), "acme", categories));
    let models = set(only(Vec::new())).expect("it was found");
    assert_eq!((models.model.as_str(), models.found.len()), ("builtin", 0), "added, not in use");
    assert_eq!(models.providers[0].provider.categories, only(Vec::new()));
    assert_eq!(models.providers[0].kept_back, KeptBackAgents::default(), "no agent asks it");
    let models = now(world.dormouse.use_model(&me(), "acme/large")).expect("chosen");
    let kept = KeptBackAgents { private: 0, category: 1 };
    assert_eq!(models.providers[0].kept_back, kept, "its task has no category");

    let changed = now(world.dormouse.put_provider(&me(), provider("acme"))).expect("changed");
    assert_eq!(changed.providers[0].provider.categories, only(Vec::new()), "they stay");
    let unknown = "ct-00000000000000000000000000".parse().expect("an id");
    let error = set(only(vec![unknown])).expect_err("no such category");
    assert_eq!(pointer(&error), "/categories");
    let error = now(world.dormouse.set_provider_categories(&me(), "nobody", None));
    assert_eq!(error.expect_err("no such provider").problem().kind.name(), "not-found");
    let all = set(None).expect("set");
    assert_eq!(all.providers[0].kept_back, KeptBackAgents::default());
}

#[test]
fn a_model_can_be_looked_at_before_it_is_chosen() {
    let world = world(None);
    let (_, agent, _) = world.proposed(&[]);
    let preview = |model| now(world.dormouse.preview_wake(&me(), &agent.id, None, model));
    assert_eq!(preview(None).expect("a preview").outcome, PreviewOutcome::NothingLeaves);
    let shown = preview(Some("acme/large")).expect("a preview");
    assert_eq!(shown.model, "acme/large");
    assert_eq!(preview(Some("builtin")).expect("one").outcome, PreviewOutcome::NothingLeaves);
    assert_eq!(pointer(&preview(Some("large")).expect_err("no provider")), "/model");
    let nobody = preview(Some("nobody/large")).expect_err("no such provider");
    assert_eq!(nobody.problem().kind.name(), "not-found");
    let models = now(world.dormouse.models(&me())).expect("models");
    assert_eq!(
        (models.model.as_str(), models.providers.len()),
        ("builtin", 0),
        "nothing is written"
    );
}

#[test]
fn agents_that_would_no_longer_wake_are_named() {
    let world = world(None);
    let (_, agent, _) = world.proposed(&[]);
    let ask = || {
        let me = me();
        let question = world.dormouse.model_question(&me, "acme/large", Purpose::Thinking);
        let question = now(question).expect("an answer");
        (question.automations_off, question.automations_off_names)
    };
    // A person made it, so it goes on.
    assert_eq!(ask(), (0, Vec::new()));
    let row = entity::by_id::<agent_entity::Agent>(WORKSPACE, agent.id.as_str());
    let mut row = now(world.store.first(row)).expect("readable").expect("an agent");
    row.doc.value.config.by_name = false;
    let commit = Commit::new("test", Db::Agent, WORKSPACE).op(entity::replace(WORKSPACE, &row));
    now(world.store.commit(commit)).expect("committed");
    assert_eq!(ask(), (1, vec![agent.display_name.clone()]));
}

#[test]
fn the_question_says_what_is_never_sent_and_whom_that_keeps_back() {
    let world = world(None);
    let (task, _, _) = world.proposed(&[]);
    let ask = || {
        let me = me();
        let question = world.dormouse.model_question(&me, "acme/large", Purpose::Thinking);
        let question = now(question).expect("an answer");
        (question.kept_back, question.categories.is_some(), question.never_sent.len())
    };
    assert_eq!(ask(), (KeptBackAgents::default(), false, 2));
    let patch = TaskPatch { private: Some(true), ..TaskPatch::default() };
    now(world.dormouse.edit_task(&me(), &task.id, patch, None, None)).expect("private");
    assert_eq!(ask(), (KeptBackAgents { private: 1, category: 0 }, false, 2));
    let patch = TaskPatch { private: Some(false), ..TaskPatch::default() };
    now(world.dormouse.edit_task(&me(), &task.id, patch, None, None)).expect("public");
    let nothing = Some(AllowedCategories::default());
    now(world.dormouse.set_provider_categories(&me(), "acme", nothing)).expect("set");
    assert_eq!(ask(), (KeptBackAgents { private: 0, category: 1 }, true, 3));
}

#[test]
fn another_model_can_summarise_and_has_a_question_of_its_own() {
    let world = world(None);
    let chosen = now(world.dormouse.summarise_with(&me(), Some("acme/small"))).expect("chosen");
    assert_eq!(
        (chosen.model.as_str(), chosen.summarising.as_deref()),
        ("builtin", Some("acme/small"))
    );
    let refused = now(world.dormouse.remove_provider(&me(), "acme")).expect_err("it is in use");
    assert!(refused.to_string().contains("acme/small is in use"), "{refused}");
    for (model, kind) in [
        ("builtin", "validation-failed"),
        ("acme/broken", "validation-failed"),
        ("x/y", "not-found"),
    ] {
        let error = now(world.dormouse.summarise_with(&me(), Some(model))).expect_err(model);
        assert_eq!(error.problem().kind.name(), kind, "{model}: {error}");
    }
    let me = me();
    let question = world.dormouse.model_question(&me, "acme/small", Purpose::Summarising);
    let question = now(question).expect("an answer");
    assert_eq!((question.sent.len(), question.cost_a_day, question.automations_off), (2, None, 0));
    let back = now(world.dormouse.summarise_with(&me, None)).expect("chosen");
    assert_eq!(back.summarising, None);
    now(world.dormouse.remove_provider(&me, "acme")).expect("removed");
}

#[test]
fn a_window_that_a_person_sets_goes_before_that_of_the_server_and_stays_after_a_test() {
    let world = world(None);
    let window = || {
        let models = now(world.dormouse.models(&me())).expect("models").models;
        let model = models.into_iter().find(|model| model.id == "acme/large").expect("kept");
        (model.window, model.window_source)
    };
    now(world.dormouse.set_model_window(&me(), "acme/large", Some(32_000))).expect("set");
    assert_eq!(window(), (Some(32_000), Some(WindowSource::SetByYou)));
    now(world.dormouse.test_model(&me(), "acme/large")).expect("tested");
    assert_eq!(window(), (Some(32_000), Some(WindowSource::SetByYou)));
    now(world.dormouse.set_model_window(&me(), "acme/large", None)).expect("set");
    assert_eq!(window(), (Some(8_192), Some(WindowSource::Stated)), "what the test showed");
    for (model, window, field) in [
        ("acme/large", 0, "/window"),
        ("acme/large", u64::MAX, "/window"),
        ("builtin", 9_000, "/model"),
    ] {
        let error = now(world.dormouse.set_model_window(&me(), model, Some(window)));
        assert_eq!(pointer(&error.expect_err("refused")), field, "{model} {window}");
    }
}

#[test]
fn the_audit_log_of_both_databases_is_one_list_for_administrators() {
    let world = world(None);
    world.proposed(&[]);
    now(world.dormouse.set_model_window(&me(), "acme/large", Some(32_000))).expect("set");
    let (mut ids, mut actions, mut cursor) = (Vec::new(), Vec::new(), None);
    loop {
        let page = now(world.dormouse.audit(&me(), 2, cursor.as_deref())).expect("a page");
        assert!(page.items.len() <= 2);
        for entry in page.items {
            ids.push(entry.id);
            actions.push(entry.action);
        }
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    let whole = now(world.dormouse.audit(&me(), 200, None)).expect("a page");
    assert_eq!(ids, whole.items.into_iter().map(|entry| entry.id).collect::<Vec<_>>());
    assert_eq!(actions[0], AuditAction::ModelsWindow, "newest first");
    assert!(actions.iter().any(|action| *action == AuditAction::TaskCreate), "{actions:?}");
    let reader = token(&[Scope::Read, Scope::Edit, Scope::Decide]);
    let refused = now(world.dormouse.audit(&reader, 2, None)).expect_err("it needs more");
    assert_eq!(refused.problem().kind.name(), "scope-missing", "{refused}");
}

/// A paid model merges changes for two minutes, so an agent that wakes within them is queued; a free one
/// does not, and its agent still sleeps. A breaker holds the queue only if an agent in it needs it.
#[test]
fn what_an_agent_does_and_what_holds_the_queue_follow_from_its_own_model() {
    let world = world(None);
    let [near, far] = ["Paint the fence", "Move"].map(|title| world.task(title));
    let [near_agent, far_agent] = [&near, &far].map(|task| world.agent(&task.id).id);
    let patch = AgentPatch { model: Some(Some("acme/large".into())), ..AgentPatch::default() };
    now(world.dormouse.edit_agent(&me(), &far_agent, patch, None)).expect("edited");
    let write = |op| {
        let commit = Commit::new("test", Db::Agent, WORKSPACE).op(op);
        now(world.store.commit(commit)).expect("committed");
    };
    let at = world.clock.now();
    let wake = |agent: &AgentId| {
        write(wake_queue::signal(
            WORKSPACE,
            &Signal {
                holder: agent.into(),
                reason: Reason::Subscription,
                at,
                due_at: Some(at + Duration::from_secs(90)),
                upto: Seq(1),
                request_id: None,
            },
        ));
    };
    let away = Breaker {
        why: ProviderUnavailable::Outage.into(),
        provider: "acme".into(),
        failures: 5,
        since: at,
        opened: 1,
        open_until: Some(at + Duration::from_secs(3600)),
        detail: "503 from the other end".into(),
    };
    write(breaker::put(WORKSPACE, None, &away));
    let held_by = || now(world.dormouse.overview(&me())).expect("an overview").queue.held_by;

    write(wake_queue::clear_signals(WORKSPACE, &near_agent));
    write(wake_queue::clear_signals(WORKSPACE, &far_agent));
    wake(&near_agent);
    assert_eq!(held_by(), None, "nothing that waits asks acme");
    wake(&far_agent);
    assert_eq!(held_by().as_deref(), Some("acme"));

    let does = |agent: &AgentId| world.fresh_agent(agent).activity;
    let expected = [AgentActivity::Asleep, AgentActivity::Queued];
    assert_eq!([&near_agent, &far_agent].map(does), expected);
    let states = [&near_agent, &far_agent]
        .map(|agent| now(world.dormouse.agent_state(&me(), agent)).expect("a state").activity);
    assert_eq!(states, expected);
    let rows = now(world.dormouse.tasks(&me(), TaskFilter::default(), 9, None)).expect("a page");
    let shown = |task: &Task| {
        rows.items.iter().find(|row| row.id == task.id).and_then(|row| row.agent_activity)
    };
    let expected_rows = expected.map(|does| Some(RowActivity::from(does)));
    assert_eq!([shown(&near), shown(&far)], expected_rows);
    let filter = AgentFilter { activities: vec![AgentActivity::Queued], ..AgentFilter::default() };
    let queued = now(world.dormouse.agents(&me(), &filter, 9, None)).expect("a page").items;
    assert_eq!(queued.into_iter().map(|it| it.id).collect::<Vec<_>>(), [far_agent]);
}
