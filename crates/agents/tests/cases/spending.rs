//! What calls of a model cost: reserved before, settled after, never beyond a budget.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use dormouse_runs::Models;
use dormouse_scheduler::{End, Lease};
use dormouse_store::agent::model_setting::{self, StoredSettings};
use dormouse_store::agent::spend::{self, Account, Balance, SpendScope};
use dormouse_store::agent::wake_run::Status;
use dormouse_store::agent::{breaker, model_call, wake_queue};
use dormouse_store::{ChangeRow, Commit, Db, Refusal};
use dormouse_types::agent::PutOff;
use dormouse_types::model::{
    ModelError, ProviderState, ProviderUnavailable, Request, ToolCall, TurnEvent, Usage,
};
use dormouse_types::model_settings::ModelSettings;
use dormouse_types::port::{BoxStream, Clock as _, Stage};
use dormouse_types::spend::{Budgets, Unit};
use dormouse_types::{AgentId, Origin};
use futures_util::{FutureExt as _, stream};
use serde_json::json;

use crate::world::Agents;
use crate::world::paid::{Answers, Paid, RESERVED};
use crate::world::{DONE, WS, World, me, now, report};

/// 2,500 tokens in and 50 out.
const USED: Usage =
    Usage { input: 2500, cached_input: 0, cache_write: 0, output: 50, reasoning: 0, cost: None };
const COST: i64 = 2_500 + 500;

type Turn = Result<Vec<TurnEvent>, ModelError>;

/// Answers in the order of a list.
#[derive(Default)]
struct Priced {
    turns: Mutex<Vec<Turn>>,
    /// What it says that it used before an answer that cannot be used.
    reported: Option<Usage>,
    requests: Mutex<Vec<Request>>,
    /// Whether it never answers.
    hangs: AtomicBool,
    /// Calls under way that never end.
    open: Arc<AtomicUsize>,
}

/// A call under way.
struct Connection(Arc<AtomicUsize>);

impl Connection {
    fn open(open: &Arc<AtomicUsize>) -> Self {
        open.fetch_add(1, Ordering::Relaxed);
        Self(open.clone())
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Answers for Priced {
    fn answer(&self, request: &Request) -> BoxStream<'static, Result<TurnEvent, ModelError>> {
        self.requests.lock().expect("one thread").push(request.clone());
        if self.hangs.load(Ordering::Relaxed) {
            let connection = Connection::open(&self.open);
            return Box::pin(stream::once(async move {
                let _open = connection;
                std::future::pending().await
            }));
        }
        let mut turns = self.turns.lock().expect("one thread");
        if turns.is_empty() {
            return Box::pin(stream::pending());
        }
        match turns.remove(0) {
            Ok(events) => Box::pin(stream::iter(events.into_iter().map(Ok))),
            Err(error) => {
                let reported = self.reported.map(|usage| Ok(TurnEvent::Usage(usage)));
                Box::pin(stream::iter(reported.into_iter().chain([Err(error)])))
            }
        }
    }
}

fn call() -> TurnEvent {
    let (name, args) = report("All quiet.", "Nothing yet.");
    TurnEvent::Call(ToolCall { id: "call-1".into(), name: name.into(), args })
}

fn answer(usage: Option<Usage>) -> Turn {
    let usage = usage.map(TurnEvent::Usage);
    Ok([call()].into_iter().chain(usage).chain([TurnEvent::End { ended: true }]).collect())
}

/// An agent that asks the priced model.
struct Case {
    world: World,
    agent: AgentId,
    model: Arc<Paid<Priced>>,
    models: Models,
    agents: Agents,
}

impl Case {
    fn new(turns: Vec<Turn>) -> Self {
        Self::of(Priced { turns: Mutex::new(turns), ..Priced::default() })
    }

    fn of(priced: Priced) -> Self {
        let world = World::new();
        let task = world.task("Move", &["It began."]);
        let agent = world.try_create(&task, true).expect("an agent");
        let model = Arc::new(Paid(priced));
        let models = Models::new(world.model.clone()).with(model.clone());
        let agents = world.choosing(models.clone());
        let case = Self { world, agent, model, models, agents };
        case.world.pays(&case.agent);
        case
    }

    /// Changes the settings as a person does, which others hear of.
    fn settings(&self, edit: impl FnOnce(&mut ModelSettings)) {
        let stored = now(self.world.store.first(model_setting::of_workspace(WS)));
        let stored = stored.expect("readable");
        let stored = stored.unwrap_or(StoredSettings { revision: 0, settings: Default::default() });
        let mut settings = stored.settings;
        edit(&mut settings);
        let put = model_setting::put(WS, stored.revision, &settings);
        let by = Origin::Person { via: None };
        let commit = Commit::new("test", Db::Agent, WS).op(put).change(ChangeRow::agent(
            by,
            dormouse_types::EventKind::ModelsChanged,
            None,
            "test",
        ));
        now(self.world.store.commit(commit)).expect("committed");
    }

    /// Claims the wake of an agent that is due, if it may run.
    fn claim(&self, agent: &AgentId) -> Option<Lease> {
        now(self.agents.scheduler().claim(WS, &self.world.row(agent))).expect("a claim")
    }

