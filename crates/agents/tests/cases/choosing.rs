//! Which model a run asks, and what is kept of its cost.

use std::slice;
use std::sync::Arc;
use std::time::Duration;

use dormouse_agents::lifecycle::AgentPatch;
use dormouse_agents::wake::waiting::Scope;
use dormouse_runs::{End, Models};
use dormouse_store::agent::agent_entity::{Agent, Automation};
use dormouse_store::agent::wake_queue::{self, Reason, Signal};
use dormouse_store::agent::wake_run::Status;
use dormouse_store::agent::{breaker, entity};
use dormouse_store::{Commit, Db};
use dormouse_types::model::{
    FragmentKind, ModelError, ProviderUnavailable, Request, ToolCall, TurnEvent, Usage,
};
use dormouse_types::port::{BoxStream, Clock as _, Model, ModelClass};
use dormouse_types::{AgentId, HolderId, Id as _, limits};
use futures_util::stream;

use crate::world::{Agents, DONE, WS, World, me, now, report, text};

const USED: Usage = Usage {
    input: 1200,
    cached_input: 800,
    cache_write: 300,
    output: 90,
    reasoning: 40,
    cost: None,
};

/// A paid model of another provider, which answers with a report or not at all.
#[derive(Default)]
struct Far {
    is_away: bool,
    /// How long it wants to be left alone; `None` if it refuses the key.
    wait: Option<Duration>,
    /// Whether this process lacks its key.
    lacks_key: bool,
    used: Usage,
}

impl Model for Far {
    fn name(&self) -> &str {
        "far"
    }

    fn provider(&self) -> &str {
        "far.example"
    }

    fn class(&self) -> ModelClass {
        ModelClass::Paid
    }

    fn lacks_key(&self) -> bool {
        self.lacks_key
    }

    fn ask<'a>(&'a self, _: &'a Request) -> BoxStream<'a, Result<TurnEvent, ModelError>> {
        if self.is_away {
            let why = match self.wait {
                None => ProviderUnavailable::Authentication,
                Some(_) => ProviderUnavailable::Quota,
            };
            let (provider, detail) = ("far.example".into(), "refused".into());
            return Box::pin(stream::iter([Err(ModelError::Provider {
                provider,
                why,
                detail,
                retry_after: self.wait,
            })]));
        }
        let (name, args) = report("All quiet.", "Nothing yet.");
        let call = ToolCall { id: "call-1".into(), name: name.into(), args };
        let events =
            [TurnEvent::Call(call), TurnEvent::Usage(self.used), TurnEvent::End { ended: true }];
        Box::pin(stream::iter(events.map(Ok)))
    }
}

/// Returns a world with an agent that asks the far model.
fn far_away() -> (World, AgentId) {
    let world = World::new();
    let task = world.task("Move", &["It began."]);
    let agent = world.try_create(&task, false).expect("an agent");
    let row = entity::by_id::<Agent>(WS, agent.as_str());
    let mut row = now(world.store.first(row)).expect("readable").expect("an agent");
    row.doc.value.config.model = Some("far".into());
    let commit = Commit::new("test", Db::Agent, WS).op(entity::replace(WS, &row));
    now(world.store.commit(commit)).expect("committed");
    (world, agent)
}

#[test]
fn a_run_asks_the_model_of_its_agent_and_adds_up_its_tokens() {
    let (world, agent) = far_away();
    let far = Arc::new(Far { used: USED, ..Far::default() });
    let agents = world.choosing(Models::new(world.model.clone()).with(far));
    let scheduler = agents.scheduler();
    let unasked = now(scheduler.claim(WS, &world.row(&agent))).expect("a claim");
    assert!(unasked.is_none(), "a paid model runs only when a person asks");
    world.wake_now(&agent, None);
    let lease = now(scheduler.claim(WS, &world.row(&agent))).expect("a claim").expect("a lease");
    assert_eq!(now(scheduler.run_alive(lease)).expect("it ran").end, DONE);
    let run = &world.runs(&agent)[0];
    assert_eq!((run.model.as_deref(), run.usage), (Some("far"), USED));
    assert!(world.script.requests().is_empty());
}

#[test]
fn a_process_without_the_key_leaves_a_wake_to_one_that_has_it_and_after_a_minute_says_what_it_lacks()
 {
    let (world, agent) = far_away();
    let with = |name, far| {
        let models = Models::new(world.model.clone()).with(Arc::new(far));
        world.agents_of(name, models)
    };
    let keyless = with("keyless", Far { lacks_key: true, is_away: true, ..Far::default() });
    let other = with("other", Far { used: USED, ..Far::default() });
    world.wake_now(&agent, None);
    let row = world.row(&agent);
    assert!(now(keyless.scheduler().claim(WS, &row)).expect("a claim").is_none());
    assert_eq!(world.row(&agent), row, "nothing is written");
    let lease = now(other.scheduler().claim(WS, &row)).expect("a claim").expect("a lease");
    assert_eq!(now(other.scheduler().run_alive(lease)).expect("it ran").end, DONE);

    world.wake_now(&agent, None);
    world.clock.advance(Duration::from_secs(61));
    let lease = now(keyless.scheduler().claim(WS, &world.row(&agent))).expect("a claim");
    let end = now(keyless.scheduler().run_alive(lease.expect("nobody else took it")))
        .expect("it ran")
        .end;
    assert!(matches!(end, End::ProviderUnavailable { .. }), "{end:?}");
}

