//! How a model calls tools is found out before it is first used, and again when its server refuses that.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use dormouse::models::PaidCalls;
use dormouse::view::{Agent, AttentionKind};
use dormouse::{AgentPatch, AttentionFilter, Dormouse, DrainScope};
use dormouse_testkit::models::{Host, provider};
use dormouse_types::TaskId;
use dormouse_types::agent::PutOff;
use dormouse_types::audit::AuditAction;
use dormouse_types::model::{ModelError, ProviderUnavailable, Request, TurnEvent};
use dormouse_types::model_settings::{
    FailedTest, KeyState, KnownModel, ListedPrice, ModelHost, ModelTest, OfferedModel, Provider,
    ToolMode,
};
use dormouse_types::port::{
    BoxFuture, BoxStream, Model, ModelClass, ModelLocation, OutgoingRequest,
};
use dormouse_types::spend::Budgets;

use crate::world::{World, me, now};

/// What a test of a model of the test host reserves: a call of a token in and 100 out in each of three ways, and in
/// one of them again.
const TEST: i64 = 4 * 501;

/// A world with an agent that asks a model of this name.
fn asking(model: &str) -> (World, TaskId, Agent) {
    asking_on(Arc::new(Host), model)
}

fn asking_on(host: Arc<dyn ModelHost>, model: &str) -> (World, TaskId, Agent) {
    let mut world = World::new();
    world.dormouse = world.dormouse.clone().with_model_host(host, None);
    now(world.dormouse.load_models()).expect("loaded");
    let task = world.task("Sell the house");
    let agent = world.agent(&task.id);
    let model = Some(Some(model.to_owned()));
    let patch = AgentPatch { model, ..AgentPatch::default() };
    let agent = now(world.dormouse.edit_agent(&me(), &agent.id, patch, None)).expect("changed");
    (world, task.id, agent)
}

fn wake(world: &World, task: &TaskId, agent: &Agent) -> Vec<String> {
    world.later(60);
    now(world.dormouse.wake_agent(&me(), &agent.id, None, None)).expect("woken");
    let ran = world.drain(task).into_iter();
    ran.map(|run| run.error.unwrap_or_else(|| run.status.to_string())).collect()
}

/// What the audit log says of trying models, oldest first: who, what, and of which one.
fn audited(world: &World) -> Vec<(String, AuditAction, String)> {
    let page = now(world.dormouse.audit(&me(), 200, None)).expect("a page");
    let of_models = page.items.into_iter().filter_map(|row| {
        let action = row.action.known()?;
        let is_about = matches!(action, AuditAction::ModelsProbe | AuditAction::ModelsForget);
        is_about.then_some((row.actor.to_string(), action, row.object))
    });
    let mut rows: Vec<_> = of_models.collect();
    rows.reverse();
    rows
}

fn mode(world: &World, id: &str) -> Option<ToolMode> {
    let models = now(world.dormouse.models(&me())).expect("models").models;
    models.into_iter().find(|model| model.id == id).and_then(|model| model.tool_mode)
}

fn cost(world: &World) -> (i64, i64) {
    let days = now(world.dormouse.usage(&me(), None, None)).expect("usage");
    days.iter().fold((0, 0), |(calls, cost), day| (calls + day.calls, cost + day.cost))
}

#[test]
fn the_first_wake_tries_its_model_once_pays_for_that_and_tells() {
    let (world, task, agent) = asking("acme/new");
    assert_eq!(mode(&world, "acme/new"), None);
    let preview = || {
        let shown = now(world.dormouse.preview_wake(&me(), &agent.id, None, None));
        shown.expect("a preview").request.expect("a request").is_tool_mode_known
    };
    assert!(!preview());
    // The test host answers a run with nothing.
    let ended = wake(&world, &task, &agent);
    assert!(ended[0].contains("the answer broke off"), "{ended:?}");
    let probed = (format!("agent:{}", agent.id), AuditAction::ModelsProbe, "acme/new".to_owned());
    assert_eq!(audited(&world), std::slice::from_ref(&probed));
    assert_eq!((mode(&world, "acme/new"), preview()), (Some(ToolMode::Schema), true));
    assert_eq!(cost(&world), (2, TEST + 501), "the test, and the call of the wake");
    wake(&world, &task, &agent);
    assert_eq!((audited(&world), cost(&world).0), (vec![probed], 3), "it is known now");
}

