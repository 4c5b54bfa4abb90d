//! What a person is asked before an agent or a template gets a model of its own.

use std::sync::Arc;

use dormouse::dates::Wording;
use dormouse::models::{
    KeptBackAgents, ModelChoice, ModelQuestion, ModelUse, OwnModel, Purpose, QuestionScope,
};
use dormouse::{AgentPatch, Error, NewTemplate, NewWork, TaskPatch, TemplatePatch, WORKSPACE};
use dormouse_agents::template::stock;
use dormouse_store::agent::{agent_entity, entity};
use dormouse_store::{Commit, Db};
use dormouse_testkit::models::{Host, provider};
use dormouse_types::spend::Budgets;
use dormouse_types::template::TemplateKind;
use dormouse_types::{AgentId, Id as _, TemplateId};

use crate::world::{World, me, now};

const NEW_TEMPLATE: QuestionScope = QuestionScope::NewTemplate(TemplateKind::TaskAgent);

fn world() -> World {
    let mut world = World::new();
    world.dormouse = world.dormouse.clone().with_model_host(Arc::new(Host), None);
    now(world.dormouse.load_models()).expect("loaded");
    world
}

fn question(world: &World, id: &str, scope: &QuestionScope) -> ModelQuestion {
    now(world.dormouse.own_model_question(&me(), id, scope)).expect("an answer")
}

fn template(world: &World) -> TemplateId {
    template_of(world, TemplateKind::TaskAgent)
}

fn template_of(world: &World, kind: TemplateKind) -> TemplateId {
    let new = NewTemplate {
        name: "Short".into(),
        kind,
        general_directive: String::new(),
        report_directive: String::new(),
        model_id: None,
        profile_id: None,
        category_ids: Vec::new(),
    };
    now(world.dormouse.create_template(&me(), new, None)).expect("made").template.id
}

fn edit(world: &World, agent: &AgentId, patch: AgentPatch) {
    now(world.dormouse.edit_agent(&me(), agent, patch, None)).expect("edited");
}

/// An agent that nobody asked for, so that its changes wake it only while its model is free.
fn made_by_itself(world: &World, id: &AgentId) {
    let row = entity::by_id::<agent_entity::Agent>(WORKSPACE, id.as_str());
    let mut row = now(world.store.first(row)).expect("readable").expect("an agent");
    row.doc.value.config.by_name = false;
    let commit = Commit::new("test", Db::Agent, WORKSPACE).op(entity::replace(WORKSPACE, &row));
    now(world.store.commit(commit)).expect("committed");
}

#[test]
fn the_question_for_one_agent_says_what_leaves_what_that_agent_costs_and_what_goes_off() {
    let world = world();
    let (task, agent, _) = world.proposed(&[]);
    made_by_itself(&world, &agent.id);
    let of_all = now(world.dormouse.model_question(&me(), "acme/large", Purpose::Thinking));
    let of_all = of_all.expect("an answer");
    let scope = QuestionScope::Agent(agent.id.clone());
    let shown = question(&world, "acme/large", &scope);
    let as_of_all = ModelQuestion {
        uses: vec![ModelUse::Wakes, ModelUse::Sessions],
        sent: of_all.sent.clone(),
        never_sent: of_all.never_sent.clone(),
        budget_a_day: of_all.budget_a_day,
        ..shown.clone()
    };
    assert_eq!(as_of_all, of_all, "there is one agent, and nothing else is said of it");
    let budgets = [shown.budget_a_day, of_all.budget_a_day];
    assert_eq!(budgets, [500_000, 3_000_000], "that of one agent, that of all");
    assert_eq!((shown.agents, shown.is_agreed, shown.cost_a_day), (1, false, Some(1_571)));
    assert_eq!(shown.automations_off_names, [agent.display_name]);
    let source = shown.price_source.expect("a price of the table");
    assert_eq!((source.is_set_by_you, source.on.as_deref()), (false, Some("2026-01-01")));

    let patch = TaskPatch { private: Some(true), ..TaskPatch::default() };
    now(world.dormouse.edit_task(&me(), &task.id, patch, None, None)).expect("private");
    let kept = KeptBackAgents { private: 1, category: 0 };
    assert_eq!(question(&world, "acme/large", &scope).kept_back, kept);
    assert_eq!(now(world.dormouse.models(&me())).expect("models").models.len(), 1, "only asked");
}