#[test]
fn a_run_whose_prompt_was_cut_fails_and_says_how_much_was_read() {
    for (used, is_cut) in [
        (Usage { input: 256, output: 90, ..Usage::default() }, true),
        (Usage { input: 256, cached_input: 1, output: 90, ..Usage::default() }, true),
        (Usage { output: 90, ..Usage::default() }, false),
        (Usage { input: 2_000, cached_input: 1_900, output: 90, ..Usage::default() }, false),
    ] {
        let (world, agent) = far_away();
        let far = Arc::new(Far { used, ..Far::default() });
        let agents = world.choosing(Models::new(world.model.clone()).with(far));
        let scheduler = agents.scheduler();
        world.wake_now(&agent, None);
        let lease = now(scheduler.claim(WS, &world.row(&agent))).expect("a claim");
        let end = now(scheduler.run_alive(lease.expect("a lease"))).expect("it ran").end;
        if !is_cut {
            assert_eq!(end, DONE, "{used:?}");
            continue;
        }
        let End::Failed { error } = end else { panic!("{used:?}: {end:?}") };
        assert!(
            error.contains("far read 256 tokens") && error.contains("--window TOKENS"),
            "{error}"
        );
        let run = &world.runs(&agent)[0];
        assert_eq!((run.status, run.usage), (Status::Failed, used), "it is counted");
        assert_eq!(world.report(&agent), None, "the answer is not used");
    }
}

#[test]
fn a_provider_that_fails_opens_its_own_breaker() {
    let (world, agent) = far_away();
    let far = Arc::new(Far { is_away: true, ..Far::default() });
    let agents = world.choosing(Models::new(world.model.clone()).with(far));
    world.wake_now(&agent, None);
    let scheduler = agents.scheduler();
    let lease = now(scheduler.claim(WS, &world.row(&agent))).expect("a claim").expect("a lease");
    now(scheduler.run_alive(lease)).expect("it ran");
    let providers = now(world.store.all(breaker::all(WS))).expect("readable");
    let providers: Vec<_> = providers.into_iter().map(|breaker| breaker.provider).collect();
    assert_eq!(providers, ["far.example"]);
}

/// An agent of the other provider runs meanwhile, though the row of the first is due before it.
#[test]
fn an_agent_whose_provider_is_away_is_put_off_and_holds_up_no_other() {
    // A refused key, and a limit with the time from which on it lets calls through.
    for wait in [None, Some(Duration::from_secs(40))] {
        put_off_alone(wait);
    }
}

fn put_off_alone(wait: Option<Duration>) {
    let (world, agent) = far_away();
    let far = Arc::new(Far { is_away: true, wait, ..Far::default() });
    let agents = world.choosing(Models::new(world.model.clone()).with(far));
    let task = world.task("Another one", &["It began as well."]);
    let near = world.create(&task);
    let scheduler = agents.scheduler();
    world.wake_now(&agent, None);
    let lease = now(scheduler.claim(WS, &world.row(&agent))).expect("a claim").expect("a lease");
    now(scheduler.run_alive(lease)).expect("it ran");
    let until = now(world.store.all(breaker::all(WS))).expect("readable")[0].open_until;
    let seconds = wait.unwrap_or(Duration::from_secs(limits::BREAKER_SECONDS));
    assert_eq!(until, Some(world.clock.now() + seconds), "it opens the breaker at once");

    world.wake_now(&agent, None);
    world.answers(1);
    let everything = Scope { all_due: true, ..Scope::default() };
    let ran = World::drain_of(&agents, &everything).expect("a drain");
    let ends: Vec<_> = ran.into_iter().map(|one| (one.holder, one.end)).collect();
    assert_eq!(ends, [(HolderId::from(&near), DONE)]);
    assert_eq!(world.row(&agent).due_at, until);
}

#[test]
fn no_model_steps_in_for_one_that_is_not_registered() {
    let (world, agent) = far_away();
    world.wake_now(&agent, None);
    let agents = world.choosing(Models::new(world.model.clone()));
    let scheduler = agents.scheduler();
    let lease = now(scheduler.claim(WS, &world.row(&agent))).expect("a claim").expect("a lease");
    let ended = now(scheduler.run_alive(lease)).expect("it ran").end;
    let End::ProviderUnavailable { reason } = ended else { panic!("{ended:?}") };
    assert!(reason.contains("`dormouse models add`"), "{reason}");
    let run = &world.runs(&agent)[0];
    assert_eq!((run.model.as_deref(), run.status), (Some("far"), Status::Queued));
    assert!(world.script.requests().is_empty());
}