#[test]
fn a_model_is_not_tried_beyond_the_budget_nor_while_paid_calls_are_off() {
    let (world, task, agent) = asking("acme/new");
    let budget = |workspace_day| {
        let budgets = Budgets { workspace_day, ..Budgets::default() };
        now(world.dormouse.set_budgets(&me(), budgets)).expect("set");
    };
    budget(TEST - 1);
    wake(&world, &task, &agent);
    assert_eq!(world.fresh_agent(&agent.id).put_off, Some(PutOff::WorkspaceBudget.into()));
    let waits = now(world.dormouse.attention_list(&me(), AttentionFilter::default(), 9, None));
    let kinds: Vec<_> = waits.expect("a page").items.iter().map(|one| one.cause.kind()).collect();
    assert_eq!(kinds, [AttentionKind::Budget], "it is said, with what can be done");
    budget(1_000_000);
    now(world.dormouse.set_paid_calls(&me(), PaidCalls::Off)).expect("set");
    wake(&world, &task, &agent);
    assert_eq!(world.fresh_agent(&agent.id).put_off, Some(PutOff::PaidCalls.into()));
    assert_eq!((audited(&world), cost(&world)), (Vec::new(), (0, 0)));
    now(world.dormouse.set_paid_calls(&me(), PaidCalls::Allowed)).expect("set");
    world.drain(&task);
    assert_eq!(mode(&world, "acme/new"), Some(ToolMode::Schema));
}

#[test]
fn a_model_that_calls_no_tool_is_held_counts_against_no_agent_and_needs_the_person() {
    let (world, task, agent) = asking("acme/mute");
    wake(&world, &task, &agent);
    let waits = now(world.dormouse.attention_list(&me(), AttentionFilter::default(), 9, None));
    let waits = waits.expect("a page").items;
    let [one] = &waits[..] else { panic!("{waits:?}") };
    assert_eq!(
        (one.id.as_str(), one.cause.kind()),
        ("provider:acme/mute", AttentionKind::ModelSetup)
    );
    assert!(one.text.contains("choose another model"), "{}", one.text);
    assert_eq!(world.fresh_agent(&agent.id).put_off, Some(PutOff::Provider.into()));
    let by = format!("agent:{}", agent.id);
    let tried = [(by, AuditAction::ModelsProbe, "acme/mute".to_owned())];
    assert_eq!((audited(&world), cost(&world).0), (tried.to_vec(), 1), "only the test was paid");
}

#[test]
fn a_model_that_calls_no_tool_is_paid_for_once_until_a_person_tests_it_or_its_server_is_another() {
    let (world, task, agent) = asking("acme/mute");
    let tries = || (audited(&world).len(), cost(&world).0);
    let is_known = || {
        let models = now(world.dormouse.models(&me())).expect("models").models;
        models.into_iter().find(|model| model.id == "acme/mute").expect("kept").calls_nothing
    };
    let retry = || {
        // Longer than any pause of a hold.
        world.later(3600);
        wake(&world, &task, &agent);
    };
    assert!(!is_known(), "nobody has tried it");
    (0..4).for_each(|_| retry());
    assert_eq!((tries(), is_known()), ((1, 1), true), "the retries of the hold cost nothing");
    let node = another_node(&world);
    world.later(3600);
    let scope = DrainScope { tasks: vec![task.clone()], ..DrainScope::default() };
    now(node.drain(scope, &mut |_| {})).expect("drained");
    assert_eq!(tries(), (1, 1), "another node knows it, too");

    now(world.dormouse.test_model(&me(), "acme/mute")).expect("tested");
    retry();
    assert_eq!((tries(), is_known()), ((1, 2), true), "the person paid for a test, and saw it");
    let moved = Provider { base_url: "https://moved.example/v1".into(), ..provider("acme") };
    now(world.dormouse.put_provider(&me(), moved)).expect("moved");
    assert!(!is_known(), "another server may call them");
    retry();
    assert_eq!((tries(), is_known()), ((2, 3), true));
}