#[test]
fn the_question_for_a_template_is_about_the_agents_that_follow_it() {
    let world = world();
    let (_, agent, _) = world.proposed(&[]);
    let scope = QuestionScope::Template(template(&world));
    let figures = |scope| {
        let shown = question(&world, "acme/large", scope);
        (shown.agents, shown.agents_that_stay, shown.cost_a_day, shown.is_agreed)
    };
    assert_eq!(figures(&scope), (0, 0, Some(0), false), "nobody follows it");
    assert_eq!(figures(&NEW_TEMPLATE), (0, 0, Some(0), false));
    let QuestionScope::Template(id) = &scope else { panic!("{scope:?}") };
    let follow = AgentPatch { template: Some(Some(id.clone())), ..AgentPatch::default() };
    edit(&world, &agent.id, follow);
    assert_eq!(figures(&scope), (1, 0, Some(1_571), false));
    let own = Some(Some("home/small".into()));
    now(world.dormouse.put_provider(&me(), provider("home"))).expect("added");
    edit(&world, &agent.id, AgentPatch { model: own, ..AgentPatch::default() });
    assert_eq!(figures(&scope), (0, 1, Some(0), false), "it keeps its own");
}

#[test]
fn no_question_is_needed_where_nothing_new_leaves_the_machine() {
    let world = world();
    let (_, agent, _) = world.proposed(&[]);
    now(world.dormouse.put_provider(&me(), provider("home"))).expect("added");
    let scope = QuestionScope::Agent(agent.id.clone());
    let agreed =
        |id: &str| [&scope, &NEW_TEMPLATE].map(|scope| question(&world, id, scope).is_agreed);
    assert_eq!(agreed("builtin"), [true, true]);
    assert_eq!(agreed("home/small"), [false, false], "the workspace asks of an own server, too");
    assert_eq!(agreed("acme/large"), [false, false]);
    now(world.dormouse.use_model(&me(), "acme/large")).expect("chosen");
    assert_eq!(agreed("acme/large"), [true, true], "a person chose it for all");
    assert_eq!(agreed("acme/small"), [false, false], "another one costs something else");
    let own = Some(Some("acme/small".into()));
    edit(&world, &agent.id, AgentPatch { model: own, ..AgentPatch::default() });
    assert_eq!(agreed("acme/small"), [true, false], "the agent asks it now");
}

/// Which model a change leads to, who asks it then, and whether that is agreed.
fn after(
    world: &World,
    scope: &QuestionScope,
    choice: &ModelChoice,
) -> (String, usize, usize, bool) {
    let shown = now(world.dormouse.question_of_change(&me(), scope, choice)).expect("an answer");
    (shown.id, shown.agents, shown.agent_work, shown.is_agreed)
}

fn follows(own: OwnModel, template: Option<Option<TemplateId>>) -> ModelChoice {
    ModelChoice::Follows { own, template }
}

fn name_model(world: &World, template: &TemplateId, model: Option<&str>) {
    let model_id = Some(model.map(str::to_owned));
    let patch = TemplatePatch { model_id, ..TemplatePatch::default() };
    now(world.dormouse.edit_template(&me(), template, patch, None, None)).expect("edited");
}

