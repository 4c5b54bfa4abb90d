//! What must hold of agent work when nothing is due any more.

use dormouse_store::{Db, Value};
use dormouse_types::port::Clock as _;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use crate::locks::lock;
use crate::sim_state::SimState;
use crate::work_known::EVERY;
use crate::work_watch::{rows, text};

const MICROS_PER_MINUTE: i64 = 60_000_000;

/// What must hold when nothing is due any more.
pub(crate) fn inspect(sim: &SimState) {
    occurrences(sim);
    let wrong = |what: &'static str, sql: &'static str| {
        for row in rows(sim, sql) {
            sim.report_violation(format!("work: {what}: {}", text(&row, 0)));
        }
    };
    wrong(
        "an occurrence has two runs",
        "SELECT original_start FROM work_runs WHERE ws = 3
         GROUP BY work_id, original_start, zone, fold HAVING COUNT(*) > 1",
    );
    wrong(
        "a run has no end",
        "SELECT id || ' is ' || state FROM work_runs WHERE ws = 3 AND state IN ('queued', 'running')",
    );
    wrong(
        "an attempt has no end",
        "SELECT run_key FROM wake_run_log WHERE ws = 3 AND status IN ('queued', 'started')",
    );
    wrong(
        "a result of a schedule is not delivered once",
        "SELECT r.id FROM work_runs r WHERE r.ws = 3 AND r.state = 'succeeded' AND r.zone = 'floating'
           AND r.ended_by IS NULL
           AND (SELECT COUNT(*) FROM conversation_turns t WHERE t.ws = 3 AND t.run_id = r.id) <> 1",
    );
    wrong(
        "what came to no result is delivered as one",
        "SELECT t.run_id FROM conversation_turns t JOIN work_runs r ON r.ws = 3 AND r.id = t.run_id
         WHERE t.ws = 3 AND r.state <> 'succeeded'",
    );
    // What was dealt with is forgotten after a month.
    wrong(
        "a question is delivered twice, or an open one not at all",
        "SELECT q.id FROM (SELECT q.id, q.closed_at, (SELECT COUNT(*) FROM deliveries d
             WHERE d.ws = 3 AND d.run_id = q.run_id AND d.attempt = q.attempt AND d.kind = 'question') n
           FROM work_questions q WHERE q.ws = 3) q
         WHERE q.n > 1 OR (q.n = 0 AND q.closed_at IS NULL)",
    );
    wrong(
        "a question is open and its run does not wait",
        "SELECT q.id FROM work_questions q JOIN work_runs r ON r.ws = 3 AND r.id = q.run_id
         WHERE q.ws = 3 AND q.closed_at IS NULL AND r.state <> 'needs_input'",
    );
    wrong(
        "a run waits and asks nothing",
        "SELECT r.id || COALESCE((SELECT group_concat(q.attempt || ' ' || COALESCE(q.answer, '-') || ' '
             || q.asked_at || ' ' || q.expires_at || ' ' || q.closed_at)
             FROM work_questions q WHERE q.ws = 3 AND q.run_id = r.id), ' none')
         FROM work_runs r WHERE r.ws = 3 AND r.state = 'needs_input' AND NOT EXISTS (
           SELECT 1 FROM work_questions q WHERE q.ws = 3 AND q.run_id = r.id AND q.closed_at IS NULL)",
    );
    written(sim);
    for row in rows(sim, "SELECT state FROM work_runs WHERE ws = 3") {
        sim.count(&format!("work {}", text(&row, 0)));
    }
}

/// What was due of a definition that was never paused was found.
pub(crate) fn planned(sim: &SimState) {
    let sql = "SELECT next_due_at FROM work_definitions WHERE ws = 3 AND title = 'Work 0'";
    for row in rows(sim, sql) {
        let next = row.int(0).unwrap_or(0);
        if next < sim.clock.now().micros() {
            sim.report_violation(format!("missed: {next} has passed and was not planned"));
        }
    }
}

/// From the first occurrence on, none of a definition that was never paused is without a row.
fn occurrences(sim: &SimState) {
    let sql = "SELECT id, created_at FROM work_definitions WHERE ws = 3 AND title = 'Work 0'";
    for row in rows(sim, sql) {
        let (work, created) = (text(&row, 0), row.int(1).unwrap_or(0));
        let sql = "SELECT original_start FROM work_runs
                   WHERE ws = 3 AND work_id = ?1 AND zone = 'floating' ORDER BY original_start";
        let starts = sim.rows(Db::Agent, sql, vec![Value::Text(work)]);
        let every = EVERY[0] * MICROS_PER_MINUTE;
        let mut before = created / every * every;
        for start in starts {
            let start: Result<DateTime, _> = text(&start, 0).parse();
            let at = start.and_then(|start| TimeZone::UTC.to_timestamp(start));
            let at = at.map_or(0, |at| at.as_microsecond());
            if at - before != every {
                sim.report_violation(format!("missed: after {before} comes {at}"));
            }
            before = at;
            sim.count("work occurrence");
        }
    }
}

/// What was acknowledged to the person is stored, and the runs saw it.
fn written(sim: &SimState) {
    let known = lock(&sim.work);
    let mut wrong = Vec::new();
    for (work, words) in &known.corrections {
        let sql =
            "SELECT COUNT(*) FROM work_corrections WHERE ws = 3 AND work_id = ?1 AND text = ?2";
        let params = vec![Value::Text(work.clone()), Value::Text(words.clone())];
        let n = sim.number(Db::Agent, sql, params);
        if n != 1 {
            wrong.push(format!("work: correction {words:?} is there {n} times"));
        }
    }
    for (question, words) in &known.answers {
        let sql = "SELECT q.run_id, COALESCE(q.answer, ''), r.state FROM work_questions q
                   JOIN work_runs r ON r.ws = 3 AND r.id = q.run_id WHERE q.ws = 3 AND q.id = ?1";
        let found = sim.rows(Db::Agent, sql, vec![Value::Text(question.clone())]);
        let Some(row) = found.first() else {
            wrong.push(format!("work: question {question} is gone"));
            continue;
        };
        let (run, answer, state) = (text(row, 0), text(row, 1), text(row, 2));
        if answer != *words {
            wrong.push(format!("work: {words:?} was taken for {question}, which has {answer:?}"));
        }
        let is_heard = known.sent.get(&run).into_iter().flatten().any(|body| body.contains(words));
        if state == "succeeded" && !is_heard {
            wrong.push(format!("heard: {run} ended well and never saw {words:?}"));
        }
    }
    drop(known);
    wrong.into_iter().for_each(|line| sim.report_violation(line));
}
