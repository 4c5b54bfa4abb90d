//! What models may cost: budgets that are used up, what a person does about it, and prices.

use std::sync::Arc;

use dormouse::models::{BudgetScope, WindowSource};
use dormouse::view::{Attention, AttentionAction, AttentionKind};
use dormouse::{AgentPatch, AttentionFilter, Error, NewTemplate, TemplatePatch};
use dormouse_testkit::models::{Host, PRICE, provider};
use dormouse_types::Scope;
use dormouse_types::agent::{DormantReason, Lifecycle, PutOff};
use dormouse_types::port::Clock as _;
use dormouse_types::spend::{Budgets, Price};
use dormouse_types::template::TemplateKind;
use dormouse_types::{AgentId, TaskId};

use crate::world::{World, me, now, slug, token};

/// What a call of the models of the test host reserves: a token in and 100 out.
const CALL: i64 = 501;

/// A world with an agent that asks a model with a price, and its task.
fn paying() -> (World, TaskId, AgentId) {
    let mut world = World::new();
    world.dormouse = world.dormouse.clone().with_model_host(Arc::new(Host), None);
    now(world.dormouse.load_models()).expect("loaded");
    let task = world.task("Sell the house");
    let agent = world.agent(&task.id);
    let patch = AgentPatch { model: Some(Some("acme/large".into())), ..AgentPatch::default() };
    now(world.dormouse.edit_agent(&me(), &agent.id, patch, None)).expect("changed");
    (world, task.id, agent.id)
}

fn budgets(world: &World, workspace_day: i64, agent_day: i64) {
    let budgets = Budgets { workspace_day, agent_day, ..Budgets::default() };
    now(world.dormouse.set_budgets(&me(), budgets)).expect("set");
}

fn wake(world: &World, task: &TaskId, agent: &AgentId) {
    now(world.dormouse.wake_agent(&me(), agent, None, None)).expect("woken");
    world.drain(task);
}

fn used_up(world: &World) -> Vec<Attention> {
    let page = now(world.dormouse.attention_list(&me(), AttentionFilter::default(), 200, None))
        .expect("a page");
    page.items.into_iter().filter(|one| one.cause.kind() == AttentionKind::Budget).collect()
}

#[test]
fn an_agent_whose_budget_is_used_up_is_dormant_until_the_day_turns() {
    let (world, task, agent) = paying();
    budgets(&world, 1_000_000, CALL - 1);
    wake(&world, &task, &agent);
    let shown = world.fresh_agent(&agent);
    assert_eq!(shown.lifecycle, Lifecycle::Dormant);
    assert_eq!(shown.dormant_reason, Some(DormantReason::Budget.into()));
    assert_eq!(shown.put_off, Some(PutOff::AgentBudget.into()));
    let [entry] = &used_up(&world)[..] else { panic!("{:?}", used_up(&world)) };
    assert_eq!(entry.agent_id.as_ref(), Some(&agent));
    assert_eq!(entry.actions, [AttentionAction::OnceMore, AttentionAction::Open]);
    assert!(entry.text.contains("$0.00 of the $0.0005"), "{}", entry.text);
    let spending = now(world.dormouse.spending(&me(), &BudgetScope::Agent(agent.clone())));
    let spending = spending.expect("figures");
    assert_eq!((spending.money.used, spending.money.next_call), (0, Some(CALL)));
    assert!(spending.money.held_since.is_some());

    world.later(24 * 3600);
    assert_eq!(used_up(&world), []);
    let shown = world.fresh_agent(&agent);
    assert_eq!((shown.lifecycle, shown.put_off), (Lifecycle::Created, None));
}