#[test]
fn the_question_of_an_agent_that_is_to_follow_another_template_is_about_the_model_of_that_template()
{
    let world = world();
    let (_, agent, _) = world.proposed(&[]);
    let to = template(&world);
    let scope = QuestionScope::Agent(agent.id.clone());
    let moves = follows(OwnModel::Stays, Some(Some(to.clone())));
    let back = follows(OwnModel::Stays, Some(None));
    assert_eq!(after(&world, &scope, &moves), ("builtin".into(), 1, 0, true), "it names none");
    name_model(&world, &to, Some("acme/large"));
    assert_eq!(after(&world, &scope, &moves), ("acme/large".into(), 1, 0, false));
    let template = Some(Some(to));
    edit(&world, &agent.id, AgentPatch { template, ..AgentPatch::default() });
    assert_eq!(after(&world, &scope, &moves), ("acme/large".into(), 1, 0, true), "it asks it now");
    assert_eq!(after(&world, &scope, &back), ("builtin".into(), 1, 0, true));
    let model = Some(Some("builtin".into()));
    edit(&world, &agent.id, AgentPatch { model, ..AgentPatch::default() });
    assert_eq!(after(&world, &scope, &moves), ("builtin".into(), 1, 0, true), "its own stays");
    let loses_own = follows(OwnModel::Goes, None);
    assert_eq!(after(&world, &scope, &loses_own), ("acme/large".into(), 1, 0, false));
}

#[test]
fn the_question_of_a_version_that_is_to_become_active_is_about_the_model_that_it_names() {
    let world = world();
    let (_, agent, _) = world.proposed(&[]);
    let id = template(&world);
    let follow = AgentPatch { template: Some(Some(id.clone())), ..AgentPatch::default() };
    edit(&world, &agent.id, follow);
    name_model(&world, &id, Some("acme/large"));
    name_model(&world, &id, None);
    let scope = QuestionScope::Template(id);
    let version = |n| after(&world, &scope, &ModelChoice::Version(n));
    assert_eq!(version(1), ("builtin".into(), 1, 0, true), "the model of the workspace");
    assert_eq!(version(2), ("acme/large".into(), 1, 0, false));
    let none = now(world.dormouse.question_of_change(&me(), &scope, &ModelChoice::Version(9)));
    assert_eq!(none.expect_err("refused").problem().kind.name(), "not-found");
}

#[test]
fn the_question_of_agent_work_is_about_its_own_model_or_that_of_its_template_and_its_runs() {
    let world = world();
    let new = NewWork {
        title: "Digest".into(),
        instructions: Some("Say what is new.".into()),
        ..NewWork::default()
    };
    let made = now(world.dormouse.create_work(&me(), new, Wording::default(), None));
    let scope = QuestionScope::Work(made.expect("work").id);
    let own = ModelChoice::Own("acme/large".into());
    let shown = now(world.dormouse.question_of_change(&me(), &scope, &own)).expect("an answer");
    assert_eq!((shown.agents, shown.agent_work, shown.is_agreed), (0, 1, false));
    assert!(shown.sent[0].contains("instructions"), "{:?}", shown.sent);
    assert_eq!((shown.runs_a_day, shown.cost_a_day), (0.0, Some(0)), "it has not run");
    world.drain_scope(dormouse::DrainScope { all_due: true, ..Default::default() }).expect("ran");
    let shown = now(world.dormouse.question_of_change(&me(), &scope, &own)).expect("an answer");
    assert_eq!((shown.wakes_a_day, shown.runs_a_day), (0.0, 1.0 / 7.0));
    assert_eq!(shown.cost_a_day, Some(1_571), "one run in a week");
    assert_eq!(after(&world, &QuestionScope::NewWork, &own), ("acme/large".into(), 0, 1, false));

    let id = template(&world);
    name_model(&world, &id, Some("acme/large"));
    let moves = follows(OwnModel::Stays, Some(Some(id)));
    for scope in [&scope, &QuestionScope::NewWork] {
        assert_eq!(after(&world, scope, &moves), ("acme/large".into(), 0, 1, false));
        let none = follows(OwnModel::Goes, Some(None));
        assert_eq!(after(&world, scope, &none), ("builtin".into(), 0, 1, true));
    }
    let all = now(world.dormouse.model_question(&me(), "acme/large", Purpose::Thinking));
    let all = all.expect("an answer");
    assert_eq!(all.agent_work, 1, "it asks the model of the workspace");
    assert!(all.sent.iter().any(|what| what.contains("instructions")), "{:?}", all.sent);
    assert!(all.never_sent.iter().all(|what| !what.contains("linked")), "{:?}", all.never_sent);
}

