//! Whatever calls cost and however they end, no budget of a day is passed by more than one call.
//!
//! Several workers make calls of random cost at the same time. Calls are answered, refused, cut off,
//! or lost with their process; paid calls are switched off and on, budgets lifted, days turn.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::Poll;

use dormouse_runs::Models;
use dormouse_scheduler::{FinishedRun, SchedulerError};
use dormouse_store::agent::model_call;
use dormouse_store::agent::model_setting;
use dormouse_store::agent::spend::{self, Account, SpendScope};
use dormouse_store::agent::wake_queue;
use dormouse_store::{ChangeRow, Commit, Db, Op};
use dormouse_types::model::{ModelError, ProviderUnavailable, Request, ToolCall, TurnEvent, Usage};
use dormouse_types::model_settings::ModelSettings;
use dormouse_types::port::{BoxFuture, BoxStream, Clock as _};
use dormouse_types::spend::{Budgets, Unit};
use dormouse_types::{AgentId, Origin};
use futures_util::{FutureExt as _, stream};
use jiff::civil::Date;

use crate::world::Agents;
use crate::world::draw::Draw;
use crate::world::paid::{Answers, Paid, RESERVED};
use crate::world::{WS, World, now, report};

const BUDGETS: Budgets =
    Budgets { workspace_day: 50_000, agent_day: 20_000, wake: 1_000_000, unpriced_day: 0 };
const WORKERS: usize = 3;
const AGENTS: usize = 4;
const STEPS: usize = 80;
const SEEDS: u64 = 12;

/// Draws how a call ends.
fn outcome(draw: &mut Draw) -> Outcome {
    let provider = |why| ModelError::Provider {
        provider: "acme".into(),
        why,
        detail: "no".into(),
        retry_after: None,
    };
    match draw.below(8) {
        0 => Ok(None),
        1 => Ok(Some(Usage { input: u64::MAX, output: 9, ..Usage::default() })),
        2 => Err(provider(ProviderUnavailable::Quota)),
        3 => Err(provider(ProviderUnavailable::Outage)),
        4 => Err(ModelError::Request { detail: "the answer broke off".into() }),
        // Some cost more than was reserved, and by so little that all of them together do not
        // make up one call.
        _ => {
            let input = 200 + u64::try_from(draw.below(6_500)).expect("small");
            Ok(Some(Usage { input, output: 100, ..Usage::default() }))
        }
    }
}

/// Calls end when the test says so.
#[derive(Default)]
struct Held(Arc<Mutex<BTreeMap<String, Outcome>>>);

/// What a call reports of its use, or why it fails.
type Outcome = Result<Option<Usage>, ModelError>;

impl Answers for Held {
    fn answer(&self, request: &Request) -> BoxStream<'static, Result<TurnEvent, ModelError>> {
        let (ended, key) = (self.0.clone(), request.run_key.to_string());
        let mut events: Option<Vec<Result<TurnEvent, ModelError>>> = None;
        Box::pin(stream::poll_fn(move |_| {
            if events.is_none() {
                let Some(outcome) = ended.lock().expect("one thread").remove(&key) else {
                    return Poll::Pending;
                };
                events = Some(match outcome {
                    Err(error) => vec![Err(error)],
                    Ok(usage) => {
                        let (name, args) = report("All quiet.", "Nothing yet.");
                        let call = ToolCall { id: "call-1".into(), name: name.into(), args };
                        let usage = usage.map(TurnEvent::Usage);
                        let end = TurnEvent::End { ended: true };
                        let all = [TurnEvent::Call(call)].into_iter().chain(usage).chain([end]);
                        all.map(Ok).rev().collect()
                    }
                });
            }
            Poll::Ready(events.as_mut().and_then(Vec::pop))
        }))
    }
}

type Running = BoxFuture<'static, Result<FinishedRun, SchedulerError>>;

struct Oracle {
    world: World,
    agents: Vec<AgentId>,
    workers: Vec<Agents>,
    model: Arc<Paid<Held>>,
    running: Vec<(String, Running)>,
    draw: Draw,
    days: Vec<Date>,
    reached: usize,
}

impl Oracle {
    fn new(seed: u64) -> Self {
        let world = World::new();
        let model = Arc::new(Paid(Held::default()));
        // Workers of one name would make the same ids.
        let workers = (0..WORKERS)
            .map(|n| {
                let models = Models::new(world.model.clone()).with(model.clone());
                world.agents_of(&format!("worker {n}"), models)
            })
            .collect();
        let agents = (0..AGENTS)
            .map(|n| {
                let task = world.task(&format!("Task {n}"), &["It began."]);
                let agent = world.try_create(&task, true).expect("an agent");
                world.pays(&agent);
                agent
            })
            .collect();
        let (running, draw) = (Vec::new(), Draw(seed));
        let days = vec![world.clock.now().day_in(&jiff::tz::TimeZone::UTC)];
        let oracle = Self { world, agents, workers, model, running, draw, days, reached: 0 };
        oracle.settings(|settings| settings.budgets = BUDGETS);
        oracle
    }

