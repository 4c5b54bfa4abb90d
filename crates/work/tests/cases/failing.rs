//! What goes wrong: failures, crashes, a program that stops, calls that make no sense.

use std::collections::BTreeSet;
use std::sync::Arc;

use dormouse_scheduler::End;
use dormouse_store::agent::work::run;
use dormouse_store::agent::{wake_queue, wake_run};
use dormouse_store::{Commit, Db, Op, params};
use dormouse_testkit::scripted::Answer;
use dormouse_types::model::{ModelError, ProviderUnavailable};
use dormouse_types::port::{Model as _, Stage};
use dormouse_types::work::RunState;
use dormouse_types::{WorkId, WorkRunId};
use dormouse_work::definition::NewWork;
use dormouse_work::lifecycle::Edit;
use serde_json::json;

use crate::world::{WS, World, finish, me, says, wait};

const DONE: End = End::Completed { cut: false };

fn broken() -> Answer {
    Answer::Fails(ModelError::Request { detail: "no".into() })
}

fn a_failed_attempt_is_tried_twice_more(world: &World) {
    let id = world.create("Standup", None);
    world.script.push(broken());
    assert_eq!(world.drain().len(), 1);
    assert_eq!(world.status(&id), "pending/queued");
    assert_eq!(world.drain(), [], "it waits");
    world.later(30);
    world.script.push(broken());
    world.drain();
    world.later(120);
    world.script.push(finish("done", "At last."));
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(world.status(&id), "completed/succeeded");
    assert_eq!(world.runs(&id)[0].failures, 2);
}

fn the_third_failure_is_that_of_the_run(world: &World) {
    let id = world.create("Standup", None);
    for wait_for in [0, 30, 120] {
        world.later(wait_for);
        world.script.push(broken());
        world.drain();
    }
    assert_eq!(world.status(&id), "failed/failed");
    let run = world.runs(&id).remove(0);
    assert!(run.error.expect("an error").contains("no"));
    world.later(3600);
    assert_eq!(world.drain(), []);
    wait(world.work.retry(WS, &run.id, &me())).expect("it is tried again");
    world.script.push(finish("done", "By hand."));
    assert_eq!(world.drain(), [DONE]);
}

fn a_run_that_says_it_failed_has_failed(world: &World) {
    let id = world.create("Standup", None);
    world.script.push(finish("failed", "There is no such page."));
    world.drain();
    assert_eq!(world.status(&id), "failed/failed");
    assert_eq!(world.runs(&id)[0].failures, 0, "that is no attempt to repeat");
}

fn a_refused_call_gives_the_model_another_turn(world: &World) {
    let id = world.create("Standup", None);
    world.script.push(Answer::calls([("finish", json!({ "outcome": "splendid" }))]));
    world.script.push(finish("done", "Now right."));
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(world.status(&id), "completed/succeeded");
    let turns = world.last_request().turns;
    assert!(turns[0].results[0].text.contains("expected {"), "{turns:?}");
}

fn a_model_that_never_ends_is_stopped(world: &World) {
    let id = world.create("Standup", None);
    let list = || {
        Answer::calls([("list_agent_work", json!({ "from": "2026-03-01", "to": "2026-03-02" }))])
            .and_goes_on()
    };
    (0..40).for_each(|_| world.script.push(list()));
    world.script.push(says("I could go on."));
    assert_eq!(world.drain(), [End::Completed { cut: true }]);
    assert_eq!(world.status(&id), "paused/needs_review");
    assert_eq!(world.script.requests().len(), 41);
}

fn what_follows_the_end_in_one_turn_is_refused(world: &World) {
    let id = world.create("Standup", None);
    world.script.push(Answer::calls([
        ("finish", json!({ "outcome": "done", "summary": "Done." })),
        ("publish_result", json!({ "title": "Late", "text": "Too late." })),
    ]));
    world.drain();
    let run = world.runs(&id).remove(0);
    assert_eq!((run.state.name(), run.result), ("succeeded", None));
}

fn claim(world: &World, run: &WorkRunId, owner: &str) -> dormouse_scheduler::Lease {
    let row = wait(world.store.first(wake_queue::of_holder(WS, run)));
    let row = row.expect("readable").expect("a row");
    wait(world.scheduler(owner).claim(WS, &row)).expect("a claim").expect("a lease")
}

