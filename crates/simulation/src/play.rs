//! One play: a seed, everything that goes wrong in it, the calm behind it, and what is left.

use std::sync::Arc;
use std::time::Duration;

use dormouse_store::backend::sqlite::Sqlite;
use dormouse_testkit::{CountingEntropy, ManualClock};
use dormouse_types::port::Clock;

use crate::chance::Chance;
use crate::executor::Executor;
use crate::faults::Tally;
use crate::sim_state::{SimState, OUTSIDE, lock};
use crate::client::{self, Client, Rest};
use crate::mutation::Mutation;
use crate::{node, quiescence, clock_faults};

/// When every play begins.
const EPOCH: &str = "2026-03-02T09:00:00Z";

/// Polls after which a play counts as endless.
const MOST_POLLS: u64 = 400_000;

/// What a play came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Played {
    /// Its seed.
    pub seed: u64,
    /// What happened, counted.
    pub tally: Tally,
    /// What happened, in order.
    pub trace: Vec<String>,
    /// The promise that was broken, if one was.
    pub wrong: Option<String>,
}

/// Plays a seed to its end.
pub fn play(seed: u64, sabotage: Option<Mutation>) -> anyhow::Result<Played> {
    let clock = ManualClock::at(EPOCH);
    let as_clock: Arc<dyn Clock> = Arc::new(clock.clone());
    let sqlite = Arc::new(Sqlite::memory(&as_clock, &CountingEntropy::seeded(1))?);
    let hub = Arc::new(SimState::new(clock, sqlite, Chance::of(seed), sabotage));
    let mut executor = Executor::new(hub.clone());
    storm(&hub, &mut executor);
    calm(&hub);
    let ends = [true, false];
    for is_first in ends {
        settle(&hub, &mut executor);
        if !hub.is_wrong() {
            quiescence::inspect(&hub);
        }
        if is_first && !hub.is_wrong() {
            last_words(&hub, &mut executor);
        }
    }
    drop(executor);
    hub.close();
    let left = hub.take_left();
    Ok(Played { seed, tally: left.tally, trace: left.trace, wrong: left.wrong })
}

/// People act, and things go wrong.
fn storm(hub: &Arc<SimState>, executor: &mut Executor) {
    for machine in 0..hub.dials.len() {
        node::start(hub, machine);
    }
    for name in ["ann", "bob"] {
        let person = Client::new(hub, name);
        let acts = 8 + hub.draw(|chance| chance.below(16));
        hub.spawn(OUTSIDE, name, person.live(acts));
    }
    hub.spawn(OUTSIDE, "sky", clock_faults::run_faults(hub.clone()));
    while !hub.is_empty_of_people() {
        if !advance(hub, executor) {
            return;
        }
    }
}

/// Goes on by one poll, or lets time pass; false when the play is over.
fn advance(hub: &SimState, executor: &mut Executor) -> bool {
    if hub.is_wrong() {
        return false;
    }
    if executor.polls > MOST_POLLS {
        hub.report_violation(format!("endless: {MOST_POLLS} polls; under way: {:?}", executor.names()));
        return false;
    }
    if !executor.step() && !executor.pass_time() {
        hub.report_violation(format!("stuck: nobody is ready and nobody sleeps: {:?}", executor.names()));
        return false;
    }
    true
}

/// Nothing goes wrong from here on, and what stood still goes on.
fn calm(hub: &Arc<SimState>) {
    hub.trace("the weather clears");
    hub.calm_down();
    for node in lock(&hub.nodes).iter_mut() {
        node.is_frozen = false;
    }
    for (at, dial) in (0..).zip(&hub.dials) {
        dial.set_ahead(i64::from(at) * 300_000);
    }
}

/// Lets time pass until nothing is due.
fn settle(hub: &Arc<SimState>, executor: &mut Executor) {
    let mut leaps = 0;
    while !hub.is_wrong() {
        while executor.step() {
            if executor.polls > MOST_POLLS {
                hub.report_violation(format!("endless: {MOST_POLLS} polls; {:?}", executor.names()));
                return;
            }
        }
        let Some(unrest) = quiescence::pending_work(hub) else { return };
        leaps += 1;
        if leaps > 2000 {
            hub.report_violation(format!("unrest: {unrest}, however much time passes"));
            return;
        }
        let now = hub.clock.now();
        match quiescence::next_due(hub).filter(|due| *due > now && !quiescence::is_busy(hub)) {
            // Nothing happens before then but the sweeps.
            Some(due) => executor.set_time(due + Duration::from_secs(1)),
            None if executor.pass_time() => {}
            None => {
                hub.report_violation(format!("stuck: {unrest}, and nobody sleeps: {:?}", executor.names()));
            }
        }
    }
}

/// A person wakes everybody once more: what was held back is seen now.
fn last_words(hub: &Arc<SimState>, executor: &mut Executor) {
    hub.trace("last words");
    let mut person = Client::new(hub, "eve");
    let shared = hub.clone();
    hub.spawn(OUTSIDE, "eve", async move {
        for agent in client::agents(&shared) {
            person.rest(agent, Rest::Resume).await;
        }
        for task in client::tasks(&shared) {
            person.note(task).await;
        }
        shared.leave();
    });
    while !hub.is_empty_of_people() && advance(hub, executor) {}
}
