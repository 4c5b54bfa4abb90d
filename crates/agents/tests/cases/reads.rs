//! What a wake reads: each row once, however many notes the agent has.

use std::collections::BTreeMap;

use dormouse_agents::template::stock;
use dormouse_journal::Edit;
use dormouse_store::agent::agent_entity::State;
use dormouse_store::agent::change_set::{Decision, DecisionVerdict, Outcome};
use dormouse_store::agent::message::{Chain, Draft, Metadata};
use dormouse_store::agent::source::Source;
use dormouse_store::agent::{entity, forgotten_entry, log_line, outdated, report, template, timer};
use dormouse_store::journal::{setting, task};
use dormouse_store::{Commit, Db, change_log, receipt};
use dormouse_testkit::CountingEntropy;
use dormouse_testkit::scripted::Answer;
use dormouse_types::agent::{MessageKind, ReportScope};
use dormouse_types::task::LinkKind;
use dormouse_types::{AgentId, ChangeSetId, DecisionId, Id as _, Seq, TaskId, ThreadId, Timestamp};
use serde_json::json;

use crate::world::{DONE, WS, World, now, routine_report};

/// Returns the statements that a wake of an agent with `n_notes` observations reads, from its claim
/// to its end, with how often each is read. `n_old` more observations are of older runs.
fn statements_of_a_wake(n_notes: usize, n_old: usize) -> BTreeMap<&'static str, usize> {
    let (world, engine) = World::recorded();
    let task = world.task("Move", &["It began."]);
    let agent = world.create(&task);
    let notes: Vec<_> = (0..n_notes).map(|n| format!("Note {n}.")).collect();
    world.script.push(Answer::calls([
        ("record_observations", json!({ "observations": notes })),
        crate::world::report("All quiet.", "Nothing yet."),
    ]));
    assert_eq!(world.ends(&task), [DONE]);
    old_notes(&world, &agent, n_old);
    let lease = world.claim_after_a_note(&task, &agent);
    world.script.push(routine_report());
    engine.take();
    assert_eq!(world.run_lease(lease).end, DONE);
    counted(engine.take())
}