fn a_killed_run_resumes_once_by_itself(world: &World) {
    let id = world.create("Standup", None);
    let run = world.runs(&id).remove(0).id;
    drop(claim(world, &run, "dead"));
    world.later(61);
    let other = world.scheduler("other");
    assert_eq!(wait(other.take_over_dead(&BTreeSet::new())).expect("taken over").len(), 1);
    world.script.push(finish("done", "Resumed."));
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(world.status(&id), "completed/succeeded");
    assert_eq!(world.runs(&id).len(), 1);
}

fn a_run_that_is_killed_twice_waits_for_the_person(world: &World) {
    let id = world.create("Standup", None);
    let run = world.runs(&id).remove(0).id;
    for owner in ["dead", "dead, too"] {
        drop(claim(world, &run, owner));
        world.later(61);
        wait(world.scheduler("other").take_over_dead(&BTreeSet::new())).expect("taken over");
    }
    assert_eq!(world.drain(), []);
    assert_eq!(world.status(&id), "failed/interrupted");
    wait(world.work.retry(WS, &run, &me())).expect("it is tried again");
    world.script.push(finish("done", "By hand."));
    assert_eq!(world.drain(), [DONE]);
}

/// A run that calls one tool after another holds its lease, however long that takes all together.
fn a_run_that_goes_on_calling_tools_is_not_taken_for_dead(world: &World) {
    let id = world.create("Standup", None);
    let other = Arc::new(world.another_node());
    let lists = || {
        let days = json!({ "from": "2026-03-01", "to": "2026-03-02" });
        Answer::calls([("list_agent_work", days)]).and_goes_on()
    };
    for _ in 0..6 {
        world.script.push(lists());
        let other = other.clone();
        world.hooks.once(Stage::BeforeEffect, "model.ask", move || {
            other.later(40);
            let taken = wait(other.scheduler("other").take_over_dead(&BTreeSet::new()));
            assert_eq!(taken.expect("readable").len(), 0, "it works");
        });
    }
    world.script.push(finish("done", "Looked six times."));
    assert_eq!(world.drain(), [DONE]);
    assert!(world.hooks.is_done());
    let run = world.runs(&id).remove(0);
    assert_eq!((run.state, run.attempt, run.failures), (RunState::Succeeded, 0, 0));
}

fn a_provider_that_is_away_counts_as_no_failure(world: &World) {
    let id = world.create("Standup", None);
    world.script.push(Answer::Fails(ModelError::Provider {
        provider: "script".into(),
        why: ProviderUnavailable::Outage,
        detail: "503".into(),
        retry_after: None,
    }));
    assert!(matches!(world.drain()[..], [End::ProviderUnavailable { .. }]));
    assert_eq!(world.status(&id), "pending/queued", "nothing stays running");
    world.later(120);
    // A new key: the script remembers what it answered to the old one.
    world.script.push(finish("done", "Back."));
    world.drain();
    assert_eq!(world.runs(&id)[0].failures, 0);
}

/// The attempts of the only run of a definition, oldest first: whether they were given up, and their models.
fn attempts(world: &World, id: &WorkId) -> Vec<(bool, Option<String>)> {
    let run = world.runs(id).remove(0);
    let keys = wait(world.store.all(run::attempts(WS, &run.id))).expect("readable");
    let row = |key| wait(world.store.first(wake_run::by_key(WS, key))).expect("readable");
    let mut rows: Vec<_> = keys.iter().map(|key| row(key).expect("an attempt")).collect();
    rows.sort_by_key(|row| row.created_at);
    rows.into_iter().map(|row| (row.is_cancelled(), row.model)).collect()
}

