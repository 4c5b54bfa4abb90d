//! One play: a seed, everything that goes wrong in it, the calm after it, and what is left.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use dormouse_store::backend::sqlite::Sqlite;
use dormouse_testkit::{CountingEntropy, ManualClock};
use dormouse_types::port::Clock;
use futures_util::FutureExt as _;

use crate::chance::Chance;
use crate::client::{self, Client, Rest};
use crate::executor::Executor;
use crate::faults::Tally;
use crate::locks::lock;
use crate::mutation::Mutation;
use crate::sim_state::{OUTSIDE, SimState};
use crate::terms::Place;
use crate::work_play::Boss;
use crate::{budget_acts, clock_faults, node, quiescence, second_kind, work_rest};

/// When every play begins.
const EPOCH: &str = "2026-03-02T09:00:00Z";

/// Polls after which a play counts as endless.
const MOST_POLLS: u64 = 400_000;
/// The same with a store that breaks a promise, which may keep a play from its end: nothing more is to be
/// learned from one that is longer than others.
const MOST_POLLS_OF_MUTANT: u64 = 80_000;

fn most_polls(sim: &SimState) -> u64 {
    if sim.mutation.is_some() { MOST_POLLS_OF_MUTANT } else { MOST_POLLS }
}

/// What a play came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Played {
    pub seed: u64,
    /// What happened, counted.
    pub tally: Tally,
    /// What happened, in order.
    pub trace: Vec<String>,
    /// The promise that was broken, if one was.
    pub wrong: Option<String>,
}

/// The kinds of runs in a play.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kinds {
    /// Task agents.
    Agents,
    /// Task agents, and the chores of a house as well.
    AgentsAndChores,
    /// Task agents, and agent work as well. The model is built in: nobody pays for it.
    AgentsAndWork,
}

/// Plays a seed to its end, with task agents only.
pub fn play(seed: u64, mutation: Option<Mutation>) -> anyhow::Result<Played> {
    play_of(Kinds::Agents, seed, mutation)
}

/// Plays a seed to its end.
///
/// Errors: a store in memory cannot be made.
pub fn play_of(kinds: Kinds, seed: u64, mutation: Option<Mutation>) -> anyhow::Result<Played> {
    let clock = ManualClock::at(EPOCH);
    let as_clock: Arc<dyn Clock> = Arc::new(clock.clone());
    let sqlite = Arc::new(Sqlite::memory(&as_clock, &CountingEntropy::seeded(1))?);
    let mut sim = SimState::new(clock, sqlite, Chance::of(seed), mutation, node::start);
    let has_work = kinds == Kinds::AgentsAndWork;
    if has_work {
        (sim.terms.place, sim.terms.price) = (Place::BuiltIn, None);
    }
    let sim = Arc::new(sim);
    budget_acts::prepare(&sim)?;
    match kinds {
        Kinds::Agents | Kinds::AgentsAndWork => {}
        Kinds::AgentsAndChores => {
            let prepared = second_kind::prepare(&sim).now_or_never();
            let task = prepared.context("a store in memory answers at once")??;
            sim.house.get_or_init(|| task);
        }
    }
    let mut executor = Executor::new(sim.clone());
    storm(&sim, &mut executor, has_work);
    calm(&sim);
    budget_acts::allow(&sim)?;
    if has_work && !sim.is_wrong() {
        sim.spawn(OUTSIDE, "dan", Boss::new(&sim, "dan").end_all());
        while !sim.is_empty_of_people() && advance(&sim, &mut executor) {}
    }
    let ends = [true, false];
    for is_first in ends {
        settle(&sim, &mut executor);
        if !sim.is_wrong() {
            quiescence::inspect(&sim);
            if sim.house.get().is_some() {
                second_kind::inspect(&sim);
            }
            if has_work && !sim.is_wrong() {
                work_rest::inspect(&sim);
            }
        }
        if is_first && !sim.is_wrong() {
            last_words(&sim, &mut executor, has_work);
        }
    }
    drop(executor);
    sim.close();
    let left = sim.take_left();
    Ok(Played { seed, tally: left.tally, trace: left.trace, wrong: left.wrong })
}