#[test]
fn once_more_lifts_a_budget_by_its_size_for_the_day_and_makes_the_wake_due() {
    let (world, task, agent) = paying();
    budgets(&world, 1_000_000, CALL - 1);
    let scope = BudgetScope::Agent(agent.clone());
    let error = now(world.dormouse.once_more_today(&me(), &scope)).expect_err("there is room");
    assert_eq!(slug(&error).0, "validation-failed");
    wake(&world, &task, &agent);
    let reader = token(&[Scope::Read, Scope::Edit]);
    let error = now(world.dormouse.once_more_today(&reader, &scope)).expect_err("no right");
    assert!(matches!(error, Error::ScopeMissing { .. }), "{error}");

    let spending = now(world.dormouse.once_more_today(&me(), &scope)).expect("lifted");
    assert_eq!((spending.money.extra, spending.money.held_since), (CALL - 1, None));
    assert_eq!(used_up(&world), []);
    let shown = world.fresh_agent(&agent);
    assert_eq!((shown.lifecycle, shown.put_off), (Lifecycle::Created, None));
    let audited = world.rows().into_iter().filter(|row| row.contains("models.onceMore"));
    assert_eq!(audited.count(), 1);
    let error = now(world.dormouse.once_more_today(&me(), &scope)).expect_err("only once");
    assert_eq!(slug(&error).0, "validation-failed");
    world.drain(&task);
    let spending = now(world.dormouse.spending(&me(), &scope)).expect("figures");
    assert_eq!(spending.money.used, CALL, "the answer of the test host breaks off");
}

#[test]
fn a_budget_of_nothing_is_not_lifted() {
    let (world, task, agent) = paying();
    budgets(&world, 0, 1_000_000);
    wake(&world, &task, &agent);
    let error = now(world.dormouse.once_more_today(&me(), &BudgetScope::Workspace));
    let error = error.expect_err("doubling nothing is nothing").to_string();
    assert!(error.contains("raise it first"), "{error}");
}

#[test]
fn a_budget_that_is_raised_makes_what_waits_for_it_due_at_once() {
    let (world, task, agent) = paying();
    budgets(&world, CALL - 1, 1_000_000);
    wake(&world, &task, &agent);
    let overview = now(world.dormouse.overview(&me())).expect("an overview");
    assert!(overview.spending.money.held_since.is_some());
    assert_eq!(world.fresh_agent(&agent).put_off, Some(PutOff::WorkspaceBudget.into()));
    assert_eq!(world.fresh_agent(&agent).lifecycle, Lifecycle::Created, "it is not its own");
    budgets(&world, 10 * CALL, 1_000_000);
    let shown = world.fresh_agent(&agent);
    assert_eq!((shown.put_off, used_up(&world).len()), (None, 0));
    assert!(shown.due_at.is_some_and(|due| due <= world.clock.now()), "{:?}", shown.due_at);
}

/// Nobody waits for a budget that no agent needs any more, and nobody is shown that wakes do.
#[test]
fn an_agent_that_gets_a_free_model_waits_for_no_budget_and_none_is_shown_as_holding_it() {
    let is_held = |world: &World| {
        let overview = now(world.dormouse.overview(&me())).expect("an overview");
        (overview.spending.money.held_since.is_some(), used_up(world).len())
    };
    for (workspace_day, agent_day) in [(CALL - 1, 1_000_000), (1_000_000, CALL - 1)] {
        let (world, task, agent) = paying();
        budgets(&world, workspace_day, agent_day);
        wake(&world, &task, &agent);
        assert_eq!(is_held(&world), (workspace_day < CALL, 1));
        let patch = AgentPatch { model: Some(Some("builtin".into())), ..AgentPatch::default() };
        now(world.dormouse.edit_agent(&me(), &agent, patch, None)).expect("changed");
        assert_eq!(is_held(&world), (false, 0));
        let shown = world.fresh_agent(&agent);
        assert_eq!((shown.lifecycle, shown.put_off), (Lifecycle::Created, None));
        assert!(shown.due_at.is_some_and(|due| due <= world.clock.now()), "{:?}", shown.due_at);
    }
}

/// The same holds if the model is that of the template, or of the workspace.
#[test]
fn agents_of_a_template_or_workspace_with_a_free_model_wait_for_no_budget() {
    let (world, task, agent) = paying();
    budgets(&world, CALL - 1, 1_000_000);
    let own = |model: Option<&str>| {
        let model = Some(model.map(str::to_owned));
        let patch = AgentPatch { model, ..AgentPatch::default() };
        now(world.dormouse.edit_agent(&me(), &agent, patch, None)).expect("changed");
    };
    now(world.dormouse.use_model(&me(), "acme/large")).expect("chosen");
    own(None);
    wake(&world, &task, &agent);
    assert_eq!(world.fresh_agent(&agent).put_off, Some(PutOff::WorkspaceBudget.into()));
    now(world.dormouse.use_model(&me(), "builtin")).expect("chosen");
    assert_eq!((world.fresh_agent(&agent).put_off, used_up(&world)), (None, Vec::new()));
}