#[test]
fn a_model_that_is_cut_while_it_thinks_is_not_taken_for_one_that_calls_nothing() {
    let (world, task, agent) = asking("acme/thinker");
    let shown = now(world.dormouse.test_model(&me(), "acme/thinker")).expect("tested");
    assert_eq!((shown.tool_mode, shown.is_cut), (None, true));
    let ran = wake(&world, &task, &agent);
    let models = now(world.dormouse.models(&me())).expect("models").models;
    let known = models.into_iter().find(|model| model.id == "acme/thinker").expect("kept");
    assert_eq!((known.tool_mode, known.calls_nothing), (None, false));
    assert!(matches!(&ran[..], [why] if why.contains("it was cut while it thought")), "{ran:?}");
    assert_eq!(cost(&world).0, 2, "each test was paid, and nothing else");
}

#[test]
fn two_nodes_that_try_a_model_without_tools_at_once_keep_and_tell_that_once() {
    let (world, task, agent) = asking("acme/mute");
    let second = world.task("Buy a flat");
    let other = world.agent(&second.id);
    let patch = AgentPatch { model: Some(Some("acme/mute".to_owned())), ..AgentPatch::default() };
    now(world.dormouse.edit_agent(&me(), &other.id, patch, None)).expect("changed");
    let node = another_node(&world);
    world.later(60);
    now(world.dormouse.wake_agent(&me(), &agent.id, None, None)).expect("woken");
    now(world.dormouse.wake_agent(&me(), &other.id, None, None)).expect("woken");
    let scope = DrainScope { tasks: vec![second.id], ..DrainScope::default() };
    let there = node.clone();
    world.hooks.before_commit("models.probe", move || {
        now(there.drain(scope, &mut |_| {})).expect("drained");
    });
    world.drain(&task);
    assert!(world.hooks.is_done());
    let by = format!("agent:{}", other.id);
    let once = [(by, AuditAction::ModelsProbe, "acme/mute".to_owned())];
    assert_eq!((audited(&world), cost(&world).0), (once.to_vec(), 2), "told once, both paid");
    let put_off = [&agent.id, &other.id].map(|id| world.fresh_agent(id).put_off);
    assert_eq!(put_off, [Some(PutOff::Provider.into()), Some(PutOff::Provider.into())]);
}

#[test]
fn a_server_that_refuses_tools_is_tried_anew_by_the_next_wake() {
    let (world, task, agent) = asking("acme/refusing");
    let ended = wake(&world, &task, &agent);
    assert!(ended[0].contains("does not support tools"), "{ended:?}");
    let by = format!("agent:{}", agent.id);
    let row = |action| (by.clone(), action, "acme/refusing".to_owned());
    let once = [row(AuditAction::ModelsProbe), row(AuditAction::ModelsForget)];
    assert_eq!((audited(&world), mode(&world, "acme/refusing")), (once.to_vec(), None));
    world.later(3600);
    wake(&world, &task, &agent);
    assert_eq!(audited(&world), [once.clone(), once].concat());
}

#[test]
fn a_model_that_calls_nothing_when_a_turn_forces_it_is_tried_anew_once() {
    let (world, task, agent) = asking("acme/silent");
    let by = format!("agent:{}", agent.id);
    let row = |action| (by.clone(), action, "acme/silent".to_owned());
    let (probe, forget) = (row(AuditAction::ModelsProbe), row(AuditAction::ModelsForget));
    let once = [probe.clone(), forget.clone(), probe.clone()];
    let ended = wake(&world, &task, &agent);
    assert_eq!(ended, ["completed"], "its report was forced, and the same wake tried it again");
    assert_eq!(cost(&world).0, 5, "two tests, two forced turns, and the one before");
    assert_eq!(world.fresh_agent(&agent.id).consecutive_failure_count, 0);
    for _ in 0..3 {
        world.later(3600);
        wake(&world, &task, &agent);
        assert_eq!(audited(&world), once.clone(), "it is just not obedient");
        assert_eq!(mode(&world, "acme/silent"), Some(ToolMode::Native));
    }
    // Who tests it says that it is in order.
    now(world.dormouse.test_model(&me(), "acme/silent")).expect("tested");
    world.later(3600);
    wake(&world, &task, &agent);
    assert!(audited(&world).ends_with(&[forget, probe]), "{:?}", audited(&world));
}