#[test]
fn the_question_of_a_new_agent_is_about_the_model_of_the_template_that_it_is_to_follow() {
    let world = world();
    let id = template(&world);
    let choice = follows(OwnModel::Stays, Some(Some(id.clone())));
    let scope = QuestionScope::NewAgent;
    assert_eq!(after(&world, &scope, &choice), ("builtin".into(), 1, 0, true), "it names none");
    name_model(&world, &id, Some("acme/large"));
    assert_eq!(after(&world, &scope, &choice), ("acme/large".into(), 1, 0, false));
    now(world.dormouse.use_model(&me(), "acme/large")).expect("chosen");
    assert_eq!(after(&world, &scope, &choice), ("acme/large".into(), 1, 0, true), "agreed to");
}

#[test]
fn the_question_of_a_template_says_what_those_send_who_follow_it() {
    let world = world();
    now(world.dormouse.seed_templates()).expect("seeded");
    let said = |scope: &QuestionScope| {
        let shown = question(&world, "acme/large", scope);
        (shown.uses, shown.sent[0].clone(), shown.never_sent.join("; ").contains("not linked"))
    };
    let (wakes, runs, sessions) = ("the task: title", "instructions and steps", "directives");
    for (scope, uses, first, is_of_one_task) in [
        (QuestionScope::Template(template(&world)), ModelUse::Wakes, wakes, true),
        (NEW_TEMPLATE, ModelUse::Wakes, wakes, true),
        (QuestionScope::NewTemplate(TemplateKind::AgentWork), ModelUse::Runs, runs, false),
        (
            QuestionScope::Template(template_of(&world, TemplateKind::AgentWork)),
            ModelUse::Runs,
            runs,
            false,
        ),
        (
            QuestionScope::Template(stock::of_kind(TemplateKind::Improver).id()),
            ModelUse::Sessions,
            sessions,
            false,
        ),
    ] {
        let (shown, sent, is_said) = said(&scope);
        assert_eq!((shown, is_said), (vec![uses], is_of_one_task), "{scope:?}");
        assert!(sent.contains(first), "{scope:?}: {sent}");
    }
}

#[test]
fn the_question_names_the_budget_that_holds_for_those_who_would_ask() {
    let world = world();
    let (_, agent, _) = world.proposed(&[]);
    let id = template(&world);
    let scope = QuestionScope::Template(id.clone());
    let budget = |scope: &QuestionScope| question(&world, "acme/large", scope).budget_a_day;
    assert_eq!(budget(&scope), 3_000_000, "as many agents may follow it as a person likes");
    let follow = AgentPatch { template: Some(Some(id)), ..AgentPatch::default() };
    edit(&world, &agent.id, follow);
    assert_eq!(budget(&scope), 500_000, "one agent follows it");
    let budgets = Budgets { workspace_day: 400_000, ..Budgets::default() };
    now(world.dormouse.set_budgets(&me(), budgets)).expect("set");
    assert_eq!(budget(&scope), 400_000, "all together may spend less");
    assert_eq!(budget(&QuestionScope::Agent(agent.id)), 400_000);
    assert_eq!(budget(&QuestionScope::NewWork), 400_000);
}

#[test]
fn a_question_about_nobody_is_refused() {
    let world = world();
    let ask = |id: &str, scope| now(world.dormouse.own_model_question(&me(), id, &scope));
    let kind =
        |answer: Result<ModelQuestion, Error>| answer.expect_err("refused").problem().kind.name();
    let nobody = "ag-00000000000000000000000000".parse().expect("an id");
    assert_eq!(kind(ask("acme/large", QuestionScope::Agent(nobody))), "not-found");
    let none = "at-00000000000000000000000000".parse().expect("an id");
    assert_eq!(kind(ask("acme/large", QuestionScope::Template(none))), "not-found");
    assert_eq!(kind(ask("acme/broken", NEW_TEMPLATE)), "validation-failed");
}