#[test]
fn a_test_call_is_paid_from_the_budget_of_all_agents() {
    let (world, _, _) = paying();
    now(world.dormouse.test_model(&me(), "acme/large")).expect("tested");
    let overview = now(world.dormouse.overview(&me())).expect("an overview");
    // A call in each of three ways, and one of them again, without a figure of the provider.
    assert_eq!(overview.spending.money.used, 4 * CALL);
    let usage = now(world.dormouse.usage(&me(), None, None)).expect("usage");
    assert_eq!((usage.len(), usage[0].cost), (1, 4 * CALL));
    budgets(&world, 4 * CALL, 1_000_000);
    let error = now(world.dormouse.test_model(&me(), "acme/large")).expect_err("no room");
    let error = error.to_string();
    for says in [
        "a test makes up to four calls",
        "more than all agents may still spend",
        "models budget --day",
    ] {
        assert!(error.contains(says), "no {says:?} in {error}");
    }
}

/// A test often takes several calls, because the first ways to call tools do not work.
#[test]
fn a_test_call_is_counted_with_the_tokens_that_the_provider_reports() {
    let (world, _, _) = paying();
    let tested = now(world.dormouse.test_model(&me(), "acme/counted")).expect("tested");
    assert_eq!(
        (tested.input_tokens, tested.output_tokens, tested.cost),
        (Some(9), Some(4), Some(29))
    );
    assert!(!tested.is_cost_assumed);
    let partly = now(world.dormouse.test_model(&me(), "acme/partly-counted")).expect("tested");
    assert_eq!((partly.cost, partly.is_cost_assumed), (Some(4 * CALL), true), "as it is booked");
    now(world.dormouse.put_provider(&me(), provider("home"))).expect("added");
    now(world.dormouse.test_model(&me(), "home/counted")).expect("tested");
    let usage = now(world.dormouse.usage(&me(), None, None)).expect("usage");
    let mut found: Vec<_> =
        usage.iter().map(|one| (one.model.as_str(), one.input_tokens, one.cost)).collect();
    found.sort_unstable();
    let expected =
        [("acme/counted", 9, 29), ("acme/partly-counted", 9, 4 * CALL), ("home/counted", 9, 0)];
    assert_eq!(found, expected, "what is not counted is assumed");
}

/// As in a run: what the provider refuses costs nothing, and what nobody knows costs what it may.
#[test]
fn a_test_that_ends_with_an_error_is_booked_with_what_is_known_of_its_calls() {
    let (world, _, _) = paying();
    let used = || now(world.dormouse.overview(&me())).expect("an overview").spending.money.used;
    let test = |name: &str| now(world.dormouse.test_model(&me(), &format!("acme/{name}")));
    test("missing").expect_err("there is none");
    assert_eq!(used(), 0, "nothing was served");
    let mute = test("refused-each-way").expect("tested");
    assert_eq!((used(), mute.cost, mute.is_cost_assumed), (0, Some(0), false));
    test("missing-later").expect_err("there is none");
    assert_eq!(used(), 29, "the first way was answered, and counted");
    test("missing-after-silence").expect_err("there is none");
    assert_eq!(used(), 29 + 4 * CALL, "nobody knows what the first way did cost");
}

#[test]
fn a_window_that_a_person_sets_goes_before_what_the_server_states() {
    let (world, _, _) = paying();
    let of = |models: dormouse::models::ModelsView| {
        let model = models.models.into_iter().find(|model| model.id == "acme/large");
        let model = model.expect("known");
        (model.window, model.window_source)
    };
    let models = now(world.dormouse.models(&me())).expect("models");
    let built_in = models.models.iter().find(|model| model.id == "builtin").expect("there");
    assert_eq!((built_in.window, built_in.window_source), (None, None), "it has no limit");
    assert_eq!((built_in.folds_at, built_in.keeps), (None, None), "it folds nothing");
    let of_model = |model: &&dormouse::models::ModelView| model.id == "acme/large";
    let known = models.models.iter().find(of_model).expect("known");
    assert_eq!((known.folds_at, known.keeps), (Some(3_276), Some(1_228)));
    assert_eq!(of(models), (Some(8_192), Some(WindowSource::Assumed)), "nobody says");
    let set = now(world.dormouse.set_model_window(&me(), "acme/large", Some(32_768)));
    let set = of(set.expect("set"));
    assert_eq!(set, (Some(32_768), Some(WindowSource::SetByYou)));
    let back = now(world.dormouse.set_model_window(&me(), "acme/large", None)).expect("set");
    assert_eq!(of(back).1, Some(WindowSource::Assumed));

    for absurd in [0, 2_047, u64::MAX] {
        let error = now(world.dormouse.set_model_window(&me(), "acme/large", Some(absurd)));
        assert_eq!(slug(&error.expect_err("a mistake")).0, "validation-failed");
    }
    let error = now(world.dormouse.set_model_window(&me(), "builtin", Some(4_096)));
    assert_eq!(slug(&error.expect_err("it has none")).0, "validation-failed");
}