/// The provider of the test host, at another address from a commit on.
fn moved_before(world: &World, label: &'static str) {
    let dormouse = world.dormouse.clone();
    world.hooks.before_commit(label, move || {
        let base_url = "https://moved.example/v1".into();
        let moved = Provider { base_url, ..provider("acme") };
        now(dormouse.put_provider(&me(), moved)).expect("moved");
    });
}

#[test]
fn a_run_whose_model_was_forgotten_meanwhile_asks_again_in_the_way_that_is_found_out_then() {
    let (world, task, agent) = asking("acme/silent");
    now(world.dormouse.put_provider(&me(), provider("acme"))).expect("added");
    moved_before(&world, "models.forget");
    assert_eq!(wake(&world, &task, &agent), ["completed"]);
    assert!(world.hooks.is_done());
    assert_eq!(
        cost(&world).0,
        7,
        "the turn is asked for again at the new address, and there once more"
    );
}

#[test]
fn what_a_test_showed_of_a_server_that_was_left_meanwhile_is_not_taken_for_an_answer() {
    let (world, task, agent) = asking("acme/new");
    now(world.dormouse.put_provider(&me(), provider("acme"))).expect("added");
    moved_before(&world, "models.probe");
    wake(&world, &task, &agent);
    assert!(world.hooks.is_done());
    assert_eq!((mode(&world, "acme/new"), cost(&world).0), (None, 1), "it is not asked untried");
    world.later(60);
    world.drain(&task);
    assert_eq!(mode(&world, "acme/new"), Some(ToolMode::Schema), "it is tested again");
}

/// The services of another node on the same database.
fn another_node(world: &World) -> Dormouse {
    let node = world.another_node("UTC");
    now(node.load_models()).expect("loaded");
    node
}

#[test]
fn two_nodes_that_try_a_model_at_once_keep_one_result_and_pay_both_tests() {
    let (world, task, agent) = asking("acme/new");
    let second = world.task("Buy a flat");
    let other = world.agent(&second.id);
    let patch = AgentPatch { model: Some(Some("acme/new".to_owned())), ..AgentPatch::default() };
    now(world.dormouse.edit_agent(&me(), &other.id, patch, None)).expect("changed");
    let node = another_node(&world);
    world.later(60);
    now(world.dormouse.wake_agent(&me(), &agent.id, None, None)).expect("woken");
    now(world.dormouse.wake_agent(&me(), &other.id, None, None)).expect("woken");
    let of = |task: &TaskId| DrainScope { tasks: vec![task.clone()], ..DrainScope::default() };
    // The other node has its answer when this one is about to keep its own.
    let (there, scope) = (node.clone(), of(&second.id));
    world.hooks.before_commit("models.probe", move || {
        now(there.drain(scope, &mut |_| {})).expect("drained");
    });
    world.drain(&task);
    assert!(world.hooks.is_done());
    let by = format!("agent:{}", other.id);
    let once = [(by, AuditAction::ModelsProbe, "acme/new".to_owned())];
    assert_eq!(audited(&world), once, "the first result is kept and told");
    let modes = [&world.dormouse, &node].map(|node| {
        let models = now(node.models(&me())).expect("models").models;
        models.into_iter().find(|model| model.id == "acme/new").and_then(|model| model.tool_mode)
    });
    assert_eq!(modes, [Some(ToolMode::Schema); 2]);
    assert_eq!(cost(&world), (4, 2 * (TEST + 501)), "two tests and two calls, none lost");
}