/// It waits for a provider that may never come back, and a person has decided not to wait.
#[test]
fn a_run_that_waits_for_its_provider_begins_anew_with_the_model_that_is_chosen_instead() {
    let (world, agent) = far_away();
    let far = Arc::new(Far { is_away: true, ..Far::default() });
    let agents = world.choosing(Models::new(world.model.clone()).with(far));
    world.wake_now(&agent, Some("Is it the 14th?"));
    let scheduler = agents.scheduler();
    let lease = now(scheduler.claim(WS, &world.row(&agent))).expect("a claim").expect("a lease");
    now(scheduler.run_alive(lease)).expect("it ran");
    let waiting = world.runs(&agent)[0].clone();
    assert_eq!((waiting.status, waiting.model.as_deref()), (Status::Queued, Some("far")));

    let patch = AgentPatch { model: Some(None), ..AgentPatch::default() };
    now(agents.configure(WS, &agent, &patch, &me())).expect("configured");
    world.answers(1);
    let lease = now(scheduler.claim(WS, &world.row(&agent))).expect("a claim").expect("a lease");
    assert_eq!(now(scheduler.run_alive(lease)).expect("it ran").end, DONE);
    let runs = world.runs(&agent);
    let ended = runs.iter().find(|run| run.key == waiting.key).expect("the run that waited");
    assert!(ended.is_cancelled() && ended.completed_at.is_some(), "{ended:?}");
    let fresh = runs.iter().find(|run| run.key != waiting.key).expect("another run");
    assert_eq!((fresh.status, &fresh.reason), (Status::Completed, &waiting.reason));
    assert_eq!(fresh.initiator, waiting.initiator);
    assert_ne!(fresh.model.as_deref(), Some("far"));
    let heard = text(&world.last_request(), FragmentKind::Message).expect("its message");
    assert!(heard.contains("Is it the 14th?"), "{heard}");
    let state = world.agent_state(&agent);
    assert_eq!(state.consecutive_failure_count, 0);
    let row = world.row(&agent);
    assert_eq!((row.run_key, row.due_at, row.reasons), (None, None, Vec::new()));
}

/// The near model is free and merges changes for two seconds, the far one is paid and merges for two
/// minutes; whichever of them is the default.
#[test]
fn a_command_runs_what_merges_as_long_as_the_model_of_that_agent_merges() {
    let everything = Scope { all_due: true, ..Scope::default() };
    let choose = |agent: &AgentId, model: &str, agents: &Agents| {
        let patch = AgentPatch {
            model: Some(Some(model.to_owned())),
            automation: Some(Automation::On),
            ..AgentPatch::default()
        };
        now(agents.configure(WS, agent, &patch, &me())).expect("configured");
    };
    for far_is_default in [true, false] {
        let (world, far_agent) = far_away();
        let near_agent = world.create(&world.task("Another one", &["It began as well."]));
        let near_name = world.model.name().to_owned();
        let default = if far_is_default { "far" } else { near_name.as_str() };
        let far: Arc<dyn Model> = Arc::new(Far { used: USED, ..Far::default() });
        let models = Models::new(world.model.clone());
        models.replace([world.model.clone() as Arc<dyn Model>, far], default, None);
        let agents = world.choosing(models);
        choose(&far_agent, "far", &agents);
        choose(&near_agent, &near_name, &agents);
        World::drain_of(&agents, &everything).expect("a drain");
        for agent in [&far_agent, &near_agent] {
            let at = world.clock.now();
            let signal = Signal {
                holder: agent.into(),
                reason: Reason::Subscription,
                at,
                due_at: Some(at + Duration::from_secs(60)),
                upto: world.row(agent).upto,
                request_id: None,
            };
            let commit = Commit::new("test", Db::Agent, WS).op(wake_queue::signal(WS, &signal));
            now(world.store.commit(commit)).expect("committed");
        }
        let waiting = now(agents.waiting(WS)).expect("readable");
        assert_eq!(waiting.ready, slice::from_ref(&far_agent), "{default} is the default");
        let held: Vec<_> = waiting.held.into_iter().map(|(agent, _)| agent).collect();
        assert_eq!(held, slice::from_ref(&near_agent), "{default} is the default");
        let ran = World::drain_of(&agents, &everything).expect("a drain");
        let ran: Vec<_> = ran.into_iter().map(|one| one.holder).collect();
        assert_eq!(ran, [HolderId::from(&far_agent)], "{default} is the default");
    }
}
