//! What a wake reads: each row once, however many notes the agent has.

use std::collections::BTreeMap;
use std::sync::Arc;

use dormouse_store::agent::agent_entity::State;
use dormouse_store::agent::{entity, log_line, outdated, report, timer};
use dormouse_store::backend::sqlite::Sqlite;
use dormouse_store::change_log;
use dormouse_store::journal::task;
use dormouse_testkit::scripted::Answer;
use dormouse_testkit::{CountingEntropy, ManualClock};
use dormouse_types::port::Clock;
use dormouse_types::{AgentId, Id as _, Seq, TaskId, Timestamp};
use serde_json::json;

use crate::world::counting::Counting;
use crate::world::{DONE, WS, World, dull};

/// Returns the statements that a wake of an agent with `n_notes` observations reads, from its claim
/// to its end, with how often each is read.
fn statements_of_a_wake(n_notes: usize) -> BTreeMap<&'static str, usize> {
    let clock = ManualClock::at("2026-03-02T09:00:00Z");
    let port: Arc<dyn Clock> = Arc::new(clock.clone());
    let sqlite = Sqlite::memory(&port, &CountingEntropy::seeded(1)).expect("a store in memory");
    let engine = Arc::new(Counting::over(Arc::new(sqlite)));
    let world = World::on(engine.clone(), clock, "test");
    let task = world.task("Move", &["It began."]);
    let agent = world.create(&task);
    let notes: Vec<_> = (0..n_notes).map(|n| format!("Note {n}.")).collect();
    world.script.push(Answer::calls([
        ("record_observations", json!({ "observations": notes })),
        crate::world::report("All quiet.", "Nothing yet."),
    ]));
    assert_eq!(world.ends(&task), [DONE]);
    let lease = world.claim_after_a_note(&task, &agent);
    world.script.push(dull());
    engine.take();
    assert_eq!(world.run_lease(lease).end, DONE);
    let mut statements = BTreeMap::new();
    for (sql, _) in engine.take() {
        *statements.entry(sql).or_default() += 1;
    }
    statements
}

#[test]
fn a_wake_costs_the_same_reads_whatever_its_agent_noted() {
    assert_eq!(statements_of_a_wake(1), statements_of_a_wake(9));
}

#[test]
fn a_wake_reads_the_task_again_only_for_the_calls_of_its_model() {
    let statements = statements_of_a_wake(1);
    let n_reads = |sql: &str| statements.get(sql).copied();
    let entropy = CountingEntropy::seeded(3);
    let agent = AgentId::fresh(Timestamp::from_micros(0), &entropy);
    let task = TaskId::fresh(Timestamp::from_micros(0), &entropy);
    assert_eq!(n_reads(task::aggregate(WS, &task).sql), Some(2), "the beginning, the calls");
    let once = [
        entity::of_agent::<State>(WS, &agent, 1).sql,
        change_log::of_task(WS, &task, Seq(0), Seq(1)).sql,
        timer::of_holder(WS, &agent).sql,
        log_line::of_holder(WS, &agent, 1, 2).sql,
        outdated::of_agent(WS, &agent).sql,
        report::head(WS, &agent, report::CURRENT).sql,
    ];
    assert_eq!(once.map(n_reads), [Some(1); 6]);
    assert_eq!(statements.values().sum::<usize>(), 29, "all reads of a run after its claim");
}