fn counted(reads: Vec<(&'static str, usize)>) -> BTreeMap<&'static str, usize> {
    let mut statements = BTreeMap::new();
    for (sql, _) in reads {
        *statements.entry(sql).or_default() += 1;
    }
    statements
}

#[test]
fn the_receipt_of_a_call_that_writes_the_task_is_looked_for_once() {
    let (world, engine) = World::recorded();
    let task = world.task("Umzug", &["Es begann."]);
    let agent = world.create(&task);
    world.script.push(routine_report());
    assert_eq!(world.ends(&task), [DONE]);
    let lease = world.claim_after_a_note(&task, &agent);
    let language = json!({ "languageCode": "de", "confidence": "high" });
    world.script.push(Answer::calls([
        ("set_task_language", language),
        crate::world::report("All quiet.", "Nothing yet."),
    ]));
    engine.take();
    assert_eq!(world.run_lease(lease).end, DONE);
    let statements = counted(engine.take());
    let receipt = receipt::by_id(Db::Journal, WS, "an operation").sql;
    assert_eq!(statements.get(receipt), Some(&1), "before the write; its answer says the rest");
}

/// Writes observations as earlier runs would have.
fn old_notes(world: &World, agent: &AgentId, n: usize) {
    let entropy = CountingEntropy::seeded(9);
    let at = Timestamp::from_micros(1);
    let mut chain = Chain::new(WS, agent, ThreadId::fresh(at, &entropy), None);
    let mut commit = Commit::new("test.notes", Db::Agent, WS);
    for n in 0..n {
        let draft = Draft {
            kind: MessageKind::Observation,
            content: format!("Old note {n}."),
            content_type: "text/markdown",
            trigger: None,
            metadata: Metadata::default(),
        };
        commit = chain.append(draft, at, &entropy).1.into_iter().fold(commit, Commit::op);
    }
    now(world.store.commit(commit)).expect("written");
}

#[test]
fn a_wake_costs_the_same_reads_whatever_its_agent_noted() {
    assert_eq!(statements_of_a_wake(1, 0), statements_of_a_wake(9, 0));
    assert_eq!(statements_of_a_wake(1, 0), statements_of_a_wake(9, 700));
}

/// The same of an agent whose log has `n_lines` more lines, and whose task has `n_links` links and
/// `n_decisions` decided proposals.
fn statements_among(n_lines: i64, n_links: usize, n_decisions: i64) -> Vec<&'static str> {
    let (world, engine) = World::recorded();
    let task = world.task("Move", &["It began."]);
    let links = (0..n_links).map(|n| {
        let to = world.task(&format!("Task {n}"), &[]);
        Edit::Link { to, kind: LinkKind::PartOf }
    });
    world.edit_task(&task, &links.collect::<Vec<_>>());
    let agent = world.create(&task);
    world.script.push(routine_report());
    assert_eq!(world.ends(&task), [DONE]);
    let run = world.runs(&agent)[0].key.clone();
    let last = log_line::of_holder(WS, &agent, 1, i64::MAX);
    let last = now(world.store.all(last)).expect("readable").len();
    let first = i64::try_from(last).expect("a count") + 1;
    let numbers: Vec<i64> = (first..first + n_lines).collect();
    for numbers in numbers.chunks(1000) {
        let line = |n: &i64| {
            let source = Source::Task(task.clone());
            log_line::append(WS, &agent, *n, &format!("line {n}"), (&[source], None), &run)
        };
        let commit = Commit::new("test", Db::Agent, WS).ops(numbers.iter().flat_map(line));
        now(world.store.commit(commit)).expect("committed");
    }
    decided(&world, &task, &agent, n_decisions);
    let lease = world.claim_after_a_note(&task, &agent);
    world.script.push(routine_report());
    engine.take();
    assert_eq!(world.run_lease(lease).end, DONE);
    engine.take().into_iter().map(|(sql, _)| sql).collect()
}

/// Stores decisions of a person about due dates that the agent proposed.
fn decided(world: &World, task: &TaskId, agent: &AgentId, n_decisions: i64) {
    let entropy = CountingEntropy::seeded(5);
    let decision = |n: &i64| {
        let at = Timestamp::from_micros(1_700_000_000_000_000 + n);
        let decision = Decision {
            id: DecisionId::fresh(at, &entropy),
            proposer: agent.into(),
            change_set_id: ChangeSetId::fresh(at, &entropy),
            item_index: 1,
            tool_name: "update_task_due_date".into(),
            args: json!({ "dueDate": "2026-04-01" }),
            fingerprint: format!("fingerprint {n}"),
            verdict: DecisionVerdict::Rejected,
            outcome: Outcome::Retracted,
            outcome_reason: None,
            task_id: Some(task.clone()),
            rejection_reason: None,
            with_item: None,
            by_rule: None,
            round: 0,
            created_at: at,
            updated_at: at,
            undone_at: None,
            deleted_at: None,
        };
        entity::insert(WS, &decision)
    };
    for numbers in (0..n_decisions).collect::<Vec<_>>().chunks(1000) {
        let commit = Commit::new("test", Db::Agent, WS).ops(numbers.iter().map(decision));
        now(world.store.commit(commit)).expect("committed");
    }
}

#[test]
fn a_wake_costs_the_same_statements_whatever_the_lines_links_and_decisions() {
    let few = statements_among(10, 1, 10);
    assert_eq!(few, statements_among(10_000, 1, 10));
    assert_eq!(few, statements_among(10, 150, 10));
    assert_eq!(few, statements_among(10, 1, 10_000));
}

#[test]
fn a_wake_reads_the_task_again_only_for_the_calls_of_its_model() {
    let statements = statements_of_a_wake(1, 0);
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
        report::head(WS, &agent, &ReportScope::Current.into()).sql,
        forgotten_entry::of_task(WS, &task).sql,
        template::active(WS, &stock::DEFAULT.id()).sql,
        setting::date_order(WS).sql,
    ];
    assert_eq!(once.map(n_reads), [Some(1); 9]);
    assert_eq!(statements.values().sum::<usize>(), 32, "all reads of a run after its claim");
}

#[test]
fn a_wake_reads_its_task_once_more_while_a_proposal_is_open() {
    let (world, engine) = World::recorded();
    let task = world.task("Move", &["It takes two hours."]);
    let agent = world.create(&task);
    world.script.push(Answer::calls([
        ("update_task_estimate", json!({ "minutes": 120, "rationale": "it says so" })),
        crate::world::report("All quiet.", "Nothing yet."),
    ]));
    assert_eq!(world.ends(&task), [DONE]);
    let lease = world.claim_after_a_note(&task, &agent);
    world.script.push(routine_report());
    engine.take();
    assert_eq!(world.run_lease(lease).end, DONE);
    let statements = counted(engine.take());
    let n = statements.get(task::aggregate(WS, &task).sql).copied();
    assert_eq!(n, Some(3), "the beginning, the proposal that may be outdated, the calls");
}