/// It waits for a provider that was removed, and a person has chosen another model.
fn a_run_goes_on_with_the_model_that_is_chosen_while_it_waits_for_another(world: &World) {
    let own = NewWork { model: Some("gone/large".into()), ..world.new_work("Own", None) };
    let own = wait(world.work.create(WS, &own, &me())).expect("it is created").definition.id;
    assert!(matches!(world.drain()[..], [End::ProviderUnavailable { .. }]));
    world.later(1);
    let edit = Edit { model: Some(None), ..Edit::default() };
    wait(world.work.edit(WS, &own, &edit, &me())).expect("it is edited");
    world.script.push(finish("done", "With the other one."));
    assert_eq!(world.drain(), [DONE], "at once");
    let expected = |first: &str| {
        [(true, Some(first.to_owned())), (false, Some(world.script.name().to_owned()))]
    };
    assert_eq!(attempts(world, &own), expected("gone/large"));
    let run = world.runs(&own).remove(0);
    assert_eq!((world.status(&own).as_str(), run.failures), ("completed/succeeded", 0));
    assert_eq!(run.attempt, 1, "what its turns were made of was cleared for the first model");

    world.choose(Some("away/large"));
    let any = world.create("Any", None);
    assert!(matches!(world.drain()[..], [End::ProviderUnavailable { .. }]));
    world.later(60);
    assert!(matches!(world.drain()[..], [End::ProviderUnavailable { .. }]), "the same attempt");
    assert_eq!(attempts(world, &any).len(), 1);
    world.choose(None);
    world.later(120);
    world.script.push(finish("done", "With the other one."));
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(attempts(world, &any), expected("away/large"));
}

fn a_damaged_schedule_stops_no_other(world: &World) {
    let bad = world.create("Broken", Some("daily at 9"));
    let good = world.create("Standup", Some("daily at 9"));
    let sql = "UPDATE work_definitions SET schedule = 'DTSTART:nonsense' WHERE ws = 1 AND title = 'Broken'";
    let op = dormouse_store::Op::any(sql, Vec::new());
    let commit = dormouse_store::Commit::new("test.write", dormouse_store::Db::Agent, WS).op(op);
    wait(world.store.commit(commit)).expect("written");
    world.set("2026-03-02T08:00:00Z");
    let lines = world.plan();
    assert!(matches!(&lines[..], [Ok(line)] if line.contains("is disabled")), "{lines:?}");
    world.script.push(finish("done", "Done."));
    world.drain();
    assert_eq!(world.said(&good), ["03-02 09:00 succeeded"]);
    let broken = wait(world.work.definition(WS, &bad)).expect("it is there");
    assert_eq!((broken.state.name(), broken.next_due_at), ("disabled", None));
}

/// Only a restored store, or one that an earlier version wrote, has such rows. That their runs end is reported by
/// the commit that ends them: each test of this room looks.
fn a_run_that_may_not_start_or_lost_its_attempt_ends_and_says_so(world: &World) {
    let write = |sql, id: &WorkId| {
        let op = Op::any(sql, params![id.to_string()]);
        wait(world.store.commit(Commit::new("test", Db::Agent, WS).op(op))).expect("written");
    };
    let held = world.create("Standup", Some("daily at 9"));
    world.set("2026-03-02T08:00:00Z");
    assert_eq!(world.plan(), []);
    write("UPDATE work_definitions SET state = 'held', next_due_at = NULL WHERE id = ?1", &held);
    let lost = world.create("Mail", None);
    write("UPDATE work_runs SET state = 'running' WHERE work_id = ?1", &lost);
    write(
        "UPDATE work_definitions SET run_state = 'running', status = 'running' WHERE id = ?1",
        &lost,
    );
    assert_eq!(world.drain(), []);
    assert_eq!(world.said(&held), ["03-02 09:00 skipped paused"]);
    assert_eq!(world.status(&held), "paused/skipped");
    assert_eq!(world.status(&lost), "failed/interrupted");
    let kinds = world.raw("SELECT kind FROM deliveries ORDER BY kind");
    let kinds: Vec<_> = kinds.iter().map(|row| row.text(0).expect("text")).collect();
    assert_eq!(kinds, ["failed", "held"]);
}

each_engine! {
    a_failed_attempt_is_tried_twice_more,
    the_third_failure_is_that_of_the_run,
    a_run_that_says_it_failed_has_failed,
    a_refused_call_gives_the_model_another_turn,
    a_model_that_never_ends_is_stopped,
    what_follows_the_end_in_one_turn_is_refused,
    a_killed_run_resumes_once_by_itself,
    a_run_that_is_killed_twice_waits_for_the_person,
    a_run_that_may_not_start_or_lost_its_attempt_ends_and_says_so,
    a_run_that_goes_on_calling_tools_is_not_taken_for_dead,
    a_provider_that_is_away_counts_as_no_failure,
    a_run_goes_on_with_the_model_that_is_chosen_while_it_waits_for_another,
    a_damaged_schedule_stops_no_other,
}