/// People act, and things go wrong.
fn storm(sim: &Arc<SimState>, executor: &mut Executor, has_work: bool) {
    for machine in 0..sim.dials.len() {
        node::start(sim, machine);
    }
    for name in ["ann", "bob"] {
        let person = Client::new(sim, name);
        let acts = 8 + sim.draw(|chance| chance.below(16));
        sim.spawn(OUTSIDE, name, person.live(acts));
    }
    if has_work {
        let boss = Boss::new(sim, "cyd");
        let acts = 20 + sim.draw(|chance| chance.below(30));
        sim.spawn(OUTSIDE, "cyd", boss.live(acts));
    }
    sim.spawn(OUTSIDE, "clock faults", clock_faults::run_faults(sim.clone()));
    while !sim.is_empty_of_people() {
        if !advance(sim, executor) {
            return;
        }
    }
}

/// Goes on by one poll, or lets time pass; false when the play has ended.
fn advance(sim: &SimState, executor: &mut Executor) -> bool {
    if sim.is_wrong() {
        return false;
    }
    let most = most_polls(sim);
    if executor.polls > most {
        sim.report_violation(format!("endless: {most} polls; under way: {:?}", executor.names()));
        return false;
    }
    if !executor.step() && !executor.pass_time() {
        sim.report_violation(format!(
            "stuck: nobody is ready and nobody sleeps: {:?}",
            executor.names()
        ));
        return false;
    }
    true
}

/// Nothing goes wrong from here on, and what stood still goes on.
fn calm(sim: &Arc<SimState>) {
    sim.trace("the weather clears");
    sim.calm_down();
    for node in lock(&sim.nodes).iter_mut() {
        node.is_frozen = false;
    }
    for (at, dial) in (0..).zip(&sim.dials) {
        dial.set_ahead(i64::from(at) * 300_000);
    }
}

/// Lets time pass until nothing is due.
fn settle(sim: &Arc<SimState>, executor: &mut Executor) {
    let mut leaps = 0;
    while !sim.is_wrong() {
        while executor.step() {
            let most = most_polls(sim);
            if executor.polls > most {
                let names = executor.names();
                sim.report_violation(format!("endless: {most} polls; {names:?}"));
                return;
            }
        }
        let Some(unrest) = quiescence::pending_work(sim) else { return };
        if leaps > 2000 {
            sim.report_violation(format!("unrest: {unrest}, however much time passes"));
            return;
        }
        let now = sim.clock.now();
        match quiescence::next_due(sim).filter(|due| *due > now && !quiescence::is_busy(sim)) {
            // Nothing happens before then but the sweeps.
            Some(due) => {
                leaps += 1;
                if let Err(error) = budget_acts::allow_again(sim) {
                    sim.report_violation(format!("paid calls cannot be allowed: {error:#}"));
                    return;
                }
                executor.set_time(due + Duration::from_secs(1));
            }
            // In small steps: a run under way looks at its lease often. `MOST_POLLS` ends it.
            None if executor.pass_time() => {}
            None => {
                sim.report_violation(format!(
                    "stuck: {unrest}, and nobody sleeps: {:?}",
                    executor.names()
                ));
            }
        }
    }
}

/// A person wakes everybody once more: what was held back is seen now.
fn last_words(sim: &Arc<SimState>, executor: &mut Executor, has_work: bool) {
    sim.trace("last words");
    let mut person = Client::new(sim, "eve");
    let shared = sim.clone();
    sim.spawn(OUTSIDE, "eve", async move {
        for agent in client::agents(&shared) {
            person.rest(agent, Rest::Resume).await;
        }
        for task in client::tasks(&shared) {
            person.note(task).await;
        }
        shared.leave();
    });
    if has_work {
        sim.spawn(OUTSIDE, "eli", Boss::new(sim, "eli").answer_all());
    }
    while !sim.is_empty_of_people() && advance(sim, executor) {}
}