#[test]
fn a_price_that_a_person_sets_goes_before_the_table() {
    let (world, _, _) = paying();
    let of = |models: dormouse::models::ModelsView| {
        let model = models.models.into_iter().find(|model| model.id == "acme/large");
        let model = model.expect("known");
        (model.price, model.price_source.expect("a source"))
    };
    let (price, source) = of(now(world.dormouse.models(&me())).expect("models"));
    assert_eq!((price, source.is_set_by_you), (Some(PRICE), false));
    let own = Price { input: 7, cached_input: 1, cache_write: 9, output: 8 };
    let set = now(world.dormouse.set_model_price(&me(), "acme/large", Some(own)));
    let (price, source) = of(set.expect("set"));
    assert_eq!((price, source.is_set_by_you), (Some(own), true));
    assert_eq!(source.on.as_deref(), Some("2026-03-02"));
    let back = now(world.dormouse.set_model_price(&me(), "acme/large", None)).expect("set");
    assert_eq!(of(back).0, Some(PRICE));

    let absurd = Price { output: u64::MAX, ..own };
    let error = now(world.dormouse.set_model_price(&me(), "acme/large", Some(absurd)));
    assert_eq!(slug(&error.expect_err("a mistake")).0, "validation-failed");
}

/// However the active version of its template gets another model.
#[test]
fn an_agent_whose_template_gets_a_model_that_can_be_used_waits_no_longer() {
    let (world, task, agent) = paying();
    let caller = me();
    let new = NewTemplate {
        name: "Short".into(),
        kind: TemplateKind::TaskAgent,
        general_directive: String::new(),
        report_directive: String::new(),
        model_id: Some("acme/large".into()),
        profile_id: None,
        category_ids: Vec::new(),
    };
    let made = now(world.dormouse.create_template(&caller, new, None)).expect("made");
    let id = made.template.id;
    let patch =
        AgentPatch { model: Some(None), template: Some(Some(id.clone())), ..AgentPatch::default() };
    now(world.dormouse.edit_agent(&caller, &agent, patch, None)).expect("changed");
    budgets(&world, CALL - 1, 1_000_000);
    let waits = || {
        wake(&world, &task, &agent);
        assert_eq!(world.fresh_agent(&agent).put_off, Some(PutOff::WorkspaceBudget.into()));
    };
    let goes_on = |what: &str| {
        let shown = world.fresh_agent(&agent);
        assert_eq!((shown.put_off, used_up(&world).len()), (None, 0), "{what}");
        assert!(shown.due_at.is_some_and(|due| due <= world.clock.now()), "{what}");
        world.answer(&[]);
        assert_eq!(world.drain(&task).len(), 1, "{what}");
    };
    let of_model = |model: &str, is_draft: bool| {
        let model_id = Some(Some(model.to_owned()));
        let patch = TemplatePatch { model_id, is_draft, ..TemplatePatch::default() };
        now(world.dormouse.edit_template(&caller, &id, patch, None, None)).expect("edited")
    };
    let activate = |number| {
        now(world.dormouse.activate_template_version(&caller, &id, number, None, None))
            .expect("active")
    };
    waits();
    of_model("builtin", true);
    assert!(world.fresh_agent(&agent).put_off.is_some(), "nobody follows a draft");
    activate(2);
    goes_on("another version is active");
    activate(1);
    waits();
    of_model("builtin", false);
    goes_on("an edit");
    activate(1);
    waits();
    now(world.dormouse.roll_back_template(&caller, &id, 2, None, None)).expect("rolled back");
    goes_on("back to an older version");
}