    fn put_off(&self, agent: &AgentId) -> Option<PutOff> {
        self.world.row(agent).put_off.and_then(|why| why.known())
    }

    fn run(&self) -> End {
        self.world.wake_now(&self.agent, None);
        let scheduler = self.agents.scheduler();
        let lease = now(scheduler.claim(WS, &self.world.row(&self.agent))).expect("a claim");
        now(scheduler.run_alive(lease.expect("a lease"))).expect("it ran").end
    }

    fn requests(&self) -> usize {
        self.model.0.requests.lock().expect("one thread").len()
    }

    fn balance(&self, scope: SpendScope) -> Option<(i64, i64)> {
        let day = self.world.clock.now().day_in(&jiff::tz::TimeZone::UTC);
        let account = Account { scope, day, unit: Unit::MicroDollars };
        let found = now(self.world.store.first(spend::of_account(WS, &account)));
        found.expect("readable").map(|Balance { reserved, spent, .. }| (reserved, spent))
    }

    /// (reserved, spent) of the agent and of the workspace, which are the same here.
    fn spent(&self) -> (i64, i64) {
        let agent = self.balance(SpendScope::Holder((&self.agent).into())).expect("a balance");
        assert_eq!(self.balance(SpendScope::Workspace), Some(agent));
        agent
    }
}

#[test]
fn a_call_costs_what_the_provider_says() {
    let case = Case::new(vec![answer(Some(USED))]);
    assert_eq!(case.run(), DONE);
    assert_eq!(case.spent(), (0, COST));
    assert_eq!(case.world.runs(&case.agent)[0].usage, USED);
    let day = case.world.clock.now().day_in(&jiff::tz::TimeZone::UTC);
    let days = now(case.world.store.all(model_call::per_day(WS, day, day))).expect("readable");
    let [today] = &days[..] else { panic!("{days:?}") };
    assert_eq!((today.model.as_str(), today.calls, today.cost), ("acme/large", 1, COST));
    assert_eq!(today.usage, USED);
}

#[test]
fn a_call_costs_what_the_provider_charged_if_it_says_so_and_its_tokens_can_be_right() {
    let charged = |usage: Usage, cost| Usage { cost: Some(cost), ..usage };
    let no_tokens = Usage { input: 0, output: 0, ..USED };
    for (usage, spent) in [
        (charged(USED, 1_234), 1_234),
        (charged(USED, 0), 0),
        (charged(USED, 11 * 6_000), RESERVED),
        (charged(no_tokens, 5), RESERVED),
    ] {
        let case = Case::new(vec![answer(Some(usage))]);
        assert_eq!(case.run(), DONE);
        assert_eq!(case.spent(), (0, spent), "{usage:?}");
    }
}

/// Each call has a row of its own, also those whose tool calls are refused.
#[test]
fn a_run_of_three_calls_has_three_rows_of_usage() {
    let refused = |output| {
        let args = json!({});
        let call = ToolCall { id: "call-1".into(), name: "update_report".into(), args };
        let used = TurnEvent::Usage(Usage { output, ..USED });
        Ok(vec![TurnEvent::Call(call), used, TurnEvent::End { ended: false }])
    };
    let case = Case::new(vec![refused(60), refused(70), answer(Some(USED))]);
    assert_eq!(case.run(), DONE);
    assert_eq!((case.requests(), case.world.runs(&case.agent).len()), (3, 1));
    let day = case.world.clock.now().day_in(&jiff::tz::TimeZone::UTC);
    let days = now(case.world.store.all(model_call::per_day(WS, day, day))).expect("readable");
    let [today] = &days[..] else { panic!("{days:?}") };
    let sum = Usage { input: 3 * 2500, output: 60 + 70 + 50, ..USED };
    assert_eq!((today.calls, today.usage), (3, sum));
    assert_eq!(case.world.runs(&case.agent)[0].usage, sum);
    assert_eq!(case.spent(), (0, today.cost));
}

#[test]
fn a_call_without_a_figure_that_can_be_right_costs_what_was_reserved() {
    let absurd = Usage { input: u64::MAX, output: u64::MAX, ..Usage::default() };
    let too_little = Usage { input: 3, output: 1, ..Usage::default() };
    for usage in [None, Some(absurd), Some(too_little)] {
        let case = Case::new(vec![answer(usage)]);
        assert_eq!(case.run(), DONE);
        assert_eq!(case.spent(), (0, RESERVED), "{usage:?}");
        assert_eq!(case.world.runs(&case.agent)[0].usage, Usage::default(), "{usage:?}");
    }
}

#[test]
fn a_refused_key_costs_nothing_and_a_call_that_broke_off_what_was_reserved() {
    let provider = |why| ModelError::Provider {
        provider: "acme".into(),
        why,
        detail: "no".into(),
        retry_after: None,
    };
    for (error, spent) in [
        (provider(ProviderUnavailable::Authentication), 0),
        (provider(ProviderUnavailable::Quota), 0),
        (provider(ProviderUnavailable::Unreachable), 0),
        (provider(ProviderUnavailable::ServerError), 0),
        (provider(ProviderUnavailable::Outage), RESERVED),
        (ModelError::Request { detail: "the answer broke off".into() }, RESERVED),
        (ModelError::Rejected { detail: "too long".into() }, 0),
    ] {
        let case = Case::new(vec![Err(error.clone())]);
        case.run();
        assert_eq!(case.spent(), (0, spent), "{error}");
    }
}

#[test]
fn an_answer_that_cannot_be_used_costs_what_the_provider_reports_with_it() {
    let refused = || ModelError::Request { detail: "the model refused to answer".into() };
    let malformed = || ModelError::Provider {
        provider: "acme".into(),
        why: ProviderUnavailable::Outage,
        detail: "the provider failed while it answered".into(),
        retry_after: None,
    };
    let absurd = Usage { input: u64::MAX, ..USED };
    for (error, reported, spent) in [
        (refused(), Some(USED), COST),
        (malformed(), Some(USED), COST),
        (refused(), Some(absurd), RESERVED),
        (malformed(), Some(absurd), RESERVED),
        (refused(), None, RESERVED),
    ] {
        let turns = Mutex::new(vec![Err(error.clone())]);
        let case = Case::of(Priced { turns, reported, ..Priced::default() });
        case.run();
        assert_eq!(case.spent(), (0, spent), "{error} {reported:?}");
        let day = case.world.clock.now().day_in(&jiff::tz::TimeZone::UTC);
        let days = now(case.world.store.all(model_call::per_day(WS, day, day))).expect("readable");
        let counted = if spent == COST { USED } else { Usage::default() };
        assert_eq!((days[0].calls, days[0].usage), (1, counted), "{error} {reported:?}");
    }
}

#[test]
fn an_agent_at_its_budget_waits_for_the_next_day() {
    let case = Case::new(vec![answer(Some(USED))]);
    case.settings(|settings| settings.budgets.agent_day = RESERVED + COST - 1);
    assert_eq!(case.run(), DONE);
    let End::Requeued { reason } = case.run() else { panic!("it ran beyond its budget") };
    assert!(reason.contains("this agent may still spend"), "{reason}");
    assert_eq!((case.requests(), case.spent()), (1, (0, COST)), "nothing is reserved any more");
    let due = case.world.row(&case.agent).due_at.expect("it is due");
    let today = case.world.clock.now().day_in(&jiff::tz::TimeZone::UTC);
    assert_eq!(due.day_in(&jiff::tz::TimeZone::UTC), today.tomorrow().expect("a day"));
    let waiting = case.world.runs(&case.agent);
    let waiting: Vec<_> = waiting.iter().filter(|run| run.status == Status::Queued).collect();
    assert_eq!((waiting.len(), waiting[0].error.as_deref()), (1, None));
    assert_eq!(case.world.agent_state(&case.agent).consecutive_failure_count, 0);
    assert_eq!(case.put_off(&case.agent), Some(PutOff::AgentBudget));
    case.world.wake_now(&case.agent, None);
    assert!(case.claim(&case.agent).is_none(), "a request does not make room");
    assert_eq!(case.put_off(&case.agent), Some(PutOff::AgentBudget));
}

#[test]
fn the_next_day_has_a_budget_of_its_own() {
    let case = Case::new(vec![answer(Some(USED)), answer(Some(USED))]);
    case.settings(|settings| settings.budgets.agent_day = RESERVED + COST - 1);
    assert_eq!(case.run(), DONE);
    assert!(matches!(case.run(), End::Requeued { .. }));
    case.world.later(24 * 3600 + 600);
    let lease = case.claim(&case.agent).expect("a lease");
    assert_eq!(now(case.agents.scheduler().run_alive(lease)).expect("it ran").end, DONE);
    assert_eq!((case.requests(), case.put_off(&case.agent)), (2, None));
}

/// An agent of the workspace's model, which is free here, and one that pays.
#[test]
fn a_used_up_budget_of_the_workspace_holds_the_agents_of_paid_models_only() {
    let case = Case::new(vec![answer(Some(USED))]);
    case.settings(|settings| settings.budgets.workspace_day = RESERVED - 1);
    assert!(matches!(case.run(), End::Requeued { .. }));
    assert_eq!(case.put_off(&case.agent), Some(PutOff::WorkspaceBudget));
    let [paying, free] = [("Sell", true), ("Rent", false)].map(|(title, pays)| {
        let task = case.world.task(title, &["It began."]);
        let agent = case.world.try_create(&task, true).expect("an agent");
        if pays {
            case.world.pays(&agent);
        }
        case.world.wake_now(&agent, None);
        agent
    });
    assert!(case.claim(&paying).is_none());
    assert_eq!(case.world.runs(&paying).len(), 0, "nothing was begun");
    assert_eq!(case.put_off(&paying), Some(PutOff::WorkspaceBudget));
    assert!(case.claim(&free).is_some());
}

#[test]
fn what_a_person_allows_beyond_a_budget_counts_for_that_day() {
    let case = Case::new(vec![answer(Some(USED)), answer(Some(USED))]);
    let budget = RESERVED + COST - 1;
    case.settings(|settings| settings.budgets.agent_day = budget);
    assert_eq!(case.run(), DONE);
    assert!(matches!(case.run(), End::Requeued { .. }));
    let day = case.world.clock.now().day_in(&jiff::tz::TimeZone::UTC);
    let account =
        Account { scope: SpendScope::Holder((&case.agent).into()), day, unit: Unit::MicroDollars };
    let commit = Commit::new("test", Db::Agent, WS)
        .op(spend::lift(WS, &account, budget))
        .op(wake_queue::release_one(WS, &case.agent, case.world.clock.now()));
    now(case.world.store.commit(commit.clone())).expect("committed");
    let again = now(case.world.store.commit(commit)).expect_err("once");
    assert_eq!(again.refusal(), Some(Refusal::Missing));
    let lease = case.claim(&case.agent).expect("it is due at once");
    assert_eq!(now(case.agents.scheduler().run_alive(lease)).expect("it ran").end, DONE);
    assert_eq!(case.spent(), (0, 2 * COST));
}

#[test]
fn the_budget_of_the_workspace_holds_for_all_agents_together() {
    let case = Case::new(vec![answer(Some(USED))]);
    case.settings(|settings| settings.budgets.workspace_day = RESERVED - 1);
    let End::Requeued { reason } = case.run() else { panic!("it ran beyond the budget") };
    assert!(reason.contains("all agents may still spend"), "{reason}");
    assert_eq!(
        (case.requests(), case.balance(SpendScope::Holder((&case.agent).into()))),
        (0, None),
        "all or nothing"
    );
    assert_eq!(case.balance(SpendScope::Workspace), Some((0, 0)));
}

/// What is reserved for a call under way is more than it costs, as a rule.
#[test]
fn a_call_under_way_holds_nobody_until_midnight_for_whom_there_is_room_after_it() {
    let case = Case::new(vec![]);
    case.settings(|settings| settings.budgets.workspace_day = 2 * RESERVED - 1);
    case.model.0.hangs.store(true, Ordering::Relaxed);
    case.world.wake_now(&case.agent, None);
    let lease = case.claim(&case.agent).expect("a lease");
    let scheduler = case.agents.scheduler();
    let mut first = Box::pin(scheduler.run_alive(lease));
    assert!(first.as_mut().now_or_never().is_none(), "its call is under way");

    let task = case.world.task("Sell", &["It began."]);
    let other = case.world.try_create(&task, true).expect("an agent");
    case.world.pays(&other);
    case.world.wake_now(&other, None);
    let lease = case.claim(&other).expect("a lease");
    let End::Requeued { reason } = now(scheduler.run_alive(lease)).expect("it ran").end else {
        panic!("it ran beyond the budget")
    };
    assert!(reason.contains("under way"), "{reason}");
    let soon = case.world.clock.now() + std::time::Duration::from_secs(10);
    assert_eq!((case.put_off(&other), case.world.row(&other).due_at), (None, Some(soon)));

    // The call breaks off, and all that was reserved for it counts: now there is no room.
    let key = case.world.row(&case.agent).run_key.expect("a run");
    now(case.agents.cancel_run(WS, &case.agent, &key, &me())).expect("cancelled");
    drop(first);
    case.world.later(10);
    let lease = case.claim(&other).expect("a lease");
    let ended = now(scheduler.run_alive(lease)).expect("it ran").end;
    assert!(matches!(ended, End::Requeued { .. }), "{ended:?}");
    assert_eq!(case.put_off(&other), Some(PutOff::WorkspaceBudget));
    assert_eq!(case.balance(SpendScope::Workspace), Some((0, RESERVED)));
}

#[test]
fn a_wake_beyond_its_cap_fails_and_says_so() {
    let case = Case::new(vec![answer(Some(USED))]);
    case.settings(|settings| settings.budgets.wake = RESERVED / 2);
    let End::Failed { error } = case.run() else { panic!("it ran beyond its cap") };
    assert!(
        error.contains("may cost $0.0060, and one wake may spend $0.0030, of which $0.00 is used"),
        "{error}"
    );
    assert!(error.contains("raise what a wake may spend"), "{error}");
    assert_eq!(case.requests(), 0);
}

#[test]
fn a_wake_that_has_its_report_ends_with_it_where_its_cap_has_no_room_for_another_turn() {
    let turn = vec![call(), TurnEvent::Usage(USED), TurnEvent::End { ended: false }];
    let case = Case::new(vec![Ok(turn)]);
    case.settings(|settings| settings.budgets.wake = RESERVED + COST - 1);
    assert_eq!(case.run(), DONE);
    assert_eq!((case.requests(), case.spent()), (1, (0, COST)));
    assert_eq!(
        case.world.report(&case.agent).and_then(|report| report.tldr).as_deref(),
        Some("All quiet.")
    );
}

/// The summary of the report that the agent has.
fn summary(case: &Case) -> Option<String> {
    case.world.report(&case.agent).and_then(|report| report.tldr)
}

#[test]
fn a_wake_that_has_its_report_ends_with_it_where_its_day_has_no_room_for_another_turn() {
    let turn = vec![call(), TurnEvent::Usage(USED), TurnEvent::End { ended: false }];
    let case = Case::new(vec![Ok(turn)]);
    case.settings(|settings| settings.budgets.agent_day = RESERVED + COST - 1);
    assert_eq!(case.run(), DONE);
    assert_eq!((case.requests(), case.spent()), (1, (0, COST)));
    assert_eq!(summary(&case).as_deref(), Some("All quiet."));
    assert!(matches!(case.run(), End::Requeued { .. }), "the next one waits for another day");
}

#[test]
fn a_wake_that_has_its_report_ends_with_it_where_the_call_for_another_turn_fails() {
    let turn = vec![call(), TurnEvent::Usage(USED), TurnEvent::End { ended: false }];
    let refused = ModelError::Request { detail: "the context size is exceeded".into() };
    let case = Case::new(vec![Ok(turn), Err(refused.clone())]);
    assert_eq!(case.run(), DONE);
    assert_eq!(case.requests(), 2);
    assert_eq!(case.spent().0, 0, "the failed call holds nothing");
    assert_eq!(summary(&case).as_deref(), Some("All quiet."));
    let state = case.world.agent_state(&case.agent);
    assert_eq!(state.consecutive_failure_count, 0);

    let case = Case::new(vec![Err(refused)]);
    assert!(matches!(case.run(), End::Failed { .. }), "without a report it fails");
}

/// A turn with the report, after which the model wants another one.
fn reports_and_goes_on() -> Turn {
    Ok(vec![call(), TurnEvent::Usage(USED), TurnEvent::End { ended: false }])
}

#[test]
fn a_wake_that_has_its_report_ends_with_it_where_its_provider_fails() {
    for why in [ProviderUnavailable::Outage, ProviderUnavailable::Quota] {
        let (provider, detail) = ("acme".into(), "insufficient credits".into());
        let failed = ModelError::Provider { provider, why, detail, retry_after: None };
        let case = Case::new(vec![reports_and_goes_on(), Err(failed.clone())]);
        assert_eq!(case.run(), DONE);
        assert_eq!((case.requests(), summary(&case).as_deref()), (2, Some("All quiet.")));
        assert_eq!(case.world.agent_state(&case.agent).consecutive_failure_count, 0);
        let known = now(case.world.store.all(breaker::all(WS))).expect("breakers");
        assert_eq!(known.iter().map(|known| known.failures).sum::<i64>(), 1, "it is counted");

        let case = Case::new(vec![Err(failed)]);
        assert!(matches!(case.run(), End::ProviderUnavailable { .. }), "without a report it waits");
    }
}

#[test]
fn a_wake_that_has_its_report_ends_with_it_when_paid_calls_are_switched_off() {
    let case = Case::new(vec![reports_and_goes_on()]);
    case.world.wake_now(&case.agent, None);
    let lease = case.claim(&case.agent).expect("a lease");
    let scheduler = case.agents.scheduler();
    let mut running = Box::pin(scheduler.run_alive(lease));
    assert!(running.as_mut().now_or_never().is_none(), "the second call is silent");
    assert_eq!(case.requests(), 2);
    case.settings(|settings| settings.paid_calls = false);
    let ended = running.as_mut().now_or_never().expect("it ended").expect("it ran").end;
    assert_eq!((ended, summary(&case).as_deref()), (DONE, Some("All quiet.")));
    assert_eq!(case.spent(), (0, COST + RESERVED), "what the open call cost is not known");
}

#[test]
fn a_wake_that_has_its_report_ends_with_it_when_its_time_is_up() {
    let case = Case::new(vec![reports_and_goes_on()]);
    case.world.wake_now(&case.agent, None);
    let lease = case.claim(&case.agent).expect("a lease");
    let scheduler = case.agents.scheduler();
    let mut running = Box::pin(scheduler.run_alive(lease));
    assert!(running.as_mut().now_or_never().is_none(), "the second call is silent");
    let mut ended = None;
    for _ in 0..60 {
        case.world.later(30);
        ended = running.as_mut().now_or_never();
        if ended.is_some() {
            break;
        }
    }
    let ended = ended.expect("it ended").expect("it ran").end;
    assert_eq!((ended, summary(&case).as_deref()), (DONE, Some("All quiet.")));
    assert_eq!(case.world.agent_state(&case.agent).consecutive_failure_count, 0);
}

#[test]
fn a_budget_of_nothing_allows_nothing() {
    let case = Case::new(vec![answer(Some(USED))]);
    let none = Budgets { workspace_day: 0, agent_day: 0, ..Budgets::default() };
    case.settings(|settings| settings.budgets = none);
    assert!(matches!(case.run(), End::Requeued { .. }));
    assert_eq!(case.requests(), 0);
}

#[test]
fn no_call_begins_once_paid_calls_are_switched_off() {
    let case = Case::new(vec![answer(Some(USED))]);
    case.world.wake_now(&case.agent, None);
    let lease = case.claim(&case.agent).expect("a lease");
    case.settings(|settings| settings.paid_calls = false);
    let ended = now(case.agents.scheduler().run_alive(lease)).expect("it ran").end;
    let End::Requeued { reason } = ended else { panic!("it called") };
    assert!(reason.contains("switched off"), "{reason}");
    assert_eq!((case.requests(), case.balance(SpendScope::Workspace)), (0, None));
    assert_eq!(case.put_off(&case.agent), Some(PutOff::PaidCalls));
    case.world.wake_now(&case.agent, None);
    assert!(case.claim(&case.agent).is_none(), "it does not even begin");
    case.settings(|settings| settings.paid_calls = true);
    assert_eq!(case.run(), DONE);
}

#[test]
fn switching_paid_calls_off_ends_a_call_under_way_and_counts_its_reservation() {
    let case = Case::new(vec![]);
    case.model.0.hangs.store(true, Ordering::Relaxed);
    case.world.wake_now(&case.agent, None);
    let lease = case.claim(&case.agent).expect("a lease");
    let scheduler = case.agents.scheduler();
    let mut running = Box::pin(scheduler.run_alive(lease));
    assert!(running.as_mut().now_or_never().is_none(), "the model is silent");
    assert_eq!((case.requests(), case.model.0.open.load(Ordering::Relaxed)), (1, 1));
    case.settings(|settings| settings.budgets.agent_day += 1);
    assert!(running.as_mut().now_or_never().is_none(), "another change does not end it");
    case.settings(|settings| settings.paid_calls = false);
    let ended = running.as_mut().now_or_never().expect("it ended").expect("it ran").end;
    let End::Requeued { reason } = ended else { panic!("{ended:?}") };
    assert!(reason.contains("switched off"), "{reason}");
    assert_eq!(case.model.0.open.load(Ordering::Relaxed), 0, "its connection is closed");
    assert_eq!(case.spent(), (0, RESERVED));
    assert_eq!(case.put_off(&case.agent), Some(PutOff::PaidCalls));
    assert_eq!(case.world.agent_state(&case.agent).consecutive_failure_count, 0);
    // The person ended that call: the cap of the wake has as much room as before.
    case.settings(|settings| {
        settings.paid_calls = true;
        settings.budgets.wake = RESERVED;
    });
    case.model.0.hangs.store(false, Ordering::Relaxed);
    case.model.0.turns.lock().expect("one thread").push(answer(Some(USED)));
    assert_eq!((case.run(), case.spent()), (DONE, (0, RESERVED + COST)));
}

#[test]
fn a_wrong_name_or_address_holds_the_model_and_counts_against_no_agent() {
    let unknown = ModelError::Provider {
        provider: "acme".into(),
        why: ProviderUnavailable::Configuration,
        detail: "acme does not offer the model large; choose one that it lists".into(),
        retry_after: None,
    };
    let case = Case::new(vec![Err(unknown)]);
    assert!(matches!(case.run(), End::ProviderUnavailable { .. }));
    assert_eq!(case.world.agent_state(&case.agent).consecutive_failure_count, 0);
    let held = now(case.world.store.all(breaker::all(WS))).expect("readable");
    let held: Vec<_> = held.iter().map(|it| (it.provider.as_str(), it.why.name())).collect();
    assert_eq!(held, [("acme/large", "configuration")], "only the model is held");
    assert_eq!((case.spent(), case.put_off(&case.agent)), ((0, 0), Some(PutOff::Provider)));
    case.world.wake_now(&case.agent, None);
    assert!(case.claim(&case.agent).is_none());
    assert_eq!(case.requests(), 1);
}

#[test]
fn a_success_that_is_no_answer_of_a_model_holds_the_model_and_counts_as_the_whole_reservation() {
    let page = ModelError::Provider {
        provider: "acme".into(),
        why: ProviderUnavailable::WrongAnswer,
        detail: "acme answered with a web page instead of an answer of a model".into(),
        retry_after: None,
    };
    let case = Case::new(vec![Err(page)]);
    assert!(matches!(case.run(), End::ProviderUnavailable { .. }));
    let held = now(case.world.store.all(breaker::all(WS))).expect("readable");
    let held: Vec<_> = held.iter().map(|it| (it.provider.as_str(), it.why.name())).collect();
    assert_eq!(held, [("acme/large", "wrongAnswer")], "only the model is held");
    assert_eq!(case.spent(), (0, RESERVED), "a model may have run behind it");
    // While it is held nothing is sent, so there is no second reservation.
    case.world.wake_now(&case.agent, None);
    assert!(case.claim(&case.agent).is_none());
    assert_eq!((case.requests(), case.spent()), (1, (0, RESERVED)));
}

/// Ten calls in a row end without an answer, then one is answered. Returns what the ten cost.
fn after_an_outage(why: ProviderUnavailable) -> i64 {
    let gone = || {
        Err(ModelError::Provider {
            provider: "acme".into(),
            why,
            detail: "503".into(),
            retry_after: None,
        })
    };
    let turns = std::iter::repeat_with(gone).take(10);
    let turns = [answer(Some(USED))].into_iter().chain(turns).chain([answer(Some(USED))]);
    let case = Case::new(turns.collect());
    // Two calls of a wake fit into its cap, and no third.
    case.settings(|settings| settings.budgets.wake = 2 * RESERVED);
    assert_eq!(case.run(), DONE);
    let reports = case.world.reports(&case.agent);
    case.world.wake_now(&case.agent, None);
    for attempt in 1..=10 {
        let lease = case.claim(&case.agent).unwrap_or_else(|| panic!("attempt {attempt}"));
        let end = now(case.agents.scheduler().run_alive(lease)).expect("it ran").end;
        assert!(matches!(end, End::ProviderUnavailable { .. }), "attempt {attempt}: {end:?}");
        assert_eq!(case.world.agent_state(&case.agent).consecutive_failure_count, 0);
        assert_eq!(case.put_off(&case.agent), Some(PutOff::Provider));
        let held = now(case.world.store.all(breaker::all(WS))).expect("readable");
        let held: Vec<_> = held.iter().map(|it| it.provider.as_str()).collect();
        assert_eq!(held, ["acme"], "what needs the person has one line");
        // A few seconds at first, so that five of them are within a minute.
        case.world.later(if attempt < 5 { 10 } else { 1800 });
    }
    assert_eq!(case.world.reports(&case.agent), reports, "the last report stays");
    assert_eq!(case.world.events("provider:away").len(), 6, "each time it is held again");
    let spent = case.spent().1 - COST;
    let lease = case.claim(&case.agent).expect("the provider may be asked");
    assert_eq!(now(case.agents.scheduler().run_alive(lease)).expect("it ran").end, DONE);
    assert_eq!(case.spent(), (0, spent + 2 * COST));
    assert_eq!(case.world.agent_state(&case.agent).consecutive_failure_count, 0);
    assert_eq!(now(case.world.store.all(breaker::all(WS))), Ok(vec![]));
    assert_eq!(case.world.runs(&case.agent).len(), 2, "it was one run all along");
    spent
}

#[test]
fn an_outage_of_a_paid_provider_fails_no_wake_and_keeps_the_last_report() {
    let spent = after_an_outage(ProviderUnavailable::ServerError);
    assert_eq!(spent, 0, "the provider says itself that it served nothing");
    // Nobody knows what calls cost that broke off: the day pays for them, the wake does not.
    assert_eq!(after_an_outage(ProviderUnavailable::Outage), 10 * RESERVED);
}

/// A wake that was claimed for a model of older settings notes no budget as held: another model may be
/// chosen by now.
#[test]
fn a_wake_with_a_model_of_older_settings_is_put_back_and_notes_nothing() {
    let case = Case::new(vec![answer(Some(USED))]);
    case.settings(|settings| settings.budgets.agent_day = RESERVED - 1);
    case.models.set_revision(0);
    let End::Requeued { reason } = case.run() else { panic!("it ran") };
    assert_eq!(reason, "the settings of models were changed a moment ago");
    assert_eq!((case.requests(), case.put_off(&case.agent)), (0, None));
    assert_eq!(case.balance(SpendScope::Holder((&case.agent).into())), None);
    // The process has heard of them.
    case.models.set_revision(1);
    case.world.later(1);
    let lease = case.claim(&case.agent).expect("it is due");
    let end = now(case.agents.scheduler().run_alive(lease)).expect("it ran").end;
    assert!(matches!(end, End::Requeued { .. }), "{end:?}");
    assert_eq!(case.put_off(&case.agent), Some(PutOff::AgentBudget));
}

/// What ends the wait comes between the look at the account and the commit that puts the wake off.
#[test]
fn a_budget_that_is_lifted_while_a_wake_is_put_off_is_not_overlooked() {
    let case = Case::new(vec![answer(Some(USED))]);
    case.settings(|settings| settings.budgets.agent_day = RESERVED - 1);
    assert!(matches!(case.run(), End::Requeued { .. }));
    case.world.wake_now(&case.agent, None);
    let day = case.world.clock.now().day_in(&jiff::tz::TimeZone::UTC);
    let account =
        Account { scope: SpendScope::Holder((&case.agent).into()), day, unit: Unit::MicroDollars };
    let (store, at) = (case.world.store.clone(), case.world.clock.now());
    let agent = case.agent.clone();
    case.world.hooks.once(Stage::BeforeCommit, "run.postpone", move || {
        let commit = Commit::new("test", Db::Agent, WS)
            .op(spend::lift(WS, &account, RESERVED))
            .op(wake_queue::release_one(WS, &agent, at));
        now(store.commit(commit)).expect("committed");
    });
    // What it was decided on holds no longer, so that it is decided about again.
    let lease = case.claim(&case.agent).expect("it is due, and there is room");
    assert_eq!(now(case.agents.scheduler().run_alive(lease)).expect("it ran").end, DONE);
}

/// A node that died during a call leaves the reservation; the run asks again, and both count in the budgets of
/// the day. The cap of the wake has room as before, since the wake did not cause it.
#[test]
fn a_call_that_nobody_settled_stays_reserved() {
    let case = Case::new(vec![Ok(vec![call()]), answer(Some(USED))]);
    case.settings(|settings| settings.budgets.wake = RESERVED);
    case.world.wake_now(&case.agent, None);
    let lease = now(case.agents.scheduler().claim(WS, &case.world.row(&case.agent)));
    let lease = lease.expect("a claim").expect("a lease");
    let call = model_call::NewCall {
        run: lease.run.key.clone(),
        turn: 1,
        attempt: 1,
        holder: lease.run.holder.clone(),
        model: "acme/large".into(),
        at: case.world.clock.now(),
        day: case.world.clock.now().day_in(&jiff::tz::TimeZone::UTC),
        reserved: dormouse_types::spend::Amount { unit: Unit::MicroDollars, value: RESERVED },
    };
    let account = |scope: SpendScope| Account { scope, day: call.day, unit: Unit::MicroDollars };
    let commit = Commit::new("test", Db::Agent, WS)
        .op(model_call::insert(WS, &call))
        .op(spend::reserve(WS, &account(SpendScope::Workspace), RESERVED, i64::MAX))
        .op(spend::reserve(
            WS,
            &account(SpendScope::Holder((&case.agent).into())),
            RESERVED,
            i64::MAX,
        ));
    now(case.world.store.commit(commit)).expect("committed");
    drop(case.model.0.turns.lock().expect("one thread").remove(0));
    let ended = now(case.agents.scheduler().run_alive(lease)).expect("it ran").end;
    assert_eq!((ended, case.spent()), (DONE, (RESERVED, COST)));
}

/// What a provider wants back is sent with its turn, also by a node that did not hear it.
#[test]
fn what_a_provider_wants_back_is_sent_again_and_nobody_else_sees_it() {
    let secret = "c2lnbmF0dXJl";
    let state = ProviderState { provider: "acme".into(), data: secret.into() };
    let (name, args) = ("update_report", json!({}));
    let refused = ToolCall { id: "call-1".into(), name: name.into(), args };
    let first = vec![
        TurnEvent::Call(refused),
        TurnEvent::State(state.clone()),
        TurnEvent::Usage(USED),
        TurnEvent::End { ended: false },
    ];
    let case = Case::new(vec![
        Ok(first),
        Err(ModelError::Provider {
            provider: "acme".into(),
            why: ProviderUnavailable::Outage,
            detail: "gone".into(),
            retry_after: None,
        }),
        answer(Some(USED)),
    ]);
    assert!(matches!(case.run(), End::ProviderUnavailable { .. }), "the second turn got no answer");
    case.world.later(3600);
    let scheduler = case.agents.scheduler();
    let lease = now(scheduler.claim(WS, &case.world.row(&case.agent))).expect("a claim");
    assert_eq!(now(scheduler.run_alive(lease.expect("a lease"))).expect("it ran").end, DONE);
    let requests = case.model.0.requests.lock().expect("one thread");
    let sent: Vec<_> = requests
        .iter()
        .map(|request| request.turns.first().and_then(|t| t.provider_state.clone()))
        .collect();
    assert_eq!(sent, [None, Some(state.clone()), Some(state)]);
    let rows = case.world.shown_rows();
    assert!(!rows.iter().any(|row| row.contains(secret)), "no message, text or log line has it");
}

/// A person cancels a run at a point; returns what the agent then has (reserved, spent).
fn cancelled_at(stage: Stage, label: &'static str) -> Option<(i64, i64)> {
    let case = Case::new(vec![answer(Some(USED))]);
    let (agents, agent) = (case.agents.clone(), case.agent.clone());
    let store = case.world.store.clone();
    case.world.hooks.once(stage, label, move || {
        let row = now(store.first(wake_queue::of_holder(WS, &agent))).expect("readable");
        let run = row.and_then(|row| row.run_key).expect("a run");
        now(agents.cancel_run(WS, &agent, &run, &me())).expect("cancelled");
    });
    assert_eq!(case.run(), End::Cancelled, "{label}");
    assert_eq!(
        case.balance(SpendScope::Holder((&case.agent).into())),
        case.balance(SpendScope::Workspace)
    );
    case.balance(SpendScope::Holder((&case.agent).into()))
}

#[test]
fn a_cancelled_call_costs_what_was_reserved_and_one_that_was_not_made_nothing() {
    assert_eq!(cancelled_at(Stage::BeforeCommit, "run.reserve"), None);
    let whole = Some((0, RESERVED));
    assert_eq!(cancelled_at(Stage::AfterCommit, "run.reserve"), whole);
    assert_eq!(cancelled_at(Stage::BeforeEffect, "model.ask"), whole);
    assert_eq!(cancelled_at(Stage::BeforeCommit, "run.final"), whole);
}

/// The call begins after the person's request has read which calls there are.
#[test]
fn a_call_that_begins_during_a_cancellation_is_settled_as_well() {
    // It says nothing.
    let case = Case::new(Vec::new());
    case.world.wake_now(&case.agent, None);
    let scheduler = case.agents.scheduler();
    let lease = now(scheduler.claim(WS, &case.world.row(&case.agent))).expect("a claim");
    let lease = lease.expect("a lease");
    let run = lease.run.key.clone();
    let agents = case.agents.clone();
    case.world.hooks.once(Stage::BeforeCommit, "run.cancel", move || {
        let scheduler = agents.scheduler();
        let mut running = Box::pin(scheduler.run_alive(lease));
        let waker = std::task::Waker::noop();
        let mut context = std::task::Context::from_waker(waker);
        let polled = std::future::Future::poll(running.as_mut(), &mut context);
        assert!(polled.is_pending(), "it waits for its model");
    });
    let cancelled = now(case.agents.cancel_run(WS, &case.agent, &run, &me()));
    assert!(cancelled.is_ok() && case.world.hooks.is_done(), "{cancelled:?}");
    assert_eq!(case.spent(), (0, RESERVED));
}