/// A node without the key of a server that wants one, which its first test call shows.
#[derive(Default)]
struct KeylessNode {
    n_tests: AtomicUsize,
}

struct Keyless(Arc<dyn Model>);

impl Model for Keyless {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn provider(&self) -> &str {
        self.0.provider()
    }

    fn class(&self) -> ModelClass {
        self.0.class()
    }

    fn location(&self) -> ModelLocation {
        self.0.location()
    }

    fn is_probed(&self) -> bool {
        false
    }

    fn lacks_key(&self) -> bool {
        true
    }

    fn outgoing(&self, request: &Request) -> Option<OutgoingRequest> {
        self.0.outgoing(request)
    }

    fn ask<'a>(&'a self, request: &'a Request) -> BoxStream<'a, Result<TurnEvent, ModelError>> {
        self.0.ask(request)
    }
}

impl ModelHost for KeylessNode {
    fn build(
        &self,
        provider: &Provider,
        name: &str,
        known: Option<&KnownModel>,
    ) -> Result<Arc<dyn Model>, String> {
        let model = Host.build(provider, name, known)?;
        Ok(match self.n_tests.load(Ordering::Relaxed) {
            0 => model,
            _ => Arc::new(Keyless(model)),
        })
    }

    fn checked(&self, provider: Provider) -> Result<Provider, String> {
        Host.checked(provider)
    }

    fn found(&self) -> Vec<Provider> {
        Host.found()
    }

    fn key(&self, provider: &Provider) -> KeyState {
        Host.key(provider)
    }

    fn set_key(&self, provider: &Provider, key: Option<&str>) -> Result<(), String> {
        Host.set_key(provider, key)
    }

    fn price(&self, provider: &Provider, name: &str) -> Option<ListedPrice> {
        Host.price(provider, name)
    }

    fn list<'a>(
        &'a self,
        provider: &'a Provider,
    ) -> BoxFuture<'a, Result<Vec<OfferedModel>, ModelError>> {
        Host.list(provider)
    }

    fn test<'a>(
        &'a self,
        provider: &'a Provider,
        _: &'a str,
    ) -> BoxFuture<'a, Result<ModelTest, FailedTest>> {
        self.n_tests.fetch_add(1, Ordering::Relaxed);
        let error = ModelError::Provider {
            provider: provider.name.clone(),
            why: ProviderUnavailable::Configuration,
            detail: "the node attic has no key: set DORMOUSE_KEY_ACME".to_owned(),
            retry_after: None,
        };
        Box::pin(std::future::ready(Err(error.into())))
    }

    fn test_request(&self) -> Option<Request> {
        Host.test_request()
    }
}

/// What one node lacks is no failure of a model that others can ask.
#[test]
fn a_node_that_learns_that_it_lacks_a_key_leaves_the_wake_to_the_others_for_a_minute() {
    let host = Arc::new(KeylessNode::default());
    let (world, task, agent) = asking_on(host.clone(), "acme/new");
    world.later(60);
    now(world.dormouse.wake_agent(&me(), &agent.id, None, None)).expect("woken");
    world.drain(&task);
    let waits = || world.fresh_agent(&agent.id).put_off;
    assert_eq!((host.n_tests.load(Ordering::Relaxed), waits()), (1, None), "nothing is held");
    assert_eq!(cost(&world), (1, 0), "the refusal cost nothing");
    world.later(30);
    world.drain(&task);
    assert_eq!((host.n_tests.load(Ordering::Relaxed), waits()), (1, None));
    // Nobody has it: the model is held, and shows what is missing.
    world.later(31);
    let ended = world.drain(&task).into_iter().filter_map(|run| run.error).collect::<Vec<_>>();
    assert_eq!((host.n_tests.load(Ordering::Relaxed), waits()), (2, Some(PutOff::Provider.into())));
    assert!(ended.iter().all(|why| why.contains("DORMOUSE_KEY_ACME")), "{ended:?}");
}