    fn commit(&self, ops: Vec<Op>) {
        let by = Origin::Person { via: None };
        let change = ChangeRow::agent(by, dormouse_types::EventKind::ModelsChanged, None, "test");
        let commit = Commit::new("test", Db::Agent, WS).ops(ops).change(change);
        now(self.world.store.commit(commit)).expect("committed");
    }

    fn settings(&self, edit: impl FnOnce(&mut ModelSettings)) {
        let stored = now(self.world.store.first(model_setting::of_workspace(WS)));
        let stored = stored.expect("readable");
        let revision = stored.as_ref().map_or(0, |stored| stored.revision);
        let mut settings = stored.map(|stored| stored.settings).unwrap_or_default();
        edit(&mut settings);
        let at = self.world.clock.now();
        self.commit(vec![
            model_setting::put(WS, revision, &settings),
            wake_queue::release_put_off(WS, at),
        ]);
    }

    /// Lets every run go on as far as it can.
    fn go_on(&mut self) {
        let running = std::mem::take(&mut self.running);
        for (key, mut run) in running {
            match Pin::new(&mut run).now_or_never() {
                Some(ended) => {
                    ended.expect("it ran");
                }
                None => self.running.push((key, run)),
            }
        }
    }

    fn start(&mut self) {
        let agent = self.agents[self.draw.below(AGENTS)].clone();
        let worker = self.draw.below(WORKERS);
        self.world.wake_now(&agent, None);
        let scheduler = self.workers[worker].scheduler();
        let row = self.world.row(&agent);
        if row.owner.is_some() {
            return;
        }
        let Some(lease) = now(scheduler.claim(WS, &row)).expect("a claim") else { return };
        let key = lease.run.key.to_string();
        let run = Box::pin(async move { scheduler.run_alive(lease).await });
        self.running.push((key, run));
    }

    fn step(&mut self) {
        match self.draw.below(20) {
            0..8 => self.start(),
            8..15 if !self.running.is_empty() => {
                let at = self.draw.below(self.running.len());
                let outcome = outcome(&mut self.draw);
                let key = self.running[at].0.clone();
                self.model.0.0.lock().expect("one thread").insert(key, outcome);
            }
            15 if !self.running.is_empty() => {
                // Its process dies: nobody settles the call, and another one takes the run over.
                let at = self.draw.below(self.running.len());
                drop(self.running.remove(at));
                self.world.later(120);
            }
            16 => {
                self.settings(|settings| settings.paid_calls = false);
                self.go_on();
                assert!(self.running.is_empty(), "no call outlives the switch");
                self.settings(|settings| settings.paid_calls = true);
            }
            17 => {
                let day = self.today();
                for held in now(self.world.store.all(spend::held(WS, day))).expect("readable") {
                    let account =
                        Account { scope: held.scope.clone(), day, unit: Unit::MicroDollars };
                    self.commit(vec![spend::lift(WS, &account, limit_of(&held.scope))]);
                }
            }
            18 if self.days.len() < 3 => {
                self.world.later(24 * 3600);
                self.days.push(self.today());
            }
            _ => {
                self.world.later(60);
                self.world.take_over();
                self.running.clear();
            }
        }
        self.go_on();
    }

    fn today(&self) -> Date {
        self.world.clock.now().day_in(&jiff::tz::TimeZone::UTC)
    }

    fn check(&mut self, step: usize) {
        let agents = self.agents.iter().map(|agent| SpendScope::Holder(agent.into()));
        for scope in agents.chain([SpendScope::Workspace]) {
            for day in self.days.iter().copied() {
                let unit = Unit::MicroDollars;
                let account = Account { scope: scope.clone(), day, unit };
                let balance = now(self.world.store.first(spend::of_account(WS, &account)));
                let Some(balance) = balance.expect("readable") else { continue };
                let limit = limit_of(&scope) + balance.extra;
                assert!(balance.reserved >= 0, "step {step}: {scope} on {day}: {balance:?}");
                assert!(
                    balance.used() <= limit + RESERVED,
                    "step {step}: {scope} on {day} is beyond {limit}: {balance:?}"
                );
                self.reached += usize::from(balance.held_at.is_some());
                if scope == SpendScope::Workspace {
                    let calls = now(self.world.store.all(model_call::per_day(WS, day, day)));
                    let calls: i64 = calls.expect("readable").iter().map(|call| call.cost).sum();
                    assert_eq!(calls, balance.used(), "step {step}: the calls add up on {day}");
                }
            }
        }
    }
}

fn limit_of(scope: &SpendScope) -> i64 {
    match scope {
        SpendScope::Workspace => BUDGETS.workspace_day,
        SpendScope::Holder(_) => BUDGETS.agent_day,
    }
}

#[test]
fn no_day_passes_its_budget_by_more_than_one_call() {
    let mut reached = 0;
    for seed in 1..=SEEDS {
        let mut oracle = Oracle::new(seed);
        for step in 0..STEPS {
            oracle.step();
            oracle.check(step);
        }
        reached += oracle.reached;
    }
    assert!(reached > 0, "no budget was ever used up");
}
